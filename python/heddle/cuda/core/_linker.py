"""Pieces of code, linked."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from heddle import _core
from heddle.cuda.bindings import checked, nvjitlink
from heddle.cuda.core._module import ObjectCode
from heddle.cuda.core.typing import CompilerBackendType

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle

_INPUTS = {
    "ptx": "PTX",
    "cubin": "CUBIN",
    "fatbin": "FATBIN",
    "ltoir": "LTOIR",
    "object": "OBJECT",
    "library": "LIBRARY",
}


def _list(value: Any) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


@dataclasses.dataclass
class LinkerOptions:
    """Options of the linker. Those that are None are left to it.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.LinkerOptions(arch="sm_90").arch
    'sm_90'
    """

    name: str = "<default linker>"
    arch: str | None = None
    max_register_count: int | None = None
    time: bool | None = None
    verbose: bool | None = None
    link_time_optimization: bool | None = None
    ptx: bool | None = None
    optimization_level: int | None = None
    debug: bool | None = None
    lineinfo: bool | None = None
    ftz: bool | None = None
    prec_div: bool | None = None
    prec_sqrt: bool | None = None
    fma: bool | None = None
    kernels_used: str | Sequence[str] | None = None
    variables_used: str | Sequence[str] | None = None
    optimize_unused_variables: bool | None = None
    ptxas_options: str | Sequence[str] | None = None
    split_compile: int | None = None
    split_compile_extended: int | None = None
    no_cache: bool | None = None
    numba_debug: bool | None = None

    def as_bytes(self, backend: str = "nvjitlink") -> list[bytes]:
        """The options as the linker takes them."""
        if backend.lower() != "nvjitlink":
            raise ValueError(f"nvJitLink links, not {backend}")
        arch = self.arch
        if arch is None:
            from heddle.cuda.core._device import Device

            arch = f"sm_{Device().arch}"
        made = [f"-arch={arch}"]
        flags = {
            "time": "-time",
            "verbose": "-verbose",
            "link_time_optimization": "-lto",
            "ptx": "-ptx",
            "debug": "-g",
            "lineinfo": "-lineinfo",
            "optimize_unused_variables": "-optimize-unused-variables",
            "no_cache": "-no-cache",
            "numba_debug": "-numba-debug",
        }
        made += [flag for field, flag in flags.items() if getattr(self, field)]
        numbers = {
            "max_register_count": "-maxrregcount=",
            "optimization_level": "-O",
            "split_compile": "-split-compile=",
            "split_compile_extended": "-split-compile-extended=",
        }
        for field, flag in numbers.items():
            if getattr(self, field) is not None:
                made.append(f"{flag}{getattr(self, field)}")
        facts = {"ftz": "ftz", "prec_div": "prec-div", "prec_sqrt": "prec-sqrt", "fma": "fma"}
        for field, name in facts.items():
            if getattr(self, field) is not None:
                made.append(f"-{name}={_on(getattr(self, field))}")
        made += [f"-kernels-used={name}" for name in _list(self.kernels_used)]
        made += [f"-variables-used={name}" for name in _list(self.variables_used)]
        made += [f"-Xptxas={option}" for option in _list(self.ptxas_options)]
        return [option.encode() for option in made]


def _on(value: bool) -> str:
    return "true" if value else "false"


class Linker:
    """Links pieces of code.

    Parameters
    ----------
    *object_codes : ObjectCode
    options : LinkerOptions, optional
    """

    def __init__(self, *object_codes: ObjectCode, options: LinkerOptions | None = None) -> None:
        if not object_codes:
            raise ValueError("there is nothing to link")
        self._options = options or LinkerOptions()
        given = self._options.as_bytes()
        self._handle: Any = checked.nvJitLinkCreate(len(given), given)
        self._codes = object_codes
        for i, code in enumerate(object_codes):
            if not isinstance(code, ObjectCode):
                raise TypeError(f"expected ObjectCode, not {type(code).__name__}")
            data = code._bytes()
            if code.code_type == "ptx" and not data.endswith(b"\0"):
                data += b"\0"
            kind = nvjitlink.nvJitLinkInputType[f"NVJITLINK_INPUT_{_INPUTS[code.code_type]}"]
            name = code.name or f"{self._options.name}_{i}"
            self._tried("nvJitLinkAddData", self._handle, kind, data, len(data), name)

    def _tried(self, function: str, *args: object) -> Any:
        try:
            return getattr(checked, function)(*args)
        except _core.cuda.CUDARuntimeError as error:
            made = _core.cuda.CUDARuntimeError(f"{error}\n{self.get_error_log()}")
            made.status = error.status
            raise made from None

    @classmethod
    def which_backend(cls) -> CompilerBackendType:
        """What links."""
        return CompilerBackendType.NVJITLINK

    @property
    def handle(self) -> Handle:
        """nvJitLink's handle."""
        found: Handle = self._handle
        return found

    def link(self, target_type: str) -> ObjectCode:
        """Link to "cubin"; to "ptx", with the options `link_time_optimization` and `ptx`."""
        target = target_type.lower()
        if target not in ("cubin", "ptx"):
            raise ValueError(f"code is linked to 'cubin' or 'ptx', not to {target_type!r}")
        self._tried("nvJitLinkComplete", self._handle)
        kind = "Cubin" if target == "cubin" else "Ptx"
        made = b"\0" * self._tried(f"nvJitLinkGetLinked{kind}Size", self._handle)
        self._tried(f"nvJitLinkGetLinked{kind}", self._handle, made)
        return ObjectCode._of(made, target, self._options.name)

    def _log(self, kind: str) -> str:
        size = getattr(checked, f"nvJitLinkGet{kind}LogSize")(self._handle)
        said = b"\0" * (size + 1)
        getattr(checked, f"nvJitLinkGet{kind}Log")(self._handle, said)
        return str(said.rstrip(b"\0").decode(errors="replace"))

    def get_error_log(self) -> str:
        """What the linker says of errors."""
        return self._log("Error")

    def get_info_log(self) -> str:
        """What else the linker says."""
        return self._log("Info")

    def close(self) -> None:
        """Let go of it."""
        if self._handle is not None:
            nvjitlink.nvJitLinkDestroy(self._handle)
            self._handle = None

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()
