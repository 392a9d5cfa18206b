"""What SciPy refuses is refused by heddle.scipy, with the same kind of error, never a crash.

And what it gives for empty, strided and unusual arguments is what is given here.
"""

import importlib
import pickle
import warnings

import numpy
import pytest
import scipy.cluster.vq
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
import scipy.spatial
import scipy.stats
from oracles import SCIPY

import heddle

rng = numpy.random.default_rng(0)
line, other = numpy.sort(rng.random(10)), rng.random(10)
points = rng.random((12, 2))
square = rng.random((5, 5)) + 5 * numpy.eye(5)
system = scipy.sparse.csr_array(square)
nan_points = points.copy()
nan_points[1, 1] = numpy.nan
with_nan = other.copy()
with_nan[3] = numpy.nan

REFUSED = [
    ("interpolate", "interp1d", (line, rng.random(11))),
    ("interpolate", "interp1d", (line, rng.random(9))),
    ("interpolate", "CubicSpline", (line[::-1].copy(), other)),
    ("interpolate", "CubicSpline", (line, with_nan)),
    ("interpolate", "PchipInterpolator", (line[:1], other[:1])),
    ("interpolate", "interpn", ((line, line), rng.random((10, 10)), [[numpy.nan, 0.5]])),
    ("interpolate", "RegularGridInterpolator", ((line, line), rng.random((10, 9)))),
    ("interpolate", "interpn", ((line, line), rng.random((10, 10)), [[0.5, numpy.nan]], "nearest")),
    ("spatial.distance", "cdist", (points + 1j, points)),
    ("spatial.distance", "pdist", (points + 1j,)),
    ("spatial.distance", "cdist", (points, points[:, :1])),
    ("spatial.distance", "cdist", (points, points, "nearest")),
    ("spatial.distance", "euclidean", (with_nan, other)),
    ("spatial.distance", "minkowski", (with_nan, other, 3)),
    ("spatial.distance", "mahalanobis", (other, other, numpy.ones(10))),
    ("spatial.distance", "seuclidean", (other, other, numpy.ones(3))),
    ("spatial.distance", "squareform", (numpy.ones(4),)),
    ("spatial", "KDTree", (nan_points,)),
    ("spatial", "Delaunay", (nan_points,)),
    ("spatial", "Delaunay", (other,)),
    ("cluster.vq", "vq", (points, nan_points)),
    ("cluster.vq", "kmeans", (points, nan_points[:3])),
    ("cluster.vq", "kmeans2", (points, nan_points[:3])),
    ("cluster.vq", "vq", (points + 1j, points)),
    ("stats", "trim_mean", (other, -0.2)),
    ("stats", "trim_mean", (other, 0.7)),
    ("linalg", "solve", (square, other)),
    ("linalg", "solve", (square[:3], other[:3])),
    ("linalg", "cholesky", (-square,)),
    ("signal", "savgol_filter", (other, 5, -1)),
    ("ndimage", "find_objects", (square,)),
    ("linalg", "inv", (numpy.zeros((3, 3)),)),
    ("linalg", "solve_triangular", (numpy.zeros((3, 3)), other[:3])),
    ("linalg", "eigh", (numpy.full((2, 2), numpy.nan),)),
    ("linalg", "solve_banded", ((1, 1), numpy.ones((2, 4)), other[:4])),
    ("linalg", "solve_banded", ((0, 0), numpy.ones(4), other[:4])),
    ("linalg", "tanm", (numpy.full((2, 2), numpy.nan),)),
    ("linalg", "tanhm", (numpy.full((2, 2), numpy.inf),)),
    ("linalg", "solve_discrete_lyapunov", (numpy.full((2, 2), numpy.nan), numpy.eye(2))),
    ("linalg", "solve_discrete_lyapunov", (numpy.eye(2) / 2, numpy.full((2, 2), numpy.inf))),
    ("linalg", "expm_frechet", (numpy.eye(2), numpy.eye(3))),
    ("linalg", "hadamard", (3,)),
    ("linalg", "sqrtm", (other,)),
    ("linalg", "qr_multiply", (numpy.full((2, 2), numpy.nan), numpy.eye(2))),
    ("ndimage", "binary_erosion", (square > 5, None, 1, None, None, "x")),
    ("ndimage", "binary_opening", (square > 5, None, 1, None, 0, None, 0.5)),
    ("linalg", "logm", (numpy.full((2, 2), numpy.nan),)),
    ("linalg", "funm", (numpy.full((2, 2), numpy.nan), numpy.sin)),
    ("linalg", "signm", (numpy.full((2, 2), numpy.nan),)),
    ("interpolate", "griddata", (points, points[:, 0], [[numpy.nan, 0.5]], "nearest")),
    ("sparse.csgraph", "yen", (square, 0, 4, -2)),
    ("special", "jvp", (0, other, 1.5)),
    ("cluster.vq", "kmeans", (other, numpy.ones((3, 3)))),
    ("cluster.vq", "kmeans", (square, numpy.ones((2, 7)))),
    ("signal", "convolve", (other, numpy.zeros(0))),
    ("signal", "correlate", (numpy.zeros(0), other)),
    ("signal", "oaconvolve", (square, square, "full", [[1, 2], [3, 4]])),
    ("signal", "detrend", (numpy.array([1.0, numpy.nan, 2.0]),)),
    ("signal", "lfilter", ([1.0], [0.0, 1.0], other)),
    ("signal", "lfilter", ([1.0], [1.0], other, 3)),
    ("ndimage", "sum", (numpy.zeros((0, 4)), numpy.zeros((0, 4), "i4"), [1, 2])),
    ("signal", "sosfilt", (numpy.ones((1, 5)), other)),
    ("signal", "filtfilt", ([1.0, 0.5], [1.0, 0.2], other[:3])),
    ("signal", "convolve", (other, square)),
    ("signal", "resample_poly", (other, 0, 2)),
    ("signal", "resample", (numpy.zeros(0), 5)),
    ("signal", "convolve2d", (square, square, "full", "fill", 1j)),
    ("signal", "convolve2d", (square, square, "full", "fill", (1, 2))),
    ("signal", "deconvolve", (numpy.zeros(0), numpy.ones(1))),
    ("signal", "deconvolve", (other, square)),
    ("signal", "upfirdn", (other[:3], other, 0)),
    ("signal", "savgol_filter", (other, 4, 5)),
    ("signal", "welch", (other, 1.0, "nope")),
    ("ndimage", "gaussian_filter1d", (square, 1.0, 5)),
    ("ndimage", "convolve", (square, numpy.ones(3))),
    ("ndimage", "zoom", (square, [1.0, 2.0, 3.0])),
    ("ndimage", "map_coordinates", (square, numpy.ones((3, 2)))),
    ("ndimage", "label", (square > 5, numpy.ones((2, 2)))),
    ("linalg", "fractional_matrix_power", (numpy.diag([1.0, numpy.nan]), 0.5)),
    ("linalg", "invhilbert", (-1,)),
    ("linalg", "pascal", (-1,)),
    ("linalg", "helmert", (-1,)),
    ("ndimage", "label", (square > 5, numpy.triu(numpy.ones((3, 3))))),
    ("ndimage", "binary_dilation", (square > 5, numpy.ones((3, 3, 3)))),
    ("ndimage", "binary_erosion", (square > 5, numpy.ones(3))),
    ("spatial.distance", "pdist", (points[:4], "euclidean", numpy.empty(12)[::2])),
    ("spatial.distance", "cdist", (points[:4], points[:3], "euclidean", numpy.empty((3, 4)).T)),
    ("ndimage", "correlate1d", (square, other[:3], -1, None, "constant", 1j)),
    ("ndimage", "convolve", (square, square[:3, :3], None, "constant", 1j)),
    ("ndimage", "uniform_filter", (square, 3, None, "nearest", 1j)),
    ("ndimage", "gaussian_filter", (square, 1.0, 0, "u1", "reflect", 1j)),
    ("ndimage", "laplace", (square + 1j, float)),
    ("ndimage", "sobel", (square + 1j, 0, "i4")),
    ("sparse.linalg", "cg", (system, other)),
    ("sparse.linalg", "spsolve", (system, other)),
    ("sparse.linalg", "eigsh", (system, 9)),
    ("sparse.linalg", "svds", (system, 0)),
    ("sparse.linalg", "splu", (system[:3],)),
    ("sparse.csgraph", "dijkstra", (numpy.ones((2, 3)),)),
    ("sparse.csgraph", "shortest_path", (square, "nearest")),
    ("sparse.csgraph", "laplacian", (numpy.ones((2, 3)),)),
    ("signal", "argrelmax", (other, 0, 1, "raise")),
    ("signal", "argrelmin", (square, 1, 2, "raise")),
    ("fft", "fftfreq", (-1,)),
    ("fft", "fft", (other, 0)),
    ("fft", "fft", (other, None, 4)),
    ("fft", "dct", (other, 7)),
    ("fft", "irfftn", (square, None, (0, 0))),
]

if SCIPY < (1, 18):  # since then there is nothing to begin with
    REFUSED += [
        ("signal", "lfilter_zi", ([2.0], [1.0])),
        ("signal", "filtfilt", ([2.0], [1.0], other)),
    ]


def ours(value):
    if isinstance(value, numpy.ndarray):
        return heddle.asarray(value)
    if scipy.sparse.issparse(value):
        return heddle.scipy.sparse.csr_array(value)
    return tuple(map(ours, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize(
    ("module", "name", "args"), REFUSED, ids=[f"{m}.{n}-{i}" for i, (m, n, _) in enumerate(REFUSED)]
)
def test_refusals(module, name, args):
    theirs = getattr(importlib.import_module(f"scipy.{module}"), name)
    found = getattr(importlib.import_module(f"heddle.scipy.{module}"), name)
    with pytest.raises(Exception) as expected, numpy.errstate(all="ignore"):
        theirs(*args)
    with pytest.raises(expected.type):
        found(*map(ours, args))


EMPTY = [
    ("wiener", (3,)),
    ("savgol_filter", (3, 1, 1, 1.0, 1, "nearest")),
    ("savgol_filter", (3, 1, 0, 1.0, 1, "constant")),
]


@pytest.mark.parametrize(("name", "args"), EMPTY)
def test_filters_of_nothing(name, args):
    given = numpy.zeros((0, 4))
    with numpy.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        expected = getattr(scipy.signal, name)(given, *args)
    found = getattr(heddle.scipy.signal, name)(heddle.asarray(given), *args)
    assert found.shape == expected.shape and found.dtype == expected.dtype


@pytest.mark.parametrize("shape", [(3, 4, 2), (4,), ()])
@pytest.mark.parametrize("name", ["ConvexHull", "Delaunay", "Voronoi"])
def test_qhull_gets_rows_only(name, shape):
    """SciPy's own ConvexHull crashes for three axes."""
    with pytest.raises(ValueError, match=r"two-dimensional.*dimensions"):
        getattr(heddle.scipy.spatial, name)(heddle.ones(shape))


def test_nearest_values_are_floats():
    for values in (numpy.arange(12), numpy.arange(12, dtype="f4"), numpy.arange(12) * 1j):
        expected = scipy.interpolate.NearestNDInterpolator(points, values)([[0.5, 0.5]])
        found = heddle.scipy.interpolate.NearestNDInterpolator(
            heddle.asarray(points), heddle.asarray(values)
        )([[0.5, 0.5]])
        assert found.dtype == expected.dtype
        numpy.testing.assert_array_equal(heddle.asnumpy(found), expected)


WARNINGS = {
    "LinAlgWarning": (scipy.linalg.LinAlgWarning, lambda m, np: m.linalg.sqrtm(np.zeros((2, 2)))),
    "LogmExactlySingularWarning": (UserWarning, lambda m, np: m.linalg.logm(np.zeros((2, 2)))),
    "MatrixRankWarning": (
        scipy.sparse.linalg.MatrixRankWarning,
        lambda m, np: m.sparse.linalg.spsolve(m.sparse.csc_array(np.ones((2, 2))), np.ones(2)),
    ),
    "PeakPropertyWarning": (
        RuntimeWarning,
        lambda m, np: m.signal.peak_prominences(np.ones(4), np.array([1, 2])),
    ),
    "SparseEfficiencyWarning": (
        scipy.sparse.SparseWarning,
        lambda m, np: m.sparse.linalg.spsolve(m.sparse.csr_array(np.eye(2)).tocoo(), np.ones(2)),
    ),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings_are_scipys(name):
    """Who filters by SciPy's class gets what SciPy gives."""
    kind, call = WARNINGS[name]
    with pytest.warns(kind) as theirs:
        call(scipy, numpy)
    with pytest.warns(theirs[0].category) as ours:
        call(heddle.scipy, heddle)
    assert ours[0].category.__name__ == theirs[0].category.__name__ == name


@pytest.mark.parametrize("least", [0.0, 1e-30])
def test_logarithms_of_singular_matrices(least):
    given = numpy.array([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0], [0.0, 0.0, least]])
    with pytest.warns() as theirs:
        scipy.linalg.logm(given)
    with pytest.warns() as ours:
        heddle.scipy.linalg.logm(heddle.array(given))
    names = {each.category.__name__ for each in theirs}
    assert {each.category.__name__ for each in ours} == names


def test_errors_are_scipys():
    cycle = [[0.0, -1.0], [-1.0, 0.0]]
    with pytest.raises(scipy.sparse.csgraph.NegativeCycleError) as told:
        heddle.scipy.sparse.csgraph.bellman_ford(heddle.array(cycle))
    assert isinstance(told.value, heddle.scipy.sparse.csgraph.NegativeCycleError)
    again = pickle.loads(pickle.dumps(told.value))
    assert isinstance(again, scipy.sparse.csgraph.NegativeCycleError)
    assert str(again) == str(told.value)
    matrix = heddle.scipy.sparse.diags_array(heddle.arange(1.0, 400.0))
    with pytest.raises(scipy.sparse.linalg.ArpackNoConvergence) as told:
        heddle.scipy.sparse.linalg.eigsh(matrix, k=3, which="SM", maxiter=1, ncv=7)
    assert isinstance(told.value, heddle.scipy.sparse.linalg.ArpackError)
    assert told.value.eigenvalues.ndim == 1


def test_procrustes_of_truth_values():
    """Products of numbers, not of truth values."""
    first, second = points[:, :1] > points[:, 1], points[:, :1] > points[::-1, 1]
    expected = scipy.linalg.orthogonal_procrustes(first, second)
    found = heddle.scipy.linalg.orthogonal_procrustes(heddle.asarray(first), heddle.asarray(second))
    assert found[0].dtype == expected[0].dtype
    numpy.testing.assert_allclose(float(found[1]), expected[1], rtol=1e-5)
    assert heddle.scipy.linalg.invhilbert(0).shape == (0, 0)
