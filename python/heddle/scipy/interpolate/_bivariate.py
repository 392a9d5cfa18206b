"""FITPACK's splines of two variables.

Interpolation on a grid is native, and so is all evaluation; smoothing splines and those of
scattered points are found by SciPy, on the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike
from heddle.scipy._generic import device_of, there
from heddle.scipy.interpolate._fitpack import scipys
from heddle.scipy.interpolate._ndsplines import interpolating, tensor_values
from heddle.scipy.interpolate._splines import basis, integrated, spline_pieces
from heddle.scipy.interpolate._support import host, real_points


def _on_grid(
    tx: ndarray,
    ty: ndarray,
    c: ndarray,
    k: tuple[int, ...],
    x: ndarray,
    y: ndarray,
    nu: tuple[int, ...],
) -> ndarray:
    """Values on a grid: a product of matrices of splines."""
    made = c
    for t, degree, q, order, axis in ((tx, k[0], x, nu[0], 0), (ty, k[1], y, nu[1], 1)):
        pieces = spline_pieces(t, degree, q)
        moved = np.moveaxis(made, axis, 0)
        total: Any = 0
        weights = basis(t, degree, q, pieces, order) if order <= degree else []
        for a, weight in enumerate(weights):
            total = total + np.take(moved, pieces + (a - degree), axis=0) * weight[:, None]
        if not weights:
            total = np.zeros((q.shape[0], moved.shape[1]), c.dtype, device=c.device)
        made = np.moveaxis(total, 0, axis)
    return made


class BivariateSpline:
    """A spline of two variables: knots and coefficients, evaluated on a grid or at points.

    Outside of its rectangle it is what it is at the edge. The classes below make such splines.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import BivariateSpline, RectBivariateSpline
    >>> x = np.arange(5.0)
    >>> isinstance(RectBivariateSpline(x, x, x[:, None] * x), BivariateSpline)
    True
    """

    tck: tuple[ndarray, ndarray, ndarray]
    degrees: tuple[int, int]
    fp: float = 0.0

    @classmethod
    def _from_tck(cls, tck: Any) -> BivariateSpline:
        self = BivariateSpline.__new__(BivariateSpline)
        tx, ty, c, kx, ky = tck
        self._set(real_points(tx), real_points(ty), as_array(c).astype("f8"), kx, ky)
        return self

    def _set(self, tx: ndarray, ty: ndarray, c: ndarray, kx: int, ky: int) -> None:
        self.tck, self.degrees = (tx, ty, c.reshape(-1)), (int(kx), int(ky))

    def _take(self, made: Any, device: str | None) -> None:
        """What SciPy's object found."""
        tx, ty, c = (np.asarray(each, device=device) for each in made.tck[:3])
        self._set(tx, ty, c, *made.degrees)
        self.fp = float(made.get_residual())

    def get_residual(self) -> float:
        """The weighted sum of squares of what is left over."""
        return self.fp

    def get_knots(self) -> tuple[ndarray, ndarray]:
        """Knots of both variables."""
        return self.tck[:2]

    def get_coeffs(self) -> ndarray:
        """Coefficients, as one row."""
        return self.tck[2]

    def _table(self) -> ndarray:
        tx, ty, c = self.tck
        kx, ky = self.degrees
        return c.reshape(tx.shape[0] - kx - 1, ty.shape[0] - ky - 1)

    def _inside(self, q: ArrayLike, which: int) -> ndarray:
        t, k = self.tck[which], self.degrees[which]
        return np.clip(real_points(q, self.tck[2]), t[k], t[t.shape[0] - k - 1])

    def __call__(
        self, x: ArrayLike, y: ArrayLike, dx: int = 0, dy: int = 0, grid: bool = True
    ) -> ndarray:
        """Values, or derivatives, on the grid of `x` and `y`, or at pairs of them."""
        first, second = self._inside(x, 0), self._inside(y, 1)
        if dx < 0 or dy < 0:
            raise ValueError("order of derivative must be positive or zero")
        tx, ty, _ = self.tck
        if grid:
            known = [host(each).reshape(-1) for each in (as_array(x), as_array(y))]
            if not all((numpy.diff(each) >= 0).all() for each in known):
                name = "x" if not (numpy.diff(known[0]) >= 0).all() else "y"
                raise ValueError(f"{name} must be sorted to evaluate on a grid.")
            rows, columns = first.reshape(-1), second.reshape(-1)
            return _on_grid(tx, ty, self._table(), self.degrees, rows, columns, (dx, dy))
        shape = numpy.broadcast_shapes(first.shape, second.shape)
        flat = [np.broadcast_to(each, shape).reshape(-1) for each in (first, second)]
        if not flat[0].shape[0]:
            return np.zeros(shape, "f8", device=tx.device)
        made = tensor_values((tx, ty), self._table(), self.degrees, flat, (dx, dy))
        return made.reshape(shape)

    def ev(self, xi: ArrayLike, yi: ArrayLike, dx: int = 0, dy: int = 0) -> ndarray:
        """Values, or derivatives, at points."""
        return self(xi, yi, dx=dx, dy=dy, grid=False)

    def integral(self, xa: float, xb: float, ya: float, yb: float) -> ndarray:
        """The integral over a rectangle; outside of its own the spline is zero."""
        tx, ty, _ = self.tck
        made = self._table()
        for t, k, a, b in ((tx, self.degrees[0], xa, xb), (ty, self.degrees[1], ya, yb)):
            zeros = np.zeros((k + 1, made.shape[1]), made.dtype, device=made.device)
            longer, c, degree = integrated(t, np.concatenate([made, zeros]), k, 1)
            ends = np.clip(real_points([a, b], t), t[k], t[t.shape[0] - k - 1])
            pieces = spline_pieces(longer, degree, ends)
            total: Any = 0
            for i, weight in enumerate(basis(longer, degree, ends, pieces)):
                total = total + np.take(c, pieces + (i - degree), axis=0) * weight[:, None]
            made = (total[1:] - total[:1]).T
        return made[0, 0]

    def partial_derivative(self, dx: int, dy: int) -> BivariateSpline:
        """The derivative as a spline."""
        kx, ky = self.degrees
        if dx < 0 or dy < 0:
            raise ValueError("order of derivative must be positive or zero")
        if dx >= kx or dy >= ky:
            raise ValueError("order of derivative must be less than degree of spline")
        from heddle.scipy.interpolate._ndsplines import NdBSpline

        made = NdBSpline(self.tck[:2], self._table(), (kx, ky)).derivative((dx, dy))
        new = _Derivative.__new__(_Derivative)
        (tx, ty), (kx, ky) = made.t, made.k
        new._set(tx, ty, made.c, kx, ky)
        return new


class _Derivative(BivariateSpline):
    """What `partial_derivative` gives: it was fitted to nothing."""

    @property
    def fp(self) -> float:  # type: ignore[override]
        raise AttributeError("attribute 'fp' is not defined for a derivative of a spline")

    def get_residual(self) -> float:
        raise AttributeError("method 'get_residual' is not defined for a derivative of a spline")


class RectBivariateSpline(BivariateSpline):
    """The spline of values on a grid: through them if `s` is zero.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import RectBivariateSpline
    >>> x = np.arange(5.0)
    >>> f = RectBivariateSpline(x, x, x[:, None] * x)
    >>> print(round(float(f.ev(1.5, 2.5)), 10))
    3.75
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        z: ArrayLike,
        bbox: Sequence[float | None] = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: float = 0,
        maxit: int = 20,
    ) -> None:
        values = as_array(z).astype("f8")
        first, second = real_points(x, values).reshape(-1), real_points(y, values).reshape(-1)
        known = [host(first), host(second)]
        if not (numpy.diff(known[0]) > 0).all():
            raise ValueError("x must be strictly increasing")
        if not (numpy.diff(known[1]) > 0).all():
            raise ValueError("y must be strictly increasing")
        if len(known[0]) != values.shape[0]:
            raise ValueError("x dimension of z must have same number of elements as x")
        if values.ndim != 2 or len(known[1]) != values.shape[1]:
            raise ValueError("y dimension of z must have same number of elements as y")
        if not bool(np.all(np.isfinite(values))):
            raise ValueError("z must not contain NaNs or infs")
        if not s >= 0.0:
            raise ValueError("s should be s >= 0.0")
        box = list(host(bbox)) if isinstance(bbox, (own_array, numpy.ndarray)) else list(bbox)
        if len(box) != 4:
            raise ValueError("bbox shape should be (4,)")
        plain = all(each is None for each in box) and len(known[0]) > kx and len(known[1]) > ky
        if s == 0 and plain and 1 <= kx <= 5 and 1 <= ky <= 5:
            made = interpolating((first, second), values, (kx, ky))
            tx, ty = made.t
            self._set(tx, ty, made.c, kx, ky)
            return
        found = scipys("RectBivariateSpline")(*known, host(values), box, kx, ky, s, maxit)
        self._take(found, values.device)


class SmoothBivariateSpline(BivariateSpline):
    """The smoothing spline of scattered points: found by SciPy, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import SmoothBivariateSpline
    >>> x, y = np.meshgrid(np.arange(6.0), np.arange(6.0))
    >>> f = SmoothBivariateSpline(x.ravel(), y.ravel(), (x + y).ravel())
    >>> print(round(float(f.ev(1.5, 2.5)), 6))
    4.0
    """

    def __init__(
        self,
        x: ArrayLike | None,
        y: ArrayLike | None,
        z: ArrayLike | None,
        w: ArrayLike | None = None,
        bbox: Sequence[float | None] = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: float | None = None,
        eps: float = 1e-16,
    ) -> None:
        given = [there(each) for each in (x, y, z, w, list(bbox), kx, ky, s, eps)]
        self._take(scipys("SmoothBivariateSpline")(*given), device_of((x, y, z)))


class LSQBivariateSpline(BivariateSpline):
    """The spline of given knots that is nearest to scattered points: by SciPy, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import LSQBivariateSpline
    >>> x, y = np.meshgrid(np.arange(6.0), np.arange(6.0))
    >>> f = LSQBivariateSpline(x.ravel(), y.ravel(), (x * y).ravel(), [2.5], [2.5])
    >>> print(round(float(f.ev(1.5, 2.0)), 6))
    3.0
    """

    def __init__(
        self,
        x: ArrayLike | None,
        y: ArrayLike | None,
        z: ArrayLike | None,
        tx: ArrayLike,
        ty: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Sequence[float | None] = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        eps: float | None = None,
    ) -> None:
        given = [there(each) for each in (x, y, z, tx, ty, w, list(bbox), kx, ky, eps)]
        self._take(scipys("LSQBivariateSpline")(*given), device_of((x, y, z)))


def bisplrep(
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    yb: float | None = None,
    ye: float | None = None,
    kx: int = 3,
    ky: int = 3,
    task: int = 0,
    s: float | None = None,
    eps: float = 1e-16,
    tx: ArrayLike | None = None,
    ty: ArrayLike | None = None,
    full_output: int = 0,
    nxest: int | None = None,
    nyest: int | None = None,
    quiet: int = 1,
) -> list[Any] | tuple[Any, ...]:
    """[tx, ty, c, kx, ky] of the spline of a surface: found by SciPy, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import bisplev, bisplrep
    >>> x, y = np.meshgrid(np.arange(6.0), np.arange(6.0))
    >>> surface = bisplrep(x, y, x + y, s=0.1)
    >>> print(round(float(bisplev(1.5, 2.5, surface)), 6))
    4.0
    """
    from heddle.scipy._generic import on_host

    given = (x, y, z, w, xb, xe, yb, ye, kx, ky, task, s, eps, tx, ty, full_output, nxest, nyest)
    found: list[Any] | tuple[Any, ...] = on_host(scipys("bisplrep"))(*given, quiet)
    return found


def bisplev(x: ArrayLike, y: ArrayLike, tck: Sequence[Any], dx: int = 0, dy: int = 0) -> ndarray:
    """Values, or derivatives, of a spline of a surface on the grid of `x` and `y`.

    Examples
    --------
    >>> from heddle.scipy.interpolate import bisplev
    >>> t = [0.0, 0.0, 1.0, 1.0]
    >>> bisplev([0.0, 0.5], [0.5, 1.0], [t, t, [0.0, 1.0, 1.0, 2.0], 1, 1])
    array([[0.5, 1. ],
           [1. , 1.5]])
    """
    tx, ty, c, kx, ky = tck
    if not 0 <= dx < kx:
        raise ValueError(f"0 <= dx = {dx} < kx = {kx} must hold")
    if not 0 <= dy < ky:
        raise ValueError(f"0 <= dy = {dy} < ky = {ky} must hold")
    places = [real_points(each) for each in (x, y)]
    if any(each.ndim > 1 for each in places):
        raise ValueError("First two entries should be rank-1 arrays.")
    made = BivariateSpline._from_tck((tx, ty, c, kx, ky))(places[0], places[1], dx, dy)
    if made.shape[0] > 1 and made.shape[1] > 1:
        return made
    if made.shape[0] > 1:
        return made[:, 0]
    return made[0] if made.shape[1] > 1 else made[0, 0]
