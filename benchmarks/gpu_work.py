"""What is measured on GPUs: the rows of the table, their inputs and their targets."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import workloads
from workloads import uniform

SMALL = 1000  # long inputs are divided by this with --small


@dataclass(frozen=True)
class Line:
    """A row of the table. The target is Heddle's, in the row's unit."""

    name: str
    target: float | None = None
    unit: str = "us"

    def meets(self, value: float) -> bool | None:
        if self.target is None:
            return None
        return value >= self.target if self.unit == "GB/s" else value <= self.target


@dataclass(frozen=True)
class Work(Line):
    """A row that runs a function `run(np, *inputs)`, the inputs given by name."""

    inputs: tuple[str, ...] = ()
    run: Callable[..., Any] = lambda np: None
    moved: int = 0  # bytes that must move for each element of the first input
    reference: Callable[..., Any] | None = None  # where NumPy's own result is too rough

    @property
    def result(self) -> str:
        """What the expected result is called beside the inputs."""
        return "result-" + "".join(c for c in self.name if c.isalnum())

    def expected(self, *arrays: Any) -> Any:
        return numpy.asarray((self.reference or self.run)(numpy, *arrays))


def _square(small: int, seed: int = 0) -> Any:
    side = 4096 if small == 1 else 512
    return uniform(side * side, seed).reshape(side, side)


def _waves(side: int) -> Any:
    parts = (uniform((side, side), seed) - numpy.float32(0.5) for seed in range(2))
    return next(parts) + numpy.complex64(1j) * next(parts)


# By name and of the divisor, so that rows share them.
INPUTS: dict[str, Callable[[int], Any]] = {
    "a": lambda small: uniform(100_000_000 // small),
    "b": lambda small: uniform(100_000_000 // small, 1),
    "price": lambda small: uniform(25_000_000 // small, 2) + numpy.float32(1),
    "strike": lambda small: uniform(25_000_000 // small, 3) + numpy.float32(1),
    "years": lambda small: uniform(25_000_000 // small, 4) + numpy.float32(1),
    "square": _square,
    "square_b": lambda small: _square(small, 1),
    "points": lambda small: uniform(2000 * 8 if small == 1 else 200 * 8).reshape(-1, 8),
    "little_a": lambda small: uniform(1000),
    "little_b": lambda small: uniform(1000, 1),
    "places": lambda small: numpy.random.default_rng(1).integers(
        0, 100_000_000 // small, 10_000_000 // small
    ),
    # All different: equal ones have no order that everybody agrees on.
    "unsorted": lambda small: (
        numpy.random.default_rng(5).permutation(10_000_000 // small).astype(numpy.float32)
    ),
    "unsorted_rows": lambda small: uniform(10_000_000 // small, 6).reshape(-1, 1000),
    "waves": lambda small: _waves(2000 if small == 1 else 100),
    "fresh_a": lambda small: uniform(1_000_000 // small),
    "fresh_b": lambda small: uniform(1_000_000 // small, 1),
}


def softmax(np: Any, x: Any) -> Any:
    e = np.exp(x)
    return e / e.sum(1)[:, None]


def standardise(np: Any, a: Any) -> Any:
    centred = a - a.mean(1)[:, None]
    return (a - a.mean(1)[:, None]) / np.sqrt((centred**2).mean(1))[:, None]


def _cumsum_exact(np: Any, a: Any) -> Any:
    """In float64: NumPy's running sum in float32 stands still at 2**24."""
    return np.cumsum(a, dtype=np.float64).astype(np.float32)


def _sorted(np: Any, a: Any) -> Any:
    result = np.sort(a)
    return result[0] if isinstance(result, tuple) else result  # PyTorch's has the order, too


WORK = [
    Work("sin(a)*2 + sqrt(abs(a)), 1e8", 220, inputs=("a",), run=workloads.seed, moved=8),
    Work("polynomial of 8 ops, 1e8", 220, inputs=("a",), run=workloads.polynomial, moved=8),
    Work(
        "Black-Scholes, 2.5e7",
        120,
        inputs=("price", "strike", "years"),
        run=workloads.black_scholes,
        moved=16,
    ),
    Work(
        "((a - b)**2).sum(), 1e8", 220, inputs=("a", "b"), run=workloads.squared_distance, moved=8
    ),
    Work("softmax over rows, 4096x4096", 55, inputs=("square",), run=softmax, moved=8),
    Work("standardise rows, 4096x4096", 60, inputs=("square",), run=standardise, moved=8),
    Work("sum of all, 1e8", 110, inputs=("a",), run=lambda np, a: a.sum(), moved=4),
    Work("sum over axis 0, 4096x4096", 40, inputs=("square",), run=lambda np, a: a.sum(0), moved=4),
    Work("a.T + a, 4096x4096", 60, inputs=("square",), run=lambda np, a: a.T + a, moved=12),
    Work(
        "where(a > b, a*2, b*3), 1e8",
        320,
        inputs=("a", "b"),
        run=lambda np, a, b: np.where(a > b, a * 2, b * 3),
        moved=12,
    ),
    Work("stencil of 4 slices, 4096x4096", 55, inputs=("square",), run=workloads.stencil, moved=8),
    Work("pairwise distances, 2000x2000x8", 40, inputs=("points",), run=workloads.pairwise),
    Work("a + b, 1000 elements", 12, inputs=("little_a", "little_b"), run=lambda np, a, b: a + b),
    Work(
        "chain of 20 ops, 1000 elements", 20, inputs=("little_a", "little_b"), run=workloads.chain
    ),
    Work(
        "cumsum, 1e8",
        300,
        inputs=("a",),
        run=lambda np, a: a.cumsum(0),
        moved=8,
        reference=_cumsum_exact,
    ),
    Work("boolean mask a[a > 0.5], 1e8", 600, inputs=("a",), run=lambda np, a: a[a > 0.5]),
    Work("gather a[i], 1e7 of 1e8", inputs=("a", "places"), run=lambda np, a, i: a[i]),
    Work("sort, 1e7", 365, inputs=("unsorted",), run=_sorted),
    Work("argsort, 1e7", inputs=("unsorted",), run=lambda np, a: np.argsort(a)),
    Work("sort over rows, 1e4x1000", inputs=("unsorted_rows",), run=_sorted),
    Work(
        "matmul, 4096x4096",
        inputs=("square", "square_b"),
        run=lambda np, a, b: np.matmul(a, b),
    ),
    Work(
        "fftn, 2000x2000 complex64",
        150,
        inputs=("waves",),
        run=lambda np, z: np.fft.fftn(z),
        moved=16,
    ),
]

COPY = Line("copy on the device, 800 MB", unit="GB/s")
COPY_BYTES = 800_000_000

TO_DEVICE = Line("host to device, 1 GB pageable", 25, "GB/s")
TO_HOST = Line("device to host, 1 GB into a new array", 20, "GB/s")
TO_HOST_AGAIN = Line("device to host, 1 GB into an array that is there", 20, "GB/s")
TRANSFER_BYTES = 1_000_000_000

_ENDINGS: list[Callable[[Any, Any], Any]] = [
    lambda x, a: x - a,
    lambda x, a: x * a,
    lambda x, a: a - x,
    lambda x, a: x / (a + 1),
    lambda x, a: (x + a) * (x - a),
]


def _arithmetic(np: Any, a: Any, b: Any) -> Any:
    return ((a * b + 0.5) * a - b) * b + a


def _functions(np: Any, a: Any, b: Any) -> Any:
    return np.sin(a * b) + np.exp(-a * a) * b


@dataclass(frozen=True)
class Fresh(Line):
    """The first call of expressions that nobody compiled before; the median of a few."""

    start: Callable[..., Any] = _arithmetic

    @property
    def runs(self) -> list[Callable[..., Any]]:
        def make(end: Callable[[Any, Any], Any]) -> Callable[..., Any]:
            start = self.start
            return lambda np, a, b: end(start(np, a, b), a)

        return [make(end) for end in _ENDINGS]


FRESH = [
    Fresh("first call of a new expression, arithmetic", 30, "ms"),
    Fresh("first call of a new expression, sin and exp", 60, "ms", _functions),
]
FROM_DISK = [Line(f"{line.name}, from disk", 2, "ms") for line in FRESH]

LINES: list[Line] = [*WORK, COPY, TO_DEVICE, TO_HOST, TO_HOST_AGAIN, *FRESH, *FROM_DISK]
