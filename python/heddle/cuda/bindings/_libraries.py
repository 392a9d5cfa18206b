"""The libraries that there are tables of, and modules of their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heddle import _core
from heddle.cuda.bindings._calls import Library

LIBRARIES = {
    "driver": Library("driver", "CUresult", _core.cuda.driver_path, "CUDA_ERROR_NO_DEVICE"),
    "runtime": Library(
        "runtime",
        "cudaError_t",
        lambda: _core.cuda.library_path("CUDA runtime"),
        "cudaErrorNoDevice",
    ),
    "nvrtc": Library("nvrtc", "nvrtcResult", lambda: _core.cuda.library_path("NVRTC")),
    "nvjitlink": Library(
        "nvjitlink", "nvJitLinkResult", lambda: _core.cuda.library_path("nvJitLink")
    ),
    "nvvm": Library("nvvm", "nvvmResult", lambda: _core.cuda.library_path("NVVM")),
}


def names_of(
    library: str, scope: dict[str, object]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module that has all names of a library."""
    here = LIBRARIES[library]
    module = scope["__name__"]

    def public() -> list[str]:
        table = here.table
        return sorted({n for n in table.lines if "." not in n} | set(table.enumerators))

    def find(name: str) -> Any:
        if name == "__all__":
            return public()
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            value = here.find(name)
        except KeyError:
            raise AttributeError(f"module {module!r} has no attribute {name!r}") from None
        scope[name] = value
        return value

    return find, public
