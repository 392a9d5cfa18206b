"""``scipy.interpolate`` for arrays of every device.

Splines, piecewise polynomials, grids, radial functions and triangles are native: places are found
by searching, and evaluation is of plain array operations, so that it fuses, is deferred, and has
derivatives with respect to values and places. What FITPACK chooses for a smoothing factor, and a
few interpolants of few numbers, are SciPy's, on the host.
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy._host import host_class as _host_class
from heddle.scipy.interpolate._bernstein import BPoly
from heddle.scipy.interpolate._bivariate import (
    BivariateSpline,
    LSQBivariateSpline,
    RectBivariateSpline,
    SmoothBivariateSpline,
    bisplev,
    bisplrep,
)
from heddle.scipy.interpolate._clough_tocher import CloughTocher2DInterpolator
from heddle.scipy.interpolate._cubic import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
    pchip_interpolate,
)
from heddle.scipy.interpolate._fitpack import (
    generate_knots,
    insert,
    make_smoothing_spline,
    make_splprep,
    make_splrep,
    spalde,
    splantider,
    splder,
    splev,
    splint,
    splprep,
    splrep,
    sproot,
)
from heddle.scipy.interpolate._fitting import make_interp_spline, make_lsq_spline
from heddle.scipy.interpolate._grid import RegularGridInterpolator, interpn
from heddle.scipy.interpolate._interp1d import interp1d
from heddle.scipy.interpolate._ndsplines import NdBSpline
from heddle.scipy.interpolate._piecewise import NdPPoly, PPoly
from heddle.scipy.interpolate._polynomials import (
    BarycentricInterpolator,
    KroghInterpolator,
    barycentric_interpolate,
    krogh_interpolate,
)
from heddle.scipy.interpolate._radial import RBFInterpolator
from heddle.scipy.interpolate._scattered import (
    LinearNDInterpolator,
    NearestNDInterpolator,
    griddata,
)
from heddle.scipy.interpolate._splines import BSpline
from heddle.scipy.interpolate._univariate import (
    InterpolatedUnivariateSpline,
    LSQUnivariateSpline,
    UnivariateSpline,
)

pchip = PchipInterpolator

# SciPy's functions and classes that compute on the host.
_FUNCTIONS = ["approximate_taylor_polynomial", "lagrange", "pade"]
_CLASSES = [
    "AAA",
    "FloaterHormannInterpolator",
    "LSQSphereBivariateSpline",
    "Rbf",
    "RectSphereBivariateSpline",
    "SmoothSphereBivariateSpline",
]

__all__ = [
    "Akima1DInterpolator",
    "BPoly",
    "BSpline",
    "BarycentricInterpolator",
    "BivariateSpline",
    "CloughTocher2DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "InterpolatedUnivariateSpline",
    "KroghInterpolator",
    "LSQBivariateSpline",
    "LSQUnivariateSpline",
    "LinearNDInterpolator",
    "NdBSpline",
    "NdPPoly",
    "NearestNDInterpolator",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RectBivariateSpline",
    "RegularGridInterpolator",
    "SmoothBivariateSpline",
    "UnivariateSpline",
    "barycentric_interpolate",
    "bisplev",
    "bisplrep",
    "generate_knots",
    "griddata",
    "insert",
    "interp1d",
    "interpn",
    "krogh_interpolate",
    "make_interp_spline",
    "make_lsq_spline",
    "make_smoothing_spline",
    "make_splprep",
    "make_splrep",
    "pchip",
    "pchip_interpolate",
    "spalde",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splprep",
    "splrep",
    "sproot",
]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(
    __name__, (), (*_FUNCTIONS, "interp2d"), dict.fromkeys(_CLASSES, _host_class)
)
