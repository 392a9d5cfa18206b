"""Threads and processes: arrays in threads, forked and spawned children, exit at any time."""

import faulthandler
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import heddle


@pytest.fixture(autouse=True)
def deadlocks_show():
    # Not sys.stderr: where pytest replaces it, it is no file.
    faulthandler.dump_traceback_later(100, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


SIZE = 200_000_000
LONG = numpy.sin((SIZE - 1) / 2) * numpy.sin(SIZE / 2) / numpy.sin(0.5)


def long_sum():
    """Takes a good part of a second, and no memory."""
    return heddle.sin(heddle.arange(float(SIZE))).sum()


def in_threads(function, count=4):
    """Runs function(i) in several threads at once; the first exception is raised here."""
    errors = []
    barrier = threading.Barrier(count)

    def work(i):
        try:
            barrier.wait()
            function(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_distinct_arrays():
    def work(i):
        values = numpy.arange(1000.0 + i)
        for k in range(200):
            x = heddle.asarray(values)
            y = heddle.sqrt(x * k + i) + 1
            y[::2] = 0
            expected = numpy.sqrt(values * k + i) + 1
            expected[::2] = 0
            assert (y.get() == expected).all()
            assert float(y.sum()) == pytest.approx(expected.sum(), rel=1e-14)

    in_threads(work)


def test_large_distinct_arrays():
    def work(i):
        x = heddle.full(500_000, float(i))
        for _ in range(20):
            x = x * 2 - i
        assert (x.get() == i).all()

    in_threads(work)


def test_shared_arrays_that_are_read():
    x = heddle.arange(300_000.0)
    pending = heddle.sqrt(x) + 1
    expected = numpy.sqrt(numpy.arange(300_000.0)) + 1

    def work(i):
        for _ in range(20):
            assert float((x + i)[i]) == 2 * i
            assert (pending.get() == expected).all()
            assert float((pending * 2)[0]) == 2

    in_threads(work)


def test_many_readers_of_one_pending_value():
    for _ in range(50):
        x = heddle.ones(50_000) + 1
        in_threads(lambda i, x=x: heddle.eval(x, x * i), 3)
        assert float(x.sum()) == 100_000


def test_one_array_written_by_all():
    x = heddle.zeros(100_000)
    view = x[::2]

    def work(i):
        for k in range(100):
            x[i::4] = k
            view[i] += 1
            np_sum = float((x * 0 + 1).sum())
            assert np_sum == 100_000
            if k % 10 == 0:
                x.get()

    in_threads(work)
    assert set(x.get()[9::4].tolist()) == {99.0}


def test_increments_do_not_get_lost():
    x = heddle.zeros(1000)

    def work(_):
        nonlocal x
        for _ in range(200):
            x += 1  # one call, one lock

    in_threads(work)
    assert (x.get() == 800).all()


@pytest.mark.cores
def test_evaluation_lets_other_threads_run():
    total = long_sum()
    worker = threading.Thread(target=lambda: heddle.eval(total))
    worker.start()
    ticks = 0
    while worker.is_alive():
        time.sleep(0.001)
        ticks += 1
    worker.join()
    assert ticks > 20
    assert float(total) == pytest.approx(LONG, abs=1e-3)


def test_computing_while_another_thread_evaluates():
    total = long_sum()
    worker = threading.Thread(target=lambda: heddle.eval(total))
    worker.start()
    for i in range(50):
        x = heddle.ones(1000) * i
        assert float(x.sum()) == 1000 * i
    worker.join()


def test_arrays_end_in_other_threads():
    """Pending work is let go of while another thread holds the graph."""
    stop = threading.Event()

    def make_and_drop(seed):
        kept = []
        while not stop.is_set():
            x = heddle.ones(1000 + seed)
            for _ in range(20):
                x = x + 1
            kept.append(x)
            if len(kept) > 30:
                kept.clear()

    threads = [threading.Thread(target=make_and_drop, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    pool = heddle.get_default_memory_pool()
    for k in range(40):
        x = heddle.ones(500_000)
        y = x * 2
        if k % 8 == 0:
            pool.set_limit(pool.used_bytes() + 40_000_000)  # makes others' pending work run
        x[1:] = 5
        assert float(y.sum()) == 1_000_000
        pool.set_limit(0)
    stop.set()
    for thread in threads:
        thread.join()
    gc.collect()


def test_one_object_dropped_by_its_last_thread():
    for _ in range(100):
        box = [heddle.ones(2000) * 3]
        box.append(box[0] + 1)
        thread = threading.Thread(target=box.clear)
        other = heddle.ones(200_000) + 1
        thread.start()
        heddle.eval(other)
        thread.join()


def test_shared_memory_dropped_elsewhere():
    def work(i):
        for _ in range(100):
            a = numpy.arange(1000.0)
            x = heddle.asarray(a, copy=False)
            y = x + i
            b = numpy.asarray(y)
            del a, x
            assert b[1] == i + 1

    in_threads(work)


def test_device_scopes_belong_to_their_thread():
    def work(_):
        for _ in range(100):
            with heddle.device("cpu"):
                assert heddle.default_device() is not None
                heddle.eval(heddle.ones(10))

    in_threads(work)


def test_statistics_and_limits_while_others_work():
    stop = threading.Event()

    def look():
        while not stop.is_set():
            heddle.stats()
            heddle.get_default_memory_pool().used_bytes()
            heddle.get_default_memory_pool().free_all_blocks()

    thread = threading.Thread(target=look)
    thread.start()
    for i in range(300):
        # Large ones are computed without the interpreter's lock.
        n = 5000 if i % 3 else 300_000
        assert float((heddle.ones(n) * i).sum()) == n * i
    stop.set()
    thread.join()


def child(n):
    x = heddle.arange(float(n))
    return float((heddle.sqrt(x) * 2).sum())


@pytest.mark.parametrize(
    "method", [pytest.param("fork", marks=pytest.mark.forks), "spawn", "forkserver"]
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children(method):
    heddle.eval(heddle.ones(1_000_000) * 2)  # worker threads exist before the fork
    expected = [numpy.sqrt(numpy.arange(float(n))).sum() * 2 for n in (10, 1000, 500_000)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        got = pool.map_async(child, (10, 1000, 500_000)).get(timeout=90)
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_children_see_pending_work_and_keep_writes_to_themselves():
    x = heddle.arange(200_000.0)
    y = x * 2
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            good = float(y[3]) == 6
            x[:] = 0
            good &= (
                float(x.sum()) == 0
                and float((heddle.ones((500, 500)) @ heddle.ones(500))[0]) == 500
            )
            os._exit(0 if good else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    assert float(y[3]) == 6 and float(x[5]) == 5


@pytest.mark.forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_another_thread_evaluates():
    total = long_sum()
    worker = threading.Thread(target=lambda: heddle.eval(total))
    worker.start()
    time.sleep(0.05)
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            signal.alarm(30)
            try:
                os._exit(0 if float((heddle.ones(100_000) * 2).sum()) == 200_000 else 1)
            except BaseException:
                os._exit(2)
        assert os.waitpid(pid, 0)[1] == 0
    worker.join()
    assert float(total) == pytest.approx(LONG, abs=1e-3)


EXITS = {
    "pending work": "kept = [x * i for i in range(100)]",
    "shared memory": "a = numpy.asarray(x.to_device('cpu')); "
    "y = heddle.asarray(numpy.ones(9), copy=False)",
    "cycle": "box = [x + 1]; box.append(box)",
    "module global": "heddle.kept = x + 1; numpy.kept = heddle.sin(x)",
    "exception": "import atexit; atexit.register(lambda: float((x + 1).sum()))",
    "thread local": "import threading; l = threading.local(); l.x = x + 1",
    "thread": "import threading; threading.Thread(target=lambda: heddle.eval(long)).start()",
    "daemon": "import threading, time; "
    "threading.Thread(target=lambda: heddle.eval(long), daemon=True).start(); time.sleep(0.2)",
    "daemon loop": """
import threading, time
def loop():
    while True:
        heddle.eval(heddle.ones(200_000) * 2)
for _ in range(3):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(0.3)
""",
    "fork": "import os; pid = os.fork(); pid and os.waitpid(pid, 0)",
    "del": """
class Late:
    def __del__(self):
        float((self.x * 2).sum())
late = Late(); late.x = x; late.me = late
""",
}


@pytest.mark.parametrize("name", EXITS)
def test_exit(name):
    setup = """
import faulthandler; faulthandler.enable()
import numpy, heddle
x = heddle.ones(100_000) + 1
long = heddle.sin(heddle.arange(300_000_000.0)).sum()
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", setup + EXITS[name]],
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
