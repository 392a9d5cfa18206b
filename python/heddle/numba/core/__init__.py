"""Numba's ``numba.core``: what programs take from there, which are types and errors."""

from heddle.numba import config, types
from heddle.numba.core import errors

__all__ = ["config", "errors", "types"]
