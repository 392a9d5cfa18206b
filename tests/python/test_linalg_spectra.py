"""Eigenvalues and eigenvectors."""

import numpy
import pytest
from compare import check
from linalg_support import INEXACT, STACKS, adjoint, close, hermitian, identical, linalg, tolerance
from support import host, name, random_values

import heddle
import heddle.linalg


@pytest.mark.parametrize("dtype", INEXACT, ids=name)
@pytest.mark.parametrize("stack", STACKS, ids=str)
def test_hermitian(stack, dtype):
    a = hermitian(dtype, (*stack, 5, 5))
    a[..., 2, 2] = -4
    x = heddle.asarray(a)
    for uplo in ("L", "U", "l"):
        triangle = numpy.tril(a) if uplo.upper() == "L" else numpy.triu(a)
        ours = heddle.linalg.eigh(heddle.asarray(triangle), uplo)
        theirs = linalg.eigh(triangle, uplo)
        assert type(ours).__name__ == "EighResult" and ours._fields == theirs._fields
        close(ours.eigenvalues, theirs.eigenvalues)
        close(heddle.linalg.eigvalsh(heddle.asarray(triangle), uplo), theirs.eigenvalues)
        w, v = (host(part) for part in ours)
        numpy.testing.assert_allclose(a @ v, v * w[..., None, :], atol=tolerance(dtype))
        identical(adjoint(v) @ v, dtype)
    close(heddle.linalg.svd(x, compute_uv=False, hermitian=True), linalg.svdvals(a))
    u, s, vh = (host(part) for part in heddle.linalg.svd(x, hermitian=True))
    numpy.testing.assert_allclose((u * s[..., None, :]) @ vh, a, atol=tolerance(dtype))
    numpy.testing.assert_allclose(s, linalg.svdvals(a), rtol=tolerance(dtype))
    if a.size:
        close(heddle.linalg.pinv(x, hermitian=True), linalg.pinv(a, hermitian=True))
    check(lambda np: np.linalg.matrix_rank(np.asarray(a), hermitian=True))


def real_pairs(dtype, shape):
    """Real matrices with real eigenvalues and conjugate pairs of them."""
    a = random_values(dtype, shape)
    a[..., 0, 1], a[..., 1, 0] = 5, -5
    return a


@pytest.mark.parametrize("dtype", INEXACT, ids=name)
@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("make", [real_pairs, hermitian])
def test_eig(make, stack, dtype):
    a = make(dtype, (*stack, 5, 5))
    x = heddle.asarray(a)
    ours, theirs = heddle.linalg.eig(x), linalg.eig(a)
    assert type(ours).__name__ == "EigResult" and ours._fields == theirs._fields
    assert [p.shape for p in ours] == [p.shape for p in theirs]
    if a.size:  # of nothing some versions of NumPy give complex numbers
        assert [p.dtype for p in ours] == [p.dtype for p in theirs]
    w, v = (host(part) for part in ours)
    numpy.testing.assert_allclose(a @ v, v * w[..., None, :], atol=20 * tolerance(dtype))
    numpy.testing.assert_allclose(linalg.norm(v, axis=-2), 1, atol=tolerance(dtype))
    values = heddle.linalg.eigvals(x)
    assert values.dtype == ours.eigenvalues.dtype
    numpy.testing.assert_allclose(
        numpy.sort_complex(host(values)),
        numpy.sort_complex(theirs.eigenvalues),
        atol=20 * tolerance(dtype),
    )
