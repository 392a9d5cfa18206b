"""Matrices for tests of linear algebra, and how close results have to be."""

import numpy
from support import COMPLEX, FLOATS, host, random_values, same_error

import heddle
import heddle.linalg

linalg = numpy.linalg


INEXACT = [*FLOATS[1:], *COMPLEX]


STACKS = [(), (3,), (2, 3), (1, 2), (0,), (2, 0)]


def tolerance(dtype):
    return 2e-4 if numpy.dtype(dtype).char in "fF" else 1e-11


def close(actual, expected, scale=1.0):
    """The same shape, type and, within what the type can say, values."""
    expected = numpy.asarray(expected)
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    tol = tolerance(expected.dtype) * scale
    numpy.testing.assert_allclose(host(actual), expected, rtol=tol, atol=tol)


def matrices(dtype, shape, seed=0):
    """Well-conditioned matrices: not square ones too."""
    values = random_values(dtype, shape, seed, -1, 1)
    diagonal = min(shape[-2:])
    if numpy.dtype(dtype).kind in "fc":
        values[..., range(diagonal), range(diagonal)] += 3
    return values


def hermitian(dtype, shape, seed=0):
    a = matrices(dtype, shape, seed)
    return (a + a.conj().swapaxes(-1, -2)) / numpy.dtype(dtype).type(2)


def positive(dtype, shape, seed=0):
    a = matrices(dtype, shape, seed)
    return a @ a.conj().swapaxes(-1, -2)


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def identical(a, dtype):
    """Close to the identity."""
    eye = numpy.broadcast_to(numpy.eye(a.shape[-1]), a.shape)
    numpy.testing.assert_allclose(a, eye, atol=tolerance(dtype))


def same(program, dtype):
    """NumPy's result within the tolerance of the type, or NumPy's error."""
    with numpy.errstate(all="ignore"):
        try:
            expected = program(numpy)
        except Exception:
            same_error(program)
        else:
            close(program(heddle), expected)
