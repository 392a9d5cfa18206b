"""What annotations say: the types of arguments that many functions have."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from types import EllipsisType
from typing import IO, Any, Literal, SupportsIndex, TypeAlias, Union

import numpy
import numpy.typing

from heddle._core import ndarray

# Arrays of anybody, numbers, nested sequences of them.
ArrayLike: TypeAlias = ndarray | numpy.typing.ArrayLike
DTypeLike: TypeAlias = numpy.typing.DTypeLike
ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axis: TypeAlias = SupportsIndex
Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...]
Output: TypeAlias = Union[ndarray, "numpy.ndarray[Any, Any]"]
Order: TypeAlias = Literal["C", "F", "A", "K"]
Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
IndexMode: TypeAlias = Literal["raise", "wrap", "clip"]
SortKind: TypeAlias = Literal["quicksort", "mergesort", "heapsort", "stable"]
Norm: TypeAlias = Literal["backward", "ortho", "forward"]
BinRule: TypeAlias = Literal["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]
Bins: TypeAlias = ArrayLike | BinRule
QuantileMethod: TypeAlias = Literal[
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]
# One part of an index, and a whole one.
IndexPart: TypeAlias = SupportsIndex | slice | EllipsisType | ArrayLike | None
Index: TypeAlias = IndexPart | tuple[IndexPart, ...]
Buffer: TypeAlias = Union[bytes, bytearray, memoryview, "numpy.ndarray[Any, Any]"]
File: TypeAlias = Union[str, "PathLike[str]", IO[Any]]

__all__ = [
    "ArrayLike",
    "Axes",
    "Axis",
    "BinRule",
    "Bins",
    "Buffer",
    "Casting",
    "DTypeLike",
    "File",
    "Index",
    "IndexMode",
    "IndexPart",
    "Norm",
    "Order",
    "Output",
    "QuantileMethod",
    "ShapeLike",
    "SortKind",
]
