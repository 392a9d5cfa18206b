"""Labels and measurements of heddle.scipy.ndimage against SciPy's."""

import numpy
import pytest
from ndimage_support import given, host, same, sample
from scipy import ndimage as theirs

import heddle
from heddle.scipy import ndimage

SHAPES = ((20,), (9, 11), (4, 5, 6), (1, 7), (3, 2, 3, 4), (0, 3), (64, 65))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_label(shape, share):
    rng = numpy.random.default_rng(len(shape))
    x = rng.random(shape) < share
    ndim = len(shape)
    same("label", x)
    same("label", x, theirs.generate_binary_structure(ndim, ndim))
    half = rng.random((3,) * ndim) < 0.4
    same("label", x, half | half[(slice(None, None, -1),) * ndim])
    same("label", x.astype(float), numpy.ones((3,) * ndim), output=numpy.int64)


def test_label_outputs_and_mistakes():
    x = numpy.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]])
    for module in (heddle, numpy):
        out = module.zeros((3, 3), dtype="int16")
        assert ndimage.label(given(x), output=out) == 4
        numpy.testing.assert_array_equal(host(out), [[1, 0, 2], [0, 0, 0], [3, 0, 4]])
    same("label", numpy.array(3))
    same("label", x * 1j)
    same("label", x, numpy.ones((3, 3, 3)))
    same("label", x, numpy.ones((2, 3)))
    same("label", x, output=numpy.zeros((2, 3), int))
    many = numpy.zeros((40, 40))
    many[::2, ::2] = 1
    same("label", many, output=numpy.int8)


def test_labels_join_in_long_ways():
    spiral = numpy.zeros((61, 61), int)
    spiral[::2] = 1
    spiral[1::4, -1] = spiral[3::4, 0] = 1
    same("label", spiral)
    same("label", spiral.T)
    same("label", 1 - spiral, numpy.ones((3, 3)))


def test_labels_in_recorded_calls():
    rng = numpy.random.default_rng(6)
    recorded = heddle.jit(lambda a: ndimage.label(a > 0.5)[0] * 2)
    filtered = heddle.jit(lambda a: ndimage.zoom(ndimage.binary_fill_holes(a > 0.5), 2, order=0))
    for _ in range(3):
        x = rng.random((9, 10))
        for _ in range(2):
            numpy.testing.assert_array_equal(host(recorded(given(x))), theirs.label(x > 0.5)[0] * 2)
            wanted = theirs.zoom(theirs.binary_fill_holes(x > 0.5), 2, order=0)
            numpy.testing.assert_array_equal(host(filtered(given(x))), wanted)


def test_find_objects():
    rng = numpy.random.default_rng(1)
    for shape in ((20,), (9, 11), (4, 5, 6)):
        x = rng.integers(0, 6, shape)
        assert ndimage.find_objects(given(x)) == theirs.find_objects(x)
        assert ndimage.find_objects(given(x), 3) == theirs.find_objects(x, 3)
        assert ndimage.find_objects(given(x), 9) == theirs.find_objects(x, 9)
    assert ndimage.find_objects(heddle.zeros((2, 2), dtype=int)) == []


MEASURES = (
    *("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "median"),
    *("minimum_position", "maximum_position", "extrema", "center_of_mass"),
)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_measures(name, dtype):
    rng = numpy.random.default_rng(len(name))
    x = sample(rng, (6, 7), dtype, 1, 200)
    x = rng.permutation(x.ravel() + numpy.arange(42, dtype=x.dtype)).reshape(6, 7)
    labels = rng.integers(0, 4, (6, 7))
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    absent = [] if name == "median" else [9]  # SciPy gives the median of other elements
    for index in (2, [1, 3], [0, 2, *absent, 1]):
        compare(name, x, labels, index, tolerance)
        far = numpy.array(index) * 1000 - 5
        compare(name, x, labels * 1000 - 5, far if far.ndim else int(far), tolerance)
    compare(name, x, labels, None, tolerance)
    compare(name, x, None, None, tolerance)
    compare(name, x, labels[0], [1, 2], tolerance)


def compare(name, x, labels, index, tolerance):
    """Numbers are the same; places of NumPy's numbers are tuples of whole numbers."""
    with numpy.errstate(all="ignore"):
        try:
            wanted = getattr(theirs, name)(x, labels, index)
        except ValueError:
            with pytest.raises(ValueError):
                getattr(ndimage, name)(given(x), given(labels), index)
            return
        found = host(getattr(ndimage, name)(given(x), given(labels), index))
    assert type(found) is type(wanted) or not isinstance(wanted, (list, tuple))
    for a, b in zip(*(v if name == "extrema" else (v,) for v in (found, wanted)), strict=True):
        numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=tolerance)


def test_comprehension_and_histogram():
    x = numpy.arange(12.0).reshape(3, 4)
    labels = numpy.array([[1, 1, 2, 2], [0, 1, 2, 3], [3, 3, 1, 0]])
    a, b = given(x), given(labels)

    def spread(values, places):
        return values.max() - values.min() + places.sum()

    for index in (None, 1, [1, 2, 7, 3]):
        wanted = theirs.labeled_comprehension(x, labels, index, numpy.sum, float, -1)
        found = ndimage.labeled_comprehension(a, b, index, heddle.sum, float, -1)
        numpy.testing.assert_array_equal(host(found), wanted)
        wanted = theirs.labeled_comprehension(x, labels, index, spread, float, -1, True)
        found = ndimage.labeled_comprehension(a, b, index, spread, float, -1, True)
        numpy.testing.assert_array_equal(host(found), wanted)
        wanted = theirs.histogram(x, 0, 12, 4, labels, index)
        found = ndimage.histogram(a, 0, 12, 4, b, index)
        for p, q in zip(numpy.atleast_1d(found), numpy.atleast_1d(wanted), strict=True):
            assert (p is None) == (q is None)
            if q is not None:
                numpy.testing.assert_array_equal(host(p), q)
    same("labeled_comprehension", x, None, 1, numpy.sum, float, 0)
    same("labeled_comprehension", x, labels[:2], 1, numpy.sum, float, 0)
    same("labeled_comprehension", x, labels, [1.5], numpy.sum, float, 0)


def test_value_indices():
    x = numpy.random.default_rng(2).integers(0, 4, (3, 5))
    for ignored in (None, 2):
        wanted = theirs.value_indices(x, ignore_value=ignored)
        found = ndimage.value_indices(given(x), ignore_value=ignored)
        assert found.keys() == wanted.keys()
        for key in wanted:
            for a, b in zip(found[key], wanted[key], strict=True):
                numpy.testing.assert_array_equal(host(a), b)
    same("value_indices", x * 0.5)


@pytest.mark.parametrize("shape", [(15,), (12, 13), (5, 6, 7)])
def test_watershed(shape):
    rng = numpy.random.default_rng(3)
    for dtype in ("uint8", "uint16"):
        x = rng.integers(0, 200, shape).astype(dtype)
        markers = numpy.where(rng.random(shape) < 0.1, rng.integers(-2, 4, shape), 0)
        same("watershed_ift", x, markers)
        same("watershed_ift", x, markers.astype("int8"), numpy.ones((3,) * len(shape)))
    same("watershed_ift", x.astype(float), markers)
    same("watershed_ift", x, markers * 1.0)
    same("watershed_ift", x, markers[:1])


def test_sums_of_complex_numbers_are_refused():
    labels = numpy.array([1, 2, 1])
    same("sum_labels", numpy.array([1j, 2, 3]), labels, [1, 2])
    with pytest.raises(TypeError, match="complex128"):
        heddle.bincount(given(labels), weights=given(numpy.array([1j, 2, 3])))


def test_regions_in_tables():
    """What SciPy makes of regions that are asked for in rows: lists of one kind or another."""
    x = numpy.random.default_rng(0).permutation(24).reshape(4, 6).astype(float)
    labels = numpy.arange(24).reshape(4, 6) % 4
    for name in ("center_of_mass", "minimum_position", "extrema", "mean"):
        expected = getattr(theirs, name)(x, labels, [[1, 2], [3, 0]])
        found = getattr(ndimage, name)(given(x), given(labels), [[1, 2], [3, 0]])
        numpy.testing.assert_allclose(
            numpy.concatenate([numpy.ravel(host(v)) for v in found]),
            numpy.concatenate([numpy.ravel(v) for v in expected]),
        )
        assert len(found) == len(expected)


def test_one_element_by_itself():
    for name in ("minimum_position", "maximum_position", "extrema"):
        assert getattr(ndimage, name)(heddle.array(3.0)) == getattr(theirs, name)(numpy.array(3.0))
    with pytest.raises(IndexError):
        ndimage.center_of_mass(heddle.array(3.0))
