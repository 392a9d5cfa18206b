"""Interpolation of scattered data by radial functions."""

from __future__ import annotations

import math
import warnings
from itertools import combinations_with_replacement
from typing import Any

import numpy
from numpy.linalg import LinAlgError

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.interpolate._support import to_device_of

_KERNELS: dict[str, Any] = {
    "linear": lambda s: -np.sqrt(s),
    "thin_plate_spline": lambda s: np.where(
        s == 0, 0.0, 0.5 * s * np.log(np.where(s == 0, 1.0, s))
    ),
    "cubic": lambda s: s * np.sqrt(s),
    "quintic": lambda s: -(s * s) * np.sqrt(s),
    "multiquadric": lambda s: -np.sqrt(s + 1),
    "inverse_multiquadric": lambda s: 1 / np.sqrt(s + 1),
    "inverse_quadratic": lambda s: 1 / (s + 1),
    "gaussian": lambda s: np.exp(-s),
}  # of squares of distances
_SCALE_FREE = {"linear", "thin_plate_spline", "cubic", "quintic"}
_LEAST = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
_ELEMENTS = 1 << 22  # of matrices that are made at once


def _powers(dims: int, degree: int) -> HostArray:
    """Exponents of all monomials up to a degree."""
    rows = []
    for total in range(degree + 1):
        for mono in combinations_with_replacement(range(dims), total):
            rows.append([mono.count(d) for d in range(dims)])
    return numpy.array(rows, int).reshape(-1, dims)


def _squares(x: ndarray, y: ndarray) -> ndarray:
    """Squares of distances, (..., x, y), of places (..., x, dims) and (..., y, dims)."""
    total: Any = 0
    for d in range(x.shape[-1]):
        gap = x[..., :, None, d] - y[..., None, :, d]
        total = total + gap * gap
    return total  # type: ignore[no-any-return]


class RBFInterpolator:
    """A sum of radial functions around points, and a polynomial.

    `kernel`: 'linear', 'thin_plate_spline', 'cubic', 'quintic', 'multiquadric',
    'inverse_multiquadric', 'inverse_quadratic' or 'gaussian'. With `neighbors` each place has a
    system of its own, of the nearest points.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import RBFInterpolator
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> f = RBFInterpolator(points, points.sum(axis=1))
    >>> np.round(f([[0.5, 0.25]]), 12)
    array([0.75])
    """

    def __init__(
        self,
        y: ArrayLike,
        d: ArrayLike,
        neighbors: int | None = None,
        smoothing: ArrayLike = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: float | None = None,
        degree: int | None = None,
    ) -> None:
        values = as_array(d)
        given = as_array(y) if isinstance(y, own_array) else to_device_of(y, values)
        self.y = given.astype("f8")
        if self.y.ndim != 2:
            raise ValueError("`y` must be a 2-dimensional array.")
        n, dims = self.y.shape
        self.d_dtype = numpy.dtype("c16" if values.dtype.kind == "c" else "f8")
        self.d = values.astype(self.d_dtype)
        if self.d.ndim == 0 or self.d.shape[0] != n:
            raise ValueError(f"Expected the first axis of `d` to have length {n}.")
        self.d_shape = self.d.shape[1:]
        columns = self.d.reshape(n, math.prod(self.d_shape))
        if self.d_dtype.kind == "c":
            columns = np.concatenate([columns.real, columns.imag], axis=1)
        self._columns = columns
        self.smoothing = self._smoothing(smoothing, n)
        self.kernel = kernel.lower()
        if self.kernel not in _KERNELS:
            raise ValueError(f"`kernel` must be one of {set(_KERNELS)}.")
        if epsilon is None:
            if self.kernel not in _SCALE_FREE:
                raise ValueError(
                    f"`epsilon` must be specified if `kernel` is not one of {_SCALE_FREE}."
                )
            epsilon = 1.0
        self.epsilon = float(epsilon)
        least = _LEAST.get(self.kernel, -1)
        if degree is None:
            degree = max(least, 0)
        else:
            degree = int(degree)
            if degree < -1:
                raise ValueError("`degree` must be at least -1.")
            if -1 < degree < least:
                warnings.warn(
                    f"`degree` should not be below {least} except -1 when `kernel` is "
                    f"'{self.kernel}'.The interpolant may not be uniquely solvable, and the "
                    "smoothing parameter may have an unintuitive effect.",
                    UserWarning,
                    stacklevel=2,
                )
        if neighbors is None:
            most = n
        else:
            neighbors = int(min(neighbors, n))
            most = neighbors
        self.neighbors = neighbors
        self._exponents = _powers(dims, degree)
        self.powers = np.asarray(self._exponents, device=self.y.device)
        if len(self._exponents) > most:
            raise ValueError(
                f"At least {len(self._exponents)} data points are required when `degree` is "
                f"{degree} and the number of dimensions is {dims}."
            )
        if neighbors is None:
            self._shift, self._scale = _normal(self.y)
            left = self._matrix(self.y, self.smoothing, self._shift, self._scale)
            zeros = np.zeros((len(self._exponents), columns.shape[1]), device=self.y.device)
            self._coeffs = self._solved(left, np.concatenate([columns, zeros]))
        else:
            from heddle.scipy.spatial import KDTree

            self._tree = KDTree(np.stop_gradient(self.y))

    def _smoothing(self, smoothing: ArrayLike, n: int) -> ndarray:
        if isinstance(smoothing, (int, float)):
            return np.full((n,), float(smoothing), device=self.y.device)
        made = as_array(smoothing).astype("f8")
        if made.ndim == 0:
            return np.broadcast_to(made, (n,))
        if made.shape != (n,):
            raise ValueError(f"Expected `smoothing` to be a scalar or have shape ({n},).")
        return made

    def _monomials(self, x: ndarray) -> ndarray:
        """(..., places, monomials)."""
        columns = []
        for row in self._exponents:
            value = np.ones_like(x[..., 0])
            for d, power in enumerate(row):
                if power:
                    value = value * x[..., d] ** int(power)
            columns.append(value)
        if not columns:
            return np.zeros((*x.shape[:-1], 0), "f8", device=x.device)
        return np.stack(columns, axis=-1)

    def _matrix(self, y: ndarray, smoothing: ndarray, shift: ndarray, scale: ndarray) -> ndarray:
        """The systems of points (..., n, dims)."""
        n, r = y.shape[-2], len(self._exponents)
        inner = _KERNELS[self.kernel](_squares(y * self.epsilon, y * self.epsilon))
        inner = inner + smoothing[..., None] * np.eye(n, device=y.device)
        if not r:
            return inner  # type: ignore[no-any-return]
        side = self._monomials((y - shift) / scale)
        corner = np.zeros((*y.shape[:-2], r, r), "f8", device=y.device)
        top = np.concatenate([inner, side], axis=-1)
        bottom = np.concatenate([np.swapaxes(side, -1, -2), corner], axis=-1)
        return np.concatenate([top, bottom], axis=-2)

    def _solved(self, left: ndarray, right: ndarray) -> ndarray:
        try:
            made = np.linalg.solve(left, right)
        except LinAlgError as error:
            raise LinAlgError(self._why()) from error
        if self.neighbors is None and not bool(np.all(np.isfinite(made))):
            raise LinAlgError(self._why())
        return made

    def _why(self) -> str:
        r = len(self._exponents)
        if r:
            shift, scale = _normal(self.y)
            rank = int(np.linalg.matrix_rank(self._monomials((self.y - shift) / scale)))
            if rank < r:
                return (
                    "Singular matrix. The matrix of monomials evaluated at the data point "
                    f"coordinates does not have full column rank ({rank}/{r})."
                )
        return "Singular matrix."

    def __call__(self, x: ArrayLike) -> ndarray:
        """Values at places, rows of coordinates."""
        q = as_array(x) if isinstance(x, own_array) else to_device_of(x, self.y)
        q = q.astype("f8")
        if q.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        count, dims = q.shape
        if dims != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        made = self._near(q) if self.neighbors is not None else self._all(q)
        if self.d_dtype.kind == "c":
            half = made.shape[1] // 2
            made = made[:, :half] + 1j * made[:, half:]
        return made.reshape(count, *self.d_shape)

    def _all(self, x: ndarray) -> ndarray:
        n = self.y.shape[0]
        piece = max(1, _ELEMENTS // n)
        made = []
        for first in range(0, max(x.shape[0], 1), piece):
            part = x[first : first + piece]
            kernel = _KERNELS[self.kernel](_squares(part * self.epsilon, self.y * self.epsilon))
            value = kernel @ self._coeffs[:n]
            if len(self._exponents):
                mono = self._monomials((part - self._shift) / self._scale)
                value = value + mono @ self._coeffs[n:]
            made.append(value)
        return made[0] if len(made) == 1 else np.concatenate(made)

    def _near(self, x: ndarray) -> ndarray:
        assert self.neighbors is not None
        k, r = self.neighbors, len(self._exponents)
        width = self._columns.shape[1]
        piece = max(1, _ELEMENTS // ((k + r) ** 2))
        made = []
        for first in range(0, max(x.shape[0], 1), piece):
            part = x[first : first + piece]
            if not part.shape[0]:
                made.append(np.zeros((0, width), device=x.device))
                continue
            _, places = self._tree.query(np.stop_gradient(part), list(range(1, k + 1)))
            places = np.sort(places, axis=1)
            near = np.take(self.y, places, axis=0)
            shift, scale = _normal(near)
            left = self._matrix(near, np.take(self.smoothing, places), shift, scale)
            right = np.take(self._columns, places, axis=0)
            zeros = np.zeros((part.shape[0], r, width), device=x.device)
            coeffs = self._solved(left, np.concatenate([right, zeros], axis=1))
            at = part[:, None, :]
            row = _KERNELS[self.kernel](_squares(at * self.epsilon, near * self.epsilon))
            if r:
                row = np.concatenate([row, self._monomials((at - shift) / scale)], axis=-1)
            made.append((row @ coeffs)[:, 0, :])
        return made[0] if len(made) == 1 else np.concatenate(made)


def _normal(y: ndarray) -> tuple[ndarray, ndarray]:
    """Middle and half width of points (..., n, dims), to bring them between -1 and 1."""
    low, high = np.min(y, axis=-2, keepdims=True), np.max(y, axis=-2, keepdims=True)
    scale = (high - low) / 2
    return (low + high) / 2, np.where(scale == 0, 1.0, scale)
