"""Sorting, searching, sets and statistics: what is measured of them.

On its own it sorts and partitions arrays of every type, size and kind of order, against NumPy:

    .venv/bin/python benchmarks/sorting.py [--calls sort] [--types f4,i8] [--sizes 1000] [--save]
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy
import report
from measure import Row, compare, settle_allocator
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


# --- every type, size and kind of order ---

_CALLS = "sort,argsort,partition,argpartition"
_TYPES = "?,i1,i2,i4,i8,u1,u2,u4,u8,f2,f4,f8,c8,c16"
_SIZES = "1000,10000,1000000,10000000"


def _random(rng: numpy.random.Generator, dtype: Any, size: int) -> Any:
    dtype = numpy.dtype(dtype)
    if dtype.kind == "c":
        return (rng.standard_normal(size) + 1j * rng.standard_normal(size)).astype(dtype)
    if dtype.kind == "f":
        return rng.standard_normal(size).astype(dtype)
    if dtype.kind == "b":
        return rng.random(size) < 0.5
    limits = numpy.iinfo(dtype)
    return rng.integers(limits.min, limits.max, size, dtype, endpoint=True)


def _orders(dtype: Any, size: int) -> dict[str, tuple[Any, int]]:
    """Kinds of order: elements, and along which axis."""
    rng = numpy.random.default_rng(0)
    random = _random(rng, dtype, size)
    ordered = numpy.sort(random)
    side = int(size**0.5)
    square = random[: side * side].reshape(side, side)
    made = {
        "random": (random, -1),
        "10 values": (random[rng.integers(0, 10, size)], -1),
        "sorted": (ordered, -1),
        "reversed": (ordered[::-1].copy(), -1),
        "rows": (square, -1),
        "columns": (square, 0),
    }
    if random.dtype.kind in "fc":
        made["nans"] = (numpy.where(rng.random(size) < 0.2, numpy.nan, random).astype(dtype), -1)
    return made


def _agree(call: str, values: Any, axis: int) -> Callable[[Any, Any], bool]:
    """Whether a result is right; of equal elements any may come first. NumPy's default sort of
    float16 is not on CPUs with AVX-512: its stable one says what is."""
    places = call.startswith("arg")
    ordered = numpy.sort(values, axis, kind="stable")

    def elements(result: Any) -> Any:
        made = numpy.asarray(result)
        made = numpy.take_along_axis(values, made, axis) if places else made
        if call.endswith("sort"):
            return made
        return numpy.take(made, middle, axis)

    middle = values.shape[axis] // 2
    exact = ordered if call.endswith("sort") else numpy.take(ordered, middle, axis)
    return lambda ours, _: bool(
        numpy.array_equal(elements(ours), exact, equal_nan=values.dtype.kind in "fc")
    )


def _row(np: Any, call: str, name: str, values: Any, axis: int, seconds: float) -> Row:
    arguments = () if call.endswith("sort") else (values.shape[axis] // 2,)
    x = np.asarray(values)
    return compare(
        name,
        lambda: getattr(np, call)(x, *arguments, axis=axis),
        lambda: getattr(numpy, call)(values, *arguments, axis=axis),
        target=1.5 if values.size > 900_000 else 1.0,
        seconds=seconds,
        agree=_agree(call, values, axis),
    )


def _markdown(info: dict[str, str], rows: dict[tuple[str, int, str], dict[str, Row]]) -> str:
    """Times faster than NumPy: a table for each call and size."""
    lines = ["# Sorting", "", *(f"- {key}: {value}" for key, value in info.items()), ""]
    lines += [
        "Times faster than NumPy, `benchmarks/sorting.py`; **bold** is less than 1.5 for 1e6",
        "elements or more, or less than 1 for fewer. Rows and columns are of squares.",
    ]
    before = None
    for (call, size, dtype), found in rows.items():
        if before != (call, size):
            before = call, size
            orders = list(_orders("f4", 100))
            lines += ["", f"## {call}, {size} elements", "", "| | " + " | ".join(orders) + " |"]
            lines += ["|---|" + "---:|" * len(orders)]
        cells = []
        for order in orders:
            row = found.get(order)
            text = "" if row is None else row.error or report.ratio(row.speedup)
            cells.append(text if row is None or row.verdict == "ok" else f"**{text}**")
        lines.append(f"| {numpy.dtype(dtype).name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    import heddle

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--calls", default=_CALLS)
    parser.add_argument("--types", default=_TYPES)
    parser.add_argument("--sizes", default=_SIZES)
    parser.add_argument("--orders", help="kinds of order, all unless told")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each row")
    parser.add_argument("--machine", help="what to call this machine in saved results")
    parser.add_argument("--below", action="store_true", help="print only what misses its target")
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    options = parser.parse_args()
    info = report.environment(options.machine)
    print("\n".join(f"{key}: {value}" for key, value in info.items()))
    settle_allocator()
    rows: dict[tuple[str, int, str], dict[str, Row]] = {}
    for call in options.calls.split(","):
        for size in map(int, options.sizes.split(",")):
            for dtype in options.types.split(","):
                found = rows.setdefault((call, size, dtype), {})
                for order, (values, axis) in _orders(dtype, size).items():
                    if options.orders and order not in options.orders.split(","):
                        continue
                    name = f"{call} {size} {dtype}, {order}"
                    row = _row(heddle, call, name, values, axis, options.seconds)
                    found[order] = row
                    if row.verdict != "ok" or not options.below:
                        print(report.line(row), flush=True)
    if options.save:
        every = [row for found in rows.values() for row in found.values()]
        data = report.as_json({"environment": info, "rows": every})
        print(*report.write(info, _markdown(info, rows), data, "-sorting"))


if __name__ == "__main__":
    main()
