"""Random numbers: NumPy's own where they are promised, distributions by their shape elsewhere."""

import math
import os
import pickle
import subprocess
import sys
import threading

import numpy
import pytest
from support import host, same_error

import heddle
import heddle.random

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]


def pair(seed=7):
    """The same generator here and in NumPy."""
    return (
        heddle.random.Generator(heddle.random.Philox(seed)),
        numpy.random.Generator(numpy.random.Philox(seed)),
    )


def same_state(ours, theirs):
    a, b = ours.bit_generator.state, theirs.bit_generator.state
    assert a.keys() == b.keys() and a["bit_generator"] == b["bit_generator"]
    numpy.testing.assert_array_equal(a["state"]["counter"], b["state"]["counter"])
    numpy.testing.assert_array_equal(a["state"]["key"], b["state"]["key"])
    numpy.testing.assert_array_equal(a["buffer"], b["buffer"])
    for name in ("buffer_pos", "has_uint32", "uinteger"):
        assert a[name] == b[name], name


def same(actual, expected):
    if isinstance(actual, bytes):
        assert actual == expected
        return
    assert actual.shape == numpy.shape(expected)
    if not isinstance(expected, int | float):  # which NumPy gives for single numbers
        assert actual.dtype == expected.dtype
    numpy.testing.assert_array_equal(host(actual), expected)


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
    assert heddle.random.SeedSequence is numpy.random.SeedSequence
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
import sys, hashlib, heddle
rng = heddle.random.default_rng(5)
n = 200_001
draws = [rng.random(n), rng.integers(0, 1000, n), rng.standard_normal(n), rng.gamma(0.5, 2.0, n),
         rng.poisson(30.0, n), rng.permutation(n), rng.standard_normal(n, dtype="f4")]
digest = hashlib.sha256()
for a in draws:
    digest.update(a.tobytes())
print(digest.hexdigest())
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


def test_devices_give_the_same_numbers():
    def draw(device):
        with heddle.device(device):
            rng = heddle.random.default_rng(5)
            return [
                rng.random(1001),
                rng.random(1001, dtype="f4"),
                rng.standard_normal(1001),
                rng.gamma(0.7, size=1001),
                rng.poisson(40.0, 1001),
                rng.integers(0, 12345, 1001),
                rng.permutation(1001),
            ]

    for a, b in zip(draw("cpu"), draw(heddle.default_device()), strict=True):
        assert b.device == heddle.default_device()
        numpy.testing.assert_allclose(a.get(), b.get(), rtol=1e-12 if a.dtype != "f4" else 1e-6)


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


# --- distributions ---

COUNT = 1_000_000
SHAPES = [
    ("standard_normal", ()),
    ("lognormal", (0.5, 0.7)),
    ("exponential", (2.0,)),
    ("laplace", (1, 2)),
    ("logistic", (1, 2)),
    ("gumbel", (1, 2)),
    ("rayleigh", (2,)),
    ("weibull", (1.5,)),
    ("pareto", (2.5,)),
    ("power", (2.5,)),
    ("standard_cauchy", ()),
    ("triangular", (1, 2, 5)),
    ("wald", (3, 0.5)),
    ("vonmises", (1, 2)),
    ("gamma", (0.2, 1.5)),
    ("gamma", (4.5, 2)),
    ("beta", (0.3, 0.6)),
    ("beta", (2, 3)),
    ("chisquare", (3,)),
    ("f", (3, 5)),
    ("standard_t", (3,)),
    ("noncentral_chisquare", (0.5, 3)),
    ("noncentral_f", (3, 5, 2)),
    ("poisson", (4,)),
    ("poisson", (50,)),
    ("binomial", (10, 0.3)),
    ("binomial", (1000, 0.7)),
    ("negative_binomial", (3, 0.2)),
    ("geometric", (0.05,)),
    ("logseries", (0.95,)),
    ("zipf", (2.5,)),
    ("hypergeometric", (10, 20, 5)),
    ("hypergeometric", (500, 100, 300)),
]


@pytest.mark.parametrize("name, args", SHAPES, ids=lambda x: str(x).replace(" ", ""))
def test_distribution_is_numpys(name, args):
    """Two samples: the greatest distance of their distribution functions (Kolmogorov, Smirnov)."""
    theirs = numpy.sort(getattr(numpy.random.default_rng(5), name)(*args, COUNT))
    ours = getattr(heddle.random.default_rng(11), name)(*args, COUNT)
    assert ours.dtype == theirs.dtype and ours.shape == (COUNT,)
    points = numpy.unique(theirs[:: COUNT // 2000])
    counted = numpy.bincount(
        numpy.searchsorted(points, host(ours), side="left"), minlength=points.size + 1
    )
    below = numpy.cumsum(counted)[: points.size] / COUNT
    expected = numpy.searchsorted(theirs, points, side="right") / COUNT
    assert numpy.abs(below - expected).max() < 1.95 * math.sqrt(2 / COUNT)  # one in a thousand


MOMENTS = [
    ("normal", (2.0, 3.0), 2, 9),
    ("standard_exponential", (), 1, 1),
    ("laplace", (1.0, 2.0), 1, 8),
    ("logistic", (0.0, 1.0), 0, math.pi**2 / 3),
    ("gumbel", (0.0, 1.0), 0.5772156649, math.pi**2 / 6),
    ("standard_gamma", (2.5,), 2.5, 2.5),
    ("standard_gamma", (0.05,), 0.05, 0.05),
    ("beta", (2.0, 5.0), 2 / 7, 10 / (49 * 8)),
    ("wald", (2.0, 4.0), 2, 2),
    ("poisson", (0.5,), 0.5, 0.5),
    ("poisson", (12.0,), 12, 12),
    ("poisson", (1e9,), 1e9, 1e9),
    ("binomial", (40, 0.2), 8, 6.4),
    ("binomial", (10**6, 0.9), 9e5, 9e4),
    ("hypergeometric", (30, 70, 40), 12, 40 * 0.3 * 0.7 * 60 / 99),
    ("geometric", (0.25,), 4, 12),
    ("uniform", (-1.0, 3.0), 1, 16 / 12),
]


@pytest.mark.parametrize("name, args, mean, variance", MOMENTS, ids=lambda x: str(x))
def test_moments(name, args, mean, variance):
    x = getattr(heddle.random.default_rng(2), name)(*args, size=(1000, 1000))
    assert abs(float(x.mean()) - mean) < 4.5 * math.sqrt(variance / COUNT)
    fourth = float(((x - mean) ** 4).mean())
    spread = math.sqrt(max(fourth - variance**2, 0) / COUNT)
    assert abs(float(((x - mean) ** 2).mean()) - variance) < 5 * spread


def test_single_precision():
    rng = heddle.random.default_rng(4)
    x = rng.standard_normal(COUNT, dtype="f4")
    assert x.dtype == "f4"
    assert abs(float(x.mean())) < 0.005 and abs(float(x.std()) - 1) < 0.005
    assert 4.5 < float(x.max()) < 6.4 and -6.4 < float(x.min()) < -4.5
    e = rng.standard_exponential(COUNT, dtype=numpy.float32)
    assert e.dtype == "f4" and abs(float(e.mean()) - 1) < 0.005
    g = rng.standard_gamma(3.0, 1000, "f4")
    assert g.dtype == "f4" and g.shape == (1000,)


def test_normal_tails():
    """The quantile of every kind of word: the middle, the tails, and their ends."""
    words = numpy.array([0, 1, 2**52, 2**63 - 1, 2**63, 2**64 - 1], numpy.uint64)
    z = host(heddle._core.normal_deviate(heddle.asarray(words)))
    numpy.testing.assert_allclose(z[[0, -1]], [-8.209536151601387, 8.209536151601387], rtol=1e-14)
    assert z[3] == -z[4] and abs(z[3]) < 1e-15
    u = numpy.linspace(0.001, 0.999, 999)
    words = (u * 2.0**52).astype(numpy.uint64) << numpy.uint64(12)
    z = host(heddle._core.normal_deviate(heddle.asarray(words)))
    back = [0.5 * math.erfc(-x / math.sqrt(2)) for x in z]
    numpy.testing.assert_allclose(back, (words >> numpy.uint64(12)) / 2.0**52, atol=3e-16)
    halves = numpy.array([0, 2**31 - 1, 2**31, 2**32 - 1], numpy.uint32)
    z = host(heddle._core.normal_deviate(heddle.asarray(halves)))
    numpy.testing.assert_allclose(numpy.abs(z[1:3]), 6.337958, rtol=1e-6)
    assert z[0] > 0 > z[3] and abs(z[0]) < 1e-9


PARAMETERS = [
    ("normal", [numpy.linspace(-1, 1, 5), numpy.linspace(0.1, 2, 5)]),
    ("gamma", [numpy.array([0.0, 0.3, 1.0, 7.0]), 2.0]),
    ("beta", [numpy.array([0.5, 2.0]), numpy.array([[1.0], [0.2], [3.0]])]),
    ("poisson", [numpy.array([0.0, 0.5, 9.0, 30.0, 1e4])]),
    ("binomial", [numpy.array([0, 5, 100, 10**6]), numpy.array([[0.0], [0.3], [0.6], [1.0]])]),
    ("triangular", [numpy.array([-1.0, -2.0]), 0.0, 3.0]),
    ("hypergeometric", [numpy.array([5, 50, 500]), 40, numpy.array([[3], [30]])]),
    ("vonmises", [0.0, numpy.array([0.0, 1e-6, 0.5, 10.0, 1e8])]),
    ("zipf", [numpy.array([1.5, 4.0])]),
    ("logseries", [numpy.array([0.1, 0.9])]),
    ("negative_binomial", [numpy.array([0.5, 20.0]), 0.3]),
    ("standard_t", [numpy.array([5.0, 30.0])]),
    ("uniform", [numpy.array([-1.0, 5.0]), numpy.array([[6.0], [7.0]])]),
    ("weibull", [numpy.array([0.0, 1.0, 3.0])]),
]


@pytest.mark.parametrize("name, given", PARAMETERS, ids=lambda x: x if isinstance(x, str) else "")
def test_parameters_broadcast(name, given):
    rng = heddle.random.default_rng(3)
    arrays = [heddle.asarray(p) if isinstance(p, numpy.ndarray) else p for p in given]
    expected = getattr(numpy.random.default_rng(3), name)(*given)
    result = getattr(rng, name)(*arrays)
    assert result.shape == expected.shape and result.dtype == expected.dtype
    many = getattr(rng, name)(*arrays, size=(4000, *expected.shape))
    theirs = getattr(numpy.random.default_rng(3), name)(*given, size=(4000, *expected.shape))
    for q in (0.25, 0.5, 0.75):
        low, high = numpy.quantile(theirs, [q - 0.06, q + 0.06], axis=0)
        middle = numpy.quantile(host(many), q, axis=0)
        assert ((middle >= low - 1e-12) & (middle <= high + 1e-12)).all()


ERRORS = [
    ("gamma", (-1, 1)),
    ("gamma", (1, -1)),
    ("normal", (0, -1)),
    ("beta", (0, 1)),
    ("poisson", (-1,)),
    ("poisson", (1e30,)),
    ("binomial", (5, 2)),
    ("binomial", (-1, 0.5)),
    ("geometric", (0,)),
    ("zipf", (1,)),
    ("uniform", (0, math.inf)),
    ("uniform", (3, 2)),
    ("triangular", (3, 2, 1)),
    ("triangular", (1, 1, 1)),
    ("hypergeometric", (1, 1, 5)),
    ("hypergeometric", (-1, 10, 5)),
    ("vonmises", (0, -1)),
    ("wald", (0, 1)),
    ("logseries", (1,)),
    ("negative_binomial", (0, 0.5)),
    ("standard_t", (0,)),
    ("power", (0,)),
    ("random", (3, "i4")),
    ("standard_normal", (3, "f2")),
    ("random", (-1,)),
    ("integers", (5, 5)),
    ("integers", (0, 300, 3, "u1")),
    ("integers", (0, 3, 3, "f4")),
    ("normal", ("a",)),
    ("choice", (0,)),
    ("choice", (5, 6, False)),
    ("choice", (3, 2, True, [0.5, 0.5])),
    ("choice", (2, 2, True, [0.5, 0.6])),
    ("choice", (2, 2, True, [1.5, -0.5])),
    ("choice", (3, 3, False, [0.5, 0.5, 0])),
    ("choice", (2.5,)),
    ("dirichlet", ([0.5, -1],)),
    ("multinomial", (5, [0.7, 0.6, 0.1])),
    ("multinomial", (-5, [0.7, 0.3])),
    ("multinomial", (5, [-0.7, 0.3])),
    ("multivariate_hypergeometric", ([3, 4], 8)),
    ("multivariate_hypergeometric", ([3, -4], 1)),
    ("multivariate_normal", ([0, 0], [[1, 0]])),
    ("multivariate_normal", ([0, 0], [1, 0])),
    ("multivariate_normal", ([[0, 0]], [[1, 0], [0, 1]])),
]


@pytest.mark.parametrize("name, args", ERRORS, ids=lambda x: str(x).replace(" ", ""))
def test_errors_are_numpys(name, args):
    ours, theirs = pair(3)
    same_error(lambda: getattr(ours, name)(*args), lambda: getattr(theirs, name)(*args))
    same_state(ours, pair(3)[1])  # a failed call draws nothing


@pytest.mark.parametrize(
    "name, given",
    [
        ("normal", (0.0, [1.0, -1.0])),
        ("gamma", ([2.0, -1.0], 1.0)),
        ("poisson", ([1.0, math.nan],)),
        ("binomial", (3, [0.5, 1.5])),
        ("uniform", ([0.0, 1.0], [1.0, math.inf])),
        ("triangular", ([0.0, 3.0], 1.0, 5.0)),
        ("hypergeometric", ([5, 1], 1, 6)),
        ("integers", ([0, 5], [3, 5])),
        ("integers", ([0, 5], [3, 500], None, "u1")),
    ],
)
def test_errors_of_arrays(name, given):
    theirs = [numpy.array(p) if isinstance(p, list) else p for p in given]
    ours = [heddle.asarray(p) if isinstance(p, numpy.ndarray) else p for p in theirs]
    rng = heddle.random.default_rng(1)
    with pytest.raises((ValueError, OverflowError)) as expected:
        getattr(numpy.random.default_rng(1), name)(*theirs)
    with pytest.raises(expected.type):
        getattr(rng, name)(*ours)


def test_sizes_must_fit():
    ours, theirs = pair()
    scale = numpy.ones(2)
    same_error(
        lambda: ours.normal(0.0, heddle.asarray(scale), (2, 1)),
        lambda: theirs.normal(0.0, scale, (2, 1)),
    )
    with pytest.raises(ValueError, match=r"shape mismatch|broadcast"):
        ours.normal(0.0, heddle.asarray(scale), 3)
    assert ours.normal(0.0, heddle.asarray(scale), (3, 2)).shape == (3, 2)
    assert ours.gamma(2.0, size=0).shape == (0,) and ours.poisson(3.0, (2, 0)).shape == (2, 0)
    assert ours.normal().shape == () and ours.poisson(3.0).shape == ()


def test_out():
    ours, theirs = pair()
    out = heddle.zeros((3, 4))
    assert ours.random(out=out) is out
    same(out, theirs.random((3, 4)))
    assert ours.standard_normal(out=out) is out
    assert 0 < float(heddle.abs(out).max()) < 9
    single = heddle.zeros(5, "f4")
    ours.standard_gamma(2.0, dtype="f4", out=single)
    assert float(single.min()) > 0
    for kwargs in ({"size": 3}, {"dtype": "f4"}):
        same_error(
            lambda kwargs=kwargs: ours.random(out=heddle.zeros((2, 2)), **kwargs),
            lambda kwargs=kwargs: theirs.random(out=numpy.zeros((2, 2)), **kwargs),
        )


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


# --- vectors ---


def test_multivariate_normal():
    rng = heddle.random.default_rng(6)
    mean, cov = [1.0, -2.0, 0.5], numpy.array([[2.0, 0.6, 0.1], [0.6, 1.0, -0.3], [0.1, -0.3, 0.5]])
    for method in ("svd", "eigh", "cholesky"):
        x = host(rng.multivariate_normal(mean, cov, (50, 2000), method=method))
        assert x.shape == (50, 2000, 3)
        x = x.reshape(-1, 3)
        numpy.testing.assert_allclose(x.mean(axis=0), mean, atol=0.02)
        numpy.testing.assert_allclose(numpy.cov(x.T), cov, atol=0.03)
    assert rng.multivariate_normal(mean, cov).shape == (3,)
    wrong = [[1.0, 2.0], [2.0, 1.0]]
    with pytest.warns(RuntimeWarning, match="not symmetric positive-semidefinite"):
        rng.multivariate_normal([0.0, 0.0], wrong)
    with pytest.raises(ValueError, match="not symmetric positive-semidefinite"):
        rng.multivariate_normal([0.0, 0.0], wrong, check_valid="raise")


def test_dirichlet():
    rng = heddle.random.default_rng(6)
    alpha = numpy.array([0.5, 2.0, 4.0])
    x = host(rng.dirichlet(alpha, 100_000))
    numpy.testing.assert_allclose(x.sum(axis=1), 1, rtol=1e-14)
    numpy.testing.assert_allclose(x.mean(axis=0), alpha / 6.5, atol=0.004)
    small = host(rng.dirichlet([1e-3, 1e-3], 1000))
    numpy.testing.assert_allclose(small.sum(axis=1), 1, rtol=1e-14)
    assert rng.dirichlet([1.0, 1.0]).shape == (2,)
    zero = host(rng.dirichlet([0.0, 1.0], 10))
    numpy.testing.assert_array_equal(zero, numpy.tile([0.0, 1.0], (10, 1)))


def test_multinomial():
    rng = heddle.random.default_rng(6)
    p = numpy.array([0.2, 0.5, 0.3])
    x = host(rng.multinomial(20, p, 50_000))
    assert x.dtype == "i8" and (x.sum(axis=1) == 20).all() and (x >= 0).all()
    numpy.testing.assert_allclose(x.mean(axis=0), 20 * p, atol=0.06)
    numpy.testing.assert_allclose(x.var(axis=0), 20 * p * (1 - p), rtol=0.04)
    counts = heddle.asarray([[10], [1000]])
    several = rng.multinomial(counts, [p, p[::-1]])
    assert several.shape == (2, 2, 3)
    numpy.testing.assert_array_equal(host(several).sum(axis=-1), [[10, 10], [1000, 1000]])
    assert host(rng.multinomial(7, [1.0, 0.0])).tolist() == [7, 0]


@pytest.mark.parametrize("method", ["marginals", "count"])
def test_multivariate_hypergeometric(method):
    rng = heddle.random.default_rng(6)
    colors = [16, 80, 40]
    x = host(rng.multivariate_hypergeometric(colors, 60, 50_000, method))
    assert x.dtype == "i8" and (x.sum(axis=1) == 60).all()
    assert (x <= colors).all() and (x >= 0).all()
    numpy.testing.assert_allclose(x.mean(axis=0), 60 * numpy.array(colors) / 136, atol=0.1)


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


def test_random_state():
    ours, theirs = heddle.random.RandomState(5), numpy.random.RandomState(5)
    same(ours.standard_normal(4), theirs.standard_normal(4))
    same(ours.permutation(heddle.arange(6)), theirs.permutation(numpy.arange(6)))
    again = pickle.loads(pickle.dumps(ours))
    same(again.gamma(2.0, size=3), theirs.gamma(2.0, size=3))
    assert ours.bytes(5) is not None


def test_imported_by_name():
    assert heddle.random is sys.modules["heddle.random"]
    with pytest.raises(TypeError, match="bit_generator"):
        heddle.random.Generator(3)
