"""SciPy's own names of this module: functions that are generic, and distributions."""

# Those that stay on the device, in SciPy's array API mode.
GENERIC = [
    "BootstrapMethod",
    "ConstantInputWarning",
    "DegenerateDataWarning",
    "FitError",
    "MonteCarloMethod",
    "NearConstantInputWarning",
    "PermutationMethod",
    "alexandergovern",
    "bartlett",
    "binomtest",
    "bootstrap",
    "brunnermunzel",
    "bws_test",
    "chatterjeexi",
    "chisquare",
    "circmean",
    "circstd",
    "circvar",
    "combine_pvalues",
    "describe",
    "differential_entropy",
    "directional_stats",
    "epps_singleton_2samp",
    "f_oneway",
    "false_discovery_control",
    "fligner",
    "friedmanchisquare",
    "gmean",
    "gstd",
    "gzscore",
    "hmean",
    "iqr",
    "jarque_bera",
    "kruskal",
    "kstat",
    "kstatvar",
    "kurtosis",
    "kurtosistest",
    "levene",
    "lmoment",
    "median_abs_deviation",
    "moment",
    "monte_carlo_test",
    "mood",
    "normaltest",
    "pearsonr",
    "permutation_test",
    "pmean",
    "pointbiserialr",
    "poisson_means_test",
    "power",
    "power_divergence",
    "quantile",
    "rankdata",
    "sem",
    "sigmaclip",
    "skew",
    "skewtest",
    "spearmanr",
    "spearmanrho",
    "tmax",
    "tmean",
    "tmin",
    "tsem",
    "tstd",
    "ttest_1samp",
    "ttest_ind",
    "ttest_ind_from_stats",
    "ttest_rel",
    "tvar",
    "variation",
    "yeojohnson_llf",
]


# SciPy 1.18 leaves the array API on the way.
ON_HOST = ["ks_2samp"]
# Exact distributions of few ranks are counted in NumPy's memory.
PARTLY_ON_HOST = ["mannwhitneyu"]

# Distributions, by their names; how much of each arrays of a device can use, `has_formula` says.
_CONTINUOUS = (
    "alpha anglit arcsine argus beta betaprime bradford burr burr12 cauchy chi chi2 cosine "
    "crystalball dgamma dpareto_lognorm dweibull erlang expon exponnorm exponpow exponweib f "
    "fatiguelife fisk foldcauchy foldnorm gamma gausshyper genexpon genextreme gengamma "
    "genhalflogistic genhyperbolic geninvgauss genlogistic gennorm genpareto gibrat gompertz "
    "gumbel_l gumbel_r halfcauchy halfgennorm halflogistic halfnorm hypsecant invgamma invgauss "
    "invweibull irwinhall jf_skew_t johnsonsb johnsonsu kappa3 kappa4 ksone kstwo kstwobign landau "
    "laplace laplace_asymmetric levy levy_l levy_stable loggamma logistic loglaplace lognorm "
    "loguniform lomax maxwell mielke moyal nakagami ncf nct ncx2 norm norminvgauss pareto pearson3 "
    "powerlaw powerlognorm powernorm rayleigh rdist recipinvgauss reciprocal rel_breitwigner rice "
    "semicircular skewcauchy skewnorm studentized_range t trapezoid triang truncexpon truncnorm "
    "truncpareto truncweibull_min tukeylambda uniform vonmises vonmises_line wald weibull_max "
    "weibull_min wrapcauchy"
)
_DISCRETE = (
    "bernoulli betabinom betanbinom binom boltzmann dlaplace geom hypergeom logser nbinom "
    "nchypergeom_fisher nchypergeom_wallenius nhypergeom planck poisson poisson_binom randint "
    "skellam yulesimon zipf zipfian"
)


def distributions() -> frozenset[str]:
    """The names of all distributions."""
    return frozenset((*_CONTINUOUS.split(), *_DISCRETE.split()))
