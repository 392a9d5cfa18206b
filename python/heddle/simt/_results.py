"""What compiled functions leave: exceptions, and views of arrays that they were given."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from heddle._typing import HostArray

# What an exception says that is known when it is raised: a number, and a text that has some.
CARRIED, JOINED = "\0carried", "\0joined"


def _said(given: Any, words: tuple[int, ...]) -> Any:
    if not isinstance(given, tuple) or not given:
        return given
    if given[0] == CARRIED:
        word = np.int64(words[given[1]])
        kinds = {"f": np.float64, "u": np.uint64}
        return bool(word) if given[2] == "b" else word.view(kinds.get(given[2], np.int64)).item()
    if given[0] == JOINED:
        return "".join(format(_said(one, words), form) for one, form in given[1])
    return given


class Failures:
    """Raises what a function has reported: the exceptions it may end with, by number."""

    def __init__(
        self, function: types.FunctionType, known: dict[int, tuple[Any, tuple[Any, ...], str]]
    ) -> None:
        self.name = function.__name__
        self.known = known

    def __call__(self, site: int, index: int, extent: int, axis: int) -> None:
        kind, arguments, where = self.known[site]
        if kind is IndexError and not arguments:
            arguments = (f"index {index} is out of bounds for axis {axis} with size {extent}",)
        words = (index, extent, axis)
        error = kind(*(_said(given, words) for given in arguments))
        error.add_note(f"  {where} (compiled)")
        raise error


class _Lent:
    """Memory of an array of NumPy's, through another layout."""

    def __init__(
        self, base: HostArray, address: int, shape: object, strides: object, dtype: str
    ) -> None:
        self.base = base
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "strides": strides,
            "typestr": np.dtype(dtype).str,
            "data": (address, not base.flags.writeable),
        }


def view_of(
    base: HostArray, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: str
) -> HostArray:
    """Part of an array of NumPy's."""
    return np.asarray(_Lent(base, address, shape, strides, dtype))
