"""Random numbers inside of transformed functions: generators are state."""

import warnings

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")


@pytest.fixture(autouse=True)
def own_state():
    yield
    hd.random.reset_states()


DRAWS = {
    "random": lambda g: g.random(5),
    "scalar": lambda g: g.random(),
    "single": lambda g: g.random(5, dtype="f4"),
    "normal": lambda g: g.normal(2.0, 0.5, (2, 3)),
    "gamma": lambda g: g.gamma(0.5, size=4),
    "poisson": lambda g: g.poisson(3.0, 7),
    "integers": lambda g: g.integers(0, 2**20, 6),
    "halves": lambda g: g.integers(0, 256, 3, dtype="u1"),
    "permutation": lambda g: g.permutation(9),
    "long permutation": lambda g: g.permutation(70_000),
    "choice": lambda g: g.choice(hd.arange(10.0), 4, replace=False),
    "weights": lambda g: g.choice(5, 6, p=[0.1, 0.2, 0.3, 0.2, 0.2]),
    "several": lambda g: g.random(3) + g.normal(size=3) * g.exponential(size=3),
}


def recorded_once(f):
    """The function under jit, and how often it was called."""
    calls = []

    def counted(*args):
        calls.append(None)
        return f(*args)

    return hd.jit(counted), calls


@pytest.mark.parametrize("name", DRAWS)
def test_generators_go_on_as_in_plain_code(name):
    draw = DRAWS[name]
    mine, other = hd.random.default_rng(3), hd.random.default_rng(3)
    f, calls = recorded_once(lambda x: x + hd.asarray(draw(mine)).sum())
    for i in range(6):
        wanted = hd.full((), float(i)) + hd.asarray(draw(other)).sum()
        assert float(f(hd.full((), float(i)))) == float(wanted)
        if i == 3:  # somebody else draws between the calls
            assert mine.random() == other.random()
    # Words that are left of a block, and halves of words, make different calls of it.
    assert len(calls) <= (8 if name in ("halves", "single") else 4)
    a, b = mine.bit_generator.state, other.bit_generator.state
    assert str(a) == str(b)


MODULE = {
    "rand": lambda: hd.random.rand(4),
    "one": lambda: hd.random.rand(),
    "randn": lambda: hd.random.randn(2, 2),
    "normal": lambda: hd.random.normal(1.0, 2.0, 5),
    "randint": lambda: hd.random.randint(0, 10, 5),
    "permutation": lambda: hd.random.permutation(6),
    "choice": lambda: hd.random.choice(7, 3),
}


@pytest.mark.parametrize("name", MODULE)
def test_functions_of_the_module_after_seed(name):
    draw = MODULE[name]
    f, calls = recorded_once(lambda x: x * hd.asarray(draw()))
    hd.random.seed(5)
    found = [hd.asnumpy(f(hd.ones(()))) for _ in range(4)]
    hd.random.seed(5)
    for one in found:
        np.testing.assert_array_equal(one, hd.asnumpy(hd.asarray(draw())))
    assert len(calls) == 1
    hd.random.seed(5)  # the same generator, at another place
    np.testing.assert_array_equal(hd.asnumpy(f(hd.ones(()))), found[0])
    assert len(calls) == 1


@pytest.mark.parametrize("name", MODULE)
def test_functions_of_the_module_before_seed(name):
    draw = MODULE[name]
    f, calls = recorded_once(lambda x: x * hd.asarray(draw()))
    found = [hd.asnumpy(f(hd.ones(()))).tolist() for _ in range(5)]
    assert len({str(one) for one in found}) > 1
    assert len(calls) == 1
    # From now on they are NumPy's: the recorded call does not serve.
    hd.random.seed(1)
    one = hd.asnumpy(f(hd.ones(())))
    hd.random.seed(1)
    np.testing.assert_array_equal(one, hd.asnumpy(hd.asarray(draw())))


def test_generators_made_inside():
    seeded = hd.jit(lambda x: x + hd.random.default_rng(7).random(3))
    wanted = hd.random.default_rng(7).random(3).tolist()
    for _ in range(3):
        assert seeded(hd.zeros(3)).tolist() == wanted
    fresh, calls = recorded_once(lambda x: x + hd.random.default_rng().random(3))
    assert len({str(fresh(hd.zeros(3)).tolist()) for _ in range(4)}) == 4
    assert len(calls) == 1


def test_numpys_bit_generators():
    mine = hd.random.default_rng(np.random.PCG64(3))
    other = hd.random.default_rng(np.random.PCG64(3))
    f, calls = recorded_once(lambda x: x + mine.normal(size=3))
    for _ in range(3):
        assert f(hd.zeros(3)).tolist() == other.normal(size=3).tolist()
    assert len(calls) == 1


def test_a_call_that_does_not_serve_draws_nothing():
    mine, other = hd.random.default_rng(1), hd.random.default_rng(1)

    def body(g, x):
        noise = g.random(2)
        return noise * 2 if x.sum() > 0 else noise - 1

    f = hd.jit(lambda x: body(mine, x))
    for sign in (1, -1, 1, -1, -1, 1):
        x = hd.ones(2) * sign
        assert f(x).tolist() == body(other, x).tolist()


def test_states_that_are_set_run_as_plain_code():
    g = hd.random.default_rng(1)
    state = g.bit_generator.state

    def rewound(x):
        g.bit_generator.state = state
        return x + g.random(2)

    f = hd.jit(rewound)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        first = f(hd.zeros(2)).tolist()
        assert f(hd.zeros(2)).tolist() == first


def test_nested_recordings():
    mine, other = hd.random.default_rng(4), hd.random.default_rng(4)
    inner = hd.jit(lambda x: x + mine.random(2))
    f, calls = recorded_once(lambda x: inner(x) * inner(x))
    for _ in range(4):
        assert f(hd.zeros(2)).tolist() == (other.random(2) * other.random(2)).tolist()
    assert len(calls) == 1
    hd.random.seed(2)
    inner = hd.jit(lambda x: x + hd.random.rand(2))
    f, calls = recorded_once(lambda x: inner(x) * inner(x))
    found = [f(hd.zeros(2)).tolist() for _ in range(3)]
    hd.random.seed(2)
    assert found == [(hd.random.rand(2) * hd.random.rand(2)).tolist() for _ in range(3)]


# --- rows ---


@pytest.mark.parametrize("name", [name for name in DRAWS if name != "long permutation"])
def test_rows_have_streams_of_their_own(name):
    draw = DRAWS[name]
    g = hd.random.default_rng(3)
    made = hd.asnumpy(hd.vmap(lambda x: x * 0 + hd.asarray(draw(g)).sum())(hd.ones(4)))
    if name not in ("permutation",):
        assert len(set(made.tolist())) > 1
    again = hd.asnumpy(hd.vmap(lambda x: x * 0 + hd.asarray(draw(g)).sum())(hd.ones(4)))
    if name not in ("permutation",):
        assert made.tolist() != again.tolist()


def test_rows_are_one_stream_in_order():
    a, b = hd.random.default_rng(3), hd.random.default_rng(3)
    found = hd.vmap(lambda x: x + a.random(5))(hd.zeros(4))
    assert found.tolist() == b.random((4, 5)).tolist()
    nested = hd.vmap(hd.vmap(lambda x: x + a.normal(size=2)))(hd.zeros((3, 4)))
    assert nested.tolist() == b.normal(size=(3, 4, 2)).tolist()
    # An odd number of words was drawn before.
    found = hd.vmap(lambda x: x + a.random(3))(hd.zeros(3))
    assert found.tolist() == b.random((3, 3)).tolist()
    assert a.random() == b.random()


def test_long_permutations_of_rows():
    g = hd.random.default_rng(3)
    made = hd.asnumpy(hd.vmap(lambda x: g.permutation(70_000) + x)(hd.zeros(2, "i8")))
    assert (np.sort(made, 1) == np.arange(70_000)).all()
    assert (made[0] != made[1]).any()


@pytest.mark.parametrize("name", MODULE)
def test_rows_after_seed(name):
    draw = MODULE[name]
    hd.random.seed(3)
    made = hd.vmap(lambda x: x + hd.asarray(draw()))(hd.zeros(3))
    hd.random.seed(3)
    wanted = [hd.asnumpy(hd.asarray(draw())) for _ in range(3)]
    np.testing.assert_array_equal(hd.asnumpy(made), wanted)


def test_shuffling_rows():
    for seeded in (False, True):
        hd.random.reset_states()
        if seeded:
            hd.random.seed(3)

        def shuffled(x):
            y = x.copy()
            hd.random.shuffle(y)
            return y

        made = hd.asnumpy(hd.vmap(shuffled)(hd.zeros((6, 1), int) + hd.arange(8)))
        assert (np.sort(made, 1) == np.arange(8)).all()
        assert len({tuple(row) for row in made.tolist()}) > 1


def test_recorded_batches_draw_anew():
    a, b = hd.random.default_rng(3), hd.random.default_rng(3)
    f, calls = recorded_once(hd.vmap(lambda x: x + a.random(2)))
    for _ in range(3):
        assert f(hd.zeros(4)).tolist() == b.random((4, 2)).tolist()
    assert len(calls) == 1
    inside = hd.jit(lambda x: x + a.random(2))
    inside(hd.zeros(2))
    b.random(2)
    found = hd.vmap(inside)(hd.zeros((4, 2)))
    assert found.tolist() == b.random((4, 2)).tolist()


def test_gradients_of_draws():
    a, b = hd.random.default_rng(3), hd.random.default_rng(3)
    f = hd.jit(hd.grad(lambda s: (s * a.normal(size=3)).sum()))
    for _ in range(3):
        assert float(f(hd.array(2.0))) == pytest.approx(float(b.normal(size=3).sum()))


PARAMETERS = {
    "normal": (lambda g, p: g.normal(p, p), ValueError, "scale < 0"),
    "gamma": (lambda g, p: g.gamma(p), ValueError, "shape < 0"),
    "poisson": (lambda g, p: g.poisson(p), ValueError, "lam < 0"),
    "uniform": (lambda g, p: g.uniform(0.0, p), ValueError, "high - low < 0"),
    "exponential": (lambda g, p: g.exponential(p), ValueError, "scale < 0"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_that_change_are_drawn_with_in_recorded_calls(name):
    draw, error, text = PARAMETERS[name]
    plain, recorded = hd.random.default_rng(3), hd.random.default_rng(3)
    function, calls = recorded_once(lambda p: draw(recorded, p))
    for i in range(1, 15):
        p = hd.arange(1.0, 5.0) * i
        np.testing.assert_array_equal(hd.asnumpy(function(p)), hd.asnumpy(draw(plain, p)))
    assert len(calls) == 1
    with pytest.raises(error, match=text):
        function(hd.array([1.0, -2.0, 3.0, 4.0]))


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_of_rows(name):
    draw, error, text = PARAMETERS[name]
    one, other = hd.random.default_rng(3), hd.random.default_rng(3)
    p = hd.arange(1.0, 9.0).reshape(4, 2)
    rows = hd.vmap(lambda row: draw(one, row))(p)
    np.testing.assert_array_equal(hd.asnumpy(rows), hd.asnumpy(draw(other, p)))
    with pytest.raises(error, match=text):
        hd.vmap(lambda row: draw(one, row))(-p)


def test_looking_at_calls_that_draw():
    """Nothing is drawn of the generators by that."""
    g, other = hd.random.default_rng(3), hd.random.default_rng(3)
    lowered = hd.jit(lambda x: x * g.normal(size=4) + g.random(4)).lower(hd.ones(4))
    assert "random" in lowered.as_text()
    assert lowered.compile().cost_analysis()["kernels"] == 1
    assert lowered.cost_analysis()["bytes written"] == 32
    np.testing.assert_array_equal(hd.asnumpy(g.random(3)), hd.asnumpy(other.random(3)))


CHECKPOINTED = {
    "grad": lambda f: hd.grad(lambda x: f(x).sum()),
    "twice": lambda f: hd.grad(lambda x: f(f(x)).sum()),
    "jit of grad": lambda f: hd.jit(hd.grad(lambda x: f(x).sum())),
    "grad of jit": lambda f: hd.grad(hd.jit(lambda x: f(x).sum())),
    "jacrev": lambda f: hd.jacrev(f),
    "jacfwd": lambda f: hd.jacfwd(f),
    "hessian": lambda f: hd.hessian(lambda x: f(x).sum()),
    "linearize": lambda f: lambda x: hd.linearize(f, x)[1](x),
    "vmap of grad": lambda f: lambda x: hd.vmap(hd.grad(lambda x: f(x).sum()))(hd.stack([x, -x])),
    "grad of vmap": lambda f: lambda x: hd.grad(lambda x: hd.vmap(f)(x).sum())(hd.stack([x, -x])),
    "scan": lambda f: hd.grad(
        lambda x: hd.lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0].sum()
    ),
}


@pytest.mark.parametrize("way", CHECKPOINTED)
@pytest.mark.parametrize("wrap", [hd.checkpoint, lambda f: hd.checkpoint(hd.jit(f))])
def test_checkpoints_draw_the_same_again(way, wrap):
    def of(generator):
        return lambda u: hd.sin(u * generator.normal(size=3)) + generator.random()

    mine, other = hd.random.default_rng(4), hd.random.default_rng(4)
    found = CHECKPOINTED[way](wrap(of(mine)))
    wanted = CHECKPOINTED[way](of(other))
    for i in range(3):
        x = hd.asarray([0.3, 0.4, 0.5]) + 0.1 * i
        np.testing.assert_allclose(hd.asnumpy(found(x)), hd.asnumpy(wanted(x)), rtol=1e-12)
    assert mine.random() == other.random()


def test_checkpoints_of_generators_that_nobody_knows():
    def f(u):
        return (u * hd.random.default_rng().normal(size=3)).sum()

    value, slope = hd.value_and_grad(hd.checkpoint(f))(hd.ones(3))
    np.testing.assert_allclose(float(value), float(slope.sum()), rtol=1e-12)
