"""Numba's ``numba.typed``: containers that compiled functions and Python share."""

from heddle._compiled.containers import List

_absent = {
    "Dict": "dictionaries are not there: use an array, or two that are sorted by the keys, with "
    "np.searchsorted",
}


def __getattr__(name: str) -> object:
    why = f": {_absent[name]}" if name in _absent else ""
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")


__all__ = ["List"]
