"""Comparing, clipping, rounding, complex parts, differences, bits."""

import numpy
import pytest
from compare import check
from support import FLOATS, INTEGERS, STANDARD, edge_values, name

import heddle


def grid(np, *shape, dtype=int):
    return np.arange(int(numpy.prod(shape)), dtype=dtype).reshape(shape)


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_clip_types(dtype):
    values = edge_values(dtype)
    if dtype.kind != "c":
        # The sign of a zero at the limit is not defined.
        check(lambda np: np.clip(np.asarray(values), dtype.type(0), dtype.type(1)) + dtype.type(0))
    check(lambda np: np.clip(np.asarray(values), dtype.type(1), np.asarray(values)[::-1] * 0 + 1))


def test_clip():
    check(lambda np: np.clip(np.arange(6), 1, 4))
    check(lambda np: np.clip(np.arange(6), 1, None))
    check(lambda np: np.clip(np.arange(6), None, 4))
    check(lambda np: np.clip(np.arange(6), None, None))
    check(lambda np: np.clip(np.arange(6)))
    check(lambda np: np.clip(np.arange(6), min=2))
    check(lambda np: np.clip(np.arange(6), min=2, max=3))
    check(lambda np: np.clip(np.arange(6), 1, 4, max=3))
    assert heddle.clip(heddle.arange(3), 1).tolist() == [1, 1, 2]  # the array API's, no error
    check(lambda np: np.clip(np.arange(6), 1.5, 4))
    check(lambda np: np.clip(np.arange(6), [1, 2, 1, 2, 1, 2], 4))
    check(lambda np: np.clip(np.arange(6), [[1], [2]], 4))
    check(lambda np: np.clip(np.arange(6), 4, 1))
    check(lambda np: np.clip(np.asarray([1, 2], np.uint8), -1, 300))
    check(lambda np: np.clip(np.asarray([1, 2], np.uint8), -5, np.int8(1)))
    check(lambda np: np.clip([1.0, float("nan")], 0, 0.5))
    check(lambda np: np.clip([1.0, 2.0], float("nan"), 3))
    check(lambda np: np.clip(np.arange(6.0), 1, 4, out=np.zeros(6)))
    check(lambda np: np.clip(np.arange(6.0), 1, 4, out=np.zeros(6, int)))
    check(lambda np: np.clip(np.arange(6), 1, 4, dtype=np.float32))
    check(lambda np: np.clip(np.arange(6), 1, 4, where=np.arange(6) > 2, out=np.zeros(6, int)))

    def in_place(np):
        a = np.arange(6)
        np.clip(a, 1, 3, out=a)
        return a

    check(in_place)


@pytest.mark.parametrize("dtype", FLOATS, ids=name)
def test_round_floats(dtype):
    values = numpy.array([0.5, 1.5, -2.5, 2.675, 123.456, -0.04, numpy.inf, numpy.nan], dtype)
    for decimals in (0, 1, 2, -1, -2):
        check(lambda np, d=decimals: np.round(np.asarray(values), d))


def test_round():
    for decimals in (0, 2, -1, -2):
        check(lambda np, d=decimals: np.round(np.asarray([123, -456, 15, 25]), d))
        check(lambda np, d=decimals: np.round(np.asarray([1.25 + 3.75j, -0.05j]), d))
    check(lambda np: np.round(np.asarray([True, False])))
    check(lambda np: np.round(np.asarray([True, False]), 1))
    check(lambda np: np.around(2.5))
    check(lambda np: np.round([1.25, 2.35], decimals=1, out=np.zeros(2)))
    check(lambda np: np.round(np.asarray([12, 27], np.int8), -1))
    check(lambda np: np.fix([2.7, -2.7, 0.5]))
    check(lambda np: np.fix(np.asarray([2.7, -2.7]), out=np.zeros(2)))


def test_closeness():
    nan, inf = float("nan"), float("inf")
    pairs = [
        ([1.0, 2.0], [1.0, 2.0 + 1e-9]),
        ([1.0, nan, inf, -inf], [1.0, nan, inf, inf]),
        ([1, 2], [1, 3]),
        ([1e10, 1e-7], [1.00001e10, 1e-8]),
        (1.0, [1.0, 1.1]),
        ([1.0], 1),
        (1, 1),
        ([True, False], [True, True]),
        ([1j, 2], [1j, 2.1]),
    ]
    for a, b in pairs:
        for equal_nan in (False, True):
            check(lambda np, a=a, b=b, e=equal_nan: np.isclose(a, b, equal_nan=e))
            check(lambda np, a=a, b=b, e=equal_nan: np.allclose(a, b, equal_nan=e))
            check(
                lambda np, a=a, b=b, e=equal_nan: np.isclose(
                    np.asarray(a), np.asarray(b), 0.1, 0.2, e
                )
            )
    check(lambda np: np.isclose(np.asarray([1, 2], np.float32), np.asarray([1, 2], np.float16)))
    check(lambda np: np.isclose([1, 2], [1, 2, 3]))
    check(lambda np: np.array_equal([1, 2], [1, 2]))
    check(lambda np: np.array_equal([1, 2], [1, 2, 3]))
    check(lambda np: np.array_equal([1, nan], [1, nan]))
    check(lambda np: np.array_equal([1, nan], [1, nan], equal_nan=True))
    check(lambda np: np.array_equal([1, 2], [1, 2], equal_nan=True))
    check(lambda np: np.array_equiv([1, 2], [[1, 2], [1, 2]]))
    check(lambda np: np.array_equiv([1, 2], [1, 2, 3]))
    assert isinstance(heddle.allclose([1.0], [1.0]), bool)
    assert isinstance(heddle.array_equal([1.0], [1.0]), bool)


def test_complex_parts():
    z = [1 + 2j, -3.5j, 0, complex("nan")]
    for dtype in (numpy.complex64, numpy.complex128):
        for function in ("real", "imag", "iscomplex", "isreal", "real_if_close", "conj"):
            check(lambda np, f=function, t=dtype: getattr(np, f)(np.asarray(z, t)))
        check(lambda np, t=dtype: np.angle(np.asarray(z, t)), ulp=4)
        check(lambda np, t=dtype: np.angle(np.asarray(z[:2], t), deg=True), ulp=4)
    for function in ("real", "imag", "iscomplex", "isreal", "angle"):
        check(lambda np, f=function: getattr(np, f)([1.5, -2.0]), ulp=1)
        check(lambda np, f=function: getattr(np, f)(np.asarray([1, -2])), ulp=1)
    check(lambda np: np.real(3))
    check(lambda np: np.real_if_close([1 + 1e-15j, 2]))
    check(lambda np: np.real_if_close([1 + 1e-5j, 2]))
    check(lambda np: [np.iscomplexobj([1j]), np.iscomplexobj(np.zeros(1)), np.isrealobj([1.0])])
    check(lambda np: [np.isscalar(3), np.isscalar([3]), np.isscalar("a")])


SCALARS = """
np.ones(2)[0]; np.ones(2)[0, ...]; np.array(1.0)[()]; np.array(1.0)[...]; np.array(1).copy()
np.ones(2).sum(); np.array(3).round(); np.array([1, 2]).take(0); np.take([1, 2], 1)
np.matmul([1.0], [1.0]); np.array([1]) @ [1]; np.median([1.0]); np.quantile([1], 0)
np.percentile([1.0, 2], 50); np.nanmedian([1.0]); np.polyval([1, 2], 3.0)
np.polynomial.polynomial.polyval(1.0, [1, 2]); np.ravel_multi_index((1,), (2,)); np.zeros(())
np.real(3.0); np.imag(3.0); np.real(2j); np.imag(2j); np.iscomplex(1); np.real(np.array(2j))
np.random.default_rng(1).integers(3); np.random.default_rng(1).choice(3); np.asarray(3)
np.random.default_rng(1).choice([1, 2]); np.random.default_rng(1).gamma(2.0)
"""


@pytest.mark.parametrize("text", SCALARS.strip().replace("\n", ";").split(";"))
def test_where_numpy_gives_scalars(text):
    """So are ours: nobody writes to them, and in-place operators make new ones."""
    made, theirs = (eval(text.strip(), {"np": np}) for np in (heddle, numpy))
    assert heddle.isscalar(made) == numpy.isscalar(theirs)
    if numpy.isscalar(theirs):
        before, kept = complex(made), made
        made += 1
        assert made is not kept and complex(kept) == before


def test_scalars_are_no_views():
    x = heddle.array(1.0)
    y = x[()]
    x[...] = 5
    assert float(y) == 1 and float(x) == 5


def test_real_arrays_are_their_real_part():
    for np in (numpy, heddle):
        a = np.ones(3)
        assert a.real is a
        assert np.real(a) is a


def test_infinities():
    values = [float("inf"), -float("inf"), float("nan"), 1.0]
    check(lambda np: np.isposinf(values))
    check(lambda np: np.isneginf(values))
    check(lambda np: np.isposinf([1, 2]))
    check(lambda np: np.isposinf([1j]))
    check(lambda np: np.isneginf(values, out=np.zeros(4, bool)))


def test_differences():
    for n in (0, 1, 2, 3):
        check(lambda np, n=n: np.diff(grid(np, 3, 4) ** 2, n))
        check(lambda np, n=n: np.diff(grid(np, 3, 4) ** 2, n, axis=0))
    check(lambda np: np.diff([True, False, False, True]))
    check(lambda np: np.diff([1, 4, 9], prepend=0, append=[16, 25]))
    check(lambda np: np.diff(grid(np, 2, 3), prepend=0, axis=0))
    check(lambda np: np.diff([1, 2], -1))
    check(lambda np: np.diff(5))
    check(lambda np: np.diff(np.asarray([1, 4, 2], np.uint8)))
    check(lambda np: np.ediff1d([[1, 2], [4, 7]]))
    check(lambda np: np.ediff1d([1, 2, 4], to_end=99, to_begin=[-1, -2]))
    check(lambda np: np.ediff1d([1, 2, 4], to_end=1.5))
    check(lambda np: np.ediff1d([]))
    check(lambda np: np.ediff1d(np.zeros((2, 0)), to_begin=3))
    check(lambda np: np.ediff1d(np.zeros(0, bool)))


def test_gradient_and_integral():
    f = [1.0, 2.0, 4.0, 7.0, 11.0, 16.0]
    x = [0.0, 1.0, 1.5, 3.5, 4.0, 6.0]
    for edge_order in (1, 2):
        check(lambda np, e=edge_order: np.gradient(f, edge_order=e), ulp=8)
        check(lambda np, e=edge_order: np.gradient(f, 2.0, edge_order=e), ulp=8)
        check(lambda np, e=edge_order: np.gradient(f, x, edge_order=e), ulp=16)
        check(lambda np, e=edge_order: np.gradient(grid(np, 3, 4) ** 2, edge_order=e), ulp=8)
        check(lambda np, e=edge_order: np.gradient(grid(np, 3, 4), 2, 3, edge_order=e), ulp=8)
        check(lambda np, e=edge_order: np.gradient(grid(np, 3, 4), axis=0, edge_order=e), ulp=8)
    check(lambda np: np.gradient([1.0]))
    check(lambda np: np.gradient(f, edge_order=3))
    check(lambda np: np.gradient(f, 1, 2))
    check(lambda np: np.gradient(f, [1, 2]))
    check(lambda np: np.gradient(np.asarray(f, np.float32)), ulp=8)
    check(lambda np: np.trapezoid(f), ulp=4)
    check(lambda np: np.trapezoid(f, dx=0.5), ulp=4)
    # An axis from the end is the last one of steps with more dimensions, too.
    check(lambda np: np.trapezoid(f, np.cumsum([f, f + 1], axis=-1)), ulp=4)
    check(lambda np: np.trapezoid([3, 1, 2], [[1.0, 3.0], [2.0, 5.0]]), ulp=4)
    check(lambda np: np.trapezoid([3, 1, 2], dx=np.array([[1.0], [2.0]])), ulp=4)
    check(lambda np: np.trapezoid(f, [0, 1, 2, 4, 5, 7]), ulp=4)
    check(lambda np: np.trapezoid(grid(np, 3, 4), axis=0), ulp=4)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_gradient_rounds_as_division_does(dtype):
    f = numpy.array([0, 1e-45, 3e-45, 6e-8, 1, 1e4, numpy.inf, 2, 3, numpy.nan, -5, -7.1], dtype)
    for step in (1.0, -0.5, 0.3, 2.0**-20, 2, numpy.float32(4)):
        check(lambda np, s=step: np.gradient(np.asarray(f[:6]), s), ulp=None)
        check(lambda np, s=step: np.gradient(np.asarray(f), s), ulp=0 if dtype == "c8" else None)


def test_gradient_of_bools():
    check(lambda np: np.gradient(np.asarray([True, False, True])))


def test_unwrap_and_sinc():
    check(lambda np: np.unwrap([0.0, 3.0, 6.5, -3.0, 0.1]), ulp=16)
    check(lambda np: np.unwrap([0.0, 5.0, 0.0, 2.5], period=4), ulp=16)
    check(lambda np: np.unwrap([1, 2, 3, 0, 1], period=4))
    check(lambda np: np.unwrap([1, 2, 5, 0, 1], period=5))
    check(lambda np: np.unwrap(grid(np, 3, 4) * 2.0, axis=0), ulp=16)
    check(lambda np: np.unwrap([0.0, 3.0, 6.5], discont=5), ulp=16)
    check(lambda np: np.sinc([0.0, 0.5, -1.25, 3]), ulp=16)
    check(lambda np: np.sinc(np.asarray([0, 1])))
    check(lambda np: np.sinc(np.asarray([0, 0.5], np.float32)), ulp=16)


@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_bits(bitorder):
    bits = numpy.array([[1, 0, 1, 1, 0, 0, 1, 0, 1, 1], [0, 1, 0, 5, 0, 0, 0, 0, 0, 1]])
    for axis in (None, 0, 1, -1, 2):
        check(lambda np, a=axis: np.packbits(np.asarray(bits), axis=a, bitorder=bitorder))
        check(lambda np, a=axis: np.packbits(np.asarray(bits != 0), axis=a, bitorder=bitorder))
        for count in (None, 3, 20, -3):
            check(
                lambda np, a=axis, c=count: np.unpackbits(
                    np.asarray([[7, 200], [1, 0]], np.uint8), axis=a, count=c, bitorder=bitorder
                )
            )
    check(lambda np: np.packbits([1.5], bitorder=bitorder))
    check(lambda np: np.unpackbits([1], bitorder=bitorder))
    check(lambda np: np.packbits([1], bitorder="middle"))
    check(lambda np: np.packbits([1], bitorder=1))


@pytest.mark.parametrize("dtype", INTEGERS, ids=name)
def test_clip_at_the_limits(dtype):
    limits = numpy.iinfo(dtype)
    values = edge_values(dtype)
    check(lambda np: np.clip(np.asarray(values), int(limits.min), int(limits.max)))
    check(lambda np: np.clip(np.asarray(values), int(limits.min) - 1, 3))
    check(lambda np: np.clip(np.asarray(values), 1, int(limits.max) + 5))


def test_memory_sharing():
    for np in (numpy, heddle):
        a = np.arange(10)
        assert np.shares_memory(a, a[3:])
        assert not np.shares_memory(a[::2], a[1::2])
        assert np.may_share_memory(a[::2], a[1::2])
        assert not np.may_share_memory(a[:5], a[5:])
        assert not np.shares_memory(a, a.copy())
        assert not np.shares_memory(a, a + 0)
    theirs = numpy.arange(4.0)
    a, b = (heddle.asarray(theirs, copy=False) for _ in range(2))
    assert heddle.shares_memory(a, b) and heddle.shares_memory(a, b[::2])
    assert not heddle.shares_memory(a[::2], b[1::2])


@pytest.mark.unrecorded("is about which kernels there are")
def test_element_wise_routines_fuse():
    a = heddle.linspace(-2, 2, 1000).eval()
    for function in (
        lambda: heddle.clip(a, -1, 1) * 2,
        lambda: heddle.round(a, 2) + 1,
        lambda: heddle.where(a > 0, a, -a) + 1,
        lambda: heddle.isclose(a, a + 1),
        lambda: heddle.select([a < 0, a > 1], [a, a * 2], 3),
        lambda: heddle.tril(a.reshape(20, 50)) + 1,
        lambda: heddle.sinc(a),
        lambda: heddle.diff(a) * 2,
    ):
        heddle.reset_stats()
        heddle.eval(function())
        assert heddle.stats()["launched"] == 1


def test_isclose_with_weak_numbers_and_bad_tolerances():
    below = 1 - 2**-53
    check(lambda np: np.isclose(np.asarray(1, "f4"), 2, atol=0, rtol=below / 2))
    check(lambda np: np.isclose(np.asarray([1.0]), 10**30))
    for tolerance in ({"rtol": numpy.inf}, {"atol": numpy.nan}):
        with pytest.warns(RuntimeWarning, match="rtol or atol"):
            heddle.isclose(1.0, heddle.ones(2), **tolerance)


def test_single_conditions_and_bits():
    x = [0.0, 1.0, 2.0]
    check(lambda np: np.piecewise(np.array(x), [np.array(True)], [1, 2]))
    check(lambda np: np.piecewise(np.array(x), [True, False, True], [1, 2]))
    check(lambda np: np.piecewise(np.array(x), [np.array(x) > 0], [1, 2]))
    check(lambda np: np.packbits(np.array(1), axis=0))
    check(lambda np: np.packbits(np.array(1), axis=1))
    check(lambda np: np.lib.NumpyVersion("1.2.3") < "1.3.0")
