"""Transformations of arrays that are not where new arrays are made: everything that is made for a
derivative, a batch or a loop has to be where they are, and numbers come along."""

import numpy as np
import pytest
import transform_cases as cases

import heddle as hd
from heddle.scipy import linalg

pytestmark = pytest.mark.unrecorded("records itself")

OTHER = "shadow:0"
X = np.array([0.5, 1.0, 2.0])
FUNCTIONS = {**cases.REDUCTIONS, "trapezoid": lambda x: hd.trapezoid(x**2).sum()}


def there(values):
    return hd.asarray(values, device=OTHER)


def near(found, wanted):
    for one, other in zip(hd.tree.leaves(found), hd.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(other), rtol=1e-12, atol=1e-14)


TRANSFORMED = {
    "grad": lambda f, x: hd.grad(f)(x),
    "jvp": lambda f, x: hd.jvp(f, (x,), (hd.ones_like(x),)),
    "jacfwd": lambda f, x: hd.jacfwd(f)(x),
    "hvp": lambda f, x: hd.hvp(f, (x,), (hd.ones_like(x),)),
    "jit": lambda f, x: [hd.jit(f)(x) for _ in range(2)],
    "jit of grad": lambda f, x: [hd.jit(hd.grad(f))(x) for _ in range(2)],
    "vmap": lambda f, x: hd.vmap(f)(hd.stack([x, 2 * x])),
    "vmap of grad": lambda f, x: hd.vmap(hd.grad(f))(hd.stack([x, 2 * x])),
    "checkpoint": lambda f, x: hd.grad(hd.checkpoint(f))(x),
}


@pytest.mark.parametrize("how", TRANSFORMED)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, how):
    f = FUNCTIONS[name]
    wanted = TRANSFORMED[how](f, hd.asarray(cases.MATRIX))
    found = TRANSFORMED[how](f, there(cases.MATRIX))
    near(found, wanted)


def by_vjp(f):
    own = hd.custom_vjp(f)
    own.defvjp(lambda x: (f(x), x), lambda x, g: (3 * g * x,))
    return own


def by_jvp(f):
    own = hd.custom_jvp(f)
    own.defjvp(lambda primals, tangents: (f(*primals), 3 * tangents[0] * primals[0]))
    return own


@pytest.mark.parametrize("own", [by_vjp, by_jvp])
@pytest.mark.parametrize("how", TRANSFORMED)
def test_rules(own, how):
    if own is by_vjp and how in ("jvp", "jacfwd", "hvp"):
        pytest.skip("a rule of the way back has no forward mode of its own here")
    squares = own(lambda x: x * x)

    def f(x):
        return hd.sin(squares(x)).sum()

    near(TRANSFORMED[how](f, there(X)), TRANSFORMED[how](f, hd.asarray(X)))


LOOPS = {
    "fori_loop": lambda x: hd.lax.fori_loop(0, 5, lambda i, x: hd.sin(x) + i, x).sum(),
    "elements": lambda x: hd.lax.fori_loop(0, 2, lambda i, x: x + x[i], x).sum(),
    "scan": lambda x: hd.lax.scan(lambda s, x: (s * x + 1, s), 0.5, x)[0],
    "map": lambda x: hd.lax.map(lambda x: x**3, x).sum(),
    "writes": lambda x: assigned(x).sum(),
    "plain": lambda x: plain(x).sum(),
    "cond": lambda x: hd.lax.cond(True, hd.sin, hd.cos, x).sum(),
    "slices": lambda x: (hd.lax.dynamic_slice(x, (1,), (2,)) ** 2).sum(),
    "at": lambda x: (x.at[1].apply(hd.sin) ** 2).sum(),
}


def assigned(x):
    y = hd.zeros_like(x)
    y[1:] = x[:-1] ** 2
    y[0] = x[-1]
    y += 1.5
    return y * x


def plain(x):
    for _ in range(200):
        x = x * 0.99 + 0.01 * hd.sin(x)
    return x


@pytest.mark.parametrize("how", TRANSFORMED)
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name, how):
    f = LOOPS[name]
    near(TRANSFORMED[how](f, there(X)), TRANSFORMED[how](f, hd.asarray(X)))


EQUATIONS = {
    "solve": linalg.solve,
    "cholesky": lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b),
    "lu": lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b),
    "inv": lambda a, b: linalg.inv(a) @ b,
    "triangles": lambda a, b: linalg.lu(a)[2] @ b,
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_numbers_go_where_arrays_are(name):
    """The derivative with respect to a number that goes with arrays elsewhere was zero."""
    a = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])

    def of(place):
        matrix, b, unit = (hd.asarray(one, device=place) for one in (a, X, np.eye(3)))
        return lambda p: EQUATIONS[name](matrix + p * unit, b * p).sum()

    here, other = of(None), of(OTHER)
    for p in (0.3, np.float64(0.3), hd.asarray(0.3)):
        near(hd.grad(other)(p), hd.grad(here)(p))
        near(hd.jvp(other, (p,), (1.0,)), hd.jvp(here, (p,), (1.0,)))
        near(hd.jit(hd.grad(other))(p), hd.grad(here)(p))
    rows = hd.asarray([0.1, 0.2])
    near(hd.vmap(hd.grad(other))(there(rows)), hd.vmap(hd.grad(here))(rows))


def test_recorded_calls_draw_anew():
    """They drew the same numbers at each call."""
    plain, recorded = (hd.random.default_rng(5) for _ in range(2))
    x = hd.ones(1000, device=OTHER)

    def drawn(generator):
        return lambda x: (x + generator.normal(size=1000)) * 2

    jitted = hd.jit(drawn(recorded))
    for _ in range(4):
        near(jitted(x), drawn(plain)(x))


def test_symbolic_zeros_are_where_the_arguments_are():
    seen = []

    def rule(primals, tangents):
        seen.extend(one.instantiate().device for one in tangents if hasattr(one, "instantiate"))
        return primals[0] * primals[1], tangents[0] * primals[1]

    f = hd.custom_jvp(lambda x, y: x * y)
    f.defjvp(rule, symbolic_zeros=True)
    x = there(X)
    near(hd.jvp(lambda x: f(x, there(X)), (x,), (x,)), (X * X, X * X))
    assert seen and set(seen) == {OTHER}


def test_tangents_of_numpy_go_where_the_arguments_are():
    x = there(X)
    near(hd.jvp(hd.sin, (x,), (np.ones(3),))[1], np.cos(X))
    near(hd.vjp(hd.sin, x)[1](np.ones(3)), (np.cos(X),))


def test_shapes_and_linear_functions():
    x, w = there(X), there(np.ones((3, 2)))
    assert hd.eval_shape(lambda x: x @ w, x).shape == (2,)
    near(hd.linear_transpose(lambda x: x @ w, x)(there(np.ones(2))), (w.get().sum(1),))
    hd.debug.check_grads(lambda x: (hd.sin(x) @ w).sum(), (x,), 2)
