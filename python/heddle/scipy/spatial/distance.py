"""``scipy.spatial.distance`` for arrays of every device.

Matrices of distances are one fused kernel of sums over coordinates, or a product of matrices where
that is as exact. They are deferred, and have derivatives.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle._typing import ArrayLike, Output
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.spatial._metrics import METRICS, metric_of, prepared
from heddle.scipy.spatial._pairs import euclidean_pairs, matrix_of_line
from heddle.scipy.spatial._vector_distances import (
    braycurtis,
    canberra,
    chebyshev,
    cityblock,
    correlation,
    cosine,
    dice,
    euclidean,
    hamming,
    hellinger,
    jaccard,
    jensenshannon,
    kl_divergence,
    mahalanobis,
    minkowski,
    rogerstanimoto,
    russellrao,
    seuclidean,
    sokalsneath,
    sqeuclidean,
    yule,
)

__all__ = [
    "braycurtis",
    "canberra",
    "cdist",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "directed_hausdorff",
    "distance_matrix",
    "euclidean",
    "hamming",
    "hellinger",
    "is_valid_dm",
    "is_valid_y",
    "jaccard",
    "jensenshannon",
    "kl_divergence",
    "mahalanobis",
    "minkowski",
    "num_obs_dm",
    "num_obs_y",
    "pdist",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "squareform",
    "yule",
]


def cdist(
    XA: ArrayLike,
    XB: ArrayLike,
    metric: str | Callable[..., Any] = "euclidean",
    *,
    out: Output | None = None,
    **kwargs: object,
) -> ndarray:
    """Distances of all pairs of rows of two arrays.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import cdist
    >>> cdist([[0.0, 0.0], [1.0, 1.0]], [[3.0, 4.0]])
    array([[5.        ],
           [3.60555128]])
    """
    a, b = as_array(XA), as_array(XB)
    if a.ndim != 2:
        raise ValueError("XA must be a 2-dimensional array.")
    if b.ndim != 2:
        raise ValueError("XB must be a 2-dimensional array.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    if callable(metric) and metric not in _OWN:
        return _stored(_called(a, b, metric, kwargs), out)
    name = metric_of(metric if isinstance(metric, str) else metric.__name__)
    a, b, keywords = prepared(name, a, b, kwargs, pairs=False)
    made = METRICS[name](a[:, None, :], b[None, :, :], **keywords)
    return _stored(made.astype("f8"), out)


def pdist(
    X: ArrayLike,
    metric: str | Callable[..., Any] = "euclidean",
    *,
    out: Output | None = None,
    **kwargs: object,
) -> ndarray:
    """Distances of all pairs of rows, each pair once, as one line.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import pdist
    >>> pdist([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    array([5.        , 1.        , 4.24264069])
    """
    a = as_array(X)
    if a.ndim != 2:
        raise ValueError("A 2-dimensional array must be passed.")
    n = a.shape[0]
    if callable(metric) and metric not in _OWN:
        rows = np.asnumpy(a.astype("f8") if a.dtype.kind != "c" else a)
        i, j = numpy.triu_indices(n, 1)
        values = [float(metric(rows[p], rows[q], **kwargs)) for p, q in zip(i, j, strict=True)]
        return _stored(np.asarray(numpy.array(values, float), device=a.device), out)
    name = metric_of(metric if isinstance(metric, str) else metric.__name__)
    a, _, keywords = prepared(name, a, a, kwargs, pairs=True)
    if n < 2:
        return _stored(np.zeros((0,), "f8", device=a.device), out)
    made: ndarray | None = None
    if name == "euclidean" and not keywords:
        made = euclidean_pairs(a)
    if made is None:
        first, second = _pairs(n, a.device)
        ones, others = np.take(a, first, axis=0), np.take(a, second, axis=0)
        made = METRICS[name](ones, others, **keywords).astype("f8")
    return _stored(made, out)


@functools.lru_cache(maxsize=4)
def _pairs(n: int, device: str) -> tuple[ndarray, ndarray]:
    """Indices i < j of pairs, in order."""
    i, j = numpy.triu_indices(n, 1)
    return np.asarray(i, device=device), np.asarray(j, device=device)


def _called(a: ndarray, b: ndarray, metric: Callable[..., Any], kwargs: dict[str, Any]) -> ndarray:
    """A function of the user's, called for each pair, on the host."""
    rows, others = np.asnumpy(a), np.asnumpy(b)
    made = numpy.empty((len(rows), len(others)))
    for i, row in enumerate(rows):
        for j, other in enumerate(others):
            made[i, j] = metric(row, other, **kwargs)
    return np.asarray(made, device=a.device)


def _stored(made: ndarray, out: Any) -> ndarray:
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError("Output array has incorrect shape.")
    if out.dtype != numpy.dtype("f8"):
        raise ValueError("Output array must be double type.")
    if not out.flags.c_contiguous:
        raise ValueError("Output array must be C-contiguous.")
    if isinstance(out, numpy.ndarray):
        out[...] = np.asnumpy(made)
    else:
        out[...] = made
    return out  # type: ignore[no-any-return]


_OWN: list[Callable[..., Any]] = [braycurtis, canberra, chebyshev, cityblock, correlation]
_OWN += [cosine, dice, euclidean, hamming]
_OWN += [hellinger, jaccard, jensenshannon, kl_divergence, mahalanobis, minkowski, rogerstanimoto]
_OWN += [russellrao, seuclidean, sokalsneath, sqeuclidean, yule]


def squareform(X: ArrayLike, force: str = "no", checks: bool = True) -> ndarray:
    """A line of distances as a matrix, or the other way.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import squareform
    >>> squareform([1.0, 2.0, 3.0])
    array([[0., 1., 2.],
           [1., 0., 3.],
           [2., 3., 0.]])
    """
    a = as_array(X)
    if force.lower() == "tomatrix" and a.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if force.lower() == "tovector" and a.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if a.ndim == 1:
        count = a.shape[0]
        if count == 0:
            return np.zeros((1, 1), a.dtype, device=a.device)
        n = math.ceil(math.sqrt(count * 2))
        if n * (n - 1) != count * 2:
            raise ValueError(
                "Incompatible vector size. It must be a binomial coefficient n choose 2 for some "
                "integer n >= 2."
            )
        return matrix_of_line(a, n)
    if a.ndim != 2:
        raise ValueError(
            "The first argument must be one or two dimensional array. A "
            f"{a.ndim}-dimensional array is not permitted"
        )
    if a.shape[0] != a.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if checks:
        is_valid_dm(a, throw=True, name="X")
    n = a.shape[0]
    if n <= 1:
        return np.zeros((0,), a.dtype, device=a.device)
    first, second = _pairs(n, a.device)
    return np.take(a.reshape(-1), first * n + second)


def is_valid_dm(
    D: ArrayLike, tol: float = 0.0, throw: bool = False, name: str = "D", warning: bool = False
) -> bool:
    """Whether this is a matrix of distances: symmetric, and zero on its diagonal.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import is_valid_dm
    >>> is_valid_dm([[0.0, 1.0], [1.0, 0.0]])
    True
    """
    a = as_array(D)
    label = f"'{name}' " if name else ""
    problem = None
    if a.ndim != 2:
        problem = f"Distance matrix {label}must have shape=2 (i.e. be two-dimensional)."
    elif a.shape[0] != a.shape[1]:
        problem = f"Distance matrix {label}must be symmetric."
    elif tol == 0.0:
        if not bool(np.all(a == a.T)):
            problem = f"Distance matrix {label}must be symmetric."
        elif not bool(np.all(np.diagonal(a) == 0)):
            problem = f"Distance matrix {label}diagonal must be zero."
    elif not bool(np.all(abs(a - a.T) <= tol)):
        problem = f"Distance matrix {label}must be symmetric within tolerance {tol}."
    elif not bool(np.all(abs(np.diagonal(a)) <= tol)):
        problem = f"Distance matrix {label}diagonal must be close to zero within tolerance {tol}."
    return _told(problem, throw, warning)


def _told(problem: str | None, throw: bool, warning: bool) -> bool:
    if problem is None:
        return True
    if throw:
        raise ValueError(problem)
    if warning:
        import warnings

        warnings.warn(problem, stacklevel=3)
    return False


def is_valid_y(
    y: ArrayLike, warning: bool = False, throw: bool = False, name: str | None = None
) -> bool:
    """Whether this is a line of distances of all pairs.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import is_valid_y
    >>> is_valid_y([1.0, 2.0, 3.0])
    True
    """
    a = as_array(y)
    label = f"'{name}' " if name else ""
    problem = None
    if a.ndim != 1:
        problem = f"Condensed distance matrix {label}must have shape=1 (i.e. be one-dimensional)."
    else:
        n = math.ceil(math.sqrt(a.shape[0] * 2))
        if n * (n - 1) != a.shape[0] * 2:
            problem = (
                f"Length n of condensed distance matrix {label}must be a binomial coefficient, "
                "i.e. there must be a k such that (k \\choose 2)=n)!"
            )
    return _told(problem, throw, warning)


def num_obs_dm(d: ArrayLike) -> int:
    """How many points a matrix of distances is of.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import num_obs_dm
    >>> num_obs_dm([[0.0, 1.0], [1.0, 0.0]])
    2
    """
    a = as_array(d)
    is_valid_dm(a, tol=math.inf, throw=True, name="d")
    return int(a.shape[0])


def num_obs_y(Y: ArrayLike) -> int:
    """How many points a line of distances is of.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import num_obs_y
    >>> num_obs_y([1.0, 2.0, 3.0])
    3
    """
    a = as_array(Y)
    is_valid_y(a, throw=True, name="Y")
    if a.shape[0] == 0:
        raise ValueError(
            "The number of observations cannot be determined on an empty distance matrix."
        )
    return math.ceil(math.sqrt(a.shape[0] * 2))


def directed_hausdorff(
    u: ArrayLike, v: ArrayLike, rng: object = 0, *, seed: object = 0
) -> tuple[Any, Any, Any]:
    """The largest distance of a row of `u` to the nearest one of `v`, and both indices.

    SciPy looks at rows in an order that `rng`, or `seed`, says; here they are looked at all at
    once, and nothing depends on it.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import directed_hausdorff
    >>> print(*directed_hausdorff([[0.0, 0.0], [3.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]))
    2.0 1 1
    """
    a, b = as_array(u).astype("f8"), as_array(v).astype("f8")
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise ValueError("u and v need to have the same number of columns")
    from heddle.scipy.spatial._kdtree import KDTree

    found, places = KDTree(b).query(a)
    far = np.argmax(found)
    return found[far], int(far), int(places[far])


def distance_matrix(x: ArrayLike, y: ArrayLike, p: float = 2.0) -> ndarray:
    """Distances of all pairs of rows, by the p-norm: CuPy's name for it here.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import distance_matrix
    >>> distance_matrix([[0.0]], [[3.0]])
    array([[3.]])
    """
    return cdist(as_array(x), as_array(y), "minkowski", p=p)


_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(__name__)
