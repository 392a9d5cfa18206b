"""Systems of equations, least squares, pseudo-inverses, determinants."""

import numpy
import pytest
from linalg_support import INEXACT, STACKS, close, linalg, matrices, same
from support import host, name, random_values

import heddle
import heddle.linalg


@pytest.mark.parametrize("dtype", INEXACT, ids=name)
@pytest.mark.parametrize("stack", STACKS, ids=str)
def test_square(stack, dtype):
    a, b = matrices(dtype, (*stack, 4, 4)), random_values(dtype, (*stack, 4, 2), 1)
    x, y = heddle.asarray(a), heddle.asarray(b)
    close(heddle.linalg.solve(x, y), linalg.solve(a, b))
    close(heddle.linalg.inv(x), linalg.inv(a))
    close(heddle.linalg.det(x), linalg.det(a), 100)
    ours, theirs = heddle.linalg.slogdet(x), linalg.slogdet(a)
    assert type(ours).__name__ == "SlogdetResult" and ours._fields == theirs._fields
    close(ours.sign, theirs.sign)
    close(ours.logabsdet, theirs.logabsdet)
    close(heddle.linalg.matrix_power(x, -2), linalg.matrix_power(a, -2))


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 3), (3,)),
        ((2, 3, 3), (3,)),
        ((3, 3), (2, 3, 4)),
        ((2, 3, 3), (3, 4)),
        ((2, 1, 3, 3), (5, 3, 4)),
        ((3, 3), (3, 0)),
        ((3, 3), (0, 3, 2)),
        ((0, 0), (0,)),
        ((0, 0), (0, 3)),
        ((2, 0, 0), (2, 0, 3)),
    ],
    ids=str,
)
def test_solve_broadcasts(shapes, dtype):
    a, b = matrices(dtype, shapes[0]), random_values(dtype, shapes[1], 1)
    close(heddle.linalg.solve(heddle.asarray(a), heddle.asarray(b)), linalg.solve(a, b))


@pytest.mark.parametrize("dtype", INEXACT, ids=name)
@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (5, 0), (0, 5), (0, 0)], ids=str)
@pytest.mark.parametrize("sides", [None, 1, 3, 0])
def test_lstsq(shape, sides, dtype):
    a = random_values(dtype, shape)
    b = random_values(dtype, shape[:1] if sides is None else (shape[0], sides), 1)
    ours = heddle.linalg.lstsq(heddle.asarray(a), heddle.asarray(b))
    theirs = linalg.lstsq(a, b)
    for i in (0, 1, 3):
        close(ours[i], theirs[i])
    assert ours[2] == theirs[2]
    assert ours[2].dtype == theirs[2].dtype


@pytest.mark.parametrize("rcond", [None, -1, 0, 1e-3, 0.5, 1, 2])
def test_lstsq_of_a_singular_matrix(rcond):
    a = random_values("f8", (6, 3))
    a[:, 2] = a[:, 0] + a[:, 1]
    b = random_values("f8", (6, 2), 1)
    if rcond in (-1, 0, 1, 2):  # the precision: no place for a value that rounding left
        a += 1e-6 * random_values("f8", (6, 3), 2)
    ours = heddle.linalg.lstsq(heddle.asarray(a), heddle.asarray(b), rcond=rcond)
    theirs = linalg.lstsq(a, b, rcond=rcond)
    assert ours[2] == theirs[2]
    scale = 1e7 if rcond in (-1, 0, 1, 2) else 1
    close(ours[0], theirs[0], scale)
    close(ours[1], theirs[1], scale)


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"rcond": 0.3},
        {"rtol": 0.3},
        {"rtol": None},
        {"rcond": [0.3, 0.6]},
        {"rcond": 1, "rtol": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", INEXACT, ids=name)
def test_pinv(keywords, dtype):
    a = random_values(dtype, (2, 3, 5))
    same(lambda np: np.linalg.pinv(np.asarray(a), **keywords), dtype)
    same(lambda np: np.linalg.pinv(np.asarray(a.swapaxes(1, 2)), **keywords), dtype)
    same(lambda np: np.linalg.pinv(np.asarray(a[:, :0]), **keywords), dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_signs_of_determinants(dtype):
    rng = numpy.random.default_rng(3)
    a = rng.standard_normal((20, 5, 5)).astype(dtype)
    if a.dtype.kind == "c":
        a += 1j * rng.standard_normal(a.shape).astype(dtype)
    a[0] = a[0][[0, 0, 1, 2, 3]]  # its determinant is what rounding leaves, and so is the sign
    ours, theirs = heddle.linalg.slogdet(heddle.asarray(a)), linalg.slogdet(a)
    close(ours.sign[1:], theirs.sign[1:], 100)
    close(ours.logabsdet[1:], theirs.logabsdet[1:], 100)
    assert float(ours.logabsdet[0]) < -10
    one = heddle.linalg.slogdet(heddle.asarray(a[1]))
    assert one.sign.shape == one.logabsdet.shape == ()
    close(one.sign, theirs.sign[1], 100)


def test_determinants_of_singular_matrices():
    a = numpy.stack(
        [numpy.zeros((3, 3)), numpy.eye(3), numpy.ones((3, 3)), numpy.eye(3)[[1, 0, 2]]]
    )
    same(lambda np: np.linalg.det(np.asarray(a)), "f8")
    sign, logabsdet = heddle.linalg.slogdet(heddle.asarray(a))
    close(sign, numpy.array([0.0, 1, 0, -1]))
    numpy.testing.assert_array_equal(host(logabsdet), [-numpy.inf, 0, -numpy.inf, 0])
    close(heddle.linalg.det(heddle.zeros((2, 0, 0))), numpy.ones(2))
