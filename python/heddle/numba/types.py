"""Numba's names of types. In kernels they convert; as elements of arrays they are NumPy's."""

from typing import Any

import numpy as np

_NAMES = {
    "boolean": "bool",
    "bool_": "bool",
    "b1": "bool",
    **{n: n for n in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    **{n: n for n in ("float16", "float32", "float64", "complex64", "complex128")},
    **{"intp": "int64", "uintp": "uint64", "int_": "int64", "uint": "uint64", "long_": "int64"},
    **{"intc": "int32", "uintc": "uint32", "byte": "uint8", "char": "int8", "uchar": "uint8"},
    **{"short": "int16", "ushort": "uint16", "longlong": "int64", "ulonglong": "uint64"},
    **{"float_": "float32", "double": "float64", "size_t": "uint64", "ssize_t": "int64"},
    **{"i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64"},
    **{"u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64"},
    **{"f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128"},
}


class Type:
    """A type of numbers: called with a number it converts."""

    def __init__(self, name: str) -> None:
        self.name = self._simt_dtype = name
        self.dtype = np.dtype(name)

    def __call__(self, value: Any) -> Any:
        return self.dtype.type(value)

    def __repr__(self) -> str:
        return self.name


_known = {name: Type(name) for name in {*_NAMES.values()}}
globals().update({name: _known[stands_for] for name, stands_for in _NAMES.items()})
__all__ = [*_NAMES]
