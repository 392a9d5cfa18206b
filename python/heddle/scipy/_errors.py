"""Errors and warnings that SciPy has classes of.

`heddle.scipy` needs no SciPy, and so has classes of its own. A program that imported SciPy's module
may name SciPy's class in an `except` or in a filter of warnings: what it gets is of both classes.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, ClassVar, Self


class OfScipy(BaseException):
    """What an error or a warning inherits from beside its usual class; `module` is SciPy's."""

    _module: ClassVar[str] = ""
    _ours: ClassVar[type[OfScipy] | None] = None

    def __init_subclass__(cls, module: str = "", **keywords: object) -> None:
        super().__init_subclass__(**keywords)
        if module:
            cls._module = module

    def __new__(cls, *args: object, **_: object) -> Self:
        theirs = getattr(sys.modules.get(cls._module), cls.__name__, None)
        kind: Any = cls
        if theirs is not None and not issubclass(cls, theirs):
            kind = _both(kind, theirs)
        made: Self = super().__new__(kind, *args)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        made = super().__reduce__()
        assert isinstance(made, tuple)
        return (self._ours or type(self), *made[1:])


@functools.cache
def _both(ours: Any, theirs: Any) -> type:
    members = {"__module__": ours.__module__, "__doc__": ours.__doc__, "_ours": ours}
    return type(ours.__name__, (ours, theirs), members)
