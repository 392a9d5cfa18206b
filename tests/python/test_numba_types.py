"""Numba's types in `heddle.numba`: of numbers, and of the elements of whole arrays."""

import math

import numpy as np
import pytest

import heddle as hd
from heddle.numba import njit, vectorize
from heddle.simt import KernelError

BIG = np.uint64(2**63 + 5)


@njit
def scaled(x):
    return x * 31 + 1


@njit
def halved(x):
    return x // 2


@njit
def signs(a, b):
    return (a > 0) + (b > 0), (a > 0) * (b > 0), (a > 0) - (b > 0)


@njit
def truths(x):
    total = x[0]
    for i in range(x.size):
        total += x[i]
    return total


@njit
def added(a, b):
    return a + b


@njit
def rooted(a):
    return np.sqrt(a)


@njit
def power(a, b):
    return a**b


@njit
def smaller(a, b):
    return min(a, b)


@njit
def larger(a, b):
    return max(a, b)


def test_an_unsigned_number_beside_a_signed_one_is_signed():
    made = scaled(np.uint64(5))
    assert made == 156 and isinstance(made, int)
    assert scaled(BIG) == (int(BIG) * 31 + 1 + 2**63) % 2**64 - 2**63
    assert halved(np.uint64(5)) == 2
    assert isinstance(scaled(np.uint32(7)), int)


def test_truths_are_added_as_numbers():
    assert signs(1, 2) == (2, 1, 0)
    assert signs(1.0, -1.0) == (1, 0, 1)
    assert truths(np.array([True, False, True])) == 3


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "float32"])
def test_whole_arrays_have_numpys_types(dtype):
    x = np.arange(4).astype(dtype)
    assert added(x, x).dtype == dtype
    np.testing.assert_array_equal(added(x, x), x + x)


def test_whole_arrays_beside_numbers():
    single = np.arange(4, dtype=np.float32)
    assert added(single, 2).dtype == np.float32  # an integer takes the array's type
    assert added(single, 2.5).dtype == np.float64
    assert added(np.arange(4, dtype=np.int8), 2).dtype == np.int64
    assert added(np.arange(4, dtype=np.int8), single).dtype == np.float32
    assert rooted(np.arange(4, dtype=np.int8)).dtype == np.float32


def test_integers_have_no_negative_powers():
    assert power(2, 5) == 32
    assert power(3, -2) == 0  # as Numba has it
    with pytest.raises(ZeroDivisionError, match="0 cannot be raised to a negative power"):
        power(0, -1)

    @hd.njit
    def plain(a, b):
        return a**b

    assert plain(2, 5) == 32
    with pytest.raises(ValueError, match="Integers to negative integer powers"):
        plain(3, -2)


@pytest.mark.parametrize("a", [1.5, -2.0, math.nan, math.inf, 3])
@pytest.mark.parametrize("b", [1.5, -2.0, math.nan, -math.inf, 3])
def test_smallest_and_largest_are_pythons(a, b):
    np.testing.assert_equal(smaller(a, b), float(min(a, b)) if float in map(type, (a, b)) else 3)
    np.testing.assert_equal(larger(a, b), float(max(a, b)) if float in map(type, (a, b)) else 3)


def test_smallest_of_elements_is_pythons():
    @vectorize
    def limited(a, b):
        return min(a, b)

    a = np.array([1.0, math.nan, 3.0, math.nan])
    b = np.array([math.nan, 2.0, 1.0, math.nan])
    expected = [min(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_array_equal(np.asarray(limited(a, b)), expected)


def test_complex_numbers_have_no_order():
    with pytest.raises(KernelError, match="complex numbers have no order"):
        smaller(1j, 2.0)


def test_a_product_in_place_is_refused():
    @njit
    def multiplied(a, b):
        a @= b
        return a

    with pytest.raises(KernelError, match="a = a @ b"):
        multiplied(np.ones(3), np.ones(3))
