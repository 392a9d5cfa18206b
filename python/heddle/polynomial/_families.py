"""The six families of polynomials, as tables: everything else is written once, over these.

The coefficients of a three-term recurrence are small integers, so that what follows from them is
rounded once:

    p(n) P[n+1](x) = (q(n) x + r(n)) P[n](x) - s(n) P[n-1](x),  P[0] = 1

The functions of a table take a number or a NumPy array of numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from heddle._typing import ArrayLike, HostArray

Numbers = Callable[[Any], Any]


def _zero(n: HostArray | int) -> HostArray | float:
    return n * 0.0


def _one(n: HostArray | int) -> HostArray | int:
    return n * 0 + 1


@dataclass(frozen=True, eq=False)
class Family:
    """What tells one family of polynomials from the others.

    The derivative of a series has the coefficients ``after(i) * sum(before(j) * c[j])`` over j from
    i + 1 in steps of `stride`; over j = i + 1 alone where that is 0. The integral of P[n] is
    ``up(n) P[n+1] + same(n) P[n] + down(n) P[n-1]`` and a constant.
    """

    prefix: str
    name: str
    basis: str | None
    domain: tuple[float, float]
    recurrence: tuple[Numbers, Numbers, Numbers, Numbers]
    derivative: tuple[Numbers, Numbers, int]
    integral: tuple[Numbers, Numbers, Numbers]
    weight: Callable[[Any, Any], Any] | None = None  # of a module with exp and sqrt, and of x
    mass: float = 1.0  # the integral of the weight
    maxpower: int | None = 16

    @functools.cache  # noqa: B019 (there are six, for good)
    def step(self, n: int) -> tuple[float, float, float]:
        """a, b, c of P[n+1] = (a x + b) P[n] - c P[n-1]."""
        p, q, r, s = (part(n) for part in self.recurrence)
        return q / p, r / p, s / p

    def times_x(self, n: Any) -> tuple[Any, Any, Any]:
        """up, same, down of x P[n] = up P[n+1] + same P[n] + down P[n-1]."""
        p, q, r, s = (part(n) for part in self.recurrence)
        return p / q, -r / q, s / q

    @functools.cache  # noqa: B019
    def bands(self, count: int) -> tuple[Any, Any, Any]:
        """times_x of the first polynomials; None for a band that is zero."""
        bands = (numpy.asarray(band) for band in self.times_x(numpy.arange(count)))
        return tuple(band if band.any() else None for band in bands)

    def integral_bands(self, n: ArrayLike) -> tuple[Any, Any, Any]:
        """The integrals of P[n], likewise."""
        up, same, down = (None if band is _zero else band(n) for band in self.integral)
        return up, same, down

    @property
    def x(self) -> tuple[Any, Any]:
        """The series of x itself, of integers where they are."""
        p, q, r, _ = (part(0) for part in self.recurrence)
        return tuple(int(v / q) if v % q == 0 else v / q for v in (-r, p))


power = Family(
    "poly",
    "Polynomial",
    None,
    (-1.0, 1.0),
    recurrence=(_one, _one, _zero, _zero),
    derivative=(lambda j: j, _one, 0),
    integral=(lambda n: 1 / (n + 1), _zero, _zero),
    maxpower=None,
)

chebyshev = Family(
    "cheb",
    "Chebyshev",
    "T",
    (-1.0, 1.0),
    recurrence=(_one, lambda n: 2 - (n == 0), _zero, _one),
    derivative=(lambda j: 2 * j, lambda i: 1 - 0.5 * (i == 0), 2),
    integral=(
        lambda n: 1 / (2 - (n == 0)) / (n + 1),
        _zero,
        lambda n: (n > 1) * -1.0 / (2 * numpy.maximum(n - 1, 1)),
    ),
    weight=lambda xp, x: 1.0 / (xp.sqrt(1.0 + x) * xp.sqrt(1.0 - x)),
    mass=numpy.pi,
)

legendre = Family(
    "leg",
    "Legendre",
    "P",
    (-1.0, 1.0),
    recurrence=(lambda n: n + 1, lambda n: 2 * n + 1, _zero, lambda n: n),
    derivative=(_one, lambda i: 2 * i + 1, 2),
    integral=(lambda n: 1 / (2 * n + 1), _zero, lambda n: (n > 1) * -1.0 / (2 * n + 1)),
    weight=lambda xp, x: x * 0.0 + 1.0,
    mass=2.0,
)

laguerre = Family(
    "lag",
    "Laguerre",
    "L",
    (0.0, 1.0),
    recurrence=(lambda n: n + 1, lambda n: n * 0 - 1, lambda n: 2 * n + 1, lambda n: n),
    derivative=(lambda j: j * 0 - 1, _one, 1),
    integral=(lambda n: n * 0 - 1.0, lambda n: n * 0 + 1.0, _zero),
    weight=lambda xp, x: xp.exp(-x),
)

hermite = Family(
    "herm",
    "Hermite",
    "H",
    (-1.0, 1.0),
    recurrence=(_one, lambda n: n * 0 + 2, _zero, lambda n: 2 * n),
    derivative=(lambda j: 2 * j, _one, 0),
    integral=(lambda n: 1 / (2 * (n + 1)), _zero, _zero),
    weight=lambda xp, x: xp.exp(-(x**2)),
    mass=numpy.sqrt(numpy.pi),
)

hermite_e = Family(
    "herme",
    "HermiteE",
    "He",
    (-1.0, 1.0),
    recurrence=(_one, _one, _zero, lambda n: n),
    derivative=(lambda j: j, _one, 0),
    integral=(lambda n: 1 / (n + 1), _zero, _zero),
    weight=lambda xp, x: xp.exp(-0.5 * x**2),
    mass=numpy.sqrt(2 * numpy.pi),
)
