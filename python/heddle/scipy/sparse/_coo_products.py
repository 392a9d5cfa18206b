"""Products of coordinates with any number of axes, and their parts.

Two sparse arrays of many axes are multiplied as matrices: axes that are summed over become one, and
so do the others. Index arrays are joined with coordinates by sorting.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any, overload

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.scipy.sparse._base import SparseBase, as_sparse
from heddle.scipy.sparse._keys import Key, read_key
from heddle.scipy.sparse._operators import Operators
from heddle.scipy.sparse._reductions import Extrema
from heddle.scipy.sparse._support import given_array, is_scalar, upcast
from heddle.scipy.sparse._typing import DenseArray, SparseLike


def _flat(coords: list[ndarray], shape: tuple[int, ...]) -> ndarray:
    """One number for coordinates, in C order."""
    flat = coords[0]
    for c, n in zip(coords[1:], shape[1:], strict=True):
        flat = flat * n + c
    return flat


def _unflat(places: ndarray, shape: tuple[int, ...]) -> list[ndarray]:
    found: list[ndarray] = []
    for n in shape[:0:-1]:
        found.append(places % max(n, 1))
        places = places // max(n, 1)
    return [places, *found[::-1]] if shape else []


def _joined(ours: ndarray, wanted: ndarray) -> tuple[ndarray, ndarray]:
    """All pairs of places where two arrays are equal."""
    order = np.argsort(wanted, kind="stable")
    in_order = wanted[order]
    low = np.searchsorted(in_order, ours, side="left")
    counts = np.searchsorted(in_order, ours, side="right") - low
    first = np.repeat(np.arange(ours.shape[0], device=ours.device), counts)
    begins = (counts.cumsum() - counts)[first]
    step = np.arange(first.shape[0], device=ours.device) - begins
    return first, order[low[first] + step]


def _in_slice(c: ndarray, item: slice, n: int) -> tuple[ndarray, ndarray]:
    """Which coordinates a slice has, and where they go."""
    begin, end, step = item.indices(n)
    length = len(range(begin, end, step))
    if not length:
        return np.zeros(c.shape, bool, device=c.device), c
    last = begin + (length - 1) * step
    inside = (c >= min(begin, last)) & (c <= max(begin, last))
    away = c - begin
    if abs(step) > 1:
        inside = inside & (away % step == 0)
    return inside, away if step == 1 else away // step


class Products(Extrema):
    """What coordinates are multiplied by, and indexed with."""

    data: ndarray
    coords: tuple[ndarray, ...]
    has_canonical_format: bool

    def _flat(self) -> ndarray:
        """One number for each element, in C order."""
        if self.ndim == 1:
            return self.coords[0]
        flat = self.coords[0].astype(numpy.int64)
        for c, n in zip(self.coords[1:], self._shape[1:], strict=True):
            flat = flat * n + c
        return flat

    # --- parts ---

    def __getitem__(self, key: object) -> Any:
        if not self._is_array:
            raise TypeError(f"'{type(self).__name__}' object is not subscriptable")
        return self._get(read_key(key, self.shape, self.format, self.device))

    def _get(self, key: Key) -> Any:
        """The part that an index means, always an array of coordinates."""
        kept = np.ones(self.data.shape, bool, device=self.device)
        places: list[ndarray] = []  # along the axes of slices
        joined: list[int] = []
        for axis, (item, c) in enumerate(zip(key.items, self.coords, strict=True)):
            if isinstance(item, int):
                kept = kept & (c == item)
            elif isinstance(item, slice):
                if item.indices(self.shape[axis]) != (0, self.shape[axis], 1):
                    inside, c = _in_slice(c, item, self.shape[axis])
                    kept = kept & inside
                places.append(c)
            else:
                joined.append(axis)
        if key.shape == ():
            if self.dtype == bool:
                return (self.data & kept).any()._snapshot()[()]
            zero = self.dtype.type(0)
            return np.where(kept, self.data, zero).sum(dtype=self.dtype)._snapshot()[()]
        chosen = np.flatnonzero(kept)
        new: list[ndarray] = []
        if joined:
            arrays = np.broadcast_arrays(*(key.items[a] for a in joined))
            shape = tuple(self.shape[a] for a in joined)
            ours = _flat([self.coords[a][chosen].astype(numpy.int64) for a in joined], shape)
            first, second = _joined(ours, _flat([a.reshape(-1) for a in arrays], shape))
            chosen = chosen[first]
            new = _unflat(second, arrays[0].shape)
        coords = [c[chosen] for c in places]
        if new:
            at = key.together[0]
            if len(key.together) != key.together[-1] - key.together[0] + 1 and len(joined) > 1:
                at = 0
            coords = [*coords[:at], *new, *coords[at:]]
        for at in key.new_axes:
            coords.insert(at, np.zeros(chosen.shape, self.coords[0].dtype, device=self.device))
        kind = self._index_dtype(self.coords, maxval=max(key.shape))
        kind = numpy.int64 if len(key.shape) > 2 else kind
        from heddle.scipy.sparse._coo import coo_array

        return coo_array._made(
            key.shape,
            coords=tuple(c.astype(kind, copy=False) for c in coords),
            data=self.data[chosen],
            has_canonical_format=False,
        )

    def __setitem__(self, key: object, value: object) -> None:
        if not self._is_array:
            raise TypeError(f"'{type(self).__name__}' object does not support item assignment")
        found = read_key(key, self.shape, self.format, self.device)
        sparse = as_sparse(value, self.device)
        if sparse is not None:
            if 0 in sparse.shape:
                return
            value = sparse.toarray()
        x = given_array(value, self.dtype, self.device)
        if x.size == 0:
            return
        shape = tuple(n for i, n in enumerate(found.shape) if i not in found.new_axes)
        x = np.broadcast_to(x if x.shape == shape else x.squeeze(), shape)
        grids = self._grids(found, shape)
        target = _flat([g.reshape(-1) for g in grids], self.shape)
        values = x.reshape(-1)
        # Of equal places the last one counts; zeros are not stored.
        order = np.argsort(target, kind="stable")
        target, values = target[order], values[order]
        last = np.ones(target.shape, bool, device=self.device)
        last[:-1] = target[1:] != target[:-1]
        ends = np.flatnonzero(last)
        target, values = target[ends], values[ends]
        ours = self._flat().astype(numpy.int64)
        where = np.minimum(np.searchsorted(target, ours), max(target.shape[0] - 1, 0))
        old = np.flatnonzero(target[where] != ours) if target.shape[0] else slice(None)
        new = np.flatnonzero(values)
        more = _unflat(target[new], self.shape)
        self.data = np.concatenate([self.data[old], values[new]])
        self.coords = tuple(
            np.concatenate([c[old], m.astype(c.dtype)])
            for c, m in zip(self.coords, more, strict=True)
        )
        self.has_canonical_format = False

    def _grids(self, key: Key, shape: tuple[int, ...]) -> list[ndarray]:
        """The places that are written, along each axis."""
        arrays = [i for i, item in enumerate(key.items) if isinstance(item, own_array)]
        common = np.broadcast_arrays(*(key.items[i] for i in arrays)) if arrays else []
        wide = len(common[0].shape) if arrays else 0
        apart = bool(key.together) and (len(key.together) != key.together[-1] - key.together[0] + 1)
        at = 0 if apart and len(arrays) > 1 else (key.together[0] if arrays else 0)
        grids: list[ndarray] = []
        axis = wide if arrays and at == 0 else 0
        passed = at == 0
        for i, item in enumerate(key.items):
            if arrays and not passed and i == key.together[0]:
                axis, passed = axis + wide, True
            if isinstance(item, int):
                grid = np.full((1,) * len(shape), item, numpy.int64, device=self.device)
            elif isinstance(item, slice):
                steps = np.arange(
                    *item.indices(self.shape[i]), dtype=numpy.int64, device=self.device
                )
                grid = steps.reshape((-1, *(1,) * (len(shape) - axis - 1)))
                axis += 1
            else:
                a = common[arrays.index(i)]
                grid = a.reshape((*a.shape, *(1,) * (len(shape) - at - wide)))
            grids.append(np.broadcast_to(grid, shape))
        return grids

    # --- products ---

    def _matmul_dispatch(self, other: Any) -> Any:
        found = self._operand(other)
        if found is None:
            return NotImplemented
        if is_scalar(found) or (self.ndim < 3 and found.ndim < 3):
            return super()._matmul_dispatch(found)
        inner = found.shape[-1] if found.ndim == 1 else found.shape[-2]
        if self.shape[-1] != inner:
            raise ValueError(
                "matmul: dimension mismatch with signature "
                f"(n,..,k={self.shape[-1]}),(k={inner},..,m)->(n,..,m)"
            )
        try:
            batch = tuple(numpy.broadcast_shapes(self.shape[:-2], found.shape[:-2]))
        except ValueError as error:
            raise ValueError("Batch dimensions are not broadcastable") from error
        one = self.reshape(1, -1) if self.ndim == 1 else self
        other = found.reshape(-1, 1) if found.ndim == 1 else found
        result = _batched(one, other, batch)
        shape = [*batch, one.shape[-2], other.shape[-1]]
        if self.ndim == 1:
            del shape[-2]
        if found.ndim == 1:
            del shape[-1]
        return result.reshape(tuple(shape))

    def _rmatmul_dispatch(self, other: ArrayLike) -> Any:
        found = self._operand(other)
        if found is None:
            return NotImplemented
        if is_scalar(found) or (self.ndim < 3 and found.ndim < 3):
            return super()._rmatmul_dispatch(found)
        result = _swapped(self)._matmul_dispatch(_swapped(found))
        if self.ndim == 1 or found.ndim == 1:
            return result
        return _swapped(result)

    def _broadcast_to(self, shape: tuple[int, ...]) -> Any:
        """With axes repeated."""
        if self.shape == shape:
            return self
        a: Any = self.reshape((1,) * (len(shape) - self.ndim) + self.shape)
        coords, data = list(a.coords), a.data
        for axis, (old, new) in enumerate(zip(a.shape, shape, strict=True)):
            if old == new:
                continue
            count = data.shape[0]
            coords = [np.tile(c, new) for c in coords]
            coords[axis] = np.repeat(np.arange(new, device=self.device), count)
            data = np.tile(data, new)
        return type(self)._made(
            shape,
            coords=tuple(c.astype(numpy.int64) for c in coords),
            data=data,
            has_canonical_format=False,
        )

    @overload
    def dot(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def dot(self, other: DenseArray | Sequence[object]) -> ndarray: ...
    def dot(self, other: Any) -> Any:
        """The sum of products over the last axis, and the last but one of `other`."""
        found = self._operand(other)
        if found is None:
            raise TypeError(f"dot argument not supported type: '{type(other)}'")
        if is_scalar(found):
            return self * found
        if self.shape[-1] != found.shape[-2:][0]:
            raise ValueError(f"shapes {self.shape} and {found.shape} are not aligned for n-D dot")
        if self.ndim < 3 and found.ndim < 3:
            return self @ found
        return self.tensordot(found, ([self.ndim - 1], [max(0, found.ndim - 2)]))

    @overload
    def tensordot(self, other: SparseLike, axes: object = 2) -> SparseBase | ndarray: ...
    @overload
    def tensordot(self, other: DenseArray | Sequence[object], axes: object = 2) -> ndarray: ...
    def tensordot(self, other: Any, axes: object = 2) -> Any:
        """The sum of products over axes of both: the last and first so many, or two lists.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy import sparse
        >>> a = sparse.coo_array(np.arange(6).reshape(1, 2, 3))
        >>> a.tensordot(np.ones((2, 3))).tolist()
        [15.0]
        """
        found = self._operand(other)
        if found is None or is_scalar(found):
            raise TypeError(f"tensordot arg not supported type: '{type(other)}'")
        mine, theirs = _summed_axes(self.ndim, found.ndim, axes)
        if any(self.shape[a] != found.shape[b] for a, b in zip(mine, theirs, strict=True)):
            raise ValueError("sizes of the corresponding axes must match")
        left = [a for a in range(self.ndim) if a not in mine]
        right = [b for b in range(found.ndim) if b not in theirs]
        shape = tuple(self.shape[a] for a in left) + tuple(found.shape[b] for b in right)
        inner = prod(self.shape[a] for a in mine)
        turned: Any = self.transpose(axes=(*left, *mine)).reshape(-1, inner)
        if isinstance(found, Operators):
            second = found.tocoo().transpose(axes=(*theirs, *right))
            product = (turned.tocsr() @ second.reshape(inner, -1).tocsr()).tocoo()
            if not shape:
                return product.sum()
            made = product.reshape(shape)
            return made
        second = found.transpose(*theirs, *right).reshape(inner, -1)
        product = turned.tocsr() @ second
        made = product.reshape(shape) if shape else product.reshape(())[()]
        return made


def _summed_axes(ndim: int, other: int, axes: object) -> tuple[list[int], list[int]]:
    if isinstance(axes, (int, numpy.integer)):
        count = operator.index(axes)
        if not 1 <= count <= min(ndim, other):
            raise ValueError("axes integer is out of bounds for input arrays")
        return list(range(ndim - count, ndim)), list(range(count))
    if not isinstance(axes, (tuple, list)):
        raise TypeError("axes must be an integer or a tuple/list of integers")
    if len(axes) != 2:
        raise ValueError("axes must be a tuple/list of length 2")
    mine, theirs = ([a] if isinstance(a, (int, numpy.integer)) else list(a) for a in axes)
    if len(mine) != len(theirs):
        raise ValueError("axes lists/tuples must be of the same length")
    found = []
    for places, n in ((mine, ndim), (theirs, other)):
        if any(not -n <= a < n for a in places):
            raise ValueError("axes indices are out of bounds for input arrays")
        found.append([int(a) % n for a in places])
    return found[0], found[1]


def _swapped(a: Any) -> Any:
    """With the last two axes exchanged."""
    n = a.ndim
    if n < 2:
        return a
    axes = (*range(n - 2), n - 1, n - 2)
    return a.transpose(axes) if isinstance(a, own_array) else a.tocoo().transpose(axes=axes)


def _batched(one: Any, other: Any, batch: tuple[int, ...]) -> Any:
    """Products of matrices along the axes before the last two: as one of block diagonals."""
    count = prod(batch)
    m, k = one.shape[-2:]
    n = other.shape[-1]
    a = _blocks(one.tocoo()._broadcast_to((*batch, m, k)), count)
    if isinstance(other, Operators):
        b = _blocks(other.tocoo()._broadcast_to((*batch, k, n)), count)
        made = (a @ b).tocoo()
        coords = (made.row // max(m, 1), made.row % max(m, 1), made.col % max(n, 1))
        return type(one)._made(
            (count, m, n),
            coords=tuple(c.astype(numpy.int64) for c in coords),
            data=made.data,
            has_canonical_format=False,
        )
    dense = np.broadcast_to(other, (*batch, k, n)).reshape(count * k, n)
    return a @ np.ascontiguousarray(dense).astype(upcast(one.dtype, other.dtype))


def _blocks(a: Any, count: int) -> Any:
    """The matrices of an array as blocks along a diagonal, in compressed rows."""
    m, n = a.shape[-2:]
    which = _flat([c.astype(numpy.int64) for c in a.coords[:-2]], a.shape[:-2])
    made = type(a)._made(
        (count * m, count * n),
        coords=(which * m + a.coords[-2], which * n + a.coords[-1]),
        data=a.data,
        has_canonical_format=False,
    )
    return made.tocsr()
