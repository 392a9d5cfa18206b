"""What profilers are to record."""

import contextlib
from collections.abc import Iterator
from typing import Any

from heddle.cuda import _driver

_cuda: Any = _driver


def start() -> None:
    """Profilers that were told to wait begin to record."""
    _cuda.profiler_start()


def stop() -> None:
    """They stop."""
    _cuda.profiler_stop()


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Profilers that were told to wait record what happens in the ``with`` block."""
    start()
    try:
        yield
    finally:
        stop()
