"""Smooth surfaces over scattered points of the plane: Clough and Tocher's cubic elements.

Each triangle is cut into three at its centre. The cubic polynomials of the parts are given by the
values of control points, which follow from values and gradients at corners, and from how the
triangle lies to its neighbours. Qhull makes the triangles, and SciPy estimates gradients, on the
host; control points are computed, and places are found and evaluated, on the device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import heddle as np
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy.interpolate._scattered import Scattered
from heddle.scipy.interpolate._support import inexact


def _scipys() -> Any:
    try:
        from scipy.interpolate import CloughTocher2DInterpolator as found
    except ImportError as error:
        name = "CloughTocher2DInterpolator"
        raise ImportError(f"{name} needs SciPy (pip install heddle[scipy])") from error
    return found


class CloughTocher2DInterpolator(Scattered):
    """Piecewise cubic over triangles of points in the plane, with continuous slopes.

    Evaluation is deferred, and has derivatives with respect to places.

    Parameters
    ----------
    points : array or Delaunay
        Coordinates of points, a row each.
    values : array
        Values at them, real or complex, of any number of axes.
    fill_value : number
        What is given outside of the points' hull.
    tol, maxiter
        How exactly, and in how many steps at most, gradients are estimated.
    rescale : bool
        Whether coordinates are scaled to the unit square first.

    Examples
    --------
    >>> from heddle.scipy.interpolate import CloughTocher2DInterpolator
    >>> points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> f = CloughTocher2DInterpolator(points, [0.0, 1.0, 2.0, 3.0])
    >>> f([[0.25, 0.5], [2.0, 2.0]]).round(6)
    array([1.25,  nan])
    """

    def __init__(
        self,
        points: ArrayLike,
        values: ArrayLike,
        fill_value: float = math.nan,
        tol: float = 1e-6,
        maxiter: int = 400,
        rescale: bool = False,
    ) -> None:
        self._set(points, values, rescale, wanted=2)
        self.fill_value = fill_value
        self._triangulate()
        flat = inexact(self.values).reshape(self.values.shape[0], -1)
        estimated = _scipys()(self.tri._theirs, np.asnumpy(flat), tol=tol, maxiter=maxiter)
        self.grad = np.asarray(estimated.grad, device=flat.device)
        self._controls = self._control_values(flat)

    def _control_values(self, values: ndarray) -> list[tuple[tuple[int, ...], float, ndarray]]:
        """Powers of four coordinates (those of the corners, and of the centre), how often their
        product occurs, and the values (triangles, columns) of the control points that go with it.
        """
        corners = [self._corners[:, i] for i in range(3)]
        value = [np.take(values, each, axis=0) for each in corners]
        slope = [np.take(self.grad, each, axis=0) for each in corners]
        place = [np.take(self.points, each, axis=0) for each in corners]

        def toward(i: int, j: int) -> ndarray:
            """On an edge, a third of the way."""
            step = (place[j] - place[i])[:, None, :]
            return value[i] + np.sum(slope[i] * step, axis=2) / 3

        after, before = (1, 2, 0), (2, 0, 1)
        inner = [(value[i] + toward(i, after[i]) + toward(i, before[i])) / 3 for i in range(3)]
        across = [self._across(k, values, toward, value, inner) for k in range(3)]
        near = [(across[after[i]] + across[before[i]] + inner[i]) / 3 for i in range(3)]
        made: list[tuple[tuple[int, ...], float, ndarray]] = []
        for i, j in zip(range(3), after, strict=True):
            made += [
                (_powers({i: 3}), 1, value[i]),
                (_powers({i: 2, j: 1}), 3, toward(i, j)),
                (_powers({j: 2, i: 1}), 3, toward(j, i)),
                (_powers({i: 2, 3: 1}), 3, inner[i]),
                (_powers({i: 1, j: 1, 3: 1}), 6, across[before[i]]),
                (_powers({i: 1, 3: 2}), 3, near[i]),
            ]
        return [*made, (_powers({3: 3}), 1, (near[0] + near[1] + near[2]) / 3)]

    def _across(
        self,
        k: int,
        values: ndarray,
        toward: Callable[..., Any],
        value: list[ndarray],
        inner: list[ndarray],
    ) -> ndarray:
        """The control point beside the edge that is opposite to corner k.

        It makes the slope across the edge linear, in the direction between the centres of both
        triangles; at the hull, in that of the triangle's own centre.
        """
        i, j = (k + 1) % 3, (k + 2) % 3
        neighbour = self._neighbours[:, k]
        alone = neighbour < 0
        other = np.take(self._corners, np.where(alone, 0, neighbour), axis=0)
        centre = np.mean(np.take(self.points, other, axis=0), axis=1)
        shares = self._shares(np.arange(neighbour.shape[0], device=values.device), centre)
        first, second = shares[i], shares[j]
        bottom = np.where(alone, 1.0, 2 - 3 * (first + second))
        turn = np.where(alone, -0.5, (first + 2 * second - 1) / bottom)[:, None]
        there, back = toward(i, j), toward(j, i)
        bend = value[j] - 3 * back + 3 * there - value[i]
        level = inner[i] + inner[j] + 2 * there - back - value[i]
        made: ndarray = (turn * bend + level) / 2
        return made

    def __call__(self, *args: object) -> ndarray:
        """Values at places, an array of coordinates or arrays of each."""
        rows, shape = self._places(args)
        inside, at = self._located(rows)
        safe = np.where(inside[:, None], rows, np.take(self._matrices, at, axis=0)[:, 2])
        shares = self._shares(at, safe)
        # In the part where it is: what all three shares have in common is that of the centre.
        common = np.minimum(np.minimum(shares[0], shares[1]), shares[2])
        terms = [*(each - common for each in shares), 3 * common]
        made: Any = 0
        for powers, often, table in self._controls:
            weight: Any = often
            for term, power in zip(terms, powers, strict=True):
                for _ in range(power):
                    weight = weight * term
            made = made + weight[:, None] * np.take(table, at, axis=0)
        made = np.where(inside[:, None], made, self.fill_value)
        return made.reshape(shape + self.values_shape)  # type: ignore[no-any-return]


def _powers(given: dict[int, int]) -> tuple[int, ...]:
    return tuple(given.get(i, 0) for i in range(4))
