"""Images as JAX's ``scipy.ndimage`` has them: `heddle.scipy.ndimage`, and its own edges."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle._typing import ArrayLike
from heddle.scipy import ndimage as _ndimage

# What JAX calls so goes on beyond the edges as SciPy's modes of these names do.
_MODES = {"constant": "grid-constant", "wrap": "grid-wrap"}


def map_coordinates(
    input: ArrayLike,
    coordinates: Sequence[ArrayLike],
    order: int,
    mode: str = "constant",
    cval: complex = 0.0,
) -> hd.ndarray:
    """Values of an image at any places: of the nearest pixel, or linear between them.

    Beyond the last pixel "constant" and "wrap" interpolate, too, as SciPy's "grid-constant" and
    "grid-wrap" do. Both orders have derivatives, with respect to the image and to the places;
    splines of higher orders are `heddle.scipy.ndimage`'s, and have none.

    >>> import heddle.jax.numpy as jnp
    >>> from heddle.jax.scipy.ndimage import map_coordinates
    >>> print(map_coordinates(jnp.array([1.0, 3.0]), [jnp.array([0.5, 1.5])], 1))
    [2.  1.5]
    """
    image, places = hd.asarray(input), [hd.asarray(one) for one in coordinates]
    if len(places) != image.ndim:
        raise ValueError(
            f"map_coordinates: {len(places)} coordinates for an image of {image.ndim} dimensions"
        )
    if order > 1 or mode not in _BEYOND:
        how = _MODES.get(mode, mode)
        made: hd.ndarray = _ndimage.map_coordinates(image, hd.stack(places), None, order, how, cval)
        return made
    nodes = [
        _nodes(place, order, mode, size) for place, size in zip(places, image.shape, strict=True)
    ]
    total: Any = 0
    for corner in itertools.product(*nodes):
        index, is_inside, weights = zip(*corner, strict=True)
        value = image[index]
        if mode == "constant":
            value = hd.where(functools.reduce(hd.logical_and, is_inside), value, cval)
        total = total + functools.reduce(operator.mul, weights, value)
    if image.dtype.kind in "iu":
        total = hd.where(total < 0, hd.ceil(total - 0.5), hd.floor(total + 0.5))
    result: hd.ndarray = hd.asarray(total).astype(image.dtype)
    return result


def _nodes(place: hd.ndarray, order: int, mode: str, size: int) -> list[tuple[Any, Any, Any]]:
    """The pixels beside a place along an axis: indices, whether they are inside, and weights."""
    if order == 0:
        nearest = hd.where(place < 0, hd.ceil(place - 0.5), hd.floor(place + 0.5))
        weighted: list[tuple[hd.ndarray, Any]] = [(nearest.astype("int64"), 1)]
    else:
        below = hd.floor(place)
        upper, lower = place - below, below.astype("int64")
        weighted = [(lower, 1 - upper), (lower + 1, upper)]
    return [
        (_BEYOND[mode](index, size), (index >= 0) & (index < size), weight)
        for index, weight in weighted
    ]


def _mirrored(index: hd.ndarray, size: int) -> hd.ndarray:
    last = size - 1
    return abs((index + last) % (2 * last) - last) if last else index * 0


def _nearest(index: hd.ndarray, size: int) -> hd.ndarray:
    return hd.clip(index, 0, size - 1)


_BEYOND: dict[str, Callable[[hd.ndarray, int], hd.ndarray]] = {
    "constant": _nearest,
    "nearest": _nearest,
    "wrap": lambda index, size: index % size,
    "mirror": _mirrored,
    "reflect": lambda index, size: (_mirrored(2 * index + 1, 2 * size + 1) - 1) // 2,
}


def __getattr__(name: str) -> Any:
    return getattr(_ndimage, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_ndimage)})
