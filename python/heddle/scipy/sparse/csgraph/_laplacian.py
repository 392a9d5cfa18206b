"""Laplacians of graphs, where the graphs are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DTypeLike
from heddle.scipy.sparse import coo_array, coo_matrix
from heddle.scipy.sparse._base import SparseBase, as_sparse, is_sparse
from heddle.scipy.sparse._typing import MatrixLike
from heddle.scipy.sparse.linalg._operators import OfFunctions


@overload
def laplacian(
    csgraph: SparseBase,
    normed: bool = False,
    return_diag: Literal[False] = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: Literal["array"] = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> SparseBase: ...
@overload
def laplacian(
    csgraph: ArrayLike,
    normed: bool = False,
    return_diag: Literal[False] = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: Literal["array"] = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> ndarray: ...
@overload
def laplacian(
    csgraph: SparseBase,
    normed: bool = False,
    *,
    return_diag: Literal[True],
    use_out_degree: bool = False,
    copy: bool = True,
    form: Literal["array"] = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> tuple[SparseBase, ndarray]: ...
@overload
def laplacian(
    csgraph: ArrayLike,
    normed: bool = False,
    *,
    return_diag: Literal[True],
    use_out_degree: bool = False,
    copy: bool = True,
    form: Literal["array"] = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> tuple[ndarray, ndarray]: ...
@overload
def laplacian(
    csgraph: MatrixLike,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: str = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> Any: ...  # a function or an operator, as `form` says
def laplacian(
    csgraph: MatrixLike,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: str = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> Any:
    """The Laplacian of a graph: degrees on the diagonal, minus weights elsewhere.

    Parameters
    ----------
    csgraph : matrix, sparse or dense
    normed : bool
        Whether it is divided by the roots of degrees from both sides.
    return_diag : bool
        Whether the diagonal is given, too; of a normed one the roots.
    use_out_degree : bool
        Whether degrees are sums of rows, not of columns.
    copy : bool
        If it is False, a dense graph of ours or one of coordinates becomes the Laplacian, where its
        type is that of the result.
    form : {'array', 'function', 'lo'}
        A matrix as the graph is, sparse or dense, a function that multiplies vectors, or a
        LinearOperator.
    dtype : dtype, optional
        That of the graph by default.
    symmetrized : bool
        Whether the adjoint is added first.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.csgraph import laplacian
    >>> laplacian(np.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]]))
    array([[ 3, -1, -2],
           [-1,  1,  0],
           [-2,  0,  2]])
    """
    given: Any = csgraph
    graph = as_sparse(given) if is_sparse(given) else as_array(given)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError("csgraph must be a square matrix or array")
    if normed and graph.dtype.kind in "iu":
        graph = graph.astype("f8")
    wanted = graph.dtype if dtype is None else numpy.dtype(dtype)
    axis = 1 if use_out_degree else 0
    if form == "array":
        made = (_sparse if is_sparse(graph) else _dense)(graph, normed, axis, symmetrized)
        found, degrees = made[0].astype(wanted), made[1].astype(wanted)
        if not copy:
            found = _in_place(csgraph, found)
    else:
        # A function of what the graph is now, also where that is written to before it is called.
        kept = graph.copy() if copy and graph is given and not is_sparse(graph) else graph
        found, degrees = _function(kept, normed, axis, symmetrized)
        if form == "lo":
            found = OfFunctions(graph.shape, matvec=found, matmat=found, dtype=wanted)
        elif form != "function":
            raise ValueError(f"Invalid form: {form!r}")
        degrees = degrees.astype(wanted)
    return (found, degrees) if return_diag else found


def _in_place(graph: Any, found: Any) -> Any:
    """The graph itself, with the elements of another matrix, where it can have them."""
    if graph.dtype != found.dtype:
        return found
    if isinstance(graph, own_array):
        graph[...] = found
        return graph
    if isinstance(graph, type(found)) and graph.format == "coo":
        graph.coords, graph.data = found.coords, found.data
        graph.has_canonical_format = False
        return graph
    return found


def _sums(graph: Any, axis: int) -> ndarray:
    return np.asarray(graph.sum(axis=axis)).reshape(-1)


def _roots(degrees: ndarray) -> tuple[ndarray, ndarray]:
    """Roots of degrees, 1 for nodes without edges, and which those are."""
    alone = degrees == 0
    return np.where(alone, 1, np.sqrt(degrees)), alone


def _dense(graph: ndarray, normed: bool, axis: int, symmetrized: bool) -> tuple[ndarray, ndarray]:
    places = np.arange(graph.shape[0], device=graph.device)
    diagonal = places[:, None] == places
    m = graph + graph.T.conj() if symmetrized else graph
    m = np.where(diagonal, np.zeros((), m.dtype), m)
    degrees = m.sum(axis=axis)
    if not normed:
        return np.where(diagonal, degrees, -m), degrees
    roots, alone = _roots(degrees)
    return np.where(diagonal, 1 - alone, -(m / roots / roots[:, None])), roots


def _sparse(graph: Any, normed: bool, axis: int, symmetrized: bool) -> tuple[Any, ndarray]:
    m = graph + graph.T.conj() if symmetrized else graph
    diagonals = m.format == "dia" and not normed
    made = coo_array if m._is_array else coo_matrix
    degrees = _sums(m, axis) - m.diagonal()
    edges = m.tocoo()
    rows, columns = edges.coords
    apart = np.flatnonzero(rows != columns)
    rows, columns, weights = rows[apart], columns[apart], edges.data[apart]
    on_diagonal = degrees
    if normed:
        degrees, alone = _roots(degrees)
        weights = weights / degrees[rows] / degrees[columns]
        on_diagonal = 1 - alone
    places = np.arange(graph.shape[0], dtype=rows.dtype, device=rows.device)
    data = np.concatenate([-weights, on_diagonal.astype(weights.dtype)])
    where = tuple(np.concatenate([each, places]) for each in (rows, columns))
    found = made((data, where), shape=graph.shape)
    return found.todia() if diagonals else found, degrees


def _function(
    graph: Any, normed: bool, axis: int, symmetrized: bool
) -> tuple[Callable[[Any], Any], ndarray]:
    sums, diagonal = _sums(graph, axis), graph.diagonal()
    degrees = sums - diagonal
    if symmetrized:
        sums = sums + _sums(graph, 1 - axis)
        degrees = sums - diagonal - diagonal
    adjoint = graph.T.conj() if symmetrized else None
    roots, _ = _roots(degrees)

    def beside(a: ndarray, v: Any) -> ndarray:
        return a[:, None] if v.ndim > 1 else a

    def product(v: Any) -> Any:
        made = v * beside(sums, v) - graph @ v
        return made if adjoint is None else made - adjoint @ v

    def scaled(v: ndarray) -> Any:
        given = as_array(v)
        inverse = beside(1.0 / roots, given)
        return inverse * product(given * inverse)

    return (scaled, roots) if normed else (lambda v: product(as_array(v)), degrees)
