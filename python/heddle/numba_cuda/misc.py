"""Helpers of Numba's that say something to its compiler."""

from __future__ import annotations

import types
from typing import Any

from heddle.simt._kernel import func


@func
def literal_unroll(container: object) -> Any:
    """A tuple to go over: loops over tuples are written out in any case."""
    return container


@func
def literally(obj: object) -> Any:
    """A value that is known: what can be known is in any case."""
    return obj


special = types.SimpleNamespace(literal_unroll=literal_unroll, literally=literally)
