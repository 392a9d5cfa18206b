"""Random numbers that NumPy draws: its bit generators, seeds, and the functions of the module."""

import pickle
import sys

import numpy
import pytest
from random_support import CALLS, same
from support import host, same_error

import heddle
import heddle.random

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


@pytest.mark.usefixtures("unseeded")
def test_probabilities_of_old_have_one_dimension():
    for pvals in ([[0.0, 1.0]], numpy.array([[0.5, 0.5], [1, 0]])):
        same_error(lambda m, p=pvals: m.random.multinomial(10, p))
        same_error(lambda m, p=pvals: m.random.multinomial(10, pvals=p, size=3))
    assert heddle.random.multinomial(10, [0.5, 0.5], 3).shape == (3, 2)


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
        draws.normal(heddle.linspace(0, 1, 1000), 3.0),
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
    for name in ("normal", "uniform", "gamma"):
        for low, high in ((1.0, 2.0), (heddle.ones(()), [[2.0]] * 3), (heddle.ones((3, 1)), 2)):
            for size in (None, (4, 3, 1)):
                made = getattr(draws, name)(low, high, size, dtype="f4")
                own = numpy.broadcast_shapes(numpy.shape(low), numpy.shape(high))
                assert made.dtype == "f4" and made.shape == (own if size is None else size)
        with pytest.raises(ValueError, match=r"< 0|Output size"):
            getattr(draws, name)(heddle.ones(3), -heddle.ones(3), dtype="f4")


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
        assert draws.rand(1000).pending
        try:
            end()
        except TypeError:
            continue
        same(draws.rand(3), numpy.random.RandomState(5).rand(3))
        draws.reset_states()
        assert draws.rand(1000).pending
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
    counts = (name, args) in COUNTS_OF_OLD
    types = ["i4", "u2", "i8", "f4"] if counts else ["f2", "f4", "f8"]
    if name.startswith("noncentral"):
        types.append("i4")
    for seeded in (False, True):
        if seeded:
            heddle.random.seed(3)
        for dtype in types:
            assert draw(*args, size=5, dtype=dtype).dtype == dtype
            assert draw(*args, size=(2, 3), dtype=numpy.dtype(dtype)).dtype == dtype
            if name != "multivariate_normal":
                assert draw(*args, 5, dtype).dtype == dtype
        with pytest.raises(TypeError):
            draw(*args, size=5, dtype="?" if "i4" in types else "i4")
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
