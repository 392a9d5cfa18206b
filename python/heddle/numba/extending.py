"""Numba's ``numba.extending``: what other functions may call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from typing import overload as _overload

from heddle.numba.decorators import ALWAYS, njit

_F = TypeVar("_F", bound=Callable[..., Any])

_absent = {
    "intrinsic": "code of LLVM's is not written by hand: write a function, or an overload of one",
    **dict.fromkeys(
        ("models", "register_model", "type_callable", "typeof_impl", "lower_builtin", "box"),
        "types are not added: use jitclass, named tuples, dataclasses or records",
    ),
}


@_overload
def register_jitable(function: _F, /) -> _F: ...
@_overload
def register_jitable(**options: object) -> Callable[[_F], _F]: ...
def register_jitable(function: _F | None = None, /, **options: object) -> _F | Callable[[_F], _F]:
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
    return (lambda function: function) if function is None else function


_Options = dict[str, object]


def _chooser(
    what: str, function: Callable[..., object], jit_options: _Options | None, options: _Options
) -> Any:
    from heddle.simt._overloads import Chooser

    literal = bool(options.pop("prefer_literal", False))
    # `strict` compares parameters, which are bound here; what is small is taken along anyhow.
    for name in ("strict", "inline"):
        options.pop(name, None)
    if options.pop("target", "generic") not in ("generic", "cpu"):
        raise ValueError(f"{what}: functions of devices are taken along: write one")
    if options:
        raise TypeError(f"{what}: there is no option '{next(iter(options))}'")
    return Chooser(function, literal, njit(**(jit_options or {})))


def overload(
    function: Callable[..., object], jit_options: _Options | None = None, **options: object
) -> Callable[[_F], _F]:
    """Says what compiled functions call instead of a function.

    What is decorated gets the types of the arguments, and gives a function that is taken along, or
    None where it has none for them.

    Examples
    --------
    >>> from heddle.numba import njit, types
    >>> from heddle.numba.extending import overload
    >>> def size_of(x):
    ...     return len(x)
    >>> @overload(size_of)
    ... def size_of_types(x):
    ...     if isinstance(x, types.Number):
    ...         return lambda x: 1
    ...     if isinstance(x, types.Array):
    ...         return lambda x: x.size
    ...     return None
    >>> @njit
    ... def sizes(x, n):
    ...     return size_of(x), size_of(n)
    >>> import heddle as np
    >>> sizes(np.zeros((2, 3)), 5)
    (6, 1)
    """
    from heddle.simt import _overloads

    def add(chooser: _F) -> _F:
        _overloads.add(function, _chooser("overload", chooser, jit_options, options))
        return chooser

    return add


def overload_method(
    typ: object, name: str, jit_options: _Options | None = None, **options: object
) -> Callable[[_F], _F]:
    """Adds a method to values of a class of types, in compiled functions.

    Examples
    --------
    >>> from heddle.numba import njit, types
    >>> from heddle.numba.extending import overload_method
    >>> @overload_method(types.Array, "spread")
    ... def spread(a):
    ...     return lambda a: a.max() - a.min()
    >>> @njit
    ... def width(a):
    ...     return a.spread()
    >>> import heddle as np
    >>> width(np.array([2.0, 5.0]))
    3.0
    """
    from heddle.simt import _overloads

    def add(chooser: _F) -> _F:
        made = _chooser("overload_method", chooser, jit_options, options)
        _overloads.add_member(typ, name, True, made)
        return chooser

    return add


def overload_attribute(
    typ: object, name: str, jit_options: _Options | None = None, **options: object
) -> Callable[[_F], _F]:
    """Adds an attribute to values of a class of types, in compiled functions.

    Examples
    --------
    >>> from heddle.numba import njit, types
    >>> from heddle.numba.extending import overload_attribute
    >>> @overload_attribute(types.Array, "bytes_in_all")
    ... def bytes_in_all(a):
    ...     return lambda a: a.size * a.itemsize
    >>> @njit
    ... def room(a):
    ...     return a.bytes_in_all
    >>> import heddle as np
    >>> room(np.zeros(4))
    32
    """
    from heddle.simt import _overloads

    def add(chooser: _F) -> _F:
        made = _chooser("overload_attribute", chooser, jit_options, options)
        _overloads.add_member(typ, name, False, made)
        return chooser

    return add


def is_jitted(function: object) -> bool:
    """Whether it is a compiled function.

    Examples
    --------
    >>> from heddle.numba import njit
    >>> from heddle.numba.extending import is_jitted
    >>> is_jitted(njit(lambda x: x)), is_jitted(len)
    (True, False)
    """
    from heddle._compiled.functions import Function

    return isinstance(function, Function)


def __getattr__(name: str) -> object:
    why = f": {_absent[name]}" if name in _absent else ""
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")


__all__ = [
    *("is_jitted", "overload", "overload_attribute", "overload_method", "register_jitable"),
]
