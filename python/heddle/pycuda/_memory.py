"""Memory of the device, and copies from and to it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy

from heddle import _core
from heddle._typing import ArrayLike, DTypeLike, HostArray, ShapeLike
from heddle.cuda import runtime
from heddle.cuda.bindings import checked
from heddle.cuda.memory import Memory, MemoryPointer
from heddle.pycuda._errors import LogicError, translating

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream
    from heddle.pycuda._host_memory import _HostArray


@translating
def mem_get_info() -> tuple[int, int]:
    """Bytes of the device's memory: free, and in all.

    >>> from heddle.pycuda import driver as cuda
    >>> free, total = cuda.mem_get_info()
    >>> 0 < free <= total
    True
    """
    return runtime.memGetInfo()


class PointerHolderBase:
    """Something with an address: what `get_pointer` gives."""

    def get_pointer(self) -> int:
        """The address."""
        raise NotImplementedError

    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """The memory as a buffer of the host's."""
        found: memoryview = _buffer(self.get_pointer() + offset, size)
        return found

    @property
    def ptr(self) -> int:
        """The address."""
        return int(self.get_pointer())

    def __int__(self) -> int:
        return self.ptr

    __index__ = __int__


def _buffer(address: int, size: int) -> Any:
    return (ctypes.c_char * size).from_address(address)


class DeviceAllocation(MemoryPointer):
    """Memory of the device, freed with the object. As a number it is its address.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x = cuda.mem_alloc(16)
    >>> cuda.memcpy_htod(x, numpy.arange(4, dtype=numpy.float32))
    >>> x.free()
    """

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.mem.size

    def __index__(self) -> int:
        return self.ptr

    def free(self) -> None:
        """Give it back now."""
        if not self.mem.ptr:
            raise LogicError("free: this memory was freed before")
        _core.cuda.run_pending_work()
        memory = self.mem
        if isinstance(memory, Memory):
            runtime.free(memory.ptr)
        memory.ptr = 0

    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """The memory as a buffer of the host's, where it can be read there."""
        found: memoryview = _buffer(self.ptr + offset, size)
        return found


@translating
def mem_alloc(size: int) -> DeviceAllocation:
    """Memory of the current device.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x = cuda.mem_alloc(8)
    >>> cuda.memset_d32(x, 5, 2)
    >>> cuda.from_device(x, 2, numpy.int32)
    array([5, 5], dtype=int32)
    """
    if size <= 0:
        raise LogicError("mem_alloc: the size has to be positive")
    return DeviceAllocation(Memory(int(size)), 0)


def mem_alloc_like(ary: HostArray) -> DeviceAllocation:
    """Memory of the current device that is as large as an array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x = cuda.mem_alloc_like(numpy.zeros(3))
    >>> cuda.memset_d8(x, 0, 24)
    >>> cuda.from_device(x, 3, numpy.float64)
    array([0., 0., 0.])
    """
    return mem_alloc(ary.nbytes)


@translating
def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceAllocation, int]:
    """Memory for rows, each beginning at a multiple of the pitch, which is the second result.

    >>> from heddle.pycuda import driver as cuda
    >>> memory, pitch = cuda.mem_alloc_pitch(100, 4, 4)
    >>> pitch >= 100
    True
    """
    if not _core.cuda.is_available():
        pitch = -(-width // 64) * 64
        return mem_alloc(pitch * height), pitch
    address, pitch = checked.cuMemAllocPitch(width, height, access_size)
    memory = Memory(0)
    memory.ptr, memory.size = int(address), pitch * height
    return DeviceAllocation(memory, 0), pitch


def _contiguous(array: HostArray | _HostArray) -> HostArray:
    given = numpy.asarray(array)
    if not (given.flags.c_contiguous or given.flags.f_contiguous):
        raise ValueError("ndarray is not contiguous")
    return given


def address_of(buffer: Any) -> tuple[int, int, Any]:
    """Of memory of the host: where it is, its bytes, and what keeps it."""
    if isinstance(buffer, numpy.ndarray):
        given = _contiguous(buffer)
    elif isinstance(buffer, numpy.generic):
        given = numpy.array(buffer)
    else:
        given = numpy.frombuffer(memoryview(buffer), numpy.uint8)
    return int(given.ctypes.data), given.nbytes, given


def to_device(bf_obj: ArrayLike) -> DeviceAllocation:
    """Memory of the device with the contents of a buffer.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x = cuda.to_device(numpy.array([1, 2, 3]))
    >>> cuda.from_device(x, 3, numpy.int64)
    array([1, 2, 3])
    """
    _, size, held = address_of(bf_obj)
    made = mem_alloc(size)
    memcpy_htod(made, held)
    return made


def from_device(
    devptr: object, shape: ShapeLike, dtype: DTypeLike | None, order: str = "C"
) -> numpy.ndarray[Any, Any]:
    """An array of NumPy's with what is at an address of the device.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x = cuda.to_device(numpy.array([1.0, 2.0]))
    >>> cuda.from_device(x, (2,), numpy.float64)
    array([1., 2.])
    """
    made: numpy.ndarray[Any, Any] = numpy.empty(shape, dtype, order)  # type: ignore[call-overload]
    memcpy_dtoh(made, devptr)
    return made


def from_device_like(devptr: object, other_ary: ArrayLike) -> numpy.ndarray[Any, Any]:
    """`from_device` with the shape and type of another array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> a = numpy.array([[1, 2], [3, 4]])
    >>> cuda.from_device_like(cuda.to_device(a), a)
    array([[1, 2],
           [3, 4]])
    """
    made: numpy.ndarray[Any, Any] = numpy.empty_like(other_ary)
    memcpy_dtoh(made, devptr)
    return made


# --- copies and fills ---


def device_address(pointer: Any) -> int:
    """The address of memory of the device: an allocation, an array, or a number."""
    found = getattr(pointer, "gpudata", pointer)
    return int(found)


def _handle(stream: Stream | None) -> int:
    return 0 if stream is None else int(stream.ptr)


@translating
def memcpy_htod(dest: object, src: object) -> None:
    """Copy from the host to the device.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x = cuda.mem_alloc(16)
    >>> cuda.memcpy_htod(x, numpy.array([1, 2]))
    >>> cuda.from_device(x, 2, numpy.int64)
    array([1, 2])
    """
    address, size, _ = address_of(src)
    if size:
        runtime.memcpy(device_address(dest), address, size, runtime.memcpyHostToDevice)


@translating
def memcpy_htod_async(dest: DeviceAllocation, src: object, stream: Stream | None = None) -> None:
    """Copy from page-locked memory to the device, in the order of a stream.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x, a = cuda.mem_alloc(16), cuda.pagelocked_zeros(2, numpy.int64)
    >>> cuda.memcpy_htod_async(x, a, cuda.Stream())
    >>> cuda.from_device(x, 2, numpy.int64)
    array([0, 0])
    """
    address, size, _ = address_of(src)
    if size:
        to, kind = device_address(dest), runtime.memcpyHostToDevice
        runtime.memcpyAsync(to, address, size, kind, _handle(stream))


@translating
def memcpy_dtoh(dest: ArrayLike, src: object) -> None:
    """Copy from the device to the host.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> a = numpy.empty(2, numpy.int64)
    >>> cuda.memcpy_dtoh(a, cuda.to_device(numpy.array([1, 2])))
    >>> a
    array([1, 2])
    """
    address, size, _ = address_of(dest)
    if size:
        runtime.memcpy(address, device_address(src), size, runtime.memcpyDeviceToHost)


@translating
def memcpy_dtoh_async(dest: object, src: DeviceAllocation, stream: Stream | None = None) -> None:
    """Copy from the device to page-locked memory, in the order of a stream.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> a, stream = cuda.pagelocked_empty(2, numpy.int64), cuda.Stream()
    >>> x = cuda.to_device(numpy.array([1, 2]))
    >>> cuda.memcpy_dtoh_async(a, x, stream)
    >>> stream.synchronize()
    >>> numpy.asarray(a)
    array([1, 2])
    """
    address, size, _ = address_of(dest)
    if size:
        from_, kind = device_address(src), runtime.memcpyDeviceToHost
        runtime.memcpyAsync(address, from_, size, kind, _handle(stream))


@translating
def memcpy_dtod(dest: object, src: object, size: int) -> None:
    """Copy on the device.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x, y = cuda.to_device(numpy.array([1, 2])), cuda.mem_alloc(16)
    >>> cuda.memcpy_dtod(y, x, 16)
    >>> cuda.from_device(y, 2, numpy.int64)
    array([1, 2])
    """
    kind = runtime.memcpyDeviceToDevice
    runtime.memcpy(device_address(dest), device_address(src), size, kind)


@translating
def memcpy_dtod_async(dest: object, src: object, size: int, stream: Stream | None = None) -> None:
    """Copy on the device, in the order of a stream.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x, y = cuda.to_device(numpy.array([1, 2])), cuda.mem_alloc(16)
    >>> cuda.memcpy_dtod_async(y, x, 16, cuda.Stream())
    >>> cuda.from_device(y, 2, numpy.int64)
    array([1, 2])
    """
    to, from_, kind = device_address(dest), device_address(src), runtime.memcpyDeviceToDevice
    runtime.memcpyAsync(to, from_, size, kind, _handle(stream))


def memcpy_peer(
    dest: object, src: object, size: int, dest_context: object = None, src_context: object = None
) -> None:
    """Copy between devices; CUDA knows from the addresses which they are.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x, y = cuda.to_device(numpy.array([1, 2])), cuda.mem_alloc(16)
    >>> cuda.memcpy_peer(y, x, 16)
    >>> cuda.from_device(y, 2, numpy.int64)
    array([1, 2])
    """
    _check_contexts(dest_context, src_context)
    memcpy_dtod(dest, src, size)


def memcpy_peer_async(
    dest: object,
    src: object,
    size: int,
    dest_context: object = None,
    src_context: object = None,
    stream: Stream | None = None,
) -> None:
    """Copy between devices, in the order of a stream.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> x, y = cuda.to_device(numpy.array([1, 2])), cuda.mem_alloc(16)
    >>> cuda.memcpy_peer_async(y, x, 16, stream=cuda.Stream())
    >>> cuda.from_device(y, 2, numpy.int64)
    array([1, 2])
    """
    _check_contexts(dest_context, src_context)
    memcpy_dtod_async(dest, src, size, stream)


def _check_contexts(*given: object) -> None:
    """Each device has one context: there is no other that memory could be in."""
    from heddle.pycuda._contexts import Context

    for context in given:
        if context is not None and not isinstance(context, Context):
            raise TypeError(f"a context is needed, not {type(context).__name__}")


def _fill(
    dest: DeviceAllocation, pitch: int | None, value: int, rows: tuple[int, int], size: int
) -> None:
    """Sets elements of a size, in rows of so many elements."""
    width, height = rows
    address = device_address(dest)
    _core.cuda.run_pending_work()
    if _core.cuda.is_available():
        name = f"cuMemsetD2D{8 * size}" if pitch is not None else f"cuMemsetD{8 * size}"
        where = (address, value, width) if pitch is None else (address, pitch, value, width, height)
        getattr(checked, name)(*where)
        return
    step = width * size if pitch is None else pitch
    for row in range(height):
        there = _buffer(address + row * step, width * size)
        numpy.frombuffer(there, f"u{size}")[:] = value


def _filler(size: int, two: bool, wait: bool) -> Any:
    @translating
    def plain(dest: DeviceAllocation, data: int, count: int, stream: Stream | None = None) -> None:
        if stream is not None and _core.cuda.is_available():
            function = getattr(checked, f"cuMemsetD{8 * size}Async")
            _core.cuda.run_pending_work()
            function(device_address(dest), data, count, _handle(stream))
        else:
            _fill(dest, None, data, (count, 1), size)

    @translating
    def in_rows(
        dest: DeviceAllocation,
        pitch: int,
        data: int,
        width: int,
        height: int,
        stream: Stream | None = None,
    ) -> None:
        if stream is not None and _core.cuda.is_available():
            function = getattr(checked, f"cuMemsetD2D{8 * size}Async")
            _core.cuda.run_pending_work()
            function(device_address(dest), pitch, data, width, height, _handle(stream))
        else:
            _fill(dest, pitch, data, (width, height), size)

    made = in_rows if two else plain
    made.__name__ = f"memset_d{'2d' if two else ''}{8 * size}{'' if wait else '_async'}"
    kind = f"elements of {size} bytes{' in rows' if two else ''}"
    made.__doc__ = f"Set {kind}{'' if wait else ', in the order of a stream'}."
    return made


memset_d8, memset_d16, memset_d32 = (_filler(n, False, True) for n in (1, 2, 4))
memset_d2d8, memset_d2d16, memset_d2d32 = (_filler(n, True, True) for n in (1, 2, 4))
memset_d8_async, memset_d16_async, memset_d32_async = (_filler(n, False, False) for n in (1, 2, 4))
memset_d2d8_async, memset_d2d16_async, memset_d2d32_async = (
    _filler(n, True, False) for n in (1, 2, 4)
)


# --- other processes ---


@translating
def mem_get_ipc_handle(devptr: object) -> bytes:
    """What another process opens this memory with."""
    return checked.cuIpcGetMemHandle(device_address(devptr)).reserved  # type: ignore[no-any-return]


class IPCMemoryHandle(PointerHolderBase):
    """Memory of another process."""

    @translating
    def __init__(self, ipc_handle: bytes, flags: int = 1) -> None:
        given = checked.CUipcMemHandle()
        given.reserved = bytes(ipc_handle)
        self._address = checked.cuIpcOpenMemHandle(given, flags)

    def get_pointer(self) -> int:
        """The address."""
        return int(self._address)

    @translating
    def close(self) -> None:
        """Let go of it."""
        checked.cuIpcCloseMemHandle(self._address)
