"""Grids, triangles and diagonals: arrays and index arrays that follow from their positions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy
from numpy import index_exp, s_

from heddle import _core
from heddle._arguments import accepts_like, as_array, as_dtype, as_shape, of_numbers
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._creation.fills import ones, zeros
from heddle._creation.ranges import arange, linspace
from heddle._manipulation.stride_tricks import diagonal_view, read_only
from heddle._typing import ArrayLike, DType, DTypeLike

__all__ = [
    "c_",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "index_exp",
    "indices",
    "mask_indices",
    "meshgrid",
    "mgrid",
    "ogrid",
    "r_",
    "s_",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "vander",
]


@accepts_like
def tri(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: DTypeLike = float,
    *,
    like: ArrayLike | None = None,
) -> ndarray:
    """A matrix with ones at and below the k-th diagonal.

    Examples
    --------
    >>> import heddle as np
    >>> np.tri(3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    rows, columns = as_shape((max(rows, 0), max(columns, 0)))  # as of an empty range
    offset = min(max(math.floor(k), -rows), columns)  # farther away nothing changes
    return _core.tri(rows, columns, offset, as_dtype(dtype, float))


def _diagonal_number(m: ndarray, k: SupportsIndex) -> int:
    """Which diagonal bounds a triangle: farther away from the array than one there is nothing."""
    if m.ndim == 0:
        raise TypeError("tri() missing 1 required positional argument: 'N'")
    return min(max(math.floor(k), -m.size - 1), m.size + 1)


@in_core
def tril(m: ArrayLike, k: SupportsIndex = 0) -> ndarray:
    """The lower triangle: zeros above the k-th diagonal.

    Examples
    --------
    >>> import heddle as np
    >>> np.tril(np.arange(1, 10).reshape(3, 3))
    array([[1, 0, 0],
           [4, 5, 0],
           [7, 8, 9]])
    """
    m = as_array(m)
    return _core.tril(m, _diagonal_number(m, k))


@in_core
def triu(m: ArrayLike, k: SupportsIndex = 0) -> ndarray:
    """The upper triangle: zeros below the k-th diagonal.

    Examples
    --------
    >>> import heddle as np
    >>> np.triu(np.arange(1, 10).reshape(3, 3), k=1)
    array([[0, 2, 3],
           [0, 0, 6],
           [0, 0, 0]])
    """
    m = as_array(m)
    return _core.triu(m, _diagonal_number(m, k))


def tril_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[ndarray, ndarray]:
    """Indices of the lower triangle of an (n, m) matrix.

    Examples
    --------
    >>> import heddle as np
    >>> rows, columns = np.tril_indices(2)
    >>> rows, columns
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    rows, columns = _core.nonzero(tri(n, m, k=k, dtype=bool))
    return rows, columns


def triu_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[ndarray, ndarray]:
    """Indices of the upper triangle of an (n, m) matrix.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.zeros((3, 3), dtype=int)
    >>> a[np.triu_indices(3)] = 1
    >>> a
    array([[1, 1, 1],
           [0, 1, 1],
           [0, 0, 1]])
    """
    below = tri(n, m, k=operator.index(k) - 1, dtype=bool)
    rows, columns = _core.nonzero(ufuncs["logical_not"](below))
    return rows, columns


def _matrix(arr: ArrayLike) -> tuple[int, ...]:
    arr = as_array(arr)
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape


def tril_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[ndarray, ndarray]:
    """Indices of the lower triangle of a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(4).reshape(2, 2)
    >>> a[np.tril_indices_from(a)]
    array([0, 2, 3])
    """
    rows, columns = _matrix(arr)
    return tril_indices(rows, k=k, m=columns)


def triu_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[ndarray, ndarray]:
    """Indices of the upper triangle of a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(4).reshape(2, 2)
    >>> a[np.triu_indices_from(a)]
    array([0, 1, 3])
    """
    rows, columns = _matrix(arr)
    return triu_indices(rows, k=k, m=columns)


def mask_indices(
    n: int, mask_func: Callable[[ndarray, Any], ArrayLike], k: object = 0
) -> tuple[ndarray, ...]:
    """Indices of an (n, n) matrix where a masking function leaves ones.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(9).reshape(3, 3)
    >>> a[np.mask_indices(3, np.triu)]
    array([0, 1, 2, 4, 5, 8])
    """
    return _core.nonzero(as_array(mask_func(ones((n, n), int), k)) != 0)


@in_core
def diag(v: ArrayLike, k: SupportsIndex = 0) -> ndarray:
    """The k-th diagonal of a matrix, as a read-only view, or a matrix with a vector on it.

    Examples
    --------
    >>> import heddle as np
    >>> np.diag([1, 2, 3])
    array([[1, 0, 0],
           [0, 2, 0],
           [0, 0, 3]])
    >>> np.diag(np.arange(9).reshape(3, 3), k=1)
    array([1, 5])
    """
    v, k = as_array(v), operator.index(k)
    if v.ndim == 2:
        return read_only(diagonal_view(v, k, 0, 1))
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = v.shape[0] + abs(k)
    result = zeros((n, n), v.dtype)
    _core.write(diagonal_view(result, k, 0, 1), v)
    return result


def diagflat(v: ArrayLike, k: SupportsIndex = 0) -> ndarray:
    """A matrix with the flattened input on its k-th diagonal.

    Examples
    --------
    >>> import heddle as np
    >>> np.diagflat([[1, 2], [3, 4]])
    array([[1, 0, 0, 0],
           [0, 2, 0, 0],
           [0, 0, 3, 0],
           [0, 0, 0, 4]])
    """
    return diag(as_array(v)._reshape((-1,)), k)


def diag_indices(n: int, ndim: SupportsIndex = 2) -> tuple[ndarray, ...]:
    """Indices of the main diagonal of an array of extents n.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.zeros((3, 3), dtype=int)
    >>> a[np.diag_indices(3)] = [1, 2, 3]
    >>> a
    array([[1, 0, 0],
           [0, 2, 0],
           [0, 0, 3]])
    """
    return (arange(n),) * ndim


def diag_indices_from(arr: ArrayLike) -> tuple[ndarray, ...]:
    """Indices of the main diagonal of an array.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(9).reshape(3, 3)
    >>> a[np.diag_indices_from(a)]
    array([0, 4, 8])
    """
    arr = as_array(arr)
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def vander(x: ArrayLike, N: SupportsIndex | None = None, increasing: bool = False) -> ndarray:
    """The Vandermonde matrix: powers of a vector in its columns.

    Examples
    --------
    >>> import heddle as np
    >>> np.vander([1, 2, 3], 3)
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    >>> np.vander([1, 2, 3], 3, increasing=True)
    array([[1, 1, 1],
           [1, 2, 4],
           [1, 3, 9]])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    return _core.vander(x, None if N is None else operator.index(N), bool(increasing))


@in_core
def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: Literal["xy", "ij"] = "xy"
) -> tuple[ndarray, ...]:
    """Coordinate matrices from coordinate vectors.

    Examples
    --------
    >>> import heddle as np
    >>> x, y = np.meshgrid([1, 2, 3], [10, 20])
    >>> x
    array([[1, 2, 3],
           [1, 2, 3]])
    >>> y
    array([[10, 10, 10],
           [20, 20, 20]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    vectors = [as_array(x) for x in xi]
    return _core.meshgrid(vectors, indexing == "xy", bool(sparse), bool(copy))


@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = int, sparse: Literal[False] = False
) -> ndarray: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = int, *, sparse: Literal[True]
) -> tuple[ndarray, ...]: ...
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False) -> Any:
    """The index along each axis of a grid.

    Examples
    --------
    >>> import heddle as np
    >>> row, column = np.indices((2, 3))
    >>> row
    array([[0, 0, 0],
           [1, 1, 1]])
    >>> column
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    shape = as_shape(tuple(dimensions))
    dtype = as_dtype(dtype, float)
    rank = len(shape)
    if sparse or dtype.kind == "b":  # arange refuses more than two truth values
        axes = tuple(
            arange(extent, dtype=dtype)._reshape((1,) * i + (extent,) + (1,) * (rank - i - 1))
            for i, extent in enumerate(shape)
        )
        if sparse:
            return axes
    return _core.indices(shape, dtype)


def _is_count(step: complex) -> bool:
    return isinstance(step, (complex, numpy.complexfloating))


def _bounds(key: slice) -> tuple[float, float, int]:
    """Start, step and length of a slice: a complex step is a count with the end included."""
    start = 0 if key.start is None else key.start
    step = 1 if key.step is None else key.step
    if not _is_count(step):
        return start, step, max(0, math.ceil((key.stop - start) / step))
    count = int(abs(step))
    return start, (key.stop - start) / (count - 1) if count != 1 else 1, count


def _counted(key: slice, dtype: DType, shape: tuple[int, ...] = (-1,)) -> ndarray:
    """The numbers of a slice along the axis of -1; its bounds may be arrays that broadcast."""
    start, step, count = _bounds(key)
    numbers = as_array(_core.index_along((count,), 0), dtype)._reshape(shape)
    return as_array(numbers * step + start, dtype)


class _Grid:
    """mgrid and ogrid: a grid from the slices it is indexed with."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: slice | Sequence[slice]) -> ndarray | tuple[Any, ...]:
        if isinstance(key, slice):
            if not _is_count(key.step):
                return arange(0 if key.start is None else key.start, key.stop, key.step)
            return _counted(key, _grid_type([key]))
        dtype = _grid_type(key)
        rank = len(key)
        grids = [
            _counted(part, dtype, (1,) * i + (-1,) + (1,) * (rank - i - 1))
            for i, part in enumerate(key)
        ]
        if self.sparse:
            return tuple(grids)
        result = _core.empty((rank, *numpy.broadcast_shapes(*(g.shape for g in grids))), dtype)
        for i, grid in enumerate(grids):
            _core.write(result[i, ...], grid)
        return result


def _grid_type(key: Sequence[slice]) -> DType:
    """All bounds and steps, counts as floats, decide about the type."""
    numbers = [bound for part in key for bound in (part.start, part.stop, part.step)]
    numbers = [abs(n) if _is_count(n) else n for n in numbers if n is not None]
    # Python's numbers are weak.
    return numpy.result_type(0, *(n.dtype if isinstance(n, own_array) else n for n in numbers))


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)


def _is_number(part: object) -> bool:
    return isinstance(part, (bool, int, float, complex, numpy.generic))


class _Joiner:
    """r_ and c_: join slices, numbers and arrays along an axis by indexing."""

    def __init__(self, theirs: Any, axis: int = 0, ndmin: int = 1, first: int = -1) -> None:
        self.theirs, self.axis, self.ndmin, self.first = theirs, axis, ndmin, first

    def __getitem__(self, key: Any) -> ndarray:
        made: ndarray = of_numbers(lambda: self._joined(key), self.theirs.__getitem__, (key,), {})
        return made

    def _joined(self, key: Any) -> ndarray:
        from heddle._manipulation.joining import concatenate

        parts = list(key) if isinstance(key, tuple) else [key]
        axis, ndmin, first = self.axis, self.ndmin, self.first
        if parts and isinstance(parts[0], str):
            axis, ndmin, first = self._directive(parts.pop(0))
        if any(isinstance(part, str) for part in parts):
            raise ValueError("special directives must be the first entry.")
        pieces = [self._piece(part, ndmin, first) for part in parts]
        if pieces:
            # Numbers are weak: they promote by their kind only.
            dtype = numpy.result_type(
                *(
                    part if _is_number(part) else piece.dtype
                    for part, piece in zip(parts, pieces, strict=True)
                )
            )
            pieces = [
                as_array(part, dtype)._reshape(piece.shape)
                if _is_number(part)
                else as_array(piece, dtype)
                for part, piece in zip(parts, pieces, strict=True)
            ]
        return concatenate(pieces, axis=axis)

    def _directive(self, text: str) -> tuple[int, int, int]:
        if text in ("r", "c"):
            raise ValueError("matrices are not supported: use a two-dimensional array")
        try:
            numbers = [int(number) for number in text.split(",")]
        except ValueError:
            raise ValueError(f"unknown special directive {text!r}") from None
        defaults = (self.axis, self.ndmin, self.first)
        axis, ndmin, first = (*numbers, *defaults[len(numbers) :])[:3]
        return axis, ndmin, first

    @staticmethod
    def _piece(part: ArrayLike, ndmin: int, first: int) -> ndarray:
        if _is_number(part):
            return as_array(part)._reshape((1,) * ndmin)
        if isinstance(part, slice):
            start = 0 if part.start is None else part.start
            if _is_count(part.step):
                vector = linspace(start, part.stop, int(abs(part.step)))
            else:
                vector = arange(start, part.stop, part.step)
        else:
            vector = as_array(part)
        missing = ndmin - vector.ndim
        if missing <= 0:
            return vector
        # The array's own axes start at `first` among those of the result; -1: at the end.
        start = missing + first + 1 if first < 0 else min(first, missing)
        return vector._reshape((1,) * start + vector.shape + (1,) * (missing - start))

    def __len__(self) -> int:
        return 0


r_ = _Joiner(numpy.r_)
c_ = _Joiner(numpy.c_, axis=-1, ndmin=2, first=0)
