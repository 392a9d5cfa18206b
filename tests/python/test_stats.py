"""heddle.scipy.stats against SciPy: native functions, SciPy's own ones, distributions."""

import os
import pickle
import random
import warnings

import numpy
import pytest
import scipy.stats as theirs
from oracles import SCIPY
from scipy_support import host_of, numbers, ours_of, same

import heddle
from heddle import _core
from heddle.scipy import stats
from heddle.scipy.stats._distributions import Distribution, has_formula, methods_of

X, Y = numbers((30, 4)), numbers((30, 4), seed=1) + 0.3
P, Q = numpy.abs(X) + 0.1, numpy.abs(Y) + 0.1
V, W, Z = X[:, 0], Y[:, 0], numbers((40,), seed=2)
COUNTS = numbers((30, 4), "i8", 3)
TABLE = numpy.abs(numbers((3, 4), "i8", 4)) + 1
PVALUES = numpy.linspace(0.001, 0.9, 10)
HOLES = numpy.where(numpy.abs(X) < 0.2, numpy.nan, X)


def flat(value):
    """All numbers of a result, in order."""
    if hasattr(value, "statistic") and hasattr(value, "pvalue"):
        value = (value.statistic, value.pvalue)
    if isinstance(value, (tuple, list)):
        return [number for each in value for number in flat(each)]
    return [numpy.asarray(host_of(value))]


def near(ours, expected, tolerance=1e-10):
    for a, b in zip(flat(ours), flat(expected), strict=True):
        assert a.shape == b.shape, (a.shape, b.shape)
        numpy.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def compare(name, *args, tolerance=1e-10, **kwargs):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = getattr(theirs, name)(*args, **kwargs)
        found = getattr(stats, name)(*map(ours_of, args), **kwargs)
    near(found, expected, tolerance)


# --- native ---


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_scores(axis, dtype):
    x, y = X.astype(dtype), Y.astype(dtype)
    tolerance = 1e-5 if dtype == "f4" else 1e-12
    for ddof in (0, 1):
        same(stats.zscore, theirs.zscore, x, axis, ddof, tolerance=tolerance)
        same(stats.zmap, theirs.zmap, x, y, axis, ddof, tolerance=tolerance)
    compare("zscore", HOLES, axis, nan_policy="omit")
    compare("zscore", HOLES, axis)
    compare("zscore", numpy.ones((3, 2)), axis)
    for ddof in (2, 5):  # of too few numbers there is no deviation
        compare("zscore", numpy.arange(4.0).reshape(2, 2), axis, ddof)
        compare("zmap", numpy.arange(4.0).reshape(2, 2), numpy.eye(2) * 1j, axis, ddof)
    with pytest.raises(ValueError, match="nan"):
        stats.zscore(ours_of(HOLES), nan_policy="raise")


@pytest.mark.parametrize("axis", [0, 1, None])
def test_means_and_entropies(axis):
    for cut in (0, 0.1, 0.3):
        compare("trim_mean", X, cut, axis)
        compare("trim_mean", COUNTS, cut, axis)
        compare("trim_mean", HOLES, cut, axis)
        compare("trim_mean", HOLES, cut, axis, nan_policy="omit")
    compare("trim_mean", X, 0.2, axis, keepdims=True)
    compare("entropy", P, axis=axis)
    compare("entropy", P, Q, 2.0, axis)
    compare("entropy", P, Q, axis=axis, keepdims=True)
    for parameter in (-1.5, 0, 0.5, 300.0):
        compare("boxcox_llf", parameter, P, axis=axis)
    compare("boxcox_llf", 0.5, P, axis=axis, keepdims=True)
    same(stats.entropy, theirs.entropy, P, None, -1.0)
    same(stats.trim_mean, theirs.trim_mean, X, 0.6)


def test_samples():
    for alternative in ("two-sided", "less", "greater"):
        compare("ranksums", V, W, alternative)
        compare("linregress", V, W, alternative)
        compare("ranksums", COUNTS[:, 0], COUNTS[:, 1], alternative)
    line = stats.linregress(ours_of(V[:2]), ours_of(W[:2]))
    near(line[:3], theirs.linregress(V[:2], W[:2])[:3])
    assert numpy.isnan(float(line.pvalue))  # SciPy's until 1.17 is 0
    compare("linregress", V[:5], numpy.ones(5))
    compare("linregress", V[:1], W[:1])
    compare("linregress", V[:0], W[:0])
    with pytest.raises(ValueError, match="all x values are identical"):  # nan from 1.18 on
        stats.linregress(heddle.ones(3), ours_of(V[:3]))
    for cut in (0, 0.1, 0.4):
        # SciPy leaves open in which order they are.
        near(stats.trimboth(ours_of(V), cut), numpy.sort(theirs.trimboth(V, cut)))
        near(stats.trimboth(ours_of(X), cut, 1), numpy.sort(theirs.trimboth(X, cut, 1), 1))
        for tail in ("left", "right"):
            near(stats.trim1(ours_of(V), cut, tail), numpy.sort(theirs.trim1(V, cut, tail)))
    same(stats.trimboth, theirs.trimboth, V, 0.5)
    for kind in ("rank", "strict", "weak", "mean"):
        compare("percentileofscore", COUNTS[:, 0], numpy.array([-3, 0, 2.5, numpy.nan]), kind)
        compare("percentileofscore", HOLES[:, 0], 0.3, kind)
        compare("percentileofscore", HOLES[:, 0], 0.3, kind, nan_policy="omit")
    compare("wasserstein_distance", V, Z)
    compare("wasserstein_distance", V, W, P[:, 0], Q[:, 0])
    compare("energy_distance", V, Z)
    same(stats.energy_distance, theirs.energy_distance, V, W, -P[:, 0])


def test_tables():
    for table in (TABLE, numpy.array([[8, 2], [1, 5]]), numpy.stack([TABLE, TABLE + 2])):
        for correction in (True, False):
            ours = stats.chi2_contingency(ours_of(table), correction)
            expected = theirs.chi2_contingency(table, correction)
            near(tuple(ours), tuple(expected))
    same(stats.chi2_contingency, theirs.chi2_contingency, -TABLE)


def test_power_transforms():
    positive = P[:, 0]
    for parameter in (-1.0, 0, 0.5, 2, 3):
        compare("boxcox", positive, parameter)
        compare("yeojohnson", V, parameter)
    # The likelihood is flat where it is greatest.
    for name, x in (("boxcox", positive), ("yeojohnson", V)):
        ours, best = getattr(stats, name)(ours_of(x))
        expected, wanted = getattr(theirs, name)(x)
        assert abs(best - wanted) < 1e-5 and isinstance(ours, _core.own_array)
        near(ours, expected, 1e-4)
    same(stats.boxcox, theirs.boxcox, V)
    same(stats.boxcox, theirs.boxcox, numpy.ones(4))


@pytest.mark.parametrize(
    "given",
    [
        [2003.0, 1950.0, 1997.0, 2000.0, 2009.0, 2009.0, 1980.0, 1999.0, 2007.0, 1991.0],
        [1, 1e200, 1e-200, 4, 5],
        [1, 2, 3, 4, 1e32],
        [1e-8, 2e-8, 3e-9, 5e-8],
        [-2003.0, -1950.0, -1997.0, -2000.0, -2009.0],
    ],
)
def test_power_transforms_that_nearly_overflow(given):
    x = numpy.array(given)
    for name in ("yeojohnson", "boxcox") if (x > 0).all() else ("yeojohnson",):
        with warnings.catch_warnings(record=True) as theirs_said:
            warnings.simplefilter("always")
            expected, wanted = getattr(theirs, name)(x)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            ours, best = getattr(stats, name)(ours_of(x))
        assert abs(best - wanted) < 1e-5 * max(1, abs(wanted))
        near(ours, expected, 1e-2)
        limited = [str(each.message).startswith("The optimal lambda") for each in theirs_said]
        assert any(limited) == any(str(each.message).startswith("The optimal") for each in said)


# --- SciPy's own ---

CALLS = {
    "gmean": (P,),
    "hmean": (P,),
    "gstd": (P,),
    "gzscore": (P,),
    "pmean": (P, 2),
    "moment": (X, 3),
    "skew": (X,),
    "kurtosis": (X,),
    "variation": (P,),
    "sem": (X,),
    "iqr": (X,),
    "median_abs_deviation": (X,),
    "kstat": (V, 2),
    "kstatvar": (V, 2),
    "describe": (X,),
    "tmean": (V, (-1, 1)),
    "tvar": (V, (-1, 1)),
    "tmin": (V, -1),
    "tmax": (V, 1),
    "tstd": (V,),
    "tsem": (V,),
    "skewtest": (X,),
    "kurtosistest": (X,),
    "normaltest": (X,),
    "jarque_bera": (X,),
    "differential_entropy": (V,),
    "mode": (COUNTS,),
    "ttest_1samp": (X, 0.1),
    "ttest_ind": (X, Y),
    "ttest_rel": (X, Y),
    "pearsonr": (V, W),
    "spearmanr": (V, W),
    "pointbiserialr": (V > 0, W),
    "chatterjeexi": (V, W),
    "f_oneway": (V, W, Z),
    "alexandergovern": (V, W, Z),
    "kruskal": (V, W, Z),
    "friedmanchisquare": (V, W, P[:, 0]),
    "bartlett": (V, W, Z),
    "levene": (V, W, Z),
    "fligner": (V, W, Z),
    "mood": (V, W),
    "brunnermunzel": (V, W),
    "mannwhitneyu": (V, W),
    "ks_2samp": (V, W),
    "epps_singleton_2samp": (V, W),
    "power_divergence": (TABLE[0],),
    "chisquare": (TABLE[0],),
    "combine_pvalues": (PVALUES,),
    "false_discovery_control": (PVALUES,),
    "circmean": (P,),
    "circvar": (P,),
    "circstd": (P,),
    "rankdata": (COUNTS,),
    "quantile": (X, 0.3),
    "sigmaclip": (V,),
    "lmoment": (X,),
    "yeojohnson_llf": (0.5, V),
}


# A seeded half of them, and all with HEDDLE_TEST_ALL: kernels are compiled for each.
CALLED = (
    sorted(CALLS)
    if "HEDDLE_TEST_ALL" in os.environ
    else random.Random(7).sample(sorted(CALLS), len(CALLS) // 2)
)


@pytest.mark.parametrize("name", CALLED)
def test_scipys_own_functions(name):
    if not hasattr(theirs, name):
        pytest.skip("not in this SciPy")
    compare(name, *CALLS[name], tolerance=1e-9)


def test_resampling():
    mean = stats.bootstrap(
        (ours_of(V),), lambda x, axis: x.mean(axis=axis), n_resamples=50, method="percentile"
    )
    low, high = mean.confidence_interval
    assert float(low) < V.mean() < float(high)


def test_resampling_with_generators_of_ours():
    random = heddle.random
    for name, make in (("rng", random.default_rng), ("random_state", random.RandomState)):
        first, second = (
            stats.bootstrap(
                (ours_of(V),), heddle.mean, n_resamples=50, method="basic", **{name: make(3)}
            ).standard_error
            for _ in range(2)
        )
        assert float(first) == float(second) > 0


# --- distributions ---

# Kernels of special functions take longer to compile: the last ones with HEDDLE_TEST_ALL only.
PARAMETERS = {
    "norm": (),
    "gamma": (1.99,),
    "beta": (2.3, 0.6),
    "t": (2.7,),
    "expon": (),
    "lognorm": (0.95,),
    "rayleigh": (),
    "triang": (0.16,),
    "truncnorm": (-1.1, 2.7),
    "norminvgauss": (1.25, 0.5),
    "binom": (5, 0.4),
    "bernoulli": (0.3,),
    "poisson": (0.6,),
    "randint": (7, 31),
    "chi2": (55,),
    "ncx2": (21, 1.06),
    "f": (29, 18),
    "weibull_min": (1.79,),
    "cauchy": (),
    "betaprime": (5, 6),
    "skewnorm": (4.0,),
    "invgamma": (4.07,),
    "semicircular": (),
    "nbinom": (5, 0.5),
    "geom": (0.5,),
    "hypergeom": (30, 12, 6),
}
TESTED = list(PARAMETERS)[: None if "HEDDLE_TEST_ALL" in os.environ else 9]


def places(inner, args, discrete):
    # None of them is where a discrete distribution steps, and the last bit decides.
    chances = numpy.linspace(0.02, 0.97, 9)
    values = inner.ppf(chances, *args)
    strange = [-1e3, 1e3, 0, numpy.nan, -numpy.inf, numpy.inf]
    if discrete:
        strange.append(values[0] + 0.5)
    return (
        numpy.concatenate([values, strange]),
        numpy.concatenate([chances, [-0.1, 0, 1, 1.2, numpy.nan]]),
    )


def test_methods_without_formulas_take_numbers():
    for name, args in (("argus", (1.0,)), ("betabinom", (5, 2.3, 0.63)), ("kappa4", (0.1, 0.2))):
        inner, ours = getattr(theirs, name), getattr(stats, name)
        assert float(ours.ppf(0.3, *args)) == inner.ppf(0.3, *args)
        assert float(ours(*args).sf(2, loc=1)) == inner(*args).sf(1)
        near(ours.ppf([0.1, 0.3], *args), inner.ppf([0.1, 0.3], *args))


@pytest.mark.parametrize("name", TESTED)
def test_distributions(name):
    inner, ours, args = getattr(theirs, name), getattr(stats, name), PARAMETERS[name]
    discrete = not hasattr(inner, "pdf")
    values, chances = places(inner, args, discrete)
    for method in methods_of(inner):
        at = chances if method in ("ppf", "isf") else values * (1 if discrete else 2) + 3
        place = {"loc": 3} if discrete else {"loc": 3, "scale": 2.0}
        if not has_formula(inner, method):
            with pytest.raises(NotImplementedError, match=f"{name}.{method}: SciPy has no formula"):
                getattr(ours, method)(ours_of(at), *args, **place)
            continue
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = getattr(inner, method)(at, *args, **place)
        found = getattr(ours, method)(ours_of(at), *args, **place)
        assert isinstance(found, _core.own_array) and found.dtype == expected.dtype
        numpy.testing.assert_allclose(
            host_of(found), expected, rtol=1e-8, atol=1e-12, err_msg=f"{name}.{method}"
        )


def test_parameters_that_are_arrays():
    a, x = numpy.array([0.5, 2.0, -1.0, numpy.nan]), numpy.array([[0.3], [1.5]])
    expected = theirs.gamma.pdf(x, a, scale=[1, 2, 3, 4])
    found = stats.gamma.pdf(ours_of(x), ours_of(a), scale=ours_of(numpy.array([1, 2, 3, 4])))
    numpy.testing.assert_allclose(host_of(found), expected, rtol=1e-12)
    numpy.testing.assert_allclose(
        host_of(stats.norm.cdf(ours_of(x), ours_of(a), 2.0)), theirs.norm.cdf(x, a, 2.0)
    )


def test_frozen_distributions():
    ours, expected = stats.gamma(2.0, scale=3.0), theirs.gamma(2.0, scale=3.0)
    x = numpy.linspace(0, 5, 7)
    numpy.testing.assert_allclose(host_of(ours.pdf(ours_of(x))), expected.pdf(x), rtol=1e-13)
    assert float(ours.ppf(q=0.3)) == pytest.approx(expected.ppf(q=0.3))
    assert float(stats.binom(p=0.5, n=12).pmf(k=8)) == pytest.approx(theirs.binom.pmf(8, 12, 0.5))
    assert float(stats.binom.pmf(k=8, n=12, p=0.5)) == pytest.approx(theirs.binom.pmf(8, 12, 0.5))
    with pytest.raises(TypeError):
        ours.pdf(q=1.0)
    assert ours.mean() == expected.mean() and ours.std() == expected.std()
    assert float(ours.median()) == pytest.approx(expected.median())
    assert [float(v) for v in ours.interval(0.9)] == pytest.approx(expected.interval(0.9))
    with pytest.raises(AttributeError):
        ours.no_such_method
    drawn = ours.rvs(size=(3, 4), random_state=0)
    assert isinstance(drawn, _core.own_array)
    numpy.testing.assert_array_equal(host_of(drawn), expected.rvs(size=(3, 4), random_state=0))


def test_distributions_as_objects():
    assert pickle.loads(pickle.dumps(stats.norm)) is stats.norm
    assert "norm" in repr(stats.norm) and "cdf" in dir(stats.norm)
    moments = stats.norm.stats(1.0, 2.0, moments="mv")
    assert [float(m) for m in moments] == [1.0, 4.0]
    with pytest.raises(TypeError):
        stats.norm.pdf(heddle.ones(2), 1, 2, 3)


@pytest.mark.unrecorded("is about which kernels there are")
def test_a_density_is_one_kernel():
    from support import launches

    x = heddle.linspace(-3, 3, 1000)
    assert launches(lambda: stats.norm.pdf(x, 0.5, 2.0), x) == 1


@pytest.mark.skipif(SCIPY < (1, 17), reason="what is not a formula depends on the release")
def test_most_formulas_are_there():
    kinds = (theirs.rv_continuous, theirs.rv_discrete)
    every = [v for v in vars(theirs).values() if isinstance(v, kinds)]
    known = [has_formula(v, m) for v in every for m in methods_of(v)]
    assert sum(known) > 0.75 * len(known)
    assert all(isinstance(getattr(stats, v.name), Distribution) for v in every)


def test_generators_of_ours_draw_for_scipy():
    one, same = (
        stats.gamma.rvs(2.0, size=3, random_state=heddle.random.default_rng(5)) for _ in "ab"
    )
    assert one.tolist() == same.tolist()
    rng = heddle.random.default_rng(5)
    first, second = (stats.norm(3.0).rvs(size=3, random_state=rng) for _ in "ab")
    assert first.tolist() != second.tolist()
    drawn = stats.norm.rvs(size=2, random_state=heddle.random.RandomState(3))
    assert drawn.tolist() == numpy.random.RandomState(3).normal(size=2).tolist()


def test_means_that_are_numpys_numbers():
    x = numpy.array([1.0, 2.0, 3.5])
    want = theirs.ttest_1samp(x, numpy.float64(2))
    made = stats.ttest_1samp(heddle.asarray(x), numpy.float64(2))
    numpy.testing.assert_allclose(float(made.pvalue), want.pvalue, rtol=1e-12)
