"""Sums, means, extrema and where they are."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, SupportsIndex, cast, overload

import numpy

import heddle as np
from heddle._core import ndarray, own_array, ufunc
from heddle._typing import Axis, DTypeLike, Output
from heddle.scipy.sparse import _passes
from heddle.scipy.sparse._described import Described
from heddle.scipy.sparse._operators import DataOperators
from heddle.scipy.sparse._support import check_axis, sum_dtype

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase
    from heddle.scipy.sparse._coo import CooBase
    from heddle.scipy.sparse._csr_csc import CsrBase


class Reductions(Described):
    """Sums and means of every format."""

    def sum(
        self, axis: object = None, dtype: DTypeLike | None = None, out: Output | None = None
    ) -> ndarray:
        """The sum of all elements, or along axes; of matrices the axis stays, with one element."""
        axes = check_axis(axis, self.ndim)
        if axes is None:
            if out is not None and not self._is_array and out.shape == (1, 1):
                return _delivered(self._all_data().sum(dtype=dtype).reshape(1, 1), out)
            if out is not None and out.ndim:
                raise ValueError(
                    "output parameter for reduction operation add has the wrong number of "
                    f"dimensions: Found {out.ndim} but expected 0"
                )
            return _delivered(self._all_data().sum(dtype=dtype), out)
        return _delivered(self._sum_along(axes, dtype), out)

    def _all_data(self) -> ndarray:
        """The values of all stored elements."""
        return self.tocoo().data

    def _sum_along(self, axes: tuple[int, ...], dtype: Any) -> ndarray:
        wanted = dtype or sum_dtype(self.dtype)
        a = self.tocoo()
        kept = [d for d in range(self.ndim) if d not in axes]
        shape = tuple(self.shape[d] for d in kept)
        place = a.coords[kept[0]].astype(numpy.int64)
        for d in kept[1:]:
            place = place * self.shape[d] + a.coords[d]
        sums = np.zeros(prod(shape), wanted, device=self.device)
        if a.data.shape[0]:
            np.add.at(sums, place, a.data.astype(wanted))
        return self._keep_axis(sums.reshape(shape), axes)

    def _keep_axis(self, result: ndarray, axes: tuple[int, ...]) -> ndarray:
        """What is left of a matrix has two axes."""
        return result if self._is_array else np.expand_dims(result, axes[0])

    def mean(
        self, axis: object = None, dtype: DTypeLike | None = None, out: Output | None = None
    ) -> ndarray:
        """The mean of all elements, or along axes."""
        axes = check_axis(axis, self.ndim)
        inner = self.dtype if self.dtype.kind in "fc" else numpy.dtype(numpy.float64)
        count = prod(self.shape if axes is None else (self.shape[d] for d in axes))
        typed: Any = self.astype(inner, copy=False)
        scaled = typed._mul_scalar(1.0 / count)
        result: ndarray = scaled.sum(axis=axis, dtype=inner, out=out)
        if dtype is not None and out is None:
            return result.astype(dtype)
        return result


def _delivered(result: ndarray, out: Output | None) -> ndarray:
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError("out dimensions do not match shape")
    out[...] = result if isinstance(out, own_array) else np.asnumpy(result)
    return cast("ndarray", out)


class Extrema(DataOperators, Reductions):
    """Extrema, of the formats that have them."""

    @overload
    def max(self, axis: None = None, out: None = None, *, explicit: bool = False) -> ndarray: ...
    @overload
    def max(self, axis: Axis, out: None = None, *, explicit: bool = False) -> SparseBase: ...
    def max(
        self, axis: Axis | None = None, out: Output | None = None, *, explicit: bool = False
    ) -> Any:
        """The largest element, or along axes; with `explicit` only of those that are stored."""
        return self._extreme(axis, out, np.maximum, explicit)

    @overload
    def min(self, axis: None = None, out: None = None, *, explicit: bool = False) -> ndarray: ...
    @overload
    def min(self, axis: Axis, out: None = None, *, explicit: bool = False) -> SparseBase: ...
    def min(
        self, axis: Axis | None = None, out: Output | None = None, *, explicit: bool = False
    ) -> Any:
        """The smallest element, or along axes; with `explicit` only of those that are stored."""
        return self._extreme(axis, out, np.minimum, explicit)

    @overload
    def nanmax(self, axis: None = None, out: None = None, *, explicit: bool = False) -> ndarray: ...
    @overload
    def nanmax(self, axis: Axis, out: None = None, *, explicit: bool = False) -> SparseBase: ...
    def nanmax(
        self, axis: Axis | None = None, out: Output | None = None, *, explicit: bool = False
    ) -> Any:
        """The largest element that is not nan, or along axes."""
        return self._extreme(axis, out, np.fmax, explicit)

    @overload
    def nanmin(self, axis: None = None, out: None = None, *, explicit: bool = False) -> ndarray: ...
    @overload
    def nanmin(self, axis: Axis, out: None = None, *, explicit: bool = False) -> SparseBase: ...
    def nanmin(
        self, axis: Axis | None = None, out: Output | None = None, *, explicit: bool = False
    ) -> Any:
        """The smallest element that is not nan, or along axes."""
        return self._extreme(axis, out, np.fmin, explicit)

    def argmax(
        self, axis: Axis | None = None, out: Output | None = None, *, explicit: bool = False
    ) -> ndarray:
        """Where the largest element is, the first of equal ones, in all or along an axis."""
        found: ndarray = self._place_of_extreme(axis, out, "argmax", explicit)
        return found

    def argmin(
        self, axis: Axis | None = None, out: Output | None = None, *, explicit: bool = False
    ) -> ndarray:
        """Where the smallest element is, the first of equal ones, in all or along an axis."""
        found: ndarray = self._place_of_extreme(axis, out, "argmin", explicit)
        return found

    def _lines(self, axes: tuple[int, ...]) -> tuple[CsrBase, tuple[int, ...]]:
        """Canonical compressed rows whose rows are what is reduced, and the shape that is left."""
        kept = tuple(d for d in range(self.ndim) if d not in axes)
        shape = tuple(self.shape[d] for d in kept)
        if self.ndim == 2:
            rows = self.tocsr() if axes == (1,) else self.transpose().tocsr()
        else:
            moved = self.tocoo().transpose(axes=(*kept, *axes))
            rows = moved.reshape(prod(shape), prod(self.shape[d] for d in axes)).tocsr()
        same = rows is self
        if same and not rows.has_canonical_format:
            rows = rows.copy()
        rows.sum_duplicates()
        return rows, shape

    def _extreme(
        self, axis: SupportsIndex | None, out: Output | None, op: ufunc, explicit: bool
    ) -> Any:
        if out is not None:
            raise ValueError("Sparse min/max does not support an 'out' parameter.")
        axes = check_axis(axis, self.ndim)
        if 0 in (self.shape if axes is None else [self.shape[d] for d in axes]):
            raise ValueError("zero-size array to reduction operation")
        if axes is None:
            if self.nnz == 0:
                return self.dtype.type(0)
            data = self._deduped_data().ravel()
            value = op.reduce(data)
            if self.nnz != prod(self.shape) and not explicit:
                value = op(np.zeros((), self.dtype, device=self.device), value)
            return value[()]
        rows, shape = self._lines(axes)
        if rows.data._on_host and self.dtype.kind in "iuf":
            columns = 0 if explicit else rows.shape[1]
            filled, values = _passes.extremes(
                rows.indptr, rows.data, columns, op.__name__, rows.indptr.dtype
            )
            return self._of_extremes(filled, values, shape, axes)
        lengths = rows.indptr[1:] - rows.indptr[:-1]
        filled = np.flatnonzero(lengths)
        values = rows.data[:0]
        if filled.shape[0]:
            values = op.reduceat(rows.data, rows.indptr[filled])
            if not explicit:
                short = lengths[filled] < rows.shape[1]
                zero = np.zeros((), self.dtype, device=self.device)
                values = np.where(short, op(values, zero), values)
            nonzero = np.flatnonzero(values)
            filled, values = filled[nonzero], values[nonzero]
        return self._of_extremes(filled, values, shape, axes)

    def _of_extremes(
        self, filled: ndarray, values: ndarray, shape: tuple[int, ...], axes: tuple[int, ...]
    ) -> CooBase:
        """What is left of each line that is reduced, in coordinate format."""
        coords = np.unravel_index(filled, shape) if len(shape) > 1 else (filled,)
        dtype = self._index_dtype(maxval=max(shape))
        if self.ndim > 2:
            dtype = numpy.int64
        coords = tuple(c.astype(dtype, copy=False) for c in coords)
        if not self._is_array:
            zeros = np.zeros_like(coords[0])
            coords = (zeros, coords[0]) if axes == (0,) else (coords[0], zeros)
            shape = (1, *shape) if axes == (0,) else (*shape, 1)
        made = self._container("coo")
        return made._made(shape, coords=coords, data=values, has_canonical_format=False)

    def _place_of_extreme(
        self, axis: Axis | None, out: Output | None, name: str, explicit: bool
    ) -> Any:
        if out is not None:
            raise ValueError(f"Sparse {name} does not support an 'out' parameter.")
        axes = check_axis(axis, self.ndim)
        if axes is not None and any(self.shape[d] == 0 for d in axes):
            raise ValueError(f"Cannot apply {name} along a zero-sized dimension.")
        if axes is None:
            return self._place_in_all(name, explicit)
        rows, shape = self._lines(axes)
        places = _places_in_rows(rows, name, explicit).reshape(shape)
        return self._keep_axis(places, axes)

    def _place_in_all(self, name: str, explicit: bool) -> int:
        if 0 in self.shape:
            raise ValueError(f"Cannot apply {name} to an empty matrix.")
        if self.nnz == 0:
            if explicit:
                raise ValueError(f"Cannot apply {name} to zero matrix when explicit=True.")
            return 0
        flat = self.tocoo().reshape(1, -1).tocsr()
        flat.sum_duplicates()
        if explicit:
            return int(getattr(np, name)(flat.data))
        return int(_places_in_rows(flat, name, False)[0])


def _places_in_rows(rows: CsrBase, name: str, explicit: bool) -> ndarray:
    """The column of the first extreme element of each row, 0 for rows without elements."""
    count, length = rows.shape
    data, indices, indptr = rows.data, rows.indices.astype(numpy.int64), rows.indptr
    op = np.maximum if name == "argmax" else np.minimum
    result = np.zeros(count, numpy.int64, device=data.device)
    sizes = indptr[1:] - indptr[:-1]
    filled = np.flatnonzero(sizes)
    if not filled.shape[0]:
        return result
    starts, of = indptr[filled], rows._major_indices()
    values = op.reduceat(data, starts)
    extreme = np.zeros(count, data.dtype, device=data.device)
    extreme[filled] = values
    equal = data == extreme[of]
    if data.dtype.kind in "fc":
        equal = equal | (np.isnan(data) & np.isnan(extreme[of]))
    first = np.minimum.reduceat(np.where(equal, indices, length), starts)
    if not explicit:
        # The first column without an element: where columns stop being their places in the row.
        behind = np.arange(data.shape[0], device=data.device) - indptr[of]
        missing = np.minimum.reduceat(np.where(indices != behind, behind, length), starts)
        missing = np.minimum(missing, sizes[filled])
        zero = np.zeros((), data.dtype, device=data.device)
        zero_wins = ~(values > zero if name == "argmax" else values < zero)  # also over nan
        tie = values == zero
        some = sizes[filled] < length
        first = np.where(
            some & zero_wins, np.where(tie, np.minimum(first, missing), missing), first
        )
    result[filled] = first
    return result
