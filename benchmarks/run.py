"""Measures Heddle against NumPy: `make bench`, or `make bench BENCH_ARGS="--quick"`.

Every result is compared with NumPy's first; one that differs says WRONG. Both libraries are timed
in turns in one process, and the best time of each counts.
"""

import argparse
import statistics
import sys
from typing import Any

import latency
import numpy
import peers
import random_numbers
import report
import ufuncs
from measure import Row, compare, settle_allocator
from sorting import SORTING
from workloads import FURTHER, TABLE, Workload

import heddle


def run_workloads(work: list[Workload], options: argparse.Namespace, others: Any) -> list[Row]:
    rows = []
    seconds = options.seconds or (0.2 if options.quick else 2.0)
    for workload in work:
        if options.only not in workload.name:
            continue
        args = workload.inputs(8 if options.quick else 1)
        # Each library has inputs of its own: some workloads write into them.
        mine = tuple(heddle.asarray(a) for a in args)
        theirs = tuple(a.copy() for a in args)
        row = compare(
            workload.name,
            lambda w=workload, x=mine: w.run(heddle, *x),
            lambda w=workload, x=theirs: w.run(numpy, *x),
            target=workload.target,
            seconds=seconds,
        )
        row.peers = peers.measure(others, workload, args, seconds)
        rows.append(row)
        print(report.line(row), flush=True)
    return rows


def run_latency(options: argparse.Namespace) -> dict[str, str]:
    times = latency.compile_times(20 if options.quick else 80)
    first = latency.first_operation()
    beyond = latency.import_time(3 if options.quick else 15)
    found = {
        "compiling a kernel never seen before, median": f"{statistics.median(times) * 1e3:.1f} ms",
        "the same, slowest (target: 25 ms)": f"{max(times) * 1e3:.1f} ms",
        "first a + b of a process": f"{first['seconds'] * 1e3:.2f} ms, "
        f"{first['compiled']:.0f} compiled, {first['pack_hits']:.0f} from the pack",
        "import heddle beyond numpy (target: 60 ms)": f"{beyond['median'] * 1e3:.0f} ms, "
        f"best {beyond['best'] * 1e3:.0f} ms, {beyond['processor'] * 1e3:.0f} ms of processor time",
        "asarray of 64 MB": f"{latency.copy_rate(heddle) / 1e9:.1f} GB/s",
    }
    for name, text in found.items():
        print(f"{name:<48} {text}", flush=True)
    return found


def run_ufuncs(options: argparse.Namespace) -> list[Row]:
    rows = []
    size = options.size or (200_000 if options.quick else 4_000_000)
    for row in ufuncs.measure(size, options.only, 0.05 if options.quick else 0.3):
        rows.append(row)
        slow = row.speedup is not None and row.speedup < 0.95
        if slow or row.wrong or row.error or options.verbose:
            print(report.line(row), flush=True)
    for text in report.summary(rows, report.UFUNCS):
        print(text)
    return rows


def run_random(options: argparse.Namespace) -> list[Row]:
    rows = []
    sizes = [100_000] if options.quick else [1_000_000, 10_000_000]
    for row in random_numbers.measure(sizes, options.only, options.seconds or 0.3):
        rows.append(row)
        print(report.line(row), flush=True)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller, shorter, rougher")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this text")
    parser.add_argument(
        "--parts", default="table,further,sorting,random,latency,ufuncs", help="which tables"
    )
    parser.add_argument("--seconds", type=float, help="time for each row of the first tables")
    parser.add_argument("--size", type=int, help="elements for the single ufuncs")
    parser.add_argument("--peers", default="", metavar="NAMES", help="jax,torch: if installed")
    parser.add_argument("--verbose", action="store_true", help="also ufuncs faster than NumPy")
    parser.add_argument("--json", action="store_true", help="print the results as JSON at the end")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/")
    parser.add_argument("--machine", help="what to call this machine in saved results")
    options = parser.parse_args()
    parts = options.parts.split(",")

    results: dict[str, Any] = {"environment": report.environment(options.machine)}
    others = peers.available(options.peers)
    settle_allocator()
    if options.quick:
        print("quick: arrays are an eighth of what the names say, and times are rough")
    for part, work in (("table", TABLE), ("further", FURTHER), ("sorting", SORTING)):
        if part in parts:
            print(f"\n{report.header()}")
            results[part] = run_workloads(work, options, others)
    if "random" in parts:
        print(f"\n{report.header()}")
        results["random"] = run_random(options)
    if "latency" in parts and not options.only:
        print()
        results["latency"] = run_latency(options)
    if "ufuncs" in parts:
        print("\nsingle ufuncs slower than NumPy")
        print(report.header())
        results["ufuncs"] = run_ufuncs(options)
    if options.save:
        for path in report.save(results):
            print(f"wrote {path}")
    if options.json:
        print(report.as_json(results))
    rows = [row for value in results.values() if isinstance(value, list) for row in value]
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
