"""Threads: what a small operation takes beside a long call, what two threads do, what many cost.

    .venv/bin/python benchmarks/threads.py            all
    .venv/bin/python benchmarks/threads.py --only sort
    .venv/bin/python benchmarks/threads.py --seconds 5

On a machine that does nothing else. Beside each call NumPy's `a * 2` is measured as well: that much
is the interpreter's lock and the cores that the call takes.
"""

import argparse
import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable

# Kernels of the run before would be found on disk; nothing would be compiled.
os.environ.setdefault("HEDDLE_CACHE_DIR", "")

import numpy

import heddle

Call = Callable[[], object]


# --- long calls ---


def compiling() -> Call:
    rng = random.Random(1)
    functions = [heddle.sin, heddle.exp, heddle.tanh, heddle.log1p, heddle.cos, heddle.square]
    pairs = [heddle.add, heddle.multiply, heddle.subtract, heddle.maximum, heddle.arctan2]

    def call() -> None:
        x, y = heddle.ones(64), heddle.arange(64.0)
        for _ in range(12):
            x = rng.choice(pairs)(rng.choice(functions)(x), y)
        heddle.eval(x)

    return call


def sorting() -> Call:
    keys = heddle.asarray(numpy.random.default_rng(0).random(20_000_000)).eval()
    return lambda: heddle.eval(heddle.sort(keys))


def multiplying() -> Call:
    matrix = heddle.asarray(numpy.random.default_rng(0).random((3000, 3000))).eval()
    return lambda: heddle.eval(matrix @ matrix)


def kernel() -> Call:
    def call() -> None:
        x = heddle.arange(200_000_000.0)
        for _ in range(4):
            x = heddle.sin(x) + 0.25
        heddle.eval(x.sum())

    return call


def inverting() -> Call:
    matrix = heddle.asarray(numpy.random.default_rng(0).random((2000, 2000))).eval()
    return lambda: heddle.eval(heddle.linalg.inv(matrix))


def transforming() -> Call:
    signal = heddle.asarray(numpy.random.default_rng(0).random(8_000_000)).eval()
    return lambda: heddle.eval(heddle.fft.fft(signal))


LONG = {
    "alone": lambda: lambda: time.sleep(0.05),
    "compile": compiling,
    "sort 2e7": sorting,
    "matmul 3000": multiplying,
    "two-second kernel": kernel,
    "inv 2000": inverting,
    "fft 8e6": transforming,
}


# --- small operations beside them ---


def samples(operations: dict[str, Call], seconds: float) -> dict[str, list[float]]:
    """Times of operations that take turns, with a pause before each: what comes right after another
    would not meet what stops that one."""
    pause = 0.0003
    late = "woken late after a sleep"
    times: dict[str, list[float]] = {name: [] for name in [*operations, late]}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, operation in operations.items():
            start = time.perf_counter()
            time.sleep(pause)
            woken = time.perf_counter()
            operation()
            times[name].append(time.perf_counter() - woken)
            times[late].append(woken - start - pause)
    return times


def beside(busy: Call, operations: dict[str, Call], seconds: float) -> tuple[dict, list[float]]:
    stop = threading.Event()
    took: list[float] = []

    def work() -> None:
        while not stop.is_set():
            start = time.perf_counter()
            busy()
            took.append(time.perf_counter() - start)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.02)
    try:
        return samples(operations, seconds), took
    finally:
        stop.set()
        thread.join()


def latencies(only: str, seconds: float) -> None:
    operations: dict[str, Call] = {}
    for n in (10, 1000):
        a, b = heddle.arange(float(n)).eval(), numpy.arange(float(n))
        operations[f"a*2 of {n}"] = lambda a=a: heddle.eval(a * 2)
        operations[f"a*2 of {n}, recorded"] = lambda a=a: a * 2
        operations[f"numpy, {n}"] = lambda b=b: b * 2
    for operation in operations.values():
        operation()
    print(f"{'beside':<20} {'operation':<24} {'p50 us':>10} {'p99 us':>10} {'max us':>12} {'n':>6}")
    for name, make in LONG.items():
        if only and only not in name:
            continue
        busy = make()
        busy()
        times, took = beside(busy, operations, seconds)
        for operation, each in times.items():
            p50, p99 = numpy.percentile(each, [50, 99]) * 1e6
            print(
                f"{name:<20} {operation:<24} {p50:>10.1f} {p99:>10.1f} {max(each) * 1e6:>12.1f}"
                f" {len(each):>6}"
            )
        if name != "alone":
            print(f"{'':<20} one call of the other thread: {statistics.median(took):.3f} s")


# --- throughput ---


def chain(np, a) -> None:
    result = (np.absolute(a * 2 + 1) - a) * 0.5
    if np is heddle:
        heddle.eval(result)


def chains_in_a_second(np, count: int, seconds: float) -> float:
    done = [0] * count
    stop = threading.Event()
    barrier = threading.Barrier(count + 1)

    def work(i: int) -> None:
        a = np.arange(1000.0)
        for _ in range(100):
            chain(np, a)
        barrier.wait()
        while not stop.is_set():
            for _ in range(10):
                chain(np, a)
            done[i] += 10

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    barrier.wait()
    start = time.perf_counter()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - start)


def throughput(seconds: float) -> None:
    # Without the interpreter's lock two threads can do more than one; with it only C++ shows it
    # (build/heddle_tests --gtest_filter=Threads.Throughput*).
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(
        f"\nchains of five operations on 1000 elements, {'with' if locked else 'without'} the GIL"
    )
    for np in (heddle, numpy):
        rates = [
            max(chains_in_a_second(np, count, seconds / 4) for _ in range(3)) for count in (1, 2)
        ]
        print(
            f"  {np.__name__:<8} one thread {rates[0]:>9.0f}/s   two {rates[1]:>9.0f}/s"
            f"   {rates[1] / rates[0]:.2f}x"
        )


def many_threads() -> None:
    print("\n64 threads that start, do 100 operations on 100 elements each, and end")
    for np in (heddle, numpy):

        def work(np=np) -> None:
            a = np.arange(100.0)
            for _ in range(100):
                b = a * 2
                if np is heddle:
                    heddle.eval(b)

        work()
        times = []
        for _ in range(9):
            threads = [threading.Thread(target=work) for _ in range(64)]
            start = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            times.append(time.perf_counter() - start)
        print(
            f"  {np.__name__:<8} best {min(times) * 1e3:.1f} ms, "
            f"median {statistics.median(times) * 1e3:.1f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="long calls whose name contains this")
    parser.add_argument("--seconds", type=float, default=3.0, help="beside each long call")
    arguments = parser.parse_args()
    latencies(arguments.only, arguments.seconds)
    if not arguments.only:
        throughput(arguments.seconds)
        many_threads()


if __name__ == "__main__":
    main()
