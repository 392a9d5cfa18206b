"""General gathers and scatters by JAX's names: slices of one size at places of an array."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import heddle as hd
from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType


class GatherScatterMode(enum.Enum):
    """What becomes of slices that are not inside of the array.

    >>> import heddle as np
    >>> np.lax.GatherScatterMode.from_any("clip").name
    'CLIP'
    """

    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2

    @staticmethod
    def from_any(s: str | GatherScatterMode | None) -> GatherScatterMode:
        """The mode that a text means; None is the one that leaves out."""
        if isinstance(s, GatherScatterMode):
            return s
        known = {None: "FILL_OR_DROP", "fill": "FILL_OR_DROP", "drop": "FILL_OR_DROP"}
        known |= {"clip": "CLIP", "promise_in_bounds": "PROMISE_IN_BOUNDS"}
        if s not in known:
            raise ValueError(f"mode is 'clip', 'fill', 'drop' or 'promise_in_bounds', not {s!r}")
        return GatherScatterMode[known[s]]


class GatherDimensionNumbers(NamedTuple):
    """Which axes of the operand, the places and the result of a `gather` are which.

    >>> import heddle as np
    >>> np.lax.GatherDimensionNumbers((0,), (0,), (0,)).operand_batching_dims
    ()
    """

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()


class ScatterDimensionNumbers(NamedTuple):
    """Which axes of the operand, the places and the updates of a `scatter` are which.

    >>> import heddle as np
    >>> np.lax.ScatterDimensionNumbers((), (0,), (0,)).operand_batching_dims
    ()
    """

    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()


def _index(
    operand: hd.ndarray,
    indices: hd.ndarray,
    numbers: GatherDimensionNumbers,
    sizes: Sequence[int],
    mode: GatherScatterMode,
) -> tuple[tuple[Any, ...], Any, int]:
    """An index for each axis of the operand, with axes of the places in front and then those of
    the slices; whether a slice is inside; and how many axes the places have."""
    places = indices.ndim - 1
    kept = [
        axis
        for axis in range(operand.ndim)
        if axis not in numbers.collapsed_slice_dims + numbers.operand_batching_dims
    ]
    inside: Any = None
    parts = []
    for axis, (extent, size) in enumerate(zip(operand.shape, sizes, strict=True)):
        if axis in numbers.operand_batching_dims:
            which = numbers.operand_batching_dims.index(axis)
            along = numbers.start_indices_batching_dims[which]
            shape = [1] * (places + len(kept))
            shape[along] = extent
            parts.append(hd.arange(extent).reshape(shape))
            continue
        offset: Any = 0
        if axis in kept:
            shape = [1] * (places + len(kept))
            shape[places + kept.index(axis)] = size
            offset = hd.arange(size).reshape(shape)
        if axis not in numbers.start_index_map:
            parts.append(offset + hd.zeros((1,) * (places + len(kept)), "int64"))
            continue
        start = indices[..., numbers.start_index_map.index(axis)].astype("int64")
        if mode is GatherScatterMode.CLIP:
            start = hd.clip(start, 0, extent - size)
        elif mode is GatherScatterMode.FILL_OR_DROP:
            fits = (start >= 0) & (start <= extent - size)
            inside = fits if inside is None else inside & fits
        parts.append(start.reshape(start.shape + (1,) * len(kept)) + offset)
    return tuple(parts), inside, places


def _axes_of_result(places: int, offset_dims: Sequence[int]) -> list[int]:
    """Where the axes of places, and behind them those of slices, are in the result."""
    rank = places + len(offset_dims)
    of_places = [axis for axis in range(rank) if axis not in offset_dims]
    return [*of_places, *offset_dims]


def _check(
    what: str, operand: hd.ndarray, indices: hd.ndarray, numbers: GatherDimensionNumbers
) -> None:
    """Whether the axes that are said are there, each once, and go together."""
    places, rank = indices.ndim - 1, operand.ndim
    mapped = numbers.start_index_map
    left_out = numbers.collapsed_slice_dims + numbers.operand_batching_dims
    for name, axes, most, ascends in (
        ("axes of slices in the result", numbers.offset_dims, places + rank, True),
        ("axes that are left out", numbers.collapsed_slice_dims, rank, True),
        ("axes that are shared", numbers.operand_batching_dims, rank, True),
        ("axes of the operand that indices are for", mapped, rank, False),
        ("axes of the indices that are shared", numbers.start_indices_batching_dims, places, False),
    ):
        given = tuple(axes)
        in_order = not ascends or given == tuple(sorted(given))
        if len(set(given)) != len(given) or not in_order:
            raise TypeError(f"lax.{what}: {name}, {given}, have to be there once and in order")
        if any(not 0 <= axis < most for axis in given):
            raise TypeError(f"lax.{what}: {name}, {given}, are not all below {most}")
    if len(set(left_out)) != len(left_out) or set(mapped) & set(numbers.operand_batching_dims):
        raise TypeError(f"lax.{what}: an axis of the operand is shared, and something else as well")
    if len(numbers.offset_dims) + len(left_out) != rank:
        raise TypeError(
            f"lax.{what}: {len(numbers.offset_dims)} axes of slices and {len(left_out)} others are "
            f"said for an operand of shape {operand.shape}"
        )
    shared = zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=False)
    if len(numbers.operand_batching_dims) != len(numbers.start_indices_batching_dims) or any(
        operand.shape[ours] != indices.shape[theirs] for ours, theirs in shared
    ):
        raise TypeError(
            f"lax.{what}: axes {numbers.operand_batching_dims} of an operand of shape "
            f"{operand.shape} are shared with {numbers.start_indices_batching_dims} of indices of "
            f"shape {indices.shape}"
        )
    if indices.dtype.kind not in "iu":
        raise ValueError(f"lax.{what}: the indices have to be integers, not {indices.dtype}")
    if indices.ndim == 0 or indices.shape[-1] != len(mapped):
        raise TypeError(
            f"lax.{what}: the last axis of indices of shape {indices.shape} has to have a number "
            f"for each of {len(mapped)} axes of the operand, {operand.shape}"
        )


def gather(
    operand: ArrayLike,
    start_indices: ArrayLike,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Sequence[int],
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: str | GatherScatterMode | None = None,
    fill_value: ArrayLike | None = None,
) -> hd.ndarray:
    """Slices of one size that begin where the last axis of an array says, in one array.

    Those that are not inside of the operand are moved inside, or filled (``mode="fill"``). The
    promises about the indices make no difference.

    Examples
    --------
    >>> import heddle as np
    >>> rows = np.lax.GatherDimensionNumbers((1,), (0,), (0,))
    >>> print(np.lax.gather(np.eye(3), np.array([[2], [0]]), rows, (1, 3)))
    [[0. 0. 1.]
     [1. 0. 0.]]
    """
    array, indices = hd.asarray(operand), hd.asarray(start_indices)
    numbers = GatherDimensionNumbers(*dimension_numbers)
    how = GatherScatterMode.CLIP if mode is None else GatherScatterMode.from_any(mode)
    _check("gather", array, indices, numbers)
    if len(slice_sizes) != array.ndim or any(
        not 0 <= size <= extent for size, extent in zip(slice_sizes, array.shape, strict=False)
    ):
        raise TypeError(
            f"lax.gather: slices of {tuple(slice_sizes)} of an array of shape {array.shape}"
        )
    parts, inside, places = _index(array, indices, numbers, slice_sizes, how)
    if inside is not None:
        inside = inside.reshape(inside.shape + (1,) * len(numbers.offset_dims))
        parts = tuple(
            hd.clip(part, 0, max(extent - 1, 0))
            for part, extent in zip(parts, array.shape, strict=True)
        )
    left_out = numbers.collapsed_slice_dims + numbers.operand_batching_dims
    kept = [size for axis, size in enumerate(slice_sizes) if axis not in left_out]
    shape = (*indices.shape[:-1], *kept)
    made = hd.broadcast_to(array[parts], shape) if parts else hd.broadcast_to(array, shape)
    if inside is not None:
        made = hd.where(inside, made, _fill(array.dtype, fill_value)).astype(array.dtype)
    # Axis i of what was made is axis order[i] of the result.
    order = _axes_of_result(places, numbers.offset_dims)
    return hd.moveaxis(made, tuple(range(len(order))), tuple(order))


def _fill(dtype: DType, value: object) -> Any:
    if value is not None:
        return value
    if dtype.kind in "iu":
        limits = hd.iinfo(dtype)
        return limits.min if dtype.kind == "i" else limits.max
    return True if dtype.kind == "b" else hd.nan


def _scattered(
    what: str,
    operand: ArrayLike,
    scatter_indices: ArrayLike,
    updates: ArrayLike,
    dimension_numbers: ScatterDimensionNumbers,
    mode: str | GatherScatterMode | None,
    change: Callable[[Any, Any], hd.ndarray],
) -> hd.ndarray:
    array, indices = hd.asarray(operand), hd.asarray(scatter_indices)
    new = hd.asarray(updates)
    if new.dtype != array.dtype:
        raise TypeError(f"lax.{what}: updates of {new.dtype} for an operand of {array.dtype}")
    numbers, how = ScatterDimensionNumbers(*dimension_numbers), GatherScatterMode.from_any(mode)
    as_gather = GatherDimensionNumbers(*numbers)
    _check(what, array, indices, as_gather)
    order = _axes_of_result(indices.ndim - 1, numbers.update_window_dims)
    if new.ndim != len(order):
        raise TypeError(
            f"lax.{what}: updates of shape {new.shape} for indices of shape {indices.shape} and "
            f"{len(numbers.update_window_dims)} axes of slices"
        )
    new = hd.moveaxis(new, tuple(order), tuple(range(len(order))))
    left_out = numbers.inserted_window_dims + numbers.operand_batching_dims
    extents = iter(new.shape[indices.ndim - 1 :])
    sizes = [1 if axis in left_out else next(extents) for axis in range(array.ndim)]
    if new.shape[: indices.ndim - 1] != indices.shape[:-1] or any(
        size > extent for size, extent in zip(sizes, array.shape, strict=True)
    ):
        raise TypeError(
            f"lax.{what}: updates of shape {new.shape} for indices of shape {indices.shape} and an "
            f"operand of shape {array.shape}"
        )
    parts, inside, _ = _index(array, indices, as_gather, sizes, how)
    if not parts or not new.size:
        return change(array, new) if not parts else array.copy()
    parts = tuple(hd.broadcast_to(part, new.shape) for part in parts)
    if inside is None:
        return change(array.at[parts], new)
    # What is left out goes to one place more along the first axis.
    spread = inside.reshape(inside.shape + (1,) * len(numbers.update_window_dims))
    first = hd.where(spread, parts[0], array.shape[0])
    others = [hd.where(spread, part, 0) for part in parts[1:]]
    return change(array.at[(first, *others)], new)


def _named(name: str, method: str, says: str, example: str) -> Callable[..., hd.ndarray]:
    def function(
        operand: ArrayLike,
        scatter_indices: ArrayLike,
        updates: ArrayLike,
        dimension_numbers: ScatterDimensionNumbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | GatherScatterMode | None = None,
    ) -> hd.ndarray:
        how = GatherScatterMode.from_any(mode)
        drops = "drop" if how is GatherScatterMode.FILL_OR_DROP else None

        def change(place: object, new: ndarray) -> Any:
            if isinstance(place, _core.own_array):  # without axes: there is one element
                return getattr(place[None].at[hd.zeros(new.size, "int64")], method)(new.ravel())[0]
            return getattr(place, method)(new, mode=drops, unique_indices=unique_indices)

        numbers = dimension_numbers
        return _scattered(name, operand, scatter_indices, updates, numbers, mode, change)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{says}

    Slices of ``updates`` belong where the last axis of ``scatter_indices`` says. Those that are not
    inside of the operand are left out, or moved inside (``mode="clip"``).

    Examples
    --------
    >>> import heddle as np
    >>> numbers = np.lax.ScatterDimensionNumbers((), (0,), (0,))
    >>> places, updates = np.array([[1], [1], [9]]), np.array([3.0, 3.0, 3.0])
    >>> print(np.lax.{name}(np.full(3, 2.0), places, updates, numbers))
    {example}
    """
    return function


scatter = _named("scatter", "set", "The array with other elements at places.", "[2. 3. 2.]")
scatter_add = _named("scatter_add", "add", "The array with what is added at places.", "[2. 8. 2.]")
scatter_sub = _named(
    "scatter_sub", "subtract", "The array with what is subtracted at places.", "[ 2. -4.  2.]"
)
scatter_mul = _named(
    "scatter_mul", "multiply", "The array with products at places.", "[ 2. 18.  2.]"
)
scatter_min = _named("scatter_min", "min", "The array with the lesser at places.", "[2. 2. 2.]")
scatter_max = _named("scatter_max", "max", "The array with the greater at places.", "[2. 3. 2.]")
