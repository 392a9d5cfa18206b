"""Discrete Fourier transforms, with NumPy's names and meaning.

A transform runs when it is called; what is done with its result is deferred as always. On the CPU
the library is ducc0, on NVIDIA GPUs cuFFT.
"""

import numpy as _numpy

from heddle._names.public import publish as _publish
from heddle._protocols.numpy import behave_as as _behave_as
from heddle.fft import config
from heddle.fft._frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from heddle.fft._transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "config",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_behave_as(globals(), _numpy.fft)
_publish(__name__, *map(globals().get, __all__))
