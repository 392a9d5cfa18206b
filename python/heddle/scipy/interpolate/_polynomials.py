"""Polynomials through points: Newton's form (Krogh), and the barycentric one."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, Seed
from heddle.scipy._generic import host_generator
from heddle.scipy.interpolate._support import (
    host,
    inexact,
    placed,
    real_points,
    safe_axis,
    to_device_of,
)


class _Polynomial:
    """Values along an axis of y, as columns."""

    xi: ndarray
    yi: ndarray | None
    n: int
    r: int
    dtype: Any
    _axis: int
    _rest: tuple[int, ...]

    def _columns(self, yi: ArrayLike, axis: int, count: int) -> ndarray:
        values = as_array(yi)
        shape = values.shape or (1,)
        values = values.reshape(shape)
        axis = safe_axis(axis, values.ndim)
        if shape[axis] != count:
            raise ValueError("x and y arrays must be equal in length along interpolation axis.")
        moved = np.moveaxis(values, axis, 0)
        self._axis, self._rest = axis, moved.shape[1:]
        made = inexact(moved.reshape(count, math.prod(self._rest)))
        self.dtype = made.dtype
        return made

    def _shaped(self, values: ndarray, shape: tuple[int, ...], before: int = 0) -> ndarray:
        """Of (before..., places, columns): places and axes of y where they belong."""
        made = values.reshape((*values.shape[:before], *shape, *self._rest))
        if self._axis == 0 or not self._rest:
            return made
        if not before:
            return placed(made, len(shape), self._axis)
        return np.stack([placed(each, len(shape), self._axis) for each in made])

    def __call__(self, x: ArrayLike) -> ndarray:
        """Values at places `x`."""
        if self.yi is None:
            raise ValueError("No y values have been supplied.")
        q = real_points(x, self.yi)
        return self._shaped(self._evaluate(q.reshape(-1)), q.shape)

    def _evaluate(self, x: ndarray) -> ndarray:
        raise NotImplementedError

    def derivative(self, x: ArrayLike, der: int = 1) -> ndarray:
        """A derivative at places `x`."""
        q = real_points(x, self.xi)
        made = self._derivatives(q.reshape(-1), int(der) + 1)[int(der)]
        return self._shaped(made, q.shape)

    def derivatives(self, x: ArrayLike, der: int | None = None) -> ndarray:
        """Derivatives of orders 0 to `der` - 1, along the first axis."""
        q = real_points(x, self.xi)
        count = self.n if der is None else int(der)
        made = np.stack(self._derivatives(q.reshape(-1), count))
        return self._shaped(made, q.shape, 1)

    def _derivatives(self, x: ndarray, count: int) -> list[ndarray]:
        raise NotImplementedError


class KroghInterpolator(_Polynomial):
    """The polynomial through points; where one is repeated, values are derivatives there.

    Examples
    --------
    >>> from heddle.scipy.interpolate import KroghInterpolator
    >>> p = KroghInterpolator([0, 0, 1], [0.0, 0.0, 1.0])  # value and slope are 0 at 0
    >>> p([0.5, 2.0])
    array([0.25, 4.  ])
    """

    def __init__(self, xi: ArrayLike, yi: ArrayLike, axis: int = 0) -> None:
        values = as_array(yi)
        self.xi = real_points(xi, values)
        self.yi = self._columns(values, axis, self.xi.shape[0])
        self.n, self.r = self.yi.shape
        if self.n > 30:
            warnings.warn(
                f"{self.n} degrees provided, degrees higher than about thirty cause problems with "
                "numerical instability with 'KroghInterpolator'",
                stacklevel=2,
            )
        self.c = self._differences()

    def _differences(self) -> ndarray:
        """Newton's coefficients: divided differences, derivatives where points are equal."""
        assert self.yi is not None
        known = host(self.xi)
        first = numpy.zeros(self.n, int)  # of the points that are equal to one
        for i in range(1, self.n):
            first[i] = first[i - 1] if known[i] == known[i - 1] else i
        if len(set(known[first].tolist())) != len(set(first.tolist())):
            raise ValueError("Elements of `xi` can't be equal.")
        column = np.take(self.yi, to_device_of(first, self.xi), axis=0)
        made = [column[:1]]
        for d in range(1, self.n):
            width = self.xi[d:] - self.xi[:-d]
            equal = first[d:] == first[: self.n - d]
            same = to_device_of(equal, self.xi)
            slope = (column[1:] - column[:-1]) / np.where(same, 1.0, width)[:, None]
            if equal.any():
                places = numpy.minimum(first[: self.n - d] + d, self.n - 1)
                given = np.take(self.yi, to_device_of(places, self.xi), axis=0)
                slope = np.where(same[:, None], given / math.factorial(d), slope)
            column = slope
            made.append(column[:1])
        return np.concatenate([*made, np.zeros_like(made[0])])

    def _evaluate(self, x: ndarray) -> ndarray:
        return self._derivatives(x, 1)[0]

    def _derivatives(self, x: ndarray, count: int) -> list[ndarray]:
        shape = (x.shape[0], self.r)
        zero = np.zeros(shape, self.dtype, device=x.device)
        found = [np.broadcast_to(self.c[self.n - 1], shape)] + [zero] * (count - 1)
        for k in range(self.n - 2, -1, -1):
            step = (x - self.xi[k])[:, None]
            for j in range(min(count - 1, self.n - 1 - k), 0, -1):
                found[j] = found[j] * step + found[j - 1]
            found[0] = found[0] * step + self.c[k]
        return [each * math.factorial(j) if j > 1 else each for j, each in enumerate(found)]


class BarycentricInterpolator(_Polynomial):
    """The polynomial through points, in the stable barycentric form.

    Examples
    --------
    >>> from heddle.scipy.interpolate import BarycentricInterpolator
    >>> BarycentricInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])([0.5, 3.0])
    array([0.25, 9.  ])
    """

    def __init__(
        self,
        xi: ArrayLike,
        yi: ArrayLike | None = None,
        axis: int = 0,
        *,
        wi: ArrayLike | None = None,
        rng: Seed = None,
        random_state: Seed = None,
    ) -> None:
        self.xi = real_points(xi) if yi is None else real_points(xi, as_array(yi))
        self._rng = host_generator(rng if random_state is None else random_state)
        self.n, self.r = self.xi.shape[0], 1
        self._axis = axis
        self.set_yi(yi, axis)
        self._slopes: BarycentricInterpolator | None = None
        if wi is not None:
            self.wi = real_points(wi, self.xi)
        else:
            known = host(self.xi)
            self._capacity = 4.0 / (known.max() - known.min()) if self.n > 1 else 1.0
            self.wi = self._weights()
        if not bool(np.all(np.isfinite(self.wi))):
            raise ValueError("Interpolation points xi must be distinct.")

    def _weights(self) -> ndarray:
        """1 / the product of distances to all others, in an order that does not overflow."""
        order = to_device_of(self._rng.permutation(self.n), self.xi)
        distance = self._capacity * (self.xi[:, None] - np.take(self.xi, order)[None, :])
        own = np.arange(self.n, device=self.xi.device)[:, None] == order[None, :]
        return 1.0 / np.prod(np.where(own, 1.0, distance), axis=1)

    def set_yi(self, yi: ArrayLike | None, axis: int | None = None) -> None:
        """Other values at the same points."""
        if yi is None:
            self.yi = None
            return
        self.yi = self._columns(yi, self._axis if axis is None else axis, self.n)
        self.r = self.yi.shape[1]
        self._slopes = None

    def add_xi(self, xi: ArrayLike, yi: ArrayLike | None = None) -> None:
        """More points, and values there."""
        more = real_points(xi, self.xi)
        if yi is not None:
            if self.yi is None:
                raise ValueError("No previous yi value to update!")
            values = as_array(yi)
            values = values.reshape(values.shape or (1,))
            added = inexact(np.moveaxis(values, self._axis, 0).reshape(more.shape[0], -1))
            self.yi = np.concatenate([self.yi, added])
        elif self.yi is not None:
            raise ValueError("No update to yi provided!")
        self.xi = np.concatenate([self.xi, more])
        self.n = self.xi.shape[0]
        self._slopes = None
        if not hasattr(self, "_capacity"):
            self._capacity = 1.0
            old = self.wi.shape[0]
            scale = self.wi[0] / self._weights()[0] if old else 1.0
            self.wi = self._weights() * scale
        else:
            self.wi = self._weights()

    def _evaluate(self, x: ndarray) -> ndarray:
        assert self.yi is not None
        gap = x[:, None] - self.xi[None, :]
        hit = gap == 0
        share = self.wi / np.where(hit, 1.0, gap)
        total = np.sum(share, axis=1)
        made = (share.astype(self.dtype) @ self.yi) / total[:, None]
        there = np.any(hit, axis=1)
        exact = np.take(self.yi, np.argmax(hit, axis=1), axis=0)
        return np.where(there[:, None], exact, made)

    def _derivatives(self, x: ndarray, count: int) -> list[ndarray]:
        made: list[ndarray] = []
        current = self
        for order in range(count):
            if order >= self.n:
                made.append(np.zeros_like(made[0]))
                continue
            made.append(current._evaluate(x))
            if order + 1 < min(count, self.n):
                current = current._differentiated()
        return made

    def _differentiated(self) -> BarycentricInterpolator:
        """The interpolant of slopes at the points, by the matrix that differentiates."""
        if self._slopes is None:
            if self.yi is None:
                raise ValueError("No y values have been supplied.")
            gap = self.xi[:, None] - self.xi[None, :]
            own = gap == 0
            matrix = np.where(
                own, 0.0, self.wi[None, :] / (self.wi[:, None] * np.where(own, 1.0, gap))
            )
            matrix = matrix - np.diag(np.sum(matrix, axis=1))
            made = BarycentricInterpolator(self.xi, matrix.astype(self.dtype) @ self.yi, wi=self.wi)
            self._slopes = made
        return self._slopes


def krogh_interpolate(
    xi: ArrayLike, yi: ArrayLike, x: ArrayLike, der: object = 0, axis: int = 0
) -> ndarray:
    """Values, or derivatives of one or several orders, of the polynomial through points.

    Examples
    --------
    >>> from heddle.scipy.interpolate import krogh_interpolate
    >>> krogh_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], [3.0], der=1)
    array([6.])
    """
    return _of_orders(KroghInterpolator(xi, yi, axis=axis), x, der)


def barycentric_interpolate(
    xi: ArrayLike,
    yi: ArrayLike,
    x: ArrayLike,
    axis: int = 0,
    *,
    der: object = 0,
    rng: Seed = None,
) -> ndarray:
    """Values, or derivatives of one or several orders, in the barycentric form.

    Examples
    --------
    >>> from heddle.scipy.interpolate import barycentric_interpolate
    >>> barycentric_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], [3.0])
    array([9.])
    """
    return _of_orders(BarycentricInterpolator(xi, yi, axis=axis, rng=rng), x, der)


def _of_orders(made: Any, x: ArrayLike | None, der: Any) -> ndarray:
    found: ndarray
    if isinstance(der, (int, numpy.integer)):
        found = made.derivative(x, der=int(der)) if der else made(x)
    else:
        found = made.derivatives(x, der=max(der) + 1)[list(der)]
    return found
