"""L-BFGS: directions that account for curvature, from the last few steps and gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import heddle as hd
from heddle import tree
from heddle._typing import ArrayLike, Tree
from heddle.optim._base import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    chain,
    dot,
    global_norm,
    identity,
    number_like,
)
from heddle.optim._gradients import Rate, scale, scale_by_learning_rate
from heddle.optim._line_search import scale_by_zoom_linesearch

__all__ = ["ScaleByLBFGSState", "lbfgs", "scale_by_lbfgs"]


class ScaleByLBFGSState(NamedTuple):
    """Differences of parameters and of updates between steps, the newest last.

    Each leaf of the memories has one more axis, the first, for the steps; ``weights_memory`` has
    the reciprocals of the products of both, 0 where there was no step yet.
    """

    count: Any
    params: Any
    updates: Any
    diff_params_memory: Any
    diff_updates_memory: Any
    weights_memory: Any


def _appended(memory: object, newest: object) -> Any:
    return tree.map(lambda m, n: hd.concatenate([m[1:], n[None]]), memory, newest)


def scale_by_lbfgs(
    memory_size: int = 10, scale_init_precond: bool = True
) -> GradientTransformation:
    """Updates times an approximation of the inverse Hessian.

    Without ``scale_init_precond`` the approximation begins with the identity, else with one that is
    scaled to the curvature of the last step, and at first to the length of the updates.

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.scale_by_lbfgs()
    >>> parameters = np.array([10.0, 20.0])
    >>> updates, _ = method.update(np.array([1.0, -4.0]), method.init(parameters), parameters)
    >>> updates.round(4)
    array([ 0.2425, -0.9701])
    """
    if memory_size < 1:
        raise ValueError(f"scale_by_lbfgs: memory_size is at least 1, not {memory_size}")

    def init(params: Tree) -> ScaleByLBFGSState:
        arrays = tree.map(hd.asarray, params)
        none = tree.map(
            lambda p: hd.zeros((memory_size, *p.shape), p.dtype, device=p.device), arrays
        )
        leaves = tree.leaves(arrays)
        dtype = hd.result_type(*leaves) if leaves else hd.float64
        zeros = tree.map(hd.zeros_like, arrays)
        return ScaleByLBFGSState(
            hd.zeros((), hd.int32), zeros, zeros, none, none, hd.zeros(memory_size, dtype)
        )

    def update(
        updates: Tree, state: ScaleByLBFGSState, params: Tree | None = None
    ) -> tuple[Any, Any]:
        if params is None:
            raise ValueError("scale_by_lbfgs: update needs the parameters")
        steps = tree.map(lambda now, before: now - before, params, state.params)
        changes = tree.map(lambda now, before: now - before, updates, state.updates)
        product, square = dot(steps, changes), dot(changes, changes)
        # There is no step before the first one, and one along which the slope fell says nothing.
        usable = (state.count > 0) & (product > 0)
        weight = hd.where(usable, 1 / hd.where(usable, product, product.dtype.type(1)), 0)
        steps_memory = _appended(state.diff_params_memory, steps)
        changes_memory = _appended(state.diff_updates_memory, changes)
        weights = hd.concatenate(
            [state.weights_memory[1:], weight.astype(state.weights_memory.dtype)[None]]
        )
        # The first step of all is no longer than 1.
        begin = 1 / hd.maximum(global_norm(updates), 1)
        first = hd.where(
            usable, product / hd.where(square > 0, square, square.dtype.type(1)), begin
        )
        if not scale_init_precond:
            first = hd.ones_like(first)

        def at(memory: object, i: int) -> Any:
            return tree.map(lambda m: m[i], memory)

        def added(a: ArrayLike, factor: object, b: ArrayLike) -> Any:
            return tree.map(lambda x, y: x + number_like(factor, x) * y, a, b)

        made, alphas = updates, {}
        for i in reversed(range(memory_size)):
            alphas[i] = weights[i] * dot(at(steps_memory, i), made)
            made = added(made, -alphas[i], at(changes_memory, i))
        made = tree.map(lambda u: number_like(first, u) * u, made)
        for i in range(memory_size):
            beta = weights[i] * dot(at(changes_memory, i), made)
            made = added(made, alphas[i] - beta, at(steps_memory, i))
        return made, ScaleByLBFGSState(
            state.count + 1,
            tree.map(hd.asarray, params),
            updates,
            steps_memory,
            changes_memory,
            weights,
        )

    return GradientTransformation(init, update)


_USUAL: Any = object()


def lbfgs(
    learning_rate: Rate | None = None,
    memory_size: int = 10,
    scale_init_precond: bool = True,
    linesearch: GradientTransformationExtraArgs | None = _USUAL,
) -> GradientTransformationExtraArgs:
    """L-BFGS with a line search, which is `scale_by_zoom_linesearch` of 20 steps beginning with 1;
    ``None`` for none.

    ``update`` takes ``value``, ``grad`` and ``value_fn`` by keywords, for the line search.

    >>> import heddle as np
    >>> def f(x):
    ...     return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()
    >>> rule = np.optim.lbfgs()
    >>> x = np.zeros(4)
    >>> state = rule.init(x)
    >>> for _ in range(40):
    ...     value, grad = np.optim.value_and_grad_from_state(f)(x, state=state)
    ...     updates, state = rule.update(grad, state, x, value=value, grad=grad, value_fn=f)
    ...     x = np.optim.apply_updates(x, updates)
    >>> print(x.round(4))
    [1. 1. 1. 1.]
    """
    if linesearch is _USUAL:
        linesearch = scale_by_zoom_linesearch(20, initial_guess_strategy="one")
    return chain(
        scale_by_lbfgs(memory_size, scale_init_precond),
        scale(-1.0) if learning_rate is None else scale_by_learning_rate(learning_rate),
        identity() if linesearch is None else linesearch,
    )
