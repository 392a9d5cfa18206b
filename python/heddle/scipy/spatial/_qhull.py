"""What Qhull computes: triangulations, hulls, diagrams. On the host, through SciPy.

Places are found in a triangulation on the device.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.scipy._generic import here, there
from heddle.scipy._host import OnHost


def scipys(name: str) -> type:
    try:
        from scipy import spatial
    except ImportError as error:
        raise ImportError(f"{name} needs SciPy (pip install heddle[scipy])") from error
    found: type = getattr(spatial, name)
    return found


class _Qhull(OnHost):
    """An object of SciPy's that Qhull made."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self._class = scipys(type(self).__name__)
        # Qhull reads past rows of anything else.
        given = args[0] if args else next(iter(kwargs.values()), None)
        rows = given if isinstance(given, own_array) else numpy.asarray(there(given))
        if rows.ndim != 2 or rows.dtype.kind not in "biuf":
            raise ValueError(
                f"{type(self).__name__}: expected rows of real numbers, a two-dimensional array; "
                f"got {rows.dtype} with {rows.ndim} dimensions, of shape {rows.shape}"
            )
        super().__init__(*args, **kwargs)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")


class Delaunay(_Qhull):
    """The Delaunay triangulation of points: made by Qhull on the host.

    Examples
    --------
    >>> from heddle.scipy.spatial import Delaunay
    >>> tri = Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> tri.find_simplex([[0.2, 0.2], [2.0, 2.0]])
    array([ 0, -1], dtype=int32)
    """

    @functools.cached_property
    def _walking(self) -> Any:
        """What walks need: a tree of vertices, a simplex of each, and matrices."""
        from heddle.scipy.spatial._kdtree import KDTree

        device = self._device
        theirs = self._theirs
        # Not `vertex_to_simplex`: of points given twice it has the vertex in place of a simplex.
        used, first = numpy.unique(theirs.simplices, return_index=True)
        first //= theirs.simplices.shape[1]
        tree = KDTree(np.asarray(numpy.ascontiguousarray(theirs.points[used]), device=device))
        given = (first.astype("i8"), theirs.transform, theirs.neighbors.astype("i8"))
        return tree, *(np.asarray(numpy.ascontiguousarray(each), device=device) for each in given)

    def find_simplex(
        self, xi: ArrayLike, bruteforce: bool = False, tol: float | None = None
    ) -> ndarray:
        """The index of the simplex that contains each place, -1 outside of all."""
        from heddle.scipy.spatial._locating import located

        places = xi if isinstance(xi, own_array) else np.asarray(xi, device=self._device)
        places = places.astype("f8")
        dims = self._theirs.points.shape[1]
        if places.shape[-1] != dims:
            raise ValueError("wrong dimensionality in xi")
        rows = places.reshape(-1, dims)
        finite = np.all(np.isfinite(rows), axis=1)
        if bruteforce:
            found = self._theirs.find_simplex(there(places), True, tol)
            return here(numpy.asarray(found), places.device)  # type: ignore[no-any-return]
        eps = 100 * numpy.finfo(float).eps if tol is None else float(tol)
        tree, first, transform, neighbors = self._walking
        safe = np.where(finite[:, None], rows, tree.mins)
        _, nearest = tree.query(safe)
        simplex = located(safe, np.take(first, nearest), transform, neighbors, eps)
        simplex = np.where(finite, simplex, -1)
        if bool(np.any(simplex == -2)):
            lost = numpy.flatnonzero(np.asnumpy(simplex) == -2)
            found = self._theirs.find_simplex(np.asnumpy(rows)[lost], False, tol)
            simplex[np.asarray(lost, device=rows.device)] = np.asarray(
                found.astype("i8"), device=rows.device
            )
        return simplex.astype("i4").reshape(places.shape[:-1])


class ConvexHull(_Qhull):
    """The convex hull of points: made by Qhull on the host.

    Examples
    --------
    >>> from heddle.scipy.spatial import ConvexHull
    >>> hull = ConvexHull([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]])
    >>> sorted(hull.vertices.tolist()), hull.volume
    ([0, 1, 2], 2.0)
    """


class Voronoi(_Qhull):
    """The Voronoi diagram of points: made by Qhull on the host.

    Examples
    --------
    >>> from heddle.scipy.spatial import Voronoi
    >>> Voronoi([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]).vertices
    array([[1., 1.]])
    """


class HalfspaceIntersection(_Qhull):
    """Where half-spaces meet: made by Qhull on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.spatial import HalfspaceIntersection
    >>> sides = np.array([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 1.0, -1.0]])
    >>> HalfspaceIntersection(sides, np.array([0.2, 0.2])).intersections.shape
    (3, 2)
    """


class SphericalVoronoi(_Qhull):
    """The Voronoi diagram of points on a sphere: made by SciPy on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.spatial import SphericalVoronoi
    >>> points = np.concatenate([np.eye(3), -np.eye(3)])
    >>> SphericalVoronoi(points).vertices.shape
    (8, 3)
    """


def tsearch(tri: Delaunay, xi: ArrayLike) -> ndarray:
    """The simplex of a triangulation that contains each place.

    Examples
    --------
    >>> from heddle.scipy.spatial import Delaunay, tsearch
    >>> tsearch(Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [[0.2, 0.2]])
    array([0], dtype=int32)
    """
    if not isinstance(tri, Delaunay):
        raise TypeError("tri must be a Delaunay triangulation")
    return tri.find_simplex(xi)
