"""Distributions of counts."""

from __future__ import annotations

from typing import Any, overload

import numpy

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, ShapeLike
from heddle.random._arguments import check, is_array, parameter
from heddle.random._drawing import Drawing


def _floats(n: Any) -> Any:
    return n.astype(numpy.float64) if is_array(n) else float(n)


class Discrete(Drawing):
    """Methods of Generator."""

    @overload
    def poisson(self, lam: float = 1.0, size: None = None) -> int: ...
    @overload
    def poisson(self, lam: ArrayLike = 1.0, size: ShapeLike | None = None) -> ndarray: ...
    def poisson(self, lam: ArrayLike = 1.0, size: ShapeLike | None = None) -> ndarray | int:
        """Counts of events that are independent of one another.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).poisson(4.0, 5)
        array([4, 3, 3, 2, 2])
        """
        return self._drawn("poisson", (lam,), size)

    @overload
    def binomial(self, n: float, p: float, size: None = None) -> int: ...
    @overload
    def binomial(self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def binomial(self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None) -> ndarray | int:
        """Successes in `n` trials.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).binomial(10, 0.5, 5)
        array([5, 5, 4, 4, 3])
        """
        n, p = parameter(n, numpy.int64), parameter(p)
        check("binomial", n, p)
        return self._draw("binomial", (_floats(n), p), size)

    @overload
    def negative_binomial(self, n: float, p: float, size: None = None) -> int: ...
    @overload
    def negative_binomial(
        self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray: ...
    def negative_binomial(
        self, n: ArrayLike, p: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | int:
        """Failures before the n-th success: Poisson counts whose means are gamma numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).negative_binomial(3, 0.5, 5)
        array([5, 2, 3, 2, 2])
        """
        return self._drawn("negative_binomial", (n, p), size)

    @overload
    def geometric(self, p: float, size: None = None) -> int: ...
    @overload
    def geometric(self, p: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def geometric(self, p: ArrayLike, size: ShapeLike | None = None) -> ndarray | int:
        """Trials up to the first success.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).geometric(0.3, 5)
        array([2, 2, 2, 1, 1])
        """
        return self._drawn("geometric", (p,), size)

    @overload
    def logseries(self, p: float, size: None = None) -> int: ...
    @overload
    def logseries(self, p: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def logseries(self, p: ArrayLike, size: ShapeLike | None = None) -> ndarray | int:
        """Counts of the logarithmic series distribution: the method of Kemp (1981).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).logseries(0.6, 5)
        array([1, 2, 2, 2, 1])
        """
        return self._drawn("logseries", (p,), size)

    @overload
    def zipf(self, a: float, size: None = None) -> int: ...
    @overload
    def zipf(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def zipf(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray | int:
        """Numbers with probabilities as ``k ** -a``: the rejection of Devroye (1986).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).zipf(2.0, 5)
        array([2, 5, 2, 4, 7])
        """
        return self._drawn("zipf", (a,), size)

    @overload
    def hypergeometric(
        self, ngood: float, nbad: float, nsample: float, size: None = None
    ) -> int: ...
    @overload
    def hypergeometric(
        self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray: ...
    def hypergeometric(
        self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | int:
        """Good ones among `nsample` that are drawn without putting them back.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).hypergeometric(5, 5, 3, 6)
        array([1, 1, 1, 1, 1, 2])
        """
        given = [parameter(x, numpy.int64) for x in (ngood, nbad, nsample)]
        numbers = [_floats(x) for x in given]
        if any(is_array(x) for x in given):
            _core.check_parameters("hypergeometric", numbers)
        else:
            check("hypergeometric", *given)
        return self._draw("hypergeometric", numbers, size)
