"""Ranges and marks that NVIDIA's profilers show. Without a profiler, or without NVTX's library,
they do nothing."""

import ctypes
import functools
import os
from typing import Any

from heddle._core import cuda as _cuda

_NAMES = ("libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1")
_COLORS = (0xFF1B9E77, 0xFFD95F02, 0xFF7570B3, 0xFFE7298A, 0xFF66A61E, 0xFFE6AB02, 0xFFA6761D)


class _Attributes(ctypes.Structure):
    """nvtxEventAttributes_t, with a colour and a text."""

    _fields_ = (
        ("version", ctypes.c_uint16),
        ("size", ctypes.c_uint16),
        ("category", ctypes.c_uint32),
        ("color_type", ctypes.c_int32),
        ("color", ctypes.c_uint32),
        ("payload_type", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("payload", ctypes.c_uint64),
        ("message_type", ctypes.c_int32),
        ("message", ctypes.c_char_p),
    )


@functools.cache
def _library() -> ctypes.CDLL | None:
    """NVTX, or None."""
    if not _cuda.is_available():
        return None
    folders = [os.path.join(root, "lib") for root in _cuda.toolkit_folders()]
    folders += [os.path.join(root, "lib64") for root in _cuda.toolkit_folders()]
    for name in _NAMES:
        for path in (name, *(os.path.join(folder, name) for folder in folders)):
            try:
                library = ctypes.CDLL(path)
            except OSError:
                continue
            library.nvtxRangeStartEx.restype = ctypes.c_uint64
            return library
    return None


def available() -> bool:
    """Whether NVTX's library was found.

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> nvtx.available() in (True, False)
    True
    """
    return _library() is not None


def _attributes(message: str, color: int) -> Any:
    made = _Attributes(
        version=3,
        size=ctypes.sizeof(_Attributes),
        color_type=1,
        color=color,
        message_type=1,
        message=message.encode(),
    )
    return ctypes.byref(made)


def _color(number: int) -> int:
    return _COLORS[number % len(_COLORS)]


def MarkC(message: str, color: int = 0) -> None:
    """A mark in a colour (ARGB).

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> nvtx.MarkC("data is read", 0xFF00FF00)
    """
    if library := _library():
        library.nvtxMarkEx(_attributes(message, color))


def Mark(message: str, id_color: int = -1) -> None:
    """A mark, in a colour by number.

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> nvtx.Mark("data is read")
    """
    MarkC(message, _color(id_color))


def RangePushC(message: str, color: int = 0) -> None:
    """Begins a range of this thread in a colour (ARGB); ranges nest.

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> nvtx.RangePushC("step", 0xFF0000FF)
    >>> nvtx.RangePop()
    """
    if library := _library():
        library.nvtxRangePushEx(_attributes(message, color))


def RangePush(message: str, id_color: int = -1) -> None:
    """Begins a range of this thread, in a colour by number.

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> nvtx.RangePush("step")
    >>> nvtx.RangePop()
    """
    RangePushC(message, _color(id_color))


def RangePop() -> None:
    """Ends the innermost range of this thread.

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> nvtx.RangePush("outer")
    >>> nvtx.RangePush("inner")
    >>> nvtx.RangePop()
    >>> nvtx.RangePop()
    """
    if library := _library():
        library.nvtxRangePop()


def RangeStart(message: str, id_color: int = -1) -> int:
    """Begins a range that any thread may end; gives its number.

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> number = nvtx.RangeStart("step")
    >>> nvtx.RangeEnd(number)
    """
    library = _library()
    return library.nvtxRangeStartEx(_attributes(message, _color(id_color))) if library else 0


def RangeEnd(range_id: int) -> None:
    """Ends a range of `RangeStart`.

    Examples
    --------
    >>> from heddle.cuda import nvtx
    >>> nvtx.RangeEnd(nvtx.RangeStart("step"))
    """
    if library := _library():
        library.nvtxRangeEnd(ctypes.c_uint64(range_id))
