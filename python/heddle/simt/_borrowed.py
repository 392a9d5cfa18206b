"""Which functions of NumPy's are those of `_library.py`, and how they are called."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import heddle as hd
from heddle.simt import _library, _library_matrices, _library_statistics
from heddle.simt._errors import KernelError
from heddle.simt._registry import Handler, known_as
from heddle.simt._types import (
    FLOAT64,
    NAMES,
    Array,
    Call,
    Constant,
    Num,
    Number,
    Slice,
    Tuple,
    is_complex,
    is_float,
    promote,
)
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

# Those of rows, which take arrays with one dimension.
_OF_ROWS = frozenset(
    [
        *("argsort", "bincount", "chosen", "concatenate_rows", "cross", "diff", "digitize"),
        *("flatnonzero", "interp", "outer", "repeat", "roll", "searchsorted", "sort"),
        *("average_weighted", "convolve", "convolve_same", "convolve_valid", "correlate", "cov"),
        *("cov_pair", "corrcoef_pair", "delete", "stack_rows", "trapezoid", "trapezoid_along"),
        *("vander", "vdot"),
    ]
)
_OF_MATRICES = frozenset(
    [
        *("cholesky", "concatenate_axis", "corrcoef", "cov_rows", "det", "fliplr", "inv", "kron"),
        *("matrix_power", "tril", "triu"),
    ]
)
# Those whose results have the type that all arrays fit, or a floating one of it.
_JOINED = frozenset(
    [
        *("append", "append_one", "column_stack", "concatenate_axis", "concatenate_rows"),
        *("convolve", "convolve_same", "convolve_valid", "correlate", "hstack", "kron"),
        *("stack_rows", "vstack"),
    ]
)
_FLOATING = frozenset(["cholesky", "inv", "solve"])
_PLAIN = [
    *("append", "argwhere", "array_equal", "average", "column_stack", "concatenate", "convolve"),
    *("corrcoef", "correlate", "cov", "delete", "diag", "flip", "fliplr", "flipud", "histogram"),
    *("hstack", "kron", "nan_to_num", "percentile", "quantile", "sinc", "stack", "trapezoid"),
    *("tri", "tril", "triu", "unique", "vander", "vdot", "vstack"),
    "allclose",
    "argmax",
    "argmin",
    "argsort",
    "ascontiguousarray",
    "bincount",
    "clip",
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
    parts = (_library, _library_matrices, _library_statistics)
    names = {name: value for part in parts for name, value in vars(part).items()}
    names["np"] = module
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
    given = [_made(s, a, node) for a in args]
    keywords = {key: _made(s, a, node) for key, a in keywords.items()}
    asked = name
    if name in _VARIANTS:
        name, given, keywords = _VARIANTS[name](s, given, keywords, node)
    inner = [i for a in given for i in (a.items if isinstance(a, Tuple) else [a])]
    for of, ndim, word in ((_OF_ROWS, 1, "one dimension"), (_OF_MATRICES, 2, "two dimensions")):
        if name in of and any(isinstance(a, Array) and a.ndim != ndim for a in inner):
            raise s.error(node, f"{asked} takes arrays with {word} in compiled functions")
    placed = {"interp": 0, "searchsorted": 1, "percentile": 1, "quantile": 1}.get(name, -1)
    if 0 <= placed < len(given) and isinstance(given[placed], Array):
        name += "_all"
    if name in _JOINED or name in _FLOATING:
        keywords["dtype"] = _joined(s, inner, name in _FLOATING)
    function = (_numpys if numpys else _ours)[name]
    scope = s.scope
    try:
        return s.call_function(Call(function, given, keywords, node))
    except KernelError as error:
        said = str(error).partition("\n")[0]
        s.scope = scope
        raise s.error(node, f"{asked} of these arguments: {said}") from error


def _made(s: Whole, value: object, node: ast.AST) -> Any:
    """An argument with arrays in memory."""
    if isinstance(value, Tuple):
        return Tuple([_made(s, item, node) for item in value.items], value.names, kind=value.kind)
    return s.made_array(value, node) if isinstance(value, Lazy) else value


def _joined(s: Whole, values: Sequence[Any], floating: bool) -> Constant:
    """The type that all fit."""
    types_ = [Number(a.dtype) if isinstance(a, Array) else getattr(a, "type", None) for a in values]
    found = [t for t in types_ if isinstance(t, Number)]
    made = found[0]
    for other in found[1:]:
        made = promote(made, other)
    if floating and not is_float(made.dtype) and not is_complex(made.dtype):
        made = Number(FLOAT64)
    return Constant(np.dtype(NAMES[made.dtype]))


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


# --- which of several functions arguments mean ---

_Chosen = tuple[str, list[Any], dict[str, Any]]


def _literal(s: Whole, value: object, default: object, what: str, node: ast.AST) -> Any:
    """An argument that has to be known."""
    if value is None:
        return default
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Num) and value.constant is not None:
        return value.constant
    raise s.error(node, f"{what} is a literal in compiled functions")


def _taken(given: list[Any], keywords: dict[str, Any], place: int, key: str) -> Any:
    """An argument by its place or its name, which is then no argument any more."""
    if place < len(given):
        return given.pop(place)
    return keywords.pop(key, None)


def _of_concatenate(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    axis = _literal(s, _taken(given, keywords, 1, "axis"), 0, "an axis", node)
    if not given or not isinstance(given[0], Tuple) or not given[0].items:
        raise s.error(node, "arrays that are joined are given as a tuple")
    if all(isinstance(a, Array) and a.ndim == 1 for a in given[0].items):
        if axis not in (0, -1):
            raise s.error(node, f"axis {axis} is out of bounds for arrays with one dimension")
        return "concatenate_rows", given, keywords
    return "concatenate_axis", [*given, s.constant(axis)], keywords


def _of_stack(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    axis = _literal(s, _taken(given, keywords, 1, "axis"), 0, "an axis", node)
    if axis not in (0, 1, -1):
        raise s.error(node, f"axis {axis} is out of bounds for rows that are stacked")
    return "stack_rows", [*given, s.constant(0 if axis == 0 else 1)], keywords


def _of_append(s: Whole, given: list[Any], keywords: dict[str, Any], node: object) -> _Chosen:
    one = len(given) > 1 and isinstance(given[1], Num)
    return ("append_one" if one else "append"), given, keywords


def _of_average(s: Whole, given: list[Any], keywords: dict[str, Any], node: object) -> _Chosen:
    if "weights" in keywords:
        return "average_weighted", [*given, keywords.pop("weights")], keywords
    return "mean_of", given, keywords


def _of_trapezoid(s: Whole, given: list[Any], keywords: dict[str, Any], node: object) -> _Chosen:
    x = _taken(given, keywords, 1, "x")
    if x is None or (isinstance(x, Constant) and x.value is None):
        return "trapezoid", given, keywords
    return "trapezoid_along", [*given, x], keywords


def _of_histogram(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    ends = _taken(given, keywords, 2, "range")
    bins = _taken(given, keywords, 1, "bins") or s.constant(10)
    if not isinstance(bins, Num):
        raise s.error(node, "histogram takes the number of its bins in compiled functions")
    if ends is None or (isinstance(ends, Constant) and ends.value is None):
        return "histogram", [*given, bins], keywords
    return "histogram_range", [*given, bins, ends], keywords


def _of_convolve(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    mode = _literal(s, _taken(given, keywords, 2, "mode"), "full", "a mode", node)
    if mode not in ("full", "same", "valid"):
        raise s.error(node, f"convolve has no mode {mode!r}")
    return ("convolve" if mode == "full" else f"convolve_{mode}"), given, keywords


def _of_correlate(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    mode = _literal(s, _taken(given, keywords, 2, "mode"), "valid", "a mode", node)
    if mode != "valid":
        raise s.error(node, "correlate has the mode 'valid' in compiled functions")
    return "correlate", given, keywords


def _of_pairs(name: str, single: str, rows: str, pair: str) -> Any:
    def choose(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
        other = _taken(given, keywords, 1, "y")
        if other is not None:
            return pair, [*given, other], keywords
        row = bool(given) and isinstance(given[0], Array) and given[0].ndim == 1
        if row and not single:
            raise s.error(node, f"{name} takes a matrix, or two rows, in compiled functions")
        return (single if row else rows), given, keywords

    return choose


def _of_nans(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    if not given or not isinstance(given[0], Array) or not is_float(given[0].dtype):
        raise s.error(node, "nan_to_num takes an array of real numbers in compiled functions")
    largest = float(np.finfo(NAMES[given[0].dtype]).max)
    return "nan_to_num", [*given, s.constant(largest)], keywords


_VARIANTS = {
    "append": _of_append,
    "average": _of_average,
    "concatenate": _of_concatenate,
    "convolve": _of_convolve,
    "corrcoef": _of_pairs("corrcoef", "", "corrcoef", "corrcoef_pair"),
    "correlate": _of_correlate,
    "cov": _of_pairs("cov", "cov", "cov_rows", "cov_pair"),
    "histogram": _of_histogram,
    "nan_to_num": _of_nans,
    "stack": _of_stack,
    "trapezoid": _of_trapezoid,
}


def _handler(name: str, numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        return borrowed(state, name, numpys, args, keywords, node)

    return handler


def places(state: Statements, numpys: bool, value: Any, node: ast.AST) -> Tuple:
    """nonzero(value): a row of places for each axis."""
    s = state
    assert isinstance(s, Whole)
    if s.is_whole(value) and value.ndim == 2:
        found = borrowed(s, "argwhere", numpys, [value], {}, node)
        whole = Slice(None, None, None)
        columns = [s.sliced(found, [whole, s.constant(k)], node) for k in range(2)]
        return Tuple([borrowed(s, "ascontiguousarray", numpys, [c], {}, node) for c in columns])
    return Tuple([borrowed(s, "flatnonzero", numpys, [value], {}, node)])


def _nonzero(numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Tuple:
        if keywords or len(args) != 1:
            raise state.error(node, "nonzero takes an array")
        return places(state, numpys, args[0], node)

    return handler


_PLACES = {name: name for name in _PLAIN} | {"round": "round_", "around": "round_"}
_PLACES |= {
    f"linalg.{name}": name for name in ("cholesky", "det", "inv", "matrix_power", "norm", "solve")
}
for _place, _name in _PLACES.items():
    known_as(_place, _handler(_name, True), _handler(_name, False))
known_as("nonzero", _nonzero(True), _nonzero(False))
