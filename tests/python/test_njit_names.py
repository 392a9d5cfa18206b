"""Names of compiled functions that become something else, and arrays of tuples."""

import numpy as np
import pytest
from njit_support import check, same

from heddle import njit, prange
from heddle._compiled.sources import make_function
from heddle.simt import KernelError

# --- names that become something else ---


@njit
def started(n, z=None, table=None):
    if z is None:
        z = np.empty(n)
        z[:] = 1
    if table is None:
        table = np.zeros((n, n))
    for i in range(n):
        z[i] += table[i, 0] + i
    return z


def with_early_end(n, z=None):
    if n == 0:
        return 0.0
    if z is None:
        z = np.ones(n)
    return z.sum()


@njit
def started_inside(n):
    return with_early_end(n) + with_early_end(n, np.zeros(n))


@njit
def many_kinds(x):
    x = x.reshape(2, -1)
    x = x * 2
    x = x[0]
    x = x.sum()
    x = (x, 1)
    x = x[0] + 1
    y = [1, 2]
    y.append(3)
    y = np.array(y)
    y = y.astype(np.float32)
    for _ in range(3):
        y = y * 2
    z = None
    z = 5
    return x, y, z


@njit
def one_in_loops(x, n):
    for _ in range(n):
        x = x.sum()
    return x


def test_names_outside_of_loops_become_what_they_are_given():
    same(started, 3)
    same(started, 3, np.zeros(3))
    same(started_inside, 4)
    same(many_kinds, np.arange(4.0))
    with pytest.raises(TypeError, match="use two names"):
        one_in_loops(np.ones(3), 2)


@njit
def of_arrays(many, k):
    total = 0.0
    for p in range(len(many)):
        many[p][0, 0] += p
        total += many[p].sum()
    many[k][1, 1] = 7
    return total, many[-k]


def test_arrays_of_a_tuple_by_a_variable():
    for k in range(3):
        ours, theirs = (
            (np.ones((2, 2)), np.zeros((2, 3)), np.ones((3, 2))[::-1]) for _ in range(2)
        )
        got, expected = of_arrays(ours, k), of_arrays.py_func(theirs, k)
        check(got, expected)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    with pytest.raises(IndexError, match="out of range"):
        of_arrays((np.ones((2, 2)), np.ones((2, 2))), 2)
    with pytest.raises(TypeError, match="different kinds"):
        of_arrays((np.ones((2, 2)), np.ones(2)), 0)


# --- results that may be None ---


@njit
def place(x, value):
    for i in range(len(x)):
        if x[i] == value:
            return i


@njit
def pair(x, n):
    if n < 0:
        return None
    if n == 0:
        return x[0], 1
    return x[1], n


@njit
def array_or_none(n):
    if n > 0:
        return np.arange(n)
    return None


@njit
def always(n):
    if n > 2:
        return 1
    elif n > 1:
        return 2
    else:
        return 3


@njit
def list_or_none(n, items):
    if n == 7:
        raise ValueError("seven")
    if n:
        return None
    items.append(n)
    return items


def test_results_that_are_none_or_something_else():
    x = np.array([3, 1, 2])
    for value in (2, 3, 9):
        assert place(x, value) == place.py_func(x, value)
    for n in (-1, 0, 2):
        assert pair(x, n) == pair.py_func(x, n)
    same(array_or_none, 3)
    same(array_or_none, 0)
    assert [always(n) for n in range(4)] == [3, 3, 2, 1] and isinstance(always(1), int)
    items = [5]
    assert list_or_none(1, items) is None and items == [5]
    assert list_or_none(0, items) is items and items == [5, 0]
    with pytest.raises(ValueError, match="seven"):
        list_or_none(7, items)


def test_lambdas_of_one_line():
    # fmt: off
    f, g = njit(lambda x: x + 1), njit(lambda x: x * 10)
    rows = [njit(lambda x,
                 y: x + y), njit(lambda x,
                                 y: x - y)]
    named = {"é": njit(lambda x: x + 5), "ü": njit(lambda x: (lambda y: y * 2)(x) + 1)}
    try: part = njit(lambda x: x + 2)  # noqa: E701
    except ValueError: part = None  # noqa: E701
    # fmt: on
    assert (f(3), g(3)) == (4, 30)
    assert rows[0](1, 2) == 3 and rows[1](1, 2) == -1
    assert named["é"](1) == 6 and named["ü"](4) == 9
    assert part(1) == 3
    chosen = (lambda x: x - 1) if f is g else (lambda x: x * 7)
    assert njit(chosen)(3) == 21

    @njit
    def apply(function, x):
        return function(x)

    both = [lambda x: x + 1, lambda x: x + 2]
    assert apply(both[0], 1) == 2 and apply(both[1], 1) == 3


TABLE = np.arange(5000.0).reshape(50, 100).T
BYTES = np.arange(3000, dtype=np.uint8)


def test_large_tables_are_constants():
    global TABLE

    @njit
    def f(i, j):
        return TABLE[i, j], TABLE.shape, BYTES[2500], TABLE[3].sum(), TABLE[i : i + 2, j]

    @njit
    def total(n):
        made = 0.0
        for i in prange(n):
            made += TABLE[i % 100, i % 50]
        return made

    made = f(3, 4)
    assert made[:4] == (TABLE[3, 4], (100, 50), BYTES[2500], TABLE[3].sum())
    assert np.array_equal(made[4], TABLE[3:5, 4])
    assert total(1000) == sum(TABLE[i % 100, i % 50] for i in range(1000))
    before = TABLE
    try:
        TABLE = before * 2
        assert f(3, 4)[0] == before[3, 4] * 2
    finally:
        TABLE = before

    @njit
    def whole():
        return TABLE

    mine = whole()
    mine[0] = -1
    assert whole()[0, 0] == 0 and TABLE[0, 0] == 0


@pytest.mark.parametrize("text", ["TABLE[0, 0] = 1", "v = TABLE[1]\n    v[0] = 1", "TABLE.sort()"])
def test_tables_are_not_written_to(text):
    written = make_function(f"def f():\n    {text}\n", "f", {"TABLE": TABLE})
    with pytest.raises(KernelError, match="a global array is a constant"):
        njit(written)()
