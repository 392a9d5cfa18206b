"""Derivatives of ordinary NumPy code, against numeric differences, to second order."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest
from transform_cases import MATRIX, REDUCTIONS, VIEWS, WRITES

import heddle as hd

RNG = np.random.default_rng(5)


def numeric(f, x, step=1e-6):
    """The derivative of a function of one array by central differences, in float64."""
    slopes = np.zeros(x.shape, x.dtype)
    for place in np.ndindex(x.shape):
        parts = (1, 1j) if x.dtype.kind == "c" else (1,)
        for part in parts:
            moved = np.zeros(x.shape, x.dtype)
            moved[place] = step * part
            above, below = (complex(f(hd.asarray(y))) for y in (x + moved, x - moved))
            # As in JAX: the derivative of a real function has a negative imaginary part.
            slopes[place] += (above - below).real / (2 * step) * np.conj(part)
    return slopes


def check(f, x, tolerance=1e-6, second=True):
    """Compare the gradient, and one of its own, with differences."""
    x = np.asarray(x)
    found = hd.asnumpy(hd.grad(f)(hd.asarray(x)))
    assert found.shape == x.shape
    assert found.dtype == x.dtype
    np.testing.assert_allclose(found, numeric(f, x), rtol=tolerance, atol=tolerance)
    direction = hd.asarray(RNG.normal(size=x.shape).astype(x.dtype))
    if x.dtype.kind == "c":
        direction = direction * (1 + 0.5j)
    # Both modes agree.
    _, change = hd.jvp(f, (hd.asarray(x),), (direction,))
    wanted = (found * hd.asnumpy(direction)).sum().real
    np.testing.assert_allclose(float(change), wanted, rtol=1e-10, atol=1e-10)
    if not second or x.dtype.kind == "c":
        return

    def along(y):
        return (hd.grad(f)(y) * direction).sum()

    np.testing.assert_allclose(
        hd.asnumpy(hd.grad(along)(hd.asarray(x))),
        numeric(along, x, 1e-5),
        rtol=1e-4,
        atol=1e-4,
    )


UNARY = {
    "negative": (-2, 2),
    "positive": (-2, 2),
    "absolute": (0.1, 2),
    "fabs": (0.1, 2),
    "square": (-2, 2),
    "reciprocal": (0.5, 2),
    "sqrt": (0.5, 2),
    "cbrt": (0.5, 2),
    "conjugate": (-2, 2),
    "exp": (-2, 2),
    "exp2": (-2, 2),
    "expm1": (-2, 2),
    "log": (0.5, 2),
    "log2": (0.5, 2),
    "log10": (0.5, 2),
    "log1p": (-0.5, 2),
    "sin": (-3, 3),
    "cos": (-3, 3),
    "tan": (-1, 1),
    "arcsin": (-0.8, 0.8),
    "arccos": (-0.8, 0.8),
    "arctan": (-2, 2),
    "sinh": (-2, 2),
    "cosh": (-2, 2),
    "tanh": (-2, 2),
    "arcsinh": (-2, 2),
    "arccosh": (1.5, 3),
    "arctanh": (-0.8, 0.8),
    "deg2rad": (-90, 90),
    "rad2deg": (-2, 2),
    "sign": (0.5, 2),
    "floor": (0.1, 0.9),
    "ceil": (0.1, 0.9),
    "trunc": (0.1, 0.9),
    "rint": (0.1, 0.4),
}

BINARY = {
    "add": (-2, 2),
    "subtract": (-2, 2),
    "multiply": (-2, 2),
    "divide": (0.5, 2),
    "power": (0.5, 2),
    "float_power": (0.5, 2),
    "remainder": (0.6, 2),
    "fmod": (0.6, 2),
    "floor_divide": (0.6, 2),
    "logaddexp": (-2, 2),
    "logaddexp2": (-2, 2),
    "arctan2": (0.3, 2),
    "hypot": (0.3, 2),
    "maximum": (-2, 2),
    "minimum": (-2, 2),
    "fmax": (-2, 2),
    "fmin": (-2, 2),
    "copysign": (0.3, 2),
    "heaviside": (0.3, 2),
    "nextafter": (0.3, 2),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    f = getattr(hd, name)
    check(lambda x: (f(x) * hd.arange(1, 5)).sum(), RNG.uniform(*UNARY[name], size=4))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    f, bounds = getattr(hd, name), BINARY[name]
    x, y = RNG.uniform(*bounds, size=(2, 3)), RNG.uniform(*bounds, size=3)
    check(lambda a: (f(a, hd.asarray(y)) * hd.arange(1, 4)).sum(), x)
    check(lambda b: (f(hd.asarray(x), b) * hd.arange(1, 4)).sum(), y)
    check(lambda a: f(a, 1.25).sum(), x)
    check(lambda b: f(1.25, b).sum(), y)


def test_every_ufunc_of_real_numbers_has_a_derivative_or_says_so():
    known = {*UNARY, *BINARY, "ldexp", "spacing", "nextafter", "divmod", "modf", "frexp"}
    known |= {"degrees", "radians", "matmul", "matvec", "vecdot", "vecmat"}
    types = set("fd")
    missing = [
        name
        for name in dir(hd)
        if isinstance(getattr(np, name, None), np.ufunc)
        and getattr(np, name).__name__ == name
        and name not in known
        and any(set(t.split("->")[1]) <= types for t in getattr(np, name).types)
    ]
    assert missing == []
    for name in ("spacing",):
        with pytest.raises(TypeError, match=name):
            hd.grad(lambda x, name=name: getattr(hd, name)(x))(1.0)


COMPLEX = [
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "sqrt",
    "square",
    "reciprocal",
    "tanh",
    "arctan",
    "conjugate",
    "absolute",
    "sinh",
    "cosh",
    "arcsin",
    "negative",
]


@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name):
    x = RNG.normal(size=3) + 1j * RNG.normal(size=3)
    weights = hd.asarray(RNG.normal(size=3) + 1j * RNG.normal(size=3))
    check(lambda z: (getattr(hd, name)(z) * weights).sum().real, x)
    check(lambda z: (getattr(hd, name)(z) * weights).sum().imag, x)
    check(lambda z: (hd.abs(getattr(hd, name)(z)) ** 2).sum(), x)


def total(f):
    return lambda x: f(x).sum()


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    check(total(REDUCTIONS[name]), MATRIX)


def test_products_with_zeros():
    for zeros in ([], [1], [0, 2]):
        x = np.array([2.0, 3.0, 4.0, 5.0])
        x[zeros] = 0
        check(lambda y: y.prod(), x)
        check(lambda y: (hd.cumprod(y) * hd.arange(1.0, 5.0)).sum(), x)


def test_ties_share():
    x = hd.array([1.0, 3.0, 3.0, 2.0])
    assert hd.grad(hd.max)(x).tolist() == [0, 0.5, 0.5, 0]
    assert hd.grad(lambda y: hd.maximum(y, 3.0).sum())(x).tolist() == [0, 0.5, 0.5, 0]


def test_a_branch_that_is_not_taken_has_no_part():
    x = hd.array([0.0, 4.0])
    assert hd.grad(lambda y: hd.where(y > 0, hd.sqrt(y), 0).sum())(x).tolist() == [0, 0.25]
    assert hd.grad(lambda y: hd.where(y > 0, 1 / y, 0).sum())(x).tolist() == [0, -0.0625]

    def f(y):
        return hd.where(y > 0, hd.log(y) * y, 0).sum()

    assert np.isfinite(hd.asnumpy(hd.grad(f)(x))).all()


@pytest.mark.parametrize("name", VIEWS)
def test_views_and_compositions(name):
    check(total(VIEWS[name]), MATRIX)


@pytest.mark.parametrize("f", WRITES, ids=lambda f: f.__name__)
def test_writes(f):
    check(f, MATRIX)


def test_control_flow():
    def newton(x):
        y = x
        while abs(y * y - x) > 1e-12:
            y = 0.5 * (y + x / y)
        return y

    np.testing.assert_allclose(float(hd.grad(newton)(2.0)), 0.5 / 2**0.5, rtol=1e-9)

    def branches(x):
        if x > 1:
            return x**2
        return x**3 if x > 0 else -x

    assert [float(hd.grad(branches)(x)) for x in (2.0, 0.5, -1.0)] == [4, 0.75, -1]


def test_arguments_of_the_caller_stay():
    x = hd.ones(3)

    def f(y):
        y *= 2
        y[0] = 0
        return (y**2).sum()

    assert hd.grad(f)(x).tolist() == [0, 8, 8]
    assert x.tolist() == [1, 1, 1]


def test_an_array_outside_takes_what_is_written():
    kept = hd.zeros(2)

    def f(x):
        kept[:] = x * 3
        return (kept**2).sum()

    assert hd.grad(f)(hd.array([1.0, 2.0])).tolist() == [18, 36]
    assert kept.tolist() == [3, 6]


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass
class Model:
    weight: object
    bias: object


def test_trees():
    x = hd.array([1.0, 2.0])
    made = hd.grad(lambda p: (p.first * p.second["a"][0]).sum())(Pair(x, {"a": [x], "b": None}))
    assert isinstance(made, Pair)
    assert made.first.tolist() == made.second["a"][0].tolist() == [1, 2]
    assert made.second["b"] is None
    made = hd.grad(lambda m: (m.weight * x + m.bias).sum())(Model(x, 2.0))
    assert made.weight.tolist() == [1, 2]
    assert float(made.bias) == 2


def test_arguments():
    def f(x, y, scale=1.0):
        return x * y * scale

    assert float(hd.grad(f)(2.0, 3.0)) == 3
    assert float(hd.grad(f, argnums=1)(2.0, 3.0)) == 2
    assert [float(g) for g in hd.grad(f, argnums=(0, -1))(2.0, 3.0)] == [3, 2]
    made = hd.grad(f, argnames="scale")(2.0, 3.0, scale=5.0)
    assert float(made["scale"]) == 6
    value, (gradient, named) = hd.value_and_grad(f, (0,), argnames=["scale"])(2.0, 3.0, scale=5.0)
    assert (float(value), float(gradient[0]), float(named["scale"])) == (30, 15, 6)
    gradient, aux = hd.grad(lambda x: (x * x, "more"), has_aux=True)(3.0)
    assert (float(gradient), aux) == (6, "more")


def test_vjp():
    x = hd.asarray(MATRIX)
    (y, z), pull = hd.vjp(lambda a, b: (hd.sin(a), a @ b), x, x.T)
    assert y.shape == (3, 4)
    assert z.shape == (3, 3)
    for _ in range(2):
        a, b = pull((hd.ones((3, 4)), hd.zeros((3, 3))))
        np.testing.assert_allclose(hd.asnumpy(a), np.cos(MATRIX))
        assert not b.any()
    _value, pull, aux = hd.vjp(lambda a: (a * 2, 5), x, has_aux=True)
    assert aux == 5
    assert (pull(hd.ones((3, 4)))[0] == 2).all()
    view, pull = hd.vjp(lambda a: a.T[1:, ::2], x)
    made = pull(hd.ones(view.shape))[0]
    assert made.sum() == view.size
    assert made[0, 1] == 1


def test_forward_mode():
    x, t = hd.asarray(MATRIX), hd.asarray(RNG.normal(size=(3, 4)))
    _, (dy, dz) = hd.jvp(lambda a, b: (hd.sin(a) * b, a.argmax()), (x, x), (t, x * 0))
    np.testing.assert_allclose(hd.asnumpy(dy), np.cos(MATRIX) * MATRIX * hd.asnumpy(t))
    assert (dz.dtype, dz.shape) == (hd.float0, ())
    _y, along = hd.linearize(lambda a: a**2, x)
    for _ in range(2):
        np.testing.assert_allclose(hd.asnumpy(along(t)), 2 * MATRIX * hd.asnumpy(t))
    (back,) = hd.linear_transpose(lambda a: 3 * a[1:].T, x)(hd.ones((4, 2)))
    assert back.tolist() == [[0] * 4, [3] * 4, [3] * 4]
    made = hd.hvp(lambda a: (a**3).sum(), (x,), (t,))
    np.testing.assert_allclose(hd.asnumpy(made), 6 * MATRIX * hd.asnumpy(t))

    # Forward over reverse over forward.
    def f(a):
        return hd.jvp(hd.grad(lambda b: hd.sin(b) * b), (a,), (1.0,))[1]

    third = hd.jvp(f, (0.5,), (1.0,))[1]
    np.testing.assert_allclose(float(third), -3 * np.sin(0.5) - 0.5 * np.cos(0.5))


def test_higher_orders():
    def f(x):
        return hd.sin(x) * x**3

    slopes = [f]
    for _ in range(4):
        slopes.append(hd.grad(slopes[-1]))
    x = 0.7
    s, c = np.sin(x), np.cos(x)
    wanted = [
        x**3 * s,
        x**3 * c + 3 * x**2 * s,
        -(x**3) * s + 6 * x**2 * c + 6 * x * s,
        -(x**3) * c - 9 * x**2 * s + 18 * x * c + 6 * s,
        x**3 * s - 12 * x**2 * c - 36 * x * s + 24 * c,
    ]
    np.testing.assert_allclose([float(g(x)) for g in slopes], wanted, rtol=1e-12)


def test_inner_and_outer_variables_are_kept_apart():
    # d/dx (x * d/dy (x + y)) = 1, not 2.
    def f(x):
        return x * hd.grad(lambda y: x + y)(x)

    assert float(hd.grad(f)(2.0)) == 1

    def g(x):
        return hd.grad(lambda y: x * y * y)(x)

    assert float(hd.grad(g)(3.0)) == 12


def test_stop_gradient():
    assert float(hd.grad(lambda x: x * hd.stop_gradient(x))(3.0)) == 3
    made = hd.stop_gradient({"a": hd.ones(2), "b": 3})
    assert made["b"] == 3


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_types(dtype):
    x = hd.asarray(RNG.normal(size=5).astype(dtype))
    made = hd.grad(lambda y: (y * y * 2).sum().real)(x)
    assert made.dtype == x.dtype
    np.testing.assert_allclose(hd.asnumpy(made), 4 * hd.asnumpy(x), rtol=5e-3)


def test_other_types_have_no_part():
    x = hd.asarray(MATRIX)

    def f(y):
        return (y * (y > 1) * y.astype(int)).sum() + y.argmax()

    wanted = (MATRIX > 1) * MATRIX.astype(int)
    np.testing.assert_allclose(hd.asnumpy(hd.grad(f)(x)), wanted)


def test_whole_numbers_that_are_drawn_have_no_part():
    rng = hd.random.default_rng(1)
    for draw, x in (
        (rng.poisson, 4.0),
        (rng.poisson, 40.0),
        (rng.zipf, 2.5),
        (rng.logseries, 0.5),
        (lambda p: rng.binomial(20, p), 0.4),
        (lambda p: rng.binomial(2000, p), 0.4),
    ):
        assert float(hd.grad(lambda y, draw=draw: hd.multiply(draw(y), 0.0) + 2 * y)(x)) == 2
    with pytest.raises(TypeError, match="vonmises_deviate has no derivative"):
        hd.grad(lambda k: rng.vonmises(0.0, k))(2.0)


@pytest.mark.parametrize("a", [0.2, 1.0, 1.5, 4.0, 30.0, 2e4])
def test_gamma_numbers_by_their_parameter(a):
    special = pytest.importorskip("scipy.special")
    count = 20_000

    def draw(a):
        return hd.random.default_rng(4).standard_gamma(a, count)

    z, pull = hd.vjp(draw, hd.full(count, a))
    z, slopes = hd.asnumpy(z), hd.asnumpy(pull(hd.ones(count))[0])
    if a > 1:
        # The number that has the same probability for another parameter.
        step = 1e-4 * a
        level = special.gammainc(a, z[:200])
        wanted = [special.gammaincinv(a + sign * step, level) for sign in (1, -1)]
        middle = (level > 1e-3) & (level < 1 - 1e-3)
        near = (wanted[0] - wanted[1]) / (2 * step)
        np.testing.assert_allclose(slopes[:200][middle], near[middle], rtol=1e-5)
    # The mean is a, the mean of squares a + a**2.
    error = 5 / count**0.5
    assert abs(slopes.mean() - 1) < error * max(1, slopes.std())
    squares = 2 * z * slopes
    assert abs(squares.mean() - (1 + 2 * a)) < error * max(1, squares.std())


def test_numbers_made_of_gamma_numbers():
    def mean(draw):
        return lambda *given: draw(hd.random.default_rng(6), *given).mean()

    n = 50_000
    beta = hd.grad(mean(lambda rng, a, b: rng.beta(a, b, n)), argnums=(0, 1))(2.0, 3.0)
    np.testing.assert_allclose([float(v) for v in beta], [3 / 25, -2 / 25], rtol=0.05)
    assert float(hd.grad(mean(lambda rng, d: rng.chisquare(d, n)))(5.0)) == pytest.approx(1, 0.05)
    slopes = hd.grad(mean(lambda rng, a: rng.dirichlet(a, n)[:, 0]))(hd.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(hd.asnumpy(slopes), [5 / 36, -1 / 36, -1 / 36], rtol=0.1)
    second = hd.grad(hd.grad(mean(lambda rng, a: rng.standard_gamma(a, n) ** 2)))(4.0)
    assert float(second) == pytest.approx(2, 0.1)


BAD = [
    (lambda: hd.grad(lambda x: x)(hd.ones(3)), TypeError, "shape"),
    (lambda: hd.grad(lambda x: x)(3), TypeError, "argument 0 is of type int64"),
    (lambda: hd.grad(lambda x: x["a"])({"a": 1}), TypeError, r"argument 0\['a'\]"),
    (lambda: hd.grad(lambda x: x)("a"), TypeError, "str"),
    (lambda: hd.grad(lambda x: x > 0)(3.0), TypeError, "real number"),
    (lambda: hd.grad(lambda x: x * 1j)(3.0), TypeError, "holomorphic"),
    (lambda: hd.grad(lambda x: x, holomorphic=True)(3.0), TypeError, "complex inputs"),
    (lambda: hd.grad(lambda x: x, argnums=2)(3.0), TypeError, "argument 2"),
    (lambda: hd.grad(lambda x: x, argnums="x")(3.0), TypeError, "argnums"),
    (lambda: hd.grad(lambda x: x, argnames="y"), TypeError, "no argument 'y'"),
    (lambda: hd.grad(lambda x: x, has_aux=True)(3.0), TypeError, "pair"),
    (lambda: hd.vjp(hd.sin, hd.ones(3))[1](hd.ones(2)), ValueError, "shape"),
    (lambda: hd.vjp(hd.sin, hd.ones(3))[1]((hd.ones(3),)), ValueError, "tree"),
    (lambda: hd.grad(lambda x: hd.spacing(x))(3.0), TypeError, "spacing has no derivative"),
    (lambda: hd.jvp(hd.sin, hd.ones(3), hd.ones(3)), TypeError, "tuples"),
    (lambda: hd.jvp(hd.sin, (hd.ones(3),), (hd.ones(2),)), ValueError, "shape"),
    (lambda: hd.jvp(hd.sin, (hd.ones(3),), ()), TypeError, "1 primals, but 0 tangents"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD)
def test_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.unrecorded("is about who records")
def test_an_exception_ends_the_recording():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError):
        hd.grad(f)(1.0)
    assert not hd._core.recording()
    assert float(hd.grad(lambda x: x * x)(2.0)) == 4


def test_holomorphic():
    made = hd.grad(lambda z: z**3, holomorphic=True)(1 + 2j)
    np.testing.assert_allclose(complex(made), 3 * (1 + 2j) ** 2)


@pytest.mark.unrecorded("is about memory, which recording holds")
def test_memory_of_a_loop_over_elements():
    """What was read of an array is kept, not the array of every step."""
    count = 1000

    def f(x):
        y = hd.zeros(count)
        y[0] = x
        for i in range(1, count):
            y[i] = hd.sin(y[i - 1]) + 1
        return y[-1]

    hd.grad(f)(0.5).item()
    hd.synchronize()
    hd.reset_stats()
    hd.grad(f)(0.5).item()
    # An array a step would be 8 MB; elements have at least 64 bytes of memory each.
    assert hd.stats()["bytes_allocated"] < 1 << 20


@pytest.mark.parametrize(
    "name",
    ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "logaddexp", "hypot"],
)
def test_ufuncs_at_places(name):
    places = np.array([0, 3, 3, 1, 0])
    written = hd.asarray(np.random.default_rng(8).uniform(0.5, 1.5, size=5))
    there = hd.asarray(np.random.default_rng(9).uniform(0.5, 1.5, size=4))

    def f(there, written):
        y = there * 1.0
        getattr(hd, name).at(y, places, written)
        return (y**2 * hd.arange(1.0, 5.0)).sum()

    hd.debug.check_grads(f, (there, written), 2, atol=1e-4, rtol=1e-4)
    rows = hd.stack([there, there + 0.1])
    made = hd.vmap(hd.grad(f), in_axes=(0, None))(rows, written)
    wanted = hd.stack([hd.grad(f)(row, written) for row in rows])
    np.testing.assert_allclose(hd.asnumpy(made), hd.asnumpy(wanted), rtol=1e-13)


def test_products_with_zeros_at_places():
    def f(x):
        y = hd.ones(3) * 2
        hd.multiply.at(y, np.array([0, 0, 1, 1, 1]), x)
        return (y * hd.arange(1.0, 4.0)).sum()

    x = hd.array([0.0, 3.0, 0.0, 0.0, 5.0])
    assert hd.grad(f)(x).tolist() == [6, 0, 0, 0, 0]


def test_ties_share_at_places():
    def f(there, written):
        y = there * 1.0
        hd.maximum.at(y, np.array([0, 0, 1]), written)
        return y.sum()

    there, written = hd.array([1.0, 2.0, 3.0]), hd.array([1.0, 1.0, 1.0])
    a, b = hd.grad(f, (0, 1))(there, written)
    np.testing.assert_allclose(hd.asnumpy(a), [1 / 3, 1, 1])
    np.testing.assert_allclose(hd.asnumpy(b), [1 / 3, 1 / 3, 0])
    with pytest.raises(TypeError, match=r"^power\.at has no derivative: .* at .*test_grad.py:"):
        hd.grad(lambda x: hd.power.at(x, np.array([0]), 2.0) or x.sum())(there)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_complex_numbers_beside_arrays(dtype):
    x = hd.asarray(np.array([1.25, 0.5], dtype))
    for f, wanted in (
        (lambda x: ((1 + 2j) * x).imag, [2, 2]),
        (lambda x: (hd.exp(1j * x)).real, -np.sin([1.25, 0.5])),
        (lambda x: hd.vmap(lambda v: (v * (3 - 4j)).imag)(x), [-4, -4]),
    ):
        slope = hd.grad(lambda x, f=f: f(x).sum())(x)
        np.testing.assert_allclose(hd.asnumpy(slope), wanted, rtol=1e-6)


def test_interpolation_at_its_points():
    knots, values = hd.arange(5.0), hd.arange(5.0) ** 2
    at = hd.array([0.0, 0.5, 2.0, 4.0, -1.0, 5.0])
    slope = hd.grad(lambda x: hd.interp(x, knots, values).sum())(at)
    np.testing.assert_array_equal(hd.asnumpy(slope), [1, 1, 5, 7, 0, 0])
    steep = hd.array([0.0, 1.0, np.inf, 3.0, 4.0])
    found, _ = hd.value_and_grad(lambda x: hd.interp(x, knots, steep).sum())(hd.array([1.0]))
    np.testing.assert_array_equal(
        hd.asnumpy(found),
        np.interp([1.0], np.arange(5.0), hd.asnumpy(steep)).sum(),
    )

    value, _ = hd.value_and_grad(lambda x: hd.interp(x, knots, steep).sum())(hd.array([1.0]))
    assert float(value) == np.interp(1.0, np.arange(5.0), hd.asnumpy(steep))


def test_functions_that_are_not_linear_have_no_transpose():
    x = hd.arange(3.0)
    for f in (lambda x: x * x, hd.sin, hd.abs, lambda x: x + 1, lambda x: hd.maximum(x, 0)):
        with pytest.raises(TypeError, match="not linear"):
            hd.linear_transpose(f, x)
    matrix = hd.arange(6.0).reshape(2, 3)
    back = hd.linear_transpose(lambda d: {"y": matrix @ d["a"] - d["b"][:2]}, {"a": x, "b": x})
    found = back({"y": hd.ones(2)})[0]
    np.testing.assert_array_equal(hd.asnumpy(found["a"]), [3, 5, 7])
    np.testing.assert_array_equal(hd.asnumpy(found["b"]), [-1, -1, 0])


def test_errors_say_who_and_where():
    with pytest.raises(TypeError, match=r"^grad: "):
        hd.grad(lambda x: x)(hd.ones(3))
    with pytest.raises(TypeError, match=r"spacing has no derivative.*test_grad\.py:\d+"):
        hd.grad(lambda x: hd.spacing(x).sum())(hd.ones(3))
    _, pull = hd.vjp(hd.sin, hd.ones(3))
    with pytest.raises(TypeError, match="cotangent of the result is of type complex128"):
        pull(hd.ones(3) * 1j)
    with pytest.raises(TypeError, match="tangent of argument 0 is of type complex128"):
        hd.jvp(hd.sin, (hd.ones(3),), (hd.ones(3) * 1j,))


@pytest.mark.parametrize("register", [lambda cls: cls, hd.tree.register_dataclass])
def test_fields_that_are_static(register):
    @register
    @dataclasses.dataclass
    class Layer:
        weights: object
        function: str = dataclasses.field(default="tanh", metadata={"static": True})

    def f(layer):
        return getattr(hd, layer.function)(layer.weights).sum()

    x = hd.array([0.5, 1.0])
    slope = hd.grad(f)(Layer(x))
    assert slope.function == "tanh"
    np.testing.assert_allclose(hd.asnumpy(slope.weights), 1 - np.tanh([0.5, 1.0]) ** 2)
    jitted = hd.jit(hd.grad(f))
    np.testing.assert_allclose(hd.asnumpy(jitted(Layer(x, "sin")).weights), np.cos([0.5, 1.0]))
    np.testing.assert_allclose(hd.asnumpy(jitted(Layer(x, "cos")).weights), -np.sin([0.5, 1.0]))


def test_second_derivatives_at_zero_of_sinc():
    found = hd.hessian(lambda x: hd.sinc(x).sum())(hd.array([0.0, 1e-9, 0.5, -1.0]))
    y = np.pi * np.array([0.5, -1.0])
    others = np.pi**2 * (2 * np.sin(y) / y**3 - 2 * np.cos(y) / y**2 - np.sin(y) / y)
    np.testing.assert_allclose(
        np.diag(hd.asnumpy(found)), [-(np.pi**2) / 3] * 2 + [*others], rtol=1e-12
    )
    check(hd.sinc, np.array(0.1))


@pytest.mark.parametrize("mode", [hd.jacrev, hd.jacfwd])
def test_a_branch_that_is_not_taken_has_no_part_in_second_derivatives(mode):
    def f(x):
        return hd.where(x > 1, hd.sqrt(x - 1), 0.0).sum() + hd.where(x < 0, x, 1 / x).sum()

    found = mode(hd.grad(f))(hd.array([-2.0, 0.5, 2.0]))
    np.testing.assert_allclose(hd.asnumpy(found), np.diag([0, 16.0, -0.25 + 0.25]), atol=1e-15)


def masked_parts(x):
    y = x.copy()
    y[y > 1] = y[y > 1] ** 3
    y[hd.array([True, False, True, True])] *= x[0]
    return y


def test_second_derivatives_through_masks():
    x = hd.array([0.5, 1.5, 2.0, 0.2])
    check(lambda x: masked_parts(x).sum(), hd.asnumpy(x))
    expected = numeric_jacobian(masked_parts, x)
    for mode in (hd.jacrev, hd.jacfwd, hd.jit(hd.jacrev), hd.jit(hd.jacfwd)):
        np.testing.assert_allclose(
            hd.asnumpy(mode(masked_parts)(x)), hd.asnumpy(expected), rtol=1e-6, atol=1e-8
        )
    found = hd.hessian(lambda x: masked_parts(x).sum())(x)
    again = hd.jacrev(hd.grad(lambda x: masked_parts(x).sum()))(x)
    np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(again), rtol=1e-14)


def numeric_jacobian(f, x, step=1e-6):
    columns = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in hd.eye(x.size)]
    return hd.asnumpy(hd.stack(columns, axis=1))


def test_positions_and_names_of_arguments_together():
    def f(x, y, z):
        return (x * y * z).sum()

    x, y, z = (hd.array([1.0, 2.0]) * i for i in (1, 3, 5))
    at_zero, named = hd.grad(f, argnums=0, argnames="z")(x, y, z=z)
    np.testing.assert_array_equal(hd.asnumpy(at_zero), hd.asnumpy(y * z))
    np.testing.assert_array_equal(hd.asnumpy(named["z"]), hd.asnumpy(x * y))
    (_, at_one), named = hd.grad(f, (0, 1), argnames=("z",))(x, y, z=z)
    np.testing.assert_array_equal(hd.asnumpy(at_one), hd.asnumpy(x * z))
    assert list(hd.grad(f, argnames="z")(x, y, z=z)) == ["z"]


def test_whole_numbers_that_are_allowed():
    slope, none = hd.grad(lambda x, n: (x * n).sum(), (0, 1), allow_int=True)(
        hd.ones(2), hd.arange(2)
    )
    np.testing.assert_array_equal(hd.asnumpy(slope), [0.0, 1.0])
    assert none.dtype == hd.float0
    assert none.shape == (2,)


@pytest.mark.parametrize(
    "transformation",
    [
        *(hd.grad, hd.value_and_grad, hd.jacrev, hd.jacfwd, hd.hessian, hd.vmap, hd.jit),
        *(hd.checkpoint, hd.custom_vjp, hd.custom_jvp, hd.custom_gradient),
    ],
)
def test_only_functions_are_transformed(transformation):
    with pytest.raises(TypeError, match="expected a callable function, got 3"):
        transformation(3)


def test_shapes_without_computing():
    like = hd.ShapeDtypeStruct((4, 2), "f4")
    made = hd.eval_shape(lambda a, b: {"product": a @ b, "sum": a.sum()}, hd.ones((3, 4)), b=like)
    assert made["product"] == hd.ShapeDtypeStruct((3, 2), "f8")
    assert made["sum"].ndim == 0
    assert len(hd.jit(hd.transpose).eval_shape(like)) == 2
    with pytest.raises(TypeError, match="asked for"):
        hd.eval_shape(lambda x: x if x > 0 else -x, 1.0)


@pytest.mark.parametrize("shape", [(16, 4), (16, 7), (5, 3)])
def test_forward_through_parts_that_are_written_in_turn(shape):
    """What a kernel leaves on the way is read again by a later one."""

    def f(xp, w, u):
        u = xp.gradient(w, axis=1) + 0 * u
        w[1:][1:] = 3.0
        u[0] = 0
        w[1:-1, 1:-1] -= 0.25 * u[1:-1, :-2]
        return u, w

    rng = np.random.default_rng(5)
    w, u, along = (rng.standard_normal(shape) for _ in range(3))
    moved, stayed = f(np, w + along, u.copy()), f(np, w.copy(), u.copy())
    primals = hd.array(w), hd.array(u)
    tangents = hd.array(along), hd.zeros(shape)
    _, forward = hd.jvp(lambda w, u: f(hd, w.copy(), u.copy()), primals, tangents)
    hd.eval(*forward)
    for made, a, b in zip(forward, moved, stayed, strict=True):
        np.testing.assert_allclose(hd.asnumpy(made), a - b, atol=1e-12)


@pytest.mark.parametrize("part", ["real", "imag"])
def test_places_of_parts_of_complex_numbers(part):
    """Parts are views: what is read and written at indices there is of the whole number."""
    places, mask = hd.array([1, 2, 1]), hd.array([True, False, True])

    def read(z):
        return (getattr(z * 1, part)[:, places] ** 2).sum()

    def written(z):
        z = z * (1 + 0.5j)
        getattr(z, part)[:, places] = hd.sin(z.real[:, :3]) * 2
        return (abs(z) ** 2 + z.real**3).sum()

    def added(z):
        z = z * (1 + 0.5j)
        getattr(z, part)[:, places] += z.imag[:, :3] ** 2
        getattr(z, part)[mask] *= 3.0
        return (abs(z) ** 2 + z.imag**3).sum()

    rng = np.random.default_rng(0)
    z = rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))
    for f in (read, written, added):
        check(f, z)
        hd.debug.check_grads(f, (hd.asarray(z),), 2)


def test_a_power_of_zero_changes_with_the_exponent():
    """The slope with respect to the base is 0 there, but not that of it along the exponent."""
    for outer, inner in ((hd.jacfwd, hd.jacfwd), (hd.jacrev, hd.jacrev), (hd.jacfwd, hd.jacrev)):
        found = outer(inner(hd.power, (0, 1)), (0, 1))(4.0, 0.0)
        wanted = ((0, 1 / 4), (1 / 4, np.log(4) ** 2))
        found = [[float(part) for part in row] for row in found]
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert float(hd.grad(hd.power)(0.0, 0.0)) == 0


def test_tolerances_for_each_type():
    x = hd.ones(3, "f4")
    hd.debug.check_grads(hd.sin, (x,), 2, atol={np.float32: 1e-2}, rtol={"float32": 1e-2})
    for atol in ({np.float32: 1e-12}, {np.float64: 1.0, np.float32: 1e-12}, 1e-12):
        with pytest.raises(AssertionError):
            hd.debug.check_grads(hd.sin, (x,), 1, atol=atol, rtol=0)


def test_what_cannot_be_stopped():
    assert hd.stop_gradient({"a": 3, "b": (None, 2.5)}) == {"a": 3, "b": (None, 2.5)}
    with pytest.raises(TypeError, match="neither an array nor a number"):
        hd.stop_gradient(lambda x: x)


@pytest.mark.unrecorded("is about errors")
@pytest.mark.parametrize("argnums", [(0, 0), (0, -2)])
def test_arguments_that_are_asked_for_twice(argnums):
    for of in (hd.grad, hd.jacrev, hd.jacfwd):
        with pytest.raises(ValueError, match="argument 0 is asked for twice"):
            of(lambda x, y: x * y, argnums)(3.0, 2.0)


def test_jacobians_with_respect_to_integers():
    def f(tree, n):
        return (tree["w"] ** 2).sum() * n * hd.arange(1.0, 3.0)

    given = {"w": hd.array([1.0, 2.0]), "k": hd.arange(3)}
    by_tree, by_n = hd.jacrev(f, (0, 1), allow_int=True)(given, 3)
    assert by_tree["w"].tolist() == [[6.0, 12.0], [12.0, 24.0]]
    assert (by_tree["k"].shape, by_n.shape) == ((2, 3), (2,))
    assert by_tree["k"].dtype == by_n.dtype == hd.float0
    with pytest.raises(TypeError, match="has no derivatives"):
        hd.jacrev(f, 1)(given, 3)
