"""Runs whole programs in one library, in a process of its own: started by programs.py.

Each line of its input asks for a program at a size; it answers with a line of JSON on the output
that it was given: times in seconds, or what went wrong.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
from gpu_worker import WrongError, attempt
from measure import agrees, settle_allocator
from program_libraries import LIBRARIES
from program_workloads import PROGRAMS, Program


def results(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def check(got: list[Any], want: list[Any], outliers: float) -> None:
    """Whether these are NumPy's results."""
    if len(got) != len(want):
        raise WrongError(f"{len(got)} results instead of {len(want)}")
    for i, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        mine = numpy.asarray(mine)
        if mine.shape != theirs.shape or mine.dtype.kind != theirs.dtype.kind:
            shapes = f"{mine.dtype}{mine.shape} instead of {theirs.dtype}{theirs.shape}"
            raise WrongError(f"result {i}: {shapes}")
        if agrees(mine.astype(theirs.dtype), theirs):
            continue
        with numpy.errstate(all="ignore"):
            differ = ~numpy.isclose(mine, theirs, rtol=1e-6, atol=1e-9, equal_nan=True)
        if differ.sum() > outliers * differ.size:
            raise WrongError(f"result {i}: {differ.sum()} of {differ.size} elements differ")


class Worker:
    def __init__(self, library: Any, folder: Path) -> None:
        self.library, self.folder = library, folder
        # What was compiled for a program at one size is there for the next size.
        self.bound: dict[str, Callable[..., Any]] = {}

    def load(self, kind: str) -> list[Any]:
        files = sorted(self.folder.glob(f"{kind}-*.npy"))
        return [numpy.load(file) for file in files]

    def warm_up(self) -> None:
        """The context, and what compilers load, but nothing that is measured later."""
        try:
            a = self.library.put(numpy.arange(24.0))
            self.library.finish(self.library.np.sum(a - 3.0))
        except Exception as error:
            print(f"warming up: {error}", flush=True)

    def program(self, program: Program, seconds: float, check_only: bool) -> dict[str, Any]:
        library = self.library
        arrays = [library.put(array) for array in self.load("input")]
        function = self.bound.get(program.name) or library.bind(program)
        self.bound[program.name] = function
        before = self.counts()
        start = time.perf_counter()
        result = library.finish(function(*arrays))
        found: dict[str, Any] = {"first": time.perf_counter() - start}
        found["first_counts"] = self.since(before)
        check(
            [library.get(each) for each in results(result)], self.load("result"), program.outliers
        )
        if check_only:
            return found
        for _ in range(3):
            result = library.finish(function(*arrays))
        before = self.counts()
        result = library.finish(function(*arrays))
        found["counts"] = self.since(before)
        return found | self.times(lambda: library.finish(function(*arrays)), seconds)

    def times(self, call: Callable[[], Any], seconds: float) -> dict[str, Any]:
        times: list[float] = []
        end = time.perf_counter() + seconds
        while len(times) < 3 or (time.perf_counter() < end and len(times) < 5000):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return {"best": min(times), "median": statistics.median(times), "calls": len(times)}

    def counts(self) -> dict[str, int]:
        return self.library.counts() if hasattr(self.library, "counts") else {}

    def since(self, before: dict[str, int]) -> dict[str, int]:
        after = self.counts()
        return {key: after[key] - value for key, value in before.items() if key in after}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("device")
    parser.add_argument("folder", type=Path, help="with the inputs and NumPy's results")
    options = parser.parse_args()
    # Libraries print where they like; answers go where nobody else writes.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value: dict[str, Any]) -> None:
        print(json.dumps(value), file=answers, flush=True)

    start = time.perf_counter()
    try:
        library = LIBRARIES[options.library](options.device)
    except ImportError as error:
        answer({"unusable": str(error)})
        return 0
    if not library.usable():
        answer({"unusable": f"it finds no {options.device}"})
        return 0
    settle_allocator()
    worker = Worker(library, options.folder)
    worker.warm_up()
    answer({"version": library.version, "start": time.perf_counter() - start})
    programs = {program.name: program for program in PROGRAMS}
    for line in sys.stdin:
        request = json.loads(line)
        program = programs[request["program"]]
        with numpy.errstate(all="ignore"):
            found = attempt(
                lambda: worker.program(program, request["seconds"], request["check_only"])  # noqa: B023
            )
        answer(found or {})
    return 0


if __name__ == "__main__":
    sys.exit(main())
