"""Random numbers of a key by JAX's names: the same numbers, as far as the formulas round alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import heddle as hd
from heddle import lax, special
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, DTypeLike, ShapeLike
from heddle.jax.random._keys import random_words, read_key, read_shape, split

_Shape: TypeAlias = ShapeLike | None


def _real(what: str, dtype: DTypeLike | None) -> DType:
    kind = hd.dtype("float64" if dtype is None else dtype)
    if kind.kind != "f" and kind.name != "bfloat16":
        raise ValueError(f"random.{what}: the type is one of floating-point numbers, not {kind}")
    return kind


def _shape_for(what: str, shape: _Shape, *parameters: Any) -> tuple[int, ...]:
    """The shape, which is that of the parameters where None is said, and that they have to fit."""
    shapes = [hd.shape(one) for one in parameters]
    own = hd.broadcast_shapes(*shapes)
    if shape is None:
        return own
    wanted = read_shape(shape)
    if hd.broadcast_shapes(wanted, own) != wanted:
        raise ValueError(f"random.{what}: parameters of shapes {shapes} do not fit {wanted}")
    return wanted


def uniform(
    key: hd.ndarray,
    shape: _Shape = (),
    dtype: DTypeLike | None = None,
    minval: ArrayLike = 0.0,
    maxval: ArrayLike = 1.0,
) -> hd.ndarray:
    """Numbers that are equally likely everywhere from ``minval`` on, below ``maxval``.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.uniform(random.key(0), (2,)))
    [0.41845711 0.21629545]
    """
    kind, wanted = _real("uniform", dtype), _shape_for("uniform", read_shape(shape), minval, maxval)
    limits = hd.finfo(kind)
    width, mantissa = limits.bits, int(limits.nmant)
    drawn = 8 if mantissa < 8 else width
    words = random_words(read_key("uniform", key), drawn, wanted).astype(f"uint{width}")
    # Random bits behind the point of a number between 1 and 2.
    one = int(hd.array(1.0, dtype=kind).view(f"uint{width}"))
    unit = ((words >> (drawn - mantissa)) | one).astype(f"uint{width}").view(kind) - hd.array(
        1, kind
    )
    low, high = hd.asarray(minval).astype(kind), hd.asarray(maxval).astype(kind)
    return hd.maximum(low, unit * (high - low) + low)


def normal(key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """Standard normal numbers; complex ones have a variance of 1 in all.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.normal(random.key(0), (2,)))
    [-0.20584214 -0.78476578]
    """
    kind = hd.dtype("float64" if dtype is None else dtype)
    if kind.kind == "c":
        part = hd.dtype(f"float{kind.itemsize * 4}")
        one, other = split(read_key("normal", key))
        made = normal(one, shape, part) + 1j * normal(other, shape, part)
        return (made / math.sqrt(2)).astype(kind)
    kind = _real("normal", kind)
    least = hd.nextafter(hd.array(-1, kind), hd.array(0, kind))
    return hd.array(math.sqrt(2), kind) * special.erfinv(uniform(key, shape, kind, least, 1.0))


def randint(
    key: hd.ndarray,
    shape: _Shape,
    minval: ArrayLike,
    maxval: ArrayLike,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Integers from ``minval`` on, below ``maxval``.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.randint(random.key(0), (4,), 0, 10))
    [5 1 5 7]
    """
    kind = hd.dtype("int64" if dtype is None else dtype)
    if kind.kind not in "iu":
        raise TypeError(f"random.randint: the type is one of integers, not {kind}")
    own, drawn = hd.iinfo(kind), kind if kind.itemsize >= 4 else hd.dtype("int32")
    wanted = _shape_for("randint", read_shape(shape), minval, maxval)
    limits, width = hd.iinfo(drawn), drawn.itemsize * 8
    low, high = _bound(minval, own.min, own.max), _bound(maxval, own.min, own.max + 1)
    # One more than the greatest number of the type is no number of it: the range ends behind it.
    beyond = hd.asarray(high > limits.max)
    low, high = (hd.asarray(hd.minimum(one, limits.max)).astype(drawn) for one in (low, high))
    first, second = split(read_key("randint", key))
    upper, lower = random_words(first, width, wanted), random_words(second, width, wanted)
    span = (high - low).astype(f"uint{width}")
    span = hd.where(high <= low, 1, span + (beyond & (high > low))).astype(f"uint{width}")
    # Twice as many bits as the type has, modulo the span: 2**width is a square.
    whole = span == 0  # all numbers of the type
    by = hd.where(whole, 1, span).astype(f"uint{width}")
    half = (2 ** (width // 2)) % by
    offset = ((upper % by) * ((half * half) % by) + lower % by) % by
    offset = hd.where(whole, lower, offset).astype(f"uint{width}").astype(drawn)
    return (low + offset).astype(kind)


def _bound(given: ArrayLike, least: int, most: int) -> ndarray:
    """A bound of `randint` inside of the type."""
    if isinstance(given, int):
        return hd.asarray(min(max(given, least), most))
    bound = hd.asarray(given)
    if bound.dtype.kind not in "iu":
        bound = bound.astype("int64")
    limits = hd.iinfo(bound.dtype)
    return hd.clip(bound, max(least, limits.min), min(most, limits.max))


def permutation(
    key: hd.ndarray, x: ArrayLike, axis: int = 0, independent: bool = False
) -> hd.ndarray:
    """An array in random order along an axis, or the numbers below an int.

    With ``independent`` each row along the axis has an order of its own.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.permutation(random.key(0), 5))
    [0 1 4 3 2]
    """
    array = hd.arange(x) if hd.ndim(x) == 0 else hd.asarray(x)
    if hd.ndim(x) == 0 and hd.asarray(x).dtype.kind not in "iu":
        raise TypeError(f"random.permutation: an array or an integer, not {x!r}")
    if independent or array.ndim == 1:
        return _shuffled(read_key("permutation", key), array, axis)
    places = _shuffled(read_key("permutation", key), hd.arange(array.shape[axis]), 0)
    return hd.take(array, places, axis=axis)


def _shuffled(key: hd.ndarray, array: hd.ndarray, axis: int) -> hd.ndarray:
    """Sorted by random words, so often that equal ones do not matter."""
    rounds = math.ceil(3 * math.log(max(1, array.size)) / math.log(2**32 - 1))
    for _ in range(rounds):
        key, own = split(key)
        _, array = lax.sort_key_val(random_words(own, 32, array.shape), array, axis)
    return array


def choice(
    key: hd.ndarray,
    a: ArrayLike,
    shape: _Shape = (),
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
) -> hd.ndarray:
    """Elements of an array along an axis, or numbers below an int, with probabilities ``p``.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.choice(random.key(0), 5, (3,), replace=False))
    [0 1 4]
    """
    wanted = read_shape(shape)
    array = hd.asarray(a)
    count = int(array) if array.ndim == 0 else array.shape[axis]
    draws = math.prod(wanted)
    if draws == 0:
        return hd.zeros(wanted, array.dtype, device=array.device)
    if count <= 0:
        raise ValueError("random.choice: there is nothing to choose from")
    if not replace and draws > count:
        raise ValueError(f"random.choice: {draws} of {count} without replacement")
    if p is None and not replace:
        order = permutation(key, count if array.ndim == 0 else array, axis)
        made = hd.take(order, hd.arange(draws), axis=0 if array.ndim == 0 else axis)
    else:
        if p is None:
            places = randint(key, wanted, 0, count)
        else:
            weights = hd.asarray(p)
            if weights.dtype.kind not in "f":
                weights = weights.astype("float64")
            if weights.shape != (count,):
                raise ValueError(f"random.choice: p of shape {weights.shape} for {count} elements")
            if replace:
                total = hd.cumsum(weights)
                drawn = total[-1] * (1 - uniform(key, wanted, total.dtype))
                places = hd.searchsorted(total, drawn)
            else:
                noisy = gumbel(key, (count,), weights.dtype) + hd.log(weights)
                places = lax.top_k(noisy, draws)[1].astype("int64")
        made = places if array.ndim == 0 else hd.take(array, places, axis=axis)
    if array.ndim == 0:
        return made.reshape(wanted)
    axis %= array.ndim
    return made.reshape((*array.shape[:axis], *wanted, *array.shape[axis + 1 :]))


def bernoulli(key: hd.ndarray, p: ArrayLike = 0.5, shape: _Shape = None) -> hd.ndarray:
    """Truth values that are true with probability p.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.bernoulli(random.key(0), 0.5, (3,)))
    [ True  True False]
    """
    chance = hd.asarray(p)
    if chance.dtype.kind != "f":
        chance = chance.astype("float64")
    return uniform(key, _shape_for("bernoulli", shape, chance), chance.dtype) < chance


def rademacher(key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """1 or -1.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.rademacher(random.key(0), (3,)))
    [ 1  1 -1]
    """
    kind = hd.dtype("int64" if dtype is None else dtype)
    return (2 * bernoulli(key, 0.5, read_shape(shape)).astype(kind) - 1).astype(kind)


def exponential(key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """Exponential numbers of mean 1.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.exponential(random.key(0), (2,)))
    [0.54207056 0.24372319]
    """
    return -hd.log1p(-uniform(key, shape, _real("exponential", dtype)))


def gumbel(
    key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None, mode: str | None = None
) -> hd.ndarray:
    """Gumbel's numbers; with ``mode="high"`` of twice as many bits.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.gumbel(random.key(0), (2,)))
    [ 0.13790566 -0.42599294]
    """
    kind, wanted = _real("gumbel", dtype), read_shape(shape)
    if mode not in (None, "low", "high"):
        raise ValueError(f"random.gumbel: mode is 'low' or 'high', not {mode!r}")
    limits = hd.finfo(kind)
    if mode == "high":
        high, low = uniform(key, (2, *wanted), kind)
        small = high + 2.0 ** -int(limits.nmant) * low + float(limits.tiny)
        return -hd.log(-hd.log1p(-hd.where(high >= 0.5, high, small))).astype(kind)
    return -hd.log(-hd.log(uniform(key, wanted, kind, float(limits.tiny), 1.0)))


def categorical(
    key: hd.ndarray,
    logits: ArrayLike,
    axis: int = -1,
    shape: _Shape = None,
    replace: bool = True,
    mode: str | None = None,
) -> hd.ndarray:
    """Places along an axis, as likely as their logits say.

    Without ``replace`` the axes that ``shape`` has in front are places that differ.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.categorical(random.key(0), np.log(np.array([0.1, 0.1, 0.8])), shape=(4,)))
    [2 2 2 1]
    """
    array = hd.asarray(logits)
    if array.dtype.kind != "f":
        array = array.astype("float64")
    axis = axis % array.ndim - array.ndim
    stack = tuple(n for i, n in enumerate(array.shape) if i != axis + array.ndim)
    wanted = stack if shape is None else read_shape(shape)
    if hd.broadcast_shapes(wanted, stack) != wanted:
        raise ValueError(f"random.categorical: logits of shape {array.shape} do not fit {wanted}")
    front = wanted[: len(wanted) - len(stack)]
    if replace:
        drawn = list(wanted[len(front) :])
        drawn.insert(axis % array.ndim, array.shape[axis])
        return hd.argmax(gumbel(key, (*front, *drawn), array.dtype, mode) + array, axis=axis)
    count = math.prod(front)
    if count > array.shape[axis]:
        raise ValueError(f"random.categorical: {count} of {array.shape[axis]} without replacement")
    noisy = hd.moveaxis(array + gumbel(key, array.shape, array.dtype, mode), axis, -1)
    places = lax.top_k(noisy, count)[1]
    return hd.moveaxis(places, -1, 0).reshape(wanted)


def laplace(key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """Laplace's numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.laplace(random.key(0), (2,)))
    [0.17803369 0.83796278]
    """
    kind = _real("laplace", dtype)
    u = uniform(key, shape, kind, -1.0 + float(hd.finfo(kind).epsneg), 1.0)
    return hd.sign(u) * hd.log1p(-hd.abs(u))


def logistic(key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """Logistic numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.logistic(random.key(0), (2,)))
    [-0.32911032 -1.28738678]
    """
    kind = _real("logistic", dtype)
    u = uniform(key, shape, kind, float(hd.finfo(kind).tiny), 1.0)
    return hd.log(u) - hd.log1p(-u)


def cauchy(key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """Cauchy's numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.cauchy(random.key(0), (2,)))
    [-0.26192951 -1.23784602]
    """
    kind = _real("cauchy", dtype)
    u = uniform(key, shape, kind, float(hd.finfo(kind).eps), 1.0)
    return hd.tan(hd.array(math.pi, kind) * (u - hd.array(0.5, kind)))


def truncated_normal(
    key: hd.ndarray,
    lower: ArrayLike,
    upper: ArrayLike,
    shape: _Shape = None,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Normal numbers between two bounds.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.truncated_normal(random.key(0), -1.0, 1.0, (2,)))
    [-0.13999612 -0.50631466]
    """
    kind = _real("truncated_normal", dtype)
    wanted = _shape_for("truncated_normal", shape, lower, upper)
    low, high = hd.asarray(lower).astype(kind), hd.asarray(upper).astype(kind)
    root = hd.array(math.sqrt(2), kind)
    u = uniform(key, wanted, kind, special.erf(low / root), special.erf(high / root))
    first = hd.nextafter(hd.stop_gradient(low), hd.array(hd.inf, kind))
    last = hd.nextafter(hd.stop_gradient(high), hd.array(-hd.inf, kind))
    return hd.clip(root * special.erfinv(u), first, last)


def multivariate_normal(
    key: hd.ndarray,
    mean: ArrayLike,
    cov: ArrayLike,
    shape: _Shape = None,
    dtype: DTypeLike | None = None,
    method: str = "cholesky",
) -> hd.ndarray:
    """Normal vectors of a mean and a covariance; a root of which is found by ``method``.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> random.multivariate_normal(random.key(0), np.zeros(2), np.eye(2), (3,)).shape
    (3, 2)
    """
    kind = _real("multivariate_normal", dtype)
    centre, spread = hd.asarray(mean).astype(kind), hd.asarray(cov).astype(kind)
    if centre.ndim < 1 or spread.ndim < 2 or spread.shape[-2:] != centre.shape[-1:] * 2:
        raise ValueError(
            f"random.multivariate_normal: a mean of shape {centre.shape} and a covariance of shape "
            f"{spread.shape}"
        )
    stack = hd.broadcast_shapes(centre.shape[:-1], spread.shape[:-2])
    wanted = stack if shape is None else read_shape(shape)
    if method == "cholesky":
        root = hd.linalg.cholesky(spread)
    elif method == "eigh":
        values, vectors = hd.linalg.eigh(spread)
        root = vectors * hd.sqrt(values[..., None, :])
    elif method == "svd":
        vectors, values, _ = hd.linalg.svd(spread)
        root = vectors * hd.sqrt(values[..., None, :])
    else:
        raise ValueError("random.multivariate_normal: method is 'cholesky', 'eigh' or 'svd'")
    drawn = normal(key, (*wanted, centre.shape[-1]), kind)
    return centre + hd.einsum("...ij,...j->...i", root, drawn)


def pareto(
    key: hd.ndarray, b: ArrayLike, shape: _Shape = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Pareto's numbers from 1 on.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.pareto(random.key(0), 3.0, (2,)))
    [1.19804395 1.08463233]
    """
    kind = _real("pareto", dtype)
    drawn = exponential(key, _shape_for("pareto", shape, b), kind)
    return hd.exp(drawn / hd.asarray(b).astype(kind))


def rayleigh(
    key: hd.ndarray, scale: ArrayLike, shape: _Shape = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Rayleigh's numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.rayleigh(random.key(0), 1.0, (2,)))
    [1.31998551 1.74991998]
    """
    kind = _real("rayleigh", dtype)
    drawn = uniform(key, _shape_for("rayleigh", shape, scale), kind)
    return hd.asarray(scale).astype(kind) * hd.sqrt(hd.log(drawn) * -2)


def weibull_min(
    key: hd.ndarray,
    scale: ArrayLike,
    concentration: ArrayLike,
    shape: _Shape = (),
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Weibull's numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.weibull_min(random.key(0), 1.0, 2.0, (2,)))
    [0.73625441 0.49368328]
    """
    drawn = -hd.log1p(-uniform(key, shape, _real("weibull_min", dtype)))
    inverse: Any = 1.0 / concentration  # type: ignore[operator]  # numbers stay weak
    return hd.power(drawn, inverse) * scale


def triangular(
    key: hd.ndarray,
    left: ArrayLike,
    mode: ArrayLike,
    right: ArrayLike,
    shape: _Shape = None,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Triangular numbers from ``left`` to ``right``, most likely at ``mode``.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.triangular(random.key(0), 0.0, 0.5, 1.0, (2,)))
    [0.45741508 0.32885822]
    """
    kind = _real("triangular", dtype)
    wanted = _shape_for("triangular", shape, left, mode, right)
    low, top, high = (hd.asarray(one).astype(kind) for one in (left, mode, right))
    u = uniform(key, wanted, kind)
    before = low + hd.sqrt(u * (high - low) * (top - low))
    behind = high - hd.sqrt((1 - u) * (high - low) * (high - top))
    return hd.where(u < (top - low) / (high - low), before, behind)


def lognormal(
    key: hd.ndarray, sigma: ArrayLike = 1.0, shape: _Shape = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Numbers whose logarithm is normal.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.lognormal(random.key(0), shape=(2,)))
    [0.81396156 0.45622655]
    """
    kind = _real("lognormal", dtype)
    drawn = normal(key, _shape_for("lognormal", shape, sigma), kind)
    return hd.exp(drawn * hd.asarray(sigma).astype(kind))


def maxwell(key: hd.ndarray, shape: _Shape = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """Lengths of normal vectors in three dimensions.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.maxwell(random.key(0)))
    1.9890699115189192
    """
    drawn = normal(key, (*read_shape(shape), 3), _real("maxwell", dtype))
    return hd.linalg.norm(drawn, axis=-1)


def double_sided_maxwell(
    key: hd.ndarray,
    loc: ArrayLike,
    scale: ArrayLike,
    shape: _Shape = (),
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Maxwell's numbers with a random sign, scaled and moved.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> random.double_sided_maxwell(random.key(0), 0.0, 1.0, (3,)).shape
    (3,)
    """
    own = hd.broadcast_shapes(hd.shape(loc), hd.shape(scale))
    wanted = (read_shape(shape) or own) + own
    one, other = split(read_key("double_sided_maxwell", key))
    sign = rademacher(other, wanted, _real("double_sided_maxwell", dtype))
    return sign * maxwell(one, wanted, dtype) * scale + loc


def wald(
    key: hd.ndarray, mean: ArrayLike, shape: _Shape = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Wald's numbers: inverse Gaussian ones of scale 1.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> random.wald(random.key(0), 1.0, (3,)).shape
    (3,)
    """
    kind = _real("wald", dtype)
    wanted, centre = _shape_for("wald", shape, mean), hd.asarray(mean).astype(kind)
    one, other = split(read_key("wald", key))
    y = normal(one, wanted, kind) ** 2
    x = centre + centre**2 * y / 2 - centre / 2 * hd.sqrt(4 * centre * y + centre**2 * y**2)
    return hd.where(uniform(other, wanted, kind) <= centre / (centre + x), x, centre**2 / x)


def geometric(
    key: hd.ndarray, p: ArrayLike, shape: _Shape = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """How many tries there are up to a success of probability p.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.geometric(random.key(0), 0.5, (3,)))
    [2 3 1]
    """
    chance = hd.asarray(p)
    if chance.dtype.kind != "f":
        chance = chance.astype("float64")
    u = uniform(key, _shape_for("geometric", shape, p), chance.dtype)
    tries = hd.floor(hd.log(hd.where(u == 0, 1, u)) / hd.log1p(-chance)) + 1
    return tries.astype("int64" if dtype is None else dtype)


def orthogonal(
    key: hd.ndarray,
    n: int,
    shape: _Shape = (),
    dtype: DTypeLike | None = None,
    m: int | None = None,
) -> hd.ndarray:
    """Orthogonal matrices, uniformly distributed; rectangular ones with ``m`` columns.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> q = random.orthogonal(random.key(0), 3)
    >>> bool(np.allclose(q @ q.T, np.eye(3)))
    True
    """
    columns = n if m is None else m
    size = (*read_shape(shape), max(n, columns), min(n, columns))
    q, r = hd.linalg.qr(normal(key, size, dtype))
    signs = hd.sign(hd.diagonal(r, axis1=-2, axis2=-1))
    made = q * signs[..., None, :]
    return hd.swapaxes(made, -1, -2) if n < columns else made


_Sampler = Callable[..., hd.ndarray]
