"""NumPy's functions for compiled functions (see `_library.py`): places, windows, polynomials."""

# Names of arguments are NumPy's; types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import math

import numpy as np


def lower_places(n, k, m):
    """Rows and columns of the lower triangle of a matrix."""
    count = 0
    for i in range(n):
        count += min(m, max(0, i + k + 1))
    rows = np.empty(count, np.int64)
    columns = np.empty(count, np.int64)
    count = 0
    for i in range(n):
        for j in range(min(m, max(0, i + k + 1))):
            rows[count] = i
            columns[count] = j
            count += 1
    return rows, columns


def upper_places(n, k, m):
    count = 0
    for i in range(n):
        count += m - min(m, max(0, i + k))
    rows = np.empty(count, np.int64)
    columns = np.empty(count, np.int64)
    count = 0
    for i in range(n):
        for j in range(max(0, i + k), m):
            rows[count] = i
            columns[count] = j
            count += 1
    return rows, columns


def tril_indices(n, k=0, m=None):
    return lower_places(n, k, n if m is None else m)


def triu_indices(n, k=0, m=None):
    return upper_places(n, k, n if m is None else m)


def tril_indices_from(arr, k=0):
    return lower_places(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    return upper_places(arr.shape[0], k, arr.shape[1])


def diagflat(v, k=0):
    flat = v if v.ndim == 1 else v.copy().ravel()
    size = flat.size + abs(k)
    out = np.zeros((size, size), v.dtype)
    for i in range(flat.size):
        out[i + max(0, -k), i + max(0, k)] = flat[i]
    return out


def rot90(m, k=1):
    turns = k % 4
    out = m.copy()
    if turns == 1:
        out = m.T[::-1].copy()
    elif turns == 2:
        out = m[::-1, ::-1].copy()
    elif turns == 3:
        out = m[::-1].T.copy()
    return out


def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return base ** np.linspace(start, stop, num)


def geomspace(start, stop, num=50):
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    if (start < 0) != (stop < 0):
        raise ValueError("geomspace: both ends have the same sign in compiled functions")
    sign = -1.0 if start < 0 else 1.0
    out = sign * 10.0 ** np.linspace(math.log10(sign * start), math.log10(sign * stop), num)
    if num > 0:
        out[0] = start
    if num > 1:
        out[num - 1] = stop
    return out


def bartlett(M):
    out = np.ones(max(0, M), np.float64)
    for i in range(out.size if M > 1 else 0):
        n = 1.0 - M + 2.0 * i
        out[i] = 1 + n / (M - 1) if n <= 0 else 1 - n / (M - 1)
    return out


def hanning(M):
    out = np.ones(max(0, M), np.float64)
    for i in range(out.size if M > 1 else 0):
        out[i] = 0.5 + 0.5 * math.cos(np.pi * (1.0 - M + 2.0 * i) / (M - 1))
    return out


def hamming(M):
    out = np.ones(max(0, M), np.float64)
    for i in range(out.size if M > 1 else 0):
        out[i] = 0.54 + 0.46 * math.cos(np.pi * (1.0 - M + 2.0 * i) / (M - 1))
    return out


def blackman(M):
    out = np.ones(max(0, M), np.float64)
    for i in range(out.size if M > 1 else 0):
        n = np.pi * (1.0 - M + 2.0 * i) / (M - 1)
        out[i] = 0.42 + 0.5 * math.cos(n) + 0.08 * math.cos(2.0 * n)
    return out


def bessel_i0(x):
    """The modified Bessel function of order 0, by its series: all its terms are positive."""
    quarter = x * x / 4
    term, total = 1.0, 1.0
    k = 1
    while term > total * 1e-17:
        term *= quarter / (k * k)
        total += term
        k += 1
    return total


def kaiser(M, beta):
    out = np.ones(max(0, M), np.float64)
    alpha = (M - 1) / 2.0
    for i in range(out.size if M > 1 else 0):
        place = (i - alpha) / alpha
        out[i] = bessel_i0(beta * math.sqrt(1 - place * place)) / bessel_i0(beta * 1.0)
    return out


def unwrap(p):
    out = p * 1.0
    shift = 0.0
    for i in range(1, p.size):
        step = p[i] - p[i - 1]
        turned = (step + np.pi) % (2 * np.pi) - np.pi
        if turned == -np.pi and step > 0:
            turned = np.pi
        if abs(step) >= np.pi:
            shift += turned - step
        out[i] = p[i] + shift
    return out


def vander(x, N=None, increasing=False, *, dtype):
    columns = x.size if N is None else N
    out = np.empty((x.size, columns), dtype)
    for i in range(x.size):
        power = dtype.type(1)
        for j in range(columns):
            out[i, j if increasing else columns - 1 - j] = power
            power *= x[i]
    return out


def polyval(p, x):
    total = x * 0 + p[:0].sum()
    for i in range(p.size):
        total = total * x + p[i]
    return total


def gradient(f):
    if f.size < 2:
        raise ValueError("gradient: an array of at least two elements is needed")
    out = np.empty(f.size, np.float64)
    out[0] = f[1] - f[0]
    for i in range(1, f.size - 1):
        out[i] = (f[i + 1] - f[i - 1]) / 2
    out[f.size - 1] = f[f.size - 1] - f[f.size - 2]
    return out
