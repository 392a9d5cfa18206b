"""x.at[index].set(y) and its like: changed copies, for those who like it pure."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Literal, TypedDict, Unpack

import heddle as hd
from heddle import _core
from heddle._arguments import as_array_beside
from heddle._core import ufunc
from heddle._typing import ArrayLike, Index

# What becomes of indices that are out of bounds; None and "promise_in_bounds": they are errors.
Mode = Literal["promise_in_bounds", "drop", "fill", "clip", "wrap"] | None
_MODES = (None, "promise_in_bounds", "drop", "fill", "clip", "wrap")


class Promises(TypedDict, total=False):
    """What the caller knows of the indices."""

    mode: Mode
    # Each place is there once: what is there is read and written, instead of being added up.
    unique_indices: bool
    # That they are in order makes no difference here.
    indices_are_sorted: bool


def _read(promises: Promises) -> tuple[Mode, bool]:
    """The mode, and whether indices are unique; TypeError for other keywords."""
    for name in promises.keys() - Promises.__annotations__.keys():
        raise TypeError(f"at: there is no keyword {name!r}")
    return promises.get("mode"), bool(promises.get("unique_indices", False))


class At:
    """What ``x.at`` is: index it, and say what is to become of the elements there."""

    __slots__ = ("_array",)

    def __init__(self, array: hd.ndarray) -> None:
        self._array = array

    def __getitem__(self, index: Index) -> Place:
        return Place(self._array, index)

    def __repr__(self) -> str:
        return f"{self._array!r}.at"


def _is_number(part: ArrayLike) -> bool:
    """Whether a part of an index is an integer or an array of them."""
    if isinstance(part, (bool, slice, type(None), type(...))):
        return False
    if isinstance(part, int):
        return True
    return hd.asarray(part).dtype.kind in "iu"


def _parts_by_axis(index: Any, ndim: int) -> list[tuple[Any, int]]:
    """The parts of an index, with the axis of the array that each begins at."""
    parts = list(index) if isinstance(index, tuple) else [index]
    used = [
        0
        if part is None or part is ...
        else hd.asarray(part).ndim
        if not isinstance(part, slice) and not _is_number(part)
        else 1
        for part in parts
    ]
    found, axis = [], 0
    for part, width in zip(parts, used, strict=True):
        found.append((part, axis))
        axis += ndim - sum(used) if part is ... else width
    return found


def _padded(array: hd.ndarray, axes: tuple[int, ...], value: object) -> hd.ndarray:
    """One more place along some axes."""
    widths = [(0, int(i in axes)) for i in range(array.ndim)]
    return hd.pad(array, widths, constant_values=value)


class Place:
    """Elements of an array, of which changed copies are made.

    ``mode`` says what becomes of indices that are out of bounds: they are errors, or ``"clip"``
    takes the nearest element, ``"wrap"`` counts on from the other end, and ``"drop"`` and
    ``"fill"`` leave them out: reading gives ``fill_value`` there, which is nan, or as in JAX for
    types that have none. ``unique_indices`` promises that no place is there twice.

    >>> import heddle as np
    >>> x = np.arange(4)
    >>> print(x.at[1:3].add(10), x.at[0].set(7), x)
    [ 0 11 12  3] [7 1 2 3] [0 1 2 3]
    >>> print(x.at[np.array([1, 9])].set(7, mode="drop"))
    [0 7 2 3]
    """

    __slots__ = ("_array", "_index")

    def __init__(self, array: hd.ndarray, index: object) -> None:
        self._array, self._index = array, index

    def _inside(self, mode: Mode) -> tuple[Any, tuple[int, ...]]:
        """The index with all numbers in bounds, or one beyond where they are left out, and the
        axes along which some may be."""
        if mode not in _MODES:
            raise ValueError(f"at: mode is one of {_MODES[1:]}, not {mode!r}")
        if mode in (None, "promise_in_bounds"):
            return self._index, ()
        parts, axes = [], []
        for part, axis in _parts_by_axis(self._index, self._array.ndim):
            if not _is_number(part):
                parts.append(part)
                continue
            length = self._array.shape[axis]
            where = as_array_beside(part, self._array).astype("int64")
            if mode == "wrap":
                where = where % max(length, 1)
            else:
                where = hd.where(where < 0, where + length, where)
            if mode == "clip":
                where = hd.clip(where, 0, length - 1)
            elif mode != "wrap":
                is_inside = (where >= 0) & (where < length)
                where = hd.where(is_inside, where, length)
                axes.append(axis)
            parts.append(where)
        return tuple(parts), tuple(axes)

    def _room(self, axes: tuple[int, ...]) -> hd.ndarray:
        """A copy of the array with one more place along some axes, for what is left out."""
        return _padded(self._array, axes, 0) if axes else self._array.copy()

    def _without_room(self, made: hd.ndarray, axes: tuple[int, ...]) -> hd.ndarray:
        return made[tuple(map(slice, self._array.shape))] if axes else made

    def get(self, *, fill_value: object = None, **promises: Unpack[Promises]) -> hd.ndarray:
        """The elements."""
        index, axes = self._inside(_read(promises)[0])
        if not axes:
            return self._array[index]
        dtype = self._array.dtype
        if fill_value is None:
            fill_value = {"b": True, "i": None, "u": None}.get(dtype.kind, hd.nan)
            if fill_value is None:
                limits = hd.iinfo(dtype)
                fill_value = limits.min if dtype.kind == "i" else limits.max
        return _padded(self._array, axes, fill_value)[index]

    def set(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with other elements there."""
        index, axes = self._inside(_read(promises)[0])
        made = self._room(axes)
        made[index] = values
        return self._without_room(made, axes)

    def add(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with values added there; an index that is there twice counts twice."""
        return self._combined(operator.add, hd.add, values, promises)

    def subtract(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with values subtracted there."""
        return self._combined(operator.sub, hd.subtract, values, promises)

    def multiply(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with the elements there multiplied."""
        return self._combined(operator.mul, hd.multiply, values, promises)

    mul = multiply

    def divide(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with the elements there divided."""
        return self._combined(operator.truediv, hd.divide, values, promises)

    def power(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with the elements there raised to powers."""
        return self._combined(operator.pow, hd.power, values, promises)

    def min(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with the smaller of what is there and the values."""
        return self._combined(hd.minimum, hd.minimum, values, promises)

    def max(self, values: ArrayLike, **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with the larger of what is there and the values."""
        return self._combined(hd.maximum, hd.maximum, values, promises)

    def apply(self, func: Callable[[Any], Any], **promises: Unpack[Promises]) -> hd.ndarray:
        """A copy with a function applied to the elements there, as often as an index is there."""
        mode, unique = _read(promises)
        index, axes = self._inside(mode)
        made = self._room(axes)
        if unique or self._is_basic():
            made[index] = func(made[index])
            return self._without_room(made, axes)
        times = hd.zeros(made.shape, "int64", device=made.device)
        hd.add.at(times, index, 1)
        most = times.max(initial=0)
        # Where rows of a batch differ nobody knows how often: all indices may be one.
        unknown = _core.is_stand_in(most)
        for i in range(
            hd.zeros(made.shape, device=made.device)[index].size if unknown else int(most)
        ):
            made = hd.where(times > i, func(made), made).astype(made.dtype)
        return self._without_room(made, axes)

    def _is_basic(self) -> bool:
        """Whether no place can be there twice."""
        parts = self._index if isinstance(self._index, tuple) else (self._index,)
        return all(isinstance(part, (int, slice, type(None), type(...))) for part in parts)

    def _combined(
        self,
        f: Callable[[Any, Any], Any],
        ufunc: ufunc,
        values: ArrayLike | None,
        promises: Promises,
    ) -> hd.ndarray:
        mode, unique = _read(promises)
        index, axes = self._inside(mode)
        made = self._room(axes)
        if unique or self._is_basic():
            # Nothing is there twice, and the elements are written as slices are.
            made[index] = f(made[index], values)
        else:
            ufunc.at(made, index, values)
        return self._without_room(made, axes)
