"""Fourier, cosine, sine and Hankel transforms: ``scipy.fft`` for arrays of every device.

All of it is native and deferred, and has derivatives. ``scipy.fft`` calls these functions for our
arrays; ``scipy.fft.set_backend(heddle.scipy.fft)`` asks them before other backends. `workers` is
checked and kept, but transforms run on all cores that Heddle may use; `overwrite_x` is a permission
nobody needs, as memory is reused where nobody else holds it.
"""

from heddle._names.public import publish as _publish
from heddle._protocols.scipy import TransformBackend as _TransformBackend
from heddle.fft import fftshift, ifftshift
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy._generic import or_scipys as _or_scipys
from heddle.scipy.fft._arguments import get_workers, set_workers
from heddle.scipy.fft._fourier import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from heddle.scipy.fft._frequencies import fftfreq, rfftfreq
from heddle.scipy.fft._hankel import fht, fhtoffset, ifht
from heddle.scipy.fft._lengths import next_fast_len, prev_fast_len
from heddle.scipy.fft._plans import get_fft_plan
from heddle.scipy.fft._trigonometric import dct, dctn, dst, dstn, idct, idctn, idst, idstn

_scipys = ("register_backend", "set_backend", "set_global_backend", "skip_backend")

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "fhtoffset",
    "get_fft_plan",
    "get_workers",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ifht",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "set_workers",
]

_publish(__name__, *map(globals().get, __all__))
for _kind in ("fft", "rfft", "hfft", "dct", "dst"):
    for _end in ("", "2", "n"):
        for _name in (f"{_kind}{_end}", f"i{_kind}{_end}"):
            if _name in __all__:
                globals()[_name] = _or_scipys(__name__, globals()[_name])
__getattr__ = _open_module(__name__, _scipys)
# What makes a module a backend of SciPy's.
__ua_domain__, __ua_function__ = _TransformBackend.__ua_domain__, _TransformBackend.__ua_function__
