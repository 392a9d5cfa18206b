"""The methods of ufuncs (reduce, accumulate, reduceat, outer, at) and their attributes."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import EllipsisType
from typing import Any, cast

import numpy as _numpy

from heddle import _core
from heddle._arguments import (
    as_array,
    as_mask,
    as_target,
    check_casting,
    check_stored,
    filled,
    no_value,
    normalize_axes,
    normalize_axis,
    of_numbers,
    store_reduced,
)
from heddle._core import ndarray, own_array, ufunc
from heddle._math.reduced_axes import first_element, neutral_element, reduce_axes
from heddle._math.reduced_slices import (
    even_slices,
    namespace,
    reduce_slices,
    reduce_slices_in_order,
    where_slices_begin,
)
from heddle._math.ufunc_attributes import Doc, get_attribute
from heddle._math.ufunc_calls import (
    check_inputs,
    dispatch,
    find_loop,
    is_plain,
    types_of_loop,
    wanted_types,
)
from heddle._typing import (
    ArrayLike,
    Axes,
    Axis,
    Casting,
    DType,
    DTypeLike,
    Output,
)

_elementwise = _core.special_numpys | _core.ufuncs | _core.special_ufuncs
_facts = {n: u.facts for n, u in _elementwise.items() if u.nout == 1}


def _having(fact: str) -> frozenset[str]:
    return frozenset(name for name, facts in _facts.items() if facts[fact])


_reorderable = _having("reorderable")  # with an identity, or as extremes are
_widening = _having("widens")
# Their loops give back what they take, of every type.
_of_all_types = _having("closed") & _reorderable
_logical = _having("logical")
_plain_reductions = _of_all_types | _logical & _reorderable
# Sums, products, choices and bits, of numbers that a type holds: they are the same in a wider type,
# when the result is rounded or cut off only then.
_rounded_once = _having("exchanged") - _logical


def _check_binary(u: ufunc, method: str) -> None:
    if u.signature is not None:
        raise RuntimeError("Reduction not defined on ufunc with signature")
    if u.nin != 2:
        raise ValueError(f"{method} only supported for binary functions")
    if u.nout != 1:
        raise ValueError(f"{method} only supported for functions returning a single value")


def _reduction_dtype(u: ufunc, a: ndarray, dtype: DTypeLike | None, out: object) -> DType | None:
    """The type a reduction computes in."""
    if dtype is not None:
        return _numpy.dtype(dtype)
    if out is not None and u.name in _widening:
        target = as_target(out[0] if isinstance(out, tuple) else out)
        return _core.common_type(a, target) if target.dtype != a.dtype else a.dtype
    return None


def _check_loop(
    u: ufunc, a: ndarray, dtype: DType | None, out: Output | None = None
) -> DType | None:
    """The loop of a reduction gives back the type it takes; comparisons do that for bool only.

    A type that was asked for must have a loop of its own. What is written to is NumPy's first
    operand, so there must be a loop for its type and the elements', too.
    """
    if dtype is None and out is not None and u.name not in _logical:
        target = as_target(out[0] if isinstance(out, tuple) else out)
        if target.dtype != a.dtype:
            samples = (_core.empty((0,), _core.common_type(a, target)),) * 2
            _core.resolve(u, samples, None)
    if dtype is None and u.name in _of_all_types:
        return None
    wanted = dtype or a.dtype
    if u.name in _logical:
        compute, result = _numpy.dtype(bool), dtype or _numpy.dtype(bool)
    else:
        samples = (_core.empty((0,), wanted), _core.empty((0,), wanted))
        compute, result = _core.resolve(u, samples, None)
    if compute != result or (dtype is not None and compute != dtype):
        raise TypeError(
            f"No loop matching the specified signature and casting was found for ufunc {u.name}"
        )
    return None if dtype is None and wanted == compute else compute


def reduce_array(
    u: ufunc,
    a: ndarray,
    axis: Axes | None,
    dtype: DTypeLike | None = None,
    out: Output | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = no_value,
    where: ArrayLike = True,
) -> ndarray:
    """The reduction behind ``ufunc.reduce`` and the functions sum, prod, min, max, any and all."""
    if initial is no_value and where is True and out is None and dtype is None:
        # By far the most frequent.
        if axis is None:
            return _core.reduce(u, a, None, bool(keepdims), None)
        if type(axis) is int and 0 <= axis < a.ndim and a.shape[axis]:
            return _core.reduce(u, a, (axis,), bool(keepdims), None)
    axes = normalize_axes(axis, a.ndim)
    keepdims = bool(operator.index(keepdims))
    mask = as_mask(where)
    kind = _reduction_dtype(u, a, dtype, out)
    identity = u.identity if initial is no_value else initial
    if mask is not None:
        if identity is None:
            raise ValueError(
                f"reduction operation '{u.name}' does not have an identity, so to use a where mask "
                "one has to specify 'initial'"
            )
        wide = kind or _core.reduce(u, _core.empty((1,), a.dtype), None, False, None).dtype
        neutral = identity if u.identity is None else neutral_element(u, wide)
        mask = _mask_of(u, mask, a)
        a = _core.select(mask, a._astype(wide, "K"), first_element(neutral, wide))
    if initial is None and a.size == 0:
        count = 1
        for i in axes:
            count *= a.shape[i]
        if count == 0:
            raise ValueError(
                f"zero-size array to reduction operation {u.name} which has no identity"
            )
    result = reduce_axes(u, a, axes, keepdims, kind, initial)
    return store_reduced(result, out, u.name)


def _mask_of(u: ufunc, mask: ndarray, a: ndarray) -> ndarray:
    """A mask for each element of what is reduced, which it must not enlarge."""
    try:
        return mask._broadcast_to(a.shape)
    except ValueError:
        raise ValueError(
            f"{u.name}: a where mask of shape {mask.shape} cannot be broadcast to the shape "
            f"{a.shape} of what is reduced"
        ) from None


def _reduce_in_order(
    u: ufunc, a: ndarray, axes: tuple[int, ...], keepdims: bool, dtype: DType | None
) -> ndarray:
    """A reduction whose order matters (subtract, divide, power …): the last of the running ones."""
    kind = dtype or a.dtype
    compute, _ = _core.resolve(u, (_core.empty((0,), kind), _core.empty((0,), kind)), None)
    if not axes:
        return a._astype(compute, "K")
    (axis,) = axes
    if a.shape[axis] == 0:
        raise ValueError(f"zero-size array to reduction operation {u.name} which has no identity")
    running = _core.accumulate(u, a, axis, compute)
    last = slice(-1, None) if keepdims else -1
    return running[(slice(None),) * axis + (last,)]


_DEFAULTS = {"axis": 0, "keepdims": False, "initial": no_value, "where": True}


def _set_ones(**kwargs: Any) -> dict[str, ndarray | int]:
    """The arguments that are not at their default, for another library's __array_ufunc__."""
    return {name: v for name, v in kwargs.items() if v is not _DEFAULTS.get(name)}


def reduce(
    self: ufunc,
    array: ArrayLike,
    axis: Axes | None = 0,
    dtype: DType | None = None,
    out: Output | EllipsisType | None = None,
    keepdims: bool = False,
    initial: ArrayLike = no_value,
    where: ArrayLike = True,
) -> ndarray:
    """Reduces the array by applying the ufunc along one or more axes."""
    plain = dtype is None and out is None and initial is no_value and where is True
    if plain and type(array) is ndarray and self.name in _plain_reductions:
        return reduce_array(self, array, axis, None, None, keepdims, initial, True)
    if not is_plain(array):
        given = None if out is Ellipsis else out
        kwargs = _set_ones(axis=axis, dtype=dtype, out=given, keepdims=keepdims)
        kwargs |= _set_ones(initial=initial, where=where)
        answer = dispatch(self, "reduce", (array,), kwargs)
        if answer is not no_value:
            return cast("ndarray", answer)
    _check_binary(self, "reduce")
    if out is Ellipsis:
        return reduce(self, array, axis, dtype, None, keepdims, initial, where)[...]
    a = as_array(array)
    dtype = None if dtype is None else _numpy.dtype(dtype)
    axes = normalize_axes(axis, a.ndim)
    if self.name not in _reorderable:
        if len(axes) > 1:
            raise ValueError(
                f"reduction operation '{self.name}' is not reorderable, so at most one axis may "
                "be specified"
            )
        mask = as_mask(where)
        starts = initial is not no_value and initial is not None
        if mask is not None and not starts:
            raise ValueError(
                f"reduction operation '{self.name}' does not have an identity, so to use a where "
                "mask one has to specify 'initial'"
            )
        _check_loop(self, a, dtype, out)
        if mask is not None:
            result = _reduce_where(self, a, axes, bool(keepdims), dtype, initial, mask)
            return store_reduced(result, out, self.name)
        if starts:
            first = first_element(initial, dtype or a.dtype)
            shape = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
            if axes:
                a = _join(first._broadcast_to(shape), a, axes)
            else:
                a = _core.apply(self, (first, a), None)
        return store_reduced(_reduce_in_order(self, a, axes, bool(keepdims), dtype), out, self.name)
    _check_loop(self, a, dtype, out)
    return reduce_array(self, a, axis, dtype, out, keepdims, initial, where)


def _reduce_where(
    u: ufunc,
    a: ndarray,
    axes: tuple[int, ...],
    keepdims: bool,
    dtype: DType | None,
    initial: object,
    mask: ndarray,
) -> ndarray:
    """Along one axis or none, one element after the other, without those that the mask leaves
    out."""
    some = _core.empty((0,), dtype or a.dtype)
    kind = _core.apply(u, (some, some), None).dtype
    a = a._astype(dtype or a.dtype, "K")
    mask = _mask_of(u, mask, a)
    result = first_element(initial, dtype or a.dtype)._astype(kind, "K")
    if not axes:
        return _core.select(mask, _core.apply(u, (result, a), None), result._broadcast_to(a.shape))
    (axis,) = axes
    shape = tuple(1 if i == axis else n for i, n in enumerate(a.shape) if keepdims or i != axis)
    result = result._broadcast_to(shape)
    for k in range(a.shape[axis]):
        place = (*(slice(None),) * axis, slice(k, k + 1) if keepdims else k)
        next_one = _core.apply(u, (result, a[place]), None)
        result = _core.select(mask[place], next_one, result)
    return result


def _join(first: ndarray, rest: ndarray, axes: tuple[int, ...]) -> ndarray:
    (axis,) = axes
    shape = list(rest.shape)
    shape[axis] += 1
    joined = _core.empty(tuple(shape), _core.common_type(first, rest), rest.device)
    before = (slice(None),) * axis
    joined[(*before, slice(0, 1))] = first
    joined[(*before, slice(1, None))] = rest
    return joined


def accumulate_array(
    u: ufunc, a: ndarray, axis: Axis, dtype: DType | None, out: Output | None
) -> ndarray:
    """The running reduction behind ``ufunc.accumulate``, cumsum and cumprod."""
    axis = normalize_axis(axis, a.ndim)
    result = _core.accumulate(u, a, axis, _reduction_dtype(u, a, dtype, out))
    return store_reduced(result, out, u.name)


def _single_axis(axis: Axes | None, ndim: int, method: str) -> Axis:
    """The axis of a method that works along one: that of a vector for None, the one of a tuple."""
    if isinstance(axis, tuple) and len(axis) == 1:
        return axis[0]
    if axis is None and ndim == 1:
        return 0
    if axis is None or isinstance(axis, tuple):
        raise ValueError(f"{method} does not allow multiple axes")
    return axis


def accumulate(
    self: ufunc,
    array: ArrayLike,
    axis: Axes | None = 0,
    dtype: DType | None = None,
    out: Output | EllipsisType | None = None,
) -> ndarray:
    """Accumulates the result of applying the ufunc to all elements along an axis."""
    if out is Ellipsis:  # results are arrays in any case
        out = None
    if not is_plain(array):
        kwargs = _set_ones(axis=axis, dtype=dtype, out=out)
        answer = dispatch(self, "accumulate", (array,), kwargs)
        if answer is not no_value:
            return cast("ndarray", answer)
    _check_binary(self, "accumulate")
    a = as_array(array)
    if a.ndim == 0:
        normalize_axes(axis, 0)
        raise TypeError("cannot accumulate on a scalar")
    axis = normalize_axis(_single_axis(axis, a.ndim, "accumulate"), a.ndim)
    dtype = _check_loop(self, a, None if dtype is None else _numpy.dtype(dtype), out)
    return accumulate_array(self, a, axis, dtype, out)


def reduceat(
    self: ufunc,
    array: ArrayLike,
    indices: ArrayLike,
    axis: Axes | None = 0,
    dtype: DType | None = None,
    out: Output | EllipsisType | None = None,
) -> ndarray:
    """Reduces slices of an axis: ``array[indices[i]:indices[i+1]]`` for each i."""
    if out is Ellipsis:  # results are arrays in any case
        out = None
    if not is_plain(array) or not is_plain(indices):
        kwargs = _set_ones(axis=axis, dtype=dtype, out=out)
        answer = dispatch(self, "reduceat", (array, indices), kwargs)
        if answer is not no_value:
            return cast("ndarray", answer)
    _check_binary(self, "reduceat")
    a = as_array(array)
    if a.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    axis = normalize_axis(_single_axis(axis, a.ndim, "reduceat"), a.ndim)
    length = a.shape[axis]
    dtype = _check_loop(self, a, None if dtype is None else _numpy.dtype(dtype), out)
    own = isinstance(indices, own_array)
    starts = where_slices_begin(as_array(indices if own else _numpy.asarray(indices)))
    xp = namespace(starts)
    if starts.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if starts.size and starts.dtype.kind not in "iu":
        raise TypeError(
            f"Cannot cast array data from {starts.dtype!r} to dtype('int64') according to the rule "
            "'safe'"
        )
    starts = starts.astype(_numpy.int64, copy=False)
    in_order = self.name not in _reorderable
    if not in_order and (rows := even_slices(a, axis, starts)) is not None:
        result = reduce_axes(self, rows, (axis + 1,), False, dtype, None)
        return store_reduced(result, out, self.name)
    outside = starts.view(_numpy.uint64) >= length  # also those below zero
    if outside.any():
        wrong = starts[outside][0]
        raise IndexError(f"index {wrong} out-of-bounds in {self.name}.reduceat [0, {length})")
    lengths = xp.empty_like(starts)
    lengths[:-1], lengths[-1:] = starts[1:], length
    lengths -= starts
    xp.maximum(lengths, 1, out=lengths)
    kind = _core.reduce(self, _core.empty((1,), a.dtype), None, False, dtype).dtype
    if in_order:
        result = reduce_slices_in_order(self, a, axis, starts, lengths, kind)
    else:
        result = reduce_slices(self, a, axis, starts, lengths, kind)
    return store_reduced(result, out, self.name)


def outer(self: ufunc, A: ArrayLike, B: ArrayLike, /, **kwargs: object) -> ndarray:
    """Applies the ufunc to all pairs of an element of A and an element of B."""
    if self.signature is not None:
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
    if self.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    if not is_plain(A) or not is_plain(B):
        answer = dispatch(self, "outer", (A, B), kwargs)
        if answer is not no_value:
            return cast("ndarray", answer)
    weak = (bool, int, float, complex)
    ndim = 0 if isinstance(B, weak) else (B := as_array(B)).ndim
    if ndim:
        A = as_array(A)
        A = A._reshape(A.shape + (1,) * ndim)
    elif not isinstance(A, weak):
        A = as_array(A)
    return cast("ndarray", self(A, B, **kwargs))


def _as_value_at(u: ufunc, target: ndarray, b: ArrayLike) -> ArrayLike:
    """The second operand of `at`. Python's numbers are arrays for NumPy there, with types of their
    own, in which it computes, and results are cast; where that changes nothing they stay weak."""
    if type(b) not in (bool, int, float, complex):
        return as_array(b)
    if type(b) is int and not -(2**63) <= b < 2**64:  # NumPy computes with objects
        if target.dtype.kind in "iu":
            raise OverflowError("Python int too large to convert to C long")
        b = True if target.dtype.kind == "b" else float(b)
    if u.name in _rounded_once and target.dtype.kind in "iuf":
        held = _numpy.asarray(b)
        if held.dtype.kind in "iuf" and held.dtype.kind <= target.dtype.kind:
            with _numpy.errstate(all="ignore"):
                if held.astype(target.dtype) == held:
                    return b
    return as_array(_numpy.asarray(b))


def at(self: ufunc, a: ArrayLike, indices: ArrayLike, b: ArrayLike | None = None, /) -> Any:
    """Applies the ufunc in place at the indices, once for every time an index is given."""
    if self.signature is not None:
        raise TypeError(
            f"{self.name}.at does not support ufunc with non-trivial signature: {self.name} has "
            f"signature {self.signature}."
        )
    if self.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if self.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    if self.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    operands: tuple[Any, ...] = (a, indices) if b is None else (a, indices, b)
    if not all(is_plain(operand) for operand in operands):
        answer = dispatch(self, "at", operands, {})
        if answer is not no_value:
            return answer
    if not isinstance(a, own_array | _numpy.ndarray):
        raise TypeError("first operand must be array")
    target = as_target(a)
    if _core.batch_depth() and isinstance(indices, own_array | tuple):
        from heddle._transform import selections

        if selections.has_mask(indices):
            return selections.update_at(self, target, indices, b)
    value = None if b is None else _as_value_at(self, target, b)
    operands = (target,) if value is None else (target, value)
    compute, _ = _core.resolve(self, operands, None)
    if value is not None:
        value = filled(value, compute) if not isinstance(value, own_array) else value
        value = value if value.dtype == compute else value._astype(compute, "K")
        if b is not None and self.name == "power" and compute.kind == "i" and target.size:
            value = _core.without_negative_powers(target, b, value)
    _core.update_at(self, target, indices, value)
    return None


_examples = {int: 0, float: 0.0, complex: 0j}


def resolve_dtypes(
    self: ufunc,
    dtypes: object,
    *,
    signature: object = None,
    casting: Casting | None = None,
    reduction: bool = False,
) -> tuple[DType, ...]:
    """The types that the ufunc would compute in for operands of these types.

    Python's types int, float and complex stand for its weak numbers, None for a result that the
    inputs decide.
    """
    if not isinstance(dtypes, tuple) or len(dtypes) != self.nin + self.nout:
        raise TypeError(
            f"resolve_dtypes: one entry for each of the {self.nin + self.nout} operands is needed"
        )
    if reduction:
        first, given, result = dtypes
        if result is not None:
            raise TypeError(
                "Output dtype must not be passed for reductions, pass the first input instead."
            )
        reduced = _core.reduce(self, _core.empty((1,), given), None, False, first)
        dtypes = (reduced.dtype,) * 3
    for i, kind in enumerate(dtypes):
        given = isinstance(kind, _numpy.dtype) or kind in _examples
        if not given and (kind is not None or i < self.nin):
            raise TypeError("resolve_dtypes: entries are dtypes, int, float or complex, or None")
    inputs = tuple(
        _examples[d] if d in _examples else _core.empty((0,), d) for d in dtypes[: self.nin]
    )
    wished = wanted_types(self, {} if signature is None else {"signature": signature})
    if self.signature is None:
        compute, _ = _core.resolve(self, inputs, find_loop(self, inputs, wished))
    else:
        compute = next((w for w in wished or () if w is not None), _core.common_type(*inputs))
    casting = check_casting("same_kind" if casting is None else casting)
    check_inputs(self, inputs, compute, casting)
    loop = next(t for t in self.loops if types_of_loop(t)[0] == compute)
    found = types_of_loop(loop)
    for given, result in zip(dtypes[self.nin :], found[self.nin :], strict=True):
        if given is not None:
            check_stored(result, given, self.name, casting)
    return tuple(found)


def _rebuild(name: str) -> ufunc:
    every: dict[str, ufunc] = {**_core.ufuncs, **_core.special_ufuncs, **_core.generalized_ufuncs}
    return every.get(name) or _core.special_numpys[name.removeprefix("special.")]


_rebuild.__module__ = "heddle._ufunc_methods"  # what pickles say (heddle._names.moved)


def _of_numbers(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method; NumPy's of the same ufunc for arguments that are no numbers."""

    @functools.cache
    def theirs(name: str) -> Callable[..., Any] | None:
        return getattr(getattr(_numpy, name, None), method.__name__, None)

    @functools.wraps(method)
    def run(self: ufunc, *args: Any, **kwargs: Any) -> Any:
        return of_numbers(lambda: method(self, *args, **kwargs), theirs(self.name), args, kwargs)

    return run


for _method in (reduce, accumulate, reduceat, outer, at):
    setattr(ufunc, _method.__name__, _of_numbers(_method))
setattr(ufunc, "resolve_dtypes", resolve_dtypes)  # noqa: B010


def _repr(self: ufunc) -> str:
    return f"<ufunc '{self.name}'>"


def _reduce_ex(self: ufunc) -> tuple[Callable[[str], ufunc], tuple[str]]:
    scipys = _core.special_numpys.get(self.name) is self
    return _rebuild, (f"special.{self.name}" if scipys else self.name,)


_ABOUT = """Functions that are applied to each element: one for each row of the op table.

They broadcast their arguments and fuse with what is around them. All take `out`, `where`, `dtype`
and `casting` as NumPy's do, and those of two arguments have `reduce`, `accumulate`, `reduceat`,
`outer` and `at`.

Examples
--------
>>> import heddle as np
>>> isinstance(np.add, np.ufunc), np.add.nin, np.add.identity
(True, 2, 0)
>>> print(np.add.reduce([1, 2, 3]))
6
"""

_given = {
    "__getattr__": get_attribute,
    "__doc__": Doc(_ABOUT),
    "__repr__": _repr,
    "__reduce__": _reduce_ex,
}
for _name, _value in _given.items():
    setattr(ufunc, _name, _value)
