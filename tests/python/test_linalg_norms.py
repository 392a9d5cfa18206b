"""Norms, condition numbers and ranks."""

import numpy
import pytest
from compare import check
from linalg_support import (
    matrices,
    same,
)
from support import random_values


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
def test_norm_of_views(dtype):
    a = random_values(dtype, (6, 8))
    for view in (
        lambda m: m,
        lambda m: m.T,
        lambda m: m[::2, ::-1],
        lambda m: m[:, 1:3],
        lambda m: m[3],
        lambda m: m[:0],
        lambda m: m[2, 2],
    ):
        same(lambda np, view=view: np.linalg.norm(view(np.asarray(a))), dtype)


ORDERS = [None, 2, -2, 1, -1, 0, 3, 0.5, numpy.inf, -numpy.inf, "fro", "f", "nuc", "no"]


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("ord", ORDERS, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm(ord, keepdims, dtype):
    a = random_values(dtype, (2, 3, 4))

    def program(np, axis=None, of=a):
        return np.linalg.norm(np.asarray(of), ord, axis, keepdims)

    for of, axis in [
        (a, None),
        (a[0], None),
        (a[0, 0], None),
        (a, 1),
        (a, (0, 2)),
        (a, (-1, 1)),
        (a, (1,)),
        (a, (0, 1, 2)),
        (a, (1, 1)),
        (a, 3),
        (a, "x"),
        (a[:0], 0),
        (a[:0], (0, 1)),
        (a[..., 0, 0][0], None),
    ]:
        same(lambda np, axis=axis, of=of: program(np, axis, of), dtype)
    for axis in (None, 0, (0, 2), (2,)):
        same(
            lambda np, axis=axis: np.linalg.vector_norm(
                np.asarray(a), axis=axis, ord=ord, keepdims=keepdims
            ),
            dtype,
        )
    same(lambda np: np.linalg.matrix_norm(np.asarray(a), ord=ord, keepdims=keepdims), dtype)


@pytest.mark.parametrize("p", [None, 1, -1, 2, -2, numpy.inf, -numpy.inf, "fro"], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_cond(p, dtype):
    a = matrices(dtype, (3, 4, 4))
    if dtype == "i8":
        a = a + 3 * numpy.eye(4, dtype=int)
    singular = numpy.zeros((2, 3, 3), dtype)
    singular[0] = numpy.eye(3)
    same(lambda np: np.linalg.cond(np.asarray(a), p), dtype)
    same(lambda np: np.linalg.cond(np.asarray(a[0]), p), dtype)
    same(lambda np: np.linalg.cond(np.asarray(singular), p), dtype)
    same(lambda np: np.linalg.cond(np.zeros((2, 0, 0)), p), dtype)


def test_cond_of_nan():
    a = numpy.ones((2, 2, 2))
    a[0, 0, 1] = numpy.nan
    same(lambda np: np.linalg.cond(np.asarray(a), 1), "f8")


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"tol": 0.5},
        {"tol": [0.5, 3.0]},
        {"rtol": 0.1},
        {"rtol": [0.1, 0.9]},
        {"tol": 1, "rtol": 1},
    ],
    ids=str,
)
def test_matrix_rank(keywords):
    a = numpy.stack([numpy.diag([4.0, 2, 1, 0]), numpy.diag([4.0, 2, 0, 0])])
    check(lambda np: np.linalg.matrix_rank(np.asarray(a), **keywords))


def test_rank_of_vectors():
    check(lambda np: [np.linalg.matrix_rank(np.asarray(v)) for v in (0, 1, [0, 0], [0, 2])])
