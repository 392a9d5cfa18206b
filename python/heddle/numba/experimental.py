"""Numba's ``numba.experimental``: classes that are compiled."""

from heddle._compiled.classes import jitclass

_absent = {
    "structref": "structures are classes here: use jitclass",
    "function_type": "functions are taken along where they are called",
}


def __getattr__(name: str) -> object:
    why = f": {_absent[name]}" if name in _absent else ""
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")


__all__ = ["jitclass"]
