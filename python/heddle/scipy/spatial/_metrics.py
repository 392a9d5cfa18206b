"""Formulas of distances, along the last axis of arrays that are broadcast; and their arguments."""

from __future__ import annotations

import math
from typing import Any

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike

_ALIASES = {
    "braycurtis": (),
    "canberra": (),
    "chebyshev": ("chebychev", "chebyshev", "cheby", "cheb", "ch"),
    "cityblock": ("cityblock", "cblock", "cb", "c"),
    "correlation": ("correlation", "co"),
    "cosine": ("cosine", "cos"),
    "dice": (),
    "euclidean": ("euclidean", "euclid", "eu", "e"),
    "hamming": ("matching", "hamming", "hamm", "ha", "h"),
    "jaccard": ("jaccard", "jacc", "ja", "j"),
    "jensenshannon": ("jensenshannon", "js"),
    "mahalanobis": ("mahalanobis", "mahal", "mah"),
    "minkowski": ("minkowski", "mi", "m", "pnorm"),
    "rogerstanimoto": (),
    "russellrao": (),
    "seuclidean": ("seuclidean", "se", "s"),
    "sokalsneath": (),
    "sqeuclidean": ("sqeuclidean", "sqe", "sqeuclid"),
    "yule": (),
    "hellinger": (),
    "kl_divergence": (),
}
_NAMES = {alias: name for name, found in _ALIASES.items() for alias in (name, *found)}
_TRUTH = {"dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


def metric_of(name: str) -> str:
    known = name.lower().removeprefix("test_")
    if known not in _NAMES:
        raise ValueError(f"Unknown Distance Metric: {name}")
    return _NAMES[known]


def vector(u: ArrayLike) -> ndarray:
    found = as_array(u)
    if found.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    return found


def weights_of(w: ndarray, like: ndarray) -> ndarray:
    made = as_array(w) if isinstance(w, own_array) else np.asarray(w, device=like.device)
    made = made.astype("f8")
    if bool(np.any(made < 0)):
        raise ValueError("Input weights should be all non-negative")
    if made.ndim != 1 or made.shape[0] != like.shape[-1]:
        raise ValueError(f"Weights must have same size as input vector. {made.shape}")
    return made


def prepared(
    name: str,
    a: ndarray,
    b: ndarray,
    kwargs: dict[str, Any],
    *,
    pairs: bool,
    alone: bool = False,
) -> tuple[ndarray, ndarray, dict[str, Any]]:
    """Rows of a type, and arguments of the formula, as SciPy makes them of what is given."""
    given = dict(kwargs)
    w = given.pop("w", None)
    made: dict[str, Any] = {}
    if not alone and "c" in (a.dtype.kind, b.dtype.kind):
        raise ValueError(f"{name}: Unsupported dtype complex128; rows are of real numbers")
    # Of numbers SciPy takes products where it is asked of one pair, and always for Dice's.
    of_numbers = alone or (name == "dice" and w is None)
    if name in _TRUTH and (not of_numbers or a.dtype.kind == b.dtype.kind == "b"):
        a, b = a.astype("?"), b.astype("?")
    elif name == "jaccard" and a.dtype.kind == b.dtype.kind == "b":
        pass
    elif a.dtype.kind == "c" or b.dtype.kind == "c":
        a, b = a.astype("c16"), b.astype("c16")
    else:
        a, b = a.astype("f8"), b.astype("f8")
    if name == "minkowski":
        p = given.pop("p", 2.0)
        if p <= 0:
            raise ValueError("p must be greater than 0")
        made["p"] = float(p)
    elif name == "seuclidean":
        V = given.pop("V", None)
        if V is None:
            rows = a if pairs else np.concatenate([a, b])
            V = np.var(rows, axis=0, ddof=1)
        V = as_array(V).astype("f8")
        if V.ndim != 1 or V.shape[0] != a.shape[-1]:
            raise ValueError(
                "Variance vector V must be one-dimensional and of the same dimension "
                "as the vectors on which the distances are computed."
            )
        made["V"] = V
    elif name == "mahalanobis":
        VI = given.pop("VI", None)
        if VI is None:
            rows = a if pairs else np.concatenate([a, b])
            count, dims = rows.shape
            if count <= dims:
                raise ValueError(
                    f"The number of observations ({count}) is too small; the covariance matrix is "
                    f"singular. For observations with {dims} dimensions, at least {dims + 1} "
                    "observations are required."
                )
            VI = np.linalg.inv(np.atleast_2d(np.cov(rows.T))).T
        made["VI"] = as_array(VI).astype("f8")
        if made["VI"].shape != (a.shape[-1],) * 2:
            raise ValueError(
                f"mahalanobis: VI has shape {made['VI'].shape}, and vectors {a.shape[-1]} elements"
            )
    elif name == "jensenshannon":
        made["base"] = given.pop("base", None)
    if given:
        raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(given))!r}")
    if w is not None:
        if name in ("seuclidean", "mahalanobis", "jensenshannon", "hellinger", "kl_divergence"):
            raise TypeError(f"{name}() got an unexpected keyword argument 'w'")
        made["w"] = weights_of(w, a)
    return a, b, made


def _sum(values: ndarray, w: ArrayLike | None) -> ndarray:
    return np.sum(values if w is None else values * w, axis=-1)


def _size(a: ndarray) -> ndarray:
    return abs(a)


def _mean_of(values: ndarray, w: ArrayLike | None) -> ndarray:
    if w is None:
        return np.sum(values, axis=-1) / values.shape[-1]
    return np.sum(values * w, axis=-1) / np.sum(w)


def euclidean(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    return np.sqrt(sqeuclidean(a, b, w))


def sqeuclidean(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    gap = a - b
    return _sum((gap * gap.conj()).real if gap.dtype.kind == "c" else gap * gap, w)


def cityblock(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    return _sum(_size(a - b), w)


def chebyshev(a: ndarray, b: ndarray, w: Any = None) -> ndarray:
    gap = _size(a - b)
    if w is not None:
        gap = np.where(w > 0, gap, 0.0)
    if not gap.shape[-1]:
        return np.sum(gap, axis=-1)
    return np.max(gap, axis=-1)


def minkowski(a: ndarray, b: ndarray, p: float = 2.0, w: ArrayLike | None = None) -> ndarray:
    if p == math.inf:
        return chebyshev(a, b, w)
    if p == 2:
        return euclidean(a, b, w)
    if p == 1:
        return cityblock(a, b, w)
    return _sum(_size(a - b) ** p, w) ** (1.0 / p)


def canberra(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    total = _size(a) + _size(b)
    return _sum(np.where(total == 0, 0.0, _size(a - b) / np.where(total == 0, 1.0, total)), w)


def braycurtis(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    return _sum(_size(a - b), w) / _sum(_size(a + b), w)


def seuclidean(a: ndarray, b: ndarray, V: ndarray) -> ndarray:
    gap = a - b
    return np.sqrt(np.sum(gap * gap / V, axis=-1))


def mahalanobis(a: ndarray, b: ndarray, VI: ndarray) -> ndarray:
    gap = a - b
    return np.sqrt(np.sum((gap @ VI) * gap, axis=-1))


def cosine(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    if a.ndim == 3 and a.shape[1] == 1 == b.shape[0]:
        # All pairs of rows: a product of matrices, with no root or quotient for each pair.
        own, other = (each / np.sqrt(_sum(each * each, w))[..., None] for each in (a[:, 0], b[0]))
        made = 1.0 - (own if w is None else own * w) @ other.mT
    else:
        sizes = _sum(a * a, w) * _sum(b * b, w)
        made = 1.0 - _sum(a * b, w) / np.sqrt(sizes)
    return np.clip(made, 0.0, 2.0)


def correlation(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    return cosine(a - _mean_of(a, w)[..., None], b - _mean_of(b, w)[..., None], w)


def hamming(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    if w is None:
        return np.sum(a != b, axis=-1) / a.shape[-1]
    return _mean_of((a != b).astype("f8"), w)


def jaccard(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    present = (a != 0) | (b != 0)
    different = (a != 0) ^ (b != 0)
    top, bottom = _sum(different.astype("f8"), w), _sum(present.astype("f8"), w)
    return np.where(bottom == 0, 0.0, top / np.where(bottom == 0, 1.0, bottom))


def _counts(
    a: ndarray, b: ndarray, w: ArrayLike | None
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Of both true, the first alone, the second alone, none; of numbers sums of products."""
    if a.dtype.kind == "b":
        parts = (a & b, a & ~b, ~a & b, ~a & ~b)
        return tuple(_sum(each.astype("f8"), w) for each in parts)  # type: ignore[return-value]
    products = (a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b))
    return tuple(_sum(each, w) for each in products)  # type: ignore[return-value]


def dice(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    both, first, second, _ = _counts(a, b, w)
    return (first + second) / (2.0 * both + first + second)


def rogerstanimoto(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    both, first, second, none = _counts(a, b, w)
    twice = 2.0 * (first + second)
    return twice / (both + none + twice)


def russellrao(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    both = _counts(a, b, w)[0]
    total = float(a.shape[-1]) if w is None else np.sum(w)
    return (total - both) / total


def sokalsneath(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    both, first, second, _ = _counts(a, b, w)
    twice = 2.0 * (first + second)
    return twice / (both + twice)


def yule(a: ndarray, b: ndarray, w: ArrayLike | None = None) -> ndarray:
    both, first, second, none = _counts(a, b, w)
    half = first * second
    bottom = both * none + half
    return np.where(half == 0, 0.0, 2.0 * half / np.where(bottom == 0, 1.0, bottom))


def divergence(p: ndarray, q: ndarray) -> ndarray:
    """p log(p / q), element by element; infinite where only q is zero."""
    inside = (p > 0) & (q > 0)
    value = p * np.log(np.where(inside, p, 1.0) / np.where(inside, q, 1.0))
    outside = np.where((p == 0) & (q >= 0), 0.0, math.inf)
    return np.where(inside, value, np.where(np.isnan(p + q), math.nan, outside))


def jensenshannon(a: ndarray, b: ndarray, base: float | None = None) -> ndarray:
    p = a / np.sum(a, axis=-1, keepdims=True)
    q = b / np.sum(b, axis=-1, keepdims=True)
    middle = (p + q) / 2.0
    total = np.sum(divergence(p, middle) + divergence(q, middle), axis=-1)
    made = np.sqrt(total / 2.0 if base is None else total / math.log(base) / 2.0)
    # What is no distribution is infinitely far from everything.
    none = [np.any(v < 0, axis=-1) | (np.sum(v, axis=-1) == 0) for v in (a, b)]
    return np.where(none[0] | none[1], math.inf, made)


def hellinger(a: ndarray, b: ndarray) -> ndarray:
    gap = np.sqrt(a) - np.sqrt(b)
    return np.sqrt(np.sum(gap * gap, axis=-1) / 2.0)


def kl_divergence(a: ndarray, b: ndarray) -> ndarray:
    return np.sum(divergence(a, b), axis=-1)


METRICS: dict[str, Any] = {name: globals()[name] for name in _ALIASES}
