"""Distributions of vectors."""

from __future__ import annotations

import operator
from typing import Any

import numpy

from heddle import _core
from heddle._arguments import as_array, as_shape
from heddle._core import ndarray, own_array
from heddle._runtime.reports import refuse_if, warn_if
from heddle._typing import ArrayLike, ShapeLike
from heddle.random._arguments import is_array, output_shape, parameter
from heddle.random._philox import Philox

_NO_OUTCOMES = (
    "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
)


class Multivariate:
    """Methods of Generator."""

    _bits: Philox

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: ShapeLike | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> ndarray:
        """Normal vectors of a given mean and covariance.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).multivariate_normal([0, 0], np.eye(2), 4).shape
        (4, 2)
        """
        import heddle

        if method not in {"eigh", "svd", "cholesky"}:
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        if check_valid not in {"warn", "raise", "ignore"}:
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        mean, cov = as_array(mean), as_array(cov)
        if cov.dtype.kind == "c" or mean.dtype.kind == "c":
            raise TypeError("mean and cov must not be complex")
        mean, cov = as_array(mean, numpy.float64), as_array(cov, numpy.float64)
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        shape = (() if size is None else as_shape(size)) + mean.shape
        x = _core.draw("standard_normal", self._bits, (), shape)
        factor, wrong = _core.factor_covariance(cov, method, tol)
        if check_valid != "ignore" and wrong is not None:
            message = "covariance is not symmetric positive-semidefinite."
            if check_valid == "raise":
                x = refuse_if(wrong, x, ValueError, message, "multivariate_normal")
            else:
                x = warn_if(wrong, x, message)
        return mean + heddle.matmul(x, factor.T)

    def dirichlet(self, alpha: ArrayLike, size: ShapeLike | None = None) -> ndarray:
        """Vectors of numbers that sum to 1: gamma numbers over their sum.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).dirichlet([1.0, 2.0, 3.0]).sum().round(6)
        np.float64(1.0)
        """
        if not hasattr(alpha, "__len__"):
            raise TypeError(f"object of type '{type(alpha).__name__}' has no len()")
        alpha = as_array(as_array(alpha), numpy.float64)
        if alpha.ndim != 1:
            raise ValueError("alpha must be a one-dimensional array")
        if bool((alpha < 0).any()):
            raise ValueError("alpha < 0")
        # As numbers they make shorter kernels, and have no derivative.
        given = [] if _core.is_differentiated(alpha) else alpha.tolist()
        small = bool((alpha < _core.small_dirichlet).any())
        shape = () if size is None else as_shape(size)
        return _core.draw_dirichlet(self._bits, alpha, given, small, shape)

    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: ShapeLike | None = None) -> ndarray:
        """Counts of `n` trials by outcome: binomial ones of what is left, one after the other.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).multinomial(10, [0.5, 0.3, 0.2])
        array([5, 4, 1])
        """
        trials: Any = parameter(n, numpy.int64)
        p = as_array(as_array(pvals), numpy.float64)
        if p.ndim < 1 or p.shape[-1] == 0:
            raise ValueError(_NO_OUTCOMES)
        if bool((trials < 0).any()) if is_array(trials) else trials < 0:
            raise ValueError("n < 0")
        if bool((p < 0).any()) or bool((p > 1).any()) or bool((p != p).any()):
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
        if bool((p[..., :-1].sum(axis=-1) > 1.0 + 1e-12).any()):
            raise ValueError("sum(pvals[:-1]) > 1.0")
        rows = p[..., 0] if p.ndim > 1 else 0.0
        shape = output_shape(size, trials, rows)
        return _core.draw_multinomial(self._bits, trials, p, shape)

    def multivariate_hypergeometric(
        self,
        colors: ArrayLike,
        nsample: int,
        size: ShapeLike | None = None,
        method: str = "marginals",
    ) -> ndarray:
        """Counts by color of what is drawn without putting it back.

        Both of NumPy's methods draw from the marginal distributions, one after the other.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).multivariate_hypergeometric([3, 4, 5], 6).sum()
        np.int64(6)
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        host = colors.get() if isinstance(colors, own_array) else numpy.asarray(colors)
        if host.size == 0 and host.ndim == 1:
            host = host.astype(numpy.int64)
        if host.ndim != 1 or host.dtype.kind not in "iu" or (host < 0).any():
            raise ValueError(
                "colors must be a one-dimensional sequence of nonnegative integers not exceeding "
                f"{numpy.iinfo(numpy.int64).max}."
            )
        sample, total = operator.index(nsample), int(host.sum())
        if sample < 0:
            raise ValueError("nsample must be nonnegative.")
        if sample > total:
            raise ValueError("nsample > sum(colors)")
        if method == "marginals" and total >= 10**9:
            raise ValueError(
                'When method is "marginals", sum(colors) must be less than 1000000000.'
            )
        shape = output_shape(size)
        return _core.draw_multivariate_hypergeometric(self._bits, host.tolist(), sample, shape)
