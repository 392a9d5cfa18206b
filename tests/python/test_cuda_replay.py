"""Rows of kernels that come again are one CUDA graph; nobody can tell but by the clock."""

import threading

import numpy
import pytest
from support import assert_exact

import heddle

pytestmark = [
    pytest.mark.skipif("cuda:0" not in heddle.devices(), reason="needs a GPU"),
    pytest.mark.unrecorded("is about what is launched"),
]


def steps(np, u, count, factor):
    """Kernels that cannot be one: each needs what the one before has written elsewhere."""
    for _ in range(count):
        u[1:-1] += factor * np.cumsum(u[:-2] + u[2:])
    return u


def replayed(function):
    before = heddle.stats()["replayed"]
    function()
    return heddle.stats()["replayed"] - before


@pytest.fixture(autouse=True)
def on_gpu():
    with heddle.device("cuda:0"):
        yield


def values(size=300):
    return numpy.arange(float(size)) % 7


def test_rows_that_come_again_are_replayed():
    want = steps(numpy, values(), 12, 0.25)
    for i in range(8):
        count = replayed(
            lambda: assert_close(steps(heddle, heddle.asarray(values()), 12, 0.25), want)
        )
        assert (count > 0) == (i >= 2), (i, count)


def assert_close(got, want):
    numpy.testing.assert_allclose(got.get(), want, rtol=1e-12)


def test_numbers_change():
    for i in range(12):
        factor = 2.0**-i
        assert_close(
            steps(heddle, heddle.asarray(values()), 6, factor), steps(numpy, values(), 6, factor)
        )


def test_memory_changes():
    kept = []
    for i in range(12):
        u = heddle.asarray(values() + i)
        kept.append(steps(heddle, u, 6, 0.5))
        if i % 3 == 0:
            kept.append(heddle.zeros(1000 * (i + 1)) + 1)  # other blocks of memory come next
    for i, got in enumerate(x for x in kept if x.shape == (300,)):
        assert_close(got, steps(numpy, values() + i, 6, 0.5))


def test_sizes_change():
    for size in [40, 300, 41, 300, 40, 41] * 4:
        assert_close(
            steps(heddle, heddle.asarray(values(size)), 5, 0.5), steps(numpy, values(size), 5, 0.5)
        )


def test_threads_share_a_stream():
    want = steps(numpy, values(), 9, 0.5)
    wrong = []

    def work():
        with heddle.device("cuda:0"):
            for _ in range(30):
                got = steps(heddle, heddle.asarray(values()), 9, 0.5).get()
                if not numpy.allclose(got, want, rtol=1e-12):
                    wrong.append(got)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_streams_wait_for_rows_that_were_put_off():
    stream = heddle.cuda.Stream(non_blocking=True)
    want = steps(numpy, values(), 9, 0.5) * 2
    for _ in range(6):
        u = heddle.asarray(values())
        steps(heddle, u, 9, 0.5)
        heddle.eval(u)
        with stream:
            twice = u * 2
            heddle.eval(twice)
        assert_close(twice, want)


def test_what_is_exact_stays_so():
    def program(np, a):
        for k in range(10):
            a[k + 1 :] = np.maximum.accumulate(a[k + 1 :] + a[k])
        return a

    for _ in range(5):
        a = numpy.arange(50) * 7 % 13
        assert_exact(program(heddle, heddle.asarray(a)), program(numpy, a.copy()))
