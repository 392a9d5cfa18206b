"""Splines of several variables: products of B-splines."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy._host import number
from heddle.scipy.interpolate._fitting import make_interp_spline
from heddle.scipy.interpolate._splines import BSpline, basis, differentiated, spline_pieces
from heddle.scipy.interpolate._support import host, inexact, only_where, real_points, taken

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import csr_array


def tensor_values(
    knots: tuple[ndarray, ...],
    c: ndarray,
    degrees: tuple[int, ...],
    x: list[ndarray],
    nu: tuple[int, ...],
) -> ndarray:
    """Values at (m,) of products of splines; coefficients (n1, n2, ..., rest...).

    One variable after the other: first the sums over the last one, for all places of the others.
    """
    dims = len(knots)
    rest = c.shape[dims:]
    table = c.reshape(math.prod(c.shape[:dims]), *((math.prod(rest),) if rest else ()))
    places: list[list[ndarray]] = []
    weights: list[list[ndarray]] = []
    step = 1
    steps: list[int] = []
    for count in c.shape[:dims][::-1]:
        steps.insert(0, step)
        step *= count
    for t, k, q, order, each in zip(knots, degrees, x, nu, steps, strict=True):
        pieces = spline_pieces(t, k, q)
        places.append([(pieces + (a - k)) * each for a in range(k + 1)])
        if order > k:
            weights.append([q * 0] * (k + 1))
        else:
            weights.append(basis(t, k, q, pieces, order))

    def summed(axis: int, at: Any) -> ndarray:
        if axis == dims:
            return taken(table, at)
        made: Any = None
        for place, weight in zip(places[axis], weights[axis], strict=True):
            part = summed(axis + 1, place if at is None else at + place)
            part = part * (weight[:, None] if rest else weight)
            made = part if made is None else made + part
        return made  # type: ignore[no-any-return]

    made = summed(0, None)
    return made.reshape(made.shape[:1] + rest)


class NdBSpline:
    """A spline of several variables: a product of B-splines, with coefficients for each.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import NdBSpline
    >>> t = [0.0, 0.0, 1.0, 1.0]
    >>> s = NdBSpline((t, t), np.array([[0.0, 1.0], [1.0, 2.0]]), 1)  # x + y
    >>> s([[0.25, 0.5]])
    array([0.75])
    """

    def __init__(
        self,
        t: Sequence[ArrayLike],
        c: ArrayLike,
        k: int | Sequence[int],
        *,
        extrapolate: object = None,
    ) -> None:
        dims = len(t)
        each = k if isinstance(k, Iterable) else (k,) * dims
        degrees = tuple(operator.index(degree) for degree in each)
        if len(degrees) != dims:
            raise ValueError(f"len(t) = {dims} != len(k) = {len(degrees)}.")
        self._k = degrees
        self._c = inexact(as_array(c))
        self._t = tuple(real_points(each, self._c) for each in t)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        for d in range(dims):
            self._check(d)

    def _check(self, d: int) -> None:
        k, knots = self._k[d], host(self._t[d])
        n = knots.shape[0] - k - 1
        if k < 0:
            raise ValueError(f"Spline degree in dimension {d} cannot be negative.")
        if knots.ndim != 1:
            raise ValueError(f"Knot vector in dimension {d} must be one-dimensional.")
        if n < k + 1:
            raise ValueError(f"Need at least {2 * k + 2} knots for degree {k} in dimension {d}.")
        if (numpy.diff(knots) < 0).any():
            raise ValueError(f"Knots in dimension {d} must be in a non-decreasing order.")
        if len(numpy.unique(knots[k : n + 1])) < 2:
            raise ValueError(f"Need at least two internal knots in dimension {d}.")
        if not numpy.isfinite(knots).all():
            raise ValueError(f"Knots in dimension {d} should not have nans or infs.")
        if self._c.ndim < len(self._t):
            raise ValueError(f"Coefficients must be at least {d}-dimensional.")
        if self._c.shape[d] != n:
            raise ValueError(
                f"Knots, coefficients and degree in dimension {d} are inconsistent: got "
                f"{self._c.shape[d]} coefficients for {len(knots)} knots, need at least {n} for "
                f"k={k}."
            )

    @property
    def k(self) -> tuple[int, ...]:
        """Degrees."""
        return self._k

    @property
    def t(self) -> tuple[ndarray, ...]:
        """Knots of each variable."""
        return self._t

    @property
    def c(self) -> ndarray:
        """Coefficients."""
        return self._c

    def __call__(
        self,
        xi: ArrayLike,
        *,
        nu: Any = None,
        extrapolate: bool | None = None,
    ) -> ndarray:
        """Values, or derivatives of orders `nu`, at places whose coordinates are the last axis."""
        dims = len(self._t)
        if extrapolate is None:
            extrapolate = self.extrapolate
        if nu is None:
            orders = (0,) * dims
        else:
            given = (nu,) if isinstance(nu, (int, numpy.integer)) else nu
            orders = tuple(operator.index(each) for each in given)
            if len(orders) != dims:
                raise ValueError(
                    f"invalid number of derivative orders nu = {nu} for ndim = {dims}."
                )
            if any(each < 0 for each in orders):
                raise ValueError(f"derivatives must be positive, got nu = {nu}")
        q = real_points(xi, self._c)
        if q.shape[-1] != dims:
            raise ValueError(f"Shapes: xi.shape={q.shape} and ndim={dims}")
        flat = q.reshape(-1, dims)
        columns = [flat[:, d] for d in range(dims)]
        made = tensor_values(self._t, self._c, self._k, columns, orders)
        valid = ~np.any(np.isnan(flat), axis=1)
        if not extrapolate:
            for column, t, k in zip(columns, self._t, self._k, strict=True):
                valid = valid & (column >= t[k]) & (column <= t[t.shape[0] - k - 1])
        made = only_where(valid, made, 1)
        return made.reshape(q.shape[:-1] + self._c.shape[dims:])

    @classmethod
    def design_matrix(
        cls,
        xvals: ArrayLike,
        t: Sequence[ArrayLike],
        k: int | Sequence[int],
        extrapolate: object = True,
    ) -> csr_array:
        """The sparse matrix of all products (columns) at places (rows)."""
        from heddle.scipy.interpolate._design import check_knots, sparse_rows

        x = real_points(xvals)
        if x.ndim != 2:
            raise ValueError(f"design_matrix: places are rows of a matrix; got shape {x.shape}")
        dims = x.shape[-1]
        if len(t) != dims:
            raise ValueError(
                f"Data and knots are inconsistent: len(t) = {len(t)} for  ndim = {dims}."
            )
        k = number(k)
        degrees = (int(k),) * dims if isinstance(k, (int, numpy.integer)) else tuple(k)
        knots = [real_points(each, x) for each in t]
        rows, places, count = None, None, 1
        for d, (each, degree) in enumerate(zip(knots, degrees, strict=True)):
            known = check_knots(each, degree)
            n = len(known) - degree - 1
            column = x[:, d]
            if not extrapolate and bool(np.any((column < each[degree]) | (column > each[n]))):
                raise ValueError(f"Out of bounds w/ x = {x}.")
            pieces = spline_pieces(each, degree, column)
            values = np.stack(basis(each, degree, column, pieces), axis=1)
            at = pieces[:, None] + np.arange(-degree, 1, device=x.device)
            count *= n
            if rows is None or places is None:
                rows, places = values, at
            else:
                rows = (rows[:, :, None] * values[:, None, :]).reshape(x.shape[0], -1)
                places = (places[:, :, None] * n + at[:, None, :]).reshape(x.shape[0], -1)
        return sparse_rows(rows, places, count, x.shape[0])  # type: ignore[arg-type]

    def derivative(self, nu: Sequence[int]) -> NdBSpline:
        """The derivative of orders `nu`."""
        orders = [operator.index(each) for each in nu]
        if len(orders) != len(self._t):
            raise ValueError(
                f"The number of derivative orders nu={nu} does not match ndim={len(self._t)}."
            )
        if any(each < 0 for each in orders):
            raise ValueError(f"derivative orders must be positive, got nu={nu}")
        c, knots, degrees = self._c, list(self._t), list(self._k)
        for d, order in enumerate(orders):
            if not order:
                continue
            if order > degrees[d]:
                shape = list(c.shape)
                knots[d] = knots[d][degrees[d] : knots[d].shape[0] - degrees[d]]
                shape[d] = knots[d].shape[0] - 1
                c, degrees[d] = np.zeros(tuple(shape), c.dtype, device=c.device), 0
                continue
            moved = np.moveaxis(c, d, 0)
            missing = knots[d].shape[0] - moved.shape[0]
            zeros = np.zeros((missing, *moved.shape[1:]), c.dtype, device=c.device)
            t, new, k = differentiated(knots[d], np.concatenate([moved, zeros]), degrees[d], order)
            c = np.moveaxis(new[: t.shape[0] - k - 1], 0, d)
            knots[d], degrees[d] = t, k
        return NdBSpline(tuple(knots), c, tuple(degrees), extrapolate=self.extrapolate)


def interpolating(
    points: tuple[ndarray, ...], values: ndarray, degrees: tuple[int, ...]
) -> NdBSpline:
    """The spline through values on a grid: one-dimensional ones, axis by axis."""
    c = inexact(values)
    knots = []
    for d, (x, k) in enumerate(zip(points, degrees, strict=True)):
        made = make_interp_spline(x, np.moveaxis(c, d, 0), k)
        knots.append(made.t)
        c = np.moveaxis(made.c, 0, d)
    return NdBSpline(tuple(knots), c, tuple(degrees))


def solved_by(
    grid: tuple[ndarray, ...], spline: NdBSpline, values: ndarray, solver: Any, options: Any
) -> NdBSpline:
    """The same spline, with coefficients that a solver of sparse systems finds."""
    from heddle.scipy import sparse

    matrix: Any = None
    for x, t, k in zip(grid, spline.t, spline.k, strict=True):
        one = BSpline.design_matrix(x, t, k)
        matrix = one if matrix is None else sparse.kron(matrix, one, format="csr")
    dims = len(grid)
    right = inexact(values).reshape(matrix.shape[0], -1)

    def column(b: ndarray) -> ndarray:
        if b.dtype.kind == "c":
            return column(b.real.copy()) + 1j * column(b.imag.copy())
        made = solver(matrix, b, **options)
        if isinstance(made, tuple):
            made, info = made
            if info != 0:
                raise ValueError(f"{solver = } returns {info = }.")
        return as_array(made)

    found = [column(right[:, j].copy()) for j in range(right.shape[1])]
    shape = spline.c.shape[:dims] + values.shape[dims:]
    return NdBSpline(spline.t, np.stack(found, axis=-1).reshape(shape), spline.k)
