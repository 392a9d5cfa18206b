"""SciPy's own functions of this module: generic ones, and those of few numbers, on the host.

Designs of filters, conversions between their forms, and linear systems are of a few coefficients:
SciPy computes them with NumPy's arrays, and what comes out is ours.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray

# Those that stay on the device, in SciPy's array API mode.
GENERIC = [
    "abcd_normalize",
    "band_stop_obj",
    "bessel",
    "besselap",
    "bilinear_zpk",
    "buttap",
    "butter",
    "buttord",
    "cheb1ap",
    "cheb1ord",
    "cheb2ap",
    "cheb2ord",
    "cheby1",
    "cheby2",
    "check_COLA",
    "check_NOLA",
    "closest_STFT_dual_window",
    "ellip",
    "ellipap",
    "ellipord",
    "envelope",
    "findfreqs",
    "firls",
    "firwin",
    "firwin2",
    "firwin_2d",
    "freqs",
    "freqs_zpk",
    "freqz",
    "freqz_sos",
    "freqz_zpk",
    "gammatone",
    "gauss_spline",
    "gausspulse",
    "group_delay",
    "iircomb",
    "iirdesign",
    "iirfilter",
    "iirnotch",
    "iirpeak",
    "invres",
    "invresz",
    "kaiser_atten",
    "kaiser_beta",
    "kaiserord",
    "lfiltic",
    "lp2bp",
    "lp2bp_zpk",
    "lp2bs",
    "lp2bs_zpk",
    "lp2hp",
    "lp2hp_zpk",
    "lp2lp",
    "lp2lp_zpk",
    "max_len_seq",
    "minimum_phase",
    "normalize",
    "remez",
    "sos2tf",
    "sos2zpk",
    "sosfreqz",
    "sweep_poly",
    "tf2zpk",
    "unit_impulse",
    "vectorstrength",
    "zpk2tf",
    "BadCoefficients",
]

# Those of few numbers, which are computed on the host.
ON_HOST = [
    "bilinear",
    "bode",
    "cont2discrete",
    "dbode",
    "dfreqresp",
    "dimpulse",
    "dlsim",
    "dstep",
    "freqresp",
    "impulse",
    "lsim",
    "place_poles",
    "residue",
    "residuez",
    "ss2tf",
    "ss2zpk",
    "step",
    "tf2sos",
    "tf2ss",
    "unique_roots",
    "zpk2sos",
    "zpk2ss",
]

# Those that copy whole signals to the host.
COPIED = [
    "find_peaks_cwt",
    "spline_filter",
    "symiirorder2",
]

# Classes of systems, which hold NumPy's arrays.
CLASSES = ["ShortTimeFFT", "StateSpace", "TransferFunction", "ZerosPolesGain", "dlti", "lti"]


def _there(value: Any) -> Any:
    if isinstance(value, ndarray):
        return np.asnumpy(value)
    if type(value) in (tuple, list):
        return type(value)(map(_there, value))
    return value


def _here(value: Any, device: Any) -> Any:
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc":
        return np.asarray(value, device=device)
    if type(value) in (tuple, list):
        return type(value)(_here(each, device) for each in value)
    return value


def _device_of(values: Any) -> Any:
    for value in values:
        if isinstance(value, ndarray):
            return value.device
        if isinstance(value, (tuple, list)) and (found := _device_of(value)) is not None:
            return found
    return None


def _on_host(function: Callable[..., Any], module: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        device = _device_of((*args, *kwargs.values()))
        made = function(*map(_there, args), **{k: _there(v) for k, v in kwargs.items()})
        return _here(made, device)

    called.__module__ = module
    return called


def finder(name: str, generic: Callable[[str], Any]) -> Callable[[str], Any]:
    """The ``__getattr__`` of the module: `generic` finds what is generic, and says what is not."""
    here = frozenset((*ON_HOST, *COPIED, *CLASSES))

    def find(attribute: str) -> Any:
        if attribute not in here:
            return generic(attribute)
        try:
            theirs = importlib.import_module(name.removeprefix("heddle."))
        except ImportError as error:
            raise AttributeError(
                f"module {name!r} has no attribute {attribute!r}: it needs SciPy (pip install "
                "heddle[scipy])"
            ) from error
        value = getattr(theirs, attribute)
        if inspect.isfunction(value):
            value = _on_host(value, name)
        setattr(sys.modules[name], attribute, value)
        return value

    find.generic_names = here | generic.generic_names  # type: ignore[attr-defined]
    return find
