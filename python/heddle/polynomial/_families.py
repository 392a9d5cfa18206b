"""The six families of polynomials. Their numbers are the core's; everything else is written once,
over these:

    p(n) P[n+1](x) = (q(n) x + r(n)) P[n](x) - s(n) P[n-1](x),  P[0] = 1
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TypeAlias

import numpy

from heddle import _core
from heddle._typing import HostArray

Band: TypeAlias = "HostArray | None"
Bands: TypeAlias = tuple[Band, Band, Band]


def _as_bands(numbers: tuple[list[float], list[float], list[float]]) -> Bands:
    up, same, down = map(numpy.asarray, numbers)
    return (
        up if up.any() else None,
        same if same.any() else None,
        down if down.any() else None,
    )


@dataclass(frozen=True, eq=False)
class Family:
    """What tells one family of polynomials from the others: the prefix of its functions, by which
    the core knows it, and the names of its class and of its polynomials."""

    prefix: str
    name: str
    basis: str | None

    @functools.cached_property
    def domain(self) -> tuple[float, float]:
        """The interval it is used on."""
        return _core.series_domain(self.prefix)

    @functools.cache  # noqa: B019 (there are six, for good)
    def step(self, n: int) -> tuple[float, float, float]:
        """a, b, c of P[n+1] = (a x + b) P[n] - c P[n-1]."""
        p, q, r, s = _core.series_recurrence(self.prefix, n)
        return q / p, r / p, s / p

    def times_x(self, count: int) -> tuple[HostArray, HostArray, HostArray]:
        """up, same, down of x P[n] = up P[n+1] + same P[n] + down P[n-1], of the first ones."""
        up, same, down = map(numpy.asarray, _core.series_bands(self.prefix, count))
        return up, same, down

    @functools.cache  # noqa: B019
    def bands(self, count: int) -> Bands:
        """times_x; None for a band that is zero."""
        return _as_bands(_core.series_bands(self.prefix, count))

    @functools.cache  # noqa: B019
    def integral_bands(self, count: int) -> Bands:
        """The integrals of the first polynomials, likewise."""
        return _as_bands(_core.series_integrals(self.prefix, count))

    @functools.cache  # noqa: B019
    def slopes(self, count: int) -> tuple[HostArray, HostArray, int]:
        """before, after and stride: the derivative of a series has the coefficients
        ``after[i] * sum(before[j] * c[j + 1])`` over j from i in steps of `stride`; over j = i
        alone where that is 0."""
        before, after, stride = _core.series_slopes(self.prefix, count)
        return numpy.asarray(before), numpy.asarray(after), stride

    @functools.cached_property
    def x(self) -> tuple[float, float]:
        """The series of x itself, of integers where they are."""
        up, same, _ = (band[0] for band in _core.series_bands(self.prefix, 1))
        return _as_whole(same), _as_whole(up)


def _as_whole(number: float) -> float:
    return int(number) if number == int(number) else number


power = Family("poly", "Polynomial", None)
chebyshev = Family("cheb", "Chebyshev", "T")
legendre = Family("leg", "Legendre", "P")
laguerre = Family("lag", "Laguerre", "L")
hermite = Family("herm", "Hermite", "H")
hermite_e = Family("herme", "HermiteE", "He")
