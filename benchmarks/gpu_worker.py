"""Measures one library on one GPU, in a process of its own: started by gpu.py.

Writes a line of JSON for each row: its name and the value in the row's unit, or what went wrong.
"""

import argparse
import functools
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
from gpu_libraries import LIBRARIES, Call, Library
from gpu_work import (
    COPY,
    COPY_BYTES,
    FRESH,
    SMALL,
    TO_DEVICE,
    TO_HOST,
    TO_HOST_AGAIN,
    TRANSFER_BYTES,
    WORK,
    Fresh,
    Line,
    Work,
)
from measure import agrees

_WARM_UP, _CALLS = 3, 200
_PIECE = 4_000_000


class WrongError(Exception):
    """A result that is not NumPy's."""


def check(got: Any, want: Any) -> None:
    """In pieces, on all cores: a hundred million elements take a while otherwise."""
    if got.shape != want.shape or got.dtype != want.dtype:
        raise WrongError(f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}")
    flat, wanted = got.reshape(-1), want.reshape(-1)
    pieces = [slice(i, i + _PIECE) for i in range(0, flat.size, _PIECE)]
    with ThreadPoolExecutor() as pool:
        if not all(pool.map(lambda piece: agrees(flat[piece], wanted[piece]), pieces)):
            raise WrongError("elements differ")


def seconds(call: Call, finish: Callable[[Any], Any], limit: float = 0.7) -> float:
    """The median time of a call until its result is there, and freed."""
    for _ in range(_WARM_UP):
        finish(call())
    times: list[float] = []
    end = time.perf_counter() + limit
    while len(times) < _CALLS and (not times or time.perf_counter() < end):
        start = time.perf_counter()
        finish(call())
        times.append(time.perf_counter() - start)
    return statistics.median(times)


class Worker:
    def __init__(self, library: Library, folder: Path, only: str, small: int) -> None:
        self.library, self.folder, self.only, self.small = library, folder, only, small

    def wanted(self, line: Line) -> bool:
        return self.only in line.name

    def load(self, *names: str) -> list[Any]:
        return [numpy.load(self.folder / f"{name}.npy") for name in names]

    def work(self, work: Work) -> dict[str, Any]:
        arrays = [self.library.put(array) for array in self.load(*work.inputs)]
        call = functools.partial(self.bind(work.run), *arrays)
        found = self.library.get(work.picked(self.library.finish(call())))
        check(numpy.asarray(work.compared(found)), *self.load(work.result))
        return {"value": seconds(call, self.library.finish, work.seconds) * 1e6}

    def bind(self, run: Callable[..., Any]) -> Callable[..., Any]:
        np = self.library.np
        return self.library.prepare(lambda *arrays: run(np, *arrays))

    def copy(self) -> dict[str, Any] | None:
        size = COPY_BYTES // self.small
        call = self.library.copy(size)
        # Each byte is read and written.
        return call and {"value": 2 * size / seconds(call, lambda _: None) / 1e9}

    def transfer(self, line: Line) -> dict[str, Any]:
        library = self.library
        array = numpy.arange(TRANSFER_BYTES // 4 // self.small, dtype=numpy.float32)
        there, back = library.put(array), numpy.zeros_like(array)
        calls: dict[str, Call] = {
            TO_DEVICE.name: lambda: library.put(array),
            TO_HOST.name: lambda: library.get(there),
            TO_HOST_AGAIN.name: lambda: library.get_into(there, back),
        }
        calls[TO_HOST_AGAIN.name]()
        if not (numpy.array_equal(library.get(there), array) and numpy.array_equal(back, array)):
            raise WrongError("elements differ")
        return {"value": array.nbytes / seconds(calls[line.name], lambda _: None) / 1e9}

    def fresh(self, line: Fresh) -> dict[str, Any]:
        library = self.library
        arrays = self.load("fresh_a", "fresh_b")
        there = [library.put(array) for array in arrays]
        before, times = library.compiled(), []
        for run in line.runs:
            function = self.bind(run)
            start = time.perf_counter()
            result = library.finish(function(*there))
            times.append((time.perf_counter() - start) * 1e3)
            check(library.get(result), numpy.asarray(run(numpy, *arrays)))
        found: dict[str, Any] = {"value": statistics.median(times), "each": times}
        if before is not None:
            found["compiled"] = (library.compiled() or 0) - before
        return found

    def warm_up(self) -> None:
        """The context, and what compilers load, but nothing that is measured later."""
        arrays = [self.library.put(array) for array in self.load("little_a", "little_b")]
        self.library.finish(self.bind(lambda np, a, b: a - b)(*arrays))

    def rows(self, parts: str) -> Iterator[tuple[Line, Callable[[], dict[str, Any] | None]]]:
        if "fresh" in parts:
            yield from ((line, functools.partial(self.fresh, line)) for line in FRESH)
        if "work" in parts:
            yield COPY, self.copy
            yield from ((line, functools.partial(self.work, line)) for line in WORK)
            if self.library.transfers:
                for line in (TO_DEVICE, TO_HOST, TO_HOST_AGAIN):
                    yield line, functools.partial(self.transfer, line)


def attempt(measure: Callable[[], dict[str, Any] | None]) -> dict[str, Any] | None:
    try:
        return measure()
    except WrongError as error:
        return {"wrong": str(error)}
    except Exception as error:  # one row that fails leaves the others
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:120]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("folder", type=Path, help="with the inputs and NumPy's results")
    parser.add_argument("output", type=Path)
    parser.add_argument("--parts", default="fresh,work")
    parser.add_argument("--only", default="")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()

    try:
        library = LIBRARIES[options.library]()
    except ImportError as error:
        print(f"{options.library} is left out: {error}", flush=True)
        return 0
    if not options.small and not library.usable():
        print(f"{options.library} is left out: it finds no GPU", flush=True)
        return 0
    worker = Worker(library, options.folder, options.only, SMALL if options.small else 1)
    worker.warm_up()
    with options.output.open("w") as output:
        print(json.dumps({"version": library.version}), file=output, flush=True)
        for line, measure in worker.rows(options.parts):
            if not worker.wanted(line) and line is not COPY:
                continue
            found = attempt(measure)
            if found is None:
                continue
            print(json.dumps({"name": line.name, **found}), file=output, flush=True)
            shown = f"{found['value']:.1f} {line.unit}" if "value" in found else found
            print(f"  {options.library:<8} {line.name:<50} {shown}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
