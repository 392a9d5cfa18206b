"""Errors and warnings that depend on elements.

Where the host sees elements without waiting, they come at the call, as NumPy's do. A device that
runs behind the host marks what it finds while it computes the result they belong to, and whoever
has waited for it raises the error or gives the warning, with the line of the call.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from os.path import dirname
from types import FrameType
from typing import Any, cast

import numpy as _numpy

from heddle import _core
from heddle._core import ndarray, own_array, ufuncs
from heddle._typing import HostArray

_package = dirname(dirname(__file__))
_INT64 = _numpy.dtype(_numpy.int64)


def _is_true(condition: ndarray | HostArray) -> bool:
    """Whether a condition, an array or NumPy's, is true anywhere: in any row of a batch."""
    if isinstance(condition, own_array):
        return _core.is_true_anywhere(condition)
    return bool(condition.any())


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
    condition: ndarray | HostArray,
    value: ndarray,
    error: type[Exception],
    text: str,
    operation: str,
) -> ndarray:
    """The value; raises the error where the condition, an array or NumPy's, is true anywhere.

    On a device that runs behind the host the error comes when the value has been computed, and
    names the operation and the line it was called on.
    """
    if not condition.size:
        return value
    # Where nothing is computed nothing is found.
    if isinstance(condition, own_array) and value.size and _core.runs_behind(condition):
        return _core.refused(_along(condition, value), value, error.__name__, text, operation)
    if _is_true(condition):
        raise error(text)
    return value


# --- warnings ---


def _caller() -> FrameType | None:
    """The innermost frame that is not this package's."""
    frame: FrameType | None = sys._getframe(1)
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


def warn_at_caller(text: str, category: type[Warning]) -> None:
    """A warning at the line that called this package; once for each, as filters have it."""
    file, line, module, registry = _place(_caller())
    warnings.warn_explicit(text, category, file, line, module, registry)


def _matches(pattern: Any, text: str) -> bool:
    if pattern is None:
        return True
    return pattern == text if isinstance(pattern, str) else pattern.match(text) is not None


_python_warnings: Any = warnings  # with what its stubs leave out


def _filters() -> Sequence[Any]:
    if hasattr(warnings, "_get_filters"):  # since Python 3.14 they may be those of a context
        return cast("Sequence[Any]", _python_warnings._get_filters())
    return warnings.filters


class _Known:
    """What follows from the filters, until they change."""

    def __init__(self) -> None:
        self.filters: list[Any] = []
        self.actions: dict[tuple[str, type[Warning]], str] = {}
        self.shown: set[tuple[Any, ...]] = set()  # as Python's registries have it

    def refresh(self) -> None:
        filters = _filters()
        if self.filters != filters:
            self.filters, self.actions, self.shown = list(filters), {}, set()


_known = _Known()


def _action(text: str, category: type[Warning]) -> str:
    """What the filters in force say about a warning of the running call."""
    _known.refresh()
    known = _known.actions.get((text, category))
    if known is not None:
        return known
    found, everywhere = str(_python_warnings.defaultaction), True
    for action, of_text, of_category, of_module, of_line in _known.filters:
        if not issubclass(category, of_category) or not _matches(of_text, text):
            continue
        if of_line or of_module is not None:
            everywhere = False
            _, line, module, _ = _place(_caller())
            if of_line not in (0, line) or not _matches(of_module, module):
                continue
        found = action
        break
    if everywhere:
        _known.actions[text, category] = found
    return found


def _recorded() -> bool:
    """Whether somebody takes warnings in place of the user: a record is complete at its end."""
    if hasattr(warnings, "_get_context"):
        if _python_warnings._get_context().log is not None:
            return True
    elif getattr(_python_warnings._showwarnmsg_impl, "__module__", None) != "warnings":
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
    action = _action(text, category)
    if action == "ignore":
        return value
    later = value.size and _core.runs_behind(condition)
    if later and action != "error" and not _recorded():
        file, line, *_ = _place(_caller())
        place = f"{action}:{file}:{line}"
        return _core.warned(_along(condition, value), value, text, category.__name__, place)
    if _core.is_stand_in(condition):
        if _is_true(condition):
            warn(text, category)
        return value
    found = _anywhere(condition)
    _core.eval(value, found)  # in one pass
    if found._item():
        times = _core.reduce(ufuncs["add"], condition, None, False, _INT64)._item() if each else 1
        warn(text, category, int(times.real))
    return value


def _is_new(action: str, text: str, category: str, file: str, line: int) -> bool:
    """Whether the user is to see a warning that was found, which may have been seen before."""
    places: dict[str, tuple[Any, ...]] = {"default": (file, line), "module": (file,), "once": ()}
    if action not in places:
        return True
    _known.refresh()
    key = (text, category, *places[action])
    new = key not in _known.shown
    _known.shown.add(key)
    return new


def _give(text: str, category: str, place: str) -> None:
    """Shows a warning that a device found; the filters at the call have let it through."""
    import builtins

    action, place = place.split(":", 1)
    file, line = place.rsplit(":", 1)
    if _is_new(action, text, category, file, int(line)):
        kind = getattr(builtins, category, None) or getattr(_numpy.exceptions, category)
        warnings.showwarning(kind(text), kind, file, int(line))


_core.set_warning_function(_give)
_core.set_warning_functions(warn, warn_if)
