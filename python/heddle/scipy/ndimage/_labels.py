"""Connected regions: labels, the boxes around them, watersheds.

Labels are numbers of sets of elements, joined by the structure; a set is known by its first
element, so that labels are in the order of first elements. The host joins rows one after the other;
other devices join all elements at once, by atomic operations.
"""

import functools
from typing import Any, overload

import numpy

from heddle import simt
from heddle._compiled.functions import njit, prange
from heddle._core import ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._creation.ranges import arange
from heddle._dtypes import int64
from heddle._indexing.elements import where
from heddle._typing import ArrayLike, HostArray, KernelArray
from heddle.scipy._unions import first_of, join
from heddle.scipy.ndimage._structures import generate_binary_structure
from heddle.scipy.ndimage._support import Arrays, Output, OutputLike, cast, host_array, real_input
from heddle.scipy.ndimage._windows import small_array, strides_of


def _neighbours(structure: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """Steps to the neighbours that come before an element: a row of -1, 0 and 1 for each."""
    steps = numpy.argwhere(structure) - 1
    earlier = [tuple(step) < (0,) * structure.ndim for step in steps]
    return steps[earlier].reshape(-1, structure.ndim)


@njit
def _is_row(r: Any, k: int, shape: KernelArray, steps: KernelArray) -> bool:
    """Whether there is a row of kind k before row r."""
    rest = r
    valid = True
    for e in range(shape.size - 1):
        d = shape.size - 2 - e
        place = rest % shape[d] + steps[k, d]
        rest = rest // shape[d]
        if place < 0 or place >= shape[d]:
            valid = False
    return valid


@njit
def _join_labels(parents: KernelArray, a: int, b: int) -> Any:
    """Makes one region of those of two labels; the first one of both."""
    a, b = first_of(parents, a), first_of(parents, b)
    low = min(a, b)
    parents[max(a, b)] = low
    return low


@njit
def _label_rows(
    mask: KernelArray,
    labels: KernelArray,
    parents: KernelArray,
    shape: KernelArray,
    rows: KernelArray,
    steps: Any,
    in_row: Any,
) -> int:
    """Gives elements the labels of their neighbours before; how many there were.

    Labels of one region that met are joined in `parents`. `rows`: for each kind of row before, the
    distance in memory, and which of its three elements are neighbours; `steps` are along the axes.
    """
    length = shape[shape.size - 1]
    count = mask.size // length
    last = 0
    for r in range(count):
        first = r * length
        for k in range(rows.shape[0]):
            if not _is_row(r, k, shape, steps):
                continue
            for side in range(3):
                if rows[k, 1 + side] == 0:
                    continue
                shift = rows[k, 0] + side - 1
                for p in range(first + (side == 0), first + length - (side == 2)):
                    other = labels[p + shift]
                    if other != 0 and mask[p]:
                        own = labels[p]
                        if own == 0:
                            labels[p] = other
                        elif own != other:
                            labels[p] = _join_labels(parents, own, other)
        before = 0
        for p in range(first, first + length):
            if mask[p]:
                own = labels[p]
                if own == 0:
                    if before == 0:
                        last += 1
                        parents[last] = last
                        before = last
                    labels[p] = before
                    own = before
                elif before != 0 and own != before:
                    own = _join_labels(parents, own, before)
                before = own if in_row else 0
            else:
                before = 0
    return last


@njit
def _number(parents: KernelArray, last: int) -> int:
    """Numbers of regions in the order of first elements, in place of `parents`; how many."""
    found = 0
    for i in range(1, last + 1):
        if parents[i] == i:
            found += 1
            parents[i] = found
        else:
            parents[i] = parents[parents[i]]
    return found


@njit
def _find_runs(mask: KernelArray, length: int, firsts: KernelArray, edges: KernelArray) -> int:
    """Where runs begin and end, from number 1 on; the first of each row. How many there are.

    Run i is from `edges[2 * i]` to `edges[2 * i + 1]`. In noise nobody foresees an edge: every
    element is written down as if it were one, and stays if it is.
    """
    count = 2
    for r in range(firsts.size - 1):
        firsts[r] = count // 2
        before = 0
        for j in range(length):
            here = int(mask[r * length + j])
            edges[count] = j
            count += here ^ before
            before = here
        edges[count] = length
        count += before
    firsts[firsts.size - 1] = count // 2
    return count // 2 - 1


@njit
def _join_runs(
    firsts: KernelArray,
    edges: KernelArray,
    parents: KernelArray,
    shape: Any,
    rows: KernelArray,
    steps: Any,
) -> None:
    """Joins runs with those that they touch in rows before; both lists are walked at once."""
    for i in range(parents.size):
        parents[i] = i
    for r in range(firsts.size - 1):
        for k in range(rows.shape[0]):
            if not _is_row(r, k, shape, steps):
                continue
            other = r + rows[k, 0]
            left, right = rows[k, 1], rows[k, 3]
            i, j = firsts[r], firsts[other]
            while i < firsts[r + 1] and j < firsts[other + 1]:
                end, other_end = edges[2 * i + 1], edges[2 * j + 1]
                if other_end + left <= edges[2 * i]:
                    j += 1
                elif edges[2 * j] >= end + right:
                    i += 1
                else:
                    parents[i] = _join_labels(parents, parents[i], parents[j])
                    if other_end < end:
                        j += 1
                    else:
                        i += 1


@njit
def _fill_runs(
    firsts: KernelArray, edges: KernelArray, numbers: KernelArray, labels: KernelArray, length: int
) -> None:
    for r in prange(firsts.size - 1):
        for i in range(firsts[r], firsts[r + 1]):
            number = numbers[i]
            for p in range(r * length + edges[2 * i], r * length + edges[2 * i + 1]):
                labels[p] = number


@functools.lru_cache(64)
def _kinds_of_rows(
    structure: bytes, shape: tuple[int, ...]
) -> tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any], bool, bool]:
    """Kinds of rows before an element's, as `_label_rows` takes them; whether elements of a row are
    neighbours, and whether regions follow from runs then."""
    ndim = len(shape)
    steps = _neighbours(numpy.frombuffer(structure, bool).reshape((3,) * ndim))
    in_row = bool((steps == [0] * (ndim - 1) + [-1]).all(axis=1).any())
    kinds: dict[tuple[int, ...], list[int]] = {}
    for step in steps.tolist():
        if any(step[:-1]):
            kinds.setdefault(tuple(step[:-1]), [0, 0, 0])[step[-1] + 1] = 1
    distances = strides_of(shape)
    rows = [
        [int(numpy.dot(kind, distances[:-1])) if kind else 0, *flags]
        for kind, flags in kinds.items()
    ]
    return (
        numpy.array(rows, numpy.int64).reshape(-1, 4),
        numpy.array(list(kinds), numpy.int64).reshape(len(kinds), ndim - 1),
        in_row,
        in_row and all(flags[1] for flags in kinds.values()),
    )


def _label_on_host(
    a: ndarray, structure: numpy.ndarray[Any, Any], dtype: numpy.dtype[Any]
) -> tuple[ndarray, int]:
    rows, kinds, in_row, of_runs = _kinds_of_rows(structure.tobytes(), a.shape)
    shape, length = numpy.array(a.shape), a.shape[-1]
    # NumPy's arrays: what a loop on the host reads and writes, recorded calls know nothing of.
    mask = (a != 0).reshape(-1)._snapshot()
    labels = numpy.zeros(mask.size, dtype)
    if not of_runs:
        parents = numpy.zeros(mask.size + 1, dtype)
        last = _label_rows(mask, labels, parents, shape, rows, kinds, in_row)
        count = int(_number(parents, last))
        return asarray(parents[labels], device=a.device), count
    most = mask.size // length * ((length + 1) // 2) + 1
    firsts = numpy.empty(mask.size // length + 1, numpy.int64)
    edges = numpy.empty(2 * most + 1, numpy.int32)
    last = _find_runs(mask, length, firsts, edges)
    parents = numpy.empty(last + 1, dtype)
    in_rows = rows.copy()
    in_rows[:, 0] //= length
    _join_runs(firsts, edges, parents, shape, in_rows, kinds)
    count = int(_number(parents, last))
    _fill_runs(firsts, edges, parents, labels, length)
    return asarray(labels, device=a.device), count


# --- on other devices ---


@simt.func
def stays_within(p: int, k: int, shape: KernelArray, steps: KernelArray) -> bool:
    """Whether step k from element p, by its number, ends inside of the array."""
    rest = p
    valid = True
    for e in range(shape.shape[0]):
        d = shape.shape[0] - 1 - e
        above = rest // shape[d]
        place = rest - above * shape[d] + steps[k, d]
        rest = above
        if place < 0 or place >= shape[d]:
            valid = False
    return valid


@simt.kernel
def _join(
    mask: KernelArray, parents: Any, shape: Any, steps: KernelArray, distances: KernelArray
) -> None:
    p = simt.grid(1)
    if p < mask.size and mask[p]:
        for k in range(steps.shape[0]):
            if stays_within(p, k, shape, steps) and mask[p + distances[k]]:
                join(parents, int64(p), int64(p + distances[k]))


@simt.kernel
def _flatten(mask: KernelArray, parents: Any, firsts: KernelArray) -> None:
    p = simt.grid(1)
    if p < mask.size:
        firsts[p] = first_of(parents, int64(p)) if mask[p] else 0


def _label_on_device(
    a: ndarray, structure: numpy.ndarray[Any, Any], dtype: numpy.dtype[Any]
) -> tuple[ndarray, int]:
    steps = _neighbours(structure)
    mask = (a != 0).reshape(-1)
    parents = arange(mask.size, device=a.device)
    if len(steps):
        _join.forall(mask.size)(
            mask,
            parents,
            small_array(a.shape, "int64", a),
            asarray(steps.astype(numpy.int64), device=a.device),
            small_array(steps @ numpy.array(strides_of(a.shape)), "int64", a),
        )
    firsts = empty(mask.size, dtype=numpy.int64, device=a.device)
    _flatten.forall(mask.size)(mask, parents, firsts)
    numbers = (mask & (firsts == arange(mask.size, device=a.device))).cumsum()
    return where(mask, numbers[firsts], 0).astype(dtype), int(numbers[-1])


@functools.cache
def _direct_neighbours(ndim: int) -> HostArray:
    return host_array(generate_binary_structure(ndim, 1), bool)


def _check_structure(structure: ArrayLike | None, ndim: int, error: type[Exception]) -> Any:
    if structure is None:
        return _direct_neighbours(ndim)
    found = host_array(structure, bool)
    if found.ndim != ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(extent != 3 for extent in found.shape):
        raise error("structure dimensions must be equal to 3")
    return found


def _check_symmetry(structure: HostArray) -> None:
    if not numpy.array_equal(structure, structure[(slice(None, None, -1),) * structure.ndim]):
        raise AssertionError("Structuring element is not symmetric")  # SciPy asserts it


@overload
def label(
    input: ArrayLike, structure: ArrayLike | None = None, output: None = None
) -> tuple[ndarray, int]: ...
@overload
def label(
    input: ArrayLike, structure: ArrayLike | None = None, output: object = None
) -> int | tuple[ndarray, int]: ...
def label(
    input: ArrayLike, structure: ArrayLike | None = None, output: Any = None
) -> int | tuple[ndarray, int]:
    """Numbers the connected regions of elements that are not 0.

    The labels and their number; where `output` is an array, it takes the labels, and the result is
    their number.

    Examples
    --------
    >>> import heddle as np
    >>> labels, count = np.scipy.ndimage.label(np.array([[1, 0, 1], [1, 0, 0], [0, 0, 1]]))
    >>> labels
    array([[1, 0, 2],
           [1, 0, 0],
           [0, 0, 3]], dtype=int32)
    >>> count
    3
    """
    a = real_input(input)
    found = _check_structure(structure, a.ndim, ValueError)
    _check_symmetry(found)
    given = isinstance(output, Arrays)
    if given and output.shape != a.shape:
        raise ValueError("output shape not correct")
    dtype = numpy.dtype(numpy.int32 if a.size < 2**31 - 2 else numpy.int64)
    wanted = output.dtype if given else numpy.dtype(dtype if output is None else output)
    if a.ndim == 0 or a.size == 0:
        labels = (a != 0).astype(dtype)
        count = int(a != 0) if a.ndim == 0 else 0
    else:
        labels, count = (_label_on_host if a._on_host else _label_on_device)(a, found, dtype)
    limit = 1 if wanted.kind == "b" else numpy.iinfo(wanted).max if wanted.kind in "iu" else count
    if count > limit:
        raise RuntimeError("insufficient bit-depth in requested output type")
    labels = labels.reshape(a.shape)
    if not given:
        return cast(labels, wanted), count
    output[...] = labels if isinstance(output, own_array) else labels._snapshot()
    return count


# --- boxes ---


@simt.kernel
def _bound(labels: KernelArray, shape: KernelArray, boxes: KernelArray) -> None:
    """Rows of labels; a box has for each axis its first index, and one after its last."""
    row = simt.grid(1)
    if row < labels.shape[0]:
        axes = shape.shape[0]
        length = labels.shape[1]
        j = int64(0)
        while j < length:
            found = int64(labels[row, j])
            begin = j
            j += 1
            while j < length and labels[row, j] == found:
                j += 1
            if 0 < found <= boxes.shape[0]:
                simt.atomic.min(boxes, (found - 1, 2 * axes - 2), begin)
                simt.atomic.max(boxes, (found - 1, 2 * axes - 1), j)
                rest = int64(row)
                for e in range(1, axes):
                    d = axes - 1 - e
                    above = rest // shape[d]
                    place = rest - above * shape[d]
                    rest = above
                    simt.atomic.min(boxes, (found - 1, 2 * d), place)
                    simt.atomic.max(boxes, (found - 1, 2 * d + 1), place + 1)


@njit
def _bound_on_host(labels: KernelArray, shape: KernelArray, boxes: KernelArray) -> None:
    axes = shape.size
    length = labels.shape[1]
    for row in range(labels.shape[0]):
        j = 0
        while j < length:
            found = int(labels[row, j])
            begin = j
            j += 1
            while j < length and labels[row, j] == found:
                j += 1
            if 0 < found <= boxes.shape[0]:
                box = found - 1
                boxes[box, 2 * axes - 2] = min(boxes[box, 2 * axes - 2], begin)
                boxes[box, 2 * axes - 1] = max(boxes[box, 2 * axes - 1], j)
                rest = row
                for e in range(1, axes):
                    d = axes - 1 - e
                    place = rest % shape[d]
                    rest = rest // shape[d]
                    boxes[box, 2 * d] = min(boxes[box, 2 * d], place)
                    boxes[box, 2 * d + 1] = max(boxes[box, 2 * d + 1], place + 1)


def find_objects(input: ArrayLike, max_label: int = 0) -> list[tuple[slice, ...] | None]:
    """The boxes around labelled regions, as slices; None where a label is not there.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.find_objects(np.array([[1, 1, 0], [0, 0, 3]]))
    [(slice(0, 1, None), slice(0, 2, None)), None, (slice(1, 2, None), slice(2, 3, None))]
    """
    a = real_input(input)
    if a.dtype.kind not in "biu":
        if max_label < 1:
            raise TypeError(f"'{a.dtype}' object cannot be interpreted as an integer")
        raise RuntimeError("data type not supported")
    count = int(max_label) if max_label >= 1 else int(a.max()) if a.size else 0
    if count < 1:
        return []
    axes = max(a.ndim, 1)
    boxes = numpy.tile(numpy.array([2**62, -1] * axes), (count, 1))
    if a.size:
        rows = a.reshape(-1, a.shape[-1] if a.ndim else 1)
        shape = a.shape or (1,)
        if a._on_host:
            held = rows._snapshot()
            held = held.view(numpy.uint8) if held.dtype.kind == "b" else held
            _bound_on_host(held, numpy.array(shape), boxes)
        else:
            on_device = asarray(boxes, device=a.device)
            extents = small_array(shape, "int64", a)
            _bound.forall(rows.shape[0], 32)(rows, extents, on_device)
            boxes = on_device._snapshot()
    found: list[tuple[slice, ...] | None] = []
    for box in boxes.tolist():
        slices = tuple(slice(box[2 * d], box[2 * d + 1], None) for d in range(a.ndim))
        found.append(slices if box[1] >= 0 else None)
    return found


# --- watersheds ---


@njit
def _watershed(
    values: KernelArray, labels: KernelArray, costs: KernelArray, distances: KernelArray, top: int
) -> None:
    """Regions grow from markers, over the least differences first; queues by cost.

    Positive labels are put before, negative ones behind those of the same cost. As in SciPy, the
    last element of a row and the first one of the next are neighbours.
    """
    first = numpy.full(top + 1, -1)
    last = numpy.full(top + 1, -1)
    after = numpy.full(values.size, -1)
    before = numpy.full(values.size, -1)
    done = numpy.zeros(values.size, numpy.bool_)
    for p in range(values.size):
        costs[p] = top + 1
        if labels[p] != 0:
            costs[p] = 0
            if first[0] < 0:
                first[0] = p
                last[0] = p
            elif labels[p] > 0:
                after[p] = first[0]
                before[first[0]] = p
                first[0] = p
            else:
                before[p] = last[0]
                after[last[0]] = p
                last[0] = p
    for cost in range(top + 1):
        while first[cost] >= 0:
            v = first[cost]
            first[cost] = after[v]
            if first[cost] >= 0:
                before[first[cost]] = -1
            before[v] = -1
            after[v] = -1
            done[v] = True
            for k in range(distances.size):
                p = v + distances[k]
                if p < 0 or p >= values.size:
                    continue
                if done[p]:
                    continue
                there = max(costs[v], abs(int(values[p]) - int(values[v])))
                if there >= costs[p]:
                    continue
                old = costs[p]
                costs[p] = there
                labels[p] = labels[v]
                if after[p] >= 0 or before[p] >= 0:
                    if first[old] == p:
                        first[old] = after[p]
                    if last[old] == p:
                        last[old] = before[p]
                    if before[p] >= 0:
                        after[before[p]] = after[p]
                    if after[p] >= 0:
                        before[after[p]] = before[p]
                if labels[p] < 0:
                    before[p] = last[there]
                    after[p] = -1
                    if last[there] >= 0:
                        after[last[there]] = p
                    last[there] = p
                    if first[there] < 0:
                        first[there] = p
                else:
                    after[p] = first[there]
                    before[p] = -1
                    if first[there] >= 0:
                        before[first[there]] = p
                    first[there] = p
                    if last[there] < 0:
                        last[there] = p


def watershed_ift(
    input: ArrayLike,
    markers: ArrayLike,
    structure: ArrayLike | None = None,
    output: OutputLike = None,
) -> ndarray:
    """Regions that grow from markers until they meet; computed on the host.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.array([0, 1, 9, 1, 0], dtype=np.uint8)
    >>> np.scipy.ndimage.watershed_ift(a, np.array([1, 0, 0, 0, 2]))
    array([1, 1, 1, 2, 2])
    """
    a = real_input(input)
    if a.dtype.name not in ("uint8", "uint16"):
        raise TypeError("only 8 and 16 unsigned inputs are supported")
    found = _check_structure(structure, a.ndim, RuntimeError)
    marked = real_input(markers)
    if a.shape != marked.shape:
        raise RuntimeError("input and markers must have equal shape")
    if marked.dtype.kind != "i":
        raise RuntimeError("marker should be of integer type")
    if isinstance(output, Arrays) and output.dtype.kind != "i":
        raise RuntimeError("output should be of integer type")
    out = Output(output if isinstance(output, Arrays) else marked.dtype, a)
    labels = marked.reshape(-1)._snapshot().astype(numpy.int64)
    values = a.reshape(-1)._snapshot()
    if values.size:
        steps = numpy.argwhere(found) - 1
        steps = steps[(steps != 0).any(axis=1)]
        costs = numpy.empty(values.size, numpy.int64)
        _watershed(
            values,
            labels,
            costs,
            (steps @ numpy.array(strides_of(a.shape), numpy.int64)).astype(numpy.int64),
            int(values.max()),
        )
    result = asarray(labels, device=a.device).reshape(a.shape)
    return out.deliver(cast(result, out.dtype))
