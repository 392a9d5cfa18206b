"""Measures whole programs against NumPy, jax.jit, torch.compile, Numba and CuPy.

    .venv/bin/python benchmarks/programs.py                    this CPU, 1e4 and 1e6 elements
    .venv/bin/python benchmarks/programs.py --device cuda      a GPU, also 4e6 elements
    .venv/bin/python benchmarks/programs.py --only roll --parts warm --seconds 0.2

Each library runs in a process of its own that finds nothing compiled; one that is not installed is
left out. Every result is compared with NumPy's before anything is timed; one that differs says
WRONG. Calls are waited for, Python's part included; warm is the best of many calls on a CPU and the
median on a GPU, the libraries taking turns; cold the first call of a new process, after the import
and one other operation. Bytes that must move are those of inputs and results, once for each step
in time, and what is needed whole before the first result is known.
"""

import argparse
import datetime
import json
import os
import platform
import select
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
import report
from gpu_libraries import environment
from program_libraries import LIBRARIES, TITLES
from program_worker import results
from program_workloads import PROGRAMS, Program

_PEERS = {"cpu": "heddle,numpy,jaxjit,torchc,numba", "cuda": "heddle,jaxjit,torchc,cupy"}
_SIZES = {"cpu": "1e4,1e6", "cuda": "1e4,1e6,4e6"}
_ROUNDS = 3
_LONG = 15.0  # seconds: what compiles for so long does it once, not again in a new process


class Worker:
    """A process of one library. Asked after it has ended, it starts again."""

    def __init__(self, library: str, device: str, folder: Path, caches: Path, limit: float) -> None:
        self.library, self.device, self.folder = library, device, folder
        self.environment: dict[str, str] = {}  # beside this process's
        self.caches, self.limit = caches, limit
        self.process: subprocess.Popen[bytes] | None = None
        self.hello: dict[str, Any] = {}
        self.text = b""

    def start(self) -> bool:
        """Whether the library can be used."""
        script = Path(__file__).with_name("program_worker.py")
        self.text = b""
        self.process = subprocess.Popen(
            [sys.executable, str(script), self.library, self.device, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(self.caches) | self.environment,
        )
        self.hello = self.answer()
        return "version" in self.hello

    def ask(self, program: Program, seconds: float, check_only: bool = False) -> dict[str, Any]:
        if self.process is None and not self.start():
            return self.hello
        assert self.process is not None and self.process.stdin is not None
        request = {"program": program.name, "seconds": seconds, "check_only": check_only}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process is not None and self.process.stdout is not None
        end = time.monotonic() + self.limit
        while b"\n" not in self.text:
            ready = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65536) if ready[0] else b""
            if not piece:
                status = self.stop()
                return {"error": f"ended with status {status}" if ready[0] else "took too long"}
            self.text += piece
        line, self.text = self.text.split(b"\n", 1)
        found: dict[str, Any] = json.loads(line)
        return found

    def stop(self) -> int | None:
        process, self.process = self.process, None
        if process is None:
            return None
        try:
            process.communicate(timeout=0.5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        return process.returncode


@dataclass
class Row:
    """A program at a size: what each library answered."""

    program: str
    size: int
    least: float = 0.0  # bytes
    warm: dict[str, dict[str, Any]] = field(default_factory=dict)
    cold: dict[str, dict[str, Any]] = field(default_factory=dict)
    traffic: dict[str, int] = field(default_factory=dict)  # what Heddle counted in one call

    @property
    def counts(self) -> dict[str, int]:
        counts: dict[str, int] = self.warm.get("heddle", {}).get("counts", {})
        return counts

    @property
    def moved(self) -> int | None:
        """Bytes that Heddle's kernels and libraries read and wrote."""
        if "bytes_read" not in self.traffic:
            return None
        return self.traffic["bytes_read"] + self.traffic["bytes_written"]

    def seconds(self, library: str, kind: str) -> float | None:
        return (self.cold if kind == "first" else self.warm).get(library, {}).get(kind)

    def fastest_peer(self, kind: str) -> tuple[str, float] | None:
        answers = self.cold if kind == "first" else self.warm
        times = [(cell[kind], library) for library, cell in answers.items() if kind in cell]
        peers = [(seconds, library) for seconds, library in times if library != "heddle"]
        return (min(peers)[1], min(peers)[0]) if peers else None


class Benchmark:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.data = folder / "data"
        self.kind = "best" if options.device == "cpu" else "median"
        self.long: dict[tuple[str, str], float] = {}
        self.versions: dict[str, str] = {}
        self.workers = {library: self.worker(library) for library in options.libs.split(",")}
        # Counting takes time, so a process of its own does it.
        self.counter = self.worker("heddle")
        self.counter.environment = {"HEDDLE_COUNT_BYTES": "1"}

    def worker(self, library: str, kept: bool = True) -> Worker:
        caches = self.folder / (f"caches-{library}" if kept else "caches-cold")
        if not kept:
            shutil.rmtree(caches, ignore_errors=True)
        return Worker(library, self.options.device, self.data, caches, self.options.limit)

    def begin(self) -> None:
        for library, worker in list(self.workers.items()):
            if worker.start():
                self.versions[library] = worker.hello["version"]
            else:
                reason = worker.hello.get("unusable", worker.hello)
                print(f"{library} is left out: {reason}", flush=True)
                worker.stop()
                del self.workers[library]

    def prepare(self, program: Program, size: int) -> Row:
        """Writes inputs and NumPy's results."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir()
        inputs = program.inputs(size)
        with numpy.errstate(all="ignore"):
            expected = results(program.run(numpy, *(array.copy() for array in inputs)))
        for kind, arrays in (("input", inputs), ("result", expected)):
            for i, array in enumerate(arrays):
                numpy.save(self.data / f"{kind}-{i:02}.npy", array)
        least = sum(numpy.asarray(array).nbytes for array in (*inputs, *expected))
        return Row(program.name, size, least * program.passes + program.between(*inputs))

    def warm(self, program: Program, row: Row) -> None:
        for _ in range(_ROUNDS):
            for library, worker in self.workers.items():
                known = row.warm.get(library, {})
                if "error" in known or "wrong" in known:
                    continue
                found = worker.ask(program, self.options.seconds / _ROUNDS)
                if found.get("first", 0.0) > _LONG:
                    self.long[library, program.name] = found["first"]
                if self.kind in known and self.kind in found:
                    found = min(known, found, key=lambda cell: cell[self.kind])
                row.warm[library] = found
        if "heddle" in self.workers:
            row.traffic = self.counter.ask(program, 0.0).get("counts", {})

    def cold(self, program: Program, row: Row) -> None:
        for library in self.workers:
            if library == "numpy" or "error" in row.warm.get(library, {}):
                continue
            if known := self.long.get((library, program.name)):
                row.cold[library] = {"first": known}
                continue
            worker = self.worker(library, kept=False)
            row.cold[library] = worker.ask(program, 0.0, check_only=True)
            worker.stop()

    def rows(self) -> list[Row]:
        rows = []
        for program in PROGRAMS:
            if not any(text in program.name for text in self.options.only.split("|")):
                continue
            for size in (int(float(text)) for text in self.options.sizes.split(",")):
                row = self.prepare(program, size)
                if "warm" in self.options.parts:
                    self.warm(program, row)
                if "cold" in self.options.parts:
                    self.cold(program, row)
                rows.append(row)
                print(line(row, list(self.workers), self.kind), flush=True)
        return rows


def duration(cell: dict[str, Any], kind: str) -> str:
    if kind in cell:
        return report.duration(cell[kind])
    return "WRONG" if "wrong" in cell else "failed" if cell else "n/a"


def short(size: int) -> str:
    exponent = len(str(size)) - 1
    return f"{size / 10**exponent:g}e{exponent}"


def line(row: Row, libraries: list[str], kind: str) -> str:
    """A row for the terminal."""
    cells = []
    for library in libraries:
        warm = duration(row.warm.get(library, {}), kind) if row.warm else ""
        cold = duration(row.cold.get(library, {}), "first") if row.cold else ""
        cells.append(f"{library} {' / '.join(filter(None, (warm, cold)))}")
    kernels = f"kernels {row.counts['launched']}" if "launched" in row.counts else ""
    return f"{row.program}, {short(row.size)}: " + ", ".join(filter(None, (*cells, kernels)))


def compared(row: Row, kind: str) -> str:
    """How many times faster than the fastest other library."""
    own, peer = row.seconds("heddle", kind), row.fastest_peer(kind)
    if own is None or peer is None:
        return ""
    return f"{report.ratio(peer[1] / own)} {TITLES[peer[0]]}"


def table(rows: list[Row], libraries: list[str], kind: str) -> list[str]:
    """Warm, or cold where the kind is `first`."""
    head = ["program", "elements", *(TITLES[library] for library in libraries), "fastest peer"]
    if kind != "first":
        head += ["kernels", "compiled", "bytes moved", "must move", ""]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for row in rows:
        answers = row.cold if kind == "first" else row.warm
        cells = [row.program, short(row.size)]
        cells += [duration(answers.get(library, {}), kind) for library in libraries]
        cells.append(compared(row, kind))
        if kind != "first":
            moved = row.moved
            cells += [str(row.counts.get(name, "")) for name in ("launched", "compiled")]
            cells += [megabytes(moved), megabytes(row.least)]
            cells.append(f"{moved / row.least:.1f}x" if moved is not None and row.least else "")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def megabytes(count: float | None) -> str:
    return "" if count is None else f"{count / 1e6:.2f} MB"


def problems(rows: list[Row]) -> list[str]:
    found: dict[str, None] = {}
    for row in rows:
        for library, cell in (*row.warm.items(), *row.cold.items()):
            what = f"WRONG, {cell['wrong']}" if "wrong" in cell else cell.get("error")
            if what:
                found[f"{TITLES[library]}, {row.program}, {short(row.size)}: {what}"] = None
    return list(found)


def behind(rows: list[Row], kind: str) -> list[str]:
    """Rows in which another library is faster, by how much."""
    late = []
    for row in rows:
        own = row.seconds("heddle", kind)
        for library in row.cold if kind == "first" else row.warm:
            theirs = row.seconds(library, kind)
            if own and theirs and theirs < own and library != "heddle":
                text = f"{row.program}, {short(row.size)}: {own / theirs:.2f}x the time of "
                late.append((own / theirs, text + TITLES[library]))
    return [text for _, text in sorted(late, reverse=True)]


def describe(options: argparse.Namespace, versions: dict[str, str]) -> dict[str, str]:
    gpu = ""
    if options.device == "cuda":
        query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        gpu = subprocess.run(query, capture_output=True, text=True).stdout.strip()
    cores = f"{report.cpu()}, {len(os.sched_getaffinity(0))} cores"
    return {
        "machine": options.machine or gpu or cores,
        "date": datetime.date.today().isoformat(),
        **{TITLES[library]: version for library, version in versions.items()},
        "Python": platform.python_version(),
        "system": platform.platform(),
        "load average at the start": f"{os.getloadavg()[0]:.1f}",
    }


def as_markdown(info: dict[str, str], rows: list[Row], libraries: list[str], kind: str) -> str:
    lines = ["# Whole programs", "", *(f"- {key}: {value}" for key, value in info.items())]
    lines += ["", *__doc__.strip().splitlines()[6:]]
    for title, each in (("Warm", kind), ("Cold", "first")):
        if any(row.warm if each == kind else row.cold for row in rows):
            lines += ["", f"## {title}", "", *table(rows, libraries, each)]
            if late := behind(rows, each):
                lines += ["", "Behind:", "", *(f"- {text}" for text in late)]
    if found := problems(rows):
        lines += ["", "## What did not run", "", *(f"- {text}" for text in found)]
    return "\n".join(lines) + "\n"


def as_json(info: dict[str, str], rows: list[Row]) -> str:
    data = [{**vars(row), "moved": row.moved} for row in rows]
    return json.dumps({"environment": info, "rows": data}, indent=1) + "\n"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--libs", metavar="NAMES", help=f"of {','.join(LIBRARIES)}")
    parser.add_argument("--sizes", metavar="NUMBERS", help="elements, as in 1e4,1e6")
    parser.add_argument("--only", default="", metavar="TEXT", help="names with this text (a|b)")
    parser.add_argument("--parts", default="warm,cold")
    parser.add_argument("--seconds", type=float, default=1.0, help="for a library and a row")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds to wait for an answer")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/")
    parser.add_argument("--machine", help="what to call this machine in saved results")
    options = parser.parse_args()
    options.libs = options.libs or _PEERS[options.device]
    options.sizes = options.sizes or _SIZES[options.device]
    if unknown := set(options.libs.split(",")) - set(LIBRARIES):
        parser.error(f"unknown libraries: {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    options = parse()
    with tempfile.TemporaryDirectory() as name:
        benchmark = Benchmark(options, Path(name))
        benchmark.begin()
        libraries = list(benchmark.workers)
        info = describe(options, benchmark.versions)
        try:
            rows = benchmark.rows()
        finally:
            for worker in (*benchmark.workers.values(), benchmark.counter):
                worker.stop()
    markdown = as_markdown(info, rows, libraries, benchmark.kind)
    print()
    print(markdown)
    if options.save:
        kind = "-programs" if options.device == "cpu" else "-programs-gpu"
        for path in report.write(info, markdown, as_json(info, rows), kind):
            print(f"wrote {path}")
    ours = [cell for row in rows for cell in (row.warm.get("heddle"), row.cold.get("heddle"))]
    return 1 if any(cell and ("wrong" in cell or "error" in cell) for cell in ours) else 0


if __name__ == "__main__":
    sys.exit(main())
