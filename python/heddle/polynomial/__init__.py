"""Polynomials and orthogonal series, as ``numpy.polynomial``: one implementation, six families."""

from heddle.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
    polyutils,
)
from heddle.polynomial._class import set_default_printstyle
from heddle.polynomial.chebyshev import Chebyshev
from heddle.polynomial.hermite import Hermite
from heddle.polynomial.hermite_e import HermiteE
from heddle.polynomial.laguerre import Laguerre
from heddle.polynomial.legendre import Legendre
from heddle.polynomial.polynomial import Polynomial

__all__ = [
    "Chebyshev",
    "Hermite",
    "HermiteE",
    "Laguerre",
    "Legendre",
    "Polynomial",
    "chebyshev",
    "hermite",
    "hermite_e",
    "laguerre",
    "legendre",
    "polynomial",
    "polyutils",
    "set_default_printstyle",
]
