"""heddle.special against SciPy, and its digits against mpmath."""

import pickle

import mpmath
import numpy
import pytest
import scipy.special
from oracles import facts, wide_reference
from support import COMPLEX, DTYPES, assert_exact, assert_ulp, bfloat16, edge_values, launches, name

import heddle
from heddle import special

FUNCTIONS = sorted(heddle._core.special_ufuncs)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_is_scipys(function):
    assert function in special.__all__
    ours, theirs = getattr(special, function), getattr(scipy.special, function)
    assert isinstance(ours, heddle.ufunc) and (ours.nin, ours.nout) == (theirs.nin, theirs.nout)
    assert pickle.loads(pickle.dumps(ours)) is ours


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d not in (*COMPLEX, bfloat16)], ids=name)
def test_types_are_scipys(function, dtype):
    values = edge_values(dtype)
    with numpy.errstate(all="ignore"):
        expected = getattr(scipy.special, function)(values)
    # Of small types SciPy made float64 until 1.18, which makes float32.
    wanted = numpy.dtype(float) if dtype.itemsize <= 2 else expected.dtype
    assert getattr(special, function)(heddle.asarray(values)).dtype == wanted


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="ufunc 'erf' not supported for the input types"):
        special.erf(heddle.ones(3, complex))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_digits_of_erf(dtype):
    rng = numpy.random.default_rng(3)
    parts = [rng.uniform(-6.5, 6.5, 1500), rng.uniform(-1.2, 1.2, 1500), rng.normal(size=500)]
    parts += [10.0 ** rng.uniform(-30, 0, 300), [0.9, 1.0, -1.0, 3.9, 4.0, 5.9, 6.0, 30.0, 1e300]]
    with numpy.errstate(over="ignore"):
        values = numpy.concatenate([*parts, edge_values(dtype)]).astype(dtype)
    made = special.erf(heddle.asarray(values))
    with numpy.errstate(all="ignore"):
        assert_ulp(made, wide_reference("erf", (values,), dtype), dtype, facts("erf")["ulps"])
    signs = numpy.signbit(made.get())
    assert (signs == numpy.signbit(values))[~numpy.isnan(values)].all()


def test_ends_of_erf():
    x = heddle.array([numpy.inf, -numpy.inf, numpy.nan, 0.0, -0.0, 5e-324])
    expected = [1.0, -1.0, numpy.nan, 0.0, -0.0, float(mpmath.mpf("1.128379") * 5e-324)]
    assert_exact(special.erf(x), numpy.array(expected))


def test_erf_fuses_with_what_is_around_it():
    x = heddle.linspace(-2, 2, 1000)
    assert launches(lambda: (special.erf(x * 0.5) + 1).sum(), x) == 1


def test_keywords_and_methods():
    x = heddle.linspace(-1, 1, 5)
    out = heddle.empty(5)
    assert special.erf(x, out=out) is out
    assert_ulp(out, scipy.special.erf(x.get()), "f8", 1)
    assert special.erf(x, dtype="f4").dtype == numpy.float32
    special.erf.at(out, [0, 0])
    assert_ulp(out[0], scipy.special.erf(scipy.special.erf(scipy.special.erf(-1.0))), "f8", 2)
