"""Timing two libraries side by side, and telling whether they agree."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

Call = Callable[[], Any]
Clock = Callable[[], float]


@dataclass
class Row:
    """One line of a table; times in seconds, None where a library cannot do it."""

    name: str
    numpy: float | None = None
    heddle: float | None = None
    target: float | None = None  # how many times faster than NumPy it should be at least
    wrong: bool = False
    error: str = ""
    peers: dict[str, float | None] = field(default_factory=dict)

    @property
    def speedup(self) -> float | None:
        return self.numpy / self.heddle if self.numpy and self.heddle else None

    @property
    def verdict(self) -> str:
        if self.error:
            return self.error
        if self.wrong:
            return "WRONG"
        if self.target is None or self.speedup is None:
            return ""
        return "ok" if self.speedup >= self.target else "below target"


# For this long the threads of OpenBLAS spin, and take a core from whoever comes next.
SPINNING = 0.12


def settle_allocator() -> None:
    """From its first large free on, the C library keeps memory instead of returning it to the
    system: NumPy at its best, as in a process that has run for a while."""
    numpy.ones(4_000_000)


def evaluate(result: Any) -> None:
    """Forces deferred work, in whichever library."""
    items = result if isinstance(result, tuple | list) else (result,)
    if len(items) > 1 and all(hasattr(item, "eval") for item in items):
        import heddle  # only here: other libraries are measured without it

        heddle.eval(*items)  # together: they share work
        return
    for item in items:
        if hasattr(item, "eval"):
            item.eval()
        elif hasattr(item, "block_until_ready"):
            item.block_until_ready()


def _batch(call: Call, count: int, clock: Clock) -> float:
    repeat = getattr(call, "repeat", None)  # of calls that loop on their own, without Python
    start = clock()
    if repeat is not None:
        repeat(count)
        return (clock() - start) / count
    for _ in range(count):
        evaluate(call())
    return (clock() - start) / count


def best_times(
    calls: list[Call],
    seconds: float,
    clock: Clock = time.perf_counter,
    pick: Callable[[list[float]], float] = min,
    turn: float = 0.0,
) -> list[float]:
    """The best time per call of each, or what `pick` takes. They take turns, so that a busy moment
    of the machine hits all of them; the best is what the code costs when nothing else runs. A turn
    takes `turn` seconds at least."""
    counts: list[int] = []
    times: list[list[float]] = []
    for call in calls:
        _batch(call, 1, clock)
        once = min(_batch(call, 1, clock) for _ in range(3))
        # Long enough for the clock, short enough to fall between two interruptions.
        counts.append(max(1, int(20e-6 / max(once, 1e-7))))
        times.append([once])
    end = time.perf_counter() + seconds
    turns = 0
    while turns < 2 or time.perf_counter() < end:
        turns += 1
        for i, call in enumerate(calls):
            stop = time.perf_counter() + turn
            for _ in range(4 if times[i][0] < 0.01 else 1):
                times[i].append(_batch(call, counts[i], clock))
            while time.perf_counter() < stop:
                times[i].append(_batch(call, counts[i], clock))
    return [pick(each) for each in times]


def tolerance(dtype: numpy.dtype[Any]) -> float:
    if dtype.kind not in "fcV":
        return 0.0
    if dtype.itemsize == 2:
        return 2e-2 if dtype.name == "bfloat16" else 4e-3
    single = dtype.itemsize == (8 if dtype.kind == "c" else 4)
    return 2e-4 if single else 1e-9


def agrees(got: Any, want: Any) -> bool:
    """Whether a result is NumPy's, up to rounding."""
    if isinstance(want, tuple | list):
        return all(agrees(g, w) for g, w in zip(got, want, strict=True))
    want = numpy.asarray(want)
    got = numpy.asarray(got)
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.size == 0:
        return True
    tol = tolerance(want.dtype)
    if tol == 0:
        return bool(numpy.array_equal(got, want))
    wide = complex if want.dtype.kind == "c" else float
    with numpy.errstate(all="ignore"):
        finite = numpy.isfinite(want)
        largest = float(numpy.max(numpy.abs(want[finite]).astype(float), initial=0.0))
        close = numpy.isclose(
            got.astype(wide),
            want.astype(wide),
            rtol=tol,
            atol=tol * min(largest, 1e3),
            equal_nan=True,
        )
    return bool(close.all())


def compare(
    name: str,
    ours: Call,
    theirs: Call,
    *,
    target: float | None,
    seconds: float,
    agree: Callable[[Any, Any], bool] = agrees,
) -> Row:
    row = Row(name, target=target)
    try:
        with numpy.errstate(all="ignore"):
            row.wrong = not agree(ours(), theirs())
            row.numpy, row.heddle = best_times([theirs, ours], seconds)
    except Exception as error:  # one row that fails leaves the others
        row.error = f"{type(error).__name__}: {error}"[:80]
    return row
