"""Arithmetic on the coefficients of series, for every family.

Those that begin with an underscore take arrays of one kind, as `as_vectors` makes them.
"""

from __future__ import annotations

from typing import Any

import numpy

from heddle._typing import ArrayLike, HostArray
from heddle.polynomial._coefficients import (
    as_count,
    as_vectors,
    first_axis,
    inexact,
    namespace,
    padded,
    read,
    spread,
    trimmed,
)
from heddle.polynomial._evaluation import values
from heddle.polynomial._families import Family, power


def line(family: Family, off: Any, scl: Any) -> Any:
    """The series of ``off + scl*x``."""
    off, scl = read(off, scl)
    same, up = family.x
    xp = namespace(off, scl)
    if not bool(scl != 0):
        return xp.stack([off])
    return xp.stack([off + scl * same if same else off, scl * up])


def add(family: Family, c1: Any, c2: Any) -> Any:
    """The sum of two series."""
    c1, c2 = as_vectors(c1, c2)
    count = max(len(c1), len(c2))
    return trimmed(padded(c1, count) + padded(c2, count))


def sub(family: Family, c1: Any, c2: Any) -> Any:
    """The difference of two series."""
    c1, c2 = as_vectors(c1, c2)
    count = max(len(c1), len(c2))
    return trimmed(padded(c1, count) - padded(c2, count))


def _banded(c: Any, bands: Any, count: int) -> Any:
    """The series in which each P[n] of another became ``up P[n+1] + same P[n] + down P[n-1]``.

    It has `count` coefficients: one more than there were, or as many where the last one was zero.
    """
    up, same, down = bands
    kept = count - 1
    result = namespace(c).zeros_like(c, shape=(count, *c.shape[1:]))
    result[1:] = c[:kept] * spread(up[:kept], c)
    if same is not None:
        result[: len(c)] += c * spread(same, c)
    if down is not None and len(c) > 1:
        result[: len(c) - 1] += c[1:] * spread(down[1:], c)
    return result


def mulx(family: Family, c: Any) -> Any:
    """The series times x."""
    (c,) = as_vectors(c)
    if len(c) == 1 and not bool(c[0] != 0):
        return c
    return _banded(c, family.bands(len(c)), len(c) + 1)


def _turned(family: Family, c: Any, a: float, b: float) -> Any:
    """The series times ``a x + b``, of the same length: its last coefficient has to be zero."""
    made = _banded(c, family.bands(len(c)), len(c))
    made = made if a == 1 else made * a
    return made + c * b if b else made


def _substituted(family: Family, c: Any, target: Family, unit: Any) -> Any:
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


def _product(family: Family, c1: Any, c2: Any) -> Any:
    if family is power:
        return namespace(c1).convolve(c1, c2)
    if len(c1) > len(c2):
        c1, c2 = c2, c1
    return _substituted(family, c1, family, c2)


def mul(family: Family, c1: Any, c2: object) -> Any:
    """The product of two series."""
    c1, c2 = as_vectors(c1, c2)
    return trimmed(_product(family, c1, c2))


def div(family: Family, c1: Any, c2: Any) -> Any:
    """The quotient and the remainder of two series."""
    c1, c2 = as_vectors(c1, c2)
    if not bool(c2[-1] != 0):
        raise ZeroDivisionError
    if len(c1) < len(c2):
        return c1[:1] * 0, c1
    if len(c2) == 1:
        return c1 / c2[-1], c1[:1] * 0
    xp = namespace(c1)
    basis = namespace(c1).zeros_like(c1, shape=(len(c1) - len(c2) + 1,))
    quotient = []
    while len(basis):
        basis[-1] = 1
        product = _product(family, basis, c2)
        basis = basis[:-1] * 0
        last = len(c1) - 1
        factor = c1[last] / product[last]
        quotient.append(factor)
        c1 = c1[:last] - factor * product[:last]
    return xp.stack(quotient[::-1]), trimmed(c1)


def pow(family: Family, c: Any, pow: Any, maxpower: Any = 16) -> Any:
    """The series to an integer power."""
    (c,) = as_vectors(c)
    exponent = int(pow)
    if exponent != pow or exponent < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and exponent > maxpower:
        raise ValueError("Power is too large")
    if exponent == 0:
        return namespace(c).ones_like(c[:1])
    result = c
    for _ in range(exponent - 1):
        result = _product(family, result, c)
    return result


def fromroots(family: Family, roots: Any) -> Any:
    """The series with these roots whose leading power of x has the factor one."""
    (roots,) = read(roots, small=None)
    if roots.size == 0:
        return numpy.ones(1)
    (roots,) = as_vectors(roots, trim=False)
    if isinstance(roots, numpy.ndarray):
        roots = numpy.sort(roots)
    parts = [line(family, -roots[i], 1) for i in range(len(roots))]
    while len(parts) > 1:
        half, odd = divmod(len(parts), 2)
        joined = [_product(family, parts[i], parts[i + half]) for i in range(half)]
        if odd:
            joined[0] = _product(family, joined[0], parts[-1])
        parts = joined
    return parts[0]


def convert(source: Family, target: Family, c: Any) -> Any:
    """The coefficients of the same polynomial in another family."""
    (c,) = as_vectors(c)
    if len(c) < 2 or source is target:
        return c
    return _substituted(source, c, target, namespace(c).ones_like(c[:1]))


# --- calculus ---


def _reverse_sums(terms: HostArray, stride: int) -> Any:
    """For each place the sum of the terms from there on, in steps."""
    xp = namespace(terms)
    if stride == 0:
        return terms
    if stride == 1:
        return xp.cumsum(terms[::-1], axis=0)[::-1]
    result = xp.empty_like(terms)
    for start in range(stride):
        result[start::stride] = xp.cumsum(terms[start::stride][::-1], axis=0)[::-1]
    return result


def _derivative(family: Family, c: HostArray) -> Any:
    before, after, stride = family.slopes(len(c))
    return _reverse_sums(c[1:] * spread(before, c), stride) * spread(after, c)


def _in_type(result: Any, c: Any) -> Any:
    """A result in the type of the coefficients, as an operation in place would leave it."""
    return result if result.dtype == c.dtype else result.astype(c.dtype, casting="same_kind")


def der(family: Family, c: Any, m: ArrayLike = 1, scl: Any = 1, axis: Any = 0) -> Any:
    """The `m`-th derivative along an axis, multiplied by `scl` each time."""
    c, scl = read(c, scl)
    c = inexact(c)
    count = as_count(m, "the order of derivation")
    c, axis = first_axis(c, axis)
    if count < 0:
        raise ValueError("The order of derivation must be non-negative")
    if count == 0:
        return namespace(c).moveaxis(c, 0, axis)
    if count >= len(c):
        c = c[:1] * 0
    else:
        for _ in range(count):
            c = _derivative(family, _in_type(c * scl, c))
    return namespace(c).moveaxis(c, 0, axis)


def integ(
    family: Family,
    c: Any,
    m: ArrayLike = 1,
    k: ArrayLike = [],  # noqa: B006 (NumPy's default)
    lbnd: Any = 0,
    scl: Any = 1,
    axis: Any = 0,
) -> Any:
    """The `m`-th integral along an axis from `lbnd`, with the constants `k`."""
    constants = list(k) if numpy.iterable(k) else [k]
    c, lbnd, scl, *constants = read(c, lbnd, scl, *constants)
    c = inexact(c)
    count = as_count(m, "the order of integration")
    if count < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(constants) > count:
        raise ValueError("Too many integration constants")
    if lbnd.ndim:
        raise ValueError("lbnd must be a scalar.")
    if scl.ndim:
        raise ValueError("scl must be a scalar.")
    c, axis = first_axis(c, axis)
    xp = namespace(c)
    for i in range(count):
        constant = constants[i] if i < len(constants) else 0
        c = _in_type(c * scl, c)
        if len(c) == 1 and not bool(xp.any(c[0] != 0)):
            c = _in_type(c + constant, c)
            continue
        c = _banded(c, family.integral_bands(len(c)), len(c) + 1)
        c[0] = 0
        c[0] = _in_type(constant - values(family, lbnd, c), c)
    return xp.moveaxis(c, 0, axis)


def trim(c: ArrayLike | None, tol: Any = 0) -> Any:
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
