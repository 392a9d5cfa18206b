"""Logarithms of sums of exponentials, of complex numbers, too."""

from __future__ import annotations

import math

import heddle as hd
from heddle._typing import ArrayLike


def log_add_exp(x1: ArrayLike, x2: ArrayLike) -> hd.ndarray:
    """``log(exp(x1) + exp(x2))``; of complex numbers with an imaginary part in [-pi, pi)."""
    kind = hd.result_type(x1, x2)
    if kind.kind != "c":
        return hd.logaddexp(x1, x2)
    a, b = hd.asarray(x1, kind), hd.asarray(x2, kind)
    first = (a.real > b.real) | ((a.real == b.real) & (a.imag > b.imag))
    large, small = hd.where(first, a, b), hd.where(first, b, a)
    made = large + hd.log1p(hd.exp(small - large))
    # Whole turns make no difference to exponentials, nor to derivatives.
    turns = hd.floor((hd.stop_gradient(made.imag) + math.pi) / (2 * math.pi))
    return made - turns.astype(made.real.dtype) * hd.asarray(2j * math.pi, kind)
