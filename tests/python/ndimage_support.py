"""Calls of scipy.ndimage and of heddle.scipy.ndimage with the same arguments, compared."""

import warnings

import numpy
from scipy import ndimage as theirs

import heddle
from heddle import _core
from heddle.scipy import ndimage as ours

MODES = ("reflect", "constant", "nearest", "mirror", "wrap")
GRID_MODES = (*MODES, "grid-mirror", "grid-constant", "grid-wrap")
TYPES = ("bool", "uint8", "int16", "int64", "float32", "float64", "complex64", "complex128")
REAL_TYPES = tuple(name for name in TYPES if not name.startswith("complex"))
# Sums are in float64 on both sides, and rounded once.
TOLERANCE = {"float32": 3e-6, "complex64": 3e-6, "float64": 1e-11, "complex128": 1e-11}


def sample(rng, shape, dtype, low=-20.0, high=20.0):
    """Numbers of a type; those of unsigned ones are not negative."""
    kind = numpy.dtype(dtype)
    x = rng.uniform(0 if kind.kind in "bu" else low, high, shape)
    if kind.kind == "b":
        return x > high / 2
    if kind.kind == "c":
        return (x + 1j * rng.uniform(low, high, shape)).astype(kind)
    return x.astype(kind)


def given(value):
    """Arguments for ours: NumPy's arrays are ours."""
    if isinstance(value, numpy.ndarray) and value.dtype != object:
        return heddle.asarray(value)
    return value


def host(value):
    """Results as NumPy's."""
    if isinstance(value, _core.own_array):
        return heddle.asnumpy(value)
    if isinstance(value, (tuple, list)):
        return type(value)(host(v) for v in value)
    return value


def outcome(function, *args, **kwargs):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return host(function(*args, **kwargs)), None
        except Exception as error:
            return None, error


def assert_same(mine, wanted, tolerance=None):
    if isinstance(wanted, (tuple, list)):
        assert type(mine) is type(wanted) and len(mine) == len(wanted)
        for a, b in zip(mine, wanted, strict=True):
            assert_same(a, b, tolerance)
        return
    wanted = numpy.asarray(wanted)
    mine = numpy.asarray(mine)
    assert mine.shape == wanted.shape and mine.dtype == wanted.dtype
    rounded = TOLERANCE.get(wanted.dtype.name, 0.0) if tolerance is None else tolerance
    numpy.testing.assert_allclose(mine, wanted, rtol=rounded, atol=10 * rounded)


def same(name, *args, tolerance=None, **kwargs):
    """The same result, or an error of the same type."""
    wanted, expected = outcome(getattr(theirs, name), *args, **kwargs)
    mine, error = outcome(
        getattr(ours, name), *map(given, args), **{k: given(v) for k, v in kwargs.items()}
    )
    if expected is not None:
        assert isinstance(error, type(expected)), f"{error!r} where SciPy raises {expected!r}"
        return
    if error is not None:
        raise error
    assert_same(mine, wanted, tolerance)
