"""Sorting, searching, sets and statistics: what is measured of them.

On its own it sorts rows of every type, length and kind of order, against NumPy:

    .venv/bin/python benchmarks/sorting.py [--types f4,i8] [--sizes 1000,1000000] [--save]
"""

import argparse
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


# --- every type, length and kind of order ---

_TYPES = "f2,f4,f8,i1,i2,i4,i8,u1,u2,u4,u8"
_SIZES = "1000,3000,10000,30000,100000,1000000"


def _rows(dtype: Any, size: int) -> dict[str, Any]:
    rng = numpy.random.default_rng(0)
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        random = rng.standard_normal(size).astype(dtype)
    else:
        limits = numpy.iinfo(dtype)
        random = rng.integers(limits.min, limits.max, size, dtype, endpoint=True)
    return {
        "random": random,
        "10 values": rng.integers(0, 10, size).astype(dtype),
        "sorted": numpy.sort(random),
    }


def main() -> None:
    import measure
    import report

    import heddle

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--types", default=_TYPES)
    parser.add_argument("--sizes", default=_SIZES)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each row")
    parser.add_argument("--machine", help="what to call this machine in saved results")
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    options = parser.parse_args()
    info = report.environment(options.machine)
    print("\n".join(f"{key}: {value}" for key, value in info.items()))
    measure.settle_allocator()
    rows = []
    for size in map(int, options.sizes.split(",")):
        for dtype in options.types.split(","):
            for order, values in _rows(dtype, size).items():
                x = heddle.asarray(values)
                row = measure.compare(
                    f"sort {size} {dtype}, {order}",
                    lambda x=x: heddle.sort(x),
                    lambda values=values: numpy.sort(values),
                    target=1.5 if size >= 1_000_000 else 1.0,
                    seconds=options.seconds,
                )
                print(report.line(row), flush=True)
                rows.append(row)
    if options.save:
        print(*report.save_rows("Sorting", info, rows, "-sorting"))


if __name__ == "__main__":
    main()
