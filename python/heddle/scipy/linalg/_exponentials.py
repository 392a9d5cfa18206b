"""Exponentials of matrices, and what is made of them, on every device."""

from __future__ import annotations

import math
from typing import Literal, overload

import heddle as np
from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.linalg._arguments import (
    identity_like,
    over_batch,
    square,
    typed_as_doubles,
    validated,
    validated_together,
)
from heddle.scipy.linalg._equations import solve

# Coefficients of Pade's approximants of degree 3, 5, 7, 9 and 13, and for which norms they do.
_pade = {
    3: (120.0, 60.0, 12.0, 1.0),
    5: (30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0),
    7: (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0),
    9: (
        17643225600.0,
        8821612800.0,
        2075673600.0,
        302702400.0,
        30270240.0,
        2162160.0,
        110880.0,
        3960.0,
        90.0,
        1.0,
    ),
    13: (
        64764752532480000.0,
        32382376266240000.0,
        7771770303897600.0,
        1187353796428800.0,
        129060195264000.0,
        10559470521600.0,
        670442572800.0,
        33522128640.0,
        1323241920.0,
        40840800.0,
        960960.0,
        16380.0,
        182.0,
        1.0,
    ),
}
_largest = {3: 1.495585217958292e-2, 5: 2.539398330063230e-1, 7: 9.504178996162932e-1}
_largest |= {9: 2.097847961257068, 13: 4.25}


def _approximant(a: ndarray, degree: int, powers: tuple[ndarray, ...] = ()) -> ndarray:
    """exp(a), for a of a small norm; of degree 13 with the square, its square and its cube."""
    b, eye = _pade[degree], identity_like(a, a.shape[-1])
    if degree < 13:
        square_of = a @ a
        odd, even, power = b[1] * eye, b[0] * eye, eye
        for k in range(2, degree + 1, 2):
            power = square_of if k == 2 else power @ square_of
            even = even + b[k] * power
            odd = odd + b[k + 1] * power
    else:
        square_of, fourth, sixth = powers or _even_powers(a)
        odd = sixth @ (b[13] * sixth + b[11] * fourth + b[9] * square_of)
        odd = odd + b[7] * sixth + b[5] * fourth + b[3] * square_of + b[1] * eye
        even = sixth @ (b[12] * sixth + b[10] * fourth + b[8] * square_of)
        even = even + b[6] * sixth + b[4] * fourth + b[2] * square_of + b[0] * eye
    odd = a @ odd
    return np.linalg.solve(even - odd, even + odd)


def _even_powers(a: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    second = a @ a
    fourth = second @ second
    return second, fourth, fourth @ second


def _norm(a: ndarray) -> ndarray:
    """Of matrices that stay along two axes of one element: what is known of no axis is a number,
    which is on no device, and views of it are on the usual one."""
    return np.max(np.sum(np.abs(a), axis=-2, keepdims=True), axis=-1, keepdims=True)


def _most(values: ndarray) -> ndarray:
    """The largest one, of all rows inside of vmap."""
    return np.max(_core.all_rows(values))


def _exponential(a: ndarray) -> ndarray:
    # What is read of it says how it is computed, and has no derivative. It is little, so that a
    # recorded call serves other matrices.
    plain = np.stop_gradient(a)
    norms = _norm(plain)
    largest = _most(norms)
    read = [sum((largest > limit).astype(int) for limit in _largest.values())]
    read += [_most(np.abs(part)) == 0 for part in (np.triu(plain, 1), np.tril(plain, -1))]
    place, lower, upper, finite = np.stack([*read, np.isfinite(largest)]).tolist()
    if not finite:  # those matrices alone: others of the stack have their exponentials
        good = np.isfinite(norms)
        missing = complex(math.nan, math.nan) if a.dtype.kind == "c" else math.nan
        return np.where(good, _exponential(np.where(good, a, 0.0)), missing)
    if place < len(_largest):
        return _approximant(a, list(_largest)[place])
    triangle = lower or upper
    a = a.mT if lower else a
    scale = np.maximum(norms, 1e-30)
    unit = a / scale
    powers = _even_powers(unit)
    halvings, count = _halvings(np.stop_gradient(unit), tuple(map(np.stop_gradient, powers)), scale)
    factors = (2.0**-halvings).astype(scale.dtype)
    sizes = scale * factors
    squares = sizes * sizes
    scaled = (powers[0] * squares, powers[1] * squares**2, powers[2] * squares**3)
    made = _approximant(unit * sizes, 13, scaled)
    if triangle:
        made = _with_diagonals(made, a, factors)
    for k in range(count):
        doubled = made @ made
        if triangle:
            doubled = _with_diagonals(doubled, a, factors * 2.0 ** (k + 1))
        single = a.ndim == 2 and not _core.is_stand_in(a)
        made = doubled if single else np.where(halvings > k, doubled, made)
    return made.mT if lower else made


def _halvings(unit: ndarray, powers: tuple[ndarray, ...], scale: ndarray) -> tuple[ndarray, int]:
    """How often matrices are to be halved, and the most: Al-Mohy and Higham's rule of 2009.

    Matrices are `unit` of norm 1, with their even powers, times `scale`. Norms of powers, which are
    smaller than powers of norms, say how far; a matrix that is far from normal would be halved
    until nothing of it is left.
    """
    _, fourth, sixth = powers
    d6 = _norm(sixth) ** (1 / 6)
    d8 = _norm(fourth @ fourth) ** (1 / 8)
    d10 = _norm(fourth @ sixth) ** (1 / 10)
    size = scale * np.minimum(np.maximum(d6, d8), np.maximum(d8, d10))
    found = np.maximum(np.ceil(np.log2(np.maximum(size, 1e-30) / _largest[13])), 0)
    # What is left of the series must be below the precision, for the sizes of elements, too. The
    # sums below are of a matrix of norm 1: at most 1, and mostly that says enough.
    rest = 26 * (np.log2(scale) - found) - _SERIES + 53
    count, more = np.stack([_most(found), _most(rest) > 0]).tolist()
    if not more:
        return found, int(count)
    absolute = np.abs(unit)
    sums = np.ones((*unit.shape[:-2], 1, unit.shape[-1]), absolute.dtype, device=unit.device)
    for _ in range(27):
        sums = sums @ absolute
    left = rest + np.log2(np.maximum(np.max(sums, axis=-1, keepdims=True), 1e-300))
    found = found + np.maximum(np.ceil(left / 26), 0)
    return found, int(_most(found))


# The logarithm of the first coefficient that Pade's approximant of degree 13 leaves.
_SERIES = math.log2(113250775606021113483283660800000000)


def _with_diagonals(made: ndarray, a: ndarray, factors: ndarray) -> ndarray:
    """Exponentials of upper triangles, with the two diagonals that are known exactly put in."""
    n = a.shape[-1]
    places = np.arange(n, device=a.device)
    scaled = a * factors.astype(a.real.dtype)
    values = np.diagonal(scaled, axis1=-2, axis2=-1)
    made = np.where(places[:, None] == places, np.exp(values)[..., None], made)
    left, right = values[..., :-1], values[..., 1:]
    half = (right - left) / 2
    near, far = np.abs(half) < 1e-4, np.abs(half) > 1
    safe = np.where(near | far, 1.0, half)
    quotient = np.where(near, 1 + half * half / 6, np.sinh(safe) / safe)
    # Of values that are far apart the sine would overflow, and the difference loses nothing.
    apart = (np.exp(right) - np.exp(left)) / np.where(far, right - left, 1.0)
    mean = np.exp((left + right) / 2) * quotient
    beside = np.where(far, apart, mean) * np.diagonal(scaled, 1, -2, -1)
    beside = np.pad(beside, [(0, 0)] * (a.ndim - 2) + [(0, 1)])
    return np.where(places[:, None] + 1 == places, beside[..., None], made)


def expm(A: ArrayLike) -> ndarray:
    """The exponential of square matrices, by scaling and squaring.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.expm([[0.0, 1.0], [0.0, 0.0]])
    array([[1., 1.],
           [0., 1.]])
    """
    given = validated(A, False)
    if given.ndim < 2:
        if given.size == 1:
            return np.exp(np.atleast_2d(typed_as_doubles(given)[0]))
        raise np.linalg.LinAlgError("The input array must be at least two-dimensional")
    if given.shape[-1] != given.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    (given,) = typed_as_doubles(given)
    if given.size == 0:
        return given
    if given.shape[-1] == 1:
        return np.exp(given)
    return _exponential(given)


@overload
def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: str | None = None,
    compute_expm: Literal[True] = True,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]: ...
@overload
def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: str | None = None,
    *,
    compute_expm: Literal[False],
    check_finite: bool = True,
) -> ndarray: ...
@overload
def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: str | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]: ...
def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: str | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """The exponential of A and its derivative in the direction E.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.expm_frechet([[0.0]], [[2.0]])
    (array([[1.]]), array([[2.]]))
    """
    a, e = validated_together(check_finite, A, E)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("expected A to be a square matrix")
    if e.ndim < 2 or e.shape[-1] != e.shape[-2]:
        raise ValueError("expected E to be a square matrix")
    if a.shape[-1] != e.shape[-1]:
        raise ValueError("expected A and E to be the same shape")
    a, e = np.broadcast_arrays(a, e)
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    dtype = "c16" if "c" in (a.dtype.kind, e.dtype.kind) else "f8"
    a, e = a.astype(dtype), e.astype(dtype)
    n = a.shape[-1]
    above = np.concatenate([a, e], axis=-1)
    below = np.concatenate([np.zeros_like(a), a], axis=-1)
    block = expm(np.concatenate([above, below], axis=-2))
    derivative = block[..., :n, n:]
    return (block[..., :n, :n], derivative) if compute_expm else derivative


@over_batch(A=2)
def expm_cond(A: ArrayLike, check_finite: bool = True) -> ndarray:
    """The condition of the exponential in Frobenius' norm.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.expm_cond([[1.0]]).round(6)
    np.float64(1.0)
    """
    a = square(validated(A, check_finite), "expected a square matrix")
    (a,) = typed_as_doubles(a)
    n = a.shape[-1]
    directions = identity_like(a, n * n).reshape(n * n, n, n)
    derivatives = expm_frechet(np.broadcast_to(a, directions.shape), directions, compute_expm=False)
    columns = derivatives.reshape(n * n, n * n)
    size = np.linalg.svdvals(columns)[0]
    return size * np.linalg.norm(a) / np.linalg.norm(expm(a))


def _turned(A: ArrayLike) -> tuple[ndarray, ndarray]:
    (a,) = typed_as_doubles(square(validated(A, False), "expected square array_like input"))
    return a, expm(1j * a)


def cosm(A: ArrayLike) -> ndarray:
    """The cosine of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.cosm([[0.0, 1.0], [0.0, 0.0]])
    array([[1., 0.],
           [0., 1.]])
    """
    a, turned = _turned(A)
    return 0.5 * (turned + expm(-1j * a)) if a.dtype.kind == "c" else turned.real


def sinm(A: ArrayLike) -> ndarray:
    """The sine of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.sinm([[0.0, 1.0], [0.0, 0.0]])
    array([[0., 1.],
           [0., 0.]])
    """
    a, turned = _turned(A)
    return -0.5j * (turned - expm(-1j * a)) if a.dtype.kind == "c" else turned.imag


def tanm(A: ArrayLike) -> ndarray:
    """The tangent of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.tanm([[0.0, 1.0], [0.0, 0.0]])
    array([[0., 1.],
           [0., 0.]])
    """
    return solve(cosm(A), sinm(A))


def _powers(A: ArrayLike) -> tuple[ndarray, ndarray, ndarray]:
    (a,) = typed_as_doubles(square(validated(A, False), "expected square array_like input"))
    return a, expm(a), expm(-a)


def coshm(A: ArrayLike) -> ndarray:
    """The hyperbolic cosine of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.coshm([[0.0, 1.0], [0.0, 0.0]])
    array([[1., 0.],
           [0., 1.]])
    """
    _, up, down = _powers(A)
    return 0.5 * (up + down)


def sinhm(A: ArrayLike) -> ndarray:
    """The hyperbolic sine of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.sinhm([[0.0, 1.0], [0.0, 0.0]])
    array([[0., 1.],
           [0., 0.]])
    """
    _, up, down = _powers(A)
    return 0.5 * (up - down)


def tanhm(A: ArrayLike) -> ndarray:
    """The hyperbolic tangent of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.tanhm([[0.0, 1.0], [0.0, 0.0]])
    array([[0., 1.],
           [0., 0.]])
    """
    return solve(coshm(A), sinhm(A))
