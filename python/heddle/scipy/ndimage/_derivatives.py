"""Filters of derivatives: Prewitt, Sobel, Laplace, magnitudes of gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from heddle._arguments import as_array, normalize_axis
from heddle._core import ndarray, ufuncs
from heddle._typing import ArrayLike, DType, ShapeLike
from heddle.scipy.ndimage._linear import correlate1d, gaussian_filter
from heddle.scipy.ndimage._support import Output, OutputLike, cast, check_axes, sequence

_sqrt = ufuncs["sqrt"]


def _difference(
    input: ArrayLike, axis: int, output: object, mode: object, cval: float, across: list[int]
) -> ndarray:
    """Differences along an axis, smoothed along the others."""
    a = as_array(input)
    axis = normalize_axis(axis, a.ndim)
    out = Output(output, a)
    out.check_complex(a)
    modes = sequence(mode, a.ndim)
    result = correlate1d(a, [-1, 0, 1], axis, out.dtype, modes[axis], cval, 0)
    for other in (n for n in range(a.ndim) if n != axis):
        result = correlate1d(result, across, other, out.dtype, modes[other], cval, 0)
    return out.deliver(result)


def prewitt(
    input: ArrayLike,
    axis: int = -1,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
) -> ndarray:
    """Prewitt's filter: differences along an axis, summed over neighbours.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.prewitt(np.array([[0, 0, 1, 1], [0, 0, 1, 1]]))
    array([[0, 3, 3, 0],
           [0, 3, 3, 0]])
    """
    return _difference(input, axis, output, mode, cval, [1, 1, 1])


def sobel(
    input: ArrayLike,
    axis: int = -1,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
) -> ndarray:
    """Sobel's filter: differences along an axis, smoothed along the others.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.sobel(np.array([[0, 0, 1, 1], [0, 0, 1, 1]]))
    array([[0, 4, 4, 0],
           [0, 4, 4, 0]])
    """
    return _difference(input, axis, output, mode, cval, [1, 2, 1])


def _over_axes(
    input: ArrayLike,
    derivative: Callable[..., Any],
    output: object,
    mode: object,
    cval: float,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any] | None,
    axes: ShapeLike | None,
    combine: Callable[[list[ndarray], Any], ndarray],
) -> ndarray:
    """What a function of an axis gives for each, combined."""
    a = as_array(input)
    out = Output(output, a)
    out.check_complex(a)
    axes = check_axes(axes, a.ndim)
    if not axes:
        return out.deliver(cast(a, out.dtype))
    modes = sequence(mode, len(axes))
    made = [
        derivative(a, axis, out.dtype, way, cval, *arguments, **(keywords or {}))
        for axis, way in zip(axes, modes, strict=True)
    ]
    return out.deliver(combine(made, out.dtype))


def _sum(values: list[ndarray], dtype: DType) -> ndarray:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return cast(total, dtype)


def _magnitude(values: list[ndarray], dtype: DType) -> ndarray:
    squares = _sum([value * value for value in values], dtype)
    return cast(_sqrt(squares), dtype)


def generic_laplace(
    input: ArrayLike,
    derivative2: Callable[..., Any],
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    extra_arguments: tuple[object, ...] = (),
    extra_keywords: dict[str, Any] | None = None,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The sum of second derivatives: ``derivative2(input, axis, output, mode, cval)`` of each axis.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import ndimage
    >>> def second(input, axis, output, mode, cval):
    ...     return ndimage.correlate1d(input, [1, -2, 1], axis, output, mode, cval)
    >>> ndimage.generic_laplace(np.array([0.0, 0.0, 1.0, 0.0]), second)
    array([ 0.,  1., -2.,  1.])
    """
    return _over_axes(
        input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes, _sum
    )


def _second_difference(input: ndarray, axis: int, output: DType, mode: str, cval: float) -> ndarray:
    result: ndarray = correlate1d(input, [1, -2, 1], axis, output, mode, cval, 0)
    return result


def laplace(
    input: ArrayLike,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The sum of second differences.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.laplace(np.array([0.0, 0.0, 1.0, 0.0]))
    array([ 0.,  1., -2.,  1.])
    """
    return generic_laplace(input, _second_difference, output, mode, cval, axes=axes)


def _gaussian_derivative(order: int) -> Callable[..., Any]:
    """A derivative of a Gaussian along an axis, smoothed along the others."""

    def derivative(
        input: ndarray,
        axis: int,
        output: DType,
        mode: str,
        cval: float,
        sigma: list[int] | float,
        **keywords: Any,
    ) -> ndarray:
        orders = [0] * input.ndim
        orders[axis] = order
        return gaussian_filter(input, sigma, orders, output, mode, cval, **keywords)

    return derivative


def gaussian_laplace(
    input: ArrayLike,
    sigma: float | Sequence[float],
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    *,
    axes: int | Sequence[int] | None = None,
    **kwargs: object,
) -> ndarray:
    """The sum of second derivatives of a Gaussian.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.gaussian_laplace(np.array([0.0, 0, 0, 1, 0, 0, 0]), 1).round(3)
    array([ 0.037,  0.162,  0.   , -0.399,  0.   ,  0.162,  0.037])
    """
    a = as_array(input)
    axes = check_axes(axes, a.ndim)
    sigmas = sequence(sigma, len(axes))
    if len(axes) < a.ndim:
        of_axis = dict(zip(axes, sigmas, strict=True))
        sigmas = [of_axis.get(n, 0) for n in range(a.ndim)]
    return generic_laplace(
        a, _gaussian_derivative(2), output, mode, cval, (sigmas,), kwargs, axes=axes
    )


def generic_gradient_magnitude(
    input: ArrayLike,
    derivative: Callable[..., Any],
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    extra_arguments: tuple[object, ...] = (),
    extra_keywords: dict[str, Any] | None = None,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """The length of the gradient, by a function ``derivative(input, axis, output, mode, cval)``.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import ndimage
    >>> ndimage.generic_gradient_magnitude(np.array([[0.0, 3.0], [4.0, 7.0]]), ndimage.prewitt)
    array([[15., 15.],
           [15., 15.]])
    """
    return _over_axes(
        input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes, _magnitude
    )


def gaussian_gradient_magnitude(
    input: ArrayLike,
    sigma: float | Sequence[float],
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    *,
    axes: int | Sequence[int] | None = None,
    **kwargs: object,
) -> ndarray:
    """The length of the gradient of a smoothed array.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.gaussian_gradient_magnitude(np.arange(9.0)[2:7], 0.5).round(3)
    array([0.428, 0.858, 0.86 , 0.858, 0.428])
    """
    return generic_gradient_magnitude(
        input, _gaussian_derivative(1), output, mode, cval, (sigma,), kwargs, axes=axes
    )
