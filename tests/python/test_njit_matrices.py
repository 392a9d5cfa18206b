"""NumPy's functions inside of compiled functions: joins, triangles, equations, statistics."""

import numpy as np
import pytest
from njit_support import same

from heddle import njit, numba

MATRIX, SQUARE = np.random.default_rng(0).random((4, 5)), np.random.default_rng(1).random((4, 4))
ROW, WHOLE = np.random.default_rng(2).random(9), np.array([3, 1, 3, 2, 1])


def _joins(x, a, i):
    rows = np.vstack((a, a)), np.vstack((x, x)), np.hstack((a, a)), np.hstack((x, i))
    more = np.concatenate((a, a), axis=1), np.concatenate((a, a)), np.concatenate((x, i))
    columns = np.column_stack((x, x)), np.stack((x, x)), np.stack((x, x), axis=1)
    ends = np.append(x, 1.0), np.append(i, 2), np.append(x, i), np.delete(x, 2), np.delete(x, -1)
    return rows, more, columns, ends


def _triangles(x, a, s):
    made = np.tri(3), np.tri(3, 4, 1), np.tril(a), np.triu(a, 1), np.diag(x), np.diag(a, 1)
    turned = np.flip(x), np.flip(a), np.flip(a, 0), np.fliplr(a), np.flipud(a), np.transpose(a)
    return made, turned, np.diag(x, -1), np.kron(a, s), np.reshape(a, (5, 4)), np.ravel(a)


def _equations(x, a, s):
    both = s @ s.T + np.eye(4)
    solved = np.linalg.solve(s, x[:4]), np.linalg.solve(s, a), np.linalg.inv(s)
    return np.linalg.det(s), solved, np.linalg.cholesky(both), np.linalg.matrix_power(s, 3)


def _statistics(x, a, i):
    parts = np.percentile(x, 30), np.percentile(x, np.array([5.0, 99.0])), np.quantile(x, 0.25)
    counts = np.unique(i), np.histogram(x), np.histogram(x, bins=4, range=(0.0, 2.0))
    means = np.average(x), np.average(x, weights=x), np.cov(a), np.cov(x, x * x)
    areas = np.trapezoid(x), np.trapezoid(x, x * 2), np.trapezoid(x, dx=0.5)
    return parts, counts, means, np.corrcoef(a), np.corrcoef(x, x * x), areas


def _filters(x, i):
    made = np.convolve(x, x[:3]), np.convolve(x, x[:3], mode="same"), np.convolve(x, i, "valid")
    nothing = np.nan_to_num(np.array([1.0, np.nan, np.inf, -np.inf]))
    found = np.argwhere(x > 0.5), np.array_equal(x, x), np.array_equal(x, i)
    return made, np.correlate(x, x[:3]), nothing, np.sinc(x - x[0]), np.vander(i), found


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (_joins, (ROW, MATRIX, WHOLE)),
        (_triangles, (ROW, MATRIX, SQUARE)),
        (_equations, (ROW, MATRIX, SQUARE)),
        (_statistics, (ROW, MATRIX, WHOLE)),
        (_filters, (ROW, WHOLE)),
    ],
)
def test_joins_triangles_equations_statistics(function, arguments):
    same(njit(function), *arguments, rtol=1e-9)


def test_mistakes_in_equations():
    @njit
    def inverted(s):
        return np.linalg.inv(s), np.linalg.cholesky(s)

    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        inverted(np.zeros((3, 3)))
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        inverted(-np.eye(3))


@pytest.mark.parametrize("decorator", [njit, numba.njit])
@pytest.mark.parametrize("scale", [1e100, 1.0, 0.0])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_correlations_of_large_and_constant_rows(decorator, scale):
    def correlations(x, y):
        return np.corrcoef(x, y), np.cov(x.reshape(-1, 1)[:2])

    same(decorator(correlations), ROW * scale, ROW**2 * scale, rtol=1e-12)
