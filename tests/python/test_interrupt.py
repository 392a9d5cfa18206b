"""Ctrl-C: a long evaluation stops soon, nothing is half done, and everything goes on afterwards."""

import os
import signal
import threading
import time

import numpy
import pytest

import heddle

pytestmark = pytest.mark.unrecorded("is about when things are stopped")


class Alarm:
    """Sends SIGINT to this process after a while, from another thread."""

    def __init__(self, seconds):
        self.timer = threading.Timer(seconds, self.send)
        self.sent = None

    def send(self):
        self.sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.timer.join()

    def late(self):
        return time.monotonic() - self.sent


@pytest.fixture(autouse=True)
def python_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt(function, after=0.2, within=2.0):
    """Runs something that takes long; it must end with KeyboardInterrupt, and soon."""
    with pytest.raises(KeyboardInterrupt), Alarm(after) as alarm:
        function()
        time.sleep(after + 1)  # done too early, or the signal was swallowed
    assert alarm.late() < within
    x = heddle.arange(1000.0)
    assert float((x * 2 + 1).sum()) == 1_000_000


def forever(size):
    """An array that takes minutes to compute, in no memory at all."""
    x = heddle.arange(float(numpy.prod(size[1:]))).reshape(1, *size[1:])
    x = x + heddle.arange(float(size[0])).reshape(size[0], *(1,) * (len(size) - 1))
    for _ in range(3):
        x = heddle.sin(x) + 0.25
    return x


@pytest.mark.cores
def test_reduction():
    total = forever((10**6, 10**4)).sum()
    interrupt(lambda: heddle.eval(total))
    assert total.pending


def test_reduction_of_rows():
    rows = forever((10**6, 10**5)).sum(axis=1)
    interrupt(lambda: heddle.eval(rows))
    few = forever((3, 10**8)).max(axis=1)
    interrupt(lambda: heddle.eval(few, few + 1, rows))


def test_kernels_that_run_band_by_band():
    if heddle.default_device() != "cpu":
        pytest.skip("only CPUs run kernels so")
    rows = forever((10**6, 10**4)).sum(axis=1)
    steps = heddle.exp(rows[1:] - rows[:-1]).reshape(-1, 27).sum(axis=1)
    assert "band by band" in heddle.explain(steps)
    interrupt(lambda: heddle.eval(steps))
    assert steps.pending


def test_conversions_stop_too():
    total = forever((10**6, 10**4)).sum()
    for convert in (float, bool, str, lambda t: t.get(), lambda t: t > 0 and 1):
        interrupt(lambda convert=convert: convert(total))


def test_many_kernels():
    def work():
        x = heddle.ones(100_000)
        for _ in range(1_000_000):
            x = heddle.roll(heddle.sin(x) + 1, 1)
        heddle.eval(x)

    interrupt(work)


@pytest.mark.cores
def test_many_kernels_in_one_evaluation():
    parts = [forever((10**4, 4000 + i)).sum() for i in range(100)]
    interrupt(lambda: heddle.eval(*parts))
    assert parts[-1].pending


def test_interrupted_values_are_computed_right_afterwards():
    values = numpy.linspace(0, 1, 4_000_000)
    x = heddle.asarray(values)
    expected = values
    y = x
    for _ in range(4):
        y = heddle.sin(y) + 0.25
        expected = numpy.sin(expected) + 0.25
    wait = forever((10**6, 10**4)).sum()
    interrupt(lambda: heddle.eval(y, wait))
    numpy.testing.assert_allclose(y.get(), expected, rtol=1e-12)


@pytest.mark.parametrize("delay", [0.001, 0.005, 0.02, 0.05, 0.1])
def test_writes_are_whole_or_not_at_all(delay):
    """Operands whose memory is taken over, and targets written in place, are never half changed."""
    x = heddle.zeros(8_000_000)
    view = x[:7_999_999]
    steps = 0
    try:
        with Alarm(delay):
            for _ in range(40):
                view += heddle.cos(heddle.sin(view) * 0) * 1
                heddle.eval(x)
                steps += 1
            time.sleep(1)
    except KeyboardInterrupt:
        pass
    got = x.get()
    assert got[-1] == 0
    assert len(set(got[:-1:1000].tolist())) == 1 and float(view.min()) == float(view.max())
    assert got[0] in (steps, steps + 1)


@pytest.mark.parametrize("delay", [0.001, 0.01, 0.03, 0.06, 0.1])
def test_memory_that_is_taken_over(delay):
    y = heddle.zeros(4_000_000)
    heddle.eval(y)
    done = 0
    try:
        with Alarm(delay):
            for _ in range(60):
                y = heddle.cos(heddle.sin(y) * 0) + y
                done += 1
                heddle.eval(y)
            time.sleep(1)
    except KeyboardInterrupt:
        pass
    got = y.get()
    assert got.min() == got.max() and got[0] in (done, done + 1)


def test_handlers_run_and_may_let_it_go_on():
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    total = (heddle.sin(heddle.arange(200_000_000.0)) * 0 + 1).sum()
    with Alarm(0.02):
        value = float(total)
        time.sleep(0.1)
    assert seen and value == 200_000_000


@pytest.mark.cores
def test_handlers_may_raise_what_they_like():
    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    signal.signal(signal.SIGINT, stop)
    with pytest.raises(Stop), Alarm(0.1):
        heddle.eval(forever((10**6, 10**4)).sum())


@pytest.mark.cores
def test_handlers_that_use_arrays():
    """They may make arrays; evaluating inside of another evaluation is refused, never a crash."""
    other = heddle.ones(10) * 3
    total = forever((10**6, 10**4)).sum()
    outcome = []

    def handler(*_):
        made = other + 1
        try:
            heddle.eval(made, total)
            outcome.append("computed")
        except RuntimeError:
            outcome.append("refused")
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handler)
    with pytest.raises(KeyboardInterrupt), Alarm(0.1):
        heddle.eval(total)
    assert outcome == ["refused"]
    assert float((other + 1).sum()) == 40


def test_only_the_main_thread_stops():
    total = heddle.sin(heddle.arange(200_000_000.0)).sum()
    result = []
    worker = threading.Thread(target=lambda: result.append(float(total)))
    with pytest.raises(KeyboardInterrupt), Alarm(0.05):
        worker.start()
        time.sleep(5)
    worker.join()
    assert abs(result[0]) < 10
