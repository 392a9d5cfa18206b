"""NumPy's functions for compiled functions (see `_library.py`): decompositions of real matrices.

By rotations and reflections, in loops: what is large is quicker outside.
"""

# Names of arguments are NumPy's; types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import math

import numpy as np

from heddle.simt._library_matrices import factored

EPSILON = 2.220446049250313e-16


def qr(a):
    """Reflections, as LAPACK has them: diagonals of r may be negative."""
    rows, columns = a.shape
    least = min(rows, columns)
    r = a * 1.0
    full = np.eye(rows)
    for k in range(least):
        size = 0.0
        for i in range(k, rows):
            size = math.hypot(size, r[i, k])
        rest = 0.0
        for i in range(k + 1, rows):
            rest = max(rest, abs(r[i, k]))
        if rest == 0:
            continue
        alpha = -size if r[k, k] >= 0 else size
        v = np.zeros(rows)
        v[k] = r[k, k] - alpha
        for i in range(k + 1, rows):
            v[i] = r[i, k]
        scale = (v * v).sum()
        for j in range(columns):
            part = 2 * (v * r[:, j]).sum() / scale
            for i in range(k, rows):
                r[i, j] -= part * v[i]
        for j in range(rows):
            part = 2 * (v * full[j]).sum() / scale
            for i in range(k, rows):
                full[j, i] -= part * v[i]
        for i in range(k + 1, rows):
            r[i, k] = 0.0
    return full[:, :least].copy(), r[:least].copy()


def turned_columns(u, v):
    """Columns of u at right angles, by rotations that v takes part in."""
    rows, columns = u.shape
    for _ in range(60):
        still = True
        for p in range(columns - 1):
            for q in range(p + 1, columns):
                one = (u[:, p] * u[:, p]).sum()
                other = (u[:, q] * u[:, q]).sum()
                both = (u[:, p] * u[:, q]).sum()
                if both == 0 or abs(both) <= EPSILON * math.sqrt(one * other):
                    continue
                still = False
                zeta = (other - one) / (2 * both)
                t = 1 / (abs(zeta) + math.hypot(1.0, zeta))
                t = -t if zeta < 0 else t
                c = 1 / math.hypot(1.0, t)
                s = c * t
                for i in range(rows):
                    x, y = u[i, p], u[i, q]
                    u[i, p], u[i, q] = c * x - s * y, s * x + c * y
                for i in range(columns):
                    x, y = v[i, p], v[i, q]
                    v[i, p], v[i, q] = c * x - s * y, s * x + c * y
        if still:
            break


def svd_tall(a):
    """Of a matrix that has no more columns than rows: u, s, and v by columns."""
    rows, columns = a.shape
    for one in a.copy().ravel():
        if not math.isfinite(one):
            raise np.linalg.LinAlgError("SVD did not converge")
    u = a * 1.0
    v = np.eye(columns)
    turned_columns(u, v)
    s = np.empty(columns)
    for k in range(columns):
        s[k] = math.sqrt((u[:, k] * u[:, k]).sum())
    order = (-s).argsort()
    largest = s[order[0]] if columns > 0 else 0.0
    u_ordered = np.zeros((rows, columns))
    v_ordered = np.empty((columns, columns))
    s_ordered = np.empty(columns)
    for k in range(columns):
        at = order[k]
        s_ordered[k] = s[at]
        v_ordered[:, k] = v[:, at]
        if s[at] > largest * EPSILON * rows:
            u_ordered[:, k] = u[:, at] / s[at]
        else:
            fill_column(u_ordered, k)
    return u_ordered, s_ordered, v_ordered


def fill_column(u, k):
    """A column at right angles to those before it."""
    rows = u.shape[0]
    for start in range(rows):
        made = np.zeros(rows)
        made[start] = 1.0
        for _ in range(2):
            for j in range(k):
                made -= (u[:, j] * made).sum() * u[:, j]
        size = math.sqrt((made * made).sum())
        if size > 0.1 / math.sqrt(rows * 1.0):
            u[:, k] = made / size
            break


def svd_thin(a):
    """u, s and the transpose of v, of as many columns and rows as the lesser extent."""
    tall = a.shape[0] >= a.shape[1]
    u, s, v = svd_tall(a if tall else a.T)
    left = u if tall else v
    right = v if tall else u
    return left, s, right.T.copy()


def svd(a, full_matrices=True):
    u, s, vt = svd_thin(a)
    if full_matrices:
        rows, columns = a.shape
        whole_u = np.zeros((rows, rows))
        whole_u[:, : u.shape[1]] = u
        for k in range(u.shape[1], rows):
            fill_column(whole_u, k)
        whole_v = np.zeros((columns, columns))
        whole_v[:, : vt.shape[0]] = vt.T
        for k in range(vt.shape[0], columns):
            fill_column(whole_v, k)
        u, vt = whole_u, whole_v.T.copy()
    return u, s, vt


def singular_values(a):
    _, s, _ = svd_thin(a)
    return s


def eigh(a):
    """Rotations, until nothing is left beside the diagonal. The lower triangle is read."""
    count = a.shape[0]
    if count != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    work = np.empty((count, count))
    for i in range(count):
        for j in range(i + 1):
            if not math.isfinite(a[i, j]):
                raise np.linalg.LinAlgError("Eigenvalues did not converge")
            work[i, j] = a[i, j]
            work[j, i] = a[i, j]
    v = np.eye(count)
    for _ in range(60):
        beside = 0.0
        for i in range(count):
            for j in range(i):
                beside = max(beside, abs(work[i, j]))
        if beside <= EPSILON * 1e-3 * np.abs(work).max():
            break
        for p in range(count - 1):
            for q in range(p + 1, count):
                if work[p, q] == 0:
                    continue
                zeta = (work[q, q] - work[p, p]) / (2 * work[p, q])
                t = 1 / (abs(zeta) + math.hypot(1.0, zeta))
                t = -t if zeta < 0 else t
                c = 1 / math.hypot(1.0, t)
                s = c * t
                for k in range(count):
                    x, y = work[k, p], work[k, q]
                    work[k, p], work[k, q] = c * x - s * y, s * x + c * y
                for k in range(count):
                    x, y = work[p, k], work[q, k]
                    work[p, k], work[q, k] = c * x - s * y, s * x + c * y
                for k in range(count):
                    x, y = v[k, p], v[k, q]
                    v[k, p], v[k, q] = c * x - s * y, s * x + c * y
    values = np.empty(count)
    for i in range(count):
        values[i] = work[i, i]
    order = values.argsort()
    ordered = np.empty(count)
    vectors = np.empty((count, count))
    for k in range(count):
        ordered[k] = values[order[k]]
        vectors[:, k] = v[:, order[k]]
    return ordered, vectors


def eigvalsh(a):
    values, _ = eigh(a)
    return values


def pinv(a, rcond=1e-15):
    u, s, vt = svd_thin(a)
    least = rcond * (s[0] if s.size > 0 else 0.0)
    out = np.zeros((a.shape[1], a.shape[0]))
    for k in range(s.size):
        if s[k] > least:
            for i in range(out.shape[0]):
                for j in range(out.shape[1]):
                    out[i, j] += vt[k, i] * u[j, k] / s[k]
    return out


def matrix_rank(A, tol=None):
    if A.ndim == 1:
        return int((A != 0).any())
    s = singular_values(A)
    least = 0.0
    if tol is None:
        least = (s[0] if s.size > 0 else 0.0) * max(A.shape[0], A.shape[1]) * EPSILON
    else:
        least = tol * 1.0
    rank = 0
    for k in range(s.size):
        if s[k] > least:
            rank += 1
    return rank


def lstsq(a, b, rcond=None):
    """The solution, the squares that are left, the rank and the singular values."""
    rows, columns = a.shape
    if b.shape[0] != rows:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    u, s, vt = svd_thin(a)
    least = EPSILON * max(rows, columns) if rcond is None else rcond * 1.0
    rank = 0
    for k in range(s.size):
        if s[k] > least * s[0]:
            rank += 1
    right = b.copy().reshape(rows, -1) * 1.0
    x = np.zeros((columns, right.shape[1]))
    for k in range(rank):
        for c in range(right.shape[1]):
            part = (u[:, k] * right[:, c]).sum() / s[k]
            for i in range(columns):
                x[i, c] += part * vt[k, i]
    left = right - a @ x
    squares = np.zeros(right.shape[1] if rank == columns and rows > columns else 0)
    for c in range(squares.size):
        squares[c] = (left[:, c] * left[:, c]).sum()
    if b.ndim == 1:
        return x[:, 0].copy(), squares, rank, s
    return x, squares, rank, s


def slogdet(a):
    lu, _, sign = factored(a)
    total = 0.0
    for k in range(lu.shape[0]):
        one = lu[k, k]
        if one == 0:
            return 0.0, -np.inf
        if one < 0:
            sign = -sign
        total += math.log(abs(one))
    return sign, total


def norm_of_row(x, p):
    if p == np.inf:
        return np.abs(x).max() * 1.0
    if p == -np.inf:
        return np.abs(x).min() * 1.0
    if p == 0:
        return (x != 0).sum() * 1.0
    if p == 1:
        return np.abs(x).sum() * 1.0
    if p == 2:
        return math.sqrt((np.abs(x) ** 2).sum() * 1.0)
    return (np.abs(x) ** (p * 1.0)).sum() ** (1.0 / p)


def norm_of_matrix(x, p):
    if p == 2 or p == -2:
        s = singular_values(x)
        return s[0] if p == 2 else s[s.size - 1]
    across = p == np.inf or p == -np.inf
    if not across and p != 1 and p != -1:
        raise ValueError("Invalid norm order for matrices.")
    sums = np.abs(x).sum(axis=1) if across else np.abs(x).sum(axis=0)
    return (sums.max() if p > 0 else sums.min()) * 1.0


def cond(x, p=None):
    if p is None or p == 2:
        s = singular_values(x)
        return s[0] / s[s.size - 1] if s[s.size - 1] != 0 else np.inf
    return norm_of_matrix(x, p) * norm_of_matrix(np.linalg.inv(x), p)
