"""heddle.linalg against NumPy's. Where answers are not unique, what defines them is checked."""

import inspect

import numpy
import pytest
from linalg_support import (
    close,
    hermitian,
    linalg,
    matrices,
    positive,
)
from support import LAYOUTS, host, in_layout, random_values, same_error

import heddle
import heddle.linalg
from heddle import _core


def arguments(signature):
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


def test_namespace():
    assert set(heddle.linalg.__all__) == set(linalg.__all__) - {"linalg", "lapack_lite", "test"}
    assert heddle.linalg.LinAlgError is linalg.LinAlgError
    for function in heddle.linalg.__all__:
        if function == "LinAlgError":
            continue
        ours, theirs = (inspect.signature(getattr(m, function)) for m in (heddle.linalg, linalg))
        parts = [
            [(p.name, p.kind, p.default) for p in s.parameters.values()] for s in (ours, theirs)
        ]
        assert parts[0] == parts[1], function
        assert getattr(heddle.linalg, function).__doc__


def test_numpy_functions_find_these():
    a = matrices("f8", (3, 3))
    made = linalg.inv(heddle.asarray(a))
    assert isinstance(made, _core.own_array)
    close(made, linalg.inv(a))


@pytest.mark.parametrize("layout", LAYOUTS[:5])
def test_memory_orders(layout):
    a, x = in_layout(matrices("f8", (4, 4)), layout)
    before = a.copy()
    for function in ("inv", "det", "eigvals", "svdvals", "pinv"):
        ours, theirs = getattr(heddle.linalg, function)(x), getattr(linalg, function)(a)
        if function == "eigvals":
            ours, theirs = (numpy.sort_complex(host(w)) for w in (ours, theirs))
            numpy.testing.assert_allclose(ours, theirs)
        else:
            close(ours, theirs)
    q, r = heddle.linalg.qr(x)
    numpy.testing.assert_allclose(host(q @ r), a, atol=1e-12)
    numpy.testing.assert_array_equal(host(x), before)


@pytest.mark.parametrize(
    "dtypes", [("i4", "f4"), ("?", "f4"), ("f4", "c8"), ("f4", "f8"), ("i8", "c8")]
)
def test_types(dtypes):
    a = matrices("f8", (3, 3)) * 3
    a, b = a.astype(dtypes[0]), random_values(dtypes[1], (3, 2), 1)
    if dtypes[0] == "?":
        a = numpy.eye(3, dtype=bool)
    x, y = heddle.asarray(a), heddle.asarray(b)
    close(heddle.linalg.solve(x, y), linalg.solve(a, b))
    close(heddle.linalg.inv(x), linalg.inv(a))
    close(heddle.linalg.det(x), linalg.det(a), 100)
    close(heddle.linalg.svdvals(x), linalg.svdvals(a))
    close(heddle.linalg.inv(a.tolist()), linalg.inv(a.tolist()))


@pytest.mark.parametrize("dtype", ["f2", heddle.bfloat16])
def test_half_precision_is_refused(dtype):
    x = heddle.eye(3, dtype=dtype)
    for function in ("inv", "det", "svd", "eigh", "eigvals", "cholesky", "qr", "slogdet", "pinv"):
        with pytest.raises(TypeError, match="is unsupported in linalg"):
            getattr(heddle.linalg, function)(x)
    with pytest.raises(TypeError, match="is unsupported in linalg"):
        heddle.linalg.lstsq(x, x)


@pytest.mark.parametrize(
    "program",
    [
        lambda np: np.linalg.inv(np.zeros((2, 2))),
        lambda np: np.linalg.inv(np.asarray([numpy.eye(2), numpy.ones((2, 2))])),
        lambda np: np.linalg.solve(np.ones((2, 2)), np.ones(2)),
        lambda np: np.linalg.solve(np.eye(2), np.ones(3)),
        lambda np: np.linalg.solve(np.eye(2), np.float64(3)),
        lambda np: np.linalg.solve(np.ones((2, 2, 2)), np.ones((3, 2, 1))),
        lambda np: np.linalg.inv(np.ones((2, 3))),
        lambda np: np.linalg.inv(np.ones(3)),
        lambda np: np.linalg.det(np.ones((2, 3))),
        lambda np: np.linalg.det(np.float64(3)),
        lambda np: np.linalg.slogdet(np.ones((2, 3))),
        lambda np: np.linalg.cholesky(-np.eye(2)),
        lambda np: np.linalg.cholesky(np.asarray([numpy.eye(2), -numpy.eye(2)])),
        lambda np: np.linalg.cholesky(np.ones((2, 3))),
        lambda np: np.linalg.qr(np.ones(3)),
        lambda np: np.linalg.qr(np.eye(2), mode="x"),
        lambda np: np.linalg.svd(np.ones(3)),
        lambda np: np.linalg.eig(np.ones((2, 3))),
        lambda np: np.linalg.eig(np.asarray([[1, numpy.nan], [0, 1]])),
        lambda np: np.linalg.eigvals(np.asarray([[1, numpy.inf], [0, 1]])),
        lambda np: np.linalg.eigh(np.eye(2), UPLO="x"),
        lambda np: np.linalg.eigvalsh(np.ones((2, 3))),
        lambda np: np.linalg.lstsq(np.eye(2), np.ones(3)),
        lambda np: np.linalg.lstsq(np.ones((2, 2, 2)), np.ones(2)),
        lambda np: np.linalg.matrix_power(np.eye(2), 1.5),
        lambda np: np.linalg.matrix_power(np.ones((2, 3)), 2),
        lambda np: np.linalg.matrix_power(np.zeros((2, 2)), -1),
        lambda np: np.linalg.multi_dot([np.eye(2)]),
        lambda np: np.linalg.multi_dot([np.eye(2), np.ones((2, 2, 2)), np.eye(2)]),
        lambda np: np.linalg.multi_dot([np.eye(2), np.eye(3), np.eye(2)]),
        lambda np: np.linalg.outer(np.eye(2), np.ones(2)),
        lambda np: np.linalg.cross(np.ones(2), np.ones(2)),
        lambda np: np.linalg.tensorsolve(np.ones((2, 3)), np.ones(2)),
        lambda np: np.linalg.tensorinv(np.eye(2), ind=0),
        lambda np: np.linalg.cond(np.ones((2, 3)), 1),
    ],
)
def test_errors(program):
    ours, theirs = same_error(program)
    # NumPy's words for what concerns matrices.
    if "gufunc" not in theirs and "Unrecognized" not in theirs:
        words = set(theirs.lower().split())
        assert len(words & set(ours.lower().split())) >= len(words) // 3, (ours, theirs)


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf])
def test_not_finite(value):
    a = numpy.eye(3)
    a[1, 1] = value
    x = heddle.asarray(a)
    with numpy.errstate(all="ignore"):
        numpy.testing.assert_array_equal(host(heddle.linalg.det(x)), linalg.det(a))
    for function in ("eig", "eigvals"):
        with pytest.raises(linalg.LinAlgError, match="infs or NaNs"):
            getattr(heddle.linalg, function)(x)


def test_arguments_keep_their_elements():
    a = positive("f8", (3, 3))
    x = heddle.asarray(a)
    b = heddle.asarray(a[:, :1])
    for call in (
        lambda: heddle.linalg.solve(x, b),
        lambda: heddle.linalg.inv(x),
        lambda: heddle.linalg.cholesky(x),
        lambda: heddle.linalg.qr(x, "raw"),
        lambda: heddle.linalg.svd(x),
        lambda: heddle.linalg.eigh(x),
        lambda: heddle.linalg.eig(x),
        lambda: heddle.linalg.lstsq(x, b),
        lambda: heddle.linalg.det(x),
    ):
        call()
        numpy.testing.assert_array_equal(host(x), a)
        numpy.testing.assert_array_equal(host(b), a[:, :1])
    x[1, 1] = -1
    broken = host(x)
    with pytest.raises(linalg.LinAlgError):
        heddle.linalg.cholesky(x)
    numpy.testing.assert_array_equal(host(x), broken)


def test_results_are_in_c_order():
    x = heddle.asarray(positive("f8", (2, 4, 4)))
    for part in (
        heddle.linalg.inv(x),
        heddle.linalg.solve(x, x),
        heddle.linalg.cholesky(x),
        *heddle.linalg.qr(x),
        *heddle.linalg.svd(x),
        *heddle.linalg.eigh(x),
        *heddle.linalg.eig(x),
    ):
        assert part.flags.c_contiguous


def test_many_small_matrices():
    a = matrices("f8", (3000, 8, 8))
    x = heddle.asarray(a)
    close(heddle.linalg.inv(x), linalg.inv(a))
    close(heddle.linalg.svdvals(x), linalg.svdvals(a))
    a[2000] = 0
    with pytest.raises(linalg.LinAlgError, match="Singular"):
        heddle.linalg.inv(heddle.asarray(a))


def test_large_matrices():
    a = hermitian("f8", (300, 300))
    x = heddle.asarray(a)
    close(heddle.linalg.solve(x, x[:, :3]), linalg.solve(a, a[:, :3]))
    close(heddle.linalg.svdvals(x), linalg.svdvals(a))
    close(heddle.linalg.eigvalsh(x), linalg.eigvalsh(a))
