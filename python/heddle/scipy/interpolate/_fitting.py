"""Splines through points, and of least squares."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.interpolate._design import diagonals
from heddle.scipy.interpolate._splines import BSpline, basis, spline_pieces
from heddle.scipy.interpolate._support import (
    all_finite,
    host,
    inexact,
    real_points,
    safe_axis,
    to_device_of,
)
from heddle.scipy.linalg._banded import cyclic, solved


def _repeated(x: ndarray, first: int, last: int) -> list[ndarray]:
    """The first and the last knot, so many times."""
    return [np.broadcast_to(x[:1], (first,)), np.broadcast_to(x[-1:], (last,))]


def not_a_knot(x: ndarray, k: int) -> ndarray:
    """Knots at the points, or between them, but those near to the ends."""
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2
    skip = (k + 1) // 2 if k % 2 else k // 2
    ends = _repeated(x, k + 1, k + 1)
    return np.concatenate([ends[0], inner[skip : inner.shape[0] - skip], ends[1]])


def with_ends(x: ndarray, k: int) -> ndarray:
    """Knots at all points, the ends repeated."""
    ends = _repeated(x, k, k)
    return np.concatenate([ends[0], x, ends[1]])


def periodic_knots(x: ndarray, k: int) -> ndarray:
    """Knots at the points, or between them, that go on with the period."""
    if k % 2 == 0:
        x = np.concatenate([x[:1], (x[1:-1] + x[:-2]) / 2, x[-1:]])
    n = x.shape[0] - 1
    period = x[-1] - x[0]
    before = numpy.arange(-k, 0)
    after = numpy.arange(n + 1, n + 1 + k)
    parts = []
    for places in (before, after):
        turns = to_device_of(numpy.floor_divide(places, n).astype(float), x)
        parts.append(np.take(x, to_device_of(places % n, x)) + turns * period)
    return np.concatenate([parts[0], x, parts[1]])


def _conditions(bc_type: Any, rest: tuple[int, ...]) -> tuple[Any, Any]:
    if bc_type is None or (isinstance(bc_type, str) and bc_type in ("not-a-knot", "periodic")):
        return None, None
    if isinstance(bc_type, str):
        sides = (bc_type, bc_type)
    else:
        try:
            left, right = bc_type
            sides = (left, right)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Unknown boundary condition: {bc_type}") from error
    names: dict[str, Any] = {"clamped": [(1, numpy.zeros(rest))], "not-a-knot": None}
    names["natural"] = [(2, numpy.zeros(rest))]
    made: list[Any] = []
    for side in sides:
        if isinstance(side, str) and side not in names:
            raise ValueError(f"Unknown boundary condition : {side}")
        made.append(names[side] if isinstance(side, str) else side)
    return made[0], made[1]


def _side(conditions: Any, y: ndarray) -> tuple[list[int], list[ndarray]]:
    """Orders and values of derivatives at an end."""
    if conditions is None:
        return [], []
    try:
        orders, values = zip(*conditions, strict=True)
    except TypeError as error:
        raise ValueError(
            "Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of "
            "(order, value)."
        ) from error
    arrays = [inexact(as_array(each)) for each in values]
    if any(each.size != math.prod(y.shape[1:]) for each in arrays):
        shape = (len(arrays), *arrays[0].shape)
        raise ValueError(f"`bc_type`: values of shape {shape[1:]}, data has {y.shape[1:]}")
    return [int(order) for order in orders], [each.reshape(-1) for each in arrays]


def _data(
    x: ArrayLike, y: ArrayLike, axis: int, check_finite: bool
) -> tuple[ndarray, ndarray, int, Any]:
    given = as_array(y)
    axis = safe_axis(axis, given.ndim)
    values = inexact(np.moveaxis(given, axis, 0))
    places = real_points(x, values)
    if check_finite and not (all_finite(places) and all_finite(values)):
        raise ValueError("array must not contain infs or NaNs")
    known = host(places)
    if places.ndim != 1 or (numpy.diff(known) < 0).any():
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    return places, values, axis, known


def make_interp_spline(
    x: ArrayLike,
    y: ArrayLike,
    k: int = 3,
    t: ArrayLike | None = None,
    bc_type: object = None,
    axis: int = 0,
    check_finite: bool = True,
) -> BSpline:
    """The spline of degree `k` through points.

    Examples
    --------
    >>> from heddle.scipy.interpolate import make_interp_spline
    >>> s = make_interp_spline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> print(round(float(s(1.5)), 12))
    3.375
    """
    places, values, axis, known = _data(x, y, axis, check_finite)
    if (numpy.diff(known) == 0).any():
        raise ValueError("Expect x to not have duplicates")
    if places.shape[0] != values.shape[0]:
        raise ValueError(f"Shapes of x {places.shape} and y {values.shape} are incompatible")
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    left, right = _conditions(bc_type, values.shape[1:])
    ends = host(values[:: max(len(known) - 1, 1)]) if periodic else None
    if ends is not None and not numpy.allclose(ends[0], ends[-1], atol=1e-15):
        raise ValueError("First and last points does not match while periodic case expected")
    if k == 0:
        if any(each is not None for each in (t, left, right)):
            raise ValueError("Too much info for k=0: t and bc_type can only be None.")
        knots = np.concatenate([places, places[-1:]])
        return BSpline.construct_fast(knots, values, k, axis=axis)
    if k == 1 and t is None:
        if left is not None or right is not None:
            raise ValueError("Too much info for k=1: bc_type can only be None.")
        return BSpline.construct_fast(with_ends(places, 1), values, k, axis=axis)
    k = operator.index(k)
    if periodic and t is not None:
        raise NotImplementedError(
            "For periodic case t is constructed automatically and can not be passed manually"
        )
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t is not None:
        t = real_points(t, values)
    elif periodic:
        t = periodic_knots(places, k)
    elif left is None and right is None:
        t = not_a_knot(places, k)
    else:
        t = with_ends(places, k)
    _check_places(t, k, known, len(known) + k + 1)
    if periodic and values.size == 0:
        shape = (t.shape[0] - k - 1, *values.shape[1:])
        zeros = np.zeros(shape, values.dtype, device=t.device)
        return BSpline.construct_fast(t, zeros, k, extrapolate="periodic", axis=axis)
    if periodic:
        c = _periodic_coefficients(places, values, t, k)
        return BSpline.construct_fast(t, c, k, extrapolate="periodic", axis=axis)
    orders_left, values_left = _side(left, values)
    orders_right, values_right = _side(right, values)
    missing = t.shape[0] - k - 1 - len(known)
    if missing != len(orders_left) + len(orders_right):
        raise ValueError(
            f"The number of derivatives at boundaries does not match: expected {missing}, got "
            f"{len(orders_left)} + {len(orders_right)}"
        )
    if values.size == 0:
        shape = (t.shape[0] - k - 1, *values.shape[1:])
        return BSpline.construct_fast(t, np.zeros(shape, device=t.device), k, axis=axis)
    rest = values.shape[1:]
    columns = values.reshape(len(known), -1)
    parts = [np.stack(values_left)] if values_left else []
    parts += [columns, *([np.stack(values_right)] if values_right else [])]
    dtype = numpy.result_type(*(each.dtype for each in parts))
    sides = np.concatenate([each.astype(dtype) for each in parts])
    bands = _collocation(places, t, k, orders_left, orders_right)
    c = solved(k, k, bands, sides)
    return BSpline.construct_fast(t, c.reshape(-1, *rest), k, axis=axis)


def _check_places(t: ndarray, k: int, known: HostArray, wanted: int) -> None:
    knots = host(t)
    if t.ndim != 1 or (numpy.diff(knots) < 0).any():
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if len(knots) < wanted:
        raise ValueError(f"Got {len(knots)} knots, need at least {wanted}.")
    if known[0] < knots[k] or known[-1] > knots[-k - 1]:
        raise ValueError(f"Out of bounds w/ x = {known}.")


def _collocation(
    x: ndarray, t: ndarray, k: int, orders_left: list[int], orders_right: list[int]
) -> ndarray:
    """Splines at places, and derivatives of them at the first and at the last one."""
    n = x.shape[0]
    count = t.shape[0] - k - 1
    pieces = spline_pieces(t, k, x)
    values = [np.stack(basis(t, k, x, pieces), axis=1)]
    first = [pieces - k]
    for orders, at, where in ((orders_left, x[:1], 0), (orders_right, x[-1:], -1)):
        if orders:
            piece = spline_pieces(t, k, at)
            rows = [np.stack(basis(t, k, at, piece, nu), axis=1) for nu in orders]
            rows = [row if nu <= k else row * 0 for row, nu in zip(rows, orders, strict=True)]
            begin = np.broadcast_to(piece - k, (len(orders),))
            values.insert(0, np.concatenate(rows)) if where == 0 else values.extend(rows)
            first.insert(0, begin) if where == 0 else first.append(begin)
    rows_at = np.arange(n + len(orders_left) + len(orders_right), device=x.device)
    return diagonals(np.concatenate(values), np.concatenate(first), rows_at, k, k, count)


def _periodic_coefficients(x: ndarray, y: ndarray, t: ndarray, k: int) -> ndarray:
    """Coefficients, the last k of which are the first ones again."""
    n = x.shape[0] - 1
    rest = y.shape[1:]
    places, sides = x[:-1], y[:-1].reshape(n, -1)
    pieces = spline_pieces(t, k, places)
    values = np.stack(basis(t, k, places, pieces), axis=1)
    first = host(pieces) - k
    # Unknowns are counted from the middle of the splines at a place, so that the matrix has its
    # large elements on the diagonal; those that pass the ends are in the corners.
    shift = k // 2
    rows = numpy.arange(n)[:, None] + numpy.zeros((1, k + 1), int)
    straight = first[:, None] + numpy.arange(k + 1) - shift
    columns = straight % n
    if n < 3 * k + 2:
        dense = np.zeros((n * n,), device=x.device)
        at = to_device_of((rows * n + columns).reshape(-1), x)
        matrix = dense.at[at].add(values.reshape(-1)).reshape(n, n).astype(sides.dtype)
        c = np.linalg.solve(matrix, sides)
    else:
        corner = (straight != columns).reshape(-1)
        inside = numpy.flatnonzero(~corner)
        outside = numpy.flatnonzero(corner)
        flat = values.reshape(-1)
        offsets = (rows - columns).reshape(-1)[inside]
        below, above = max(int(offsets.max()), 1), max(int(-offsets.min()), 1)
        band = (above + offsets) * n + columns.reshape(-1)[inside]
        bands = np.zeros(((below + above + 1) * n,), device=x.device)
        bands = bands.at[to_device_of(band, x)].add(np.take(flat, to_device_of(inside, x)))
        corners = (
            rows.reshape(-1)[outside],
            columns.reshape(-1)[outside],
            np.take(flat, to_device_of(outside, x)).astype(sides.dtype),
        )
        c = cyclic(below, above, bands.reshape(-1, n), corners, sides)
    order = (numpy.arange(n + k) - shift) % n
    return np.take(c, to_device_of(order, x), axis=0).reshape(-1, *rest)


def make_lsq_spline(
    x: ArrayLike,
    y: ArrayLike,
    t: ArrayLike,
    k: int = 3,
    w: ArrayLike | None = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> BSpline:
    """The spline of given knots that is nearest to points, by least squares.

    Both methods solve the normal equations, whose matrix has few diagonals, and correct the result
    once by what is left over.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import make_lsq_spline
    >>> x = np.linspace(0, 1, 50)
    >>> s = make_lsq_spline(x, x**2, [0.0] * 4 + [0.5] + [1.0] * 4)
    >>> print(round(float(s(0.3)), 12))
    0.09
    """
    places, values, axis, known = _data(x, y, axis, check_finite)
    knots = real_points(t, values)
    weights = np.ones_like(places) if w is None else real_points(w, values)
    k = operator.index(k)
    if check_finite and not (all_finite(knots) and all_finite(weights)):
        raise ValueError("array must not contain infs or NaNs")
    if values.shape[0] < k + 1 or len(known) < k + 1:
        raise ValueError("Need more x points.")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if knots.ndim != 1 or (numpy.diff(host(knots)) < 0).any():
        raise ValueError("Expect t to be a 1D strictly increasing sequence.")
    if places.shape[0] != values.shape[0]:
        raise ValueError(f"Shapes of x {places.shape} and y {values.shape} are incompatible")
    ends = host(knots)
    if k > 0 and ((known < ends[k]) | (known > ends[-k - 1])).any():
        raise ValueError(f"Out of bounds w/ x = {known}.")
    if places.shape[0] != weights.shape[0]:
        raise ValueError(f"Shapes of x {places.shape} and w {weights.shape} are incompatible")
    if method not in ("qr", "norm-eq"):
        raise ValueError(f"Unknown {method =}.")
    if method == "norm-eq" and values.dtype.kind == "c":
        pass
    rest = values.shape[1:]
    sides = values.reshape(len(known), -1)
    c = _nearest(places, sides, knots, k, weights)
    return BSpline.construct_fast(knots, c.reshape(-1, *rest), k, axis=axis)


def _nearest(x: ndarray, y: ndarray, t: ndarray, k: int, w: ndarray) -> ndarray:
    """Coefficients of the weighted least squares."""
    count = t.shape[0] - k - 1
    pieces = spline_pieces(t, k, x)
    rows = np.stack(basis(t, k, x, pieces), axis=1) * w[:, None]
    width = 2 * k + 1
    first = pieces - k
    bands = np.zeros((width * count,), device=x.device)
    for a in range(k + 1):
        for b in range(k + 1):
            place = (k + a - b) * count + first + b
            bands = bands.at[place].add(rows[:, a] * rows[:, b])
    bands = bands.reshape(width, count)
    if bool(np.any(bands[k] <= 0)):
        raise LinAlgError("A knot interval has no points: the least-squares system is singular.")

    def projected(values: ndarray) -> ndarray:
        made = np.zeros((count, values.shape[1]), values.dtype, device=values.device)
        for a in range(k + 1):
            made = made.at[first + a].add(rows[:, a : a + 1] * values)
        return made

    scaled = y * w[:, None]
    c = solved(k, k, bands, projected(scaled))
    fitted: Any = 0
    for a in range(k + 1):
        fitted = fitted + np.take(c, first + a, axis=0) * rows[:, a : a + 1]
    return c + solved(k, k, bands, projected(scaled - fitted))
