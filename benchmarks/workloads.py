"""What is measured: NumPy-style functions of a module `np` and of their inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy


@dataclass
class Workload:
    name: str
    inputs: Callable[[int], tuple[Any, ...]]  # of the divisor for --quick
    run: Callable[..., Any]
    target: float | None = None


def uniform(n: Any, seed: int = 0, dtype: Any = numpy.float32) -> Any:
    """Random numbers between 0 and 1, the same in every run."""
    return numpy.random.default_rng(seed).random(n, dtype=numpy.float64).astype(dtype)


def _vectors(n: int, count: int, low: float = 0.0) -> Callable[[int], tuple[Any, ...]]:
    return lambda small: tuple(
        uniform(n // small, seed) + numpy.float32(low) for seed in range(count)
    )


def _square(n: int, count: int = 1) -> Callable[[int], tuple[Any, ...]]:
    def make(small: int) -> tuple[Any, ...]:
        side = n // (4 if small > 1 else 1)
        return tuple(uniform(side * side, seed).reshape(side, side) for seed in range(count))

    return make


def seed(np: Any, a: Any) -> Any:
    return np.sin(a) * 2 + np.sqrt(np.abs(a))


def polynomial(np: Any, x: Any) -> Any:
    return (((x * 0.5 + 0.25) * x - 0.125) * x + 2.0) * x - 1.0


def black_scholes(np: Any, s: Any, k: Any, t: Any) -> Any:
    def cdf(x: Any) -> Any:  # a logistic approximation of the normal distribution
        return 1 / (1 + np.exp(-1.702 * x))

    rate, volatility = 0.05, 0.2
    d1 = (np.log(s / k) + (rate + 0.5 * volatility**2) * t) / (volatility * np.sqrt(t))
    d2 = d1 - volatility * np.sqrt(t)
    return s * cdf(d1) - k * np.exp(-rate * t) * cdf(d2)


def squared_distance(np: Any, a: Any, b: Any) -> Any:
    return ((a - b) ** 2).sum()


def softmax(np: Any, x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def standardise(np: Any, x: Any) -> Any:
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


def chain(np: Any, a: Any, b: Any) -> Any:
    for _ in range(10):
        a = a * 0.5 + b
    return a


def stencil(np: Any, u: Any) -> Any:
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def pairwise(np: Any, x: Any) -> Any:
    return np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=-1))


def in_place(np: Any, a: Any, b: Any) -> Any:
    a *= 0.5
    a += b
    return a


def assign_slices(np: Any, u: Any) -> Any:
    u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] - 2 * u[1:-1, 1:-1])
    return u


def _mask_input(small: int) -> tuple[Any, ...]:
    return (uniform(4_000_000 // small),)


def _gather_input(small: int) -> tuple[Any, ...]:
    n = 4_000_000 // small
    return uniform(n), numpy.random.default_rng(1).integers(0, n, n // 10)


def _waves(*shape: int) -> Callable[[int], tuple[Any, ...]]:
    """Complex numbers around zero, in double precision."""

    def make(small: int) -> tuple[Any, ...]:
        extents = tuple(n // (4 if small > 1 else 1) for n in shape)
        parts = (uniform(extents, seed, numpy.float64) - 0.5 for seed in range(2))
        return (next(parts) + 1j * next(parts),)

    return make


def low_pass(np: Any, z: Any) -> Any:
    """Multiplies the spectrum of an image: the factor and the scale are one kernel."""
    return np.fft.ifft2(np.fft.fft2(z) * 0.5)


def _samples(n: int, taps: int) -> Callable[[int], tuple[Any, ...]]:
    return lambda small: (
        uniform(n // small, 0, numpy.float64),
        uniform(taps, 1, numpy.float64),
    )


def _table_of_points(small: int) -> tuple[Any, ...]:
    n = 1_000_000 // small
    places = numpy.linspace(0, 1, 1000)
    return uniform(n, 0, numpy.float64), places, numpy.sin(9 * places)


# The rows of the speed table, with their targets.
TABLE = [
    Workload("sin(a)*2 + sqrt(abs(a)), 4e6", _vectors(4_000_000, 1), seed, 10),
    Workload("polynomial of 8 ops, 4e6", _vectors(4_000_000, 1), polynomial, 8),
    Workload("Black-Scholes, 20 ops, 1e6", _vectors(1_000_000, 3, 1.0), black_scholes, 8),
    Workload("((a - b)**2).sum(), 4e6", _vectors(4_000_000, 2), squared_distance, 4),
    Workload("softmax over rows, 1024x1024", _square(1024), softmax, 4),
    Workload("standardise rows, 1024x1024", _square(1024), standardise, 4),
    Workload(
        "a + b, 1000 elements",
        lambda _: (uniform(1000), uniform(1000, 1)),
        lambda np, a, b: a + b,
        1 / 1.5,
    ),
    Workload(
        "chain of 20 ops, 1000 elements", lambda _: (uniform(1000), uniform(1000, 1)), chain, 2
    ),
]

FURTHER = [
    Workload("a + b, 4e6", _vectors(4_000_000, 2), lambda np, a, b: a + b),
    Workload("a.T + a, 1024x1024", _square(1024), lambda np, a: a.T + a),
    Workload("sum of all, 4e6", _vectors(4_000_000, 1), lambda np, a: a.sum()),
    Workload("sum over axis 0, 1024x1024", _square(1024), lambda np, a: a.sum(axis=0)),
    Workload("sum over axis 1, 1024x1024", _square(1024), lambda np, a: a.sum(axis=1)),
    Workload("argmax, 4e6", _vectors(4_000_000, 1), lambda np, a: np.argmax(a)),
    Workload(
        "where(a > b, a*2, b*3), 4e6",
        _vectors(4_000_000, 2),
        lambda np, a, b: np.where(a > b, a * 2, b * 3),
    ),
    Workload("stencil of 4 slices, 1024x1024", _square(1024), stencil),
    Workload(
        "pairwise distances, 2000x2000x8",
        lambda small: (uniform(16000 // small).reshape(-1, 8),),
        pairwise,
    ),
    Workload("boolean mask a[a > 0.5], 4e6", _mask_input, lambda np, a: a[a > 0.5]),
    Workload("gather a[i], 4e5 of 4e6", _gather_input, lambda np, a, i: a[i]),
    Workload("cumsum, 4e6", _vectors(4_000_000, 1), lambda np, a: np.cumsum(a, dtype=np.float64)),
    Workload("a *= 0.5; a += b, 4e6", _vectors(4_000_000, 2), in_place),
    Workload("u[1:-1, 1:-1] += ..., 1024x1024", _square(1024), assign_slices),
    Workload("astype(float64), 4e6", _vectors(4_000_000, 1), lambda np, a: a.astype(np.float64)),
    Workload("a[::2] + 1, 4e6", _vectors(4_000_000, 1), lambda np, a: a[::2] + 1),
    Workload("fft, 1e6 complex128", _waves(1_000_000), lambda np, z: np.fft.fft(z)),
    Workload("fftn, 1000x1000 complex128", _waves(1000, 1000), lambda np, z: np.fft.fftn(z)),
    Workload("fft2, product, ifft2, 1000x1000", _waves(1000, 1000), low_pass),
    Workload("rfft, 1e6 float32", _vectors(1_000_000, 1, -0.5), lambda np, a: np.fft.rfft(a)),
    Workload(
        "rfftn, 128x128x128 float32",
        lambda small: (uniform((128 // small, 128, 128)) - numpy.float32(0.5),),
        lambda np, a: np.fft.rfftn(a),
    ),
    Workload("convolve, 1e6 with 5", _samples(1_000_000, 5), lambda np, a, v: np.convolve(a, v)),
    Workload(
        "convolve, 1e6 with 1000", _samples(1_000_000, 1000), lambda np, a, v: np.convolve(a, v)
    ),
    Workload(
        "interp, 1e6 in 1000 points",
        _table_of_points,
        lambda np, x, xp, fp: np.interp(x, xp, fp),
    ),
]
