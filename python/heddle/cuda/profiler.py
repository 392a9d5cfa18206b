"""What profilers are to record."""

import contextlib
from collections.abc import Iterator
from typing import Any

from heddle.cuda import _driver

_cuda: Any = _driver


def start() -> None:
    """Profilers that were told to wait begin to record.

    Examples
    --------
    >>> from heddle.cuda import profiler
    >>> profiler.start()
    >>> profiler.stop()
    """
    _cuda.profiler_start()


def stop() -> None:
    """They stop.

    Examples
    --------
    >>> from heddle.cuda import profiler
    >>> profiler.start()
    >>> profiler.stop()
    """
    _cuda.profiler_stop()


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Profilers that were told to wait record what happens in the ``with`` block.

    Examples
    --------
    >>> import heddle as np
    >>> with np.cuda.profile():
    ...     total = float(np.ones(3).sum())
    >>> total
    3.0
    """
    start()
    try:
        yield
    finally:
        stop()
