"""Poisson's counts of a key, by rejection: all elements draw at once until each is content."""

from __future__ import annotations

from typing import Any

import heddle as hd
from heddle import lax, special
from heddle._typing import ArrayLike, DTypeLike, ShapeLike
from heddle.jax.random._keys import read_key, split
from heddle.jax.random._samples import _shape_for, uniform

_FEW = 10  # below that counts are found by products of uniform numbers


def poisson(
    key: hd.ndarray, lam: ArrayLike, shape: ShapeLike | None = None, dtype: DTypeLike | None = None
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


def _by_products(key: hd.ndarray, mean: hd.ndarray, shape: Any) -> hd.ndarray:
    """Knuth: how many uniform numbers have a product above exp(-mean)."""

    def one_draw(state: Any) -> Any:
        count, key, log = state
        key, own = split(key)
        count = hd.where(log > -mean, count + 1, count)
        return count, key, log + hd.log(uniform(own, shape, "float32"))

    first = hd.zeros(shape, "int64"), key, hd.zeros(shape, "float32")
    counted: hd.ndarray = lax.while_loop(lambda now: (now[2] > -mean).any(), one_draw, first)[0]
    return counted - 1


def _by_rejection(key: hd.ndarray, mean: hd.ndarray, shape: Any) -> hd.ndarray:
    """W. Hoermann, "The transformed rejection method for generating Poisson random variables"."""
    b = 0.931 + 2.53 * hd.sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    most = 0.9277 - 3.6224 / (b - 2)

    def one_draw(state: Any) -> Any:
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
