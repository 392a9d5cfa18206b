"""What fits into an array: numbers, lists and arrays on their way into one of another type."""

import warnings

import numpy
import pytest
from compare import check
from support import NEWER, assert_exact, host

import heddle

VALUES = [
    300.7,
    -1,
    1e30,
    float("nan"),
    float("inf"),
    2 + 0j,
    2**70,
    True,
    numpy.int64(300),
    numpy.float64(300.7),
    numpy.float32("nan"),
    numpy.complex128(1 + 2j),
    [300.7, 1.0],
    [float("nan"), 1.0],
    [300, 1],
    (300, 1),
    [2j, 1],
    [numpy.int64(300), 1],
    [2**70, 1],
    ["3", "4"],
    numpy.array([300, 1]),
    numpy.array([300.7, 1.0]),
    numpy.array(300),
]

WRITES = {
    "slice": lambda xp, a, v: a.__setitem__(slice(0, 2), v),
    "all": lambda xp, a, v: a.__setitem__(..., v),
    "mask": lambda xp, a, v: a.__setitem__(xp.asarray([True, True, False]), v),
    "indices": lambda xp, a, v: a.__setitem__(xp.asarray([2, 0]), v),
    "putmask": lambda xp, a, v: xp.putmask(a, xp.asarray([True, False, True]), v),
    "place": lambda xp, a, v: xp.place(a, xp.asarray([True, False, True]), v),
    "put": lambda xp, a, v: xp.put(a, xp.asarray([2, 0]), v),
    "diagonal": lambda xp, a, v: xp.fill_diagonal(a.reshape(1, 3), v),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "bool", "complex128"])
def test_what_fits(write, dtype):
    for value in VALUES:

        def run(xp, value=value):
            a = xp.zeros(3, dtype)
            given = xp.asarray(value) if isinstance(value, numpy.ndarray) else value
            WRITES[write](xp, a, given)
            return a

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(run)


@pytest.mark.parametrize("value", [300.7, 1e30, -1.5, float("nan"), numpy.int64(300), 2 + 1j])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "bool"])
def test_one_element(value, dtype):
    def element(xp):
        a = xp.zeros(3, dtype)
        a[1] = value
        return a

    def fill(xp):
        a = xp.zeros(3, dtype)
        a.fill(value)
        return a

    check(element)
    check(fill)


# Results that are scalars in NumPy: elements, and what is computed of whole arrays.
RESULTS = {
    "element": lambda a: a[0],
    "sum": lambda a: a.sum(),
    "array": lambda a: a[0] + a[:0].sum(),
}
ELEMENT_WRITES = {
    "element": lambda xp, a, v: a.__setitem__(1, v),
    "slice": WRITES["slice"],
    "all": WRITES["all"],
    "mask": WRITES["mask"],
    "fill": lambda xp, a, v: a.fill(v),
}
# Which gives errors another type, where they are raised at the call.
FLAT = pytest.param("flat", marks=pytest.mark.host_memory)


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("write", [*ELEMENT_WRITES, FLAT])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64", "bool", "float64"])
def test_scalar_results_as_elements(write, dtype, result):
    values = [float("nan"), float("inf"), 1e30, 300.7, -1.5, -128.5, -129.5, 127.5, 128.0]
    given = [numpy.array([value], kind) for value in values for kind in ("f4", "f8", "c16")]
    given += [
        numpy.array([value], "f8") for value in (2.0**63, -(2.0**63), 2.0**31, -(2.0**31) - 1)
    ]
    given += [numpy.array([value], "u1") for value in (253, 127)]
    given += [numpy.array([value], "i8") for value in (2**40, -129, -128, 127, 2**31, -(2**31))]
    given += [numpy.array([value], "u8") for value in (2**63, 2**63 - 1)]
    for values in given:

        def run(xp, values=values):
            a = xp.zeros(3, dtype)
            given = RESULTS[result](xp.asarray(values))
            if write == "flat":
                a.flat[1] = given
            else:
                ELEMENT_WRITES[write](xp, a, given)
            return a

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(run)


def test_failed_writes_change_nothing():
    a = heddle.arange(4, dtype="int8")
    for value in (300.5, [1, 300], numpy.int64(-200)):
        with pytest.raises(OverflowError):
            a[:2] = value
    with pytest.raises(TypeError):
        heddle.putmask(a, a > 1, heddle.asarray([0.5]))
    assert host(a).tolist() == [0, 1, 2, 3]


# What they take is written whatever its type is since NumPy 2.5.
LATER = pytest.mark.skipif(NEWER, reason="NumPy is later")
TAKEN = [
    pytest.param(lambda xp, a, out: xp.take(a, xp.asarray([0, 1]), out=out), marks=LATER),
    pytest.param(
        lambda xp, a, out: xp.compress(xp.asarray([True, True, False, False]), a, out=out),
        marks=LATER,
    ),
    lambda xp, a, out: xp.argmax(a.reshape(2, 2), 0, out=out),
    lambda xp, a, out: xp.median(a.reshape(2, 2), 0, out=out),
    lambda xp, a, out: xp.nanmedian(a.reshape(2, 2), 0, out=out),
    lambda xp, a, out: xp.quantile(a.reshape(2, 2), 0.5, 0, out=out),
    lambda xp, a, out: xp.trace(a.reshape(2, 2, 1) + xp.zeros((2, 2, 2), a.dtype), out=out),
    lambda xp, a, out: xp.choose(xp.asarray([0, 1]), [a[:2], a[:2]], out=out),
    lambda xp, a, out: xp.cumsum(a[:2], out=out),
]


@pytest.mark.parametrize("function", TAKEN)
def test_types_of_out(function):
    for dtype in ("?", "i1", "u4", "i8", "f4", "f8", "c8"):
        for target in ("?", "i2", "u4", "i8", "f2", "f8", "c16"):

            def run(xp, dtype=dtype, target=target):
                a = xp.asarray(numpy.array([0, 1, 1, 1]).astype(dtype))
                out = xp.zeros(2, target)
                function(xp, a, out)
                return out

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(run)


@pytest.mark.parametrize("index", [-1, 0, (1,), (-1, 0), (1, 2)])
@pytest.mark.parametrize("dtype", ["?", "i4", "u1", "f4", "c16"])
def test_arrays_of_one_element_are_written_as_one(index, dtype):
    shape = (3, 4) if isinstance(index, tuple) and len(index) == 2 else (3,)
    for value in ([2], [[2]], [1.5], [[[3 + 0j]]], [True]):
        ours, theirs = heddle.zeros(shape, dtype), numpy.zeros(shape, dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours[index] = heddle.asarray(value)
            theirs[index] = numpy.asarray(value).astype(dtype).item()
        assert_exact(ours, theirs)
    for value in ([2, 3], []):
        with pytest.raises(ValueError, match="setting an array element with a sequence"):
            ours[index] = heddle.asarray(value)


def test_the_last_element_is_an_array_of_one():
    a, b = heddle.zeros(3), heddle.ones(1) * 2
    a[-1] = b
    assert a.tolist() == [0, 0, 2]


@pytest.mark.parametrize("value", [[1], (1,), range(1), [[1]], []], ids=repr)
@pytest.mark.parametrize("index", [0, (0, 0), ()], ids=repr)
def test_sequences_are_no_elements(index, value):
    shape = (2,) * (len(index) if isinstance(index, tuple) else 1)
    for np in (numpy, heddle):
        x = np.zeros(shape)
        with pytest.raises(ValueError, match="setting an array element with a sequence"):
            x[index] = value
        assert not x.any()


@pytest.mark.parametrize("value", [[[1]], [[1, 2]], ((1,), (2,)), [[[1, 2]]], [1, 2]], ids=repr)
@pytest.mark.parametrize(
    "index", [slice(2), ..., (None, slice(2)), [0, 1], (0, slice(2))], ids=repr
)
def test_lists_are_no_deeper_than_what_they_are_written_to(index, value):
    shape = (2, 2) if isinstance(index, tuple) and index[0] == 0 else (2,)

    def written(np):
        x = np.zeros(shape)
        x[index] = value
        return x

    check(written)


@pytest.mark.parametrize("number", [10**400, -(10**30), 0])
def test_great_integers_are_true(number):
    def written(np):
        x = np.zeros(3, bool)
        x[0] = number
        y = np.zeros((2, 2), bool)
        y.fill(number)
        y[0, :1] = number
        return x, y

    check(written)


@pytest.mark.parametrize("value", [[1], (1, 2), range(1), [[1]], []], ids=repr)
@pytest.mark.parametrize("index", [0, (0, 0), ()], ids=repr)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex64"])
def test_sequences_for_elements_of_every_type(dtype, index, value):
    shape = (2,) * (len(index) if isinstance(index, tuple) else 1)
    made = []
    for np in (numpy, heddle):
        x = np.zeros(shape, dtype)
        try:
            x[index] = value
        except (TypeError, ValueError) as error:
            made.append((type(error), str(error).partition(". ")[0], host(x).tolist()))
        else:
            made.append(host(x).tolist())
    assert made[1] == made[0]


def test_numbers_that_the_host_computed_are_for_arrays_of_any_device():
    number = heddle.sign(numpy.float32(-0.25))
    x = heddle.zeros((3, 4))
    x[1:, ::2] = number
    x[0] = number * 2
    heddle.copyto(x[:1], number, where=x[:1] < 0)
    assert_exact(x, numpy.array([[-1.0] * 4] + [[-1.0, 0, -1, 0]] * 2))
    assert heddle.array([number, number]).device == x.device
    assert_exact(heddle.concatenate((x[0], heddle.atleast_1d(number))), numpy.full(5, -1.0))
    assert_exact(heddle.stack([number, x[1, 1]]), numpy.array([-1.0, 0]))
    assert_exact(number * heddle.ones(3) + x[0, :3], numpy.full(3, -2.0))
    assert numpy.asarray(number) == -1 and numpy.float64(number) == -1
    there = heddle.ones(3, device="cpu")
    there[1:] = number
    assert_exact(there * number, numpy.array([-1.0, 1, 1]))


@pytest.mark.parametrize("dtype", ["i4", "f4", "?"])
@pytest.mark.parametrize("value", ["text", [1j] * 4, [[1, 2], [3]], 2**70, None, [1, 2, 3, 4], "4"])
@pytest.mark.parametrize("index", [7, (0, 0), [True, False], [0, 9], "x", ([0, 1], [0, 1, 2])])
def test_what_is_wrong_is_said_in_numpys_order(index, value, dtype):
    """Of an index that is none the index, then the value, its shape, and then what is outside."""

    def write(np):
        x = np.zeros(5, dtype)
        x[index] = np.ones(4) if isinstance(value, str) and value == "4" else value
        return x

    check(write)


def test_read_only_is_said_before_indices():
    def write(np):
        x = np.zeros(5)
        x.flags.writeable = False
        x[9] = "text"

    check(write)
