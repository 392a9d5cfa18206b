"""LAPACK's routines by name: ``dgtsv``, ``zgesv``; one for each type, see `_routines`."""

from typing import Any

from heddle.scipy.linalg._routines import LAPACK as _routines
from heddle.scipy.linalg._routines import find as _find
from heddle.scipy.linalg._routines import get_lapack_funcs

__all__ = ["get_lapack_funcs"]


def __getattr__(name: str) -> Any:
    return _find(_routines, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *(letter + name for letter in "sdcz" for name in _routines)})
