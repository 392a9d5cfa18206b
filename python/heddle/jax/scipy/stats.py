"""Statistics, as JAX's ``scipy.stats`` has them: `heddle.scipy.stats`, and densities of vectors.

>>> import heddle.jax.numpy as jnp
>>> from heddle.jax.scipy.stats import multivariate_normal
>>> print(multivariate_normal.logpdf(jnp.zeros(2), jnp.zeros(2), jnp.eye(2)).round(4))
-1.8379
"""

from typing import Any as _Any

import heddle as _hd
from heddle import special as _special
from heddle._typing import ArrayLike as _ArrayLike
from heddle.scipy import linalg as _linalg
from heddle.scipy import stats as _stats

__all__ = ["dirichlet", "multinomial", "multivariate_normal"]

_LOG_OF_CIRCLE = 1.8378770664093453  # log(2 pi)


class dirichlet:
    """Densities of proportions, which are the first axis.

    >>> from heddle.jax.scipy import stats
    >>> print(stats.dirichlet.pdf([0.2, 0.8], [1.0, 1.0]))
    1.0
    """

    @staticmethod
    def logpdf(x: _ArrayLike, alpha: _ArrayLike) -> _hd.ndarray:
        """The logarithm of the density; -inf where proportions do not add up to 1.

        The last of them may be left out.

        >>> import heddle.jax.numpy as jnp
        >>> from heddle.jax.scipy.stats import dirichlet
        >>> print(dirichlet.logpdf(jnp.array([0.2, 0.8]), jnp.ones(2)))
        0.0
        """
        x, alpha = _floats(x, alpha)
        if alpha.ndim != 1:
            raise ValueError(f"dirichlet: alpha has one axis, not the shape {alpha.shape}")
        count = x.shape[0] if x.ndim else 0
        if count == alpha.shape[0] - 1:
            x = _hd.concatenate([x, 1 - x.sum(0, keepdims=True)])
        elif count != alpha.shape[0]:
            raise ValueError(
                f"dirichlet: {alpha.shape[0]} proportions are along the first axis, or all but the "
                f"last one; the shape is {x.shape}"
            )
        scale = _special.gammaln(alpha).sum() - _special.gammaln(alpha.sum())
        found = _special.xlogy(alpha - 1, _hd.moveaxis(x, 0, -1)).sum(-1) - scale
        proportions = (x > 0).all(0) & (_hd.abs(x.sum(0) - 1) < 1e-6)
        return _hd.where(proportions, found, -_hd.inf)

    @staticmethod
    def pdf(x: _ArrayLike, alpha: _ArrayLike) -> _hd.ndarray:
        """The density.

        >>> import heddle.jax.numpy as jnp
        >>> from heddle.jax.scipy.stats import dirichlet
        >>> print(dirichlet.pdf(jnp.array([0.2, 0.8]), jnp.ones(2)))
        1.0
        """
        return _hd.exp(dirichlet.logpdf(x, alpha))


class multinomial:
    """Probabilities of counts of several outcomes, which are the last axis.

    >>> from heddle.jax.scipy import stats
    >>> print(stats.multinomial.pmf([0, 1], 1, [0.5, 0.5]))
    0.5
    """

    @staticmethod
    def logpmf(x: _ArrayLike, n: _ArrayLike, p: _ArrayLike) -> _hd.ndarray:
        """The logarithm of the probability; -inf where counts do not add up to ``n``.

        >>> import heddle.jax.numpy as jnp
        >>> from heddle.jax.scipy.stats import multinomial
        >>> print(multinomial.logpmf(jnp.array([1, 0]), 1, jnp.array([0.5, 0.5])).round(4))
        -0.6931
        """
        counts, p = _floats(x, p)
        found = _special.gammaln(_hd.asarray(n) + 1.0) + (
            _special.xlogy(counts, p) - _special.gammaln(counts + 1)
        ).sum(-1)
        return _hd.where(counts.sum(-1) == n, found, -_hd.inf).astype(p.dtype)

    @staticmethod
    def pmf(x: _ArrayLike, n: _ArrayLike, p: _ArrayLike) -> _hd.ndarray:
        """The probability.

        >>> import heddle.jax.numpy as jnp
        >>> from heddle.jax.scipy.stats import multinomial
        >>> print(multinomial.pmf(jnp.array([1, 0]), 1, jnp.array([0.5, 0.5])))
        0.5
        """
        return _hd.exp(multinomial.logpmf(x, n, p))


class multivariate_normal:
    """Densities of normal vectors, which are the last axis.

    >>> from heddle.jax.scipy import stats
    >>> print(stats.multivariate_normal.pdf([0.0], [0.0], 1.0).round(4))
    0.3989
    """

    @staticmethod
    def logpdf(
        x: _ArrayLike, mean: _ArrayLike, cov: _ArrayLike, allow_singular: None = None
    ) -> _hd.ndarray:
        """The logarithm of the density; ``cov`` is a matrix for each, or a number for all axes.

        >>> import heddle.jax.numpy as jnp
        >>> from heddle.jax.scipy.stats import multivariate_normal
        >>> print(multivariate_normal.logpdf(jnp.zeros(1), jnp.zeros(1), 1.0).round(4))
        -0.9189
        """
        if allow_singular is not None:
            raise NotImplementedError("multivariate_normal: allow_singular is not there")
        vector, center, spread = _floats(x, mean, cov)
        away = vector - center
        if center.ndim == 0:
            return (away**2 / spread + _LOG_OF_CIRCLE + _hd.log(spread)) * -0.5
        count = center.shape[-1]
        if spread.ndim == 0:
            scale = count * (_LOG_OF_CIRCLE + _hd.log(spread))
            return ((away**2).sum(-1) / spread + scale) * -0.5
        if spread.shape[-2:] != (count, count):
            raise ValueError(
                f"multivariate_normal: a mean of shape {center.shape}, cov of shape {spread.shape}"
            )
        factor = _hd.linalg.cholesky(spread)
        if spread.ndim == 2:
            flat = away.reshape(-1, count).T
            scores = _linalg.solve_triangular(factor, flat, lower=True).T.reshape(away.shape)
        else:
            rows = _hd.broadcast_shapes(away.shape[:-1], spread.shape[:-2])
            each = _hd.broadcast_to(factor, (*rows, count, count))
            column = _hd.broadcast_to(away, (*rows, count))[..., None]
            scores = _linalg.solve_triangular(each, column, lower=True)[..., 0]
        found: _hd.ndarray = (scores**2).sum(-1) + count * _LOG_OF_CIRCLE
        return found * -0.5 - _hd.log(_hd.diagonal(factor, axis1=-2, axis2=-1)).sum(-1)

    @staticmethod
    def pdf(x: _ArrayLike, mean: _ArrayLike, cov: _ArrayLike) -> _hd.ndarray:
        """The density.

        >>> import heddle.jax.numpy as jnp
        >>> from heddle.jax.scipy.stats import multivariate_normal
        >>> print(multivariate_normal.pdf(jnp.zeros(2), jnp.zeros(2), jnp.eye(2)).round(4))
        0.1592
        """
        return _hd.exp(multivariate_normal.logpdf(x, mean, cov))


def _floats(*arrays: _Any) -> list[_hd.ndarray]:
    """Arrays of one floating-point type."""
    given = [_hd.asarray(one) for one in arrays]
    kind = _hd.result_type(*given)
    return [one.astype(kind if kind.kind == "f" else "float64") for one in given]


def __getattr__(name: str) -> _Any:
    return getattr(_stats, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_stats)})
