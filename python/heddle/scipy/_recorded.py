"""Expressions that are recorded when they are first computed, and repeated from then on.

A filter of small windows, or what is done before and after a transform, is dozens of operations:
recorded, a call costs a few microseconds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from heddle._core import ndarray
from heddle._transform.compiling import jit


@functools.lru_cache(1024)
def _recorded(function: Callable[..., ndarray], key: tuple[object, ...]) -> Callable[..., ndarray]:
    recorded: Callable[..., ndarray] = jit(lambda *arrays: function(*arrays, *key))
    return recorded


def recorded(
    function: Callable[..., ndarray], arrays: tuple[ndarray, ...], *key: object
) -> ndarray:
    """``function(*arrays, *key)``, for a function of nothing else; `key` can be hashed."""
    return _recorded(function, key)(*arrays)
