"""Special functions, as JAX's ``scipy.special`` has them: those of `heddle.special`."""

from typing import Any as _Any

import heddle as _hd
from heddle import special as _special
from heddle._typing import ArrayLike

__all__ = ["bessel_jn"]


def bessel_jn(z: ArrayLike, *, v: int, n_iter: int = 50) -> _hd.ndarray:
    """The Bessel functions of the orders 0 to ``v``, in rows.

    ``n_iter`` says in JAX how far a recurrence begins; functions here need none.

    >>> from heddle.jax.scipy.special import bessel_jn
    >>> print(bessel_jn(0.0, v=2))
    [1. 0. 0.]
    """
    if v < 0 or n_iter < 1:
        raise ValueError(f"bessel_jn: v and n_iter are counts, not {v} and {n_iter}")
    return _hd.stack([_special.jv(float(order), _hd.asarray(z)) for order in range(v + 1)])


def __getattr__(name: str) -> _Any:
    return getattr(_special, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_special)})
