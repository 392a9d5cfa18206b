"""Help on names and arrays, printed."""

from __future__ import annotations

import importlib
import sys
from typing import IO, Any

import numpy as _numpy

from heddle._core import ndarray, own_array

__all__ = ["info"]

_places = ("", ".fft", ".linalg", ".random", ".polynomial", ".emath", ".special", ".cuda")


def _describe(a: ndarray, output: Any) -> None:
    rows = {
        "class": type(a).__name__,
        "shape": a.shape,
        "strides": a.strides,
        "itemsize": a.itemsize,
        "contiguous": a.flags.contiguous,
        "fortran": a.flags.fortran,
        "device": a.device,
        "type": a.dtype,
    }
    for name, value in rows.items():
        print(f"{name}:  {value}", file=output)


def _find(name: str) -> dict[str, object]:
    """The modules that have a name, and what it is there; each thing once."""
    found: dict[str, Any] = {}
    for place in _places:
        try:
            module = importlib.import_module("heddle" + place)
        except ImportError:
            continue
        value = getattr(module, name, None)
        if value is not None and not any(value is other for other in found.values()):
            found[module.__name__] = value
    return found


def info(
    object: object = None,
    maxwidth: int = 76,
    output: IO[str] | None = None,
    toplevel: str = "heddle",
) -> None:
    """Print the documentation of a function, class or module, or what an array is.

    A string is looked for among the names of Heddle's modules.

    Examples
    --------
    >>> import heddle as np
    >>> np.info(np.zeros(2, np.int8))
    class:  ndarray
    shape:  (2,)
    strides:  (1,)
    itemsize:  1
    contiguous:  True
    fortran:  True
    device:  cpu
    type:  int8
    """
    output = sys.stdout if output is None else output
    if object is None:
        object = info
    if isinstance(object, own_array):
        _describe(object, output)
    elif isinstance(object, str) and toplevel == "heddle":
        found = _find(object)
        for place, value in found.items():
            print(f"     *** Found in {place} ***", file=output)
            info(value, maxwidth, output)
            print("-" * maxwidth, file=output)
        if not found:
            print(f"Help for {object} not found.", file=output)
    else:
        _numpy.info(object, maxwidth, output, toplevel)
