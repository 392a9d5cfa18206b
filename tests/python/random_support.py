"""Shared by the tests of random numbers."""

import numpy
from support import host

import heddle
import heddle.random


def pair(seed=7):
    """The same generator here and in NumPy."""
    return (
        heddle.random.Generator(heddle.random.Philox(seed)),
        numpy.random.Generator(numpy.random.Philox(seed)),
    )


def same_state(ours, theirs):
    a, b = ours.bit_generator.state, theirs.bit_generator.state
    assert a.keys() == b.keys() and a["bit_generator"] == b["bit_generator"]
    numpy.testing.assert_array_equal(a["state"]["counter"], b["state"]["counter"])
    numpy.testing.assert_array_equal(a["state"]["key"], b["state"]["key"])
    numpy.testing.assert_array_equal(a["buffer"], b["buffer"])
    for name in ("buffer_pos", "has_uint32", "uinteger"):
        assert a[name] == b[name], name


def same(actual, expected):
    if isinstance(actual, bytes):
        assert actual == expected
        return
    assert actual.shape == numpy.shape(expected)
    if not isinstance(expected, int | float):  # which NumPy gives for single numbers
        assert actual.dtype == expected.dtype
    numpy.testing.assert_array_equal(host(actual), expected)
