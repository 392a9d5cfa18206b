"""Functions of numbers, of rows and of neighbours, for whole arrays."""

import math

import numpy as np
import pytest

import heddle as hd
from heddle import guvectorize, stencil, vectorize
from heddle import numba as nb
from heddle.simt import KernelError


@vectorize
def lower(a, b):
    if a < b:
        return a
    return b


@vectorize
def escapes(c):
    z, n = 0j, 0
    while abs(z) < 2 and n < 20:
        z = z * z + c
        n += 1
    return n


@vectorize
def waves(x, k):
    y = math.sin(x) * 2 if x > 0 else abs(x) ** k
    return max(y, -0.5) + (1 if 0 < x < 1 else 0)


def called(f, *args):
    """What Python computes, element by element."""
    return np.vectorize(f.pyfunc)(*args)


def test_functions_without_loops_are_expressions():
    x = np.linspace(-3, 3, 23)
    np.testing.assert_allclose(hd.asnumpy(waves(hd.asarray(x), 2)), called(waves, x, 2))
    assert not waves.why_not and waves._compiled.expression is not None
    got = lower(hd.arange(6).reshape(2, 3), hd.array([3, 1, 9]))
    np.testing.assert_array_equal(hd.asnumpy(got), [[0, 1, 2], [3, 1, 5]])
    assert lower(hd.ones(2, "f4"), 2.0).dtype == np.float32


def test_they_fuse_and_have_derivatives():
    y = lower(hd.arange(4.0) * 2, 3.0) + 1
    np.testing.assert_array_equal(hd.asnumpy(y), [1, 3, 4, 4])
    slope = hd.grad(lambda x: lower(x * x, 5.0).sum())(hd.arange(4.0))
    np.testing.assert_array_equal(hd.asnumpy(slope), [0, 2, 4, 0])


def test_functions_with_loops_are_kernels():
    c = np.linspace(-2, 1, 50).reshape(5, 10) + 0.3j
    np.testing.assert_array_equal(hd.asnumpy(escapes(c)), called(escapes, c))
    assert escapes(np.zeros((0, 3))).shape == (0, 3)


def test_several_results():
    @vectorize
    def both(x):
        n = 0
        while x > 1:
            x /= 2
            n += 1
        return x, n

    x = np.array([1.0, 5.0, 100.0])
    fractions, counts = both(hd.asarray(x))
    np.testing.assert_array_equal(hd.asnumpy(counts), [0, 3, 7])
    np.testing.assert_allclose(hd.asnumpy(fractions), x / 2.0 ** np.array([0, 3, 7]))


def test_what_is_not_compiled_is_called():
    seen = []

    def noted(x):
        seen.append(x)
        return x + 1

    f = vectorize(noted)
    np.testing.assert_array_equal(hd.asnumpy(f(hd.arange(3))), [1, 2, 3])
    assert seen and "append" in f.why_not
    f = vectorize(lambda x: x * 2)
    np.testing.assert_array_equal(hd.asnumpy(f([1, 2])), [2, 4])
    assert "lambda" in f.why_not


def test_types_that_are_given():
    @vectorize(["int64(int64, int64)", "float64(float64, float64)"])
    def add(a, b):
        return a + b

    assert add(hd.arange(3), hd.arange(3)).dtype == np.int64
    assert add(hd.ones(3, "f4"), 1.5).dtype == np.float64
    with pytest.raises(TypeError, match="signature"):
        add(hd.ones(3, "c16"), 1)
    with pytest.raises((TypeError, ValueError)):
        vectorize(["nothing(at all)"])


def test_reduce_accumulate_outer():
    @vectorize
    def combine(a, b):
        return a * 0.5 + b

    x = np.random.default_rng(0).random((3, 4, 5))
    theirs = np.frompyfunc(combine.pyfunc, 2, 1)
    for axis in (0, 1, -1):
        got = hd.asnumpy(combine.reduce(x, axis=axis))
        np.testing.assert_allclose(got, theirs.reduce(x, axis=axis).astype(float))
        got = hd.asnumpy(combine.accumulate(x, axis=axis))
        np.testing.assert_allclose(got, theirs.accumulate(x, axis=axis).astype(float))
    assert combine.reduce(x, axis=0, keepdims=True).shape == (1, 4, 5)
    np.testing.assert_allclose(
        hd.asnumpy(combine.outer(np.arange(3), np.arange(4))),
        theirs.outer(np.arange(3), np.arange(4)).astype(float),
    )
    with pytest.raises(ValueError, match="no identity"):
        combine.reduce(np.zeros((0, 2)))

    @hd.reduce
    def longest(a, b):
        return a if abs(a) > abs(b) else b

    assert longest(hd.array([1.0, -5.0, 3.0])) == -5
    np.testing.assert_array_equal(
        hd.asnumpy(longest(hd.array([[1, -2], [-3, 1]]), axis=0)), [-3, -2]
    )


def test_guvectorize():
    @guvectorize("(n),()->(n)")
    def scaled(x, factor, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * factor

    x = np.arange(12.0).reshape(2, 2, 3)
    np.testing.assert_array_equal(hd.asnumpy(scaled(x, [2.0, 3.0])), x * [[[2.0], [3.0]]])
    assert scaled(np.ones((0, 3)), 1.0).shape == (0, 3)
    out = np.zeros((2, 2, 3))
    assert scaled(x, 1.0, out=out) is out
    np.testing.assert_array_equal(out, x)

    @guvectorize(["float64[:], float64[:], float64[:]"], "(n),(n)->()")
    def dot(a, b, out):
        s = 0.0
        for i in range(len(a)):
            s += a[i] * b[i]
        out[0] = s

    np.testing.assert_allclose(hd.asnumpy(dot(x, x[0])), (x * x[0]).sum(-1))
    with pytest.raises(ValueError, match="'n'"):
        dot(np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="signature"):
        guvectorize("n->n")(dot.py_func)
    with pytest.raises(ValueError, match="'m'"):
        guvectorize("(n)->(m)")(dot.py_func)


def test_stencils():
    @stencil
    def laplace(a):
        return a[0, 1] + a[0, -1] + a[1, 0] + a[-1, 0] - 4 * a[0, 0]

    x = np.random.default_rng(1).random((6, 7))
    expected = np.zeros_like(x)
    expected[1:-1, 1:-1] = (
        x[1:-1, 2:] + x[1:-1, :-2] + x[2:, 1:-1] + x[:-2, 1:-1] - 4 * x[1:-1, 1:-1]
    )
    np.testing.assert_allclose(hd.asnumpy(laplace(x)), expected)

    weight = 0.5

    @stencil(cval=9)
    def behind(a, w):
        return a[-2] * w[0] + weight

    got = hd.asnumpy(behind(np.arange(5.0), np.ones(5)))
    np.testing.assert_array_equal(got, [9, 9, 0.5, 1.5, 2.5])

    @stencil(neighborhood=((-2, 0),))
    def window(a):
        s = 0.0
        for i in range(-2, 1):
            s += a[i]
        return s

    np.testing.assert_array_equal(hd.asnumpy(window(np.arange(5.0))), [0, 0, 3, 6, 9])
    with pytest.raises(TypeError, match="array"):
        laplace(3)
    with pytest.raises(KernelError, match="2 numbers"):
        stencil(lambda_like)(np.ones((2, 2)))
    assert laplace(np.ones((1, 1))).shape == (1, 1)


def lambda_like(a):
    return a[0]


def test_numbas_names():
    @nb.vectorize([nb.float64(nb.float64)])
    def square(x):
        return x * x

    np.testing.assert_array_equal(hd.asnumpy(square(hd.arange(3.0))), [0, 1, 4])

    @nb.guvectorize([(nb.float64[:], nb.float64[:])], "(n)->()")
    def total(x, result):
        result[0] = x.sum()

    np.testing.assert_array_equal(hd.asnumpy(total(np.ones((3, 4)))), [4, 4, 4])

    @nb.njit("float64(float64[:])", cache=True)
    def add(x):
        s = 0.0
        for v in x:
            s += v
        return s

    assert add.signatures and add(np.ones(3)) == 3.0 and isinstance(add(np.ones(3)), float)

    @nb.jit(nopython=True, parallel=True, fastmath=True)
    def sums(x):
        s = 0
        for i in nb.prange(x.shape[0]):
            s += x[i]
        return s

    assert sums(np.ones(1000, np.int8)) == 1000

    @nb.njit
    def ratio(a, b):
        return a / b

    with pytest.raises(ZeroDivisionError):
        ratio(1.0, 0.0)
    assert nb.njit(error_model="numpy")(ratio.py_func)(1.0, 0.0) == math.inf
    with pytest.raises(TypeError, match="option"):
        nb.njit(unknown=1)
    with pytest.raises(ValueError, match="object mode"):
        nb.jit(nopython=False)


def test_text_that_is_no_signature_is_no_function_either():
    for module in (np, hd):
        with pytest.raises(TypeError):
            module.vectorize("text")


@stencil(func_or_mode="constant", cval=7)
def _difference(a):
    return a[1] - a[-1]


@stencil
def _cross(a):
    return 0.25 * (a[-1, 0] + a[1, 0] + a[0, -1] + a[0, 1])


def test_stencils_inside_of_compiled_functions():
    @nb.njit(parallel=True)
    def smoothed(x, steps):
        for _ in range(steps):
            x = _cross(x)
        return x

    @hd.njit
    def shifted(x):
        return _difference(x) + 1

    x = np.random.default_rng(0).random((6, 5))
    np.testing.assert_allclose(hd.asnumpy(smoothed(x, 2)), hd.asnumpy(_cross(_cross(x))))
    assert shifted(np.arange(5)).tolist() == [8, 3, 3, 3, 8]
    assert shifted(np.arange(5, dtype=np.float32)).dtype == np.float32

    @hd.njit
    def of_a_number(x):
        return _difference(x)

    with pytest.raises(KernelError, match="the first argument of a stencil is an array"):
        of_a_number(2.0)


def test_reductions_by_given_types():
    # What is summed is of the type that the signature says: it wraps around where that does.
    @nb.vectorize(["int32(int32, int32)", "float32(float32, float32)"])
    def add(a, b):
        return a + b

    x = np.full(3, 2**30, np.int32)
    assert add.reduce(x).dtype == np.int32
    assert add.reduce(x) == np.int32(-(2**30))
    made = add.accumulate(x)
    assert made.dtype == np.int32 and made.tolist() == [2**30, -(2**31), -(2**30)]
    half = np.arange(5, dtype=np.float32)
    assert add.reduce(half).dtype == np.float32 and add.reduce(half) == 10
    small = np.arange(4, dtype=np.int8)
    assert add.reduce(small).dtype == np.int32
    with pytest.raises(TypeError):
        add.reduce(np.ones(3, complex))


def test_rows_take_pythons_numbers_as_they_fit():
    @nb.guvectorize(["void(int32, int32[:])", "void(float32, float32[:])"], "()->()")
    def twice(x, out):
        out[0] = x * 2

    assert twice(10) == 20 and twice(10).dtype == np.int32
    assert twice(1.5) == 3 and twice(1.5).dtype == np.float32
    assert twice(True) == 2
    with pytest.raises(OverflowError):
        twice(2**40)
    with pytest.raises(TypeError, match="no signature"):
        twice(1j)
    with pytest.raises(TypeError, match="no signature"):
        twice(np.int64(3))
    out = np.zeros(3, np.int32)
    with pytest.raises(TypeError, match="both"):
        twice(np.arange(3, dtype=np.int32), out, out=out)


class Powers:
    exponent = 2

    def of(self, a):
        return a**self.exponent


def test_arguments_that_are_no_numbers():
    made = vectorize(Powers.of)(Powers(), hd.arange(4))
    assert isinstance(made, hd.ndarray) and made.tolist() == [0, 1, 4, 9]


def test_decorators_with_options_of_numpys():
    @vectorize(signature="(n)->(n)", otypes=["float64"])
    def doubled(x):
        return x * 2

    made = doubled(hd.arange(6).reshape(2, 3))
    assert made.dtype == np.float64 and made.tolist() == [[0, 2, 4], [6, 8, 10]]
    assert doubled.__name__ == "doubled"
    days = np.array(["2024-01-01", "2024-01-02"], "M8[D]")
    assert vectorize(lambda x: x, signature="(n)->(n)", otypes=["M8[D]"])(days).tolist() == (
        days.tolist()
    )
