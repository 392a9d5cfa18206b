"""Sorting, searching and counting wait: they run with the work around them, or not at all."""

import signal
import threading
import time

import numpy
import pytest
from support import host

import heddle

pytestmark = pytest.mark.waiting

SIZE = 1000


def arrays():
    rng = numpy.random.default_rng(1)
    return heddle.asarray(rng.standard_normal(SIZE)), heddle.asarray(rng.integers(0, 50, SIZE))


STEPS = {
    "sort": lambda x, k: heddle.sort(x),
    "argsort": lambda x, k: heddle.argsort(x),
    "partition": lambda x, k: heddle.partition(x, 10),
    "argpartition": lambda x, k: heddle.argpartition(x, 10),
    "select": lambda x, k: heddle._core.order_statistics(x, [10, 20]),
    "searchsorted": lambda x, k: heddle.searchsorted(k, k + 1),
    "bincount": lambda x, k: heddle.bincount(k, minlength=60),
}


def launches(function):
    """How many kernels it takes to evaluate what the function gives, when all are compiled."""
    for _ in range(2):
        made = function()
        before = heddle.stats()["launched"]
        made.eval()
    return heddle.stats()["launched"] - before


@pytest.mark.parametrize("step", STEPS)
def test_pending_until_somebody_looks(step):
    made = STEPS[step](*arrays())
    assert made.pending
    assert f": {step}\n" in heddle.explain(made)
    before = host(made).copy()
    assert not made.pending
    again = STEPS[step](*arrays())
    del made
    numpy.testing.assert_array_equal(host(again), before)


@pytest.mark.parametrize("step", STEPS)
def test_what_nobody_wants_does_not_run(step):
    x, k = arrays()
    heddle.eval(x, k)
    heddle.eval(STEPS[step](x, k))
    before = heddle.stats()["launched"]
    made = STEPS[step](x, k)
    at_call = heddle.stats()["launched"]
    del made
    heddle.eval(x + 1)
    assert heddle.stats()["launched"] == at_call + 1
    # The length of counts is looked for, and ranks are put in memory.
    assert at_call - before <= (1 if step in ("bincount", "select") else 0)


def test_fuses_with_the_work_around():
    x, _ = arrays()
    alone = launches(lambda: heddle.sort(x))
    on_cpu = heddle.default_device() == "cpu"  # which sorts elements as they are
    assert alone == (0 if on_cpu else 2)  # keys, and elements again
    # Elements and their bits share memory: work before and after is a kernel each, however much.
    assert launches(lambda: heddle.sort(heddle.sin(x) * 2 + 1)) == alone + 1
    assert launches(lambda: heddle.sort(x) * 2 + 1) == alone + 1
    assert launches(lambda: (heddle.sort(x) * 2 + 1).sum()) == alone + 1
    keys = 0 if on_cpu else 1
    assert launches(lambda: heddle.argsort(x)) == keys
    assert launches(lambda: (heddle.argsort(x)[::2] + 1) * 2) == keys + 1


def test_all_in_one_evaluation():
    x, k = arrays()
    ordered = heddle.sort(x)
    places = heddle.searchsorted(ordered, x)
    total = heddle._core.take_in_rows(ordered, places).sum() + heddle.argsort(k).sum()
    assert ordered.pending and places.pending and total.pending
    expected = numpy.sort(host(x))
    assert numpy.isclose(float(total), expected.sum() + SIZE * (SIZE - 1) / 2)
    numpy.testing.assert_array_equal(host(ordered), expected)


def test_operands_are_left_alone():
    """A step works in the memory of keys that nobody else holds, and in no other."""
    for dtype in ("u1", "u4", "i8", "f4", "?"):
        values = numpy.random.default_rng(2).integers(0, 2 if dtype == "?" else 100, 500)
        x = heddle.asarray(values.astype(dtype))
        both = heddle.sort(x), heddle.sort(x), heddle.argsort(x), heddle.partition(x, 5)
        x += numpy.ones((), dtype)
        heddle.eval(*both, x)
        kept = values.astype(dtype)
        for ours in both[:2]:
            numpy.testing.assert_array_equal(host(ours), numpy.sort(kept))
        numpy.testing.assert_array_equal(host(both[2]), numpy.argsort(kept, kind="stable"))
        assert host(both[3])[5] == numpy.sort(kept)[5]
        numpy.testing.assert_array_equal(host(x), kept + numpy.ones((), dtype))


def test_writes_after_the_call():
    x, _ = arrays()
    before = host(x).copy()
    ordered, places = heddle.sort(x), heddle.searchsorted(heddle.sort(x), x[:5])
    x[:] = 0
    x[3] = 7
    numpy.testing.assert_array_equal(host(ordered), numpy.sort(before))
    expected = numpy.searchsorted(numpy.sort(before), before[:5])
    numpy.testing.assert_array_equal(host(places), expected)


@pytest.mark.host_memory
def test_memory_of_others_is_read_at_once():
    a = numpy.arange(20.0)
    x = heddle.asarray(a, copy=False)
    k = numpy.arange(5)
    bins = heddle.asarray(k, copy=False)
    ordered, places = heddle.sort(x), heddle.searchsorted(x, x[:3])
    counted = heddle._core.count_bins(bins, 5)
    a[:] = 1
    k[:] = 0
    assert list(ordered) == list(range(20)) and list(places) == [0, 1, 2]
    assert list(counted) == [1] * 5


def test_selected_elements_of_pending_work():
    x, _ = arrays()
    values = host(x)
    picked = heddle.sort(x)[heddle.sort(x) > 0]
    numpy.testing.assert_array_equal(host(picked), numpy.sort(values)[numpy.sort(values) > 0])
    y = heddle.asarray(values)
    numpy.testing.assert_array_equal(
        host(heddle.flatnonzero(heddle.sin(y) > 0)), numpy.flatnonzero(numpy.sin(values) > 0)
    )
    numpy.testing.assert_array_equal(host((y * 2)[y * 3 > 1]), (values * 2)[values * 3 > 1])
    assert (y + 1)[y > 1e9].shape == (0,)


def test_expansion_is_deferred():
    x = heddle.arange(6)
    made = heddle._core.expand(x + 1, heddle.asarray([True, False, True] * 3))
    assert made.pending
    assert list(host(made)[[0, 2, 3, 5, 6, 8]]) == [1, 2, 3, 4, 5, 6]


@pytest.mark.cores
@pytest.mark.host_memory
@pytest.mark.parametrize("step", ["sort", "argsort", "partition", "select"])
@pytest.mark.parametrize("delay", [0.002, 0.01, 0.03, 0.06, 0.12])
def test_interrupted_steps_can_be_done_again(step, delay):
    rows = numpy.random.default_rng(3).standard_normal((3, 500_000))
    made = {
        "sort": lambda x: heddle.sort(x),
        "argsort": lambda x: heddle.argsort(x),
        "partition": lambda x: heddle.partition(x, 250_000)[:, 250_000],
        "select": lambda x: heddle.median(x, axis=1),
    }[step](heddle.asarray(rows))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(delay, signal.raise_signal, (signal.SIGINT,))
    try:
        timer.start()
        made.eval()
        timer.join()
        time.sleep(0.01)
    except KeyboardInterrupt:
        pass
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    expected = {
        "sort": lambda: numpy.sort(rows),
        "argsort": lambda: numpy.argsort(rows),
        "partition": lambda: numpy.sort(rows)[:, 250_000],
        "select": lambda: numpy.median(rows, axis=1),
    }[step]()
    numpy.testing.assert_array_equal(host(made), expected)
