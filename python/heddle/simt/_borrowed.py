"""Which functions of NumPy's are those of `_library.py`, and how they are called."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import heddle as hd
from heddle.simt import (
    _library,
    _library_decompositions,
    _library_grids,
    _library_matrices,
    _library_sets,
    _library_statistics,
)
from heddle.simt._along import along, taken
from heddle.simt._errors import KernelError
from heddle.simt._registry import Handler, functions, known_as
from heddle.simt._types import (
    FLOAT32,
    FLOAT64,
    NAMES,
    Array,
    Call,
    Constant,
    List,
    Num,
    Number,
    Slice,
    Tuple,
    is_complex,
    is_float,
    is_integer,
    promote,
)
from heddle.simt._whole import Lazy, Whole

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

# Those of rows, which take arrays with one dimension.
_OF_ROWS = frozenset(
    [
        *("argsort", "bincount", "chosen", "cross"),
        *("places_of", "sort", "unwrap", "gradient", "trim_zeros", "tile"),
        *("convolve", "convolve_same", "convolve_valid", "correlate", "cov"),
        *("cov_pair", "corrcoef_pair", "delete", "trapezoid", "trapezoid_along"),
        *("vander", "partition", "repeat_each", "put", "bincount_weighted", "norm_of_row"),
    ]
)
_OF_MATRICES = frozenset(
    [
        *("cholesky", "corrcoef", "cov_rows", "det", "fliplr", "inv", "kron"),
        *("matrix_power", "tril", "triu", "rot90", "fill_diagonal", "norm_of_matrix", "svd", "qr"),
        *("eigh", "eigvalsh", "pinv", "lstsq", "slogdet", "cond", "tril_indices_from"),
        "triu_indices_from",
    ]
)
# By real rotations: not of complex numbers.
_OF_REAL = frozenset(
    [
        *("svd", "qr", "eigh", "eigvalsh", "pinv", "lstsq", "slogdet", "cond", "matrix_rank"),
        *("svd_values", "polyval", "unwrap", "gradient", "correlate_full"),
    ]
)
# What is computed in float64, and is float32 of that.
_COMPUTED = frozenset(
    [
        *("svd", "svd_thin", "eigh", "eigvalsh", "pinv", "qr", "lstsq", "slogdet", "cond"),
        *("histogram", "histogram_range", "gradient", "norm_of_matrix"),
    ]
)
# Those whose results have the type that all arrays fit, or a floating one of it.
_JOINED = frozenset(
    [
        *(
            "append",
            "append_one",
            "convolve",
            "convolve_same",
            "convolve_valid",
            "correlate",
            "kron",
        ),
        *("correlate_full", "correlate_same", "union1d", "setxor1d", "intersect1d"),
    ]
)
_FLOATING = frozenset(["cholesky", "inv", "solve"])
_PLAIN = [
    *("nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmedian", "nanpercentile"),
    *("nanquantile", "nanstd", "nanvar", "place", "putmask"),
    *("argpartition", "bartlett", "blackman", "compress", "diagflat", "ediff1d", "extract"),
    *("fill_diagonal", "geomspace", "gradient", "hamming", "hanning", "insert", "intersect1d"),
    *("isin", "kaiser", "logspace", "partition", "polyval", "put", "resize", "rot90", "setdiff1d"),
    *("setxor1d", "tile", "tril_indices", "tril_indices_from", "trim_zeros", "triu_indices"),
    *("triu_indices_from", "union1d", "unwrap"),
    *("append", "array_equal", "average", "convolve"),
    *("corrcoef", "correlate", "cov", "delete", "diag", "flip", "fliplr", "flipud", "histogram"),
    *("kron", "nan_to_num", "percentile", "quantile", "sinc", "trapezoid"),
    *("tri", "tril", "triu", "unique", "vander", "vdot"),
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
METHODS = (
    *("argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "flatten", "repeat", "trace"),
    *("ptp", "round", "argpartition", "searchsorted", "put", "compress"),
)
# Which argument says along which axis, which one it is by default, and whether rows become rows.
_AXES: dict[str, tuple[int, int | None, bool]] = {
    **dict.fromkeys(("argmax", "argmin", "median", "ptp", "average"), (1, None, False)),
    **dict.fromkeys(("nanargmax", "nanargmin", "nanmedian", "nanstd", "nanvar"), (1, None, False)),
    **{f"{n}ile": (2, None, False) for n in ("percent", "quant", "nanpercent", "nanquant")},
    **dict.fromkeys(("cumsum", "cumprod", "nancumsum", "nancumprod"), (1, None, True)),
    **dict.fromkeys(("sort", "argsort"), (1, -1, True)),
    **dict.fromkeys(("partition", "argpartition"), (2, -1, True)),
    "trapezoid": (3, -1, False),
}
# Arguments that may be written as lists.
_LISTED = {
    **dict.fromkeys(("percentile", "quantile", "nanpercentile", "nanquantile"), (1,)),
    **{"delete": (1,), "isin": (0, 1), "insert": (1, 2)},
    **{"searchsorted": (1,), "digitize": (0, 1), "interp": (0, 1, 2), "put": (1, 2)},
    **{"place": (2,), "putmask": (2,)},
    **{"histogram": (1,), "repeat": (1,), "average": (0, 1), "bincount": (0,)},
}


def _of(module: ModuleType) -> dict[str, types.FunctionType]:
    """The functions, with a module's arrays as their results."""
    parts: tuple[ModuleType, ...] = (_library, _library_matrices, _library_statistics)
    parts += (_library_sets, _library_grids, _library_decompositions)
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
    for place, value in enumerate(given):
        numbers = isinstance(value, Tuple) and all(isinstance(i, Num) for i in value.items)
        if isinstance(value, List) or (place == 0 and numbers and value.items):
            given[place] = functions[np.array](s, [value], {}, node)
    for place in _LISTED.get(name, ()):
        if place < len(given) and isinstance(given[place], (Tuple, List)):
            given[place] = functions[np.array](s, [given[place]], {}, node)
    asked = name
    if name in _AXES and given and isinstance(given[0], Array):
        where, usual, rows = _AXES[name]
        axis = taken(given, keywords, where)
        if axis is None and usual is not None:
            axis = s.constant(usual)
        if axis is not None and given[0].ndim >= 1:
            array, *rest = given

            def of(row: Array) -> Any:
                return _of_row(s, name, numpys, [row, *rest], keywords, node)

            return along(s, array, axis, of, node, (lambda n: n) if rows else None)
    return _borrowed(s, asked, numpys, given, keywords, node)


def _of_row(
    s: Whole, name: str, numpys: bool, args: list[Any], keywords: dict[str, Any], node: Any
) -> Any:
    return _borrowed(s, name, numpys, list(args), dict(keywords), node)


def _borrowed(
    s: Whole, name: str, numpys: bool, given: list[Any], keywords: dict[str, Any], node: Any
) -> Any:
    asked = name
    if name in _VARIANTS:
        name, given, keywords = _VARIANTS[name](s, given, keywords, node)
    inner = [i for a in given for i in (a.items if isinstance(a, Tuple) else [a])]
    shaped = inner[:1] if name in ("lstsq", "argpartition", "partition") else inner
    for of, ndim, word in ((_OF_ROWS, 1, "one dimension"), (_OF_MATRICES, 2, "two dimensions")):
        if name in of and any(isinstance(a, Array) and a.ndim != ndim for a in shaped):
            raise s.error(node, f"{asked} takes arrays with {word} in compiled functions")
    if name in _OF_REAL and any(isinstance(a, Array) and is_complex(a.dtype) for a in inner):
        raise s.error(node, f"{asked} is of real numbers in compiled functions")
    placed = {"interp": 0, "digitize": 0, "searchsorted": 1}
    placed |= dict.fromkeys(("percentile", "quantile", "nanpercentile", "nanquantile"), 1)
    place = placed.get(name, -1)
    if 0 <= place < len(given) and isinstance(given[place], Array):
        name += "_all"
    if name in _JOINED or name in _FLOATING:
        keywords["dtype"] = joined_type(s, inner, name in _FLOATING)
    function = (_numpys if numpys else _ours)[name]
    scope = s.scope
    try:
        made = s.call_function(Call(function, given, keywords, node))
    except KernelError as error:
        said = str(error).partition("\n")[0]
        s.scope = scope
        raise s.error(node, f"{asked} of these arguments: {said}") from error
    first = given[0] if given else None
    if name in _COMPUTED and isinstance(first, Array) and first.dtype == FLOAT32:
        return _single(s, made, node)
    return made


def _single(s: Whole, made: Any, node: ast.AST) -> Any:
    """What was computed in float64, as float32."""
    if isinstance(made, Tuple):
        return Tuple([_single(s, item, node) for item in made.items], made.names, kind=made.kind)
    if isinstance(made, Num):
        return s.cast(made, Number(FLOAT32), node) if made.type.dtype == FLOAT64 else made
    if isinstance(made, Array) and made.dtype == FLOAT64:
        return s.made_array(
            s.elementwise(lambda n: s.cast(n, Number(FLOAT32), node), [made], node), node
        )
    return made


def _made(s: Whole, value: object, node: ast.AST) -> Any:
    """An argument with arrays in memory."""
    if isinstance(value, Tuple):
        return Tuple([_made(s, item, node) for item in value.items], value.names, kind=value.kind)
    return s.made_array(value, node) if isinstance(value, Lazy) else value


def joined_type(s: Whole, values: Sequence[Any], floating: bool) -> Constant:
    """The type that all fit."""
    types_ = [Number(a.dtype) if isinstance(a, Array) else getattr(a, "type", None) for a in values]
    found = [t for t in types_ if isinstance(t, Number)]
    made = Number(found[0].dtype)
    for other in found[1:]:
        made = promote(made, Number(other.dtype))  # Python's numbers are arrays here
    if floating and not is_float(made.dtype) and not is_complex(made.dtype):
        made = Number(FLOAT64)
    return Constant(np.dtype(NAMES[made.dtype]))


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


def _of_append(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    axis = taken(given, keywords, 2)
    if axis is not None and len(given) == 2:
        made = functions[np.concatenate](s, [Tuple(given), axis], {}, node)
        return "given_back", [made], keywords
    one = len(given) > 1 and isinstance(given[1], Num)
    return ("append_one" if one else "append"), given, keywords


def _of_average(s: Whole, given: list[Any], keywords: dict[str, Any], node: object) -> _Chosen:
    weights = taken(given, keywords, 1, "weights")
    if weights is not None:
        return "average_weighted", [*given, weights], keywords
    return "mean_of", given, keywords


def _of_trapezoid(s: Whole, given: list[Any], keywords: dict[str, Any], node: object) -> _Chosen:
    x = taken(given, keywords, 1, "x")
    if x is None or (isinstance(x, Constant) and x.value is None):
        return "trapezoid", given, keywords
    return "trapezoid_along", [*given, x], keywords


def _of_histogram(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    ends = taken(given, keywords, 2, "range")
    bins = taken(given, keywords, 1, "bins") or s.constant(10)
    if isinstance(bins, Array) and bins.ndim == 1:
        return "histogram_edges", [*given, bins], keywords
    if not isinstance(bins, Num):
        raise s.error(node, "histogram takes a number of bins, or their edges")
    if ends is None or (isinstance(ends, Constant) and ends.value is None):
        return "histogram", [*given, bins], keywords
    return "histogram_range", [*given, bins, ends], keywords


def _of_convolve(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    mode = _literal(s, taken(given, keywords, 2, "mode"), "full", "a mode", node)
    if mode not in ("full", "same", "valid"):
        raise s.error(node, f"convolve has no mode {mode!r}")
    return ("convolve" if mode == "full" else f"convolve_{mode}"), given, keywords


def _of_correlate(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    mode = _literal(s, taken(given, keywords, 2, "mode"), "valid", "a mode", node)
    if mode not in ("full", "same", "valid"):
        raise s.error(node, f"correlate has no mode {mode!r}")
    return ("correlate" if mode == "valid" else f"correlate_{mode}"), given, keywords


def _of_pairs(name: str, single: str, rows: str, pair: str) -> Any:
    def choose(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
        other = taken(given, keywords, 1, "y")
        by_row = _literal(s, taken(given, keywords, 1, "rowvar"), True, "rowvar", node)
        if given and isinstance(given[0], Array) and given[0].ndim == 2 and not by_row:
            given[0] = s.transposed(given[0], node)
        if name == "cov":
            # By how much less than the number of elements it is divided.
            bias = _literal(s, taken(given, keywords, 1, "bias"), False, "bias", node)
            ddof = taken(given, keywords, 1, "ddof") or s.constant(0 if bias else 1)
            keywords = {**keywords, "ddof": ddof}
        if other is not None:
            if any(isinstance(a, Array) and a.ndim == 2 for a in (given[0], other)):
                both = [a if isinstance(a, Array) else None for a in (given[0], other)]
                return rows, [functions[np.vstack](s, [Tuple(both)], {}, node)], keywords
            return pair, [*given, other], keywords
        row = bool(given) and isinstance(given[0], Array) and given[0].ndim == 1
        if row and not single:
            raise s.error(node, f"{name} takes a matrix, or two rows, in compiled functions")
        return (single if row else rows), given, keywords

    return choose


def _of_nans(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    types_ = [Number(a.dtype) if isinstance(a, Array) else a.type for a in given[:1]]
    if not types_ or not is_float(types_[0].dtype):
        raise s.error(node, "nan_to_num takes real numbers in compiled functions")
    largest = float(np.finfo(NAMES[types_[0].dtype]).max)
    taken(given, keywords, 1, "copy")
    nothing = taken(given, keywords, 1, "nan") or s.constant(0.0)
    above = taken(given, keywords, 1, "posinf") or s.constant(largest)
    below = taken(given, keywords, 1, "neginf") or s.constant(-largest)
    one = "nan_to_num" if isinstance(given[0], Array) else "nan_to_num_one"
    return one, [*given, nothing, above, below], keywords


def _of_repeat(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    several = len(given) > 1 and isinstance(given[1], Array)
    return ("repeat_each" if several else "repeat"), given, keywords


def _of_bincount(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    weights = taken(given, keywords, 1, "weights")
    if weights is not None:
        return "bincount_weighted", [given[0], weights, *given[1:]], keywords
    return "bincount", given, keywords


def _of_insert(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    if len(given) != 3:
        raise s.error(node, "insert takes an array, places and values in compiled functions")
    if isinstance(given[1], Array):
        return "insert_each", given, keywords
    return ("insert_row" if isinstance(given[2], Array) else "insert_one"), given, keywords


def _of_delete(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    if len(given) == 2 and isinstance(given[1], Slice) and isinstance(given[0], Array):
        places = functions[np.arange](s, [s.array_attribute(given[0], "size", node)], {}, node)
        return "delete_each", [given[0], s.sliced(places, [given[1]], node)], keywords
    return ("delete_each" if isinstance(given[-1], Array) else "delete"), given, keywords


def _of_put(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    if len(given) == 3 and isinstance(given[1], Num):
        given[1] = functions[np.array](s, [Tuple([given[1]])], {}, node)
    return ("put" if isinstance(given[-1], Array) else "put_one"), given, keywords


def _of_resize(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    size = s.constant(1)
    shape = given[1].items if isinstance(given[1], Tuple) else [given[1]]
    for extent in shape:
        size = s.apply("multiply", [size, s.integer(extent, node, "in a shape")], node)
    made = _borrowed(s, "resize_to", True, [given[0], size], {}, node)
    return "reshaped_to", [made, Tuple(list(shape))], keywords


def _of_norm(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    order = taken(given, keywords, 1, "ord")
    if isinstance(order, Constant):
        if order.value != "fro" or given[0].ndim != 2:
            raise s.error(node, f"norm has no order {order.value!r} in compiled functions")
        order = None
    if order is None or not isinstance(given[0], Array):
        return "norm", given, keywords
    if given[0].ndim == 1:
        return "norm_of_row", [given[0], order], keywords
    if order.constant not in (2, -2) or not is_complex(given[0].dtype):
        return "norm_of_matrix", [given[0], order], keywords
    raise s.error(node, "norm of this order is of real numbers in compiled functions")


def _of_round(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    number = given[0] if given else None
    type_ = Number(number.dtype) if isinstance(number, Array) else getattr(number, "type", None)
    whole = type_ is not None and not is_float(type_.dtype) and not is_complex(type_.dtype)
    one = "round_whole" if isinstance(number, Array) else "round_number"
    return (one if whole else "round_"), given, keywords


def _of_power(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    floating = bool(given) and isinstance(given[0], Array) and not is_integer(given[0].dtype)
    return ("matrix_power" if floating else "matrix_power_whole"), given, keywords


def _of_vander(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    known = joined_type(s, given[:1], False).value
    return "vander", given, {**keywords, "dtype": Constant(np.promote_types(known, np.int64))}


def _of_svd(s: Whole, given: list[Any], keywords: dict[str, Any], node: Any) -> _Chosen:
    full = _literal(s, taken(given, keywords, 1, "full_matrices"), True, "full_matrices", node)
    return ("svd" if full else "svd_thin"), given, keywords


_VARIANTS = {
    "append": _of_append,
    "average": _of_average,
    "convolve": _of_convolve,
    "corrcoef": _of_pairs("corrcoef", "", "corrcoef", "corrcoef_pair"),
    "correlate": _of_correlate,
    "cov": _of_pairs("cov", "cov", "cov_rows", "cov_pair"),
    "histogram": _of_histogram,
    "nan_to_num": _of_nans,
    "trapezoid": _of_trapezoid,
    "repeat": _of_repeat,
    "bincount": _of_bincount,
    "insert": _of_insert,
    "delete": _of_delete,
    "put": _of_put,
    "resize": _of_resize,
    "norm": _of_norm,
    "round": _of_round,
    "matrix_power": _of_power,
    "svd": _of_svd,
    "vander": _of_vander,
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
    found = borrowed(s, "flatnonzero", numpys, [value], {}, node)
    if value.ndim < 2:
        return Tuple([found])
    shape = [s.temporary(n, node) for n in s._shape(value)]
    made: list[Any] = []
    for extent in reversed(shape[1:]):
        made.insert(0, s.made_array(s.apply_whole("remainder", [found, extent], node), node))
        found = s.made_array(s.apply_whole("floor_divide", [found, extent], node), node)
    return Tuple([found, *made])


def _nonzero(numpys: bool) -> Handler:
    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Tuple:
        if keywords or len(args) != 1:
            raise state.error(node, "nonzero takes an array")
        return places(state, numpys, args[0], node)

    return handler


_PLACES = {name: name for name in _PLAIN} | {"round": "round", "around": "round"}
_LINEAR = (
    *("cholesky", "cond", "det", "eigh", "eigvalsh", "inv", "lstsq", "matrix_power", "matrix_rank"),
    *("norm", "pinv", "qr", "slogdet", "solve", "svd"),
)
_PLACES |= {f"linalg.{name}": name for name in _LINEAR}
for _place, _name in _PLACES.items():
    known_as(_place, _handler(_name, True), _handler(_name, False))
known_as("nonzero", _nonzero(True), _nonzero(False))
