"""Factorials, combinations, and functions of the gamma function's family with several branches."""

import math
from typing import Any, Literal, overload

import numpy

import heddle as hd
from heddle import _core
from heddle._core import ndarray, own_array, special_parts
from heddle._typing import ArrayLike, Output

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


def zeta(x: ArrayLike, q: ArrayLike | None = None, out: Output | None = None) -> ndarray:
    """Riemann's zeta function, or with ``q`` that of Hurwitz.

    >>> import heddle as np
    >>> print(np.special.zeta(np.array([2.0, 3.0])).round(6))
    [1.644934 1.202057]
    """
    given = (x,) if q is None else (x, q)
    made: ndarray = special_parts["riemann_zeta" if q is None else "zeta_of"](*given, out=out)
    return made


def polygamma(n: ArrayLike, x: ArrayLike) -> ndarray:
    """Derivatives of the digamma function: of order n, 0 being digamma itself.

    >>> import heddle as np
    >>> print(np.special.polygamma(1, np.array([1.0, 2.0])).round(6))
    [1.644934 0.644934]
    """
    return _core.polygamma(hd.asarray(n), hd.asarray(x))


def multigammaln(a: ArrayLike, d: int) -> ndarray:
    """Logarithm of the multivariate gamma function of dimension d.

    >>> import heddle as np
    >>> print(np.special.multigammaln(np.array([5.0]), 2).round(6))
    [6.204155]
    """
    if not isinstance(d, int | float | numpy.number) or d != int(d):
        raise ValueError("d should be a positive integer (dimension)")
    return _core.multigammaln(hd.asarray(a), int(d))


def lambertw(z: ArrayLike, k: ArrayLike = 0, tol: float = 1e-8) -> ndarray:
    """The Lambert W function: ``z = w * exp(w)``, of which k says the branch.

    >>> import heddle as np
    >>> print(np.special.lambertw(np.array([1.0])).real.round(6))
    [0.567143]
    """
    made: ndarray = special_parts["lambertw_of"](z, hd.asarray(k).astype(hd.int64), tol)
    return made


# --- combinations ---


def _whole(value: Any) -> int:
    """Python's integer, of a number that is whole."""
    if hd.asarray(value).ndim or int(value) != value:
        raise ValueError("Non-integer `N` and `k` with `exact=True` is not supported.")
    return int(value)


@overload
def comb(
    N: ArrayLike, k: ArrayLike, *, exact: Literal[False] = False, repetition: bool = False
) -> ndarray: ...
@overload
def comb(N: ArrayLike, k: ArrayLike, *, exact: Literal[True], repetition: bool = False) -> int: ...
def comb(N: ArrayLike, k: ArrayLike, *, exact: bool = False, repetition: bool = False) -> Any:
    """The number of ways to choose k of N, with or without repetition.

    >>> import heddle as np
    >>> print(np.special.comb(np.array([4, 5]), 2), np.special.comb(60, 30, exact=True))
    [ 6. 10.] 118264581564861424
    """
    if exact:
        total, chosen = _whole(N), _whole(k)
        if repetition and chosen == 0 and total >= 0:
            return 1
        total += chosen - 1 if repetition else 0
        return math.comb(total, chosen) if total >= 0 and chosen >= 0 else 0
    return _core.comb(hd.asarray(N), hd.asarray(k), repetition)


@overload
def perm(N: ArrayLike, k: ArrayLike, exact: Literal[False] = False) -> ndarray: ...
@overload
def perm(N: ArrayLike, k: ArrayLike, exact: Literal[True]) -> int: ...
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
    return _core.perm(hd.asarray(N), hd.asarray(k))


# --- factorials ---


@overload
def factorial(n: ArrayLike, exact: Literal[False] = False, extend: str = "zero") -> ndarray: ...
@overload
def factorial(n: int, exact: Literal[True], extend: str = "zero") -> int: ...
@overload
def factorial(n: ArrayLike, exact: bool, extend: str = "zero") -> ndarray | int: ...
def factorial(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """``gamma(n + 1)``; 0 of negative numbers, unless ``extend`` is 'complex'.

    Exact results of a number are Python's integers, those of an array int64.

    >>> import heddle as np
    >>> print(np.special.factorial(np.array([3, 4])), np.special.factorial(20, exact=True))
    [ 6. 24.] 2432902008176640000
    """
    return _multifactorial("factorial", n, 1, exact, extend)


@overload
def factorial2(n: ArrayLike, exact: Literal[False] = False, extend: str = "zero") -> ndarray: ...
@overload
def factorial2(n: int, exact: Literal[True], extend: str = "zero") -> int: ...
@overload
def factorial2(n: ArrayLike, exact: bool, extend: str = "zero") -> ndarray | int: ...
def factorial2(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """The product of every second number from n down: ``n * (n - 2) * (n - 4) …``.

    >>> import heddle as np
    >>> print(np.special.factorial2(np.array([5, 6])))
    [15. 48.]
    """
    return _multifactorial("factorial2", n, 2, exact, extend)


@overload
def factorialk(
    n: ArrayLike, k: int, exact: Literal[False] = False, extend: str = "zero"
) -> ndarray: ...
@overload
def factorialk(n: int, k: int, exact: Literal[True], extend: str = "zero") -> int: ...
@overload
def factorialk(n: ArrayLike, k: int, exact: bool, extend: str = "zero") -> ndarray | int: ...
def factorialk(n: ArrayLike, k: int, exact: bool = False, extend: str = "zero") -> Any:
    """The product of every k-th number from n down: ``n * (n - k) * (n - 2k) …``.

    >>> import heddle as np
    >>> print(np.special.factorialk(np.array([7, 8]), 3))
    [28. 80.]
    """
    return _multifactorial("factorialk", n, k, exact, extend)


def _multifactorial(name: str, n: ArrayLike, k: int, exact: bool, extend: str) -> Any:
    if extend not in ("zero", "complex"):
        raise ValueError(
            f"argument `extend` must be either 'zero' or 'complex', received: {extend}"
        )
    if exact and extend == "complex":
        raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")
    if name == "factorialk":
        _check_step(k, extend)
    if n is None or (name == "factorial" and isinstance(n, float) and math.isnan(n)):
        return hd.asarray(math.nan)[()]
    x = hd.asarray(n)
    if x.dtype.kind not in "iufcV":
        raise ValueError(f"Unsupported data type for `n` in {name}: {x.dtype}")
    if extend == "zero" and x.dtype.kind in ("c" if name == "factorial" else "fcV"):
        raise ValueError(_needs_complex)
    if exact and x.dtype.kind not in "iu":
        raise ValueError(f"`exact=True` only supports integers, cannot use data type {x.dtype}")
    if x.size == 0:
        return x
    if exact:
        return _exact_product(x, int(k), not isinstance(n, own_array | numpy.ndarray))
    if name == "factorial":
        return _core.factorial(x, extend == "complex")
    # Numbers of NumPy's are Python's own here: they are no arrays.
    return _core.factorialk(x, k.item() if isinstance(k, numpy.number) else k, extend == "complex")


_needs_complex = (
    "In order to use non-integer arguments, you must opt into this by passing "
    "`extend='complex'`. Note that this changes the result for all negative arguments (which by "
    "default return 0)."
)


def _check_step(k: object, extend: str) -> None:
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
    """n (n - k) (n - 2k) … of whole numbers: Python's integer, an array of int64, or NumPy's array
    of Python's integers where one of them does not fit."""
    if n.ndim == 0 and as_number:
        return _product(range(int(n), 0, -k)) if n >= 0 else 0
    found, places = hd.unique(n, return_inverse=True)
    made = [_product(range(number, 0, -k)) if number >= 0 else 0 for number in found.tolist()]
    if max(made) < 2**63:
        return hd.asarray(made, dtype=hd.int64, device=n.device)[places]
    return numpy.array(made, dtype=object)[hd.asnumpy(places)]


def _product(factors: range) -> int:
    """A product by halves: long numbers are multiplied by long ones, which is faster."""
    if len(factors) <= 64:
        return math.prod(factors)
    middle = len(factors) // 2
    return _product(factors[:middle]) * _product(factors[middle:])
