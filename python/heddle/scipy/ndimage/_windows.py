"""Windows: the elements around each element, as kernels see them.

The input is continued beyond its edges and lies flat in memory. The elements of a window are at
the same distances from its first one everywhere, so that a kernel knows one list of them, and
neighbours of one row are neighbours in memory: threads of a vector read whole vectors.
"""

import copy
import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy

from heddle import simt
from heddle._core import ndarray
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._creation.ranges import arange
from heddle._manipulation.padding import pad
from heddle.scipy.ndimage._support import PADDING

# Rows that are shorter are not a grid of rows, but one long row with an index for each element.
_SHORT_ROW = 32
_THREADS = 256
_KEPT_ROWS = 1 << 16


def strides_of(shape: Sequence[int]) -> list[int]:
    """Steps in elements of an array in C order."""
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * shape[axis + 1]
    return steps


def continued(
    a: ndarray, widths: Sequence[tuple[int, int]], mode: str, cval: float = 0.0
) -> ndarray:
    """The array with its edges continued; in float64 where its type does not hold `cval`."""
    if not a.size or not any(before or after for before, after in widths):
        return a
    how = PADDING[mode]
    if how != "constant":
        return pad(a, widths, mode=how)
    if a.dtype.kind in "biu":
        info = (0, 1) if a.dtype.kind == "b" else _limits(a.dtype)
        if not (float(cval).is_integer() and info[0] <= cval <= info[1]):
            a = a.astype(numpy.float64)
        else:
            cval = int(cval)
    return pad(a, widths, mode=how, constant_values=cval)


def _limits(dtype: numpy.dtype[Any]) -> tuple[int, int]:
    info = numpy.iinfo(dtype)
    return int(info.min), int(info.max)


@functools.lru_cache(256)
def _on_device(numbers: tuple[float, ...], dtype: str, device: str) -> ndarray:
    return asarray(numpy.array(numbers).astype(dtype), device=device)


def small_array(values: Any, dtype: str, beside: ndarray) -> ndarray:
    """A few numbers where an array is; the same ones are kept there."""
    values = numpy.asarray(values).ravel()
    if values.size <= 64:
        return _on_device(tuple(values.tolist()), dtype, beside.device)
    return asarray(values.astype(dtype), device=beside.device)


@functools.lru_cache(64)
def _kept_starts(shape: tuple[int, ...], steps: tuple[int, ...], device: str) -> ndarray:
    starts = numpy.zeros((), numpy.int64)
    for extent, step in zip(shape, steps, strict=True):
        starts = starts[..., None] + numpy.arange(extent) * step
    return asarray(starts.ravel(), device=device)


def starts_of(shape: tuple[int, ...], steps: tuple[int, ...], device: str) -> ndarray:
    """Where rows begin: a sum of multiples for each combination of indices."""
    if math.prod(shape) <= _KEPT_ROWS:
        return _kept_starts(shape, steps, device)
    starts = arange(shape[0], device=device) * steps[0]
    for extent, step in zip(shape[1:], steps[1:], strict=True):
        starts = starts[..., None] + arange(extent, device=device) * step
    return starts.reshape(-1)


class Windows:
    """The windows of a size around each element of an array."""

    def __init__(
        self,
        a: ndarray,
        sizes: Sequence[int],
        origins: Sequence[int],
        mode: str,
        cval: float = 0.0,
    ) -> None:
        widths = [(s // 2 + o, s - s // 2 - 1 - o) for s, o in zip(sizes, origins, strict=True)]
        around = continued(a, widths, mode, cval)
        self.shape = a.shape
        self.dtype = around.dtype
        self.flat = around.reshape(-1)
        self._steps = strides_of(around.shape)
        # A row is the last axis that has neighbours, with those after it.
        row = max((axis for axis, size in enumerate(sizes) if size > 1), default=0)
        self._length = math.prod(a.shape[row:])
        self._starts = starts_of(a.shape[:row], tuple(self._steps[:row]), a.device)

    def offsets(self, places: Any) -> numpy.ndarray[Any, Any]:
        """Distances in memory of places in a window (a row of indices for each)."""
        steps = numpy.array(self._steps, numpy.int64)
        return numpy.asarray(places, numpy.int64).reshape(-1, len(steps)) @ steps

    def step(self, axis: int) -> int:
        """The distance in memory of neighbours along an axis."""
        return self._steps[axis]

    def replaced(self, flat: ndarray) -> "Windows":
        """The same windows of other elements."""
        found = copy.copy(self)
        found.flat = flat
        found.dtype = flat.dtype
        return found

    def viewed(self, dtype: Any) -> "Windows":
        """The same windows of the same bytes as another type."""
        return self.replaced(self.flat.view(dtype))

    def small(self, values: Any, dtype: str = "int64") -> ndarray:
        """A few numbers for the kernel."""
        return small_array(values, dtype, self.flat)

    def combined(self, kernel: "WindowKernel", dtype: Any, distances: Any, *args: Any) -> "Windows":
        """The same windows of what a kernel makes of the elements at distances from each."""
        count = max(0, self.flat.size - int(max(distances)))
        out = empty((1, count), dtype=dtype, device=self.flat.device)
        if out.size:
            grid = (math.ceil(out.size / _THREADS), 1)
            first = small_array([0], "int64", self.flat)
            kernel.rows[grid, (_THREADS, 1)](self.flat, first, out, self.small(distances), *args)
        return self.replaced(out.reshape(-1))

    def run(self, kernel: "WindowKernel", dtype: Any, *args: Any) -> ndarray:
        """What a kernel makes of each window."""
        rows = math.prod(self.shape) // self._length if self._length else 0
        out = empty((rows, self._length), dtype=dtype, device=self.flat.device)
        if out.size:
            if self._length >= _SHORT_ROW or rows == 1:
                grid = (math.ceil(self._length / _THREADS), min(rows, 1 << 15))
                kernel.rows[grid, (_THREADS, 1)](self.flat, self._starts, out, *args)
            else:
                kernel.elements.forall(out.size)(self.flat, self._starts, out, *args)
        return out.reshape(self.shape)


class WindowKernel:
    """What is made of a window: a function of memory, where the window begins, and arguments."""

    def __init__(self, function: Any) -> None:
        one = simt.func(function)

        def rows(flat: Any, starts: Any, out: Any, *args: Any) -> None:
            j = simt.grid(1)
            if j < out.shape[1]:
                for r in range(simt.blockIdx.y, out.shape[0], simt.gridDim.y):
                    out[r, j] = one(flat, starts[r] + j, *args)

        def elements(flat: Any, starts: Any, out: Any, *args: Any) -> None:
            i = simt.grid(1)
            if i < out.size:
                r = i // out.shape[1]
                j = i - r * out.shape[1]
                out[r, j] = one(flat, starts[r] + j, *args)

        # Products are rounded before they are added: SciPy's sums, which integers are cut from.
        self.rows = simt.kernel(rows, contract=False)
        self.elements = simt.kernel(elements, contract=False)
