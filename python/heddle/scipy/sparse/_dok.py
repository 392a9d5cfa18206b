"""Dictionaries of keys: ``dok_array`` and ``dok_matrix``, to be built element by element."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any, Self, overload

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import Axes, Axis, Casting, DType, DTypeLike, HostArray, ShapeLike
from heddle.scipy.sparse._base import SparseBase, as_sparse, sparray
from heddle.scipy.sparse._hosted import Hosted
from heddle.scipy.sparse._matrix import spmatrix
from heddle.scipy.sparse._support import (
    check_dtype,
    check_shape,
    host_scalar,
    is_integer,
    is_scalar,
    is_shape,
    scalar_dtype,
    upcast,
)
from heddle.scipy.sparse._typing import DenseArray, Given, SparseLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._coo import CooBase
    from heddle.scipy.sparse._csr_csc import CscBase


class DokBase(Hosted, SparseBase):
    """What ``dok_array`` and ``dok_matrix`` have in common."""

    _format = "dok"
    _allow_nd: Any = (1, 2)
    _dict: dict[Any, Any]
    dtype: Any = None

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
        if isinstance(arg1, tuple) and is_shape(arg1, self._allow_nd):
            self._shape = check_shape((arg1,), allowed=self._allow_nd)
            self._dict, self.dtype = {}, check_dtype(dtype, default=float)
            return
        if sparse is not None:
            found = sparse.todok()
            if copy and found is sparse:
                found = sparse.copy()
            if dtype is not None:
                found = found.astype(dtype, copy=False)
        else:
            a = self._read_dense(arg1, lambda: TypeError("Invalid input format."))
            if a.ndim > 2:
                raise ValueError(f"DOK arrays don't yet support {a.ndim}D input.")
            found = self._container("coo")(a, shape=shape, dtype=dtype).todok()
        self._dict, self.dtype, self._device = found._dict, found.dtype, found._device
        self._shape = check_shape((found.shape,), allowed=self._allow_nd)

    # --- as a dictionary ---

    def update(self, val: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> None:
        """Takes elements over from a dictionary or from pairs of keys and values."""
        pairs: list[Any] = list(val.items() if hasattr(val, "items") else val)
        for key, _ in pairs:
            index = (key,) if is_integer(key) else tuple(key)
            if len(index) != self.ndim:
                raise IndexError(f"Index {key} length needs to match self.shape")
            for i, n in zip(index, self.shape, strict=True):
                if not is_integer(i):
                    raise IndexError(f"integer keys required for update. Got {key}")
                if i < 0:
                    raise IndexError(f"negative index {key} not allowed in update")
                if i >= n:
                    raise IndexError(f"index {key} is too large for self.shape")
        self._dict.update(pairs)

    def __len__(self) -> int:
        return len(self._dict)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        """One object, as SciPy's dictionary is: a length does not make it a list of its rows."""
        made = numpy.empty((), object)
        made[()] = self
        return made

    def __contains__(self, key: object) -> bool:
        return key in self._dict

    def setdefault(self, key: object, default: object = None, /) -> Any:
        """The element at a key; `default` becomes it if there is none."""
        return self._dict.setdefault(key, default)

    def __delitem__(self, key: object, /) -> None:
        del self._dict[key]

    def clear(self) -> None:
        """Drops all elements."""
        self._dict.clear()

    def pop(self, /, *args: object) -> Any:
        """Drops the element at a key, and gives it."""
        return self._dict.pop(*args)

    def popitem(self) -> tuple[Any, Any]:
        """Drops an element, and gives its key and value."""
        return self._dict.popitem()

    def items(self) -> ItemsView[Any, Any]:
        """Keys and values."""
        return self._dict.items()

    def keys(self) -> KeysView[Any]:
        """Places that have elements."""
        return self._dict.keys()

    def values(self) -> ValuesView[Any]:
        """Values of elements."""
        return self._dict.values()

    def get(self, key: Any = None, default: object = 0.0) -> Any:
        """The element at a key, or `default`; without a key, all of it as SciPy's own."""
        if key is None:
            return super().get()
        if key in self._dict:
            return self._dict[key]
        index = (key,) if is_integer(key) and self.ndim == 1 else key
        if len(index) != self.ndim:
            raise IndexError(f"Index {index} length needs to match self.shape")
        if not all(is_integer(i) for i in index):
            raise IndexError("Index must be or consist of integers.")
        index = tuple(
            int(i) + n if i < 0 else int(i) for i, n in zip(index, self.shape, strict=True)
        )
        if any(not 0 <= i < n for i, n in zip(index, self.shape, strict=True)):
            raise IndexError("Index out of bounds.")
        return self._dict.get(index[0] if self.ndim == 1 else index, default)

    def _refuse(self, other: object) -> None:
        if self._is_array:
            names = f"{type(self).__name__} and {type(other).__name__}"
            raise TypeError(f"unsupported operand type for |: {names}")

    def __or__(self, other: DokBase | dict[Any, Any]) -> dict[Any, Any]:
        self._refuse(other)
        return self._dict | getattr(other, "_dict", other)

    def __ror__(self, other: DokBase | dict[Any, Any]) -> dict[Any, Any]:
        self._refuse(other)
        return getattr(other, "_dict", other) | self._dict

    def __ior__(self, other: DokBase | dict[Any, Any]) -> Self:
        self._refuse(other)
        self._dict |= getattr(other, "_dict", other)
        return self

    def __reversed__(self) -> Iterator[Any]:
        if self._is_array:
            raise TypeError("reversed is not defined for dok_array type")
        found: Iterator[Any] = reversed(self._dict)
        return found

    @classmethod
    def fromkeys(cls, iterable: Iterable[Any], value: object = 1, /) -> Self:
        """One with the same value at some keys, as small as holds them."""
        found = dict.fromkeys(iterable, value)
        first = next(iter(found))
        if isinstance(first, tuple):
            shape = tuple(max(index) + 1 for index in zip(*found, strict=True))
        else:
            shape = (max(found) + 1,)
        made = cls(shape, dtype=type(value))
        made._dict = found
        return made

    # --- elements ---

    def _key(self, key: tuple[int, ...]) -> Any:
        return key[0] if self.ndim == 1 else key

    def _get_one(self, key: tuple[int, ...]) -> Any:
        return self._dict.get(self._key(key), self.dtype.type(0))

    def _set_one(self, key: tuple[int, ...], value: object) -> None:
        if value:
            self._dict[self._key(key)] = value
        else:
            self._dict.pop(self._key(key), None)

    def _replace(self, other: Given) -> None:
        self._dict = type(self)(other, dtype=self.dtype)._dict

    def _getnnz(self, axis: Axis | None = None) -> int:
        if axis is not None:
            raise NotImplementedError("_getnnz over an axis is not implemented for DOK format.")
        return len(self._dict)

    def count_nonzero(self, axis: Axis | None = None) -> int:  # type: ignore[override]
        """How many elements are not zero."""
        if axis is not None:
            raise NotImplementedError(
                "count_nonzero over an axis is not implemented for DOK format."
            )
        return sum(bool(v != 0) for v in self._dict.values())

    # --- conversions ---

    def todok(self, copy: bool = False) -> DokBase:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def _like(
        self,
        elements: dict[Any, Any],
        dtype: DType | None = None,
        shape: tuple[int, ...] | None = None,
    ) -> Self:
        made = type(self)(shape or self.shape, dtype=dtype or self.dtype)
        made._dict, made._device = elements, self._device
        return made

    def copy(self) -> Self:
        """A copy that shares nothing."""
        return self._like(dict(self._dict))

    def astype(self, dtype: DTypeLike, casting: Casting = "unsafe", copy: bool = True) -> Self:
        """With elements of another type."""
        dtype = check_dtype(dtype)
        if self.dtype == dtype:
            return self.copy() if copy else self
        values = numpy.array(list(self._dict.values()), self.dtype).astype(dtype)
        return self._like(dict(zip(self._dict, values, strict=True)), dtype)

    def tocoo(self, copy: bool = False) -> CooBase:
        """In coordinate format."""
        nnz = len(self._dict)
        kind = self._index_dtype(maxval=max(self.shape))
        data = numpy.fromiter(self._dict.values(), self.dtype, nnz)
        keys = numpy.array(list(self._dict), kind).reshape(nnz, self.ndim)
        made = self._container("coo")
        return made._made(
            self.shape,
            coords=tuple(
                np.asarray(keys[:, i].copy(), device=self._device) for i in range(self.ndim)
            ),
            data=np.asarray(data, device=self._device),
            has_canonical_format=nnz < 2,
        )

    def tocsc(self, copy: bool = False) -> CscBase:
        """In compressed columns."""
        if self.ndim == 1:
            raise NotImplementedError("tocsr() not valid for 1d sparse array")
        return self.tocoo(copy=False).tocsc(copy=copy)

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseBase:
        """With its axes exchanged."""
        if self.ndim == 1:
            return self.copy()
        self._check_axes(axes)
        turned = {(j, i): v for (i, j), v in self._dict.items()}
        return self._like(turned, shape=self.shape[::-1])

    def resize(self, *shape: object) -> None:
        """Changes the shape in place; elements beyond it are dropped."""
        new = check_shape(shape, allowed=self._allow_nd)
        if len(new) != self.ndim:
            raise NotImplementedError
        for key in list(self._dict):
            index = (key,) if self.ndim == 1 else key
            if any(i >= n for i, n in zip(index, new, strict=True)):
                del self._dict[key]
        self._shape = new

    # --- arithmetic ---

    @overload
    def __add__(self, other: SparseLike | complex) -> SparseBase: ...
    @overload
    def __add__(self, other: DenseArray) -> ndarray: ...
    def __add__(self, other: Any) -> Any:
        if is_scalar(other):
            other = host_scalar(other)
            dtype = scalar_dtype(self.dtype, other)
            return type(self)((self.toarray() + other).astype(dtype))
        found = as_sparse(other, self.device)
        if found is None:
            return super().__add__(other)
        if found.shape != self.shape:
            raise ValueError("Matrix dimensions are not equal.")
        dtype = upcast(self.dtype, found.dtype)
        made = self.astype(dtype)
        with numpy.errstate(over="ignore"):
            for key, value in found.todok().items():
                before = made._dict.get(key, dtype.type(0))
                made._dict[key] = dtype.type(before + value)
        return made

    __radd__ = __add__

    def __neg__(self) -> DokBase:
        if self.dtype.kind == "b":
            raise NotImplementedError("Negating a sparse boolean matrix is not supported.")
        return self._like({k: -v for k, v in self._dict.items()})

    def _mul_scalar(self, other: object) -> Any:
        other = host_scalar(other)
        dtype = scalar_dtype(self.dtype, other)
        return self._like({k: dtype.type(v * other) for k, v in self._dict.items()}, dtype)

    @overload
    def __truediv__(self, other: SparseLike) -> ndarray: ...
    @overload
    def __truediv__(self, other: DenseArray | Sequence[object] | complex) -> SparseBase: ...
    def __truediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return self.tocsr() / other
        other = host_scalar(other)
        dtype = scalar_dtype(self.dtype, other)
        return self._like({k: v / other for k, v in self._dict.items()}, dtype)

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        if not is_scalar(other):
            return NotImplemented
        other = host_scalar(other)
        self._dict.update((k, v * other) for k, v in self._dict.items())
        return self

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        if not is_scalar(other):
            return NotImplemented
        other = host_scalar(other)
        self._dict.update((k, v / other) for k, v in self._dict.items())
        return self

    def diagonal(self, k: int = 0) -> ndarray:
        """The elements ``a[i, i + k]``."""
        if self.ndim != 2:
            raise ValueError("diagonal requires two dimensions")
        return super().diagonal(k)


class dok_array(sparray, DokBase):
    """A sparse array that is a dictionary of keys, to be built element by element.

    ``dok_array(dense)``, ``dok_array(sparse)`` or ``dok_array(shape)``.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> a = sparse.dok_array((2, 3), dtype=int)
    >>> a[1, 2] = 7
    >>> a.toarray()
    array([[0, 0, 0],
           [0, 0, 7]])
    """


class dok_matrix(spmatrix, DokBase):  # type: ignore[misc]
    """A sparse matrix that is a dictionary of keys; ``*`` is the matrix product.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.dok_matrix([[0, 4], [0, 0]]).nnz
    1
    """
