"""Functions of matrices by Schur's form, on the host: roots, logarithms, any function."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._core import is_stand_in, ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy._errors import OfScipy
from heddle.scipy.linalg._arguments import (
    LinAlgWarning,
    finfo,
    for_all_rows,
    host,
    on_device,
    over_batch,
    typed_as_doubles,
    validated,
)
from heddle.scipy.linalg._exponentials import expm
from heddle.scipy.linalg._roots import root_of_form, root_of_triangle
from heddle.scipy.linalg._schur import rsf2csf, schur

_OF_LOGM = "scipy.linalg._matfuncs_inv_ssq"


class LogmExactlySingularWarning(OfScipy, UserWarning, module=_OF_LOGM):
    """Told of a matrix that has no logarithm."""


class LogmNearlySingularWarning(OfScipy, UserWarning, module=_OF_LOGM):
    """Told of a matrix that hardly has one."""


def _complex_form(a: ndarray) -> tuple[Any, Any]:
    """T and Z of the complex Schur form, in double precision, on the host."""
    if a.dtype.kind == "c":
        t, z = schur(a.astype("c16"), check_finite=False)
    else:
        t, z = rsf2csf(*schur(a.astype("f8"), check_finite=False), check_finite=False)
    return host(t), host(z)


def _given(A: ArrayLike) -> ndarray:
    given = validated(A, False)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ValueError("expected a square matrix")
    return typed_as_doubles(given)[0]


def _finished(a: ndarray, made: HostArray, real: bool, double: bool = False) -> ndarray:
    """In the precision of a, or in double precision; real if that is what it is."""
    single = not double and a.dtype.itemsize == (8 if a.dtype.kind == "c" else 4)
    if a.dtype.kind != "c" and real:
        return on_device(made.real.astype("f4" if single else "f8"), a)
    return on_device(made.astype("c8" if single else "c16"), a)


def _is_real(made: HostArray) -> bool:
    size = numpy.abs(made).max(initial=0)
    if not numpy.isfinite(size):
        return not numpy.any(made.imag[numpy.isfinite(made.imag)])
    return bool(numpy.abs(made.imag).max(initial=0) <= 1e3 * numpy.finfo(float).eps * max(size, 1))


_unset = object()


def _warn_deprecated(name: str, value: object) -> None:
    if value is not _unset:
        warnings.warn(
            f"The `{name}` argument is deprecated and will be removed in SciPy 1.18.0.",
            DeprecationWarning,
            stacklevel=4,
        )


def _with_derivative(function: Callable[..., ndarray]) -> Callable[..., ndarray]:
    """A function of one matrix whose derivative is made of itself, to any order.

    f of [[a, e], [0, a]] has the derivative of f at a along e in its corner, and the way back is
    that of the transpose. Parameters after the matrix are fixed.
    """

    def called(a: ndarray, *fixed: Any) -> ndarray:
        if not is_stand_in(a):
            return function(a, *fixed)
        of_stack = over_batch(a=2)(lambda a: function(a, *fixed))
        return for_all_rows(of_stack, a)

    def forward(a: ndarray, *fixed: Any) -> Any:
        return differentiable(a, *fixed), a

    def backward(*given: Any) -> tuple[Any]:
        *fixed, a, cotangent = given
        n = a.shape[-1]
        both = np.block([[a.T, cotangent], [np.zeros_like(a), a.T]])
        slope = differentiable(both, *fixed)[:n, n:]
        real = a.dtype.kind != "c"
        return ((slope.real if real else slope).astype(a.dtype),)

    count = len(inspect.signature(function).parameters)
    differentiable: Any = np.custom_vjp(called, nondiff_argnums=tuple(range(1, count)))
    differentiable.defvjp(forward, backward)
    differentiable.has_linear_rule = True  # f of a block, which no step of it shows
    return differentiable  # type: ignore[no-any-return]


@overload
def sqrtm(A: ArrayLike, disp: Literal[True] = ..., blocksize: object = ...) -> ndarray: ...
@overload
def sqrtm(
    A: ArrayLike, disp: Literal[False], blocksize: object = ...
) -> tuple[ndarray, ndarray | float]: ...
def sqrtm(A: ArrayLike, disp: object = _unset, blocksize: object = _unset) -> Any:
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
    if given.ndim < 2:
        raise np.linalg.LinAlgError("The input array must be at least two-dimensional")
    if given.shape[-1] != given.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    (a,) = typed_as_doubles(given)
    if a.size == 0:
        return a if disp is not False else (a, math.nan)
    return _square_root(a, disp is False)


def _warn_of_roots(sizes: HostArray) -> None:
    """Of eigenvalues whose sizes are so different that a root is hardly one."""
    if not sizes.min() > sizes.max() * numpy.finfo(float).eps and sizes.max() < math.inf:
        kind = "ill-conditioned" if sizes.min() > 0 else "singular"
        warnings.warn(
            LinAlgWarning(
                f"Matrix is {kind}. The result might be inaccurate or the array might not have a "
                "square root."
            ),
            stacklevel=5,
        )


def _turned_back(root: HostArray, z: HostArray) -> HostArray:
    """z root z^H; of a matrix that was a triangle, itself, with what is infinite where it is."""
    if numpy.count_nonzero(z) == len(z) and (numpy.diag(z) == 1).all():
        return root
    return z @ root @ z.conj().T


@_with_derivative
def _root(a: ndarray) -> ndarray:
    if a.dtype.kind == "c":
        t, z = _complex_form(a)
        root = root_of_triangle(t)
        _warn_of_roots(numpy.abs(numpy.diag(t)))
    else:
        real = schur(a.astype("f8"), check_finite=False)
        t, z = map(host, real)
        usual = root_of_form(t)
        if usual is None:
            t, z = map(host, rsf2csf(*real, check_finite=False))
            root = root_of_triangle(t)
            _warn_of_roots(numpy.abs(numpy.diag(t)))
        else:
            root = usual
            _warn_of_roots(numpy.abs(numpy.diag(root)) ** 2)
    made = _turned_back(root, z)
    return _finished(a, made, made.dtype.kind != "c")


@over_batch(a=2)
def _square_root(a: ndarray, with_error: bool) -> Any:
    found = _root(a)
    if with_error:
        return found, np.linalg.norm(found @ found - a) / np.linalg.norm(a)
    return found


def _log_of_triangle(t: HostArray) -> HostArray:
    """By inverse scaling and squaring: square roots until t is near to one, then quadrature."""
    n = len(t)
    eye = numpy.eye(n)
    values = numpy.diag(t).copy()
    count = 0
    root = t
    while numpy.abs(root - eye).sum(axis=0).max() > 0.25 and count < 100:
        root = root_of_triangle(root)
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


@_with_derivative
def _logarithm(a: ndarray) -> ndarray:
    t, z = _complex_form(a)
    values = numpy.diag(t)
    smallest = abs(values).min()
    told: Warning
    with numpy.errstate(all="ignore"):
        if smallest == 0:
            told = LogmExactlySingularWarning("The logm input matrix is exactly singular.")
            warnings.warn(told, stacklevel=4)
            zeros = numpy.flatnonzero(values == 0)
            t = t.copy()
            t[zeros, zeros] = 1e-20  # as SciPy does
            values = numpy.diag(t)
        elif smallest < 1e-20:
            told = LogmNearlySingularWarning("The logm input matrix may be nearly singular.")
            warnings.warn(told, stacklevel=4)
        made = z @ _log_of_triangle(t) @ z.conj().T
        if smallest < 1e-20:
            given = host(a)
            back = host(expm(np.asarray(made, device="cpu")))
            error = numpy.linalg.norm(back - given, 1) / numpy.linalg.norm(given, 1)
            if not error < 1000 * numpy.finfo("f8").eps:
                text = f"logm result may be inaccurate, approximate err = {error}"
                warnings.warn(text, RuntimeWarning, stacklevel=4)
    real = bool(numpy.all((values.imag != 0) | (values.real > 0))) and _is_real(made)
    return _finished(a, made, real, double=True)


@overload
def logm(A: ArrayLike, disp: Literal[True] = ...) -> ndarray: ...
@overload
def logm(A: ArrayLike, disp: Literal[False]) -> tuple[ndarray, ndarray]: ...
@over_batch(A=2)
def logm(A: ArrayLike, disp: object = _unset) -> Any:
    """The principal logarithm of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.logm([[1.0, 1.0], [0.0, 1.0]]).round(6)
    array([[0., 1.],
           [0., 0.]])
    """
    _warn_deprecated("disp", disp)
    a = _given(validated(A))
    if a.size == 0:
        return a
    found = _logarithm(a)
    if disp is False:
        return found, np.linalg.norm(expm(found) - a, 1) / np.linalg.norm(a, 1)
    return found


@_with_derivative
def _power(a: ndarray, t: float) -> ndarray:
    form, z = _complex_form(a)
    whole = math.floor(t)
    values = numpy.diag(form)
    if numpy.any(values == 0):
        if t < 0:
            return np.full(a.shape, math.nan, a.dtype)
        root, _ = funm(a, lambda x: x ** (t - whole), disp=False)
        product: ndarray = np.linalg.matrix_power(a, whole) @ root
        return product
    part = host(expm(np.asarray(_log_of_triangle(form), device="cpu") * (t - whole)))
    power = numpy.linalg.matrix_power(form if whole >= 0 else numpy.linalg.inv(form), abs(whole))
    made = z @ (power @ part) @ z.conj().T
    real = bool(numpy.all((values.imag == 0) & (values.real > 0))) and _is_real(made)
    return _finished(a, made, real, double=True)


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
    return _power(validated(a), t)


@overload
def funm(A: ArrayLike, func: Callable[[Any], Any], disp: Literal[True] = True) -> ndarray: ...
@overload
def funm(
    A: ArrayLike, func: Callable[[Any], Any], disp: Literal[False]
) -> tuple[ndarray, float]: ...
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
    a = _given(validated(A))
    t, z = _complex_form(a)
    n = len(t)
    f = numpy.diag(np.asnumpy(func(numpy.diag(t)))).astype(complex)
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


def _signs(values: HostArray) -> HostArray:
    """Signs of eigenvalues' real parts, 0 of those that are 0 but for rounding."""
    least = 1e3 * numpy.finfo(float).eps * numpy.abs(values).max(initial=0)
    return numpy.where(numpy.abs(values.real) <= least, 0, numpy.sign(values.real))


@overload
def signm(A: ArrayLike, disp: Literal[True] = ...) -> ndarray: ...
@overload
def signm(A: ArrayLike, disp: Literal[False]) -> tuple[ndarray, ndarray | float]: ...
@over_batch(A=2)
def signm(A: ArrayLike, disp: object = _unset) -> Any:
    """The sign of square matrices: 1 and -1 in the place of eigenvalues.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.signm([[2.0, 0.0], [0.0, -3.0]]).round(6)
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    _warn_deprecated("disp", disp)
    a = _given(validated(A))
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
    found = _of_sign(a, sign, disp)
    return found


def _of_sign(a: ndarray, sign: HostArray, disp: object) -> Any:
    found = _finished(a, sign.astype(complex), a.dtype.kind != "c")
    if disp is False:
        return found, float(numpy.abs(sign @ sign - numpy.eye(len(sign))).max(initial=0))
    return found
