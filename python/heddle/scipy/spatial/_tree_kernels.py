"""Walks through k-d trees: the nearest points, those within a distance, how many there are.

A walk is one function, which threads of a device and a loop of the host call for each place. Sums
of powers of differences ("raised" distances) are compared; only results are roots of them.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle import simt
from heddle._core import ndarray
from heddle._typing import KernelArray, Tree

if TYPE_CHECKING:
    from heddle._compiled.functions import Function
    from heddle.scipy.spatial._tree import Tree
    from heddle.simt._kernel import Kernel

_DEPTH = 64  # of the stack: more than a tree has levels


@functools.cache
def _distances(m: int, kind: str, periodic: bool) -> tuple[Function, Function, Function]:
    """Raised distances to a point, to the near and to the far side of a box, of `m` dimensions."""

    @np.njit
    def along(gap: float, p: float) -> float:
        if kind == "two":
            return gap * gap
        if kind == "other":
            return gap**p  # type: ignore[no-any-return]
        return gap

    @np.njit
    def joined(total: float, part: float) -> float:
        if kind == "inf":
            return max(total, part)
        return total + part

    @np.njit
    def to_point(
        x: KernelArray, i: int, points: KernelArray, j: int, size: KernelArray, p: float
    ) -> float:
        total = 0.0
        for d in range(m):
            gap = abs(x[i, d] - points[j, d])
            if periodic and size[d] > 0 and gap > 0.5 * size[d]:
                gap = size[d] - gap
            total = joined(total, along(gap, p))
        return total

    @np.njit
    def to_box(
        x: KernelArray,
        i: int,
        low: KernelArray,
        high: KernelArray,
        node: int,
        size: KernelArray,
        p: float,
    ) -> float:
        total = 0.0
        for d in range(m):
            a = low[node, d] - x[i, d]
            b = x[i, d] - high[node, d]
            gap = max(max(a, b), 0.0)
            if periodic and size[d] > 0 and gap > 0.0:
                # The box one period further, on the other side.
                other = min(low[node, d] + size[d] - x[i, d], x[i, d] - high[node, d] + size[d])
                gap = min(gap, max(other, 0.0))
            total = joined(total, along(gap, p))
        return total

    @np.njit
    def to_far(
        x: KernelArray,
        i: int,
        low: KernelArray,
        high: KernelArray,
        node: int,
        size: KernelArray,
        p: float,
    ) -> float:
        total = 0.0
        for d in range(m):
            gap = max(abs(x[i, d] - low[node, d]), abs(high[node, d] - x[i, d]))
            if periodic and size[d] > 0:
                gap = min(gap, 0.5 * size[d])
            total = joined(total, along(gap, p))
        return total

    return to_point, to_box, to_far


@functools.cache
def _nearest(m: int, kind: str, periodic: bool) -> tuple[Function, Kernel]:
    to_point, to_box, _ = _distances(m, kind, periodic)

    @np.njit
    def walk(
        i: int,
        x: KernelArray,
        points: KernelArray,
        index: KernelArray,
        low: KernelArray,
        high: KernelArray,
        width: int,
        inner: int,
        count: int,
        size: KernelArray,
        p: float,
        share: float,
        bound: float,
        found: KernelArray,
        places: KernelArray,
        nodes: KernelArray,
        gaps: KernelArray,
    ) -> None:
        k = found.shape[1]
        for j in range(k):
            found[i, j] = math.inf
            places[i, j] = count
        worst = bound
        nodes[0] = 0
        gaps[0] = to_box(x, i, low, high, 0, size, p)
        top = 1
        while top > 0:
            top -= 1
            node = nodes[top]
            if gaps[top] * share >= worst:
                continue
            while node < inner:
                left = to_box(x, i, low, high, 2 * node + 1, size, p)
                right = to_box(x, i, low, high, 2 * node + 2, size, p)
                near = 2 * node + 1
                far = 2 * node + 2
                gap = left
                other = right
                if right < left:
                    near = 2 * node + 2
                    far = 2 * node + 1
                    gap = right
                    other = left
                if other * share < worst:
                    nodes[top] = far
                    gaps[top] = other
                    top += 1
                node = near
                if gap * share >= worst:
                    node = -1
                    break
            if node >= inner:
                first = (node - inner) * width
                for j in range(first, first + width):
                    own = index[j]
                    if own < count:
                        distance = to_point(x, i, points, j, size, p)
                        if distance < worst:
                            at = k - 1
                            while at > 0 and found[i, at - 1] > distance:
                                found[i, at] = found[i, at - 1]
                                places[i, at] = places[i, at - 1]
                                at -= 1
                            found[i, at] = distance
                            places[i, at] = own
                            worst = min(bound, found[i, k - 1])

    @np.njit
    def rows(
        x: KernelArray,
        points: KernelArray,
        index: KernelArray,
        low: KernelArray,
        high: KernelArray,
        width: int,
        inner: int,
        count: int,
        size: KernelArray,
        p: float,
        share: float,
        bound: float,
        found: KernelArray,
        places: KernelArray,
        piece: int,
    ) -> None:
        n = x.shape[0]
        for t in np.prange((n + piece - 1) // piece):
            nodes = numpy.empty(_DEPTH, numpy.int64)
            gaps = numpy.empty(_DEPTH, numpy.float64)
            for i in range(t * piece, min(n, (t + 1) * piece)):
                walk(
                    i, x, points, index, low, high, width, inner, count, size, p, share, bound,
                    found, places, nodes, gaps,
                )  # fmt: skip

    @simt.kernel
    def threads(
        x: KernelArray,
        points: KernelArray,
        index: KernelArray,
        low: KernelArray,
        high: KernelArray,
        width: int,
        inner: int,
        count: int,
        size: KernelArray,
        p: float,
        share: float,
        bound: float,
        found: KernelArray,
        places: KernelArray,
    ) -> None:
        i = simt.grid(1)
        if i < x.shape[0]:
            nodes = simt.local.array(_DEPTH, numpy.int64)
            gaps = simt.local.array(_DEPTH, numpy.float64)
            walk(
                i, x, points, index, low, high, width, inner, count, size, p, share, bound,
                found, places, nodes, gaps,
            )  # fmt: skip

    return rows, threads


@functools.cache
def _within(m: int, kind: str, periodic: bool, fill: bool, later: bool) -> tuple[Any, Any]:
    """Counts of points within a distance; with `fill`, their indices and distances, too.

    `later`: only points whose index is greater than that of the place.
    """
    to_point, to_box, to_far = _distances(m, kind, periodic)

    @np.njit
    def walk(
        i: int,
        x: KernelArray,
        points: KernelArray,
        index: KernelArray,
        low: KernelArray,
        high: KernelArray,
        sizes: KernelArray,
        width: int,
        inner: int,
        count: int,
        size: KernelArray,
        p: float,
        radius: KernelArray,
        starts: KernelArray,
        places: KernelArray,
        found: KernelArray,
        nodes: KernelArray,
    ) -> None:
        bound = radius[i]
        at = 0
        if fill:
            at = starts[i]
        total = 0
        nodes[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = nodes[top]
            if to_box(x, i, low, high, node, size, p) > bound:
                continue
            whole = not fill and not later
            if whole and to_far(x, i, low, high, node, size, p) <= bound:
                total += sizes[node]
                continue
            if node < inner:
                nodes[top] = 2 * node + 2
                nodes[top + 1] = 2 * node + 1
                top += 2
            else:
                first = (node - inner) * width
                for j in range(first, first + width):
                    own = index[j]
                    wanted = own < count
                    if later:
                        wanted = wanted and own > i
                    if wanted:
                        distance = to_point(x, i, points, j, size, p)
                        if distance <= bound:
                            if fill:
                                places[at] = own
                                found[at] = distance
                                at += 1
                            else:
                                total += 1
        if not fill:
            starts[i] = total

    @np.njit
    def rows(
        x: KernelArray,
        points: KernelArray,
        index: KernelArray,
        low: KernelArray,
        high: KernelArray,
        sizes: KernelArray,
        width: int,
        inner: int,
        count: int,
        size: KernelArray,
        p: float,
        radius: KernelArray,
        starts: KernelArray,
        places: KernelArray,
        found: KernelArray,
        piece: int,
    ) -> None:
        n = x.shape[0]
        for t in np.prange((n + piece - 1) // piece):
            nodes = numpy.empty(_DEPTH, numpy.int64)
            for i in range(t * piece, min(n, (t + 1) * piece)):
                walk(
                    i, x, points, index, low, high, sizes, width, inner, count, size, p, radius,
                    starts, places, found, nodes,
                )  # fmt: skip

    @simt.kernel
    def threads(
        x: KernelArray,
        points: KernelArray,
        index: KernelArray,
        low: KernelArray,
        high: KernelArray,
        sizes: KernelArray,
        width: int,
        inner: int,
        count: int,
        size: KernelArray,
        p: float,
        radius: KernelArray,
        starts: KernelArray,
        places: KernelArray,
        found: KernelArray,
    ) -> None:
        i = simt.grid(1)
        if i < x.shape[0]:
            nodes = simt.local.array(_DEPTH, numpy.int64)
            walk(
                i, x, points, index, low, high, sizes, width, inner, count, size, p, radius, starts,
                places, found, nodes,
            )  # fmt: skip

    return rows, threads


def _kind(p: float) -> str:
    return {1.0: "one", 2.0: "two", math.inf: "inf"}.get(float(p), "other")


def raised(value: float | ndarray, p: float) -> Any:
    """The power of a distance that is compared."""
    kind = _kind(p)
    if kind in ("one", "inf"):
        return value
    return value * value if kind == "two" else value**p


def rooted(value: ndarray, p: float) -> ndarray:
    kind = _kind(p)
    if kind in ("one", "inf"):
        return value
    return np.sqrt(value) if kind == "two" else value ** (1.0 / p)


def _share(eps: float, p: float) -> float:
    """What gaps of boxes are worth where results may be so much too far."""
    return 1.0 if eps == 0 else float(raised(1.0 + eps, p))


def _run(
    pair: tuple[Function, Kernel], count: int, arguments: tuple[object, ...], device: str
) -> None:
    rows, threads = pair
    if device == "cpu":
        rows(*arguments, max(16, min(512, count // 32)))
    else:
        threads.forall(count)(*arguments)


def nearest(
    tree: Tree, x: ndarray, k: int, eps: float, p: float, bound: float
) -> tuple[ndarray, ndarray]:
    """Distances and indices of the k nearest points of a tree, for rows of x."""
    found = np.empty((x.shape[0], k), "f8", device=x.device)
    places = np.empty((x.shape[0], k), "i8", device=x.device)
    if found.size:
        pair = _nearest(tree.m, _kind(p), tree.size is not None)
        limit = math.inf if math.isinf(bound) else float(raised(float(bound), p))
        arguments = (*tree.arrays(), tree.width, tree.inner, tree.n, tree.sizes(), float(p))
        _run(
            pair,
            x.shape[0],
            (x, *arguments, _share(eps, p), limit, found, places),
            x.device,
        )
    return rooted(found, p), places


def within(
    tree: Tree, x: ndarray, radius: ndarray, eps: float, p: float, later: bool = False
) -> tuple[ndarray, Any]:
    """How many points are within a radius, for rows of x; and a function that finds them.

    With `eps` points up to ``radius * (1 + eps)`` may be among them, and all of these are: the two
    have to agree, and look at different boxes.
    """
    n = x.shape[0]
    far = radius * (1.0 + eps) if eps else radius
    bounds = np.ascontiguousarray(raised(far, p))
    arguments = (
        *tree.arrays(),
        tree.counts,
        tree.width,
        tree.inner,
        tree.n,
        tree.sizes(),
        float(p),
    )
    counts = np.zeros((n,), "i8", device=x.device)
    nothing = [np.zeros((1,), dtype, device=x.device) for dtype in ("i8", "f8")]
    kind, periodic = _kind(p), tree.size is not None
    if n:
        pair = _within(tree.m, kind, periodic, False, later)
        _run(pair, n, (x, *arguments, bounds, counts, *nothing), x.device)

    def fill() -> tuple[ndarray, ndarray, ndarray]:
        """Where each row begins, indices, and distances."""
        ends = np.cumsum(counts)
        total = int(ends[-1]) if n else 0
        starts = ends - counts
        places = np.empty((max(total, 1),), "i8", device=x.device)
        found = np.empty((max(total, 1),), "f8", device=x.device)
        if total:
            filling = _within(tree.m, kind, periodic, True, later)
            given = (x, *arguments, bounds, starts, places, found)
            _run(filling, n, given, x.device)
        return starts, places[:total], rooted(found[:total], p)

    return counts, fill
