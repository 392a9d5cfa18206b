"""Windows: weights of the samples of a piece of a signal.

`sym` makes a window symmetric, for filters; without it, it is one period, for spectra. They are
made where `device` says, else on the current device.
"""

from __future__ import annotations

import numbers
from typing import Any

from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle.scipy._host import number
from heddle.scipy.signal._window_designs import chebwin, dpss, kaiser_bessel_derived, taylor
from heddle.scipy.signal._window_formulas import (
    barthann,
    bartlett,
    blackman,
    blackmanharris,
    bohman,
    boxcar,
    cosine,
    exponential,
    flattop,
    gaussian,
    general_cosine,
    general_gaussian,
    general_hamming,
    hamming,
    hann,
    kaiser,
    lanczos,
    nuttall,
    parzen,
    triang,
    tukey,
)

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
    window: object, Nx: int, fftbins: bool = True, *, xp: object = None, device: object = None
) -> ndarray:
    """A window by its name, or a tuple of its name and parameters, or Kaiser's by its beta.

    Examples
    --------
    >>> from heddle.scipy.signal import windows
    >>> windows.get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    Nx = number(Nx)
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
