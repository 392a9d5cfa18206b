"""Objects of Python's that compiled functions share: what calls change of them is put back.

Functions are given their memory: arrays, of which the first has a number that says whose they are.
"""

from __future__ import annotations

import itertools
from typing import Any
from weakref import WeakValueDictionary

_objects: WeakValueDictionary[int, Any] = WeakValueDictionary()
_numbers = itertools.count(1)


def numbered(shared: Any) -> int:
    """A number for an object, by which it is found again."""
    number = next(_numbers)
    _objects[number] = shared
    return number


def owner_of(mark: Any) -> Any:
    """Whose memory an array is; None where it was made by a compiled function, or is not there."""
    if mark.size == 0:
        return None
    number = mark["_number"][0] if mark.dtype.names else mark[0]
    return _objects.get(int(number))


def put_back(inner: Any) -> Any:
    """The result of a call, after what it has changed was put where it belongs."""
    result, *changes = inner
    for mark, *parts in changes:
        owner_of(mark).put_back(*parts)
    return result


def same_object(inner: Any) -> Any:
    """An argument that is a result."""
    owner = owner_of(inner[0])
    return None if owner is None else owner.itself()


def or_none(inner: Any) -> Any:
    """A result that is there, or None."""
    return inner[1] if inner[0] else None
