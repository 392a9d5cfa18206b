"""Recursions along lines on other devices: a thread for each piece of a line.

Pieces are short, so that thousands of threads have work. They are filtered twice: from rest, to
find the state that each leaves, and from the state that those before it leave. What a piece makes
of a state is a matrix, the same for all; states of pieces so far back that nothing is left of them
are not asked.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

import heddle as np
from heddle import simt
from heddle._core import ndarray
from heddle._typing import KernelArray
from heddle.scipy.signal._recursions import decay, kind

_THREADS = 64  # of a block
_WANTED = 65536  # pieces, of all lines together
_SHORTEST = 64  # piece
_FEW = 256  # states of pieces before that a thread may go over
_LARGEST_STATE = 32  # of what is cut
_NOTHING = 1e-30  # what may be left of a state


@functools.cache
def _left(sections: bool, order: int) -> Any:
    """The state that each piece leaves, and the first one of each line that is not finite."""
    step, count, size = kind(sections, order)

    @simt.kernel
    def run(
        coefficients: KernelArray,
        x: KernelArray,
        along: int,
        across: int,
        length: int,
        states: KernelArray,
        broken: KernelArray,
    ) -> None:
        row = simt.grid(1)
        lines = broken.size
        piece = row // lines
        line = row - piece * lines
        if piece < states.shape[1]:
            c = simt.local.array(count, states.dtype)
            s = simt.local.array((size, 1), states.dtype)
            for k in range(count):
                c[k] = coefficients[k]
            for k in range(size):
                s[k, 0] = 0
            at = line * across + piece * length * along
            for _ in range(length):
                step(c, s, 0, x[at])
                at += along
            finite = True
            for k in range(size):
                value = s[k, 0]
                states[k, piece, line] = value
                if value - value != 0:
                    finite = False
            if not finite:
                simt.atomic.min(broken, line, piece)

    return run


@functools.cache
def _filtered(sections: bool, order: int) -> Any:
    """Pieces from the states that those before leave; the last one goes to the end of its line."""
    step, count, size = kind(sections, order)

    @simt.kernel
    def run(
        coefficients: KernelArray,
        power: KernelArray,
        x: KernelArray,
        n: int,
        along: int,
        across: int,
        pieces: int,
        length: int,
        back: int,
        left: KernelArray,
        broken: KernelArray,
        first: KernelArray,
        last: KernelArray,
        y: KernelArray,
    ) -> None:
        row = simt.grid(1)
        lines = first.shape[0]
        piece = row // lines
        line = row - piece * lines
        if piece < pieces:
            c = simt.local.array(count, y.dtype)
            s = simt.local.array((size, 1), y.dtype)
            carried = simt.local.array(size, power.dtype)
            before = simt.local.array(size, power.dtype)
            for k in range(count):
                c[k] = coefficients[k]
            # From a number that is not finite on nothing may be forgotten.
            begin = piece - back if back < piece <= broken[line] else 0
            for k in range(size):
                carried[k] = 0
                if begin == 0:
                    carried[k] = first[line, k]
            for p in range(begin, piece):
                for k in range(size):
                    before[k] = carried[k]
                for k in range(size):
                    carried[k] = left[k, p, line]
                    for j in range(size):
                        carried[k] += power[k * size + j] * before[j]
            for k in range(size):
                s[k, 0] = carried[k]
            at = line * across + piece * length * along
            steps = length if piece < pieces - 1 else n - piece * length
            for _ in range(steps):
                y[at] = step(c, s, 0, x[at])
                at += along
            if piece == pieces - 1:
                for k in range(size):
                    last[line, k] = s[k, 0]

    return run


def _exact(dtype: str) -> numpy.dtype[Any]:
    """What powers are computed in: errors of slow filters grow with every piece."""
    return numpy.result_type(dtype, numpy.float64)


@functools.lru_cache(64)
def _cut(
    coefficients: bytes, dtype: str, sections: bool, order: int, n: int, lines: int
) -> tuple[int, int, tuple[complex, ...]]:
    """How long pieces are, of how many before the state is asked, and what one makes of a state."""
    size = kind(sections, order)[2]
    whole = n, 0, (0.0,) * size**2
    shortest = max(_SHORTEST, n * lines // _WANTED)
    if size > _LARGEST_STATE or n < 4 * shortest:
        return whole
    # Where a state is felt for long, fewer and longer pieces.
    exact = numpy.frombuffer(coefficients, dtype).astype(_exact(dtype))
    for length in (shortest, max(shortest, math.isqrt(n))):
        power = numpy.empty((size, size), exact.dtype)
        if not decay(sections, order)(exact, length, power):
            return whole
        pieces, back, felt = n // length, 1, power
        while back < pieces and (largest := abs(felt).max()) > _NOTHING:
            if not largest < 1e6:  # a filter that is not stable: its errors would grow, too
                return whole
            felt, back = felt @ felt, 2 * back
        if back <= _FEW:
            break
    return length, min(back, pieces), tuple(power.ravel().tolist())


@functools.lru_cache(64)
def _kept(numbers: object, dtype: str, device: str) -> ndarray:
    """A few numbers on a device."""
    host = numpy.frombuffer(numbers, dtype) if isinstance(numbers, bytes) else numbers
    return np.asarray(numpy.array(host, dtype), device=device)


class PiecewiseRecursion:
    """A linear recursion along lines: of coefficients b and a, or of sections."""

    def __init__(self, coefficients: numpy.ndarray[Any, Any], sections: bool, order: int) -> None:
        self._bytes, self._dtype = coefficients.tobytes(), coefficients.dtype.name
        self._key, self._size = (sections, order), kind(sections, order)[2]

    def __call__(self, x: ndarray, state: ndarray | None) -> tuple[ndarray, ndarray]:
        """Filtered lines and their final states, of (lines, time) and (lines, size)."""
        lines, n = x.shape
        device = x.device
        length, back, numbers = _cut(self._bytes, self._dtype, *self._key, n, lines)
        pieces = n // length
        coefficients = _kept(self._bytes, self._dtype, device)
        power = _kept(numbers, _exact(self._dtype).name, device)
        by_time = not x._c_contiguous and x.T._c_contiguous
        flat = x.T.reshape(-1) if by_time else x.reshape(-1)
        places = (lines, 1) if by_time else (1, n)
        left = np.empty((self._size, max(pieces - 1, 1), lines), x.dtype, device=device)
        broken = np.full(lines, pieces, numpy.int64, device=device)
        if pieces > 1:
            blocks = ((pieces - 1) * lines + _THREADS - 1) // _THREADS
            run = _left(*self._key)
            run[blocks, _THREADS](coefficients, flat, *places, length, left, broken)
        first = state
        if first is None:
            first = np.zeros((lines, self._size), x.dtype, device=device)
        last = np.empty((lines, self._size), x.dtype, device=device)
        y = np.empty(n * lines, x.dtype, device=device)
        _filtered(*self._key)[(pieces * lines + _THREADS - 1) // _THREADS, _THREADS](
            coefficients, power, flat, n, *places, pieces, length, back, left, broken,
            first, last, y,
        )  # fmt: skip
        return (y.reshape(n, lines).T if by_time else y.reshape(lines, n)), last
