"""Schur's, Hessenberg's and generalised forms, and the matrix equations that are solved by them.

LAPACK's, on the host: no GPU has them.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray, KernelArray
from heddle.scipy.linalg._arguments import (
    adjoint,
    check_status,
    computed_in,
    host,
    identity_like,
    lapack,
    on_device,
    over_batch,
    square,
    true_anywhere,
    typed,
    typed_as_doubles,
    validated,
)


@overload
def hessenberg(
    a: ArrayLike,
    calc_q: Literal[False] = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> ndarray: ...
@overload
def hessenberg(
    a: ArrayLike, calc_q: Literal[True], overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, ndarray]: ...
def hessenberg(
    a: ArrayLike, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> ndarray | tuple[ndarray, ndarray]:
    """H of ``a == Q @ H @ Q.conj().T``, zero below the first diagonal under the main one.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
    >>> h, q = linalg.hessenberg(a, calc_q=True)
    >>> np.allclose(q @ h @ q.T, a)
    True
    """
    given = square(validated(a, check_finite))
    n = given.shape[-1]
    if given.size == 0:
        (empty,) = typed(given)
        return (empty, empty) if calc_q else empty
    if n <= 2:
        return (given, np.broadcast_to(np.eye(n), given.shape)) if calc_q else given
    (given,) = typed(given)
    h, q, _ = lapack("hessenberg", given)
    h, q = np.triu(h, -1).astype(given.dtype), q.astype(given.dtype)
    return (h, q) if calc_q else h


_sorts: dict[str, Any] = {
    "lhp": lambda x, y=None: x.real < 0.0,
    "rhp": lambda x, y=None: x.real >= 0.0,
    "iuc": lambda x, y=None: abs(x if y is None else x + y * 1j) <= 1.0,
    "ouc": lambda x, y=None: abs(x if y is None else x + y * 1j) > 1.0,
}


def _takes_two(function: Callable[..., bool]) -> bool:
    try:
        inspect.signature(function).bind(0.0, 0.0)
    except TypeError:
        return False
    except ValueError:  # compiled functions that do not say
        return True
    return True


def _chosen(sort: Any, values: HostArray, is_complex: bool) -> HostArray:
    """Which eigenvalues a condition holds for; of a conjugate pair it is asked once for each."""
    if isinstance(sort, str) and sort in _sorts:
        sort = _sorts[sort]
    elif not callable(sort):
        raise ValueError(
            "'sort' parameter must either be 'None', or a callable, or one of "
            "('lhp','rhp','iuc','ouc')"
        )
    if is_complex:
        asked = [sort(w) for w in values]
    elif _takes_two(sort):
        asked = [sort(w.real, w.imag) for w in values]
    else:  # of real numbers, as LAPACK's caller gives no more than is taken
        asked = [sort(w.real) for w in values]
    chosen = numpy.array([bool(each) for each in asked], numpy.int64)
    if not is_complex:
        pairs = numpy.flatnonzero(values.imag > 0)
        chosen[pairs] |= chosen[pairs + 1]
        chosen[pairs + 1] = chosen[pairs]
    return chosen


@over_batch(a=2)
def schur(
    a: ArrayLike,
    output: str = "real",
    lwork: int | None = None,
    overwrite_a: bool = False,
    sort: str | Callable[..., bool] | None = None,
    check_finite: bool = True,
) -> tuple[Any, ...]:
    """T and Z of ``a == Z @ T @ Z.conj().T``, T a triangle (of a real matrix with blocks of two).

    With `sort` those eigenvalues come first for which it says so, and their number is given.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a = np.array([[0.0, 2.0], [1.0, 1.0]])
    >>> t, z = linalg.schur(a)
    >>> np.allclose(z @ t @ z.T, a)
    True
    """
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    (given,) = typed_as_doubles(square(validated(a, check_finite)))
    if output in ("complex", "c") and given.dtype.kind != "c":
        given = given.astype("c8" if given.dtype.itemsize == 4 else "c16")
    if given.size == 0:
        return (given, given) if sort is None else (given, given, 0)
    t, z, w, status = lapack("schur", given)
    check_status(status, "Schur form not found. Possibly ill-conditioned.")
    if sort is None:
        return t.astype(given.dtype), z.astype(given.dtype)
    chosen = _chosen(sort, host(w), given.dtype.kind == "c")
    t, z, _, status = lapack("reorder_schur", t, z, on_device(chosen, given))
    check_status(status, "Eigenvalues could not be separated for reordering.")
    return t.astype(given.dtype), z.astype(given.dtype), int(chosen.sum())


def _is_block(t: HostArray, m: int) -> bool:
    eps = float(numpy.finfo(float).eps)
    return bool(abs(t[m, m - 1]) > eps * (abs(t[m - 1, m - 1]) + abs(t[m, m])))


def _values_of_blocks(t: HostArray, blocks: list[int]) -> HostArray | list[Any]:
    """The first eigenvalue of each block of two, of which this is the second row."""
    each = [t[m - 1 : m + 1, m - 1 : m + 1] for m in blocks]
    return numpy.linalg.eigvals(numpy.stack(each))[:, 0] if each else []


@np.njit
def _turn(t: KernelArray, z: KernelArray, m: int, mu: complex) -> None:
    """Turns rows and columns m - 1 and m so that nothing is left below the diagonal."""
    below = t[m, m - 1]
    r = np.hypot(abs(mu), abs(below))
    c, s = mu / r, below / r
    other = c.conjugate()
    n = t.shape[0]
    for j in range(m - 1, n):
        upper, lower = t[m - 1, j], t[m, j]
        t[m - 1, j] = other * upper + s * lower
        t[m, j] = c * lower - s * upper
    for i in range(m + 1):
        left, right = t[i, m - 1], t[i, m]
        t[i, m - 1] = left * c + right * s
        t[i, m] = right * other - left * s
    for i in range(n):
        left, right = z[i, m - 1], z[i, m]
        z[i, m - 1] = left * c + right * s
        z[i, m] = right * other - left * s


@over_batch(T=2, Z=2)
def rsf2csf(T: ArrayLike, Z: ArrayLike, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """A real Schur form as a complex one, in which T is a triangle.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> t, z = linalg.rsf2csf(*linalg.schur([[0.0, 1.0], [-1.0, 0.0]]))
    >>> linalg.bandwidth(t)[0]
    0
    """
    first, second = validated(Z, check_finite), validated(T, check_finite)
    for name, each in (("Z", first), ("T", second)):
        square(each, f"Input '{name}' must be square.")
    if first.shape[0] != second.shape[0]:
        raise ValueError(f"Input array shapes must match: Z: {first.shape} vs. T: {second.shape}")
    dtype = (
        "c8" if computed_in(first, second).itemsize in (4, 8) and _single(first, second) else "c16"
    )
    z, t = host(first).astype(dtype), host(second).astype(dtype)
    blocks = [m for m in range(1, len(t)) if _is_block(t, m)]
    # In a form of Schur's blocks lie apart: turning one leaves the eigenvalues of the others.
    apart = all(m - before > 1 for before, m in itertools.pairwise(blocks))
    values = dict(zip(blocks, _values_of_blocks(t, blocks), strict=True)) if apart else {}
    for m in reversed(blocks if apart else range(1, len(t))):
        if apart or _is_block(t, m):
            value = values[m] if apart else _values_of_blocks(t, [m])[0]
            _turn(t, z, m, value - t[m, m])
    t[numpy.arange(1, len(t)), numpy.arange(len(t) - 1)] = 0
    return on_device(t, first), on_device(z, first)


def _single(*arrays: ndarray) -> bool:
    return all(a.dtype.char in "fF" for a in arrays)


# --- generalised forms ---


def _pencil(A: ArrayLike, B: ArrayLike, output: str, check_finite: bool) -> tuple[ndarray, ndarray]:
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    a, b = validated(A, check_finite), validated(B, check_finite)
    if not (a.ndim == b.ndim == 2 and a.shape[0] == a.shape[1] and a.shape == b.shape):
        raise ValueError("Array dimensions must be square and agree")
    a, b = typed(a, b)
    if output in ("complex", "c") and a.dtype.kind != "c":
        kind = "c8" if a.dtype.itemsize == 4 else "c16"
        a, b = a.astype(kind), b.astype(kind)
    return a, b


@over_batch(A=2, B=2)
def qz(
    A: ArrayLike,
    B: ArrayLike,
    output: str = "real",
    lwork: int | None = None,
    sort: object = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """AA, BB, Q and Z of ``A == Q @ AA @ Z.conj().T`` and ``B == Q @ BB @ Z.conj().T``.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> aa, bb, q, z = linalg.qz(a, b)
    >>> np.allclose(q @ aa @ z.T, a) and np.allclose(q @ bb @ z.T, b)
    True
    """
    if sort is not None:
        raise ValueError(
            "The 'sort' input of qz() has to be None and will be removed in a future release. Use "
            "ordqz instead."
        )
    a, b = _pencil(A, B, output, check_finite)
    if a.size == 0:
        return a, b, a, b
    aa, bb, q, z, _, _, status = lapack("generalised_schur", a, b)
    check_status(
        status, "Something other than QZ iteration failed. Please report INFO to developers."
    )
    return tuple(each.astype(a.dtype) for each in (aa, bb, q, z))  # type: ignore[return-value]


def _ordered(sort: str | Callable[..., Any], alpha: HostArray, beta: HostArray) -> HostArray:
    if callable(sort):
        return np.asnumpy(sort(alpha, beta))
    none = beta == 0
    with numpy.errstate(all="ignore"):
        ratio = alpha / numpy.where(none, 1, beta)
    if sort == "lhp":
        return numpy.where(none, False, ratio.real < 0.0)
    if sort == "rhp":
        return numpy.where(none, False, ratio.real > 0.0)
    if sort == "iuc":
        return numpy.where(none, False, abs(ratio) < 1.0)
    if sort == "ouc":
        return numpy.where(none, alpha != 0, abs(ratio) > 1.0)
    raise ValueError('sort parameter must be None, a callable, or one of ("lhp","rhp","iuc","ouc")')


@over_batch(A=2, B=2)
def ordqz(
    A: ArrayLike,
    B: ArrayLike,
    sort: str | Callable[..., Any] = "lhp",
    output: str = "real",
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ...]:
    """qz with chosen eigenvalues first: AA, BB, alpha, beta, Q and Z.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a, b = np.diag([2.0, -3.0]), np.eye(2)
    >>> aa, bb, alpha, beta, q, z = linalg.ordqz(a, b, sort="lhp")
    >>> (alpha / beta).real
    array([-3.,  2.])
    """
    a, b = _pencil(A, B, output, check_finite)
    if not callable(sort) and sort not in _sorts:
        _ordered(sort, numpy.zeros(0), numpy.zeros(0))
    if a.size == 0:
        none = np.zeros((0,), "c16" if a.dtype.kind != "c" else a.dtype)
        return a, b, none, np.zeros((0,), a.dtype), a, a
    aa, bb, q, z, alpha, beta, status = lapack("generalised_schur", a, b)
    check_status(status, "generalized Schur form not found")
    chosen = _ordered(sort, host(alpha), host(beta)).astype(numpy.int64)
    aa, bb, q, z, alpha, beta, status = lapack(
        "reorder_generalised", aa, bb, q, z, on_device(chosen, a)
    )
    if true_anywhere(status != 0):
        raise ValueError(
            "Reordering of (A, B) failed because the transformed matrix pair (A, B) would be too "
            "far from generalized Schur form; the problem is very ill-conditioned. (A, B) may have "
            "been partially reordered."
        )
    kind = a.dtype if a.dtype.kind == "c" else numpy.dtype("c8" if a.dtype.itemsize == 4 else "c16")
    aa, bb, beta, q, z = (each.astype(a.dtype) for each in (aa, bb, beta, q, z))
    return aa, bb, alpha.astype(kind), beta, q, z


# --- equations ---


@over_batch(a=2, b=2, q=2)
def solve_sylvester(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> ndarray:
    """The x with ``a @ x + x @ b == q``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_sylvester([[2.0]], [[3.0]], [[10.0]])
    array([[2.]])
    """
    first, second, right = typed_as_doubles(*(validated(each, False) for each in (a, b, q)))
    if first.size == 0 or second.size == 0:
        return np.zeros(right.shape, right.dtype)
    kind = "complex" if first.dtype.kind == "c" else "real"
    r, u = schur(first, kind)
    s, v = schur(adjoint(second), kind)
    f = adjoint(u) @ right @ v
    if kind == "real":  # LAPACK's routine takes forms that are triangles as they are
        r, u = rsf2csf(r, u)
        s, v = rsf2csf(s, v)
        f = adjoint(u) @ right @ v
    y = _triangular_sylvester(r, adjoint(s), f)
    made: ndarray = u @ y @ adjoint(v)
    return (made.real if kind == "real" else made).astype(right.dtype)


def _triangular_sylvester(r: ndarray, lower: ndarray, f: ndarray) -> ndarray:
    """y of r y + y lower = f: columns from the last to the first make lower an upper triangle."""
    x, scale, _ = lapack("sylvester", f[:, ::-1], r, lower[::-1, ::-1])
    return x[:, ::-1] * scale


@over_batch(a=2, q=2)
def solve_continuous_lyapunov(a: ArrayLike, q: ArrayLike) -> ndarray:
    """The x with ``a @ x + x @ a.conj().T == q``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_continuous_lyapunov([[2.0]], [[8.0]])
    array([[2.]])
    """
    first, right = np.atleast_2d(validated(a)), np.atleast_2d(validated(q))
    for name, each in (("a", first), ("q", right)):
        square(each, f"Matrix {name} should be square.")
    if first.shape != right.shape:
        raise ValueError("Matrix a and q should have the same shape.")
    first, right = typed_as_doubles(first, right)
    if first.size == 0:
        return first
    r, u = schur(first, "complex")
    values = np.diagonal(r)
    sums = np.abs(values[:, None] + values.conj())
    if bool(np.any(sums <= numpy.finfo(float).tiny + 1e-15 * np.max(np.abs(values)))):
        warnings.warn(
            'Input "a" has an eigenvalue pair whose sum is very close to or exactly zero. The '
            "solution is obtained via perturbing the coefficients.",
            RuntimeWarning,
            stacklevel=3,
        )
    y = _triangular_sylvester(r, adjoint(r), adjoint(u) @ right @ u)
    made: ndarray = u @ y @ adjoint(u)
    return (made if right.dtype.kind == "c" else made.real).astype(right.dtype)


solve_lyapunov = solve_continuous_lyapunov


@over_batch(a=2, q=2)
def solve_discrete_lyapunov(a: ArrayLike, q: ArrayLike, method: str | None = None) -> ndarray:
    """The x with ``a @ x @ a.conj().T - x + q == 0``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_discrete_lyapunov([[0.5]], [[3.0]])
    array([[4.]])
    """
    first, right = typed_as_doubles(validated(a), validated(q))
    double = "c16" if first.dtype.kind == "c" else "f8"
    first, right = first.astype(double), right.astype(double)
    n = first.shape[0]
    method = ("bilinear" if n >= 10 else "direct") if method is None else method.lower()
    if method == "direct":
        left = np.kron(first, first.conj())
        made = np.linalg.solve(identity_like(left, n * n) - left, right.reshape(-1))
        return made.reshape(right.shape)
    if method != "bilinear":
        raise ValueError(f"Unknown solver {method}")
    eye, ah = identity_like(first, n), adjoint(first)
    inverse = np.linalg.inv(ah + eye)
    b = (ah - eye) @ inverse
    c = 2 * (np.linalg.inv(first + eye) @ right @ inverse)
    solved: ndarray = solve_continuous_lyapunov(adjoint(b), -c)
    return solved
