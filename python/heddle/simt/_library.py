"""NumPy's functions for compiled functions, in the language that these are written in.

They are taken along where they are called, as functions of the user's are. `np` is NumPy or Heddle:
whose function was called makes the result (`_borrowed.py`).
"""

# Names of arguments are NumPy's; types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import numpy as np


def less(a, b):
    """The order of sorting: what is no number comes last."""
    return a < b or (b != b and a == a)


def argmax(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    if flat.size == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    best = flat[0]
    place = 0
    for i in range(1, flat.size):
        one = flat[i]
        if one > best or (one != one and best == best):
            best = one
            place = i
    return place


def argmin(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    if flat.size == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    best = flat[0]
    place = 0
    for i in range(1, flat.size):
        one = flat[i]
        if one < best or (one != one and best == best):
            best = one
            place = i
    return place


def cumsum(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    out = np.full(flat.size, flat[:0].sum())
    total = flat[:0].sum()
    for i in range(flat.size):
        total += flat[i]
        out[i] = total
    return out


def cumprod(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    out = np.full(flat.size, flat[:0].prod())
    total = flat[:0].prod()
    for i in range(flat.size):
        total *= flat[i]
        out[i] = total
    return out


def sum_across(a):
    out = np.full(a.shape[0], a[:0].sum())
    for i in range(out.size):
        out[i] = a[i].sum()
    return out


def sum_down(a):
    return sum_across(a.T)


def prod_across(a):
    out = np.full(a.shape[0], a[:0].prod())
    for i in range(out.size):
        out[i] = a[i].prod()
    return out


def prod_down(a):
    return prod_across(a.T)


def mean_across(a):
    out = np.full(a.shape[0], a[:0].mean())
    for i in range(out.size):
        out[i] = a[i].mean()
    return out


def mean_down(a):
    return mean_across(a.T)


def min_across(a):
    out = np.empty(a.shape[0], a.dtype)
    for i in range(out.size):
        out[i] = a[i].min()
    return out


def min_down(a):
    return min_across(a.T)


def max_across(a):
    out = np.empty(a.shape[0], a.dtype)
    for i in range(out.size):
        out[i] = a[i].max()
    return out


def max_down(a):
    return max_across(a.T)


def sort(a):
    """Runs are merged, from the shortest on: what is equal stays in its order."""
    count = a.size
    now = a.copy()
    then = a.copy()
    for start in range(0, count, 16):
        for i in range(start + 1, min(start + 16, count)):
            one = now[i]
            j = i
            while j > start and less(one, now[j - 1]):
                now[j] = now[j - 1]
                j -= 1
            now[j] = one
    width = 16
    while width < count:
        for start in range(0, count, 2 * width):
            left, middle = start, min(start + width, count)
            right, end = middle, min(start + 2 * width, count)
            for k in range(start, end):
                if left < middle and (right >= end or not less(now[right], now[left])):
                    then[k] = now[left]
                    left += 1
                else:
                    then[k] = now[right]
                    right += 1
        now, then = then, now
        width *= 2
    return now


def argsort(a, kind=None):  # stable, as any kind may be
    """The same of places."""
    count = a.size
    now = np.arange(count)
    then = np.arange(count)
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            left, middle = start, min(start + width, count)
            right, end = middle, min(start + 2 * width, count)
            for k in range(start, end):
                if left < middle and (right >= end or not less(a[now[right]], a[now[left]])):
                    then[k] = now[left]
                    left += 1
                else:
                    then[k] = now[right]
                    right += 1
        now, then = then, now
        width *= 2
    return now


def median(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    ordered = sort(flat)
    count = ordered.size
    if count == 0:
        return np.nan
    if ordered[count - 1] != ordered[count - 1]:
        return np.nan
    return (ordered[(count - 1) // 2] + ordered[count // 2]) / 2


def place_of(a, v, right):
    first, last = 0, a.size
    while first < last:
        middle = (first + last) // 2
        before = less(a[middle], v) or (right and not less(v, a[middle]))
        if before:
            first = middle + 1
        else:
            last = middle
    return first


def searchsorted(a, v, side="left"):
    return place_of(a, v, side == "right")


def searchsorted_all(a, v, side="left"):
    out = np.empty(v.size, np.int64)
    for i in range(v.size):
        out[i] = place_of(a, v[i], side == "right")
    return out


def digitize(x, bins):
    return searchsorted_all(bins, x, "right")


def interp(x, xp, fp):
    last = xp.size - 1
    if x != x:
        return x * 1.0
    if x <= xp[0]:
        return fp[0] * 1.0
    if x >= xp[last]:
        return fp[last] * 1.0
    place = place_of(xp, x, True) - 1
    slope = (fp[place + 1] - fp[place]) / (xp[place + 1] - xp[place])
    return slope * (x - xp[place]) + fp[place]


def interp_all(x, xp, fp):
    out = np.empty(x.size, np.float64)
    for i in range(x.size):
        out[i] = interp(x[i], xp, fp)
    return out


def clip(a, a_min, a_max):
    return np.minimum(np.maximum(a, a_min), a_max)


def diff(a):
    return a[1:] - a[:-1]


def roll(a, shift):
    out = a.copy()
    count = a.size
    for i in range(count):
        out[(i + shift) % count] = a[i]
    return out


def repeat(a, repeats):
    out = np.empty(a.size * repeats, a.dtype)
    for i in range(a.size):
        for j in range(repeats):
            out[i * repeats + j] = a[i]
    return out


def eye(N, M=None, k=0, dtype=np.float64):
    columns = N if M is None else M
    out = np.zeros((N, columns), dtype)
    for i in range(max(0, -k), min(N, columns - k)):
        out[i, i + k] = 1
    return out


def identity(n, dtype=np.float64):
    return eye(n, None, 0, dtype)


def outer(a, b):
    return a.copy().reshape(a.size, 1) * b


def cross(a, b):
    if a.size != 3 or b.size != 3:
        raise ValueError("cross: vectors have three elements in compiled functions")
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def trace(a):
    total = a[:0].sum()
    for i in range(min(a.shape[0], a.shape[1])):
        total += a[i, i]
    return total


def norm(x):
    return np.sqrt((np.abs(x) ** 2).sum())


def vdot(a, b):
    return (np.conjugate(a) * b).sum()


def ptp(a):
    return a.max() - a.min()


def isclose(a, b, rtol=1e-05, atol=1e-08):
    return (np.isfinite(b) & (np.abs(a - b) <= atol + rtol * np.abs(b))) | (a == b)


def allclose(a, b, rtol=1e-05, atol=1e-08):
    return isclose(a, b, rtol, atol).all()


def round_(a, decimals=0):
    scale = 10.0 ** abs(decimals)
    if decimals < 0:
        return np.rint(a / scale) * scale
    return np.rint(a * scale) / scale


def flatnonzero(a):
    count = 0
    for one in a:
        if one != 0:
            count += 1
    out = np.empty(count, np.int64)
    place = 0
    for i in range(a.size):
        if a[i] != 0:
            out[place] = i
            place += 1
    return out


def bincount(x, minlength=0):
    most = minlength
    for one in x:
        if one < 0:
            raise ValueError("'list' argument must have no negative elements")
        most = max(most, one + 1)
    out = np.zeros(most, np.int64)
    for one in x:
        out[one] += 1
    return out


def ascontiguousarray(a):
    return a.copy()


def flatten(a):
    return a.copy().ravel()


def chosen(a, places):
    """a[places]."""
    out = np.empty(places.size, a.dtype)
    for i in range(places.size):
        out[i] = a[places[i]]
    return out


def masked(a, mask):
    """a[mask]."""
    if a.ndim != 1:
        if a.shape != mask.shape:
            raise IndexError("boolean index did not match indexed array")
        return chosen(a.copy().ravel(), flatnonzero(mask.copy().ravel()))
    if a.size != mask.size:
        raise IndexError("boolean index did not match indexed array")
    return chosen(a, flatnonzero(mask))
