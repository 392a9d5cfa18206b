"""Sparse arrays of blocks, stacked or along a diagonal; random ones."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from math import prod
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy

import heddle as np
from heddle._typing import ArrayLike, DType, DTypeLike, ShapeLike
from heddle.scipy.sparse._base import as_sparse, issparse
from heddle.scipy.sparse._construct import is_array
from heddle.scipy.sparse._coo import coo_array, coo_matrix
from heddle.scipy.sparse._support import DENSE, get_index_dtype, upcast
from heddle.scipy.sparse._typing import MatrixLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase


def _grid(blocks: Any) -> list[list[Any]]:
    """Rows of blocks, all of one length."""
    try:
        rows = [list(row) for row in blocks]
    except TypeError as error:
        raise ValueError("blocks must be 2-D") from error
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("blocks must be 2-D")
    return rows


def _stacked(blocks: list[list[Any]], format: Any, dtype: Any, arrays: bool) -> SparseBase | None:
    """Compressed rows below each other, or columns side by side: their parts follow on each
    other. None for all other blocks."""
    which = "csc" if len(blocks) == 1 else "csr"
    given = blocks[0] if len(blocks) == 1 else [row[0] for row in blocks if len(row) == 1]
    if format not in (None, which) or len(given) != max(len(blocks), len(blocks[0])):
        return None
    found: list[Any] = [as_sparse(each) for each in given]
    if any(a is None or a.format != which or a.ndim != 2 for a in found):
        return None
    minor = found[0]._minor
    if any(a._minor != minor or a.nnz != a.data.shape[0] for a in found):
        return None
    parts = [a._parts() for a in found]
    total = sum(data.shape[0] for _, _, data in parts)
    count = sum(indptr.shape[0] - 1 for indptr, _, _ in parts)
    kind = get_index_dtype([part for each in parts for part in each[:2]], maxval=max(total, minor))
    dtype = upcast(*(a.dtype for a in found)) if dtype is None else dtype
    before, pointers = 0, [parts[0][0][:1].astype(kind)]
    for indptr, _, data in parts:
        pointers.append(indptr[1:].astype(kind) + before)
        before += data.shape[0]
    indices = np.concatenate([each.astype(kind, copy=False) for _, each, _ in parts])
    values = np.concatenate([each.astype(dtype, copy=False) for _, _, each in parts])
    made: Any = coo_array if arrays else coo_matrix
    shape = (minor, count) if which == "csc" else (count, minor)
    container = made((1, 1))._container(which)
    result: SparseBase = container._made(
        shape, indptr=np.concatenate(pointers), indices=indices, data=values
    )
    return result


def _block(blocks: list[list[Any]], format: Any, dtype: Any, arrays: bool) -> SparseBase:
    stacked = _stacked(blocks, format, dtype, arrays)
    if stacked is not None:
        return stacked
    found: dict[tuple[int, int], Any] = {}
    heights, widths = [0] * len(blocks), [0] * len(blocks[0])
    kinds = set()
    for i, row in enumerate(blocks):
        for j, given in enumerate(row):
            if given is None:
                continue
            kinds.add(getattr(as_sparse(given), "format", None))
            a = coo_array(given)
            found[i, j] = a
            m, n = a._shape_as_2d
            if heights[i] not in (0, m):
                raise ValueError(
                    f"blocks[{i},:] has incompatible row dimensions. "
                    f"Got blocks[{i},{j}].shape[0] == {m}, expected {heights[i]}."
                )
            if widths[j] not in (0, n):
                raise ValueError(
                    f"blocks[:,{j}] has incompatible column dimensions. "
                    f"Got blocks[{i},{j}].shape[1] == {n}, expected {widths[j]}."
                )
            heights[i], widths[j] = m, n
    shape = (sum(heights), sum(widths))
    made = coo_array if arrays else coo_matrix
    if format is None and len(kinds) == 1 and len(found) == len(blocks) * len(blocks[0]):
        format = next(iter(kinds)) if kinds <= {"csr", "csc"} else None
    if not found:
        return made(shape, dtype=dtype).asformat(format)
    if dtype is None:
        dtype = upcast(*(a.dtype for a in found.values()))
    kind = get_index_dtype([a.coords[0] for a in found.values()], maxval=max(shape))
    rows, columns, data = [], [], []
    for (i, j), a in found.items():
        rows.append(a.row.astype(kind) + sum(heights[:i]))
        columns.append(a.col.astype(kind) + sum(widths[:j]))
        data.append(a.data.astype(dtype))
    coords = (np.concatenate(rows), np.concatenate(columns))
    result = made._made(shape, coords=coords, data=np.concatenate(data), has_canonical_format=False)
    return result.asformat(format)


def bmat(blocks: object, format: object = None, dtype: DTypeLike | None = None) -> SparseBase:
    """A sparse matrix of blocks, an array if one of them is; None is a block of zeros.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.bmat([[[[1, 2]], None], [None, [[3]]]]).toarray()
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    rows = _grid(blocks)
    return _block(rows, format, dtype, any(is_array(b) for row in rows for b in row))


def block_array(
    blocks: object, *, format: object = None, dtype: DTypeLike | None = None
) -> SparseBase:
    """A sparse array of blocks; None is a block of zeros.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> a = sparse.coo_array([[1, 2]])
    >>> sparse.block_array([[a, None], [None, a]]).toarray()
    array([[1, 2, 0, 0],
           [0, 0, 1, 2]])
    """
    return _block(_grid(blocks), format, dtype, True)


def hstack(
    blocks: Iterable[MatrixLike], format: object = None, dtype: DTypeLike | None = None
) -> SparseBase:
    """Blocks beside one another.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.hstack([sparse.eye_array(2), sparse.csr_array([[5], [6]])]).toarray()
    array([[1., 0., 5.],
           [0., 1., 6.]])
    """
    return bmat([list(blocks)], format, dtype)


def vstack(
    blocks: Iterable[MatrixLike], format: str | None = None, dtype: DType | None = None
) -> SparseBase:
    """Blocks above one another.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.vstack([sparse.csr_array([[1, 2]]), sparse.csr_array([[3, 4]])]).toarray()
    array([[1, 2],
           [3, 4]])
    """
    return bmat([[block] for block in blocks], format, dtype)


def block_diag(
    mats: Iterable[MatrixLike], format: str | None = None, dtype: DTypeLike | None = None
) -> SparseBase:
    """Blocks along a diagonal.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.block_diag([[[1, 2]], 3]).toarray()
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    mats = list(mats)
    made = coo_array if any(is_array(a) for a in mats) else coo_matrix
    rows, columns, data, wide = [], [], [], []
    m = n = 0
    given: Any
    for given in mats:
        a = as_sparse(given)
        if a is None and isinstance(given, (list, numbers.Number)):
            a = coo_array(np.atleast_2d(np.asarray(given)))
        if a is not None:
            a = a.tocoo()
            height, width = a._shape_as_2d
            if a.coords[0].dtype == numpy.int64:
                wide.append(a.coords[0])
            i, j, values = a.row, a.col, a.data
        else:
            dense = given if isinstance(given, DENSE) else np.asarray(given)
            height, width = dense.shape
            values = np.asarray(dense).ravel()
            steps = np.arange(height * width, device=values.device)
            i, j = steps // max(width, 1), steps % max(width, 1)
        rows.append(i.astype(numpy.int64) + m)
        columns.append(j.astype(numpy.int64) + n)
        data.append(values)
        m, n = m + height, n + width
    kind = get_index_dtype(wide, maxval=max(m, n))
    coords = tuple(np.concatenate(c).astype(kind) for c in (rows, columns))
    return made((np.concatenate(data), coords), shape=(m, n), dtype=dtype).asformat(format)


# --- random ---


def _generator(rng: Any, random_state: object) -> Any:
    """A generator of NumPy's, or of ours; an old `random_state` is one of the old kind."""
    if random_state is not None:
        if rng is not None:
            raise TypeError("got both `rng` and `random_state`; give only one of them")
        if isinstance(random_state, (int, numpy.integer)):
            return numpy.random.RandomState(random_state)
        return random_state
    return rng if hasattr(rng, "uniform") else numpy.random.default_rng(rng)


def _sampled(shape: Any, density: float, dtype: DTypeLike | None, rng: Any, sampler: Any) -> Any:
    if density < 0 or density > 1:
        raise ValueError("density expected to be 0 <= density <= 1")
    shape = tuple(int(n) for n in shape)
    total = prod(shape)
    size = round(density * total)
    kind = numpy.dtype(float if dtype is None else dtype)
    index = get_index_dtype(maxval=max(shape))
    if total > numpy.iinfo(numpy.int64).max:
        seen: set[tuple[int, ...]] = set()
        draw = rng.integers if hasattr(rng, "integers") else rng.randint
        while len(seen) < size:
            more = draw(0, shape, size=(size - len(seen), len(shape)))
            seen.update(map(tuple, np.asarray(more).tolist()))
        coords = tuple(np.asarray(list(c), dtype=index) for c in zip(*seen, strict=True))
    else:
        places = np.asarray(rng.choice(total, size=size, replace=False))
        firsts = []
        for n in shape[:-1]:
            firsts.append((places % max(n, 1)).astype(index))
            places = places // max(n, 1)
        coords = (*firsts, places.astype(index))
    if sampler is not None:
        values = sampler(size=size)
    elif kind.kind in "iu":
        info = numpy.iinfo(kind)
        draw = rng.integers if hasattr(rng, "integers") else rng.randint
        values = draw(info.min, info.max, size, dtype=kind)
    elif kind.kind == "c":
        values = rng.uniform(size=size) + rng.uniform(size=size) * 1j
    else:
        values = rng.uniform(size=size)
    return np.asarray(values).astype(kind), coords


def random_array(
    shape: ShapeLike,
    *,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: object = None,
    data_sampler: object = None,
    random_state: object = None,
) -> SparseBase:
    """A sparse array of random numbers at random places, as many as `density` says.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.random_array((10, 10), density=0.25, rng=1).nnz
    25
    """
    data, coords = _sampled(shape, density, dtype, _generator(rng, random_state), data_sampler)
    return coo_array((data, coords), shape=shape).asformat(format)


def random(
    m: int,
    n: SupportsIndex,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: object = None,
    data_rvs: Callable[[int], ArrayLike] | None = None,
    *,
    random_state: object = None,
) -> SparseBase:
    """A sparse matrix of random numbers at random places, as many as `density` says.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.random(10, 10, density=0.25, rng=1, format="csr").nnz
    25
    """
    n = m if n is None else n
    sampler = None if data_rvs is None else lambda size: data_rvs(size)
    data, coords = _sampled((m, n), density, dtype, _generator(rng, random_state), sampler)
    return coo_matrix((data, coords), shape=(int(m), int(n))).asformat(format)


def rand(
    m: int,
    n: int,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: object = None,
    *,
    random_state: object = None,
) -> SparseBase:
    """A sparse matrix of random numbers between 0 and 1 at random places.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.rand(4, 4, density=0.5, rng=1).nnz
    8
    """
    return random(m, n, density, format, dtype, rng, random_state=random_state)


# --- parts ---


def find(A: MatrixLike) -> tuple[Any, Any, Any]:
    """Rows, columns and values of the elements that are not zero.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.find(sparse.csr_array([[7, 0], [0, 9]]))
    (array([0, 1], dtype=int32), array([0, 1], dtype=int32), array([7, 9]))
    """
    a = coo_array(A, copy=True)
    a.sum_duplicates()
    places = np.flatnonzero(a.data)
    return a.row[places], a.col[places], a.data[places]


def _part(A: Any, kept: Callable[..., Any], format: str | None) -> SparseBase:
    made = coo_array if is_array(A) else coo_matrix
    a = A.tocoo() if issparse(A) else made(A)
    a = made(a)
    places = np.flatnonzero(kept(a.row, a.col))
    result = made._made(
        a.shape,
        coords=(a.row[places], a.col[places]),
        data=a.data[places],
        has_canonical_format=a.has_canonical_format,
    )
    return result.asformat(format)


def tril(A: object, k: int = 0, format: str | None = None) -> SparseBase:
    """The elements on and below a diagonal.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.tril(sparse.csr_array([[1, 2], [3, 4]])).toarray()
    array([[1, 0],
           [3, 4]])
    """
    return _part(A, lambda row, col: row + k >= col, format)


def triu(A: MatrixLike, k: int = 0, format: str | None = None) -> SparseBase:
    """The elements on and above a diagonal.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.triu(sparse.csr_array([[1, 2], [3, 4]])).toarray()
    array([[1, 2],
           [0, 4]])
    """
    return _part(A, lambda row, col: row + k <= col, format)
