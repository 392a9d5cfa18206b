"""Distributions of vectors."""

import math
import operator
from typing import Any

import numpy

from heddle import _core
from heddle._arguments import as_array, as_shape
from heddle._core import ndarray, ufuncs
from heddle._runtime.reports import refuse_if, warn_if
from heddle.random._arguments import is_array, output_shape, parameter
from heddle.random._philox import Philox

_FEW = 16  # parameters up to this many are drawn for one by one
_SMALL = 0.1  # of parameters below this, gamma numbers may be too small for float64


def _stacked(parts: list[ndarray]) -> ndarray:
    import heddle

    return heddle.stack(parts, axis=-1)


_NO_OUTCOMES = (
    "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
)


class Multivariate:
    """Methods of Generator."""

    _bits: Philox

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
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
        if method == "svd":
            u, s, vh = heddle.linalg.svd(cov)
        elif method == "eigh":
            s, u = heddle.linalg.eigh(cov)
        else:
            factor = heddle.linalg.cholesky(cov)
        if check_valid != "ignore" and method != "cholesky":
            if method == "svd":
                wrong = ~heddle.isclose(heddle.matmul(vh.T * s, vh), cov, rtol=tol, atol=tol)
            else:
                wrong = s < -tol
            message = "covariance is not symmetric positive-semidefinite."
            if check_valid == "raise":
                x = refuse_if(wrong, x, ValueError, message, "multivariate_normal")
            else:
                x = warn_if(wrong, x, message)
        if method == "cholesky":
            return mean + heddle.matmul(x, factor.T)
        # Which sign a vector has is the library's choice: the one that makes all devices agree.
        signs = heddle.copysign(1.0, heddle.matmul(heddle.cos(heddle.arange(1.0, len(s) + 1)), u))
        return mean + heddle.matmul(x, (u * (signs * heddle.sqrt(heddle.abs(s)))).T)

    def dirichlet(self, alpha: Any, size: Any = None) -> ndarray:
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
        shape = (() if size is None else as_shape(size)) + alpha.shape
        # As numbers they make shorter kernels, and have no derivative.
        given = [] if _core.is_differentiated(alpha) else alpha.tolist()
        small = bool((alpha < _SMALL).any())
        name = "log_gamma" if small else "standard_gamma"
        if len(set(given)) == 1:
            values = _core.draw(name, self._bits, given[:1], shape)
        elif 0 < len(given) <= _FEW:
            values = _stacked([_core.draw(name, self._bits, (a,), shape[:-1]) for a in given])
        else:
            values = _core.draw(name, self._bits, (alpha,), shape)
        if not small:
            return values / values.sum(axis=-1, keepdims=True)
        logs = values
        # Of logarithms, so that small parameters do not underflow.
        highest = logs.max(axis=-1, keepdims=True)
        values = _core.select(logs == -math.inf, 0.0, ufuncs["exp"](logs - highest))
        total = values.sum(axis=-1, keepdims=True)
        return _core.select(highest == -math.inf, 0.0, values / total)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> ndarray:
        """Counts of `n` trials by outcome: binomial ones of what is left, one after the other.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).multinomial(10, [0.5, 0.3, 0.2])
        array([5, 4, 1])
        """
        n = parameter(n, numpy.int64)
        p = as_array(as_array(pvals), numpy.float64)
        if p.ndim < 1 or p.shape[-1] == 0:
            raise ValueError(_NO_OUTCOMES)
        if bool((n < 0).any()) if is_array(n) else n < 0:
            raise ValueError("n < 0")
        if bool((p < 0).any()) or bool((p > 1).any()) or bool((p != p).any()):
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
        if bool((p[..., :-1].sum(axis=-1) > 1.0 + 1e-12).any()):
            raise ValueError("sum(pvals[:-1]) > 1.0")
        rows = p[..., 0] if p.ndim > 1 else 0.0
        shape = output_shape(size, n, rows)
        left = n.astype(numpy.float64) if is_array(n) else float(n)
        left = left + _core.full(shape, 0, numpy.dtype(numpy.float64))
        host = p.get()
        rest = numpy.ones(host.shape[:-1])
        counts = []
        for i in range(p.shape[-1] - 1):
            now = numpy.where(rest <= 0.0, 0.0, host[..., i] / numpy.maximum(rest, 1e-300))
            now = numpy.minimum(now, 1.0)
            chance = as_array(now)._broadcast_to(shape) if now.ndim else float(now)
            drawn = _core.draw("binomial", self._bits, (left, chance), shape)
            drawn = drawn.astype(numpy.float64)
            counts.append(drawn)
            left = left - drawn
            rest = rest - host[..., i]
        return _stacked([*counts, left]).astype(numpy.int64)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: int, size: Any = None, method: str = "marginals"
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
        host = colors.get() if is_array(colors) else numpy.asarray(colors)
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
        if not host.size:
            return _core.full((*shape, 0), 0, numpy.dtype(numpy.int64))
        left = _core.full(shape, float(sample), numpy.dtype(numpy.float64))
        counts = []
        for good in host[:-1]:
            total -= int(good)
            given = (float(good), float(total), left)
            drawn = _core.draw("hypergeometric", self._bits, given, shape).astype(numpy.float64)
            counts.append(drawn)
            left = left - drawn
        return _stacked([*counts, left]).astype(numpy.int64)
