"""Special functions of a million elements against SciPy, in single and double precision.

    .venv/bin/python benchmarks/special.py [--only erf] [--size 1000000]

The last column is the time to compile a function's kernel, which is not in the cache on disk.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("HEDDLE_CACHE_DIR", "")

import numpy
import scipy.special

import heddle

# Ranges of the operands.
CALLS: dict[str, list[tuple[float, float]]] = {
    **{name: [(-3, 3)] for name in ("erf", "erfc", "erfcx", "ndtr", "log_ndtr", "expit")},
    **{name: [(0.1, 10)] for name in ("gamma", "gammaln", "digamma", "j0", "k0", "y0", "entr")},
    **{name: [(-10, 10)] for name in ("log_expit", "i0", "i0e", "i1", "dawsn", "exprel")},
    **{name: [(0.01, 0.99)] for name in ("erfinv", "ndtri", "logit", "ellipk", "ellipe")},
    **{name: [(0, 2), (0.1, 3)] for name in ("xlogy", "rel_entr", "kl_div", "huber", "betaln")},
    "beta": [(0.5, 3), (0.5, 3)],
    "gammainc": [(0.5, 5), (0, 8)],
    "betainc": [(0.5, 5), (0.5, 5), (0, 1)],
    "jv": [(0, 3), (0, 20)],
    "iv": [(0, 3), (0, 20)],
    "airy": [(-5, 5)],
    "hyp2f1": [(0.5, 2), (0.5, 2), (1, 3), (-0.9, 0.9)],
    "stdtr": [(1, 10), (-3, 3)],
    "zeta": [(1.1, 10)],
    "softmax": [(-3, 3)],
    "logsumexp": [(-3, 3)],
}


def best(call: Callable[[], Any], seconds: float = 0.5) -> float:
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
    return least


def measure(name: str, dtype: str, size: int) -> tuple[float, float, float]:
    """Milliseconds of SciPy, ours, and of the first call."""
    rng = numpy.random.default_rng(0)
    theirs = [rng.uniform(low, high, size).astype(dtype) for low, high in CALLS[name]]
    ours = [heddle.asarray(a) for a in theirs]

    def run() -> None:
        made = getattr(heddle.special, name)(*ours)
        heddle.eval(*made) if isinstance(made, tuple) else made.eval()

    start = time.perf_counter()
    run()
    first = time.perf_counter() - start
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scipys = best(lambda: getattr(scipy.special, name)(*theirs))
    mine = best(run)
    return scipys * 1e3, mine * 1e3, (first - mine) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--size", type=int, default=1_000_000)
    options = parser.parse_args()
    print("| function | type | SciPy, ms | Heddle, ms | times | to compile, ms |")
    print("|---|---|---|---|---|---|")
    for name in CALLS:
        if options.only not in name:
            continue
        for dtype in ("f4", "f8"):
            scipys, mine, compiling = measure(name, dtype, options.size)
            print(
                f"| `{name}` | {dtype} | {scipys:.2f} | {mine:.2f} | {scipys / mine:.1f} "
                f"| {compiling:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
