"""What distributions of numbers have in common: a generator's stream, parameters, and a size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ShapeLike
from heddle.random._arguments import check, is_array, output_shape, parameter
from heddle.random._philox import Philox


class Drawing:
    """Of a generator with a bit generator of ours."""

    _bits: Philox
    # The last distribution of a single number, whose parameters need no second look.
    _asked: tuple[object, ...] | None = None

    # Typed as arrays, which all but single numbers are.

    def _drawn(self, name: str, parameters: Any, size: ShapeLike | None) -> ndarray:
        """Numbers of the distribution of this name."""
        values = [parameter(p) for p in parameters]
        asked = (name, *values) if is_single(size, values) else None
        if asked is None or asked != self._asked:
            check(name, *values)
            self._asked = asked
        return self._draw(name, values, size)

    def _draw(self, name: str, values: Sequence[Any], size: ShapeLike | None) -> ndarray:
        """The same of parameters that were checked."""
        if is_single(size, values):
            return cast("ndarray", self._bits.draw_number(name, values))
        return _core.draw(name, self._bits, values, output_shape(size, *values))


def is_single(size: ShapeLike | None, values: Iterable[Any] = ()) -> bool:
    """Whether a number is a Python number, as NumPy's is: one, and nothing waits for it."""
    if size is not None or any(map(is_array, values)):
        return False
    return not _core.recording() and _core.default_device() == "cpu"
