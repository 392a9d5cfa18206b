"""Some singular values of large matrices."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, Seed
from heddle.scipy._generic import host_generator
from heddle.scipy.sparse._typing import OperatorLike
from heddle.scipy.sparse.linalg._arpack import eigsh
from heddle.scipy.sparse.linalg._inputs import dense_device
from heddle.scipy.sparse.linalg._lobpcg import lobpcg
from heddle.scipy.sparse.linalg._operators import LinearOperator, OfFunctions, aslinearoperator

_SOLVERS = ("arpack", "lobpcg", "propack")


def _is_whole(x: Any) -> bool:
    return bool(int(x) == x)


def _check(
    A: LinearOperator,
    k: Any,
    ncv: Any,
    tol: float,
    which: str,
    v0: Any,
    maxiter: int | None,
    solver: str,
) -> None:
    if A.dtype.kind not in "iufc":
        raise ValueError("`A` must be of numeric data type.")
    if math.prod(A.shape) == 0:
        raise ValueError("`A` must not be empty.")
    if not _is_whole(k) or not 0 < k <= min(A.shape) - (solver != "propack"):
        raise ValueError("`k` must be an integer satisfying `0 < k < min(A.shape)`.")
    limited = ncv is not None and solver == "arpack"
    if limited and (not _is_whole(ncv) or not k < ncv < min(A.shape)):
        raise ValueError("`ncv` must be an integer satisfying `k < ncv < min(A.shape)`.")
    if tol < 0 or not math.isfinite(tol):
        raise ValueError("`tol` must be a non-negative floating point value.")
    if which not in ("LM", "SM"):
        raise ValueError("`which` must be in {'LM', 'SM'}.")
    if v0 is not None:
        if v0.dtype.kind not in "fc":
            raise ValueError("`v0` must be of floating or complex floating data type.")
        shape = (A.shape[0],) if solver == "propack" else (min(A.shape),)
        if v0.shape != shape:
            raise ValueError(f"`v0` must have shape {shape}.")
    if maxiter is not None and (not _is_whole(maxiter) or maxiter <= 0):
        raise ValueError("`maxiter` must be a positive integer.")


@overload
def svds(
    A: OperatorLike,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: ArrayLike | None = None,
    maxiter: int | None = None,
    return_singular_vectors: Literal[True] = True,
    solver: str = "arpack",
    rng: Seed = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Seed = None,
) -> tuple[ndarray, ndarray, ndarray]: ...
@overload
def svds(
    A: OperatorLike,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: ArrayLike | None = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | str = True,
    solver: str = "arpack",
    rng: Seed = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Seed = None,
) -> ndarray | tuple[ndarray | None, ndarray, ndarray | None]: ...
def svds(
    A: OperatorLike,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: ArrayLike | None = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | str = True,
    solver: str = "arpack",
    rng: Seed = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Seed = None,
) -> ndarray | tuple[ndarray | None, ndarray, ndarray | None]:
    """k singular values of a matrix in ascending order, between their left and right vectors.

    They are eigenvalues of ``A^H A`` or ``A A^H``, whichever is smaller, found by `eigsh`, or by
    `lobpcg`; vectors of the other side follow by a product with A.

    Parameters
    ----------
    A : matrix, dense or sparse, or LinearOperator
    k : int
        How many, less than the smaller extent.
    ncv : int, optional
        How many vectors are kept at once.
    tol : float
        The relative error that is good enough; 0 for that of the type.
    which : {'LM', 'SM'}
        The largest or the smallest.
    v0 : array, optional
        Where to begin, of the smaller extent.
    maxiter : int, optional
        Restarts at most.
    return_singular_vectors : {True, False, 'u', 'vh'}
        Which vectors are given, too.
    solver : {'arpack', 'lobpcg', 'propack'}
        'propack' is the same as 'arpack' here, and takes the full number of values.
    rng, random_state : seed or numpy.random.Generator, optional
        For the first vector.
    options : dict, optional
        Reserved by SciPy: no solver has any, so there may be none in it.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import svds
    >>> u, s, vh = svds(np.diag(np.arange(1.0, 21.0)), k=3)
    >>> np.round(s, 6), u.shape, vh.shape
    (array([18., 19., 20.]), (20, 3), (3, 20))
    """
    solver = str(solver).lower()
    if solver not in _SOLVERS:
        raise ValueError(f"solver must be one of {set(_SOLVERS)}.")
    if options:
        raise ValueError(f"svds: solver {solver!r} has no options, so not {', '.join(options)}")
    operator = aslinearoperator(A)
    which = str(which).upper()
    first = None if v0 is None else np.atleast_1d(as_array(v0))
    _check(operator, k, ncv, tol, which, first, maxiter, solver)
    if not isinstance(return_singular_vectors, bool) and return_singular_vectors not in ("u", "vh"):
        raise ValueError("`return_singular_vectors` must be in {True, False, 'u', 'vh'}.")
    seed = random_state if rng is None else rng
    tall = operator.shape[0] >= operator.shape[1]
    narrow = operator if tall else operator.H
    n = narrow.shape[1]
    dtype = operator.dtype if operator.dtype.char in "fdFD" else numpy.dtype("d")
    gram = OfFunctions(
        (n, n),
        matvec=lambda x: narrow.rmatvec(narrow.matvec(x)),
        matmat=lambda x: narrow.rmatmat(narrow.matmat(x)),
        dtype=dtype,
    )
    device = dense_device(operator, first)
    if k == n:
        vectors = np.eye(n, dtype=dtype, device=device)
    elif solver == "lobpcg":
        X = host_generator(seed).standard_normal((n, int(k))).astype(dtype)
        block = np.asarray(X, device=device)
        if first is not None:
            block[:, 0] = first
        vectors = lobpcg(gram, block, tol=tol**2, maxiter=maxiter, largest=which == "LM")[1]
    else:
        if first is not None and first.size != n:
            first = narrow.rmatvec(first)  # propack begins on the left
        if first is None:
            drawn = host_generator(seed).standard_normal(n).astype(dtype)
            first = np.asarray(drawn, device=device)
        room = None if ncv is None or solver != "arpack" else ncv
        vectors = eigsh(
            gram, k=int(k), tol=tol**2, maxiter=maxiter, ncv=room, which=which, v0=first
        )[1]
    vectors = np.linalg.qr(vectors)[0]
    images = narrow.matmat(vectors)
    if return_singular_vectors is False:
        return np.linalg.svd(images, compute_uv=False)[::-1]
    u, s, turn = np.linalg.svd(images, full_matrices=False)
    v = turn @ (vectors.conj().T if dtype.kind == "c" else vectors.T)
    u, s, v = u[:, ::-1], s[::-1], v[::-1]
    if not tall:
        u, v = (v.conj().T, u.conj().T) if dtype.kind == "c" else (v.T, u.T)
    left = u if return_singular_vectors in (True, "u") else None
    return left, s, v if return_singular_vectors in (True, "vh") else None
