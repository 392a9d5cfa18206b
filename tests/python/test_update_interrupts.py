"""Writes to parts of arrays that are interrupted: none is lost, and none is done twice."""

import os
import signal
import threading
import time

import numpy
import pytest
from support import assert_exact

import heddle

pytestmark = pytest.mark.waiting


@pytest.fixture
def python_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def endless():
    """A number that takes minutes to compute, in no memory at all."""
    x = heddle.arange(1e4) + heddle.arange(1e6)[:, None]
    for _ in range(3):
        x = heddle.sin(x) + 0.25
    return x.sum()


def interrupted(function, after):
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()  # it may be over before this returns
        function()
        time.sleep(after + 1)
    except KeyboardInterrupt:
        return True
    finally:
        timer.cancel()
        timer.join()
    return False


@pytest.mark.cores
def test_interrupted_updates(python_handler):
    x = heddle.asarray(numpy.arange(100_000.0))
    before = x + 1
    x[10:20] = 5
    written = x.copy()

    def work():
        x[30:40] = endless()
        heddle.eval(x)

    assert interrupted(work, 0.2)
    expected = numpy.arange(100_000.0)
    assert_exact(before, expected + 1)
    expected[10:20] = 5
    assert_exact(written, expected)
    written[10:20] = 6  # in memory that the pending write reads too, which nobody asked for again
    start = time.perf_counter()
    assert float(written[10]) == 6
    assert time.perf_counter() - start < 10
    x[...] = 1  # whatever was pending is not needed any more
    x[:2] = 0
    assert x.get()[:4].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("delay", [0.002, 0.01, 0.03, 0.07, 0.12])
def test_interrupted_loops_of_updates(delay, python_handler):
    """After any number of whole steps, and never in between."""
    n = 500_000
    u = heddle.asarray(numpy.arange(float(n)) % 2)
    other = heddle.zeros(n)
    done = 0

    def work():
        nonlocal done
        for _ in range(60):
            u[1:-1] += heddle.cos((u[2:] - u[:-2]) * 0)
            done += 1
            other[::2] = u[::2]
            if done % 10 == 0:
                heddle.eval(u)

    interrupted(work, delay)
    got = (u.get() - numpy.arange(float(n)) % 2)[1:-1]
    steps = got[0]
    assert (got == steps).all() and steps in (done, done + 1)
    assert u.get()[0] == 0 and u.get()[-1] == (n - 1) % 2
    other = other.get()
    assert (other[1::2] == 0).all()
    assert set((other[2:-1:2]).tolist()) <= {steps - 1, steps}
