"""Logarithms of sums of exponentials, numbers that sum to one, and periodic functions."""

from typing import Any, Literal, overload

import numpy

import heddle as hd
from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes

__all__ = ["diric", "log_softmax", "logsumexp", "sinc", "softmax", "softplus"]


@overload
def logsumexp(
    a: ArrayLike,
    axis: Axes | None = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: Literal[False] = False,
) -> ndarray: ...
@overload
def logsumexp(
    a: ArrayLike,
    axis: Axes | None = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    *,
    return_sign: Literal[True],
) -> tuple[ndarray, ndarray]: ...
def logsumexp(
    a: ArrayLike,
    axis: Axes | None = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> ndarray | tuple[ndarray, ndarray]:
    """``log(sum(b * exp(a)))``, of which only the result has to be in range.

    >>> import heddle as np
    >>> print(np.special.logsumexp(np.array([1000.0, 1000.0])))
    1000.6931471805599
    """
    factors = None if b is None else hd.asarray(b)
    made, sign = _core.logsumexp(hd.asarray(a), axis, factors, keepdims, return_sign)
    if made.ndim == 0:  # a number, as of other reductions
        made, sign = made[()], None if sign is None else sign[()]
    return made if sign is None else (made, sign)


def softmax(x: ArrayLike, axis: Axes | None = None) -> ndarray:
    """``exp(x) / sum(exp(x))`` over all elements, or along axes.

    >>> import heddle as np
    >>> print(np.special.softmax(np.array([1000.0, 1000.0, -np.inf])))
    [0.5 0.5 0. ]
    """
    return _core.special_softmax(hd.asarray(x), axis)


def log_softmax(x: ArrayLike, axis: Axes | None = None) -> ndarray:
    """``log(softmax(x))``.

    >>> import heddle as np
    >>> print(np.special.log_softmax(np.array([0.0, 0.0])))
    [-0.69314718 -0.69314718]
    """
    return _core.special_log_softmax(hd.asarray(x), axis)


def softplus(x: ArrayLike, **kwargs: Any) -> ndarray:
    """``log(1 + exp(x))``.

    >>> import heddle as np
    >>> print(np.special.softplus(np.array([-1000.0, 0.0, 1000.0])))
    [0.00000000e+00 6.93147181e-01 1.00000000e+03]
    """
    return hd.logaddexp(0, x, **kwargs)


def sinc(x: ArrayLike) -> ndarray:
    """``sin(pi*x) / (pi*x)``, NumPy's.

    >>> import heddle as np
    >>> print(np.special.sinc(np.array([0.0, 0.5])))
    [1.         0.63661977]
    """
    return hd.sinc(x)


def diric(x: ArrayLike, n: ArrayLike) -> ndarray:
    """Dirichlet's periodic sinc, ``sin(n*x/2) / (n*sin(x/2))``.

    >>> import heddle as np
    >>> print(np.special.diric(np.array([0.0, 2.0]), 3))
    [1.         0.05590211]
    """
    x, n = hd.asarray(x), hd.asarray(n)
    kind = numpy.result_type(x.dtype, n.dtype)
    return _core.diric(x.astype(kind) if kind.kind == "f" else x, n)
