"""heddle.scipy.stats with nans: `nan_policy` along any axes, against SciPy's for NumPy's arrays."""

import warnings

import numpy
import pytest
import scipy.stats as theirs
from scipy_support import host_of, numbers, ours_of

import heddle
from heddle.scipy import stats
from heddle.scipy.stats import _missing

X, Y, Z = (numpy.abs(numbers((7, 5, 6), seed=seed)) * 0.3 for seed in range(3))
HOLES, MORE = X.copy(), Y.copy()
HOLES[1, 2, 0] = HOLES[3, 0, 0] = MORE[1, 1, 2] = numpy.nan
AXES = [0, (0, -1), None]
MORE_ARGUMENTS = {
    "chisquare": {"sum_check": False},
    "moment": {"order": 0},
    "pmean": {"p": 2.0},
    "ttest_1samp": {"popmean": 0.3},
}
SAMPLES = {
    "chisquare": (HOLES,),
    "friedmanchisquare": (HOLES, MORE, Z),
    "combine_pvalues": (HOLES,),
    "power_divergence": (HOLES * 0 + 1,),
    "yeojohnson_llf": (0.5, HOLES),
}
OWN = ["linregress", "mode", "ranksums"]


def samples_of(name):
    if name in SAMPLES:
        return SAMPLES[name]
    two = ("ranksums", "linregress")
    several = name in two or _missing.SAMPLES.get(name, ())[1:2] in [("y",), ("b",)]
    several |= _missing.SAMPLES.get(name) == ("samples",) and not name.startswith("circ")
    return (HOLES, MORE) if several else (HOLES,)


def parts(made):
    if hasattr(made, "statistic") and hasattr(made, "pvalue"):
        made = (made.statistic, made.pvalue)
    return [numpy.asarray(host_of(part)) for part in (made if isinstance(made, tuple) else (made,))]


def compare(name, args, **kwargs):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = parts(getattr(theirs, name)(*args, **kwargs))
        except Exception as error:
            with pytest.raises(type(error)):
                getattr(stats, name)(*map(ours_of, args), **kwargs)
            return
        found = parts(getattr(stats, name)(*map(ours_of, args), **kwargs))
    for ours, wanted in zip(found, expected, strict=True):
        assert ours.shape == wanted.shape
        numpy.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", [*_missing.SAMPLES, *OWN])
def test_policies(name):
    if not hasattr(theirs, name):
        pytest.skip("not in this SciPy")
    more = MORE_ARGUMENTS.get(name, {})
    for policy in ("propagate", "omit", "raise"):
        for axis in AXES:
            compare(name, samples_of(name), axis=axis, nan_policy=policy, **more)
        compare(name, samples_of(name), axis=-1, nan_policy=policy, keepdims=True, **more)
    with pytest.raises(ValueError, match="nan_policy must be one of"):
        getattr(stats, name)(*map(ours_of, samples_of(name)), nan_policy="never", axis=0, **more)


def test_samples_without_nans():
    for name in OWN:
        args = (X,) if name == "mode" else (X, Y)
        for axis in AXES:
            compare(name, args, axis=axis)
            compare(name, args, axis=axis, keepdims=True)
    compare("ranksums", (X, Y[:4]))
    compare("ranksums", (X[:, 0], Y[:0, 0]))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_modes(dtype):
    x = numpy.round(numbers((20, 3)) * 2).clip(0, 3).astype(dtype)
    for axis in (0, 1, None):
        compare("mode", (x,), axis=axis)
        assert host_of(stats.mode(ours_of(x), axis).mode).dtype == dtype
    compare("mode", (x[:, 0],), keepdims=True)
    compare("mode", (x[:0],))
    compare("mode", (numpy.array([numpy.nan, 1, numpy.nan]),))
    compare("mode", (numpy.array(5),), axis=None)
    with pytest.raises(TypeError):
        stats.mode(heddle.ones(3, bool))


def test_intervals_of_tests_with_missing_numbers():
    found = stats.ttest_1samp(ours_of(HOLES), 0.1, axis=0, nan_policy="omit")
    expected = theirs.ttest_1samp(HOLES, 0.1, axis=0, nan_policy="omit")
    numpy.testing.assert_allclose(host_of(found.df), expected.df)
    ours, wanted = found.confidence_interval(), expected.confidence_interval()
    numpy.testing.assert_allclose(host_of(ours.low), wanted.low)
    numpy.testing.assert_allclose(host_of(ours.high), wanted.high)
