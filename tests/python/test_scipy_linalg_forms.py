"""heddle.scipy.linalg against SciPy: eigenvalues, factors, functions, special matrices."""

import math
import warnings

import mpmath
import numpy
import pytest
import scipy.linalg as theirs
from oracles import SCIPY
from scipy_support import assert_near, host_of, numbers, same

import heddle
from heddle.scipy import linalg

DTYPES = ("f4", "c16")


def compare(name, *args, **kwargs):
    return same(getattr(linalg, name), getattr(theirs, name), *args, **kwargs)


def close(dtype):
    return 2e-4 if dtype in ("f4", "c8") else 1e-11


def rebuilt(made, expected, tolerance):
    numpy.testing.assert_allclose(host_of(made), expected, atol=tolerance * abs(expected).max())


def adjoint(a):
    return heddle.swapaxes(a.conj(), -1, -2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvalues(dtype):
    a, b = numbers((4, 4), dtype), numbers((4, 4), dtype, 1)
    ours = heddle.asarray(a), heddle.asarray(b)
    wanted = numpy.sort_complex(theirs.eigvals(a))
    assert_near(
        heddle.sort(linalg.eigvals(ours[0])),
        wanted.astype(f"c{max(8, a.itemsize)}") if dtype in ("c8", "c16") else wanted,
        close(dtype),
    )
    w, vl, vr = linalg.eig(ours[0], left=True)
    rebuilt(ours[0] @ vr, host_of(vr * w), close(dtype))
    rebuilt(adjoint(vl) @ ours[0], host_of(w[:, None] * adjoint(vl)), close(dtype))
    w, vl, vr = linalg.eig(*ours, left=True)
    rebuilt(ours[0] @ vr, host_of((ours[1] @ vr) * w), 10 * close(dtype))
    numpy.testing.assert_allclose(numpy.abs(host_of(vr) ** 2).sum(axis=0).real, 1, rtol=1e-4)
    expected = numpy.sort_complex(theirs.eigvals(a, b))
    numpy.testing.assert_allclose(
        numpy.sort_complex(host_of(w)), expected, rtol=1e-2 if close(dtype) > 1e-5 else 1e-8
    )
    found = linalg.eigvals(*ours, homogeneous_eigvals=True)
    assert found.shape == (2, 4)
    assert linalg.eig(heddle.asarray(numbers((2, 3, 3), dtype)))[0].shape == (2, 3)
    compare("eig", a[:3])
    compare("eig", a, b[:3, :3])
    compare("eigvals", numpy.full((2, 2), numpy.nan))


def test_infinite_eigenvalues():
    a, b = numpy.diag([1.0, 2.0, 0.0]), numpy.diag([1.0, 0.0, 0.0])
    found = host_of(linalg.eigvals(heddle.asarray(a), heddle.asarray(b)))
    expected = theirs.eigvals(a, b)
    numpy.testing.assert_array_equal(numpy.isnan(found), numpy.isnan(expected))
    assert numpy.isinf(found.real).sum() == 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_hermitian_eigenvalues(dtype):
    a = numbers((5, 5), dtype)
    a = a + a.conj().T
    b = numbers((5, 5), dtype, 1)
    b = (b @ b.conj().T + 5 * numpy.eye(5)).astype(dtype)
    for lower in (False, True):
        compare("eigvalsh", a, lower=lower, tolerance=close(dtype))
        compare("eigvalsh", a, subset_by_index=[1, 3], lower=lower, tolerance=close(dtype))
        compare("eigvalsh", a, subset_by_value=[-1.0, 9.0], tolerance=close(dtype))
        for kind in (1, 2, 3):
            compare("eigvalsh", a, b, type=kind, lower=lower, tolerance=close(dtype))
            w, v = linalg.eigh(heddle.asarray(a), heddle.asarray(b), type=kind, lower=lower)
            x, y = heddle.asarray(a), heddle.asarray(b)
            left = {1: x @ v, 2: x @ y @ v, 3: y @ x @ v}[kind]
            right = (y @ v) * w if kind == 1 else v * w
            rebuilt(left, host_of(right), 20 * close(dtype))
    w, v = linalg.eigh(heddle.asarray(a))
    rebuilt(heddle.asarray(a) @ v, host_of(v * w), close(dtype))
    for bad in ({"driver": "no"}, {"driver": "gv"}, {"subset_by_index": [3, 9]}):
        compare("eigh", a, **bad)
    compare("eigh", a, b, type=4)
    compare("eigh", a, -b)
    compare("eigh", a, subset_by_value=[3.0, 1.0])
    compare("eigh", a[:3])


def test_bands():
    d, e = numbers((6,)), numbers((5,), seed=1)
    compare("eigvalsh_tridiagonal", d, e)
    compare("eigvalsh_tridiagonal", d, e, select="i", select_range=(1, 3))
    compare("eigvalsh_tridiagonal", d, e, select="v", select_range=(-0.5, 2.0))
    w, v = linalg.eigh_tridiagonal(heddle.asarray(d), heddle.asarray(e))
    dense = numpy.diag(d) + numpy.diag(e, 1) + numpy.diag(e, -1)
    rebuilt(heddle.asarray(dense) @ v, host_of(v * w), 1e-12)
    ab = numbers((3, 6))
    for lower in (False, True):
        compare("eigvals_banded", ab, lower)
        compare("eigvals_banded", ab.astype("c16"), lower)
    compare("eigh_tridiagonal", d, d)
    compare("eigh_tridiagonal", d, e, select="no")
    compare("eigh_tridiagonal", d, e, select="i", select_range=(1, 9))
    compare("eigh_tridiagonal", d, e, lapack_driver="no")


@pytest.mark.parametrize("dtype", DTYPES)
def test_schur(dtype):
    a, b = numbers((5, 5), dtype), numbers((5, 5), dtype, 1)
    x = heddle.asarray(a)
    for output in ("real", "complex"):
        t, z = linalg.schur(x, output)
        assert t.dtype == theirs.schur(a, output)[0].dtype
        rebuilt(z @ t @ adjoint(z), a, close(dtype))
        for sort in ("lhp", "rhp", "iuc", "ouc", lambda w, y=None: w.real > 0.5):
            t, z, count = linalg.schur(x, output, sort=sort)
            rebuilt(z @ t @ adjoint(z), a, close(dtype))
            assert count == theirs.schur(a, output, sort=sort)[2]
    t, z = linalg.rsf2csf(*linalg.schur(x))
    rebuilt(z @ t @ adjoint(z), a, close(dtype))
    assert linalg.bandwidth(t)[0] == 0
    h, q = linalg.hessenberg(x, calc_q=True)
    rebuilt(q @ h @ adjoint(q), a, close(dtype))
    assert linalg.bandwidth(h)[0] <= 1
    y = heddle.asarray(b)
    for output in ("real", "complex"):
        aa, bb, q, z = linalg.qz(x, y, output)
        rebuilt(q @ aa @ adjoint(z), a, close(dtype))
        rebuilt(q @ bb @ adjoint(z), b, close(dtype))
        for sort in ("lhp", "rhp", "iuc", "ouc"):
            aa, bb, _, _, q, z = linalg.ordqz(x, y, sort, output)
            rebuilt(q @ aa @ adjoint(z), a, close(dtype))
            rebuilt(q @ bb @ adjoint(z), b, close(dtype))
    for bad in (a[:3], numpy.full((2, 2), numpy.inf)):
        compare("schur", bad)
        compare("hessenberg", bad)
    real = numpy.array([[1.0, 2.0], [3.0, -1.0]])
    compare("schur", real, sort=lambda w: w > 0)  # no imaginary part is given where none is taken
    compare("schur", a, output="no")
    compare("schur", a, sort="no")
    compare("qz", a, b[:3, :3])
    t, z = linalg.schur(heddle.asarray(numbers((2, 3, 3), dtype)))
    assert t.shape == (2, 3, 3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", ((4, 4), (5, 3), (3, 5)))
def test_qr(dtype, shape):
    a = numbers(shape, dtype)
    x = heddle.asarray(a)
    for mode in ("full", "economic", "r"):
        found, expected = linalg.qr(x, mode=mode), theirs.qr(a, mode=mode)
        assert [f.shape for f in found] == [e.shape for e in expected]
        if mode != "r":
            rebuilt(found[0] @ found[1], a, close(dtype))
        found, expected = (
            linalg.qr(x, mode=mode, pivoting=True),
            theirs.qr(a, mode=mode, pivoting=True),
        )
        assert_near(found[-1], expected[-1])
        assert_near(heddle.abs(found[-2]), numpy.abs(expected[-2]), close(dtype))
        if mode != "r":
            rebuilt(found[0] @ found[1], a[:, expected[-1]], close(dtype))
            eye = adjoint(found[0]) @ found[0]
            rebuilt(eye, numpy.eye(len(eye)), close(dtype))
    (q, tau), r = linalg.qr(x, mode="raw")
    assert_near(q, theirs.qr(a, mode="raw")[0][0], close(dtype))
    assert_near(tau, theirs.qr(a, mode="raw")[0][1], close(dtype))
    for mode in ("full", "economic"):
        r, q = linalg.rq(x, mode=mode)
        assert r.shape == theirs.rq(a, mode=mode)[0].shape
        rebuilt(r @ q, a, close(dtype))
    assert linalg.bandwidth(linalg.rq(x, mode="economic")[0])[0] <= max(shape[0] - shape[1], 0)
    compare("qr", a, mode="no")
    compare("qr", a[0])
    c = numbers((2, shape[0]), dtype, 1)
    q, r = linalg.qr(x, mode="economic")
    found, _ = linalg.qr_multiply(x, heddle.asarray(c))
    assert_near(found, c @ host_of(q), close(dtype))
    compare("qr_multiply", a, c, mode="no")
    compare("qr_multiply", a, c[:, :1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_ldl(dtype):
    for seed in range(4):
        a = numbers((6, 6), dtype, seed)
        for hermitian in (True, False):
            full = a + (a.conj().T if hermitian else a.T)
            numpy.fill_diagonal(full, full.diagonal().real * (seed % 2))
            for lower in (True, False):
                compare("ldl", full, lower, hermitian, tolerance=close(dtype))
    compare("ldl", a[:3])


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_values(dtype):
    for shape in ((4, 4), (5, 3), (2, 3, 4)):
        a = numbers(shape, dtype)
        compare("svdvals", a, tolerance=close(dtype))
        u, s, vh = linalg.svd(heddle.asarray(a), full_matrices=False)
        rebuilt((u * s[..., None, :]) @ vh, a, close(dtype))
        compare("polar", a, tolerance=close(dtype))
        compare("polar", a, side="left", tolerance=close(dtype))
    low = numbers((5, 2), dtype) @ numbers((2, 4), dtype, 1)
    for name in ("orth", "null_space"):
        found = getattr(linalg, name)(heddle.asarray(low), rcond=1e-4)
        expected = getattr(theirs, name)(low, rcond=1e-4)
        assert found.shape == expected.shape
        rebuilt(found @ adjoint(found), expected @ expected.conj().T, close(dtype))
    compare(
        "subspace_angles",
        numbers((5, 2), dtype),
        numbers((5, 3), dtype, 1),
        tolerance=1e-3 if close(dtype) > 1e-5 else 1e-9,
    )
    compare(
        "orthogonal_procrustes",
        numbers((5, 3), dtype),
        numbers((5, 3), dtype, 1),
        tolerance=close(dtype),
    )
    compare("diagsvd", numbers((3,), dtype), 3, 4)
    compare("diagsvd", numbers((3,), dtype), 2, 4)
    compare("svd", a, lapack_driver="no")
    compare("polar", a, side="no")


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials(dtype):
    for size in (1e-3, 0.1, 0.5, 1.5, 3.0, 30.0) if dtype == "c16" else (0.5, 30.0):
        a = (numbers((4, 4), dtype) * size).astype(dtype)
        compare("expm", a, tolerance=max(close(dtype), 1e-10))
    compare(
        "expm",
        numbers((3, 2, 2), dtype) * numpy.array([0.1, 1, 9]).reshape(3, 1, 1),
        tolerance=max(close(dtype), 1e-10),
    )
    for name in ("cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"):
        compare(name, numbers((3, 3), dtype) / 2, tolerance=1e-3 if close(dtype) > 1e-5 else 1e-10)
    compare(
        "expm_frechet",
        numbers((3, 3), dtype),
        numbers((3, 3), dtype, 1),
        tolerance=1e-3 if close(dtype) > 1e-5 else 1e-10,
    )
    for bad in (numbers((3, 2)), numbers((3,))):
        compare("expm", bad)
    if dtype == "f8":
        compare("expm_cond", numbers((3, 3)), tolerance=1e-9)
        compare("expm", numpy.zeros((0, 0)))


@pytest.mark.parametrize("far", [1e3, 1e6])
@pytest.mark.parametrize("turned", [False, True])
def test_exponentials_of_triangles(far, turned):
    a = numpy.triu(numbers((3, 4, 4)))
    a[1] *= numpy.where(numpy.eye(4) == 1, 1, far)
    a[2, numpy.arange(4), numpy.arange(4)] *= 20
    a = numpy.swapaxes(a, 1, 2) if turned else a
    with mpmath.workdps(60):
        exact = [mpmath.expm(mpmath.matrix(each.tolist())).tolist() for each in a]
    assert_near(linalg.expm(heddle.asarray(a)), numpy.array(exact, float), 1e-14)
    # Elements far from normal, known to all digits: the powers are smaller than the norm says.
    known = numpy.array([[1.0, far], [0.0, -1.0]])
    found = host_of(linalg.expm(heddle.asarray(known.T if turned else known)))
    expected = numpy.array([[math.e, far * math.sinh(1.0)], [0.0, 1 / math.e]])
    numpy.testing.assert_allclose(found.T if turned else found, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_by_schurs_form(dtype):
    a = numbers((4, 4), dtype)
    good = (a @ a.conj().T + numpy.eye(4)).astype(dtype)
    tolerance = 1e-3 if close(dtype) > 1e-5 else 1e-9
    for each in (good, a):
        compare("sqrtm", each, tolerance=tolerance)
        compare("fractional_matrix_power", each, 0.3, tolerance=tolerance)
        compare("fractional_matrix_power", each, -1.7, tolerance=tolerance)
        compare("fractional_matrix_power", each, 2, tolerance=tolerance)
        compare("logm", each, tolerance=tolerance)
    turn = numpy.eye(3, dtype=dtype)[[1, 2, 0]]
    compare("fractional_matrix_power", turn, 0.2, tolerance=tolerance)
    compare("fractional_matrix_power", numpy.zeros((2, 2), dtype), 0.5, tolerance=tolerance)
    compare("fractional_matrix_power", numpy.zeros((2, 2), dtype), -0.5, tolerance=tolerance)
    compare("funm", good, numpy.exp, tolerance=1e-2 if tolerance > 1e-4 else 1e-8)
    compare("signm", a, tolerance=1e-2 if tolerance > 1e-4 else 1e-8)
    compare("sqrtm", a[:3])
    compare("logm", a[0])


@pytest.mark.parametrize("dtype", ("f8", "c16"))
def test_matrix_equations(dtype):
    a, b, q = numbers((4, 4), dtype), numbers((3, 3), dtype, 1), numbers((4, 3), dtype, 2)
    compare("solve_sylvester", a, b, q, tolerance=1e-9)
    q = numbers((4, 4), dtype, 2)
    compare("solve_continuous_lyapunov", a, q, tolerance=1e-9)
    for method in (None, "direct", "bilinear"):
        compare("solve_discrete_lyapunov", a / 4, q, method, tolerance=1e-9)
    compare("solve_discrete_lyapunov", a, q, "no")
    compare("solve_continuous_lyapunov", a, q[:3, :3])


def test_balancing():
    a = numbers((5, 5)) * 10.0 ** numbers((5, 5), "i4", 1)
    for each in (a, numpy.triu(a), numpy.diag([1.0, 2, 3, 4, 5])[[4, 2, 0, 1, 3]]):
        b, t = linalg.matrix_balance(heddle.asarray(each))
        rebuilt(heddle.linalg.solve(t, heddle.asarray(each) @ t), host_of(b), 1e-10)
        _, (_, order) = linalg.matrix_balance(heddle.asarray(each), separate=True)
        assert sorted(host_of(order)) == list(range(5))
    compare("matrix_balance", a[:3])
    # Squares of such elements are infinite, or nothing: SciPy's norms are not made of them.
    for large in ([[1.0, 1e200], [1e-200, 1e250]], [[1.0, 1e-300], [1e300, 1.0]]):
        compare("matrix_balance", numpy.array(large))


MATRICES = [
    ("toeplitz", ([1, 2, 3],)),
    ("toeplitz", ([1.0, 2j, 3], [1.0, 4, 5, 6])),
    ("toeplitz", (numbers((2, 3)), numbers((2, 4)))),
    ("circulant", ([1, 2, 3],)),
    ("circulant", (numbers((2, 4)),)),
    ("hankel", ([1, 2, 3],)),
    ("hankel", ([1, 2, 3], [3, 4, 5, 6])),
    ("hadamard", (4,)),
    ("hadamard", (8, "f4")),
    ("hadamard", (3,)),
    ("leslie", ([0.1, 2.0, 1.0], [0.2, 0.8])),
    ("leslie", ([0.1, 2.0], [0.2, 0.8])),
    ("block_diag", ([[1, 2]], [[3.0], [4]], 5)),
    ("block_diag", ()),
    ("companion", ([1, -10, 31, -30],)),
    ("companion", ([0, 1, 2],)),
    ("companion", ([1],)),
    ("helmert", (5,)),
    ("helmert", (5, True)),
    ("hilbert", (4,)),
    ("invhilbert", (4,)),
    ("invhilbert", (4, True)),
    ("dft", (5,)),
    ("dft", (4, "n")),
    ("dft", (4, "sqrtn")),
    ("dft", (4, "no")),
    ("fiedler", ([1, 4, 12, 45],)),
    ("fiedler_companion", ([1.0, -16.0, 86.0, -176.0, 105.0],)),
    ("fiedler_companion", ([1.0, 2.0],)),
    ("fiedler_companion", ([0.0, 2.0, 3.0],)),
    ("convolution_matrix", ([1, 2, 3], 5)),
    ("convolution_matrix", ([1, 2, 3], 5, "same")),
    ("convolution_matrix", ([1, 2, 3], 2, "valid")),
    ("convolution_matrix", ([1, 2, 3], 2, "same")),
    ("convolution_matrix", ([1, 2, 3], 0)),
    ("convolution_matrix", (numbers((2, 3)), 4)),
    ("khatri_rao", ([[1, 2], [3, 4]], [[5, 6], [7, 8], [9, 1]])),
    ("khatri_rao", ([[1, 2]], [[1]])),
]


@pytest.mark.parametrize("name, args", MATRICES)
def test_special_matrices(name, args):
    compare(name, *args)


def test_fiedler_of_nothing():
    assert linalg.fiedler([]).shape == (0, 0)  # so since SciPy 1.18


def test_pascal():
    for n in (1, 4, 20):
        for kind in ("symmetric", "lower", "upper", "no"):
            for exact in (True, False):
                compare("pascal", n, kind, exact)
                compare("invpascal", min(n, 12), kind, exact)
    for n in (33, 34, 37):  # integers beyond 2^53
        made = numpy.asarray(linalg.invpascal(n))
        assert (made == theirs.invpascal(n)).all() and made.dtype == theirs.invpascal(n).dtype


def test_questions():
    a = numpy.triu(numbers((4, 5)), -1)
    compare("bandwidth", a)
    compare("bandwidth", numpy.zeros((3, 3)))
    compare("bandwidth", a[0])
    s = numbers((3, 3), "c16")
    for name in ("issymmetric", "ishermitian"):
        for each in (s, s + s.T, s + s.conj().T, a):
            compare(name, each)
        compare(name, s + s.T + 1e-9 * s, atol=1e-6)
        compare(name, numpy.zeros((2, 0, 0)))


def test_norms():
    for a in (numbers((3, 4)), numbers((5,), "c16")):
        compare("norm", a)
        compare("norm", a, 1)
        compare("norm", a, axis=0)
    compare("norm", numpy.array([numpy.nan]))


def test_conjugate_pairs():
    a = numbers((5, 5))
    w, v = linalg.eig(heddle.asarray(a))
    wr, vr = linalg.cdf2rdf(w, v)
    rebuilt(heddle.asarray(a) @ vr, host_of(vr @ wr), 1e-11)
    compare("cdf2rdf", numpy.array([1j, 2.0]), numpy.eye(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linalg.cdf2rdf(w, v)


def test_exponentials_of_far_diagonals():
    """exp(-2048 L) of a triangle with 0 and 1 on its diagonal: nothing overflows on the way."""
    a = numpy.triu(numpy.full((5, 5), -0.25), 1) + numpy.diag([1.0, 1.0, 0.0, 0.0, 0.0])
    a[2:] = 0
    assert_near(linalg.expm(-2048.0 * a), theirs.expm(-2048.0 * a), 1e-12)
    assert_near(linalg.expm(-2048.0 * a.T), theirs.expm(-2048.0 * a.T), 1e-12)


INTEGERS = {
    "inv lu lu_factor cholesky cho_factor qr rq svd svdvals eigh eigvalsh eigvals schur "
    "hessenberg expm logm sqrtm signm cosm pinv pinvh null_space orth polar ldl matrix_balance": 1,
    "solve solve_triangular lstsq qz orthogonal_procrustes solve_continuous_lyapunov "
    "solve_discrete_lyapunov subspace_angles": 2,
    "solve_sylvester": 3,
}


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f2"])
@pytest.mark.parametrize(
    ("name", "count"), [(name, n) for names, n in INTEGERS.items() for name in names.split()]
)
def test_types_that_integers_are_computed_in(name, count, dtype):
    a = (numpy.arange(9).reshape(3, 3) % 4 + 9 * numpy.eye(3)).astype(dtype)
    a = a + a.T
    wanted = getattr(theirs, name)(*[a] * count)
    found = getattr(linalg, name)(*[heddle.asarray(a)] * count)
    if not isinstance(wanted, tuple):
        wanted, found = (wanted,), (found,)
    if name == "lstsq" and SCIPY >= (1, 18):
        pytest.skip("from 1.18 on SciPy computes lstsq of small integers in float64")
    # Numbers beside them are of other types in other versions.
    types = [x.dtype for x in found if numpy.ndim(x)]
    assert types and types == [x.dtype for x in wanted if numpy.ndim(x)]


def test_signs_of_singular_matrices():
    for a in (
        numpy.zeros((3, 3)),
        numpy.ones((4, 4)),
        numpy.diag([2.0, 0.0, -3.0]),
        [[0, 1, 2], [-1, 0, 3], [0, 0, 4]],
    ):
        numpy.testing.assert_allclose(host_of(linalg.signm(a)), theirs.signm(a), atol=1e-6)
    compare("signm", numpy.diag([2.0, 1.0, -3.0]) + 0.1j)


@pytest.mark.parametrize("name", ["solve_continuous_are", "solve_discrete_are"])
def test_stacks_of_riccatis_equations(name):
    a, b = numbers((2, 1, 3, 3), "f8"), numbers((3, 2), "f8", 1)
    weights = numpy.stack([numpy.eye(2), 3 * numpy.eye(2)])
    compare(name, a, b, numpy.eye(3), weights, tolerance=1e-9)


def test_derivatives_of_exponentials_of_stacks():
    a, e = numbers((2, 3, 3), "f8"), numbers((3, 3), "f8", 1)
    compare("expm_frechet", a, e, tolerance=1e-12)
    compare("expm_frechet", e, a, compute_expm=False, tolerance=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("size", [0.1, 4.0, 40.0])
def test_exponentials_of_any_size(size, dtype):
    """Degrees and halvings of all kinds; of nonnormal ones the sums of sizes say how many."""
    a = numbers((20, 20), dtype) * numpy.dtype(dtype).type(size / 4)
    close_to = 2e-5 if dtype == "f4" else 1e-12
    for each in (a, numpy.stack([a, a.T / 9]), numpy.triu(a), numpy.tril(a)):
        compare("expm", each, tolerance=close_to)
    far = numpy.array([[1, 2.0**20, 0], [0, 1, 2.0**20], [1e-9, 0, 1]])
    compare("expm", far, tolerance=1e-11)


def test_inverses_tell_of_conditions():
    near = numpy.array([[1.0, 1.0], [1.0, 1.0 + 3e-16]])
    with pytest.warns(linalg.LinAlgWarning, match="ill-conditioned"):
        linalg.inv(near)
    with pytest.raises(linalg.LinAlgError, match="singular"):
        linalg.inv(numpy.stack([numpy.eye(2), numpy.ones((2, 2))]))
    compare("inv", numbers((3, 5, 5), "f8"), tolerance=1e-10)


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "c8", "c16"])
def test_eigenvalues_of_nothing(dtype):
    a = numpy.empty((0, 0), dtype)
    for name in ("eigvals", "eig"):
        compare(name, a)
    compare("eigvals", a, homogeneous_eigvals=True)


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_norms_whose_squares_overflow(dtype):
    a = numpy.array([1e20, 3e19, 0], dtype)
    compare("norm", a)
    compare("norm", a.reshape(1, 3))


@pytest.mark.parametrize("mode", ("full", "economic", "r"))
@pytest.mark.parametrize("dtype", ("f8", "c16", "f4"))
@pytest.mark.parametrize("shape", ((3, 3), (2, 4), (4, 2), (1, 1)))
def test_rq_has_the_signs_of_lapack(shape, dtype, mode):
    compare("rq", numbers(shape, dtype), mode=mode, tolerance=1e-5 if dtype == "f4" else 1e-12)


def test_rq_of_nan_that_nobody_looks_for():
    r, _ = linalg.rq(heddle.asarray([[1.0, numpy.nan], [2.0, 3.0]]), check_finite=False)
    assert numpy.isnan(host_of(r)).any()


def test_real_forms_become_complex_ones():
    for n in (1, 2, 3, 8, 30):
        t, z = theirs.schur(numbers((n, n), seed=n))
        compare("rsf2csf", t, z, tolerance=1e-10)
    hessenberg = numpy.triu(numbers((6, 6)), -1)  # no form of Schur's: blocks touch
    compare("rsf2csf", hessenberg, numpy.eye(6), tolerance=1e-10)
    compare("rsf2csf", numpy.arange(9.0).reshape(3, 3), numpy.eye(3), tolerance=1e-10)


def test_roots_that_are_hardly_any():
    strict = numpy.triu(numpy.ones((4, 4)), 1)
    with pytest.warns(linalg.LinAlgWarning, match="singular"):
        root = host_of(linalg.sqrtm(heddle.asarray(strict)))
    assert not numpy.tril(root).any() and numpy.isinf(root).any()
    with pytest.warns(linalg.LinAlgWarning, match="ill-conditioned"):
        linalg.sqrtm(heddle.asarray(numpy.diag([1.0, 1e-20])))
    assert linalg.sqrtm(heddle.ones((4, 0, 5, 5))).shape == (4, 0, 5, 5)
    with pytest.warns(RuntimeWarning, match="inaccurate"), pytest.warns(match="singular"):
        found = host_of(linalg.logm(heddle.zeros((2, 2))))
    numpy.testing.assert_allclose(found, numpy.diag([numpy.log(1e-20)] * 2))


def test_condition_of_exponentials_of_stacks():
    compare("expm_cond", numbers((2, 3, 3, 3)), tolerance=1e-8)


def test_unitary_routines_have_the_names_of_real_ones():
    assert repr(linalg.get_lapack_funcs("orgqr", dtype="c16")) == "<routine zungqr>"
    assert repr(linalg.get_lapack_funcs("ormqr", dtype="f8")).count("dormqr")


@pytest.mark.parametrize("n", (1, 2, 3, 4, 5, 9, 20))
@pytest.mark.parametrize("kind", ("any", "positive", "dominated", "triangle", "complex", "f4"))
def test_square_roots(n, kind):
    """Of real matrices by blocks of two, where no eigenvalue is negative."""
    a = numbers((n, n), seed=n)
    if kind == "positive":
        a = a @ a.T + numpy.eye(n)
    elif kind in ("dominated", "f4"):
        a = (a + 5 * numpy.eye(n)).astype("f4" if kind == "f4" else "f8")
    elif kind == "triangle":
        a = numpy.triu(a) + 9 * numpy.eye(n)
    elif kind == "complex":
        a = a + 1j * numbers((n, n), seed=n + 1)
    compare("sqrtm", a, tolerance=1e-4 if kind == "f4" else 1e-9)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["expm", "sinm", "cosm", "sinhm", "coshm"])
def test_matrices_that_are_not_finite_stand_alone(name, bad):
    a = numpy.random.default_rng(0).random((2, 3, 3))
    a[1, 1, 1] = bad
    found = host_of(getattr(linalg, name)(heddle.asarray(a)))
    assert numpy.isnan(found[1]).all()
    numpy.testing.assert_allclose(found[0], getattr(theirs, name)(a[0]), rtol=1e-12, atol=1e-13)
