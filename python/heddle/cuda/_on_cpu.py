"""What CUDA's names mean on a machine without a GPU: the CPU is device 0.

Work on the CPU is done when the call that runs it returns. So a stream is waited for by running
what is deferred, an event is a time, and memory of the device is memory of the host. What only GPUs
have (graphs, attributes, handles of libraries) is not here, and raises CUDARuntimeError.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import time
import weakref
from collections.abc import Callable
from typing import Any

from heddle import _core
from heddle.cuda._attributes import NUMBERS

__all__ = [
    "DevicePool",
    "Event",
    "PinnedPool",
    "Stream",
    "allocate",
    "attribute",
    "copy_from_host",
    "copy_from_host_async",
    "copy_on_device",
    "copy_to_host",
    "copy_to_host_async",
    "create_stream",
    "default_pool",
    "device_name",
    "exchange_stream",
    "external_stream",
    "fill",
    "free",
    "free_async",
    "free_host",
    "host_alloc",
    "host_register",
    "host_unregister",
    "malloc",
    "malloc_async",
    "malloc_managed",
    "mem_info",
    "null_stream",
    "per_thread_stream",
    "pinned_pool",
    "pointer_attributes",
    "profiler_start",
    "profiler_stop",
    "set_current_context",
    "synchronize_device",
    "total_memory",
]

_INVALID_HANDLE, _INVALID_DEVICE = 400, 101


def _refuse(text: str, status: int) -> Any:
    error = _core.cuda.CUDARuntimeError(text)
    error.status = status
    return error


def _needs_gpu() -> None:
    """Raises the error that says why no GPU can be used."""
    _core.cuda.driver_version()


# --- the device ---


def device_name(device: int) -> str:
    """The CPU's, for device 0."""
    if device != 0:
        text = f"there is no GPU number {device}: no GPU can be used, and the CPU is number 0"
        raise _refuse(text, _INVALID_DEVICE)
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return "CPU"


def total_memory(device: int) -> int:
    """Bytes of the machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def mem_info(device: int) -> tuple[int, int]:
    """Bytes of the machine's memory: free, and in all."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return free, total_memory(device)


def attribute(device: int, number: int) -> int | None:
    """The number of cores stands for that of multiprocessors; a CPU has none of the others."""
    if number == NUMBERS["MultiProcessorCount"]:
        return len(os.sched_getaffinity(0))
    return None


def set_current_context(device: int) -> None:
    """There is one context."""


def synchronize_device(device: int) -> None:
    """What is not deferred is done."""


def profiler_start() -> None:
    """No profiler of CUDA's sees what a CPU does."""


profiler_stop = profiler_start


# --- streams and events ---

_handles = itertools.count(16, 16)


class Stream:
    """A name for work that is done in the order of the program."""

    def __init__(self, ptr: int, flags: int = 0, priority: int = 0) -> None:
        self.ptr, self.flags, self.priority = ptr, flags, priority
        self.device_id, self.done, self.capturing = 0, True, False

    def synchronize(self) -> None:
        """What is not deferred is done."""

    def wait_event(self, event: int) -> None:
        """What an event stands after is done."""

    def launch_host_func(self, function: Callable[[], object]) -> None:
        """Calls it."""
        function()

    def begin_capture(self, mode: int) -> None:
        """Only GPUs have graphs."""
        _needs_gpu()

    def end_capture(self) -> Any:
        """Only GPUs have graphs."""
        _needs_gpu()

    def destroy(self) -> None:
        """Nothing is to be given back."""


_null, _per_thread = Stream(0), Stream(2)
_streams = weakref.WeakValueDictionary({0: _null, 1: _null, 2: _per_thread})


def create_stream(device: int, non_blocking: bool, priority: int) -> Stream:
    """A new one."""
    made = Stream(next(_handles), int(non_blocking), priority)
    _streams[made.ptr] = made
    return made


def null_stream(device: int) -> Stream:
    """The default stream."""
    return _null


def per_thread_stream(device: int) -> Stream:
    """The default stream of the calling thread."""
    return _per_thread


def external_stream(device: int, handle: int) -> Stream:
    """The one with this handle."""
    found = _streams.get(handle)
    if found is None:
        raise _refuse(f"there is no stream {handle}", _INVALID_HANDLE)
    return found


def exchange_stream(stream: Stream) -> None:
    """What is deferred runs before the current stream changes, as on a GPU."""
    _core.cuda.run_pending_work()


class Event:
    """A time."""

    _DISABLE_TIMING = 2

    def __init__(self, device: int, flags: int) -> None:
        self.ptr, self.device_id, self.done = next(_handles), 0, True
        self._timed = not flags & self._DISABLE_TIMING
        self._time: int | None = None

    def record(self, stream: Stream) -> None:
        """Sets the time."""
        self._time = time.perf_counter_ns()

    def synchronize(self) -> None:
        """The work before it is done."""

    def milliseconds_since(self, start: Event) -> float:
        """The time between two events that were recorded."""
        if self._time is None or start._time is None or not (self._timed and start._timed):
            raise _refuse("the time between events that have none", _INVALID_HANDLE)
        return (self._time - start._time) / 1e6


# --- memory ---

PinnedPool = _core.cuda.HostPool


def DevicePool(device: int, managed: bool) -> _core.cuda.HostPool:
    """A pool of the host's memory."""
    return _core.cuda.HostPool()


def default_pool(device: int) -> _core.MemoryPool:
    """The pool that arrays come from."""
    return _core.pool("cpu")


class _Block:
    """A block of a pool, which knows of no stream."""

    def __init__(self, pool: object, size: int) -> None:
        self._held = _core.cuda.allocate(pool, size)
        self.ptr = self._held.ptr

    def use_on(self, stream: Stream) -> None:
        """Nothing uses it when this is called."""


allocate = _Block
_pool = _core.cuda.HostPool()
_blocks: dict[int, Any] = {}  # by address


def pinned_pool() -> Any:
    """Every part of the host's memory serves."""
    return _pool


def malloc(device: int, size: int) -> int:
    """Memory of the host."""
    block = _core.cuda.allocate(_pool, size)
    _blocks[block.ptr] = block
    return int(block.ptr)


def malloc_managed(device: int, size: int, flags: int) -> int:
    """The same: host and device are one."""
    return malloc(device, size)


def malloc_async(stream: Stream, size: int) -> int:
    """The same."""
    return malloc(0, size)


def host_alloc(size: int, flags: int) -> int:
    """The same."""
    return malloc(0, size)


def free(ptr: int) -> None:
    """Gives memory of `malloc` back."""
    if ptr and _blocks.pop(ptr, None) is None:
        raise _refuse(f"free: there is no memory at {ptr:#x}", 1)


def free_async(stream: Stream, ptr: int) -> None:
    """The same."""
    free(ptr)


free_host = free


def host_register(ptr: int, size: int, flags: int) -> None:
    """Nobody needs the host's memory to be page-locked."""


def host_unregister(ptr: int) -> None:
    """The end of that."""


def pointer_attributes(ptr: int) -> tuple[int, int, int, int]:
    """Of memory that host and device both see, as managed memory is."""
    return 3, 0, ptr, ptr


def copy_on_device(stream: Stream, to: int, from_: int, size: int) -> None:
    """Copies."""
    ctypes.memmove(to, from_, size)


copy_from_host = copy_from_host_async = copy_to_host = copy_to_host_async = copy_on_device


def fill(stream: Stream, to: int, value: int, size: int) -> None:
    """Sets bytes."""
    ctypes.memset(to, value, size)
