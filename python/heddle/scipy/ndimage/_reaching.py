"""What can be reached from true elements by steps of a structure: dilations until nothing changes.

Where elements that see each other do so mutually, that is a question of connected regions, which
many threads join at once, instead of one step after the other.
"""

from __future__ import annotations

import numpy

from heddle import simt
from heddle._core import ndarray
from heddle._creation.fills import empty
from heddle._creation.ranges import arange
from heddle._dtypes import int64
from heddle._typing import HostArray, KernelArray
from heddle.scipy._unions import first_of, join
from heddle.scipy.ndimage._labels import stays_within
from heddle.scipy.ndimage._windows import small_array, strides_of


@simt.kernel
def _join(
    seeds: KernelArray,
    inside: KernelArray,
    masked: bool,
    border: bool,
    parents: float,
    shape: float,
    steps: KernelArray,
    distances: KernelArray,
) -> None:
    """Set 0 is what is true; element p is number p + 1. The first half of the steps leads to
    elements before; the second one is looked at for what lies beyond the edges."""
    p = simt.grid(1)
    if p < seeds.size:
        seed = seeds[p]
        if seed:
            join(parents, int64(p + 1), int64(0))
        elif not masked or inside[p]:
            beyond = False
            for k in range(steps.shape[0]):
                if not stays_within(p, k, shape, steps):
                    beyond = True
                else:
                    q = p + distances[k]
                    if seeds[q]:
                        join(parents, int64(p + 1), int64(0))
                    elif 2 * k < steps.shape[0] and (not masked or inside[q]):
                        join(parents, int64(p + 1), int64(q + 1))
            if border and beyond:
                join(parents, int64(p + 1), int64(0))


@simt.kernel
def _is_reached(parents: float, out: KernelArray) -> None:
    p = simt.grid(1)
    if p < out.size:
        out[p] = first_of(parents, int64(p + 1)) == 0


def reached_from(
    seeds: ndarray, mask: ndarray | None, structure: HostArray, border: bool
) -> ndarray:
    """True elements, and those of a mask that a way through the mask leads to.

    `structure` has its centre, and with a place the one opposite; `border`: whether ways begin
    beyond the edges.
    """
    places = numpy.argwhere(structure) - numpy.array(structure.shape) // 2
    steps = places[places.any(axis=1)]  # in order: opposite ones are at opposite ends
    if not len(steps) or not seeds.size:
        return seeds
    flat = seeds.reshape(-1)
    parents = arange(flat.size + 1, device=seeds.device)
    _join.forall(flat.size)(
        flat,
        flat if mask is None else mask.reshape(-1),
        mask is not None,
        border,
        parents,
        small_array(seeds.shape, "int64", seeds),
        small_array(steps, "int64", seeds).reshape(-1, seeds.ndim),
        small_array(steps @ numpy.array(strides_of(seeds.shape)), "int64", seeds),
    )
    out = empty(flat.size, dtype=bool, device=seeds.device)
    _is_reached.forall(flat.size)(parents, out)
    return out.reshape(seeds.shape)
