"""SciPy's own sparse arrays and matrices with arrays of ours: the result is ours.

``scipy.sparse.csr_array @ x`` would make NumPy's array of `x`, which other devices forbid, and has
no protocol to ask by. So its operators are wrapped, once: where the other operand is an array of
ours, the sparse one becomes ours, too, beside it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from heddle._core import ndarray

_OPERATORS = "add radd sub rsub mul rmul matmul rmatmul truediv eq ne lt gt le ge"
_NAMES = [f"__{name}__" for name in _OPERATORS.split(" ")] + [
    "dot",
    "multiply",
    "maximum",
    "minimum",
]


def _asking(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: object, other: object, *args: object, **kwargs: object) -> Any:
        if isinstance(other, ndarray) and other.ndim:
            from heddle.scipy.sparse._foreign import from_scipy

            return getattr(from_scipy(self, other.device), name)(other, *args, **kwargs)
        return method(self, other, *args, **kwargs)

    call._asks_heddle = True  # type: ignore[attr-defined]
    return call


def register() -> None:
    """Wraps the operators of SciPy's classes, wherever they are defined."""
    module = sys.modules["scipy.sparse"]
    formats = [
        value for name, value in vars(module).items() if name.endswith(("_array", "_matrix"))
    ]
    classes = {base for cls in formats if isinstance(cls, type) for base in cls.__mro__}
    for cls in classes - {object}:
        if not cls.__module__.startswith("scipy.sparse"):
            continue
        for name in _NAMES:
            method = vars(cls).get(name)
            if callable(method) and not hasattr(method, "_asks_heddle"):
                setattr(cls, name, _asking(method, name))
