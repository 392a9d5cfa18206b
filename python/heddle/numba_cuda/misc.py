"""Helpers of Numba's that say something to its compiler."""

import types
from typing import Any

from heddle.simt._kernel import func


@func
def literal_unroll(container: Any) -> Any:
    """A tuple to go over: loops over tuples are written out in any case."""
    return container


@func
def literally(obj: Any) -> Any:
    """A value that is known: what can be known is in any case."""
    return obj


special = types.SimpleNamespace(literal_unroll=literal_unroll, literally=literally)
