"""Classes of SciPy's whose code is generic: an object of ours holds one of theirs.

That holds arrays of ours, and is called with SciPy's array API mode on.

Objects of theirs that come out are wrapped, too, so that the mode is on whenever one is used.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from heddle._creation.arrays import asarray
from heddle.scipy import _generic

# What operators and calls of objects are named, where their class has them.
_SPECIAL = ("__call__", "__getitem__", "__len__", "__mul__", "__pow__", "__setitem__")


class Wrapped:
    """An object of SciPy's that computes with arrays of ours."""

    _class: ClassVar[Any]
    _ours: ClassVar[dict[type, type[Wrapped]]] = {}
    _theirs: Any

    def __init__(self, *args: object, **kwargs: bool) -> None:
        self._theirs = self._called(self._class, args, kwargs)

    @staticmethod
    def _called(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        given = {name: _given(value) for name, value in kwargs.items()}
        return _generic.generic(function)(*map(_given, args), **given)

    @classmethod
    def _of(cls, theirs: object) -> Wrapped:
        made = cls.__new__(cls)
        made._theirs = theirs
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return _wrapped(getattr(self._theirs, name))

    def __repr__(self) -> str:
        return str(self._called(repr, (self._theirs,), {}))


def _given(value: Any) -> Any:
    """An argument for SciPy: objects are theirs, and what is like an array is one of ours."""
    if isinstance(value, Wrapped):
        return value._theirs
    if type(value) in (list, tuple):
        if any(isinstance(each, Wrapped) for each in value):
            return [_given(each) for each in value]
        return asarray(value) if type(value) is list else value
    return value


def _wrapped(value: Any) -> Any:
    """A result: objects of theirs are ours."""
    if type(value) in (list, tuple):
        return type(value)(map(_wrapped, value))
    ours = Wrapped._ours.get(type(value))
    return value if ours is None else ours._of(value)


def _method(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs)
    def called(self: Wrapped, *args: Any, **kwargs: object) -> Any:
        if name in ("__getitem__", "__setitem__") and type(args[0]) is list and not args[0]:
            args = (asarray([], dtype=int), *args[1:])  # no places, not no numbers
        return _wrapped(self._called(getattr(self._theirs, name), args, kwargs))

    return called


def _function(theirs: Any) -> Callable[..., Any]:
    @functools.wraps(theirs)
    def called(*args: Any, **kwargs: Any) -> Any:
        return _wrapped(Wrapped._called(theirs, args, kwargs))

    return called


def wrap_class(ours: type[Wrapped], theirs: type) -> None:
    """Gives a class of ours the methods, functions and properties of one of SciPy's."""
    ours._class, Wrapped._ours[theirs] = theirs, ours
    for name in dir(theirs):
        if name in vars(ours) or (name.startswith("_") and name not in _SPECIAL):
            continue
        found = inspect.getattr_static(theirs, name)
        if isinstance(found, (staticmethod, classmethod)):
            setattr(ours, name, staticmethod(_function(getattr(theirs, name))))
        elif inspect.isfunction(found):
            setattr(ours, name, _method(name, found))
        elif isinstance(found, property):
            setattr(ours, name, property(_function(found.fget), doc=found.__doc__))
