"""Functions and types as arguments: signatures have a number for each, in this process.

A closure is known by its text and what it has around it, so that one which is made anew for each
call is no other. What has that number is then one of our own, which nobody changes.
"""

from __future__ import annotations

import types
from collections.abc import Hashable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

_constants: list[Any] = []
_numbers: dict[Any, int] = {}
_by_object: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class _Unknown(Exception):
    """Something that is only itself."""


def constant_of(number: int) -> Any:
    """What has a number."""
    return _constants[number]


def number_of(given: Any) -> int | None:
    """The number of a function or a type; None for what is neither."""
    if isinstance(given, types.FunctionType) and given.__closure__:
        try:
            return _numbered(_key(given), lambda: _frozen(given))
        except _Unknown:
            pass
    elif not _is_constant(given):
        return None
    try:
        number = _by_object.get(given)
    except TypeError:  # no weak references: builtins
        return _numbered(given, lambda: given)
    if number is None:
        number = _by_object[given] = len(_constants)
        _constants.append(given)
    return number


def _is_constant(given: Any) -> bool:
    if isinstance(given, (types.FunctionType, type, np.dtype, np.ufunc)):
        return True
    if isinstance(given, Hashable) and getattr(given, "_simt_callable", False):
        return True
    if getattr(given, "_simt_dtype", None) is not None or type(given).__name__ == "ufunc":
        return True
    from heddle.simt._registry import found

    return callable(given) and found(given) is not None


def _numbered(key: Any, make: Any) -> int:
    number = _numbers.get(key)
    if number is None:
        number = _numbers[key] = len(_constants)
        _constants.append(make())
    return number


def _key(value: Any) -> Any:
    """What tells a value from others, if all of it is known."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return type(value), repr(value)
    if type(value) is tuple:
        return tuple(_key(item) for item in value)
    if isinstance(value, types.FunctionType):
        named = tuple(sorted((value.__kwdefaults__ or {}).items()))
        cells = tuple(_key(_content(cell)) for cell in value.__closure__ or ())
        key = (_key(value.__defaults__), _key(named), cells)
        return (value.__code__, id(value.__globals__), *key)
    if isinstance(value, (np.generic, np.dtype)):
        return type(value), repr(value)
    if isinstance(value, (types.ModuleType, types.BuiltinFunctionType, np.ufunc, type)):
        return value
    if getattr(value, "_simt_callable", False):
        return value
    raise _Unknown


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError as error:
        raise _Unknown from error


def _frozen(value: Any) -> Any:
    """The same function, with what it has around it as it is now."""
    if type(value) is tuple:
        return tuple(_frozen(item) for item in value)
    if not isinstance(value, types.FunctionType):
        return value
    cells = tuple(types.CellType(_frozen(c.cell_contents)) for c in value.__closure__ or ())
    made = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, cells or None
    )
    made.__kwdefaults__ = value.__kwdefaults__
    made.__module__, made.__qualname__ = value.__module__, value.__qualname__
    return made
