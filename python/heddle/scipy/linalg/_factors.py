"""Factors of matrices: LU, QR, RQ, LDL."""

from __future__ import annotations

import warnings
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._core import linalg as _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.linalg._arguments import (
    LinAlgWarning,
    adjoint,
    columns,
    finfo,
    host,
    lapack,
    on_device,
    over_batch,
    square,
    true_anywhere,
    typed,
    validated,
)
from heddle.scipy.linalg._equations import permutation, substituted, triangles


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, ndarray]:
    """The factors of lu_solve: both triangles in one matrix, and which rows changed places.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> factors, pivots = linalg.lu_factor([[1.0, 2.0], [4.0, 4.0]])
    >>> factors
    array([[4.  , 4.  ],
           [0.25, 1.  ]])
    >>> pivots
    array([1, 1], dtype=int32)
    """
    (given,) = typed(np.atleast_2d(validated(a, check_finite)))
    factors, pivots = triangles(given)
    if factors.size:
        zero = np.diagonal(factors, axis1=-2, axis2=-1) == 0
        if true_anywhere(zero):
            first = int(np.argmax(zero.reshape(-1, zero.shape[-1]).any(axis=0))) + 1
            warnings.warn(
                LinAlgWarning(f"Diagonal number {first} is exactly zero. Singular matrix."),
                stacklevel=2,
            )
    return factors, pivots.astype("i4")


def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The x with ``a @ x == b``, or of the transposed (1) or adjoint (2) of a, from its factors.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.lu_solve(linalg.lu_factor([[1.0, 2.0], [4.0, 4.0]]), [5.0, 12.0])
    array([1., 2.])
    """
    factors, pivots = lu_and_piv
    factors, right = typed(validated(factors, False), validated(b, check_finite))
    right, vector = columns(right)
    if factors.shape[-2] != right.shape[-2]:
        raise ValueError(f"Shapes of lu {factors.shape} and b {right.shape} are incompatible")
    order = validated(pivots, False)
    if order.shape != factors.shape[:-1] or order.dtype.kind == "c":
        raise ValueError(
            f"lu_solve: pivots of factors {factors.shape} are integers of shape "
            f"{factors.shape[:-1]}; got {order.dtype} {order.shape}"
        )
    if trans not in (0, 1, 2):
        raise ValueError("illegal value in 1th argument of internal gesv|posv")
    if right.size == 0:
        return right[..., 0] if vector else right
    made = substituted(factors, order, right, trans)
    return made[..., 0] if vector else made


def lu(
    a: ArrayLike,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> tuple[ndarray, ...]:
    """P, L and U of ``a == P @ L @ U``; ``P @ L`` and U; or P as the order of rows.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> p, l, u = linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> p @ l @ u
    array([[1., 2.],
           [4., 4.]])
    """
    given = validated(a, check_finite)
    if given.ndim < 2:
        raise ValueError("The input array must be at least two-dimensional.")
    (given,) = typed(given)
    rows, n = given.shape[-2:]
    k = min(rows, n)
    factors, pivots = triangles(given)
    lower = np.tril(factors[..., :k], -1) + np.eye(rows, k, dtype=given.dtype, device=given.device)
    upper = np.triu(factors[..., :k, :])
    if given.size == 0:
        shape = (*given.shape[:-2], 0)
        order = np.zeros(
            shape if p_indices else (*shape, 0), "i4" if p_indices else given.real.dtype
        )
        return (lower, upper) if permute_l else (order, lower, upper)
    order = permutation(pivots, rows)
    place = np.argsort(order, axis=-1)
    if permute_l:
        index = np.broadcast_to(place[..., None], lower.shape)
        return np.take_along_axis(lower, index, axis=-2), upper
    if p_indices:
        return place.astype("i4"), lower, upper
    numbers = np.arange(rows, device=given.device)
    matrix = (place[..., None] == numbers).astype("f4" if finfo(given).bits == 32 else "f8")
    return matrix, lower, upper


def _factored(a: ndarray, pivoting: bool) -> tuple[ndarray, ndarray, ndarray | None]:
    """Reflectors and R, the reflectors' factors, and the order of columns."""
    if not pivoting:
        h, tau = _core.qr_raw(a)
        return np.swapaxes(h, -1, -2), tau, None
    factors, tau, order, _ = lapack("pivoted_qr", a)
    return factors.astype(a.dtype), tau.astype(a.dtype), (order - 1).astype("i4")


def _formed(a: ndarray, mode: str, pivoting: bool) -> tuple[Any, ...]:
    m, n = a.shape[-2:]
    if not pivoting and mode in ("full", "economic", "r"):
        if mode == "r":
            r = _core.qr(a, True)[1] if m > n else _core.qr_r(a)
            return (r,)
        return tuple(_core.qr(a, mode == "full"))
    factors, tau, order = _factored(a, pivoting)
    r = np.triu(factors if mode not in ("economic", "raw") or m < n else factors[..., :n, :])
    rest = (r,) if order is None else (r, order)
    if mode == "r":
        return rest
    if mode == "raw":
        return ((factors, tau), *rest)
    # Q of the columns in their new order has no pivots of its own.
    index = np.broadcast_to(order[..., None, :], a.shape)  # type: ignore[index]
    q, again = _core.qr(np.take_along_axis(a, index.astype("i8"), axis=-1), mode == "full")
    k = min(m, n)
    ours = np.diagonal(r[..., :k, :k], axis1=-2, axis2=-1)
    theirs = np.diagonal(again[..., :k, :k], axis1=-2, axis2=-1)
    turn = np.where(theirs == 0, 1, np.sign(theirs) * np.sign(ours).conj()).astype(a.dtype)
    q = np.concatenate([q[..., :k] * turn[..., None, :], q[..., k:]], axis=-1)
    return (q, *rest)


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[Any, ...]:
    """Q and R of ``a == Q @ R``, or of ``a[:, P] == Q @ R`` with the order P of columns.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0]])
    >>> q, r = linalg.qr(a)
    >>> np.allclose(q @ r, a)
    True
    """
    if mode not in ("full", "qr", "r", "economic", "raw"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic', 'raw']")
    given = validated(a, check_finite)
    if given.ndim < 2:
        raise ValueError("expected a 2-D array")
    (given,) = typed(given)
    if given.size == 0:
        return _empty_qr(given, mode, pivoting)
    return _formed(given, "full" if mode == "qr" else mode, bool(pivoting))


def _empty_qr(a: ndarray, mode: str, pivoting: bool) -> tuple[object, ...]:
    m, n = a.shape[-2:]
    k = min(m, n)
    few = mode in ("economic", "raw")
    r = np.zeros((k if few else m, n), a.dtype)
    rest = (r, np.arange(n, dtype="i4")) if pivoting else (r,)
    if mode == "r":
        return rest
    if mode == "raw":
        return ((np.zeros((m, n), a.dtype), np.zeros((k,), a.dtype)), *rest)
    return (np.eye(m, k if few else m, dtype=a.dtype), *rest)


@over_batch(a=2, c="1|2")
def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple[Any, ...]:
    """``c @ Q``, or ``Q @ c`` with the mode 'left', and R (and the order of columns).

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0]])
    >>> cq, r = linalg.qr_multiply(a, np.eye(2))
    >>> np.allclose(cq @ r, a)
    True
    """
    if mode not in ("left", "right"):
        raise ValueError(f"Mode argument can only be 'left' or 'right' but not '{mode}'")
    side = validated(c)
    vector = side.ndim < 2
    if vector:
        side = side[:, None] if mode == "left" else side[None]
    given, side = typed(np.atleast_2d(validated(a)), side)
    m, n = given.shape
    if mode == "left" and side.shape[0] != min(m, n + bool(overwrite_c) * (m - n)):
        raise ValueError(
            f"Array shapes are not compatible for Q @ c operation: {given.shape} vs {side.shape}"
        )
    if mode == "right" and m != side.shape[1]:
        raise ValueError(
            f"Array shapes are not compatible for c @ Q operation: {side.shape} vs {given.shape}"
        )
    economic = mode == "right" or side.shape[0] == min(m, n)
    q, *rest = _formed(given, "economic" if economic else "full", bool(pivoting))
    if not side.size and economic and mode == "right":
        return (side.ravel() if vector else side, *rest)  # as it is, whatever Q has for columns
    if conjugate:
        q = q.conj()
    made = q @ side if mode == "left" else side @ q
    if not economic or m < n or pivoting or mode == "left":
        rest[0] = rest[0][: min(m, n)]
    return (made.ravel() if vector else made, *rest)


@overload
def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "economic"] = "full",
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]: ...
@overload
def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    *,
    mode: Literal["r"],
    check_finite: bool = True,
) -> ndarray: ...
def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    check_finite: bool = True,
) -> ndarray | tuple[ndarray, ndarray]:
    """R and Q of ``a == R @ Q``.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0]])
    >>> r, q = linalg.rq(a)
    >>> np.allclose(r @ q, a)
    True
    """
    if mode not in ("full", "r", "economic"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    given = validated(a, check_finite)
    if given.ndim < 2:
        raise ValueError("expected matrix")
    (given,) = typed(given)
    # Rows and columns from the last to the first, transposed: their QR, read the same way. It has
    # LAPACK's signs, too.
    q, r = _formed(adjoint(given[..., ::-1, ::-1]), mode if mode == "economic" else "full", False)
    made = adjoint(r)[..., ::-1, ::-1], adjoint(q)[..., ::-1, ::-1]
    return made[0] if mode == "r" else made


@over_batch(A=2)
def ldl(
    A: ArrayLike,
    lower: bool = True,
    hermitian: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray, ndarray]:
    """L, D and the order of rows of ``a == L @ D @ L.conj().T``, of which a triangle is read.

    D has blocks of one or two rows; ``L[perm]`` is a triangle.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a = np.array([[2.0, -1.0], [-1.0, 2.0]])
    >>> l, d, perm = linalg.ldl(a)
    >>> np.allclose(l @ d @ l.T, a)
    True
    """
    given = square(
        np.atleast_2d(validated(A, check_finite)), 'The input array "a" should be square.'
    )
    if given.size == 0:
        return given, given, np.zeros((0,), "i8")
    (given,) = typed(given)
    hermitian = bool(hermitian) and given.dtype.kind == "c"
    if hermitian and bool(np.any(np.diagonal(given).imag != 0)):
        warnings.warn(
            "scipy.linalg.ldl():\nThe imaginary parts of the diagonalare ignored. Use "
            '"hermitian=False" for factorization ofcomplex symmetric arrays.',
            numpy.exceptions.ComplexWarning,
            stacklevel=3,
        )
    made, pivots, _ = lapack("indefinite", given, lower=bool(lower), hermitian=hermitian)
    triangle, blocks, order = _split(host(made), host(pivots), bool(lower), hermitian)
    dtype = given.dtype
    return (
        on_device(triangle.astype(dtype), given),
        on_device(blocks.astype(dtype), given),
        on_device(order, given),
    )


def _split(
    factors: HostArray, pivots: HostArray, lower: bool, hermitian: bool
) -> tuple[Any, Any, Any]:
    """L, D and the order of rows, from what LAPACK's sytrf leaves: on the host, n steps."""
    n = len(pivots)
    triangle = numpy.tril(factors, -1) if lower else numpy.triu(factors, 1)
    numpy.fill_diagonal(triangle, 1)
    blocks = numpy.diag(numpy.diag(factors)).copy()
    swaps: list[tuple[int, int, int]] = []  # row, the row it changes places with, end of columns
    k = 0 if lower else n - 1
    step = 1 if lower else -1
    while 0 <= k < n:
        if pivots[k] > 0:
            swaps.append((k, int(pivots[k]) - 1, k))
            k += step
            continue
        i, j = (k + 1, k) if lower else (k - 1, k)
        blocks[i, j] = factors[i, j]
        blocks[j, i] = factors[i, j].conj() if hermitian else factors[i, j]
        triangle[i, j] = 0
        swaps.append((i, -int(pivots[k]) - 1, k))
        k += 2 * step
    order = numpy.arange(n)
    # From the last to the first, rows of L from where they changed places on.
    for row, other, column in reversed(swaps):
        if row != other:
            part = slice(column, n) if lower else slice(0, column + 1)
            triangle[[row, other], part] = triangle[[other, row], part]
            order[[row, other]] = order[[other, row]]
    return triangle, blocks, numpy.argsort(order)
