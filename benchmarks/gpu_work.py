"""What is measured on GPUs: the rows of the table, their inputs and their targets."""

import functools
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
    part: int | None = None  # the result that is compared, where there are several
    compared: Callable[[Any], Any] = lambda result: result  # what of it is the same for everybody
    seconds: float = 0.7  # at most

    @property
    def result(self) -> str:
        """What the expected result is called beside the inputs."""
        return "result-" + "".join(c for c in self.name if c.isalnum())

    def picked(self, results: Any) -> Any:
        """The one of several results that is compared."""
        return results if self.part is None else results[self.part]

    def expected(self, *arrays: Any) -> Any:
        found = self.picked((self.reference or self.run)(numpy, *arrays))
        return numpy.asarray(self.compared(numpy.asarray(found)))


def _square(small: int, seed: int = 0) -> Any:
    side = 4096 if small == 1 else 512
    return uniform(side * side, seed).reshape(side, side)


def _waves(side: int) -> Any:
    parts = (uniform((side, side), seed) - numpy.float32(0.5) for seed in range(2))
    return next(parts) + numpy.complex64(1j) * next(parts)


def _regular(small: int, shape: tuple[int, ...]) -> Any:
    """Symmetric matrices that are far from singular, so that float32 has digits to compare."""
    *stack, side = shape[:-1]
    if small != 1:
        stack, side = [max(1, n // 10) for n in stack], min(side, 128)
    a = uniform((*stack, side, side), 7)
    return (a + numpy.swapaxes(a, -1, -2)) / 2 + side * numpy.eye(side, dtype=numpy.float32)


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
    "wave": lambda small: _waves(2000 if small == 1 else 100).reshape(-1),
    "regular_1024": lambda small: _regular(small, (1024, 1024)),
    "regular_4096": lambda small: _regular(small, (4096, 4096)),
    "regular_stack": lambda small: _regular(small, (1000, 32, 32)),
    "right_sides": lambda small: uniform((4096 if small == 1 else 128, 16), 8),
    "integers": lambda small: numpy.random.default_rng(9).integers(
        0, 1_000_000, 10_000_000 // small
    ),
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


def _is_torch(np: Any) -> bool:
    return bool(np.__name__ == "torch")


@functools.cache
def _generator(np: Any) -> Any:
    return np.random.default_rng(0)


def _drawn(uniform_numbers: bool) -> Callable[..., Any]:
    """float32 by the generator that a user of the library would take; as many as `like` has."""

    def run(np: Any, like: Any) -> Any:
        if _is_torch(np):
            draw = np.rand if uniform_numbers else np.randn
            return draw(like.shape, device=like.device)
        if np.__name__ == "jax.numpy":
            import jax

            draw = jax.random.uniform if uniform_numbers else jax.random.normal
            return draw(jax.random.key(0), like.shape)
        rng = _generator(np)
        draw = rng.random if uniform_numbers else rng.standard_normal
        return draw(like.shape, dtype=np.float32)

    return run


def _moments(numbers: Any) -> Any:
    """To two digits, which are the same for all generators."""
    return numpy.round([numbers.mean(dtype=float), numbers.std(dtype=float)], 2)


def _percentiles(np: Any, a: Any) -> Any:
    if _is_torch(np):
        return np.quantile(a, np.tensor([0.05, 0.5, 0.95], device=a.device))
    return np.percentile(a, np.asarray([5, 50, 95], dtype=np.float32)).astype(np.float32)


def _median(np: Any, a: Any) -> Any:
    return np.quantile(a, 0.5) if _is_torch(np) else np.median(a)


def _histogram(np: Any, a: Any) -> Any:
    if _is_torch(np):
        return np.histc(a, 100, 0.0, 1.0)
    return np.histogram(a, bins=100, range=(0.0, 1.0))[0]


def _shares(counts: Any) -> Any:
    """Numbers on an edge go to either bin, by rounding."""
    return numpy.round(counts / counts.sum(), 4).astype(numpy.float32)


def _library(name: str, inputs: str, run: Callable[..., Any], **more: Any) -> Work:
    """A row that is a call of a library, or of hand-written code; a few calls are enough."""
    return Work(name, inputs=tuple(inputs.split()), run=run, seconds=0.2, **more)


LIBRARY_WORK = [
    _library("svd, 1024x1024", "regular_1024", lambda np, a: tuple(np.linalg.svd(a)), part=1),
    _library("eigh, 1024x1024", "regular_1024", lambda np, a: tuple(np.linalg.eigh(a)), part=0),
    _library(
        "qr, 1024x1024",
        "regular_1024",
        lambda np, a: tuple(np.linalg.qr(a)),
        part=1,
        compared=numpy.abs,  # signs are the library's choice
    ),
    _library(
        "solve, 4096x4096, 16 right sides",
        "regular_4096 right_sides",
        lambda np, a, b: np.linalg.solve(a, b),
    ),
    _library("cholesky, 4096x4096", "regular_4096", lambda np, a: np.linalg.cholesky(a)),
    _library("inv, 1000 x 32x32", "regular_stack", lambda np, a: np.linalg.inv(a)),
    _library("solve, 1000 x 32x32", "regular_stack", lambda np, a: np.linalg.solve(a, a + 1)),
    _library("fft, 4e6 complex64", "wave", lambda np, z: np.fft.fft(z)),
    _library("uniform random numbers, 1e8", "a", _drawn(True), compared=_moments),
    _library("normal random numbers, 1e8", "a", _drawn(False), compared=_moments),
    _library("histogram of 100 bins, 1e8", "a", _histogram, compared=_shares),
    _library("percentiles 5, 50, 95, 1e7", "unsorted", _percentiles),
    _library("median, 1e7", "unsorted", _median),
    _library("unique, 1e7 of 1e6", "integers", lambda np, a: np.unique(a)),
]

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
    *LIBRARY_WORK,
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
