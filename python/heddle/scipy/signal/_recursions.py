"""Recursions along lines on the host: several lines at a time in registers, on all cores.

What a recursion does in a step waits for the step before, which leaves most of a processor idle. So
eight lines go side by side; where there are fewer, long ones are cut into pieces. A piece is
filtered twice then: from rest, to find the state that it leaves, and from the state before it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import heddle as np
from heddle import simt
from heddle._compiled.functions import njit, prange
from heddle._core import ndarray
from heddle._typing import KernelArray

if TYPE_CHECKING:
    from heddle._compiled.functions import Function

_WIDTHS = (8, 4, 1)  # lines side by side
_SHORT = 2048  # lines that are not cut
_WIDE = 16  # numbers of a state that fit several times into registers, or nearly
LARGEST_STATE = 256  # what fits into a function's own memory
_LARGEST = 100.0  # of what a piece may make of a state, where lines are cut


def _rational_step(order: int) -> Callable[..., Any]:
    @simt.func
    def step(c: KernelArray, s: KernelArray, lane: int, value: Any) -> Any:
        out = c[0] * value + s[0, lane]
        for k in range(order - 1):
            s[k, lane] = c[k + 1] * value + s[k + 1, lane] - c[order + 2 + k] * out
        s[order - 1, lane] = c[order] * value - c[2 * order + 1] * out
        return out

    return step


def _sections_step(count: int) -> Callable[..., Any]:
    @simt.func
    def step(c: KernelArray, s: KernelArray, lane: int, value: object) -> Any:
        out = value
        for k in range(count):
            given = out
            out = c[6 * k] * given + s[2 * k, lane]
            s[2 * k, lane] = c[6 * k + 1] * given - c[6 * k + 4] * out + s[2 * k + 1, lane]
            s[2 * k + 1, lane] = c[6 * k + 2] * given - c[6 * k + 5] * out
        return out

    return step


@functools.cache
def kind(sections: bool, order: int) -> tuple[Callable[..., Any], int, int]:
    """A step, how many coefficients it has, and how many numbers a state."""
    if sections:
        return _sections_step(order), 6 * order, 2 * order
    return _rational_step(order), 2 * order + 2, order


@functools.cache
def _lines(sections: bool, order: int, width: int, keep: bool) -> Function:
    """Filters rows `first` and so on, so many side by side; only states are kept without `keep`."""
    step, count, size = kind(sections, order)

    @njit
    def run(
        coefficients: KernelArray,
        x: KernelArray,
        y: KernelArray,
        begin: int,
        n: int,
        pieces: int,
        length: int,
        first: int,
        states: KernelArray,
    ) -> None:
        for group in prange((states.shape[0] - first) // width):
            c = simt.local.array(count, states.dtype)
            s = simt.local.array((size, width), states.dtype)
            values = simt.local.array(width, states.dtype)
            at = simt.local.array(width, np.int64)
            for k in range(count):
                c[k] = coefficients[k]
            for lane in range(width):
                row = first + group * width + lane
                at[lane] = begin + (row // pieces) * n + (row % pieces) * length
                for k in range(size):
                    s[k, lane] = states[row, k]
            for t in range(length):
                for lane in range(width):
                    values[lane] = x[at[lane] + t]
                for lane in range(width):
                    values[lane] = step(c, s, lane, values[lane])
                if keep:
                    for lane in range(width):
                        y[at[lane] + t] = values[lane]
            for lane in range(width):
                for k in range(size):
                    states[first + group * width + lane, k] = s[k, lane]

    return run


@functools.cache
def decay(sections: bool, order: int) -> Function:
    """What so many steps without a signal make of each state of one number; whether it is small
    enough for pieces."""
    step, count, size = kind(sections, order)

    @njit
    def run(coefficients: KernelArray, length: int, power: KernelArray) -> bool:
        c = simt.local.array(count, power.dtype)
        s = simt.local.array((size, size), power.dtype)
        for k in range(count):
            c[k] = coefficients[k]
        for k in range(size):
            for lane in range(size):
                s[k, lane] = 1 if k == lane else 0
        t = 0
        largest = 1.0
        while t < length and largest > 1e-30 and largest < 1e30:
            until = min(length, t + 64)
            for _ in range(t, until):
                for lane in range(size):
                    step(c, s, lane, c[0] * 0)
            t = until
            largest = 0.0
            for k in range(size):
                for lane in range(size):
                    there = abs(s[k, lane])
                    largest = there if there > largest or there != there else largest
        for k in range(size):
            for lane in range(size):
                power[k, lane] = s[k, lane] if largest > 1e-30 else 0
        return largest <= _LARGEST

    return run


@njit
def _carry(power: KernelArray, final: KernelArray, first: KernelArray, pieces: int) -> bool:
    """States at the beginning of pieces, of those at the beginning of lines; False where a number
    is not finite."""
    finite = True
    for row in range(first.shape[0]):
        if row % pieces:
            for k in range(first.shape[1]):
                value = final[row - 1, k]
                for j in range(first.shape[1]):
                    value += power[k, j] * first[row - 1, j]
                first[row, k] = value
                if value - value != 0:
                    finite = False
    return finite


class HostRecursion:
    """A linear recursion along lines: of coefficients b and a, or of sections."""

    def __init__(self, coefficients: ndarray, sections: bool, order: int) -> None:
        self._coefficients, self._key = coefficients, (sections, order)
        self._size = kind(*self._key)[2]

    def _run(
        self, x: ndarray, y: ndarray, places: tuple[int, int, int, int], states: ndarray, keep: bool
    ) -> None:
        """Of rows that begin at places (begin, length of a line, pieces, length of a piece)."""
        first = 0
        for width in _WIDTHS if self._size <= _WIDE else (1,):
            if states.shape[0] - first >= width:
                _lines(*self._key, width, keep)(self._coefficients, x, y, *places, first, states)
                first = states.shape[0] // width * width

    def __call__(self, x: ndarray, state: ndarray | None) -> tuple[ndarray, ndarray]:
        """Filtered lines and their final states, of (lines, time) and (lines, size)."""
        lines, n = x.shape
        x = (x if x._c_contiguous else x.copy()).reshape(-1)
        y = np.empty(x.shape, x.dtype, device="cpu")
        states = np.zeros((lines, self._size), x.dtype, device="cpu")
        if state is not None:
            states[...] = state
        pieces = 1
        if 2 * lines <= _WIDTHS[0] and n >= _SHORT and self._size <= _WIDE:
            pieces = _WIDTHS[0] // lines * max(1, min(4, n // 65536))
            states, pieces = self._cut(x, y, n, pieces, states)
        length = n // pieces
        self._run(x, y, (0, n, pieces, length), states, True)
        if pieces > 1:
            states = states[pieces - 1 :: pieces].copy()
            if pieces * length < n:
                self._run(x, y, (pieces * length, n, 1, n - pieces * length), states, True)
        return y.reshape(lines, n), states

    def _cut(
        self, x: ndarray, y: ndarray, n: int, pieces: int, states: ndarray
    ) -> tuple[ndarray, int]:
        """States at the beginning of all pieces, and how many of them a line has: one where the
        recursion grows, or a number is not finite."""
        length = n // pieces
        power = np.empty((self._size, self._size), x.dtype, device="cpu")
        if not decay(*self._key)(self._coefficients, length, power):
            return states, 1
        final = np.zeros((states.shape[0] * pieces, self._size), x.dtype, device="cpu")
        self._run(x, y, (0, n, pieces, length), final, False)
        first = np.empty_like(final)
        first[::pieces] = states
        return (first, pieces) if _carry(power, final, first, pieces) else (states, 1)
