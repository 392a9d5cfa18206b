"""Python's `math` in kernels and in compiled functions: all of it that gives numbers."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import heddle as hd
from heddle import numba_cuda, simt
from heddle._compiled.sources import make_function


def of_math(*functions):
    """Names of `math` that this Python has."""
    return [f for f in functions if hasattr(math, f.partition("(")[0])]


@pytest.mark.parametrize(
    "call",
    of_math(
        *("factorial(n)", "comb(n, k)", "comb(k, n)", "perm(n, k)", "perm(n)", "isqrt(n * n + 3)"),
        *("isqrt(4503599761588224 * k)", "gcd(12 * n, 18, 30)", "lcm(n, 4, 6)", "gcd(n)"),
        *("hypot(x, y, 2.0)", "hypot(x)", "dist((x, y), (1.0, 2.0))", "prod((x, y, 2.0))"),
        *("isclose(x, x + 1e-10)", "isclose(x, x + 1e-3)", "isclose(x, y, rel_tol=0.9)"),
        *("isclose(x, 0.0, abs_tol=2.0)", "remainder(x, y)", "cbrt(x)", "copysign(x, -1)"),
    ),
)
def test_functions_of_math(call):
    namespace = {"math": math}
    exec(f"def f(n, k, x, y): return math.{call}", namespace)
    wanted = namespace["f"](9, 4, 1.5, 0.7)

    source = f"def f(n, k, x, y):\n    return math.{call}\n"
    function = make_function(source, "f", {"math": math})
    assert hd.njit(function)(9, 4, 1.5, 0.7) == pytest.approx(wanted, rel=1e-15)

    @simt.kernel
    def kernel(n, k, x, y, out):
        out[0] = function(n, k, x, y)

    out = np.zeros(1)
    kernel[1, 1](9, 4, 1.5, 0.7, out)
    assert out[0] == pytest.approx(float(wanted), rel=1e-15)


def test_what_math_refuses():
    @hd.njit
    def factorial(n):
        return math.factorial(n)

    @hd.njit
    def comb(n, k):
        return math.comb(n, k)

    @hd.njit
    def isqrt(n):
        return math.isqrt(n)

    assert factorial(20) == math.factorial(20)
    assert comb(61, 30) == math.comb(61, 30)
    assert isqrt(2**62 - 1) == math.isqrt(2**62 - 1)
    assert all(isqrt(n) == math.isqrt(n) for n in range(200))
    for function, args in ((factorial, (-1,)), (comb, (-1, 2)), (comb, (2, -1)), (isqrt, (-1,))):
        with pytest.raises(ValueError):
            function(*args)


EDGES = [
    1.0,
    -1.5,
    1e6 + 0.5,
    1e8,
    0.25,
    0.49999999999999994,
    2.0**52 + 1,
    0.0,
    -30.0,
    -2.5,
    3e-310,
]


def of_turns(function):
    return lambda x: float(function(mpmath.mpf(x) % 2))


def half_away_from_zero(x):
    whole = math.trunc(x)
    return whole + math.copysign(1, x) if abs(Fraction(x) - whole) >= 0.5 else whole


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("sinpi", of_turns(mpmath.sinpi)),
        ("cospi", of_turns(mpmath.cospi)),
        ("round", half_away_from_zero),
        ("llround", half_away_from_zero),
        ("logb", lambda x: math.frexp(x)[1] - 1 if x else -math.inf),
        ("ilogb", lambda x: math.frexp(x)[1] - 1 if x else -(2**31)),
        ("normcdf", lambda x: float(mpmath.ncdf(x))),
    ],
)
def test_libdevice_where_digits_are_lost(name, exact):
    for suffix, dtype in (("", np.float64), ("f", np.float32)):
        function = getattr(numba_cuda.libdevice, name + suffix)

        @numba_cuda.jit
        def kernel(x, out):
            i = numba_cuda.grid(1)
            if i < x.size:
                out[i] = function(x[i])  # noqa: B023

        x = np.array(EDGES, dtype)
        out = hd.zeros(x.size)
        kernel[1, 32](x, out)
        wanted = np.array([exact(float(one)) for one in x], dtype).astype(float)
        np.testing.assert_allclose(hd.asnumpy(out), wanted, rtol=4 * np.finfo(dtype).eps)


def test_libdevice_of_no_numbers():
    libdevice = numba_cuda.libdevice

    @numba_cuda.jit
    def kernel(x, out):
        i = numba_cuda.grid(1)
        if i < x.size:
            out[i, 0] = libdevice.fdim(x[i], 1.0)
            out[i, 1] = libdevice.logb(x[i])
            out[i, 2] = libdevice.ilogb(x[i])
            out[i, 3] = libdevice.round(x[i])

    out = hd.zeros((3, 4))
    kernel[1, 32](np.array([math.nan, math.inf, -math.inf]), out)
    most, least = 2.0**31 - 1, -(2.0**31)
    wanted = [[math.nan, math.nan, least, math.nan], [math.inf, math.inf, most, math.inf]]
    np.testing.assert_array_equal(hd.asnumpy(out), [*wanted, [0, math.inf, most, -math.inf]])
