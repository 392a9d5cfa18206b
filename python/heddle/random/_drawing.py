"""What distributions of numbers have in common: a generator's stream, parameters, and a size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ShapeLike
from heddle.random._arguments import PYTHONS, check, is_array, output_shape, parameter
from heddle.random._philox import Philox


class Drawing:
    """Of a generator with a bit generator of ours."""

    _bits: Philox
    # The last distribution that was drawn of Python's numbers, which need no second look.
    _asked: tuple[str, tuple[float, ...]] | None = None

    # Typed as arrays, which all but single numbers are.

    def _drawn(self, name: str, parameters: tuple[Any, ...], size: ShapeLike | None) -> ndarray:
        """Numbers of the distribution of this name."""
        if not PYTHONS.issuperset(map(type, parameters)):
            values = [parameter(p) for p in parameters]
            check(name, *values)
            return self._draw(name, values, size)
        if self._asked != (name, parameters):
            check(name, *map(parameter, parameters))
            self._asked = name, parameters
        return self._draw(name, parameters, size, arrays=False)

    def _draw(
        self, name: str, values: Sequence[Any], size: ShapeLike | None, arrays: bool = True
    ) -> ndarray:
        """The same of parameters that were checked, among which there may be arrays."""
        if is_single(size) and not (arrays and any(map(is_array, values))):
            return cast("ndarray", self._bits.draw(name, values, None))
        shape = output_shape(size, *values)
        if _core.recording():
            return _core.draw(name, self._bits, values, shape)
        return cast("ndarray", self._bits.draw(name, values, shape))


def is_single(size: ShapeLike | None) -> bool:
    """Whether a number is a Python number, as NumPy's is: one, and nothing waits for it."""
    return size is None and not _core.recording() and _core.default_device() == "cpu"
