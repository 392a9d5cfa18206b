"""Decompositions and solves with JAX's names and orders of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, overload

import heddle as hd
from heddle import linalg
from heddle._typing import ArrayLike

__all__ = [
    "cholesky",
    "eig",
    "eigh",
    "lu",
    "lu_pivots_to_permutation",
    "qr",
    "svd",
    "symmetric_product",
    "triangular_solve",
    "tridiagonal_solve",
]


def _adjoint(a: hd.ndarray) -> hd.ndarray:
    return hd.conj(hd.swapaxes(a, -1, -2))


def cholesky(x: ArrayLike, *, symmetrize_input: bool = True) -> hd.ndarray:
    """The lower triangle whose product with its adjoint is the matrix.

    >>> import heddle as np
    >>> print(np.lax.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 2.0]])))
    [[2. 0.]
     [1. 1.]]
    """
    a = hd.asarray(x)
    return linalg.cholesky((a + _adjoint(a)) / 2 if symmetrize_input else a)


def eigh(
    x: ArrayLike,
    *,
    lower: bool = True,
    symmetrize_input: bool = True,
    sort_eigenvalues: bool = True,
) -> tuple[hd.ndarray, hd.ndarray]:
    """Eigenvectors and eigenvalues of a Hermitian matrix, in this order; they are always sorted.

    >>> import heddle as np
    >>> print(np.lax.linalg.eigh(np.diag(np.array([2.0, 1.0])))[1])
    [1. 2.]
    """
    a = hd.asarray(x)
    found = linalg.eigh((a + _adjoint(a)) / 2 if symmetrize_input else a, "L" if lower else "U")
    return found[1], found[0]


def eig(
    x: ArrayLike, *, compute_left_eigenvectors: bool = True, compute_right_eigenvectors: bool = True
) -> list[hd.ndarray]:
    """Eigenvalues of a matrix, and those eigenvectors that are asked for, left ones first.

    >>> import heddle as np
    >>> values, left, right = np.lax.linalg.eig(np.diag(np.array([2.0, 1.0])))
    >>> print(values)
    [2.+0.j 1.+0.j]
    """
    a = hd.asarray(x)
    if not compute_left_eigenvectors and not compute_right_eigenvectors:
        return [linalg.eigvals(a) + 0j]
    values, right = linalg.eig(a)
    made = [values + 0j]
    if compute_left_eigenvectors:
        left = _adjoint(linalg.inv(right))
        made.append(left / linalg.norm(left, axis=-2, keepdims=True) + 0j)
    if compute_right_eigenvectors:
        made.append(right + 0j)
    return made


def qr(x: ArrayLike, *, full_matrices: bool = True) -> tuple[hd.ndarray, hd.ndarray]:
    """The unitary and the triangular matrix whose product is the matrix.

    >>> import heddle as np
    >>> q, r = np.lax.linalg.qr(np.ones((3, 2)), full_matrices=False)
    >>> q.shape, r.shape
    ((3, 2), (2, 2))
    """
    made = linalg.qr(hd.asarray(x), "complete" if full_matrices else "reduced")
    return made[0], made[1]


@overload
def svd(
    x: ArrayLike, *, full_matrices: bool = True, compute_uv: Literal[True] = True
) -> tuple[hd.ndarray, hd.ndarray, hd.ndarray]: ...
@overload
def svd(x: ArrayLike, *, full_matrices: bool = True, compute_uv: Literal[False]) -> hd.ndarray: ...
def svd(
    x: ArrayLike, *, full_matrices: bool = True, compute_uv: bool = True
) -> hd.ndarray | tuple[hd.ndarray, hd.ndarray, hd.ndarray]:
    """Left vectors, singular values and right vectors of a matrix; or the values.

    >>> import heddle as np
    >>> print(np.lax.linalg.svd(np.diag(np.array([3.0, 2.0])), compute_uv=False))
    [3. 2.]
    """
    if not compute_uv:
        return linalg.svd(hd.asarray(x), compute_uv=False)
    left, values, right = linalg.svd(hd.asarray(x), full_matrices)
    return left, values, right


def lu(x: ArrayLike) -> tuple[hd.ndarray, hd.ndarray, hd.ndarray]:
    """Both triangles in one matrix, the rows that were exchanged, and in which order they are.

    >>> import heddle as np
    >>> triangles, pivots, order = np.lax.linalg.lu(np.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> print(triangles, pivots, order)
    [[2. 3.]
     [0. 1.]] [1 1] [1 0]
    """
    from heddle.scipy.linalg import lu_factor

    a = hd.asarray(x)
    triangles, pivots = lu_factor(a)
    return triangles, pivots.astype("int32"), lu_pivots_to_permutation(pivots, a.shape[-2])


def lu_pivots_to_permutation(pivots: ArrayLike, permutation_size: int) -> hd.ndarray:
    """The order of rows that exchanges one after the other come to.

    >>> import heddle as np
    >>> print(np.lax.linalg.lu_pivots_to_permutation(np.array([2, 1, 2]), 3))
    [2 1 0]
    """
    swaps = hd.asarray(pivots)
    stack = swaps.shape[:-1]
    order = hd.broadcast_to(hd.arange(permutation_size), (*stack, permutation_size)).copy()
    for i in range(swaps.shape[-1]):
        other = swaps[..., i : i + 1].astype("int64")
        here, there = order[..., i : i + 1].copy(), hd.take_along_axis(order, other, -1)
        order[..., i : i + 1] = there
        places = hd.arange(permutation_size)
        order = hd.where(places == other, here, order)
    return order.astype("int32")


def triangular_solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> hd.ndarray:
    """x of ``a @ x = b``, or, unless ``left_side`` is said, of ``x @ a = b``, a being triangular.

    >>> import heddle as np
    >>> a = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> print(np.lax.linalg.triangular_solve(a, np.ones((2, 1)), left_side=True, lower=True))
    [[0.5]
     [0.5]]
    """
    from heddle.scipy.linalg import solve_triangular

    matrix, right = hd.asarray(a), hd.asarray(b)
    if matrix.dtype != right.dtype:
        raise TypeError(f"lax.linalg.triangular_solve: {matrix.dtype} and {right.dtype}")
    vector = right.ndim == matrix.ndim - 1
    if vector:
        right = right[..., None] if left_side else right[..., None, :]
    if conjugate_a:
        matrix = hd.conj(matrix)
    if transpose_a:
        matrix, lower = hd.swapaxes(matrix, -1, -2), not lower
    if not left_side:
        matrix, lower, right = hd.swapaxes(matrix, -1, -2), not lower, hd.swapaxes(right, -1, -2)
    made = solve_triangular(matrix, right, lower=lower, unit_diagonal=unit_diagonal)
    if not left_side:
        made = hd.swapaxes(made, -1, -2)
    if vector:
        made = made[..., 0] if left_side else made[..., 0, :]
    return made


def symmetric_product(
    a_matrix: ArrayLike, c_matrix: ArrayLike, *, alpha: float = 1.0, beta: float = 0.0
) -> hd.ndarray:
    """``alpha * a @ a.T + beta * c``.

    >>> import heddle as np
    >>> print(np.lax.linalg.symmetric_product(np.ones((1, 2)), np.ones((1, 1))))
    [[2.]]
    """
    a, c = hd.asarray(a_matrix), hd.asarray(c_matrix)
    return alpha * (a @ hd.swapaxes(a, -1, -2)) + beta * c


def tridiagonal_solve(dl: ArrayLike, d: ArrayLike, du: ArrayLike, b: ArrayLike) -> hd.ndarray:
    """x of ``a @ x = b``, where a has three diagonals; ``dl[0]`` and ``du[-1]`` are not read.

    >>> import heddle as np
    >>> dl, d, du = np.array([0.0, 1.0]), np.array([2.0, 2.0]), np.array([1.0, 0.0])
    >>> print(np.lax.linalg.tridiagonal_solve(dl, d, du, np.array([[3.0], [3.0]])))
    [[1.]
     [1.]]
    """
    from heddle.scipy.linalg import solve_banded

    below, middle, above, right = (hd.asarray(x) for x in (dl, d, du, b))
    first = hd.zeros((*middle.shape[:-1], 1), middle.dtype, device=middle.device)
    bands = hd.stack(
        [
            hd.concatenate([first, above[..., :-1]], -1),
            middle,
            hd.concatenate([below[..., 1:], first], -1),
        ],
        -2,
    )
    solve: Callable[..., hd.ndarray] = lambda ab, y: solve_banded((1, 1), ab, y)  # noqa: E731
    for _ in range(middle.ndim - 1):
        solve = hd.vmap(solve)
    return solve(bands, right)
