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
    flat = v if v.ndim == 1 else v.copy().ravel()
    out = np.empty(flat.size, np.int64)
    for i in range(flat.size):
        out[i] = place_of(a, flat[i], side == "right")
    return out.reshape(v.shape)


def digitize(x, bins, right=False):
    falls = bins.size > 1 and less(bins[bins.size - 1], bins[0])
    for i in range(1, bins.size):
        if less(bins[i - 1], bins[i]) if falls else less(bins[i], bins[i - 1]):
            raise ValueError("bins must be monotonically increasing or decreasing")
    if falls:
        return bins.size - place_of(bins[::-1], x, not right)
    return place_of(bins, x, not right)


def digitize_all(x, bins, right=False):
    flat = x if x.ndim == 1 else x.copy().ravel()
    out = np.empty(flat.size, np.int64)
    for i in range(flat.size):
        out[i] = digitize(flat[i], bins, right)
    return out.reshape(x.shape)


def interp(x, xp, fp):
    last = xp.size - 1
    if x != x:
        return x * 1.0
    if x < xp[0]:
        return fp[0] * 1.0
    place = place_of(xp, x, True) - 1
    if place >= last:
        return fp[last] * 1.0
    if xp[place] == x:
        return fp[place] * 1.0
    slope = (fp[place + 1] - fp[place]) / (xp[place + 1] - xp[place])
    return slope * (x - xp[place]) + fp[place]


def interp_all(x, xp, fp):
    flat = x if x.ndim == 1 else x.copy().ravel()
    out = np.empty(flat.size, np.float64)
    for i in range(flat.size):
        out[i] = interp(flat[i], xp, fp)
    return out.reshape(x.shape)


def clip(a, a_min=None, a_max=None):
    if a_min is None and a_max is None:
        return a
    if a_min is None:
        return np.minimum(a, a_max)
    if a_max is None:
        return np.maximum(a, a_min)
    return np.minimum(np.maximum(a, a_min), a_max)


def roll(a, shift):
    flat = a if a.ndim == 1 else a.copy().ravel()
    out = np.empty_like(flat)
    count = flat.size
    for i in range(count):
        out[(i + shift) % count] = flat[i]
    return out.reshape(a.shape)


def repeat(a, repeats):
    flat = a if a.ndim == 1 else a.copy().ravel()
    out = np.empty(flat.size * repeats, a.dtype)
    for i in range(flat.size):
        for j in range(repeats):
            out[i * repeats + j] = flat[i]
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


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    near = (np.isfinite(b) & (np.abs(a - b) <= atol + rtol * np.abs(b))) | (a == b)
    if equal_nan:
        return near | ((a != a) & (b != b))
    return near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return isclose(a, b, rtol, atol, equal_nan).all()


def round_(a, decimals=0):
    scale = 10.0 ** abs(decimals)
    if decimals < 0:
        return np.rint(a / scale) * scale
    return np.rint(a * scale) / scale


def round_whole(a, decimals=0):
    """Of integers: tens and hundreds, the even one of two."""
    if decimals >= 0:
        return a
    return (np.rint(a / 10.0**-decimals) * 10.0**-decimals).astype(a.dtype)


def round_number(a, decimals=0):
    if decimals >= 0:
        return a
    return int(np.rint(a / 10.0**-decimals) * 10.0**-decimals)


def given_back(a):
    return a


def reshaped_to(a, shape):
    return a.reshape(shape)


def flatnonzero(a):
    return places_of(a if a.ndim == 1 else a.copy().ravel())


def places_of(a):
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
