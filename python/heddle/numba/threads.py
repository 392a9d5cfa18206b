"""On how many threads loops run: Numba's ``set_num_threads`` and its kin."""

from heddle import _core


def set_num_threads(n: int) -> None:
    """Loops under `prange` that this thread begins run on so many threads, of all that there are.

    Examples
    --------
    >>> from heddle.numba import get_num_threads, set_num_threads
    >>> before = get_num_threads()
    >>> set_num_threads(1)
    >>> get_num_threads()
    1
    >>> set_num_threads(before)
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError("The number of threads specified must be an integer")
    _core.set_loop_threads(int(n))


def get_num_threads() -> int:
    """On how many threads loops that this thread begins run.

    Examples
    --------
    >>> from heddle.numba import get_num_threads
    >>> get_num_threads() >= 1
    True
    """
    return _core.loop_threads()


def threading_layer() -> str:
    """What loops run on.

    Examples
    --------
    >>> from heddle.numba import threading_layer
    >>> threading_layer()
    'tbb'
    """
    return "tbb"
