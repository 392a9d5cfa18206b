"""Coefficients and values of splines on even points, by recursions both ways."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy._host import number
from heddle.scipy.signal._filters import lfilter


def _floating(signal: ArrayLike) -> ndarray:
    a = as_array(signal)
    return a if a.dtype.kind in "fc" else a.astype("f8")


def _both_ways(x: ndarray, first: ndarray, pole: complex, gain: complex, last: complex) -> ndarray:
    """Along the last axis: forwards from `first`, backwards from `last` times its end."""
    a = numpy.array([1.0, -pole])
    forwards, _ = lfilter([1.0], a, x[..., 1:], zi=first * pole)
    forwards = np.concatenate([first, forwards], axis=-1)
    end = last * forwards[..., -1:]
    back, _ = lfilter([gain], a, forwards[..., -2::-1], zi=end * pole)
    return np.concatenate([back[..., ::-1], end], axis=-1).astype(x.dtype)


def symiirorder1(signal: ArrayLike, c0: complex, z1: complex, precision: float = -1.0) -> ndarray:
    """Filters rows by c0 / ((1 - z1 / z) (1 - z1 z)), mirrored at their ends.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.symiirorder1(np.ones(60), 0.25, 0.5)[30].round(6)
    np.float64(1.0)
    """
    given = _floating(signal)
    c0, z1, precision = number(c0), number(z1), number(precision)
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    if given.ndim > 2:
        raise ValueError("Input must be 1D or 2D")
    if precision <= 0.0 or precision > 1.0:
        precision = 1e-6 if given.real.dtype == np.float32 else 1e-11
    n = given.shape[-1]
    count = 1 if z1 == 0 else max(1, math.ceil(math.log(precision) / math.log(abs(z1))))
    if count >= n:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    powers = numpy.asarray(z1) ** numpy.arange(1, count + 1)
    weights = np.asarray(powers.astype(given.dtype), device=given.device)
    first = given[..., :1] + np.sum(given[..., :count] * weights, axis=-1, keepdims=True)
    return _both_ways(given, first, z1, c0, -c0 / (z1 - 1.0))


def _coefficients(signal: ArrayLike, pole: float, factor: float) -> ndarray:
    given = _floating(signal)
    given = given.astype(np.result_type(given.dtype, np.float64))  # as SciPy does
    n = given.shape[0]
    powers = np.asarray(pole ** numpy.arange(n), device=given.device).astype(given.real.dtype)
    first = given[:1] + pole * np.sum(powers * given, axis=0, keepdims=True)
    if n == 1:
        return pole / (pole - 1) * first
    return _both_ways(given, first, pole, -pole, pole / (pole - 1)) * factor


_CUBIC, _QUADRATIC = -2 + math.sqrt(3.0), -3 + 2 * math.sqrt(2.0)


def _of_scipy(name: str) -> Any:
    """What is not here: SciPy's own, on the host."""
    import scipy.signal

    from heddle.scipy._generic import on_host

    return on_host(getattr(scipy.signal, name))


def cspline1d(signal: ArrayLike, lamb: float = 0.0) -> ndarray:
    """Coefficients of the cubic spline through even points; smoothed by SciPy if lamb is not zero.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> x = np.array([1.0, 3.0, 2.0, 5.0])
    >>> signal.cspline1d_eval(signal.cspline1d(x), np.arange(4.0)).round(1)
    array([1., 3., 2., 5.])
    """
    if lamb != 0.0:
        made: ndarray = _of_scipy("cspline1d")(signal, lamb)
        return made
    return _coefficients(signal, _CUBIC, 6.0)


def qspline1d(signal: ArrayLike, lamb: float = 0.0) -> ndarray:
    """Coefficients of the quadratic spline through even points.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> x = np.array([1.0, 3.0, 2.0, 5.0])
    >>> signal.qspline1d_eval(signal.qspline1d(x), np.arange(4.0)).round(1)
    array([1., 3., 2., 5.])
    """
    if lamb != 0.0:
        raise ValueError("Smoothing quadratic splines not supported yet.")
    return _coefficients(signal, _QUADRATIC, 8.0)


def _evaluated(
    cj: ArrayLike, newx: ArrayLike, dx: float, x0: ArrayLike, taps: int, weight: Callable[..., Any]
) -> ndarray:
    coefficients = as_array(cj)
    if coefficients.dtype.kind not in "fc":
        coefficients = coefficients.astype("f8")  # or weights would be whole numbers
    places = (as_array(newx) - x0) / float(dx)
    if coefficients.size == 0:
        raise ValueError("Spline coefficients 'cj' must not be empty.")
    if places.size == 0:
        return np.zeros(places.shape, coefficients.dtype, device=places.device)
    last = coefficients.shape[0] - 1
    period = 2 * last
    turned = np.mod(places, period) if period else places * 0
    inside = np.minimum(turned, period - turned)
    lowest = np.floor(inside - taps / 2.0).astype("i8") + 1
    total = np.zeros(inside.shape, coefficients.dtype, device=inside.device)
    for k in range(taps):
        at = lowest + k
        near = coefficients[np.clip(at, 0, last)]
        total = total + near * weight(np.abs(inside - at)).astype(coefficients.real.dtype)
    return np.where(np.isnan(inside), math.nan, total)


def _cubic_weight(x: ndarray) -> ndarray:
    inner = 2.0 / 3 - 0.5 * x * x * (2 - x)
    return np.where(x < 1, inner, np.where(x < 2, (2 - x) ** 3 / 6, 0.0))


def _quadratic_weight(x: ndarray) -> ndarray:
    return np.where(x < 0.5, 0.75 - x * x, np.where(x < 1.5, 0.5 * (x - 1.5) ** 2, 0.0))


def cspline1d_eval(cj: ArrayLike, newx: ArrayLike, dx: float = 1.0, x0: ArrayLike = 0) -> ndarray:
    """Values of a cubic spline, mirrored at its ends, at new points.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.cspline1d_eval([6.0, 6.0, 6.0], [0.5, 1.0]).round(6)
    array([6., 6.])
    """
    return _evaluated(cj, newx, dx, x0, 4, _cubic_weight)


def qspline1d_eval(cj: ArrayLike, newx: ArrayLike, dx: float = 1.0, x0: ArrayLike = 0) -> ndarray:
    """Values of a quadratic spline, mirrored at its ends, at new points.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.qspline1d_eval([6.0, 6.0, 6.0], [0.5, 1.0]).round(6)
    array([6., 6.])
    """
    return _evaluated(cj, newx, dx, x0, 3, _quadratic_weight)


def _in_two(signal: ArrayLike, pole: float, factor: float, precision: float) -> ndarray:
    given = as_array(signal)
    if precision < 0.0 or precision >= 1.0:
        precision = 1e-3 if given.dtype.char in "fF" else 1e-6
    rows = symiirorder1(given, -pole * factor, pole, precision)
    columns = symiirorder1(np.swapaxes(rows, 0, -1), -pole * factor, pole, precision)
    return np.swapaxes(columns, 0, -1)


def cspline2d(signal: ArrayLike, lamb: float = 0.0, precision: float = -1.0) -> ndarray:
    """Coefficients of the cubic spline through a matrix; smoothed by SciPy if lamb is large.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.cspline2d(np.ones((40, 40)))[20, 20].round(4)
    np.float64(1.0)
    """
    if lamb > 1 / 144.0:
        made: ndarray = _of_scipy("cspline2d")(signal, lamb, precision)
        return made
    return _in_two(signal, _CUBIC, 6.0, precision)


def qspline2d(signal: ArrayLike, lamb: float = 0.0, precision: float = -1.0) -> ndarray:
    """Coefficients of the quadratic spline through a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.qspline2d(np.ones((40, 40)))[20, 20].round(4)
    np.float64(1.0)
    """
    if lamb > 0:
        raise ValueError("lambda must be negative or zero")
    return _in_two(signal, _QUADRATIC, 8.0, precision)
