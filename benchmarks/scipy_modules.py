"""`heddle.scipy` against SciPy, or against CuPy on a GPU, module by module.

    .venv/bin/python benchmarks/scipy_modules.py [--modules ndimage] [--only TEXT] [--sizes 10000]
    python benchmarks/scipy_modules.py --device cuda --peer cupy --sizes 1000000

Rows are in scipy_rows.py and the files it imports. `--device cuda` has our arrays on a GPU;
`--peer cupy` measures beside `cupyx.scipy`, both waiting for the GPU in every call; a row that
either of them cannot do says why. `--limit` ends it after so many seconds; `--save` keeps all.
"""

import argparse
import importlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import report
from measure import Row, compare, settle_allocator
from scipy_row import ScipyRow
from scipy_rows import MODULES

import heddle


def _is_sparse(value: Any) -> bool:
    return type(value).__module__.startswith("scipy.sparse")


def _ours(value: Any) -> Any:
    """An argument of SciPy's as ours: arrays, and sparse ones."""
    if isinstance(value, numpy.ndarray):
        return heddle.asarray(value)
    if _is_sparse(value):
        return getattr(heddle.scipy.sparse, type(value).__name__)(value)
    return value


@dataclass
class Peer:
    """Whom we are compared with."""

    name: str
    version: str
    modules: str
    put: Callable[[Any], Any]
    wait: Callable[[], Any]
    back: Callable[[Any], Any]  # a result as NumPy's


def _scipy() -> Peer:
    import scipy

    return Peer("SciPy", scipy.__version__, "scipy", lambda x: x, lambda: None, lambda x: x)


def _cupy() -> Peer:
    cupy = importlib.import_module("cupy")
    sparse = importlib.import_module("cupyx.scipy.sparse")

    def put(value: Any) -> Any:
        if isinstance(value, numpy.ndarray):
            return cupy.asarray(value)
        if _is_sparse(value):
            return getattr(sparse, f"{value.format}_matrix")(value)
        return value

    def back(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(map(back, value))
        return cupy.asnumpy(value)

    wait = cupy.cuda.Device().synchronize
    return Peer("CuPy", cupy.__version__, "cupyx.scipy", put, wait, back)


PEERS = {"scipy": _scipy, "cupy": _cupy}


def measured(row: ScipyRow, module: str, n: int, seconds: float, peer: Peer) -> Row:
    name = f"{module}: {row.name}, {n:.0e}"
    try:
        given = row.make(n)
        ours = [_ours(v) for v in given]
        theirs = [peer.put(v) for v in given]
        their_module = importlib.import_module(f"{peer.modules}.{module}")
        our_module = importlib.import_module(f"heddle.scipy.{module}")
    except Exception as error:  # one row that cannot be made leaves the others
        return Row(name, error=f"{type(error).__name__}: {error}"[:80])

    def call() -> Any:
        made = row.call(our_module, *ours)  # what waits computes what is pending, too
        heddle.synchronize()
        return made

    def their_call() -> Any:
        made = row.call(their_module, *theirs)
        peer.wait()
        return made

    if peer.name == "SciPy":
        return compare(name, call, their_call, target=1.0, seconds=seconds)
    differs = []

    def same(got: Any, want: Any) -> bool:
        from measure import agrees

        if not agrees(_on_host(got), peer.back(want)):
            differs.append(True)
        return True

    made = compare(name, call, their_call, target=1.0, seconds=seconds, agree=same)
    if differs and not made.error:
        made.error = f"differs from {peer.name}'s"
    return made


def _on_host(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(_on_host, value))
    return heddle.asnumpy(value) if isinstance(value, heddle.ndarray) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modules", default=",".join(MODULES))
    parser.add_argument("--only", default="", help="rows whose names have this text")
    parser.add_argument("--sizes", default="10000,1000000")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds in all")
    parser.add_argument("--device", default="", help="'cpu' or 'cuda'; else the usual one")
    parser.add_argument("--peer", default="scipy", choices=PEERS)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--machine", help="its name in the table")
    options = parser.parse_args()
    if options.device:
        heddle.default_device(options.device)
    peer = PEERS[options.peer]()
    settle_allocator()
    print(report.header().replace("NumPy", peer.name))
    rows, left = [], 0
    end = time.perf_counter() + options.limit
    for n in map(int, options.sizes.split(",")):
        for module in options.modules.split(","):
            for row in MODULES[module]:
                if options.only not in row.name:
                    continue
                if time.perf_counter() > end:
                    left += 1
                    continue
                rows.append(measured(row, module, n, options.seconds, peer))
                print(report.line(rows[-1]), flush=True)
    ratios = [r.speedup for r in rows if r.speedup]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        ahead = sum(r >= 1 for r in ratios)
        print(
            f"{len(ratios)} rows, {ahead} ahead of {peer.name}, {mean:.1f}x in geometric mean, "
            f"{min(ratios):.2f}x at least"
        )
    if left:
        print(f"{left} rows were not run within {options.limit:.0f} seconds")
    if options.save:
        info = {**report.environment(options.machine), peer.name: peer.version}
        title = f"`heddle.scipy` against {peer.name}"
        kind = "-scipy" if options.peer == "scipy" else f"-scipy-{options.peer}"
        for path in report.save_rows(title, info, rows, kind, peer.name):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
