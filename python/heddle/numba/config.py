"""Numba's ``numba.config``: what programs ask there, and may say."""

import os

from heddle import _core

# Functions stay Python's if this is true when they are decorated, as for a coverage tool.
DISABLE_JIT = bool(int(os.environ.get("NUMBA_DISABLE_JIT", "0") or 0))
NUMBA_NUM_THREADS = NUMBA_DEFAULT_NUM_THREADS = _core.most_loop_threads()
THREADING_LAYER = "tbb"  # loops are on oneTBB's threads, whatever else is said
CACHE_DIR = os.environ.get("NUMBA_CACHE_DIR", "")  # Heddle's cache is where HEDDLE_CACHE_DIR says

__all__ = [
    *("CACHE_DIR", "DISABLE_JIT", "NUMBA_DEFAULT_NUM_THREADS", "NUMBA_NUM_THREADS"),
    "THREADING_LAYER",
]
