"""Distributions of heddle.random: their shapes and moments, parameters, errors and vectors."""

import math
import pickle

import numpy
import pytest
from random_laws import LAWS
from random_support import CALLS, draw, pair, same, same_state
from support import host, same_error, settle

import heddle
import heddle.random
from heddle import _core

COUNT = 1_000_000


def _distance(x, function):
    """The greatest distance of a sample's distribution function from this one (Kolmogorov)."""
    points = numpy.quantile(x[:20_000], numpy.linspace(0.001, 0.999, 400), method="nearest")
    points = numpy.unique(points)
    counted = numpy.bincount(numpy.searchsorted(points, x, side="left"), minlength=points.size + 1)
    below = numpy.cumsum(counted)[: points.size] / x.size
    return numpy.abs(below - function(points)).max()


@pytest.mark.parametrize(
    "name, args, function, mean, variance", LAWS, ids=lambda x: "" if callable(x) else None
)
def test_distribution(name, args, function, mean, variance):
    """A million draws: distribution function (Kolmogorov, Smirnov), mean and variance."""
    rng = heddle.random.default_rng(11)
    drawn = getattr(rng, name)(*args, size=(1000, 1000))
    expected = getattr(numpy.random.default_rng(5), name)(*args, size=3)
    assert drawn.dtype == expected.dtype and drawn.shape == (1000, 1000)
    x = host(drawn).ravel()
    # Passed by chance in all but one of a thousand cases, as the bounds of the moments are.
    assert _distance(x, function) < 1.95 / math.sqrt(COUNT)
    if mean is not None:
        x = x - mean
        spread = variance if variance is not None else x.var()
        assert abs(x.mean()) < 4 * math.sqrt(spread / COUNT)
    if variance is not None:
        squares = x * x
        assert abs(squares.mean() - variance) < 4.5 * squares.std() / math.sqrt(COUNT)


def test_every_distribution_is_tested():
    others = {
        "bytes",
        "choice",
        "dirichlet",
        "multinomial",
        "multivariate_hypergeometric",
        "multivariate_normal",
        "permutation",
        "permuted",
        "shuffle",
        "spawn",
        "bit_generator",
    }
    names = {n for n in dir(numpy.random.Generator) if n[0] != "_"}
    assert names - others == {law[0] for law in LAWS}
    assert names - {"spawn", "bit_generator"} == {call[0] for call in CALLS}


@pytest.mark.parametrize(
    "name, args, mean",
    [
        ("poisson", (1e9,), 1e9),
        ("poisson", (1e15,), 1e15),
        ("binomial", (10**6, 0.9), 9e5),
        ("binomial", (10**12, 0.3), 3e11),
        ("hypergeometric", (10**8, 2 * 10**8, 10**6), 1e6 / 3),
    ],
)
def test_large_counts(name, args, mean):
    x = host(getattr(heddle.random.default_rng(2), name)(*args, 100_000)).astype(float)
    theirs = getattr(numpy.random.default_rng(2), name)(*args, 100_000).astype(float)
    assert abs(x.mean() - mean) < 5 * theirs.std() / math.sqrt(1e5)
    assert abs(x.std() / theirs.std() - 1) < 0.02


def test_parameters_that_are_no_numbers():
    """nan parameters, where NumPy takes them, give nan and come to an end."""
    rng = heddle.random.default_rng(3)
    a = numpy.array([math.nan, 2.0])
    for name, args in (
        ("gamma", (a,)),
        ("standard_gamma", (a,)),
        ("normal", (a, 1.0)),
        ("vonmises", (1.0, a)),
    ):
        x = host(getattr(rng, name)(*args))
        assert numpy.isnan(x[0]) and x[1] == x[1], name
    assert numpy.isnan(host(rng.vonmises(1.0, math.nan, 3))).all()
    assert numpy.isnan(host(rng.dirichlet([math.nan, 1.0]))).all()


def test_what_is_empty():
    ours, theirs = pair(3)
    same(ours.permutation(-1), theirs.permutation(-1))
    same(ours.multivariate_hypergeometric([], 0, 3), theirs.multivariate_hypergeometric([], 0, 3))
    for name in ("random", "standard_normal", "standard_exponential"):
        for out in (3, [1.0]):
            same_error(
                lambda name=name, out=out: getattr(ours, name)(out=out),
                lambda name=name, out=out: getattr(theirs, name)(out=out),
            )


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
    ("exponential", ("a",)),
    ("exponential", (1j,)),
    ("gamma", (None,)),
    ("dirichlet", (3,)),
    ("multinomial", (5, [])),
    ("multinomial", (5, 0.5)),
    ("multivariate_normal", ([0j], [[1]])),
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


@pytest.mark.parametrize("name, args", CALLS, ids=lambda x: x if isinstance(x, str) else "")
def test_sizes(name, args):
    """Numbers for no size, none at all, and for tuples: shapes and types are NumPy's."""
    ours, theirs = pair(4)
    if name in ("bytes", "shuffle", "permutation", "permuted"):
        return
    for size in (None, 0, (), 3, (2, 0, 3), (2, 3)):
        a = getattr(ours, name)(*args, size=size)
        b = getattr(theirs, name)(*args, size=size)
        assert numpy.shape(a) == numpy.shape(b), (name, size)
        assert heddle.asarray(a).dtype == numpy.asarray(b).dtype, (name, size)
        if size is None and heddle.default_device() == "cpu" and not _core.recording():
            assert type(a) is type(b) or not isinstance(b, int | float) or name == "choice"


@pytest.mark.parametrize("name, args", CALLS, ids=lambda x: x if isinstance(x, str) else "")
def test_numbers_follow_from_the_seed(name, args):
    """The same call gives the same numbers, and the next one others; states tell how far it is."""
    one, two = heddle.random.default_rng(9), heddle.random.default_rng(9)
    first = draw(one, name, args, 50)
    numpy.testing.assert_array_equal(first, draw(two, name, args, 50))
    assert not numpy.array_equal(first, draw(two, name, args, 50))
    two.bit_generator.state = one.bit_generator.state
    again = pickle.loads(pickle.dumps(one))
    expected = draw(one, name, args, 50)
    numpy.testing.assert_array_equal(expected, draw(two, name, args, 50))
    numpy.testing.assert_array_equal(expected, draw(again, name, args, 50))


@pytest.mark.parametrize("name, args", CALLS, ids=lambda x: x if isinstance(x, str) else "")
def test_single_numbers_are_those_of_the_stream(name, args):
    """Drawn at once, on the host, or deferred: the same numbers, and the stream goes on."""
    if name in ("bytes", "shuffle", "permutation", "permuted"):
        return
    one, two = pair(8)[0], pair(8)[0]
    for _ in range(6):
        single, deferred = getattr(one, name)(*args), getattr(two, name)(*args, size=())
        numpy.testing.assert_array_equal(host(single), host(deferred))
    numpy.testing.assert_array_equal(host(one.random(3)), host(two.random(3)))


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
    assert numpy.shape(ours.normal()) == numpy.shape(ours.poisson(3.0)) == ()


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
        settle(rng.multivariate_normal([0.0, 0.0], wrong, check_valid="raise"))


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


def test_ranges_beyond_numbers_while_recorded():
    """The core checks them then, for all calls that the recorded one serves."""
    draw = heddle.jit(lambda low, high: heddle.random.default_rng(1).uniform(low, high))
    low = heddle.asarray([0.0, 1.0])
    assert draw(low, low + 2).shape == (2,)
    for high in (math.inf, -math.inf, math.nan):
        with pytest.raises(OverflowError, match="Range exceeds valid bounds"):
            draw(low, heddle.asarray([1.0, high]))
    with pytest.raises(ValueError, match="high - low < 0"):
        draw(low, low - 1)
