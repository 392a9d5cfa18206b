"""Vectors of two to four numbers, by Numba's and CUDA's names: ``float32x4``, ``float4``."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

_NAMES = {
    **{"int8": "char", "int16": "short", "int32": "int", "int64": "longlong"},
    **{"uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulonglong"},
    **{"float32": "float", "float64": "double"},
}


class VectorType:
    """A type of vectors. Called, it makes one: of numbers, or of vectors and numbers."""

    def __init__(self, name: str, dtype: str, count: int) -> None:
        self.__name__ = name
        self._simt_vector = (name, dtype, count)
        self._made = namedtuple(name, ("x", "y", "z", "w")[:count])  # type: ignore[misc]

    def __call__(self, *values: object) -> Any:
        name, dtype, count = self._simt_vector
        items: list[Any] = []
        for value in values:
            items += value if isinstance(value, tuple) else [value]
        if len(items) != count:
            raise TypeError(f"{name} is made of {count} numbers, not of {len(items)}")
        return self._made(*(np.dtype(dtype).type(item) for item in items))

    def __repr__(self) -> str:
        return self.__name__


def _all() -> dict[str, VectorType]:
    made = {}
    for dtype, alias in _NAMES.items():
        aliases = [alias, *{"longlong": ["long"], "ulonglong": ["ulong"]}.get(alias, [])]
        for count in (1, 2, 3, 4):
            type_ = made[f"{dtype}x{count}"] = VectorType(f"{dtype}x{count}", dtype, count)
            made |= {f"{other}{count}": type_ for other in aliases}
    return made


VECTORS = _all()
globals().update(VECTORS)
__all__ = [*VECTORS]
