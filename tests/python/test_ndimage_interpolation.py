"""Splines of heddle.scipy.ndimage against SciPy's, over orders, modes, types and maps."""

import numpy
import pytest
from ndimage_support import GRID_MODES, given, host, same, sample
from oracles import SCIPY
from scipy import ndimage as theirs

import heddle
from heddle.scipy import ndimage

CASES = [
    (mode, order, ((9,), (7, 8), (1,), (2, 1), (300,))[(i + order) % 5])
    for i, mode in enumerate(GRID_MODES)
    for order in ((0, 1, 3), (2, 3, 5))[i % 2]
]


def near(mode, tolerance):
    """Before 1.18 SciPy's coefficients of short lines that are reflected are off by 1e-3."""
    reflected = mode in ("reflect", "grid-mirror")
    return 1e-2 if reflected and SCIPY < (1, 18) else tolerance


@pytest.mark.parametrize("mode, order, shape", CASES)
def test_maps(mode, order, shape):
    rng = numpy.random.default_rng(order * len(mode))
    x = sample(rng, shape, "float64", -100, 100)
    ndim = len(shape)
    how = {"order": order, "mode": mode, "cval": 2.5}
    tolerance = near(mode, 1e-9)
    same("spline_filter1d", x, order, axis=0, mode=mode, tolerance=tolerance)
    same("shift", x, 1.3, tolerance=tolerance, **how)
    same("zoom", x, 1.7, tolerance=tolerance, **how)
    same("zoom", x, 0.6, grid_mode=True, tolerance=tolerance, **how)
    places = rng.uniform(-1, 2, (ndim, 11)) * numpy.array(shape)[:, None]
    same("map_coordinates", x, places, tolerance=tolerance, **how)
    same("map_coordinates", x, places, prefilter=False, tolerance=tolerance, **how)
    matrix = rng.random((ndim, ndim)) + numpy.eye(ndim)
    same("affine_transform", x, matrix, offset=-0.4, tolerance=tolerance, **how)
    same("affine_transform", x, numpy.full(ndim, 0.7), offset=0.3, tolerance=tolerance, **how)
    if ndim == 2:
        same("rotate", x, 33, tolerance=tolerance, **how)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float32", "complex128"])
def test_types(dtype):
    x = sample(numpy.random.default_rng(1), (8, 9), dtype, -100, 200)
    for order in (0, 1, 3):
        same("shift", x, (0.3, -1.2), order=order, mode="nearest")
        same("zoom", x, (1.5, 0.8), order=order, output=numpy.float32, tolerance=1e-5)
    same("spline_filter", x)
    same("spline_filter", x.real.astype(float), 4, output=numpy.float32, tolerance=1e-5)
    same("rotate", x, 90, reshape=False, cval=3)


@pytest.mark.parametrize("mode", GRID_MODES)
def test_places_that_are_nowhere(mode):
    """A coordinate that is nan gives what SciPy gives, one far away a value of the array."""
    x = numpy.arange(10.0)
    for order in (0, 1, 3):
        same("map_coordinates", x, [[numpy.nan, 1.5]], order=order, mode=mode, cval=2.5)
        far = ndimage.map_coordinates(heddle.asarray(x), [[1e30, -1e30]], order=order, mode=mode)
        assert (abs(host(far) - 4.5) < 4.5 + 1e-6).all()


def test_maps_with_more_coordinates_than_dimensions():
    x = numpy.arange(10.0)
    same("geometric_transform", x, lambda place: (place[0] + 0.5, 1.0), tolerance=1e-9)


def test_stacks_and_planes():
    x = numpy.random.default_rng(2).random((3, 6, 5))
    same("rotate", x, 30, axes=(1, 2))
    same("rotate", x, -50, axes=(2, 0), reshape=False, mode="wrap")
    same("rotate", x, 30, axes=(0, 1), order=1, output=numpy.float32)
    same("zoom", x, (1, 1.5, 2))
    same("shift", x, (0, 0.5, 0), mode="reflect", tolerance=near("reflect", None))
    same("map_coordinates", x, numpy.random.default_rng(3).random((3, 2, 4)) * 4)
    matrix = numpy.array([[1, 0.1, 0, 0.5], [0, 1, 0.2, -1], [0, 0, 1, 0], [0, 0, 0, 1]])
    same("affine_transform", x, matrix)


@pytest.mark.parametrize("lines", [1, 3, 20])
@pytest.mark.parametrize("mode", ["mirror", "grid-wrap", "reflect"])
def test_lines_in_pieces(lines, mode):
    x = numpy.random.default_rng(lines).random((2000, lines))
    for order in (3, 5):
        same("spline_filter1d", x, order, axis=0, mode=mode, tolerance=1e-12)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("mode", ["mirror", "grid-wrap", "reflect"])
def test_splines_pass_through_what_they_are_made_of(order, mode):
    for length in (2, 3, 7, 100):
        x = numpy.random.default_rng(length).random(length)
        places = numpy.arange(length)[None]
        made = ndimage.map_coordinates(given(x), given(places), order=order, mode=mode)
        numpy.testing.assert_allclose(host(made), x, rtol=1e-13, atol=1e-14)


def test_functions_of_places():
    x = numpy.random.default_rng(4).random((5, 6))
    same("geometric_transform", x, lambda p: (p[0] - 0.5, p[1] * 0.7))
    same("geometric_transform", x, lambda p, s: (p[0] * s,) * 2, (4,), extra_arguments=(0.9,))
    same("geometric_transform", x + 1j, lambda p: (p[1], p[0]), (6, 5), order=1)


def test_outputs():
    x = numpy.random.default_rng(5).random((5, 6)) * 50
    for module in (heddle, numpy):
        out = module.zeros((10, 12), dtype="float32")
        assert ndimage.zoom(given(x), 2, output=out) is out
        numpy.testing.assert_allclose(host(out), theirs.zoom(x, 2, output="float32"), rtol=1e-5)
    out = heddle.zeros((4, 7))
    ndimage.affine_transform(given(x), [1.0, 0.5], output=out)
    wanted = theirs.affine_transform(x, [1.0, 0.5], output_shape=(4, 7))
    numpy.testing.assert_allclose(host(out), wanted, rtol=1e-10)


def test_outputs_of_another_byte_order():
    x = numpy.arange(12.0).reshape(3, 4)
    for name, args in (("map_coordinates", ([[0.5, 1], [1, 2.5]],)), ("shift", (0.5,))):
        wanted = getattr(theirs, name)(x, *args)
        for dtype in (">f8", "<f8", ">i4"):
            out = numpy.zeros(wanted.shape, dtype)
            getattr(ndimage, name)(heddle.asarray(x), *args, output=out)
            numpy.testing.assert_allclose(out, getattr(theirs, name)(x, *args, output=dtype))


def test_mistakes():
    x = numpy.arange(12.0).reshape(3, 4)
    for name, argument in (("shift", 1), ("zoom", 2), ("rotate", 30), ("spline_filter1d", None)):
        arguments = () if argument is None else (argument,)
        same(name, x, *arguments, order=6)
    same("spline_filter", x, 1)
    same("shift", numpy.float64(3), 1)
    same("shift", x, (1, 2, 3))
    same("shift", x, 1, mode="no such mode")
    same("zoom", x, 2, output=numpy.zeros((3, 4)))
    same("rotate", x[0], 30)
    same("rotate", x, 30, axes=(0, 1, 2))
    same("rotate", x, 30, axes=(0, 2))
    same("map_coordinates", x, numpy.zeros((3, 2)))
    same("map_coordinates", x, numpy.zeros((2, 2)) * 1j)
    same("affine_transform", x, numpy.eye(3) * 2)
    same("affine_transform", x, numpy.ones(3))
    same("affine_transform", x, numpy.ones((2, 4)))
    same("affine_transform", x, numpy.float64(2))
