"""What compressed rows and compressed columns have in common (`_csr_csc.py` has the types).

Compressed columns are the compressed rows of the transposed matrix: what is said of rows here holds
for the major axis, whichever it is.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import Axes, Axis, DTypeLike, ShapeLike
from heddle.scipy.sparse import _kernels
from heddle.scipy.sparse._base import SparseBase, as_sparse
from heddle.scipy.sparse._dense_products import columns_times, rows_times, sums_of_rows
from heddle.scipy.sparse._indexing import Indexing
from heddle.scipy.sparse._multiply import Multiplication
from heddle.scipy.sparse._support import (
    check_dtype,
    check_pointers,
    check_shape,
    device_of,
    extremes,
    given_array,
    is_followed,
    is_shape,
    sum_dtype,
    upcast,
)
from heddle.scipy.sparse._typing import DenseArray, Given, SparseLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._bsr import BsrBase
    from heddle.scipy.sparse._coo import CooBase
    from heddle.scipy.sparse._lil import LilBase


class CompressedBase(Indexing, Multiplication, SparseBase):
    """What compressed rows and compressed columns have in common."""

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
            self._from_sparse(sparse, copy)
        elif isinstance(arg1, tuple) and is_shape(arg1, self._allow_nd):
            self._shape = check_shape((arg1,), allowed=self._allow_nd)
            kind = self._index_dtype(maxval=max(self._shape))
            self.data = np.zeros(0, check_dtype(dtype, default=float))
            self.indices = np.zeros(0, kind)
            self.indptr = np.zeros(self._swap(self._shape_as_2d)[0] + 1, kind)
        elif isinstance(arg1, tuple):
            self._from_parts(arg1, shape, dtype, copy)
        else:
            self._from_dense(arg1, dtype)
        if shape is not None:
            self._shape = check_shape((shape,), allowed=self._allow_nd)
        if dtype is not None:
            self.data = self.data.astype(check_dtype(dtype), copy=False)
        self.check_format(full_check=False)

    def _from_sparse(self, sparse: SparseBase, copy: bool) -> None:
        found = sparse.asformat(self.format)
        if copy and found is sparse:
            found = sparse.copy()
        self._take(found)
        self._shape = check_shape((found.shape,), allowed=self._allow_nd)

    def _take(self, other: Any) -> None:
        self.indptr, self.indices, self.data = other.indptr, other.indices, other.data
        self._shape = other.shape
        for flag in ("_sorted", "_canonical"):
            if flag in other.__dict__:
                self.__dict__[flag] = other.__dict__[flag]

    def _from_parts(self, parts: Any, shape: Any, dtype: Any, copy: bool) -> None:
        if len(parts) == 2:
            coo = self._container("coo")(parts, shape=shape, dtype=dtype)
            self._take(coo.asformat(self.format))
            return
        if len(parts) != 3:
            raise ValueError(f"unrecognized {type(self).__name__} constructor input: {parts}")
        data, indices, indptr = parts
        device = device_of(data, indices, indptr)
        indices, indptr = given_array(indices, None, device), given_array(indptr, None, device)
        self._check_kinds(indices, indptr)
        largest = max(shape) if shape is not None and 0 not in shape else None
        kind = self._index_dtype((indices, indptr), maxval=largest, check_contents=True)
        self.indices = indices.astype(kind, copy=copy and indices is parts[1])
        self.indptr = indptr.astype(kind, copy=copy and indptr is parts[2])
        self.data = given_array(data, None if dtype is None else check_dtype(dtype), device, copy)
        check_dtype(self.data.dtype)
        if shape is None:
            try:
                major = self.indptr.shape[0] - 1
                minor = int(self.indices.max()) + 1
            except Exception as error:
                raise ValueError("unable to infer matrix dimensions") from error
            self._shape = check_shape((self._swap((major, minor)),), allowed=self._allow_nd)

    def _from_dense(self, dense: object, dtype: DTypeLike | None) -> None:
        name = type(self).__name__
        a = self._read_dense(
            dense, lambda: ValueError(f"unrecognized {name} constructor input: {dense}")
        )
        if a.ndim > 2:
            raise ValueError(f"CSR arrays don't yet support {a.ndim}D.")
        coo = self._container("coo")(a, dtype=dtype)
        self._take(coo.asformat(self.format))

    @staticmethod
    def _check_kinds(indices: ndarray, indptr: ndarray) -> None:
        for name, a in (("indptr", indptr), ("indices", indices)):
            if a.dtype.kind != "i":
                text = f"{name} array has non-integer dtype ({a.dtype.name})"
                warnings.warn(text, stacklevel=5)

    # --- checks ---

    def check_format(self, full_check: bool = True) -> None:
        """Raises ValueError where the arrays are wrong; `full_check` reads them all."""
        self._check_kinds(self.indices, self.indptr)
        if any(a.ndim != 1 for a in (self.data, self.indices, self.indptr)):
            raise ValueError("data, indices, and indptr should be 1-D")
        major, minor = self._swap(self._shape_as_2d)
        if self.indptr.shape[0] != major + 1:
            raise ValueError(f"index pointer size {self.indptr.shape[0]} should be {major + 1}")
        first, last = self.indptr[:: max(major, 1)].tolist() if major else [int(self.indptr[0])] * 2
        check_pointers(first, last, self.indices, self.data)
        if last < self.indices.shape[0]:
            self.indices, self.data = self.indices[: max(last, 0)], self.data[: max(last, 0)]
        if full_check and last > 0:
            low, high = extremes(self.indices)
            if high >= minor:
                raise ValueError(f"indices must be < {minor}")
            if low < 0:
                raise ValueError("indices must be >= 0")
            if int((self.indptr[1:] - self.indptr[:-1]).min()) < 0:
                raise ValueError("indptr must be a non-decreasing sequence")

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is None or (self.ndim == 1 and axis in (0, -1)):
            return int(self.indptr[-1])
        place = axis + self.ndim if axis < 0 else axis
        if self.ndim == 1 or not 0 <= place < 2:
            raise ValueError("axis out of bounds")
        if self._swap((0, 1))[place] == 0:
            return np.bincount(self.indices, minlength=self._minor)
        return self.indptr[1:] - self.indptr[:-1]

    def count_nonzero(self, axis: Axis | None = None) -> ndarray:
        """How many elements are not zero, along an axis or all in all."""
        self.sum_duplicates()
        if axis is None or (self.ndim == 1 and axis in (0, -1)):
            return np.count_nonzero(self.data)
        axis = operator.index(axis)
        place = axis + self.ndim if axis < 0 else axis
        if self.ndim == 1 or not 0 <= place < 2:
            raise ValueError("axis out of bounds")
        kept = np.flatnonzero(self.data)
        if self._swap((0, 1))[place] == 0:
            return np.bincount(self.indices[kept], minlength=self._minor)
        return np.bincount(self._major_indices()[kept], minlength=self._major)

    # --- conversions ---

    def tocoo(self, copy: bool = True) -> CooBase:
        """In coordinate format."""
        data, minor = self.data, self.indices
        if copy:
            data, minor = data.copy(), minor.copy()
        coords = (minor,) if self.ndim == 1 else self._swap((self._major_indices(), minor))
        made = self._container("coo")
        canonical = self.format == "csr" and self.__dict__.get("_canonical", False)
        return made._made(self.shape, coords=coords, data=data, has_canonical_format=canonical)

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseBase:
        """The transposed matrix: rows become columns, nothing is moved."""
        if self.ndim == 1:
            return self.copy() if copy else self
        self._check_axes(axes)
        parts = tuple(a.copy() for a in self._parts()) if copy else self._parts()
        indptr, indices, data = parts
        made = self._container("csc" if self.format == "csr" else "csr")
        return made._made(
            self.shape[::-1], indptr=indptr, indices=indices, data=data, **self._flags()
        )

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = True) -> BsrBase:
        """In compressed rows of blocks, of a size that is given or that fills them well."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. BSR must be 2D. Got {self.ndim}D")
        from heddle.scipy.sparse._bsr import bsr_of_csr

        return bsr_of_csr(self.tocsr(), blocksize, copy)

    def tolil(self, copy: bool = False) -> LilBase:
        """As lists of lists."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. LIL must be 2D. Got {self.ndim}D")
        from heddle.scipy.sparse._lil import lil_of_csr

        rows = self.tocsr()
        rows = rows.copy() if rows is self and not self.has_canonical_format else rows
        rows.sum_duplicates()
        return lil_of_csr(rows)

    # --- one operand ---

    def _with_scalar(self, other: object, op: Callable[..., Any]) -> CompressedBase:
        """A function of each element and a number that keeps zeros."""
        self.sum_duplicates()
        data = op(self.data, other)
        return self._like(
            _kernels.selected(self.indptr, self.indices, data, data != 0),
            _sorted=True,
            _canonical=True,
        )

    def _negated(self) -> CompressedBase:
        """True where this has no element: of results of comparisons."""
        return type(self)(~self.toarray())

    def diagonal(self, k: int = 0) -> ndarray:
        """The elements ``a[i, i + k]``."""
        m, n = self._shape_as_2d
        if self.ndim == 2 and -m < k < n and all(each._on_host for each in self._parts()):
            length = min(m + min(k, 0), n - max(k, 0))
            turned = k if self.format == "csr" else -k
            if self.dtype.kind != "b":  # truth values are not added
                return _kernels.diagonal(self._parts(), int(turned), length)
        return self.tocoo(copy=False).diagonal(k)

    def _sum_along(self, axes: tuple[int, ...], dtype: DTypeLike | None) -> ndarray:
        wanted = numpy.dtype(dtype or sum_dtype(self.dtype))
        if self.ndim != 2 or axes != self._swap(((1,), (0,)))[0]:
            return super()._sum_along(axes, dtype)
        data = self.data.astype(wanted, copy=False)
        return self._keep_axis(sums_of_rows(self.indptr, self.indices, data, self._minor), axes)

    def _all_data(self) -> ndarray:
        return self.data

    # --- two operands ---

    def _rows(self) -> CompressedBase:
        return self

    @overload
    def __matmul__(self, other: SparseLike) -> SparseBase: ...
    @overload
    def __matmul__(self, other: DenseArray | Sequence[object]) -> ndarray: ...
    def __matmul__(self, other: Any) -> Any:
        data = self.data
        # What iterations consist of goes no other way than it must.
        if (
            isinstance(other, own_array)
            and len(self._shape) == 2
            and other.shape == self._shape[1:]
            and other.dtype == data.dtype
            and data.dtype.kind in "fc"
            and not is_followed(other, data)
        ):
            if self._format == "csr":
                return rows_times(self.indptr, self.indices, data, other)
            return columns_times(self.indptr, self.indices, data, other, self._shape[0])
        return super().__matmul__(other)

    def _matmul_dense(self, other: ndarray) -> ndarray:
        dtype = upcast(self.dtype, other.dtype)
        inner = numpy.dtype(numpy.int32) if dtype.kind == "b" else dtype
        data, x = self.data.astype(inner, copy=False), other.astype(inner, copy=False)
        if self.format == "csr":
            result = rows_times(self.indptr, self.indices, data, x)
        else:
            result = columns_times(self.indptr, self.indices, data, x, self.shape[0])
        if dtype.kind == "b":
            result = result != 0
        return result[0] if self.ndim == 1 else result

    def _matmul_sparse(self, other: Any) -> Any:
        ends = (self.ndim == 2, other.ndim == 2)
        if other.ndim == 1:
            other = other.tocoo(copy=False).reshape(-1, 1)
        one = self
        if self.ndim == 1:
            one = self._like(self._parts(), (1, self.shape[0]), **self._flags())
        other = other.asformat(self.format)
        dtype = upcast(self.dtype, other.dtype)
        inner = numpy.dtype(numpy.int32) if dtype.kind == "b" else dtype
        kind = self._index_dtype((one.indptr, one.indices, other.indptr, other.indices))
        a, b = (
            (
                m.indptr.astype(kind, copy=False),
                m.indices.astype(kind, copy=False),
                m.data.astype(inner, copy=False),
            )
            for m in self._swap((one, other))
        )
        shape = (one.shape[0], other.shape[1])
        (indptr, indices, data), in_order = _kernels.product(a, b, self._swap(shape)[1])
        if dtype.kind == "b":
            data = data != 0
        if ends == (False, False):
            return data.sum(dtype=dtype)
        flags = {"_sorted": True, "_canonical": True} if in_order else {}
        result = self._like((indptr, indices, data), shape, **flags)
        if ends == (True, True):
            return result
        return result.tocsr().reshape((shape[0],) if ends[0] else (shape[1],))

    # --- shapes ---

    def resize(self, *shape: object) -> None:
        """Changes the shape in place; elements beyond it are dropped."""
        new = check_shape(shape, allowed=self._allow_nd)
        coo = self.tocoo(copy=False)
        coo.resize(new)
        coo.has_canonical_format = True  # no more duplicates than before
        found: Any = coo.asformat(self.format)
        self.indptr, self.indices, self.data = found.indptr, found.indices, found.data
        self._shape = new

    def _setdiag(self, values: ndarray, k: int) -> None:
        if 0 in self.shape:
            return
        if self.ndim == 1:
            raise NotImplementedError("diagonals cant be set in 1d arrays")
        coo = self.tocoo(copy=False)
        coo.sum_duplicates()
        coo._setdiag(values, k)
        self._take(coo.asformat(self.format))
