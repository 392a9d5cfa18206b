"""What needs linear algebra: fits, roots, quadrature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy
from numpy.exceptions import RankWarning

from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._runtime.reports import warn
from heddle._typing import ArrayLike, HostArray
from heddle.polynomial._coefficients import (
    as_count,
    as_vectors,
    namespace,
    read,
    spread,
    stacked,
    zeros,
)
from heddle.polynomial._evaluation import columns, joined
from heddle.polynomial._families import Family, power


def _scales(family: Family, count: int) -> HostArray:
    """Factors that make the polynomials orthonormal, up to a common one."""
    if family is power:
        return numpy.ones(count)
    up, _, down = family.times_x(count)
    return numpy.cumprod(numpy.concatenate([[1.0], numpy.sqrt(up[:-1] / down[1:])]))


def _multiplication(family: Family, count: int) -> HostArray:
    """The matrix of multiplication with x: symmetric, but for the power series."""
    up, same, down = family.times_x(count)
    between = up[:-1] if family is power else numpy.sign(up[:-1]) * numpy.sqrt(up[:-1] * down[1:])
    matrix = numpy.diag(same) + numpy.diag(between, -1)
    return matrix if family is power else matrix + numpy.diag(between, 1)


def companion(family: Family, c: ArrayLike) -> ndarray:
    """The matrix whose eigenvalues are the roots, scaled to be nearly symmetric."""
    (c,) = as_vectors(c)
    if len(c) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    count = len(c) - 1
    a, b, _ = family.step(0)
    if count == 1:
        return stacked([(-c[0] / c[1] - b) / a]).reshape(1, 1)
    made: Any = _multiplication(family, count).astype(c.dtype)
    scales = _scales(family, count)
    up = family.times_x(count)[0][-1]
    last = c[:-1] / c[-1] * spread(scales[-1] / scales * up, c)
    if isinstance(c, own_array):
        made = as_array(made)._to_device(c.device)
    matrix: ndarray = made
    matrix[:, -1] -= last
    return matrix


def roots(family: Family, c: ArrayLike) -> ndarray:
    """The roots of the series, sorted: eigenvalues of the companion matrix."""
    (c,) = as_vectors(c)
    if len(c) < 2:
        return c[:0]
    if len(c) == 2:
        return companion(family, c).reshape(1)
    matrix = companion(family, c)
    if family is not power:  # turned around, the small elements come first: more accurate
        matrix = matrix[::-1, ::-1]
    found: ndarray = namespace(c).sort(eigenvalues(matrix))
    return found


def eigenvalues(matrix: ndarray) -> ndarray:
    """Real where all of them are."""
    found: ndarray = namespace(matrix).linalg.eigvals(matrix)
    real = found.dtype.kind == "c" and matrix.dtype.kind != "c" and not bool(found.imag.any())
    return found.real.copy() if real else found


def check_fit(x: ndarray, y: ndarray, deg: HostArray) -> None:
    """NumPy's checks of what is fitted."""
    if deg.ndim > 1 or deg.dtype.kind not in "iu" or deg.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if deg.min() < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if not 1 <= y.ndim <= 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")


def least_squares(
    matrix: ndarray, y: ndarray, w: ndarray | None, rcond: float
) -> tuple[ndarray, ndarray, int, ndarray]:
    """The coefficients, residuals, rank and singular values of a weighted fit.

    The columns of the matrix are scaled to unit length first.
    """
    xp = namespace(matrix, y)
    if w is not None:
        if w.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(w) != len(matrix):
            raise TypeError("expected x and w to have same length")
        matrix = matrix * w[:, None]
        y = y * (w if y.ndim == 1 else w[:, None])
    lengths = xp.sqrt(xp.sum(xp.abs(matrix) ** 2, axis=0))
    lengths = xp.where(lengths == 0, lengths * 0 + 1, lengths)
    c, residuals, rank, singular = xp.linalg.lstsq(matrix / lengths, y, rcond)
    return (c.T / lengths).T, residuals, rank, singular


@overload
def fit(
    family: Family,
    x: ArrayLike,
    y: ArrayLike,
    deg: int | Sequence[int],
    rcond: float | None = None,
    full: Literal[False] = False,
    w: ArrayLike | None = None,
) -> ndarray: ...
@overload
def fit(
    family: Family,
    x: ArrayLike,
    y: ArrayLike,
    deg: int | Sequence[int],
    rcond: float | None = None,
    *,
    full: Literal[True],
    w: ArrayLike | None = None,
) -> tuple[ndarray, list[Any]]: ...
@overload
def fit(
    family: Family,
    x: ArrayLike,
    y: ArrayLike,
    deg: int | Sequence[int],
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, list[Any]]: ...
def fit(
    family: Family,
    x: ArrayLike,
    y: ArrayLike,
    deg: int | Sequence[int],
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, list[Any]]:
    """The series of a degree that is closest to the points, by least squares.

    Parameters
    ----------
    x, y : array_like
        The points; `y` may have several columns.
    deg : int or sequence of int
        The degree, or the degrees that the series may have.
    rcond : float, optional
        Singular values below this fraction of the largest one count as zero.
    full : bool, optional
        Whether the residuals, the rank, the singular values and `rcond` are given as well.
    w : array_like, optional
        The weight of each point.
    """
    given = [x, y] if w is None else [x, y, w]
    points, targets, *weights = (a + 0.0 if a.dtype.kind in "biu" else a for a in read(*given))
    (wanted,) = read(deg, small=None)
    degrees: HostArray = wanted.get() if isinstance(wanted, own_array) else wanted
    check_fit(points, targets, degrees)
    chosen = None if degrees.ndim == 0 else numpy.sort(degrees)
    highest = int(degrees) if chosen is None else int(chosen[-1])
    matrix = joined(columns(family, points, highest))
    if chosen is not None:
        matrix = matrix[:, chosen]
    if rcond is None:
        rcond = len(points) * numpy.finfo(points.dtype).eps
    weight = weights[0] if weights else None
    c, residuals, rank, singular = least_squares(matrix, targets, weight, rcond)
    if chosen is not None:
        every = zeros(highest + 1, c)
        every[chosen] = c
        c = every
    if rank != matrix.shape[1] and not full:
        warn("The fit may be poorly conditioned", RankWarning)
    return (c, [residuals, rank, singular, rcond]) if full else c


def gauss(family: Family, deg: SupportsIndex) -> tuple[ndarray, ndarray]:
    """The points and weights of Gauss's quadrature, exact up to the degree ``2*deg - 1``."""
    count = as_count(deg, "deg")
    if count <= 0:
        raise ValueError("deg must be a positive integer")
    return _core.series_gauss(family.prefix, count)
