"""Memory of GPUs, and pointers into it: what pools and allocators hand out."""

from __future__ import annotations

from typing import Any

import numpy

from heddle import _core
from heddle._arguments import shared_or_copied
from heddle._core import ndarray
from heddle._names.public import publish
from heddle.cuda import _driver
from heddle.cuda.device import Device, get_device_id
from heddle.cuda.stream import BaseStream, current_core_stream

_cuda: Any = _driver


class BaseMemory:
    """A piece of a GPU's memory.

    Attributes
    ----------
    ptr : int
        Its address.
    size : int
        Its bytes.
    device_id : int
        The number of its device.

    Examples
    --------
    >>> from heddle import cuda
    >>> isinstance(cuda.Memory(64), cuda.BaseMemory)
    True
    """

    ptr: int = 0
    size: int = 0
    device_id: int = 0

    @property
    def device(self) -> Device:
        """Its device."""
        return Device(self.device_id)

    def __int__(self) -> int:
        return self.ptr

    def _used_on(self, stream: object) -> None:
        """Notes that work on the stream uses it."""


class Memory(BaseMemory):
    """Memory straight from CUDA, freed with the object.

    Examples
    --------
    >>> from heddle import cuda
    >>> memory = cuda.Memory(64)
    >>> memory.size, memory.ptr != 0
    (64, True)
    """

    def __init__(self, size: int) -> None:
        self.size, self.device_id = size, get_device_id()
        self._free = _cuda.free  # found now: nothing is imported while the interpreter ends
        self.ptr = _cuda.malloc(self.device_id, size) if size else 0

    def __del__(self) -> None:
        if getattr(self, "ptr", 0):
            self._free(self.ptr)


class ManagedMemory(BaseMemory):
    """Memory that moves between host and device as they use it.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.ManagedMemory(64).size
    64
    """

    def __init__(self, size: int) -> None:
        self.size, self.device_id = size, get_device_id()
        self._free = _cuda.free
        self.ptr = _cuda.malloc_managed(self.device_id, size, 1) if size else 0

    def __del__(self) -> None:
        if getattr(self, "ptr", 0):
            self._free(self.ptr)


class MemoryAsync(BaseMemory):
    """Memory from the driver's own pool, allocated and freed in the order of a stream.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.MemoryAsync(64, cuda.get_current_stream()).size
    64
    """

    def __init__(self, size: int, stream: BaseStream | None = None) -> None:
        self._stream = current_core_stream(stream)
        self.size, self.device_id = size, self._stream.device_id
        self._free = _cuda.free_async
        self.ptr = _cuda.malloc_async(self._stream, size) if size else 0

    def __del__(self) -> None:
        if getattr(self, "ptr", 0):
            self._free(self._stream, self.ptr)


class UnownedMemory(BaseMemory):
    """Memory of somebody else, who is kept alive.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(4.0)
    >>> address = x.__array_interface__["data"][0] if x.device == "cpu" else x.data.ptr
    >>> np.cuda.UnownedMemory(address, x.nbytes, x).size
    32
    """

    def __init__(self, ptr: int, size: int, owner: object, device_id: int = -1) -> None:
        if device_id < 0:
            device_id = _cuda.pointer_attributes(ptr)[1] if ptr else get_device_id()
        self.ptr, self.size, self.device_id = ptr, size, device_id
        self._owner = owner


class PooledMemory(BaseMemory):
    """A block of a pool, to which it goes back with the object."""

    def __init__(self, pool: object, size: int, device_id: int) -> None:
        self._block = _cuda.allocate(pool, size)
        self.ptr, self.size, self.device_id = self._block.ptr, size, device_id

    def _used_on(self, stream: object) -> None:
        self._block.use_on(stream)


class _Exposed:
    """An array of somebody else's, as protocols have it."""

    owner: Any
    __cuda_array_interface__: dict[str, Any]
    __array_interface__: dict[str, Any]


class MemoryPointer:
    """An address in a piece of device memory.

    Parameters
    ----------
    mem : BaseMemory
        The memory, which is kept alive.
    offset : int
        Bytes from its beginning.

    Examples
    --------
    >>> from heddle import cuda
    >>> first = cuda.alloc(64)
    >>> (first + 16).ptr - first.ptr
    16
    """

    def __init__(self, mem: BaseMemory, offset: int) -> None:
        self.mem, self.ptr = mem, mem.ptr + offset

    @property
    def device_id(self) -> int:
        """The number of its device."""
        return self.mem.device_id

    @property
    def device(self) -> Device:
        """Its device."""
        return self.mem.device

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    __radd__ = __add__

    def __sub__(self, offset: int) -> MemoryPointer:
        return self + -offset

    def __repr__(self) -> str:
        return f"<MemoryPointer 0x{self.ptr:x} device={self.device_id} mem={self.mem!r}>"

    def _as_array(
        self, shape: tuple[int, ...], dtype: Any, offset: int, strides: Any, order: str | None
    ) -> ndarray:
        """The memory from here on as an array, which keeps it alive."""
        if strides is None:
            step, strides = dtype.itemsize, []
            for extent in shape if order == "F" else reversed(shape):
                strides.append(step)
                step *= extent
            strides = strides if order == "F" else strides[::-1]
        exposed: Any = _Exposed()
        exposed.owner = self
        interface = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (self.ptr + offset, False),
            "strides": tuple(strides),
            "version": 3,
        }
        if _core.cuda.is_available():
            exposed.__cuda_array_interface__ = interface
            return _core.asarray(exposed)
        exposed.__array_interface__ = interface
        return shared_or_copied(numpy.asarray(exposed), exposed)

    def _stream(self, stream: BaseStream | None = None) -> Any:
        with self.device:
            core = current_core_stream(stream)
        self.mem._used_on(core)
        return core

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copies from memory of a GPU, in the order of the current stream."""
        self.copy_from_device_async(src, size)

    def copy_from_device_async(
        self, src: MemoryPointer, size: int, stream: BaseStream | None = None
    ) -> None:
        """Copies from memory of a GPU, in the order of a stream."""
        if size:
            core = self._stream(stream)
            src.mem._used_on(core)
            _cuda.copy_on_device(core, self.ptr, src.ptr, size)

    def copy_from_host(self, mem: object, size: int) -> None:
        """Copies from an address of the host, which may change afterwards."""
        _cuda.copy_from_host(self._stream(), self.ptr, _address(mem), size)

    def copy_from_host_async(
        self, mem: object, size: int, stream: BaseStream | None = None
    ) -> None:
        """Copies from page-locked memory of the host, in the order of a stream."""
        _cuda.copy_from_host_async(self._stream(stream), self.ptr, _address(mem), size)

    def copy_from(self, mem: object, size: int) -> None:
        """Copies from a `MemoryPointer` or an address of the host."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem: object, size: int, stream: BaseStream | None = None) -> None:
        """Copies from a `MemoryPointer` or page-locked memory, in the order of a stream."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def copy_to_host(self, mem: object, size: int) -> None:
        """Copies to an address of the host, and waits for it."""
        _cuda.copy_to_host(self._stream(), _address(mem), self.ptr, size)

    def copy_to_host_async(self, mem: object, size: int, stream: BaseStream | None = None) -> None:
        """Copies to page-locked memory of the host, in the order of a stream."""
        _cuda.copy_to_host_async(self._stream(stream), _address(mem), self.ptr, size)

    def memset(self, value: int, size: int) -> None:
        """Sets bytes, in the order of the current stream."""
        self.memset_async(value, size)

    def memset_async(self, value: int, size: int, stream: BaseStream | None = None) -> None:
        """Sets bytes, in the order of a stream."""
        if size:
            _cuda.fill(self._stream(stream), self.ptr, value, size)


def _address(memory: object) -> int:
    """Of the host: a number, a buffer, or what ctypes and `PinnedMemoryPointer` have."""
    if isinstance(memory, int):
        return memory
    if isinstance(memory, (bytes, bytearray, memoryview)):
        return int(numpy.frombuffer(memory, numpy.uint8).ctypes.data)
    found = getattr(memory, "ptr", None)
    if found is None:
        found = getattr(memory, "value", None)  # of a ctypes.c_void_p
    if found is None:
        raise TypeError(f"expected an address of the host, not {type(memory).__name__}")
    return int(found)


publish(
    "heddle.cuda.memory",
    BaseMemory,
    Memory,
    ManagedMemory,
    MemoryAsync,
    UnownedMemory,
    PooledMemory,
    MemoryPointer,
)
