"""Polynomials by their coefficients from the highest degree on: NumPy's older functions."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Literal, SupportsIndex, cast, overload

import numpy
from numpy.exceptions import RankWarning

from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._runtime.reports import warn
from heddle._typing import ArrayLike, DTypeLike, HostArray
from heddle.polynomial import _evaluation, _solving
from heddle.polynomial._class import _Array
from heddle.polynomial._coefficients import SMALL, give, length, namespace, padded, read, trimmed
from heddle.polynomial._families import power
from heddle.polynomial._objects import OrNumpys


def _read(*polynomials: object, small: int | None = None) -> list[Any]:
    """Coefficients as arrays of one kind and of one dimension, as they were given."""
    held = [p._held() if isinstance(p, poly1d) else p for p in polynomials]
    return [a.reshape(1) if a.ndim == 0 else a for a in read(*held, small=small)]


def _without_zeros(c: Any) -> Any:
    """The coefficients without leading zeros; at least one."""
    return trimmed(c[::-1])[::-1] if len(c) else namespace(c).zeros_like(c, shape=(1,))


def _given(results: Any, *arguments: object) -> Any:
    """Results for the user: polynomials where an argument was one, else arrays."""
    make = poly1d if any(isinstance(a, poly1d) for a in arguments) else give
    return tuple(map(make, results)) if isinstance(results, tuple) else make(results)


# --- roots ---


def poly(seq_of_zeros: poly1d | ArrayLike) -> ndarray | float:
    """The polynomial with these roots, or the characteristic polynomial of a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> np.poly([1, 2])
    array([ 1., -3.,  2.])
    """
    (zeros,) = _read(seq_of_zeros)
    xp = namespace(zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
        zeros = _solving.eigenvalues(zeros)
    elif zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    elif zeros.size:
        zeros = zeros.astype(numpy.mintypecode(zeros.dtype.char))
    if not zeros.size:
        return 1.0
    c = xp.ones_like(zeros[:1])
    for i in range(len(zeros)):
        c = padded(c, len(c) + 1) - padded(c[::-1], len(c) + 1)[::-1] * zeros[i]
    # Roots that come in conjugate pairs make a real polynomial.
    if c.dtype.kind == "c" and bool((xp.sort(zeros) == xp.sort(xp.conj(zeros))).all()):
        c = c.real.copy()
    found: ndarray = give(c)
    return found


def roots(p: poly1d | ArrayLike) -> ndarray:
    """The roots of a polynomial: eigenvalues of its companion matrix.

    Examples
    --------
    >>> import heddle as np
    >>> np.roots([1, -3, 2])
    array([2., 1.])
    """
    (c,) = _read(p)
    if c.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    xp = namespace(c)
    kept = length(c)
    result: ndarray
    if kept == 0:
        result = give(numpy.array([]))
        return result
    at_zero, c = len(c) - kept, _without_zeros(c[:kept])
    if c.dtype.kind not in "fcV":
        c = c.astype(float)
    if len(c) > 1:
        matrix = xp.eye(len(c) - 1, k=-1, dtype=c.dtype, device=c.device)
        matrix[0, :] = -c[1:] / c[0]
        found = _solving.eigenvalues(matrix)
    else:
        found = xp.zeros_like(c, shape=(0,), dtype=float)
    result = give(padded(found, len(found) + at_zero))
    return result


# --- arithmetic ---


def _sum(a1: object, a2: object, sign: int) -> Any:
    c1, c2 = _read(a1, a2)
    count = max(len(c1), len(c2))
    c1, c2 = (padded(c[::-1], count)[::-1] for c in (c1, c2))
    return _given(c1 + c2 if sign > 0 else c1 - c2, a1, a2)


@overload
def polyadd(a1: poly1d, a2: poly1d | ArrayLike) -> poly1d: ...
@overload
def polyadd(a1: ArrayLike, a2: poly1d) -> poly1d: ...
@overload
def polyadd(a1: ArrayLike, a2: ArrayLike) -> ndarray: ...
def polyadd(a1: poly1d | ArrayLike, a2: poly1d | ArrayLike) -> Any:
    """The sum of two polynomials.

    Examples
    --------
    >>> import heddle as np
    >>> np.polyadd([1, 2], [9, 5, 4])
    array([9, 6, 6])
    """
    return _sum(a1, a2, 1)


@overload
def polysub(a1: poly1d, a2: poly1d | ArrayLike) -> poly1d: ...
@overload
def polysub(a1: ArrayLike, a2: poly1d) -> poly1d: ...
@overload
def polysub(a1: ArrayLike, a2: ArrayLike) -> ndarray: ...
def polysub(a1: poly1d | ArrayLike, a2: poly1d | ArrayLike) -> Any:
    """The difference of two polynomials.

    Examples
    --------
    >>> import heddle as np
    >>> np.polysub([2, 10, -2], [3, 10, -4])
    array([-1,  0,  2])
    """
    return _sum(a1, a2, -1)


@overload
def polymul(a1: poly1d, a2: poly1d | ArrayLike) -> poly1d: ...
@overload
def polymul(a1: ArrayLike, a2: poly1d) -> poly1d: ...
@overload
def polymul(a1: ArrayLike, a2: ArrayLike) -> ndarray: ...
def polymul(a1: poly1d | ArrayLike, a2: poly1d | ArrayLike) -> Any:
    """The product of two polynomials.

    Examples
    --------
    >>> import heddle as np
    >>> np.polymul([1, 2], [1, 3])
    array([1, 5, 6])
    """
    c1, c2 = (_without_zeros(c) for c in _read(a1, a2))
    return _given(namespace(c1).convolve(c1, c2), a1, a2)


@overload
def polydiv(u: poly1d, v: poly1d | ArrayLike) -> tuple[poly1d, poly1d]: ...
@overload
def polydiv(u: ArrayLike, v: poly1d) -> tuple[poly1d, poly1d]: ...
@overload
def polydiv(u: ArrayLike, v: ArrayLike) -> tuple[ndarray, ndarray]: ...
def polydiv(u: poly1d | ArrayLike, v: poly1d | ArrayLike) -> Any:
    """The quotient and the remainder of two polynomials.

    Examples
    --------
    >>> import heddle as np
    >>> quotient, remainder = np.polydiv([1, 5, 6], [1, 2])
    >>> quotient, remainder
    (array([1., 3.]), array([0.]))
    """
    dividend, divisor = (c + 0.0 for c in _read(u, v))
    xp = namespace(dividend)
    dtype = xp.result_type(dividend, divisor)
    rest, divisor = dividend.astype(dtype), divisor.astype(dtype)
    steps, scale = len(rest) - len(divisor) + 1, 1.0 / divisor[0]
    quotient = []
    for k in range(steps):
        factor = scale * rest[k]
        quotient.append(factor)
        rest[k : k + len(divisor)] -= factor * divisor
    q = xp.stack(quotient) if quotient else xp.zeros_like(rest, shape=(1,))
    # What rounding left of the leading terms is no part of the remainder.
    small = [bool(s) for s in abs(rest) <= 1e-8]
    start = next((i for i, is_small in enumerate(small) if not is_small), len(rest))
    return _given((q, rest[min(start, len(rest) - 1) :]), u, v)


@overload
def polyder(p: poly1d, m: SupportsIndex = 1) -> poly1d: ...
@overload
def polyder(p: ArrayLike, m: SupportsIndex = 1) -> ndarray: ...
def polyder(p: poly1d | ArrayLike, m: SupportsIndex = 1) -> Any:
    """The `m`-th derivative of a polynomial.

    Examples
    --------
    >>> import heddle as np
    >>> np.polyder([1, 1, 1])
    array([2, 1])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    (c,) = _read(p, small=SMALL)
    for _ in range(m):
        n = len(c) - 1
        c = c[:-1] * namespace(c).arange(n, 0, -1)
    return _given(c, p)


@overload
def polyint(p: poly1d, m: SupportsIndex = 1, k: ArrayLike | None = None) -> poly1d: ...
@overload
def polyint(p: ArrayLike, m: SupportsIndex = 1, k: ArrayLike | None = None) -> ndarray: ...
def polyint(p: poly1d | ArrayLike, m: SupportsIndex = 1, k: ArrayLike | None = None) -> Any:
    """The `m`-th antiderivative of a polynomial, with the constants `k`.

    Examples
    --------
    >>> import heddle as np
    >>> np.polyint([2, 1])
    array([1., 1., 0.])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    c, constants = _read(p, numpy.zeros(m) if k is None else k, small=SMALL)
    if len(constants) == 1 and m > 1:
        constants = namespace(c).broadcast_to(constants, (m,))
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        c = c / namespace(c).arange(len(c), 0, -1)
        c = namespace(c).concatenate([c, constants[i : i + 1]])
    return _given(c, p)


@overload
def polyval(p: poly1d | ArrayLike, x: poly1d) -> poly1d: ...
@overload
def polyval(p: poly1d | ArrayLike, x: ArrayLike) -> ndarray: ...
def polyval(p: poly1d | ArrayLike, x: poly1d | ArrayLike) -> Any:
    """The polynomial at the points x, or the composition with a polynomial.

    Examples
    --------
    >>> import heddle as np
    >>> np.polyval([3, 0, 1], 5)
    np.int64(76)
    """
    (c,) = read(p._held() if isinstance(p, poly1d) else p)
    if c.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    if isinstance(x, poly1d):
        y = 0 * x
        for i in range(len(c)):
            y = y * x + give(c[i])
        return y
    x = as_array(x)
    if len(c) == 0:
        return namespace(x).zeros_like(x)
    made = _evaluation.values(power, x, c[::-1], tensor=False)
    if x.dtype == c.dtype == bool:  # sums and products of truth values
        made = made != 0
    return made[()] if made.ndim == 0 else made


# --- fitting ---


def _covariance(matrix: Any, residuals: object, y: Any, cov: bool | str) -> Any:
    """The covariance of the coefficients of a fit."""
    xp = namespace(matrix)
    count, order = matrix.shape
    lengths = xp.sqrt(xp.sum(matrix * matrix, axis=0))
    scaled = matrix / lengths
    base = xp.linalg.inv(scaled.T @ scaled) / xp.outer(lengths, lengths)
    factor = 1
    if not (isinstance(cov, str) and cov == "unscaled"):
        if count <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        factor = residuals / (count - order)
    return base * factor if y.ndim == 1 else base[:, :, None] * factor


@overload
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: ArrayLike,
    rcond: float | None = None,
    full: Literal[False] = False,
    w: ArrayLike | None = None,
    cov: Literal[False] = False,
) -> ndarray: ...
@overload
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: ArrayLike,
    rcond: float | None = None,
    full: Literal[False] = False,
    w: ArrayLike | None = None,
    *,
    cov: Literal[True, "unscaled"],
) -> tuple[ndarray, ndarray]: ...
@overload
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: ArrayLike,
    rcond: float | None = None,
    *,
    full: Literal[True],
    w: ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> tuple[ndarray, ndarray, int, ndarray, float]: ...
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: ArrayLike,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> Any:
    """The polynomial of a degree that is closest to the points, by least squares.

    Parameters
    ----------
    x, y : array_like
        The points; `y` may have several columns.
    deg : int
        The degree.
    rcond : float, optional
        Singular values below this fraction of the largest one count as zero.
    full : bool, optional
        Whether the residuals, the rank, the singular values and `rcond` are given as well.
    w : array_like, optional
        The weight of each point.
    cov : bool or 'unscaled', optional
        Whether the covariance of the coefficients is given as well.

    Examples
    --------
    >>> import heddle as np
    >>> np.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).round(6)
    array([2., 1.])
    """
    at, found, *others = (a + 0.0 for a in read(x, y, *(() if w is None else (w,))))
    order = int(cast("int", deg)) + 1
    _solving.check_fit(at, found, numpy.asarray(order - 1))
    if rcond is None:
        rcond = len(at) * numpy.finfo(at.dtype).eps
    at = at.astype(numpy.promote_types(at.dtype, int))  # as in vander: float32 fits in float64
    matrix = _evaluation.joined(_evaluation.columns(power, at, order - 1)[::-1])
    for weight in others:
        if weight.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if len(weight) != len(found):
            raise TypeError("expected w and y to have the same length")
        column = weight[:, None]
        matrix, found = matrix * column, found * (weight if found.ndim == 1 else column)
    c, residuals, rank, singular = _solving.least_squares(matrix, found, None, rcond)
    if rank != order and not full:
        warn("Polyfit may be poorly conditioned", RankWarning)
    if full:
        return give(c), give(residuals), rank, give(singular), rcond
    return give((c, _covariance(matrix, residuals, found, cov))) if cov else give(c)


# --- the class ---


class poly1d(metaclass=OrNumpys):
    """A polynomial by its coefficients from the highest degree on, or by its roots.

    Parameters
    ----------
    c_or_r : array_like
        The coefficients, or the roots if `r` is true.
    r : bool, optional
        Whether `c_or_r` are roots.
    variable : str, optional
        The name of the variable when the polynomial is printed, 'x' by default.

    Examples
    --------
    >>> import heddle as np
    >>> p = np.poly1d([1, 2, 3])
    >>> p(2)
    np.int64(11)
    >>> print(p)
       2
    1 x + 2 x + 3
    """

    __hash__ = None  # type: ignore[assignment]

    _numpys = numpy.poly1d
    _coeffs_array = _Array()
    _variable: str

    def __init__(
        self, c_or_r: ArrayLike | poly1d, r: bool = False, variable: str | None = None
    ) -> None:
        if isinstance(c_or_r, poly1d):
            self._variable = c_or_r._variable if variable is None else variable
            self._coeffs_array = c_or_r._held()
            return
        if r:
            c_or_r = poly(c_or_r)
        (c,) = _read(c_or_r)
        if c.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        self._coeffs_array = _without_zeros(c)
        self._variable = "x" if variable is None else variable

    def _held(self) -> Any:
        """The coefficients where they are computed with: on the host, if that sees them."""
        return vars(poly1d)["_coeffs_array"].host(self)

    @property
    def coeffs(self) -> ndarray:
        """The coefficients, from the highest degree on."""
        return self._coeffs_array

    @coeffs.setter
    def coeffs(self, value: object) -> None:
        if value is not self.__dict__.get("__coeffs_array"):  # allows p.coeffs *= 2
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def variable(self) -> str:
        """The name of the variable."""
        return self._variable

    @property
    def order(self) -> int:
        """The degree."""
        return len(self._held()) - 1

    o = order

    @property
    def roots(self) -> ndarray:
        """The roots."""
        return roots(self._held())

    r = roots

    def __array__(
        self, t: DTypeLike | None = None, copy: bool | None = None
    ) -> HostArray | ndarray:
        if not self.coeffs._on_host:  # for operations with arrays of ours; NumPy refuses it
            return self.coeffs if t is None else self.coeffs.astype(t)
        return numpy.asarray(self.coeffs.__array__(copy=copy), t)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.coeffs.__cuda_array_interface__

    def _twin(self) -> numpy.poly1d:
        held = self._held()
        held = held.get() if isinstance(held, own_array) else held
        return numpy.poly1d(held, variable=self._variable)

    def __repr__(self) -> str:
        return repr(self._twin())

    def __str__(self) -> str:
        return str(self._twin())

    def __len__(self) -> int:
        return self.order

    def __iter__(self) -> Iterator[ndarray]:
        return iter(self.coeffs)

    @overload
    def __call__(self, val: poly1d) -> poly1d: ...
    @overload
    def __call__(self, val: ArrayLike) -> ndarray: ...
    def __call__(self, val: ArrayLike | poly1d) -> ndarray | poly1d:
        return polyval(self, val)

    def __neg__(self) -> poly1d:
        return poly1d(-self._held())

    def __pos__(self) -> poly1d:
        return self

    def __mul__(self, other: ArrayLike | poly1d) -> poly1d:
        if _is_scalar(other):
            return poly1d(self._held() * other)
        return polymul(self, poly1d(other))

    __rmul__ = __mul__

    def __add__(self, other: ArrayLike | poly1d) -> poly1d:
        return polyadd(self, poly1d(other))

    __radd__ = __add__

    def __sub__(self, other: ArrayLike | poly1d) -> poly1d:
        return polysub(self, poly1d(other))

    def __rsub__(self, other: ArrayLike | poly1d) -> poly1d:
        return polysub(poly1d(other), self)

    def __pow__(self, val: SupportsIndex) -> poly1d:
        if not _is_scalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(operator.index(val)):
            result = self * result
        return result

    @overload
    def __truediv__(self, other: poly1d) -> tuple[poly1d, poly1d]: ...
    @overload
    def __truediv__(self, other: complex) -> poly1d: ...
    @overload
    def __truediv__(self, other: ArrayLike) -> poly1d | tuple[poly1d, poly1d]: ...
    def __truediv__(self, other: ArrayLike | poly1d) -> poly1d | tuple[poly1d, poly1d]:
        if _is_scalar(other):
            return poly1d(self._held() / other)
        return polydiv(self, poly1d(other))

    @overload
    def __rtruediv__(self, other: complex) -> poly1d: ...
    @overload
    def __rtruediv__(self, other: ArrayLike) -> poly1d | tuple[poly1d, poly1d]: ...
    def __rtruediv__(self, other: ArrayLike | poly1d) -> poly1d | tuple[poly1d, poly1d]:
        if _is_scalar(other):
            return poly1d(other / self._held())
        return polydiv(poly1d(other), self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, poly1d):
            return NotImplemented
        a, b = _read(self, other)
        return a.shape == b.shape and bool((a == b).all())

    def __ne__(self, other: object) -> bool:
        return NotImplemented if not isinstance(other, poly1d) else not self.__eq__(other)

    def __getitem__(self, val: int) -> ndarray:
        held = self._held()
        inside = 0 <= val <= self.order
        found: ndarray = give(held[self.order - val] if inside else held.dtype.type(0))
        return found

    def __setitem__(self, key: int, val: complex) -> None:
        if key < 0:
            raise ValueError("Does not support negative powers.")
        held = self._held()
        if key > self.order:
            held = padded(held[::-1], key + 1)[::-1]
        held = held.copy()
        held[len(held) - 1 - key] = val
        self._coeffs_array = held

    def integ(self, m: int = 1, k: ArrayLike = 0) -> poly1d:
        """The `m`-th antiderivative, with the constants `k`."""
        return polyint(self, m, k)

    def deriv(self, m: int = 1) -> poly1d:
        """The `m`-th derivative."""
        return polyder(self, m)


def _is_scalar(x: object) -> bool:
    """Whether NumPy takes it for a number: Python's, NumPy's or one of our arrays without axes."""
    return numpy.isscalar(x) or (isinstance(x, own_array) and x.ndim == 0)


__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]
