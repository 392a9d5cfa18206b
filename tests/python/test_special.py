"""heddle.special against SciPy, and digits of functions with code of ours against mpmath.

Kernels take longer to compile than elsewhere, so that each run looks at some functions only, others
for each seed; HEDDLE_TEST_ALL in the environment makes it all of them.
"""

import os
import pickle

import mpmath
import numpy
import pytest
import scipy.special
from oracles import SCIPY, facts, wide_reference
from support import (
    DTYPES,
    LAYOUTS,
    assert_exact,
    assert_ulp,
    bfloat16,
    edge_values,
    in_layout,
    launches,
    name,
)

import heddle
from heddle import _core, special
from heddle._special import host
from heddle._special.examples import _calls

UFUNCS = heddle._core.special_ufuncs
FUNCTIONS = sorted(UFUNCS)
ALL = "HEDDLE_TEST_ALL" in os.environ
VECTORS = [f for f in FUNCTIONS if not facts(f)["routine"]]  # have vector code
HOST_ONLY = ("mathieu_cem", "mathieu_sem", "mathieu_mod", "obl_", "pro_", "pbdv", "pbvv")
# What scipy.special has and heddle.special has not.
MISSING = set()
# CuPy has them, and SciPy had.
OLDER = {"btdtr", "btdtri"}


def sample(names, seed, count):
    if ALL:
        return names
    chosen = numpy.random.default_rng(seed).permutation(names)[:count]
    return sorted(chosen.tolist())


def operands(function, count=40, seed=0):
    """Arrays of operands around those of the function's example."""
    rng = numpy.random.default_rng(seed)
    text = _calls[function][0] if function != "erf" else "[0.5, 1.5]"
    made = []
    for value in eval(f"({text},)"):
        values = numpy.resize(numpy.asarray(value), count)
        if values.dtype.kind == "f":
            near = 1 + 0.2 * rng.uniform(-1, 1, count)
            top = 1 if (values <= 1).all() else numpy.inf
            values = numpy.minimum(values * near, top)
        elif values.dtype.kind == "c":
            values = values * (1 + 0.2 * rng.uniform(-1, 1, count))
        made.append(values)
    return made


def differences(ours, theirs):
    """In units in the last place of the larger part; 0 where both are nan or the same infinity."""
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    unit = numpy.finfo(theirs.dtype).eps * numpy.abs(theirs)
    unit = numpy.maximum(unit, numpy.finfo(theirs.dtype).tiny)
    with numpy.errstate(all="ignore"):
        error = numpy.abs(ours - theirs) / unit
    same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
    return numpy.where(same, 0, error)


def needs_host(function):
    """Skips what GPUs do not have: these functions take memory from the heap."""
    if function.startswith(HOST_ONLY) and str(heddle.empty(1).device) != "cpu":
        with pytest.raises(RuntimeError, match="which this device does not have"):
            heddle.eval(UFUNCS[function](*map(heddle.asarray, operands(function))))
        pytest.skip("not on GPUs")


def check(function, args, ulps, equal_types=True):
    needs_host(function)
    with numpy.errstate(all="ignore"):
        expected = getattr(scipy.special, function)(*args)
    made = UFUNCS[function](*(heddle.asarray(a) for a in args))
    several = expected if isinstance(expected, tuple) else (expected,)
    for ours, theirs in zip(made if isinstance(made, tuple) else (made,), several, strict=True):
        assert ours.shape == theirs.shape
        if equal_types:
            assert ours.dtype == theirs.dtype
        error = differences(ours.get(), theirs)
        assert (error <= ulps).all(), (function, args, ours.get(), theirs, error.max())


def test_names_are_scipys():
    theirs = set(scipy.special.__all__)
    ours = set(special.__all__) | set(host.NAMES)
    assert theirs - ours == MISSING
    assert not ours - theirs - OLDER
    assert not set(special.__all__) & set(host.NAMES)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_is_scipys(function):
    ours, theirs = getattr(special, function), getattr(scipy.special, function)
    assert isinstance(ours, heddle.ufunc) and (ours.nin, ours.nout) == (theirs.nin, theirs.nout)
    assert pickle.loads(pickle.dumps(ours)) is ours


# Where SciPy's own digits are fewer, ours differ from them.
LOOSE = {"betaincc": 16, "erfc": 100, "gammaln": 100, "kl_div": 32, "log_ndtr": 100, "ndtr": 100}
ON_GPU = os.environ["HEDDLE_DEVICE"] == "cuda"
if ON_GPU:
    # Exponentials and logarithms are the device's. Searches stop within their tolerance elsewhere,
    # and sums whose terms cancel have what those leave.
    LOOSE |= {"bdtrik": 1e6, "nbdtrin": 1e6, "ncfdtridfd": 1e6, "pbwa": 1000, "ndtri_exp": 16}
    LOOSE |= dict.fromkeys(["fdtridfd", "gammainccinv", "gdtrib", "gdtrix"], 64)
    LOOSE |= dict.fromkeys(["ncfdtridfn", "stdtridf"], 64)
if SCIPY >= (1, 18):  # has searches of Boost's there, which stop elsewhere than those of 1.17
    LOOSE |= {"bdtrin": 1e6, "nbdtrik": 1e6}


@pytest.mark.parametrize("function", sample(FUNCTIONS, 1, 30))
def test_values(function):
    check(function, operands(function), LOOSE.get(function, 8))


@pytest.mark.parametrize("function", sample(FUNCTIONS, 2, 6))
def test_single_precision(function):
    args = operands(function)
    if facts(function)["takes"][0] == "order" or any(a.dtype.kind in "iu" for a in args):
        return
    args = [a.astype("F" if a.dtype.kind == "c" else "f") for a in args]
    needs_host(function)
    # Most are computed in double precision here, some of SciPy's in single precision.
    theirs = getattr(scipy.special, function)
    expected = theirs(*(a.astype("D" if a.dtype.kind == "c" else "d") for a in args))
    of_type, made = theirs(*args), UFUNCS[function](*map(heddle.asarray, args))
    if UFUNCS[function].nout == 1:
        of_type, made, expected = (of_type,), (made,), (expected,)
    for ours, wide, like in zip(made, expected, of_type, strict=True):
        assert ours.dtype == like.dtype
        assert (differences(ours.get(), wide.astype(like.dtype)) <= 4).all()


COMPLEX = [f for f in FUNCTIONS if any("D->" in loop for loop in UFUNCS[f].loops)]


@pytest.mark.parametrize("function", sample(COMPLEX, 3, 5))
def test_complex_numbers(function):
    rng = numpy.random.default_rng(4)
    args = []
    for a, takes in zip(operands(function), facts(function)["takes"], strict=True):
        turned = a * numpy.exp(1j * rng.uniform(-1, 1, a.shape)) if takes == "value" else a
        args.append(turned)
    check(function, args, 128 if ON_GPU else 64)


@pytest.mark.parametrize("function", sample([f for f in FUNCTIONS if UFUNCS[f].nin == 1], 5, 8))
def test_edge_values(function):
    if "d->" not in "".join(UFUNCS[function].loops):
        return
    values = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0, -1.0, 2.0, 1e-300])
    check(function, [values], LOOSE.get(function, 16))


@pytest.mark.parametrize("function", sample(FUNCTIONS, 6, 3))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(function, layout):
    needs_host(function)
    args = [a.reshape(5, 8) for a in operands(function)]
    theirs, ours = zip(*(in_layout(a, layout) for a in args), strict=True)
    expected = getattr(scipy.special, function)(*theirs)
    made = UFUNCS[function](*ours)
    first, wanted = (made[0], expected[0]) if isinstance(made, tuple) else (made, expected)
    assert (differences(first.get(), wanted) <= LOOSE.get(function, 8)).all()


def types_of(expected):
    """What SciPy's functions give; since 1.18 all of them try single precision first."""
    wide = numpy.promote_types(expected, numpy.float64)
    return (expected, wide) if SCIPY >= (1, 18) else (expected,)


ORDERED = [
    "gamma",
    "binom",
    "beta",
    "jv",
    "eval_chebyt",
    "bdtr",
    "nbdtr",
    "hyp2f1",
    "xlogy",
    "wofz",
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("function", ORDERED)
def test_types_are_scipys(function):
    theirs, ours = getattr(scipy.special, function), UFUNCS[function]
    single, double = numpy.float32([0.5, 0.25]), numpy.float64([0.5, 0.25])
    yes = numpy.array([True, False])
    others = [2, 1.5, numpy.int16([1, 2]), numpy.int64([1, 2]), double, single.astype("F"), True]
    for other in others:
        for last in (
            single,
            double,
            single.astype("f2"),
            single.astype("F"),
            numpy.int8([1, 2]),
            yes,
        ):
            args = [other] * (theirs.nin - 1) + [last]
            try:
                with numpy.errstate(all="ignore"):
                    expected = theirs(*args).dtype
            except TypeError:
                with pytest.raises(TypeError):
                    ours(*(heddle.asarray(a) if hasattr(a, "dtype") else a for a in args))
                continue
            made = ours(*(heddle.asarray(a) if hasattr(a, "dtype") else a for a in args))
            types = [getattr(a, "dtype", a) for a in args]
            assert made.dtype in types_of(expected), (function, types)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != bfloat16], ids=name)
def test_types_of_one_operand(dtype):
    for function in ("erf", "entr"):
        values = edge_values(dtype)
        try:
            with numpy.errstate(all="ignore"):
                expected = getattr(scipy.special, function)(values).dtype
        except TypeError:
            with pytest.raises(TypeError):
                UFUNCS[function](heddle.asarray(values))
            continue
        assert UFUNCS[function](heddle.asarray(values)).dtype in types_of(expected)


@pytest.mark.parametrize("function", ["cbrt", "exp2", "expm1", "log1p", "round"])
def test_functions_that_numpy_has_too(function):
    """Types are SciPy's: NumPy's of the same names compute small integers in float16."""
    theirs, ours = getattr(scipy.special, function), getattr(special, function)
    assert pickle.loads(pickle.dumps(ours)) is ours
    for dtype in "?bBhHiIlLefd":
        x = numpy.array([0, 1, 1, 0]).astype(dtype)
        expected = theirs(x)
        for call in (ours, theirs, lambda a: ours(a, where=heddle.ones(4, bool))):
            found = call(heddle.asarray(x))
            assert found.dtype in types_of(expected.dtype), dtype
            numpy.testing.assert_allclose(found.get(), expected, rtol=1e-6)
        assert ours(x[1]).dtype in types_of(expected.dtype)
    for number in (2, True):
        assert ours(number).dtype in types_of(theirs(number).dtype)
        wanted = theirs(float(number))
        numpy.testing.assert_allclose(float(ours(number)), wanted, rtol=1e-15)
    assert getattr(heddle, function)(heddle.arange(3, dtype="i1")).dtype != numpy.float64
    if function == "round":
        with pytest.raises(TypeError, match="not supported for the input types"):
            special.round(heddle.asarray([1j]))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "f2", "f4", "f8"])
def test_types_of_composed_functions(dtype):
    x = numpy.array([3, 4, 6], dtype)
    calls = [("softmax", (x,)), ("log_softmax", (x,)), ("multigammaln", (x, 2))]
    calls += [("polygamma", (n, x)) for n in (2, x, x.astype("f4"))]
    for function, args in calls:
        expected = getattr(scipy.special, function)(*args)
        found = getattr(heddle.special, function)(*map(as_array, args))
        assert found.dtype in types_of(expected.dtype), function
        width = min(expected.dtype.itemsize, x.itemsize if x.dtype.kind == "f" else 2 * x.itemsize)
        close = {2: 2e-3, 4: 2e-6, 8: 1e-13}[width]
        numpy.testing.assert_allclose(heddle.asnumpy(found), expected, rtol=close)
    with pytest.raises(TypeError, match="boolean subtract"):
        heddle.special.softmax(heddle.asarray([True, False]))


def test_numbers_are_numbers():
    """Of all elements a number comes out, as of other reductions, not an array without axes."""
    x = heddle.asarray([1.0, 2.0])
    for found in (special.logsumexp(x), *special.logsumexp(x, b=x, return_sign=True)):
        assert type(found) is type(x.sum())
    assert special.logsumexp(x, keepdims=True).shape == (1,)
    assert type(special.factorial(numpy.nan)) is type(special.factorial(2.5))


def test_several_results_of_one_call_are_one_kernel():
    x = heddle.linspace(0, 2, 1000)
    assert launches(lambda: sum(part.sum() for part in special.airy(x)), x) <= 2
    # All that are kept are computed with the first that is looked at, and no other.
    assert launches(lambda: [part.get() for part in special.airy(x)] and x, x) == 1
    assert launches(lambda: [special.sici(x)[1].get()] and x, x) == 1
    y = heddle.linspace(0.1, 2.0, 50)
    first, second = special.fresnel(x), special.fresnel(y)
    assert launches(lambda: [part.get() for part in first] and x, x, y) == 1
    for found, expected in zip(second, scipy.special.fresnel(y.get()), strict=True):
        assert_ulp(found, expected, "f8", 4)
    out = tuple(heddle.empty(1000) for _ in range(4))
    made = special.airy(x, out=out)
    assert all(a is b for a, b in zip(made, out, strict=True))
    assert_ulp(out[3], scipy.special.airy(x.get())[3], "f8", 4)


def test_scipys_functions_of_our_arrays_are_ours():
    x = heddle.linspace(0.1, 0.9, 9)
    for function in ("gamma", "expit", "erfinv", "zeta"):
        made = getattr(scipy.special, function)(x)
        assert isinstance(made, _core.own_array), function
        expected = getattr(scipy.special, function)(x.get())
        numpy.testing.assert_allclose(made.get(), expected, rtol=1e-14, err_msg=function)
    assert launches(lambda: scipy.special.gamma(x) + 1, x) == 1


def test_other_places_have_the_same_functions():
    from heddle.cupyx.scipy import special as of_cupy
    from heddle.scipy import special as of_scipy

    assert of_cupy.gamma is of_scipy.gamma is special.gamma
    assert of_scipy.logsumexp is special.logsumexp


# --- functions with vector code: digits ---


def _by_mpmath(function):
    m = mpmath
    return {
        "erf": m.erf,
        "erfc": m.erfc,
        "ndtr": lambda x: m.erfc(-x / m.sqrt(2)) / 2,
        "expit": lambda x: 1 / (1 + m.exp(-x)),
        "log_expit": lambda x: -m.log1p(m.exp(-x)),
        "logit": lambda x: m.log(x / (1 - x)),
        "entr": lambda x: -x * m.log(x),
        "i0": lambda x: m.besseli(0, x),
        "i1": lambda x: m.besseli(1, x),
        "i0e": lambda x: m.besseli(0, x) * m.exp(-abs(x)),
        "i1e": lambda x: m.besseli(1, x) * m.exp(-abs(x)),
    }[function]


DIGITS = {
    "erfc": (-6, 26, 4),
    "ndtr": (-37, 9, 4),
    "expit": (-30, 40, 3),
    "log_expit": (-40, 40, 3),
    "logit": (1e-3, 0.999, 4),
    "entr": (1e-3, 5, 3),
    "i0": (-30, 30, 4),
    "i1": (-30, 30, 4),
    "i0e": (-40, 40, 4),
    "i1e": (-40, 40, 4),
}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", DIGITS)
def test_digits(function, dtype):
    low, high, ulps = DIGITS[function]
    if dtype == "f4" and function in ("erfc", "ndtr"):
        low, high = max(low, -12), min(high, 9)
    rng = numpy.random.default_rng(3)
    values = rng.uniform(low, high, 200)
    if function in ("i0", "i1", "i0e", "i1e"):
        values[:50] = rng.choice([-1, 1], 50) * 10.0 ** rng.uniform(-8, 0, 50)
        ulps = 1 if dtype == "f4" else ulps
    values = values.astype(dtype)
    exact = [_by_mpmath(function)(mpmath.mpf(float(x))) for x in values]
    wide = numpy.array([numpy.longdouble(mpmath.nstr(e, 30)) for e in exact])
    made = UFUNCS[function](heddle.asarray(values))
    unit = numpy.abs(wide) * numpy.finfo(dtype).eps
    error = numpy.abs(made.get().astype(numpy.longdouble) - wide) / unit
    assert (error <= ulps).all(), (float(error.max()), values[error.argmax()])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_digits_of_log_ndtr_far_out(dtype):
    values = -(10.0 ** numpy.random.default_rng(4).uniform(0.5, 9, 300)).astype(dtype)
    with mpmath.workprec(200):
        wide = [mpmath.log(mpmath.ncdf(float(x))) for x in values]
        wide = numpy.array([numpy.longdouble(mpmath.nstr(e, 30)) for e in wide])
    error = numpy.abs(special.log_ndtr(heddle.asarray(values)).get() - wide) / numpy.abs(wide)
    assert (error <= 4 * numpy.finfo(dtype).eps).all(), values[error.argmax()]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_digits_of_erf(dtype):
    rng = numpy.random.default_rng(3)
    parts = [rng.uniform(-6.5, 6.5, 1500), rng.uniform(-1.2, 1.2, 1500), rng.normal(size=500)]
    parts += [10.0 ** rng.uniform(-30, 0, 300), [0.9, 1.0, -1.0, 3.9, 4.0, 5.9, 6.0, 30.0, 1e300]]
    with numpy.errstate(over="ignore"):
        values = numpy.concatenate([*parts, edge_values(dtype)]).astype(dtype)
    made = special.erf(heddle.asarray(values))
    with numpy.errstate(all="ignore"):
        assert_ulp(made, wide_reference("erf", (values,), dtype), dtype, 1)
    signs = numpy.signbit(made.get())
    assert (signs == numpy.signbit(values))[~numpy.isnan(values)].all()


# test_special_extremes.py has those of pseudo_huber, whose formula overflows in SciPy.
@pytest.mark.parametrize("function", [name for name in VECTORS if name != "pseudo_huber"])
def test_ends_of_vector_code(function):
    values = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1e300])
    args = [values] if UFUNCS[function].nin == 1 else [values[:, None], values[None, :]]
    check(function, args, 16)


def test_what_scipy_loses():
    """Of one half and one half Boost has the arcsine of numbers near 1; 0F1 overflows."""
    x = numpy.array([1e-10, 1e-3, 0.3, 0.5, 0.9])
    exact = [float(2 / mpmath.pi * mpmath.acos(mpmath.sqrt(mpmath.mpf(e)))) for e in x]
    found = special.betaincc(0.5, 0.5, heddle.asarray(x))
    numpy.testing.assert_allclose(found.get(), exact, rtol=4e-16 * 4)
    assert special.hyp0f1(1.0, heddle.asarray([1e10, 1e50])).get().tolist() == [numpy.inf] * 2
    assert numpy.isnan(special.erfcinv(heddle.asarray([-5e-324])).get()).all()


def test_ends_of_erf():
    x = heddle.array([numpy.inf, -numpy.inf, numpy.nan, 0.0, -0.0, 5e-324])
    expected = [1.0, -1.0, numpy.nan, 0.0, -0.0, float(mpmath.mpf("1.128379") * 5e-324)]
    assert_exact(special.erf(x), numpy.array(expected))


def test_functions_fuse_with_what_is_around_them():
    x = heddle.linspace(-2, 2, 1000)
    assert launches(lambda: (special.erf(x * 0.5) + 1).sum(), x) == 1
    assert launches(lambda: (special.gamma(x * 0.5 + 3) + 1).sum(), x) == 1


def test_keywords_and_methods():
    x = heddle.linspace(-1, 1, 5)
    out = heddle.empty(5)
    assert special.erf(x, out=out) is out
    assert_ulp(out, scipy.special.erf(x.get()), "f8", 1)
    assert special.erf(x, dtype="f4").dtype == numpy.float32
    special.erf.at(out, [0, 0])
    assert_ulp(out[0], scipy.special.erf(scipy.special.erf(scipy.special.erf(-1.0))), "f8", 2)
    table = special.binom.outer(heddle.arange(5), heddle.arange(3))
    assert_ulp(table, scipy.special.binom.outer(numpy.arange(5), numpy.arange(3)), "f8", 2)


# --- composed functions ---

COMPOSED = {
    "logsumexp": [([1.0, 1000.0, 2.0],), ([[1.0, 2.0], [3.0, -numpy.inf]], 1)],
    "softmax": [([1.0, 1000.0, 2.0],), ([[1.0, 2.0], [3.0, 4.0]], 0)],
    "log_softmax": [([1.0, 10.0, 2.0],)],
    "softplus": [([-1000.0, 0.0, 1.0, 1000.0],)],
    "sinc": [([0.0, 0.3],)],
    "diric": [([0.0, 1.0, 2 * numpy.pi, 4.0], 3), ([0.0, 1.0, 2 * numpy.pi, 4.0], 4)],
    "zeta": [([2.0, 3.5, -1.5],), ([2.0, 3.5], [1.0, 2.5])],
    "polygamma": [(1, [0.5, 2.0]), ([[0], [2]], [0.5, 2.0])],
    "multigammaln": [([5.0, 7.5], 3)],
    "lambertw": [([1.0, -0.1, 5.0],), ([1.0 + 1j, -0.1], -1), (1.0,), (numpy.float32([1, 2]),)],
    "comb": [([4, 5, 10], 2), ([4, 5], [5, -1])],
    "perm": [([4, 5, 10], 2), ([4, 5], [5, -1])],
    "factorial": [([0, 1, 5, 20, -1],), ([0.5, 2.5],)],
    "factorial2": [([0, 1, 2, 7, 8, 15],)],
    "factorialk": [([0, 1, 5, 8, 14], 3)],
    "jvp": [(1, [0.5, 2.0]), (1.5, [0.5, 2.0], 2)],
    "yvp": [(1, [0.5, 2.0])],
    "kvp": [(1, [0.5, 2.0], 2)],
    "ivp": [(1, [0.5, 2.0])],
    "h1vp": [(1, [0.5, 2.0])],
    "h2vp": [(1, [0.5, 2.0])],
    "spherical_jn": [(2, [0.5, 2.0, 0.0]), (2, [0.5, 2.0], True), (1, [1 + 1j, 2.0])],
    "spherical_yn": [(2, [0.5, 2.0])],
    "spherical_in": [(2, [0.5, 2.0])],
    "spherical_kn": [(2, [0.5, 2.0], True)],
    "sph_harm_y": [(3, [1, -2, 0], [0.3, 0.5, 1.0], 0.7)],
}


def as_array(value):
    return numpy.asarray(value) if isinstance(value, list) else value


@pytest.mark.parametrize("function", COMPOSED)
def test_composed_functions(function):
    for call in COMPOSED[function]:
        theirs = [as_array(x) for x in call]
        ours = [heddle.asarray(x) if isinstance(x, numpy.ndarray) else x for x in theirs]
        expected = getattr(scipy.special, function)(*theirs)
        made = getattr(special, function)(*ours)
        assert made.dtype == expected.dtype, function
        numpy.testing.assert_allclose(made.get(), expected, rtol=2e-13, atol=1e-300)


@pytest.mark.parametrize("n", [3, numpy.int16(3), numpy.float32(3), 3.0])
def test_types_of_diric(n):
    """The order's type counts, a number's too."""
    x = numpy.array([0.1, 2.0], "f4")
    expected = scipy.special.diric(x, n)
    found = heddle.special.diric(heddle.asarray(x), n)
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(found.get(), expected, rtol=1e-6)


def test_sums_of_nothing():
    """SciPy's functions refuse to look for the largest of nothing, those of nn do not."""
    for function in ("softmax", "log_softmax"):
        with pytest.raises(ValueError, match="zero-size"):
            getattr(scipy.special, function)(numpy.empty(0))
        with pytest.raises(ValueError, match="zero-size"):
            getattr(special, function)(heddle.empty(0))
        assert getattr(special, function)(heddle.empty((0, 3)), axis=1).shape == (0, 3)
        assert getattr(heddle.nn, function)(heddle.empty((2, 0))).shape == (2, 0)
    assert special.logsumexp(heddle.empty(0)) == heddle.nn.logsumexp(heddle.empty(0)) == -heddle.inf


@pytest.mark.parametrize("k", [2, 3, 2.5, -2.0, 1 + 2j])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_factorials_of_any_numbers(k, dtype):
    n = numpy.array([0, 1, 2.5, 7, -0.5]).astype(dtype)
    expected = scipy.special.factorialk(n, k, extend="complex")
    made = special.factorialk(heddle.asarray(n), k, extend="complex")
    assert made.dtype == expected.dtype
    numpy.testing.assert_allclose(made.get(), expected, rtol=1e-5 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("function", ["jvp", "yvp", "kvp", "ivp", "h1vp"])
def test_numbers_beside_single_precision(function):
    """Types are SciPy's: its orders are arrays, its arguments numbers where they are."""
    z = numpy.float32([0.5, 2.0])
    for call in ((1, z), (numpy.float32(1), z), (numpy.float32([0, 1]), 2.0), (1, z, 0)):
        expected = getattr(scipy.special, function)(*call)
        made = getattr(special, function)(
            *(heddle.asarray(x) if isinstance(x, numpy.ndarray) else x for x in call)
        )
        assert made.dtype == expected.dtype, call
        numpy.testing.assert_allclose(made.get(), expected, rtol=2e-6)


def test_exact_counts_are_pythons_integers():
    assert special.comb(60, 30, exact=True) == scipy.special.comb(60, 30, exact=True)
    assert special.perm(10, 3, exact=True) == 720
    assert special.factorial(25, exact=True) == scipy.special.factorial(25, exact=True)
    assert special.factorial2(9, exact=True) == scipy.special.factorial2(9, exact=True)
    made = special.factorial(heddle.array([3, 0, 5]), exact=True)
    assert made.tolist() == [6, 1, 120]
    numbers = numpy.array([[100_003, -4, 0], [7, 100_003, 12]])
    made = special.factorialk(heddle.asarray(numbers), 100_000, exact=True)
    assert made.tolist() == scipy.special.factorialk(numbers, 100_000, exact=True).tolist()
    for which, numbers in (("factorial", [[3, 40], [1000, 5]]), ("factorial2", [41, 0, -1])):
        made = getattr(special, which)(heddle.array(numbers), exact=True)
        assert made.dtype == object  # NumPy's, of Python's integers
        assert made.tolist() == getattr(scipy.special, which)(numbers, exact=True).tolist()
    assert numpy.isnan(float(special.factorial(numpy.nan, exact=True)))


def test_scipys_own_give_our_arrays():
    nodes, weights = special.roots_legendre(5)
    expected = scipy.special.roots_legendre(5)
    assert isinstance(nodes, _core.own_array)
    numpy.testing.assert_array_equal(nodes.get(), expected[0])
    numpy.testing.assert_array_equal(weights.get(), expected[1])
    assert isinstance(special.jn_zeros(0, 3), _core.own_array)


# --- derivatives ---

SLOPES = [
    "erf",
    "erfc",
    "erfcx",
    "erfi",
    "erfinv",
    "erfcinv",
    "dawsn",
    "ndtr",
    "log_ndtr",
    "ndtri",
    "gamma",
    "gammaln",
    "loggamma",
    "rgamma",
    "digamma",
    "beta",
    "betaln",
    "gammainc",
    "gammaincc",
    "betainc",
    "betaincc",
    "expit",
    "log_expit",
    "logit",
    "exp10",
    "exprel",
    "xlogy",
    "xlog1py",
    "entr",
    "rel_entr",
    "kl_div",
    "huber",
    "pseudo_huber",
    "boxcox",
    "cosm1",
    "sindg",
    "cosdg",
    "j0",
    "j1",
    "y0",
    "y1",
    "i0",
    "i1",
    "i0e",
    "i1e",
    "k0",
    "k1",
    "k0e",
    "k1e",
    "jv",
    "yv",
    "iv",
    "kv",
    "kve",
    "airy",
    "ellipk",
    "ellipe",
    "exp1",
    "expi",
    "sici",
    "shichi",
    "fresnel",
    "spence",
    "chdtr",
    "chdtrc",
    "stdtr",
    "hyp1f1",
    "eval_chebyt",
    "eval_legendre",
    "eval_laguerre",
    "eval_hermite",
    "eval_hermitenorm",
]
UNKNOWN = dict.fromkeys(("jv", "yv", "iv", "kv", "kve", "chdtr", "chdtrc", "stdtr"), 1)
UNKNOWN |= {"betainc": 2, "betaincc": 2, "hyp1f1": 2}  # so many of the first operands


@pytest.mark.parametrize("function", sample(SLOPES, 7, 12))
def test_derivatives(function):
    args = [a[:6] for a in operands(function)]
    ours, theirs = UFUNCS[function], getattr(scipy.special, function)

    def total(x, place, output):
        given = [heddle.asarray(a) for a in args]
        given[place] = x
        made = ours(*given)
        return (made[output] if isinstance(made, tuple) else made).sum()

    def differences_of(place, output):
        def at(step):
            given = [*args]
            given[place] = given[place] + step
            made = theirs(*given)
            return made[output] if isinstance(made, tuple) else made

        step = 1e-4
        return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)

    for place, a in enumerate(args):
        for output in range(ours.nout):
            slope = heddle.grad(lambda x, p=place, o=output: total(x, p, o))
            if place < UNKNOWN.get(function, 0):
                with pytest.raises(TypeError, match="with respect to its parameters"):
                    slope(heddle.asarray(a))
            elif a.dtype.kind == "f":
                wanted = differences_of(place, output)
                made = slope(heddle.asarray(a)).get()
                numpy.testing.assert_allclose(made, wanted, rtol=1e-7, atol=1e-8)


def test_second_derivatives():
    x = heddle.array([0.5, 1.5, 3.0])
    slope = heddle.grad(lambda x: heddle.grad(lambda x: special.gammaln(x).sum())(x).sum())
    numpy.testing.assert_allclose(slope(x).get(), scipy.special.polygamma(1, x.get()), rtol=1e-13)
    third = heddle.grad(lambda x: slope(x).sum())
    numpy.testing.assert_allclose(third(x).get(), scipy.special.polygamma(2, x.get()), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_logsumexp_of_complex_numbers(dtype):
    """Phases are those of the sum, within half a turn; the sign is the sum's direction."""
    rng = numpy.random.default_rng(0)
    a = (rng.uniform(1, 40, (6, 50)) + 1j * rng.uniform(1, 40, (6, 50))).astype(dtype)
    tolerance = 1e-4 if dtype == "c8" else 1e-11
    found = heddle.asnumpy(special.logsumexp(heddle.asarray(a), axis=1))
    expected = scipy.special.logsumexp(a, axis=1)
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(found, expected, rtol=tolerance)
    assert (abs(found.imag) <= numpy.pi).all()
    for b in (None, numpy.array([1.0, -2.0] * 25)):
        given = None if b is None else heddle.asarray(b)
        made = special.logsumexp(heddle.asarray(a), axis=1, b=given, return_sign=True)
        wanted = scipy.special.logsumexp(a, axis=1, b=b, return_sign=True)
        for ours, theirs in zip(made, wanted, strict=True):
            assert ours.dtype == theirs.dtype or b is not None
            numpy.testing.assert_allclose(heddle.asnumpy(ours), theirs, rtol=tolerance)


@pytest.mark.parametrize("kind", ["cem", "sem", "modcem1", "modcem2", "modsem1", "modsem2"])
def test_orders_beyond_tables_are_nan(kind):
    """SciPy's own crashes."""
    orders = heddle.asarray([1e20, 2.0, 3e9, 2.0, 2.0], device="cpu")
    parameters = heddle.asarray([1.0, 1e300, 1.0, numpy.nan, 1.0], device="cpu")
    for found in getattr(heddle.special, "mathieu_" + kind)(orders, parameters, 2.0):
        assert numpy.isnan(heddle.asnumpy(found)).tolist() == [True] * 4 + [False]


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_types_of_spherical_functions(name):
    x = numpy.array([0.5, 2.0], numpy.float32)
    order, theirs = numpy.array([2]), getattr(scipy.special, name)
    got = heddle.asnumpy(getattr(heddle.special, name)(heddle.asarray(order), heddle.asarray(x)))
    assert got.dtype == theirs(order, x).dtype
    # SciPy's own are of single precision inside.
    rtol = 1e-14 if got.dtype == "f8" else 1e-6
    numpy.testing.assert_allclose(got, theirs(order, x.astype("f8")), rtol=rtol)
