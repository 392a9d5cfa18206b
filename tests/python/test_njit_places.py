"""Elements that arrays choose, slices with steps, and arrays that are unpacked."""

import itertools

import numpy as np
import pytest
from njit_support import same

from heddle import njit, numba, simt

ROWS = np.arange(20.0).reshape(4, 5)
PLACES = np.array([2, 0, 3])
MASK = np.array([True, False, True, True])


@njit
def sliced(x, a, b, step):
    return x[a:b:step].copy(), x[::step].copy()


def test_steps_that_are_known_when_it_runs():
    for count, step in itertools.product((0, 1, 5), (1, 2, 3, -1, -2, -7)):
        x = np.arange(count) * 1.0
        for a, b in itertools.product(range(-6, 7, 3), repeat=2):
            same(sliced, x, a, b, step)
    with pytest.raises(ValueError, match="step"):
        sliced(np.arange(3.0), 0, 2, 0)

    @njit
    def sieve(n):
        prime = np.ones(n, np.bool_)
        prime[:2] = False
        for i in range(2, n):
            if prime[i]:
                prime[i * i :: i] = False
        return np.nonzero(prime)[0]

    same(sieve, 200)

    @simt.kernel
    def every(x, out, step):
        if simt.grid(1) == 0:
            part = x[::step]
            for i in range(len(part)):
                out[i] = part[i]

    for step in (3, -2):
        x, out = np.arange(7.0), np.zeros(7)
        every[1, 4](x, out, step)
        np.testing.assert_array_equal(out[: len(x[::step])], x[::step])


def test_elements_that_arrays_choose():
    @njit
    def read(a, i, m):
        both = a[i], a[i, :], a[:, i], a[a > 7], a[m], a[i, 1], a[1, i]
        return both, a[m, 2:4], a[i][0], a[i, i], a[a[:, 0] > 3, 1]

    same(read, ROWS, PLACES, MASK)

    @njit
    def written(x, i, m):
        x[i] = 9
        x[m] = x[m] * 2
        x[x > 12] = -1.0
        x[i] += 1.5
        x[m] -= 1
        x[x < 0] *= 2
        x[~m] = np.arange(4) * 1.0
        return x

    even = np.arange(8) % 2 == 0
    same(written, np.arange(8.0), PLACES, even)
    with pytest.raises(IndexError):
        written(np.arange(8.0), np.array([9]), even)
    with pytest.raises(IndexError):
        written(np.arange(8.0), PLACES, even[:7])
    with pytest.raises(ValueError, match="mask"):
        written(np.arange(8.0), PLACES, np.arange(8) < 3)

    @njit
    def of_rows(a, i, m):
        a[i] = 1.0
        a[:, i] = a[:, i] + 3
        a[a > 10] = 0
        a[m] += np.arange(5)
        a[i, 2] = 77
        a[1:, i] = np.array([1.0, 2.0])
        a[a == 0] += 2
        return a

    same(of_rows, ROWS, PLACES[:2], MASK)

    @simt.kernel
    def cleared(x, m):
        if simt.grid(1) == 0:
            x[m] = 0
            x[x > 5] = 1

    x = np.arange(8.0)
    cleared[1, 1](x, np.arange(8) % 3 == 0)
    np.testing.assert_array_equal(x, [0, 1, 2, 0, 4, 5, 0, 1])


def test_where_something_holds():
    @njit
    def found(x, rows):
        i, j = np.where(rows > 6)
        return np.where(x > 2)[0], i, j, np.nonzero(rows), rows[i, j], np.vdot(x, x)

    same(found, np.arange(5.0), ROWS)


def test_arrays_are_unpacked():
    @njit
    def taken(m):
        a, b, c = m[1]
        (p, q, r), s = m[0], m[1]
        a, b = b, a
        first, second = m
        return a, b, c, p, q, r, s.sum(), first.copy(), second[0]

    same(taken, np.arange(6.0).reshape(2, 3))
    with pytest.raises(ValueError, match="unpacked"):
        taken(np.arange(8.0).reshape(2, 4))

    @njit
    def rest(n):
        a, *b, c = (1, 2.5, n, 4)
        *d, e = b
        return a + c, b[0] + b[1], d[0], e

    same(rest, 7)


def test_what_is_known_not_to_be_reached_need_not_make_sense():
    @njit
    def total(x):
        if x.ndim == 1:
            return x[0] + x.sum()
        return x[0, 0] + x[:, 1].sum()

    same(total, np.arange(4.0))
    same(total, np.arange(4.0).reshape(2, 2))


def test_expressions_of_arrays_are_arrays_for_functions():
    def moved(a, x):
        x[0] = 100.0
        return a[0] + a.sum()

    @njit
    def calls(x, rows):
        return moved(x * 2, x), np.dot(x + 1, rows), (rows * 2) @ (x[:2] + 1)

    same(calls, np.arange(4.0), np.arange(8.0).reshape(4, 2))


@pytest.mark.parametrize("dtype", ["i8", "f4", "c16", "u1", "?"])
def test_updates_of_elements(dtype):
    @njit
    def updated(x, y, i, j):
        x[i, j] += x[j, i]
        x[j, j] = x[j, i] + x[i, j] + x[j, j]
        x[-1, i] = x[-1, i] * x[i, -1] + x[-1, i]
        y[-2] += y[1]
        y[j] = y[j] + y[j - 1]

    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (4, 4)).astype(dtype), rng.integers(0, 2, 5).astype(dtype)
    for i, j in ((0, 1), (-1, 2), (3, -3)):
        same(updated, x, y, i, j)


@pytest.mark.parametrize("index", [4, -5, 10**12])
def test_updates_out_of_range(index):
    @njit
    def updated(x, i):
        x[i] += 1

    x = np.zeros(4, int)
    with pytest.raises(IndexError):
        updated(x, index)
    assert not x.any()


def moved(source, target):
    target[1:] = source[:-1]


def turned(source, target):
    target[::-1] = source


def doubled(source, target):
    target[1:] = source[:-1] * 2


def added(source, target):
    target[1:] += source[:-1]


def of_each_row(source, target):
    for i in range(target.shape[0]):
        target[i, 1:] = source[i, :-1] + source[0, 1:]


@pytest.mark.parametrize("function", [moved, turned, doubled, added, of_each_row])
@pytest.mark.parametrize("compile_", [njit, numba.njit])
@pytest.mark.parametrize("how", ["one", "shifted", "turned", "apart", "interleaved"])
def test_arguments_that_are_parts_of_one_array(function, compile_, how):
    def given():
        whole = np.arange(40.0).reshape(2, 20)
        row = whole if function is of_each_row else whole[0]
        return whole, {
            "one": (row, row),
            "shifted": (row[..., :-2], row[..., 2:]),
            "turned": (row, row[..., ::-1]),
            "apart": (row[..., :10], row[..., 10:]),
            "interleaved": (row[..., ::2], row[..., 1::2]),
        }[how]

    whole, arrays = given()
    compile_(function)(*arrays)
    expected, arrays = given()
    function(*arrays)
    np.testing.assert_array_equal(whole, expected)
