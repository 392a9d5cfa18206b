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
    [6.202921]
    """
    a = inexact(a)
    if not numpy.isscalar(d) or math.floor(d) != d:
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


def _is_whole(x: ndarray) -> bool:
    return bool(x.dtype.kind in "iub")


def _whole_numbers(name: str, *values: Any) -> list[int] | None:
    """Python's integers, where exact results are asked for and all are whole numbers."""
    made = []
    for value in values:
        if not hd.asarray(value).ndim == 0 or value != int(value):
            raise ValueError(f"`{name}` with `exact=True` is for whole numbers")
        made.append(int(value))
    return made


def comb(N: ArrayLike, k: ArrayLike, *, exact: bool = False, repetition: bool = False) -> Any:
    """The number of ways to choose k of N, with or without repetition.

    >>> import heddle as np
    >>> print(np.special.comb(np.array([4, 5]), 2), np.special.comb(60, 30, exact=True))
    [ 6. 10.] 118264581564861424
    """
    if repetition:
        return comb(hd.asarray(N) + hd.asarray(k) - 1 if not exact else N + k - 1, k, exact=exact)  # type: ignore[operator]
    if exact:
        numbers = _whole_numbers("comb", N, k)
        assert numbers is not None
        return math.comb(*numbers) if numbers[0] >= 0 and numbers[1] >= 0 else 0
    n, k = hd.asarray(N), hd.asarray(k)
    valid = (k <= n) & (n >= 0) & (k >= 0)
    return hd.where(valid, special_ufuncs["binom"](n, k), 0.0)


def perm(N: ArrayLike, k: ArrayLike, exact: bool = False) -> Any:
    """The number of ways to put k of N in order.

    >>> import heddle as np
    >>> print(np.special.perm(np.array([4, 5]), 2), np.special.perm(10, 3, exact=True))
    [12. 20.] 720
    """
    if exact:
        numbers = _whole_numbers("perm", N, k)
        assert numbers is not None
        return math.perm(*numbers) if numbers[0] >= numbers[1] >= 0 else 0
    n, k = hd.asarray(N), hd.asarray(k)
    valid = (k <= n) & (n >= 0) & (k >= 0)
    return hd.where(valid, special_ufuncs["poch"](n - k + 1, k), 0.0)


def _check_extend(extend: str, exact: bool) -> None:
    if extend not in ("zero", "complex"):
        raise ValueError(
            "argument `extend` must be either 'zero' or 'complex', received: " + repr(extend)
        )
    if exact and extend == "complex":
        raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")


def _exact_product(n: Any, step: int) -> Any:
    """n (n - step) (n - 2 step) … of whole numbers: Python's integer, or an array of int64."""
    numbers = hd.asarray(n)
    if numbers.ndim == 0:
        return math.prod(range(int(n), 0, -step)) if n >= 0 else 0
    if not _is_whole(numbers):
        raise ValueError("`exact=True` only supports integer arrays")
    largest = int(hd.max(numbers)) if numbers.size else 0
    table = [math.prod(range(i, 0, -step)) for i in range(largest + 1)]
    if table and table[-1] >= 2**63:
        raise OverflowError(f"the product of {largest} does not fit into int64: exact=False")
    made = hd.asarray(table, dtype=hd.int64)[hd.maximum(numbers, 0)]
    return hd.where(numbers < 0, 0, made)


def factorial(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """``gamma(n + 1)``; 0 of negative numbers, unless ``extend`` is 'complex'.

    >>> import heddle as np
    >>> print(np.special.factorial(np.array([3, 4])), np.special.factorial(20, exact=True))
    [ 6. 24.] 2432902008176640000
    """
    _check_extend(extend, exact)
    if exact:
        return _exact_product(n, 1)
    n = hd.asarray(n)
    if n.dtype.kind == "c" and extend == "zero":
        raise ValueError(
            "In order to use non-integer arguments, you must opt into this by passing "
            "`extend='complex'`."
        )
    made = special_ufuncs["gamma"](n + 1 if n.dtype.kind in "fc" else n.astype(hd.float64) + 1)
    return made if extend == "complex" else hd.where(n < 0, made.dtype.type(0), made)


def factorial2(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """The product of every second number from n down: ``n * (n - 2) * (n - 4) …``.

    >>> import heddle as np
    >>> print(np.special.factorial2(np.array([5, 6])))
    [15. 48.]
    """
    return factorialk(n, 2, exact, extend)


def factorialk(n: ArrayLike, k: int, exact: bool = False, extend: str = "zero") -> Any:
    """The product of every k-th number from n down: ``n * (n - k) * (n - 2k) …``.

    >>> import heddle as np
    >>> print(np.special.factorialk(np.array([7, 8]), 3))
    [28. 80.]
    """
    _check_extend(extend, exact)
    if extend == "complex":
        return _scipys("factorialk")(n, k, exact=exact, extend=extend)
    if not isinstance(k, int | numpy.integer) or k < 1:
        raise ValueError(f"k must be a positive integer, received: {k!r}")
    if exact:
        return _exact_product(n, int(k))
    n = hd.asarray(n)
    if not _is_whole(n):
        raise ValueError("factorialk of numbers that are not whole: pass `extend='complex'`")
    x = n.astype(hd.float64)
    rest = hd.where(n % k == 0, k, n % k).astype(hd.float64)
    steps = (x - rest) / k
    gamma = special_ufuncs["gamma"]
    made = float(k) ** steps * (gamma(x / k + 1) / gamma(rest / k + 1)) * hd.maximum(rest, 1.0)
    made = hd.where(n == 0, 1.0, hd.round(made))
    return hd.where(n < 0, 0.0, made)


def _scipys(name: str) -> Any:
    from heddle._special.host import of_scipy

    return of_scipy(name)
