"""Counts of a key, by rejection: all elements draw at once until each is content."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import heddle as hd
from heddle import lax, special
from heddle._core import ndarray
from heddle._typing import ArrayLike, DTypeLike
from heddle.jax.random._keys import read_key, split
from heddle.jax.random._samples import _real, _shape_for, uniform

_FEW = 10  # below that counts are found by products of uniform numbers


def poisson(
    key: hd.ndarray,
    lam: ArrayLike,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Poisson's counts of mean ``lam``.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.poisson(random.key(0), 3.0, (4,)))
    [0 0 4 4]
    """
    kind = hd.dtype("int64" if dtype is None else dtype)
    if kind.kind not in "iu":
        raise ValueError(f"random.poisson: the type is one of integers, not {kind}")
    wanted = _shape_for("poisson", shape, lam)
    mean = hd.broadcast_to(hd.asarray(lam).astype("float32"), wanted)
    words = read_key("poisson", key)
    few = hd.isnan(mean) | (mean < _FEW)
    made = hd.where(
        few,
        _by_products(words, hd.where(few, mean, 0).astype("float32"), wanted),
        _by_rejection(words, hd.where(few, 1e5, mean).astype("float32"), wanted),
    )
    return hd.where(mean == 0, 0, made).astype(kind)


def _by_products(key: hd.ndarray, mean: hd.ndarray, shape: tuple[int, ...]) -> hd.ndarray:
    """Knuth: how many uniform numbers have a product above exp(-mean)."""

    def one_draw(state: tuple[ndarray, ...]) -> tuple[ndarray, ...]:
        count, key, log = state
        key, own = split(key)
        count = hd.where(log > -mean, count + 1, count)
        return count, key, log + hd.log(uniform(own, shape, "float32"))

    first = hd.zeros(shape, "int64"), key, hd.zeros(shape, "float32")
    counted: hd.ndarray = lax.while_loop(lambda now: (now[2] > -mean).any(), one_draw, first)[0]
    return counted - 1


def _by_rejection(key: hd.ndarray, mean: hd.ndarray, shape: tuple[int, ...]) -> hd.ndarray:
    """W. Hoermann, "The transformed rejection method for generating Poisson random variables"."""
    b = 0.931 + 2.53 * hd.sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    most = 0.9277 - 3.6224 / (b - 2)

    def one_draw(state: tuple[ndarray, ...]) -> tuple[ndarray, ...]:
        found, accepted, key = state
        key, first, second = split(key, 3)
        u = uniform(first, shape, "float32") - 0.5
        v = uniform(second, shape, "float32")
        inside = 0.5 - hd.abs(u)
        count = hd.floor((2 * a / inside + b) * u + mean + 0.43)
        left = hd.log(v * inverse / (a / (inside * inside) + b))
        right = -mean + count * hd.log(mean) - special.gammaln(count + 1)
        refused = (count < 0) | ((inside < 0.013) & (v > inside))
        takes = ((inside >= 0.07) & (v <= most)) | (~refused & (left <= right))
        return hd.where(takes, count, found), accepted | takes, key

    state = hd.full(shape, -1, "float32"), hd.zeros(shape, bool), key
    found: hd.ndarray = lax.while_loop(lambda now: (~now[1]).any(), one_draw, state)[0]
    return found


def binomial(
    key: hd.ndarray,
    n: ArrayLike,
    p: ArrayLike,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """How many of ``n`` trials succeed that do so with probability ``p``, as floats.

    Not a number where ``n`` or ``p`` is negative or none.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.binomial(random.key(0), 10, 0.3, (4,)))
    [4. 1. 3. 4.]
    """
    kind = _real("binomial", hd.dtype("float64" if dtype is None else dtype))
    wanted = _shape_for("binomial", shape, n, p)
    chance = hd.asarray(p)
    if chance.dtype.kind != "f":
        chance = chance.astype("float64")
    trials = hd.broadcast_to(hd.asarray(n).astype(chance.dtype), wanted)
    chance = hd.broadcast_to(chance, wanted)
    rare = chance < 0.5
    # Of success and failure the rarer is counted.
    own = hd.where(rare, chance, 1 - chance)
    no_chance, no_trials = hd.isnan(own) | (own < 0), hd.isnan(trials) | (trials < 0)
    own = hd.where(no_chance, 0.01, own).astype(chance.dtype)
    few = no_trials | (trials * own <= _FEW)
    trials = hd.floor(trials)
    words = read_key("binomial", key)
    made = hd.where(
        few,
        _by_waiting(words, hd.where(few, trials, 0).astype(chance.dtype), own, wanted),
        _by_transformed_rejection(
            words,
            hd.where(few, 1e4, trials).astype(chance.dtype),
            hd.where(few, 0.5, own).astype(chance.dtype),
            wanted,
        ),
    ).astype(kind)
    endless, none = hd.isinf(trials), no_chance | no_trials
    made = hd.where(none, hd.nan, hd.where(endless, hd.inf, made))
    as_it_is = rare | no_trials | hd.isnan(chance) | endless
    return hd.where(as_it_is, made, trials - made).astype(kind)


def _by_waiting(
    key: hd.ndarray, trials: hd.ndarray, chance: hd.ndarray, shape: tuple[int, ...]
) -> hd.ndarray:
    """How many waits for a success fit into the trials: their lengths are geometric."""
    scale = hd.log1p(-chance)

    def one_wait(state: tuple[ndarray, ...]) -> tuple[ndarray, ...]:
        count, passed, key = state
        own, key = split(key)
        count = hd.where(passed <= trials, count + 1, count)
        return count, passed + hd.ceil(hd.log(uniform(own, shape, chance.dtype)) / scale), key

    zeros = hd.zeros(shape, chance.dtype, device=chance.device)
    first = zeros, zeros.copy(), key
    waits: hd.ndarray = lax.while_loop(lambda now: (now[1] <= trials).any(), one_wait, first)[0]
    return waits - 1


def _by_transformed_rejection(
    key: hd.ndarray, trials: hd.ndarray, chance: hd.ndarray, shape: tuple[int, ...]
) -> hd.ndarray:
    """W. Hoermann, "The generation of binomial random variates", with his names."""
    spread = hd.sqrt(trials * chance * (1 - chance))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    centre = trials * chance + 0.5
    most = 0.92 - 4.2 / b
    odds = chance / (1 - chance)
    alpha = (2.83 + 5.1 / b) * spread
    mode = hd.floor((trials + 1) * chance)
    at_mode = (mode + 0.5) * hd.log((mode + 1) / (odds * (trials - mode + 1)))
    tails = _stirling_tail(mode) + _stirling_tail(trials - mode)

    def one_draw(state: tuple[ndarray, ...]) -> tuple[ndarray, ...]:
        found, accepted, key = state
        key, first, second = split(key, 3)
        u = uniform(first, shape, chance.dtype) - 0.5
        v = uniform(second, shape, chance.dtype)
        inside = 0.5 - hd.abs(u)
        count = hd.floor((2 * a / inside + b) * u + centre)
        outside = (count < 0) | (count > trials)
        left = hd.log(v * alpha / (a / (inside * inside) + b))
        right = (
            at_mode
            + (trials + 1) * hd.log((trials - mode + 1) / (trials - count + 1))
            + (count + 0.5) * hd.log(odds * (trials - count + 1) / (count + 1))
            + tails
            - _stirling_tail(count)
            - _stirling_tail(trials - count)
        )
        takes = ((inside >= 0.07) & (v <= most)) | (~outside & (left <= right))
        return hd.where(takes, count, found), accepted | takes, key

    state = hd.full(shape, -1, chance.dtype), hd.zeros(shape, bool), key
    drawn: hd.ndarray = lax.while_loop(lambda now: (~now[1]).any(), one_draw, state)[0]
    return drawn


# What Stirling's formula lacks of log(k!), for k below 10.
_TAILS = tuple(
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    for k in range(10)
)


def _stirling_tail(count: hd.ndarray) -> hd.ndarray:
    """What Stirling's formula lacks of the logarithm of a factorial; from 9 on as JAX has it."""
    k = hd.where(count <= 9, hd.maximum(count, 0), 9)  # for those that are no number, too
    squared = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / squared) / squared) / (k + 1)
    return hd.where(count <= 9, hd.array(_TAILS, count.dtype)[k.astype("int64")], series)


def multinomial(
    key: hd.ndarray,
    n: ArrayLike,
    p: ArrayLike,
    *,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    unroll: int | bool = 1,
) -> hd.ndarray:
    """How often each of several outcomes occurs in ``n`` trials, along the last axis, as floats.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.multinomial(random.key(0), 10, np.array([0.2, 0.3, 0.5])))
    [1. 4. 5.]
    """
    kind = _real("multinomial", hd.dtype("float64" if dtype is None else dtype))
    chances = hd.asarray(p)
    trials = hd.asarray(n)
    common = hd.result_type(chances.dtype, trials.dtype)
    if common.kind != "f":
        common = hd.dtype("float64")
    wanted = chances.shape if shape is None else tuple(shape)
    trials = hd.broadcast_to(trials.astype(common), wanted[:-1])
    chances = hd.moveaxis(hd.broadcast_to(chances.astype(common), wanted), -1, 0)
    # Each outcome takes its part of the trials that are left.
    remaining = hd.cumsum(chances[::-1], axis=0)[::-1]
    parts = hd.clip(chances / hd.where(remaining == 0, 1, remaining), 0, 1)

    def one_outcome(left: hd.ndarray, given: tuple[ndarray, ...]) -> Any:
        part, own = given
        count = binomial(own, left, part, dtype=common)
        return left - count, count

    keys = split(read_key("multinomial", key), parts.shape[0])
    counts = lax.scan(one_outcome, trials, (parts, keys), unroll=unroll)[1]
    return hd.moveaxis(counts, 0, -1).astype(kind)
