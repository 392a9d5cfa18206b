"""How far elementary functions are from the exact results, in units in the last place (ULP).

    .venv/bin/python scripts/accuracy.py [--device cuda] [--count 1000000] [--only TEXT] [--save]

All numbers of float16, and `count` patterns of bits of float32 and float64, half of them of any
size, half of them near 1. Results are compared with those of float64 and of x87's 80 bits; the
worst ones of each function with mpmath's of 200 bits, and where the difference of two terms makes
even 80 bits too few, all of them. `--save` writes docs/accuracy.md.
"""

import argparse
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy

import heddle

ROOT = Path(__file__).resolve().parent.parent
TYPES = [numpy.dtype(t) for t in ("f2", "f4", "f8")]
WIDE = {2: numpy.float64, 4: numpy.float64, 8: numpy.longdouble}
ONE = """
    exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh tanh
    arcsinh arccosh arctanh
    """.split()  # noqa: SIM905
TWO = ["hypot", "arctan2", "power", "logaddexp", "logaddexp2"]
EXACTLY: dict[str, Callable[..., Any]] = {
    "exp2": lambda x: mpmath.power(2, x),
    "log2": lambda x: mpmath.log(x, 2),
    "log1p": mpmath.log1p,
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "arctan": mpmath.atan,
    "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh,
    "arctanh": mpmath.atanh,
    "arctan2": mpmath.atan2,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "logaddexp2": lambda x, y: mpmath.log(mpmath.power(2, x) + mpmath.power(2, y), 2),
}
# Of small differences: nothing but mpmath knows them.
CANCELLING = ("logaddexp", "logaddexp2")


@dataclass
class Worst:
    """The largest error of a function, and where it is."""

    error: float
    at: tuple[float, ...]


def patterns(dtype: Any, count: int, seed: int) -> Any:
    """All numbers of float16; of others some of every size, and as many near 1."""
    bits = numpy.dtype(f"u{dtype.itemsize}")
    if dtype.itemsize == 2:
        return numpy.arange(2**16, dtype=bits).view(dtype)
    rng = numpy.random.default_rng(seed)
    limits = numpy.iinfo(bits)
    any_size = rng.integers(0, limits.max, count // 2, bits, endpoint=True).view(dtype)
    near = rng.standard_normal(count // 2) * 10.0 ** rng.integers(-3, 3, count // 2)
    return numpy.concatenate([any_size, near.astype(dtype)])


def arguments(name: str, dtype: Any, count: int) -> list[Any]:
    if name in ONE:
        return [patterns(dtype, count, 0)]
    x, y = (patterns(dtype, count, seed) for seed in (1, 2))
    if dtype.itemsize == 2:
        rng = numpy.random.default_rng(3)
        x, y = (rng.choice(x, count) for _ in range(2))
    if name == "power":  # of negative numbers there are few
        x = abs(x)
    if name in CANCELLING:  # results of every size, many of them near zero
        rng = numpy.random.default_rng(4)
        x = (-rng.random(count) * 3).astype(dtype)
        base = numpy.log(2) if name == "logaddexp2" else 1.0
        exact = numpy.log(-numpy.expm1(numpy.minimum(x.astype(float) * base, -1e-9))) / base
        y = (exact * (1 + rng.standard_normal(count) * 10.0 ** rng.integers(-5, 0, count))).astype(
            dtype
        )
    return [x, y]


def unit(values: Any, dtype: Any) -> Any:
    """What the last bit of numbers of about this size is worth."""
    info = numpy.finfo(dtype)
    _, exponents = numpy.frexp(abs(values))
    lowest = numpy.frexp(numpy.asarray(info.tiny))[1]
    exponents = numpy.maximum(exponents, lowest)
    return numpy.ldexp(numpy.ones((), values.dtype), exponents - info.nmant - 1)


def exactly(name: str, at: tuple[float, ...]) -> Any:
    function = EXACTLY.get(name) or getattr(mpmath, name)
    return function(*(mpmath.mpf(float(x)) for x in at))


def exact_error(name: str, dtype: Any, at: tuple[float, ...], ours: float) -> float:
    """By mpmath."""
    value = exactly(name, at)
    if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
        return 0.0
    size = numpy.asarray(float(value), WIDE[dtype.itemsize])
    if not numpy.isfinite(size) or abs(size) > numpy.finfo(dtype).max:
        return 0.0
    return float(abs(mpmath.mpf(float(ours)) - value) / mpmath.mpf(float(unit(size, dtype))))


def measure(name: str, dtype: Any, count: int) -> Worst:
    if name in CANCELLING:
        count = min(count, 20_000)
    args = arguments(name, dtype, count)
    ours = getattr(heddle, name)(*map(heddle.asarray, args)).get()
    wide = WIDE[dtype.itemsize]
    with numpy.errstate(all="ignore"):
        theirs = getattr(numpy, name)(*(a.astype(wide) for a in args))
        fits = numpy.isfinite(theirs) & (abs(theirs) < numpy.finfo(dtype).max)
        errors = numpy.where(fits, abs(ours.astype(wide) - theirs) / unit(theirs, dtype), 0)
        # What is not finite has to be the same.
        same = (ours.astype(wide) == theirs.astype(dtype)) | (
            numpy.isnan(ours) & numpy.isnan(theirs)
        )
        beyond = ~fits & ~same & ~(abs(theirs) >= numpy.finfo(dtype).max)
        # The C library's functions of two numbers tell signalling nans from others.
        beyond &= ~numpy.logical_or.reduce([numpy.isnan(a) for a in args])
    errors = numpy.where(numpy.isnan(errors) & fits, numpy.inf, errors)
    errors[beyond] = numpy.inf
    checked = slice(None) if name in CANCELLING else numpy.argsort(errors)[-8:]
    worst = Worst(0.0, ())
    for i in numpy.arange(len(errors))[checked]:
        at = tuple(float(a[i]) for a in args)
        error = exact_error(name, dtype, at, ours[i]) if numpy.isfinite(errors[i]) else numpy.inf
        if error >= worst.error:
            worst = Worst(error, at)
    return worst


def table(results: dict[str, dict[str, Worst]]) -> list[str]:
    lines = ["| | float16 | float32 | float64 | worst of float64 at |", "|---|---:|---:|---:|---|"]
    for name, of_types in results.items():
        cells = [f"{of_types[t.name].error:.2f}" for t in TYPES]
        at = ", ".join(f"{x:.17g}" for x in of_types["float64"].at)
        lines.append(f"| `{name}` | " + " | ".join(cells) + f" | {at} |")
    return lines


INTRODUCTION = """# Accuracy

The largest errors of elementary functions that `scripts/accuracy.py` finds, in units in the last
place (ULP): half a unit is a correctly rounded result. All numbers of float16, and many patterns
of bits of float32 and float64, half of them of any size and half near 1 (of `logaddexp` 20,000,
most of whose results are near zero, where two terms nearly cancel). The worst ones are compared
with mpmath's results of 200 bits. Complex functions are made of these.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="cpu or cuda")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="functions whose names have this")
    parser.add_argument("--save", action="store_true", help="to docs/accuracy.md")
    options = parser.parse_args()
    mpmath.mp.prec = 200
    if options.device:
        heddle.default_device(options.device)
    results: dict[str, dict[str, Worst]] = {}
    for name in [*ONE, *TWO]:
        if options.only not in name:
            continue
        results[name] = {t.name: measure(name, t, options.count) for t in TYPES}
        print(
            f"{name:<12}", *(f"{w.error:10.3f} {w.at}" for w in results[name].values()), flush=True
        )
    if options.save:
        device = options.device or "cpu"
        path = ROOT / "docs" / "accuracy.md"
        before = path.read_text() if path.exists() else ""
        parts = [p for p in before.split("\n## ")[1:] if not p.startswith(f"On {device}")]
        patterns_said = f"{platform.machine()}; {options.count:,} patterns of each type"
        own = f"On {device}\n\n{patterns_said}.\n\n" + "\n".join(table(results)) + "\n"
        path.write_text("\n## ".join([INTRODUCTION, *sorted([*parts, own])]))


if __name__ == "__main__":
    main()
