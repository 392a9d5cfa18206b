"""Chebyshev series: the functions and the class, made from the family's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from heddle._core import ndarray
from heddle._typing import HostArray
from heddle.polynomial import _binding, _coefficients, _evaluation
from heddle.polynomial._class import ABCPolyBase
from heddle.polynomial._families import chebyshev


def chebpts1(npts: int) -> ndarray:
    """The zeros of the polynomial of degree `npts`, in order.

    Examples
    --------
    >>> from heddle.polynomial import chebyshev
    >>> chebyshev.chebpts1(4).round(6)
    array([-0.92388 , -0.382683,  0.382683,  0.92388 ])
    """
    count = int(npts)
    if count != npts:
        raise ValueError("npts must be integer")
    if count < 1:
        raise ValueError("npts must be >= 1")
    return _coefficients.give(_points(count))


def _points(count: int) -> HostArray:
    # As sines, which are odd: the points are symmetric to the last bit.
    return numpy.sin(0.5 * numpy.pi / count * numpy.arange(1 - count, count + 1, 2))


def chebpts2(npts: int) -> ndarray:
    """The extrema of the polynomial of degree ``npts - 1``, in order.

    Examples
    --------
    >>> from heddle.polynomial import chebyshev
    >>> chebyshev.chebpts2(4).round(6)
    array([-1. , -0.5,  0.5,  1. ])
    """
    count = int(npts)
    if count != npts:
        raise ValueError("npts must be integer")
    if count < 2:
        raise ValueError("npts must be >= 2")
    return _coefficients.give(numpy.cos(numpy.linspace(-numpy.pi, 0, count)))


def chebinterpolate(func: Callable[..., Any], deg: int, args: tuple[Any, ...] = ()) -> ndarray:
    """The series of a degree that equals a function at the Chebyshev points of the first kind.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.polynomial import chebyshev
    >>> chebyshev.chebinterpolate(np.exp, 3).round(4)
    array([1.2661, 1.1303, 0.2715, 0.0438])
    """
    deg = numpy.asarray(deg)
    if deg.ndim > 0 or deg.dtype.kind not in "iu" or deg.size == 0:
        raise TypeError("deg must be an int")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    count = int(deg) + 1
    points = _points(count)
    y = _coefficients.give(func(_coefficients.give(points), *args))
    matrix = numpy.stack(_evaluation.columns(chebyshev, points, count - 1), axis=-1)
    matrix *= numpy.where(numpy.arange(count) == 0, 1, 2) / count
    return _coefficients.give(matrix.T) @ y


__all__ = ["chebinterpolate", "chebpts1", "chebpts2"]

_binding.define(chebyshev, globals())


def _interpolate(
    cls: type[ABCPolyBase],
    func: Callable[..., Any],
    deg: object,
    domain: object = None,
    args: object = (),
) -> ABCPolyBase:
    """The series that equals a function at the Chebyshev points of a domain."""
    if domain is None:
        domain = cls.domain
    (domain,) = _coefficients.read(domain, small=None)
    wide, narrow = cls._host_window(), domain

    def mapped(x: object) -> Any:
        from heddle.polynomial.polyutils import mapdomain

        return func(mapdomain(x, wide, narrow), *args)

    return cls(chebinterpolate(mapped, deg), domain=domain)


globals()["Chebyshev"].interpolate = classmethod(_interpolate)
