"""Shared by the tests: dtypes, values, memory layouts, and comparison with NumPy.

NumPy is the oracle. Tolerances are in one table, in units in the last place (ULP).
"""

import contextlib

import ml_dtypes
import numpy
import pytest
from numpy.lib import NumpyVersion

import heddle
from heddle import _core

# NumPy 2.5 changed a few things: those tests compare with the versions before.
NEWER = NumpyVersion(numpy.__version__) >= "2.5.0"
bfloat16 = numpy.dtype(ml_dtypes.bfloat16)
BOOL = [numpy.dtype(bool)]
SIGNED = [numpy.dtype(t) for t in ("i1", "i2", "i4", "i8")]
UNSIGNED = [numpy.dtype(t) for t in ("u1", "u2", "u4", "u8")]
FLOATS = [numpy.dtype(t) for t in ("f2", "f4", "f8")]
COMPLEX = [numpy.dtype(t) for t in ("c8", "c16")]
INTEGERS = SIGNED + UNSIGNED
STANDARD = BOOL + INTEGERS + FLOATS + COMPLEX
DTYPES = [*STANDARD, bfloat16]

# What an element of an inexact result may differ by, in ULP of its type, where the operation is not
# exact by definition. Complex results are measured by their modulus.
ULP = {
    numpy.dtype("f2"): 1,
    bfloat16: 1,
    numpy.dtype("f4"): 4,
    numpy.dtype("f8"): 4,
    numpy.dtype("c8"): 8,
    numpy.dtype("c16"): 8,
}
# Sums and products of n elements, relative to the sum of the moduli: pairwise summation.
REDUCE_ULP = dict.fromkeys(ULP, 8)

WIDER = {
    numpy.dtype("f2"): numpy.float64,
    bfloat16: numpy.float64,
    numpy.dtype("f4"): numpy.float64,
    numpy.dtype("f8"): numpy.longdouble,
    numpy.dtype("c8"): numpy.complex128,
    numpy.dtype("c16"): numpy.clongdouble,
}


def name(dtype):
    return str(numpy.dtype(dtype))


def kind(dtype):
    """NumPy's kind, with bfloat16 among the floats."""
    return "f" if dtype == bfloat16 else dtype.kind


def finfo(dtype):
    return ml_dtypes.finfo(dtype)


# By how many places edge values are turned: a test that runs once more gets other inputs.
variation = 0


def edge_values(dtype, special=True):
    """Values at which arithmetic goes wrong, and some ordinary ones."""
    return numpy.roll(_edge_values(numpy.dtype(dtype), special), variation)


def _edge_values(dtype, special):
    if dtype.kind == "b":
        return numpy.array([False, True, True, False])
    if dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        values = [0, 1, 2, 3, 5, 7, 31, 100, limits.max - 1, limits.max]
        if dtype.kind == "i":
            values += [-1, -2, -3, -8, -100, limits.min, limits.min + 1]
        return numpy.array(values, dtype)
    if dtype.kind == "c":
        parts = numpy.array([0.0, 1.0, -1.0, 0.5, -0.25, 2.0, 3.5, -7.0])
        return (parts[:, None] + 1j * parts[None, :]).ravel().astype(dtype)
    limits = finfo(dtype)
    values = [
        0.0,
        -0.0,
        0.25,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.5,
        -1.5,
        2.0,
        2.5,
        3.0,
        -3.5,
        7.25,
        10.0,
        -20.0,
    ]
    values += [float(limits.eps), float(limits.tiny), -float(limits.tiny), 0.1, 0.7, -0.9, 42.0]
    if special:
        values += [numpy.nan, numpy.inf, -numpy.inf, float(limits.max), float(limits.min)]
        values += [float(limits.smallest_subnormal), -float(limits.smallest_subnormal)]
    return numpy.array(values).astype(dtype)


def random_values(dtype, shape, seed=0, low=-4, high=4):
    """Ordinary values, reproducible."""
    dtype = numpy.dtype(dtype)
    rng = numpy.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(max(low, 0) if dtype.kind == "u" else low, high + 1, shape).astype(
            dtype
        )
    values = rng.uniform(low, high, shape)
    if dtype.kind == "c":
        values = values + 1j * rng.uniform(low, high, shape)
    return numpy.asarray(values).astype(dtype)


LAYOUTS = ["C", "F", "strided", "reversed", "transposed", "broadcast"]


def in_layout(values, layout):
    """A NumPy array and a heddle array of the same values, as views of the given kind."""
    values = numpy.asarray(values)
    if layout == "C":
        return values.copy("C"), heddle.asarray(values)
    if layout == "F":
        return values.copy("F"), heddle.asarray(values).copy("F")
    if layout == "strided":
        wide = numpy.zeros((*values.shape[:-1], values.shape[-1] * 2), values.dtype)
        wide[..., ::2] = values
        return wide[..., ::2], heddle.asarray(wide)[..., ::2]
    if layout == "reversed":
        turned = values[..., ::-1].copy()
        return turned[..., ::-1], heddle.asarray(turned)[..., ::-1]
    if layout == "transposed":
        turned = values.T.copy()
        return turned.T, heddle.asarray(turned).T
    row = values[:1].copy()
    return (
        numpy.broadcast_to(row, values.shape),
        heddle.broadcast_to(heddle.asarray(row), values.shape),
    )


def host(x):
    return x.get() if isinstance(x, _core.own_array) else numpy.asarray(x)


def settle(result):
    """Computes the arrays of a result, and waits: what a device finds out later is raised here."""
    arrays = result if isinstance(result, (tuple, list)) else [result]
    heddle.eval(*(a for a in arrays if isinstance(a, _core.own_array)))
    heddle.synchronize()
    return result


def assert_near(actual, expected, **tolerances):
    """NumPy's comparison, of arrays of any device."""
    numpy.testing.assert_allclose(host(actual), host(expected), **tolerances)


def assert_same(actual, expected):
    """NumPy's comparison of values alone, of arrays of any device."""
    numpy.testing.assert_array_equal(host(actual), host(expected))


def assert_exact(actual, expected):
    """The same type, shape and values, bit for bit but for the payload of nans."""
    actual, expected = host(actual), numpy.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if kind(expected.dtype) in "fc":
        if expected.dtype == bfloat16:
            actual, expected = actual.astype("f4"), expected.astype("f4")
        numpy.testing.assert_array_equal(actual, expected)
        for part in ("real", "imag") if expected.dtype.kind == "c" else ("real",):
            a, e = getattr(actual, part), getattr(expected, part)
            numeric = ~numpy.isnan(e)
            numpy.testing.assert_array_equal(numpy.signbit(a)[numeric], numpy.signbit(e)[numeric])
    else:
        numpy.testing.assert_array_equal(actual, expected)


def assert_ulp(actual, expected, dtype, ulp=None, scale=0):
    """Values of type `dtype` close to a reference of a wider type.

    The unit is that of the reference, or of `scale` where that is larger.
    """
    actual, dtype = host(actual), numpy.dtype(dtype)
    assert actual.dtype == dtype
    expected = numpy.asarray(expected)
    assert actual.shape == expected.shape
    ulp = ULP[dtype] if ulp is None else ulp
    with numpy.errstate(all="ignore"):
        rounded = expected.astype(dtype)
        plain = numpy.isfinite(rounded.astype("c16"))
        same = numpy.asarray(actual == rounded) | (numpy.isnan(actual) & numpy.isnan(rounded))
        wide = WIDER[dtype]
        real = rounded.real.dtype if dtype.kind == "c" else dtype
        limits = finfo(real)
        size = numpy.maximum(numpy.abs(expected.astype(wide)), scale)
        unit = numpy.maximum(size * float(limits.eps), float(limits.smallest_subnormal))
        error = numpy.abs(actual.astype(wide) - expected.astype(wide)) / unit
        close = plain & (error <= ulp)
    bad = ~(same | close)
    if bad.any():
        where = numpy.argwhere(bad)[:5]
        lines = [
            f"{tuple(map(int, i))}: {actual[tuple(i)]!r} for {expected[tuple(i)]!r} "
            f"({float(error[tuple(i)]):.3g} ulp)"
            for i in where
        ]
        pytest.fail(f"{int(bad.sum())} of {bad.size} elements differ:\n" + "\n".join(lines))


@contextlib.contextmanager
def waiting(everything=True):
    """Tests are small, and what is done at the call for few elements never waits: here it does."""
    if not everything:
        yield
        return
    before = heddle._core.exchange_at_once(0)
    try:
        yield
    finally:
        heddle._core.exchange_at_once(before)


def launches(function, *prepare, waits=True):
    """How many kernels a function launches, few elements waiting as many do."""
    heddle.eval(*prepare)
    heddle.reset_stats()
    with waiting(waits):
        heddle.eval(function())
    return heddle.stats()["launched"]


def same_error(function, *make):
    """Runs a function with NumPy and with heddle; both must raise the same type of error."""
    errors = []
    for module in (numpy, heddle):
        with pytest.raises(Exception) as caught, numpy.errstate(all="ignore"):
            settle(function(module))
        errors.append(caught)
    theirs, ours = errors
    assert issubclass(ours.type, theirs.type) or issubclass(theirs.type, ours.type), (
        f"NumPy: {theirs.type.__name__}: {theirs.value}; heddle: {ours.type.__name__}: {ours.value}"
    )
    return str(ours.value), str(theirs.value)


class Ragged:
    """A sequence whose items cannot be read."""

    def __len__(self):
        return 3

    def __getitem__(self, i):
        raise RuntimeError("no items")


def grid(np, *shape, dtype=int):
    return np.arange(int(numpy.prod(shape)), dtype=dtype).reshape(shape)
