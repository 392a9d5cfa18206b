"""Measures Heddle on a GPU against CuPy, PyTorch and JAX, where they are installed.

Each library runs in a process of its own that finds nothing compiled. Every result is compared with
NumPy's; one that differs says WRONG. A time is the median of up to 200 calls, Python's part and the
wait for the result included. What moves at least for a row, over its time, is compared with a copy
within the device's memory in the same run.
"""

import argparse
import datetime
import json
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
import report
from gpu_libraries import LIBRARIES, environment
from gpu_work import COPY, FRESH, FROM_DISK, INPUTS, LINES, SMALL, WORK, Line, Work

_PEERS = "heddle,cupy,torch,torchc,jaxjit"


@dataclass
class Results:
    """What the processes found: by library, then by row."""

    sizes: dict[str, int]  # elements of each input
    small: bool  # then targets say nothing
    versions: dict[str, str] = field(default_factory=dict)
    found: dict[str, dict[str, Any]] = field(default_factory=dict)

    def cell(self, library: str, line: Line) -> dict[str, Any]:
        found: dict[str, Any] = self.found.get(library, {}).get(line.name, {})
        return found

    def lines(self) -> list[Line]:
        return [line for line in LINES if any(line.name in rows for rows in self.found.values())]

    def bandwidth(self) -> float | None:
        """The copy's, in bytes per second: the best that a library reached."""
        cells = (self.cell(library, COPY) for library in self.found)
        return max((float(cell["value"]) * 1e9 for cell in cells if "value" in cell), default=None)

    def fraction(self, line: Line) -> float | None:
        """Of the copy's bandwidth that Heddle reaches."""
        value, best = self.cell("heddle", line).get("value"), self.bandwidth()
        if not (isinstance(line, Work) and line.moved and value and best):
            return None
        return line.moved * self.sizes[line.inputs[0]] / (float(value) * 1e-6) / best

    def verdict(self, line: Line) -> str:
        value = self.cell("heddle", line).get("value")
        met = None if value is None or self.small else line.meets(value)
        return {None: "", True: "ok", False: "missed"}[met]


def prepare(folder: Path, only: str, small: int) -> dict[str, int]:
    """Writes the inputs and NumPy's results for all processes."""
    work = [line for line in WORK if only in line.name]
    names = {"little_a", "little_b", "fresh_a", "fresh_b"}.union(*(line.inputs for line in work))
    arrays = {name: INPUTS[name](small) for name in sorted(names)}
    for name, array in arrays.items():
        numpy.save(folder / f"{name}.npy", array)
    for line in work:
        expected = line.expected(*(arrays[name] for name in line.inputs))
        numpy.save(folder / f"{line.result}.npy", expected)
    return {name: array.size for name, array in arrays.items()}


def run_library(library: str, folder: Path, options: argparse.Namespace, parts: str) -> list[Any]:
    """What a process of this library wrote; nothing if it could not be used."""
    output = folder / f"{library}.jsonl"
    output.unlink(missing_ok=True)
    script = Path(__file__).with_name("gpu_worker.py")
    command = [sys.executable, str(script), library, str(folder), str(output), "--parts", parts]
    command += ["--only", options.only, *(["--small"] if options.small else [])]
    done = subprocess.run(command, env=environment(folder / f"caches-{library}"))
    if done.returncode:
        print(f"{library}: the process ended with status {done.returncode}")
    return [json.loads(text) for text in output.read_text().splitlines()] if output.exists() else []


def from_disk(rows: list[Any]) -> list[Any]:
    """First calls of a second process under their other names; nothing may have been compiled."""
    names = {line.name: disk.name for line, disk in zip(FRESH, FROM_DISK, strict=True)}
    found = [{**row, "name": names[row["name"]]} for row in rows if row.get("name") in names]
    for row in found:
        if row.get("compiled"):
            row["error"] = f"{row['compiled']} kernels were compiled, {row.pop('value'):.1f} ms"
    return found


def measure(options: argparse.Namespace, libraries: list[str]) -> Results:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("preparing inputs and NumPy's results", flush=True)
        sizes = prepare(folder, options.only, SMALL if options.small else 1)
        results = Results(sizes, options.small)
        for library in libraries:
            rows = run_library(library, folder, options, "fresh,work")
            if not rows:
                continue
            results.versions[library] = rows[0]["version"]
            if library == "heddle" and any(options.only in line.name for line in FRESH):
                rows += from_disk(run_library(library, folder, options, "fresh"))
            results.found[library] = {row["name"]: row for row in rows if "name" in row}
    return results


def describe(options: argparse.Namespace, results: Results) -> dict[str, str]:
    """The machine and the versions."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        text = subprocess.run(query, capture_output=True, text=True, check=True).stdout
        gpu, driver = (part.strip() for part in text.splitlines()[0].split(","))
    except (OSError, subprocess.CalledProcessError, IndexError):
        gpu, driver = "", ""
    return {
        "machine": options.machine or gpu or report.cpu(),
        "date": datetime.date.today().isoformat(),
        "GPU": gpu or "none",
        "driver": driver or "none",
        **results.versions,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        **({"sizes": "small, times mean nothing"} if options.small else {}),
    }


def _cell(found: dict[str, Any], unit: str) -> str:
    if "value" in found:
        return f"{found['value']:.1f} {unit}"
    return "WRONG" if "wrong" in found else "failed" if "error" in found else "n/a"


def table(results: Results) -> list[list[str]]:
    """The header and the rows, as text."""
    others = [library for library in results.found if library != "heddle"]
    rows = [["", "heddle", "target", "", "of a copy", *others]]
    for line in results.lines():
        fraction = results.fraction(line)
        rows.append(
            [
                line.name,
                _cell(results.cell("heddle", line), line.unit),
                f"{line.target:g} {line.unit}" if line.target is not None else "",
                results.verdict(line),
                f"{fraction:.0%}" if fraction is not None else "",
                *(_cell(results.cell(library, line), line.unit) for library in others),
            ]
        )
    return rows


def problems(results: Results) -> list[str]:
    """What was wrong or failed, in words."""
    return [
        f"{library}, {name}: {'WRONG, ' + row['wrong'] if 'wrong' in row else row['error']}"
        for library, rows in results.found.items()
        for name, row in rows.items()
        if "wrong" in row or "error" in row
    ]


def as_markdown(info: dict[str, str], results: Results) -> str:
    header, *rows = table(results)
    lines = ["# Benchmarks on a GPU", "", *(f"- {key}: {value}" for key, value in info.items())]
    lines += ["", *__doc__.strip().splitlines()[2:], "Inputs are float32.", ""]
    lines += ["| " + " | ".join(header) + " |", "|---|---:|---:|---|" + "---:|" * (len(header) - 4)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    if found := problems(results):
        lines += ["", *(f"- {text}" for text in found)]
    return "\n".join(lines) + "\n"


def as_json(info: dict[str, str], results: Results) -> str:
    rows = [
        {
            "name": line.name,
            "unit": line.unit,
            "target": line.target,
            "fraction_of_copy": results.fraction(line),
            "libraries": {library: results.cell(library, line) for library in results.found},
        }
        for line in results.lines()
    ]
    return json.dumps({"environment": info, "rows": rows}, indent=1) + "\n"


def show(results: Results) -> None:
    rows = table(results)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        texts = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        print(name.ljust(widths[0]), *texts, sep="  ")
    for text in problems(results):
        print(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libs", metavar="NAMES", help=f"of {','.join(LIBRARIES)}")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this text")
    parser.add_argument("--small", action="store_true", help="to try it out, also on a CPU")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/")
    parser.add_argument("--machine", help="what to call this machine in saved results")
    options = parser.parse_args()
    if options.small:
        print("small: inputs are much smaller than the names say, and times mean nothing")
    libraries = (options.libs or ("numpy,heddle" if options.small else _PEERS)).split(",")
    if unknown := set(libraries) - set(LIBRARIES):
        parser.error(f"unknown libraries: {', '.join(sorted(unknown))}")

    results = measure(options, libraries)
    info = describe(options, results)
    print()
    show(results)
    if options.save:
        for path in report.write(info, as_markdown(info, results), as_json(info, results)):
            print(f"wrote {path}")
    wrong = any("wrong" in row for row in results.found.get("heddle", {}).values())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
