"""SciPy's own functions, where they are generic: called with SciPy's array API mode on.

SciPy reads its mode, ``SCIPY_ARRAY_API`` in the environment, once, when it is imported. Here it is
an object that says yes while one of our calls runs, in that thread, and else what it said before.
"""

from __future__ import annotations

import contextvars
import dataclasses
import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy

from heddle._array.transfer import asnumpy
from heddle._core import NoNumbers, own_array, ufunc
from heddle._creation.arrays import asarray
from heddle._typing import Seed

_on = contextvars.ContextVar("scipy_array_api", default=False)


def calling_scipys() -> bool:
    """Whether one of our calls of SciPy's own functions runs."""
    return _on.get()


class _Mode:
    """The value of SciPy's switch."""

    def __init__(self, before: object) -> None:
        self.before = before

    def __bool__(self) -> bool:
        return _on.get() or bool(self.before)


def _make_switchable() -> None:
    """Puts our object in place of the switch, wherever SciPy's modules have it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("scipy.") and "SCIPY_ARRAY_API" in vars(module):
            before = module.SCIPY_ARRAY_API
            if not isinstance(before, _Mode):
                module.SCIPY_ARRAY_API = _Mode(before)  # type: ignore[attr-defined]
        settings = vars(module).get("_GLOBAL_CONFIG") if name == "scipy._lib._array_api" else None
        if settings and not isinstance(settings["SCIPY_ARRAY_API"], _Mode):  # before 1.17
            settings["SCIPY_ARRAY_API"] = _Mode(settings["SCIPY_ARRAY_API"])


def _given(value: object) -> Any:
    """An argument for SciPy: NumPy's arrays become ours, as kinds of arrays are not mixed.

    Generators are NumPy's, which SciPy asks for.
    """
    if isinstance(value, numpy.ndarray) and value.dtype != object:
        return asarray(value)
    return numpys_generator(value)


def _listed(value: Any, device: str | None) -> Any:
    """An array of ours of a list of numbers, or of a number of NumPy's, which SciPy calls one."""
    if isinstance(value, numpy.generic) and value.dtype.kind in "biufc":
        return asarray(value, device=device)
    if type(value) not in (list, tuple):
        return value
    try:
        made = numpy.asarray(there(value))
    except ValueError:  # lists of several lengths: a filter's two, a system's matrices
        return type(value)(_listed(each, device) for each in value)
    return asarray(made, device=device) if made.dtype.kind in "biufc" else value


def _result(value: object) -> Any:
    """A result of SciPy's: arrays are ours, also those that no argument of ours led to."""
    if isinstance(value, numpy.ndarray):
        return asarray(value) if value.dtype.kind in "biufc" else value
    if type(value) is tuple or type(value) is list:
        return type(value)(_result(v) for v in value)
    return value


# What SciPy says of lists beside arrays of ours, and of lists of arrays of ours.
_MIXED = (
    "Multiple namespaces",
    "Implicit conversion",
    "An argument is neither array API compatible nor coercible by NumPy",
)


def generic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of SciPy's that is called with the array API mode on."""

    @functools.wraps(function)
    def called(*args: object, **kwargs: bool) -> Any:
        token = _on.set(True)
        try:
            given = {name: _given(value) for name, value in kwargs.items()}
            positional = [_given(value) for value in args]
            try:
                return _result(function(*positional, **given))
            except TypeError as error:
                if not str(error).startswith(_MIXED):
                    raise
            # Lists beside arrays of ours, which SciPy would make arrays of NumPy's, or ours with
            # them: which arguments are arrays only it knows.
            device = device_of((*positional, *given.values()))
            given = {name: _listed(value, device) for name, value in given.items()}
            return _result(function(*(_listed(value, device) for value in positional), **given))
        finally:
            _on.reset(token)

    return called


def _scipys(module: str, name: str, why: str) -> ModuleType:
    """SciPy's module, or an error that says for what it is needed."""
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise AttributeError(f"{why}: {name!r} needs SciPy (pip install heddle[scipy])") from error
    _make_switchable()
    return found


_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial, ufunc)


class Held:
    """What holds an object of SciPy's, which computes on the host."""

    _theirs: Any
    _device: Any


def there(value: Any) -> Any:
    """An argument for SciPy's code of the host: arrays are NumPy's, objects of ours are theirs."""
    if isinstance(value, own_array):
        return asnumpy(value)
    if isinstance(value, Held):
        return value._theirs
    if type(value) in (tuple, list):
        return type(value)(map(there, value))
    if isinstance(value, _FUNCTIONS):  # of the user's, which may give arrays of a device
        return lambda *args, **kwargs: there(value(*args, **kwargs))
    return numpys_generator(value)


def numpys_generator(value: Any) -> Any:
    """NumPy's generator behind one of ours; for Philox, one with its next numbers as seed.

    Anything else as it is.
    """
    # Not imported before somebody has one.
    random = sys.modules.get("heddle.random")
    if random is None or not isinstance(value, (random.Generator, random.RandomState)):
        return value
    if (host := getattr(value, "_host", None)) is not None:
        return host
    return numpy.random.default_rng(asnumpy(value.integers(0, 2**63 - 1, 4)).tolist())


def host_generator(seed: Seed) -> numpy.random.Generator:
    """NumPy's generator of a seed, or for what a generator of ours draws next."""
    return numpy.random.default_rng(there(seed))


def changed(made: Any, change: Callable[..., Any], *others: Any) -> Any:
    """A result of SciPy's with its parts changed, by those of other results of its kind.

    It may be a tuple, which may have names and further attributes, or an object with fields.
    """
    if dataclasses.is_dataclass(made) and not isinstance(made, type):
        fields = [f.name for f in dataclasses.fields(made) if f.init]
        given = {f: change(*(getattr(each, f) for each in (made, *others))) for f in fields}
        return dataclasses.replace(made, **given)
    if not isinstance(made, tuple):
        return change(made, *others)
    parts = [change(*each) for each in zip(made, *others, strict=True)]
    new = tuple.__new__(type(made), parts)
    for name, value in vars(made).items() if hasattr(made, "__dict__") else ():
        is_asked = name == "_alternative"  # of a test, for all rows the same
        vars(new)[name] = value if is_asked else change(*(vars(e)[name] for e in (made, *others)))
    return new


def here(value: Any, device: str | None) -> Any:
    """A result of the host's, on the device that the arguments came from."""
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc":
        return asarray(value, device=device)
    if type(value) is list:
        made = [here(each, device) for each in value]
        is_same = all(a is b for a, b in zip(made, value, strict=True))
        return value if is_same else made  # a list that an object keeps is that list
    return changed(value, lambda part: here(part, device)) if isinstance(value, tuple) else value


def device_of(values: tuple[Any, ...] | list[Any]) -> str | None:
    """The device of the first array among arguments."""
    for value in values:
        if isinstance(value, own_array):
            return value.device
        if isinstance(value, Held):
            made: str | None = value._device
            return made
        if isinstance(value, (tuple, list)) and (found := device_of(value)) is not None:
            return found
    return None


def numbers_as_arrays(made: Any, given: tuple[Any, ...]) -> Any:
    """A result whose numbers of NumPy's are arrays, as SciPy's mode has them, where `given` are."""
    if isinstance(made, numpy.generic) and made.dtype.kind in "biufc":
        return asarray(made, device=device_of(given))
    if type(made) in (tuple, list):
        return type(made)(numbers_as_arrays(each, given) for each in made)
    return made


def on_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of SciPy's that is called on the host: arrays are copied there and back."""

    @functools.wraps(function)
    def called(*args: object, **kwargs: str) -> Any:
        device = device_of((*args, *kwargs.values()))
        made = function(*map(there, args), **{k: there(v) for k, v in kwargs.items()})
        return here(made, device)

    return called


def generic_or_on_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """A generic function of SciPy's that for some arguments computes in NumPy's memory."""
    where_they_are, copied = generic(function), on_host(function)

    @functools.wraps(function)
    def called(*args: object, **kwargs: object) -> Any:
        try:
            return where_they_are(*args, **kwargs)
        except TypeError as error:
            if not str(error).startswith("Implicit conversion"):
                raise
        return copied(*args, **kwargs)

    return called


def or_scipys(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the module `name`, that is SciPy's for what arrays of ours do not hold.

    Those are long doubles for the most part, of which SciPy gives NumPy's arrays.
    """

    @functools.wraps(function)
    def called(*args: object, **kwargs: object) -> Any:
        try:
            return function(*args, **kwargs)
        except NoNumbers:
            theirs: ModuleType | None
            try:
                theirs = importlib.import_module(name.removeprefix("heddle."))
            except ImportError:
                theirs = None
            if theirs is None:
                raise
        given = {key: there(value) for key, value in kwargs.items()}
        return getattr(theirs, function.__name__)(*map(there, args), **given)

    return called


def open_module(
    name: str,
    generic_names: Iterable[str] = (),
    host_names: Iterable[str] = (),
    wrapped: Mapping[str, Callable[[Any], Any]] | None = None,
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module: finds SciPy's own functions, and says what is not there.

    `name` is the module's (``heddle.scipy.signal``), `generic_names` are those of SciPy's that stay
    on the device, `host_names` those that are called on the host, and `wrapped` says what becomes
    of others. Constants and classes are SciPy's as they are.
    """
    how: dict[str, Callable[[Any], Any]] = dict(wrapped or {})
    how |= dict.fromkeys(host_names, lambda v: on_host(v) if inspect.isfunction(v) else v)
    how |= dict.fromkeys(generic_names, lambda v: generic(v) if inspect.isfunction(v) else v)
    scipys = name.removeprefix("heddle.")

    def find(attribute: str) -> Any:
        text = f"module {name!r} has no attribute {attribute!r}"
        if attribute in how:
            theirs = getattr(_scipys(scipys, attribute, text), attribute)
            value = how[attribute](theirs)
            if inspect.isfunction(theirs):
                value.__module__ = name
            setattr(sys.modules[name], attribute, value)
            return value
        theirs = sys.modules.get(scipys)
        if not attribute.startswith("_") and theirs is not None and hasattr(theirs, attribute):
            text += " yet; SciPy's own works on heddle.asnumpy(x)"
        raise AttributeError(text)

    find.generic_names = frozenset(how)  # type: ignore[attr-defined]
    return find
