"""Loads the core, before anything else of the package.

OpenBLAS, which comes with it, starts its threads when it is loaded, and they spin for a while: on
two cores, with NumPy's OpenBLAS doing the same, they take a third of the time of what is imported
meanwhile. So it is loaded with one thread, and gets the others when they first have work, unless
the user says how many it is to have.
"""

import os

_SETTINGS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")

if not any(name in os.environ for name in _SETTINGS):
    os.environ[_SETTINGS[0]] = "1"
    try:
        from heddle import _core as _core
    finally:
        del os.environ[_SETTINGS[0]]
