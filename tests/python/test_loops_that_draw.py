"""Plain loops that draw random numbers in each pass, recorded: they are rolled up, and draw what
plain code draws."""

import numpy as np
import pytest

import heddle as hd
from heddle import _core

pytestmark = pytest.mark.unrecorded("records itself")

PASSES = 300


def near(found, wanted):
    np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(wanted), rtol=1e-12, atol=1e-12)


class Plain:
    """A generator whose numbers are computed at once, so that passes are small programs."""

    def __init__(self, seed):
        self.generator = hd.random.default_rng(seed)

    def __getattr__(self, name):
        def drawn(*args, **kwargs):
            made = getattr(self.generator, name)(*args, **kwargs)
            return hd.asarray(hd.asnumpy(made)) if isinstance(made, _core.own_array) else made

        return drawn


def assert_same_draws(f, *arguments, rolled=True, calls=3):
    """f(generator, *arguments), plain and recorded, and what the generators give afterwards."""
    plain, recorded = Plain(5), hd.random.default_rng(5)
    jitted = hd.jit(lambda *a: f(recorded, *a))
    for _ in range(calls):
        for found, wanted in zip(
            hd.tree.leaves(jitted(*arguments)), hd.tree.leaves(f(plain, *arguments)), strict=True
        ):
            near(found, wanted)
        near(recorded.random(), plain.random())  # the next call begins inside of a block
    text = jitted.lower(*arguments).as_text()
    assert ("loop(" in text) == rolled, text[:2000]
    if rolled:
        assert text.count("\n") < 100, text[:2000]


@pytest.mark.parametrize("size", [(), 5, (3, 8)])
@pytest.mark.parametrize("draw", ["random", "normal", "exponential"])
def test_rolled_up(draw, size):
    def f(generator, x):
        for _ in range(PASSES):
            x = x * 0.9 + getattr(generator, draw)(size=size) * 0.1
        return x

    assert_same_draws(f, hd.ones(size))


def test_several_draws_in_a_pass():
    def f(generator, x):
        for _ in range(PASSES):
            step = generator.normal(0.0, 0.1, size=7)
            x = x * 0.9 + step * generator.random()
        return x, step  # of the last pass

    assert_same_draws(f, hd.ones(7))


@pytest.mark.parametrize("passes", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 3])
def test_halves_of_words_that_are_left(size, passes):
    """A recorded call begins with half a word of the call before, another one each time."""

    def f(generator, x):
        for _ in range(passes):
            x = x * 0.9 + generator.normal(size=7).sum() + generator.random(size, dtype="f4")
        return x

    plain, recorded = Plain(5), hd.random.default_rng(5)
    jitted = hd.jit(lambda x: f(recorded, x))
    x = hd.ones(size)
    for _ in range(8):
        near(jitted(x), f(plain, x))
    rows = hd.ones((2, size))
    batched = hd.jit(hd.vmap(lambda x: f(recorded, x)))
    for _ in range(6):
        near(batched(rows), hd.vmap(lambda x: f(plain.generator, x))(rows))


def test_whole_numbers_and_words_that_are_held():
    def f(generator, x):
        kept = []
        for i in range(PASSES):
            words = generator.integers(0, 2**64, 6, dtype="u8")
            x = x ^ words
            if i % 100 == 0:
                kept.append(words)
        return x, kept

    plain, recorded = Plain(5), hd.random.default_rng(5)
    jitted = hd.jit(lambda x: f(recorded, x))
    x = hd.zeros(6, "u8")
    for _ in range(3):
        for one, other in zip(hd.tree.leaves(jitted(x)), hd.tree.leaves(f(plain, x)), strict=True):
            np.testing.assert_array_equal(hd.asnumpy(one), hd.asnumpy(other))


def test_two_generators():
    def f(generator, x):
        other = hd.random.default_rng(9)
        for _ in range(PASSES):
            x = x * 0.9 + generator.random(4) * other.normal(size=4)
        return x

    assert_same_draws(f, hd.ones(4))


def test_walkers_of_a_diffusion_and_their_derivative():
    def walk(generator, x, scale):
        for _ in range(PASSES):
            x = x - 0.01 * x**3 + scale * generator.normal(size=20)
        return (x**2).mean()

    def slope(generator, x, scale):
        return hd.value_and_grad(lambda s: walk(generator, x, s))(scale)

    assert_same_draws(slope, hd.ones(20), hd.array(0.1))


def test_loops_of_lax_that_draw():
    def f(generator, x):
        return hd.lax.fori_loop(0, PASSES, lambda i, a: a * 0.9 + generator.normal(size=5), x)

    assert_same_draws(f, hd.ones(5))


def test_products_with_what_is_drawn():
    """A library reads the drawn numbers, not the words."""

    def f(generator, x):
        for _ in range(PASSES):
            x = hd.tanh(generator.normal(size=(4, 4)) @ x)
        return x

    assert_same_draws(f, hd.ones((4, 2)))


def test_rows_of_a_batch_draw_for_themselves():
    def f(generator, x):
        def row(v):
            for _ in range(PASSES):
                v = v * 0.9 + generator.normal(size=3)
            return v

        return hd.vmap(row)(x)

    plain, recorded = hd.random.default_rng(5), hd.random.default_rng(5)
    jitted = hd.jit(lambda x: f(recorded, x))
    for _ in range(3):
        near(jitted(hd.ones((2, 3))), f(plain, hd.ones((2, 3))))
