"""SciPy's functions and classes that compute on the host: arrays go there, and results come back.

For what is of a few numbers, or what nobody has for other devices. docs/scipy.md says which.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy

import heddle as np
from heddle._core import ndarray


def there(value: Any) -> Any:
    """An argument for SciPy: arrays are NumPy's, and objects of ours are theirs."""
    if isinstance(value, ndarray):
        return np.asnumpy(value)
    if isinstance(value, OnHost):
        return value._theirs
    if type(value) in (tuple, list):
        return type(value)(map(there, value))
    return value


def here(value: Any, device: Any) -> Any:
    """A result of SciPy's: arrays are ours, on a device."""
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc":
        return np.asarray(value, device=device)
    if type(value) in (tuple, list):
        return type(value)(here(each, device) for each in value)
    return value


def device_of(values: Any) -> Any:
    """The device of the first array among arguments."""
    for value in values:
        if isinstance(value, ndarray):
            return value.device
        if isinstance(value, OnHost):
            return value._device
        if isinstance(value, (tuple, list)) and (found := device_of(value)) is not None:
            return found
    return None


def on_host(function: Callable[..., Any], module: str) -> Callable[..., Any]:
    """A function of SciPy's, called with NumPy's arrays."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        device = device_of((*args, *kwargs.values()))
        made = function(*map(there, args), **{k: there(v) for k, v in kwargs.items()})
        return here(made, device)

    called.__module__ = module
    return called


class OnHost:
    """An object of SciPy's that holds NumPy's arrays: what it gives is ours."""

    _class: Any = None
    _theirs: Any
    _device: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._device = device_of((*args, *kwargs.values()))
        self._theirs = self._class(*map(there, args), **{k: there(v) for k, v in kwargs.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_theirs", "_device"):
            raise AttributeError(name)
        value = getattr(self._theirs, name)
        return self._method(value) if inspect.isroutine(value) else here(value, self._device)

    def _method(self, value: Any) -> Callable[..., Any]:
        @functools.wraps(value)
        def called(*args: Any, **kwargs: Any) -> Any:
            device = device_of((*args, *kwargs.values())) or self._device
            made = value(*map(there, args), **{k: there(v) for k, v in kwargs.items()})
            if type(made) is type(self._theirs):
                return type(self)._of(made, device)
            return here(made, device)

        return called

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(self._theirs.__call__)(*args, **kwargs)

    @classmethod
    def _of(cls, theirs: Any, device: Any) -> OnHost:
        made = cls.__new__(cls)
        made._theirs, made._device = theirs, device
        return made


def host_class(theirs: Any, module: str) -> type[OnHost]:
    """A class of ours for one of SciPy's."""
    names = {"_class": theirs, "__doc__": theirs.__doc__, "__module__": module}
    return type(theirs.__name__, (OnHost,), names)


def finder(
    name: str,
    generic: Callable[[str], Any],
    functions: Iterable[str] = (),
    classes: Iterable[str] = (),
    as_they_are: Iterable[str] = (),
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module: `generic` finds what is generic, and says what is not.

    `functions` and `classes` of SciPy's are called with NumPy's arrays; `as_they_are` are SciPy's.
    """
    wrapped = frozenset(classes)
    here_too = frozenset((*functions, *wrapped, *as_they_are))

    def find(attribute: str) -> Any:
        if attribute not in here_too:
            return generic(attribute)
        try:
            theirs = importlib.import_module(name.removeprefix("heddle."))
        except ImportError as error:
            raise AttributeError(
                f"module {name!r} has no attribute {attribute!r}: it needs SciPy (pip install "
                "heddle[scipy])"
            ) from error
        value = getattr(theirs, attribute)
        if attribute in wrapped:
            value = host_class(value, name)
        elif inspect.isfunction(value):
            value = on_host(value, name)
        setattr(sys.modules[name], attribute, value)
        return value

    find.generic_names = here_too | generic.generic_names  # type: ignore[attr-defined]
    return find
