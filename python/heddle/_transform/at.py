"""x.at[index].set(y) and its like: changed copies, for those who like it pure."""

from collections.abc import Callable
from typing import Any

import heddle as hd


class At:
    """What ``x.at`` is: index it, and say what is to become of the elements there."""

    __slots__ = ("_array",)

    def __init__(self, array: hd.ndarray) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> "Place":
        return Place(self._array, index)

    def __repr__(self) -> str:
        return f"{self._array!r}.at"


class Place:
    """Elements of an array, of which changed copies are made.

    >>> import heddle as np
    >>> x = np.arange(4)
    >>> print(x.at[1:3].add(10), x.at[0].set(7), x)
    [ 0 11 12  3] [7 1 2 3] [0 1 2 3]
    """

    __slots__ = ("_array", "_index")

    def __init__(self, array: hd.ndarray, index: Any) -> None:
        self._array, self._index = array, index

    def get(self) -> Any:
        """The elements."""
        return self._array[self._index]

    def set(self, values: Any) -> hd.ndarray:
        """A copy with other elements there."""
        made = self._array.copy()
        made[self._index] = values
        return made

    def _accumulated(self, ufunc: Any, values: Any) -> hd.ndarray:
        made = self._array.copy()
        ufunc.at(made, self._index, values)
        return made

    def add(self, values: Any) -> hd.ndarray:
        """A copy with values added there; an index that is there twice counts twice."""
        return self._accumulated(hd.add, values)

    def subtract(self, values: Any) -> hd.ndarray:
        """A copy with values subtracted there."""
        return self._accumulated(hd.subtract, values)

    def multiply(self, values: Any) -> hd.ndarray:
        """A copy with the elements there multiplied."""
        return self._changed(lambda old: old * values, hd.multiply, values)

    mul = multiply

    def divide(self, values: Any) -> hd.ndarray:
        """A copy with the elements there divided."""
        return self._changed(lambda old: old / values, hd.divide, values)

    def power(self, values: Any) -> hd.ndarray:
        """A copy with the elements there raised to powers."""
        return self._changed(lambda old: old**values, hd.power, values)

    def min(self, values: Any) -> hd.ndarray:
        """A copy with the smaller of what is there and the values."""
        return self._changed(lambda old: hd.minimum(old, values), hd.minimum, values)

    def max(self, values: Any) -> hd.ndarray:
        """A copy with the larger of what is there and the values."""
        return self._changed(lambda old: hd.maximum(old, values), hd.maximum, values)

    def apply(self, func: Callable[[Any], Any]) -> hd.ndarray:
        """A copy with a function applied to the elements there."""
        return self.set(func(self.get()))

    def _changed(self, f: Callable[[Any], Any], ufunc: Any, values: Any) -> hd.ndarray:
        parts = self._index if isinstance(self._index, tuple) else (self._index,)
        basic = all(isinstance(part, (int, slice, type(None), type(...))) for part in parts)
        # Nothing is there twice, and the elements are written as slices are.
        return self.set(f(self.get())) if basic else self._accumulated(ufunc, values)
