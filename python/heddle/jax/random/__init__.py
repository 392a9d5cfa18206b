"""JAX's random numbers: functions of a key, which give the same numbers each time.

Keys are words, and bits those of Threefry, as in JAX: the numbers are the same there, where
``jax_enable_x64`` is set. `heddle.random` has NumPy's generators.

>>> import heddle as np
>>> from heddle.jax import random
>>> first, second = random.split(random.key(0))
>>> print(random.uniform(first, (2,)))
[0.969948   0.31518186]
"""

from heddle._names.public import publish as _publish
from heddle.jax.random._counts import binomial, multinomial, poisson
from heddle.jax.random._gammas import (
    ball,
    beta,
    chisquare,
    dirichlet,
    f,
    gamma,
    generalized_normal,
    loggamma,
    t,
)
from heddle.jax.random._keys import (
    PRNGKey,
    bits,
    clone,
    fold_in,
    key,
    key_data,
    key_impl,
    split,
    wrap_key_data,
)
from heddle.jax.random._samples import (
    bernoulli,
    categorical,
    cauchy,
    choice,
    double_sided_maxwell,
    exponential,
    geometric,
    gumbel,
    laplace,
    logistic,
    lognormal,
    maxwell,
    multivariate_normal,
    normal,
    orthogonal,
    pareto,
    permutation,
    rademacher,
    randint,
    rayleigh,
    triangular,
    truncated_normal,
    uniform,
    wald,
    weibull_min,
)

__all__ = [
    "PRNGKey",
    "ball",
    "bernoulli",
    "beta",
    "binomial",
    "bits",
    "categorical",
    "cauchy",
    "chisquare",
    "choice",
    "clone",
    "dirichlet",
    "double_sided_maxwell",
    "exponential",
    "f",
    "fold_in",
    "gamma",
    "generalized_normal",
    "geometric",
    "gumbel",
    "key",
    "key_data",
    "key_impl",
    "laplace",
    "loggamma",
    "logistic",
    "lognormal",
    "maxwell",
    "multinomial",
    "multivariate_normal",
    "normal",
    "orthogonal",
    "pareto",
    "permutation",
    "poisson",
    "rademacher",
    "randint",
    "rayleigh",
    "split",
    "t",
    "triangular",
    "truncated_normal",
    "uniform",
    "wald",
    "weibull_min",
    "wrap_key_data",
]

_publish(__name__, *(globals()[name] for name in __all__))
