"""Records of NumPy's as arguments: bytes, with one more axis, and a number for their type."""

from __future__ import annotations

from typing import Any

import numpy as np

from heddle._typing import DType, HostArray

_numbers: dict[DType, int] = {}
_types: list[DType] = []


def number_of(dtype: DType) -> int:
    """The number that signatures have for a type of records, in this process."""
    if dtype not in _numbers:
        _numbers[dtype] = len(_types)
        _types.append(dtype)
    return _numbers[dtype]


def type_of(number: int) -> np.dtype[Any]:
    """The type of records that has a number."""
    return _types[number]


def key_of(dtype: DType) -> str:
    """What stands before the bytes of records in a signature."""
    return f"r{number_of(dtype)}:"


def bytes_of(records: HostArray) -> HostArray:
    """The memory of an array of records as an array of bytes, with one more axis."""
    return records[..., None].view(np.uint8)


def to_bytes(given: HostArray) -> tuple[str, Any] | None:
    """The key and the bytes of records; None for what is none."""
    ours = getattr(given, "_simt_records", None)
    if ours is not None:
        return ours  # type: ignore[no-any-return]
    if isinstance(given, np.void):
        given = given.__array__()  # the memory that it is part of, where it is
    if not isinstance(given, np.ndarray) or given.dtype.names is None:
        return None
    return key_of(given.dtype), bytes_of(given)


def from_bytes(made: object, number: str) -> HostArray:
    """An array of records of its bytes."""
    dtype = _types[int(number)]
    return np.asarray(made).view(dtype)[..., 0]
