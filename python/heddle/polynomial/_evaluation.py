"""Values of series and of the polynomials of a family, by their recurrence.

The recurrence is a chain of deferred operations: a series of many terms at many points is one
kernel that reads the points once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy

import heddle
from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, own_array, recording
from heddle._typing import ArrayLike
from heddle.polynomial._coefficients import as_count, inexact, moved, namespace, read, stacked
from heddle.polynomial._families import Family, power

_FEW = 64  # points: below, they are computed where they are, on the host
_MANY = 10_000  # polynomials: what does not fit into memory is not begun


def _horner(c: Any, x: Any) -> Any:
    """``sum(c[n] * x**n)``: Clenshaw's algorithm where all its factors are 1 or 0."""
    last = c[len(c) - 1] + x * 0
    for k in range(len(c) - 2, -1, -1):
        last = last * x + c[k]
    return last


def _clenshaw(family: Family, c: Any, x: Any) -> Any:
    """``sum(c[n] * P[n](x))`` for anything that can be added and multiplied."""
    n = len(c) - 1
    if n == 0 or family is power:
        return _horner(c, x)
    later: Any = None
    last = c[n]
    for k in range(n - 1, -1, -1):
        a, b, _ = family.step(k)
        factor = x if a == 1 else x * a
        following = last * (factor + b if b else factor) + c[k]
        drawn = family.step(k + 1)[2] if later is not None else 0
        if drawn:
            following = following - (later if drawn == 1 else later * drawn)
        later, last = last, following
    return last


def _at_array(family: Family, x: ndarray, c: Any) -> ndarray:
    """The same of an array, in the core; of numbers, or of an array along its first axis."""
    if isinstance(c, own_array):
        return _core.series_values(family.prefix, x, c)
    if isinstance(c[0], complex):
        return _core.series_of_complex(family.prefix, x, c)
    if isinstance(c[0], float):
        return _core.series_of_numbers(family.prefix, x, c)
    return as_array(_clenshaw(family, c, x))  # integers, maybe of more than 64 bits


def _is_number(x: object) -> bool:
    return isinstance(x, bool | int | float | complex | numpy.generic)


def _is_point(x: object) -> bool:
    """Whether x is one number that the host sees."""
    if isinstance(x, own_array):
        return x.ndim == 0 and x._on_host
    return _is_number(x) or (isinstance(x, numpy.ndarray) and x.ndim == 0)


def _at_point(family: Family, x: Any, c: ndarray) -> ndarray:
    """A long series at one point, in Python's numbers: each step is far too little for a kernel."""
    dtype = heddle.result_type(x, c)
    x = x if isinstance(x, bool | int | float | complex) else x.item()
    return as_array(_clenshaw(family, c.tolist(), x), dtype)[()]


def values(family: Family, x: Any, c: Any, tensor: bool = True) -> ndarray:
    """The series at x, for coefficients and points that were read already."""
    seen = isinstance(c, own_array) and c.ndim == 1 and c._on_host and _is_point(x)
    if seen and not recording():
        return _at_point(family, x, c)
    if tensor and getattr(x, "ndim", False):
        c = c.reshape(c.shape + (1,) * x.ndim)
    if isinstance(x, own_array) and isinstance(c, numpy.ndarray):
        if c.size != len(c):
            c = as_array(c)
        else:
            # As constants of the kernel: another series of the same degree compiles nothing.
            x = as_array(x, heddle.result_type(x, c.dtype))
            shape = numpy.broadcast_shapes(c.shape[1:], x.shape)
            x = x if shape == x.shape else heddle.broadcast_to(x, shape)
            c = c.ravel().tolist()
    elif isinstance(c, own_array) and isinstance(x, numpy.ndarray):
        x = as_array(x)
    return _at_array(family, x, c) if isinstance(x, own_array) else _clenshaw(family, c, x)


def _point(x: ArrayLike) -> Any:
    """The argument of a series: numbers stay weak, few points stay on the host."""
    if isinstance(x, own_array) or _is_number(x) or not hasattr(type(x), "__len__"):
        return x
    if getattr(x, "__array_ufunc__", False) is None:  # another series: the series of it
        return x
    if isinstance(x, list | tuple):
        x = as_array(x) if any(isinstance(item, own_array) for item in x) else numpy.asarray(x)
    return x if isinstance(x, numpy.ndarray) and x.size <= _FEW else as_array(x)


def val(family: Family, x: ArrayLike, c: ArrayLike, tensor: bool = True) -> ndarray:
    """The series at the points x.

    Parameters
    ----------
    x : array_like
        The points, or anything that can be added and multiplied.
    c : array_like
        The coefficients along the first axis, from the lowest degree on; further axes are further
        series.
    tensor : bool, optional
        Whether every series is evaluated at every point; otherwise the points are broadcast over
        the series.
    """
    (c,) = read(c)
    x = _point(x)
    return values(family, x, inexact(c), bool(tensor))


def _alike(*points: ArrayLike) -> list[ndarray]:
    """Points that have the same shape; ValueError where they do not."""
    arrays = [as_array(p) for p in points]
    if any(a.shape != arrays[0].shape for a in arrays):
        names = {2: "x, y", 3: "x, y, z"}.get(len(points), "ordinates")
        raise ValueError(f"{names} are incompatible")
    return arrays


def _at_points(family: Family, c: ArrayLike, *points: ArrayLike) -> ndarray:
    first, *rest = _alike(*points)
    result = val(family, first, c)
    for p in rest:
        result = val(family, p, result, tensor=False)
    return result


def _at_grid(family: Family, c: ArrayLike, *points: ArrayLike) -> ndarray:
    first, *rest = (p if _is_number(p) else as_array(p) for p in points)
    result = val(family, first, c)
    for p in rest:
        result = val(family, p, result)
    return result


def val2d(family: Family, x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
    """The series of two variables at the points (x, y)."""
    return _at_points(family, c, x, y)


def val3d(family: Family, x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
    """The series of three variables at the points (x, y, z)."""
    return _at_points(family, c, x, y, z)


def valnd(family: Family, pts: Sequence[ArrayLike], c: ArrayLike) -> ndarray:
    """The series of any number of variables at points.

    Parameters
    ----------
    pts : sequence of array_like
        The coordinates of the points: one array for each variable, all of one shape.
    c : array_like
        The coefficients, with an axis for each variable; further axes are further series.
    """
    return _at_points(family, c, *pts)


def grid2d(family: Family, x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
    """The series of two variables on the grid of all x and y."""
    return _at_grid(family, c, x, y)


def grid3d(family: Family, x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
    """The series of three variables on the grid of all x, y and z."""
    return _at_grid(family, c, x, y, z)


def polyvalfromroots(x: ArrayLike, r: ArrayLike, tensor: bool = True) -> ndarray:
    """The polynomials with these roots along the first axis, at the points x.

    Examples
    --------
    >>> from heddle.polynomial import polynomial
    >>> polynomial.polyvalfromroots([0.0, 3.0], [1, 2])
    array([2., 2.])
    """
    (r,) = read(r)
    r = inexact(r)
    points = _point(x)
    if isinstance(points, numpy.ndarray | own_array):
        if tensor:
            r = r.reshape(r.shape + (1,) * points.ndim)
        elif points.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    if isinstance(points, own_array) != isinstance(r, own_array) and not _is_number(points):
        points, r = as_array(points), as_array(r)
    result: ndarray = namespace(r).prod(points - r, axis=0)
    return result


# --- the polynomials themselves ---


def _check_memory(count: int) -> None:
    """Is there room for so many bytes? NumPy takes them at once, also where somebody records; and
    some systems promise more than they have."""
    if count > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise MemoryError(f"Unable to allocate {count} bytes for the columns of a polynomial")
    numpy.empty(count, numpy.uint8)


def columns(family: Family, x: ndarray, degree: int) -> list[ndarray]:
    """P[0](x) up to P[degree](x)."""
    made = [x * 0 + 1]
    if degree > _MANY:
        _check_memory((degree + 1) * made[0].nbytes)
    if isinstance(x, own_array):
        return _core.series_columns(family.prefix, x, degree)
    for k in range(degree):
        a, b, c = family.step(k)
        factor = x if a == 1 else x * a
        following = factor + b if b else factor
        if k:
            following = following * made[k]
            if c:
                following = following - (made[k - 1] if c == 1 else made[k - 1] * c)
        made.append(following)
    return made


def joined(made: list[ndarray]) -> ndarray:
    """Columns as a matrix that lies column by column in memory, as NumPy's."""
    return moved(stacked(made), 0, -1)


def vander(family: Family, x: ArrayLike, deg: SupportsIndex) -> ndarray:
    """The matrix of the polynomials up to a degree, one column for each, at the points x."""
    degree = as_count(deg, "deg")
    if degree < 0:
        raise ValueError("deg must be non-negative")
    (x,) = read(x, small=_FEW)
    x = inexact(x)
    return joined(columns(family, x, degree))


def _product_matrix(
    family: Family, points: tuple[ArrayLike, ...], deg: Sequence[SupportsIndex]
) -> ndarray:
    """The pseudo-Vandermonde matrix of several variables."""
    try:
        degrees = [as_count(d, "degrees") for d in deg]
    except TypeError as error:
        raise TypeError(f"degrees must be integers, received {deg}") from error
    if len(degrees) != len(points):
        raise ValueError(f"Expected {len(points)} dimensions of sample points, got {len(degrees)}")
    if min(degrees) < 0:
        raise ValueError("degrees must be non-negative")
    arrays = [inexact(a) for a in heddle.broadcast_arrays(*(as_array(p) for p in points))]
    dtype = heddle.result_type(*arrays)
    result: ndarray | None = None
    for i, (p, d) in enumerate(zip(arrays, degrees, strict=True)):
        after = len(points) - 1 - i
        matrix = vander(family, as_array(p, dtype), d)
        matrix = as_array(matrix)[(..., *(None,) * i, slice(None), *(None,) * after)]
        result = matrix if result is None else result * matrix
    assert result is not None
    return result.reshape(*arrays[0].shape, -1)


def vander2d(family: Family, x: ArrayLike, y: ArrayLike, deg: Sequence[SupportsIndex]) -> ndarray:
    """The matrix of products of the polynomials of x and of y up to the degrees."""
    return _product_matrix(family, (x, y), deg)


def vander3d(
    family: Family, x: ArrayLike, y: ArrayLike, z: ArrayLike, deg: Sequence[SupportsIndex]
) -> ndarray:
    """The matrix of products of the polynomials of x, y and z up to the degrees."""
    return _product_matrix(family, (x, y, z), deg)


def weight(family: Family, x: ArrayLike) -> ndarray:
    """The weight under which the polynomials of the family are orthogonal."""
    return _core.series_weight(family.prefix, as_array(x))
