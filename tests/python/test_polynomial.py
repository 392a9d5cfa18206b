"""The functions of heddle.polynomial, against NumPy."""

import importlib

import numpy
import pytest
from polynomial_support import FAMILIES, WIDER, close, compare, family, held, of, series
from support import host, launches

import heddle


@family
def test_every_name_is_here(module):
    theirs = importlib.import_module(f"numpy.polynomial.{module}")
    ours = importlib.import_module(f"heddle.polynomial.{module}")
    newer = {name for name in theirs.__all__ if name.endswith("valnd")}  # of NumPy 2.5
    assert set(theirs.__all__) - newer <= set(ours.__all__)
    assert all(hasattr(ours, name) for name in ours.__all__)


@family
@pytest.mark.parametrize("suffix", ["zero", "one", "x", "domain"])
def test_constants(module, suffix):
    compare(lambda xp: of(xp, module, "{}" + suffix))


@family
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("as_arrays", [False, True])
def test_arithmetic(module, dtype, as_arrays):
    a, b = series(1, 6, dtype=dtype), series(2, 4, dtype=dtype)

    def given(xp, values):
        return held(xp, values) if as_arrays else values

    for name in ("add", "sub", "mul", "div"):
        for left, right in ((a, b), (b, a), (a, b[:1]), (a[:1], b)):
            if name in ("mul", "div") and dtype == "f4" and module != "polynomial":
                continue  # NumPy's are of float64 where a factor of its own has one coefficient
            compare(
                lambda xp: of(xp, module, "{}" + name)(given(xp, left), given(xp, right)),  # noqa: B023
                64,
            )
    compare(lambda xp: of(xp, module, "{}mulx")(given(xp, a)))
    for power in range(4):
        compare(lambda xp: of(xp, module, "{}pow")(given(xp, b), power), 64)  # noqa: B023


@family
def test_arithmetic_trims_and_refuses(module):
    for name in ("add", "sub", "mul", "div"):
        for left, right in (
            ([1, 2, 0, 0], [1]),
            ([1, 2, 3], [1, 2, 3]),
            ([0], [0, 0]),
            ([0, 0], [1, 2]),
            ([1, 2], []),
            ([[1, 2]], [1]),
            ([1, 2], [0]),
            (3, 4),
            ([True], [False]),
        ):
            compare(lambda xp: of(xp, module, "{}" + name)(left, right))  # noqa: B023
    for arguments in (([1, 2], -1), ([1, 2], 1.5), ([1, 2], 3, 2), ([1, 2, 3], 17), ([0], 2)):
        compare(lambda xp: of(xp, module, "{}pow")(*arguments))  # noqa: B023
    for arguments in (([0, 0, 1e-6, 1e-9],), ([0, 0, 1e-6, 1e-9], 1e-7), ([1, 2], -1), ([1e-9], 1)):
        compare(lambda xp: of(xp, module, "{}trim")(*arguments))  # noqa: B023
    for arguments in ((0, 1), (2, 3), (2.5, 0), (1, 2.5)):
        compare(lambda xp: of(xp, module, "{}line")(*arguments))  # noqa: B023


@family
@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_values(module, count):
    x, c = series(3, 3, 4), series(4, count)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x), c), 64)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x), held(xp, c)), 64)
    # NumPy computes 1 - x in float32.
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x.astype("f4")), c), 1e7)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x.astype("f4")), c.astype("f4")), 64)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x), c + 1j), 64)
    compare(lambda xp: of(xp, module, "{}val")(0.5, c), 8)
    compare(lambda xp: of(xp, module, "{}val")(2, [1, 2, 3][:count]))
    compare(lambda xp: of(xp, module, "{}val")([0, 1, 2], c), 64)
    compare(lambda xp: of(xp, module, "{}val")(numpy.arange(1000) / 500, c), 64)
    many = series(5, count, 2, 3)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x), held(xp, many)), 64)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x), many), 64)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x[0, :3]), many, tensor=False), 64)
    compare(lambda xp: of(xp, module, "{}val")(held(xp, x[:, :0]), c))


@family
def test_values_of_several_variables(module):
    x, y, z = series(6, 5), series(7, 5), series(8, 5)
    c, cube = series(9, 3, 4), series(10, 2, 3, 4)
    compare(lambda xp: of(xp, module, "{}val2d")(held(xp, x), held(xp, y), c), 64)
    compare(lambda xp: of(xp, module, "{}val3d")(held(xp, x), held(xp, y), held(xp, z), cube), 64)
    compare(lambda xp: of(xp, module, "{}grid2d")(held(xp, x), held(xp, y[:3]), c), 64)
    compare(
        lambda xp: of(xp, module, "{}grid3d")(held(xp, x), held(xp, y[:3]), held(xp, z[:2]), cube),
        256,
    )
    compare(lambda xp: of(xp, module, "{}val2d")(x, y[:2], c))
    compare(lambda xp: of(xp, module, "{}val2d")(1.0, 2.0, held(xp, c)), 64)


@family
def test_values_of_any_number_of_variables(module):
    """NumPy has these since 2.5: those of two and three variables say what they are."""
    points, ours = [series(n, 2, 5) for n in range(4)], of(heddle, module, "{}valnd")
    for count, name in ((1, "{}val"), (2, "{}val2d"), (3, "{}val3d")):
        c = series(10, *range(2, 2 + count), 3)
        values = of(numpy, module, name)(*points[:count], c)
        close(ours([heddle.asarray(p) for p in points[:count]], heddle.asarray(c)), values, 64)
        close(ours(numpy.array(points[:count]), c), values, 64)
    c = series(11, 2, 2, 2, 2)
    values = of(numpy, module, "{}val")(points[0], c)
    for point in points[1:]:
        values = of(numpy, module, "{}val")(point, values, tensor=False)
    close(ours(points, c), values, 256)
    with pytest.raises(ValueError, match="ordinates are incompatible"):
        ours((*points[:3], points[3][:1]), c)


@family
def test_vandermonde_matrices(module):
    x, y, z = series(11, 2, 5), series(12, 2, 5), series(13, 2, 5)
    compare(lambda xp: of(xp, module, "{}vander")(held(xp, x), 5), 16)
    compare(lambda xp: of(xp, module, "{}vander")([1, 2, 3], 3))
    compare(lambda xp: of(xp, module, "{}vander")(held(xp, x.astype("f4")), 0))
    compare(lambda xp: of(xp, module, "{}vander")(3.0, 2))
    compare(lambda xp: of(xp, module, "{}vander")([1.0], -1))
    compare(lambda xp: of(xp, module, "{}vander")([1.0], 1.5))
    compare(lambda xp: of(xp, module, "{}vander2d")(held(xp, x), held(xp, y), [1, 2]), 16)
    compare(
        lambda xp: of(xp, module, "{}vander3d")(held(xp, x), held(xp, y), held(xp, z), [1, 2, 1]),
        16,
    )
    compare(lambda xp: of(xp, module, "{}vander2d")([1.0], [2.0], [1, 2, 3]))


@family
def test_calculus(module):
    c, table = series(14, 6), series(15, 4, 3, 2)
    for m in (0, 1, 2, 5, 6, 7):
        compare(lambda xp: of(xp, module, "{}der")(held(xp, c), m), 64)  # noqa: B023
    for m, k, lbnd, scl in ((0, [], 0, 1), (1, [3], 0, 1), (2, [1, 2], -1, 2), (3, [1], 0.5, -1)):
        compare(lambda xp: of(xp, module, "{}int")(held(xp, c), m, k, lbnd, scl), 512)  # noqa: B023
    for axis in (0, 1, -1):
        compare(lambda xp: of(xp, module, "{}der")(held(xp, table), axis=axis), 64)  # noqa: B023
        compare(lambda xp: of(xp, module, "{}int")(held(xp, table), axis=axis), 64)  # noqa: B023
    compare(lambda xp: of(xp, module, "{}der")(held(xp, c.astype("f4")), 1, 3), 16)
    compare(lambda xp: of(xp, module, "{}int")(held(xp, c.astype("f4")), 1, 3), 16)
    compare(lambda xp: of(xp, module, "{}int")([0], 3, [1, 2, 3]))
    compare(lambda xp: of(xp, module, "{}der")([1, 2, 3], 1))
    for arguments in (([1, 2], -1), ([1, 2], 1.5), ([1, 2], 1, 1, 3)):
        compare(lambda xp: of(xp, module, "{}der")(*arguments))  # noqa: B023
    for arguments in (([1, 2], -1), ([1, 2], 0.5), ([1], 1, [1, 2]), ([1], 1, [1], [0])):
        compare(lambda xp: of(xp, module, "{}int")(*arguments))  # noqa: B023
    compare(lambda xp: of(xp, module, "{}int")([1], 1, [1], 0, [1]))


@family
def test_long_series_at_a_point(module):
    c = series(1, 5_000) / numpy.arange(1, 5_001) ** 2
    for dtype in ("f4", "f8", "c16"):
        compare(lambda xp, t=dtype: of(xp, module, "{}int")(held(xp, c.astype(t))), scale=1e3)
        for x in (0, 0.25, numpy.float32(0.5), 0.3j):
            compare(
                lambda xp, t=dtype, x=x: of(xp, module, "{}val")(x, held(xp, c.astype(t))),
                scale=1e5,
            )
    infinite = c.copy()
    infinite[7] = numpy.inf
    compare(lambda xp: of(xp, module, "{}int")(held(xp, infinite)))
    compare(lambda xp: of(xp, module, "{}int")(held(xp, infinite[:9])))


@family
def test_from_roots_and_conversions(module):
    for roots in ([], [2.0], [1, 2, 3], [0.5, -0.5, 1.5, 2.0, -1.0], [1j, -1j, 2]):
        compare(lambda xp: of(xp, module, "{}fromroots")(roots), 64)  # noqa: B023
    if module == "polynomial":
        x, r = series(16, 4), series(17, 3, 2)
        compare(lambda xp: of(xp, module, "polyvalfromroots")(held(xp, x), held(xp, r)), 16)
        compare(lambda xp: of(xp, module, "polyvalfromroots")(x[:2], r, tensor=False), 16)
        compare(lambda xp: of(xp, module, "polyvalfromroots")(2.0, [1.0, 3.0]))
        compare(lambda xp: of(xp, module, "polyvalfromroots")(r, r, tensor=False))
        return
    c = series(18, 8)
    compare(lambda xp: of(xp, module, "{}2poly")(held(xp, c)), 512)
    compare(lambda xp: of(xp, module, "poly2{}")(held(xp, c)), 512)
    compare(lambda xp: of(xp, module, "{}2poly")([0, 0, 0, 1]), 4)


@family
def test_companion_and_roots(module):
    for c in ([1, 2], [1, 2, 3], [-2.0, 0.5, 1.0, 3.0], series(19, 7)):
        compare(lambda xp: of(xp, module, "{}companion")(c), 64)  # noqa: B023
        compare(lambda xp: of(xp, module, "{}roots")(c) + WIDER, 1e4)  # noqa: B023
    compare(lambda xp: of(xp, module, "{}roots")([3]))
    compare(lambda xp: of(xp, module, "{}companion")([3]))
    values = series(20, 5)
    compare(lambda xp: of(xp, module, "{}companion")(held(xp, values)), 64)
    compare(lambda xp: of(xp, module, "{}roots")(held(xp, values)) + WIDER, 1e4)


@family
def test_quadrature(module):
    if module == "polynomial":
        return
    for degree in (1, 2, 5, 16, 60):
        compare(lambda xp: of(xp, module, "{}gauss")(degree), 100)  # noqa: B023
    compare(lambda xp: of(xp, module, "{}gauss")(0))
    compare(lambda xp: of(xp, module, "{}gauss")(2.5))
    x = numpy.linspace(0.01, 0.9, 7)
    compare(lambda xp: of(xp, module, "{}weight")(held(xp, x)), 16)
    points, weights = of(heddle, module, "{}gauss")(400)
    assert numpy.isfinite(host(points)).all()
    assert numpy.isfinite(host(weights)).all()


@family
def test_fits(module):
    x = numpy.linspace(-1, 1, 50)
    y = numpy.cos(3 * x)
    w = numpy.linspace(1, 2, 50)
    two = numpy.stack([y, x**3], axis=1)
    fit = "{}fit"
    compare(lambda xp: of(xp, module, fit)(x, y, 4), 1e3)
    compare(lambda xp: of(xp, module, fit)(held(xp, x), held(xp, y), 4), 1e3)
    compare(lambda xp: of(xp, module, fit)(held(xp, x), held(xp, two), 3, w=held(xp, w)), 1e3)
    compare(lambda xp: of(xp, module, fit)(x, y, [0, 2, 4]), 1e3)
    compare(lambda xp: of(xp, module, fit)(x.tolist(), y.tolist(), 2, w=w), 1e3)
    c, (residuals, rank, singular, rcond) = of(heddle, module, fit)(x, y, 4, full=True)
    theirs, expected = of(numpy, module, fit)(x, y, 4, full=True)
    close(c, theirs, 1e3)
    assert rank == expected[1]
    numpy.testing.assert_allclose(host(residuals), expected[0], rtol=1e-9)
    numpy.testing.assert_allclose(host(singular), expected[2], rtol=1e-10)
    assert rcond == expected[3]
    for arguments in (
        ([1], [1], -1),
        ([[1]], [1], 0),
        ([], [1], 0),
        ([1], [[[1]]], 0),
        ([1, 2], [1], 0),
        ([1], [1], 0, None, False, [[1]]),
        ([1], [1], 0, None, False, [1, 1]),
        ([1], [1], [-1]),
        ([1], [1], []),
        ([1], [1], 1.5),
    ):
        compare(lambda xp: of(xp, module, fit)(*arguments))  # noqa: B023
    with pytest.warns(numpy.exceptions.RankWarning):
        of(heddle, module, fit)([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], 2)


def test_chebyshev_points_and_interpolation():
    for name in ("chebpts1", "chebpts2"):
        for count in (1, 2, 3, 8, 0, 2.5):
            compare(lambda xp: of(xp, "chebyshev", name)(count))  # noqa: B023
    compare(lambda xp: of(xp, "chebyshev", "chebinterpolate")(lambda x: xp.exp(x) * 2, 6), 8)
    compare(lambda xp: of(xp, "chebyshev", "chebinterpolate")(lambda x, a: x * a, 3, (2.0,)), 8)
    compare(lambda xp: of(xp, "chebyshev", "chebinterpolate")(lambda x: x, -1))
    compare(lambda xp: of(xp, "chebyshev", "chebinterpolate")(lambda x: x, 1.5))
    compare(
        lambda xp: xp.polynomial.Chebyshev.interpolate(lambda x: xp.exp(x), 5, domain=[0, 2]), 8
    )


def test_arrays_on_another_device_than_the_default():
    device = heddle.devices()[-1]
    x = heddle.asarray(numpy.linspace(0, 1, 20), device=device)
    c = heddle.asarray([1.0, 2.0, 3.0], device=device)
    with heddle.device("cpu"):
        p = heddle.polynomial.Legendre([1, 2, 3])
        for result in (
            p(x),
            heddle.polynomial.legendre.legval(x, c),
            heddle.polynomial.legendre.legmul(c, [1, 2]),
            heddle.polynomial.legendre.legvander(x, 3),
            heddle.polynomial.legendre.leggrid2d(x, [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]),
            heddle.polynomial.legendre.legcompanion(c),
            heddle.polynomial.Legendre(c).roots(),
            heddle.polynomial.Legendre.fit(x, heddle.sin(x), 3).coef,
            heddle.polyfit(x, heddle.sin(x), 2),
            heddle.roots(c),
            heddle.polydiv(c, [1.0, 2.0])[0],
            heddle.emath.sqrt(-x),
        ):
            assert result.device == device


@pytest.mark.unrecorded("is about which kernels there are")
def test_a_series_is_one_kernel():
    x = heddle.linspace(-1, 1, 100_000)
    for module in FAMILIES:
        c = series(21, 6)
        assert launches(lambda: of(heddle, module, "{}val")(x, c), x) == 1, module  # noqa: B023
    p = heddle.polynomial.Chebyshev(series(22, 8), domain=[0, 3])
    assert launches(lambda: p(x), x) == 1
