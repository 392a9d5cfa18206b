"""Derivatives of Bessel functions, spherical ones, and spherical harmonics."""

from __future__ import annotations

from typing import Any

import heddle as hd
from heddle._core import ndarray, special_parts, special_ufuncs
from heddle._special.support import needs_count
from heddle._typing import ArrayLike

__all__ = [
    *("h1vp", "h2vp", "ivp", "jvp", "kvp", "sph_harm_y", "spherical_in", "spherical_jn"),
    *("spherical_kn", "spherical_yn", "yvp"),
]


def _derivative(
    name: str, v: ArrayLike, z: ArrayLike, n: ArrayLike, phase: int, sign: int = 1
) -> ndarray:
    """By the formula of derivatives of orders v - n … v + n (DLMF 10.6.7, 10.29.5)."""
    n = needs_count(n)
    function = special_ufuncs[name]
    if n == 0:
        return function(v, z)
    v = hd.asarray(v)
    coefficient = 1.0
    total = function(v - n, z)
    for i in range(1, n + 1):
        coefficient = phase * (coefficient * (n - i + 1)) / i
        total = total + coefficient * function(v - n + i * 2, z)
    return sign**n * total / 2.0**n


def jvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of jv with respect to z.

    >>> import heddle as np
    >>> print(np.special.jvp(0, np.array([1.0])).round(6))
    [-0.440051]
    """
    return _derivative("jv", v, z, n, -1)


def yvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of yv with respect to z.

    >>> import heddle as np
    >>> print(np.special.yvp(0, np.array([1.0])).round(6))
    [0.781213]
    """
    return _derivative("yv", v, z, n, -1)


def kvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of kv with respect to z.

    >>> import heddle as np
    >>> print(np.special.kvp(0, np.array([1.0])).round(6))
    [-0.601907]
    """
    return _derivative("kv", v, z, n, 1, -1)


def ivp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of iv with respect to z.

    >>> import heddle as np
    >>> print(np.special.ivp(0, np.array([1.0])).round(6))
    [0.565159]
    """
    return _derivative("iv", v, z, n, 1)


def h1vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of hankel1 with respect to z.

    >>> import heddle as np
    >>> print(np.special.h1vp(0, np.array([1.0])).round(4))
    [-0.4401+0.7812j]
    """
    return _derivative("hankel1", v, z, n, -1)


def h2vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of hankel2 with respect to z.

    >>> import heddle as np
    >>> print(np.special.h2vp(0, np.array([1.0])).round(4))
    [-0.4401-0.7812j]
    """
    return _derivative("hankel2", v, z, n, -1)


def _spherical(letter: str, n: ArrayLike, z: ArrayLike, derivative: bool) -> ndarray:
    n, z = hd.asarray(n).astype(hd.int64), hd.asarray(z)
    function = special_parts[f"spherical_{letter}" + ("_slope" if derivative else "")]
    if z.dtype.kind == "c":
        return function(n, z)
    if letter == "k":  # its real part on the other side
        return hd.where(z < 0, function(n, z + 0j).real, function(n, z))
    # Even or odd (DLMF 10.47.v).
    odd = (n % 2 == 1) ^ (letter == "y") ^ derivative
    made = function(n, hd.abs(z))
    return hd.where(odd & (z < 0), -made, made)


def spherical_jn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The spherical Bessel function of the first kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_jn(0, np.array([1.0])).round(6))
    [0.841471]
    """
    return _spherical("j", n, z, derivative)


def spherical_yn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The spherical Bessel function of the second kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_yn(0, np.array([1.0])).round(6))
    [-0.540302]
    """
    return _spherical("y", n, z, derivative)


def spherical_in(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The modified spherical Bessel function of the first kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_in(0, np.array([1.0])).round(6))
    [1.175201]
    """
    return _spherical("i", n, z, derivative)


def spherical_kn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The modified spherical Bessel function of the second kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_kn(0, np.array([1.0])).round(6))
    [0.577864]
    """
    return _spherical("k", n, z, derivative)


def sph_harm_y(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, diff_n: int = 0
) -> Any:
    """The spherical harmonic of degree n and order m at polar angle theta and azimuth phi.

    >>> import heddle as np
    >>> print(np.special.sph_harm_y(1, 0, np.array([0.0]), 0.0).real.round(6))
    [0.488603]
    """
    if diff_n != 0:
        from heddle._special.host import of_scipy

        return of_scipy("sph_harm_y")(n, m, theta, phi, diff_n=diff_n)
    orders = [hd.asarray(x) for x in (n, m)]
    if any(x.dtype.kind not in "iub" for x in orders):
        raise TypeError("sph_harm_y: the degree and the order are whole numbers")
    return special_parts["spherical_harmonic"](*orders, theta, phi)
