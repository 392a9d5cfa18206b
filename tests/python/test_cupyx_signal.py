"""heddle.cupyx.signal by its definitions, in NumPy and SciPy."""

import numpy
import pytest
import scipy.signal as theirs
from scipy_support import assert_near, host_of, numbers, ours_of

import heddle
from heddle.cupyx import signal

X = numbers((3, 64))


def test_cepstra():
    spectrum = numpy.fft.fft(X)
    assert_near(signal.real_cepstrum(ours_of(X)), numpy.fft.ifft(numpy.log(abs(spectrum))).real)
    assert_near(
        signal.real_cepstrum(ours_of(X), n=128, axis=0),
        numpy.fft.ifft(numpy.log(abs(numpy.fft.fft(X, 128, 0))), axis=0).real,
    )
    for length in (64, 63):
        # Of a positive sum, as a sign is no phase that can be taken out; with a delay.
        x = numpy.roll(0.8 ** numpy.arange(length), 3) + 0.01 * X[:, :length]
        ceps, delay = signal.complex_cepstrum(ours_of(x))
        assert_near(signal.inverse_complex_cepstrum(ceps, delay), x, 1e-10)
        assert numpy.all(host_of(delay) == -3)


@pytest.mark.parametrize("length", [64, 63])
def test_minimum_phase(length):
    x = X[0, :length]
    made = host_of(signal.minimum_phase(ours_of(x)))
    magnitudes = numpy.abs(numpy.fft.fft(x))
    numpy.testing.assert_allclose(numpy.abs(numpy.fft.fft(made)), magnitudes, rtol=1e-9)
    assert numpy.all(numpy.cumsum(made**2) >= numpy.cumsum(x**2) * (1 - 1e-2) - 1e-9)


def test_radar():
    template = numbers((8,), "c16", 1)
    pulses = numbers((5, 64), "c16", 2)
    matched = numpy.fft.ifft(numpy.fft.fft(pulses) * numpy.fft.fft(template, 64).conj())
    assert_near(signal.pulse_compression(ours_of(pulses), ours_of(template)), matched)
    made = signal.pulse_compression(ours_of(pulses), ours_of(template), normalize=True)
    assert_near(made, matched / numpy.linalg.norm(template))
    window = theirs.get_window("hann", 5, False)[:, None]
    made = signal.pulse_doppler(ours_of(pulses), "hann", 8)
    assert_near(made, numpy.fft.fft(pulses * window, 8, axis=0))
    with pytest.raises(ValueError, match="window"):
        signal.pulse_doppler(ours_of(pulses), heddle.ones(4))
    # So many cells of noise pass, if noise has an exponential distribution.
    alpha = signal.cfar_alpha(1e-3, 16)
    assert (1 + alpha / 16) ** -16 == pytest.approx(1e-3)


def test_beams():
    data, direction = numbers((4, 200), "c16", 3), numbers((4,), "c16", 4)
    weights = host_of(signal.mvdr(ours_of(data), ours_of(direction)))
    inverse = numpy.linalg.inv(numpy.cov(data)) @ direction
    numpy.testing.assert_allclose(weights, inverse / (direction.conj() @ inverse), rtol=1e-10)
    with pytest.raises(ValueError, match="sensors"):
        signal.mvdr(ours_of(data), heddle.ones(3))


def test_filters():
    b = numbers((7,), seed=5)
    assert_near(signal.firfilter(ours_of(b), ours_of(X)), theirs.lfilter(b, [1.0], X))
    assert_near(signal.firfilter_zi(ours_of(b)), theirs.lfilter_zi(b, [1.0]))
    made = signal.firfilter2(ours_of(b), ours_of(X))
    assert_near(made, theirs.filtfilt(b, [1.0], X), 1e-12)
    shift = numpy.exp(2j * numpy.pi * numpy.arange(64) * 3 / 50)
    assert_near(signal.freq_shift(ours_of(X), 3.0, 50.0), X * shift)
