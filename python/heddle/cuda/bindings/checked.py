"""The functions of all libraries once more: they give results alone, and raise `CUDARuntimeError`.

A function with one result gives it, one with several a tuple, one without None. The error's
`status` is the number of the error.

Examples
--------
>>> from heddle.cuda.bindings import checked
>>> major, minor = checked.nvrtcVersion()  # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from heddle import _core
from heddle.cuda.bindings._calls import Function, Library
from heddle.cuda.bindings._libraries import LIBRARIES

_WORDS = {  # functions that say what an error is
    "driver": "cuGetErrorString",
    "runtime": "cudaGetErrorString",
    "nvrtc": "nvrtcGetErrorString",
    "nvvm": "nvvmGetErrorString",
}


def _error(library: Library, name: str, error: Any) -> Exception:
    text = f"{name}: {getattr(error, 'name', error)}"
    missing = library.why_not()
    if missing is not None:
        text = f"{text}: no GPU can be used: {_core.cuda.why_unavailable()}"
    elif library.name in _WORDS:
        said = library.find(_WORDS[library.name])(error)[1]
        text = f"{text}: {said.decode()}" if said else text
    made = _core.cuda.CUDARuntimeError(text)
    made.status = int(error)
    return made  # type: ignore[no-any-return]


class CheckedFunction:
    """A function that gives its results, and raises where there is an error."""

    def __init__(self, library: Library, function: Function) -> None:
        self._library, self._function = library, function
        self.__name__ = self.__qualname__ = function.__name__
        self.__module__ = __name__
        call, _, results = str(function.__doc__).partition(" -> (")
        names = results.rstrip(")").split(", ")[1:]
        shown = names[0] if len(names) == 1 else f"({', '.join(names)})" if names else "None"
        self.__doc__ = f"{call} -> {shown}"

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__doc__}>"

    def __call__(self, *args: object, **named: object) -> Any:
        error, *results = self._function(*args, **named)
        if error:
            raise _error(self._library, self.__name__, error)
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)


def __getattr__(name: str) -> Any:
    if not name.startswith("__"):
        for library in LIBRARIES.values():
            try:
                value = library.find(name)
            except KeyError:
                continue
            if isinstance(value, Function):
                value = CheckedFunction(library, value)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
