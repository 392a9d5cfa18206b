"""Calls of ufuncs with keywords, and those that other libraries want to handle.

A call without keywords never comes here: it runs in the compiled core.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as _numpy
from ml_dtypes import bfloat16

from heddle import _core
from heddle._arguments import (
    as_array,
    as_mask,
    as_target,
    check_casting,
    check_flag,
    check_order,
    check_stored,
    dims,
    filled,
    handles_ufuncs,
    no_value,
    of_numbers,
)
from heddle._core import (
    generalized_ufuncs,
    ndarray,
    own_array,
    special_numpys,
    special_parts,
    special_ufuncs,
    ufunc,
    ufuncs,
)
from heddle._typing import ArrayLike, Casting, DType, Order

_keywords = {"out", "where", "casting", "order", "dtype", "subok", "signature", "sig"}
_bfloat16 = _numpy.dtype(bfloat16)
_weak = (bool, int, float, complex)
_usual: dict[type, DType] = {kind: _numpy.dtype(kind) for kind in (int, float, complex)}
_every = special_numpys | ufuncs | special_ufuncs | special_parts | generalized_ufuncs
_takes = {name: u.facts["takes"] for name, u in _every.items()}
_plain = (ndarray, _numpy.ndarray, _numpy.generic, bool, int, float, complex, list, tuple)


# --- reading the arguments of a call ---


def split_outputs(
    u: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...] | None]:
    """Inputs, and one entry per output (None where there is none) or None without any."""
    nin, nout = u.nin, u.nout
    if not nin <= len(args) <= nin + nout:
        verb = "was" if len(args) == 1 else "were"
        raise TypeError(
            f"{u.name}() takes from {nin} to {nin + nout} positional arguments but {len(args)} "
            f"{verb} given"
        )
    inputs, given = args[:nin], args[nin:]
    if any(o is Ellipsis for o in given):
        raise TypeError("out=... is only allowed as a keyword argument.")
    if given:
        if "out" in kwargs:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        outs: Any = given + (None,) * (nout - len(given))
    else:
        outs = kwargs.get("out")
        if outs is None:
            if nout > 1 and "out" in kwargs:
                raise TypeError("'out' must be a tuple of arrays")
            return inputs, None
        if isinstance(outs, tuple):
            if len(outs) != nout:
                raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
            if any(o is Ellipsis for o in outs):
                raise TypeError("must use `...` as `out=...` and not per-operand/in a tuple")
        elif nout > 1:
            raise TypeError("'out' must be a tuple of arrays")
        else:
            outs = (outs,)
    return inputs, None if all(o is None for o in outs) else outs


def wanted_types(u: ufunc, kwargs: Mapping[str, Any]) -> list[DType | None] | None:
    """The types that dtype= or signature= ask for, one per operand; None without a wish."""
    dtype, signature = kwargs.get("dtype"), kwargs.get("signature", kwargs.get("sig"))
    if dtype is not None and signature is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if dtype is not None:
        return [None] * u.nin + [_as_dtype(dtype)] * u.nout
    if signature is None:
        return None
    if isinstance(signature, bytes):
        signature = signature.decode("ascii")
    if not isinstance(signature, str | tuple):
        raise TypeError(
            "the signature object to ufunc must be a string or a tuple of dtypes, not "
            f"{type(signature).__name__}"
        )
    if isinstance(signature, str) and "->" in signature:
        inputs, outputs = signature.split("->")
        signature = (*inputs, *outputs)
        if (len(inputs), len(outputs)) != (u.nin, u.nout):
            raise ValueError(
                "a type-string for "
                f"{u.name} requires {u.nin + u.nout} typecode(s) before/after the -> sign"
            )
    if isinstance(signature, str) and len(signature) > 1:
        raise ValueError(
            f"a type-string for {u.name} requires {u.nin + u.nout} typecode(s) before/after the -> "
            "sign"
        )
    if len(signature) == 1:
        raise TypeError("Use `dtype` or  fill the tuple with more than one 'None'.")
    if len(signature) != u.nin + u.nout:
        raise ValueError(
            f"a type-tuple must be specified of length {u.nin + u.nout} for ufunc '{u.name}'"
        )
    try:
        return [None if s is None else _as_dtype(s) for s in signature]
    except TypeError as error:
        raise ValueError(str(error)) from None


def _as_dtype(dtype: Any) -> DType:
    """A dtype, also from one of NumPy's classes of dtypes."""
    if isinstance(dtype, type) and issubclass(dtype, _numpy.dtype):
        dtype = dtype.type
    return cast("DType", _numpy.dtype(dtype))


def types_of_loop(loop: str) -> list[DType]:
    """The types of the operands of a loop in NumPy's notation: ``ff->f``."""
    return [_bfloat16 if c == "E" else _numpy.dtype(c) for c in loop.replace("->", "")]


def find_loop(
    u: ufunc, args: Sequence[ArrayLike], wanted: Sequence[DType | None] | None
) -> DType | None:
    """The type to compute in so that the wish is met; None for what the operands ask for."""
    if wanted is None or all(w is None for w in wanted):
        return None
    inputs, outputs = wanted[: u.nin], wanted[u.nin :]
    if all(w is None for w in inputs) and u.nout == 1:
        with contextlib.suppress(TypeError):  # the operands alone may have no loop
            compute, result = _core.resolve(u, args, None)
            if result == outputs[0] and result != compute:
                return None  # comparisons and the like: the wish is what comes anyway
    for loop, compute in zip(u.loops, u.computed, strict=True):
        types = types_of_loop(loop)
        if all(w is None or w == t for w, t in zip(wanted, types, strict=True)):
            return compute
    for dtype in wanted:
        if dtype is not None:
            _core.empty((0,), dtype)  # one of NumPy's alone is for NumPy: NoNumbers
    raise TypeError(
        f"No loop matching the specified signature and casting was found for ufunc {u.name}"
    )


def check_inputs(u: ufunc, args: Sequence[ArrayLike], computed: DType, casting: Casting) -> None:
    """Raise TypeError where the casting rule does not let an operand be of the type computed in."""
    for i, a in enumerate(args):
        takes = _takes[u.name][i]
        compute = _numpy.empty(0, computed).real.dtype if takes == "parameter" else computed
        if takes in ("exponent", "order"):
            if not _core.can_cast(as_array(a).dtype, _numpy.dtype(_numpy.int64), "safe"):
                raise TypeError(
                    "No loop matching the specified signature and casting was found for ufunc "
                    f"{u.name}"
                )
            continue
        if not hasattr(a, "dtype"):  # weak, but for Python's bool
            if casting == "equiv" and type(a) in _usual and compute != _usual[type(a)]:
                raise TypeError(
                    f"cannot cast Python {type(a).__name__} to {compute} under the casting rule "
                    "'equiv'"
                )
            kinds = {int: "iufcV", float: "fcV", complex: "c"}.get(type(a), "b")
            if casting == "unsafe" or compute.kind in kinds:
                continue
            a = as_array(a)
        if not _core.can_cast(a.dtype, compute, casting):
            which = "input" if u.nin == 1 else f"input {i}"
            raise TypeError(
                f"Cannot cast ufunc '{u.name}' {which} from {a.dtype!r} to {compute!r} with "
                f"casting rule '{casting}'"
            )


def _as_operand(a: ArrayLike) -> ndarray | complex:
    return a if isinstance(a, _weak) else as_array(a)


# --- other libraries ---


def is_plain(a: object) -> bool:
    """Whether it is an array or a number that nobody else wants to handle."""
    return isinstance(a, _plain) and not handles_ufuncs(a)


def _overrides(operands: Iterable[Any]) -> list[Any]:
    """Operands of other libraries that want to handle the call, subclasses first."""
    found: list[Any] = []
    for a in operands:
        if is_plain(a):
            continue
        method = getattr(type(a), "__array_ufunc__", no_value)
        if method is no_value or any(type(f) is type(a) for f in found):
            continue
        if method is None:
            raise TypeError(
                f"operand '{type(a).__name__}' does not support ufuncs (__array_ufunc__=None)"
            )
        at = next((i for i, f in enumerate(found) if issubclass(type(a), type(f))), len(found))
        found.insert(at, a)
    return found


def dispatch(u: ufunc, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What another library's __array_ufunc__ answers; no_value where none is concerned."""
    outs = kwargs.get("out")
    outs = outs if isinstance(outs, tuple) else (outs,)
    found = _overrides([*inputs, *(o for o in outs if o is not None)])
    if not found:
        return no_value
    rest = {name: value for name, value in kwargs.items() if name != "out"}
    given = {"out": outs} if any(o is not None for o in outs) else {}  # always a tuple
    numpys = getattr(_numpy, u.name, None)  # which others know
    told = numpys if isinstance(numpys, _numpy.ufunc) else u
    for a in found:
        result = a.__array_ufunc__(told, method, *inputs, **rest, **given)
        if result is not NotImplemented:
            return result
    result = offered(told, method, inputs, kwargs)
    if result is not NotImplemented:
        return result
    raise TypeError(
        f"operand type(s) all returned NotImplemented from __array_ufunc__({u!r}, {method!r}, "
        + ", ".join([*map(repr, inputs), *(f"{k}={v!r}" for k, v in kwargs.items())])
        + "): "
        + ", ".join(repr(type(a).__name__) for a in (*inputs, *outs) if a is not None)
    )


def offered(numpys: object, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A call that others refuse beside arrays of ours, with NumPy's views of these.

    Many know no arrays but NumPy's. NotImplemented where that changes nothing.
    """
    outs = kwargs.get("out")
    if any(isinstance(a, own_array) for a in (outs if isinstance(outs, tuple) else (outs,))):
        return NotImplemented
    ours = [a for a in inputs if isinstance(a, own_array)]
    if not isinstance(numpys, _numpy.ufunc) or not ours or not all(a._on_host for a in ours):
        return NotImplemented
    seen = [_numpy.asarray(a) if isinstance(a, own_array) else a for a in inputs]
    return getattr(numpys, method)(*seen, **kwargs)


# --- a call with keywords ---


def _is_number_of_numpy(a: object) -> bool:
    """A 0-d array, of which ufuncs make scalars, as of its element."""
    return type(a) is _numpy.ndarray and a.ndim == 0 and a.dtype.kind in "biufc"


def _call(u: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs a ufunc with ``out``, ``where``, ``dtype``, ``casting``, ``order`` or ``signature``."""
    if not kwargs and len(args) == u.nin and all(is_plain(a) for a in args):
        if any(_is_number_of_numpy(a) for a in args):
            return u(*(a[()] if _is_number_of_numpy(a) else a for a in args))
        inputs = tuple(_as_operand(a) for a in args)
        return _core.apply(u, inputs, None)
    for name in kwargs:
        if name not in _keywords:
            raise TypeError(f"{u.name}() got an unexpected keyword argument '{name}'")
    if "signature" in kwargs and "sig" in kwargs:
        raise TypeError("cannot specify both 'sig' and 'signature'")
    if kwargs.get("out") is Ellipsis:  # an array also where there is but one element
        made = _call(u, args, {k: v for k, v in kwargs.items() if k != "out"})
        if isinstance(made, tuple):
            return tuple(m[...] if isinstance(m, own_array) else m for m in made)
        return made[...] if isinstance(made, own_array) else made
    inputs, outs = split_outputs(u, args, kwargs)
    if not all(is_plain(a) for a in (*inputs, *(outs or ()))):
        rest = {"signature" if k == "sig" else k: v for k, v in kwargs.items() if k != "out"}
        if outs is not None:
            rest["out"] = outs
        answer = dispatch(u, "__call__", inputs, rest)
        if answer is not no_value:
            return answer
    casting = check_casting(kwargs.get("casting", "same_kind"))
    order = check_order(kwargs.get("order"))
    check_flag("subok", kwargs.get("subok", True))
    mask = as_mask(kwargs.get("where", True))
    if mask is not None and outs is None and "out" not in kwargs:
        warnings.warn(
            "'where' used without 'out', expect unitialized memory in output. If this is "
            "intentional, use out=None.",
            UserWarning,
            stacklevel=2,
        )
    inputs = tuple(_as_operand(a) for a in inputs)
    targets = None if outs is None else tuple(None if o is None else as_target(o) for o in outs)

    compute = find_loop(u, inputs, wanted_types(u, kwargs))
    if compute is not None or casting in ("no", "equiv"):
        check_inputs(u, inputs, compute or _core.resolve(u, inputs, None)[0], casting)
    results: Any
    if targets is None and mask is None:
        results = _core.apply(u, inputs, compute)
        made = tuple(ordered(r, order) for r in (results if u.nout > 1 else (results,)))
        return made if u.nout > 1 else made[0]
    if targets is None:
        targets = (None,) * u.nout
    _check_casts(u, inputs, compute, targets, casting)
    with _core.Writing(targets, mask):
        results = _core.apply(u, inputs, compute)
        stored = _store(results if u.nout > 1 else (results,), targets, mask, order)
    returned = tuple(
        s if outs is None or o is None else o for s, o in zip(stored, outs or targets, strict=True)
    )
    return returned if u.nout > 1 else returned[0]


def ordered(a: ndarray, order: Order) -> ndarray:
    """The array in an order of memory: itself where it is."""
    if order in "KA" or (a._c_contiguous if order == "C" else a._f_contiguous):
        return a
    return a._copy(order)


def _check_casts(
    u: ufunc,
    inputs: Sequence[ArrayLike],
    compute: DType | None,
    targets: Sequence[ndarray | None],
    casting: Casting,
) -> None:
    """Whether results fit the types of their targets: NumPy tells before it looks at shapes."""
    compute, result = _core.resolve(u, inputs, compute)
    found = [result]
    if u.nout > 1:
        loops = zip(map(types_of_loop, u.loops), u.computed, strict=True)
        found = next(types for types, computed in loops if computed == compute)[u.nin :]
    for made, target in zip(found, targets, strict=True):
        if target is not None:
            check_stored(made, target.dtype, u.name, casting)


def _store(
    results: Sequence[ndarray],
    targets: Sequence[ndarray | None],
    mask: ndarray | None,
    order: Order,
) -> list[ndarray]:
    """Writes each result where it belongs; all checks come before the first write."""
    shape = results[0].shape
    if mask is not None:
        shape = _numpy.broadcast_shapes(shape, mask.shape)
    shapes = [t.shape for t in targets if t is not None]
    try:
        shape = _numpy.broadcast_shapes(shape, *shapes)
    except ValueError:
        raise ValueError(
            "operands could not be broadcast together with shapes "
            + " ".join(dims(s) for s in (results[0].shape, *shapes))
        ) from None
    for target in targets:
        if target is not None and target.shape != shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {dims(target.shape)} doesn't match "
                f"the broadcast shape {dims(shape)}"
            )
    stored = []
    for result, target in zip(results, targets, strict=True):
        if target is not None:
            if mask is None:
                _core.write(target, result)
            else:
                _core.write(target, result, mask)
            stored.append(target)
        elif mask is None:
            stored.append(ordered(result, order))
        else:  # where nothing is selected NumPy leaves what was in memory: here zeros
            stored.append(ordered(_core.select(mask, result, filled(0, result.dtype)), order))
    return stored


def _call_or_numpys(u: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same, but NumPy's ufunc for what is no numbers: text, dates, objects."""
    theirs = getattr(_numpy, u.name, None)
    return of_numbers(lambda: _call(u, args, kwargs), theirs, args, kwargs)


_core.set_ufunc_keywords(_call_or_numpys)
