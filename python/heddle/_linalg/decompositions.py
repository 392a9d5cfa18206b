"""Solving, inverting and factoring stacks of matrices, for heddle.linalg."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast, overload

import numpy as _numpy
from numpy.lib import NumpyVersion
from numpy.linalg import LinAlgError

import heddle as np
from heddle._arguments import as_array, no_value
from heddle._core import is_stand_in, ndarray
from heddle._core import linalg as _linalg
from heddle._typing import ArrayLike


class EigResult(NamedTuple):
    """Eigenvalues and, as columns, eigenvectors."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """Ascending eigenvalues and, as columns, orthonormal eigenvectors."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """Orthonormal columns and an upper triangle."""

    Q: ndarray
    R: ndarray


class SlogdetResult(NamedTuple):
    """Sign of a determinant, and the logarithm of its absolute value."""

    sign: ndarray
    logabsdet: ndarray


class SVDResult(NamedTuple):
    """Left singular vectors, descending singular values, conjugated right singular vectors."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def _check_stack(a: ndarray) -> None:
    if a.ndim < 2:
        raise LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )


def _is_upper(uplo: str) -> bool:
    if uplo.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return uplo.upper() == "U"


def _transposed(a: ndarray) -> ndarray:
    return np.swapaxes(a, -1, -2)


def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The x with ``a @ x == b``; b is a vector if it has one axis, else a stack of matrices.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[3.0, 1.0], [1.0, 2.0]])
    >>> np.linalg.solve(a, [9.0, 8.0])
    array([2., 3.])
    """
    return _linalg.solve(as_array(a), as_array(b))


def inv(a: ArrayLike) -> ndarray:
    """The inverse of square matrices.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.inv([[1.0, 2.0], [3.0, 4.0]])
    array([[-2. ,  1. ],
           [ 1.5, -0.5]])
    """
    return _linalg.inv(as_array(a))


def det(a: ArrayLike) -> ndarray:
    """The determinant of square matrices.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.det([[1.0, 2.0], [3.0, 4.0]]).round(6)
    np.float64(-2.0)
    """
    return _linalg.det(as_array(a))


def slogdet(a: ArrayLike) -> SlogdetResult:
    """Sign and logarithm of the determinant, which itself may be too large or too small.

    Examples
    --------
    >>> import heddle as np
    >>> sign, logarithm = np.linalg.slogdet([[1.0, 2.0], [3.0, 4.0]])
    >>> sign * np.exp(logarithm).round(6)
    np.float64(-2.0)
    """
    return SlogdetResult(*_linalg.slogdet(as_array(a)))


def cholesky(a: ArrayLike, /, *, upper: bool = False) -> ndarray:
    """The triangular factor of Hermitian positive definite matrices, of which a triangle is read.

    ``a == L @ L.conj().T``, or with `upper` ``a == U.conj().T @ U``.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 0.],
           [1., 2.]])
    """
    return _linalg.cholesky(as_array(a), bool(upper))


@overload
def qr(a: ArrayLike, mode: Literal["reduced", "complete"] = "reduced") -> QRResult: ...
@overload
def qr(a: ArrayLike, mode: Literal["r"]) -> ndarray: ...
@overload
def qr(a: ArrayLike, mode: Literal["raw"]) -> tuple[ndarray, ndarray]: ...
def qr(a: ArrayLike, mode: Literal["reduced", "complete", "r", "raw"] = "reduced") -> Any:
    """Factors of ``a == Q @ R``: Q has orthonormal columns, R is upper triangular.

    The mode is 'reduced' (as many columns as the shorter side), 'complete' (Q is square), 'r' (R
    alone) or 'raw' (LAPACK's reflectors, transposed, and their factors).

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0]])
    >>> q, r = np.linalg.qr(a)
    >>> np.allclose(q @ r, a)
    True
    """
    if mode in ("f", "full"):
        warnings.warn(
            "The 'full' option is deprecated in favor of 'reduced'.\n"
            "For backward compatibility let mode default.",
            DeprecationWarning,
            stacklevel=2,
        )
        mode = "reduced"
    elif mode in ("e", "economic"):
        warnings.warn("The 'economic' option is deprecated.", DeprecationWarning, stacklevel=2)
        return _transposed(_linalg.qr_raw(as_array(a))[0])
    elif mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    a = as_array(a)
    if mode == "r":
        return _linalg.qr_r(a)
    if mode == "raw":
        return _linalg.qr_raw(a)
    return QRResult(*_linalg.qr(a, mode == "complete"))


# From this version on NumPy's eigenvalues are complex, also where all are real.
_ALWAYS_COMPLEX = NumpyVersion(_numpy.__version__) >= "2.5.0"


def _as_numpys(found: ndarray) -> ndarray:
    return np.astype(found, np.result_type(found, np.complex64)) if _ALWAYS_COMPLEX else found


def eigvals(a: ArrayLike) -> ndarray:
    """Eigenvalues of square matrices; with NumPy before 2.5, real if all of them are.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.eigvals([[2.0, 0.0], [0.0, 3.0]])
    array([2., 3.])
    """
    return _as_numpys(_linalg.eigvals(as_array(a)))


def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and right eigenvectors of square matrices.

    Examples
    --------
    >>> import heddle as np
    >>> values, vectors = np.linalg.eig(np.diag([2.0, 3.0]))
    >>> values
    array([2., 3.])
    """
    return EigResult(*map(_as_numpys, _linalg.eig(as_array(a))))


def eigvalsh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> ndarray:
    """Ascending eigenvalues of Hermitian matrices, of which a triangle is read.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]])
    array([1., 3.])
    """
    return _linalg.eigvalsh(as_array(a), _is_upper(UPLO))


def eigh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> EighResult:
    """Ascending eigenvalues and orthonormal eigenvectors of Hermitian matrices.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> values, vectors = np.linalg.eigh(a)
    >>> np.allclose(a @ vectors, vectors * values)
    True
    """
    return EighResult(*_linalg.eigh(as_array(a), _is_upper(UPLO)))


def _hermitian_svd(a: ndarray) -> SVDResult:
    values, vectors = eigh(a)
    order = np.argsort(np.abs(values))[..., ::-1]
    values = np.take_along_axis(values, order, axis=-1)
    u = np.take_along_axis(vectors, order[..., None, :], axis=-1)
    signs = np.copysign(np.ones((), values.dtype), values)
    return SVDResult(u, np.abs(values), np.conjugate(_transposed(u * signs[..., None, :])))


@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    hermitian: bool = False,
) -> SVDResult: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False
) -> ndarray: ...
def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> ndarray | SVDResult | None:
    """Factors of ``a == U @ diag(S) @ Vh``; the singular values S alone without `compute_uv`.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> u, s, vh = np.linalg.svd(a, full_matrices=False)
    >>> s
    array([4., 3.])
    >>> np.allclose((u * s) @ vh, a)
    True
    """
    a = as_array(a)
    if hermitian:
        if compute_uv:
            return _hermitian_svd(a)
        return np.sort(np.abs(eigvalsh(a)))[..., ::-1]
    if not compute_uv:
        return _linalg.svdvals(a)
    return SVDResult(*_linalg.svd(a, bool(full_matrices)))


def svdvals(x: ArrayLike, /) -> ndarray:
    """Descending singular values.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.svdvals(np.diag([3.0, 4.0]))
    array([4., 3.])
    """
    return _linalg.svdvals(as_array(x))


def matrix_rank(
    A: ArrayLike,
    tol: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | None = None,
) -> ndarray:
    """The number of singular values above `tol`, or above `rtol` times the largest.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]])
    np.int64(1)
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    a = as_array(A)
    if a.ndim < 2:
        return cast("ndarray", int(not np.all(a == 0)))  # a number of Python's, as in NumPy
    values = svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        if rtol is None:
            rtol = max(a.shape[-2:]) * _numpy.finfo(values.dtype).eps
        else:
            rtol = as_array(rtol)[..., None]
        tol = np.max(values, axis=-1, keepdims=True, initial=0) * rtol
    else:
        tol = as_array(tol)[..., None]
    return np.count_nonzero(values > tol, axis=-1)


def pinv(
    a: ArrayLike,
    rcond: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike = no_value,
) -> ndarray:
    """The pseudo-inverse; singular values below `rcond` times the largest count as zero.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> np.allclose(a @ np.linalg.pinv(a) @ a, a)
    True
    """
    a = as_array(a)
    if rcond is None:
        if rtol is no_value:
            rcond = 1e-15
        elif rtol is None:
            rcond = max(a.shape[-2:]) * _numpy.finfo(a.dtype).eps
        else:
            rcond = rtol
    elif rtol is not no_value:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    rcond = as_array(rcond)
    _check_stack(a)
    if a.size == 0 and math.prod(a.shape[-2:]) == 0:
        return np.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype, device=a.device)
    return _linalg.pinv(a, rcond, bool(hermitian))


def lstsq(
    a: ArrayLike, b: ArrayLike, rcond: float | None = None
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The x that minimises ``|b - a @ x|``: x, squared residuals, the rank and singular values.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> a = np.column_stack([x, np.ones(3)])
    >>> solution, residuals, rank, s = np.linalg.lstsq(a, [1.0, 3.0, 5.0])
    >>> solution.round(6)
    array([2., 1.])
    """
    a, b = as_array(a), as_array(b)
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    for given in (a, b):
        if given.ndim != 2:
            raise LinAlgError(
                f"{given.ndim}-dimensional array given. Array must be two-dimensional"
            )
    if a.shape[0] != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    cutoff = None if rcond is None else float(rcond)
    if is_stand_in(a) or is_stand_in(b):
        x, residuals, rank, s = _lstsq_of_rows(a, b, cutoff)
    else:
        x, residuals, rank, s = _linalg.lstsq(a, b, cutoff)
        rank = _numpy.int32(rank)  # type: ignore[assignment]
    return x[:, 0] if vector else x, residuals, rank, s


def _lstsq_of_rows(
    a: ndarray, b: ndarray, rcond: float | None
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """The same inside of vmap, where ranks may differ: residuals do not depend on them."""
    s = svdvals(a)
    epsilon = float(_numpy.finfo(s.dtype).eps)
    if rcond is None:
        rcond = epsilon * max(a.shape)
    elif not 0 < rcond < 1:
        rcond = epsilon / 2
    x = pinv(a, rcond=rcond) @ b
    rank = (s > rcond * s.max()).sum().astype("int32")
    rest = b - a @ x
    tall = a.shape[0] > a.shape[1]
    return x, (rest * rest.conj()).real.sum(0) if tall else s[:0], rank, s


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> ndarray:
    """The x with ``tensordot(a, x, x.ndim) == b``, after moving `axes` of a to its end.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.eye(4).reshape(2, 2, 2, 2)
    >>> np.linalg.tensorsolve(a, np.arange(4.0).reshape(2, 2))
    array([[0., 1.],
           [2., 3.]])
    """
    return _linalg.tensorsolve(as_array(a), as_array(b), () if axes is None else tuple(axes))


def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    """The inverse with respect to ``tensordot(a, b, ind)``.

    Examples
    --------
    >>> import heddle as np
    >>> np.linalg.tensorinv(np.eye(6).reshape(2, 3, 6), ind=2).shape
    (6, 2, 3)
    """
    return _linalg.tensorinv(as_array(a), ind)
