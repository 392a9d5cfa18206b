"""Values of splines between elements, where a formula says: shifts, zooms, rotations, any map."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from heddle._arguments import as_array, as_array_beside
from heddle._core import ndarray
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._indexing.elements import where
from heddle._manipulation.shapes import moveaxis
from heddle._math.ufuncs import minimum
from heddle._typing import ArrayLike, DType, HostArray
from heddle.scipy.ndimage._interpolation_kernels import CODES, CONSTANT, MIRROR, WRAP, interpolating
from heddle.scipy.ndimage._splines import coefficients
from heddle.scipy.ndimage._support import (
    Arrays,
    Output,
    OutputLike,
    cast,
    check_mode,
    host_array,
    parts,
    sequence,
)
from heddle.scipy.ndimage._windows import continued, small_array, strides_of

# Elements before the edge that splines of modes without a formula begin with.
_PREPADDED = 12


def _rounded(a: ndarray, dtype: DType) -> ndarray:
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

    def __init__(self, shape: Iterable[int], rows: Any) -> None:
        self.shape, self.rows = tuple(int(n) for n in shape), rows
        self.rank, self.listed = len(rows), True
        self.before = self.after = [0.0]
        self.middle = 0.0

    @classmethod
    def affine(
        cls,
        shape: Iterable[int],
        matrix: HostArray,
        before: Any = None,
        after: Any = None,
        middle: float = 0.0,
    ) -> _Map:
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
    a = a.astype(numpy.float64, copy=False)
    shape = (*a.shape[:stack], *way.shape)
    out = empty(math.prod(shape), device=a.device)
    if not out.size:
        return out.reshape(shape)
    if not a.size:
        raise RuntimeError("input has no elements")
    code, extents = CODES[mode], a.shape[stack:]
    kernel = interpolating(way.rank, len(way.shape), order, way.listed)
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
        MIRROR if code in (CONSTANT, WRAP) else code,
        float(cval),
    )
    return out.reshape(shape)


def _transformed(
    a: ndarray, way: _Map, out: Output, order: int, mode: str, cval: Any, prefilter: bool
) -> ndarray:
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
    output: OutputLike | None = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
    """Values of splines at coordinates: a row of them for each axis.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(12.0).reshape(4, 3)
    >>> np.scipy.ndimage.map_coordinates(a, np.array([[0.5, 2], [0.5, 1]]), order=1)
    array([2., 7.])
    """
    a = as_array(input)
    where_from = as_array_beside(coordinates, a)
    if where_from.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    shape = where_from.shape[1:]
    _check(a, order, len(shape))
    if where_from.shape[0] != a.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    out = Output(output, a, shape, complex_output=a.dtype.kind == "c")
    rows = where_from.reshape(a.ndim, -1).astype(numpy.float64, copy=False)
    return _transformed(a, _Map(shape, rows), out, order, mode, cval, prefilter)


def geometric_transform(
    input: ArrayLike,
    mapping: Callable[..., Any],
    output_shape: Sequence[int] | None = None,
    output: OutputLike | None = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    extra_arguments: tuple[object, ...] = (),
    extra_keywords: dict[str, Any] | None = None,
) -> ndarray:
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
        tuple(mapping(place, *extra_arguments, **(extra_keywords or {})))[: a.ndim]
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
    output: OutputLike | None = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
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
        offset = m[: a.ndim, a.ndim].tolist()
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
    output: OutputLike | None = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
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
    output: OutputLike | None = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> ndarray:
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
    output: OutputLike | None = None,
    order: int = 3,
    mode: str = "constant",
    cval: complex = 0.0,
    prefilter: bool = True,
) -> ndarray:
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
    planes = moveaxis(a, tuple(plane), (-2, -1))
    kept = Output(out.dtype, planes, (*planes.shape[:-2], *after))
    way = _Map.affine(after, turned, after=moved)
    made = _transformed(planes, way, kept, order, mode, cval, prefilter)
    return out.deliver(moveaxis(made, (-2, -1), tuple(plane)))


def _rotation(angle: float) -> numpy.ndarray[Any, Any]:
    """Exact for multiples of 90 degrees."""
    quarter, rest = divmod(angle, 90.0)
    c, s = (math.cos(math.radians(rest)), math.sin(math.radians(rest))) if rest else (1.0, 0.0)
    for _ in range(int(quarter) % 4):
        c, s = -s, c
    return numpy.array([[c, s], [-s, c]])
