"""SciPy's classes of linear systems, which hold NumPy's arrays, made of arrays of every device."""

from __future__ import annotations

from typing import Any

from heddle.scipy._generic import there


class _Systems(type):
    """A class of SciPy's: calls make its objects, and its objects are instances of it."""

    _theirs: Any

    def __call__(cls, *system: object, **kwargs: object) -> Any:
        return cls._theirs(*map(there, system), **{k: there(v) for k, v in kwargs.items()})

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls._theirs)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(getattr(other, "_theirs", other), cls._theirs)

    def __getattr__(cls, name: str) -> Any:
        if name == "_theirs":
            raise AttributeError(name)
        return getattr(cls._theirs, name)


def system_class(theirs: type) -> type:
    """A class of ours for one of SciPy's."""
    names = {"_theirs": theirs, "__doc__": theirs.__doc__, "__module__": "heddle.scipy.signal"}
    return _Systems(theirs.__name__, (), names)
