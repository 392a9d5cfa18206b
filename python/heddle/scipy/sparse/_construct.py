"""Sparse arrays that are made of others: diagonals, Kronecker products, other orders of axes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DTypeLike
from heddle.scipy.sparse._base import SparseBase, as_sparse, sparray
from heddle.scipy.sparse._bsr import bsr_array, bsr_matrix
from heddle.scipy.sparse._coo import CooBase, coo_array, coo_matrix
from heddle.scipy.sparse._csr_csc import csc_array, csc_matrix, csr_array, csr_matrix
from heddle.scipy.sparse._dia import dia_array, dia_matrix
from heddle.scipy.sparse._support import (
    as_dense,
    device_of,
    get_index_dtype,
    is_foreign,
    is_integer,
    is_scalar,
    upcast,
)
from heddle.scipy.sparse._typing import MatrixLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseArray

_NOT_GIVEN: Any = object()


def is_array(x: object) -> bool:
    """Whether it is a sparse array, ours or SciPy's, rather than a sparse matrix or dense."""
    if isinstance(x, sparray):
        return True
    return is_foreign(x) and "array" in type(x).__name__


# --- diagonals ---


def spdiags(
    data: ArrayLike,
    diags: ArrayLike,
    m: int | tuple[int, int] | None = None,
    n: int | None = None,
    format: str | None = None,
) -> SparseBase:
    """A sparse matrix of diagonals: row `d` of the data is on the diagonal ``diags[d]``.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.spdiags([[1, 2, 3], [1, 2, 3]], [0, 1], 3, 3).toarray()
    array([[1, 2, 0],
           [0, 2, 3],
           [0, 0, 3]])
    """
    if m is None and n is None:
        m = n = len(np.asarray(data)[0])
    elif n is None:
        m, n = cast("tuple[int, int]", m)
    return dia_matrix((data, diags), shape=cast("tuple[int, int]", (m, n))).asformat(format)


def _vectors(diagonals: Any, offsets: Any) -> tuple[list[ndarray], list[int]]:
    """Diagonals as vectors, and where they are."""
    device = device_of(diagonals, *(diagonals if isinstance(diagonals, (list, tuple)) else ()))
    if is_scalar(offsets):
        if len(diagonals) and not is_scalar(diagonals[0]):
            raise ValueError("Different number of diagonals and offsets.")
        diagonals, offsets = [diagonals], [offsets]
    elif isinstance(offsets, (own_array, numpy.ndarray)):
        offsets = offsets.tolist()
    vectors = []
    for given in diagonals:
        found = as_dense(given, device)
        if found is None:
            raise TypeError("diagonals must be sequences of numbers")
        vectors.append(np.atleast_1d(found))
    found_offsets = [int(offset) for offset in offsets]
    if len(vectors) != len(found_offsets):
        raise ValueError("Different number of diagonals and offsets.")
    return vectors, found_offsets


def _diagonal_dtype(vectors: list[ndarray], dtype: Any) -> Any:
    if dtype is not _NOT_GIVEN and dtype is not None:
        return numpy.dtype(dtype)
    future = numpy.result_type(*(v.dtype for v in vectors))
    if dtype is None:
        return future
    found = numpy.dtype(numpy.common_type(*(numpy.zeros(1, v.dtype) for v in vectors)))
    if found != future:
        warnings.warn(
            f"Input has data type {future}, but the output has been cast to {found}.  In the "
            "future, the output data type will match the input. To avoid this warning, set the "
            "`dtype` parameter to `None` to have the output dtype match the input, or set it to "
            "the desired output data type.",
            FutureWarning,
            stacklevel=4,
        )
    return found


def diags_array(
    diagonals: ArrayLike | Sequence[ArrayLike],
    /,
    *,
    offsets: ArrayLike = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: DTypeLike | None = _NOT_GIVEN,
) -> SparseArray:
    """A sparse array of diagonals, each from its first element on.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.diags_array([[1.0, 2.0], [3.0]], offsets=[0, 1]).toarray()
    array([[1., 3.],
           [0., 2.]])
    """
    vectors, places = _vectors(diagonals, offsets)
    if shape is None:
        m = vectors[0].shape[-1] + abs(places[0])
        shape = (m, m)
    kind = _diagonal_dtype(vectors, dtype)
    m, n = shape
    width = max(0, *(min(m + k, n - k) + max(0, k) for k in places)) if places else 0
    data = np.zeros((len(places), width), kind, device=device_of(*vectors))
    for row, (vector, k) in enumerate(zip(vectors, places, strict=True)):
        length = min(m + k, n - k, m, n)
        if length < 0:
            raise ValueError(f"Offset {k} (index {row}) out of bounds")
        first = max(0, k)
        try:
            data[row, first : first + length] = vector[..., :length].astype(kind)
        except ValueError as error:
            if vector.shape[-1] not in (length, 1):
                raise ValueError(
                    f"Diagonal length (index {row}: {vector.shape[-1]} at offset {k}) does not "
                    f"agree with array size ({m}, {n})."
                ) from error
            raise
    return cast("SparseArray", dia_array((data, places), shape=(m, n)).asformat(format))


def diags(
    diagonals: ArrayLike | Sequence[ArrayLike],
    offsets: ArrayLike = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: DTypeLike | None = _NOT_GIVEN,
) -> SparseBase:
    """A sparse matrix of diagonals, each from its first element on.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.diags([1.0, -2.0], [0, 1], shape=(3, 3)).toarray()
    array([[ 1., -2.,  0.],
           [ 0.,  1., -2.],
           [ 0.,  0.,  1.]])
    """
    made = diags_array(diagonals, offsets=offsets, shape=shape, dtype=dtype)
    return dia_matrix(made).asformat(format)


def _eye(m: int, n: int | None, k: int, dtype: DTypeLike, format: str | None, arrays: bool) -> Any:
    m = int(m)
    n = m if n is None else int(n)
    if m == n and k == 0 and format in ("csr", "csc", "coo"):
        kind = get_index_dtype(maxval=n)
        steps, ones = np.arange(n, dtype=kind), np.ones(n, dtype)
        if format == "coo":
            made = coo_array if arrays else coo_matrix
            return made._made(
                (n, n), coords=(steps, steps.copy()), data=ones, has_canonical_format=True
            )
        names = {"csr": (csr_matrix, csr_array), "csc": (csc_matrix, csc_array)}
        return names[format][arrays]((ones, steps, np.arange(n + 1, dtype=kind)), shape=(n, n))
    ones = np.ones((1, max(0, min(m + k, n))), dtype)
    diagonal = diags_array(ones, offsets=[k], shape=(m, n), dtype=dtype)
    return (diagonal if arrays else dia_matrix(diagonal)).asformat(format)


def eye_array(
    m: int, n: int | None = None, *, k: int = 0, dtype: DTypeLike = float, format: str | None = None
) -> SparseArray:
    """A sparse array with ones on a diagonal.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.eye_array(2, 3, k=1).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    found: SparseBase = _eye(m, n, k, dtype, format, True)
    return cast("SparseArray", found)


def eye(
    m: int, n: int | None = None, k: int = 0, dtype: DTypeLike = float, format: str | None = None
) -> SparseBase:
    """A sparse matrix with ones on a diagonal.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.eye(2).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    found: SparseBase = _eye(m, n, k, dtype, format, False)
    return found


def identity(n: int, dtype: DTypeLike = "d", format: str | None = None) -> SparseBase:
    """The identity as a sparse matrix.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.identity(2, dtype=int, format="csr").data
    array([1, 1])
    """
    return eye(n, n, dtype=dtype, format=format)


# --- Kronecker products ---


def _coo_of(x: Any, arrays: bool) -> CooBase:
    return (coo_array if arrays else coo_matrix)(x)


def kron(A: MatrixLike, B: MatrixLike, format: str | None = None) -> SparseBase:
    """The Kronecker product.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.kron([[0, 2]], [[1], [3]], format="csr").toarray()
    array([[0, 2],
           [0, 6]])
    """
    arrays = is_array(A) or is_array(B)
    b = _coo_of(B, arrays)
    a = _coo_of(A, arrays)
    if format in (None, "bsr") and a.ndim == b.ndim == 2 and 2 * b.nnz >= prod(b.shape):
        shape: tuple[int, ...] = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        if a.nnz and b.nnz:
            rows = a.tocsr()
            data = rows.data[:, None, None] * b.toarray()
            made = bsr_array if arrays else bsr_matrix
            return made((data, rows.indices, rows.indptr), shape=shape)
    ndim = max(a.ndim, b.ndim)
    a_shape = (1,) * (ndim - a.ndim) + a.shape
    b_shape = (1,) * (ndim - b.ndim) + b.shape
    shape = tuple(m * n for m, n in zip(a_shape, b_shape, strict=True))
    dtype = upcast(a.dtype, b.dtype)
    container: type[CooBase] = coo_array if arrays else coo_matrix
    if not a.nnz or not b.nnz:
        return container(shape).asformat(format)
    kind = get_index_dtype(a.coords, maxval=max(shape))
    zeros = [(np.zeros_like(x.coords[0]),) * (ndim - x.ndim) + tuple(x.coords) for x in (a, b)]
    coords = tuple(
        (ca.astype(kind)[:, None] * n + cb.astype(kind)).reshape(-1)
        for ca, cb, n in zip(*zeros, b_shape, strict=True)
    )
    data = (a.data.astype(dtype)[:, None] * b.data.astype(dtype)).reshape(-1)
    result = container._made(shape, coords=coords, data=data, has_canonical_format=False)
    return result.asformat(format)


def kronsum(A: MatrixLike, B: MatrixLike, format: str | None = None) -> SparseBase:
    """The Kronecker sum of two square matrices: ``kron(I, A) + kron(B, I)``.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.kronsum([[1, 0], [0, 2]], [[3]]).toarray()
    array([[4, 0],
           [0, 5]])
    """
    arrays = is_array(A) or is_array(B)
    a, b = _coo_of(A, arrays), _coo_of(B, arrays)
    for name, x in (("A", a), ("B", b)):
        if x.ndim != 2:
            raise ValueError(f"kronsum requires 2D inputs. `{name}` is {x.ndim}D.")
    for name, x in (("A", a), ("B", b)):
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"{name} is not square")
    dtype = upcast(a.dtype, b.dtype)
    ones = eye_array if arrays else identity
    left = kron(ones(b.shape[0], dtype=dtype), a, format="coo")
    right = kron(b, ones(a.shape[0], dtype=dtype), format="coo")
    found: SparseBase = (left + right).asformat(format)
    return found


# --- axes ---


def expand_dims(A: SparseBase, /, *, axis: int = 0) -> SparseBase:
    """With a new axis, in coordinate format.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.expand_dims(sparse.csr_array([[1, 2]]), axis=1).shape
    (1, 1, 2)
    """
    a = as_sparse(A)
    if not is_integer(axis):
        raise ValueError(f"Invalid axis {axis}. Must be an integer.")
    place = axis if axis >= 0 else axis + a.ndim + 1
    if not 0 <= place <= a.ndim:
        raise ValueError(f"Invalid axis {axis} for N={a.ndim}. Must be in [-N-1, N].")
    coo = a.tocoo(copy=True)
    zeros = np.zeros_like(coo.coords[0])
    coords = (*coo.coords[:place], zeros, *coo.coords[place:])
    shape = (*coo.shape[:place], 1, *coo.shape[place:])
    found: SparseBase = type(coo)._made(
        shape, coords=coords, data=coo.data, has_canonical_format=coo.has_canonical_format
    )
    return found


def permute_dims(
    A: SparseBase, axes: Sequence[int] | None = None, copy: bool = False
) -> SparseBase:
    """With its axes in another order, reversed by default.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.permute_dims(sparse.coo_array((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    a = as_sparse(A)
    if axes is None:
        axes = tuple(range(a.ndim)[::-1])
    elif len(axes) != a.ndim:
        raise ValueError(f"Incorrect number of axes: {len(axes)} instead of {a.ndim}")
    elif not isinstance(axes, (tuple, list)):
        raise TypeError(f"axis must be an integer/tuple of ints, not {type(axes)}")
    found = []
    for axis in axes:
        if not is_integer(axis):
            raise TypeError(f"axis must be an integer. (given {axis})")
        place = int(axis) + a.ndim if axis < 0 else int(axis)
        if not 0 <= place < a.ndim:
            raise ValueError("axis out of range for ndim")
        found.append(place)
    if len(found) != len(set(found)):
        raise ValueError("duplicate value in axis")
    if found == list(range(a.ndim)):
        made: SparseBase = a.copy() if copy else a
        return made
    coo = a.tocoo(copy=copy)
    made = type(coo)._made(
        tuple(coo.shape[i] for i in found),
        coords=tuple(coo.coords[i] for i in found),
        data=coo.data,
        has_canonical_format=False,
    )
    return made


def swapaxes(A: SparseBase, axis1: int, axis2: int) -> SparseBase:
    """With two axes exchanged.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.swapaxes(sparse.coo_array((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    n = A.ndim
    for axis in (axis1, axis2):
        if not is_integer(axis) or not -n <= axis < n:
            raise ValueError(f"Invalid axis: {axis} is out of bounds for ndim={n}")
    axes = list(range(n))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return permute_dims(A, axes=tuple(axes), copy=True)


def matrix_transpose(A: SparseBase) -> SparseBase:
    """With the last two axes exchanged, as the array API has it.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.matrix_transpose(sparse.csr_array((2, 3))).shape
    (3, 2)
    """
    found: SparseBase = as_sparse(A).mT
    return found
