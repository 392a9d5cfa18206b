"""What arrays become of data: numbers, lists, objects that make arrays of themselves."""

import warnings

import numpy
import pytest
from compare import check, outcome
from support import NEWER, host

import heddle


class Maker:
    """Has __array__, and keeps what was asked of it."""

    def __init__(self, held):
        self.held = held

    def __array__(self, dtype=None, copy=None):
        self.asked = dtype, copy
        return self.held


class PlainMaker:
    def __init__(self, held):
        self.held = held

    def __array__(self, dtype=None):
        return self.held


def test_objects_make_their_copies():
    for np in (numpy, heddle):
        held = np.arange(3.0)
        for copy in (True, None, False):
            maker = Maker(held)
            assert np.array(maker, copy=copy) is held
            assert maker.asked == (None, copy)
        maker = Maker(held)
        assert np.asarray(maker, dtype="f4").dtype == "f4" and maker.asked[0] == "f4"
        plain = PlainMaker(held)
        assert np.array(plain, copy=None) is held
        with pytest.warns(DeprecationWarning, match="copy"):
            assert np.array(plain) is not held
        with pytest.warns(DeprecationWarning, match="copy"), pytest.raises(ValueError):
            np.array(plain, copy=False)
        with pytest.raises(ValueError, match="not producing an array"):
            np.asarray(Maker(3))
    assert type(heddle.asarray(Maker(numpy.arange(3)))) is heddle.ndarray


def test_numbers_in_foreign_byte_order():
    check(lambda np: np.asarray([1, 5]) + numpy.array(3, ">i8"))
    check(lambda np: np.clip(np.asarray([1, 5]), numpy.array(3, ">i2"), numpy.array([4, 9], ">i2")))


@pytest.mark.host_memory
def test_where_takes_none_for_an_object():
    assert heddle.where(heddle.ones(2, bool), None, None).tolist() == [None, None]


def test_lists_in_themselves():
    inner = []
    inner += [inner, inner]  # NumPy follows both, for ever
    with pytest.raises(ValueError, match="maximum number of dimension"):
        heddle.array([inner, inner])


ELEMENTS = (
    *(numpy.float64(numpy.nan), numpy.float32(1e30), numpy.int64(300), numpy.uint64(2**63)),
    *(numpy.float64(3.7), numpy.bool(True), 3 + 1j, 300, -3, 2**63, 300.5, 3.7, 1e30, numpy.inf),
    *(numpy.array(300), numpy.array(3.7), None, "3", True),
)


def stored(how):
    def run(np, value, dtype):
        made = np.zeros((2, 2), dtype)
        how(np, made, value)
        return made

    return run


STORES = {
    "element": stored(lambda np, a, v: a.__setitem__((0, 1), v)),
    "slice": stored(lambda np, a, v: a.__setitem__(slice(None), v)),
    "list": stored(lambda np, a, v: a.__setitem__([0, 1], v)),
    "mask": stored(lambda np, a, v: a.__setitem__(np.ones((2, 2), bool), v)),
    "fill": stored(lambda np, a, v: a.fill(v)),
    "flat": stored(lambda np, a, v: a.flat.__setitem__(2, v)),
    "put": stored(lambda np, a, v: np.put(a, [0], v)),
    "place": stored(lambda np, a, v: np.place(a, np.ones((2, 2), bool), v)),
    "putmask": stored(lambda np, a, v: np.putmask(a, np.ones((2, 2), bool), v)),
    "fill_diagonal": stored(lambda np, a, v: np.fill_diagonal(a, v)),
    "array": lambda np, v, t: np.array(v, t),
    "array of list": lambda np, v, t: np.array([v], t),
    "full": lambda np, v, t: np.full(2, v, t),
    "full_like": lambda np, v, t: np.full_like(np.zeros(2, t), v),
    "where": lambda np, v, t: np.where(np.asarray([True, False]), v, np.zeros(2, t)),
    "add": lambda np, v, t: np.zeros(2, t) + v,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", STORES)
def test_one_number_becomes_an_element(how):
    """Of its type, or NumPy's error: out of range, not a number, not real."""
    if NEWER and how == "where":
        pytest.skip("NumPy 2.5 refuses numbers out of range")
    text_as_number = how in ("fill_diagonal", "where", "add")  # of text and objects, left out
    for value in ELEMENTS:
        if text_as_number and (value is None or isinstance(value, str)):
            continue
        undefined = isinstance(value, (float, numpy.generic, numpy.ndarray)) and not value < 1e6
        for dtype in ("i1", "u1", "i8", "u8", "f4", "c8", "?"):
            theirs, expected = outcome(lambda np, v=value, t=dtype: STORES[how](np, v, t), numpy)
            if expected is None and undefined and theirs.dtype.kind in "iu":
                continue  # what a cast makes of a number out of range is the processor's choice
            check(lambda np, v=value, t=dtype: STORES[how](np, v, t))


class Half:
    def __float__(self):
        return 0.5


class Whole(int):
    pass


LISTS = [
    [1, 2, 3], (1, 2), [1.5, 2], [True, False], [True, 2], [True, 2.5], [1, 2j], [2j, 1.5, True],
    [], [[]], [[], []], [[1, 2], [3, 4]], [(1, 2), [3.5, True]], [[[1]], [[2]]], [[1], [2, 3]],
    [1, [2]], [[1], 2], [[1, 2], [3, [4]]], [2**63 - 1, -(2**63)], [2**63], [2**63, -1], [2**64],
    [1.5, 2**64], [2**1100, 1.5], [-1, 2**40], [300, -1], [1e300, 1.0], [1e300j],
    [numpy.inf, numpy.nan, -0.0], [3.7, -3.7], [numpy.nan, 1], [None, 1.0], ["1", "2"], [1, "2"],
    [b"1"], [numpy.float32(1), 2], [numpy.int8(1), 2], [numpy.ones(2), [3, 4]], [numpy.ones(()), 1],
    [Half(), 1.0], [Whole(3), 4], [range(3), range(3)], [1.0, object()], [0.1] * 1000,
    list(range(1000)), [[0.5] * 7] * 5, [[1, 2]] * 3 + [[1, 2.5]], [1, 2, {}], [[1, 2], {1: 2}],
]  # fmt: skip


@pytest.mark.parametrize("values", LISTS, ids=range(len(LISTS)))
def test_lists_become_what_numpy_makes_of_them(values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, error = outcome(lambda np: np.array(values), numpy)
        if error is not None or theirs.dtype.kind in "biufc":
            check(lambda np: np.array(values))
        for dtype in ("?", "i1", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"):
            check(lambda np, t=dtype: np.array(values, t))


def test_lists_beside_arrays():
    check(lambda np: [1, 2, 3] * np.arange(3))
    check(lambda np: np.arange(3, dtype="f4") * [1.5, 2, 3])
    check(lambda np: [[1, 2, 3], [4, 5, 6]] - np.arange(3))
    check(lambda np: np.array([np.arange(3), [1.5, 2, 3]]))
    check(lambda np: np.array([[1, 2, 3], np.arange(3)]))
    check(lambda np: np.array([1.5, np.asarray(2)[()]]))
    check(lambda np: np.arange(5)[[1, -1]])


def test_an_overflow_of_a_list_is_told():
    for module in (numpy, heddle):
        with pytest.warns(RuntimeWarning, match="overflow"):
            assert numpy.isinf(host(module.array([1.0, 1e300], "f4")))[1]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16"])
@pytest.mark.parametrize("values", [[300, 1], [-300, 1], [-1, 0], [1.5, 1], [100, 20]], ids=str)
def test_lists_of_results_have_to_fit(dtype, values):
    made = []
    for np in (numpy, heddle):
        x = np.array(values)
        try:
            made.append(host(np.array([x.sum(), x.min()], dtype)).tolist())
        except OverflowError as error:
            # A device that runs behind says where the numbers were, not which.
            found = str(error).removeprefix("Python integer").split(" (assigned")[0]
            made.append(found.lstrip(" -0123456789").removeprefix("number "))
    assert made[1] == made[0]
