"""NumPy's functions for compiled functions (see `_library.py`): what is counted and weighed."""

# Names of arguments are NumPy's; types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import numpy as np

from heddle.simt._library import cumprod, cumsum, median, place_of, sort


def quantile(a, q):
    """Of one number, between two elements on a straight line."""
    ordered = sort(a if a.ndim == 1 else a.copy().ravel())
    count = ordered.size
    if not (q >= 0 and q <= 1):
        raise ValueError("Quantiles must be in the range [0, 1]")
    if count == 0:
        return np.nan
    if ordered[count - 1] != ordered[count - 1]:
        return np.nan
    place = q * (count - 1)
    below = int(place)
    above = min(below + 1, count - 1)
    part = place - below
    low, high = ordered[below] * 1.0, ordered[above] * 1.0
    if part >= 0.5:
        return high - (high - low) * (1 - part)
    return low + (high - low) * part


def quantile_all(a, q):
    out = np.empty(q.size, np.float64)
    for i in range(q.size):
        out[i] = quantile(a, q[i])
    return out


def percentile(a, q):
    if not (q >= 0 and q <= 100):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return quantile(a, q / 100)


def percentile_all(a, q):
    out = np.empty(q.size, np.float64)
    for i in range(q.size):
        out[i] = percentile(a, q[i])
    return out


def unique(ar):
    ordered = sort(ar if ar.ndim == 1 else ar.copy().ravel())
    kept = 0
    for i in range(ordered.size):
        one = ordered[i]
        first = kept == 0
        if not first:
            before = ordered[kept - 1]
            first = one != before and (one == one or before == before)
        if first:
            ordered[kept] = one
            kept += 1
    return ordered[:kept].copy()


def histogram(a, bins=10):
    flat = a if a.ndim == 1 else a.copy().ravel()
    low, high = 0.0, 1.0
    if flat.size > 0:
        low, high = flat.min() * 1.0, flat.max() * 1.0
    return histogram_between(flat, bins, low, high)


def histogram_between(flat, bins, low, high):
    if bins < 1:
        raise ValueError("`bins` must be positive")
    if not (low <= high):
        raise ValueError("max must be larger than min in range parameter.")
    if low == high:
        low -= 0.5
        high += 0.5
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins, np.int64)
    for i in range(flat.size):
        one = flat[i] * 1.0
        if one >= low and one <= high:
            place = min(int((one - low) / (high - low) * bins), bins - 1)
            if one < edges[place]:
                place -= 1
            elif place < bins - 1 and one >= edges[place + 1]:
                place += 1
            counts[place] += 1
    return counts, edges


def histogram_edges(a, edges):
    flat = a if a.ndim == 1 else a.copy().ravel()
    counts = np.zeros(edges.size - 1, np.int64)
    for i in range(1, edges.size):
        if edges[i - 1] > edges[i]:
            raise ValueError("`bins` must increase monotonically, when an array")
    last = edges[edges.size - 1]
    for i in range(flat.size):
        one = flat[i]
        if one >= edges[0] and one <= last:
            place = edges.size - 2 if one == last else place_of(edges, one, True) - 1
            counts[place] += 1
    return counts, edges


def histogram_range(a, bins, ends):
    flat = a if a.ndim == 1 else a.copy().ravel()
    return histogram_between(flat, bins, ends[0] * 1.0, ends[1] * 1.0)


def mean_of(a):
    return a.mean()


def average_weighted(a, weights):
    total = weights.sum()
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (a * weights).sum() / total


def trapezoid(y, dx=1.0):
    total = y[:0].sum() * 1.0
    for i in range(1, y.size):
        total += (y[i] + y[i - 1]) / 2 * dx
    return total


def trapezoid_along(y, x):
    total = y[:0].sum() * 1.0
    for i in range(1, y.size):
        total += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2
    return total


def convolve(a, v, dtype):
    """All of it."""
    if a.size == 0 or v.size == 0:
        raise ValueError("convolve: an array is empty")
    out = np.zeros(a.size + v.size - 1, dtype)
    for i in range(a.size):
        for j in range(v.size):
            out[i + j] += a[i] * v[j]
    return out


def convolve_same(a, v, dtype):
    whole = convolve(a, v, dtype)
    size = max(a.size, v.size)
    first = (min(a.size, v.size) - 1) // 2
    return whole[first : first + size].copy()


def convolve_valid(a, v, dtype):
    whole = convolve(a, v, dtype)
    short = min(a.size, v.size)
    return whole[short - 1 : max(a.size, v.size)].copy()


def correlate(a, v, dtype):
    """Where both are whole."""
    return convolve_valid(a, np.conjugate(v[::-1]).copy(), dtype)


def correlate_full(a, v, dtype):
    return convolve(a, np.conjugate(v[::-1]).copy(), dtype)


def correlate_same(a, v, dtype):
    whole = correlate_full(a, v, dtype)
    size = max(a.size, v.size)
    short = min(a.size, v.size)
    first = (short - 1) // 2 if a.size >= v.size else short // 2
    return whole[first : first + size].copy()


def cov(m, ddof=1):
    if m.size <= ddof:
        return np.nan
    return ((m - m.mean()) ** 2).sum() / (m.size - ddof)


def cov_rows(m, ddof=1):
    count, turns = m.shape
    away = m * 1.0
    for i in range(count):
        away[i] -= m[i].mean()
    out = np.empty((count, count), np.float64)
    for i in range(count):
        for j in range(count):
            out[i, j] = (away[i] * away[j]).sum()
    return out / max(0, turns - ddof)


def cov_pair(m, y, ddof=1):
    both = np.empty((2, m.size), np.float64)
    both[0] = m
    both[1] = y
    return cov_rows(both, ddof)


def scaled(c):
    deviations = np.sqrt(np.diag(c))
    return np.clip(c / deviations.reshape(-1, 1) / deviations, -1.0, 1.0)


def corrcoef(x):
    return scaled(cov_rows(x))


def corrcoef_pair(x, y):
    return scaled(cov_pair(x, y))


def nan_to_num(x, nothing, above, below):
    bounded = np.where(x == np.inf, x.dtype.type(above), x)
    bounded = np.where(x == -np.inf, x.dtype.type(below), bounded)
    return np.where(x == x, bounded, x.dtype.type(nothing))


def nan_to_num_one(x, nothing, above, below):
    if x != x:
        return nothing * 1.0
    if x == np.inf:
        return above * 1.0
    if x == -np.inf:
        return below * 1.0
    return x * 1.0


def sinc(x):
    angle = np.pi * np.where(x == 0, 1.0e-20, x)
    return np.sin(angle) / angle


def without_nans(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    out = np.empty_like(flat)
    count = 0
    for i in range(flat.size):
        if flat[i] == flat[i]:
            out[count] = flat[i]
            count += 1
    return out[:count]


def nanmedian(a):
    return median(without_nans(a))


def nanquantile(a, q):
    return quantile(without_nans(a), q)


def nanquantile_all(a, q):
    return quantile_all(without_nans(a), q)


def nanpercentile(a, q):
    return percentile(without_nans(a), q)


def nanpercentile_all(a, q):
    return percentile_all(without_nans(a), q)


def nanvar(a):
    kept = without_nans(a)
    if kept.size == 0:
        return np.nan
    return kept.var()


def nanstd(a):
    return np.sqrt(nanvar(a))


def nancumsum(a):
    return cumsum(np.where(a == a, a, a.dtype.type(0)))


def nancumprod(a):
    return cumprod(np.where(a == a, a, a.dtype.type(1)))


def nanargmax(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    best = -1
    for i in range(flat.size):
        if flat[i] == flat[i] and (best < 0 or flat[i] > flat[best]):
            best = i
    if best < 0:
        raise ValueError("All-NaN slice encountered")
    return best


def nanargmin(a):
    flat = a if a.ndim == 1 else a.copy().ravel()
    best = -1
    for i in range(flat.size):
        if flat[i] == flat[i] and (best < 0 or flat[i] < flat[best]):
            best = i
    if best < 0:
        raise ValueError("All-NaN slice encountered")
    return best
