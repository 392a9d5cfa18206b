"""Functions of the number of steps, for what changes in the course of training."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle._core import ndarray

__all__ = [
    "constant_schedule",
    "cosine_decay_schedule",
    "exponential_decay",
    "join_schedules",
    "linear_schedule",
    "piecewise_constant_schedule",
    "polynomial_schedule",
    "warmup_cosine_decay_schedule",
]

Schedule = Callable[[Any], Any]


def constant_schedule(value: float) -> Schedule:
    """The same at every step.

    Examples
    --------
    >>> import heddle as np
    >>> np.optim.constant_schedule(0.5)(100)
    0.5
    """
    return lambda count: value


def _fraction(count: int, begin: int, steps: int) -> ndarray:
    """How much of the way is done, from 0 to 1."""
    return hd.clip((hd.asarray(count) - begin) / steps, 0, 1)


def polynomial_schedule(
    init_value: float,
    end_value: float,
    power: float,
    transition_steps: int,
    transition_begin: int = 0,
) -> Schedule:
    """From one value to another, as a power of what is left of the way.

    >>> import heddle as np
    >>> print(np.optim.polynomial_schedule(1.0, 0.0, 2, 10)(5))
    0.25
    """
    if transition_steps <= 0:
        return constant_schedule(init_value)

    def schedule(count: int) -> ndarray:
        left = 1 - _fraction(count, transition_begin, transition_steps)
        return (init_value - end_value) * left**power + end_value

    return schedule


def linear_schedule(
    init_value: float, end_value: float, transition_steps: int, transition_begin: int = 0
) -> Schedule:
    """From one value to another along a line.

    Examples
    --------
    >>> import heddle as np
    >>> schedule = np.optim.linear_schedule(1.0, 0.0, 10)
    >>> [float(schedule(step)) for step in (0, 5, 20)]
    [1.0, 0.5, 0.0]
    """
    return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)


def exponential_decay(
    init_value: float,
    transition_steps: int,
    decay_rate: float,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: float | None = None,
) -> Schedule:
    """Multiplied by ``decay_rate`` in each ``transition_steps``, at once with ``staircase``.

    >>> import heddle as np
    >>> print(np.optim.exponential_decay(1.0, 10, 0.5)(20))
    0.25
    """
    if transition_steps <= 0 or decay_rate == 0:
        return constant_schedule(init_value)
    bound: Any = None if end_value is None else hd.maximum if decay_rate < 1 else hd.minimum

    def schedule(count: int) -> ndarray:
        passed = hd.maximum(hd.asarray(count) - transition_begin, 0) / transition_steps
        value = init_value * decay_rate ** (hd.floor(passed) if staircase else passed)
        return value if bound is None else bound(value, end_value)

    return schedule


def cosine_decay_schedule(
    init_value: float, decay_steps: int, alpha: float = 0.0, exponent: float = 1.0
) -> Schedule:
    """Half a wave from ``init_value`` to ``alpha`` times that.

    >>> import heddle as np
    >>> print(np.optim.cosine_decay_schedule(1.0, 10)(5).round(12))
    0.5
    """
    if decay_steps <= 0:
        raise ValueError(f"cosine_decay_schedule: decay_steps is positive, not {decay_steps}")

    def schedule(count: int) -> ndarray:
        wave = 0.5 * (1 + hd.cos(math.pi * _fraction(count, 0, decay_steps)))
        return init_value * ((1 - alpha) * wave**exponent + alpha)

    return schedule


def piecewise_constant_schedule(
    init_value: float, boundaries_and_scales: dict[int, float] | None = None
) -> Schedule:
    """Multiplied by a factor from each of some steps on.

    Examples
    --------
    >>> import heddle as np
    >>> schedule = np.optim.piecewise_constant_schedule(1.0, {10: 0.5})
    >>> [float(schedule(step)) for step in (5, 15)]
    [1.0, 0.5]
    """
    factors = sorted((boundaries_and_scales or {}).items())

    def schedule(count: object) -> Any:
        count = hd.asarray(count)
        value: Any = init_value
        for boundary, factor in factors:
            value = value * hd.where(count >= boundary, factor, 1.0)
        return value

    return schedule


def join_schedules(schedules: Sequence[Schedule], boundaries: Sequence[int]) -> Schedule:
    """One schedule after the other: each counts from the boundary where it begins.

    Examples
    --------
    >>> import heddle as np
    >>> first, second = np.optim.constant_schedule(1.0), np.optim.constant_schedule(0.1)
    >>> schedule = np.optim.join_schedules([first, second], [10])
    >>> [float(schedule(step)) for step in (9, 10)]
    [1.0, 0.1]
    """
    if len(schedules) != len(boundaries) + 1:
        raise ValueError(
            f"join_schedules: {len(schedules)} schedules need {len(schedules) - 1} boundaries, "
            f"not {len(boundaries)}"
        )

    def schedule(count: object) -> Any:
        count = hd.asarray(count)
        value = schedules[0](count)
        for boundary, following in zip(boundaries, schedules[1:], strict=True):
            value = hd.where(count < boundary, value, following(count - boundary))
        return value

    return schedule


def warmup_cosine_decay_schedule(
    init_value: float,
    peak_value: float,
    warmup_steps: int,
    decay_steps: int,
    end_value: float = 0.0,
    exponent: float = 1.0,
) -> Schedule:
    """A line up to a peak, and half a wave down; ``decay_steps`` counts both.

    Examples
    --------
    >>> import heddle as np
    >>> schedule = np.optim.warmup_cosine_decay_schedule(0.0, 1.0, 10, 30)
    >>> [round(float(schedule(step)), 4) for step in (0, 5, 10, 20, 30)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    alpha = 0.0 if peak_value == 0 else end_value / peak_value
    return join_schedules(
        [
            linear_schedule(init_value, peak_value, warmup_steps),
            cosine_decay_schedule(peak_value, decay_steps - warmup_steps, alpha, exponent),
        ],
        [warmup_steps],
    )
