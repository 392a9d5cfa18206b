"""Turns of prange: what they cannot tell each other is refused, with the line."""

import numpy as np
import pytest

import heddle as hd
from heddle.simt import KernelError

njit, prange = hd.njit, hd.prange
ROW = np.ones(3)


@njit
def two_ways(n):
    c = 0
    for i in prange(n):
        c += 1
        if i > 10:
            c *= 1
    return c


@njit
def divided(n):
    c = 100
    for _ in prange(n):
        c //= 2
    return c


@njit
def sums_so_far(x):
    total = 0.0
    out = np.zeros(x.size)
    for i in prange(x.size):
        total += x[i]
        out[i] = total
    return out


@njit
def last(x):
    found = 0.0
    for i in prange(x.size):
        found = x[i]
    return found


@njit
def left_by_another(x):
    held = 0.0
    total = 0.0
    for i in prange(x.size):
        if x[i] > 1:
            held = x[i]
        total += held
    return total


@njit
def rows_added(x):
    total = np.zeros(x.shape[1])
    for i in prange(x.shape[0]):
        total += x[i]
    return total


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        (two_ways, 9, "'c' is what the turn before has left"),
        (divided, 9, "'c' is what the turn before has left"),
        (sums_so_far, ROW, "'total' is added up by all turns of prange"),
        (last, ROW, "'found' belongs to the turns of prange before"),
        (left_by_another, ROW, "'held' is what the turn before has left"),
        (rows_added, np.ones((3, 2)), "'total' is what the turn before has left"),
    ],
)
def test_refused_with_the_line(function, given, said):
    with pytest.raises(KernelError, match=said) as caught:
        function(given)
    assert "^" in str(caught.value)
    assert __file__ in str(caught.value)


def test_names_of_a_turn_and_of_all_turns():
    @njit
    def both(x):
        held = 0.0
        total = 0.0
        largest = -1e9
        for i in prange(x.size):
            held = x[i]
            factor = 1.0 if held > 1 else 2.0
            if held > 2:
                held = 2.0
            total += held * factor
            largest = max(largest, held)
        for i in prange(x.size):
            for _ in range(2):
                held = x[i]
            total -= held
        held = 3.0
        return total, largest, held

    x = np.arange(5.0)
    expected = both.py_func(x)
    assert both(x) == expected


def test_a_loop_on_all_cores_inside_of_one_that_is_not():
    @njit
    def repeated(x):
        total = 0.0
        for k in range(3):
            for i in prange(x.size):
                value = x[i] * k
                total = total + value
        return total

    assert repeated(np.arange(5.0)) == 30.0
