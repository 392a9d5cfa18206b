"""Arrays of NumPy's in memory that the device knows: page-locked, registered, managed."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy

from heddle import _core
from heddle._typing import DTypeLike, HostArray, ShapeLike
from heddle.cuda import runtime
from heddle.cuda._pinned import PinnedMemory
from heddle.cuda.bindings import checked
from heddle.cuda.device import get_device_id
from heddle.cuda.memory import ManagedMemory, UnownedMemory
from heddle.pycuda._errors import translating
from heddle.pycuda._memory import address_of

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream


class HostPointer:
    """Memory of the host that the device can use."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    @property
    def ptr(self) -> int:
        """Where it is."""
        return int(self._memory.ptr)

    @translating
    def get_device_pointer(self) -> int:
        """Its address for the device, where it was allocated to be mapped."""
        if not _core.cuda.is_available():
            return self.ptr
        return int(checked.cuMemHostGetDevicePointer(self.ptr, 0))


class HostAllocation(HostPointer):
    """Memory of the host that was allocated."""


class _Viewed:
    """Memory as NumPy sees it."""

    def __init__(self, owner: object, address: int, shape: Any, dtype: Any, order: str) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (address, False),
            "version": 3,
        }
        if order == "F":
            steps, step = [], dtype.itemsize
            for extent in shape:
                steps.append(step)
                step *= extent
            self.__array_interface__["strides"] = tuple(steps)


class _HostArray(numpy.ndarray[Any, Any]):
    """An array of NumPy's in memory of `_held`, which `base` gives, as PyCUDA's does."""

    _held: Any = None

    def __array_finalize__(self, other: object) -> None:
        self._held = getattr(other, "_held", None)

    @property
    def base(self) -> Any:
        """The memory."""
        return self._held if self._held is not None else super().base


def as_shape(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, (int, numpy.integer)) else tuple(map(int, shape))


def _array_in(held: Any, shape: ShapeLike, dtype: Any, order: str) -> HostArray:
    shape, dtype = as_shape(shape), numpy.dtype(dtype)
    made = numpy.asarray(_Viewed(held, held.ptr, shape, dtype, order)).view(_HostArray)
    made._held = held
    return made


class PagelockedHostAllocation(HostAllocation):
    """Page-locked memory."""

    @translating
    def __init__(self, size: int, flags: int = 0) -> None:
        super().__init__(PinnedMemory(size, flags))
        self._flags = flags

    def free(self) -> None:
        """Give it back now; arrays in it must not be used any more."""
        runtime.freeHost(self._memory.ptr)
        self._memory.ptr = 0

    @translating
    def get_flags(self) -> int:
        """The flags it was made with."""
        if not _core.cuda.is_available():
            return self._flags
        return int(checked.cuMemHostGetFlags(self.ptr))


def _bytes(shape: ShapeLike, dtype: DTypeLike | None) -> int:
    return int(numpy.prod(as_shape(shape), dtype=numpy.int64) * numpy.dtype(dtype).itemsize)


def pagelocked_empty(
    shape: ShapeLike, dtype: DTypeLike | None, order: str = "C", mem_flags: int = 0
) -> HostArray:
    """An array of NumPy's in page-locked memory.

    Examples
    --------
    >>> import numpy
    >>> import heddle.pycuda.driver as drv
    >>> drv.pagelocked_empty((2, 3), numpy.float64).shape
    (2, 3)
    """
    held = PagelockedHostAllocation(max(1, _bytes(shape, dtype)), mem_flags)
    return _array_in(held, shape, dtype, order)


def pagelocked_zeros(
    shape: ShapeLike, dtype: DTypeLike | None, order: str = "C", mem_flags: int = 0
) -> HostArray:
    """`pagelocked_empty`, filled with 0.

    Examples
    --------
    >>> import numpy
    >>> import heddle.pycuda.driver as drv
    >>> drv.pagelocked_zeros(2, numpy.float64).tolist()
    [0.0, 0.0]
    """
    made = pagelocked_empty(shape, dtype, order, mem_flags)
    made.fill(0)
    return made


def _order_of(array: HostArray | _HostArray) -> str:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def pagelocked_empty_like(array: HostArray, mem_flags: int = 0) -> HostArray:
    """`pagelocked_empty` with the shape, type and order of another array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> cuda.pagelocked_empty_like(numpy.ones((2, 3))).shape
    (2, 3)
    """
    return pagelocked_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def pagelocked_zeros_like(array: HostArray, mem_flags: int = 0) -> HostArray:
    """`pagelocked_zeros` with the shape, type and order of another array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> numpy.asarray(cuda.pagelocked_zeros_like(numpy.ones(2)))
    array([0., 0.])
    """
    return pagelocked_zeros(array.shape, array.dtype, _order_of(array), mem_flags)


class AlignedHostAllocation(HostAllocation):
    """Memory of the host at a multiple of so many bytes."""

    def __init__(self, size: int, alignment: int = 4096) -> None:
        self._bytes = ctypes.create_string_buffer(size + alignment)
        address = ctypes.addressof(self._bytes)
        super().__init__(UnownedMemory(address + -address % alignment, size, self._bytes, 0))

    def free(self) -> None:
        """Give it back now; arrays in it must not be used any more."""
        self._bytes = ctypes.create_string_buffer(0)
        self._memory.ptr = 0


def aligned_empty(
    shape: ShapeLike, dtype: DTypeLike | None, order: str = "C", alignment: int = 4096
) -> HostArray:
    """An array of NumPy's that begins at a multiple of so many bytes.

    Examples
    --------
    >>> import numpy
    >>> import heddle.pycuda.driver as drv
    >>> drv.aligned_empty((2, 3), numpy.float32).ctypes.data % 4096
    0
    """
    return _array_in(
        AlignedHostAllocation(max(1, _bytes(shape, dtype)), alignment), shape, dtype, order
    )


def aligned_zeros(
    shape: ShapeLike, dtype: DTypeLike | None, order: str = "C", alignment: int = 4096
) -> HostArray:
    """`aligned_empty`, filled with 0.

    Examples
    --------
    >>> import numpy
    >>> import heddle.pycuda.driver as drv
    >>> drv.aligned_zeros(3, numpy.int32).tolist()
    [0, 0, 0]
    """
    made = aligned_empty(shape, dtype, order, alignment)
    made.fill(0)
    return made


def aligned_empty_like(array: HostArray, alignment: int = 4096) -> HostArray:
    """`aligned_empty` with the shape, type and order of another array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> cuda.aligned_empty_like(numpy.ones((2, 3))).shape
    (2, 3)
    """
    return aligned_empty(array.shape, array.dtype, _order_of(array), alignment)


def aligned_zeros_like(array: HostArray, alignment: int = 4096) -> HostArray:
    """`aligned_zeros` with the shape, type and order of another array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> numpy.asarray(cuda.aligned_zeros_like(numpy.ones(2)))
    array([0., 0.])
    """
    return aligned_zeros(array.shape, array.dtype, _order_of(array), alignment)


class RegisteredHostMemory(HostPointer):
    """Memory of an array that was page-locked where it is."""

    @translating
    def __init__(self, array: numpy.ndarray[Any, Any], flags: int) -> None:
        address, size, held = address_of(array)
        super().__init__(UnownedMemory(address, size, held, get_device_id()))
        self.base = array
        self._is_registered = True
        runtime.hostRegister(address, size, flags)

    @translating
    def unregister(self) -> None:
        """End that."""
        if self._is_registered:
            self._is_registered = False
            runtime.hostUnregister(self.ptr)

    def __del__(self) -> None:
        if getattr(self, "_is_registered", False):
            self.unregister()


def register_host_memory(ary: numpy.ndarray[Any, Any], flags: int = 0) -> HostArray:
    """The array, in memory that is page-locked from now on.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> a = cuda.register_host_memory(cuda.aligned_zeros(4, numpy.float32))
    >>> a.shape
    (4,)
    """
    held = RegisteredHostMemory(ary, flags)
    return _array_in(held, ary.shape, ary.dtype, _order_of(ary))


# --- memory of both ---


class ManagedAllocation(HostPointer):
    """Memory that moves between host and device as they use it."""

    @translating
    def __init__(self, size: int, flags: int = 1) -> None:
        memory = ManagedMemory(0)
        memory.ptr, memory.size = runtime.mallocManaged(size, flags), size
        super().__init__(memory)

    def free(self) -> None:
        """Give it back now; arrays in it must not be used any more."""
        runtime.free(self._memory.ptr)
        self._memory.ptr = 0

    def get_device_pointer(self) -> int:
        """Its address, the same for both."""
        return self.ptr

    @translating
    def attach(self, mem_flags: int, stream: Stream | None = None) -> None:
        """Say who uses it, of `mem_attach_flags`."""
        if _core.cuda.is_available():
            checked.cuStreamAttachMemAsync(
                0 if stream is None else stream.ptr, self.ptr, 0, mem_flags
            )


def managed_empty(
    shape: ShapeLike, dtype: DTypeLike | None, order: str = "C", mem_flags: int = 1
) -> HostArray:
    """An array of NumPy's in memory that the device sees, too.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> mode = cuda.mem_attach_flags.GLOBAL
    >>> cuda.managed_empty(4, numpy.float32, mem_flags=mode).shape
    (4,)
    """
    held = ManagedAllocation(max(1, _bytes(shape, dtype)), mem_flags)
    return _array_in(held, shape, dtype, order)


def managed_zeros(
    shape: ShapeLike, dtype: DTypeLike | None, order: str = "C", mem_flags: int = 1
) -> HostArray:
    """`managed_empty`, filled with 0.

    Examples
    --------
    >>> import numpy
    >>> import heddle.pycuda.driver as drv
    >>> drv.managed_zeros(3, numpy.float32, mem_flags=drv.mem_attach_flags.GLOBAL).tolist()
    [0.0, 0.0, 0.0]
    """
    made = managed_empty(shape, dtype, order, mem_flags)
    made.fill(0)
    return made


def managed_empty_like(array: HostArray, mem_flags: int = 1) -> HostArray:
    """`managed_empty` with the shape, type and order of another array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> mode = cuda.mem_attach_flags.GLOBAL
    >>> cuda.managed_empty_like(numpy.ones((2, 3)), mem_flags=mode).shape
    (2, 3)
    """
    return managed_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def managed_zeros_like(array: HostArray, mem_flags: int = 1) -> HostArray:
    """`managed_zeros` with the shape, type and order of another array.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> mode = cuda.mem_attach_flags.GLOBAL
    >>> numpy.asarray(cuda.managed_zeros_like(numpy.ones(2), mem_flags=mode))
    array([0., 0.])
    """
    return managed_zeros(array.shape, array.dtype, _order_of(array), mem_flags)
