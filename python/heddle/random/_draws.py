"""What distributions are made of: numbers of one word each, and drawing again what was rejected."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from heddle import _core
from heddle._core import ndarray, ufuncs

from ._arguments import is_array
from ._philox import Philox, Reserved

TINY = 2.0**-54  # what takes the place of zero: half of the least positive number drawn

log, exp, sqrt, floor = ufuncs["log"], ufuncs["exp"], ufuncs["sqrt"], ufuncs["floor"]
where = _core.select


def uniform(words: ndarray) -> ndarray:
    """Numbers in [0, 1)."""
    return _core.unit_interval(words)


def positive(words: ndarray) -> ndarray:
    """Numbers in (0, 1)."""
    return ufuncs["maximum"](_core.unit_interval(words), TINY)


def normal(words: ndarray) -> ndarray:
    """Standard normal numbers."""
    return _core.normal_deviate(words)


def exponential(words: ndarray) -> ndarray:
    """Standard exponential numbers."""
    return -log(1.0 - _core.unit_interval(words))


def sign(words: ndarray) -> ndarray:
    """Whether the lowest bit is set, which numbers made of the same word do not depend on."""
    return (words & numpy.uint64(1)) == 0


Attempt = Callable[..., tuple[ndarray, ndarray]]


def accepted(
    bits: Philox, shape: tuple[int, ...], planes: int, parameters: Sequence[Any], attempt: Attempt
) -> ndarray:
    """Numbers of a rejection method.

    ``attempt(words, *parameters)`` makes a number of `planes` words for every element, and says
    which to keep. The others are made again, of words of their own, until none is left.
    """
    count = math.prod(shape)
    reserved = bits.reserve(count, planes)
    spread = [p._broadcast_to(shape)._reshape((count,)) if is_array(p) else p for p in parameters]
    words = [reserved.words((count,), plane) for plane in range(planes)]
    result, kept = attempt(words, *spread)
    if count:
        _core.eval(result, kept)
        result = _repeated(result, kept, reserved, planes, spread, attempt)
    return _core.drawn(result, shape)


def _repeated(
    result: ndarray,
    kept: ndarray,
    reserved: Reserved,
    planes: int,
    parameters: Sequence[Any],
    attempt: Attempt,
) -> ndarray:
    places = _core.flat_nonzero(~kept)
    number = 0
    while places.size:
        number += 1
        words = [reserved.words_at(places, plane, number) for plane in range(planes)]
        own = [p[places] if is_array(p) else p for p in parameters]
        again, kept = attempt(words, *own)
        result[places] = again  # what is rejected once more is overwritten later
        places = places[_core.flat_nonzero(~kept)]
    return result
