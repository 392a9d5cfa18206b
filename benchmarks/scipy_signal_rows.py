"""Rows of benchmarks/scipy_modules.py: heddle.scipy.fft, linalg and signal."""

from collections.abc import Callable
from typing import Any

import numpy
import scipy.signal
from scipy_row import ScipyRow

Make = Callable[[int], tuple[Any, ...]]

_B, _A = scipy.signal.butter(4, 0.1)
_SECTIONS = scipy.signal.butter(6, 0.1, output="sos")


def _numbers(*shape: int, seed: int = 0) -> Any:
    return numpy.random.default_rng(seed).standard_normal(shape)


def _line(n: int) -> tuple[Any, ...]:
    return (_numbers(n),)


def _lines(n: int) -> tuple[Any, ...]:
    return (_numbers(100, n // 100),)


def _image(n: int) -> tuple[Any, ...]:
    side = round(n**0.5)
    return (_numbers(side, side),)


def _line_and_short(n: int) -> tuple[Any, ...]:
    return _numbers(n), _numbers(200, seed=1)


def _image_and_window(n: int) -> tuple[Any, ...]:
    return *_image(n), _numbers(5, 5, seed=1)


def _filtered(make: Make) -> Make:
    return lambda n: (_B, _A, *make(n))


def _in_sections(make: Make) -> Make:
    return lambda n: (_SECTIONS, *make(n))


def _matrix(n: int) -> tuple[Any, ...]:
    side = min(round(n**0.5), 400)
    return (_numbers(side, side) + 20 * numpy.eye(side),)


def _contraction(n: int) -> tuple[Any, ...]:
    """Whose exponential has elements of about one size, so that digits can be compared."""
    return (_matrix(n)[0] / 100,)


def _schur_and_product(module: Any, a: Any) -> Any:
    """Forms of Schur's have any order and any signs; their product is the matrix."""
    t, z = module.schur(a)
    return z @ t @ z.T


def _positive(n: int) -> tuple[Any, ...]:
    (a,) = _matrix(n)
    return (a @ a.T,)


def _system(n: int) -> tuple[Any, ...]:
    (a,) = _matrix(n)
    return a, _numbers(a.shape[0], 50, seed=1)


def _stack(n: int) -> tuple[Any, ...]:
    return (_numbers(n // 400, 20, 20) + 10 * numpy.eye(20),)


def _bands(n: int) -> tuple[Any, ...]:
    bands = _numbers(n // 150, 3, 50)
    bands[:, 1] += 4
    return bands, _numbers(n // 150, 50, 1, seed=1)


def _definite_bands(n: int) -> tuple[Any, ...]:
    return numpy.stack([_numbers(n) / 10, numpy.full(n, 9.0)]), _numbers(n, seed=1)


def _line_and_few(n: int) -> tuple[Any, ...]:
    return _numbers(n), numpy.full(9, 1 / 9)


def _unequal_times(n: int) -> tuple[Any, ...]:
    times = numpy.sort(_numbers(n // 1000))
    return times, _numbers(n // 1000, seed=1), numpy.linspace(0.1, 10, 1000)


def _named(names: str, make: Make, about: str = "") -> list[ScipyRow]:
    """Functions that take no more than the arguments."""

    def call(name: str) -> Callable[..., Any]:
        return lambda module, *args: getattr(module, name)(*args)

    return [ScipyRow(name + about, make, call(name)) for name in names.split()]


FFT = [
    *_named("fft rfft dct dst", _line),
    *_named("fft rfft dct dst", _lines, " of 100 lines"),
    *_named("dctn", _image),
    ScipyRow("fht", _line, lambda m, a: m.fht(a, 0.01, 0.5)),
    ScipyRow("dct, type 4", _lines, lambda m, a: m.dct(a, 4)),
]

LINALG = [
    *_named("lu_factor inv sqrtm qr", _matrix, ", at most 400 x 400"),
    *_named("expm", _contraction, ", at most 400 x 400"),
    ScipyRow("schur and product, at most 400 x 400", _matrix, _schur_and_product),
    *_named("cholesky", _positive, ", at most 400 x 400"),
    *_named("solve solve_triangular", _system, ", at most 400 x 400"),
    *_named("lu expm", _stack, " of 20 x 20"),
    ScipyRow("solve_banded of 50", _bands, lambda m, a, b: m.solve_banded((1, 1), a, b)),
    ScipyRow("solveh_banded", _definite_bands, lambda m, a, b: m.solveh_banded(a, b)),
    ScipyRow("matrix_balance", _matrix, lambda m, a: m.matrix_balance(a)[0]),
    ScipyRow("toeplitz", lambda n: (_numbers(round(n**0.5)),), lambda m, a: m.toeplitz(a)),
]

SIGNAL = [
    *_named("lfilter", _filtered(_line)),
    *_named("lfilter filtfilt", _filtered(_lines), " of 100 lines"),
    *_named("sosfilt", _in_sections(_line)),
    *_named("sosfilt", _in_sections(_lines), " of 100 lines"),
    *_named("fftconvolve oaconvolve convolve correlate", _line_and_short),
    *_named("convolve2d correlate2d", _image_and_window),
    *_named("welch spectrogram stft periodogram hilbert detrend find_peaks", _line),
    ScipyRow("resample_poly", _line, lambda m, a: m.resample_poly(a, 3, 2)),
    ScipyRow("resample", _line, lambda m, a: m.resample(a, a.shape[0] // 2)),
    ScipyRow("decimate", _line, lambda m, a: m.decimate(a, 4)),
    ScipyRow("savgol_filter", _lines, lambda m, a: m.savgol_filter(a, 11, 3)),
    ScipyRow("medfilt", _line, lambda m, a: m.medfilt(a, 5)),
    *_named("medfilt2d wiener", _image),
    *_named("lombscargle", _unequal_times),
    ScipyRow("convolve, 9 taps", _line_and_few, lambda m, a, b: m.convolve(a, b, "same")),
    ScipyRow("lfilter, 9 taps", _line_and_few, lambda m, a, b: m.lfilter(b, 1.0, a)),
    ScipyRow("find_peaks, prominence", _line, lambda m, a: m.find_peaks(a, prominence=1)[0]),
    ScipyRow("find_peaks, width", _line, lambda m, a: m.find_peaks(a, width=2)[0]),
]
