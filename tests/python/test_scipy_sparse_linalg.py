"""heddle.scipy.sparse.linalg against SciPy: operators, solvers, least squares, factors, norms."""

import itertools
import warnings

import numpy
import pytest
import scipy.sparse
import scipy.sparse.linalg as theirs
from scipy_support import assert_near, host_of, numbers, same

import heddle
from heddle import _core
from heddle.scipy import sparse
from heddle.scipy.sparse import linalg

DTYPES = ("f4", "f8", "c8", "c16")
SQUARE = ("bicg", "bicgstab", "cgs", "qmr", "tfqmr", "gmres", "lgmres", "gcrotmk")


def system(n, dtype, seed=0, hermitian=False):
    """A sparse matrix with a strong diagonal, SciPy's, and a right side."""
    draw = numpy.random.default_rng(seed)
    A = numbers((n, n), dtype, seed) * (draw.random((n, n)) < 0.1)
    A = A + A.conj().T if hermitian else A
    A = A + 12 * numpy.eye(n)
    return scipy.sparse.csr_array(A.astype(dtype)), numbers(n, dtype, seed + 1)


def close(dtype):
    return 1e-4 if dtype in ("f4", "c8") else 1e-9


def residual(A, x, b):
    return numpy.linalg.norm(A @ host_of(x) - b) / numpy.linalg.norm(b)


def counted(solve, A, b, **options):
    steps = []
    x, info = solve(A, b, callback=lambda v: steps.append(1), **options)
    return x, info, len(steps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SQUARE)
def test_solvers_take_scipys_steps(name, dtype):
    A, b = system(40, dtype)
    options = {"callback_type": "x"} if name == "gmres" else {}
    x, info, steps = counted(
        getattr(linalg, name), sparse.csr_array(A), heddle.asarray(b), **options
    )
    expected, _, theirs_steps = counted(getattr(theirs, name), A, b, **options)
    assert info == 0 and x.dtype == expected.dtype and isinstance(x, _core.own_array)
    assert residual(A, x, b) < 1e-5
    assert abs(steps - theirs_steps) <= (3 if dtype in ("f4", "c8") else 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cg", "minres"])
def test_hermitian_solvers(name, dtype):
    A, b = system(40, dtype, hermitian=True)
    x, info, steps = counted(getattr(linalg, name), sparse.csr_array(A), heddle.asarray(b))
    assert info == 0 and residual(A, x, b) < 1e-4
    if A.dtype.kind != "c" or name == "cg":
        assert steps == counted(getattr(theirs, name), A, b)[2]


def test_forms_of_systems():
    A, b = system(30, "f8", hermitian=True)
    ours = heddle.asarray(b)
    M = scipy.sparse.diags_array(1 / A.diagonal()).tocsr()
    expected = theirs.cg(A, b, rtol=1e-10)[0]
    forms = [
        sparse.csr_array(A),
        sparse.csc_array(A.tocsc()),
        sparse.coo_array(A.tocoo()),
        heddle.asarray(A.toarray()),
        linalg.aslinearoperator(sparse.csr_array(A)),
        A,
    ]
    for form in forms:
        for given in ({}, {"M": M}, {"x0": heddle.asarray(numbers(30, "f8", 7))}, {"x0": "Mb"}):
            x, info = linalg.cg(form, ours, rtol=1e-10, **given)
            assert info == 0
            assert_near(x, expected, 1e-8)
    assert_near(linalg.cg(forms[0], ours[:, None], rtol=1e-10)[0], expected, 1e-8)
    x, info = linalg.cg(forms[0], heddle.zeros(30))
    assert info == 0 and not bool(heddle.any(x))


def test_solvers_that_do_not_converge():
    A, b = system(40, "f8")
    for name in (*SQUARE, "cg", "minres"):
        ours, expected = (
            getattr(module, name)(matrix, right, maxiter=2, rtol=1e-14)
            for module, matrix, right in (
                (linalg, sparse.csr_array(A), heddle.asarray(b)),
                (theirs, A, b),
            )
        )
        if name not in ("gmres", "lgmres", "gcrotmk"):
            assert ours[1] == expected[1] == 2, name
            assert_near(ours[0], expected[0], 1e-10)
    info = linalg.bicg(heddle.asarray([[0.0, 1.0], [1.0, 0.0]]), heddle.asarray([1.0, 0.0]))[1]
    assert info == theirs.bicg(numpy.array([[0.0, 1.0], [1.0, 0.0]]), numpy.array([1.0, 0.0]))[1]


def test_wrong_systems():
    A, b = system(10, "f8")
    ours = sparse.csr_array(A)
    for name in (*SQUARE, "cg", "minres"):
        solve = getattr(linalg, name)
        with pytest.raises(ValueError, match="square"):
            solve(heddle.ones((3, 4)), heddle.ones(3))
        with pytest.raises(ValueError, match="incompatible"):
            solve(ours, heddle.ones(9))
        with pytest.raises(ValueError, match="incompatible"):
            solve(ours, heddle.asarray(b), x0=heddle.ones(9))
        if name != "qmr":
            with pytest.raises(ValueError, match="preconditioner"):
                solve(ours, heddle.asarray(b), M=heddle.eye(9))
        if name != "minres":
            with pytest.raises(ValueError, match="atol"):
                solve(ours, heddle.asarray(b), atol=-1.0)
    for name in ("lgmres", "gcrotmk"):
        with pytest.raises(ValueError, match="finite"):
            getattr(linalg, name)(ours, heddle.full(10, numpy.nan))
    with pytest.raises(ValueError, match="callback_type"):
        linalg.gmres(ours, heddle.asarray(b), callback_type="x?")
    with pytest.warns(DeprecationWarning):
        linalg.gmres(ours, heddle.asarray(b), callback=lambda r: None)


def test_what_gmres_keeps():
    A, b = system(60, "f8", seed=3)
    ours, right = sparse.csr_array(A), heddle.asarray(b)
    norms = []
    linalg.gmres(ours, right, restart=5, callback=norms.append, callback_type="pr_norm")
    expected = []
    theirs.gmres(A, b, restart=5, callback=expected.append, callback_type="pr_norm")
    numpy.testing.assert_allclose(norms, expected, rtol=1e-6)
    kept = []
    x, info = linalg.lgmres(ours, right, inner_m=3, outer_k=2, outer_v=kept, rtol=1e-10)
    assert info == 0 and len(kept) == 2 and residual(A, x, b) < 1e-9
    again = linalg.lgmres(ours, right, inner_m=3, outer_v=kept, prepend_outer_v=True, rtol=1e-10)
    assert again[1] == 0 and residual(A, again[0], b) < 1e-9
    for truncate in ("oldest", "smallest"):
        pairs = []
        x, info = linalg.gcrotmk(ours, right, m=3, k=2, CU=pairs, truncate=truncate, rtol=1e-10)
        assert info == 0 and residual(A, x, b) < 1e-9
        x, info = linalg.gcrotmk(ours, right, m=3, k=2, CU=pairs, rtol=1e-10)
        assert info == 0 and residual(A, x, b) < 1e-9


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares(name, dtype):
    draw = numpy.random.default_rng(1)
    A = scipy.sparse.csr_array(numbers((40, 15), dtype) * (draw.random((40, 15)) < 0.4))
    b = numbers(40, dtype, 2)
    ours = sparse.csr_array(A), heddle.asarray(b)
    for options in ({}, {"damp": 0.5}, {"atol": 0, "btol": 0}, {"x0": numbers(15, dtype, 3)}):
        given = {k: heddle.asarray(v) if k == "x0" else v for k, v in options.items()}
        found = getattr(linalg, name)(*ours, **given)
        expected = getattr(theirs, name)(A, b, **options)
        if dtype in ("f8", "c16") and "btol" not in options:
            assert found[1:3] == expected[1:3]
        assert_near(found[0], expected[0], 3 * close(dtype))
        if dtype in ("f8", "c16") and "btol" not in options:
            numpy.testing.assert_allclose(found[3:8], expected[3:8], rtol=1e-2, atol=1e-5)
    if name == "lsqr" and dtype == "f8":
        found, expected = linalg.lsqr(*ours, calc_var=True), theirs.lsqr(A, b, calc_var=True)
        assert_near(found[-1], expected[-1], 1e-8)
    zero = getattr(linalg, name)(ours[0], heddle.zeros(40, dtype))
    assert zero[1:3] == (0, 0) and not bool(heddle.any(zero[0]))
    with pytest.raises(ValueError):
        getattr(linalg, name)(ours[0], heddle.zeros(39))


# --- operators ---


def test_operators():
    a, b = numbers((3, 4), "c16"), numbers((4, 4), "f8")
    A, B = (linalg.aslinearoperator(heddle.asarray(m)) for m in (a, b))
    C, D = theirs.aslinearoperator(a), theirs.aslinearoperator(b)
    x, X, y = numbers(4, "f8", 1), numbers((4, 2), "c16", 2), numbers(3, "c16", 3)
    cases = [
        lambda A, B, x, X, y: A @ x,
        lambda A, B, x, X, y: A.matvec(x[:, None]),
        lambda A, B, x, X, y: A.matmat(X),
        lambda A, B, x, X, y: A.rmatvec(y),
        lambda A, B, x, X, y: A.H.matmat(y[:, None]),
        lambda A, B, x, X, y: A.T @ y,
        lambda A, B, x, X, y: y @ A,
        lambda A, B, x, X, y: (A @ B) @ X,
        lambda A, B, x, X, y: (A @ B).H @ y,
        lambda A, B, x, X, y: (2j * A + A).rmatvec(y),
        lambda A, B, x, X, y: (A * 3 - A / 2) @ x,
        lambda A, B, x, X, y: (-A).T @ y,
        lambda A, B, x, X, y: B**3 @ X,
        lambda A, B, x, X, y: (B**2).H @ X,
        lambda A, B, x, X, y: A(x),
    ]
    ours = [heddle.asarray(v) for v in (x, X, y)]
    for case in cases:
        assert_near(case(A, B, *ours), case(C, D, x, X, y), 1e-12)
    assert (A @ B).dtype == "c16" and (2j * B).dtype == "c16" and (B * 2).dtype == "f8"
    assert repr(A) == "<3x4 MatrixLinearOperator with dtype=complex128>"
    for wrong in (
        lambda: A @ B @ A,
        lambda: A + B,
        lambda: A**2,
        lambda: B**-1,
        lambda: B**0.5,
        lambda: A @ heddle.ones(3),
        lambda: A.matmat(heddle.ones(4)),
        lambda: A.rmatmat(heddle.ones((4, 2))),
        lambda: A @ 2.0,
        lambda: A / heddle.ones(3),
        lambda: A.dot(heddle.ones((2, 2, 2))),
        lambda: linalg.LinearOperator((2, 2, 2), matvec=abs),
        lambda: linalg.aslinearoperator(heddle.ones((2, 2, 2))),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        A + 1
    with pytest.raises(TypeError, match="not understood"):
        linalg.aslinearoperator([[1.0]])


def test_operators_of_functions_and_classes():
    double = linalg.LinearOperator((3, 3), matvec=lambda v: 2 * v)
    assert double.dtype == "i1"
    assert_near(double @ heddle.eye(3), 2 * numpy.eye(3))
    with pytest.raises(NotImplementedError):
        double.rmatvec(heddle.ones(3))

    class Shift(linalg.LinearOperator):
        def __init__(self):
            super().__init__("f8", (3, 3))

        def _matmat(self, X):
            return heddle.roll(X, 1, axis=0)

        def _adjoint(self):
            return linalg.LinearOperator(self.shape, matvec=lambda v: heddle.roll(v, -1, axis=0))

    x = heddle.arange(3.0)
    assert_near(Shift() @ x, numpy.array([2.0, 0.0, 1.0]))
    assert_near(Shift().rmatvec(x), numpy.array([1.0, 2.0, 0.0]))
    assert_near(Shift().H @ (Shift() @ x), numpy.arange(3.0))

    class Nothing(linalg.LinearOperator):
        pass

    with pytest.warns(RuntimeWarning, match="at least one"):
        Nothing("f8", (2, 2))

    class Like:
        shape, dtype = (3, 3), numpy.dtype("f8")

        def matvec(self, v):
            return 3 * v

    assert_near(linalg.aslinearoperator(Like()) @ x, 3 * numpy.arange(3.0))
    mixed = linalg.aslinearoperator(sparse.csr_array(numpy.eye(3))) @ sparse.csr_array(numpy.eye(3))
    assert sparse.issparse(mixed)


# --- factors ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors(dtype):
    A, b = system(30, dtype)
    ours, right = sparse.csc_array(A.tocsc()), heddle.asarray(b)
    lu, expected = linalg.splu(ours), theirs.splu(A.tocsc())
    for trans in "NTH":
        assert_near(lu.solve(right, trans), expected.solve(b, trans), close(dtype))
    both = lu.solve(heddle.stack([right, right], axis=1))
    assert_near(both[:, 1], expected.solve(b), close(dtype))
    assert lu.shape == (30, 30) and lu.nnz == expected.nnz
    assert_near(lu.perm_r, expected.perm_r)
    assert_near(lu.perm_c, expected.perm_c)
    assert_near((lu.L @ lu.U).toarray(), (expected.L @ expected.U).toarray(), close(dtype))
    assert_near(linalg.factorized(ours)(right), expected.solve(b), close(dtype))
    assert residual(A, linalg.spilu(ours, drop_tol=1e-9).solve(right), b) < 1e-4
    for form in (ours, sparse.csr_array(A)):
        assert_near(linalg.spsolve(form, right), theirs.spsolve(A, b), close(dtype))
    many = numbers((30, 3), dtype, 5)
    assert_near(linalg.spsolve(ours, heddle.asarray(many)), theirs.spsolve(A, many), close(dtype))
    few = scipy.sparse.csc_array(many * (numpy.abs(many) > 1))
    found = linalg.spsolve(ours, sparse.csc_array(few))
    assert found.format == "csc"
    assert_near(found.toarray(), theirs.spsolve(A.tocsc(), few).toarray(), close(dtype))


def test_singular_matrices():
    zero = sparse.csc_array(numpy.array([[1.0, 0.0], [0.0, 0.0]]))
    with pytest.raises(RuntimeError, match="singular"):
        linalg.splu(zero)
    with pytest.warns(linalg.MatrixRankWarning):
        x = linalg.spsolve(zero, heddle.ones(2))
    assert bool(heddle.all(heddle.isnan(x)))
    with pytest.raises(numpy.linalg.LinAlgError, match="singular"):
        linalg.spsolve_triangular(zero.tocsr(), heddle.ones(2))
    with pytest.raises(ValueError, match="square"):
        linalg.splu(sparse.csc_array(numpy.ones((2, 3))))
    with pytest.raises(ValueError, match="square"):
        linalg.spsolve(sparse.csc_array(numpy.ones((2, 3))), heddle.ones(2))
    with pytest.raises(ValueError, match="mismatch"):
        linalg.spsolve(sparse.csc_array(numpy.eye(2)), heddle.ones(3))
    with pytest.warns(sparse.SparseEfficiencyWarning):
        linalg.spsolve(heddle.eye(2), heddle.ones(2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangular_systems(dtype):
    A, b = system(50, dtype, seed=4)
    many = numbers((50, 3), dtype, 5)
    for lower, unit in itertools.product((True, False), (True, False)):
        T = scipy.sparse.tril(A) if lower else scipy.sparse.triu(A)
        if unit:
            T = T / 12
        for form, right in itertools.product((T.tocsr(), T.tocsc()), (b, many)):
            same(
                lambda m, v, **kw: linalg.spsolve_triangular(
                    sparse.csr_array(m) if m.format == "csr" else sparse.csc_array(m), v, **kw
                ),
                theirs.spsolve_triangular,
                form,
                right,
                lower=lower,
                unit_diagonal=unit,
                tolerance=close(dtype),
            )
    ours = sparse.csr_array(A)
    with pytest.raises(ValueError):
        linalg.spsolve_triangular(ours, heddle.ones(3))
    with pytest.raises(ValueError):
        linalg.spsolve_triangular(ours, heddle.ones((50, 2, 2)))


def test_shapes_of_matrices():
    draw = numpy.random.default_rng(0)
    for offset in (-2, 0, 3):
        a = numpy.triu(draw.random((6, 6)), offset) * numpy.tri(6, 6, 4)
        for form in ("csr", "csc", "coo", "dia", "lil", "dok"):
            theirs_form = scipy.sparse.coo_array(a).asformat(form)
            ours = getattr(sparse, f"{form}_array")(heddle.asarray(a))
            assert linalg.spbandwidth(ours) == theirs.spbandwidth(theirs_form)
            assert linalg.is_sptriangular(ours) == theirs.is_sptriangular(theirs_form)
    assert linalg.use_solver(useUmfpack=False) is None
    assert linalg.use_solver(useUmfpack=True) is None  # SciPy's default, where there is one


# --- norms and functions ---


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_norms(dtype):
    a = numbers((6, 5), dtype) * (numpy.random.default_rng(1).random((6, 5)) < 0.5)
    A, ours = scipy.sparse.csr_array(a), sparse.csr_array(heddle.asarray(a))
    for ord in (None, "fro", 1, -1, numpy.inf, -numpy.inf):
        expected = theirs.norm(A, ord)
        numpy.testing.assert_allclose(float(linalg.norm(ours, ord)), expected, rtol=1e-5)
    for ord, axis in itertools.product((None, 0, 1, 2, 3, numpy.inf, -numpy.inf), (0, 1, -1)):
        expected = theirs.norm(A, ord, axis=axis)
        found = host_of(linalg.norm(ours, ord, axis=axis))
        numpy.testing.assert_allclose(found, expected, rtol=1e-5)
    if dtype in ("f8", "c16"):
        expected = numpy.linalg.norm(a, 2)
        numpy.testing.assert_allclose(float(linalg.norm(ours, 2)), expected, rtol=1e-8)
    for wrong in ({"ord": "nuc"}, {"ord": 1, "axis": (0, 0)}, {"axis": 5}, {"axis": (0, 1, 2)}):
        with pytest.raises(ValueError):
            linalg.norm(ours, **wrong)
    with pytest.raises(TypeError):
        linalg.norm(heddle.eye(2))
    with pytest.raises(TypeError):
        linalg.norm(ours, axis=0.5)


def test_estimated_norms():
    for seed, dtype in itertools.product(range(4), ("f8", "c16")):
        a = numbers((30, 30), dtype, seed)
        exact = numpy.linalg.norm(a, 1)
        estimate, v, w = linalg.onenormest(heddle.asarray(a), compute_v=True, compute_w=True)
        assert 0.7 * exact <= estimate <= exact * (1 + 1e-12)
        assert_near(heddle.asarray(a) @ v, host_of(w), 1e-12)
        numpy.testing.assert_allclose(numpy.abs(host_of(w)).sum(), estimate, rtol=1e-12)
    assert linalg.onenormest(heddle.asarray([[1.0, -2.0], [3.0, 4.0]])) == 6
    with pytest.raises(ValueError):
        linalg.onenormest(heddle.ones((2, 3)))


@pytest.mark.parametrize(("matrix", "vector"), [("f8", "f4"), ("i4", "f4"), ("c16", "f4")])
def test_exponentials_times_shorter_vectors(matrix, vector):
    """All terms are of the wider type, the first too."""
    A, b = (numbers((6, 6), "f8") * 2).astype(matrix), numbers((6,), vector)
    expected = theirs.expm_multiply(scipy.sparse.csr_array(A), b)
    ours = sparse.csr_array(heddle.asarray(A))
    assert_near(linalg.expm_multiply(ours, heddle.asarray(b)), expected, 1e-11)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_functions_of_matrices(dtype):
    A, b = system(20, dtype, seed=6)
    A = A * 0.1
    ours, right = sparse.csc_array(A.tocsc()), heddle.asarray(b)
    for scale in (1e-3, 0.1, 1.0, 5.0, 40.0):
        expected = theirs.expm((A * scale).tocsc()).toarray()
        assert_near(linalg.expm(ours * scale).toarray(), expected, 1e-11)
        product = theirs.expm_multiply(A * scale, b)
        assert_near(linalg.expm_multiply(ours * scale, right), product, 1e-10)
    times = {"start": 0.5, "stop": 2.0, "num": 5}
    expected = theirs.expm_multiply(A, b, **times, endpoint=False)
    assert_near(linalg.expm_multiply(ours, right, **times, endpoint=False), expected, 1e-10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        operator = linalg.aslinearoperator(ours)
        assert_near(linalg.expm_multiply(operator, right), theirs.expm_multiply(A, b), 1e-10)
    assert_near(linalg.inv(ours).toarray(), numpy.linalg.inv(A.toarray()), 1e-11)
    for power in (0, 1, 2, 5, 8):
        expected = numpy.linalg.matrix_power(A.toarray(), power)
        assert_near(linalg.matrix_power(ours, power).toarray(), expected, 1e-12)
    from scipy.linalg import expm

    for assume in ("general", "hermitian"):
        given = (A + A.conj().T) if assume == "hermitian" else A
        expected = expm(0.5 * given.toarray()) @ b
        mine = sparse.csr_array(given.tocsr())
        f = heddle.scipy.linalg.expm
        for length in (None, 8):
            found = linalg.funm_multiply_krylov(
                f, mine, right, assume_a=assume, t=0.5, rtol=1e-12, restart_every_m=length
            )
            assert_near(found, expected, 1e-8)
    for wrong in (-1, 1.5):
        with pytest.raises(ValueError):
            linalg.matrix_power(ours, wrong)
    with pytest.raises(TypeError):
        linalg.inv(heddle.eye(2))
    with pytest.raises(ValueError):
        linalg.expm_multiply(ours, heddle.ones(3))


@pytest.mark.parametrize("boundary", ["neumann", "dirichlet", "periodic"])
def test_laplacians_of_grids(boundary):
    for shape in ((4,), (3, 5), (2, 3, 4)):
        ours = linalg.LaplacianNd(shape, boundary_conditions=boundary)
        expected = theirs.LaplacianNd(shape, boundary_conditions=boundary)
        assert_near(ours.toarray(), expected.toarray())
        assert_near(ours.tosparse().toarray(), expected.toarray())
        assert_near(ours.eigenvalues(), expected.eigenvalues(), 1e-14)
        x = numbers((ours.shape[0], 2), "f8")
        assert_near(ours @ heddle.asarray(x), expected @ x, 1e-14)
        w, v = host_of(ours.eigenvalues(3)), host_of(ours.eigenvectors(3))
        numpy.testing.assert_allclose(expected @ v, v * w, atol=1e-12)
    with pytest.raises(ValueError):
        linalg.LaplacianNd((3,), boundary_conditions="none")


def test_solvers_of_what_is_not_finite():
    A, b = system(6, "f8")
    for wrong in (numpy.nan, numpy.inf):
        broken = A.copy()
        broken.data[1] = wrong
        for name in ("tfqmr", "minres", "bicgstab", "cg"):
            info = getattr(linalg, name)(sparse.csr_array(broken), heddle.asarray(b))[1]
            assert info != 0, name
        with pytest.raises(ValueError, match="finite"):
            linalg.expm(sparse.csr_array(broken))
        with pytest.raises(ValueError, match="finite"):
            linalg.expm_multiply(_with(A, wrong), heddle.asarray(b))


def _with(A, element):
    broken = A.tolil()
    broken[0, 1] = element
    return sparse.csr_array(broken.tocsr())


def test_gcrotmk_stays_at_the_solution():
    """Where the limit cannot be reached, further cycles do not leave what was found."""
    A, b = system(5, "f8")
    for seed in range(4):
        A, b = system(5, "f8", seed)
        x, _ = linalg.gcrotmk(sparse.csr_array(A), heddle.asarray(b), rtol=0.0)
        assert residual(A, x, b) < 1e-12


def test_formats_of_exponentials():
    A, _ = system(5, "f8")
    for form in ("csr", "csc", "coo", "dia", "bsr", "lil", "dok"):
        ours = linalg.expm(getattr(sparse, form + "_array")(A))
        expected = theirs.expm(A.asformat(form))
        assert ours.format == expected.format
        assert_near(ours.toarray(), expected.toarray(), 1e-12)
    assert linalg.expm(sparse.csr_array((0, 0))).shape == (0, 0)


def test_svds_of_bools():
    with pytest.raises(ValueError, match="numeric"):
        linalg.svds(sparse.csr_array(numpy.eye(5, dtype=bool)), k=2)
    with pytest.raises(ValueError, match="no options, so not maxrank"):
        linalg.svds(sparse.csr_array(numpy.eye(5)), k=2, options={"maxrank": 3})


def test_operators_of_functions_with_numpys_vectors():
    """What is NumPy's goes where arrays are made, not where it came from."""
    A, b = system(12, "f8", hermitian=True)
    ours = sparse.csr_array(A)
    factors = linalg.splu(sparse.csc_array(A.tocsc()))
    operator = linalg.LinearOperator((12, 12), matvec=lambda v: ours @ v, dtype="f8")
    inverse = linalg.LinearOperator((12, 12), matvec=factors.solve, dtype="f8")
    for name in ("cg", "bicgstab", "gmres", "lgmres", "gcrotmk", "minres"):
        for given in ({}, {"M": inverse}, {"x0": numpy.zeros(12)}):
            x, info = getattr(linalg, name)(operator, b, **given)
            assert info == 0 and x.device == heddle.ones(1).device
            assert residual(A, x, b) < 1e-4


class Rows(theirs.LinearOperator):
    """An operator of a program that was written for SciPy."""

    def __init__(self, a):
        self.a = a
        super().__init__(a.dtype, a.shape)

    def _matvec(self, x):
        return self.a @ x

    def _rmatvec(self, x):
        return self.a.conj().T @ x


@pytest.mark.parametrize("solver", ["arpack", "lobpcg", "propack"])
def test_singular_values_of_scipys_operators(solver):
    a = numbers((12, 9), "c16")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = linalg.svds(Rows(heddle.asarray(a)), 3, solver=solver, rng=0)[1]
    assert_near(values, numpy.linalg.svd(a)[1][2::-1], 1e-8)


def test_products_of_scipys_operators():
    """They stay where our arrays are, and so does what is made of the operators."""
    a, x = numbers((5, 5), "c16"), numbers((5, 2), "c16", seed=1)
    ours, y = heddle.asarray(a), heddle.asarray(x)
    functions = theirs.LinearOperator(
        (5, 5), lambda v: ours @ v, lambda v: ours.conj().T @ v, dtype="c16"
    )
    for operator in (Rows(ours), functions, theirs.aslinearoperator(ours)):
        for made, expected in (
            (operator @ y, a @ x),
            (operator @ y[:, 0], a @ x[:, 0]),
            (operator.dot(y), a @ x),
            (operator.matvec(y[:, 0]), a @ x[:, 0]),
            (operator.rmatvec(y[:, 0]), a.conj().T @ x[:, 0]),
            (operator.matmat(y), a @ x),
            (operator.rmatmat(y), a.conj().T @ x),
            (operator.H @ y, a.conj().T @ x),
            (operator.T @ y, a.T @ x),
            ((2 * operator + operator**2) @ y, 2 * a @ x + a @ (a @ x)),
            (y.T @ operator, x.T @ a),
        ):
            assert_near(made, expected)


@pytest.mark.host_memory
def test_scipys_solvers_of_our_matrices():
    A, b = system(12, "f8", hermitian=True)
    dense = heddle.asarray(A.toarray())
    for matrix in (dense, sparse.csr_array(A)):
        x, info = theirs.cg(matrix, heddle.asarray(b), rtol=1e-12)
        assert info == 0 and residual(A, x, b) < 1e-9
        numpy.testing.assert_allclose(theirs.eigsh(matrix, 2)[0], theirs.eigsh(A, 2)[0], rtol=1e-9)


@pytest.mark.parametrize(
    "draw",
    [
        lambda a, rng: heddle.scipy.sparse.linalg.svds(a, k=3, rng=rng)[1],
        lambda a, rng: heddle.scipy.sparse.linalg.svds(a, k=3, solver="lobpcg", rng=rng)[1],
        lambda a, rng: heddle.scipy.sparse.linalg.eigsh(a + a.T, k=3, rng=rng)[0],
        lambda a, rng: heddle.scipy.linalg.clarkson_woodruff_transform(a, 5, rng=rng),
        lambda a, rng: heddle.scipy.cluster.vq.kmeans(a, 3, rng=rng)[1],
        lambda a, rng: heddle.scipy.interpolate.BarycentricInterpolator(a[0], a[1], rng=rng).wi,
    ],
)
def test_generators_of_ours_are_drawn_from(draw):
    a = heddle.random.default_rng(0).normal(size=(20, 20))
    made = [draw(a, heddle.random.default_rng(1)) for _ in range(2)]
    assert heddle.all(heddle.isfinite(made[0])) and heddle.array_equal(*made)
    rng = heddle.random.default_rng(1)
    before = repr(rng.bit_generator.state)
    draw(a, rng)
    assert repr(rng.bit_generator.state) != before
