"""Sums of windows with weights: correlation, convolution, Gaussian and uniform filters."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from heddle._arguments import as_array, normalize_axis
from heddle._core import ndarray
from heddle._dtypes import float64
from heddle._typing import ArrayLike, DType, HostArray, KernelArray, ShapeLike
from heddle.scipy._recorded import recorded
from heddle.scipy.ndimage._footprints import expand_footprint, expand_origin
from heddle.scipy.ndimage._support import (
    Output,
    OutputLike,
    cast,
    check_axes,
    check_mode,
    host_array,
    parts,
    sequence,
)
from heddle.scipy.ndimage._windows import FEW, WindowKernel, Windows

_EPSILON = float(numpy.finfo(numpy.float64).eps)


def _weighted(flat: KernelArray, first: int, offsets: KernelArray, weights: KernelArray) -> Any:
    """SciPy's order of the sum: the last element of the window first."""
    last = offsets.shape[0] - 1
    total = float64(flat[first + offsets[last]]) * weights[last]
    for t in range(last):
        total += float64(flat[first + offsets[t]]) * weights[t]
    return total


def _symmetric(
    flat: KernelArray, first: int, offsets: KernelArray, weights: KernelArray, span: int
) -> Any:
    """Weights of both sides of the middle are the same."""
    middle = offsets.shape[0] - 1
    total = float64(flat[first + offsets[middle]]) * weights[middle]
    for t in range(middle):
        left = float64(flat[first + offsets[t]])
        total += (left + float64(flat[first + span - offsets[t]])) * weights[t]
    return total


def _antisymmetric(
    flat: KernelArray, first: int, offsets: KernelArray, weights: KernelArray, span: int
) -> Any:
    """Weights of both sides of the middle have opposite signs."""
    middle = offsets.shape[0] - 1
    total = float64(flat[first + offsets[middle]]) * weights[middle]
    for t in range(middle):
        left = float64(flat[first + offsets[t]])
        total += (left - float64(flat[first + span - offsets[t]])) * weights[t]
    return total


def _summed(flat: KernelArray, first: int, offsets: KernelArray, weights: KernelArray) -> float:
    """All elements with weights in turn."""
    total = 0.0
    for t in range(offsets.shape[0]):
        total += float64(flat[first + offsets[t]]) * weights[t]
    return total


_weighted_kernel = WindowKernel(_weighted)
_symmetric_kernel = WindowKernel(_symmetric)
_antisymmetric_kernel = WindowKernel(_antisymmetric)
_summed_kernel = WindowKernel(_summed)
# Longer windows are summed in two passes.
_LONG = 24


def _stored(dtype: numpy.dtype[Any]) -> DType:
    """What kernels write for a type: bool is cut from a number, as SciPy does."""
    return numpy.dtype(numpy.uint8) if dtype.kind == "b" else dtype


def invalid_origin(origin: int, length: int) -> bool:
    return not -(length // 2) <= origin <= (length - 1) // 2


def along(values: int, axis: int, ndim: int, fill: int) -> list[int]:
    """One number for an axis, and `fill` for the others."""
    found = [fill] * ndim
    found[axis] = values
    return found


def _line_windows(
    a: ndarray, size: int, axis: int, origin: int, mode: str, cval: float
) -> tuple[Windows, int]:
    """Windows along one axis, and the step from element to element."""
    windows = Windows(
        _wide(a), along(size, axis, a.ndim, 1), along(origin, axis, a.ndim, 0), mode, cval
    )
    return windows, windows.step(axis)


def _wide(a: ndarray) -> ndarray:
    """Sums are in float64: short floats are converted once, where they are continued."""
    return a.astype(numpy.float64) if a.dtype.kind == "f" and a.dtype.itemsize < 8 else a


def _added(values: list[ndarray]) -> ndarray:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def _line_sum(elements: list[ndarray], weights: tuple[float, ...], sign: int) -> ndarray:
    """Sums of few elements, in the same order as the kernels'."""
    last = len(weights) - 1
    if not sign:
        total = elements[last] * weights[last]
        for t in range(last):
            total = total + elements[t] * weights[t]
        return total
    middle = last // 2
    total = elements[middle] * weights[middle]
    for t in range(middle):
        left, right = elements[t], elements[last - t]
        total = total + (left + right if sign > 0 else left - right) * weights[t]
    return total


def _few_in_line(
    a: ndarray,
    weights: tuple[float, ...],
    sign: int,
    axis: int,
    origin: int,
    mode: str,
    cval: float,
    dtype: DType,
) -> ndarray:
    windows, _ = _line_windows(a.astype(numpy.float64), len(weights), axis, origin, mode, cval)
    return cast(_line_sum(windows.line(axis), weights, sign), dtype)


def _few_anywhere(
    a: ndarray,
    places: tuple[tuple[int, ...], ...],
    weights: tuple[float, ...],
    sizes: tuple[int, ...],
    origins: tuple[int, ...],
    mode: str,
    cval: float,
    dtype: DType,
) -> ndarray:
    windows = Windows(a.astype(numpy.float64), sizes, origins, mode, cval)
    products = [view * weight for view, weight in zip(windows.views(places), weights, strict=True)]
    return cast(_added(products), dtype)


def _mean_in_line(
    a: ndarray, size: int, axis: int, origin: int, mode: str, cval: float, dtype: DType
) -> ndarray:
    windows, _ = _line_windows(a.astype(numpy.float64), size, axis, origin, mode, cval)
    few = size <= _LONG
    elements = windows.line(axis) if few else windows.line_of_parts(axis, _added, True)
    return cast(_added(elements) / size, dtype)


def _means_in_lines(
    a: ndarray,
    lines: tuple[tuple[int, int, int, str], ...],
    cval: float,
    dtype: DType,
) -> ndarray:
    """Along one axis after the other; results are rounded in between."""
    for size, axis, origin, mode in lines:
        a = _mean_in_line(a, size, axis, origin, mode, cval, dtype)
    return a if lines else cast(a.copy(), dtype)


def _correlate_line(
    a: ndarray,
    weights: numpy.ndarray[Any, Any],
    axis: int,
    dtype: numpy.dtype[Any],
    mode: str,
    cval: float,
    origin: int,
) -> ndarray:
    """Real weights along one axis, in SciPy's order of sums."""
    count, half = len(weights), len(weights) // 2
    sign = 0
    if count & 1 and count > 1:
        left, right = weights[:half], weights[:half:-1]
        sign = int((abs(left - right) <= _EPSILON).all())
        sign = sign or -int((abs(left + right) <= _EPSILON).all())
    if count <= 2 * FEW:
        taps = tuple(weights.tolist())
        return recorded(_few_in_line, (a,), taps, sign, axis, origin, mode, cval, dtype)
    windows, step = _line_windows(a, count, axis, origin, mode, cval)
    kernel, used = _weighted_kernel, count
    more: tuple[int, ...] = ()
    if sign:
        kernel = _symmetric_kernel if sign > 0 else _antisymmetric_kernel
        used, more = half + 1, ((count - 1) * step,)
    offsets = windows.small(numpy.arange(used) * step)
    result = windows.run(
        kernel, _stored(dtype), offsets, windows.small(weights[:used], "float64"), *more
    )
    return cast(result, dtype)


def _check_cval(a: ndarray, weights: HostArray, cval: complex) -> bool:
    """Whether the result is complex."""
    if a.dtype.kind != "c" and weights.dtype.kind == "c" and numpy.iscomplexobj(cval):
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")
    return a.dtype.kind == "c" or weights.dtype.kind == "c"


def _of_parts(
    function: Callable[..., ndarray],
    a: ndarray,
    weights: HostArray,
    out: Output,
    cval: complex,
) -> ndarray:
    """Complex numbers by their real and imaginary parts; `function(a, weights, dtype, cval)`."""
    if a.dtype.kind == "c":
        x, y = a.real, a.imag
        real, imaginary = parts(cval)
        if weights.dtype.kind != "c":
            return out.join(
                function(x, weights, out.part, real), function(y, weights, out.part, imaginary)
            )
        u, v = weights.real, weights.imag
        return out.join(
            function(x, u, out.part, real) - function(y, v, y.dtype, imaginary),
            function(x, v, out.part, real) + function(y, u, y.dtype, imaginary),
        )
    return out.join(
        function(a, weights.real, out.part, cval), function(a, weights.imag, out.part, cval)
    )


def correlate1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> ndarray:
    """Correlates the lines along an axis with weights.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.correlate1d(np.array([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3])
    array([ 8, 26,  8, 12,  7, 28, 36,  9])
    """
    a = as_array(input)
    taps = host_array(weights)
    is_complex = _check_cval(a, taps, cval)
    out = Output(output, a, complex_output=is_complex)
    if taps.ndim != 1 or taps.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    axis = normalize_axis(axis, a.ndim)
    if invalid_origin(origin, len(taps)):
        raise ValueError(
            "Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= "
            "(len(weights)-1) // 2"
        )
    check_mode(mode)

    def real(a: ndarray, w: numpy.ndarray[Any, Any], dtype: DType, cval: Any) -> ndarray:
        return _correlate_line(a, w.astype(float), axis, dtype, mode, cval, origin)

    if is_complex:
        return _of_parts(real, a, taps.conj(), out, cval)
    return out.deliver(real(a, taps, out.dtype, cval))


def convolve1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> ndarray:
    """Convolves the lines along an axis with weights.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.convolve1d(np.array([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3])
    array([14, 24,  4, 13, 12, 36, 27,  0])
    """
    taps = host_array(weights)[::-1]
    origin = -origin
    if not taps.shape[0] & 1:
        origin -= 1
    return correlate1d(input, taps.conj(), axis, output, mode, cval, origin)


# --- of any number of dimensions ---


def _correlate_or_convolve(
    input: ArrayLike,
    weights: ArrayLike,
    output: object,
    mode: str,
    cval: complex,
    origin: object,
    convolution: bool,
    axes: ShapeLike | None,
) -> ndarray:
    a = as_array(input)
    taps = host_array(weights)
    is_complex = _check_cval(a, taps, cval)
    if taps.dtype.kind == "c" and not convolution:
        taps = taps.conj()
    axes = check_axes(axes, a.ndim)
    taps = expand_footprint(a.ndim, axes, taps, "weights")
    origins = expand_origin(a.ndim, axes, origin)
    sizes = [n for n in taps.shape if n > 0]
    if len(sizes) != a.ndim:
        raise RuntimeError(f"weights.ndim ({len(sizes)}) must match len(axes) ({len(axes)})")
    if convolution:
        taps = taps[(slice(None, None, -1),) * taps.ndim]
        origins = [-o - (not n & 1) for o, n in zip(origins, taps.shape, strict=True)]
    for o, n in zip(origins, sizes, strict=True):
        if invalid_origin(o, n):
            raise ValueError(
                "Invalid origin; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= "
                "(weights.shape[k]-1) // 2"
            )
    out = Output(output, a, complex_output=is_complex)
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        raise RuntimeError("A sequence of modes is not supported")
    check_mode(mode)

    def real(a: ndarray, w: numpy.ndarray[Any, Any], dtype: DType, cval: Any) -> ndarray:
        w = w.astype(numpy.float64)
        places = numpy.argwhere(abs(w) > _EPSILON)
        if 0 < len(places) <= FEW:
            used = tuple(map(tuple, places.tolist()))
            values = tuple(w[tuple(places.T)].tolist())
            window = (tuple(sizes), tuple(origins))
            return recorded(_few_anywhere, (a,), used, values, *window, mode, cval, dtype)
        windows = Windows(_wide(a), sizes, origins, mode, cval)
        result = windows.run(
            _summed_kernel,
            _stored(dtype),
            windows.small(windows.offsets(places)),
            windows.small(w[tuple(places.T)], "float64"),
        )
        return cast(result, dtype)

    if is_complex:
        return _of_parts(real, a, taps, out, cval)
    return out.deliver(real(a, taps, out.dtype, cval))


def correlate(
    input: ArrayLike,
    weights: ArrayLike,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """Correlates an array with weights of any number of dimensions.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.correlate(np.eye(3), [[1, 1], [1, 1]])
    array([[4., 2., 0.],
           [2., 2., 1.],
           [0., 1., 2.]])
    """
    return _correlate_or_convolve(input, weights, output, mode, cval, origin, False, axes)


def convolve(
    input: ArrayLike,
    weights: ArrayLike,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """Convolves an array with weights of any number of dimensions.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[1, 2, 0], [5, 3, 0], [0, 0, 0]])
    >>> np.scipy.ndimage.convolve(a, [[1, 1], [0, 1]], mode="constant")
    array([[9, 5, 0],
           [5, 3, 0],
           [0, 0, 0]])
    """
    return _correlate_or_convolve(input, weights, output, mode, cval, origin, True, axes)


# --- one axis after the other ---


def one_by_one(
    a: ndarray, dtype: DType, steps: Iterable[Callable[[ndarray, Any], ndarray]]
) -> ndarray:
    """Filters one after the other, each of the result of the one before; results are rounded."""
    done = False
    for step in steps:
        a, done = step(a, dtype), True
    return a if done else cast(a, dtype)


def _gaussian_weights(sigma: float, order: int, radius: int) -> numpy.ndarray[Any, Any]:
    """A Gaussian, or a derivative of it."""
    if order < 0:
        raise ValueError("order must be non-negative")
    powers = numpy.arange(order + 1)
    sigma2 = sigma * sigma
    x = numpy.arange(-radius, radius + 1)
    phi: numpy.ndarray[Any, Any] = numpy.exp(-0.5 / sigma2 * x**2)
    phi /= phi.sum()
    if order == 0:
        return phi
    # The derivative of q(x) * phi(x) is (q'(x) - q(x) * x / sigma2) * phi(x): a matrix for q.
    q = numpy.zeros(order + 1)
    q[0] = 1
    derivative = numpy.diag(powers[1:], 1) + numpy.diag(numpy.ones(order) / -sigma2, -1)
    for _ in range(order):
        q = derivative.dot(q)
    weights: numpy.ndarray[Any, Any] = (x[:, None] ** powers).dot(q) * phi
    return weights


def _gaussian_taps(sigma: float, order: int, truncate: float, radius: int | None) -> HostArray:
    length = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if not isinstance(length, numbers.Integral) or length < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    return _gaussian_weights(sigma, order, int(length))[::-1]


def gaussian_filter1d(
    input: ArrayLike,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> ndarray:
    """Smooths lines along an axis with a Gaussian, or a derivative of it.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.gaussian_filter1d(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 1).round(4)
    array([1.427 , 2.0678, 3.    , 3.9322, 4.573 ])
    """
    taps = _gaussian_taps(sigma, order, truncate, radius)
    return correlate1d(input, taps, axis, output, mode, cval, 0)


def gaussian_filter(
    input: ArrayLike,
    sigma: float | Sequence[float],
    order: int | Sequence[int] = 0,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """Smooths an array with a Gaussian along each axis, or a derivative of it.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(50).reshape(5, 10)[::2, ::4]
    >>> np.scipy.ndimage.gaussian_filter(a, sigma=1)
    array([[ 9, 12, 14],
           [21, 24, 26],
           [32, 35, 37]])
    """
    a = as_array(input)
    out = Output(output, a)
    out.check_complex(a)
    axes = check_axes(axes, a.ndim)
    orders = sequence(order, len(axes))
    sigmas = sequence(sigma, len(axes))
    modes = sequence(mode, len(axes))
    radii = sequence(radius, len(axes))

    def step(n: int) -> Callable[[ndarray, Any], ndarray]:
        taps = _gaussian_taps(sigmas[n], orders[n], truncate, radii[n])
        return lambda a, dtype: correlate1d(a, taps, axes[n], dtype, modes[n], cval, 0)

    steps = [step(n) for n in range(len(axes)) if sigmas[n] > 1e-15]
    return out.deliver(one_by_one(a, out.dtype, steps))


def uniform_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: OutputLike | None = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> ndarray:
    """Means of so many elements of the lines along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.uniform_filter1d(np.array([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([4, 3, 4, 1, 4, 6, 6, 3])
    """
    a = as_array(input)
    axis = normalize_axis(axis, a.ndim)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    out = Output(output, a, complex_output=a.dtype.kind == "c")
    if not 0 <= size // 2 + origin < size:
        raise ValueError("invalid origin")
    check_mode(mode)

    def real(a: ndarray, dtype: DType, cval: complex) -> ndarray:
        return recorded(_mean_in_line, (a,), size, axis, origin, mode, cval, dtype)

    if a.dtype.kind == "c":
        of_real, of_imaginary = parts(cval)
        return out.join(real(a.real, out.part, of_real), real(a.imag, out.part, of_imaginary))
    return out.deliver(real(a, out.dtype, cval))


def uniform_filter(
    input: ArrayLike,
    size: int | Sequence[int] = 3,
    output: OutputLike | None = None,
    mode: str | Sequence[str] = "reflect",
    cval: complex = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """Means of boxes around each element.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.uniform_filter(np.eye(3), size=3).round(3)
    array([[0.556, 0.333, 0.111],
           [0.333, 0.333, 0.333],
           [0.111, 0.333, 0.556]])
    """
    a = as_array(input)
    out = Output(output, a, complex_output=a.dtype.kind == "c")
    axes = check_axes(axes, a.ndim)
    sizes = sequence(size, len(axes))
    origins = sequence(origin, len(axes))
    modes = sequence(mode, len(axes))

    lines = [
        (int(count), axis, shift, way)
        for count, axis, shift, way in zip(sizes, axes, origins, modes, strict=True)
        if count > 1
    ]
    for count, _, shift, way in lines:
        if not 0 <= count // 2 + shift < count:
            raise ValueError("invalid origin")
        check_mode(way)
    if a.dtype.kind != "c" and all(count <= _LONG for count, *_ in lines):
        return out.deliver(recorded(_means_in_lines, (a,), tuple(lines), cval, out.dtype))
    for count, axis, shift, way in lines:
        a = uniform_filter1d(a, count, axis, out.dtype, way, cval, shift)
    return out.deliver(a)
