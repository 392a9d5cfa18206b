"""Random numbers: Heddle's Philox against NumPy's default generator, PCG64.

The numbers differ, so what is compared with NumPy is their mean.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy
from measure import Row, compare

import heddle


@dataclass
class Draw:
    """A call of a generator for so many numbers."""

    name: str
    run: Callable[[Any, int], Any]
    target: float | None = None


DRAWS = [
    Draw("random", lambda rng, n: rng.random(n), 3),
    Draw("random, float32", lambda rng, n: rng.random(n, dtype=numpy.float32), 3),
    Draw("standard_normal", lambda rng, n: rng.standard_normal(n), 3),
    Draw("standard_normal, float32", lambda rng, n: rng.standard_normal(n, dtype="f4"), 3),
    Draw("normal(1, 2) ** 2, fused", lambda rng, n: rng.normal(1.0, 2.0, n) ** 2),
    Draw("uniform(-1, 2)", lambda rng, n: rng.uniform(-1.0, 2.0, n)),
    Draw("standard_exponential", lambda rng, n: rng.standard_exponential(n)),
    Draw("integers below 1000", lambda rng, n: rng.integers(1000, size=n)),
    Draw("integers below 1e12", lambda rng, n: rng.integers(10**12, size=n)),
    Draw("integers, uint8", lambda rng, n: rng.integers(0, 256, n, numpy.uint8)),
    Draw("gamma(2.5)", lambda rng, n: rng.gamma(2.5, size=n)),
    Draw("gamma(0.5)", lambda rng, n: rng.gamma(0.5, size=n)),
    Draw("beta(2, 3)", lambda rng, n: rng.beta(2.0, 3.0, n)),
    Draw("standard_t(5)", lambda rng, n: rng.standard_t(5.0, n)),
    Draw("vonmises(0, 2)", lambda rng, n: rng.vonmises(0.0, 2.0, n)),
    Draw("poisson(4)", lambda rng, n: rng.poisson(4.0, n)),
    Draw("poisson(100)", lambda rng, n: rng.poisson(100.0, n)),
    Draw("binomial(100, 0.3)", lambda rng, n: rng.binomial(100, 0.3, n)),
    Draw("hypergeometric(200, 300, 100)", lambda rng, n: rng.hypergeometric(200, 300, 100, n)),
    Draw("dirichlet of 3", lambda rng, n: rng.dirichlet([0.5, 2.0, 4.0], n // 3)),
    Draw("multinomial of 3", lambda rng, n: rng.multinomial(20, [0.2, 0.5, 0.3], n // 3)),
    Draw("permutation", lambda rng, n: rng.permutation(n)),
    Draw("choice of 1000", lambda rng, n: rng.choice(1000, n)),
    Draw("choice of 10, weighted", lambda rng, n: rng.choice(10, n, p=[0.1] * 10)),
    Draw("choice of one in ten, once each", lambda rng, n: rng.choice(n, n // 10, replace=False)),
]


def same_law(got: Any, want: Any) -> bool:
    """Whether two samples have the same type and, up to chance, the same mean."""
    got, want = numpy.asarray(got), numpy.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    chance = float(want.std()) * (2 / want.size) ** 0.5
    return abs(float(got.mean()) - float(want.mean())) < 6 * chance


def measure(sizes: list[int], only: str, seconds: float) -> Iterator[Row]:
    ours, theirs = heddle.random.default_rng(1), numpy.random.default_rng(1)
    for draw in DRAWS:
        for n in sizes:
            name = f"{draw.name}, {n:.0e}".replace("e+0", "e")
            if only in name:
                yield compare(
                    name,
                    lambda draw=draw, n=n: draw.run(ours, n),
                    lambda draw=draw, n=n: draw.run(theirs, n),
                    target=draw.target,
                    seconds=seconds,
                    agree=same_law,
                )
