"""Threads and processes: arrays in threads, forked and spawned children, exit at any time."""

import faulthandler
import gc
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import heddle

pytestmark = pytest.mark.unrecorded("is about other threads")


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


# --- values that cross from one thread to another ---


def test_pending_work_is_evaluated_elsewhere_while_its_maker_goes_on():
    handed = queue.Queue(20)
    failures = []

    def look():
        while (item := handed.get()) is not None:
            value, expected = item
            if float(value.sum()) != expected:
                failures.append((float(value.sum()), expected))

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    x = heddle.ones(1000)
    for k in range(400):
        y = x + k
        z = y * 2
        handed.put((y, 1000.0 * (k + 1)))
        w = z - y  # of what the others are evaluating
        handed.put((w, 1000.0 * (k + 1)))
        if k % 7 == 0:
            assert float(w[0]) == k + 1
    for _ in readers:
        handed.put(None)
    for reader in readers:
        reader.join()
    assert not failures


def test_pending_work_is_dropped_elsewhere():
    handed = queue.Queue(50)

    def drop():
        while handed.get() is not None:
            pass

    thread = threading.Thread(target=drop)
    thread.start()
    x = heddle.arange(1000.0)
    for k in range(2000):
        y = x * k
        for _ in range(k % 20):
            y = y + 1
        z = y - 1
        handed.put(y if k % 3 else z)
        if k % 50 == 0:
            assert float(z[1]) == k + k % 20 - 1
        del y, z
    handed.put(None)
    thread.join()


def test_threads_that_end_with_pending_work():
    made = []

    def make(i):
        x = heddle.arange(100.0) * i
        x[10:20] = i
        made.append((i, x, heddle.sqrt(x) + 1, x @ x, heddle.sort(x[::-1])))

    for _ in range(10):
        in_threads(make)
    gc.collect()
    total = sum((x for _, x, *_ in made), start=heddle.zeros(100))
    expected = numpy.zeros(100)
    for i, x, root, product, ordered in reversed(made):
        values = numpy.arange(100.0) * i
        values[10:20] = i
        assert (root.get() == numpy.sqrt(values) + 1).all()
        assert (x.get() == values).all()
        assert float(product) == pytest.approx(float(values @ values), rel=1e-12)
        assert (ordered.get() == numpy.sort(values)).all()
        expected += values
    assert (total.get() == expected).all()


def test_one_evaluation_of_work_of_many_threads():
    made = [None] * 8

    def make(i):
        made[i] = [heddle.ones(500) * i + k for k in range(20)]

    for _ in range(5):
        in_threads(make, 8)
        heddle.eval(*(x for each in made for x in each))
        for i, each in enumerate(made):
            assert [float(x[7]) for x in each] == [i + k for k in range(20)]


def test_threads_that_need_each_others_pending_work():
    """Crosswise, at the same time: neither waits for the other for ever."""
    for k in range(150):
        values = [heddle.ones(2000) * k, heddle.ones(2000) + k]
        made = [None, None]
        barrier = threading.Barrier(2)

        def work(i, values=values, made=made, barrier=barrier):
            mine = values[i] + i
            made[i] = mine
            barrier.wait()
            other = made[1 - i]
            for _ in range(5):
                mine = mine + other
            values[i] = float(mine[3])

        in_threads(work, 2)
        first, second = float(k), k + 2.0
        assert values == [first + 5 * second, second + 5 * first]


def test_arrays_that_are_written_from_each_other():
    x, y = heddle.zeros(5000), heddle.zeros(5000)

    def work(i):
        a, b = (x, y) if i % 2 else (y, x)
        for _ in range(100):
            a[1:] = b[:-1]
            a[0] = 1
            b[::3] = a[::3]

    in_threads(work)
    for each in (x, y):
        assert set(each.get().tolist()) <= {0.0, 1.0}


@pytest.mark.parametrize("kind", ["whole", "view", "statement", "at", "indices", "where"])
def test_no_write_gets_lost(kind):
    x = heddle.zeros(1000)

    def work(_):
        whole, view = x, x[100:900]
        for _ in range(150):
            if kind == "whole":
                whole += 1
            elif kind == "view":
                view += 1
            elif kind == "statement":
                x[100:900] += 1
            elif kind == "at":
                heddle.add.at(x, [150, 3, 3], 1)
            elif kind == "where":
                heddle.add(whole, 1, out=whole, where=whole >= 0)
            else:
                heddle.subtract.at(view, heddle.arange(800), -1)

    in_threads(work)
    assert float(x[150]) == 600
    assert float(x[3]) == {"whole": 600, "where": 600, "at": 1200}.get(kind, 0)


def test_rows_of_one_array():
    x = heddle.zeros((8, 3000))
    readers = [x + 1]

    def work(i):
        for k in range(60):
            x[2 * i] = k
            x[2 * i + 1] = x[2 * i] * 2
            if k % 20 == i:
                readers.append(x * 1)

    in_threads(work)
    expected = numpy.repeat([[59.0], [118.0]] * 4, 3000, axis=1)
    assert (x.get() == expected).all()
    assert (readers[0].get() == 1).all()
    for reader in readers[1:]:
        rows = reader.get()
        assert (rows == rows[:, :1]).all()  # no row is half written


def test_failures_stay_with_whoever_evaluates():
    """What cannot be computed in one thread is computed by another, once there is memory."""
    pool = heddle.get_default_memory_pool()
    made = []
    maker = threading.Thread(target=lambda: made.append(heddle.ones(4_000_000) * 3))
    maker.start()
    maker.join()
    pool.free_all_blocks()
    pool.set_limit(pool.used_bytes() + 1_000_000)
    try:

        def work(_):
            with pytest.raises(MemoryError):
                made[0].eval()

        in_threads(work, 3)
    finally:
        pool.set_limit(0)
    assert float(made[0].sum()) == 12_000_000


def test_many_threads():
    results = [0.0] * 64

    def work(i):
        x = heddle.arange(100.0)
        for k in range(20):
            x = x * 0 + k + i
        results[i] = float(x[3])

    in_threads(work, 64)
    assert results == [19.0 + i for i in range(64)]


def test_threads_come_and_go():
    """What belongs to a thread goes with it."""
    pool = heddle.get_default_memory_pool()
    before = pool.used_bytes()
    for k in range(300):
        kept = []
        thread = threading.Thread(target=lambda kept=kept: kept.append(heddle.ones(10_000) + 1))
        thread.start()
        thread.join()
        if k % 10 == 0:
            assert float(kept[0][5]) == 2
    kept.clear()
    gc.collect()
    assert pool.used_bytes() <= before + 1_000_000


@pytest.mark.forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_with_pending_work_of_other_threads():
    made, ready, stop = [], threading.Event(), threading.Event()

    def make():
        x = heddle.arange(1000.0)
        x[5:10] = -1
        made.append((x, x * 2, x @ x))
        ready.set()
        stop.wait()

    def busy():
        while not stop.is_set():
            x = heddle.ones(100) + 1
            x[3:5] = 2
            heddle.eval(x * 2)

    threads = [threading.Thread(target=make), threading.Thread(target=busy)]
    for thread in threads:
        thread.start()
    ready.wait()
    x, double, product = made[0]
    for _ in range(10):
        pid = os.fork()
        if pid == 0:
            signal.alarm(30)
            try:
                good = float(double[6]) == -2 and float(x[6]) == -1
                good &= float((x + double)[20]) == 60 and float(product) > 0
                x[6] = 5
                good &= float(x[6]) == 5 and float(double[6]) == -2
                # Also the blocks that the threads had for themselves, which are no more.
                heddle.get_default_memory_pool().free_all_blocks()
                os._exit(0 if good else 1)
            except BaseException:
                os._exit(2)
        assert os.waitpid(pid, 0)[1] == 0
    stop.set()
    for thread in threads:
        thread.join()
    assert float(x[6]) == -1 and float(double[6]) == -2


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
    "daemon makers": """
import threading, time
shared = heddle.zeros(1000)
def loop():
    kept = []
    while True:
        kept.append(heddle.sin(x) * 2)
        shared[3:7] += 1
        if len(kept) > 50:
            kept.clear()
for _ in range(3):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(0.3)
""",
    "daemon library": """
import threading, time
def loop(function):
    while True:
        heddle.eval(function())
m = heddle.ones((700, 700)) + heddle.eye(700)
for f in (lambda: m @ m, lambda: heddle.linalg.inv(m), lambda: heddle.sort(m.ravel())):
    threading.Thread(target=loop, args=(f,), daemon=True).start()
time.sleep(0.3)
""",
    "daemon compiler": """
import threading, time
def loop(i):
    y = x[:10]
    while True:
        y = heddle.sin(y) * y[::-1] + (y.sum() if i % 3 else y.max())
        i += 1
        if i % 7 == 0:
            heddle.eval(y); y = x[:10]
for i in range(2):
    threading.Thread(target=loop, args=(i,), daemon=True).start()
time.sleep(0.3)
""",
    "ended threads": """
import threading
kept = []
for i in range(5):
    t = threading.Thread(target=lambda: kept.append(heddle.sin(x) + len(kept)))
    t.start(); t.join()
kept[0][3:5] = 2
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


def test_exit_before_what_a_running_thread_uses_goes_away():
    # Handlers that came later than the library's, as those of what compilers make when they are
    # first needed, are called before it.
    script = """
import ctypes, threading, time, heddle
heddle.set_default_device("cpu")  # where this takes seconds
x = heddle.random.default_rng(0).random((2500, 2500))
thread = threading.Thread(target=lambda: heddle.linalg.svd(x), daemon=True)
thread.start()
time.sleep(0.5)
assert thread.is_alive()
library = ctypes.CDLL(None)
library.on_exit(library.abort, None)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stderr
