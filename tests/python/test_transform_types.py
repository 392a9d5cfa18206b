"""What transformations say of whole numbers, of branches that differ, and of arrays that rules of
users' read without being given them."""

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

WHOLE = hd.arange(3)
NONE = np.zeros(3, hd.float0)


def test_tangents_of_whole_numbers():
    value, change = hd.jvp(lambda n, x: (n * x, n), (WHOLE, 2.0), (NONE, 1.0))
    np.testing.assert_array_equal(hd.asnumpy(value[0]), [0, 2, 4])
    np.testing.assert_array_equal(hd.asnumpy(change[0]), [0, 1, 2])
    assert change[1].dtype == hd.float0
    assert change[1].shape == (3,)
    along = hd.linearize(lambda n, x: n * x, WHOLE, 2.0)[1]
    np.testing.assert_array_equal(hd.asnumpy(along(NONE, 3.0)), [0, 3, 6])
    only = hd.jvp(lambda n: n * 2.0, (WHOLE,), (NONE,))[1]
    np.testing.assert_array_equal(hd.asnumpy(only), [0, 0, 0])


@pytest.mark.parametrize("tangent", [hd.ones(3), hd.arange(3), np.ones(3)])
def test_tangents_with_values_are_refused(tangent):
    with pytest.raises(TypeError, match=r"jvp: the tangent of argument 1 .* int64, which has no"):
        hd.jvp(lambda x, n: n * x, (2.0, WHOLE), (1.0, tangent))


def test_cotangents_of_whole_numbers():
    _, pull = hd.vjp(lambda n, x: (n * x, n), WHOLE, 2.0)
    for given in (NONE, hd.ones(3), WHOLE):
        to_whole, slope = pull((hd.ones(3), given))
        assert to_whole.dtype == hd.float0
        assert to_whole.shape == (3,)
        assert float(slope) == 3
    with pytest.raises(ValueError, match=r"cotangent of the result\[1\] has shape \(2,\)"):
        pull((hd.ones(3), np.zeros(2, hd.float0)))
    flags = hd.vjp(lambda m, x: hd.where(m, x, 0.0).sum(), WHOLE > 0, 2.0)[1](1.0)
    assert flags[0].dtype == hd.float0
    assert float(flags[1]) == 2


def test_matrices_of_whole_numbers():
    for transform in (hd.jacfwd, hd.jacrev):
        said = f"^{transform.__name__}: argument 0 is of type int64, which has no derivatives"
        with pytest.raises(TypeError, match=said):
            transform(lambda n: n * 2.0)(WHOLE)
        with pytest.raises(TypeError, match=f"^{transform.__name__}: .* int64"):
            transform(lambda x: x.astype(int))(hd.ones(3))
    with pytest.raises(TypeError, match="linear_transpose: argument 0 is of type int64"):
        hd.linear_transpose(lambda n: n * 2, WHOLE)


def test_errors_of_jacfwd_speak_of_it():
    with pytest.raises(TypeError, match=r"^jacfwd: "):
        hd.jacfwd(lambda x: "text")(1.0)


def choose(true, false):
    return hd.vmap(lambda x: hd.lax.cond(x > 0, true, false, x))


def test_branches_that_differ():
    x = hd.array([1.0, -1.0])
    with pytest.raises(TypeError, match=r"cond: .* one structure: false_fun gives .*true_fun"):
        choose(lambda v: v, lambda v: (v,))(x)
    with pytest.raises(TypeError, match=r"false_fun gives int64\[\], true_fun float64\[\]"):
        choose(lambda v: v, lambda v: v.astype(int))(x)
    with pytest.raises(TypeError, match=r"false_fun gives float64\[2\], true_fun float64\[\]"):
        choose(lambda v: v, lambda v: v * hd.ones(2))(x)
    with pytest.raises(TypeError, match=r"float32\[\], at \['b'\]"):
        choose(
            lambda v: {"a": v, "b": v.astype("float32")},
            lambda v: {"a": v, "b": v},
        )(x)
    with pytest.raises(TypeError, match=r"switch: .* branch 0 gives float64\[\], branch 2 int64"):
        hd.vmap(
            lambda x: hd.lax.switch(
                (x > 0).astype(int), [hd.sin, hd.cos, lambda v: v.astype(int)], x
            )
        )(x)
    # Python's numbers take the type of the other.
    made = choose(lambda v: v, lambda v: 0)(x)
    np.testing.assert_array_equal(hd.asnumpy(made), [1, 0])
    assert choose(lambda v: v, lambda v: 0.0)(x.astype("float32")).dtype == np.float32


def test_shapes_of_branches_are_compared_without_computing():
    def f(x):
        return hd.lax.cond(x > 0, lambda v: v, lambda v: v.astype(int), x)

    for run in (lambda: f(hd.array(1.0)), lambda: hd.eval_shape(f, 1.0)):
        with pytest.raises(TypeError, match=r"cond: branches have to give one shape and type"):
            run()


def closing_vjp(y):
    f = hd.custom_vjp(lambda x: x * y)
    f.defvjp(lambda x: (x * y, None), lambda _, g: (g * 2,))
    return f


def closing_jvp(y):
    f = hd.custom_jvp(lambda x: x * y)
    f.defjvp(lambda primals, tangents: (f(*primals), tangents[0] * y))
    return f


def closing_gradient(y):
    return hd.custom_gradient(lambda x: (x * y, lambda g: (g * 2,)))


@pytest.mark.parametrize("rule", [closing_vjp, closing_jvp, closing_gradient])
def test_rules_that_read_what_is_differentiated(rule):
    def f(x, y):
        return rule(y * 1.0)(x)

    for argnums in (0, (0, 1)):
        transform = hd.grad(f, argnums)
        if argnums == 0:
            assert float(transform(3.0, hd.array(5.0))) in (2, 5)  # y is no variable
            continue
        with pytest.raises(TypeError, match=r"custom_\w+ of .* reads an array .* as an argument"):
            transform(3.0, 5.0)
    with pytest.raises(TypeError, match="pass it as an argument"):
        hd.jvp(f, (3.0, 5.0), (1.0, 1.0))
    with pytest.raises(TypeError, match="pass it as an argument"):
        hd.vmap(hd.grad(f, (0, 1)))(hd.ones(2), hd.ones(2))
    # What is a constant may be read.
    constant = hd.grad(lambda x, y: rule(hd.stop_gradient(y))(x), (0, 1))(3.0, 5.0)
    assert float(constant[1]) == 0


def test_rules_in_loops_that_read_what_is_differentiated():
    def f(x, y):
        rule = closing_vjp(y)
        return hd.lax.fori_loop(0, 2, lambda _, c: rule(c), x)

    with pytest.raises(TypeError, match="pass it as an argument"):
        hd.grad(f, (0, 1))(3.0, 5.0)
    assert float(hd.grad(f)(3.0, hd.array(5.0))) == 4


def test_rules_that_give_what_is_differentiated():
    def f(x, y):
        given = hd.custom_vjp(lambda x: y)
        given.defvjp(lambda x: (y, None), lambda _, g: (g,))
        return given(x)

    with pytest.raises(TypeError, match="pass it as an argument"):
        hd.grad(f, (0, 1))(1.0, 2.0)


def test_rules_that_compare_with_what_is_differentiated():
    def f(x, y):
        larger = hd.custom_vjp(lambda x: hd.where(y > 0, x, -x))
        larger.defvjp(lambda x: (larger(x), None), lambda _, g: (g * 7,))
        return larger(x) * y

    assert [float(one) for one in hd.grad(f, (0, 1))(1.0, 2.0)] == [14, 1]


def test_rules_that_differentiate_inside_of_batches():
    f = hd.custom_vjp(lambda x: hd.grad(hd.sin)(x))
    f.defvjp(lambda x: (hd.grad(hd.sin)(x), x), lambda x, g: (100 * g * hd.sin(x),))
    x = np.array([0.5, 1.0])
    for around in (hd.vmap, lambda g: hd.jit(hd.vmap(g))):
        mapped = around(f)
        value, slope = hd.value_and_grad(lambda v, g=mapped: g(v).sum())(hd.array(x))
        np.testing.assert_allclose(float(value), np.cos(x).sum())
        np.testing.assert_allclose(hd.asnumpy(slope), 100 * np.sin(x))


@pytest.mark.parametrize(
    "given",
    [
        np.array(["text"]),
        np.array(["2020"], "M8[D]"),
        np.array([object()]),
        np.ones(1, np.longdouble),
        np.ones(1, np.clongdouble),
    ],
    ids=lambda given: str(given.dtype),
)
def test_arguments_of_types_that_our_arrays_do_not_have(given):
    if given.dtype in (np.float64, np.complex128):
        pytest.skip("long double is double here")
    ways = {
        "grad": lambda: hd.grad(lambda x: x)(given),
        "jacfwd": lambda: hd.jacfwd(lambda x: x)(given),
        "vjp": lambda: hd.vjp(lambda x: x, given),
        "jvp": lambda: hd.jvp(lambda x: x, (given,), (given,)),
        "linearize": lambda: hd.linearize(lambda x: x, given),
        "vmap": lambda: hd.vmap(lambda x: x)(given),
    }
    for name, call in ways.items():
        with pytest.raises(TypeError, match=f"{name}: .*is of type .*, which arrays of Heddle do"):
            call()
