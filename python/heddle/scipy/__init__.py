"""SciPy's modules for arrays of every device: ``from heddle.scipy import ndimage``.

A name of these modules is native, and then needs no SciPy; or it is SciPy's own function, where
that is generic: it computes with the functions of the array's module, and stays on the device. What
is neither is not there, and says so. docs/scipy.md lists which is which.

SciPy is optional (``pip install heddle[scipy]``). The modules are imported when somebody asks for
them.
"""

import typing as _typing

from heddle._names.aliases import alias_modules as _alias_modules

# The modules that are here, by where they are at home.
_modules = {
    "cluster": "heddle.scipy.cluster",
    "fft": "heddle.scipy.fft",
    "fftpack": "heddle.scipy.fftpack",
    "interpolate": "heddle.scipy.interpolate",
    "linalg": "heddle.scipy.linalg",
    "ndimage": "heddle.scipy.ndimage",
    "signal": "heddle.scipy.signal",
    "sparse": "heddle.scipy.sparse",
    "spatial": "heddle.scipy.spatial",
    "special": "heddle.special",
    "stats": "heddle.scipy.stats",
}

__all__ = list(_modules)

if _typing.TYPE_CHECKING:  # what __getattr__ finds
    from heddle import special as special
    from heddle.scipy import cluster as cluster
    from heddle.scipy import fft as fft
    from heddle.scipy import fftpack as fftpack
    from heddle.scipy import interpolate as interpolate
    from heddle.scipy import linalg as linalg
    from heddle.scipy import ndimage as ndimage
    from heddle.scipy import signal as signal
    from heddle.scipy import sparse as sparse
    from heddle.scipy import spatial as spatial
    from heddle.scipy import stats as stats
else:
    __getattr__ = _alias_modules(__name__, _modules)


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules})
