"""Unique elements and operations on sets against NumPy."""

import itertools

import numpy
import pytest
from compare import check
from support import DTYPES, LAYOUTS, STANDARD, assert_exact, bfloat16, host, in_layout, name

import heddle

FLAGS = list(itertools.product([False, True], repeat=3))


def few(dtype, shape, seed=0):
    """Values with many repetitions, and nans where there are."""
    rng = numpy.random.default_rng(seed)
    made = rng.integers(0, 20, shape).astype(dtype)
    if numpy.dtype(dtype).kind in "fc":
        made = numpy.where(made == 7, numpy.nan, made * numpy.dtype(dtype).type(0.5))
    if numpy.dtype(dtype).kind == "c":
        made = made + 1j * few(made.real.dtype, shape, seed + 1)
    return numpy.asarray(made, dtype)


# --- unique ---


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
@pytest.mark.parametrize("flags", FLAGS, ids=str)
@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique(dtype, flags, equal_nan):
    values = few(dtype, (40, 5))
    if flags == (False, True, flags[2]) and not equal_nan:
        values = numpy.nan_to_num(values)  # NumPy's order of distinct nans is any
    check(lambda np: np.unique(np.asarray(values), *flags, equal_nan=equal_nan))


def test_unique_bfloat16():
    values = few("f4", 100)
    found = heddle.unique(heddle.asarray(values.astype(bfloat16)))
    assert_exact(found, numpy.unique(values).astype(bfloat16))


@pytest.mark.parametrize("dtype", ["i8", "f4"])
def test_unique_of_many(dtype):
    rng = numpy.random.default_rng(0)
    values = rng.integers(0, 50_000, 120_000).astype(dtype)
    check(lambda np: np.unique(np.asarray(values), True, True, True))
    check(lambda np: np.unique(np.asarray(values)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unique_along_axes(layout, axis):
    theirs, ours = in_layout(few("i4", (30, 4)) % 3, layout)
    expected = numpy.unique(theirs, True, True, True, axis)
    for a, b in zip(heddle.unique(ours, True, True, True, axis), expected, strict=True):
        assert_exact(a, b)


@pytest.mark.parametrize("dtype", ["b", "?", "f8", "c8"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, 3, -4])
def test_unique_parts(dtype, axis):
    values = few(dtype, (4, 3, 2))
    values = numpy.concatenate([values, values[:, :, :1], values[:, :, :1]], 2)
    check(lambda np: np.unique(np.asarray(values), True, True, True, axis))
    check(lambda np: np.unique(np.asarray(values), axis=axis))


@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0), (3, 0, 2)])
def test_unique_of_nothing(shape):
    check(lambda np: np.unique(np.zeros(shape), True, True, True))
    for axis in range(len(shape)):
        check(lambda np, axis=axis: np.unique(np.zeros(shape), axis=axis))


def test_unique_of_scalars():
    check(lambda np: np.unique(3))
    check(lambda np: np.unique(np.array(3), True, True, True))
    check(lambda np: np.unique(np.array(3), axis=0))
    check(lambda np: np.unique([1, 2], axis=1))


def test_unique_nans():
    nan = numpy.nan
    for values in ([nan, nan], [1, nan, nan, 0], [nan, 1j, complex(1, nan), complex(nan, 1), 1]):
        for equal_nan in (True, False):
            check(lambda np, v=values, e=equal_nan: np.unique(
                np.asarray(v), True, True, True, equal_nan=e))  # fmt: skip


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_unique_functions_of_the_array_api(dtype):
    values = few(dtype, (6, 7))
    x = heddle.asarray(values)
    for function in ("unique_all", "unique_counts", "unique_inverse"):
        ours, theirs = getattr(heddle, function)(x), getattr(numpy, function)(values)
        assert ours._fields == theirs._fields
        for a, b in zip(ours, theirs, strict=True):
            assert_exact(a, b)
    assert_exact(heddle.unique_values(x), numpy.sort(numpy.unique_values(values)))


# --- operations on sets ---


@pytest.mark.parametrize("dtypes", [("i8", "i8"), ("i4", "f4"), ("u1", "i2"), ("f8", "c16"),
                                    ("?", "i4"), ("u8", "i8"), ("f2", "f2")])  # fmt: skip
@pytest.mark.parametrize("function", ["union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"])
def test_operations_on_sets(dtypes, function):
    a, b = few(dtypes[0], (10, 3), 1), few(dtypes[1], 8, 2)
    check(lambda np: getattr(np, function)(np.asarray(a), np.asarray(b)))
    check(lambda np: getattr(np, function)(np.asarray(b), np.asarray(a)))
    check(lambda np: getattr(np, function)(np.asarray(a), np.asarray(b)[:0]))
    check(lambda np: getattr(np, function)(np.asarray(a)[:0], np.asarray(b)))


@pytest.mark.parametrize("function", ["intersect1d", "setdiff1d", "setxor1d"])
def test_operations_on_unique_elements(function):
    a, b = numpy.array([5, 1, 9, 3]), numpy.array([9, 2, 5])
    check(lambda np: getattr(np, function)(np.asarray(a), np.asarray(b), assume_unique=True))
    check(lambda np: getattr(np, function)(a.tolist(), b.tolist(), True))


@pytest.mark.parametrize("unique", [False, True])
def test_indices_of_intersections(unique):
    a, b = few("f8", (5, 8), 3), few("f8", 30, 4)
    if unique:
        a, b = numpy.unique(a)[::-1].copy(), numpy.unique(b)
    check(lambda np: np.intersect1d(
        np.asarray(a), np.asarray(b), assume_unique=unique, return_indices=True))  # fmt: skip


@pytest.mark.parametrize("kind", [None, "sort", "table"])
@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("dtypes", [("i8", "i8"), ("u1", "i8"), ("i8", "u1"), ("?", "?"),
                                    ("i1", "?"), ("u8", "i8"), ("u4", "i2")])  # fmt: skip
def test_isin(kind, invert, dtypes):
    rng = numpy.random.default_rng(0)
    a = rng.integers(0, 300, (30, 20)).astype(dtypes[0])
    for count in (0, 1, 5, 9, 100):
        b = rng.integers(-50, 260, count).astype(dtypes[1])
        check(lambda np, b=b: np.isin(np.asarray(a), np.asarray(b), invert=invert, kind=kind))


def test_isin_at_the_ends_of_types():
    for dtype in ("i1", "i8", "u8"):
        limits = numpy.iinfo(dtype)
        a = numpy.array([limits.min, limits.min + 1, 0, 5, limits.max - 1, limits.max], dtype)
        b = numpy.r_[a[[0, 5, 2]], numpy.arange(1, 10).astype(dtype)]
        check(lambda np, a=a, b=b: np.isin(np.asarray(a), np.asarray(b)))
        check(lambda np, a=a, b=b: np.isin(np.asarray(a), np.asarray(b)[[0] * 9 + [3]]))
        check(lambda np, a=a, b=b: np.isin(np.asarray(a), np.asarray(b), kind="sort"))


def test_isin_errors():
    check(lambda np: np.isin(1, [1], kind="x"))
    check(lambda np: np.isin([1.0], [1], kind="table"))
    a = numpy.array([numpy.iinfo("i8").min, numpy.iinfo("i8").max] * 5)
    check(lambda np: np.isin([0], np.asarray(a), kind="table"))


def test_isin_of_floats_and_shapes():
    check(lambda np: np.isin(3.0, [1, 2, 3]))
    check(lambda np: np.isin([[1.5, numpy.nan]], [numpy.nan, 1.5]))
    check(lambda np: np.isin(np.arange(20.0).reshape(4, 5)[:, ::2], np.arange(0, 20.0, 2)))
    rng = numpy.random.default_rng(0)
    values = rng.random(100_000)
    check(lambda np: np.isin(np.asarray(values), np.asarray(values[::7])))


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_results_are_new_arrays(dtype):
    x = heddle.asarray(few("i4", 20).astype(dtype))
    before = host(x).copy()
    made = heddle.unique(x)
    made[...] = 0
    assert_exact(x, before)
