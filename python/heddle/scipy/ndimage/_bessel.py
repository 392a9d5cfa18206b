"""The Bessel function of order one, for positive numbers; rational functions of Cephes."""

import math
from collections.abc import Sequence

from heddle._core import ndarray
from heddle._indexing.elements import where
from heddle._math.ufuncs import cos, minimum, sin, sqrt

_ZEROS = (1.46819706421238932572e1, 4.92184563216946036703e1)  # squares of the first ones
_NEAR = (
    (
        *(-8.99971225705559398224e8, 4.52228297998194034323e11),
        *(-7.27494245221818276015e13, 3.68295732863852883286e15),
    ),
    (
        *(1.0, 6.20836478118054335476e2, 2.56987256757748830383e5, 8.35146791431949253037e7),
        *(2.21511595479792499675e10, 4.74914122079991414898e12, 7.84369607876235854894e14),
        *(8.95222336184627338078e16, 5.32278620332680085395e18),
    ),
)
_COSINE = (
    (
        *(7.62125616208173112003e-4, 7.31397056940917570436e-2, 1.12719608129684925192e0),
        *(5.11207951146807644818e0, 8.42404590141772420927e0, 5.21451598682361504063e0),
        1.00000000000000000254e0,
    ),
    (
        *(5.71323128072548699714e-4, 6.88455908754495404082e-2, 1.10514232634061696926e0),
        *(5.07386386128601488557e0, 8.39985554327604159757e0, 5.20982848682361821619e0),
        9.99999999999999997461e-1,
    ),
)
_SINE = (
    (
        *(5.10862594750176621635e-2, 4.98213872951233449420e0, 7.58238284132545283818e1),
        *(3.66779609360150777800e2, 7.10856304998926107277e2, 5.97489612400613639965e2),
        *(2.11688757100572135698e2, 2.52070205858023719784e1),
    ),
    (
        *(1.0, 7.42373277035675149943e1, 1.05644886038262816351e3, 4.98641058337653607651e3),
        *(9.56231892404756170795e3, 7.99704160447350683650e3, 2.82619278517639096600e3),
        3.36093607810698293419e2,
    ),
)


def _polynomial(x: ndarray, coefficients: Sequence[float]) -> ndarray:
    value = x * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        value = value * x + c
    return value


def _ratio(x: ndarray, of: tuple[Sequence[float], Sequence[float]]) -> ndarray:
    return _polynomial(x, of[0]) / _polynomial(x, of[1])


def bessel_j1(x: ndarray) -> ndarray:
    """J1 of positive numbers."""
    near = minimum(x, 5.0)
    z = near * near
    small = _ratio(z, _NEAR) * near * (z - _ZEROS[0]) * (z - _ZEROS[1])
    w = 5.0 / where(x > 5.0, x, 5.0)
    z, angle = w * w, x - 0.75 * math.pi
    large = _ratio(z, _COSINE) * cos(angle) - w * _ratio(z, _SINE) * sin(angle)
    return where(x <= 5.0, small, large * sqrt(2.0 / (math.pi * x)))
