"""Factorials, combinations, and functions of the gamma function's family with several branches."""

import math
from typing import Any

import numpy

import heddle as hd
from heddle._core import ndarray, special_parts, special_ufuncs
from heddle._special.support import inexact
from heddle._typing import ArrayLike

__all__ = [
    "comb",
    "factorial",
    "factorial2",
    "factorialk",
    "lambertw",
    "multigammaln",
    "perm",
    "polygamma",
    "zeta",
]


# --- relatives of the gamma function ---


def zeta(x: ArrayLike, q: ArrayLike | None = None, out: Any = None) -> ndarray:
    """Riemann's zeta function, or with ``q`` that of Hurwitz.

    >>> import heddle as np
    >>> print(np.special.zeta(np.array([2.0, 3.0])).round(6))
    [1.644934 1.202057]
    """
    if q is None:
        return special_parts["riemann_zeta"](x, out=out)
    return special_parts["zeta_of"](x, q, out=out)


def polygamma(n: ArrayLike, x: ArrayLike) -> ndarray:
    """Derivatives of the digamma function: of order n, 0 being digamma itself.

    >>> import heddle as np
    >>> print(np.special.polygamma(1, np.array([1.0, 2.0])).round(6))
    [1.644934 0.644934]
    """
    n, x = hd.broadcast_arrays(hd.asarray(n), hd.asarray(x))
    n = n.astype(hd.float64)
    gamma, digamma = special_ufuncs["gamma"], special_ufuncs["digamma"]
    made = (-1.0) ** (n + 1) * gamma(n + 1.0) * special_parts["zeta_of"](n + 1, x)
    return hd.where(n == 0, digamma(x), made)


def multigammaln(a: ArrayLike, d: int) -> ndarray:
    """Logarithm of the multivariate gamma function of dimension d.

    >>> import heddle as np
    >>> print(np.special.multigammaln(np.array([5.0]), 2).round(6))
    [6.204155]
    """
    a = inexact(a)
    if not isinstance(d, int | float | numpy.number) or d != int(d):
        raise ValueError("d should be a positive integer (dimension)")
    if bool(hd.any(a <= 0.5 * (d - 1))):
        raise ValueError(f"condition a > 0.5 * (d-1) ({0.5 * (d - 1):f}) not met")
    steps = a[..., None] - hd.arange(int(d), dtype=a.dtype) / 2
    total = hd.sum(special_ufuncs["gammaln"](steps), axis=-1)
    return total + a.dtype.type(d * (d - 1) * 0.25 * math.log(math.pi))


def lambertw(z: ArrayLike, k: ArrayLike = 0, tol: float = 1e-8) -> ndarray:
    """The Lambert W function: ``z = w * exp(w)``, of which k says the branch.

    >>> import heddle as np
    >>> print(np.special.lambertw(np.array([1.0])).real.round(6))
    [0.567143]
    """
    return special_parts["lambertw_of"](z, hd.asarray(k).astype(hd.int64), tol)


# --- combinations ---


def _whole(value: Any) -> int:
    """Python's integer, of a number that is whole."""
    if hd.asarray(value).ndim or int(value) != value:
        raise ValueError("Non-integer `N` and `k` with `exact=True` is not supported.")
    return int(value)


def comb(N: ArrayLike, k: ArrayLike, *, exact: bool = False, repetition: bool = False) -> Any:
    """The number of ways to choose k of N, with or without repetition.

    >>> import heddle as np
    >>> print(np.special.comb(np.array([4, 5]), 2), np.special.comb(60, 30, exact=True))
    [ 6. 10.] 118264581564861424
    """
    binom = special_ufuncs["binom"]
    if exact:
        total, chosen = _whole(N), _whole(k)
        if repetition and chosen == 0 and total >= 0:
            return 1
        total += chosen - 1 if repetition else 0
        return math.comb(total, chosen) if total >= 0 and chosen >= 0 else 0
    n, k = hd.asarray(N), hd.asarray(k)
    if repetition:
        return hd.where((k == 0) & (n >= 0), 1.0, binom(n + k - 1, k))
    return hd.where((k <= n) & (n >= 0) & (k >= 0), binom(n, k), 0.0)


def perm(N: ArrayLike, k: ArrayLike, exact: bool = False) -> Any:
    """The number of ways to put k of N in order.

    >>> import heddle as np
    >>> print(np.special.perm(np.array([4, 5]), 2), np.special.perm(10, 3, exact=True))
    [12. 20.] 720
    """
    if exact:
        if hd.asarray(N).size != 1 or hd.asarray(k).size != 1:
            raise ValueError("`N` and `k` must be scalar integers with `exact=True`.")
        total, chosen = (_whole(hd.asarray(x).reshape(())) for x in (N, k))
        return math.perm(total, chosen) if total >= chosen >= 0 else 0
    n, k = hd.asarray(N), hd.asarray(k)
    valid = (k <= n) & (n >= 0) & (k >= 0)
    return hd.where(valid, special_ufuncs["poch"](n - k + 1, k), 0.0)


# --- factorials ---


def factorial(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """``gamma(n + 1)``; 0 of negative numbers, unless ``extend`` is 'complex'.

    Exact results of a number are Python's integers, those of an array int64.

    >>> import heddle as np
    >>> print(np.special.factorial(np.array([3, 4])), np.special.factorial(20, exact=True))
    [ 6. 24.] 2432902008176640000
    """
    return _multifactorial("factorial", n, 1, exact, extend)


def factorial2(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """The product of every second number from n down: ``n * (n - 2) * (n - 4) …``.

    >>> import heddle as np
    >>> print(np.special.factorial2(np.array([5, 6])))
    [15. 48.]
    """
    return _multifactorial("factorial2", n, 2, exact, extend)


def factorialk(n: ArrayLike, k: int, exact: bool = False, extend: str = "zero") -> Any:
    """The product of every k-th number from n down: ``n * (n - k) * (n - 2k) …``.

    >>> import heddle as np
    >>> print(np.special.factorialk(np.array([7, 8]), 3))
    [28. 80.]
    """
    return _multifactorial("factorialk", n, k, exact, extend)


def _multifactorial(name: str, n: Any, k: Any, exact: bool, extend: str) -> Any:
    if extend not in ("zero", "complex"):
        raise ValueError(
            f"argument `extend` must be either 'zero' or 'complex', received: {extend}"
        )
    if exact and extend == "complex":
        raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")
    if name == "factorialk":
        _check_step(k, extend)
    if n is None:
        return hd.asarray(math.nan)
    x = hd.asarray(n)
    if x.dtype.kind not in "iufcV":
        raise ValueError(f"Unsupported data type for `n` in {name}: {x.dtype}")
    if extend == "zero" and x.dtype.kind in ("c" if name == "factorial" else "fcV"):
        raise ValueError(_needs_complex)
    if exact and x.dtype.kind not in "iu":
        raise ValueError(f"`exact=True` only supports integers, cannot use data type {x.dtype}")
    if exact:
        return _exact_product(x, int(k), not isinstance(n, ndarray | numpy.ndarray))
    if extend == "complex":
        return _extended(x, k)
    return _product(x, k)


_needs_complex = (
    "In order to use non-integer arguments, you must opt into this by passing "
    "`extend='complex'`. Note that this changes the result for all negative arguments (which by "
    "default return 0)."
)


def _check_step(k: Any, extend: str) -> None:
    if isinstance(k, bool) or not isinstance(k, int | float | complex | numpy.number):
        raise ValueError(f"Unsupported data type for `k` in factorialk: {type(k)}")
    if extend == "zero":
        if not isinstance(k, int | numpy.integer):
            raise ValueError(_needs_complex)
        if k < 1:
            raise ValueError(f"For `extend='zero'`, k must be a positive integer, received: {k}")
    if k == 0:
        raise ValueError("Parameter k cannot be zero!")


def _exact_product(n: ndarray, k: int, as_number: bool) -> Any:
    """n (n - k) (n - 2k) … of whole numbers: Python's integer, or an array of int64."""
    if n.ndim == 0 and as_number:
        return math.prod(range(int(n), 0, -k)) if n >= 0 else 0
    if n.size == 0:
        return n
    largest = int(hd.max(n))
    table = [math.prod(range(i, 0, -k)) for i in range(max(largest, 0) + 1)]
    if table[-1] >= 2**63:
        raise OverflowError(f"the product of {largest} does not fit into int64: exact=False")
    made = hd.asarray(table, dtype=hd.int64)[hd.maximum(n, 0)]
    return hd.where(n < 0, 0, made)


def _gamma1p(x: ndarray) -> ndarray:
    """gamma(x + 1), and nan where that of a real number is infinite: at -1."""
    made = special_ufuncs["gamma"](x + 1)
    return made if x.dtype.kind == "c" else hd.where(x == -1, made.dtype.type(math.nan), made)


def _product(n: ndarray, k: int) -> ndarray:
    """Of float64, and 0 where n is negative."""
    if n.size == 0:
        return n
    x = inexact(n)
    if k == 1:
        made = special_ufuncs["gamma"](x + 1)
    else:
        gamma = special_ufuncs["gamma"]
        rest = x % k
        corrected = float(k) ** (-rest / k) / gamma(rest / k + 1) * rest
        made = float(k) ** (x / k) * gamma(x / k + 1) * hd.where(rest == 0, 1.0, corrected)
    return hd.where(x < 0, 0.0, made.astype(hd.float64))


def _extended(n: ndarray, k: Any) -> ndarray:
    x = inexact(n)
    if k == 1:
        return _gamma1p(x)
    turning = isinstance(k, complex | numpy.complexfloating) or k < 0
    base = hd.asarray(complex(k) if turning else float(k))
    if not turning:
        base = base.astype(hd.result_type(x.dtype, 1.0))
    factor = special_ufuncs["rgamma"](1 / hd.asarray(k) + 1) / hd.power(base, 1 / k)
    return hd.power(base, x / k) * _gamma1p(x / k) * factor
