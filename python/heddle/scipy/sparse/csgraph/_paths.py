"""Loops of shortest paths on the host: a source for each turn, on all cores."""

# ruff: noqa: ANN001, ANN202  (types of compiled functions are those of their arguments)
from __future__ import annotations

import numpy

from heddle._compiled.functions import njit, prange


@njit
def _sift_up(heap, place, keys, at):
    node = heap[at]
    key = keys[node]
    while at > 0:
        above = (at - 1) // 4
        other = heap[above]
        if keys[other] <= key:
            break
        heap[at] = other
        place[other] = at
        at = above
    heap[at] = node
    place[node] = at


@njit
def _sift_down(heap, place, keys, size):
    """The last node goes to the top, and down from there: its place is free."""
    node = heap[size]
    key = keys[node]
    at = 0
    going = True
    while going:
        child = 4 * at + 1
        if child >= size:
            break
        best = child
        for other in range(child + 1, min(child + 4, size)):
            if keys[heap[other]] < keys[heap[best]]:
                best = other
        if keys[heap[best]] < key:
            heap[at] = heap[best]
            place[heap[at]] = at
            at = best
        else:
            going = False
    heap[at] = node
    place[node] = at


@njit
def dijkstra_from(
    sources, indptr, indices, weights, tptr, tind, tw, both, limit, keys, before, origin
):
    """Distances from the nearest source, by a heap of nodes with four children each.

    `keys` are infinite on entry; `before` and `origin` are filled where they are not empty.
    """
    n = keys.size
    heap = numpy.empty(n, numpy.int32)
    place = numpy.full(n, -1, numpy.int32)
    size = 0
    for s in range(sources.size):
        v = sources[s]
        keys[v] = 0.0
        if origin.size > 0:
            origin[v] = v
        if place[v] < 0:
            heap[size] = v
            place[v] = size
            _sift_up(heap, place, keys, size)
            size += 1
    with_before = before.size > 0
    with_origin = origin.size > 0
    visits = 0
    while size > 0 and visits <= n * n:
        visits += 1
        v = heap[0]
        place[v] = -1
        size -= 1
        if size > 0:
            _sift_down(heap, place, keys, size)
        key = keys[v]
        for side in range(2 if both else 1):
            begin = indptr[v] if side == 0 else tptr[v]
            end = indptr[v + 1] if side == 0 else tptr[v + 1]
            for k in range(begin, end):
                w = indices[k] if side == 0 else tind[k]
                there = key + (weights[k] if side == 0 else tw[k])
                if there <= limit and there < keys[w]:
                    keys[w] = there
                    if with_before:
                        before[w] = v
                    if with_origin:
                        origin[w] = origin[v]
                    if place[w] < 0:
                        heap[size] = w
                        place[w] = size
                        size += 1
                    _sift_up(heap, place, keys, place[w])


@njit
def dijkstra_each(sources, indptr, indices, weights, tptr, tind, tw, both, limit, keys, before):
    """Distances from each source by itself, in rows."""
    for s in prange(sources.size):
        origin = numpy.empty(0, numpy.int32)
        dijkstra_from(
            sources[s : s + 1],
            indptr,
            indices,
            weights,
            tptr,
            tind,
            tw,
            both,
            limit,
            keys[s],
            before[s],
            origin,
        )


@njit
def relax_all(indptr, indices, weights, both, keys, before):
    """Bellman and Ford's passes over all edges until nothing changes; whether there is a cycle of
    negative length."""
    n = keys.size
    with_before = before.size > 0
    changed = True
    passes = 0
    while changed and passes < n:
        changed = False
        passes += 1
        for i in range(n):
            here = keys[i]
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                there = here + weights[k]
                if there < keys[j]:
                    keys[j] = there
                    changed = True
                    if with_before:
                        before[j] = i
                if both:
                    back = keys[j] + weights[k]
                    if back < here:
                        here = back
                        keys[i] = back
                        changed = True
                        if with_before:
                            before[i] = j
    if not changed:
        return False
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if keys[i] + weights[k] + 1e-15 < keys[j]:
                return True
            if both and keys[j] + weights[k] + 1e-15 < keys[i]:
                return True
    return False


@njit
def relax_each(indptr, indices, weights, both, keys, before, bad):
    for s in prange(keys.shape[0]):
        bad[s] = relax_all(indptr, indices, weights, both, keys[s], before[s])


@njit
def all_pairs(distances, before):
    """Floyd and Warshall's algorithm in place."""
    n = distances.shape[0]
    with_before = before.size > 0
    for k in range(n):
        for i in prange(n):
            first = distances[i, k]
            if first != numpy.inf and i != k:
                if with_before:
                    for j in range(n):
                        through = first + distances[k, j]
                        if through < distances[i, j]:
                            distances[i, j] = through
                            before[i, j] = before[k, j]
                else:
                    for j in range(n):
                        distances[i, j] = min(distances[i, j], first + distances[k, j])
