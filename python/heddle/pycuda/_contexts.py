"""Devices, contexts, streams and events."""

from __future__ import annotations

import threading
from typing import Any

from heddle import _core
from heddle.cuda import runtime
from heddle.cuda.bindings import checked
from heddle.cuda.device import Device as CudaDevice
from heddle.cuda.stream import BLOCKING_SYNC, DISABLE_TIMING, INTERPROCESS
from heddle.cuda.stream import Event as CudaEvent
from heddle.cuda.stream import Stream as CudaStream
from heddle.pycuda._enumerations import device_attribute
from heddle.pycuda._errors import LogicError, translating


def init(flags: int = 0) -> None:
    """Nothing has to be done first; flags are 0.

    >>> from heddle.pycuda import driver as cuda
    >>> cuda.init()
    >>> cuda.Device.count() >= 1
    True
    """
    if flags != 0:
        raise LogicError("init: the flags have to be 0")


def get_version() -> tuple[int, int, int]:
    """The version of CUDA that the names are of.

    >>> from heddle.pycuda import driver as cuda
    >>> cuda.get_version()[0] >= 12
    True
    """
    version = checked.CUDA_VERSION
    return version // 1000, version % 1000 // 10, version % 10


@translating
def get_driver_version() -> int:
    """The version of CUDA that the driver knows, as 13000; 0 without a driver."""
    return runtime.driverGetVersion() if _core.cuda.is_available() else 0


class Device:
    """A GPU, by its number or its place on the PCI bus; without one, the CPU is number 0.

    Examples
    --------
    >>> from heddle.pycuda import driver as cuda
    >>> device = cuda.Device(0)
    >>> device.name() != ""
    True
    """

    def __init__(self, number: int | str) -> None:
        try:
            by_bus = isinstance(number, str)
            found = CudaDevice.from_pci_bus_id(number) if by_bus else CudaDevice(number)  # type: ignore[arg-type]
        except _core.cuda.CUDARuntimeError as error:
            raise LogicError(f"invalid device ordinal: {error}") from error
        self._device = found

    @staticmethod
    def count() -> int:
        """How many there are."""
        return _core.cuda.device_count() if _core.cuda.is_available() else 1

    def name(self) -> str:
        """What NVIDIA calls it."""
        return self._device.name

    @translating
    def pci_bus_id(self) -> str:
        """Where it is on the PCI bus."""
        return self._device.pci_bus_id

    @translating
    def compute_capability(self) -> tuple[int, int]:
        """As (9, 0)."""
        major, minor = _core.cuda.compute_capability(self._device.id)
        return major, minor

    def total_memory(self) -> int:
        """The bytes of its memory."""
        return self._device.mem_info[1]

    @translating
    def get_attribute(self, attr: int) -> int:
        """An attribute, of `device_attribute`."""
        try:
            return runtime.deviceGetAttribute(int(attr), self._device.id)
        except ValueError as error:
            raise LogicError(str(error)) from error

    def get_attributes(self) -> dict[Any, int]:
        """All attributes that the driver knows."""
        found = {}
        for attribute in device_attribute:
            try:
                found[attribute] = self.get_attribute(attribute)
            except LogicError:
                continue
        return found

    def __getattr__(self, name: str) -> int:
        attribute = getattr(device_attribute, name.upper(), None) if name.islower() else None
        if attribute is None:
            raise AttributeError(f"Device has no attribute {name!r}")
        return self.get_attribute(attribute)

    @translating
    def make_context(self, flags: int = 0) -> Context:
        """The device's context, which is current from now on; flags are of `ctx_flags`."""
        if flags and _core.cuda.is_available():
            checked.cuDevicePrimaryCtxSetFlags(checked.cuDeviceGet(self._device.id), flags)
        context = Context(self)
        context.push()
        return context

    def retain_primary_context(self) -> Context:
        """The device's context."""
        return Context(self)

    @translating
    def can_access_peer(self, dev: Device) -> bool:
        """Whether it can use another's memory."""
        return bool(runtime.deviceCanAccessPeer(self._device.id, dev._device.id))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._device == other._device

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"<Device {self._device.id}: {self.name()}>"


class _Stack(threading.local):
    def __init__(self) -> None:
        self.contexts: list[tuple[Context, CudaDevice]] = []  # each with what was current before


_stack = _Stack()


def _use(device: CudaDevice) -> None:
    """Arrays are made there from now on; without a GPU they are made where they were."""
    if _core.cuda.is_available():
        device.use()


class Context:
    """The primary context of a device; the one on top of a thread's stack is current."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def push(self) -> None:
        """Make it current."""
        _stack.contexts.append((self, CudaDevice()))
        _use(self._device._device)

    @staticmethod
    def pop() -> None:
        """Make the one before it current."""
        if not _stack.contexts:
            raise LogicError("pop: no context was pushed")
        _, before = _stack.contexts.pop()
        _use(before)

    def detach(self) -> None:
        """Let go of it; the context lives as long as arrays may use it."""
        if _stack.contexts and _stack.contexts[-1][0] is self:
            Context.pop()

    @staticmethod
    def get_current() -> Context:
        """The one that is current."""
        return _stack.contexts[-1][0] if _stack.contexts else Context(Context.get_device())

    @staticmethod
    def get_device() -> Device:
        """The device that is current."""
        return Device(CudaDevice().id)

    @staticmethod
    @translating
    def synchronize() -> None:
        """Wait for all work on the current device."""
        CudaDevice().synchronize()

    @staticmethod
    @translating
    def set_limit(limit: int, value: int) -> None:
        """Set a limit, of `limit`."""
        runtime.deviceSetLimit(int(limit), value)

    @staticmethod
    @translating
    def get_limit(limit: int) -> int:
        """A limit, of `limit`."""
        return runtime.deviceGetLimit(int(limit))

    @staticmethod
    @translating
    def set_cache_config(cc: int) -> None:
        """How L1 is shared between cache and shared memory, of `func_cache`."""
        checked.cuCtxSetCacheConfig(cc)

    @staticmethod
    @translating
    def get_cache_config() -> int:
        """What `set_cache_config` set."""
        return checked.cuCtxGetCacheConfig()  # type: ignore[no-any-return]

    @staticmethod
    @translating
    def set_shared_config(sc: int) -> None:
        """How wide banks of shared memory are, of `shared_config`."""
        checked.cuCtxSetSharedMemConfig(sc)

    @staticmethod
    @translating
    def get_shared_config() -> int:
        """What `set_shared_config` set."""
        return checked.cuCtxGetSharedMemConfig()  # type: ignore[no-any-return]

    @translating
    def get_api_version(self) -> int:
        """The version of the driver's interface."""
        return checked.cuCtxGetApiVersion(self.handle)  # type: ignore[no-any-return]

    @property
    @translating
    def handle(self) -> int:
        """CUDA's handle."""
        with self._device._device:
            return int(checked.cuCtxGetCurrent())

    @translating
    def enable_peer_access(self, peer: Context, flags: int = 0) -> None:
        """Let the current device use the memory of another context's; flags are 0."""
        if flags != 0:
            raise LogicError("enable_peer_access: the flags have to be 0")
        runtime.deviceEnablePeerAccess(peer._device._device.id)

    @translating
    def disable_peer_access(self, peer: Context) -> None:
        """End that."""
        runtime.deviceDisablePeerAccess(peer._device._device.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)


class Stream(CudaStream):
    """A queue of work; `flags` are 1 for one that does not wait for the default stream.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> stream = cuda.Stream()
    >>> x = cuda.mem_alloc(16)
    >>> cuda.memset_d32_async(x, 7, 4, stream)
    >>> stream.synchronize()
    >>> cuda.from_device(x, 4, numpy.int32)
    array([7, 7, 7, 7], dtype=int32)
    """

    @translating
    def __init__(self, flags: int = 0) -> None:
        super().__init__(non_blocking=bool(flags & 1))

    @property
    def handle(self) -> int:
        """CUDA's handle."""
        return self.ptr

    @translating
    def synchronize(self) -> None:
        """Wait for the work given to it."""
        super().synchronize()

    def is_done(self) -> bool:
        """Whether the work given to it is done."""
        return self.done

    @translating
    def wait_for_event(self, event: CudaEvent) -> None:
        """Work given from now on waits for the event."""
        self.wait_event(event)


class Event(CudaEvent):
    """A mark in a stream; `flags` are of `event_flags`.

    Examples
    --------
    >>> from heddle.pycuda import driver as cuda
    >>> start, end = cuda.Event(), cuda.Event()
    >>> _ = start.record()
    >>> _ = end.record()
    >>> _ = end.synchronize()
    >>> start.time_till(end) >= 0
    True
    """

    @translating
    def __init__(self, flags: int = 0) -> None:
        super().__init__(
            bool(flags & BLOCKING_SYNC), bool(flags & DISABLE_TIMING), bool(flags & INTERPROCESS)
        )

    def record(self, stream: Stream | None = None) -> Event:  # type: ignore[override]
        """Put it after the work given to a stream so far."""
        super().record(stream)
        return self

    @translating
    def synchronize(self) -> Event:  # type: ignore[override]
        """Wait for the work before it."""
        super().synchronize()
        return self

    def query(self) -> bool:
        """Whether the work before it is done."""
        return self.done

    @translating
    def time_since(self, event: CudaEvent) -> float:
        """Milliseconds from another event to this one."""
        return event.elapsed(self)

    @translating
    def time_till(self, event: CudaEvent) -> float:
        """Milliseconds from this event to another one."""
        return self.elapsed(event)

    @translating
    def ipc_handle(self) -> bytes:
        """What another process makes an event of."""
        return checked.cuIpcGetEventHandle(self.ptr).reserved  # type: ignore[no-any-return]

    @staticmethod
    @translating
    def from_ipc_handle(handle: bytes) -> Event:
        """The event of another process; CUDA's handle for it, as `driver` functions take it."""
        given = checked.CUipcEventHandle()
        given.reserved = handle
        found: Event = checked.cuIpcOpenEventHandle(given)
        return found


@translating
def initialize_profiler(config_file: str, output_file: str, output_mode: int) -> None:
    """Tell the profiler of older drivers where to write."""
    checked.cuProfilerInitialize(config_file, output_file, output_mode)


@translating
def start_profiler() -> None:
    """Profilers begin to record."""
    runtime.profilerStart()


@translating
def stop_profiler() -> None:
    """Profilers stop."""
    runtime.profilerStop()
