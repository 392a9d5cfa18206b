"""Windows: weights of the samples of a piece of a signal.

`sym` makes a window symmetric, for filters; without it, it is one period, for spectra. They are
made where `device` says, else on the current device.
"""

from __future__ import annotations

import math
import numbers
import operator
import warnings
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle._typing import ArrayLike
from heddle.scipy.fft._frequencies import _check_namespace


def _trivial(M: Any) -> bool:
    if int(M) != M or M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    return bool(M <= 1)


def _ones(M: int, device: Any) -> ndarray:
    return np.ones((M,), np.float64, device=device)


def _places(M: int, sym: bool, device: Any) -> tuple[ndarray, int]:
    """Places in a window of M elements, and how many the symmetric one has that it is part of."""
    return np.arange(M, dtype=np.float64, device=device), M if sym else M + 1


def _cosines(M: int, weights: Any, sym: bool, device: Any) -> ndarray:
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    angle = n * (2 * math.pi / (count - 1)) - math.pi
    made = np.zeros((M,), np.float64, device=device)
    for k, weight in enumerate(weights):
        made = made + weight * np.cos(k * angle)
    return made


def general_cosine(M: int, a: ArrayLike, sym: bool = True) -> ndarray:
    """A weighted sum of cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.general_cosine(3, [0.5, 0.5])
    array([0., 1., 0.])
    """
    weights = as_array(a)
    return _cosines(M, [float(w) for w in weights], sym, weights.device)


def boxcar(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Ones.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.boxcar(3)
    array([1., 1., 1.])
    """
    _check_namespace(xp)
    return _ones(M, device) if _trivial(M) else np.ones((M,), np.float64, device=device)


def triang(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """A triangle that does not begin with zero.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.triang(3)
    array([0.5, 1. , 0.5])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    mirrored = np.minimum(n, count - 1 - n)
    if count % 2 == 0:
        return (2 * mirrored + 1) / count
    return 2 * (mirrored + 1) / (count + 1)


def parzen(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Parzen's window, a convolution of four boxes.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.parzen(3).round(4)
    array([0.0741, 1.    , 0.0741])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    size = np.abs(n - (count - 1) / 2)
    part = size / (count / 2)
    inner = 1 - 6 * part**2 + 6 * part**3
    return np.where(size <= (count - 1) / 4, inner, 2 * (1 - part) ** 3)


def bohman(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Bohman's window, a convolution of two arches of a cosine.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.bohman(3)
    array([0., 1., 0.])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    size = np.abs(n * (2 / (count - 1)) - 1)
    made = (1 - size) * np.cos(math.pi * size) + np.sin(math.pi * size) / math.pi
    return np.where((n == 0) | (n == count - 1), 0.0, made)


def blackman(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Blackman's window, of three cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.blackman(3).round(4)
    array([-0.,  1., -0.])
    """
    _check_namespace(xp)
    return _cosines(M, (0.42, 0.5, 0.08), sym, device)


def nuttall(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Nuttall's window, of four cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.nuttall(4).round(2)
    array([0.  , 0.53, 0.53, 0.  ])
    """
    _check_namespace(xp)
    return _cosines(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym, device)


def blackmanharris(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """The window of Blackman and Harris, of four cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.blackmanharris(4).round(3)
    array([0.   , 0.521, 0.521, 0.   ])
    """
    _check_namespace(xp)
    return _cosines(M, (0.35875, 0.48829, 0.14128, 0.01168), sym, device)


def flattop(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """A window with a flat top, of five cosines.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.flattop(4).round(4)
    array([-0.0004,  0.1982,  0.1982, -0.0004])
    """
    _check_namespace(xp)
    return _cosines(M, (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), sym, device)


def bartlett(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """A triangle that begins with zero.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.bartlett(3)
    array([0., 1., 0.])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    return np.where(n <= (count - 1) / 2, 2 * n / (count - 1), 2 - 2 * n / (count - 1))


def general_hamming(
    M: int, alpha: float, sym: bool = True, *, xp: Any = None, device: Any = None
) -> ndarray:
    """A constant and a cosine.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.general_hamming(3, 0.5)
    array([0., 1., 0.])
    """
    _check_namespace(xp)
    return _cosines(M, (alpha, 1.0 - alpha), sym, device)


def hann(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """One period of a cosine, from zero.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.hann(3)
    array([0., 1., 0.])
    """
    _check_namespace(xp)
    return general_hamming(M, 0.5, sym, device=device)


def hamming(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Hamming's window.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.hamming(3)
    array([0.08, 1.  , 0.08])
    """
    _check_namespace(xp)
    return general_hamming(M, 0.54, sym, device=device)


def tukey(
    M: int, alpha: float = 0.5, sym: bool = True, *, xp: Any = None, device: Any = None
) -> ndarray:
    """A box whose edges are cosines, alpha of its width.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.tukey(5)
    array([0., 1., 1., 1., 0.])
    """
    _check_namespace(xp)
    if _trivial(M) or alpha <= 0:
        return _ones(M, device)
    if alpha >= 1.0:
        return hann(M, sym=sym, device=device)
    n, count = _places(M, sym, device)
    width = math.floor(alpha * (count - 1) / 2.0)
    first = 0.5 * (1 + np.cos(math.pi * (-1 + 2.0 * n / alpha / (count - 1))))
    last = 0.5 * (1 + np.cos(math.pi * (-2.0 / alpha + 1 + 2.0 * n / alpha / (count - 1))))
    return np.where(n <= width, first, np.where(n < count - width - 1, 1.0, last))


def barthann(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """The window of Bartlett and Hann.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.barthann(3).round(4)
    array([0., 1., 0.])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    size = np.abs(n / (count - 1.0) - 0.5)
    return 0.62 - 0.48 * size + 0.38 * np.cos(2 * math.pi * size)


def kaiser(M: int, beta: float, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Kaiser's window, of a Bessel function.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.kaiser(3, 2.0).round(4)
    array([0.4387, 1.    , 0.4387])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    middle = (count - 1) / 2.0
    root = np.sqrt(np.maximum(1 - ((n - middle) / middle) ** 2.0, 0.0))
    return np.i0(beta * root) / float(numpy.i0(float(beta)))


def kaiser_bessel_derived(
    M: int, beta: float, *, sym: bool = True, xp: Any = None, device: Any = None
) -> ndarray:
    """The root of the running sum of Kaiser's window, of an even length.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.kaiser_bessel_derived(4, 2.0).round(4)
    array([0.4834, 0.8754, 0.8754, 0.4834])
    """
    _check_namespace(xp)
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
    if M < 1:
        return np.zeros((0,), device=device)
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    sums = np.cumsum(kaiser(M // 2 + 1, beta, device=device))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate([half, half[::-1]])


def gaussian(
    M: int, std: float, sym: bool = True, *, xp: Any = None, device: Any = None
) -> ndarray:
    """A Gaussian.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.gaussian(3, 1.0).round(4)
    array([0.6065, 1.    , 0.6065])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    n = n - (count - 1.0) / 2.0
    return np.exp(-(n**2) / (2 * std * std))


def general_gaussian(
    M: int, p: float, sig: float, sym: bool = True, *, xp: Any = None, device: Any = None
) -> ndarray:
    """A Gaussian of another power.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.general_gaussian(3, 1.0, 1.0).round(4)
    array([0.6065, 1.    , 0.6065])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    n = n - (count - 1.0) / 2.0
    return np.exp(-0.5 * np.abs(n / sig) ** (2 * p))


def chebwin(M: int, at: float, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """Dolph and Chebyshev's window, with side lobes of `at` decibels.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.chebwin(3, 100).round(4)
    array([0.5, 1. , 0.5])
    """
    _check_namespace(xp)
    if abs(at) < 45:
        warnings.warn(
            "This window is not suitable for spectral analysis for attenuation values lower than "
            "about 45dB because the equivalent noise bandwidth of a Chebyshev window does not grow "
            "monotonically with increasing sidelobe attenuation when the attenuation is smaller "
            "than about 45 dB.",
            stacklevel=2,
        )
    if _trivial(M):
        return _ones(M, device)
    count = M if sym else M + 1
    order = count - 1.0
    beta = math.cosh(math.acosh(10 ** (abs(at) / 20.0)) / order)
    k = np.arange(count, dtype=np.float64, device=device)
    x = beta * np.cos(math.pi * k / count)
    inside = np.abs(x) <= 1
    large = np.cosh(order * np.arccosh(np.where(inside, 1.0, np.abs(x))))
    sign = np.where(x < 0, 2.0 * (count % 2) - 1, 1.0)
    p = np.where(inside, np.cos(order * np.arccos(np.where(inside, x, 1.0))), sign * large)
    if count % 2:
        w = np.fft.fft(p).real[: (count + 1) // 2]
        w = np.concatenate([w[:0:-1], w])
    else:
        w = np.fft.fft(p * np.exp(1j * math.pi / count * k)).real[1 : count // 2 + 1]
        w = np.concatenate([w[::-1], w])
    return (w / np.max(w))[:M]


def cosine(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> ndarray:
    """An arch of a sine.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.cosine(3)
    array([0.5, 1. , 0.5])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    return np.sin(math.pi / count * (n + 0.5))


def exponential(
    M: int,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    *,
    xp: Any = None,
    device: Any = None,
) -> ndarray:
    """An exponential to both sides of its centre.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.exponential(3).round(4)
    array([0.3679, 1.    , 0.3679])
    """
    _check_namespace(xp)
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    middle = (count - 1) / 2 if center is None else center
    return np.exp(-np.abs(n - middle) / tau)


def taylor(
    M: int,
    nbar: int = 4,
    sll: float = 30,
    norm: bool = True,
    sym: bool = True,
    *,
    xp: Any = None,
    device: Any = None,
) -> ndarray:
    """Taylor's window, with nbar side lobes of sll decibels.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.taylor(3).round(4)
    array([0.4669, 1.    , 0.4669])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    count = M if sym else M + 1
    a = math.acosh(10 ** (sll / 20)) / math.pi
    s2 = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
    ma = numpy.arange(1, nbar, dtype=float)
    m2 = ma * ma
    weights = numpy.empty(nbar - 1)
    for k in range(nbar - 1):
        top = (-1.0) ** k * numpy.prod(1 - m2[k] / s2 / (a**2 + (ma - 0.5) ** 2))
        below = 2 * numpy.prod(1 - m2[k] / m2[:k]) * numpy.prod(1 - m2[k] / m2[k + 1 :])
        weights[k] = top / below

    def made(n: Any) -> Any:
        total = 1.0
        for m, weight in zip(ma, weights, strict=True):
            total = total + 2 * weight * np.cos(
                2 * math.pi * float(m) * (n - count / 2.0 + 0.5) / count
            )
        return total

    w = made(np.arange(M, dtype=np.float64, device=device))
    return w / float(made(numpy.float64((count - 1) / 2))) if norm else w


def lanczos(M: int, *, sym: bool = True, xp: Any = None, device: Any = None) -> ndarray:
    """The middle of a sinc.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.lanczos(3).round(4)
    array([0., 1., 0.])
    """
    _check_namespace(xp)
    if _trivial(M):
        return _ones(M, device)
    n, count = _places(M, sym, device)
    x = 2.0 * n / (count - 1) - 1.0
    return np.sinc(x)


def dpss(
    M: int,
    NW: float,
    Kmax: int | None = None,
    sym: bool = True,
    norm: Any = None,
    return_ratios: bool = False,
    *,
    xp: Any = None,
    device: Any = None,
) -> Any:
    """Slepian's windows: as much as possible of their energy is in a band.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.dpss(3, 1.0).round(4)
    array([0.5931, 1.    , 0.5931])
    """
    from heddle.scipy.linalg import eigh_tridiagonal

    _check_namespace(xp)
    if norm is None:
        norm = "approximate" if Kmax is None else 2
    if norm not in (2, "approximate", "subsample"):
        raise ValueError(f"norm must be one of (2, 'approximate', 'subsample'), got {norm}")
    single = Kmax is None
    wanted = 1 if Kmax is None else operator.index(Kmax)
    if _trivial(M):
        one = _ones(M, device)
        return (one, 1.0 if single else _ones(1, device)) if return_ratios else one
    if not 0 < wanted <= M:
        raise ValueError("Kmax must be greater than 0 and less than M")
    if NW >= M / 2.0:
        raise ValueError("NW must be less than M/2.")
    if NW <= 0:
        raise ValueError("NW must be positive")
    count = M if sym else M + 1
    width = float(NW) / count
    n = np.arange(count, dtype=np.float64, device=device)
    d = ((count - 1 - 2 * n) / 2.0) ** 2 * math.cos(2 * math.pi * width)
    e = n[1:] * (count - n[1:]) / 2.0
    _, vectors = eigh_tridiagonal(d, e, select="i", select_range=(count - wanted, count - 1))
    made = np.swapaxes(vectors, 0, 1)[::-1]
    # Even ones have a positive sum, odd ones begin with a positive lobe.
    first = np.argmax(made * made > max(1e-7, 1.0 / count), axis=1)
    begins = np.take_along_axis(made, first[:, None], axis=1)[:, 0]
    even = np.arange(wanted, device=device) % 2 == 0
    flip = np.where(even, np.sum(made, axis=1) < 0, begins < 0)
    made = np.where(flip[:, None], -made, made)
    ratios: Any = None
    if return_ratios:
        points = 2 * count
        spectrum = np.fft.rfft(made, points)
        correlated = np.fft.irfft(np.abs(spectrum) ** 2, points)[:, :count]
        r = 4 * width * np.sinc(2 * width * n)
        r = np.where(n == 0, 2 * width, r)
        ratios = correlated @ r
        ratios = ratios[0] if single else ratios
    if norm != 2:
        made = made / np.max(made)
        if count % 2 == 0:
            if norm == "approximate":
                correction: Any = count**2 / float(count**2 + NW)
            else:
                s = np.fft.rfft(made[0])
                k = np.arange(1, count // 2 + 1, dtype=np.float64, device=device)
                turned = s[1:] * 2 * np.exp(1j * math.pi * (1 - 1.0 / count) * k)
                correction = count / (s[0].real + np.sum(turned.real))
            made = made * correction
    made = made[:, :M]
    made = made[0] if single else made
    return (made, ratios) if return_ratios else made


# Names, and whether parameters are needed (True), possible (None) or not (False).
_known: dict[str, tuple[Any, bool | None]] = {}
for _names, _function, _takes in (
    ("barthann,brthan,bth", barthann, False),
    ("bartlett,bart,brt", bartlett, False),
    ("blackman,black,blk", blackman, False),
    ("blackmanharris,blackharr,bkh", blackmanharris, False),
    ("bohman,bman,bmn", bohman, False),
    ("boxcar,box,ones,rect,rectangular", boxcar, False),
    ("chebwin,cheb", chebwin, True),
    ("cosine,halfcosine", cosine, False),
    ("dpss", dpss, True),
    ("exponential,poisson", exponential, None),
    ("flattop,flat,flt", flattop, False),
    ("gaussian,gauss,gss", gaussian, True),
    ("general cosine,general_cosine", general_cosine, True),
    ("general gaussian,general_gaussian,general gauss,general_gauss,ggs", general_gaussian, True),
    ("general hamming,general_hamming", general_hamming, True),
    ("hamming,hamm,ham", hamming, False),
    ("hann,han", hann, False),
    ("kaiser,ksr", kaiser, True),
    ("kaiser bessel derived,kaiser_bessel_derived,kbd", kaiser_bessel_derived, True),
    ("lanczos,sinc", lanczos, False),
    ("nuttall,nutl,nut", nuttall, False),
    ("parzen,parz,par", parzen, False),
    ("taylor,taylorwin", taylor, None),
    ("triangle,triang,tri", triang, False),
    ("tukey,tuk", tukey, None),
):
    _known.update(dict.fromkeys(_names.split(","), (_function, _takes)))


def get_window(
    window: Any, Nx: int, fftbins: bool = True, *, xp: Any = None, device: Any = None
) -> ndarray:
    """A window by its name, or a tuple of its name and parameters, or Kaiser's by its beta.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    if not (isinstance(Nx, numbers.Integral) and Nx > 0):
        raise ValueError(f"Parameter Nx={Nx!r} is not a positive integer")
    if not isinstance(fftbins, bool):
        raise ValueError(f"Parameter fftbins={fftbins!r} is not of type bool!")
    if not isinstance(window, (str, tuple)):
        try:
            beta = float(window)
        except Exception as error:
            raise ValueError(
                f"Parameter window={window!r} must be a tuple, a string or a float!"
            ) from error
        return kaiser(Nx, beta, not fftbins, xp=xp, device=device)
    if isinstance(window, tuple) and not isinstance(window[0], str):
        raise ValueError(f"First tuple entry of parameter window={window!r} is not a str!")
    sym = not fftbins
    name = window if isinstance(window, str) else window[0]
    if name.endswith("_symmetric"):
        sym, name = True, name[:-10]
    elif name.endswith("_periodic"):
        sym, name = False, name[:-9]
    if name not in _known:
        raise ValueError(f"Invalid window name '{name}' in parameter window={window!r}!")
    function, takes = _known[name]
    args = window[1:] if isinstance(window, tuple) else ()
    if args and takes is False:
        raise ValueError(f"'{name}' does not allow parameters, but window={window!r}!")
    if not args and takes is True:
        raise ValueError(f"'{name}' must have parameters, but window={window!r}!")
    if function is dpss and len(args) != 1:
        raise ValueError(f"Window {name} must have one parameter but window={window!r}")
    if function is general_cosine:
        return general_cosine(Nx, *args, sym=sym)
    made: ndarray = function(Nx, *args, sym=sym, xp=xp, device=device)
    return made


__all__ = [
    "barthann",
    "bartlett",
    "blackman",
    "blackmanharris",
    "bohman",
    "boxcar",
    "chebwin",
    "cosine",
    "dpss",
    "exponential",
    "flattop",
    "gaussian",
    "general_cosine",
    "general_gaussian",
    "general_hamming",
    "get_window",
    "hamming",
    "hann",
    "kaiser",
    "kaiser_bessel_derived",
    "lanczos",
    "nuttall",
    "parzen",
    "taylor",
    "triang",
    "tukey",
]

_publish(__name__, *map(globals().get, __all__))
