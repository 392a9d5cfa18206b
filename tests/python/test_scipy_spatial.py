"""heddle.scipy.spatial against SciPy: distances, k-d trees, triangulations."""

import pickle

import numpy
import pytest
import scipy.spatial
from scipy.spatial import distance as theirs
from scipy_support import assert_near, host_of, same

import heddle
from heddle.scipy import spatial
from heddle.scipy.spatial import distance

TRUTH = ("dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "jaccard")
METRICS = [*TRUTH, "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine"]
METRICS += ["euclidean", "hamming", "jensenshannon", "mahalanobis", "minkowski", "seuclidean"]
METRICS += ["sqeuclidean"]


@pytest.mark.parametrize("metric", METRICS)
def test_metrics(metric):
    rng = numpy.random.default_rng(0)
    a, b, w = rng.random((9, 5)), rng.random((7, 5)), rng.random(5)
    if metric in TRUTH:
        a, b = a > 0.5, b > 0.5
    for keywords in ({}, {"w": w}):
        same(distance.cdist, theirs.cdist, a, b, metric, tolerance=1e-12, **keywords)
        same(distance.pdist, theirs.pdist, a, metric, tolerance=1e-12, **keywords)
    if metric not in ("mahalanobis", "seuclidean"):
        ours = getattr(distance, metric)(heddle.asarray(a[0]), heddle.asarray(b[0]))
        expected = getattr(theirs, metric)(a[0], b[0])
        numpy.testing.assert_allclose(float(ours), float(expected), rtol=1e-12)


def test_what_is_no_distribution_is_far():
    rows = numpy.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 2.0], [0.5, 0.25]])
    same(distance.cdist, theirs.cdist, rows, rows, "jensenshannon")
    same(distance.pdist, theirs.pdist, rows, "jensenshannon")


def test_other_distances():
    rng = numpy.random.default_rng(1)
    a, b = rng.random((9, 3)), rng.random((7, 3))
    for p in (1, 3, numpy.inf):
        same(distance.cdist, theirs.cdist, a, b, "minkowski", p=p)
        same(spatial.distance_matrix, scipy.spatial.distance_matrix, a, b, p)
    line = theirs.pdist(a)
    same(distance.squareform, theirs.squareform, line)
    same(distance.squareform, theirs.squareform, theirs.squareform(line))
    same(distance.squareform, theirs.squareform, line[:-1])
    for dtype in ("?", "i1", "u2", "i8", "f4", "c16"):
        same(distance.squareform, theirs.squareform, (line * 9).astype(dtype)[::-1])
    same(distance.cdist, theirs.cdist, a, b[:, :2])
    same(distance.cdist, theirs.cdist, a, b, "no such metric")
    same(distance.cdist, theirs.cdist, a[:0], b)
    found, i, j = distance.directed_hausdorff(heddle.asarray(a), heddle.asarray(b))
    expected = theirs.directed_hausdorff(a, b)
    assert (i, j) == expected[1:] and abs(float(found) - expected[0]) < 1e-14
    same(spatial.procrustes, scipy.spatial.procrustes, a, a[::-1] * 2 + 1, tolerance=1e-12)
    ends = numpy.eye(3)[:2]
    times = numpy.linspace(0, 1, 5)
    same(spatial.geometric_slerp, scipy.spatial.geometric_slerp, *ends, times)


@pytest.mark.parametrize(("n", "dims"), [(1, 2), (9, 3), (500, 3), (400, 1), (600, 5)])
def test_trees(n, dims):
    rng = numpy.random.default_rng(n)
    points, places = rng.random((n, dims)), rng.random((21, dims))
    ours, expected = spatial.KDTree(heddle.asarray(points)), scipy.spatial.KDTree(points)
    q = heddle.asarray(places)
    for p in (1, 2, 3, numpy.inf):
        for k in (1, 4, [2, 5]):
            assert_near(ours.query(q, k, p=p), expected.query(places, k, p=p), 1e-14)
        found = ours.query_ball_point(q, 0.3, p=p)
        wanted = expected.query_ball_point(places, 0.3, p=p)
        assert [sorted(each) for each in found] == [sorted(each) for each in wanted]
        counts = ours.query_ball_point(q, 0.3, p=p, return_length=True)
        assert host_of(counts).tolist() == [len(each) for each in wanted]
        assert ours.query_pairs(0.1, p=p) == expected.query_pairs(0.1, p=p)
        assert int(ours.count_neighbors(ours, 0.2, p=p)) == expected.count_neighbors(
            expected, 0.2, p=p
        )
    bounded = ours.query(q, 3, distance_upper_bound=0.1)
    assert_near(bounded, expected.query(places, 3, distance_upper_bound=0.1), 1e-14)
    again = pickle.loads(pickle.dumps(ours))
    assert_near(again.query(q), expected.query(places), 1e-14)
    entries = ours.sparse_distance_matrix(ours, 0.1, output_type="dict")
    wanted = expected.sparse_distance_matrix(expected, 0.1, output_type="dict")
    assert entries.keys() == wanted.keys()


@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_balls_that_may_be_too_large(eps):
    points = numpy.random.default_rng(8).random((700, 2))
    tree, radius = spatial.KDTree(heddle.asarray(points)), 0.1
    distances = theirs.cdist(points, points)
    lists = tree.query_ball_point(heddle.asarray(points), radius, eps=eps)
    counts = tree.query_ball_point(heddle.asarray(points), radius, eps=eps, return_length=True)
    assert [len(each) for each in lists] == counts.tolist()
    for row, found in zip(distances, lists, strict=True):
        assert set(numpy.flatnonzero(row <= radius / (1 + eps))) <= set(found)
        assert set(found) <= set(numpy.flatnonzero(row <= radius * (1 + eps)))
    assert list(map(sorted, tree.query_ball_tree(tree, radius, eps=eps))) == lists.tolist()
    expected = {(i, j) for i, found in enumerate(lists) for j in found if i < j}
    assert tree.query_pairs(radius, eps=eps) == expected


def test_trees_of_periodic_boxes():
    rng = numpy.random.default_rng(5)
    points, places = rng.random((300, 3)), rng.random((40, 3)) * 3 - 1
    ours = spatial.KDTree(heddle.asarray(points), boxsize=1.0)
    expected = scipy.spatial.KDTree(points, boxsize=1.0)
    assert_near(ours.query(heddle.asarray(places), 3), expected.query(places, 3), 1e-12)
    with pytest.raises(ValueError):
        spatial.KDTree(points * 2, boxsize=1.0)


def test_trees_refuse():
    with pytest.raises(ValueError, match="finite"):
        spatial.KDTree([[numpy.nan, 1.0]])
    with pytest.raises(TypeError, match="complex"):
        spatial.KDTree([[1j, 1.0]])
    with pytest.raises(ValueError, match="length 2"):
        spatial.KDTree([[0.0, 1.0]]).query([1.0, 2.0, 3.0])
    same_places = spatial.KDTree(numpy.zeros((50, 2)))
    assert len(same_places.query_ball_point([0.0, 0.0], 0.0)) == 50
    empty = spatial.KDTree(numpy.zeros((0, 2)))
    found, place = empty.query([[0.0, 0.0]])
    assert float(found[0]) == numpy.inf and int(place[0]) == 0


def test_triangulations():
    rng = numpy.random.default_rng(7)
    for dims in (2, 3):
        points, places = rng.random((80, dims)), rng.random((200, dims)) * 1.2 - 0.1
        ours, expected = spatial.Delaunay(heddle.asarray(points)), scipy.spatial.Delaunay(points)
        assert_near(ours.simplices, expected.simplices)
        found = ours.find_simplex(heddle.asarray(places))
        assert_near(found, expected.find_simplex(places))
        twice = numpy.concatenate([points, points])  # SciPy's vertex_to_simplex errs for these
        ours, expected = spatial.Delaunay(heddle.asarray(twice)), scipy.spatial.Delaunay(twice)
        assert_near(ours.find_simplex(heddle.asarray(places)), expected.find_simplex(places))
        hull = spatial.ConvexHull(heddle.asarray(points))
        assert_near(hull.vertices, scipy.spatial.ConvexHull(points).vertices)


def test_slerp_between_opposite_places():
    """There is no one arc: any great circle of the right length will do."""
    opposite = [([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]), ([0.0, 1.0], [0.0, -1.0])]
    for start, end in opposite:
        with pytest.warns(UserWarning, match="antipodes"):
            path = host_of(spatial.geometric_slerp(start, end, numpy.linspace(0, 1, 9)))
        numpy.testing.assert_allclose(numpy.linalg.norm(path, axis=1), 1.0, rtol=1e-14)
        numpy.testing.assert_allclose(path[[0, -1]], [start, end], atol=1e-14)
    start = numpy.array([-1.64e-10, -9.6e-4, 0.0])
    start[2] = numpy.sqrt(1 - start @ start)
    path = host_of(spatial.geometric_slerp(start, [0.0, 0.0, -1.0], numpy.linspace(0, 1, 9)))
    numpy.testing.assert_allclose(numpy.linalg.norm(path, axis=1), 1.0, rtol=1e-13)
    with pytest.raises(ValueError, match="float"):
        spatial.geometric_slerp([1.0, 0.0], [0.0, 1.0], [0.5], tol=5)


def test_distances_of_unusual_vectors():
    u, v = [1.0, 2.0, 0.0, 3.0], [2.0, 2.0, 1.0, 0.0]
    assert float(distance.jaccard(u, v)) == theirs.jaccard(u, v)
    for metric in ("cdist", "pdist"):
        rows = [[u, v]] if metric == "pdist" else [[u, v], [v, u]]
        found = getattr(distance, metric)(*map(heddle.asarray, rows), "jaccard")
        assert_near(found, getattr(theirs, metric)(*rows, "jaccard"), 1e-15)
    for name in ("cosine", "correlation"):
        with pytest.raises(TypeError, match="real"):
            getattr(distance, name)([1j, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="same length"):
        distance.hamming([1, 0], [1, 1], w=[1.0, 1.0, 1.0])
    assert distance.squareform(heddle.zeros((0, 0), "f4")).dtype == "f4"


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4", "u1", "?"])
def test_squares_of_floats_keep_their_type(dtype):
    a, b = (numpy.array(each).astype(dtype) for each in ([1, 0, 1], [0, 1, 1]))
    made = distance.sqeuclidean(heddle.asarray(a), heddle.asarray(b))
    assert made.dtype == theirs.sqeuclidean(a, b).dtype


def test_arrays_that_triangulations_keep_are_one_array():
    tri = spatial.Delaunay(heddle.asarray(numpy.random.default_rng(0).random((9, 2))))
    assert tri.simplices is tri.simplices
    before = numpy.sort(host_of(tri.simplices), axis=1)
    tri.simplices.sort()
    assert_near(tri.simplices, before)
    more = spatial.ConvexHull(heddle.asarray(numpy.random.default_rng(1).random((9, 2))), True)
    first = more.vertices
    more.add_points(heddle.asarray(numpy.array([[3.0, 3.0], [-3.0, 2.0]])))
    assert host_of(more.vertices).max() == 10 > host_of(first).max()
    points = numpy.concatenate([numpy.eye(3), -numpy.eye(3)])
    sphere, expected = (s.SphericalVoronoi(points) for s in (spatial, scipy.spatial))
    regions = sphere.regions
    sphere.sort_vertices_of_regions()
    expected.sort_vertices_of_regions()
    assert sphere.regions is regions
    assert regions == expected.regions


def test_neighbours_of_nothing():
    tree = spatial.KDTree(heddle.ones((3, 2)))
    with pytest.raises(ValueError, match="k must be an integer"):
        tree.query(1.0, k=None)


@pytest.mark.parametrize("metric", TRUTH)
def test_metrics_of_truth_values_take_numbers(metric):
    rng = numpy.random.default_rng(4)
    weights = rng.random(6)
    ours, other = getattr(distance, metric), getattr(theirs, metric)
    for u, v in (rng.normal(size=(2, 6)), rng.integers(0, 3, (2, 6)), rng.random((2, 6)) > 0.5):
        same(ours, other, u, v, tolerance=1e-12)
        same(ours, other, u, v, weights, tolerance=1e-12)
        same(distance.cdist, theirs.cdist, u[None], v[None], metric, tolerance=1e-12)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "cosine", "correlation", "euclidean"])
def test_types_of_distances(metric):
    rng = numpy.random.default_rng(5)
    for dtype in ("f8", "f4", "i8", "i4"):
        u, v = (rng.normal(size=(2, 6)) * 5).astype(dtype)
        tolerance = 1e-5 if dtype == "f4" else 1e-12
        same(getattr(distance, metric), getattr(theirs, metric), u, v, tolerance=tolerance)
    u, v = rng.random((2, 6)).astype("f4")
    same(distance.jensenshannon, theirs.jensenshannon, u, v, tolerance=1e-5)
