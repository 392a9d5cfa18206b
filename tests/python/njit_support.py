"""Compiled functions beside the same in Python."""

import numpy as np

from heddle import njit


def same(function, *args, **tolerance):
    """Compares a compiled function with itself in Python, on NumPy's arrays, writes included."""
    ours = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    theirs = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    got = function(*ours)
    expected = function.py_func(*theirs)
    check(got, expected, **tolerance)
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(a, np.ndarray):
            np.testing.assert_allclose(a, b, rtol=tolerance.get("rtol", 1e-12))
    return got


def check(got, expected, rtol=1e-12):
    if isinstance(expected, tuple):
        assert isinstance(got, tuple) and len(got) == len(expected)
        for a, b in zip(got, expected, strict=True):
            check(a, b, rtol)
        return
    if expected is None:
        assert got is None
        return
    if isinstance(expected, np.ndarray):
        assert isinstance(got, np.ndarray)
        assert got.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=rtol)


@njit
def element(x, i):
    return x[i]
