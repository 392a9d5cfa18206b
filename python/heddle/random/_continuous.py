"""Continuous distributions."""

from __future__ import annotations

from typing import Any, overload

import numpy

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, DTypeLike, Output, ShapeLike
from heddle.random._arguments import (
    check,
    float_type,
    is_array,
    output,
    output_shape,
    parameter,
    stored,
)
from heddle.random._drawing import Drawing, is_single


class Continuous(Drawing):
    """Methods of Generator."""

    def _standard(
        self,
        name: str,
        size: ShapeLike | None,
        dtype: DTypeLike | None,
        out: Output | None,
        parameters: tuple[ArrayLike, ...] = (),
    ) -> Any:
        """The same, of either type, and where they are wanted."""
        if out is None and dtype is numpy.float64 and is_single(size):
            return self._drawn(name, parameters, None)
        wanted = float_type(dtype, name)
        values = [parameter(p) for p in parameters]
        if values:
            check(name, *values)
        target, size = output(out, wanted, size)
        shape = output_shape(size, *values)
        return stored(_core.draw(name, self._bits, values, shape, wanted), target, out)

    # --- normal ---

    @overload
    def standard_normal(
        self, size: None = None, dtype: DTypeLike = numpy.float64, out: None = None
    ) -> float: ...
    @overload
    def standard_normal(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike = numpy.float64,
        out: Output | None = None,
    ) -> ndarray: ...
    def standard_normal(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike = numpy.float64,
        out: Output | None = None,
    ) -> ndarray | float:
        """Normal numbers of mean 0 and standard deviation 1.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_normal(3)
        array([-0.07824273, -0.18619522, -0.35050012])
        """
        found: ndarray | float = self._standard("standard_normal", size, dtype, out)
        return found

    @overload
    def normal(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def normal(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray: ...
    def normal(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Normal numbers.

        Examples
        --------
        >>> import heddle as np
        >>> rng = np.random.default_rng(7)
        >>> rng.normal(10.0, 2.0, 3)
        array([9.84351454, 9.62760956, 9.29899976])
        >>> rng.normal([0.0, 100.0]).shape
        (2,)
        """
        return self._drawn("normal", (loc, scale), size)

    @overload
    def lognormal(self, mean: float = 0.0, sigma: float = 1.0, size: None = None) -> float: ...
    @overload
    def lognormal(
        self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray: ...
    def lognormal(
        self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers whose logarithms are normal.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).lognormal(size=2)
        array([0.92473994, 0.83011152])
        """
        return self._drawn("lognormal", (mean, sigma), size)

    # --- inverses of distribution functions ---

    @overload
    def standard_exponential(
        self,
        size: None = None,
        dtype: DTypeLike | None = numpy.float64,
        method: str = "zig",
        out: None = None,
    ) -> float: ...
    @overload
    def standard_exponential(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = numpy.float64,
        method: str = "zig",
        out: Output | None = None,
    ) -> ndarray: ...
    def standard_exponential(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = numpy.float64,
        method: str = "zig",
        out: Output | None = None,
    ) -> ndarray | float:
        """Exponential numbers of scale 1, by inversion for both of NumPy's methods.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_exponential(2)
        array([0.6326496 , 0.55537999])
        """
        del method
        found: ndarray | float = self._standard("standard_exponential", size, dtype, out)
        return found

    @overload
    def exponential(self, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def exponential(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> ndarray: ...
    def exponential(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> ndarray | float:
        """Exponential numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).exponential(2.0, 3)
        array([1.2652992 , 1.11075997, 0.90191379])
        """
        return self._drawn("exponential", (scale,), size)

    @overload
    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def laplace(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray: ...
    def laplace(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers of the double exponential distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).laplace(size=2)
        array([ 0.6326496 , -0.55537999])
        """
        return self._drawn("laplace", (loc, scale), size)

    @overload
    def logistic(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def logistic(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray: ...
    def logistic(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers of the logistic distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).logistic(size=2)
        array([-0.12489214, -0.29759367])
        """
        return self._drawn("logistic", (loc, scale), size)

    @overload
    def gumbel(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def gumbel(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray: ...
    def gumbel(
        self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers of the Gumbel distribution of greatest values.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).gumbel(size=2)
        array([0.27767664, 0.15902662])
        """
        return self._drawn("gumbel", (loc, scale), size)

    @overload
    def rayleigh(self, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def rayleigh(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> ndarray: ...
    def rayleigh(self, scale: ArrayLike = 1.0, size: ShapeLike | None = None) -> ndarray | float:
        """Numbers of the Rayleigh distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).rayleigh(size=2)
        array([1.12485519, 1.05392598])
        """
        return self._drawn("rayleigh", (scale,), size)

    @overload
    def weibull(self, a: float, size: None = None) -> float: ...
    @overload
    def weibull(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def weibull(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray | float:
        """Numbers of the Weibull distribution of scale 1.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).weibull(2.0, 2)
        array([0.79539273, 0.74523821])
        """
        return self._drawn("weibull", (a,), size)

    @overload
    def pareto(self, a: float, size: None = None) -> float: ...
    @overload
    def pareto(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def pareto(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray | float:
        """Numbers of the Lomax distribution, which is Pareto's moved to zero.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).pareto(3.0, 2)
        array([0.23476813, 0.20337085])
        """
        return self._drawn("pareto", (a,), size)

    @overload
    def power(self, a: float, size: None = None) -> float: ...
    @overload
    def power(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def power(self, a: ArrayLike, size: ShapeLike | None = None) -> ndarray | float:
        """Numbers in [0, 1] with density a x**(a - 1).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).power(3.0, 2)
        array([0.80986865, 0.83099902])
        """
        return self._drawn("power", (a,), size)

    @overload
    def standard_cauchy(self, size: None = None) -> float: ...
    @overload
    def standard_cauchy(self, size: ShapeLike | None = None) -> ndarray: ...
    def standard_cauchy(self, size: ShapeLike | None = None) -> ndarray | float:
        """Numbers of Cauchy's distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_cauchy(2)
        array([-0.09827733, -0.2362748 ])
        """
        return self._draw("standard_cauchy", (), size)

    @overload
    def triangular(self, left: float, mode: float, right: float, size: None = None) -> float: ...
    @overload
    def triangular(
        self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray: ...
    def triangular(
        self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers whose density rises from `left` to `mode` and falls to `right`.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).triangular(0, 1, 4, 3)
        array([1.47528414, 1.37583347, 1.23518182])
        """
        low, top, high = parameter(left), parameter(mode), parameter(right)
        if any(is_array(p) for p in (low, top, high)):
            _core.check_parameters("triangular", (low, top, high))
        else:
            check("triangular", low, top, high)
        return self._draw("triangular", (low, top, high), size)

    @overload
    def wald(self, mean: float, scale: float, size: None = None) -> float: ...
    @overload
    def wald(self, mean: ArrayLike, scale: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def wald(
        self, mean: ArrayLike, scale: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers of the inverse Gaussian distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).wald(1.0, 2.0, 2)
        array([0.94618335, 0.87672229])
        """
        return self._drawn("wald", (mean, scale), size)

    @overload
    def vonmises(self, mu: float, kappa: float, size: None = None) -> float: ...
    @overload
    def vonmises(
        self, mu: ArrayLike, kappa: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray: ...
    def vonmises(
        self, mu: ArrayLike, kappa: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Angles in [-pi, pi]: the method of Best and Fisher (1979).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).vonmises(0.0, 4.0, 2)
        array([0.08790239, 0.18030834])
        """
        return self._drawn("vonmises", (mu, kappa), size)

    # --- gamma numbers and what is made of them ---

    @overload
    def standard_gamma(
        self, shape: float, size: None = None, dtype: DTypeLike = numpy.float64, out: None = None
    ) -> float: ...
    @overload
    def standard_gamma(
        self,
        shape: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike = numpy.float64,
        out: Output | None = None,
    ) -> ndarray: ...
    def standard_gamma(
        self,
        shape: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike = numpy.float64,
        out: Output | None = None,
    ) -> ndarray | float:
        """Gamma numbers of scale 1.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_gamma(2.0, 2)
        array([1.56768264, 1.4376607 ])
        """
        found: ndarray | float = self._standard("standard_gamma", size, dtype, out, (shape,))
        return found

    @overload
    def gamma(self, shape: float, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def gamma(
        self, shape: ArrayLike, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray: ...
    def gamma(
        self, shape: ArrayLike, scale: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Gamma numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).gamma(2.0, 1.5, 3)
        array([2.35152396, 2.15649105, 1.88083164])
        """
        return self._drawn("gamma", (shape, scale), size)

    @overload
    def beta(self, a: float, b: float, size: None = None) -> float: ...
    @overload
    def beta(self, a: ArrayLike, b: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def beta(self, a: ArrayLike, b: ArrayLike, size: ShapeLike | None = None) -> ndarray | float:
        """Numbers of the beta distribution, of two gamma numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).beta(2.0, 3.0, 3)
        array([0.59271488, 0.26459535, 0.22539371])
        """
        return self._drawn("beta", (a, b), size)

    @overload
    def chisquare(self, df: float, size: None = None) -> float: ...
    @overload
    def chisquare(self, df: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def chisquare(self, df: ArrayLike, size: ShapeLike | None = None) -> ndarray | float:
        """Chi-square numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).chisquare(3, 2)
        array([2.16835816, 1.95377544])
        """
        return self._drawn("chisquare", (df,), size)

    @overload
    def f(self, dfnum: float, dfden: float, size: None = None) -> float: ...
    @overload
    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def f(
        self, dfnum: ArrayLike, dfden: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers of the F distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).f(3, 4, 2)
        array([2.88185354, 0.47259264])
        """
        return self._drawn("f", (dfnum, dfden), size)

    @overload
    def standard_t(self, df: float, size: None = None) -> float: ...
    @overload
    def standard_t(self, df: ArrayLike, size: ShapeLike | None = None) -> ndarray: ...
    def standard_t(self, df: ArrayLike, size: ShapeLike | None = None) -> ndarray | float:
        """Numbers of Student's t distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_t(4, 2)
        array([-1.4429324 ,  0.83385556])
        """
        return self._drawn("standard_t", (df,), size)

    @overload
    def noncentral_chisquare(self, df: float, nonc: float, size: None = None) -> float: ...
    @overload
    def noncentral_chisquare(
        self, df: ArrayLike, nonc: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray: ...
    def noncentral_chisquare(
        self, df: ArrayLike, nonc: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Chi-square numbers that are not centred.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).noncentral_chisquare(3, 1, 2)
        array([1.14834363, 2.09710244])
        """
        return self._drawn("noncentral_chisquare", (df, nonc), size)

    @overload
    def noncentral_f(self, dfnum: float, dfden: float, nonc: float, size: None = None) -> float: ...
    @overload
    def noncentral_f(
        self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray: ...
    def noncentral_f(
        self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers of the F distribution that are not centred.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).noncentral_f(3, 4, 1, 2)
        array([1.52620458, 0.50726156])
        """
        return self._drawn("noncentral_f", (dfnum, dfden, nonc), size)
