"""Numba's ``numba.typed``: containers that compiled functions and Python share."""

from heddle._compiled.containers import Dict, List

__all__ = ["Dict", "List"]
