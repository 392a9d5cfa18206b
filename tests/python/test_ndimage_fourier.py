"""Fourier filters of heddle.scipy.ndimage against SciPy's."""

import numpy
import pytest
from ndimage_support import given, host, same, sample
from scipy import ndimage as theirs

import heddle
from heddle.scipy import ndimage

NAMES = ("fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "complex64", "complex128"])
def test_filters(name, dtype):
    rng = numpy.random.default_rng(1)
    for shape, width in (((16,), 2.5), ((9, 8), (1.5, 4)), ((4, 5, 6), 1.0), ((40, 40), 9.0)):
        x = sample(rng, shape, dtype)
        same(name, x, width)
        same(name, x, width, n=2 * shape[0], axis=0)


@pytest.mark.parametrize("name", NAMES)
def test_outputs_and_mistakes(name):
    x = numpy.random.default_rng(2).random((6, 7)) + 0j
    same(name, x, 2, output=numpy.complex64)
    same(name, x, 2, output=numpy.int32)
    same(name, x, (1, 2, 3))
    same(name, x, 2, axis=2)
    for module in (heddle, numpy):
        out = module.zeros((6, 7), dtype=complex)
        assert getattr(ndimage, name)(given(x), 3, output=out) is out
        numpy.testing.assert_allclose(host(out), getattr(theirs, name)(x, 3), atol=1e-13)
    same(name, x, 2, output=numpy.zeros((7, 6), complex))
    same("fourier_ellipsoid", numpy.zeros((2, 2, 2, 2)), 2)
