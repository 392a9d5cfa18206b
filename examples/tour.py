"""A tour of Heddle: `make demo`.

Ordinary NumPy code, the kernels it becomes, what it costs beside NumPy, and a picture.
"""

import math
import pathlib
import textwrap
import time
from collections.abc import Callable
from typing import Any

import numpy
from PIL import Image

import heddle as np


def show(title: str) -> None:
    print(f"\n\033[1m{title}\033[0m\n")


def code(text: str) -> None:
    print(textwrap.indent(textwrap.dedent(text).strip(), "    ") + "\n")


def ordinary_code() -> None:
    show("1. NumPy code, with one line changed")
    code("""
        import heddle as np

        a = np.linspace(0, 1, 5)
        y = np.sin(a) * 2 + np.sqrt(np.abs(a))
        y[1:4] += 10
    """)
    a = np.linspace(0, 1, 5)
    y = np.sin(a) * 2 + np.sqrt(np.abs(a))
    y[1:4] += 10
    print("    y       ", y)
    print("    y.mean()", f"{y.mean():.4f}")
    print("    y > 11  ", y > 11)


def kernels() -> None:
    show("2. Nothing ran until it was needed, and then as few kernels as possible")
    code("""
        x = np.asarray(numpy.random.rand(1000, 1000))
        e = np.exp(x - x.max(axis=1, keepdims=True))
        softmax = e / e.sum(axis=1, keepdims=True)
        print(np.explain(softmax))
    """)
    x = np.asarray(numpy.random.default_rng(0).random((1000, 1000)))
    e = np.exp(x - x.max(axis=1, keepdims=True))
    softmax = e / e.sum(axis=1, keepdims=True)
    del e  # nobody needs it but the softmax
    print(textwrap.indent(np.explain(softmax).rstrip(), "    "))
    np.reset_stats()
    softmax.eval()
    stats = np.stats()
    print(f"\n    evaluated: {stats['launched']} kernel run, {stats['compiled']} compiled now,")
    print(f"    {stats['bytes_allocated'] / 1e6:.0f} MB allocated: the result and nothing else")


def black_scholes(np: Any, s: Any, k: Any, t: Any) -> Any:
    """The price of call options, with a logistic approximation of the normal distribution."""
    rate, volatility = 0.05, 0.2
    spread = volatility * np.sqrt(t)
    d1 = (np.log(s / k) + (rate + 0.5 * volatility**2) * t) / spread
    d2 = d1 - spread
    return s / (1 + np.exp(-1.702 * d1)) - k * np.exp(-rate * t) / (1 + np.exp(-1.702 * d2))


def best(function: Callable[[], Any], seconds: float = 0.6) -> float:
    fastest, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        result = function()
        if isinstance(result, np.ndarray):
            result.eval()
        del result
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def times() -> None:
    show("3. Measured here and now")
    # From its first large free on, the C library keeps memory instead of returning it to the
    # system: NumPy at its best, as in a process that has run for a while.
    numpy.ones(4_000_000)
    random = numpy.random.default_rng(0)
    long = [random.random(4_000_000, dtype=numpy.float32) for _ in range(2)]
    options = [random.random(1_000_000, dtype=numpy.float32) + 1 for _ in range(3)]
    rows = random.random((1024, 1024), dtype=numpy.float32)
    work: list[tuple[str, Callable[..., Any], list[Any]]] = [
        ("sin(a)*2 + sqrt(abs(a))", lambda np, a, b: np.sin(a) * 2 + np.sqrt(np.abs(a)), long),
        ("((a - b)**2).sum()", lambda np, a, b: ((a - b) ** 2).sum(), long),
        ("where(a > b, a*2, b*3)", lambda np, a, b: np.where(a > b, a * 2, b * 3), long),
        ("Black-Scholes, 20 operations", black_scholes, options),
        (
            "standardise rows",
            lambda np, x: (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True),
            [rows],
        ),
    ]
    print(f"    {'':<30}{'NumPy':>10}{'Heddle':>10}")
    for name, function, inputs in work:
        ours = [np.asarray(x) for x in inputs]
        theirs = best(lambda f=function, x=inputs: f(numpy, *x))
        mine = best(lambda f=function, x=ours: f(np, *x))
        print(f"    {name:<30}{theirs * 1e3:>7.2f} ms{mine * 1e3:>7.2f} ms{theirs / mine:>7.1f}x")


def ripples(size: int, steps: int) -> Any:
    """Waves on water that meet a wall with two openings: slices, masks and writes in place."""
    height = np.zeros((size, size), dtype=np.float32)
    before = np.zeros_like(height)
    rows = np.arange(size)[:, None]
    columns = np.arange(size)[None, :]

    wall = abs(columns - size // 3) < size // 200 + 2
    openings = abs(abs(rows - size // 2) - size // 9) < size // 50
    open_water = np.where(wall & ~openings, 0, 1).astype(np.float32)
    edge = np.minimum(np.minimum(rows, size - 1 - rows), np.minimum(columns, size - 1 - columns))
    damping = 1 - 0.06 * np.exp(-(edge.astype(np.float32)) / (size / 60))
    keep = (open_water * damping)[1:-1, 1:-1].copy()
    np.eval(keep)

    for step in range(steps):
        inner = height[1:-1, 1:-1]
        around = height[:-2, 1:-1] + height[2:, 1:-1] + height[1:-1, :-2] + height[1:-1, 2:]
        before[1:-1, 1:-1] = (2 * inner - before[1:-1, 1:-1] + 0.25 * (around - 4 * inner)) * keep
        before[:, 1] = math.sin(0.25 * step) * min(1.0, step / 40)
        height, before = before, height
    return height, open_water


def picture(path: pathlib.Path) -> None:
    show("4. A picture: waves through two openings")
    size, steps = 720, 1500
    start = time.perf_counter()
    np.reset_stats()
    height, open_water = ripples(size, steps)
    glow = np.tanh(height * 1.6)
    up, down = np.maximum(glow, 0), np.maximum(-glow, 0)
    light = np.stack([0.06 + 0.9 * up**1.5, 0.13 + 0.55 * up + 0.25 * down, 0.28 + 0.65 * down], -1)
    stone = np.asarray([0.78, 0.73, 0.65], dtype=np.float32)
    image = np.where(open_water[..., None] > 0, np.clip(light, 0, 1), stone)
    pixels = numpy.asarray((image * 255).astype(np.uint8))
    taken = time.perf_counter() - start
    Image.fromarray(pixels).save(path)
    stats = np.stats()
    print(f"    {steps} steps on {size} x {size} points in {taken:.1f} s:")
    print(f"    {stats['launched']} kernels launched, {stats['compiled']} of them compiled")
    print(f"    written to {path}")


def main() -> None:
    print(f"Heddle {np.__version__} beside NumPy {numpy.__version__} on {np.default_device()}")
    ordinary_code()
    kernels()
    times()
    picture(pathlib.Path(__file__).with_name("tour.png"))


if __name__ == "__main__":
    main()
