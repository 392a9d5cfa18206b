"""What Numba's decorators say counts, also for functions that others take along."""

import numpy as np
import pytest

from heddle import numba
from heddle.numba import float32, float64, guvectorize, int32, njit, vectorize
from heddle.simt import KernelError


@njit("float32(float32)")
def third(x):
    return x / 3


@njit("int64(float64)")
def whole(x):
    return x


@njit("int64(int64, int64)")
def packed(high, low=1):
    return high * 256 + low


@njit(error_model="numpy")
def ratio(a, b):
    return a / b


@njit
def ratio_checked(a, b):
    return a / b


@vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def mean(a, b):
    return (a + b) / 2


@vectorize
def clamped(x, low):
    if x < low:
        return low
    return x * 2


@njit(locals={"x": float32, "i": int32})
def thirds(n):
    x = 1.0
    for i in range(n):  # noqa: B007
        x = x / 3
    return x


@njit(locals={"n": numba.int8})
def small(n):
    return n + 1


@njit
def takes_third(x):
    return third(x)


@njit
def takes_whole(x):
    return whole(x) * 2


@njit
def takes_packed(x):
    return packed(low=x, high=2)


@njit(error_model="numpy")
def takes_checked(a, b):
    return ratio_checked(a, b)


@njit
def takes_ratio(a, b):
    return ratio(a, b)


@njit
def takes_mean(a, b):
    return mean(a, b)


@njit
def takes_clamped(a, b):
    return clamped(a, b)


@njit
def takes_thirds(n):
    return thirds(n) + small(n)


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        (takes_third, (1.0,), float(np.float32(1) / np.float32(3))),
        (takes_whole, (3.7,), 6),
        (takes_packed, (3.9,), 2 * 256 + 3),
        (takes_ratio, (1.0, 0.0), np.inf),
        (takes_mean, (np.float32(1), np.float32(2)), 1.5),
        (takes_clamped, (1.5, 2), 2.0),
        (takes_clamped, (3, 2), 6),
        (thirds, (2,), float(np.float32(np.float32(1 / 3) / 3))),
        (small, (300,), 45),
        (takes_thirds, (2,), float(np.float32(np.float32(1 / 3) / 3)) + 3),
    ],
)
def test_numbers(function, given, expected):
    made = function(*given)
    assert (type(made), made) == (type(expected), expected)


def test_division_is_that_of_the_function_it_is_in():
    with pytest.raises(ZeroDivisionError):
        takes_checked(1.0, 0.0)


@pytest.mark.parametrize("function", [takes_mean, takes_clamped])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ufuncs_of_arrays_inside_of_functions(function, dtype):
    a, b = np.arange(6, dtype=dtype).reshape(2, 3), np.ones(3, dtype)
    expected = (mean if function is takes_mean else clamped)(a, b)
    made = function(a, b)
    assert made.dtype == expected.dtype
    np.testing.assert_array_equal(made, expected)


def test_ufuncs_inside_of_functions_refuse_what_they_refuse():
    @vectorize(["float32(float32)"])
    def half(x):
        return x / 2

    @njit
    def takes(x):
        return half(x)

    with pytest.raises(KernelError, match="half: there is no signature for \\(float64\\)"):
        takes(1.0)


def test_types_of_locals_that_are_arrays():
    @njit(locals={"made": float64[:]})
    def zeros(like):
        made = np.zeros_like(like)
        return made

    assert zeros(np.ones(2)).dtype == np.float64
    with pytest.raises(KernelError, match="'made' has another type in `locals`"):
        zeros(np.ones(2, np.int32))
    with pytest.raises(TypeError, match="'x' has a type of numbers or arrays, not 'f4'"):
        njit(locals={"x": "f4"})


@vectorize(["float64(float64, float64)"], identity=0, fastmath=True)
def added(a, b):
    return a + b


def test_identity_is_what_nothing_adds_up_to():
    assert added.identity == 0
    assert added.reduce(np.zeros(0)) == 0
    np.testing.assert_array_equal(added.reduce(np.zeros((0, 3))), np.zeros(3))
    assert added.reduce(np.ones(3)) == 3


@guvectorize(["(f8[:], f8[:])"], "(n), (k)", nopython=True)
def counted(row, out):
    for i in range(out.size):
        out[i] = row.sum() + i


@pytest.mark.parametrize("lay", [np.copy, np.asfortranarray, lambda a: np.repeat(a, 2, 0)[::2]])
def test_without_results_arguments_are_written(lay):
    rows, out = np.arange(6.0).reshape(2, 3), lay(np.zeros((2, 4)))
    assert counted(rows, out) == ()
    expected = rows.sum(axis=1)[:, None] + np.arange(4)
    np.testing.assert_array_equal(out, expected)
    counted(rows[0], out)
    np.testing.assert_array_equal(out, np.broadcast_to(expected[0], (2, 4)))


TABLE = np.arange(2000) * 3


@vectorize(["int64(int64)"])
def looked_up(i):
    return TABLE[i] + 1


@vectorize(["int64(int64, int64)", "float64(float64, float64)"])
def sum_of(a, b):
    return a + b


def test_ufuncs_read_large_tables():
    x = np.array([[3, 1999], [0, 7]])
    assert np.array_equal(looked_up(x), TABLE[x] + 1)


def test_keywords_of_ufuncs():
    x, y = np.arange(4), np.array([5, 6, 7, 8])
    out = np.array([0.5, 0.5, 0.5, 0.5])
    made = sum_of(x, y, out=out, where=[True, False, True, False])
    assert made is out and out.tolist() == [5.0, 0.5, 9.0, 0.5]
    assert sum_of(x, y, dtype=np.float64).dtype == np.float64
    small = np.zeros(4, np.int8)
    sum_of(x, y, out=small, casting="unsafe")
    assert small.tolist() == [5, 7, 9, 11]
    with pytest.raises(TypeError, match="cast"):
        sum_of(x, y, out=small, casting="safe")
    with pytest.raises(TypeError, match="signature"):
        sum_of(x, y, dtype=np.complex128)
    with pytest.raises(TypeError, match="out="):
        sum_of(x, y, where=[True, False, True, False])
    assert sum_of.reduce(x, dtype=np.float64) == 6.0
    into = np.zeros(2)
    assert sum_of.reduce(x.reshape(2, 2), axis=1, out=into) is into and into.tolist() == [1, 5]
    assert sum_of.accumulate(x, dtype=np.float64).dtype == np.float64
    assert np.array_equal(sum_of.outer(x, y), np.add.outer(x, y))


def test_vectorized_functions_of_arrays_and_numbers():
    @vectorize
    def halved(x, y):
        while x > y:
            x = x / 2
        return x

    x = np.arange(1.0, 6.0)
    assert halved(x, x).tolist() == x.tolist()
    assert halved(x, 2.0).tolist() == [1.0, 2.0, 1.5, 2.0, 1.25]
    assert halved(5.0, x).tolist() == [0.625, 1.25, 2.5, 2.5, 5.0]


def test_rows_along_an_axis():
    @guvectorize(["(float64[:], int64, float64[:])"], "(n),()->(n)")
    def shifted(x, by, out):
        for i in range(x.size):
            out[i] = x[i - by] if i >= by else 0.0

    @guvectorize(["(float64[:], float64[:])"], "(n)->()")
    def total(x, out):
        out[0] = 0
        for i in range(x.size):
            out[0] += x[i]

    x = np.arange(24.0).reshape(2, 3, 4)
    for axis in (0, 1, 2, -1, -3):
        last = np.moveaxis(x, axis, -1)
        wanted = np.moveaxis(shifted(np.ascontiguousarray(last), 1), -1, axis)
        assert np.array_equal(shifted(x, 1, axis=axis), wanted)
        out = np.empty_like(x)
        assert shifted(x, 1, out=out, axis=axis) is out and np.array_equal(out, wanted)
        assert np.array_equal(total(x, axis=axis), x.sum(axis))
    with pytest.raises(TypeError, match="one size"):
        guvectorize("(n),(m)->()")(lambda a, b, c: None)(x, x, axis=0)
