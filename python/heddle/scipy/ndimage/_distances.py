"""Distances of elements to the nearest one that is 0."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy

from heddle import simt
from heddle._arguments import as_array
from heddle._compiled.functions import njit
from heddle._core import ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._creation.ranges import arange
from heddle._dtypes import float64, int64
from heddle._indexing.elements import where
from heddle._manipulation.joining import stack
from heddle._manipulation.shapes import flip, moveaxis
from heddle._math.ufuncs import maximum, minimum, sqrt
from heddle._typing import ArrayLike, HostArray, KernelArray
from heddle.scipy.ndimage._binary import binary_dilation
from heddle.scipy.ndimage._structures import generate_binary_structure
from heddle.scipy.ndimage._support import Arrays, host_array, sequence
from heddle.scipy.ndimage._windows import small_array, strides_of


def _check_wanted(
    distances: object, indices: ArrayLike | None, return_distances: bool, return_indices: bool
) -> None:
    problems = []
    if not return_distances and not return_indices:
        problems.append("at least one of return_distances/return_indices must be True")
    if isinstance(distances, Arrays) and not return_distances:
        problems.append("return_distances must be True if distances is supplied")
    if isinstance(indices, Arrays) and not return_indices:
        problems.append("return_indices must be True if indices is supplied")
    if problems:
        raise RuntimeError(", ".join(problems))


def _check_target(
    target: object, shape: tuple[int, ...], dtype: str, name: str, error: type[Exception]
) -> None:
    if isinstance(target, Arrays):
        if target.dtype.name != dtype:
            raise error(f"{name} array must be {dtype}")
        if target.shape != shape:
            raise error(f"{name} array has wrong shape")


def _put(target: ndarray | HostArray, value: ndarray) -> None:
    target[...] = value if isinstance(target, own_array) else value._snapshot()


def _results(
    distances: ndarray | None, into: object, indices: ndarray | None, places: object
) -> tuple[Any, ...] | ndarray | None:
    """What was asked for, and is not in arrays of the caller's."""
    found = []
    for value, target in ((distances, into), (indices, places)):
        if value is None:
            continue
        if isinstance(target, Arrays):
            _put(target, value)
        else:
            found.append(value)
    return tuple(found) if len(found) == 2 else found[0] if found else None


def _unraveled(flat: ndarray, shape: tuple[int, ...]) -> ndarray:
    """Indices of flat places, an array of them for each axis."""
    steps = strides_of(shape)
    rows = [flat // step % n for step, n in zip(steps, shape, strict=True)]
    return stack(rows).astype(numpy.int32)


# --- exact Euclidean distances ---


@simt.kernel(contract=False)
def _envelope(
    squares: KernelArray,
    places: KernelArray,
    stack: KernelArray,
    out: KernelArray,
    found: KernelArray,
    step: float,
) -> None:
    """Along a line, the nearest of elements that are at squares of distances across it.

    Maurer's algorithm: elements that are nearest nowhere leave the stack.
    """
    line = simt.grid(1)
    if line < squares.shape[1]:
        n = squares.shape[0]
        top = int64(-1)
        for i in range(n):
            w = squares[i, line]
            if w < math.inf:
                while top >= 1:
                    j = int64(stack[top, line])
                    k = int64(stack[top - 1, line])
                    a = float64(j - k) * step
                    b = float64(i - j) * step
                    c = a + b
                    if c * squares[j, line] - b * squares[k, line] - a * w - a * b * c <= 0.0:
                        break
                    top -= 1
                top += 1
                stack[top, line] = i
        at = int64(0)
        for i in range(n):
            if top < 0:
                out[i, line] = math.inf
                found[i, line] = -1
            else:
                j = int64(stack[at, line])
                t = float64(j - i) * step
                near = squares[j, line] + t * t
                while at < top:
                    k = int64(stack[at + 1, line])
                    t = float64(k - i) * step
                    next = squares[k, line] + t * t
                    if near <= next:
                        break
                    near = next
                    at += 1
                j = int64(stack[at, line])
                out[i, line] = near
                found[i, line] = places[j, line]


def _along_first(objects: ndarray, step: float) -> tuple[ndarray, ndarray]:
    """Squares of distances along the first axis, and indices there; by two scans."""
    n = objects.shape[0]
    far = 1 << 40
    i = arange(n, device=objects.device).reshape(-1, *(1,) * (objects.ndim - 1))
    left = maximum.accumulate(where(objects, -far, i), axis=0)
    right = flip(minimum.accumulate(flip(where(objects, far, i), 0), axis=0), 0)
    nearest = where(i - left <= right - i, left, right)
    there = abs(nearest - i) < far // 2
    t = (nearest - i).astype(numpy.float64) * step
    return where(there, t * t, math.inf), where(there, nearest, -1)


def _nearest(objects: ndarray, steps: list[float]) -> tuple[ndarray, ndarray]:
    """Squares of distances to the nearest element that is not an object, and its flat index."""
    shape = objects.shape
    squares, first = _along_first(objects, steps[0])
    across = math.prod(shape[1:])
    others = arange(across, device=objects.device).reshape(shape[1:])
    places = where(first >= 0, first * across + others, -1)
    for axis in range(1, objects.ndim):
        lines = [moveaxis(v, axis, 0) for v in (squares, places)]
        moved = lines[0].shape
        flat = [v.reshape(moved[0], -1) for v in lines]
        kept = empty(flat[0].shape, dtype=numpy.int32, device=objects.device)
        out = empty(flat[0].shape, device=objects.device)
        found = empty(flat[0].shape, dtype=numpy.int64, device=objects.device)
        threads = 64
        _envelope.forall(flat[0].shape[1], threads)(*flat, kept, out, found, steps[axis])
        squares, places = (moveaxis(v.reshape(moved), 0, axis) for v in (out, found))
    return squares, places


@overload
def distance_transform_edt(
    input: ArrayLike,
    sampling: float | Sequence[float] | None = None,
    return_distances: Literal[True] = True,
    return_indices: Literal[False] = False,
    distances: None = None,
    indices: ArrayLike | None = None,
) -> ndarray: ...
@overload
def distance_transform_edt(
    input: ArrayLike,
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: object = None,
    indices: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, ndarray] | None: ...
def distance_transform_edt(
    input: ArrayLike,
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: object = None,
    indices: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, ndarray] | None:
    """The Euclidean distance of each element to the nearest one that is 0, exactly.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.distance_transform_edt(np.array([[0, 1, 1], [1, 1, 1]])).round(3)
    array([[0.   , 1.   , 2.   ],
           [1.   , 1.414, 2.236]])
    """
    _check_wanted(distances, indices, return_distances, return_indices)
    objects = as_array(input) != 0
    objects = objects.reshape(objects.shape or (1,))
    shape, ndim = objects.shape, objects.ndim
    steps = [1.0] * ndim if sampling is None else [float(s) for s in sequence(sampling, ndim)]
    _check_target(indices, (ndim, *shape), "int32", "indices", RuntimeError)
    _check_target(distances, shape, "float64", "distances", RuntimeError)
    if not objects.size:
        made = empty(shape, device=objects.device) if return_distances else None
        empty_indices = empty((ndim, *shape), dtype=numpy.int32, device=objects.device)
        return _results(made, distances, empty_indices if return_indices else None, indices)
    squares, places = _nearest(objects, steps)
    # Where nothing is 0, SciPy's nearest element is the one before the first, at (-1, 0, ...).
    nowhere = places < 0
    beyond: Any = 0.0
    for axis, (n, step) in enumerate(zip(shape, steps, strict=True)):
        i = arange(n, device=objects.device).reshape([-1 if a == axis else 1 for a in range(ndim)])
        t = ((-1 if axis == 0 else 0) - i) * step
        beyond = beyond + t * t
    made = sqrt(where(nowhere, beyond, squares)) if return_distances else None
    found = None
    if return_indices:
        of_nowhere = arange(ndim, device=objects.device).reshape(-1, *(1,) * ndim) == 0
        rows = _unraveled(maximum(places, 0), shape)
        found = where(nowhere, where(of_nowhere, -1, 0), rows).astype(numpy.int32)
    return _results(made, distances, found, indices)


# --- by steps to neighbours, on the host ---


# More than any distance in steps, and no limit of the type is met by adding to it.
_FAR = 1 << 30


@njit
def _pass(
    distances: KernelArray, rows: KernelArray, length: int, before: KernelArray, in_row: float
) -> None:
    """One more than the least of the neighbours before, of which rows before are whole."""
    for r in range(rows.size):
        first = rows[r]
        for k in range(before.size):
            shift = before[k]
            for p in range(first, first + length):
                distances[p] = min(distances[p], distances[p + shift] + 1)
        if in_row:
            last = distances[first - 1]
            for p in range(first, first + length):
                last = min(last + 1, distances[p])
                distances[p] = last


@njit
def _pass_with_features(
    distances: KernelArray,
    features: KernelArray,
    rows: KernelArray,
    length: int,
    offsets: KernelArray,
) -> None:
    """The same, and where the nearest element is."""
    for r in range(rows.size):
        for p in range(rows[r], rows[r] + length):
            least = distances[p]
            if least != 0:
                for k in range(offsets.size):
                    there = distances[p + offsets[k]] + 1
                    if there < least and there <= _FAR:
                        least = there
                        features[p] = features[p + offsets[k]]
                distances[p] = least


@functools.lru_cache(maxsize=64)
def _moves_before(rank: int, ndim: int, structure: bytes = b"") -> HostArray:
    """Steps to neighbours that come before an element: those of the first half of a structure, or
    of all that differ in `rank` axes at most."""
    found = (
        numpy.frombuffer(structure, bool)
        if structure
        else host_array(generate_binary_structure(ndim, rank), bool).ravel()
    )
    before = numpy.flatnonzero(found[: found.size // 2])
    return numpy.stack(numpy.unravel_index(before, (3,) * ndim), axis=-1) - 1


@overload
def distance_transform_cdt(
    input: ArrayLike,
    metric: object = "chessboard",
    return_distances: Literal[True] = True,
    return_indices: Literal[False] = False,
    distances: None = None,
    indices: ArrayLike | None = None,
) -> ndarray: ...
@overload
def distance_transform_cdt(
    input: ArrayLike,
    metric: object = "chessboard",
    return_distances: bool = True,
    return_indices: bool = False,
    distances: object = None,
    indices: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, ndarray] | None: ...
def distance_transform_cdt(
    input: ArrayLike,
    metric: object = "chessboard",
    return_distances: bool = True,
    return_indices: bool = False,
    distances: object = None,
    indices: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, ndarray] | None:
    """Distances in steps to neighbours, of a chessboard, a taxicab, or a structure; on the host.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.distance_transform_cdt(np.array([[0, 1, 1], [1, 1, 1]]), "taxicab")
    array([[0, 1, 2],
           [1, 2, 3]], dtype=int32)
    """
    _check_wanted(distances, indices, return_distances, return_indices)
    a = as_array(input)
    if isinstance(metric, str):
        if metric not in ("taxicab", "cityblock", "manhattan", "chessboard"):
            raise ValueError("invalid metric provided")
        moves = _moves_before(a.ndim if metric == "chessboard" else 1, a.ndim)
    else:
        try:
            structure = host_array(metric)
        except Exception as error:
            raise ValueError("invalid metric provided") from error
        if any(n != 3 for n in structure.shape):
            raise ValueError("metric sizes must be equal to 3")
        if structure.ndim != a.ndim:
            raise RuntimeError("structure and input must have equal rank")
        moves = _moves_before(0, a.ndim, structure.astype(bool).tobytes())
    _check_target(distances, a.shape, "int32", "distances", ValueError)
    _check_target(indices, (a.ndim, *a.shape), "int32", "indices", ValueError)
    padded = numpy.full([n + 2 for n in a.shape], _FAR, numpy.int32)
    inside = (slice(1, -1),) * a.ndim
    numpy.multiply((a != 0)._snapshot(), _FAR, out=padded[inside], dtype=numpy.int32)
    offsets = (moves @ numpy.array(strides_of(padded.shape))).astype(numpy.int64)
    rows = numpy.arange(padded.size).reshape(padded.shape)[inside][..., 0].ravel()
    places = padded[:0]
    if return_indices:
        places = numpy.zeros(padded.shape, numpy.int64)
        places[inside] = numpy.arange(a.size).reshape(a.shape)
    flat, features = padded.ravel(), places.ravel()
    for _ in range(2 if a.size else 0):
        if return_indices:
            _pass_with_features(flat, features, rows, a.shape[-1], offsets)
        else:
            others = offsets[offsets != -1]
            _pass(flat, rows, a.shape[-1], others, len(others) < len(offsets))
        flat, features = flat[::-1].copy(), features[::-1].copy()
    places = features.reshape(padded.shape) if return_indices else features
    made = None
    if return_distances:
        steps = flat.reshape(padded.shape)[inside].copy()
        steps[steps >= _FAR] = -1
        made = asarray(steps, device=a.device)
    found = None
    if return_indices:
        found = _unraveled(asarray(places[inside].copy(), device=a.device), a.shape)
    return _results(made, distances, found, indices)


# --- by comparing all ---

_EUCLIDEAN, _TAXICAB, _CHESSBOARD = 1, 2, 3


@simt.kernel(contract=False)
def _compare(
    objects: KernelArray,
    border: KernelArray,
    shape: KernelArray,
    sampling: KernelArray,
    metric: float,
    out: KernelArray,
    found: KernelArray,
) -> None:
    p = simt.grid(1)
    if p < objects.size:
        least = math.inf
        place = int64(p)
        if not objects[p]:
            least = 0.0
        else:
            place = int64(0)
            for k in range(border.shape[0]):
                q = border[border.shape[0] - 1 - k]
                rest, other = int64(p), int64(q)
                distance = 0.0
                for e in range(shape.shape[0]):
                    d = shape.shape[0] - 1 - e
                    above, beyond = rest // shape[d], other // shape[d]
                    t = float64((rest - above * shape[d]) - (other - beyond * shape[d]))
                    rest, other = above, beyond
                    if metric == _EUCLIDEAN:
                        t *= sampling[d]
                        distance += t * t
                    elif metric == _TAXICAB:
                        distance += abs(t)
                    else:
                        distance = max(distance, abs(t))
                if distance < least:
                    least = distance
                    place = q
        out[p] = least
        found[p] = place


@overload
def distance_transform_bf(
    input: ArrayLike,
    metric: str = "euclidean",
    sampling: float | Sequence[float] | None = None,
    return_distances: Literal[True] = True,
    return_indices: Literal[False] = False,
    distances: None = None,
    indices: ArrayLike | None = None,
) -> ndarray: ...
@overload
def distance_transform_bf(
    input: ArrayLike,
    metric: str = "euclidean",
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: object = None,
    indices: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, ndarray] | None: ...
def distance_transform_bf(
    input: ArrayLike,
    metric: str = "euclidean",
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: object = None,
    indices: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, ndarray] | None:
    """Distances to the nearest element that is 0, by comparing with all of them.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.distance_transform_bf(np.array([[0, 1, 1], [1, 1, 1]]), "taxicab")
    array([[0, 1, 2],
           [1, 2, 3]], dtype=uint32)
    """
    _check_wanted(distances, indices, return_distances, return_indices)
    objects = as_array(input) != 0
    ndim, shape = objects.ndim, objects.shape
    name = metric.lower()
    if name == "euclidean":
        code = _EUCLIDEAN
    elif name in ("taxicab", "cityblock", "manhattan"):
        code = _TAXICAB
    elif name == "chessboard":
        code = _CHESSBOARD
    else:
        raise RuntimeError("distance metric not supported")
    steps = [1.0] * ndim if sampling is None else [float(s) for s in sequence(sampling, ndim)]
    dtype = numpy.dtype("float64" if code == _EUCLIDEAN else "uint32")
    _check_target(distances, shape, dtype.name, "distances", RuntimeError)
    _check_target(indices, (ndim, *shape), "int32", "indices", RuntimeError)
    around = binary_dilation(objects, generate_binary_structure(ndim, ndim)) & ~objects
    border = around.reshape(-1).nonzero()[0].astype(numpy.int64)
    out = empty(objects.size, device=objects.device)
    found = empty(objects.size, dtype=numpy.int64, device=objects.device)
    if objects.size:
        _compare.forall(objects.size)(
            objects.reshape(-1),
            border,
            small_array(shape or (1,), "int64", objects),
            small_array(steps or (1.0,), "float64", objects),
            code,
            out,
            found,
        )
    made = None
    if return_distances:
        top = numpy.finfo(float).max if code == _EUCLIDEAN else numpy.iinfo(dtype).max
        out = minimum(out, float(top))
        made = (sqrt(out) if code == _EUCLIDEAN else out.astype(dtype)).reshape(shape)
    rows = _unraveled(found.reshape(shape), shape) if return_indices else None
    return _results(made, distances, rows, indices)
