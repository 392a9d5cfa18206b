"""``scipy.fftpack``, which ``scipy.fft`` is in place of: transforms for arrays of every device."""

from heddle._names.public import publish as _publish
from heddle.fft import fftfreq, fftshift, ifftshift
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.fft._plans import get_fft_plan
from heddle.scipy.fftpack._operators import (
    cc_diff,
    cs_diff,
    diff,
    hilbert,
    ihilbert,
    itilbert,
    sc_diff,
    shift,
    ss_diff,
    tilbert,
)
from heddle.scipy.fftpack._transforms import (
    fft,
    fft2,
    fftn,
    ifft,
    ifft2,
    ifftn,
    irfft,
    next_fast_len,
    rfft,
    rfftfreq,
)
from heddle.scipy.fftpack._trigonometric import dct, dctn, dst, dstn, idct, idctn, idst, idstn

__all__ = [
    "cc_diff",
    "cs_diff",
    "dct",
    "dctn",
    "diff",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "get_fft_plan",
    "hilbert",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihilbert",
    "irfft",
    "itilbert",
    "next_fast_len",
    "rfft",
    "rfftfreq",
    "sc_diff",
    "shift",
    "ss_diff",
    "tilbert",
]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(__name__)
