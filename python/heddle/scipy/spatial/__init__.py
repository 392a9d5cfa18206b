"""``scipy.spatial`` for arrays of every device.

k-d trees are built and asked where the points are; distances are native. What Qhull computes is
computed on the host, through SciPy. Rotations are SciPy's own code, where the arrays are.
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy._host import host_class as _host_class
from heddle.scipy.spatial import distance, transform
from heddle.scipy.spatial._geometry import (
    distance_matrix,
    geometric_slerp,
    minkowski_distance,
    minkowski_distance_p,
    procrustes,
)
from heddle.scipy.spatial._kdtree import KDTree, cKDTree
from heddle.scipy.spatial._qhull import (
    ConvexHull,
    Delaunay,
    HalfspaceIntersection,
    SphericalVoronoi,
    Voronoi,
    tsearch,
)

__all__ = [
    "ConvexHull",
    "Delaunay",
    "HalfspaceIntersection",
    "KDTree",
    "SphericalVoronoi",
    "Voronoi",
    "cKDTree",
    "distance",
    "distance_matrix",
    "geometric_slerp",
    "minkowski_distance",
    "minkowski_distance_p",
    "procrustes",
    "transform",
    "tsearch",
]

# On the host, with NumPy's arrays.
_FUNCTIONS = ["convex_hull_plot_2d", "delaunay_plot_2d", "voronoi_plot_2d"]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(__name__, (), (*_FUNCTIONS, "QhullError"), {"Rectangle": _host_class})
