"""What an index of a sparse array means: an item for each axis, and the shape of the result."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import HostArray
from heddle.scipy.sparse._base import SparseBase
from heddle.scipy.sparse._support import DENSE, extremes, is_foreign, is_integer


class Key(NamedTuple):
    """An index that was read."""

    items: tuple[Any, ...]  # int, slice or array for each axis
    shape: tuple[int, ...]  # of the result
    together: list[int]  # axes whose items are integers or arrays
    new_axes: list[int]  # of the result


def _as_mask(item: Any, ndim: int) -> Any:
    """A boolean index as an array, dense or sparse; None for others."""
    if not hasattr(item, "ndim"):
        inner = item
        for _ in range(ndim):
            if not isinstance(inner, (list, tuple)) or not inner:
                return None
            inner = inner[0]
            if isinstance(inner, (bool, numpy.bool_)):
                return numpy.asarray(item)
        return None
    return item if item.dtype.kind == "b" else None


def _first_pass(key: object, shape: tuple[int, ...]) -> list[Any]:
    ndim = len(shape)
    found: list[Any] = []
    ellipsis_at = None
    count = 0
    for item in key if isinstance(key, tuple) else (key,):
        if item is Ellipsis:
            if ellipsis_at is not None:
                raise IndexError("an index can only have a single ellipsis")
            ellipsis_at = len(found)
        elif item is None:
            found.append(None)
        elif isinstance(item, slice) or is_integer(item):
            found.append(item)
            count += 1
        elif (mask := _as_mask(item, ndim)) is not None:
            found.append(mask)
            count += mask.ndim
        elif isinstance(item, SparseBase) or is_foreign(item):
            raise IndexError(
                "Indexing with sparse matrices is not supported except boolean indexing where "
                "matrix and index are equal shapes."
            )
        else:
            found.append(item if isinstance(item, DENSE) else _plain_array(item))
            count += 1
    if count > ndim:
        raise IndexError(
            "Too many indices for array or tuple index out of range. "
            f"Key {key} needs {count}D. Array is {ndim}D"
        )
    place = len(found) if ellipsis_at is None else ellipsis_at
    return [*found[:place], *[slice(None)] * (ndim - count), *found[place:]]


def _plain_array(item: object) -> Any:
    try:
        return np.asarray(item) if _has_ours(item) else numpy.asarray(item)
    except (ValueError, TypeError) as error:
        raise IndexError("invalid index") from error


def _has_ours(item: object) -> bool:
    return isinstance(item, (list, tuple)) and any(isinstance(v, own_array) for v in item)


def _index_array(item: ndarray | HostArray, length: int, format: str, device: Any) -> ndarray:
    """Indices along an axis, counted from its beginning."""
    if item.ndim == 0 or (format != "coo" and item.ndim > 2):
        raise IndexError(f"Index dimension must be 1 or 2. Got {item.ndim}")
    if item.dtype.kind not in "iu" and item.size:
        text = f"arrays used as indices must be of integer (or boolean) type, not {item.dtype}"
        raise IndexError(text)
    if item.size:
        low, high = extremes(item)
        if high >= length:
            raise IndexError(f"index ({high}) out of range")
        if low < -length:
            raise IndexError(f"index ({low}) out of range")
        item = item.astype(numpy.int64)
        if low < 0:
            item = (np if isinstance(item, own_array) else numpy).where(
                item < 0, item + length, item
            )
    else:
        item = item.astype(numpy.int64)
    return item if isinstance(item, own_array) else np.asarray(item, device=device)


def read_key(key: object, shape: tuple[int, ...], format: str, device: str | None) -> Key:
    """Reads an index as SciPy's sparse arrays do."""
    items: list[Any] = []
    result: list[int] = []
    arrays: list[int] = []
    together: list[int] = []
    new_axes: list[int] = []
    axis = 0
    for place, item in enumerate(_first_pass(key, shape)):
        if item is None:
            new_axes.append(len(result))
            result.append(1)
            continue
        if isinstance(item, slice):
            items.append(item)
            result.append(len(range(*item.indices(shape[axis]))))
        elif is_integer(item):
            n = shape[axis]
            if not -n <= int(item) < n:
                raise IndexError(f"index ({int(item)}) out of range")
            items.append(int(item) % n)
            together.append(axis)
        elif item.dtype.kind == "b":
            end = axis + item.ndim
            if item.shape != shape[axis:end]:
                raise IndexError(
                    f"bool index {place} has shape {item.shape} instead of {shape[axis:end]}"
                )
            found = item.nonzero()
            items.extend(np.asarray(c, device=device).astype(numpy.int64) for c in found)
            arrays.extend(range(axis, end))
            together.extend(range(axis, end))
            axis = end
            continue
        else:
            items.append(_index_array(item, shape[axis], format, device))
            arrays.append(axis)
            together.append(axis)
        axis += 1
    if arrays:
        shapes = [items[i].shape for i in arrays]
        try:
            common = numpy.broadcast_shapes(*shapes)
        except ValueError as error:
            text = " ".join(str(s) for s in shapes)
            raise IndexError(
                "shape mismatch: indexing arrays could not be broadcast together with shapes "
                + text
            ) from error
        apart = len(together) != together[-1] - together[0] + 1
        # The axes of index arrays are behind those of the slices before them.
        at = 0 if apart and len(arrays) > 1 else together[0]
        result = [*result[:at], *common, *result[at:]]
    return Key(tuple(items), tuple(result), together, new_axes)


def read_flat_key(key: Any, of: Any) -> Key:
    """The same for formats whose arrays have two axes at most."""
    found = read_key(key, of.shape, of.format, of.device)
    if len(found.shape) > 2:
        raise IndexError(
            f"Indexing that leads to >2D is not supported by {of.format} format. "
            "Try converting to COO format"
        )
    return found
