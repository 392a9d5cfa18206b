"""Lists in compiled functions: rows of elements with room behind them (see `_lists.py`)."""

# Types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import numpy as np


def grown(a, count):
    """The same with more room."""
    out = np.empty(2 * count + 8, a.dtype)
    for i in range(count):
        out[i] = a[i]
    return out


def opened(a, count, place):
    """Room for one more at a place, and behind the end."""
    out = np.empty(count + 9, a.dtype)
    for i in range(place):
        out[i] = a[i]
    for i in range(place, count):
        out[i + 1] = a[i]
    return out


def closed(a, count, place):
    for i in range(place, count - 1):
        a[i] = a[i + 1]


def turned(a, count):
    for i in range(count // 2):
        a[i], a[count - 1 - i] = a[count - 1 - i], a[i]


def place_of(a, count, value):
    for i in range(count):
        if a[i] == value:
            return i
    return -1


def count_of(a, count, value):
    found = 0
    for i in range(count):
        if a[i] == value:
            found += 1
    return found
