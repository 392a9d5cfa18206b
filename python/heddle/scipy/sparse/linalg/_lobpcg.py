"""Extreme eigenvalues by blocks of vectors, with a preconditioner: LOBPCG."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse._typing import OperatorLike
from heddle.scipy.sparse.linalg._operators import aslinearoperator

_Product = Callable[[Any], Any]


def _product(A: Any) -> _Product | None:
    if A is None:
        return None
    if callable(A) and not hasattr(A, "shape"):
        return lambda v: as_array(A(v))
    if is_sparse(A):
        matrix: Any = as_sparse(A)
    else:
        matrix = aslinearoperator(A) if hasattr(A, "matvec") else as_array(A)
    return lambda v: as_array(matrix @ v)


def _adjoint(a: ndarray) -> ndarray:
    return a.conj().T if a.dtype.kind == "c" else a.T


def _shaped(made: ndarray, like: ndarray, which: str) -> ndarray:
    if made.shape != like.shape:
        raise ValueError(
            f"The shape {like.shape} of the iterate not preserved and changed to {made.shape} "
            f"after multiplying by the {which} matrix."
        )
    return made


class _Block:
    """Vectors with what A and B make of them."""

    def __init__(self, V: ndarray, AV: ndarray, BV: ndarray) -> None:
        self.V, self.AV, self.BV = V, AV, BV

    def mixed(self, weights: ndarray) -> _Block:
        w = np.asarray(weights.astype(self.V.dtype), device=self.V.device)
        made = self.V @ w
        return _Block(made, self.AV @ w, made if self.BV is self.V else self.BV @ w)

    def plus(self, other: _Block) -> _Block:
        V = self.V + other.V
        plain = self.BV is self.V
        return _Block(V, self.AV + other.AV, V if plain else self.BV + other.BV)


def _grams(blocks: list[_Block], *more: ndarray) -> tuple[Any, ...]:
    """The projected matrices of A and B on the host, hermitian, and other arrays; one look."""
    plain = all(b.BV is b.V for b in blocks)
    V = np.concatenate([b.V for b in blocks], axis=1)
    AV = np.concatenate([b.AV for b in blocks], axis=1)
    BV = V if plain else np.concatenate([b.BV for b in blocks], axis=1)
    found = [_adjoint(V) @ AV, _adjoint(V) @ BV, *more]
    np.eval(*found)
    a, b, *others = (each._snapshot() for each in found)
    return (a + a.conj().T) / 2, (b + b.conj().T) / 2, *others


def _reduced(a: object, b: HostArray, eps: float) -> tuple[Any, Any]:
    """Eigenvalues and vectors of a x = w b x, without what is as good as dependent."""
    scale = 1 / numpy.sqrt(numpy.maximum(numpy.diag(b).real, 1e-300))
    values, vectors = numpy.linalg.eigh(b * numpy.outer(scale, scale))
    good = values > 10 * len(b) * eps * max(values[-1], 0)
    if not good.any():
        raise ValueError("the matrix B is not positive definite")
    whitened = scale[:, None] * vectors[:, good] / numpy.sqrt(values[good])
    small = whitened.conj().T @ a @ whitened
    w, mixed = numpy.linalg.eigh((small + small.conj().T) / 2)
    return w, whitened @ mixed


def _chosen(w: HostArray, k: int, largest: bool) -> HostArray:
    order = numpy.argsort(w)
    return order[::-1][:k] if largest else order[:k]


def _constrained(Y: Any, B: _Product | None) -> Callable[[ndarray], ndarray]:
    """What takes away parts along vectors, in the inner product of B."""
    if Y is None:
        return lambda V: V
    constraint = as_array(Y)
    images = constraint if B is None else B(constraint)
    gram = (_adjoint(constraint) @ images)._snapshot()
    try:
        numpy.linalg.cholesky(gram)
    except numpy.linalg.LinAlgError as error:
        raise ValueError("Linearly dependent constraints") from error
    inverse = np.asarray(numpy.linalg.inv(gram).astype(constraint.dtype), device=constraint.device)
    return lambda V: V - constraint @ (inverse @ (_adjoint(images) @ V))


@overload
def lobpcg(
    A: OperatorLike,
    X: ArrayLike,
    B: OperatorLike | None = None,
    M: OperatorLike | None = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: Literal[False] = False,
    retResidualNormsHistory: Literal[False] = False,
    restartControl: int = 20,
) -> tuple[ndarray, ndarray]: ...
@overload
def lobpcg(
    A: OperatorLike,
    X: ArrayLike,
    B: OperatorLike | None = None,
    M: OperatorLike | None = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
) -> tuple[Any, ...]: ...
def lobpcg(
    A: OperatorLike,
    X: ArrayLike,
    B: object = None,
    M: OperatorLike | None = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
) -> tuple[Any, ...]:
    """The largest or smallest eigenvalues of a hermitian matrix, and vectors in columns, beginning
    with a block of vectors.

    Parameters
    ----------
    A : matrix, dense or sparse, LinearOperator, or callable
    X : array
        Where to begin; as many columns as eigenvalues are wanted.
    B : matrix, LinearOperator or callable, optional
        Of A x = w B x; positive definite.
    M : matrix, LinearOperator or callable, optional
        An approximation of A's inverse.
    Y : array, optional
        Vectors that results are orthogonal to.
    tol : float, optional
        The residual that is small enough.
    maxiter : int, optional
        Steps at most, 20 by default.
    largest : bool
        Which end.
    verbosityLevel : int
        Whether it prints what it does.
    retLambdaHistory, retResidualNormsHistory : bool
        Whether eigenvalues and residuals of all steps are given, too.
    restartControl : int
        By how much the residual may grow before earlier directions are forgotten.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import lobpcg
    >>> A = np.diag(np.arange(1.0, 101.0))
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> w, v = lobpcg(A, X, M=np.diag(1 / np.arange(1.0, 101.0)), largest=False, maxiter=60)
    >>> np.round(w, 6)
    array([1., 2., 3.])
    """
    start = as_array(X)
    if start.ndim != 2:
        raise ValueError("expected rank-2 array for argument X")
    n, k = start.shape
    taken = 0
    if Y is not None:
        if np.ndim(Y) != 2:
            warnings.warn(
                f"Expected rank-2 array for argument Y, instead got {np.ndim(Y)}, so ignore it "
                "and use no constraints.",
                UserWarning,
                stacklevel=2,
            )
            Y = None
        else:
            taken = np.shape(Y)[1]
    if n < 1 or k < 1:
        raise ValueError(f"The matrix size must be positive, not {start.shape}")
    if start.dtype.char not in "fdFD":
        start = start.astype("d")
    of_a, of_b, of_m = _product(A), _product(B), _product(M)
    assert of_a is not None
    if n - taken < 5 * k:
        answer: tuple[Any, ...] = _dense(
            of_a, of_b, start, Y, k, largest, (retLambdaHistory, retResidualNormsHistory)
        )
        return answer
    limit = numpy.sqrt(1e-15) * n if tol is None or tol <= 0.0 else tol
    steps = 20 if maxiter is None else maxiter
    project = _constrained(Y, of_b)
    eps = float(np.finfo(start.dtype).eps)

    def block(V: ndarray) -> _Block:
        images = V if of_b is None else _shaped(of_b(V), V, "secondary")
        return _Block(V, _shaped(of_a(V), V, "primary"), images)

    current = block(project(start))
    a, b = _grams([current])[:2]
    if not numpy.isfinite(a).all() or numpy.linalg.matrix_rank(b) < k:
        raise ValueError("Linearly dependent initial approximations")
    w, mixture = _reduced(a, b, eps)
    order = _chosen(w, k, largest)
    w, current = w[order], current.mixed(mixture[:, order])
    values, residuals = [w], []
    best, best_size, best_step = current, numpy.inf, 0
    directions: _Block | None = None
    step = -1
    while True:
        R, sizes = _residual(current, w)
        residuals.append(sizes)
        mean = float(sizes.mean())
        if mean < best_size:
            best, best_size, best_step = current, mean, step + 1
        elif mean > 2.0**restartControl * best_size:
            directions = None
        if verbosityLevel:
            print(f"iteration {step + 1}: eigenvalues {w}, residuals {sizes}")
        active = numpy.flatnonzero(sizes > limit)
        step += 1
        if active.size == 0 or step > steps:
            break
        R = R[:, np.asarray(active, device=start.device)] if active.size < k else R
        R = project(R if of_m is None else of_m(R))
        R = R - current.V @ (_adjoint(current.BV) @ R)
        length = np.sqrt((np.abs(R) ** 2).sum(axis=0))
        fresh = block((R / np.where(length > 0, length, 1)).astype(start.dtype))
        blocks = [current, fresh, *([] if directions is None else [directions])]
        a, b = _grams(blocks)[:2]
        if not numpy.isfinite(a).all():
            break
        w_all, mixture = _reduced(a, b, eps)
        order = _chosen(w_all, k, largest)
        w, mixture = w_all[order], mixture[:, order]
        values.append(w)
        added = fresh.mixed(mixture[k : k + active.size])
        if directions is not None:
            added = added.plus(directions.mixed(mixture[k + active.size :]))
        current, directions = current.mixed(mixture[:k]).plus(added), added
    worst = float(residuals[-1].max())
    if worst > limit:
        warnings.warn(
            f"Exited at iteration {step} with accuracies \n{residuals[-1]}\n"
            f"not reaching the requested tolerance {limit}.\n"
            f"Use iteration {best_step} instead with accuracy \n{best_size}.\n",
            UserWarning,
            stacklevel=2,
        )
    final = block(project(best.V))
    a, b = _grams([final])[:2]
    w, mixture = _reduced(a, b, eps)
    order = _chosen(w, k, largest)
    w, final = w[order], final.mixed(mixture[:, order])
    sizes = _residual(final, w)[1]
    if float(sizes.max()) > limit:
        warnings.warn(
            f"Exited postprocessing with accuracies \n{sizes}\n"
            f"not reaching the requested tolerance {limit}.",
            UserWarning,
            stacklevel=2,
        )
    found = np.asarray(w.astype(start.real.dtype), device=start.device)
    histories = (  # up to the best step, and what is given
        [*values[: best_step + 1], w] if retLambdaHistory else None,
        [*residuals[: best_step + 1], sizes] if retResidualNormsHistory else None,
    )
    answer = _with_histories(found, final.V, histories, start)
    return answer


def _residual(block: _Block, w: HostArray) -> tuple[ndarray, HostArray]:
    """What is left of each eigenvector's equation, and its length."""
    values = np.asarray(w.astype(block.V.real.dtype), device=block.V.device)
    R = block.AV - block.BV * values
    return R, np.sqrt((np.abs(R) ** 2).sum(axis=0))._snapshot()


def _with_histories(w: ndarray, v: ndarray, histories: Any, like: ndarray) -> Any:
    lists = [
        [np.asarray(each, device=like.device) for each in history]
        for history in histories
        if history is not None
    ]
    return (w, v, *lists)


def _dense(
    of_a: _Product,
    of_b: _Product | None,
    start: ndarray,
    Y: Any,
    k: int,
    largest: bool,
    histories: tuple[bool, bool],
) -> Any:
    """A block that is a large part of the space: all eigenvalues are computed."""
    warnings.warn(
        f"The problem size {start.shape[0]} minus the constraints size "
        f"{0 if Y is None else np.shape(Y)[1]} is too small relative to the block size {k}. Using "
        "a dense eigensolver instead of LOBPCG iterations. No output of the history of the "
        "iterations.",
        UserWarning,
        stacklevel=3,
    )
    n = start.shape[0]
    if min(k, n) != k:
        raise ValueError("Linearly dependent initial approximations")
    identity = np.eye(n, dtype=start.dtype, device=start.device)
    space = identity
    if Y is not None:
        constraint = as_array(Y)
        if k > n - constraint.shape[1]:
            raise ValueError("Linearly dependent constraints")
        images = constraint if of_b is None else of_b(constraint)
        # What is orthogonal to the constraints: the last columns of a full QR form.
        space = np.linalg.qr(images.astype(start.dtype), mode="complete")[0]
        space = space[:, constraint.shape[1] :]
    images = space if of_b is None else of_b(space)
    a, b = _grams([_Block(space, of_a(space), images)])[:2]
    w, mixture = _reduced(a, b, float(np.finfo(start.dtype).eps))
    order = _chosen(w, k, largest)
    found = np.asarray(w[order].astype(start.real.dtype), device=start.device)
    weights = np.asarray(mixture[:, order].astype(start.dtype), device=start.device)
    empty: list[Any] = [[] if wanted else None for wanted in histories]
    return _with_histories(found, space @ weights, empty, start)
