"""Signal processing: ``scipy.signal`` for arrays of every device.

Convolutions, filters, resampling, spectra, windows, peaks and transforms are native: a filter is a
kernel with a thread for each line, and long lines are cut into pieces that are filtered at the same
time. Designs of filters and linear systems, which are of a few numbers, are SciPy's own. Results
are deferred, but where their shape depends on the elements.
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.signal import _own, windows
from heddle.scipy.signal._convolution import (
    choose_conv_method,
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    correlation_lags,
    fftconvolve,
    oaconvolve,
    sepfir2d,
)
from heddle.scipy.signal._filters import (
    deconvolve,
    filtfilt,
    lfilter,
    lfilter_zi,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from heddle.scipy.signal._peaks import (
    argrelextrema,
    argrelmax,
    argrelmin,
    find_peaks,
    peak_prominences,
    peak_widths,
)
from heddle.scipy.signal._resampling import (
    decimate,
    resample,
    resample_poly,
    upfirdn,
)
from heddle.scipy.signal._short_time import istft, spectrogram, stft
from heddle.scipy.signal._short_time_class import short_time_class as _short_time_class
from heddle.scipy.signal._smoothing import (
    detrend,
    hilbert,
    hilbert2,
    medfilt,
    medfilt2d,
    order_filter,
    savgol_coeffs,
    savgol_filter,
    wiener,
)
from heddle.scipy.signal._spectral import coherence, csd, lombscargle, periodogram, welch
from heddle.scipy.signal._splines import (
    cspline1d,
    cspline1d_eval,
    cspline2d,
    qspline1d,
    qspline1d_eval,
    qspline2d,
    symiirorder1,
)
from heddle.scipy.signal._systems import system_class as _system_class
from heddle.scipy.signal._waveforms import (
    CZT,
    ZoomFFT,
    chirp,
    czt,
    czt_points,
    sawtooth,
    square,
    sweep_poly,
    zoom_fft,
)
from heddle.scipy.signal._wavelets import cwt, morlet, morlet2, qmf, ricker
from heddle.scipy.signal.windows import get_window

__all__ = [
    "CZT",
    "ZoomFFT",
    "argrelextrema",
    "argrelmax",
    "argrelmin",
    "chirp",
    "choose_conv_method",
    "coherence",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "csd",
    "cspline1d",
    "cspline1d_eval",
    "cspline2d",
    "cwt",
    "czt",
    "czt_points",
    "decimate",
    "deconvolve",
    "detrend",
    "fftconvolve",
    "filtfilt",
    "find_peaks",
    "get_window",
    "hilbert",
    "hilbert2",
    "istft",
    "lfilter",
    "lfilter_zi",
    "lombscargle",
    "medfilt",
    "medfilt2d",
    "morlet",
    "morlet2",
    "oaconvolve",
    "order_filter",
    "peak_prominences",
    "peak_widths",
    "periodogram",
    "qmf",
    "qspline1d",
    "qspline1d_eval",
    "qspline2d",
    "resample",
    "resample_poly",
    "ricker",
    "savgol_coeffs",
    "savgol_filter",
    "sawtooth",
    "sepfir2d",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "spectrogram",
    "square",
    "stft",
    "sweep_poly",
    "symiirorder1",
    "upfirdn",
    "welch",
    "wiener",
    "windows",
    "zoom_fft",
]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(
    __name__,
    _own.GENERIC,
    (*_own.ON_HOST, *_own.COPIED),
    wrapped={"ShortTimeFFT": _short_time_class, **dict.fromkeys(_own.CLASSES, _system_class)},
)
