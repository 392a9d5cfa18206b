"""First values of parameters, with the names and signatures of jax.nn.initializers.

Each function gives an initializer, which is called as ``init(key, shape, dtype)``. The key is a
generator of random numbers, as `heddle.random.default_rng` gives, or a seed for one: unlike JAX's
keys a generator moves on, so that one serves for all parameters.

>>> import heddle as np
>>> init = np.nn.initializers.he_normal()
>>> init(np.random.default_rng(0), (3, 3, 16, 32), np.float32).shape
(3, 3, 16, 32)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import heddle as hd
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, DTypeLike

if TYPE_CHECKING:
    from heddle.random._generator import Generator

__all__ = [
    "Initializer",
    "constant",
    "delta_orthogonal",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "ones",
    "orthogonal",
    "truncated_normal",
    "uniform",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
    "zeros",
]

Initializer = Callable[..., Any]  # of a key, a shape and a type

_Axes = int | Sequence[int]


def zeros(key: object, shape: Sequence[int], dtype: DTypeLike | None = float) -> ndarray:
    """All zeros; the key is not drawn from.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.initializers.zeros(0, (2, 3))
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
    del key
    return hd.zeros(tuple(shape), dtype)


def ones(key: object, shape: Sequence[int], dtype: DTypeLike | None = float) -> ndarray:
    """All ones; the key is not drawn from.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.initializers.ones(0, (2,), np.float32)
    array([1., 1.], dtype=float32)
    """
    del key
    return hd.ones(tuple(shape), dtype)


def constant(value: ArrayLike, dtype: DTypeLike = float) -> Initializer:
    """One value, or an array that is broadcast.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.initializers.constant(0.5)(0, (3,))
    array([0.5, 0.5, 0.5])
    """
    usual = dtype

    def init(key: object, shape: Sequence[int], dtype: DType | None = None) -> ndarray:
        del key
        return hd.full(tuple(shape), value, usual if dtype is None else dtype)

    return init


def _drawn(draw: Callable[[Any, tuple[int, ...]], Any], usual: DTypeLike | None) -> Initializer:
    """An initializer of numbers that are drawn in double precision, and converted."""

    def init(key: int | Generator, shape: Sequence[int], dtype: Any = None) -> Any:
        wanted = hd.dtype(usual if dtype is None else dtype)
        return draw(hd.random.default_rng(key), tuple(shape)).astype(wanted)

    return init


def uniform(scale: float = 1e-2, dtype: DTypeLike | None = float) -> Initializer:
    """Evenly distributed numbers from 0 to ``scale``.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.nn.initializers.uniform(0.1)(0, (1000,))
    >>> bool((x >= 0).all() and (x < 0.1).all())
    True
    """
    return _drawn(lambda key, shape: key.uniform(0, scale, size=shape), dtype)


def normal(stddev: float = 1e-2, dtype: DTypeLike | None = float) -> Initializer:
    """Normally distributed numbers.

    >>> import heddle as np
    >>> bool(abs(np.nn.initializers.normal(2.0)(0, (1000,)).std() - 2) < 0.2)
    True
    """
    return _drawn(lambda key, shape: key.normal(0, stddev, size=shape), dtype)


def _truncated(key: Generator, shape: tuple[int, ...], lower: float, upper: float) -> ndarray:
    """Standard normal numbers between two bounds: others are drawn again."""
    made = key.normal(size=shape)
    while True:
        outside = (made < lower) | (made > upper)
        missing = int(hd.count_nonzero(outside))
        if missing == 0:
            return made
        made[outside] = key.normal(size=missing)


def truncated_normal(
    stddev: float = 1e-2, dtype: DTypeLike | None = float, lower: float = -2.0, upper: float = 2.0
) -> Initializer:
    """Normal numbers between ``lower`` and ``upper``, times ``stddev``.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.nn.initializers.truncated_normal(1.0, lower=-1, upper=1)(0, (1000,))
    >>> bool((abs(x) <= 1).all())
    True
    """
    if not lower < upper:
        raise ValueError(f"truncated_normal: there is nothing between {lower} and {upper}")
    if lower > 4 or upper < -4 or upper - lower < 1e-3:
        raise ValueError("truncated_normal: bounds that next to no normal number lies between")
    return _drawn(lambda key, shape: _truncated(key, shape, lower, upper) * stddev, dtype)


def _extent(shape: tuple[int, ...], axes: _Axes) -> int:
    return math.prod(shape[i] for i in (axes if isinstance(axes, Sequence) else (axes,)))


def _fans(
    shape: tuple[int, ...], in_axis: _Axes, out_axis: _Axes, batch_axis: _Axes
) -> tuple[float, float]:
    """How many numbers a result is made of, and how many results a number is in."""
    if len(shape) <= 1:
        raise ValueError(f"variance_scaling: a shape {shape} has no fan-in and fan-out")
    inputs, outputs = _extent(shape, in_axis), _extent(shape, out_axis)
    others = math.prod(shape) // max(inputs * outputs * _extent(shape, batch_axis), 1)
    return inputs * others, outputs * others


def variance_scaling(
    scale: float,
    mode: str,
    distribution: str,
    in_axis: _Axes = -2,
    out_axis: _Axes = -1,
    batch_axis: _Axes = (),
    dtype: DTypeLike | None = float,
) -> Initializer:
    """Numbers of variance ``scale / n``, where the mode says what n is.

    ``'fan_in'``: of how many inputs an output is made; ``'fan_out'``: in how many outputs an input
    is; ``'fan_avg'``: their mean; ``'fan_geo_avg'``: their geometric mean. They are distributed as
    ``'normal'``, ``'truncated_normal'`` (up to two standard deviations) or ``'uniform'`` says.

    Examples
    --------
    >>> import heddle as np
    >>> init = np.nn.initializers.variance_scaling(1.0, "fan_in", "normal")
    >>> bool(abs(init(0, (400, 100)).var() * 400 - 1) < 0.05)
    True
    """
    counts: dict[str, Callable[[float, float], float]] = {
        "fan_in": lambda inputs, outputs: inputs,
        "fan_out": lambda inputs, outputs: outputs,
        "fan_avg": lambda inputs, outputs: (inputs + outputs) / 2,
        "fan_geo_avg": lambda inputs, outputs: math.sqrt(inputs * outputs),
    }
    # The standard deviation of a normal number between -2 and 2.
    narrowed = 0.87962566103423978
    draws: dict[str, Callable[[Any, tuple[int, ...]], Any]] = {
        "normal": lambda key, shape: key.normal(size=shape),
        "truncated_normal": lambda key, shape: _truncated(key, shape, -2, 2) / narrowed,
        "uniform": lambda key, shape: key.uniform(-math.sqrt(3), math.sqrt(3), size=shape),
    }
    if mode not in counts:
        raise ValueError(f"variance_scaling: modes are {', '.join(counts)}, not {mode!r}")
    if distribution not in draws:
        raise ValueError(
            f"variance_scaling: distributions are {', '.join(draws)}, not {distribution!r}"
        )

    def draw(key: Generator, shape: tuple[int, ...]) -> Any:
        count = counts[mode](*_fans(shape, in_axis, out_axis, batch_axis))
        return draws[distribution](key, shape) * math.sqrt(scale / max(count, 1))

    return _drawn(draw, dtype)


def _scaled(
    scale: float, mode: str, distribution: str, name: str, what: str
) -> Callable[..., Initializer]:
    def made(
        in_axis: _Axes = -2, out_axis: _Axes = -1, batch_axis: _Axes = (), dtype: DTypeLike = float
    ) -> Initializer:
        return variance_scaling(scale, mode, distribution, in_axis, out_axis, batch_axis, dtype)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"""{what}

    >>> import heddle as np
    >>> np.nn.initializers.{name}()(np.random.default_rng(0), (3, 4)).shape
    (3, 4)
    """
    return made


glorot_uniform = xavier_uniform = _scaled(
    1.0, "fan_avg", "uniform", "glorot_uniform", "Uniform numbers of variance 2 / (in + out)."
)
glorot_normal = xavier_normal = _scaled(
    1.0, "fan_avg", "truncated_normal", "glorot_normal", "Normal ones of variance 2 / (in + out)."
)
lecun_uniform = _scaled(
    1.0, "fan_in", "uniform", "lecun_uniform", "Uniform numbers of variance 1 / in."
)
lecun_normal = _scaled(
    1.0, "fan_in", "truncated_normal", "lecun_normal", "Normal numbers of variance 1 / in."
)
he_uniform = kaiming_uniform = _scaled(
    2.0, "fan_in", "uniform", "he_uniform", "Uniform numbers of variance 2 / in."
)
he_normal = kaiming_normal = _scaled(
    2.0, "fan_in", "truncated_normal", "he_normal", "Normal numbers of variance 2 / in."
)


def orthogonal(
    scale: float = 1.0, column_axis: int = -1, dtype: DTypeLike | None = float
) -> Initializer:
    """Orthonormal rows or columns, whichever are fewer, times ``scale``.

    >>> import heddle as np
    >>> q = np.nn.initializers.orthogonal()(0, (3, 2))
    >>> print(abs(q.T @ q - np.eye(2)).max() < 1e-12)
    True
    """

    def draw(key: Any, shape: tuple[int, ...]) -> ndarray:
        if len(shape) < 2:
            raise ValueError(f"orthogonal: a shape {shape} has no rows and columns")
        columns = shape[column_axis]
        rows = math.prod(shape) // max(columns, 1)
        tall = (max(rows, columns), min(rows, columns))
        q, r = hd.linalg.qr(key.normal(size=tall))
        q = q * hd.sign(hd.diagonal(r))  # so that all are equally likely
        q = q.T if rows < columns else q
        others = [extent for i, extent in enumerate(shape) if i != column_axis % len(shape)]
        return scale * hd.moveaxis(q.reshape((*others, columns)), -1, column_axis)

    return _drawn(draw, dtype)


def delta_orthogonal(
    scale: float = 1.0, column_axis: int = -1, dtype: DTypeLike | None = float
) -> Initializer:
    """For kernels of convolutions: orthogonal at the place in the middle, and 0 elsewhere.

    Examples
    --------
    >>> import heddle as np
    >>> np.nn.initializers.delta_orthogonal()(0, (3, 2, 4))[1].shape
    (2, 4)
    """
    inner = orthogonal(scale, column_axis)

    def draw(key: object, shape: tuple[int, ...]) -> ndarray:
        if len(shape) not in (3, 4, 5):
            raise ValueError(f"delta_orthogonal: a kernel has 3, 4 or 5 axes, not shape {shape}")
        if shape[-1] < shape[-2]:
            raise ValueError(f"delta_orthogonal: fewer features than channels in shape {shape}")
        matrix = inner(key, (shape[-1], shape[-2]))[:, : shape[-2]].T
        made = hd.zeros(shape)
        made[tuple((extent - 1) // 2 for extent in shape[:-2])] = matrix
        return made

    return _drawn(draw, dtype)
