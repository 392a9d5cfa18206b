"""What benchmarks/scipy_modules.py measures, a list of rows for each module of SciPy's."""

from collections.abc import Callable
from typing import Any

import numpy
from scipy_graph_rows import CSGRAPH, SPARSE_LINALG
from scipy_points_rows import CLUSTER, INTERPOLATE, SPATIAL
from scipy_row import ScipyRow
from scipy_signal_rows import FFT, LINALG, SIGNAL
from scipy_sparse_rows import SPARSE


def _image(dtype: Any = numpy.float64) -> Callable[[int], tuple[Any, ...]]:
    def make(n: int) -> tuple[Any, ...]:
        side = round(n**0.5)
        return ((numpy.random.default_rng(0).random((side, side)) * 200).astype(dtype),)

    return make


def _places(n: int) -> tuple[Any, ...]:
    (image,) = _image()(n)
    where = numpy.random.default_rng(1).random((2, *image.shape)) * image.shape[0]
    return image, where


def _noise(share: float) -> Callable[[int], tuple[Any, ...]]:
    return lambda n: (_image()(n)[0] < 200 * share,)


def _blobs(n: int) -> tuple[Any, ...]:
    """Regions of some hundred elements, with holes."""
    import scipy.ndimage

    (image,) = _image()(n)
    return (scipy.ndimage.gaussian_filter(image, 3) > 100,)


def _with_square(make: Callable[[int], tuple[Any, ...]]) -> Callable[[int], tuple[Any, ...]]:
    return lambda n: (*make(n), numpy.full((5, 5), 1 / 3))


def _regions(n: int) -> tuple[Any, ...]:
    import scipy.ndimage

    labels, count = scipy.ndimage.label(_blobs(n)[0])
    return *_image()(n), labels, numpy.arange(1, count + 1)


def _transform(n: int) -> tuple[Any, ...]:
    return (numpy.fft.fft2(_image()(n)[0]),)


NDIMAGE = [
    ScipyRow("gaussian_filter, sigma 2", _image(), lambda m, a: m.gaussian_filter(a, 2)),
    ScipyRow("gaussian_filter, float32", _image("f4"), lambda m, a: m.gaussian_filter(a, 2)),
    ScipyRow("gaussian_filter, sigma 6", _image(), lambda m, a: m.gaussian_filter(a, 6)),
    ScipyRow("uniform_filter, 5", _image(), lambda m, a: m.uniform_filter(a, 5)),
    ScipyRow("uniform_filter, 51", _image(), lambda m, a: m.uniform_filter(a, 51)),
    ScipyRow("sobel", _image(), lambda m, a: m.sobel(a)),
    ScipyRow("laplace, float32", _image("f4"), lambda m, a: m.laplace(a)),
    ScipyRow(
        "gaussian_gradient_magnitude", _image(), lambda m, a: m.gaussian_gradient_magnitude(a, 1)
    ),
    ScipyRow("convolve, 5 x 5", _with_square(_image()), lambda m, a, w: m.convolve(a, w)),
    ScipyRow("maximum_filter, 5", _image(), lambda m, a: m.maximum_filter(a, 5)),
    ScipyRow("minimum_filter, 31, uint8", _image("u1"), lambda m, a: m.minimum_filter(a, 31)),
    ScipyRow("median_filter, 3", _image(), lambda m, a: m.median_filter(a, 3)),
    ScipyRow("median_filter, 5, uint8", _image("u1"), lambda m, a: m.median_filter(a, 5)),
    ScipyRow("percentile_filter, 7", _image(), lambda m, a: m.percentile_filter(a, 30, 7)),
    ScipyRow("spline_filter", _image(), lambda m, a: m.spline_filter(a)),
    ScipyRow("zoom, order 1", _image(), lambda m, a: m.zoom(a, 0.9, order=1)),
    ScipyRow("zoom, order 3", _image(), lambda m, a: m.zoom(a, 0.9)),
    ScipyRow("rotate, order 3", _image(), lambda m, a: m.rotate(a, 30)),
    ScipyRow("shift, order 3", _image(), lambda m, a: m.shift(a, 1.5)),
    ScipyRow("map_coordinates, order 1", _places, lambda m, a, p: m.map_coordinates(a, p, order=1)),
    ScipyRow("map_coordinates, order 3", _places, lambda m, a, p: m.map_coordinates(a, p)),
    ScipyRow("label, noise", _noise(0.5), lambda m, a: m.label(a)[0]),
    ScipyRow("label, blobs", _blobs, lambda m, a: m.label(a)[0]),
    ScipyRow("sum_labels", _regions, lambda m, a, labels, i: m.sum_labels(a, labels, i)),
    ScipyRow("variance of regions", _regions, lambda m, a, labels, i: m.variance(a, labels, i)),
    ScipyRow("maximum of regions", _regions, lambda m, a, labels, i: m.maximum(a, labels, i)),
    ScipyRow("median of regions", _regions, lambda m, a, labels, i: m.median(a, labels, i)),
    ScipyRow("binary_erosion", _blobs, lambda m, a: m.binary_erosion(a)),
    ScipyRow("binary_opening, 5 x 5", _with_square(_blobs), lambda m, a, w: m.binary_opening(a, w)),
    ScipyRow("binary_fill_holes", _blobs, lambda m, a: m.binary_fill_holes(a)),
    ScipyRow("grey_closing, 5", _image(), lambda m, a: m.grey_closing(a, 5)),
    ScipyRow("distance_transform_edt", _noise(0.99), lambda m, a: m.distance_transform_edt(a)),
    ScipyRow("distance_transform_cdt", _noise(0.99), lambda m, a: m.distance_transform_cdt(a)),
    ScipyRow("fourier_gaussian", _transform, lambda m, a: m.fourier_gaussian(a, 3)),
    ScipyRow("fourier_shift", _transform, lambda m, a: m.fourier_shift(a, 3)),
]

MODULES = {
    "cluster": CLUSTER,
    "fft": FFT,
    "interpolate": INTERPOLATE,
    "linalg": LINALG,
    "ndimage": NDIMAGE,
    "signal": SIGNAL,
    "sparse": SPARSE,
    "sparse.csgraph": CSGRAPH,
    "sparse.linalg": SPARSE_LINALG,
    "spatial": SPATIAL,
}
