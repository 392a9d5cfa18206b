"""Text, bytes and sets as compiled functions have them: rows of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def of_text(text: str) -> Any:
    """The characters of a text."""
    return np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), np.uint32)


def of_buffer(given: Any) -> Any:
    """The elements of an `array.array` and the like, in the same memory; of bytes, integers."""
    if isinstance(given, bytes):
        return np.array(list(given), np.int64)
    made = np.asarray(memoryview(given))
    if made.dtype.kind not in "biufc":
        raise TypeError(f"a compiled function takes rows of numbers, not {type(given).__name__}")
    return made


def of_set(given: Any) -> Any:
    """The elements of a set of numbers."""
    kinds = {type(one) for one in given}
    made = np.array(list(given))
    if len(kinds) != 1 or made.ndim != 1 or made.dtype.kind not in "biuf":
        raise TypeError(
            "a set that is an argument has integers, floats or truth values of one type"
        )
    return made


def to_text(row: Any) -> str:
    """A text of its characters."""
    return np.asarray(row, np.uint32).tobytes().decode("utf-32-le", "surrogatepass")
