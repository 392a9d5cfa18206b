"""Windows: the elements around each element of an array that is continued beyond its edges.

Small windows are views of it, one for each place in a window: expressions of these are one kernel,
fused with what is around them. For large ones there are kernels with loops. The elements of a
window are at the same distances in memory from its first one everywhere, so that a kernel knows one
list of them, and neighbours of one row are neighbours in memory: threads of a vector read whole
vectors.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from heddle import simt
from heddle._core import ndarray
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._creation.ranges import arange
from heddle._manipulation.padding import pad
from heddle._typing import ArrayLike, DType, DTypeLike
from heddle.scipy.ndimage._support import PADDING

# Windows of no more elements are expressions.
FEW = 32
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
    if isinstance(cval, (complex, numpy.complexfloating)):  # its imaginary part would go
        raise TypeError(f"cval: must be a real number, not {type(cval).__name__}")
    if not any(before or after for before, after in widths):
        return a
    how = PADDING[mode] if a.size else "constant"
    if how != "constant":
        return pad(a, widths, mode=how)
    if a.dtype.kind in "biu":
        info = (0, 1) if a.dtype.kind == "b" else _limits(a.dtype)
        if not (float(cval).is_integer() and info[0] <= cval <= info[1]):
            a = a.astype(numpy.float64)
        else:
            cval = int(cval)
    return pad(a, widths, mode=how, constant_values=cval)


def _limits(dtype: DType) -> tuple[int, int]:
    info = numpy.iinfo(dtype)
    return int(info.min), int(info.max)


@functools.lru_cache(256)
def _on_device(numbers: tuple[float, ...], dtype: str, device: str) -> ndarray:
    return asarray(numpy.array(numbers).astype(dtype), device=device)


def small_array(values: ArrayLike, dtype: str, beside: ndarray) -> ndarray:
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


def shifted(a: ndarray, axis: int, places: Iterable[int], extent: int) -> list[ndarray]:
    """Views along an axis that begin at places."""
    before = (slice(None),) * axis
    return [a[(*before, slice(k, k + extent))] for k in places]


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
        self.shape, self._sizes = a.shape, sizes
        self.dtype = around.dtype
        self.around = around
        self._steps = strides_of(around.shape)

    def views(self, places: object) -> list[ndarray]:
        """The elements at places in all windows, for expressions of arrays: few of them fuse."""
        return [
            self.around[tuple(slice(p, p + n) for p, n in zip(place, self.shape, strict=True))]
            for place in numpy.asarray(places).tolist()
        ]

    def line(self, axis: int) -> list[ndarray]:
        """The elements of windows along an axis, one array for each place."""
        return shifted(self.around, axis, range(self._sizes[axis]), self.shape[axis])

    def line_of_parts(
        self, axis: int, combine: Callable[[list[ndarray]], ndarray], disjoint: bool
    ) -> list[ndarray]:
        """Less arrays for longer windows: parts of some elements are combined first.

        Parts overlap unless they are to be disjoint; then single elements are left over.
        """
        size, extent = self._sizes[axis], self.shape[axis]
        some = math.isqrt(size)
        parts = combine(shifted(self.around, axis, range(some), extent + size - some))
        whole = range(0, size - some + 1, some)
        if not disjoint:
            return shifted(parts, axis, sorted({*whole, size - some}), extent)
        rest = range(len(whole) * some, size)
        return shifted(parts, axis, whole, extent) + shifted(self.around, axis, rest, extent)

    @functools.cached_property
    def flat(self) -> ndarray:
        """All elements, as they are in memory."""
        return self.around.reshape(-1)

    def offsets(self, places: object) -> numpy.ndarray[Any, Any]:
        """Distances in memory of places in a window (a row of indices for each)."""
        steps = numpy.array(self._steps, numpy.int64)
        return numpy.asarray(places, numpy.int64).reshape(-1, len(steps)) @ steps

    def step(self, axis: int) -> int:
        """The distance in memory of neighbours along an axis."""
        return self._steps[axis]

    def replaced(self, flat: ndarray) -> Windows:
        """The same windows of other elements."""
        found = copy.copy(self)
        found.__dict__["flat"] = flat
        found.dtype = flat.dtype
        return found

    def viewed(self, dtype: DTypeLike) -> Windows:
        """The same windows of the same bytes as another type."""
        return self.replaced(self.flat.view(dtype))

    def small(self, values: ArrayLike, dtype: str = "int64") -> ndarray:
        """A few numbers for the kernel."""
        return small_array(values, dtype, self.flat)

    def run(self, kernel: WindowKernel, dtype: DTypeLike | None, *args: object) -> ndarray:
        """What a kernel makes of each window."""
        # A row is the last axis that has neighbours, with those after it.
        row = max((axis for axis, size in enumerate(self._sizes) if size > 1), default=0)
        length, rows = math.prod(self.shape[row:]), math.prod(self.shape[:row])
        out = empty((rows, length), dtype=dtype, device=self.flat.device)
        if out.size:
            starts = starts_of(self.shape[:row], tuple(self._steps[:row]), self.flat.device)
            if length >= _SHORT_ROW or rows == 1:
                grid = (math.ceil(length / _THREADS), min(rows, 1 << 15))
                kernel.rows[grid, (_THREADS, 1)](self.flat, starts, out, *args)
            else:
                kernel.elements.forall(out.size)(self.flat, starts, out, *args)
        return out.reshape(self.shape)


class WindowKernel:
    """What is made of a window: a function of memory, where the window begins, and arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
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
