"""Functions of matrices: exponentials on every device, roots and logarithms by Schur's form."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.linalg._arguments import (
    finfo,
    host,
    identity_like,
    on_device,
    over_batch,
    square,
    typed_as_doubles,
    validated,
    validated_together,
)
from heddle.scipy.linalg._equations import solve
from heddle.scipy.linalg._schur import rsf2csf, schur

# --- exponentials ---

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
    return np.max(np.sum(np.abs(a), axis=-2), axis=-1)


def _exponential(a: ndarray) -> ndarray:
    # What is read of it says how it is computed, and has no derivative.
    plain = np.stop_gradient(a)
    norms = _norm(plain)
    above, below = np.max(np.abs(np.triu(plain, 1))), np.max(np.abs(np.tril(plain, -1)))
    largest, above, below = np.stack([np.max(norms), above, below]).tolist()
    if not math.isfinite(largest):
        return np.full(a.shape, math.nan, a.dtype, device=a.device)
    for degree, limit in _largest.items():
        if largest <= limit:
            return _approximant(a, degree)
    lower, triangle = above == 0, above == 0 or below == 0
    a = a.mT if lower else a
    scale = np.maximum(norms, 1e-30)
    unit = a / scale[..., None, None]
    powers = _even_powers(unit)
    halvings, count = _halvings(np.stop_gradient(unit), tuple(map(np.stop_gradient, powers)), scale)
    factors = (2.0**-halvings).astype(scale.dtype)
    sizes = (scale * factors)[..., None, None]
    squares = sizes * sizes
    scaled = (powers[0] * squares, powers[1] * squares**2, powers[2] * squares**3)
    made = _approximant(unit * sizes, 13, scaled)
    if triangle:
        made = _with_diagonals(made, a, factors)
    for k in range(count):
        doubled = made @ made
        if triangle:
            doubled = _with_diagonals(doubled, a, factors * 2.0 ** (k + 1))
        made = doubled if a.ndim == 2 else np.where((halvings > k)[..., None, None], doubled, made)
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
    count, most = np.stack([np.max(found), np.max(rest)]).tolist()
    if most <= 0:
        return found, int(count)
    absolute = np.abs(unit)
    sums = np.ones((*unit.shape[:-2], 1, unit.shape[-1]), absolute.dtype, device=unit.device)
    for _ in range(27):
        sums = sums @ absolute
    left = rest + np.log2(np.maximum(np.max(sums[..., 0, :], axis=-1), 1e-300))
    found = found + np.maximum(np.ceil(left / 26), 0)
    return found, int(np.max(found))


# The logarithm of the first coefficient that Pade's approximant of degree 13 leaves.
_SERIES = math.log2(113250775606021113483283660800000000)


def _with_diagonals(made: ndarray, a: ndarray, factors: ndarray) -> ndarray:
    """Exponentials of upper triangles, with the two diagonals that are known exactly put in."""
    n = a.shape[-1]
    places = np.arange(n, device=a.device)
    scaled = a * factors[..., None, None].astype(a.real.dtype)
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


def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: str | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
) -> Any:
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
    columns = expm_frechet(
        np.broadcast_to(a, directions.shape), directions, compute_expm=False
    ).reshape(n * n, n * n)
    size = np.linalg.svdvals(columns)[0]
    return size * np.linalg.norm(a) / np.linalg.norm(expm(a))


def _turned(A: Any) -> tuple[ndarray, ndarray]:
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


def _powers(A: Any) -> tuple[ndarray, ndarray, ndarray]:
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


# --- by Schur's form, on the host ---


@np.njit
def _root_of_triangle(t: Any, r: Any) -> None:
    n = t.shape[0]
    for j in range(n):
        r[j, j] = np.sqrt(t[j, j])
        for i in range(j - 1, -1, -1):
            total = t[i, j]
            for k in range(i + 1, j):
                total -= r[i, k] * r[k, j]
            below = r[i, i] + r[j, j]
            if below == 0:
                r[i, j] = 0 if total == 0 else total * np.inf
            else:
                r[i, j] = total / below


def _triangle_root(t: Any) -> Any:
    made = numpy.zeros_like(t)
    _root_of_triangle(numpy.ascontiguousarray(t), made)
    return made


def _complex_form(a: ndarray) -> tuple[Any, Any]:
    """T and Z of the complex Schur form, in double precision, on the host."""
    if a.dtype.kind == "c":
        t, z = schur(a.astype("c16"), check_finite=False)
    else:
        t, z = rsf2csf(*schur(a.astype("f8"), check_finite=False), check_finite=False)
    return host(t), host(z)


def _given(A: Any) -> ndarray:
    given = validated(A, False)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ValueError("expected a square matrix")
    return typed_as_doubles(given)[0]


def _finished(a: ndarray, made: Any, real: bool, double: bool = False) -> ndarray:
    """In the precision of a, or in double precision; real if that is what it is."""
    single = not double and a.dtype.itemsize == (8 if a.dtype.kind == "c" else 4)
    if a.dtype.kind != "c" and real:
        return on_device(made.real.astype("f4" if single else "f8"), a)
    return on_device(made.astype("c8" if single else "c16"), a)


def _is_real(made: Any) -> bool:
    size = numpy.abs(made).max(initial=0)
    return bool(numpy.abs(made.imag).max(initial=0) <= 1e3 * numpy.finfo(float).eps * max(size, 1))


_unset = object()


def _warn_deprecated(name: str, value: Any) -> None:
    if value is not _unset:
        warnings.warn(
            f"The `{name}` argument is deprecated and will be removed in SciPy 1.18.0.",
            DeprecationWarning,
            stacklevel=4,
        )


@over_batch(A=2)
def sqrtm(A: ArrayLike, disp: Any = _unset, blocksize: Any = _unset) -> Any:
    """The principal square root of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """
    _warn_deprecated("disp", disp)
    _warn_deprecated("blocksize", blocksize)
    given = validated(A, False)
    if given.ndim < 2 or given.shape[0] != given.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    (a,) = typed_as_doubles(given)
    if a.size == 0:
        return a
    t, z = _complex_form(a)
    made = z @ _triangle_root(t) @ z.conj().T
    values = numpy.diag(t)
    real = bool(numpy.all((numpy.abs(values.imag) > 0) | (values.real >= 0)))
    found = _finished(a, made, real and _is_real(made))
    if disp is False:
        return found, np.linalg.norm(found @ found - a) / np.linalg.norm(a)
    return found


def _log_of_triangle(t: Any) -> Any:
    """By inverse scaling and squaring: square roots until t is near to one, then quadrature."""
    n = len(t)
    eye = numpy.eye(n)
    values = numpy.diag(t).copy()
    count = 0
    root = t
    while numpy.abs(root - eye).sum(axis=0).max() > 0.25 and count < 100:
        root = _triangle_root(root)
        count += 1
    x = root - eye
    nodes, weights = numpy.polynomial.legendre.leggauss(8)
    nodes, weights = (nodes + 1) / 2, weights / 2
    made: Any = sum(
        w * numpy.linalg.solve(eye + node * x, x) for node, w in zip(nodes, weights, strict=True)
    )
    made = made * 2.0**count
    made[numpy.arange(n), numpy.arange(n)] = numpy.log(values)
    # Elements beside the diagonal have a formula that loses no digits.
    for i in range(n - 1):
        made[i, i + 1] = t[i, i + 1] * _log_slope(values[i], values[i + 1])
    return numpy.triu(made)


def _log_slope(a: complex, b: complex) -> complex:
    """(log b - log a) / (b - a), also where these are near to one another."""
    if a == b:
        return 1 / a
    if abs(b - a) > abs(a + b) / 2:
        return complex((numpy.log(b) - numpy.log(a)) / (b - a))
    z = (b - a) / (b + a)
    turns = numpy.ceil((numpy.log(b) - numpy.log(a)).imag / (2 * numpy.pi) - 0.5)
    return complex((2 * numpy.arctanh(z) + 2j * numpy.pi * turns) / (b - a))


@over_batch(A=2)
def logm(A: ArrayLike, disp: Any = _unset) -> Any:
    """The principal logarithm of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.logm([[1.0, 1.0], [0.0, 1.0]]).round(6)
    array([[0., 1.],
           [0., 0.]])
    """
    _warn_deprecated("disp", disp)
    a = _given(A)
    if a.size == 0:
        return a
    t, z = _complex_form(a)
    values = numpy.diag(t)
    with numpy.errstate(all="ignore"):
        if numpy.any(values == 0):
            warnings.warn(
                "The logm input matrix is exactly singular.", RuntimeWarning, stacklevel=3
            )
            made = numpy.full_like(t, numpy.nan)
        else:
            made = z @ _log_of_triangle(t) @ z.conj().T
    real = bool(numpy.all((values.imag != 0) | (values.real > 0))) and _is_real(made)
    found = _finished(a, made, real, double=True)
    if disp is False:
        return found, np.linalg.norm(expm(found) - a, 1) / np.linalg.norm(a, 1)
    return found


@over_batch(A=2)
def fractional_matrix_power(A: ArrayLike, t: float) -> ndarray:
    """Square matrices to any power.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.fractional_matrix_power([[4.0, 0.0], [0.0, 9.0]], 0.5).round(6)
    array([[2., 0.],
           [0., 3.]])
    """
    a = _given(A)
    if t == int(t):
        return np.linalg.matrix_power(a, int(t))
    form, z = _complex_form(a)
    whole = math.floor(t)
    values = numpy.diag(form)
    if numpy.any(values == 0):
        return np.full(a.shape, math.nan, a.dtype)
    part = host(expm(np.asarray(_log_of_triangle(form), device="cpu") * (t - whole)))
    power = numpy.linalg.matrix_power(form if whole >= 0 else numpy.linalg.inv(form), abs(whole))
    made = z @ (power @ part) @ z.conj().T
    real = bool(numpy.all((values.imag != 0) | (values.real > 0))) and _is_real(made)
    return _finished(a, made, real, double=True)


@over_batch(A=2)
def funm(A: ArrayLike, func: Callable[[Any], Any], disp: bool = True) -> Any:
    """The function of square matrices that `func` is of numbers, by Schur and Parlett.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> linalg.funm(np.array([[1.0, 3.0], [1.0, 4.0]]), lambda x: x * x).round(6)
    array([[ 4., 15.],
           [ 5., 19.]])
    """
    a = _given(A)
    t, z = _complex_form(a)
    n = len(t)
    f = numpy.diag(numpy.asarray(func(numpy.diag(t)))).astype(complex)
    least = abs(t[0, 0]) if n else 0.0
    for p in range(1, n):
        for i in range(n - p):
            j = i + p
            total = t[i, j] * (f[j, j] - f[i, i])
            inner = slice(i + 1, j)
            total = total + t[i, inner] @ f[inner, j] - f[i, inner] @ t[inner, j]
            below = t[j, j] - t[i, i]
            if below != 0:
                total = total / below
            f[i, j] = total
            least = min(least, abs(below))
    made = z @ f @ z.conj().T
    found = _finished(a, made, _is_real(made))
    eps = finfo(a).eps
    error = min(1.0, max(eps, eps / (least or eps) * numpy.abs(numpy.triu(t, 1)).sum(axis=0).max()))
    if not numpy.all(numpy.isfinite(made)):
        error = math.inf
    if disp:
        if error > 1000 * eps:
            print("funm result may be inaccurate, approximate err =", error)
        return found
    return found, error


def _signs(values: Any) -> Any:
    """Signs of eigenvalues' real parts, 0 of those that are 0 but for rounding."""
    least = 1e3 * numpy.finfo(float).eps * numpy.abs(values).max(initial=0)
    return numpy.where(numpy.abs(values.real) <= least, 0, numpy.sign(values.real))


@over_batch(A=2)
def signm(A: ArrayLike, disp: Any = _unset) -> Any:
    """The sign of square matrices: 1 and -1 in the place of eigenvalues.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.signm([[2.0, 0.0], [0.0, -3.0]]).round(6)
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    _warn_deprecated("disp", disp)
    a = _given(A)
    sign = host(a).astype("c16" if a.dtype.kind == "c" else "f8")
    if numpy.any(_signs(numpy.linalg.eigvals(sign)) == 0):
        return _of_sign(a, host(funm(a, _signs, False)[0]), disp)
    # Newton's iteration from a, which needs no vectors.
    for _ in range(100):
        inverse = numpy.linalg.inv(sign)
        following = 0.5 * (sign + inverse)
        done = numpy.abs(following - sign).max() <= 1e-15 * numpy.abs(following).max()
        sign = following
        if done:
            break
    return _of_sign(a, sign, disp)


def _of_sign(a: ndarray, sign: Any, disp: Any) -> Any:
    found = _finished(a, sign.astype(complex), a.dtype.kind != "c")
    if disp is False:
        return found, float(numpy.abs(sign @ sign - numpy.eye(len(sign))).max(initial=0))
    return found
