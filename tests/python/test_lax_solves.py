"""custom_root and custom_linear_solve: values and derivatives of two orders, as JAX has them."""

import numpy as np
import pytest

import heddle as hd

jax = pytest.importorskip("jax")
jnp = jax.numpy

pytestmark = pytest.mark.unrecorded("records itself")

A = np.array([[4.0, 1.0, 0.5], [0.2, 3.0, 0.3], [0.1, 0.4, 5.0]])
B = np.array([1.0, -2.0, 0.5])


@pytest.fixture(autouse=True, scope="module")
def wide_numbers():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def newton(lax, grad):
    def solve(f, x):
        def step(_, x):
            return x - f(x) / grad(f)(x)

        return lax.fori_loop(0, 30, step, x)

    return solve


def root_of_scalar(T, np, lax):
    def f(p):
        def equation(x):
            return x**3 + p[0] * x - p[1]

        x = lax.custom_root(equation, 1.0, newton(lax, T.grad), lambda g, y: y / g(1.0))
        return np.sin(x) * p[2]

    return f


def root_of_vector(T, np, lax):
    def f(p):
        def equation(x):
            return x + 0.1 * np.sin(p * x) * p[0] - p

        def solve(f, x):
            return lax.fori_loop(0, 60, lambda _, x: x - 0.9 * f(x), x)

        def tangent_solve(g, y):
            return np.linalg.solve(T.jacobian(g)(y), y)

        return np.sum(lax.custom_root(equation, 0.0 * p, solve, tangent_solve) ** 2)

    return f


def linear(symmetric=False):
    def build(T, np, lax):
        a = np.asarray(A @ A.T if symmetric else A)

        def f(p):
            scale = np.exp(p * 0.1)

            def matvec(x):
                return scale * (a @ (scale * x))

            def solve(matvec, b):
                # A matrix that nobody has to differentiate.
                matrix = T.jacfwd(matvec)(b)
                return np.linalg.solve(matrix, b)

            other = {} if symmetric else {"transpose_solve": solve}
            x = lax.custom_linear_solve(matvec, np.cos(p) * p, solve, symmetric=symmetric, **other)
            return np.sum(np.sin(x) * p)

        return f

    return build


PROGRAMS = {
    "scalar root": root_of_scalar,
    "vector root": root_of_vector,
    "linear": linear(),
    "symmetric": linear(symmetric=True),
}

P = np.array([[2.0, 3.0, 0.7], [1.5, 2.0, -0.4], [0.9, 1.2, 0.3]])

WAYS = {
    "value": lambda T, f, np: f,
    "grad": lambda T, f, np: T.grad(f),
    "jvp": lambda T, f, np: lambda p: T.jvp(f, (p,), (p * 0.5,)),
    "hessian": lambda T, f, np: T.hessian(f),
    "reverse over reverse": lambda T, f, np: T.jacrev(T.grad(f)),
    "reverse over forward": lambda T, f, np: T.jacrev(T.jacfwd(f)),
    "forward over forward": lambda T, f, np: T.jacfwd(T.jacfwd(f)),
    "jit of grad": lambda T, f, np: T.jit(T.grad(f)),
    "grad of jit": lambda T, f, np: T.grad(T.jit(f)),
    "hessian of jit": lambda T, f, np: T.hessian(T.jit(f)),
}
ROWS = {
    "vmap of grad": lambda T, f, np: T.vmap(T.grad(f)),
    "vmap of hessian": lambda T, f, np: T.vmap(T.hessian(f)),
    "grad of vmap": lambda T, f, np: T.grad(lambda q: np.sum(T.vmap(f)(q) ** 2)),
}


@pytest.mark.parametrize("way", [*WAYS, *ROWS])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_jax(program, way):
    build = PROGRAMS[program]
    transform = (WAYS | ROWS)[way]
    ours = transform(hd, build(hd, hd, hd.lax), hd)
    theirs = transform(jax, build(jax, jnp, jax.lax), jnp)
    given = P if way in ROWS else P[0]
    wanted = jax.tree.leaves(theirs(jnp.asarray(given)))
    for _ in range(2):  # recorded calls are repeated
        found = hd.tree.leaves(ours(hd.array(given)))
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(
                hd.asnumpy(one), np.asarray(other), rtol=1e-8, atol=1e-10, err_msg=way
            )


def test_the_solver_runs_once_and_is_not_differentiated():
    calls = []

    def solve(f, x):
        calls.append(1)
        return hd.array(float(np.cbrt(float(f(hd.array(0.0)) * -1))))

    def root(a):
        return hd.lax.custom_root(lambda x: x**3 - a, 1.0, solve, lambda g, y: y / g(1.0))

    assert float(hd.grad(root)(8.0)) == pytest.approx(1 / 12)
    assert len(calls) == 1
    assert float(hd.grad(hd.grad(root))(8.0)) == pytest.approx(-2 / 9 * 8 ** (-5 / 3))


def test_without_the_solver_of_the_transpose():
    def f(theta, b):
        return hd.lax.custom_linear_solve(
            lambda x: theta * (hd.array(A) @ x), b, lambda m, b: hd.linalg.solve(hd.jacfwd(m)(b), b)
        ).sum()

    wanted = np.linalg.solve(2 * A.T, np.ones(3))
    np.testing.assert_allclose(hd.asnumpy(hd.grad(f, 1)(2.0, hd.array(B))), wanted)
    slope = hd.jvp(lambda t: f(t, hd.array(B)), (2.0,), (1.0,))[1]
    np.testing.assert_allclose(float(slope), -np.linalg.solve(A, B).sum() / 4)


def test_trees_and_what_else_solvers_give():
    def solve(matvec, b):
        return {"x": b["x"] / 2, "y": b["y"] / 4}, "said"

    def f(scale):
        b = {"x": scale * hd.ones(2), "y": scale**2 * hd.ones(())}
        return hd.lax.custom_linear_solve(
            lambda v: {"x": v["x"] * 2, "y": v["y"] * 4}, b, solve, symmetric=True, has_aux=True
        )

    made, aux = f(hd.array(3.0))
    assert aux == "said"
    np.testing.assert_allclose(hd.asnumpy(made["x"]), [1.5, 1.5])
    slope = hd.grad(lambda s: f(s)[0]["x"].sum() + f(s)[0]["y"])(3.0)
    assert float(slope) == pytest.approx(1 + 1.5)


def test_bad_input():
    with pytest.raises(TypeError, match=r"custom_root: solve gives shape"):
        hd.lax.custom_root(lambda x: x, hd.ones(2), lambda f, x: x[:1], lambda g, y: y)
    with pytest.raises(TypeError, match=r"custom_linear_solve: .* gives shape"):
        hd.grad(
            lambda b: hd.lax.custom_linear_solve(
                lambda x: x[:1], b, lambda m, b: b, symmetric=True
            ).sum()
        )(hd.ones(2))
    with pytest.raises(TypeError, match="custom_root: expected a callable"):
        hd.lax.custom_root(3, 1.0, lambda f, x: x, lambda g, y: y)
    with pytest.raises(TypeError, match="int64, which has no derivatives"):
        hd.lax.custom_root(lambda x: x, 1, lambda f, x: x, lambda g, y: y)
    with pytest.raises(TypeError, match="has_aux solve must give a pair"):
        hd.lax.custom_linear_solve(lambda x: x, hd.ones(2), lambda m, b: b, has_aux=True)
