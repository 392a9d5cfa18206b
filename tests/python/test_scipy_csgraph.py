"""heddle.scipy.sparse.csgraph against SciPy."""

import itertools
import warnings

import numpy
import pytest
import scipy.sparse
import scipy.sparse.csgraph as theirs
from scipy_support import assert_near, host_of

import heddle
from heddle.scipy import sparse
from heddle.scipy.sparse import csgraph

SEEDS = range(6)


def graph(n, density, seed, low=1, high=9):
    """A random graph of small integers, dense, NumPy's."""
    draw = numpy.random.default_rng(seed)
    return draw.integers(low, high, (n, n)) * (draw.random((n, n)) < density) * 1.0


def forms(a):
    """The same graph as ours and as SciPy's, sparse and dense."""
    yield sparse.csr_array(heddle.asarray(a)), scipy.sparse.csr_array(a)
    yield sparse.csc_array(heddle.asarray(a)), scipy.sparse.csc_array(a)
    yield heddle.asarray(a), a


def dense(x):
    return host_of(x.toarray()) if hasattr(x, "toarray") else host_of(x)


def in_order(labels):
    """The same parts, numbered as they come."""
    known = {}
    return numpy.array([known.setdefault(int(label), len(known)) for label in labels])


@pytest.mark.parametrize("seed", SEEDS)
def test_components(seed):
    a = graph(40, 0.03, seed)
    for ours, expected in forms(a):
        for directed, connection in itertools.product((True, False), ("weak", "strong")):
            found = csgraph.connected_components(ours, directed, connection)
            count, labels = theirs.connected_components(expected, directed, connection)
            assert found[0] == count
            # How strong components are numbered is another matter in each release of SciPy.
            labels_found = host_of(found[1])
            assert labels_found.dtype == labels.dtype
            numpy.testing.assert_array_equal(in_order(labels_found), in_order(labels))
        assert csgraph.connected_components(ours, return_labels=False) == count or directed
    with pytest.raises(ValueError):
        csgraph.connected_components(ours, connection="none")
    with pytest.raises(ValueError):
        csgraph.connected_components(sparse.csr_array(heddle.ones((2, 3))))


@pytest.mark.parametrize("seed", SEEDS)
def test_visits(seed):
    a = graph(30, 0.08, seed)
    for name, directed in itertools.product(("breadth_first", "depth_first"), (True, False)):
        for ours, expected in forms(a):
            found = getattr(csgraph, f"{name}_order")(ours, 3, directed)
            assert_near(found, getattr(theirs, f"{name}_order")(expected, 3, directed))
            tree = getattr(csgraph, f"{name}_tree")(ours, 3, directed)
            wanted = getattr(theirs, f"{name}_tree")(expected, 3, directed)
            assert_near(tree.toarray(), wanted.toarray())
    only = csgraph.breadth_first_order(heddle.asarray(a), 0, return_predecessors=False)
    assert_near(only, theirs.breadth_first_order(a, 0, return_predecessors=False))
    with pytest.raises(ValueError):
        csgraph.breadth_first_order(heddle.asarray(a), 30)


def lengths_of(a, before, directed):
    """Distances that predecessors lead along, of a dense graph."""
    weights = numpy.where(a == 0, numpy.inf, a)
    weights = weights if directed else numpy.minimum(weights, weights.T)
    made = numpy.full(before.shape, numpy.inf)
    for i, j in numpy.ndindex(*before.shape):
        k, total, steps = j, 0.0, 0
        while k != i and before[i, k] >= 0 and steps <= len(a):
            total += weights[before[i, k], k]
            k = before[i, k]
            steps += 1
        made[i, j] = total if k == i else numpy.inf
    return made


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["auto", "FW", "D", "BF", "J"])
def test_shortest_paths(method, seed):
    a = graph(25, (0.06, 0.15, 0.5)[seed % 3], seed)
    for ours, expected in forms(a):
        for directed, unweighted in itertools.product((True, False), (True, False)):
            options = {"method": method, "directed": directed, "unweighted": unweighted}
            found, before = csgraph.shortest_path(ours, return_predecessors=True, **options)
            wanted = theirs.shortest_path(expected, **options)
            assert_near(found, wanted, 1e-12)
            assert before.dtype == numpy.int32
            weights = (a != 0) * 1.0 if unweighted else a
            numpy.testing.assert_allclose(lengths_of(weights, host_of(before), directed), wanted)
            assert_near(csgraph.shortest_path(ours, **options), wanted, 1e-12)
    if method != "FW":
        for indices in (3, [1, 2], numpy.array([[0, -1], [5, 6]])):
            found = csgraph.shortest_path(ours, method=method, indices=indices)
            assert_near(
                found, theirs.shortest_path(expected, method=method, indices=indices), 1e-12
            )
        with pytest.raises(ValueError):
            csgraph.shortest_path(ours, method=method, indices=25)


def test_negative_weights():
    draw = numpy.random.default_rng(0)
    a = numpy.triu(draw.integers(-3, 9, (20, 20)) * (draw.random((20, 20)) < 0.3), 1) * 1.0
    ours = sparse.csr_array(heddle.asarray(a))
    expected = theirs.shortest_path(a, method="BF")
    for method in ("FW", "BF", "J", "auto"):
        assert_near(csgraph.shortest_path(ours, method=method), expected, 1e-12)
    a[10, 2] = -100
    a[2, 10] = 1
    for method, directed in itertools.product(("FW", "BF", "J"), (True, False)):
        for given in (sparse.csr_array(heddle.asarray(a)), heddle.asarray(a)):
            with pytest.raises(csgraph.NegativeCycleError):
                csgraph.shortest_path(given, method=method, directed=directed)
    with pytest.warns(UserWarning, match="negative"):
        csgraph.dijkstra(ours)
    with pytest.raises(ValueError, match="unrecognized"):
        csgraph.shortest_path(ours, method="X")
    with pytest.raises(ValueError, match="indices"):
        csgraph.shortest_path(ours, method="FW", indices=1)


def test_limits_and_nearest_sources():
    a = graph(40, 0.08, 1)
    ours, expected = sparse.csr_array(heddle.asarray(a)), scipy.sparse.csr_array(a)
    for directed in (True, False):
        assert_near(
            csgraph.dijkstra(ours, directed, limit=6.0),
            theirs.dijkstra(expected, directed, limit=6.0),
        )
        found = csgraph.dijkstra(
            ours, directed, indices=[0, 7, 9], min_only=True, return_predecessors=True
        )
        wanted = theirs.dijkstra(expected, directed, indices=[0, 7, 9], min_only=True)
        assert_near(found[0], wanted)
        each = host_of(csgraph.dijkstra(ours, directed, indices=[0, 7, 9]))
        origin = host_of(found[2])
        for node, source in enumerate(origin.tolist()):
            assert source == -9999 or each[[0, 7, 9].index(source), node] == wanted[node]
    with pytest.raises(ValueError, match="limit"):
        csgraph.dijkstra(ours, limit=-1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_yen(seed):
    a = graph(12, 0.3, seed)
    for directed, unweighted in itertools.product((True, False), (True, False)):
        options = {"directed": directed, "unweighted": unweighted}
        found, before = csgraph.yen(
            sparse.csr_array(heddle.asarray(a)), 0, 5, 6, return_predecessors=True, **options
        )
        wanted = theirs.yen(scipy.sparse.csr_array(a), 0, 5, 6, **options)
        assert_near(found, wanted)
        assert before.shape == (len(wanted), 12)
    with pytest.raises(ValueError):
        csgraph.yen(heddle.asarray(a), 0, 12, 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_spanning_trees(seed):
    a = graph(40, 0.1, seed)
    for ours, expected in forms(a):
        found = csgraph.minimum_spanning_tree(ours)
        assert isinstance(found, sparse.csr_array)
        assert_near(found.toarray(), theirs.minimum_spanning_tree(expected).toarray())
    found = csgraph.minimum_spanning_tree(sparse.csr_matrix(heddle.asarray(a)))
    assert isinstance(found, sparse.csr_matrix)


@pytest.mark.parametrize("seed", SEEDS)
def test_orders_and_matchings(seed):
    a = graph(16, 0.12, seed)
    ours, expected = sparse.csr_array(heddle.asarray(a)), scipy.sparse.csr_array(a)
    for symmetric in (True, False):
        found = host_of(csgraph.reverse_cuthill_mckee(ours, symmetric_mode=symmetric))
        assert sorted(found.tolist()) == list(range(16))
        if not symmetric:
            numpy.testing.assert_array_equal(
                found, theirs.reverse_cuthill_mckee(expected, symmetric_mode=symmetric)
            )
    assert csgraph.structural_rank(ours) == theirs.structural_rank(expected)
    for kind in ("row", "column"):
        found = host_of(csgraph.maximum_bipartite_matching(ours, kind))
        wanted = theirs.maximum_bipartite_matching(expected, kind)
        assert (found >= 0).sum() == (wanted >= 0).sum()
        pairs = found[found >= 0]
        assert len(set(pairs.tolist())) == len(pairs)
        places = numpy.flatnonzero(found >= 0)
        rows, columns = (pairs, places) if kind == "row" else (places, pairs)
        assert (a[rows, columns] != 0).all()
    for shape in ((8, 8), (6, 9), (9, 6)):
        draw = numpy.random.default_rng(seed)
        b = draw.integers(1, 20, shape) * (draw.random(shape) < 0.7) * 1.0
        for maximize in (False, True):
            try:
                wanted = theirs.min_weight_full_bipartite_matching(
                    scipy.sparse.csr_array(b), maximize
                )
            except ValueError:
                with pytest.raises(ValueError, match="full matching"):
                    csgraph.min_weight_full_bipartite_matching(
                        sparse.csr_array(heddle.asarray(b)), maximize
                    )
                continue
            rows, columns = csgraph.min_weight_full_bipartite_matching(
                sparse.csr_array(heddle.asarray(b)), maximize
            )
            assert_near(rows, wanted[0])
            assert b[host_of(rows), host_of(columns)].sum() == b[wanted].sum()
    for call in (
        csgraph.maximum_bipartite_matching,
        csgraph.min_weight_full_bipartite_matching,
        csgraph.structural_rank,
        csgraph.reverse_cuthill_mckee,
    ):
        with pytest.raises(TypeError):
            call(heddle.asarray(a))


@pytest.mark.parametrize("seed", SEEDS)
def test_flows(seed):
    a = graph(14, 0.3, seed).astype(numpy.int32)
    ours, expected = sparse.csr_array(heddle.asarray(a)), scipy.sparse.csr_array(a)
    for method in ("dinic", "edmonds_karp"):
        found = csgraph.maximum_flow(ours, 0, 5, method=method)
        assert found.flow_value == theirs.maximum_flow(expected, 0, 5, method=method).flow_value
        flow = dense(found.flow)
        numpy.testing.assert_array_equal(flow, -flow.T)
        assert (flow <= a).all()
        inner = numpy.delete(flow.sum(axis=1), [0, 5])
        assert not inner.any() and flow[0].sum() == found.flow_value
    for wrong in (
        {"source": 3, "sink": 3},
        {"source": 99, "sink": 3},
        {"source": 0, "sink": -1},
        {"source": 0, "sink": 1, "method": "none"},
    ):
        with pytest.raises(ValueError):
            csgraph.maximum_flow(ours, **wrong)
    with pytest.raises(TypeError):
        csgraph.maximum_flow(heddle.asarray(a), 0, 1)
    with pytest.raises(ValueError):
        csgraph.maximum_flow(ours.astype("f8"), 0, 1)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_laplacians(dtype):
    a = graph(12, 0.3, 0).astype(dtype)
    a[3] = a[:, 3] = 0
    if dtype == "c16":
        a = a * (1 + 1j)
    flags = (True, False)
    options = itertools.product(flags, flags, flags, ("array", "lo", "function"))
    for normed, out, symmetrized, form in options:
        given = {
            "normed": normed,
            "use_out_degree": out,
            "symmetrized": symmetrized,
            "form": form,
            "return_diag": True,
        }
        for ours, expected in forms(a):
            with numpy.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = csgraph.laplacian(ours, **given)
                wanted = theirs.laplacian(expected.copy(), **given)
            assert_near(found[1], wanted[1], 1e-6 if dtype == "f4" else 1e-12)
            if form == "array":
                left, right = dense(found[0]), dense(wanted[0])
                assert left.dtype == right.dtype
            else:
                x = numpy.random.default_rng(1).random((12, 2))
                left, right = host_of(found[0](heddle.asarray(x))), wanted[0](x)
            numpy.testing.assert_allclose(left, right, atol=1e-5 if dtype == "f4" else 1e-12)
    with pytest.raises(ValueError):
        csgraph.laplacian(heddle.ones((2, 3)))
    with pytest.raises(ValueError):
        csgraph.laplacian(heddle.eye(2), form="none")


def test_conversions():
    a = numpy.array([[0.0, 2.0, numpy.inf], [numpy.nan, 0.0, 3.0], [1e-9, 4.0, 0.0]])
    for options in ({}, {"null_value": 2}, {"null_value": None}, {"nan_null": False}):
        found = csgraph.csgraph_from_dense(heddle.asarray(a), **options)
        expected = theirs.csgraph_from_dense(a, **options)
        assert_near(found.data, expected.data)
        assert_near(found.indices, expected.indices)
        masked = csgraph.csgraph_masked_from_dense(heddle.asarray(a), **options)
        wanted = theirs.csgraph_masked_from_dense(a, **options)
        numpy.testing.assert_array_equal(masked.mask, wanted.mask)
        found = csgraph.csgraph_from_masked(masked)
        assert_near(found.toarray(), theirs.csgraph_from_masked(wanted).toarray())
    twice = (numpy.array([3.0, 2.0, 5.0]), (numpy.array([0, 0, 1]), numpy.array([1, 1, 0])))
    coo = scipy.sparse.coo_array(twice, shape=(3, 3))
    expected = scipy.sparse.csr_array((coo.data, coo.col, [0, 2, 3, 3]), shape=(3, 3))
    ours = sparse.csr_array(
        tuple(heddle.asarray(numpy.asarray(p)) for p in (coo.data, coo.col, [0, 2, 3, 3])),
        shape=(3, 3),
    )
    for null in (0, numpy.inf, -1):
        assert_near(csgraph.csgraph_to_dense(ours, null), theirs.csgraph_to_dense(expected, null))
    numpy.testing.assert_array_equal(
        csgraph.csgraph_to_masked(ours).mask, theirs.csgraph_to_masked(expected).mask
    )
    with pytest.raises(ValueError):
        csgraph.csgraph_to_dense(heddle.eye(2))
    with pytest.raises(ValueError):
        csgraph.csgraph_from_dense(heddle.ones((2, 3)))


def test_distances_of_predecessors():
    a = graph(20, 0.2, 3)
    for directed in (True, False):
        before = theirs.shortest_path(a, directed=directed, return_predecessors=True)[1]
        expected = theirs.construct_dist_matrix(a, before, directed, null_value=-1)
        found = csgraph.construct_dist_matrix(
            sparse.csr_array(heddle.asarray(a)), heddle.asarray(before), directed, null_value=-1
        )
        assert_near(found, expected, 1e-12)
        tree = csgraph.reconstruct_path(heddle.asarray(a), heddle.asarray(before[0]), directed)
        assert_near(tree.toarray(), theirs.reconstruct_path(a, before[0], directed).toarray())
    with pytest.raises(TypeError):
        csgraph.construct_dist_matrix(heddle.asarray(a), heddle.asarray(before.astype("i8")))
    with pytest.raises(ValueError):
        csgraph.construct_dist_matrix(heddle.asarray(a), heddle.asarray(before[:3]))
    # SciPy would read beyond the matrix, or never end.
    for wrong in ([[-9999, 0, 9], [1, -9999, 0], [2, 0, -9999]], [[-9999, 2, 1]] * 3):
        with pytest.raises(ValueError, match="predecessors"):
            csgraph.construct_dist_matrix(numpy.ones((3, 3)), numpy.array(wrong, "i4"))


def test_empty_graphs():
    for n in (1, 3):
        empty = sparse.csr_array((n, n))
        assert csgraph.connected_components(empty)[0] == n
        expected = theirs.shortest_path(scipy.sparse.csr_array((n, n)))
        assert_near(csgraph.shortest_path(empty), expected)
        assert csgraph.minimum_spanning_tree(empty).nnz == 0
        assert_near(csgraph.breadth_first_order(empty, 0)[0], numpy.zeros(1, numpy.int32))


def test_functions_of_laplacians_keep_their_graph():
    a = numpy.arange(9.0).reshape(3, 3)
    ours = heddle.asarray(a)
    made = csgraph.laplacian(ours, form="function")
    expected = theirs.laplacian(a, form="function")
    ours += ours.T
    a += a.T
    numpy.testing.assert_allclose(host_of(made(heddle.eye(3))), expected(numpy.eye(3)))


@pytest.mark.parametrize("normed", [False, True])
def test_laplacians_in_place(normed):
    a = graph(9, 0.4, 3)
    expected = theirs.laplacian(a, normed=normed)
    dense_graph = heddle.asarray(a)
    made = csgraph.laplacian(dense_graph, normed=normed, copy=False)
    assert made is dense_graph
    assert_near(dense_graph, expected, 1e-12)
    coordinates = sparse.coo_array(heddle.asarray(a))
    assert csgraph.laplacian(coordinates, normed=normed, copy=False) is coordinates
    assert_near(coordinates.toarray(), expected, 1e-12)
    whole = heddle.asarray(a.astype(int))
    made = csgraph.laplacian(whole, normed=normed, copy=False)
    assert (made is whole) is not normed
    assert_near(made.astype(float), expected, 1e-12)
    compressed = sparse.csr_array(heddle.asarray(a))
    assert_near(csgraph.laplacian(compressed, normed=normed, copy=False).toarray(), expected, 1e-12)
    assert_near(compressed.toarray(), a, 0)
