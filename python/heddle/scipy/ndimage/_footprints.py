"""Footprints: which neighbours of an element a filter looks at, and where the element is among
them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy

from heddle._typing import ArrayLike, HostArray, ShapeLike
from heddle.scipy.ndimage._support import host_array, sequence


def warn_of_size(size: ShapeLike | None, footprint: object, stacklevel: int) -> None:
    if size is not None and footprint is not None:
        warnings.warn(
            "ignoring size because footprint is set", UserWarning, stacklevel=stacklevel + 1
        )


def footprint_of(
    size: ShapeLike | None, footprint: ArrayLike | None, ndim: int, axes: Sequence[int]
) -> HostArray:
    """The footprint that is given, or one that is full, for all axes."""
    if footprint is not None:
        return expand_footprint(ndim, axes, host_array(footprint, bool))
    if size is None:
        raise RuntimeError("no footprint or filter size provided")
    return expand_footprint(ndim, axes, numpy.ones(sequence(size, len(axes)), bool))


def expand_footprint(
    ndim: int, axes: Sequence[int], footprint: numpy.ndarray[Any, Any], name: str = "footprint"
) -> HostArray:
    """A footprint for all axes of one for some."""
    if len(axes) == ndim:
        return footprint
    if footprint.ndim != len(axes):
        raise RuntimeError(f"{name}.ndim ({footprint.ndim}) must match len(axes) ({len(axes)})")
    return numpy.expand_dims(footprint, tuple(n for n in range(ndim) if n not in axes))


def expand_origin(ndim: int, axes: Sequence[int], origin: object) -> list[int]:
    """Origins for all axes of those for some."""
    origins = sequence(origin, len(axes))
    if len(axes) == ndim:
        return origins
    found = [0] * ndim
    for o, axis in zip(origins, axes, strict=True):
        found[axis] = o
    return found


def sizes_of(footprint: numpy.ndarray[Any, Any], ndim: int, axes: Sequence[int]) -> list[int]:
    sizes = [n for n in footprint.shape if n > 0]
    if len(sizes) != ndim:
        raise RuntimeError(f"footprint.ndim ({footprint.ndim}) must match len(axes) ({len(axes)})")
    return sizes


def check_origins(origins: Sequence[int], sizes: Sequence[int]) -> None:
    for origin, size in zip(origins, sizes, strict=True):
        if not 0 <= size // 2 + origin < size:
            raise ValueError("invalid origin")
