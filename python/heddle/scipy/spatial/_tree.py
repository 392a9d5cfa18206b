"""Building k-d trees: by sorting, so that every device does it.

A tree is complete. All pieces of a level have as many points, and are sorted at once, each along
its widest dimension, and cut into up to eight. Places that are left over are at infinity.
"""

from __future__ import annotations

import math

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike

_CUTS = 3  # levels that one sorting makes


class Tree:
    """Points in the order of the leaves, and boxes around them, the root first.

    Children of node i are 2 i + 1 and 2 i + 2; nodes from `inner` on are leaves of `width` points.
    """

    def __init__(self, data: ndarray, leafsize: int, size: ndarray | None = None) -> None:
        self.n, self.m = data.shape
        self.size = size
        self.data = data
        levels = 0
        if self.n > leafsize:
            levels = math.ceil(math.log2(self.n / leafsize))
        leaves = 1 << levels
        self.width = max(1, -(-self.n // leaves))
        self.inner = leaves - 1
        order = self._sorted(data, levels)
        self.index = order.reshape(-1)
        there = self.index < self.n
        safe = np.where(there, self.index, 0)
        if self.n:
            self.points = np.ascontiguousarray(np.take(data, safe, axis=0))
        else:
            self.points = np.zeros((self.width * leaves, self.m), "f8", device=data.device)
        self._boxes(there, levels)

    def _sorted(self, data: ndarray, levels: int) -> ndarray:
        """Indices of points, piece by piece; n where there is none."""
        total = self.width << levels
        device = data.device
        order = np.minimum(np.arange(total, device=device), self.n)
        if levels == 0 or self.m == 0:
            return order
        done = 0
        while done < levels:
            cuts = min(_CUTS, levels - done)
            pieces = 1 << done
            own = order.reshape(pieces, -1)
            there = own < self.n
            safe = np.where(there, own, 0)
            values = np.take(data, safe.reshape(-1), axis=0).reshape(*own.shape, self.m)
            inside = there[:, :, None]
            high = np.max(np.where(inside, values, -math.inf), axis=1)
            low = np.min(np.where(inside, values, math.inf), axis=1)
            widest = np.argmax(high - low, axis=1)
            flat = safe * self.m + widest[:, None]
            key = np.where(there, np.take(data.reshape(-1), flat), math.inf)
            order = np.take_along_axis(own, np.argsort(key, axis=1), axis=1)
            done += cuts
        return order.reshape(-1)

    def _boxes(self, there: ndarray, levels: int) -> None:
        leaves = 1 << levels
        values = self.points.reshape(leaves, self.width, self.m)
        inside = there.reshape(leaves, self.width, 1)
        low = np.min(np.where(inside, values, math.inf), axis=1)
        high = np.max(np.where(inside, values, -math.inf), axis=1)
        counts = np.sum(inside[:, :, 0], axis=1)
        lows, highs, sums = [low], [high], [counts]
        for _ in range(levels):
            low = np.minimum(low[0::2], low[1::2])
            high = np.maximum(high[0::2], high[1::2])
            counts = counts[0::2] + counts[1::2]
            lows.insert(0, low)
            highs.insert(0, high)
            sums.insert(0, counts)
        self.low, self.high = np.concatenate(lows), np.concatenate(highs)
        self.counts = np.concatenate(sums)

    def arrays(self) -> tuple[ndarray, ...]:
        return self.points, self.index, self.low, self.high

    def sizes(self) -> ndarray:
        """Lengths of periods, for each dimension; 0 where it has none."""
        if self.size is None:
            return np.zeros((1,), "f8", device=self.data.device)
        return self.size


def as_points(data: ArrayLike) -> ndarray:
    """Data for a tree: finite, real, rows of coordinates."""
    given = data if isinstance(data, own_array) else np.asarray(data)
    if given.dtype.kind == "c":
        raise TypeError("KDTree does not work with complex data")
    given = given.astype("f8")
    if given.ndim != 2:
        raise ValueError("data must be of shape (n, m), where there are n points of dimension m")
    if not bool(np.all(np.isfinite(given))):
        raise ValueError("data must be finite, check for nan or inf values")
    return given


def box_size(boxsize: object, data: ndarray) -> ndarray | None:
    """Periods as an array; data have to be within them."""
    if boxsize is None:
        return None
    given = boxsize if not isinstance(boxsize, own_array) else np.asnumpy(boxsize)
    size = numpy.broadcast_to(numpy.asarray(given, float), (data.shape[1],)).copy()
    size[~numpy.isfinite(size)] = 0
    there = np.asarray(size, device=data.device)
    if bool(np.any((data >= there) & (there > 0))):
        raise ValueError("Some input data are greater than the size of the periodic box.")
    if bool(np.any((data < 0) & (there > 0))):
        raise ValueError("Negative input data are outside of the periodic box.")
    return there
