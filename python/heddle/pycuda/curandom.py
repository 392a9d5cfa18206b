"""Random numbers on the device.

The generators have the names of cuRAND's and draw Heddle's numbers: equal seeds give equal numbers
on every device, but not those of cuRAND.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy

import heddle
from heddle._array.transfer import on_stream
from heddle._core import ndarray
from heddle._typing import DType, DTypeLike, ShapeLike
from heddle.pycuda._arrays import GPUArray, _wrapped
from heddle.pycuda.gpuarray import empty, to_gpu

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream

__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]


def get_curand_version() -> tuple[int, int, int]:
    """The version of CUDA that the names are of."""
    from heddle.pycuda._contexts import get_version

    return get_version()


def rand(
    shape: ShapeLike, dtype: DTypeLike | None = numpy.float32, stream: Stream | None = None
) -> GPUArray:
    """Numbers of [0, 1), or all integers of a type.

    Examples
    --------
    >>> from heddle.pycuda import curandom
    >>> numbers = curandom.rand((2, 3))
    >>> numbers.shape, numbers.dtype, bool((numbers.get() < 1).all())
    ((2, 3), dtype('float32'), True)
    """
    return XORWOWRandomNumberGenerator(_fresh_seeds).gen_uniform(shape, dtype, stream)


def seed_getter_uniform(N: int) -> GPUArray:
    """The same seed for all.

    Examples
    --------
    >>> from heddle.pycuda import curandom
    >>> curandom.seed_getter_uniform(4).shape
    (4,)
    """
    seed = int(time.time()) & 0x7FFFFFFF
    return to_gpu(numpy.full(N, seed, numpy.int32))


def seed_getter_unique(N: int) -> GPUArray:
    """A seed for each.

    Examples
    --------
    >>> from heddle.pycuda import curandom
    >>> curandom.seed_getter_unique(4).shape
    (4,)
    """
    return to_gpu(numpy.random.default_rng().integers(0, 2**31, N).astype(numpy.int32))


def _fresh_seeds(N: int) -> GPUArray:
    return seed_getter_unique(N)


class _Generator:
    """A generator of pseudorandom numbers.

    Parameters
    ----------
    seed_getter : callable, optional
        A function of a count that gives an array of seeds.
    offset : int
        How many numbers are left out.
    """

    _streams = 4  # seeds that are asked for

    def __init__(
        self, seed_getter: Callable[[int], GPUArray] | None = None, offset: int = 0
    ) -> None:
        seeds = (seed_getter or seed_getter_unique)(self._streams)
        words = [int(s) & 0xFFFFFFFF for s in seeds.get()]
        self._draw = heddle.random.default_rng([*words, offset])

    def _filled(self, data: GPUArray, numbers: ndarray) -> None:
        data._array[...] = numbers

    def fill_uniform(self, data: GPUArray, stream: Stream | None = None) -> None:
        """Numbers of [0, 1), or all integers of the array's type."""
        with on_stream(stream):
            self._filled(data, self._uniform(data.shape, data.dtype))

    def gen_uniform(
        self, shape: ShapeLike, dtype: DTypeLike | None, stream: Stream | None = None
    ) -> GPUArray:
        """A new array of numbers of [0, 1), or of all integers of a type."""
        with on_stream(stream):
            return _wrapped(self._uniform(shape, numpy.dtype(dtype)))

    def _uniform(self, shape: ShapeLike, dtype: DType) -> ndarray:
        if dtype.kind in "iu":
            info = numpy.iinfo(dtype)
            return self._draw.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        if dtype.kind == "c":
            part = numpy.empty(0, dtype).real.dtype
            made = self._uniform(shape, part) + 1j * self._uniform(shape, part)
            return made.astype(dtype)
        return self._draw.random(shape, dtype=dtype)

    def fill_normal(self, data: GPUArray, stream: Stream | None = None) -> None:
        """Normally distributed numbers."""
        with on_stream(stream):
            self._filled(data, self._normal(data.shape, data.dtype))

    def gen_normal(
        self, shape: ShapeLike, dtype: DTypeLike | None, stream: Stream | None = None
    ) -> GPUArray:
        """A new array of normally distributed numbers."""
        with on_stream(stream):
            return _wrapped(self._normal(shape, numpy.dtype(dtype)))

    def _normal(self, shape: ShapeLike, dtype: DType) -> ndarray:
        return self._draw.standard_normal(shape, dtype=dtype)

    def fill_log_normal(
        self, data: GPUArray, mean: float = 0.0, stddev: float = 1.0, stream: Stream | None = None
    ) -> None:
        """Numbers whose logarithms are normally distributed."""
        with on_stream(stream):
            self._filled(data, heddle.exp(mean + stddev * self._normal(data.shape, data.dtype)))

    def gen_log_normal(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        mean: float = 0.0,
        stddev: float = 1.0,
        stream: Stream | None = None,
    ) -> GPUArray:
        """A new array of numbers whose logarithms are normally distributed."""
        made = empty(shape, dtype)
        self.fill_log_normal(made, mean, stddev, stream)
        return made

    def fill_poisson(
        self, data: GPUArray, lambda_value: float, stream: Stream | None = None
    ) -> None:
        """Numbers of Poisson's distribution."""
        with on_stream(stream):
            self._filled(data, self._draw.poisson(lambda_value, data.shape))

    def gen_poisson(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        lambda_value: float,
        stream: Stream | None = None,
    ) -> GPUArray:
        """A new array of numbers of Poisson's distribution."""
        made = empty(shape, dtype)
        self.fill_poisson(made, lambda_value, stream)
        return made

    def call_skip_ahead(self, i: int, stream: Stream | None = None) -> None:
        """Leave out so many numbers."""
        with on_stream(stream):
            self._draw.bit_generator.advance(int(i))

    def call_skip_ahead_array(self, i: GPUArray, stream: Stream | None = None) -> None:
        """Leave out as many numbers as the largest element says: there is one sequence."""
        self.call_skip_ahead(int(i.get().max()), stream)

    def call_skip_ahead_sequence(self, i: int, stream: Stream | None = None) -> None:
        """Go on with another sequence."""
        with on_stream(stream):
            self._draw.bit_generator.advance(int(i) << 67)

    def call_skip_ahead_sequence_array(self, i: GPUArray, stream: Stream | None = None) -> None:
        """Go on with another sequence, as the largest element says."""
        self.call_skip_ahead_sequence(int(i.get().max()), stream)


class XORWOWRandomNumberGenerator(_Generator):
    """A generator of pseudorandom numbers, by the name of cuRAND's usual one.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import curandom
    >>> draw = curandom.XORWOWRandomNumberGenerator()
    >>> draw.gen_uniform((2, 3), numpy.float32).shape
    (2, 3)
    """


class MRG32k3aRandomNumberGenerator(_Generator):
    """A generator of pseudorandom numbers, by the name of another one of cuRAND's.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import curandom
    >>> draw = curandom.MRG32k3aRandomNumberGenerator()
    >>> draw.gen_normal(5, numpy.float64).shape
    (5,)
    """


def __getattr__(name: str) -> object:
    sobol = "Sobol" in name or name.startswith(("generate_direction", "generate_scramble"))
    why = ": quasirandom numbers are drawn by scipy.stats.qmc.Sobol" if sobol else ""
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'{why}")
