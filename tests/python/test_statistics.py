"""Medians, quantiles, histograms, counts and covariances against NumPy."""

import itertools
import warnings

import numpy
import pytest
from compare import check
from support import (
    FLOATS,
    INTEGERS,
    LAYOUTS,
    STANDARD,
    assert_exact,
    assert_ulp,
    host,
    in_layout,
    name,
    random_values,
    same_error,
)

import heddle

METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
    "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher",
    "midpoint", "nearest",
]  # fmt: skip
AXES = [None, 0, 1, -1, (0, 2), (2, 1), (0, 1, 2)]


def with_nans(shape, share=0.2, dtype="f8", seed=0):
    values = random_values(dtype, shape, seed)
    return numpy.where(numpy.random.default_rng(seed + 1).random(shape) < share, numpy.nan, values
                       ).astype(dtype)  # fmt: skip


@pytest.fixture(autouse=True)
def no_warnings_of_empty_slices():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


# --- medians ---


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
@pytest.mark.parametrize("axis", AXES)
def test_median(dtype, axis):
    for shape in ((4, 5, 6), (3, 3, 3)):
        values = random_values(dtype, shape)
        check(lambda np, v=values: np.median(np.asarray(v), axis), ulp=1)
        check(lambda np, v=values: np.median(np.asarray(v), axis, keepdims=True), ulp=1)


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("size", [9_001, 100_000, 300_001])
def test_median_of_many(dtype, size):
    rng = numpy.random.default_rng(size)
    values = (rng.standard_normal(size) * 50 + 100).astype(dtype)
    check(lambda np: np.median(np.asarray(values)), ulp=1)
    check(lambda np: np.percentile(np.asarray(values), [0, 1, 25, 50, 99.9, 100]), ulp=1)
    skewed = numpy.where(rng.random(size) < 0.9, numpy.array(3).astype(dtype), values)
    check(lambda np: np.percentile(np.asarray(skewed), [1, 50, 99]), ulp=1)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("size", [40_000, 70_001])
def test_median_of_many_complex_numbers(dtype, size):
    rng = numpy.random.default_rng(size)
    values = (rng.standard_normal(size) + 1j * rng.standard_normal(size)).astype(dtype)
    coarse = (rng.integers(-2, 3, size) + 1j * rng.integers(-9, 9, size)).astype(dtype)
    same = (3 + 1j * rng.standard_normal(size)).astype(dtype)
    zeros = (coarse * 0).astype(dtype)
    for v in (values, coarse, same, zeros, values[::-1], numpy.repeat(values[::2], 2)):
        check(lambda np, v=v: np.median(np.asarray(v)), ulp=1)
    both = numpy.stack([values, coarse])
    check(lambda np: np.median(np.asarray(both), axis=1), ulp=1)
    check(lambda np: np.median(np.asarray(both.T)[::-1], axis=0), ulp=1)
    for nan in (numpy.nan, complex(0, numpy.nan), complex(numpy.nan, 1)):
        holed = values.copy()
        holed[::9] = nan
        check(lambda np, v=holed: np.isnan(np.median(np.asarray(v))))
        check(lambda np, v=holed: np.nanmedian(np.asarray(v)), ulp=1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_median_of_layouts(layout):
    theirs, ours = in_layout(random_values("f4", (6, 7, 8)), layout)
    for axis in (None, 0, 1, 2, (0, 1), (0, 2)):
        assert_ulp(heddle.median(ours, axis), numpy.median(theirs, axis), "f4", 1)


def test_median_with_nans():
    values = with_nans((5, 6, 7), 0.05)
    for axis in AXES:
        check(lambda np, a=axis: np.median(np.asarray(values), a), ulp=1)
        check(lambda np, a=axis: np.nanmedian(np.asarray(values), a), ulp=1)
        check(lambda np, a=axis: np.nanmedian(np.asarray(values), a, keepdims=True), ulp=1)
    check(lambda np: np.median(np.array([1, complex(numpy.nan, 1), 2])))
    check(lambda np: np.median(np.array([numpy.inf, -numpy.inf, 1.0])))


def test_median_of_nothing():
    check(lambda np: np.median(np.array([])))
    check(lambda np: np.median(np.zeros((3, 0)), 1))
    check(lambda np: np.median(np.zeros((3, 0)), 0))
    check(lambda np: np.nanmedian(np.zeros((3, 0)), 0))
    check(lambda np: np.median(3))
    check(lambda np: np.median([1, 2], 1))
    with pytest.warns(RuntimeWarning, match="empty slice"):
        heddle.median(heddle.zeros(0))


def test_nanmedian_of_nans():
    values = with_nans((6, 40), 0.5)
    values[2] = numpy.nan
    check(lambda np: np.nanmedian(np.asarray(values), 1), ulp=1)
    check(lambda np: np.nanmedian(np.asarray(values)), ulp=1)
    check(lambda np: np.nanmedian(np.asarray(values[2])))
    check(lambda np: np.nanmedian(np.arange(10).reshape(2, 5), 1))
    with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
        heddle.nanmedian(heddle.asarray(values), 1)


def test_out_of_medians():
    values = random_values("f8", (4, 5))

    def out(np, function, shape, *arguments, **keywords):
        target = np.zeros(shape)
        assert (
            getattr(np, function)(np.asarray(values), *arguments, out=target, **keywords) is target
        )
        return target

    check(lambda np: out(np, "median", (4,), axis=1))
    check(lambda np: out(np, "median", (4, 1), axis=1, keepdims=True))
    check(lambda np: out(np, "nanmedian", (5,), axis=0))
    check(lambda np: out(np, "percentile", (2, 4), [20, 70], axis=1))
    check(lambda np: out(np, "quantile", (), 0.3))
    check(lambda np: out(np, "percentile", (1,), 30))
    check(lambda np: out(np, "quantile", (4,), 0.3, axis=1, overwrite_input=True))
    check(lambda np: out(np, "percentile", (3,), [20, 70], axis=1))


# --- quantiles ---


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8"])
def test_methods_of_quantiles(method, dtype):
    q = numpy.linspace(0, 1, 23)
    for size in (1, 2, 5, 20, 101):
        values = random_values(dtype, size, size)
        for wanted in (q, 0.3, numpy.float32(0.7), q.astype("f4"), 0, 1, q.reshape(1, 23)):
            check(lambda np, v=values, q=wanted: np.quantile(np.asarray(v), q, method=method),
                  ulp=1)  # fmt: skip
    table = random_values(dtype, (3, 4, 10))
    for axis in (0, -1, (0, 2), None):
        check(lambda np, a=axis: np.percentile(
            np.asarray(table), [0, 12.5, 99], a, method=method, keepdims=True), ulp=1)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_quantiles_without_nans(method):
    values = with_nans((7, 30), 0.3)
    values[3] = numpy.nan
    values[4, 1:] = numpy.nan
    for q in (0.5, [0, 0.25, 1.0], 1, numpy.float64(0.1)):
        for axis in (0, 1, None):
            check(lambda np, q=q, a=axis: np.nanquantile(
                np.asarray(values), q, a, method=method), ulp=2)  # fmt: skip
            check(lambda np, q=q, a=axis: np.quantile(
                np.asarray(values), q, a, method=method), ulp=2)  # fmt: skip
    plain = random_values("f4", (7, 30))
    check(lambda np: np.nanpercentile(np.asarray(plain), [10, 60], 1, method=method), ulp=1)
    single = with_nans(50, 0.3, "f4")
    check(lambda np: np.nanpercentile(np.asarray(single), 40, method=method), ulp=1)
    check(lambda np: np.nanpercentile(np.asarray(single), [10, 60], method=method), ulp=1)


def test_weighted_quantiles():
    values, weights = random_values("f8", (5, 12)), random_values("f8", (5, 12), 1, 0, 3)
    weights[:, :2] = 0
    few = numpy.round(values)
    for a, q, axis in itertools.product((values, few), (0.5, [0, 0.3, 1]), (None, 0, 1, (0, 1))):
        check(lambda np, a=a, q=q, axis=axis: np.asarray(np.quantile(
            np.asarray(a), q, axis, weights=np.asarray(weights), method="inverted_cdf"))
        )  # fmt: skip
    one = numpy.arange(12.0)
    check(lambda np: np.percentile(
        np.asarray(values), 50, 1, weights=np.asarray(one), method="inverted_cdf"))  # fmt: skip
    holes = with_nans((5, 12), 0.3)
    check(lambda np: np.nanquantile(
        np.asarray(holes), [0.2, 1], 1, weights=np.asarray(weights + 1), method="inverted_cdf")
    )  # fmt: skip
    check(lambda np: np.quantile(
        np.asarray(holes), 0.5, 1, weights=np.asarray(weights + 1), method="inverted_cdf")
    )  # fmt: skip


@pytest.mark.parametrize("call", [
    lambda np: np.quantile([1, 2], 1.5),
    lambda np: np.percentile([1, 2], [50, 101]),
    lambda np: np.quantile([1, 2], numpy.nan),
    lambda np: np.quantile([1, 2], [[[0.5]]]),
    lambda np: np.quantile([1, 2], 0.5, method="x"),
    lambda np: np.quantile([1j, 2], 0.5),
    lambda np: np.nanquantile([1j, 2], 0.5),
    lambda np: np.quantile(np.array([]), 0.5),
    lambda np: np.quantile([[1, 2]], 0.5, 2),
    lambda np: np.quantile([1, 2], 0.5, weights=[1, 2]),
    lambda np: np.quantile([1, 2], 0.5, weights=[1, -2], method="inverted_cdf"),
    lambda np: np.quantile([1, 2], 0.5, weights=[0, 0], method="inverted_cdf"),
    lambda np: np.quantile([1, 2], 0.5, weights=[1, 2, 3], method="inverted_cdf"),
    lambda np: np.quantile([[1, 2]], 0.5, 1, weights=[1, 2, 3], method="inverted_cdf"),
    lambda np: np.percentile([True, False], 50),
    lambda np: np.median([1, 2], (0, 0)),
])  # fmt: skip
def test_errors_of_quantiles(call):
    same_error(call)


def test_types_of_quantiles():
    for dtype, q in itertools.product(("i1", "f2", "f4", "f8"), (50, 50.0, [50], numpy.float32(5))):
        check(lambda np, d=dtype, q=q: np.percentile(np.arange(5).astype(d), q), ulp=1)
    check(lambda np: np.quantile([1, 2, 3], True))
    check(lambda np: np.quantile(np.array([True, False]), 1, method="lower"))
    check(lambda np: np.percentile([1, 2], []))
    check(lambda np: np.quantile(np.arange(5.0), np.asarray([0.1, 0.5])))
    check(lambda np: np.percentile([1.0, numpy.inf, 2.0], [0, 50, 100]))


# --- counting ---


@pytest.mark.parametrize("dtype", [*INTEGERS, numpy.dtype(bool)], ids=name)
def test_bincount(dtype):
    values = random_values(dtype, 500, low=0, high=30)
    weights = random_values("f4", 500)
    check(lambda np: np.bincount(np.asarray(values)))
    check(lambda np: np.bincount(np.asarray(values), minlength=50))
    check(lambda np: np.bincount(np.asarray(values)[::3], np.asarray(weights)[::3]), ulp=64)


def test_bincount_of_many():
    rng = numpy.random.default_rng(0)
    for high in (3, 1000, 400_000):
        values, weights = rng.integers(0, high, 500_000), rng.integers(0, 9, 500_000)
        check(lambda np, v=values: np.bincount(np.asarray(v)))
        check(lambda np, v=values, w=weights: np.bincount(np.asarray(v), np.asarray(w)))


@pytest.mark.parametrize("call", [
    lambda np: np.bincount([-1, 2]),
    lambda np: np.bincount([[1]]),
    lambda np: np.bincount(1),
    lambda np: np.bincount(np.array([], float)),
    lambda np: np.bincount([1], minlength=-1),
    lambda np: np.bincount([1], minlength=None),
    lambda np: np.bincount([1], minlength=2.0),
    lambda np: np.bincount([1], [1, 2]),
    lambda np: np.bincount([1], [1j]),
])  # fmt: skip
def test_errors_of_bincount(call):
    same_error(call)


def test_bincount_of_nothing():
    check(lambda np: np.bincount([]))
    check(lambda np: np.bincount(np.array([], int), minlength=3))
    check(lambda np: np.bincount([], weights=[], minlength=2))


# --- histograms ---


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=name)
@pytest.mark.parametrize("bins", [1, 10, 37])
def test_histogram(dtype, bins):
    values = random_values(dtype, (30, 20), high=9)
    weights = random_values("f8", (30, 20), 1)
    check(lambda np: np.histogram(np.asarray(values), bins))
    check(lambda np: np.histogram(np.asarray(values), bins, (-1, 3)))
    check(lambda np: np.histogram(np.asarray(values), bins, density=True), ulp=2)
    check(lambda np: np.histogram(np.asarray(values), bins, weights=np.asarray(weights)), ulp=2**20)
    counts = numpy.arange(600).reshape(30, 20).astype("i4")
    check(lambda np: np.histogram(np.asarray(values), bins, weights=np.asarray(counts)))
    check(lambda np: np.histogram(np.asarray(values), bins, weights=np.asarray(counts * 1j)))


def test_histogram_of_values_on_edges():
    for count in (7, 10, 49, 100):
        edges = numpy.linspace(0.1, 0.9, count + 1)
        values = numpy.concatenate([edges, numpy.nextafter(edges, 0), numpy.nextafter(edges, 1)])
        check(lambda np, v=values, n=count: np.histogram(np.asarray(v), n, (0.1, 0.9)))
        check(lambda np, v=values, e=edges: np.histogram(np.asarray(v), np.asarray(e)))
        narrow = values.astype("f4")
        check(lambda np, v=narrow, n=count: np.histogram(np.asarray(v), n))


@pytest.mark.parametrize("estimator", ["auto", "fd", "doane", "scott", "rice", "sturges", "sqrt",
                                       "stone"])  # fmt: skip
def test_estimators_of_bins(estimator):
    rng = numpy.random.default_rng(0)
    for size in (1, 2, 50, 700):
        values = rng.standard_normal(size) * 3
        check(lambda np, v=values: np.histogram(np.asarray(v), estimator), ulp=2)
        check(lambda np, v=values: np.histogram_bin_edges(np.asarray(v), estimator, (-1, 2)), ulp=2)
        numbers = rng.integers(0, 40, size)
        check(lambda np, v=numbers: np.histogram(np.asarray(v), estimator), ulp=2)
    check(lambda np: np.histogram(np.zeros(0), estimator))
    check(lambda np: np.histogram(np.ones(9), estimator))
    check(lambda np: np.histogram([1, 2], estimator, weights=[1, 1]))


def test_histogram_with_edges():
    values = random_values("f8", 2000)
    for bins in ([-1, 0, 0.5, 3], [0, 0, 1], [2.0, 2.5], [1], numpy.arange(-5, 5), [5, 6]):
        check(lambda np, b=bins: np.histogram(np.asarray(values), np.asarray(b)))
        check(lambda np, b=bins: np.histogram(
            np.asarray(values), b, weights=np.asarray(values)), ulp=2**20)  # fmt: skip
    numbers = random_values("i4", 2000)
    check(lambda np: np.histogram(np.asarray(numbers), [-2, 0, 3]))
    check(lambda np: np.histogram(np.asarray(numbers), [-2.5, 0.5, 3]))


@pytest.mark.parametrize("call", [
    lambda np: np.histogram([1, 2], 0),
    lambda np: np.histogram([1, 2], 1.5),
    lambda np: np.histogram([1, 2], "x"),
    lambda np: np.histogram([1, numpy.nan]),
    lambda np: np.histogram([1, numpy.inf]),
    lambda np: np.histogram([1, 2], [[1]]),
    lambda np: np.histogram([1, 2], [3, 1]),
    lambda np: np.histogram([1, 2], range=(2, 1)),
    lambda np: np.histogram([1, 2], range=(2, numpy.inf)),
    lambda np: np.histogram([1, 2], weights=[1]),
    lambda np: np.histogramdd(np.zeros((5, 2)), [2, 2, 2]),
    lambda np: np.histogramdd(np.zeros((5, 2)), 0),
    lambda np: np.histogramdd(np.zeros((5, 2)), 2.5),
    lambda np: np.histogramdd(np.zeros((5, 2)), range=[[0, 1]]),
    lambda np: np.histogramdd(np.zeros((5, 2)), [[2, 1], 3]),
    lambda np: np.histogramdd(np.zeros((5, 2)), weights=[1]),
    lambda np: np.histogramdd(np.zeros((1, 10)), 2**10),
    lambda np: np.histogram2d([1, 2], [1]),
])  # fmt: skip
def test_errors_of_histograms(call):
    same_error(call)


def test_histogram_special_cases():
    check(lambda np: np.histogram(np.zeros(0), 3))
    check(lambda np: np.histogram(np.zeros(0), [1, 2, 3]))
    check(lambda np: np.histogram(np.array([True, False, True]), 2))
    check(lambda np: np.histogram([5, 5, 5]))
    check(lambda np: np.histogram(3.0, 2))
    check(lambda np: np.histogram([1.0, numpy.nan, 2.0], 2, (0, 3)))
    check(lambda np: np.histogram(np.array([-128, 127], "i1"), 3))
    check(lambda np: np.histogram(np.array([-(2**62), 2**62]), 3))
    check(lambda np: np.histogram(np.array([0, 2**64 - 1], "u8"), 3))
    with pytest.warns(RuntimeWarning, match="Converting input from bool"):
        heddle.histogram([True, False])


def test_histograms_of_points():
    points = random_values("f8", (300, 3))
    weights = random_values("f8", 300, 1)
    check(lambda np: np.histogramdd(np.asarray(points), 4))
    check(lambda np: np.histogramdd(np.asarray(points), (2, 3, [-1, 0, 2]), density=True), ulp=4)
    check(lambda np: np.histogramdd(np.asarray(points), 3, [[-1, 1], None, [0, 2]]))
    check(lambda np: np.histogramdd(np.asarray(points), 2, weights=np.asarray(weights)), ulp=2**12)
    check(lambda np: np.histogramdd([np.asarray(points)[:, 0], np.asarray(points)[:, 1]], 3))
    x, y = points[:, 0].copy(), points[:, 1].copy()
    check(lambda np: np.histogram2d(np.asarray(x), np.asarray(y)))
    check(lambda np: np.histogram2d(np.asarray(x), np.asarray(y), [3, 4], density=True), ulp=4)
    check(lambda np: np.histogram2d(np.asarray(x), np.asarray(y), numpy.linspace(-1, 1, 5)))
    check(lambda np: np.histogram2d(np.asarray(x), np.asarray(y), 3, [[-1, 1], [0, 2]]))
    check(lambda np: np.histogram2d([], [], 2))
    check(lambda np: np.histogramdd(np.zeros((0, 2)), 2))


# --- covariances ---


def near(np_call, rows=4):
    theirs, ours = np_call(numpy), np_call(heddle)
    assert host(ours).dtype == theirs.dtype
    assert host(ours).shape == theirs.shape
    numpy.testing.assert_allclose(host(ours), theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["i4", "f8", "c16", "?"])
@pytest.mark.parametrize("function", ["cov", "corrcoef"])
def test_covariances(dtype, function):
    m, y = random_values(dtype, (4, 50)), random_values(dtype, (2, 50), 1)
    near(lambda np: getattr(np, function)(np.asarray(m)))
    near(lambda np: getattr(np, function)(np.asarray(m), np.asarray(y)))
    near(lambda np: getattr(np, function)(np.asarray(m).T, rowvar=False))
    near(lambda np: getattr(np, function)(np.asarray(m).T, np.asarray(y).T, False))
    near(lambda np: getattr(np, function)(np.asarray(m)[0]))
    near(lambda np: getattr(np, function)(np.asarray(m)[0], np.asarray(m)[1]))


def test_weighted_covariances():
    m = random_values("f8", (3, 20))
    counts, weights = random_values("i4", 20, 1, 0, 4), random_values("f8", 20, 2, 0, 2)
    for keywords in (
        {"bias": True}, {"ddof": 0}, {"ddof": 3}, {"fweights": counts}, {"aweights": weights},
        {"fweights": counts, "aweights": weights}, {"aweights": weights, "ddof": 0},
    ):  # fmt: skip
        near(lambda np, k=keywords: np.cov(np.asarray(m), **k))
    assert heddle.cov(heddle.asarray(m), dtype="f4").dtype == numpy.float32


@pytest.mark.parametrize("call", [
    lambda np: np.cov([[1, 2], [3, 4]], ddof=1.5),
    lambda np: np.cov(np.zeros((2, 2, 2))),
    lambda np: np.cov([1, 2], np.zeros((2, 2, 2))),
    lambda np: np.cov([1, 2], fweights=[1.5, 1]),
    lambda np: np.cov([1, 2], fweights=[[1, 1]]),
    lambda np: np.cov([1, 2], fweights=[1, 1, 1]),
    lambda np: np.cov([1, 2], fweights=[1, -1]),
    lambda np: np.cov([1, 2], aweights=[1, -1]),
    lambda np: np.cov([1.0, 2.0], dtype="i4"),
    lambda np: np.corrcoef([1.0, 2.0], dtype=bool),
])  # fmt: skip
def test_errors_of_covariances(call):
    same_error(call)


def test_covariances_of_little():
    for values in ([], [[1]], [1, 1, 1], numpy.zeros((0, 3)), numpy.zeros((2, 0))):
        for function in ("cov", "corrcoef"):
            check(lambda np, v=values, f=function: np.asarray(getattr(np, f)(np.asarray(v))))
    assert_exact(heddle.cov([1.0, 2.0]), numpy.float64(0.5))


def test_axes_of_scalars():
    for function in ("median", "nanmedian"):
        for axis in (0, -1, None, (), (0,)):
            check(lambda np, f=function, i=axis: getattr(np, f)(np.asarray(3.0), axis=i))
    check(lambda np: np.quantile(np.asarray(3.0), 0.5, axis=0))
    check(lambda np: np.nanpercentile(np.asarray(3.0), 50, axis=-1))


# --- devices ---


@pytest.mark.parametrize("device", ["cpu", "shadow:0"])
def test_work_stays_on_the_device_of_the_array(device):
    """Also where that is not the default, and lists and NumPy's arrays come in."""
    values = random_values("f8", 120)
    x = heddle.asarray(values, device=device)
    i = heddle.asarray(random_values("i8", 120, low=0, high=9), device=device)
    weights = numpy.abs(values)
    holes = heddle.where(x > 2, numpy.nan, x).reshape(10, 12)
    results = [
        heddle.sort(x), heddle.argsort(x), heddle.lexsort((x, i)), heddle.partition(x, 5),
        heddle.searchsorted(heddle.sort(x), [1.0, 2.0]), heddle.searchsorted([1.0, 2.0], x),
        heddle.digitize(x, [0, 1]), *heddle.unique(i, True, True, True),
        heddle.unique(i.reshape(-1, 2), axis=0), heddle.union1d([1, 2], i),
        heddle.intersect1d(i, [1, 2]), heddle.setdiff1d([1, 50], i), heddle.isin(i, range(30)),
        heddle.isin(x, numpy.arange(30.0)), heddle.median(holes, 1), heddle.nanmedian(holes, 1),
        heddle.quantile(x, [0.1, 0.6]), heddle.nanquantile(holes, [0.1, 0.6], 1),
        heddle.quantile(x, [0.5], weights=weights, method="inverted_cdf"),
        heddle.cov(x, weights, aweights=weights), heddle.corrcoef(x, x * x), heddle.bincount(i),
        heddle.bincount(i, weights), *heddle.histogram(x),
        *heddle.histogram(x, [0, 1], density=True),
        *heddle.histogram(x.astype("f2"), 5, (-1, 1)), heddle.histogram(x, weights=weights * 1j)[0],
        *heddle.histogram2d(x, weights, 3, weights=weights),
    ]  # fmt: skip
    assert {made.device for made in results} == {device}


def test_histogram_of_a_range_that_the_type_has_not():
    a = numpy.array([-6e4, 6e4, 1, 2], "f2")
    for np in (numpy, heddle):
        with pytest.raises(IndexError, match="out of bounds"), numpy.errstate(all="ignore"):
            np.histogram(np.asarray(a), 1)


@pytest.mark.unrecorded("records itself")
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint"])
def test_places_of_quantiles_that_are_recorded(method, axis, keepdims):
    x = numpy.array([[1.0, 5.0, 2.0, 9.0], [3.0, numpy.nan, 8.0, 1.0]])
    how = {"axis": axis, "method": method, "keepdims": keepdims}
    for q in (numpy.array([0.0, 0.1, 0.55, 1.0]), numpy.array(0.35)):
        function = heddle.jit(lambda a, q: heddle.quantile(a, q, **how))
        for scale in (1, 0.5, 0.25):
            expected = numpy.quantile(x, q * scale, **how)
            found = function(heddle.asarray(x), heddle.asarray(q * scale))
            assert found.shape == expected.shape
            numpy.testing.assert_allclose(
                heddle.asnumpy(found), heddle.asnumpy(expected), rtol=1e-15
            )


@pytest.mark.unrecorded("records itself")
def test_places_of_quantiles_have_derivatives_and_rows():
    x = heddle.array([1.0, 5.0, 2.0, 9.0])
    assert heddle.grad(lambda q: heddle.percentile(x, q))(55.0) == pytest.approx(0.09)
    places = heddle.array([0.1, 0.55])
    rows = heddle.vmap(lambda q: heddle.quantile(x, q))(places)
    numpy.testing.assert_allclose(
        heddle.asnumpy(rows), heddle.asnumpy(heddle.quantile(x, places)), rtol=1e-15
    )
    with pytest.raises(ValueError, match=r"range \[0, 1\]"):
        heddle.grad(lambda q: heddle.quantile(x, q))(1.5)


@pytest.mark.parametrize("wide", ["f4", "f8"])
@pytest.mark.parametrize("narrow", ["f2", "f4", "i4"])
def test_histogram_ranges_keep_their_type(narrow, wide):
    """A bound just below or above an element leaves it out, whatever its type rounds to."""
    eps = numpy.finfo(wide).eps
    for low, high in ((0, 1 - eps), (1 + eps, 2), (0, 1), (1 - eps, 1 + eps)):
        limits = numpy.array([low, high], wide)
        check(lambda np, r=limits: np.histogram(np.ones(3, narrow), bins=1, range=np.asarray(r)))


@pytest.mark.parametrize("returned", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"), [((0, 3), 1), ((2, 0, 3), (0, 2)), ((0, 3), 0), ((0,), None)], ids=str
)
def test_averages_of_nothing(shape, axis, returned):
    made = []
    for np in (numpy, heddle):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = np.average(np.ones(shape), axis=axis, returned=returned)
            except ZeroDivisionError:
                made.append("division by zero")
            else:
                made.append(str([host(a).tolist() for a in (found if returned else (found,))]))
    assert made[1] == made[0]


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (1,), (3,), (4,)])
@pytest.mark.parametrize("name", ["median", "nanmedian", "mean", "max"])
def test_shapes_of_out(name, shape):
    def write(np):
        out = np.zeros(shape)
        getattr(np, name)(np.arange(6.0).reshape(3, 2), axis=1, out=out)
        return out

    check(write)
