"""Which simplex of a triangulation a place is in: a walk from the nearest vertex."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import heddle as np
from heddle import simt
from heddle._core import ndarray
from heddle._typing import KernelArray

if TYPE_CHECKING:
    from heddle._compiled.functions import Function
    from heddle.simt._kernel import Kernel

_STEPS = 10000


@functools.cache
def _walks(m: int) -> tuple[Function, Kernel]:
    @np.njit
    def walk(
        i: int,
        x: KernelArray,
        transform: KernelArray,
        neighbors: KernelArray,
        eps: float,
        simplex: KernelArray,
        shares: KernelArray,
    ) -> None:
        # `simplex` holds where to begin; -1 is outside, -2 not found this way.
        at = simplex[i]
        steps = 0
        while steps < _STEPS:
            steps += 1
            lowest = 0.0
            away = -1
            rest = 1.0
            broken = False
            for a in range(m):
                share = 0.0
                for d in range(m):
                    share += transform[at, a, d] * (x[i, d] - transform[at, m, d])
                if share != share:
                    broken = True
                shares[i, a] = share
                rest -= share
                if share < lowest:
                    lowest = share
                    away = a
            shares[i, m] = rest
            if rest < lowest:
                lowest = rest
                away = m
            if broken:
                at = -2
                break
            if lowest >= -eps:
                break
            at = neighbors[at, away]
            if at < 0:
                break
        if steps >= _STEPS:
            at = -2
        simplex[i] = at

    @np.njit
    def rows(
        x: KernelArray,
        transform: KernelArray,
        neighbors: KernelArray,
        eps: float,
        simplex: KernelArray,
        shares: KernelArray,
    ) -> None:
        for i in np.prange(x.shape[0]):
            walk(i, x, transform, neighbors, eps, simplex, shares)

    @simt.kernel
    def threads(
        x: KernelArray,
        transform: KernelArray,
        neighbors: KernelArray,
        eps: float,
        simplex: KernelArray,
        shares: KernelArray,
    ) -> None:
        i = simt.grid(1)
        if i < x.shape[0]:
            walk(i, x, transform, neighbors, eps, simplex, shares)

    return rows, threads


def located(
    x: ndarray, start: ndarray, transform: ndarray, neighbors: ndarray, eps: float
) -> ndarray:
    """The simplex of each place: -1 outside, -2 where the walk met a flat simplex."""
    n, m = x.shape
    simplex = np.array(start, "i8")
    shares = np.empty((n, m + 1), "f8", device=x.device)
    if n:
        rows, threads = _walks(m)
        given = (np.ascontiguousarray(x), transform, neighbors, float(eps), simplex, shares)
        if x.device == "cpu":
            rows(*given)
        else:
            threads.forall(n)(*given)
    return simplex
