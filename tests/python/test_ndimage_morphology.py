"""Morphology and distances of heddle.scipy.ndimage against SciPy's."""

import numpy
import pytest
from ndimage_support import GRID_MODES, given, host, same, sample
from scipy import ndimage as theirs

import heddle
from heddle.scipy import ndimage

SHAPES = ((15,), (9, 11), (4, 5, 6), (40, 50), (1, 4), (0, 3))
BINARY = ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing")


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shape", SHAPES)
def test_binary(name, shape):
    rng = numpy.random.default_rng(len(shape))
    x = rng.random(shape) < (0.8 if "erosion" in name else 0.3)
    mask = rng.random(shape) < 0.7
    structure = rng.random((3, 2, 3)[: len(shape)]) < 0.6
    structure[(0,) * len(shape)] = True
    same(name, x)
    for border in (0, 1):
        same(name, x.astype(int) * 3, structure, border_value=border)
        for iterations in (2, 3):
            same(name, x, iterations=iterations, border_value=border, mask=mask)
    same(name, x, structure, origin=-1, iterations=2, brute_force=True)
    same(name, x, iterations=-1, mask=mask)
    same(name, x, iterations=-1, mask=mask, brute_force=True, border_value=1)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_follows_from_them(shape):
    rng = numpy.random.default_rng(len(shape))
    x = rng.random(shape) < 0.55
    ndim = len(shape)
    same("binary_fill_holes", x)
    same("binary_fill_holes", x, numpy.ones((3,) * ndim))
    same("binary_propagation", rng.random(shape) < 0.05, mask=x)
    same("binary_propagation", x, mask=x, border_value=1, structure=numpy.ones((3,) * ndim))
    same("binary_hit_or_miss", x)
    one, two = (rng.random((3, 2, 3)[:ndim]) < 0.4 for _ in range(2))
    same("binary_hit_or_miss", x, one | (one.sum() == 0), two | (two.sum() == 0), origin2=-1)


def test_structures():
    for ndim in range(4):
        for connectivity in range(5):
            same("generate_binary_structure", ndim, connectivity)
    cross = theirs.generate_binary_structure(2, 1)
    for iterations in (1, 2, 4):
        same("iterate_structure", cross, iterations)
    same("iterate_structure", cross, 3, 1)
    same("iterate_structure", cross, 3, (1, -1))


def test_binary_outputs_axes_and_mistakes():
    x = numpy.random.default_rng(1).random((6, 7, 8)) < 0.6
    same("binary_erosion", x, axes=(0, 2))
    same("binary_dilation", x, numpy.ones((1, 3)), axes=(1, 2), origin=(0, 1))
    same("binary_fill_holes", x, axes=(1, 2))
    for module in (heddle, numpy):
        out = module.zeros(x.shape, dtype="int16")
        assert ndimage.binary_erosion(given(x), output=out) is out
        numpy.testing.assert_array_equal(host(out), theirs.binary_erosion(x))
        assert ndimage.binary_fill_holes(given(x), output=out) is None
        numpy.testing.assert_array_equal(host(out), theirs.binary_fill_holes(x))
        assert ndimage.binary_hit_or_miss(given(x), output=out) is None
        numpy.testing.assert_array_equal(host(out), theirs.binary_hit_or_miss(x))
    same("binary_erosion", x * 1j)
    same("binary_erosion", x, iterations=1.5)
    same("binary_erosion", x, numpy.ones((3, 3)))
    same("binary_erosion", x, numpy.ones((3, 0, 3)))
    same("binary_erosion", x, mask=x[0])
    same("binary_erosion", x, origin=2)
    same("binary_erosion", x, origin=(0, 0))


GREY = (
    *("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient"),
    *("morphological_laplace", "white_tophat", "black_tophat"),
)


@pytest.mark.parametrize("name", GREY)
def test_grey(name):
    rng = numpy.random.default_rng(len(name))
    for i, dtype in enumerate(("int16", "float32", "float64", "uint8")):
        shape = ((12,), (7, 8), (4, 5, 3), (9, 9))[i]
        x = sample(rng, shape, dtype, 0, 100)
        mode = GRID_MODES[(i + len(name)) % 8]
        footprint = rng.random((3, 2, 3)[: len(shape)]) < 0.7
        footprint[(0,) * len(shape)] = True
        same(name, x, 3, mode=mode)
        same(name, x, (2, 3, 4)[: len(shape)], mode=mode, cval=7)
        same(name, x, footprint=footprint, mode=mode)
        same(name, x, structure=rng.random((3,) * len(shape)) * 9, mode=mode)
        out = numpy.zeros(shape)
        getattr(theirs, name)(x, 3, output=out)
        mine = heddle.zeros(shape)
        getattr(ndimage, name)(given(x), 3, output=mine)
        numpy.testing.assert_array_equal(host(mine), out)
    same(name, x)
    same(name, numpy.random.default_rng(1).random((4, 5, 6)), (2, 3), axes=(0, 2))


def test_tophats_of_bool():
    x = numpy.random.default_rng(2).random((8, 9)) < 0.5
    same("white_tophat", x, 3)
    same("black_tophat", x, 3)


DISTANCES = ("distance_transform_edt", "distance_transform_cdt", "distance_transform_bf")


@pytest.mark.parametrize("name", DISTANCES)
@pytest.mark.parametrize("shape", [(30,), (12, 13), (5, 6, 7), (1, 5), (40, 41)])
def test_distances(name, shape):
    rng = numpy.random.default_rng(len(shape))
    for share in (0.5, 0.97):
        x = (rng.random(shape) < share).astype(int)
        x.flat[0] = 0
        same(name, x)
        same(name, x, return_distances=False, return_indices=True)
        same(name, x, return_indices=True)
        if name != "distance_transform_edt":
            for metric in ("chessboard", "taxicab", "Chessboard", "no such metric"):
                same(name, x, metric, return_indices=True)
        if name != "distance_transform_cdt":
            same(name, x, sampling=[2, 0.7, 1.3][: len(shape)])
    if name == "distance_transform_cdt":
        half = rng.random((3,) * len(shape)) < 0.5
        same(name, x, half | half[(slice(None, None, -1),) * len(shape)])


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_at_the_limits(name):
    same(name, numpy.ones((3, 4)))
    same(name, numpy.zeros((3, 4)), return_indices=True)
    same(name, numpy.ones((3, 4)), return_distances=False)
    same(name, numpy.ones((3, 4)), distances=numpy.zeros((4, 3)))
    same(name, numpy.ones((3, 4)), return_indices=True, indices=numpy.zeros((2, 3, 4)))
    x = numpy.random.default_rng(3).random((6, 7)) < 0.8
    wanted, places = getattr(theirs, name)(x, return_indices=True)
    for module in (heddle, numpy):
        out = module.zeros(x.shape, dtype=wanted.dtype)
        where = module.zeros((2, *x.shape), dtype="int32")
        found = getattr(ndimage, name)(given(x), distances=out, return_indices=True, indices=where)
        assert found is None
        numpy.testing.assert_allclose(host(out), wanted, rtol=1e-14)
        numpy.testing.assert_array_equal(host(where), places)


def test_distances_are_exact():
    x = numpy.random.default_rng(4).random((60, 70)) < 0.99
    rows, columns = numpy.nonzero(~x)
    i, j = numpy.indices(x.shape)
    wanted = ((i[..., None] - rows) ** 2 + (j[..., None] - columns) ** 2).min(axis=-1)
    found = host(ndimage.distance_transform_edt(given(x)))
    numpy.testing.assert_array_equal(found, numpy.sqrt(wanted))


@pytest.mark.parametrize("value", [0, 1])
def test_one_element_by_itself(value):
    for name in ("binary_fill_holes", "binary_propagation", "binary_opening"):
        found = getattr(ndimage, name)(given(numpy.array(value)))
        assert bool(found) == getattr(theirs, name)(numpy.array(value))
