"""Streams and events."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from heddle import _core
from heddle.cuda import stream as heddle_stream
from heddle.cuda.bindings import checked, driver
from heddle.cuda.device import Device as HeddleDevice
from heddle.cuda.device import get_device_id

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle
    from heddle.cuda.core._device import Context, Device, DeviceResources
    from heddle.cuda.core.graph import GraphBuilder


@dataclasses.dataclass
class StreamOptions:
    """How a stream is made: whether it waits for the default stream, and who goes first.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.StreamOptions(priority=0)
    StreamOptions(nonblocking=True, priority=0)
    """

    nonblocking: bool = True
    priority: int | None = None


@dataclasses.dataclass
class EventOptions:
    """How an event is made.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.EventOptions(timing_enabled=True).timing_enabled
    True
    """

    timing_enabled: bool = False
    blocking_sync: bool = False
    ipc_enabled: bool = False


@dataclasses.dataclass(frozen=True)
class IPCEventDescriptor:
    """What another process makes an event of."""

    reserved: bytes
    is_blocking_sync: bool


class Event:
    """A mark in a stream.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> device = core.Device(0)
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> timed = core.EventOptions(timing_enabled=True)
    >>> start, end = stream.record(options=timed), stream.record(options=timed)
    >>> end.sync()
    >>> end - start >= 0
    True
    """

    def __init__(self) -> None:
        raise RuntimeError("events are made by Stream.record and Device.create_event")

    _handle: Any
    _options: EventOptions
    _device: int
    _owns: bool

    @classmethod
    def _make(cls, device: int, options: EventOptions | None) -> Event:
        options = options or EventOptions()
        if options.ipc_enabled and options.timing_enabled:
            raise TypeError("events of several processes know no time")
        flags = 0 if options.timing_enabled else heddle_stream.DISABLE_TIMING
        flags |= heddle_stream.BLOCKING_SYNC if options.blocking_sync else 0
        flags |= heddle_stream.INTERPROCESS if options.ipc_enabled else 0
        with HeddleDevice(device):
            return cls._of(checked.cuEventCreate(flags), device, options)

    @classmethod
    def _of(cls, handle: object, device: int, options: EventOptions) -> Event:
        made = cls.__new__(cls)
        made._handle, made._options, made._device, made._owns = handle, options, device, True
        return made

    def close(self) -> None:
        """Let go of it."""
        if self._owns and int(self._handle):
            driver.cuEventDestroy(self._handle)
        self._handle = driver.CUevent(0)

    def __del__(self) -> None:
        if getattr(self, "_owns", False):
            self.close()

    def __sub__(self, other: Event) -> float:
        """Milliseconds from another event to this one."""
        if not (self.is_timing_enabled and other.is_timing_enabled):
            raise RuntimeError(
                "events without timing know no time: EventOptions(timing_enabled=True)"
            )
        return float(checked.cuEventElapsedTime(other._handle, self._handle))

    @property
    def ipc_descriptor(self) -> IPCEventDescriptor:
        """What another process makes the event of."""
        if not self.is_ipc_enabled:
            raise RuntimeError("the event is this process's: EventOptions(ipc_enabled=True)")
        found = checked.cuIpcGetEventHandle(self._handle).reserved
        return IPCEventDescriptor(found, self.is_blocking_sync)

    @classmethod
    def from_ipc_descriptor(cls, ipc_descriptor: IPCEventDescriptor) -> Event:
        """The event of another process."""
        given = checked.CUipcEventHandle()
        given.reserved = ipc_descriptor.reserved
        options = EventOptions(False, ipc_descriptor.is_blocking_sync, True)
        return cls._of(checked.cuIpcOpenEventHandle(given), get_device_id(), options)

    @property
    def is_ipc_enabled(self) -> bool:
        """Whether other processes may wait for it."""
        return self._options.ipc_enabled

    @property
    def is_timing_enabled(self) -> bool:
        """Whether it knows a time."""
        return self._options.timing_enabled

    @property
    def is_blocking_sync(self) -> bool:
        """Whether waiting for it lets the processor do something else."""
        return self._options.blocking_sync

    def sync(self) -> None:
        """Wait for the work before it."""
        checked.cuEventSynchronize(self._handle)

    @property
    def is_done(self) -> bool:
        """Whether the work before it is done."""
        error = driver.cuEventQuery(self._handle)[0]
        if error == driver.CUresult.CUDA_ERROR_NOT_READY:
            return False
        if error:
            checked.cuEventQuery(self._handle)
        return True

    @property
    def handle(self) -> Handle:
        """CUDA's handle."""
        found: Handle = self._handle
        return found

    @property
    def device(self) -> Device:
        """Its device."""
        from heddle.cuda.core._device import Device

        return Device(self._device)

    @property
    def context(self) -> Context:
        """Its context."""
        return self.device.context

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(self._handle)

    def __repr__(self) -> str:
        return f"<Event handle={int(self._handle):#x}>"


class Stream:
    """A queue of work on a GPU.

    It is one of Heddle's (`heddle.cuda.Stream`) or of somebody else's; arrays are computed there in
    ``with stream:``.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> device = core.Device(0)
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> stream.sync()
    """

    def __init__(self) -> None:
        raise RuntimeError("streams are made by Device.create_stream and Stream.from_handle")

    _stream: heddle_stream.BaseStream
    _owner: Any

    @classmethod
    def _of(cls, stream: heddle_stream.BaseStream, owner: object = None) -> Stream:
        made = cls.__new__(cls)
        made._stream, made._owner = stream, owner
        return made

    @classmethod
    def _make(cls, device: int, obj: object = None, options: StreamOptions | None = None) -> Stream:
        if obj is not None:
            if options is not None:
                raise ValueError("options are for streams that are made, not for those of others")
            return cls.from_handle(handle_of(obj), obj)
        options = options or StreamOptions()
        with HeddleDevice(device):
            least, greatest = _core.cuda.priority_range(device)
            if options.priority is not None and not greatest <= options.priority <= least:
                raise ValueError(f"priority={options.priority} is not in [{greatest}, {least}]")
            made = heddle_stream.Stream(non_blocking=options.nonblocking, priority=options.priority)
        return cls._of(made)

    @classmethod
    def from_handle(cls, handle: int, owner: object = None) -> Stream:
        """The stream of a handle, which `owner` keeps alive."""
        handle = int(handle)
        if handle in (0, 1):
            return cls._of(heddle_stream.Stream.null)
        if handle == 2:
            return cls._of(heddle_stream.Stream.ptds)
        return cls._of(heddle_stream.ExternalStream(handle), owner)

    @classmethod
    def legacy_default(cls) -> Stream:
        """The default stream, which waits for blocking streams and they for it."""
        return LEGACY_DEFAULT_STREAM

    @classmethod
    def per_thread_default(cls) -> Stream:
        """The default stream of each thread."""
        return PER_THREAD_DEFAULT_STREAM

    def close(self) -> None:
        """Let go of it; its work goes on."""
        self._stream = heddle_stream.Stream.null
        self._owner = None

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol's version, and the handle."""
        return (0, int(self.handle))

    @property
    def handle(self) -> Handle:
        """CUDA's handle."""
        found: Handle = driver.CUstream(self._stream.ptr)
        return found

    @property
    def is_nonblocking(self) -> bool:
        """Whether it does not wait for the default stream."""
        return self._stream.is_non_blocking

    @property
    def priority(self) -> int:
        """Lower numbers go first."""
        return self._stream.priority

    def sync(self) -> None:
        """Wait for the work given to it."""
        self._stream.synchronize()

    def record(self, event: Event | None = None, options: EventOptions | None = None) -> Event:
        """Put an event, a new one by default, after the work given so far."""
        if event is None:
            event = Event._make(self._device_id, options)
        _core.cuda.run_pending_work()
        checked.cuEventRecord(event.handle, self.handle)
        return event

    def wait(self, event_or_stream: object) -> None:
        """Work given from now on waits for an event, or for the work of another stream."""
        _core.cuda.run_pending_work()
        if isinstance(event_or_stream, Event):
            checked.cuStreamWaitEvent(self.handle, event_or_stream.handle, 0)
            return
        other = Stream.from_handle(handle_of(event_or_stream))
        event = other.record()
        checked.cuStreamWaitEvent(self.handle, event.handle, 0)

    @property
    def _device_id(self) -> int:
        device = self._stream.device_id
        return get_device_id() if device < 0 else device

    @property
    def device(self) -> Device:
        """Its device."""
        from heddle.cuda.core._device import Device

        return Device(self._device_id)

    @property
    def context(self) -> Context:
        """Its context."""
        from heddle.cuda.core._device import Context

        return Context._of(checked.cuStreamGetCtx(self.handle), self._device_id)

    @property
    def resources(self) -> DeviceResources:
        """What of the device its context has."""
        return self.context.resources

    def create_graph_builder(self) -> GraphBuilder:
        """What records work given to it into a graph."""
        from heddle.cuda.core.graph import GraphBuilder

        return GraphBuilder._on(self)

    def __enter__(self) -> Stream:
        self._stream.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.__exit__(*error)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.handle == other.handle

    def __hash__(self) -> int:
        return hash(int(self.handle))

    def __repr__(self) -> str:
        return f"<Stream handle={int(self.handle):#x}>"


LEGACY_DEFAULT_STREAM = Stream._of(heddle_stream.Stream.null)
PER_THREAD_DEFAULT_STREAM = Stream._of(heddle_stream.Stream.ptds)


def handle_of(stream: Any) -> int:
    """The handle of anything with a stream."""
    if isinstance(stream, int):
        return stream
    try:
        version, handle = stream.__cuda_stream__()
    except AttributeError:
        raise TypeError(f"{type(stream).__name__} has no __cuda_stream__") from None
    if version != 0:
        raise ValueError(f"unknown version {version} of __cuda_stream__")
    return int(handle)


def default_stream() -> Stream:
    """The default stream: of each thread, where the environment says so."""
    import os

    each = os.environ.get("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM", "0")
    return PER_THREAD_DEFAULT_STREAM if each not in ("", "0") else LEGACY_DEFAULT_STREAM
