"""NumPy's `lib`: what is useful of it here."""

from typing import TYPE_CHECKING

from numpy.lib import Arrayterator, NumpyVersion

from heddle._names.aliases import alias_modules

if TYPE_CHECKING:
    from heddle._manipulation import stride_tricks as stride_tricks

_MODULES = {
    "array_utils": "numpy.lib.array_utils",
    "format": "numpy.lib.format",
    "mixins": "numpy.lib.mixins",
    "npyio": "heddle._io.files",
    "recfunctions": "numpy.lib.recfunctions",
    "scimath": "heddle.emath",
    "stride_tricks": "heddle._manipulation.stride_tricks",
}

__all__ = [
    "Arrayterator",
    "NumpyVersion",
    *_MODULES,
]

# Its modules are imported from, though the folder of this name is no package.
__path__: list[str] = []
__getattr__ = alias_modules(__name__, _MODULES)
