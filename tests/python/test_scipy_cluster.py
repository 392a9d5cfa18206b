"""heddle.scipy.cluster against SciPy."""

import numpy
import pytest
import scipy.cluster
import scipy.spatial
from scipy_support import assert_near, host_of, same

import heddle
from heddle import _core
from heddle.scipy.cluster import hierarchy, vq


def blobs(n=60, dims=2, dtype="f8"):
    rng = numpy.random.default_rng(0)
    centers = rng.random((3, dims)) * 20
    return (centers[numpy.arange(n) % 3] + rng.standard_normal((n, dims))).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("dims", [1, 2, 20])
def test_codes(dtype, dims):
    rows = blobs(60, dims, dtype)
    tolerance = 1e-4 if dtype == "f4" else 1e-12
    same(vq.vq, scipy.cluster.vq.vq, rows, rows[:5] + rows.dtype.type(0.5), tolerance=tolerance)
    same(vq.whiten, scipy.cluster.vq.whiten, rows, tolerance=tolerance)
    same(vq.vq, scipy.cluster.vq.vq, rows, rows[0].copy())


def test_means():
    rows = blobs()
    start = rows[:3].copy()
    same(vq.kmeans, scipy.cluster.vq.kmeans, rows, start)
    same(vq.kmeans2, scipy.cluster.vq.kmeans2, rows, start, minit="matrix")
    same(vq.kmeans, scipy.cluster.vq.kmeans, rows[:, 0].copy(), start[:, 0].copy())
    ours = vq.kmeans(heddle.asarray(rows), 3, rng=1)
    expected = scipy.cluster.vq.kmeans(rows, 3, rng=1)
    numpy.testing.assert_allclose(ours[1], expected[1], rtol=1e-12)
    for minit in ("random", "points", "++"):
        book, labels = vq.kmeans2(heddle.asarray(rows), 3, minit=minit, rng=2)
        assert book.shape == (3, 2) and labels.shape == (60,)
    with pytest.raises(ValueError):
        vq.kmeans(rows, 0)
    with pytest.raises(ValueError, match="Unknown init"):
        vq.kmeans2(rows, 2, minit="other")


@pytest.mark.parametrize(
    "method", ["single", "complete", "average", "weighted", "centroid", "median", "ward"]
)
def test_trees(method):
    rows = blobs(30)
    tree = hierarchy.linkage(heddle.asarray(rows), method)
    expected = scipy.cluster.hierarchy.linkage(rows, method)
    assert_near(tree, expected, 1e-12)
    labels = hierarchy.fcluster(tree, 3, "maxclust")
    wanted = scipy.cluster.hierarchy.fcluster(expected, 3, "maxclust")
    assert host_of(labels).tolist() == wanted.tolist()
    assert_near(hierarchy.cophenet(tree), scipy.cluster.hierarchy.cophenet(expected), 1e-12)


@pytest.mark.parametrize(
    "method", ["single", "complete", "average", "weighted", "centroid", "median", "ward"]
)
@pytest.mark.parametrize("n", [2, 3, 4, 17, 150])
def test_trees_of_random_points(method, n):
    rows = numpy.random.default_rng(n).standard_normal((n, 3))
    expected = scipy.cluster.hierarchy.linkage(rows, method)
    assert_near(hierarchy.linkage(heddle.asarray(rows), method), expected, 1e-12)
    apart = scipy.spatial.distance.pdist(rows)
    assert_near(hierarchy.linkage(heddle.asarray(apart), method), expected, 1e-12)
    ordered = hierarchy.linkage(heddle.asarray(rows), method, optimal_ordering=True)
    assert ordered.shape == expected.shape
    assert isinstance(ordered, _core.own_array)


def test_trees_of_equal_distances():
    """Which of equally near clusters are joined first is open; heights are not."""
    square = numpy.array([(i, j) for i in range(4) for j in range(4)], float)
    for method in ("single", "complete", "average", "weighted"):
        tree = host_of(hierarchy.linkage(heddle.asarray(square), method))
        assert scipy.cluster.hierarchy.is_valid_linkage(tree)
        if method == "single":
            numpy.testing.assert_array_equal(tree[:, 2], 1)


def test_wrong_trees():
    rows = heddle.asarray(blobs(6))
    apart = heddle.asarray([1.0, 2.0, 3.0])
    for given, options, match in (
        (rows, {"method": "nearest"}, "Invalid method"),
        (rows, {"method": "ward", "metric": "cityblock"}, "Euclidean"),
        (heddle.ones((2, 2, 2)), {}, "1 or 2 dimensional"),
        (heddle.asarray([1.0, 2.0]), {}, "condensed|binomial"),
        (heddle.asarray([1.0, numpy.nan, 2.0]), {}, "finite"),
        (heddle.asarray([0.0, 0.0, -1.0]), {"method": "centroid"}, "negative"),
        (heddle.zeros(0), {}, "empty"),
    ):
        with pytest.raises(ValueError, match=match):
            hierarchy.linkage(given, **options)
    with pytest.warns(scipy.cluster.hierarchy.ClusterWarning):
        hierarchy.linkage(heddle.asarray([[0.0, 1.0], [1.0, 0.0]]))
    assert hierarchy.linkage(apart).shape == (2, 4)
