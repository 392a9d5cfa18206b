"""Graphs as ``scipy.sparse.csgraph`` has them: components, shortest paths, trees, matchings, flows.

A graph is a matrix of weights, sparse or dense. Loops over edges are compiled for the host, several
sources at once on all cores; components, Bellman and Ford's and Floyd and Warshall's paths and
Laplacians of graphs on a GPU are computed there, of others the arrays are copied to the host.
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.sparse.csgraph._components import (
    breadth_first_order,
    breadth_first_tree,
    connected_components,
    depth_first_order,
    depth_first_tree,
)
from heddle.scipy.sparse.csgraph._conversions import (
    construct_dist_matrix,
    csgraph_from_dense,
    csgraph_from_masked,
    csgraph_masked_from_dense,
    csgraph_to_dense,
    csgraph_to_masked,
    reconstruct_path,
)
from heddle.scipy.sparse.csgraph._laplacian import laplacian
from heddle.scipy.sparse.csgraph._matching import (
    MaximumFlowResult,
    maximum_bipartite_matching,
    maximum_flow,
    min_weight_full_bipartite_matching,
    structural_rank,
)
from heddle.scipy.sparse.csgraph._shortest import (
    NegativeCycleError,
    bellman_ford,
    dijkstra,
    floyd_warshall,
    johnson,
    shortest_path,
    yen,
)
from heddle.scipy.sparse.csgraph._trees import minimum_spanning_tree, reverse_cuthill_mckee

__all__ = [
    "MaximumFlowResult",
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "minimum_spanning_tree",
    "reconstruct_path",
    "reverse_cuthill_mckee",
    "shortest_path",
    "structural_rank",
    "yen",
]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(__name__)
