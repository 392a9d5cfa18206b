"""``scipy.cluster.hierarchy``: trees of clusters, computed by SciPy on the host.

Trees have as few rows as there are points; distances between these are computed on the device.
"""

from __future__ import annotations

from typing import Any

from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle.scipy._generic import on_host
from heddle.scipy._generic import open_module as _open_module

__all__ = ["linkage"]

_METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
_FUNCTIONS = [
    "average",
    "centroid",
    "complete",
    "cophenet",
    "correspond",
    "cut_tree",
    "dendrogram",
    "fcluster",
    "fclusterdata",
    "from_mlab_linkage",
    "inconsistent",
    "is_isomorphic",
    "is_monotonic",
    "is_valid_im",
    "is_valid_linkage",
    "leaders",
    "leaves_list",
    "maxRstat",
    "maxdists",
    "maxinconsts",
    "median",
    "num_obs_linkage",
    "optimal_leaf_ordering",
    "set_link_color_palette",
    "single",
    "to_mlab_linkage",
    "to_tree",
    "ward",
    "weighted",
]


def linkage(
    y: Any, method: str = "single", metric: Any = "euclidean", optimal_ordering: bool = False
) -> ndarray:
    """The tree of clusters of points, or of distances: which rows are joined, in order.

    Distances of points are computed on the device, the tree of them by SciPy on the host.

    Examples
    --------
    >>> from heddle.scipy.cluster.hierarchy import linkage
    >>> linkage([[0.0], [1.0], [5.0]])
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    from scipy.cluster import hierarchy

    from heddle.scipy.spatial import distance

    given = as_array(y)
    points = given.ndim == 2 and method in _METHODS and given.dtype.kind != "c"
    if points and isinstance(metric, str) and given.shape[0] > 1 and given.shape[1] > 0:
        square = given.shape[0] == given.shape[1]
        plain = method not in ("centroid", "median", "ward") or metric == "euclidean"
        if plain and not square:
            given = distance.pdist(given, metric)
    made = on_host(hierarchy.linkage)(given, method, metric, optimal_ordering)
    return made  # type: ignore[no-any-return]


_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(
    __name__, (), (*_FUNCTIONS, "ClusterNode", "ClusterWarning", "DisjointSet")
)
