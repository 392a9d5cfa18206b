"""Arrays beside functions of C: memory is shared, and what is no such array is refused."""

import ctypes

import numpy
import pytest

import heddle
from heddle import ctypeslib

pytestmark = [pytest.mark.host_memory, pytest.mark.written_outside]

LIBC = ctypes.CDLL(None)
NUMBER = ctypes.POINTER(ctypes.c_int32)
ORDER = ctypes.CFUNCTYPE(ctypes.c_int, NUMBER, NUMBER)
TYPES = ("?", "i1", "u2", "i4", "u8", "f4", "f8")


def sort(x):
    """qsort of C, of a vector of int32."""
    row = ctypeslib.ndpointer(numpy.int32, ndim=1, flags="C_CONTIGUOUS")
    function = ctypes.CFUNCTYPE(None, row, ctypes.c_size_t, ctypes.c_size_t, ORDER)
    qsort = function(("qsort", LIBC))
    qsort(x, x.size, x.itemsize, ORDER(lambda a, b: a[0] - b[0]))


@pytest.mark.parametrize("make", [heddle.array, numpy.array], ids=["ours", "numpys"])
def test_a_function_of_c_changes_elements(make):
    x = make([3, -1, 2], numpy.int32)
    sort(x)
    assert x.tolist() == [-1, 2, 3]


def test_what_is_pending_is_computed_before_the_call_and_after():
    x = heddle.arange(4, dtype=numpy.int32)
    x *= -1
    before = x + 10
    sort(x)
    after = x + 10
    assert before.tolist() == [10, 9, 8, 7]
    assert after.tolist() == [7, 8, 9, 10]


@pytest.mark.parametrize(
    ("wanted", "given", "message"),
    [
        ({"dtype": "f8"}, heddle.zeros(3, "f4"), "array must have data type float64"),
        ({"ndim": 2}, heddle.zeros(3), "array must have 2 dimension"),
        ({"shape": (2, 3)}, heddle.zeros((3, 2)), r"array must have shape \(2, 3\)"),
        ({"flags": "C"}, heddle.zeros((3, 2)).T, r"array must have flags \['C_CONTIGUOUS'\]"),
        ({}, [1, 2], "argument must be an ndarray"),
    ],
)
def test_other_arguments_are_refused(wanted, given, message):
    with pytest.raises(TypeError, match=message):
        ctypeslib.ndpointer(**wanted).from_param(given)


def test_a_class_is_made_once():
    assert ctypeslib.ndpointer("f8", 1) is ctypeslib.ndpointer(numpy.float64, ndim=1)
    assert ctypeslib.ndpointer("f8", 1) is not ctypeslib.ndpointer("f8", 2)


def test_a_result_is_an_array_of_the_memory():
    x = heddle.array([1.0, 2, 3])
    # memmove gives its first argument back.
    move = ctypes.CFUNCTYPE(
        ctypeslib.ndpointer("f8", shape=(3,)),
        *(ctypeslib.ndpointer("f8"), ctypeslib.ndpointer("f8"), ctypes.c_size_t),
    )(("memmove", LIBC))
    given = move(x, heddle.array([4.0, 5, 6]), 24)
    assert isinstance(given, heddle.ndarray)
    assert x.tolist() == [4, 5, 6]
    given[0] = 7
    assert x.tolist() == [7, 5, 6]


@pytest.mark.parametrize("dtype", TYPES)
def test_as_array_shares_memory(dtype):
    kind = ctypeslib.as_ctypes_type(dtype)
    numbers = ((kind * 3) * 2)()
    x = ctypeslib.as_array(numbers)
    assert isinstance(x, heddle.ndarray)
    assert (x.shape, x.dtype) == ((2, 3), numpy.dtype(dtype))
    x[1] = 1
    assert [list(row) for row in numbers] == [[0, 0, 0], [1, 1, 1]]
    numbers[0][2] = 1
    assert x.tolist() == [[0, 0, 1], [1, 1, 1]]


def test_as_array_of_a_pointer():
    numbers = (ctypes.c_double * 6)(*range(6))
    pointer = ctypes.cast(numbers, ctypes.POINTER(ctypes.c_double))
    x = ctypeslib.as_array(pointer, (2, 3))
    x *= 2
    assert list(numbers) == [0, 2, 4, 6, 8, 10]
    with pytest.raises(TypeError, match="requires a shape argument"):
        ctypeslib.as_array(pointer)


@pytest.mark.parametrize("dtype", TYPES)
def test_as_ctypes_shares_memory(dtype):
    x = heddle.zeros((2, 3), dtype)
    numbers = ctypeslib.as_ctypes(x)
    numbers[1][0] = 1
    assert x.tolist() == [[0, 0, 0], [1, 0, 0]]
    x[0] = 1
    assert [list(row) for row in numbers] == [[1, 1, 1], [1, 0, 0]]
    with pytest.raises(TypeError, match="strided arrays not supported"):
        ctypeslib.as_ctypes(x[:, ::2])
