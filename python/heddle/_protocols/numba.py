"""Numba's compiled functions take our arrays, in host memory, without a copy."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import datamodel
from numba.extending import register_model, typeof_impl, unbox
from numba.np import numpy_support

from heddle._core import ndarray


class HeddleArray(types.Array):
    """An array of ours: for the compiler NumPy's view of its memory."""


def register() -> None:
    """Tells Numba what our arrays are."""

    @typeof_impl.register(ndarray)
    def type_of(array: ndarray, context: object) -> Any:
        if not array._on_host:
            return None
        if array._is_scalar:
            return numpy_support.from_dtype(array.dtype)
        layout = "C" if array._c_contiguous else "F" if array._f_contiguous else "A"
        dtype = numpy_support.from_dtype(array.dtype)
        made: Any = HeddleArray
        return made(dtype, array.ndim, layout, readonly=not array._writeable)

    register_model(HeddleArray)(datamodel.models.ArrayModel)

    @unbox(HeddleArray)  # type: ignore[no-untyped-call, untyped-decorator]
    def read(kind: Any, value: Any, c: Any) -> Any:
        view = c.pyapi.call_method(value, "_numpy", ())
        as_numpys = types.Array(kind.dtype, kind.ndim, kind.layout, readonly=not kind.mutable)
        native = c.unbox(as_numpys, view)
        c.pyapi.decref(view)  # what was made of it holds it
        return native


__all__ = ["HeddleArray", "register"]
