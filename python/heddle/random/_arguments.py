"""Arguments of distributions: parameters that broadcast, sizes, and NumPy's errors for both."""

from __future__ import annotations

import math
from typing import Any

import numpy

from heddle import _core
from heddle._arguments import as_array, as_shape, as_target
from heddle._core import ndarray, own_array, ufuncs
from heddle._typing import ArrayLike, DType, DTypeLike, HostArray, Output, ShapeLike

# Asked for errors only: it is given no numbers to draw, or draws them for nobody.
asked = numpy.random.Generator(numpy.random.SFC64(0))

PYTHONS = {bool, int, float}  # types of Python's numbers
_NUMBERS = (*PYTHONS, numpy.generic)
_WRONG_MEMORY = (
    "Supplied output array must be contiguous, writable, aligned, and in machine byte-order."
)
_MESSAGE = "Output size {} is not compatible with broadcast dimensions of inputs {}."


def parameter(value: Any, dtype: DTypeLike | None = numpy.float64) -> ndarray | float:
    """A parameter of a distribution: a Python number, or an array of this type."""
    if isinstance(value, complex | str):
        value = complex(value) if isinstance(value, complex) else str(value)  # no numbers: errors
        return _number(value, dtype)
    if value is None:
        raise TypeError("must be real number, not NoneType")
    if isinstance(value, _NUMBERS):
        return _number(value, dtype)
    if _core.holds_arrays(value):
        value = as_array(value)
    elif not isinstance(value, own_array):
        value = numpy.asarray(value)
    if isinstance(value, numpy.ndarray):
        if value.ndim == 0:
            return _number(value[()], dtype)
        numpy.empty(0, dtype)[:0] = value.ravel()[:0]  # what cannot be cast at all
        return as_array(value.astype(dtype))
    given: ndarray = value
    return given if given.dtype == dtype else given._astype(numpy.dtype(dtype), "K")


def _number(value: Any, dtype: DTypeLike | None) -> float:
    return float(value) if dtype == numpy.float64 else int(value)


def is_array(value: object) -> bool:
    """Whether a parameter is an array of at least one dimension, or on a device."""
    return isinstance(value, own_array)


def on_host(value: Any) -> Any:
    """Arrays of ours, also in lists and tuples, as NumPy's arrays and numbers."""
    if isinstance(value, own_array):
        return value.get()[()] if value._is_scalar else value.get()
    if type(value) in (list, tuple):
        return type(value)(on_host(item) for item in value)
    return value


def output_shape(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape of a result: `size`, which has to fit the parameters, or their own."""
    shapes = [p.shape for p in parameters if is_array(p)]
    own = numpy.broadcast_shapes(*shapes) if shapes else ()
    if size is None:
        return own
    wanted = as_shape(size)
    if shapes:
        both = numpy.broadcast_shapes(wanted, own)
        if both != wanted:
            raise ValueError(_MESSAGE.format(wanted, both))
    return wanted


_FEW = 512  # elements, which are 4 KB


def are_few(size: Any) -> bool:
    """Whether a size is so small that numbers are drawn at the call, where nobody waits for it."""
    if type(size) is tuple and all(type(extent) is int for extent in size):
        size = math.prod(size)
    return type(size) is int and 0 <= size <= _FEW and _core.default_device() == "cpu"


def check(name: str, *parameters: Any) -> None:
    """Raise what NumPy's distribution of this name raises for these parameters.

    NumPy itself is asked, with few numbers: those given, or the extremes of an array. While
    somebody records, the core asks whether any element is wrong: that is the same for all that are
    not, so a recorded call serves for all of them, and a batch is asked about all rows.
    """
    if _core.recording() and any(map(is_array, parameters)):
        return _core.check_parameters(name, parameters)
    shown = [_extremes(p) if is_array(p) else p for p in parameters]
    arrays = any(is_array(p) for p in parameters)
    getattr(asked, name)(*shown, size=(0, 3) if arrays else 0)


def _extremes(a: ndarray) -> HostArray:
    """The least and the greatest element and, where there is one, a nan: three numbers."""
    if a.size == 0:
        return numpy.empty((0, 3), a.dtype)
    if _core.recording():
        a = _core.stop_gradient(a)
    least = _core.reduce(ufuncs["fmin"], a, None, False, None)
    greatest = _core.reduce(ufuncs["fmax"], a, None, False, None)
    if a.dtype.kind != "f":
        return numpy.array([least.item(), greatest.item(), least.item()], a.dtype)
    total = _core.reduce(ufuncs["maximum"], a, None, False, None)
    return numpy.array([least.item(), greatest.item(), total.item()], a.dtype)


def output(out: Output | None, dtype: DType, size: ShapeLike | None) -> tuple[ndarray | None, Any]:
    """The array to write to and the size, for an argument `out`."""
    if out is None:
        return None, size
    if not isinstance(out, own_array | numpy.ndarray):
        raise ValueError(_WRONG_MEMORY)
    target = as_target(out)
    if target.dtype != dtype:
        raise TypeError(
            f"Supplied output array has the wrong type. Expected {numpy.dtype(dtype)}, "
            f"got {target.dtype}"
        )
    if not (target._c_contiguous or target._f_contiguous):
        raise ValueError(_WRONG_MEMORY)
    if size is not None and as_shape(size) != target.shape:
        raise ValueError("size must match out.shape when used together")
    return target, target.shape


def stored(
    result: ndarray, target: ndarray | None, out: Output | None
) -> ndarray | HostArray | None:
    """The result, or `out` after it was written there."""
    if target is None:
        return result
    _core.write(target, result)
    return out


def float_type(dtype: DTypeLike | None, name: str) -> numpy.dtype:
    """float64 or float32; TypeError for others."""
    wanted = numpy.dtype(dtype)
    if wanted not in (numpy.float64, numpy.float32):
        raise TypeError(f"Unsupported dtype {wanted!r} for {name}")
    return wanted


def is_beyond(value: ArrayLike) -> bool:
    """Whether NumPy has an array or a number that ours cannot be: text, objects, dates."""
    return isinstance(value, numpy.ndarray | numpy.generic) and value.dtype.kind in "MOSTUm"


def population(a: ArrayLike) -> Any:
    """What is drawn from: an array of ours, or NumPy's of what ours do not hold."""
    given = a if isinstance(a, own_array) else numpy.asarray(a)
    return given if is_beyond(given) else as_array(given)


def parts(things: ndarray, index: Any, axis: int) -> ndarray:
    """Those of a population, at places of ours or at a number of NumPy's."""
    if isinstance(index, own_array) and not isinstance(things, own_array):
        index = index.get()
    return things.take(index, axis=axis)
