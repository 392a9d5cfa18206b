"""`interp1d`: functions of one variable by points, of several kinds."""

from __future__ import annotations

import math
from typing import Literal

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.scipy.interpolate._fitting import make_interp_spline
from heddle.scipy.interpolate._support import host, placed, safe_axis

_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_DIRECT = ("linear", "nearest", "nearest-up", "previous", "next")


def _check_lengths(places: ndarray, values: ndarray, axis: int) -> None:
    if values.shape[axis] != places.shape[0]:
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")


class interp1d:
    """A function that interpolates between points.

    `kind`: 'linear', 'nearest', 'nearest-up', 'zero', 'slinear', 'quadratic', 'cubic', 'previous',
    'next', or the degree of a spline.

    Examples
    --------
    >>> from heddle.scipy.interpolate import interp1d
    >>> f = interp1d([0.0, 1.0, 2.0], [0.0, 10.0, 30.0])
    >>> f([0.5, 1.5])
    array([ 5., 20.])
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        kind: str | int = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: ArrayLike = math.nan,
        assume_sorted: bool = False,
    ) -> None:
        self.bounds_error, self.copy = bounds_error, copy
        order = None
        if isinstance(kind, (int, numpy.integer)) and not isinstance(kind, bool):
            order, kind = int(kind), "spline"
        elif kind in _ORDERS:
            order, kind = _ORDERS[kind], "spline"
        elif kind not in _DIRECT:
            raise NotImplementedError(
                f"{kind} is unsupported: Use fitpack routines for other types."
            )
        values = as_array(y)
        places = as_array(x) if isinstance(x, own_array) else np.asarray(x, device=values.device)
        if copy:
            places, values = places.copy(), values.copy()
        if not assume_sorted and places.ndim == 1 and values.ndim:
            _check_lengths(places, values, safe_axis(axis, values.ndim))
            by_size = np.argsort(places, stable=True)
            places = np.take(places, by_size)
            values = np.take(values, by_size, axis=axis)
        if places.ndim != 1:
            raise ValueError("the x array must have exactly one dimension.")
        if values.ndim == 0:
            raise ValueError("the y array must have at least one dimension.")
        if values.dtype.kind not in "fc":
            values = values.astype("f8")
        self.axis = axis % values.ndim
        self._axis = safe_axis(axis, values.ndim)
        self.y, self.x, self._kind = values, places, kind
        self.dtype = values.dtype
        moved = np.moveaxis(values, self._axis, 0)
        _check_lengths(places, moved, 0)
        self._rest = moved.shape[1:]
        self._y = moved.reshape(moved.shape[0], math.prod(self._rest))
        least = 1 if order is None else order + 1
        if order is not None:
            self._fit(order)
        if places.shape[0] < least:
            raise ValueError(f"x and y arrays must have at least {least} entries")
        self.fill_value = fill_value

    def _fit(self, order: int) -> None:
        known = host(self.x).astype(float)
        # A single nan is everywhere where all coefficients follow from one another.
        missing = numpy.isnan(known).any()
        missing = missing or (order > 1 and not bool(np.all(np.isfinite(self._y))))
        self._all_nan = False
        if len(known) <= order:
            return
        if missing:
            finite = known[~numpy.isnan(known)]
            if len(numpy.unique(finite)) < 2:
                raise ValueError("`x` array is all-nan")
            self._all_nan = True
            places = numpy.linspace(finite.min(), finite.max(), len(known))
            self._spline = make_interp_spline(places, np.zeros_like(self._y), k=order)
            return
        self._spline = make_interp_spline(self.x, self._y, k=order, check_finite=False)

    @property
    def x_bds(self) -> ndarray:
        """Middles between points."""
        half = self.x / 2.0
        return half[1:] + half[:-1]

    @property
    def fill_value(self) -> ArrayLike:
        """What is given outside: an array or number, a pair of them, or 'extrapolate'."""
        return self._fill_value

    @fill_value.setter
    def fill_value(self, value: ArrayLike) -> None:
        self._fill_value = value
        if isinstance(value, str) and value == "extrapolate":
            if self.bounds_error:
                raise ValueError("Cannot extrapolate and raise at the same time.")
            self.bounds_error = False
            self._extrapolate = True
            if self._kind in ("previous", "next"):
                outer = -1 if self._kind == "previous" else 0
                known = self._y[outer]
                nothing = np.full_like(known, math.nan)
                self._below, self._above = (
                    (nothing, known) if self._kind == "previous" else (known, nothing)
                )
                self._extrapolate = False
            return
        shape = self._rest or (1,)
        if isinstance(value, tuple) and len(value) == 2:
            names = ("fill_value (below)", "fill_value (above)")
            sides = [self._fill(v, shape, n) for v, n in zip(value, names, strict=True)]
        else:
            sides = [self._fill(value, shape, "fill_value")] * 2
        self._below, self._above = sides
        self._extrapolate = False
        if self.bounds_error is None:
            self.bounds_error = True

    def _fill(self, value: ArrayLike, shape: tuple[int, ...], name: str) -> ndarray:
        given = as_array(value)
        try:
            return np.broadcast_to(given, shape).reshape(-1)
        except ValueError as error:
            raise ValueError(
                f"{name} argument must be able to broadcast up to shape {shape} but had shape "
                f"{given.shape}"
            ) from error

    def __call__(self, x: ArrayLike) -> ndarray:
        """Values at places `x`."""
        q = as_array(x) if isinstance(x, own_array) else np.asarray(x, device=self._y.device)
        if q.dtype.kind not in "fc":
            q = q.astype("f8")
        flat = q.reshape(-1)
        made = self._values(flat)
        if not self._extrapolate:
            below, above = flat < self.x[0], flat > self.x[-1]
            if self.bounds_error and flat.size:
                self._check_bounds(flat, below, above)
            made = np.where(below[:, None], self._below.astype(made.dtype), made)
            made = np.where(above[:, None], self._above.astype(made.dtype), made)
        return placed(made.reshape(q.shape + self._rest), q.ndim, self._axis)

    def _check_bounds(self, x: ndarray, below: ndarray, above: ndarray) -> None:
        for outside, word, end, name in (
            (below, "below", self.x[0], "minimum"),
            (above, "above", self.x[-1], "maximum"),
        ):
            if bool(np.any(outside)):
                value = float(x[np.argmax(outside)])
                raise ValueError(
                    f"A value ({value}) in x_new is {word} the interpolation range's {name} value "
                    f"({float(end)})."
                )

    def _values(self, q: ndarray) -> ndarray:
        x, y, n = self.x, self._y, self.x.shape[0]
        if self._kind == "spline":
            if self._all_nan:
                return np.full((q.shape[0], y.shape[1]), math.nan, y.dtype, device=y.device)
            return self._spline(q)
        if self._kind == "linear":
            if n == 1:
                return np.take(y, np.zeros(q.shape, "i8", device=q.device), axis=0)
            at = np.clip(np.searchsorted(x, np.stop_gradient(q)), 1, n - 1)
            low, high = np.take(x, at - 1), np.take(x, at)
            first, last = np.take(y, at - 1, axis=0), np.take(y, at, axis=0)
            slope = (last - first) / (high - low)[:, None]
            made = slope * (q - low)[:, None] + first
            if self._rest or self._extrapolate or y.dtype.kind == "c":
                return made
            # As `interp` has it, at a point there is its value, whatever is beside it.
            unknown = np.isnan(made)
            made = np.where(unknown & (q == low)[:, None], first, made)
            return np.where(unknown & (q == high)[:, None], last, made)
        if self._kind == "previous":
            at = np.searchsorted(x, q, side="right") - 1
        elif self._kind == "next":
            at = np.searchsorted(x, q, side="left")
        else:
            side: Literal["left", "right"] = "left" if self._kind == "nearest" else "right"
            at = np.searchsorted(self.x_bds, q, side=side)
        return np.take(y, np.clip(at, 0, n - 1), axis=0)
