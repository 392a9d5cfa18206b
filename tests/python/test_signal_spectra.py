"""heddle.scipy.signal against SciPy: windows, spectra, peaks, waveforms, SciPy's own functions."""

import pickle
import warnings

import numpy
import pytest
import scipy.signal as theirs
from oracles import SCIPY
from scipy_support import assert_near, numbers, ours_of, same

import heddle
from heddle import _core
from heddle.scipy import signal

B, A = numpy.array([0.1, 0.2, 0.1]), numpy.array([1.0, -0.5, 0.2])
SOS = numpy.array([[0.1, 0.2, 0.1, 1, -0.5, 0.2], [0.2, 0.1, 0.3, 1, -0.3, 0.1]])


def compare(name, *args, **kwargs):
    return same(getattr(signal, name), getattr(theirs, name), *args, **kwargs)


PARAMETERS = {
    "kaiser": (3.0,),
    "kaiser_bessel_derived": (3.0,),
    "gaussian": (2.0,),
    "general_gaussian": (1.5, 2.0),
    "general_cosine": ([0.5, 0.3, 0.2],),
    "general_hamming": (0.6,),
    "chebwin": (60.0,),
    "dpss": (2.0,),
}


@pytest.mark.parametrize("name", signal.windows.__all__)
def test_windows(name):
    if name == "get_window":
        return
    ours, other = getattr(signal.windows, name), getattr(theirs.windows, name)
    args = PARAMETERS.get(name, ())
    for count in (0, 1, 2, 7, 8, -1, 2.5):
        for sym in (True, False):
            same(ours, other, count, *args, sym=sym, tolerance=1e-10 if name == "dpss" else None)


def test_windows_of_sinc_are_the_same_on_both_sides():
    for count in (1001, 4096):
        window = heddle.asnumpy(signal.windows.lanczos(count))
        numpy.testing.assert_array_equal(window, window[::-1])


def test_windows_by_name():
    named = ["hann", "boxcar", "flat", ("kaiser", 4.0), 4.0, ("tukey", 0.3), "tukey_periodic"]
    named += ["hamming_symmetric", ("general gaussian", 1.5, 2.0), "no", ("hann", 1), "kaiser", ()]
    for each in named:
        for bins in (True, False):
            compare("get_window", each, 8, bins)
    compare("get_window", "hann", 0)
    window = signal.windows
    same(window.tukey, theirs.windows.tukey, 9, 0.0)
    same(window.tukey, theirs.windows.tukey, 9, 1.0)
    same(window.exponential, theirs.windows.exponential, 9, 2.0, 1.5, False)
    same(window.exponential, theirs.windows.exponential, 9, 2.0)
    same(window.taylor, theirs.windows.taylor, 16, 5, 40, False)
    for norm in (2, "approximate", "subsample", "no"):
        same(window.dpss, theirs.windows.dpss, 16, 2.5, 3, norm=norm, tolerance=1e-9)
    same(window.dpss, theirs.windows.dpss, 16, 2.5, 3, return_ratios=True, tolerance=1e-9)
    same(window.dpss, theirs.windows.dpss, 16, 9.0)


@pytest.mark.parametrize("dtype", ("f4", "c16"))
def test_averaged_spectra(dtype):
    x, y = numbers((2, 300), dtype), numbers((2, 300), dtype, 1)
    tolerance = 1e-4 if dtype == "f4" else 1e-11
    options = [{}, {"nperseg": 64, "noverlap": 16}, {"nperseg": 65, "nfft": 128, "fs": 10.0}]
    options += [{"window": ("kaiser", 4.0), "nperseg": 50, "scaling": "spectrum"}]
    options += [{"average": "median", "nperseg": 40}, {"return_onesided": False, "nperseg": 40}]
    options += [{"detrend": False, "nperseg": 40}, {"detrend": "linear", "nperseg": 40}]
    options += [{"window": numpy.hanning(50)}, {"axis": 0, "nperseg": 2}]
    for each in options:
        compare("welch", x, tolerance=tolerance, **each)
        compare("csd", x, y, tolerance=tolerance, **each)
    compare("periodogram", x, tolerance=tolerance)
    compare("periodogram", x, 3.0, "hann", 200, tolerance=tolerance)
    compare("periodogram", x, nfft=512, scaling="spectrum", tolerance=tolerance)
    if dtype != "c16":
        compare("coherence", x, y, nperseg=32, tolerance=1e-3 if dtype == "f4" else 1e-10)
    compare("csd", x, y[:, :200], nperseg=64, tolerance=tolerance)
    for bad in (
        {"nperseg": 0},
        {"noverlap": 300},
        {"nfft": 3},
        {"scaling": "no"},
        {"average": "no"},
    ):
        compare("welch", x, **bad)
    compare("welch", x[:, :0])


@pytest.mark.parametrize("dtype", ("f8", "c16"))
def test_spectra_in_time(dtype):
    x = numbers((2, 300), dtype)
    modes = ["psd", "complex", "magnitude", "no"]
    if heddle.default_device() == "cpu":  # elsewhere zeros may have the other sign
        modes += ["angle", "phase"]
    for mode in modes:
        compare("spectrogram", x, nperseg=40, mode=mode, tolerance=1e-9)
    for each in (
        {},
        {"nperseg": 64, "noverlap": 48},
        {"boundary": None, "padded": False},
        {"boundary": "even"},
        {"boundary": "odd"},
        {"boundary": "constant"},
        {"scaling": "psd", "nfft": 300},
        {"boundary": "no"},
        {"scaling": "no"},
        {"axis": 0, "nperseg": 2},
        {"return_onesided": False},
    ):
        compare("stft", x, tolerance=1e-11, **each)
    one_sided = dtype == "f8"
    for each in ({}, {"noverlap": 48}, {"scaling": "psd"}):
        z = theirs.stft(x, nperseg=64, return_onesided=one_sided, **each)[2]
        compare("istft", z, input_onesided=one_sided, tolerance=1e-11, **each)
    compare(
        "istft",
        numpy.moveaxis(z, 0, -1),
        time_axis=1,
        freq_axis=0,
        input_onesided=one_sided,
        tolerance=1e-11,
        **each,
    )
    compare("istft", z, noverlap=64)
    compare("istft", z[0, 0])


def test_uneven_samples():
    t = numpy.sort(numbers((60,))) * 10
    y, f = numpy.cos(2 * t) + 0.5, numpy.linspace(0.5, 4, 11)
    for normalize in (False, True, "amplitude", "no"):
        for floating in (False, True):
            compare(
                "lombscargle", t, y, f, normalize=normalize, floating_mean=floating, tolerance=1e-9
            )
    compare("lombscargle", t, y, f, weights=numpy.abs(t), tolerance=1e-9)
    compare("lombscargle", t, y[:5], f)
    for normalize in ("power", "normalize", "amplitude"):  # one frequency: a number
        compare("lombscargle", t, y, f[:1], normalize=normalize, tolerance=1e-9)


def test_peaks():
    x = numbers((300,))
    x[50:55] = 4.0
    cases = [{}, {"height": 0.5}, {"height": (0.2, 1.5)}, {"threshold": 0.3}, {"distance": 7}]
    cases += [{"threshold": (0.1, 2.0)}, {"prominence": 1.0}, {"width": 1.0}, {"plateau_size": 2}]
    cases += [{"prominence": 0.5, "wlen": 11, "width": (0.5, 4), "rel_height": 0.7}]
    cases += [{"height": x * 0 + 0.4}, {"plateau_size": 0, "height": 0, "distance": 3}]
    for each in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peaks, found = theirs.find_peaks(x, **each)
            ours, properties = signal.find_peaks(
                ours_of(x), **{k: ours_of(v) for k, v in each.items()}
            )
        assert_near(ours, peaks)
        assert set(properties) == set(found)
        for key, value in found.items():
            assert_near(properties[key], value)
    peaks = theirs.find_peaks(x)[0]
    compare("peak_prominences", x, peaks)
    compare("peak_prominences", x, peaks, 15)
    compare("peak_widths", x, peaks, 0.3)
    compare("peak_widths", x, peaks, 0.3, theirs.peak_prominences(x, peaks, 15))
    compare("peak_prominences", x, numpy.array([1000]))
    compare("peak_prominences", x, numpy.array([1.5]))
    compare("peak_widths", x, peaks, -1.0)
    compare("find_peaks", x, distance=0)
    compare("find_peaks", x.reshape(2, -1))
    compare("find_peaks", x, prominence=1, wlen=1)
    compare("find_peaks", x, height=numpy.ones(3))
    for axis in (0, 1):
        for mode in ("clip", "wrap"):
            image = numbers((9, 12))
            compare("argrelmax", image, axis, 2, mode)
            compare("argrelmin", image, axis, 1, mode)
    compare("argrelextrema", x, numpy.greater_equal, order=3)
    compare("argrelmax", x, order=0)


def test_waveforms():
    t = numpy.linspace(-1, 3, 41)
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic", "no"):
        compare("chirp", t, 1.0, 2.0, 7.0, method, 30, tolerance=1e-11)
    compare("chirp", t, 1.0, 2.0, 7.0, "quadratic", vertex_zero=False, tolerance=1e-11)
    compare("chirp", t, 1.0, 2.0, 7.0, complex=True, tolerance=1e-11)
    compare("chirp", t, 1.0, 2.0, -7.0, "log")
    for width in (1, 0.3, 0, 1.5):
        compare("sawtooth", t * 5, width)
        compare("square", t * 5, width)
    x = numbers((3, 20))
    compare("czt", x, tolerance=1e-11)
    compare("czt", x, 12, numpy.exp(-0.1j), 0.9 + 0.1j, tolerance=1e-11)
    compare("czt", x, axis=0, tolerance=1e-11)
    compare("czt", x, 0)
    compare("zoom_fft", x, [0.2, 0.7], 9, tolerance=1e-11)
    compare("zoom_fft", x, 0.7, 9, fs=3.0, endpoint=True, tolerance=1e-11)
    compare("czt_points", 5)
    compare("czt_points", 5, 0.9 + 0.1j, 2.0)
    compare("czt_points", 5, 2.0, 1)
    compare("sweep_poly", numpy.linspace(0, 3, 7), numpy.poly1d([0.5, -1, 2]), 30)
    transform, expected = signal.ZoomFFT(20, [0.2, 0.7]), theirs.ZoomFFT(20, [0.2, 0.7])
    assert_near(transform(ours_of(x)), expected(x), 1e-11)
    assert_near(transform.points(), expected.points(), 1e-11)


OWN = [
    ("butter", (3, 0.2)),
    ("butter", (3, [0.2, 0.4], "bandpass")),
    ("cheby1", (3, 1, 0.2)),
    ("ellip", (3, 1, 40, 0.2)),
    ("bessel", (3, 0.2)),
    ("iirnotch", (0.2, 30)),
    ("firwin", (9, 0.3)),
    ("firwin2", (9, [0, 0.5, 1], [1, 1, 0])),
    ("remez", (9, [0, 0.2, 0.3, 0.5], [1, 0])),
    ("freqz", (B, A)),
    ("freqz_sos", (SOS,)),
    ("group_delay", ((B, A),)),
    ("tf2zpk", (B, A)),
    ("tf2sos", (B, A)),
    ("sos2tf", (SOS,)),
    ("zpk2tf", (numpy.array([1.0]), numpy.array([0.5]), 2.0)),
    ("bilinear", (B, A, 2.0)),
    ("residue", (B, A)),
    ("tf2ss", (B, A)),
    ("lsim", ((B, A), numbers((20,)), numpy.arange(20.0))),
    ("step", ((B, A),)),
    ("gausspulse", (numpy.linspace(0, 1, 20),)),
    ("max_len_seq", (5,)),
    ("max_len_seq", (3, numpy.array([1, 0, 1]))),
    ("firwin2", (9, numpy.array([0, 0.5, 1.0]), numpy.array([1.0, 0.5, 0]))),
    ("lfiltic", (B, A, numbers((2,)))),
    ("envelope", (numbers((50,)),)),
    ("cspline1d", (numbers((30,)),)),
    ("minimum_phase", (numpy.array([0.1, 0.2, 0.3, 0.2, 0.1]),)),
]


@pytest.mark.parametrize("name, args", OWN)
def test_functions_of_scipy(name, args):
    compare(name, *args, tolerance=1e-8)


@pytest.mark.parametrize("mode", ["onesided", "onesided2X", "twosided", "centered"])
@pytest.mark.parametrize("padding, shift", [("zeros", 0), ("edge", None), ("even", 2), ("odd", -1)])
def test_short_time_transforms_of_every_device(mode, padding, shift):
    how = {"fft_mode": mode, "mfft": 11, "phase_shift": shift, "scale_to": "psd"}
    window = numpy.hanning(10)[1:-1]
    expected = theirs.ShortTimeFFT(window, 3, 10.0, **how)
    found = signal.ShortTimeFFT(heddle.asarray(window), 3, 10.0, **how)
    for x, axis in ((numbers((30,)), -1), (numbers((30, 2)), 0), (numbers((2, 31)), -1)):
        ours = heddle.asarray(x)
        for trend in (None, "linear", lambda piece: piece - piece.mean()):
            call = {"padding": padding, "axis": axis, "k_offset": 1}
            made = found.stft_detrend(ours, trend, **call)
            assert made.device == ours.device
            assert_near(made, expected.stft_detrend(x, trend, **call), 1e-10)
        assert_near(found.spectrogram(ours, axis=axis), expected.spectrogram(x, axis=axis), 1e-10)
        spectra = expected.stft(x, axis=axis)
        axes = {"f_axis": axis if axis >= 0 else axis - 1, "t_axis": -1}
        back = found.istft(heddle.asarray(spectra), 1, x.shape[axis] - 1, **axes)
        assert_near(back, expected.istft(spectra, 1, x.shape[axis] - 1, **axes), 1e-10)
    none = found.stft(heddle.zeros((0, 30)))
    assert found.istft(none, k1=30).shape == (0, 30)
    with pytest.raises(ValueError, match="may not be equal"):
        found.istft(heddle.ones((6, 9)), f_axis=-1, t_axis=-1)
    with pytest.raises(ValueError, match="padding"):
        found.stft(heddle.ones(30), padding="none")


def test_short_time_transforms_are_made_of_windows_of_any_array():
    window = heddle.asarray(numpy.hanning(10)[1:-1])
    other = signal.ShortTimeFFT.from_dual(window, 3, 1.0)
    expected = theirs.ShortTimeFFT.from_dual(heddle.asnumpy(window), 3, 1.0)
    numpy.testing.assert_allclose(other.win, expected.win, rtol=1e-14)
    again = pickle.loads(pickle.dumps(signal.ShortTimeFFT.from_window("hann", 10.0, 8, 4)))
    assert type(again) is signal.ShortTimeFFT and again.hop == 4
    assert type(signal.ShortTimeFFT.from_win_equals_dual(window, 2, 1.0)) is signal.ShortTimeFFT


def test_heights_of_widths_are_rounded_as_scipys():
    """Samples of few values are as high as a part of a prominence: the last bit decides."""
    x = numpy.array([5.5, 2, 0.5, 4, 5.5, 1, 4, 2, 0, 5.5, 1, 5, 0])
    for share in (0.9, 0.5, 0.3):
        how = {"prominence": 1, "width": 0, "rel_height": share}
        _, expected = theirs.find_peaks(x, **how)
        _, found = signal.find_peaks(heddle.asarray(x), **how)
        for name in ("widths", "width_heights", "left_ips", "right_ips"):
            numpy.testing.assert_array_equal(heddle.asnumpy(found[name]), expected[name])


def test_classes_of_scipy():
    for lti in (signal.lti, theirs.lti):
        assert all(isinstance(one.lti([1.0], [1.0, 1.0]), lti) for one in (signal, theirs))
    assert issubclass(signal.ShortTimeFFT, theirs.ShortTimeFFT)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        signal.nosuch
    assert isinstance(signal.butter(2, 0.3)[0], _core.own_array)


def test_splines():
    x = numbers((40,))
    for name in ("cspline1d", "qspline1d"):
        coefficients = compare(name, x)
        for each in (x, x[:1], x.astype("f4"), x.astype("F")):
            compare(name, each)
        at = numpy.linspace(-30.0, 90.0, 101)
        compare(f"{name}_eval", theirs.cspline1d(x), at, 1.5, -2.0, tolerance=1e-10)
        assert coefficients.shape == x.shape
    compare("cspline1d", x, 1.0)
    compare("qspline1d", x, 1.0)
    image = numbers((40, 50))
    for name in ("cspline2d", "qspline2d"):
        compare(name, image, tolerance=1e-10)
        compare(name, image, 0.0, 1e-4, tolerance=1e-10)
        compare(name, image, 3.0, tolerance=1e-10)
        compare(name, image[:3])
    compare("symiirorder1", image, 0.5, 0.3)
    compare("symiirorder1", x.astype("f4"), 0.5, -0.4, tolerance=1e-5)
    compare("symiirorder1", x, 0.5, 1.0)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", ["welch", "periodogram", "stft", "sepfir2d", "sawtooth", "chirp"])
def test_types_of_results(name, dtype):
    """Short integers are single precision where SciPy has them so."""
    x = (numpy.arange(96).reshape(8, 12) % 7).astype(dtype)
    more = {"sepfir2d": ([1, 2, 1], [1, 2, 1]), "chirp": (1.0, 1.0, 2.0)}.get(name, ())
    found = getattr(signal, name)(heddle.asarray(x), *more)
    if name == "sawtooth" and dtype == "?":  # SciPy's refuses it
        return
    if name == "sawtooth" and dtype == "f4" and SCIPY >= (1, 18):  # which keeps single precision
        return
    expected = getattr(theirs, name)(x, *more)
    if not isinstance(found, tuple):
        found, expected = (found,), (expected,)
    for ours, other in zip(found, expected, strict=True):
        assert ours.dtype == other.dtype


def test_waves_have_real_times():
    for name in ("sawtooth", "square"):
        with pytest.raises(TypeError):
            getattr(signal, name)(heddle.asarray([1j, 2.0]))
    t = numpy.array([0.1j, 0.5])
    expected = theirs.chirp(t, 1.0, 1.0, 2.0)
    numpy.testing.assert_allclose(
        heddle.asnumpy(signal.chirp(heddle.asarray(t), 1.0, 1.0, 2.0)), expected, rtol=1e-12
    )


@pytest.mark.parametrize("seed", range(40))
def test_plateaus_and_noise(seed):
    rng = numpy.random.default_rng(seed)
    x = rng.integers(0, 3, rng.integers(0, 40)).astype(float)
    if seed % 4 == 0 and x.size:
        x[rng.integers(0, x.size)] = numpy.nan
    peaks, sizes = theirs.find_peaks(x, plateau_size=0)
    found, properties = signal.find_peaks(heddle.asarray(x), plateau_size=0)
    assert heddle.asnumpy(found).tolist() == peaks.tolist()
    for name, values in sizes.items():
        assert heddle.asnumpy(properties[name]).tolist() == values.tolist(), name
