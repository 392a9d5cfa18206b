"""Gamma numbers of keys, and what is made of them: beta, Dirichlet, Student and others.

G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000: each element has
a key of its own, and draws until it is content. All of them draw at once, in a loop of `lax`.
"""

from __future__ import annotations

from typing import Any

import heddle as hd
from heddle import lax, special
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, DTypeLike, ShapeLike
from heddle.jax.random._keys import cipher, read_key, read_shape, split
from heddle.jax.random._samples import _real, _shape_for, exponential, normal, rademacher


def _children(keys: hd.ndarray, count: int) -> list[hd.ndarray]:
    """New keys of each of many."""
    zero = hd.zeros(keys.shape[:-1], "uint32")
    return [hd.stack(cipher(keys, zero, zero + hd.uint32(i)), -1) for i in range(count)]


def _units(keys: hd.ndarray, kind: DType) -> hd.ndarray:
    """A number below 1 of each key."""
    zero = hd.zeros(keys.shape[:-1], "uint32")
    high, low = cipher(keys, zero, zero)
    width = kind.itemsize * 8
    words = (high ^ low).astype(f"uint{width}")
    if width == 64:
        words = (high.astype("uint64") << 32) | low.astype("uint64")
    one = int(hd.array(1.0, dtype=kind).view(f"uint{width}"))
    limits = hd.finfo(kind)
    bits = (words >> (width - int(limits.nmant))) | one
    return bits.astype(f"uint{width}").view(kind) - hd.array(1, kind)


def _normals(keys: hd.ndarray, kind: DType) -> hd.ndarray:
    least = hd.nextafter(hd.array(-1, kind), hd.array(0, kind))
    spread = hd.array(1, kind) - least
    drawn = hd.maximum(least, _units(keys, kind) * spread + least)
    return hd.array(2**0.5, kind) * special.erfinv(drawn)


def _drawn(words: hd.ndarray, a: hd.ndarray, in_logs: bool) -> hd.ndarray:
    """A gamma number of each key and parameter, in one dimension."""
    kind = a.dtype
    large = a >= 1
    shape = hd.where(large, a, a + 1)
    d = shape - hd.array(1 / 3, kind)
    c = hd.array(1 / 3, kind) / hd.sqrt(d)
    keys, spare = _children(words, 2)

    def goes_on(x2: ndarray, v3: ndarray, u: ndarray) -> ndarray:
        return (u >= 1 - 0.0331 * (x2 * x2)) & (hd.log(u) >= x2 * 0.5 + d * (1 - v3 + hd.log(v3)))

    def draw_again(state: tuple[ndarray, ...]) -> tuple[ndarray, ndarray, ndarray]:
        """A normal number for those whose cube would not be positive."""
        keys, x, v = state
        later, own = _children(keys, 2)
        again = v <= 0
        new = _normals(own, kind)
        return (
            hd.where(again[:, None], later, keys),
            hd.where(again, new, x),
            hd.where(again, 1 + new * c, v),
        )

    def one_try(state: tuple[ndarray, ...]) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        keys, x2, v3, u = state
        active = goes_on(x2, v3, u)
        later, of_normal, of_unit = _children(keys, 3)
        zero = hd.zeros(a.shape, kind)
        first = of_normal, zero, zero - 1
        _, x, v = lax.while_loop(lambda inner: (inner[2] <= 0).any(), draw_again, first)
        return (
            hd.where(active[:, None], later, keys),
            hd.where(active, x * x, x2),
            hd.where(active, v * v * v, v3),
            hd.where(active, _units(of_unit, kind), u),
        )

    zero = hd.zeros(a.shape, kind)
    state = keys, zero, zero + 1, zero + 2
    tried = lax.while_loop(lambda now: goes_on(*now[1:]).any(), one_try, state)
    v3: hd.ndarray = tried[2]
    unit = _units(spare, kind)
    if in_logs:
        logs = hd.log1p(-unit)
        boost = hd.where(large | (logs == 0), 0, logs / a)
        return hd.log(d) + hd.log(v3) + boost
    return d * v3 * hd.where(large, 1, (1 - unit) ** (1 / a))


@hd.custom_jvp
def _numbers(words: hd.ndarray, a: hd.ndarray) -> hd.ndarray:
    return _drawn(words, a, False)


@hd.custom_jvp
def _logs(words: hd.ndarray, a: hd.ndarray) -> hd.ndarray:
    return _drawn(words, a, True)


@_numbers.defjvp
def _numbers_jvp(primals: Any, tangents: Any) -> Any:
    z = _numbers(*primals)
    return z, lax.random_gamma_grad(primals[1], z) * tangents[1]


@_logs.defjvp
def _logs_jvp(primals: Any, tangents: Any) -> Any:
    log = _logs(*primals)
    z = hd.maximum(hd.exp(log), hd.finfo(log.dtype).tiny)
    return log, lax.random_gamma_grad(primals[1], z) / z * tangents[1]


def _gammas(
    what: str,
    key: hd.ndarray,
    a: ArrayLike,
    shape: ShapeLike | None,
    dtype: DTypeLike | None,
    in_logs: bool,
) -> hd.ndarray:
    kind, wanted = _real(what, dtype), _shape_for(what, shape, a)
    if kind.itemsize < 4:
        return _gammas(what, key, a, shape, "float32", in_logs).astype(kind)
    parameters = hd.broadcast_to(hd.asarray(a).astype(kind), wanted).ravel()
    words = split(read_key(what, key), parameters.size)
    drawn: hd.ndarray = (_logs if in_logs else _numbers)(words, parameters)
    return drawn.reshape(wanted)


def gamma(
    key: hd.ndarray, a: ArrayLike, shape: ShapeLike | None = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Gamma numbers of parameter ``a``, with derivatives with respect to it.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.gamma(random.key(0), 2.0, (3,)))
    [1.3520308  1.12435945 3.73240416]
    """
    return _gammas("gamma", key, a, shape, dtype, False)


def loggamma(
    key: hd.ndarray, a: ArrayLike, shape: ShapeLike | None = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Logarithms of gamma numbers, also of those that are too small to be said.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.loggamma(random.key(0), 2.0, (3,)))
    [0.30160776 0.1172135  1.31705257]
    """
    return _gammas("loggamma", key, a, shape, dtype, True)


def beta(
    key: hd.ndarray,
    a: ArrayLike,
    b: ArrayLike,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Beta numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.beta(random.key(0), 2.0, 3.0, (2,)))
    [0.32795607 0.61380901]
    """
    kind, wanted = _real("beta", dtype), _shape_for("beta", shape, a, b)
    one, other = split(read_key("beta", key))
    first, second = loggamma(one, a, wanted, kind), loggamma(other, b, wanted, kind)
    return special.expit(first - second)


def dirichlet(
    key: hd.ndarray,
    alpha: ArrayLike,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Dirichlet's vectors, along the last axis of the parameters.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.dirichlet(random.key(0), np.ones(3)).sum())
    1.0
    """
    parameters = hd.asarray(alpha)
    if parameters.ndim < 1:
        raise ValueError("random.dirichlet: the parameters are a vector at least")
    wanted = parameters.shape[:-1] if shape is None else read_shape(shape)
    logs = loggamma(key, parameters, (*wanted, parameters.shape[-1]), dtype)
    return hd.nn.softmax(logs, -1)


def chisquare(
    key: hd.ndarray, df: ArrayLike, shape: ShapeLike | None = None, dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Sums of squares of so many normal numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.chisquare(random.key(0), 3.0, (2,)))
    [1.81389348 1.44835385]
    """
    kind = _real("chisquare", dtype)
    return hd.exp(loggamma(key, hd.asarray(df).astype(kind) / 2, shape, kind)) * 2


def t(
    key: hd.ndarray, df: ArrayLike, shape: ShapeLike = (), dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Student's numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.t(random.key(0), 3.0, (2,)))
    [ 1.40115888 -0.60724612]
    """
    kind, wanted = _real("t", dtype), _shape_for("t", shape, df)
    one, other = split(read_key("t", key))
    half = hd.asarray(df).astype(kind) / 2
    return normal(one, wanted, kind) * hd.sqrt(half / gamma(other, half, wanted, kind))


def f(
    key: hd.ndarray,
    dfnum: ArrayLike,
    dfden: ArrayLike,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
) -> hd.ndarray:
    """Fisher's numbers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.f(random.key(0), 3.0, 4.0, (2,)))
    [1.54829471 0.34078744]
    """
    kind, wanted = _real("f", dtype), _shape_for("f", shape, dfnum, dfden)
    below, above = split(read_key("f", key))
    top, bottom = hd.asarray(dfnum).astype(kind), hd.asarray(dfden).astype(kind)
    numerator = chisquare(above, top, wanted, kind) / top
    return numerator / (chisquare(below, bottom, wanted, kind) / bottom)


def generalized_normal(
    key: hd.ndarray, p: float, shape: ShapeLike = (), dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Numbers with a density of ``exp(-|x|**p)``.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.generalized_normal(random.key(0), 2.0, (2,)))
    [ 0.85279566 -1.33199983]
    """
    kind, wanted = _real("generalized_normal", dtype), read_shape(shape)
    one, other = split(read_key("generalized_normal", key))
    return rademacher(other, wanted, kind) * gamma(one, 1 / p, wanted, kind) ** (1 / p)


def ball(
    key: hd.ndarray, d: int, p: float = 2, shape: ShapeLike = (), dtype: DTypeLike | None = None
) -> hd.ndarray:
    """Points of a ball in d dimensions, in which the norm of order p is at most 1.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> bool(np.linalg.norm(random.ball(random.key(0), 3)) < 1)
    True
    """
    wanted = read_shape(shape)
    one, other = split(read_key("ball", key))
    drawn = generalized_normal(one, p, (*wanted, d), dtype)
    length = (hd.abs(drawn) ** p).sum(-1) + exponential(other, wanted, dtype)
    return drawn / (length ** (1 / p))[..., None]
