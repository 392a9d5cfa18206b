"""Runs the same code with NumPy and with heddle and compares what comes out, errors included."""

import numpy
import pytest
from support import assert_exact, assert_ulp, host, settle

import heddle
from heddle import _core

ARRAYS = (numpy.ndarray, numpy.generic, heddle.ndarray)


def outcome(function, module, settled=True):
    """A result and no error, or no result and an error; `settled`: ours is computed at once."""
    with numpy.errstate(all="ignore"):
        try:
            result = function(module)
            return settle(result) if settled and module is not numpy else result, None
        except Exception as error:
            return None, error


def assert_like(ours, theirs, ulp=None):
    """The same structure, types, shapes and values; `ulp` where results are rounded."""
    if isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs), f"{type(ours)} for {type(theirs)}"
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_like(a, b, ulp)
    elif isinstance(theirs, ARRAYS):
        expected = numpy.asarray(theirs)
        if ulp is not None and expected.dtype.kind in "fcV":
            assert_ulp(ours, expected, expected.dtype, ulp)
        else:
            assert_exact(ours, expected)
    elif isinstance(theirs, float) and theirs != theirs:
        assert float(ours) != float(ours)
    else:
        assert host(ours) == theirs if isinstance(ours, _core.own_array) else ours == theirs


def check(function, ulp=None):
    """NumPy's result, or NumPy's type of error, from the same code."""
    theirs, expected = outcome(function, numpy)
    ours, error = outcome(function, heddle)
    if expected is not None:
        if error is None:
            pytest.fail(f"no error, where NumPy raises {expected!r}")
        assert issubclass(type(error), type(expected)) or issubclass(type(expected), type(error)), (
            f"{error!r} where NumPy raises {expected!r}"
        )
        return
    if error is not None:
        raise error
    assert_like(ours, theirs, ulp)
