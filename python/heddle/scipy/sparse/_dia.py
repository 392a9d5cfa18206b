"""Diagonals: ``dia_array`` and ``dia_matrix``.

Row `d` of the data holds the diagonal ``offsets[d]``: ``data[d, j]`` is the element in column `j`,
and row ``j - offsets[d]``.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle import simt
from heddle._core import ndarray
from heddle._typing import Axes, Axis, DTypeLike, KernelArray, ShapeLike
from heddle.scipy.sparse import _kernels
from heddle.scipy.sparse._base import SparseBase, as_sparse, sparray
from heddle.scipy.sparse._matrix import spmatrix
from heddle.scipy.sparse._operators import DataOperators, Operators
from heddle.scipy.sparse._support import (
    SparseEfficiencyWarning,
    check_dtype,
    check_shape,
    device_of,
    given_array,
    is_scalar,
    is_shape,
    sum_dtype,
    upcast,
)
from heddle.scipy.sparse._typing import Given

if TYPE_CHECKING:
    from heddle.scipy.sparse._coo import CooBase
    from heddle.scipy.sparse._csr_csc import CsrBase


@simt.kernel
def _times(data: KernelArray, offsets: KernelArray, x: KernelArray, y: KernelArray) -> None:
    i, c = simt.grid(2)
    if i < y.shape[0] and c < y.shape[1]:
        total = y[i, c]
        for d in range(offsets.shape[0]):
            j = i + offsets[d]
            if j >= 0 and j < data.shape[1] and j < x.shape[0]:
                total += data[d, j] * x[j, c]
        y[i, c] = total


_BLOCK = 1024  # rows of a turn


@np.njit
def _times_vector(
    data: KernelArray, offsets: KernelArray, x: KernelArray, y: KernelArray, blocks: int
) -> None:
    """The same by loops of the host, diagonal after diagonal, as their elements lie in memory."""
    for block in np.prange(blocks):
        begin = block * _BLOCK
        end = min(begin + _BLOCK, y.size)
        for d in range(offsets.size):
            offset = offsets[d]
            first = max(begin, -offset)
            last = min(end, min(data.shape[1], x.size) - offset)
            if first < last:
                made = y[first:last]
                given = x[first + offset : last + offset]
                factors = data[d, first + offset : last + offset]
                for i in range(made.size):
                    made[i] += factors[i] * given[i]


def _product(data: ndarray, offsets: ndarray, x: ndarray, rows: int) -> ndarray:
    """Diagonals times a matrix of the same type."""
    y = np.zeros((rows, x.shape[1]), data.dtype, device=data.device)
    if x.shape[1] == 1 and all(each._at_once for each in (data, offsets, x)):
        _times_vector(data, offsets, x[:, 0], y[:, 0], -(-rows // _BLOCK))
    elif y.size and data.size:
        kernel = _times
        wide = 32 if x.shape[1] >= 8 else x.shape[1]
        high = 1 if wide == 32 else 64 // wide
        grid = ((rows + high - 1) // high, (x.shape[1] + wide - 1) // wide)
        kernel[grid, (high, wide)](data, offsets, x, y)
    return y


class DiaBase(DataOperators, SparseBase):
    """What ``dia_array`` and ``dia_matrix`` have in common."""

    _format = "dia"
    data: ndarray
    offsets: ndarray

    def __init__(
        self,
        arg1: Given,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        *,
        maxprint: int | None = None,
    ) -> None:
        SparseBase.__init__(self, maxprint)
        sparse = as_sparse(arg1)
        if sparse is not None:
            found = sparse.todia()
            if copy and found is sparse:
                found = sparse.copy()
            self.data, self.offsets = found.data, found.offsets
            self._shape = check_shape((found.shape,))
        elif (
            isinstance(arg1, tuple)
            and is_shape(arg1, (2,))
            and all(not hasattr(n, "ndim") or n.ndim == 0 for n in arg1)
        ):
            self._shape = check_shape((arg1,))
            self.data = np.zeros((0, 0), check_dtype(dtype, default=float))
            self.offsets = np.zeros(0, self._index_dtype(maxval=max(self._shape)))
        elif isinstance(arg1, tuple):
            self._from_parts(arg1, shape, dtype, copy)
        else:
            text = f"unrecognized form for {self.format}_matrix constructor"
            a = self._read_dense(arg1, lambda: ValueError(text))
            found = self._container("coo")(a, dtype=dtype, shape=shape).todia()
            self.data, self.offsets, self._shape = found.data, found.offsets, found.shape
        if dtype is not None:
            self.data = self.data.astype(check_dtype(dtype), copy=False)
        self._check()

    def _from_parts(self, parts: Any, shape: Any, dtype: Any, copy: bool) -> None:
        try:
            data, offsets = parts
        except Exception as error:
            raise ValueError("unrecognized form for dia_array constructor") from error
        if shape is None:
            raise ValueError("expected a shape argument")
        device = device_of(data, offsets)
        dtype = None if dtype is None else check_dtype(dtype)
        self.data = np.atleast_2d(given_array(data, dtype, device, copy))
        kind = self._index_dtype(maxval=max(shape))
        self.offsets = np.atleast_1d(given_array(offsets, kind, device, copy))
        self._shape = check_shape((shape,))
        check_dtype(self.data.dtype)

    def _check(self) -> None:
        if self.offsets.ndim != 1:
            raise ValueError("offsets array must have rank 1")
        if self.data.ndim != 2:
            raise ValueError("data array must have rank 2")
        count = self.offsets.shape[0]
        if self.data.shape[0] != count:
            raise ValueError(
                f"number of diagonals ({self.data.shape[0]}) does not match the number "
                f"of offsets ({count})"
            )
        if len(set(self.offsets.tolist())) != count:
            raise ValueError("offset array contains duplicate values")

    def _more_in_repr(self) -> str:
        return f" ({self.data.shape[0]} diagonals)"

    def _rows_of(self, columns: ndarray) -> ndarray:
        """The row of each element of the data."""
        return columns - self.offsets[:, None]

    def _columns(self) -> ndarray:
        return np.arange(self.data.shape[1], dtype=self.offsets.dtype, device=self.device)

    def _inside(self) -> ndarray:
        """Which elements of the data are elements of the matrix."""
        columns = self._columns()
        rows = self._rows_of(columns)
        return (rows >= 0) & (rows < self.shape[0]) & (columns < self.shape[1])

    def _getnnz(self, axis: Axis | None = None) -> Any:
        if axis is not None:
            raise NotImplementedError("_getnnz over an axis is not implemented for DIA format")
        m, n = self.shape
        length = min(self.data.shape[1], n)
        return sum(
            max(min(m + offset, length) - max(offset, 0), 0) for offset in self.offsets.tolist()
        )

    def count_nonzero(self, axis: Axis | None = None) -> ndarray:
        """How many elements are not zero."""
        if axis is not None:
            raise NotImplementedError(
                "count_nonzero over an axis is not implemented for DIA format"
            )
        return np.count_nonzero(self._inside() & (self.data != 0))

    def _with_data(self, data: ndarray, copy: bool = True) -> Any:
        offsets = self.offsets.copy() if copy else self.offsets
        return type(self)._made(self.shape, data=data, offsets=offsets)

    def _like(
        self, data: ndarray, offsets: ndarray, shape: tuple[int, ...] | None = None
    ) -> DiaBase:
        return type(self)._made(shape or self.shape, data=data, offsets=offsets)

    # --- conversions ---

    def todia(self, copy: bool = False) -> DiaBase:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def tocoo(self, copy: bool = False) -> CooBase:
        """In coordinate format; zeros are left out."""
        d, j = (self._inside() & (self.data != 0)).nonzero()
        kind = self._index_dtype((self.offsets,), maxval=max(self.shape))
        coords = ((j - self.offsets[d]).astype(kind), j.astype(kind))
        made = self._container("coo")._made(
            self.shape, coords=coords, data=self.data[d, j], has_canonical_format=False
        )
        made.sum_duplicates()
        return made

    def tocsr(self, copy: bool = False) -> CsrBase:
        """In compressed rows; zeros are left out."""
        if not (self.data._on_host and self.offsets._on_host):
            return self.tocoo().tocsr()
        kind = self._index_dtype((self.offsets,), maxval=max(self.data.size, *self.shape))
        indptr, indices, data = _kernels.rows_of_diagonals(
            self.data, self.offsets, self.shape, numpy.dtype(kind)
        )
        return self._container("csr")._made(
            self.shape, indptr=indptr, indices=indices, data=data, _sorted=True, _canonical=True
        )

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseBase:
        """With its axes exchanged."""
        self._check_axes(axes)
        m, n = self.shape
        columns = np.arange(m, dtype=numpy.int64, device=self.device)
        at = columns + self.offsets[:, None].astype(numpy.int64)
        length = self.data.shape[1]
        inside = (at >= 0) & (at < min(length, n))
        if not self.data.size:
            data = np.zeros((self.data.shape[0], m), self.dtype, device=self.device)
        else:
            steps = np.arange(self.data.shape[0], device=self.device)[:, None]
            found = self.data[steps, np.where(inside, at, 0)]
            data = np.where(inside, found, self.dtype.type(0))
        return self._like(data, -self.offsets, (n, m))

    def diagonal(self, k: int = 0) -> ndarray:
        """The elements ``a[i, i + k]``."""
        m, n = self.shape
        if k <= -m or k >= n:
            return np.zeros(0, self.dtype, device=self.device)
        first, last = max(0, k), min(m + k, n)
        result = np.zeros(last - first, self.dtype, device=self.device)
        offsets = self.offsets.tolist()
        if k in offsets:
            part = self.data[offsets.index(k), first:last]
            result[: part.shape[0]] = part
        return result

    def _setdiag(self, values: ndarray, k: int) -> None:
        m, n = self.shape
        length = min(m + min(k, 0), n - max(k, 0))
        if values.ndim:
            length = min(length, values.shape[0])
            values = values[:length]
        first = max(k, 0)
        offsets = self.offsets.tolist()
        rows, columns = self.data.shape
        new = 0 if k in offsets else 1
        data = np.zeros((rows + new, max(first + length, columns)), self.dtype, device=self.device)
        data[:rows, :columns] = self.data
        data[-1 if new else offsets.index(k), first : first + length] = values.astype(self.dtype)
        self.data = data
        if new:
            more = np.full(1, k, self.offsets.dtype, device=self.device)
            self.offsets = np.concatenate([self.offsets, more])

    def resize(self, *shape: object) -> None:
        """Changes the shape in place; elements beyond it are dropped."""
        new = check_shape(shape)
        rows = self._rows_of(self._columns())
        zero = self.dtype.type(0)
        self.data = np.where(rows < self.shape[0], self.data, zero)[:, : new[1]]
        self._shape = new

    # --- arithmetic ---

    def _all_data(self) -> ndarray:
        return np.where(self._inside(), self.data, self.dtype.type(0))

    def _sum_along(self, axes: tuple[int, ...], dtype: DTypeLike | None) -> ndarray:
        wanted = numpy.dtype(dtype or sum_dtype(self.dtype))
        if axes == (0,):
            sums = np.zeros(self.shape[1], wanted, device=self.device)
            found = self._all_data()[:, : self.shape[1]].sum(axis=0, dtype=wanted)
            sums[: found.shape[0]] = found
        else:
            ones = np.ones((self.shape[1], 1), wanted, device=self.device)
            sums = _product(self.data.astype(wanted), self.offsets, ones, self.shape[0])[:, 0]
        return self._keep_axis(sums, axes)

    def _together(self, other: DiaBase, minus: bool) -> DiaBase:
        dtype = upcast(self.dtype, other.dtype)
        mine, theirs = self.offsets.tolist(), other.offsets.tolist()
        offsets = mine if mine == theirs else sorted({*mine, *theirs})
        length = max(self.data.shape[1], other.data.shape[1])
        data = np.zeros((len(offsets), length), dtype, device=self.device)
        for row, d in enumerate(mine):
            data[offsets.index(d), : self.data.shape[1]] = self.data[row].astype(dtype)
        for row, d in enumerate(theirs):
            part = data[offsets.index(d), : other.data.shape[1]]
            values = other.data[row].astype(dtype)
            part[...] = part - values if minus else part + values
        kind = self.offsets.dtype
        return self._like(data, np.asarray(offsets, dtype=kind, device=self.device))

    def _add_sparse(self, other: Any) -> Any:
        if other.format == "dia":
            return self._together(other, False)
        return other._add_sparse(self)

    def _sub_sparse(self, other: Any) -> Any:
        if other.format == "dia" and not self.dtype.kind == other.dtype.kind == "b":
            return self._together(other, True)
        return super()._sub_sparse(other)

    def _multiplied(self, other: Any) -> Any:
        if other is None:
            return NotImplemented
        if is_scalar(other):
            return self._mul_scalar(other)
        if isinstance(other, Operators):
            if other.format == "dia" and other.shape == self.shape:
                return self._times_dia(other)
            return super()._multiplied(other)
        if other.ndim > 2:
            return self.toarray() * other
        if 0 in self.shape or 1 in self.shape or 0 in other.shape:
            return super()._multiplied(other)
        return self._times_dense(np.atleast_2d(other))

    def _times_dia(self, other: Any) -> DiaBase:
        mine, theirs = self.offsets.tolist(), other.offsets.tolist()
        offsets = sorted(set(mine) & set(theirs))
        length = min(self.data.shape[1], other.data.shape[1])
        dtype = upcast(self.dtype, other.dtype)
        data = np.zeros((len(offsets), length), dtype, device=self.device)
        for row, d in enumerate(offsets):
            one, two = self.data[mine.index(d)], other.data[theirs.index(d)]
            data[row] = one[:length] * two[:length]
        return self._like(data, np.asarray(offsets, dtype=self.offsets.dtype, device=self.device))

    def _times_dense(self, other: ndarray) -> Any:
        m, n = self.shape
        if other.shape[0] not in (1, m) or other.shape[1] not in (1, n):
            raise ValueError("inconsistent shapes")
        length = min(self.data.shape[1], n)
        columns = self._columns()[:length]
        rows = np.clip(self._rows_of(columns), 0, m - 1)
        i = rows if other.shape[0] == m else np.zeros_like(rows)
        j = columns if other.shape[1] == n else np.zeros_like(columns)
        return self._with_data(self.data[:, :length] * other[i, j])

    def _matmul_dense(self, other: ndarray) -> ndarray:
        dtype = upcast(self.dtype, other.dtype)
        inner = numpy.dtype(numpy.int32) if dtype.kind == "b" else dtype
        x = other.astype(inner, copy=False)
        x = x[:, None] if x.ndim == 1 else x
        y = _product(self.data.astype(inner, copy=False), self.offsets, x, self.shape[0])
        y = y != 0 if dtype.kind == "b" else y
        return y[:, 0] if other.ndim == 1 else y

    def _matmul_sparse(self, other: Any) -> Any:
        if other.format != "dia":
            return super()._matmul_sparse(other)
        rows, inner, columns = self.shape[0], self.shape[1], other.shape[1]
        dtype = upcast(self.dtype, other.dtype)
        if 0 in self.shape or 0 in other.shape:
            return type(self)((rows, columns), dtype=dtype)
        mine, theirs = self.offsets.tolist(), other.offsets.tolist()
        # Column j meets row j - b of the inner axis, which is the column of this matrix; its row is
        # j - b - a.
        width = min(columns, other.data.shape[1])
        pairs = []
        for q, b in enumerate(theirs):
            for p, a in enumerate(mine):
                first = max(0, b, a + b)
                last = min(width, inner + b, self.data.shape[1] + b, rows + a + b)
                if first < last:
                    pairs.append((a + b, p, q, b, first, last))
        offsets = sorted({pair[0] for pair in pairs})
        data = np.zeros((len(offsets), columns), dtype, device=self.device)
        for offset, p, q, b, first, last in pairs:
            left = self.data[p, first - b : last - b].astype(dtype)
            part = data[offsets.index(offset), first:last]
            part[...] = part + left * other.data[q, first:last].astype(dtype)
        kind = self._index_dtype(maxval=max(rows, columns))
        made = np.asarray(offsets, dtype=kind, device=self.device)
        return self._like(data, made, (rows, columns))


def dia_of_coo(coo: CooBase) -> DiaBase:
    """Diagonals of canonical coordinates."""
    made = coo._container("dia")
    distances = coo.col - coo.row
    offsets, places = np.unique(distances, return_inverse=True)
    if offsets.shape[0] > 100:
        warnings.warn(
            SparseEfficiencyWarning(
                f"Constructing a DIA matrix with {offsets.shape[0]} diagonals is inefficient"
            ),
            stacklevel=4,
        )
    if not coo.data.shape[0]:
        data = np.zeros((0, 0), coo.dtype, device=coo.device)
    else:
        data = np.zeros((offsets.shape[0], int(coo.col.max()) + 1), coo.dtype, device=coo.device)
        data[places.ravel(), coo.col] = coo.data
    return made._made(coo.shape, data=data, offsets=offsets.astype(coo.col.dtype))


class dia_array(sparray, DiaBase):
    """A sparse array of diagonals.

    ``dia_array(dense)``, ``dia_array(sparse)``, ``dia_array(shape)`` or
    ``dia_array((data, offsets), shape=(m, n))``, where ``data[d, j]`` is the element of column `j`
    on the diagonal ``offsets[d]``.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.dia_array(([[1, 2, 3], [4, 5, 6]], [0, 1]), shape=(3, 3)).toarray()
    array([[1, 5, 0],
           [0, 2, 6],
           [0, 0, 3]])
    """


class dia_matrix(spmatrix, DiaBase):  # type: ignore[misc]
    """A sparse matrix of diagonals; `dia_array` with ``*`` for the matrix product.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import sparse
    >>> sparse.dia_matrix(([[1, 2, 3]], [0]), shape=(3, 3)) * np.ones(3)
    array([1., 2., 3.])
    """
