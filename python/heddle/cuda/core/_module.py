"""Compiled code, and kernels of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from heddle.cuda.bindings import checked, driver
from heddle.cuda.core._properties import KernelAttributes, KernelOccupancy
from heddle.cuda.core.typing import ObjectCodeFormatType

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle

_LOADABLE = ("cubin", "ptx", "fatbin")


class Kernel:
    """A kernel of compiled code."""

    def __init__(self) -> None:
        raise RuntimeError(
            "Kernel objects cannot be instantiated directly. "
            "They are those of ObjectCode.get_kernel"
        )

    _handle: Any
    _code: Any

    @classmethod
    def _of(cls, handle: object, code: object) -> Kernel:
        made = cls.__new__(cls)
        made._handle, made._code = handle, code
        return made

    @classmethod
    def from_handle(cls, handle: int, mod: ObjectCode | None = None) -> Kernel:
        """The kernel of a handle."""
        if not isinstance(handle, (int, driver.CUkernel)):
            raise TypeError(f"a handle is an int or a CUkernel, not {type(handle).__name__}")
        if mod is not None and not isinstance(mod, ObjectCode):
            raise TypeError(f"mod is ObjectCode, not {type(mod).__name__}")
        return cls._of(driver.CUkernel(int(handle)), mod)

    @property
    def attributes(self) -> KernelAttributes:
        """What the driver says of it."""
        return KernelAttributes(self._handle)

    @property
    def occupancy(self) -> KernelOccupancy:
        """How many blocks fit on a GPU."""
        return KernelOccupancy(int(self._handle))

    @property
    def arguments_info(self) -> list[tuple[int, int]]:
        """Where each argument begins, and its bytes."""
        found: list[tuple[int, int]] = []
        while True:
            error, offset, size = driver.cuKernelGetParamInfo(self._handle, len(found))
            if error == driver.CUresult.CUDA_ERROR_INVALID_VALUE:
                return found
            if error:
                checked.cuKernelGetParamInfo(self._handle, len(found))
            found.append((offset, size))

    @property
    def num_arguments(self) -> int:
        """How many arguments it has."""
        return len(self.arguments_info)

    @property
    def handle(self) -> Handle:
        """CUDA's handle."""
        found: Handle = self._handle
        return found

    def __repr__(self) -> str:
        return f"<Kernel handle={int(self._handle):#x}>"


class ObjectCode:
    """Code that was compiled; it is loaded when a kernel is asked for."""

    def __init__(self) -> None:
        raise RuntimeError(
            "ObjectCode objects cannot be instantiated directly. "
            "They are made by Program.compile, Linker.link and ObjectCode.from_cubin"
        )

    _image: bytes | str
    _kind: ObjectCodeFormatType
    _name: str
    _symbols: dict[str, str]
    _library: Any

    @classmethod
    def _of(
        cls,
        image: bytes | str,
        kind: str,
        name: str = "",
        symbol_mapping: dict[str, str] | None = None,
    ) -> ObjectCode:
        if not isinstance(image, (bytes, bytearray, str, Path)):
            raise TypeError(f"code is bytes or the name of a file, not {type(image).__name__}")
        made = cls.__new__(cls)
        made._image = bytes(image) if isinstance(image, (bytes, bytearray)) else str(image)
        made._kind, made._name = ObjectCodeFormatType(kind), name
        made._symbols, made._library = dict(symbol_mapping or {}), None
        return made

    @classmethod
    def from_cubin(
        cls, module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Machine code, or the name of its file."""
        return cls._of(module, "cubin", name, symbol_mapping)

    @classmethod
    def from_ptx(
        cls, module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """PTX, or the name of its file."""
        return cls._of(module, "ptx", name, symbol_mapping)

    @classmethod
    def from_ltoir(
        cls, module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Code to be linked and optimised, or the name of its file."""
        return cls._of(module, "ltoir", name, symbol_mapping)

    @classmethod
    def from_fatbin(
        cls, module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Code for several GPUs, or the name of its file."""
        return cls._of(module, "fatbin", name, symbol_mapping)

    @classmethod
    def from_object(
        cls, module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """An object file, or its name."""
        return cls._of(module, "object", name, symbol_mapping)

    @classmethod
    def from_library(
        cls, module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """A library of object files, or its name."""
        return cls._of(module, "library", name, symbol_mapping)

    @property
    def code(self) -> bytes | str:
        """The code, or the name of its file."""
        return self._image

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._name

    @property
    def code_type(self) -> str:
        """What it is."""
        return self._kind

    @property
    def symbol_mapping(self) -> dict[str, str]:
        """Names in the code by names in the source."""
        return dict(self._symbols)

    def _bytes(self) -> bytes:
        return self._image if isinstance(self._image, bytes) else Path(self._image).read_bytes()

    @property
    def handle(self) -> Handle:
        """CUDA's handle of the library, which is loaded."""
        if self._library is None:
            if self._kind not in _LOADABLE:
                raise RuntimeError(
                    f'Unsupported code type "{self._kind}": '
                    "it is linked before it is loaded, see Linker"
                )
            image = self._bytes() + b"\0"
            self._library = checked.cuLibraryLoadData(image, None, None, 0, None, None, 0)
        found: Handle = self._library
        return found

    def get_kernel(self, name: str | bytes) -> Kernel:
        """A kernel by its name, or by one of the names of `Program.compile`."""
        text = name.decode() if isinstance(name, bytes) else name
        found = self._symbols.get(text, text)
        return Kernel._of(checked.cuLibraryGetKernel(self.handle, found), self)

    def get_module(self) -> Handle:
        """The driver's module of it, for the current context."""
        found: Handle = checked.cuLibraryGetModule(self.handle)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return ObjectCode._of, (self._image, str(self._kind), self._name, self._symbols)

    def __repr__(self) -> str:
        return f"<ObjectCode {self._name!r} code_type={self._kind.value}>"
