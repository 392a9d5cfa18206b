"""Ufuncs with out, where, dtype, casting and signature; and their methods."""

import inspect
import operator
import pickle
import warnings

import numpy
import pytest
from compare import check
from support import assert_exact, random_values, same_error

import heddle


@pytest.mark.host_memory
def test_out_is_returned_and_written():
    a, b = random_values("f8", (3, 4)), random_values("f8", (3, 4), 1)
    x, y = heddle.asarray(a), heddle.asarray(b)
    out = heddle.zeros((3, 4))
    assert heddle.add(x, y, out=out) is out
    assert_exact(out, a + b)
    assert heddle.multiply(x, y, out) is out
    assert_exact(out, a * b)
    assert heddle.add(x, y, out=(out,)) is out
    wide = heddle.zeros((2, 3, 4))
    heddle.add(x, y, out=wide)
    assert_exact(wide, numpy.broadcast_to(a + b, (2, 3, 4)))
    target = numpy.zeros((3, 4))
    assert heddle.add(x, y, out=target) is target
    assert_exact(target, a + b)
    integers = heddle.zeros((3, 4), int)
    assert heddle.add(x, y, out=integers, casting="unsafe") is integers
    assert_exact(integers, (a + b).astype(int))


def test_out_may_overlap_the_operands():
    a, x = numpy.arange(10.0), heddle.arange(10.0)
    numpy.add(a[:-1], a[1:], out=a[1:])
    heddle.add(x[:-1], x[1:], out=x[1:])
    assert_exact(x, a)


PLACES = {
    "by position": lambda np, a, b, c, w: np.subtract(a, b, c),
    "one operand": lambda np, a, b, c, w: np.negative(a, c),
    "a mask": lambda np, a, b, c, w: np.divide(a, b, out=c, where=w),
    "a mask, by position": lambda np, a, b, c, w: np.divide(a, b, c, where=w),
    "a mask that is broadcast": lambda np, a, b, c, w: np.add(a, b, out=c, where=w[0]),
    "an operand": lambda np, a, b, c, w: np.multiply(c, b, c, where=w),
    "a view": lambda np, a, b, c, w: np.fmax(a[:, ::-1], b, c[:, ::-1]),
    "a product": lambda np, a, b, c, w: np.matmul(a, b, c),
    "a product of what it overwrites": lambda np, a, b, c, w: np.matmul(c, c, out=c),
    "limits": lambda np, a, b, c, w: np.clip(a, -1, b, out=c),
    "limits of what is overwritten": lambda np, a, b, c, w: np.clip(c, -1, 0.5, c),
}


@pytest.mark.parametrize("dtypes", ["ddd", "dfd", "ffd", "lld", "dbd", "ldl", "ddf"])
@pytest.mark.parametrize("place", PLACES)
def test_places_for_results(place, dtypes):
    generator = numpy.random.default_rng(1)
    given = [generator.integers(-5, 5, (4, 4)).astype(dtype) for dtype in dtypes]
    where = generator.random((4, 4)) < 0.5
    ours = [heddle.asarray(a) for a in given]

    def run(np, a, b, c, w):
        try:
            returned = PLACES[place](np, a, b, c, w)
        except TypeError:
            return "refused"
        return returned is c or place == "a view"

    with numpy.errstate(all="ignore"):
        assert run(heddle, *ours, heddle.asarray(where)) == run(numpy, *given, where)
    numpy.testing.assert_array_equal(heddle.asnumpy(ours[2]), given[2])


def test_two_outputs():
    a = random_values("f8", 6)
    x, first, second = heddle.asarray(a), heddle.zeros(6), heddle.zeros(6)
    made = heddle.modf(x, out=(first, second))
    assert made[0] is first and made[1] is second
    assert_exact(second, numpy.modf(a)[1])
    made = heddle.modf(x, first)
    assert made[0] is first and made[1] is not second
    made = heddle.divmod(x, 2, out=(None, second))
    assert made[1] is second
    assert_exact(made[0], a // 2)
    mantissa, exponent = heddle.frexp(x)
    assert exponent.dtype == numpy.int32
    assert_exact(mantissa, numpy.frexp(a)[0])


def test_where():
    a, mask = random_values("f8", (3, 4), low=1), random_values("?", (3, 4))
    out, expected = heddle.full((3, 4), 7.0), numpy.full((3, 4), 7.0)
    x = heddle.asarray(a)
    assert heddle.sqrt(x, out=out, where=heddle.asarray(mask)) is out
    assert_exact(out, numpy.sqrt(a, out=expected, where=mask))
    heddle.negative(x, out=out, where=mask[0])
    assert_exact(out, numpy.negative(a, out=expected, where=mask[0]))
    made = heddle.sqrt(x, where=heddle.asarray(mask)).get()
    numpy.testing.assert_array_equal(made[mask], numpy.sqrt(a)[mask])
    heddle.add(x, 1, out=out, where=False)
    assert_exact(out, expected)
    tall = heddle.add(x[0], 1, where=heddle.ones((3, 1), bool))
    assert tall.shape == (3, 4)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i8"])
def test_dtype(dtype):
    a = random_values("i4", 5, low=1)
    x = heddle.asarray(a)
    for function in ("add", "multiply", "power", "maximum"):
        expected = getattr(numpy, function)(a, 2, dtype=dtype)
        assert_exact(getattr(heddle, function)(x, 2, dtype=dtype), expected)
    if dtype != "i8":
        numpy.testing.assert_allclose(
            heddle.sqrt(x, dtype=dtype).get(), numpy.sqrt(a, dtype=dtype), rtol=1e-6
        )
    assert heddle.equal(x, x, dtype=bool).dtype == bool


def test_signature():
    a = random_values("f8", 5)
    x = heddle.asarray(a)
    assert_exact(heddle.add(x, x, signature="ff->f"), numpy.add(a, a, signature="ff->f"))
    assert_exact(heddle.add(x, 1, sig=(None, None, "f")), numpy.add(a, 1, sig=(None, None, "f")))
    assert heddle.equal(x, x, signature="dd->?").dtype == bool


def test_order():
    x = heddle.ones((3, 4))
    assert heddle.add(x, 1, order="F").flags.f_contiguous
    assert heddle.add(x.T, 1).flags.f_contiguous
    assert heddle.add(x.T, 1, order="C").flags.c_contiguous


ERRORS = [
    lambda m: m.add(m.ones(3), m.ones(4)),
    lambda m: m.add(m.ones(3), m.ones(3), out=m.ones(4)),
    lambda m: m.add(m.ones((2, 3)), 1, out=m.ones(3)),
    lambda m: m.add(m.ones(3), m.ones(3), out=[1]),
    lambda m: m.add(m.ones(3), 1, out=(m.ones(3), m.ones(3))),
    lambda m: m.modf(m.ones(3), out=m.ones(3)),
    lambda m: m.add(m.ones(3), 1, foo=1),
    lambda m: m.add(m.ones(3), 1, m.ones(3), out=m.ones(3)),
    lambda m: m.add(m.ones(3)),
    lambda m: m.add(1, 2, m.ones(()), 4),
    lambda m: m.add(m.ones(3), 1, where=m.asarray([1, 2, 3]), out=None),
    lambda m: m.add(m.ones(3), 1, casting="foo"),
    lambda m: m.add(m.ones(3), 1, order="Z"),
    lambda m: m.add(m.ones(3), 1, dtype=int),
    lambda m: m.add(m.ones(3), 1.5, out=m.ones(3, int)),
    lambda m: m.equal(m.ones(3), 1, dtype=int),
    lambda m: m.add(m.ones(3), 1, sig="dd->d", dtype=float),
    lambda m: m.add(m.ones(3), 1, sig="d"),
    lambda m: m.add(m.ones(3), m.ones(3), sig="fF->F"),
    lambda m: m.add(m.ones(3), m.ones(3, "i4"), casting="no"),
    lambda m: m.bitwise_and(m.ones(3), 1),
    lambda m: m.subtract(m.ones(3, bool), m.ones(3, bool)),
    lambda m: m.negative(m.ones(3, bool)),
    lambda m: m.sin.reduce(m.ones(3)),
    lambda m: m.divmod.reduce(m.ones(3)),
    lambda m: m.subtract.reduce(m.ones((3, 3)), axis=None),
    lambda m: m.maximum.reduce(m.ones(3), where=m.ones(3, bool)),
    lambda m: m.maximum.reduce(m.ones((0, 3))),
    lambda m: m.add.reduce(m.ones(0), initial=None),
    lambda m: m.equal.reduce(m.ones(3)),
    lambda m: m.sin.accumulate(m.ones(3)),
    lambda m: m.add.accumulate(m.ones(())),
    lambda m: m.add.accumulate(m.ones((3, 3)), axis=None),
    lambda m: m.add.accumulate(m.ones((3, 3)), axis=2),
    lambda m: m.add.reduceat(m.ones(3), [0, 3]),
    lambda m: m.sin.outer(m.ones(3), m.ones(3)),
    lambda m: m.add.at(m.ones(3), [0]),
    lambda m: m.sin.at(m.ones(3), [0], 1),
    lambda m: m.add.at(m.ones(3), [3], 1),
    lambda m: m.add.at([1, 2], [0], 1),
    lambda m: m.add.at(m.ones(3), [0, 1], m.ones((1, 2))),
    lambda m: m.add.at(m.ones((2, 3)), ([0, 1], [1, 2]), m.ones((1, 2))),
    lambda m: m.add.at(m.ones((2, 3)), 0, m.ones((1, 3))),
    lambda m: operator.setitem(m.ones(3).imag, 0, 1),
    lambda m: m.logical_and.reduce(m.ones(3), dtype="i8"),
    lambda m: m.logical_or.accumulate(m.ones(3), dtype="f4"),
    lambda m: m.logical_xor.reduceat(m.ones(3), [0], dtype="i4"),
    lambda m: m.equal.reduce(m.ones(3, bool), dtype="f8"),
    lambda m: m.bitwise_or.reduce(m.ones(3, int), out=m.ones(())),
    lambda m: m.left_shift.accumulate(m.ones(3, int), out=m.ones(3, "f4")),
    lambda m: m.gcd.reduceat(m.ones(3, int), [0], out=m.ones(1, complex)),
    lambda m: m.bitwise_and.reduce(m.ones(3, "i8"), out=m.ones((), "u8")),
    lambda m: m.left_shift.reduce(m.ones(3, int), dtype="?"),
    lambda m: m.divide.reduce(m.ones(3, int), axis=(), dtype="u1"),
    lambda m: m.negative(m.ones(3), out=m.ones(3).max()),
    lambda m: m.negative(m.ones(3).max(), out=m.ones(3).max()),
    lambda m: m.add(m.ones(3).max(), 1.0, m.ones(3).max()),
    lambda m: m.sum(m.ones(3), out=m.ones(3).max()),
    lambda m: m.copyto(m.ones(3).max(), 1),
    lambda m: m.bitwise_or(m.complex128(2), m.ones(3, int), dtype="i4"),
    lambda m: m.add(m.float64(2), m.ones(3, int), dtype="i4"),
    lambda m: m.add(m.ones(3, "u8"), True, casting="equiv"),
    lambda m: m.ones((2, 3)).std(axis=0, dtype="u2"),
    lambda m: m.round(m.ones(3, bool), 1),
    lambda m: m.average(m.ones((0, 3)), weights=m.ones((0, 3))),
    lambda m: operator.setitem(m.diag(m.ones((2, 2))), 0, 3),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    same_error(ERRORS[number])


def test_failing_calls_leave_out_alone():
    out = heddle.zeros(3, int)
    with pytest.raises(TypeError):
        heddle.add(heddle.ones(3), 1.5, out=out)
    first, second = heddle.zeros(3), heddle.zeros(3, int)
    with pytest.raises(TypeError):
        heddle.modf(heddle.full(3, 1.5), out=(first, second))
    assert_exact(out, numpy.zeros(3, int))
    assert_exact(first, numpy.zeros(3))


BINARY = ["add", "multiply", "maximum", "fmin", "logical_and", "logical_xor", "hypot", "logaddexp"]
ORDERED = ["subtract", "divide", "floor_divide", "power", "remainder", "arctan2"]


@pytest.mark.parametrize("function", [*BINARY, *ORDERED])
@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_reduce_and_accumulate(function, dtype):
    a = random_values(dtype, (4, 5), low=1, high=2)
    x = heddle.asarray(a)
    ours, theirs = getattr(heddle, function), getattr(numpy, function)
    for axis in (0, 1, -1):
        for keepdims in (False, True):
            actual = ours.reduce(x, axis, keepdims=keepdims)
            # Not reduce: along contiguous axes NumPy's differs from its accumulate for power.
            last = [-1] if keepdims else -1
            expected = theirs.accumulate(a, axis, dtype=theirs.reduce(a[:, :1], 1).dtype)
            expected = expected.take(last, axis)
            assert actual.dtype == expected.dtype and actual.shape == expected.shape
            numpy.testing.assert_allclose(actual.get(), expected, rtol=1e-13)
        actual, expected = ours.accumulate(x, axis), theirs.accumulate(a, axis)
        assert actual.dtype == expected.dtype
        numpy.testing.assert_allclose(actual.get(), expected, rtol=1e-13)


@pytest.mark.parametrize("function", ["bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"])
def test_reduce_of_integers(function):
    a = random_values("i8", (4, 5), low=1, high=60)
    for axis in (0, 1):
        expected = getattr(numpy, function).reduce(a, axis)
        assert_exact(getattr(heddle, function).reduce(heddle.asarray(a), axis), expected)


def test_reduce_keywords():
    a = random_values("f8", (4, 5), low=1)
    x = heddle.asarray(a)
    assert_exact(
        heddle.subtract.reduce(x, 0, initial=3.0), numpy.subtract.reduce(a, 0, initial=3.0)
    )
    out = heddle.zeros(5)
    assert heddle.maximum.reduce(x, 0, out=out) is out
    assert_exact(out, a.max(0))
    assert_exact(heddle.add.reduce(x, axis=None, dtype="f4"), numpy.add.reduce(a, None, "f4"))
    assert_exact(heddle.add.reduce(heddle.asarray(3)), numpy.add.reduce(numpy.array(3)))


@pytest.mark.parametrize("function", ["add", "multiply", "maximum", "subtract", "logical_or"])
def test_reduceat(function):
    a = random_values("i8", (4, 8))
    for indices in ([0], [0, 3, 5], [5, 2, 2, 7], [1, 7, 0]):
        for axis, places in ((1, indices), (0, [i % 4 for i in indices])):
            expected = getattr(numpy, function).reduceat(a, places, axis)
            assert_exact(
                getattr(heddle, function).reduceat(heddle.asarray(a), places, axis), expected
            )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("places", [[0], [0, 2], [0, 1, 4], [3, 1, 0]])
def test_sums_of_slices_keep_the_sign_of_zero(dtype, places):
    for a in ([-0.0] * 6, [-0.0, 0.0, -0.0, -0.0, 1.0, -0.0]):
        a = numpy.array(a, dtype)
        made = heddle.add.reduceat(heddle.asarray(a), places)
        expected = numpy.add.reduceat(a, places)
        assert_exact(made, expected)
        assert_exact(heddle.signbit(made.real), numpy.signbit(expected.real))


@pytest.mark.parametrize(
    "function", ["add", "multiply", "minimum", "fmax", "logaddexp", "hypot", "subtract"]
)
def test_reduceat_of_slices_of_many_lengths(function):
    """Even slices with and without a rest, slices of all lengths, backward steps, more axes."""
    a = random_values("f8", (3, 300, 2), low=0.5, high=1.5)
    x = heddle.asarray(a)
    generator = numpy.random.default_rng(1)
    for places in (
        numpy.arange(0, 300, 20),
        numpy.arange(7, 300, 32),
        numpy.arange(300),
        numpy.sort(generator.integers(0, 300, 25)),
        generator.integers(0, 300, 40),
        numpy.array([0, 1, 3, 7, 15, 31, 63, 127, 255]),
        numpy.array([], int),
    ):
        expected = getattr(numpy, function).reduceat(a, places, 1)
        numpy.testing.assert_allclose(
            getattr(heddle, function).reduceat(x, places, 1).get(), expected, rtol=1e-12
        )
    narrow = random_values("i1", (50,))
    expected = numpy.add.reduceat(narrow, [0, 9, 30])
    assert_exact(heddle.add.reduceat(heddle.asarray(narrow), [0, 9, 30]), expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f4", "c16"])
@pytest.mark.parametrize("function", ["add", "multiply", "maximum", "logical_or"])
def test_reduceat_of_even_slices(function, dtype):
    """As rows of an array, from any place on, in every order of memory."""
    a = random_values(dtype, (4, 30, 3))
    for source in (a, a[:, ::-1], a.transpose(2, 1, 0)):
        x = heddle.asarray(source)
        for places in (range(0, 30, 5), range(10, 30, 4), range(28, 30), [0, 15], [3, 2, 1]):
            expected = getattr(numpy, function).reduceat(source, list(places), 1)
            got = getattr(heddle, function).reduceat(x, list(places), 1)
            assert got.dtype == expected.dtype and got.shape == expected.shape
            numpy.testing.assert_allclose(got.get(), expected, rtol=1e-5, atol=1e-5)
        out = heddle.zeros((source.shape[0], 6, source.shape[2]), expected.dtype)
        getattr(heddle, function).reduceat(x, range(0, 30, 5), 1, out=out)
        expected = getattr(numpy, function).reduceat(source, range(0, 30, 5), 1)
        numpy.testing.assert_allclose(out.get(), expected, rtol=1e-5, atol=1e-5)


def test_reductions_along_no_axis_are_copies():
    def program(np):
        a = np.arange(1.0, 7).reshape(2, 3)
        made = [np.subtract.reduce(a, axis=()), np.add.reduce(a, axis=())]
        made += [
            np.subtract.reduce(a, axis=(), initial=5),
            np.divide.reduce(np.array(2.0), initial=3),
        ]
        for b in made[:2]:
            b[0] = 9
        return [a, *made]

    check(program)


def test_no_power_of_nothing_is_refused():
    check(lambda np: np.ones((0, 2), int) ** np.array([-1, 2]))
    check(lambda np: np.power(np.ones((0, 2), int), -1))


def test_outer():
    a, b = random_values("f8", (2, 3)), random_values("f8", (4,))
    x, y = heddle.asarray(a), heddle.asarray(b)
    assert_exact(heddle.add.outer(x, y), numpy.add.outer(a, b))
    assert_exact(heddle.less.outer(y, x), numpy.less.outer(b, a))
    assert_exact(heddle.multiply.outer([1, 2], 3), numpy.multiply.outer([1, 2], 3))
    assert_exact(heddle.add.outer(x, y, dtype="f4"), numpy.add.outer(a, b, dtype="f4"))


def test_at():
    indices = [0, 2, 2, -1, 0]
    for function, values in (
        ("add", 1),
        ("multiply", [1, 2, 3, 4, 5]),
        ("maximum", 3),
        ("subtract", 2),
    ):
        a, x = numpy.arange(5.0), heddle.arange(5.0)
        getattr(numpy, function).at(a, indices, values)
        getattr(heddle, function).at(x, indices, values)
        assert_exact(x, a)
    a, x = numpy.arange(6).reshape(2, 3), heddle.arange(6).reshape(2, 3)
    numpy.add.at(a, (slice(None), [0, 0, 1]), 10)
    heddle.add.at(x, (slice(None), [0, 0, 1]), 10)
    numpy.negative.at(a, ([0, 1], [2, 2]))
    heddle.negative.at(x, ([0, 1], [2, 2]))
    assert_exact(x, a)


def test_attributes():
    for name in ("add", "sin", "divmod", "frexp"):
        ours, theirs = getattr(heddle, name), getattr(numpy, name)
        for attribute in ("nin", "nout", "nargs", "__name__", "identity", "signature"):
            assert getattr(ours, attribute) == getattr(theirs, attribute)
        assert repr(ours) == repr(theirs)
        assert ours.ntypes == len(ours.types)
        assert ours.__doc__.startswith(name)
        assert pickle.loads(pickle.dumps(ours)) is ours
    assert heddle.bitwise_and.identity == -1
    assert heddle.maximum.identity is None
    assert heddle.abs is heddle.absolute


def test_every_numeric_ufunc_of_numpy_is_here():
    generalized = {"matmul", "matvec", "vecdot", "vecmat"}
    for name in dir(numpy):
        if isinstance(getattr(numpy, name), numpy.ufunc) and name not in ("isnat", *generalized):
            assert isinstance(getattr(heddle, name), heddle.ufunc), name


class Foreign:
    """An array of another library that takes over."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc, method, len(inputs)


class Refusing:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "mine"


def test_other_libraries_take_over():
    x = heddle.ones(3)
    assert heddle.add(x, Foreign()) == (numpy.add, "__call__", 2)
    assert heddle.add.reduce(Foreign()) == (numpy.add, "reduce", 1)
    with pytest.raises(TypeError):
        heddle.add(x, Refusing())
    assert x + Refusing() == "mine"


class KnowsNumpys(numpy.lib.mixins.NDArrayOperatorsMixin):
    """An array of a library that knows no others but NumPy's, as most do."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if not all(type(x) in (KnowsNumpys, numpy.ndarray, float) for x in inputs):
            return NotImplemented
        return ufunc.__name__, [type(x) for x in inputs]

    def __array_function__(self, function, types, args, kwargs):
        if not all(kind in (KnowsNumpys, numpy.ndarray) for kind in types):
            return NotImplemented
        return function.__name__, [type(x) for x in args[0]]


@pytest.mark.host_memory
def test_libraries_that_know_numpys_arrays_alone():
    x, other = heddle.ones(3), KnowsNumpys()
    left, right = [numpy.ndarray, KnowsNumpys], [KnowsNumpys, numpy.ndarray]
    assert x * other == heddle.multiply(x, other) == numpy.multiply(x, other) == ("multiply", left)
    assert other - x == heddle.subtract(other, x) == ("subtract", right)
    assert numpy.subtract(other, x) == ("subtract", right)
    for call in (heddle.add, numpy.add):
        with pytest.raises(TypeError):
            call(other, x, out=heddle.ones(3))
        with pytest.raises(TypeError):
            call(other, 1j)
    assert numpy.equal(x, None).tolist() == [False] * 3
    for join in (heddle.concatenate, numpy.concatenate):
        assert join([x, other]) == ("concatenate", left)
        assert join([other, x]) == ("concatenate", right)


def test_an_output_of_another_library_takes_over():
    assert heddle.negative(1, out=Foreign()) == (numpy.negative, "__call__", 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda np: np.add(1, 2, ...),
        lambda np: np.negative(1, out=(...,)),
        lambda np: np.add(3, 4, signature=123.0),
        lambda np: np.add(3, 4, signature="ii>i"),
        lambda np: np.add(3, 4, signature="%^->#"),
        lambda np: np.add(3, 4, sig="ii->i", signature="ii->i"),
        lambda np: np.power(1.5, 2.8, dtype=np.intp),
        lambda np: np.add(3.0, 4.0, dtype=int, casting="safe"),
        lambda np: np.add(np.ones(3), np.ones(3), where=np.ones(3)),
    ],
)
def test_refused_arguments(function):
    same_error(function)


def test_an_ellipsis_for_out_gives_arrays():
    made = heddle.add(1, 2, out=...)
    made[...] = 5
    assert made == 5
    assert all(m.shape == () for m in heddle.divmod(7, 2, out=...))
    assert heddle.add.reduce([1, 2], out=...) == 3
    assert heddle.add.accumulate([1, 2], out=...).tolist() == [1, 3]
    assert heddle.add.reduceat([1, 2], [0], out=...).tolist() == [3]


def test_lists_as_masks_and_classes_as_signatures():
    x = heddle.arange(3.0)
    assert_exact(heddle.add(x, 1, where=[1, 0, 1], out=heddle.zeros(3)), numpy.array([1.0, 0, 3]))
    double = type(numpy.dtype(float))
    assert heddle.add(3, 4, signature=(double, double, None)).dtype == numpy.float64


def test_signatures():
    for name in ("sin", "add", "frexp"):
        ours, theirs = getattr(heddle, name), getattr(numpy, name)
        assert inspect.signature(ours).parameters.keys() >= {"out", "where", "dtype", "casting"}
        assert len(inspect.signature(ours).parameters) == theirs.nin + 7


def test_where_without_out_warns():
    for module in (numpy, heddle):
        with pytest.warns(UserWarning, match="'where' used without 'out'"):
            module.add(module.ones(2), 1, where=[True, False])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heddle.add(heddle.ones(2), 1, where=[True, False], out=None)
        heddle.add(heddle.ones(2), 1, where=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.negative(np.array([True, False]), dtype="i4"),
        lambda np: np.positive(np.array([True, False]), dtype="f4"),
        lambda np: np.sign(np.array([True, False]), dtype="i1"),
        lambda np: np.bitwise_and(np.array([1.5, 3.0]), 2, dtype="i8", casting="unsafe"),
        lambda np: np.lcm(np.array([4]), np.array([6], "u8"), dtype="i4"),
        lambda np: np.bitwise_and(np.array([1.5, 3.0]), 2, dtype="i8"),
    ],
)
def test_dtypes_that_give_operands_a_loop(call):
    check(call)


@pytest.mark.parametrize("axis", [None, (0,), (1,), (0, 1), 1, 2, ()])
@pytest.mark.parametrize("shape", [(3,), (3, 4)])
def test_axes_of_methods_along_one_axis(axis, shape):
    for method in ("accumulate", "reduceat"):
        places = ([0, 2],) if method == "reduceat" else ()
        check(lambda m: getattr(m.add, method)(m.ones(shape), *places, axis=axis))  # noqa: B023


class Recorder:
    """Answers ufuncs with what they were called with."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, len(inputs), kwargs


def test_methods_ask_other_libraries():
    calls = (
        lambda m, x: m.add.reduce(x),
        lambda m, x: m.add.reduce(x, axis=None),
        lambda m, x: m.add.reduce(x, 1, float, None, True, 3, [True]),
        lambda m, x: m.add.reduce(x, out=x),
        lambda m, x: m.add.accumulate(x),
        lambda m, x: m.add.accumulate(x, 1, float, x),
        lambda m, x: m.add.reduceat(x, [0, 1]),
        lambda m, x: m.add.reduceat(x, [0, 1], 1, out=(x,)),
        lambda m, x: m.add.outer(x, x),
        lambda m, x: m.add.at(x, [0], 1),
        lambda m, x: m.add.at(m.ones(2), [0], x),
        lambda m, x: m.negative.at(x, [0]),
        lambda m, x: m.add(x, 1, out=x),
        lambda m, x: m.add(x, 1, out=...),
        lambda m, x: m.add.reduce(x, out=...),
        lambda m, x: m.add(x, 1, where=x),
    )
    x = Recorder()
    for call in calls:
        assert call(heddle, x) == call(numpy, x)


def test_python_numbers_under_casting_equiv():
    for casting in ("no", "equiv", "safe"):
        check(lambda np, c=casting: np.add(np.ones(2, "f4"), 3.0, casting=c))
        check(lambda np, c=casting: np.add(np.ones(2, "f8"), 3.0, casting=c))
        check(lambda np, c=casting: np.add(np.ones(2, "i8"), 3, casting=c))
        check(lambda np, c=casting: np.add(3.0, 4.0, dtype="f4", casting=c))
        check(lambda np, c=casting: np.add(3j, 4.0, dtype="c8", casting=c))


def test_exponents_of_ldexp():
    for exponent in (numpy.uint64(3), numpy.int32(3), 3, True, 3.0):
        check(lambda np, e=exponent: np.ldexp(1.0, e))
        check(lambda np, e=exponent: np.ldexp(numpy.float32(1), e, dtype="d"))


def test_sums_of_complex_zeros_keep_their_signs():
    for dtype in ("c8", "c16"):
        zeros = numpy.full((2, 3), complex(-0.0, -0.0), dtype)
        zeros[1, 2] = complex(0.0, -0.0)
        for initial in (complex(-0.0, -0.0), complex(-0.0, 0.0), complex(0.0, -0.0), None, -0.0, 1):
            for axis in (0, 1, None):
                theirs = numpy.add.reduce(zeros, axis, initial=initial)
                ours = heddle.add.reduce(heddle.asarray(zeros), axis, initial=initial)
                assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
                for part in ("real", "imag"):
                    signs = numpy.signbit(getattr(heddle.asnumpy(ours), part))
                    assert (signs == numpy.signbit(getattr(theirs, part))).all(), (initial, axis)


def test_loops_have_types_that_dtype_takes():
    for ufunc in (heddle.add, heddle.frexp, heddle.logical_xor, heddle.matmul):
        for loop in ufunc.types:
            assert [numpy.dtype(letter) for letter in loop.replace("->", "")]
    check(lambda np: np.modf(1.5, out=None))
    with pytest.raises(TypeError, match="ufunc"):
        heddle.ones(1).__array_ufunc__(1, 2)


# --- at: what is cast, and how ---

VALUES_AT = [
    *(-1, 1, 300, 2.5, -2.5, float("nan"), float("inf"), 1 + 2j, True, 2**40, -(2**40), 2**63),
    *(2**70, numpy.int8(-1), numpy.uint8(200), numpy.float32(2.5), numpy.float64("nan")),
    *([-1, 2, 3], [1.5, -2.5, float("nan")], numpy.array([-1, 2, 3], "i1")),
    *(numpy.array([300, -7, 2]), numpy.array([1.5, 2.5, -3.5], "f4"), numpy.array([True] * 3)),
    *(numpy.array([1, 2, 2**63], "u8"), numpy.array([1j, 2.0, 3.0], "c8"), numpy.array(-2)),
]


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "divide", "power"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8"])
def test_at_casts_as_numpy(name, dtype):
    for value in VALUES_AT:
        # What is no number of the type is the machine's choice, as are objects NumPy computes with.
        beyond = (
            type(value) is int
            and value == 2**70
            and name in ("divide", "power", "maximum", "subtract")
        )
        odd = dtype == "u4" and not numpy.all(numpy.isfinite(numpy.asarray(value, complex)))
        if (
            beyond
            or odd
            or (dtype, name) in (("u4", "subtract"), ("u8", "subtract"), ("c8", "power"))
        ):
            continue

        def use(np, value=value):
            a = np.asarray([0, 1, 1]).astype(dtype)
            getattr(np, name).at(a, [0, 2, 0], value)
            return a

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(use, ulp=2)


# --- where more than one thing is wrong ---


def _read_only(np):
    a = np.ones(3)
    a.flags.writeable = False
    return a


@pytest.mark.parametrize(
    "use",
    [
        lambda np: np.add(np.ones(3), np.ones(4), out=np.ones(3, int)),
        lambda np: np.add(np.ones(3), np.ones(3), out=np.ones(4, int)),
        lambda np: np.add(np.ones(3), np.ones(4), out=np.ones(5)),
        lambda np: np.add(np.ones(3), np.ones(3), out=np.ones(4)),
        lambda np: np.divmod(np.ones(3), np.ones(4), out=(np.ones(3), np.ones(3, int))),
        lambda np: np.sqrt(np.ones(3, int), out=np.ones(4, int)),
        lambda np: np.ones(3, int).__iadd__(np.ones(4)),
        lambda np: np.ones(3, int).__iadd__(np.ones((2, 3))),
        lambda np: np.ones(3).__iadd__(np.ones(4)),
        lambda np: np.ones(3, bool).__imul__(np.ones(4, int)),
        lambda np: np.less(np.ones(3), np.ones(4), out=np.ones(3, int), casting="no"),
        lambda np: np.copyto(np.ones(3, int), np.ones(4)),
        lambda np: np.add(np.ones(3), np.ones(4), dtype=int),
        lambda np: np.add(np.ones(3), np.ones(3), out=np.ones(4, int), where=np.ones(7, bool)),
        lambda np: np.matmul(np.ones((2, 3)), np.ones((4, 2)), out=np.ones((2, 2), int)),
        lambda np: np.add.reduce(np.ones((3, 4)), out=np.ones(7, int)),
        lambda np: np.add.accumulate(np.ones((3, 4)), out=np.ones(7, int)),
        lambda np: np.concatenate([np.ones(3), np.ones((3, 3))], dtype=int),
        lambda np: np.concatenate([np.ones(3), np.ones(3)], out=np.ones(7, int)),
        lambda np: np.dot(np.ones(3), np.ones(4), out=np.ones(3, int)),
        lambda np: np.clip(np.ones(3), np.ones(4), 2, out=np.ones(5, int)),
        lambda np: np.take(np.ones(3), [9], out=np.ones(5, int)),
        lambda np: np.cumsum(np.ones(3), out=np.ones(5, int)),
        lambda np: np.mean(np.ones(3), out=np.ones(5, int)),
        lambda np: np.percentile(np.ones(3), [25, 50], out=np.ones(5, int)),
        lambda np: np.percentile(np.ones(3) * 1j, 101),
        lambda np: np.quantile(np.ones(3), 0.5, axis=5, method="no"),
        lambda np: np.matmul(np.ones((2, 2), int), 2.0, out=np.ones((2, 2), int)),
        lambda np: np.ones((2, 2), int).__imatmul__(np.ones(2)),
        lambda np: np.ones(()).__imatmul__(np.ones((2, 2), complex)),
        lambda np: _read_only(np).__imatmul__(np.ones(2)),
        lambda np: _read_only(np).__iand__(np.ones(3)),
        lambda np: _read_only(np).__itruediv__(np.ones(4, complex)),
        lambda np: operator.isub(_read_only(np), None),
    ],
)
def test_order_of_errors(use):
    same_error(use)


@pytest.mark.parametrize("ufunc", ["subtract", "divide", "power", "floor_divide", "left_shift"])
@pytest.mark.parametrize("axis", [0, 1, -1, ()])
def test_reductions_in_order_with_where(ufunc, axis):
    """What has no identity takes one by ``initial``, and leaves elements out."""
    values = numpy.arange(1, 13).reshape(3, 4) % 5
    mask = numpy.arange(12).reshape(3, 4) % 3 != 0
    for keepdims in (False, True):
        for where in (mask, mask[0], False):
            check(
                lambda np, w=where, k=keepdims: getattr(np, ufunc).reduce(
                    np.asarray(values), axis, initial=7, keepdims=k, where=np.asarray(w)
                )
            )
    check(lambda np: getattr(np, ufunc).reduce(np.asarray(values), axis, where=np.asarray(mask)))
    check(
        lambda np: getattr(np, ufunc).reduce(
            np.ones((0, 2), int), 0, initial=3, where=np.asarray([True, False])
        )
    )


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_axes_are_looked_at_before_types(method):
    for values in (2.5, [2.5], [[True]]):
        for axis in (0, -1, 1, -3):
            for ufunc in ("bitwise_or", "add", "divide", "logaddexp"):
                check(
                    lambda np, u=ufunc, v=values, a=axis: getattr(getattr(np, u), method)(
                        np.asarray(v), a
                    )
                )
