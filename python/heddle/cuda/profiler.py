"""What profilers are to record."""

import contextlib
from collections.abc import Iterator

from heddle._core import cuda as _cuda


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Profilers that were told to wait record what happens in the ``with`` block."""
    _cuda.profiler_start()
    try:
        yield
    finally:
        _cuda.profiler_stop()
