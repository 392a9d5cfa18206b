"""``scipy.cluster.hierarchy``: trees of clusters.

Distances are computed on the device, and `linkage` is native. What is done with trees, which have
as few rows as there are points, is SciPy's on the host.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import heddle as np
from heddle._arguments import as_array
from heddle._array.transfer import asnumpy
from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle._typing import ArrayLike
from heddle.scipy._generic import on_host
from heddle.scipy._generic import open_module as _open_module

__all__ = ["linkage"]

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
    y: ArrayLike,
    method: str = "single",
    metric: str | Callable[..., Any] = "euclidean",
    optimal_ordering: bool = False,
) -> ndarray:
    """The tree of clusters of points, or of distances: which two are joined, in order, how far they
    are apart, and how many points they have together.

    Distances of points are computed where they are, the tree of them in compiled code on the host.

    Parameters
    ----------
    y : array
        Points, a row each; or distances between them, as `pdist` gives them.
    method : {'single', 'complete', 'average', 'weighted', 'centroid', 'median', 'ward'}
        How far clusters are apart.
    metric : str or callable
        How far points are apart.
    optimal_ordering : bool
        Whether neighbours among the leaves are to be near; by SciPy on the host.

    Examples
    --------
    >>> from heddle.scipy.cluster.hierarchy import linkage
    >>> linkage([[0.0], [1.0], [5.0]])
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    from heddle.scipy.cluster._linkage import METHODS, SQUARED, square_of, tree_of
    from heddle.scipy.spatial import distance

    given = as_array(y)
    given = given.astype(np.float64, copy=False)
    if method not in METHODS:
        raise ValueError(f"Invalid method: {method}")
    if method in SQUARED and metric != "euclidean" and given.ndim == 2:
        raise ValueError(f"`method={method}` requires the distance metric to be Euclidean")
    if given.ndim == 1:
        distance.is_valid_y(given, throw=True, name="y")
    elif given.ndim == 2:
        _warn_of_distances(given)
        given = distance.pdist(given, metric)
    else:
        raise ValueError("`y` must be 1 or 2 dimensional.")
    points = distance.num_obs_y(given)
    square = square_of(asnumpy(given), points, method)
    made = np.asarray(tree_of(square, method), device=given.device)
    if optimal_ordering:
        from scipy.cluster.hierarchy import optimal_leaf_ordering

        made = on_host(optimal_leaf_ordering)(made, given)
    return made


def _warn_of_distances(points: ndarray) -> None:
    """Warns where points look like a square matrix of distances."""
    if points.shape[0] != points.shape[1] or not points.size:
        return
    hollow = np.isclose(np.diagonal(points), 0).all() & (points >= 0).all()
    if bool(hollow & np.isclose(points, points.T).all()):
        warnings.warn(
            "The symmetric non-negative hollow observation matrix looks suspiciously like an "
            "uncondensed distance matrix",
            _warning_class(),
            stacklevel=3,
        )


def _warning_class() -> Any:
    """SciPy's warning, which its users filter, where SciPy is there."""
    try:
        from scipy.cluster.hierarchy import ClusterWarning
    except ImportError:
        return UserWarning
    return ClusterWarning


_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(
    __name__, (), (*_FUNCTIONS, "ClusterNode", "ClusterWarning", "DisjointSet")
)
