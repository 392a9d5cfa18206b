"""Shared by the tests of heddle.scipy: SciPy is the oracle."""

import warnings

import numpy
import pytest

import heddle
from heddle import _core

# What may differ, relative to the largest element of the result.
TOLERANCE = {"f": 3e-6, "F": 3e-6, "d": 1e-13, "D": 1e-13}


def ours_of(value):
    """NumPy's arrays as ours; other arguments as they are."""
    if isinstance(value, numpy.ndarray):
        return heddle.asarray(value)
    if isinstance(value, (tuple, list)) and any(isinstance(v, numpy.ndarray) for v in value):
        return type(value)(ours_of(v) for v in value)
    return value


def host_of(value):
    return heddle.asnumpy(value) if isinstance(value, _core.own_array) else value


def assert_near(ours, theirs, tolerance=None):
    """The same structure, types and shapes, and values up to a tolerance."""
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_near(a, b, tolerance)
        return
    if not isinstance(theirs, (numpy.ndarray, numpy.generic)):
        if isinstance(theirs, (float, complex)):
            numpy.testing.assert_allclose(complex(ours), theirs, rtol=tolerance or 1e-12)
        else:
            assert ours == theirs
        return
    assert isinstance(ours, _core.own_array) or numpy.ndim(theirs) == 0, type(ours)
    found = numpy.asarray(host_of(ours))
    expected = numpy.asarray(theirs)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    if expected.size == 0:
        return
    if expected.dtype.kind not in "fc":
        numpy.testing.assert_array_equal(found, expected)
        return
    finite = numpy.isfinite(expected)
    numpy.testing.assert_array_equal(numpy.isfinite(found), finite)
    numpy.testing.assert_array_equal(found[~finite], expected[~finite])
    if finite.any():
        size = max(float(numpy.abs(expected[finite]).max()), 1e-30)
        error = float(numpy.abs(found[finite] - expected[finite]).max()) / size
        assert error <= (tolerance or TOLERANCE[expected.dtype.char]), error


def same(ours, theirs, *args, tolerance=None, **kwargs):
    """What a function of ours gives for arguments, compared with SciPy's; errors included."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = theirs(*args, **kwargs)
        except Exception as error:
            with pytest.raises(type(error)):
                ours(*map(ours_of, args), **{k: ours_of(v) for k, v in kwargs.items()})
            return None
        found = ours(*map(ours_of, args), **{k: ours_of(v) for k, v in kwargs.items()})
    assert_near(found, expected, tolerance)
    return found


def numbers(shape, dtype="f8", seed=0):
    """Normal numbers of a type, or small integers."""
    draw = numpy.random.default_rng(seed)
    dtype = numpy.dtype(dtype)
    if dtype.kind == "c":
        return (draw.standard_normal(shape) + 1j * draw.standard_normal(shape)).astype(dtype)
    if dtype.kind in "iu":
        return draw.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
    if dtype.kind == "b":
        return draw.integers(0, 2, shape).astype(dtype)
    return draw.standard_normal(shape).astype(dtype)
