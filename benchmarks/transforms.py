"""Measures transformations against JAX, autograd and PyTorch: `python benchmarks/transforms.py`.

Each row is a function of NumPy's names that the libraries run as it stands: plain, and recorded
(`jit`, `jax.jit`, `torch.compile`). Results are compared with JAX's first; one that differs says
WRONG. All are timed in turns in one process, and the best time of each counts; `first` is the first
call of what is recorded, with nothing compiled before. Products of float32 have full precision
everywhere: JAX would take TF32 on recent GPUs where nobody says otherwise. A library that is not
there, or cannot do a row, has no time.
"""

import argparse
import json
import os
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Nothing that was compiled before counts.
os.environ["HEDDLE_CACHE_DIR"] = tempfile.mkdtemp()
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")

import numpy
import report
import transform_loops
import transform_nets

import heddle


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


# --- libraries ---


@dataclass
class Library:
    """Names and transformations that rows are made of, and how arrays go in and out."""

    names: Any
    transformations: Any
    put: Callable[[Any], Any]
    finish: Callable[[list[Any]], Any]
    get: Callable[[Any], Any]
    record: Callable[[Any], Any] | None = None
    titles: tuple[str, str] = ("", "")


def _heddle(device: str) -> Library:
    return Library(
        heddle,
        heddle,
        heddle.asarray,
        lambda results: (heddle.eval(*results), heddle.synchronize()),
        heddle.asnumpy,
        heddle.jit,
        ("heddle", "jit"),
    )


def _jax(device: str) -> Library:
    import jax

    return Library(
        jax.numpy,
        jax,
        jax.numpy.asarray,
        jax.block_until_ready,
        numpy.asarray,
        jax.jit,
        ("jax", "jax.jit"),
    )


def _autograd(device: str) -> Library:
    import autograd
    import autograd.numpy

    if device not in ("", "cpu"):
        raise ImportError("it has no GPU")
    return Library(
        autograd.numpy,
        autograd,
        lambda a: a,
        lambda results: None,
        lambda a: a,
        None,
        ("autograd", ""),
    )


def _torch(device: str) -> Library:
    import torch

    where = "cuda" if device.startswith("cuda") else "cpu"
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False

    def attention(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
        heads = [one.transpose(1, 2) for one in (q, k, v)]
        made = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=is_causal)
        return made.transpose(1, 2)

    def fori_loop(first: int, end: int, body: Callable[..., Any], value: Any) -> Any:
        for i in range(first, end):
            value = body(i, value)
        return value

    transformations = types.SimpleNamespace(
        grad=torch.func.grad,
        vmap=torch.func.vmap,
        hessian=torch.func.hessian,
        lax=types.SimpleNamespace(fori_loop=fori_loop),
        nn=types.SimpleNamespace(
            relu=torch.relu,
            log_softmax=lambda x: torch.log_softmax(x, -1),
            dot_product_attention=attention,
        ),
    )

    def finish(results: list[Any]) -> None:
        if where == "cuda":
            torch.cuda.synchronize()

    return Library(
        torch,
        transformations,
        lambda a: torch.from_numpy(numpy.ascontiguousarray(a)).to(where),
        finish,
        lambda a: a.detach().cpu().numpy(),
        torch.compile,
        ("torch", "torch.compile"),
    )


MAKERS = {"heddle": _heddle, "jax": _jax, "autograd": _autograd, "torch": _torch}


# --- rows ---


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
    """In turns, until each has had its time: slow ones do not take that of others."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    least = 3
    while True:
        waiting = [n for n, t in times.items() if sum(t) < seconds or len(t) < least]
        if not waiting:
            return {name: min(found) for name, found in times.items()}
        for name in waiting:
            start = time.perf_counter()
            calls[name]()
            times[name].append(time.perf_counter() - start)


def _measure(
    row: Row, libraries: dict[str, Library], seconds: float, skipped: set[str]
) -> dict[str, Any]:
    """The best times of a row, its first calls, and which libraries give something else."""
    arguments = row.arguments(numpy.random.default_rng(0))
    calls: dict[str, Callable[[], Any]] = {}
    first: dict[str, float] = {}
    results: dict[str, list[Any]] = {}
    for library in libraries.values():
        given = _converted(arguments, library.put)
        # What is recorded first: plain calls compile kernels, too.
        for title, wrap in reversed([*zip(library.titles, (None, library.record), strict=True)]):
            if not title or title in skipped:
                continue
            if title == "torch.compile" and "10,000" in row.name:
                continue  # it would write all passes out
            try:
                f = row.made(library.names, library.transformations)
                if wrap is not None:
                    f = wrap(f)

                def call(f: Any = f, given: Any = given, library: Library = library) -> list[Any]:
                    made = _leaves(f(*given))
                    library.finish(made)
                    return made

                start = time.perf_counter()
                made = call()
                first[title] = time.perf_counter() - start
                call()
            except Exception as problem:
                print(f"  {title}: {type(problem).__name__} {problem}".partition("\n")[0][:100])
                continue
            results[title] = [numpy.asarray(library.get(one)) for one in made]
            calls[title] = call
    wanted = results.get("jax", results["heddle"])
    wrong = [
        title
        for title, found in results.items()
        if not all(_close(a, b) for a, b in zip(found, wanted, strict=True))
    ]
    return {"name": row.name, "best": _best(calls, seconds), "first": first, "wrong": wrong}


def _table(info: dict[str, str], rows: list[dict[str, Any]], titles: list[str]) -> str:
    first = [title for title in ("jit", "jax.jit", "torch.compile") if title in titles]
    lines = ["# Transformations", "", *(f"- {key}: {value}" for key, value in info.items()), ""]
    lines += [
        "Best times of warm calls; the first calls of what is recorded, with nothing compiled"
    ]
    lines += ["before, on the right.", ""]
    lines.append("| |" + "".join(f" {t} |" for t in [*titles, *(f"{t}, first" for t in first)]))
    lines.append("|---|" + "---:|" * (len(titles) + len(first)))
    for row in rows:
        cells = [row["best"].get(title) for title in titles]
        cells += [row["first"].get(title) for title in first]
        wrong = f" (WRONG: {', '.join(row['wrong'])})" if row["wrong"] else ""
        lines.append(
            f"| {row['name']}{wrong} |" + "".join(f" {report.duration(c)} |" for c in cells)
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this text")
    parser.add_argument("--seconds", type=float, default=0.5, help="for a library and a row")
    parser.add_argument(
        "--device", default="", help="of Heddle's and PyTorch's; JAX takes its first"
    )
    parser.add_argument("--libraries", default=",".join(MAKERS), help="names, with commas")
    parser.add_argument("--skip", default="", help="columns, with commas")
    parser.add_argument("--machine", help="its name in results; else that of the CPU")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.device:
        heddle.default_device(options.device)
    info = report.environment(options.machine)
    libraries: dict[str, Library] = {}
    for name in options.libraries.split(","):
        try:
            libraries[name] = MAKERS[name](options.device)
        except ImportError as problem:
            print(f"{name}: {problem}")
            continue
        if name != "heddle":
            module = __import__(name)
            info[name] = getattr(module, "__version__", "")
    info["products of float32"] = "full precision in all libraries"
    skipped = set(options.skip.split(","))
    titles = [title for library in libraries.values() for title in library.titles if title]
    titles = [title for title in titles if title not in skipped]
    print(info)
    print(f"{'':46}" + "".join(f"{title:>14}" for title in titles))
    rows = []
    for row in ROWS:
        if options.only not in row.name:
            continue
        found = _measure(row, libraries, options.seconds, skipped)
        rows.append(found)
        cells = "".join(f"{report.duration(found['best'].get(title)):>14}" for title in titles)
        wrong = f"  WRONG: {', '.join(found['wrong'])}" if found["wrong"] else ""
        print(f"{row.name:46}{cells}{wrong}", flush=True)
        both = [found["first"].get(title) for title in ("jit", "jax.jit", "torch.compile")]
        print(
            f"{'  first':46}" + "".join(f"{report.duration(one):>14}" for one in both), flush=True
        )
    if options.save:
        markdown = _table(info, rows, titles)
        data = json.dumps({"environment": info, "rows": rows}, indent=1) + "\n"
        for path in report.write(info, markdown, data, "-transforms"):
            print(f"wrote {path}")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
