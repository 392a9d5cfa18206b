"""Derivatives of linear algebra, against differences along directions, to second order."""

import warnings

import numpy as np
import pytest

import heddle as hd

la = hd.linalg


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    made = rng.normal(size=shape)
    return made + 1j * rng.normal(size=shape) if dtype == "c16" else made


def weighed(*results):
    """A real number that depends on all elements."""
    return sum(
        (result * hd.asarray(random(result.shape, result.dtype.str[1:], 7 + i))).real.sum()
        for i, result in enumerate(map(hd.asarray, results))
    )


def adjoint(a):
    return hd.swapaxes(hd.conj(a), -1, -2)


def positive(a):
    return a @ adjoint(a) + hd.eye(a.shape[-1])


def along(f, x, direction, step=1e-6):
    """The derivative of a real function of one array along a direction."""
    above, below = (float(f(hd.asarray(x + sign * step * direction))) for sign in (1, -1))
    return (above - below) / (2 * step)


def check(f, x, tolerance=1e-6):
    """The gradient along some directions, both modes, and all that once more for the gradient."""
    gradient = hd.asnumpy(hd.grad(f)(hd.asarray(x)))
    assert (gradient.shape, gradient.dtype) == (x.shape, x.dtype)
    scale = 1 + np.abs(gradient).max()
    for seed in (1, 2):
        direction = random(x.shape, x.dtype.str[1:], seed)
        found = (gradient * direction).sum().real
        np.testing.assert_allclose(found / scale, along(f, x, direction) / scale, atol=tolerance)
        change = hd.jvp(f, (hd.asarray(x),), (hd.asarray(direction),))[1]
        np.testing.assert_allclose(float(change) / scale, found / scale, atol=1e-10)

    def slope(y):
        return (hd.grad(f)(y) * hd.asarray(direction)).sum().real

    second = hd.asnumpy(hd.grad(slope)(hd.asarray(x)))
    scale += np.abs(second).max()
    other = random(x.shape, x.dtype.str[1:], 3)
    found = (second * other).sum().real
    np.testing.assert_allclose(found / scale, along(slope, x, other) / scale, atol=tolerance)
    made = hd.jvp(hd.grad(f), (hd.asarray(x),), (hd.asarray(direction),))[1]
    np.testing.assert_allclose(hd.asnumpy(made) / scale, second / scale, atol=1e-10)


def squares(v):
    """Absolute values of vectors: their phases are free."""
    return (v * hd.conj(v)).real


def eigenvectors(a):
    w, v = la.eigh(positive(a))
    return weighed(w, squares(v), (v * hd.exp(-w)[..., None, :]) @ adjoint(v))


def singular_vectors(a):
    u, s, vh = la.svd(a, full_matrices=False)
    return weighed(squares(u), s, squares(vh), (u * s[..., None, :] ** 2) @ vh)


def of_hermitian(a):
    u, s, vh = la.svd(a + adjoint(a), hermitian=True)
    return weighed(s, u @ vh, la.svd(a + adjoint(a), compute_uv=False, hermitian=True))


def orders(a):
    return weighed(
        *(la.norm(a, p, axis=(-2, -1)) for p in ("fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf)),
        *(la.norm(a, p, axis=-1) for p in (None, 2, 1, 3, 2.5, np.inf, -np.inf, 0, -1)),
        la.norm(a),
        la.norm(a, axis=(-2, -1), keepdims=True),
        la.vector_norm(a),
        la.matrix_norm(a),
    )


SQUARE = {
    "inv": lambda a: weighed(la.inv(a)),
    "solve": lambda a: weighed(la.solve(a, a[..., :2] ** 2)),
    "solve of one matrix": lambda a: weighed(la.solve(a.reshape(-1, 3, 3)[0], a)),
    "solve of one right side": lambda a: weighed(la.solve(a, a.reshape(-1, 3)[0])),
    "det": lambda a: weighed(la.det(a)),
    "det of one": lambda a: weighed(la.det(a[..., :1, :1])),
    "det of two": lambda a: weighed(la.det(a[..., :2, :2])),
    "det of four": lambda a: weighed(la.det(hd.pad(a, [(0, 0)] * (a.ndim - 2) + [(0, 1)] * 2) + 1)),
    "slogdet": lambda a: weighed(*la.slogdet(a)),
    "cholesky": lambda a: weighed(la.cholesky(positive(a))),
    "upper cholesky": lambda a: weighed(la.cholesky(positive(a), upper=True)),
    "eigvalsh": lambda a: weighed(la.eigvalsh(positive(a))),
    "upper eigvalsh": lambda a: weighed(la.eigvalsh(positive(a), UPLO="U")),
    "eigh": eigenvectors,
    "eigvals": lambda a: weighed(la.eigvals(a)),
    "eig": lambda a: weighed(*la.eig(a)),
    "svd": singular_vectors,
    "svd of full matrices": lambda a: weighed(squares(la.svd(a)[0])),
    "hermitian svd": of_hermitian,
    "qr": lambda a: weighed(*la.qr(a)),
    "complete qr": lambda a: weighed(*la.qr(a, "complete")),
    "pinv": lambda a: weighed(la.pinv(a)),
    "hermitian pinv": lambda a: weighed(la.pinv(positive(a), hermitian=True)),
    "matrix_power": lambda a: weighed(la.matrix_power(a, 5), la.matrix_power(a, -3)),
    "norm": orders,
    "cond": lambda a: weighed(*(la.cond(a, p) for p in (None, -2, 1, "fro"))),
    "multi_dot": lambda a: weighed(
        la.multi_dot([a.reshape(-1, 3, 3)[0]] * 3 + [a.reshape(-1)[:3]])
    ),
}


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("name", SQUARE)
def test_square(name, dtype):
    x = random((3, 3), dtype) + 2 * np.eye(3)
    check(SQUARE[name], x if dtype == "f8" else np.stack([x, x.T * 2 + 1]))


OBLONG = {
    "svd": singular_vectors,
    "svdvals": lambda a: weighed(la.svdvals(a), la.svd(a)[1]),
    "qr": lambda a: weighed(*la.qr(a)),
    "r": lambda a: weighed(la.qr(a, "r"), la.qr(a, "complete")[1]),
    "pinv": lambda a: weighed(la.pinv(a)),
    "norm": orders,
}


def recorded(name):
    """Norms are sums, which are cut in other places where less is held, and have other bits."""
    marker = pytest.mark.unrecorded("sums in another order have other bits")
    return pytest.param(name, marks=[marker] if name == "norm" else [])


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
@pytest.mark.parametrize("name", [recorded(name) for name in OBLONG])
def test_oblong(name, shape, dtype):
    x = random(shape, dtype)
    check(OBLONG[name], x if dtype == "f8" else np.stack([x, x[::-1] * 2 + 1]))


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3)])
def test_least_squares(shape, dtype):
    a, b = random(shape, dtype), random((shape[0], 2), dtype, 1)

    def f(left, right):
        x, residuals, _, s = la.lstsq(left, right)
        return weighed(x, residuals, s)

    check(lambda left: f(left, hd.asarray(b)), a)
    check(lambda right: f(hd.asarray(a), right), b)
    check(lambda left: f(left, left[:, 0]), a)
    # Of lower rank, along directions that leave it.
    thin, wide = random((4, 1), dtype), random((1, 3), dtype)

    def g(left):
        return weighed(la.lstsq(left @ hd.asarray(wide), hd.arange(4.0))[0])

    check(g, thin)


def test_tensors():
    a = random((2, 3, 6), "f8") + np.eye(6).reshape(2, 3, 6)
    b = hd.asarray(random((2, 3), "f8", 1))
    check(lambda x: weighed(la.tensorsolve(x, b)), a)
    check(lambda x: weighed(la.tensorinv(x)), a)


def test_one_triangle_counts_for_both():
    """As in JAX: the derivatives of routines that read a triangle are those of (a + a^H) / 2."""
    for dtype in ("f8", "c16"):
        a = hd.asnumpy(positive(hd.asarray(random((3, 3), dtype))))
        for f in (
            lambda x: weighed(la.cholesky(x)),
            lambda x: weighed(la.cholesky(x, upper=True)),
            lambda x: weighed(la.eigvalsh(x)),
            lambda x: weighed(squares(la.eigh(x, "U")[1])),
            lambda x: weighed(la.pinv(x, hermitian=True)),
        ):
            gradient = hd.asnumpy(hd.grad(f)(hd.asarray(a)))
            np.testing.assert_allclose(gradient, gradient.conj().T, atol=1e-12)
            direction = random((3, 3), dtype, 1)
            second = hd.asnumpy(hd.jvp(hd.grad(f), (hd.asarray(a),), (hd.asarray(direction),))[1])
            np.testing.assert_allclose(second, second.conj().T, atol=1e-12)
            wanted = along(f, a, (direction + direction.conj().T) / 2)
            np.testing.assert_allclose((gradient * direction).sum().real, wanted, rtol=1e-6)


def test_singular_matrices_have_gradients_of_determinants():
    for n in (2, 3, 4, 5):
        for rank in (n - 1, n - 2):
            x = random((n, rank), "f8") @ random((rank, n), "f8", 1)
            cofactors = np.array(
                [
                    [
                        (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
                        for j in range(n)
                    ]
                    for i in range(n)
                ]
            )
            np.testing.assert_allclose(
                hd.asnumpy(hd.grad(la.det)(hd.asarray(x))), cofactors, atol=1e-12
            )


def test_norms_of_zeros():
    for zero in (hd.zeros(3), hd.zeros((2, 3)), hd.zeros((2, 3), complex)):
        for f in (la.norm, la.vector_norm, lambda x: la.norm(x, axis=-1).sum()):
            assert not hd.grad(f)(zero).any()
            assert not hd.grad(lambda x, f=f: hd.grad(f)(x).real.sum())(zero).any()
    assert not hd.grad(la.matrix_norm)(hd.zeros((2, 3))).any()
    made = hd.grad(lambda x: la.norm(x, axis=1).sum())(hd.array([[0.0, 0], [3, 4]]))
    np.testing.assert_allclose(hd.asnumpy(made), [[0, 0], [0.6, 0.8]])


def test_types():
    x = hd.asarray(random((3, 3), "f8").astype("f4") + 3 * np.eye(3, dtype="f4"))
    for name in ("inv", "det", "pinv", "eigvals", "eigvalsh", "svdvals"):
        made = hd.grad(lambda a, name=name: weighed(getattr(la, name)(a)).astype("f4"))(x)
        assert made.dtype == "f4"
    # Integers beside what is differentiated, and matrices of another type.
    made = hd.grad(lambda b: la.solve(hd.array([[2, 0], [0, 4]]), b).sum())(hd.array([1.0, 1]))
    assert made.tolist() == [0.5, 0.25]
    made = hd.grad(lambda a: la.solve(a, hd.ones(3)).sum())(x)
    assert made.dtype == "f4"
    # What does not depend on the argument is left alone, also where it has no derivative.
    a = hd.asarray(random((3, 2), "f8"))
    made = hd.grad(lambda x: x * la.svd(a)[0][0, 0] * la.qr(a, "raw")[1][0])(2.0)
    assert np.isfinite(float(made))
    assert not hd.grad(lambda x: x.sum() * 0 + la.matrix_rank(x))(a).any()
    assert hd.grad(lambda x: la.det(x).sum())(hd.zeros((2, 0, 0))).shape == (2, 0, 0)
    assert hd.grad(lambda x: la.inv(x).sum())(hd.zeros((0, 3, 3))).shape == (0, 3, 3)
    assert hd.grad(lambda x: la.svdvals(x).sum())(hd.zeros((0, 3))).shape == (0, 3)


def test_holomorphic():
    """Transposed, not adjoint: as those of numbers."""
    z = hd.array([[2 + 1j]])
    for f, slope in ((la.inv, -1 / (2 + 1j) ** 2), (la.det, 1), (lambda a: la.solve(a, a * a), 1)):
        made = hd.grad(lambda a, f=f: f(a).sum(), holomorphic=True)(z)
        np.testing.assert_allclose(complex(made[0, 0]), slope)


BATCHED = ["inv", "solve", "det of four", "slogdet", "cholesky", "eigh", "eig", "svd", "qr", "pinv"]


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("name", BATCHED)
def test_batches(name, dtype):
    f = SQUARE[name]
    x = random((3, 3, 3), dtype) + 2 * np.eye(3)
    wanted = np.stack([hd.asnumpy(hd.grad(f)(hd.asarray(one))) for one in x])
    x = hd.asarray(x)
    np.testing.assert_allclose(hd.asnumpy(hd.vmap(hd.grad(f))(x)), wanted, rtol=1e-9, atol=1e-9)
    found = hd.grad(lambda y: hd.vmap(f)(y).sum())(x)
    np.testing.assert_allclose(hd.asnumpy(found), wanted, rtol=1e-9, atol=1e-9)


def test_jacobians():
    x = hd.asarray(random((3, 3), "f8") + 2 * np.eye(3))
    z = hd.asnumpy(la.inv(x))
    wanted = -np.einsum("ik,lj->ijkl", z, z)
    for jacobian in (hd.jacrev, hd.jacfwd):
        np.testing.assert_allclose(hd.asnumpy(jacobian(la.inv)(x)), wanted, rtol=1e-9, atol=1e-12)
    found = hd.hessian(lambda a: la.slogdet(a)[1])(x)
    np.testing.assert_allclose(
        hd.asnumpy(found), -np.einsum("li,jk->ijkl", z, z), rtol=1e-9, atol=1e-12
    )


@pytest.mark.unrecorded("is about who records")
def test_failures_are_raised_where_they_are_made():
    flat = hd.ones((2, 2))
    reached = []

    def f(a):
        made = la.inv(a)
        reached.append(1)
        return made.sum()

    for call in (
        lambda: hd.grad(f)(flat),
        lambda: hd.jvp(f, (flat,), (flat,)),
        lambda: hd.grad(lambda a: la.cholesky(a).sum())(-flat),
        lambda: hd.vmap(hd.grad(lambda a: la.inv(a).sum()))(hd.stack([hd.eye(2), flat])),
        lambda: hd.grad(lambda a: hd.vmap(la.inv)(a).sum())(hd.stack([hd.eye(2), flat])),
    ):
        with pytest.raises(np.linalg.LinAlgError):
            call()
    assert not reached
    assert not hd._core.recording()


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda a: la.svd(a)[0].sum(), "full_matrices=False"),
        (lambda a: la.svd(a)[2].sum(), "full_matrices=False"),
        (lambda a: la.qr(a, "complete")[0].sum(), "mode='reduced'"),
        (lambda a: la.qr(a, "raw")[0].sum(), "mode='reduced'"),
    ],
)
def test_what_has_no_derivative_says_so(f, text):
    x = hd.asarray(random((3, 2), "f8"))
    with pytest.raises(TypeError, match=text):
        hd.grad(f)(x)
    with pytest.raises(TypeError, match=text):
        hd.jvp(f, (x,), (x,))


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 3, 3)])
def test_triangles_of_scipy(shape):
    from heddle.scipy import linalg

    a = hd.asarray(random(shape, "f8"))

    def f(a):
        _, lower, upper = linalg.lu(a)
        factors, _ = linalg.lu_factor(a)
        return weighed(lower**2, hd.sin(upper), factors)

    hd.debug.check_grads(f, (a,), 2, rtol=1e-5, atol=1e-5)
    rows = hd.vmap(hd.grad(f))(hd.stack([a, 2 * a]))
    for row, one in zip(rows, (a, 2 * a), strict=True):
        np.testing.assert_allclose(hd.asnumpy(row), hd.asnumpy(hd.grad(f)(one)), rtol=1e-9)


EQUATIONS = {
    "solve": lambda l, a, b: l.solve(a, b),
    "positive": lambda l, a, b: l.solve(a, b, assume_a="pos"),
    "symmetric": lambda l, a, b: l.solve(a, b, assume_a="sym"),
    "triangle": lambda l, a, b: l.solve_triangular(a, b, lower=True),
    "transposed": lambda l, a, b: l.solve_triangular(a, b, trans=1),
    "cholesky": lambda l, a, b: l.cho_solve(l.cho_factor(a), b),
    "lu": lambda l, a, b: l.lu_solve(l.lu_factor(a), b),
    "inv": lambda l, a, b: l.inv(a) @ b,
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_equations_of_scipy_in_batches(name):
    from heddle.scipy import linalg

    a, b = positive(hd.asarray(random((4, 4), "f8"))), hd.asarray(random(4, "f8", 1))

    def f(p):
        return weighed(EQUATIONS[name](linalg, a + p * hd.eye(4), b * p))

    p = hd.array([0.1, 0.5, 1.0])
    each = [float(hd.grad(f)(one)) for one in p]
    differences = [float(f(one + 1e-6) - f(one - 1e-6)) / 2e-6 for one in p]
    np.testing.assert_allclose(each, differences, rtol=1e-5)
    for found in (
        hd.vmap(hd.grad(f))(p),
        hd.grad(lambda p: hd.vmap(f)(p).sum())(p),
        hd.jit(hd.vmap(hd.grad(f)))(p),
    ):
        np.testing.assert_allclose(hd.asnumpy(found), each, rtol=1e-9)


MATRIX_FUNCTIONS = {
    "expm": hd.scipy.linalg.expm,
    "sqrtm": hd.scipy.linalg.sqrtm,
    "logm": hd.scipy.linalg.logm,
    "fractional_matrix_power": lambda a: hd.scipy.linalg.fractional_matrix_power(a, 0.3),
}


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("name", MATRIX_FUNCTIONS)
def test_functions_of_matrices(name, dtype):
    function = MATRIX_FUNCTIONS[name]
    x = random((3, 3), dtype) + 4 * np.eye(3)
    check(lambda a: weighed(function(a)), x)
    check(lambda a: weighed(function(a)), np.stack([x, 2 * x]), 1e-5)


@pytest.mark.parametrize("name", MATRIX_FUNCTIONS)
def test_functions_of_matrices_in_batches(name):
    function = MATRIX_FUNCTIONS[name]
    # Of different norms, so that one row is halved more often than others.
    x = hd.asarray(random((3, 4, 4), "f8") + 5 * np.eye(4)) * hd.array([1, 0.1, 3])[:, None, None]

    def f(a):
        return weighed(function(a))

    def near(made, wanted):
        np.testing.assert_allclose(hd.asnumpy(made), hd.asnumpy(hd.stack(wanted)), rtol=1e-10)

    near(hd.vmap(function)(x), [function(row) for row in x])
    slopes = [hd.grad(f)(row) for row in x]
    near(hd.vmap(hd.grad(f))(x), slopes)
    near(hd.grad(lambda x: hd.vmap(f)(x).sum())(x), slopes)
    near(hd.vmap(lambda s: hd.vmap(lambda a: function(a * s))(x))(hd.array([1.0]))[0], function(x))
    jitted = hd.jit(hd.vmap(hd.grad(f)))
    for factor in (1, 1.1, 1.2):
        near(jitted(x * factor), [hd.grad(f)(row * factor) for row in x])


def test_a_recorded_exponential_serves_other_matrices():
    recorded = hd.jit(hd.scipy.linalg.expm)
    x = hd.asarray(random((4, 4), "f8"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of recordings that come to no end
        for factor in np.linspace(1, 1.2, 12):
            made = recorded(x * factor)
            wanted = hd.scipy.linalg.expm(x * factor)
            np.testing.assert_allclose(hd.asnumpy(made), hd.asnumpy(wanted), rtol=1e-12)


@pytest.mark.parametrize("bands", [(1, 1), (2, 0), (0, 1)])
def test_banded_systems_in_batches(bands):
    diagonals = random((3, sum(bands) + 1, 5), "f8")
    diagonals[:, bands[1]] += 5
    diagonals, right = hd.asarray(diagonals), hd.asarray(random((3, 5), "f8", 1))

    def solve(a, b):
        return hd.scipy.linalg.solve_banded(bands, a, b)

    def f(a, b):
        return weighed(solve(a, b))

    def near(made, wanted):
        np.testing.assert_allclose(hd.asnumpy(made), hd.asnumpy(hd.stack(wanted)), rtol=1e-10)

    pairs = list(zip(diagonals, right, strict=True))
    near(hd.vmap(solve)(diagonals, right), [solve(*pair) for pair in pairs])
    near(hd.vmap(solve, (None, 0))(diagonals[0], right), [solve(diagonals[0], b) for b in right])
    for place in (0, 1):
        slopes = [hd.grad(f, place)(*pair) for pair in pairs]
        near(hd.vmap(hd.grad(f, place))(diagonals, right), slopes)
        total = hd.grad(lambda *both: hd.vmap(f)(*both).sum(), place)
        near(total(diagonals, right), slopes)
        near(hd.jit(total)(diagonals, right), slopes)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        hd.vmap(solve)(diagonals * 0, right)


def test_least_squares_of_scipy_in_batches():
    a, b = hd.asarray(random((3, 5, 2), "f8")), hd.asarray(random((3, 5), "f8", 1))
    x, residuals, rank, s = hd.vmap(hd.scipy.linalg.lstsq)(a, b)
    for i in range(3):
        wanted = hd.scipy.linalg.lstsq(a[i], b[i])
        for made, one in zip((x, residuals, rank, s), wanted, strict=True):
            np.testing.assert_allclose(hd.asnumpy(made)[i], hd.asnumpy(hd.asarray(one)), rtol=1e-10)
