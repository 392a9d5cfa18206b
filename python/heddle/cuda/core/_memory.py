"""Memory: buffers, and what they come from."""

from __future__ import annotations

import abc
import ctypes
import dataclasses
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from heddle import _core
from heddle.cuda.bindings import checked, driver
from heddle.cuda.bindings._values import address_of
from heddle.cuda.core._peers import PeerAccessibleBySetProxy
from heddle.cuda.core._stream import default_stream, handle_of
from heddle.cuda.device import Device as HeddleDevice
from heddle.cuda.device import get_device_id

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle
    from heddle.cuda.core._device import Device

_HANDLES = driver.CUmemAllocationHandleType
_LOCATIONS = driver.CUmemLocationType


def location_of(place: Any) -> Any:
    """The driver's structure for a device or the host."""
    from heddle.cuda.core._device import Host

    made = driver.CUmemLocation()
    if isinstance(place, Host):
        if place.is_numa_current:
            made.type = _LOCATIONS.CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
        elif place.numa_id is not None:
            made.type, made.id = _LOCATIONS.CU_MEM_LOCATION_TYPE_HOST_NUMA, place.numa_id
        else:
            made.type = _LOCATIONS.CU_MEM_LOCATION_TYPE_HOST
    elif place == -1:
        made.type = _LOCATIONS.CU_MEM_LOCATION_TYPE_HOST
    else:
        made.type = _LOCATIONS.CU_MEM_LOCATION_TYPE_DEVICE
        made.id = int(getattr(place, "device_id", place))
    return made


class MemoryResource(abc.ABC):
    """What memory comes from. One of a program's own defines what is abstract here."""

    @abc.abstractmethod
    def allocate(self, size: int, *, stream: object = None) -> Buffer:
        """A buffer of so many bytes, in the order of a stream."""

    @abc.abstractmethod
    def deallocate(self, ptr: object, size: int, *, stream: object = None) -> None:
        """Take memory back, in the order of a stream."""

    @property
    @abc.abstractmethod
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""

    @property
    @abc.abstractmethod
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""

    @property
    def is_managed(self) -> bool:
        """Whether it moves between host and device."""
        return False

    @property
    @abc.abstractmethod
    def device_id(self) -> int:
        """The number of its device; -1 for the host's."""


@dataclasses.dataclass(frozen=True)
class IPCBufferDescriptor:
    """What another process makes a buffer of."""

    payload: bytes
    size: int


class Buffer:
    """A piece of memory.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> device = core.Device(0)
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> buffer = device.allocate(64, stream=stream)
    >>> buffer.fill(7, stream=stream)
    >>> stream.sync()
    >>> buffer.size
    64
    """

    def __init__(self) -> None:
        raise RuntimeError("buffers are made by memory resources and Buffer.from_handle")

    _address: Any
    _size: int
    _resource: Any
    _owner: Any
    _stream: Any  # which has to be there when the memory is given back
    _mapped: bool

    @classmethod
    def _of(
        cls,
        address: Any,
        size: int,
        resource: object = None,
        owner: object = None,
        stream: object = None,
    ) -> Self:
        made = cls.__new__(cls)
        made._address, made._size = driver.CUdeviceptr(int(address)), size
        made._resource, made._owner, made._mapped = resource, owner, False
        made._stream = 0 if stream is None else stream
        return made

    @classmethod
    def from_handle(cls, ptr: object, size: int, mr: object = None, owner: object = None) -> Self:
        """Memory at an address, which `mr` takes back or `owner` keeps alive."""
        if mr is not None and owner is not None:
            raise ValueError("memory has a resource or an owner, not both")
        return cls._of(ptr, size, mr, owner)

    @classmethod
    def from_ipc_descriptor(
        cls, mr: DeviceMemoryResource, ipc_descriptor: IPCBufferDescriptor, stream: object = None
    ) -> Buffer:
        """Memory of another process, of a pool that was imported."""
        data = driver.CUmemPoolPtrExportData()
        data.reserved = list(ipc_descriptor.payload)
        address = checked.cuMemPoolImportPointer(mr.handle, data)
        made = cls._of(address, ipc_descriptor.size, mr, None, stream)
        made._mapped = True
        return made

    @property
    def ipc_descriptor(self) -> IPCBufferDescriptor:
        """What another process makes a buffer of."""
        if not getattr(self._resource, "is_ipc_enabled", False):
            raise RuntimeError("the memory is this process's: its resource needs ipc_enabled=True")
        data = checked.cuMemPoolExportPointer(self._address)
        return IPCBufferDescriptor(bytes(data.reserved), self._size)

    def __reduce__(self) -> tuple[Any, ...]:
        return Buffer.from_ipc_descriptor, (self._resource, self.ipc_descriptor)

    def close(self, stream: object = None) -> None:
        """Give it back, in the order of a stream."""
        address = int(self._address)
        if address and self._resource is not None:
            given = self._stream if stream is None else stream
            self._resource.deallocate(self._address, self._size, stream=given)
        self._address, self._owner, self._resource = driver.CUdeviceptr(0), None, None

    def __del__(self) -> None:
        if int(getattr(self, "_address", 0)):
            self.close()

    def set_deallocation_stream(self, stream: object) -> None:
        """The stream in whose order it is given back."""
        handle_of(stream)  # a TypeError where it is none
        self._stream = stream

    def copy_to(self, dst: Buffer | None = None, *, stream: object) -> Buffer:
        """Copy to another buffer, a new one by default, in the order of a stream."""
        if dst is None:
            if self._resource is None:
                raise ValueError("memory of others has nothing that a new buffer could come from")
            dst = self._resource.allocate(self._size, stream=stream)
        if dst._size != self._size:
            raise ValueError(f"buffers of {self._size} and {dst._size} bytes")
        _core.cuda.run_pending_work()
        checked.cuMemcpyAsync(dst._address, self._address, self._size, handle_of(stream))
        return dst

    def copy_from(self, src: Buffer, *, stream: object) -> None:
        """Copy from another buffer, in the order of a stream."""
        src.copy_to(self, stream=stream)

    def fill(self, value: int | bytes, *, stream: object) -> None:
        """Set all of it to a byte, or to a pattern of one, two or four bytes."""
        if isinstance(value, int):
            if not 0 <= value < 256:
                raise OverflowError(f"a byte is at least 0 and less than 256, not {value}")
            value = bytes([value])
        pattern = bytes(memoryview(value))
        if len(pattern) not in (1, 2, 4) or self._size % len(pattern):
            raise ValueError("a pattern has one, two or four bytes, and fits the buffer evenly")
        function = getattr(checked, f"cuMemsetD{8 * len(pattern)}Async")
        number = int.from_bytes(pattern, "little")
        _core.cuda.run_pending_work()
        function(self._address, number, self._size // len(pattern), handle_of(stream))

    def _array(self) -> Any:
        """The bytes as an array of Heddle's, which keeps the buffer alive."""
        import numpy

        from heddle.cuda.memory import MemoryPointer, UnownedMemory

        memory = UnownedMemory(int(self._address), self._size, self, max(0, self.device_id))
        pointer = MemoryPointer(memory, 0)
        return pointer._as_array((self._size,), numpy.dtype("int8"), 0, None, "C")

    def __dlpack__(self, **named: object) -> Any:
        """The bytes, for other libraries."""
        return self._array().__dlpack__(**named)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the bytes are, for other libraries."""
        device, host = self.is_device_accessible, self.is_host_accessible
        if device and host:
            return (13, 0) if self.is_managed else (3, 0)
        return (2, self.device_id) if device else (1, 0)

    def __buffer__(self, flags: int) -> memoryview:
        """The bytes, where the host sees them."""
        if not self.is_host_accessible:
            raise BufferError("the host does not see this memory")
        there = (ctypes.c_char * self._size).from_address(int(self._address))
        there._owner = self  # type: ignore[attr-defined]
        return memoryview(there).cast("B")

    @property
    def handle(self) -> Handle:
        """The address."""
        found: Handle = self._address
        return found

    @property
    def size(self) -> int:
        """The bytes."""
        return self._size

    @property
    def memory_resource(self) -> MemoryResource:
        """What it comes from."""
        found: MemoryResource = self._resource
        return found

    @property
    def owner(self) -> object:
        """What keeps the memory alive, where that is somebody else's."""
        return self._owner

    @property
    def is_mapped(self) -> bool:
        """Whether it is of another process."""
        return self._mapped

    def _kind(self) -> int:
        """Of CUDA: 0 unknown, 1 the host's, 2 a device's, 3 managed."""
        return int(_core.cuda.pointer_attributes(int(self._address))[0])

    @property
    def device_id(self) -> int:
        """The number of its device; -1 for the host's."""
        if self._resource is not None:
            return int(self._resource.device_id)
        return int(_core.cuda.pointer_attributes(int(self._address))[1])

    @property
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""
        if self._resource is not None:
            return bool(self._resource.is_device_accessible)
        return self._kind() in (1, 2, 3)

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        if self._resource is not None:
            return bool(self._resource.is_host_accessible)
        return self._kind() in (0, 1, 3)

    @property
    def is_managed(self) -> bool:
        """Whether it moves between host and device."""
        if self._resource is not None:
            return bool(self._resource.is_managed)
        return self._kind() == 3

    def __eq__(self, other: object) -> bool:
        mine = (int(self._address), self._size)
        return isinstance(other, Buffer) and mine == (int(other._address), other._size)

    def __hash__(self) -> int:
        return hash((int(self._address), self._size))

    def __repr__(self) -> str:
        return f"<Buffer {int(self._address):#x}, {self._size} bytes>"


# --- pools of the driver's ---


_registry: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


class _Pool(MemoryResource):
    """Memory of a pool of the driver's."""

    _handle: Any
    _owns: bool
    _ipc: bool
    _buffer: type[Buffer] = Buffer

    def _create(self, location: object, kind: object, ipc: bool, max_size: int) -> None:
        props = driver.CUmemPoolProps()
        props.allocType, props.location, props.maxSize = kind, location, max_size
        if ipc:
            props.handleTypes = _HANDLES.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        self._handle, self._owns, self._ipc = checked.cuMemPoolCreate(props), True, ipc

    @property
    def handle(self) -> Handle:
        """CUDA's handle of the pool."""
        found: Handle = self._handle
        return found

    @property
    def attributes(self) -> PoolAttributes:
        """What the driver says of the pool."""
        return PoolAttributes(self._handle)

    def close(self) -> None:
        """Let go of the pool."""
        if self._owns and int(self._handle):
            driver.cuMemPoolDestroy(self._handle)
        self._handle = driver.CUmemoryPool(0)

    def __del__(self) -> None:
        if int(getattr(self, "_handle", 0)):
            self.close()

    def allocate(self, size: int, *, stream: object = None) -> Buffer:
        """A buffer of so many bytes, in the order of a stream."""
        given = default_stream() if stream is None else stream
        if size == 0:
            return self._buffer._of(0, 0, self, None, given)
        with HeddleDevice(max(0, self._on())):
            address = checked.cuMemAllocFromPoolAsync(size, self._handle, handle_of(given))
        return self._buffer._of(address, size, self, None, given)

    def _on(self) -> int:
        return get_device_id()

    def deallocate(self, ptr: object, size: int, *, stream: object = None) -> None:
        """Take memory back, in the order of a stream."""
        _core.cuda.run_pending_work()
        given = default_stream() if stream is None else stream
        with HeddleDevice(max(0, self._on())):
            checked.cuMemFreeAsync(ptr, handle_of(given))

    # --- other processes ---

    @property
    def is_ipc_enabled(self) -> bool:
        """Whether other processes can use its memory."""
        return self._ipc

    @property
    def allocation_handle(self) -> int:
        """A descriptor of a file, by which another process imports the pool."""
        if not self._ipc:
            raise RuntimeError("the pool is this process's: it needs ipc_enabled=True")
        kind = _HANDLES.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        return int(checked.cuMemPoolExportToShareableHandle(self._handle, kind, 0))

    def _import(self, alloc_handle: int) -> None:
        kind = _HANDLES.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        self._handle = checked.cuMemPoolImportFromShareableHandle(int(alloc_handle), kind, 0)
        self._owns, self._ipc = True, True

    def register(self, uuid: object) -> Self:
        """Let `from_registry` find it."""
        found: Self = _registry.setdefault(str(uuid), self)
        return found

    @classmethod
    def from_registry(cls, uuid: object) -> Self:
        """The pool that was registered so."""
        found = _registry.get(str(uuid))
        if found is None:
            raise RuntimeError(f"no memory resource is registered as {uuid}")
        made: Self = found
        return made


class PoolAttributes:
    """What the driver says of a pool."""

    def __init__(self, pool: object) -> None:
        self._pool = pool

    def __getattr__(self, name: str) -> int:
        member = f"CU_MEMPOOL_ATTR_{name.upper()}"
        names = driver.CUmemPool_attribute.__members__
        if member not in names:
            raise AttributeError(f"a pool has no attribute {name!r}")
        return int(checked.cuMemPoolGetAttribute(self._pool, names[member]))


@dataclasses.dataclass
class DeviceMemoryResourceOptions:
    """A pool of its own: whether other processes can use its memory, and the most of it.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.DeviceMemoryResourceOptions(max_size=1 << 26).max_size
    67108864
    """

    ipc_enabled: bool = False
    max_size: int = 0


class DeviceMemoryResource(_Pool):
    """Memory of a device, from the driver's pool, or from one of its own if there are options.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> device = core.Device(0)
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> own = core.DeviceMemoryResource(device, core.DeviceMemoryResourceOptions(max_size=1 << 26))
    >>> own.allocate(1 << 20, stream=stream).size
    1048576
    """

    def __init__(
        self,
        device_id: Device | int,
        options: DeviceMemoryResourceOptions | dict[str, Any] | None = None,
    ) -> None:
        self._device = int(getattr(device_id, "device_id", device_id))
        self._peers = PeerAccessibleBySetProxy(self)
        if options is None:
            self._handle, self._owns = checked.cuDeviceGetMemPool(self._device), False
            self._ipc = False
            return
        given = DeviceMemoryResourceOptions(**options) if isinstance(options, dict) else options
        kind = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        self._create(location_of(self._device), kind, given.ipc_enabled, given.max_size)

    @classmethod
    def from_allocation_handle(
        cls, device_id: Device | int, alloc_handle: int
    ) -> DeviceMemoryResource:
        """The pool of another process."""
        made = cls.__new__(cls)
        made._device = int(getattr(device_id, "device_id", device_id))
        made._peers = PeerAccessibleBySetProxy(made)
        made._import(alloc_handle)
        return made

    def _on(self) -> int:
        return self._device

    @property
    def device_id(self) -> int:
        """The number of its device."""
        return self._device

    @property
    def peer_accessible_by(self) -> PeerAccessibleBySetProxy:
        """The other devices that may use its memory: a set that can be changed, or set anew."""
        return self._peers

    @peer_accessible_by.setter
    def peer_accessible_by(self, devices: Iterable[Device | int] | Device | int) -> None:
        self._peers._replace(devices)

    @property
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        return False


@dataclasses.dataclass
class PinnedMemoryResourceOptions:
    """A pool of page-locked memory: for other processes, its most, and at which node."""

    ipc_enabled: bool = False
    max_size: int = 0
    numa_id: int | None = None


class PinnedMemoryResource(_Pool):
    """Page-locked memory of the host, from a pool of the driver's."""

    def __init__(self, options: PinnedMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        from heddle.cuda.core._device import Host, need_gpu

        need_gpu()
        given = PinnedMemoryResourceOptions(**options) if isinstance(options, dict) else options
        given = given or PinnedMemoryResourceOptions()
        self._numa = given.numa_id
        if self._numa is None and given.ipc_enabled:
            self._numa = 0
        kind = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        self._create(location_of(Host(self._numa)), kind, given.ipc_enabled, given.max_size)
        allowed = driver.CUmemAccessDesc()
        allowed.location = location_of(get_device_id())
        allowed.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        checked.cuMemPoolSetAccess(self._handle, [allowed], 1)

    @classmethod
    def from_allocation_handle(cls, alloc_handle: int) -> PinnedMemoryResource:
        """The pool of another process."""
        made = cls.__new__(cls)
        made._numa = 0
        made._import(alloc_handle)
        return made

    @property
    def device_id(self) -> int:
        """-1: it is the host's."""
        return -1

    @property
    def numa_id(self) -> int | None:
        """The node where the memory is."""
        return self._numa

    @property
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        return True


class LegacyPinnedMemoryResource(MemoryResource):
    """Page-locked memory of the host, allocated by itself.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.Device(0).set_current()
    >>> core.LegacyPinnedMemoryResource().allocate(64).is_host_accessible
    True
    """

    def allocate(self, size: int, *, stream: object = None) -> Buffer:
        """A buffer of so many bytes."""
        address = _core.cuda.host_alloc(size, 1) if size else 0
        return Buffer._of(address, size, self, None, stream)

    def deallocate(self, ptr: Any, size: int, *, stream: object = None) -> None:
        """Take memory back, when the work of the stream is done."""
        if stream is not None:
            checked.cuStreamSynchronize(handle_of(stream))
        _core.cuda.free_host(int(ptr))

    @property
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        return True

    @property
    def device_id(self) -> int:
        """-1: it is the host's."""
        return -1


class GraphMemoryResource(MemoryResource):
    """Memory of graphs: what is allocated while a stream is captured is part of the graph."""

    def __init__(self, device_id: Device | int) -> None:
        self._device = int(getattr(device_id, "device_id", device_id))

    def allocate(self, size: int, *, stream: object = None) -> Buffer:
        """A buffer of so many bytes, in the order of a stream that is captured."""
        if stream is None:
            raise ValueError("memory of a graph is allocated on the stream that is captured")
        address = checked.cuMemAllocAsync(size, handle_of(stream))
        return Buffer._of(address, size, self, None, stream)

    def deallocate(self, ptr: object, size: int, *, stream: object = None) -> None:
        """Take memory back, in the order of a stream."""
        given = default_stream() if stream is None else stream
        checked.cuMemFreeAsync(ptr, handle_of(given))

    def trim(self) -> None:
        """Give memory that no graph uses back to the device."""
        checked.cuDeviceGraphMemTrim(self._device)

    @property
    def device_id(self) -> int:
        """The number of its device."""
        return self._device

    @property
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        return False


def address(value: object) -> int:
    """The address of a buffer or of anything else that has one."""
    return int(value.handle) if isinstance(value, Buffer) else address_of(value, [])
