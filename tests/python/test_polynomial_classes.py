"""The classes of heddle.polynomial, and polyutils, against NumPy."""

import copy
import importlib
import pickle

import numpy
import pytest
from polynomial_support import WIDER, compare, each_class, held, series

import heddle


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
