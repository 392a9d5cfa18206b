"""How far elementary functions are from the exact results, in units in the last place (ULP).

    .venv/bin/python scripts/accuracy.py [--device cpu,cuda] [--count 100000000] [--only TEXT]
                                         [--save]

All numbers of float16, and `count` patterns of bits of float32 and float64, half of them of any
size, half of them near 1; of functions of two numbers, `count` pairs. Results are compared with
those of accuracy_reference.c, which has more digits and needs a C compiler with libquadmath (or
`--reference`, what it made of the file elsewhere); the worst ones of each function with mpmath's of
200 bits. `--save` writes docs/accuracy.md.
"""

import argparse
import ctypes
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy

import heddle

ROOT = Path(__file__).resolve().parent.parent
TYPES = [numpy.dtype(t) for t in ("f2", "f4", "f8")]
CHUNK = 500_000  # patterns that one core looks at
WORST = 8  # of a chunk, as in accuracy_reference.c
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
# Their results may be small differences.
CANCELLING = ("logaddexp", "logaddexp2")


@dataclass
class Worst:
    """The largest error of a function, and where it is."""

    error: float
    at: tuple[float, ...]


def patterns(dtype: Any, count: int, rng: numpy.random.Generator) -> Any:
    """Some of every size, and as many near 1."""
    bits = numpy.dtype(f"u{dtype.itemsize}")
    limits = numpy.iinfo(bits)
    any_size = rng.integers(0, limits.max, count // 2, bits, endpoint=True).view(dtype)
    scales = numpy.array([1e-3, 1e-2, 1e-1, 1, 10, 100])
    near = rng.standard_normal(count // 2) * scales[rng.integers(0, 6, count // 2)]
    return numpy.concatenate([any_size, near.astype(dtype)])


def cancelling(name: str, dtype: Any, count: int, rng: numpy.random.Generator) -> list[Any]:
    """Two numbers whose exponentials add up to about 1."""
    x = (-rng.random(count) * 3).astype(dtype)
    base = numpy.log(2) if name == "logaddexp2" else 1.0
    exact = numpy.log(-numpy.expm1(numpy.minimum(x.astype(float) * base, -1e-9))) / base
    off = rng.choice([-1, 1], count) * 10.0 ** rng.uniform(-11, 0, count)
    return [x, (exact * (1 + off)).astype(dtype)]


def arguments(name: str, dtype: Any, count: int, seed: int) -> list[Any]:
    if dtype.itemsize == 2 and name in ONE:
        return [numpy.arange(2**16, dtype="u2").view(dtype)]
    rng = numpy.random.default_rng([seed, dtype.itemsize, len(name)])
    if name in CANCELLING:
        few = [patterns(dtype, count // 2, rng) for _ in range(2)]
        many = cancelling(name, dtype, count - few[0].size, rng)
        return [numpy.concatenate(pair) for pair in zip(few, many, strict=True)]
    made = [patterns(dtype, count, rng) for _ in range(1 if name in ONE else 2)]
    if name == "power":  # of negative numbers there are few
        made[0] = abs(made[0])
    return made


def unit(value: Any, dtype: Any) -> Any:
    """What the last bit of numbers of about this size is worth."""
    info = numpy.finfo(dtype)
    lowest = int(numpy.frexp(float(info.tiny))[1])
    return mpmath.ldexp(1, max(int(mpmath.frexp(value)[1]), lowest) - info.nmant - 1)


def exactly(name: str, at: tuple[float, ...]) -> Any:
    function = EXACTLY.get(name) or getattr(mpmath, name)
    return function(*(mpmath.mpf(float(x)) for x in at))


def exact_error(name: str, dtype: Any, at: tuple[float, ...], ours: float) -> float:
    """By mpmath."""
    value = exactly(name, at)
    most = float(numpy.finfo(dtype).max)
    if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value) or abs(value) > most:
        return 0.0
    return float(abs(mpmath.mpf(float(ours)) - value) / unit(value, dtype))


class Reference:
    """The functions of accuracy_reference.c."""

    def __init__(self, made: str | None) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = made or f"{folder}/reference.so"
            if not made:
                source = str(Path(__file__).with_name("accuracy_reference.c"))
                flags = ["-O2", "-shared", "-fPIC", "-o", path, source, "-lquadmath", "-lm"]
                subprocess.run([os.environ.get("CC", "cc"), *flags], check=True)
            self._find = ctypes.CDLL(path).find_worst

    def worst(
        self, name: str, dtype: Any, args: list[Any], results: list[Any]
    ) -> list[list[tuple[float, int]]]:
        """The largest errors of each of the results and where they are; ctypes lets other threads
        run meanwhile."""
        read = [a.astype("f4") if dtype.itemsize == 2 else a for a in [*args, *results]]
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in read]
        x, y = pointers[0], pointers[1] if len(args) == 2 else None
        ours = (ctypes.c_void_p * len(results))(*(p.value for p in pointers[len(args) :]))
        slots = WORST * len(results)
        errors, at = (ctypes.c_double * slots)(), (ctypes.c_int64 * slots)()
        size = ctypes.c_int64(args[0].size)
        encoded = name.encode()
        if self._find(encoded, dtype.itemsize, size, x, y, ours, len(results), errors, at):
            raise ValueError(f"{name}: not in accuracy_reference.c")
        pairs = [(e, i) for e, i in zip(errors, at, strict=True)]
        return [[p for p in pairs[r : r + WORST] if p[1] >= 0] for r in range(0, slots, WORST)]


def measure(
    name: str, dtype: Any, count: int, devices: list[str], reference: Reference, pool: Any
) -> dict[str, Worst]:
    """Of each device."""

    def look(seed: int) -> list[list[tuple[float, tuple[float, ...], float]]]:
        args = arguments(name, dtype, min(CHUNK, count), seed)
        results = [
            getattr(heddle, name)(*(heddle.asarray(a, device=device) for a in args)).get()
            for device in devices
        ]
        worst = reference.worst(name, dtype, args, results)
        return [
            [(e, tuple(float(a[i]) for a in args), float(ours[i])) for e, i in found]
            for ours, found in zip(results, worst, strict=True)
        ]

    chunks = 1 if dtype.itemsize == 2 else max(1, count // CHUNK)
    results = list(pool.map(look, range(chunks)))

    def largest(device: int) -> Iterator[Worst]:
        candidates = [one for found in results for one in found[device]]
        for error, at, ours in sorted(candidates, key=lambda one: -one[0])[:WORST]:
            finite = numpy.isfinite(error)
            yield Worst(exact_error(name, dtype, at, ours) if finite else numpy.inf, at)

    return {
        device: max(largest(i), key=lambda worst: worst.error) for i, device in enumerate(devices)
    }


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
of bits of float32 and float64, half of them of any size and half near 1; of functions of two
numbers as many pairs, of `logaddexp` and `logaddexp2` half of them with results near zero, where
two terms nearly cancel (down to 1e-12; float64 results below 1e-16 have fewer digits, as the terms
are computed to 100 bits). They are compared with results of more digits, the worst ones with
mpmath's of 200 bits. Complex functions are made of these.
"""


def save(results: dict[str, dict[str, dict[str, Worst]]], devices: list[str], count: int) -> None:
    path = ROOT / "docs" / "accuracy.md"
    before = path.read_text() if path.exists() else ""
    own = {f"On {device}" for device in devices}
    parts = [p for p in before.split("\n## ")[1:] if p.splitlines()[0] not in own]
    for device in devices:
        said = f"{platform.machine()}; {count:,} patterns of each type"
        lines = table({name: {t: w[device] for t, w in r.items()} for name, r in results.items()})
        parts.append(f"On {device}\n\n{said}.\n\n" + "\n".join(lines) + "\n")
    path.write_text("\n## ".join([INTRODUCTION, *(p.rstrip("\n") + "\n" for p in sorted(parts))]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="or cuda, or both: cpu,cuda")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="functions whose names have this")
    parser.add_argument("--reference", help="a library made of accuracy_reference.c")
    parser.add_argument("--save", action="store_true", help="to docs/accuracy.md")
    options = parser.parse_args()
    mpmath.mp.prec = 200
    devices = options.device.split(",")
    reference = Reference(options.reference)
    results: dict[str, dict[str, dict[str, Worst]]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in [*ONE, *TWO]:
            if options.only not in name:
                continue
            results[name] = {
                t.name: measure(name, t, options.count, devices, reference, pool) for t in TYPES
            }
            for device in devices:
                worst = [of[device] for of in results[name].values()]
                said = (f"{w.error:10.3f} {w.at}" for w in worst)
                print(f"{name:<12}{device:<6}", *said, flush=True)
    if options.save:
        save(results, devices, options.count)


if __name__ == "__main__":
    main()
