"""NumPy's names for the ufuncs: those of the op table, and second ones."""

from heddle._core import ufunc, ufunc_aliases, ufuncs

globals().update(ufuncs)
globals().update({alias: ufuncs[name] for alias, name in ufunc_aliases.items()})

__all__ = ["ufunc", *ufuncs, *ufunc_aliases]
