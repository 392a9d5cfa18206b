"""Graphs from one form to another, and what follows from lists of predecessors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._compiled.functions import njit, prange
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.sparse import csr_array, csr_matrix
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse._typing import MatrixLike
from heddle.scipy.sparse.csgraph._graphs import NULL, as_dense, read

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CsrBase


def _square(a: ndarray | HostArray) -> None:
    if a.ndim != 2:
        raise ValueError("graph should have two dimensions")
    if a.shape[0] != a.shape[1]:
        raise ValueError("graph should be a square array")


def null_edges(
    a: ndarray | HostArray, null_value: float, nan_null: bool, infinity_null: bool
) -> HostArray:
    """Where a dense matrix has no edge, of ours or of NumPy's."""
    xp = np if isinstance(a, own_array) else numpy
    mask = xp.zeros_like(a, dtype=bool)
    if null_value is not None:
        null = float(null_value)
        if numpy.isnan(null):
            nan_null = True
        elif numpy.isinf(null):
            infinity_null = True
        elif a.dtype.kind in "fc":
            mask = mask | (xp.abs(a - null) <= 1e-8 + 1e-5 * abs(null))
        else:
            mask = mask | (a == null)
    if infinity_null and a.dtype.kind in "fc":
        mask = mask | xp.isinf(a)
    if nan_null and a.dtype.kind in "fc":
        mask = mask | xp.isnan(a)
    found: HostArray = mask
    return found


def csgraph_from_dense(
    graph: ArrayLike, null_value: float = 0, nan_null: bool = True, infinity_null: bool = True
) -> CsrBase:
    """A sparse graph of a dense matrix of weights.

    Parameters
    ----------
    graph : array
    null_value : float or None
        What stands for no edge.
    nan_null, infinity_null : bool
        Whether nan and infinity do, too.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.csgraph import csgraph_from_dense
    >>> csgraph_from_dense(np.array([[0.0, 2.0], [np.inf, 0.0]])).nnz
    1
    """
    given = as_array(graph)
    _square(given)
    kept = ~null_edges(given, null_value, nan_null, infinity_null)
    rows, columns = np.nonzero(kept)
    ends = np.concatenate([np.zeros(1, "i8", device=given.device), kept.sum(axis=1).cumsum()])
    parts = (given[rows, columns].astype("f8"), columns.astype("i4"), ends.astype("i4"))
    made = csr_matrix if isinstance(graph, numpy.matrix) else csr_array
    return made(parts, shape=given.shape)


def csgraph_masked_from_dense(
    graph: MatrixLike,
    null_value: float = 0,
    nan_null: bool = True,
    infinity_null: bool = True,
    copy: bool = True,
) -> numpy.ma.MaskedArray[Any, Any]:
    """A masked array of NumPy's of a dense matrix of weights; parameters are those of
    `csgraph_from_dense`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.csgraph import csgraph_masked_from_dense
    >>> int(csgraph_masked_from_dense(np.array([[0.0, 2.0], [3.0, 0.0]])).count())
    2
    """
    given = as_array(graph)._snapshot() if isinstance(graph, own_array) else numpy.array(graph)
    _square(given)
    if isinstance(graph, numpy.ndarray) and not copy:
        given = graph
    mask = null_edges(given, null_value, nan_null, infinity_null)
    return numpy.ma.masked_array(given, mask, copy=False)


def csgraph_from_masked(graph: HostArray) -> CsrBase:
    """A sparse graph of a masked array of NumPy's.

    Examples
    --------
    >>> import numpy
    >>> from heddle.scipy.sparse.csgraph import csgraph_from_masked
    >>> csgraph_from_masked(numpy.ma.masked_values([[0.0, 2.0], [3.0, 0.0]], 0)).nnz
    2
    """
    given: Any = numpy.ma.asarray(graph)
    _square(given)
    kept = ~numpy.ma.getmaskarray(given)
    rows, columns = numpy.nonzero(kept)
    ends = numpy.concatenate([[0], kept.sum(axis=1).cumsum()]).astype(numpy.int32)
    data = given.data[rows, columns].astype(numpy.float64)
    parts = (np.asarray(data), np.asarray(columns.astype(numpy.int32)), np.asarray(ends))
    return csr_array(parts, shape=given.shape)


def csgraph_to_dense(csgraph: MatrixLike, null_value: float = 0) -> ndarray:
    """A dense matrix of weights of a sparse graph, the least of several edges between two nodes.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import csgraph_to_dense
    >>> csgraph_to_dense(csr_array(np.array([[0.0, 2.0], [0.0, 0.0]])), null_value=np.inf)
    array([[inf,  2.],
           [inf, inf]])
    """
    if not is_sparse(csgraph):
        raise ValueError("csgraph must be sparse")
    found = as_sparse(csgraph)
    if found.format not in ("lil", "csc", "csr"):
        raise ValueError("csgraph must be lil, csr, or csc format")
    rows = found.tocsr()
    if rows.shape[0] != rows.shape[1]:
        raise ValueError("csgraph should be a square matrix")
    n = rows.shape[0]
    edges = rows.tocoo()
    places = edges.coords[0].astype("i8") * n + edges.coords[1]
    weights = edges.data.astype("f8")
    made = np.full(n * n, np.inf, device=rows.device)
    np.minimum.at(made, places, np.where(np.isnan(weights), np.inf, weights))
    known = np.zeros(n * n, dtype=bool, device=rows.device)
    known[places] = True
    return np.where(known, made, float(null_value)).reshape(n, n)


def csgraph_to_masked(csgraph: MatrixLike) -> numpy.ma.MaskedArray[Any, Any]:
    """A masked array of NumPy's of a sparse graph.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import csgraph_to_masked
    >>> int(csgraph_to_masked(csr_array(np.array([[0.0, 2.0], [0.0, 0.0]]))).count())
    1
    """
    return numpy.ma.masked_invalid(csgraph_to_dense(csgraph, np.nan)._snapshot())


@njit
def _weight(indptr, indices, weights, i, j):  # noqa: ANN001, ANN202
    """The weight of an edge, all together where there are several; 0 where there is none."""
    total = 0.0
    for k in range(indptr[i], indptr[i + 1]):
        if indices[k] == j:
            total += weights[k]
    return total


@njit
def _tree_weights(indptr, indices, weights, sources, targets, directed, values):  # noqa: ANN001, ANN202
    for e in prange(sources.size):
        value = _weight(indptr, indices, weights, sources[e], targets[e])
        if not directed:
            other = _weight(indptr, indices, weights, targets[e], sources[e])
            if value == 0:
                value = numpy.inf
            if other != 0 and other < value:
                value = other
        values[e] = value


def reconstruct_path(
    csgraph: MatrixLike, predecessors: ArrayLike, directed: bool = True
) -> CsrBase:
    """The tree of a list of predecessors, as a sparse graph.

    Parameters
    ----------
    csgraph : matrix, sparse or dense
    predecessors : array of int
        Of each node; negative where there is none.
    directed : bool
        Whether edges lead one way only.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import reconstruct_path
    >>> graph = csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> reconstruct_path(graph, np.array([-9999, 0, 1])).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    graph = read(csgraph, directed)
    before = as_array(predecessors)._snapshot()
    order = numpy.argsort(before, kind="stable")
    targets = order[int((before < 0).sum()) :].astype(numpy.int32)
    sources = before[targets]
    indptr = numpy.searchsorted(sources, numpy.arange(graph.n + 1))
    values = numpy.empty(len(targets))
    _tree_weights(
        graph.indptr, graph.indices, graph.weights, sources, targets, bool(directed), values
    )
    return graph.sparse(values, targets, indptr)


@njit
def _sum_paths(graph, before, distances, null_value, endless):  # noqa: ANN001, ANN202
    n = graph.shape[0]
    for i in prange(n):
        for j in range(n):
            total = 0.0
            found = False
            k = j
            steps = 0
            while k != i:
                steps += 1
                if steps > n:
                    endless[i] = True
                    break
                p = before[i, k]
                if p < 0:
                    break
                total += graph[p, k]
                found = True
                k = p
            distances[i, j] = total if found or i == j else null_value


def construct_dist_matrix(
    graph: MatrixLike, predecessors: ArrayLike, directed: bool = True, null_value: float = np.inf
) -> ndarray:
    """Distances along the paths that a matrix of predecessors has, computed on the host.

    Parameters
    ----------
    graph : matrix, sparse or dense
    predecessors : array of int32
        A row for each source.
    directed : bool
        Whether edges lead one way only.
    null_value : float
        The distance where there is no path.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.csgraph import construct_dist_matrix, shortest_path
    >>> graph = np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    >>> before = shortest_path(graph, return_predecessors=True)[1]
    >>> construct_dist_matrix(graph, before)
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    dense = as_dense(graph)
    given = as_array(predecessors)
    if given.dtype != numpy.int32:
        raise TypeError("Type of predecessors array should be np.int32")
    if given.shape != dense.shape:
        raise ValueError("graph and predecessors must have the same shape")
    weights = dense._snapshot()
    if not directed:
        weights[weights == 0] = numpy.inf
        weights = numpy.minimum(weights, weights.T)
    before = given._snapshot()
    before = numpy.where(before == NULL, -1, before)
    if (before >= len(before)).any():
        raise ValueError(f"predecessors are rows of a graph of {len(before)}, or negative")
    distances = numpy.zeros(weights.shape)
    endless = numpy.zeros(len(weights), bool)
    _sum_paths(weights, before, distances, float(null_value), endless)
    if endless.any():
        raise ValueError(
            f"row {int(endless.argmax())} of predecessors leads round in a circle, and not to "
            "its source"
        )
    return np.asarray(distances, device=dense.device)
