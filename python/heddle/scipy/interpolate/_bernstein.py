"""Piecewise polynomials in the Bernstein basis."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.scipy.interpolate._piecewise import PiecewiseBase, PPoly
from heddle.scipy.interpolate._support import host, inexact, real_points, taken


class BPoly(PiecewiseBase):
    """Piecewise polynomial of coefficients for Bernstein polynomials, the lowest power first.

    Examples
    --------
    >>> from heddle.scipy.interpolate import BPoly
    >>> b = BPoly([[1.0], [2.0], [3.0]], [0.0, 1.0])
    >>> b([0.0, 0.5, 1.0])
    array([1., 2., 3.])
    """

    def _values(self, c: ndarray, q: ndarray, pieces: ndarray, nu: int) -> ndarray:
        start = taken(self.x, pieces)
        width = taken(self.x[1:] - self.x[:-1], pieces)
        s = (q - start) / width
        if c.ndim == 3:
            s, width = s[:, None], width[:, None]
        degree = c.shape[0] - 1
        if nu > degree:
            return s * 0 + taken(c[0], pieces) * 0
        rows = [taken(c[a], pieces) for a in range(degree + 1)]
        for d in range(nu):
            rows = [(b - a) * (degree - d) / width for a, b in pairwise(rows)]
        n = len(rows) - 1
        rest = 1 - s
        made: Any = 0
        for a, row in enumerate(rows):
            made = made + row * (math.comb(n, a) * s**a * rest ** (n - a))
        return made + s * 0  # type: ignore[no-any-return]

    def derivative(self, nu: int = 1) -> BPoly:
        """The derivative of order `nu`; an antiderivative if that is negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        made = self
        for _ in range(nu):
            made = made._derivative()
        if nu == 0:
            return self.construct_fast(self.c.copy(), self.x, self.extrapolate, self.axis)
        return made

    def _derivative(self) -> BPoly:
        degree = self.c.shape[0] - 1
        if degree == 0:
            c = np.zeros_like(self.c)
        else:
            c = degree * (self.c[1:] - self.c[:-1]) / self._widths()
        return self.construct_fast(c, self.x, self.extrapolate, self.axis)

    def _widths(self) -> ndarray:
        return (self.x[1:] - self.x[:-1]).reshape((1, -1) + (1,) * (self.c.ndim - 2))

    def antiderivative(self, nu: int = 1) -> BPoly:
        """The integral of order `nu`, continuous and zero at the first breakpoint."""
        if nu <= 0:
            return self.derivative(-nu)
        if nu > 1:
            made = self
            for _ in range(nu):
                made = made.antiderivative()
            return made
        order = self.c.shape[0]
        total = np.cumsum(self.c, axis=0) * self._widths() / order
        c = np.concatenate([np.zeros_like(total[:1]), total])
        ends = np.cumsum(c[-1], axis=0)
        c = c + np.concatenate([np.zeros_like(ends[:1]), ends[:-1]])
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(c, self.x, extrapolate, self.axis)

    @staticmethod
    def _raised(c: ndarray, order: int) -> ndarray:
        return _elevated(c, order - c.shape[0])

    @classmethod
    def from_power_basis(cls, pp: object, extrapolate: object = None) -> BPoly:
        """Of a piecewise polynomial in powers."""
        if not isinstance(pp, PPoly):
            raise TypeError(
                f".from_power_basis only accepts PPoly instances. Got {type(pp)} instead."
            )
        step = (pp.x[1:] - pp.x[:-1]).reshape((-1,) + (1,) * (pp.c.ndim - 2))
        k = pp.c.shape[0] - 1
        scaled = [pp.c[k - a] * step**a / math.comb(k, a) for a in range(k + 1)]
        rows = []
        for j in range(k + 1):
            row: Any = 0
            for a in range(j + 1):
                row = row + scaled[a] * math.comb(j, a)
            rows.append(row)
        if extrapolate is None:
            extrapolate = pp.extrapolate
        return cls.construct_fast(np.stack(rows), pp.x, extrapolate, pp.axis)

    @classmethod
    def from_derivatives(
        cls, xi: ArrayLike, yi: ArrayLike, orders: object = None, extrapolate: object = None
    ) -> BPoly:
        """The polynomial with values and derivatives ``yi[i]`` at ``xi[i]``.

        Values are numbers or rows of them; how many derivatives there are may differ.
        """
        places = real_points(xi)
        rows = [[inexact(as_array(each)) for each in row] for row in _rows(yi)]
        if len(host(places)) != len(rows):
            raise ValueError("xi and yi need to have the same length")
        if numpy.any(numpy.diff(host(places)) <= 0):
            raise ValueError("x coordinates are not in increasing order")
        pieces = len(rows) - 1
        try:
            longest = max(len(rows[i]) + len(rows[i + 1]) for i in range(pieces))
        except TypeError as error:
            raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).") from error
        wanted = _orders(orders, pieces)
        made = []
        for i in range(pieces):
            left, right = rows[i], rows[i + 1]
            if wanted[i] is None:
                n1, n2 = len(left), len(right)
            else:
                n = wanted[i] + 1
                n1 = min(n // 2, len(left))
                n2 = min(n - n1, len(right))
                n1 = min(n - n2, len(left))
                if n1 + n2 != n:
                    raise ValueError(
                        f"Point {host(places)[i]} has {len(left)} derivatives, point "
                        f"{host(places)[i + 1]} has {len(right)} derivatives, but order "
                        f"{wanted[i]} requested"
                    )
                if not n1 <= len(left) or not n2 <= len(right):
                    raise ValueError("`order` input incompatible with length left or right.")
            c = _hermite(places[i], places[i + 1], left[:n1], right[:n2])
            made.append(c)
        order = longest if orders is None else max(c.shape[0] for c in made)
        raised = [_elevated(c, order - c.shape[0]) for c in made]
        return cls(np.stack(raised, axis=1), places, extrapolate)


def _rows(yi: Any) -> list[Any]:
    if isinstance(yi, (own_array, numpy.ndarray)):
        if yi.ndim < 2:
            raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).")
        return [list(row) for row in yi]
    try:
        return [list(row) for row in yi]
    except TypeError as error:
        raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).") from error


def _orders(orders: Any, pieces: int) -> list[Any]:
    if orders is None or isinstance(orders, (int, numpy.integer)):
        given = [orders] * pieces
    else:
        given = list(orders)
    if any(each is not None and each <= 0 for each in given):
        raise ValueError("Orders must be positive.")
    return given


def _elevated(c: ndarray, steps: int) -> ndarray:
    """The same Bernstein polynomials, of a higher degree."""
    if steps <= 0:
        return c
    k = c.shape[0] - 1
    rows = []
    for j in range(k + steps + 1):
        row: Any = 0
        for a in range(max(0, j - steps), min(k, j) + 1):
            factor = math.comb(k, a) * math.comb(steps, j - a) / math.comb(k + steps, j)
            row = row + c[a] * factor
        rows.append(row)
    return np.stack(rows)


def _hermite(xa: ndarray, xb: ndarray, ya: list[ndarray], yb: list[ndarray]) -> ndarray:
    """Bernstein coefficients of the polynomial with these derivatives at both ends.

    Derivatives at an end are differences of the coefficients there, so these follow one by one.
    """
    shapes = {each.shape for each in (*ya, *yb)}
    if len(shapes) > 1:
        raise ValueError(f"Shapes of ya {ya[0].shape} and yb {yb[0].shape} are incompatible")
    dtype = numpy.result_type(*(each.dtype for each in (*ya, *yb)))
    n = len(ya) + len(yb)
    width = xb - xa
    c: list[Any] = [None] * n
    for q, value in enumerate(ya):
        c[q] = value.astype(dtype) * width**q / math.perm(n - 1, q)
        for j in range(q):
            c[q] = c[q] - (-1) ** (j + q) * math.comb(q, j) * c[j]
    for q, value in enumerate(yb):
        found = value.astype(dtype) * (-1) ** q * width**q / math.perm(n - 1, q)
        for j in range(q):
            found = found - (-1) ** (j + 1) * math.comb(q, j + 1) * c[n - q + j]
        c[n - q - 1] = found
    return np.stack([np.asarray(each) for each in c])
