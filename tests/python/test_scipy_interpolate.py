"""heddle.scipy.interpolate against SciPy: splines, polynomials, grids, scattered data."""

import numpy
import pytest
import scipy.interpolate
from scipy_support import assert_near, host_of, numbers, ours_of, same

import heddle
from heddle.scipy import interpolate

X = numpy.array([0.0, 0.3, 0.5, 1.1, 1.6, 2.0, 2.2, 3.0, 3.3, 4.0])
PLACES = numpy.array([[-0.5, 0.0, 0.4], [1.1, 2.7, 4.0], [4.5, numpy.nan, 3.1]])


def pair(name, *args, **kwargs):
    """An interpolant of ours, and SciPy's."""
    theirs = getattr(scipy.interpolate, name)(*args, **kwargs)
    given = {k: ours_of(v) for k, v in kwargs.items()}
    return getattr(interpolate, name)(*map(ours_of, args), **given), theirs


def agree(ours, theirs, *args, tolerance=1e-11, **kwargs):
    same(ours, theirs, *args, tolerance=tolerance, **kwargs)


@pytest.mark.parametrize("bc", ["not-a-knot", "natural", "clamped", "periodic", "given"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
def test_cubic_splines(bc, dtype):
    y = numbers((len(X), 2, 3), dtype)
    if bc == "periodic":
        y[-1] = y[0]
    if bc == "given":
        bc = ((1, numpy.ones((2, 3))), (2, numpy.zeros((2, 3))))
    ours, theirs = pair("CubicSpline", X, numpy.moveaxis(y, 0, 1), axis=1, bc_type=bc)
    for nu in range(5):
        for extrapolate in (None, False, "periodic"):
            agree(ours, theirs, PLACES, nu, extrapolate, tolerance=1e-9)
    agree(ours.derivative(2), theirs.derivative(2), PLACES, tolerance=1e-9)
    agree(ours.antiderivative(2), theirs.antiderivative(2), PLACES, tolerance=1e-9)
    agree(ours.integrate, theirs.integrate, 3.9, 0.2)
    agree(ours.integrate, theirs.integrate, 0.2, 9.9, "periodic")


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("bc", ["not-a-knot", "natural", "clamped", "periodic"])
def test_cubic_splines_of_few_points(n, bc):
    y = numbers(n)
    if bc == "periodic":
        y[-1] = y[0]
    agree(*pair("CubicSpline", X[:n], y, bc_type=bc), PLACES, tolerance=1e-9)


@pytest.mark.parametrize("name", ["PchipInterpolator", "Akima1DInterpolator"])
@pytest.mark.parametrize("n", [2, 3, 10])
def test_shape_preserving(name, n):
    y = numpy.round(numbers((3, n)))
    ours, theirs = pair(name, X[:n], y, axis=1)
    for nu in range(3):
        agree(ours, theirs, PLACES, nu)
    same(getattr(interpolate, name), getattr(scipy.interpolate, name), X, y + 1j)


@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("bc", [None, "natural", "clamped", "periodic"])
def test_interpolating_splines(k, bc):
    y = numbers((len(X), 2))
    if bc == "periodic":
        y[-1] = y[0]
    try:
        ours, theirs = pair("make_interp_spline", X, y, k, bc_type=bc)
    except ValueError:
        with pytest.raises(ValueError):
            interpolate.make_interp_spline(X, y, k, bc_type=bc)
        return
    assert_near(ours.t, theirs.t)
    assert_near(ours.c, theirs.c, 1e-8)
    for nu in range(min(k, 2) + 1):
        for extrapolate in (None, False, "periodic"):
            agree(ours, theirs, PLACES, nu, extrapolate, tolerance=1e-8)
    agree(ours.integrate, theirs.integrate, -0.5, 3.0, tolerance=1e-9)
    agree(ours.integrate, theirs.integrate, -0.5, 3.0, False, tolerance=1e-9)
    agree(ours.antiderivative(2), theirs.antiderivative(2), PLACES, tolerance=1e-8)
    if k:
        agree(ours.derivative(), theirs.derivative(), PLACES, tolerance=1e-8)
        if bc != "periodic":
            assert_near(ours.insert_knot(1.3).c, theirs.insert_knot(1.3).c, 1e-9)


def test_least_squares():
    x = numpy.linspace(0, 4, 60)
    t = numpy.array([0.0] * 4 + [1.0, 2.5] + [4.0] * 4)
    y, w = numbers((60, 2)), numpy.linspace(1, 2, 60)
    ours, theirs = pair("make_lsq_spline", x, y, t, w=w)
    assert_near(ours.c, theirs.c, 1e-11)
    ours, theirs = pair("LSQUnivariateSpline", x, y[:, 0].copy(), t[4:6].copy(), w=w)
    assert_near(ours.get_coeffs(), theirs.get_coeffs(), 1e-11)
    numpy.testing.assert_allclose(ours.get_residual(), theirs.get_residual(), rtol=1e-10)


def test_piecewise_polynomials():
    c = numbers((4, 5, 2))
    x = X[:6]
    for name in ("PPoly", "BPoly"):
        ours, theirs = pair(name, c, x)
        for nu in range(5):
            agree(ours, theirs, PLACES, nu)
        agree(ours.antiderivative(2), theirs.antiderivative(2), PLACES)
        agree(ours.integrate, theirs.integrate, 0.1, 1.9)
    descending, theirs = pair("PPoly", c, x[::-1].copy())
    agree(descending, theirs, PLACES)
    ours, theirs = pair("PPoly", c[:, :, 0].copy(), x)
    assert_near(ours.roots(), theirs.roots(), 1e-9)
    assert_near(ours.solve(0.1, extrapolate=False), theirs.solve(0.1, extrapolate=False), 1e-9)
    bernstein = interpolate.BPoly.from_power_basis(ours)
    assert_near(bernstein.c, scipy.interpolate.BPoly.from_power_basis(theirs).c, 1e-12)
    assert_near(interpolate.PPoly.from_bernstein_basis(bernstein).c, theirs.c, 1e-11)
    rows = [[1.0, 2.0], [3.0, 4.0, 5.0], [1.0]]
    expected = scipy.interpolate.BPoly.from_derivatives([0, 1, 2.5], rows).c
    assert_near(interpolate.BPoly.from_derivatives([0, 1, 2.5], rows).c, expected, 1e-12)


def test_polynomials_of_several_variables():
    c = numbers((3, 4, 5, 6, 2))
    grid = (X[:6].copy(), X[:7].copy())
    ours, theirs = pair("NdPPoly", c, grid)
    q = numpy.random.default_rng(0).random((5, 2))
    for nu in (None, (1, 2)):
        agree(ours, theirs, q, nu)
    agree(ours.antiderivative((1, 0)), theirs.antiderivative((1, 0)), q)
    agree(ours.integrate, theirs.integrate, ((0.1, 0.5), (0.2, 0.7)))


def test_polynomials_through_points():
    y = numbers((6, 2))
    x = X[:6]
    q = numpy.array([0.3, 0.7, 1.9])
    for name in ("KroghInterpolator", "BarycentricInterpolator"):
        ours, theirs = pair(name, x, y.T.copy(), axis=1)
        agree(ours, theirs, q)
        agree(ours.derivative, theirs.derivative, q, 2, tolerance=1e-9)
        agree(ours.derivatives, theirs.derivatives, q, 3, tolerance=1e-9)
    repeated = numpy.array([0.0, 0.0, 1.0, 2.0, 2.0, 2.0])
    agree(*pair("KroghInterpolator", repeated, y), q)


@pytest.mark.parametrize(
    "kind",
    [
        "linear",
        "nearest",
        "nearest-up",
        "zero",
        "slinear",
        "quadratic",
        "cubic",
        "previous",
        "next",
    ],
)
def test_interp1d(kind):
    for dtype in ("f8", "f4", "c16", "i8"):
        y = numbers((2, len(X)), dtype)
        for fill in (numpy.nan, "extrapolate", (1.0, 2.0)):
            ours, theirs = pair("interp1d", X, y, kind, bounds_error=False, fill_value=fill)
            agree(ours, theirs, PLACES[:2], tolerance=3e-5 if dtype == "f4" else 1e-10)
    same(interpolate.interp1d(X, y), scipy.interpolate.interp1d(X, y), PLACES)
    with pytest.raises(NotImplementedError):
        interpolate.interp1d(X, y, kind="other")


@pytest.mark.parametrize("method", ["linear", "nearest", "slinear", "cubic", "pchip"])
def test_grids(method):
    rng = numpy.random.default_rng(1)
    grid = (X[:6].copy(), X[:5][::-1].copy(), X[:7].copy())
    values = numpy.sin(rng.random((6, 5, 7)))
    q = rng.random((7, 3)) * 1.5
    if method != "pchip":  # there SciPy refuses them
        q[0] = numpy.nan
    for fill in (numpy.nan, None, 2.0):
        names = {"method": method, "bounds_error": False, "fill_value": fill}
        ours, theirs = pair("RegularGridInterpolator", grid, values, **names)
        agree(ours, theirs, q, tolerance=2e-3 if method == "cubic" else 1e-10)
    ours, _ = pair("RegularGridInterpolator", grid, values, method=method)
    with pytest.raises(ValueError, match="out of bounds in dimension 1"):
        ours([[0.1, 9.0, 0.1]])
    if method == "cubic":  # SciPy solves its system up to a tolerance: a product is exact
        values = (grid[0] ** 3)[:, None, None] * (grid[1] ** 2)[:, None] * grid[2]
        ours, _ = pair("RegularGridInterpolator", grid, values, method=method)
        q = rng.random((9, 3))
        expected = q[:, 0] ** 3 * q[:, 1] ** 2 * q[:, 2]
        numpy.testing.assert_allclose(host_of(ours(q)), expected, atol=1e-11)


def test_fitpacks_functions():
    y = numbers(len(X))
    tck = scipy.interpolate.splrep(X, y)
    assert_near(interpolate.splrep(X, y)[1], tck[1], 1e-11)
    q = PLACES[:2].copy()
    for ext in (0, 1, 3):
        for der in (0, 1):
            same(interpolate.splev, scipy.interpolate.splev, q, tck, der, ext, tolerance=1e-10)
    same(interpolate.splev, scipy.interpolate.splev, q, tck, 0, 2)
    for name in ("splder", "splantider"):
        assert_near(getattr(interpolate, name)(tck)[1], getattr(scipy.interpolate, name)(tck)[1])
    kinked = scipy.interpolate.insert(1.0, tck, m=2)
    for n in (1, 2, 3):
        same(
            lambda spline, n=n: interpolate.splder(spline, n)[1],
            lambda spline, n=n: scipy.interpolate.splder(spline, n)[1],
            kinked,
            tolerance=1e-9,
        )
    assert_near(interpolate.sproot(tck), scipy.interpolate.sproot(tck), 1e-10)
    assert_near(interpolate.spalde(1.0, tck), scipy.interpolate.spalde(1.0, tck), 1e-10)
    numpy.testing.assert_allclose(
        float(interpolate.splint(-1, 2, tck)), scipy.interpolate.splint(-1, 2, tck), rtol=1e-12
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_univariate_splines(k):
    x = numpy.linspace(0, 4, 40)
    y = numpy.sin(3 * x) + 0.1 * numbers(40)
    for name in ("UnivariateSpline", "InterpolatedUnivariateSpline"):
        ours, theirs = pair(name, x, y, k=k)
        for ext in (0, 1, 3):
            agree(ours, theirs, PLACES[:2], 1, ext, tolerance=1e-9)
        assert_near(ours.get_knots(), theirs.get_knots(), 1e-12)
        numpy.testing.assert_allclose(float(ours.integral(0.1, 3)), theirs.integral(0.1, 3))
        agree(ours.derivative(), theirs.derivative(), PLACES[:2], tolerance=1e-9)


@pytest.mark.parametrize("shapes", [((9, 1), (9, 1)), ((1, 9), (9,)), ((9,), (9, 1))])
def test_univariate_splines_of_columns(shapes):
    """FITPACK takes them as rows."""
    x = numpy.linspace(0.0, 10.0, 9)
    given, at = (x.reshape(shapes[0]), numpy.sin(x).reshape(shapes[1])), numpy.ones((3, 1))
    wanted = scipy.interpolate.InterpolatedUnivariateSpline(*given)(at)
    ours = heddle.scipy.interpolate.InterpolatedUnivariateSpline(*map(heddle.asarray, given))
    made = ours(heddle.asarray(at))
    assert made.shape == wanted.shape
    numpy.testing.assert_allclose(heddle.asnumpy(made), wanted, rtol=1e-12)


def test_surfaces():
    x, y, z = X[:8].copy(), X[:7].copy(), numbers((8, 7))
    for kx, ky in ((3, 3), (1, 2), (4, 5)):
        ours, theirs = pair("RectBivariateSpline", x, y, z, kx=kx, ky=ky)
        agree(ours, theirs, x, y, tolerance=1e-9)
        agree(ours.ev, theirs.ev, x[:5] + 0.1, y[:5] + 9.0, tolerance=1e-9)
        numpy.testing.assert_allclose(
            float(ours.integral(0.1, 1, 0.2, 9)), theirs.integral(0.1, 1, 0.2, 9), rtol=1e-9
        )
    ours, theirs = pair("RectBivariateSpline", x, y, z, s=1.0)
    agree(ours, theirs, x, y, tolerance=1e-9)


@pytest.mark.parametrize("kernel", ["thin_plate_spline", "cubic", "gaussian", "multiquadric"])
@pytest.mark.parametrize("neighbors", [None, 20])
def test_radial_functions(kernel, neighbors):
    rng = numpy.random.default_rng(2)
    points, values, q = rng.random((50, 2)), rng.random((50, 2)), rng.random((9, 2))
    names = {"kernel": kernel, "neighbors": neighbors, "epsilon": 5.0, "smoothing": 1e-3}
    agree(*pair("RBFInterpolator", points, values, **names), q, tolerance=1e-7)


@pytest.mark.parametrize("method", ["nearest", "linear", "cubic"])
def test_scattered_data(method):
    rng = numpy.random.default_rng(3)
    points, values, q = rng.random((60, 2)), rng.random((60, 2)), rng.random((30, 2)) * 1.4 - 0.2
    for rescale in (False, True):
        same(
            interpolate.griddata,
            scipy.interpolate.griddata,
            *(points, values, q, method),
            rescale=rescale,
            tolerance=1e-10,
        )
    if method != "cubic":
        points, q = rng.random((60, 3)), rng.random((30, 3))
        same(interpolate.griddata, scipy.interpolate.griddata, points, values, q, method)
    same(interpolate.griddata, scipy.interpolate.griddata, X, numbers(len(X)), PLACES, method)


def test_derivatives():
    x = heddle.arange(6.0)
    y, q = heddle.asarray(numbers(6)), heddle.asarray([0.5, 2.2, 4.7])

    def check(make):
        heddle.debug.check_grads(
            lambda y, q: heddle.sum(make(y)(q) ** 2), (y, q), order=1, modes=["rev"]
        )

    check(lambda y: interpolate.CubicSpline(x, y))
    check(lambda y: interpolate.make_interp_spline(x, y))
    check(lambda y: interpolate.PchipInterpolator(x, y))
    grid = interpolate.RegularGridInterpolator
    check(lambda y: lambda q: grid((x, x), y[:, None] * y)(heddle.stack([q, q + 0.1], axis=1)))


def test_mistakes():
    with pytest.raises(ValueError, match="strictly increasing"):
        interpolate.CubicSpline([0.0, 0.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="finite"):
        interpolate.CubicSpline([0.0, 1.0, numpy.nan], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="non-decreasing"):
        interpolate.BSpline([0, 2, 1, 3, 4, 5], [1.0, 2.0, 3.0, 4.0], 1)
    with pytest.raises(ValueError, match="is not defined"):
        interpolate.RegularGridInterpolator(([0.0, 1.0],), [1.0, 2.0], method="other")
    assert interpolate.CubicSpline(X, X)([]).shape == (0,)


@pytest.mark.parametrize("method", ["slinear", "cubic", "quintic"])
def test_splines_on_grids_by_a_solver(method):
    from heddle.scipy.sparse import linalg

    grid = numpy.linspace(0, 3, 7), numpy.linspace(0, 2, 8) ** 2
    values, places = numbers((7, 8, 2)), numpy.array([[0.5, 0.7], [1.1, 2.2]])
    function = heddle.scipy.interpolate.RegularGridInterpolator
    for data in (values, values + 1j * values[::-1]):
        exact = host_of(function(grid, data, method)(places))
        for name in ("gcrotmk", "spsolve", *(["gmres"] if method == "cubic" else [])):
            options = {} if name == "spsolve" else {"rtol": 1e-12, "atol": 0.0}
            made = function(grid, data, method, solver=getattr(linalg, name), solver_args=options)
            numpy.testing.assert_allclose(host_of(made(places)), exact, atol=1e-8)
    with pytest.raises(TypeError):
        function(grid, values, method, solver=lambda x: x)
    with pytest.raises(TypeError):
        function(grid, values, method, solver=linalg.gmres, solver_args={"no_such_option": 1})
    if method != "slinear":
        few = {"maxiter": 1, "restart": 1, "rtol": 1e-14}
        with pytest.raises(ValueError, match="info = 1"):
            function(grid, values, method, solver=linalg.gmres, solver_args=few)
    for other in ("linear", "nearest", "pchip", "cubic_legacy"):
        with pytest.raises(ValueError, match="solver"):
            function(grid, values, other, solver=linalg.gmres)


@pytest.mark.parametrize("ends", [(-2, -1), (2, 5), (1, 5), (-2, 0.5), (0.5, 3), (3, 0.5), (-1, 3)])
def test_integrals_outside_of_knots(ends):
    """Where a spline is zero outside, both ends may be there."""
    x = numpy.linspace(0.0, 1.0, 7)
    y = x**2 + 1
    expected = scipy.interpolate.UnivariateSpline(x, y, s=0).integral(*ends)
    found = interpolate.UnivariateSpline(heddle.asarray(x), heddle.asarray(y), s=0).integral(*ends)
    assert abs(float(found) - expected) < 1e-12
    t, c, k = scipy.interpolate.splrep(x, y)
    spline = scipy.interpolate.BSpline(t, c, k)
    ours = interpolate.BSpline(heddle.asarray(t), heddle.asarray(c), k)
    for outside in (True, False):
        wanted = spline.integrate(*ends, extrapolate=outside)
        assert abs(float(ours.integrate(*ends, extrapolate=outside)) - wanted) < 1e-11


def test_mistakes_of_splines():
    x = heddle.linspace(0.0, 1.0, 7)
    for bbox in (-1, [0.0], [0.0, 1.0, 2.0]):
        with pytest.raises(ValueError, match="bbox"):
            interpolate.UnivariateSpline(x, x, bbox=bbox)
    t = numpy.array([0.0] * 4 + [2, 3, 4, 5] + [7] * 4)
    spline = interpolate.BSpline(t, numpy.ones(8), 3, extrapolate="periodic")
    with pytest.raises(ValueError, match="internal knots"):
        spline.insert_knot(3.5)
    with pytest.raises(ValueError, match="rows"):
        interpolate.NdBSpline.design_matrix([1.0, 2.0], (t, t), 3)
    matrix = interpolate.BSpline.design_matrix(2.0, [1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0], 3)
    assert matrix.shape == (1, 4)
    surface = interpolate.RectBivariateSpline(x, x, heddle.ones((7, 7)))
    with pytest.raises(AttributeError):
        surface.partial_derivative(1, 1).get_residual()
    with pytest.raises(AttributeError):
        _ = surface.partial_derivative(1, 1).fp


@pytest.mark.parametrize("rescale", [False, True])
@pytest.mark.parametrize("shape", [(), (2, 3)])
@pytest.mark.parametrize("kind", ["f8", "c16", "f4", "i8"])
def test_clough_tocher(kind, shape, rescale):
    rng = numpy.random.default_rng(3)
    points, places = rng.random((40, 2)), rng.random((60, 2)) * 1.2 - 0.1
    values = (numbers((40, *shape), "c16" if kind == "c16" else "f8", 4) * 5).astype(kind)
    expected = scipy.interpolate.CloughTocher2DInterpolator(points, values, rescale=rescale)
    found = interpolate.CloughTocher2DInterpolator(
        heddle.asarray(points), heddle.asarray(values), rescale=rescale
    )
    assert_near(found(heddle.asarray(places)), expected(places), 1e-11)
    grid = numpy.meshgrid(*[numpy.linspace(0.3, 0.7, 5)] * 2)
    assert_near(found(*map(heddle.asarray, grid)), expected(*grid), 1e-11)
    cubic = interpolate.griddata(
        heddle.asarray(points), heddle.asarray(values), heddle.asarray(places), "cubic", 7.0
    )
    wanted = scipy.interpolate.griddata(points, values, places, "cubic", 7.0)
    assert_near(cubic, wanted, 1e-11)


def test_clough_tocher_slopes():
    rng = numpy.random.default_rng(5)
    points, values = rng.random((30, 2)), rng.random(30)
    surface = interpolate.CloughTocher2DInterpolator(points, values)
    center = numpy.array([0.45, 0.55])
    place = heddle.asarray(center[None])
    slope = host_of(heddle.grad(lambda q: surface(q)[0])(place))[0]
    step = 1e-6
    for axis in range(2):
        move = numpy.eye(2)[axis] * step
        ends = host_of(surface(numpy.array([center + move, center - move])))
        assert abs((ends[0] - ends[1]) / (2 * step) - slope[axis]) < 1e-6
    corner = host_of(surface(points[7:8]))
    numpy.testing.assert_allclose(corner, values[7:8], rtol=1e-12)
    triangles = heddle.scipy.spatial.Delaunay(points)
    again = interpolate.CloughTocher2DInterpolator(triangles, values)(place)
    numpy.testing.assert_allclose(host_of(again), host_of(surface(place)), rtol=1e-13)
    with pytest.raises(ValueError, match="2-D data"):
        interpolate.CloughTocher2DInterpolator(rng.random((9, 3)), rng.random(9))
    with pytest.raises(ValueError, match="different number"):
        interpolate.CloughTocher2DInterpolator(points, values[:5])


@pytest.mark.parametrize("gap", [0, 1, 3])
def test_lines_beside_what_is_missing(gap):
    x, y = numpy.arange(4.0), numpy.array([1.0, 3.0, 2.0, 5.0])
    y[gap] = numpy.nan
    places = numpy.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
    expected = scipy.interpolate.interp1d(x, y)(places)
    assert_near(interpolate.interp1d(heddle.asarray(x), heddle.asarray(y))(places), expected, 1e-15)


@pytest.mark.parametrize("method", ["linear", "nearest"])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 3), (3, 2)])
def test_grids_refuse_places_that_are_nan(method, sizes):
    grid = tuple(numpy.arange(float(n)) for n in sizes)
    values = numbers(sizes, "f4")
    expected = scipy.interpolate.RegularGridInterpolator(grid, values, method)
    found = interpolate.RegularGridInterpolator(
        tuple(map(heddle.asarray, grid)), heddle.asarray(values), method
    )
    assert_near(found(heddle.zeros((1, 2))), expected(numpy.zeros((1, 2))))
    for call in (expected, found):
        with pytest.raises(ValueError, match="out of bounds in dimension 1"):
            call(numpy.array([[0.0, numpy.nan]]))


def test_splines_of_whole_numbers_on_grids():
    grid = numpy.arange(5.0), numpy.arange(6.0)
    values = numpy.arange(30).reshape(5, 6) ** 2 % 7
    places = numpy.array([[0.5, 1.5], [3.2, 4.9], [9.0, 1.0]])
    arguments = {"method": "splinef2d", "bounds_error": False}
    for fill in (numpy.nan, 2.5, 3):
        expected = scipy.interpolate.interpn(grid, values, places, fill_value=fill, **arguments)
        found = interpolate.interpn(
            tuple(map(heddle.asarray, grid)), heddle.asarray(values), places, fill_value=fill,
            **arguments,
        )  # fmt: skip
        assert_near(found, expected, 1e-12)


@pytest.mark.parametrize(
    "name, before", [("splev", (0.5,)), ("splint", (0, 1)), ("spalde", (0.5,)), ("sproot", ())]
)
def test_too_few_coefficients(name, before):
    tck = [0, 0, 0, 0, 1, 1, 1, 1.0], [1.0, 2.0], 3
    with pytest.raises(Exception, match=r"len\(c\)>=n-|too small|must be >=n-"):
        getattr(scipy.interpolate, name)(*before, tck)
    with pytest.raises(ValueError, match=r"len\(c\)>=n-k-1"):
        getattr(interpolate, name)(*before, tck)
