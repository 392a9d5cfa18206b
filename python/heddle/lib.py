"""NumPy's `lib`: what is useful of it here."""

import sys

from numpy.lib import NumpyVersion

from . import _stride_tricks as stride_tricks

__all__ = ["NumpyVersion", "stride_tricks"]

sys.modules[__name__ + ".stride_tricks"] = stride_tricks
