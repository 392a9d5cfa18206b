"""try, raise and sets in compiled functions."""

import numpy as np
import pytest
from njit_support import same

from heddle import njit, prange
from heddle.numba import njit as numba_njit
from heddle.simt import KernelError


@njit
def checked(n):
    if n > 2:
        raise ValueError("big")
    return n


def test_what_fails_is_caught():
    @njit
    def total(n):
        made = 0
        for k in range(n):
            try:
                made += checked(k)
            except Exception:
                made += 100
        return made

    for n in (0, 2, 5):
        same(total, n)

    @njit
    def element(x, i):
        try:
            return x[i]
        except:  # noqa: E722
            return -1.0

    x = np.arange(4.0)
    for i in (0, 3, -1, 4, -9):
        same(element, x, i)

    @njit
    def quotient(a, b):
        try:
            made = a // b
        except Exception:
            made = -1
        return made

    same(quotient, 7, 2)
    same(quotient, 7, 0)


def test_else_and_finally():
    @njit
    def steps(n):
        made = 0
        try:
            made += 1
            if n == 1:
                raise ValueError
            made += 10
        except Exception:
            made += 100
        else:
            made += 1000
        finally:
            made += 10000
        return made

    same(steps, 0)
    same(steps, 1)

    @njit
    def undone(x, n):
        x[0] = 1
        try:
            if n > 0:
                raise KeyError("n")
        finally:
            x[0] = 2
        x[1] = 3

    for n in (0, 1):
        x = np.zeros(2)
        if n:
            with pytest.raises(KeyError):
                undone(x, n)
        else:
            undone(x, n)
        assert x.tolist() == [2, 0 if n else 3]


def test_attempts_inside_of_others():
    @njit
    def nested(n):
        made = 0
        for k in range(n):
            try:
                try:
                    made += checked(k)
                except Exception:
                    if k == 4:
                        raise RuntimeError("again")  # noqa: B904
                    made += 10
            except Exception:
                made += 1000
                break
        return made

    for n in (2, 4, 9):
        same(nested, n)


def test_arrays_survive_what_fails():
    @njit
    def kept(n):
        x = np.ones(4)
        for k in range(n):
            try:
                y = np.full(4, 2.0)
                x = x + y
                x[k] += 1
            except Exception:
                x = x * 0.5
        return x

    for n in (0, 3, 8):
        same(kept, n)

    @njit
    def too_large(n):
        x = np.ones(3)
        try:
            x = np.ones(n)
        except Exception:
            return x.size
        return -x.size

    assert too_large(-1) == 3
    assert too_large(2) == -2
    assert too_large(2**55) == 3


def test_recursion_is_caught():
    @njit
    def deep(n):
        return deep(n + 1) + 1

    @njit
    def asked():
        try:
            return deep(0)
        except Exception:
            return -1

    assert asked() == -1


def _named(n):
    try:
        return n
    except ValueError:
        return 0


def _leaves(n):
    try:
        return n
    finally:
        n += 1


def _with_name(n):
    try:
        n += 1
    except Exception as error:
        n = 0
        raise error
    return n


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_named, "except catches all exceptions here"),
        (_leaves, "nothing leaves a try that has a finally"),
        (_with_name, "exceptions have no names here"),
    ],
)
def test_attempts_that_are_refused(function, said):
    with pytest.raises(KernelError, match=said):
        njit(function)(1)


def test_exceptions_say_numbers():
    @njit
    def refused(n, x):
        if n > 3:
            raise ValueError("too big", n)
        if n < 0:
            raise ValueError(f"{n} is below {x:.2f}")
        assert x < 5, f"x is {x}"
        return n

    assert refused(2, 1.0) == 2
    with pytest.raises(ValueError) as caught:
        refused(5, 1.0)
    assert caught.value.args == ("too big", 5)
    with pytest.raises(ValueError, match=r"^-1 is below 1\.50\n"):
        refused(-1, 1.5)
    with pytest.raises(AssertionError, match=r"^x is 7\.25\n"):
        refused(1, 7.25)


# --- sets ---


def test_sets():
    @njit
    def several(n):
        a = {1, 2, n}
        b = {2, 3, n}
        a.add(n + 1)
        a.discard(99)
        return (
            len(a),
            n in a,
            n + 7 not in b,
            sum(a & b),
            sum(a | b),
            sum(a - b),
            sum(a ^ b),
            a == b,
            a >= {1},
            {n} <= b,
            a.isdisjoint({50}),
        )

    for n in (1, 2, 5):
        same(several, n)

    @numba_njit
    def unique(x):
        seen = set()
        total = 0
        for one in x:
            if one not in seen:
                seen.add(one)
                total += one
        return len(seen), total, len(set(x)), {v // 2 for v in x}

    x = np.random.default_rng(0).integers(0, 30, 200)
    got, expected = unique(x), unique.py_func(x)
    assert got == expected and isinstance(got[3], set)


def test_mistakes_of_sets():
    @njit
    def removed(n):
        s = {1, 2}
        s.remove(n)
        return s

    assert removed(1) == {2}
    with pytest.raises(KeyError):
        removed(5)

    @njit
    def emptied(n):
        s = {n}
        s.pop()
        return s.pop()

    with pytest.raises(KeyError, match="empty set"):
        emptied(1)


def test_sets_that_become_others():
    @njit
    def changed(n):
        a = {1, 2, 3, n, n + 1, n * 2}
        b = {2, n}
        a |= {50}
        a -= b
        c = a.copy()
        c &= {1, 3, 50}
        c.symmetric_difference_update({3, 4})
        return a, c, len(a)

    for n in (1, 5):
        same_sets(changed, n)


def same_sets(function, *args):
    assert function(*args) == function.py_func(*args)


def test_sets_are_arguments():
    @njit
    def asked(s, t, n):
        total = 0
        for one in s:
            total += one
        return n in s, total, len(s & t), s | t, s == t

    for n in (1, 7):
        assert asked({1, 2, 3}, {3, n}, n) == asked.py_func({1, 2, 3}, {3, n}, n)
    assert asked({1.5}, frozenset({1.5}), 1.5) == (True, 1.5, 1, {1.5}, True)

    def changed(s):
        s.add(1)

    with pytest.raises(KernelError, match="a set that was given is not changed"):
        njit(changed)({2})
    with pytest.raises(TypeError, match="of one type"):
        asked({1, 2.5}, {1}, 1)


def test_a_parallel_loop_that_is_caught_is_one_after_the_other():
    @njit
    def total(n, x):
        made = 0
        try:
            for i in prange(n):
                made += i
                if i == x:
                    raise ValueError
        except Exception:
            return made
        return -1

    same(total, 10, 6)
    same(total, 10, 60)
