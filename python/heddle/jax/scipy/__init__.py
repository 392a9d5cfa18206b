"""SciPy as JAX has it: `heddle.scipy`, and densities of several variables.

>>> import heddle.jax.scipy as jsp
>>> print(jsp.special.logsumexp(jsp.stats.norm.logpdf(0.0)).round(4))
-0.9189
"""

import importlib as _importlib
import typing as _typing
from typing import Any as _Any

if _typing.TYPE_CHECKING:
    from heddle.jax.scipy import integrate as integrate
    from heddle.jax.scipy import ndimage as ndimage
    from heddle.jax.scipy import sparse as sparse
    from heddle.jax.scipy import special as special
    from heddle.jax.scipy import stats as stats
    from heddle.scipy import cluster as cluster
    from heddle.scipy import fft as fft
    from heddle.scipy import interpolate as interpolate
    from heddle.scipy import linalg as linalg
    from heddle.scipy import signal as signal
    from heddle.scipy import spatial as spatial

_MODULES = (
    *("cluster", "fft", "integrate", "interpolate", "linalg", "ndimage", "signal", "sparse"),
    *("spatial", "special", "stats"),
)


if not _typing.TYPE_CHECKING:  # checkers know what there is

    def __getattr__(name: str) -> _Any:
        if name in _MODULES:
            return _importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
