"""A page of what scientists write: models in classes, sparse systems, tests, filters, kernels."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, assert_type

import numpy

import heddle as np
from heddle import ndarray, scipy, simt
from heddle.numba import njit, vectorize
from heddle.scipy import interpolate, ndimage, signal, sparse, spatial, special, stats
from heddle.scipy.sparse import linalg as sparse_linalg
from heddle.typing import ArrayLike, NDArray


class Model(Protocol):
    def __call__(self, x: ndarray, /) -> ndarray: ...


@dataclass(frozen=True)
class Grid:
    """Points at equal distances, and what is computed on them."""

    low: float
    high: float
    count: int = 64
    weights: ndarray | None = None

    @property
    def points(self) -> ndarray:
        return np.linspace(self.low, self.high, self.count)

    @property
    def step(self) -> float:
        return (self.high - self.low) / (self.count - 1)

    def integral(self, f: Model) -> float:
        values = f(self.points)
        if self.weights is not None:
            values = values * self.weights
        return float(np.trapezoid(values, dx=self.step))

    def __iter__(self) -> Iterator[float]:
        yield from self.points.tolist()


@dataclass
class Trajectory:
    times: list[float] = field(default_factory=list[float])
    states: list[NDArray[numpy.float64]] = field(default_factory=list[NDArray[numpy.float64]])

    def append(self, t: float, state: ndarray) -> None:
        self.times.append(t)
        self.states.append(state.copy())

    def stacked(self) -> ndarray:
        return np.stack(self.states)


def runge_kutta(
    f: Callable[[float, ndarray], ndarray], y: ArrayLike, times: Sequence[float]
) -> Trajectory:
    made = Trajectory()
    state = np.asarray(y, dtype=float)
    for t, following in itertools.pairwise(times):
        h = following - t
        k1 = f(t, state)
        k2 = f(t + h / 2, state + h / 2 * k1)
        k3 = f(t + h / 2, state + h / 2 * k2)
        k4 = f(t + h, state + h * k3)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        made.append(following, state)
    return made


T = TypeVar("T", float, ndarray)


def lerp(a: T, b: T, t: float) -> T:
    return a + (b - a) * t


def poisson_matrix(n: int) -> sparse.csr_array:
    main, side = np.full(n, 2.0), np.full(n - 1, -1.0)
    return sparse.diags_array([side, main, side], offsets=[-1, 0, 1]).tocsr()


def solve_poisson(f: ndarray) -> ndarray:
    a = poisson_matrix(f.size)
    x = sparse_linalg.spsolve(a, f)
    assert_type(x, ndarray)
    rest = f - a @ x
    assert_type(a @ x, ndarray)
    assert float(np.linalg.norm(rest)) < 1e-8
    iterated, info = sparse_linalg.cg(a, f, rtol=1e-10)
    assert info == 0 and np.allclose(iterated, x)
    return x


def sparse_arithmetic(a: sparse.csr_array) -> float:
    both = a + a.T
    difference = (a != both).nnz
    scaled = 2.0 * both - both / 2
    product = (a @ a).tocsr()
    dense = a + np.ones(a.shape)
    assert_type(dense, ndarray)
    rows = np.asarray(a.sum(axis=1))
    top = a.max()
    return float(scaled.sum() + product.trace() + rows.sum() + top) + difference


def compare(a: ndarray, b: ndarray) -> tuple[float, float, float]:
    ranks = stats.ranksums(a, b)
    line = stats.linregress(a, b)
    slope, intercept, r, _, _ = line
    assert float(slope) == float(line.slope)
    t, p = stats.ttest_ind(a, b)
    return float(ranks.pvalue), float(r) ** 2, float(intercept + line.intercept_stderr + t * p)


def smoothed(x: ndarray, cutoff: float = 0.1) -> ndarray:
    b, a = signal.butter(3, cutoff)
    state = signal.lfilter_zi(b, a) * x[0]
    filtered, last = signal.lfilter(b, a, x, zi=state)
    assert_type(filtered, ndarray)
    assert last.shape == state.shape
    sections = signal.butter(3, cutoff, output="sos")
    again = signal.sosfilt(sections, x)
    assert_type(again, ndarray)
    return filtered + 0 * again


def neighbours(points: ndarray, radius: float) -> list[int]:
    tree = spatial.KDTree(points)
    pairs = tree.query_pairs(radius)
    assert_type(pairs, set[tuple[int, int]])
    distances, places = tree.query(points[:2], k=2)
    assert distances.shape == places.shape
    counts = [0] * len(points)
    for i, j in pairs:
        counts[i] += 1
        counts[j] += 1
    return counts


def blobs(image: ndarray) -> list[tuple[float, float]]:
    mask = ndimage.binary_fill_holes(image > 0.5)
    labels, count = ndimage.label(mask)
    centres = ndimage.center_of_mass(image, labels, list(range(1, count + 1)))
    return [(float(y), float(x)) for y, x in centres]


def spline(x: ndarray, y: ndarray) -> Callable[[ArrayLike], ndarray]:
    made = interpolate.CubicSpline(x, y)
    slope = made.derivative()
    assert slope(x).shape == x.shape
    return made


def spectrum(a: ndarray) -> tuple[ndarray, ndarray]:
    values, vectors = np.linalg.eigh(a)
    found = np.linalg.svd(a)
    assert_type(found.S, ndarray)
    sign, logdet = np.linalg.slogdet(a)
    assert float(sign) in (-1.0, 0.0, 1.0) and np.isfinite(logdet)
    factor = scipy.linalg.cho_factor(a @ a.T + np.eye(len(a)))
    solution = scipy.linalg.cho_solve(factor, np.ones(len(a)))
    root = scipy.linalg.sqrtm(a @ a.T + np.eye(len(a)))
    assert_type(root, ndarray)
    return values, vectors @ np.diag(values) @ vectors.T + 0 * solution + 0 * root


@njit
def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@njit(parallel=True)
def row_sums(x: Any) -> Any:
    made = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            made[i] += x[i, j]
    return made


@vectorize
def clipped(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


@simt.kernel
def scaled(x: Any, by: float, out: Any) -> None:
    i = simt.grid(1)
    if i < x.shape[0]:
        out[i] = x[i] * by


def launched(x: ndarray) -> ndarray:
    out = np.empty_like(x)
    scaled[(x.size + 63) // 64, 64](x, 3.0, out)
    return out


def ufunc_methods(x: ndarray, groups: ndarray) -> ndarray:
    total = np.add.reduce(x, axis=0)
    running = np.maximum.accumulate(x)
    table = np.subtract.outer(x, x)
    sums = np.zeros(3)
    np.add.at(sums, groups, x)
    low, high = np.divmod(x, 2.0)
    mantissa, exponent = np.frexp(x)
    assert_type(total, ndarray)
    assert np.allclose(np.ldexp(mantissa, exponent), x)
    return sums + total + running[-1] + table[0, 0] + (low * 2 + high - x).sum()


class Sampler:
    """Metropolis' algorithm."""

    def __init__(self, density: Model, seed: int | None = None) -> None:
        self.density = density
        self.rng = np.random.default_rng(seed)

    def draw(self, start: ndarray, count: int, width: float = 0.5) -> ndarray:
        x = start
        kept: list[ndarray] = []
        for _ in range(count):
            proposed = x + self.rng.normal(0.0, width, size=x.shape)
            accept = self.rng.random(x.shape) < self.density(proposed) / self.density(x)
            x = np.where(accept, proposed, x)
            kept.append(x)
        return np.concatenate(kept).reshape(count, *start.shape)


def bincounts(words: Iterable[int]) -> dict[int, int]:
    values, counts = np.unique(np.fromiter(words, dtype=int), return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def page() -> bool:
    grid = Grid(0.0, 1.0)
    assert abs(grid.integral(lambda x: x**2) - 1 / 3) < 1e-3
    assert len(list(grid)) == 64
    path = runge_kutta(lambda t, y: -y, [1.0, 2.0], [0.0, 0.1, 0.2])
    assert path.stacked().shape == (2, 2)
    assert lerp(1.0, 3.0, 0.5) == 2.0 and lerp(np.ones(2), np.zeros(2), 0.5).sum() == 1.0
    solve_poisson(np.ones(20))
    assert np.isfinite(sparse_arithmetic(poisson_matrix(5)))
    x = np.random.default_rng(1).normal(size=50)
    compare(x, 2 * x + 1)
    assert smoothed(x).shape == x.shape
    assert len(neighbours(x.reshape(25, 2), 0.5)) == 25
    image = np.zeros((8, 8))
    image[2:4, 2:4] = 1.0
    assert blobs(image) == [(2.5, 2.5)]
    assert np.allclose(spline(np.arange(5.0), np.arange(5.0) ** 2)(2.0), 4.0)
    values, again = spectrum(np.array([[2.0, 1.0], [1.0, 3.0]]))
    assert values.shape == (2,) and np.allclose(again, [[2.0, 1.0], [1.0, 3.0]])
    assert collatz(6) == 8 and row_sums(np.ones((2, 3))).sum() == 6.0
    assert clipped(np.array([-1.0, 2.0]), 0.0, 1.0).tolist() == [0.0, 1.0]
    assert launched(np.ones(100)).sum() == 300.0
    assert ufunc_methods(np.arange(4.0), np.array([0, 1, 2, 0])).shape == (3,)
    drawn = Sampler(lambda v: np.exp(-(v**2) / 2), seed=3).draw(np.zeros(4), 5)
    assert drawn.shape == (5, 4)
    assert special.factorial(4, exact=True) == 24 and bincounts([1, 1, 2]) == {1: 2, 2: 1}
    return True
