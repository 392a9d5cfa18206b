"""Which functions of NumPy's are those of `_library.py`, and how they are called."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import heddle as hd
from heddle.simt import _library
from heddle.simt._errors import KernelError
from heddle.simt._registry import Handler, functions
from heddle.simt._types import Array, Call, Num, Tuple
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

# Those of rows, which take arrays with one dimension.
_OF_ROWS = frozenset(
    [
        "argsort",
        "bincount",
        "chosen",
        "concatenate",
        "cross",
        "diff",
        "digitize",
        "flatnonzero",
        "interp",
        "masked",
        "outer",
        "repeat",
        "roll",
        "searchsorted",
        "sort",
    ]
)
_PLAIN = [
    "allclose",
    "argmax",
    "argmin",
    "argsort",
    "ascontiguousarray",
    "bincount",
    "clip",
    "concatenate",
    "cross",
    "cumprod",
    "cumsum",
    "diff",
    "digitize",
    "eye",
    "flatnonzero",
    "identity",
    "interp",
    "isclose",
    "median",
    "outer",
    "ptp",
    "repeat",
    "roll",
    "searchsorted",
    "sort",
    "trace",
]
METHODS = ("argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "flatten", "repeat", "trace")


def _of(module: ModuleType) -> dict[str, types.FunctionType]:
    """The functions, with a module's arrays as their results."""
    names = dict(vars(_library), np=module)
    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType):
            made = types.FunctionType(value.__code__, names, name, value.__defaults__)
            made.__module__ = _library.__name__
            names[name] = made
    return {k: v for k, v in names.items() if isinstance(v, types.FunctionType)}


_numpys, _ours = _of(np), _of(hd)


def borrowed(
    state: Statements,
    name: str,
    numpys: bool,
    args: Sequence[object],
    keywords: dict[str, Any],
    node: Any,
) -> Any:
    """A call of one of the functions."""
    s = state
    assert isinstance(s, Whole)
    if not all(isinstance(a, (Array, Lazy, Num)) or not hasattr(a, "ndim") for a in args):
        raise s.error(node, f"{name} takes arrays of numbers in compiled functions")
    given = [s.made_array(a, node) if isinstance(a, Lazy) else a for a in args]
    inner = [i for a in given for i in (a.items if isinstance(a, Tuple) else [a])]
    if name in _OF_ROWS and any(isinstance(a, Array) and a.ndim != 1 for a in inner):
        raise s.error(node, f"{name} takes arrays with one dimension in compiled functions")
    placed = {"interp": 0, "searchsorted": 1}.get(name, -1)
    if 0 <= placed < len(given) and isinstance(given[placed], Array):
        name += "_all"
    function = (_numpys if numpys else _ours)[name]
    scope = s.scope
    try:
        return s.call_function(Call(function, given, keywords, node))
    except KernelError as error:
        said = str(error).partition("\n")[0]
        s.scope = scope
        raise s.error(node, f"{name} of these arguments: {said}") from error


def reduced_along(s: Whole, name: str, value: Any, axis: Any, node: Any) -> Any:
    """Of the columns or the rows of a matrix."""
    number = axis.constant if isinstance(axis, Num) else None
    if value.ndim != 2 or number not in (-2, -1, 0, 1):
        raise s.error(
            node, f"{name} takes a whole array, or a matrix and a literal axis, in kernels"
        )
    numpys = value.numpys
    way = "down" if number in (-2, 0) else "across"
    return borrowed(s, f"{name}_{way}", numpys, [value], {}, node)


def _handler(name: str, numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        return borrowed(state, name, numpys, args, keywords, node)

    return handler


def _nonzero(numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        return Tuple([borrowed(state, "flatnonzero", numpys, args, keywords, node)])

    return handler


for _module, _is in ((np, True), (hd, False)):
    for _name in _PLAIN:
        functions[getattr(_module, _name)] = _handler(_name, _is)
    functions[_module.linalg.norm] = _handler("norm", _is)
    functions[_module.round] = functions[_module.around] = _handler("round_", _is)
    functions[_module.nonzero] = _nonzero(_is)
