"""What kernels may call, by name and by function; other modules say what it becomes."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

Handler = Callable[["Statements", list[Any], dict[str, Any], ast.Call], Any]
handlers: dict[str, Handler] = {}  # names of simt
functions: dict[Any, Handler] = {}  # Python's and NumPy's


_ours: dict[str, list[tuple[str, Handler]]] = {}  # Heddle's, by their names: where, and how
# Whose functions are told by a module of their own, which few programs need.
_LATE = {
    **{"random": "_draws", "numpy.random": "_draws", "heddle.random": "_draws"},
    "math": "_library_math",
    **{"functools": "_library_heaps", "_functools": "_library_heaps", "_heapq": "_library_heaps"},
    "heapq": "_library_heaps",
}


def known_as(place: str, theirs: Handler, ours: Handler | None = None) -> None:
    """A function of NumPy's and of Heddle's by its place: "sort", "linalg.solve".

    Heddle's is not looked at before somebody calls it: that would import most of the package.
    """
    function: Any = np
    for part in place.split("."):
        function = getattr(function, part)
    functions[function] = theirs
    _ours.setdefault(place.rpartition(".")[2], []).append((place, ours or theirs))


def found(what: object) -> Handler | None:
    """How a function is called in kernels."""
    try:
        handler = functions.get(what)
    except TypeError:
        return None
    if handler is not None:
        return handler
    home = getattr(what, "__module__", None)
    if not isinstance(home, str):
        home = type(getattr(what, "__self__", None)).__module__
    for name, module in _LATE.items():
        if home == name or home.startswith(f"{name}."):
            importlib.import_module(f"heddle.simt.{module}").know()
            return functions.get(what)
    if home.partition(".")[0] == "heddle":
        for place, handler in _ours.get(getattr(what, "__name__", ""), ()):
            owner: Any = importlib.import_module("heddle")
            for part in place.split("."):
                owner = getattr(owner, part)
            if owner is what:
                functions[what] = handler
                return handler
    return None


def handles(*names: str) -> Callable[[Handler], Handler]:
    def add(handler: Handler) -> Handler:
        for name in names:
            handlers[name] = handler
        return handler

    return add


def stands_for(*given: object) -> Callable[[Handler], Handler]:
    def add(handler: Handler) -> Handler:
        for function in given:
            functions[function] = handler
        return handler

    return add
