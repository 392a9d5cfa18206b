"""Sorting, searching, sets and statistics: what is measured of them."""

from collections.abc import Callable
from typing import Any

import numpy
from workloads import Workload


def _normal(n: int, dtype: Any = numpy.float64, rows: int = 0) -> Callable[[int], tuple[Any, ...]]:
    def make(small: int) -> tuple[Any, ...]:
        made = numpy.random.default_rng(0).standard_normal(n // small).astype(dtype)
        return (made.reshape(-1, rows) if rows else made,)

    return make


def _numbers(n: int, high: int, dtype: Any = numpy.int64) -> Callable[[int], tuple[Any, ...]]:
    return lambda small: (numpy.random.default_rng(0).integers(0, high, n // small).astype(dtype),)


def _sorted_and_wanted(n: int) -> Callable[[int], tuple[Any, ...]]:
    def make(small: int) -> tuple[Any, ...]:
        rng = numpy.random.default_rng(0)
        return numpy.sort(rng.random(n // small)), rng.random(n // small)

    return make


def _two_sets(n: int) -> Callable[[int], tuple[Any, ...]]:
    def make(small: int) -> tuple[Any, ...]:
        rng = numpy.random.default_rng(0)
        return tuple(rng.integers(0, 10**9, n // small) for _ in range(2))

    return make


SORTING = [
    Workload("sort float64, 1e6", _normal(1_000_000), lambda np, a: np.sort(a), 2),
    Workload("sort float32, 1e6", _normal(1_000_000, "f4"), lambda np, a: np.sort(a), 2),
    Workload("sort float64, 1e7", _normal(10_000_000), lambda np, a: np.sort(a), 2),
    Workload("sort int64, 1e6", _numbers(1_000_000, 10**12), lambda np, a: np.sort(a), 2),
    Workload("sort rows of 1000, 1e6", _normal(1_000_000, "f8", 1000), lambda np, a: np.sort(a)),
    Workload("sort rows of 100, 1e6", _normal(1_000_000, "f8", 100), lambda np, a: np.sort(a)),
    Workload(
        "argsort float64, 1e6", _normal(1_000_000), lambda np, a: np.argsort(a, kind="stable"), 2
    ),
    Workload(
        "argsort 1000 different int64, 1e6",
        _numbers(1_000_000, 1000),
        lambda np, a: np.argsort(a, kind="stable"),
        2,
    ),
    Workload("partition float64, 1e6", _normal(1_000_000), lambda np, a: np.partition(a, 500)[500]),
    Workload(
        "searchsorted, 1e6 in 1e6",
        _sorted_and_wanted(1_000_000),
        lambda np, a, v: np.searchsorted(a, v),
    ),
    Workload("unique int64, 1e6", _numbers(1_000_000, 10**9), lambda np, a: np.unique(a), 2),
    Workload(
        "unique with inverse and counts, 1e6",
        _numbers(1_000_000, 1000),
        lambda np, a: np.unique(a, return_inverse=True, return_counts=True),
        2,
    ),
    Workload(
        "intersect1d, 1e6 and 1e6", _two_sets(1_000_000), lambda np, a, b: np.intersect1d(a, b)
    ),
    Workload("isin, 1e6 in 1e6", _two_sets(1_000_000), lambda np, a, b: np.isin(a, b)),
    Workload("median float64, 1e6", _normal(1_000_000), lambda np, a: np.median(a), 2),
    Workload(
        "percentiles 5, 50, 95, 1e6",
        _normal(1_000_000),
        lambda np, a: np.percentile(a, [5, 50, 95]),
        2,
    ),
    Workload(
        "median over rows of 1000, 1e6",
        _normal(1_000_000, "f8", 1000),
        lambda np, a: np.median(a, axis=1),
    ),
    Workload(
        "histogram, 100 bins, 1e6", _normal(1_000_000), lambda np, a: np.histogram(a, 100)[0], 2
    ),
    Workload(
        "histogram, 100 bins, 1e7", _normal(10_000_000), lambda np, a: np.histogram(a, 100)[0], 2
    ),
    Workload("bincount, 1000 bins, 1e6", _numbers(1_000_000, 1000), lambda np, a: np.bincount(a)),
]
