"""NumPy's `lib`: what is useful of it here."""

import sys

from . import _stride_tricks as stride_tricks

__all__ = ["stride_tricks"]

sys.modules[__name__ + ".stride_tricks"] = stride_tricks
