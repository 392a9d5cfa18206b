"""Helpers of Numba's that say something to its compiler."""

from __future__ import annotations

import types
from typing import Any

from heddle.simt._kernel import func


@func
def literal_unroll(container: object) -> Any:
    """A tuple to go over: loops over tuples are written out in any case.

    Examples
    --------
    >>> from heddle import numba as nb
    >>> @nb.njit
    ... def total(parts):
    ...     sum = 0.0
    ...     for part in nb.literal_unroll(parts):
    ...         sum += part
    ...     return sum
    >>> total((1, 2.5, True))
    4.5
    """
    return container


@func
def literally(obj: object) -> Any:
    """A value that is known: what can be known is in any case.

    Examples
    --------
    >>> from heddle import numba as nb
    >>> @nb.njit
    ... def power(x, n):
    ...     return x ** nb.literally(n)
    >>> power(3.0, 2)
    9.0
    """
    return obj


special = types.SimpleNamespace(literal_unroll=literal_unroll, literally=literally)
