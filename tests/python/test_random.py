"""Random numbers: NumPy's streams and states, the same numbers everywhere, integers, samples."""

import os
import pickle
import subprocess
import sys
import threading

import numpy
import pytest
from random_support import CALLS, draw, pair, same, same_state
from support import host, same_error

import heddle
import heddle.random

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]


# --- streams and states ---


@pytest.mark.parametrize("seed", [0, 12345, 2**100, [1, 2, 3], numpy.random.SeedSequence(5)])
def test_words_and_numbers_are_numpys(seed):
    ours, theirs = pair(seed)
    same_state(ours, theirs)
    for size in (None, 1, 4, 1000, (3, 5), (2, 0), 100_003):
        same(ours.bit_generator.random_raw(size), theirs.bit_generator.random_raw(size))
        same(ours.random(size), theirs.random(size))
        same(ours.random(size, dtype="f4"), theirs.random(size, dtype="f4"))
        same_state(ours, theirs)


def test_words_beside_long_work():
    """Kernels with much else to do make fewer words at a time."""
    for size in (1, 31, 32, 33, 64, 1000, 4099):
        ours, theirs = pair(size)
        numpy.testing.assert_allclose(
            host(heddle.log(ours.random(size) + 1)), numpy.log(theirs.random(size) + 1), rtol=1e-14
        )


def test_any_sequence_of_calls_continues_numpys_stream():
    ours, theirs = pair()
    choose = numpy.random.default_rng(3)
    sizes = [None, 0, 1, 3, 7, 20, (3, 5), 1000]

    def integers(size):
        dtype = numpy.dtype(choose.choice(TYPES))
        low, high = (0, 1) if dtype == "?" else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
        kind = 0 if dtype == "?" else choose.integers(5)
        bounds = [(low, high), (0, 100), (low // 3, high // 3 * 2 - 1), (5, 5), (0, 63)][kind]
        return lambda rng: rng.integers(*bounds, size=size, dtype=dtype, endpoint=True)

    calls = [
        lambda rng, size: rng.random(size),
        lambda rng, size: rng.random(size, dtype=numpy.float32),
        lambda rng, size: rng.uniform(-3, 5, size),
        lambda rng, size: rng.bytes(7 if size is None else numpy.prod(size)),
        lambda rng, size: rng.bit_generator.random_raw(size),
        lambda rng, size: rng.integers(10**11, size=size),
        lambda rng, size: rng.choice(1000, size),
        lambda rng, size: rng.integers(2**33, 2**64 - 5, size=size, dtype=numpy.uint64),
    ]
    for _ in range(250):
        size = sizes[choose.integers(len(sizes))]
        number = choose.integers(10)
        call = calls[number] if number < 8 else integers(size)
        args = (size,) if number < 8 else ()
        same(call(ours, *args), call(theirs, *args))
        same_state(ours, theirs)


def test_many_integers_with_rejections():
    ours, theirs = pair(1)
    for bounds in [(0, 200), (0, 255), (-100, 90)]:
        dtype = "i1" if bounds[0] < 0 else "u1"
        same(ours.integers(*bounds, 100_000, dtype), theirs.integers(*bounds, 100_000, dtype))
    same(ours.integers(0, 3 * 2**30, 50_000), theirs.integers(0, 3 * 2**30, 50_000))
    same(ours.integers(0, 3 * 2**61, 50_000), theirs.integers(0, 3 * 2**61, 50_000))
    same_state(ours, theirs)


def test_counters_carry_and_states_are_set():
    state = numpy.random.Philox(1).state
    state["state"]["counter"] = numpy.array([2**64 - 9, 2**64 - 1, 2**64 - 1, 5], numpy.uint64)
    ours, theirs = pair()
    ours.bit_generator.state = theirs.bit_generator.state = state
    same(ours.random(3), theirs.random(3))
    same(ours.random(1000), theirs.random(1000))
    same_state(ours, theirs)
    again = heddle.random.Philox(0)
    again.state = ours.bit_generator.state
    same(heddle.random.Generator(again).random(50), theirs.random(50))
    with pytest.raises(ValueError):
        again.state = {"bit_generator": "PCG64"}
    damaged = ours.bit_generator.state
    damaged["buffer"] = damaged["buffer"] + numpy.uint64(1)
    with pytest.raises(ValueError, match="buffer"):
        again.state = damaged


def test_counter_and_key():
    for kwargs in (
        {"key": 5},
        {"key": 2**100 + 1, "counter": 2**200 + 7},
        {"counter": [1, 2, 3, 4]},
    ):
        if "key" not in kwargs:
            kwargs["seed"] = 3
        ours, theirs = heddle.random.Philox(**kwargs), numpy.random.Philox(**kwargs)
        same(ours.random_raw(10), theirs.random_raw(10))
    same_error(lambda: heddle.random.Philox(1, key=2), lambda: numpy.random.Philox(1, key=2))


def test_spawned_and_jumped():
    ours, theirs = pair(42)
    ours.random(3), theirs.random(3)
    for a, b in zip(ours.spawn(3), theirs.spawn(3), strict=True):
        same(a.random(9), b.random(9))
    for jumps in (1, 5):
        a, b = ours.bit_generator.jumped(jumps), theirs.bit_generator.jumped(jumps)
        same(a.random_raw(9), b.random_raw(9))
    for delta in (3, 2**130 + 1, -2):
        ours.bit_generator.advance(delta)
        theirs.bit_generator.advance(delta)
        same(ours.random(6), theirs.random(6))
    same_state(ours, theirs)


def test_pickled_and_copied():
    ours, theirs = pair()
    ours.random(5, dtype="f4"), theirs.random(5, dtype="f4")
    again = pickle.loads(pickle.dumps(ours))
    expected = theirs.random(7, dtype="f4")
    same(again.random(7, dtype="f4"), expected)
    same(ours.random(7, dtype="f4"), expected)
    assert again.bit_generator.seed_seq.entropy == 7
    assert str(ours) == "Generator(Philox)"


def test_results_own_their_memory():
    rng = heddle.random.default_rng(0)
    for drawn in (
        rng.random(3),
        rng.random((2, 3)),  # which begins inside of a block
        rng.random((2, 3), dtype="f4"),
        rng.random((2, 3), dtype="f4"),
        rng.integers(0, 5, (2, 2)),
        rng.integers(0, 250, (3, 3), "u1"),
        rng.integers(0, 2, (3, 3), bool),
        rng.gamma(2.0, size=(2, 3)),
        rng.poisson(3.0, (2, 2)),
        rng.normal(heddle.zeros(3), 1.0, (2, 3)),
        rng.choice(5, (2, 2)),
        rng.choice(5, 3, replace=False),
        rng.permutation(4),
        rng.permuted(heddle.zeros((2, 2))),
        rng.dirichlet([1.0, 2.0], 3),
    ):
        assert drawn.base is None and drawn.flags.owndata


def test_default_rng():
    same(heddle.random.default_rng(3).random(4), pair(3)[1].random(4))
    rng = heddle.random.default_rng()
    assert heddle.random.default_rng(rng) is rng
    assert isinstance(rng.bit_generator, heddle.random.Philox)
    assert not numpy.array_equal(host(rng.random(4)), host(heddle.random.default_rng().random(4)))
    assert issubclass(heddle.random.SeedSequence, numpy.random.SeedSequence)
    assert {n for n in dir(numpy.random.Generator) if n[0] != "_"} <= set(dir(rng))
    assert set(numpy.random.__all__) <= set(dir(heddle.random))


def test_deferred_and_fused():
    rng = heddle.random.default_rng(1)
    a = rng.standard_normal((50, 40)) * 2 + 1
    assert heddle.explain(a).startswith("1 kernel ")
    total = rng.random((1000, 64)).sum(axis=1)
    assert heddle.explain(total).startswith("1 kernel ")
    numpy.testing.assert_allclose(
        host(total), host(_skipped(50 * 40).random((1000, 64))).sum(axis=1), rtol=1e-13
    )


def test_short_rows_are_no_part_of_kernels_that_make_words():
    ours, theirs = pair(3)
    short = (ours.random((1000, 3)) ** 2).sum(axis=1)
    assert heddle.explain(short).startswith("2 kernels ")
    assert "blocks of random numbers" in heddle.explain(short)
    numpy.testing.assert_allclose(
        host(short), (theirs.random((1000, 3)) ** 2).sum(axis=1), rtol=1e-14
    )
    assert heddle.explain((ours.random((1000, 3)) ** 2).sum()).startswith("1 kernel ")


def _skipped(count):
    rng = heddle.random.default_rng(1)
    rng.standard_normal(count)
    return rng


@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_reductions_read_numbers_at_their_place(axis):
    ours, theirs = pair(9)
    expected = theirs.random((7, 40, 9)).sum(axis=axis)
    numpy.testing.assert_allclose(
        host(ours.random((7, 40, 9)).sum(axis=axis)), expected, rtol=1e-13
    )


# --- the same numbers everywhere ---

_DRAWS = """
import hashlib, heddle
from random_support import CALLS, draw
for name, args in [*CALLS, ("standard_normal", ()), ("random", ())]:
    drawn = draw(heddle.random.default_rng(5), name, args, 20_001)
    print(name, args, hashlib.sha256(drawn.tobytes()).hexdigest())
rng = heddle.random.default_rng(5)
print(hashlib.sha256(rng.standard_normal(200_001, dtype="f4").tobytes()).hexdigest())
print(hashlib.sha256(rng.gamma(heddle.linspace(0.1, 9, 200_001)).tobytes()).hexdigest())
"""


@pytest.mark.cores
def test_numbers_do_not_depend_on_threads():
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = set()
    for cores in ({min(os.sched_getaffinity(0))}, os.sched_getaffinity(0)):
        done = subprocess.run(
            [sys.executable, "-c", _DRAWS],
            env=own,
            capture_output=True,
            text=True,
            check=True,
            preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores),
        )
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.parametrize("name, args", CALLS, ids=lambda x: x if isinstance(x, str) else "")
def test_devices_give_the_same_numbers(name, args):
    def drawn(device):
        with heddle.device(device):
            return draw(heddle.random.default_rng(5), name, args, 1001)

    other = "shadow" if heddle.default_device() == "cpu" else heddle.default_device()
    a, b = drawn("cpu"), drawn(other)
    numpy.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)


def test_single_precision_is_the_same_on_devices():
    def drawn(device):
        with heddle.device(device):
            rng = heddle.random.default_rng(5)
            return [host(rng.random(1001, dtype="f4")), host(rng.standard_normal(1001, dtype="f4"))]

    for a, b in zip(drawn("cpu"), drawn(heddle.default_device()), strict=True):
        numpy.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-6)


@pytest.mark.unrecorded("is about which kernels there are")
def test_rejection_is_deferred():
    """Numbers by rejection wait for nothing, and fuse with what is made of them."""
    rng = heddle.random.default_rng(1)
    for drawn in (
        rng.gamma(2.5, 2.0, 1000),
        rng.standard_gamma(0.3, 1000),
        rng.poisson(50.0, 1000),
        rng.binomial(100, 0.3, 1000),
        rng.hypergeometric(500, 100, 300, 1000),
        rng.vonmises(0.0, 2.0, 1000),
        rng.zipf(2.5, 1000),
        rng.logseries(0.7, 1000),
        rng.integers(0, heddle.arange(1, 1001)),
        rng.gamma(heddle.linspace(0.5, 3, 1000)),
    ):
        assert heddle.explain(drawn * 2).startswith("1 kernel ")


def test_threads_share_a_generator():
    rng = heddle.random.default_rng(1)
    parts = [None] * 8

    def draw(i):
        parts[i] = rng.random(1000)

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    drawn = numpy.sort(numpy.concatenate([host(part) for part in parts]))
    numpy.testing.assert_array_equal(drawn, numpy.sort(pair(1)[1].random(8000)))


# --- integers, samples, orders ---


def test_integers_between_arrays():
    rng = heddle.random.default_rng(8)
    low, high = heddle.asarray([-5, 0, 100]), heddle.asarray([[5], [300]])
    with pytest.raises(ValueError, match="low >= high"):
        rng.integers(low, high)
    high = high + 100
    x = host(rng.integers(low, high, (20_000, 2, 3)))
    assert x.dtype == "i8"
    assert (x.min(axis=0) == numpy.broadcast_to([-5, 0, 100], (2, 3))).all()
    assert (x.max(axis=0) == numpy.broadcast_to([[104], [399]], (2, 3))).all()
    middle = (numpy.array([-5, 0, 100]) + numpy.array([[104], [399]])) / 2
    numpy.testing.assert_allclose(x.mean(axis=0), middle, atol=4)
    full = rng.integers([0, 0], [2**64 - 1, 5], (1000, 2), numpy.uint64, endpoint=True)
    assert float(host(full)[:, 0].max()) > 2**63 and host(full)[:, 1].max() == 5


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u4", "i8", "u8"])
def test_integers_between_extreme_bounds(dtype):
    rng = heddle.random.default_rng(9)
    limits = (0, 1) if dtype == "?" else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
    assert host(rng.integers(limits[1], [limits[1] + 1], dtype=dtype)) == [limits[1]]
    assert host(rng.integers([limits[1]], limits[1], dtype=dtype, endpoint=True)) == [limits[1]]
    for low, high in ((0, [1, 1]), (heddle.asarray([0, 0]), 1), (0, heddle.asarray([1, 1]))):
        x = rng.integers(low, high, dtype=dtype)
        assert x.dtype == dtype and (host(x) == 0).all()
    for arguments in (
        (limits[0], [limits[0]]),
        ([limits[1]], limits[1]),
        ([limits[0]], limits[1] + 2),
        ([limits[0] - 1], limits[1]),
        (0, heddle.asarray([0])),
    ):
        with pytest.raises(ValueError, match=r"low >= high|out of bounds"):
            rng.integers(*arguments, dtype=dtype)


def test_bounds_at_the_ends_of_types():
    rng = heddle.random.default_rng(8)
    x = host(rng.integers([-(2**63), 0], [2**63, 5], (1000, 2)))
    assert x[:, 0].min() < -(2**62) and x[:, 0].max() > 2**62 and set(x[:, 1]) == set(range(5))
    x = host(rng.integers(0, [2**64, 7], (1000, 2), "u8"))
    assert x[:, 0].max() > 2**63 and set(x[:, 1]) == set(range(7))
    x = host(rng.integers(0, numpy.array([2**63], "u8"), 1000))
    assert x.dtype == "i8" and x.min() >= 0 and x.max() > 2**62
    assert host(rng.integers(0, [256, 1], (1000, 2), "u1")).max() > 250


def _laws_of_an_order(p):
    """How far an order is from a random one, in units of chance, by several measures."""
    n = p.size
    place = numpy.arange(n)
    even = (numpy.arange(n) + 0.5) / n

    def distance(x):  # of numbers below n from evenly spread ones (Kolmogorov)
        return numpy.abs(numpy.sort(x % n) / n - even[: x.size]).max() * n**0.5

    return [
        abs(numpy.corrcoef(p, place)[0, 1]) * n**0.5 / 4,
        abs(numpy.corrcoef(p[1:], p[:-1])[0, 1]) * n**0.5 / 4,
        (p == place).sum() / 7,
        distance(p - place) / 1.95,
        distance(p[1:] - p[:-1]) / 1.95,
        distance(p[3:] - 3 * p[:-3]) / 1.95,
    ]


@pytest.mark.parametrize("n", [65_536, 65_537, 100_000, 1_000_003])
def test_long_orders(n):
    rng = heddle.random.default_rng(n)
    order = rng.permutation(n)
    p = host(order)
    assert p.dtype == "i8"
    numpy.testing.assert_array_equal(numpy.sort(p), numpy.arange(n))
    assert max(_laws_of_an_order(p)) < 1
    assert not numpy.array_equal(p, host(rng.permutation(n)))
    a = heddle.arange(n)
    rng.shuffle(a)
    numpy.testing.assert_array_equal(numpy.sort(host(a)), numpy.arange(n))


@pytest.mark.unrecorded("is about which kernels there are")
def test_long_orders_are_deferred():
    order = heddle.random.default_rng(1).permutation(100_000)
    assert heddle.explain(order + 1).startswith("1 kernel ")


def test_signs_of_long_orders():
    """Half of all orders are even."""
    rng = heddle.random.default_rng(3)

    def cycles(p):
        left, count = numpy.ones(p.size, bool), 0
        p = p.tolist()
        for i in range(len(p)):
            if left[i]:
                count += 1
                while left[i]:
                    left[i] = False
                    i = p[i]
        return count

    odd = [cycles(host(rng.permutation(65_600))) % 2 for _ in range(12)]
    assert 0 < sum(odd) < 12


@pytest.mark.parametrize("count, wanted", [(2000, 3), (2000, 120), (10**6, 1000), (10**9, 5)])
def test_few_of_many_once_each(count, wanted):
    rng = heddle.random.default_rng(4)
    seen = []
    for _ in range(20):
        x = host(rng.choice(count, wanted, replace=False))
        assert x.size == len(set(x.tolist())) == wanted
        assert x.min() >= 0 and x.max() < count
        seen.append(x)
    middle = numpy.concatenate(seen).mean() / count
    assert abs(middle - 0.5) < 4.5 * (1 / 12 / (20 * wanted)) ** 0.5


def test_permutations():
    rng = heddle.random.default_rng(2)
    order = host(rng.permutation(1000))
    assert order.dtype == "i8" and not numpy.array_equal(order, numpy.arange(1000))
    numpy.testing.assert_array_equal(numpy.sort(order), numpy.arange(1000))
    a = heddle.arange(60).reshape(3, 20)
    rows = host(rng.permutation(a))
    numpy.testing.assert_array_equal(rows[numpy.argsort(rows[:, 0])], host(a))
    columns = host(rng.permutation(a, axis=1))
    numpy.testing.assert_array_equal(columns[:, numpy.argsort(columns[0])], host(a))
    mixed = host(rng.permuted(a, axis=1))
    numpy.testing.assert_array_equal(numpy.sort(mixed, axis=1), host(a))
    assert not numpy.array_equal(mixed[0] + 20, mixed[1])
    everything = host(rng.permuted(a))
    numpy.testing.assert_array_equal(numpy.sort(everything.ravel()), numpy.arange(60))
    out = heddle.zeros((3, 20), a.dtype)
    assert rng.permuted(a, axis=0, out=out) is out
    numpy.testing.assert_array_equal(numpy.sort(host(out), axis=0), host(a))
    # Every order of three is as frequent as the others.
    codes = numpy.array([host(rng.permutation(3)) @ [9, 3, 1] for _ in range(60)])
    assert len(set(codes)) == 6


def test_shuffle_in_place():
    rng = heddle.random.default_rng(2)
    a = heddle.arange(50)
    assert rng.shuffle(a) is None
    assert not numpy.array_equal(host(a), numpy.arange(50))
    numpy.testing.assert_array_equal(numpy.sort(host(a)), numpy.arange(50))
    b = heddle.arange(60).reshape(6, 10)
    rng.shuffle(b[:, ::2], axis=1)
    numpy.testing.assert_array_equal(host(b)[:, 1::2], numpy.arange(60).reshape(6, 10)[:, 1::2])
    numpy.testing.assert_array_equal(numpy.sort(host(b), axis=1), numpy.arange(60).reshape(6, 10))
    items = list("abcdefghij")
    rng.shuffle(items)
    assert sorted(items) == list("abcdefghij") and items != sorted(items)
    theirs = numpy.arange(30)
    rng.shuffle(theirs)
    numpy.testing.assert_array_equal(numpy.sort(theirs), numpy.arange(30))
    rng.shuffle(memoryview(rows := numpy.arange(30).reshape(15, 2)))
    numpy.testing.assert_array_equal(rows[numpy.argsort(rows[:, 0])].ravel(), numpy.arange(30))
    with pytest.warns(UserWarning, match="you are shuffling a 'dict' object") as told:
        rng.shuffle({0: 0, 1: 1})
    assert told[0].filename == __file__


def test_choice():
    ours, theirs = pair(4)
    same(ours.choice(50, (3, 4)), theirs.choice(50, (3, 4)))
    p = [0.1, 0.0, 0.6, 0.3]
    same(ours.choice(4, 1000, p=p), theirs.choice(4, 1000, p=p))
    a = numpy.arange(12.0).reshape(3, 4)
    same(ours.choice(heddle.asarray(a), 5, axis=1), theirs.choice(a, 5, axis=1))
    same(ours.choice(a), theirs.choice(a))
    without = host(ours.choice(100, 40, replace=False))
    assert len(set(without)) == 40 and without.min() >= 0 and without.max() < 100
    weighted = [tuple(host(ours.choice(4, 2, False, p))) for _ in range(200)]
    assert all(len(set(x)) == 2 and 1 not in x for x in weighted)
    assert sum(x[0] == 2 for x in weighted) > 80
    assert ours.choice(5, 0).shape == (0,) and ours.choice([], 0).shape == (0,)


@pytest.mark.parametrize("seed", range(20))
def test_few_numbers_and_many_are_one_stream(seed):
    """Few numbers are drawn at the call, many later: NumPy's numbers, and NumPy's state after."""
    choose = numpy.random.default_rng(seed)
    ours, theirs = pair(seed)
    spans = [1, 2, 3, 10, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**62]
    for _ in range(30):
        size = [None, 0, 1, 3, 5, (2, 3), (), 511, 512, 600][choose.integers(10)]
        low = [0, -5, -(2**61), 2**40][choose.integers(4)]
        name, args = [
            ("random", (size,)),
            ("uniform", (-1, 3.5, size)),
            ("integers", (low, low + spans[choose.integers(len(spans))], size)),
            ("integers", (0, 255, size, "u1")),
            ("choice", (7, size)),
            ("bytes", (5,)),
        ][choose.integers(6)]
        expected, found = getattr(theirs, name)(*args), getattr(ours, name)(*args)
        if name == "bytes":
            assert found == expected
            continue
        same(found, expected)
    same_state(ours, theirs)
