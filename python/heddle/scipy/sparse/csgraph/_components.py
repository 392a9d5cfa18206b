"""Connected components, and orders of visits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy

import heddle as np
from heddle import simt
from heddle._compiled.functions import njit
from heddle._core import ndarray
from heddle._dtypes import int64
from heddle._typing import KernelArray
from heddle.scipy._unions import first_of, join
from heddle.scipy.sparse._typing import MatrixLike
from heddle.scipy.sparse.csgraph._conversions import reconstruct_path
from heddle.scipy.sparse.csgraph._graphs import NULL, Graph, as_rows, is_matrix, read

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CsrBase


@njit
def _join(indptr, indices, labels):  # noqa: ANN001, ANN202
    """Labels of components in the order of their first nodes; how many there are."""
    n = labels.size
    for i in range(n):
        labels[i] = i
    for i in range(n):
        a = i
        while labels[a] != a:
            labels[a] = labels[labels[a]]
            a = labels[a]
        for k in range(indptr[i], indptr[i + 1]):
            b = indices[k]
            while labels[b] != b:
                labels[b] = labels[labels[b]]
                b = labels[b]
            if a < b:
                labels[b] = a
            elif b < a:
                labels[a] = b
                a = b
    count = 0
    for i in range(n):
        if labels[i] == i:
            labels[i] = count
            count += 1
        else:
            labels[i] = labels[labels[i]]
    return count


@simt.kernel
def _join_rows(indptr: KernelArray, indices: KernelArray, parents: KernelArray) -> None:
    i = simt.grid(1)
    if i < parents.size:
        for k in range(indptr[i], indptr[i + 1]):
            join(parents, int64(i), int64(indices[k]))


@simt.kernel
def _flatten(parents: KernelArray, firsts: KernelArray) -> None:
    i = simt.grid(1)
    if i < parents.size:
        firsts[i] = first_of(parents, int64(i))


def _components_on_device(indptr: ndarray, indices: ndarray, n: int) -> tuple[int, ndarray]:
    places = np.arange(n, device=indptr.device)
    parents = places.copy()
    join = _join_rows
    flatten = _flatten
    join.forall(n)(indptr, indices, parents)
    firsts = np.empty_like(parents)
    flatten.forall(n)(parents, firsts)
    numbers = (firsts == places).cumsum()
    labels = (numbers[firsts] - 1).astype(numpy.int32)
    return int(numbers[-1]), labels


@njit
def _strong(indptr, indices, labels):  # noqa: ANN001, ANN202
    """Tarjan's algorithm without recursion; successors from the last to the first."""
    n = labels.size
    order = numpy.full(n, -1, numpy.int32)
    lowest = numpy.empty(n, numpy.int32)
    edge = numpy.empty(n, numpy.int64)
    path = numpy.empty(n, numpy.int32)
    open_nodes = numpy.empty(n, numpy.int32)
    is_open = numpy.zeros(n, numpy.bool_)
    seen = 0
    count = 0
    opened = 0
    for start in range(n):
        if order[start] >= 0:
            continue
        depth = 0
        path[0] = start
        order[start] = seen
        lowest[start] = seen
        seen += 1
        edge[start] = indptr[start + 1]
        open_nodes[opened] = start
        opened += 1
        is_open[start] = True
        while depth >= 0:
            v = path[depth]
            if edge[v] > indptr[v]:
                edge[v] -= 1
                w = indices[edge[v]]
                if order[w] < 0:
                    order[w] = seen
                    lowest[w] = seen
                    seen += 1
                    edge[w] = indptr[w + 1]
                    open_nodes[opened] = w
                    opened += 1
                    is_open[w] = True
                    depth += 1
                    path[depth] = w
                elif is_open[w]:
                    lowest[v] = min(lowest[v], order[w])
            else:
                if lowest[v] == order[v]:
                    going = True
                    while going:
                        opened -= 1
                        w = open_nodes[opened]
                        is_open[w] = False
                        labels[w] = count
                        going = w != v
                    count += 1
                depth -= 1
                if depth >= 0:
                    lowest[path[depth]] = min(lowest[path[depth]], lowest[v])
    return count


@overload
def connected_components(
    csgraph: MatrixLike,
    directed: bool = True,
    connection: str = "weak",
    return_labels: Literal[True] = True,
) -> tuple[int, ndarray]: ...
@overload
def connected_components(
    csgraph: MatrixLike,
    directed: bool = True,
    connection: str = "weak",
    *,
    return_labels: Literal[False],
) -> int: ...
def connected_components(
    csgraph: MatrixLike,
    directed: bool = True,
    connection: str = "weak",
    return_labels: bool = True,
) -> tuple[int, ndarray] | int:
    """The number of connected components, and for each node the label of its own.

    Parameters
    ----------
    csgraph : matrix, sparse or dense
    directed : bool
        Whether edges lead one way only.
    connection : {'weak', 'strong'}
        Of directed graphs: whether a path in either direction is enough. Strong components are
        found on the host.
    return_labels : bool
        Whether labels are given, too.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import connected_components
    >>> graph = csr_array(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
    >>> connected_components(graph)
    (2, array([0, 0, 1], dtype=int32))
    """
    kind = connection.lower()
    if kind not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    strong = directed and kind == "strong"
    rows = as_rows(csgraph, directed=strong)
    if not strong and not rows.indptr._on_host and rows.shape[0] and rows.shape[0] == rows.shape[1]:
        count, labels = _components_on_device(rows.indptr, rows.indices, rows.shape[0])
        return (count, labels) if return_labels else count
    graph = Graph(rows, is_matrix(csgraph))
    found = numpy.empty(graph.n, numpy.int32)
    count = int((_strong if strong else _join)(graph.indptr, graph.indices, found))
    return (count, graph.place(found)) if return_labels else count


# --- orders ---


@njit
def _breadth(start, indptr, indices, tptr, tind, both, nodes, before):  # noqa: ANN001, ANN202
    nodes[0] = start
    none = before[start]
    before[start] = start
    end = 1
    at = 0
    while at < end:
        v = nodes[at]
        at += 1
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            if before[w] < 0:
                before[w] = v
                nodes[end] = w
                end += 1
        if both:
            for k in range(tptr[v], tptr[v + 1]):
                w = tind[k]
                if before[w] < 0:
                    before[w] = v
                    nodes[end] = w
                    end += 1
    before[start] = none
    return end


@njit
def _depth(start, indptr, indices, tptr, tind, both, nodes, before):  # noqa: ANN001, ANN202
    n = before.size
    edge = numpy.zeros(n, numpy.int64)
    seen = numpy.zeros(n, numpy.bool_)
    path = numpy.empty(n, numpy.int64)
    nodes[0] = start
    end = 1
    seen[start] = True
    path[0] = start
    depth = 0
    while depth >= 0:
        v = path[depth]
        here = indptr[v + 1] - indptr[v]
        there = tptr[v + 1] - tptr[v] if both else 0
        found = -1
        while found < 0 and edge[v] < here + there:
            e = edge[v]
            w = int(indices[indptr[v] + e]) if e < here else int(tind[tptr[v] + e - here])
            edge[v] += 1
            if not seen[w]:
                found = w
        if found >= 0:
            seen[found] = True
            before[found] = v
            nodes[end] = found
            end += 1
            depth += 1
            path[depth] = found
        else:
            depth -= 1
    return end


def _visited(visit: Any, csgraph: object, i_start: int, directed: bool, wanted: bool) -> Any:
    graph = read(csgraph, directed)
    start = int(i_start)
    if not 0 <= start < graph.n:
        raise ValueError(f"node {start} is not one of the {graph.n} nodes of the graph")
    here = (graph.indptr, graph.indices)
    there = graph.empty()[:2] if directed else graph.turned()[:2]
    nodes = numpy.full(graph.n, NULL, numpy.int32)
    before = numpy.full(graph.n, NULL, numpy.int32)
    end = visit(start, *here, *there, not directed, nodes, before)
    order = graph.place(nodes[:end])
    return (order, graph.place(before)) if wanted else order


@overload
def breadth_first_order(
    csgraph: MatrixLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: Literal[True] = True,
) -> tuple[ndarray, ndarray]: ...
@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> ndarray | tuple[ndarray, ndarray]: ...
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> ndarray | tuple[ndarray, ndarray]:
    """Nodes in the order of a breadth-first visit from one, and the predecessor of each; on the
    host.

    Parameters
    ----------
    csgraph : matrix, sparse or dense
    i_start : int
        Where it begins.
    directed : bool
        Whether edges lead one way only.
    return_predecessors : bool
        Whether predecessors are given, too; -9999 where there is none.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import breadth_first_order
    >>> graph = csr_array(np.array([[0, 1, 2], [0, 0, 0], [0, 3, 0]]))
    >>> breadth_first_order(graph, 0)
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     0], dtype=int32))
    """
    found: ndarray | tuple[ndarray, ndarray] = _visited(
        _breadth, csgraph, i_start, directed, return_predecessors
    )
    return found


@overload
def depth_first_order(
    csgraph: MatrixLike,
    i_start: int,
    directed: bool = True,
    return_predecessors: Literal[True] = True,
) -> tuple[ndarray, ndarray]: ...
@overload
def depth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> ndarray | tuple[ndarray, ndarray]: ...
def depth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> ndarray | tuple[ndarray, ndarray]:
    """Nodes in the order of a depth-first visit from one, and the predecessor of each; on the host.

    Parameters are those of `breadth_first_order`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import depth_first_order
    >>> graph = csr_array(np.array([[0, 1, 2], [0, 0, 0], [0, 3, 0]]))
    >>> depth_first_order(graph, 0)
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     0], dtype=int32))
    """
    found: ndarray | tuple[ndarray, ndarray] = _visited(
        _depth, csgraph, i_start, directed, return_predecessors
    )
    return found


def breadth_first_tree(csgraph: MatrixLike, i_start: int, directed: bool = True) -> CsrBase:
    """The tree of a breadth-first visit, as a sparse graph; parameters are those of
    `breadth_first_order`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import breadth_first_tree
    >>> breadth_first_tree(csr_array(np.array([[0, 1, 2], [0, 0, 0], [0, 3, 0]])), 0).toarray()
    array([[0., 1., 2.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    before = breadth_first_order(csgraph, i_start, directed)[1]
    return reconstruct_path(csgraph, before, directed)


def depth_first_tree(csgraph: MatrixLike, i_start: int, directed: bool = True) -> CsrBase:
    """The tree of a depth-first visit, as a sparse graph; parameters are those of
    `breadth_first_order`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import depth_first_tree
    >>> depth_first_tree(csr_array(np.array([[0, 1, 2], [0, 0, 3], [0, 0, 0]])), 0).toarray()
    array([[0., 1., 0.],
           [0., 0., 3.],
           [0., 0., 0.]])
    """
    before = depth_first_order(csgraph, i_start, directed)[1]
    return reconstruct_path(csgraph, before, directed)
