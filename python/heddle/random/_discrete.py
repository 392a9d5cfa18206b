"""Distributions of counts."""

import math
from typing import Any

import numpy

from heddle import _core
from heddle._core import ndarray, ufuncs

from ._arguments import check, flat, is_array, output_shape, parameter
from ._continuous import gamma_numbers
from ._draws import accepted, exponential, floor, log, positive, sqrt, uniform, where
from ._philox import Philox

_MOST = numpy.iinfo(numpy.int64).max
_FEW = 10.0  # expected counts below this are found by adding up probabilities

minimum, maximum = ufuncs["minimum"], ufuncs["maximum"]
log_gamma = _core.log_gamma


def _log_factorial(x: Any) -> Any:
    return log_gamma(x + 1.0)


def _counts(x: ndarray) -> ndarray:
    """Whole numbers as int64; what is beyond is the greatest one."""
    beyond = x >= float(_MOST)
    return where(beyond, _MOST, where(beyond, 0.0, x).astype(numpy.int64))


def _many_poisson(words: list[ndarray], lam: Any) -> tuple[ndarray, ndarray]:
    """The transformed rejection PTRS of Hörmann (1993)."""
    b = 0.931 + 2.53 * sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    u, v = uniform(words[0]) - 0.5, positive(words[1])
    us = 0.5 - ufuncs["absolute"](u)
    k = floor((2.0 * a / us + b) * u + lam + 0.43)
    sure = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
    density = k * log(lam) - lam - _log_factorial(k)
    inside = (k >= 0.0) & ((us >= 0.013) | (v <= us))
    return k, sure | (inside & (log(v * inverse / (a / (us * us) + b)) <= density))


def _many_binomial(words: list[ndarray], n: Any, p: Any) -> tuple[ndarray, ndarray]:
    """The transformed rejection BTRS of Hörmann (1993), for p up to 1/2."""
    spread = sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    u, v = uniform(words[0]) - 0.5, positive(words[1])
    us = 0.5 - ufuncs["absolute"](u)
    k = floor((2.0 * a / us + b) * u + n * p + 0.5)
    inside = (k >= 0.0) & (k <= n)
    sure = inside & (us >= 0.07) & (v <= 0.92 - 4.2 / b)
    m = floor((n + 1.0) * p)
    top = _log_factorial(m) + _log_factorial(n - m)
    here = _log_factorial(k) + _log_factorial(n - k)
    bound = top - here + (k - m) * log(p / (1.0 - p))
    scaled = v * ((2.83 + 5.1 / b) * spread) / (a / (us * us) + b)
    return k, sure | (inside & (log(scaled) <= bound))


def _some(few: Any) -> tuple[bool, bool]:
    """Whether some expected counts are small, and whether some are not."""
    if is_array(few):
        return bool(few.any()), not bool(few.all())
    return bool(few), not few


def binomial_numbers(bits: Philox, shape: tuple[int, ...], n: Any, p: Any) -> ndarray:
    """Binomial counts as float64."""
    flipped = p > 0.5
    less = where(flipped, 1.0 - p, p) if is_array(p) else (1.0 - p if flipped else p)
    any_few, any_many = _some(n * less < _FEW)

    def attempt(words: list[ndarray], n: Any, p: Any) -> tuple[ndarray, ndarray]:
        few = n * p < _FEW
        if not any_many:
            return _core.binomial_quantile(n, p, uniform(words[0])), words[0] == words[0]
        k, kept = _many_binomial(words, n, p)
        if not any_few:
            return k, kept
        low = _core.binomial_quantile(n, where(few, p, 0.0), uniform(words[0]))
        return where(few, low, k), few | kept

    k = accepted(bits, shape, 2 if any_many else 1, [n, less], attempt)
    k = minimum(k, n)
    return where(flipped, n - k, k)


class Discrete:
    """Methods of Generator."""

    _bits: Philox

    def _poisson_numbers(self, lam: Any, shape: tuple[int, ...]) -> ndarray:
        any_few, any_many = _some(lam < _FEW)

        def attempt(words: list[ndarray], lam: Any) -> tuple[ndarray, ndarray]:
            few = lam < _FEW
            if not any_many:
                return _core.poisson_quantile(lam, uniform(words[0])), words[0] == words[0]
            k, kept = _many_poisson(words, maximum(lam, _FEW) if any_few else lam)
            if not any_few:
                return k, kept
            low = _core.poisson_quantile(minimum(lam, _FEW), uniform(words[0]))
            return where(few, low, k), few | kept

        return _counts(accepted(self._bits, shape, 2 if any_many else 1, [lam], attempt))

    def poisson(self, lam: Any = 1.0, size: Any = None) -> ndarray:
        """Counts of events that are independent of one another."""
        lam = parameter(lam)
        check("poisson", lam)
        return self._poisson_numbers(lam, output_shape(size, lam))

    def binomial(self, n: Any, p: Any, size: Any = None) -> ndarray:
        """Successes in `n` trials."""
        n, p = parameter(n, numpy.int64), parameter(p)
        check("binomial", n, p)
        trials = n.astype(numpy.float64) if is_array(n) else float(n)
        return _counts(binomial_numbers(self._bits, output_shape(size, n, p), trials, p))

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> ndarray:
        """Failures before the n-th success: Poisson counts whose means are gamma numbers."""
        n, p = parameter(n), parameter(p)
        check("negative_binomial", n, p)
        shape = output_shape(size, n, p)
        means = gamma_numbers(self._bits, shape, n) * ((1.0 - p) / p)
        return self._poisson_numbers(means, shape)

    def geometric(self, p: Any, size: Any = None) -> ndarray:
        """Trials up to the first success."""
        p = parameter(p)
        check("geometric", p)
        shape = output_shape(size, p)
        space, (p,) = flat(shape, p)
        waits = exponential(self._bits.reserve(math.prod(shape)).words(space))
        trials = ufuncs["ceil"](waits / -ufuncs["log1p"](-p))
        return _core.drawn(_counts(maximum(trials, 1.0)), shape)

    def logseries(self, p: Any, size: Any = None) -> ndarray:
        """Counts of the logarithmic series distribution: the method of Kemp (1981)."""
        p = parameter(p)
        check("logseries", p)
        shape = output_shape(size, p)

        def attempt(words: list[ndarray], p: Any) -> tuple[ndarray, ndarray]:
            v, u = positive(words[0]), positive(words[1])
            q = -ufuncs["expm1"](u * ufuncs["log1p"](-p))
            far = floor(1.0 + log(v) / log(q))
            k = where(v <= q * q, far, where(v >= q, 1.0, 2.0))
            return where(v >= p, 1.0, k), (v >= p) | (v > q * q) | (far >= 1.0)

        return _counts(accepted(self._bits, shape, 2, [p], attempt))

    def zipf(self, a: Any, size: Any = None) -> ndarray:
        """Numbers with probabilities as ``k ** -a``: the rejection of Devroye (1986)."""
        a = parameter(a)
        check("zipf", a)
        shape = output_shape(size, a)

        def attempt(words: list[ndarray], a: Any) -> tuple[ndarray, ndarray]:
            # Beyond this all but the first have no weight.
            less = minimum(a, 1025.0) - 1.0
            b = 2.0**less if not is_array(less) else ufuncs["power"](2.0, less)
            u, v = positive(words[0]), uniform(words[1])
            x = floor(u ** (-1.0 / less))
            t = (1.0 + 1.0 / x) ** less
            fits = (x >= 1.0) & (x < float(_MOST))
            sure = a >= 1025.0
            return where(sure, 1.0, x), sure | (fits & (v * x * (t - 1.0) / (b - 1.0) <= t / b))

        return _counts(accepted(self._bits, shape, 2, [a], attempt))

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> ndarray:
        """Good ones among `nsample` that are drawn without putting them back."""
        given = [parameter(x, numpy.int64) for x in (ngood, nbad, nsample)]
        if any(is_array(x) for x in given):
            _check_hypergeometric(*given)
        else:
            check("hypergeometric", *given)
        shape = output_shape(size, *given)
        floats = [x.astype(numpy.float64) if is_array(x) else float(x) for x in given]
        return _counts(hypergeometric_numbers(self._bits, shape, *floats))


_SHORT = 10  # samples up to this are drawn one by one


def _check_hypergeometric(good: Any, bad: Any, sample: Any) -> None:
    for value, name in ((good, "ngood"), (bad, "nbad"), (sample, "nsample")):
        negative = value < 0
        if bool(negative.any()) if is_array(negative) else negative:
            raise ValueError(f"{name} < 0")
    total = good + bad
    short = total < sample
    if bool(short.any()) if is_array(short) else short:
        raise ValueError("ngood + nbad < nsample")
    for value in (good, bad):
        large = value > 10**9
        if bool(large.any()) if is_array(large) else large:
            raise ValueError("both ngood and nbad must be less than 1000000000")


def _one_by_one(words: list[ndarray], good: Any, bad: Any, sample: Any) -> ndarray:
    """Good ones among few."""
    left, total = good, good + bad
    for i, word in enumerate(words):
        taken = (uniform(word) * (total - i) < left) & (float(i) < sample)
        left = where(taken, left - 1.0, left)
    return good - left


def _many_hypergeometric(
    words: list[ndarray], low: Any, high: Any, sample: Any
) -> tuple[ndarray, ndarray]:
    """The ratio of uniforms HRUA of Stadlober (1989), for ``low <= high``."""
    total = low + high
    p = low / total
    mean = sample * p
    spread = sqrt((total - sample) * sample * p * (1.0 - p) / (total - 1.0) + 0.5)
    width = 1.7155277699214135 * spread + 0.8989161620588988
    m = floor((sample + 1.0) * (low + 1.0) / (total + 2.0))

    def weight(k: Any) -> Any:
        return (
            _log_factorial(k)
            + _log_factorial(low - k)
            + _log_factorial(sample - k)
            + _log_factorial(high - sample + k)
        )

    u, v = positive(words[0]), uniform(words[1])
    x = mean + 0.5 + width * (v - 0.5) / u
    end = minimum(minimum(sample, low) + 1.0, floor(mean + 0.5 + 16.0 * spread))
    inside = (x >= 0.0) & (x < end)
    k = floor(where(inside, x, m))
    t = weight(m) - weight(k)
    return k, inside & (2.0 * log(u) <= t)


def hypergeometric_numbers(
    bits: Philox, shape: tuple[int, ...], good: Any, bad: Any, sample: Any
) -> ndarray:
    """Hypergeometric counts as float64."""
    total = good + bad
    fewer = minimum(sample, total - sample)  # what is left behind tells as much
    any_few, any_many = _some(fewer <= _SHORT)
    planes = _SHORT if any_few else 2

    def attempt(words: list[ndarray], good: Any, bad: Any, n: Any) -> tuple[ndarray, ndarray]:
        if any_many:
            k, kept = _many_hypergeometric(
                words, minimum(good, bad), maximum(good, bad), maximum(n, _SHORT + 1.0)
            )
            k = where(good > bad, n - k, k)
            if not any_few:
                return k, kept
        few = n <= _SHORT
        one_by_one = _one_by_one(words, good, bad, n)
        if not any_many:
            return one_by_one, words[0] == words[0]
        return where(few, one_by_one, k), few | kept

    k = accepted(bits, shape, planes, [good, bad, fewer], attempt)
    return where(fewer < sample, good - k, k)
