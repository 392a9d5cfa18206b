"""Matrices of splines at places: sparse ones, and those with few diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import HostArray
from heddle.scipy.interpolate._splines import basis, spline_pieces
from heddle.scipy.interpolate._support import host, wrapped

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import csr_array


def check_knots(t: ndarray, k: int) -> HostArray:
    """Knots as they are on the host, if they are knots."""
    knots = host(t)
    if t.ndim != 1 or (numpy.diff(knots) < 0).any():
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if len(knots) < 2 * k + 2:
        raise ValueError(f"Length t is not enough for k={k}.")
    if not numpy.isfinite(knots).all():
        raise ValueError("Knots should not have nans or infs.")
    return knots


def rows_of(x: ndarray, t: ndarray, k: int, extrapolate: object) -> tuple[ndarray, ndarray, int]:
    """Values (places, k + 1) of splines, their indices, and how many there are."""
    if extrapolate != "periodic":
        extrapolate = bool(extrapolate)
    if k < 0:
        raise ValueError("Spline order cannot be negative.")
    knots = check_knots(t, k)
    n = len(knots) - k - 1
    if extrapolate == "periodic":
        x = wrapped(x, t[k], t[n])
    elif not extrapolate and x.size:
        low, high = float(np.min(x)), float(np.max(x))
        if low < knots[k] or high > knots[n]:
            raise ValueError(f"Out of bounds w/ x = {x}.")
    pieces = spline_pieces(t, k, x)
    values = np.stack(basis(t, k, x, pieces), axis=1)
    indices = pieces[:, None] + np.arange(-k, 1, device=x.device)
    return values, indices, n


def sparse_rows(values: ndarray, indices: ndarray, count: int, rows: int) -> csr_array:
    """A CSR array of rows that all have as many elements."""
    width = values.shape[1]
    ends = np.arange(0, rows * width + 1, width, device=values.device)
    try:
        from heddle.scipy import sparse  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        import scipy.sparse

        parts = [host(each.reshape(-1)) for each in (values, indices)]
        found: csr_array = scipy.sparse.csr_array(
            (parts[0], parts[1], host(ends)), shape=(rows, count)
        )
        return found
    flat = (values.reshape(-1), indices.reshape(-1), ends)
    return sparse.csr_array(flat, shape=(rows, count))


def diagonals(
    values: ndarray, first: ndarray, rows: ndarray, below: int, above: int, count: int
) -> ndarray:
    """LAPACK's diagonals of rows with elements `values` (rows, width), from column `first` on."""
    width = values.shape[1]
    columns = first[:, None] + np.arange(width, device=values.device)
    places = (above + rows[:, None] - columns) * count + columns
    made = np.zeros(((below + above + 1) * count,), values.dtype, device=values.device)
    made = made.at[places.reshape(-1)].add(values.reshape(-1))
    return made.reshape(below + above + 1, count)
