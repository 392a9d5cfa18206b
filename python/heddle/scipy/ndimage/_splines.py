"""Coefficients of splines: recursive filters along lines.

A filter forgets: what was more than `_MEMORY` elements ago does not change a number any more. So
lines are cut into pieces that begin so much earlier, where there are fewer lines than threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from heddle import simt
from heddle._arguments import as_array, normalize_axis
from heddle._core import ndarray
from heddle._creation.fills import empty
from heddle._manipulation.shapes import moveaxis
from heddle._typing import ArrayLike, KernelArray
from heddle.scipy.ndimage._support import Output, OutputLike, cast, check_mode

# The slowest pole, 0.43, is 1e-23 after so many steps.
_MEMORY = 64
_MIRROR, _WRAP, _REFLECT = 0, 1, 2
_ways = {
    "grid-constant": _MIRROR,
    "constant": _MIRROR,
    "mirror": _MIRROR,
    "wrap": _MIRROR,
    "grid-wrap": _WRAP,
    "nearest": _REFLECT,
    "reflect": _REFLECT,
    "grid-mirror": _REFLECT,
}
_THREADS = 64
_FEW_LINES = 8

_poles = {
    2: (math.sqrt(8) - 3,),
    3: (math.sqrt(3) - 2,),
    4: (
        math.sqrt(664 - math.sqrt(438976)) + math.sqrt(304) - 19,
        math.sqrt(664 + math.sqrt(438976)) - math.sqrt(304) - 19,
    ),
    5: (
        math.sqrt(67.5 - math.sqrt(4436.25)) + math.sqrt(26.25) - 6.5,
        math.sqrt(67.5 + math.sqrt(4436.25)) - math.sqrt(26.25) - 6.5,
    ),
}


@simt.func
def _first(x: KernelArray, line: int, z: Any, power: Any, way: object) -> Any:
    """Where the recursion begins: the sum over all that is continued before the line."""
    n = x.shape[0]
    begin = x[0, line]
    total = begin
    factor = z
    if way == _WRAP:
        for k in range(1, min(n, _MEMORY)):
            total += factor * x[n - k, line]
            factor *= z
        return total / (1 - power)
    total += power * x[n - 1, line]
    for k in range(1, min(n - 1 if way == _MIRROR else n, _MEMORY)):
        total += factor * (x[k, line] + power * x[n - 1 - k, line])
        factor *= z
    if way == _MIRROR:
        return total / (1 - power * power)
    return total * (z / (1 - power * power)) + begin


@simt.func
def _last(x: KernelArray, line: int, z: Any, power: Any, way: object) -> Any:
    """Where the recursion backwards begins."""
    n = x.shape[0]
    end = x[n - 1, line]
    if way == _MIRROR:
        return (z * x[n - 2, line] + end) * z / (z * z - 1)
    if way == _REFLECT:
        return end * (z / (z - 1))
    factor = z
    for k in range(min(n - 1, _MEMORY)):
        end += factor * x[k, line]
        factor *= z
    return end * (z / (power - 1))


@simt.func
def _forwards(
    x: KernelArray,
    out: KernelArray,
    line: int,
    piece: Any,
    length: Any,
    z: Any,
    power: object,
    gain: Any,
    way: object,
) -> None:
    begin = piece * length
    end = min(begin + length, x.shape[0])
    i = begin - _MEMORY
    value = 0.0
    if i <= 0:
        value = _first(x, line, z, power, way) * gain
        i = 0
        if begin == 0:
            out[0, line] = value
    while i < end - 1:
        i += 1
        value = x[i, line] * gain + z * value
        if i >= begin:
            out[i, line] = value


@simt.func
def _backwards(
    x: KernelArray,
    out: KernelArray,
    line: int,
    piece: Any,
    length: object,
    z: Any,
    power: object,
    way: object,
) -> None:
    n = x.shape[0]
    begin = piece * length
    end = min(begin + length, n)
    i = end - 1 + _MEMORY
    value = 0.0
    if i >= n - 1:
        value = _last(x, line, z, power, way)
        i = n - 1
        if end == n:
            out[n - 1, line] = value
    while i > begin:
        i -= 1
        value = z * (value - x[i, line])
        if i < end:
            out[i, line] = value


@simt.kernel
def _forwards_lines(
    x: KernelArray, out: float, length: float, z: float, power: float, gain: float, way: float
) -> None:
    line = simt.grid(1)
    if line < x.shape[1]:
        _forwards(x, out, line, simt.blockIdx.y, length, z, power, gain, way)


@simt.kernel
def _backwards_lines(
    x: KernelArray, out: float, length: float, z: float, power: float, way: float
) -> None:
    line = simt.grid(1)
    if line < x.shape[1]:
        _backwards(x, out, line, simt.blockIdx.y, length, z, power, way)


@simt.kernel
def _forwards_pieces(
    x: KernelArray, out: float, length: float, z: float, power: float, gain: float, way: float
) -> None:
    piece = simt.grid(1)
    if piece * length < x.shape[0]:
        _forwards(x, out, simt.blockIdx.y, piece, length, z, power, gain, way)


@simt.kernel
def _backwards_pieces(
    x: KernelArray, out: float, length: float, z: float, power: float, way: float
) -> None:
    piece = simt.grid(1)
    if piece * length < x.shape[0]:
        _backwards(x, out, simt.blockIdx.y, piece, length, z, power, way)


def _filtered(x: ndarray, order: int, way: int) -> ndarray:
    """Coefficients along the first axis of a float64 matrix."""
    n, lines = x.shape
    # Enough pieces for the threads of a device, none so short that their beginnings cost most.
    length = max(4 * _MEMORY, math.ceil(n * lines / (1 << 14)))
    pieces = math.ceil(n / length)
    few = lines < _FEW_LINES
    across, along = (pieces, lines) if few else (lines, pieces)
    grid, block = (math.ceil(across / _THREADS), along), (_THREADS, 1)
    forwards = (_forwards_pieces if few else _forwards_lines)[grid, block]
    backwards = (_backwards_pieces if few else _backwards_lines)[grid, block]
    gain = math.prod((1 - z) * (1 - 1 / z) for z in _poles[order])
    for z in _poles[order]:
        power = z ** (n - 1 if way == _MIRROR else n)
        between, out = empty(x.shape, device=x.device), empty(x.shape, device=x.device)
        forwards(x, between, length, z, power, gain, way)
        backwards(between, out, length, z, power, way)
        x, gain = out, 1.0
    return x


def coefficients(a: ndarray, order: int, axis: int, mode: str) -> ndarray:
    """Coefficients of splines along an axis, in float64."""
    a = a.astype(numpy.float64)
    if order < 2 or a.shape[axis] < 2 or not a.size:
        return a
    lines = moveaxis(a, axis, 0)
    shape = lines.shape
    made = _filtered(lines.reshape(shape[0], -1), order, _ways[mode]).reshape(shape)
    return moveaxis(made, 0, axis)


def _check_order(order: int, least: int) -> None:
    if order < least or order > 5:
        raise RuntimeError("spline order not supported")


def spline_filter1d(
    input: ArrayLike,
    order: int = 3,
    axis: int = -1,
    output: OutputLike = numpy.float64,
    mode: str = "mirror",
) -> ndarray:
    """Coefficients of splines that go through the elements of the lines along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.spline_filter1d(np.array([0.0, 0.0, 1.0, 0.0, 0.0])).round(4)
    array([ 0.25, -0.5 ,  1.75, -0.5 ,  0.25])
    """
    _check_order(order, 0)
    a = as_array(input)
    out = Output(output, a, complex_output=a.dtype.kind == "c")
    if order < 2:
        return out.deliver(cast(a, out.dtype))
    check_mode(mode)
    axis = normalize_axis(axis, a.ndim)
    if a.dtype.kind == "c":
        return out.join(
            coefficients(a.real, order, axis, mode), coefficients(a.imag, order, axis, mode)
        )
    return out.deliver(coefficients(a, order, axis, mode))


def spline_filter(
    input: ArrayLike,
    order: int = 3,
    output: OutputLike = numpy.float64,
    mode: str = "mirror",
) -> ndarray:
    """Coefficients of splines that go through the elements of an array.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.spline_filter(np.eye(3)).round(4)
    array([[ 4.125, -3.   ,  1.875],
           [-3.   ,  4.5  , -3.   ],
           [ 1.875, -3.   ,  4.125]])
    """
    _check_order(order, 2)
    a = as_array(input)
    out = Output(output, a, complex_output=a.dtype.kind == "c")
    for axis in range(a.ndim):
        a = spline_filter1d(a, order, axis, out.dtype, mode)
    return out.deliver(cast(a, out.dtype))
