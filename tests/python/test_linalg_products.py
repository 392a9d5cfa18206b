"""Powers, chains and products of matrices and tensors."""

import itertools

import numpy
import pytest
from compare import check
from linalg_support import close, linalg, matrices, same, tolerance
from support import host, random_values

import heddle
import heddle.linalg


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16", "f2", "?"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 12])
def test_matrix_power(n, dtype):
    a = random_values(dtype, (2, 3, 3), low=-1, high=1)
    ours = heddle.linalg.matrix_power(heddle.asarray(a), n)
    theirs = linalg.matrix_power(a, n)
    assert ours.dtype == theirs.dtype
    tol = 2e-2 if dtype == "f2" else tolerance(dtype)
    numpy.testing.assert_allclose(host(ours), theirs, rtol=tol, atol=tol * 100)


@pytest.mark.parametrize(
    "sizes", [(3, 4), (3, 4, 5), (10, 100, 5, 50), (4, 9, 2, 7, 3, 6, 5)], ids=str
)
@pytest.mark.parametrize("ends", [(False, False), (True, False), (False, True), (True, True)])
def test_multi_dot(sizes, ends):
    chain = [random_values("f8", shape, i) for i, shape in enumerate(itertools.pairwise(sizes))]
    if ends[0]:
        chain.insert(0, random_values("f8", sizes[0], 20))
    if ends[1]:
        chain.append(random_values("f8", sizes[-1], 21))
    same(lambda np: np.linalg.multi_dot([np.asarray(a) for a in chain]), "f8")
    if not any(ends) and len(chain) > 1:
        out = heddle.zeros((sizes[0], sizes[-1]))
        assert heddle.linalg.multi_dot([heddle.asarray(a) for a in chain], out=out) is out
        close(out, linalg.multi_dot(chain))


def test_tensors():
    a = matrices("f8", (24, 24)).reshape(6, 4, 2, 3, 4)
    b = random_values("f8", (6, 4), 1)
    same(lambda np: np.linalg.tensorsolve(np.asarray(a), np.asarray(b)), "f8")
    moved = numpy.moveaxis(a, 4, 0)
    same(lambda np: np.linalg.tensorsolve(np.asarray(moved), np.asarray(b), axes=(0,)), "f8")
    same(lambda np: np.linalg.tensorinv(np.asarray(a.reshape(6, 4, 24)), ind=2), "f8")
    same(lambda np: np.linalg.tensorinv(np.asarray(a.reshape(24, 8, 3)), ind=1), "f8")


def test_products():
    a, b = random_values("f8", (2, 3)), random_values("f8", (3, 3), 1)
    same(lambda np: np.linalg.matmul(np.asarray(a), np.asarray(b)), "f8")
    same(lambda np: np.linalg.vecdot(np.asarray(a), np.asarray(a), axis=0), "f8")
    same(lambda np: np.linalg.tensordot(np.asarray(a), np.asarray(b), axes=1), "f8")
    same(lambda np: np.linalg.outer(np.asarray(a[0]), np.asarray(b[0])), "f8")
    same(lambda np: np.linalg.cross(np.asarray(b), np.asarray(b[::-1]), axis=0), "f8")
    same(lambda np: np.linalg.diagonal(np.asarray(b), offset=1), "f8")
    same(lambda np: np.linalg.trace(np.asarray(b), offset=-1), "f8")
    same(lambda np: np.linalg.trace(np.asarray(b), dtype="f4"), "f4")
    same(lambda np: np.linalg.matrix_transpose(np.asarray(a)), "f8")


# Of arrays like those of attention: rows, places, heads, numbers.
STACKS = {
    "heads": lambda np, x: x.transpose(0, 2, 1, 3),
    "heads, by columns": lambda np, x: x.transpose(0, 2, 1, 3).swapaxes(-1, -2)[..., :5],
    "dense": lambda np, x: x.transpose(0, 2, 1, 3).copy(),
    "one of all": lambda np, x: x.transpose(0, 2, 1, 3)[:1],
    "every other": lambda np, x: np.concatenate([x, x], 2).transpose(0, 2, 1, 3)[:, ::2],
    "one matrix": lambda np, x: x[0, :, 0],
}


@pytest.mark.parametrize("right", STACKS)
@pytest.mark.parametrize("left", STACKS)
def test_stacks_of_two_axes(left, right):
    """Those that are not one are copied where a call is dear."""
    x, y = numpy.random.default_rng(4).normal(size=(2, 3, 5, 4, 5))

    def product(np, x, y):
        return STACKS[left](np, x) @ STACKS[right](np, y).swapaxes(-1, -2)

    wanted = product(numpy, x, y)
    found = product(heddle, heddle.asarray(x), heddle.asarray(y))
    numpy.testing.assert_allclose(host(found), wanted, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("dtype", ["i4", "i8", "f8"])
@pytest.mark.parametrize("n", [2**63, 2**100 + 2**10 + 2**5 + 1, -(2**70) - 3])
def test_matrix_power_beyond_int64(n, dtype):
    values = [[0, 1], [-1, 0]]  # a quarter turn
    if n > 0 or dtype == "f8":
        check(lambda np: np.linalg.matrix_power(np.array(values, dtype), n))
