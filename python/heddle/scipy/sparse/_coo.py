"""Coordinates and values: ``coo_array`` of any number of axes, and ``coo_matrix``."""

from __future__ import annotations

import operator
from math import prod
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import Axes, Axis, Casting, DTypeLike, Order, Output, ShapeLike
from heddle.scipy.sparse import _kernels
from heddle.scipy.sparse._base import SparseBase, as_sparse, sparray
from heddle.scipy.sparse._coo_products import Products
from heddle.scipy.sparse._matrix import spmatrix
from heddle.scipy.sparse._rows import CompressedRows
from heddle.scipy.sparse._support import (
    check_dtype,
    check_shape,
    device_of,
    extremes,
    given_array,
    is_shape,
    reshape_keywords,
    upcast,
)
from heddle.scipy.sparse._typing import Given

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CscBase, CsrBase
    from heddle.scipy.sparse._dia import DiaBase
    from heddle.scipy.sparse._dok import DokBase

_Rows = TypeVar("_Rows", bound=CompressedRows)


class CooBase(Products, SparseBase):
    """What ``coo_array`` and ``coo_matrix`` have in common."""

    _format = "coo"
    _allow_nd: Any = range(1, 65)
    data: ndarray
    coords: tuple[ndarray, ...]
    has_canonical_format: bool

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
            self._from_sparse(sparse, dtype, copy)
        elif isinstance(arg1, tuple):
            if is_shape(arg1, self._allow_nd):
                self._shape = check_shape((arg1,), allowed=self._allow_nd)
                kind = self._index_dtype(maxval=max(self._shape))
                self.coords = tuple(np.zeros(0, kind) for _ in self._shape)
                self.data = np.zeros(0, check_dtype(dtype, default=float))
                self.has_canonical_format = True
            else:
                self._from_parts(arg1, shape, dtype, copy)
        else:
            self._from_dense(arg1, shape, dtype)
        if self.ndim > 2:
            self.coords = tuple(c.astype(numpy.int64, copy=False) for c in self.coords)

    def _from_sparse(self, sparse: Any, dtype: Any, copy: bool) -> None:
        coo = sparse.tocoo(copy=copy) if sparse.format != "coo" else sparse
        if copy and coo is sparse:
            self.coords = tuple(c.copy() for c in coo.coords)
            self.data = coo.data.copy()
        else:
            self.coords, self.data = tuple(coo.coords), coo.data
        self._shape = check_shape((coo.shape,), allowed=self._allow_nd)
        self.has_canonical_format = coo.has_canonical_format
        if dtype is not None:
            self.data = self.data.astype(check_dtype(dtype), copy=False)

    def _from_parts(self, parts: Any, shape: object, dtype: Any, copy: bool) -> None:
        try:
            values, coords = parts
        except (TypeError, ValueError) as error:
            raise TypeError("invalid input format") from error
        device = (
            device_of(values, coords)
            if not isinstance(coords, list)
            else device_of(values, *coords)
        )
        if isinstance(coords, (own_array, numpy.ndarray)):
            coords = [coords[i] for i in range(coords.shape[0])]
        given = [given_array(c, device=device) for c in coords]
        if shape is None:
            if any(c.shape == (0,) for c in given):
                raise ValueError("cannot infer dimensions from zero sized index arrays")
            shape = tuple(operator.index(int(c.max())) + 1 for c in given)
        self._shape = check_shape((shape,), allowed=self._allow_nd)
        kind = self._index_dtype(given, maxval=max(self._shape), check_contents=True)
        if dtype is not None:
            dtype = check_dtype(dtype)
        self.data = given_array(values, dtype, device, copy)
        check_dtype(self.data.dtype)
        if len(given) != self.ndim:
            raise ValueError(
                "mismatching number of index arrays for shape; "
                f"got {len(given)}, expected {self.ndim}"
            )
        self._warn_of_types(given)
        made = tuple(
            c.astype(kind, copy=copy and c is o) for c, o in zip(given, coords, strict=True)
        )
        self.coords = made
        self.has_canonical_format = False
        self._check_coords()

    def _from_dense(self, dense: object, shape: object, dtype: Any) -> None:
        text = f"cannot make a sparse array of {type(dense).__name__!r}"
        a = self._read_dense(dense, lambda: TypeError(text))
        if not self._is_array:
            a = np.atleast_2d(a)
            if a.ndim != 2:
                raise TypeError(f"expected 2D array or matrix, not {a.ndim}D")
        self._shape = check_shape((a.shape,), allowed=self._allow_nd)
        if shape is not None and check_shape((shape,), allowed=self._allow_nd) != self._shape:
            raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")
        kind = self._index_dtype(maxval=max(self._shape))
        coords = a.nonzero()
        self.data = a[coords].astype(check_dtype(dtype, a), copy=False)
        self.coords = tuple(c.astype(kind) for c in coords)
        self.has_canonical_format = True

    @staticmethod
    def _warn_of_types(coords: list[ndarray]) -> None:
        import warnings

        for i, c in enumerate(coords):
            if c.dtype.kind not in "i":
                text = f"index array {i} has non-integer dtype ({c.dtype.name})"
                warnings.warn(text, stacklevel=5)

    def _check_coords(self) -> None:
        """All are of one length, and in range."""
        nnz = self.nnz
        if not nnz:
            return
        for i, c in enumerate(self.coords):
            low, high = extremes(c)
            if high >= self._shape[i]:
                raise ValueError(f"axis {i} index {high} exceeds matrix dimension {self._shape[i]}")
            if low < 0:
                raise ValueError(f"negative axis {i} index: {low}")

    # --- what it is ---

    @property
    def row(self) -> ndarray:
        """The coordinates along the last axis but one."""
        return self.coords[-2] if self.ndim > 1 else np.zeros_like(self.coords[-1])

    @row.setter
    def row(self, value: object) -> None:
        if self.ndim < 2:
            raise ValueError("cannot set row attribute of a 1-dimensional sparse array")
        new = given_array(value, self.coords[-2].dtype, self.device)
        self.coords = (*self.coords[:-2], new, *self.coords[-1:])

    @property
    def col(self) -> ndarray:
        """The coordinates along the last axis."""
        return self.coords[-1]

    @col.setter
    def col(self, value: object) -> None:
        new = given_array(value, self.coords[-1].dtype, self.device)
        self.coords = (*self.coords[:-1], new)

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is None or (axis == 0 and self.ndim == 1):
            if self.data.ndim != 1 or any(c.ndim != 1 for c in self.coords):
                raise ValueError("coordinates and data arrays must be 1-D")
            nnz = self.data.shape[0]
            if any(c.shape[0] != nnz for c in self.coords):
                raise ValueError("all index and data arrays must have the same length")
            return nnz
        place = axis + self.ndim if axis < 0 else axis
        if not 0 <= place < self.ndim:
            raise ValueError("axis out of bounds")
        return np.bincount(self.coords[1 - place], minlength=self.shape[1 - place])

    def count_nonzero(self, axis: Axis | None = None) -> ndarray:
        """How many elements are not zero, along an axis or all in all."""
        self.sum_duplicates()
        if axis is None:
            return np.count_nonzero(self.data)
        axis = operator.index(axis)
        place = axis + self.ndim if axis < 0 else axis
        if not 0 <= place < self.ndim:
            raise ValueError("axis out of bounds")
        if self.ndim == 1:
            return np.count_nonzero(self.data)
        kept = self.coords[1 - place][np.flatnonzero(self.data)]
        return np.bincount(kept, minlength=self.shape[1 - place])

    def _with_data(self, data: ndarray, copy: bool = True) -> Any:
        coords = tuple(c.copy() for c in self.coords) if copy else self.coords
        return type(self)._made(
            self.shape,
            coords=coords,
            data=data,
            has_canonical_format=self.has_canonical_format,
        )

    def astype(self, dtype: DTypeLike, casting: Casting = "unsafe", copy: bool = True) -> Self:
        """With elements of another type."""
        dtype = check_dtype(dtype)
        if self.dtype == dtype:
            return self.copy() if copy else self
        made = self._with_data(self.data.astype(dtype, casting=casting))
        made.sum_duplicates()
        found: Self = made
        return found

    # --- duplicates ---

    def sum_duplicates(self) -> None:
        """Sorts elements, and adds those of one place together, in place."""
        if self.has_canonical_format:
            return
        if self.nnz > 1:
            self._sum_sorted()
        self.has_canonical_format = True

    def _sum_sorted(self) -> None:
        order = np.lexsort(self.coords[::-1])
        coords = [c[order] for c in self.coords]
        data = self.data[order]
        new = np.ones(data.shape, bool, device=data.device)
        changed = coords[0][1:] != coords[0][:-1]
        for c in coords[1:]:
            changed = changed | (c[1:] != c[:-1])
        new[1:] = changed
        starts = np.flatnonzero(new)
        if starts.shape[0] < data.shape[0]:
            coords = [c[starts] for c in coords]
            data = _kernels.sums_from(data, starts)
        self.coords, self.data = tuple(coords), data

    def eliminate_zeros(self) -> None:
        """Drops stored zeros, in place."""
        places = np.flatnonzero(self.data)
        if places.shape[0] < self.data.shape[0]:
            self.data = self.data[places]
            self.coords = tuple(c[places] for c in self.coords)

    # --- conversions ---

    def tocoo(self, copy: bool = False) -> CooBase:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def tocsr(self, copy: bool = False) -> CsrBase:
        """In compressed rows, duplicates added."""
        return self._compressed(self._container("csr"))

    def tocsc(self, copy: bool = False) -> CscBase:
        """In compressed columns, duplicates added."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. CSC must be 2D. Got {self.ndim}D")
        return self._compressed(self._container("csc"))

    def _compressed(self, made: type[_Rows]) -> _Rows:
        if self.ndim > 2:
            raise ValueError(f"Cannot convert. CSR must be 1D or 2D. Got {self.ndim}D")
        nnz = self.nnz
        if self.ndim == 1:
            kind = self._index_dtype(self.coords, maxval=max(nnz, self.shape[0]))
            indptr = np.asarray([0, nnz], dtype=kind, device=self.device)
            result = made._made(
                self.shape,
                indptr=indptr,
                indices=self.coords[0].astype(kind),
                data=self.data.copy(),
            )
        else:
            kind = self._index_dtype(self.coords, maxval=max(nnz, *self.shape))
            major, minor = self.coords if made._format == "csr" else self.coords[::-1]
            count = self.shape[0] if made._format == "csr" else self.shape[1]
            indptr, indices, data = _kernels.by_rows(
                major.astype(kind, copy=False), minor.astype(kind, copy=False), self.data, count
            )
            result = made._made(self.shape, indptr=indptr, indices=indices, data=data)
        if not self.has_canonical_format:
            result.sum_duplicates()
        return result

    def toarray(self, order: Order | None = None, out: Output | None = None) -> ndarray:
        """As a dense array, duplicates added."""
        dense = self._dense_target(order, cast("ndarray | None", out))
        if self.nnz:
            dense = _put(dense, self)
        if out is None:
            return dense
        out[...] = dense if isinstance(out, own_array) else np.asnumpy(dense)
        return cast("ndarray", out)

    def _add_dense(self, other: ndarray) -> ndarray:
        if other.shape != self.shape:
            raise ValueError(f"Incompatible shapes ({self.shape} and {other.shape})")
        result = np.array(other, dtype=upcast(self.dtype, other.dtype))
        return _put(result, self) if self.nnz else result

    def todia(self, copy: bool = False) -> DiaBase:
        """In diagonals."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. DIA must be 2D. Got {self.ndim}D")
        from heddle.scipy.sparse._dia import dia_of_coo

        self.sum_duplicates()
        return dia_of_coo(self)

    def todok(self, copy: bool = False) -> DokBase:
        """As a dictionary."""
        self.sum_duplicates()
        made = self._container("dok")(self.shape, dtype=self.dtype)
        values = self.data._snapshot()
        if self.ndim == 1:
            keys = self.coords[0].tolist()
        else:
            keys = zip(*(c.tolist() for c in self.coords), strict=True)
        made._dict = dict(zip(keys, values, strict=True))
        made._device = self.device
        return made

    # --- shapes ---

    def reshape(self, *args: object, **kwargs: object) -> SparseBase:
        """With another shape of the same size."""
        shape = check_shape(args, self.shape, allowed=self._allow_nd)
        order, copy = reshape_keywords(kwargs)
        if shape == self.shape:
            return self.copy() if copy else self
        if order == "C":
            places = self._flat()
            coords = []
            for n in shape[:0:-1]:
                coords.append(places % max(n, 1))
                places = places // max(n, 1)
            coords = [places, *coords[::-1]]
        else:
            return self.transpose().reshape(shape[::-1]).transpose(copy=copy)
        kind = self._index_dtype(self.coords, maxval=max(shape))
        made = tuple(c.astype(kind) for c in coords)
        if len(shape) > 2:
            made = tuple(c.astype(numpy.int64) for c in made)
        return type(self)._made(
            shape,
            coords=made,
            data=self.data.copy() if copy else self.data,
            has_canonical_format=False,
        )

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseBase:
        """With its axes reversed, or in the order that is given."""
        wanted: Any = axes
        if axes is None:
            wanted = range(self.ndim)[::-1]
        elif self._is_array:
            if not hasattr(wanted, "__len__") or len(wanted) != self.ndim:
                raise ValueError("axes don't match matrix dimensions")
            if len({a % self.ndim for a in wanted}) != self.ndim:
                raise ValueError("repeated axis in transpose")
        elif axes != (1, 0):
            raise ValueError(
                "Sparse matrices do not support an 'axes' parameter because swapping "
                "dimensions is the only logical permutation."
            )
        coords = tuple(self.coords[i] for i in wanted)
        return type(self)._made(
            tuple(self._shape[i] for i in wanted),
            coords=tuple(c.copy() for c in coords) if copy else coords,
            data=self.data.copy() if copy else self.data,
            has_canonical_format=False,
        )

    def resize(self, *shape: object) -> None:
        """Changes the shape in place; elements beyond it are dropped."""
        new = check_shape(shape, allowed=self._allow_nd)
        if self.ndim > 2:
            raise ValueError("only 1-D or 2-D input accepted")
        if len(new) > 2:
            raise ValueError("shape argument must be 1-D or 2-D")
        if len(new) != self.ndim:
            flat = self._flat()
            if len(new) == 1:
                self.coords, self._shape = (flat,), (prod(self._shape),)
            else:
                self.coords, self._shape = (flat // new[1], flat % new[1]), new
        kept = self.coords[0] < new[0]
        for c, n in zip(self.coords[1:], new[1:], strict=True):
            kept = kept & (c < n)
        places = np.flatnonzero(kept)
        if places.shape[0] < self.data.shape[0]:
            self.coords = tuple(c[places] for c in self.coords)
            self.data = self.data[places]
        self._shape = new

    # --- diagonals ---

    def _parts_for_product(self) -> tuple[ndarray, ndarray, ndarray] | None:
        return (*self.coords, self.data) if self.ndim == 2 else None  # type: ignore[return-value]

    def diagonal(self, k: int = 0) -> ndarray:
        """The elements ``a[i, i + k]``."""
        if self.ndim != 2:
            raise ValueError("diagonal requires two dimensions")
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            return np.zeros(0, self.dtype, device=self.device)
        length = min(rows + min(k, 0), columns - max(k, 0))
        result = np.zeros(length, self.dtype, device=self.device)
        on = np.flatnonzero(self.row + k == self.col)
        if on.shape[0]:
            places = self.row[on] + min(k, 0)
            if self.dtype == bool:
                result[places[np.flatnonzero(self.data[on])]] = True
            else:
                np.add.at(result, places, self.data[on])
        return result

    def _setdiag(self, values: ndarray, k: int) -> None:
        if self.ndim != 2:
            raise ValueError("setting a diagonal requires two dimensions")
        rows, columns = self.shape
        length = min(rows + min(k, 0), columns - max(k, 0))
        if values.ndim:
            length = min(length, values.shape[0])
            values = values[:length]
        else:
            values = np.broadcast_to(values, (length,))
        first_row, first_column = max(-k, 0), max(k, 0)
        beyond = self.row >= first_row + length
        kept = np.flatnonzero((self.col - self.row != k) | beyond)
        kind = self.row.dtype
        steps = np.arange(length, dtype=kind, device=self.device)
        row = np.concatenate([self.row[kept], steps + first_row])
        col = np.concatenate([self.col[kept], steps + first_column])
        self.data = np.concatenate([self.data[kept], values.astype(self.dtype)])
        self.coords = (row.astype(kind), col.astype(kind))
        self.has_canonical_format = False


def _put(dense: ndarray, a: CooBase) -> ndarray:
    """A dense array with the elements added."""
    if a.dtype == bool and dense.dtype == bool:
        places = np.flatnonzero(a.data)
        dense[tuple(c[places] for c in a.coords)] = True
    elif a.has_canonical_format and dense.dtype == a.dtype:
        dense[a.coords] += a.data
    else:
        np.add.at(dense, a.coords, a.data.astype(dense.dtype))
    return dense


class coo_array(sparray, CooBase):
    """A sparse array of coordinates and values, of any number of axes.

    ``coo_array(dense)``, ``coo_array(sparse)``, ``coo_array(shape)`` or
    ``coo_array((data, (i, j)), shape=(m, n))``; values of equal coordinates are added when it is
    converted.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.coo_array(([3, 4, 5], ([0, 1, 1], [1, 0, 0])), shape=(2, 2)).toarray()
    array([[0, 3],
           [9, 0]])
    """


class coo_matrix(spmatrix, CooBase):  # type: ignore[misc]
    """A sparse matrix of coordinates and values; `coo_array` with ``*`` for the matrix product.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.coo_matrix([[0, 2], [3, 0]]).row
    array([0, 1], dtype=int32)
    """

    def __setstate__(self, state: dict[str, object]) -> None:
        if "coords" not in state:  # pickles of before coords
            state["coords"] = (state.pop("row"), state.pop("col"))
        self.__dict__.update(state)
