"""Rows of benchmarks/scipy_modules.py for sparse linear algebra and graphs.

Matrices are SciPy's when they are made; ours are copies of them.
"""

from collections.abc import Callable
from typing import Any

import numpy
from scipy_row import ScipyRow


def _grid(n: int) -> Any:
    """The Laplacian of a square grid of n nodes."""
    import scipy.sparse

    side = round(n**0.5)
    line = scipy.sparse.diags_array(
        [-numpy.ones(side - 1), 2.1 * numpy.ones(side), -numpy.ones(side - 1)], offsets=[-1, 0, 1]
    )
    one = scipy.sparse.eye_array(side)
    return scipy.sparse.csr_array(scipy.sparse.kron(one, line) + scipy.sparse.kron(line, one))


def _system(n: int) -> tuple[Any, ...]:
    A = _grid(n)
    return A, numpy.random.default_rng(0).random(A.shape[0])


def _triangle(n: int) -> tuple[Any, ...]:
    import scipy.sparse

    A, b = _system(n)
    return scipy.sparse.csr_array(scipy.sparse.tril(A)), b


def _tall(n: int) -> tuple[Any, ...]:
    import scipy.sparse

    draw = numpy.random.default_rng(0)
    A = scipy.sparse.random_array((n, n // 4), density=8 / n, format="csr", rng=draw)
    A = A + scipy.sparse.eye_array(n, n // 4)
    return scipy.sparse.csr_array(A), draw.random(n)


def _graph(share: float = 4.0, most: int | None = None) -> Callable[[int], tuple[Any, ...]]:
    def make(n: int) -> tuple[Any, ...]:
        import scipy.sparse

        n = n if most is None else min(n, most)
        draw = numpy.random.default_rng(0)
        edges = scipy.sparse.random_array((n, n), density=share / n, format="csr", rng=draw)
        return (edges,)

    return make


SPARSE_LINALG = [
    ScipyRow("cg, grid", _system, lambda m, A, b: m.cg(A, b, maxiter=50)[0]),
    ScipyRow("gmres, grid", _system, lambda m, A, b: m.gmres(A, b, maxiter=2)[0]),
    ScipyRow("bicgstab, grid", _system, lambda m, A, b: m.bicgstab(A, b, maxiter=25)[0]),
    ScipyRow("lsqr", _tall, lambda m, A, b: m.lsqr(A, b, iter_lim=20)[0]),
    ScipyRow(
        "eigsh, k=6, grid",
        _system,
        lambda m, A, b: m.eigsh(A, k=6, tol=1e-6, v0=b, return_eigenvectors=False),
    ),
    ScipyRow("svds, k=4", _tall, lambda m, A, b: m.svds(A, k=4, tol=1e-3, rng=0)[1]),
    ScipyRow("spsolve_triangular", _triangle, lambda m, A, b: m.spsolve_triangular(A, b)),
]

CSGRAPH = [
    ScipyRow("connected_components", _graph(1.0), lambda m, g: m.connected_components(g)[1]),
    ScipyRow(
        "connected_components, strong",
        _graph(2.0),
        lambda m, g: m.connected_components(g, connection="strong")[1],
    ),
    ScipyRow("dijkstra, 4 sources", _graph(), lambda m, g: m.dijkstra(g, indices=[0, 1, 2, 3])),
    ScipyRow("floyd_warshall, 600 nodes", _graph(4.0, 600), lambda m, g: m.floyd_warshall(g)),
    ScipyRow("minimum_spanning_tree", _graph(), lambda m, g: m.minimum_spanning_tree(g).data),
    ScipyRow("breadth_first_order", _graph(), lambda m, g: m.breadth_first_order(g, 0)[0]),
]
