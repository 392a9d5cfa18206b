"""Statistics: ``scipy.stats`` for arrays of every device.

Scores, entropies and what SciPy computes in NumPy's memory only are native. Most of the rest is
SciPy's own code, which is generic: it computes with Heddle's functions, where the arrays are.
Distributions are SciPy's formulas, with special functions of ours: ``stats.norm.pdf(x)`` of an
array is deferred, and one kernel.
"""

from heddle._names.public import publish as _publish
from heddle.scipy._generic import generic_or_on_host as _generic_or_on_host
from heddle.scipy._generic import open_module as _open_module
from heddle.scipy.stats import _missing, _own
from heddle.scipy.stats._distributions import Distribution as _Distribution
from heddle.scipy.stats._samples import (
    boxcox,
    chi2_contingency,
    energy_distance,
    linregress,
    mode,
    percentileofscore,
    ranksums,
    trim1,
    trimboth,
    wasserstein_distance,
    yeojohnson,
)
from heddle.scipy.stats._scores import boxcox_llf, entropy, trim_mean, zmap, zscore

__all__ = [
    "boxcox",
    "boxcox_llf",
    "chi2_contingency",
    "energy_distance",
    "entropy",
    "linregress",
    "mode",
    "percentileofscore",
    "ranksums",
    "trim1",
    "trim_mean",
    "trimboth",
    "wasserstein_distance",
    "yeojohnson",
    "zmap",
    "zscore",
]

_publish(__name__, *map(globals().get, __all__))
__getattr__ = _open_module(
    __name__,
    [name for name in _own.GENERIC if name not in _missing.SAMPLES],
    _own.ON_HOST,
    wrapped={
        **dict.fromkeys(_own.distributions(), _Distribution),
        **dict.fromkeys(_missing.SAMPLES, _missing.with_policy),
        **dict.fromkeys(
            _own.PARTLY_ON_HOST, lambda f: _missing.with_policy(f, _generic_or_on_host)
        ),
    },
)
