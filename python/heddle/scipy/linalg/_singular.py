"""Singular values, and what is made of them: ranges, null spaces, angles, polar forms."""

from __future__ import annotations

from typing import Literal, overload

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.linalg._arguments import (
    adjoint,
    finfo,
    over_batch,
    typed,
    validated,
)


@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> tuple[ndarray, ndarray, ndarray]: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    *,
    compute_uv: Literal[False],
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> ndarray: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> ndarray | tuple[ndarray, ...]: ...
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> ndarray | tuple[ndarray, ...]:
    """U, s and Vh of ``a == U @ diag(s) @ Vh``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> u, s, vh = linalg.svd([[3.0, 0.0], [0.0, 4.0]])
    >>> s
    array([4., 3.])
    """
    given = validated(a, check_finite)
    if given.ndim < 2:
        raise ValueError("expected matrix")
    if not isinstance(lapack_driver, str):
        raise TypeError("lapack_driver must be a string")
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ValueError(f'lapack_driver must be "gesdd" or "gesvd", not "{lapack_driver}"')
    (given,) = typed(given)
    if not compute_uv:
        return np.linalg.svdvals(given)
    return tuple(np.linalg.svd(given, full_matrices=full_matrices))


def svdvals(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> ndarray:
    """Descending singular values.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.svdvals([[3.0, 0.0], [0.0, 4.0]])
    array([4., 3.])
    """
    made: ndarray = svd(a, compute_uv=False, check_finite=check_finite)
    return made


def diagsvd(s: ArrayLike, M: int, N: int) -> ndarray:
    """Singular values as a matrix of M rows and N columns.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.diagsvd([2.0, 1.0], 2, 3)
    array([[2., 0., 0.],
           [0., 1., 0.]])
    """
    values = np.asarray(s)
    n = values.shape[-1]
    if n not in (M, N):
        raise ValueError("Length of s must be M or N.")
    made = np.zeros((*values.shape[:-1], M, N), values.dtype, device=values.device)
    index = np.arange(n)
    made[..., index, index] = values
    return made


def _rank(s: ndarray, a: ndarray, rcond: float | None) -> int:
    rcond = finfo(s).eps * max(a.shape) if rcond is None else rcond
    largest = np.max(s) if s.size else 0.0
    return int(np.sum(s > largest * rcond))


@over_batch(A=2)
def orth(A: ArrayLike, rcond: float | None = None) -> ndarray:
    """An orthonormal basis of the columns' space.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.orth([[2.0, 0.0], [0.0, 0.0]]).shape
    (2, 1)
    """
    given = validated(A)
    u, s, _ = svd(given, full_matrices=False)
    basis: ndarray = u[:, : _rank(s, given, rcond)]
    return basis


@over_batch(A=2)
def null_space(
    A: ArrayLike,
    rcond: float | None = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> ndarray:
    """An orthonormal basis of the vectors that the matrix makes zero.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.null_space([[2.0, 0.0], [0.0, 0.0]]).shape
    (2, 1)
    """
    given = validated(A, check_finite)
    _, s, vh = svd(given, check_finite=False, lapack_driver=lapack_driver)
    return adjoint(vh[_rank(s, given, rcond) :])


@over_batch(A=2, B=2)
def subspace_angles(A: ArrayLike, B: ArrayLike) -> ndarray:
    """Angles between the spaces of two matrices' columns, descending.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.subspace_angles([[1.0], [0.0]], [[1.0], [1.0]]).round(6)
    array([0.785398])
    """
    given = []
    for each in (A, B):
        one = validated(each)
        if one.ndim != 2:
            raise ValueError(f"expected 2D array, got shape {one.shape}")
        given.append(orth(one))
    first, second = given
    if second.shape[0] != first.shape[0]:
        raise ValueError(
            f"A and B must have the same number of rows, got {first.shape[0]} and {second.shape[0]}"
        )
    product = adjoint(first) @ second
    cosines = svdvals(product)
    if first.shape[1] >= second.shape[1]:
        rest = second - first @ product
    else:
        rest = first - second @ adjoint(product)
    sines = np.clip(svdvals(rest), -1.0, 1.0)
    small = cosines**2 >= 0.5
    return np.where(small, np.arcsin(sines), np.arccos(np.clip(cosines[::-1], -1.0, 1.0)))


def polar(a: ArrayLike, side: str = "right") -> tuple[ndarray, ndarray]:
    """U and P of ``a == U @ P`` (or ``P @ U``), U with orthonormal columns and P Hermitian.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> a = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> u, p = linalg.polar(a)
    >>> np.allclose(u @ p, a)
    True
    """
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    given = validated(a, False)
    if given.ndim < 2:
        raise ValueError("`a` must be a 2-D array.")
    w, s, vh = svd(given, full_matrices=False)
    p = (
        (adjoint(vh) * s[..., None, :]) @ vh
        if side == "right"
        else (w * s[..., None, :]) @ adjoint(w)
    )
    return w @ vh, p


@over_batch(A=2, B=2)
def orthogonal_procrustes(
    A: ArrayLike, B: ArrayLike, check_finite: bool = True
) -> tuple[ndarray, ndarray]:
    """The orthogonal matrix R that brings ``A @ R`` nearest to B, and the sum of singular values.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> r, scale = linalg.orthogonal_procrustes([[2.0, 0.0], [0.0, 1.0]], [[0.0, 2.0], [1.0, 0.0]])
    >>> r
    array([[0., 1.],
           [1., 0.]])
    """
    first, second = validated(A, check_finite), validated(B, check_finite)
    if first.ndim != 2:
        raise ValueError(f"expected ndim to be 2, but observed {first.ndim}")
    if first.shape != second.shape:
        raise ValueError(f"the shapes of A and B differ ({first.shape} vs {second.shape})")
    if first.dtype.kind == second.dtype.kind == "b":  # numbers are multiplied, not truth values
        first, second = first.astype("f4"), second.astype("f4")
    u, w, vt = svd(adjoint(adjoint(second) @ first))
    return u @ vt, np.sum(w)
