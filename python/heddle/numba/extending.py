"""Numba's ``numba.extending``: what other functions may call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from heddle.numba.decorators import ALWAYS

_F = TypeVar("_F", bound=Callable[..., Any])

_absent = dict.fromkeys(
    ("overload", "overload_method", "overload_attribute", "intrinsic"),
    "functions of Python's are taken along as they are: write one that asks by isinstance",
)


@overload
def register_jitable(function: _F, /) -> _F: ...
@overload
def register_jitable(**options: object) -> Callable[[_F], _F]: ...
def register_jitable(*args: Any, **options: object) -> Any:
    """A function that compiled functions may call: it stays what it is, as they take all along.

    Examples
    --------
    >>> from heddle.numba import njit
    >>> from heddle.numba.extending import register_jitable
    >>> @register_jitable
    ... def half(n):
    ...     return n // 2
    >>> @njit
    ... def quarter(n):
    ...     return half(half(n))
    >>> quarter(9), half(9)
    (2, 4)
    """
    unknown = [name for name in options if name not in ALWAYS]
    if unknown:
        raise TypeError(f"register_jitable: there is no option '{unknown[0]}'")
    return args[0] if args else lambda function: function


def __getattr__(name: str) -> object:
    why = f": {_absent[name]}" if name in _absent else ""
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")


__all__ = ["register_jitable"]
