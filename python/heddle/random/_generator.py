"""Generator: NumPy's interface to random numbers, computed where arrays are."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, cast, overload

import numpy

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, DTypeLike, Output, ShapeLike
from heddle.random._arguments import (
    PYTHONS,
    are_few,
    asked,
    check,
    float_type,
    is_array,
    output,
    output_shape,
    parameter,
    stored,
)
from heddle.random._continuous import Continuous
from heddle.random._discrete import Discrete
from heddle.random._integers import Integers
from heddle.random._multivariate import Multivariate
from heddle.random._philox import Philox
from heddle.random._samples import Samples

if TYPE_CHECKING:  # whose methods have other types
    NumpysGenerator = object
else:
    NumpysGenerator = numpy.random.Generator

_UNIT = 2.0**-53  # between neighbouring numbers in [0, 1)


class Generator(Continuous, Discrete, Integers, Samples, Multivariate, NumpysGenerator):
    """Random numbers of a bit generator.

    With :class:`Philox`, the default, the current device computes the numbers, deferred and fused
    like other operations, and any device the same ones. `random`, `uniform`, `bytes` and `integers`
    with scalar bounds give NumPy's numbers; other distributions have methods of their own. With one
    of NumPy's bit generators, NumPy draws on the host. It counts as one of NumPy's generators, so
    that libraries which ask for those (SciPy, scikit-learn) draw from it.

    Examples
    --------
    >>> import heddle as np
    >>> rng = np.random.Generator(np.random.Philox(7))
    >>> rng.random(2).shape
    (2,)
    """

    def __new__(cls, bit_generator: object) -> Generator:
        """A generator for Philox, or one that asks NumPy."""
        if cls is Generator and isinstance(bit_generator, numpy.random.BitGenerator):
            from heddle.random._host import HostGenerator

            return super().__new__(HostGenerator)
        return super().__new__(cls)

    def __init__(self, bit_generator: object) -> None:
        if isinstance(bit_generator, type):
            raise ValueError("Bit generator must be instantiated.")
        if not isinstance(bit_generator, Philox):
            raise TypeError(
                "bit_generator has to be heddle.random.Philox or one of NumPy's bit generators, "
                f"not {type(bit_generator).__name__}"
            )
        self._bits = bit_generator
        self._begin_as_numpys(asked.bit_generator)  # all that draws is overridden

    def _begin_as_numpys(self, bit_generator: numpy.random.BitGenerator) -> None:
        numpy.random.Generator.__init__(cast("Any", self), bit_generator)

    @property
    def bit_generator(self) -> Philox:
        """The bit generator that the numbers come from."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """Independent generators.

        Examples
        --------
        >>> import heddle as np
        >>> children = np.random.default_rng(7).spawn(2)
        >>> [int(rng.integers(100)) for rng in children]
        [14, 19]
        """
        return [type(self)(child) for child in self._bits.spawn(n_children)]

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._bits,)

    def __repr__(self) -> str:
        return f"{self} at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"{type(self).__name__}({type(self._bits).__name__})"

    # --- what NumPy gives, bit for bit ---

    @overload
    def random(
        self, size: None = None, dtype: DTypeLike | None = numpy.float64, out: None = None
    ) -> float: ...
    @overload
    def random(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = numpy.float64,
        out: Output | None = None,
    ) -> ndarray: ...
    def random(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = numpy.float64,
        out: Output | None = None,
    ) -> Any:
        """Numbers in [0, 1).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).random(3)
        array([0.46881749, 0.42614584, 0.3629817 ])
        """
        if out is None and dtype is numpy.float64 and not _core.recording():
            if size is None:
                return (self._bits.next_word() >> 11) * _UNIT
            if are_few(size):
                return self._bits.draw("uniform", (0.0, 1.0), output_shape(size))
        wanted = float_type(dtype, "random")
        target, size = output(out, wanted, size)
        shape = output_shape(size)
        words = self._bits.words(shape) if wanted == numpy.float64 else self._bits.halves(shape)
        return stored(_core.unit_interval(words), target, out)

    @overload
    def uniform(self, low: float = 0.0, high: float = 1.0, size: None = None) -> float: ...
    @overload
    def uniform(
        self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray: ...
    def uniform(
        self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: ShapeLike | None = None
    ) -> ndarray | float:
        """Numbers in [low, high).

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).uniform(-1, 1, 3)
        array([-0.06236503, -0.14770833, -0.2740366 ])
        """
        if size is not None and PYTHONS.issuperset((type(low), type(high))):
            return self._drawn("uniform", (low, high), size)
        low, high = parameter(low), parameter(high)
        if size is None and isinstance(low, float) and isinstance(high, float):
            width = high - low
            if width >= 0 and width != math.inf and not _core.recording():
                return cast("ndarray", low + width * self.random())
        extent = high - low
        check("uniform", 0.0 if is_array(extent) else low, extent if is_array(extent) else high)
        return _core.draw("uniform", self._bits, (low, high), output_shape(size, low, high))

    def bytes(self, length: int) -> bytes:
        """Random bytes, on the host.

        Examples
        --------
        >>> import heddle as np
        >>> len(np.random.default_rng(7).bytes(4))
        4
        """
        count = operator.index(length)
        halves = max((count + 3) // 4, 1)  # NumPy draws one for no bytes, too
        return self._bits.halves((halves,)).tobytes()[: max(count, 0)]
