"""JAX's modules by name: how they are imported, and what `heddle.jax.scipy` adds to ours."""

import importlib

import numpy as np
import pytest
import scipy.special
import scipy.stats

import heddle as hd
import heddle.jax.numpy as jnp
from heddle import jax

RNG = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("lax", "lax"),
        ("lax.linalg", "lax.linalg"),
        ("nn.initializers", "nn.initializers"),
        ("numpy.linalg", "linalg"),
        ("scipy.linalg", "scipy.linalg"),
        ("scipy.spatial.transform", "scipy.spatial.transform"),
        ("tree_util", "tree_util"),
        ("flatten_util", "flatten_util"),
        ("ops", "ops"),
        ("debug", "debug"),
    ],
)
def test_modules_are_there_once(name, same):
    ours = importlib.import_module(f"heddle.{same}")
    assert importlib.import_module(f"heddle.jax.{name}") is ours
    assert ours.__spec__.name == f"heddle.{same}"
    assert ours.__name__ == f"heddle.{same}"


def test_modules_that_are_not_there():
    for name in ("heddle.jax.scipy.nothing", "heddle.jax.lax.nothing"):
        with pytest.raises(ModuleNotFoundError, match=name):
            importlib.import_module(name)
    with pytest.raises(TypeError):
        hd.vmap(lambda x: x if x > 0 else -x)(hd.ones(2))
    assert issubclass(TypeError, jax.errors.TracerBoolConversionError)
    assert jax.scipy.special.erf is hd.special.erf
    assert jax.scipy.stats.norm is hd.scipy.stats.norm


MATRIX = RNG.normal(size=(6, 6))
SYSTEMS = {"cg": MATRIX @ MATRIX.T + np.eye(6)}
SYSTEMS["bicgstab"] = SYSTEMS["gmres"] = MATRIX + 6 * np.eye(6)


@pytest.mark.parametrize("name", SYSTEMS)
def test_solvers(name):
    matrix, b = hd.asarray(SYSTEMS[name]), hd.asarray(RNG.normal(size=6))
    method = getattr(jax.scipy.sparse.linalg, name)
    wanted = np.linalg.solve(hd.asnumpy(matrix), hd.asnumpy(b))

    def solve(matrix, b):
        return method(matrix, b, tol=1e-13)[0]

    for made in (solve(matrix, b), jax.jit(solve)(matrix, b)):
        np.testing.assert_allclose(hd.asnumpy(made), wanted)
    made = method(lambda t: {"a": matrix @ t["a"]}, {"a": b}, tol=1e-13, M=lambda t: t)[0]["a"]
    np.testing.assert_allclose(hd.asnumpy(made), wanted)
    rows = hd.vmap(solve, (None, 0))(matrix, hd.stack([b, 2 * b]))
    np.testing.assert_allclose(hd.asnumpy(rows), [wanted, 2 * wanted])
    slopes = hd.grad(lambda a, b: (solve(a, b) ** 2).sum(), (0, 1))(matrix, b)
    other = hd.grad(lambda a, b: (hd.linalg.solve(a, b) ** 2).sum(), (0, 1))(matrix, b)
    for one, two in zip(slopes, other, strict=True):
        hd.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-10)
    with pytest.raises(ValueError, match="square"):
        method(hd.ones((2, 3)), hd.ones(2))


def test_normal_vectors():
    stats = jax.scipy.stats.multivariate_normal
    x, mean, cov = RNG.normal(size=(4, 3)), np.array([0.1, 0.2, 0.3]), SYSTEMS["cg"][:3, :3]
    given = [hd.asarray(one) for one in (x, mean, cov)]
    wanted = scipy.stats.multivariate_normal.logpdf(x, mean, cov)
    np.testing.assert_allclose(hd.asnumpy(stats.logpdf(*given)), wanted)
    each = jax.vmap(stats.logpdf, (0, None, None))(*given)
    np.testing.assert_allclose(hd.asnumpy(each), wanted)
    stacked = stats.logpdf(given[0], given[1], hd.stack([given[2]] * 4))
    np.testing.assert_allclose(hd.asnumpy(stacked), wanted)
    one = scipy.stats.multivariate_normal.pdf(x, mean, 2.0)
    np.testing.assert_allclose(hd.asnumpy(stats.pdf(given[0], given[1], 2.0)), one)
    one = scipy.stats.norm.logpdf(x[:, 0], 0.5, 2**0.5)
    np.testing.assert_allclose(hd.asnumpy(stats.logpdf(given[0][:, 0], 0.5, 2.0)), one)

    def density(x, mean, root):
        return stats.logpdf(x, mean, root @ root.T + hd.eye(3))

    hd.debug.check_grads(density, tuple(given), 2, atol=1e-4, rtol=1e-4)
    with pytest.raises(ValueError, match="cov of shape"):
        stats.logpdf(given[0], given[1], hd.eye(2))


def test_proportions_and_counts():
    stats = jax.scipy.stats
    p, alpha, counts = np.array([0.2, 0.3, 0.5]), np.array([2.0, 1.0, 3.0]), np.array([1, 2, 3])
    wanted = scipy.stats.dirichlet.logpdf(p, alpha)
    for given in (p, p[:2]):
        np.testing.assert_allclose(float(stats.dirichlet.logpdf(given, jnp.array(alpha))), wanted)
    assert float(stats.dirichlet.logpdf(2 * p, alpha)) == -np.inf
    np.testing.assert_allclose(
        float(stats.multinomial.logpmf(counts, 6, p)), scipy.stats.multinomial.logpmf(counts, 6, p)
    )
    assert float(stats.multinomial.pmf(counts, 5, p)) == 0
    hd.debug.check_grads(lambda a: stats.dirichlet.logpdf(p, a), (hd.asarray(alpha),), 2)


def test_bessel_functions_and_integrals():
    z = np.array([0.5, 1.5])
    wanted = [scipy.special.jv(order, z) for order in range(4)]
    np.testing.assert_allclose(hd.asnumpy(jax.scipy.special.bessel_jn(z, v=3)), wanted)
    assert float(jax.scipy.integrate.trapezoid(jnp.ones(3))) == 2


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_taking_beyond_both_ends(mode, axis):
    x = np.arange(12.0).reshape(3, 4)
    places = np.array([[-20, -5, -1], [0, 3, 20]])
    made = jnp.take(hd.asarray(x), hd.asarray(places), axis=axis, mode=mode)
    np.testing.assert_array_equal(hd.asnumpy(made), np.take(x, places, axis, mode=mode))
