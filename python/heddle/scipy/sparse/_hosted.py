"""Indexing of the formats that are Python's own containers: lists and dictionaries.

One element is read and written there; parts are read from compressed rows, and written element by
element.
"""

from __future__ import annotations

from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import DType, HostArray
from heddle.scipy.sparse._base import SparseBase, as_sparse
from heddle.scipy.sparse._described import Described
from heddle.scipy.sparse._keys import read_flat_key, read_key
from heddle.scipy.sparse._support import given_array


class Hosted(Described):
    """Indices of lists and dictionaries."""

    def _get_one(self, place: tuple[int, ...]) -> Any:
        raise NotImplementedError

    def _set_one(self, place: tuple[int, ...], value: object) -> None:
        raise NotImplementedError

    def _replace(self, other: SparseBase) -> None:
        """Everything is that of another one."""
        raise NotImplementedError

    def _place(self, key: object) -> tuple[int, int] | None:
        """Where the one element lies that a key of two plain numbers names."""
        if type(key) is not tuple or len(key) != 2 or self.ndim != 2:
            return None
        i, j = key
        if type(i) is not int or type(j) is not int:
            return None
        m, n = self.shape
        i, j = i + m if i < 0 else i, j + n if j < 0 else j
        return (i, j) if 0 <= i < m and 0 <= j < n else None

    def __getitem__(self, key: object) -> Any:
        place = self._place(key)
        if place is not None:
            return self._get_one(place)
        found = read_flat_key(key, self)
        if all(isinstance(item, int) for item in found.items):
            value = self._get_one(found.items)
            if found.shape == ():
                return value
            shape = found.shape if self._is_array else (1, 1)
            dense = np.full(shape, value, dtype=self.dtype, device=self.device)
            return dense if self.ndim == 2 else self._anew(dense)
        coo = self.tocoo()
        result = coo._get(found)
        if not self._is_array and result.ndim == 1:
            shape = (1, result.shape[0])
            if not isinstance(found.items[0], int) and isinstance(found.items[1], int):
                shape = shape[::-1]
            result = result.reshape(shape)
            result = self._container("coo")._made(
                result.shape, coords=result.coords, data=result.data, has_canonical_format=False
            )
        if self.ndim == 2 and result.ndim == 1:
            return result
        return self._container(self.format)(result)

    def __setitem__(self, key: object, value: object) -> None:
        place = self._place(key)
        if place is not None and _fits(value, self.dtype):
            self._set_one(place, self.dtype.type(value))
            return
        found = read_key(key, self.shape, self.format, self.device)
        sparse = as_sparse(value)
        if sparse is not None:
            if sparse.shape == self.shape and _is_whole(key):
                self._replace(sparse)
                return
            value = sparse.toarray()
        x = given_array(value, self.dtype)._snapshot()
        if all(isinstance(item, int) for item in found.items):
            if x.size != 1:
                raise ValueError("Trying to assign a sequence to an item")
            self._set_one(found.items, x.reshape(-1)[0])
            return
        grids = _grids(found.items, self.shape)
        shape = grids[0].shape
        if x.size == 0 and (sparse is not None or 0 in shape):
            return
        if tuple(n for n in x.shape if n != 1) != tuple(n for n in shape if n != 1):
            x = _broadcast(x, shape)
        values = x.reshape(-1)
        places = zip(*(grid.reshape(-1).tolist() for grid in grids), strict=True)
        for place, v in zip(places, values, strict=True):
            self._set_one(place, v)

    def _setdiag(self, values: ndarray, k: int) -> None:
        m, n = self.shape
        length = min(m + min(k, 0), n - max(k, 0))
        x = values._snapshot().astype(self.dtype)
        if x.ndim:
            length = min(length, x.shape[0])
        for i in range(length):
            self._set_one((i + max(-k, 0), i + max(k, 0)), x[i] if x.ndim else x[()])


def _fits(value: object, dtype: DType) -> bool:
    """Whether a plain number is one of the type, and nobody has anything to say about it."""
    if type(value) is float:
        return dtype.kind in "fc"
    if type(value) is int:
        return dtype.kind in "fc" or (dtype.kind == "i" and abs(value) <= numpy.iinfo(dtype).max)
    return False


def _broadcast(x: HostArray, shape: tuple[int, ...]) -> Any:
    try:
        return numpy.broadcast_to(x, shape)
    except ValueError as error:
        raise ValueError(
            f"operands could not be broadcast together with shapes {x.shape} {shape}"
        ) from error


def _is_whole(key: object) -> bool:
    keys = key if isinstance(key, tuple) else (key,)
    return all(isinstance(k, slice) and k == slice(None) for k in keys)


def _grids(items: tuple[Any, ...], shape: tuple[int, ...]) -> list[Any]:
    """The places that are written, along each axis."""
    found: list[Any] = []
    for item, n in zip(items, shape, strict=True):
        if isinstance(item, slice):
            found.append(numpy.arange(*item.indices(n)))
        elif isinstance(item, int):
            found.append(numpy.array([item]))
        else:
            found.append(item._snapshot())
    if len(found) == 2:
        if isinstance(items[0], slice):
            found[0] = found[0][:, None]
        if isinstance(items[1], slice):
            found[1] = found[1][None, :]
            if found[0].ndim == 1:
                found[0] = found[0][:, None]
    return list(numpy.broadcast_arrays(*found))
