"""Errors and warnings that depend on elements.

Where the host sees elements without waiting, they come at the call, as NumPy's do. A device that
runs behind the host marks what it finds while it computes the result they belong to, and whoever
has waited for it raises the error or gives the warning, with the line of the call.
"""

import sys
import warnings
from os.path import dirname
from types import FrameType
from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._core import ndarray, ufuncs

_package = dirname(__file__)


def _anywhere(condition: ndarray) -> ndarray:
    return _core.reduce(ufuncs["logical_or"], condition, None, False, None)


def _along(condition: ndarray, value: ndarray) -> ndarray:
    """The condition as one that broadcasts to the value's shape."""
    lead = value.ndim - condition.ndim
    fits = lead >= 0 and all(
        have in (1, want) for have, want in zip(condition.shape, value.shape[lead:], strict=True)
    )
    return condition if fits else _anywhere(condition)


# --- errors ---


def refuse_if(
    condition: Any, value: ndarray, error: type[Exception], text: str, operation: str
) -> ndarray:
    """The value; raises the error where the condition, an array or NumPy's, is true anywhere.

    On a device that runs behind the host the error comes when the value has been computed, and
    names the operation and the line it was called on.
    """
    if not condition.size:
        return value
    # Where nothing is computed nothing is found.
    if isinstance(condition, ndarray) and value.size and _core.runs_behind(condition):
        return _core.refused(_along(condition, value), value, error.__name__, text, operation)
    if condition.any():
        raise error(text)
    return value


# --- warnings ---


def _caller() -> FrameType | None:
    """The innermost frame that is not this package's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_package):
        frame = frame.f_back
    return frame


def _place(frame: FrameType | None) -> tuple[str, int, str, dict[Any, Any]]:
    """File, line, module and registry of a frame, as `warnings.warn` finds them."""
    if frame is None:
        return "<sys>", 0, "sys", {}
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    return frame.f_code.co_filename, frame.f_lineno, names.get("__name__", "<string>"), registry


def _matches(pattern: Any, text: str) -> bool:
    if pattern is None:
        return True
    return pattern == text if isinstance(pattern, str) else pattern.match(text) is not None


def _filters() -> list[Any]:
    # Since Python 3.14 they may be those of a context.
    return warnings._get_filters() if hasattr(warnings, "_get_filters") else warnings.filters


def _action(text: str, category: type[Warning], module: str, line: int) -> str:
    """What the filters in force say about a warning."""
    for action, of_text, of_category, of_module, of_line in _filters():
        if (
            issubclass(category, of_category)
            and of_line in (0, line)
            and _matches(of_text, text)
            and _matches(of_module, module)
        ):
            return action
    return warnings.defaultaction


def _recorded() -> bool:
    """Whether somebody takes warnings in place of the user: a record is complete at its end."""
    if hasattr(warnings, "_get_context"):
        if warnings._get_context().log is not None:
            return True
    elif getattr(warnings._showwarnmsg_impl, "__module__", None) != "warnings":
        return True  # catch_warnings(record=True)
    # A log file is read later anyway.
    return warnings.showwarning.__module__ not in ("warnings", "logging")


def warn(text: str, category: type[Warning] = RuntimeWarning, times: int = 1) -> None:
    """Gives a warning for the line that called this package."""
    file, line, module, registry = _place(_caller())
    for _ in range(times):
        warnings.warn_explicit(text, category, file, line, module, registry)


def warn_if(
    condition: ndarray,
    value: ndarray,
    text: str,
    category: type[Warning] = RuntimeWarning,
    each: bool = False,
) -> ndarray:
    """The value; gives a warning where the condition is true anywhere (``each``: for every place).

    The filters in force at the call decide. What they ignore nobody looks for; what they turn into
    errors, and what is recorded, is looked for at the call.
    """
    if not condition.size:
        return value
    file, line, module, _ = _place(_caller())
    action = _action(text, category, module, line)
    if action == "ignore":
        return value
    later = value.size and _core.runs_behind(condition)
    if later and action != "error" and not _recorded():
        return _core.warned(
            _along(condition, value), value, text, category.__name__, f"{action}:{file}:{line}"
        )
    _core.eval(value, condition)  # in one pass
    if each:
        kind = _numpy.dtype(_numpy.int64)
        warn(text, category, _core.reduce(ufuncs["add"], condition, None, False, kind)._item())
    elif bool(_anywhere(condition)):
        warn(text, category)
    return value


class _Shown:
    """Which warnings the user has seen, until the filters change, as Python's registries know."""

    def __init__(self) -> None:
        self.keys: set[tuple[Any, ...]] = set()
        self.filters: list[Any] = []

    def first(self, action: str, text: str, category: str, file: str, line: int) -> bool:
        if action not in ("default", "module", "once"):
            return True
        if self.filters != _filters():
            self.filters = list(_filters())
            self.keys.clear()
        place = {"default": (file, line), "module": (file,), "once": ()}[action]
        key = (text, category, *place)
        new = key not in self.keys
        self.keys.add(key)
        return new


_shown = _Shown()


def _give(text: str, category: str, place: str) -> None:
    """Shows a warning that a device found; the filters at the call have let it through."""
    import builtins

    action, place = place.split(":", 1)
    file, line = place.rsplit(":", 1)
    if _shown.first(action, text, category, file, int(line)):
        kind = getattr(builtins, category, None) or getattr(_numpy.exceptions, category)
        warnings.showwarning(kind(text), kind, file, int(line))


_core.set_warning_function(_give)
