"""Devices and contexts, and parts of devices."""

from __future__ import annotations

import collections
import dataclasses
import threading
import uuid as uuid_module
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from heddle import _core
from heddle.cuda.bindings import checked, driver
from heddle.cuda.core._properties import DeviceProperties
from heddle.cuda.core._stream import Event, EventOptions, Stream, StreamOptions, default_stream
from heddle.cuda.device import Device as HeddleDevice
from heddle.cuda.device import get_device_id

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Record
    from heddle.cuda.core import system
    from heddle.cuda.core._memory import Buffer, MemoryResource
    from heddle.cuda.core.graph import GraphBuilder
    from heddle.cuda.core.texture import (
        MipmappedArray,
        MipmappedArrayOptions,
        OpaqueArray,
        OpaqueArrayOptions,
        ResourceDescriptor,
        SurfaceObject,
        TextureObject,
        TextureObjectOptions,
    )

ComputeCapability = collections.namedtuple("ComputeCapability", ("major", "minor"))


def need_gpu() -> None:
    """Raises the error that says why no GPU can be used, where that is so."""
    _core.cuda.driver_version()


class Device:
    """A GPU; there is one object for each in a thread.

    Parameters
    ----------
    device_id : int, optional
        Its number; the current one by default.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> device = core.Device(0)
    >>> device.set_current()
    >>> device.properties.warp_size
    32
    """

    _objects = threading.local()
    _id: int
    _properties: DeviceProperties
    _resource: Any

    def __new__(cls, device_id: int | Device | None = None) -> Device:
        need_gpu()
        if isinstance(device_id, Device):
            device_id = device_id._id
        number = get_device_id() if device_id is None else int(device_id)
        count = _core.cuda.device_count()
        if not 0 <= number < count:
            raise ValueError(f"device_id must be within [0, {count}), got {number}")
        made: dict[int, Device] = cls._objects.__dict__.setdefault("made", {})
        if number not in made:
            self = super().__new__(cls)
            self._id = number
            self._properties = DeviceProperties(number)
            self._resource = None
            made[number] = self
        return made[number]

    def __init__(self, device_id: int | Device | None = None) -> None:
        pass

    @classmethod
    def get_all_devices(cls) -> tuple[Device, ...]:
        """All GPUs."""
        return tuple(cls(i) for i in range(_core.cuda.device_count()))

    def to_system_device(self) -> system.Device:
        """What the system says of it."""
        from heddle.cuda.core import system

        return system.Device(pci_bus_id=self.pci_bus_id)

    @property
    def device_id(self) -> int:
        """Its number."""
        return self._id

    @property
    def pci_bus_id(self) -> str:
        """Where it is on the PCI bus."""
        return HeddleDevice(self._id).pci_bus_id

    @property
    def uuid(self) -> str:
        """The name that no other GPU has."""
        found = checked.cuDeviceGetUuid(self._id).bytes
        return str(uuid_module.UUID(bytes=bytes(found)))

    @property
    def name(self) -> str:
        """What NVIDIA calls it."""
        return HeddleDevice(self._id).name

    @property
    def properties(self) -> DeviceProperties:
        """What the driver says of it."""
        return self._properties

    @property
    def resources(self) -> DeviceResources:
        """What of it can be given out."""
        return DeviceResources(self)

    @property
    def compute_capability(self) -> ComputeCapability:
        """As (9, 0)."""
        return ComputeCapability(*_core.cuda.compute_capability(self._id))

    @property
    def arch(self) -> str:
        """The compute capability as one number, as "90"."""
        return HeddleDevice(self._id).compute_capability

    @property
    def context(self) -> Context:
        """Its context."""
        with HeddleDevice(self._id):
            return Context._of(checked.cuCtxGetCurrent(), self._id)

    @property
    def memory_resource(self) -> MemoryResource:
        """What memory comes from, if nobody says anything else; may be set."""
        if self._resource is None:
            from heddle.cuda.core._memory import DeviceMemoryResource

            self._resource = DeviceMemoryResource(self)
        found: MemoryResource = self._resource
        return found

    @memory_resource.setter
    def memory_resource(self, resource: MemoryResource) -> None:
        from heddle.cuda.core._memory import MemoryResource

        if not isinstance(resource, MemoryResource):
            raise TypeError(f"expected a MemoryResource, not {type(resource).__name__}")
        self._resource = resource

    @property
    def default_stream(self) -> Stream:
        """The default stream."""
        return default_stream()

    def can_access_peer(self, peer: Device | int) -> bool:
        """Whether it can use another's memory."""
        return bool(_core.cuda.can_access_peer(self._id, Device(peer)._id))

    def set_current(self, ctx: Context | None = None) -> Context | None:
        """Use it from now on in this thread; or a context of it, and give back the one before."""
        if ctx is None:
            HeddleDevice(self._id).use()
            return None
        if ctx._device != self._id:
            raise RuntimeError(f"the context is of device {ctx._device}, not of {self._id}")
        before = checked.cuCtxGetCurrent()
        HeddleDevice(self._id).use()
        checked.cuCtxSetCurrent(ctx.handle)
        return Context._of(before, self._id) if int(before) else None

    def create_context(self, options: ContextOptions | None = None) -> Context:
        """A context with a part of the device: a green context."""
        if options is None or options.resources is None:
            raise NotImplementedError(
                "a context of its own has a part of the device: ContextOptions"
            )
        given = options.resources
        parts = list(given) if isinstance(given, Sequence) else [given]
        described = checked.cuDevResourceGenerateDesc([p.handle for p in parts], len(parts))
        flags = driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM
        green = checked.cuGreenCtxCreate(described, self._id, flags)
        return Context._of(checked.cuCtxFromGreenCtx(green), self._id, green)

    def create_stream(self, obj: object = None, options: StreamOptions | None = None) -> Stream:
        """A new stream; or that of an object with ``__cuda_stream__``."""
        return Stream._make(self._id, obj, options)

    def create_event(self, options: EventOptions | None = None) -> Event:
        """A new event."""
        return Event._make(self._id, options)

    def allocate(self, size: int, stream: object = None) -> Buffer:
        """Memory of `memory_resource`."""
        made: Buffer = self.memory_resource.allocate(size, stream=stream)
        return made

    def sync(self) -> None:
        """Wait for all work on it."""
        HeddleDevice(self._id).synchronize()

    def create_graph_builder(self) -> GraphBuilder:
        """What records work into a graph, on a stream of its own."""
        return self.create_stream().create_graph_builder()

    def create_opaque_array(self, options: OpaqueArrayOptions) -> OpaqueArray:
        """Memory in the order that textures want."""
        from heddle.cuda.core.texture import OpaqueArray

        return OpaqueArray._make(self, options)

    def create_mipmapped_array(self, options: MipmappedArrayOptions) -> MipmappedArray:
        """Memory in the order that textures of several levels want."""
        from heddle.cuda.core.texture import MipmappedArray

        return MipmappedArray._make(self, options)

    def create_texture_object(
        self, resource: ResourceDescriptor, options: TextureObjectOptions | None = None
    ) -> TextureObject:
        """What kernels read elements of memory through."""
        from heddle.cuda.core.texture import TextureObject

        return TextureObject._make(self, resource, options)

    def create_surface_object(self, resource: object) -> SurfaceObject:
        """What kernels read and write elements of an array through."""
        from heddle.cuda.core.texture import SurfaceObject

        return SurfaceObject._make(self, resource)

    def __int__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._id == other._id

    def __hash__(self) -> int:
        return hash((Device, self._id))

    def __reduce__(self) -> tuple[Any, ...]:
        return Device, (self._id,)

    def __repr__(self) -> str:
        return f"<Device {self._id} ({self.name})>"


@dataclasses.dataclass
class ContextOptions:
    """What of a device a context has."""

    resources: Any = None


class Context:
    """A context of CUDA's."""

    def __init__(self) -> None:
        raise RuntimeError("contexts are those of devices, or made by Device.create_context")

    _handle: Any
    _device: int
    _green: Any

    @classmethod
    def _of(cls, handle: object, device: int, green: object = None) -> Context:
        made = cls.__new__(cls)
        made._handle, made._device, made._green = handle, device, green
        return made

    @property
    def handle(self) -> object:
        """CUDA's handle."""
        return self._handle

    @property
    def is_green(self) -> bool:
        """Whether it has a part of the device."""
        return self._green is not None

    @property
    def resources(self) -> DeviceResources:
        """What of the device it has."""
        return DeviceResources(Device(self._device), self)

    def create_stream(self, options: StreamOptions | None = None) -> Stream:
        """A stream whose work runs on its part of the device."""
        options = options or StreamOptions()
        if self._green is None:
            return Stream._make(self._device, None, options)
        if not options.nonblocking:
            raise ValueError("streams of green contexts do not wait for the default stream")
        flags = driver.CUstream_flags.CU_STREAM_NON_BLOCKING
        made = checked.cuGreenCtxStreamCreate(self._green, flags, options.priority or 0)
        return Stream.from_handle(made, self)

    def close(self) -> None:
        """Let go of it."""
        if self._green is not None:
            checked.cuGreenCtxDestroy(self._green)
            self._green, self._handle = None, driver.CUcontext(0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(int(self._handle))

    def __repr__(self) -> str:
        return f"<Context {int(self._handle):#x} of device {self._device}>"


# --- parts of devices ---


@dataclasses.dataclass
class SMResourceOptions:
    """How multiprocessors are split: into groups of so many, or of several numbers."""

    count: int | Sequence[int] | None = None
    coscheduled_sm_count: int | None = None
    preferred_coscheduled_sm_count: int | None = None
    backfill: bool = False


@dataclasses.dataclass
class WorkqueueResourceOptions:
    """How queues of work are shared."""

    sharing_scope: str | None = None
    concurrency_limit: int | None = None


class SMResource:
    """Multiprocessors."""

    def __init__(self, resource: Any, device: Device) -> None:
        self._resource, self._device = resource, device

    @property
    def handle(self) -> Record:
        """The driver's structure."""
        found: Record = self._resource
        return found

    @property
    def sm_count(self) -> int:
        """How many there are."""
        return int(self._resource.sm.smCount)

    @property
    def min_partition_size(self) -> int:
        """The least that can be given out."""
        return int(self._resource.sm.minSmPartitionSize)

    @property
    def coscheduled_alignment(self) -> int:
        """Groups have multiples of it."""
        return int(self._resource.sm.smCoscheduledAlignment)

    @property
    def flags(self) -> int:
        """Flags of the driver's."""
        return int(getattr(self._resource.sm, "flags", 0))

    def split(self, options: SMResourceOptions) -> tuple[list[SMResource], SMResource]:
        """Groups of equal numbers, and what remains."""
        if options.backfill or options.preferred_coscheduled_sm_count is not None:
            raise NotImplementedError("preferences of groups need CUDA 13.1")
        count = options.count
        if isinstance(count, Sequence):
            if len(set(count)) != 1:
                raise NotImplementedError("groups of different sizes need CUDA 13.1")
            groups, least = len(count), count[0]
        else:
            least = count or self.min_partition_size
            groups = max(1, self.sm_count // least)
        flags = driver.CUdevSmResourceSplit_flags
        given = 0
        if options.coscheduled_sm_count == 1:
            given |= flags.CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING
        parts, made, rest = checked.cuDevSmResourceSplitByCount(
            groups, self._resource, given, least
        )
        found = [SMResource(p, self._device) for p in parts[:made]]
        return found, SMResource(rest, self._device)


class WorkqueueResource:
    """Queues of work; of a driver of CUDA 13.1 or newer."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._options = WorkqueueResourceOptions()

    @property
    def handle(self) -> NoReturn:
        """The driver's structure."""
        raise NotImplementedError("queues of work are given out by drivers of CUDA 13.1 or newer")

    @property
    def sharing_scope(self) -> str | None:
        """Who shares them."""
        return self._options.sharing_scope

    @property
    def concurrency_limit(self) -> int | None:
        """How many are used at the same time."""
        return self._options.concurrency_limit

    @property
    def device(self) -> Device:
        """Their device."""
        return self._device

    def configure(self, options: WorkqueueResourceOptions) -> None:
        """Say how they are shared."""
        raise NotImplementedError("queues of work are given out by drivers of CUDA 13.1 or newer")


class DeviceResources:
    """What of a device, or of a context, can be given out."""

    def __init__(self, device: Device, context: Context | None = None) -> None:
        self._device, self._context = device, context

    @property
    def sm(self) -> SMResource:
        """Its multiprocessors."""
        kind = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
        if self._context is not None:
            found = checked.cuCtxGetDevResource(self._context.handle, kind)
        else:
            found = checked.cuDeviceGetDevResource(self._device.device_id, kind)
        return SMResource(found, self._device)

    @property
    def workqueue(self) -> WorkqueueResource:
        """Its queues of work."""
        return WorkqueueResource(self._device)


class Host:
    """The host's memory as a place: anywhere, or at a node of it.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.Host(numa_id=0)
    Host(0)
    """

    def __init__(self, numa_id: int | None = None) -> None:
        self._numa_id, self._is_current = numa_id, False

    @classmethod
    def numa_current(cls) -> Host:
        """The node where the calling thread runs."""
        made = cls()
        made._is_current = True
        return made

    @property
    def numa_id(self) -> int | None:
        """The number of the node; None for anywhere."""
        return self._numa_id

    @property
    def is_numa_current(self) -> bool:
        """Whether it is the node where the calling thread runs."""
        return self._is_current

    def __eq__(self, other: object) -> bool:
        mine = (self._numa_id, self._is_current)
        return isinstance(other, Host) and mine == (other._numa_id, other._is_current)

    def __hash__(self) -> int:
        return hash((Host, self._numa_id, self._is_current))

    def __repr__(self) -> str:
        return f"Host({'' if self._numa_id is None else self._numa_id})"
