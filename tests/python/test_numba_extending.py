"""Numba's `extending`, `config`, `core`, threads of loops, and globals that are constants."""

import threading

import numpy as np
import pytest

from heddle import numba
from heddle.numba import get_num_threads, njit, prange, set_num_threads, types, vectorize
from heddle.numba.core import errors
from heddle.numba.extending import overload, overload_attribute, overload_method
from heddle.simt import KernelError


def amount(x, y=None):
    raise NotImplementedError


@overload(amount)
def _amount(x, y=None):
    if isinstance(x, types.Boolean):
        return lambda x, y=None: -1
    if isinstance(x, types.Integer):
        if y is None or isinstance(y, types.NoneType):
            return lambda x, y=None: x + 1
        return lambda x, y=None: x + y
    if isinstance(x, types.Array):
        dtype = x.dtype

        def impl(x, y=None):
            made = np.empty(x.shape[0], dtype)
            for i in range(x.shape[0]):
                made[i] = x[i] * 2
            return made

        return impl
    if isinstance(x, types.UniTuple):
        return lambda x, y=None: len(x) * 10
    if isinstance(x, types.BaseTuple):
        return lambda x, y=None: len(x) * 100
    if isinstance(x, types.UnicodeType):
        return lambda x, y=None: len(x)
    return None


def test_an_overload_is_chosen_by_types():
    @njit
    def f(a, n):
        return amount(a), amount(n), amount(n, 5), amount(n, None), amount("abc"), amount(n > 2)

    made = f(np.arange(3, dtype=np.float32), 3)
    assert made[1:] == (4, 8, 4, 3, -1)
    assert made[0].dtype == np.float32 and made[0].tolist() == [0, 2, 4]

    @njit
    def tuples(n):
        return amount((n, n)), amount((n, 1.5)), amount(x=n, y=n)

    assert tuples(3) == (20, 200, 6)
    with pytest.raises(KernelError, match="amount"):
        njit(lambda x: amount(x))(1j)


def fact(n):
    raise NotImplementedError


@overload(fact, jit_options={"error_model": "numpy"})
def _fact(n):
    def impl(n):
        if n <= 1:
            return 1
        return n * fact(n - 1)

    return impl


def test_an_overload_calls_itself():
    @njit
    def f(n):
        return fact(n) + 1

    assert f(10) == 3628801


@overload_method(types.Array, "spread")
def _spread(a, by=1):
    return lambda a, by=1: (a.max() - a.min()) * by


@overload_attribute(types.Array, "bytes_in_all")
def _bytes(a):
    return lambda a: a.size * a.itemsize


def test_methods_and_attributes_are_added():
    @njit
    def f(a):
        return a.spread(), a.spread(by=3), a.bytes_in_all

    assert f(np.array([1.0, 5.0])) == (4.0, 12.0, 16)
    with pytest.raises(KernelError, match="spread"):
        njit(lambda x: x.spread())(2)


def same(x):
    raise NotImplementedError


@overload(same, prefer_literal=True)
def _same(x):
    if isinstance(x, types.IntegerLiteral):
        return (lambda x: 100) if x.literal_value > 5 else (lambda x: 10)
    return lambda x: x


def test_literals_are_known():
    @njit
    def f(n):
        return same(6), same(2), same(n)

    assert f(7) == (100, 10, 7)


def test_classes_of_types():
    assert isinstance(types.int32, types.Integer) and not isinstance(types.int32, types.Float)
    assert isinstance(types.complex64, types.Number) and not isinstance(types.boolean, types.Number)
    assert isinstance(types.float32[:], types.Array) and types.float32[:].dtype is types.float32
    assert isinstance(types.UniTuple(types.int8, 2), types.UniTuple)
    assert isinstance(types.Tuple((types.int8, types.int16)), types.BaseTuple)
    assert not isinstance(types.Tuple((types.int8, types.int16)), types.UniTuple)
    assert types.Tuple((types.int8, types.int16))[1] is types.int16
    assert (types.int16.bitwidth, types.int16.signed, types.uint8.signed) == (16, True, False)
    assert isinstance(types.none, types.NoneType) and not isinstance(2, types.Integer)


def test_an_option_that_is_none_is_refused():
    with pytest.raises(TypeError, match="anything"):
        overload(amount, anything=True)(lambda x: None)
    with pytest.raises(TypeError, match="anything"):
        overload(amount, jit_options={"anything": True})(lambda x: None)


@njit(parallel=True)
def total(x):
    made = 0.0
    for i in prange(x.size):
        made += np.sin(x[i])
    return made


@njit(parallel=True)
def filled(n):
    made = np.zeros(n, np.int64)
    for i in prange(n):
        made[i] += i
    return made


def test_loops_on_fewer_threads():
    before = get_num_threads()
    x = np.arange(3e5)
    expected = total(x)
    most = numba.config.NUMBA_NUM_THREADS
    try:
        for count in {1, min(2, most), most}:
            set_num_threads(count)
            assert get_num_threads() == count
            assert total(x) == expected
            assert np.array_equal(filled(12345), np.arange(12345))
            seen = []
            other = threading.Thread(target=lambda seen=seen: seen.append(get_num_threads()))
            other.start()
            other.join()
            assert seen == [most]
    finally:
        set_num_threads(before)
    for count in (0, -1, most + 1):
        with pytest.raises(ValueError, match="from 1 to"):
            set_num_threads(count)
    with pytest.raises(TypeError, match="integer"):
        set_num_threads(1.5)


SCALE = 3


def test_globals_are_what_they_were():
    """As Numba's: what was compiled keeps them, until it is compiled again."""
    global SCALE

    @njit
    def f(x):
        return x * SCALE

    @njit("int64(int64)")
    def given(x):
        return x * SCALE

    @vectorize(["int64(int64)"])
    def each(x):
        return x * SCALE

    assert f(2) == 6 and given(2) == 6
    SCALE = 5
    assert each(2) == 6
    try:
        assert f(2) == 6 and given(2) == 6 and each(2) == 6
        assert f(2.0) == 10.0
        f.recompile()
        given.recompile()
        assert f(2) == 10 and given(2) == 10
    finally:
        SCALE = 3


def test_a_function_with_a_type_of_functions():
    @njit(types.int64(types.FunctionType(types.int64(types.int64)), types.int64))
    def applied(g, x):
        return g(x) + 1

    assert applied(njit(lambda x: x * 2), 5) == 11
    assert applied(njit(lambda x: x * 3), 5) == 16


def test_errors_are_caught_by_numbas_names():
    def asks(x):
        return input(x)

    with pytest.raises(errors.TypingError):
        njit(asks)(1)
    assert numba.TypingError is errors.TypingError
    assert issubclass(errors.NumbaPerformanceWarning, errors.NumbaWarning)


def test_functions_stay_pythons_where_that_is_said(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)

    @njit(cache=True)
    def f(x):
        return [x, str(x)]

    def g(x):
        return {x: x}

    assert f(2) == [2, "2"]
    assert njit(g) is g and njit("int64(int64)")(g) is g


def test_object_mode_is_refused_with_its_line():
    from heddle.numba import objmode

    @njit
    def f(x):
        with objmode(y="float64"):
            y = float(str(x))
        return y

    assert f.py_func(2) == 2.0
    with pytest.raises(KernelError, match="with objmode"):
        f(2)


def test_functions_with_types_are_taken_along_as_they_were_compiled():
    global SCALE

    @njit("int64(int64)")
    def given(x):
        return x * SCALE

    @vectorize(["int64(int64)"])
    def each(x):
        return x * SCALE if x < 5 else each(x - 1)

    @njit("float64(int64)")
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @njit
    def both(x):
        return given(x) + each(x), factorial(x)

    SCALE = 100
    try:
        assert both(2) == (12, 2.0) and both(6)[1] == 720.0
    finally:
        SCALE = 3
