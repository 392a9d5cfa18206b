"""Shortest paths: by Dijkstra, Bellman and Ford, Johnson, Floyd and Warshall, Yen."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle import simt
from heddle._core import ndarray, own_array
from heddle._typing import HostArray, KernelArray
from heddle.scipy._errors import OfScipy
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse._typing import MatrixLike
from heddle.scipy.sparse.csgraph import _paths
from heddle.scipy.sparse.csgraph._graphs import (
    NULL,
    Graph,
    as_dense,
    as_rows,
    is_matrix,
    read,
)
from heddle.scipy.sparse.csgraph._yen import LooplessPaths


class NegativeCycleError(OfScipy, Exception, module="scipy.sparse.csgraph"):
    """A graph has a cycle of negative length: there is no shortest path.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.csgraph import NegativeCycleError, bellman_ford
    >>> try:
    ...     bellman_ford(np.array([[0.0, -1.0], [-1.0, 0.0]]))
    ... except NegativeCycleError as error:
    ...     print(error)
    Negative cycle detected on node 0
    """

    def __init__(self, message: str = "") -> None:
        Exception.__init__(self, message)


class _Sources:
    """Which nodes paths begin at, and rows of results for them."""

    def __init__(self, indices: object, n: int) -> None:
        if indices is None:
            given = numpy.arange(n, dtype=numpy.int32)
        else:
            held = indices._snapshot() if isinstance(indices, own_array) else indices
            given = numpy.array(held, dtype=numpy.int32)
        self.shape = (*given.shape, n)
        flat = given.reshape(-1).copy()
        flat[flat < 0] += n
        if ((flat < 0) | (flat >= n)).any():
            raise ValueError("indices out of range 0...N")
        self.nodes, self.n = flat, n

    def distances(self) -> HostArray:
        return numpy.full((len(self.nodes), self.n), numpy.inf)

    def begun(self) -> Any:
        """Distances with a 0 at each source."""
        made = self.distances()
        made[numpy.arange(len(self.nodes)), self.nodes] = 0
        return made

    def predecessors(self, wanted: bool) -> HostArray:
        width = self.n if wanted else 0
        return numpy.full((len(self.nodes), width), NULL, numpy.int32)

    def shaped(
        self, graph: Graph, distances: HostArray, before: HostArray, wanted: bool
    ) -> ndarray | tuple[ndarray, ndarray]:
        found = graph.place(distances.reshape(self.shape))
        return (found, graph.place(before.reshape(self.shape))) if wanted else found


def _unweighted(graph: Graph, unweighted: bool) -> None:
    if unweighted:
        graph.weights = numpy.ones_like(graph.weights)


@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> ndarray: ...
@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> ndarray | tuple[ndarray, ...]: ...
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> ndarray | tuple[ndarray, ...]:
    """Lengths of shortest paths by Dijkstra's algorithm, a source for each core; on the host.

    Parameters
    ----------
    csgraph : matrix, sparse or dense
        Weights that are not negative.
    directed : bool
        Whether edges lead one way only.
    indices : int or array of int, optional
        Where paths begin; at all nodes by default.
    return_predecessors : bool
        Whether predecessors are given, too; -9999 where there is none. With `min_only` also the
        source of each node.
    unweighted : bool
        Whether edges are counted instead.
    limit : float
        The largest length; those beyond are infinite.
    min_only : bool
        Whether only the path from the nearest source is wanted.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import dijkstra
    >>> graph = csr_array(np.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]]))
    >>> dijkstra(graph, indices=0, return_predecessors=True)
    (array([0., 1., 3.]), array([-9999,     0,     1], dtype=int32))
    """
    graph = read(csgraph, directed)
    if (graph.weights < 0).any():
        warnings.warn(
            "Graph has negative weights: dijkstra will give inaccurate results if the graph "
            "contains negative cycles. Consider johnson or bellman_ford.",
            stacklevel=2,
        )
    sources = _Sources(indices, graph.n)
    if limit < 0:
        raise ValueError("limit must be >= 0")
    _unweighted(graph, unweighted)
    edges = graph.both_ways(directed)
    if not min_only:
        distances, before = sources.distances(), sources.predecessors(return_predecessors)
        _paths.dijkstra_each(sources.nodes, *edges, not directed, float(limit), distances, before)
        return sources.shaped(graph, distances, before, return_predecessors)
    size = graph.n if return_predecessors else 0
    nearest = numpy.full(graph.n, numpy.inf)
    before, origin = (numpy.full(size, NULL, numpy.int32) for _ in range(2))
    _paths.dijkstra_from(sources.nodes, *edges, not directed, float(limit), nearest, before, origin)
    found = tuple(map(graph.place, (nearest, before, origin)))
    return found if return_predecessors else found[0]


# --- Bellman and Ford ---


@simt.kernel
def _relax(
    indptr: KernelArray,
    sources: KernelArray,
    weights: KernelArray,
    old: KernelArray,
    new: KernelArray,
    before: KernelArray,
    changed: KernelArray,
) -> None:
    # Edges by where they lead: one thread for each node and each source.
    p = simt.grid(1)
    n = old.shape[1]
    if p < old.size:
        s = p // n
        j = p % n
        best = old[s, j]
        found = -1
        for k in range(indptr[j], indptr[j + 1]):
            there = old[s, sources[k]] + weights[k]
            if there < best:
                best = there
                found = sources[k]
        new[s, j] = best
        if found >= 0:
            changed[0] = 1
            if before.shape[1] > 0:
                before[s, j] = found


_PASSES = 8  # between two looks


def _relaxed_on_device(edges: Any, device: Any, start: Any, before: Any) -> tuple[Any, ...]:
    """Distances and predecessors of edges by where they lead, and whether they still change."""
    ends, sources, weights = (np.asarray(part, device=device) for part in edges)
    old, before = np.asarray(start, device=device), np.asarray(before, device=device)
    new = np.empty_like(old)
    n = old.shape[1]
    kernel = _relax
    passes = 0
    while passes <= n + _PASSES:
        changed = np.zeros(1, "i4", device=device)
        for _ in range(_PASSES):
            changed = np.zeros(1, "i4", device=device)
            kernel.forall(old.size)(ends, sources, weights, old, new, before, changed)
            old, new = new, old
        passes += _PASSES
        if not int(changed[0]):
            return old, before, False
    return old, before, True


@overload
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
) -> ndarray: ...
@overload
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> ndarray | tuple[ndarray, ...]: ...
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> ndarray | tuple[ndarray, ...]:
    """Lengths of shortest paths by Bellman and Ford's algorithm; weights may be negative.

    Arrays of a GPU stay there: all edges of all sources are looked at at once, until nothing
    changes. Parameters are those of `dijkstra`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import bellman_ford
    >>> bellman_ford(csr_array(np.array([[0, 4, 5], [0, 0, -2], [0, 0, 0]])), indices=0)
    array([0., 4., 2.])
    """
    rows = as_rows(csgraph, directed)
    graph = Graph(rows, is_matrix(csgraph))
    sources = _Sources(indices, graph.n)
    _unweighted(graph, unweighted)
    distances, before = sources.begun(), sources.predecessors(return_predecessors)
    bad = numpy.zeros(len(sources.nodes), numpy.bool_)
    if not rows.data._on_host and distances.size:
        edges = graph.turned()
        if not directed:
            edges = _joined(edges, (graph.indptr, graph.indices, graph.weights))
        found, before, endless = _relaxed_on_device(edges, graph.device, distances, before)
        if endless:
            raise NegativeCycleError(f"Negative cycle detected on node {sources.nodes[0]}")
        found = found.reshape(sources.shape)
        return (found, before.reshape(sources.shape)) if return_predecessors else found
    _paths.relax_each(
        graph.indptr, graph.indices, graph.weights, not directed, distances, before, bad
    )
    if bad.any():
        raise NegativeCycleError(f"Negative cycle detected on node {sources.nodes[bad.argmax()]}")
    return sources.shaped(graph, distances, before, return_predecessors)


def _joined(a: tuple[Any, Any, Any], b: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """The edges of two lists of rows in one."""
    counts = numpy.diff(a[0]) + numpy.diff(b[0])
    rows = [numpy.repeat(numpy.arange(len(counts)), numpy.diff(part[0])) for part in (a, b)]
    order = numpy.argsort(numpy.concatenate(rows), kind="stable")
    ends = numpy.concatenate([[0], numpy.cumsum(counts)])
    return (
        ends,
        numpy.concatenate([a[1], b[1]])[order],
        numpy.concatenate([a[2], b[2]])[order],
    )


def _potentials(graph: Graph, directed: bool) -> HostArray:
    """Distances from a node that leads to all others; with them no weight is negative."""
    found = numpy.zeros(graph.n)
    none = numpy.empty(0, numpy.int32)
    edges = (graph.indptr, graph.indices, graph.weights)
    if _paths.relax_all(*edges, not directed, found, none):
        raise NegativeCycleError(f"Negative cycle detected on node {int(found.argmin())}")
    return found


def _reweighted(graph: Graph, potentials: HostArray) -> None:
    rows = numpy.repeat(numpy.arange(graph.n), numpy.diff(graph.indptr))
    graph.weights = graph.weights + potentials[rows] - potentials[graph.indices]


@overload
def johnson(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
) -> ndarray: ...
@overload
def johnson(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> ndarray | tuple[ndarray, ...]: ...
def johnson(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: object = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> ndarray | tuple[ndarray, ...]:
    """Lengths of shortest paths by Johnson's algorithm: Dijkstra's, on weights that are made
    positive; on the host. Parameters are those of `dijkstra`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import johnson
    >>> johnson(csr_array(np.array([[0, 4, 5], [0, 0, -2], [0, 0, 0]])), indices=0)
    array([0., 4., 2.])
    """
    if unweighted:
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    graph = read(csgraph, directed)
    sources = _Sources(indices, graph.n)
    potentials = _potentials(graph, directed)
    _reweighted(graph, potentials)
    distances, before = sources.distances(), sources.predecessors(return_predecessors)
    edges = graph.both_ways(directed)
    _paths.dijkstra_each(sources.nodes, *edges, not directed, numpy.inf, distances, before)
    distances += potentials
    distances -= potentials[sources.nodes][:, None]
    return sources.shaped(graph, distances, before, return_predecessors)


# --- Floyd and Warshall ---


@simt.kernel
def _through(distances: KernelArray, before: KernelArray, k: int) -> None:
    p = simt.grid(1)
    n = distances.shape[0]
    if p < n * n:
        i = p // n
        j = p % n
        through = distances[i, k] + distances[k, j]
        if i != k and j != k and through < distances[i, j]:
            distances[i, j] = through
            if before.size > 0:
                before[i, j] = before[k, j]


def floyd_warshall(
    csgraph: MatrixLike,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> ndarray | tuple[ndarray, ndarray]:
    """Lengths of shortest paths between all pairs of nodes by Floyd and Warshall's algorithm.

    Parameters are those of `dijkstra`; `overwrite` is a permission that nobody needs.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import floyd_warshall
    >>> floyd_warshall(csr_array(np.array([[0, 4, 5], [0, 0, -2], [0, 0, 0]])))
    array([[ 0.,  4.,  2.],
           [inf,  0., -2.],
           [inf, inf,  0.]])
    """
    dense = as_dense(csgraph)
    n = dense.shape[0]
    if not is_sparse(csgraph):
        dense = np.where(dense == 0, np.inf, dense)
    if unweighted:
        dense = np.where(np.isinf(dense), dense, 1.0)
    places = np.arange(n, device=dense.device)
    same = places[:, None] == places
    if not directed:
        dense = np.minimum(dense, dense.T)
    dense = np.where(same, 0.0, dense)
    before = np.zeros((0, 0), "i4", device=dense.device)
    if return_predecessors:
        known = np.isfinite(dense) & ~same
        before = np.where(known, places[:, None], NULL).astype("i4")
    if dense._on_host:
        found, theirs = dense._snapshot(), before._snapshot()
        _paths.all_pairs(found, theirs)
        dense, before = (np.asarray(a, device=dense.device) for a in (found, theirs))
    else:
        kernel = _through
        dense, before = dense.copy(), before.copy()
        for k in range(n):
            kernel.forall(n * n)(dense, before, k)
    bad = np.flatnonzero(np.diagonal(dense) < 0)._snapshot()
    if len(bad):
        raise NegativeCycleError(f"Negative cycle in nodes {bad}")
    return (dense, before) if return_predecessors else dense


@overload
def shortest_path(
    csgraph: MatrixLike,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: object = None,
) -> ndarray: ...
@overload
def shortest_path(
    csgraph: MatrixLike,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: object = None,
) -> ndarray | tuple[ndarray, ...]: ...
def shortest_path(
    csgraph: MatrixLike,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: object = None,
) -> ndarray | tuple[ndarray, ...]:
    """Lengths of shortest paths by the method that suits the graph, or a given one.

    Parameters are those of `dijkstra`, and:

    Parameters
    ----------
    method : {'auto', 'FW', 'D', 'BF', 'J'}
        Floyd and Warshall's, Dijkstra's, Bellman and Ford's, or Johnson's.
    overwrite : bool
        A permission that nobody needs.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import shortest_path
    >>> shortest_path(csr_array(np.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]])))
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    if method == "auto":
        method = _best(csgraph, directed, indices)
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    known: dict[str, Callable[..., Any]] = {"D": dijkstra, "BF": bellman_ford, "J": johnson}
    if method not in known:
        raise ValueError(f"unrecognized method '{method}'")
    found: ndarray | tuple[ndarray, ...] = known[method](
        csgraph, directed, indices, return_predecessors, unweighted
    )
    return found


def _best(csgraph: object, directed: bool, indices: object) -> str:
    rows = as_sparse(csgraph).tocsr() if is_sparse(csgraph) else as_rows(csgraph, directed)
    n = rows.shape[0]
    if indices is None and rows.nnz >= n * n / 4:
        return "FW"
    return "J" if bool(np.any(rows.data < 0)) else "D"


# --- Yen ---


@overload
def yen(
    csgraph: MatrixLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
) -> ndarray: ...
@overload
def yen(
    csgraph: MatrixLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> ndarray | tuple[ndarray, ...]: ...
def yen(
    csgraph: MatrixLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> ndarray | tuple[ndarray, ...]:
    """Lengths of the K shortest paths without loops between two nodes, by Yen's algorithm; on the
    host.

    Parameters
    ----------
    csgraph : matrix, sparse or dense
    source, sink : int
        Where paths begin and end.
    K : int
        How many, at most.
    directed, return_predecessors, unweighted
        Those of `dijkstra`; a row of predecessors for each path.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import yen
    >>> yen(csr_array(np.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]])), 0, 2, 3)
    array([3., 5.])
    """
    graph = read(csgraph, directed)
    n = graph.n
    source, sink = operator.index(source), operator.index(sink)
    if not (0 <= source < n and 0 <= sink < n):
        raise ValueError(
            "For csgraph with shape (N, N), must have 0 <= source < N and 0 <= sink < N. "
            f"Got N={n}, source={source}, sink={sink}."
        )
    if operator.index(K) < 0:
        raise ValueError(f"K={K} must not be negative")
    _unweighted(graph, unweighted)
    shift = 0.0
    if (graph.weights < 0).any():
        potentials = _potentials(graph, directed)
        _reweighted(graph, potentials)
        shift = potentials[sink] - potentials[source]
    found = LooplessPaths(graph, directed).paths(source, sink, K)
    lengths = numpy.array([length for length, _ in found]) + shift
    if not return_predecessors:
        return graph.place(lengths)
    before = numpy.full((len(found), n), NULL, numpy.int32)
    for row, (_, path) in zip(before, found, strict=True):
        row[list(path[1:])] = path[:-1]
    return graph.place(lengths), graph.place(before)
