"""Functions that stand between the layers of a network, with the names and signatures of jax.nn.

They are compositions of ufuncs: each is one kernel, or a part of the kernel around it.
"""

import math

import heddle as hd
from heddle._core import ndarray
from heddle._math.log_sums import log_add_exp
from heddle._typing import ArrayLike

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "identity",
    "leaky_relu",
    "log1mexp",
    "log_sigmoid",
    "mish",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softplus",
    "sparse_plus",
    "sparse_sigmoid",
    "squareplus",
    "swish",
    "tanh",
]

tanh = hd.tanh


def identity(x: ArrayLike) -> ndarray:
    """The argument, as an array.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.identity([1.0, 2.0])
    array([1., 2.])
    """
    return hd.asarray(x)


def _inexact(x: ArrayLike) -> ndarray:
    """As an array of real or complex numbers; whole numbers become float64."""
    x = hd.asarray(x)
    return x.astype(hd.float64) if x.dtype.kind in "biu" else x


def relu(x: ArrayLike) -> ndarray:
    """``maximum(x, 0)``, with slope 0 at 0.

    >>> import heddle as np
    >>> print(np.nn.relu(np.array([-1.0, 2.0])))
    [0. 2.]
    """
    x = hd.asarray(x)
    return hd.where(x <= 0, x.dtype.type(0), x)  # nan stays nan


def relu6(x: ArrayLike) -> ndarray:
    """``minimum(maximum(x, 0), 6)``, with slope 0 at 0 and at 6.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.relu6(np.array([-1.0, 3.0, 8.0]))
    array([0., 3., 6.])
    """
    x = _inexact(x)
    return hd.where(x <= 0, x.dtype.type(0), hd.where(x >= 6, x.dtype.type(6), x))


def sigmoid(x: ArrayLike) -> ndarray:
    """``1 / (1 + exp(-x))``, exact on both sides.

    >>> import heddle as np
    >>> print(np.nn.sigmoid(np.array([0.0, -800.0])))
    [0.5 0. ]
    """
    x = _inexact(x)
    if x.dtype.kind == "c":
        return 1 / (1 + hd.exp(-x))
    positive = x >= 0
    small = hd.exp(hd.where(positive, -x, x))  # at most 1: it and its derivatives stay finite
    return hd.where(positive, x.dtype.type(1), small) / (1 + small)


def softplus(x: ArrayLike) -> ndarray:
    """``log(1 + exp(x))``.

    >>> import heddle as np
    >>> print(np.nn.softplus(np.array([-1000.0, 0.0, 9.0])))
    [0.         0.69314718 9.0001234 ]
    """
    return log_add_exp(_inexact(x), 0)


def log_sigmoid(x: ArrayLike) -> ndarray:
    """``log(sigmoid(x))``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.log_sigmoid(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-2.1269, -0.6931, -0.3133])
    """
    return -softplus(-_inexact(x))


def sparse_plus(x: ArrayLike) -> ndarray:
    """0 up to -1, x from 1 on, ``(x + 1)**2 / 4`` in between.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.sparse_plus(np.array([-2.0, 0.0, 2.0]))
    array([0.  , 0.25, 2.  ])
    """
    x = _inexact(x)
    return hd.where(x <= -1, x.dtype.type(0), hd.where(x >= 1, x, (x + 1) ** 2 / 4))


def sparse_sigmoid(x: ArrayLike) -> ndarray:
    """0 up to -1, 1 from 1 on, a line in between.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.sparse_sigmoid(np.array([-2.0, 0.0, 2.0]))
    array([0. , 0.5, 1. ])
    """
    return 0.5 * hd.clip(_inexact(x) + 1, 0, 2)


def soft_sign(x: ArrayLike) -> ndarray:
    """``x / (1 + abs(x))``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.soft_sign(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-0.6667,  0.    ,  0.5   ])
    """
    x = _inexact(x)
    if x.dtype.kind == "c":
        return x / (1 + hd.abs(x))
    # By a choice, as the slope of abs is 0 at 0.
    return x / (1 + hd.where(x < 0, -x, x))


def silu(x: ArrayLike) -> ndarray:
    """``x * sigmoid(x)``; also called swish.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.silu(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-0.2384,  0.    ,  0.7311])
    """
    x = _inexact(x)
    return x * sigmoid(x)


swish = silu


def mish(x: ArrayLike) -> ndarray:
    """``x * tanh(softplus(x))``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.mish(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-0.2525,  0.    ,  0.8651])
    """
    x = _inexact(x)
    return x * hd.tanh(softplus(x))


def leaky_relu(x: ArrayLike, negative_slope: ArrayLike = 0.01) -> ndarray:
    """x where it is not negative, else ``negative_slope * x``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.leaky_relu(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-0.02,  0.  ,  1.  ])
    """
    x = _inexact(x)
    return hd.where(x >= 0, x, negative_slope * x)


def hard_tanh(x: ArrayLike) -> ndarray:
    """x between -1 and 1, with slope 1 there.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.hard_tanh(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-1.,  0.,  1.])
    """
    x = _inexact(x)
    return hd.where(x > 1, x.dtype.type(1), hd.where(x < -1, x.dtype.type(-1), x))


def hard_sigmoid(x: ArrayLike) -> ndarray:
    """``relu6(x + 3) / 6``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.hard_sigmoid(np.array([-2.0, 0.0, 1.0])).round(4)
    array([0.1667, 0.5   , 0.6667])
    """
    return relu6(_inexact(x) + 3) / 6


def hard_silu(x: ArrayLike) -> ndarray:
    """``x * hard_sigmoid(x)``; also called hard_swish.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.hard_silu(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-0.3333,  0.    ,  0.6667])
    """
    x = _inexact(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def elu(x: ArrayLike, alpha: ArrayLike = 1.0) -> ndarray:
    """x where it is positive, else ``alpha * (exp(x) - 1)``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.elu(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-0.8647,  0.    ,  1.    ])
    """
    x = _inexact(x)
    negative = hd.where(x > 0, x.dtype.type(0), x)
    return hd.where(x > 0, x, alpha * hd.expm1(negative))


def celu(x: ArrayLike, alpha: ArrayLike = 1.0) -> ndarray:
    """``maximum(x, 0) + alpha * (exp(minimum(x, 0) / alpha) - 1)``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.celu(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-0.8647,  0.    ,  1.    ])
    """
    x = _inexact(x)
    return hd.maximum(x, 0) + alpha * hd.expm1(hd.minimum(x, 0) / alpha)


def selu(x: ArrayLike) -> ndarray:
    """`elu` with the constants that keep mean and variance from layer to layer.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.selu(np.array([-2.0, 0.0, 1.0])).round(4)
    array([-1.5202,  0.    ,  1.0507])
    """
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946
    return scale * elu(x, alpha)


def _erfc(x: ndarray) -> ndarray:
    """1 - erf(x) in the type of its argument; those of half precision by float32."""
    if x.dtype.itemsize == 2:
        return hd.special.erfc(x.astype(hd.float32)).astype(x.dtype)
    return hd.special.erfc(x)


def gelu(x: ArrayLike, approximate: bool = True) -> ndarray:
    """x times the normal distribution function at x, or an approximation of it by tanh.

    >>> import heddle as np
    >>> print(np.nn.gelu(np.array([-1.0, 0.0, 1.0]), approximate=False))
    [-0.15865525  0.          0.84134475]
    """
    x = _inexact(x)
    if approximate:
        inside = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        return x * (0.5 * (1 + hd.tanh(inside)))
    return x * (0.5 * _erfc(x * -math.sqrt(0.5)))


def glu(x: ArrayLike, axis: int = -1) -> ndarray:
    """The first half of the elements along an axis times `sigmoid` of the second half.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.glu(np.array([1.0, 2.0, 0.0, 0.0]))
    array([0.5, 1. ])
    """
    x = hd.asarray(x)
    if x.shape[axis] % 2:
        raise ValueError(f"glu: axis {axis} of an array of shape {x.shape} has no halves")
    first, second = hd.split(x, 2, axis)
    return first * sigmoid(second)


def squareplus(x: ArrayLike, b: ArrayLike = 4) -> ndarray:
    """``(x + sqrt(x**2 + b)) / 2``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.squareplus(np.array([-2.0, 0.0, 1.0])).round(4)
    array([0.4142, 1.    , 1.618 ])
    """
    x = _inexact(x)
    return 0.5 * (x + hd.sqrt(x * x + b))


def log1mexp(x: ArrayLike) -> ndarray:
    """``log(1 - exp(-x))`` for positive x.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.log1mexp(np.array([0.5, 1.0])).round(4)
    array([-0.9328, -0.4587])
    """
    x = _inexact(x)
    small = x < math.log(2)
    # Each branch gets arguments at which it and its slope are finite.
    near = hd.log(-hd.expm1(-hd.where(small, x, x.dtype.type(1))))
    far = hd.log1p(-hd.exp(-hd.where(small, x.dtype.type(1), x)))
    return hd.where(small, near, far)
