"""NumPy's `lib`: what is useful of it here."""

import sys
from typing import Any

from numpy.lib import Arrayterator, NumpyVersion, array_utils, mixins

from heddle._io import files as npyio
from heddle._manipulation import stride_tricks

__all__ = [
    "Arrayterator",
    "NumpyVersion",
    "array_utils",
    "mixins",
    "npyio",
    "stride_tricks",
]

# To be imported from as modules, though the folder of this name holds libraries.
for _name in ("array_utils", "mixins", "npyio", "stride_tricks"):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name]


def __getattr__(name: str) -> Any:
    """Modules that are imported when somebody asks for them."""
    if name == "scimath":
        from heddle import emath

        return emath
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
