"""Cholesky's factors of dense and banded matrices, and what is solved with them."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._core import linalg as _core
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.linalg import _kernels as kernels
from heddle.scipy.linalg._arguments import (
    adjoint,
    columns,
    square,
    true_anywhere,
    typed,
    typed_as_doubles,
    validated,
    validated_together,
)
from heddle.scipy.linalg._banded import solved


def _diagonals(given: ArrayLike) -> ndarray:
    """Diagonals of a matrix, each a row."""
    found = validated(given, False)
    if found.ndim < 2:
        raise ValueError(f"expected diagonals as the rows of a matrix, not shape {found.shape}")
    return found


def cholesky_factor(a: ndarray, lower: bool) -> ndarray:
    """With SciPy's error; the other triangle is zero."""
    if a.size == 0:
        return a
    try:
        return _core.cholesky(a, not lower)
    except LinAlgError:
        raise LinAlgError("a leading minor of the array is not positive definite") from None


def cholesky_solution(c: ndarray, b: ndarray, lower: bool) -> ndarray:
    first = c if lower else adjoint(c)
    y = _core.solve_triangular(first, b, True, False)
    return _core.solve_triangular(adjoint(first), y, False, False)


def _matrix(a: ArrayLike, check_finite: bool) -> ndarray:
    (given,) = typed(np.atleast_2d(validated(a, check_finite)))
    return square(given, f"Input array is expected to be square but has the shape: {given.shape}.")


def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> ndarray:
    """The triangle U of ``a == U.conj().T @ U``, or L of ``a == L @ L.conj().T``.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 1.],
           [0., 2.]])
    """
    return cholesky_factor(_matrix(a, check_finite), bool(lower))


def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[ndarray, bool]:
    """The factor for cho_solve, and which triangle it is; the other one is 0.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.cho_solve(linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]]), [8.0, 12.0])
    array([1., 2.])
    """
    given = _matrix(a, check_finite)
    return cholesky_factor(given, bool(lower)), lower


def cho_solve(
    c_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The x with ``a @ x == b``, of a's factor.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.cho_solve(([[2.0, 1.0], [0.0, 2.0]], False), [8.0, 12.0])
    array([1., 2.])
    """
    c, lower = c_and_lower
    factor, right = typed(*validated_together(check_finite, c, b))
    square(factor, "The factored matrix c is not square.")
    right, vector = columns(right)
    if factor.shape[-1] != right.shape[-2]:
        raise ValueError(f"incompatible dimensions ({factor.shape} and {right.shape})")
    made = cholesky_solution(factor, right, bool(lower))
    return made[..., 0] if vector else made


# --- banded ---


def _lower_diagonals(ab: ndarray) -> ndarray:
    """Upper diagonals, the main one last, as lower ones of the same Hermitian matrix."""
    width = ab.shape[-2] - 1
    rows = []
    for d in range(width + 1):
        row = ab[..., width - d, :]
        row = row.conj() if row.dtype.kind == "c" else row
        n = row.shape[-1]
        rows.append(
            np.concatenate([row[..., min(d, n) :], np.zeros_like(row[..., : min(d, n)])], -1)
        )
    return np.stack(rows, axis=-2)


def _upper_diagonals(ab: ndarray) -> ndarray:
    """And back."""
    width = ab.shape[-2] - 1
    rows = []
    for d in range(width, -1, -1):
        row = ab[..., d, :]
        row = row.conj() if row.dtype.kind == "c" else row
        n = row.shape[-1]
        rows.append(
            np.concatenate([np.zeros_like(row[..., : min(d, n)]), row[..., : max(n - d, 0)]], -1)
        )
    return np.stack(rows, axis=-2)


def _check(info: ndarray) -> None:
    if true_anywhere(info != 0):
        first = int(np.max(info))
        raise LinAlgError(f"{first}-th leading minor not positive definite")


def cholesky_banded(
    ab: ArrayLike, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True
) -> ndarray:
    """Cholesky's factor of a banded matrix, both given by their diagonals.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.cholesky_banded([[4.0, 5.0], [2.0, 0.0]], lower=True)
    array([[2., 2.],
           [1., 0.]])
    """
    (given,) = typed(validated(_diagonals(ab), check_finite))
    if given.size == 0:
        return given
    factors, info = kernels.banded_cholesky(given if lower else _lower_diagonals(given))
    _check(info)
    return factors if lower else _upper_diagonals(factors)


def cho_solve_banded(
    cb_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The x with ``a @ x == b``, of a banded factor.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.cho_solve_banded(([[2.0, 2.0], [1.0, 0.0]], True), [8.0, 12.0])
    array([1., 2.])
    """
    cb, lower = cb_and_lower
    factors, right = typed(*validated_together(check_finite, _diagonals(cb), b))
    right, vector = columns(right)
    if factors.shape[-1] != right.shape[-2]:
        raise ValueError("shapes of cb and b are not compatible.")
    made = kernels.banded_substitution(factors if lower else _lower_diagonals(factors), right)
    return made[..., 0] if vector else made


def solveh_banded(
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The x with ``a @ x == b``, where a is Hermitian, positive definite and given by diagonals.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solveh_banded([[4.0, 5.0], [2.0, 0.0]], [8.0, 12.0], lower=True)
    array([1., 2.])
    """
    given, right = typed(*validated_together(check_finite, _diagonals(ab), b))
    right, vector = columns(right)
    if given.shape[-1] != right.shape[-2]:
        raise ValueError("shapes of ab and b are not compatible.")
    diagonals = given if lower else _lower_diagonals(given)
    if given.shape[-2] == 2:
        made, info = kernels.definite_tridiagonal(diagonals, right)
        _check(info)
    else:
        factors, info = kernels.banded_cholesky(diagonals)
        _check(info)
        made = kernels.banded_substitution(factors, right)
    return made[..., 0] if vector else made


def solve_banded(
    l_and_u: tuple[int, int],
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The x with ``a @ x == b``, where a is given by so many diagonals below and above.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.solve_banded((1, 1), [[0, 1, 1], [2, 2, 2], [1, 1, 0]], [3.0, 4.0, 3.0])
    array([1., 1., 1.])
    """
    n_lower, n_upper = l_and_u
    if numpy.ndim(n_lower) or numpy.ndim(n_upper):
        return _differently_banded(n_lower, n_upper, ab, b, check_finite)
    given, right = typed_as_doubles(*validated_together(check_finite, _diagonals(ab), b))
    right, vector = columns(right)
    if given.shape[-1] != right.shape[-2]:
        raise ValueError("shapes of ab and b are not compatible.")
    if n_lower + n_upper + 1 != given.shape[-2]:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({n_lower} + "
            f"{n_upper} + 1) does not equal ab.shape[0] ({given.shape[-2]})"
        )
    made = solved(int(n_lower), int(n_upper), given, right) if right.size else right
    return made[..., 0] if vector else made


def _differently_banded(
    below: object, above: object, ab: Any, b: Any, check_finite: bool
) -> ndarray:
    """The same where each matrix of a stack has a number of diagonals of its own."""
    given, right = _diagonals(ab), validated(b, False)
    axes = 1 if right.ndim == 1 else 2
    counts = numpy.broadcast_arrays(numpy.asarray(below), numpy.asarray(above))
    stack = numpy.broadcast_shapes(given.shape[:-2], right.shape[:-axes], counts[0].shape)
    below, above = (numpy.broadcast_to(each, stack) for each in counts)
    given = np.broadcast_to(given, (*stack, *given.shape[-2:]))
    right = np.broadcast_to(right, (*stack, *right.shape[right.ndim - axes :]))
    made = [
        solve_banded((int(below[i]), int(above[i])), given[i], right[i], check_finite=check_finite)
        for i in numpy.ndindex(*stack)
    ]
    return np.stack(made).reshape(right.shape)
