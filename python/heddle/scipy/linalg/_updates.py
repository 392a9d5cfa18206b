"""Factors of matrices that change a little, and sketches of large ones.

LAPACK has no routines that change factors, and a device factors a matrix in less time than it turns
single rows: so the product is formed, changed and factored again.
"""

from __future__ import annotations

from typing import Any, overload

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike, Seed
from heddle.scipy._generic import host_generator, there
from heddle.scipy.linalg._arguments import (
    adjoint,
    columns,
    finfo,
    over_batch,
    validated,
)
from heddle.scipy.linalg._factors import qr
from heddle.scipy.sparse._base import SparseBase, as_sparse
from heddle.scipy.sparse._typing import MatrixLike


def _factors(
    Q: ArrayLike, R: ArrayLike, check_finite: bool, *others: object
) -> tuple[list[ndarray], bool]:
    """The factors and what comes with them, of one type; and whether they are the short form."""
    given = [validated(each, check_finite) for each in (Q, R, *others)]
    q, r = given[:2]
    if q.dtype.char not in "fdFD" or r.dtype != q.dtype:
        raise ValueError("Q and R must have the same dtype, one of float32 to complex128")
    if any(each.dtype != q.dtype for each in given):
        raise ValueError("u and v must have the same type as Q and R")
    if q.ndim != 2 or r.ndim != 2:
        raise ValueError("Q and R must be 2-D")
    rows, short = q.shape[0], q.shape[0] != q.shape[1]
    if q.shape[1] != r.shape[0] or (short and r.shape[0] != r.shape[1]):
        raise ValueError("Q and R do not have compatible shapes")
    if rows == 0 or r.shape[1] == 0:
        raise ValueError("Q and R must not be empty")
    return given, short


def _again(a: ndarray, short: bool) -> tuple[ndarray, ndarray]:
    q, r = qr(a, mode="economic" if short else "full", check_finite=False)
    return q, r


def _place(k: int, count: int) -> int:
    """An index of a row or column, that may be counted from the end."""
    place = int(k)
    if not -count <= place < count:
        raise ValueError(f"k={k} is out of range for {count} rows or columns")
    return place % count


def _axis_of(which: str) -> int:
    if which not in ("row", "col"):
        raise ValueError("which must be either 'row' or 'col'")
    return 0 if which == "row" else 1


@over_batch(Q=2, R=2, u="1|2", v="1|2")
def qr_update(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    v: ArrayLike,
    overwrite_qruv: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]:
    """The factors of ``Q @ R + u @ v^H``.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> q, r = linalg.qr_update(np.eye(2), np.eye(2), [1.0, 0.0], [0.0, 3.0])
    >>> bool(np.allclose(q @ r, [[1.0, 3.0], [0.0, 1.0]]))
    True
    """
    (q, r, left, right), short = _factors(Q, R, check_finite, u, v)
    if left.ndim != right.ndim or left.ndim not in (1, 2):
        raise ValueError("u and v must have the same number of dimensions")
    left, right = columns(left)[0], columns(right)[0]
    if left.shape[0] != q.shape[0] or right.shape[0] != r.shape[1]:
        raise ValueError("u and v do not have shapes that fit Q and R")
    if left.shape[1] != right.shape[1]:
        raise ValueError("Second dimension of u and v must be the same")
    return _again(q @ r + left @ adjoint(right), short)


@over_batch(Q=2, R=2, k=0)
def qr_delete(
    Q: ArrayLike,
    R: ArrayLike,
    k: int,
    p: int = 1,
    which: str = "row",
    overwrite_qr: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]:
    """The factors of ``Q @ R`` without `p` rows or columns, from `k` on.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> q, r = linalg.qr(np.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> q, r = linalg.qr_delete(q, r, 1)
    >>> (q @ r).round(9)
    array([[1., 2.],
           [5., 6.]])
    """
    axis = _axis_of(which)
    (q, r), short = _factors(Q, R, check_finite)
    count = q.shape[0] if axis == 0 else r.shape[1]
    first = _place(k, count)
    if p <= 0 or first + p > count:
        raise ValueError(f"p={p} is out of range: there are {count - first} from k={k} on")
    left = count - p
    if left == 0 and axis == 0:
        return q[:0, :0], r[:0]
    whole = q @ r
    before = whole[:first] if axis == 0 else whole[:, :first]
    after = whole[first + p :] if axis == 0 else whole[:, first + p :]
    return _again(np.concatenate([before, after], axis=axis), short)


@over_batch(Q=2, R=2, u="1|2", k=0)
def qr_insert(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    k: int,
    which: str = "row",
    rcond: float | None = None,
    overwrite_qru: bool = False,
    check_finite: bool = True,
) -> tuple[ndarray, ndarray]:
    """The factors of ``Q @ R`` with rows or columns `u` more, before `k`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> q, r = linalg.qr_insert(np.eye(2), np.eye(2), [3.0, 4.0], 1)
    >>> bool(np.allclose(q @ r, [[1.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    True
    """
    axis = _axis_of(which)
    (q, r, more), short = _factors(Q, R, check_finite, u)
    if more.ndim not in (1, 2):
        raise ValueError("u must be 1-D or 2-D")
    if more.ndim == 1:
        more = more[None, :] if axis == 0 else more[:, None]
    rows, width = q.shape[0], r.shape[1]
    if more.shape[1 - axis] != (width if axis == 0 else rows):
        raise ValueError("u does not have a shape that fits Q and R")
    at = _place(k, (rows if axis == 0 else width) + 1)
    if axis == 1 and short:
        _check_outside(q, more, rcond)
    whole = q @ r
    before = whole[:at] if axis == 0 else whole[:, :at]
    after = whole[at:] if axis == 0 else whole[:, at:]
    return _again(np.concatenate([before, more, after], axis=axis), short)


def _check_outside(q: ndarray, u: ndarray, rcond: float | None) -> None:
    """Refuses columns that lie in the span of q: they bring no direction that is new."""
    inside = adjoint(q) @ u
    rest = u - q @ inside
    rest = rest - q @ (adjoint(q) @ rest)
    size = np.linalg.norm(u, axis=0)
    along, across = np.linalg.norm(inside, axis=0) / size, np.linalg.norm(rest, axis=0) / size
    least = finfo(q).eps if rcond is None else rcond
    if bool(np.any(across / (1 + along) < least)):
        raise LinAlgError("One of the columns of u lies in the span of Q.")


@overload
def clarkson_woodruff_transform(
    input_matrix: SparseBase, sketch_size: int, rng: Seed = None, *, seed: Seed = None
) -> SparseBase: ...
@overload
def clarkson_woodruff_transform(
    input_matrix: ArrayLike, sketch_size: int, rng: Seed = None, *, seed: Seed = None
) -> ndarray: ...
def clarkson_woodruff_transform(
    input_matrix: MatrixLike, sketch_size: int, rng: Seed = None, *, seed: Seed = None
) -> Any:
    """A matrix of fewer rows that maps vectors to about the same lengths, likely.

    Each row is added to one of the rows of the sketch, with a sign; both are drawn by NumPy, as
    SciPy does. The sketch of a sparse matrix is sparse.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> linalg.clarkson_woodruff_transform(np.ones((100, 3)), 20, rng=1).shape
    (20, 3)
    """
    if rng is not None and seed is not None:
        raise TypeError("clarkson_woodruff_transform() got multiple values for argument 'rng'")
    sparse: Any = as_sparse(input_matrix)  # None where it is not
    if sparse is not None and sparse.ndim > 2:
        raise NotImplementedError("Batch support for sparse arrays is not available.")
    given = validated(input_matrix, False) if sparse is None else sparse
    if given.ndim > 2:  # each matrix of a stack
        given = np.swapaxes(given, 0, -2)
    count = given.shape[0]
    draw: Any
    if seed is None:
        draw = host_generator(rng)
        rows = draw.integers(0, sketch_size, count)
    else:
        older = numpy.random.RandomState
        old: Any = there(seed)
        draw = old if isinstance(old, (older, numpy.random.Generator)) else older(old)
        draws = draw.randint if isinstance(draw, older) else draw.integers
        rows = draws(0, sketch_size, count)
    signs = draw.choice([1, -1], count)
    if sparse is not None:
        from heddle.scipy.sparse import csc_matrix

        entries = (np.asarray(signs, device=sparse.device), rows, numpy.arange(count + 1))
        return csc_matrix(entries, shape=(sketch_size, count)) @ sparse
    dtype = numpy.result_type(given.dtype, signs.dtype)
    made = np.zeros((sketch_size, *given.shape[1:]), dtype, device=given.device)
    turned = given.T * np.asarray(signs, device=given.device)
    np.add.at(made, np.asarray(rows, device=given.device), turned.T)
    return np.swapaxes(made, 0, -2) if made.ndim > 2 else made
