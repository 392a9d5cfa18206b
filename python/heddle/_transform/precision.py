"""How exactly JAX is asked to compute products: here there is one answer."""

from __future__ import annotations

import enum


class Precision(enum.Enum):
    """How exactly products are computed: here always in the type of the operands, or more.

    >>> import heddle as np
    >>> np.lax.Precision.HIGHEST.name
    'HIGHEST'
    """

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


def check_precision(what: str, precision: object) -> None:
    """Whether it is one: every product is as exact as HIGHEST says, so there is nothing to do."""
    for one in precision if isinstance(precision, (tuple, list)) else (precision,):
        if one is None or isinstance(one, Precision):
            continue
        if str(one).upper() not in (*Precision.__members__, "FLOAT32", "TENSORFLOAT32", "BFLOAT16"):
            raise ValueError(f"{what}: precision is None or one of Precision, not {one!r}")
