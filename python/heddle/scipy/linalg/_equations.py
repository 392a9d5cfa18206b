"""Equations, inverses, determinants and least squares."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Literal, overload

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._core import is_differentiated, is_stand_in, ndarray, own_array
from heddle._core import linalg as _core
from heddle._typing import ArrayLike
from heddle.scipy.linalg._arguments import (
    LinAlgWarning,
    adjoint,
    all_finite,
    columns,
    computed_in,
    finfo,
    identity_like,
    over_batch,
    square,
    transposed,
    true_anywhere,
    typed,
    typed_as_doubles,
    validated,
    validated_together,
)

_structures = {
    None: "general",
    "gen": "general",
    "general": "general",
    "diagonal": "diagonal",
    "tridiagonal": "tridiagonal",
    "banded": "general",
    "upper triangular": "upper",
    "lower triangular": "lower",
    "pos": "positive",
    "positive definite": "positive",
    "sym": "symmetric",
    "symmetric": "symmetric",
    "her": "hermitian",
    "hermitian": "hermitian",
}


def mirrored(a: ndarray, lower: bool, hermitian: bool) -> ndarray:
    """The matrix of which one triangle is given."""
    inside = np.tril(a, -1) if lower else np.triu(a, 1)
    other = adjoint(inside) if hermitian else transposed(inside)
    diagonal = np.diagonal(a, axis1=-2, axis2=-1)
    if hermitian and a.dtype.kind == "c":
        diagonal = diagonal.real.astype(a.dtype)
    return inside + other + diagonal[..., None, :] * identity_like(a, a.shape[-1])


def _norm_1(a: ndarray) -> ndarray:
    return np.max(np.sum(np.abs(a), axis=-2), axis=-1)


def _inverted(a: ndarray) -> ndarray:
    """The inverse; tells of singular matrices, and of conditions that are beyond the type.

    The condition, which LAPACK estimates, is that of the inverse itself.
    """
    with np.errstate(linalg="ignore"):
        inverse = _core.inv(a)
    reciprocal = 1 / (_norm_1(a) * _norm_1(inverse))
    if true_anywhere(~(reciprocal >= finfo(a).eps)):
        if true_anywhere(np.diagonal(_core.lu(a)[0], axis1=-2, axis2=-1) == 0):
            raise _singular()
        slices = ", ".join(
            f"slice {i} has rcond = {value:.6g}"
            for i, value in enumerate(np.ravel(reciprocal).tolist())
            if not value >= finfo(a).eps
        )
        warnings.warn(LinAlgWarning(f"An ill-conditioned matrix detected: {slices}."), stacklevel=4)
    return inverse


def _looks_ill(pivots: ndarray, eps: float, n: int) -> bool:
    """Whether pivots differ so much that it is worth to find the condition."""
    sizes = np.abs(pivots)
    ratio = np.min(sizes, axis=-1) / np.max(sizes, axis=-1)
    return true_anywhere(~(ratio > 1e3 * n * eps))


def _singular() -> LinAlgError:
    return LinAlgError("A singular matrix detected.")


def triangles(a: ndarray) -> tuple[ndarray, ndarray]:
    """The triangles of matrices in one, and pivots; see `_triangles_of` for derivatives."""
    if not (is_differentiated(a) or is_stand_in(a)):
        return tuple(_core.lu(a))
    factors, pivots = _core.lu(np.stop_gradient(a))
    order = permutation(pivots, a.shape[-2])
    ordered = np.take_along_axis(a, order[..., None], axis=-2)
    return _triangles_of(ordered, factors), pivots


@np.custom_vjp
def _triangles_of(ordered: ndarray, factors: ndarray) -> ndarray:
    """Triangles of matrices whose rows are in the order of the pivots: they are given."""
    return factors.copy()


def _triangles_with_residuals(ordered: ndarray, factors: ndarray) -> tuple[ndarray, ndarray]:
    # Of the matrices themselves where this is differentiated again: their triangles depend on them.
    made = _triangles_of(ordered, factors)
    return made, made


def _pulled_triangles(factors: ndarray, cotangent: ndarray) -> tuple[ndarray, ndarray]:
    """With F = L^-1 dA U^-1, dL is L times what is below F's diagonal, dU the rest times U.

    Rows below the square, L2 = A2 U^-1, and columns beside it, U2 = L^-1 A2, follow from it.
    """
    k = min(factors.shape[-2:])
    square, g = factors[..., :k, :k], cotangent[..., :k, :k]
    upper, lower = np.triu(square), np.tril(square, -1)
    turned = transposed(square)

    def over_upper(rows: ndarray) -> ndarray:  # rows U^-T
        return transposed(_core.solve_triangular(upper, transposed(rows), False, False))

    def under_lower(columns: ndarray) -> ndarray:  # L^-T columns
        return _core.solve_triangular(turned, columns, False, True)

    below, beside = factors[..., k:, :k], factors[..., :k, k:]
    of_below = over_upper(cotangent[..., k:, :k])
    of_beside = under_lower(cotangent[..., :k, k:])
    g = g - np.triu(transposed(below) @ of_below) - np.tril(of_beside @ transposed(beside), -1)
    of_lower, of_upper = np.tril(g, -1), np.triu(g)
    inner = np.tril(transposed(lower) @ of_lower + of_lower, -1)
    inner = inner + np.triu(of_upper @ transposed(upper))
    of_square = under_lower(over_upper(inner))
    rows = np.concatenate([of_square, of_beside], axis=-1)
    # Where there is something below there is nothing beside.
    made = np.concatenate([rows, of_below], axis=-2) if below.size else rows
    return made, np.zeros_like(factors)


_triangles_of.defvjp(_triangles_with_residuals, _pulled_triangles)


def factored_solution(a: ndarray, b: ndarray) -> ndarray:
    """x of a x = b by its triangles, with SciPy's errors and warnings."""
    if is_differentiated(a) or is_stand_in(a):
        return np.linalg.solve(a, b)
    factors, pivots = _core.lu(a)
    diagonal = np.diagonal(factors, axis1=-2, axis2=-1)
    n = a.shape[-1]
    if _looks_ill(diagonal, finfo(a).eps, n):
        _inverted(a)
    return substituted(factors, pivots, b, 0)


def permutation(pivots: ndarray, n: int) -> ndarray:
    """Which row is where after rows changed places: row i of P^T a is row p[i] of a."""
    from heddle.scipy.linalg._kernels import rows_of_pivots

    if not is_stand_in(pivots):
        return rows_of_pivots(pivots, n)
    numbers = np.arange(n, device=pivots.device)

    def swap(k: ndarray, order: ndarray) -> ndarray:
        place = np.take(pivots, k, axis=-1)[..., None]
        here = np.take(order, k, axis=-1)[..., None]
        there = np.take_along_axis(order, place, axis=-1)
        return np.where(numbers == k, there, np.where(numbers == place, here, order))

    stack = pivots.shape[:-1]
    return np.lax.fori_loop(
        0, pivots.shape[-1], swap, np.broadcast_to(numbers, (*stack, n)).astype(pivots.dtype)
    )


def substituted(factors: ndarray, pivots: ndarray, b: ndarray, trans: int) -> ndarray:
    """x of a x = b, a^T x = b or a^H x = b, from the factors of a."""
    n = factors.shape[-1]
    order = permutation(pivots, n)
    if trans == 0:
        stack = numpy.broadcast_shapes(order.shape[:-1], b.shape[:-2])
        b = np.broadcast_to(b, (*stack, *b.shape[-2:]))
        order = np.broadcast_to(order, (*stack, n))
        y = np.take_along_axis(b, order[..., None], axis=-2)
        return _core.solve_triangular(
            factors, _core.solve_triangular(factors, y, True, True), False, False
        )
    turned = adjoint(factors) if trans == 2 else transposed(factors)
    y = _core.solve_triangular(turned, b, True, False)
    y = _core.solve_triangular(turned, y, False, True)
    back = np.broadcast_to(np.argsort(order, axis=-1), (*y.shape[:-2], n))
    return np.take_along_axis(y, back[..., None], axis=-2)


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
) -> ndarray:
    """The x with ``a @ x == b``, of matrices of a kind that `assume_a` says.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve([[3.0, 1.0], [1.0, 2.0]], [9.0, 8.0])
    array([2., 3.])
    """
    try:
        structure = _structures[assume_a]
    except (KeyError, TypeError):
        raise ValueError(f"{assume_a} is not a recognized matrix structure") from None
    given, right = validated_together(check_finite, a, b)
    given, right = typed_as_doubles(np.atleast_2d(given), np.atleast_1d(right))
    square(given, f"Expected square matrix, got a1.shape={given.shape!r}")
    if given.dtype.kind == "c" and transposed:
        raise NotImplementedError(
            "scipy.linalg.solve can currently not solve a^T x = b or a^H x = b for complex "
            "matrices."
        )
    right, vector = columns(right)
    n = given.shape[-1]
    if right.shape[-2] != n and given.size != 1:
        raise ValueError(f"incompatible shapes: {given.shape!r} and {right.shape!r}")
    stack = numpy.broadcast_shapes(given.shape[:-2], right.shape[:-2])
    if given.size == 0 or right.size == 0:
        made = np.zeros((*stack, *right.shape[-2:]), right.dtype, device=right.device)
    elif given.size == 1:
        if true_anywhere(given == 0):
            raise _singular()
        made = np.broadcast_to(right / given, (*stack, *right.shape[-2:]))
    else:
        matrices = np.swapaxes(given, -1, -2) if transposed else given
        if transposed and structure in ("lower", "upper"):
            structure = "upper" if structure == "lower" else "lower"
        made = _solved(matrices, right, structure, bool(lower) != transposed)
    return made[..., 0] if vector else made


def _solved(a: ndarray, b: ndarray, structure: str, lower: bool) -> ndarray:
    diagonal = np.diagonal(a, axis1=-2, axis2=-1)
    eps, n = finfo(a).eps, a.shape[-1]
    if structure in ("diagonal", "lower", "upper") and _looks_ill(diagonal, eps, n):
        kept = {"lower": np.tril, "upper": np.triu}.get(structure)
        _inverted(kept(a) if kept else identity_like(a, n) * diagonal[..., None])
    if structure == "diagonal":
        return b / diagonal[..., None]
    if structure in ("lower", "upper"):
        return _core.solve_triangular(a, b, structure == "lower", False)
    if structure == "tridiagonal":
        from heddle.scipy.linalg._kernels import tridiagonal

        below = np.diagonal(a, -1, axis1=-2, axis2=-1)
        above = np.diagonal(a, 1, axis1=-2, axis2=-1)
        x, info = tridiagonal(below, diagonal, above, b)
        if true_anywhere(info != 0):
            raise _singular()
        if _looks_ill(diagonal, eps, n):
            _inverted(np.triu(np.tril(a, 1), -1))
        return x
    if structure == "positive":
        from heddle.scipy.linalg._cholesky import cholesky_factor, cholesky_solution

        factor = cholesky_factor(a, lower)
        if _looks_ill(np.diagonal(factor, axis1=-2, axis2=-1) ** 2, eps, n):
            _inverted(mirrored(a, lower, True))
        return cholesky_solution(factor, b, lower)
    if structure in ("symmetric", "hermitian"):
        a = mirrored(a, lower, structure == "hermitian")
    return factored_solution(a, b)


_trans = {"N": 0, "T": 1, "C": 2, 0: 0, 1: 1, 2: 2}


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The x with ``a @ x == b`` where a is a triangle; `trans` is 0, 'T' (1) or 'C' (2).

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_triangular([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0], lower=True)
    array([1., 2.])
    """
    first, second = validated_together(False, a, b)
    dtype = computed_in(first, second)
    given, right = first.astype(dtype, copy=False), second.astype(dtype, copy=False)
    good = all_finite(first, second) if check_finite else []
    regular = given.ndim >= 2 and right.size and not unit_diagonal
    if regular:
        zero = np.diagonal(given, axis1=-2, axis2=-1) == 0
        good.append(~np.any(zero))
    # One look for all, as each waits for the device; a second one says what is wrong.
    fine = not good or not true_anywhere(~functools.reduce(np.logical_and, good))
    if not fine:
        validated_together(check_finite, a, b)
    square(given)
    right, vector = columns(right)
    if given.shape[-1] != right.shape[-2]:
        raise ValueError(f"shapes of a {given.shape} and b {right.shape} are incompatible")
    kind = _trans.get(trans, 0)
    if not fine:
        place = int(np.argmax(zero.reshape(-1, zero.shape[-1]).any(axis=0)))
        raise LinAlgError(f"singular matrix: resolution failed at diagonal {place}")
    if kind:
        given, lower = adjoint(given) if kind == 2 else transposed(given), not lower
    made = _core.solve_triangular(given, right, bool(lower), bool(unit_diagonal))
    return made[..., 0] if vector else made


def inv(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: str | None = None,
    lower: bool = False,
) -> ndarray:
    """The inverse of square matrices.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.inv([[1.0, 2.0], [3.0, 4.0]])
    array([[-2. ,  1. ],
           [ 1.5, -0.5]])
    """
    given = validated(a, check_finite)
    if given.ndim < 2:
        raise ValueError(f"Expected at least ndim=2, got a1.ndim={given.ndim!r}")
    square(given, f"Expected square matrix, got a1.shape={given.shape!r}")
    if assume_a not in _structures:
        raise KeyError(assume_a)
    (given,) = typed(given)
    if given.size == 0:
        return given
    if assume_a in (None, "gen", "general"):
        return _inverted(given)
    return _solved(given, identity_like(given, given.shape[-1]), _structures[assume_a], bool(lower))


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> ndarray:
    """Determinants of square matrices, in double precision.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.det([[1.0, 2.0], [3.0, 4.0]]).round(6)
    np.float64(-2.0)
    """
    given = validated(a, check_finite)
    if given.ndim < 2:
        raise ValueError("The input array must be at least two-dimensional.")
    square(
        given,
        f"Last 2 dimensions of the array must be square but received shape {given.shape}.",
    )
    return _core.det(given.astype("c16" if given.dtype.kind == "c" else "f8"))


@over_batch(a=2, b="1|2")
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: str | None = None,
) -> tuple[object, ...]:
    """The x that minimises ``|b - a @ x|``: x, squared residuals, the rank and singular values.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> x, residuals, rank, s = linalg.lstsq([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [1.0, 3.0, 5.0])
    >>> x.round(6)
    array([2., 1.])
    """
    given, right = validated(a, check_finite), validated(b, check_finite)
    if given.ndim != 2:
        raise ValueError("Input array a should be 2D")
    if given.shape[0] != right.shape[0]:
        raise ValueError(
            "Shape mismatch: a and b should have the same number of rows "
            f"({given.shape[0]} != {right.shape[0]})."
        )
    if lapack_driver not in (None, "gelsd", "gelsy", "gelss"):
        raise ValueError(f'LAPACK driver "{lapack_driver}" is not found')
    given, right = typed(given, right)
    m, n = given.shape
    if m == 0 or n == 0:
        x = np.zeros((n, *right.shape[1:]), right.dtype, device=right.device)
        squares = np.sum(np.abs(right) ** 2, axis=0)
        return x, squares if n == 0 else np.empty((0,)), 0, np.empty((0,))
    cond = finfo(given).eps if cond is None else cond
    x, residuals, rank, s = np.linalg.lstsq(given, right, rcond=cond)
    if not isinstance(rank, own_array):
        rank = int(rank)
    if lapack_driver == "gelsy":
        return x, np.empty((0,), x.dtype), rank, None
    if right.ndim == 1 and residuals.size:
        residuals = residuals[0]
    return x, residuals, rank, s


def _tolerance(
    values: ndarray, shape: tuple[int, ...], atol: float | None, rtol: float | None, eps: float
) -> Any:
    atol = 0.0 if atol is None else atol
    rtol = max(shape) * eps if rtol is None else rtol
    if atol < 0.0 or rtol < 0.0:
        raise ValueError("atol and rtol values must be positive.")
    largest = np.max(values, axis=-1, keepdims=True) if values.shape[-1] else 0.0
    return atol + largest * rtol


@overload
def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: Literal[False] = False,
    check_finite: bool = True,
) -> ndarray: ...
@overload
def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]: ...
def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: bool = False,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """The pseudo-inverse; singular values up to ``atol + rtol * largest`` count as zero.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.pinv([[1.0, 0.0], [0.0, 0.0]])
    array([[1., 0.],
           [0., 0.]])
    """
    (given,) = typed(validated(a, check_finite))
    u, s, vh = np.linalg.svd(given, full_matrices=False)
    kept = s > _tolerance(s, given.shape[-2:], atol, rtol, finfo(given).eps)
    inverse = np.where(kept, 1 / np.where(kept, s, 1), 0)
    made = adjoint((u * inverse[..., None, :]) @ vh)
    return (made, np.sum(kept, axis=-1)) if return_rank else made


@overload
def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: Literal[False] = False,
    check_finite: bool = True,
) -> ndarray: ...
@overload
def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]: ...
def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """The pseudo-inverse of Hermitian matrices, of which a triangle is read.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.pinvh([[2.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    (given,) = typed(validated(a, check_finite))
    s, u = np.linalg.eigh(given, "L" if lower else "U")
    kept = np.abs(s) > _tolerance(np.abs(s), given.shape[-2:], atol, rtol, finfo(given).eps)
    inverse = np.where(kept, 1 / np.where(kept, s, 1), 0)
    made = (u * inverse[..., None, :]) @ adjoint(u)
    return (made, np.sum(kept, axis=-1)) if return_rank else made
