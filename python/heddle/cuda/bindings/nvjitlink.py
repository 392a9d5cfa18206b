"""nvJitLink's functions and types (nvJitLink.h); calls give tuples that begin with the error.

Beside them are those of cuda-python: ``version()``, ``create(...)`` and so on give their results,
and raise `nvJitLinkError`.
"""

from typing import Any

from heddle.cuda.bindings._libraries import names_of
from heddle.cuda.bindings._plain import plain_names

_full, __dir__ = names_of("nvjitlink", globals())
_plain = plain_names(
    "nvjitlink",
    "nvJitLink",
    "nvJitLinkHandle",
    {
        "Result": ("nvJitLinkResult", "NVJITLINK_"),
        "InputType": ("nvJitLinkInputType", "NVJITLINK_INPUT_"),
    },
    __name__,
)


def __getattr__(name: str) -> Any:
    try:
        return _plain(name)
    except KeyError:
        return _full(name)
