"""Floating-point errors: what `errstate` and `seterr` say about divide, over, under and invalid.

NumPy looks at the machine's flags after each operation. Here operations are computed together, so
nobody looks for errors unless somebody asks: then every operation runs at its call, and the core
says which error it made (src/transform/float_errors.h).
"""

from __future__ import annotations

import sys
from typing import Any, Literal

import numpy as _numpy

from heddle import _core
from heddle._runtime.reports import warn

ErrorKind = Literal["ignore", "warn", "raise", "call", "print", "log"]

_KINDS = ("divide", "over", "under", "invalid")  # as bits, and in the order NumPy tells of them
_TEXTS = ("divide by zero", "overflow", "underflow", "invalid value")
_FLAGS = (1, 2, 4, 8)  # of NumPy's, for functions that are called


def wanted(given: dict[str, Any], warnings: bool) -> int:
    """Which errors are looked for, where these handlings are said; `warnings` says of 'warn'."""
    bits = _core.float_checks()
    for bit, kind in enumerate(_KINDS):
        how = given.get(kind)
        if how is None:
            how = given.get("all")
        if how is not None:
            looks = how in ("raise", "call", "print", "log") or (how == "warn" and warnings)
            bits = bits | 1 << bit if looks else bits & ~(1 << bit)
    return bits


def _handle(bit: int, step: str) -> None:
    """Does what NumPy does about an error that was found."""
    how = dict(_numpy.geterr())[_KINDS[bit]]
    text = f"{_TEXTS[bit]} encountered in {step}"
    if how == "raise":
        raise FloatingPointError(text)
    if how == "warn":
        warn(text)
    elif how == "print":
        print(f"Warning: {text}", file=sys.stderr)
    elif how in ("call", "log"):
        function: Any = _numpy.geterrcall()
        if function is None:
            what = "python callback" if how == "call" else "log"
            raise NameError(
                f"{what} specified for {_TEXTS[bit]} (in  {step}) but no function found."
            )
        if how == "call":
            function(_TEXTS[bit], _FLAGS[bit])
        else:
            function.write(f"Warning: {text}\n")


_core.set_float_error_function(_handle)


def seterr(
    all: ErrorKind | None = None,
    divide: ErrorKind | None = None,
    over: ErrorKind | None = None,
    under: ErrorKind | None = None,
    invalid: ErrorKind | None = None,
) -> dict[str, Any]:
    """How floating-point errors are treated in this thread; gives how they were.

    Heddle looks for an error that is to ``'raise'``, ``'call'``, ``'print'`` or ``'log'``: from
    then on every operation runs at its call, and nothing is fused. It does not look for those of
    which NumPy warns by default; `errstate` does where it is told to ``'warn'``.

    Parameters
    ----------
    all, divide, over, under, invalid : str, optional
        'ignore', 'warn', 'raise', 'call', 'print' or 'log', as for `numpy.seterr`.

    Examples
    --------
    >>> import heddle as np
    >>> before = np.seterr(divide="raise")
    >>> np.ones(2) / 0
    Traceback (most recent call last):
        ...
    FloatingPointError: divide by zero encountered in divide
    >>> _ = np.seterr(**before)
    """
    kinds: dict[str, Any] = {"divide": divide, "over": over, "under": under, "invalid": invalid}
    before = _numpy.seterr(all=all, **kinds)
    _core.exchange_float_checks(wanted({"all": all, **kinds}, warnings=False))
    return dict(before)
