"""Distances of two vectors, a function for each metric."""

from __future__ import annotations

import math

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType
from heddle.scipy.spatial._metrics import METRICS, prepared, vector


def _of_vectors(name: str, u: ArrayLike, v: ArrayLike, **kwargs: object) -> ndarray:
    """The distance of two vectors."""
    a, b = vector(u), vector(v)
    if a.shape != b.shape:
        raise ValueError(
            f"operands could not be broadcast together with shapes {a.shape} {b.shape}"
        )
    if name in ("cosine", "correlation") and "c" in (a.dtype.kind, b.dtype.kind):
        raise TypeError(f"{name}: `u` and `v` must be real.")
    first, second, keywords = prepared(name, a[None], b[None], kwargs, pairs=False, alone=True)
    rows: ndarray = METRICS[name](first, second, **keywords)
    return rows[0].astype(_type_of(name, np.result_type(a, b), keywords.get("w")))


def _type_of(name: str, given: DType, w: ndarray | None) -> DType:
    """The type of a distance, which for some metrics is that of the vectors."""
    keeps = {"cityblock": "if", "chebyshev": "if", "cosine": "f", "correlation": "f"}
    if given.kind == "c":
        return given
    if name == "cityblock" and given.kind == "i":  # what a sum of them is
        given = numpy.dtype("i8")
    return given if w is None and given.kind in keeps.get(name, "") else numpy.dtype("f8")


def _finite_norm(name: str, u: ArrayLike, v: ArrayLike, **kwargs: object) -> ndarray:
    """The same where SciPy refuses vectors that are not finite."""
    a, b = vector(u), vector(v)
    if not bool(np.all(np.isfinite(a)) & np.all(np.isfinite(b))):
        raise ValueError(f"{name}: array must not contain infs or NaNs")
    return _of_vectors(name, a, b, **kwargs)


def braycurtis(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """Sum of differences over sum of sums.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import braycurtis
    >>> print(braycurtis([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    1.0
    """
    return _of_vectors("braycurtis", u, v, w=w)


def canberra(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """Sum of relative differences.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import canberra
    >>> print(canberra([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    2.0
    """
    return _of_vectors("canberra", u, v, w=w)


def chebyshev(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The largest difference.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import chebyshev
    >>> print(chebyshev([1.0, 0.0], [0.0, 3.0]))
    3.0
    """
    return _of_vectors("chebyshev", u, v, w=w)


def cityblock(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """Sum of differences.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import cityblock
    >>> print(cityblock([1.0, 0.0], [0.0, 3.0]))
    4.0
    """
    return _of_vectors("cityblock", u, v, w=w)


def correlation(
    u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None, centered: bool = True
) -> ndarray:
    """1 - the correlation.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import correlation
    >>> print(correlation([1.0, 0.0, 1.0], [1.0, 1.0, 0.0]))
    1.5
    """
    return _of_vectors("correlation" if centered else "cosine", u, v, w=w)


def cosine(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """1 - the cosine of the angle.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import cosine
    >>> print(cosine([1.0, 0.0], [0.0, 1.0]))
    1.0
    """
    return _of_vectors("cosine", u, v, w=w)


def dice(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """Dice's dissimilarity of truth values.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import dice
    >>> print(dice([True, False, False], [False, True, False]))
    1.0
    """
    return _of_vectors("dice", u, v, w=w)


def euclidean(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The Euclidean distance.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import euclidean
    >>> print(euclidean([0.0, 0.0], [3.0, 4.0]))
    5.0
    """
    return _finite_norm("euclidean", u, v, w=w)


def hamming(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The share of elements that differ.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import hamming
    >>> print(hamming([1, 0, 0, 2], [0, 1, 0, 2]))
    0.5
    """
    if w is not None and vector(w).shape != vector(u).shape:
        raise ValueError("'w' should have the same length as 'u' and 'v'.")
    return _of_vectors("hamming", u, v, w=w)


def jaccard(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The share of elements that differ among those that are not both zero.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import jaccard
    >>> print(jaccard([True, False, False], [True, True, False]))
    0.5
    """
    return _of_vectors("jaccard", u, v, w=w)


def jensenshannon(
    p: ArrayLike, q: ArrayLike, base: float | None = None, *, axis: int = 0, keepdims: bool = False
) -> ndarray:
    """The distance of Jensen and Shannon between probabilities along an axis.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import jensenshannon
    >>> print(jensenshannon([1.0, 0.0], [1.0, 0.0]))
    0.0
    """
    from heddle.scipy.spatial._metrics import divergence

    left, right = as_array(p).astype("f8"), as_array(q).astype("f8")
    left = left / np.sum(left, axis=axis, keepdims=True)
    right = right / np.sum(right, axis=axis, keepdims=True)
    middle = (left + right) / 2.0
    total = divergence(left, middle) + divergence(right, middle)
    made = np.sum(total, axis=axis, keepdims=keepdims)
    if base is not None:
        made = made / math.log(base)
    is_single = as_array(p).dtype == as_array(q).dtype == "f4"
    return np.sqrt(made / 2.0).astype("f4" if is_single else "f8")


def hellinger(u: ArrayLike, v: ArrayLike) -> ndarray:
    """CuPy's: the distance of Hellinger, of the roots of two vectors.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import hellinger
    >>> print(hellinger([1.0, 0.0], [0.0, 1.0]).round(9))
    1.0
    """
    return _of_vectors("hellinger", u, v)


def kl_divergence(u: ArrayLike, v: ArrayLike) -> ndarray:
    """CuPy's: the divergence of Kullback and Leibler, the sum of u log(u / v).

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import kl_divergence
    >>> print(kl_divergence([0.5, 0.5], [0.5, 0.5]))
    0.0
    """
    return _of_vectors("kl_divergence", u, v)


def mahalanobis(u: ArrayLike, v: ArrayLike, VI: object) -> ndarray:
    """The distance in the metric of an inverse covariance.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import mahalanobis
    >>> print(mahalanobis([1.0, 0.0], [0.0, 0.0], [[4.0, 0.0], [0.0, 1.0]]))
    2.0
    """
    return _of_vectors("mahalanobis", u, v, VI=VI)


def minkowski(u: ArrayLike, v: ArrayLike, p: float = 2, w: ArrayLike | None = None) -> ndarray:
    """The p-norm of the difference.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import minkowski
    >>> print(minkowski([0.0, 0.0], [3.0, 4.0], 1))
    7.0
    """
    return _finite_norm("minkowski", u, v, p=p, w=w)


def rogerstanimoto(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The dissimilarity of Rogers and Tanimoto.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import rogerstanimoto
    >>> print(rogerstanimoto([True, False, False], [False, True, False]))
    0.8
    """
    return _of_vectors("rogerstanimoto", u, v, w=w)


def russellrao(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The share of elements that are not both true.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import russellrao
    >>> print(russellrao([True, False], [False, True]))
    1.0
    """
    return _of_vectors("russellrao", u, v, w=w)


def seuclidean(u: ArrayLike, v: ArrayLike, V: object) -> ndarray:
    """The Euclidean distance of elements over their variances.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import seuclidean
    >>> print(seuclidean([2.0, 0.0], [0.0, 0.0], [4.0, 1.0]))
    1.0
    """
    first, second, variances = (np.asarray(each) for each in (u, v, V))
    if not first.shape == second.shape == variances.shape:
        raise TypeError(
            "seuclidean: u, v and V must be 1-D arrays of the same length, not of shapes "
            f"{first.shape}, {second.shape} and {variances.shape}"
        )
    return _of_vectors("seuclidean", u, v, V=V)


def sokalsneath(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The dissimilarity of Sokal and Sneath.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import sokalsneath
    >>> print(sokalsneath([True, False, False], [False, True, False]))
    1.0
    """
    if w is None and not (np.any(vector(u)) or np.any(vector(v))):
        raise ValueError(
            "Sokal-Sneath dissimilarity is not defined for vectors that are entirely false."
        )
    return _of_vectors("sokalsneath", u, v, w=w)


def sqeuclidean(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """The square of the Euclidean distance.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import sqeuclidean
    >>> print(sqeuclidean([0.0, 0.0], [3.0, 4.0]))
    25.0
    """
    made = _of_vectors("sqeuclidean", u, v, w=w)
    if w is not None:
        return made
    # Floats keep their type; integers are converted, as their squares would overflow.
    kept = [each.dtype if each.dtype.kind in "fc" else made.dtype for each in map(as_array, (u, v))]
    return made.astype(np.result_type(*kept), copy=False)


def yule(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> ndarray:
    """Yule's dissimilarity.

    Examples
    --------
    >>> from heddle.scipy.spatial.distance import yule
    >>> print(yule([True, False, False], [False, True, False]))
    2.0
    """
    return _of_vectors("yule", u, v, w=w)
