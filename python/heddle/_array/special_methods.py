"""What Python itself asks arrays for: iteration, copies, pickles, rounding; and numbers."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterator
from types import GenericAlias
from typing import Any, cast

from heddle import _core
from heddle._arguments import as_array, as_target, check_stored
from heddle._core import ndarray, own_array
from heddle._linalg import products
from heddle._math import logic
from heddle._math.ufunc_calls import is_plain
from heddle._statistics import reductions
from heddle._typing import HostArray


def _reversed(self: ndarray) -> Iterator[ndarray]:
    return iter(self[::-1])


def _contains(self: ndarray, value: object) -> bool:
    found = self == value
    return bool(reductions.any(found)) if isinstance(found, own_array) else bool(found)


def _rebuild(values: HostArray, scalar: bool) -> ndarray:
    made = as_array(values)
    return made[()] if scalar else made


_rebuild.__module__ = "heddle._methods"  # what pickles say (heddle._names.moved)


def _reduce(self: ndarray) -> Any:
    _core.tell_of_leaving(self, "pickle")
    return _rebuild, (self._snapshot(), self._is_scalar)


def _sizeof(self: ndarray) -> int:
    """With the memory of the elements, unless that is another array's."""
    return object.__sizeof__(self) + (self.nbytes if self.base is None else 0)


def _deepcopy(self: ndarray, memo: object) -> ndarray:
    made = self._copy("K")
    return made[()] if self._is_scalar else made


def _copy_protocol(self: ndarray) -> ndarray:
    return _deepcopy(self, None)


def _number(self: ndarray, what: str) -> Any:
    if self.ndim:
        raise TypeError(f"type numpy.ndarray doesn't define {what} method")
    return self._item()


def _of_number(name: str) -> Any:
    """What NumPy's scalars have from Python's numbers."""

    def attribute(self: ndarray) -> Any:
        value = self._item()
        if name == "is_integer" and isinstance(value, int):  # Python's own has it from 3.12 on
            return lambda: True
        return getattr(value, name)

    return property(attribute)


def _conform(self: ndarray, protocol: object) -> complex | None:
    """What databases store of it (PEP 246, as sqlite3 has it): the number."""
    return self._item() if getattr(protocol, "__name__", "") == "PrepareProtocol" else None


def _round(self: ndarray, ndigits: Any = None) -> Any:
    if self.ndim:
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if ndigits is not None:
        return logic.round(self, operator.index(ndigits))
    return round(_number(self, "__round__"))


def _imatmul(self: ndarray, other: Any) -> Any:
    if _core.gives_way(other):
        return NotImplemented
    if not is_plain(other):
        return products.matmul(self, other, out=cast("ndarray", (self,)))
    other = as_array(other)
    if as_target(self).ndim == 0 or other.ndim < 2:
        # Types before shapes, as NumPy has it.
        check_stored(_core.common_type(self, other), self.dtype, "matmul")
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one and the "
            "second at least two dimensions."
        )
    return products.matmul(self, other, out=self)


_attached = {
    "__reversed__": _reversed,
    "__contains__": _contains,
    "__reduce__": _reduce,
    "__sizeof__": _sizeof,
    "__copy__": _copy_protocol,
    "__deepcopy__": _deepcopy,
    "__round__": _round,
    "__trunc__": lambda self: math.trunc(_number(self, "__trunc__")),
    "__floor__": lambda self: math.floor(_number(self, "__floor__")),
    "__ceil__": lambda self: math.ceil(_number(self, "__ceil__")),
    "__imatmul__": _imatmul,
    "__class_getitem__": classmethod(GenericAlias),
}

for _name, _value in _attached.items():
    setattr(ndarray, _name, _value)
for _name in ["as_integer_ratio", "bit_count", "denominator", "hex", "is_integer", "numerator"]:
    setattr(_core.scalar, _name, _of_number(_name))
setattr(_core.scalar, "__conform__", _conform)  # noqa: B010
# NumPy's scalars are told the same; its truth values are no numbers.
numbers.Integral.register(_core.scalar_integer)
numbers.Real.register(_core.scalar_real)
numbers.Complex.register(_core.scalar_complex)
