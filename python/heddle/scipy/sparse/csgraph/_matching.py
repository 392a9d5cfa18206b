"""Matchings of rows and columns, and flows."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle._compiled.functions import njit
from heddle._core import ndarray
from heddle.scipy.sparse import SparseEfficiencyWarning, csr_array, csr_matrix
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse._typing import MatrixLike

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CsrBase


@njit
def _match(indptr, indices, of_rows, of_columns):  # noqa: ANN001, ANN202
    """Hopcroft and Karp's algorithm: shortest augmenting paths, many in each pass."""
    m = of_rows.size
    level = numpy.empty(m, numpy.int64)
    queue = numpy.empty(m, numpy.int64)
    edge = numpy.empty(m, numpy.int64)
    path = numpy.empty(m, numpy.int64)
    through = numpy.empty(m, numpy.int64)
    going = True
    while going:
        end = 0
        for v in range(m):
            level[v] = -1
            edge[v] = indptr[v]
            if of_rows[v] < 0:
                level[v] = 0
                queue[end] = v
                end += 1
        at = 0
        found = False
        while at < end:
            v = queue[at]
            at += 1
            for k in range(indptr[v], indptr[v + 1]):
                w = of_columns[indices[k]]
                if w < 0:
                    found = True
                elif level[w] < 0:
                    level[w] = level[v] + 1
                    queue[end] = w
                    end += 1
        going = found
        if not found:
            break
        for start in range(m):
            if of_rows[start] >= 0:
                continue
            depth = 0
            path[0] = start
            while depth >= 0:
                v = path[depth]
                if edge[v] == indptr[v + 1]:
                    level[v] = -1
                    depth -= 1
                    continue
                u = indices[edge[v]]
                edge[v] += 1
                w = of_columns[u]
                if w < 0:
                    through[depth] = u
                    while depth >= 0:
                        of_columns[through[depth]] = path[depth]
                        of_rows[path[depth]] = through[depth]
                        depth -= 1
                elif level[w] == level[v] + 1:
                    through[depth] = u
                    depth += 1
                    path[depth] = w


def _matched(rows: CsrBase) -> tuple[Any, Any]:
    """For each row its column and for each column its row; -1 where there is none."""
    of_rows = numpy.full(rows.shape[0], -1, numpy.int32)
    of_columns = numpy.full(rows.shape[1], -1, numpy.int32)
    _match(rows.indptr._snapshot(), rows.indices._snapshot(), of_rows, of_columns)
    return of_rows, of_columns


def _checked(graph: object) -> Any:
    if not is_sparse(graph):
        raise TypeError("graph must be sparse")
    found = as_sparse(graph)
    if found.format not in ("csr", "csc", "coo"):
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    return found


def maximum_bipartite_matching(graph: MatrixLike, perm_type: str = "row") -> ndarray:
    """The largest set of pairs of a row and a column that have an element, none of them twice; on
    the host.

    Parameters
    ----------
    graph : sparse matrix
    perm_type : {'row', 'column'}
        Whether the row of each column is given, or the column of each row; -1 where there is none.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import maximum_bipartite_matching
    >>> graph = csr_array(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0]]))
    >>> maximum_bipartite_matching(graph, perm_type="column")
    array([ 1,  0, -1], dtype=int32)
    """
    rows = _checked(graph).tocsr()
    of_rows, of_columns = _matched(rows)
    return np.asarray(of_rows if perm_type == "column" else of_columns, device=rows.device)


def structural_rank(graph: MatrixLike) -> int:
    """The largest rank that a matrix with these places can have; on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import structural_rank
    >>> structural_rank(csr_array(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0]])))
    2
    """
    if not is_sparse(graph):
        raise TypeError("Input must be sparse")
    found = as_sparse(graph)
    if found.format not in ("csr", "csc", "coo"):
        warnings.warn(
            SparseEfficiencyWarning("Input matrix should be in CSC, CSR, or COO matrix format"),
            stacklevel=2,
        )
    return int((_matched(found.tocsr())[0] >= 0).sum())


@njit
def _assign(indptr, indices, weights, columns, of_rows):  # noqa: ANN001, ANN202
    """Shortest augmenting paths with prices, row by row; whether all rows have a column."""
    m = indptr.size - 1
    of_columns = numpy.full(columns, -1, numpy.int64)
    prices = numpy.zeros(columns)
    keys = numpy.empty(columns)
    before = numpy.empty(columns, numpy.int64)
    heap = numpy.empty(columns, numpy.int64)
    place = numpy.empty(columns, numpy.int64)
    done = numpy.empty(columns, numpy.bool_)
    gains = numpy.zeros(m)
    for start in range(m):
        least = numpy.inf
        for k in range(indptr[start], indptr[start + 1]):
            least = min(least, weights[k] - prices[indices[k]])
        gains[start] = least
    for start in range(m):
        for j in range(columns):
            keys[j] = numpy.inf
            place[j] = -1
            done[j] = False
        size = 0
        row = start
        base = 0.0
        target = -1
        going = True
        while going:
            for k in range(indptr[row], indptr[row + 1]):
                j = indices[k]
                if done[j]:
                    continue
                there = base + weights[k] - prices[j] - gains[row]
                if there < keys[j]:
                    keys[j] = there
                    before[j] = row
                    if place[j] < 0:
                        heap[size] = j
                        place[j] = size
                        size += 1
                    at = place[j]
                    while at > 0 and keys[heap[(at - 1) // 2]] > there:
                        heap[at] = heap[(at - 1) // 2]
                        place[heap[at]] = at
                        at = (at - 1) // 2
                    heap[at] = j
                    place[j] = at
            if size == 0:
                return False
            j = heap[0]
            size -= 1
            if size > 0:
                last = heap[size]
                at = 0
                while 2 * at + 1 < size:
                    child = 2 * at + 1
                    if child + 1 < size and keys[heap[child + 1]] < keys[heap[child]]:
                        child += 1
                    if keys[heap[child]] >= keys[last]:
                        break
                    heap[at] = heap[child]
                    place[heap[at]] = at
                    at = child
                heap[at] = last
                place[last] = at
            done[j] = True
            base = keys[j]
            if of_columns[j] < 0:
                target = j
                going = False
            else:
                row = of_columns[j]
        for j in range(columns):
            if done[j] and j != target:
                gains[of_columns[j]] += base - keys[j]
                prices[j] += keys[j] - base
        gains[start] += base
        j = target
        row = -1
        while row != start:
            row = before[j]
            following = of_rows[row]
            of_columns[j] = row
            of_rows[row] = j
            j = following
    return True


def min_weight_full_bipartite_matching(
    biadjacency: object, maximize: bool = False
) -> tuple[ndarray, ndarray]:
    """Pairs of a row and a column, as many as there can be, of the least sum of weights; on the
    host.

    Parameters
    ----------
    biadjacency : sparse matrix
        Weights; zeros are no edges.
    maximize : bool
        Whether the largest sum is wanted.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import min_weight_full_bipartite_matching
    >>> min_weight_full_bipartite_matching(csr_array(np.array([[3.0, 1.0], [1.0, 2.0]])))
    (array([0, 1]), array([1, 0], dtype=int32))
    """
    found = _checked(biadjacency)
    if found.dtype.kind not in "biufc":
        raise ValueError(f"expected a matrix containing numerical entries, got {found.dtype}")
    if found.dtype.kind == "c":
        raise TypeError("Cannot cast complex weights to real ones")
    flipped = found.shape[1] < found.shape[0]
    rows = (found.T if flipped else found).tocsr()
    indptr, indices = rows.indptr._snapshot().astype(numpy.int64), rows.indices._snapshot()
    weights = rows.data._snapshot().astype(numpy.float64)
    weights = -weights if maximize else weights
    if not weights.all():
        warnings.warn("explicit zero weights are removed before matching", stacklevel=2)
    kept = (weights != 0) & ~numpy.isposinf(weights)
    places = numpy.repeat(numpy.arange(rows.shape[0]), numpy.diff(indptr))[kept]
    counts = numpy.bincount(places, minlength=rows.shape[0])
    indptr = numpy.concatenate([[0], numpy.cumsum(counts)]).astype(numpy.int64)
    of_rows = numpy.full(rows.shape[0], -1, numpy.int32)
    if rows.shape[0] and not _assign(indptr, indices[kept], weights[kept], rows.shape[1], of_rows):
        raise ValueError("no full matching exists")
    numbers = numpy.arange(rows.shape[0])
    if flipped:
        order = numpy.argsort(of_rows)
        pair = of_rows[order], numbers[order]
    else:
        pair = numbers, of_rows
    return np.asarray(pair[0], device=found.device), np.asarray(pair[1], device=found.device)


# --- flows ---


class MaximumFlowResult:
    """A maximum flow: its value, and the flow along each edge, as a sparse graph.

    Attributes
    ----------
    flow_value : int
    flow : sparse matrix
        Positive along edges, negative against them.

    Examples
    --------
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import MaximumFlowResult
    >>> MaximumFlowResult(3, csr_array([[0, 3], [-3, 0]]))
    MaximumFlowResult with value of 3
    """

    def __init__(self, flow_value: int, flow: CsrBase) -> None:
        self.flow_value, self.flow = flow_value, flow

    def __repr__(self) -> str:
        return f"MaximumFlowResult with value of {self.flow_value}"


@njit
def _levels(indptr, indices, room, source, sink, levels, queue):  # noqa: ANN001, ANN202
    for i in range(levels.size):
        levels[i] = -1
    levels[source] = 0
    queue[0] = source
    at = 0
    end = 1
    while at < end:
        v = queue[at]
        at += 1
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            if room[k] > 0 and levels[w] < 0:
                levels[w] = levels[v] + 1
                queue[end] = w
                end += 1
    return levels[sink] >= 0


@njit
def _flow(indptr, indices, back, room, source, sink, single):  # noqa: ANN001, ANN202
    """Dinic's algorithm; with `single` one path a pass, as Edmonds and Karp have it."""
    n = indptr.size - 1
    levels = numpy.empty(n, numpy.int64)
    queue = numpy.empty(n, numpy.int64)
    edge = numpy.empty(n, numpy.int64)
    path = numpy.empty(n + 1, numpy.int64)
    total = 0
    while _levels(indptr, indices, room, source, sink, levels, queue):
        for i in range(n):
            edge[i] = indptr[i]
        depth = 0
        v = source
        going = True
        while going:
            if v == sink:
                least = room[path[0]]
                for d in range(depth):
                    least = min(least, room[path[d]])
                full = 0
                for d in range(depth - 1, -1, -1):
                    room[path[d]] -= least
                    room[back[path[d]]] += least
                    if room[path[d]] == 0:
                        full = d
                total += least
                depth = full
                v = indices[back[path[full]]]
                if single:
                    going = False
            elif edge[v] < indptr[v + 1]:
                k = edge[v]
                w = indices[k]
                if room[k] > 0 and levels[w] == levels[v] + 1:
                    path[depth] = k
                    depth += 1
                    v = w
                else:
                    edge[v] += 1
            elif depth == 0:
                going = False
            else:
                levels[v] = -1
                depth -= 1
                v = indices[back[path[depth]]]
                edge[v] += 1
    return total


def maximum_flow(
    csgraph: MatrixLike, source: int, sink: int, *, method: str = "dinic"
) -> MaximumFlowResult:
    """The largest flow between two nodes along edges of given capacities; on the host.

    Parameters
    ----------
    csgraph : sparse matrix
        Capacities, integers, in compressed rows.
    source, sink : int
    method : {'dinic', 'edmonds_karp'}

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse import csr_array
    >>> from heddle.scipy.sparse.csgraph import maximum_flow
    >>> found = maximum_flow(csr_array(np.array([[0, 5, 0], [0, 0, 3], [0, 0, 0]])), 0, 2)
    >>> found.flow_value
    3
    >>> found.flow.toarray()
    array([[ 0,  3,  0],
           [-3,  0,  3],
           [ 0, -3,  0]], dtype=int32)
    """
    found = as_sparse(csgraph) if is_sparse(csgraph) else None
    if found is None or found.format != "csr":
        raise TypeError("graph must be in CSR format")
    if found.dtype.kind not in "iu":
        raise ValueError("graph capacities must be integers")
    if source == sink:
        raise ValueError("source and sink vertices must differ")
    if found.shape[0] != found.shape[1]:
        raise ValueError("graph must be specified as a square matrix.")
    n = found.shape[0]
    for name, value in (("source", source), ("sink", sink)):
        if not 0 <= value < n:
            raise ValueError(f"{name} value ({value}) must be between 0 and {n - 1}")
    if method not in ("dinic", "edmonds_karp"):
        raise ValueError(f"{method} method is not supported yet.")
    rows = numpy.repeat(numpy.arange(n), numpy.diff(found.indptr._snapshot()))
    columns = found.indices._snapshot().astype(numpy.int64)
    capacities = found.data._snapshot().astype(numpy.int32)
    # Each edge and its reverse, in order; those that are there both ways share places.
    keys = numpy.concatenate([rows * n + columns, columns * n + rows])
    both, inverse = numpy.unique(keys, return_inverse=True)
    room = numpy.zeros(len(both), numpy.int32)
    numpy.add.at(room, inverse[: len(rows)], capacities)
    tails, heads = both // n, both % n
    indptr = numpy.searchsorted(tails, numpy.arange(n + 1))
    back = numpy.searchsorted(both, heads * n + tails)
    left = room.astype(numpy.int64)
    value = _flow(
        indptr,
        heads,
        back,
        left,
        operator.index(source),
        operator.index(sink),
        method == "edmonds_karp",
    )
    flow = (room - left).astype(numpy.int32)
    device = found.device
    parts = (flow, heads.astype(numpy.int32), indptr.astype(numpy.int32))
    made = csr_array if found._is_array else csr_matrix
    placed = tuple(np.asarray(part, device=device) for part in parts)
    return MaximumFlowResult(int(value), made(placed, shape=(n, n)))
