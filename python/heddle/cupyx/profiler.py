"""Timing of functions, and ranges that profilers show: CuPy's ``cupyx.profiler``."""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy

from heddle import _core, cuda
from heddle._typing import HostArray
from heddle.cuda import nvtx
from heddle.cuda.profiler import profile

__all__ = ["benchmark", "profile", "time_range"]


class PerfCaseResult:
    """What `benchmark` measured.

    Attributes
    ----------
    name : str
        What was called.
    cpu_times : numpy.ndarray
        Seconds that each call took, until it returned.
    gpu_times : numpy.ndarray
        Seconds until its work was done, one row for each device.
    """

    def __init__(self, name: str, times: HostArray) -> None:
        self.name, self._times = name, times
        self.cpu_times, self.gpu_times = times[0], times[1:]

    @staticmethod
    def _line(name: str, t: Any) -> str:
        text = f"    {name}: {t.mean() * 1e6:9.3f} us"
        if len(t) > 1:
            text += (
                f"   +/- {t.std() * 1e6:6.3f} (min: {t.min() * 1e6:9.3f} / "
                f"max: {t.max() * 1e6:9.3f}) us"
            )
        return text

    def to_str(self, show_gpu: bool = False) -> str:
        """The times as a line of text."""
        parts = [self._line("CPU", self.cpu_times)]
        if show_gpu:
            parts += [self._line(f"GPU-{i}", t) for i, t in enumerate(self.gpu_times)]
        return f"{self.name:<20s}:" + " ".join(parts)

    def __str__(self) -> str:
        return self.to_str(show_gpu=True)


def benchmark(
    func: Callable[..., Any],
    args: tuple[object, ...] = (),
    kwargs: dict[str, Any] | None = None,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = math.inf,
    devices: Iterable[int] | None = None,
) -> PerfCaseResult:
    """Calls a function many times, and measures each call until it returns and until it is done.

    Parameters
    ----------
    func : callable
        What to measure. Deferred work of the arrays that it gives belongs to it.
    args, kwargs
        Its arguments.
    n_repeat : int
        How often it is called, at most.
    name : str, optional
        Its name in the report.
    n_warmup : int
        How often it is called before that.
    max_duration : float
        Seconds after which no further call is made.
    devices : iterable of int, optional
        GPUs to wait for; the current one by default. Without a GPU the CPU is device 0.

    Examples
    --------
    >>> result = heddle.cupyx.profiler.benchmark(heddle.add, (1.0, 2.0), n_repeat=3)
    >>> result.cpu_times.shape, result.gpu_times.shape
    ((3,), (1, 3))
    """
    if not callable(func):
        raise ValueError("`func` should be a callable object.")
    if not isinstance(args, tuple):
        raise ValueError("`args` should be of tuple type.")
    named = {} if kwargs is None else kwargs
    if not isinstance(named, dict):
        raise ValueError("`kwargs` should be of dict type.")
    if not isinstance(n_repeat, int) or not isinstance(n_warmup, int):
        raise ValueError("`n_repeat` and `n_warmup` should be integers.")
    where = [cuda.Device(d) for d in ((cuda.get_device_id(),) if devices is None else devices)]

    def wait(made: object) -> None:
        with contextlib.suppress(TypeError):  # what is no array needs no evaluation
            from heddle._runtime.control import eval as evaluate

            evaluate(made)
        for device in where:
            device.synchronize()

    for _ in range(n_warmup):
        wait(func(*args, **named))
    rows: list[list[float]] = []
    begun = time.perf_counter()
    while len(rows) < n_repeat and time.perf_counter() - begun < max_duration:
        start = time.perf_counter()
        made = func(*args, **named)
        returned = time.perf_counter() - start
        wait(made)
        done = time.perf_counter() - start
        rows.append([returned, *(done for _ in where)])
        del made
    times = numpy.asarray(rows, dtype=numpy.float64).reshape(len(rows), 1 + len(where)).T
    return PerfCaseResult(str(name or getattr(func, "__name__", type(func).__name__)), times)


class time_range:
    """A range that NVIDIA's profilers show: a context manager, and a decorator.

    Parameters
    ----------
    message : str, optional
        The range's name; of a decorator the function's, by default.
    color_id : int, optional
        The number of a colour.
    argb_color : int, optional
        A colour as 0xAARRGGBB.
    sync : bool
        Whether the range begins and ends when the device has done its work.

    Examples
    --------
    >>> with heddle.cupyx.profiler.time_range("setup"):
    ...     x = heddle.ones(3)
    """

    def __init__(
        self,
        message: str | None = None,
        color_id: int | None = None,
        argb_color: int | None = None,
        sync: bool = False,
    ) -> None:
        if color_id is not None and argb_color is not None:
            raise ValueError("Only either color_id or argb_color can be specified")
        self.message, self.color_id, self.argb_color, self.sync = (
            message,
            -1 if color_id is None else color_id,
            argb_color,
            sync,
        )

    def __enter__(self) -> time_range:
        if self.message is None:
            raise ValueError("when used as a context manager, the message argument cannot be None")
        if self.sync:
            _core.synchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, self.color_id)
        return self

    def __exit__(self, *error: object) -> None:
        if self.sync:
            _core.synchronize()
        nvtx.RangePop()

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def inner(*args: object, **kwargs: object) -> Any:
            message = self.message or func.__name__
            colour = None if self.argb_color is not None else self.color_id
            with type(self)(message, colour, self.argb_color, self.sync):
                return func(*args, **kwargs)

        return inner
