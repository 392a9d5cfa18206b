"""B-splines: evaluation, derivatives, integrals, knots that are inserted."""

from __future__ import annotations

import functools
import math
import operator
from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.interpolate._support import (
    as_extrapolation,
    host,
    inexact,
    interval,
    only_where,
    over_periods,
    placed,
    real_points,
    safe_axis,
    taken,
    to_device_of,
    wrapped,
)

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import csr_array


def _ratio(a: ndarray, b: ndarray) -> ndarray:
    """a / b, and zero where b is: knots that are equal have no splines between them."""
    nothing = b == 0
    return np.where(nothing, 0.0, a / np.where(nothing, 1.0, b))


def basis(t: ndarray, k: int, x: ndarray, pieces: ndarray, nu: int = 0) -> list[ndarray]:
    """The k + 1 splines, or derivatives of them, that are not zero in a piece: by de Boor."""
    values = [np.ones_like(x)]
    for j in range(1, k + 1):
        new: list[Any] = [None] * (j + 1)
        for n in range(1, j + 1):
            high, low = taken(t, pieces + n), taken(t, pieces + (n - j))
            if j <= k - nu:
                part = _ratio(values[n - 1], high - low)
                left, right = part * (high - x), part * (x - low)
            else:
                right = _ratio(j * values[n - 1], high - low)
                left = -right
            new[n - 1] = left if new[n - 1] is None else new[n - 1] + left
            new[n] = right
        values = new
    return values


def spline_pieces(t: ndarray, k: int, x: ndarray) -> ndarray:
    """The piece i, t[i] <= x < t[i + 1], of each place; k to n - 1."""
    return interval(t, x, k, t.shape[0] - k - 2)


def spline_values(t: ndarray, c: ndarray, k: int, x: ndarray, nu: int) -> ndarray:
    """Values at (m,) of splines with coefficients (n,) or (n, rest)."""
    pieces = spline_pieces(t, k, x)
    if nu > k:
        return taken(c, pieces) * 0 + (x * 0 if c.ndim == 1 else x[:, None] * 0)
    parts = [
        taken(c, pieces + (a - k)) * (b if c.ndim == 1 else b[:, None])
        for a, b in enumerate(basis(t, k, x, pieces, nu))
    ]
    return functools.reduce(operator.add, parts)


class BSpline:
    """A spline of knots, coefficients and a degree.

    Evaluation is deferred, fuses, and has derivatives with respect to knots, coefficients and
    places.

    Examples
    --------
    >>> from heddle.scipy.interpolate import BSpline
    >>> s = BSpline([0, 1, 2, 3, 4, 5, 6], [-1, 2, 0, -1], 2)
    >>> s([2.5, 3.5])
    array([1.375, 0.125])
    """

    def __init__(
        self, t: ArrayLike, c: ArrayLike, k: int, extrapolate: object = True, axis: int = 0
    ) -> None:
        self.k = operator.index(k)
        self._c = inexact(as_array(c))
        self._t = real_points(t, self._c)
        self.extrapolate = "periodic" if extrapolate == "periodic" else bool(extrapolate)
        n = self._t.shape[0] - self.k - 1 if self._t.ndim else 0
        self.axis = safe_axis(axis, self._c.ndim)
        if axis != 0:
            self._c = np.moveaxis(self._c, self.axis, 0)
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if self._t.ndim != 1:
            raise ValueError("Knot vector must be one-dimensional.")
        if n < self.k + 1:
            raise ValueError(
                f"Need at least {2 * self.k + 2} knots for degree {self.k}, got {len(self._t)}."
            )
        knots = host(self._t)
        if (numpy.diff(knots) < 0).any():
            raise ValueError("Knots must be in a non-decreasing order.")
        if len(numpy.unique(knots[self.k : n + 1])) < 2:
            raise ValueError("Need at least two internal knots.")
        if not numpy.isfinite(knots).all():
            raise ValueError("Knots should not have nans or infs.")
        if self._c.ndim < 1:
            raise ValueError("Coefficients must be at least 1-dimensional.")
        if self._c.shape[0] < n:
            raise ValueError("Knots, coefficients and degree are inconsistent.")

    @classmethod
    def construct_fast(
        cls, t: ndarray, c: ndarray, k: int, extrapolate: bool | str = True, axis: int = 0
    ) -> BSpline:
        """One of arrays that need no checks."""
        self = object.__new__(cls)
        self._t, self._c, self.k = as_array(t), as_array(c), k
        self.extrapolate, self.axis = extrapolate, axis
        return self

    @property
    def t(self) -> ndarray:
        """Knots."""
        return self._t

    @t.setter
    def t(self, value: ArrayLike) -> None:
        self._t = real_points(value, self._c)

    @property
    def c(self) -> ndarray:
        """Coefficients, along the first axis."""
        return self._c

    @c.setter
    def c(self, value: ArrayLike) -> None:
        self._c = inexact(as_array(value))

    @property
    def tck(self) -> tuple[ndarray, ndarray, int]:
        """Knots, coefficients and degree."""
        return self._t, self._c, self.k

    def _at(self, x: ndarray, nu: int) -> ndarray:
        """Values at places (m,), with coefficients' other axes behind."""
        rest = self._c.shape[1:]
        columns = self._c.reshape(self._c.shape[0], math.prod(rest)) if rest else self._c
        single = columns.ndim == 2 and columns.shape[1] == 1
        made = spline_values(self._t, columns[:, 0] if single else columns, self.k, x, nu)
        return made.reshape(x.shape + rest)

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: object = None) -> ndarray:
        """Values, or derivatives of order `nu`, at places `x`."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        q = real_points(x, self._c)
        flat = q.reshape(-1)
        n = self._t.shape[0] - self.k - 1
        low, high = self._t[self.k], self._t[n]
        if extrapolate == "periodic":
            flat = wrapped(flat, low, high)
            extrapolate = False
        if nu < 0:
            raise ValueError("Order of derivative cannot be negative")
        made = self._at(flat, int(nu))
        inside = ~np.isnan(flat) if extrapolate else (flat >= low) & (flat <= high)
        made = only_where(inside, made, 1)
        return placed(made.reshape(q.shape + made.shape[1:]), q.ndim, self.axis)

    def _padded(self) -> ndarray:
        """Coefficients as many as knots: FITPACK's way."""
        missing = self._t.shape[0] - self._c.shape[0]
        if missing <= 0:
            return self._c
        shape = (missing, *self._c.shape[1:])
        return np.concatenate([self._c, np.zeros(shape, self._c.dtype, device=self._c.device)])

    def derivative(self, nu: int = 1) -> BSpline:
        """The derivative of order `nu`; an antiderivative if that is negative."""
        t, c, k = differentiated(self._t, self._padded(), self.k, nu)
        return self.construct_fast(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """The integral of order `nu`, zero at the first knot."""
        t, c, k = integrated(self._t, self._padded(), self.k, nu)
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(t, c, k, extrapolate, self.axis)

    def integrate(self, a: float, b: float, extrapolate: object = None) -> ndarray:
        """The integral from `a` to `b`; outside of the knots the spline goes on, or is zero."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        extrapolate = as_extrapolation(extrapolate)
        low, high, sign = float(a), float(b), 1.0
        if high < low:
            low, high, sign = high, low, -1.0
        n = self._t.shape[0] - self.k - 1
        first, last = (float(each) for each in host(self._t[self.k :: n - self.k][:2]))
        t, c, k = integrated(self._t, self._padded(), self.k, 1)
        whole = self.construct_fast(t, c, k)

        def between(start: float, end: float) -> ndarray:
            values = whole._at(to_device_of(numpy.array([start, end]), self._c), 0)
            return values[1] - values[0]

        if extrapolate == "periodic":
            made = over_periods(between, low, high, first, last)
        elif extrapolate:
            made = between(low, high)
        else:
            made = between(*(min(max(each, first), last) for each in (low, high)))
        return np.asarray(made * sign)

    @classmethod
    def basis_element(cls, t: ArrayLike, extrapolate: object = True) -> BSpline:
        """The spline of degree len(t) - 2 that is not zero between these knots alone."""
        knots = real_points(t)
        k = knots.shape[0] - 2
        around = [np.broadcast_to(knots[0] - 1, (k,)), knots, np.broadcast_to(knots[-1] + 1, (k,))]
        c = np.zeros((knots.shape[0] + k - 1,), device=knots.device)
        c[k] = 1.0
        return cls(np.concatenate(around), c, k, extrapolate)

    @classmethod
    def design_matrix(
        cls, x: ArrayLike, t: ArrayLike, k: int, extrapolate: object = False
    ) -> csr_array:
        """The sparse matrix of all splines (columns) at places (rows)."""
        from heddle.scipy.interpolate._design import rows_of, sparse_rows

        places = np.atleast_1d(real_points(x))
        knots = real_points(t, places)
        return sparse_rows(*rows_of(places, knots, int(k), extrapolate), places.shape[0])

    @classmethod
    def from_power_basis(cls, pp: object, bc_type: object = "not-a-knot") -> BSpline:
        """Of a cubic spline in powers, with its conditions at the ends."""
        from heddle.scipy.interpolate._cubic import CubicSpline
        from heddle.scipy.interpolate._fitting import make_interp_spline
        from heddle.scipy.interpolate._piecewise import PPoly

        if not isinstance(pp, CubicSpline):
            raise NotImplementedError(
                f"Only CubicSpline objects are accepted for now. Got {type(pp)} instead."
            )
        values = PPoly.construct_fast(pp.c, pp.x)(pp.x)
        made = make_interp_spline(pp.x, values, 3, bc_type=bc_type)
        return cls.construct_fast(made.t, made.c, 3, pp.extrapolate, pp.axis)

    def insert_knot(self, x: float, m: int = 1) -> BSpline:
        """The same spline with a knot inserted `m` times."""
        place = float(x)
        knots = host(self._t)
        n = len(knots) - self.k - 1
        if place < knots[self.k] or place > knots[n]:
            raise ValueError(f"Cannot insert a knot at {place}.")
        if m <= 0:
            raise ValueError(f"`m` must be positive, got {m = }.")
        t, c = self._t, self._c
        for _ in range(m):
            t, c = inserted(t, c, self.k, place, self.extrapolate == "periodic")
        return self.construct_fast(t, c, self.k, self.extrapolate, self.axis)


def inserted(t: ndarray, c: ndarray, k: int, x: float, periodic: bool) -> tuple[ndarray, ndarray]:
    """Knots and coefficients with one more knot: Boehm's formula."""
    knots = host(t)
    n = len(knots) - k - 1
    piece = int(numpy.clip(numpy.searchsorted(knots, x, side="right") - 1, k, n - 1))
    if periodic and len(knots) - 2 * k <= piece + 1 <= 2 * k:
        raise ValueError("Not enough internal knots.")
    column = (-1,) + (1,) * (c.ndim - 1)
    first = piece - k + 1  # coefficients from there to `piece` are mixed of two
    low, high = t[first : piece + 1], t[first + k : piece + k + 1]
    share = _ratio(x - low, high - low).reshape(column)
    mixed = share * c[first : piece + 1] + (1 - share) * c[first - 1 : piece]
    made = np.concatenate([c[:first], mixed, c[piece:]])
    at = to_device_of(numpy.array([x]), t)
    longer = np.concatenate([t[: piece + 1], at, t[piece + 1 :]])
    return _wrapped_knots(longer, made, k, piece) if periodic else (longer, made)


def _wrapped_knots(t: ndarray, c: ndarray, k: int, piece: int) -> tuple[ndarray, ndarray]:
    """Knots and coefficients of a periodic spline, those outside of the period made of others."""
    n = t.shape[0] - k - 1
    period = t[n] - t[k]
    if piece >= n - 1 - k:  # the new knot is near the end
        t = np.concatenate([t[n - k : n] - period, t[k:]])
        c = np.concatenate([c[n - k : n], c[k:]])
    elif piece <= 2 * k:
        t = np.concatenate([t[: n + 1], t[k + 1 : 2 * k + 1] + period])
        c = np.concatenate([c[: n - k], c[:k], c[n:]])
    return t, c


def differentiated(t: ndarray, c: ndarray, k: int, n: int) -> tuple[ndarray, ndarray, int]:
    """Knots, coefficients (as many) and degree of the derivative."""
    if n < 0:
        return integrated(t, c, k, -n)
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    column = (-1,) + (1,) * (c.ndim - 1)
    for _ in range(n):
        width = (t[k + 1 : -1] - t[1 : -k - 1]).reshape(column)
        count = t.shape[0] - k - 2
        slope = _ratio((c[1 : count + 1] - c[:count]) * float(k), width)
        zeros = np.zeros((k, *c.shape[1:]), c.dtype, device=c.device)
        c, t, k = np.concatenate([slope, zeros]), t[1:-1], k - 1
    return t, c, k


def integrated(t: ndarray, c: ndarray, k: int, n: int) -> tuple[ndarray, ndarray, int]:
    """Knots, coefficients (as many) and degree of the integral."""
    if n < 0:
        return differentiated(t, c, k, -n)
    column = (-1,) + (1,) * (c.ndim - 1)
    for _ in range(n):
        width = (t[k + 1 :] - t[: -k - 1]).reshape(column)
        total = np.cumsum(c[: t.shape[0] - k - 1] * width, axis=0) / (k + 1)
        zero = np.zeros_like(total[:1])
        last = np.broadcast_to(total[-1:], (k + 2, *total.shape[1:]))
        c = np.concatenate([zero, total, last])
        t = np.concatenate([t[:1], t, t[-1:]])
        k += 1
    return t, c, k
