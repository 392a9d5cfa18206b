"""Rules of users' beside arrays that are written to, by the function itself or by others later."""

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

X = np.array([2.0, 3.0, 4.0])
# A derivative of a function of three numbers, in any of the ways that lead to a rule.
WAYS = {
    "grad": hd.grad,
    "jit of grad": lambda f: hd.jit(hd.grad(f)),
    "grad of jit": lambda f: hd.grad(hd.jit(f)),
    "vmap of grad": lambda f: lambda x: hd.vmap(hd.grad(f))(x[None])[0],
    "grad of vmap": lambda f: lambda x: hd.grad(lambda x: hd.vmap(f)(x[None]).sum())(x),
    "jacfwd": hd.jacfwd,
    "jacfwd of jit": lambda f: hd.jacfwd(hd.jit(f)),
}


def squares(kind):
    """The sum of squares, which puts three times the second element first."""

    def f(x):
        x[0] = 3 * x[1]
        return (x**2).sum()

    def slope(x):  # of the elements before the write, so that it is not that of the function
        return 10 * x

    def forward(x):
        before = x.copy()
        return f(x), before

    if kind == "custom_gradient":

        @hd.custom_gradient
        def made(x):
            before = x.copy()
            return f(x), lambda g: g * slope(before)
    elif kind == "custom_vjp":
        made = hd.custom_vjp(f)
        made.defvjp(forward, lambda before, g: (g * slope(before),))
    else:
        made = hd.custom_jvp(f)

        @made.defjvp
        def rule(primals, tangents):
            before = primals[0].copy()
            return f(primals[0]), (slope(before) * tangents[0]).sum()

    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["custom_vjp", "custom_jvp", "custom_gradient"])
def test_what_a_function_wrote_to_its_argument_has_no_rule(kind, way):
    f = squares(kind)

    def used_later(x):
        y = x * 1.0
        return f(y) + (y * hd.array([1.0, 10.0, 100.0])).sum()

    def result_alone(x):
        return f(x * 1.0)

    def overwritten(x):
        y = x * 1.0
        value = f(y)
        y[...] = 2 * x
        return value + y.sum()

    x = hd.array(X)
    assert float(used_later(x)) == 106 + 439
    with pytest.raises(TypeError, match=f"{kind} of .* writes to an array that is differentiated"):
        hd.eval(WAYS[way](used_later)(x))
    hd.testing.assert_array_equal(WAYS[way](result_alone)(x), 10 * X)
    hd.testing.assert_array_equal(WAYS[way](overwritten)(x), 10 * X + 2)


@pytest.mark.parametrize("way", WAYS)
def test_arrays_outside_that_a_rule_writes_to(way):
    count = hd.zeros(())
    seen = hd.zeros(3)

    @hd.custom_vjp
    def f(x):
        return (x**2).sum()

    def forward(x):
        count[...] += 1
        seen[...] = hd.stop_gradient(x) if stopped else x * 1.0
        return f(x), x

    f.defvjp(forward, lambda x, g: (2 * g * x,))
    x = hd.array(X)
    stopped = True
    if "vmap" in way:
        pytest.skip("rows cannot be written to arrays outside")
    hd.testing.assert_array_equal(WAYS[way](lambda x: f(x) * count + seen.sum())(x), 2 * X)
    assert float(count) == 1
    hd.testing.assert_array_equal(seen, X)
    stopped = False
    hd.testing.assert_array_equal(WAYS[way](lambda x: f(x) * count)(x), 4 * X)
    with pytest.raises(TypeError, match="writes to an array that is differentiated afterwards"):
        hd.eval(WAYS[way](lambda x: f(x) + seen.sum())(x))


def test_arrays_outside_that_a_checkpointed_function_writes_to():
    seen = hd.zeros(3)

    @hd.checkpoint
    def f(x):
        seen[...] = x**2
        return x.sum()

    with pytest.raises(TypeError, match="checkpoint writes to an array that is differentiated"):
        hd.grad(lambda x: f(x) + seen.sum())(hd.array(X))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["residuals", "closure"])
def test_what_a_way_back_reads_is_written_to_later(kind, way):
    if kind == "closure":

        @hd.custom_gradient
        def f(x):
            return (x**3).sum(), lambda g: 3 * g * x**2
    else:
        f = hd.custom_vjp(lambda x: (x**3).sum())
        f.defvjp(lambda x: (f(x), {"x": x}), lambda kept, g: (3 * g * kept["x"] ** 2,))

    def overwritten(x):
        y = x * 1.0
        value = f(y)
        y *= 0
        return value + y.sum()

    hd.testing.assert_array_equal(WAYS[way](overwritten)(hd.array(X)), 3 * X**2)


def newton(f, x):
    for _ in range(8):
        x = x - hd.linalg.solve(hd.jacfwd(f)(x), f(x))
    return x


@pytest.mark.parametrize("kind", ["linear", "root"])
def test_equations_whose_arrays_are_written_to_later(kind):
    b = hd.array([1.0, 2.0])

    def solved(a, writes):
        m = a * 1.0
        if kind == "linear":
            x = hd.lax.custom_linear_solve(
                lambda x: m @ x,
                b,
                lambda _, b: hd.linalg.solve(m, b),
                lambda _, b: hd.linalg.solve(m.T, b),
            )
        else:
            x = hd.lax.custom_root(
                lambda x: m @ x + x**3 - b,
                hd.zeros(2),
                newton,
                lambda f, y: hd.linalg.solve(hd.jacobian(f)(y), y),
            )
        if writes:
            m[...] = hd.eye(2)
        return (x**2).sum()

    a = hd.array([[3.0, 1.0], [0.5, 2.0]])
    expected = hd.grad(solved)(a, False)
    hd.testing.assert_array_equal(hd.grad(solved)(a, True), expected)
    second = hd.hessian(solved)(a, False)
    hd.testing.assert_allclose(hd.hessian(solved)(a, True), second, rtol=1e-13)


def made_inside_of_grad():
    made = hd.grad(lambda x: ((x**2).sum(), hd.zeros(3)), has_aux=True)(hd.ones(3))
    return made[1]


def left_outside():
    kept = []

    def f(x):
        kept.append(hd.zeros(3))
        return x.sum()

    hd.grad(f)(hd.ones(3))
    return kept[0]


MADE = {
    "aux": made_inside_of_grad,
    "outside": left_outside,
    "vmap": lambda: hd.vmap(lambda x: x * 0)(hd.ones(3)),
    "jit": lambda: hd.jit(lambda x: x * 0)(hd.ones(3)),
    "vjp": lambda: hd.vjp(lambda x: x * 0, hd.ones(3))[0],
}


@pytest.mark.parametrize("made", MADE)
def test_arrays_made_while_somebody_else_recorded_are_outside(made):
    """Those who listen now did not see them being made, as deep as that may have been."""
    total = MADE[made]()
    add = hd.jit(lambda x: total.__iadd__(x).sum())
    for i in range(4):
        assert float(add(hd.ones(3))) == 3 * (i + 1)
    hd.testing.assert_array_equal(total, [4, 4, 4])
    with pytest.raises(TypeError, match="made outside of it"):
        hd.vmap(lambda x: total.__setitem__(0, x))(hd.ones(3))
    hd.testing.assert_array_equal(total, [4, 4, 4])


def cube(kind):
    """The third power, by rules that compute in the arrays they are given."""
    if kind == "custom_vjp":
        made = hd.custom_vjp(lambda x: x**3)

        def back(x, g):
            x *= x
            x *= 3
            g *= x
            return (g,)

        made.defvjp(lambda x: (x**3, x), back)
        return made
    made = hd.custom_jvp(lambda x: x**3)

    @made.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        value = x**3
        x *= x
        x *= 3
        t *= x
        return value, t

    return made


@pytest.mark.parametrize("kind", ["custom_vjp", "custom_jvp"])
@pytest.mark.parametrize("way", [lambda f: f, hd.jit, hd.vmap], ids=["plain", "jit", "vmap"])
def test_rules_that_write_to_what_they_get(kind, way):
    f, x, g = way(cube(kind)), hd.array(X), hd.ones(3)
    _, pull = hd.vjp(f, x)
    _, push = hd.linearize(f, x)
    for _ in range(2):
        hd.testing.assert_array_equal(pull(g)[0], 3 * X**2)
        hd.testing.assert_array_equal(push(g), 3 * X**2)
        hd.testing.assert_array_equal(hd.jvp(f, (x,), (g,))[1], 3 * X**2)
    hd.testing.assert_array_equal(hd.jacrev(f)(x), np.diag(3 * X**2))
    hd.testing.assert_array_equal(hd.jacfwd(f)(x), np.diag(3 * X**2))
    hd.testing.assert_array_equal(hd.hessian(lambda x: f(x).sum())(x), np.diag(6 * X))
    hd.testing.assert_array_equal(hd.grad(lambda x: (f(x) + 2 * f(x)).sum())(x), 9 * X**2)
    hd.testing.assert_array_equal(x, X)
    hd.testing.assert_array_equal(g, np.ones(3))


@pytest.mark.parametrize("wrap", [hd.checkpoint, lambda f: hd.checkpoint(hd.jit(f))])
@pytest.mark.parametrize("view", [hd.diag, lambda m: hd.broadcast_to(m[0, :1], 3)])
def test_checkpoint_of_views_that_cannot_be_written_to(wrap, view):
    def f(u, w):
        u = u * 1.0
        u[1:] *= 0.5
        return (u * w).sum()

    m, w = hd.arange(9.0).reshape(3, 3), hd.asarray([1.0, 2.0, 4.0])
    again = wrap(f)
    for _ in range(2):
        found = hd.grad(lambda m: again(view(m), w))(m)
        np.testing.assert_array_equal(
            hd.asnumpy(found), hd.asnumpy(hd.grad(lambda m: f(view(m), w))(m))
        )

    def written(u):
        u[0] = 1
        return u.sum()

    with pytest.raises(ValueError, match="read-only"):
        hd.grad(lambda m: wrap(written)(view(m)))(m)


@pytest.mark.parametrize("wrap", [hd.checkpoint, lambda f: hd.checkpoint(hd.jit(f))])
def test_checkpoint_with_an_array_of_numpys(wrap):
    """It is an input, as with `jit`."""
    again = wrap(lambda a, w: (hd.sin(w) * a).sum())
    for values in ([0.0, 1.0, 2.0], [3.0, 1.0, 2.0]):
        found = hd.grad(again, argnums=1)(np.array(values), hd.ones(3))
        np.testing.assert_allclose(hd.asnumpy(found), np.cos(1) * np.array(values), rtol=1e-15)
