"""NumPy's `lib`: what is useful of it here."""

from numpy.lib import Arrayterator, NumpyVersion

from heddle._names.aliases import alias_modules

_MODULES = {
    "array_utils": "numpy.lib.array_utils",
    "format": "numpy.lib.format",
    "mixins": "numpy.lib.mixins",
    "npyio": "heddle._io.files",
    "recfunctions": "numpy.lib.recfunctions",
    "scimath": "heddle.emath",
    "stride_tricks": "heddle._manipulation.stride_tricks",
}

__all__ = [  # noqa: PLE0604
    "Arrayterator",
    "NumpyVersion",
    *_MODULES,
]

__path__: list[
    str
] = []  # its modules are imported from, though the folder of this name is no package
__getattr__ = alias_modules(__name__, _MODULES)
