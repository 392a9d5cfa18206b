"""heddle.scipy.signal against SciPy: convolutions, filters, resampling, smoothing."""

import numpy
import pytest
import scipy.signal as theirs
from scipy_support import assert_near, host_of, numbers, ours_of, same

import heddle
from heddle.scipy import signal

B, A = numpy.array([0.1, 0.2, 0.1]), numpy.array([1.0, -0.5, 0.2])
SOS = numpy.array([[0.1, 0.2, 0.1, 1, -0.5, 0.2], [0.2, 0.1, 0.3, 1, -0.3, 0.1]])
MODES = ("full", "same", "valid")


def compare(name, *args, **kwargs):
    return same(getattr(signal, name), getattr(theirs, name), *args, **kwargs)


@pytest.mark.parametrize("dtypes", (("f8", "f8"), ("f4", "c8"), ("i4", "i4")))
def test_convolution(dtypes):
    tolerance = 1e-5 if "8" not in dtypes[1][1:] or dtypes[1] == "c8" else 1e-12
    for shapes in (((20,), (5,)), ((5,), (20,)), ((6, 7), (3, 2)), ((3, 4, 5), (2, 3, 2))):
        a, b = numbers(shapes[0], dtypes[0]), numbers(shapes[1], dtypes[1], 1)
        for mode in MODES:
            for method in ("auto", "direct", "fft"):
                compare("convolve", a, b, mode, method, tolerance=tolerance)
                compare("correlate", a, b, mode, method, tolerance=tolerance)
            if "4" in dtypes[0] or dtypes[0] == "f8":
                compare("fftconvolve", a, b, mode, tolerance=tolerance)
                compare("oaconvolve", a, b, mode, tolerance=tolerance)
    for bad in ({"mode": "no"}, {"method": "no"}):
        compare("convolve", a, b, **bad)
        compare("correlate", a, b, **bad)
    compare("convolve", a, b[0])
    compare("convolve", numbers((3, 9)), numbers((4, 5)), "valid")


def test_convolution_along_axes():
    a, b = numbers((3, 40)), numbers((3, 7), seed=1)
    for mode in MODES:
        compare("fftconvolve", a, b, mode, axes=1)
        compare("oaconvolve", a, b, mode, axes=1)
        compare("oaconvolve", numbers((2, 1000)), numbers((2, 30)), mode, axes=1)
        compare("oaconvolve", numbers((700,)), numbers((300,)), mode)
    compare("fftconvolve", a, b[:2], axes=1)
    compare("fftconvolve", a, b, axes=[])
    compare("fftconvolve", a, b, axes=[0, 0])
    compare("oaconvolve", numbers((5000,), "c16"), numbers((100,), "f8"))
    for n, m in ((5, 3), (3, 5), (4, 4)):
        for mode in MODES:
            compare("correlation_lags", n, m, mode)
    assert signal.choose_conv_method(heddle.ones(10**5), heddle.ones(10**4)) == "fft"
    assert signal.choose_conv_method(heddle.ones(100), heddle.ones(3)) == "direct"


@pytest.mark.parametrize("dtype", ("f8", "i4"))
def test_convolution_of_matrices(dtype):
    a, b = numbers((6, 7), dtype), numbers((3, 2), dtype, 1)
    for mode in MODES:
        for boundary in ("fill", "wrap", "symm"):
            compare("convolve2d", a, b, mode, boundary, 2, tolerance=1e-5)
            compare("correlate2d", a, b, mode, boundary, tolerance=1e-5)
    compare("convolve2d", b, a, "valid", tolerance=1e-5)
    compare("correlate2d", b, a, "valid", tolerance=1e-5)
    compare("convolve2d", a, b[:0])
    compare("correlate2d", a, b[:, :0], "same", "symm")
    compare("convolve2d", a, b[0])
    compare("convolve2d", a, b, "no")
    compare("convolve2d", a, b, "full", "no")
    if dtype == "f8":
        compare("sepfir2d", a, numbers((3,)), numbers((5,), seed=2))
        compare("sepfir2d", a, numbers((2,)), numbers((5,)))


@pytest.mark.parametrize("dtype", ("f4", "c16", "i4"))
def test_rational_filters(dtype):
    x = numbers((3, 50), dtype)
    tolerance = 1e-5 if dtype == "f4" else 1e-12
    for b, a in (
        (B, A),
        ([1.0], [1.0, -0.5]),
        ([1.0, 2.0], [2.0]),
        ([3.0], [2.0]),
        (B, [2.0, 0.5]),
    ):
        b, a = numpy.array(b), numpy.array(a)
        if dtype == "f4":
            b, a = b.astype("f4"), a.astype("f4")
        compare("lfilter", b, a, x, tolerance=tolerance)
        compare("lfilter", b, a, x, axis=0, tolerance=tolerance)
        order = max(len(a), len(b)) - 1
        zi = numbers((3, order), dtype, 2).astype(numpy.result_type(dtype, b.dtype))
        compare("lfilter", b, a, x, zi=zi, tolerance=tolerance)
    compare("lfilter", B, A, x[0], zi=numbers((2,)), tolerance=tolerance)
    compare("lfilter", B, A, x, zi=numbers((1, 2)), tolerance=tolerance)
    compare("lfilter", B, A, x, zi=numbers((2,)))
    compare("lfilter", B, A, x, zi=numbers((3, 3)))
    compare("lfilter", B, numpy.array([0.0, 1.0]), x)
    compare("lfilter", B, numpy.array([]), x)
    compare("lfilter_zi", B, A)
    compare("lfilter_zi", [1.0], [2.0, 1.0, 0.5])


def test_long_lines_are_cut():
    b, a = theirs.butter(4, 0.05)
    sos = theirs.butter(6, 0.05, output="sos")
    for shape in ((20_011,), (3, 30_000)):
        x = numbers(shape)
        compare("lfilter", b, a, x, tolerance=1e-11)
        zi = numbers((*shape[:-1], 4))
        compare("lfilter", b, a, x, zi=zi, tolerance=1e-11)
        compare("sosfilt", sos, x, tolerance=1e-11)
        compare("sosfilt", sos, x, zi=numbers((3, *shape[:-1], 2)), tolerance=1e-11)
    compare("lfilter", [1.0], [1.0, -1.0], numpy.ones(10_000), tolerance=1e-12)


@pytest.mark.parametrize("dtype", ("f8", "c16"))
def test_sections(dtype):
    x = numbers((3, 50), dtype)
    compare("sosfilt", SOS, x)
    compare("sosfilt", SOS, x, axis=0)
    compare("sosfilt", SOS, x, zi=numbers((2, 3, 2), dtype))
    compare("sosfilt", SOS, x, zi=numbers((2, 2), dtype))
    compare("sosfilt", SOS[:, :5], x)
    compare("sosfilt", SOS * 2, x)
    compare("sosfilt_zi", SOS)
    compare("sosfilt", SOS, 1.0)


def test_both_ways():
    x = numbers((3, 60))
    for padtype in ("odd", "even", "constant", None):
        for padlen in (None, 0, 5):
            compare("filtfilt", B, A, x, padtype=padtype, padlen=padlen)
            compare("sosfiltfilt", SOS, x, padtype=padtype, padlen=padlen)
    compare("filtfilt", B, A, x.T, axis=0)
    compare("sosfiltfilt", SOS, x.T, axis=0)
    compare("filtfilt", B, A, x, method="gust", tolerance=1e-9)
    compare("filtfilt", B, A, x, method="gust", irlen=20, tolerance=1e-9)
    compare("filtfilt", B, A, x, padtype="no")
    compare("filtfilt", B, A, x, padlen=60)
    compare("filtfilt", B, A, x, method="no")
    whole = numpy.convolve(numbers((5,)), B)
    quotient, rest = signal.deconvolve(heddle.asarray(whole), heddle.asarray(B))
    assert_near(quotient, theirs.deconvolve(whole, B)[0], 1e-9)
    assert abs(host_of(rest)).max() < 1e-12
    assert signal.deconvolve(B[:2], A)[0].size == 0


@pytest.mark.parametrize("dtype", ("f4", "c16"))
def test_resampling(dtype):
    x = numbers((3, 40), dtype)
    tolerance = 1e-5 if dtype == "f4" else 1e-11
    h = numbers((7,), seed=1).astype("f4" if dtype == "f4" else "f8")
    for up, down in ((1, 1), (3, 2), (2, 5), (1, 3)):
        compare("upfirdn", h, x, up, down, tolerance=tolerance)
        compare("upfirdn", h, x, up, down, axis=0, tolerance=tolerance)
        compare("resample_poly", x, up, down, axis=1, tolerance=tolerance)
    compare("upfirdn", h, x, 0, 1)
    compare("upfirdn", h[:0], x)
    compare("resample_poly", x, 1.5, 1)
    for num in (20, 40, 41, 57):
        compare("resample", x, num, axis=1, tolerance=tolerance)
        compare("resample", x, num, axis=1, window="hann", tolerance=tolerance)
    if dtype in ("f8", "c16"):
        compare("resample", x, 25, t=numpy.arange(40.0), axis=1)
        compare("resample", numpy.fft.fft(x), 30, axis=1, domain="freq")
        compare("resample", x, 30, axis=1, domain="no")


def test_edges_of_resampling():
    x, h = numbers((2, 9)), numbers((23,), seed=1)
    for mode in (
        "constant",
        "wrap",
        "edge",
        "smooth",
        "symmetric",
        "reflect",
        "antisymmetric",
        "antireflect",
        "line",
        "no",
    ):
        compare("upfirdn", h, x, 2, 3, mode=mode, cval=1.5 if mode == "constant" else 0)
        for dtype in ("f4", "c8"):
            line, taps = numbers((8,), dtype), numbers((30,), "f4", 1)
            compare("upfirdn", taps, line, mode=mode, tolerance=1e-5)
    for padtype in ("mean", "median", "minimum", "maximum", "line", "edge", "no"):
        compare("resample_poly", numbers((30,)), 3, 2, padtype=padtype)
    compare("resample_poly", numbers((30,)), 3, 2, window=list(range(1, 8)))
    compare("resample_poly", numbers((30,)), 3, 2, padtype="edge", cval=1.0)


def test_decimation():
    x = numbers((3, 200))
    for ftype in ("iir", "fir"):
        for zero_phase in (True, False):
            compare("decimate", x, 4, ftype=ftype, zero_phase=zero_phase, tolerance=1e-9)
    compare("decimate", x, 4, n=3, axis=1, tolerance=1e-9)
    compare("decimate", x, 4, ftype="no")
    system = theirs.dlti([0.2, 0.3], [1.0, -0.4])
    compare("decimate", x, 2, ftype=system, tolerance=1e-9)
    compare("decimate", x.astype("i4"), 2, tolerance=1e-9)


@pytest.mark.parametrize("dtype", ("f4", "c16"))
def test_trends(dtype):
    x = numbers((4, 30), dtype)
    tolerance = 1e-5 if dtype == "f4" else 1e-12
    for kind in ("linear", "constant"):
        compare("detrend", x, type=kind, tolerance=tolerance)
        compare("detrend", x, axis=0, type=kind, tolerance=tolerance)
    compare("detrend", x, bp=[10, 17], tolerance=tolerance)
    compare("detrend", x, bp=[1, 3, 6], tolerance=tolerance)
    compare("detrend", x, type="no")
    compare("detrend", x, bp=[100])
    for n in (None, 20, 21, 40):
        compare("hilbert", x, n, tolerance=tolerance)
        compare("hilbert", x, n, axis=0, tolerance=tolerance)
    compare("hilbert", x, 0)
    compare("hilbert2", x, tolerance=tolerance)
    compare("hilbert2", x, (5, 40), tolerance=tolerance)


@pytest.mark.parametrize("dtype", ("f8", "u1"))
def test_medians(dtype):
    x = numbers((7, 9), dtype)
    compare("medfilt", x)
    compare("medfilt", x, 5)
    compare("medfilt", x, (3, 1))
    compare("medfilt", x[0], 3)
    compare("medfilt", x, 2)
    compare("medfilt2d", x, 3)
    compare("medfilt2d", x, (1, 5))
    compare("order_filter", x, numpy.ones((3, 3)), 2)
    compare("order_filter", x, numpy.eye(3), 1)
    compare("order_filter", x, numpy.ones((2, 3)), 1)
    compare("medfilt", x.astype("c16"))


def test_other_smoothing():
    x = numbers((4, 30))
    compare("wiener", x)
    compare("wiener", x, 5, 0.3)
    compare("wiener", x[0], (3,))
    for mode in ("interp", "mirror", "constant", "nearest", "wrap", "no"):
        for deriv in (0, 1, 3):
            compare("savgol_filter", x, 7, 2, deriv, 0.5, mode=mode, cval=1.0, tolerance=1e-11)
    compare("savgol_filter", x, 6, 3, axis=1, tolerance=1e-11)
    compare("savgol_filter", x.T, 5, 2, axis=0, tolerance=1e-11)
    compare("savgol_filter", x.astype("f4"), 5, 2, tolerance=1e-5)
    compare("savgol_filter", x, 5, 5)
    compare("savgol_filter", x[:, :3], 5, 2)
    for args in ((5, 2), (6, 3), (7, 2, 1, 0.5), (5, 2, 0, 1.0, 1), (5, 1, 2)):
        for use in ("conv", "dot"):
            compare("savgol_coeffs", *args, use=use, tolerance=1e-12)


def test_filters_have_derivatives():
    x = heddle.asarray(numbers((40,)))
    weights = heddle.asarray(numbers((40,), seed=1))
    grad = heddle.grad(lambda v: (signal.fftconvolve(v, B, "same") * weights).sum())(x)
    expected = numpy.correlate(host_of(weights), B, "same")
    assert_near(grad, expected)
    assert ours_of(1) == 1


@pytest.mark.parametrize("dtype", ("f8", "f4", "c16"))
def test_recursions_of_any_number_of_lines(dtype):
    """Lines side by side, some left over, and long ones in pieces."""
    tolerance = 1e-3 if dtype == "f4" else 1e-9
    b, a = (v.astype(dtype) for v in theirs.butter(3, 0.2))
    sections = theirs.butter(4, 0.2, output="sos").astype(dtype)
    for shape, axis in (
        ((9001,), 0),
        ((3, 5000), 1),
        ((13, 50), 1),
        ((50, 5), 0),
        ((2, 2500, 3), 1),
    ):
        x = numbers(shape, dtype)
        states = list(shape)
        states[axis] = 3
        compare("lfilter", b, a, x, axis, tolerance=tolerance)
        compare("lfilter", b, a, x, axis, numbers(states, dtype, 1), tolerance=tolerance)
        states[axis] = 2
        compare("sosfilt", sections, x, axis, tolerance=tolerance)
        compare("sosfilt", sections, x, axis, numbers([2, *states], dtype, 1), tolerance=tolerance)
    compare(
        "lfilter", numpy.ones(300, dtype), numpy.array([1, 0.5], dtype), numbers((4000,), dtype)
    )


def test_recursions_that_grow_or_meet_what_is_not_finite():
    x = numbers((6000,))
    x[:3000] = 0  # the matrix of a piece would overflow, and make nan of this
    for a in ([1, -3.0, 1], [1, -1.002], [1, -1.0], [1, -2.0, 1]):
        compare("lfilter", [1.0], a, x, tolerance=1e-6)
    for odd in (numpy.inf, -numpy.inf, numpy.nan):
        x = numbers((6000,))
        x[4000] = odd
        compare("lfilter", B, A, x)
        compare("sosfilt", SOS, x)


def test_lists_beside_arrays():
    """SciPy would make NumPy's arrays of them, and mix no kinds."""
    zeros = heddle.asarray([0.5, 0.2])
    for name, args in (("zpk2tf", ([], 2.0)), ("zpk2sos", ([0.1, -0.1], 2.0))):
        found = getattr(signal, name)(zeros, *args)
        want = getattr(theirs, name)([0.5, 0.2], *args)
        for got, right in zip(found, want, strict=True):
            numpy.testing.assert_allclose(heddle.asnumpy(got), right)
    places = heddle.linspace(0, 1, 4)
    _, found = signal.freqz([1.0, 0.5], [1.0, 0.2], worN=places)
    _, want = theirs.freqz([1.0, 0.5], [1.0, 0.2], worN=heddle.asnumpy(places))
    numpy.testing.assert_allclose(heddle.asnumpy(found), want)


def test_splines_at_no_place_and_of_whole_numbers():
    places = numpy.array([[1.0, numpy.nan], [2.5, -3.0]])
    for name in ("cspline1d_eval", "qspline1d_eval"):
        same(getattr(signal, name), getattr(theirs, name), numbers(8), places)
        found = getattr(signal, name)(heddle.arange(5), heddle.asarray(places))
        want = getattr(theirs, name)(numpy.arange(5.0), places)
        numpy.testing.assert_allclose(heddle.asnumpy(found), want)
        assert getattr(signal, name)(heddle.ones((4, 2)), heddle.ones((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("shape", [(100,), (12, 9), (5, 6, 7)])
def test_direct_sums_of_half_precision(shape):
    """Rounded once, not with each product."""
    a, b = (numbers(shape).astype("f2") for _ in range(2))
    exact = theirs.convolve(a.astype("f8"), b.astype("f8"), method="direct")
    made = signal.convolve(heddle.asarray(a), heddle.asarray(b), method="direct")
    assert made.dtype == numpy.float16
    atol = 1e-4 * abs(exact).max()
    numpy.testing.assert_allclose(heddle.asnumpy(made), exact, rtol=1e-3, atol=atol)
