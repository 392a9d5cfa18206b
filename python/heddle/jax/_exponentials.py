"""Logarithms of sums of exponentials as JAX has them: of complex numbers, too."""

from __future__ import annotations

import heddle as hd
from heddle._math.log_sums import log_add_exp
from heddle._typing import ArrayLike


def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> hd.ndarray:
    """``log(exp(x1) + exp(x2))``, without overflow.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.logaddexp(1000.0, 1000.0), jnp.logaddexp(1j, 0.0).real.round(4))
    1000.6931471805599 0.5626
    """
    return log_add_exp(x1, x2)


# It is a ufunc in JAX.
for _name in ("accumulate", "at", "outer", "reduce", "reduceat"):
    setattr(logaddexp, _name, getattr(hd.logaddexp, _name))
