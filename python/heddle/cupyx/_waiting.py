"""CuPy's way to find out where a program waits for a device."""

import contextlib
from collections.abc import Iterator

from heddle import _core


class DeviceSynchronized(RuntimeError):
    """Somebody waited for elements, or for a device, where `allow_synchronize` does not let them.

    Examples
    --------
    >>> issubclass(heddle.cupyx.DeviceSynchronized, RuntimeError)
    True
    """

    def __init__(
        self, message: str = "Device synchronization was detected while disallowed."
    ) -> None:
        super().__init__(message)


@contextlib.contextmanager
def allow_synchronize(allow: bool) -> Iterator[None]:
    """Whether this thread may wait for elements, or for a device, inside of the block.

    Where it may not, `get`, ``float(x)``, printing and everything else that looks at elements
    raise `DeviceSynchronized`, as do streams, events and devices that are waited for. On a CPU
    these are the same places, and single elements, which are read from memory at once.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(3)
    >>> with np.cupyx.allow_synchronize(False):
    ...     y = (x * 2).sum()
    >>> print(y)
    6
    """
    before = _core.exchange_may_look(bool(allow))
    try:
        yield
    finally:
        _core.exchange_may_look(before)
