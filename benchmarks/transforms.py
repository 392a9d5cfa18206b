"""Measures transformations against JAX's: `python benchmarks/transforms.py`.

Each row is a function of NumPy's names that both libraries run as it stands: plain, and recorded
(`jit`). Results are compared first; one that differs says WRONG. Both are timed in turns in one
process, and the best time of each counts.
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import report
import transform_loops
import transform_nets

import heddle

os.environ.setdefault("JAX_ENABLE_X64", "1")


@dataclass
class Row:
    """A function made for a library, and its arguments as NumPy's arrays."""

    name: str
    made: Callable[[Any, Any], Callable[..., Any]]  # of the library's names and transformations
    arguments: Callable[[numpy.random.Generator], tuple[Any, ...]]


def _logistic(np: Any, t: Any) -> Callable[..., Any]:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return np.log1p(np.exp(-y * (x @ w))).mean()

    return lambda w, x, y: w - 0.1 * t.grad(loss)(w, x, y)


def _perceptron(np: Any, t: Any) -> Callable[..., Any]:
    def loss(p: Any, x: Any, y: Any) -> Any:
        h = np.tanh(x @ p["a"] + p["b"])
        h = np.tanh(h @ p["c"] + p["d"])
        return ((h @ p["e"] - y) ** 2).mean()

    def step(p: Any, x: Any, y: Any) -> Any:
        slopes = t.grad(loss)(p, x, y)
        return {name: p[name] - 0.01 * slopes[name] for name in p}

    return step


def _rosenbrock(np: Any, t: Any) -> Any:
    def f(x: Any) -> Any:
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    return f


def _solver(np: Any, t: Any) -> Callable[..., Any]:
    """A fit through twenty steps of diffusion with a coefficient for each place."""

    def misfit(k: Any, u: Any) -> Any:
        for _ in range(20):
            flow = k * (u[1:] - u[:-1])
            u = np.concatenate([u[:1], u[1:-1] + 0.1 * (flow[1:] - flow[:-1]), u[-1:]])
        return (u**2).sum()

    return t.grad(misfit)


def _parameters(rng: numpy.random.Generator, *shapes: tuple[int, ...]) -> list[Any]:
    return [rng.normal(size=shape) / shape[0] ** 0.5 for shape in shapes]


def _of_perceptron(batch: int) -> Callable[[numpy.random.Generator], tuple[Any, ...]]:
    def made(rng: numpy.random.Generator) -> tuple[Any, ...]:
        shapes = [(64, 128), (128,), (128, 128), (128,), (128, 10)]
        values = _parameters(rng, *shapes)
        return (
            dict(zip("abcde", values, strict=True)),
            rng.normal(size=(batch, 64)),
            rng.normal(size=(batch, 10)),
        )

    return made


ROWS = [
    Row(
        "logistic regression step, 1e5 x 20",
        _logistic,
        lambda rng: (
            rng.normal(size=20),
            rng.normal(size=(100_000, 20)),
            numpy.sign(rng.normal(size=100_000)),
        ),
    ),
    Row("perceptron step, batch 64", _perceptron, _of_perceptron(64)),
    Row("perceptron step, batch 4096", _perceptron, _of_perceptron(4096)),
    Row(
        "gradient of Rosenbrock, 1e6",
        lambda np, t: t.grad(_rosenbrock(np, t)),
        lambda rng: (rng.normal(size=1_000_000),),
    ),
    Row(
        "Hessian of Rosenbrock, 100",
        lambda np, t: t.hessian(_rosenbrock(np, t)),
        lambda rng: (rng.normal(size=100),),
    ),
    Row(
        "diffusion fit, 20 steps, 1e5",
        _solver,
        lambda rng: (rng.uniform(0.5, 1, size=99_999), rng.normal(size=100_000)),
    ),
    Row(
        "vmap of 8x8 solves, 1e4",
        lambda np, t: t.vmap(np.linalg.solve),
        lambda rng: (
            rng.normal(size=(10_000, 8, 8)) + 8 * numpy.eye(8),
            rng.normal(size=(10_000, 8)),
        ),
    ),
    Row(
        "vmap of gradients, 1e4 x 20",
        lambda np, t: t.vmap(t.grad(lambda x: (np.sin(x) * np.exp(-x * x)).sum())),
        lambda rng: (rng.normal(size=(10_000, 20)),),
    ),
    *(Row(*row) for row in transform_nets.ROWS),
    *(Row(*row) for row in transform_loops.ROWS),
]


def _leaves(result: Any) -> list[Any]:
    return [result[name] for name in sorted(result)] if isinstance(result, dict) else [result]


def _converted(arguments: Any, convert: Callable[[Any], Any]) -> Any:
    return tuple(
        {name: convert(value) for name, value in one.items()}
        if isinstance(one, dict)
        else convert(one)
        for one in arguments
    )


def _close(a: Any, b: Any) -> bool:
    near = 1e-3 if a.dtype == numpy.float32 else 1e-7
    return bool(numpy.allclose(a, b, rtol=near, atol=near * 1e-2 * max(1, abs(b).max())))


def _best(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    best = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < end:
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this text")
    parser.add_argument("--seconds", type=float, default=0.5, help="for a library and a row")
    parser.add_argument("--device", default="", help="of Heddle's; jax takes its first")
    options = parser.parse_args()
    if options.device:
        heddle.default_device(options.device)
    try:
        import jax
    except ImportError:
        jax = None
    wrong = False
    print(report.environment(None))
    print(f"{'':46}{'heddle':>10}{'jit':>10}{'jax':>10}{'jax.jit':>10}")
    for row in ROWS:
        if options.only not in row.name:
            continue
        arguments = row.arguments(numpy.random.default_rng(0))
        f = row.made(heddle, heddle)
        recorded = heddle.jit(row.made(heddle, heddle))
        mine = _converted(arguments, heddle.asarray)

        def eager(f: Any = f, mine: Any = mine) -> None:
            heddle.eval(*_leaves(f(*mine)))

        calls = {
            "heddle": eager,
            "jit": lambda f=recorded, mine=mine: heddle.eval(*_leaves(f(*mine))),
        }
        if jax is not None:
            theirs = _converted(arguments, jax.numpy.asarray)
            for name, g in (
                ("jax", row.made(jax.numpy, jax)),
                ("jax.jit", jax.jit(row.made(jax.numpy, jax))),
            ):
                calls[name] = lambda g=g, theirs=theirs: jax.block_until_ready(g(*theirs))
            found = [heddle.asnumpy(one) for one in _leaves(f(*mine))]
            wanted = [numpy.asarray(one) for one in _leaves(row.made(jax.numpy, jax)(*theirs))]
            same = all(_close(a, b) for a, b in zip(found, wanted, strict=True))
            wrong |= not same
        for call in calls.values():
            call()
        best = _best(calls, options.seconds)
        cells = "".join(f"{report.duration(best[name]):>10}" for name in calls)
        print(f"{row.name:46}{cells}{'' if jax is None or same else '  WRONG'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
