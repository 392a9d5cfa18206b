"""`heddle.scipy` against SciPy, module by module.

    .venv/bin/python benchmarks/scipy_modules.py [--modules ndimage] [--only TEXT] [--sizes 10000]

Rows are in scipy_rows.py. `--device cuda` has our arrays on a GPU; `--save` keeps the table.
"""

import argparse
import importlib
import math
from pathlib import Path
from typing import Any

import numpy
import report
import scipy
from measure import Row, compare, settle_allocator
from scipy_rows import MODULES, ScipyRow

import heddle


def measured(row: ScipyRow, module: str, n: int, seconds: float) -> Row:
    given = row.make(n)
    ours = [heddle.asarray(v) if isinstance(v, numpy.ndarray) else v for v in given]
    theirs_module = importlib.import_module(f"scipy.{module}")
    our_module = getattr(heddle.scipy, module)

    def call() -> Any:
        made = row.call(our_module, *ours)
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
        save(rows)


def save(rows: list[Row]) -> None:
    place = Path(__file__).parent / "results" / "scipy.md"
    lines = [
        "# `heddle.scipy` against SciPy",
        "",
        f"SciPy {scipy.__version__}, {report.cpu()}. Made by `benchmarks/scipy_modules.py --save`.",
        "",
        "| | SciPy | Heddle | faster |",
        "|---|---:|---:|---:|",
    ]
    for row in rows:
        times = f"{report.duration(row.numpy)} | {report.duration(row.heddle)}"
        lines.append(f"| {row.name} | {times} | {report.ratio(row.speedup)} {row.verdict} |")
    place.write_text("\n".join([*lines, ""]))
    print(f"wrote {place}")


if __name__ == "__main__":
    main()
