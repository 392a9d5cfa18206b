"""Functions that are values: closures of one text, and functions that functions make."""

import functools

import numpy
import pytest
from support import host

import heddle
from heddle import njit, simt
from heddle.cupyx import jit
from heddle.numba import cuda


def adder(amount):
    def add(x):
        return x + amount

    return add


def doubled_after(function):
    def after(x):
        return function(x) * 2 + 1

    return after


def power_of(base):
    def power(exponent):
        if exponent == 0:
            return 1
        return base * power(exponent - 1)

    return power


twice = doubled_after(doubled_after(adder(3)))
power_of_two, power_of_three = power_of(2), power_of(3)


def test_closures_that_are_made_inside():
    @njit
    def both(x):
        ten, twenty = adder(10), adder(20)
        return ten(x), twenty(x), ten(x)

    assert both(1) == (11, 21, 11)


def test_closures_of_one_text_are_different_functions():
    @njit
    def called(x):
        return twice(x)

    assert called(5) == twice(5)

    @njit
    def powers(x):
        return power_of_two(x) + 1000 * power_of_three(x)

    assert powers(4) == 16 + 81_000


def test_defaults_of_lambdas():
    @njit
    def both(x):
        functions = (lambda v, k=3: v + k, lambda v, k=4: v + k)
        return functions[0](x), functions[1](x)

    assert both(1) == (4, 5)


def scaled(factor):
    @jit.rawkernel(device=True)
    def function(x):
        return x * factor

    return function


@pytest.mark.parametrize(
    "decorator", [simt.func, cuda.jit(device=True), jit.rawkernel(device=True), njit]
)
def test_decorators_inside(decorator):
    @simt.kernel
    def kernel(x, out):
        @decorator
        def half(v):
            return v / 2

        i = simt.grid(1)
        out[i] = half(x[i]) + scaled(10)(x[i]) - scaled(3)(x[i])

    x, out = heddle.arange(8.0), heddle.zeros(8)
    kernel[1, 8](x, out)
    assert host(out).tolist() == [7.5 * i for i in range(8)]


def test_decorators_that_nobody_knows():
    def unknown(function):
        return function

    @njit
    def called(x):
        @unknown
        def half(v):
            return v / 2

        return half(x)

    with pytest.raises(simt.KernelError, match=r"simt\.func for a decorator"):
        called(1)


@pytest.mark.parametrize("shuffle", ["shfl_sync", "shfl_up_sync", "shfl_down_sync"])
def test_groups_whose_width_is_an_argument(shuffle):
    do = getattr(simt, shuffle)

    @simt.kernel
    def given(x, out, lane, width):
        i = simt.threadIdx.x
        out[i] = do(0xFFFFFFFF, x[i], lane, width)

    x = heddle.arange(64) * 3
    for width in (2, 8, 32):
        for lane in (0, 1, 5):
            out = heddle.zeros(64, int)
            given[1, 64](x, out, lane, width)
            expected = numpy.arange(64)
            group, within = expected // width * width, expected % width
            if shuffle == "shfl_sync":
                expected = group + lane % width
            elif shuffle == "shfl_up_sync":
                expected = numpy.where(within >= lane, expected - lane, expected)
            else:
                expected = numpy.where(within + lane < width, expected + lane, expected)
            assert host(out).tolist() == (expected * 3).tolist()


def test_types_by_their_names():
    @jit.rawkernel()
    def fill(x):
        x[jit.threadIdx.x] = heddle.dtype("float32").type(2.7)

    assert fill.cached_codes == {}
    with pytest.raises(RuntimeError, match="nothing was compiled"):
        fill.cached_code
    x = heddle.zeros(4)
    fill[1, 4](x)
    assert host(x).tolist() == [float(numpy.float32(2.7))] * 4
    assert "define" in fill.cached_code and len(fill.cached_codes) == 1


def one_more(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x) + 1

    return wrapper


@one_more
def doubled(x):
    return x * 2


def test_decorated_functions_are_what_decorators_give():
    # `functools.wraps` gives them the name and, by `__wrapped__`, the source of another function.
    @simt.kernel
    def kernel(out):
        out[0] = doubled(3)

    out = numpy.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 7
    assert heddle.njit(doubled)(3) == 7
    assert host(heddle.vectorize(doubled)(numpy.arange(3.0))).tolist() == [1, 3, 5]


def test_functions_with_another_name():
    def tripled(x):
        return 3 * x

    tripled.__name__ = "other"
    assert heddle.njit(tripled)(2) == 6
