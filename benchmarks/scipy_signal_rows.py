"""Functions of heddle.scipy.fft, linalg and signal, timed against SciPy's.

A row is the module, the name, the number of elements, and a function that makes two others: ours
and SciPy's, each of which computes all of its result. `python benchmarks/scipy_signal_rows.py`
prints them; `--only TEXT` for some.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import scipy.fft
import scipy.linalg
import scipy.signal

import heddle
from heddle.scipy import fft, linalg, signal

Pair = tuple[Callable[[], Any], Callable[[], Any]]
Row = tuple[str, str, int, Callable[[], Pair]]


def _settled(made: Any) -> Any:
    """Every array of a result, computed."""
    for each in made if isinstance(made, (tuple, list)) else (made,):
        if isinstance(each, heddle.ndarray):
            heddle.eval(each)
    heddle.synchronize()
    return made


def _pair(ours: Any, theirs: Any, *args: Any, **kwargs: Any) -> Callable[[], Pair]:
    def make() -> Pair:
        given = [heddle.asarray(a) if isinstance(a, numpy.ndarray) else a for a in args]
        return lambda: _settled(ours(*given, **kwargs)), lambda: theirs(*args, **kwargs)

    return make


def _numbers(*shape: int, dtype: str = "f8") -> Any:
    return numpy.random.default_rng(0).standard_normal(shape).astype(dtype)


def rows() -> Iterator[Row]:
    line, lines = _numbers(1_000_000), _numbers(100, 10_000)
    for name in ("fft", "rfft", "dct", "dst"):
        yield "fft", name, line.size, _pair(getattr(fft, name), getattr(scipy.fft, name), line)
        yield "fft", name, lines.size, _pair(getattr(fft, name), getattr(scipy.fft, name), lines)
    image = _numbers(1000, 1000)
    yield "fft", "dctn", image.size, _pair(fft.dctn, scipy.fft.dctn, image)
    yield "fft", "dct type 4", lines.size, _pair(fft.dct, scipy.fft.dct, lines, 4)
    matrix = _numbers(400, 400) + 20 * numpy.eye(400)
    for name in ("lu_factor", "inv", "expm", "schur", "sqrtm", "qr", "cholesky"):
        given = matrix @ matrix.T if name == "cholesky" else matrix
        pair = _pair(getattr(linalg, name), getattr(scipy.linalg, name), given)
        yield "linalg", name, matrix.size, pair
    right = _numbers(400, 50)
    yield "linalg", "solve", matrix.size, _pair(linalg.solve, scipy.linalg.solve, matrix, right)
    pair = _pair(linalg.solve_triangular, scipy.linalg.solve_triangular, matrix, right)
    yield "linalg", "solve_triangular", matrix.size, pair
    stack = _numbers(500, 20, 20) + 10 * numpy.eye(20)
    yield "linalg", "lu of a stack", stack.size, _pair(linalg.lu, scipy.linalg.lu, stack)
    yield "linalg", "expm of a stack", stack.size, _pair(linalg.expm, scipy.linalg.expm, stack)
    bands = _numbers(2000, 3, 50)
    bands[:, 1] += 4
    sides = _numbers(2000, 50, 1)
    pair = _pair(linalg.solve_banded, scipy.linalg.solve_banded, (1, 1), bands, sides)
    yield "linalg", "solve_banded of a stack", bands.size, pair
    yield "linalg", "toeplitz", 10**6, _pair(linalg.toeplitz, scipy.linalg.toeplitz, _numbers(1000))
    b, a = scipy.signal.butter(4, 0.1)
    sos = scipy.signal.butter(6, 0.1, output="sos")
    for given in (line, _numbers(64, 20_000)):
        yield (
            "signal",
            "lfilter",
            given.size,
            _pair(signal.lfilter, scipy.signal.lfilter, b, a, given),
        )
        pair = _pair(signal.sosfilt, scipy.signal.sosfilt, sos, given)
        yield "signal", "sosfilt", given.size, pair
    pair = _pair(signal.filtfilt, scipy.signal.filtfilt, b, a, lines)
    yield "signal", "filtfilt", lines.size, pair
    short = _numbers(200)
    for name in ("fftconvolve", "oaconvolve", "convolve", "correlate"):
        pair = _pair(getattr(signal, name), getattr(scipy.signal, name), line, short)
        yield "signal", name, line.size, pair
    kernel = _numbers(5, 5)
    for name in ("convolve2d", "correlate2d"):
        pair = _pair(getattr(signal, name), getattr(scipy.signal, name), image, kernel)
        yield "signal", name, image.size, pair
    one = ("welch", "spectrogram", "stft", "periodogram", "hilbert", "detrend", "find_peaks")
    for name in one:
        yield (
            "signal",
            name,
            line.size,
            _pair(getattr(signal, name), getattr(scipy.signal, name), line),
        )
    pair = _pair(signal.resample_poly, scipy.signal.resample_poly, line, 3, 2)
    yield "signal", "resample_poly", line.size, pair
    yield (
        "signal",
        "resample",
        line.size,
        _pair(signal.resample, scipy.signal.resample, line, 500_000),
    )
    yield "signal", "decimate", line.size, _pair(signal.decimate, scipy.signal.decimate, line, 4)
    pair = _pair(signal.savgol_filter, scipy.signal.savgol_filter, lines, 11, 3)
    yield "signal", "savgol_filter", lines.size, pair
    yield "signal", "medfilt", line.size, _pair(signal.medfilt, scipy.signal.medfilt, line, 5)
    yield "signal", "medfilt2d", image.size, _pair(signal.medfilt2d, scipy.signal.medfilt2d, image)
    yield "signal", "wiener", image.size, _pair(signal.wiener, scipy.signal.wiener, image)
    times, values = numpy.sort(_numbers(2000)), _numbers(2000)
    angular = numpy.linspace(0.1, 10, 1000)
    pair = _pair(signal.lombscargle, scipy.signal.lombscargle, times, values, angular)
    yield "signal", "lombscargle", 2 * 10**6, pair


def _best(function: Callable[[], Any], seconds: float = 1.0) -> float:
    function()
    best, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - before)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows with this text")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each of both")
    options = parser.parse_args()
    logarithms = []
    for module, name, elements, make in rows():
        if options.only not in f"{module}.{name}":
            continue
        ours, theirs = (_best(each, options.seconds) for each in make())
        logarithms.append(numpy.log(theirs / ours))
        text = f"{module + '.' + name:<32} {elements:>9} {ours * 1e3:>10.3f} {theirs * 1e3:>10.3f}"
        print(f"{text} {theirs / ours:>7.2f}x")
    print(f"geometric mean {numpy.exp(numpy.mean(logarithms)):.2f}x")


if __name__ == "__main__":
    main()
