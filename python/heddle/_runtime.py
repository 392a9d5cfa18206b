"""The machinery, as far as a user sees it: evaluation, statistics, devices, memory."""

import contextlib
import sys
from typing import Any

from numpy import errstate, geterr, geterrcall, seterr, seterrcall

from heddle import _core
from heddle._core import MemoryPool, default_device, devices, reset_stats, stats, synchronize

__version__ = _core.version()


def _arrays(args: Any) -> list[_core.ndarray]:
    """The arrays among the arguments, which may be nested in lists, tuples and dicts."""
    found: list[_core.ndarray] = []
    pending = list(reversed(args))
    while pending:
        item = pending.pop()
        if isinstance(item, _core.ndarray):
            found.append(item)
        elif isinstance(item, list | tuple):
            pending.extend(reversed(item))
        elif isinstance(item, dict):
            pending.extend(reversed(list(item.values())))
        else:
            raise TypeError(f"expected heddle arrays, not {type(item).__name__}")
    return found


def eval(*arrays: Any) -> None:
    """Computes the arrays (also in lists, tuples and dicts) together, sharing common work."""
    _core.eval(*_arrays(arrays))


def explain(*arrays: Any) -> str:
    """Which kernels evaluation would run, what was fused into them, and why fusion stopped."""
    return _core.explain(*_arrays(arrays))


class device(contextlib.ContextDecorator):
    """The device on which arrays are created in a ``with`` block.

    Examples
    --------
    >>> with heddle.device("cpu"):
    ...     a = heddle.ones(3)
    """

    def __init__(self, name: str) -> None:
        if name not in devices():
            raise ValueError(f"unknown device {name!r}; devices: {', '.join(devices())}")
        self.name = name

    def __enter__(self) -> "device":
        _core.push_device(self.name)
        return self

    def __exit__(self, *error: object) -> None:
        _core.pop_device()

    def __repr__(self) -> str:
        return f"device({self.name!r})"

    def __str__(self) -> str:
        return self.name


def set_default_device(device: Any) -> None:
    """Sets the device on which arrays are created outside of ``with heddle.device(...)``."""
    _core.set_default_device(str(device))


def get_default_memory_pool() -> MemoryPool:
    """The memory pool of the default device."""
    return _core.pool(default_device())


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Prints versions and devices, or returns them with ``mode="dicts"``."""
    if mode not in ("stdout", "dicts"):
        raise ValueError("show_config: mode must be one of 'stdout', 'dicts'")
    import numpy

    config = {
        "heddle": __version__,
        "numpy": numpy.__version__,
        "python": sys.version.split()[0],
        "devices": devices(),
        "default device": default_device(),
    }
    if mode == "dicts":
        return config
    for key, value in config.items():
        print(f"{key}: {value}")
    return None


__all__ = [
    "default_device",
    "device",
    "devices",
    "errstate",  # NumPy's: heddle itself gives no floating-point warnings
    "eval",
    "explain",
    "get_default_memory_pool",
    "geterr",
    "geterrcall",
    "reset_stats",
    "set_default_device",
    "seterr",
    "seterrcall",
    "show_config",
    "stats",
    "synchronize",
]
