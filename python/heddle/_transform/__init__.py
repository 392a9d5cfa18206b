"""Transformations of functions: derivatives and batches of ordinary NumPy code, writes included."""
