"""``scipy.cluster.vq`` for arrays of every device: k-means, and codes for rows.

Distances are one fused kernel, and means of clusters are sums by label: nothing is copied to the
host but the distortion, which decides when to stop.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle._typing import ArrayLike
from heddle.scipy._errors import OfScipy
from heddle.scipy._generic import host_generator, numpys_generator
from heddle.scipy._generic import open_module as _open_module

__all__ = ["ClusterError", "kmeans", "kmeans2", "py_vq", "vq", "whiten"]

_ELEMENTS = 1 << 23  # of distances that are held at once


class ClusterError(OfScipy, Exception, module="scipy.cluster.vq"):
    """Told where a cluster of `kmeans2` has no rows and `missing` is 'raise'.

    Examples
    --------
    >>> from heddle.scipy.cluster.vq import ClusterError
    >>> issubclass(ClusterError, Exception)
    True
    """


def _checked(a: Any, check_finite: bool) -> ndarray:
    found = as_array(a)
    if found.dtype.kind == "c":
        raise ValueError(f"Unsupported dtype {found.dtype}: rows are of real numbers")
    if check_finite and found.dtype.kind in "fc" and not bool(np.all(np.isfinite(found))):
        raise ValueError("array must not contain infs or NaNs")
    return found


def whiten(obs: object, check_finite: bool | None = None) -> ndarray:
    """Columns divided by their standard deviations.

    Examples
    --------
    >>> from heddle.scipy.cluster.vq import whiten
    >>> whiten([[0.0, 1.0], [2.0, 5.0]])
    array([[0. , 0.5],
           [2. , 2.5]])
    """
    a = _checked(obs, check_finite is None or check_finite)
    deviation = np.std(a, axis=0)
    zero = deviation == 0
    if bool(np.any(zero)):
        warnings.warn(
            "Some columns have standard deviation zero. The values of these columns will not "
            "change.",
            RuntimeWarning,
            stacklevel=2,
        )
    return a / np.where(zero, 1, deviation).astype(deviation.dtype)


def _nearest(rows: ndarray, book: ndarray) -> tuple[ndarray, ndarray]:
    """The nearest code of each row, and the square of its distance."""
    piece = max(1, _ELEMENTS // max(book.shape[0], 1))
    codes, squares = [], []
    for first in range(0, max(rows.shape[0], 1), piece):
        part = rows[first : first + piece]
        total: Any = 0
        if rows.shape[1] <= 16:
            for d in range(rows.shape[1]):
                gap = part[:, None, d] - book[None, :, d]
                total = total + gap * gap
        else:
            gap = part[:, None, :] - book[None, :, :]
            total = np.sum(gap * gap, axis=-1)
        codes.append(np.argmin(total, axis=1))
        squares.append(np.min(total, axis=1))
    if len(codes) == 1:
        return codes[0], squares[0]
    return np.concatenate(codes), np.concatenate(squares)


def vq(obs: object, code_book: object, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """The nearest code of each row, and its distance.

    Examples
    --------
    >>> from heddle.scipy.cluster.vq import vq
    >>> vq([[0.0, 1.0], [4.0, 4.0]], [[0.0, 0.0], [5.0, 4.0]])
    (array([0, 1], dtype=int32), array([1., 1.]))
    """
    rows, book = _checked(obs, check_finite), _checked(code_book, check_finite)
    if rows.ndim != book.ndim:
        raise ValueError("Observation and code_book should have the same rank")
    if rows.ndim not in (1, 2):
        raise ValueError("ndim different than 1 or 2 are not supported")
    dtype = numpy.result_type(rows.dtype, book.dtype)
    dtype = numpy.dtype("f4") if dtype == numpy.dtype("f4") else numpy.dtype("f8")
    if rows.ndim == 1:
        rows, book = rows[:, None], book[:, None]
    if rows.shape[1] != book.shape[1]:
        raise ValueError("Dimension mismatch: observations and code book have different features")
    codes, squares = _nearest(rows.astype(dtype), book.astype(dtype))
    return codes.astype("i4"), np.sqrt(squares)


def py_vq(obs: object, code_book: object, check_finite: bool = True) -> tuple[ndarray, ndarray]:
    """The same as `vq`, for arrays of any shape that it takes.

    Examples
    --------
    >>> from heddle.scipy.cluster.vq import py_vq
    >>> py_vq([[1.0]], [[0.0], [3.0]])[1]
    array([1.])
    """
    rows, book = _checked(obs, check_finite), _checked(code_book, check_finite)
    if rows.ndim != book.ndim:
        raise ValueError("Observation and code_book should have the same rank")
    return vq(rows, book, False)


def _means(rows: ndarray, codes: ndarray, count: int) -> tuple[ndarray, ndarray]:
    """Means of the rows of each code, and which codes have rows."""
    sizes = np.bincount(codes, minlength=count)
    sums = [np.bincount(codes, weights=rows[:, d], minlength=count) for d in range(rows.shape[1])]
    there = sizes > 0
    means = np.stack(sums, axis=1) / np.where(there, sizes, 1)[:, None]
    return means.astype(rows.dtype), there


def kmeans(
    obs: object,
    k_or_guess: object,
    iter: int = 20,
    thresh: float = 1e-5,
    check_finite: bool = True,
    *,
    rng: object = None,
    seed: object = None,
) -> tuple[ndarray, float]:
    """The best of `iter` runs of k-means: codes, and the mean distance of rows to them.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.cluster.vq import kmeans
    >>> book, distortion = kmeans(np.array([[0.0], [0.2], [9.0], [9.2]]), np.array([[0.0], [9.0]]))
    >>> np.round(book, 6)
    array([[0.1],
           [9.1]])
    """
    rows = _checked(obs, check_finite)
    if rows.dtype.kind not in "f":
        rows = rows.astype("f8")
    if iter < 1:
        raise ValueError(f"iter must be at least 1, got {iter}")
    guess = _checked(k_or_guess, check_finite)
    flat = rows[:, None] if rows.ndim == 1 else rows
    if guess.size != 1:
        if guess.size < 1:
            raise ValueError(f"Asked for 0 clusters. Initial book was {k_or_guess}")
        if guess.ndim != rows.ndim:
            raise ValueError("observation and code should have same number of dimensions")
        if guess.shape[1:] != rows.shape[1:]:
            raise ValueError("obs and code should have same number of features (columns)")
        book, distortion = _kmeans(flat, _columns(guess, rows), thresh)
        return (book[:, 0] if rows.ndim == 1 else book), distortion
    k = int(guess)
    if k != float(guess):
        raise ValueError("If k_or_guess is a scalar, it must be an integer.")
    if k < 1:
        raise ValueError(f"Asked for {k} clusters.")
    draw = _generator(rng if seed is None else seed)
    best: Any = None
    for _ in range(iter):
        first = draw.choice(flat.shape[0], size=k, replace=False)
        start = np.take(flat, np.asarray(first, device=flat.device), axis=0)
        book, distortion = _kmeans(flat, start, thresh)
        if best is None or distortion < best[1]:
            best = book, distortion
    return (best[0][:, 0] if rows.ndim == 1 else best[0]), best[1]


def _columns(guess: ndarray, rows: ndarray) -> ndarray:
    made = guess[:, None] if rows.ndim == 1 and guess.ndim == 1 else guess
    return made.astype(rows.dtype)


def _generator(rng: Any) -> Any:
    """A generator of NumPy's, which chooses rows; old ones keep their way."""
    rng = numpys_generator(rng)
    if isinstance(rng, (numpy.random.Generator, numpy.random.RandomState)):
        return rng
    return host_generator(rng)


def _kmeans(rows: ndarray, book: ndarray, thresh: float) -> tuple[ndarray, float]:
    before, change, distortion = math.inf, math.inf, math.inf
    while change > thresh:
        codes, squares = _nearest(rows, book)
        distortion = float(np.mean(np.sqrt(squares)))
        means, there = _means(rows, codes, book.shape[0])
        book = means[there]  # codes that nobody is near to go
        change, before = abs(before - distortion), distortion
    return book, distortion


def kmeans2(
    data: ArrayLike,
    k: ArrayLike,
    iter: int = 10,
    thresh: float = 1e-5,
    minit: str = "random",
    missing: str = "warn",
    check_finite: bool = True,
    *,
    rng: object = None,
    seed: object = None,
) -> tuple[ndarray, ndarray]:
    """k-means of a number of turns: codes, and the label of each row.

    `minit`: 'random', 'points', '++' or 'matrix'.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.cluster.vq import kmeans2
    >>> rows = np.array([[0.0], [0.2], [9.0], [9.2]])
    >>> kmeans2(rows, np.array([[0.0], [9.0]]), minit="matrix")[1]
    array([0, 0, 1, 1], dtype=int32)
    """
    if int(iter) < 1:
        raise ValueError(f"Invalid iter ({iter}), must be a positive integer.")
    if missing not in ("warn", "raise"):
        raise ValueError(f"Unknown missing method {missing!r}")
    given = _checked(data, check_finite)
    rows = given if given.dtype.kind == "f" else given.astype("f8")
    if rows.ndim not in (1, 2):
        raise ValueError("Input of rank > 2 is not supported.")
    flat = rows[:, None] if rows.ndim == 1 else rows
    codes = _checked(k, check_finite)
    if rows.size < 1 or codes.size < 1:
        raise ValueError("Empty input is not supported.")
    if minit == "matrix" or codes.size > 1:
        if rows.ndim != codes.ndim:
            raise ValueError("k array doesn't match data rank")
        book = _columns(codes, rows)
        if book.shape[1] != flat.shape[1]:
            raise ValueError("k array doesn't match data dimension")
    else:
        count = int(codes)
        if count < 1:
            raise ValueError(f"Cannot ask kmeans2 for {count} clusters (k was {count})")
        if count != float(codes):
            warnings.warn("k was not an integer, was converted.", stacklevel=2)
        draw = _generator(rng if seed is None else seed)
        starts = {"random": _random, "points": _points, "++": _spread}
        if minit not in starts:
            raise ValueError(f"Unknown init method {minit!r}")
        book = starts[minit](flat, count, draw)
    for _ in range(int(iter)):
        label, _ = _nearest(flat, book)
        means, there = _means(flat, label, book.shape[0])
        if not bool(np.all(there)):
            if missing == "raise":
                raise ClusterError(
                    "One of the clusters is empty. Re-run kmeans with a different initialization."
                )
            warnings.warn(
                "One of the clusters is empty. Re-run kmeans with a different initialization.",
                stacklevel=2,
            )
        book = np.where(there[:, None], means, book)
    return (book[:, 0] if rows.ndim == 1 else book), label.astype("i4")


def _points(rows: ndarray, k: int, draw: Any) -> ndarray:
    chosen = draw.choice(rows.shape[0], size=k, replace=False)
    return np.take(rows, np.asarray(chosen, device=rows.device), axis=0)


def _random(rows: ndarray, k: int, draw: Any) -> ndarray:
    """Normal numbers with the mean and the covariance of the rows."""
    mean = np.asnumpy(np.mean(rows, axis=0))
    known = np.asnumpy(rows).astype(float)
    dims = rows.shape[1]
    if dims == 1:
        made = draw.standard_normal((k, 1)) * numpy.sqrt(numpy.cov(known[:, 0]))
    elif dims > known.shape[0]:
        _, s, vh = numpy.linalg.svd(known - mean, full_matrices=False)
        factor = s[:, None] * vh / math.sqrt(known.shape[0] - 1)
        made = draw.standard_normal((k, s.size)) @ factor
    else:
        covariance = numpy.atleast_2d(numpy.cov(known, rowvar=False))
        made = draw.standard_normal((k, dims)) @ numpy.linalg.cholesky(covariance).T
    return np.asarray((made + mean).astype(rows.dtype), device=rows.device)


def _spread(rows: ndarray, k: int, draw: Any) -> ndarray:
    """k-means++: each next row with a probability that grows with the distance."""
    first = int(
        draw.integers(rows.shape[0]) if hasattr(draw, "integers") else draw.randint(rows.shape[0])
    )
    book = rows[first : first + 1]
    for _ in range(1, k):
        _, squares = _nearest(rows, book)
        total = np.cumsum(squares / np.sum(squares))
        at = np.searchsorted(total, np.asarray([float(draw.uniform())], device=rows.device))
        at = np.minimum(at, rows.shape[0] - 1)
        book = np.concatenate([book, np.take(rows, at, axis=0)])
    return book


_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(__name__)
