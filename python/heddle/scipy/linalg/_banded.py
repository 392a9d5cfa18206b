"""Systems with few diagonals, with derivatives, and those with elements in the corners, too."""

from __future__ import annotations

import functools
from typing import Any

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._core import is_stand_in, ndarray
from heddle._typing import HostArray
from heddle.scipy.linalg import _kernels as kernels
from heddle.scipy.linalg._arguments import for_all_rows, true_anywhere


def _solution(below: int, above: int, bands: ndarray, right: ndarray) -> ndarray:
    if is_stand_in(bands) or is_stand_in(right):
        return for_all_rows(functools.partial(_solution, below, above), bands, right)
    if below == above == 1:
        made, info = kernels.tridiagonal(
            bands[..., 2, :-1], bands[..., 1, :], bands[..., 0, 1:], right
        )
    else:
        made, info = kernels.banded(below, above, bands, right)
    if true_anywhere(info != 0):
        raise LinAlgError("singular matrix")
    return made


def _shifted(part: ndarray, before: int, after: int) -> ndarray:
    """With so many zeros before and after, along the last axis."""
    zeros = [
        np.zeros((*part.shape[:-1], k), part.dtype, device=part.device) for k in (before, after)
    ]
    return np.concatenate([zeros[0], part, zeros[1]], axis=-1)


def _transposed(below: int, above: int, bands: ndarray) -> ndarray:
    """The diagonals of the transpose."""
    n = bands.shape[-1]
    rows = []
    for d in range(below, -above - 1, -1):  # the diagonal d below becomes one above
        row = bands[..., above + d, :]
        rows.append(_shifted(row[..., : n - d], d, 0) if d > 0 else _shifted(row[..., -d:], 0, -d))
    return np.stack(rows, axis=-2)


def _forward(
    below: int, above: int, bands: ndarray, right: ndarray
) -> tuple[ndarray, tuple[ndarray, ndarray]]:
    made = _solution(below, above, bands, right)
    return made, (bands, made)


def _backward(
    below: int, above: int, kept: tuple[ndarray, ndarray], change: ndarray
) -> tuple[ndarray, ndarray]:
    bands, made = kept
    n = made.shape[-2]
    back = _system(above, below, _transposed(below, above, bands), change)
    rows = []
    for d in range(-above, below + 1):
        # Element (j + d, j) of the matrix is bands[above + d, j].
        first, last = max(0, -d), max(min(n, n - d), max(0, -d))
        product = back[..., first + d : last + d, :] * made[..., first:last, :]
        rows.append(_shifted(-np.sum(product, axis=-1), first, n - last))
    return np.stack(rows, axis=-2), back


_system: Any = np.custom_vjp(_solution, nondiff_argnums=(0, 1))
_system.defvjp(_forward, _backward)


def solved(below: int, above: int, bands: ndarray, right: ndarray) -> ndarray:
    """x of systems (..., n, sides), of diagonals (..., below + 1 + above, n) as LAPACK has them."""
    if right.shape[-2] == 1:
        return right / bands[..., above : above + 1, :]
    stack = numpy.broadcast_shapes(bands.shape[:-2], right.shape[:-2])
    if stack:
        bands = np.broadcast_to(bands, (*stack, *bands.shape[-2:]))
        right = np.broadcast_to(right, (*stack, *right.shape[-2:]))
    if right.dtype.kind == "c" and bands.dtype.kind != "c":
        made = _system(below, above, bands, np.concatenate([right.real, right.imag], axis=-1))
        half = right.shape[-1]
        return made[..., :half] + 1j * made[..., half:]  # type: ignore[no-any-return]
    return _system(below, above, bands, right)  # type: ignore[no-any-return]


def cyclic(
    below: int,
    above: int,
    bands: ndarray,
    corners: tuple[HostArray, HostArray, ndarray],
    right: ndarray,
) -> ndarray:
    """x of one system whose matrix has elements in the corners, too.

    `corners` are rows and columns of them, and an array of what they are. By Woodbury's formula:
    the matrix without them, and a small one for the rows that have some.
    """
    rows, columns, values = corners
    which = numpy.unique(rows)
    n, m = right.shape[0], len(which)
    if not m:
        return solved(below, above, bands, right)
    unit = numpy.zeros((n, m))
    unit[which, numpy.arange(m)] = 1
    extra = np.asarray(unit, device=right.device).astype(right.dtype)
    made = solved(below, above, bands, np.concatenate([right, extra], axis=1))
    base, spread = made[:, : right.shape[1]], made[:, right.shape[1] :]
    # What the corners make of x, for each of their rows.
    mixing = numpy.zeros((m, len(rows)))
    mixing[numpy.searchsorted(which, rows), numpy.arange(len(rows))] = 1
    mix = np.asarray(mixing, device=right.device).astype(right.dtype)
    seen = values[:, None] * np.take(made, np.asarray(columns, device=right.device), axis=0)
    reached = mix @ seen
    of_base, of_spread = reached[:, : right.shape[1]], reached[:, right.shape[1] :]
    small = np.eye(m, dtype=right.dtype, device=right.device) + of_spread
    return base - spread @ np.linalg.solve(small, of_base)
