"""The transforms of scipy.fftpack, which scale only backwards, and real ones as it packs them."""

from __future__ import annotations

from typing import Any

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes, ShapeLike
from heddle.scipy import fft as _fft
from heddle.scipy.fft import _arguments as arguments


def _good_shape(x: ArrayLike, shape: Any, axes: Any) -> Any:
    """fftpack wants a length for every axis where axes are not given."""
    if shape is not None and axes is None and np.size(shape) != np.ndim(x):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    return shape


def fft(x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False) -> ndarray:
    """Discrete Fourier transform along an axis.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.fft([1.0, 0.0])
    array([1.+0.j, 1.+0.j])
    """
    return _fft.fft(x, n, axis)


def ifft(x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False) -> ndarray:
    """The inverse of fft.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.ifft([2.0, 0.0])
    array([1.+0.j, 1.+0.j])
    """
    return _fft.ifft(x, n, axis)


def fftn(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    axes: Axes | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """Transform along several axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> fftpack.fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _fft.fftn(x, _good_shape(x, shape, axes), axes)


def ifftn(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    axes: Axes | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """The inverse of fftn.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.ifftn([[4.0, 0.0], [0.0, 0.0]])
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _fft.ifftn(x, _good_shape(x, shape, axes), axes)


_last_two = (-2, -1)


def fft2(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    axes: Axes | None = _last_two,
    overwrite_x: bool = False,
) -> ndarray:
    """fftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> fftpack.fft2(np.eye(2))
    array([[2.+0.j, 0.+0.j],
           [0.+0.j, 2.+0.j]])
    """
    return _fft.fftn(x, shape, axes)


def ifft2(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    axes: Axes | None = _last_two,
    overwrite_x: bool = False,
) -> ndarray:
    """ifftn along the last two axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> fftpack.ifft2(4 * np.eye(2))
    array([[2.+0.j, 0.+0.j],
           [0.+0.j, 2.+0.j]])
    """
    return _fft.ifftn(x, shape, axes)


def _real_input(x: ArrayLike) -> ndarray:
    a = arguments.floating(x)
    if a.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    return a


def rfft(x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False) -> ndarray:
    """Transform of real numbers, packed: element 0, then real and imaginary parts in turn.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.rfft([0.0, 1.0, 0.0, -1.0])
    array([ 0.,  0., -2.,  0.])
    """
    a = _real_input(x)
    count = arguments.points(n) if n is not None else arguments.extent(a, axis)
    spectrum = np.moveaxis(_fft.rfft(a, count, axis), axis, -1)
    parts = np.stack([spectrum.real, spectrum.imag], axis=-1)
    packed = parts.reshape(*spectrum.shape[:-1], -1)
    # The imaginary part of element 0 is left out, and that of the middle one.
    made = np.concatenate([packed[..., :1], packed[..., 2 : count + 1]], axis=-1)
    return np.moveaxis(made, -1, axis)


def irfft(x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False) -> ndarray:
    """The inverse of rfft.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.irfft([0.0, 0.0, -2.0, 0.0])
    array([ 0.,  1.,  0., -1.])
    """
    a = _real_input(x)
    count = arguments.points(n) if n is not None else arguments.extent(a, axis)
    packed = np.moveaxis(arguments.fitted(a, (count,), (range(a.ndim)[axis],)), axis, -1)
    none = np.zeros_like(packed[..., :1])
    parts = [packed[..., :1], none, packed[..., 1:]]
    if count % 2 == 0:
        parts.append(none)
    pairs = np.concatenate(parts, axis=-1).reshape(*packed.shape[:-1], -1, 2)
    spectrum = pairs[..., 0] + 1j * pairs[..., 1]
    return np.moveaxis(_fft.irfft(spectrum, count), -1, axis)


def rfftfreq(n: int, d: float = 1.0) -> ndarray:
    """Frequencies of the elements of rfft, as it packs them.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.rfftfreq(5, d=0.1)
    array([0., 2., 2., 4., 4.])
    """
    n = int(n) if isinstance(n, float) and int(n) == n else n
    if n < 0:
        raise ValueError(f"n = {n} is not valid. n must be a nonnegative integer.")
    return (np.arange(1, n + 1) // 2) / float(n * d)


def next_fast_len(target: int) -> int:
    """The least length from target on that is a product of 2, 3 and 5.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.next_fast_len(1021)
    1024
    """
    return _fft.next_fast_len(target, True)
