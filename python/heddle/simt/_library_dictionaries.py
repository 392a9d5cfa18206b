"""Dictionaries in compiled functions: places in tables of hashes (see `_dictionaries.py`)."""

# Types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import numpy as np


def whole(x):
    """An integer of a number: the same for equal ones."""
    if isinstance(x, float):
        if not abs(x) < 1e300:
            return 0
        below = np.floor(x)
        return np.int64(below % 1073741824.0) + 31 * np.int64((x - below) * 1073741824.0)
    return np.int64(x)


def hashed(key):
    made = np.int64(0)
    for one in key:
        made = (made ^ whole(one)) * -7046029254386353131
        made = made ^ (made >> 32)
    return made


def entry_of(slots, rows, key):
    """Which entry has a key; -1 where there is none."""
    last = slots.size - 1
    at = hashed(key) & last
    found = np.int64(-1)
    while slots[at] != 0:
        entry = slots[at] - 1
        if entry >= 0:
            same = True
            for row, one in zip(rows, key):  # noqa: B905
                same = same and row[entry] == one
            if same:
                found = entry
                break
        at = (at + 1) & last
    return found


def placed(slots, key, entry):
    last = slots.size - 1
    at = hashed(key) & last
    while slots[at] > 0:
        at = (at + 1) & last
    slots[at] = entry + 1


def freed(slots, key, entry):
    last = slots.size - 1
    at = hashed(key) & last
    while slots[at] != entry + 1:
        at = (at + 1) & last
    slots[at] = -1


def kept(row, alive, count, size):
    """The elements that are still there, with room behind them."""
    out = np.empty(size, row.dtype)
    n = 0
    for i in range(count):
        if alive[i] != 0:
            out[n] = row[i]
            n += 1
    return out


def living(count, size):
    out = np.zeros(size, np.uint8)
    for i in range(count):
        out[i] = 1
    return out


def room(count):
    """How long a table for so many entries is, and as many again."""
    size = 16
    while size < 4 * (count + 1):
        size *= 2
    return size
