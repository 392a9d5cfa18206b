"""Small operations in one thread while another is in a long call: nobody waits for it.

Bounds are generous, speed is for benchmarks/threads.py: they tell waiting for the other call, which
takes a second or more, from sharing the cores with it.
"""

import random
import threading
import time

import numpy
import pytest

import heddle

pytestmark = [
    pytest.mark.unrecorded("is about other threads"),
    pytest.mark.cores,
]


ANY = random.Random()  # other kernels in every run: none is in a cache


def compile_new():
    """A kernel that nobody has compiled before."""
    x, y = heddle.ones(64), heddle.arange(64.0)
    functions = [heddle.sin, heddle.exp, heddle.tanh, heddle.log1p, heddle.cos, heddle.square]
    pairs = [heddle.add, heddle.multiply, heddle.subtract, heddle.maximum, heddle.arctan2]
    for _ in range(12):
        x = ANY.choice(pairs)(ANY.choice(functions)(x), y)
    heddle.eval(x.reshape(8, 8).sum(axis=ANY.randrange(2)))


class Calls:
    """Each takes a second or two, but for the many short ones of the compiler."""

    def __init__(self):
        rng = numpy.random.default_rng(0)
        self.keys = heddle.asarray(rng.random(20_000_000)).eval()
        self.matrix = heddle.asarray(rng.random((3000, 3000))).eval()

    compile = staticmethod(compile_new)

    def sort(self):
        heddle.eval(heddle.sort(self.keys))

    def multiply(self):
        heddle.eval(self.matrix @ self.matrix)

    def kernel(self):
        x = heddle.arange(150_000_000.0)
        for _ in range(4):
            x = heddle.sin(x) + 0.25
        heddle.eval(x.sum())

    def factorise(self):
        heddle.eval(heddle.linalg.inv(self.matrix[:1500, :1500]))

    def transform(self):
        heddle.eval(heddle.fft.fft(self.keys[:8_000_000]))

    def write(self):
        """A partial write that takes long."""
        x = heddle.zeros(10)
        total = heddle.sin(heddle.sin(heddle.sin(heddle.arange(150_000_000.0)))).sum()
        x[3:5] = total
        heddle.eval(x)


@pytest.fixture(scope="module")
def calls():
    return Calls()


def waits(busy, operation, seconds=1.5, most=400):
    """Seconds that an operation takes, again and again, while another thread is busy."""
    stop, started, done = threading.Event(), threading.Event(), []

    def work():
        started.set()
        while not stop.is_set():
            start = time.perf_counter()
            busy()
            done.append(time.perf_counter() - start)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    time.sleep(0.05)
    times = []
    end = time.perf_counter() + seconds
    try:
        while len(times) < most and time.perf_counter() < end:
            start = time.perf_counter()
            operation()
            times.append(time.perf_counter() - start)
            time.sleep(0.001)
    finally:
        stop.set()
        thread.join()
    return numpy.array(times), max(done)


def report(name, times, longest):
    p50, p99 = numpy.percentile(times, [50, 99])
    print(
        f"{name}: p50 {p50 * 1e3:.3f} ms, p99 {p99 * 1e3:.3f} ms, most {times.max() * 1e3:.3f} ms"
        f" of {len(times)}; the other call takes {longest:.2f} s"
    )
    return p50, p99


OPERATIONS = {
    "record": lambda a, b: a * 2,
    "evaluate": lambda a, b: heddle.eval(a * 2),
    "look": lambda a, b: float((a + 1)[3]),
    "write": lambda a, b: heddle.eval(b.__setitem__(slice(1, 5), a[:4]) or b),
    "drop": lambda a, b: heddle.sin(a * 2).shape,
}


BESIDE = [
    *((call, operation) for call in ("multiply", "kernel") for operation in OPERATIONS),
    *((call, "evaluate") for call in ("sort", "factorise", "transform", "write")),
]


@pytest.mark.parametrize("call, operation", BESIDE)
def test_nobody_waits_for_a_long_call(call, operation, calls):
    a, b = heddle.arange(1000.0).eval(), heddle.zeros(1000).eval()
    OPERATIONS[operation](a, b)
    times, longest = waits(getattr(calls, call), lambda: OPERATIONS[operation](a, b))
    p50, p99 = report(f"{operation} beside {call}", times, longest)
    # A busy machine may take the cores away for a moment; half of the other call it may not.
    assert p50 < 0.02 and p99 < min(0.2, longest / 2)


# Compiling one kernel takes tens of milliseconds. Whoever waits for it, in the operation or for the
# interpreter's lock after a sleep, comes round a few dozen times in a second and a half; others
# several hundred times.
OFTEN = 150


@pytest.mark.parametrize("operation", ["record", "evaluate"])
def test_nobody_waits_for_the_compiler(operation, calls):
    a, b = heddle.arange(1000.0).eval(), heddle.zeros(1000).eval()
    OPERATIONS[operation](a, b)
    before = heddle.stats()["compiled"]
    times, longest = waits(calls.compile, lambda: OPERATIONS[operation](a, b))
    report(f"{operation} beside the compiler", times, longest)
    assert heddle.stats()["compiled"] > before + 3
    assert len(times) > OFTEN


def test_python_goes_on_while_kernels_compile(calls):
    """The interpreter's lock is not held: a thread that sleeps wakes in time."""
    times, longest = waits(calls.compile, lambda: time.sleep(0.001))
    report("a millisecond of sleep beside the compiler", times, longest)
    assert len(times) > OFTEN


def test_whoever_needs_the_result_waits_for_it(calls):
    """Others that need a value being computed wait for that; the rest goes on."""
    total = heddle.sin(heddle.sin(heddle.arange(150_000_000.0))).sum()
    later = total + 1
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(float(total))),
        threading.Thread(target=lambda: seen.append(float(later) - 1)),
    ]
    for thread in threads:
        thread.start()
    a = heddle.arange(1000.0).eval()
    times = []
    while any(thread.is_alive() for thread in threads):
        start = time.perf_counter()
        assert float((a * 2)[3]) == 6
        times.append(time.perf_counter() - start)
        time.sleep(0.001)
    for thread in threads:
        thread.join()
    report("evaluate beside two that wait", numpy.array(times), sum(times))
    assert len(times) > 10
    assert seen[0] == pytest.approx(seen[1], rel=1e-12, abs=1e-9)
