"""Cubic interpolants: with given slopes, shape preserving, Akima's, and splines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.scipy.interpolate._piecewise import PPoly
from heddle.scipy.interpolate._support import all_finite, inexact, is_complex, safe_axis
from heddle.scipy.linalg._banded import cyclic, solved


def prepared(
    x: ArrayLike, y: ArrayLike, axis: int, dydx: Any = None
) -> tuple[ndarray, ndarray, int, ndarray | None]:
    """Checked points, values along the first axis, and slopes like these."""
    values = as_array(y)
    places = as_array(x) if isinstance(x, own_array) else np.asarray(x, device=values.device)
    if is_complex(places):
        raise ValueError("`x` must be real.")
    places = places.astype("f8")
    values = inexact(values)
    slopes = None
    if dydx is not None:
        slopes = as_array(dydx)
        if values.shape != slopes.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
        slopes = inexact(slopes)
        dtype = numpy.result_type(values.dtype, slopes.dtype)
        values, slopes = values.astype(dtype), slopes.astype(dtype)
    axis = safe_axis(axis, values.ndim)
    if places.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if places.shape[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if places.shape[0] != values.shape[axis]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    if not all_finite(places):
        raise ValueError("`x` must contain only finite values.")
    if not all_finite(values):
        raise ValueError("`y` must contain only finite values.")
    if slopes is not None and not all_finite(slopes):
        raise ValueError("`dydx` must contain only finite values.")
    if bool(np.any(places[1:] <= places[:-1])):
        raise ValueError("`x` must be strictly increasing sequence.")
    moved = np.moveaxis(values, axis, 0)
    return places, moved, axis, None if slopes is None else np.moveaxis(slopes, axis, 0)


def _across(steps: ndarray, like: ndarray) -> ndarray:
    return steps.reshape((-1,) + (1,) * (like.ndim - 1))


class CubicHermiteSpline(PPoly):
    """Cubic polynomials with given values and slopes at points.

    Examples
    --------
    >>> from heddle.scipy.interpolate import CubicHermiteSpline
    >>> CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])([0.25, 0.5])
    array([0.15625, 0.5    ])
    """

    def __init__(
        self, x: ArrayLike, y: ArrayLike, dydx: object, axis: int = 0, extrapolate: object = None
    ) -> None:
        places, values, axis, slopes = prepared(x, y, axis, dydx)
        assert slopes is not None
        self._set(places, values, slopes, axis, extrapolate)

    def _set(self, x: ndarray, y: ndarray, slopes: ndarray, axis: int, extrapolate: object) -> None:
        step = _across(x[1:] - x[:-1], y)
        mean = (y[1:] - y[:-1]) / step
        bend = (slopes[:-1] + slopes[1:] - 2 * mean) / step
        c = np.stack([bend / step, (mean - slopes[:-1]) / step - bend, slopes[:-1], y[:-1]])
        self.c, self.x, self.axis, self._up = c, x, axis, True
        if extrapolate is None:
            extrapolate = True
        self.extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)


def _real(values: ndarray, name: str) -> ndarray:
    if is_complex(values):
        raise ValueError(
            f"`{name}` only works with real values for `y`. If you are trying to use the real "
            f"components of the passed array, use `np.real` on the array before passing to "
            f"`{name}`."
        )
    return values


class PchipInterpolator(CubicHermiteSpline):
    """Cubic polynomials that rise and fall where the data do, and nowhere else.

    Examples
    --------
    >>> from heddle.scipy.interpolate import PchipInterpolator
    >>> p = PchipInterpolator([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0])
    >>> p([0.5, 1.5, 2.5])
    array([0. , 0.5, 1. ])
    """

    def __init__(
        self, x: ArrayLike, y: ArrayLike, axis: int = 0, extrapolate: object = None
    ) -> None:
        places, values, axis, _ = prepared(x, y, axis)
        values = _real(values, "PchipInterpolator")
        slopes = pchip_slopes(places, values)
        self._set(places, values, slopes, axis, extrapolate)


def pchip_slopes(x: ndarray, y: ndarray) -> ndarray:
    """Weighted harmonic means of the slopes around; zero where these differ in sign."""
    step = _across(x[1:] - x[:-1], y)
    mean = (y[1:] - y[:-1]) / step
    if y.shape[0] == 2:
        return np.broadcast_to(mean, y.shape)
    left, right = mean[:-1], mean[1:]
    flat = (np.sign(left) != np.sign(right)) | (left == 0) | (right == 0)
    w1, w2 = 2 * step[1:] + step[:-1], step[1:] + 2 * step[:-1]
    safe_left, safe_right = np.where(flat, 1.0, left), np.where(flat, 1.0, right)
    inner = np.where(flat, 0.0, (w1 + w2) / (w1 / safe_left + w2 / safe_right))
    first = _pchip_end(step[:1], step[1:2], mean[:1], mean[1:2])
    last = _pchip_end(step[-1:], step[-2:-1], mean[-1:], mean[-2:-1])
    return np.concatenate([first, inner, last])


def _pchip_end(h0: ndarray, h1: ndarray, m0: ndarray, m1: ndarray) -> ndarray:
    """The slope at an end by three points, made to keep the shape."""
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turned = np.sign(slope) != np.sign(m0)
    steep = (np.sign(m0) != np.sign(m1)) & (abs(slope) > 3.0 * abs(m0))
    return np.where(turned, 0.0, np.where(steep, 3.0 * m0, slope))


class Akima1DInterpolator(CubicHermiteSpline):
    """Cubic polynomials by Akima: outliers change little around them. Real values, two or more.

    Examples
    --------
    >>> from heddle.scipy.interpolate import Akima1DInterpolator
    >>> a = Akima1DInterpolator([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0, 0.0])
    >>> a([0.5, 1.5])
    array([0., 0.])
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        axis: int = 0,
        *,
        method: str = "akima",
        extrapolate: object = None,
    ) -> None:
        if method not in {"akima", "makima"}:
            raise NotImplementedError(f"`method`={method} is unsupported.")
        places, values, axis, _ = prepared(x, y, axis)
        values = _real(values, "Akima1DInterpolator")
        slopes = _akima_slopes(places, values, method)
        self._set(places, values, slopes, axis, False if extrapolate is None else extrapolate)

    def extend(self, c: ArrayLike, x: ArrayLike, right: bool = True) -> None:
        """Not for these: all slopes would change."""
        raise NotImplementedError("Extending a 1-D Akima interpolator is not yet implemented")

    @classmethod
    def from_spline(cls, tck: object, extrapolate: object = None) -> PPoly:
        """Not for these."""
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")

    @classmethod
    def from_bernstein_basis(cls, bp: object, extrapolate: object = None) -> PPoly:
        """Not for these."""
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")


def _akima_slopes(x: ndarray, y: ndarray, method: str) -> ndarray:
    step = _across(x[1:] - x[:-1], y)
    mean = (y[1:] - y[:-1]) / step
    if y.shape[0] == 2:
        return np.broadcast_to(mean, y.shape)
    before = [2 * mean[:1] - mean[1:2]]
    before.insert(0, 2 * before[0] - mean[:1])
    after = [2 * mean[-1:] - mean[-2:-1]]
    after.append(2 * after[0] - mean[-1:])
    m = np.concatenate([*before, mean, *after])
    change = abs(m[1:] - m[:-1])
    if method == "makima":
        change = change + 0.5 * abs(m[1:] + m[:-1])
    right, left = change[2:], change[:-2]
    total = right + left
    if not total.size:
        return np.zeros_like(y)
    clear = total > 1e-9 * np.max(np.stop_gradient(total))
    share = left / np.where(clear, total, 1.0)
    mixed = m[1:-2] + share * (m[2:-1] - m[1:-2])
    return np.where(clear, mixed, 0.5 * (m[3:] + m[:-3]))


class CubicSpline(CubicHermiteSpline):
    """The cubic spline through points: twice continuously differentiable.

    `bc_type`: 'not-a-knot', 'periodic', 'clamped', 'natural', or for both ends such a name or an
    order, 1 or 2, and the value of that derivative.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import CubicSpline
    >>> s = CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> s([1.5, 2.5])
    array([ 3.375, 15.625])
    >>> print(round(float(np.grad(lambda x: s(x))(2.0)), 9))
    12.0
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        axis: int = 0,
        bc_type: str | tuple[Any, Any] = "not-a-knot",
        extrapolate: object = None,
    ) -> None:
        places, values, axis, _ = prepared(x, y, axis)
        conditions, values = _ends(bc_type, values, axis)
        if extrapolate is None:
            extrapolate = "periodic" if conditions[0] == "periodic" else True
        slopes = values if values.size == 0 else _spline_slopes(places, values, conditions)
        self._set(places, values, slopes, axis, extrapolate)


def _ends(bc_type: str | tuple[Any, Any], y: ndarray, axis: int) -> tuple[list[Any], ndarray]:
    """The condition of each end, a name or an order and an array; and values of a type for all."""
    if isinstance(bc_type, str):
        if bc_type == "periodic":
            gap = abs(y[:1] - y[-1:])
            if not bool(np.all(gap <= 1e-15 + 1e-15 * abs(y[-1:]))):
                raise ValueError(
                    f"The first and last `y` point along axis {axis} must be identical (within "
                    "machine precision) when bc_type='periodic'."
                )
        sides = (bc_type, bc_type)
    else:
        if len(bc_type) != 2:
            raise ValueError(
                "`bc_type` must contain 2 elements to specify start and end conditions."
            )
        if "periodic" in [each for each in bc_type if isinstance(each, str)]:
            raise ValueError(
                "'periodic' `bc_type` is defined for both curve ends and cannot be used with other "
                "boundary conditions."
            )
        sides = tuple(bc_type)
    made: list[Any] = []
    rest = y.shape[1:]
    for side in sides:
        if isinstance(side, str):
            if side in ("clamped", "natural"):
                zeros = np.zeros(rest, device=y.device)
                made.append((1 if side == "clamped" else 2, zeros))
            elif side in ("not-a-knot", "periodic"):
                made.append(side)
            else:
                raise ValueError(f"bc_type={side} is not allowed.")
            continue
        try:
            order, value = side
        except Exception as error:
            raise ValueError(
                "A specified derivative value must be given in the form (order, value)."
            ) from error
        if order not in (1, 2):
            raise ValueError("The specified derivative order must be 1 or 2.")
        value = inexact(as_array(value))
        if value.shape != rest:
            raise ValueError(f"`deriv_value` shape {value.shape} is not the expected one {rest}.")
        if is_complex(value):
            y = y.astype("c16")
        made.append((order, value))
    return made, y


def _spline_slopes(x: ndarray, y: ndarray, ends: list[Any]) -> ndarray:
    n = x.shape[0]
    rest = y.shape[1:]
    sides = y.reshape(n, -1)
    step = x[1:] - x[:-1]
    wide = step[:, None]
    mean = (sides[1:] - sides[:-1]) / wide
    ends = [each if isinstance(each, str) else (each[0], each[1].reshape(1, -1)) for each in ends]
    if n == 2:  # two points have no inner ones: conditions that need these become slopes
        if ends[0] in ("not-a-knot", "periodic"):
            ends[0] = (1, mean[:1])
        if ends[1] in ("not-a-knot", "periodic"):
            ends[1] = (1, mean[:1])
    if n == 3 and ends == ["not-a-knot", "not-a-knot"]:
        made = _parabola(step, mean)
    elif ends[0] == "periodic":
        made = _periodic_slopes(step, mean, n)
    else:
        made = _inner_slopes(step, wide, mean, ends)
    return made.reshape(n, *rest)


def _parabola(step: ndarray, mean: ndarray) -> ndarray:
    """Slopes of the parabola through three points."""
    bend = (mean[1:] - mean[:1]) / (step[0] + step[1])
    return np.concatenate(
        [mean[:1] - bend * step[0], mean[:1] + bend * step[0], mean[1:] + bend * step[1]]
    )


def _inner_slopes(step: ndarray, wide: ndarray, mean: ndarray, ends: list[object]) -> ndarray:
    """Of continuous second derivatives at inner points: a system with three diagonals."""
    middle = [2 * (step[:-1] + step[1:])]
    above, below = [step[:-1]], [step[1:]]
    right = [3 * (wide[1:] * mean[:-1] + wide[:-1] * mean[1:])]
    first = _end_row(ends[0], step[:2], mean[:2])
    last = _end_row(ends[1], step[::-1][:2], mean[::-1][:2], -1)
    middle = [first[0], *middle, last[0]]
    above, below = [first[1], *above], [*below, last[1]]
    right = [first[2], *right, last[2]]
    zero = np.zeros_like(step[:1])
    bands = np.stack(
        [
            np.concatenate([zero, *above]),
            np.concatenate(middle),
            np.concatenate([*below, zero]),
        ]
    )
    dtype = numpy.result_type(*(each.dtype for each in right))
    return solved(1, 1, bands, np.concatenate([each.astype(dtype) for each in right]))


def _end_row(
    end: Any, step: ndarray, mean: ndarray, sign: int = 1
) -> tuple[ndarray, ndarray, ndarray]:
    """The equation of an end: its own factor, that of the neighbour, and the right side."""
    h0, m0 = step[:1], mean[:1]
    if end == "not-a-knot":
        h1, m1 = step[1:2], mean[1:2]
        both = h0 + h1
        value = ((h0 + 2 * both) * h1 * m0 + h0**2 * m1) / both
        return h1, both, value
    order, wanted = end
    if order == 1:
        return np.ones_like(h0), np.zeros_like(h0), wanted
    return 2 * h0, h0, 3 * (h0 * m0) - sign * 0.5 * wanted * h0**2


def _periodic_slopes(step: ndarray, mean: ndarray, n: int) -> ndarray:
    if n == 3:
        slope = (mean[:1] / step[0] + mean[1:] / step[1]) / (1 / step[0] + 1 / step[1])
        return np.concatenate([slope, slope, slope])
    before = np.concatenate([step[-1:], step[:-1]])
    mean_before = np.concatenate([mean[-1:], mean[:-1]])
    right = 3 * (step[:, None] * mean_before + before[:, None] * mean)
    zero = np.zeros_like(step[:1])
    bands = np.stack(
        [
            np.concatenate([zero, before[:-1]]),
            2 * (before + step),
            np.concatenate([step[1:], zero]),
        ]
    )
    m = n - 1
    values = np.stack([step[0], before[-1]]).astype(right.dtype)
    corners = (numpy.array([0, m - 1]), numpy.array([m - 1, 0]), values)
    made = cyclic(1, 1, bands, corners, right)
    return np.concatenate([made, made[:1]])


def pchip_interpolate(
    xi: ArrayLike, yi: ArrayLike, x: ArrayLike, der: int | Sequence[int] = 0, axis: int = 0
) -> ndarray | list[ndarray]:
    """Values, or derivatives, at `x` of the shape preserving interpolant; lists of orders, too.

    Examples
    --------
    >>> from heddle.scipy.interpolate import pchip_interpolate
    >>> pchip_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], [0.5, 1.5])
    array([0.3125, 2.1875])
    """
    made = PchipInterpolator(xi, yi, axis=axis)
    if isinstance(der, (int, numpy.integer)):
        return made(x, int(der)) if der else made(x)
    return [made(x, int(nu)) for nu in der]
