"""Images of another size, by JAX's names: products with matrices of weights along each axis."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence

import heddle as hd
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType

__all__ = ["ResizeMethod", "resize", "scale_and_translate"]

_Kernel = Callable[[hd.ndarray], hd.ndarray]


class ResizeMethod(enum.Enum):
    """How values between pixels are found.

    >>> from heddle.jax import image
    >>> image.ResizeMethod.from_string("bilinear").name
    'LINEAR'
    """

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """The method of a name."""
        names = {"nearest": "NEAREST", "lanczos3": "LANCZOS3", "lanczos5": "LANCZOS5"}
        names |= dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), "LINEAR")
        names |= dict.fromkeys(("cubic", "bicubic", "tricubic"), "CUBIC")
        if s not in names:
            raise ValueError(f"image: the method is one of {sorted(names)}, not {s!r}")
        return ResizeMethod[names[s]]


def _triangle(x: hd.ndarray) -> hd.ndarray:
    return hd.maximum(0, 1 - x)


def _cubic(x: hd.ndarray) -> hd.ndarray:
    """Keys' kernel: cubic polynomials that meet smoothly, with a slope of -1/2 at 1."""
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return hd.where(x >= 2, 0, hd.where(x >= 1, far, near))


def _lanczos(radius: float) -> _Kernel:
    def kernel(x: hd.ndarray) -> hd.ndarray:
        inside = hd.where(x > 1e-3, x, 1)
        waves = radius * hd.sin(math.pi * inside) * hd.sin(math.pi * inside / radius)
        return hd.where(x > radius, 0, hd.where(x > 1e-3, waves / (math.pi * inside) ** 2, 1))

    return kernel


_KERNELS: dict[ResizeMethod, _Kernel] = {
    ResizeMethod.LINEAR: _triangle,
    ResizeMethod.CUBIC: _cubic,
    ResizeMethod.LANCZOS3: _lanczos(3.0),
    ResizeMethod.LANCZOS5: _lanczos(5.0),
}


def _weights(
    size: int,
    wanted: int,
    scale: ndarray,
    shift: ndarray,
    kernel: _Kernel,
    antialias: bool,
    dtype: DType,
) -> hd.ndarray:
    """What each pixel of an axis counts for each of the result."""
    scale, shift = hd.asarray(scale, dtype=dtype), hd.asarray(shift, dtype=dtype)
    width = hd.maximum(1 / scale, 1) if antialias else 1
    centres = (hd.arange(wanted).astype(dtype) + 0.5) / scale - shift / scale - 0.5
    made = kernel(hd.abs(centres[None, :] - hd.arange(size).astype(dtype)[:, None]) / width)
    total = made.sum(0, keepdims=True)
    counts = hd.abs(total) > 1000 * hd.finfo(dtype).eps
    made = hd.where(counts, made / hd.where(total != 0, total, 1), 0)
    return hd.where((centres >= -0.5) & (centres <= size - 0.5), made, 0).astype(dtype)


def _read(image: ArrayLike, shape: Sequence[int], what: str) -> tuple[hd.ndarray, tuple[int, ...]]:
    array = hd.asarray(image)
    if array.dtype.kind in "biu":
        array = array.astype("float64")
    if len(shape) != array.ndim:
        raise ValueError(f"image.{what}: shape {tuple(shape)} for an array of shape {array.shape}")
    return array, tuple(shape)


def _method(method: str | ResizeMethod) -> ResizeMethod:
    return ResizeMethod.from_string(method) if isinstance(method, str) else method


def scale_and_translate(
    image: ArrayLike,
    shape: Sequence[int],
    spatial_dims: Sequence[int],
    scale: ArrayLike,
    translation: ArrayLike,
    method: str | ResizeMethod,
    antialias: bool = True,
) -> hd.ndarray:
    """The image scaled and moved along some axes, in another shape.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.jax import image
    >>> moved = image.scale_and_translate(
    ...     np.arange(4.0), (4,), (0,), np.ones(1), np.ones(1), "linear"
    ... )
    >>> print(moved)
    [0. 0. 1. 2.]
    """
    array, wanted = _read(image, shape, "scale_and_translate")
    how = _method(method)
    if how is ResizeMethod.NEAREST:
        raise ValueError("image.scale_and_translate: there is no nearest pixel between pixels")
    scales, shifts = hd.asarray(scale), hd.asarray(translation)
    kept = [
        axis for axis in range(array.ndim) if axis not in [a % array.ndim for a in spatial_dims]
    ]
    if any(wanted[axis] != array.shape[axis] for axis in kept):
        raise ValueError(
            f"image.scale_and_translate: {array.shape} becomes {wanted} along other axes than "
            f"{tuple(spatial_dims)}"
        )
    for i, axis in enumerate(spatial_dims):
        axis %= array.ndim
        sizes = array.shape[axis], wanted[axis]
        by = _weights(*sizes, scales[i], shifts[i], _KERNELS[how], antialias, array.dtype)
        array = hd.moveaxis(hd.tensordot(array, by, ((axis,), (0,))), -1, axis)
    return array


def resize(
    image: ArrayLike, shape: Sequence[int], method: str | ResizeMethod, antialias: bool = True
) -> hd.ndarray:
    """The image in another shape; pixels are spread over the same extent.

    Where it becomes smaller, ``antialias`` has all pixels counted.

    >>> import heddle as np
    >>> from heddle.jax import image
    >>> print(image.resize(np.arange(4.0), (2,), "linear"))
    [0.71428571 2.28571429]
    """
    array, wanted = _read(image, shape, "resize")
    how = _method(method)
    axes = [axis for axis in range(array.ndim) if array.shape[axis] != wanted[axis]]
    if how is ResizeMethod.NEAREST:
        made = hd.asarray(image)
        for axis in axes:
            size = array.shape[axis]
            places = (hd.arange(wanted[axis]) + 0.5) * size / wanted[axis]
            made = hd.take(made, hd.floor(places).astype("int64"), axis=axis)
        return made
    if not axes:
        return array
    scale = [1.0 if not array.shape[a] else wanted[a] / array.shape[a] for a in axes]
    still = [0.0] * len(axes)
    return scale_and_translate(array, wanted, axes, scale, still, how, antialias)
