"""NVVM's functions and types (nvvm.h); calls give tuples that begin with the error.

Beside them are those of cuda-python: ``version()``, ``create_program()`` and so on give their
results, and raise `nvvmError`.
"""

from typing import Any

from heddle.cuda.bindings._libraries import names_of
from heddle.cuda.bindings._plain import plain_names

_full, __dir__ = names_of("nvvm", globals())
_plain = plain_names("nvvm", "nvvm", "nvvmProgram", {"Result": ("nvvmResult", "NVVM_")}, __name__)


def __getattr__(name: str) -> Any:
    try:
        return _plain(name)
    except KeyError:
        return _full(name)
