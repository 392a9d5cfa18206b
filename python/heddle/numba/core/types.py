"""Numba's ``numba.core.types``, which are ``numba.types``."""

from heddle.numba import types
from heddle.numba.types import *  # noqa: F403


def __getattr__(name: str) -> object:
    return getattr(types, name)


__all__ = types.__all__
