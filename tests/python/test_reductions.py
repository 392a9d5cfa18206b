"""Reductions against NumPy: axes, types, keywords, nans, empty arrays."""

import itertools
import warnings

import numpy
import pytest
from compare import check
from support import (
    COMPLEX,
    DTYPES,
    FLOATS,
    LAYOUTS,
    NEWER,
    STANDARD,
    assert_exact,
    bfloat16,
    host,
    in_layout,
    kind,
    name,
    random_values,
    same_error,
)

import heddle

SUMS = ["sum", "prod", "mean", "var", "std"]
EXTREMES = ["min", "max", "ptp", "argmin", "argmax"]
TRUTH = ["any", "all", "count_nonzero"]
AXES = [None, 0, 1, -1, (0, 2), (1,), (), (0, 1, 2)]


def wide(dtype):
    return {"c": "c16"}.get(kind(dtype), "f8") if kind(dtype) in "fc" else dtype


def close(actual, expected, ulps=8, scale=0):
    """The type and shape of NumPy's answer, and its value within some ULP of the largest."""
    expected = numpy.asarray(expected)
    actual = host(actual)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if kind(expected.dtype) not in "fc":
        numpy.testing.assert_array_equal(actual, expected)
        return
    eps = {"e": 1e-3, "E": 1e-2, "f": 1.2e-7, "F": 1.2e-7}.get(expected.dtype.char, 2.3e-16)
    a, e = (x.astype("c16" if x.dtype.kind == "c" else "f8") for x in (actual, expected))
    finite = numpy.abs(e[numpy.isfinite(e)])
    scale = max(scale, float(finite.max()) if finite.size else 0)
    numpy.testing.assert_allclose(a, e, rtol=ulps * eps, atol=ulps * eps * scale)


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
@pytest.mark.parametrize("function", SUMS + EXTREMES + TRUTH)
def test_axes_and_keepdims(function, dtype):
    a = random_values(dtype, (3, 4, 5))
    x = heddle.asarray(a)
    for axis, keepdims in itertools.product(AXES, (False, True)):
        if function.startswith("arg") and isinstance(axis, tuple):
            continue
        try:
            expected = getattr(numpy, function)(a, axis=axis, keepdims=keepdims)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(heddle, function)(x, axis=axis, keepdims=keepdims)
            continue
        close(getattr(heddle, function)(x, axis=axis, keepdims=keepdims), expected, 16)


@pytest.mark.parametrize("function", [*SUMS, "min", "max"])
def test_bfloat16(function):
    a = random_values(bfloat16, (30, 40), low=0.5, high=1.5)
    if function == "prod":
        a = a[:3]
    expected = getattr(numpy, function)(a.astype("f8"), axis=0).astype(bfloat16)
    close(getattr(heddle, function)(heddle.asarray(a), axis=0), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", SUMS + EXTREMES)
def test_layouts(function, layout):
    a, x = in_layout(random_values("f8", (6, 7)), layout)
    for axis in (None, 0, 1):
        expected = getattr(numpy, function)(a, axis=axis)
        close(getattr(heddle, function)(x, axis=axis), expected, 32, scale=4)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX], ids=name)
@pytest.mark.parametrize("shape,axis", [((100_003,), 0), ((7, 30_001), 1), ((30_001, 5), 0)])
def test_accuracy_of_long_sums(dtype, shape, axis):
    """No worse than NumPy's pairwise summation, for which a few ULP of the sum of moduli hold."""
    a = random_values(dtype, shape, low=0, high=1)
    exact = a.astype("c16" if dtype.kind == "c" else "f8").sum(axis, dtype=numpy.clongdouble)
    actual = host(heddle.asarray(a).sum(axis)).astype(numpy.clongdouble)
    eps = float(numpy.finfo(dtype).eps)
    assert numpy.all(numpy.abs(actual - exact) <= 4 * eps * numpy.abs(exact))


@pytest.mark.parametrize("function", ["sum", "prod", "mean", "var", "std"])
@pytest.mark.parametrize("asked", ["f4", "f8", "c16", "i4", "i8"])
def test_dtype(function, asked):
    if function in ("var", "std") and asked.startswith("i"):
        return
    a = random_values("i4", (4, 5), low=0)
    expected = getattr(numpy, function)(a, axis=0, dtype=asked)
    close(getattr(heddle, function)(heddle.asarray(a), axis=0, dtype=asked), expected)


@pytest.mark.parametrize("function", ["var", "std", "nanvar", "nanstd"])
@pytest.mark.parametrize("asked", ["f4", "f8", "c8"])
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_dtype_of_a_variance_is_that_of_its_sums(function, asked):
    a = numpy.array([1 + 2j, 3, -1j, 2.5])
    for values in (a, a.real + 1e5, numpy.array([1, 2, 2**30])):
        for how in ({}, {"mean": -1}, {"ddof": 1}):
            expected = getattr(numpy, function)(values, dtype=asked, **how)
            close(getattr(heddle, function)(heddle.asarray(values), dtype=asked, **how), expected)


@pytest.mark.host_memory
@pytest.mark.parametrize("function", ["sum", "prod", "mean", "var", "max", "any", "argmax"])
def test_out(function):
    a = random_values("f8", (4, 5))
    expected = getattr(numpy, function)(a, axis=1)
    out = heddle.zeros(4, expected.dtype)
    assert getattr(heddle, function)(heddle.asarray(a), axis=1, out=out) is out
    close(out, expected)
    same_error(lambda m: getattr(m, function)(m.asarray(a), axis=1, out=m.zeros((4, 1))))
    same_error(lambda m: getattr(m, function)(m.asarray(a), axis=1, out=[0, 0, 0, 0]))
    target = numpy.zeros(4, expected.dtype)
    assert getattr(heddle, function)(heddle.asarray(a), axis=1, out=target) is target
    close(target, expected)


def test_out_decides_the_type_of_a_sum():
    a = numpy.arange(6, dtype="i4").reshape(2, 3)
    for kind_ in ("i1", "i8", "f4", "f8"):
        expected, out = numpy.zeros(3, kind_), heddle.zeros(3, kind_)
        numpy.sum(a, 0, out=expected)
        heddle.sum(heddle.asarray(a), 0, out=out)
        assert_exact(out, expected)
    expected, out = numpy.zeros(3, int), heddle.zeros(3, int)
    numpy.add.reduce(a + 0.5, 0, out=expected)
    heddle.add.reduce(heddle.asarray(a + 0.5), 0, out=out)
    assert_exact(out, expected)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
@pytest.mark.parametrize("function", ["sum", "prod", "mean", "var", "std", "any", "all"])
def test_where(function, dtype):
    a, mask = random_values(dtype, (4, 5)), random_values("?", (4, 5), 3)
    mask[:, 0] = mask[0] = True
    for axis, where in itertools.product((None, 0, 1), (mask, mask[0], mask[:, :1])):
        expected = getattr(numpy, function)(a, axis=axis, where=where)
        x = heddle.asarray(a)
        close(getattr(heddle, function)(x, axis=axis, where=heddle.asarray(where)), expected)
        close(getattr(heddle, function)(x, axis=axis, where=where), expected)


@pytest.mark.parametrize("function", ["sum", "prod", "max", "min", "mean", "std", "any", "nansum"])
@pytest.mark.parametrize(
    ("shape", "mask"), [((4,), (2, 4)), ((4, 1), (4, 2)), ((1, 4), (4, 4)), ((4,), (3,))]
)
def test_masks_that_are_larger_than_the_array(function, shape, mask):
    initial = {"initial": 0} if function in ("max", "min") else {}
    same_error(lambda m: getattr(m, function)(m.ones(shape), where=m.ones(mask, bool), **initial))


@pytest.mark.parametrize("function", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_initial(function, dtype):
    a, mask = random_values(dtype, (4, 5)), random_values("?", (4, 5), 3)
    x = heddle.asarray(a)
    for initial in (0, 3, -7):
        for axis in (None, 0, (0, 1)):
            expected = getattr(numpy, function)(a, axis=axis, initial=initial)
            close(getattr(heddle, function)(x, axis=axis, initial=initial), expected)
            expected = getattr(numpy, function)(a, axis=axis, initial=initial, where=mask)
            close(getattr(heddle, function)(x, axis=axis, initial=initial, where=mask), expected)
        empty = numpy.zeros((0, 3), dtype)
        expected = getattr(numpy, function)(empty, axis=0, initial=initial)
        close(getattr(heddle, function)(heddle.asarray(empty), axis=0, initial=initial), expected)


@pytest.mark.parametrize("dtype", ["i8", "f8", "u1"])
@pytest.mark.parametrize("initial", [1j, numpy.nan, numpy.inf, "text", "2", [1], 2**70, 2.5, True])
def test_initial_is_converted_as_an_element(initial, dtype):
    check(lambda np: np.sum(np.array([1, 2], dtype), initial=initial))
    check(lambda np: np.max(np.array([[1, 2]], dtype), axis=1, initial=initial))
    check(lambda np: np.sum(np.array([], dtype), initial=initial))
    check(lambda np: np.subtract.reduce(np.array([1, 2], dtype), initial=initial))
    where = [True, False]
    check(lambda np: np.sum(np.array([1, 2], dtype), initial=initial, where=np.array(where)))


@pytest.mark.parametrize("function", SUMS + EXTREMES + TRUTH)
def test_empty_and_scalar(function):
    for shape in ((0,), (0, 3), (3, 0), (2, 0, 3)):
        a = numpy.zeros(shape)
        for axis in (None, 0, -1):
            try:
                with numpy.errstate(all="ignore"):
                    expected = getattr(numpy, function)(a, axis=axis)
            except ValueError:
                with pytest.raises(ValueError):
                    getattr(heddle, function)(heddle.asarray(a), axis=axis)
                continue
            close(getattr(heddle, function)(heddle.asarray(a), axis=axis), expected)
    zero_d = numpy.array(2.5)
    for axis in (None,) if function in ("mean", "var", "std") else (None, 0, -1):
        close(getattr(heddle, function)(heddle.asarray(zero_d), axis=axis),
              getattr(numpy, function)(zero_d, axis=axis))  # fmt: skip


pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("function", ["mean", "var", "std"])
def test_warnings_of_empty_slices(function):
    with pytest.warns(RuntimeWarning):
        getattr(heddle, function)(heddle.zeros(0))


@pytest.mark.parametrize("function", ["min", "max", "argmin", "argmax", "sum", "nanmax"])
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX], ids=name)
def test_nans_and_ties(function, dtype):
    for values in ([1, numpy.nan, 3], [numpy.nan] * 3, [2, 2, 1, 1], [0.0, -0.0], [-numpy.inf, 1]):
        a = numpy.array(values, dtype)
        close(getattr(heddle, function)(heddle.asarray(a)), getattr(numpy, function)(a))


@pytest.mark.parametrize("ddof", [0, 1, 2, 1.5, 10])
def test_degrees_of_freedom(ddof):
    a = random_values("f8", (4, 5))
    x = heddle.asarray(a)
    for function in ("var", "std"):
        expected = getattr(numpy, function)(a, axis=0, ddof=ddof)
        close(getattr(heddle, function)(x, axis=0, ddof=ddof), expected)
        close(getattr(heddle, function)(x, axis=0, correction=ddof), expected)
        centre = x.mean(axis=0, keepdims=True)
        close(getattr(heddle, function)(x, axis=0, ddof=ddof, mean=centre), expected)
        close(getattr(heddle, function)(x, axis=0, ddof=ddof, mean=None), expected)
    same_error(lambda m: m.var(m.asarray(a), ddof=1, correction=1))


def test_float16_means_do_not_overflow():
    a = numpy.full((100, 100), 60000, "f2")
    assert float(heddle.asarray(a).mean()) == 60000
    assert heddle.asarray(a).mean().dtype == numpy.float16
    assert float(heddle.asarray(a).var()) == 0


@pytest.mark.parametrize("function", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_running(function, dtype):
    a = random_values(dtype, (4, 5), low=0, high=2)
    for axis in (None, 0, 1, -1):
        if dtype == bfloat16:
            expected = getattr(numpy, function)(a.astype("f4"), axis).astype(bfloat16)
        else:
            expected = getattr(numpy, function)(a, axis)
        close(getattr(heddle, function)(heddle.asarray(a), axis), expected, 16)


def test_running_keywords():
    a = random_values("i4", (4, 5))
    x = heddle.asarray(a)
    assert_exact(heddle.cumsum(x, 1, "f4"), numpy.cumsum(a, 1, "f4"))
    out = heddle.zeros((4, 5), "i8")
    assert heddle.cumsum(x, 0, out=out) is out
    assert_exact(out, numpy.cumsum(a, 0))
    for initial in (False, True):
        expected = numpy.cumulative_sum(a, axis=1, include_initial=initial)
        assert_exact(heddle.cumulative_sum(x, axis=1, include_initial=initial), expected)
    expected = numpy.cumulative_prod(a[0], include_initial=True)
    assert_exact(heddle.cumulative_prod(x[0], include_initial=True), expected)
    same_error(lambda m: m.cumulative_sum(m.asarray(a)))
    same_error(lambda m: m.cumsum(m.asarray(a), 2))


NANS = ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"]


@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("function", [*NANS, "nancumsum", "nancumprod", "nanargmin", "nanargmax"])
def test_nan_versions(function, dtype):
    a = random_values(dtype, (5, 6))
    if a.dtype.kind in "fc":
        a[random_values("?", (5, 6), 5)] = numpy.nan
        a[:, 2] = 1
        a[3] = 2
    for axis in (None, 0, 1):
        expected = getattr(numpy, function)(a, axis=axis)
        close(getattr(heddle, function)(heddle.asarray(a), axis=axis), expected, 16)


def test_nan_versions_of_nothing_but_nans():
    a = numpy.array([[numpy.nan, numpy.nan], [1, numpy.nan]])
    for function in NANS:
        expected = getattr(numpy, function)(a, axis=1)
        close(getattr(heddle, function)(heddle.asarray(a), axis=1), expected)
    same_error(lambda m: m.nanargmax(m.asarray(a), axis=1))
    same_error(lambda m: m.nanargmin(m.zeros((2, 0)), axis=1))
    expected = numpy.nanvar(a, axis=1, ddof=1)
    close(heddle.nanvar(heddle.asarray(a), axis=1, ddof=1), expected)


def test_nan_to_num():
    a = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 1.5, -0.0])
    for dtype in ("f2", "f4", "f8", "c16"):
        b = a.astype(dtype)
        assert_exact(heddle.nan_to_num(heddle.asarray(b)), numpy.nan_to_num(b))
    x = heddle.asarray(a)
    assert heddle.nan_to_num(x, copy=False, nan=7, posinf=8, neginf=9) is x
    assert_exact(x, numpy.nan_to_num(a, nan=7, posinf=8, neginf=9))
    for values in ({"nan": numpy.inf, "posinf": 1}, {"nan": numpy.arange(5.0)}):
        assert_exact(heddle.nan_to_num(heddle.asarray(a), **values), numpy.nan_to_num(a, **values))
    same_error(lambda m: m.nan_to_num(m.asarray(a), nan=m.zeros((2, 5))))


def test_average():
    a, w = random_values("f8", (4, 5)), random_values("f8", (4, 5), 2, 1, 3)
    x = heddle.asarray(a)
    close(heddle.average(x), numpy.average(a))
    close(heddle.average(x, 0, w), numpy.average(a, 0, w))
    close(heddle.average(x, 1, w[0]), numpy.average(a, 1, w[0]))
    for ours, theirs in zip(
        heddle.average(x, 0, w, returned=True), numpy.average(a, 0, w, returned=True), strict=True
    ):
        close(ours, theirs)
    same_error(lambda m: m.average(m.asarray(a), 0, m.zeros(4)))
    same_error(lambda m: m.average(m.asarray(a), weights=m.zeros(4)))


@pytest.mark.parametrize("weights", ["?", "i8", "f2", "f4", "c8"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "c8"])
def test_types_of_averages(dtype, weights):
    def average(np):
        w = np.array([1, 1, 1, 0, 1]).astype(weights)
        return np.average(np.array([1, 0, 3, 1, 1]).astype(dtype), weights=w, returned=True)

    check(average, ulp=2)


@pytest.mark.parametrize("function", SUMS + EXTREMES + TRUTH)
def test_errors(function):
    ours, theirs = same_error(lambda m: getattr(m, function)(m.zeros((2, 3)), axis=2))
    assert ours == theirs
    same_error(lambda m: getattr(m, function)(m.zeros((2, 3)), axis="x"))
    if not function.startswith("arg"):
        same_error(lambda m: getattr(m, function)(m.zeros((2, 3)), axis=(0, 0)))
    if function in ("min", "max"):
        same_error(lambda m: getattr(m, function)(m.zeros(3), where=m.ones(3, bool)))


@pytest.mark.parametrize("function", ["nanmin", "nanmax", "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_warnings_of_nan_slices(function, axis):
    values = [[numpy.nan, 1.0], [numpy.nan, numpy.nan]]

    def messages(np, rows):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = getattr(np, function)(np.array(rows), axis=axis)
        assert_same = numpy.isnan(host(result)).tolist()
        return assert_same, [str(w.message) for w in caught if "value encountered" not in str(w)]

    for rows in (values, values[1:], [[1.0, 2.0], [3.0, numpy.nan]]):
        assert messages(heddle, rows) == messages(numpy, rows)


@pytest.mark.parametrize("function", ["mean", "var", "std"])
@pytest.mark.parametrize("selected", [[True, True], [True, False], [False, False]])
def test_warnings_where_little_is_selected(function, selected):
    def messages(np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            getattr(np, function)(np.ones((3, 2)), axis=0, where=np.array(selected))
            getattr(np, function)(np.ones((0, 2)), axis=0)
        return [str(w.message) for w in caught if "value encountered" not in str(w)]

    assert messages(heddle) == messages(numpy)


@pytest.mark.parametrize("function", ["mean", "var", "std", "average", "sum", "nanmean", "nanvar"])
@pytest.mark.parametrize("axis", [0, -1, 1, ()])
def test_axes_of_0d_arrays(function, axis):
    check(lambda np: getattr(np, function)(np.array(3.0), axis=axis))


@pytest.mark.parametrize("initial", [None, -0.0, 0.0, numpy.float64(-0.0)])
@pytest.mark.parametrize("values", [[-0.0], [-0.0, -0.0], [0.0, -0.0], [-0.0, 1.0]])
def test_sign_of_zero_sums(values, initial):
    check(lambda np: np.signbit(np.add.reduce(np.array(values), initial=initial)))
    check(lambda np: np.signbit(np.sum(np.array([values] * 2), axis=1, initial=initial)))
    where = [True] * (len(values) - 1) + [False]
    if initial is not None:
        check(lambda np: np.signbit(np.sum(np.array(values), initial=initial, where=where)))


OUTS = {
    "take": lambda np, a, out: np.take(a, [0, 1], axis=1, out=out(2, 2)),
    "compress": lambda np, a, out: np.compress([True, False, True], a, axis=1, out=out(2, 2)),
    "choose": lambda np, a, out: np.choose([0, 1, 0], a, out=out(3)),
    "choose of another shape": lambda np, a, out: np.choose([0, 1, 0], a, out=out(2)),
    "argmax": lambda np, a, out: np.argmax(a, axis=1, out=out(2)),
    "trace": lambda np, a, out: np.trace(np.stack([a, a, a]), out=out(3)),
    "median": lambda np, a, out: np.median(a, axis=1, out=out(2)),
    "nanmedian": lambda np, a, out: np.nanmedian(a, axis=1, out=out(2)),
    "cumsum": lambda np, a, out: np.cumsum(a, axis=1, out=out(2, 3)),
    "mean": lambda np, a, out: np.mean(a, axis=1, out=out(2)),
    "clip": lambda np, a, out: np.clip(a, 2, 4, out=out(2, 3)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OUTS)
def test_types_of_out(name):
    if NEWER and name in ("take", "compress"):
        pytest.skip("NumPy 2.5 writes what they take whatever its type is")
    for dtype in ("i1", "i8", "f4", "c8", "?"):
        for into in ("i1", "u8", "f4", "c16", "?"):

            def run(np, dtype=dtype, into=into):
                made = []

                def out(*shape):
                    made.append(np.zeros(shape, into))
                    return made[0]

                a = np.asarray(numpy.arange(1, 7).reshape(2, 3).astype(dtype))
                assert OUTS[name](np, a, out) is made[0]
                return made[0]

            check(run)


@pytest.mark.parametrize("value", [1, True, 1.5, 2j, numpy.nan])
def test_nan_to_num_of_a_number_is_a_number(value):
    for given in (value, heddle.array(value)):
        for copy in (True, False):
            result = heddle.nan_to_num(given, copy=copy)
            assert numpy.isscalar(result) or type(result).__name__.startswith("scalar")
            assert_exact(result, numpy.nan_to_num(value))


@pytest.mark.parametrize("axis", [[0, 1], [2], True, False, (0, -1), -1])
def test_axes_of_averages(axis):
    check(lambda np: np.average(np.arange(24.0).reshape(2, 3, 4), axis=axis))
    check(lambda np: np.average(np.arange(24.0).reshape(2, 3, 4), axis=axis, keepdims=True))
