"""Distances by norms, shapes laid over one another, arcs on spheres."""

from __future__ import annotations

import math
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray


def minkowski_distance_p(x: ArrayLike, y: ArrayLike, p: float = 2.0) -> ndarray:
    """The p-th power of distances of vectors, which are along the last axis.

    Examples
    --------
    >>> from heddle.scipy.spatial import minkowski_distance_p
    >>> print(minkowski_distance_p([0.0, 0.0], [3.0, 4.0]))
    25.0
    """
    a, b = as_array(x), as_array(y)
    kind = "c16" if "c" in (a.dtype.kind, b.dtype.kind) else "f8"
    gap = abs(b.astype(kind) - a.astype(kind))
    if p == math.inf:
        return np.max(gap, axis=-1)
    return np.sum(gap if p == 1 else gap**p, axis=-1)


def minkowski_distance(x: ArrayLike, y: ArrayLike, p: float = 2.0) -> ndarray:
    """Distances of vectors, which are along the last axis, by the p-norm.

    Examples
    --------
    >>> from heddle.scipy.spatial import minkowski_distance
    >>> print(minkowski_distance([0.0, 0.0], [3.0, 4.0]))
    5.0
    """
    made = minkowski_distance_p(x, y, p)
    return made if p in (1, math.inf) else made ** (1.0 / p)


def distance_matrix(
    x: ArrayLike, y: ArrayLike, p: float = 2.0, threshold: int = 1000000
) -> ndarray:
    """Distances of all pairs of rows, by the p-norm; in one kernel, whatever the `threshold`.

    Examples
    --------
    >>> from heddle.scipy.spatial import distance_matrix
    >>> distance_matrix([[0.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]])
    array([[1.        , 1.41421356],
           [1.41421356, 1.        ]])
    """
    a, b = as_array(x), as_array(y)
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"x contains {a.shape[1]}-dimensional vectors but y contains {b.shape[1]}-dimensional "
            "vectors"
        )
    return minkowski_distance(a[:, None, :], b[None, :, :], p)


def procrustes(data1: ArrayLike, data2: ArrayLike) -> tuple[ndarray, ndarray, Any]:
    """Two sets of points, moved, scaled and turned to lie over one another; and what is left over.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.spatial import procrustes
    >>> a = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> _, _, left = procrustes(a, 3 * a + 1)
    >>> print(abs(float(left)) < 1e-12)
    True
    """
    a, b = as_array(data1).astype("f8"), as_array(data2).astype("f8")
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("Input matrices must be two-dimensional")
    if a.shape != b.shape:
        raise ValueError("Input matrices must be of same shape")
    if a.size == 0:
        raise ValueError("Input matrices must be >0 rows and >0 cols")
    if not (bool(np.all(np.isfinite(a))) and bool(np.all(np.isfinite(b)))):
        raise ValueError("array must not contain infs or NaNs")
    a, b = a - np.mean(a, axis=0), b - np.mean(b, axis=0)
    sizes = [np.sqrt(np.sum(each * each)) for each in (a, b)]
    if bool((sizes[0] == 0) | (sizes[1] == 0)):
        raise ValueError("Input matrices must contain >1 unique points")
    a, b = a / sizes[0], b / sizes[1]
    u, s, vt = np.linalg.svd((b.T @ a).T)
    b = (b @ (u @ vt).T) * np.sum(s)
    return a, b, np.sum((a - b) ** 2)


def geometric_slerp(start: ArrayLike, end: ArrayLike, t: ArrayLike, tol: float = 1e-7) -> ndarray:
    """Places along the arc of a great circle, from `start` (t = 0) to `end` (t = 1), and beyond.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.spatial import geometric_slerp
    >>> np.round(geometric_slerp([1.0, 0.0], [0.0, 1.0], [0.0, 0.5]), 6)
    array([[1.      , 0.      ],
           [0.707107, 0.707107]])
    """
    a, b = as_array(start).astype("f8"), as_array(end).astype("f8")
    times = as_array(t).astype("f8")
    if times.ndim > 1:
        raise ValueError("The interpolation parameter value must be one dimensional.")
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("Start and end coordinates must be one-dimensional")
    if a.size != b.size:
        raise ValueError("The dimensions of start and end must match (have same size)")
    if a.size < 2 or b.size < 2:
        raise ValueError(
            "The start and end coordinates must both be in at least two-dimensional space"
        )
    first, last = np.asnumpy(a), np.asnumpy(b)
    if numpy.array_equal(first, last):
        return np.linspace(a, a, times.size)
    if not (
        math.isclose(numpy.linalg.norm(first), 1.0, abs_tol=1e-9)
        and math.isclose(numpy.linalg.norm(last), 1.0, abs_tol=1e-9)
    ):
        raise ValueError("start and end are not on a unit n-sphere")
    if not isinstance(tol, float):
        raise ValueError("tol must be a float")
    tol = abs(tol)
    distance = float(numpy.linalg.norm(first - last))
    if math.isclose(distance, 2.0, abs_tol=tol):
        import warnings

        warnings.warn(
            "start and end are antipodes using the specified tolerance; this may cause "
            "ambiguous slerp paths",
            stacklevel=2,
        )
    if times.size == 0:
        return np.zeros((0, a.size), device=a.device)
    first, across, angle = _plane(first, last)
    line = times.reshape(-1, 1) * angle
    here, beyond = (np.asarray(each, device=times.device) for each in (first, across))
    made = np.cos(line) * here + np.sin(line) * beyond
    return made[0] if times.ndim == 0 else made


def _plane(first: HostArray, last: HostArray) -> tuple[Any, Any, float]:
    """Two directions that span the plane of two others, the first one kept, and their angle.

    Of opposite ones every plane is one: that of the axis is taken that `first` is farthest from.
    """
    first = first / numpy.linalg.norm(first)
    across = last - (first @ last) * first
    across -= (first @ across) * first  # what rounding has left of it
    length = float(numpy.linalg.norm(across))
    angle = math.atan2(length, float(first @ last))
    if length == 0:
        across = numpy.eye(len(first))[numpy.argmin(abs(first))]
        across -= (first @ across) * first
        length = float(numpy.linalg.norm(across))
    return first, across / length, angle
