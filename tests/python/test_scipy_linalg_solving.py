"""heddle.scipy.linalg against SciPy: equations, triangles and systems of few diagonals."""

import warnings

import numpy
import pytest
import scipy.linalg as theirs
from scipy_support import assert_near, host_of, numbers, ours_of, same

import heddle
from heddle.scipy import linalg

DTYPES = ("f4", "c16", "i4")


def compare(name, *args, **kwargs):
    return same(getattr(linalg, name), getattr(theirs, name), *args, **kwargs)


def matrix(shape, dtype="f8", seed=0):
    """Well conditioned."""
    a = numbers(shape, dtype, seed)
    return a + (6 * numpy.eye(*shape[-2:])).astype(a.dtype)


def positive(shape, dtype="f8"):
    a = numbers(shape, dtype)
    return (a @ numpy.swapaxes(a.conj(), -1, -2) + 4 * numpy.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(dtype):
    a, b = matrix((4, 4), dtype), numbers((4, 3), dtype, 1)
    tolerance = 1e-5 if dtype in ("f4", "c8") else 1e-12
    for right in (b, b[:, 0]):
        compare("solve", a, right, tolerance=tolerance)
        compare("solve", a, right, transposed=True, tolerance=tolerance)
        if dtype != "i4":
            compare("solve", positive((4, 4), dtype), right, assume_a="pos", tolerance=tolerance)
    for kind in ("gen", "sym", "her", "diagonal", "tridiagonal", "upper triangular", "banded"):
        for lower in (False, True):
            compare("solve", a, b, lower=lower, assume_a=kind, tolerance=tolerance)
    compare("solve", matrix((2, 4, 4), dtype), b, tolerance=tolerance)
    compare("inv", a, tolerance=tolerance)
    compare("inv", matrix((2, 3, 3), dtype), tolerance=tolerance)
    compare("det", a, tolerance=1e-5 if dtype in ("f4", "c8") else 1e-12)
    compare("det", matrix((2, 3, 3), dtype), tolerance=1e-5 if dtype in ("f4", "c8") else 1e-12)


def test_mistakes_of_solve():
    a, b = matrix((3, 3)), numbers((3,))
    nan = a.copy()
    nan[0, 0] = numpy.nan
    compare("solve", a, numbers((4,)))
    compare("solve", a[:, :2], b)
    compare("solve", a, b, assume_a="no")
    compare("solve", nan, b)
    compare("solve", numpy.zeros((3, 3)), b)
    compare("solve", numpy.zeros((3, 3)), b, assume_a="diagonal")
    compare("solve", -a, b, assume_a="pos")
    compare("solve", numpy.zeros((0, 0)), numpy.zeros((0,)))
    compare("solve", numpy.array([[2.0]]), numbers((1, 4)))
    compare("inv", a[0])
    compare("inv", a[:2])
    compare("inv", numpy.zeros((2, 2)))
    compare("det", a[0])
    compare("det", a[:2])
    singular = numpy.array([[1.0, 2.0], [2.0, 4.0 + 1e-15]])
    with pytest.warns(linalg.LinAlgWarning, match="ill-conditioned"):
        linalg.solve(heddle.asarray(singular), heddle.ones(2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles(dtype):
    a, b = matrix((4, 4), dtype), numbers((4, 2), dtype, 1)
    tolerance = 1e-5 if dtype in ("f4", "c8") else 1e-12
    for lower in (False, True):
        for trans in (0, 1, 2, "N", "T", "C"):
            compare("solve_triangular", a, b, trans, lower, tolerance=tolerance)
        compare("solve_triangular", a, b[:, 0], 0, lower, True, tolerance=tolerance)
    compare("solve_triangular", matrix((2, 4, 4), dtype), b, tolerance=tolerance)
    compare("solve_triangular", a, b[:3])
    compare("solve_triangular", a[:3], b)
    zero = a.copy()
    zero[1, 1] = 0
    compare("solve_triangular", zero, b)
    compare("solve_triangular", zero, b, unit_diagonal=True, tolerance=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", (1, 3, 40))
def test_triangles_are_read_as_they_lie(dtype, columns):
    """By rows, by columns, from the middle of their memory, one for many, in stacks."""
    big = heddle.asarray(matrix((3, 12, 12), dtype))
    right = heddle.asarray(numbers((3, 12, columns), dtype, 1))
    layouts = {
        "rows": big[0].copy(),
        "columns": big[0].copy().T,
        "second": big[1],
        "second turned": big[1].T,
        "inside": big[0, 1:9, 1:9],
        "stack": big,
        "turned stack": heddle.swapaxes(big, -1, -2),
        "backwards": big[0, ::-1, ::-1],
    }
    tolerance = 1e-4 if dtype in ("f4", "c8") else 1e-11
    for name, a in layouts.items():
        n = a.shape[-1]
        for b in (right[0, :n], right[:, :n], right[1, :n].copy().T.copy().T):
            for lower in (False, True):
                for unit in (False, True):
                    if unit:
                        a = a / 40
                    x = linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit)
                    wide = [host_of(v).astype("c16" if dtype[0] == "c" else "f8") for v in (a, b)]
                    want = theirs.solve_triangular(*wide, lower=lower, unit_diagonal=unit)
                    most = tolerance * max(1, abs(want).max())
                    numpy.testing.assert_allclose(host_of(x), want, 0, most, err_msg=name)


def test_triangles_have_derivatives():
    a, b = heddle.asarray(matrix((3, 3))), heddle.asarray(numbers((3, 2), seed=1))
    g = heddle.asarray(numbers((3, 2), seed=2))

    def ours(a, b):
        return (linalg.solve_triangular(a, b, lower=True, check_finite=False) * g).sum()

    def direct(a, b):
        return (heddle.linalg.solve(heddle.tril(a), b) * g).sum()

    for argument in (0, 1):
        found = heddle.grad(ours, argument)(a, b)
        assert_near(found, host_of(heddle.grad(direct, argument)(a, b)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", ((4, 4), (3, 5), (5, 3), (2, 3, 3), (1, 1)))
def test_lu(dtype, shape):
    a = numbers(shape, dtype)
    if shape != (1, 1) or dtype != "c16":  # of which SciPy has a complex order of rows
        compare("lu", a)
    compare("lu", a, permute_l=True)
    compare("lu", a, p_indices=True) if shape != (1, 1) else None
    compare("lu_factor", a)
    if shape[-1] == shape[-2]:
        tolerance = 1e-4 if dtype in ("f4", "c8") else 1e-10
        b = numbers((shape[-1], 2), dtype, 1)
        for trans in (0, 1, 2):
            factors = tuple(map(heddle.asarray, theirs.lu_factor(a)))
            found = linalg.lu_solve(factors, heddle.asarray(b), trans)
            assert_near(found, theirs.lu_solve(theirs.lu_factor(a), b, trans), tolerance)


def test_mistakes_of_lu():
    a = numbers((3, 3))
    compare("lu", a[0])
    compare("lu_solve", theirs.lu_factor(a), numbers((4,)))
    with pytest.warns(linalg.LinAlgWarning, match="Diagonal number 1 is exactly zero"):
        linalg.lu_factor(heddle.zeros((2, 2)))
    compare("lu", numpy.zeros((0, 3)))
    factors = heddle.asarray(numbers((3, 3)))
    for pivots in (factors, heddle.arange(2), heddle.zeros((3, 1), int)):
        with pytest.raises(ValueError, match="pivots"):
            linalg.lu_solve((factors, pivots), heddle.ones(3))


@pytest.mark.parametrize("dtype", ("f4", "c16"))
def test_cholesky(dtype):
    tolerance = 1e-5 if dtype in ("f4", "c8") else 1e-12
    for shape in ((4, 4), (2, 3, 3)):
        a = positive(shape, dtype)
        b = numbers((shape[-1], 2), dtype, 1)
        for lower in (False, True):
            compare("cholesky", a, lower, tolerance=tolerance)
            if len(shape) == 2:
                c = theirs.cho_factor(a, lower)
                triangle = numpy.tril(c[0]) if lower else numpy.triu(c[0])
                made = linalg.cho_factor(heddle.asarray(a), lower)
                assert made[1] == lower  # before 1.18 SciPy leaves what it finds in the other half
                assert_near(made[0], triangle, tolerance)
                compare("cho_solve", c, b, tolerance=tolerance)
                compare("cho_solve", c, b[:, 0], tolerance=tolerance)
    compare("cholesky", -a)
    compare("cholesky", a[..., :2])
    compare("cho_solve", (numpy.eye(2), False), numbers((3,)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_bands(dtype):
    n, tolerance = 6, 1e-4 if dtype in ("f4", "c8") else 1e-11
    b = numbers((n, 2), dtype, 1)
    for low, high in ((1, 1), (2, 1), (0, 2), (1, 0), (0, 0), (3, 3)):
        ab = numbers((low + high + 1, n), dtype)
        ab[high] += 1
        compare("solve_banded", (low, high), ab, b, tolerance=tolerance)
        compare("solve_banded", (low, high), ab, b[:, 0], tolerance=tolerance)
    compare("solve_banded", (1, 1), numbers((3, n), "f4") + 4, numbers((n,), "u1"), tolerance=1e-11)
    compare("solve_banded", (1, 1), numbers((4, n)), b)
    compare("solve_banded", (1, 1), numbers((3, n + 1)), b)
    compare("solve_banded", (1, 1), numpy.zeros((3, n)), b)
    stack = numbers((5, 3, n), dtype)
    stack[:, 1] += 3
    compare("solve_banded", (1, 1), stack, b, tolerance=tolerance)
    if dtype == "i4":
        return
    a = positive((n, n), dtype)
    for width in (1, 2, 3):
        for lower in (False, True):
            rows = []
            for d in range(width):
                diagonal = numpy.diagonal(a, -d if lower else d)
                none = numpy.zeros(d, dtype)
                rows.append(numpy.concatenate([diagonal, none] if lower else [none, diagonal]))
            ab = numpy.array(rows if lower else rows[::-1])
            ab[0 if lower else -1] += 20
            compare("solveh_banded", ab, b, lower=lower, tolerance=tolerance)
            c = theirs.cholesky_banded(ab, lower=lower)
            found = linalg.cholesky_banded(heddle.asarray(ab), lower=lower)
            for d in range(width):
                row = d if lower else width - 1 - d
                part = slice(0, n - d) if lower else slice(d, n)
                assert_near(found[row, part], c[row, part], tolerance)
            compare("cho_solve_banded", (c, lower), b, tolerance=tolerance)
    compare("solveh_banded", -ab, b)
    compare("solveh_banded", -ab[:2], b, lower=True)
    compare("solveh_banded", ab, b[:3])


def test_many_tridiagonal_systems():
    count, n = 300, 20
    low, middle, up = (numbers((count, n), seed=k) for k in range(3))
    middle = middle + 4
    b = numbers((count, n), seed=3)
    gtsv = linalg.get_lapack_funcs("gtsv", (heddle.asarray(middle),))
    assert gtsv.typecode == "d"
    given = [heddle.asarray(each) for each in (low[:, 1:], middle, up[:, :-1], b)]
    *_, x, info = gtsv(*given)
    assert not host_of(info).any()
    for k in (0, 17, count - 1):
        expected = theirs.lapack.dgtsv(low[k, 1:], middle[k], up[k, :-1], b[k])[3]
        assert_near(x[k], expected)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_routines_that_give_factors(dtype):
    letter = "d" if dtype == "f8" else "z"
    low, middle, up, b = (
        numbers(5, dtype),
        numbers(6, dtype, 1),
        numbers(5, dtype, 2),
        numbers(6, dtype, 3),
    )
    given = [heddle.asarray(each) for each in (low, middle, up, b)]
    found = getattr(linalg.lapack, f"{letter}gtsv")(*given)
    expected = getattr(theirs.lapack, f"{letter}gtsv")(low, middle, up, b)
    assert_near(found[0][:-1], expected[0][:-1])  # the last is not used
    assert_near(found[1:4], expected[1:4])
    bands, right = numbers((6, 7), dtype), numbers((7, 2), dtype, 1)  # with room for two of fill
    found = getattr(linalg.lapack, f"{letter}gbsv")(2, 1, ours_of(bands), ours_of(right))
    expected = getattr(theirs.lapack, f"{letter}gbsv")(2, 1, bands, right)
    assert host_of(found[1]).tolist() == expected[1].tolist()
    for column in range(7):  # what lies outside of the matrix is not used
        rows = slice(max(0, 3 - column), min(6, 3 + 7 - column))
        assert_near(found[0][rows, column], expected[0][rows, column])
    assert_near(found[2], expected[2], 1e-11)


@pytest.mark.parametrize("letter, dtype", [("d", "f8"), ("z", "c16")])
def test_vectors_in_steps(letter, dtype):
    x, y, a = numbers(9, dtype), numbers(8, dtype, 1), numbers((3, 4), dtype, 2)
    ours = [heddle.asarray(each) for each in (x, y, a)]

    def compared(name, *args, **kwargs):
        expected = getattr(theirs.blas, name)(
            *(each.copy() if isinstance(each, numpy.ndarray) else each for each in args), **kwargs
        )
        assert_near(getattr(linalg.blas, name)(*map(ours_of, args), **kwargs), expected)

    compared(f"{letter}axpy", x, y[:3], 3)
    compared(f"{letter}axpy", x, y, 3, 2.5, 1, 3, 2, 2)
    compared(f"{letter}axpy", x, y, n=3, a=2.5, incx=-2, incy=2)
    compared(f"{letter}scal", 2.5, x, 3, 2, 2)
    compared(f"{letter}gemv", 2.0, a, x, 0.5, y, 1, 2, 2, 2)
    compared(f"{letter}gemv", 2.0, a, x, incx=-2, incy=3)
    compared(f"{letter}gemv", 2.0, a, x, offx=2, trans=1)
    compared("dger" if letter == "d" else "zgeru", 2.0, x, y, -1)
    if letter == "d":
        compared("ddot", x, y, 3, 1, 2, 3, 1)
        compared("dnrm2", x, 3, 2, 2)
        compared("dasum", x, 3, 2, 2)
    else:
        compared("zdotc", x, y, 3, 1, 2, 3, -1)
        compared("zdotu", x, y, 3, 1, 2, 3, 1)
    with pytest.raises(ValueError):
        linalg.blas.dnrm2(ours[0], 9, 2, 2)
    with pytest.raises(ValueError):
        linalg.blas.dasum(ours[0], 2, 2, 0)


def test_routines_by_name():
    a, b = matrix((4, 4)), numbers((4, 2), seed=1)
    ours = [heddle.asarray(each) for each in (a, b)]
    for name in ("dgesv",):
        lu, piv, x, info = getattr(linalg.lapack, name)(*ours)
        expected = getattr(theirs.lapack, name)(a, b)
        for found, wanted in zip((lu, piv, x), expected[:3], strict=True):
            assert_near(found, wanted)
        assert info == 0
    spd = positive((4, 4))
    c, info = linalg.lapack.dpotrf(heddle.asarray(spd), lower=1)
    assert_near(c, theirs.lapack.dpotrf(spd, lower=1)[0])
    c, info = linalg.lapack.dpotrf(heddle.asarray(-spd), lower=1)
    assert info > 0
    x, info = linalg.lapack.dtrtrs(*ours, lower=1, trans=1)
    assert_near(x, theirs.lapack.dtrtrs(a, b, lower=1, trans=1)[0])
    assert linalg.lapack.dtrtrs(heddle.zeros((2, 2)), heddle.ones((2, 1)))[1] == 1
    _, _, x, info = linalg.lapack.dptsv(heddle.full(4, 4.0), heddle.ones(3), ours[1])
    assert_near(x, theirs.lapack.dptsv(numpy.full(4, 4.0), numpy.ones(3), b)[2])
    gemm, gemv = linalg.get_blas_funcs(("gemm", "gemv"), ours)
    found = gemm(2.0, *ours, trans_a=1)
    assert_near(found, theirs.blas.dgemm(2.0, a, b, trans_a=1))
    assert_near(gemv(2.0, ours[0], ours[1][:, 0]), theirs.blas.dgemv(2.0, a, b[:, 0]))
    for side in (0, 1):
        right = b if side == 0 else b.T
        found = linalg.blas.dtrsm(1.5, ours[0], heddle.asarray(right), side=side, lower=1)
        assert_near(found, theirs.blas.dtrsm(1.5, a, right, side=side, lower=1))
    # What is not here is SciPy's, on the host.
    for found in (linalg.get_lapack_funcs("trcon", (ours[0],)), linalg.lapack.dtrcon):
        assert found.typecode == "d"
        assert found(ours[0]) == theirs.lapack.dtrcon(a)
    assert_near(linalg.lapack.dgeqp3(ours[0])[0], theirs.lapack.dgeqp3(a)[0])
    with pytest.raises(ValueError, match="could not be found"):
        linalg.get_lapack_funcs("nosuch")
    with pytest.raises(AttributeError, match="no routine"):
        linalg.lapack.dnosuch
    for arrays in ((a,), (a.astype("f4"),), (a.astype("c8"), a), (a.astype("i4"),)):
        expected = theirs.find_best_blas_type(arrays)[:2]
        assert linalg.find_best_blas_type([heddle.asarray(x) for x in arrays])[:2] == expected


@pytest.mark.parametrize("dtype", ("f8", "c16"))
def test_toeplitz_and_circulant(dtype):
    c, r = numbers((5,), dtype), numbers((5,), dtype, 1)
    c[0] = r[0] = 7
    b = numbers((5, 3), dtype, 2)
    for given in (c, (c, r)):
        compare("solve_toeplitz", given, b, tolerance=1e-11)
        compare("solve_toeplitz", given, b[:, 0], tolerance=1e-11)
        compare("matmul_toeplitz", given, b, tolerance=1e-11)
        compare("matmul_toeplitz", given, b[:, 0], tolerance=1e-11)
    compare("matmul_toeplitz", (numbers((3,)), numbers((5,))), b, tolerance=1e-11)
    compare("solve_toeplitz", c, b[:3])
    compare("solve_toeplitz", numpy.zeros(3), numpy.ones(3))
    compare("solve_circulant", c, b[:, 0], tolerance=1e-4 if dtype == "f4" else 1e-11)
    compare("solve_circulant", c, b, tolerance=1e-4 if dtype == "f4" else 1e-11)
    compare("solve_circulant", numpy.ones(4), numpy.ones(4))
    compare("solve_circulant", numpy.ones(4), numpy.ones(4), singular="lstsq")
    compare("solve_circulant", c, b[:3])


@pytest.mark.parametrize("dtype", ("f4", "c16"))
def test_least_squares(dtype):
    tolerance = 1e-4 if dtype == "f4" else 1e-11
    for shape in ((5, 3), (3, 5), (4, 4)):
        a, b = numbers(shape, dtype), numbers((shape[0], 2), dtype, 1)
        for right in (b, b[:, 0]):
            expected = theirs.lstsq(a, right)
            found = linalg.lstsq(heddle.asarray(a), heddle.asarray(right))
            for k in (0, 3):
                assert_near(found[k], expected[k], tolerance)
            assert found[2] == expected[2]
            numpy.testing.assert_allclose(host_of(found[1]), expected[1], rtol=1e-3)
        compare("pinv", a, tolerance=tolerance)
        compare("pinv", a, rtol=0.5, return_rank=True, tolerance=tolerance)
    h = positive((4, 4), dtype)
    compare("pinvh", h, tolerance=tolerance)
    compare("pinvh", h, return_rank=True, lower=False, tolerance=tolerance)
    compare("pinv", a, atol=-1.0)
    compare("lstsq", a, b[:2])
    compare("lstsq", a, b, lapack_driver="no")


@pytest.mark.parametrize(
    "structure",
    ("diagonal", "tridiagonal", "lower triangular", "upper triangular", "sym", "her", "pos", None),
)
def test_warnings_of_conditions(structure):
    a, b = numpy.diag(numpy.logspace(0, 50, 10)), numpy.ones(10)
    calls = [("solve", (a, b)), ("inv", (a,))]
    for name, args in calls[: 1 if structure == "tridiagonal" else 2]:  # SciPy inverts none
        with pytest.warns(theirs.LinAlgWarning, match="slice 0 has rcond"):
            getattr(theirs, name)(*args, assume_a=structure)
        with pytest.warns(linalg.LinAlgWarning, match="slice 0 has rcond = 1e-50"):
            getattr(linalg, name)(*map(heddle.asarray, args), assume_a=structure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linalg.solve(heddle.asarray(numpy.diag(numpy.arange(1.0, 11))), b, assume_a=structure)


def test_stacks_with_diagonals_of_their_own():
    bands, b = numbers((2, 3, 3, 5)) + 4, numbers((5, 2), seed=1)
    compare("solve_banded", ([2, 1, 0], [0, 1, 2]), bands, b, tolerance=1e-10)
    compare("solve_banded", ([2, 1, 0], [0, 1, 2]), bands, b[:, 0], tolerance=1e-10)


def test_products_with_nothing():
    compare("qr_multiply", numpy.ones((2, 0)), numpy.ones((0, 2)))


@pytest.mark.parametrize("name", ["inv", "cholesky", "ldl", "schur", "lstsq"])
@pytest.mark.parametrize("dtype", ["g", "G"])
def test_long_doubles_are_rounded(name, dtype):
    """LAPACK has none, and SciPy gives doubles."""
    given = numpy.array([[2, 1], [1, 3]], dtype)
    args = (given, given[0]) if name == "lstsq" else (given,)
    wanted, made = getattr(theirs, name)(*args), getattr(linalg, name)(*args)
    if isinstance(wanted, tuple):
        wanted, made = wanted[0], made[0]
    assert made.dtype == wanted.dtype
    numpy.testing.assert_allclose(abs(heddle.asnumpy(made)), abs(wanted), rtol=1e-12, atol=1e-14)
