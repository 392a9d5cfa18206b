"""What distributions are: distribution functions, means and variances, written out.

Incomplete gamma and beta functions are integrated numerically, after substitutions that leave
nothing singular, far more exactly than a million draws can tell.
"""

import math

import numpy

_NODES, _WEIGHTS = numpy.polynomial.legendre.leggauss(200)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


def _integral(function, end):
    """The integrals of a smooth function from 0 to each end."""
    end = numpy.asarray(end, float)[..., None]
    return (function(end * _NODES) * _WEIGHTS * end).sum(axis=-1)


def normal(x):
    return numpy.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


def gamma(x, a):
    x = numpy.clip(x, 0, a + 40 * math.sqrt(a) + 60)
    if a >= 1:
        top = math.lgamma(a)
        return _integral(lambda t: numpy.exp((a - 1) * numpy.log(t) - t - top), x)
    return _integral(lambda s: numpy.exp(-(s ** (1 / a))), x**a) / math.gamma(a + 1)


def beta(x, a, b):
    x = numpy.asarray(x, float)
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))

    def lower(x, a, b):  # for x up to 1/2
        return scale / a * _integral(lambda t: (1 - t ** (1 / a)) ** (b - 1), x**a)

    return numpy.where(
        x <= 0.5, lower(numpy.minimum(x, 0.5), a, b), 1 - lower(numpy.minimum(1 - x, 0.5), b, a)
    )


def student(x, df):
    tail = beta(df / (df + x * x), df / 2, 0.5) / 2
    return numpy.where(x > 0, 1 - tail, tail)


def fisher(x, num, den, more=0):
    return beta(num * x / (num * x + den), num / 2 + more, den / 2)


def mixed(function, nonc):
    """A mixture of distributions of a Poisson number."""
    weights = [math.exp(-nonc / 2 + j * math.log(nonc / 2) - math.lgamma(j + 1)) for j in range(40)]
    return lambda x: sum(w * function(x, j) for j, w in enumerate(weights))


def wald(x, mu, lam):
    root = numpy.sqrt(lam / x)
    return normal(root * (x / mu - 1)) + math.exp(2 * lam / mu) * normal(-root * (x / mu + 1))


def vonmises(x, mu, kappa):
    grid = numpy.linspace(-math.pi, math.pi, 200_001)
    density = numpy.exp(kappa * numpy.cos(grid - mu))
    total = numpy.concatenate([[0], numpy.cumsum((density[1:] + density[:-1]) / 2)])
    return numpy.interp(x, grid, total / total[-1])


def triangular(x, low, top, high):
    rise = (x - low) ** 2 / ((high - low) * (top - low))
    fall = 1 - (high - x) ** 2 / ((high - low) * (high - top))
    return numpy.where(x < top, rise, fall)


def counts(log_mass, first=0, last=200_000):
    """The distribution function of whole numbers with these logarithms of probabilities."""
    total = numpy.cumsum([math.exp(log_mass(k)) for k in range(first, last)])

    def function(x):
        k = numpy.minimum(numpy.floor(x).astype(int) - first, total.size - 1)
        return numpy.where(k < 0, 0, total[numpy.maximum(k, 0)])

    return function


def _choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def poisson(lam):
    mass = counts(
        lambda k: k * math.log(lam) - lam - math.lgamma(k + 1), 0, int(lam + 20 * lam**0.5 + 40)
    )
    return mass, lam, lam


def binomial(n, p):
    mass = counts(lambda k: _choose(n, k) + k * math.log(p) + (n - k) * math.log1p(-p), 0, n + 1)
    return mass, n * p, n * p * (1 - p)


def negative_binomial(n, p):
    def log_mass(k):
        ways = math.lgamma(n + k) - math.lgamma(n) - math.lgamma(k + 1)
        return ways + n * math.log(p) + k * math.log1p(-p)

    return counts(log_mass, 0, 2000), n * (1 - p) / p, n * (1 - p) / p**2


def hypergeometric(good, bad, sample):
    total, p = good + bad, good / (good + bad)
    first, last = max(0, sample - bad), min(good, sample) + 1
    mass = counts(
        lambda k: _choose(good, k) + _choose(bad, sample - k) - _choose(total, sample), first, last
    )
    return mass, sample * p, sample * p * (1 - p) * (total - sample) / (total - 1)


def geometric(p):
    return counts(lambda k: math.log(p) + (k - 1) * math.log1p(-p), 1, 3000), 1 / p, (1 - p) / p**2


def logseries(p):
    scale = -1 / math.log1p(-p)
    mass = counts(lambda k: k * math.log(p) + math.log(scale / k), 1, 3000)
    mean = scale * p / (1 - p)
    return mass, mean, scale * p / (1 - p) ** 2 - mean**2


def zipf(a):
    mass = numpy.arange(1, 1_000_001) ** -float(a)
    rest = 1_000_000.5 ** (1 - a) / (a - 1)
    total = numpy.cumsum(mass) / (mass.sum() + rest)
    return lambda x: total[numpy.minimum(x.astype(int), total.size) - 1], None, None


def _gamma_law(a, scale):
    return lambda x: gamma(x / scale, a), a * scale, a * scale**2


def _beta_law(a, b):
    return lambda x: beta(x, a, b), a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))


_EULER = 0.5772156649015329
_LOG = math.exp(0.5 + 0.7**2 / 2)

# name, arguments, distribution function, mean, variance (None: it has none, or none is told)
LAWS = [
    ("random", (), lambda x: x, 1 / 2, 1 / 12),
    ("uniform", (-1.0, 3.0), lambda x: (x + 1) / 4, 1, 16 / 12),
    ("standard_normal", (), normal, 0, 1),
    ("normal", (2.0, 3.0), lambda x: normal((x - 2) / 3), 2, 9),
    (
        "lognormal",
        (0.5, 0.7),
        lambda x: normal((numpy.log(x) - 0.5) / 0.7),
        _LOG,
        math.expm1(0.49) * _LOG**2,
    ),
    ("standard_exponential", (), lambda x: -numpy.expm1(-x), 1, 1),
    ("exponential", (2.0,), lambda x: -numpy.expm1(-x / 2), 2, 4),
    (
        "laplace",
        (1.0, 2.0),
        lambda x: numpy.where(x < 1, numpy.exp((x - 1) / 2) / 2, 1 - numpy.exp((1 - x) / 2) / 2),
        1,
        8,
    ),
    ("logistic", (1.0, 2.0), lambda x: 1 / (1 + numpy.exp((1 - x) / 2)), 1, 4 * math.pi**2 / 3),
    (
        "gumbel",
        (1.0, 2.0),
        lambda x: numpy.exp(-numpy.exp((1 - x) / 2)),
        1 + 2 * _EULER,
        4 * math.pi**2 / 6,
    ),
    (
        "rayleigh",
        (2.0,),
        lambda x: -numpy.expm1(-x * x / 8),
        2 * math.sqrt(math.pi / 2),
        (4 - math.pi) / 2 * 4,
    ),
    (
        "weibull",
        (1.5,),
        lambda x: -numpy.expm1(-(x**1.5)),
        math.gamma(1 + 2 / 3),
        math.gamma(1 + 4 / 3) - math.gamma(1 + 2 / 3) ** 2,
    ),
    ("pareto", (5.5,), lambda x: 1 - (1 + x) ** -5.5, 1 / 4.5, 5.5 / (4.5**2 * 3.5)),
    ("power", (2.5,), lambda x: x**2.5, 2.5 / 3.5, 2.5 / (3.5**2 * 4.5)),
    ("standard_cauchy", (), lambda x: 0.5 + numpy.arctan(x) / math.pi, None, None),
    (
        "triangular",
        (1.0, 2.0, 5.0),
        lambda x: triangular(x, 1, 2, 5),
        8 / 3,
        (1 + 4 + 25 - 2 - 5 - 10) / 18,
    ),
    ("wald", (3.0, 2.0), lambda x: wald(x, 3, 2), 3, 27 / 2),
    ("vonmises", (1.0, 2.0), lambda x: vonmises(x, 1, 2), None, None),
    ("vonmises", (-2.0, 0.1), lambda x: vonmises(x, -2, 0.1), None, None),
    ("standard_gamma", (0.05,), *_gamma_law(0.05, 1)),
    ("standard_gamma", (1.0,), *_gamma_law(1, 1)),
    ("gamma", (0.2, 1.5), *_gamma_law(0.2, 1.5)),
    ("gamma", (4.5, 2.0), *_gamma_law(4.5, 2)),
    ("gamma", (150.0, 1.0), *_gamma_law(150, 1)),
    ("beta", (0.3, 0.6), *_beta_law(0.3, 0.6)),
    ("beta", (2.0, 3.0), *_beta_law(2, 3)),
    ("chisquare", (3.0,), *_gamma_law(1.5, 2)),
    ("f", (3.0, 12.0), lambda x: fisher(x, 3, 12), 1.2, 2 * 144 * 13 / (3 * 100 * 8)),
    ("standard_t", (7.0,), lambda x: student(x, 7), 0, 7 / 5),
    ("noncentral_chisquare", (0.5, 3.0), mixed(lambda x, j: gamma(x / 2, 0.25 + j), 3), 3.5, 13),
    ("noncentral_chisquare", (3.0, 2.0), mixed(lambda x, j: gamma(x / 2, 1.5 + j), 2), 5, 14),
    (
        "noncentral_f",
        (3.0, 12.0, 2.0),
        mixed(lambda x, j: fisher(x, 3, 12, j), 2),
        12 * 5 / (3 * 10),
        None,
    ),
    ("poisson", (0.5,), *poisson(0.5)),
    ("poisson", (9.5,), *poisson(9.5)),
    ("poisson", (10.5,), *poisson(10.5)),
    ("poisson", (1000.0,), *poisson(1000)),
    ("binomial", (10, 0.3), *binomial(10, 0.3)),
    ("binomial", (40, 0.3), *binomial(40, 0.3)),
    ("binomial", (1000, 0.7), *binomial(1000, 0.7)),
    ("negative_binomial", (3, 0.2), *negative_binomial(3, 0.2)),
    ("geometric", (0.05,), *geometric(0.05)),
    ("logseries", (0.95,), *logseries(0.95)),
    ("zipf", (2.5,), *zipf(2.5)),
    ("hypergeometric", (10, 20, 5), *hypergeometric(10, 20, 5)),
    ("hypergeometric", (500, 100, 590), *hypergeometric(500, 100, 590)),
    ("hypergeometric", (500, 100, 300), *hypergeometric(500, 100, 300)),
    ("hypergeometric", (50, 100, 20), *hypergeometric(50, 100, 20)),
    ("integers", (-3, 8), lambda x: (numpy.floor(x) + 4) / 11, 2, 10),
]
