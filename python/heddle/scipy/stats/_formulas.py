"""Formulas of distributions, where SciPy's are compiled code that takes NumPy's memory only.

Those of the standard form, as SciPy's are: arguments are inside of the support.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import heddle as np
from heddle import special
from heddle._core import ndarray
from heddle._typing import ArrayLike

FORMULAS: dict[tuple[str, str], Callable[..., Any]] = {}


def _formula(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Files a formula by the names of its distribution and of the method."""
    distribution, _, method = name.partition(".")

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        FORMULAS[distribution, method] = function
        return function

    return keep


# --- continuous ---


@_formula("alpha.ppf")
def _alpha_ppf(q: ArrayLike, a: ArrayLike) -> ndarray:
    return 1.0 / (a - special.ndtri(q * special.ndtr(a)))


@_formula("beta.pdf")
def _beta_pdf(x: ndarray, a: ndarray, b: ndarray) -> ndarray:
    return np.exp(special.xlog1py(b - 1.0, -x) + special.xlogy(a - 1.0, x) - special.betaln(a, b))


@_formula("beta.ppf")
def _beta_ppf(q: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    return special.betaincinv(a, b, q)


@_formula("beta.isf")
def _beta_isf(q: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    return special.betainccinv(a, b, q)


@_formula("betaprime.ppf")
def _betaprime_ppf(q: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    # The odds of a beta variable: where that is near 1, those of its complement.
    r, rest = special.betaincinv(a, b, q), special.betainccinv(b, a, q)
    return np.where(r > 0.5, (1 - rest) / rest, r / (1 - r))


@_formula("betaprime.isf")
def _betaprime_isf(q: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    r, rest = special.betainccinv(a, b, q), special.betaincinv(b, a, q)
    return np.where(r > 0.5, (1 - rest) / rest, r / (1 - r))


@_formula("cauchy.ppf")
def _cauchy_ppf(q: Any) -> ndarray:
    tail = 1 / np.tan(math.pi * np.minimum(q, 1 - q))
    return np.where(q < 0.5, -tail, np.where(q == 0.5, 0.0, tail))


@_formula("cauchy.isf")
def _cauchy_isf(q: ArrayLike) -> Any:
    return -_cauchy_ppf(q)


@_formula("exponweib.ppf")
def _exponweib_ppf(q: Any, a: Any, c: Any) -> Any:
    return (-np.log1p(-(q ** (1.0 / a)))) ** (1.0 / c)


@_formula("kstwobign.sf")
def _kstwobign_sf(x: ArrayLike) -> ndarray:
    return special.kolmogorov(x)


@_formula("kstwobign.cdf")
def _kstwobign_cdf(x: ArrayLike) -> ndarray:
    return 1 - special.kolmogorov(x)


@_formula("kstwobign.ppf")
def _kstwobign_ppf(q: Any) -> ndarray:
    return special.kolmogi(1 - q)


@_formula("ncx2.pdf")
def _ncx2_pdf(x: Any, df: Any, nc: Any) -> ndarray:
    # Bessel's function without its growth, which the rest takes back as a square.
    order = df / 2.0 - 1.0
    root = np.sqrt(nc * x)
    wide = np.exp(special.xlogy(order / 2.0, x / nc) - 0.5 * (np.sqrt(x) - np.sqrt(nc)) ** 2)
    central = np.exp(
        special.xlogy(df / 2 - 1, x) - x / 2 - special.gammaln(df / 2) - df / 2 * math.log(2)
    )
    return np.where(nc == 0, central, wide * special.ive(order, root) / 2.0)


@_formula("rdist.ppf")
def _rdist_ppf(q: Any, c: Any) -> ndarray:
    return 2 * special.betaincinv(c / 2, c / 2, q) - 1


@_formula("rdist.isf")
def _rdist_isf(q: ArrayLike, c: ArrayLike) -> Any:
    return -_rdist_ppf(q, c)


@_formula("semicircular.ppf")
def _semicircular_ppf(q: ArrayLike) -> Any:
    return _rdist_ppf(q, np.full_like(q, 3.0))


@_formula("semicircular.isf")
def _semicircular_isf(q: ArrayLike) -> Any:
    return -_semicircular_ppf(q)


@_formula("skewnorm.cdf")
def _skewnorm_cdf(x: ArrayLike, a: ArrayLike) -> ndarray:
    return np.clip(special.ndtr(x) - 2 * special.owens_t(x, a), 0, 1)


@_formula("skewnorm.sf")
def _skewnorm_sf(x: Any, a: Any) -> Any:
    return _skewnorm_cdf(-x, -a)


@_formula("triang.pdf")
def _triang_pdf(x: ndarray, c: ndarray) -> ndarray:
    # Where a side has no length, the other one begins at the mode.
    left = np.where(c == 0, 2 - 2 * x, 2 * x / np.where(c == 0, 1, c))
    right = np.where(c == 1, 2 * x, 2 * (1 - x) / np.where(c == 1, 1, 1 - c))
    return np.where(x < c, left, right)


@_formula("triang.cdf")
def _triang_cdf(x: ndarray, c: ndarray) -> ndarray:
    left = x * x / np.where(c == 0, 1, c)
    right = np.where(c == 1, x * x, 1 - (1 - x) ** 2 / np.where(c == 1, 1, 1 - c))
    return np.where(x < c, left, right)


def _log_gauss_mass(a: Any, b: Any) -> ndarray:
    """The logarithm of the normal distribution's mass between a and b, by the smaller tails."""
    low, high = np.where(a > 0, -b, a), np.where(a > 0, -a, b)  # now low <= 0 or a <= 0 < b
    small, large = special.log_ndtr(low), special.log_ndtr(high)
    one_side = large + np.log1p(-np.exp(small - large))
    both = np.log1p(-special.ndtr(a) - special.ndtr(-b))
    return np.where((a <= 0) & (b > 0), both, one_side)


@_formula("truncnorm.logpdf")
def _truncnorm_logpdf(x: ndarray, a: ndarray, b: ndarray) -> ndarray:
    return -0.5 * x * x - math.log(math.sqrt(2 * math.pi)) - _log_gauss_mass(a, b)


@_formula("truncnorm.pdf")
def _truncnorm_pdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    return np.exp(_truncnorm_logpdf(x, a, b))


@_formula("truncnorm.logcdf")
def _truncnorm_logcdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    below = _log_gauss_mass(a, x) - _log_gauss_mass(a, b)
    above = np.log1p(-np.exp(_log_gauss_mass(x, b) - _log_gauss_mass(a, b)))
    return np.where(below < -0.1, below, above)


@_formula("truncnorm.cdf")
def _truncnorm_cdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    return np.exp(_truncnorm_logcdf(x, a, b))


@_formula("truncnorm.logsf")
def _truncnorm_logsf(x: Any, a: Any, b: Any) -> Any:
    return _truncnorm_logcdf(-x, -b, -a)


@_formula("truncnorm.sf")
def _truncnorm_sf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> ndarray:
    return np.exp(_truncnorm_logsf(x, a, b))


@_formula("truncnorm.ppf")
def _truncnorm_ppf(q: ndarray, a: ndarray, b: ndarray) -> ndarray:
    mass = _log_gauss_mass(a, b)
    left = special.ndtri_exp(np.logaddexp(special.log_ndtr(a), np.log(q) + mass))
    right = -special.ndtri_exp(np.logaddexp(special.log_ndtr(-b), np.log1p(-q) + mass))
    return np.where(a < 0, left, right)


@_formula("truncnorm.isf")
def _truncnorm_isf(q: Any, a: Any, b: Any) -> Any:
    return -_truncnorm_ppf(q, -b, -a)


# --- discrete ---


def _choices(n: Any, k: Any) -> ndarray:
    """The logarithm of the number of choices of k of n."""
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


def _count(about: ndarray, reaches: Callable[[Any], Any]) -> ndarray:
    """The least count that reaches something: a search for real numbers says where it is, about."""
    upper = np.ceil(about)
    lower = np.maximum(upper - 1, 0)
    return np.where(reaches(lower), lower, upper)


@_formula("binom.pmf")
def _binom_pmf(k: ndarray, n: ndarray, p: ndarray) -> ndarray:
    return np.exp(_choices(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p))


@_formula("binom.cdf")
def _binom_cdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> ndarray:
    k = np.floor(k)
    return special.betaincc(k + 1, n - k, p)


@_formula("binom.sf")
def _binom_sf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> ndarray:
    k = np.floor(k)
    return special.betainc(k + 1, n - k, p)


@_formula("binom.ppf")
def _binom_ppf(q: ArrayLike, n: ArrayLike, p: ArrayLike) -> Any:
    return _count(special.bdtrik(q, n, p), lambda k: _binom_cdf(k, n, p) >= q)


@_formula("binom.isf")
def _binom_isf(q: Any, n: Any, p: Any) -> Any:
    return _count(special.bdtrik(1 - q, n, p), lambda k: _binom_sf(k, n, p) <= q)


@_formula("bernoulli.pmf")
def _bernoulli_pmf(k: Any, p: Any) -> ndarray:
    return np.where(k == 1, p, 1 - p)


@_formula("bernoulli.cdf")
def _bernoulli_cdf(k: Any, p: Any) -> ndarray:
    return np.where(k < 1, 1 - p, 1.0)


@_formula("bernoulli.sf")
def _bernoulli_sf(k: Any, p: Any) -> ndarray:
    return np.where(k < 1, p, 0.0)


@_formula("bernoulli.ppf")
def _bernoulli_ppf(q: Any, p: Any) -> ndarray:
    return np.where(q <= 1 - p, 0.0, 1.0)


@_formula("bernoulli.isf")
def _bernoulli_isf(q: Any, p: Any) -> ndarray:
    return np.where(q >= p, 0.0, 1.0)


@_formula("hypergeom.pmf")
def _hypergeom_pmf(k: object, total: Any, good: Any, draws: Any) -> ndarray:
    bad = total - good
    return np.exp(_choices(good, k) + _choices(bad, draws - k) - _choices(total, draws))


@_formula("nbinom.pmf")
def _nbinom_pmf(k: Any, n: Any, p: Any) -> ndarray:
    ways = special.gammaln(n + k) - special.gammaln(k + 1) - special.gammaln(n)
    return np.exp(ways + n * np.log(p) + special.xlog1py(k, -p))


@_formula("nbinom.cdf")
def _nbinom_cdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> ndarray:
    return special.betainc(n, np.floor(k) + 1, p)


@_formula("nbinom.sf")
def _nbinom_sf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> ndarray:
    return special.betaincc(n, np.floor(k) + 1, p)


@_formula("nbinom.logcdf")
def _nbinom_logcdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> ndarray:
    below = _nbinom_cdf(k, n, p)
    return np.where(below < 0.5, np.log(below), np.log1p(-_nbinom_sf(k, n, p)))


@_formula("nbinom.ppf")
def _nbinom_ppf(q: ArrayLike, n: ArrayLike, p: ArrayLike) -> Any:
    return _count(special.nbdtrik(q, n, p), lambda k: _nbinom_cdf(k, n, p) >= q)


@_formula("nbinom.isf")
def _nbinom_isf(q: Any, n: Any, p: Any) -> Any:
    return _count(special.nbdtrik(1 - q, n, p), lambda k: _nbinom_sf(k, n, p) <= q)


@_formula("randint.pmf")
def _randint_pmf(k: ArrayLike, low: Any, high: Any) -> Any:
    return 1.0 / (high - low)


# Methods that compute in compiled code, number by number, or in NumPy's memory.
_ALL = "pdf logpdf cdf sf ppf isf"
_COMPILED = {
    "cosine": "cdf sf ppf isf",
    "dpareto_lognorm": "pdf logpdf cdf logcdf sf logsf",
    "genhalflogistic": "pdf cdf",
    "genhyperbolic": _ALL,
    "geninvgauss": _ALL,
    "hypergeom": "cdf logcdf sf logsf",
    "invgauss": "ppf isf",
    "irwinhall": _ALL,
    "jf_skew_t": "ppf isf",
    "kappa4": "pdf logpdf cdf logcdf ppf",
    "ksone": "pdf cdf ppf",
    "kstwo": _ALL,
    "kstwobign": "pdf",
    "landau": _ALL,
    "levy_stable": _ALL,
    "ncf": "pdf sf isf",
    "nchypergeom_fisher": "pmf",
    "nchypergeom_wallenius": "pmf",
    "nct": "pdf sf isf",
    "ncx2": "sf isf",
    "norminvgauss": "cdf logcdf ppf isf sf logsf",
    "pearson3": "pdf logpdf cdf logcdf sf logsf",
    "poisson_binom": "pmf cdf",
    "skellam": "pmf cdf sf",
    "skewnorm": "ppf isf",
    "studentized_range": "pdf cdf sf",
    "trapezoid": "pdf cdf ppf",
    "truncpareto": "pdf logpdf cdf logcdf sf logsf ppf isf",
    "tukeylambda": "pdf",
    "vonmises": "cdf",
    "vonmises_line": "cdf",
    "wald": "ppf isf",
    "zipfian": "pmf cdf sf",
}
COMPILED = frozenset(
    f"{name}.{method}" for name, all_ in _COMPILED.items() for method in all_.split()
)
