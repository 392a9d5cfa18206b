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


# --- what NumPy draws ---


@pytest.mark.parametrize("kind", ["MT19937", "PCG64", "PCG64DXSM", "SFC64"])
def test_other_bit_generators(kind):
    ours = heddle.random.Generator(getattr(heddle.random, kind)(3))
    theirs = numpy.random.Generator(getattr(numpy.random, kind)(3))
    assert isinstance(ours, heddle.random.Generator)
    same(ours.random(5), theirs.random(5))
    same(ours.standard_normal((2, 3), dtype="f4"), theirs.standard_normal((2, 3), dtype="f4"))
    same(ours.integers(0, 9, 4), theirs.integers(0, 9, 4))
    same(ours.permutation(6), theirs.permutation(6))
    scale = heddle.asarray([1.0, 2.0])
    same(ours.normal(0.0, scale), theirs.normal(0.0, numpy.array([1.0, 2.0])))
    out = heddle.zeros(4)
    assert ours.random(out=out) is out
    same(out, theirs.random(4))
    a = heddle.arange(8)
    ours.shuffle(a)
    b = numpy.arange(8)
    theirs.shuffle(b)
    same(a, b)
    again = pickle.loads(pickle.dumps(ours))
    same(again.random(3), theirs.random(3))


@pytest.mark.parametrize("kind", ["MT19937", "PCG64", "PCG64DXSM", "SFC64", "Philox"])
def test_seeds_are_arrays_of_ours(kind):
    ours, theirs = getattr(heddle.random, kind), getattr(numpy.random, kind)
    expected = theirs(numpy.arange(5)).random_raw(3)
    numpy.testing.assert_array_equal(host(ours(heddle.arange(5)).random_raw(3)), expected)
    for seed in (heddle.random.SeedSequence(heddle.arange(5)), [*heddle.arange(5)]):
        numpy.testing.assert_array_equal(host(ours(seed).random_raw(3)), expected)
    assert isinstance(ours(1).seed_seq, heddle.random.SeedSequence)
    assert kind == "Philox" or isinstance(theirs(1), ours)
    assert not isinstance(numpy.random.default_rng(), ours)
    (child,) = ours(heddle.arange(5)).spawn(1)
    assert type(child) is ours
    expected = theirs(numpy.arange(5)).spawn(1)[0].random_raw(3)
    again = pickle.loads(pickle.dumps(child))
    assert type(again) is ours
    numpy.testing.assert_array_equal(host(again.random_raw(3)), expected)
    with pytest.raises(ValueError, match="instantiated"):
        heddle.random.Generator(ours)


def test_seed_of_default_rng_is_an_array_of_ours():
    expected = numpy.random.Generator(numpy.random.Philox([3, 4])).random(3)
    same(heddle.random.default_rng(heddle.asarray([3, 4])).random(3), expected)
    key = heddle.asarray([5, 6], "u8")
    same(heddle.random.Philox(key=key).random_raw(2), numpy.random.Philox(key=[5, 6]).random_raw(2))


@pytest.mark.parametrize("kind", ["MT19937", "Philox"])
def test_where_generators_write(kind):
    ours = heddle.random.Generator(getattr(heddle.random, kind)(3))
    fixed = heddle.zeros(3)
    fixed.flags.writeable = False
    for out in (heddle.zeros(6)[::2], fixed):
        with pytest.raises(ValueError, match=r"contiguous|read-only"):
            ours.standard_normal(out=out)
    turned = heddle.zeros((2, 3)).T
    assert ours.random(out=turned) is turned and (host(turned) > 0).all()


def test_another_bit_generator_for_the_functions_of_the_module():
    before = heddle.random.get_bit_generator()
    try:
        heddle.random.set_bit_generator(heddle.random.PCG64(0))
        heddle.random.seed(7)
        expected = numpy.random.RandomState(numpy.random.PCG64(7)).random_sample(3)
        same(heddle.random.random_sample(3), expected)
        normal = float(heddle.random.standard_normal())
        heddle.random.seed(7)
        heddle.random.random_sample(3)
        assert float(heddle.random.standard_normal()) == normal
        with pytest.raises(TypeError, match=r"numpy\.random\.Philox"):
            heddle.random.set_bit_generator(heddle.random.Philox(0))
    finally:
        heddle.random.set_bit_generator(before)
    with pytest.raises(TypeError, match=r"numpy\.random\.Philox"):
        heddle.random.RandomState(heddle.random.Philox(0))


def test_legacy_functions():
    numpy.random.seed(0)
    heddle.random.seed(0)
    same(heddle.random.rand(3), numpy.random.rand(3))
    same(heddle.random.randn(2, 2), numpy.random.randn(2, 2))
    same(heddle.random.randint(0, 10, 5), numpy.random.randint(0, 10, 5))
    same(heddle.random.choice(5, 3), numpy.random.choice(5, 3))
    assert heddle.random.random() == numpy.random.random()
    a, b = heddle.arange(9), numpy.arange(9)
    heddle.random.shuffle(a)
    numpy.random.shuffle(b)
    same(a, b)
    state = heddle.random.get_state()
    first = host(heddle.random.normal(size=3))
    heddle.random.set_state(state)
    numpy.testing.assert_array_equal(host(heddle.random.normal(size=3)), first)


@pytest.fixture
def unseeded():
    """The functions of the module as they are after the import."""
    before = heddle.random.get_bit_generator()
    heddle.random.reset_states()
    yield
    heddle.random.set_bit_generator(before)


@pytest.mark.unrecorded("is about which kernels there are")
@pytest.mark.usefixtures("unseeded")
def test_functions_without_a_seed_are_deferred_and_fused():
    draws = heddle.random
    for drawn in (
        draws.rand(50, 40),
        draws.randn(50, 40),
        draws.random((50, 40)),
        draws.random_sample((50, 40)),
        draws.ranf(1000),
        draws.sample(1000),
        draws.normal(2.0, 3.0, (50, 40)),
        draws.normal(heddle.linspace(0, 1, 40), 3.0),
        draws.uniform(-1, 1, 1000),
        draws.standard_normal(1000),
        draws.exponential(size=1000),
        draws.randint(0, 100, 1000),
        draws.randint(-(2**63), 2**63 - 1, 1000),
        draws.randint(7, size=(10, 10), dtype="u1"),
        draws.choice(10, 1000),
        draws.poisson(3.0, 1000),
        draws.gamma(2.5, size=1000),
        draws.normal(0, 1, (50, 40), dtype="f4"),
        draws.rand(1000, dtype="f4"),
        draws.poisson(3.0, 1000, dtype="i4"),
    ):
        assert drawn.pending
        assert heddle.explain(drawn * 2).startswith("1 kernel ")


@pytest.mark.usefixtures("unseeded")
def test_single_numbers_without_a_seed_are_numpys():
    draws = heddle.random
    for drawn in (draws.rand(), draws.randn(), draws.random(), draws.normal(3, 0.1)):
        assert type(drawn) is float
    assert type(draws.randint(5)) is int
    assert draws.normal(dtype="f4").dtype == "f4"


@pytest.mark.usefixtures("unseeded")
def test_laws_of_functions_without_a_seed():
    draws, n = heddle.random, 200_000
    for drawn, mean, deviation in (
        (draws.rand(n), 0.5, 12**-0.5),
        (draws.randn(n), 0.0, 1.0),
        (draws.randn(n, dtype="f4"), 0.0, 1.0),
        (draws.normal(3, 2, n, "f4"), 3.0, 2.0),
        (draws.uniform(-3, 1, n, dtype="f4"), -1.0, 4 * 12**-0.5),
        (draws.uniform([-3], 1, n), -1.0, 4 * 12**-0.5),
        (draws.randint(-10, 11, n), 0.0, (440 / 12) ** 0.5),
        (draws.randint(0, 2**40, n) / 2**40, 0.5, 12**-0.5),
        (draws.choice([1.0, 5.0], n), 3.0, 2.0),
        (draws.exponential(2.0, n), 2.0, 2.0),
        (draws.binomial(10, 0.5, n, dtype="i2"), 5.0, 2.5**0.5),
    ):
        x = host(drawn).astype(float)
        assert abs(x.mean() - mean) < 5 * deviation / n**0.5
        assert abs(x.std() / deviation - 1) < 0.02
    x = host(draws.randint(3, 9, 10_000))
    assert set(x.tolist()) == {3, 4, 5, 6, 7, 8} and x.dtype == "i8"
    assert set(host(draws.randint(-1, 2, 1000, dtype="i1")).tolist()) == {-1, 0, 1}
    order = draws.permutation(100)
    numpy.testing.assert_array_equal(numpy.sort(host(order)), numpy.arange(100))
    a = heddle.arange(100)
    assert draws.shuffle(a) is None
    assert sorted(a.tolist()) == list(range(100)) != a.tolist()
    items = list(range(100))
    draws.shuffle(items)
    assert sorted(items) == list(range(100)) != items
    assert not numpy.array_equal(host(draws.rand(5)), host(draws.rand(5)))


@pytest.mark.usefixtures("unseeded")
def test_what_ends_the_drawing_by_philox():
    draws = heddle.random
    for end in (
        lambda: draws.seed(5),
        lambda: draws.set_state(numpy.random.RandomState(5).get_state()),
        lambda: draws.set_random_state(draws.RandomState(5)),
        lambda: draws.set_bit_generator(draws.MT19937(numpy.random.RandomState(5))),
    ):
        draws.reset_states()
        assert draws.rand(3).pending
        try:
            end()
        except TypeError:
            continue
        same(draws.rand(3), numpy.random.RandomState(5).rand(3))
        draws.reset_states()
        assert draws.rand(3).pending
    draws.reset_states()
    state = draws.get_state()
    expected = numpy.random.RandomState()
    expected.set_state(state)
    same(draws.randn(3), expected.randn(3))
    assert draws.get_random_state() is heddle.random.mtrand._rand
    with pytest.raises(TypeError, match="RandomState"):
        draws.set_random_state(5)
    draws.reset_states()
    kept = draws.get_random_state()
    again = pickle.loads(pickle.dumps(kept))
    same(heddle.asarray(again.rand(4)), host(kept.rand(4)))


DTYPES_OF_OLD = [
    *(("beta", (2.0, 3.0)), ("chisquare", (3.0,)), ("dirichlet", ([1.0, 2.0],))),
    *(("exponential", (2.0,)), ("f", (3.0, 9.0)), ("gamma", (2.0, 3.0)), ("gumbel", (1.0, 2.0))),
    *(("laplace", (1.0, 2.0)), ("logistic", (1.0, 2.0)), ("lognormal", (1.0, 0.5))),
    *(("noncentral_chisquare", (3.0, 2.0)), ("noncentral_f", (3.0, 9.0, 2.0))),
    *(("normal", (1.0, 2.0)), ("pareto", (3.0,)), ("power", (3.0,)), ("random", ())),
    *(("random_sample", ()), ("ranf", ()), ("sample", ()), ("rayleigh", (2.0,))),
    *(("standard_cauchy", ()), ("standard_exponential", ()), ("standard_gamma", (2.0,))),
    *(("standard_normal", ()), ("standard_t", (5.0,)), ("triangular", (0.0, 1.0, 3.0))),
    *(("uniform", (1.0, 2.0)), ("vonmises", (0.0, 1.0)), ("wald", (1.0, 2.0)), ("weibull", (2.0,))),
    *(("multivariate_normal", ([0.0, 1.0], [[1.0, 0.0], [0.0, 2.0]])),),
]
COUNTS_OF_OLD = [
    *(("binomial", (10, 0.5)), ("geometric", (0.3,)), ("hypergeometric", (5, 6, 7))),
    *(
        ("logseries", (0.5,)),
        ("negative_binomial", (3, 0.5)),
        ("poisson", (4.0,)),
        ("zipf", (3.0,)),
    ),
]


@pytest.mark.parametrize("name, args", DTYPES_OF_OLD + COUNTS_OF_OLD, ids=str)
@pytest.mark.usefixtures("unseeded")
def test_types_of_distributions(name, args):
    draw = getattr(heddle.random, name)
    types = ["i4", "u2", "i8"] if (name, args) in COUNTS_OF_OLD else ["f2", "f4", "f8"]
    for seeded in (False, True):
        if seeded:
            heddle.random.seed(3)
        for dtype in types:
            assert draw(*args, size=5, dtype=dtype).dtype == dtype
            assert draw(*args, size=(2, 3), dtype=numpy.dtype(dtype)).dtype == dtype
            if name != "multivariate_normal":
                assert draw(*args, 5, dtype).dtype == dtype
        with pytest.raises(TypeError):
            draw(*args, size=5, dtype="f4" if types[0] == "i4" else "i4")
        if name in ("ranf", "sample"):
            continue
        heddle.random.seed(3)
        theirs = numpy.random.RandomState(3)
        same(
            draw(*args, size=5, dtype=types[1]),
            getattr(theirs, name)(*args, size=5).astype(types[1]),
        )


LEGACY = [call for call in CALLS if hasattr(numpy.random.RandomState, call[0])] + [
    ("randint", (5, 1000)),
    ("random_sample", ()),
    ("tomaxint", ()),
]


def _drawn_by_both(ours, theirs, name, args):
    """One call of each, for no size, some and a tuple."""
    for size in (None, 7, (2, 3)):
        if name == "bytes":
            assert ours.bytes(5) == theirs.bytes(5)
        elif name == "shuffle":
            a, b = heddle.arange(30).reshape(10, 3), numpy.arange(30).reshape(10, 3)
            assert ours.shuffle(a) is theirs.shuffle(b) is None
            same(a, b)
        elif name == "permutation":
            same(ours.permutation(20), theirs.permutation(20))
        else:
            a = getattr(ours, name)(*args, size=size)
            b = getattr(theirs, name)(*args, size=size)
            same(heddle.asarray(a), numpy.asarray(b))


@pytest.mark.parametrize("name, args", LEGACY, ids=lambda x: x if isinstance(x, str) else "")
def test_legacy_streams(name, args):
    ours, theirs = heddle.random.RandomState(12), numpy.random.RandomState(12)
    _drawn_by_both(ours, theirs, name, args)
    if name == "tomaxint":
        return
    heddle.random.seed(13)
    numpy.random.seed(13)
    _drawn_by_both(heddle.random, numpy.random, name, args)


def test_every_legacy_name_is_there():
    names = {n for n in dir(numpy.random.RandomState) if n[0] != "_"}
    assert names <= set(dir(heddle.random.RandomState))
    tested = {call[0] for call in LEGACY}
    others = {"seed", "get_state", "set_state", "rand", "randn", "random_integers"}
    assert names - others == tested
    with pytest.warns(DeprecationWarning):
        ours = heddle.random.RandomState(1).random_integers(3, 9, 5)
    with pytest.warns(DeprecationWarning):
        same(ours, numpy.random.RandomState(1).random_integers(3, 9, 5))


def test_states_of_old_are_numpys():
    ours, theirs = heddle.random.RandomState([1, 2, 3]), numpy.random.RandomState([1, 2, 3])
    ours.standard_normal(3), theirs.standard_normal(3)
    for legacy in (True, False):
        ours.set_state(theirs.get_state(legacy))
        same(ours.standard_normal(5), theirs.standard_normal(5))
    assert ours.get_state()[0] == "MT19937"
    numpy.testing.assert_array_equal(ours.get_state()[1], theirs.get_state()[1])


def test_random_state():
    ours, theirs = heddle.random.RandomState(5), numpy.random.RandomState(5)
    same(ours.standard_normal(4), theirs.standard_normal(4))
    same(ours.permutation(heddle.arange(6)), theirs.permutation(numpy.arange(6)))
    again = pickle.loads(pickle.dumps(ours))
    same(again.gamma(2.0, size=3), theirs.gamma(2.0, size=3))
    assert ours.bytes(5) is not None
    for made in (ours.choice([1, 2]), ours.choice(3), ours.normal(), ours.randint(3, dtype="i2")):
        assert heddle.isscalar(made)


def test_imported_by_name():
    assert heddle.random is sys.modules["heddle.random"]
    with pytest.raises(TypeError, match="bit_generator"):
        heddle.random.Generator(3)


def test_the_module_of_the_global_generator():
    """As in check_random_state of scikit-learn, which many programs have a copy of."""
    from heddle.random import mtrand

    state = heddle.random.mtrand._rand
    assert isinstance(state, mtrand.RandomState) and mtrand.RandomState is heddle.random.RandomState
    heddle.random.seed(3)
    drawn = state.random(4)
    heddle.random.seed(3)
    numpy.testing.assert_array_equal(host(heddle.random.random(4)), host(drawn))


def test_samples_of_text():
    """What arrays of ours do not hold is drawn from, and given, as NumPy's."""
    names = ["ada", "bob", "cy", "dot"]
    for seed in range(3):
        heddle.random.seed(seed)
        numpy.random.seed(seed)
        for sampled in (
            lambda random: random.choice(names),
            lambda random: random.choice(names, (2, 3), p=[0.1, 0.2, 0.3, 0.4]),
            lambda random: random.permutation(names),
        ):
            ours, theirs = sampled(heddle.random), sampled(numpy.random)
            assert type(ours) is type(theirs) and numpy.array_equal(ours, theirs)
    rng = heddle.random.default_rng(1)
    assert rng.choice(names) in names
    assert sorted(rng.choice(names, 4, replace=False)) == names
    assert rng.choice(names, (2, 3)).shape == (2, 3)
    assert sorted(rng.permutation(names)) == names
    assert rng.choice([None, "a"]) in (None, "a")
