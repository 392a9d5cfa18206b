"""`heddle.scipy` against SciPy, module by module.

    .venv/bin/python benchmarks/scipy_modules.py [--modules ndimage] [--only TEXT] [--sizes 10000]

Rows are in scipy_rows.py and the files it imports. `--device cuda` has our arrays on a GPU;
`--save` keeps the table.
Rows are in scipy_rows.py, scipy_signal_rows.py and scipy_points_rows.py. `--device cuda` has our
arrays on a GPU; `--save` keeps the table.
"""

import argparse
import importlib
import math
from typing import Any

import numpy
import report
import scipy
from measure import Row, compare, settle_allocator
from scipy_row import ScipyRow
from scipy_rows import MODULES

import heddle


def _ours(value: Any) -> Any:
    """An argument of SciPy's as ours: arrays, and sparse ones."""
    if isinstance(value, numpy.ndarray):
        return heddle.asarray(value)
    kind = type(value).__name__
    if type(value).__module__.startswith("scipy.sparse"):
        return getattr(heddle.scipy.sparse, kind)(value)
    return value


def measured(row: ScipyRow, module: str, n: int, seconds: float) -> Row:
    given = row.make(n)
    ours = [_ours(v) for v in given]
    theirs_module = importlib.import_module(f"scipy.{module}")
    our_module = importlib.import_module(f"heddle.scipy.{module}")

    def call() -> Any:
        made = row.call(our_module, *ours)  # what waits computes what is pending, too
        heddle.synchronize()
        return made

    return compare(
        f"{module}: {row.name}, {n:.0e}",
        call,
        lambda: row.call(theirs_module, *given),
        target=1.0,
        seconds=seconds,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modules", default=",".join(MODULES))
    parser.add_argument("--only", default="", help="rows whose names have this text")
    parser.add_argument("--sizes", default="10000,1000000")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row")
    parser.add_argument("--device", default="", help="'cpu' or 'cuda'; else the usual one")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--machine", help="its name in the table")
    options = parser.parse_args()
    if options.device:
        heddle.default_device(options.device)
    settle_allocator()
    print(report.header().replace("NumPy", "SciPy"))
    rows = []
    for module in options.modules.split(","):
        for n in map(int, options.sizes.split(",")):
            for row in MODULES[module]:
                if options.only in row.name:
                    rows.append(measured(row, module, n, options.seconds))
                    print(report.line(rows[-1]), flush=True)
    ratios = [r.speedup for r in rows if r.speedup]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} rows, {mean:.1f}x in geometric mean, {min(ratios):.2f}x at least")
    if options.save:
        info = {**report.environment(options.machine), "SciPy": scipy.__version__}
        title = "`heddle.scipy` against SciPy"
        for path in report.save_rows(title, info, rows, "-scipy", "SciPy"):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
