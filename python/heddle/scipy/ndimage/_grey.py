"""Morphology of grey values: erosion, dilation, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.ndimage._footprints import warn_of_size
from heddle.scipy.ndimage._order import min_or_max_filter
from heddle.scipy.ndimage._support import (
    Arrays,
    Output,
    OutputLike,
    cast,
    check_axes,
    host_array,
    sequence,
)

Size = int | Sequence[int] | None
Structure = ArrayLike | None


def _check(size: Size, footprint: Structure, structure: Structure) -> None:
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")


def grey_erosion(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The least of the elements under a footprint, less the heights of a structure.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.grey_erosion(np.array([3, 1, 4, 1, 5, 9]), size=3)
    array([1, 1, 1, 1, 1, 5])
    """
    _check(size, footprint, structure)
    return min_or_max_filter(
        input, size, footprint, structure, output, mode, cval, origin, True, axes
    )


def grey_dilation(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The greatest of the elements under a footprint, with the heights of a structure.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.grey_dilation(np.array([3, 1, 4, 1, 5, 9]), size=3)
    array([3, 4, 4, 5, 9, 9])
    """
    _check(size, footprint, structure)
    heights, shape = (
        None if v is None else numpy.flip(host_array(v)) for v in (structure, footprint)
    )
    a = as_array(input)
    found = check_axes(axes, a.ndim)
    origins = sequence(origin, len(found))
    for n in range(len(origins)):
        if shape is not None:
            extent = shape.shape[n]
        elif heights is not None:
            extent = heights.shape[n]
        else:
            extent = sequence(size, len(found))[n]
        origins[n] = -origins[n] - (not extent & 1)
    return min_or_max_filter(a, size, shape, heights, output, mode, cval, origins, False, axes)


def grey_opening(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """An erosion and then a dilation: narrow peaks go.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.grey_opening(np.array([1, 1, 9, 1, 5, 5, 5]), size=3)
    array([1, 1, 1, 1, 5, 5, 5])
    """
    warn_of_size(size, footprint, 2)
    given = (mode, cval, origin)
    eroded = grey_erosion(input, size, footprint, structure, None, *given, axes=axes)
    return grey_dilation(eroded, size, footprint, structure, output, *given, axes=axes)


def grey_closing(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """A dilation and then an erosion: narrow gaps go.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.grey_closing(np.array([9, 9, 1, 9, 5, 5, 5]), size=3)
    array([9, 9, 9, 9, 5, 5, 5])
    """
    warn_of_size(size, footprint, 2)
    given = (mode, cval, origin)
    dilated = grey_dilation(input, size, footprint, structure, None, *given, axes=axes)
    return grey_erosion(dilated, size, footprint, structure, output, *given, axes=axes)


def _put(result: ndarray, output: object, a: ndarray) -> ndarray:
    """In an array of the caller's, or as it is: SciPy takes no types there."""
    if not isinstance(output, Arrays):
        return result
    out = Output(output, a)
    return out.deliver(cast(result, out.dtype))


def morphological_gradient(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The dilation less the erosion.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.morphological_gradient(np.array([1, 1, 1, 7, 7]), size=3)
    array([0, 0, 6, 6, 0])
    """
    a = as_array(input)
    kind = output.dtype if isinstance(output, Arrays) else None
    given = (mode, cval, origin)
    dilated = grey_dilation(a, size, footprint, structure, None, *given, axes=axes)
    made = dilated - grey_erosion(a, size, footprint, structure, kind, *given, axes=axes)
    return _put(made, output, a)


def morphological_laplace(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The dilation and the erosion, less the input twice.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.morphological_laplace(np.array([1, 1, 1, 7, 7]), size=3)
    array([ 0,  0,  6, -6,  0])
    """
    a = as_array(input)
    kind = output.dtype if isinstance(output, Arrays) else None
    given = (mode, cval, origin)
    dilated = grey_dilation(a, size, footprint, structure, None, *given, axes=axes)
    made = dilated + grey_erosion(a, size, footprint, structure, kind, *given, axes=axes) - a - a
    return _put(made, output, a)


def _difference(more: ndarray, less: ndarray, output: object, a: ndarray) -> ndarray:
    both = more.dtype.kind == "b" and less.dtype.kind == "b"
    made = more ^ less if both else more - less
    if not isinstance(output, Arrays):
        return cast(made, less.dtype if more is a else more.dtype)
    return _put(made, output, a)


def white_tophat(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """What an opening takes away: narrow peaks.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.white_tophat(np.array([1, 1, 9, 1, 5, 5, 5]), size=3)
    array([0, 0, 8, 0, 0, 0, 0])
    """
    a = as_array(input)
    warn_of_size(size, footprint, 2)
    kind = output.dtype if isinstance(output, Arrays) else output
    given = (mode, cval, origin)
    eroded = grey_erosion(a, size, footprint, structure, None, *given, axes=axes)
    opened = grey_dilation(eroded, size, footprint, structure, kind, *given, axes=axes)
    return _difference(a, opened, output, a)


def black_tophat(
    input: ArrayLike,
    size: Size = None,
    footprint: Structure = None,
    structure: Structure = None,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """What a closing adds: narrow gaps.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.black_tophat(np.array([9, 9, 1, 9, 5, 5, 5]), size=3)
    array([0, 0, 8, 0, 0, 0, 0])
    """
    a = as_array(input)
    warn_of_size(size, footprint, 2)
    kind = output.dtype if isinstance(output, Arrays) else output
    given = (mode, cval, origin)
    dilated = grey_dilation(a, size, footprint, structure, None, *given, axes=axes)
    closed = grey_erosion(dilated, size, footprint, structure, kind, *given, axes=axes)
    return _difference(closed, a, output, a)
