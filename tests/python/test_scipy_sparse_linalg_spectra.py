"""heddle.scipy.sparse.linalg against SciPy: eigenvalues and singular values."""

import warnings

import numpy
import pytest
import scipy.sparse
import scipy.sparse.linalg as theirs
from scipy_support import assert_near, host_of, numbers

import heddle
from heddle.scipy import sparse
from heddle.scipy.sparse import linalg

DTYPES = ("f4", "f8", "c8", "c16")


def matrix(n, dtype, seed=0, hermitian=True):
    a = numbers((n, n), dtype, seed)
    a = a * (numpy.random.default_rng(seed).random((n, n)) < 0.3)
    return ((a + a.conj().T) if hermitian else a).astype(dtype)


def close(dtype):
    return 3e-4 if dtype in ("f4", "c8") else 1e-9


def weights(n, dtype):
    return numpy.diag(1 + numpy.random.default_rng(3).random(n)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_hermitian(dtype):
    a = matrix(50, dtype)
    every = numpy.linalg.eigvalsh(a)
    by_size = every[numpy.argsort(numpy.abs(every))]
    wanted = {
        "LM": by_size[-4:],
        "LA": every[-4:],
        "SA": every[:4],
        "BE": numpy.concatenate([every[:2], every[-2:]]),
    }
    for form in (heddle.asarray(a), sparse.csr_array(heddle.asarray(a))):
        for which, values in wanted.items():
            w, v = linalg.eigsh(form, k=4, which=which, rng=0)
            assert_near(w, numpy.sort(values), close(dtype))
            assert v.dtype == a.dtype
            numpy.testing.assert_allclose(a @ host_of(v), host_of(v * w), atol=10 * close(dtype))
    near = every[numpy.argsort(numpy.abs(every - 0.4))[:4]]
    w = linalg.eigsh(sparse.csr_array(heddle.asarray(a)), k=4, sigma=0.4, return_eigenvectors=False)
    assert_near(w, numpy.sort(near), close(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_generalised(dtype):
    a, m = matrix(40, dtype) + 20 * numpy.eye(40, dtype=dtype), weights(40, dtype)
    scaled = numpy.diag(1 / numpy.sqrt(numpy.diag(m).real)).astype(dtype)
    every = numpy.linalg.eigvalsh(scaled @ a @ scaled)
    A, M = heddle.asarray(a), heddle.asarray(m)
    sparse_A, sparse_M = sparse.csc_array(A), sparse.csc_array(M)
    for left, right in ((A, M), (sparse_A, sparse_M)):
        w, v = linalg.eigsh(left, k=3, M=right, rng=1)
        assert_near(w, every[-3:], close(dtype))
        gram = host_of(v).conj().T @ m @ host_of(v)
        numpy.testing.assert_allclose(gram, numpy.eye(3), atol=10 * close(dtype))
        w = linalg.eigsh(left, k=3, M=right, sigma=0.0, return_eigenvectors=False, rng=1)
        assert_near(w, every[:3], close(dtype))
    inverse = heddle.asarray(numpy.linalg.inv(m).astype(dtype))
    assert_near(linalg.eigsh(A, k=3, M=M, Minv=inverse)[0], every[-3:], close(dtype))
    shifted = heddle.asarray(numpy.linalg.inv(a).astype(dtype))
    found = linalg.eigsh(A, k=3, M=M, sigma=0.0, OPinv=shifted)[0]
    assert_near(found, every[:3], close(dtype))
    if dtype in ("f8", "f4"):
        for mode in ("buckling", "cayley"):
            w, v = linalg.eigsh(A, k=3, M=M, sigma=2.0, mode=mode)
            numpy.testing.assert_allclose(
                a @ host_of(v), m @ host_of(v * w), atol=50 * close(dtype) * abs(host_of(v)).max()
            )


@pytest.mark.parametrize("dtype", DTYPES)
def test_general(dtype):
    a = matrix(50, dtype, hermitian=False)
    for form in (heddle.asarray(a), sparse.csr_array(heddle.asarray(a))):
        for options in (
            {},
            {"which": "LR"},
            {"which": "SR"},
            {"which": "LI"},
            {"sigma": 0.3},
            {"sigma": 0.3 + 1j},
        ):
            w, v = linalg.eigs(form, k=4, rng=2, **options)
            assert w.dtype == v.dtype == numpy.result_type(a.dtype, "c8")
            numpy.testing.assert_allclose(a @ host_of(v), host_of(v * w), atol=10 * close(dtype))
            every = numpy.linalg.eigvals(a)
            distances = numpy.abs(every[:, None] - host_of(w)).min(axis=0)
            assert distances.max() < 10 * close(dtype)
    size = numpy.sort(numpy.abs(numpy.linalg.eigvals(a)))[-4:]
    found = numpy.sort(numpy.abs(host_of(linalg.eigs(heddle.asarray(a), k=4)[0])))
    numpy.testing.assert_allclose(found, size, rtol=close(dtype))
    m = weights(50, dtype)
    w, v = linalg.eigs(heddle.asarray(a), k=3, M=heddle.asarray(m))
    numpy.testing.assert_allclose(a @ host_of(v), m @ host_of(v * w), atol=10 * close(dtype))


def test_spaces_that_nothing_leads_out_of():
    """Few different eigenvalues, an identity, zero, and a vector that is an eigenvector."""
    a = numpy.diag([1.0] * 20 + [2.0] * 10)
    assert_near(linalg.eigsh(heddle.asarray(a), k=4)[0], numpy.full(4, 2.0), 1e-12)
    assert_near(linalg.eigsh(heddle.eye(30), k=3)[0], numpy.ones(3), 1e-12)
    assert_near(linalg.eigsh(heddle.zeros((30, 30)), k=3)[0], numpy.zeros(3))
    first = heddle.zeros(30)
    first[0] = 1
    assert_near(linalg.eigsh(heddle.asarray(a), k=2, v0=first)[0], numpy.full(2, 2.0), 1e-12)
    w = linalg.eigs(heddle.eye(30), k=3, maxiter=1e2)[0]
    numpy.testing.assert_allclose(host_of(w), 1, atol=1e-12)


def test_wrong_arguments():
    A = heddle.asarray(matrix(30, "f8"))
    for call in (linalg.eigsh, linalg.eigs):
        with pytest.raises(ValueError, match="square"):
            call(heddle.ones((3, 4)))
        for options in ({"k": 0}, {"which": "XX"}, {"ncv": 3}, {"ncv": 31}, {"maxiter": 0}):
            with pytest.raises(ValueError):
                call(A, **options)
        with pytest.raises(ValueError):
            call(A, M=heddle.eye(4))
        with pytest.raises(ValueError):
            call(A, OPinv=A)
        with pytest.raises(ValueError):
            call(A, Minv=A)
        with pytest.raises(RuntimeError, match="zero"):
            call(A, v0=heddle.zeros(30))
        with pytest.warns(RuntimeWarning):
            call(A[:5, :5], k=5)
        with pytest.warns(RuntimeWarning), pytest.raises(TypeError):
            call(sparse.csr_array(A), k=30)
        with pytest.raises(linalg.ArpackNoConvergence) as told:
            call(A, k=4, maxiter=1, which="SM")
        assert len(told.value.eigenvalues) < 4
        assert told.value.eigenvectors.shape == (30, len(told.value.eigenvalues))
    with pytest.raises(ValueError, match="mode"):
        linalg.eigsh(A, sigma=1.0, mode="none")
    with pytest.raises(linalg.ArpackError):
        linalg.eigsh(heddle.full((30, 30), numpy.nan), k=3)


@pytest.mark.parametrize("solver", ["arpack", "lobpcg", "propack"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_values(dtype, solver):
    for shape in ((40, 25), (25, 40)):
        a = numbers(shape, dtype)
        every = numpy.linalg.svd(a, compute_uv=False)
        A = sparse.csr_array(heddle.asarray(a))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            u, s, vh = linalg.svds(A, k=3, solver=solver, rng=0, maxiter=300)
        assert u.dtype == vh.dtype == a.dtype
        assert_near(s, every[:3][::-1], 1e-3 if dtype in ("f4", "c8") else 1e-6)
        numpy.testing.assert_allclose(a @ host_of(vh).conj().T, host_of(u * s), atol=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        only = linalg.svds(A, k=2, return_singular_vectors=False, solver=solver, rng=0)
        assert_near(only, every[:2][::-1], 1e-3)
        assert linalg.svds(A, k=2, return_singular_vectors="u", solver=solver)[2] is None
        assert linalg.svds(A, k=2, return_singular_vectors="vh", solver=solver)[0] is None


def test_wrong_arguments_of_singular_values():
    A = heddle.asarray(numbers((10, 8)))
    for options in (
        {"k": 0},
        {"k": 8},
        {"k": 1.5},
        {"ncv": 2},
        {"tol": -1},
        {"which": "XX"},
        {"v0": heddle.ones(3)},
        {"maxiter": 0},
        {"return_singular_vectors": "x"},
        {"solver": "none"},
    ):
        with pytest.raises(ValueError):
            linalg.svds(A, **{"k": 3, **options})
    assert linalg.svds(A, k=8, solver="propack")[1].shape == (8,)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lobpcg(dtype):
    n = 60
    a = (numpy.diag(numpy.arange(1, n + 1)) + 0.1 * matrix(n, dtype)).astype(dtype)
    b = weights(n, dtype)
    X = numbers((n, 3), dtype, 1)
    given = {"M": heddle.asarray(numpy.diag(1 / numpy.arange(1, n + 1)).astype(dtype))}
    for B, largest in ((None, True), (None, False), (b, False), (b, True)):
        scaled = numpy.diag(1 / numpy.sqrt(numpy.diag(b).real)) if B is not None else numpy.eye(n)
        every = numpy.linalg.eigvalsh(scaled @ a @ scaled)
        wanted = every[::-1][:3] if largest else every[:3]
        w, v = linalg.lobpcg(
            sparse.csr_array(heddle.asarray(a)),
            heddle.asarray(X),
            B=None if B is None else heddle.asarray(B),
            largest=largest,
            maxiter=300,
            tol=1e-2 if dtype in ("f4", "c8") else 1e-7,
            **({} if largest else given),
        )
        tolerance = 1e-3 if dtype in ("f4", "c8") else 1e-8
        numpy.testing.assert_allclose(host_of(w), wanted, rtol=tolerance)
        gram = host_of(v).conj().T @ (numpy.eye(n) if B is None else b) @ host_of(v)
        numpy.testing.assert_allclose(gram, numpy.eye(3), atol=1e-4)


def test_lobpcg_histories_and_constraints():
    n = 50
    A = heddle.asarray(numpy.diag(numpy.arange(1.0, n + 1)))
    X = heddle.asarray(numbers((n, 2), "f8", 1))
    Y = heddle.eye(n)[:, :3]
    w, v, values, residuals = linalg.lobpcg(
        A,
        X,
        Y=Y,
        largest=False,
        maxiter=100,
        tol=1e-6,
        retLambdaHistory=True,
        retResidualNormsHistory=True,
    )
    numpy.testing.assert_allclose(host_of(w), [4.0, 5.0], rtol=1e-9)
    assert float(heddle.abs(Y.T @ v).max()) < 1e-12
    assert len(values) == len(residuals) and float(residuals[-1].max()) < 1e-6
    with pytest.warns(UserWarning, match="not reaching"):
        linalg.lobpcg(A, X, maxiter=1, tol=1e-12)
    with pytest.warns(UserWarning, match="dense"):
        w, v = linalg.lobpcg(A[:6, :6], X[:6], largest=True)
    numpy.testing.assert_allclose(host_of(w), [6.0, 5.0], rtol=1e-12)
    with pytest.raises(ValueError, match="rank-2"):
        linalg.lobpcg(A, X[:, 0])
    with pytest.raises(ValueError, match="dependent"):
        linalg.lobpcg(A, heddle.ones((n, 2)))


@pytest.mark.parametrize("maxiter", [1, 3, 12])
def test_lobpcg_histories_are_scipys(maxiter):
    """The first, those of all iterations up to the best one, and what is given."""
    matrix, start = numpy.diag(numpy.arange(1.0, 41.0)), numbers((40, 3), "f8", 1)
    more = {"maxiter": maxiter, "tol": 1e-8, "largest": False}
    more |= {"retLambdaHistory": True, "retResidualNormsHistory": True}
    with warnings.catch_warnings(action="ignore"):
        expected = theirs.lobpcg(matrix, start.copy(), **more)
        ours = linalg.lobpcg(heddle.asarray(matrix), heddle.asarray(start), **more)
    for found, wanted in zip(ours[2:], expected[2:], strict=True):
        assert len(found) == len(wanted)
        given = [host_of(each) for each in found]
        numpy.testing.assert_allclose(given, wanted, rtol=1e-3, atol=1e-7)
    numpy.testing.assert_array_equal(host_of(ours[2][-1]), host_of(ours[0]))


def test_scipys_own_operators():
    """SciPy's sparse matrices and operators are taken as they are."""
    A = scipy.sparse.csr_array(matrix(30, "f8"))
    expected = theirs.eigsh(A, k=3)[0]
    assert_near(linalg.eigsh(A, k=3)[0], expected, 1e-10)


def test_operators_of_matrices_that_are_hard_to_invert():
    """GMRES ends some roundings before what it is asked for, and that is what SciPy takes."""
    rng = numpy.random.default_rng(2)
    n = 6
    for seed in range(6):
        q = numpy.linalg.qr(numbers((n, n), "c16", seed))[0]
        m = (q * numpy.geomspace(3e-4, 1, n)) @ q.conj().T
        a = numbers((n, n), "c16", seed + 10)
        a = a + a.conj().T
        m = (m + m.conj().T) / 2
        A, M = (linalg.aslinearoperator(heddle.asarray(x)) for x in (a, m))
        found = linalg.eigsh(A, 2, M, v0=heddle.asarray(rng.normal(size=n)))[0]
        expected = numpy.sort(theirs.eigsh(a, 2, m)[0])
        assert_near(heddle.sort(found), expected, 1e-6)
