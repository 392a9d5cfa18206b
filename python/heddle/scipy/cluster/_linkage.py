"""Trees of clusters from distances, compiled for the host.

Each step joins two clusters and needs those before it, so the work of a step is all there is to
share; distances are computed where the points are, the tree on the host, in compiled loops over
rows of one square matrix. Clusters that are gone have no points, and their distances stay as they
were: looking at sizes after distances costs little.
"""

from __future__ import annotations

from typing import Any

import numpy

from heddle._compiled.functions import njit
from heddle._typing import HostArray, KernelArray

METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
# Distances between means are followed as squares.
SQUARED = ("centroid", "median", "ward")


@njit
def _joined(distances: KernelArray, sizes: KernelArray, method: float, a: int, b: int) -> None:
    """Makes b the cluster of a and b, and a nothing: Lance and Williams' recurrence, row by row."""
    n = sizes.size
    of_a = sizes[a]
    of_b = sizes[b]
    both = of_a + of_b
    apart = distances[a, b]
    sizes[a] = 0
    sizes[b] = 0
    for i in range(n):
        if sizes[i] == 0:
            continue
        from_a = distances[a, i]
        from_b = distances[b, i]
        if method == 0:
            d = min(from_a, from_b)
        elif method == 1:
            d = max(from_a, from_b)
        elif method == 2:
            d = (of_a * from_a + of_b * from_b) / both
        elif method == 3:
            d = (from_a + from_b) / 2
        elif method == 4:
            d = (of_a * from_a + of_b * from_b - of_a * of_b * apart / both) / both
        elif method == 5:
            d = (from_a + from_b) / 2 - apart / 4
        else:
            of_i = sizes[i]
            d = (of_a + of_i) * from_a + (of_b + of_i) * from_b - of_i * apart
            d = d / (both + of_i)
        distances[b, i] = d
        distances[i, b] = d
    sizes[b] = both


@njit
def _by_chains(
    distances: KernelArray,
    sizes: KernelArray,
    method: float,
    pairs: KernelArray,
    heights: KernelArray,
) -> None:
    """Follows nearest neighbours until two are each other's, and joins these.

    For methods where a joined cluster is no nearer to others than its parts were: then the rest of
    the chain stays one.
    """
    n = sizes.size
    chain = numpy.empty(n, numpy.int64)
    length = 0
    begin = 0
    for step in range(n - 1):
        if length == 0:
            while sizes[begin] == 0:
                begin += 1
            chain[0] = begin
            length = 1
        found = False
        while not found:
            at = chain[length - 1]
            near = -1
            least = numpy.inf
            if length > 1:
                near = chain[length - 2]  # the one before, unless another is really nearer
                least = distances[at, near]
            for i in range(n):
                if distances[at, i] < least and sizes[i] > 0:
                    least = distances[at, i]
                    near = i
            if length > 1 and near == chain[length - 2]:
                found = True
                length -= 2
                pairs[step, 0] = min(at, near)
                pairs[step, 1] = max(at, near)
                heights[step] = least
            else:
                chain[length] = near
                length += 1
        _joined(distances, sizes, method, pairs[step, 0], pairs[step, 1])


@njit
def _by_nearest(
    distances: KernelArray,
    sizes: KernelArray,
    method: float,
    pairs: KernelArray,
    heights: KernelArray,
) -> None:
    """Joins the two nearest of all, step by step; each row knows its nearest later one."""
    n = sizes.size
    near = numpy.zeros(n, numpy.int64)
    least = numpy.empty(n, numpy.float64)
    stale = numpy.ones(n, numpy.bool_)
    for step in range(n - 1):
        a = -1
        lowest = numpy.inf
        for i in range(n - 1):
            if sizes[i] == 0:
                continue
            if stale[i]:
                least[i] = numpy.inf
                for j in range(i + 1, n):
                    if distances[i, j] < least[i] and sizes[j] > 0:
                        least[i] = distances[i, j]
                        near[i] = j
                stale[i] = False
            if least[i] < lowest:
                lowest = least[i]
                a = i
        b = near[a]
        pairs[step, 0] = a
        pairs[step, 1] = b
        heights[step] = lowest
        _joined(distances, sizes, method, a, b)
        stale[b] = True
        for i in range(b):
            if sizes[i] == 0 or stale[i]:
                continue
            if near[i] == a or near[i] == b:
                stale[i] = True
            elif distances[i, b] < least[i]:
                least[i] = distances[i, b]
                near[i] = b


@njit
def _along_a_tree(distances: KernelArray, pairs: KernelArray, heights: KernelArray) -> None:
    """The edges of a minimum spanning tree, in the order in which it grows from the first point."""
    n = distances.shape[0]
    reach = numpy.full(n, numpy.inf)
    outside = numpy.ones(n, numpy.bool_)
    at = 0
    for step in range(n - 1):
        outside[at] = False
        following = -1
        least = numpy.inf
        for i in range(n):
            if outside[i]:
                reach[i] = min(reach[i], distances[at, i])
                if reach[i] < least:
                    least = reach[i]
                    following = i
        pairs[step, 0] = at
        pairs[step, 1] = following
        heights[step] = least
        at = following


@njit
def _numbered(
    pairs: KernelArray, order: KernelArray, heights: KernelArray, tree: KernelArray
) -> None:
    """The rows of the tree, in order: clusters get numbers as they are made, after the points."""
    n = order.size + 1
    parents = numpy.empty(2 * n, numpy.int64)
    counts = numpy.ones(2 * n, numpy.int64)
    for i in range(2 * n):
        parents[i] = i
    for step in range(n - 1):
        k = order[step]
        for side in range(2):
            i = pairs[k, side]
            while parents[i] != i:
                parents[i] = parents[parents[i]]
                i = parents[i]
            pairs[k, side] = i
        a = min(pairs[k, 0], pairs[k, 1])
        b = max(pairs[k, 0], pairs[k, 1])
        parents[a] = n + step
        parents[b] = n + step
        counts[n + step] = counts[a] + counts[b]
        tree[step, 0] = a
        tree[step, 1] = b
        tree[step, 2] = heights[k]
        tree[step, 3] = counts[n + step]


@njit
def _spread(line: KernelArray, square: KernelArray, squared: bool) -> Any:
    """Both halves of a matrix of distances from one; gives the largest and the least of them."""
    n = square.shape[0]
    at = 0
    most = 0.0
    least = 0.0
    for i in range(n):
        square[i, i] = numpy.inf
        for j in range(i + 1, n):
            d = line[at]
            at += 1
            if not abs(d) < numpy.inf:  # nan, too
                most = numpy.inf
            least = min(least, d)
            if squared:
                d = d * d
            square[i, j] = d
            square[j, i] = d
    return most, least


def square_of(line: HostArray, points: int, method: str) -> HostArray:
    """The matrix that a tree is made of, of distances i < j; refuses what no method takes."""
    square = numpy.empty((points, points))
    most, least = _spread(line, square, method in SQUARED)
    if most == numpy.inf:
        raise ValueError("The condensed distance matrix must contain only finite values.")
    if method in ("centroid", "median") and least < 0:
        raise ValueError(f"`method={method}` requires distances that are not negative")
    return square


def tree_of(distances: HostArray, method: str) -> HostArray:
    """The tree of a matrix made by `square_of`, which is used up."""
    n = len(distances)
    pairs = numpy.empty((n - 1, 2), numpy.int64)
    heights = numpy.empty(n - 1)
    order = numpy.arange(n - 1)
    if method == "single":
        _along_a_tree(distances, pairs, heights)
    else:
        sizes = numpy.ones(n, numpy.int64)
        joining = _by_nearest if method in ("centroid", "median") else _by_chains
        joining(distances, sizes, METHODS.index(method), pairs, heights)
        if method in SQUARED:
            heights = numpy.sqrt(numpy.maximum(heights, 0))
    if method not in ("centroid", "median"):
        order = numpy.argsort(heights, kind="stable")
    tree = numpy.empty((n - 1, 4))
    _numbered(pairs, order, heights, tree)
    return tree
