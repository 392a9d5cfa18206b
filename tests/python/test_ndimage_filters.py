"""Filters of heddle.scipy.ndimage against SciPy's, over types, shapes, modes, origins, outputs."""

import numpy
import pytest
from ndimage_support import GRID_MODES, MODES, given, host, same, sample
from scipy import ndimage as theirs

import heddle
from heddle.scipy import ndimage

SHAPES = ((9,), (5, 6), (3, 4, 5), (40, 37), (1,), (2, 1), (0, 3))


def cases(types):
    """Each mode with types and shapes in turn: every other combination is another kernel."""
    made = []
    for j, mode in enumerate(GRID_MODES):
        for i in {j % len(types), (j + 2) % len(types)}:
            shape = SHAPES[(i + j) % len(SHAPES)]
            made.append(pytest.param(types[i], mode, shape, id=f"{types[i]}-{mode}"))
    return made


@pytest.mark.parametrize(
    "dtype, mode, shape", cases(("bool", "uint8", "int64", "float32", "complex128"))
)
def test_sums(dtype, mode, shape):
    rng = numpy.random.default_rng(len(dtype) * len(mode))
    x = sample(rng, shape, dtype)
    axis = int(rng.integers(-len(shape), len(shape)))
    edges = {"mode": mode, "cval": 1.5}
    same("correlate1d", x, rng.random(rng.integers(1, 8)), axis=axis, **edges)
    same("correlate1d", x, [1, 2, 1], mode=mode, cval=2, origin=int(rng.integers(-1, 2)))
    same("correlate1d", x, [-1, 0.5, 1], axis=0, **edges)
    same("convolve1d", x, numpy.array([1, 2j]), mode=mode, cval=1, origin=-1)
    weights = rng.random((3, 2, 4)[: len(shape)])
    same("correlate", x, weights, **edges)
    same("convolve", x, weights, mode=mode, cval=1, origin=-1)
    same("uniform_filter", x, 4, origin=1, **edges)


@pytest.mark.parametrize("dtype, mode, shape", cases(("uint8", "int16", "float32")))
def test_derivatives(dtype, mode, shape):
    rng = numpy.random.default_rng(len(dtype) * len(mode))
    x = sample(rng, shape, dtype, -100, 100)
    same("gaussian_filter", x, 1.3, mode=mode)
    same("gaussian_filter", x, 1, order=1, mode=mode, output=numpy.float64, radius=3)
    same("gaussian_filter1d", x, 0.7, axis=0, order=2, mode=mode, cval=3)
    same("sobel", x, mode=mode)
    same("prewitt", x, axis=0, mode=mode)
    same("laplace", x, mode=mode)
    same("gaussian_laplace", x, 1, mode=mode)
    # Squares of types that wrap around have no root on both sides alike.
    same("gaussian_gradient_magnitude", x.astype(float), 1, mode=mode)


@pytest.mark.parametrize("dtype, mode, shape", cases(("bool", "int16", "float32", "float64")))
def test_orders(dtype, mode, shape):
    rng = numpy.random.default_rng(len(dtype) + len(mode))
    if shape == (1,) and mode == "mirror":
        shape = (3,)  # SciPy reads other memory there
    x = sample(rng, shape, dtype)
    footprint = rng.random((3, 2, 4)[: len(shape)]) > 0.3
    footprint.flat[:3] = True
    edges = {"mode": mode, "cval": 3}
    same("minimum_filter", x, 4, mode=mode, cval=0.5)
    same("maximum_filter1d", x, 22, axis=0, **edges)
    same("minimum_filter", x, footprint=footprint, origin=(-1,) + (0,) * (len(shape) - 1), **edges)
    same("rank_filter", x, 1, footprint=footprint, **edges)
    same("rank_filter", x, -2, size=3, **edges)
    same("median_filter", x, 3, **edges)
    if len(shape) == 2:
        same("percentile_filter", x, 70, 13, **edges)  # by bisection


@pytest.mark.parametrize("size", [1, 24, 25, 40])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_long_windows(size, dtype):
    x = sample(numpy.random.default_rng(size), (60, 3, 50), dtype)
    for axis in range(3):
        same("uniform_filter1d", x, size, axis=axis, tolerance=1e-5)
        same("minimum_filter1d", x, size, axis=axis, mode="mirror")


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_ranks_of_long_lines(dtype):
    x = sample(numpy.random.default_rng(3), (3, 2500), dtype)
    same("median_filter", x[0], 41)
    same("rank_filter", x, 30, size=(1, 50), mode="wrap", origin=(0, 3))
    same("percentile_filter", x.T, 20, size=(101, 1), mode="nearest")


def test_axes_and_sequences():
    rng = numpy.random.default_rng(1)
    x = rng.random((5, 6, 7))
    same("gaussian_filter", x, (1, 2), axes=(0, 2), mode=("wrap", "nearest"), order=(0, 1))
    same("uniform_filter", x, (3, 2), axes=(-1, 0), origin=(-1, 0))
    same("laplace", x, axes=1)
    same("gaussian_laplace", x, (0.5, 1), axes=(0, 2))
    same("median_filter", x, 3, axes=(1, 2))
    same("correlate", x, rng.random((2, 3)), axes=(0, 2))
    same("maximum_filter", x, footprint=[[1, 0, 1]], axes=(0, 1))
    same("gaussian_filter", x, 0)
    same("sobel", x, mode=("wrap", "nearest", "mirror"))


def test_mistakes():
    x = numpy.arange(12.0).reshape(3, 4)
    same("correlate1d", x, [])
    same("correlate1d", x, [1, 2, 3], axis=2)
    same("correlate1d", x, [1, 2, 3], origin=2)
    same("correlate1d", x, [1, 2, 3], mode="no such mode")
    same("correlate1d", x, [1j], cval=1j, mode="constant")
    same("correlate", x, [1, 2, 3])
    same("correlate", x, numpy.ones((3, 3)), mode=("wrap", "wrap"))
    same("gaussian_filter", x, (1, 2, 3))
    same("gaussian_filter", x, 1, radius=-1)
    same("gaussian_filter", x, 1, order=-1)
    same("gaussian_filter", x + 1j, 1, output="float64")
    same("gaussian_filter", x, 1, axes=(0, 0))
    same("gaussian_filter", x, 1, axes=3)
    same("gaussian_filter", x, 1, output=numpy.empty((4, 3)))
    same("gaussian_filter", x, 1, output="no such type")
    same("uniform_filter1d", x, 0)
    same("uniform_filter1d", x, 3, origin=2)
    same("minimum_filter", x)
    same("minimum_filter", x, footprint=numpy.zeros((3, 3)))
    same("minimum_filter", x + 1j, 3)
    same("rank_filter", x, 9, size=3)
    same("rank_filter", x, 1.5, size=3)
    same("percentile_filter", x, 101, size=3)
    same("median_filter", x)
    same("median_filter", x, 3, mode=("wrap", "wrap"))
    same("generic_filter", x, numpy.sum)
    same("generic_filter1d", x, numpy.sum, 0)
    same("vectorized_filter", x, numpy.sum)
    same("vectorized_filter", x, numpy.sum, size=3, mode="valid", origin=1)
    same("vectorized_filter", x[0, 0], numpy.sum, footprint=True)
    same("vectorized_filter", x[0, 0], numpy.sum, footprint=False)


@pytest.mark.parametrize("kind", ["ours", "theirs", "itself"])
def test_outputs(kind):
    x = numpy.random.default_rng(2).random((6, 7)) * 100
    wanted = theirs.gaussian_filter(x, 1, output=numpy.int32)
    a = heddle.asarray(x)
    if kind == "itself":
        assert ndimage.gaussian_filter(a, 1, output=a) is a
        numpy.testing.assert_allclose(host(a), theirs.gaussian_filter(x, 1), rtol=1e-12)
        return
    out = (heddle if kind == "ours" else numpy).zeros((6, 7), dtype="int32")
    assert ndimage.gaussian_filter(a, 1, output=out) is out
    numpy.testing.assert_array_equal(host(out), wanted)


def test_a_view_takes_the_result():
    x = numpy.arange(20.0).reshape(4, 5)
    out = heddle.zeros((8, 10))
    ndimage.minimum_filter(heddle.asarray(x)[::-1], 3, output=out[::2, ::-2])
    wanted = numpy.zeros((8, 10))
    theirs.minimum_filter(x[::-1], 3, output=wanted[::2, ::-2])
    numpy.testing.assert_array_equal(host(out), wanted)


@pytest.mark.parametrize("mode", MODES)
def test_functions_of_windows(mode):
    x = numpy.random.default_rng(3).integers(0, 50, (5, 6))
    footprint = numpy.array([[1, 0, 1], [1, 1, 0]])
    same("generic_filter", x, numpy.ptp, footprint=footprint, mode=mode, origin=(0, -1))
    same("generic_filter", x, numpy.percentile, 3, mode=mode, extra_arguments=(40,))

    def differences(line, result, factor):
        result[:] = (line[2:] - line[:-2]) * factor

    same("generic_filter1d", x, differences, 3, axis=0, mode=mode, extra_keywords={"factor": 2})
    for name in ("sum", "max"):
        wanted = theirs.vectorized_filter(x, getattr(numpy, name), size=3, mode=mode)
        found = ndimage.vectorized_filter(given(x), getattr(heddle, name), size=3, mode=mode)
        numpy.testing.assert_array_equal(host(found), wanted)
    wanted = theirs.vectorized_filter(x, numpy.sum, footprint=footprint, mode=mode, axes=(1, 0))
    found = ndimage.vectorized_filter(
        given(x), heddle.sum, footprint=footprint, mode=mode, axes=(1, 0), batch_memory=500
    )
    numpy.testing.assert_array_equal(host(found), wanted)


def test_laplace_and_magnitude_of_functions():
    x = numpy.random.default_rng(4).random((5, 6))
    wanted = theirs.generic_gradient_magnitude(x, theirs.sobel, mode="wrap")
    found = ndimage.generic_gradient_magnitude(given(x), ndimage.sobel, mode="wrap")
    numpy.testing.assert_allclose(host(found), wanted, rtol=1e-12)


def test_derivatives_of_filters():
    x = numpy.random.default_rng(6).random((6, 7))

    def energy(a):
        return (ndimage.gaussian_filter(a, 1) ** 2).sum()

    slope = host(heddle.grad(energy)(given(x)))
    moved = x.copy()
    moved[2, 3] += 1e-6
    wanted = (float(energy(given(moved))) - float(energy(given(x)))) / 1e-6
    numpy.testing.assert_allclose(slope[2, 3], wanted, rtol=1e-4)
    both = heddle.vmap(lambda a: ndimage.median_filter(a, 3))(given(numpy.stack([x, x + 1])))
    numpy.testing.assert_array_equal(host(both)[0], theirs.median_filter(x, 3))


def test_pending_input_and_result():
    x = numpy.random.default_rng(5).random((30, 40))
    a = heddle.asarray(x)
    found = ndimage.uniform_filter(a * 2 + 1, 5).sum()
    numpy.testing.assert_allclose(float(found), theirs.uniform_filter(x * 2 + 1, 5).sum())


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int64", "bool"])
@pytest.mark.parametrize("cval", [-1.0, -3.7, 300, 2.5])
def test_values_beyond_the_edges_that_the_type_does_not_hold(dtype, cval):
    """Orders are of elements: what is around an array is converted to their type first."""
    x = (numpy.arange(24) % 13).reshape(4, 6).astype(dtype)
    footprint = numpy.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
    around = {"mode": "constant", "cval": cval}
    same("median_filter", x, 3, **around)
    same("percentile_filter", x, 30, 7, **around)
    same("rank_filter", x, 1, footprint=footprint, **around)
    same("minimum_filter", x, footprint=footprint, **around)
    same("maximum_filter", x, 3, **around)
