"""Wavelets by their formulas: SciPy has none since 1.15."""

import numpy
import pytest
from scipy_support import assert_near, numbers, ours_of

import heddle
from heddle.scipy import signal


@pytest.mark.parametrize("points", [1, 8, 51])
def test_wavelets(points):
    around = numpy.arange(points) - (points - 1) / 2
    scaled = around / 3.0
    hat = (1 - scaled**2) * numpy.exp(-(scaled**2) / 2) * 2 / (numpy.sqrt(9) * numpy.pi**0.25)
    assert_near(signal.ricker(points, 3.0), hat)
    waves = numpy.exp(5j * scaled) * numpy.exp(-0.5 * scaled**2) * numpy.pi**-0.25
    assert_near(signal.morlet2(points, 3.0), waves * numpy.sqrt(1 / 3))
    x = numpy.linspace(-4 * numpy.pi, 4 * numpy.pi, points)
    plain = numpy.exp(3j * x)
    bell = numpy.exp(-0.5 * x**2) * numpy.pi**-0.25
    assert_near(signal.morlet(points, 3.0, 2.0, False), plain * bell)
    assert_near(signal.morlet(points, 3.0, 2.0), (plain - numpy.exp(-4.5)) * bell)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_mirrored_filters(dtype):
    low = numbers((6,), dtype)
    expected = low[::-1] * numpy.array([1, -1] * 3).astype(dtype)
    assert_near(signal.qmf(ours_of(low)), expected)


@pytest.mark.parametrize("wavelet", [signal.ricker, signal.morlet2])
def test_transform(wavelet):
    data, widths = numbers((70,)), [1, 2.5, 9]
    rows = []
    for width in widths:
        wave = heddle.asnumpy(wavelet(int(min(10 * width, 70)), width))
        rows.append(numpy.convolve(data, wave[::-1].conj(), mode="same"))
    found = signal.cwt(ours_of(data), wavelet, widths)
    assert_near(found, numpy.stack(rows), 1e-12)
    assert signal.cwt(ours_of(data), wavelet, ours_of(numpy.array([3])), dtype="c8").dtype == "c8"


def test_chirp_transform_of_a_class():
    x = numbers((12,))
    assert_near(signal.CZT(12)(ours_of(x)), numpy.fft.fft(x), 1e-12)
    for wrong in (0, -1, 5.5, 4.0):
        with pytest.raises(ValueError, match="CZT"):
            signal.CZT(wrong)
        with pytest.raises(ValueError, match="CZT"):
            signal.czt_points(wrong)
