"""Derivatives, batches and recorded calls through sparse products and systems: as dense ones."""

import numpy
import pytest
from scipy_support import assert_near, host_of, numbers, ours_of

import heddle
from heddle.scipy import sparse
from heddle.scipy.sparse import linalg

FORMATS = ["csr", "csc", "coo", "dia", "bsr", "lil", "dok"]
DTYPES = ["f4", "f8", "c16"]


def dense(dtype="f8"):
    """A matrix with a third of its elements, which can be inverted."""
    a = numbers((6, 6), dtype) * (numbers((6, 6), seed=1) > 0.4)
    return (a + 4 * numpy.eye(6)).astype(dtype)


def close(dtype):
    return 1e-5 if dtype == "f4" else 1e-11


def squares(y):
    return (y * y.conj()).real.sum()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("shape", [(6,), (6, 1), (6, 3)])
def test_products_with_respect_to_the_dense_operand(form, dtype, shape):
    full = heddle.asarray(dense(dtype))
    a = sparse.csr_array(full).asformat(form)
    x, change = ours_of(numbers(shape, dtype, 2)), ours_of(numbers(shape, dtype, 3))
    products = [(lambda v: a @ v, lambda v: full @ v), (lambda v: v.T @ a, lambda v: v.T @ full)]
    for ours, theirs in products:
        found, wanted = (heddle.grad(lambda v, f=f: squares(f(v)))(x) for f in (ours, theirs))
        assert_near(found, host_of(wanted), close(dtype))
        for one, other in zip(
            heddle.jvp(ours, (x,), (change,)), heddle.jvp(theirs, (x,), (change,)), strict=True
        ):
            assert_near(one, host_of(other), close(dtype))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_products_with_respect_to_elements(form):
    full = heddle.asarray(dense())
    a, x = sparse.csr_array(full).asformat(form), ours_of(numbers((6, 2), seed=2))

    def ours(data):
        return squares(a._with_data(data) @ x)

    slopes = heddle.grad(lambda m: squares(m @ x))(full)
    edges = a._with_data(heddle.grad(ours)(a.data)).toarray()
    assert_near(edges, host_of(heddle.where(a.toarray() != 0, slopes, 0.0)), 1e-11)


@pytest.mark.parametrize("form", FORMATS)
def test_batches_and_recorded_calls(form):
    full = heddle.asarray(dense())
    a, many = sparse.csr_array(full).asformat(form), ours_of(numbers((4, 6), seed=2))
    assert_near(heddle.vmap(lambda v: a @ v)(many), host_of(many @ full.T), 1e-12)
    repeated = heddle.jit(lambda v: a @ v)
    for row in many:
        assert_near(repeated(row), host_of(full @ row), 1e-12)
    each = heddle.vmap(heddle.grad(lambda v: squares(a @ v)))(many)
    assert_near(each, host_of(2 * (many @ full.T) @ full), 1e-11)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6,), (6, 1), (6, 3)])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_systems(form, dtype, shape):
    full = heddle.asarray(dense(dtype))
    a, b = sparse.csr_array(full).asformat(form), ours_of(numbers(shape, dtype, 2))
    wanted = host_of(heddle.grad(lambda v: squares(heddle.linalg.solve(full, v)))(b))
    assert_near(heddle.grad(lambda v: squares(linalg.spsolve(a, v)))(b), wanted, 20 * close(dtype))
    lu = linalg.splu(a.tocsc())
    assert_near(heddle.grad(lambda v: squares(lu.solve(v)))(b), wanted, 20 * close(dtype))
    for trans, matrix in (("T", full.T), ("H", full.T.conj())):
        wanted = host_of(heddle.grad(lambda v, m=matrix: squares(heddle.linalg.solve(m, v)))(b))
        found = heddle.grad(lambda v, t=trans: squares(lu.solve(v, t)))(b)
        assert_near(found, wanted, 20 * close(dtype))

    def ours(data):
        return squares(linalg.spsolve(a._with_data(data), b))

    slopes = heddle.grad(lambda m: squares(heddle.linalg.solve(m, b)))(full)
    found = a._with_data(heddle.grad(ours)(a.data)).toarray()
    assert_near(found, host_of(heddle.where(full != 0, slopes, 0)).astype(dtype), 20 * close(dtype))


def test_systems_in_recorded_calls_and_what_has_no_derivative():
    full = heddle.asarray(dense())
    a, b = sparse.csr_array(full), ours_of(numbers((6,), seed=2))
    repeated = heddle.jit(lambda v: linalg.spsolve(a, v))
    for k in range(1, 4):
        assert_near(repeated(k * b), host_of(heddle.linalg.solve(full, k * b)), 1e-12)

    def slope(v):
        return squares(heddle.grad(lambda u: (linalg.spsolve(a, u) ** 3).sum())(v))

    with pytest.warns(heddle.LostGradientWarning):  # the host is asked, and says so
        heddle.grad(slope)(b)
    with pytest.raises(TypeError, match="vmap"):
        heddle.vmap(lambda v: linalg.spsolve(a, v))(heddle.stack([b, b]))
