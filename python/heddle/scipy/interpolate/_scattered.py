"""Scattered data: linear and cubic on triangles, the nearest point, and `griddata`.

Triangulations are made by Qhull on the host, through SciPy; places are found and evaluated on the
device.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.interpolate._interp1d import interp1d
from heddle.scipy.interpolate._support import coordinates, host, inexact


class Scattered:
    """Points, values at them, and how coordinates are scaled."""

    points: ndarray
    values: ndarray
    tri: Any
    values_shape: tuple[int, ...]

    def _set(
        self, points: ArrayLike, values: ArrayLike, rescale: bool, wanted: int | None = None
    ) -> None:
        from heddle.scipy.spatial import Delaunay

        self.tri = None
        if isinstance(points, Delaunay):
            if rescale:
                raise ValueError(
                    "Rescaling is not supported when passing a Delaunay triangulation as `points`."
                )
            self.tri = points
            points = points.points
        given = as_array(values)
        rows = coordinates(points).astype("f8")
        if rows.ndim != 2:
            raise ValueError("invalid shape for input data points")
        if given.ndim == 0 or rows.shape[0] != given.shape[0]:
            raise ValueError("different number of values and points")
        if wanted is not None and rows.shape[1] != wanted:
            raise ValueError(f"this mode of interpolation available only for {wanted}-D data")
        self.scale: Any = None
        self.offset: Any = None
        if rescale:
            self.offset = np.mean(rows, axis=0)
            width = np.max(rows, axis=0) - np.min(rows, axis=0)
            self.scale = np.where(width > 0, width, 1.0)
            rows = (rows - self.offset) / self.scale
        self.points = rows
        self.values_shape = given.shape[1:]
        self.values = given
        self.is_complex = given.dtype.kind == "c"

    def _places(self, args: Any) -> tuple[ndarray, tuple[int, ...]]:
        """Places as scaled rows, and their shape."""
        dims = self.points.shape[1]
        q = coordinates(args if len(args) != 1 else args[0], dims)
        if q.device != self.points.device:
            q = q.to_device(self.points.device)
        q = q.astype("f8")
        if q.shape[-1] != dims:
            raise ValueError("number of dimensions in xi does not match x")
        rows = q.reshape(-1, dims)
        if self.scale is not None:
            rows = (rows - self.offset) / self.scale
        return rows, q.shape[:-1]

    def _triangulate(self) -> None:
        """Makes the triangles, unless they were given, and reads what is looked up in them."""
        if self.tri is None:
            from heddle.scipy.spatial import Delaunay

            self.tri = Delaunay(np.stop_gradient(self.points))
        self._corners = self.tri.simplices.astype("i8")
        self._neighbours = self.tri.neighbors.astype("i8")
        self._matrices = self.tri.transform

    def _located(self, rows: ndarray) -> tuple[ndarray, ndarray]:
        """Which places are in some simplex, and in which; the first one for the others."""
        simplex = self.tri.find_simplex(np.stop_gradient(rows)).astype("i8")
        inside = simplex >= 0
        return inside, np.where(inside, simplex, 0)

    def _shares(self, at: ndarray, rows: ndarray) -> list[ndarray]:
        """The barycentric coordinates of places in simplices."""
        dims = rows.shape[1]
        matrix = np.take(self._matrices, at, axis=0)
        gap = rows - matrix[:, dims]
        shares = [np.sum(matrix[:, i] * gap, axis=1) for i in range(dims)]
        return [*shares, 1.0 - sum(shares[1:], shares[0])]


class LinearNDInterpolator(Scattered):
    """Linear on the simplices of a triangulation of points.

    Evaluation is deferred, and has derivatives with respect to values and places.

    Examples
    --------
    >>> from heddle.scipy.interpolate import LinearNDInterpolator
    >>> f = LinearNDInterpolator([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.0, 1.0, 2.0])
    >>> f([[0.25, 0.25], [2.0, 2.0]])
    array([0.75,  nan])
    """

    def __init__(
        self,
        points: ArrayLike,
        values: ArrayLike,
        fill_value: float = math.nan,
        rescale: bool = False,
    ) -> None:
        self._set(points, values, rescale)
        if self.points.shape[1] < 2:
            raise ValueError("input data must be at least 2-D")
        self.fill_value = fill_value
        self._triangulate()

    def __call__(self, *args: object) -> ndarray:
        """Values at places, an array of coordinates or arrays of each."""
        rows, shape = self._places(args)
        dims = rows.shape[1]
        inside, at = self._located(rows)
        safe = np.where(inside[:, None], rows, np.take(self._matrices, at, axis=0)[:, dims])
        shares = self._shares(at, safe)
        corners = np.take(self._corners, at, axis=0)
        kind = "c16" if self.is_complex else "f8"
        values = self.values.astype(kind).reshape(self.values.shape[0], -1)
        made: Any = 0
        for a in range(dims + 1):
            made = made + np.take(values, corners[:, a], axis=0) * shares[a][:, None]
        made = np.where(inside[:, None], made, self.fill_value)
        return made.reshape(shape + self.values_shape)  # type: ignore[no-any-return]


class NearestNDInterpolator(Scattered):
    """The value of the nearest point, by a k-d tree.

    Examples
    --------
    >>> from heddle.scipy.interpolate import NearestNDInterpolator
    >>> NearestNDInterpolator([[0.0, 0.0], [1.0, 1.0]], [5.0, 7.0])([[0.2, 0.1]])
    array([5.])
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        rescale: bool = False,
        tree_options: dict[str, Any] | None = None,
    ) -> None:
        from heddle.scipy.spatial import cKDTree

        self._set(x, y, rescale)
        self.tree = cKDTree(np.stop_gradient(self.points), **(tree_options or {}))

    def __call__(self, *args: object, **query_options: Any) -> ndarray:
        """Values at places; `query_options` are those of `KDTree.query`."""
        rows, shape = self._places(args)
        distance, places = self.tree.query(np.stop_gradient(rows), **query_options)
        found = np.isfinite(distance)
        values = self.values
        made = np.take(values, np.where(found, places, 0), axis=0)
        if not bool(np.all(found)):
            mask = found.reshape(found.shape + (1,) * (made.ndim - found.ndim))
            made = np.where(mask, made, math.nan)
        return inexact(made).reshape(shape + self.values_shape)


def griddata(
    points: ArrayLike,
    values: ArrayLike,
    xi: ArrayLike,
    method: str = "linear",
    fill_value: float = math.nan,
    rescale: bool = False,
) -> ndarray:
    """Values at places, of scattered points: 'nearest', 'linear' or 'cubic'.

    Examples
    --------
    >>> from heddle.scipy.interpolate import griddata
    >>> points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> griddata(points, [0.0, 1.0, 2.0], ([0.25, 0.5], [0.25, 0.5]))
    array([0.75, 1.5 ])
    """
    rows = coordinates(points)
    dims = rows.shape[-1] if rows.ndim >= 2 else rows.ndim
    if dims == 1 and method in ("nearest", "linear", "cubic"):
        flat = rows.reshape(-1)
        if isinstance(xi, tuple):
            if len(xi) != 1:
                raise ValueError("invalid number of dimensions in xi")
            (xi,) = xi
        order = numpy.argsort(host(flat))
        index = np.asarray(order, device=flat.device)
        fill = "extrapolate" if method == "nearest" else fill_value
        made = interp1d(
            np.take(flat, index),
            np.take(as_array(values), index, axis=0),
            kind=method,
            axis=0,
            bounds_error=False,
            fill_value=fill,
        )
        return made(xi)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    if method == "linear":
        return LinearNDInterpolator(points, values, fill_value=fill_value, rescale=rescale)(xi)
    if method == "cubic" and dims == 2:
        from heddle.scipy.interpolate._clough_tocher import CloughTocher2DInterpolator as cubic

        return cubic(points, values, fill_value=fill_value, rescale=rescale)(xi)
    raise ValueError(f"Unknown interpolation method {method!r} for {dims} dimensional data")
