"""Lists in compiled functions: rows of elements with room behind them (see `_lists.py`)."""

# Types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202, SIM110
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


def place_among(items, value):
    """Where an element is that equals a value, of lists of tuples; -1: nowhere."""
    for i in range(len(items)):
        if items[i] == value:
            return i
    return -1


def number_of(items, value):
    found = 0
    for i in range(len(items)):
        if items[i] == value:
            found += 1
    return found


def same(a, b):
    if len(a) != len(b):
        return False
    for i in range(len(a)):
        if a[i] != b[i]:
            return False
    return True


def settle(items, first, count):
    """The largest below goes up, as long as it is larger."""
    at = first
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and items[below] < items[below + 1]:
            below += 1
        if not items[at] < items[below]:
            break
        items[at], items[below] = items[below], items[at]
        at = below


def put_in_order(items):
    """Sorts tuples: those that are equal are the same."""
    count = len(items)
    for first in range(count // 2 - 1, -1, -1):
        settle(items, first, count)
    for end in range(count - 1, 0, -1):
        items[0], items[end] = items[end], items[0]
        settle(items, 0, end)


def count_of(a, count, value):
    found = 0
    for i in range(count):
        if a[i] == value:
            found += 1
    return found
