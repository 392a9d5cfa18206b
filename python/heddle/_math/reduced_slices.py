"""Reductions of slices of an axis, for `reduceat`."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, filled
from heddle._core import ndarray, ufunc
from heddle._math.reduced_axes import neutral_element, reduce_axes
from heddle._typing import DType, HostArray, IndexPart


def where_slices_begin(indices: ndarray) -> ndarray | HostArray:
    """In memory of the host, where millions would take longer than what is computed of them: on
    the device, but for recorders, which hear of a look at them."""
    if indices._on_host or _core.recording():
        return _numpy.asarray(indices._snapshot())
    return indices


def namespace(starts: object) -> ModuleType:
    if isinstance(starts, _numpy.ndarray):
        return _numpy
    import heddle

    return heddle


def even_slices(a: ndarray, axis: int, starts: Any) -> ndarray | None:
    """All slices as rows of one more axis, if they have one length and are all of the array from
    the first one on. None if not."""
    if not starts.size:
        return None
    length, first = a.shape[axis], int(starts[0])
    width = (int(starts[1]) if starts.size > 1 else length) - first
    if first < 0 or width < 1 or first + starts.size * width != length:
        return None
    if (starts[1:] - starts[:-1] != width).any():
        return None
    rows = a if not first else a[(*(slice(None),) * axis, slice(first, None))]
    return rows._reshape((*a.shape[:axis], starts.size, width, *a.shape[axis + 1 :]))


def reduce_slices(
    u: ufunc,
    a: ndarray,
    axis: int,
    starts: ndarray | HostArray,
    lengths: HostArray,
    kind: _numpy.dtype[Any],
) -> ndarray:
    """The reductions of slices along an axis, in any order of the elements."""
    xp: Any = namespace(starts)
    before = (slice(None),) * axis
    count = starts.size
    if not count:
        return _core.empty((*a.shape[:axis], 0, *a.shape[axis + 1 :]), kind, a.device)
    parts: list[tuple[Any, ndarray]] = []
    # Often only the last one has another length.
    even = count - 1
    rows = even_slices(a[(*before, slice(int(starts[-1])))], axis, starts[:-1])
    if rows is not None:
        parts.append(
            (slice(even), reduce_axes(u, rows._astype(kind, "K"), (axis + 1,), False, kind, None))
        )
        classes = xp.zeros_like(lengths[:1])
    else:
        even = 0
        classes = xp.frexp(lengths - 1)[1]  # similar lengths: up to the same power of two
    for number in xp.unique(classes).tolist():
        members = even + xp.flatnonzero(classes == number)
        part = _reduce_filled(u, a, axis, starts[members], lengths[members], kind)
        parts.append((as_array(members), part))
    if len(parts) == 1:
        return parts[0][1]
    result = _core.empty((*a.shape[:axis], count, *a.shape[axis + 1 :]), kind, a.device)
    for members, part in parts:
        result[(*before, members)] = part
    return result


def _reduce_filled(
    u: ufunc, a: ndarray, axis: int, starts: Any, lengths: Any, kind: DType
) -> ndarray:
    """The reductions of slices that are read as rows of one length."""
    width = int(lengths.max())
    place = _core.index_along((1, width), 1)
    starts, lengths = as_array(starts)[:, None], as_array(lengths)[:, None]
    index = starts + _core.ufuncs["minimum"](place, lengths - 1)
    rows = a[(slice(None),) * axis + (index,)]._astype(kind, "K")
    if not u.facts["idempotent"]:
        inside = (place < lengths)[(..., *(None,) * (a.ndim - 1 - axis))]
        rows = _core.select(inside, rows, filled(neutral_element(u, kind), kind))
    return reduce_axes(u, rows, (axis + 1,), False, kind, None)


def reduce_slices_in_order(
    u: ufunc, a: ndarray, axis: int, starts: ndarray | HostArray, lengths: HostArray, kind: DType
) -> ndarray:
    """The same, one element after the other."""
    xp: Any = namespace(starts)
    # The elements after the first of each slice, and the slice they belong to, slice after slice.
    owner = xp.repeat(xp.arange(starts.size), lengths - 1)
    offset = xp.arange(owner.size) - xp.repeat(xp.cumsum(lengths - 1) - (lengths - 1), lengths - 1)
    before: tuple[IndexPart, ...] = (slice(None),) * axis
    result = a[(*before, as_array(starts))]._astype(kind, "C")
    if owner.size:
        rest = a[(*before, as_array(starts[owner] + offset + 1))]._astype(kind, "C")
        _core.update_at(u, result, (*before, as_array(owner)), rest)
    return result
