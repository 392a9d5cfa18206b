"""eigsh and eigs: what is wanted of which matrix, and the operators that lead there."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, HostArray, Seed
from heddle.scipy._generic import host_generator
from heddle.scipy.sparse._base import is_sparse
from heddle.scipy.sparse._typing import OperatorLike
from heddle.scipy.sparse.linalg._eigen import Product, Space, general, hermitian
from heddle.scipy.sparse.linalg._inputs import as_matrix, dense_device, identity_like, size_of
from heddle.scipy.sparse.linalg._operators import LinearOperator, aslinearoperator

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import csr_array
    from heddle.scipy.sparse.linalg._operators import OfFunctions

_SYMMETRIC = ("LM", "SM", "LA", "SA", "BE")
_GENERAL = ("LM", "SM", "LR", "SR", "LI", "SI")


def _typed(A: object) -> Any:
    """A matrix of floating-point numbers; operators as they are."""
    if isinstance(A, LinearOperator) or hasattr(A, "matvec"):
        return aslinearoperator(A)
    found = as_matrix(A)
    return found if found.dtype.char in "fdFD" else found.astype("d")


def inverse(A: Any, tol: float, dtype: DType) -> Product:
    """What solves systems with a matrix: factors of it; for operators GMRES."""
    if isinstance(A, LinearOperator):
        from heddle.scipy.sparse.linalg._gmres import gmres

        eps = float(np.finfo(dtype).eps)
        limit = max(tol, 4 * eps, eps * math.sqrt(A.shape[0]))

        def solve(b: Any) -> ndarray:
            x, info = gmres(A, b, rtol=limit, atol=0.0)
            # It may stop some roundings before, more of them where A is hard to invert: only what
            # is left beyond SciPy's limit is a failure.
            left = max(limit, 1e3 * eps * math.sqrt(A.shape[0]))
            if info != 0 and not size_of(b - A.matvec(x)) <= left * size_of(b):
                raise ValueError(
                    f"Error in inverting M: function gmres did not converge (info = {info})."
                )
            return x

        return solve
    if is_sparse(A):
        from heddle.scipy.sparse.linalg._direct import splu

        return splu(A.tocsc()).solve
    from heddle.scipy.linalg import lu_factor, lu_solve

    factors = lu_factor(A)
    return lambda b: lu_solve(factors, b)


def _shifted(A: Any, M: Any, sigma: Any) -> Any:
    """A - sigma M."""
    operators = isinstance(A, LinearOperator) or isinstance(M, LinearOperator)
    if operators:
        first = aslinearoperator(A)
        second = _identity_operator(first) if M is None else aslinearoperator(M)
        return first + second * -sigma
    if sigma == 0:
        return A
    if M is None:
        dense = not is_sparse(A)
        M = np.eye(len(A), dtype=A.dtype, device=A.device) if dense else identity_like(A)
    if is_sparse(A) and not is_sparse(M):
        return A.toarray() - sigma * M
    if is_sparse(M) and not is_sparse(A):
        return A - (sigma * M).toarray()
    return A - sigma * M


def _identity_operator(A: LinearOperator) -> LinearOperator:
    from heddle.scipy.sparse.linalg._operators import IdentityOperator

    return IdentityOperator(A.shape, A.dtype)


class _Problem:
    """The operator whose largest eigenvalues are found, the inner product, and the way back."""

    def __init__(
        self,
        A: object,
        M: OperatorLike | None,
        sigma: complex | None,
        mode: str,
        Minv: object,
        OPinv: object,
        tol: float,
    ) -> None:
        given = None if M is None else _typed(M)
        self.A = aslinearoperator(A)
        if given is not None and tuple(given.shape) != tuple(self.A.shape):
            raise ValueError(f"wrong M dimensions {given.shape}, should be {self.A.shape}")
        types = [self.A.dtype, *([] if given is None else [given.dtype])]
        self.dtype = numpy.result_type(*types)
        if self.dtype.char not in "fdFD":
            self.dtype = numpy.dtype("D" if self.dtype.kind == "c" else "d")
        self.M: Any = None if given is None else aslinearoperator(given)
        inner = None if self.M is None else self.M.matvec
        back: Callable[[Any], Any]
        if sigma is None:
            if OPinv is not None:
                raise ValueError("OPinv should not be specified if sigma = None.")
            back = _unchanged
            if given is None:
                if Minv is not None:
                    raise ValueError("Minv should not be specified with M = None.")
                product: Product = self.A.matvec
            else:
                of_m = inverse(given, tol, self.dtype) if Minv is None else _solver(Minv, given)
                product = _then(self.A.matvec, of_m)
        else:
            if Minv is not None:
                raise ValueError("Minv should not be specified when sigma is not None.")
            solve = (
                inverse(_shifted(A, given, sigma), tol, self.dtype)
                if OPinv is None
                else _solver(OPinv, self.A)
            )
            if mode == "normal":
                product = solve if inner is None else _then(inner, solve)
                back = _Inverted(sigma)
            elif mode == "buckling":
                product, inner = _then(self.A.matvec, solve), self.A.matvec
                back = _Buckled(sigma)
            elif mode == "cayley":
                plus = aslinearoperator(_shifted(A, given, -sigma))
                product = _then(plus.matvec, solve)
                back = _Cayley(sigma)
            else:
                raise ValueError(f"unrecognized mode '{mode}'")
        self.product, self.inner, self.back = product, inner, back
        # Of a real matrix and a complex shift a part of the inverse is taken, which is real.
        self.partial = sigma is not None and numpy.iscomplex(sigma) and self.dtype.kind != "c"

    def take_part(self, part: str) -> None:
        whole = self.product
        self.product = (lambda x: whole(x).real) if part == "r" else (lambda x: whole(x).imag)

    def quotients(self, vectors: ndarray) -> HostArray:
        """Eigenvalues of vectors, by Rayleigh's quotients."""
        above = (vectors.conj() * self.A.matmat(vectors)).sum(axis=0)
        images = vectors if self.inner is None else self.M.matmat(vectors)
        return (above / (vectors.conj() * images).sum(axis=0))._snapshot()


def _solver(given: object, like: Any) -> Product:
    found = aslinearoperator(given)
    if tuple(found.shape) != tuple(like.shape):
        raise ValueError(f"wrong shape {found.shape}, should be {like.shape}")
    return found.matvec


def _then(first: Product, second: Product) -> Product:
    return lambda x: second(first(x))


def _unchanged(values: HostArray) -> HostArray:
    return values


class _Inverted:
    def __init__(self, sigma: complex) -> None:
        self._sigma = sigma

    def __call__(self, values: HostArray) -> HostArray:
        return self._sigma + 1 / values


class _Buckled(_Inverted):
    def __call__(self, values: HostArray) -> HostArray:
        found: HostArray = self._sigma * values / (values - 1)
        return found


class _Cayley(_Inverted):
    def __call__(self, values: HostArray) -> HostArray:
        found: HostArray = self._sigma * (values + 1) / (values - 1)
        return found


def _first_vector(v0: Any, n: int, dtype: DType, device: str | None, rng: Seed) -> ndarray:
    if v0 is None:
        draw = host_generator(rng)
        drawn = draw.uniform(-1, 1, n)
        return np.asarray(drawn.astype(dtype), device=device)
    found = as_array(v0).reshape(-1)
    if found.size != n:
        raise ValueError(f"v0 must have {n} elements, not {found.size}")
    return found.astype(dtype)


def _dense(A: object, M: object, limit: str, name: str) -> None:
    warnings.warn(
        f"k >= {limit} for N * N square matrix. Attempting to use scipy.linalg.{name} instead.",
        RuntimeWarning,
        stacklevel=3,
    )
    for what, given in (("A", A), ("M", M)):
        if is_sparse(given):
            raise TypeError(
                f"Cannot use scipy.linalg.{name} for sparse {what} with k >= {limit}. Use "
                f"scipy.linalg.{name}({what}.toarray()) or reduce k."
            )
        if isinstance(given, LinearOperator):
            raise TypeError(
                f"Cannot use scipy.linalg.{name} for LinearOperator {what} with k >= {limit}."
            )


@overload
def eigsh(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: Literal[True] = True,
    Minv: object = None,
    OPinv: object = None,
    mode: str = "normal",
    rng: Seed = None,
) -> tuple[ndarray, ndarray]: ...
@overload
def eigsh(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: object = None,
    OPinv: object = None,
    mode: str = "normal",
    rng: Seed = None,
) -> ndarray | tuple[ndarray, ndarray]: ...
def eigsh(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: object = None,
    OPinv: object = None,
    mode: str = "normal",
    rng: Seed = None,
) -> ndarray | tuple[ndarray, ndarray]:
    """k eigenvalues of a hermitian matrix, in ascending order, and eigenvectors in columns.

    By Lanczos' method with thick restarts. Systems with sparse matrices, for `sigma` and `M`, are
    solved by `splu`, on the host.

    Parameters
    ----------
    A : matrix, dense or sparse, or LinearOperator
    k : int
        How many, less than the size of A.
    M : matrix or LinearOperator, optional
        Of the problem A x = w M x; positive definite.
    sigma : float, optional
        Eigenvalues near to it are found, by systems with A - sigma M.
    which : {'LM', 'SM', 'LA', 'SA', 'BE'}
        The largest or smallest by magnitude or in order, or half of each end; with `sigma` those of
        1 / (w - sigma).
    v0 : array, optional
        Where to begin.
    ncv : int, optional
        How many vectors are kept at once; twice k and one, and 20 at least, by default.
    maxiter : int, optional
        Restarts at most; ten times the size by default.
    tol : float
        The relative error that is good enough; 0 for that of the type.
    return_eigenvectors : bool
        Whether vectors are given, too.
    Minv, OPinv : matrix or LinearOperator, optional
        What solves systems with M and with A - sigma M.
    mode : {'normal', 'buckling', 'cayley'}
        The transformation that goes with `sigma`.
    rng : seed or numpy.random.Generator, optional
        For the first vector.

    Raises
    ------
    ArpackNoConvergence
        With those that did converge.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import eigsh
    >>> A = np.diag(np.arange(1.0, 31.0))
    >>> w, v = eigsh(A, k=3)
    >>> np.round(w, 6), v.shape
    (array([28., 29., 30.]), (30, 3))
    """
    given = _typed(A)
    n = _square(given)
    if k <= 0:
        raise ValueError("k must be greater than 0.")
    if k >= n:
        from heddle.scipy.linalg import eigh, eigvalsh

        _dense(given, M, "N", "eigh")
        dense_m = None if M is None else as_array(cast("ArrayLike", M))
        return eigh(given, b=dense_m) if return_eigenvectors else eigvalsh(given, b=dense_m)
    if which not in _SYMMETRIC:
        raise ValueError(f"which must be one of {' '.join(_SYMMETRIC)}")
    if mode not in ("normal", "buckling", "cayley"):
        raise ValueError(f"unrecognized mode '{mode}'")
    most = min(n, max(2 * k + 1, 20)) if ncv is None else int(ncv)
    if most > n or most <= k:
        raise ValueError(f"ncv must be k<ncv<=n, ncv={ncv}")
    if maxiter is not None and maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    steps = 10 * n if maxiter is None else int(maxiter)
    problem = _Problem(given, M, sigma, mode, Minv, OPinv, tol)
    device = dense_device(problem.A, v0)
    first = _first_vector(v0, n, problem.dtype, device, rng)
    if sigma is not None and problem.inner is not None:
        first = problem.product(first).astype(problem.dtype)  # into the range, where M is singular
    space = Space(problem.product, first, most, problem.inner)
    values, vectors = hermitian(space, k, which, tol, steps)
    found = problem.back(values.real)
    order = numpy.argsort(found, kind="stable")
    real = numpy.dtype("f" if problem.dtype.char in "fF" else "d")
    w = np.asarray(found[order].astype(real), device=space.rows.device)
    if not return_eigenvectors:
        return w
    return w, vectors()[:, np.asarray(order, device=w.device)]


@overload
def eigs(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: complex | None = None,
    which: str = "LM",
    v0: object = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: Literal[True] = True,
    Minv: object = None,
    OPinv: object = None,
    OPpart: str | None = None,
    rng: Seed = None,
) -> tuple[ndarray, ndarray]: ...
@overload
def eigs(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: complex | None = None,
    which: str = "LM",
    v0: object = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: object = None,
    OPinv: object = None,
    OPpart: str | None = None,
    rng: Seed = None,
) -> ndarray | tuple[ndarray, ndarray]: ...
def eigs(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: complex | None = None,
    which: str = "LM",
    v0: object = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: object = None,
    OPinv: object = None,
    OPpart: str | None = None,
    rng: Seed = None,
) -> ndarray | tuple[ndarray, ndarray]:
    """k eigenvalues of a square matrix, complex, and eigenvectors in columns.

    By Arnoldi's method, restarted by Krylov and Schur. Parameters are those of `eigsh`, but:

    Parameters
    ----------
    M : matrix or LinearOperator, optional
        Hermitian, positive definite.
    sigma : complex, optional
        Eigenvalues near to it are found.
    which : {'LM', 'SM', 'LR', 'SR', 'LI', 'SI'}
        The largest or smallest by magnitude, real or imaginary part.
    ncv : int, optional
        More than k + 1.
    OPpart : {'r', 'i'}, optional
        Whether the real or the imaginary part of the inverse is taken, of a real A and a complex
        `sigma`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import eigs
    >>> w, v = eigs(np.diag(np.arange(1.0, 31.0)), k=2)
    >>> np.round(np.sort(w.real), 6), w.dtype
    (array([29., 30.]), dtype('complex128'))
    """
    given = _typed(A)
    n = _square(given)
    if k <= 0:
        raise ValueError(f"k={k} must be greater than 0.")
    if k >= n - 1:
        from heddle.scipy.linalg import eig, eigvals

        _dense(given, M, "N - 1", "eig")
        dense_m = None if M is None else as_array(cast("ArrayLike", M))
        return eig(given, b=dense_m) if return_eigenvectors else eigvals(given, b=dense_m)
    if which not in _GENERAL:
        raise ValueError(f"Parameter which must be one of {' '.join(_GENERAL)}")
    if OPpart is not None and str(OPpart).lower() not in ("r", "i"):
        raise ValueError("OPpart must be one of ('r','i')")
    most = min(n, max(2 * k + 1, 20)) if ncv is None else int(ncv)
    if most > n or most <= k + 1:
        raise ValueError(f"ncv must be k+1<ncv<=n, ncv={ncv}")
    if maxiter is not None and maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    steps = 10 * n if maxiter is None else int(maxiter)
    problem = _Problem(given, M, sigma, "normal", Minv, OPinv, tol)
    device = dense_device(problem.A, v0)
    first = _first_vector(v0, n, problem.dtype, device, rng)
    if problem.partial:
        problem.take_part("r" if OPpart is None else OPpart.lower())
    if sigma is not None and problem.inner is not None:
        first = problem.product(first).astype(problem.dtype)
    space = Space(problem.product, first, most, problem.inner)
    values, vectors = general(space, k, which, tol, steps)
    dtype = numpy.dtype("F" if problem.dtype.char in "fF" else "D")
    if problem.partial:
        v = vectors().astype(dtype)
        w = np.asarray(problem.quotients(v), device=v.device)
        return (w, v) if return_eigenvectors else w
    w = np.asarray(problem.back(values.astype("D")).astype(dtype), device=space.rows.device)
    return (w, vectors().astype(dtype)) if return_eigenvectors else w


def _square(A: ndarray | csr_array | OfFunctions) -> int:
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix (shape={A.shape})")
    return int(A.shape[0])
