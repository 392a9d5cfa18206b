"""Kernels of filters: resampling by polyphase filters, convolutions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import heddle as np
from heddle import simt
from heddle._compiled.functions import njit, prange
from heddle._core import ndarray
from heddle._typing import KernelArray

if TYPE_CHECKING:
    from heddle.simt._kernel import Kernel

_THREADS = 32  # of a block: few lines are shared among all cores


def launch(kernel: Kernel, count: int, *arguments: object) -> None:
    kernel[(count + _THREADS - 1) // _THREADS, _THREADS](*arguments)


# --- resampling ---


@simt.kernel
def _polyphase(
    h: KernelArray, x: KernelArray, up: int, down: int, before: int, y: KernelArray
) -> None:
    p = simt.grid(1)
    if p < y.size:
        line = p // y.shape[1]
        j = p % y.shape[1]
        at = j * down
        first = at % up
        k = (at - first) // up + before  # of x, for the first tap
        y[line, j] = 0
        total = y[line, j]
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
    h: KernelArray,
    taps: int,
    x: KernelArray,
    n: int,
    up: int,
    down: int,
    before: int,
    blocks: int,
    y: KernelArray,
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
        kernel = _polyphase
        kernel.forall(y.size)(h, np.ascontiguousarray(x), up, down, before, y)
    return y


# --- convolutions ---


@simt.kernel
def _correlation(x: KernelArray, h: KernelArray, y: KernelArray) -> None:
    p = simt.grid(1)
    if p < y.size:
        row = p // y.shape[1]
        column = p % y.shape[1]
        y[row, column] = 0
        total = y[row, column]
        for i in range(h.shape[0]):
            for j in range(h.shape[1]):
                total = total + x[row + i, column + j] * h[i, j]
        y[row, column] = total


@njit
def _correlation_on_host(x: KernelArray, h: KernelArray, blocks: int, y: KernelArray) -> None:
    """Taps one after the other, each times the elements of a block, which vectors hold."""
    columns = y.shape[1]
    for block in prange(y.shape[0] * blocks):
        row = block // blocks
        begin = (block % blocks) * _BLOCK
        made = y[row, begin : min(begin + _BLOCK, columns)]
        made[:] = 0
        for i in range(h.shape[0]):
            for j in range(h.shape[1]):
                tap = h[i, j]
                given = x[row + i, begin + j : begin + j + made.size]
                for c in range(made.size):
                    made[c] += given[c] * tap


def correlation(x: ndarray, h: ndarray) -> ndarray:
    """The part of x correlated with h where h lies within x; both have two axes and one type."""
    shape = (x.shape[0] - h.shape[0] + 1, x.shape[1] - h.shape[1] + 1)
    y = np.empty(shape, x.dtype, device=x.device)
    if y.size and x._at_once and h._at_once:
        _correlation_on_host(x, h, -(-shape[1] // _BLOCK), y)
    elif y.size:
        kernel = _correlation
        kernel.forall(y.size)(np.ascontiguousarray(x), np.ascontiguousarray(h), y)
    return y


_WRITTEN_OUT = 64  # taps that a kernel has one after the other
_WIDE, _HIGH = 32, 4  # threads of a block


@functools.lru_cache(64)
def _correlation_around(rows: int, columns: int) -> Any:
    """With elements around x, as if they were there."""
    taps = tuple((i, j) for i in range(rows) for j in range(columns))

    @simt.kernel
    def run(
        x: KernelArray, h: KernelArray, fill: KernelArray, top: int, left: int, y: KernelArray
    ) -> None:
        c = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
        first = simt.blockIdx.y * simt.blockDim.y + simt.threadIdx.y
        if c < y.shape[1]:
            for r in range(first, y.shape[0], simt.gridDim.y * simt.blockDim.y):
                row = r - top
                column = c - left
                y[r, c] = 0
                total = y[r, c]
                if (
                    row >= 0
                    and column >= 0
                    and row + rows <= x.shape[0]
                    and column + columns <= x.shape[1]
                ):
                    for i, j in taps:
                        total += x[row + i, column + j] * h[i, j]
                else:
                    for i, j in taps:
                        there = 0 <= row + i < x.shape[0] and 0 <= column + j < x.shape[1]
                        value = fill[0]
                        if there:
                            value = x[row + i, column + j]
                        total += value * h[i, j]
                y[r, c] = total

    return run


def correlation_around(
    x: ndarray, h: ndarray, fill: complex, before: tuple[int, int], shape: tuple[int, int]
) -> ndarray | None:
    """x correlated with h from so many rows and columns before x on, on devices that are not the
    host: nothing is copied. None where a kernel would be too long."""
    if x._on_host or h.size > _WRITTEN_OUT or not x.size or not h.size:
        return None
    y = np.empty(shape, x.dtype, device=x.device)
    if y.size:
        grid = (-(-shape[1] // _WIDE), min(-(-shape[0] // _HIGH), 1 << 15))
        number = _number(fill, x.dtype.name, x.device)
        _correlation_around(*h.shape)[grid, (_WIDE, _HIGH)](x, h, number, *before, y)
    return y


@functools.lru_cache(64)
def _number(value: Any, dtype: str, device: str) -> ndarray:
    return np.full(1, value, dtype, device=device)
