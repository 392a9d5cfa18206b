"""ndarray.flat: an array seen as a flat sequence in C order."""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as _numpy

from heddle._core import ndarray
from heddle._inputs import as_array


class flatiter:
    """A flat iterator over an array that can also be indexed and assigned to."""

    def __init__(self, base: ndarray) -> None:
        self.base = base
        self.index = 0

    @property
    def coords(self) -> tuple[int, ...]:
        """The position of the next element."""
        return tuple(int(i) for i in _numpy.unravel_index(self.index, self.base.shape))

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[ndarray]:
        self.index = 0
        return self

    def __next__(self) -> ndarray:
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    def _flat(self) -> ndarray:
        return self.base._reshape((-1,))

    def __getitem__(self, key: Any) -> ndarray:
        key = self._checked(key)
        result = self._flat()[key]
        return result._copy("C") if isinstance(key, slice) or key is Ellipsis else result

    def _checked(self, key: Any) -> Any:
        if isinstance(key, tuple):
            if len(key) > 1:
                raise IndexError(
                    "too many indices for flat iterator: flat iterator is 1-dimensional, but "
                    f"{len(key)} were indexed"
                )
            key = key[0] if key else Ellipsis
        if isinstance(key, slice) or key is Ellipsis or isinstance(key, ndarray | list):
            return key
        if isinstance(key, flatiter):
            return key._flat()
        if isinstance(key, _numpy.ndarray):
            return as_array(key)
        try:
            index = operator.index(key)
        except TypeError:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are "
                "valid indices"
            ) from None
        size = self.base.size
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for size {size}")
        return index

    def __setitem__(self, key: Any, value: Any) -> None:
        key = self._checked(key)
        value = as_array(value)._reshape((-1,))
        view = self.base._reshape_view((self.base.size,))
        selected = _numpy.arange(self.base.size)[
            key._snapshot() if isinstance(key, ndarray) else key
        ]
        count = selected.size
        if value.size == 0:
            if count:
                raise ValueError("Error setting single item of array.")
            return
        if value.size not in (1, count):  # NumPy repeats what is too short and cuts the rest
            value = value[as_array(_numpy.arange(count) % value.size)]
        if view is not None:
            view[key] = value[0] if isinstance(key, int) else value
            return
        places = _numpy.unravel_index(selected.reshape(-1), self.base.shape)
        self.base[tuple(as_array(p) for p in places)] = value

    def copy(self) -> ndarray:
        """The elements as a new 1-d array."""
        return self._flat()._copy("C")

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        made = self._flat()._snapshot()
        return made if dtype is None else made.astype(dtype)

    def __eq__(self, other: object) -> Any:
        return self._flat() == _plain(other)

    def __ne__(self, other: object) -> Any:
        return self._flat() != _plain(other)

    def __lt__(self, other: Any) -> Any:
        return self._flat() < _plain(other)

    def __le__(self, other: Any) -> Any:
        return self._flat() <= _plain(other)

    def __gt__(self, other: Any) -> Any:
        return self._flat() > _plain(other)

    def __ge__(self, other: Any) -> Any:
        return self._flat() >= _plain(other)

    __hash__ = None


def _plain(other: Any) -> Any:
    return other._flat() if isinstance(other, flatiter) else other


__all__ = ["flatiter"]
