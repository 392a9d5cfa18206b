"""Continuous distributions: transformations of single words, and those made of gamma numbers."""

import math
from typing import Any

import numpy

from heddle import _core
from heddle._core import ndarray, ufuncs
from heddle.random._arguments import (
    check,
    flat,
    float_type,
    is_array,
    output,
    output_shape,
    parameter,
    stored,
)
from heddle.random._draws import (
    exp,
    exponential,
    log,
    normal,
    positive,
    sign,
    sqrt,
    two_uniform,
    uniform,
    where,
)
from heddle.random._philox import Philox


def _split_small(bits: Philox, shape: tuple[int, ...], alpha: Any) -> tuple[Any, Any]:
    """A parameter that is at least 1, and what to add to the logarithm of its gamma numbers.

    A number of a smaller parameter is one of a parameter greater by 1, times ``u ** (1 / alpha)``.
    """
    if not is_array(alpha):
        if alpha >= 1.0:
            return alpha, 0.0
        added = log(positive(bits.reserve(math.prod(shape)).words(shape)))
        return alpha + 1.0, added / alpha if alpha else added * math.inf
    power = log(positive(bits.reserve(math.prod(shape)).words(shape))) / alpha
    return where(alpha < 1.0, alpha + 1.0, alpha), where(alpha < 1.0, power, 0.0)


def gamma_numbers(bits: Philox, shape: tuple[int, ...], alpha: Any) -> ndarray:
    """Standard gamma numbers: the method of Marsaglia and Tsang (2000)."""
    space, (alpha,) = flat(shape, alpha)
    if not is_array(alpha) and alpha == 1.0:
        return exponential(bits.reserve(math.prod(shape)).words(shape))
    greater, added = _split_small(bits, space, alpha)
    result = _core.gamma_deviate(*two_uniform(bits, space), greater)
    return _core.drawn(result * exp(added) if is_array(added) else result, shape)


def log_gamma_numbers(bits: Philox, shape: tuple[int, ...], alpha: Any) -> ndarray:
    """Their logarithms, which do not underflow where the parameter is small."""
    space, (alpha,) = flat(shape, alpha)
    greater, added = _split_small(bits, space, alpha)
    result = _core.gamma_deviate(*two_uniform(bits, space), greater)
    return _core.drawn(log(result) + added, shape)


class Continuous:
    """Methods of Generator."""

    _bits: Philox

    def _words(self, shape: tuple[int, ...], dtype: Any = numpy.float64) -> ndarray:
        """A word, or half of one, for every element."""
        if dtype == numpy.float64:
            return self._bits.reserve(math.prod(shape)).words(shape)
        return self._bits.reserve(math.prod(shape), 1, 2).words(shape, 0, numpy.uint32)

    def _standard(self, name: str, make: Any, size: Any, dtype: Any, out: Any) -> Any:
        wanted = float_type(dtype, name)
        target, size = output(out, wanted, size)
        return stored(make(self._words(output_shape(size), wanted)), target, out)

    def _transformed(self, name: str, parameters: Any, size: Any, formula: Any) -> ndarray:
        """A function of a word for every element and of the parameters."""
        values = [parameter(p) for p in parameters]
        check(name, *values)
        shape = output_shape(size, *values)
        space, values = flat(shape, *values)
        result = formula(self._words(space), *values)
        return result if space == shape else _core.drawn(result, shape)

    # --- normal ---

    def standard_normal(self, size: Any = None, dtype: Any = numpy.float64, out: Any = None) -> Any:
        """Normal numbers of mean 0 and standard deviation 1.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_normal(3)
        array([-0.07824273, -0.18619522, -0.35050012])
        """
        return self._standard("standard_normal", normal, size, dtype, out)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> ndarray:
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
        return self._transformed(
            "normal", (loc, scale), size, lambda w, mean, s: mean + s * normal(w)
        )

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> ndarray:
        """Numbers whose logarithms are normal.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).lognormal(size=2)
        array([0.92473994, 0.83011152])
        """
        return self._transformed(
            "lognormal", (mean, sigma), size, lambda w, m, s: exp(m + s * normal(w))
        )

    # --- inverses of distribution functions ---

    def standard_exponential(
        self, size: Any = None, dtype: Any = numpy.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Exponential numbers of scale 1, by inversion for both of NumPy's methods.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_exponential(2)
        array([0.6326496 , 0.55537999])
        """
        del method
        return self._standard("standard_exponential", exponential, size, dtype, out)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> ndarray:
        """Exponential numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).exponential(2.0, 3)
        array([1.2652992 , 1.11075997, 0.90191379])
        """
        return self._transformed("exponential", (scale,), size, lambda w, s: s * exponential(w))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> ndarray:
        """Numbers of the double exponential distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).laplace(size=2)
        array([ 0.6326496 , -0.55537999])
        """

        def formula(w: ndarray, mean: Any, s: Any) -> ndarray:
            x = exponential(w)
            return mean + s * where(sign(w), x, -x)

        return self._transformed("laplace", (loc, scale), size, formula)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> ndarray:
        """Numbers of the logistic distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).logistic(size=2)
        array([-0.12489214, -0.29759367])
        """

        def formula(w: ndarray, mean: Any, s: Any) -> ndarray:
            u = positive(w)
            return mean + s * log(u / (1.0 - u))

        return self._transformed("logistic", (loc, scale), size, formula)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> ndarray:
        """Numbers of the Gumbel distribution of greatest values.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).gumbel(size=2)
        array([0.27767664, 0.15902662])
        """
        return self._transformed(
            "gumbel", (loc, scale), size, lambda w, mean, s: mean - s * log(-log(positive(w)))
        )

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> ndarray:
        """Numbers of the Rayleigh distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).rayleigh(size=2)
        array([1.12485519, 1.05392598])
        """
        return self._transformed(
            "rayleigh", (scale,), size, lambda w, s: s * sqrt(2.0 * exponential(w))
        )

    def weibull(self, a: Any, size: Any = None) -> ndarray:
        """Numbers of the Weibull distribution of scale 1.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).weibull(2.0, 2)
        array([0.79539273, 0.74523821])
        """

        def formula(w: ndarray, shape: Any) -> ndarray:
            x = exponential(w) ** (1.0 / shape)
            return where(shape == 0.0, 0.0, x) if is_array(shape) else x

        if not is_array(a) and numpy.ndim(a) == 0 and float(a) == 0.0:
            check("weibull", float(a))
            return self._words(output_shape(size)).astype(float) * 0.0
        return self._transformed("weibull", (a,), size, formula)

    def pareto(self, a: Any, size: Any = None) -> ndarray:
        """Numbers of the Lomax distribution, which is Pareto's moved to zero.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).pareto(3.0, 2)
        array([0.23476813, 0.20337085])
        """
        return self._transformed(
            "pareto", (a,), size, lambda w, shape: ufuncs["expm1"](exponential(w) / shape)
        )

    def power(self, a: Any, size: Any = None) -> ndarray:
        """Numbers in [0, 1] with density a x**(a - 1).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).power(3.0, 2)
        array([0.80986865, 0.83099902])
        """
        return self._transformed(
            "power", (a,), size, lambda w, shape: (1.0 - uniform(w)) ** (1.0 / shape)
        )

    def standard_cauchy(self, size: Any = None) -> ndarray:
        """Numbers of Cauchy's distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_cauchy(2)
        array([-0.09827733, -0.2362748 ])
        """
        words = self._words(output_shape(size))
        return ufuncs["tan"](math.pi * (uniform(words) - 0.5))

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> ndarray:
        """Numbers whose density rises from `left` to `mode` and falls to `right`.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).triangular(0, 1, 4, 3)
        array([1.47528414, 1.37583347, 1.23518182])
        """
        low, top, high = parameter(left), parameter(mode), parameter(right)
        if any(is_array(p) for p in (low, top, high)):
            for wrong, message in (
                (low > top, "left > mode"),
                (top > high, "mode > right"),
                (low == high, "left == right"),
            ):
                if bool(wrong.any()) if is_array(wrong) else wrong:
                    raise ValueError(message)
        else:
            check("triangular", low, top, high)
        shape = output_shape(size, low, top, high)
        space, (low, top, high) = flat(shape, low, top, high)
        u = uniform(self._words(space))
        whole, rise = high - low, top - low
        rising = low + sqrt(u * (whole * rise))
        falling = high - sqrt((1.0 - u) * (whole * (high - top)))
        return _core.drawn(where(u * whole <= rise, rising, falling), shape)

    def wald(self, mean: Any, scale: Any, size: Any = None) -> ndarray:
        """Numbers of the inverse Gaussian distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).wald(1.0, 2.0, 2)
        array([0.94618335, 0.87672229])
        """
        mu, lam = parameter(mean), parameter(scale)
        check("wald", mu, lam)
        shape = output_shape(size, mu, lam)
        space, (mu, lam) = flat(shape, mu, lam)
        reserved = self._bits.reserve(math.prod(shape), 2)
        z, u = normal(reserved.words(space, 0)), uniform(reserved.words(space, 1))
        y = mu * z * z
        # The smaller root of the quadratic equation, without cancellation.
        x = mu - 2.0 * mu * y / (y + sqrt(y * (4.0 * lam + y)))
        x = where(y == 0.0, mu, x)
        return _core.drawn(where(u * (mu + x) <= mu, x, mu * mu / x), shape)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> ndarray:
        """Angles in [-pi, pi]: the method of Best and Fisher (1979).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).vonmises(0.0, 4.0, 2)
        array([0.08790239, 0.18030834])
        """
        mean, k = parameter(mu), parameter(kappa)
        check("vonmises", mean, k)
        shape = output_shape(size, mean, k)
        space, (mean, k) = flat(shape, mean, k)
        angle = _core.vonmises_deviate(*two_uniform(self._bits, space), k) + mean
        angle = where(k != k, math.nan, angle)
        inside = ufuncs["remainder"](angle + math.pi, 2.0 * math.pi) - math.pi
        return _core.drawn(where(ufuncs["absolute"](angle) <= math.pi, angle, inside), shape)

    # --- gamma numbers and what is made of them ---

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = numpy.float64, out: Any = None
    ) -> Any:
        """Gamma numbers of scale 1.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_gamma(2.0, 2)
        array([1.56768264, 1.4376607 ])
        """
        wanted = float_type(dtype, "standard_gamma")
        alpha = parameter(shape)
        check("standard_gamma", alpha)
        target, size = output(out, wanted, size)
        result = gamma_numbers(self._bits, output_shape(size, alpha), alpha)
        return stored(result if wanted == result.dtype else result.astype(wanted), target, out)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> ndarray:
        """Gamma numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).gamma(2.0, 1.5, 3)
        array([2.35152396, 2.15649105, 1.88083164])
        """
        alpha, theta = parameter(shape), parameter(scale)
        check("gamma", alpha, theta)
        return theta * gamma_numbers(self._bits, output_shape(size, alpha, theta), alpha)

    def beta(self, a: Any, b: Any, size: Any = None) -> ndarray:
        """Numbers of the beta distribution, of two gamma numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).beta(2.0, 3.0, 3)
        array([0.59271488, 0.26459535, 0.22539371])
        """
        a, b = parameter(a), parameter(b)
        check("beta", a, b)
        shape = output_shape(size, a, b)
        first = log_gamma_numbers(self._bits, shape, a)
        second = log_gamma_numbers(self._bits, shape, b)
        return 1.0 / (1.0 + exp(second - first))

    def chisquare(self, df: Any, size: Any = None) -> ndarray:
        """Chi-square numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).chisquare(3, 2)
        array([2.16835816, 1.95377544])
        """
        df = parameter(df)
        check("chisquare", df)
        return 2.0 * gamma_numbers(self._bits, output_shape(size, df), df / 2.0)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> ndarray:
        """Numbers of the F distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).f(3, 4, 2)
        array([2.88185354, 0.47259264])
        """
        num, den = parameter(dfnum), parameter(dfden)
        check("f", num, den)
        shape = output_shape(size, num, den)
        first = gamma_numbers(self._bits, shape, num / 2.0)
        second = gamma_numbers(self._bits, shape, den / 2.0)
        return first * den / (second * num)

    def standard_t(self, df: Any, size: Any = None) -> ndarray:
        """Numbers of Student's t distribution.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).standard_t(4, 2)
        array([-1.4429324 ,  0.83385556])
        """
        df = parameter(df)
        check("standard_t", df)
        shape = output_shape(size, df)
        chi = gamma_numbers(self._bits, shape, df / 2.0)
        return sqrt(df / 2.0) * normal(self._words(shape)) / sqrt(chi)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> ndarray:
        """Chi-square numbers that are not centred.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).noncentral_chisquare(3, 1, 2)
        array([1.14834363, 2.09710244])
        """
        df, nonc = parameter(df), parameter(nonc)
        check("noncentral_chisquare", df, nonc)
        return self._noncentral(df, nonc, output_shape(size, df, nonc))

    def _noncentral(self, df: Any, nonc: Any, shape: tuple[int, ...]) -> ndarray:
        if not is_array(df) and df > 1.0:  # a square that is not centred, and the rest
            root = sqrt(nonc) if is_array(nonc) else math.sqrt(nonc)
            moved = normal(self._words(shape)) + root
            return 2.0 * gamma_numbers(self._bits, shape, (df - 1.0) / 2.0) + moved * moved
        # A mixture of central ones whose degrees of freedom are more by twice a Poisson number.
        more = self._poisson_numbers(nonc / 2.0, shape)
        result = 2.0 * gamma_numbers(self._bits, shape, more.astype(numpy.float64) + df / 2.0)
        return where(nonc != nonc, math.nan, result)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> ndarray:
        """Numbers of the F distribution that are not centred.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).noncentral_f(3, 4, 1, 2)
        array([1.52620458, 0.50726156])
        """
        num, den, nonc = parameter(dfnum), parameter(dfden), parameter(nonc)
        check("noncentral_f", num, den, nonc)
        shape = output_shape(size, num, den, nonc)
        first = self._noncentral(num, nonc, shape)
        second = 2.0 * gamma_numbers(self._bits, shape, den / 2.0)
        return first * den / (second * num)
