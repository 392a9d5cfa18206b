"""Printing is NumPy's."""

import numpy
import pytest
from support import DTYPES, edge_values, name, random_values

import heddle

CASES = [
    numpy.arange(10),
    numpy.arange(12.0).reshape(3, 4) / 7,
    numpy.arange(5000).reshape(50, 100),
    numpy.zeros((0, 3)),
    numpy.array(1.5),
    numpy.array(True),
    numpy.array(1 + 2j),
    numpy.ones((2, 2, 2), "f4"),
    numpy.array([1e-10, 1e10]),
    numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0]),
    numpy.array([], "i1"),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_cases(number):
    a = CASES[number]
    x = heddle.asarray(a)
    assert repr(x) == repr(a)
    assert str(x) == str(a)
    assert f"{x}" == f"{a}"
    assert heddle.array_repr(x) == numpy.array_repr(a)
    assert heddle.array_str(x) == numpy.array_str(a)
    assert heddle.array2string(x, precision=2) == numpy.array2string(a, precision=2)


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_dtypes(dtype):
    for a in (edge_values(dtype), random_values(dtype, (3, 4)), random_values(dtype, ())):
        assert repr(heddle.asarray(a)) == repr(a)
        assert str(heddle.asarray(a)) == str(a)


def test_views():
    a = numpy.arange(12.0).reshape(3, 4)
    x = heddle.asarray(a)
    assert repr(x.T[::2, ::-1]) == repr(a.T[::2, ::-1])
    assert repr(heddle.sin(x)[1:]) == repr(numpy.sin(a)[1:])
    b = numpy.broadcast_to(a[0], (2, 4))
    assert repr(heddle.broadcast_to(x[0], (2, 4))) == repr(b)


def test_options():
    a = numpy.arange(2000.0) / 3
    with heddle.printoptions(precision=2, threshold=50):
        assert repr(heddle.asarray(a)) == repr(a)
    heddle.set_printoptions(linewidth=40)
    try:
        assert str(heddle.asarray(a[:20])) == str(a[:20])
        assert heddle.get_printoptions()["linewidth"] == 40
    finally:
        heddle.set_printoptions(linewidth=75)


def test_formats():
    x = heddle.arange(3.0)
    assert f"{x[1]:.3f}" == "1.000"
    assert f"{x.sum():8.2e}" == "3.00e+00"
    assert f"{heddle.arange(3)[2]:>4}" == "   2"
    with pytest.raises(TypeError):
        format(x, ".2f")


def test_printing_leaves_the_array_lazy_and_private():
    x = heddle.ones(2000)
    repr(x)
    y = x + 1
    assert y.pending
