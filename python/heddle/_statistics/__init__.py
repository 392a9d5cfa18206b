"""Reductions, also without nans; quantiles, histograms, covariances."""
