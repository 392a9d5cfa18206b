"""A search along a direction for a step that fulfils the strong Wolfe conditions.

After Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6, as one loop: first steps
get longer until an interval is known to have such a step in it, then the interval gets shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import heddle as hd
from heddle import _core, lax, tree
from heddle._core import ndarray
from heddle._typing import ArrayLike, Tree
from heddle.optim._base import GradientTransformationExtraArgs, dot, number_like

__all__ = ["ZoomLinesearchState", "scale_by_zoom_linesearch", "value_and_grad_from_state"]


class ZoomLinesearchState(NamedTuple):
    """The last step, and the value and gradient where it led; how many steps were tried."""

    learning_rate: Any
    value: Any
    grad: Any
    num_linesearch_steps: Any


class _Point(NamedTuple):
    """A step, and the value and its slope there."""

    step: Any
    value: Any
    slope: Any


class _Search(NamedTuple):
    trial: Any  # the step that is tried next
    low: _Point  # the best one so far
    high: _Point  # the other end of the interval
    grad: Any  # at the best one
    zooming: Any  # whether there is an interval
    done: Any
    count: Any


def _chosen(condition: ArrayLike, one: object, other: object) -> Any:
    return tree.map(lambda a, b: hd.where(condition, a, b), one, other)


def _between(low: _Point, high: _Point) -> Any:
    """The lowest point of the cubic through two points with their slopes, not near the ends."""
    width = high.step - low.step
    width = hd.where(width == 0, width.dtype.type(1), width)
    middle = low.slope + high.slope - 3 * (low.value - high.value) / -width
    square = middle * middle - low.slope * high.slope
    root = hd.sqrt(hd.maximum(square, 0)) * hd.sign(width)
    below = high.slope - low.slope + 2 * root
    below = hd.where(below == 0, below.dtype.type(1), below)
    place = 1 - (high.slope + root - middle) / below  # of the way from low to high
    usable = (square >= 0) & hd.isfinite(place) & (place > 0.05) & (place < 0.95)
    return low.step + width * hd.where(usable, place, place.dtype.type(0.5))


def scale_by_zoom_linesearch(
    max_linesearch_steps: int,
    max_learning_rate: float | None = None,
    increase_factor: float = 2.0,
    slope_rtol: float = 1e-4,
    curv_rtol: float = 0.9,
    approx_dec_rtol: float | None = 1e-6,
    initial_guess_strategy: str = "keep",
) -> GradientTransformationExtraArgs:
    """Updates times a step along which the function gets small enough, and its slope flat enough.

    ``update`` needs ``value``, ``grad`` and ``value_fn`` by keywords. The value has to fall by
    ``slope_rtol`` of what the slope promises, and the slope to ``curv_rtol`` of itself; near a
    minimum, where values no longer differ, by ``approx_dec_rtol`` of Hager and Zhang's condition.
    The first step that is tried is the last one (``'keep'``) or 1 (``'one'``).

    Examples
    --------
    >>> import heddle as np
    >>> method = np.optim.scale_by_zoom_linesearch(20)
    >>> value = lambda x: (x**2).sum()
    >>> parameters = np.array([3.0])
    >>> downhill = np.array([-1.0])
    >>> state = method.init(parameters)
    >>> known = {"value": value(parameters), "grad": 2 * parameters, "value_fn": value}
    >>> updates, _ = method.update(downhill, state, parameters, **known)
    >>> updates
    array([-1.])
    """
    if initial_guess_strategy not in ("keep", "one"):
        raise ValueError(
            "scale_by_zoom_linesearch: initial_guess_strategy is 'keep' or 'one', not "
            f"{initial_guess_strategy!r}"
        )
    longest = float("inf") if max_learning_rate is None else float(max_learning_rate)

    def init(params: Tree) -> ZoomLinesearchState:
        leaves = tree.leaves(params)
        dtype = hd.result_type(*leaves) if leaves else hd.float64
        return ZoomLinesearchState(
            hd.ones((), dtype),
            hd.full((), hd.inf, dtype),
            tree.map(lambda p: hd.zeros_like(hd.asarray(p)), params),
            hd.zeros((), hd.int32),
        )

    def search(
        direction: Any,
        params: object,
        value: ndarray,
        grad: Any,
        first: ndarray,
        value_fn: Callable[[Any], Any],
    ) -> _Search:
        begin = _Point(hd.zeros_like(first), value, dot(direction, grad).astype(value.dtype))

        def next_one(now: _Search) -> _Search:
            step = now.trial
            place = tree.map(lambda p, d: p + number_like(step, p) * d, params, direction)
            found, slopes = hd.value_and_grad(value_fn)(place)
            found = hd.asarray(found).astype(value.dtype)
            here = _Point(step, found, dot(direction, slopes).astype(value.dtype))
            falls = found <= value + slope_rtol * step * begin.slope
            if approx_dec_rtol is not None:
                flat = here.slope <= (2 * slope_rtol - 1) * begin.slope
                falls |= flat & (found <= value + approx_dec_rtol * hd.abs(value))
            falls &= hd.isfinite(found) & hd.isfinite(here.slope)
            is_flat = hd.abs(here.slope) <= curv_rtol * hd.abs(begin.slope)
            too_far = ~falls | ((found >= now.low.value) & (now.count > 0) & ~is_flat)
            good = falls & is_flat & ~too_far
            # Beyond here it rises again: the ends change places.
            turns = hd.where(
                now.zooming, here.slope * (now.high.step - now.low.step) >= 0, here.slope >= 0
            )
            low = _chosen(too_far, now.low, here)
            high = _chosen(too_far, here, _chosen(turns | ~now.zooming, now.low, now.high))
            at_end = ~now.zooming & ~too_far & ~turns & (step >= longest)
            zooming = now.zooming | too_far | turns
            # Values that are not finite say nothing but that this is too far.
            inner = hd.where(
                hd.isfinite(high.value) & hd.isfinite(high.slope),
                _between(low, high),
                low.step + 0.5 * (high.step - low.step),
            )
            longer = hd.minimum(step * increase_factor, longest)
            narrow = zooming & (hd.abs(high.step - low.step) <= 1e-12 * (1 + hd.abs(low.step)))
            return _Search(
                hd.where(zooming, inner, longer),
                low,
                high,
                _chosen(too_far, now.grad, slopes),
                zooming,
                good | at_end | narrow,
                now.count + 1,
            )

        truth = hd.isnan(value)
        state = _Search(
            first, begin, begin, grad, truth & False, truth | (begin.slope >= 0), hd.zeros((), int)
        )

        def goes_on(now: _Search) -> Any:
            return ~now.done & (now.count < max_linesearch_steps)

        if any(map(_core.is_stand_in, tree.leaves((value, params, direction)))):
            ended: _Search = lax.while_loop(goes_on, next_one, state)
            return ended
        while goes_on(state):
            state = next_one(state)
        return state

    def update(
        updates: Tree,
        state: ZoomLinesearchState,
        params: object = None,
        *,
        value: ArrayLike,
        grad: object,
        value_fn: Callable[..., Any],
        **extra: object,
    ) -> tuple[Any, ZoomLinesearchState]:
        value, params = hd.asarray(value), tree.map(hd.asarray, params)
        first = state.learning_rate.astype(value.dtype)
        if initial_guess_strategy == "one":
            first = hd.ones_like(first)
        else:  # one that was 0 would stay so
            first = hd.where(first > 0, first, first.dtype.type(1))
        first = hd.minimum(first, longest)
        found = search(updates, params, value, grad, first, lambda p: value_fn(p, **extra))
        step = found.low.step
        made = tree.map(lambda u: number_like(step, u) * u, updates)
        return made, ZoomLinesearchState(
            step.astype(state.learning_rate.dtype), found.low.value, found.grad, found.count
        )

    return GradientTransformationExtraArgs(init, update)


def value_and_grad_from_state(value_fn: Callable[..., Any]) -> Callable[..., Any]:
    """The value and the gradient that a line search has left in the state of an optimiser.

    The first time, when there are none, they are computed.

    >>> import heddle as np
    >>> f = lambda x: (x**2).sum()
    >>> rule = np.optim.lbfgs()
    >>> x = np.ones(2)
    >>> value, grad = np.optim.value_and_grad_from_state(f)(x, state=rule.init(x))
    >>> print(value, grad)
    2.0 [2. 2.]
    """

    def found(params: Tree, *args: object, state: object, **kwargs: object) -> tuple[Any, Any]:
        known: list[ZoomLinesearchState] = []

        def look(part: object) -> bool:
            if isinstance(part, ZoomLinesearchState):
                known.append(part)
                return True
            return False

        tree.flatten(state, is_leaf=look)
        if len(known) != 1:
            raise ValueError(
                f"value_and_grad_from_state: the state has {len(known)} line searches, not one"
            )
        there = known[0]
        both: tuple[Any, Any] = lax.cond(
            hd.isfinite(there.value),
            lambda: (there.value, there.grad),
            lambda: hd.value_and_grad(value_fn)(params, *args, **kwargs),
        )
        return both

    return found
