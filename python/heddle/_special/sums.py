"""Logarithms of sums of exponentials, numbers that sum to one, and periodic functions."""

from typing import Any

import heddle as hd
from heddle._core import ndarray, special_parts
from heddle._special.support import inexact
from heddle._typing import ArrayLike, Axes

__all__ = ["diric", "log_softmax", "logsumexp", "sinc", "softmax", "softplus"]


def logsumexp(
    a: ArrayLike,
    axis: Axes | None = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """``log(sum(b * exp(a)))``, of which only the result has to be in range.

    >>> import heddle as np
    >>> print(np.special.logsumexp(np.array([1000.0, 1000.0])))
    1000.6931471805599
    """
    from heddle import nn

    a = hd.atleast_1d(inexact(a))
    if b is not None:
        b = inexact(b)
        common = hd.result_type(a, b)
        a, b = hd.broadcast_arrays(a.astype(common), b.astype(common))
    if a.dtype.kind == "c":
        return nn.logsumexp(a, axis, b, keepdims, return_sign)
    if a.size == 0:
        made = hd.sum(a, axis=axis, keepdims=keepdims) - hd.inf
        return (made, hd.sign(made)) if return_sign else made
    made, sign = _logarithm_and_sign(a, b, axis, return_sign)
    if not keepdims:
        made, sign = hd.squeeze(made, axis), hd.squeeze(sign, axis)
    return (made, sign) if return_sign else made


def _logarithm_and_sign(
    a: ndarray, b: ndarray | None, axis: Axes | None, return_sign: bool
) -> tuple[ndarray, ndarray]:
    """As SciPy has it: of the largest terms, and of the sum of all others relative to theirs, so
    that results near zero have all digits."""
    zero, one = a.dtype.type(0), a.dtype.type(1)
    given = a
    if b is not None:  # nothing counts where its factor is 0, whatever its exponential
        a = hd.where(b == 0, a.dtype.type(-hd.inf), a)
    largest = hd.max(a, axis=axis, keepdims=True)
    is_largest = a == largest
    others = hd.where(is_largest, zero, hd.exp(a - largest))
    counted = hd.where(is_largest, one if b is None else b, zero)
    many = hd.sum(counted, axis=axis, keepdims=True)
    rest = hd.sum(others if b is None else others * b, axis=axis, keepdims=True)
    rest = hd.where(rest == 0, rest, rest / many)
    sign = hd.sign(rest + 1) * hd.sign(many)
    rest = hd.where(rest < -1, -rest - 2, rest)
    made = hd.log1p(rest) + hd.log(hd.abs(many)) + largest
    if b is None:
        return made, hd.where(largest == -hd.inf, zero, sign)
    direct = hd.sum(b * hd.exp(given), axis=axis, keepdims=True)
    is_finite = hd.isfinite(made)
    sign = hd.where(is_finite, sign, hd.sign(direct))
    if return_sign:
        return hd.where(is_finite, made, hd.log(hd.abs(direct))), sign
    made = hd.where(sign < 0, a.dtype.type(hd.nan), made)
    return hd.where(is_finite, made, hd.log(direct)), sign


def softmax(x: ArrayLike, axis: Axes | None = None) -> ndarray:
    """``exp(x) / sum(exp(x))`` over all elements, or along axes.

    >>> import heddle as np
    >>> print(np.special.softmax(np.array([1000.0, 1000.0, -np.inf])))
    [0.5 0.5 0. ]
    """
    from heddle import nn

    return nn.softmax(inexact(x), axis)


def log_softmax(x: ArrayLike, axis: Axes | None = None) -> ndarray:
    """``log(softmax(x))``.

    >>> import heddle as np
    >>> print(np.special.log_softmax(np.array([0.0, 0.0])))
    [-0.69314718 -0.69314718]
    """
    from heddle import nn

    return nn.log_softmax(inexact(x), axis)


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
    x, n = inexact(x), hd.asarray(n)
    n = n.astype(x.dtype)
    valid = (n > 0) & (n == hd.floor(n))
    half = x / 2
    low = hd.sin(half)
    is_zero = hd.abs(low) < (1e-7 if x.dtype == hd.float64 else 1e-3)
    turns = hd.round(x / (2 * hd.pi))
    at_zero = special_parts["cospi"]((n - 1) * turns)
    made = hd.sin(n * half) / (n * hd.where(is_zero, x.dtype.type(1), low))
    return hd.where(valid, hd.where(is_zero, at_zero, made), x.dtype.type(hd.nan))
