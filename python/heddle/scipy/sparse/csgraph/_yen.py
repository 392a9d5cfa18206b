"""Yen's algorithm: the shortest paths between two nodes that visit no node twice."""

from __future__ import annotations

from typing import Any

import numpy

from heddle._typing import HostArray
from heddle.scipy.sparse.csgraph import _paths
from heddle.scipy.sparse.csgraph._graphs import NULL, Graph


class LooplessPaths:
    """Paths that leave an earlier one at some node, the shortest of them next."""

    def __init__(self, graph: Graph, directed: bool) -> None:
        self._edges = list(graph.both_ways(directed))
        self._directed, self._n = directed, graph.n

    def _path(self, start: int, sink: int, closed: HostArray, cut: set[int]) -> Any:
        """The shortest path that touches no closed node and begins with no cut edge."""
        edges = list(self._edges)
        for ends, nodes, weights in ((0, 1, 2), (3, 4, 5)):
            held = edges[weights].copy()
            held[closed[edges[nodes]]] = numpy.inf
            begin, end = edges[ends][start], edges[ends][start + 1]
            held[begin:end][numpy.isin(edges[nodes][begin:end], list(cut))] = numpy.inf
            edges[weights] = held
        keys, before = numpy.full(self._n, numpy.inf), numpy.full(self._n, NULL, numpy.int32)
        sources, origin = numpy.array([start], numpy.int32), numpy.empty(0, numpy.int32)
        limit = numpy.finfo(float).max
        _paths.dijkstra_from(sources, *edges, not self._directed, limit, keys, before, origin)
        if not numpy.isfinite(keys[sink]):
            return None
        path = [sink]
        while path[-1] != start:
            path.append(int(before[path[-1]]))
        return float(keys[sink]), path[::-1], keys

    def paths(self, source: int, sink: int, most: int) -> list[tuple[float, tuple[int, ...]]]:
        none = numpy.zeros(self._n, bool)
        first = self._path(source, sink, none, set())
        if first is None or most < 1:
            return []
        found = [(first[0], tuple(first[1]))]
        waiting: dict[tuple[int, ...], float] = {}
        while len(found) < most:
            last = found[-1][1]
            length = 0.0
            for place in range(len(last) - 1):
                root = last[: place + 1]
                closed = none.copy()
                closed[list(root[:-1])] = True
                cut = {path[place + 1] for _, path in found if path[: place + 1] == root}
                spur = self._path(root[-1], sink, closed, cut)
                if spur is not None:
                    whole = (*root[:-1], *spur[1])
                    waiting.setdefault(whole, length + spur[0])
                length += self._weight(last[place], last[place + 1])
            known = {path for _, path in found}
            waiting = {path: size for path, size in waiting.items() if path not in known}
            if not waiting:
                break
            nearest = min(waiting, key=lambda path: waiting[path])
            found.append((waiting.pop(nearest), nearest))
        return found

    def _weight(self, i: int, j: int) -> float:
        """The shortest edge from one node to the next."""
        least = numpy.inf
        for ends, nodes, weights in ((0, 1, 2), (3, 4, 5)):
            begin, end = self._edges[ends][i], self._edges[ends][i + 1]
            there = self._edges[weights][begin:end][self._edges[nodes][begin:end] == j]
            least = min(least, there.min(initial=numpy.inf))
        return float(least)
