"""ndarray.flat: an array seen as a flat sequence in C order."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as _numpy

from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DTypeLike, HostArray, Index


class flatiter:
    """A flat iterator over an array that can also be indexed and assigned to.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([[1, 2], [3, 4]])
    >>> x.flat[2]
    np.int64(3)
    >>> x.flat[:] = 0
    >>> x
    array([[0, 0],
           [0, 0]])
    """

    def __init__(self, base: ndarray) -> None:
        self._base = base
        self._index = 0

    @property
    def base(self) -> ndarray:
        """The array that is iterated over."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements were seen."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The position of the next element."""
        return tuple(int(i) for i in _numpy.unravel_index(self.index, self.base.shape))

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[ndarray]:
        self._index = 0
        return self

    def __next__(self) -> ndarray:
        if self._index >= self.base.size:
            raise StopIteration
        self._index += 1
        return self[self._index - 1]

    def _flat(self) -> ndarray:
        return self.base._reshape((-1,))

    def __getitem__(self, key: Index) -> ndarray:
        key = self._checked(key)
        result = self._flat()[key]
        return result._copy("C") if isinstance(key, slice) or key is Ellipsis else result

    def _checked(self, key: Any) -> Any:
        """The index as a slice, an ellipsis, an integer in bounds or an array of ours."""
        if isinstance(key, tuple):
            if len(key) > 1:
                raise IndexError(
                    "too many indices for flat iterator: flat iterator is 1-dimensional, but "
                    f"{len(key)} were indexed"
                )
            key = key[0] if key else Ellipsis
            given = isinstance(key, own_array | _numpy.ndarray)
        else:
            given = key is True or key is False or isinstance(key, own_array | _numpy.ndarray)
        if isinstance(key, slice) or key is Ellipsis:
            return key
        if isinstance(key, flatiter):
            key, given = key._flat(), True
        if given:
            return self._of_array(as_array(key))
        try:
            return self._in_bounds(operator.index(key))
        except TypeError:
            return self._of_array(_invalid_before(key))

    def _of_array(self, key: ndarray) -> ndarray | int | slice:
        size = self.base.size
        if key.dtype != bool:
            if key.dtype.kind not in "iu":
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
            return key if key.ndim else self._in_bounds(operator.index(key))
        if key.ndim > 1:
            raise IndexError(
                "too many indices for flat iterator: flat iterator is 1-dimensional, but "
                f"{key.ndim} were indexed"
            )
        if key.ndim == 0:
            warnings.warn(
                "Indexing flat iterators with a 0-dimensional boolean index is deprecated and may "
                "be removed in a future version. (Deprecated NumPy 2.4)",
                DeprecationWarning,
                stacklevel=4,
            )
            return self._in_bounds(0) if key._item() else slice(0, 0)
        if key.size not in (0, size):
            raise IndexError(
                "boolean index did not match indexed flat iterator along axis 0; size of axis is "
                f"{size} but size of corresponding boolean axis is {key.size}"
            )
        return key

    def _in_bounds(self, index: int) -> int:
        size = self.base.size
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for size {size}")
        return index

    def __setitem__(self, key: Index, value: ArrayLike) -> None:
        if isinstance(key, tuple) and not key:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        found = self._checked(key)
        if isinstance(found, int):
            try:
                self.base[tuple(_numpy.unravel_index(found % self.base.size, self.base.shape))] = (
                    value
                )
            except (TypeError, OverflowError) as error:
                raise ValueError("Error setting single item of array.") from error
            return
        held = isinstance(value, own_array | _numpy.ndarray)
        value = (as_array(value) if held else as_array(value, self.base.dtype))._reshape((-1,))
        view = self.base._reshape_view((self.base.size,))
        selected = _numpy.arange(self.base.size)[
            found._snapshot() if isinstance(found, own_array) else found
        ]
        count = selected.size
        if value.size == 0:
            if count:
                raise ValueError("Error setting single item of array.")
            return
        if value.size not in (1, count):  # NumPy repeats what is too short and cuts the rest
            value = value[as_array(_numpy.arange(count) % value.size)]
        if view is not None:
            view[found] = value
            return
        places = _numpy.unravel_index(selected.reshape(-1), self.base.shape)
        self.base[tuple(as_array(p) for p in places)] = value

    def __delitem__(self, key: object) -> None:
        raise TypeError("Cannot delete iterator elements")

    def copy(self, /) -> ndarray:
        """The elements as a new 1-d array."""
        return self._flat()._copy("C")

    def __array__(
        self, dtype: DTypeLike | None = None, /, *, copy: bool | None = None
    ) -> HostArray:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        made = self._flat()._snapshot()
        return made if dtype is None else made.astype(dtype)

    def __eq__(self, other: object) -> ndarray:  # type: ignore[override]
        made: ndarray = self._flat() == _plain(other)
        return made

    def __ne__(self, other: object) -> ndarray:  # type: ignore[override]
        made: ndarray = self._flat() != _plain(other)
        return made

    def __lt__(self, other: object) -> ndarray:
        made: ndarray = self._flat() < _plain(other)
        return made

    def __le__(self, other: object) -> ndarray:
        made: ndarray = self._flat() <= _plain(other)
        return made

    def __gt__(self, other: object) -> ndarray:
        made: ndarray = self._flat() > _plain(other)
        return made

    def __ge__(self, other: object) -> ndarray:
        made: ndarray = self._flat() >= _plain(other)
        return made

    __hash__ = None  # type: ignore[assignment]


def _invalid_before(key: Any) -> ndarray:
    """Indices from a sequence or a number: NumPy still takes floats, with a warning."""
    try:
        made = None if isinstance(key, str | bytes) or key is None else as_array(key)
    except TypeError:
        made = None
    if made is not None and made.dtype == bool:
        raise IndexError(
            "boolean indices for iterators are not supported because of previous behavior that "
            "was confusing (valid boolean indices are expected to work in the future)"
        )
    if made is None or made.dtype.kind not in "iuf":
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are "
            "valid indices"
        )
    if made.dtype.kind == "f" and made.size:
        warnings.warn(
            "Invalid non-array indices for iterator objects are deprecated and will be removed in "
            "a future version. (Deprecated NumPy 2.4)",
            DeprecationWarning,
            stacklevel=4,
        )
    return as_array(made, _numpy.int64)


def _plain(other: object) -> Any:
    return other._flat() if isinstance(other, flatiter) else other


__all__ = ["flatiter"]
