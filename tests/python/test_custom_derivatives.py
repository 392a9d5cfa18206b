"""Functions with derivatives of their own, and those that are computed again on the way back."""

import numpy as np
import pytest

import heddle as hd


@hd.custom_vjp
def sine(x):
    return hd.sin(x)


sine.defvjp(lambda x: (hd.sin(x), hd.cos(x)), lambda slope, g: (g * slope,))


def test_it_is_followed_by_its_rule():
    calls = []

    @hd.custom_vjp
    def f(x, y):
        return x * y

    def bwd(residuals, g):
        calls.append(residuals)
        return g * 10, None

    f.defvjp(lambda x, y: (x * y, "kept"), bwd)
    assert float(f(hd.array(2.0), hd.array(3.0))) == 6
    assert calls == []
    made = hd.grad(f, (0, 1))(2.0, 3.0)
    assert [float(one) for one in made] == [10, 0]
    assert calls == ["kept"]
    assert float(hd.grad(lambda x: f(y=x, x=2.0) + x)(3.0)) == 1


def test_orders_batches_and_recorded_calls():
    x = hd.array([0.5, 1.0, 2.0])
    for f, wanted in (
        (hd.grad(sine), np.cos),
        (hd.grad(hd.grad(sine)), lambda v: -np.sin(v)),
        (hd.grad(hd.grad(hd.grad(sine))), lambda v: -np.cos(v)),
        (lambda v: hd.jvp(sine, (v,), (1.0,))[1], np.cos),
    ):
        np.testing.assert_allclose(hd.asnumpy(hd.vmap(f)(x)), wanted(hd.asnumpy(x)))
        for _ in range(2):
            np.testing.assert_allclose(float(hd.jit(f)(x[1])), wanted(1.0))
    total = hd.grad(lambda v: hd.vmap(sine)(v).sum())(x)
    np.testing.assert_allclose(hd.asnumpy(total), np.cos(hd.asnumpy(x)))


def test_the_innermost_that_depends_follows_the_rule():
    # Of the outer variable the result depends through the rule, not through what is inside.
    @hd.custom_vjp
    def f(x):
        return x**2

    f.defvjp(lambda x: (x**2, x), lambda x, g: (g * 7 * x,))
    assert float(hd.grad(lambda x: hd.grad(lambda y: y * f(x))(3.0))(2.0)) == 14


def test_trees_and_fixed_arguments():
    def scale(n, p):
        return {"r": p["a"] * p["b"][0] * n}

    f = hd.custom_vjp(scale, nondiff_argnums=(0,))
    f.defvjp(
        lambda n, p: (scale(n, p), p),
        lambda n, p, g: ({"a": g["r"] * n, "b": (g["r"] * 2,)},),
    )
    made = hd.grad(lambda p: f(5, p)["r"].sum())({"a": hd.ones(2), "b": (hd.ones(2),)})
    assert made["a"].tolist() == [5, 5]
    assert made["b"][0].tolist() == [2, 2]


def test_forward_rules():
    @hd.custom_jvp
    def f(x, y):
        return hd.log1p(hd.exp(x)) * y

    @f.defjvp
    def rule(primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return f(x, y), 1 / (1 + hd.exp(-x)) * y * dx + hd.log1p(hd.exp(x)) * dy

    x, y = 0.3, 2.0
    s = 1 / (1 + np.exp(-x))
    made = hd.grad(f, (0, 1))(x, y)
    np.testing.assert_allclose([float(one) for one in made], [s * y, np.log1p(np.exp(x))])
    _, change = hd.jvp(f, (x, y), (1.0, 3.0))
    np.testing.assert_allclose(float(change), s * y + 3 * np.log1p(np.exp(x)))
    np.testing.assert_allclose(float(hd.grad(hd.grad(f))(x, y)), s * (1 - s) * y)


def test_checkpoints():
    calls = 0

    def step(x, k):
        nonlocal calls
        calls += 1
        u = x.copy()
        u[1:-1] += k * u[1:-1] * (u[2:] - u[:-2])
        return hd.sin(u)

    def through(step):
        def f(x):
            for _ in range(3):
                x = step(x, 0.5)
            return (x**2).sum()

        return f

    x = hd.arange(6.0) / 3
    wanted = hd.asnumpy(hd.grad(through(step))(x))
    calls = 0
    kept = hd.checkpoint(step)
    found = hd.grad(through(kept))(x)
    np.testing.assert_allclose(hd.asnumpy(found), wanted)
    # Recorded once: what is computed again is the recorded call.
    assert calls == 1
    second = hd.grad(lambda v: (hd.grad(through(kept))(v) * x).sum())(x)
    plain = hd.grad(lambda v: (hd.grad(through(step))(v) * x).sum())(x)
    np.testing.assert_allclose(hd.asnumpy(second), hd.asnumpy(plain), rtol=1e-9)


@pytest.mark.unrecorded("is about memory, which recording holds")
def test_memory_of_checkpoints():
    """A solver of many steps in place holds the states between groups, and those of one group."""
    size, groups, group = 50_000, 12, 12

    @hd.checkpoint
    def steps(u):
        u = u.copy()
        for _ in range(group):
            u[1:-1] += 0.1 * u[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    def solved(u):
        for _ in range(groups):
            u = steps(u)
        return (u**2).sum()

    x = hd.linspace(0, 1, size)
    hd.grad(solved)(x).eval()
    hd.synchronize()
    hd.reset_stats()
    start = hd.stats()["peak_bytes"]
    hd.grad(solved)(x).eval()
    hd.synchronize()
    states = (hd.stats()["peak_bytes"] - start) / (8 * size)
    # A state of all steps would be 144; of a step two slices are kept.
    assert states < groups + 3 * group + 8


BAD = [
    (lambda: hd.custom_vjp(lambda x: x)(1.0), AttributeError, "defvjp"),
    (lambda: hd.custom_jvp(lambda x: x)(1.0), AttributeError, "defjvp"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.unrecorded("is about who records")
def test_bad_rules():
    for rule, error, text in (
        (lambda _, g: g, TypeError, "tuple"),
        (lambda _, g: (g, g), TypeError, "1 arguments"),
        (lambda _, g: (hd.ones(5),), ValueError, "shape"),
    ):
        f = hd.custom_vjp(lambda x: x * 2)
        f.defvjp(lambda x: (x * 2, None), rule)
        with pytest.raises(error, match=text):
            hd.grad(lambda x, f=f: f(x).sum())(hd.ones(3))
    assert not hd._core.recording()


def close(found, wanted):
    np.testing.assert_allclose(hd.asnumpy(hd.asarray(found)), hd.asnumpy(hd.asarray(wanted)))


def test_rules_may_call_their_function():
    @hd.custom_vjp
    def f(x, power):
        return x**power

    f.defvjp(lambda x, power: (f(x, power), x), lambda x, g: (g * 10 * x, None))
    x = hd.array([0.5, 2.0])
    close(hd.grad(lambda x: f(x, 3).sum())(x), 10 * x)
    close(hd.jit(hd.vmap(hd.grad(lambda x: f(x, 3))))(x), 10 * x)
    close(hd.grad(hd.grad(lambda x: f(x, 3)))(2.0), 10)
    close(hd.jvp(lambda x: f(x, 3), (x,), (x,))[1], 10 * x * x)


def test_rules_for_each_argument():
    @hd.custom_jvp
    def f(x, y, z):
        return x * y + z

    f.defjvps(lambda t, result, x, y, z: 2 * t * y, None, lambda t, result, x, y, z: t * result)
    x = hd.array([1.0, 2.0])
    slopes = hd.grad(lambda *args: f(*args).sum(), (0, 1, 2))(x, x + 1, x * 3)
    close(slopes[0], 2 * (x + 1))
    close(slopes[1], [0, 0])
    close(slopes[2], x * (x + 1) + x * 3)
    f.defjvps(None)
    with pytest.raises(TypeError, match="1 rules for 3 arguments"):
        hd.grad(lambda x: f(x, x, x).sum())(x)
    g = hd.custom_jvp(lambda n, x: x**n, nondiff_argnums=0)
    with pytest.raises(TypeError, match="nondiff_argnums"):
        g.defjvps(None)


def test_arguments_of_checkpoints():
    f = hd.checkpoint(lambda n, x, where, *, by: (x**n)[where] * by, static_argnums=0)
    x = hd.array([1.0, 2.0, 3.0])

    def total(g, x):
        return g(2, x, hd.array([0, 2, 2]), by=x[1]).sum()

    slope = hd.grad(lambda x: total(f, x))(x)
    close(slope, [4, 19, 24])
    decorated = hd.checkpoint(static_argnums=-4)(lambda n, x, where, by: (x**n)[where] * by)
    again = hd.grad(lambda x: decorated(2, x, hd.array([0, 2, 2]), x[1]).sum())(x)
    close(again, slope)


def test_defaults_are_arguments():
    @hd.custom_vjp
    def f(x, by=2.0):
        return x * by

    f.defvjp(lambda x, by: (x * by, by), lambda by, g: (g * by * 100, None))
    x = hd.ones(2)
    close(hd.grad(lambda x: f(x).sum())(x), [200, 200])
    close(hd.grad(lambda x: f(x, by=3.0).sum())(x), [300, 300])


def test_functions_that_give_their_way_back():
    @hd.custom_gradient
    def f(x, y):
        return x * y, lambda g: (g * 2, g * 3)

    assert f(3.0, 4.0) == 12
    assert hd.grad(f, (0, 1))(1.0, 1.0) == (2, 3)
    np.testing.assert_array_equal(hd.asnumpy(hd.vmap(hd.grad(f))(hd.ones(2), hd.ones(2))), [2, 2])
    single = hd.custom_gradient(lambda x: (x**2, lambda g: g * 100))
    assert hd.jit(hd.grad(single))(3.0) == 100
    with pytest.raises(TypeError, match="must give a pair"):
        hd.custom_gradient(lambda x: x)(1.0)


def test_fixed_arguments_by_name():
    def clipped(low, x):
        return hd.clip(x, low, 1.0)

    made = hd.custom_vjp(clipped, nondiff_argnames="low")
    made.defvjp(lambda low, x: (clipped(low, x), None), lambda low, _, g: (g * low,))
    assert hd.grad(lambda x: made(7.0, x))(0.5) == 7
    with pytest.raises(ValueError, match="no argument 'high'"):
        hd.custom_jvp(clipped, nondiff_argnames=("high",))


def test_what_checkpoints_keep():
    calls = []

    def f(x, power, kind="power"):
        calls.append(None)
        return (x**power).sum() if kind == "power" else x.sum()

    everything = hd.checkpoint_policies.everything_saveable
    kept = hd.checkpoint(f, policy=everything)
    np.testing.assert_array_equal(hd.asnumpy(hd.grad(kept)(hd.array([2.0, 3.0]), 2)), [4, 6])
    assert len(calls) == 1
    nothing = hd.checkpoint_policies.nothing_saveable
    again = hd.remat(f, policy=nothing, static_argnums=1, static_argnames="kind")
    x = hd.array([2.0, 3.0])
    np.testing.assert_array_equal(hd.asnumpy(hd.grad(again)(x, 3)), [12, 27])
    np.testing.assert_array_equal(hd.asnumpy(hd.grad(again)(x, power=3)), [12, 27])
    np.testing.assert_array_equal(hd.asnumpy(hd.grad(again)(x, 3, kind="sum")), [1, 1])
    np.testing.assert_array_equal(hd.asnumpy(hd.grad(again)(x, 3, "sum")), [1, 1])
    with pytest.raises(NotImplementedError, match="checkpoint_name"):
        _ = hd.checkpoint_policies.dots_saveable
    with pytest.raises(NotImplementedError, match="pick operations"):
        hd.checkpoint(f, policy=lambda *_: True)
    with pytest.raises(AttributeError, match="has no 'some'"):
        _ = hd.checkpoint_policies.some


def _named(x, w):
    """Names in a function, in what it calls, and beside writes."""
    name = hd.jax.ad_checkpoint.checkpoint_name
    first = name(hd.tanh(w @ x), "first")
    first[0] *= 2
    rows = hd.vmap(lambda row: name(hd.sin(row), "first") * x)(w)
    second = name(hd.exp(w.T @ first * 0.3), "second")
    second += hd.jit(lambda v: name(v * v, "second"))(x)
    third = hd.checkpoint(lambda v: name(hd.cos(v), "first") * 2)(second)
    return (third * name(rows.sum(0), "third")).sum()


NAMED = {
    "one": hd.checkpoint_policies.save_only_these_names("first"),
    "all": hd.checkpoint_policies.save_only_these_names("first", "second", "third"),
    "but one": hd.checkpoint_policies.save_any_names_but_these("second"),
    "none": hd.checkpoint_policies.save_only_these_names(),
    "both": hd.checkpoint_policies.save_from_both_policies(
        hd.checkpoint_policies.save_only_these_names("second"),
        hd.checkpoint_policies.save_only_these_names("third"),
    ),
}


@pytest.mark.parametrize("policy", NAMED)
def test_checkpoints_that_keep_names(policy):
    generator = np.random.default_rng(5)
    x, w = hd.array(generator.normal(size=3)), hd.array(generator.normal(size=(3, 3)))
    kept = hd.checkpoint(_named, policy=NAMED[policy])
    xs = hd.stack([x, x * 2])
    for of in (
        lambda f: hd.grad(f, (0, 1)),
        lambda f: hd.jit(hd.grad(f, (0, 1))),
        lambda f: hd.grad(hd.jit(f), (0, 1)),
        lambda f: lambda x, w: hd.vmap(hd.grad(f), (0, None))(xs * x, w),
        lambda f: lambda x, w: hd.grad(lambda x: hd.vmap(f, (0, None))(xs * x, w).sum())(x),
        lambda f: lambda x, w: hd.jvp(f, (x, w), (w[0], w)),
        lambda f: lambda x, w: hd.jvp(hd.grad(f), (x, w), (w[0], w)),
        lambda f: lambda x, w: hd.grad(lambda x: (hd.grad(f)(x, w) * w[1]).sum())(x),
        lambda f: lambda x, w: hd.grad(lambda x: f(f(x, w) * x, w))(x),
    ):
        made, wanted = of(kept), of(_named)
        for factor in (1, 1, 1.5):
            found = hd.tree.leaves(made(x * factor, w))
            for one, other in zip(found, hd.tree.leaves(wanted(x * factor, w)), strict=True):
                np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(other), rtol=1e-10)


def test_what_is_kept_is_not_computed_again():
    name, x = hd.jax.ad_checkpoint.checkpoint_name, hd.ones((4, 4))

    def steps_back(policy):
        f = hd.checkpoint(lambda x: hd.sin(name(x @ x, "product")).sum(), policy=policy)
        value, slope = hd.value_and_grad(f)(x)
        hd.eval(value)
        return str(hd.explain(slope))

    assert "3 library calls" in steps_back(None)
    assert "3 library calls" in steps_back(NAMED["none"])
    assert "2 library calls" in steps_back(hd.checkpoint_policies.save_only_these_names("product"))


def test_solvers_that_give_what_is_differentiated():
    """What a solver returns is a constant, also where it was computed and heard before."""

    def by_root(a, b):
        solution = hd.linalg.solve(a, b)
        return hd.lax.custom_root(
            lambda y: a @ y - b,
            hd.zeros_like(b),
            lambda f, x0: solution,
            lambda g, y: hd.linalg.solve(hd.jacobian(g)(y), y),
        )

    def richardson(matvec, b):
        return hd.lax.while_loop(
            lambda x: hd.linalg.norm(matvec(x) - b) > 1e-10, lambda x: x + 0.1 * (b - matvec(x)), b
        )

    def by_steps(a, b):
        return hd.lax.custom_linear_solve(lambda x: a @ x, b, richardson, richardson)

    a, b = hd.array([[2.0, 0.3], [-0.2, 1.5]]), hd.array([0.4, -1.0])
    for f in (by_root, by_steps):
        hd.debug.check_grads(f, (a, b), 2, atol=1e-5, rtol=1e-5)
        # Nothing to solve: the first guess is the solution, and what was given.
        slopes = hd.jacrev(f, 1)(a, hd.zeros(2))
        hd.testing.assert_allclose(slopes, hd.linalg.inv(a), atol=1e-9)


def compared(t):
    return t if t > 0 else -t


@pytest.mark.parametrize(
    ("of_tangent", "text"),
    [
        (lambda t: t * t, "as reverse mode needs it"),
        (lambda t: t**3, "as reverse mode needs it"),
        (hd.sin, "as reverse mode needs it"),
        (hd.abs, "as reverse mode needs it"),
        (lambda t: 1 / (t + 2), "as reverse mode needs it"),
        (lambda t: hd.outer(t, t).sum() * t, "as reverse mode needs it"),
        (lambda t: hd.maximum(t, 0), "is applied to them"),
        (lambda t: hd.where(t > 0, t, 2 * t), "greater is applied to them, at .*test_custom"),
        (hd.sign, "sign is applied to them"),
        (hd.floor, "floor is applied to them"),
        (compared, "greater is applied to them"),
    ],
)
def test_rules_that_are_not_linear(of_tangent, text):
    """Forward mode applies them; there is no way back."""

    @hd.custom_jvp
    def f(x):
        return x * 2

    f.defjvp(lambda primals, tangents: (f(*primals), of_tangent(tangents[0])))
    x, t = hd.array(1.5), hd.array(0.25)
    assert hd.jvp(f, (x,), (t,))[1] == of_tangent(t)
    for _ in range(2):
        for slope in (hd.grad(f), hd.jit(hd.grad(f)), hd.grad(hd.jit(f))):
            with pytest.raises(TypeError, match="custom_jvp of f: the rule is not linear.*" + text):
                slope(x)
    with pytest.raises(TypeError, match="the rule is not linear"):
        hd.vmap(hd.grad(f))(hd.ones(3))


@pytest.mark.parametrize(
    "of_tangent",
    [
        lambda x, t: t * hd.cos(x) - t / x,
        lambda x, t: hd.where(x > 1, t, 2 * t),
        lambda x, t: hd.cumsum(t)[::-1] + t.sum() - hd.fft.ifft(hd.fft.fft(t)).real,
        lambda x, t: hd.linalg.solve(hd.diag(x), t) + hd.outer(x, t) @ x,
        lambda x, t: hd.concatenate([t[1:], t[:1]]) * x.max() + hd.sort(x)[0] * t,
        lambda x, t: hd.zeros_like(t),
        lambda x, t: hd.lax.scan(lambda c, one: (c + one * x[0], c), t[0], t)[1],
    ],
)
def test_rules_that_are_linear(of_tangent):
    @hd.custom_jvp
    def f(x):
        return x * 2

    f.defjvp(lambda primals, tangents: (f(*primals), of_tangent(primals[0], tangents[0])))
    x = hd.array([0.5, 1.5, 2.5])
    columns = [of_tangent(x, row) for row in hd.eye(3)]
    wanted = hd.asnumpy(hd.stack(columns, axis=1))
    for _ in range(2):
        for made in (hd.jacrev(f)(x), hd.jit(hd.jacrev(f))(x), hd.jacfwd(f)(x)):
            np.testing.assert_allclose(hd.asnumpy(made), wanted, rtol=1e-12, atol=1e-14)


def test_none_stands_for_cotangents_of_any_part():
    @hd.custom_vjp
    def first(x):
        return x[0] * 1.0

    first.defvjp(lambda x: (first(x), None), lambda _, g: ((g, (None, None)),))
    slopes = hd.grad(first)((hd.array(1.0), (hd.array(2.0), None)))
    assert slopes == (1.0, (0.0, None))
    first.defvjp(lambda x: (first(x), None), lambda _, g: ((g, None),))
    assert hd.grad(first)((hd.array(1.0), (hd.array(2.0), {"a": hd.array(3.0)})))[1][1]["a"] == 0
    first.defvjp(lambda x: (first(x), None), lambda _, g: ((g, (g, g, g)),))
    with pytest.raises(TypeError, match="a cotangent is a tree"):
        hd.grad(first)((hd.array(1.0), (hd.array(2.0), None)))


def test_tangents_unlike_the_result_are_refused():
    @hd.custom_jvp
    def twice(x):
        return x, x

    twice.defjvp(lambda primals, tangents: ((primals[0], primals[0]), (tangents[0],)))
    with pytest.raises(TypeError, match=r"twice: the rule gives a result that is a tree"):
        hd.jvp(twice, (2.0,), (1.0,))
    twice.defjvp(lambda primals, tangents: ((primals[0],) * 2, (tangents[0], hd.ones(5))))
    with pytest.raises(TypeError, match=r"result\[1\] of shape \(\), and a tangent of shape \(5,"):
        hd.jvp(twice, (2.0,), (1.0,))


def test_forward_mode_refuses_ways_back_that_are_not_linear():
    @hd.custom_vjp
    def clipped(x):
        return hd.exp(x)

    x = hd.array([1.0, 2.0])
    for rule, text in (
        (lambda x, g: (hd.clip(g, -1, 1) * x,), "is applied to them, at .*test_custom"),
        (lambda x, g: (g * g * x,), "not linear in the cotangents"),
    ):
        clipped.defvjp(lambda x: (hd.exp(x), x), rule)
        for call in (
            lambda: hd.jvp(clipped, (x,), (x,)),
            lambda: hd.jacfwd(clipped)(x),
            lambda: hd.linearize(clipped, x),
        ):
            with pytest.raises(TypeError, match=text):
                call()
    clipped.defvjp(lambda x: (hd.exp(x), x), lambda x, g: (hd.clip(g, -1, 1) * x,))
    hd.testing.assert_array_equal(hd.grad(lambda x: 5 * clipped(x).sum())(x), x)
    along = hd.jvp(hd.grad(lambda x: 5 * clipped(x).sum()), (x,), (x,))[1]
    hd.testing.assert_array_equal(along, x)  # forward over reverse: of the way back itself
    clipped.defvjp(lambda x: (hd.exp(x), x), lambda x, g: (g * hd.exp(x),))
    hd.testing.assert_allclose(hd.jvp(clipped, (x,), (x,))[1], np.exp(x) * x)


def test_forward_mode_of_rules_that_call_their_own_function():
    """Ways back that are the function itself, two that call each other, and ever new ones."""
    own, there, again = (hd.custom_vjp(lambda x, c=c: c * x, (1,)) for c in (2.0, 3.0, 3.0))
    own.defvjp(lambda x, c: (own(x), None), lambda c, _, g: (own(g),))
    there.defvjp(lambda x, c: (there(x), None), lambda c, _, g: (again(g),))
    again.defvjp(lambda x, c: (again(x), None), lambda c, _, g: (there(g),))

    def made_anew(x):
        f = hd.custom_vjp(lambda x: 4 * x)
        f.defvjp(lambda x: (f(x), None), lambda _, g: (made_anew(g),))
        return f(x)

    x = hd.array([0.3, 0.4])
    for f, factor in (own, 2), (there, 3), (made_anew, 4):
        expected = factor * np.eye(2)
        for of in hd.jacfwd(f), hd.jacrev(f), hd.jit(hd.jacfwd(f)), hd.jacfwd(hd.vmap(f)):
            hd.testing.assert_array_equal(of(x), expected)
        second = hd.hessian(lambda x, f=f: (f(x) ** 2).sum())(x)
        hd.testing.assert_array_equal(second, 2 * factor * expected)


def test_forward_mode_refuses_what_ways_back_call():
    """A way back that goes by a function whose own one is not linear."""
    clipped, f = hd.custom_vjp(lambda x: x), hd.custom_vjp(lambda x: x)
    clipped.defvjp(lambda x: (x, None), lambda _, g: (hd.clip(g, -1, 1),))
    f.defvjp(lambda x: (x, None), lambda _, g: (clipped(g),))
    x = hd.array([0.3, 0.4])
    hd.testing.assert_array_equal(hd.grad(lambda x: (5 * f(x)).sum())(x), [5, 5])
    with pytest.raises(TypeError, match=r"custom_vjp of .*: the rule is not linear"):
        hd.jvp(f, (x,), (x,))
