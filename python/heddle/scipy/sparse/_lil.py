"""Lists of lists: ``lil_array`` and ``lil_matrix``, to be built element by element.

They are Python's lists, in the host's memory; conversions go back to the device they came from.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, overload

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import Axes, DTypeLike, HostArray
from heddle.scipy.sparse._base import SparseBase, as_sparse, sparray
from heddle.scipy.sparse._hosted import Hosted
from heddle.scipy.sparse._matrix import spmatrix
from heddle.scipy.sparse._support import (
    check_dtype,
    check_shape,
    host_scalar,
    is_scalar,
    is_shape,
    scalar_dtype,
)
from heddle.scipy.sparse._typing import DenseArray, Given, SparseLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CsrBase


def _lists(count: int) -> HostArray:
    made = numpy.empty(count, object)
    for i in range(count):
        made[i] = []
    return made


class LilBase(Hosted, SparseBase):
    """What ``lil_array`` and ``lil_matrix`` have in common."""

    _format = "lil"
    rows: Any
    data: Any
    dtype: Any = None

    def __init__(
        self,
        arg1: Given,
        shape: object = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        *,
        maxprint: int | None = None,
    ) -> None:
        SparseBase.__init__(self, maxprint)
        sparse = as_sparse(arg1)
        if sparse is not None:
            found = sparse.tolil()
            if copy and found is sparse:
                found = sparse.copy()
            if dtype is not None:
                found = found.astype(check_dtype(dtype), copy=False)
            self._take(found)
        elif isinstance(arg1, tuple):
            if not is_shape(arg1, (2,)):
                raise TypeError("unrecognized lil_array constructor usage")
            if shape is not None:
                raise ValueError("invalid use of shape parameter")
            self._shape = check_shape((arg1,))
            self.dtype = check_dtype(dtype, default=float)
            self.rows, self.data = _lists(self._shape[0]), _lists(self._shape[0])
        else:
            a = self._read_dense(arg1, lambda: TypeError("unsupported matrix type"))
            self._take(self._container("csr")(a, dtype=dtype).tolil())

    def _take(self, other: Any) -> None:
        self.rows, self.data, self.dtype = other.rows, other.data, other.dtype
        self._shape, self._device = check_shape((other.shape,)), other._device

    def _getnnz(self, axis: object = None) -> Any:
        if axis is None:
            return sum(len(values) for values in self.data)
        return self.tocsr()._getnnz(axis)

    # --- conversions ---

    def tolil(self, copy: bool = False) -> LilBase:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def copy(self) -> Self:
        """A copy that shares nothing."""
        made = type(self)(self.shape, dtype=self.dtype)
        for i, (columns, values) in enumerate(zip(self.rows, self.data, strict=True)):
            made.rows[i], made.data[i] = list(columns), list(values)
        made._device = self._device
        return made

    def tocsr(self, copy: bool = False) -> CsrBase:
        """In compressed rows."""
        m, n = self.shape
        lengths = [len(columns) for columns in self.rows]
        nnz = sum(lengths)
        kind = self._index_dtype(maxval=max(m, n, nnz))
        indptr = numpy.zeros(m + 1, kind)
        numpy.cumsum(lengths, out=indptr[1:])
        indices = numpy.fromiter((j for columns in self.rows for j in columns), kind, nnz)
        data = numpy.empty(nnz, self.dtype)
        data[:] = [v for values in self.data for v in values]
        made = self._container("csr")
        return made._made(
            self.shape,
            indptr=np.asarray(indptr, device=self._device),
            indices=np.asarray(indices, device=self._device),
            data=np.asarray(data, device=self._device),
        )

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseBase:
        """With its axes exchanged."""
        return self.tocsr(copy=copy).transpose(axes=axes, copy=False).tolil(copy=False)

    def resize(self, *shape: object) -> None:
        """Changes the shape in place; elements beyond it are dropped."""
        new = check_shape(shape)
        (m, n), (old, _) = new, self.shape
        rows, data = _lists(m), _lists(m)
        for i in range(min(m, old)):
            end = bisect_left(self.rows[i], n)
            rows[i], data[i] = self.rows[i][:end], self.data[i][:end]
        self.rows, self.data, self._shape = rows, data, new

    def reshape(self, *args: object, **kwargs: object) -> SparseBase:
        """With another shape of the same size."""
        shape = check_shape(args, self.shape)
        made = super().reshape(shape, **kwargs)
        return made.asformat("lil")

    def getrowview(self, i: int) -> Self:
        """A row that shares its lists with this matrix."""
        made = type(self)((1, self.shape[1]), dtype=self.dtype)
        made.rows[0], made.data[0] = self.rows[i], self.data[i]
        return made

    # --- elements ---

    def _get_one(self, key: tuple[int, ...]) -> Any:
        i, j = key
        columns = self.rows[i]
        place = bisect_left(columns, j)
        found = place < len(columns) and columns[place] == j
        return self.dtype.type(self.data[i][place] if found else 0)

    def _set_one(self, key: tuple[int, ...], value: object) -> None:
        i, j = key
        columns, values = self.rows[i], self.data[i]
        place = bisect_left(columns, j)
        there = place < len(columns) and columns[place] == j
        if value == 0:
            if there:
                del columns[place], values[place]
        elif there:
            values[place] = value
        else:
            columns.insert(place, j)
            values.insert(place, value)

    def _replace(self, other: Given) -> None:
        made = type(self)(other, dtype=self.dtype)
        self.rows, self.data = made.rows, made.data

    # --- arithmetic ---

    def _mul_scalar(self, other: object) -> Any:
        other = host_scalar(other)
        made = type(self)(self.shape, dtype=scalar_dtype(self.dtype, other))
        made._device = self._device
        if other != 0:
            for i, (columns, values) in enumerate(zip(self.rows, self.data, strict=True)):
                made.rows[i], made.data[i] = list(columns), [v * other for v in values]
        return made

    @overload
    def __truediv__(self, other: SparseLike) -> ndarray: ...
    @overload
    def __truediv__(self, other: DenseArray | Sequence[object] | complex) -> SparseBase: ...
    def __truediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return self.tocsr() / other
        other = host_scalar(other)
        made = self.copy()
        made.dtype = numpy.result_type(self.dtype, (numpy.ones(1, self.dtype) / other).dtype)
        for i, values in enumerate(made.data):
            made.data[i] = [v / other for v in values]
        return made

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        self[:, :] = self + other
        return self

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        self[:, :] = self - other
        return self

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        if not is_scalar(other):
            return NotImplemented
        self[:, :] = self * other
        return self

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        if not is_scalar(other):
            return NotImplemented
        self[:, :] = self / other
        return self


def lil_of_csr(rows: CsrBase) -> LilBase:
    """Lists of canonical compressed rows."""
    made = rows._container("lil")(rows.shape, dtype=rows.dtype)
    ends = rows.indptr.tolist()
    indices, data = rows.indices.tolist(), rows.data._snapshot().tolist()
    for i in range(rows.shape[0]):
        made.rows[i] = indices[ends[i] : ends[i + 1]]
        made.data[i] = data[ends[i] : ends[i + 1]]
    made._device = rows.device
    return made


class lil_array(sparray, LilBase):
    """A sparse array of lists of lists, to be built element by element.

    ``lil_array(dense)``, ``lil_array(sparse)`` or ``lil_array(shape)``.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> a = sparse.lil_array((2, 3))
    >>> a[0, 1] = 5
    >>> a.tocsr().toarray()
    array([[0., 5., 0.],
           [0., 0., 0.]])
    """


class lil_matrix(spmatrix, LilBase):  # type: ignore[misc]
    """A sparse matrix of lists of lists; `lil_array` with ``*`` for the matrix product.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> a = sparse.lil_matrix((2, 2), dtype=int)
    >>> a[0] = [1, 2]
    >>> a.rows[0], a.nnz
    ([0, 1], 2)
    """
