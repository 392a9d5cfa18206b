"""Special functions, as ``scipy.special``: ufuncs with the keywords and methods of NumPy's, and
functions that are composed of them.

They are computed by kernels as everything else, on CPUs and GPUs, and fuse with other code.
Types are SciPy's. What is a table or a list of a few numbers (zeros, polynomials, quadratures) is
SciPy's own, where that is installed, computed on the host.

>>> import heddle
>>> heddle.special.erf(heddle.array([0.0, 0.5, -heddle.inf])).round(6)
array([ 0.    ,  0.5205, -1.    ])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heddle._core import special_aliases, special_numpys, special_ufuncs
from heddle._names.public import publish
from heddle._special import bessel, counting, host, sums

# Second names; SciPy has no more, and CuPy still has, those for the beta distribution.
_aliases = {**special_aliases, "btdtr": "betainc", "btdtri": "betaincinv"}

globals().update(special_ufuncs)
globals().update({alias: special_ufuncs[name] for alias, name in _aliases.items()})
globals().update(special_numpys)
for _part in (bessel, counting, sums):
    globals().update({name: getattr(_part, name) for name in _part.__all__})

__all__ = [
    *sorted([*special_ufuncs, *_aliases, *special_numpys]),
    *(*sums.__all__, *counting.__all__, *bessel.__all__),
]
publish(__name__, *(globals()[name] for name in __all__))


def __getattr__(name: str) -> Callable[..., Any] | None:
    if name not in host.NAMES:
        raise AttributeError(f"module 'heddle.special' has no attribute {name!r}")
    return host.of_scipy(name)


__getattr__.generic_names = host.NAMES  # type: ignore[attr-defined]  # for scripts/scipy_page.py


def __dir__() -> list[str]:
    return sorted([*__all__, *host.NAMES])
