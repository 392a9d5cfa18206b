"""SciPy's own sparse arrays and matrices with arrays of ours: the result is ours.

``scipy.sparse.csr_array @ x`` would make NumPy's array of `x`, which other devices forbid, and has
no protocol to ask by. So its operators are wrapped, once: where the other operand is an array of
ours, the sparse one becomes ours, too, beside it. Linear operators are asked in the same way, and
are made of our arrays, too.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from heddle._core import own_array

_OPERATORS = "add radd sub rsub mul rmul matmul rmatmul truediv eq ne lt gt le ge"
_NAMES = [f"__{name}__" for name in _OPERATORS.split(" ")] + [
    "dot",
    "multiply",
    "maximum",
    "minimum",
]

_PRODUCTS = (
    *("matvec", "rmatvec", "matmat", "rmatmat", "dot"),
    *("__mul__", "__rmul__", "__matmul__", "__rmatmul__"),
)


def _asking(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: object, other: object, *args: object, **kwargs: object) -> Any:
        if isinstance(other, own_array) and other.ndim:
            from heddle.scipy.sparse._foreign import from_scipy

            return getattr(from_scipy(self, other.device), name)(other, *args, **kwargs)
        return method(self, other, *args, **kwargs)

    call._asks_heddle = True  # type: ignore[attr-defined]
    return call


def _taking_ours(init: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(init)
    def call(self: object, arg1: Any, *args: object, **kwargs: object) -> None:
        ours = sys.modules.get("heddle.scipy.sparse")
        if ours is not None and ours.issparse(arg1) and arg1.device == "cpu":
            arg1 = arg1.get()
        init(self, arg1, *args, **kwargs)

    call._asks_heddle = True  # type: ignore[attr-defined]
    return call


def register() -> None:
    """Wraps the operators of SciPy's classes, wherever they are defined, and what makes them.

    So what `scipy.sparse.vstack` and its kind join may be ours.
    """
    module = sys.modules["scipy.sparse"]
    formats = [
        value for name, value in vars(module).items() if name.endswith(("_array", "_matrix"))
    ]
    classes = {base for cls in formats if isinstance(cls, type) for base in cls.__mro__}
    for cls in classes - {object}:
        if not cls.__module__.startswith("scipy.sparse"):
            continue
        for name in ("__init__", *_NAMES):
            method = vars(cls).get(name)
            if callable(method) and not hasattr(method, "_asks_heddle"):
                made = _taking_ours(method) if name == "__init__" else _asking(method, name)
                setattr(cls, name, made)


def _asking_operator(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: object, x: object) -> Any:
        if isinstance(x, own_array) and x.ndim:
            from heddle.scipy.sparse.linalg._scipys_operators import of_scipys

            return getattr(of_scipys(self), name)(x)
        return method(self, x)

    call._asks_heddle = True  # type: ignore[attr-defined]
    return call


def register_operators(module: Any) -> None:
    """Wraps products of SciPy's linear operators, and lets `aslinearoperator` take our arrays.

    It leaves matrices as they are which another library says are sparse: ours are let in there.
    """
    cls, is_others = module.LinearOperator, module.is_pydata_spmatrix
    if hasattr(cls.matvec, "_asks_heddle"):
        return
    for name in _PRODUCTS:
        setattr(cls, name, _asking_operator(vars(cls)[name], name))

    def is_matrix(a: object) -> bool:
        ours = isinstance(a, own_array) and a.ndim == 2
        return ours or hasattr(type(a), "tocoo") or is_others(a)

    module.is_pydata_spmatrix = is_matrix
