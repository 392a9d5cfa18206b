"""Shared by the tests of random numbers."""

import numpy
from support import host

import heddle
import heddle.random


def pair(seed=7):
    """The same generator here and in NumPy."""
    return (
        heddle.random.Generator(heddle.random.Philox(seed)),
        numpy.random.Generator(numpy.random.Philox(seed)),
    )


def same_state(ours, theirs):
    a, b = ours.bit_generator.state, theirs.bit_generator.state
    assert a.keys() == b.keys() and a["bit_generator"] == b["bit_generator"]
    numpy.testing.assert_array_equal(a["state"]["counter"], b["state"]["counter"])
    numpy.testing.assert_array_equal(a["state"]["key"], b["state"]["key"])
    numpy.testing.assert_array_equal(a["buffer"], b["buffer"])
    for name in ("buffer_pos", "has_uint32", "uinteger"):
        assert a[name] == b[name], name


def same(actual, expected):
    if isinstance(actual, bytes):
        assert actual == expected
        return
    assert numpy.shape(actual) == numpy.shape(expected)
    if not isinstance(expected, int | float):  # which NumPy gives for single numbers
        assert actual.dtype == expected.dtype
    numpy.testing.assert_array_equal(host(actual), expected)


# Every method that draws, with parameters; sizes come last, or as a keyword.
CALLS = [
    ("random", ()),
    ("uniform", (-1.0, 2.0)),
    ("integers", (5, 1000)),
    ("integers", (0, 200)),
    ("bytes", ()),
    ("standard_normal", ()),
    ("normal", (1.0, 2.0)),
    ("lognormal", (0.5, 0.7)),
    ("standard_exponential", ()),
    ("exponential", (2.0,)),
    ("laplace", (1.0, 2.0)),
    ("logistic", (1.0, 2.0)),
    ("gumbel", (1.0, 2.0)),
    ("rayleigh", (2.0,)),
    ("weibull", (1.5,)),
    ("pareto", (2.5,)),
    ("power", (2.5,)),
    ("standard_cauchy", ()),
    ("triangular", (1.0, 2.0, 5.0)),
    ("wald", (3.0, 0.5)),
    ("vonmises", (1.0, 2.0)),
    ("standard_gamma", (0.7,)),
    ("gamma", (2.5, 2.0)),
    ("beta", (0.5, 2.0)),
    ("chisquare", (3.0,)),
    ("f", (3.0, 5.0)),
    ("standard_t", (3.0,)),
    ("noncentral_chisquare", (0.5, 3.0)),
    ("noncentral_f", (3.0, 5.0, 2.0)),
    ("poisson", (4.0,)),
    ("poisson", (50.0,)),
    ("binomial", (10, 0.3)),
    ("binomial", (1000, 0.7)),
    ("negative_binomial", (3, 0.2)),
    ("geometric", (0.05,)),
    ("logseries", (0.95,)),
    ("zipf", (2.5,)),
    ("hypergeometric", (10, 20, 5)),
    ("hypergeometric", (500, 100, 300)),
    ("choice", (1000,)),
    ("permutation", ()),
    ("permuted", ()),
    ("shuffle", ()),
    ("dirichlet", ([0.5, 2.0, 4.0],)),
    ("multinomial", (20, [0.2, 0.5, 0.3])),
    ("multivariate_hypergeometric", ([16, 80, 40], 60)),
    ("multivariate_normal", ([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]])),
]


def draw(rng, name, args, count):
    """A call of one of them for so many numbers, on the host."""
    if name == "bytes":
        return numpy.frombuffer(rng.bytes(count), "u1")
    if name == "shuffle":
        a = heddle.arange(count)
        rng.shuffle(a)
        return host(a)
    if name == "permuted":
        return host(rng.permuted(heddle.arange(count)))
    if name == "permutation":
        return host(rng.permutation(count))
    return host(getattr(rng, name)(*args, size=count))
