"""What a mask selects of each row: ``x[x > 0] *= 2`` inside of `vmap`.

How many elements a mask of stand-ins selects differs from row to row, so that no array has their
shape. A `Selected` keeps all elements of what was indexed, and the mask beside them: what is
computed of it is computed of all, and what is written back is written where the mask is true.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

from numpy.lib.mixins import NDArrayOperatorsMixin

import heddle as hd
from heddle import _core
from heddle._core import ndarray
from heddle._runtime.reports import refuse_if
from heddle._typing import ArrayLike, DTypeLike

_UNKNOWN = (
    "how many elements a mask selects differs from row to row, as inside of vmap: {} needs to know "
    "it. Write where(mask, x, y), which gives all elements"
)


def _refuse(what: str) -> TypeError:
    return TypeError(_UNKNOWN.format(what))


# --- masks ---


def _count(mask: ndarray) -> ndarray:
    return hd.count_nonzero(mask)


def _ranks(mask: ndarray) -> ndarray:
    """At each place how many elements are selected before it: right where the mask is true."""
    return (hd.cumsum(mask.reshape(-1)) - 1).reshape(mask.shape)


def _counted(mask: ndarray, count: ndarray | int, values: ndarray) -> ndarray:
    """The values, of as many elements as a mask selects; ValueError where it selects others."""
    text = "shape mismatch: a mask selects another number of elements of a row than are given"
    return refuse_if(_count(mask) != count, values, ValueError, text, "index")


def _spread(values: ndarray, mask: ndarray, axis: int, *, counted: bool = True) -> ndarray:
    """Elements along an axis at the places that a mask selects, in order."""
    count = values.shape[axis]
    if counted:
        values = _counted(mask, count, values)
    if count == 0:
        shape = (*values.shape[:axis], *mask.shape, *values.shape[axis + 1 :])
        return hd.zeros(shape, values.dtype, device=values.device)
    return hd.take(values, hd.clip(_ranks(mask), 0, count - 1), axis=axis)


class Selected(NDArrayOperatorsMixin):
    """What ``x[mask]`` gives where the mask differs from row to row.

    Elements are computed with as those of an array; reductions take those that are selected.
    """

    __slots__ = ("_axis", "_mask", "_values")
    __array_priority__ = 1000

    def __init__(self, values: ndarray, mask: ndarray, axis: int) -> None:
        # Of all elements: the dimensions of the mask begin at the axis.
        self._values, self._mask, self._axis = values, mask, axis

    # --- what is known of it ---

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def ndim(self) -> int:
        return self._values.ndim - self._mask.ndim + 1

    @property
    def size(self) -> ndarray:
        """How many elements there are, another number in each row."""
        others = self._values.size // max(self._mask.size, 1)
        return _count(self._mask) * others

    @property
    def shape(self) -> tuple[int, ...]:
        raise _refuse("the shape")

    def __len__(self) -> int:
        raise _refuse("len")

    def __iter__(self) -> Any:
        raise _refuse("a loop over them")

    def refusal(self, what: str) -> TypeError:
        """The error of what needs to know how many there are."""
        return _refuse(what)

    def __bool__(self) -> bool:
        raise _refuse("an if")

    def __array__(self, *_: object, **__: object) -> Any:
        raise _refuse("an array of them")

    def __repr__(self) -> str:
        return f"<{self.dtype} elements that a mask selects of each row>"

    __hash__ = None  # type: ignore[assignment]

    @property
    def _selecting_mask(self) -> ndarray:
        """What the core takes this for in an index."""
        return self._mask

    @property
    def _after(self) -> int:
        """How many dimensions there are behind that of what is selected."""
        return self._values.ndim - self._axis - self._mask.ndim

    def _with(self, values: ndarray) -> Selected:
        """Others at the same places; there may be more dimensions in front."""
        return Selected(values, self._mask, values.ndim - self._after - self._mask.ndim)

    def _mask_of_values(self) -> ndarray:
        return self._mask.reshape(self._mask.shape + (1,) * self._after)

    def _aligned(self, other: Any) -> Any:
        """An operand beside all elements of this one."""
        if isinstance(other, Selected):
            if other._after != self._after:
                raise _refuse("an operand of another shape")
            if _core.is_same_computation(other._mask, self._mask):
                return other._values
            return _moved(other, self._mask)
        if isinstance(other, (int, float, complex)):
            return other  # whose types yield
        other = hd.asarray(other)
        if other.ndim <= self._after:
            return other
        axis = other.ndim - self._after - 1
        if other.shape[axis] != 1:
            return _spread(other, self._mask, axis)
        shape = (*other.shape[:axis], *(1,) * self._mask.ndim, *other.shape[axis + 1 :])
        return other.reshape(shape)

    # --- functions of NumPy's names ---

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc.__name__ == "matmul" and method == "__call__" and not kwargs:
            return _function("matmul")(*inputs)
        if method == "reduce" and ufunc.__name__ in _BY_UFUNC:
            return getattr(inputs[0], _BY_UFUNC[ufunc.__name__])(
                **{"axis": 0, **{k: v for k, v in kwargs.items() if v is not None}}
            )
        if method == "at" and isinstance(inputs[0], _core.own_array):
            update_at(_core.ufuncs[ufunc.__name__], *inputs)
            return None
        if method != "__call__":
            raise _refuse(f"{ufunc.__name__}.{method}")
        ours = _core.ufuncs[ufunc.__name__]
        out = kwargs.pop("out", None)
        if out is None:
            return self._computed(ours, inputs, kwargs)
        if len(out) != 1 or not isinstance(out[0], Selected):
            raise _refuse("out")
        target = out[0]
        given = [target._aligned(x) for x in inputs]
        # It may be a range of others, which stay as they are.
        mask, where = target._mask_of_values(), kwargs.get("where", True)
        kwargs["where"] = mask if where is True else mask & target._aligned(where)
        ours(*given, out=target._values, **kwargs)
        return target

    def _computed(self, f: Callable[..., Any], inputs: Sequence[Any], kwargs: Any) -> Any:
        """An element-wise function, at all elements."""
        first = next(x for x in inputs if isinstance(x, Selected))
        made = f(*map(first._aligned, inputs), **{k: first._of(v) for k, v in kwargs.items()})
        if isinstance(made, tuple):
            return tuple(map(first._with, made))
        return first._with(made)

    def _of(self, keyword: Any) -> Any:
        return self._aligned(keyword) if isinstance(keyword, (Selected, ndarray)) else keyword

    def __array_function__(self, function: Any, types: object, args: Any, kwargs: Any) -> Any:
        name = function.__name__
        if name in _ELEMENTWISE:
            return self._computed(getattr(hd, name), args, kwargs)
        if name in _REDUCTIONS and isinstance(args[0], Selected):
            return getattr(args[0], _REDUCTIONS[name])(*args[1:], **kwargs)
        if name in _OF_VECTORS and len(args) == 1 and not kwargs and self.ndim == 1:
            return _OF_VECTORS[name](self)
        return _function(name)(*args, **kwargs)

    # --- reductions ---

    def _reduced(
        self, name: str, axis: Any, keepdims: bool, kwargs: dict[str, Any], neutral: Any = None
    ) -> Any:
        before = self._axis
        axes = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        logical = sorted({_normal(one, self.ndim) for one in axes})
        physical: list[int] = []
        for one in logical:
            if one == before:
                physical += range(before, before + self._mask.ndim)
            else:
                physical.append(one if one < before else one + self._mask.ndim - 1)
        reduce = getattr(hd, name)
        if before not in logical:
            made = reduce(self._values, axis=tuple(physical), keepdims=keepdims, **kwargs)
            return Selected(made, self._mask, before - (0 if keepdims else _below(logical, before)))
        kwargs["where"] = hd.broadcast_to(self._mask_of_values(), self._values.shape)
        values = self._values
        if neutral is not None:
            text = f"zero-size array to reduction operation {name} which has no identity"
            values = refuse_if(_count(self._mask) == 0, values, ValueError, text, name)
            kwargs["initial"] = neutral
        made = reduce(values, axis=tuple(physical), **kwargs)
        return hd.expand_dims(made, tuple(logical)) if keepdims else made

    def sum(self, axis: Any = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Any:
        return self._reduced("sum", axis, keepdims, {"dtype": dtype})

    def prod(self, axis: Any = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Any:
        return self._reduced("prod", axis, keepdims, {"dtype": dtype})

    def mean(self, axis: Any = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Any:
        return self._reduced("mean", axis, keepdims, {"dtype": dtype})

    def var(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        return self._reduced("var", axis, keepdims, {"ddof": ddof})

    def std(self, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        return self._reduced("std", axis, keepdims, {"ddof": ddof})

    def max(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("max", axis, keepdims, {}, _lowest(self.dtype))

    def min(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("min", axis, keepdims, {}, _highest(self.dtype))

    def any(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("any", axis, keepdims, {})

    def all(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("all", axis, keepdims, {})

    def _count_nonzero(self, axis: Any = None, keepdims: bool = False) -> Any:
        return (self != 0).sum(axis, keepdims=keepdims)

    # --- the same elements ---

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Selected:
        return self._with(self._values.astype(dtype, copy=copy))

    def copy(self) -> Selected:
        return self._with(self._values.copy())

    @property
    def T(self) -> Selected:
        before, after = self._axis, self._values.ndim - self._after
        axes = (*range(self._values.ndim)[: after - 1 : -1], *range(before, after))
        turned = self._values.transpose(*axes, *range(before)[::-1])
        return Selected(turned, self._mask, self._after)

    @property
    def real(self) -> Selected:
        return self._with(self._values.real)

    @property
    def imag(self) -> Selected:
        return self._with(self._values.imag)

    def conj(self) -> Selected:
        return self._with(self._values.conj())

    conjugate = conj

    def ravel(self) -> Selected:
        made: Selected = _function("ravel")(self)
        return made

    def flatten(self) -> Selected:
        return self.ravel().copy()

    def dot(self, other: Any) -> Any:
        return _function("dot")(self, other)

    def cumsum(self) -> Selected:
        return _running(self.ravel(), hd.cumsum, 0)

    def cumprod(self) -> Selected:
        return _running(self.ravel(), hd.cumprod, 1)

    def argmax(self) -> ndarray:
        return _place_of(self.ravel(), hd.argmax, _lowest(self.dtype))

    def argmin(self) -> ndarray:
        return _place_of(self.ravel(), hd.argmin, _highest(self.dtype))

    def _narrowed(self, index: Any) -> ndarray:
        """The mask of what a condition on the elements selects of them."""
        if not isinstance(index, Selected) or index.dtype.kind != "b" or index.ndim != 1:
            raise _refuse("an index of them")
        if self._axis:
            raise _refuse("an index of them")
        return self._mask & self._aligned_mask(index)

    def _aligned_mask(self, index: Selected) -> ndarray:
        if _core.is_same_computation(index._mask, self._mask):
            return index._values
        return _moved(index, self._mask)

    def _split(self, index: Any) -> tuple[Selected, Any]:
        """What an index leaves of other dimensions, as a view, and what it says of this one."""
        parts = list(index) if isinstance(index, tuple) else [index]
        if any(isinstance(p, bool) or not _is_basic(p) for p in parts):
            return self, index
        left = self.ndim - sum(p is not None and p is not ... for p in parts)
        if left < 0:
            raise IndexError(f"too many indices for array: array is {self.ndim}-dimensional")
        at = parts.index(...) if ... in parts else len(parts)
        parts[at : at + 1] = [slice(None)] * left
        own = [i for i, p in enumerate(parts) if p is not None][self._axis]
        around = (*parts[:own], *(slice(None),) * self._mask.ndim, *parts[own + 1 :])
        axis = sum(not isinstance(p, int) for p in parts[:own])
        return Selected(self._values[around], self._mask, axis), parts[own]

    def _ranged(self, index: slice) -> Selected:
        """What a range of the elements is, as a view."""
        if index == slice(None):
            return self
        step = 1 if index.step is None else operator.index(index.step)
        if step == 0:
            raise ValueError("slice step cannot be zero")
        count, ranks = _count(self._mask), _ranks(self._mask)

        def bound(given: Any, default: Any, least: int, beyond: Any) -> Any:
            if given is None:
                return default
            return hd.clip(given + count if given < 0 else given, least, beyond)

        if step > 0:
            first = bound(index.start, 0, 0, count)
            kept = (ranks >= first) & (ranks < bound(index.stop, count, 0, count))
        else:
            first = bound(index.start, count - 1, -1, count - 1)
            kept = (ranks <= first) & (ranks > bound(index.stop, -1, -1, count - 1))
        if abs(step) > 1:
            kept &= (ranks - first) % step == 0
        made = self._narrow(self._mask & kept)
        return made if step > 0 else made._turned()

    def _turned(self) -> Selected:
        axes = tuple(range(self._axis, self._axis + self._mask.ndim))
        return Selected(hd.flip(self._values, axes), hd.flip(self._mask), self._axis)

    def _one(self, index: int) -> ndarray:
        """A mask of the element at a place of those that are selected."""
        count = _count(self._mask)
        text = f"index {index} is out of bounds for what a mask selects of a row"
        wrong = (index >= count) | (index < -count)
        ranks = refuse_if(wrong, _ranks(self._mask), IndexError, text, "index")
        return self._mask & (ranks == (index + count if index < 0 else index))

    def _narrow(self, mask: ndarray) -> Selected:
        return Selected(self._values, mask, self._axis)

    def __getitem__(self, index: Any) -> Any:
        seen, own = self._split(index)
        if isinstance(own, slice):
            return seen._ranged(own)
        if not isinstance(own, int):
            return Selected(self._values.copy(), self._narrowed(index), 0)
        shape, axis = seen._values.shape, seen._axis
        values = seen._values.reshape(*shape[:axis], -1, *shape[axis + self._mask.ndim :])
        return hd.take(values, hd.argmax(seen._one(own)), axis=axis)

    def __setitem__(self, index: Any, value: Any) -> None:
        seen, own = self._split(index)
        if isinstance(own, slice):
            seen._ranged(own)._take(value)
        else:
            seen._narrow(seen._one(own) if isinstance(own, int) else self._narrowed(index))._take(
                value
            )

    def _take(self, value: Any) -> None:
        """Writes to what is selected."""
        given = self._aligned(value)
        hd.copyto(self._values, given, casting="unsafe", where=self._mask_of_values())


def _moved(given: Selected, mask: ndarray) -> ndarray:
    """The values of a selection at the places of another one of as many elements."""
    values = _counted(mask, _count(given._mask), given._values)
    size = given._mask.size
    flat = values.reshape(
        *values.shape[: given._axis], size, *values.shape[values.ndim - given._after :]
    )
    order = hd.argsort(~given._mask.reshape(-1), kind="stable")
    places = hd.take(order, hd.clip(_ranks(mask), 0, max(size - 1, 0)))
    return hd.take(flat, places, axis=given._axis)


def _function(name: str) -> Callable[..., Any]:
    """What joins and multiplies, by NumPy's name and with those of its keywords that are heeded."""
    from heddle._transform.selected_joins import FUNCTIONS

    if name not in FUNCTIONS:
        raise _refuse(name)

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            given = inspect.signature(FUNCTIONS[name]).bind(*args, **kwargs)
        except TypeError:
            raise _refuse(f"{name} with {', '.join(kwargs)}") from None
        return FUNCTIONS[name](*given.args, **given.kwargs)

    return called


def _normal(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def _below(axes: Sequence[int], axis: int) -> int:
    return sum(one < axis for one in axes)


def _lowest(dtype: Any) -> Any:
    return -hd.inf if dtype.kind in "fc" else False if dtype.kind == "b" else hd.iinfo(dtype).min


def _highest(dtype: Any) -> Any:
    return hd.inf if dtype.kind in "fc" else True if dtype.kind == "b" else hd.iinfo(dtype).max


# --- functions of vectors ---


def _in_front(given: Selected, beyond: Any) -> ndarray:
    """All elements of a vector as one, with a number in place of those that are not selected."""
    return hd.where(given._mask, given._values, hd.asarray(beyond).astype(given.dtype)).reshape(-1)


def _sort(given: Selected) -> Selected:
    values = hd.sort(_in_front(given, _highest(given.dtype)))
    return Selected(_spread(values, given._mask, 0, counted=False), given._mask, 0)


def _running(given: Selected, function: Callable[[ndarray], ndarray], neutral: Any) -> Selected:
    made = function(_in_front(given, neutral)).reshape(given._mask.shape)
    return Selected(made, given._mask, 0)


def _place_of(given: Selected, function: Callable[[ndarray], ndarray], beyond: Any) -> ndarray:
    text = "attempt to get a place in an empty sequence"
    ranks = refuse_if(_count(given._mask) == 0, _ranks(given._mask), ValueError, text, "argmax")
    # Elements that are not selected may be equal to the extreme one, and come first.
    values = _in_front(given, beyond)
    extreme = hd.take(values, function(values))
    is_there = (given._mask & (given._values == extreme)).reshape(-1)
    return hd.take(ranks.reshape(-1), hd.argmax(is_there))


def _median(given: Selected) -> ndarray:
    count = _count(given._mask)
    values = hd.sort(_in_front(given, _highest(given.dtype)))
    middle = hd.stack([hd.maximum(count - 1, 0) // 2, hd.minimum(count // 2, values.size - 1)])
    return hd.where(count > 0, hd.mean(hd.take(values, middle)), hd.nan)


def _norm(given: Selected) -> ndarray:
    return hd.linalg.norm(_in_front(given, 0))


_BY_UFUNC = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_REDUCTIONS = {
    **{name: name for name in ("sum", "prod", "mean", "var", "std", "max", "min", "any", "all")},
    "amax": "max",
    "amin": "min",
    "count_nonzero": "_count_nonzero",
}
_OF_VECTORS: dict[str, Callable[[Selected], Any]] = {
    "sort": _sort,
    "median": _median,
    "norm": _norm,
    "cumsum": Selected.cumsum,
    "cumprod": Selected.cumprod,
    "argmax": Selected.argmax,
    "argmin": Selected.argmin,
}
_ELEMENTWISE = {
    *("where", "clip", "real", "imag", "angle", "isclose", "nan_to_num", "round", "around", "copy"),
    *("sinc", "i0", "zeros_like", "ones_like", "empty_like", "full_like", "isposinf", "isneginf"),
    *("real_if_close", "fix"),
}


# --- what is indexed ---


def places(mask: ndarray) -> tuple[Selected, ...]:
    """The indices of true elements, for each dimension of the mask."""
    return tuple(
        Selected(
            hd.broadcast_to(
                hd.arange(extent, device=mask.device).reshape(
                    (-1,) + (1,) * (mask.ndim - 1 - axis)
                ),
                mask.shape,
            ),
            mask,
            0,
        )
        for axis, extent in enumerate(mask.shape)
    )


def has_mask(index: object) -> bool:
    """Whether an index has a mask of stand-ins, or indices that one selects."""
    return any(map(_is_uncounted, index if isinstance(index, tuple) else (index,)))


def _is_uncounted(item: object) -> bool:
    if isinstance(item, Selected):
        return True
    if not isinstance(item, _core.own_array) or not _core.is_stand_in(item):
        return False
    return bool(item.dtype == bool)


def _is_basic(item: object) -> bool:
    return isinstance(item, (int, slice, type(None), type(...)))


def _expanded(array: ndarray, items: Sequence[Any]) -> tuple[list[Any], int, bool]:
    """The parts of an index without an ellipsis; how many dimensions of the result come before
    those that arrays bring; and whether these are apart from one another, and so in front."""
    widths = [
        0 if item is None or item is ... else item.ndim if isinstance(item, _core.own_array) else 1
        for item in items
    ]
    left = array.ndim - sum(widths)
    if left < 0:
        raise IndexError(
            f"too many indices for array: array is {array.ndim}-dimensional, "
            f"but {sum(widths)} were indexed"
        )
    if not any(item is ... for item in items):
        items = [*items, ...]
    # Integers beside a mask are indices, too.
    is_own = [not _is_basic(item) or isinstance(item, int) for item in items]
    first, last = is_own.index(True), len(items) - 1 - is_own[::-1].index(True)
    apart = not all(is_own[first : last + 1])
    made: list[Any] = []
    place = 0
    for i, item in enumerate(items):
        if i == first and not apart:
            place = sum(not isinstance(one, int) for one in made)
        made += [slice(None)] * left if item is ... else [item]
    return made, place, apart


def _with_axis_of(mask: ndarray, array: ndarray, items: list[Any]) -> tuple[ndarray, list[Any]]:
    """The array and the index, where a mask of one truth value has the axis that it brings."""
    at = next(i for i, item in enumerate(items) if item is mask)
    widths = [0 if item is None or item is ... or item is mask else 1 for item in items]
    place = sum(widths[:at])
    if any(item is ... for item in items[:at]):
        place += array.ndim - sum(widths)
    items = [*items[:at], mask.reshape(1), *items[at + 1 :]]
    return array[(*(slice(None),) * place, None, ...)], items


class _Masked:
    """What an index with one mask leads to: a view of what the index leaves beside the mask, and
    the axis of the view that the mask begins at."""

    def __init__(self, array: ndarray, items: list[Any]) -> None:
        own = [item for item in items if not _is_basic(item)]
        if len(own) != 1 or not isinstance(own[0], _core.own_array):
            raise _refuse("an index of several arrays")
        self._number = array if array.ndim == 0 else None  # views of numbers are copies
        if own[0].ndim == 0:
            array, items = _with_axis_of(own[0], array, items)
            own = [item for item in items if not _is_basic(item)]
        self.mask = mask = own[0]
        items, self.axis, apart = _expanded(array, items)
        at = next(i for i, item in enumerate(items) if item is mask)
        begin = sum(item is not None for item in items[:at])
        for i, extent in enumerate(mask.shape):
            if extent != array.shape[begin + i]:
                raise IndexError(
                    f"boolean index did not match indexed array along axis {begin + i}; size of "
                    f"axis is {array.shape[begin + i]} but size of corresponding boolean axis is "
                    f"{extent}"
                )
        view = array[(*items[:at], *(slice(None),) * mask.ndim, *items[at + 1 :])]
        if apart:
            begin = sum(not isinstance(item, int) for item in items[:at])
            view = hd.moveaxis(
                view, tuple(range(begin, begin + mask.ndim)), tuple(range(mask.ndim))
            )
        self.view = view

    def read(self) -> Selected:
        return Selected(self.view.copy(), self.mask, self.axis)

    def write(self, value: Any) -> None:
        Selected(self.view, self.mask, self.axis)._take(value)
        if self._number is not None:
            self._number[...] = self.view[0]


class _Chosen:
    """What an index with integers that a mask selects leads to."""

    def __init__(self, array: ndarray, items: list[Any]) -> None:
        own = [item for item in items if not _is_basic(item)]
        if any(not isinstance(i, Selected) or i.ndim != 1 or i.dtype.kind not in "iu" for i in own):
            raise _refuse("an index of several arrays")
        self.array, self.mask = array, own[0]._mask
        self.items, self.axis, _ = _expanded(array, items)
        for i, item in enumerate(self.items):
            if isinstance(item, Selected):
                # What is not selected may be anything; so it is an index of the first element.
                chosen = hd.where(self.mask, own[0]._aligned(item), 0)
                axis = sum(one is not None for one in self.items[:i])
                _core.check_indices(chosen, axis, array.shape[axis])
                self.items[i] = chosen

    def read(self) -> Selected:
        return Selected(self.array[tuple(self.items)], self.mask, self.axis)

    def write(self, value: Any) -> None:
        """One more place along an axis takes what is not selected."""
        i = next(i for i, item in enumerate(self.items) if isinstance(item, _core.own_array))
        axis = sum(one is not None for one in self.items[:i])
        extent = self.array.shape[axis]
        at = self.items[i]
        at = hd.where(self.mask, hd.where(at < 0, at + extent, at), extent)
        widths = [(0, int(d == axis)) for d in range(self.array.ndim)]
        made = hd.pad(self.array, widths)
        index = (*self.items[:i], at, *self.items[i + 1 :])
        place = Selected(made[index], self.mask, self.axis)
        made[index] = hd.broadcast_to(place._aligned(value), place._values.shape)
        self.array[...] = made[tuple(map(slice, self.array.shape))]


def _place(array: ndarray, index: Any) -> _Masked | _Chosen:
    items = list(index) if isinstance(index, tuple) else [index]
    selects = any(isinstance(item, Selected) and item.dtype != bool for item in items)
    return _Chosen(array, items) if selects else _Masked(array, items)


def selected(array: ndarray, index: Any) -> Selected:
    """``array[index]``, where the index has a mask of stand-ins."""
    return _place(array, index).read()


def select(array: ndarray, index: Any, value: ArrayLike | Selected) -> None:
    """``array[index] = value``, where the index has a mask of stand-ins."""
    _place(array, index).write(value)


def update_at(function: Any, array: ndarray, index: Any, value: Any = None) -> None:
    """``function.at(array, index, value)``; a mask has no place twice."""
    place = _place(array, index)
    if isinstance(place, _Chosen):
        raise _refuse(f"{function.__name__}.at")
    given = place.read()
    place.write(function(given) if value is None else function(given, value))
