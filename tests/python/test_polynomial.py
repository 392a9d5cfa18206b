"""heddle.polynomial, the older polynomial functions and heddle.emath, against NumPy."""

import copy
import importlib
import pickle
import warnings

import numpy
import pytest
from compare import outcome
from support import NEWER, host, launches

import heddle

FAMILIES = {
    "polynomial": ("poly", "Polynomial"),
    "chebyshev": ("cheb", "Chebyshev"),
    "legendre": ("leg", "Legendre"),
    "laguerre": ("lag", "Laguerre"),
    "hermite": ("herm", "Hermite"),
    "hermite_e": ("herme", "HermiteE"),
}
CLASSES = [name for _, name in FAMILIES.values()]
TOLERANCE = {"f": 2e-6, "d": 2e-13, "F": 2e-6, "D": 2e-13, "e": 4e-3}

family = pytest.mark.parametrize("module", FAMILIES)
each_class = pytest.mark.parametrize("name", CLASSES)


def close(ours, theirs, scale=1.0):
    """The same structure, types and shapes, and values up to rounding."""
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            close(a, b, scale)
        return
    if hasattr(theirs, "coef"):
        assert type(ours).__name__ == type(theirs).__name__
        assert ours.symbol == theirs.symbol
        for part in ("coef", "domain", "window"):
            close(getattr(ours, part), getattr(theirs, part), scale)
        return
    if isinstance(theirs, numpy.ndarray | numpy.generic):
        assert isinstance(ours, heddle.ndarray | numpy.generic), type(ours)
        assert ours.dtype == theirs.dtype, f"{ours.dtype} for {theirs.dtype}"
        assert ours.shape == theirs.shape, f"{ours.shape} for {theirs.shape}"
        tolerance = TOLERANCE.get(theirs.dtype.char, 0) * scale
        size = numpy.max(numpy.abs(theirs[numpy.isfinite(theirs)]), initial=1.0)
        numpy.testing.assert_allclose(host(ours), theirs, rtol=tolerance, atol=tolerance * size)
        return
    assert ours == theirs or (ours != ours and theirs != theirs)


def compare(function, scale=1.0):
    """Runs the code with NumPy and with heddle: the same results, or the same type of error."""
    theirs, expected = outcome(function, numpy)
    ours, error = outcome(function, heddle)
    if expected is not None:
        assert error is not None, f"no error, where NumPy raises {expected!r}"
        assert isinstance(error, type(expected)), f"{error!r} where NumPy raises {expected!r}"
        return
    if error is not None:
        raise error
    close(ours, theirs, scale)


def of(xp, module, name):
    """A function of a family in one of the two libraries: of(xp, "chebyshev", "{}val")."""
    submodule = importlib.import_module(f"{xp.__name__}.polynomial.{module}")
    return getattr(submodule, name.format(FAMILIES[module][0]))


def series(seed, *shape, dtype="f8"):
    rng = numpy.random.default_rng(seed)
    values = rng.uniform(-2, 2, shape)
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * rng.uniform(-2, 2, shape)
    return values.astype(dtype)


def held(xp, values):
    """An array of the library; on the tests' device for heddle."""
    return values.copy() if xp is numpy else heddle.asarray(values)


# --- functions of the families ---


# From NumPy 2.5 on, real roots are complex numbers in some families; here they are real in all.
WIDER = 0j if NEWER else 0


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


def test_a_series_is_one_kernel():
    x = heddle.linspace(-1, 1, 100_000)
    for module in FAMILIES:
        c = series(21, 6)
        assert launches(lambda: of(heddle, module, "{}val")(x, c), x) == 1, module  # noqa: B023
    p = heddle.polynomial.Chebyshev(series(22, 8), domain=[0, 3])
    assert launches(lambda: p(x), x) == 1


# --- the classes ---


def made(xp, name, c, **kwargs):
    return getattr(xp.polynomial, name)(c, **kwargs)


@each_class
def test_class_operators(name):
    a, b = series(30, 4), series(31, 3)
    for operation in (
        lambda p, q: p + q,
        lambda p, q: p - q,
        lambda p, q: p * q,
        lambda p, q: p // q,
        lambda p, q: p % q,
        lambda p, q: list(divmod(p, q)),
        lambda p, q: p + 2,
        lambda p, q: 2 + p,
        lambda p, q: 2 - p,
        lambda p, q: p * 2.5,
        lambda p, q: 2.5 * p,
        lambda p, q: p / 2,
        lambda p, q: p // 2,
        lambda p, q: 2 // p,
        lambda p, q: 2 % p,
        lambda p, q: list(divmod([1, 2, 3, 4, 5], p)),
        lambda p, q: p + (1, 2, 3),  # noqa: RUF005
        lambda p, q: [1, 2, 3] - p,
        lambda p, q: (1, 2) * p,
        lambda p, q: p**3,
        lambda p, q: -p,
        lambda p, q: +p,
        lambda p, q: p / q,
        lambda p, q: 1 / p,
        lambda p, q: p // 0,
        lambda p, q: p**-1,
        lambda p, q: p**101,
        lambda p, q: p + "x",
    ):
        compare(lambda xp: operation(made(xp, name, a), made(xp, name, b)), 256)  # noqa: B023


@each_class
def test_class_with_arrays_on_the_left(name):
    c = series(32, 3)
    compare(lambda xp: held(xp, c) + made(xp, name, c))
    compare(lambda xp: held(xp, c) * made(xp, name, held(xp, c)), 16)
    compare(lambda xp: made(xp, name, c) - held(xp, c))


@each_class
def test_class_that_does_not_fit(name):
    c = [1.0, 2.0]
    other = "Legendre" if name != "Legendre" else "Chebyshev"
    compare(lambda xp: made(xp, name, c) + made(xp, other, c))
    compare(lambda xp: made(xp, name, c) + made(xp, name, c, domain=[0, 5]))
    compare(lambda xp: made(xp, name, c) + made(xp, name, c, window=[0, 5]))
    compare(lambda xp: made(xp, name, c) + made(xp, name, c, symbol="y"))
    compare(lambda xp: made(xp, name, c, domain=[1, 2, 3]))
    compare(lambda xp: made(xp, name, c, window=[1]))
    compare(lambda xp: made(xp, name, c, symbol=3))
    compare(lambda xp: made(xp, name, c, symbol="a b"))
    compare(lambda xp: made(xp, name, [[1]]))
    compare(lambda xp: made(xp, name, []))


@each_class
def test_class_methods(name):
    c, x = series(33, 5), series(34, 4)
    arguments = {"domain": [-2, 3], "window": [-1, 2], "symbol": "t"}

    def p(xp):
        return made(xp, name, c, **arguments)

    for method in (
        lambda xp: p(xp)(held(xp, x)),
        lambda xp: p(xp)(0.25),
        lambda xp: p(xp)([0, 1, 2]),
        lambda xp: p(xp)(held(xp, x.astype("f4"))),
        lambda xp: p(xp).deriv(),
        lambda xp: p(xp).deriv(2),
        lambda xp: p(xp).integ(),
        lambda xp: p(xp).integ(2, [1, 2], lbnd=0.5),
        lambda xp: p(xp).mapparms(),
        lambda xp: p(xp).linspace(7),
        lambda xp: p(xp).linspace(7, [0, 1]),
        lambda xp: p(xp).degree(),
        lambda xp: len(p(xp)),
        lambda xp: p(xp).cutdeg(2),
        lambda xp: p(xp).truncate(2),
        lambda xp: p(xp).truncate(0),
        lambda xp: p(xp).truncate(1.5),
        lambda xp: made(xp, name, [1, 1e-6, 1e-12, 0]).trim(),
        lambda xp: made(xp, name, [1, 1e-6, 1e-12, 0]).trim(1e-10),
        lambda xp: p(xp).copy(),
        lambda xp: p(xp).convert(),
        lambda xp: p(xp).convert(kind=xp.polynomial.Polynomial),
        lambda xp: p(xp).convert([0, 1], xp.polynomial.Chebyshev, [-1, 0]),
        lambda xp: getattr(xp.polynomial, name).cast(p(xp), [0, 1]),
        lambda xp: getattr(xp.polynomial, name).basis(3),
        lambda xp: getattr(xp.polynomial, name).basis(-1),
        lambda xp: getattr(xp.polynomial, name).identity(),
        lambda xp: getattr(xp.polynomial, name).identity([0, 2], [1, 5], "y"),
        lambda xp: getattr(xp.polynomial, name).fromroots([1, 2, 3]),
        lambda xp: getattr(xp.polynomial, name).fromroots([1, 2, 3], domain=None),
        lambda xp: getattr(xp.polynomial, name).domain,
        lambda xp: getattr(xp.polynomial, name).window,
        lambda xp: getattr(xp.polynomial, name).maxpower,
        lambda xp: getattr(xp.polynomial, name).basis_name,
        lambda xp: [bool(p(xp) == p(xp)), bool(p(xp) != p(xp)), bool(p(xp) == 3)],
        lambda xp: bool(p(xp) == made(xp, name, c)),
        lambda xp: bool(p(xp).has_samecoef(made(xp, name, c))),
        lambda xp: bool(p(xp).has_samedomain(made(xp, name, c))),
        lambda xp: bool(p(xp).has_samewindow(made(xp, name, c))),
        lambda xp: p(xp).has_sametype(made(xp, name, c)),
        lambda xp: hash(p(xp)),
        lambda xp: [float(v) for v in p(xp)],
    ):
        compare(method, 2000)


@each_class
def test_class_substitutes_another_series(name):
    compare(lambda xp: made(xp, name, [1, 2, 3])(made(xp, name, [0.5, 2])), 64)


@each_class
def test_class_fits_and_roots(name):
    x = numpy.linspace(0, 4, 40)
    y = numpy.sin(x)

    def cls(xp):
        return getattr(xp.polynomial, name)

    compare(lambda xp: made(xp, name, [1, -3, 2, 1], domain=[-2, 3]).roots() + WIDER, 1e3)
    compare(lambda xp: cls(xp).fit(x, y, 5), 1e3)
    compare(lambda xp: cls(xp).fit(held(xp, x), held(xp, y), 5), 1e3)
    compare(lambda xp: cls(xp).fit(x, y, 5, domain=[]), 1e5)
    compare(lambda xp: cls(xp).fit(x, y, [0, 1, 3], domain=[0, 5], window=[-1, 2], w=x + 1), 1e4)
    compare(lambda xp: cls(xp).fit([1], [2], 0), 1e3)
    fitted, (_, rank, _, _) = cls(heddle).fit(x, y, 5, full=True)
    assert rank == 6
    assert fitted.degree() == 5


@each_class
def test_class_prints_and_pickles(name):
    for c, arguments in (
        ([1, 2, 3], {}),
        ([-1.5, 0, 1e10, -2], {"domain": [0, 1], "symbol": "z"}),
        ([1 + 2j, 3], {}),
        ([0.5] * 20, {}),
    ):
        ours, theirs = made(heddle, name, c, **arguments), made(numpy, name, c, **arguments)
        assert str(ours) == str(theirs)
        assert repr(ours) == repr(theirs)
        assert f"{ours:ascii}" == f"{theirs:ascii}"
        assert f"{ours:unicode}" == f"{theirs:unicode}"
        assert ours._repr_latex_() == theirs._repr_latex_()
        assert pickle.loads(pickle.dumps(ours)) == ours
        assert copy.deepcopy(ours) == ours
    with pytest.raises(ValueError, match="Unsupported format"):
        format(ours, "latex")


def test_print_style():
    p = heddle.polynomial.Polynomial([1, 2, 3])
    heddle.polynomial.set_default_printstyle("ascii")
    try:
        assert str(p) == "1.0 + 2.0 x + 3.0 x**2"
    finally:
        heddle.polynomial.set_default_printstyle("unicode")
    assert str(p) == "1.0 + 2.0·x + 3.0·x²"
    with pytest.raises(ValueError, match="Unsupported"):
        heddle.polynomial.set_default_printstyle("html")


def test_coefficients_that_were_given_out_are_the_series():
    p = heddle.polynomial.Polynomial([1, 2, 3])
    q = p.copy()
    p.coef[0] = 10
    assert float(p(0)) == 10
    assert float(q(0)) == 1
    r = p + 0
    p.coef[0] = 20
    assert float(r(0)) == 10
    p.domain[0] = -2
    assert float(r.domain[0]) == -1


def test_coefficients_stay_on_their_device():
    c = heddle.asarray([1.0, 2.0, 3.0])
    p = heddle.polynomial.Chebyshev(c)
    for result in (
        p.coef,
        (p * p).coef,
        p(c),
        p(0.5),
        p.deriv().coef,
        p.integ().coef,
        p.convert(kind=heddle.polynomial.Legendre).coef,
        p.roots(),
        heddle.polynomial.Chebyshev.fit(c, c, 1).coef,
        heddle.polyval(c, 2.0),
        heddle.roots(c),
    ):
        assert result.device == c.device


# --- polyutils ---


def test_polyutils():
    utils = "polyutils"

    def call(name, *arguments):
        return lambda xp: getattr(
            importlib.import_module(f"{xp.__name__}.polynomial.{utils}"), name
        )(*[held(xp, a) if isinstance(a, numpy.ndarray) else a for a in arguments])

    compare(call("as_series", [[1, 2, 0], [1.5]]))
    compare(call("as_series", [[1, 2, 0], [1.5]], False))
    compare(call("as_series", [[]]))
    compare(call("as_series", [[[1]]]))
    compare(call("as_series", [[True]]))
    compare(call("trimseq", numpy.array([1, 2, 0, 0])))
    compare(call("trimseq", numpy.array([0, 0])))
    compare(call("trimseq", [1, 0, 0]))
    compare(call("trimseq", []))
    compare(call("trimcoef", [1, 1e-3, 1e-6], 1e-4))
    compare(call("getdomain", [3, -1, 2]))
    compare(call("getdomain", numpy.array([1 + 1j, -2 - 2j, 3j])))
    compare(call("mapparms", [0, 1], [2, 5]))
    compare(call("mapdomain", [0.5, 1.5], [0, 1], [2, 5]))
    compare(call("mapdomain", numpy.array([0.5, 1.5]), numpy.array([0, 1]), numpy.array([2, 5])))
    compare(call("mapdomain", 1j, [0, 1], [2, 5]))
    assert heddle.polynomial.polyutils.format_float(heddle.asarray(1.5)) == "1.5"


# --- the older functions ---


def test_older_arithmetic():
    cases = [
        ([1, 2, 3], [4, 5]),
        ([1.5, 2, 3], [4, 5]),
        ([0, 0, 1, 2], [0, 3, 1]),
        ([1, 2], [1, 2, 3, 4]),
        ([1 + 1j, 2], [3, 1]),
        (3, 2),
    ]
    for a, b in cases:
        for name in ("polyadd", "polysub", "polymul", "polydiv"):
            compare(lambda xp: getattr(xp, name)(a, b), 16)  # noqa: B023
            if numpy.ndim(a):
                compare(
                    lambda xp: getattr(xp, name)(  # noqa: B023
                        held(xp, numpy.array(a)),  # noqa: B023
                        held(xp, numpy.array(b)),  # noqa: B023
                    ),
                    16,
                )
    for m in (0, 1, 2, 4):
        compare(lambda xp: xp.polyder([1, 2, 3, 4], m))  # noqa: B023
        compare(lambda xp: xp.polyint(held(xp, numpy.arange(4.0)), m))  # noqa: B023
    compare(lambda xp: xp.polyint([1, 2], 2, [3, 4]))
    compare(lambda xp: xp.polyint([1, 2], 2, 3))
    compare(lambda xp: xp.polyint([1, 2], 3, [3, 4]))
    compare(lambda xp: xp.polyint([1, 2], -1))
    compare(lambda xp: xp.polyder([1, 2], -1))


def test_older_values():
    x = series(40, 3, 4)
    compare(lambda xp: xp.polyval([1, 2, 3], held(xp, x)))
    compare(lambda xp: xp.polyval([1, 2, 3], held(xp, x.astype("f4"))))
    compare(lambda xp: xp.polyval(numpy.array([1, 2, 3], "f4"), held(xp, x.astype("f4"))))
    compare(lambda xp: xp.polyval([1, 2, 3], [1, 2]))
    bits = numpy.array([True, False, True])
    compare(lambda xp: xp.polyval(held(xp, bits), held(xp, bits)))
    for dtype in ("i1", "u8", "f2", "f4", "c8"):
        c = numpy.array([1, 2, 3], dtype)
        compare(lambda xp, c=c: xp.polyval(held(xp, c), xp.poly1d(held(xp, c))).coeffs)
    compare(lambda xp: xp.polyval([1, 2j], held(xp, x)))
    compare(lambda xp: xp.polyval([1, 2, 3], 5))
    compare(lambda xp: xp.polyval([], 5))
    compare(lambda xp: xp.polyval([], held(xp, numpy.array([numpy.nan, numpy.inf]))))
    compare(lambda xp: xp.polyval([], held(xp, numpy.array([True, False]))))
    compare(lambda xp: xp.polyval([1, 2], [numpy.inf, numpy.nan, -numpy.inf]))
    compare(lambda xp: xp.polyval(held(xp, numpy.arange(4.0)), held(xp, x)), 4)
    assert launches(lambda: heddle.polyval([1, 2, 3, 4], y), y := heddle.ones(100_000)) == 1


def test_older_roots_and_fits():
    for zeros in ([], [2], [1, 2, 3], [1j, -1j], [1j, 2], numpy.array([[1, 2], [3, 4.0]])):
        compare(lambda xp: xp.poly(zeros), 64)  # noqa: B023
    compare(lambda xp: xp.poly(numpy.zeros((2, 3))))
    for c in ([1, 2, 3], [0, 0, 1, 2, 3, 0, 0], [], [0, 0], [5], [1, -6, 11, -6], [1j, 2, 3]):
        compare(lambda xp: xp.sort(xp.roots(c)) + WIDER, 1e3)  # noqa: B023
    compare(lambda xp: xp.roots([[1, 2]]))
    x = numpy.linspace(-1, 2, 30)
    y = numpy.exp(x)
    w = numpy.linspace(1, 2, 30)
    both = numpy.stack([y, x], axis=1)
    compare(lambda xp: xp.polyfit(x, y, 3), 1e3)
    compare(lambda xp: xp.polyfit(held(xp, x), held(xp, y), 3, w=held(xp, w)), 1e3)
    compare(lambda xp: xp.polyfit(x, both, 2), 1e3)
    for dtype in ("f2", "f4", "c8", "i2"):  # powers of the points are at least float64
        points = x.astype(dtype)
        compare(lambda xp, points=points: xp.polyfit(held(xp, points), y, 2), 1e6)
    compare(lambda xp: xp.polyfit(x, y, 3, w=w, cov=True), 1e4)
    compare(lambda xp: xp.polyfit(x, both, 2, cov="unscaled"), 1e4)
    compare(lambda xp: xp.polyfit(x[:3], y[:3], 2, cov=True), 1e4)
    for arguments in (([1], [1], -1), ([[1]], [1], 1), ([], [], 1), ([1, 2], [1], 1)):
        compare(lambda xp: xp.polyfit(*arguments))  # noqa: B023
    ours, theirs = heddle.polyfit(x, y, 3, full=True), numpy.polyfit(x, y, 3, full=True)
    close(ours[0], theirs[0], 1e3)
    numpy.testing.assert_allclose(host(ours[1]), theirs[1], rtol=1e-8)
    assert ours[2] == theirs[2]
    assert ours[4] == theirs[4]
    with pytest.warns(numpy.exceptions.RankWarning):
        heddle.polyfit([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], 2)


def test_poly1d():
    def same(function):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, ours = function(numpy), function(heddle)
        if isinstance(theirs, numpy.poly1d):
            assert isinstance(ours, heddle.poly1d)
            assert repr(ours) == repr(theirs)
            assert str(ours) == str(theirs)
            close(ours.coeffs, theirs.coeffs, 64)
        else:
            close(ours, theirs, 64)

    def p(xp):
        return xp.poly1d([1, 2, 3])

    def q(xp):
        return xp.poly1d([0, 0, 2.0, 1.0], variable="y")

    # Beside arrays, and in ufuncs, a polynomial is the array of its coefficients, where others can
    # see its memory.
    beside = (
        lambda xp: xp.arange(3) * p(xp),
        lambda xp: held(xp, numpy.array(2.5)) - p(xp),
        lambda xp: xp.multiply(p(xp), p(xp)),
        lambda xp: xp.add(2, p(xp)),
        lambda xp: p(xp) * xp.arange(1, 4),
    )
    for function in (
        p,
        q,
        lambda xp: p(xp) + q(xp),
        lambda xp: p(xp) - 1,
        lambda xp: 1 - p(xp),
        lambda xp: p(xp) * q(xp),
        lambda xp: 2.5 * p(xp),
        lambda xp: p(xp) * [1, 2],
        lambda xp: p(xp) / 2,
        lambda xp: (p(xp) / q(xp))[0],
        lambda xp: (p(xp) / q(xp))[1],
        lambda xp: p(xp) ** 3,
        lambda xp: p(xp) ** 0,
        lambda xp: -p(xp),
        lambda xp: p(xp).deriv(),
        lambda xp: p(xp).integ(k=2),
        lambda xp: p(xp)(q(xp)),
        lambda xp: p(xp)(2),
        lambda xp: p(xp)([1, 2]),
        lambda xp: p(xp)(held(xp, numpy.arange(3.0))),
        lambda xp: p(xp).order,
        lambda xp: len(p(xp)),
        lambda xp: p(xp)[0],
        lambda xp: p(xp)[2],
        lambda xp: p(xp)[5],
        lambda xp: p(xp)[-1],
        lambda xp: [bool(p(xp) == p(xp)), bool(p(xp) != q(xp)), bool(p(xp) == 3)],
        lambda xp: xp.poly1d([1, 2], r=True),
        lambda xp: xp.poly1d([0, 0]),
        lambda xp: xp.poly1d([]),
        lambda xp: xp.poly1d([1j, 2 + 1j, -3]),
        lambda xp: xp.polyadd(p(xp), [1]),
        lambda xp: xp.polymul([1, 2], p(xp)),
        lambda xp: xp.polyder(p(xp)),
        lambda xp: list(p(xp).c),
        lambda xp: p(xp).variable,
        *(beside if not heddle.default_device().startswith("shadow") else ()),
    ):
        same(function)
    r = heddle.poly1d([1, 2, 3])
    r[1] = 7
    r[4] = 2
    assert numpy.array_equal(host(r.coeffs), [2, 0, 1, 7, 3])
    r.coeffs[0] = 5
    assert float(r[4]) == 5
    with pytest.raises(AttributeError):
        r.coeffs = [1, 2]
    with pytest.raises(ValueError, match="negative powers"):
        r[-1] = 2
    with pytest.raises(ValueError, match="1d only"):
        heddle.poly1d([[1]])
    with pytest.raises(ValueError, match="non-negative"):
        r**-1


# --- emath ---


@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16"])
def test_emath(name, dtype):
    inside, outside = numpy.array([0, 1]), numpy.array([[-2, 3], [-1, 0]])
    for values in (inside, outside, outside.T, outside[:, 0], outside[0, 0], outside[:0]):
        values = values.astype(dtype)
        compare(lambda xp: getattr(xp.emath, name)(held(xp, values)), 32)  # noqa: B023
    compare(lambda xp: getattr(xp.emath, name)(-2.0), 32)
    compare(lambda xp: getattr(xp.emath, name)([0.5, 0.25]), 32)
    compare(lambda xp: getattr(xp.emath, name)([0.5, numpy.nan]), 32)


def test_emath_of_two_arguments():
    for x in ([2, 4], [-2, 4], 2, -2.5, [[-1.5], [2.0]]):
        for p in (2, -2, [2, -1], 0.5, [0.5, 1j]):
            compare(lambda xp: xp.emath.power(x, p), 32)  # noqa: B023
    compare(lambda xp: xp.emath.logn(2, [4, -8, 16]), 32)
    compare(lambda xp: xp.emath.logn(-2, 4.0), 32)
    assert set(numpy.emath.__all__) == set(heddle.emath.__all__)
