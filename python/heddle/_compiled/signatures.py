"""Types by Numba's names, and signatures of them. In kernels they convert."""

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
    """A type of numbers: called with a number it converts, with types it is a signature."""

    def __init__(self, name: str) -> None:
        self.name = self._simt_dtype = name
        self.dtype = np.dtype(name)

    def __call__(self, *values: Any) -> Any:
        if len(values) == 1 and not isinstance(values[0], (Type, ArrayType)):
            return self.dtype.type(values[0])
        return Signature(self, values)

    def __getitem__(self, axes: Any) -> "ArrayType":
        slices = axes if isinstance(axes, tuple) else (axes,)
        return ArrayType(self, len(slices), slices[-1].step == 1)

    def __repr__(self) -> str:
        return self.name


class ArrayType:
    """Arrays of a type and a number of dimensions: ``float64[:, :]``, ``float64[::1]``."""

    def __init__(self, element: Type, ndim: int, dense: bool) -> None:
        self.element, self.ndim, self.dense = element, ndim, dense
        self.dtype = element.dtype

    def __call__(self, *values: Any) -> "Signature":
        return Signature(self, values)

    def __repr__(self) -> str:
        axes = ", ".join([":"] * (self.ndim - 1) + ["::1" if self.dense else ":"])
        return f"{self.element}[{axes}]"


class Void:
    """No result."""

    def __call__(self, *values: Any) -> "Signature":
        return Signature(None, values)

    def __repr__(self) -> str:
        return "void"


class Signature:
    """Types of arguments, and of the result."""

    def __init__(self, result: Any, arguments: tuple[Any, ...]) -> None:
        self.result, self.arguments = result, arguments

    def __repr__(self) -> str:
        return f"{self.result}({', '.join(map(str, self.arguments))})"


def read_signature(given: Any) -> Signature | None:
    """A signature of its text, or of types alone; None for what is none."""
    if isinstance(given, Signature):
        return given
    if isinstance(given, tuple) and all(isinstance(t, (Type, ArrayType)) for t in given):
        return Signature(None, given)
    if isinstance(given, str):
        names: dict[str, Any] = {name: globals()[name] for name in __all__}
        try:
            made = eval(given, {"__builtins__": {}}, names)
        except Exception as error:
            raise ValueError(f"'{given}' is no signature: {error}") from error
        return (
            made
            if isinstance(made, Signature)
            else Signature(None, made if isinstance(made, tuple) else (made,))
        )
    return None


_known = {name: Type(name) for name in {*_NAMES.values()}}
globals().update({name: _known[stands_for] for name, stands_for in _NAMES.items()})
void = Void()
__all__ = [*_NAMES, "void"]
