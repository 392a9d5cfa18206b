"""SciPy's functions of our arrays, where SciPy asks what kind of array it has: ours are called.

In its array API mode ``scipy.ndimage`` and ``scipy.signal`` hand arrays of CuPy's and of JAX's to
the functions of the same name that these libraries have, and make NumPy's arrays of all others,
which devices refuse. Each of these functions keeps the one of NumPy's arrays in a variable, and
that one is wrapped: the function itself stays what it is, as SciPy keeps tables of them.
``scipy.fft`` asks backends, of which ours is one.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from heddle._core import own_array

_NUMPYS = "func"  # what SciPy's `delegate_xp` calls it


def _has_ours(values: Any) -> bool:
    return any(
        isinstance(value, own_array) or (isinstance(value, (list, tuple)) and _has_ours(value))
        for value in values
    )


def _ours_first(function: Callable[..., Any], module: str, name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not (_has_ours(args) or _has_ours(kwargs.values())):
            return function(*args, **kwargs)
        from heddle.scipy._generic import calling_scipys, numbers_as_arrays

        # Ours may be SciPy's own, called with its mode on, and is it then.
        ours = None
        if not calling_scipys():
            ours = getattr(importlib.import_module(module), name, None)
        if ours is None:
            return function(*args, **kwargs)
        return numbers_as_arrays(ours(*args, **kwargs), (*args, *kwargs.values()))

    call._asks_heddle = True  # type: ignore[attr-defined]
    return call


def register(module: ModuleType) -> None:
    """Has functions of SciPy's module that look for other libraries' find ours."""
    for public in vars(module).values():
        if not isinstance(public, FunctionType) or _NUMPYS not in public.__code__.co_freevars:
            continue
        assert public.__closure__ is not None
        cell = public.__closure__[public.__code__.co_freevars.index(_NUMPYS)]
        if not hasattr(cell.cell_contents, "_asks_heddle"):
            cell.cell_contents = _ours_first(
                cell.cell_contents, f"heddle.{module.__name__}", public.__name__
            )


class TransformBackend:
    """``scipy.fft``'s backend for our arrays; others are left to the next."""

    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not _has_ours((*args, *kwargs.values())):
            return NotImplemented
        module = importlib.import_module("heddle.scipy.fft")
        found = vars(module).get(getattr(method, "__name__", ""))
        return NotImplemented if found is None else found(*args, **kwargs)
