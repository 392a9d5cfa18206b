"""Functions with derivatives of their own inside of loops, batches and recorded calls: a rule that
is not the derivative shows whether it is used."""

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

X = hd.array([1.0, 2.0, 3.0])


def by_vjp():
    f = hd.custom_vjp(lambda x: x * x)
    f.defvjp(lambda x: (f(x), x), lambda x, g: (100 * g * x,))
    return f


def by_jvp():
    f = hd.custom_jvp(lambda x: x * x)
    f.defjvp(lambda primals, tangents: (f(primals[0]), 100 * tangents[0] * primals[0]))
    return f


def by_gradient():
    return hd.custom_gradient(lambda x: (x * x, lambda g: 100 * g * x))


def total(f):
    return lambda x: f(x).sum()


def repeated(f):
    return lambda x: hd.lax.fori_loop(0, 2, lambda _, c: f(c), x)


# What a function becomes that squares elements, and how often it is applied.
AROUND = {
    "vmap": (lambda f: hd.vmap(f), 1),
    "vmap of vmap": (lambda f: lambda x: hd.vmap(hd.vmap(f))(x[:, None])[:, 0], 1),
    "jit": (lambda f: hd.jit(f), 1),
    "jit of vmap": (lambda f: hd.jit(hd.vmap(f)), 1),
    "vmap of jit": (lambda f: hd.vmap(hd.jit(f)), 1),
    "map": (lambda f: lambda x: hd.lax.map(f, x), 1),
    "checkpoint": (lambda f: hd.checkpoint(f), 1),
    "jit of checkpoint": (lambda f: hd.jit(hd.checkpoint(f)), 1),
    "vmap of checkpoint": (lambda f: hd.vmap(hd.checkpoint(f)), 1),
    "twice": (lambda f: lambda x: f(f(x)), 2),
    "jit twice": (lambda f: hd.jit(lambda x: f(f(x))), 2),
    "scan": (lambda f: lambda x: hd.lax.scan(lambda c, _: (f(c), None), x, None, 2)[0], 2),
    "fori_loop": (repeated, 2),
    "jit of fori_loop": (lambda f: hd.jit(repeated(f)), 2),
    "vmap of fori_loop": (lambda f: hd.vmap(repeated(f)), 2),
    "scan of checkpoint": (
        lambda f: lambda x: hd.lax.scan(lambda c, _: (hd.checkpoint(f)(c), None), x, None, 2)[0],
        2,
    ),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("rule", [by_vjp, by_jvp, by_gradient])
def test_rules_are_used(rule, around):
    wrap, times = AROUND[around]
    g = total(wrap(rule()))
    x = hd.asnumpy(X)
    wanted = 100 * x if times == 1 else 100 * x * 100 * x**2
    of_g = hd.grad(g)
    for _ in range(3):  # recorded calls are repeated
        np.testing.assert_allclose(hd.asnumpy(of_g(X)), wanted)
    recorded = hd.jit(of_g)
    for _ in range(3):
        np.testing.assert_allclose(hd.asnumpy(recorded(X)), wanted)
    np.testing.assert_allclose(hd.asnumpy(hd.jvp(g, (X,), (X,))[1]), (wanted * x).sum())


@pytest.mark.parametrize("around", AROUND)
def test_forward_rules_are_applied_as_they_are(around):
    """A tangent is what the rule makes of tangents, be that linear in them or not."""
    f = hd.custom_jvp(lambda x: x * x)
    f.defjvp(lambda primals, tangents: (f(primals[0]), hd.cos(tangents[0]) * primals[0]))
    wrap, times = AROUND[around]
    g = wrap(f)
    x = hd.asnumpy(X)

    def once(x, t):
        return x * x, np.cos(t) * x

    wanted = once(*once(x, x)) if times == 2 else once(x, x)
    _, along = hd.linearize(g, X)
    for made in (hd.jvp(g, (X,), (X,))[1], along(X), hd.jit(lambda x: hd.jvp(g, (x,), (x,)))(X)[1]):
        np.testing.assert_allclose(hd.asnumpy(made), wanted[1])
    if times == 1:
        # Who differentiates that finds what the rule computed, of primals and of tangents.
        made = hd.grad(lambda x, t: hd.jvp(g, (x,), (t,))[1].sum(), (0, 1))(X, X)
        np.testing.assert_allclose(hd.asnumpy(made[0]), np.cos(x))
        np.testing.assert_allclose(hd.asnumpy(made[1]), -np.sin(x) * x)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("rule", [by_vjp, by_jvp])
def test_rules_are_used_again(rule, around):
    wrap, times = AROUND[around]
    g = total(wrap(rule()))
    x = hd.asnumpy(X)
    # The second application's slope, 100 f(x), is differentiated by the rule, too.
    wanted = 100 * np.ones(3) if times == 1 else 100 * 100 * (x**2 + 100 * x**2)
    second = hd.grad(lambda x: hd.grad(g)(x).sum())
    np.testing.assert_allclose(hd.asnumpy(second(X)), wanted)
    np.testing.assert_allclose(hd.asnumpy(hd.hessian(g)(X)), np.diag(wanted))


def test_rows_of_rules_in_gradients():
    f = by_vjp()
    rows = hd.vmap(hd.grad(lambda x: hd.vmap(f)(x).sum()))(hd.stack([X, 2 * X]))
    np.testing.assert_allclose(hd.asnumpy(rows), [[100, 200, 300], [200, 400, 600]])
    through = hd.grad(lambda x: hd.vmap(hd.grad(lambda v: f(v)))(x).sum())(X)
    np.testing.assert_allclose(hd.asnumpy(through), [100, 100, 100])


def test_trees_and_other_arguments_of_rules():
    @hd.custom_vjp
    def f(tree, scale):
        return {"sum": tree["a"] * scale + tree["b"][0], "count": hd.array(3)}

    def forward(tree, scale):
        return f(tree, scale), (tree["a"], scale, "kept")

    def back(residuals, g):
        a, scale, word = residuals
        assert word == "kept"
        return {"a": g["sum"] * 7 * scale, "b": [g["sum"] * a]}, None

    f.defvjp(forward, back)

    def loop(a, b):
        def body(c, row):
            return f({"a": c, "b": [row]}, hd.array(2.0))["sum"], None

        return hd.lax.scan(body, a, b)[0]

    of_a, of_b = hd.grad(loop, argnums=(0, 1))(hd.array(1.0), hd.array([3.0, 4.0]))
    assert of_a == 14 * 14
    np.testing.assert_allclose(hd.asnumpy(of_b), [14.0 * 1, 5.0])


def test_checkpoints_in_loops():
    def body(c, row):
        return hd.sin(c) * row + c * 0.3, c * row

    def f(of, x, rows):
        last, all_of_them = hd.lax.scan(of, x, rows)
        return (last**2).sum() + all_of_them.sum()

    rows = hd.array(np.random.default_rng(1).normal(size=(7, 3)))
    plain = hd.grad(lambda *a: f(body, *a), argnums=(0, 1))(X, rows)
    kept = hd.grad(lambda *a: f(hd.checkpoint(body), *a), argnums=(0, 1))(X, rows)
    for one, other in zip(plain, kept, strict=True):
        np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(other), rtol=1e-12)
    mapped = hd.grad(lambda x: hd.lax.map(hd.checkpoint(hd.sin), x).sum())(X)
    np.testing.assert_allclose(hd.asnumpy(mapped), np.cos([1.0, 2, 3]))


def test_checkpoints_of_closures():
    # Derivatives with respect to what the function reads from outside were lost.
    assert hd.grad(lambda p: hd.checkpoint(lambda x: x * p)(p * 1))(2.0) == 4

    def f(p, wrap):
        def body(c, row):
            return wrap(lambda x: hd.sin(x) * p + c)(row), None

        return hd.lax.scan(body, hd.array(1.0), X)[0]

    wanted = hd.grad(lambda p: f(p, lambda g: g))(1.2)
    made = hd.grad(lambda p: f(p, hd.checkpoint))(1.2)
    np.testing.assert_allclose(float(made), float(wanted), rtol=1e-12)


def test_one_argument_has_rows_and_another_is_differentiated_around_them():
    """The rule calls the function itself, whose arguments nobody follows there."""
    f = hd.custom_vjp(lambda x, c: x * c)
    f.defvjp(lambda x, c: (f(x, c), (x, c)), lambda kept, g: (g * kept[1], (kept[0] * g).sum()))

    def scanned(x, c):
        return hd.lax.scan(lambda x, _: (f(x, c), None), x, None, length=3)[0]

    x, c = hd.arange(6.0).reshape(3, 2), hd.array(2.0)
    for function, wanted in ((f, 15.0), (scanned, 15.0 * 12)):
        mapped = hd.vmap(function, in_axes=(0, None))
        _, back = hd.vjp(mapped, x, c)
        assert float(back(hd.ones((3, 2)))[1]) == wanted
        hd.debug.check_grads(mapped, (x, c), order=2, modes=["rev"])


def test_a_rule_applies_the_function_to_a_tangent():
    f = hd.custom_jvp(lambda x: -x)
    f.defjvp(lambda primals, tangents: (f(*primals), f(*tangents)))
    assert float(hd.grad(f)(3.0)) == -1
    assert float(hd.jvp(f, (3.0,), (2.0,))[1]) == -2
    assert float(hd.grad(hd.grad(lambda x: f(x) ** 3))(3.0)) == -18
    assert float(hd.grad(hd.jit(f))(3.0)) == -1
    looped = hd.grad(lambda x: hd.lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0])
    assert float(looped(3.0)) == -1
    assert hd.vmap(hd.grad(f))(X).tolist() == [-1, -1, -1]


def test_functions_with_keywords_that_nobody_says():
    f = hd.custom_jvp(hd.sin)
    f.defjvp(lambda primals, tangents: (f(*primals), sum(tangents)))
    assert float(hd.grad(f)(1.0)) == 1
    with pytest.raises(TypeError, match="keyword-only arguments are not differentiated"):
        f(X, where=hd.array([True, False, True]))


def _sine_times():
    """A function of one row, and that of all rows, which say which of them ran."""
    ran = []

    @hd.jax.custom_batching.custom_vmap
    def f(x, y, n=1):
        ran.append("row")
        return hd.sin(x) * y * n

    @f.def_vmap
    def rule(axis_size, in_batched, x, y, n):
        ran.append("rows")
        return hd.sin(x) * y * n, any(in_batched)

    return f, ran


BATCHED = {
    "grad": lambda f, x, y: hd.vmap(hd.grad(f))(x, y),
    "of what is the same": lambda f, x, y: hd.vmap(hd.grad(f, (0, 1)), (0, None))(x, y[0]),
    "second": lambda f, x, y: hd.vmap(hd.grad(hd.grad(f)))(x, y),
    "hessian": lambda f, x, y: hd.vmap(hd.hessian(f, (0, 1)))(x, y),
    "jvp": lambda f, x, y: hd.vmap(lambda x, t: hd.jvp(lambda x: f(x, 2.0), (x,), (t,)))(x, y),
    "outside": lambda f, x, y: hd.grad(lambda x: hd.vmap(f)(x, y).sum())(x),
    "both": lambda f, x, y: hd.grad(lambda x: (hd.vmap(hd.grad(f))(x, y) ** 2).sum())(x),
    "twice": lambda f, x, y: hd.vmap(hd.vmap(hd.grad(f), (None, 0)), (0, None))(x, y),
    "jit": lambda f, x, y: hd.jit(hd.vmap(hd.grad(f)))(x, y),
    "count": lambda f, x, y: hd.vmap(hd.grad(f), (0, 0, None))(x, y, 3),
    "counts": lambda f, x, y: hd.vmap(hd.grad(f))(x, y, hd.arange(3)),
    "by name": lambda f, x, y: hd.vmap(lambda x, y: hd.grad(lambda x: f(x, n=2, y=y))(x))(x, y),
}


@pytest.mark.parametrize("name", BATCHED)
def test_rules_for_batches_have_derivatives(name):
    """Inside and outside of vmap, by the rule for rows: it was zero inside."""
    f, ran = _sine_times()
    x, y = hd.array([0.3, 0.4, 0.5]), hd.array([1.0, 2.0, 3.0])
    made = hd.tree.leaves(BATCHED[name](f, x, y))
    expected = hd.tree.leaves(BATCHED[name](lambda x, y, n=1: hd.sin(x) * y * n, x, y))
    for one, other in zip(made, expected, strict=True):
        hd.testing.assert_allclose(one, other)
    assert set(ran) == {"rows"}


def test_rules_of_functions_with_rules():
    """A decorator hands on those of the function inside; float0 stands for what has no slope."""

    @hd.custom_vjp
    @hd.jax.custom_batching.custom_vmap
    def f(x, n):
        return hd.sin(x) * n

    f.def_vmap(lambda axis_size, in_batched, x, n: (hd.sin(x) * n, in_batched[0]))
    f.defvjp(lambda x, n: (f(x, n), (x, n)), lambda r, g: (5 * g, np.zeros((), hd.float0)))
    x = hd.array([0.3, 0.4])
    hd.testing.assert_allclose(hd.vmap(f, (0, None))(x, 2), 2 * hd.sin(x))
    slope, none = hd.grad(f, (0, 1), allow_int=True)(0.3, 2)
    assert slope == 5
    assert none.dtype == hd.float0
    with pytest.raises(AttributeError, match="'custom_vjp' object has no attribute 'defjvp'"):
        f.defjvp(None)


def test_tangents_of_whole_numbers():
    f = hd.custom_jvp(lambda x, n: (x * n, n))
    f.defjvp(lambda p, t: (f(*p), (7 * t[0], np.zeros((), hd.float0))))
    zero = np.zeros((), hd.float0)
    for call in f, hd.jit(f):
        (value, n), (change, none) = hd.jvp(call, (2.0, 3), (1.0, zero))
        assert (value, n, change, none.dtype) == (6, 3, 7, hd.float0)
        assert hd.grad(lambda x, call=call: call(x, 3)[0])(2.0) == 7


def _with_recorded_rule(kind):
    """sin, whose rule is a recorded call."""
    if kind == "checkpoint":
        return hd.checkpoint(hd.jit(hd.sin))
    both = hd.jit(lambda x: (hd.sin(x), hd.cos(x)))
    if kind == "custom_gradient":

        def pair(x):
            value, slope = both(x)
            return value, lambda g: g * slope

        return hd.custom_gradient(pair)
    if kind == "custom_vjp":
        f = hd.custom_vjp(lambda x: both(x)[0])
        f.defvjp(both, lambda slope, g: (g * slope,))
        return f
    f = hd.custom_jvp(lambda x: both(x)[0])
    f.defjvp(lambda p, t: (f(*p), t[0] * hd.cos(p[0])))
    return f


@pytest.mark.parametrize("kind", ["checkpoint", "custom_vjp", "custom_jvp", "custom_gradient"])
def test_arguments_are_followed_after_recorded_rules(kind):
    """Recording gave an argument that shares its value a copy, which nobody followed further."""
    x = hd.array([0.5, 1.0, 1.5])
    f = _with_recorded_rule(kind)
    slope = hd.grad(lambda x: f(x).sum() + (x**2).sum() + f(x + 1).sum())(x)
    hd.testing.assert_allclose(slope, np.cos(x) + 2 * x + np.cos(x + 1))
    f = _with_recorded_rule(kind)
    hd.testing.assert_allclose(
        hd.grad(lambda x: sum(f(x[i : i + 1]) for i in range(3))[0])(x), np.cos(x)
    )
    f = _with_recorded_rule(kind)
    along = hd.jvp(lambda x: f(x) + x**2, (x,), (x,))[1]
    hd.testing.assert_allclose(along, (np.cos(x) + 2 * x) * x)


def test_checkpoints_that_write_to_arguments():
    def write(x):
        x[0] = x[0] * x[1]
        return (x * x).sum()

    def loss(x, f):
        u = x * 1.0
        return f(u) + (u**3).sum() + f(u[1:])

    x = hd.array([2.0, 3.0, 4.0])
    checkpointed = hd.checkpoint(write)
    wanted = hd.grad(loss)(x, write)
    assert loss(x, checkpointed) == loss(x, write)
    for _ in range(2):
        hd.testing.assert_allclose(hd.grad(loss)(x, checkpointed), wanted)
        hd.testing.assert_allclose(hd.grad(hd.jit(lambda x: loss(x, checkpointed)))(x), wanted)

    # Two arguments that are views of one array are what they are for the function alone.
    def shift(a, b):
        a[:] = b * 2
        return (a * b).sum()

    for f in shift, hd.checkpoint(shift):

        def of_views(x, f=f):
            u = x * 1.0
            return f(u[:2], u[1:]) + (u**2).sum()

        made = hd.grad(of_views)(x)
        hd.testing.assert_allclose(made, hd.jacfwd(of_views)(x))
    hd.testing.assert_allclose(made, hd.grad(lambda x: of_views(x, shift))(x))


def test_checkpoints_that_read_arrays_outside():
    x, w = hd.array([0.5, 1.0]), hd.array([1.0, 2.0])
    inner = hd.jit(lambda x: hd.sin(x) * w)
    for f in (
        hd.checkpoint(lambda x: (hd.sin(x) * w).sum()),
        hd.checkpoint(lambda x: inner(x).sum()),
    ):
        for _ in range(2):
            hd.testing.assert_allclose(hd.grad(f)(x), np.cos(x) * w)


def test_symbolic_zeros():
    from heddle.jax.custom_derivatives import (
        SymbolicZero,
        custom_vjp_primal_tree_values,
        zero_from_primal,
    )

    seen = []
    f = hd.custom_jvp(lambda x, y: (x * y, y))

    def along(primals, tangents):
        seen.append([type(one) for one in tangents])
        (x, y), (dx, dy) = primals, tangents
        change = zero_from_primal(x * y, symbolic_zeros=True)
        if type(dx) is not SymbolicZero:
            change = dx * y
        return f(x, y), (change, zero_from_primal(y) if type(dy) is SymbolicZero else dy)

    f.defjvp(along, symbolic_zeros=True)
    assert hd.grad(lambda x: f(x, hd.array(3.0))[0])(2.0) == 3
    assert seen[-1] == [hd.ndarray, SymbolicZero]
    assert hd.jvp(lambda y: f(hd.array(2.0), y), (3.0,), (1.0,))[1] == (0, 1)
    assert seen[-1] == [SymbolicZero, hd.ndarray]

    g = hd.custom_vjp(lambda x, y: (x * y, y))

    def there(x, y):
        seen.append([x.perturbed, y.perturbed])
        values = custom_vjp_primal_tree_values((x, y))
        return g(*values), values

    def back(values, cotangents):
        seen.append([type(one) for one in cotangents])
        return cotangents[0] * values[1], zero_from_primal(values[1], symbolic_zeros=True)

    g.defvjp(there, back, symbolic_zeros=True)
    assert hd.grad(lambda x: g(x, hd.array(3.0))[0])(2.0) == 3
    assert seen[-2:] == [[True, False], [hd.ndarray, SymbolicZero]]


def test_checkpoints_of_recorded_calls_inside_of_others():
    inner = hd.jit(hd.sin)
    f = hd.checkpoint(lambda x: inner(x) * x)
    x = hd.array([0.5, 1.0])
    wanted = np.cos(x) * x + np.sin(x)
    for call in f, hd.checkpoint(f), hd.jit(f):
        hd.testing.assert_allclose(hd.grad(lambda x, f=call: f(x).sum())(x), wanted)
        hd.testing.assert_allclose(hd.jit(hd.grad(lambda x, f=call: f(x).sum()))(x), wanted)


AROUND_ROWS = {
    "vmap": lambda f: hd.vmap(f),
    "vmap of vmap": lambda f: lambda x: hd.vmap(hd.vmap(f))(x[None])[0],
    "jit of vmap": lambda f: hd.jit(hd.vmap(f)),
    "vmap of jit": lambda f: hd.vmap(hd.jit(f)),
    "jit": lambda f: hd.jit(f),
    "scan": lambda f: lambda x: hd.lax.scan(lambda c, v: (c, f(v)), 0, x)[1],
    "map": lambda f: lambda x: hd.lax.map(f, x),
}


@pytest.mark.parametrize("around", AROUND_ROWS)
@pytest.mark.parametrize("rule", [by_vjp, by_jvp, by_gradient])
def test_rules_that_read_what_the_function_made(rule, around):
    """Derivatives of it were lost inside of vmap, and repeated calls read that of the first one."""

    def f(x, made):
        y = made(x * 2)
        if rule is by_vjp:
            g = hd.custom_vjp(lambda u: u * y)
            g.defvjp(lambda u: (u * y, None), lambda _, t: (t * y,))
        elif rule is by_jvp:
            g = hd.custom_jvp(lambda u: u * y)
            g.defjvp(lambda primals, tangents: (primals[0] * y, tangents[0] * y))
        else:
            g = hd.custom_gradient(lambda u: (u * y, lambda t: t * y))
        return g(x)

    def slope(made):
        return hd.grad(total(AROUND_ROWS[around](lambda x: f(x, made))))

    with pytest.raises(TypeError, match="reads an array that is differentiated"):
        slope(lambda y: y)(X)
    of_constants, along = slope(hd.stop_gradient), AROUND_ROWS[around]
    for x in (X, 2 * X, 3 * X):
        np.testing.assert_allclose(hd.asnumpy(of_constants(x)), 2 * hd.asnumpy(x))
        change = hd.jvp(along(lambda x: f(x, hd.stop_gradient)), (x,), (x,))[1]
        np.testing.assert_allclose(hd.asnumpy(change), 2 * hd.asnumpy(x) ** 2)


def test_rules_read_arrays_outside_as_they_were():
    factor = hd.ones(3) * 2
    g = hd.custom_vjp(lambda u: u * factor)
    g.defvjp(lambda u: (u * factor, None), lambda _, t: (t * factor[::-1] * [1, 2, 3],))
    recorded = hd.jit(g)

    def f(x):
        made = recorded(x)
        factor[:] = 7
        return made.sum()

    for start in (2, 3, 4):
        factor[:] = start
        np.testing.assert_allclose(hd.asnumpy(hd.grad(f)(X)), start * np.array([1, 2, 3]))


@pytest.mark.parametrize("kind", ["custom_vjp", "custom_jvp", "custom_gradient", "checkpoint"])
def test_what_functions_read_is_overwritten_later(kind):
    """Their ways back read it as it was left."""

    def f(x):
        y = hd.array([2.0, 3.0, 4.0])
        if kind == "custom_vjp":
            g = hd.custom_vjp(lambda u: u * y)
            g.defvjp(lambda u: (u * y, None), lambda _, t: (t * y,))
        elif kind == "custom_jvp":
            g = hd.custom_jvp(lambda u: u * y)
            g.defjvp(lambda primals, tangents: (primals[0] * y, tangents[0] * y))
        elif kind == "custom_gradient":
            g = hd.custom_gradient(lambda u: (u * y, lambda t: t * y))
        else:
            g = hd.checkpoint(lambda u: u * y)
        made = g(x)
        y[:] = 9
        return made.sum() + 0 * y.sum()

    for slope in (hd.grad(f), hd.jit(hd.grad(f)), hd.grad(hd.jit(f)), hd.jacfwd(f)):
        for _ in range(2):
            assert slope(X).tolist() == [2, 3, 4]


def _with_fixed_argument(kind):
    if kind == "custom_vjp":
        f = hd.custom_vjp(lambda k, u: u * k, nondiff_argnums=(0,))
        f.defvjp(lambda k, u: (u * k, None), lambda k, _, t: (t * k,))
    else:
        f = hd.custom_jvp(lambda k, u: u * k, nondiff_argnums=(0,))
        f.defjvp(lambda k, primals, tangents: (primals[0] * k, tangents[0] * k))
    return f


@pytest.mark.parametrize("around", AROUND_ROWS)
@pytest.mark.parametrize("kind", ["custom_vjp", "custom_jvp"])
def test_fixed_arguments_that_the_function_made(kind, around):
    """Rules got that of the first call; one that is differentiated lost its derivative there."""

    def slope(made):
        f = _with_fixed_argument(kind)
        return hd.grad(total(AROUND_ROWS[around](lambda x: f(made(x * 2), x))))

    with pytest.raises(TypeError, match="reads an array that is differentiated"):
        slope(lambda y: y)(X)
    of_constants = slope(hd.stop_gradient)
    for x in (X, 2 * X, 3 * X):
        np.testing.assert_allclose(hd.asnumpy(of_constants(x)), 2 * hd.asnumpy(x))
