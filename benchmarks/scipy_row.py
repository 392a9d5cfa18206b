"""What a row of benchmarks/scipy_modules.py is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class ScipyRow:
    """A name, how arguments are made for a number of elements, and a call of a module, which is
    SciPy's or ours, on arrays of either."""

    name: str
    make: Callable[[int], tuple[Any, ...]]
    call: Callable[..., Any]
