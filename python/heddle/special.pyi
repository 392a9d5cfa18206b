"""SciPy's special functions. Made by scripts/generate.py from the op table."""

from heddle._core import ufunc

erf: ufunc

__all__ = ["erf"]
