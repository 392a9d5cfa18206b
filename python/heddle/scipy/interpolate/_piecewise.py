"""Piecewise polynomials in powers of the distance from the left end of each piece."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.interpolate._roots import piecewise_roots
from heddle.scipy.interpolate._support import (
    as_extrapolation,
    coordinates,
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
    from heddle.scipy.interpolate._splines import BSpline


class PiecewiseBase:
    """What piecewise polynomials share: coefficients (order, piece, rest...), and breakpoints."""

    c: ndarray
    x: ndarray
    extrapolate: Any
    axis: int
    _up: bool | None = None  # whether breakpoints ascend, once somebody asked

    def __init__(
        self, c: ArrayLike, x: ArrayLike, extrapolate: object = None, axis: int = 0
    ) -> None:
        self.c = as_array(c)
        self.x = real_points(x, self.c)
        if extrapolate is None:
            extrapolate = True
        elif extrapolate != "periodic":
            extrapolate = bool(extrapolate)
        self.extrapolate = extrapolate
        if self.c.ndim < 2:
            raise ValueError("Coefficients array must be at least 2-dimensional.")
        if not 0 <= axis < self.c.ndim - 1:
            raise ValueError(f"axis={axis} must be between 0 and {self.c.ndim - 1}")
        self.axis = axis
        if axis != 0:
            self.c = np.moveaxis(np.moveaxis(self.c, axis + 1, 0), axis + 1, 0)
        self.c = inexact(self.c)
        if self.x.ndim != 1:
            raise ValueError("x must be 1-dimensional")
        if self.x.size < 2:
            raise ValueError("at least 2 breakpoints are needed")
        if self.c.shape[0] == 0:
            raise ValueError("polynomial must be at least of order 0")
        if self.c.shape[1] != self.x.size - 1:
            raise ValueError("number of coefficients != len(x)-1")
        step = host(self.x[1:] - self.x[:-1])
        if not (numpy.all(step >= 0) or numpy.all(step <= 0)):
            raise ValueError("`x` must be strictly increasing or decreasing.")
        self._up = bool(numpy.all(step >= 0))

    @classmethod
    def construct_fast(
        cls, c: ndarray, x: ndarray, extrapolate: object = None, axis: int = 0
    ) -> Self:
        """One of arrays that need no checks."""
        self = object.__new__(cls)
        self.c, self.x, self.axis = as_array(c), as_array(x), axis
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def _pieces(self, q: ndarray) -> ndarray:
        """The piece of each place."""
        n = self.x.shape[0]
        if self._ascending():
            return interval(self.x, q, 0, n - 2)
        places = np.searchsorted(np.stop_gradient(self.x[::-1]), np.stop_gradient(q), side="left")
        return np.clip(n - 1 - places, 0, n - 2)

    def _ascending(self) -> bool:
        if self._up is None:
            ends = host(self.x[:: self.x.shape[0] - 1])
            self._up = bool(ends[1] >= ends[0])
        return self._up

    def _inside(self, q: ndarray, extrapolate: bool) -> ndarray:
        if extrapolate:
            return ~np.isnan(q)
        low, high = np.minimum(self.x[0], self.x[-1]), np.maximum(self.x[0], self.x[-1])
        return (q >= low) & (q <= high)

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: object = None) -> ndarray:
        """Values, or derivatives of order `nu`, at places `x`."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        q = real_points(x, self.c)
        shape = q.shape
        flat = q.reshape(-1)
        if extrapolate == "periodic":
            flat = wrapped(flat, self.x[0], self.x[-1])
            extrapolate = False
        if nu < 0:
            raise ValueError("Order of derivative cannot be negative")
        rest = self.c.shape[2:]
        columns = self.c.reshape(*self.c.shape[:2], math.prod(rest))
        single = columns.shape[2] == 1
        if single:
            columns = columns[:, :, 0]
        made = self._values(columns, flat, self._pieces(flat), nu)
        made = only_where(self._inside(flat, bool(extrapolate)), made, 1)
        return placed(made.reshape(shape + rest), len(shape), self.axis)

    def _values(self, c: ndarray, q: ndarray, pieces: ndarray, nu: int) -> ndarray:
        raise NotImplementedError

    def extend(self, c: ArrayLike, x: ArrayLike) -> None:
        """Adds pieces to the right or to the left."""
        given, places = as_array(c), real_points(x, self.c)
        if given.ndim < 2:
            raise ValueError("invalid dimensions for c")
        if places.ndim != 1:
            raise ValueError("invalid dimensions for x")
        if places.shape[0] != given.shape[1]:
            raise ValueError(f"Shapes of x {places.shape} and c {given.shape} are incompatible")
        if given.shape[2:] != self.c.shape[2:] or given.ndim != self.c.ndim:
            raise ValueError(
                f"Shapes of c {given.shape} and self.c {self.c.shape} are incompatible"
            )
        if given.size == 0:
            return
        new, old = host(places), host(self.x)
        step = numpy.diff(new)
        if not (numpy.all(step >= 0) or numpy.all(step <= 0)):
            raise ValueError("`x` is not sorted.")
        right = self._side(new, old)
        order = max(given.shape[0], self.c.shape[0])
        dtype = numpy.result_type(given.dtype, self.c.dtype)
        parts = [self._raised(each.astype(dtype), order) for each in (self.c, given)]
        self.c = np.concatenate(parts if right else parts[::-1], axis=1)
        self.x = np.concatenate([self.x, places] if right else [places, self.x])

    @staticmethod
    def _side(new: Any, old: Any) -> bool:
        """Whether new pieces are behind the old ones."""
        if old[-1] >= old[0]:
            if not new[-1] >= new[0]:
                raise ValueError("`x` is in the different order than `self.x`.")
            if new[0] >= old[-1]:
                return True
            if new[-1] <= old[0]:
                return False
        else:
            if not new[-1] <= new[0]:
                raise ValueError("`x` is in the different order than `self.x`.")
            if new[0] <= old[-1]:
                return True
            if new[-1] >= old[0]:
                return False
        raise ValueError("`x` is neither on the left or on the right from `self.x`.")

    @staticmethod
    def _raised(c: ndarray, order: int) -> ndarray:
        """The same polynomials with more coefficients."""
        missing = order - c.shape[0]
        if not missing:
            return c
        return np.concatenate([np.zeros((missing, *c.shape[1:]), c.dtype, device=c.device), c])

    def integrate(self, a: float, b: float, extrapolate: object = None) -> ndarray:
        """The integral from `a` to `b`."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        extrapolate = as_extrapolation(extrapolate)
        low, high = float(a), float(b)
        sign = 1.0
        if high < low:
            low, high, sign = high, low, -1.0
        whole = self.antiderivative()  # type: ignore[attr-defined]
        whole = type(whole).construct_fast(whole.c, whole.x, extrapolate, 0)

        def between(start: float, end: float) -> ndarray:
            ends = to_device_of(numpy.array([start, end]), self.c)
            values = whole(ends, 0, extrapolate != "periodic" and extrapolate)
            return values[1] - values[0]  # type: ignore[no-any-return]

        if extrapolate == "periodic":
            first, last = (float(each) for each in host(self.x[:: self.x.shape[0] - 1]))
            made = over_periods(between, low, high, first, last)
        else:
            made = between(low, high)
        return np.asarray(made * sign)


def falling(n: int, nu: int) -> float:
    """n (n - 1) ... (n - nu + 1), the factor of the derivative of a power."""
    return float(math.perm(n, nu)) if n >= nu else 0.0


class PPoly(PiecewiseBase):
    """Piecewise polynomial of coefficients for powers of x - x[i], the highest first.

    Evaluation is deferred, fuses, and has derivatives with respect to the coefficients and places.

    Examples
    --------
    >>> from heddle.scipy.interpolate import PPoly
    >>> p = PPoly([[1.0, 2.0], [0.0, 1.0]], [0.0, 1.0, 2.0])  # x, then 2 (x - 1) + 1
    >>> p([0.5, 1.5])
    array([0.5, 2. ])
    >>> print(p.integrate(0, 2))
    2.5
    """

    def _values(self, c: ndarray, q: ndarray, pieces: ndarray, nu: int) -> ndarray:
        order = c.shape[0]
        s = q - taken(self.x, pieces)
        if c.ndim == 3:
            s = s[:, None]
        if order <= nu:
            return s * 0 + taken(c[0], pieces) * 0
        made = taken(c[0], pieces) * falling(order - 1, nu)
        for k in range(1, order - nu):
            made = made * s + taken(c[k], pieces) * falling(order - 1 - k, nu)
        return made

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative of order `nu`; an antiderivative if that is negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        order = self.c.shape[0]
        if nu == 0:
            c = self.c.copy()
        elif nu >= order:
            c = np.zeros((1, *self.c.shape[1:]), self.c.dtype, device=self.c.device)
        else:
            factors = numpy.array([falling(order - 1 - k, nu) for k in range(order - nu)])
            c = self.c[: order - nu] * self._column(factors)
        return self.construct_fast(c, self.x, self.extrapolate, self.axis)

    def _column(self, factors: HostArray) -> ndarray:
        """Factors for the orders of coefficients."""
        shape = (-1,) + (1,) * (self.c.ndim - 1)
        return to_device_of(factors, self.c).reshape(shape)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The integral of order `nu`, continuous and zero at the first breakpoint."""
        if nu <= 0:
            return self.derivative(-nu)
        order = self.c.shape[0]
        factors = [1 / falling(order - 1 - k + nu, nu) for k in range(order)]
        upper = self.c * self._column(numpy.array(factors))
        step = (self.x[1:] - self.x[:-1]).reshape((-1,) + (1,) * (self.c.ndim - 2))
        # Rows from the highest order to the constant; each lower derivative at a breakpoint is the
        # sum of what the pieces before have added.
        rows = [upper[k] for k in range(order)]
        for d in range(nu - 1, -1, -1):
            added = np.zeros_like(rows[0])
            top = len(rows) + d  # the degree of the first row
            for k, row in enumerate(rows):
                added = added * step + row * falling(top - k, d)
            added = added * step  # what is left out is the constant itself
            total = np.cumsum(added, axis=0)
            zero = np.zeros_like(total[:1])
            rows.append(np.concatenate([zero, total[:-1]]) / math.factorial(d))
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        made = np.stack(rows)
        return self.construct_fast(made, self.x, extrapolate, self.axis)

    def solve(
        self, y: float = 0.0, discontinuity: bool = True, extrapolate: object = None
    ) -> ndarray | HostArray:
        """Where the polynomials are equal to `y`: found on the host, as their number is not known.

        A piece that is equal everywhere gives its left end, and nan.
        """
        if extrapolate is None:
            extrapolate = self.extrapolate
        periodic = extrapolate == "periodic"
        if self.c.dtype.kind == "c":
            raise ValueError("Root finding is only for real-valued polynomials")
        c, x = host(self.c), host(self.x)
        rest = c.shape[2:]
        lines = c.reshape(*c.shape[:2], -1)
        go_on = bool(extrapolate) and not periodic
        found = [
            piecewise_roots(lines[:, :, k], x, float(y), bool(discontinuity), go_on)
            for k in range(lines.shape[2])
        ]
        arrays = [to_device_of(each, self.c) for each in found]
        if not rest:
            return arrays[0]
        made = numpy.empty(len(arrays), dtype=object)
        for k, each in enumerate(arrays):
            made[k] = each
        return made.reshape(rest)

    def roots(self, discontinuity: bool = True, extrapolate: object = None) -> ndarray | HostArray:
        """Where the polynomials are zero."""
        return self.solve(0, discontinuity, extrapolate)

    @classmethod
    def from_spline(
        cls, tck: BSpline | tuple[Any, ...], extrapolate: bool | str | None = None
    ) -> PPoly:
        """Of a spline, a BSpline or (t, c, k): its pieces between knots."""
        from heddle.scipy.interpolate._splines import BSpline

        if isinstance(tck, BSpline):
            t, k = tck.t, tck.k
            if extrapolate is None:
                extrapolate = tck.extrapolate
            spline = tck
        else:
            t, c, k = tck
            spline = BSpline(t, np.asarray(c)[: len(t) - k - 1], k)
            t = spline.t
        factors = [math.factorial(m) for m in range(k, -1, -1)]
        rows = [spline._at(t[:-1], m) / f for m, f in zip(range(k, -1, -1), factors, strict=True)]
        return cls.construct_fast(np.stack(rows), t, extrapolate)

    @classmethod
    def from_bernstein_basis(cls, bp: object, extrapolate: object = None) -> PPoly:
        """Of a polynomial in the Bernstein basis."""
        from heddle.scipy.interpolate._bernstein import BPoly

        if not isinstance(bp, BPoly):
            raise TypeError(
                f".from_bernstein_basis only accepts BPoly instances. Got {type(bp)} instead."
            )
        step = (bp.x[1:] - bp.x[:-1]).reshape((-1,) + (1,) * (bp.c.ndim - 2))
        k = bp.c.shape[0] - 1
        rows: list[Any] = [None] * (k + 1)
        for s in range(k + 1):
            row: Any = 0
            for a in range(s + 1):
                factor = (-1) ** (s - a) * math.comb(k, a) * math.comb(k - a, s - a)
                row = row + bp.c[a] * factor
            rows[k - s] = row / step**s
        if extrapolate is None:
            extrapolate = bp.extrapolate
        return cls.construct_fast(np.stack(rows), bp.x, extrapolate, bp.axis)


class NdPPoly:
    """Piecewise polynomials of several variables, on a grid of breakpoints.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import NdPPoly
    >>> p = NdPPoly(np.array([[1.0, 0.0], [0.0, 0.0]]).reshape(2, 2, 1, 1), ([0, 1], [0, 1]))
    >>> p([[0.5, 0.5]])
    array([0.25])
    """

    def __init__(self, c: ArrayLike, x: Sequence[ArrayLike], extrapolate: object = None) -> None:
        self.c = inexact(as_array(c))
        self.x = tuple(real_points(each, self.c) for each in x)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if any(each.ndim != 1 for each in self.x):
            raise ValueError("x arrays must all be 1-dimensional")
        if any(each.size < 2 for each in self.x):
            raise ValueError("x arrays must all contain at least 2 points")
        if self.c.ndim < 2 * ndim:
            raise ValueError("c must have at least 2*len(x) dimensions")
        if any(numpy.any(numpy.diff(host(each)) < 0) for each in self.x):
            raise ValueError("x-coordinates are not in increasing order")
        pieces = self.c.shape[ndim : 2 * ndim]
        if any(a != b.size - 1 for a, b in zip(pieces, self.x, strict=True)):
            raise ValueError("x and c do not agree on the number of intervals")

    @classmethod
    def construct_fast(
        cls, c: ndarray, x: Sequence[ndarray], extrapolate: bool | None = None
    ) -> NdPPoly:
        """One of arrays that need no checks."""
        self = object.__new__(cls)
        self.c, self.x = as_array(c), tuple(map(as_array, x))
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def __call__(
        self, x: ArrayLike, nu: Sequence[int] | None = None, extrapolate: object = None
    ) -> ndarray:
        """Values, or derivatives of orders `nu`, at places whose coordinates are the last axis."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        ndim = len(self.x)
        q = real_points(coordinates(x, ndim), self.c)
        shape = q.shape[:-1]
        if q.shape[-1] != ndim:
            raise ValueError(f"number of dimensions does not match: {q.shape[-1]} and {ndim}")
        flat = q.reshape(-1, ndim)
        orders = (0,) * ndim if nu is None else tuple(int(each) for each in nu)
        if len(orders) != ndim:
            raise ValueError("invalid number of derivative orders nu")
        if any(each < 0 for each in orders):
            raise ValueError("Order of derivative cannot be negative")
        rest = self.c.shape[2 * ndim :]
        degrees, pieces = self.c.shape[:ndim], self.c.shape[ndim : 2 * ndim]
        table = self.c.reshape(*degrees, math.prod(pieces), *((math.prod(rest),) if rest else ()))
        at: Any = 0
        s, valid = [], ~np.isnan(flat[:, 0])
        for d, knots in enumerate(self.x):
            column = flat[:, d]
            place = interval(knots, column, 0, knots.shape[0] - 2)
            at = at * pieces[d] + place
            step = column - taken(knots, place)
            s.append(step[:, None] if rest else step)
            inside = (column >= knots[0]) & (column <= knots[-1])
            valid = valid & (~np.isnan(column) if extrapolate else inside)
        made = self._horner(table, s, at, orders)
        return only_where(valid, made, 1).reshape(shape + rest)

    def _horner(
        self, table: ndarray, s: list[ndarray], at: ndarray, nu: tuple[int, ...]
    ) -> ndarray:
        if not s:
            return taken(table, at)
        order = table.shape[0]
        made: Any = s[0] * 0
        for k in range(max(order - nu[0], 0)):
            inner = self._horner(table[k], s[1:], at, nu[1:])
            made = made * s[0] + inner * falling(order - 1 - k, nu[0])
        return made + self._horner(table[0], s[1:], at, nu[1:]) * 0  # type: ignore[no-any-return]

    def _along(self, axis: int) -> tuple[PPoly, list[int]]:
        """The polynomials of one variable, and the order that brings the axes there."""
        ndim = len(self.x)
        order = list(range(self.c.ndim))
        order.remove(axis)
        order.remove(axis + ndim)
        order = [axis, axis + ndim, *order]
        return PPoly.construct_fast(self.c.transpose(order), self.x[axis], self.extrapolate), order

    def derivative(self, nu: Sequence[int]) -> NdPPoly:
        """Derivatives of orders `nu`; antiderivatives where these are negative."""
        made = self
        for axis, n in enumerate(nu):
            if n:
                p, order = made._along(axis)
                c = p.derivative(n).c.transpose(numpy.argsort(order).tolist())
                made = self.construct_fast(c, made.x, self.extrapolate)
        return made if made is not self else self.construct_fast(self.c.copy(), self.x)

    def antiderivative(self, nu: Sequence[int]) -> NdPPoly:
        """Integrals of orders `nu`."""
        return self.derivative([-int(n) for n in nu])

    def integrate_1d(self, a: float, b: float, axis: int, extrapolate: object = None) -> Any:
        """The integral over one variable: a polynomial of the others, if any are left."""
        if extrapolate is None:
            extrapolate = self.extrapolate
        ndim = len(self.x)
        axis = safe_axis(int(axis), ndim)
        p, _ = self._along(axis)
        made = p.integrate(a, b, extrapolate=bool(extrapolate))
        if ndim == 1:
            return made
        others = self.x[:axis] + self.x[axis + 1 :]
        return self.construct_fast(made, others, self.extrapolate)

    def integrate(
        self, ranges: Sequence[tuple[float, float]], extrapolate: object = None
    ) -> ndarray:
        """The integral over a box."""
        ndim = len(self.x)
        if not hasattr(ranges, "__len__") or len(ranges) != ndim:
            raise ValueError("Range not a sequence of correct length")
        made: Any = self
        for a, b in ranges:
            made = made.integrate_1d(a, b, 0, extrapolate)
        return made  # type: ignore[no-any-return]
