"""Generators where libraries ask for NumPy's: they count as such, and are drawn from."""

import copy
import pickle

import numpy as np
import pytest

import heddle as hd

GENERATORS = {
    "philox": lambda: hd.random.default_rng(3),
    "pcg": lambda: hd.random.Generator(np.random.PCG64(3)),
    "old": lambda: hd.random.RandomState(3),
    "module": lambda: hd.random.mtrand._rand,
}


def kind_of(generator):
    old = isinstance(generator, hd.random.RandomState)
    return np.random.RandomState if old else np.random.Generator


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_they_are_numpys(make):
    generator = make()
    kind = kind_of(generator)
    assert isinstance(generator, kind) and str(generator) == repr(generator).split(" at ")[0]
    for copied in (pickle.loads(pickle.dumps(generator)), copy.deepcopy(generator)):
        assert type(copied) is type(generator)
        assert hd.asnumpy(copied.normal(size=3)).tolist() == pytest.approx(
            hd.asnumpy(copy.deepcopy(generator).normal(size=3)).tolist(), rel=1e-12
        )


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_nothing_is_drawn_past_them(make):
    """NumPy's methods would draw from a stream of their own."""
    classes = type(make()).__mro__
    ours = classes[: classes.index(kind_of(make()))]
    drawing = {name for name in dir(kind_of(make())) if not name.startswith("_")}
    assert drawing <= {name for cls in ours for name in vars(cls)}


def test_their_names_are_numpys():
    for bits in (np.random.PCG64, np.random.MT19937):
        assert str(hd.random.Generator(bits(3))) == str(np.random.Generator(bits(3)))
        assert str(hd.random.RandomState(bits(3))) == str(np.random.RandomState(bits(3)))


def test_numpy_takes_them():
    rng = hd.random.default_rng(3)
    assert np.random.default_rng(rng) is rng


@pytest.mark.host_memory
@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_scipy_draws_from_them(make):
    stats = pytest.importorskip("scipy.stats")
    optimize = pytest.importorskip("scipy.optimize")
    generator = make()
    drawn = stats.norm.rvs(size=4, random_state=generator)
    assert drawn.shape == (4,) and len(set(drawn.tolist())) == 4
    found = optimize.differential_evolution(
        lambda x: float(((x - 0.5) ** 2).sum()), [(-1, 1)] * 2, rng=generator, maxiter=30
    )
    np.testing.assert_allclose(hd.asnumpy(found.x), 0.5, atol=1e-4)


@pytest.mark.host_memory
def test_scipy_draws_what_it_draws_of_numpys():
    stats = pytest.importorskip("scipy.stats")
    for seed in (0, 7):
        ours = stats.gamma.rvs(2.0, size=5, random_state=hd.random.RandomState(seed))
        theirs = stats.gamma.rvs(2.0, size=5, random_state=np.random.RandomState(seed))
        assert hd.asnumpy(ours).tolist() == theirs.tolist()


@pytest.mark.host_memory
def test_scikit_learn_draws_from_them():
    pytest.importorskip("sklearn")
    from sklearn.cluster import KMeans
    from sklearn.model_selection import train_test_split

    points = np.concatenate([np.random.default_rng(0).normal(c, 0.1, (20, 2)) for c in (0, 5)])
    labels = []
    for random in (np.random, hd.random):
        state = random.RandomState(0)
        halves = train_test_split(points, random_state=state)
        model = KMeans(2, n_init=2, random_state=state).fit(halves[0])
        labels.append(np.asarray(model.predict(points)))
    assert labels[0].tolist() == labels[1].tolist()


def test_a_seed_is_one_for_other_libraries():
    """Programs seed NumPy's module, and expect the same of what draws from it without a seed."""
    before = np.random.get_state()

    def draws(random):
        random.seed(7)
        drawn = [np.random.normal(size=2)]
        state = random.get_state() if random is np.random else np.random.get_state()
        np.random.rand()
        random.set_state(state)
        return [np.asarray(each).tolist() for each in (*drawn, np.random.rand(2))]

    try:
        assert draws(hd.random) == draws(np.random)
        hd.random.seed(5)
        first = [np.random.rand(), float(hd.random.rand())]  # streams of their own from there
        assert first[0] == first[1]
    finally:
        np.random.set_state(before)
        hd.random.reset_states()
