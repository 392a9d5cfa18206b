"""Arguments as SciPy's ndimage reads them: modes, sequences, axes, outputs."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, TypeAlias, Union

import numpy

from heddle._arguments import as_array, normalize_axis
from heddle._core import ndarray, own_array
from heddle._creation.fills import empty
from heddle._typing import ArrayLike, DTypeLike, HostArray
from heddle.scipy._generic import there

Arrays = (ndarray, numpy.ndarray)

# What SciPy takes for `output`: an array to write to, or the type of the result.
OutputLike: TypeAlias = Union[ndarray, "HostArray", DTypeLike, None]

# SciPy's names for what is beyond the edges, and NumPy's.
PADDING = {
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "constant": "constant",
    "grid-constant": "constant",
}


def check_mode(mode: object) -> str:
    """A mode that there is."""
    if not isinstance(mode, str) or mode not in PADDING:
        raise RuntimeError("boundary mode not supported")
    return mode


def element(value: float, dtype: DTypeLike) -> float:
    """A value beyond the edges as SciPy's loops take it that keep elements as they are: converted
    to their type, whole numbers modulo its range."""
    kind = numpy.dtype(dtype)
    if kind.kind == "b":
        return bool(value)
    if kind.kind not in "iu" or not math.isfinite(value):
        return value
    bits = 8 * kind.itemsize
    low = 0 if kind.kind == "u" else -(1 << (bits - 1))
    return (int(value) - low) % (1 << bits) + low


def sequence(value: object, count: int) -> list[Any]:
    """A value for each of so many axes."""
    if isinstance(value, own_array):
        value = value.tolist()
    value = there(value)  # numbers of a list may be arrays of a device
    if isinstance(value, str) or not numpy.iterable(value):
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def check_axes(axes: SupportsIndex | Sequence[SupportsIndex] | None, ndim: int) -> tuple[int, ...]:
    """Axes as numbers from 0; all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, Iterable) and is_scalar(axes):
        return (normalize_axis(axes, ndim),)
    if not isinstance(axes, Iterable):
        raise ValueError("axes must be an integer, iterable of integers, or None")
    found = tuple(operator.index(axis) for axis in axes)
    for axis in found:
        if not -ndim <= axis < ndim:
            raise ValueError(f"specified axis: {axis} is out of range")
    found = tuple(axis % ndim for axis in found)
    if len(set(found)) != len(found):
        raise ValueError("axes must be unique")
    return found


def real_input(input: ArrayLike) -> ndarray:
    """An array that is not complex."""
    a = as_array(input)
    if a.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return a


def host_array(value: object, dtype: DTypeLike | None = None) -> numpy.ndarray[Any, Any]:
    """A small argument (weights, footprints, structures), where Python reads it."""
    if isinstance(value, own_array):
        value = value._snapshot()
    return numpy.asarray(there(value), dtype=dtype)


def is_scalar(value: object) -> bool:
    """Whether SciPy takes it for one number."""
    return bool(numpy.isscalar(value)) or (isinstance(value, own_array) and value.ndim == 0)


class Output:
    """What the caller wants a result to be: a type, or an array that takes it."""

    def __init__(
        self,
        output: Any,
        input: ndarray,
        shape: Sequence[int] | None = None,
        complex_output: bool = False,
    ) -> None:
        self.shape = input.shape if shape is None else tuple(int(n) for n in shape)
        self.target: ndarray | HostArray | None = None
        if output is None:
            self.dtype = input.dtype
            if complex_output:
                self.dtype = numpy.promote_types(input.dtype, numpy.complex64)
        elif isinstance(output, (type, numpy.dtype)):
            self.dtype = numpy.dtype(output)
            if complex_output and self.dtype.kind != "c":
                warnings.warn("promoting specified output dtype to complex", stacklevel=4)
                self.dtype = numpy.promote_types(self.dtype, numpy.complex64)
        elif isinstance(output, str):
            self.dtype = numpy.dtype(output)
            if complex_output and self.dtype.kind != "c":
                raise RuntimeError("output must have complex dtype")
            if not issubclass(self.dtype.type, numpy.number):
                raise RuntimeError("output must have numeric dtype")
        else:
            self.target = output if isinstance(output, Arrays) else as_array(output)
            self.dtype = self.target.dtype.newbyteorder("=")  # NumPy's may be of another order
            if self.target.shape != self.shape:
                raise RuntimeError("output shape not correct")
            if complex_output and self.dtype.kind != "c":
                raise RuntimeError("output must have complex dtype")

    def check_complex(self, input: ndarray) -> None:
        """Complex numbers are not made real."""
        if input.dtype.kind == "c" and self.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")

    @property
    def part(self) -> numpy.dtype[Any]:
        """The type of the real and of the imaginary part."""
        return self.dtype.type(0).real.dtype if self.dtype.kind == "c" else self.dtype

    def deliver(self, result: ndarray) -> ndarray:
        """The result as the caller wants it."""
        if self.target is None:
            return result if result.dtype == self.dtype else cast(result, self.dtype)
        if isinstance(self.target, own_array):
            self.target[...] = cast(result, self.dtype)
        else:
            self.target[...] = cast(result, self.dtype)._snapshot()
        return self.target  # type: ignore[return-value]  # NumPy's, where that was given

    def join(self, real: ndarray, imaginary: ndarray) -> ndarray:
        """A complex result of its two parts."""
        result = empty(real.shape, dtype=self.dtype, device=real.device)
        result.real = real
        result.imag = imaginary
        return self.deliver(result)


def cast(a: ndarray, dtype: DTypeLike | None) -> ndarray:
    """Converted as SciPy does: towards zero, and what is negative wraps around."""
    kind = numpy.dtype(dtype)
    if a.dtype == kind:
        return a
    if a.dtype.kind == "f" and kind.kind in "ub" and kind != numpy.uint64:
        a = a.astype(numpy.int64)
        if kind.kind == "b":
            return a.astype(numpy.uint8).astype(kind)
    return a.astype(kind)


def parts(cval: complex) -> tuple[float, float]:
    """The real and the imaginary part of the value beyond the edges."""
    value = complex(cval)
    return value.real, value.imag
