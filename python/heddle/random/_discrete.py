"""Distributions of counts."""

import math
from typing import Any

import numpy

from heddle import _core
from heddle._core import ndarray, ufuncs
from heddle.random._arguments import check, flat, is_array, output_shape, parameter
from heddle.random._continuous import gamma_numbers
from heddle.random._draws import exponential, two_uniform, uniform, where
from heddle.random._philox import Philox

_MOST = numpy.iinfo(numpy.int64).max
_FEW = 10.0  # expected counts below this are found by adding up probabilities
_SHORT = 10  # likewise of short samples

minimum, maximum = ufuncs["minimum"], ufuncs["maximum"]


def _counts(x: ndarray) -> ndarray:
    """Whole numbers as int64; what is beyond is the greatest one."""
    beyond = x >= float(_MOST)
    return where(beyond, _MOST, where(beyond, 0.0, x).astype(numpy.int64))


def _usual(few: Any, numbers: tuple[ndarray, ndarray]) -> tuple[ndarray, ndarray]:
    """Two uniform numbers, or such that rejection keeps at once, where nothing is rejected."""
    return where(few, 0.5, numbers[0]), where(few, 0.0, numbers[1])


def poisson_numbers(bits: Philox, shape: tuple[int, ...], lam: Any) -> ndarray:
    """Poisson counts as float64: small ones by their quantile, else by Hörmann's PTRS (1993)."""
    space, (lam,) = flat(shape, lam)
    few = lam < _FEW
    if not is_array(lam) and few:
        u = uniform(bits.reserve(math.prod(shape)).words(shape))
        return _core.poisson_quantile(lam, u)
    numbers = two_uniform(bits, space)
    if not is_array(lam):
        return _core.poisson_deviate(*numbers, lam)
    low = _core.poisson_quantile(minimum(lam, _FEW), where(few, numbers[0], 0.0))
    high = _core.poisson_deviate(*_usual(few, numbers), maximum(lam, _FEW))
    return _core.drawn(where(few, low, high), shape)


def binomial_numbers(bits: Philox, shape: tuple[int, ...], n: Any, p: Any) -> ndarray:
    """Binomial counts as float64: few by their quantile, else by Hörmann's BTRS (1993)."""
    space, (n, p) = flat(shape, n, p)
    flipped = p > 0.5
    less = where(flipped, 1.0 - p, p) if is_array(p) else (1.0 - p if flipped else p)
    few = n * less < _FEW
    if not is_array(few) and few:
        u = uniform(bits.reserve(math.prod(shape)).words(shape))
        k = _core.binomial_quantile(n, less, u)
    else:
        numbers = two_uniform(bits, space)
        if not is_array(few):
            k = _core.binomial_deviate(*numbers, n, less)
        else:
            low = _core.binomial_quantile(n, where(few, less, 0.0), where(few, numbers[0], 0.0))
            some = where(few, 100.0, n), where(few, 0.5, less)
            k = where(few, low, _core.binomial_deviate(*_usual(few, numbers), *some))
    k = minimum(k, n)
    return _core.drawn(where(flipped, n - k, k), shape)


def hypergeometric_numbers(
    bits: Philox, shape: tuple[int, ...], good: Any, bad: Any, sample: Any
) -> ndarray:
    """Hypergeometric counts as float64: of few by their quantile, else by Stadlober's HRUA (1989).

    Drawn are the fewer kind of the sample, or of what is left behind, whichever is smaller.
    """
    space, (good, bad, sample) = flat(shape, good, bad, sample)
    total = good + bad
    low, high = _least(good, bad), _greatest(good, bad)
    drawn = _least(sample, total - sample)
    few = drawn <= _SHORT
    if not is_array(few) and few:
        u = uniform(bits.reserve(math.prod(shape)).words(shape))
        k = _core.hypergeometric_quantile(low, high, drawn, u)
    else:
        numbers = two_uniform(bits, space)
        if not is_array(few):
            k = _core.hypergeometric_deviate(*numbers, low, high, drawn)
        else:
            short = _least(drawn, float(_SHORT))
            k_few = _core.hypergeometric_quantile(low, high, short, where(few, numbers[0], 0.0))
            some = where(few, 100.0, low), where(few, 100.0, high), where(few, 50.0, drawn)
            k = where(few, k_few, _core.hypergeometric_deviate(*_usual(few, numbers), *some))
    k = where(good > bad, drawn - k, k)
    return _core.drawn(where(drawn < sample, good - k, k), shape)


def _least(x: Any, y: Any) -> Any:
    return minimum(x, y) if is_array(x) or is_array(y) else min(x, y)


def _greatest(x: Any, y: Any) -> Any:
    return maximum(x, y) if is_array(x) or is_array(y) else max(x, y)


class Discrete:
    """Methods of Generator."""

    _bits: Philox

    def _poisson_numbers(self, lam: Any, shape: tuple[int, ...]) -> ndarray:
        return _counts(poisson_numbers(self._bits, shape, lam))

    def poisson(self, lam: Any = 1.0, size: Any = None) -> ndarray:
        """Counts of events that are independent of one another.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).poisson(4.0, 5)
        array([4, 3, 3, 2, 2])
        """
        lam = parameter(lam)
        check("poisson", lam)
        return self._poisson_numbers(lam, output_shape(size, lam))

    def binomial(self, n: Any, p: Any, size: Any = None) -> ndarray:
        """Successes in `n` trials.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).binomial(10, 0.5, 5)
        array([5, 5, 4, 4, 3])
        """
        n, p = parameter(n, numpy.int64), parameter(p)
        check("binomial", n, p)
        trials = n.astype(numpy.float64) if is_array(n) else float(n)
        return _counts(binomial_numbers(self._bits, output_shape(size, n, p), trials, p))

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> ndarray:
        """Failures before the n-th success: Poisson counts whose means are gamma numbers.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).negative_binomial(3, 0.5, 5)
        array([5, 2, 3, 2, 2])
        """
        n, p = parameter(n), parameter(p)
        check("negative_binomial", n, p)
        shape = output_shape(size, n, p)
        means = gamma_numbers(self._bits, shape, n) * ((1.0 - p) / p)
        return self._poisson_numbers(means, shape)

    def geometric(self, p: Any, size: Any = None) -> ndarray:
        """Trials up to the first success.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).geometric(0.3, 5)
        array([2, 2, 2, 1, 1])
        """
        p = parameter(p)
        check("geometric", p)
        shape = output_shape(size, p)
        space, (p,) = flat(shape, p)
        waits = exponential(self._bits.reserve(math.prod(shape)).words(space))
        trials = ufuncs["ceil"](waits / -ufuncs["log1p"](-p))
        return _core.drawn(_counts(maximum(trials, 1.0)), shape)

    def logseries(self, p: Any, size: Any = None) -> ndarray:
        """Counts of the logarithmic series distribution: the method of Kemp (1981).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).logseries(0.6, 5)
        array([1, 2, 2, 2, 1])
        """
        p = parameter(p)
        check("logseries", p)
        shape = output_shape(size, p)
        space, (p,) = flat(shape, p)
        counts = _core.logseries_deviate(*two_uniform(self._bits, space), p)
        return _core.drawn(_counts(counts), shape)

    def zipf(self, a: Any, size: Any = None) -> ndarray:
        """Numbers with probabilities as ``k ** -a``: the rejection of Devroye (1986).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).zipf(2.0, 5)
        array([2, 5, 2, 4, 7])
        """
        a = parameter(a)
        check("zipf", a)
        shape = output_shape(size, a)
        space, (a,) = flat(shape, a)
        return _core.drawn(_counts(_core.zipf_deviate(*two_uniform(self._bits, space), a)), shape)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> ndarray:
        """Good ones among `nsample` that are drawn without putting them back.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).hypergeometric(5, 5, 3, 6)
        array([1, 1, 1, 1, 1, 2])
        """
        given = [parameter(x, numpy.int64) for x in (ngood, nbad, nsample)]
        if any(is_array(x) for x in given):
            _check_hypergeometric(*given)
        else:
            check("hypergeometric", *given)
        shape = output_shape(size, *given)
        floats = [x.astype(numpy.float64) if is_array(x) else float(x) for x in given]
        return _counts(hypergeometric_numbers(self._bits, shape, *floats))


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
