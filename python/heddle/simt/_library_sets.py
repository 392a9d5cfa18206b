"""NumPy's functions for compiled functions (see `_library.py`): sets, and what is chosen or put."""

# Names of arguments are NumPy's; types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import numpy as np

from heddle.simt._library import flatnonzero, less, sort
from heddle.simt._library_statistics import unique


def row_of(a):
    """Its elements, in one row."""
    return a if a.ndim == 1 else a.copy().ravel()


def there(ordered, one):
    """Whether a sorted row has it."""
    first, last = 0, ordered.size
    while first < last:
        middle = (first + last) // 2
        if less(ordered[middle], one):
            first = middle + 1
        else:
            last = middle
    return first < ordered.size and ordered[first] == one


def isin(element, test_elements, assume_unique=False, invert=False):
    ordered = sort(row_of(test_elements))
    flat = row_of(element)
    out = np.empty(flat.size, np.bool_)
    for i in range(flat.size):
        out[i] = there(ordered, flat[i]) != invert
    return out.reshape(element.shape)


def kept_where(a, b, wanted):
    """Elements of a sorted row that are in another one, or are not."""
    out = np.empty_like(a)
    count = 0
    for i in range(a.size):
        if there(b, a[i]) == wanted:
            out[count] = a[i]
            count += 1
    return out[:count].copy()


def joined(a, b, dtype):
    out = np.empty(a.size + b.size, dtype)
    out[: a.size] = a
    out[a.size :] = b
    return out


def intersect1d(ar1, ar2, assume_unique=False, *, dtype):
    return kept_where(unique(row_of(ar1)), unique(row_of(ar2)), True).astype(dtype)


def setdiff1d(ar1, ar2, assume_unique=False):
    if assume_unique:
        flat = row_of(ar1)
        return kept_where(flat, sort(row_of(ar2)), False)
    return kept_where(unique(row_of(ar1)), sort(row_of(ar2)), False)


def union1d(ar1, ar2, dtype):
    return unique(joined(row_of(ar1), row_of(ar2), dtype))


def setxor1d(ar1, ar2, assume_unique=False, *, dtype):
    a, b = unique(row_of(ar1)), unique(row_of(ar2))
    return sort(joined(kept_where(a, b, False), kept_where(b, a, False), dtype))


def extract(condition, arr):
    places = flatnonzero(row_of(condition))
    flat = row_of(arr)
    out = np.empty(places.size, arr.dtype)
    for i in range(places.size):
        out[i] = flat[places[i]]
    return out


def compress(condition, a):
    return extract(condition, a)


def trim_zeros(filt, trim="fb"):
    first, last = 0, filt.size
    if "f" in trim or "F" in trim:
        while first < last and filt[first] == 0:
            first += 1
    if "b" in trim or "B" in trim:
        while last > first and filt[last - 1] == 0:
            last -= 1
    return filt[first:last]


def repeat_each(a, repeats):
    if a.size != repeats.size:
        raise ValueError("operands could not be broadcast together")
    total = 0
    for i in range(repeats.size):
        if repeats[i] < 0:
            raise ValueError("repeats may not contain negative values.")
        total += repeats[i]
    out = np.empty(total, a.dtype)
    place = 0
    for i in range(a.size):
        for _ in range(repeats[i]):
            out[place] = a[i]
            place += 1
    return out


def tile(A, reps):
    out = np.empty(A.size * max(0, reps), A.dtype)
    for k in range(max(0, reps)):
        out[k * A.size : (k + 1) * A.size] = A
    return out


def resize_to(a, size):
    """A row of so many elements, from the beginning again where there are no more."""
    flat = row_of(a)
    out = np.zeros(size, a.dtype)
    if flat.size > 0:
        for i in range(size):
            out[i] = flat[i % flat.size]
    return out


def insert_one(arr, obj, values):
    flat = row_of(arr)
    place = obj + flat.size if obj < 0 else obj
    if place < 0 or place > flat.size:
        raise IndexError("insert: the index is out of bounds")
    out = np.empty(flat.size + 1, arr.dtype)
    out[:place] = flat[:place]
    out[place] = values
    out[place + 1 :] = flat[place:]
    return out


def insert_each(arr, obj, values):
    """At each of some places, as they are in the array before."""
    flat = row_of(arr)
    count = obj.size
    places = np.empty(count, np.int64)
    for i in range(count):
        place = obj[i] + flat.size if obj[i] < 0 else obj[i]
        if place < 0 or place > flat.size:
            raise IndexError("insert: an index is out of bounds")
        places[i] = place
    out = np.empty(flat.size + count, arr.dtype)
    at = 0
    for i in range(flat.size + 1):
        for k in range(count):
            if places[k] == i:
                out[at] = value_of(values, k)
                at += 1
        if i < flat.size:
            out[at] = flat[i]
            at += 1
    return out


def insert_row(arr, obj, values):
    flat = row_of(arr)
    place = obj + flat.size if obj < 0 else obj
    if place < 0 or place > flat.size:
        raise IndexError("insert: the index is out of bounds")
    out = np.empty(flat.size + values.size, arr.dtype)
    out[:place] = flat[:place]
    out[place : place + values.size] = values
    out[place + values.size :] = flat[place:]
    return out


def delete_each(arr, obj):
    flat = row_of(arr)
    gone = np.zeros(flat.size, np.bool_)
    for i in range(obj.size):
        place = obj[i] + flat.size if obj[i] < 0 else obj[i]
        if place < 0 or place >= flat.size:
            raise IndexError("delete: an index is out of bounds")
        gone[place] = True
    out = np.empty_like(flat)
    count = 0
    for i in range(flat.size):
        if not gone[i]:
            out[count] = flat[i]
            count += 1
    return out[:count].copy()


def put(a, ind, v):
    for i in range(ind.size):
        place = ind[i] + a.size if ind[i] < 0 else ind[i]
        if place < 0 or place >= a.size:
            raise IndexError("put: an index is out of bounds")
        a.flat[place] = v[i % v.size]


def put_one(a, ind, v):
    for i in range(ind.size):
        place = ind[i] + a.size if ind[i] < 0 else ind[i]
        if place < 0 or place >= a.size:
            raise IndexError("put: an index is out of bounds")
        a.flat[place] = v


def fill_diagonal(a, val):
    for i in range(min(a.shape[0], a.shape[1])):
        a[i, i] = val


def ediff1d(ary, to_end=None, to_begin=None):
    flat = row_of(ary)
    before = 0 if to_begin is None else 1
    after = 0 if to_end is None else 1
    count = max(0, flat.size - 1)
    out = np.empty(before + count + after, ary.dtype)
    if to_begin is not None:
        out[0] = to_begin
    for i in range(count):
        out[before + i] = flat[i + 1] - flat[i]
    if to_end is not None:
        out[before + count] = to_end
    return out


def bincount_weighted(x, weights, minlength=0):
    if x.size != weights.size:
        raise ValueError("The weights and list don't have the same length.")
    most = minlength
    for one in x:
        if one < 0:
            raise ValueError("'list' argument must have no negative elements")
        most = max(most, one + 1)
    out = np.zeros(most, np.float64)
    for i in range(x.size):
        out[x[i]] += weights[i]
    return out


def partition(a, kth):
    return sort(a)


def argpartition(a, kth):
    return a.argsort()


def place(arr, mask, vals):
    """The elements that a mask chooses, of a row that begins again."""
    at = 0
    flat = row_of(mask)
    for i in range(flat.size):
        if flat[i]:
            arr.flat[i] = vals[at % vals.size]
            at += 1


def putmask(a, mask, values):
    flat = row_of(mask)
    for i in range(flat.size):
        if flat[i]:
            a.flat[i] = values[i % values.size]


def take_flat(a, indices):
    flat = row_of(a)
    out = np.empty(indices.size, a.dtype)
    for i in range(indices.size):
        out[i] = flat[indices[i]]
    return out


def value_of(values, k):
    return values[k] if isinstance(values, np.ndarray) else values
