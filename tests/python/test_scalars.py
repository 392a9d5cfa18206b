"""Where NumPy gives scalars: elements that the host sees are such, others are numbers of ours."""

import collections
import copy
import datetime
import decimal
import fractions
import json
import math
import numbers
import operator
import pickle
import sqlite3
import statistics
import warnings
from collections import abc

import numpy
import pytest
from compare import check
from support import DTYPES, assert_exact, assert_ulp, bfloat16, name

import heddle
from heddle import _core

KINDS = (
    *(numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral),
    *(abc.Sized, abc.Iterable, abc.Collection, abc.Sequence, abc.Hashable),
)


def pair(dtype):
    """The same scalar of NumPy's, and a result of ours."""
    a = numpy.array([0, 1, 0]).astype(dtype)
    return a.max(), heddle.asarray(a).max()


# --- elements that the host sees ---

here = [
    pytest.mark.host_memory,
    pytest.mark.unrecorded("whoever records hears of elements before they are known"),
]


def outcome(function, *args):
    """A result and no error, or no result and an error."""
    try:
        return function(*args), None
    except TypeError as error:
        return None, error


def in_host_memory(function):
    for mark in here:
        function = mark(function)
    return function


@in_host_memory
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != bfloat16], ids=name)
def test_elements_are_numpys_scalars(dtype):
    a = numpy.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    x = heddle.asarray(a).eval()
    n = numpy.int32(1)
    for ours, theirs in (
        (x[0, 1], a[0, 1]),
        (x[-1, -1], a[-1, -1]),
        (x[0][2], a[0][2]),
        (x[n, n], a[n, n]),
        (x[(1, n)], a[(1, n)]),
        (x.ravel()[n], a.ravel()[n]),
        (x.T[2, 0], a.T[2, 0]),
        (x.flat[4], a.flat[4]),
        (next(iter(x[1])), a[1, 0]),
        (list(x[1])[2], a[1, 2]),
        (heddle.full(3, 1, dtype)[1], a[0, 1]),
    ):
        assert type(ours) is type(theirs)
        assert ours == theirs and ours.dtype == theirs.dtype


@in_host_memory
def test_elements_of_little_work_are_numpys_scalars():
    a = numpy.linspace(0, 1, 30)
    x = heddle.linspace(0, 1, 30)
    y = heddle.zeros(30)
    y[3:] = heddle.sin(x[3:])
    y[y > 0.5] -= 0.25
    z = numpy.zeros(30)
    z[3:] = numpy.sin(a[3:])
    z[z > 0.5] -= 0.25
    for ours, theirs in (
        (((2 * x + 1) % 0.7)[4], ((2 * a + 1) % 0.7)[4]),
        (y[20], z[20]),
        (x[heddle.argsort(-x)][2], a[numpy.argsort(-a)][2]),
        ((x.reshape(3, 10).sum(axis=1) / 3)[1], (a.reshape(3, 10).sum(axis=1) / 3)[1]),
    ):
        assert type(ours) is type(theirs)
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-15)
    assert type((heddle.ones(10**5) * 2)[3]) is not numpy.float64  # much work waits


NUMBERS = [2, 2.5, True, 1 + 2j, numpy.float32(0.5), numpy.int16(3), numpy.float64(0.25)]


@pytest.mark.unrecorded("what is made of numbers is a node while somebody records")
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_functions_of_numbers_give_numpys_scalars(number):
    for function in ("sqrt", "exp", "absolute", "negative", "isfinite", "square"):
        if function == "negative" and number is True:
            continue
        ours, theirs = (getattr(np, function)(number) for np in (heddle, numpy))
        assert type(ours) is type(theirs)
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-6 if theirs.itemsize < 8 else 1e-15)
    for function in ("add", "multiply", "equal", "logical_and"):
        ours, theirs = (getattr(np, function)(number, 3) for np in (heddle, numpy))
        assert type(ours) is type(theirs) and ours == theirs
    # Arrays of no dimensions, and where the result goes, are arrays of ours as ever.
    assert isinstance(heddle.sqrt(heddle.asarray(number)), _core.own_array)
    out = heddle.empty((), complex)
    assert heddle.add(number, 1, out) is out and out == number + 1


@in_host_memory
def test_products_of_lists_are_numpys_scalars():
    for product in ("dot", "inner", "vdot"):
        for a, b in (([1, 2], [3, 4]), ((0.5, 2.0), [3, 4.5])):
            ours, theirs = (getattr(np, product)(a, b) for np in (heddle, numpy))
            assert type(ours) is type(theirs) and ours == theirs
    assert heddle.dot([[1, 2], [3, 4]], [1, 1]).tolist() == [3, 7]
    with pytest.raises(ValueError, match="not aligned"):
        heddle.dot([1, 2], [1, 2, 3])


@in_host_memory
def test_functions_of_numpys_arrays_of_no_dimensions():
    z, n = numpy.array(0.25), numpy.array(3, numpy.int8)
    for function in ("sin", "modf", "isnan"):
        ours, theirs = (getattr(np, function)(z) for np in (heddle, numpy))
        assert type(ours) is type(theirs) and ours == theirs
    assert heddle.add(n, heddle.arange(2, dtype="i1")).dtype == "i1"
    assert type(heddle.arctan2(z, n)) is numpy.float64


@pytest.mark.parametrize("device", ["cpu", "shadow:0"])
def test_numbers_stay_on_the_device_of_their_array(device):
    """Also where that is not the default: few elements are no exception."""
    x = heddle.asarray(numpy.arange(12.0), device=device)
    for number in (x.sum(), x.max(), x.argmin(), heddle.dot(x * 2, x), x @ x, heddle.std(x)):
        if isinstance(number, _core.own_array):
            assert number.device == (number * 2).device == (number + x).device == device
            assert float(number) == float(number.get())
    made = heddle.linalg.norm(x - 1)
    assert made.device == device and (x / made).device == device
    numpy.testing.assert_allclose(float(made), numpy.linalg.norm(numpy.arange(12.0) - 1))


def test_parts_of_numbers_are_numpys_scalars():
    for ours, theirs in zip(heddle.modf(-2.75), numpy.modf(-2.75), strict=True):
        assert ours == theirs


@in_host_memory
def test_lists_of_results():
    x = heddle.arange(5.0)
    total, most = x.sum(), (x * 2).max()
    made = heddle.array([total, most, 1, x[2]])
    assert made.dtype == float and made.tolist() == [10, 8, 1, 2]
    nested = heddle.array([[total, 1], [2, most]])
    assert nested.tolist() == [[10, 1], [2, 8]]
    assert heddle.array([x.argmax(), 3]).dtype == int
    assert heddle.min([20.0, total]) == 10
    far = heddle.ones(10**6).sum()  # stays what it is until somebody looks
    assert heddle.array([far, 2.0]).tolist() == [10**6, 2]


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_lists_of_functions_of_results(dtype):
    """Numbers that are computed of a result somebody has looked at have no memory."""
    if dtype in (bool, bfloat16):
        pytest.skip("promoted, or not at all, beside Python's numbers")
    x = numpy.ones(3000).astype(dtype)  # too many to be added at once
    for lists in (lambda q: [q, 1], lambda q: [[q], [2]], lambda q: [q + q, 2, q], lambda q: (q,)):
        ours, theirs = heddle.asarray(x).max(), x.max()
        pending = heddle.array(lists(ours))
        assert float(ours.real) == 1
        for known in (ours, ours * 1, +ours):
            looked = heddle.array(lists(known))
            assert looked.tolist() == pending.tolist() == numpy.array(lists(theirs)).tolist()
            assert looked.dtype == pending.dtype


@in_host_memory
def test_what_looks_closely_at_elements():
    x, i = heddle.asarray([1.5, 2.5]).eval(), heddle.asarray([3, 4]).eval()
    assert json.dumps([x[0], *x]) == "[1.5, 1.5, 2.5]"
    assert datetime.timedelta(seconds=x[0]).total_seconds() == 1.5
    assert decimal.Decimal(x[0]) == decimal.Decimal("1.5")
    assert isinstance(x[0], float) and isinstance(i[0], numpy.integer)
    assert [10, 20, 30, 40][i[0]] == 40
    database = sqlite3.connect(":memory:")
    assert database.execute("select typeof(?), ?", (x[0], x[0])).fetchone() == ("real", 1.5)
    database.close()


@in_host_memory
@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_elements_beside_arrays(dtype):
    if dtype == bfloat16:
        pytest.skip("NumPy's scalars of bfloat16 do not ask arrays")
    a = numpy.array([1, 1, 1]).astype(dtype)
    for other in (numpy.array([0, 1, 1]).astype(t) for t in ("?", "u1", "i8", "f4", "c16")):
        x, y = heddle.asarray(a).eval(), heddle.asarray(other)
        for name_of in ("multiply", "add", "maximum", "equal", "less", "arctan2", "bitwise_and"):
            theirs, error = outcome(getattr(numpy, name_of), a[0], other)
            for module in (heddle, numpy):  # also by NumPy's function, which asks the array
                ours, own = outcome(getattr(module, name_of), x[0], y)
                assert (own is None) == (error is None)
                if error is None:
                    assert isinstance(ours, _core.own_array)
                    if theirs.dtype.kind in "fc":
                        assert_ulp(ours, theirs, theirs.dtype, 1)
                    else:
                        assert_exact(ours, theirs)
        product = x[0] * y
        assert isinstance(product, _core.own_array)
        assert_exact(product, a[0] * other)
        assert_exact(y * x[0], other * a[0])
        x[0] += x[1]
        assert_exact(x, numpy.array([a[0] + a[1], a[1], a[2]]).astype(dtype))


@in_host_memory
@pytest.mark.parametrize("dtype", DTYPES, ids=name)
@pytest.mark.parametrize("to", ["?", "u1", "i1", "i8", "f2", "f8", "c8"])
def test_elements_are_written(dtype, to):
    if dtype == bfloat16:
        pytest.skip("NumPy casts no bfloat16 by itself")
    for values in ([1, 2, 3], [0, 200, 100]):
        a = numpy.array(values).astype(dtype)

        def use(np, a=a):
            x = np.asarray(a)
            y = np.zeros((2, 3), to)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y[0, 1] = x[1]
                y[1, :] = x[2]
                y[0, [0, 2]] = x[0]
                y[y > 100] = x[0]
            return y

        check(use)


# --- results ---


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_isinstance(dtype):
    theirs, ours = pair(dtype)
    for kind in KINDS:
        if dtype != bfloat16 or kind in KINDS[5:]:
            assert isinstance(ours, kind) == isinstance(theirs, kind), kind
    assert isinstance(ours, _core.own_array) and heddle.isscalar(ours)
    # They are none of NumPy's or Python's, and do not say so.
    assert not isinstance(ours, numpy.generic | int | float | complex)
    assert ours.__class__ is type(ours)


@pytest.mark.parametrize(
    "make", [lambda x: x.sum(), lambda x: x.max() * 2, lambda x: x @ x, lambda x: heddle.sin(2.0)]
)
def test_results_of_operations(make):
    result = make(heddle.arange(3.0))
    assert isinstance(result, numbers.Real) and not isinstance(result, numbers.Integral)
    assert numpy.isscalar(result)


def test_results_in_databases():
    x = heddle.arange(4.0)
    database = sqlite3.connect(":memory:")
    for result in (x.sum(), heddle.arange(4).sum(), (x > 1).any()):
        stored = database.execute("select ?", (result,)).fetchone()[0]
        assert stored == result.item() and type(stored) in (int, float)
    database.close()


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_results_can_be_written_to(dtype):
    x = heddle.asarray([1, 0]).astype(dtype)
    result = x.max()
    other = result
    again = x.max()
    result[()] = 0
    assert result == 0 and other is result and again == 1 and x.max() == 1
    result[...] = True
    assert result == 1 and result.dtype == dtype
    result[()] = x.min()
    assert result == 0
    with pytest.raises(IndexError):
        result[0] = 1
    # NumPy takes the truth of a list for bool, and has other errors for integers and complex
    # numbers.
    if str(dtype) not in ("bool", "bfloat16"):
        with pytest.raises((ValueError, TypeError)) as expected:
            numpy.zeros((), dtype)[()] = [1, 0]
        with pytest.raises(expected.type):
            result[()] = [1, 0]
    assert type(result) is type(again)


@pytest.mark.parametrize(
    "make", [lambda x: x, lambda x: x[1:2], lambda x: x.sum()[...], lambda x: heddle.array(1.0)]
)
def test_arrays_are_no_scalars(make):
    x = make(heddle.arange(3.0))
    assert not isinstance(x, numbers.Number | numpy.generic)
    assert isinstance(x, abc.Sized) and hasattr(x, "__len__") and hasattr(x, "__iter__")
    assert x.__class__ is heddle.ndarray


def test_scalars_have_no_length():
    x = heddle.arange(3.0).sum()
    assert not hasattr(x, "__len__") and not hasattr(x, "__iter__")
    assert not numpy.iterable(x) and not heddle.iterable(x)
    for function in (len, iter, list, lambda s: 1 in s):
        with pytest.raises(TypeError):
            function(x)
    assert x.base is None  # None is hidden in those names alone


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != bfloat16], ids=name)
def test_repr_and_str(dtype):
    theirs, ours = pair(dtype)
    assert (repr(ours), str(ours), f"{ours}") == (repr(theirs), str(theirs), f"{theirs}")
    assert repr([ours]) == repr([theirs])
    with numpy.printoptions(precision=2):
        assert repr(heddle.asarray([1 / 3]).sum()) == repr(numpy.array([1 / 3]).sum())
    assert repr(heddle.array(1.0)) == repr(numpy.array(1.0))


@pytest.mark.parametrize("np", [numpy, heddle])
def test_lists_are_repeated(np):
    n = np.arange(3).max()
    assert [1, 2] * n == [1, 2, 1, 2]
    assert n * (1, 2) == (1, 2, 1, 2)
    assert "ab" * n == "abab"
    counts = [0]
    counts *= n
    assert counts == [0, 0]
    assert [[]] * np.arange(3, dtype=np.uint8).max() == [[], []]
    for wrong in (np.arange(3.0).max(), (np.arange(3) > 1).any()):
        with pytest.raises(TypeError):
            [1, 2] * wrong
    # Arrays of one element or none multiply.
    for factor in (np.array(2), np.array([2]), np.arange(3).max()[...]):
        assert np.array_equal([1, 2] * factor, [2, 4])
    assert np.array_equal(n * np.arange(3), [0, 2, 4])


@pytest.mark.parametrize("np", [numpy, heddle])
def test_attributes_of_numbers(np):
    i, x = np.arange(6).max(), np.arange(6.0).max() / 2
    assert (i.numerator, i.denominator, i.bit_count()) == (5, 1, 2)
    assert (x.as_integer_ratio(), x.is_integer(), x.hex()) == ((5, 2), False, (2.5).hex())
    assert i.is_integer()
    for array in (np.arange(3), np.array(1)):
        assert not hasattr(array, "numerator") and not hasattr(array, "is_integer")


@pytest.mark.parametrize("np", [numpy, heddle])
def test_standard_library(np):
    x = np.arange(5.0)
    assert fractions.Fraction((x.max() / 8).item()) == fractions.Fraction(1, 2)
    assert fractions.Fraction(np.arange(3).max()) == 2
    assert statistics.mean(x) == 2 and statistics.median(x) == 2
    assert math.isclose(statistics.stdev(x), x.std(ddof=1))
    assert collections.Counter(np.array([1, 1, 2])) == {1: 2, 2: 1}
    assert x[1] == pytest.approx(1) and pytest.approx(x[1]) == 1 and x[1] == pytest.approx(x[1])
    assert x == pytest.approx([0, 1, 2, 3, 4])
    for kind in (type(x[1]), type(x.max())):
        number = kind(3)
        assert isinstance(number, numbers.Number) and number == 3


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_copies_are_scalars(dtype):
    theirs, ours = pair(dtype)
    for made in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert type(made) is type(ours)
        assert_exact(made, theirs)


@pytest.mark.parametrize("kind", [float, int])
def test_real_parts_of_complex_results(kind):
    """As of NumPy's scalars, with its warning; arrays are refused."""
    x = heddle.array([3 + 2j, 1])
    for number in (x.sum(), (x * 2)[0], x[0]):
        with pytest.warns(numpy.exceptions.ComplexWarning):
            assert kind(number) == number.real
    for array in (heddle.array(1 + 2j), x):
        with pytest.raises(TypeError):
            kind(array)


@in_host_memory
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex128"])
def test_products_of_short_vectors(dtype):
    """Of memory that the host sees they are NumPy's, as elements are; all others wait."""
    host = numpy.arange(12, dtype=dtype)
    a, long = heddle.array(host), heddle.ones(20000, dtype=dtype)
    heddle.eval(a, long)
    want = host[1:] @ host[:0:-1]
    for product in (heddle.dot, heddle.inner, operator.matmul, heddle.ndarray.dot):
        got = product(a[1:], a[:0:-1])
        assert type(got) is type(want) and got == want
    # Names of the array API standard give arrays, whose namespace programs may ask for.
    for product in (heddle.matmul, heddle.vecdot, heddle.linalg.matmul, heddle.linalg.vecdot):
        got = product(a[1:], a[:0:-1])
        assert isinstance(got, _core.own_array) and got == want
    assert not isinstance(long @ long, numpy.generic)
    doubled = a * 2
    for near, wanted in (
        (doubled @ a, 2 * host @ host),
        (a @ doubled, host @ (2 * host)),
        ((a + 1) @ a, (host + 1) @ host),
    ):  # a statement or two away
        assert type(near) is type(wanted) and near == wanted
    tripled = long * 3
    assert not isinstance(tripled @ long, numpy.generic) and tripled.pending


KNOTS = [
    [0.5, 1.0, 2.5, 4.0],
    [1.0],
    [0.0, 1.0, 1.0, 2.0],
    [-numpy.inf, 0.0, 1.0, numpy.inf],
    numpy.linspace(0, 3, 200),
]


@pytest.mark.unrecorded("whoever records hears of numbers before they are known")
@pytest.mark.parametrize("knots", KNOTS, ids=len)
@pytest.mark.parametrize("ends", [{}, {"left": -1.0}, {"right": 7, "left": numpy.nan}], ids=str)
def test_interpolation_at_numbers(knots, ends):
    knots = numpy.asarray(knots)
    infinite = numpy.where(knots == 1, numpy.inf, 2.0)
    for values in (numpy.cbrt(knots), infinite, numpy.arange(knots.size, dtype="i4")):
        ours, theirs = (heddle.asarray(knots), heddle.asarray(values)), (knots, values)
        for x in (
            *knots[:: 1 + knots.size // 9],
            -2.0,
            0.3,
            1.7,
            9.0,
            numpy.nan,
            numpy.inf,
            2,
            numpy.float32(1.1),
            True,
        ):
            with numpy.errstate(all="ignore"):
                wanted = numpy.interp(x, *theirs, **ends)
            made = heddle.interp(x, *ours, **ends)
            numpy.testing.assert_array_equal(heddle.asnumpy(made), wanted)
            if heddle.default_device() == "cpu":
                assert type(made) is numpy.float64  # known at once
            # One of many is computed by a kernel, and is the same to the last bit.
            many = heddle.interp(heddle.asarray(numpy.full(3, x)), *ours, **ends)
            numpy.testing.assert_array_equal(heddle.asnumpy(many), heddle.asnumpy(made))
    table = heddle.linspace(0, 1, 30)
    at = heddle.asarray([0.25, 2.0])
    made = [float(heddle.interp(at[i], table, heddle.sqrt(table))) for i in range(2)]
    x = numpy.linspace(0, 1, 30)
    numpy.testing.assert_allclose(made, numpy.interp([0.25, 2], x, numpy.sqrt(x)), rtol=1e-15)
