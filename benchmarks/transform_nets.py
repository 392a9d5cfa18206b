"""Rows of benchmarks/transforms.py about networks: convolution, attention, optimisers.

Where names differ JAX's side is written with what it has: lax for convolution and pooling, and
Adam's formula as optax computes it.
"""

from collections.abc import Callable
from typing import Any

import numpy

import heddle

Arguments = tuple[Any, ...]


def _single(made: Any) -> Any:
    return made.astype(numpy.float32)


def _pieces(np: Any, t: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Convolution and pooling of a library."""
    if t is heddle:
        return heddle.nn.conv, lambda x: heddle.nn.max_pool(x, (2, 2))

    def conv(x: Any, kernel: Any) -> Any:
        order = ("NHWC", "HWIO", "NHWC")
        return t.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=order)

    def pool(x: Any) -> Any:
        lowest, shape = -numpy.inf, (1, 2, 2, 1)
        return t.lax.reduce_window(x, lowest, t.lax.max, shape, shape, "VALID")

    return conv, pool


def convolutional_net(np: Any, t: Any) -> Callable[..., Any]:
    conv, pool = _pieces(np, t)

    def loss(p: Any, x: Any, y: Any) -> Any:
        x = pool(t.nn.relu(conv(x, p["first"]) + p["first_bias"]))
        x = pool(t.nn.relu(conv(x, p["second"]) + p["second_bias"]))
        logits = x.reshape(x.shape[0], -1) @ p["last"]
        return -(t.nn.log_softmax(logits) * y).sum(axis=-1).mean()

    def step(p: Any, x: Any, y: Any) -> Any:
        slopes = t.grad(loss)(p, x, y)
        return {name: p[name] - 0.01 * slopes[name] for name in p}

    return step


def _of_net(rng: numpy.random.Generator) -> Arguments:
    params = {
        "first": 0.3 * rng.normal(size=(3, 3, 1, 8)),
        "first_bias": 0.1 * rng.normal(size=8),
        "second": 0.1 * rng.normal(size=(3, 3, 8, 16)),
        "second_bias": 0.1 * rng.normal(size=16),
        "last": 0.03 * rng.normal(size=(7 * 7 * 16, 10)),
    }
    images, classes = rng.normal(size=(64, 28, 28, 1)), rng.integers(0, 10, size=64)
    return (
        {name: _single(value) for name, value in params.items()},
        _single(images),
        _single(numpy.eye(10)[classes]),
    )


def convolution(np: Any, t: Any) -> Callable[..., Any]:
    conv, _ = _pieces(np, t)

    def slopes(x: Any, kernel: Any) -> Any:
        made = t.grad(lambda x, kernel: (conv(x, kernel) ** 2).mean(), argnums=(0, 1))(x, kernel)
        return dict(zip("xk", made, strict=True))

    return slopes


def attention(np: Any, t: Any) -> Callable[..., Any]:
    def loss(q: Any, k: Any, v: Any) -> Any:
        return (t.nn.dot_product_attention(q, k, v, is_causal=True) ** 2).sum()

    def slopes(q: Any, k: Any, v: Any) -> Any:
        return dict(zip("qkv", t.grad(loss, argnums=(0, 1, 2))(q, k, v), strict=True))

    return slopes


def adam_step(np: Any, t: Any) -> Callable[..., Any]:
    def loss(p: Any, x: Any, y: Any) -> Any:
        h = t.nn.relu(x @ p["a"] + p["b"])
        h = t.nn.relu(h @ p["c"] + p["d"])
        return ((h @ p["e"] - y) ** 2).mean()

    rule = heddle.optim.adam(1e-3)

    def by_heddle(p: Any, mu: Any, nu: Any, count: Any, x: Any, y: Any) -> Any:
        begin = rule.init(p)
        state = (begin[0]._replace(count=count, mu=mu, nu=nu), *begin[1:])
        updates, _ = rule.update(t.grad(loss)(p, x, y), state, p)
        return heddle.optim.apply_updates(p, updates)

    def by_formula(p: Any, mu: Any, nu: Any, count: Any, x: Any, y: Any) -> Any:
        slopes, count = t.grad(loss)(p, x, y), count + 1
        made = {}
        for name, g in slopes.items():
            mean = (0.1 * g + 0.9 * mu[name]) / (1 - 0.9**count).astype(g.dtype)
            square = (0.001 * (g * g) + 0.999 * nu[name]) / (1 - 0.999**count).astype(g.dtype)
            made[name] = p[name] - 1e-3 * (mean / (np.sqrt(square) + 1e-8))
        return made

    return by_heddle if t is heddle else by_formula


def _of_adam(rng: numpy.random.Generator) -> Arguments:
    shapes = {"a": (64, 128), "b": (128,), "c": (128, 128), "d": (128,), "e": (128, 10)}

    def drawn(scale: float) -> dict[str, Any]:
        return {name: _single(scale * rng.normal(size=shape)) for name, shape in shapes.items()}

    return (
        drawn(0.1),
        drawn(0.1),
        {name: value**2 for name, value in drawn(0.1).items()},
        numpy.array(7, numpy.int32),
        _single(rng.normal(size=(64, 64))),
        _single(rng.normal(size=(64, 10))),
    )


def _of_heads(rng: numpy.random.Generator) -> Arguments:
    return tuple(_single(rng.normal(size=(4, 256, 8, 64))) for _ in range(3))


def _of_convolution(rng: numpy.random.Generator) -> Arguments:
    return (
        _single(rng.normal(size=(64, 32, 32, 16))),
        _single(0.1 * rng.normal(size=(3, 3, 16, 32))),
    )


# Names, functions and arguments; all of float32.
ROWS = [
    ("convolutional net step, batch 64", convolutional_net, _of_net),
    ("convolution and gradients, 64x32x32x16 to 32", convolution, _of_convolution),
    ("attention and gradients, 4x256x8x64", attention, _of_heads),
    ("perceptron step with Adam, batch 64", adam_step, _of_adam),
]
