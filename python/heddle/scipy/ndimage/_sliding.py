"""Ranks of long windows along a line, on the host: the window stays sorted while it slides."""

from __future__ import annotations

import math

import numpy

from heddle._compiled.functions import njit, prange
from heddle._core import ndarray
from heddle._creation.arrays import asarray
from heddle._manipulation.shapes import moveaxis
from heddle._typing import KernelArray


@njit
def _slide(
    around: KernelArray, out: KernelArray, windows: KernelArray, rank: int, piece: int
) -> None:
    size = windows.shape[1]
    pieces = (out.shape[1] + piece - 1) // piece
    for t in prange(windows.shape[0]):
        line = t // pieces
        first = (t - line * pieces) * piece
        for k in range(size):
            value = around[line, first + k]
            j = k
            while j > 0 and windows[t, j - 1] > value:
                windows[t, j] = windows[t, j - 1]
                j -= 1
            windows[t, j] = value
        out[line, first] = windows[t, rank]
        for i in range(first + 1, min(first + piece, out.shape[1])):
            old = around[line, i - 1]
            new = around[line, i + size - 1]
            low = 0
            high = size - 1
            while low < high:
                middle = (low + high) // 2
                if windows[t, middle] < old:
                    low = middle + 1
                else:
                    high = middle
            while low + 1 < size and windows[t, low + 1] < new:
                windows[t, low] = windows[t, low + 1]
                low += 1
            while low > 0 and windows[t, low - 1] > new:
                windows[t, low] = windows[t, low - 1]
                low -= 1
            windows[t, low] = new
            out[line, i] = windows[t, rank]


def rank_along(around: ndarray, axis: int, size: int, rank: int) -> ndarray:
    """The element of a rank of each window along an axis, of an array with its edges continued."""
    lines = moveaxis(around, axis, -1)
    shape = (*lines.shape[:-1], lines.shape[-1] - size + 1)
    host = numpy.ascontiguousarray(lines.reshape(-1, lines.shape[-1])._snapshot())
    out = numpy.empty((host.shape[0], shape[-1]), host.dtype)
    piece = max(4 * size, 1024)
    scratch = numpy.empty((host.shape[0] * math.ceil(shape[-1] / piece), size), host.dtype)
    _slide(host, out, scratch, rank, piece)
    return moveaxis(asarray(out, device=around.device).reshape(shape), -1, axis)


def is_line(sizes: list[int]) -> bool:
    return len([size for size in sizes if size > 1]) == 1
