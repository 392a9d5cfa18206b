"""Values on a regular grid: `RegularGridInterpolator` and `interpn`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.interpolate._cubic import pchip_slopes
from heddle.scipy.interpolate._ndsplines import NdBSpline, interpolating, solved_by
from heddle.scipy.interpolate._support import coordinates, host, inexact, to_device_of

_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
_DEGREES |= {f"{name}_legacy": k for name, k in _DEGREES.items()}
_METHODS = ["linear", "nearest", "pchip", *_DEGREES]


class RegularGridInterpolator:
    """A function of values on a grid of points, which need not be evenly spaced.

    `method`: 'linear', 'nearest', 'slinear', 'cubic', 'quintic' or 'pchip'. Splines are found axis
    by axis, exactly; a `solver` of `heddle.scipy.sparse.linalg`, or `solver_args` for ``gcrotmk``,
    has one large system solved instead. Evaluation is deferred, and has derivatives with respect to
    values and places.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import RegularGridInterpolator
    >>> x, y = np.arange(3.0), np.arange(4.0)
    >>> f = RegularGridInterpolator((x, y), x[:, None] * 10 + y)
    >>> f([[0.5, 1.0], [1.0, 2.5]])
    array([ 6. , 12.5])
    """

    def __init__(
        self,
        points: Sequence[ArrayLike],
        values: ArrayLike,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: object = math.nan,
        *,
        solver: object = None,
        solver_args: object = None,
    ) -> None:
        if method not in _METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        solved = solver is not None or solver_args is not None
        if solved and (method not in _DEGREES or method.endswith("_legacy")):
            raise ValueError(
                f"{method =} does not accept the 'solver' argument. Got {solver = } and with "
                f"arguments {solver_args}."
            )
        self.method, self.bounds_error = method, bounds_error
        given = as_array(values)
        if given.dtype.kind not in "fc":
            given = given.astype("f8")
        self._grid, self._values = _checked_grid(points, given)
        _check_size(method, self._grid)
        self.fill_value = _checked_fill(self._values, fill_value)
        if method == "pchip":
            _check_real(self._values)
        self._splines: dict[int, NdBSpline] = {}
        if solved:
            if solver is None:
                from heddle.scipy.sparse.linalg import gcrotmk as solver
            exact = self._spline(_DEGREES[method])
            made = solved_by(self._grid, exact, self._values, solver, solver_args or {})
            self._splines[_DEGREES[method]] = made

    @property
    def grid(self) -> tuple[ndarray, ...]:
        """Points of each axis, ascending."""
        return self._grid

    @property
    def values(self) -> ndarray:
        """Values on the grid, as these points lie."""
        return self._values

    def __call__(self, xi: ArrayLike, method: str | None = None, *, nu: object = None) -> ndarray:
        """Values at places, or for splines derivatives of orders `nu`."""
        method = self.method if method is None else method
        if method not in _METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        if method not in _DEGREES and nu is not None:
            raise ValueError(
                f"Can only compute derivatives for methods {list(_DEGREES)}, got {method =}."
            )
        dims = len(self._grid)
        q = coordinates(xi, dims)
        if not isinstance(xi, own_array) and q.device != self._values.device:
            q = q.to_device(self._values.device)
        if q.shape[-1] != dims:
            raise ValueError(
                f"The requested sample points xi have dimension {q.shape[-1]}, but this "
                f"RegularGridInterpolator has dimension {dims}"
            )
        shape = q.shape
        flat = q.reshape(-1, dims).astype("f8")
        columns = [flat[:, d] for d in range(dims)]
        outside = self._outside(columns)
        missing = np.any(np.isnan(flat), axis=1)
        if method == "linear":
            made = self._linear(columns)
        elif method == "nearest":
            made = self._nearest(columns)
        elif method == "pchip":
            _check_size(method, self._grid)
            _check_real(self._values)
            made = self._pchip(columns).astype(self._values.dtype)
        else:
            _check_size(method, self._grid)
            made = self._spline(_DEGREES[method])(flat, nu=nu)
        rest = (1,) * (made.ndim - 1)
        if outside is not None:
            made = np.where(outside.reshape(-1, *rest), self.fill_value, made).astype(made.dtype)
        made = np.where(missing.reshape(-1, *rest), math.nan, made).astype(made.dtype)
        return made.reshape(shape[:-1] + self._values.shape[dims:])

    def _outside(self, columns: list[ndarray]) -> ndarray | None:
        """Which places are outside; with `bounds_error` none may be."""
        if self.bounds_error:
            for d, (x, grid) in enumerate(zip(columns, self._grid, strict=True)):
                if not bool(np.all((x >= grid[0]) & (x <= grid[-1]))):  # nan, too
                    raise ValueError(f"One of the requested xi is out of bounds in dimension {d}")
            return None
        if self.fill_value is None:
            return None
        made: Any = False
        for x, grid in zip(columns, self._grid, strict=True):
            made = made | (x < grid[0]) | (x > grid[-1])
        return made  # type: ignore[no-any-return]

    def _cells(self, columns: list[ndarray]) -> list[tuple[ndarray, ndarray]]:
        """The cell of each place along each axis, and how far it is in it."""
        made = []
        for x, grid in zip(columns, self._grid, strict=True):
            n = grid.shape[0]
            known = np.stop_gradient(x)
            if n == 1:
                made.append((np.zeros(x.shape, "i8", device=x.device), (x - grid[0]) * 0))
                continue
            at = np.clip(np.searchsorted(grid, known, side="right") - 1, 0, n - 2)
            low = np.take(grid, at)
            made.append((at, (x - low) / (np.take(grid, at + 1) - low)))
        return made

    def _table(self) -> tuple[ndarray, list[int]]:
        """Values with the axes of the grid as one, and steps along each of these."""
        dims = len(self._grid)
        shape = self._values.shape
        rest = shape[dims:]
        table = self._values.reshape(math.prod(shape[:dims]), *((math.prod(rest),) if rest else ()))
        steps = [math.prod(shape[d + 1 : dims]) for d in range(dims)]
        return table, steps

    def _linear(self, columns: list[ndarray]) -> ndarray:
        table, steps = self._table()
        cells = self._cells(columns)
        start: Any = 0
        for (at, _), step in zip(cells, steps, strict=True):
            start = start + at * step
        sizes = [grid.shape[0] for grid in self._grid]

        def between(d: int, at: ndarray | HostArray) -> Any:
            if d == len(cells):
                return np.take(table, at, axis=0)
            first = between(d + 1, at)
            if sizes[d] == 1:
                return first
            share = cells[d][1]
            share = share[:, None] if table.ndim == 2 else share
            return first * (1 - share) + between(d + 1, at + steps[d]) * share

        made = between(0, start)
        made = made.astype(numpy.result_type(made.dtype, numpy.float64))  # with one point only, too
        dims = len(self._grid)
        return made.reshape(made.shape[:1] + self._values.shape[dims:])  # type: ignore[no-any-return]

    def _nearest(self, columns: list[ndarray]) -> ndarray:
        table, steps = self._table()
        at: Any = 0
        for (cell, share), step in zip(self._cells(columns), steps, strict=True):
            at = at + np.where(share <= 0.5, cell, cell + 1) * step
        sizes = [grid.shape[0] for grid in self._grid]
        made = np.take(table, np.clip(at, 0, math.prod(sizes) - 1), axis=0)
        return made.reshape(made.shape[:1] + self._values.shape[len(self._grid) :])

    def _spline(self, degree: int) -> NdBSpline:
        if degree not in self._splines:
            degrees = (degree,) * len(self._grid)
            self._splines[degree] = interpolating(self._grid, self._values, degrees)
        return self._splines[degree]

    def _pchip(self, columns: list[ndarray]) -> ndarray:
        """One axis after the other, the last one first: then each place has lines of its own."""
        values = inexact(self._values)
        rest = values.shape[len(self._grid) :]
        sizes = [grid.shape[0] for grid in self._grid]
        lines = math.prod(sizes) * max(math.prod(rest), 1)
        piece = max(1, (1 << 24) // lines)
        made = []
        count = columns[0].shape[0]
        for first in range(0, max(count, 1), piece):
            part = [column[first : first + piece] for column in columns]
            found = values.reshape(*sizes, 1, *rest)
            for d in range(len(sizes) - 1, -1, -1):
                found = _pchip_along(self._grid[d], np.moveaxis(found, d, 0), part[d], d)
            made.append(found)
        return made[0] if len(made) == 1 else np.concatenate(made)


def _pchip_along(x: ndarray, y: ndarray, q: ndarray, others: int) -> ndarray:
    """At place q[i] of line i: y is (points, other axes..., lines, rest...)."""
    shape = (1,) * others + (-1,) + (1,) * (y.ndim - others - 2)
    slopes = pchip_slopes(x, y)
    n = x.shape[0]
    at = np.clip(np.searchsorted(x, np.stop_gradient(q), side="right") - 1, 0, n - 2)
    low, high = np.take(x, at), np.take(x, at + 1)
    width = (high - low).reshape(shape)
    s = ((q - low) / (high - low)).reshape(shape)

    def chosen(rows: ndarray, places: ndarray) -> ndarray:
        if rows.shape[others + 1] == 1:  # all places share the lines
            found = np.take(rows, places, axis=0)
            found = np.moveaxis(found, 0, others)
            return found[(slice(None),) * (others + 1) + (0,)]
        index = np.broadcast_to(places.reshape(1, *shape), (1, *rows.shape[1:]))
        return np.take_along_axis(rows, index, axis=0)[0]

    y0, y1 = chosen(y, at), chosen(y, at + 1)
    d0, d1 = chosen(slopes, at), chosen(slopes, at + 1)
    t = 1 - s
    return (
        y0 * (1 + 2 * s) * t**2 + y1 * s**2 * (3 - 2 * s) + width * (d0 * s * t**2 - d1 * s**2 * t)
    )


def _checked_grid(
    points: Sequence[ndarray | ArrayLike], values: ndarray
) -> tuple[tuple[ndarray, ...], ndarray]:
    grid = []
    given = [as_array(p) if isinstance(p, own_array) else to_device_of(p, values) for p in points]
    if len(given) > values.ndim:
        raise ValueError(
            f"There are {len(given)} point arrays, but values has {values.ndim} dimensions"
        )
    for d, p in enumerate(given):
        if p.ndim != 1:
            raise ValueError(f"The points in dimension {d} must be 1-dimensional")
        p = p.astype("f8")
        step = numpy.diff(host(p))
        if not numpy.all(step > 0):
            if not numpy.all(step < 0):
                raise ValueError(
                    f"The points in dimension {d} must be strictly ascending or descending"
                )
            p, values = np.flip(p, 0), np.flip(values, d)
        if values.shape[d] != p.shape[0]:
            raise ValueError(
                f"There are {p.shape[0]} points and {values.shape[d]} values on dimension {d}"
            )
        grid.append(p)
    return tuple(grid), values


def _check_size(method: str, grid: tuple[ndarray, ...]) -> None:
    least = _DEGREES[method] + 1 if method in _DEGREES else 4 if method == "pchip" else 0
    for d, points in enumerate(grid):
        if points.shape[0] < least:
            raise ValueError(
                f"There are {points.shape[0]} points in dimension {d}, but method {method} "
                f"requires at least {least} points per dimension."
            )


def _check_real(values: ndarray) -> None:
    if values.dtype.kind == "c":
        raise ValueError(
            "`PchipInterpolator` only works with real values. If you are trying to use the real "
            "components of the passed array, use `np.real` on the array before passing to "
            "`RegularGridInterpolator`."
        )


def _checked_fill(values: ndarray, fill_value: Any) -> Any:
    if fill_value is not None:
        dtype = as_array(fill_value).dtype
        if not numpy.can_cast(dtype, values.dtype, casting="same_kind"):
            raise ValueError("fill_value must be either 'None' or of a type compatible with values")
    return fill_value


_INTERPN = ["linear", "nearest", "cubic", "quintic", "pchip", "splinef2d", "slinear"]
_INTERPN += ["slinear_legacy", "cubic_legacy", "quintic_legacy"]


def interpn(
    points: Sequence[ArrayLike],
    values: ArrayLike,
    xi: ArrayLike,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: float | None = math.nan,
) -> ndarray:
    """Values at places, of values on a grid of points.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import interpn
    >>> x = np.arange(3.0)
    >>> interpn((x, x), x[:, None] + x, [[0.5, 1.5]])
    array([2.])
    """
    if method not in _INTERPN:
        raise ValueError(
            "interpn only understands the methods 'linear', 'nearest', 'slinear', 'cubic', "
            f"'quintic', 'pchip', and 'splinef2d'. You provided {method}."
        )
    given = as_array(values)
    dims = given.ndim
    if dims > 2 and method == "splinef2d":
        raise ValueError("The method splinef2d can only be used for 2-dimensional input data")
    if not bounds_error and fill_value is None and method == "splinef2d":
        raise ValueError("The method splinef2d does not support extrapolation.")
    if method != "splinef2d":
        f = RegularGridInterpolator(points, given, method, bounds_error, fill_value)
        return f(xi)
    grid, table = _checked_grid(points, given)
    q = coordinates(xi, len(grid))
    flat = q.reshape(-1, len(grid)).astype("f8")
    inside: Any = True
    for d, axis in enumerate(grid):
        within = (flat[:, d] >= axis[0]) & (flat[:, d] <= axis[-1])
        if bounds_error and not bool(np.all(within)):
            raise ValueError(f"One of the requested xi is out of bounds in dimension {d}")
        inside = inside & within
    made = interpolating(grid, table, (3, 3))(flat)
    # Of splines, which are floating-point numbers whatever the values are.
    made = np.where(inside, made, math.nan if fill_value is None else fill_value)
    return made.reshape(q.shape[:-1])
