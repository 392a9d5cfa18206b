"""Graphs as SciPy's csgraph reads them: sparse, dense or masked matrices of weights.

Loops over edges run on the host, with the arrays of a graph copied there; what comes out goes to
where the graph was. A dense matrix has no edge where it is 0, infinite or nan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._compiled.functions import njit
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.sparse import csr_array, csr_matrix
from heddle.scipy.sparse._base import as_sparse, is_sparse

if TYPE_CHECKING:
    from heddle.scipy.sparse._csr_csc import CsrBase

NULL = -9999  # no predecessor


def is_matrix(x: object) -> bool:
    """Whether results are matrices, as the graph is, not arrays."""
    return isinstance(x, numpy.matrix) or (is_sparse(x) and not as_sparse(x)._is_array)


@njit
def _turned(indptr, indices, weights, n):  # noqa: ANN001, ANN202
    """The same edges by where they lead, in the order of where they come from."""
    begins = numpy.zeros(n + 1, numpy.int64)
    for k in range(indices.size):
        begins[indices[k] + 1] += 1
    for i in range(n):
        begins[i + 1] += begins[i]
    next_place = begins.copy()
    rows = numpy.empty_like(indices)
    values = numpy.empty_like(weights)
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            place = next_place[indices[k]]
            next_place[indices[k]] += 1
            rows[place] = i
            values[place] = weights[k]
    return begins, rows, values


def on_host(a: ndarray) -> HostArray:
    """The elements, where the host sees them, to be read only."""
    if not a._at_once:
        return a._snapshot()
    view = numpy.asarray(a)
    view.flags.writeable = False
    return view


class Graph:
    """Edges in compressed rows, in the host's memory: int64 pointers, int32 indices, weights."""

    def __init__(self, rows: CsrBase, matrix: bool) -> None:
        if rows.ndim != 2:
            raise ValueError("compressed-sparse graph must be 2-D")
        if rows.shape[0] != rows.shape[1]:
            raise ValueError("compressed-sparse graph must be shape (N, N)")
        self.n = rows.shape[0]
        self.device = rows.device
        self.matrix = matrix
        self.indptr = on_host(rows.indptr).astype(numpy.int64, copy=False)
        self.indices = on_host(rows.indices).astype(numpy.int32, copy=False)
        self._data = rows.data
        self._weights: Any = None

    @property
    def weights(self) -> HostArray:
        """Weights of edges, copied when they are first asked for."""
        if self._weights is None:
            self._weights = on_host(self._data).astype(numpy.float64, copy=False)
        found: HostArray = self._weights
        return found

    @weights.setter
    def weights(self, values: ArrayLike) -> None:
        self._weights = values

    def turned(self) -> tuple[Any, Any, Any]:
        """Pointers, indices and weights of the transposed graph."""
        return _turned(self.indptr, self.indices, self.weights, self.n)  # type: ignore[no-any-return]

    def both_ways(self, directed: bool) -> tuple[Any, ...]:
        """Edges, and where the graph is not directed those of the other way, else none."""
        here = (self.indptr, self.indices, self.weights)
        return (*here, *(self.empty() if directed else self.turned()))

    def empty(self) -> tuple[Any, Any, Any]:
        return (
            numpy.zeros(self.n + 1, numpy.int64),
            numpy.empty(0, numpy.int32),
            numpy.empty(0, numpy.float64),
        )

    def place(self, a: object) -> ndarray:
        """A result, where the graph was."""
        return np.asarray(a, device=self.device)

    def sparse(self, data: HostArray, indices: HostArray, indptr: HostArray) -> CsrBase:
        parts = (self.place(data), self.place(indices), self.place(indptr.astype(numpy.int32)))
        made = csr_matrix if self.matrix else csr_array
        return made(parts, shape=(self.n, self.n))


def read(csgraph: object, directed: bool = True) -> Graph:
    """A graph that is given in any form."""
    return Graph(as_rows(csgraph, directed), is_matrix(csgraph))


def as_rows(csgraph: Any, directed: bool = True) -> CsrBase:
    """Compressed rows, where the graph is."""
    from heddle.scipy.sparse.csgraph._conversions import csgraph_from_dense, csgraph_from_masked

    if is_sparse(csgraph):
        found = as_sparse(csgraph)
        if found.ndim != 2:
            raise ValueError("compressed-sparse graph must be 2-D")
        if not directed and found.format == "csc":
            found = found.T
        made: CsrBase = found.tocsr()
        return made
    if isinstance(csgraph, numpy.ma.MaskedArray):
        return csgraph_from_masked(csgraph)
    return csgraph_from_dense(csgraph)


def as_dense(csgraph: Any) -> ndarray:
    """A matrix of weights, infinite where there is no edge; a new one."""
    from heddle.scipy.sparse.csgraph._conversions import csgraph_to_dense, null_edges

    if is_sparse(csgraph):
        found = as_sparse(csgraph)
        if found.format not in ("lil", "csc", "csr"):
            found = found.tocsr()
        made = csgraph_to_dense(found, np.inf)
    elif isinstance(csgraph, numpy.ma.MaskedArray):
        masked: Any = csgraph.astype(numpy.float64)
        made = np.asarray(masked.filled(numpy.inf))
    else:
        given = as_array(csgraph)
        if given.ndim != 2:
            raise ValueError("graph should have two dimensions")
        made = np.where(null_edges(given, 0, True, True), np.inf, given.astype("f8"))
    if made.ndim != 2 or made.shape[0] != made.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return made
