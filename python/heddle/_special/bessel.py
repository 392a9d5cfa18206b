"""Derivatives of Bessel functions, spherical ones, and spherical harmonics."""

from __future__ import annotations

from typing import Any, Literal, overload

import heddle as hd
from heddle import _core
from heddle._core import ndarray
from heddle._special.support import needs_count
from heddle._typing import ArrayLike

__all__ = [
    *("h1vp", "h2vp", "ivp", "jvp", "kvp", "sph_harm_y", "spherical_in", "spherical_jn"),
    *("spherical_kn", "spherical_yn", "yvp"),
]


def jvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of jv with respect to z.

    >>> import heddle as np
    >>> print(np.special.jvp(0, np.array([1.0])).round(6))
    [-0.440051]
    """
    return _core.special_jvp(v, z, needs_count(n))


def yvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of yv with respect to z.

    >>> import heddle as np
    >>> print(np.special.yvp(0, np.array([1.0])).round(6))
    [0.781213]
    """
    return _core.special_yvp(v, z, needs_count(n))


def kvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of kv with respect to z.

    >>> import heddle as np
    >>> print(np.special.kvp(0, np.array([1.0])).round(6))
    [-0.601907]
    """
    return _core.special_kvp(v, z, needs_count(n))


def ivp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of iv with respect to z.

    >>> import heddle as np
    >>> print(np.special.ivp(0, np.array([1.0])).round(6))
    [0.565159]
    """
    return _core.special_ivp(v, z, needs_count(n))


def h1vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of hankel1 with respect to z.

    >>> import heddle as np
    >>> print(np.special.h1vp(0, np.array([1.0])).round(4))
    [-0.4401+0.7812j]
    """
    return _core.special_h1vp(v, z, needs_count(n))


def h2vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> ndarray:
    """The n-th derivative of hankel2 with respect to z.

    >>> import heddle as np
    >>> print(np.special.h2vp(0, np.array([1.0])).round(4))
    [-0.4401-0.7812j]
    """
    return _core.special_h2vp(v, z, needs_count(n))


def _double(z: ArrayLike) -> ndarray:
    """What SciPy's spherical functions give is double, but for that of the modified second kind."""
    given = hd.asarray(z)
    return given.astype("c16" if given.dtype.kind == "c" else "f8", copy=False)


def spherical_jn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The spherical Bessel function of the first kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_jn(0, np.array([1.0])).round(6))
    [0.841471]
    """
    return _core.spherical_jn(hd.asarray(n), _double(z), derivative)


def spherical_yn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The spherical Bessel function of the second kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_yn(0, np.array([1.0])).round(6))
    [-0.540302]
    """
    return _core.spherical_yn(hd.asarray(n), _double(z), derivative)


def spherical_in(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The modified spherical Bessel function of the first kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_in(0, np.array([1.0])).round(6))
    [1.175201]
    """
    return _core.spherical_in(hd.asarray(n), _double(z), derivative)


def spherical_kn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> ndarray:
    """The modified spherical Bessel function of the second kind, or its derivative.

    >>> import heddle as np
    >>> print(np.special.spherical_kn(0, np.array([1.0])).round(6))
    [0.577864]
    """
    return _core.spherical_kn(hd.asarray(n), hd.asarray(z), derivative)


@overload
def sph_harm_y(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, diff_n: Literal[0] = 0
) -> ndarray: ...
@overload
def sph_harm_y(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, diff_n: Literal[1, 2]
) -> tuple[ndarray, ...]: ...
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
    return _core.sph_harm_y(hd.asarray(n), hd.asarray(m), theta, phi)
