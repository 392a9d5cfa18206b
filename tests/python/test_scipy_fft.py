"""heddle.scipy.fft and fftpack against SciPy's."""

import itertools

import numpy
import pytest
import scipy.fft
import scipy.fftpack
from scipy_support import assert_near, host_of, numbers, same

import heddle
from heddle import _core
from heddle.scipy import fft, fftpack

NORMS = (None, "backward", "ortho", "forward")
DTYPES = ("f4", "f8", "c8", "c16", "i4", "f2", "?")
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def compare(name, *args, **kwargs):
    return same(getattr(fft, name), getattr(scipy.fft, name), *args, **kwargs)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_fourier_along_one_axis(name, dtype):
    x = numbers((3, 7), dtype)
    for norm in NORMS:
        compare(name, x, norm=norm)
    for n, axis in ((None, 0), (4, -1), (9, 1), (1, 0)):
        compare(name, x, n, axis)
    for bad in ({"n": 0}, {"axis": 2}, {"workers": 0}, {"norm": "no"}, {"plan": 3}):
        compare(name, x, **bad)
    compare(name, x[:, :0])
    compare(name, x[0, 0])


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ("f4", "c16"))
def test_fourier_along_several_axes(name, dtype):
    x = numbers((3, 4, 5), dtype)
    for norm in NORMS:
        compare(f"{name}n", x, norm=norm)
        compare(f"{name}2", x, norm=norm)
    given = [(None, (0, 2)), ((2, 6), (1, 0)), ((4, -1), None), (3, 1), (None, ())]
    given += [(None, (3,)), (None, (1, 1)), ((2,), (0, 1)), ((0, 2), None), ((1, 2, 3, 4), None)]
    given += [((2.5,), (0,)), ("a", None)]
    for s, axes in given:
        compare(f"{name}n", x, s, axes)


@pytest.mark.parametrize("name", ("dct", "idct", "dst", "idst"))
@pytest.mark.parametrize("type_", (1, 2, 3, 4))
def test_cosines_and_sines(name, type_):
    for length in (1, 2, 3, 8, 15):
        for dtype in ("f4", "f8"):
            x = numbers((3, length), dtype)
            for norm in NORMS:
                compare(name, x, type_, norm=norm)
            compare(name, x, type_, norm="ortho", orthogonalize=False)
            compare(name, x, type_, norm="forward", orthogonalize=True)
    for dtype in ("c8", "c16", "i2", "f2", "?"):
        compare(name, numbers((4, 5), dtype), type_, axis=0)
    for n in (3, 9, 0, -1):
        compare(name, numbers((4, 6)), type_, n)
        compare(name, numbers((4, 6)), type_, n, 0)
    compare(name, numbers((4, 0)), type_)
    compare(name, numbers((4,)), type_, axis=1)
    x = numbers((3, 4, 5))
    for s, axes in ((None, None), (None, (0, 2)), ((4, 3), (2, 0)), (None, ()), ((0,), (1,))):
        for norm in (None, "ortho"):
            compare(f"{name}n", x, type_, s, axes, norm)


@pytest.mark.parametrize("name", ("dct", "dstn"))
def test_types_that_are_none(name):
    for type_ in (0, 5, -1, 1.5):
        compare(name, numbers(4), type_)
    compare(name, numbers(4), norm="no")


def test_long_doubles_are_scipys():
    x = numbers((3, 8)).astype(numpy.longdouble)
    for name in ("fft", "irfft", "fft2", "ihfftn", "dct", "idstn"):
        found, expected = getattr(fft, name)(x), getattr(scipy.fft, name)(x)
        assert type(found) is numpy.ndarray and found.dtype == expected.dtype
        numpy.testing.assert_array_equal(found, expected)
    compare("fft", numpy.array(["a", "b"]))


def test_layouts_and_long_lines():
    x = numbers((40, 33))
    for each in (x.T, x[::2, ::-1], numpy.asfortranarray(x)):
        compare("dct", each)
        compare("dstn", each, 3)
    compare("dct", numbers(100_003), tolerance=1e-12)
    compare("idst", numbers((2, 4096), "f4"), 4)


def test_cosines_have_derivatives():
    x, g = numbers(6), numbers(6, seed=1)
    found = heddle.grad(lambda a: (fft.dct(a) * heddle.asarray(g)).sum())(heddle.asarray(x))
    expected = scipy.fft.dct(numpy.eye(6), axis=0).T @ g
    assert_near(found, expected)


def test_lengths():
    for real in (False, True):
        for n in [*range(300), 1021, 12345, 99991, 10**6 + 3, 2**31 - 1]:
            assert fft.next_fast_len(n, real) == scipy.fft.next_fast_len(n, real)
            assert fft.prev_fast_len(n, real) == scipy.fft.prev_fast_len(n, real)
        for bad in (-1, 1.5, "a"):
            same(fft.next_fast_len, scipy.fft.next_fast_len, bad, real)
            same(fft.prev_fast_len, scipy.fft.prev_fast_len, bad, real)


def test_workers():
    assert fft.get_workers() == 1
    with fft.set_workers(2):
        assert fft.get_workers() == 2
        with pytest.raises(ValueError, match="out of range"), fft.set_workers(-9999):
            pass
    assert fft.get_workers() == 1
    same(fft.set_workers(2).__enter__, scipy.fft.set_workers(2).__enter__)
    fft.set_workers(1).__enter__()


def test_frequencies():
    for n in (1, 4, 5):
        compare("fftfreq", n, 0.5)
        compare("rfftfreq", n, 0.5)
    compare("fftshift", numbers((4, 5)), 1)
    compare("ifftshift", numbers((4, 5)))
    with pytest.raises(ValueError, match="numpy"):
        fft.fftfreq(4, xp=numpy)


def test_plans():
    x = heddle.asarray(numbers((4, 6), "c16"))
    plan = fft.get_fft_plan(x, axes=1)
    with plan:
        assert_near(fft.fft(x, plan=plan), numpy.fft.fft(host_of(x)))
    with pytest.raises(ValueError, match="no plan of a transform"):
        fft.fft(x, axis=0, plan=plan)
    with pytest.raises(ValueError, match="no plan of a transform"):
        fft.irfft(x, plan=plan)
    with pytest.raises(ValueError, match="value_type"):
        fft.get_fft_plan(x, value_type="R2R")
    back = fft.get_fft_plan(x, axes=1, value_type="C2R")  # of half a spectrum, as irfft has it
    assert_near(fft.irfft(x, plan=back), numpy.fft.irfft(host_of(x)))
    back = fft.get_fft_plan(x, value_type="C2R")
    assert_near(fft.irfftn(x, plan=back), numpy.fft.irfftn(host_of(x)))


def test_hankel():
    for n in (16, 17):
        x = numbers((2, n))
        for mu, offset, bias in ((0.0, 0, 0), (1.5, 0.2, 0.1), (-0.5, 0, -0.3), (-1, 0, 0)):
            compare("fht", x, 0.1, mu, offset, bias, tolerance=1e-12)
            compare("ifht", x, 0.1, mu, offset, bias, tolerance=1e-12)
    for mu, bias in ((0.0, 0.0), (2.5, 0.3)):
        compare("fhtoffset", 0.1, mu, 0.5, bias)
    with pytest.warns(Warning, match="singular transform"):
        fft.fht(heddle.ones(4), 0.1, 0.0, bias=-1.0)


def test_scipy_asks_us():
    x = numbers((3, 8))
    ours = heddle.asarray(x)
    with scipy.fft.set_backend(fft):
        assert_near(scipy.fft.dct(ours), scipy.fft.dct(x))
        assert_near(scipy.fft.fft(ours), scipy.fft.fft(x))
        assert isinstance(scipy.fft.fft(x), numpy.ndarray)
    found = scipy.fft.dstn(ours, norm="ortho")
    assert isinstance(found, _core.own_array)
    assert_near(found, scipy.fft.dstn(x, norm="ortho"))
    assert isinstance(scipy.fft.dstn(x), numpy.ndarray)
    with fft.set_backend(fft):
        assert_near(scipy.fft.idct(ours), scipy.fft.idct(x))


PACK = ("fft", "ifft", "rfft", "irfft")


@pytest.mark.parametrize("dtype", ("f4", "f8", "c16", "i4"))
def test_fftpack(dtype):
    def both(name, *args, **kwargs):
        same(getattr(fftpack, name), getattr(scipy.fftpack, name), *args, **kwargs)

    for length in (1, 2, 5, 6):
        x = numbers((3, length), dtype)
        for name in PACK:
            both(name, x)
            both(name, x, 4)
            both(name, x, 7, 0)
            both(name, x, 0)
        for name in ("fftn", "ifftn", "fft2", "ifft2"):
            both(name, x)
            both(name, x, (2, 3))
            both(name, x, (2,))
            both(name, x, (2,), (0,))
        for name in ("dct", "idct", "dst", "idst"):
            for type_ in (1, 2, 3, 4):
                both(name, x, type_)
                both(name, x, type_, norm="ortho")
            both(f"{name}n", x, 2, (2, 3))
    for n in (1, 4, 5):
        both("rfftfreq", n, 0.5)
        both("next_fast_len", n * 17)


@pytest.mark.parametrize("length", (5, 8))
@pytest.mark.parametrize("dtype", ("f8", "c16"))
def test_pseudo_differential_operators(length, dtype):
    x = numbers(length, dtype)
    x = x - x.mean()
    for period in (None, 3.0):
        for order in (0, 1, 2, 3, -1, -2):
            same(fftpack.diff, scipy.fftpack.diff, x, order, period)
        for name in ("tilbert", "itilbert", "shift"):
            same(getattr(fftpack, name), getattr(scipy.fftpack, name), x, 0.7, period)
        for name in ("cs_diff", "sc_diff", "ss_diff", "cc_diff"):
            same(getattr(fftpack, name), getattr(scipy.fftpack, name), x, 0.7, 1.2, period)
    same(fftpack.hilbert, scipy.fftpack.hilbert, x)
    same(fftpack.ihilbert, scipy.fftpack.ihilbert, x)


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f2", "f4", "f8"])
def test_types_of_hankel_transforms(dtype):
    x = numpy.arange(1, 9).astype(dtype)
    for name, bias in itertools.product(("fht", "ifht"), (0.0, 0.2)):
        found = getattr(fft, name)(heddle.asarray(x), 0.1, 0.5, bias=bias)
        expected = getattr(scipy.fft, name)(x, 0.1, 0.5, bias=bias)
        assert found.dtype == expected.dtype
        tolerance = 1e-3 if dtype in ("f2", "f4") else 1e-11
        numpy.testing.assert_allclose(heddle.asnumpy(found), expected, rtol=tolerance, atol=1e-3)
        with pytest.raises(TypeError, match="real"):
            getattr(fft, name)(heddle.asarray(x) * 1j, 0.1, 0.5)
