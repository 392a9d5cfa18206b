"""Sorts of many elements, in one row and in rows of all kinds, as a GPU works on them."""

import numpy
import pytest
from support import assert_exact, bfloat16, host

import heddle

SHAPES = [
    (1,),
    (2,),
    (300_001,),
    (1, 5000),
    (3, 70_000),
    (700, 300),
    (40, 256),
    (33, 1025),
    (17, 4096),
    (9, 4097),
    (20_000, 7),
    (5, 1),
    (2, 3, 40),
]


def values(dtype, shape, seed=0):
    """Many ties, and for floats what sorts last or equal."""
    dtype = numpy.dtype(dtype)
    random = numpy.random.default_rng(seed)
    a = random.integers(0, 2000, shape) - (0 if dtype.kind in "bu" else 1000)
    if dtype.kind == "b":
        return a % 2 == 1
    if dtype.itemsize > 2 and dtype.kind in "iu":
        a = a * 1_000_003
    a = a.astype(dtype)
    if dtype.kind == "f" or dtype == bfloat16:
        a = a / numpy.asarray(8, dtype)
        flat = a.reshape(-1)
        for value, step in ((numpy.nan, 17), (-numpy.inf, 23), (-0.0, 5), (0.0, 7)):
            flat[step::101] = value
        flat[3::211] = -numpy.asarray(numpy.nan, dtype)
    return a


def assert_sorted(ours, theirs):
    """Zeros of either sign are equal: their order among each other is not NumPy's."""
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_array_equal(host(ours), theirs)


@pytest.mark.parametrize("device", [None, "shadow:0"])
@pytest.mark.parametrize(
    ("dtype", "least", "range_"),
    [
        ("i8", -100, 200),
        ("i8", -(2**63), 2**8),
        ("i8", 2**63 - 2**16 - 1, 2**16),
        ("i8", -(2**31), 2**32),
        ("i8", -(2**31), 2**32 - 1),
        ("i8", -(2**63), 2**64 - 1),
        ("u8", 2**64 - 2**20, 2**20 - 1),
        ("u8", 0, 2**64 - 1),
        ("u8", 5, 0),
    ],
)
def test_integers_of_any_range(device, dtype, least, range_):
    random = numpy.random.default_rng(1)
    steps = random.integers(0, range_, (3, 30_000), dtype=numpy.uint64, endpoint=True)
    steps[1, 5], steps[2, 7] = 0, range_
    a = (numpy.uint64(least % 2**64) + steps).view(dtype)
    x = heddle.asarray(a, device=device)
    assert_exact(heddle.sort(x), numpy.sort(a))
    assert_exact(heddle.argsort(x, axis=0, kind="stable"), numpy.argsort(a, 0, kind="stable"))
    assert_exact(heddle.partition(x, 500)[:, 500], numpy.sort(a)[:, 500])
    assert_exact(heddle.take_along_axis(x, heddle.argpartition(x, 9), 1)[:, 9], numpy.sort(a)[:, 9])
    assert_exact(heddle.unique(x), numpy.unique(a))
    assert_exact(heddle.median(x, 0), numpy.median(a, 0))
    assert_exact(x, a)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sort_and_argsort(dtype, shape):
    a = values(dtype, shape)
    x = heddle.asarray(a)
    assert_sorted(heddle.sort(x), numpy.sort(a))
    order = heddle.argsort(x, kind="stable")
    assert_exact(order, numpy.argsort(a, kind="stable"))
    assert_exact(x, a)


def test_bfloat16():
    a = values(bfloat16, (30, 1001))
    ours = host(heddle.argsort(heddle.asarray(a), kind="stable"))
    numpy.testing.assert_array_equal(ours, numpy.argsort(a.astype("f4"), kind="stable"))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("shape", [(100_001,), (50, 300)], ids=str)
def test_complex(dtype, shape):
    part = numpy.dtype(dtype).char.lower()
    a = numpy.empty(shape, dtype)
    a.real, a.imag = values(part, shape), values(part, shape, 1)
    x = heddle.asarray(a)
    assert_exact(heddle.argsort(x, kind="stable"), numpy.argsort(a, kind="stable"))
    assert_exact(heddle.sort(x), numpy.sort(a, kind="stable"))


def test_axes_and_views():
    a = values("f4", (40, 50, 60))
    x = heddle.asarray(a)
    for axis in (0, 1, 2, None):
        assert_sorted(heddle.sort(x, axis), numpy.sort(a, axis))
    assert_sorted(heddle.sort(x[::-1, 1:, ::2], 0), numpy.sort(a[::-1, 1:, ::2], 0))
    assert_exact(heddle.argsort(x.T, 0, kind="stable"), numpy.argsort(a.T, 0, kind="stable"))


def test_long_row_beside_others():
    a = values("u2", (2, 4_200_000))
    x = heddle.asarray(a)
    assert_exact(heddle.sort(x), numpy.sort(a))
    if heddle.default_device().startswith("cuda"):
        assert_exact(heddle.argsort(x, kind="stable"), numpy.argsort(a, kind="stable"))


def test_zeros_keep_their_signs():
    a = numpy.where(numpy.arange(100_000) % 3 == 0, -0.0, 0.0).astype("f4")
    ours = host(heddle.sort(heddle.asarray(a)))
    assert numpy.signbit(ours).sum() == numpy.signbit(a).sum()


@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(dtype, side):
    a = numpy.sort(values(dtype, 70_003))
    v = values(dtype, (301, 97), 5)
    ours = heddle.searchsorted(heddle.asarray(a), heddle.asarray(v), side)
    assert_exact(ours, numpy.searchsorted(a, v, side))


@pytest.mark.parametrize("dtype", ["i2", "u8", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_for_values_in_order(dtype, side):
    edges = numpy.sort(values(dtype, 203))
    edges[50:90] = edges[50]  # more equal ones than are looked at together
    v = numpy.sort(values(dtype, 9_001, 5))
    if numpy.dtype(dtype).kind == "f":
        edges[-3:], v[-40:] = numpy.nan, numpy.nan
        edges[:2], v[:3] = -numpy.inf, [-numpy.inf, -numpy.inf, edges[2]]
        v[17::400] = numpy.nan
        v[19::300], edges[100] = -0.0, edges[99]
    for wanted in (v, v[::-1], v[:5], v[4_000:4_020], numpy.repeat(edges, 3), edges[[7]]):
        for searched in (edges, edges[:1], edges[:17]):
            ours = heddle.searchsorted(heddle.asarray(searched), heddle.asarray(wanted), side)
            assert_exact(ours, numpy.searchsorted(searched, wanted, side))


def test_searchsorted_for_nothing_but_nans():
    edges = numpy.array([0.0, 1.0, numpy.nan])
    for side in ("left", "right"):
        v = numpy.full(40, numpy.nan)
        ours = heddle.searchsorted(heddle.asarray(edges), heddle.asarray(v), side)
        assert_exact(ours, numpy.searchsorted(edges, v, side))


@pytest.mark.parametrize("bins", [1, 7, 1023, 1025])
def test_bincount_of_few_bins(bins):
    for a in (numpy.full(9_001, bins - 1), numpy.arange(9_003) % bins, numpy.arange(3) % bins):
        assert_exact(heddle.bincount(heddle.asarray(a)), numpy.bincount(a))


@pytest.mark.parametrize("most", [3, 4096, 4097, 300_000])
def test_bincount(most):
    a = numpy.random.default_rng(7).integers(0, most, 200_003)
    w = (numpy.arange(200_003) % 5).astype("f8")
    x = heddle.asarray(a)
    assert_exact(heddle.bincount(x), numpy.bincount(a))
    assert_exact(heddle.bincount(x, heddle.asarray(w)), numpy.bincount(a, w))
