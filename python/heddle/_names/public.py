"""Functions and classes say that they are of the module where users find them."""

from types import FunctionType
from typing import Any

from heddle._core import function

_kinds = (FunctionType, type, function)


def publish(module: str, *values: object) -> None:
    """Gives functions and classes of private modules the name of a public one."""
    for value in values:
        if not isinstance(value, _kinds) or not _is_private(value.__module__):
            continue
        found: Any = value
        while found is not None:
            found.__module__ = module
            found = getattr(found, "__wrapped__", None)


def _is_private(module: str) -> bool:
    return module.startswith("heddle.") and "._" in module and module != "heddle._core"
