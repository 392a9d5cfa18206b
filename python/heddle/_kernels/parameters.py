"""Parameters of kernels around expressions: how they are declared, their types, and arguments."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Sequence
from typing import Any

import numpy

from heddle._core import ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._typing import ArrayLike, DType, DTypeLike

C_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}
_NAMES = C_TYPES.keys() | {"int", "float", "complex", "int_", "float_", "intp", "uint", "uintp"}


def c_type(dtype: DType) -> str:
    """A type of NumPy's in C++."""
    name = numpy.dtype(dtype).name
    if name not in C_TYPES:
        raise TypeError(f"kernels have no elements of type {name}")
    return C_TYPES[name]


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter, as `raw T x` declares it."""

    name: str
    dtype: numpy.dtype[Any] | None  # None: what the placeholder stands for in a call
    placeholder: str
    raw: bool
    is_const: bool


def _read(text: str, is_const: bool) -> Parameter:
    *words, name = text.split()
    if not words:
        raise SyntaxError(f"a parameter is declared by a type and a name: {text!r}")
    if not name.isidentifier() or name == "i" or name.startswith("_"):
        raise ValueError(f"{name!r} cannot be the name of a parameter")
    kind = words.pop()
    if set(words) - {"raw"} or len(words) > 1:
        raise ValueError(f"unknown word before a type: {' '.join(words)!r}")
    dtype = numpy.dtype(kind) if kind in _NAMES else None
    if dtype is None and len(kind) > 1:
        try:
            dtype = numpy.dtype(kind)
        except TypeError:
            raise TypeError(
                f"{kind!r} is no type; placeholders for types have one letter"
            ) from None
    return Parameter(name, dtype, "" if dtype is not None else kind, bool(words), is_const)


def read_parameters(text: str, is_const: bool) -> tuple[Parameter, ...]:
    """The parameters in a declaration, `T x, raw float32 y`."""
    parts = [part.strip() for part in text.split(",")]
    return tuple(_read(part, is_const) for part in parts if part)


def check_names(parameters: Sequence[Parameter]) -> None:
    """Raise ValueError for a name that stands for two parameters."""
    names = [p.name for p in parameters]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two parameters are called {name!r}")


def read_argument(given: ArrayLike) -> Any:
    """An array of ours, or a number of Python's or NumPy's."""
    if isinstance(given, (own_array, bool, int, float, complex, numpy.generic)):
        return given
    if isinstance(given, numpy.ndarray) and given.ndim == 0:
        return given[()]
    if hasattr(given, "__cuda_array_interface__"):
        return asarray(given)
    raise TypeError(f"Unsupported type {type(given)}: kernels take heddle's arrays and numbers")


def kind_of(argument: ArrayLike) -> Any:
    """All that code for an argument depends on."""
    if isinstance(argument, own_array):
        return argument.dtype, argument.shape, argument.strides, argument.device
    return type(argument)


def resolve_types(
    parameters: Sequence[Parameter],
    arguments: Sequence[object],
    outputs: Sequence[Parameter],
    given_outputs: Sequence[object],
) -> tuple[dict[str, DType], list[DType], list[DType]]:
    """What placeholders stand for, and the types of all parameters."""
    known: dict[str, numpy.dtype[Any]] = {}

    def fit(parameter: Parameter, dtype: numpy.dtype[Any]) -> None:
        wanted = parameter.dtype or known.setdefault(parameter.placeholder, dtype)
        if wanted != dtype:
            raise TypeError(
                f"Type is mismatched. {parameter.name} {dtype.name} {wanted.name} "
                f"{parameter.placeholder or wanted.name}"
            )

    declared = [
        *zip(outputs, given_outputs, strict=False),
        *zip(parameters, arguments, strict=True),
    ]
    for parameter, argument in declared:
        if isinstance(argument, own_array):
            fit(parameter, numpy.dtype(argument.dtype))
    for parameter, argument in zip(parameters, arguments, strict=True):
        if parameter.dtype is not None or isinstance(argument, own_array):
            continue
        if parameter.placeholder not in known:  # nothing but numbers says what it is
            known[parameter.placeholder] = numpy.dtype(
                argument.dtype if isinstance(argument, numpy.generic) else type(argument)
            )
    for parameter in outputs:
        if parameter.dtype is None and parameter.placeholder not in known:
            raise ValueError(f"Output parameter {parameter.placeholder} is not resolved")
    types = [p.dtype or known[p.placeholder] for p in parameters]
    return known, types, [p.dtype or known[p.placeholder] for p in outputs]


def placeholders(known: dict[str, DType]) -> str:
    """Names of types, for the code."""
    return "".join(f"typedef {c_type(t)} {name};\n" for name, t in sorted(known.items()))


def includes(types: Sequence[DType], text: str) -> str:
    """The headers for such types."""
    made = "#include <heddle/arrays.cuh>\n"
    if any(t.kind == "c" for t in types) or "complex<" in text:
        made += "#include <heddle/complex.cuh>\n"
    if any(t == numpy.float16 for t in types) or "float16" in text:
        made += "#include <heddle/half.cuh>\n"
    return made


def is_dense(a: ndarray) -> bool:
    return bool(a.flags.c_contiguous)


def array_type(dtype: DType, a: ndarray, const: bool) -> str:
    """A CArray for an array."""
    words = f"{'const ' if const else ''}{c_type(dtype)}"
    return f"CArray<{words}, {a.ndim}, {'true' if is_dense(a) else 'false'}>"


def array_argument(a: ndarray, written: bool) -> tuple[ndarray, bytes, bool]:
    """An array for a launch: its address, which is found then, and the rest of a CArray."""
    ndim = max(a.ndim, 1)
    shape, strides = a.shape or (1,), a.strides or (0,)
    return a, struct.pack(f"{1 + 2 * ndim}q", a.size, *shape, *strides), written


def indexer_argument(shape: Sequence[int], size: int) -> bytes:
    """A CIndexer."""
    ndim = max(len(shape), 1)
    return struct.pack(f"{1 + 2 * ndim}q", size, *(shape or (1,)), *[0] * ndim)


def number_argument(value: object, dtype: DTypeLike | None) -> bytes:
    """A number in a type, as C has it."""
    return bytes(numpy.asarray(value).astype(dtype).tobytes())


def collapsed(arrays: Sequence[ndarray], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with neighbouring dimensions as one where all arrays, of that shape, allow it."""
    kept: list[int] = []
    extents: list[int] = []
    for d, extent in enumerate(shape):
        if extent == 1:
            continue
        joins = bool(kept) and all(a.strides[kept[-1]] == a.strides[d] * extent for a in arrays)
        if joins:
            kept[-1] = d
            extents[-1] *= extent
        else:
            kept.append(d)
            extents.append(extent)
    return tuple(extents)
