"""Cosine and sine transforms of scipy.fftpack: an inverse is one that is not scaled."""

from __future__ import annotations

from heddle._core import ndarray
from heddle._typing import ArrayLike, Norm, ShapeLike
from heddle.scipy import fft as _fft
from heddle.scipy.fftpack._transforms import _good_shape

_inverse = {1: 1, 2: 3, 3: 2, 4: 4}


def dct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """Cosine transform along an axis; norm is None or 'ortho'.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.dct([1.0, 2.0, 4.0]).round(4)
    array([14.    , -5.1962,  1.    ])
    """
    return _fft.dct(x, type, n, axis, norm)


def idct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """The transform back, times 2n for the types 2 to 4 unless norm is 'ortho'.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.idct(fftpack.dct([1.0, 2.0])).round(6)
    array([4., 8.])
    """
    return _fft.dct(x, _inverse[type], n, axis, norm)


def dst(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """Sine transform along an axis; norm is None or 'ortho'.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.dst([1.0, 1.0])
    array([2.82842712, 0.        ])
    """
    return _fft.dst(x, type, n, axis, norm)


def idst(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """The transform back, times 2n for the types 2 to 4 unless norm is 'ortho'.

    Examples
    --------
    >>> from heddle.scipy import fftpack
    >>> fftpack.idst(fftpack.dst([1.0, 2.0])).round(6)
    array([4., 8.])
    """
    return _fft.dst(x, _inverse[type], n, axis, norm)


def dctn(
    x: ArrayLike,
    type: int = 2,
    shape: ShapeLike | None = None,
    axes: ShapeLike | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """dct along several axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> fftpack.dctn(np.eye(2)).shape
    (2, 2)
    """
    return _fft.dctn(x, type, _good_shape(x, shape, axes), axes, norm)


def idctn(
    x: ArrayLike,
    type: int = 2,
    shape: ShapeLike | None = None,
    axes: ShapeLike | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """idct along several axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> fftpack.idctn(np.eye(2)).shape
    (2, 2)
    """
    return _fft.dctn(x, _inverse[type], _good_shape(x, shape, axes), axes, norm)


def dstn(
    x: ArrayLike,
    type: int = 2,
    shape: ShapeLike | None = None,
    axes: ShapeLike | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """dst along several axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> fftpack.dstn(np.eye(2)).shape
    (2, 2)
    """
    return _fft.dstn(x, type, _good_shape(x, shape, axes), axes, norm)


def idstn(
    x: ArrayLike,
    type: int = 2,
    shape: ShapeLike | None = None,
    axes: ShapeLike | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
) -> ndarray:
    """idst along several axes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fftpack
    >>> fftpack.idstn(np.eye(2)).shape
    (2, 2)
    """
    return _fft.dstn(x, _inverse[type], _good_shape(x, shape, axes), axes, norm)
