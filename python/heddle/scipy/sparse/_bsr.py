"""Compressed rows of blocks: ``bsr_array`` and ``bsr_matrix``.

What is computed with other operands is computed with compressed rows; results with other sparse
operands are blocks again.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import Axes, Axis, DTypeLike
from heddle.scipy.sparse import _kernels
from heddle.scipy.sparse._base import SparseBase, as_sparse, sparray
from heddle.scipy.sparse._matrix import spmatrix
from heddle.scipy.sparse._operators import Operators
from heddle.scipy.sparse._passes import Rows
from heddle.scipy.sparse._reductions import Extrema
from heddle.scipy.sparse._support import (
    check_dtype,
    check_pointers,
    check_shape,
    device_of,
    extremes,
    given_array,
    is_scalar,
    is_shape,
)
from heddle.scipy.sparse._typing import Given, MatrixLike, SparseLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._coo import CooBase
    from heddle.scipy.sparse._csr_csc import CsrBase


class BsrBase(Extrema, SparseBase):
    """What ``bsr_array`` and ``bsr_matrix`` have in common."""

    _format = "bsr"
    data: ndarray
    indices: ndarray
    indptr: ndarray

    def __init__(
        self,
        arg1: Given,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        blocksize: tuple[int, int] | None = None,
        *,
        maxprint: int | None = None,
    ) -> None:
        SparseBase.__init__(self, maxprint)
        sparse = as_sparse(arg1)
        if sparse is not None:
            found = sparse.tobsr(blocksize=blocksize)
            self._take(found.copy() if copy and found is sparse else found)
        elif isinstance(arg1, tuple) and is_shape(arg1, (2,)):
            self._empty(arg1, dtype, blocksize)
        elif isinstance(arg1, tuple) and len(arg1) == 2:
            coo = self._container("coo")(arg1, dtype=dtype, shape=shape)
            self._take(coo.tobsr(blocksize=blocksize))
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            self._from_parts(arg1, shape, dtype, copy, blocksize)
        elif isinstance(arg1, tuple):
            raise ValueError("unrecognized bsr_array constructor usage")
        else:
            text = f"unrecognized form for {self.format}_matrix constructor"
            a = self._read_dense(arg1, lambda: ValueError(text))
            self._take(self._container("coo")(a, dtype=dtype).tobsr(blocksize=blocksize))
        if shape is not None:
            self._shape = check_shape((shape,))
        if dtype is not None:
            self.data = self.data.astype(check_dtype(dtype), copy=False)
        self.check_format(full_check=False)

    def _empty(self, shape: Sequence[int], dtype: Any, blocksize: tuple[int, int] | None) -> None:
        self._shape = check_shape((shape,))
        m, n = self._shape
        r, c = (1, 1) if blocksize is None else _check_blocksize(blocksize)
        if m % r or n % c:
            raise ValueError("shape must be multiple of blocksize")
        kind = self._index_dtype(maxval=max(m // r, n // c, r, c))
        self.data = np.zeros((0, r, c), check_dtype(dtype, default=float))
        self.indices, self.indptr = np.zeros(0, kind), np.zeros(m // r + 1, kind)

    def _from_parts(
        self,
        parts: Any,
        shape: Sequence[int] | None,
        dtype: Any,
        copy: bool,
        blocksize: tuple[int, int] | None,
    ) -> None:
        data, indices, indptr = parts
        device = device_of(data, indices, indptr)
        indices, indptr = given_array(indices, None, device), given_array(indptr, None, device)
        size = () if blocksize is None else _check_blocksize(blocksize)
        largest = max([1, *(shape or ()), *size])
        kind = self._index_dtype((indices, indptr), maxval=largest, check_contents=True)
        _check_kinds(indices, indptr)
        self.indices = indices.astype(kind, copy=copy and indices is parts[1])
        self.indptr = indptr.astype(kind, copy=copy and indptr is parts[2])
        self.data = given_array(data, None if dtype is None else check_dtype(dtype), device, copy)
        check_dtype(self.data.dtype)
        if self.data.ndim != 3:
            raise ValueError(f"BSR data must be 3-dimensional, got shape={self.data.shape}")
        if blocksize is not None and _check_blocksize(blocksize) != self.blocksize:
            raise ValueError(f"mismatching blocksize={blocksize} vs {self.blocksize}")
        if shape is None:
            try:
                m, n = self.indptr.shape[0] - 1, int(self.indices.max()) + 1
            except Exception as error:
                raise ValueError("unable to infer matrix dimensions") from error
            r, c = self.blocksize
            self._shape = check_shape(((m * r, n * c),))

    def _take(self, other: Any) -> None:
        self.indptr, self.indices, self.data = other.indptr, other.indices, other.data
        self._shape = other.shape

    def _like(self, parts: Rows, shape: tuple[int, ...] | None = None) -> BsrBase:
        indptr, indices, data = parts
        return type(self)._made(shape or self._shape, indptr=indptr, indices=indices, data=data)

    def _with_data(self, data: ndarray, copy: bool = True) -> Any:
        indices, indptr = self.indices, self.indptr
        if copy:
            indices, indptr = indices.copy(), indptr.copy()
        return self._like((indptr, indices, data))

    @property
    def blocksize(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        return self.data.shape[1:]  # type: ignore[return-value]

    def _more_in_repr(self) -> str:
        return f" (blocksize={'x'.join(map(str, self.blocksize))})"

    def check_format(self, full_check: bool = True) -> None:
        """Raises ValueError where the arrays are no blocks; `full_check` reads them all."""
        _check_kinds(self.indices, self.indptr)
        if self.indices.ndim != 1 or self.indptr.ndim != 1:
            raise ValueError("indices, and indptr should be 1-D")
        if self.data.ndim != 3:
            raise ValueError("data should be 3-D")
        (m, n), (r, c) = self.shape, self.blocksize
        count = m // r + 1
        if self.indptr.shape[0] != count:
            raise ValueError(f"index pointer size ({self.indptr.shape[0]}) should be ({count})")
        first, last = int(self.indptr[0]), int(self.indptr[-1])
        check_pointers(first, last, self.indices, self.data)
        if last < self.indices.shape[0]:
            self.prune()
        if full_check and last > 0:
            low, high = extremes(self.indices)
            if high >= n // c:
                raise ValueError(f"column index values must be < {n // c} (now max {high})")
            if low < 0:
                raise ValueError("column index values must be >= 0")
            if int((self.indptr[1:] - self.indptr[:-1]).min()) < 0:
                raise ValueError("index pointer values must form a non-decreasing sequence")

    def prune(self) -> None:
        """Drops what is stored behind the last block."""
        if self.indptr.shape[0] != self.shape[0] // self.blocksize[0] + 1:
            raise ValueError("index pointer has invalid length")
        count = int(self.indptr[-1])
        if self.indices.shape[0] < count:
            raise ValueError("indices array has too few elements")
        if self.data.shape[0] < count:
            raise ValueError("data array has too few elements")
        self.indices, self.data = self.indices[:count], self.data[:count]

    def _getnnz(self, axis: Axis | None = None) -> int:
        if axis is not None:
            raise NotImplementedError("_getnnz over an axis is not implemented for BSR format")
        r, c = self.blocksize
        return int(self.indptr[-1]) * r * c

    def count_nonzero(self, axis: Axis | None = None) -> ndarray:
        """How many elements are not zero."""
        if axis is not None:
            raise NotImplementedError("count_nonzero over axis is not implemented for BSR format.")
        return np.count_nonzero(self._deduped_data())

    # --- order and duplicates ---

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each row of blocks are sorted, or somebody said so."""
        said: bool | None = self.__dict__.get("_sorted")
        return _kernels.order(self.indptr, self.indices) > 0 if said is None else said

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._sorted: bool | None = bool(value)

    @property
    def has_canonical_format(self) -> bool:
        """Whether the indices of each row of blocks are sorted, and none is there twice; or
        somebody said so."""
        said: bool | None = self.__dict__.get("_canonical")
        return _kernels.order(self.indptr, self.indices) == 2 if said is None else said

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._canonical: bool | None = bool(value)
        if value:
            self.has_sorted_indices = True

    def sort_indices(self) -> None:
        """Sorts the blocks of each row, in place."""
        if self.has_sorted_indices:
            return
        order = np.arange(self.indices.shape[0], device=self.device)
        columns = self.shape[1] // self.blocksize[1]
        parts = _kernels.sorted_rows(self.indptr, self.indices, order, columns)
        self.indptr, self.indices, order = parts
        self.data = self.data[order]
        self._sorted = None  # whatever was said before

    def sorted_indices(self) -> Self:
        """A copy with sorted indices."""
        made = self.copy()
        made.sort_indices()
        return made

    def sum_duplicates(self) -> None:
        """Sorts the blocks of each row, and adds blocks of one place together, in place."""
        if self.has_canonical_format:
            return
        self.sort_indices()
        first = _kernels.first_of_each(self.indptr, self.indices)
        starts = np.flatnonzero(first)
        self.data = np.add.reduceat(self.data, starts, axis=0, dtype=self.dtype)
        self.indptr, self.indices = _kernels.shifted(self.indptr, first), self.indices[starts]
        self._canonical = None  # whatever was said before

    def eliminate_zeros(self) -> None:
        """Drops blocks of zeros, in place."""
        if not self.nnz:
            return
        kept = (self.data != 0).any(axis=(1, 2))
        places = np.flatnonzero(kept)
        if places.shape[0] < self.indices.shape[0]:
            self.indptr = _kernels.shifted(self.indptr, kept)
            self.indices, self.data = self.indices[places], self.data[places]

    # --- conversions ---

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> BsrBase:
        """Itself, or in blocks of another size."""
        if blocksize is not None and tuple(blocksize) != self.blocksize:
            return self.tocsr().tobsr(blocksize=blocksize)
        return self.copy() if copy else self

    def tocoo(self, copy: bool = True) -> CooBase:
        """In coordinate format."""
        r, c = self.blocksize
        kind = self._index_dtype(maxval=max(self.shape))
        shape = self.data.shape
        first = _kernels.expanded(self.indptr, shape[0]).astype(kind) * r
        rows = first[:, None, None] + np.arange(r, dtype=kind, device=self.device)[:, None]
        columns = (self.indices.astype(kind) * c)[:, None, None] + np.arange(
            c, dtype=kind, device=self.device
        )
        coords = tuple(np.broadcast_to(x, shape).reshape(-1) for x in (rows, columns))
        data = self.data.reshape(-1)
        made = self._container("coo")
        return made._made(
            self.shape,
            coords=coords,
            data=data.copy() if copy else data,
            has_canonical_format=False,
        )

    def tocsr(self, copy: bool = False) -> CsrBase:
        """In compressed rows, duplicates kept."""
        coo = self.tocoo(copy=False)
        coo.has_canonical_format = True  # so that nothing is summed or dropped
        return coo.tocsr()

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseBase:
        """With its axes exchanged."""
        self._check_axes(axes)
        order = np.arange(self.indices.shape[0], device=self.device)
        columns = self.shape[1] // self.blocksize[1]
        indptr, indices, order = _kernels.transposed(self.indptr, self.indices, order, columns)
        data = np.ascontiguousarray(self.data[order].transpose(0, 2, 1))
        return self._like((indptr, indices, data), self.shape[::-1])

    # --- arithmetic ---

    def _parts_for_product(self) -> tuple[ndarray, ndarray, ndarray]:
        return self.indptr, self.indices, self.data

    def _all_data(self) -> ndarray:
        return self.data

    def _blocks(self, result: Any) -> BsrBase:
        return type(self)(result.tobsr(blocksize=self.blocksize))

    def _add_sparse(self, other: Any) -> Any:
        return self._blocks(self.tocsr()._merged(other._rows(), np.add))

    def _sub_sparse(self, other: Any) -> Any:
        return self._blocks(self.tocsr()._merged(other._rows(), np.subtract))

    def multiply(self, other: MatrixLike | SparseLike) -> SparseBase:
        """The product of elements, with broadcasting."""
        result: SparseBase = super().multiply(other)
        same = isinstance(other, Operators) and other.shape == self.shape
        return self._blocks(result) if same and not is_scalar(other) else result

    def _matmul_sparse(self, other: Any) -> Any:
        result = self.tocsr()._matmul_sparse(other)
        columns = other.blocksize[1] if other.format == "bsr" else 1
        if result.ndim != 2:
            return result
        return type(self)(result.tobsr(blocksize=(self.blocksize[0], columns)))

    def _setdiag(self, values: ndarray, k: int) -> None:
        rows = self.tocsr()
        rows._setdiag(values, k)
        self._take(rows.tobsr(blocksize=self.blocksize))

    def resize(self, *shape: object) -> None:
        """Changes the shape in place, to whole blocks; elements beyond it are dropped."""
        new = check_shape(shape)
        if new[0] % self.blocksize[0] or new[1] % self.blocksize[1]:
            raise ValueError(f"shape must be divisible into {self.blocksize} blocks. Got {new}")
        rows = self.tocsr()
        rows.resize(new)
        self._take(rows.tobsr(blocksize=self.blocksize))

    def __getitem__(self, key: object) -> NoReturn:
        raise NotImplementedError

    def __setitem__(self, key: object, value: object) -> None:
        raise NotImplementedError


def _check_blocksize(blocksize: object) -> tuple[int, int]:
    if not isinstance(blocksize, (tuple, list)) or not is_shape(blocksize, (2,)):
        raise ValueError(f"invalid blocksize={blocksize}")
    r, c = blocksize
    return int(r), int(c)


def _check_kinds(indices: ndarray, indptr: ndarray) -> None:
    for name, a in (("indptr", indptr), ("indices", indices)):
        if a.dtype.kind != "i":
            text = f"{name} array has non-integer dtype ({a.dtype.name})"
            warnings.warn(text, stacklevel=4)


def _block_keys(rows: Any, size: tuple[int, int]) -> ndarray:
    """For each element the number of its block, in the order of blocks."""
    r, c = size
    across = max(-(-rows.shape[1] // c), 1)
    block_row = rows._major_indices().astype(numpy.int64) // r
    return block_row * across + rows.indices // c  # type: ignore[no-any-return]


def _count_blocks(rows: object, size: tuple[int, int]) -> int:
    return int(np.unique(_block_keys(rows, size)).shape[0])


def estimate_blocksize(rows: CsrBase, efficiency: float = 0.7) -> tuple[int, int]:
    """A size of blocks that elements fill well."""
    nnz = rows.nnz
    if nnz == 0:
        return (1, 1)
    if not 0 < efficiency < 1:
        raise ValueError("efficiency must satisfy 0.0 < efficiency < 1.0")
    m, n = rows.shape

    def filled(k: int) -> float:
        if m % k or n % k:
            return 0.0
        return float(nnz) / (k * k * _count_blocks(rows, (k, k)))

    high = (1 + efficiency) / 2
    two, three = filled(2), filled(3)
    if two > high and three > high:
        return (6, 6) if filled(6) > efficiency else (3, 3)
    if filled(4) > efficiency:
        return (4, 4)
    if three > efficiency:
        return (3, 3)
    return (2, 2) if two > efficiency else (1, 1)


def bsr_of_csr(rows: CsrBase, blocksize: tuple[int, ...] | None, copy: bool) -> BsrBase:
    """Blocks of compressed rows; duplicates are added."""
    size = estimate_blocksize(rows) if blocksize is None else _check_blocksize(blocksize)
    (m, n), (r, c) = rows.shape, size
    if r < 1 or c < 1 or m % r or n % c:
        raise ValueError(f"invalid blocksize {blocksize}")
    made = rows._container("bsr")
    if size == (1, 1):
        parts = tuple(a.copy() for a in rows._parts()) if copy else rows._parts()
        indptr, indices, data = parts
        return made._made((m, n), indptr=indptr, indices=indices, data=data.reshape(-1, 1, 1))
    keys = _block_keys(rows, size)
    found, block = np.unique(keys, return_inverse=True)
    across = max(n // c, 1)
    kind = rows._index_dtype((rows.indptr, rows.indices), maxval=max(n // c, found.shape[0]))
    indptr = _kernels.pointers(found // across, m // r, kind)
    data = np.zeros((found.shape[0], r, c), rows.dtype, device=rows.device)
    if rows.data.shape[0]:
        places = (block.ravel(), rows._major_indices() % r, rows.indices % c)
        if rows.has_canonical_format or rows.dtype == bool:
            data[places] = rows.data
        else:
            np.add.at(data, places, rows.data)
    indices = (found % across).astype(kind)
    return made._made((m, n), indptr=indptr, indices=indices, data=data)


class bsr_array(sparray, BsrBase):
    """A sparse array of compressed rows of dense blocks.

    ``bsr_array(dense, blocksize=(r, c))``, ``bsr_array(sparse)``, ``bsr_array(shape)``,
    ``bsr_array((data, (i, j)), shape=(m, n))`` or ``bsr_array((data, indices, indptr))`` with data
    of three axes: blocks, their rows and columns.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> a = sparse.bsr_array([[1, 2, 0, 0], [3, 4, 0, 0]], blocksize=(2, 2))
    >>> a.indices, a.data.shape
    (array([0], dtype=int32), (1, 2, 2))
    """


class bsr_matrix(spmatrix, BsrBase):  # type: ignore[misc]
    """A sparse matrix of compressed rows of dense blocks; ``*`` is the matrix product.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.bsr_matrix([[1, 2, 0, 0], [3, 4, 0, 0]], blocksize=(2, 2)).toarray()
    array([[1, 2, 0, 0],
           [3, 4, 0, 0]])
    """
