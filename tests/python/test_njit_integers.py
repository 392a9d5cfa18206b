"""Python's integers beside those of small types, against Python with NumPy's scalars."""

import numpy as np
import pytest

from heddle import njit, simt
from heddle.numba import njit as numba_njit

TYPES = (np.int8, np.uint8, np.int16, np.uint32, np.int32, np.int64, np.uint64)


def compared_with_literals(y, c):
    return y[1] > -1, y[1] < 300, y[1] == -255, y[1] != 2**40, -1 <= y[1] < 1000


def compared_with_numbers(y, c):
    return y[1] > c - 50, y[1] < c + 300, y[1] == c + 256, y[1] != c - 256, c - 5 < y[1]


def looked_for(y, c):
    return c - 256 in (y[0], y[1]), -255 in (y[0], y[1]), c in (y[0], y[1])


def least(y, c):
    return min(y[1], c - 50), min(y[1], -5), min(-5, y[1]), min(y[1], c + 300)


def largest(y, c):
    return max(y[1], c + 300), max(y[1], -5), max(c - 50, y[1])


def chosen(y, c):
    a = y[1] if c > 5 else -5
    b = (y[1], -5) if c > 5 else (-7, y[1])
    return a, b[0], b[1], (y[0] or -5), (-5, y[1])[c - 1]


def named(y, c):
    m = -5
    if c > 3:
        m = y[1]
    k = c - 50
    for i in range(3):
        if c + i > 10:
            k = y[i]
    return m, k


def returned(y, c):
    for i in range(len(y)):
        if y[i] == c + 500:
            return y[i]
    return -1


def passed(y, c):
    def inner(n):
        if c > 3:
            n = y[2]
        return n

    return inner(-9)


def listed(y, c):
    items = [-5]
    items.append(y[1])
    return items[0], items[1], len(items)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "function",
    [
        *(compared_with_literals, compared_with_numbers, looked_for, least, largest, chosen, named),
        *(returned, passed, listed),
    ],
)
def test_integers_beside_small_ones(function, dtype):
    y = np.arange(6).astype(dtype)
    compiled = njit(function)
    for c in (1, 2, 6):
        if function is chosen and c > 2:
            continue
        if function is named and dtype == np.uint64:
            continue  # nothing holds both what is computed there and these
        assert compiled(y, c) == function(y, c)


def test_unsigned_numbers_of_64_bits_are_compared_by_value():
    @njit
    def f(x, n):
        return x[0] > n, x[0] == n, n < x[0], n >= x[0], x[0] != -1, min(x[0], n)

    x = np.array([2**64 - 3], np.uint64)
    assert f(x, -3) == (True, False, True, False, True, -3)
    assert f(x, 5) == (True, False, True, False, True, 5)

    @njit
    def g(x, y):
        return x[0] < y[0], x[0] == y[0], x[0] >= y[0]

    assert g(np.array([-1]), np.array([2**64 - 1], np.uint64)) == (True, False, False)
    assert g(np.array([2**62 + 1]), np.array([2**62], np.uint64)) == (False, False, True)


def test_names_keep_the_types_of_arrays_where_these_hold_what_is_given():
    @njit
    def total(x):
        s = 0
        t = s
        for i in range(x.size):
            s += x[i]
            t = s + 1
        return s, t

    for dtype in TYPES:
        assert [a.dtype for a in total(np.ones(3, dtype))] == [dtype, dtype]


def test_arrays_of_numbers_are_as_numpys():
    @njit
    def f(y):
        return np.array([y[0], -5]), np.array([y[1], y[2]])

    y = np.arange(6, dtype=np.uint8)
    for got, expected in zip(f(y), f.py_func(y), strict=True):
        assert got.dtype == expected.dtype and (got == expected).all()


@pytest.mark.parametrize("literal", [300, -1])
def test_literals_that_do_not_fit_are_refused(literal):
    """As NumPy does it."""
    y = np.arange(6, dtype=np.uint8)
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        y[1] + literal

    @njit
    def f(y):
        return y[1] + literal

    with pytest.raises(simt.KernelError, match=f"{literal} out of bounds for uint8"):
        f(y)


def test_threads_keep_what_is_below_zero():
    @simt.kernel
    def k(out):
        i = simt.grid(1)
        m = i - 50
        if i > 20:
            m = simt.ballot_sync(0xFFFFFFFF, i > 21) % 97
        out[i] = m

    out = np.zeros(32, np.int64)
    k[1, 32](out)
    voted = sum(1 << i for i in range(22, 32)) % 97
    assert out.tolist() == [i - 50 if i <= 20 else voted for i in range(32)]


def test_numbas_types_of_names_and_of_one_of_two_numbers():
    @numba_njit
    def of(a, b, x):
        first = 5
        half = first // 2
        first = 0.5
        least, one = max(a[0], b[0]), a[1] if x > 1 else b[1]
        return np.array([half]), np.array([first]), np.array([least]), np.array([one])

    made = of(np.array([3, 7], np.int32), np.array([4, 5], np.int16), 1.5)
    assert [m.dtype.name for m in made] == ["int64", "float64", "int32", "int32"]
    assert [m.item() for m in made] == [2, 0.5, 4, 7]

    @numba_njit
    def later(x, n):
        a = 1
        a = a + 1
        if n and (a := 7) > n:
            a += 1
        for i in range(n):
            a = a + x[i]
        return a

    x = np.arange(4, dtype=np.float32)
    assert later(x, 0) == 2 and later(x, 3) == 11.0 and later(x, 4) == 14.0
