"""What SciPy makes of the arguments of its transforms."""

from __future__ import annotations

import contextlib
import operator
import os
import threading
from collections.abc import Iterator, Sequence
from numbers import Number
from typing import Any

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, ShapeLike

_cores = os.cpu_count() or 1
_set = threading.local()
_norms = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def check_workers(workers: Any) -> int:
    """The number of workers that is meant, or SciPy's error."""
    if workers is None:
        return get_workers()
    if workers == 0:
        raise ValueError("workers must not be zero")
    if workers < -_cores:
        raise ValueError(
            f"workers value out of range; got {workers}, must not be less than {-_cores}"
        )
    return int(workers) if workers > 0 else int(workers) + 1 + _cores


@contextlib.contextmanager
def set_workers(workers: int) -> Iterator[None]:
    """The number of workers that transforms in this context are said to have.

    Transforms run on all cores of the process, whatever is said here: the number is kept, checked
    and told by `get_workers`, for programs that hand it on.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> with fft.set_workers(2):
    ...     fft.get_workers()
    2
    """
    before = get_workers()
    _set.workers = check_workers(operator.index(workers))
    try:
        yield
    finally:
        _set.workers = before


def get_workers() -> int:
    """The number of workers that `set_workers` said.

    Examples
    --------
    >>> from heddle.scipy import fft
    >>> fft.get_workers()
    1
    """
    return int(getattr(_set, "workers", 1))


def norm_of(norm: str | None, forward: bool) -> int:
    """0: as it is, 1: orthonormal, 2: divided by the number of points."""
    try:
        found = _norms[norm]
    except (KeyError, TypeError):
        raise ValueError(
            f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"'
        ) from None
    return found if forward else 2 - found


def floating(x: ArrayLike) -> ndarray:
    """An array of floating-point or complex numbers; of halves, one of float32."""
    a = as_array(x)
    if a.dtype == np.float16:
        return a.astype(np.float32)
    return a if a.dtype.kind in "fc" else a.astype(np.float64)


def points(n: Any) -> int:
    """A number of points that somebody gives."""
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    return operator.index(n)


def extent(x: ndarray, axis: int) -> int:
    """The number of points there are along an axis."""
    found: int = x.shape[axis]
    if found < 1:
        raise ValueError(f"invalid number of data points ({found}) specified")
    return found


def _integers(given: Any, name: str) -> list[int]:
    if isinstance(given, Number):
        given = (given,)
    try:
        return [operator.index(each) for each in given]
    except TypeError as error:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from error


def shape_and_axes(
    x: ndarray, shape: object, axes: ShapeLike | None
) -> tuple[tuple[int, ...], list[int]]:
    """The axes of a transform, and the number of points along each."""
    ndim = x.ndim
    found: Sequence[int] | None = None
    if axes is not None:
        found = [axis + ndim if axis < 0 else axis for axis in _integers(axes, "axes")]
        if any(axis >= ndim or axis < 0 for axis in found):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(found)) != len(found):
            raise ValueError("all axes must be unique")
    if shape is None:
        found = list(range(ndim)) if found is None else found
        shape = [x.shape[axis] for axis in found]
    else:
        shape = _integers(shape, "shape")
        if found and len(found) != len(shape):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
        if found is None:
            if len(shape) > ndim:
                raise ValueError("shape requires more axes than are present")
            found = range(ndim - len(shape), ndim)
        shape = [x.shape[axis] if n == -1 else n for n, axis in zip(shape, found, strict=False)]
    if any(n < 1 for n in shape):
        raise ValueError(f"invalid number of data points ({shape}) specified")
    return tuple(shape), list(found)


def fitted(x: ndarray, lengths: Sequence[int], axes: Sequence[int]) -> ndarray:
    """Cropped, or padded with zeros, to so many elements along axes."""
    room = [(0, 0)] * x.ndim
    for n, axis in zip(lengths, axes, strict=True):
        has = x.shape[axis]
        if has > n:
            index = [slice(None)] * x.ndim
            index[axis] = slice(0, n)
            x = x[tuple(index)]
        elif has < n:
            room[axis] = (0, n - has)
    return np.pad(x, room) if any(after for _, after in room) else x
