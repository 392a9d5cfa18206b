"""Series of fractions and decimals, which are NumPy's: exact, by Python's own arithmetic."""

import decimal
import operator
from fractions import Fraction

import numpy
import pytest

import heddle

FAMILIES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE")
THIRDS = [Fraction(1), Fraction(2, 3), Fraction(3)]
CALLS = {
    "add": (THIRDS, [1, 2]),
    "sub": (THIRDS, THIRDS),
    "mul": (THIRDS, THIRDS),
    "mulx": (THIRDS,),
    "div": (THIRDS, [Fraction(1), Fraction(1)]),
    "pow": (THIRDS, 2),
    "val": (Fraction(1, 2), THIRDS),
    "der": (THIRDS,),
    "int": (THIRDS,),
    "line": (Fraction(1), Fraction(2)),
    "fromroots": (THIRDS,),
    "trim": ([Fraction(1), Fraction(0)],),
}


def summary(made):
    if isinstance(made, tuple):
        return [summary(part) for part in made]
    if hasattr(made, "coef"):
        return type(made), summary(made.coef), summary(made.domain)
    return numpy.asarray(made).tolist()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("family", FAMILIES)
def test_functions(family, name):
    found = []
    for np in (numpy, heddle):
        function = getattr(getattr(np.polynomial, family), FAMILIES[family] + name)
        found.append(summary(function(*CALLS[name])))
    assert found[1] == found[0]


@pytest.mark.parametrize("name", CLASSES)
def test_series_of_fractions_are_numpys(name):
    ours, theirs = (getattr(np.polynomial, name)(THIRDS) for np in (heddle, numpy))
    assert type(ours) is type(theirs)
    assert summary(ours) == summary(theirs)
    assert ours(Fraction(1, 2)) == theirs(Fraction(1, 2))


@pytest.mark.host_memory
@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod", "divmod"])
@pytest.mark.parametrize("swapped", [False, True])
def test_series_of_numbers_beside_fractions(name, swapped):
    apply = divmod if name == "divmod" else getattr(operator, name)
    found = []
    for np in (numpy, heddle):
        operands = np.polynomial.Chebyshev([1, 2]), Fraction(1, 2)
        found.append(summary(apply(*(operands[::-1] if swapped else operands))))
    assert found[1] == found[0]


def test_old_polynomials_of_decimals():
    p, q = (np.poly1d([decimal.Decimal(4), decimal.Decimal(3)]) for np in (heddle, numpy))
    assert type(p) is type(q)
    assert (p * p).coeffs.tolist() == (q * q).coeffs.tolist()


def test_classes_of_users_do_not_become_numpys():
    class Own(heddle.polynomial.Polynomial):
        pass

    assert type(Own([1, 2])) is Own
    with pytest.raises(TypeError, match="not supported"):
        Own(THIRDS)


def test_text_is_refused_as_by_numpy():
    for np in (numpy, heddle):
        with pytest.raises(ValueError):
            np.polynomial.polyutils.as_series([[1], ["a"]])
        with pytest.raises(TypeError):
            np.polynomial.Polynomial([1, 2]) + "a"


def test_degrees_are_whole_numbers():
    for np in (numpy, heddle):
        p = np.polynomial.Polynomial([1, 2, 3])
        assert p.cutdeg(1.0).coef.tolist() == [1, 2]
        with pytest.raises(ValueError):
            p.cutdeg(0.5)
