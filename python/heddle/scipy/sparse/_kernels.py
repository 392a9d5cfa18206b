"""What compressed rows are computed by: conversions, sums of duplicates, merges, products.

A matrix is three arrays here, `indptr`, `indices` and `data`; compressed columns are rows of the
transposed matrix. What is one pass over rows on a CPU is a function of `njit`; other devices sort,
search and scan. Products with dense arrays are in `_dense_products.py`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy

import heddle as np
from heddle._compiled.functions import njit, prange
from heddle._core import ndarray
from heddle._typing import DType, KernelArray
from heddle.scipy.sparse import _passes, _products
from heddle.scipy.sparse._passes import Rows

if TYPE_CHECKING:
    from heddle._compiled.functions import Function

_PIECES = 8  # into which rows are cut for the cores


# --- conversions ---


@njit
def _count(rows: KernelArray, indptr: KernelArray) -> None:
    for k in range(rows.size):
        indptr[rows[k] + 1] += 1
    for i in range(1, indptr.size):
        indptr[i] += indptr[i - 1]


def pointers(rows: ndarray, count: int, dtype: DType) -> ndarray:
    """Where each of `count` rows begins in elements that are sorted by rows, and the end."""
    if rows._on_host:
        indptr = np.zeros(count + 1, dtype)
        _count(rows, indptr)
        return indptr
    zero = np.zeros(1, dtype, device=rows.device)
    counts = np.bincount(rows, minlength=count)[:count]  # rows that are not there go
    return np.concatenate([zero, counts.cumsum().astype(dtype)])


@njit
def _expand(indptr: KernelArray, rows: KernelArray) -> None:
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            rows[k] = i


def expanded(indptr: ndarray, nnz: int) -> ndarray:
    """The row of each element."""
    if indptr._on_host:
        rows = np.empty(nnz, indptr.dtype)
        _expand(indptr, rows)
        return rows
    places = np.arange(nnz, dtype=indptr.dtype, device=indptr.device)
    return (np.searchsorted(indptr, places, side="right") - 1).astype(indptr.dtype)


@njit
def _place(
    rows: KernelArray,
    columns: KernelArray,
    data: KernelArray,
    begins: KernelArray,
    indices: KernelArray,
    values: KernelArray,
) -> None:
    for k in range(rows.size):
        i = rows[k]
        place = begins[i]
        indices[place] = columns[k]
        values[place] = data[k]
        begins[i] = place + 1


def by_rows(rows: ndarray, columns: ndarray, data: ndarray, count: int) -> Rows:
    """Elements sorted by rows; those of a row stay in their order."""
    indptr = pointers(rows, count, rows.dtype)
    if rows._on_host and columns._on_host and data._on_host:
        indices, values = np.empty_like(columns), np.empty_like(data)
        _place(rows, columns, data, indptr[:-1].copy(), indices, values)
        return indptr, indices, values
    order = np.argsort(rows, kind="stable")
    return indptr, columns[order], data[order]


@njit
def _turn(
    indptr: KernelArray,
    indices: KernelArray,
    data: KernelArray,
    begins: KernelArray,
    rows: KernelArray,
    values: KernelArray,
) -> None:
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            place = begins[j]
            rows[place] = i
            values[place] = data[k]
            begins[j] = place + 1


def transposed(indptr: ndarray, indices: ndarray, data: ndarray, columns: int) -> Rows:
    """The rows of the transposed matrix, each sorted."""
    if not (indptr._on_host and indices._on_host and data._on_host):
        return by_rows(indices, expanded(indptr, data.shape[0]), data, columns)
    begins = pointers(indices, columns, indptr.dtype)
    rows, values = np.empty_like(indices), np.empty_like(data)
    _turn(indptr, indices, data, begins[:-1].copy(), rows, values)
    return begins, rows, values


@njit
def _rows_of_diagonals(
    data: KernelArray,
    offsets: KernelArray,
    order: KernelArray,
    columns: int,
    indptr: KernelArray,
    indices: KernelArray,
    values: KernelArray,
) -> int:
    count = 0
    for i in range(indptr.size - 1):
        for place in range(order.size):
            d = order[place]
            j = i + offsets[d]
            if 0 <= j < columns:
                value = data[d, j]
                if value != 0:
                    indices[count] = j
                    values[count] = value
                    count += 1
        indptr[i + 1] = count
    return count


def rows_of_diagonals(data: ndarray, offsets: ndarray, shape: tuple[int, ...], kind: DType) -> Rows:
    """Sorted rows of what is not zero on diagonals, whose data have the host's memory."""
    m, n = shape
    columns = min(n, data.shape[1])
    indptr = np.zeros(m + 1, kind)
    most = min(data.shape[0] * columns, data.shape[0] * m)
    indices, values = np.empty(most, kind), np.empty(most, data.dtype)
    order = np.argsort(offsets)
    count = _rows_of_diagonals(data, offsets, order, columns, indptr, indices, values)
    return indptr, indices[:count], values[:count]


@njit
def _diagonal(
    indptr: KernelArray, indices: KernelArray, data: KernelArray, k: int, values: KernelArray
) -> None:
    first = max(-k, 0)
    for place in range(values.size):
        i = first + place
        total = values[place]
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] == i + k:
                total += data[e]
        values[place] = total


def diagonal(rows: Rows, k: int, length: int) -> ndarray:
    """The elements k places behind those of the main diagonal, of rows in the host's memory."""
    indptr, indices, data = rows
    values = np.zeros(length, data.dtype)
    _diagonal(indptr, indices, data, k, values)
    return values


# --- order and duplicates ---


@njit
def _order(indptr: KernelArray, indices: KernelArray) -> int:
    canonical = True
    for i in range(indptr.size - 1):
        for k in range(indptr[i] + 1, indptr[i + 1]):
            if indices[k] <= indices[k - 1]:
                canonical = False
                if indices[k] < indices[k - 1]:
                    return 0
    return 2 if canonical else 1


def order(indptr: ndarray, indices: ndarray) -> int:
    """2: rows are sorted and without duplicates; 1: sorted; 0: not."""
    if indptr._on_host and indices._on_host:
        return int(_order(indptr, indices))
    if indices.shape[0] < 2:
        return 2
    first = np.zeros(indices.shape[0] + 1, bool, device=indices.device)
    first[indptr] = True
    inside = ~first[1:-1]
    less = (inside & (indices[1:] < indices[:-1])).any()
    equal = (inside & (indices[1:] == indices[:-1])).any()
    less, equal = np.stack([less, equal]).tolist()
    return 0 if less else 1 if equal else 2


def sorted_rows(indptr: ndarray, indices: ndarray, data: ndarray, columns: int) -> Rows:
    """Rows sorted by columns; duplicates stay in their order."""
    if indptr._on_host and indices._on_host and data._on_host:
        found = _passes.sorted_if_short(indptr, indices, data)
        if found is not None:
            return found
        return transposed(*transposed(indptr, indices, data, columns), indptr.shape[0] - 1)
    by = np.lexsort((indices, expanded(indptr, data.shape[0])))
    return indptr, indices[by], data[by]


def first_of_each(indptr: ndarray, indices: ndarray) -> ndarray:
    """Whether an element is the first of its row, or of its column in a sorted row."""
    if not indices.shape[0]:
        return np.zeros(0, bool, device=indices.device)
    first = np.zeros(indices.shape[0] + 1, bool, device=indices.device)
    first[indptr] = True
    first[1:-1] |= indices[1:] != indices[:-1]
    first[0] = True
    return first[:-1]


def summed(indptr: ndarray, indices: ndarray, data: ndarray) -> Rows:
    """Duplicates of sorted rows become their sum."""
    if data.dtype != bool and indptr._on_host and indices._on_host and data._on_host:
        return _passes.without_duplicates(indptr, indices, data)
    first = first_of_each(indptr, indices)
    starts = np.flatnonzero(first)
    if starts.shape[0] == data.shape[0]:
        return indptr, indices, data
    return shifted(indptr, first), indices[starts], sums_from(data, starts)


def sums_from(data: ndarray, starts: ndarray) -> ndarray:
    """Sums of runs of elements that begin at `starts`, in the type of the data."""
    if not starts.shape[0]:
        return data[:0]
    if data.dtype == bool:
        return np.logical_or.reduceat(data, starts)
    return np.add.reduceat(data, starts, dtype=data.dtype)


def shifted(indptr: ndarray, kept: ndarray) -> ndarray:
    """Where rows begin when only `kept` elements stay."""
    zero = np.zeros(1, indptr.dtype, device=indptr.device)
    return np.concatenate([zero, kept.cumsum().astype(indptr.dtype)])[indptr]


def selected(indptr: ndarray, indices: ndarray, data: ndarray, kept: ndarray) -> Rows:
    """Elements that are kept, all of them if none is dropped."""
    places = np.flatnonzero(kept)
    if places.shape[0] == data.shape[0]:
        return indptr, indices, data
    return shifted(indptr, kept), indices[places], data[places]


# --- two matrices ---


@njit
def _union_sizes(
    ap: KernelArray, aj: KernelArray, bp: KernelArray, bj: KernelArray, sizes: KernelArray
) -> None:
    for i in prange(ap.size - 1):
        a = ap[i]
        b = bp[i]
        a_end = ap[i + 1]
        b_end = bp[i + 1]
        count = (a_end - a) + (b_end - b)
        while a < a_end and b < b_end:
            x = aj[a]
            y = bj[b]
            if x == y:
                count -= 1
            if x <= y:
                a += 1
            if y <= x:
                b += 1
        sizes[i + 1] = count


@njit
def _union(
    ap: KernelArray,
    aj: KernelArray,
    bp: KernelArray,
    bj: KernelArray,
    cp: KernelArray,
    cj: KernelArray,
    first: KernelArray,
    second: KernelArray,
) -> None:
    no_a = aj.size
    no_b = bj.size
    for i in prange(ap.size - 1):
        a = ap[i]
        b = bp[i]
        a_end = ap[i + 1]
        b_end = bp[i + 1]
        c = cp[i]
        while a < a_end or b < b_end:
            take_a = a < a_end and (b >= b_end or aj[a] <= bj[b])
            take_b = b < b_end and (a >= a_end or bj[b] <= aj[a])
            if take_a:
                cj[c] = aj[a]
                first[c] = a
                a += 1
            else:
                first[c] = no_a
            if take_b:
                cj[c] = bj[b]
                second[c] = b
                b += 1
            else:
                second[c] = no_b
            c += 1


def union(
    ap: ndarray, aj: ndarray, bp: ndarray, bj: ndarray, columns: int
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Elements of either matrix, both canonical: indptr, indices, and places in both.

    Where a matrix has no such element, its place is one behind its last.
    """
    dtype = ap.dtype
    if ap._on_host and bp._on_host:
        cp = np.zeros(ap.shape[0], dtype)
        _union_sizes(ap, aj, bp, bj, cp)
        cp = cp.cumsum(dtype=dtype)
        total = int(cp[-1])
        cj, first, second = (np.empty(total, dtype) for _ in range(3))
        _union(ap, aj, bp, bj, cp, cj, first, second)
        return cp, cj, first, second
    keys = np.concatenate([keys_of(ap, aj, columns), keys_of(bp, bj, columns)])
    by = np.argsort(keys, kind="stable")
    keys = keys[by]
    new = np.ones(keys.shape, bool, device=keys.device)
    new[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(new)
    place = new.cumsum() - 1
    na, nb = aj.shape[0], bj.shape[0]
    first = np.full(starts.shape[0], na, dtype, device=ap.device)
    second = np.full(starts.shape[0], nb, dtype, device=ap.device)
    to = np.empty(na + nb, place.dtype, device=ap.device)
    to[by] = place
    first[to[:na]] = np.arange(na, dtype=dtype, device=ap.device)
    second[to[na:]] = np.arange(nb, dtype=dtype, device=ap.device)
    kept = keys[starts]
    rows, cj = kept // max(columns, 1), kept % max(columns, 1)
    return pointers(rows, ap.shape[0] - 1, dtype), cj.astype(dtype), first, second


@functools.cache
def _combine(how: int) -> Function:
    """Sums (0), differences (1) or products (2) of elements, of pieces of the rows."""

    @njit
    def run(
        ap: KernelArray,
        aj: KernelArray,
        ax: KernelArray,
        bp: KernelArray,
        bj: KernelArray,
        bx: KernelArray,
        pieces: int,
        cp: KernelArray,
        cj: KernelArray,
        cx: KernelArray,
        sizes: KernelArray,
    ) -> None:
        n = ap.size - 1
        cp[0] = 0
        for piece in prange(pieces):
            first = n * piece // pieces
            begin = ap[first] + bp[first]
            c = begin
            for i in range(first, n * (piece + 1) // pieces):
                a = ap[i]
                b = bp[i]
                a_end = ap[i + 1]
                b_end = bp[i + 1]
                while a < a_end and b < b_end:
                    column = aj[a]
                    other = bj[b]
                    if column == other:
                        x = ax[a]
                        y = bx[b]
                        value = x * y if how == 2 else (x - y if how == 1 else x + y)
                        a += 1
                        b += 1
                    elif column < other:
                        value = ax[a] * 0 if how == 2 else ax[a]
                        a += 1
                    else:
                        column = other
                        y = bx[b]
                        value = y * 0 if how == 2 else (-y if how == 1 else y)
                        b += 1
                    if value != 0:
                        cj[c] = column
                        cx[c] = value
                        c += 1
                for k in range(a, a_end):
                    value = ax[k] * 0 if how == 2 else ax[k]
                    if value != 0:
                        cj[c] = aj[k]
                        cx[c] = value
                        c += 1
                for k in range(b, b_end):
                    value = bx[k] * 0 if how == 2 else (-bx[k] if how == 1 else bx[k])
                    if value != 0:
                        cj[c] = bj[k]
                        cx[c] = value
                        c += 1
                cp[i + 1] = c - begin
            sizes[piece] = c - begin

    return run


@njit
def _close_up(
    ap: KernelArray,
    bp: KernelArray,
    sizes: KernelArray,
    cp: KernelArray,
    cj: KernelArray,
    cx: KernelArray,
    to_j: KernelArray,
    to_x: KernelArray,
) -> None:
    n = ap.size - 1
    pieces = sizes.size
    for piece in prange(pieces):
        before = 0
        for p in range(piece):
            before += sizes[p]
        first = n * piece // pieces
        begin = ap[first] + bp[first]
        for i in range(first, n * (piece + 1) // pieces):
            cp[i + 1] += before
        for k in range(sizes[piece]):
            to_j[before + k] = cj[begin + k]
            to_x[before + k] = cx[begin + k]


_COMBINED = {"add": 0, "subtract": 1, "multiply": 2}


def _pieces_of(rows: int, elements: int) -> int:
    """Into how many pieces rows are cut for the cores."""
    return max(1, min(_PIECES, rows // 64, elements // 8192))


def combined(a: Rows, b: Rows, name: str) -> Rows | None:
    """Sums, differences or products of elements of canonical matrices of one type, without zeros.

    In one pass, on the host; None for others.
    """
    (ap, aj, ax), (bp, bj, bx) = a, b
    if name not in _COMBINED or not (ap._on_host and bp._on_host and ax._on_host and bx._on_host):
        return None
    if ax.dtype.kind == "b":
        return None
    most = ax.shape[0] + bx.shape[0]
    pieces = _pieces_of(ap.shape[0] - 1, most)
    cj, cx = np.empty(most, aj.dtype, device="cpu"), np.empty(most, ax.dtype, device="cpu")
    cp = np.empty(ap.shape[0], ap.dtype, device="cpu")
    sizes = np.empty(pieces, numpy.int64, device="cpu")
    _combine(_COMBINED[name])(ap, aj, ax, bp, bj, bx, pieces, cp, cj, cx, sizes)
    total = int(cp[-1]) if pieces == 1 else int(sizes.sum())
    if pieces == 1:
        cj, cx = cj[:total], cx[:total]
        return (cp, cj, cx) if 2 * total > most else (cp, cj.copy(), cx.copy())
    to_j, to_x = np.empty(total, aj.dtype, device="cpu"), np.empty(total, ax.dtype, device="cpu")
    _close_up(ap, bp, sizes, cp, cj, cx, to_j, to_x)
    return cp, to_j, to_x


def keys_of(indptr: ndarray, indices: ndarray, columns: int) -> ndarray:
    """One number for each element, in the order of rows, then of columns."""
    rows = expanded(indptr, indices.shape[0]).astype(numpy.int64)
    return rows * max(columns, 1) + indices


@njit
def _product_sizes(
    ap: KernelArray,
    aj: KernelArray,
    bp: KernelArray,
    bj: KernelArray,
    columns: int,
    pieces: int,
    sizes: KernelArray,
) -> None:
    n = ap.size - 1
    for piece in prange(pieces):
        seen = np.full(columns, -1, ap.dtype)
        for i in range(n * piece // pieces, n * (piece + 1) // pieces):
            count = 0
            for k in range(ap[i], ap[i + 1]):
                j = aj[k]
                for l in range(bp[j], bp[j + 1]):
                    c = bj[l]
                    if seen[c] != i:
                        seen[c] = i
                        count += 1
            sizes[i + 1] = count


@njit
def _product(
    ap: KernelArray,
    aj: KernelArray,
    ax: KernelArray,
    bp: KernelArray,
    bj: KernelArray,
    bx: KernelArray,
    columns: int,
    pieces: int,
    cp: KernelArray,
    cj: KernelArray,
    cx: KernelArray,
) -> None:
    n = ap.size - 1
    for piece in prange(pieces):
        place = np.full(columns, -1, cp.dtype)
        for i in range(n * piece // pieces, n * (piece + 1) // pieces):
            begin = cp[i]
            end = begin
            for k in range(ap[i], ap[i + 1]):
                j = aj[k]
                value = ax[k]
                for l in range(bp[j], bp[j + 1]):
                    c = bj[l]
                    p = place[c]
                    if p < begin:
                        place[c] = end
                        cj[end] = c
                        cx[end] = value * bx[l]
                        end += 1
                    else:
                        cx[p] += value * bx[l]


def product(a: Rows, b: Rows, columns: int) -> tuple[Rows, bool]:
    """The product of two matrices of one type, and whether its rows are sorted."""
    (ap, aj, ax), (bp, bj, bx) = a, b
    dtype = ap.dtype
    if ap._on_host and bp._on_host and ax._on_host and bx._on_host:
        n = ap.shape[0] - 1
        pieces = max(1, min(_PIECES, n // 64))
        cp = np.zeros(n + 1, numpy.int64)
        _product_sizes(ap, aj, bp, bj, columns, pieces, cp)
        cp = cp.cumsum()
        total = int(cp[-1])
        if total <= numpy.iinfo(dtype).max:
            cp = cp.astype(dtype)
        cj, cx = np.empty(total, cp.dtype), np.empty(total, ax.dtype)
        _product(ap, aj, ax, bp, bj, bx, columns, pieces, cp, cj, cx)
        return selected(cp, cj, cx, cx != 0), False
    if ax.dtype.kind in "fiu" and ax.dtype.itemsize >= 4:
        return _products.by_tables(a, b, columns), False
    lengths = (bp[1:] - bp[:-1])[aj].astype(numpy.int64)
    ends = lengths.cumsum()
    total = int(ends[-1]) if ends.shape[0] else 0
    if not total:
        none = np.zeros(0, dtype, device=ap.device)
        return (np.zeros_like(ap), none, ax[:0]), True
    places = np.arange(total, device=ap.device)
    element = np.searchsorted(ends, places, side="right")
    other = bp[aj][element] + (places - (ends - lengths)[element])
    rows = expanded(ap, aj.shape[0])[element].astype(numpy.int64)
    keys = rows * max(columns, 1) + bj[other]
    values = ax[element] * bx[other]
    by = np.argsort(keys, kind="stable")
    keys = keys[by]
    new = np.ones(total, bool, device=ap.device)
    new[1:] = keys[1:] != keys[:-1]
    starts = np.flatnonzero(new)
    found, cx = keys[starts], sums_from(values[by], starts)
    rows, cj = found // max(columns, 1), found % max(columns, 1)
    cp = pointers(rows, ap.shape[0] - 1, dtype)
    return selected(cp, cj.astype(dtype), cx, cx != 0), True
