"""Values of splines between elements, where a formula says: shifts, zooms, rotations, any map."""

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from heddle import simt
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._dtypes import float64, int64
from heddle._indexing.elements import where
from heddle._manipulation.shapes import moveaxis
from heddle._math.ufuncs import minimum
from heddle._typing import ArrayLike
from heddle.scipy.ndimage._splines import coefficients
from heddle.scipy.ndimage._support import (
    Arrays,
    Output,
    cast,
    check_mode,
    host_array,
    parts,
    sequence,
)
from heddle.scipy.ndimage._windows import continued, small_array, strides_of

_NEAREST, _WRAP, _REFLECT, _MIRROR, _CONSTANT, _GRID_WRAP, _GRID_CONSTANT = range(7)
_codes = {
    "nearest": _NEAREST,
    "wrap": _WRAP,
    "reflect": _REFLECT,
    "grid-mirror": _REFLECT,
    "mirror": _MIRROR,
    "constant": _CONSTANT,
    "grid-wrap": _GRID_WRAP,
    "grid-constant": _GRID_CONSTANT,
}
# Elements before the edge that splines of modes without a formula begin with.
_PREPADDED = 12


@simt.func
def _mapped(x: Any, n: Any, mode: Any) -> Any:
    """A coordinate inside of an axis for one that may be outside; below -1 is nowhere."""
    if x < 0:
        if mode == _CONSTANT:
            x = -2.0
        elif n <= 1:
            x = 0.0
        elif mode == _MIRROR:
            period = 2 * n - 2
            x = period * float64(int64(-x / period)) + x
            x = x + period if x <= 1 - n else -x
        elif mode == _REFLECT:
            period = 2 * n
            if x < -period:
                x = period * float64(int64(-x / period)) + x
            x = x + period if x < -n else (1e-15 if x > -1e-15 else -x) - 1
        elif mode == _WRAP:
            x += (n - 1) * (float64(int64(-x / (n - 1))) + 1)
        elif mode == _GRID_WRAP:
            x += n * (float64(int64((-1 - x) / n)) + 1)
    elif x > n - 1:
        if mode == _CONSTANT:
            x = -2.0
        elif n <= 1:
            x = 0.0
        elif mode == _MIRROR:
            period = 2 * n - 2
            x -= period * float64(int64(x / period))
            if x >= n:
                x = period - x
        elif mode == _REFLECT:
            period = 2 * n
            x -= period * float64(int64(x / period))
            if x >= n:
                x = period - x - 1
        elif mode == _WRAP:
            x -= (n - 1) * float64(int64(x / (n - 1)))
        elif mode == _GRID_WRAP:
            x -= n * float64(int64(x / n))
    return x


@simt.func
def _mapped_index(i: Any, n: Any, mode: Any) -> Any:
    """An index inside of an axis for one that may be outside; -1 is nowhere."""
    if 0 <= i < n:
        return i
    if mode == _GRID_CONSTANT:
        return -1
    if mode == _NEAREST:
        return 0 if i < 0 else n - 1
    if n <= 1:
        return 0
    if mode == _GRID_WRAP:
        return i % n
    if mode == _REFLECT:
        i = i % (2 * n)
        return 2 * n - 1 - i if i >= n else i
    i = i % (2 * n - 2)
    return 2 * n - 2 - i if i >= n else i


def _weight(order: int) -> Callable[..., Any]:
    """The weights of a spline at a distance from its middle knot, written to a row of an array."""

    def weights(out: Any, d: Any, x: Any) -> None:
        if order == 0:
            out[d, 0] = 1.0
        elif order == 1:
            out[d, 0] = 1.0 - x
        elif order == 2:
            out[d, 1] = 0.75 - x * x
            y = 0.5 - x
            out[d, 0] = 0.5 * y * y
        elif order == 3:
            z = 1.0 - x
            out[d, 1] = (x * x * (x - 2.0) * 3.0 + 4.0) / 6.0
            out[d, 2] = (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0
            out[d, 0] = z * z * z / 6.0
        elif order == 4:
            t = x * x
            out[d, 2] = t * (t * 0.25 - 0.625) + 115.0 / 192.0
            y = 1.0 + x
            out[d, 1] = y * (y * (y * (5.0 - y) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0
            z = 1.0 - x
            out[d, 3] = z * (z * (z * (5.0 - z) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0
            y = 0.5 - x
            t = y * y
            out[d, 0] = t * t / 24.0
        else:
            t = x * x
            out[d, 2] = t * (t * (0.25 - x / 12.0) - 0.5) + 0.55
            z = 1.0 - x
            t = z * z
            out[d, 3] = t * (t * (0.25 - z / 12.0) - 0.5) + 0.55
            out[d, 0] = z * t * t / 120.0
            y = x + 1.0
            out[d, 1] = y * (y * (y * (y * (y / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425
            z = z + 1.0
            out[d, 4] = z * (z * (z * (z * (z / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425
        if order > 0:
            rest = 1.0
            for k in range(order):
                rest -= out[d, k]
            out[d, order] = rest

    return weights


# --- where an element of the result comes from, along an axis ---


@simt.func
def _listed(d: Any, i: Any, place: Any, rows: Any, before: Any, after: Any, middle: Any) -> Any:
    return rows[d, i]


@simt.func
def _affine(d: Any, i: Any, place: Any, matrix: Any, before: Any, after: Any, middle: Any) -> Any:
    """Centres of elements are at halves where `middle` is one half."""
    x = after[d]
    for e in range(place.shape[0]):
        x += matrix[d, e] * (place[e] + middle + before[e])
    return x - middle


# --- sums over the elements around a place, in SciPy's order ---


@simt.func
def _element(flat: Any, offset: Any, cval: Any) -> Any:
    return cval if offset < 0 else flat[max(offset, 0)]


@simt.func
def _sum_1(flat: Any, first: Any, index: Any, weight: Any, cval: Any) -> Any:
    total = 0.0
    for k in range(index.shape[1]):
        total += _element(flat, first + index[0, k], cval) * weight[0, k]
    return total


@simt.func
def _sum_2(flat: Any, first: Any, index: Any, weight: Any, cval: Any) -> Any:
    total = 0.0
    for k in range(index.shape[1]):
        for l in range(index.shape[1]):
            value = _element(flat, first + index[0, k] + index[1, l], cval)
            total += value * weight[0, k] * weight[1, l]
    return total


@simt.func
def _sum_3(flat: Any, first: Any, index: Any, weight: Any, cval: Any) -> Any:
    total = 0.0
    for k in range(index.shape[1]):
        for l in range(index.shape[1]):
            for m in range(index.shape[1]):
                value = _element(flat, first + index[0, k] + index[1, l] + index[2, m], cval)
                total += value * weight[0, k] * weight[1, l] * weight[2, m]
    return total


@simt.func
def _sum_any(flat: Any, first: Any, index: Any, weight: Any, cval: Any) -> Any:
    """Of any number of dimensions: the digits of a counter are the elements' numbers."""
    ndim, count = index.shape
    digit = simt.local.array(ndim, int64)
    turns = 1
    for d in range(ndim):
        digit[d] = 0
        turns *= count
    total = 0.0
    for _ in range(turns):
        offset = first
        for d in range(ndim):
            offset += index[d, digit[d]]
        value = _element(flat, offset, cval)
        for d in range(ndim):
            value *= weight[d, digit[d]]
        total += value
        carry = 1
        for e in range(ndim):
            d = ndim - 1 - e
            digit[d] += carry
            carry = 1 if digit[d] == count else 0
            digit[d] = 0 if carry else digit[d]
    return total


_sums = {1: _sum_1, 2: _sum_2, 3: _sum_3}


@functools.lru_cache(128)
def _interpolating(ndim: int, ndim_out: int, order: int, listed: bool) -> Any:
    """The kernel for a number of dimensions, an order, and a kind of map."""
    coordinate = _listed if listed else _affine
    weights = simt.func(_weight(order))
    summed = _sums.get(ndim, _sum_any)
    halved = 0.0 if order & 1 else 0.5
    far = -(1 << 40)

    def interpolate(
        flat: Any,
        shape: Any,
        steps: Any,
        out: Any,
        extents: Any,
        count: Any,
        span: Any,
        rows: Any,
        before: Any,
        after: Any,
        middle: Any,
        moved: Any,
        mode: Any,
        spline_mode: Any,
        cval: Any,
    ) -> None:
        thread = simt.grid(1)
        if thread < out.size:
            stack = thread // count
            i = thread - stack * count
            place = simt.local.array(ndim_out, int64)
            if not listed:
                rest = i
                for e in range(ndim_out):
                    f = ndim_out - 1 - e
                    above = rest // extents[f]
                    place[f] = rest - above * extents[f]
                    rest = above
            index = simt.local.array((ndim, order + 1), int64)
            weight = simt.local.array((ndim, order + 1), float64)
            inside = True
            for d in range(ndim):
                n = shape[d]
                x = coordinate(d, i, place, rows, before, after, middle) + moved
                least = -1.0
                if mode in (_NEAREST, _GRID_CONSTANT):
                    # Only the elements are mapped, and far outside these are all alike.
                    x = min(max(x, -8.0), n + 8.0)
                    least = -9.0
                else:
                    x = _mapped(x, n, mode)
                if not x > least:  # also for nan
                    inside = False
                    x = 0.0
                knot = math.floor(x + halved)
                start = int64(knot) - order // 2
                for k in range(order + 1):
                    found = _mapped_index(start + k, n, spline_mode)
                    index[d, k] = found * steps[d] if found >= 0 else far
                weights(weight, d, x - knot)
            out[thread] = summed(flat, stack * span, index, weight, cval) if inside else cval

    return simt.kernel(interpolate, contract=False)


def _rounded(a: ndarray, dtype: numpy.dtype[Any]) -> ndarray:
    """Rounded for whole numbers as SciPy does; unsigned ones end at their limits."""
    if dtype.kind == "u":
        top = float(numpy.iinfo(dtype).max)
        a = minimum(where(a > 0, a + 0.5, 0.0), top)
        if dtype.itemsize == 8:
            return a.astype(dtype)
    elif dtype.kind == "i":
        a = where(a > 0, a + 0.5, a - 0.5)
    return cast(a, dtype)


class _Map:
    """Where the elements of a result come from: rows of coordinates, or a matrix and offsets."""

    def __init__(self, shape: Sequence[int], rows: ndarray) -> None:
        self.shape, self.rows = tuple(int(n) for n in shape), rows
        self.rank, self.listed = len(rows), True
        self.before = self.after = [0.0]
        self.middle = 0.0

    @classmethod
    def affine(
        cls,
        shape: Sequence[int],
        matrix: Any,
        before: Any = None,
        after: Any = None,
        middle: float = 0.0,
    ) -> "_Map":
        """``matrix @ (place + middle + before) + after - middle``"""
        found = cls(shape, numpy.asarray(matrix, numpy.float64))
        found.listed, found.middle = False, middle
        found.before = [0.0] * len(found.shape) if before is None else before
        found.after = [0.0] * found.rank if after is None else after
        return found

    def arrays(self, beside: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        """Its numbers, where the kernel reads them."""
        rows = self.rows
        if not self.listed:
            rows = small_array(rows, "float64", beside).reshape(rows.shape)
        before, after = (small_array(v, "float64", beside) for v in (self.before, self.after))
        return rows, before, after


def _prefiltered(
    a: ndarray, stack: int, order: int, mode: str, cval: float, prefilter: bool
) -> tuple[ndarray, int]:
    """Coefficients of splines, and how many elements more there are before each axis."""
    if not prefilter or order < 2:
        return a, 0
    padded = 0
    if mode in ("nearest", "grid-constant"):
        padded = _PREPADDED
        widths = [(0, 0)] * stack + [(padded, padded)] * (a.ndim - stack)
        # In the type of the input, as SciPy does: it cuts the value that is beyond the edges.
        a = continued(a, widths, mode, cval if a.dtype.kind == "f" else int(cval))
    for axis in range(stack, a.ndim):
        a = coefficients(a, order, axis, mode)
    return a, padded


def _values(a: ndarray, way: _Map, order: int, mode: str, cval: float, prefilter: bool) -> ndarray:
    """The values of splines through the elements of an array, in float64.

    Axes before those of the map are a stack of arrays that have the same one.
    """
    stack = a.ndim - way.rank
    a, padded = _prefiltered(a, stack, order, mode, cval, prefilter)
    a = a.astype(numpy.float64)
    shape = (*a.shape[:stack], *way.shape)
    out = empty(math.prod(shape), device=a.device)
    if not out.size:
        return out.reshape(shape)
    if not a.size:
        raise RuntimeError("input has no elements")
    code, extents = _codes[mode], a.shape[stack:]
    kernel = _interpolating(way.rank, len(way.shape), order, way.listed)
    kernel.forall(out.size)(
        a.reshape(-1),
        small_array(extents, "int64", a),
        small_array(strides_of(extents), "int64", a),
        out,
        small_array(way.shape, "int64", a),
        math.prod(way.shape),
        math.prod(extents),
        *way.arrays(a),
        way.middle,
        float(padded),
        code,
        _MIRROR if code in (_CONSTANT, _WRAP) else code,
        float(cval),
    )
    return out.reshape(shape)


def _transformed(
    a: ndarray, way: _Map, out: Output, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    """The result as the caller wants it."""
    check_mode(mode)
    if a.dtype.kind == "c":
        real, imaginary = parts(cval)
        return out.join(
            _values(a.real, way, order, mode, real, prefilter),
            _values(a.imag, way, order, mode, imaginary, prefilter),
        )
    return out.deliver(_rounded(_values(a, way, order, mode, cval, prefilter), out.dtype))


def _check(a: ndarray, order: int, rank: int) -> None:
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    if a.ndim < 1 or rank < 1:
        raise RuntimeError("input and output rank must be > 0")


def map_coordinates(
    input: ArrayLike,
    coordinates: ArrayLike,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Any:
    """Values of splines at coordinates: a row of them for each axis.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(12.0).reshape(4, 3)
    >>> np.scipy.ndimage.map_coordinates(a, np.array([[0.5, 2], [0.5, 1]]), order=1)
    array([2., 7.])
    """
    a = as_array(input)
    where_from = as_array(coordinates)
    if where_from.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    shape = where_from.shape[1:]
    _check(a, order, len(shape))
    if where_from.shape[0] != a.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    out = Output(output, a, shape, complex_output=a.dtype.kind == "c")
    rows = where_from.reshape(a.ndim, -1).astype(numpy.float64)
    return _transformed(a, _Map(shape, rows), out, order, mode, cval, prefilter)


def geometric_transform(
    input: ArrayLike,
    mapping: Callable[..., Any],
    output_shape: Sequence[int] | None = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    extra_arguments: tuple[Any, ...] = (),
    extra_keywords: dict[str, Any] | None = None,
) -> Any:
    """Values of splines at the coordinates that a function gives for each place of the result.

    The function is called on the host, with a tuple of indices.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(12.0).reshape(4, 3)
    >>> np.scipy.ndimage.geometric_transform(a, lambda p: (p[0] - 0.5, p[1] - 0.5)).round(2)
    array([[0.  , 0.  , 0.  ],
           [0.  , 1.36, 2.74],
           [0.  , 4.81, 6.19],
           [0.  , 8.26, 9.64]])
    """
    a = as_array(input)
    shape = a.shape if output_shape is None else tuple(output_shape)
    _check(a, order, len(shape))
    out = Output(output, a, shape, complex_output=a.dtype.kind == "c")
    if not callable(mapping):
        raise RuntimeError("mapping parameter is not callable")
    found = [
        mapping(place, *extra_arguments, **(extra_keywords or {}))
        for place in numpy.ndindex(*shape)
    ]
    rows = numpy.asarray(found, numpy.float64).reshape(-1, a.ndim).T
    way = _Map(shape, asarray(rows.copy(), device=a.device))
    return _transformed(a, way, out, order, mode, cval, prefilter)


def affine_transform(
    input: ArrayLike,
    matrix: ArrayLike,
    offset: float | Sequence[float] = 0.0,
    output_shape: Sequence[int] | None = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Any:
    """Values of splines at ``matrix @ place + offset`` for each place of the result.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(9.0).reshape(3, 3)
    >>> np.scipy.ndimage.affine_transform(a, np.array([[0, 1], [1, 0]]), order=1)
    array([[0., 3., 6.],
           [1., 4., 7.],
           [2., 5., 8.]])
    """
    a = as_array(input)
    shape = output_shape
    if shape is None:
        shape = output.shape if isinstance(output, Arrays) else a.shape
    _check(a, order, len(shape))
    out = Output(output, a, shape, complex_output=a.dtype.kind == "c")
    check_mode(mode)
    m = host_array(matrix, numpy.float64)
    if m.ndim not in (1, 2) or m.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if m.ndim == 2 and m.shape[1] == a.ndim + 1 and m.shape[0] in (a.ndim, a.ndim + 1):
        if m.shape[0] == a.ndim + 1:
            wanted = [0] * a.ndim + [1]
            if not numpy.all(m[a.ndim] == wanted):
                raise ValueError(
                    f"Expected homogeneous transformation matrix with shape {m.shape} for image "
                    f"shape {a.shape}, but bottom row was not equal to {wanted}"
                )
        offset = m[: a.ndim, a.ndim]
        m = m[: a.ndim, : a.ndim]
    if m.shape[0] != a.ndim:
        raise RuntimeError("affine matrix has wrong number of rows")
    if m.ndim == 2 and m.shape[1] != len(out.shape):
        raise RuntimeError("affine matrix has wrong number of columns")
    moved = numpy.asarray(sequence(offset, a.ndim), numpy.float64)
    if moved.ndim != 1 or moved.shape[0] < 1:
        raise RuntimeError("no proper offset provided")
    if m.ndim == 1:
        way = _Map.affine(shape, numpy.diag(m), before=moved / m)
    else:
        way = _Map.affine(shape, m, after=moved)
    return _transformed(a, way, out, order, mode, cval, prefilter)


def shift(
    input: ArrayLike,
    shift: float | Sequence[float],
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Any:
    """Moves an array along its axes, by splines.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.shift(np.array([1.0, 2.0, 4.0, 8.0]), 0.5, order=1)
    array([0. , 1.5, 3. , 6. ])
    """
    a = as_array(input)
    _check(a, order, a.ndim)
    out = Output(output, a, complex_output=a.dtype.kind == "c")
    moved = -numpy.asarray(sequence(shift, a.ndim), numpy.float64)
    way = _Map.affine(a.shape, numpy.eye(a.ndim), before=moved)
    return _transformed(a, way, out, order, mode, cval, prefilter)


def zoom(
    input: ArrayLike,
    zoom: float | Sequence[float],
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Any:
    """Enlarges an array, or makes it smaller, by splines.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.zoom(np.array([1.0, 2.0, 4.0]), 2, order=1)
    array([1. , 1.4, 1.8, 2.4, 3.2, 4. ])
    """
    a = as_array(input)
    _check(a, order, a.ndim)
    factors = sequence(zoom, a.ndim)
    shape = tuple(round(n * z) for n, z in zip(a.shape, factors, strict=True))
    out = Output(output, a, shape, complex_output=a.dtype.kind == "c")
    if all(z == 1 for z in factors) and prefilter:
        return out.deliver(cast(a, out.dtype))
    better = {"constant": "grid-constant", "wrap": "grid-wrap"}.get(mode)
    if grid_mode and better:
        warnings.warn(
            f"It is recommended to use mode = {better} instead of {mode} when grid_mode is True.",
            stacklevel=2,
        )
    less = 0 if grid_mode else 1
    steps = [
        (n - less) / (m - less) if m != less else 1.0 for n, m in zip(a.shape, shape, strict=True)
    ]
    middle = 0.5 if grid_mode else 0.0
    way = _Map.affine(shape, numpy.diag(steps), middle=middle)
    return _transformed(a, way, out, order, mode, cval, prefilter)


def rotate(
    input: ArrayLike,
    angle: float,
    axes: tuple[int, int] = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> Any:
    """Rotates an array in the plane of two axes, by degrees.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.rotate(np.array([[1.0, 2.0], [3.0, 4.0]]), 90, order=1)
    array([[2., 4.],
           [1., 3.]])
    """
    a = as_array(input)
    if a.ndim < 2:
        raise ValueError("input array should be at least 2D")
    plane = list(axes)
    if len(plane) != 2:
        raise ValueError("axes should contain exactly two values")
    if not all(float(axis).is_integer() for axis in plane):
        raise ValueError("axes should contain only integer values")
    plane = sorted(axis + a.ndim if axis < 0 else axis for axis in plane)
    if plane[0] < 0 or plane[1] >= a.ndim:
        raise ValueError("invalid rotation plane specified")
    turned = _rotation(float(angle))
    before = numpy.array([a.shape[axis] for axis in plane])
    after = before
    if reshape:
        iy, ix = before
        corners = turned @ [[0, 0, iy, iy], [0, ix, 0, ix]]
        after = (numpy.ptp(corners, axis=1) + 0.5).astype(int)
    moved = (before - 1) / 2 - turned @ ((after - 1) / 2)
    shape = list(a.shape)
    for axis, extent in zip(plane, after, strict=True):
        shape[axis] = int(extent)
    out = Output(output, a, shape, complex_output=a.dtype.kind == "c")
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    planes = moveaxis(a, plane, (-2, -1))
    kept = Output(out.dtype, planes, (*planes.shape[:-2], *after))
    way = _Map.affine(after, turned, after=moved)
    made = _transformed(planes, way, kept, order, mode, cval, prefilter)
    return out.deliver(moveaxis(made, (-2, -1), plane))


def _rotation(angle: float) -> numpy.ndarray[Any, Any]:
    """Exact for multiples of 90 degrees."""
    quarter, rest = divmod(angle, 90.0)
    c, s = (math.cos(math.radians(rest)), math.sin(math.radians(rest))) if rest else (1.0, 0.0)
    for _ in range(int(quarter) % 4):
        c, s = -s, c
    return numpy.array([[c, s], [-s, c]])
