"""What compiled functions leave: exceptions, and views of arrays that they were given."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from heddle._typing import HostArray


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
        error = kind(*arguments)
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
