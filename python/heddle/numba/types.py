"""Numba's names of types. In kernels they convert; as elements of arrays they are NumPy's."""

from typing import TYPE_CHECKING

from heddle._compiled import signatures
from heddle._compiled.signatures import (  # the classes behind the names
    ArrayType,
    RecordType,
    Signature,
    TupleType,
    Type,
    from_dtype,
    read_signature,
    typeof,
)

if TYPE_CHECKING:  # what globals() gets below
    from heddle._compiled.signatures import Array as Array
    from heddle._compiled.signatures import Tuple as Tuple
    from heddle._compiled.signatures import UniTuple as UniTuple
    from heddle._compiled.signatures import bfloat16 as bfloat16
    from heddle._compiled.signatures import none as none
    from heddle._compiled.signatures import void as void

    boolean: Type
    bool_: Type
    b1: Type
    int8: Type
    int16: Type
    int32: Type
    int64: Type
    uint8: Type
    uint16: Type
    uint32: Type
    uint64: Type
    float16: Type
    float32: Type
    float64: Type
    complex64: Type
    complex128: Type
    intp: Type
    uintp: Type
    int_: Type
    uint: Type
    long_: Type
    intc: Type
    uintc: Type
    byte: Type
    char: Type
    uchar: Type
    short: Type
    ushort: Type
    longlong: Type
    ulonglong: Type
    float_: Type
    double: Type
    size_t: Type
    ssize_t: Type
    ulong: Type
    i1: Type
    i2: Type
    i4: Type
    i8: Type
    u1: Type
    u2: Type
    u4: Type
    u8: Type
    f2: Type
    f4: Type
    f8: Type
    c8: Type
    c16: Type

globals().update({name: getattr(signatures, name) for name in signatures.__all__})
__all__: list[str] = [*signatures.__all__]
__all__ += ["ArrayType", "RecordType", "Signature", "TupleType", "Type", "read_signature"]
__all__ += ["from_dtype", "typeof"]


def __getattr__(name: str) -> object:
    return getattr(signatures, name)
