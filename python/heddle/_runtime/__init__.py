"""The machinery as a user sees it: evaluation, devices, memory; errors and warnings."""
