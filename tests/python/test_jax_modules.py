"""JAX's modules by name: how they are imported, and what `heddle.jax.scipy` adds to ours."""

import importlib

import numpy as np
import pytest
import scipy.special
import scipy.stats
from support import assert_near, assert_same, host

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
        assert_near(hd.asnumpy(made), wanted)
    made = method(lambda t: {"a": matrix @ t["a"]}, {"a": b}, tol=1e-13, M=lambda t: t)[0]["a"]
    assert_near(hd.asnumpy(made), wanted)
    rows = hd.vmap(solve, (None, 0))(matrix, hd.stack([b, 2 * b]))
    assert_near(hd.asnumpy(rows), [wanted, 2 * wanted])
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
    assert_near(hd.asnumpy(stats.logpdf(*given)), wanted)
    each = jax.vmap(stats.logpdf, (0, None, None))(*given)
    assert_near(hd.asnumpy(each), wanted)
    stacked = stats.logpdf(given[0], given[1], hd.stack([given[2]] * 4))
    assert_near(hd.asnumpy(stacked), wanted)
    one = scipy.stats.multivariate_normal.pdf(x, mean, 2.0)
    assert_near(hd.asnumpy(stats.pdf(given[0], given[1], 2.0)), one)
    one = scipy.stats.norm.logpdf(x[:, 0], 0.5, 2**0.5)
    assert_near(hd.asnumpy(stats.logpdf(given[0][:, 0], 0.5, 2.0)), one)

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
        assert_near(float(stats.dirichlet.logpdf(given, jnp.array(alpha))), wanted)
    assert float(stats.dirichlet.logpdf(2 * p, alpha)) == -np.inf
    assert_near(
        float(stats.multinomial.logpmf(counts, 6, p)), scipy.stats.multinomial.logpmf(counts, 6, p)
    )
    assert float(stats.multinomial.pmf(counts, 5, p)) == 0
    hd.debug.check_grads(lambda a: stats.dirichlet.logpdf(p, a), (hd.asarray(alpha),), 2)


def test_bessel_functions_and_integrals():
    z = np.array([0.5, 1.5])
    wanted = [scipy.special.jv(order, z) for order in range(4)]
    assert_near(hd.asnumpy(jax.scipy.special.bessel_jn(z, v=3)), wanted)
    assert float(jax.scipy.integrate.trapezoid(jnp.ones(3))) == 2


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_taking_beyond_both_ends(mode, axis):
    x = np.arange(12.0).reshape(3, 4)
    places = np.array([[-20, -5, -1], [0, 3, 20]])
    made = jnp.take(hd.asarray(x), hd.asarray(places), axis=axis, mode=mode)
    assert_same(hd.asnumpy(made), np.take(x, places, axis, mode=mode))


COMPLEX = np.array([1 + 2j, -3 + 0.5j, 0.3 - 4j, 2, 50 + 9j, -50 - 7j, 0.2 + 3.14j])


def test_complex_logarithms_of_exponentials():
    x, y = COMPLEX, COMPLEX[::-1] * 0.7
    made = jnp.logaddexp(x, y)
    assert_near(np.exp(host(made) - x), 1 + np.exp(y - x), rtol=1e-13)
    assert (abs(made.imag) <= np.pi).all()
    assert jnp.logaddexp(jnp.complex64(1), 0).dtype == "complex64"
    assert jnp.logaddexp.reduce(jnp.zeros(2)) == np.log(2)
    soft = jax.nn.softplus(x)
    assert_near(np.exp(host(soft) - x), 1 + np.exp(-x), rtol=1e-13)
    assert_near(jax.nn.mish(x), x * np.tanh(soft.get()), rtol=1e-13)
    assert_near(np.exp(host(jax.nn.log_sigmoid(x))), 1 / (1 + np.exp(-x)), rtol=1e-13)
    slope = jax.vmap(jax.grad(jax.nn.softplus, holomorphic=True))(hd.asarray(x))
    assert_near(slope, 1 / (1 + np.exp(-x)), rtol=1e-12)
    special = jax.scipy.special
    assert_near(special.expit(x), 1 / (1 + np.exp(-x)), rtol=1e-13)
    assert_near(special.logit(x), np.log(x / (1 - x)), rtol=1e-13)
    assert special.expit(0.0) == 0.5
    assert special.logit(0.5) == 0


def test_joins_of_a_type():
    a, b = np.array([1.5, 2.5]), np.array([3.5, 4.5])
    for name in ("concatenate", "stack", "vstack", "hstack", "dstack"):
        made = getattr(jnp, name)([a, b], dtype=jnp.int32)
        assert_same(made, getattr(np, name)([a, b]).astype("int32"))
        assert made.dtype == "int32"
        rows = getattr(jnp, name)(jnp.array([[1.0, 2.0], [3.0, 4.0]]))
        assert_same(rows, getattr(np, name)([[1.0, 2.0], [3.0, 4.0]]))
    places = (np.array([1, 9]), np.array([-5, 1]))
    for mode in ("clip", "wrap"):
        made = jnp.ravel_multi_index(places, (3, 2), mode, dtype="uint8")
        assert_same(made, np.ravel_multi_index(places, (3, 2), mode))
        assert made.dtype == "uint8"
    with pytest.raises(ValueError, match="cannot hold"):
        jnp.ravel_multi_index(places, (30, 20), "clip", dtype="uint8")
    with pytest.raises(ValueError, match="integer"):
        jnp.ravel_multi_index(places, (3, 2), "clip", dtype="float32")


class Wrapped:
    def __init__(self, held):
        self.held = held

    def __jax_array__(self):
        return self.held


def test_objects_that_are_arrays_to_jax():
    x = hd.arange(3.0)
    given = Wrapped(x)
    assert_same(jnp.asarray(given), x)
    assert_same(jnp.sin(given) + given, hd.sin(x) + x)
    assert_same(jnp.array([[given, given]]), hd.stack([x, x])[None])
    slope = jax.grad(lambda x: jnp.dot(Wrapped(x), Wrapped(x)))(x)
    assert_same(slope, 2 * x)
    with pytest.raises(ValueError, match="__jax_array__"):
        jnp.sin(Wrapped("text"))


def test_shapes_of_things_that_are_no_arrays():
    like = Wrapped(None)
    like.shape, like.dtype = (3, 4), np.dtype("float32")
    made = jax.eval_shape(lambda a: a @ a.T, like)
    assert (made.shape, made.dtype) == ((3, 3), "float32")
    for given in (like, jax.ShapeDtypeStruct((3, 4), "float32")):
        (back,) = jax.linear_transpose(lambda x: 2 * x, given)(jnp.ones((3, 4), "float32"))
        assert_same(back, np.full((3, 4), 2))
    with pytest.raises(ValueError, match="dtype"):
        jax.ShapeDtypeStruct((), None)
    with pytest.raises(ValueError, match="None"):
        jax.ShapeDtypeStruct((None, 2), "int32")


def test_mistakes_are_named():
    _, back = jax.vjp(lambda x, y: x + y, 2, 1)
    made = jax.jit(back)(np.zeros((), jax.float0))
    assert [one.dtype for one in made] == [jax.float0] * 2
    with pytest.raises(TypeError, match="takes one argument"):
        back(1, 2)
    with pytest.raises(TypeError, match="1 primals, but 0 tangents"):
        jax.jvp(lambda x, y: x * y, (1.0,), ())
    with pytest.raises(TypeError, match="float32"):
        jax.jvp(lambda x: -x, (np.float64(2),), (np.float32(4),))
    for mapped in (jax.vmap, jax.pmap):
        with pytest.raises(TypeError, match="integer or None, not False"):
            mapped(lambda x: x, in_axes=(False,))(jnp.zeros(3))
    with pytest.raises(TypeError, match="argument 1 is asked for"):
        jax.pmap(lambda a, b: a + b, static_broadcasted_argnums=1)(jnp.ones(1), b=1)
    with pytest.raises(TypeError, match="inline"):
        jax.jit(abs, inline=3)


def test_recorded_calls_are_forgotten():
    calls = []

    @jax.jit(inline=True, keep_unused=True)
    def double(x, unused):
        calls.append(1)
        return x * 2

    for _ in range(3):
        double(jnp.ones(2), jnp.ones(1))
    before = len(calls)
    double(jnp.ones(2), jnp.ones(1))
    assert len(calls) == before
    jax.clear_caches()
    assert_same(double(jnp.ones(2), jnp.ones(1)), [2, 2])
    assert len(calls) == before + 1


def test_trees_of_devices():
    made = jax.device_put({"a": [1, 2], "b": 3.0}, {"a": "cpu", "b": None})
    assert made["a"][1] == 2
    assert made["b"].dtype == "float64"
    with pytest.raises(ValueError, match="devices do not fit"):
        jax.device_put({"a": [1, 2]}, {"a": ["cpu"]})
    x = jnp.ones(3) + 1
    assert jax.copy_to_host_async(x) is x


# What jax.scipy.ndimage.map_coordinates gives, by mode and order.
BEYOND = {
    "constant": ([4.0, 9.0, 9.0, 9.0], [2.25, 4.875, 9.0, 7.0]),
    "wrap": ([4.0, 2.0, 4.0, 2.0], [2.25, 1.75, 4.0, 3.5]),
    "mirror": ([4.0, 1.0, 4.0, 2.0], [2.25, 1.25, 4.0, 3.5]),
    "nearest": ([4.0, 0.0, 1.0, 5.0], [2.25, 0.75, 1.0, 5.0]),
    "reflect": ([4.0, 0.0, 4.0, 5.0], [2.25, 0.75, 4.0, 5.0]),
}


@pytest.mark.parametrize("mode", BEYOND)
def test_places_beyond_the_edges_of_an_image(mode):
    from heddle.jax.scipy.ndimage import gaussian_filter, map_coordinates

    image = hd.arange(6.0).reshape(2, 3)
    places = hd.array([[0.5, 0.25, -3.0, 1.5], [0.75, -0.5, 1.0, 2.0]])
    for order, wanted in enumerate(BEYOND[mode]):
        found = map_coordinates(image, list(places), order, mode, 9.0)
        assert found.tolist() == wanted
    whole = map_coordinates(image.astype(int), list(places), 1, mode, 9)
    assert whole.dtype == int

    def f(image, places):
        return map_coordinates(image, list(places), 1, mode, 9.0)

    moved = places + 0.03  # where slopes are those of differences
    hd.debug.check_grads(f, (image, moved), 1)
    rows = hd.vmap(f, (None, 1))(image, places[:, :, None])
    np.testing.assert_allclose(hd.asnumpy(rows[:, 0]), hd.asnumpy(f(image, places)))
    if mode == "mirror":
        slopes = hd.grad(lambda image, p: (f(image, p) ** 2).sum(), (0, 1))(image, places)
        assert_near(host(slopes[0]), np.array([[1.5, 2.625, 3.5], [0.875, 10.0, 3.5]]))
        wanted = [[13.5, 7.5, -24.0, -21.0], [4.5, -2.5, 8.0, -7.0]]
        assert_near(host(slopes[1]), np.array(wanted))
        with pytest.raises(ValueError, match="1 coordinates for an image of 2 dimensions"):
            map_coordinates(image, [places[0]], 1)
        assert callable(gaussian_filter)


def test_keywords_of_trees():
    treedef = hd.tree.structure([0, 0])
    assert hd.tree.unflatten(treedef=treedef, leaves=[1, 2]) == [1, 2]
    assert hd.tree.reduce(function=max, tree=(1, 3), initializer=2) == 3
    assert hd.tree.reduce_associative(operation=max, tree=(1, 3)) == 3
    pairs = {
        "outer_treedef": treedef,
        "inner_treedef": None,
        "pytree_to_transpose": [(1, 2), (3, 4)],
    }
    assert hd.tree.transpose(**pairs) == ([1, 3], [2, 4])


def test_nodes_with_dictionaries_beside_their_children():
    """What is known of a node has no hash, as dictionaries: it is compared."""

    class Scaled:
        def __init__(self, x, times):
            self.x, self.times = x, times

        @hd.jit
        def apply(self, y):
            return self.x * y if self.times else y

    hd.tree.register_pytree_node(
        Scaled, lambda s: ((s.x,), {"times": s.times}), lambda known, parts: Scaled(*parts, **known)
    )
    one, other = Scaled(2.0, True), Scaled(2.0, False)
    assert [one.apply(3.0), other.apply(3.0), one.apply(4.0)] == [6, 3, 8]
    assert hd.grad(lambda s: s.apply(5.0))(one).x == 5
