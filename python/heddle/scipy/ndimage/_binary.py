"""Binary morphology: erosion, dilation, and what is made of them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

import numpy

from heddle._arguments import any_of, as_array
from heddle._compiled.functions import njit
from heddle._core import ndarray
from heddle._creation.arrays import asarray
from heddle._creation.fills import zeros
from heddle._indexing.elements import where
from heddle._typing import ArrayLike, HostArray, KernelArray, ShapeLike
from heddle.scipy._recorded import recorded
from heddle.scipy.ndimage._footprints import expand_footprint, expand_origin
from heddle.scipy.ndimage._reaching import reached_from
from heddle.scipy.ndimage._structures import generate_binary_structure
from heddle.scipy.ndimage._support import (
    Arrays,
    Output,
    OutputLike,
    check_axes,
    host_array,
    real_input,
    sequence,
)
from heddle.scipy.ndimage._windows import FEW, WindowKernel, Windows, strides_of

# How many steps a device takes before the host asks whether anything has changed.
_STEPS = 16


def _all(flat: KernelArray, first: int, offsets: KernelArray) -> Any:
    found = flat[first + offsets[0]]
    for t in range(1, offsets.shape[0]):
        found &= flat[first + offsets[t]]
    return found


def _any(flat: KernelArray, first: int, offsets: KernelArray) -> Any:
    found = flat[first + offsets[0]]
    for t in range(1, offsets.shape[0]):
        found |= flat[first + offsets[t]]
    return found


_kernels = {False: WindowKernel(_all), True: WindowKernel(_any)}


def _few_once(
    a: ndarray,
    places: tuple[tuple[int, ...], ...],
    sizes: tuple[int, ...],
    origins: tuple[int, ...],
    border: bool,
    dilates: bool,
) -> ndarray:
    if not places:
        return zeros(a.shape, dtype=bool, device=a.device) ^ (not dilates)
    made, *views = Windows(a, sizes, origins, "constant", border).views(places)
    for view in views:
        made = made | view if dilates else made & view
    return made


def _few_masked(a: ndarray, mask: ndarray, *key: Any) -> ndarray:
    return where(mask, _few_once(a, *key), a)


class _Step:
    """One erosion, or one dilation of what lies at the places of a structure."""

    def __init__(
        self,
        structure: numpy.ndarray[Any, Any],
        origins: list[int],
        mask: ndarray | None,
        border: bool,
        dilates: bool,
    ) -> None:
        self.structure, self.origins, self.mask = structure, origins, mask
        self.border, self.dilates = border, dilates

    def __call__(self, a: ndarray) -> ndarray:
        """Of an array of bool."""
        window = (self.structure.shape, tuple(self.origins), self.border, self.dilates)
        places = numpy.argwhere(self.structure)
        if len(places) <= FEW:
            used = tuple(map(tuple, places.tolist()))
            if self.mask is None:
                return recorded(_few_once, (a,), used, *window)
            return recorded(_few_masked, (a, self.mask), used, *window)
        windows = Windows(a.view(numpy.uint8), *window[:2], "constant", self.border)
        offsets = windows.small(windows.offsets(places))
        made = windows.run(_kernels[self.dilates], numpy.uint8, offsets).view(numpy.bool_)
        return made if self.mask is None else where(self.mask, made, a)

    def check(self) -> None:
        """An origin has to be inside of the structure, also where there are no elements."""
        self._center()

    def _center(self) -> bool:
        place = tuple(o + s // 2 for o, s in zip(self.origins, self.structure.shape, strict=True))
        return bool(self.structure[place])

    def _is_mutual(self) -> bool:
        """Whether an element sees itself, and those that see it."""
        turned = self.structure[(slice(None, None, -1),) * self.structure.ndim]
        odd = all(n & 1 for n in self.structure.shape)
        return (
            odd
            and not any(self.origins)
            and self._center()
            and bool((turned == self.structure).all())
        )

    def until_nothing_changes(self, a: ndarray, brute_force: bool) -> ndarray:
        if a._on_host and self._center() and not brute_force and a.size:
            return self._spread(a, self(a))
        if not a._on_host and not brute_force and self._is_mutual():
            # Erosion is dilation of what is not there.
            reached = reached_from(
                a if self.dilates else ~a, self.mask, self.structure, self.border == self.dilates
            )
            return reached if self.dilates else ~reached
        once = self(a)
        while True:
            last = once
            for _ in range(_STEPS if self._center() else 1):
                last, once = once, self(once)
            if not any_of(last != once):
                return once

    def _spread(self, a: ndarray, once: ndarray) -> ndarray:
        """On the host: what has changed changes its neighbours."""
        state = once._snapshot()
        changed = numpy.flatnonzero(state != a._snapshot())
        state = state if self.dilates else ~state
        # An element that has changed is met by those that see it.
        places = numpy.argwhere(self.structure)
        center = [s // 2 + o for s, o in zip(self.structure.shape, self.origins, strict=True)]
        steps = (numpy.array(center) - places).reshape(-1, a.ndim)
        # What is beyond the edges has changed already, and is not looked at.
        reach = abs(steps).max(axis=0) if len(steps) else numpy.zeros(a.ndim, int)
        inside = tuple(slice(r, r + n) for r, n in zip(reach, a.shape, strict=True))
        widths = [(r, r) for r in reach]
        allowed = state if self.mask is None else state | ~self.mask._snapshot()
        closed = numpy.pad(allowed, widths, constant_values=True)
        numbers = numpy.arange(closed.size).reshape(closed.shape)[inside].ravel()
        distances = (steps @ numpy.array(strides_of(closed.shape))).astype(numpy.int64)
        flat = closed.ravel()
        _spread_on_host(flat, numbers[changed], distances)
        reached = flat.reshape(closed.shape)[inside] & ~allowed
        state = state | reached
        return asarray(state if self.dilates else ~state, device=a.device)


@njit
def _spread_on_host(closed: KernelArray, changed: KernelArray, distances: KernelArray) -> None:
    """Closes what elements that have changed see, and what those see in turn."""
    queue = numpy.empty(closed.size + changed.size, numpy.int64)
    count = changed.size
    for i in range(count):
        queue[i] = changed[i]
    at = 0
    while at < count:
        p = queue[at]
        at += 1
        for k in range(distances.size):
            q = p + distances[k]
            if not closed[q]:
                closed[q] = True
                queue[count] = q
                count += 1


def _reflected(
    structure: HostArray, origins: list[int]
) -> tuple[numpy.ndarray[Any, Any], list[int]]:
    """A structure seen from its elements."""
    turned = structure[(slice(None, None, -1),) * structure.ndim]
    moved = [-o - (not n & 1) for o, n in zip(origins, structure.shape, strict=True)]
    return turned, moved


def _morph(
    input: ArrayLike,
    structure: ArrayLike | None,
    iterations: int,
    mask: ArrayLike | None,
    output: object,
    border_value: SupportsIndex,
    origin: object,
    brute_force: bool,
    axes: ShapeLike | None,
    dilates: bool,
) -> ndarray:
    a = real_input(input)
    axes = check_axes(axes, a.ndim)
    try:
        count = operator.index(iterations)
    except TypeError as error:
        raise TypeError("iterations parameter should be an integer") from error
    found = host_array(generate_binary_structure(len(axes), 1) if structure is None else structure)
    if found.ndim != len(axes) == a.ndim:
        raise RuntimeError("structure and input must have same dimensionality")
    expand_footprint(a.ndim, axes, found, "structure")  # says so of some axes
    origins = sequence(origin, len(axes))
    if dilates:
        found, origins = _reflected(found, origins)
    found = expand_footprint(a.ndim, axes, found.astype(bool), "structure")
    if found.ndim != a.ndim:
        raise RuntimeError("structure and input must have same dimensionality")
    if found.size < 1:
        raise RuntimeError("structure must not be empty")
    masked = None
    if mask is not None:
        masked = as_array(mask) != 0
        if masked.shape != a.shape:
            raise RuntimeError("mask and input must have equal sizes")
    origins = expand_origin(a.ndim, axes, origins)
    if isinstance(output, Arrays) and output.dtype.kind == "c":
        raise TypeError("Complex output type not supported")
    out = Output(output if isinstance(output, Arrays) else bool, a)
    step = _Step(found, origins, masked, bool(operator.index(border_value)), dilates)
    state = a != 0
    step.check()
    if not a.size:
        return out.deliver(state)
    if not a.ndim:  # one element: nothing more changes after one step
        count = max(count, 1)
    if count < 1:
        state = step.until_nothing_changes(state, brute_force)
    for _ in range(count):
        state = step(state)
    return out.deliver(state)


def binary_erosion(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: OutputLike | None = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """True where all elements under a structure are.

    `iterations`: below 1, until nothing changes any more.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.binary_erosion(np.array([0, 1, 1, 1, 0, 1])).astype(int)
    array([0, 0, 1, 0, 0, 0])
    """
    return _morph(
        input, structure, iterations, mask, output, border_value, origin, brute_force, axes, False
    )


def binary_dilation(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: OutputLike | None = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """True where any element under a structure is.

    `iterations`: below 1, until nothing changes any more.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.binary_dilation(np.array([0, 0, 1, 0, 0, 0])).astype(int)
    array([0, 1, 1, 1, 0, 0])
    """
    return _morph(
        input, structure, iterations, mask, output, border_value, origin, brute_force, axes, True
    )


def binary_opening(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    output: OutputLike | None = None,
    origin: int | Sequence[int] = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """An erosion and then a dilation: what is smaller than the structure goes.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.binary_opening(np.array([0, 1, 0, 1, 1, 1, 0])).astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    rest = (border_value, origin, brute_force)
    eroded = binary_erosion(input, structure, iterations, mask, None, *rest, axes=axes)
    return binary_dilation(eroded, structure, iterations, mask, output, *rest, axes=axes)


def binary_closing(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    output: OutputLike | None = None,
    origin: int | Sequence[int] = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """A dilation and then an erosion: holes that are smaller than the structure go.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.binary_closing(np.array([0, 1, 1, 0, 1, 1, 0])).astype(int)
    array([0, 1, 1, 1, 1, 1, 0])
    """
    rest = (border_value, origin, brute_force)
    dilated = binary_dilation(input, structure, iterations, mask, None, *rest, axes=axes)
    return binary_erosion(dilated, structure, iterations, mask, output, *rest, axes=axes)


@overload
def binary_hit_or_miss(
    input: ArrayLike,
    structure1: ArrayLike | None = None,
    structure2: ArrayLike | None = None,
    output: None = None,
    origin1: int | Sequence[int] = 0,
    origin2: int | Sequence[int] | None = None,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray: ...
@overload
def binary_hit_or_miss(
    input: ArrayLike,
    structure1: ArrayLike | None = None,
    structure2: ArrayLike | None = None,
    *,
    output: OutputLike,
    origin1: int | Sequence[int] = 0,
    origin2: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
) -> ndarray | None: ...
def binary_hit_or_miss(
    input: ArrayLike,
    structure1: ArrayLike | None = None,
    structure2: ArrayLike | None = None,
    output: OutputLike | None = None,
    origin1: int | Sequence[int] = 0,
    origin2: int | Sequence[int] | None = None,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray | None:
    """True where all elements under a structure are true, and all under another one are not.

    Nothing is returned where `output` is an array.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.binary_hit_or_miss(np.array([0, 1, 0, 1, 1, 0]), [0, 1, 0]).astype(int)
    array([0, 1, 0, 0, 0, 0])
    """
    a = as_array(input)
    axes = check_axes(axes, a.ndim)
    if structure1 is None:
        structure1 = generate_binary_structure(len(axes), 1)
    first = host_array(structure1)
    second = numpy.logical_not(first) if structure2 is None else host_array(structure2)
    if origin2 is None:
        origin2 = origin1
    hit = _morph(a, first, 1, None, None, 0, origin1, False, axes, False)
    # A dilation by the second structure as it is: it has been turned already.
    turned, moved = _reflected(second, sequence(origin2, len(axes)))
    missed = _morph(a, turned, 1, None, None, 0, moved, False, axes, True)
    made = hit & ~missed
    if not isinstance(output, Arrays):
        return made
    Output(output, a).deliver(made)
    return None


def binary_propagation(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    output: OutputLike | None = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray:
    """Dilations inside of a mask, until nothing changes any more.

    Examples
    --------
    >>> import heddle as np
    >>> seeds, mask = np.array([0, 1, 0, 0, 0, 0]), np.array([1, 1, 1, 0, 1, 1])
    >>> np.scipy.ndimage.binary_propagation(seeds, mask=mask).astype(int)
    array([1, 1, 1, 0, 0, 0])
    """
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


@overload
def binary_fill_holes(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    output: None = None,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray: ...
@overload
def binary_fill_holes(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    *,
    output: OutputLike,
    origin: int | Sequence[int] = 0,
    axes: int | Sequence[int] | None = None,
) -> ndarray | None: ...
def binary_fill_holes(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    output: OutputLike | None = None,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> ndarray | None:
    """Fills what cannot be reached from beyond the edges. Returns nothing for an array `output`.

    Examples
    --------
    >>> import heddle as np
    >>> ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> bool(np.scipy.ndimage.binary_fill_holes(ring).all())
    True
    """
    a = as_array(input)
    around = a == 0
    nothing = zeros(a.shape, dtype=bool, device=a.device)
    reached = binary_dilation(nothing, structure, -1, around, None, 1, origin, axes=axes)
    if not isinstance(output, Arrays):
        return ~reached
    Output(output, a).deliver(~reached)
    return None


@overload
def iterate_structure(structure: ArrayLike, iterations: int, origin: None = None) -> ndarray: ...
@overload
def iterate_structure(
    structure: ArrayLike, iterations: int, origin: int | Sequence[int]
) -> tuple[ndarray, list[int]]: ...
def iterate_structure(
    structure: ArrayLike, iterations: int, origin: int | Sequence[int] | None = None
) -> ndarray | tuple[ndarray, list[int]]:
    """The structure of so many dilations with a structure.

    Examples
    --------
    >>> import heddle as np
    >>> np.scipy.ndimage.iterate_structure(np.array([1, 1, 1]), 2).astype(int)
    array([1, 1, 1, 1, 1])
    """
    a = as_array(structure)
    if iterations < 2:
        return a.copy()
    more = iterations - 1
    made = numpy.zeros([n + more * (n - 1) for n in a.shape], bool)
    made[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in a.shape)] = host_array(a) != 0
    result = binary_dilation(asarray(made, device=a.device), a, iterations=more)
    if origin is None:
        return result
    return result, [iterations * o for o in sequence(origin, a.ndim)]
