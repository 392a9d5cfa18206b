"""Parts of compressed formats, read and written.

Rows and columns that are selected by slices or arrays are taken one axis after the other; pairs of
index arrays are looked up, one thread for each.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy

import heddle as np
from heddle import simt
from heddle._core import ndarray, own_array
from heddle._typing import KernelArray
from heddle.scipy.sparse import _kernels, _passes
from heddle.scipy.sparse._base import as_sparse
from heddle.scipy.sparse._keys import read_flat_key, read_key
from heddle.scipy.sparse._passes import Rows
from heddle.scipy.sparse._rows import CompressedRows
from heddle.scipy.sparse._support import SparseEfficiencyWarning, given_array

if TYPE_CHECKING:
    from heddle.simt._kernel import Kernel

# --- kernels ---


@simt.kernel
def _sample(
    indptr: KernelArray,
    indices: KernelArray,
    data: KernelArray,
    rows: KernelArray,
    columns: KernelArray,
    values: KernelArray,
) -> None:
    p = simt.grid(1)
    if p < values.size:
        i = rows[p]
        total = values[p]
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] == columns[p]:
                total += data[k]
        values[p] = total


@simt.kernel
def _find(
    indptr: KernelArray,
    indices: KernelArray,
    rows: KernelArray,
    columns: KernelArray,
    places: KernelArray,
) -> None:
    p = simt.grid(1)
    if p < places.size:
        i = rows[p]
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] == columns[p]:
                places[p] = k


def _launch(kernel: Kernel, count: int, *arguments: ndarray) -> None:
    kernel[(count + 31) // 32, 32](*arguments)


def _samples(a: Any, major: ndarray, minor: ndarray) -> ndarray:
    """The elements at pairs of indices."""
    kind = numpy.dtype(numpy.int32) if a.dtype == bool else a.dtype
    values = np.zeros(major.shape[0], kind, device=a.device)
    if major.shape[0] and a.indices.shape[0]:
        data = a.data.astype(kind, copy=False)
        _launch(_sample, major.shape[0], a.indptr, a.indices, data, major, minor, values)
    return values != 0 if a.dtype == bool else values


def _places(a: Any, major: ndarray, minor: ndarray) -> ndarray:
    """Where elements at pairs of indices are stored, -1 for those that are not."""
    places = np.full(major.shape[0], -1, numpy.int64, device=a.device)
    if major.shape[0] and a.indices.shape[0]:
        _launch(_find, major.shape[0], a.indptr, a.indices, major, minor, places)
    return places


def take_rows(a: Any, rows: ndarray) -> Rows:
    """Rows of compressed rows, by number."""
    indptr, indices, data = a._parts()
    if data._on_host and indptr._on_host and rows._on_host:
        return _passes.taken(indptr, indices, data, rows)
    lengths = (indptr[1:] - indptr[:-1])[rows]
    zero = np.zeros(1, indptr.dtype, device=indptr.device)
    begins = np.concatenate([zero, lengths.cumsum(dtype=indptr.dtype)])
    total = int(begins[-1])
    of = _kernels.expanded(begins, total)
    steps = np.arange(total, dtype=indptr.dtype, device=indptr.device)
    places = indptr[rows][of] + (steps - begins[of])
    return begins, indices[places], data[places]


class Indexing(CompressedRows):
    """Indices of compressed rows and columns."""

    def __getitem__(self, key: object) -> Any:
        found = read_flat_key(key, self)
        if self.ndim == 1:
            return self._get_1d(found.items[0], found.shape)
        row, col = found.items
        if isinstance(row, int) and isinstance(col, int):
            value = self._element(row, col)
            return value if found.shape == () else self._lone(value, found.shape)
        if isinstance(row, own_array) and isinstance(col, own_array) and not _is_outer(row, col):
            return self._get_pairs(row, col, found.shape)
        result = self._outer(_selector(row), _selector(col))
        if not self._is_array and len(found.shape) == 1:
            return result
        return result if result.shape == found.shape else result.reshape(found.shape)

    def _lone(self, value: Any, shape: tuple[int, ...]) -> ndarray:
        """An element with new axes."""
        return np.full(shape if self._is_array else (1, 1), value, device=self.device)

    def _get_1d(self, item: ndarray | int | slice, shape: tuple[int, ...]) -> Any:
        if isinstance(item, int):
            value = self._element(0, item)
            return value if shape == () else self._anew(np.full(shape, value, device=self.device))
        if isinstance(item, own_array):
            flat = item.ravel()
            values = _samples(self, np.zeros_like(flat), flat)
            return (
                self._anew(values.reshape(shape))
                if values.size
                else self._anew(shape, dtype=self.dtype)
            )
        row = self._like(self._parts(), (1, self.shape[0]), **self._flags())
        return row._outer(slice(None), item).reshape(shape)

    def _element(self, row: int, col: int) -> Any:
        major, minor = self._swap((row, col))
        begin, end = self.indptr[major : major + 2].tolist()
        here, values = self.indices[begin:end], self.data[begin:end]
        if self.dtype == bool:
            return numpy.bool_(bool((values & (here == minor)).any()))
        found = np.where(here == minor, values, values.dtype.type(0)).sum(dtype=self.dtype)
        return found._snapshot()[()]

    def _get_pairs(self, row: ndarray, col: ndarray, shape: tuple[int, ...]) -> Any:
        row, col = np.broadcast_arrays(row, col)
        if row.size == 0:
            return self._anew(
                shape if len(shape) == 2 else np.atleast_2d(row).shape, dtype=self.dtype
            ).reshape(shape if self._is_array or len(shape) == 2 else (1, 0))
        major, minor = self._swap((row.ravel(), col.ravel()))
        values = _samples(self, major, minor)
        if row.ndim == 1:
            if len(shape) == 1:
                return values if self._is_array else values.reshape(1, -1)
            return self._anew(values.reshape(shape))
        return self._anew(values.reshape(row.shape)).reshape(shape)

    def _outer(self, row: ndarray | slice, col: ndarray | slice) -> Self:
        major, minor = self._swap((row, col))
        result = self
        if not _is_all(major, self._major):
            result = result._take_major(major)
        if not _is_all(minor, self._minor):
            result = result._take_minor(minor)
        return self.copy() if result is self else result

    def _take_major(self, item: ndarray | slice) -> Self:
        count = self._major
        if isinstance(item, slice):
            begin, end, step = item.indices(count)
            length = len(range(begin, end, step))
            if step == 1 and length:
                first, last = self.indptr[begin : end + 1 : length].tolist()
                indptr = self.indptr[begin : end + 1] - first
                parts = (indptr, self.indices[first:last].copy(), self.data[first:last].copy())
                return self._like(parts, self._swap((length, self._minor)), **self._flags())
            item = np.arange(begin, end, step, dtype=numpy.int64, device=self.device)
        item = item.ravel()
        if not item.shape[0]:
            return self._anew(self._swap((0, self._minor)), dtype=self.dtype)
        shape = self._swap((item.shape[0], self._minor))
        return self._like(take_rows(self, item), shape, **self._flags())

    def _take_minor(self, item: ndarray | slice) -> Self:
        count = self._minor
        if not isinstance(item, slice):
            item = item.ravel()
            other = self._container("csc" if self.format == "csr" else "csr")
            return self._turned(other)._take_major(item)._turned(type(self))
        begin, end, step = item.indices(count)
        length = len(range(begin, end, step))
        shape = self._swap((self._major, length))
        if not length:
            return self._anew(shape, dtype=self.dtype)
        last = begin + (length - 1) * step
        low, high = min(begin, last), max(begin, last)
        kept = (self.indices >= low) & (self.indices <= high)
        if abs(step) > 1:
            kept = kept & ((self.indices - begin) % step == 0)
        indptr, indices, data = _kernels.selected(self.indptr, self.indices, self.data, kept)
        indices = (indices - begin) // step
        flags = self._flags() if step > 0 else {}
        if data is self.data:
            indptr, data = indptr.copy(), data.copy()
        return self._like((indptr, indices.astype(self.indices.dtype), data), shape, **flags)

    # --- writing ---

    def __setitem__(self, key: object, value: object) -> None:
        found = read_key(key, self.shape, self.format, self.device)
        sparse = as_sparse(value, self.device)
        if self.ndim == 1:
            self._set_1d(found.items[0], value if sparse is None else sparse.toarray())
            return
        row, col = found.items
        if isinstance(row, int) and isinstance(col, int):
            x = given_array(value if sparse is None else sparse.toarray(), self.dtype, self.device)
            if x.size != 1:
                raise ValueError("Trying to assign a sequence to an item")
            self._set_many(*self._swap((self._one(row), self._one(col))), x.reshape(1))
            return
        i, j = self._grid(row, col)
        if sparse is not None:
            self._set_sparse(i, j, sparse)
            return
        x = _fitting(given_array(value, self.dtype, self.device), i.shape)
        if x.size:
            self._set_many(*self._swap((i.ravel(), j.ravel())), x.ravel())

    def _one(self, i: int) -> ndarray:
        return np.full(1, i, numpy.int64, device=self.device)

    def _range(self, item: slice, n: int) -> ndarray:
        return np.arange(*item.indices(n), dtype=numpy.int64, device=self.device)

    def _grid(self, row: Any, col: Any) -> tuple[ndarray, ndarray]:
        """The places that are written, row and column of each."""
        rows = self._range(row, self.shape[0])[:, None] if isinstance(row, slice) else None
        if rows is None:
            rows = self._one(row) if isinstance(row, int) else row
        if isinstance(col, slice):
            cols = self._range(col, self.shape[1])[None, :]
            rows = rows[:, None] if rows.ndim == 1 else rows
        else:
            cols = self._one(col) if isinstance(col, int) else col
        i, j = np.broadcast_arrays(rows, cols)
        return i, j

    def _set_1d(self, item: Any, value: Any) -> None:
        x = given_array(value, self.dtype, self.device)
        if isinstance(item, int):
            if x.size != 1:
                raise ValueError("Trying to assign a sequence to an item")
            self._set_many(self._one(0), self._one(item), x.reshape(1))
            return
        places = self._range(item, self.shape[0]) if isinstance(item, slice) else item
        x = _fitting(x, places.shape)
        if x.size:
            flat = places.ravel()
            self._set_many(np.zeros_like(flat), flat, x.ravel())

    def _set_sparse(self, i: ndarray, j: ndarray, x: Any) -> None:
        if 0 in x.shape:
            return
        if i.ndim == 1:
            i, j = i[None], j[None]
        x = x.tocoo(copy=True).reshape(x._shape_as_2d)
        rows_repeat = x.shape[0] == 1 and i.shape[0] != 1
        columns_repeat = x.shape[1] == 1 and i.shape[1] != 1
        if not (
            (rows_repeat or x.shape[0] == i.shape[0])
            and (columns_repeat or x.shape[1] == i.shape[1])
        ):
            raise ValueError("shape mismatch in assignment")
        x.sum_duplicates()
        self._zero_many(*self._swap((i.ravel(), j.ravel())))
        r, c, data = x.row, x.col, x.data.astype(self.dtype)
        if not data.shape[0]:
            return
        m, n = i.shape
        if rows_repeat:
            r = np.repeat(np.arange(m, device=self.device), r.shape[0])
            c, data = np.tile(c, m), np.tile(data, m)
        if columns_repeat:
            count = c.shape[0]
            r, data = np.repeat(r, n), np.repeat(data, n)
            c = np.tile(np.arange(n, device=self.device), count)
        self._set_many(*self._swap((i[r, c], j[r, c])), data)

    def _zero_many(self, major: ndarray, minor: ndarray) -> None:
        self.sum_duplicates()
        places = _places(self, major, minor)
        self.data[places[np.flatnonzero(places >= 0)]] = 0

    def _set_many(self, major: ndarray, minor: ndarray, x: ndarray) -> None:
        """Sets elements at pairs of indices; of equal pairs the last one counts."""
        self.sum_duplicates()
        places = _places(self, major, minor)
        there = np.flatnonzero(places >= 0)
        if there.shape[0]:
            self.data[places[there]] = x[there]
        if there.shape[0] == places.shape[0]:
            return
        warnings.warn(
            SparseEfficiencyWarning(
                f"Changing the sparsity structure of a {type(self).__name__} is expensive. "
                "lil and dok are more efficient."
            ),
            stacklevel=4,
        )
        new = np.flatnonzero(places < 0)
        self._insert(major[new], minor[new], x[new])

    def _insert(self, major: ndarray, minor: ndarray, x: ndarray) -> None:
        keys = major.astype(numpy.int64) * max(self._minor, 1) + minor
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        last = np.ones(keys.shape, bool, device=self.device)
        last[:-1] = keys[1:] != keys[:-1]
        chosen = order[np.flatnonzero(last)]
        kind = self._index_dtype(
            (self.indices, self.indptr), maxval=self.data.shape[0] + chosen.shape[0]
        )
        rows = np.concatenate([self._major_indices().astype(kind), major[chosen].astype(kind)])
        columns = np.concatenate([self.indices.astype(kind), minor[chosen].astype(kind)])
        data = np.concatenate([self.data, x[chosen]])
        parts = _kernels.by_rows(rows, columns, data, self._major)
        self.indptr, self.indices, self.data = _kernels.sorted_rows(*parts, self._minor)
        self.has_canonical_format = True

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 1:
            yield from self.toarray()._snapshot()
            return
        for r in range(self.shape[0]):
            yield self[r]


def _is_outer(row: ndarray, col: ndarray) -> bool:
    """Whether a column of rows and a row of columns are given, as by ``numpy.ix_``."""
    return row.ndim == 2 and row.shape[1] == 1 and (col.ndim == 1 or col.shape[0] == 1)


def _selector(item: ndarray | int | slice) -> ndarray | slice:
    return slice(item, item + 1) if isinstance(item, int) else item


def _is_all(item: ndarray | slice, n: int) -> bool:
    return isinstance(item, slice) and item.indices(n) == (0, n, 1)


def _fitting(x: ndarray, shape: tuple[int, ...]) -> ndarray:
    """Values for places of this shape."""
    if tuple(n for n in x.shape if n != 1) != tuple(n for n in shape if n != 1):
        try:
            return np.broadcast_to(x, shape)
        except ValueError as error:
            raise ValueError(
                f"operands could not be broadcast together with shapes {x.shape} {shape}"
            ) from error
    return x
