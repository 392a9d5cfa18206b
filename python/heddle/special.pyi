"""SciPy's special functions. Made by scripts/generate.py from the op table."""

from heddle._math.ufuncs import Unary

erf: Unary

__all__ = ["erf"]
