"""Python's objects as what C reads: addresses, strings, arguments of kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy

_FUNCTION: Any = type(ctypes.CFUNCTYPE(None)()).__mro__[1]  # what all functions of C are


def address_of(value: Any, kept: list[Any]) -> int:
    """An address: of a number, a buffer, an array on any device, an object of ctypes, or a handle.

    What has to live as long as the address is put into `kept`.
    """
    if value is None:
        return 0
    if isinstance(value, int):
        return int(value)
    kept.append(value)
    if isinstance(value, ctypes.c_void_p):
        return value.value or 0
    if isinstance(value, bytes):
        return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value or 0
    if isinstance(value, _FUNCTION):
        return ctypes.cast(value, ctypes.c_void_p).value or 0
    if isinstance(value, (ctypes.Structure, ctypes.Union, ctypes.Array, ctypes._SimpleCData)):
        return ctypes.addressof(value)
    if isinstance(value, numpy.ndarray):
        return int(value.ctypes.data)
    exposed = getattr(value, "__cuda_array_interface__", None)
    if exposed is not None:
        return int(exposed["data"][0])
    if isinstance(value, numpy.generic) or hasattr(value, "__index__"):
        return int(value)
    try:
        view = memoryview(value)
    except TypeError:
        if hasattr(value, "__int__"):
            return int(value)
        text = f"expected an address, a buffer or an array, not {type(value).__name__}"
        raise TypeError(text) from None
    held = numpy.frombuffer(view, numpy.uint8)
    kept.append(held)
    return int(held.ctypes.data)


def string_address(value: object, kept: list[object]) -> int:
    """The address of a string, or of the memory that a string is written to."""
    if isinstance(value, str):
        value = value.encode()
    return address_of(value, kept)


def _argument(value: Any, kind: Any, kept: list[Any]) -> int:
    """The address of one argument of a kernel."""
    if kind is None:
        if hasattr(value, "getPtr"):
            kept.append(value)
            return int(value.getPtr())
        if isinstance(value, numpy.generic):
            value = numpy.asarray(value)
        return address_of(value, kept)
    if isinstance(value, kind):
        held = value
    elif issubclass(kind, ctypes.c_void_p):
        held = kind(address_of(value, kept))
    else:
        held = kind(value)
    kept.append(held)
    return ctypes.addressof(held)


def kernel_arguments(value: object, kept: list[object]) -> int:
    """The address of the addresses of the arguments of a kernel.

    They are given as that address, as a buffer of addresses, or as a pair: a tuple of values, and a
    tuple of their types of ctypes, None for objects that are in memory themselves.
    """
    if not isinstance(value, (tuple, list)):
        return address_of(value, kept)
    if len(value) != 2:
        raise TypeError("arguments of a kernel are a pair: a tuple of values, and one of types")
    values, kinds = (part if isinstance(part, (tuple, list)) else (part,) for part in value)
    if len(values) != len(kinds):
        raise TypeError(f"{len(values)} values and {len(kinds)} types of arguments of a kernel")
    found = [_argument(v, k, kept) for v, k in zip(values, kinds, strict=True)]
    made = (ctypes.c_void_p * max(1, len(found)))(*found)
    kept.append(made)
    return ctypes.addressof(made)


def option_values(values: Sequence[Any] | None, kept: list[object]) -> int:
    """The address of values of options, each a number or a buffer."""
    if values is None:
        return 0
    made = (ctypes.c_void_p * max(1, len(values)))(*(address_of(v, kept) for v in values))
    kept.append(made)
    return ctypes.addressof(made)
