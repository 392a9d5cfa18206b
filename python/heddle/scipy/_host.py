"""SciPy's classes that compute on the host: arrays go there, and what they give comes back.

For what is of a few numbers, or what nobody has for other devices. docs/scipy.md says which.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy

from heddle._core import own_array
from heddle.scipy._generic import Held, device_of, here, there


def number(value: object) -> Any:
    """An argument that Python computes with: of an array of one number, that number."""
    return value.item() if isinstance(value, own_array) and value.ndim == 0 else value


class OnHost(Held):
    """An object of SciPy's that holds NumPy's arrays: what it gives is ours."""

    _class: Any = None

    def __init__(self, *args: object, **kwargs: object) -> None:
        self._device = device_of((*args, *kwargs.values()))
        self._theirs = self._class(*map(there, args), **{k: there(v) for k, v in kwargs.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_theirs", "_device", "_kept"):
            raise AttributeError(name)
        value = getattr(self._theirs, name)
        if inspect.isroutine(value):
            return self._method(value)
        if not isinstance(value, numpy.ndarray):
            return here(value, self._device)
        # An array that the object keeps is one array, which may be written to.
        kept = self.__dict__.setdefault("_kept", {})
        if name not in kept or kept[name][0] is not value:
            kept[name] = value, here(value, self._device)
        return kept[name][1]

    def _method(self, value: Any) -> Callable[..., Any]:
        @functools.wraps(value)
        def called(*args: Any, **kwargs: Any) -> Any:
            device = device_of((*args, *kwargs.values())) or self._device
            made = value(*map(there, args), **{k: there(v) for k, v in kwargs.items()})
            if type(made) is type(self._theirs):
                return type(self)._of(made, device)
            return here(made, device)

        return called

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._method(self._theirs.__call__)(*args, **kwargs)

    @classmethod
    def _of(cls, theirs: object, device: object) -> OnHost:
        made = cls.__new__(cls)
        made._theirs, made._device = theirs, device
        return made


def host_class(theirs: type) -> type[OnHost]:
    """A class of ours for one of SciPy's."""
    module = "heddle.scipy." + theirs.__module__.split(".")[1]
    names = {"_class": theirs, "__doc__": theirs.__doc__, "__module__": module}
    return type(theirs.__name__, (OnHost,), names)
