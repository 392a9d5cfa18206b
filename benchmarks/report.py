"""Tables of results, as text and in files."""

import datetime
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy
from measure import Row


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "n/a"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.2f} ms"


def ratio(value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:.1f}x" if value >= 10 else f"{value:.2f}x"


def line(row: Row) -> str:
    """A row for the terminal."""
    target = f">= {row.target:.2g}x" if row.target is not None else ""
    peers = "".join(f"{name} {duration(t):>10}  " for name, t in row.peers.items())
    return (
        f"{row.name:<36} {duration(row.numpy):>10} {duration(row.heddle):>10} "
        f"{ratio(row.speedup):>8}  {target:<8} {peers}{row.verdict}"
    )


def header() -> str:
    return f"{'':<36} {'NumPy':>10} {'Heddle':>10} {'faster':>8}"


def cpu() -> str:
    """Its name, and what tells it from others where a virtual machine's name does not."""
    facts: dict[str, str] = {}
    try:
        for text in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = text.partition(":")
            facts.setdefault(key.strip(), value.strip())
    except OSError:
        pass
    if "model name" not in facts:
        return platform.processor() or platform.machine()
    flags = facts.get("flags", "").split()
    vectors = next((v for v in ("avx512f", "avx2", "sse4_2") if v in flags), "no vectors")
    return (
        f"{facts['model name']} (family {facts.get('cpu family')}, "
        f"model {facts.get('model')}, {vectors})"
    )


def environment(machine: str | None) -> dict[str, str]:
    import heddle

    return {
        "machine": machine or f"{cpu()}, {len(os.sched_getaffinity(0))} cores",
        "date": datetime.date.today().isoformat(),
        "heddle": heddle.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "load average at the start": f"{os.getloadavg()[0]:.1f}",
    }


def _row_data(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "numpy_s": row.numpy,
        "heddle_s": row.heddle,
        "speedup": row.speedup,
        "target": row.target,
        "verdict": row.verdict,
        **({"peers_s": row.peers} if row.peers else {}),
    }


def as_json(results: dict[str, Any]) -> str:
    def convert(value: Any) -> Any:
        if isinstance(value, list):
            return [_row_data(v) if isinstance(v, Row) else convert(v) for v in value]
        if isinstance(value, dict):
            return {k: convert(v) for k, v in value.items()}
        return value

    return json.dumps(convert(results), indent=1) + "\n"


def _table(rows: list[Row], base: str = "NumPy") -> list[str]:
    peers = sorted({name for row in rows for name in row.peers})
    lines = [
        f"| work | {base} | Heddle | faster | target | |" + "".join(f" {p} |" for p in peers),
        "|---|---:|---:|---:|---:|---|" + "---:|" * len(peers),
    ]
    for row in rows:
        target = f"{row.target:.2g}x" if row.target is not None else ""
        cells = [row.name, duration(row.numpy), duration(row.heddle), ratio(row.speedup), target]
        cells += [row.verdict, *(duration(row.peers.get(p)) for p in peers)]
        lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return lines


def slower(rows: list[Row]) -> list[Row]:
    """Those slower than NumPy by more than the noise, slowest first."""
    return sorted(
        (r for r in rows if r.speedup is not None and r.speedup < 0.95),
        key=lambda r: r.speedup or 0.0,
    )


UFUNCS = "pairs of ufunc and dtype"


def summary(rows: list[Row], what: str) -> list[str]:
    timed = [r for r in rows if r.speedup is not None]
    late = slower(rows)
    wrong = [r.name for r in rows if r.wrong]
    failed = [f"{r.name} ({r.error})" for r in rows if r.error]
    lines = [f"{len(timed)} {what}, {len(late)} of them slower than NumPy."]
    if timed:
        middle = sorted(r.speedup or 0.0 for r in timed)[len(timed) // 2]
        lines.append(f"The median is {ratio(middle)} faster.")
    if wrong:
        lines.append("WRONG: " + ", ".join(wrong) + ".")
    if failed:
        lines.append("Not run: " + ", ".join(failed) + ".")
    return lines


def as_markdown(results: dict[str, Any]) -> str:
    lines = ["# Benchmarks", ""]
    lines += [f"- {key}: {value}" for key, value in results["environment"].items()]
    lines += ["", "Best times; inputs are float32 unless the row says otherwise."]
    titles = {
        "Speed table": "table",
        "Further work": "further",
        "Sorting and statistics (float64)": "sorting",
    }
    for title, key in titles.items():
        if results.get(key):
            lines += ["", f"## {title}", "", *_table(results[key])]
    if results.get("latency"):
        lines += ["", "## First use", "", "| | |", "|---|---:|"]
        lines += [f"| {name} | {text} |" for name, text in results["latency"].items()]
    if results.get("ufuncs"):
        rows = results["ufuncs"]
        lines += ["", "## Single ufuncs on every dtype", "", *summary(rows, UFUNCS)]
        if late := slower(rows):
            lines += ["", *_table(late)]
    return "\n".join(lines) + "\n"


def sweep_markdown(info: dict[str, str], rows: list[Row]) -> str:
    lines = ["# Every function against NumPy", ""]
    lines += [f"- {key}: {value}" for key, value in info.items()]
    lines += ["", "`benchmarks/sweep.py`; best times, evaluation included.", ""]
    lines += summary(rows, "calls")
    if late := slower(rows):
        lines += ["", "## Slower than NumPy", "", *_table(late)]
    return "\n".join([*lines, "", "## All", "", *_table(rows)]) + "\n"


def write(info: dict[str, str], markdown: str, data: str, kind: str = "") -> list[Path]:
    """Writes benchmarks/results/<date>-<machine><kind>.md and .json."""
    words = "".join(c if c.isalnum() else " " for c in info["machine"].lower()).split()
    base = Path(__file__).parent / "results" / f"{info['date']}-{'-'.join(words[:4])}{kind}"
    base.parent.mkdir(exist_ok=True)
    paths = [base.with_suffix(".md"), base.with_suffix(".json")]
    paths[0].write_text(markdown)
    paths[1].write_text(data)
    return paths


def save(results: dict[str, Any]) -> list[Path]:
    return write(results["environment"], as_markdown(results), as_json(results))


def save_sweep(info: dict[str, str], rows: list[Row]) -> list[Path]:
    data = as_json({"environment": info, "calls": rows})
    return write(info, sweep_markdown(info, rows), data, "-sweep")


def save_rows(
    title: str, info: dict[str, str], rows: list[Row], kind: str, base: str = "NumPy"
) -> list[Path]:
    lines = [f"# {title}", "", *(f"- {key}: {value}" for key, value in info.items()), ""]
    markdown = "\n".join([*lines, *_table(rows, base)]) + "\n"
    return write(info, markdown, as_json({"environment": info, "rows": rows}), kind)
