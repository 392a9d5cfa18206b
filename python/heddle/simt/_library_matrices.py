"""NumPy's functions for compiled functions (see `_library.py`): triangles, equations.

Matrices are small where they are worked on by loops: what is large is left to arrays, outside.
"""

# Names of arguments are NumPy's; types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import numpy as np


def append(arr, values, dtype):
    flat = arr if arr.ndim == 1 else arr.copy().ravel()
    out = np.empty(flat.size + values.size, dtype)
    out[: flat.size] = flat
    out[flat.size :] = values if values.ndim == 1 else values.copy().ravel()
    return out


def append_one(arr, values, dtype):
    flat = arr if arr.ndim == 1 else arr.copy().ravel()
    out = np.empty(flat.size + 1, dtype)
    out[: flat.size] = flat
    out[flat.size] = values
    return out


def delete(arr, obj):
    place = obj + arr.size if obj < 0 else obj
    if place < 0 or place >= arr.size:
        raise IndexError("delete: the index is out of bounds")
    out = np.empty(arr.size - 1, arr.dtype)
    out[:place] = arr[:place]
    out[place:] = arr[place + 1 :]
    return out


def tri(N, M=None, k=0, dtype=np.float64):
    columns = N if M is None else M
    out = np.zeros((N, columns), dtype)
    for i in range(N):
        for j in range(min(columns, max(0, i + k + 1))):
            out[i, j] = 1
    return out


def tril(m, k=0):
    out = np.zeros_like(m)
    for i in range(m.shape[0]):
        for j in range(min(m.shape[1], max(0, i + k + 1))):
            out[i, j] = m[i, j]
    return out


def triu(m, k=0):
    out = np.zeros_like(m)
    for i in range(m.shape[0]):
        for j in range(max(0, i + k), m.shape[1]):
            out[i, j] = m[i, j]
    return out


def diag(v, k=0):
    if v.ndim == 1:
        size = v.size + abs(k)
        square = np.zeros((size, size), v.dtype)
        for i in range(v.size):
            square[i + max(0, -k), i + max(0, k)] = v[i]
        return square
    first, second = max(0, -k), max(0, k)
    out = np.empty(max(0, min(v.shape[0] - first, v.shape[1] - second)), v.dtype)
    for i in range(out.size):
        out[i] = v[i + first, i + second]
    return out


def kron(a, b, dtype):
    out = np.empty((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(b.shape[0]):
                for m in range(b.shape[1]):
                    out[i * b.shape[0] + k, j * b.shape[1] + m] = a[i, j] * b[k, m]
    return out


def flip(m, axis=None):
    if m.ndim == 1:
        return m[::-1]
    if axis is None:
        return m[::-1, ::-1]
    if axis == 0 or axis == -2:
        return m[::-1]
    return m[:, ::-1]


def fliplr(m):
    return m[:, ::-1]


def flipud(m):
    return m[::-1]


def array_equal(a1, a2):
    if a1.ndim != a2.ndim:
        return False
    if a1.shape != a2.shape:
        return False
    return (a1 == a2).all()


# --- equations ---


def factored(a):
    """Lower and upper triangle in one matrix, the order of the rows, and its sign."""
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    lu = a / 1
    count = lu.shape[0]
    order = np.arange(count)
    sign = 1.0
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if abs(lu[i, k]) > abs(lu[best, k]):
                best = i
        if best != k:
            sign = -sign
            order[k], order[best] = order[best], order[k]
            for j in range(count):
                lu[k, j], lu[best, j] = lu[best, j], lu[k, j]
        if lu[k, k] == 0:
            continue
        for i in range(k + 1, count):
            lu[i, k] = lu[i, k] / lu[k, k]
            for j in range(k + 1, count):
                lu[i, j] -= lu[i, k] * lu[k, j]
    return lu, order, sign


def det(a):
    lu, _, sign = factored(a)
    made = lu[:0].sum() + sign
    for k in range(lu.shape[0]):
        made *= lu[k, k]
    return made


def solve(a, b, dtype):
    lu, order, _ = factored(a)
    if b.shape[0] != lu.shape[0]:
        raise ValueError("solve: the rows of a and b differ")
    count = lu.shape[0]
    columns = b.reshape(count, 1) if b.ndim == 1 else b
    x = np.empty((count, columns.shape[1]), dtype)
    for c in range(columns.shape[1]):
        for i in range(count):
            total = columns[order[i], c] + x[:0].sum()
            for j in range(i):
                total -= lu[i, j] * x[j, c]
            x[i, c] = total
        for i in range(count - 1, -1, -1):
            if lu[i, i] == 0:
                raise np.linalg.LinAlgError("Singular matrix")
            rest = x[i, c]
            for j in range(i + 1, count):
                rest -= lu[i, j] * x[j, c]
            x[i, c] = rest / lu[i, i]
    if b.ndim == 1:
        return x[:, 0].copy()
    return x


def inv(a, dtype):
    square = np.zeros((a.shape[0], a.shape[0]), dtype)
    for i in range(a.shape[0]):
        square[i, i] = 1
    return solve(a, square, dtype)


def cholesky(a, dtype):
    count = a.shape[0]
    if count != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    out = np.zeros((count, count), dtype)
    for i in range(count):
        for j in range(i + 1):
            total = a[i, j] + out[:0].sum()
            for k in range(j):
                total -= out[i, k] * out[j, k]
            if i == j:
                if not total > 0:
                    raise np.linalg.LinAlgError("Matrix is not positive definite")
                out[i, i] = np.sqrt(total)
            else:
                out[i, j] = total / out[j, j]
    return out


def matrix_power_whole(a, n):
    if n < 0:
        raise ValueError("matrix_power: a negative power is of floating numbers here")
    return raised(a, n)


def matrix_power(a, n):
    return raised(np.linalg.inv(a) if n < 0 else a, abs(n))


def raised(a, n):
    made = np.zeros_like(a)
    for i in range(a.shape[0]):
        made[i, i] = 1
    base = a.copy()
    left = n
    while left > 0:
        if left & 1:
            made = made @ base
        base = base @ base
        left >>= 1
    return made
