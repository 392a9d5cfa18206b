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


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_false_alarm_rates(dtype):
    for shape, guard, reference in (
        ((40,), 1, 5),
        ((11,), 2, 3),
        ((10, 30), (1, 2), (2, 4)),
        ((9, 9), (0, 1), (1, 1)),
    ):
        x = numpy.abs(numbers(shape, dtype))
        g, r = numpy.atleast_1d(guard), numpy.atleast_1d(reference)
        weights = numpy.ones(2 * (g + r) + 1)
        weights[tuple(slice(k, n - k) for k, n in zip(r, weights.shape, strict=True))] = 0
        count = weights.sum()
        inside = tuple(slice(k, n - k) for k, n in zip(g + r, shape, strict=True))
        wide = numpy.lib.stride_tricks.sliding_window_view(x.astype("f8"), weights.shape)
        expected = numpy.zeros(shape)
        sums = (wide * weights).sum(axis=tuple(range(len(shape), 2 * len(shape))))
        expected[inside] = sums / count * float(signal.cfar_alpha(1e-3, count))
        threshold, found = signal.ca_cfar(ours_of(x), guard, reference)
        assert_near(threshold, expected.astype("f4"), 1e-6)
        assert_near(found, x - expected.astype("f4") > 0)
    with pytest.raises(ValueError, match="too small"):
        signal.ca_cfar(heddle.zeros(10), 2, 3)
    with pytest.raises(TypeError):
        signal.ca_cfar(heddle.zeros((3, 3, 3)), 1, 1)
    with pytest.raises(TypeError):
        signal.ca_cfar(heddle.zeros((9, 9)), (1,), (1,))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("channels", [4, 5])
def test_channels(dtype, channels):
    x, h = numbers((60,), dtype), numbers((3 * channels,), dtype, 1)
    parts = h.reshape(3, channels).conj()
    rows = x.reshape(-1, channels)[:, ::-1].conj()
    filtered = numpy.zeros(rows.shape, dtype)
    for t in range(3):
        filtered[t:] += rows[: len(rows) - t] * parts[t]
    expected = numpy.fft.fft(filtered).conj().T
    assert_near(signal.channelize_poly(ours_of(x), ours_of(h), channels), expected)
    with pytest.raises(NotImplementedError):
        signal.channelize_poly(heddle.arange(8), heddle.arange(4), 2)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (2, 3, 4)])
def test_filters_of_higher_order(dtype, shape):
    x, weights = numbers((20,), dtype), numbers(shape, dtype, 1)
    count = 20 - max(shape) + 1
    expected = numpy.zeros(count, dtype)
    for place in numpy.ndindex(*shape):
        product = weights[place] + numpy.zeros(count, dtype)
        for n, k in zip(shape, place, strict=True):
            product = product * x[n - 1 - k : n - 1 - k + count]
        expected += product
    function = signal.convolve1d2o if len(shape) == 2 else signal.convolve1d3o
    assert_near(
        function(ours_of(x), ours_of(weights)), expected, 1e-5 if dtype in "f4c8" else 1e-12
    )
    with pytest.raises(NotImplementedError):
        function(ours_of(x), ours_of(weights), mode="full")
    with pytest.raises(ValueError):
        function(ours_of(x), ours_of(x))
