"""Special functions, as JAX's ``scipy.special`` has them: those of `heddle.special`."""

from typing import Any as _Any

import heddle as _hd
from heddle import special as _special
from heddle._typing import ArrayLike

__all__ = ["bessel_jn", "expit", "logit"]


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


def expit(x: ArrayLike) -> _hd.ndarray:
    """``1 / (1 + exp(-x))``, of complex numbers, too.

    >>> from heddle.jax.scipy.special import expit
    >>> print(expit(0.0), expit(0j))
    0.5 (0.5+0j)
    """
    return _hd.nn.sigmoid(x) if _is_complex(x) else _special.expit(x)


def logit(x: ArrayLike) -> _hd.ndarray:
    """``log(x / (1 - x))``, of complex numbers, too.

    >>> from heddle.jax.scipy.special import logit
    >>> print(logit(0.5), logit(0.5 + 0j))
    0.0 0j
    """
    return _hd.log(x / (1 - _hd.asarray(x))) if _is_complex(x) else _special.logit(x)


def _is_complex(x: ArrayLike) -> bool:
    return bool(_hd.result_type(x).kind == "c")


def __getattr__(name: str) -> _Any:
    return getattr(_special, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_special)})
