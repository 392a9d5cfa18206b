"""Square roots of Schur's forms, element by element: of triangles, and of real ones with blocks."""

from __future__ import annotations

import numpy

import heddle as np
from heddle._typing import HostArray, KernelArray


@np.njit
def _root_of_triangle(t: KernelArray, r: KernelArray) -> None:
    n = t.shape[0]
    for j in range(n):
        r[j, j] = np.sqrt(t[j, j])
        for i in range(j - 1, -1, -1):
            total = t[i, j]
            for k in range(i + 1, j):
                total -= r[i, k] * r[k, j]
            below = r[i, i] + r[j, j]
            if below == 0:
                r[i, j] = 0 if total == 0 else total * np.inf
            else:
                r[i, j] = total / below


def root_of_triangle(t: HostArray) -> HostArray:
    """The root of a complex triangle."""
    made = numpy.zeros_like(t)
    _root_of_triangle(numpy.ascontiguousarray(t), made)
    return made


@np.njit
def _root_of_block(t: KernelArray, r: KernelArray, i: int) -> None:
    """Of two conjugate eigenvalues: the root with a real part that is not negative."""
    middle = (t[i, i] + t[i + 1, i + 1]) / 2
    half = (t[i, i] - t[i + 1, i + 1]) / 2
    beside = np.sqrt(-(half * half + t[i, i + 1] * t[i + 1, i]))
    length = np.hypot(middle, beside)
    real = np.sqrt((length + abs(middle)) / 2)
    if middle < 0:
        real = beside / (2 * real)
    r[i, i] = real + half / (2 * real)
    r[i + 1, i + 1] = real - half / (2 * real)
    r[i, i + 1] = t[i, i + 1] / (2 * real)
    r[i + 1, i] = t[i + 1, i] / (2 * real)


@np.njit
def _solve(m: KernelArray, n: int) -> None:
    """Solves n <= 4 equations; the right side is the last column, and the solution, too."""
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(m[i, k]) > abs(m[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, 5):
                m[k, j], m[pivot, j] = m[pivot, j], m[k, j]
        for i in range(k + 1, n):
            factor = m[i, k] / m[k, k]
            for j in range(k + 1, 5):
                m[i, j] -= factor * m[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            m[k, 4] -= m[k, j] * m[j, 4]
        m[k, 4] /= m[k, k]


@np.njit
def _root_of_form(t: KernelArray, r: KernelArray, starts: KernelArray, m: KernelArray) -> None:
    """Block by block (Higham 1987): r_ii x + x r_jj is what is left of t_ij."""
    for j in range(starts.size - 1):
        first, width = starts[j], starts[j + 1] - starts[j]
        if width == 1:
            r[first, first] = np.sqrt(t[first, first])
        else:
            _root_of_block(t, r, first)
        for i in range(j - 1, -1, -1):
            top, height = starts[i], starts[i + 1] - starts[i]
            for y in range(width):
                for x in range(height):
                    total = t[top + x, first + y]
                    for k in range(top + height, first):
                        total -= r[top + x, k] * r[k, first + y]
                    m[x + y * height, 4] = total
            if height * width == 1:
                below = r[top, top] + r[first, first]
                total = m[0, 4]
                if below == 0:
                    r[top, first] = 0 if total == 0 else total * np.inf
                else:
                    r[top, first] = total / below
                continue
            for y in range(width):
                for x in range(height):
                    for v in range(width):
                        for u in range(height):
                            value = 0.0
                            if v == y:
                                value += r[top + x, top + u]
                            if u == x:
                                value += r[first + v, first + y]
                            m[x + y * height, u + v * height] = value
            _solve(m, height * width)
            for y in range(width):
                for x in range(height):
                    r[top + x, first + y] = m[x + y * height, 4]


def root_of_form(t: HostArray) -> HostArray | None:
    """The root of a real form of Schur's, or None where that is not real."""
    n = len(t)
    below = numpy.diag(t, -1) != 0
    alone = numpy.concatenate([[True], ~below]) & numpy.concatenate([~below, [True]])
    if not (numpy.diag(t)[alone] >= 0).all() or (below[1:] & below[:-1]).any():
        return None
    starts = numpy.concatenate([[0], 1 + numpy.flatnonzero(~below), [n]]).astype(numpy.int64)
    made = numpy.zeros((n, n))
    _root_of_form(numpy.ascontiguousarray(t), made, starts, numpy.empty((4, 5)))
    return made
