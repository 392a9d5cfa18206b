"""Python's `heapq` and `functools.reduce`: compiled along with what calls them."""

# Types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import functools
import heapq

from heddle.simt._library_math import calling
from heddle.simt._registry import functions


def reduce(function, sequence, initial):
    total = initial
    for one in sequence:
        total = function(total, one)
    return total


def rise(heap, first, place):
    """What is at a place goes up, as long as it is less than what is above it."""
    at = place
    while at > first:
        above = (at - 1) >> 1
        if not heap[at] < heap[above]:
            break
        heap[at], heap[above] = heap[above], heap[at]
        at = above


def sink(heap, place):
    """The least below goes up, to the end; what was there rises from where it came to."""
    end = len(heap)
    at = place
    below = 2 * at + 1
    while below < end:
        if below + 1 < end and not heap[below] < heap[below + 1]:
            below += 1
        heap[at], heap[below] = heap[below], heap[at]
        at = below
        below = 2 * at + 1
    rise(heap, place, at)


def heappush(heap, item):
    heap.append(item)
    rise(heap, 0, len(heap) - 1)


def heappop(heap):
    last = heap.pop()
    if len(heap) == 0:
        return last
    least = heap[0]
    heap[0] = last
    sink(heap, 0)
    return least


def heapreplace(heap, item):
    least = heap[0]
    heap[0] = item
    sink(heap, 0)
    return least


def heappushpop(heap, item):
    if len(heap) > 0 and heap[0] < item:
        least = heap[0]
        heap[0] = item
        sink(heap, 0)
        return least
    return item


def heapify(x):
    for place in range(len(x) // 2 - 1, -1, -1):
        sink(x, place)


def nsmallest(n, iterable):
    ordered = sorted(iterable)
    return ordered[: max(0, n)]


def nlargest(n, iterable):
    ordered = sorted(iterable)
    ordered.reverse()
    return ordered[: max(0, n)]


def know():
    """Tells what compiled functions may call."""
    functions[functools.reduce] = calling(reduce)
    for one in (heappush, heappop, heapreplace, heappushpop, heapify, nsmallest, nlargest):
        functions[getattr(heapq, one.__name__)] = calling(one)
