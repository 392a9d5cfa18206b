"""Convolution, correlation and interpolation of sequences."""

from __future__ import annotations

from typing import Any, Literal

import numpy as _numpy

from heddle import _core
from heddle._arguments import all_of, as_array, as_integer, check_cast
from heddle._core import ndarray, ufuncs
from heddle._typing import ArrayLike

__all__ = ["convolve", "correlate", "interp"]

_add, _multiply = ufuncs["add"], ufuncs["multiply"]
_modes = {"valid": 0, "same": 1, "full": 2}
# Sums of at most this many products of a long sequence are written out, as slots of one kernel.
_written_out = 8
# From here on transforms are faster than sums, for work of this many products and more.
_transformed, _worthwhile = 128, 1 << 21


def _mode(mode: Any) -> int:
    """NumPy's names, of which the first letter counts, and its numbers."""
    if isinstance(mode, str):
        if mode in _modes:
            return _modes[mode]
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    number = as_integer(mode)
    if number not in _modes.values():
        raise ValueError(f"integer mode must be 0, 1, or 2 (got {number})")
    return number


def _row(a: ndarray) -> ndarray:
    if a.ndim != 1:
        depth = "too deep" if a.ndim > 1 else "of too small depth"
        raise ValueError(f"object {depth} for desired array")
    return a


def _sequence(a: Any, name: str) -> ndarray:
    a = _row(as_array(a))
    if a.size == 0:
        raise ValueError(f"{name} cannot be empty")
    return a


def _shifted(a: ndarray, start: int, count: int) -> ndarray:
    return a._strided((count,), a.strides, start * a.strides[0])


def _padded(a: ndarray, left: int, right: int) -> ndarray:
    """With zeros on both sides."""
    if left == 0 and right == 0:
        return a
    result = _core.full((left + a.size + right,), 0, a.dtype, a.device)
    _core.write(result[left : left + a.size], a)
    return result


def _sums(a: ndarray, v: ndarray, count: int) -> ndarray:
    """The sums over k of a[i + k] * v[k], as they are."""
    if a.dtype.kind == "b":
        product, total = ufuncs["logical_and"], ufuncs["logical_or"]
    else:
        product, total = _multiply, _add
    taps = v.size
    if taps <= _written_out and count > 4096:
        result = _core.apply(product, (_shifted(a, 0, count), v[:1]), None)
        for k in range(1, taps):
            term = _core.apply(product, (_shifted(a, k, count), v[k : k + 1]), None)
            result = _core.apply(total, (result, term), None)
        return result
    windows = a._strided((taps, count), (a.strides[0], a.strides[0]), 0)
    products = _core.apply(product, (windows, v._reshape((taps, 1))), None)
    return _core.reduce(total, products, (0,), False, None if a.dtype.kind == "b" else a.dtype)


def _fast_length(n: int) -> int:
    """The next number that has no prime factor beyond 5."""
    best = 1 << (n - 1).bit_length()
    fives = 1
    while fives < best:
        threes = fives
        while threes < best:
            rest = -(-n // threes)
            best = min(best, threes << (rest - 1).bit_length())
            threes *= 3
        fives *= 5
    return best


def _sums_by_transforms(a: ndarray, v: ndarray, count: int) -> ndarray:
    """The same through the spectra of overlapping blocks, in double precision."""
    from heddle import fft

    taps = v.size
    length = _fast_length(min(8 * taps, count + taps - 1))
    step = length - taps + 1
    blocks = -(-count // step)
    kind = _numpy.complex128 if a.dtype.kind == "c" else _numpy.float64
    a = _padded(as_array(a, kind), 0, max(0, (blocks - 1) * step + length - a.size))
    size = a.strides[0]
    windows = a._strided((blocks, length), (step * size, size), 0)
    v = as_array(v[::-1], kind)
    if a.dtype.kind == "c":
        whole = fft.ifft(fft.fft(windows) * fft.fft(v, length))
    else:
        whole = fft.irfft(fft.rfft(windows) * fft.rfft(v, length), length)
    return whole[:, taps - 1 :]._reshape((blocks * step,))[:count]


def _is_even(a: ndarray) -> bool:
    """Whether no element stands out so far that others would drown in its rounding errors."""
    size = _core.apply(ufuncs["absolute"], (a,), None)
    largest = _core.reduce(ufuncs["maximum"], size, None, False, None)
    total = _core.reduce(_add, size, None, False, None)
    return bool(largest * a.size <= total * 1e3)


def _correlated(a: ndarray, v: ndarray, mode: int) -> ndarray:
    """The sums over k of a[i + k] * v[k] for a mode; a is the longer one."""
    kind = _core.common_type(a, v)
    n, taps = a.size, v.size
    left = (0, taps // 2, taps - 1)[mode]
    count = (n - taps + 1, n, n + taps - 1)[mode]
    # Halves are summed in single precision.
    narrow = kind.itemsize == 2 and kind.kind in "fV"
    a, v = (as_array(x, _numpy.dtype("f4") if narrow else kind) for x in (a, v))
    a = _padded(a, left, count + taps - 1 - left - n)
    large = taps >= _transformed and taps * count >= _worthwhile
    if large and kind.kind in "fcV" and _is_even(a) and _is_even(v):
        result = _sums_by_transforms(a, v, count)
        if all_of(_core.apply(ufuncs["isfinite"], (result,), None)):
            return as_array(result, kind)
    return as_array(_sums(a, v, count), kind)


def convolve(
    a: ArrayLike, v: ArrayLike, mode: Literal["full", "same", "valid"] = "full"
) -> ndarray:
    """Convolution of two sequences: of all overlaps, of full ones, or as long as the longer one.

    Long floating-point sequences are convolved through their spectra, in double precision.

    Examples
    --------
    >>> import heddle as np
    >>> np.convolve([1, 2, 3], [0, 1, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    >>> np.convolve([1, 2, 3], [0, 1, 0.5], mode="same")
    array([1. , 2.5, 4. ])
    """
    a, v = (x._reshape((1,)) if x.ndim == 0 else x for x in (as_array(a), as_array(v)))
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")
    a, v = _sequence(a, "a"), _sequence(v, "v")
    if v.size > a.size:
        a, v = v, a
    return _correlated(a, v[::-1], _mode(mode))


def correlate(
    a: ArrayLike, v: ArrayLike, mode: Literal["full", "same", "valid"] = "valid"
) -> ndarray:
    """Correlation of two sequences: the sums of a[n + k] times the conjugate of v[n].

    Examples
    --------
    >>> import heddle as np
    >>> np.correlate([1, 2, 3], [0, 1, 0.5])
    array([3.5])
    """
    number = _mode(mode)
    a, v = _sequence(a, "first array argument"), _sequence(v, "second array argument")
    if v.dtype.kind == "c":
        v = _core.apply(ufuncs["conjugate"], (v,), None)
    if a.size < v.size:
        return _correlated(v, a, number)[::-1]._copy("C")
    return _correlated(a, v, number)


def _real(values: Any) -> ndarray:
    """As float64, but never without an imaginary part."""
    values = as_array(values)
    check_cast(values.dtype, _numpy.dtype(_numpy.float64), "same_kind")
    return as_array(values, _numpy.float64)


def _around(period: Any, x: ndarray, xp: ndarray, fp: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Arguments within one period, and points in order with one more on each side."""
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length")
    x, xp = x % period, xp % period
    order = _core.argsort(xp, 0)
    xp, fp = xp[order], fp[order]
    wide = _padded(xp, 1, 1)
    _core.write(wide[:1], xp[-1:] - period)
    _core.write(wide[-1:], xp[:1] + period)
    values = _padded(fp, 1, 1)
    _core.write(values[:1], fp[-1:])
    _core.write(values[-1:], fp[:1])
    return x, wide, values


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
    period: ArrayLike | None = None,
) -> ndarray:
    """Linear interpolation between the points (xp, fp), of which xp ascends.

    Beyond the points it is the first or the last of fp, or what left and right say; with a period,
    points repeat.

    Examples
    --------
    >>> import heddle as np
    >>> np.interp([1.5, 2.5, 9], [1, 2, 3], [10, 20, 30])
    array([15., 25., 30.])
    """
    fp = as_array(fp)
    kind = _numpy.dtype(_numpy.complex128 if fp.dtype.kind == "c" else _numpy.float64)
    x, xp, fp = _real(x), _real(xp), as_array(fp, kind)
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        left = right = None
        x, xp, fp = _around(abs(period), x, xp, fp)
    xp, fp = _row(xp), _row(fp)
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    last = xp.size - 1
    before = fp[0] if left is None else as_array(left, kind)
    after = fp[-1] if right is None else as_array(right, kind)
    right_of = _core.searchsorted(xp, x, True)  # the number of points that are not beyond x
    result = _between(x, xp, fp, _clipped(right_of - 1, max(last - 1, 0)))
    result = _core.select(x == xp[last], fp[last], result)
    result = _core.select(x < xp[0], before, result)
    result = _core.select(x > xp[last], after, result)
    nan = fp[0] if last == 0 else as_array(x, kind)
    return _core.select(x != x, nan, result)


def _clipped(index: ndarray, last: int) -> ndarray:
    low = _core.apply(ufuncs["maximum"], (index, 0), None)
    return _core.apply(ufuncs["minimum"], (low, last), None)


def _between(x: ndarray, xp: ndarray, fp: ndarray, i: ndarray) -> ndarray:
    """On the line through the points i and i + 1."""
    x0, f0 = _core.take_in_rows(xp, i), _core.take_in_rows(fp, i)
    slopes = _finite_slopes(x.size, xp, fp)
    if slopes is not None:
        result = _core.take_in_rows(slopes, i) * (x - x0) + f0
    else:
        result = _tried_again(x, x0, f0, xp, fp, i + min(1, xp.size - 1))
    # As NumPy has it: at a point its value, also where the next is infinite.
    return _core.select(x == x0, f0, result)


def _finite_slopes(count: int, xp: ndarray, fp: ndarray) -> ndarray | None:
    """The slopes between points, if the host sees that they are numbers, and far fewer than x."""
    if not xp._on_host or fp.dtype.kind == "c" or xp.size < 2 or xp.size > count // 4:
        return None
    slopes = (fp[1:] - fp[:-1]) / (xp[1:] - xp[:-1])
    # The distance to an infinite point times a slope of zero would be nan: so is this.
    finite = _core.apply(ufuncs["isfinite"], (slopes * xp[:-1],), None).all()
    _core.eval(slopes, finite)
    return slopes if finite._item() else None


def _tried_again(
    x: ndarray, x0: ndarray, f0: ndarray, xp: ndarray, fp: ndarray, i: ndarray
) -> ndarray:
    """The same from the point before, and from the next one i where that is nan, as in NumPy."""
    x1, f1 = _core.take_in_rows(xp, i), _core.take_in_rows(fp, i)
    if fp.dtype.kind == "c":
        real = _line(x, x0, x1, _core.real(f0), _core.real(f1))
        return _core.make_complex(real, _line(x, x0, x1, _core.imag(f0), _core.imag(f1)))
    return _line(x, x0, x1, f0, f1)


def _line(x: ndarray, x0: ndarray, x1: ndarray, f0: ndarray, f1: ndarray) -> ndarray:
    slope = (f1 - f0) / (x1 - x0)
    result = slope * (x - x0) + f0
    other = slope * (x - x1) + f1
    result = _core.select(result != result, other, result)
    return _core.select((result != result) & (f0 == f1), f0, result)
