"""Rows of benchmarks/transforms.py about small and long things: calls, loops, in-place steps."""

from collections.abc import Callable
from typing import Any

import heddle

Arguments = tuple[Any, ...]


def small_call(np: Any, t: Any) -> Callable[..., Any]:
    return lambda x, y: np.tanh(x) * 2 + y


def ode(np: Any, t: Any) -> Callable[..., Any]:
    """Lorenz's system for many beginnings, 10,000 steps of the midpoint rule."""

    def slope(u: Any) -> Any:
        x, y, z = u[0], u[1], u[2]
        return np.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    def step(i: Any, u: Any) -> Any:
        return u + 1e-4 * slope(u + 0.5e-4 * slope(u))

    return lambda u: t.lax.fori_loop(0, 10_000, step, u)


def python_loop(np: Any, t: Any) -> Callable[..., Any]:
    """A plain loop of 10,000 passes; JAX is given its own form of it, which compiles once."""

    def one(u: Any) -> Any:
        return u + 0.1 * np.sin(u)

    def in_python(u: Any) -> Any:
        for _ in range(10_000):
            u = one(u)
        return u

    if t is heddle:
        return in_python
    return lambda u: t.lax.fori_loop(0, 10_000, lambda i, v: one(v), u)


ROWS = [
    (
        "a call of three operations, 10",
        small_call,
        lambda rng: (rng.normal(size=10), rng.normal(size=10)),
    ),
    ("ODE of 10,000 steps, 3 x 10", ode, lambda rng: (rng.normal(size=(3, 10)),)),
    ("plain loop of 10,000 passes, 100", python_loop, lambda rng: (rng.normal(size=100),)),
]
