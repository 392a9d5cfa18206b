"""Kernels for values of splines between elements: what is around a place, and its weights."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from heddle import simt
from heddle._dtypes import float64, int64
from heddle._typing import ArrayLike, KernelArray

if TYPE_CHECKING:
    from heddle.simt._kernel import Kernel

NEAREST, WRAP, REFLECT, MIRROR, CONSTANT, GRID_WRAP, GRID_CONSTANT = range(7)
CODES = {
    "nearest": NEAREST,
    "wrap": WRAP,
    "reflect": REFLECT,
    "grid-mirror": REFLECT,
    "mirror": MIRROR,
    "constant": CONSTANT,
    "grid-wrap": GRID_WRAP,
    "grid-constant": GRID_CONSTANT,
}


@simt.func
def _mapped(x: Any, n: Any, mode: object) -> Any:
    """A coordinate inside of an axis for one that may be outside; below -1 is nowhere."""
    if mode != CONSTANT and 2.0**53 < abs(x) < math.inf:
        x = 0.0  # between such numbers lie whole periods
    if x < 0:
        if mode == CONSTANT:
            x = -2.0
        elif n <= 1:
            x = 0.0
        elif mode == MIRROR:
            period = 2 * n - 2
            x = period * float64(int64(-x / period)) + x
            x = x + period if x <= 1 - n else -x
        elif mode == REFLECT:
            period = 2 * n
            if x < -period:
                x = period * float64(int64(-x / period)) + x
            x = x + period if x < -n else (1e-15 if x > -1e-15 else -x) - 1
        elif mode == WRAP:
            x += (n - 1) * (float64(int64(-x / (n - 1))) + 1)
        elif mode == GRID_WRAP:
            x += n * (float64(int64((-1 - x) / n)) + 1)
    elif x > n - 1:
        if mode == CONSTANT:
            x = -2.0
        elif n <= 1:
            x = 0.0
        elif mode == MIRROR:
            period = 2 * n - 2
            x -= period * float64(int64(x / period))
            if x >= n:
                x = period - x
        elif mode == REFLECT:
            period = 2 * n
            x -= period * float64(int64(x / period))
            if x >= n:
                x = period - x - 1
        elif mode == WRAP:
            x -= (n - 1) * float64(int64(x / (n - 1)))
        elif mode == GRID_WRAP:
            x -= n * float64(int64(x / n))
    return x


@simt.func
def _mapped_index(i: Any, n: Any, mode: object) -> Any:
    """An index inside of an axis for one that may be outside; -1 is nowhere."""
    if 0 <= i < n:
        return i
    if mode == GRID_CONSTANT:
        return -1
    if mode == NEAREST:
        return 0 if i < 0 else n - 1
    if n <= 1:
        return 0
    if mode == GRID_WRAP:
        return i % n
    if mode == REFLECT:
        i = i % (2 * n)
        return 2 * n - 1 - i if i >= n else i
    i = i % (2 * n - 2)
    return 2 * n - 2 - i if i >= n else i


def _weight(order: int) -> Callable[..., Any]:
    """The weights of a spline at a distance from its middle knot, written to a row of an array."""

    def weights(out: Any, d: Any, x: Any) -> None:
        if order == 0:
            out[d, 0] = 1.0
        elif order == 1:
            out[d, 0] = 1.0 - x
        elif order == 2:
            out[d, 1] = 0.75 - x * x
            y = 0.5 - x
            out[d, 0] = 0.5 * y * y
        elif order == 3:
            z = 1.0 - x
            out[d, 1] = (x * x * (x - 2.0) * 3.0 + 4.0) / 6.0
            out[d, 2] = (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0
            out[d, 0] = z * z * z / 6.0
        elif order == 4:
            t = x * x
            out[d, 2] = t * (t * 0.25 - 0.625) + 115.0 / 192.0
            y = 1.0 + x
            out[d, 1] = y * (y * (y * (5.0 - y) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0
            z = 1.0 - x
            out[d, 3] = z * (z * (z * (5.0 - z) / 6.0 - 1.25) + 5.0 / 24.0) + 55.0 / 96.0
            y = 0.5 - x
            t = y * y
            out[d, 0] = t * t / 24.0
        else:
            t = x * x
            out[d, 2] = t * (t * (0.25 - x / 12.0) - 0.5) + 0.55
            z = 1.0 - x
            t = z * z
            out[d, 3] = t * (t * (0.25 - z / 12.0) - 0.5) + 0.55
            out[d, 0] = z * t * t / 120.0
            y = x + 1.0
            out[d, 1] = y * (y * (y * (y * (y / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425
            z = z + 1.0
            out[d, 4] = z * (z * (z * (z * (z / 24.0 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425
        if order > 0:
            rest = 1.0
            for k in range(order):
                rest -= out[d, k]
            out[d, order] = rest

    return weights


# --- where an element of the result comes from, along an axis ---


@simt.func
def _listed(
    d: int, i: int, place: object, rows: KernelArray, before: object, after: object, middle: object
) -> Any:
    return rows[d, i]


@simt.func
def _affine(
    d: int,
    i: object,
    place: KernelArray,
    matrix: KernelArray,
    before: KernelArray,
    after: KernelArray,
    middle: Any,
) -> Any:
    """Centres of elements are at halves where `middle` is one half."""
    x = after[d]
    for e in range(place.shape[0]):
        x += matrix[d, e] * (place[e] + middle + before[e])
    return x - middle


# --- sums over the elements around a place, in SciPy's order ---


@simt.func
def _element(flat: KernelArray, offset: int, cval: object) -> Any:
    return cval if offset < 0 else flat[max(offset, 0)]


@simt.func
def _sum_1(flat: Any, first: Any, index: KernelArray, weight: KernelArray, cval: Any) -> Any:
    total = 0.0
    for k in range(index.shape[1]):
        total += _element(flat, first + index[0, k], cval) * weight[0, k]
    return total


@simt.func
def _sum_2(flat: Any, first: Any, index: KernelArray, weight: KernelArray, cval: Any) -> Any:
    total = 0.0
    for k in range(index.shape[1]):
        for l in range(index.shape[1]):
            value = _element(flat, first + index[0, k] + index[1, l], cval)
            total += value * weight[0, k] * weight[1, l]
    return total


@simt.func
def _sum_3(flat: Any, first: Any, index: KernelArray, weight: KernelArray, cval: Any) -> Any:
    total = 0.0
    for k in range(index.shape[1]):
        for l in range(index.shape[1]):
            for m in range(index.shape[1]):
                value = _element(flat, first + index[0, k] + index[1, l] + index[2, m], cval)
                total += value * weight[0, k] * weight[1, l] * weight[2, m]
    return total


@simt.func
def _sum_any(
    flat: object, first: object, index: KernelArray, weight: KernelArray, cval: complex
) -> Any:
    """Of any number of dimensions: the digits of a counter are the elements' numbers."""
    ndim, count = index.shape
    digit = simt.local.array(ndim, int64)
    turns = 1
    for d in range(ndim):
        digit[d] = 0
        turns *= count
    total = 0.0
    for _ in range(turns):
        offset = first
        for d in range(ndim):
            offset += index[d, digit[d]]
        value = _element(flat, offset, cval)
        for d in range(ndim):
            value *= weight[d, digit[d]]
        total += value
        carry = 1
        for e in range(ndim):
            d = ndim - 1 - e
            digit[d] += carry
            carry = 1 if digit[d] == count else 0
            digit[d] = 0 if carry else digit[d]
    return total


_sums = {1: _sum_1, 2: _sum_2, 3: _sum_3}


@functools.lru_cache(128)
def interpolating(ndim: int, ndim_out: int, order: int, listed: bool) -> Kernel:
    """The kernel for a number of dimensions, an order, and a kind of map."""
    coordinate = _listed if listed else _affine
    weights = simt.func(_weight(order))
    summed = _sums.get(ndim, _sum_any)
    halved = 0.0 if order & 1 else 0.5
    far = -(1 << 40)

    def interpolate(
        flat: Any,
        shape: Sequence[int],
        steps: Any,
        out: Any,
        extents: Any,
        count: Any,
        span: Any,
        rows: ArrayLike,
        before: object,
        after: object,
        middle: object,
        moved: object,
        mode: object,
        spline_mode: object,
        cval: Any,
    ) -> None:
        thread = simt.grid(1)
        if thread < out.size:
            stack = 0 if count == out.size else thread // count
            i = thread - stack * count
            place = simt.local.array(ndim_out, int64)
            if not listed:
                rest = i
                for e in range(ndim_out):
                    f = ndim_out - 1 - e
                    above = rest // extents[f]
                    place[f] = rest - above * extents[f]
                    rest = above
            index = simt.local.array((ndim, order + 1), int64)
            weight = simt.local.array((ndim, order + 1), float64)
            inside = True
            for d in range(ndim):
                n = shape[d]
                x = coordinate(d, i, place, rows, before, after, middle) + moved
                least = -1.0
                lost = 0.0
                if mode in (NEAREST, GRID_CONSTANT):
                    # Only the elements are mapped, and far outside these are all alike.
                    if x != x:
                        lost = x
                        x = -8.0
                    x = min(max(x, -8.0), n + 8.0)
                    least = -9.0
                else:
                    x = _mapped(x, n, mode)
                if not x > least:  # also for nan
                    inside = False
                    x = 0.0
                knot = math.floor(x + halved)
                start = int64(knot) - order // 2
                for k in range(order + 1):
                    found = _mapped_index(start + k, n, spline_mode)
                    index[d, k] = found * steps[d] if found >= 0 else far
                weights(weight, d, x - knot + lost)
            out[thread] = summed(flat, stack * span, index, weight, cval) if inside else cval

    return simt.kernel(interpolate, contract=False)
