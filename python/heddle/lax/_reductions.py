"""Reductions with JAX's names: by known functions and any others, of axes and of windows."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._typing import ArrayLike, DTypeLike, Tree
from heddle.lax import _elementwise as elements
from heddle.lax._operands import read_axes, read_one
from heddle.lax._shapes import pad

_Padding = str | Sequence[tuple[int, int]]

# What functions of two numbers are as reductions; all others are applied to pairs of elements.
_KNOWN: dict[Any, Any] = {
    elements.add: hd.add,
    elements.mul: hd.multiply,
    elements.max: hd.maximum,
    elements.min: hd.minimum,
    elements.bitwise_and: hd.bitwise_and,
    elements.bitwise_or: hd.bitwise_or,
    elements.bitwise_xor: hd.bitwise_xor,
    operator.add: hd.add,
    operator.mul: hd.multiply,
    operator.and_: hd.bitwise_and,
    operator.or_: hd.bitwise_or,
    operator.xor: hd.bitwise_xor,
}
for _ufunc in (hd.add, hd.multiply, hd.maximum, hd.minimum, hd.logical_and, hd.logical_or):
    _KNOWN[_ufunc] = _ufunc
for _ufunc in (hd.bitwise_and, hd.bitwise_or, hd.bitwise_xor):
    _KNOWN[_ufunc] = _ufunc


def _reduced(
    arrays: list[Any], behind: int, first: list[Any], computation: Callable[..., Any]
) -> list[Any]:
    """Each array reduced over so many axes behind the others, all of them together."""
    kept = arrays[0].ndim - behind
    shape = arrays[0].shape[:kept]
    count = math.prod(arrays[0].shape[kept:])
    starts = [hd.asarray(s, dtype=a.dtype) for s, a in zip(first, arrays, strict=True)]
    if count == 0:
        return [hd.broadcast_to(start, shape).copy() for start in starts]
    ufunc = _KNOWN.get(computation) if computation.__hash__ is not None else None
    if ufunc is not None and len(arrays) == 1:
        (array,), (start,) = arrays, starts
        axes = tuple(range(kept, array.ndim))
        made = ufunc.reduce(array, axis=axes, dtype=array.dtype) if axes else array
        return [ufunc(made, start).astype(array.dtype)]
    # In pairs, then pairs of what came out: the function is one of single numbers.
    together = hd.vmap(lambda a, b: tree.leaves(computation(*a, *b)))
    arrays = [array.reshape((*shape, count)) for array in arrays]
    while (count := arrays[0].shape[-1]) > 1:
        half = count // 2
        pairs = [(a[..., :half].ravel(), a[..., half : 2 * half].ravel()) for a in arrays]
        made = together(*map(list, zip(*pairs, strict=True)))
        arrays = [
            hd.concatenate([_like(new, old).reshape((*shape, half)), old[..., 2 * half :]], -1)
            for new, old in zip(made, arrays, strict=True)
        ]
    spread = [hd.broadcast_to(start, shape).ravel() for start in starts]
    made = together(spread, [array.ravel() for array in arrays])
    return [_like(new, old).reshape(shape) for new, old in zip(made, arrays, strict=True)]


def _like(made: Any, before: hd.ndarray) -> hd.ndarray:
    if made.dtype != before.dtype:
        raise TypeError(
            f"lax.reduce: the function makes {made.dtype} of elements of {before.dtype}"
        )
    return made  # type: ignore[no-any-return]


def reduce(
    operands: object,
    init_values: object,
    computation: Callable[..., Any],
    dimensions: int | Sequence[int],
) -> Tree:
    """What an associative function makes of all elements along some axes.

    ``computation`` is a function of two numbers; of several operands, of two trees of numbers.
    That of `heddle.lax` and of ufuncs is known; any other one is applied to pairs, and then to
    pairs of what came out.

    >>> import heddle as np
    >>> print(np.lax.reduce(np.arange(6).reshape(2, 3), 0, lambda a, b: a + b, (1,)))
    [ 3 12]
    """
    leaves, structure = tree.flatten(operands)
    arrays = [hd.asarray(leaf) for leaf in leaves]
    first, other = tree.flatten(init_values)
    if other != structure or not arrays:
        raise ValueError(f"lax.reduce: operands are {structure}, and init_values {other}")
    if any(array.shape != arrays[0].shape for array in arrays):
        raise ValueError(f"lax.reduce: operands have shapes {[array.shape for array in arrays]}")
    for array, start in zip(arrays, first, strict=True):
        if hd.asarray(start).ndim:
            raise ValueError(
                f"lax.reduce: an init_value has the shape {hd.asarray(start).shape}, not ()"
            )
        _check_start("reduce", array, start)
    axes = read_axes("reduce", dimensions, arrays[0].ndim)
    made = _over_axes(arrays, axes, first, _of_trees(computation, structure))
    return structure.unflatten(made)


def _check_start(what: str, array: hd.ndarray, start: object) -> None:
    if isinstance(start, _core.own_array) and start.dtype != array.dtype:
        raise TypeError(f"lax.{what}: an init_value of {start.dtype} for elements of {array.dtype}")


def _of_trees(computation: Callable[..., Any], structure: tree.Structure) -> Callable[..., Any]:
    """The function of trees as one of leaves."""
    if tree.structure(0) == structure:
        return computation
    count = structure.num_leaves

    def of_leaves(*values: object) -> Any:
        return computation(structure.unflatten(values[:count]), structure.unflatten(values[count:]))

    return of_leaves


def _over_axes(
    arrays: list[hd.ndarray],
    axes: tuple[int, ...],
    first: list[Any],
    computation: Callable[..., Any],
) -> list[Any]:
    kept = [axis for axis in range(arrays[0].ndim) if axis not in axes]
    moved = [array.transpose([*kept, *axes]) for array in arrays]
    return _reduced(moved, len(axes), first, computation)


def _named(name: str, ufunc: Any, kinds: str, says: str, example: str) -> Callable[..., hd.ndarray]:
    def function(operand: ArrayLike, axes: Sequence[int]) -> hd.ndarray:
        array = read_one(name, operand, kinds)
        found = read_axes(name, axes, array.ndim)
        return ufunc.reduce(array, axis=found, dtype=array.dtype)  # type: ignore[no-any-return]

    return elements._described(function, name, says, example)  # type: ignore[no-any-return]


reduce_sum = _named(
    "reduce_sum",
    hd.add,
    "biufc",
    "The sum along axes, of the same type.",
    "np.ones(3), (0,) -> 3.0",
)
reduce_prod = _named(
    "reduce_prod", hd.multiply, "iufc", "The product along axes.", "np.ones(3), (0,) -> 1.0"
)
reduce_max = _named(
    "reduce_max", hd.maximum, "biuf", "The greatest along axes.", "np.arange(3), (0,) -> 2"
)
reduce_min = _named(
    "reduce_min", hd.minimum, "biuf", "The least along axes.", "np.arange(3), (0,) -> 0"
)
reduce_and = _named(
    "reduce_and", hd.bitwise_and, "biu", "Bits of all along axes.", "np.array([6, 3]), (0,) -> 2"
)
reduce_or = _named(
    "reduce_or", hd.bitwise_or, "biu", "Bits of any along axes.", "np.array([6, 3]), (0,) -> 7"
)
reduce_xor = _named(
    "reduce_xor", hd.bitwise_xor, "biu", "Bits of odd counts.", "np.array([6, 3]), (0,) -> 5"
)


def argmax(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> hd.ndarray:
    """Where the greatest element along an axis is, the first of equal ones.

    >>> import heddle as np
    >>> np.lax.argmax(np.eye(2), 0, "int32")
    array([0, 1], dtype=int32)
    """
    array = read_one("argmax", operand, "biuf")
    return hd.argmax(array, axis=read_axes("argmax", axis, array.ndim)[0]).astype(index_dtype)


def argmin(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> hd.ndarray:
    """Where the least element along an axis is, the first of equal ones.

    >>> import heddle as np
    >>> np.lax.argmin(np.eye(2), 0, "int32")
    array([1, 0], dtype=int32)
    """
    array = read_one("argmin", operand, "biuf")
    return hd.argmin(array, axis=read_axes("argmin", axis, array.ndim)[0]).astype(index_dtype)


def padtype_to_pads(
    in_shape: Sequence[int],
    window_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: str,
) -> list[tuple[int, int]]:
    """How many elements ``"SAME"``, ``"SAME_LOWER"`` or ``"VALID"`` put before and behind.

    >>> import heddle as np
    >>> np.lax.padtype_to_pads((5,), (2,), (1,), "SAME")
    [(0, 1)]
    """
    kind = padding.upper()
    if kind == "VALID":
        return [(0, 0)] * len(in_shape)
    if kind not in ("SAME", "SAME_LOWER"):
        raise ValueError(f"padding is 'SAME', 'SAME_LOWER' or 'VALID', not {padding!r}")
    made = []
    for extent, window, stride in zip(in_shape, window_shape, window_strides, strict=True):
        total = max((-(-extent // stride) - 1) * stride + window - extent, 0)
        less, more = total // 2, total - total // 2
        made.append((less, more) if kind == "SAME" else (more, less))
    return made


def _read_windows(
    shape: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    padding: _Padding,
    base: Sequence[int] | None,
    dilation: Sequence[int] | None,
) -> tuple[tuple[int, ...], list[tuple[int, int]], tuple[int, ...], tuple[int, ...]]:
    rank = len(shape)
    base = (1,) * rank if base is None else tuple(base)
    dilation = (1,) * rank if dilation is None else tuple(dilation)
    for name, given in (
        ("window_dimensions", window),
        ("window_strides", strides),
        ("base_dilation", base),
        ("window_dilation", dilation),
    ):
        if len(given) != rank or min(given, default=1) < 1:
            raise TypeError(
                f"lax.reduce_window: {name} are {tuple(given)} for an array of shape {tuple(shape)}"
            )
    spread = [
        (extent - 1) * by + 1 if extent else 0 for extent, by in zip(shape, base, strict=True)
    ]
    reach = [(extent - 1) * by + 1 for extent, by in zip(window, dilation, strict=True)]
    if isinstance(padding, str):
        pads = padtype_to_pads(shape, reach, strides, padding)  # as in JAX, before elements spread
    else:
        pads = [(operator.index(low), operator.index(high)) for low, high in padding]
        if len(pads) != rank:
            raise ValueError(f"lax.reduce_window: {len(pads)} paddings for {rank} axes")
    result = tuple(
        max((extent + low + high - r) // stride + 1, 0)
        for extent, (low, high), r, stride in zip(spread, pads, reach, strides, strict=True)
    )
    return result, pads, base, dilation


def reduce_window(
    operand: ArrayLike,
    init_value: ArrayLike,
    computation: Callable[..., Any],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: _Padding,
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Tree:
    """What an associative function makes of the elements of each window that moves over an array.

    ``init_value`` is what the array is padded with, too. See `reduce` for the function; several
    operands are a tree. ``base_dilation`` puts padding between elements, ``window_dilation``
    leaves out elements of a window.

    >>> import heddle as np
    >>> print(np.lax.reduce_window(np.arange(5.0), 0.0, np.lax.add, (2,), (1,), "VALID"))
    [1. 3. 5. 7.]
    """
    leaves, structure = tree.flatten(operand)
    arrays = [hd.asarray(leaf) for leaf in leaves]
    first, other = tree.flatten(init_value)
    if other != structure or not arrays:
        raise ValueError(f"lax.reduce_window: operands are {structure}, and init_values {other}")
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        raise ValueError(f"lax.reduce_window: operands have shapes {[a.shape for a in arrays]}")
    result, pads, base, dilation = _read_windows(
        shape, window_dimensions, window_strides, padding, base_dilation, window_dilation
    )
    windows = []
    for array, start in zip(arrays, first, strict=True):
        _check_start("reduce_window", array, start)
        config = [(low, high, by - 1) for (low, high), by in zip(pads, base, strict=True)]
        padded = pad(array, start, config) if array.ndim else array
        reach = tuple(
            (extent - 1) * by + 1 for extent, by in zip(window_dimensions, dilation, strict=True)
        )
        if not math.prod(result):
            windows.append(
                hd.zeros((*result, *window_dimensions), array.dtype, device=array.device)
            )
            continue
        seen = hd.lib.stride_tricks.sliding_window_view(padded, reach) if reach else padded
        windows.append(
            seen[tuple(slice(None, None, step) for step in (*window_strides, *dilation))]
        )
    made = _reduced(windows, len(shape), first, _of_trees(computation, structure))
    return structure.unflatten(made)


def reduce_window_shape_tuple(
    operand_shape: Sequence[int],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: _Padding,
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """The shape of what `reduce_window` gives.

    >>> import heddle as np
    >>> np.lax.reduce_window_shape_tuple((5,), (2,), (1,), "VALID")
    (4,)
    """
    return _read_windows(
        operand_shape, window_dimensions, window_strides, padding, base_dilation, window_dilation
    )[0]
