"""Compiled functions: what they compute is what Python computes of the same source."""

import math
from collections import namedtuple

import numpy as np
import pytest
from njit_support import element, same

import heddle as hd
from heddle import _core, njit

SCALE = 3


# --- programs ---


@njit
def levenshtein(a, b):
    n, m = len(a), len(b)
    previous = np.arange(m + 1)
    current = np.zeros(m + 1, np.int64)
    for i in range(n):
        current[0] = i + 1
        for j in range(m):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous, current = current, previous
    return previous[m]


@njit
def queens(n, row, columns, left, right):
    if row == n:
        return 1
    count = 0
    for c in range(n):
        if columns >> c & 1 or left >> (row + c) & 1 or right >> (row - c + n) & 1:
            continue
        count += queens(
            n, row + 1, columns | 1 << c, left | 1 << (row + c), right | 1 << (row - c + n)
        )
    return count


@njit
def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through


@njit
def sieve(n):
    prime = np.ones(n + 1, np.bool_)
    prime[0] = prime[1] = False
    p = 2
    while p * p <= n:
        if prime[p]:
            for k in range(p * p, n + 1, p):
                prime[k] = False
        p += 1
    return prime, prime.sum()


@njit
def life(grid, generations):
    h, w = grid.shape
    for _ in range(generations):
        new = np.zeros_like(grid)
        for y in range(h):
            for x in range(w):
                alive = 0
                for dy in range(-1, 2):
                    for dx in range(-1, 2):
                        if dy != 0 or dx != 0:
                            alive += grid[(y + dy) % h, (x + dx) % w]
                if alive == 3 or (alive == 2 and grid[y, x]):
                    new[y, x] = 1
        grid = new
    return grid


@njit
def collatz(n):
    best, longest = 0, 0
    for start in range(1, n):
        steps, x = 0, start
        while x != 1:
            if x % 2 == 0:
                x //= 2
            else:
                x = 3 * x + 1
            steps += 1
        if steps > longest:
            best, longest = start, steps
    return best, longest


def test_programs():
    rng = np.random.default_rng(0)
    same(levenshtein, rng.integers(0, 4, 40), rng.integers(0, 4, 33))
    assert queens(6, 0, 0, 0, 0) == 4
    assert queens(8, 0, 0, 0, 0) == 92
    same(floyd_warshall, rng.random((17, 17)))
    same(sieve, 200)
    same(life, rng.integers(0, 2, (9, 12)).astype(np.uint8), 5)
    assert collatz(1000) == (871, 178)


@pytest.mark.written_outside
def test_arrays_of_heddle_are_written_in_place():
    @njit
    def double(x):
        for i in range(x.size):
            x[i] *= 2

    x = hd.arange(6.0)
    y = x[1:]
    z = x + 1  # pending
    assert double(x) is None
    np.testing.assert_array_equal(hd.asnumpy(x), np.arange(6.0) * 2)
    np.testing.assert_array_equal(hd.asnumpy(y), np.arange(1.0, 6.0) * 2)
    np.testing.assert_array_equal(hd.asnumpy(z), np.arange(6.0) + 1)
    copy = x.copy()
    double(y)
    np.testing.assert_array_equal(hd.asnumpy(copy), np.arange(6.0) * 2)
    np.testing.assert_array_equal(hd.asnumpy(x)[1:], np.arange(1.0, 6.0) * 4)


def test_results():
    @njit
    def many(x, n):
        made = np.empty((2, n))
        made[0] = x[:n]
        made[1] = x[:n] * 2
        return made, made[1], n, x[0], None, (True, 1.5)

    x = np.arange(5.0)
    made, row, n, first, nothing, (flag, number) = many(x, 3)
    assert isinstance(made, np.ndarray) and made.shape == (2, 3)
    np.testing.assert_array_equal(row, [0, 2, 4])
    made[1, 0] = 9
    assert row[0] == 9
    assert n == 3 and isinstance(n, int) and first == 0 and nothing is None
    assert flag is True and number == 1.5

    @njit
    def ours(n):
        return hd.full(n, 7, hd.int32)

    got = ours(4)
    assert isinstance(got, _core.own_array) and got.dtype == np.int32
    np.testing.assert_array_equal(hd.asnumpy(got + 1), [8, 8, 8, 8])


def test_views_of_arguments_are_views():
    @njit
    def part(x):
        return x[1::2]

    @njit
    def whole(x):
        return x

    x = np.arange(6.0)
    got = part(x)
    got[0] = 100
    assert x[1] == 100 and whole(x) is x
    y = hd.arange(6.0)
    got = part(y)
    got[0] = 100
    assert y[1] == 100 and whole(y) is y
    x.flags.writeable = False
    assert whole(x) is x


def test_types_are_those_of_numpy():
    @njit
    def f(x):
        s = 0
        for i in range(x.size):
            s += x[i] * 2
        return s

    for dtype in (np.int8, np.uint16, np.int32, np.float32, np.float64, np.complex64):
        got = f(np.ones(3, dtype))
        assert got.dtype == dtype and got == 6


def test_numbers_of_all_kinds():
    @njit
    def f(a, b, c, d):
        return a + 1, b / 2, c * 2, not d

    assert f(1, 3.0, 1j, True) == (2, 1.5, 2j, False)
    assert f(np.int8(3), np.float32(3), np.complex64(1j), np.bool_(False)) == (4, 1.5, 2j, True)


def test_defaults_and_keywords():
    @njit
    def f(x, scale=2, *, shift=1):
        return x * scale + shift

    assert f(3) == 7 and f(3, 5) == 16 and f(x=3, scale=1, shift=0) == 3
    with pytest.raises(TypeError, match="f"):
        f()
    with pytest.raises(TypeError, match="unexpected"):
        f(1, other=2)


def test_globals_are_looked_at():
    global SCALE
    held = 10

    @njit
    def f(x):
        return x * SCALE + held

    assert f(2) == 16
    SCALE = 4
    assert f(2) == 18
    held = 20
    assert f(2) == 28
    SCALE = 3


def test_tuples_and_named_tuples():
    Point = namedtuple("Point", "x y")

    @njit
    def f(p, pair):
        return p.x * pair[0] + p.y * pair[1]

    assert f(Point(2, 3.5), (10, 100)) == 370.0
    assert f(Point(np.arange(3)[1], 1), (5, 1)) == 6


def test_recursion():
    @njit
    def fibonacci(n):
        if n < 2:
            return n
        return fibonacci(n - 1) + fibonacci(n - 2)

    @njit
    def ackermann(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ackermann(m - 1, 1)
        return ackermann(m - 1, ackermann(m, n - 1))

    @njit
    def factorial(n):
        if n > 1:
            return n * factorial(n - 1)
        return 1

    assert fibonacci(20) == 6765
    assert ackermann(2, 3) == 9
    assert factorial(10) == 3628800
    assert factorial(10.0) == 3628800.0


def test_recursion_over_arrays():
    @njit
    def merge_sort(x):
        n = x.size
        if n < 2:
            return x.copy()
        left, right = merge_sort(x[: n // 2]), merge_sort(x[n // 2 :])
        made = np.empty_like(x)
        i, j = 0, 0
        for k in range(n):
            if j >= right.size or (i < left.size and left[i] <= right[j]):
                made[k] = left[i]
                i += 1
            else:
                made[k] = right[j]
                j += 1
        return made

    x = np.random.default_rng(1).random(1000)
    np.testing.assert_array_equal(merge_sort(x), np.sort(x))


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def test_mutual_recursion():
    even = njit(is_even)
    assert even(10) is True and even(7) is False


def test_endless_recursion_is_an_error():
    @njit
    def f(n):
        if n < 0:
            return 0
        return f(n + 1) + 1

    with pytest.raises(RecursionError):
        f(1)
    assert f(-1) == 0


# --- errors ---


def test_indices_are_checked():
    x = np.arange(5.0)
    assert element(x, -1) == 4 and element(x, 4) == 4
    for i in (5, -6, 2**40):
        with pytest.raises(IndexError, match=f"index {i} is out of bounds for axis 0 with size 5"):
            element(x, i)

    @njit
    def fill(x, n):
        for i in range(n):
            x[i + 1] = 1

    y = np.zeros(5)
    with pytest.raises(IndexError):
        fill(y[:4], 9)
    assert y[4] == 0
    fill(y, 4)
    np.testing.assert_array_equal(y, [0, 1, 1, 1, 1])


@pytest.mark.parametrize("step", [-3, -1, 1, 2, 5])
@pytest.mark.parametrize("factor", [-2, 0, 1, 3])
def test_indices_that_are_proven_are_right(step, factor):
    @njit
    def gather(x, out, start, stop, step, factor, shift):
        count = 0
        for i in range(start, stop, step):
            k = i * factor + shift
            if k >= 0 and k < x.size:
                out[count] = x[k]
                count += 1
        return count

    x, out = np.arange(50.0), np.zeros(100)
    for start, stop, shift in ((0, 20, 0), (20, -1, 30), (5, 60, -3), (7, 7, 0)):
        same(gather, x, out, start, stop, step, factor, shift)


def test_divisions_by_zero():
    @njit
    def f(a, b):
        return a // b, a % b

    assert f(7, 2) == (3, 1) and f(-7, 2) == (-4, 1)
    with pytest.raises(ZeroDivisionError):
        f(1, 0)
    with np.errstate(all="ignore"):
        assert math.isnan(f(1.0, 0.0)[1])


def test_exceptions():
    class Own(Exception):
        pass

    @njit
    def f(x):
        assert x != 1, "not one"
        if x == 2:
            raise ValueError("two", 2)
        if x == 3:
            raise Own
        for i in range(3):
            if x == 4 + i:
                raise OverflowError("late")
        return x

    assert f(0) == 0
    with pytest.raises(AssertionError, match="not one"):
        f(1)
    with pytest.raises(ValueError) as caught:
        f(2)
    assert caught.value.args == ("two", 2)
    with pytest.raises(Own):
        f(3)
    with pytest.raises(OverflowError, match="late"):
        f(6)


def test_no_memory():
    @njit
    def f(n):
        return np.zeros(n).size

    with pytest.raises(ValueError, match="negative"):
        f(-1)
    with pytest.raises(MemoryError):
        f(2**58)
    with pytest.raises(MemoryError):
        f(2**61 + 5)


def test_arrays_do_not_leak():
    @njit
    def f(n, times):
        x = np.zeros(n)
        for i in range(times):
            y = np.ones(n)
            y[0] = i
            x = y + x
        return x[0]

    assert f(1 << 20, 200) == 199 * 100  # 1.6 GB, if nothing were released
