"""What kernels may call, by name and by function; other modules say what it becomes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

Handler = Callable[["Statements", list[Any], dict[str, Any], ast.Call], Any]
handlers: dict[str, Handler] = {}  # names of simt
functions: dict[Any, Handler] = {}  # Python's and NumPy's


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
