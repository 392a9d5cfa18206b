"""What a network is trained to make small, with the names and signatures of optax.losses.

Each gives a number for each sample; take the mean of them.
"""

from typing import Any

import heddle as hd
from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes
from heddle.nn._activations import _inexact, log_sigmoid, softplus
from heddle.nn._normalizing import log_softmax

__all__ = [
    "cosine_similarity",
    "hinge_loss",
    "huber_loss",
    "kl_divergence",
    "l2_loss",
    "log_cosh",
    "sigmoid_binary_cross_entropy",
    "smooth_labels",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "squared_error",
]


def _difference(predictions: ArrayLike, targets: ArrayLike | None) -> Any:
    predictions = _inexact(predictions)
    if targets is None:
        return predictions
    targets = hd.asarray(targets)
    if targets.shape != predictions.shape:
        raise ValueError(
            f"predictions are of shape {predictions.shape}, targets of {targets.shape}"
        )
    return predictions - targets


def squared_error(predictions: ArrayLike, targets: ArrayLike | None = None) -> ndarray:
    """``(predictions - targets)**2``, of each element.

    >>> import heddle as np
    >>> print(np.nn.squared_error(np.array([1.0, 3.0]), np.zeros(2)))
    [1. 9.]
    """
    return hd.square(_difference(predictions, targets))


def l2_loss(predictions: ArrayLike, targets: ArrayLike | None = None) -> ndarray:
    """Half of `squared_error`.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.l2_loss(np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    array([0.5, 2. ])
    """
    return 0.5 * squared_error(predictions, targets)


def huber_loss(
    predictions: ArrayLike, targets: ArrayLike | None = None, delta: float = 1.0
) -> ndarray:
    """Half the squared error up to ``delta``, and a line beyond it.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.huber_loss(np.array([0.5, 3.0]), np.array([0.0, 0.0]))
    array([0.125, 2.5  ])
    """
    errors = hd.abs(_difference(predictions, targets))
    near = hd.minimum(errors, delta)
    return 0.5 * near * near + delta * (errors - near)


def log_cosh(predictions: ArrayLike, targets: ArrayLike | None = None) -> ndarray:
    """``log(cosh(predictions - targets))``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.log_cosh(np.array([0.0, 1.0]), np.array([0.0, 0.0])).round(4)
    array([0.    , 0.4338])
    """
    errors = _difference(predictions, targets)
    return hd.logaddexp(errors, -errors) - hd.log(2.0).astype(errors.dtype)


def cosine_similarity(
    predictions: ArrayLike, targets: ArrayLike, *, epsilon: float = 0.0
) -> ndarray:
    """The cosine of the angle between vectors along the last axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.cosine_similarity(np.array([1.0, 0.0]), np.array([1.0, 1.0])).round(4)
    np.float64(0.7071)
    """

    def unit(x: ndarray) -> Any:
        squares = hd.sum(hd.square(x), axis=-1, keepdims=True)
        # The slope of the root is infinite at 0: not of a number that is not the root's.
        short = squares <= epsilon**2
        length = hd.sqrt(hd.where(short, x.dtype.type(1), squares))
        return x / hd.where(short, x.dtype.type(epsilon), length)

    return hd.sum(unit(_inexact(predictions)) * unit(_inexact(targets)), axis=-1)


def softmax_cross_entropy(
    logits: ArrayLike, labels: ArrayLike, axis: Axes = -1, where: ArrayLike | None = None
) -> ndarray:
    """``-sum(labels * log(softmax(logits)))``: labels are probabilities.

    >>> import heddle as np
    >>> print(np.nn.softmax_cross_entropy(np.zeros((1, 2)), np.array([[1.0, 0.0]])))
    [0.69314718]
    """
    logs = log_softmax(logits, axis, where)
    if where is not None:
        logs = hd.where(where, logs, logs.dtype.type(0))
    return -hd.sum(labels * logs, axis=axis)


def softmax_cross_entropy_with_integer_labels(
    logits: ArrayLike, labels: ArrayLike, axis: int = -1
) -> ndarray:
    """The same where labels are the numbers of classes.

    >>> import heddle as np
    >>> print(np.nn.softmax_cross_entropy_with_integer_labels(np.zeros((1, 2)), np.array([1])))
    [0.69314718]
    """
    logits, labels = _inexact(logits), hd.asarray(labels)
    if labels.dtype.kind not in "iu":
        raise TypeError(f"labels are whole numbers, not of type {labels.dtype}")
    axis = axis % logits.ndim
    # As a choice along the axis, which is a part of the kernel that computes the logarithms.
    places = hd.arange(logits.shape[axis]).reshape((-1,) + (1,) * (logits.ndim - 1 - axis))
    chosen = places == hd.expand_dims(labels, axis)
    return -hd.sum(hd.where(chosen, log_softmax(logits, axis), logits.dtype.type(0)), axis=axis)


def sigmoid_binary_cross_entropy(logits: ArrayLike, labels: ArrayLike) -> ndarray:
    """``-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits))``.

    >>> import heddle as np
    >>> print(np.nn.sigmoid_binary_cross_entropy(np.array([0.0, 1000.0]), np.array([1.0, 1.0])))
    [0.69314718 0.        ]
    """
    logits, labels = _inexact(logits), _inexact(labels)
    return -labels * log_sigmoid(logits) + (1 - labels) * softplus(logits)


def hinge_loss(predictor_outputs: ArrayLike, targets: ArrayLike) -> ndarray:
    """``maximum(0, 1 - outputs * targets)`` for targets -1 and 1.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.hinge_loss(np.array([2.0, 0.5, -1.0]), np.array([1.0, 1.0, 1.0]))
    array([0. , 0.5, 2. ])
    """
    return hd.maximum(0, 1 - _inexact(predictor_outputs) * targets)


def kl_divergence(log_predictions: ArrayLike, targets: ArrayLike, axis: int = -1) -> ndarray:
    """``sum(targets * (log(targets) - log_predictions))`` along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.kl_divergence(np.log(np.array([0.5, 0.5])), np.array([0.25, 0.75])).round(4)
    np.float64(0.1308)
    """
    log_predictions, targets = _inexact(log_predictions), _inexact(targets)
    some = targets > 0
    logs = hd.log(hd.where(some, targets, targets.dtype.type(1)))
    return hd.sum(targets * (logs - log_predictions), axis=axis)


def smooth_labels(labels: ArrayLike, alpha: float) -> ndarray:
    """Probabilities that are nearer to equal ones: ``(1 - alpha) * labels + alpha / classes``.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.smooth_labels(np.array([0.0, 1.0]), 0.1)
    array([0.05, 0.95])
    """
    labels = _inexact(labels)
    return (1 - alpha) * labels + alpha / labels.shape[-1]
