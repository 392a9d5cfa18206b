"""Random numbers: Heddle's Philox against NumPy's default generator, PCG64.

The numbers differ, so what is compared with NumPy is their mean. Run as a program it measures every
method of Generator on one core by the time of the processor, which a busy machine hardly changes.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy
from measure import Row, compare, evaluate

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
    Draw("poisson(4)", lambda rng, n: rng.poisson(4.0, n)),
    Draw("poisson(100)", lambda rng, n: rng.poisson(100.0, n)),
    Draw("binomial(100, 0.3)", lambda rng, n: rng.binomial(100, 0.3, n)),
    Draw("hypergeometric(200, 300, 100)", lambda rng, n: rng.hypergeometric(200, 300, 100, n)),
    Draw("dirichlet of 3", lambda rng, n: rng.dirichlet([0.5, 2.0, 4.0], n // 3)),
    Draw("permutation", lambda rng, n: rng.permutation(n)),
    Draw("choice of 1000", lambda rng, n: rng.choice(1000, n)),
    Draw("choice of one in ten, once each", lambda rng, n: rng.choice(n, n // 10, replace=False)),
]

_COVARIANCE = [[2.0, 0.6, 0.1], [0.6, 1.0, -0.3], [0.1, -0.3, 0.5]]

# What is left of Generator's methods.
OTHERS = [
    Draw("lognormal", lambda rng, n: rng.lognormal(1.0, 0.5, n)),
    Draw("laplace", lambda rng, n: rng.laplace(0.0, 1.0, n)),
    Draw("logistic", lambda rng, n: rng.logistic(0.0, 1.0, n)),
    Draw("gumbel", lambda rng, n: rng.gumbel(0.0, 1.0, n)),
    Draw("rayleigh", lambda rng, n: rng.rayleigh(1.0, n)),
    Draw("weibull", lambda rng, n: rng.weibull(1.5, n)),
    Draw("pareto", lambda rng, n: rng.pareto(5.5, n)),
    Draw("power", lambda rng, n: rng.power(1.5, n)),
    Draw("triangular", lambda rng, n: rng.triangular(0.0, 1.0, 3.0, n)),
    Draw("wald", lambda rng, n: rng.wald(1.0, 2.0, n)),
    Draw("vonmises", lambda rng, n: rng.vonmises(0.0, 2.0, n)),
    Draw("chisquare(3)", lambda rng, n: rng.chisquare(3.0, n)),
    Draw("f(3, 12)", lambda rng, n: rng.f(3.0, 12.0, n)),
    Draw("standard_t(7)", lambda rng, n: rng.standard_t(7.0, n)),
    Draw("noncentral_chisquare(3, 2)", lambda rng, n: rng.noncentral_chisquare(3.0, 2.0, n)),
    Draw("noncentral_f(3, 12, 2)", lambda rng, n: rng.noncentral_f(3.0, 12.0, 2.0, n)),
    Draw("binomial(10, 0.3)", lambda rng, n: rng.binomial(10, 0.3, n)),
    Draw("negative_binomial(5, 0.3)", lambda rng, n: rng.negative_binomial(5, 0.3, n)),
    Draw("geometric(0.3)", lambda rng, n: rng.geometric(0.3, n)),
    Draw("logseries(0.7)", lambda rng, n: rng.logseries(0.7, n)),
    Draw("zipf(4)", lambda rng, n: rng.zipf(4.0, n)),
    Draw("hypergeometric(20, 30, 5)", lambda rng, n: rng.hypergeometric(20, 30, 5, n)),
    Draw("integers below 100, uint16", lambda rng, n: rng.integers(0, 100, n, numpy.uint16)),
    Draw("integers, bool", lambda rng, n: rng.integers(0, 2, n, bool)),
    Draw("choice of 10, weighted", lambda rng, n: rng.choice(10, n, p=[0.1] * 10)),
    Draw("choice of all, once each", lambda rng, n: rng.choice(n, n, replace=False)),
    Draw("dirichlet of 100 ones", lambda rng, n: rng.dirichlet([1.0] * 100, n // 100)),
    Draw("multinomial of 3", lambda rng, n: rng.multinomial(20, [0.2, 0.5, 0.3], n // 3)),
    Draw(
        "multivariate_hypergeometric of 3",
        lambda rng, n: rng.multivariate_hypergeometric([16, 80, 40], 60, n // 3),
    ),
    Draw(
        "multivariate_normal of 3",
        lambda rng, n: rng.multivariate_normal([1.0, 2.0, 3.0], _COVARIANCE, n // 3),
    ),
    Draw("bytes", lambda rng, n: numpy.frombuffer(rng.bytes(n), numpy.uint8)),
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


def _processor_time(call: Callable[[], Any], seconds: float) -> float:
    evaluate(call())
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.process_time()
        evaluate(call())
        best = min(best, time.process_time() - start)
    return best


def one_core(n: int, only: str, seconds: float) -> None:
    """Print the best times of all methods, for programs that were started on one core."""
    ours, theirs = heddle.random.default_rng(1), numpy.random.default_rng(1)
    print(f"{'nanoseconds a number':36}{'NumPy':>10}{'Heddle':>10}{'faster':>9}")
    for draw in DRAWS + OTHERS:
        if only not in draw.name:
            continue
        made = [draw.run(rng, n) for rng in (ours, theirs)]
        if not same_law(*made):
            raise SystemExit(f"{draw.name}: WRONG")
        count = numpy.asarray(made[1]).size / 1e9
        times = [_processor_time(partial(draw.run, rng, n), seconds) for rng in (theirs, ours)]
        a, b = (t / count for t in times)
        print(f"{draw.name:36}{a:10.2f}{b:10.2f}{a / b:8.2f}x", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this text")
    options = parser.parse_args()
    one_core(options.size, options.only, options.seconds)


if __name__ == "__main__":
    if len(os.sched_getaffinity(0)) > 1:
        raise SystemExit("run it on one core: taskset -c 1 python benchmarks/random_numbers.py")
    main()
