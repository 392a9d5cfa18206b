"""Norms of sparse matrices, and estimates of norms of operators."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import Axes, HostArray
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse.linalg._inputs import dense_device
from heddle.scipy.sparse.linalg._operators import LinearOperator, aslinearoperator

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CsrBase


def _flat(made: Any) -> ndarray:
    found = made.toarray() if is_sparse(made) else np.asarray(made)
    return found.reshape(-1)


def norm(
    x: object, ord: float | Literal["fro", "f"] | None = None, axis: Axes | None = None
) -> ndarray:
    """The norm of a sparse matrix, or of its rows or columns.

    Parameters
    ----------
    x : sparse matrix
    ord : {None, 'fro', 'f', 1, -1, 2, inf, -inf} or number, optional
        Of a matrix that of Frobenius by default, of vectors the usual length.
    axis : int or tuple of int, optional
        Along which there are vectors.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.linalg import norm
    >>> A = csr_array(np.array([[3.0, 0.0], [4.0, 1.0]]))
    >>> float(norm(A, 1)), norm(A, axis=0)
    (7.0, array([5., 1.]))
    """
    if not is_sparse(x):
        raise TypeError("input is not sparse. use numpy.linalg.norm")
    found = as_sparse(x)
    frobenius = ord is None or (isinstance(ord, str) and ord in ("fro", "f"))
    if axis is None and frobenius:
        return np.linalg.norm(_summed(found).data)
    axes = _axes(axis, found)
    rows = found.tocsr()
    if len(axes) == 2:
        return (
            np.linalg.norm(_summed(found).data)
            if frobenius
            else _of_matrix(rows, cast("float", ord), axes)
        )
    if len(axes) == 1:
        return _of_vectors(abs(rows), ord, axes[0])
    raise ValueError("Improper number of dimensions to norm.")


def _summed(found: Any) -> Any:
    """Without duplicates, whose squares would be added."""
    if found.format in ("csr", "csc", "coo", "bsr"):
        if found.has_canonical_format:
            return found
        found = found.copy()
        found.sum_duplicates()
        return found
    return found.tocoo()


def _axes(axis: Any, found: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(found.ndim))
    if not isinstance(axis, tuple):
        message = "'axis' must be None, an integer or a tuple of integers"
        try:
            whole = int(axis)
        except TypeError as error:
            raise TypeError(message) from error
        if axis != whole:
            raise TypeError(message)
        axis = (whole,)
    if len(axis) <= 2 and not all(-found.ndim <= a < found.ndim for a in axis):
        raise ValueError(f"Invalid axis {axis!r} for an array with shape {found.shape!r}")
    if len(axis) == 2 and axis[0] % found.ndim == axis[1] % found.ndim:
        raise ValueError("Duplicate axes given.")
    return axis  # type: ignore[no-any-return]


def _of_matrix(rows: CsrBase, ord: float, axes: tuple[int, ...]) -> Any:
    if ord == 2:
        from heddle.scipy.sparse.linalg._svds import svds

        return svds(rows, k=1, return_singular_vectors=False)[0]
    if ord == -2:
        raise NotImplementedError("the least singular value of a sparse matrix")
    if ord in (1, -1, math.inf, -math.inf):
        sums = _flat(abs(rows).sum(axis=axes[0] if abs(ord) == 1 else axes[1]))
        return sums.max() if ord > 0 else sums.min()
    raise ValueError("Invalid norm order for matrices.")


def _of_vectors(sizes: Any, ord: Any, axis: int) -> ndarray:
    if ord == math.inf:
        return _flat(sizes.max(axis=axis))
    if ord == -math.inf:
        return _flat(sizes.min(axis=axis))
    if ord == 0:
        return _flat((sizes != 0).sum(axis=axis))
    if ord == 1:
        return _flat(sizes.sum(axis=axis))
    if ord in (2, None):
        return np.sqrt(_flat(sizes.power(2).sum(axis=axis)))
    try:
        ord + 1
    except TypeError as error:
        raise ValueError("Invalid norm order for vectors.") from error
    return np.power(_flat(sizes.power(ord).sum(axis=axis)), 1 / ord)


# --- estimates ---


def _signs(Y: ndarray) -> ndarray:
    sizes = np.abs(Y)
    return np.where(sizes == 0, 1, Y / np.where(sizes == 0, 1, sizes))


def _is_parallel(S: HostArray, other: HostArray) -> Any:
    """Which columns of signs are parallel to some column of other signs."""
    if other is None or other.shape[1] == 0:
        return numpy.zeros(S.shape[1], bool)
    return (numpy.abs(other.conj().T @ S) >= S.shape[0] * (1 - 1e-12)).any(axis=0)


def _unlike(S: HostArray, before: HostArray | None, draw: Any) -> HostArray:
    """Signs with columns drawn anew that say nothing new; none is tried for ever."""
    for i in range(S.shape[1]):
        for _ in range(10):
            seen = S[:, :i] if before is None else numpy.concatenate([S[:, :i], before], axis=1)
            if not _is_parallel(S[:, i : i + 1], seen)[0]:
                break
            S[:, i] = draw.integers(0, 2, S.shape[0]) * 2 - 1
    return S


@overload
def onenormest(
    A: object,
    t: int = 2,
    itmax: int = 5,
    compute_v: Literal[False] = False,
    compute_w: Literal[False] = False,
) -> float: ...
@overload
def onenormest(
    A: object, t: int = 2, itmax: int = 5, compute_v: bool = False, compute_w: bool = False
) -> float | tuple[Any, ...]: ...
def onenormest(
    A: object, t: int = 2, itmax: int = 5, compute_v: bool = False, compute_w: bool = False
) -> float | tuple[Any, ...]:
    """A lower bound of the 1-norm of an operator, hardly ever below the norm itself, of a few
    products with it and its adjoint.

    Parameters
    ----------
    A : matrix, dense or sparse, or LinearOperator
    t : int
        How many vectors are multiplied at once.
    itmax : int
        Products at most.
    compute_v, compute_w : bool
        Whether the vector v of norm 1 and w = A v, whose norm it is, are given, too.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import onenormest
    >>> onenormest(np.array([[1.0, -2.0], [3.0, 4.0]]))
    6.0
    """
    operator = aslinearoperator(A)
    if operator.shape[0] != operator.shape[1]:
        raise ValueError("expected the operator to act like a square matrix")
    n = operator.shape[1]
    device = dense_device(operator, None)
    if t >= n:
        dense = operator.matmat(np.eye(n, device=device))
        sums = np.abs(dense).sum(axis=0)
        best = int(np.argmax(sums))
        estimate, w = float(sums[best]), dense[:, best]
    else:
        estimate, best, w = _estimated(operator, t, itmax, device)
    v = np.zeros(n, device=device)
    v[best] = 1
    extra = [value for wanted, value in ((compute_v, v), (compute_w, w)) if wanted]
    return (estimate, *extra) if extra else estimate


def _estimated(
    A: LinearOperator, t: int, itmax: int, device: str | None
) -> tuple[float, int, ndarray]:
    """Higham and Tisseur's block algorithm."""
    if itmax < 2:
        raise ValueError("at least two iterations are required")
    if t < 1:
        raise ValueError("at least one column is required")
    n = A.shape[0]
    draw = numpy.random.default_rng()
    adjoint = A.H
    first = numpy.ones((n, t))
    first[:, 1:] = draw.integers(0, 2, (n, t - 1)) * 2 - 1
    X = np.asarray(_unlike(first, None, draw) / n, device=device)
    visited: list[int] = []
    places: list[int] = []
    estimate, best = 0.0, 0
    w = X[:, 0]
    before = None
    for step in range(1, itmax + 2):
        Y = A.matmat(X)
        sizes = np.abs(Y).sum(axis=0)._snapshot()
        column = int(sizes.argmax())
        if step >= 2 and sizes[column] <= estimate:
            if step == 2:
                best, w = places[column], Y[:, column]
            break
        if sizes[column] > estimate or step == 2:
            best, w = places[column] if step >= 2 else best, Y[:, column]
        estimate = float(sizes[column])
        if step > itmax:
            break
        S = _signs(Y)._snapshot()
        if before is not None and _is_parallel(S, before).all():
            break
        if t > 1:
            S = _unlike(S, before, draw)
        before = S
        heights = np.abs(adjoint.matmat(np.asarray(S, device=device))).max(axis=1)._snapshot()
        if step >= 2 and heights.max() == heights[best]:
            break
        order = numpy.argsort(heights)[::-1][: t + len(visited)].tolist()
        if t > 1 and all(i in visited for i in order[:t]):
            break
        places = ([i for i in order if i not in visited] + [i for i in order if i in visited])[:t]
        visited += [i for i in places if i not in visited]
        units = numpy.zeros((n, t))
        units[places, range(t)] = 1
        X = np.asarray(units, device=device)
    return estimate, best, w
