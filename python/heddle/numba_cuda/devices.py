"""Devices, contexts, streams and events by Numba's names."""

from __future__ import annotations

import contextlib
import functools
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any, Literal, ParamSpec, Self, TypeVar

import heddle as hd
from heddle import _core
from heddle.cuda.stream import BaseStream

_P = ParamSpec("_P")
_R = TypeVar("_R")

MemoryInfo = namedtuple("MemoryInfo", ("free", "total"))


class CudaSupportError(RuntimeError):
    """There is no GPU."""


class KernelRuntimeError(RuntimeError):
    """A kernel has failed."""


class _AutoSynchronized(BaseStream):
    """What Numba's streams have beyond CuPy's."""

    @contextlib.contextmanager
    def auto_synchronize(self) -> Iterator[Self]:
        """Waits for the stream at the end."""
        with self:
            yield self
        self.synchronize()


class Stream(_AutoSynchronized, hd.cuda.Stream):
    """A stream: work that is given to it is done in order.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> stream = cuda.stream()
    >>> with stream.auto_synchronize():
    ...     x = cuda.to_device(numpy.arange(3.0), stream=stream)
    >>> x.copy_to_host()
    array([0., 1., 2.])
    """


class ExternalStream(_AutoSynchronized, hd.cuda.ExternalStream):
    """A stream that somebody else has made."""


class Event(hd.cuda.Event):
    """A point in a stream, to be waited for, and to take times from.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> start, end = cuda.event(), cuda.event()
    >>> start.record()
    >>> end.record()
    >>> end.synchronize()
    >>> start.elapsed_time(end) >= 0
    True
    """

    def __init__(self, timing: bool = True) -> None:
        super().__init__(disable_timing=not timing)

    def record(self, stream: BaseStream | Literal[0] | None = None) -> None:
        """Puts it into a stream."""
        super().record(stream or None)

    def query(self) -> bool:
        """Whether it was reached."""
        return bool(self.done)

    def wait(self, stream: Stream | None = None) -> None:
        """Makes a stream wait for it."""
        (stream or hd.cuda.get_current_stream()).wait_event(self)

    def elapsed_time(self, evtend: Event) -> float:
        """Milliseconds from this one to another."""
        return hd.cuda.get_elapsed_time(self, evtend)


def stream() -> Stream:
    """A new stream.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> with cuda.stream().auto_synchronize():
    ...     pass
    """
    return Stream(non_blocking=True)


def default_stream() -> Stream:
    """The stream of those who say none.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> with cuda.default_stream().auto_synchronize() as stream:
    ...     stream == cuda.default_stream()
    True
    """
    return Stream(null=True)


legacy_default_stream = default_stream


def per_thread_default_stream() -> Stream:
    """The default stream of the thread.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> with cuda.per_thread_default_stream().auto_synchronize():
    ...     pass
    """
    return Stream(ptds=True)


def external_stream(ptr: int) -> ExternalStream:
    """A stream that somebody else has made."""
    return ExternalStream(ptr)


def event(timing: bool = True) -> Event:
    """A new event.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> start, end = cuda.event(), cuda.event()
    >>> start.record()
    >>> end.record()
    >>> end.synchronize()
    >>> cuda.event_elapsed_time(start, end) >= 0
    True
    """
    return Event(timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Milliseconds from one event to another.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> start, end = cuda.event(), cuda.event()
    >>> start.record()
    >>> end.record()
    >>> end.synchronize()
    >>> cuda.event_elapsed_time(start, end) >= 0
    True
    """
    return evtstart.elapsed_time(evtend)


class Device:
    """A device, with what CUDA says of it as attributes: ``MULTIPROCESSOR_COUNT``."""

    def __init__(self, number: int = 0) -> None:
        self._device, self.id = hd.cuda.Device(number), number

    @property
    def name(self) -> bytes:
        """Its name; bytes, as Numba has it."""
        return str(self._device.name).encode()

    @property
    def compute_capability(self) -> tuple[int, int]:
        """As (9, 0), which says what kernels may use, and is so on a CPU, too."""
        if not is_available():
            return 9, 0
        text = self._device.compute_capability
        return int(text[:-1]), int(text[-1])

    supports_float16 = supports_bfloat16 = True

    def reset(self) -> None:
        """Waits until all work is done; memory belongs to the arrays."""
        hd.synchronize()

    def __getattr__(self, name: str) -> int:
        if not name.isupper():
            raise AttributeError(name)
        wanted = name.replace("_", "").lower()
        for known, value in self._device.attributes.items():
            if known.lower() == wanted:
                return value
        raise AttributeError(name)

    def __enter__(self) -> Device:
        self._device.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._device.__exit__(*error)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} '{self._device.name}'>"


class _Devices:
    """All devices: ``cuda.gpus[0]``, ``cuda.gpus.current``. Without a GPU, the CPU is the one."""

    @property
    def lst(self) -> list[Device]:
        """All of them."""
        count = hd.cuda.runtime.getDeviceCount() if is_available() else 1
        return [Device(i) for i in range(count)]

    @property
    def current(self) -> Device:
        """The one that arrays are on."""
        return get_current_device()

    def __getitem__(self, number: int) -> Device:
        return self.lst[number]

    def __iter__(self) -> Iterator[Device]:
        return iter(self.lst)

    def __len__(self) -> int:
        return len(self.lst)

    def __repr__(self) -> str:
        return f"<Managed Device {self.lst}>"


gpus = _Devices()


def list_devices() -> _Devices:
    """All devices.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> len(cuda.list_devices()) > 0
    True
    """
    return gpus


class Context:
    """What work and memory of a device belong to: there is one for each."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def get_memory_info(self) -> MemoryInfo:
        """Bytes of the device: free, and in all."""
        return MemoryInfo(*self.device._device.mem_info)

    def synchronize(self) -> None:
        """Waits until all work is done."""
        hd.synchronize()

    def reset(self) -> None:
        """Waits until all work is done; memory belongs to the arrays."""
        hd.synchronize()

    def create_stream(self) -> Stream:
        """A new stream."""
        return stream()

    def create_external_stream(self, ptr: int) -> ExternalStream:
        """A stream that somebody else has made."""
        return external_stream(ptr)

    def create_event(self, timing: bool = True) -> Event:
        """A new event."""
        return event(timing)

    def get_active_blocks_per_multiprocessor(
        self, func: object, blocksize: int, memsize: int, flags: object = None
    ) -> int:
        """How many blocks of a kernel run on a multiprocessor at the same time."""
        return int(_overload(func)._program.residence(blocksize, memsize)[0])

    def get_max_potential_block_size(
        self,
        func: object,
        b2d_func: object,
        memsize: int,
        blocksizelimit: int,
        flags: object = None,
    ) -> tuple[int, int]:
        """How many blocks keep the device busy, and of how many threads."""
        from heddle.simt._inspection import suggested

        if b2d_func is not None:
            raise NotImplementedError(
                "b2d_func: shared memory that depends on the size of a block; give memsize"
            )
        grid, block = suggested(_overload(func)._program, memsize)
        if 0 < blocksizelimit < block:
            grid, block = grid * -(-block // blocksizelimit), blocksizelimit
        return grid, block


def _overload(func: object) -> Any:
    return next(iter(func.overloads.values())) if hasattr(func, "overloads") else func


def get_current_device() -> Device:
    """The device that arrays are on.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.get_current_device().id
    0
    """
    return Device(hd.cuda.get_device_id())


def select_device(device_id: int) -> Context:
    """Makes a device the one that new arrays are on.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.select_device(0).device.id
    0
    """
    device = Device(device_id)
    device._device.use()
    return Context(device)


def current_context(devnum: int | None = None) -> Context:
    """The context of a device.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.current_context().get_memory_info().total > 0
    True
    """
    return Context(get_current_device() if devnum is None else Device(devnum))


def require_context(fn: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that has a context: all have.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> @cuda.require_context
    ... def answer():
    ...     return 42
    >>> answer()
    42
    """

    @functools.wraps(fn)
    def called(*args: _P.args, **keywords: _P.kwargs) -> _R:
        return fn(*args, **keywords)

    return called


def close() -> None:
    """Waits until all work is done."""
    hd.synchronize()


def synchronize() -> None:
    """Waits until all work is done.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> x = cuda.to_device(numpy.ones(3))
    >>> cuda.synchronize()
    """
    hd.synchronize()


def is_available() -> bool:
    """Whether there is a GPU. Kernels run on the CPU where there is none.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> type(cuda.is_available())
    <class 'bool'>
    """
    return bool(hd.cuda.is_available())


def is_supported_version() -> bool:
    """Whether the CUDA that is there can be used: none is needed.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.is_supported_version()
    True
    """
    return True


def cuda_error() -> Exception | None:
    """What keeps CUDA from being used: the error, or None.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.cuda_error() is None or not cuda.is_available()
    True
    """
    return None if is_available() else CudaSupportError("there is no GPU; kernels run on the CPU")


def detect() -> bool:
    """Prints what devices there are; whether a GPU is among them."""
    for name in _core.devices():
        print(name)
    return is_available()


def is_float16_supported() -> bool:
    """Whether kernels have float16: on every device.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.is_float16_supported()
    True
    """
    return True


def is_bfloat16_supported() -> bool:
    """Whether kernels have bfloat16: on every device.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.is_bfloat16_supported()
    True
    """
    return True


def is_fp8_supported() -> bool:
    """Whether kernels have floats of 8 bits: on no device.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> cuda.is_fp8_supported()
    False
    """
    return False


def profile_start() -> None:
    """NVIDIA's profilers begin to look here."""
    hd.cuda.profiler.start()


def profile_stop() -> None:
    """NVIDIA's profilers do not look any more."""
    hd.cuda.profiler.stop()


@contextlib.contextmanager
def profiling() -> Iterator[None]:
    """NVIDIA's profilers look at what is inside."""
    profile_start()
    try:
        yield
    finally:
        profile_stop()
