"""Numba's names of types. In kernels they convert; as elements of arrays they are NumPy's."""

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

globals().update({name: getattr(signatures, name) for name in signatures.__all__})
__all__: list[str] = [*signatures.__all__]
__all__ += ["ArrayType", "RecordType", "Signature", "TupleType", "Type", "read_signature"]
__all__ += ["from_dtype", "typeof"]
