"""Arrays of another shape: views of the same elements, and arrays joined or taken apart."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from heddle.simt import _borrowed
from heddle.simt._along import axis_of, moved, taken
from heddle.simt._methods import shaped
from heddle.simt._operations import describe
from heddle.simt._registry import functions, known_as
from heddle.simt._statements import Statements
from heddle.simt._types import (
    INT64,
    Array,
    Constant,
    List,
    Num,
    Part,
    Slice,
    Tuple,
    to_dtype,
)
from heddle.simt._whole import Lazy, Whole

_ALL = Slice(None, None, None)


def _array(s: Whole, name: str, value: Any, node: Any) -> Array:
    """An argument as an array in memory; numbers and lists become some."""
    if isinstance(value, Lazy):
        return s.made_array(value, node)
    if isinstance(value, (List, Tuple)):
        return cast("Array", functions[np.array](s, [value], {}, node))
    if isinstance(value, Num):
        return cast("Array", functions[np.array](s, [Tuple([value])], {}, node))
    if not isinstance(value, Array):
        raise s.error(node, f"{name} needs an array, not {describe(value)}")
    return value


def _of_one(name: str, of: Callable[..., Any]) -> None:
    """A function of an array and some arguments: `of(s, array, args, keywords, node)`."""

    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        s = cast("Whole", state)
        if not args:
            raise s.error(node, f"{name} needs an array")
        array = _array(s, name, args[0], node)
        rest, named = list(args[1:]), dict(keywords)
        made = of(s, array, rest, named, node)
        if rest or named:
            raise s.error(node, f"{name} takes no such arguments in compiled functions")
        return made

    known_as(name, handler)
    VIEWS[name] = of


VIEWS: dict[str, Callable[..., Any]] = {}
_Named = dict[str, Any]


# --- other axes ---


def _swapaxes(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Array:
    given = [taken(args, named, 0, key) for key in ("axis1", "axis2")]
    if args and given[1] is None:
        given[1] = args.pop(0)
    first, second = (axis_of(s, a, axis, node) for axis in given)
    axes = list(range(a.ndim))
    axes[first], axes[second] = second, first
    return moved(s, a, axes, node)


def _moveaxis(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Array:
    source = taken(args, named, 0, "source")
    target = taken(args, named, 0, "destination")
    both = [g.items if isinstance(g, Tuple) else [g] for g in (source, target)]
    sources, targets = ([axis_of(s, a, axis, node) for axis in axes] for axes in both)
    if len(sources) != len(targets):
        raise s.error(node, "source and destination have the same number of axes")
    axes = [axis for axis in range(a.ndim) if axis not in sources]
    for target_axis, source_axis in sorted(zip(targets, sources, strict=True)):
        axes.insert(target_axis, source_axis)
    return moved(s, a, axes, node)


def _with_axes(s: Whole, a: Array, places: list[int], node: Any) -> Array:
    """With axes of one element at some places of what comes of it."""
    items: list[Any] = [_ALL] * (a.ndim + len(places))
    for place in places:
        items[place] = Constant(None)
    return s.sliced(a, items, node)


def _expand_dims(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Array:
    given = taken(args, named, 0)
    axes = given.items if isinstance(given, Tuple) else [given]
    ndim = a.ndim + len(axes)
    places = [s.known_integer(axis, node, "an axis") for axis in axes]
    if not all(-ndim <= place < ndim for place in places):
        raise s.error(node, f"expand_dims: an axis is out of bounds for {ndim} dimensions")
    return _with_axes(s, a, [place % ndim for place in places], node)


def _squeeze(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Array:
    given = taken(args, named, 0)
    if given is None:
        raise s.error(node, "squeeze needs its axis in compiled functions: types say how many")
    axes = [axis_of(s, a, g, node) for g in (given.items if isinstance(given, Tuple) else [given])]
    for axis in axes:
        said = "cannot select an axis to squeeze out which has size not equal to one"
        s.need_equal(s.extent(a, axis), s.constant(1), ValueError, said, node)
    items = [s.constant(0) if axis in axes else _ALL for axis in range(a.ndim)]
    return s.sliced(a, items, node)


def _atleast(ndim: int) -> Callable[..., Any]:
    def of(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Any:
        if args:
            each = [a, *(_array(s, f"atleast_{ndim}d", one, node) for one in args)]
            args.clear()
            return Tuple([of(s, one, [], named, node) for one in each])
        if a.ndim >= ndim:
            return a
        places = {(2, 1): [0], (3, 1): [0, 2], (3, 2): [2]}.get((ndim, a.ndim), [*range(ndim)])
        return _with_axes(s, a, places, node)

    return of


def _broadcast(s: Whole, a: Array, shape: list[Num], node: Any) -> Array:
    """Its elements again and again, without copies."""
    if len(shape) < a.ndim:
        raise s.error(node, "input operand has more dimensions than allowed")
    own, strides = s._shape(a), [s.stride(a, axis) for axis in range(a.ndim)]
    s.need_to_fit(own, shape[len(shape) - a.ndim :], node)
    before = len(shape) - a.ndim
    steps: list[Num] = [s.constant(0)] * before
    for extent, stride in zip(own, strides, strict=True):
        one = s.apply("equal", [extent, s.constant(1)], node)
        steps.append(s.select(one, s.constant(0), stride, node))
    return s.view(a, Part(s._offset(a), shape, steps, False), node)


def _broadcast_to(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Array:
    given = taken(args, named, 0, "shape")
    shape = given.items if isinstance(given, Tuple) else [given]
    extents = [s.temporary(s.integer(n, node, "in a shape"), node) for n in shape]
    return _broadcast(s, a, extents, node)


def _common_shape(s: Whole, shapes: list[list[Num]], node: Any) -> list[Num]:
    made = []
    for axis in range(-max(len(shape) for shape in shapes), 0):
        sizes = [shape[axis] for shape in shapes if len(shape) >= -axis]
        made.append(s.temporary(s._common(sizes, node), node))
    return made


def _broadcast_arrays(
    state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Tuple:
    s = cast("Whole", state)
    if keywords or not args:
        raise s.error(node, "broadcast_arrays takes arrays")
    arrays = [_array(s, "broadcast_arrays", a, node) for a in args]
    shape = _common_shape(s, [s._shape(a) for a in arrays], node)
    return Tuple([_broadcast(s, a, shape, node) for a in arrays])


def _broadcast_shapes(
    state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
) -> Tuple:
    s = cast("Whole", state)
    shapes = [
        [s.integer(n, node, "in a shape") for n in (a.items if isinstance(a, Tuple) else [a])]
        for a in args
    ]
    if keywords or not shapes:
        raise s.error(node, "broadcast_shapes takes shapes")
    return Tuple(list(_common_shape(s, shapes, node)))


_of_one("swapaxes", _swapaxes)
_of_one("moveaxis", _moveaxis)
_of_one("expand_dims", _expand_dims)
_of_one("squeeze", _squeeze)
_of_one("broadcast_to", _broadcast_to)
for _ndim in (1, 2, 3):
    _of_one(f"atleast_{_ndim}d", _atleast(_ndim))
known_as("broadcast_arrays", _broadcast_arrays)
known_as("broadcast_shapes", _broadcast_shapes)


# --- joined ---


def joined(s: Whole, arrays: list[Array], axis: int, node: Any) -> Array:
    """One behind the other along an axis."""
    first = arrays[0]
    if any(a.ndim != first.ndim for a in arrays):
        raise s.error(node, "all the input arrays must have the same number of dimensions")
    dtype = to_dtype(_borrowed.joined_type(s, arrays, False).value)
    shape = s._shape(first)
    for other in arrays[1:]:
        for k in range(first.ndim):
            if k == axis:
                shape[k] = s.apply("add", [shape[k], s.extent(other, k)], node)
            else:
                said = "all the input array dimensions except for the concatenation axis must match"
                s.need_equal(s.extent(other, k), s.extent(first, k), ValueError, said, node)
    extents = [s.temporary(n, node) for n in shape]
    numpys = any(a.numpys for a in arrays)
    made = s.allocate(extents, cast("int", dtype), False, numpys, node)
    place: Num = s.constant(0)
    for a in arrays:
        end = s.temporary(s.apply("add", [place, s.extent(a, axis)], node), node)
        items: list[Any] = [_ALL] * a.ndim
        items[axis] = Slice(place, end, None)
        s.fill(s.sliced(made, items, node), a, node)
        place = end
    return made


def _several(s: Whole, name: str, args: list[Any], node: Any) -> list[Array]:
    if not args or not isinstance(args[0], Tuple) or not args[0].items:
        raise s.error(node, f"arrays that are joined are given to {name} as a tuple")
    return [_array(s, name, a, node) for a in args.pop(0).items]


def _joining(name: str, of: Callable[..., Array]) -> None:
    def handler(
        state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        s = cast("Whole", state)
        if not s.host:
            raise s.error(node, f"{name} makes an array, and kernels make none")
        rest, named = list(args), dict(keywords)
        arrays = _several(s, name, rest, node)
        axis = taken(rest, named, 0)
        if rest or named:
            raise s.error(node, f"{name} takes arrays and an axis in compiled functions")
        return of(s, arrays, axis, node)

    known_as(name, handler)


def _concatenate(s: Whole, arrays: list[Array], axis: Any, node: Any) -> Array:
    return joined(s, arrays, 0 if axis is None else axis_of(s, arrays[0], axis, node), node)


def _stack(s: Whole, arrays: list[Array], axis: Any, node: Any) -> Array:
    ndim = arrays[0].ndim + 1
    place = 0 if axis is None else s.known_integer(axis, node, "an axis")
    if not -ndim <= place < ndim:
        raise s.error(node, f"axis {place} is out of bounds for array of dimension {ndim}")
    place %= ndim
    return joined(s, [_with_axes(s, a, [place], node) for a in arrays], place, node)


def _vstack(s: Whole, arrays: list[Array], axis: Any, node: Any) -> Array:
    return joined(s, [_atleast(2)(s, a, [], {}, node) for a in arrays], 0, node)


def _hstack(s: Whole, arrays: list[Array], axis: Any, node: Any) -> Array:
    return joined(s, arrays, 0 if arrays[0].ndim == 1 else 1, node)


def _dstack(s: Whole, arrays: list[Array], axis: Any, node: Any) -> Array:
    return joined(s, [_atleast(3)(s, a, [], {}, node) for a in arrays], 2, node)


def _column_stack(s: Whole, arrays: list[Array], axis: Any, node: Any) -> Array:
    columns = [_with_axes(s, a, [1], node) if a.ndim == 1 else a for a in arrays]
    return joined(s, columns, 1, node)


_joining("concatenate", _concatenate)
_joining("stack", _stack)
_joining("vstack", _vstack)
_joining("hstack", _hstack)
_joining("dstack", _dstack)
_joining("column_stack", _column_stack)


# --- taken apart ---


def _split(axis: int | None, even: bool) -> Callable[..., Any]:
    def of(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Tuple:
        given = taken(args, named, 0, "indices_or_sections")
        along_axis = axis
        if axis is None:
            wanted = taken(args, named, 0)
            along_axis = 0 if wanted is None else axis_of(s, a, wanted, node)
        elif axis == 1 and a.ndim == 1:
            along_axis = 0
        assert along_axis is not None
        if along_axis >= a.ndim:
            raise s.error(node, f"{describe(a)} has no axis {along_axis} to be split along")
        extent = s.temporary(s.extent(a, along_axis), node)
        if isinstance(given, Tuple):
            ends = [s.integer(n, node, "in a split") for n in given.items]
        else:
            count = s.known_integer(given, node, "the number of parts")
            if count <= 0:
                raise s.error(node, "number sections must be larger than 0.")
            number = s.constant(count)
            if even:
                rest = s.apply("remainder", [extent, number], node)
                said = "array split does not result in an equal division"
                s.need_equal(rest, s.constant(0), ValueError, said, node)
            size = s.temporary(s.apply("floor_divide", [extent, number], node), node)
            more = s.temporary(s.apply("remainder", [extent, number], node), node)
            ends = []
            for k in range(1, count):
                place = s.apply("multiply", [size, s.constant(k)], node)
                extra = s.apply("minimum", [more, s.constant(k)], node)
                ends.append(s.temporary(s.apply("add", [place, extra], node), node))
        parts, begin = [], None
        for end in [*ends, None]:
            items: list[Any] = [_ALL] * a.ndim
            items[along_axis] = Slice(begin, end, None)
            parts.append(s.sliced(a, items, node))
            begin = end
        return Tuple(parts, listed=True)

    return of


_of_one("split", _split(None, True))
_of_one("array_split", _split(None, False))
_of_one("vsplit", _split(0, True))
_of_one("hsplit", _split(1, True))
_of_one("dsplit", _split(2, True))


# --- elements ---


def _take(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Any:
    indices = taken(args, named, 0, "indices")
    axis = taken(args, named, 0)
    if isinstance(indices, (Tuple, List, Lazy)):
        indices = _array(s, "take", indices, node)
    if axis is not None:
        items: list[Any] = [_ALL] * a.ndim
        items[axis_of(s, a, axis, node)] = indices
        return s.element(a, items, node)
    flat = a if a.ndim == 1 else shaped(s, "ravel", a, [], {}, node)
    if isinstance(indices, Num):
        return s.element(flat, [indices], node)
    row = indices if indices.ndim == 1 else shaped(s, "ravel", indices, [], {}, node)
    found = _borrowed.borrowed(s, "take_flat", a.numpys, [flat, row], {}, node)
    if indices.ndim == 1:
        return found
    return shaped(s, "reshape", found, [Tuple(list(s._shape(indices)))], {}, node)


def _take_along_axis(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Any:
    indices = _array(s, "take_along_axis", taken(args, named, 0, "indices"), node)
    axis = axis_of(s, a, taken(args, named, 0), node)
    if indices.ndim != a.ndim:
        raise s.error(node, "`indices` and `arr` must have the same number of dimensions")
    shape = [s.temporary(n, node) for n in s._shape(indices)]
    made = s.allocate(shape, a.dtype, False, a.numpys, node)

    def turn(at: list[Num]) -> None:
        place = s.temporary(s.element(indices, list(at), node), node)
        s.store(made, at, s.element(a, [*at[:axis], place, *at[axis + 1 :]], node), node)

    s.nested(shape, turn, node)
    return made


def _diff(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Any:
    times = s.known_integer(taken(args, named, 0, "n") or s.constant(1), node, "how often")
    axis = axis_of(s, a, taken(args, named, 0) or s.constant(-1), node)
    if times < 0:
        raise s.error(node, f"order must be non-negative but got {times}")
    made: Any = a
    for _ in range(times):
        after: list[Any] = [_ALL] * a.ndim
        before: list[Any] = [_ALL] * a.ndim
        after[axis] = Slice(s.constant(1), None, None)
        before[axis] = Slice(None, s.constant(-1), None)
        one, other = (s.sliced(made, items, node) for items in (after, before))
        made = s.made_array(s.binary(ast.Sub(), one, other, node), node)
    return made


_of_one("take", _take)
_of_one("take_along_axis", _take_along_axis)
_of_one("diff", _diff)


def _indices(state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Array:
    s = cast("Whole", state)
    if keywords or len(args) != 1 or not isinstance(args[0], Tuple) or not s.host:
        raise s.error(node, "indices takes a shape, in compiled functions")
    shape = [s.temporary(s.integer(n, node, "in a shape"), node) for n in args[0].items]
    made = s.allocate([s.constant(len(shape)), *shape], INT64, False, True, node)

    def turn(at: list[Num]) -> None:
        for k, index in enumerate(at):
            s.store(made, [s.constant(k), *at], index, node)

    s.nested(shape, turn, node)
    return made


def _select(state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    s = cast("Whole", state)
    rest, named = list(args), dict(keywords)
    default = taken(rest, named, 2, "default") or s.constant(0)
    if named or len(rest) != 2 or not all(isinstance(r, Tuple) for r in rest):
        raise s.error(node, "select takes lists of conditions and of choices, and a default")
    made: Any = default
    for condition, choice in reversed(list(zip(rest[0].items, rest[1].items, strict=True))):
        made = functions[np.where](s, [condition, choice, made], {}, node)
    return made


known_as("indices", _indices)
known_as("select", _select)


def _argwhere(s: Whole, a: Array, args: list[Any], named: _Named, node: Any) -> Array:
    rows = _borrowed.places(s, a.numpys, a, node)
    return _stack(s, list(rows.items), s.constant(1), node)


def _inner(state: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    s = cast("Whole", state)
    if keywords or len(args) != 2:
        raise s.error(node, "inner takes two arrays")
    a, b = (_array(s, "inner", value, node) for value in args)
    return s.binary(ast.MatMult(), a, b if b.ndim == 1 else s.transposed(b, node), node)


_of_one("argwhere", _argwhere)
known_as("inner", _inner)
