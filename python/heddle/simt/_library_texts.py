"""Text in compiled functions: rows of characters' numbers (see `_texts.py`)."""

# Types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202, SIM110
# mypy: ignore-errors

import numpy as np


def same(a, b):
    if a.size != b.size:
        return False
    for i in range(a.size):
        if a[i] != b[i]:
            return False
    return True


def same_as(a, known):
    """Whether a text is one that is written in the source."""
    if a.size != len(known):
        return False
    for i, one in enumerate(known):
        if a[i] != one:
            return False
    return True


def order(a, b):
    """Less than zero, zero or more: which one comes first."""
    for i in range(min(a.size, b.size)):
        if a[i] != b[i]:
            return -1 if a[i] < b[i] else 1
    return a.size - b.size


def joined(a, b):
    out = np.empty(a.size + b.size, np.uint32)
    for i in range(a.size):
        out[i] = a[i]
    for i in range(b.size):
        out[a.size + i] = b[i]
    return out


def repeated(a, times):
    count = max(0, times)
    out = np.empty(a.size * count, np.uint32)
    for k in range(count):
        for i in range(a.size):
            out[k * a.size + i] = a[i]
    return out


def place_in(a, part, start, stop):
    """Where a part begins first; -1 where it is not."""
    first = max(0, start + a.size if start < 0 else start)
    last = max(0, min(a.size, stop + a.size if stop < 0 else stop))
    found = -1
    for i in range(first, last - part.size + 1):
        here = True
        for j in range(part.size):
            if a[i + j] != part[j]:
                here = False
                break
        if here:
            found = i
            break
    return found


def last_place_in(a, part):
    found = -1
    for i in range(a.size - part.size, -1, -1):
        here = True
        for j in range(part.size):
            if a[i + j] != part[j]:
                here = False
                break
        if here:
            found = i
            break
    return found


def count(a, part):
    if part.size == 0:
        return a.size + 1
    found = 0
    at = place_in(a, part, 0, a.size)
    while at >= 0:
        found += 1
        at = place_in(a, part, at + part.size, a.size)
    return found


def begins(a, part):
    return a.size >= part.size and same(a[: part.size], part)


def ends(a, part):
    return a.size >= part.size and same(a[a.size - part.size :], part)


def replaced(a, old, new):
    if old.size == 0:
        raise ValueError("replace: an empty text is everywhere")
    times = count(a, old)
    out = np.empty(a.size + times * (new.size - old.size), np.uint32)
    at, to = 0, 0
    while at < a.size:
        if at + old.size <= a.size and same(a[at : at + old.size], old):
            out[to : to + new.size] = new
            at += old.size
            to += new.size
        else:
            out[to] = a[at]
            at += 1
            to += 1
    return out


def is_space(c):
    return (
        (c >= 9 and c <= 13)
        or (c >= 28 and c <= 32)
        or c == 0x85
        or c == 0xA0
        or c == 0x1680
        or (c >= 0x2000 and c <= 0x200A)
        or c == 0x2028
        or c == 0x2029
        or c == 0x202F
        or c == 0x205F
        or c == 0x3000
    )


def is_among(c, known):
    for i in range(known.size):
        if known[i] == c:
            return True
    return False


def stripped(a, left, right):
    first, last = 0, a.size
    while left and first < last and is_space(a[first]):
        first += 1
    while right and first < last and is_space(a[last - 1]):
        last -= 1
    return a[first:last]


def stripped_of(a, known, left, right):
    first, last = 0, a.size
    while left and first < last and is_among(a[first], known):
        first += 1
    while right and first < last and is_among(a[last - 1], known):
        last -= 1
    return a[first:last]


def filled(a, width, fill, left):
    """At its left or right as many as are missing."""
    missing = max(0, width - a.size)
    out = np.full(a.size + missing, fill).astype(np.uint32)
    first = missing if left else 0
    for i in range(a.size):
        out[first + i] = a[i]
    return out


def zfilled(a, width):
    out = filled(a, width, 48, True)
    if a.size > 0 and width > a.size and (a[0] == 43 or a[0] == 45):
        out[width - a.size] = 48
        out[0] = a[0]
    return out


def need_plain(a):
    for i in range(a.size):
        if a[i] >= 128:
            raise ValueError("letters beyond ASCII are not known in compiled functions")


def upper(a):
    need_plain(a)
    out = a.copy()
    for i in range(a.size):
        if a[i] >= 97 and a[i] <= 122:
            out[i] = a[i] - 32
    return out


def lower(a):
    need_plain(a)
    out = a.copy()
    for i in range(a.size):
        if a[i] >= 65 and a[i] <= 90:
            out[i] = a[i] + 32
    return out


def isdigit(a):
    need_plain(a)
    for i in range(a.size):
        if not (a[i] >= 48 and a[i] <= 57):
            return False
    return a.size > 0


def isalpha(a):
    need_plain(a)
    for i in range(a.size):
        if not ((a[i] >= 65 and a[i] <= 90) or (a[i] >= 97 and a[i] <= 122)):
            return False
    return a.size > 0


def isalnum(a):
    need_plain(a)
    for i in range(a.size):
        letter = (a[i] >= 65 and a[i] <= 90) or (a[i] >= 97 and a[i] <= 122)
        if not letter and not (a[i] >= 48 and a[i] <= 57):
            return False
    return a.size > 0


def isspace(a):
    for i in range(a.size):
        if not is_space(a[i]):
            return False
    return a.size > 0


def in_one_case(a, first, other):
    """Whether there are letters from `first` on, and none of the other alphabet."""
    need_plain(a)
    found = False
    for i in range(a.size):
        if a[i] >= other and a[i] < other + 26:
            return False
        found = found or (a[i] >= first and a[i] < first + 26)
    return found


def isupper(a):
    return in_one_case(a, 65, 97)


def islower(a):
    return in_one_case(a, 97, 65)


def digits(n):
    """str(n) of an integer: its digits, from the last one on; below zero, so that all fit."""
    out = np.empty(20, np.uint32)
    at = 20
    left = -np.int64(n) if n > 0 else np.int64(n)
    while at == 20 or left != 0:
        rest = -((-left) // 10) if left > -9223372036854775807 else np.int64(-922337203685477580)
        at -= 1
        out[at] = 48 + (rest * 10 - left)
        left = rest
    if n < 0:
        at -= 1
        out[at] = 45
    return out[at:].copy()


def number(a):
    """int(text)."""
    row = stripped(a, True, True)
    first = 1 if row.size > 0 and (row[0] == 43 or row[0] == 45) else 0
    if first == row.size:
        raise ValueError("invalid literal for int() with base 10")
    made = 0
    for i in range(first, row.size):
        if not (row[i] >= 48 and row[i] <= 57):
            raise ValueError("invalid literal for int() with base 10")
        made = made * 10 + (np.int64(row[i]) - 48)
    return -made if first == 1 and row[0] == 45 else made
