"""Numbers that sum to one, logarithms of sums, and values of mean zero and variance one."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

import heddle as hd
from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes, DTypeLike
from heddle.nn._activations import _inexact

__all__ = [
    "batch_norm",
    "group_norm",
    "layer_norm",
    "log_softmax",
    "logmeanexp",
    "logsumexp",
    "one_hot",
    "rms_norm",
    "softmax",
    "standardize",
]

_Axis = Axes | None


def _mask(where: ArrayLike | None) -> ndarray | None:
    return None if where is None else hd.asarray(where)


def softmax(x: ArrayLike, axis: _Axis = -1, where: ArrayLike | None = None) -> ndarray:
    """``exp(x) / sum(exp(x))`` along axes; elements where ``where`` is false are 0.

    >>> import heddle as np
    >>> print(np.nn.softmax(np.array([1000.0, 1000.0, -np.inf])))
    [0.5 0.5 0. ]
    """
    return _core.softmax(_inexact(x), axis, _mask(where))


def log_softmax(x: ArrayLike, axis: _Axis = -1, where: ArrayLike | None = None) -> ndarray:
    """``log(softmax(x))``; elements where ``where`` is false are -inf.

    >>> import heddle as np
    >>> print(np.nn.log_softmax(np.zeros(2)))
    [-0.69314718 -0.69314718]
    """
    return _core.log_softmax(_inexact(x), axis, _mask(where))


@overload
def logsumexp(
    a: ArrayLike,
    axis: _Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: Literal[False] = False,
    where: ArrayLike | None = None,
) -> ndarray: ...
@overload
def logsumexp(
    a: ArrayLike,
    axis: _Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    *,
    return_sign: Literal[True],
    where: ArrayLike | None = None,
) -> tuple[ndarray, ndarray]: ...
def logsumexp(
    a: ArrayLike,
    axis: _Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: ArrayLike | None = None,
) -> ndarray | tuple[ndarray, ndarray]:
    """``log(sum(b * exp(a)))``, of which only the result has to be in range.

    Where the sum is negative the result is nan, or, with ``return_sign``, the logarithm of its
    size, followed by its sign.

    >>> import heddle as np
    >>> print(np.nn.logsumexp(np.array([1000.0, 1000.0])))
    1000.6931471805599
    """
    factors = None if b is None else hd.asarray(b)
    made, sign = _core.logarithm_of_sum(_inexact(a), axis, factors, _mask(where), return_sign)
    if not keepdims:
        made, sign = hd.squeeze(made, axis), hd.squeeze(sign, axis)
    return (made, sign) if return_sign else made


def logmeanexp(
    x: ArrayLike, axis: _Axis = None, where: ArrayLike | None = None, keepdims: bool = False
) -> ndarray:
    """``log(mean(exp(x)))``, of which only the result has to be in range.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.logmeanexp(np.array([1000.0, 1000.0]))
    np.float64(1000.0)
    """
    x = _inexact(x)
    total = logsumexp(x, axis, where=where, keepdims=keepdims)
    if where is not None:
        counted = hd.broadcast_to(hd.asarray(where), x.shape)
        return total - hd.log(hd.sum(counted, axis=axis, keepdims=keepdims).astype(x.dtype))
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return total - math.log(math.prod(x.shape[i] for i in axes))


def standardize(
    x: ArrayLike,
    axis: _Axis = -1,
    mean: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    epsilon: ArrayLike = 1e-5,
    where: ArrayLike | None = None,
) -> ndarray:
    """``(x - mean) / sqrt(variance + epsilon)``, with mean and variance of x if none are given.

    >>> import heddle as np
    >>> print(np.nn.standardize(np.array([1.0, 2.0, 3.0]), epsilon=0))
    [-1.22474487  0.          1.22474487]
    """
    x = _inexact(x)
    keywords: dict[str, Any] = {} if where is None else {"where": where}
    if mean is None:
        mean = hd.mean(x, axis=axis, keepdims=True, **keywords)
    if variance is None:
        variance = hd.mean(hd.square(x - mean), axis=axis, keepdims=True, **keywords)
    return (x - mean) / hd.sqrt(hd.asarray(variance) + epsilon)


def one_hot(x: ArrayLike, num_classes: int, *, dtype: DTypeLike = float, axis: int = -1) -> ndarray:
    """Along a new axis 1 at the place that x says, and 0 elsewhere.

    >>> import heddle as np
    >>> print(np.nn.one_hot(np.array([0, 2]), 3))
    [[1. 0. 0.]
     [0. 0. 1.]]
    """
    x = hd.asarray(x)
    axis = axis % (x.ndim + 1)
    places = hd.arange(num_classes).reshape((num_classes,) + (1,) * (x.ndim - axis))
    return (hd.expand_dims(x, axis) == places).astype(dtype)


def _scaled(x: ndarray, scale: ArrayLike | None, bias: ArrayLike | None) -> ndarray:
    if scale is not None:
        x = x * scale
    return x if bias is None else x + bias


def _wide(x: ndarray) -> ndarray:
    """In a type in which means are accurate: float32 for those of half precision."""
    return x.astype(hd.float32) if x.dtype.itemsize == 2 else x


def layer_norm(
    x: ArrayLike,
    scale: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    axis: _Axis = -1,
    epsilon: float = 1e-6,
) -> ndarray:
    """Elements of mean 0 and variance 1 along axes, times a scale, and a bias.

    >>> import heddle as np
    >>> print(np.nn.layer_norm(np.array([[1.0, 3.0]]), scale=2.0, epsilon=0))
    [[-2.  2.]]
    """
    x = _inexact(x)
    return _scaled(standardize(_wide(x), axis, epsilon=epsilon).astype(x.dtype), scale, bias)


def rms_norm(
    x: ArrayLike, scale: ArrayLike | None = None, *, axis: _Axis = -1, epsilon: float = 1e-6
) -> ndarray:
    """Elements whose mean square along axes is 1, times a scale.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.rms_norm(np.array([3.0, 4.0])).round(4)
    array([0.8485, 1.1314])
    """
    x = _inexact(x)
    wide = _wide(x)
    made = wide / hd.sqrt(hd.mean(hd.square(wide), axis=axis, keepdims=True) + epsilon)
    return _scaled(made.astype(x.dtype), scale, None)


def group_norm(
    x: ArrayLike,
    num_groups: int,
    scale: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    epsilon: float = 1e-6,
) -> ndarray:
    """`layer_norm` of each sample over groups of channels: x is (batch, extents..., channels).

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.group_norm(np.array([[1.0, 3.0, 10.0, 30.0]]), num_groups=2).round(3)
    array([[-1.,  1., -1.,  1.]])
    """
    x = _inexact(x)
    channels = x.shape[-1]
    if channels % num_groups:
        raise ValueError(f"group_norm: {channels} channels are not {num_groups} equal groups")
    grouped = _wide(x).reshape((*x.shape[:-1], num_groups, channels // num_groups))
    axes = (*range(1, x.ndim - 1), x.ndim)
    made = standardize(grouped, axes, epsilon=epsilon).reshape(x.shape)
    return _scaled(made.astype(x.dtype), scale, bias)


def batch_norm(
    x: ArrayLike,
    stats: dict[str, Any],
    scale: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    use_running_average: bool,
    momentum: float = 0.99,
    epsilon: float = 1e-5,
    axis: int = -1,
) -> tuple[ndarray, dict[str, Any]]:
    """Elements of mean 0 and variance 1 in each channel, and statistics with these added to them.

    ``stats`` has running means ``"mean"`` and variances ``"var"`` of the channels, which lie along
    ``axis``. While a network is trained those of the batch are used, and added; afterwards, with
    ``use_running_average``, those that were gathered.

    >>> import heddle as np
    >>> stats = {"mean": np.zeros(1), "var": np.ones(1)}
    >>> y, stats = np.nn.batch_norm(np.array([[1.0], [3.0]]), stats, use_running_average=False)
    >>> print(y.round(3).ravel(), stats["mean"])
    [-1.  1.] [0.02]
    """
    x = _inexact(x)
    axis = axis % x.ndim
    others = tuple(i for i in range(x.ndim) if i != axis)
    shape = tuple(x.shape[i] if i == axis else 1 for i in range(x.ndim))
    wide = _wide(x)
    if use_running_average:
        mean, var = stats["mean"], stats["var"]
    else:
        mean = hd.mean(wide, axis=others)
        var = hd.mean(hd.square(wide - mean.reshape(shape)), axis=others)
        stats = {
            "mean": momentum * stats["mean"] + (1 - momentum) * hd.stop_gradient(mean),
            "var": momentum * stats["var"] + (1 - momentum) * hd.stop_gradient(var),
        }
    # As one factor and one summand for a channel: nothing of the size of x in between.
    factor = 1 / hd.sqrt(var + epsilon)
    made = (wide - mean.reshape(shape)) * factor.reshape(shape)
    scale, bias = (None if one is None else hd.reshape(one, shape) for one in (scale, bias))
    return _scaled(made.astype(x.dtype), scale, bias), stats
