"""Optimisers that follow gradients, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import heddle as hd
from heddle import tree
from heddle._core import ndarray
from heddle._typing import DTypeLike, Tree
from heddle.optim._base import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    chain,
    global_norm,
    identity,
    number_like,
    without_state,
)

__all__ = [
    "ScaleByAdamState",
    "ScaleByRmsState",
    "ScaleByScheduleState",
    "TraceState",
    "adam",
    "adamw",
    "add_decayed_weights",
    "clip",
    "clip_by_global_norm",
    "rmsprop",
    "scale",
    "scale_by_adam",
    "scale_by_learning_rate",
    "scale_by_rms",
    "scale_by_schedule",
    "sgd",
    "trace",
]

Rate = float | Callable[[Any], Any]


class TraceState(NamedTuple):
    """A decaying sum of updates."""

    trace: Any


class ScaleByAdamState(NamedTuple):
    """The number of steps, and running means of updates and of their squares."""

    count: Any
    mu: Any
    nu: Any


class ScaleByRmsState(NamedTuple):
    """Running means of squares."""

    nu: Any


class ScaleByScheduleState(NamedTuple):
    """The number of steps."""

    count: Any


def _no_steps() -> ndarray:
    return hd.zeros((), hd.int32)


def _zeros_like(params: object, dtype: Any = None) -> Any:
    return tree.map(lambda p: hd.zeros_like(hd.asarray(p), dtype=dtype), params)


def scale(step_size: object) -> GradientTransformation:
    """Updates times a number.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.scale(-0.5)
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([-0.5,  2. ])
    """
    return without_state(
        lambda updates, params: tree.map(lambda u: number_like(step_size, u) * u, updates)
    )


def scale_by_schedule(step_size_fn: Callable[[Any], Any]) -> GradientTransformation:
    """Updates times a function of the number of steps.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.scale_by_schedule(np.optim.constant_schedule(0.5))
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 0.5, -2. ])
    """

    def update(
        updates: Tree, state: ScaleByScheduleState, params: Tree | None = None
    ) -> tuple[Any, Any]:
        factor = step_size_fn(state.count)
        made = tree.map(lambda u: number_like(factor, u) * u, updates)
        return made, ScaleByScheduleState(state.count + 1)

    return GradientTransformation(lambda params: ScaleByScheduleState(_no_steps()), update)


def scale_by_learning_rate(
    learning_rate: Rate, *, flip_sign: bool = True
) -> GradientTransformation:
    """Updates times a rate, or a schedule of rates, downhill.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.scale_by_learning_rate(0.1)
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([-0.1,  0.4])
    """
    sign = -1 if flip_sign else 1
    if callable(learning_rate):
        return scale_by_schedule(lambda count: sign * learning_rate(count))
    return scale(sign * learning_rate)


def clip(max_delta: float) -> GradientTransformation:
    """Updates between ``-max_delta`` and ``max_delta``.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.clip(2.0)
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 1., -2.])
    """
    return without_state(
        lambda updates, params: tree.map(lambda u: hd.clip(u, -max_delta, max_delta), updates)
    )


def clip_by_global_norm(max_norm: float) -> GradientTransformation:
    """Updates that are no longer than ``max_norm``, all together.

    >>> import heddle as np
    >>> rule = np.optim.clip_by_global_norm(1.0)
    >>> print(rule.update(np.array([3.0, 4.0]), rule.init(None))[0])
    [0.6 0.8]
    """

    def clipped(updates: Tree, params: Tree) -> Any:
        norm = global_norm(updates)
        factor = max_norm / hd.maximum(norm, max_norm)
        return tree.map(lambda u: u * factor.astype(u.dtype), updates)

    return without_state(clipped)


def add_decayed_weights(
    weight_decay: float, mask: Tree | Callable[[Tree], Tree] | None = None
) -> GradientTransformation:
    """Parameters times a number are added; with a mask, a tree of truths or a function that makes
    one of the parameters, only to those where it is true.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.add_decayed_weights(0.1)
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 2., -2.])
    """

    def decayed(updates: Tree, params: Tree) -> Any:
        if params is None:
            raise ValueError("add_decayed_weights: update needs the parameters")
        if mask is None:
            return tree.map(lambda u, p: u + weight_decay * p, updates, params)
        chosen = mask(params) if callable(mask) else mask
        return tree.map(
            lambda wanted, u, p: u + weight_decay * p if wanted else u, chosen, updates, params
        )

    return without_state(decayed)


def trace(
    decay: float, nesterov: bool = False, accumulator_dtype: DTypeLike | None = None
) -> GradientTransformation:
    """Momentum: a sum of updates in which older ones count less.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.trace(0.9)
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 1., -4.])
    """

    def update(updates: Tree, state: TraceState, params: Tree | None = None) -> tuple[Any, Any]:
        def added(u: ndarray, t: ndarray) -> ndarray:
            return u + decay * t

        total = tree.map(added, updates, state.trace)
        made = tree.map(added, updates, total) if nesterov else total
        if accumulator_dtype is not None:
            total = tree.map(lambda t: t.astype(accumulator_dtype), total)
        return made, TraceState(total)

    return GradientTransformation(
        lambda params: TraceState(_zeros_like(params, accumulator_dtype)), update
    )


def scale_by_adam(
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    eps_root: float = 0.0,
    mu_dtype: DTypeLike | None = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Running means of updates over the root of those of their squares.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.scale_by_adam()
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 1., -1.])
    """

    def init(params: Tree) -> ScaleByAdamState:
        return ScaleByAdamState(_no_steps(), _zeros_like(params, mu_dtype), _zeros_like(params))

    def update(
        updates: Tree, state: ScaleByAdamState, params: Tree | None = None
    ) -> tuple[Any, Any]:
        count = state.count + 1
        mu = tree.map(lambda u, m: (1 - b1) * u + b1 * m, updates, state.mu)
        nu = tree.map(lambda u, n: (1 - b2) * (u * u) + b2 * n, updates, state.nu)
        # What is missing of the sums of weights, as there was nothing before the first step.
        of_mu, of_nu = 1 - b1**count, 1 - b2**count
        if nesterov:
            of_next = 1 - b1 ** (count + 1)
            means = tree.map(
                lambda u, m: (
                    b1 * m / of_next.astype(m.dtype) + (1 - b1) * u / of_mu.astype(u.dtype)
                ),
                updates,
                mu,
            )
        else:
            means = tree.map(lambda m: m / of_mu.astype(m.dtype), mu)
        made = tree.map(
            lambda m, n: m / (hd.sqrt(n / of_nu.astype(n.dtype) + eps_root) + eps), means, nu
        )
        if mu_dtype is not None:
            mu = tree.map(lambda m: m.astype(mu_dtype), mu)
        return made, ScaleByAdamState(count, mu, nu)

    return GradientTransformation(init, update)


def scale_by_rms(decay: float = 0.9, eps: float = 1e-8) -> GradientTransformation:
    """Updates over the root of running means of their squares.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.scale_by_rms()
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 3.1623, -3.1623])
    """

    def update(
        updates: Tree, state: ScaleByRmsState, params: Tree | None = None
    ) -> tuple[Any, Any]:
        nu = tree.map(lambda u, n: (1 - decay) * (u * u) + decay * n, updates, state.nu)
        made = tree.map(lambda u, n: u / hd.sqrt(n + eps), updates, nu)
        return made, ScaleByRmsState(nu)

    return GradientTransformation(lambda params: ScaleByRmsState(_zeros_like(params)), update)


def sgd(
    learning_rate: Rate,
    momentum: float | None = None,
    nesterov: bool = False,
    accumulator_dtype: DTypeLike | None = None,
) -> GradientTransformationExtraArgs:
    """Steps down the gradient, with momentum if that is given.

    >>> import heddle as np
    >>> rule = np.optim.sgd(0.1)
    >>> x = np.array([1.0, -2.0])
    >>> updates, state = rule.update(np.grad(lambda x: (x**2).sum())(x), rule.init(x))
    >>> print(np.optim.apply_updates(x, updates))
    [ 0.8 -1.6]
    """
    if momentum is None and (nesterov or accumulator_dtype is not None):
        raise ValueError("sgd: nesterov and accumulator_dtype are about momentum, which is not set")
    moved = identity() if momentum is None else trace(momentum, nesterov, accumulator_dtype)
    return chain(moved, scale_by_learning_rate(learning_rate))


def adam(
    learning_rate: Rate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    eps_root: float = 0.0,
    mu_dtype: DTypeLike | None = None,
    *,
    nesterov: bool = False,
) -> GradientTransformationExtraArgs:
    """Steps of about the same length for every parameter, whatever its gradient.

    >>> import heddle as np
    >>> rule = np.optim.adam(0.1)
    >>> params = {"w": np.ones(2)}
    >>> updates, state = rule.update({"w": np.array([1.0, -100.0])}, rule.init(params))
    >>> print(updates["w"].round(6))
    [-0.1  0.1]
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov),
        scale_by_learning_rate(learning_rate),
    )


def adamw(
    learning_rate: Rate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    eps_root: float = 0.0,
    mu_dtype: DTypeLike | None = None,
    weight_decay: float = 1e-4,
    mask: Tree | Callable[[Tree], Tree] | None = None,
    *,
    nesterov: bool = False,
) -> GradientTransformationExtraArgs:
    """`adam` with parameters that decay towards 0; with a mask those where it is true.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.adamw(0.1)
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([-0.1001,  0.0998])
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


def rmsprop(
    learning_rate: Rate,
    decay: float = 0.9,
    eps: float = 1e-8,
    momentum: float | None = None,
    nesterov: bool = False,
) -> GradientTransformationExtraArgs:
    """Steps divided by the root of running means of squared gradients.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.rmsprop(0.1)
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([-0.3162,  0.3162])
    """
    moved = identity() if momentum is None else trace(momentum, nesterov)
    return chain(scale_by_rms(decay, eps), scale_by_learning_rate(learning_rate), moved)
