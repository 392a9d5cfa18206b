"""The three arrays of compressed rows, and their order: what indices and products of them rest on.

Compressed columns are the compressed rows of the transposed matrix: what is said of rows here holds
for the major axis, whichever it is.
"""

from __future__ import annotations

from typing import Any, Self, TypeVar

import heddle as np
from heddle._core import ndarray
from heddle.scipy.sparse import _kernels
from heddle.scipy.sparse._passes import Rows
from heddle.scipy.sparse._reductions import Extrema
from heddle.scipy.sparse._support import upcast

_T = TypeVar("_T")
_Rows = TypeVar("_Rows", bound="CompressedRows")


class CompressedRows(Extrema):
    """Arrays of compressed rows."""

    data: ndarray
    indices: ndarray
    indptr: ndarray

    def _swap(self, x: tuple[_T, _T]) -> tuple[_T, _T]:
        """Major before minor, of two that are for rows and columns; and back."""
        return x if self.format != "csc" else x[::-1]

    @property
    def _major(self) -> int:
        return self.indptr.shape[0] - 1

    @property
    def _minor(self) -> int:
        return self._swap(self._shape_as_2d)[1]

    def _parts(self) -> Rows:
        return self.indptr, self.indices, self.data

    def _like(self, parts: Rows, shape: tuple[int, ...] | None = None, **flags: object) -> Self:
        """One of this class, of parts that are known to be right."""
        indptr, indices, data = parts
        found = self._shape if shape is None else shape
        return type(self)._made(found, indptr=indptr, indices=indices, data=data, **flags)

    def _flags(self) -> dict[str, bool]:
        """What is known of the order of indices."""
        return {k: v for k, v in self.__dict__.items() if k in ("_sorted", "_canonical")}

    def _major_indices(self) -> ndarray:
        return _kernels.expanded(self.indptr, self.indices.shape[0])

    def prune(self) -> None:
        """Drops what is stored behind the last element."""
        if self.indptr.shape[0] != self._swap(self._shape_as_2d)[0] + 1:
            raise ValueError("index pointer has invalid length")
        nnz = self.nnz
        if self.indices.shape[0] < nnz:
            raise ValueError("indices array has fewer than nnz elements")
        if self.data.shape[0] < nnz:
            raise ValueError("data array has fewer than nnz elements")
        self.indices, self.data = self.indices[:nnz], self.data[:nnz]

    # --- order and duplicates ---

    def _look_at_order(self) -> None:
        found = _kernels.order(self.indptr, self.indices)
        self._sorted, self._canonical = found >= 1, found == 2

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each row are sorted."""
        if "_sorted" not in self.__dict__:
            self._look_at_order()
        return self._sorted

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._sorted = bool(value)

    @property
    def has_canonical_format(self) -> bool:
        """Whether the indices of each row are sorted, and none is there twice."""
        if not self.__dict__.get("_sorted", True):
            self._canonical = False
        elif "_canonical" not in self.__dict__:
            self._look_at_order()
        return self._canonical

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._canonical = bool(value)
        if value:
            self._sorted = True

    def sort_indices(self) -> None:
        """Sorts the indices of each row, in place."""
        if not self.has_sorted_indices:
            self.indptr, self.indices, self.data = _kernels.sorted_rows(*self._parts(), self._minor)
            self._sorted = True
            self.__dict__.pop("_canonical", None)

    def sorted_indices(self) -> Self:
        """A copy with sorted indices."""
        made = self.copy()
        made.sort_indices()
        return made

    def sum_duplicates(self) -> None:
        """Sorts the indices of each row, and adds elements of one place together, in place."""
        if self.has_canonical_format:
            return
        self.sort_indices()
        self.indptr, self.indices, self.data = _kernels.summed(*self._parts())
        self.has_canonical_format = True

    def eliminate_zeros(self) -> None:
        """Drops stored zeros, in place."""
        self.prune()
        self.indptr, self.indices, self.data = _kernels.selected(*self._parts(), self.data != 0)

    def _with_data(self, data: ndarray, copy: bool = True) -> Self:
        indices, indptr = self.indices, self.indptr
        if copy:
            indices, indptr = indices.copy(), indptr.copy()
        return self._like((indptr, indices, data), self._shape, **self._flags())

    def _turned(self, made: type[_Rows]) -> _Rows:
        """The same matrix, compressed along the other axis."""
        parts = _kernels.transposed(*self._parts(), self._minor)
        indptr, indices, data = parts
        flags = {"_sorted": True}
        if self.__dict__.get("_canonical", False):
            flags["_canonical"] = True
        return made._made(self.shape, indptr=indptr, indices=indices, data=data, **flags)

    # --- two operands ---

    def _merged(self, other: Any, op: Any) -> Any:
        """A function of the elements of two matrices that is zero where both are."""
        other = other.asformat(self.format)
        for a in (self, other):
            a.sum_duplicates()
        kind = self._index_dtype(
            (self.indptr, self.indices, other.indptr, other.indices),
            maxval=self.data.shape[0] + other.data.shape[0],
        )
        a, b = (
            (m.indptr.astype(kind, copy=False), m.indices.astype(kind, copy=False))
            for m in (self, other)
        )
        dtype = upcast(self.dtype, other.dtype)
        values = [m.data.astype(dtype, copy=False) for m in (self, other)]
        found = _kernels.combined((*a, values[0]), (*b, values[1]), getattr(op, "__name__", ""))
        if found is not None:
            return self._like(found, _sorted=True, _canonical=True)
        indptr, indices, first, second = _kernels.union(*a, *b, self._minor)
        x, y = (_padded(v) for v in values)
        if dtype.kind == "b" and op is np.subtract:
            data = np.bitwise_xor(x[first], y[second])
        else:
            data = op(x[first], y[second])
        parts = _kernels.selected(indptr, indices, data, data != 0)
        return self._like(parts, _sorted=True, _canonical=True)


def _padded(data: ndarray) -> ndarray:
    """With a zero behind the last."""
    return np.concatenate([data, np.zeros(1, data.dtype, device=data.device)])
