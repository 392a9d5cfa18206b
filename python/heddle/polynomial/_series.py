"""Arithmetic on the coefficients of series, for every family.

Those that begin with an underscore take arrays of one kind, as `as_vectors` makes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy

from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.polynomial._coefficients import (
    as_count,
    as_vectors,
    first_axis,
    inexact,
    moved,
    namespace,
    one,
    padded,
    read,
    spread,
    stacked,
    trimmed,
    zeros,
)
from heddle.polynomial._evaluation import values
from heddle.polynomial._families import Bands, Family, power


def line(family: Family, off: ArrayLike, scl: ArrayLike) -> ndarray:
    """The series of ``off + scl*x``."""
    start, slope = read(off, scl)
    same, up = family.x
    if not bool(slope != 0):
        return stacked([start])
    return stacked([start + slope * same if same else start, slope * up])


def add(family: Family, c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The sum of two series."""
    c1, c2 = as_vectors(c1, c2)
    count = max(len(c1), len(c2))
    return trimmed(padded(c1, count) + padded(c2, count))


def sub(family: Family, c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The difference of two series."""
    c1, c2 = as_vectors(c1, c2)
    count = max(len(c1), len(c2))
    return trimmed(padded(c1, count) - padded(c2, count))


def _banded(c: ndarray, bands: Bands, count: int) -> ndarray:
    """The series in which each P[n] of another became ``up P[n+1] + same P[n] + down P[n-1]``.

    It has `count` coefficients: one more than there were, or as many where the last one was zero.
    """
    up, same, down = bands
    kept = count - 1
    result = zeros(count, c)
    if up is not None:
        result[1:] = c[:kept] * spread(up[:kept], c)
    if same is not None:
        result[: len(c)] += c * spread(same, c)
    if down is not None and len(c) > 1:
        result[: len(c) - 1] += c[1:] * spread(down[1:], c)
    return result


def mulx(family: Family, c: ArrayLike) -> ndarray:
    """The series times x."""
    (c,) = as_vectors(c)
    if len(c) == 1 and not bool(c[0] != 0):
        return c
    return _banded(c, family.bands(len(c)), len(c) + 1)


def _turned(family: Family, c: ndarray, a: float, b: float) -> ndarray:
    """The series times ``a x + b``, of the same length: its last coefficient has to be zero."""
    made = _banded(c, family.bands(len(c)), len(c))
    made = made if a == 1 else made * a
    return made + c * b if b else made


def _substituted(family: Family, c: ndarray, target: Family, unit: ndarray) -> ndarray:
    """The series ``sum(c[n] P[n](x)) * unit``, where `unit` is one of the target family.

    Clenshaw's algorithm, with series in the place of numbers.
    """
    n = len(c) - 1
    unit = padded(unit, len(unit) + n)
    later, last = None, unit * c[n]
    for k in range(n - 1, -1, -1):
        a, b, _ = family.step(k)
        following = _turned(target, last, a, b) + unit * c[k]
        drawn = family.step(k + 1)[2]
        if later is not None and drawn:
            following = following - later * drawn
        later, last = last, following
    return last


def _product(family: Family, c1: ndarray, c2: ndarray) -> ndarray:
    if family is power:
        product: ndarray = namespace(c1).convolve(c1, c2)
        return product
    if len(c1) > len(c2):
        c1, c2 = c2, c1
    return _substituted(family, c1, family, c2)


def mul(family: Family, c1: ArrayLike, c2: ArrayLike) -> ndarray:
    """The product of two series."""
    c1, c2 = as_vectors(c1, c2)
    return trimmed(_product(family, c1, c2))


def div(family: Family, c1: ArrayLike, c2: ArrayLike) -> tuple[ndarray, ndarray]:
    """The quotient and the remainder of two series."""
    c1, c2 = as_vectors(c1, c2)
    if not bool(c2[-1] != 0):
        raise ZeroDivisionError
    if len(c1) < len(c2):
        return c1[:1] * 0, c1
    if len(c2) == 1:
        return c1 / c2[-1], c1[:1] * 0
    basis = zeros(len(c1) - len(c2) + 1, c1)
    quotient = []
    while len(basis):
        basis[-1] = 1
        product = _product(family, basis, c2)
        basis = basis[:-1] * 0
        last = len(c1) - 1
        factor = c1[last] / product[last]
        quotient.append(factor)
        c1 = c1[:last] - factor * product[:last]
    return stacked(quotient[::-1]), trimmed(c1)


def pow(family: Family, c: ArrayLike, pow: int, maxpower: int | None = 16) -> ndarray:
    """The series to an integer power."""
    (c,) = as_vectors(c)
    exponent = int(pow)
    if exponent != pow or exponent < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and exponent > maxpower:
        raise ValueError("Power is too large")
    if exponent == 0:
        return one(c)
    result = c
    for _ in range(exponent - 1):
        result = _product(family, result, c)
    return result


def fromroots(family: Family, roots: ArrayLike) -> ndarray:
    """The series with these roots whose leading power of x has the factor one."""
    (points,) = read(roots, small=None)
    if points.size == 0:
        return read([1.0], small=None)[0]
    (points,) = as_vectors(points, trim=False)
    if isinstance(points, numpy.ndarray):
        points = numpy.sort(points)
    parts = [line(family, -points[i], 1) for i in range(len(points))]
    while len(parts) > 1:
        half, odd = divmod(len(parts), 2)
        joined = [_product(family, parts[i], parts[i + half]) for i in range(half)]
        if odd:
            joined[0] = _product(family, joined[0], parts[-1])
        parts = joined
    return parts[0]


def convert(source: Family, target: Family, c: ArrayLike) -> ndarray:
    """The coefficients of the same polynomial in another family."""
    (c,) = as_vectors(c)
    if len(c) < 2 or source is target:
        return c
    return _substituted(source, c, target, one(c))


# --- calculus ---


def _reverse_sums(terms: ndarray, stride: int) -> ndarray:
    """For each place the sum of the terms from there on, in steps."""
    xp = namespace(terms)
    if stride == 0:
        return terms
    if stride == 1:
        sums: ndarray = xp.cumsum(terms[::-1], axis=0)[::-1]
        return sums
    result: ndarray = xp.empty_like(terms)
    for start in range(stride):
        result[start::stride] = xp.cumsum(terms[start::stride][::-1], axis=0)[::-1]
    return result


def _derivative(family: Family, c: ndarray) -> ndarray:
    before, after, stride = family.slopes(len(c))
    return _reverse_sums(c[1:] * spread(before, c), stride) * spread(after, c)


def _in_type(result: ndarray, c: ndarray) -> ndarray:
    """A result in the type of the coefficients, as an operation in place would leave it."""
    return result if result.dtype == c.dtype else result.astype(c.dtype, casting="same_kind")


def der(
    family: Family, c: ArrayLike, m: SupportsIndex = 1, scl: ArrayLike = 1, axis: SupportsIndex = 0
) -> ndarray:
    """The `m`-th derivative along an axis, multiplied by `scl` each time."""
    c, scale = read(c, scl)
    c = inexact(c)
    count = as_count(m, "the order of derivation")
    c, place = first_axis(c, axis)
    if count < 0:
        raise ValueError("The order of derivation must be non-negative")
    if count == 0:
        return moved(c, 0, place)
    if count >= len(c):
        c = c[:1] * 0
    else:
        for _ in range(count):
            c = _derivative(family, _in_type(c * scale, c))
    return moved(c, 0, place)


def integ(
    family: Family,
    c: ArrayLike,
    m: SupportsIndex = 1,
    k: ArrayLike = [],  # noqa: B006 (NumPy's default)
    lbnd: ArrayLike = 0,
    scl: ArrayLike = 1,
    axis: SupportsIndex = 0,
) -> ndarray:
    """The `m`-th integral along an axis from `lbnd`, with the constants `k`."""
    given: list[Any] = list(k) if isinstance(k, Iterable) else [k]
    c, lower, scale, *constants = read(c, lbnd, scl, *given)
    c = inexact(c)
    count = as_count(m, "the order of integration")
    if count < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(constants) > count:
        raise ValueError("Too many integration constants")
    if lower.ndim:
        raise ValueError("lbnd must be a scalar.")
    if scale.ndim:
        raise ValueError("scl must be a scalar.")
    c, place = first_axis(c, axis)
    xp = namespace(c)
    for i in range(count):
        constant = constants[i] if i < len(constants) else 0
        c = _in_type(c * scale, c)
        if len(c) == 1 and not bool(xp.any(c[0] != 0)):
            c = _in_type(c + constant, c)
            continue
        c = _banded(c, family.integral_bands(len(c)), len(c) + 1)
        c[0] = 0
        c[0] = _in_type(constant - values(family, lower, c), c)
    return moved(c, 0, place)


def trim(c: ArrayLike, tol: float = 0) -> ndarray:
    """The series without trailing coefficients whose moduli are not larger than `tol`.

    Examples
    --------
    >>> from heddle.polynomial import polyutils
    >>> polyutils.trimcoef([1, 2, 0, 0])
    array([1., 2.])
    """
    if tol < 0:
        raise ValueError("tol must be non-negative")
    (c,) = as_vectors(c)
    return trimmed(c, tol)
