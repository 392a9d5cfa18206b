"""What distributions of numbers have in common: a generator's stream, parameters, and a size."""

from __future__ import annotations

from typing import Any

from heddle import _core
from heddle._core import ndarray
from heddle._typing import ShapeLike
from heddle.random._arguments import check, output_shape, parameter
from heddle.random._philox import Philox


class Drawing:
    """Of a generator with a bit generator of ours."""

    _bits: Philox

    def _drawn(self, name: str, parameters: Any, size: ShapeLike | None) -> ndarray:
        """Numbers of the distribution of this name."""
        values = [parameter(p) for p in parameters]
        check(name, *values)
        return _core.draw(name, self._bits, values, output_shape(size, *values))
