"""FITPACK's classes of splines of one variable.

Interpolation and least squares with given knots are native, and so is all evaluation; knots for a
smoothing factor are chosen by SciPy, on the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, HostArray
from heddle.scipy._generic import device_of, there
from heddle.scipy.interpolate._fitpack import (
    least_squares,
    padded,
    scipys,
    spline_at,
    splint,
    sproot,
)
from heddle.scipy.interpolate._fitting import make_interp_spline
from heddle.scipy.interpolate._splines import BSpline, differentiated, integrated
from heddle.scipy.interpolate._support import host, real_points

_MODES = {0: 0, 1: 1, 2: 2, 3: 3, "extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}


def _mode(ext: object) -> int:
    try:
        return _MODES[ext]
    except (KeyError, TypeError) as error:
        raise ValueError(f"Unknown extrapolation mode {ext}.") from error


def _row(given: ndarray) -> ndarray:
    """A row, as FITPACK takes them, of one with further dimensions of extent 1."""
    return given.reshape(-1) if given.ndim > 1 and given.size == max(given.shape) else given


class UnivariateSpline:
    """A smoothing spline of points; `s` says how far it may be from them, 0 for not at all.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import UnivariateSpline
    >>> x = np.linspace(0, 3, 20)
    >>> f = UnivariateSpline(x, x**3, s=0)
    >>> print(round(float(f(1.5)), 10), round(float(f.integral(0, 3)), 10))
    3.375 20.25
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Sequence[float | None] = (None, None),
        k: int = 3,
        s: float | None = None,
        ext: int | str = 0,
        check_finite: bool = False,
    ) -> None:
        given = self.validate_input(x, y, w, bbox, k, s, ext, check_finite)
        places, values, weights, box, self.ext = given
        known = host(places)
        exact = s == 0 and box[0] is None and box[1] is None and len(known) > k
        if exact and (numpy.diff(known) > 0).all():
            self._set_exact(places, values, weights, k)
            return
        if len(known) <= k:
            raise ValueError(f"a spline of degree {k} needs more than {len(known)} points")
        if not (numpy.diff(known) >= 0).all():
            raise ValueError("x must be increasing" + (" if s > 0" if s else ""))
        self._fit(places, values, weights, box, k, s)

    @staticmethod
    def validate_input(
        x: ArrayLike,
        y: ArrayLike,
        w: ArrayLike | None,
        bbox: object,
        k: int,
        s: float | None,
        ext: object,
        check_finite: bool,
    ) -> tuple[Any, ...]:
        """Arguments as arrays, if they fit together."""
        values = as_array(y)
        places = _row(real_points(x, values))
        values = _row(values.astype("f8"))
        weights = None if w is None else _row(real_points(w, values))
        box = [None if each is None else float(each) for each in _pair(bbox)]
        if check_finite:
            given = [places, values] if weights is None else [places, values, weights]
            if not all(bool(np.all(np.isfinite(each))) for each in given):
                raise ValueError("x and y array must not contain NaNs or infs.")
        known = host(places)
        if s is None or s > 0:
            if not numpy.all(numpy.diff(known) >= 0.0):
                raise ValueError("x must be increasing if s > 0")
        elif not numpy.all(numpy.diff(known) > 0.0):
            raise ValueError("x must be strictly increasing if s = 0")
        if places.shape != values.shape:
            raise ValueError("x and y should have a same length")
        if weights is not None and (places.shape != weights.shape):
            raise ValueError("x, y, and w should have a same length")
        if not 1 <= k <= 5:
            raise ValueError("k should be 1 <= k <= 5")
        if s is not None and not s >= 0.0:
            raise ValueError("s should be s >= 0.0")
        return places, values, weights, box, _mode(ext)

    def _set_exact(self, x: ndarray, y: ndarray, w: object, k: int) -> None:
        made = make_interp_spline(x, y, k)
        self._set(made.t, made.c, k)
        self._theirs = None
        self._data = (x, y, w)
        self._residual: Any = 0.0

    def _set(self, t: ndarray, c: ndarray, k: int) -> None:
        self._t, self._c, self._k = t, c[: t.shape[0] - k - 1], k

    def _fit(self, x: ndarray, y: ndarray, w: object, bbox: object, k: int, s: object) -> None:
        self._data = (x, y, w)
        made = scipys("UnivariateSpline")(*map(there, (x, y, w, bbox, k, s)))
        self._take(made, device_of((x, y)))

    def _take(self, made: Any, device: str | None) -> None:
        """What SciPy's object found."""
        t, c, k = made._eval_args
        self._set(np.asarray(t, device=device), np.asarray(c, device=device), k)
        self._theirs, self._residual = made, made.get_residual()

    @classmethod
    def _from_tck(cls, tck: tuple[ndarray, ndarray, int], ext: int = 0) -> UnivariateSpline:
        self = UnivariateSpline.__new__(UnivariateSpline)
        self._set(*tck)
        self.ext, self._theirs, self._residual = ext, None, 0.0
        return self

    @property
    def _eval_args(self) -> tuple[ndarray, ndarray, int]:
        return self._t, padded(self._c, self._t.shape[0]), self._k

    def set_smoothing_factor(self, s: float) -> None:
        """The spline of the same points for another factor."""
        x, y, w = self._data
        made = self._theirs
        if made is None:
            made = scipys("UnivariateSpline")(*map(there, (x, y, w)), k=self._k, s=s)
        else:
            made.set_smoothing_factor(s)
        self._take(made, x.device)

    def __call__(self, x: ArrayLike, nu: int = 0, ext: object = None) -> ndarray:
        """Values, or derivatives of order `nu`, at places `x`."""
        mode = self.ext if ext is None else _mode(ext)
        if not 0 <= nu <= self._k:
            raise ValueError(f"0<=der={nu}<=k={self._k} must hold")
        return spline_at(self._t, self._c, self._k, x, int(nu), mode)

    def get_knots(self) -> ndarray:
        """Knots inside, and both ends."""
        return self._t[self._k : self._t.shape[0] - self._k]

    def get_coeffs(self) -> ndarray:
        """Coefficients."""
        return self._c

    def get_residual(self) -> float:
        """The weighted sum of squares of what is left over."""
        return float(self._residual)

    def integral(self, a: float, b: float) -> float:
        """The integral; outside of the knots the spline is zero."""
        return splint(a, b, (self._t, self._c, self._k))  # type: ignore[no-any-return]

    def derivatives(self, x: ArrayLike) -> ndarray:
        """The spline and all its derivatives at a place."""
        place = real_points(x, self._c).reshape(-1)
        spline = BSpline.construct_fast(self._t, self._c, self._k)
        return np.concatenate([spline._at(place, nu) for nu in range(self._k + 1)])

    def roots(self) -> ndarray:
        """Where a cubic spline is zero."""
        if self._k != 3:
            raise NotImplementedError("finding roots unsupported for non-cubic splines")
        t, c, k = self._eval_args
        return cast("ndarray", sproot((t, c, k), mest=3 * (t.shape[0] - 7)))

    def derivative(self, n: int = 1) -> UnivariateSpline:
        """The derivative of order `n`."""
        t, c, k = self._eval_args
        ext = 1 if self.ext == 3 else self.ext
        return UnivariateSpline._from_tck(differentiated(t, c, k, n), ext)

    def antiderivative(self, n: int = 1) -> UnivariateSpline:
        """The integral of order `n`."""
        t, c, k = self._eval_args
        return UnivariateSpline._from_tck(integrated(t, c, k, n), self.ext)


def _pair(bbox: Any) -> Any:
    found = tuple(host(bbox)) if numpy.ndim(bbox) == 1 else ()
    if len(found) != 2:
        raise ValueError("bbox shape should be (2,)")
    return found


class InterpolatedUnivariateSpline(UnivariateSpline):
    """The spline through points.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import InterpolatedUnivariateSpline
    >>> x = np.arange(6.0)
    >>> print(round(float(InterpolatedUnivariateSpline(x, x**2)(2.5)), 10))
    6.25
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Sequence[float | None] = (None, None),
        k: int = 3,
        ext: int | str = 0,
        check_finite: bool = False,
    ) -> None:
        given = self.validate_input(x, y, w, bbox, k, None, ext, check_finite)
        places, values, weights, box, self.ext = given
        if not (numpy.diff(host(places)) > 0.0).all():
            raise ValueError("x must be strictly increasing")
        if box[0] is None and box[1] is None and places.shape[0] > k:
            self._set_exact(places, values, weights, k)
        else:
            self._fit(places, values, weights, box, k, 0)


class LSQUnivariateSpline(UnivariateSpline):
    """The spline of given inner knots that is nearest to points.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import LSQUnivariateSpline
    >>> x = np.linspace(0, 1, 30)
    >>> f = LSQUnivariateSpline(x, x**2, [0.5])
    >>> print(round(float(f(0.3)), 10), f.get_residual() < 1e-20)
    0.09 True
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        t: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Sequence[float | None] = (None, None),
        k: int = 3,
        ext: int | str = 0,
        check_finite: bool = False,
    ) -> None:
        given = self.validate_input(x, y, w, bbox, k, None, ext, check_finite)
        places, values, weights, box, self.ext = given
        known = host(places)
        if not numpy.all(numpy.diff(known) >= 0.0):
            raise ValueError("x must be increasing")
        if box != [None, None]:
            self._data = (places, values, weights)
            made = scipys("LSQUnivariateSpline")(*map(there, (places, values, t, weights, box, k)))
            self._take(made, places.device)
            return
        inner = host(real_points(t, values))
        knots = numpy.concatenate([[known[0]] * (k + 1), inner, [known[-1]] * (k + 1)])
        n = len(knots)
        if not numpy.all(knots[k + 1 : n - k] - knots[k : n - k - 1] > 0):
            raise ValueError("Interior knots t must satisfy Schoenberg-Whitney conditions")
        if not _can_fit(known, knots, k):
            raise ValueError("Interior knots t must satisfy Schoenberg-Whitney conditions")
        found, c = least_squares(places, values, t, k, weights)
        self._set(found, c, k)
        self._theirs, self._data = None, (places, values, weights)
        gap = (values - self(places)) * (1.0 if weights is None else weights)
        self._residual = np.sum(gap * gap)


def _can_fit(x: HostArray, t: HostArray, k: int) -> bool:
    """Schoenberg and Whitney: each spline has a point of its own."""
    count = len(t) - k - 1
    if len(x) < count:
        return False
    at = 0
    for j in range(count):
        while at < len(x) and not (t[j] < x[at] or (j == 0 and x[at] >= t[0])):
            at += 1
        if at >= len(x):
            return False
        last = j == count - 1
        if not (x[at] < t[j + k + 1] or (last and x[at] <= t[-1])):
            return False
        at += 1
    return True
