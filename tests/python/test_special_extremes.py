"""Special functions of numbers at the ends of their types: formulas that overflow or do not end."""

import numpy
import pytest
from support import heddle

from heddle import special


def of(name, *values, dtype="f8"):
    made = getattr(special, name)(*(heddle.asarray(value, dtype) for value in values))
    if isinstance(made, tuple):
        return [heddle.asnumpy(each) for each in made]
    return heddle.asnumpy(made)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_pseudo_huber(dtype):
    """It is r**2 / 2 for small quotients, and delta * r for large ones."""
    largest, smallest = (float(getattr(numpy.finfo(dtype), name)) for name in ("max", "tiny"))
    one = 1.0 + 2**-20
    cases = {
        (largest, one): one**2 / 2,
        (one, largest / 2): one * (largest / 2),
        (largest, 1 / largest**0.25): largest**-0.5 / 2,
        (smallest, largest / 2): smallest * (largest / 2),
        (one, -1e-3): one**2 * numpy.expm1(0.5 * numpy.log1p((1e-3 / one) ** 2)),
        (numpy.inf, 3.0): 4.5,
        (2.0, -numpy.inf): numpy.inf,
        (0.0, 3.0): 0.0,
        (3.0, 0.0): 0.0,
        (-1.0, 3.0): numpy.inf,
    }
    delta, r = zip(*cases, strict=True)
    wanted = list(cases.values())
    numpy.testing.assert_allclose(of("pseudo_huber", delta, r, dtype=dtype), wanted, rtol=1e-6)
    assert numpy.isnan(of("pseudo_huber", [1.0, numpy.nan], [numpy.nan, 1.0], dtype=dtype)).all()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_log_ndtr_is_finite_where_the_square_is_not(dtype):
    largest = float(numpy.finfo(dtype).max)
    x = numpy.array([-1.1, -1.3, -1.41], dtype) * numpy.sqrt(largest, dtype=dtype)
    wanted = -(x / 2) * x
    assert numpy.isfinite(wanted).all()
    numpy.testing.assert_allclose(of("log_ndtr", x, dtype=dtype), wanted, rtol=1e-6)


def test_log_expit_vanishes_from_below():
    made = of("log_expit", [800.0, 1e5, numpy.inf])
    assert (made == 0).all() and numpy.signbit(made).all()


def test_betaincc_of_tiny_parameters():
    tiny = numpy.finfo("f8").tiny
    made = of("betaincc", [tiny] * 4, [0.5, 1e-8, 2.5, tiny], [0.5, 0.5, tiny, 0.5])
    wanted = [3.9222426561118145e-308, 2.2250738585072014e-300, 1.5733854293900385e-305, 0.5]
    numpy.testing.assert_allclose(made, wanted, rtol=1e-12)


def test_sums_that_do_not_converge_are_no_numbers():
    """SciPy's are nan, where the sum so far is far from the truth; searches along them end."""
    assert numpy.isnan(of("chndtr", 1e12, 1e5, 1e12))
    numpy.testing.assert_allclose(of("chndtr", 1e9, 1e5, 1e9), 0.0569249562384864, rtol=1e-8)
    assert numpy.isnan(of("chndtrix", 0.6, 1e5, 1.5e17))
    assert numpy.isnan(of("chndtridf", 1e13, 0.5, 1e13))
    assert numpy.isnan(of("chndtrinc", 1e13, 1e5, 0.5))


def test_gauss_hypergeometric_function_ends():
    """Where SciPy's calls itself until the stack is full."""
    nan, huge = numpy.nan, numpy.finfo("f8").max
    assert numpy.isnan(of("hyp2f1", huge, 0.5, huge, nan))
    assert of("hyp2f1", 0.0, 0.5, huge, nan) == 1
    # (1 - x)**(c - a - b) as the difference of c and a is small beside them
    made = of("hyp2f1", 1e17, 16.5, 1e17 + 16, 0.9)
    numpy.testing.assert_allclose(made, 0.1**-16.5, rtol=1e-12)
    assert numpy.isfinite(of("hyp2f1", 1e17, 16.5, 1e17 + 16, -3.0))


@pytest.fixture
def on_host():
    """Spheroidal functions ask for memory, which kernels of other devices have not."""
    with heddle.device("cpu"):
        yield


@pytest.mark.usefixtures("on_host")
@pytest.mark.parametrize("kind", ["pro", "obl"])
@pytest.mark.parametrize("c", [1e3, 1e300, numpy.inf, -numpy.inf, numpy.nan])
def test_spheroidal_functions_beyond_their_tables(kind, c):
    for name, x in (("ang1", 0.5), ("rad1", 1.5), ("rad2", 1.5)):
        assert numpy.isnan(of(f"{kind}_{name}", 0.0, 1.0, c, x)).all()
        assert numpy.isnan(of(f"{kind}_{name}_cv", 0.0, 1.0, c, 2.0, x)).all()
        assert numpy.isnan(of(f"{kind}_{name}", 1e5, 1e5, 1.0, x)).all()
    assert numpy.isnan(of(f"{kind}_cv", 0.0, 1.0, c))


@pytest.mark.usefixtures("on_host")
def test_spheroidal_functions_of_negative_parameters():
    """Eigenvalues and angular functions depend on its square."""
    for kind in ("pro", "obl"):
        assert of(f"{kind}_cv", 0.0, 1.0, -2.5) == of(f"{kind}_cv", 0.0, 1.0, 2.5)
        negative, positive = (of(f"{kind}_ang1", 0.0, 1.0, c, 0.5) for c in (-2.5, 2.5))
        numpy.testing.assert_array_equal(negative, positive)
