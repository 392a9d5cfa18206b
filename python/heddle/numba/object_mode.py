"""Numba's ``objmode``: parts of functions that are carried out by Python."""

from __future__ import annotations


class objmode:
    """``with objmode(...):`` around what Python is to do; the function has to be Python's, too.

    There is no object mode: a compiled function that has such a part is refused when it is called,
    with the line. Where the function itself is Python's nothing has to be said, as in Numba.

    Examples
    --------
    >>> from heddle.numba import objmode
    >>> def told(x):
    ...     with objmode(y="float64"):
    ...         y = float(str(x))
    ...     return y
    >>> told(2)
    2.0
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.types = kwargs

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None
