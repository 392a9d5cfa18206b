"""Images of any number of dimensions: SciPy's ``ndimage``, on every device.

Filters read windows around each element of an array that is continued beyond its edges; kernels of
`heddle.simt` compute them, on all cores of a CPU or on a GPU, in float64 as SciPy does. Small
arguments (weights, footprints, structures) are read by the host.

>>> import heddle as np
>>> from heddle.scipy import ndimage
>>> ndimage.median_filter(np.array([1, 9, 2, 3, 4]), size=3)
array([1, 2, 3, 3, 4])
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.ndimage._binary import (
    binary_closing,
    binary_dilation,
    binary_erosion,
    binary_fill_holes,
    binary_hit_or_miss,
    binary_opening,
    binary_propagation,
    iterate_structure,
)
from heddle.scipy.ndimage._derivatives import (
    gaussian_gradient_magnitude,
    gaussian_laplace,
    generic_gradient_magnitude,
    generic_laplace,
    laplace,
    prewitt,
    sobel,
)
from heddle.scipy.ndimage._distances import (
    distance_transform_bf,
    distance_transform_cdt,
    distance_transform_edt,
)
from heddle.scipy.ndimage._fourier import (
    fourier_ellipsoid,
    fourier_gaussian,
    fourier_shift,
    fourier_uniform,
)
from heddle.scipy.ndimage._functions import (
    generic_filter,
    generic_filter1d,
    vectorized_filter,
)
from heddle.scipy.ndimage._grey import (
    black_tophat,
    grey_closing,
    grey_dilation,
    grey_erosion,
    grey_opening,
    morphological_gradient,
    morphological_laplace,
    white_tophat,
)
from heddle.scipy.ndimage._interpolation import (
    affine_transform,
    geometric_transform,
    map_coordinates,
    rotate,
    shift,
    zoom,
)
from heddle.scipy.ndimage._labels import (
    find_objects,
    label,
    watershed_ift,
)
from heddle.scipy.ndimage._linear import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
    uniform_filter,
    uniform_filter1d,
)
from heddle.scipy.ndimage._measurements import (
    center_of_mass,
    extrema,
    histogram,
    labeled_comprehension,
    maximum,
    maximum_position,
    mean,
    median,
    minimum,
    minimum_position,
    standard_deviation,
    sum,
    sum_labels,
    value_indices,
    variance,
)
from heddle.scipy.ndimage._order import (
    maximum_filter,
    maximum_filter1d,
    minimum_filter,
    minimum_filter1d,
)
from heddle.scipy.ndimage._ranks import median_filter, percentile_filter, rank_filter
from heddle.scipy.ndimage._splines import (
    spline_filter,
    spline_filter1d,
)
from heddle.scipy.ndimage._structures import (
    generate_binary_structure,
)

__all__ = [
    "affine_transform",
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "black_tophat",
    "center_of_mass",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "distance_transform_bf",
    "distance_transform_cdt",
    "distance_transform_edt",
    "extrema",
    "find_objects",
    "fourier_ellipsoid",
    "fourier_gaussian",
    "fourier_shift",
    "fourier_uniform",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generate_binary_structure",
    "generic_filter",
    "generic_filter1d",
    "generic_gradient_magnitude",
    "generic_laplace",
    "geometric_transform",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "histogram",
    "iterate_structure",
    "label",
    "labeled_comprehension",
    "laplace",
    "map_coordinates",
    "maximum",
    "maximum_filter",
    "maximum_filter1d",
    "maximum_position",
    "mean",
    "median",
    "median_filter",
    "minimum",
    "minimum_filter",
    "minimum_filter1d",
    "minimum_position",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "standard_deviation",
    "sum",
    "sum_labels",
    "uniform_filter",
    "uniform_filter1d",
    "value_indices",
    "variance",
    "vectorized_filter",
    "watershed_ift",
    "white_tophat",
    "zoom",
]

__getattr__ = _open_module(__name__)
_publish(__name__, *map(globals().get, __all__))
