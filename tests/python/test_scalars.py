"""Results that NumPy gives as its scalars: programs take ours for those."""

import collections
import copy
import fractions
import math
import numbers
import pickle
import statistics
from collections import abc

import numpy
import pytest
from support import DTYPES, assert_exact, bfloat16, name

import heddle

KINDS = (
    *(numpy.generic, numpy.number, numpy.integer, numpy.signedinteger, numpy.unsignedinteger),
    *(numpy.inexact, numpy.floating, numpy.complexfloating, numpy.bool, numpy.float64),
    *(float, complex, int, bool),
    *(numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral),
    *(abc.Sized, abc.Iterable, abc.Collection, abc.Sequence, abc.Hashable),
)


def pair(dtype):
    """The same scalar of NumPy's and of ours."""
    a = numpy.array([0, 1, 2]).astype(dtype)
    return a[1], heddle.asarray(a)[1]


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_isinstance(dtype):
    theirs, ours = pair(dtype)
    for kind in KINDS:
        assert isinstance(ours, kind) == isinstance(theirs, kind), kind
    assert isinstance(ours, heddle.ndarray)
    assert ours.__class__ is type(theirs)


@pytest.mark.parametrize(
    "make", [lambda x: x.sum(), lambda x: x[1] * 2, lambda x: x @ x, lambda x: heddle.sin(x[0])]
)
def test_results_of_operations(make):
    assert isinstance(make(heddle.arange(3.0)), float)


@pytest.mark.parametrize(
    "make", [lambda x: x, lambda x: x[1:2], lambda x: x[0][...], lambda x: heddle.array(1.0)]
)
def test_arrays_are_no_scalars(make):
    x = make(heddle.arange(3.0))
    assert not isinstance(x, float | numpy.generic)
    assert isinstance(x, abc.Sized) and hasattr(x, "__len__") and hasattr(x, "__iter__")
    assert x.__class__ is heddle.ndarray


def test_scalars_have_no_length():
    x = heddle.arange(3.0)[1]
    assert not hasattr(x, "__len__") and not hasattr(x, "__iter__")
    assert not numpy.iterable(x) and not heddle.iterable(x)
    for function in (len, iter, list, lambda s: 1 in s):
        with pytest.raises(TypeError):
            function(x)
    assert x.base is None  # None is hidden in those names alone


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != bfloat16], ids=name)
def test_repr_and_str(dtype):
    theirs, ours = pair(dtype)
    assert (repr(ours), str(ours), f"{ours}") == (repr(theirs), str(theirs), f"{theirs}")
    assert repr([ours]) == repr([theirs])
    with numpy.printoptions(precision=2):
        assert repr(heddle.asarray([1 / 3])[0]) == repr(numpy.array([1 / 3])[0])
    assert repr(heddle.array(1.0)) == repr(numpy.array(1.0))


@pytest.mark.parametrize("np", [numpy, heddle])
def test_lists_are_repeated(np):
    n = np.arange(3)[2]
    assert [1, 2] * n == [1, 2, 1, 2]
    assert n * (1, 2) == (1, 2, 1, 2)
    assert "ab" * n == "abab"
    counts = [0]
    counts *= n
    assert counts == [0, 0]
    assert [[]] * np.arange(3, dtype=np.uint8)[2] == [[], []]
    for wrong in (np.arange(3.0)[2], (np.arange(3) > 1)[2]):
        with pytest.raises(TypeError):
            [1, 2] * wrong
    # Arrays of one element or none multiply.
    for factor in (np.array(2), np.array([2]), np.arange(3)[2][...]):
        assert np.array_equal([1, 2] * factor, [2, 4])
    assert np.array_equal(n * np.arange(3), [0, 2, 4])


@pytest.mark.parametrize("np", [numpy, heddle])
def test_attributes_of_numbers(np):
    i, x = np.arange(6)[5], np.arange(6.0)[5] / 2
    assert (i.numerator, i.denominator, i.bit_count()) == (5, 1, 2)
    assert (x.as_integer_ratio(), x.is_integer(), x.hex()) == ((5, 2), False, (2.5).hex())
    assert i.is_integer()
    for array in (np.arange(3), np.array(1)):
        assert not hasattr(array, "numerator") and not hasattr(array, "is_integer")


@pytest.mark.parametrize("np", [numpy, heddle])
def test_standard_library(np):
    x = np.arange(5.0)
    assert fractions.Fraction(x[1] / 2) == fractions.Fraction(1, 2)
    assert fractions.Fraction(np.arange(3)[2]) == 2
    assert statistics.mean(x) == 2 and statistics.median(x) == 2
    assert math.isclose(statistics.stdev(x), x.std(ddof=1))
    assert collections.Counter(np.array([1, 1, 2])) == {1: 2, 2: 1}
    assert x[1] == pytest.approx(1) and pytest.approx(x[1]) == 1 and x[1] == pytest.approx(x[1])
    assert x == pytest.approx([0, 1, 2, 3, 4])
    number = type(x[1])(3)
    assert isinstance(number, numbers.Number) and number == 3


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_copies_are_scalars(dtype):
    theirs, ours = pair(dtype)
    for made in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert made.__class__ is type(theirs)
        assert_exact(made, theirs)
