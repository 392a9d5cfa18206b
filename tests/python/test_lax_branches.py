"""heddle.lax.cond and switch: what branches that were not chosen would give, and their effects."""

import numpy as np
import pytest

import heddle as hd
from heddle import lax

pytestmark = pytest.mark.unrecorded("records itself")

X = [1.0, 2.0]
DIFFERENT = [
    (lambda x: x, lambda x: x.sum(), ["float64[2]", "float64[]"]),
    (lambda x: x, lambda x: x.astype("f4"), ["float64[2]", "float32[2]"]),
    (lambda x: (x, x), lambda x: [x, x], ["one structure"]),
    (lambda x: {"a": x}, lambda x: {"b": x}, ["one structure"]),
    (lambda x: {"a": (x, x)}, lambda x: {"a": (x, x[:1])}, ["float64[1]", "at ['a'][1]"]),
    (lambda x: x, lambda x: None, ["one structure"]),
]


@pytest.mark.parametrize("transform", [lambda f: f, hd.jit, hd.eval_shape])
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(("one", "other", "texts"), DIFFERENT)
def test_branches_are_compared_whichever_is_chosen(one, other, texts, which, transform):
    branches = [one, other] if which else [other, one]

    def by_cond(x):
        return lax.cond(x.size == 2, *branches, x)

    def by_switch(x):
        return lax.switch(1, branches, x)

    for f in (by_cond, by_switch):
        for _ in range(2):
            with pytest.raises(TypeError) as told:
                if transform is hd.eval_shape:
                    hd.eval_shape(f, hd.array(X))
                else:
                    transform(f)(hd.array(X))
            assert all(text in str(told.value) for text in texts)


def test_other_operands_and_arrays_around_are_compared_again():
    def f(x, y):
        return lax.cond(True, lambda x: x * 2, lambda x: x + y, x)

    np.testing.assert_array_equal(hd.asnumpy(f(hd.ones(3), hd.ones(3))), [2, 2, 2])
    with pytest.raises(TypeError, match="float64"):
        f(hd.ones(3, "f4"), hd.ones(3))
    with pytest.raises(TypeError, match=r"\[1\]"):
        f(hd.ones(1), hd.ones(3))


def test_numbers_take_the_type_of_arrays():
    x = hd.ones((), "f4")
    assert lax.cond(False, lambda x: 0, lambda x: x, x).dtype == np.float32
    assert lax.cond(True, lambda: 1.0, lambda: 2.0) == 1.0
    with pytest.raises(TypeError, match="int"):
        lax.cond(False, lambda x: 0.5, lambda x: x, hd.ones((), int))


def test_what_was_not_chosen_has_no_effect():
    written, generator = hd.zeros(3), hd.random.default_rng(4)
    before = hd.random.default_rng(4).random(2)

    def other(x):
        written[0] += 1
        x[0] = 7
        return x

    def draws(x):
        written[1] = 5
        return x + generator.random(2)

    x = hd.ones(2)
    for _ in range(2):
        lax.cond(True, lambda x: x * 2, other, x)
        lax.switch(0, [lambda x: x * 2, draws, other], x)
        hd.jit(lambda x: lax.cond(True, lambda x: x * 2, other, x))(x)
        hd.grad(lambda x: lax.cond(True, lambda x: x * 2, draws, x).sum())(x)
        hd.vmap(lambda x: lax.cond(True, lambda x: x * 2, other, x))(hd.ones((3, 2)))
    np.testing.assert_array_equal(hd.asnumpy(written), [0, 0, 0])
    np.testing.assert_array_equal(hd.asnumpy(x), [1, 1])
    np.testing.assert_array_equal(hd.asnumpy(generator.random(2)), hd.asnumpy(before))


def test_what_cannot_be_known_is_not_compared():
    def looks(x):
        return x.sum() if float(x[0]) > 0 else x

    def fails(x):
        raise ValueError

    x = hd.ones(2)
    for other in (looks, fails):
        np.testing.assert_array_equal(hd.asnumpy(lax.cond(True, lambda x: x * 2, other, x)), [2, 2])
    with pytest.raises(ValueError):
        lax.cond(False, lambda x: x * 2, fails, x)


def test_branches_that_call_themselves():
    def factorial(n):
        return lax.cond(n > 0, lambda n: n * factorial(n - 1), lambda n: hd.ones((), int), n)

    assert factorial(hd.array(5)) == 120
    assert hd.jit(factorial)(hd.array(6)) == 720


def test_derivatives_with_branches_that_were_compared():
    y = hd.array([3.0, 4.0])

    def f(x):
        return lax.cond(x[0] > 0, lambda x: (x * y).sum(), lambda x: (x - y).sum() ** 2, x)

    for transform in (hd.grad, lambda f: hd.jit(hd.grad(f))):
        found = transform(f)
        np.testing.assert_array_equal(hd.asnumpy(found(hd.array([1.0, 2.0]))), [3, 4])
        np.testing.assert_array_equal(hd.asnumpy(found(hd.array([-1.0, 2.0]))), [-12, -12])
    slopes = hd.grad(lambda y: lax.cond(True, lambda v: (v * y).sum(), lambda v: y.sum(), y))(y)
    np.testing.assert_array_equal(hd.asnumpy(slopes), [6, 8])


@pytest.mark.parametrize("transform", [lambda f: f, hd.jit, hd.vmap])
def test_an_operand_for_each_branch(transform):
    """The older form of JAX's."""

    def f(x):
        return lax.cond(x[0] > 0, (x, 2.0), lambda both: both[0] * both[1], x, lambda x: -x)

    rows = hd.array([[1.0, 2.0], [-1.0, 3.0]])
    wanted = [[2.0, 4.0], [1.0, -3.0]]
    if transform is hd.vmap:
        assert hd.vmap(f)(rows).tolist() == wanted
        slopes = hd.grad(lambda rows: hd.vmap(f)(rows).sum())(rows)
        assert slopes.tolist() == [[2, 2], [-1, -1]]
    else:
        assert [transform(f)(row).tolist() for row in rows] == wanted
    with pytest.raises(TypeError, match="are functions"):
        lax.cond(True, 1.0, lambda x: x, 1.0, 2.0)
