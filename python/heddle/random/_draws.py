"""What distributions are made of: numbers of one word each."""

import math

import numpy

from heddle import _core
from heddle._core import ndarray, ufuncs
from heddle.random._philox import Philox

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


def two_uniform(bits: Philox, shape: tuple[int, ...]) -> tuple[ndarray, ndarray]:
    """What numbers by rejection are made of: two in [0, 1) for every element."""
    reserved = bits.reserve(math.prod(shape), 2)
    return uniform(reserved.words(shape, 0)), uniform(reserved.words(shape, 1))
