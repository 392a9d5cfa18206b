"""Ufuncs, rounding and comparing, differences, signals."""
