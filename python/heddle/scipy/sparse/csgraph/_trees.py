"""Minimum spanning trees, and orders that make matrices narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

import heddle as np
from heddle._compiled.functions import njit
from heddle._core import ndarray
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse._typing import MatrixLike
from heddle.scipy.sparse.csgraph._graphs import read

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CsrBase


@njit
def _spanning(indptr, indices, order, rows, parents, weights):  # noqa: ANN001, ANN202
    """Kruskal's algorithm: sets the weights of edges that are not of the tree to 0."""
    n = parents.size
    for i in range(n):
        parents[i] = i
        for k in range(indptr[i], indptr[i + 1]):
            rows[k] = i
    taken = 0
    for e in range(order.size):
        k = order[e]
        if taken == n - 1:
            weights[k] = 0
            continue
        a = rows[k]
        while parents[a] != a:
            parents[a] = parents[parents[a]]
            a = parents[a]
        b = indices[k]
        while parents[b] != b:
            parents[b] = parents[parents[b]]
            b = parents[b]
        if a == b:
            weights[k] = 0
        else:
            parents[max(a, b)] = min(a, b)
            taken += 1


@njit
def _compressed(indptr, indices, weights, ends, columns, values):  # noqa: ANN001, ANN202
    """Edges that are not 0."""
    count = 0
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            if weights[k] != 0:
                columns[count] = indices[k]
                values[count] = weights[k]
                count += 1
        ends[i + 1] = count
    return count


def minimum_spanning_tree(csgraph: MatrixLike, overwrite: bool = False) -> CsrBase:
    """The tree of edges that connects what the graph connects, of least weight, as a sparse graph.

    Edges are sorted where the graph is, and chosen on the host.

    Parameters
    ----------
    csgraph : matrix, sparse or dense
        An edge in either direction connects.
    overwrite : bool
        A permission that nobody needs.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import minimum_spanning_tree
    >>> minimum_spanning_tree(csr_array(np.array([[0, 8, 3], [0, 0, 2], [0, 0, 0]]))).toarray()
    array([[0., 0., 3.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    graph = read(csgraph)
    order = np.argsort(graph.place(graph.weights), stable=True)._snapshot()
    rows = numpy.empty_like(graph.indices)
    parents = numpy.empty(graph.n, numpy.int32)
    weights = graph.weights.copy()
    _spanning(graph.indptr, graph.indices, order, rows, parents, weights)
    ends = numpy.zeros(graph.n + 1, numpy.int64)
    columns, values = numpy.empty_like(graph.indices), numpy.empty_like(weights)
    count = _compressed(graph.indptr, graph.indices, weights, ends, columns, values)
    return graph.sparse(values[:count], columns[:count], ends)


@njit
def _cuthill_mckee(indptr, indices, degrees, seeds, order):  # noqa: ANN001, ANN202
    """Breadth-first visits from nodes of small degree, neighbours by their degrees."""
    n = seeds.size
    seen = numpy.zeros(n, numpy.bool_)
    end = 0
    for s in range(n):
        if seen[seeds[s]]:
            continue
        at = end
        order[end] = seeds[s]
        seen[seeds[s]] = True
        end += 1
        while at < end:
            i = order[at]
            at += 1
            begin = end
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                if not seen[j]:
                    seen[j] = True
                    place = end
                    while place > begin and degrees[order[place - 1]] > degrees[j]:
                        order[place] = order[place - 1]
                        place -= 1
                    order[place] = j
                    end += 1


def reverse_cuthill_mckee(graph: MatrixLike, symmetric_mode: bool = False) -> ndarray:
    """An order of rows and columns that brings elements near to the diagonal; on the host.

    Parameters
    ----------
    graph : sparse matrix
        In compressed rows or columns.
    symmetric_mode : bool
        Whether it is known to be symmetric.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import reverse_cuthill_mckee
    >>> reverse_cuthill_mckee(csr_array(np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]])))
    array([2, 0, 1], dtype=int32)
    """
    if not is_sparse(graph):
        raise TypeError("Input graph must be sparse")
    found = as_sparse(graph)
    if found.format not in ("csc", "csr"):
        raise TypeError("Input must be in CSC or CSR sparse format.")
    device = found.device
    if not symmetric_mode:
        found = found + found.T
    indptr, indices = found.indptr._snapshot(), found.indices._snapshot()
    n = found.shape[0]
    rows = numpy.repeat(numpy.arange(n), numpy.diff(indptr))
    has_diagonal = numpy.zeros(n, indices.dtype)
    has_diagonal[rows[rows == indices]] = 1
    degrees = numpy.diff(indptr).astype(indices.dtype) + has_diagonal
    order = numpy.empty(n, indices.dtype)
    _cuthill_mckee(indptr, indices, degrees, numpy.argsort(degrees), order)
    return np.asarray(order[::-1].copy(), device=device)
