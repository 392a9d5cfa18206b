"""Streams, events and graphs.

Work that is deferred runs where a stream begins or ends to be current, is waited for, or has an
event recorded: on the stream that was current when it was written.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from heddle._core import check_may_look
from heddle.cuda import _driver as _cuda
from heddle.cuda.device import get_device_id

CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED = 0, 1, 2
NON_BLOCKING = 1  # flag of a stream
BLOCKING_SYNC, DISABLE_TIMING, INTERPROCESS = 1, 2, 4  # flags of an event


class _State(threading.local):
    def __init__(self) -> None:
        self.current: dict[int, BaseStream] = {}  # by device


_state = _State()


class BaseStream:
    """What streams have in common."""

    _before: list[tuple[int, BaseStream]]  # devices, and what was current there
    _callbacks: list[Any]  # of a capture under way

    def _set_up(self) -> None:
        self._before = []
        self._callbacks = []

    @property
    def _core(self) -> Any:
        raise NotImplementedError

    @property
    def ptr(self) -> int:
        """CUDA's handle."""
        return int(self._core.ptr)

    @property
    def device_id(self) -> int:
        """The number of its device; -1 for the default streams, which every device has."""
        return int(self._core.device_id)

    @property
    def priority(self) -> int:
        """Lower numbers go first."""
        return int(self._core.priority)

    @property
    def is_non_blocking(self) -> bool:
        """Whether it does not wait for the default stream."""
        return bool(self._core.flags & NON_BLOCKING)

    @property
    def done(self) -> bool:
        """Whether all work given to it is done."""
        _cuda.run_pending_work()
        return bool(self._core.done)

    def synchronize(self) -> None:
        """Waits for the work given to it."""
        check_may_look()
        _cuda.run_pending_work()
        self._core.synchronize()

    def record(self, event: Event | None = None) -> Event:
        """Records an event, a new one by default, after the work given so far."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Work given from now on waits for the event."""
        _cuda.run_pending_work()
        self._core.wait_event(event.ptr)

    def launch_host_func(self, callback: Callable[[Any], object], arg: object) -> None:
        """Calls ``callback(arg)`` in a thread of CUDA's after the work given so far.

        The function must not use the GPU.
        """
        _cuda.run_pending_work()
        kept = self._core.launch_host_func(lambda: callback(arg))
        if kept is not None:
            self._callbacks.append(kept)

    def add_callback(self, callback: Callable[[Any, int, Any], object], arg: object) -> None:
        """Calls ``callback(stream, 0, arg)`` like `launch_host_func`."""
        self.launch_host_func(lambda it: callback(self, 0, it), arg)

    # --- capture ---

    def begin_capture(self, mode: int | None = None) -> None:
        """Work given from now on is recorded into a graph instead of being run.

        The stream has to be current, and must not be the default stream.
        """
        _cuda.run_pending_work()
        self._core.begin_capture(CAPTURE_RELAXED if mode is None else mode)

    def end_capture(self) -> Graph:
        """The graph of what was recorded."""
        _cuda.run_pending_work()
        callbacks, self._callbacks = self._callbacks, []
        return Graph(self._core.end_capture(), callbacks)

    def is_capturing(self) -> bool:
        """Whether work is being recorded."""
        return bool(self._core.capturing)

    # --- the current stream ---

    def _core_on(self, device: int) -> Any:
        """The core's object for a device, which matters to the default streams alone."""
        return self._core

    def _use_on(self, device: int) -> None:
        _cuda.exchange_stream(self._core_on(device))
        _state.current[device] = self

    def use(self) -> BaseStream:
        """Makes it the current stream of this thread."""
        self._use_on(self._core.device_id)
        return self

    def __enter__(self) -> BaseStream:
        device = self._core.device_id
        self._before.append((device, get_current_stream(device)))
        return self.use()

    def __exit__(self, *error: object) -> None:
        device, before = self._before.pop()
        before._use_on(device)

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol's version, and the handle."""
        return (0, self.ptr)

    def __eq__(self, other: object) -> bool:
        return self.ptr == other.ptr if isinstance(other, BaseStream) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.ptr)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.ptr} (device {self.device_id})>"


class Stream(BaseStream):
    """A queue of work on a GPU. In a ``with`` block, work goes there.

    Without a GPU the CPU does the work, in the order of the program.

    Parameters
    ----------
    null : bool
        The default stream, which waits for blocking streams and they for it.
    non_blocking : bool
        Does not wait for the default stream.
    ptds : bool
        The default stream of the calling thread.
    priority : int, optional
        Lower numbers go first.

    Examples
    --------
    >>> import heddle as np
    >>> with np.cuda.Stream(non_blocking=True) as stream:
    ...     x = np.ones(4) * 2
    >>> stream.synchronize()
    >>> float(x.sum())
    8.0
    """

    null: Stream
    ptds: Stream

    def __init__(
        self,
        null: bool = False,
        non_blocking: bool = False,
        ptds: bool = False,
        priority: int | None = None,
    ) -> None:
        self._set_up()
        # Which one, by the name of its function: a module that is imported opens no driver.
        self._default = "null_stream" if null else "per_thread_stream" if ptds else None
        self._own = (
            _cuda.create_stream(get_device_id(), non_blocking, priority or 0)
            if self._default is None
            else None
        )

    @property
    def _core(self) -> Any:
        return self._core_on(-1)

    def _core_on(self, device: int) -> Any:
        if self._default is None:
            return self._own
        return getattr(_cuda, self._default)(get_device_id() if device < 0 else device)

    @property
    def ptr(self) -> int:
        """CUDA's handle."""
        if self._own is not None:
            return int(self._own.ptr)
        return 0 if self._default == "null_stream" else 2

    @property
    def device_id(self) -> int:
        """The number of its device; -1 for the default streams, which every device has."""
        return -1 if self._own is None else self._own.device_id

    @staticmethod
    def from_external(obj: Any) -> ExternalStream:
        """The stream of an object with ``__cuda_stream__``."""
        try:
            version, handle = obj.__cuda_stream__()
        except AttributeError:
            raise TypeError(f"{type(obj).__name__} has no __cuda_stream__") from None
        if version != 0:
            raise ValueError(f"unknown version {version} of __cuda_stream__")
        return ExternalStream(handle)

    def __del__(self) -> None:
        if getattr(self, "_own", None) is not None:
            self._own.destroy()  # type: ignore[union-attr]


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


class ExternalStream(BaseStream):
    """A stream of another library, which keeps it alive while it is used here.

    Parameters
    ----------
    ptr : int
        CUDA's handle.
    device_id : int
        The number of its device; the current one by default.

    Examples
    --------
    >>> from heddle import cuda
    >>> mine = cuda.Stream()
    >>> cuda.ExternalStream(mine.ptr).ptr == mine.ptr
    True
    """

    def __init__(self, ptr: int, device_id: int = -1) -> None:
        self._set_up()
        device = get_device_id() if device_id < 0 else device_id
        self._stream = _cuda.external_stream(device, ptr)

    @property
    def _core(self) -> Any:
        return self._stream


def get_current_stream(device_id: int = -1) -> BaseStream:
    """The current stream of this thread, for the current device unless another is given.

    Examples
    --------
    >>> from heddle import cuda
    >>> with cuda.Stream() as stream:
    ...     print(cuda.get_current_stream() == stream)
    True
    """
    device = get_device_id() if device_id < 0 else device_id
    return _state.current.get(device, Stream.null)


def current_core_stream(stream: BaseStream | None = None) -> Any:
    """The core's object for a stream, the current one by default."""
    return (get_current_stream() if stream is None else stream)._core


class Event:
    """A mark in a stream.

    Parameters
    ----------
    block : bool
        Whether waiting for it lets the processor do something else meanwhile.
    disable_timing : bool
        Whether it knows no time.
    interprocess : bool
        Whether other processes may wait for it; needs `disable_timing`.

    Examples
    --------
    >>> from heddle import cuda
    >>> event = cuda.Event()
    >>> event.record()
    >>> event.synchronize()
    >>> event.done
    True
    """

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ) -> None:
        if interprocess and not disable_timing:
            raise ValueError("Timing must be disabled for interprocess events")
        flags = (
            (BLOCKING_SYNC if block else 0)
            | (DISABLE_TIMING if disable_timing else 0)
            | (INTERPROCESS if interprocess else 0)
        )
        self._event = _cuda.Event(get_device_id(), flags)

    @property
    def ptr(self) -> int:
        """CUDA's handle."""
        return int(self._event.ptr)

    @property
    def done(self) -> bool:
        """Whether the work before it is done."""
        return bool(self._event.done)

    def record(self, stream: BaseStream | None = None) -> None:
        """Puts the mark after the work given to the stream so far, the current one by default."""
        _cuda.run_pending_work()
        self._event.record(current_core_stream(stream))

    def synchronize(self) -> None:
        """Waits for the work before it."""
        check_may_look()
        self._event.synchronize()

    def elapsed(self, end: Event) -> float:
        """Milliseconds from this event to `end`."""
        return float(end._event.milliseconds_since(self._event))


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two events that are done.

    Examples
    --------
    >>> import heddle as np
    >>> start, end = np.cuda.Event(), np.cuda.Event()
    >>> start.record()
    >>> x = np.ones(1000).sum()
    >>> end.record()
    >>> end.synchronize()
    >>> np.cuda.get_elapsed_time(start, end) >= 0
    True
    """
    return start_event.elapsed(end_event)


class Graph:
    """Work that was captured from a stream, to be launched as often as needed.

    It reads and writes the same memory each time; the arrays that were used are kept.

    Examples
    --------
    >>> import heddle as np
    >>> x, y = np.ones(4, device="cuda"), np.zeros(4, device="cuda")
    >>> with np.cuda.Stream(non_blocking=True) as stream:
    ...     stream.begin_capture()
    ...     y += x
    ...     graph = stream.end_capture()
    ...     for _ in range(3):
    ...         graph.launch()
    >>> stream.synchronize()
    >>> float(y[0])
    3.0
    """

    def __init__(self, graph: Any, callbacks: list[object]) -> None:
        self._graph = graph
        self.host_funcargs = callbacks

    @property
    def graph(self) -> int:
        """CUDA's handle of the graph."""
        return int(self._graph.graph)

    @property
    def graphExec(self) -> int:
        """CUDA's handle of what is launched."""
        return int(self._graph.graph_exec)

    def launch(self, stream: BaseStream | None = None) -> None:
        """Runs the graph on a stream, the current one by default."""
        _cuda.run_pending_work()
        self._graph.launch(current_core_stream(stream))

    def upload(self, stream: BaseStream | None = None) -> None:
        """Brings the graph to the device ahead of the first launch."""
        self._graph.upload(current_core_stream(stream))

    def debug_dot_str(self, flags: int | None = None) -> str:
        """The graph in the language of Graphviz."""
        return str(self._graph.dot(1 if flags is None else flags))
