"""Types of elements, in the order of the core's Dtype, and their bytes."""

NAMES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
SIZES = (1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16)


def letter_of(name: str) -> str:
    """What signatures of calls have for a type (src/python/simt_call.h)."""
    return chr(ord("A") + NAMES.index(name))
