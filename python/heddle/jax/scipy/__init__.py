"""SciPy as JAX has it: `heddle.scipy`, and densities of several variables.

>>> import heddle.jax.scipy as jsp
>>> print(jsp.special.logsumexp(jsp.stats.norm.logpdf(0.0)).round(4))
-0.9189
"""

import importlib as _importlib

_MODULES = (
    *("cluster", "fft", "integrate", "interpolate", "linalg", "ndimage", "signal", "sparse"),
    *("spatial", "special", "stats"),
)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
