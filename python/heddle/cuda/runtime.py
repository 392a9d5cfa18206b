"""CUDA's run-time functions by CuPy's names, as far as the driver offers them.

Addresses, streams and events are numbers here; stream 0 is the default stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from heddle.cuda import _driver
from heddle.cuda._attributes import NUMBERS
from heddle.cuda.device import Device, get_device_id

_cuda: Any = _driver

CUDARuntimeError = _cuda.CUDARuntimeError

is_hip = False

errorInvalidValue = 1
errorMemoryAllocation = 2
errorInvalidResourceHandle = 400
errorContextIsDestroyed = 709
errorPeerAccessAlreadyEnabled = 704

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = (
    range(5)
)
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
hostRegisterDefault, hostRegisterPortable, hostRegisterMapped = 0, 1, 2
memAttachGlobal, memAttachHost = 1, 2
cudaMemAttachGlobal, cudaMemAttachHost, cudaMemAttachSingle = 1, 2, 4
cudaMemoryTypeHost, cudaMemoryTypeDevice = memoryTypeHost, memoryTypeDevice
cudaCpuDeviceId, cudaInvalidDeviceId = -1, -2
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
streamCaptureStatusNone, streamCaptureStatusActive, streamCaptureStatusInvalidated = range(3)
cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize = range(3)
deviceAttributeComputeCapabilityMajor = NUMBERS["ComputeCapabilityMajor"]
deviceAttributeComputeCapabilityMinor = NUMBERS["ComputeCapabilityMinor"]


def _stream(handle: int) -> Any:
    """The core's object for a handle."""
    return _cuda.external_stream(get_device_id(), handle)


# --- versions and devices ---


def driverGetVersion() -> int:
    """The version of CUDA that the driver knows, as 13000 for 13.0."""
    return int(_cuda.driver_version())


def runtimeGetVersion() -> int:
    """The same: there is no run-time library between here and the driver."""
    return int(_cuda.driver_version())


def getDeviceCount() -> int:
    """The number of GPUs; an error where none can be used."""
    _cuda.driver_version()  # raises
    return int(_cuda.device_count())


def getDevice() -> int:
    """The number of the current device."""
    return Device().id


def setDevice(device: int) -> None:
    """Makes a device the current one of this thread."""
    Device(device).use()


def deviceSynchronize() -> None:
    """Waits for all work on the current device."""
    Device().synchronize()


def deviceGetAttribute(attrib: int, device: int) -> int:
    """An attribute by CUDA's number."""
    value = _cuda.attribute(device, attrib)
    if value is None:
        raise ValueError(f"deviceGetAttribute: the driver knows no attribute {attrib}")
    return int(value)


def deviceGetByPCIBusId(pciBusId: str) -> int:
    """The number of the device at a place on the PCI bus."""
    return int(_cuda.device_by_pci_bus_id(pciBusId))


def deviceGetPCIBusId(device: int) -> str:
    """The place of a device on the PCI bus."""
    return str(_cuda.pci_bus_id(device))


def deviceCanAccessPeer(device: int, peerDevice: int) -> int:
    """Whether a device can use another's memory directly."""
    return int(_cuda.can_access_peer(device, peerDevice))


def deviceEnablePeerAccess(peerDevice: int) -> None:
    """Lets the current device use another's memory directly."""
    _cuda.enable_peer_access(get_device_id(), peerDevice)


def deviceDisablePeerAccess(peerDevice: int) -> None:
    """Ends that."""
    _cuda.disable_peer_access(get_device_id(), peerDevice)


def deviceGetLimit(limit: int) -> int:
    """A limit of the current device."""
    return int(_cuda.get_limit(get_device_id(), limit))


def deviceSetLimit(limit: int, value: int) -> None:
    """Sets a limit of the current device."""
    _cuda.set_limit(get_device_id(), limit, value)


# What CUDA's structure of properties calls the attributes.
_PROPERTIES = {
    "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
    "regsPerBlock": "MaxRegistersPerBlock",
    "warpSize": "WarpSize",
    "memPitch": "MaxPitch",
    "maxThreadsPerBlock": "MaxThreadsPerBlock",
    "totalConstMem": "TotalConstantMemory",
    "major": "ComputeCapabilityMajor",
    "minor": "ComputeCapabilityMinor",
    "textureAlignment": "TextureAlignment",
    "texturePitchAlignment": "TexturePitchAlignment",
    "multiProcessorCount": "MultiProcessorCount",
    "integrated": "Integrated",
    "canMapHostMemory": "CanMapHostMemory",
    "concurrentKernels": "ConcurrentKernels",
    "ECCEnabled": "EccEnabled",
    "pciBusID": "PciBusId",
    "pciDeviceID": "PciDeviceId",
    "pciDomainID": "PciDomainId",
    "tccDriver": "TccDriver",
    "asyncEngineCount": "AsyncEngineCount",
    "unifiedAddressing": "UnifiedAddressing",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "l2CacheSize": "L2CacheSize",
    "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiProcessor",
    "streamPrioritiesSupported": "StreamPrioritiesSupported",
    "globalL1CacheSupported": "GlobalL1CacheSupported",
    "localL1CacheSupported": "LocalL1CacheSupported",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "managedMemory": "ManagedMemory",
    "isMultiGpuBoard": "IsMultiGpuBoard",
    "multiGpuBoardGroupID": "MultiGpuBoardGroupID",
    "hostNativeAtomicSupported": "HostNativeAtomicSupported",
    "pageableMemoryAccess": "PageableMemoryAccess",
    "concurrentManagedAccess": "ConcurrentManagedAccess",
    "computePreemptionSupported": "ComputePreemptionSupported",
    "cooperativeLaunch": "CooperativeLaunch",
    "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    "persistingL2CacheMaxSize": "MaxPersistingL2CacheSize",
    "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
    "accessPolicyMaxWindowSize": "MaxAccessPolicyWindowSize",
    "reservedSharedMemPerBlock": "ReservedSharedMemoryPerBlock",
}


def getDeviceProperties(device: int) -> dict[str, bytes | int]:
    """The properties of a device, as far as the driver tells."""
    have = Device(device).attributes
    properties = {
        "name": _cuda.device_name(device).encode(),
        "totalGlobalMem": _cuda.total_memory(device),
    }
    for name, limits in (("maxThreadsDim", "MaxBlockDim"), ("maxGridSize", "MaxGridDim")):
        if f"{limits}X" in have:
            properties[name] = tuple(have[f"{limits}{d}"] for d in "XYZ")
    properties |= {
        name: have[attribute] for name, attribute in _PROPERTIES.items() if attribute in have
    }
    return properties


# --- memory ---


def memGetInfo() -> tuple[int, int]:
    """Bytes of the current device's memory: free, and in all."""
    free, total = _cuda.mem_info(get_device_id())
    return int(free), int(total)


def malloc(size: int) -> int:
    """Device memory."""
    return int(_cuda.malloc(get_device_id(), size))


def mallocManaged(size: int, flags: int = memAttachGlobal) -> int:
    """Memory that moves between host and device as they use it."""
    return int(_cuda.malloc_managed(get_device_id(), size, flags))


def mallocAsync(size: int, stream: int) -> int:
    """Device memory in the order of a stream."""
    return int(_cuda.malloc_async(_stream(stream), size))


def free(ptr: int) -> None:
    """Frees device memory."""
    _cuda.free(ptr)


def freeAsync(ptr: int, stream: int) -> None:
    """Frees device memory in the order of a stream."""
    _cuda.free_async(_stream(stream), ptr)


def hostAlloc(size: int, flags: int = hostAllocDefault) -> int:
    """Page-locked memory of the host."""
    return int(_cuda.host_alloc(size, flags))


def freeHost(ptr: int) -> None:
    """Frees page-locked memory."""
    _cuda.free_host(ptr)


def hostRegister(ptr: int, size: int, flags: int = hostRegisterDefault) -> None:
    """Page-locks memory of the host."""
    _cuda.host_register(ptr, size, flags)


def hostUnregister(ptr: int) -> None:
    """Ends that."""
    _cuda.host_unregister(ptr)


def _direction(dst: int, src: int, kind: int) -> int:
    """Of a copy: worked out from the addresses where it is not given."""
    if kind != memcpyDefault:
        return kind
    on_device = (memoryTypeDevice, memoryTypeManaged)
    to, from_ = (_cuda.pointer_attributes(p)[0] in on_device for p in (dst, src))
    return (memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice)[
        to + 2 * from_
    ]


def _copy(dst: int, src: int, size: int, kind: int, stream: Any, wait: bool) -> None:
    direction = _direction(dst, src, kind)
    if direction == memcpyHostToDevice:
        (_cuda.copy_from_host if wait else _cuda.copy_from_host_async)(stream, dst, src, size)
    elif direction == memcpyDeviceToHost:
        (_cuda.copy_to_host if wait else _cuda.copy_to_host_async)(stream, dst, src, size)
    elif size:
        _cuda.copy_on_device(stream, dst, src, size)
    if wait:
        stream.synchronize()


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copies between two addresses, and waits for it."""
    _cuda.run_pending_work()
    _copy(dst, src, size, kind, _stream(0), wait=True)


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Copies between two addresses in the order of a stream."""
    _cuda.run_pending_work()
    _copy(dst, src, size, kind, _stream(stream), wait=False)


def memcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, size: int) -> None:
    """Copies between the memories of two devices, and waits for it."""
    memcpy(dst, src, size, memcpyDeviceToDevice)


def memcpyPeerAsync(
    dst: int, dstDevice: int, src: int, srcDevice: int, size: int, stream: int
) -> None:
    """Copies between the memories of two devices in the order of a stream."""
    memcpyAsync(dst, src, size, memcpyDeviceToDevice, stream)


def memcpy2D(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copies rows of `width` bytes, which begin at multiples of the pitches, and waits for it."""
    memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, 0)
    _stream(0).synchronize()


def memcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Copies rows of `width` bytes in the order of a stream."""
    if width > min(dpitch, spitch):
        raise ValueError(f"memcpy2D: rows of {width} bytes in pitches of {dpitch} and {spitch}")
    _cuda.run_pending_work()
    if not _cuda.is_available():
        for row in range(height):
            _copy(dst + row * dpitch, src + row * spitch, width, kind, _stream(stream), wait=False)
        return
    from heddle.cuda import bindings

    checked: Any = bindings.checked

    copy, names = checked.CUDA_MEMCPY2D(), checked.CUmemorytype
    direction = _direction(dst, src, kind)
    host, device = names.CU_MEMORYTYPE_HOST, names.CU_MEMORYTYPE_DEVICE
    from_host = direction in (memcpyHostToHost, memcpyHostToDevice)
    to_host = direction in (memcpyHostToHost, memcpyDeviceToHost)
    copy.srcMemoryType, copy.dstMemoryType = (host if h else device for h in (from_host, to_host))
    setattr(copy, "srcHost" if from_host else "srcDevice", src)
    setattr(copy, "dstHost" if to_host else "dstDevice", dst)
    copy.srcPitch, copy.dstPitch = spitch, dpitch
    copy.WidthInBytes, copy.Height = width, height
    with Device():
        checked.cuMemcpy2DAsync(copy, stream)


def memset(ptr: int, value: int, size: int) -> None:
    """Sets bytes."""
    memsetAsync(ptr, value, size, 0)


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """Sets bytes in the order of a stream."""
    _cuda.run_pending_work()
    _cuda.fill(_stream(stream), ptr, value, size)


class PointerAttributes(NamedTuple):
    """What CUDA knows of an address."""

    device: int
    devicePointer: int
    hostPointer: int
    type: int


def pointerGetAttributes(ptr: int) -> PointerAttributes:
    """What CUDA knows of an address."""
    kind, device, device_pointer, host_pointer = _cuda.pointer_attributes(ptr)
    return PointerAttributes(device, device_pointer, host_pointer, kind)


def pointerGetMemoryType(ptr: int) -> int:
    """The kind of memory at an address."""
    return int(_cuda.pointer_attributes(ptr)[0])


# --- streams ---

_streams: dict[int, Any] = {}  # made here
_events: dict[int, Any] = {}
_captured: dict[int, list[Any]] = {}  # functions to be called by graphs, by the stream
_graphs: dict[int, Any] = {}  # and the functions that they call
_executables: dict[int, Any] = {}


def streamCreate() -> int:
    """A new stream."""
    return streamCreateWithFlags(streamDefault)


def streamCreateWithFlags(flags: int) -> int:
    """A new stream."""
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags: int, priority: int) -> int:
    """A new stream; lower priorities go first."""
    made = _cuda.create_stream(get_device_id(), bool(flags & streamNonBlocking), priority)
    _streams[made.ptr] = made
    return int(made.ptr)


def streamDestroy(stream: int) -> None:
    """Destroys a stream of `streamCreate`; its work goes on."""
    _streams.pop(stream).destroy()


def streamSynchronize(stream: int) -> None:
    """Waits for the work of a stream."""
    _cuda.run_pending_work()
    _stream(stream).synchronize()


def streamQuery(stream: int) -> int:
    """0 when the work of a stream is done, 600 when it is not."""
    return 0 if _stream(stream).done else 600


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Makes a stream wait for an event."""
    _stream(stream).wait_event(event)


def streamGetFlags(stream: int) -> int:
    """The flags a stream was made with."""
    return int(_stream(stream).flags)


def streamGetPriority(stream: int) -> int:
    """The priority of a stream."""
    return int(_stream(stream).priority)


def streamIsCapturing(stream: int) -> bool:
    """Whether work on a stream is being recorded."""
    return bool(_stream(stream).capturing)


def streamAddCallback(
    stream: int, callback: Callable[[int, int, Any], object], arg: object, flags: int = 0
) -> None:
    """Calls ``callback(stream, 0, arg)`` after the work given to a stream so far."""
    launchHostFunc(stream, lambda it: callback(stream, 0, it), arg)


def streamBeginCapture(stream: int, mode: int = streamCaptureModeRelaxed) -> None:
    """Work given to the stream is recorded from now on."""
    _cuda.run_pending_work()
    _stream(stream).begin_capture(mode)


def streamEndCapture(stream: int) -> int:
    """The graph of what was recorded."""
    _cuda.run_pending_work()
    made = _stream(stream).end_capture()
    _graphs[made.graph] = (made, _captured.pop(stream, []))
    return int(made.graph)


def graphInstantiate(graph: int) -> int:
    """What of a graph of `streamEndCapture` can be launched."""
    made = _graphs[graph]
    _executables[made[0].graph_exec] = made
    return int(made[0].graph_exec)


def graphLaunch(graphExec: int, stream: int) -> None:
    """Launches a graph of `graphInstantiate` on a stream."""
    _cuda.run_pending_work()
    _executables[graphExec][0].launch(_stream(stream))


def graphUpload(graphExec: int, stream: int) -> None:
    """Brings a graph to the device ahead of its first launch."""
    _executables[graphExec][0].upload(_stream(stream))


def graphDestroy(graph: int) -> None:
    """Lets go of a graph."""
    del _graphs[graph]


def graphExecDestroy(graphExec: int) -> None:
    """Lets go of what `graphInstantiate` gave."""
    del _executables[graphExec]


def launchHostFunc(stream: int, callback: Callable[[Any], object], arg: object) -> None:
    """Calls ``callback(arg)`` after the work given to a stream so far."""
    _cuda.run_pending_work()
    kept = _stream(stream).launch_host_func(lambda: callback(arg))
    if kept is not None:
        _captured.setdefault(stream, []).append(kept)


# --- events ---


def eventCreate() -> int:
    """A new event."""
    return eventCreateWithFlags(eventDefault)


def eventCreateWithFlags(flags: int) -> int:
    """A new event."""
    made = _cuda.Event(get_device_id(), flags)
    _events[made.ptr] = made
    return int(made.ptr)


def eventDestroy(event: int) -> None:
    """Destroys an event of `eventCreate`."""
    del _events[event]


def eventRecord(event: int, stream: int) -> None:
    """Puts an event of `eventCreate` after the work given to a stream so far."""
    _cuda.run_pending_work()
    _events[event].record(_stream(stream))


def eventQuery(event: int) -> int:
    """0 when the work before an event is done, 600 when it is not."""
    return 0 if _events[event].done else 600


def eventSynchronize(event: int) -> None:
    """Waits for the work before an event."""
    _events[event].synchronize()


def eventElapsedTime(start: int, end: int) -> float:
    """Milliseconds between two events."""
    return float(_events[end].milliseconds_since(_events[start]))


# --- profilers ---


def profilerStart() -> None:
    """Profilers begin to record."""
    _cuda.profiler_start()


def profilerStop() -> None:
    """Profilers stop."""
    _cuda.profiler_stop()
