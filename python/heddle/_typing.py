"""What annotations say: the types of arguments that many functions have."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from types import EllipsisType
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, SupportsIndex, TypeAlias, Union

import numpy
import numpy.typing

from heddle._core import ndarray

if TYPE_CHECKING:
    import heddle.random

# Arrays of anybody, numbers, nested sequences of them.
ArrayLike: TypeAlias = ndarray | numpy.typing.ArrayLike
DTypeLike: TypeAlias = numpy.typing.DTypeLike
DType: TypeAlias = "numpy.dtype[Any]"
HostArray: TypeAlias = "numpy.ndarray[Any, Any]"  # NumPy's own
ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axis: TypeAlias = SupportsIndex
Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...]
Output: TypeAlias = Union[ndarray, "HostArray"]
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
Buffer: TypeAlias = Union[bytes, bytearray, memoryview, "HostArray"]
File: TypeAlias = Union[str, "PathLike[str]", IO[Any]]
# What a generator of random numbers is made of, or is.
Seed: TypeAlias = Union[
    int,
    Sequence[int],
    "HostArray",
    "numpy.random.SeedSequence",
    "numpy.random.BitGenerator",
    "numpy.random.Generator",
    "numpy.random.RandomState",
    "heddle.random.Generator",
    None,
]
# Containers in containers whose leaves are arrays or numbers (heddle.tree).
Tree: TypeAlias = Any


class KernelArray(Protocol):
    """An array as the code of a kernel sees it: it takes elements, and its type says which."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> DType: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: object, /) -> Any: ...
    def __setitem__(self, index: object, value: object, /) -> None: ...


__all__ = [
    "ArrayLike",
    "Axes",
    "Axis",
    "BinRule",
    "Bins",
    "Buffer",
    "Casting",
    "DType",
    "DTypeLike",
    "File",
    "HostArray",
    "Index",
    "IndexMode",
    "IndexPart",
    "KernelArray",
    "Norm",
    "Order",
    "Output",
    "QuantileMethod",
    "Seed",
    "ShapeLike",
    "SortKind",
    "Tree",
]
