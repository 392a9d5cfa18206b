"""The older polynomial functions and heddle.emath, against NumPy."""

import warnings

import numpy
import pytest
from polynomial_support import WIDER, close, compare, held, series
from support import host, launches

import heddle


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


def test_degrees_beyond_memory():
    x = heddle.arange(10.0)
    for size in (10, 1000):
        x = heddle.arange(float(size))
        with pytest.raises(MemoryError):
            heddle.polyfit(x, x, 2**40)
