"""Kernels of filters: recursions along lines, resampling by polyphase filters, convolutions."""

from __future__ import annotations

import functools
from typing import Any

import numpy

import heddle as np
from heddle import simt
from heddle._compiled.functions import njit, prange
from heddle._core import ndarray

_THREADS = 32  # of a block: few lines are shared among all cores


def launch(kernel: Any, count: int, *arguments: Any) -> None:
    kernel[(count + _THREADS - 1) // _THREADS, _THREADS](*arguments)


# --- recursions ---


@functools.cache
def _rational(order: int) -> Any:
    @simt.kernel
    def run(b: Any, a: Any, x: Any, state: Any, y: Any) -> None:
        i = simt.grid(1)
        if i < x.shape[1]:
            s = simt.local.array(order, y.dtype)
            for k in range(order):
                s[k] = state[k, i]
            for t in range(x.shape[0]):
                value = x[t, i]
                out = b[0] * value + s[0]
                for k in range(order - 1):
                    s[k] = b[k + 1] * value + s[k + 1] - a[k + 1] * out
                s[order - 1] = b[order] * value - a[order] * out
                y[t, i] = out
            for k in range(order):
                state[k, i] = s[k]

    return run


@functools.cache
def _sections(count: int) -> Any:
    @simt.kernel
    def run(sos: Any, x: Any, state: Any, y: Any) -> None:
        i = simt.grid(1)
        if i < x.shape[1]:
            s = simt.local.array(2 * count, y.dtype)
            for k in range(2 * count):
                s[k] = state[k, i]
            for t in range(x.shape[0]):
                value = x[t, i]
                for k in range(count):
                    out = sos[k, 0] * value + s[2 * k]
                    s[2 * k] = sos[k, 1] * value - sos[k, 4] * out + s[2 * k + 1]
                    s[2 * k + 1] = sos[k, 2] * value - sos[k, 5] * out
                    value = out
                y[t, i] = value
            for k in range(2 * count):
                state[k, i] = s[k]

    return run


@simt.kernel
def _carry(power: Any, final: Any, state: Any) -> None:
    # State at the beginning of each piece: of those before, and what the piece before added.
    i = simt.grid(1)
    if i < state.shape[2]:
        for c in range(1, state.shape[1]):
            for k in range(state.shape[0]):
                value = final[k, c - 1, i]
                for j in range(state.shape[0]):
                    value = value + power[k, j] * state[j, c - 1, i]
                state[k, c, i] = value


class Recursion:
    """A linear recursion along the first axis of (time, lines), with a state for each line."""

    def __init__(self, kernel: Any, coefficients: tuple[ndarray, ...], size: int) -> None:
        self._kernel, self._coefficients, self.size = kernel, coefficients, size

    def _run(self, x: ndarray, state: ndarray) -> ndarray:
        y = np.empty_like(x)
        launch(self._kernel, x.shape[1], *self._coefficients, x, state, y)
        return y

    def __call__(self, x: ndarray, state: ndarray) -> tuple[ndarray, ndarray]:
        """Filtered lines and their final states, of (time, lines) and (size, lines)."""
        n, lines = x.shape
        pieces = _pieces(n, lines)
        if pieces == 1:
            state = state.copy()
            return self._run(x.copy(), state), state
        return self._in_pieces(x, state, pieces)

    def _in_pieces(self, x: ndarray, state: ndarray, pieces: int) -> tuple[ndarray, ndarray]:
        """Pieces of time are lines of their own, filtered twice: to find the states, and with them.

        What a piece makes of a state is a matrix, the same for all: found by filtering zeros.
        """
        n, lines = x.shape
        length = n // pieces
        whole = length * pieces
        cut = np.moveaxis(x[:whole].reshape(pieces, length, lines), 0, 1)
        cut = np.ascontiguousarray(cut).reshape(length, pieces * lines)
        zeros = np.zeros((length, self.size), x.dtype, device=x.device)
        power = np.eye(self.size, dtype=x.dtype, device=x.device)
        self._run(zeros, power)
        final = np.zeros((self.size, pieces * lines), x.dtype, device=x.device)
        self._run(cut, final)
        first = np.zeros((self.size, pieces, lines), x.dtype, device=x.device)
        first[:, 0] = state
        launch(_carry, lines, power, final.reshape(self.size, pieces, lines), first)
        states = first.reshape(self.size, pieces * lines)
        y = self._run(cut, states)
        y = np.moveaxis(y.reshape(length, pieces, lines), 1, 0).reshape(whole, lines)
        last = states.reshape(self.size, pieces, lines)[:, -1].copy()
        if whole == n:
            return y, last
        rest = self._run(x[whole:].copy(), last)
        return np.concatenate([y, rest]), last


def _pieces(n: int, lines: int) -> int:
    """Into how many pieces long lines are cut where they are few."""
    wanted = max(1, 1024 // max(lines, 1))
    return max(1, min(wanted, n // 256)) if lines < 64 and n >= 8192 else 1


def rational(b: ndarray, a: ndarray) -> Recursion:
    """Of coefficients of the same length, a[0] being 1."""
    order = b.shape[0] - 1
    return Recursion(_rational(order), (b, a), order)


def sections(sos: ndarray) -> Recursion:
    count = sos.shape[0]
    return Recursion(_sections(count), (sos,), 2 * count)


# --- resampling ---


@simt.kernel
def _polyphase(h: Any, x: Any, up: int, down: int, before: int, y: Any) -> None:
    p = simt.grid(1)
    if p < y.size:
        line = p // y.shape[1]
        j = p % y.shape[1]
        at = j * down
        first = at % up
        k = (at - first) // up + before  # of x, for the first tap
        total = h[0] * x[0, 0] * 0
        n = x.shape[1]
        taps = h.shape[0]
        tap = first
        while tap < taps:
            if k >= 0 and k < n:
                total = total + h[tap] * x[line, k]
            tap = tap + up
            k = k - 1
        y[line, j] = total


_BLOCK = 512  # outputs of a turn


@njit
def _polyphase_on_host(
    h: Any, taps: int, x: Any, n: int, up: int, down: int, before: int, blocks: int, y: Any
) -> None:
    most = h.size // up
    for block in prange(y.shape[0] * blocks):
        line = block // blocks
        begin = (block % blocks) * _BLOCK
        at = begin * down
        first = at % up
        k = at // up + before
        for j in range(begin, min(begin + _BLOCK, y.shape[1])):
            # Taps first + up * t, of elements k - t; they lie backwards.
            low = max(k - (n - 1), 0)
            high = min(most if first + up * (most - 1) < taps else most - 1, k + 1)
            tap = first * most + most - high
            place = line * n + k - high + 1
            y[line, j] = 0
            one = y[line, j]
            two = one
            three = one
            four = one
            count = max(high - low, 0)
            for q in range(count // 4):
                one += h[tap + 4 * q] * x[place + 4 * q]
                two += h[tap + 4 * q + 1] * x[place + 4 * q + 1]
                three += h[tap + 4 * q + 2] * x[place + 4 * q + 2]
                four += h[tap + 4 * q + 3] * x[place + 4 * q + 3]
            for q in range(count // 4 * 4, count):
                one += h[tap + q] * x[place + q]
            y[line, j] = (one + two) + (three + four)
            first += down
            while first >= up:
                first -= up
                k += 1


def polyphase(h: ndarray, x: ndarray, up: int, down: int, before: int, count: int) -> ndarray:
    """`count` elements for each line of x, (lines, time); `before` of these are before zero."""
    y = np.empty((x.shape[0], count), x.dtype, device=x.device)
    if y.size and x._at_once and h._at_once:
        taps, most = h.shape[0], -(-h.shape[0] // up)
        phases = np.pad(h, (0, most * up - taps)).reshape(most, up).T[:, ::-1].reshape(-1)
        blocks = (count + _BLOCK - 1) // _BLOCK
        flat = x.reshape(-1)
        _polyphase_on_host(phases, taps, flat, x.shape[1], up, down, before, blocks, y)
    elif y.size:
        kernel: Any = _polyphase
        kernel.forall(y.size)(h, np.ascontiguousarray(x), up, down, before, y)
    return y


# --- convolutions ---


@simt.kernel
def _correlation(x: Any, h: Any, y: Any) -> None:
    p = simt.grid(1)
    if p < y.size:
        row = p // y.shape[1]
        column = p % y.shape[1]
        total = x[0, 0] * h[0, 0] * 0
        for i in range(h.shape[0]):
            for j in range(h.shape[1]):
                total = total + x[row + i, column + j] * h[i, j]
        y[row, column] = total


def correlation(x: ndarray, h: ndarray) -> ndarray:
    """The part of x correlated with h where h lies within x; both have two axes and one type."""
    shape = (x.shape[0] - h.shape[0] + 1, x.shape[1] - h.shape[1] + 1)
    y = np.empty(shape, x.dtype, device=x.device)
    if y.size:
        kernel: Any = _correlation
        kernel.forall(y.size)(np.ascontiguousarray(x), np.ascontiguousarray(h), y)
    return y


def lines_of(x: ndarray, axis: int) -> tuple[ndarray, tuple[int, ...]]:
    """Time first, and all else as one axis; and the shape of all else."""
    moved = np.moveaxis(x, axis, 0)
    count = int(numpy.prod(moved.shape[1:], dtype=numpy.int64))
    return moved.reshape(moved.shape[0], count), moved.shape[1:]
