"""NumPy's methods and attributes of arrays, attached to the compiled type."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any, cast

import numpy as _numpy

from heddle import _core
from heddle._arguments import (
    as_integer,
    as_shape,
    check_casting,
    check_flag,
    check_order,
    no_value,
)
from heddle._array.flags import flagsobj, setflags
from heddle._array.flatiter import flatiter
from heddle._array.special_methods import _rebuild as _rebuild  # where pickles look for it
from heddle._core import in_core, ndarray, own_array, ufuncs
from heddle._indexing import elements, scatter
from heddle._linalg import products
from heddle._manipulation import joining, shapes
from heddle._math import logic
from heddle._statistics import reductions, running
from heddle._typing import (
    ArrayLike,
    Axis,
    Casting,
    DTypeLike,
    IndexMode,
    Order,
    Output,
)

ndarray.__doc__ = """An array of numbers of one type, computed when somebody looks at it.

Made by `array`, `zeros`, `arange` and so on, or from a shape, with elements that are not set.
What is computed of arrays stays pending; it is evaluated, fused, where elements are needed.

Examples
--------
>>> import heddle as np
>>> x = np.arange(6.0).reshape(2, 3)
>>> y = (x * 2 + 1).sum(axis=1)
>>> y.pending
True
>>> y
array([ 9., 27.])
>>> x[:, 1] = 0
>>> x
array([[0., 0., 2.],
       [3., 0., 5.]])
"""

# --- methods that are functions with the array as first argument ---

_same = {
    reductions: "all any argmax argmin max mean min prod std sum var",
    running: "cumprod cumsum",
    elements: "diagonal nonzero take trace",
    products: "dot",
    logic: "round",
    joining: "repeat",
    shapes: "squeeze swapaxes",
}

for _module, _listed in _same.items():
    for _name in _listed.split():
        setattr(ndarray, _name, getattr(_module, _name))


def choose(
    self: ndarray, *choices: Any, out: Output | None = None, mode: IndexMode = "raise"
) -> ndarray:
    """For each element the one of the choices that it is the number of.

    The choices are given as one sequence, or as several arguments.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([0, 1, 0]).choose([[1, 2, 3], [10, 20, 30]])
    array([ 1, 20,  3])
    """
    return elements.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)


def compress(
    self: ndarray, condition: ArrayLike, axis: Axis | None = None, out: Output | None = None
) -> ndarray:
    """Selected slices along an axis.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([[1, 2], [3, 4]]).compress([False, True], axis=0)
    array([[3, 4]])
    """
    return elements.compress(condition, self, axis, out)


def put(self: ndarray, indices: ArrayLike, values: ArrayLike, mode: IndexMode = "raise") -> None:
    """Sets elements at indices into the flattened array; values repeat as needed.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(4)
    >>> x.put([0, 2], -1)
    >>> x
    array([-1,  1, -1,  3])
    """
    elements.put(self, indices, values, mode)


@partial(in_core, name="ndarray.clip")
def clip(
    self: ndarray,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: Output | None = None,
    **kwargs: Any,
) -> ndarray:
    """The values limited to an interval; None leaves a side open.

    Examples
    --------
    >>> import heddle as np
    >>> np.arange(6).clip(1, 4)
    array([1, 1, 2, 3, 4, 4])
    """
    return logic.clip(self, cast("ArrayLike", min), cast("ArrayLike", max), out, **kwargs)


@partial(in_core, name="ndarray.conjugate")
def conjugate(self: ndarray, out: Output | None = None) -> ndarray:
    """The complex conjugate; a real array itself.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([1 + 2j, 3]).conjugate()
    array([1.-2.j, 3.-0.j])
    """
    if out is not None:
        return ufuncs["conjugate"](self, out=out)
    return self if self.dtype.kind != "c" else _core.apply(ufuncs["conjugate"], (self,), None)


@partial(in_core, name="ndarray.conjugate")
def conj(self: ndarray, out: Output | None = None) -> ndarray:
    """The same as `conjugate`.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([1 + 2j, 3]).conj()
    array([1.-2.j, 3.-0.j])
    """
    return conjugate(self, out)


# --- shape ---


def _shape_of(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape given as one sequence or as several integers."""
    if len(shape) == 1 and not isinstance(shape[0], int):
        given = shape[0]
        if isinstance(given, own_array | _numpy.ndarray) and given.ndim == 0:
            return (operator.index(given),)
        if hasattr(given, "__iter__"):
            return tuple(as_integer(n) for n in given)
    return tuple(as_integer(n) for n in shape)


@partial(in_core, name="ndarray.reshape")
def reshape(self: ndarray, *shape: Any, order: Order = "C", copy: bool | None = None) -> ndarray:
    """The array with another shape: a view where possible.

    Examples
    --------
    >>> import heddle as np
    >>> np.arange(6).reshape(2, 3)
    array([[0, 1, 2],
           [3, 4, 5]])
    >>> np.arange(6).reshape(-1, 2).shape
    (3, 2)
    """
    if not shape:
        raise TypeError("reshape() takes exactly 1 argument (0 given)")
    if order == "C" and copy is None:
        return self._reshape(shape if len(shape) > 1 else shape[0])
    return shapes.reshape(self, _shape_of(shape), cast("Any", order), copy=copy)


@partial(in_core, name="ndarray.ravel")
def ravel(self: ndarray, order: Order = "C") -> ndarray:
    """The array with one dimension: a view of a contiguous array, else a copy.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([[1, 2], [3, 4]]).ravel(order="F")
    array([1, 3, 2, 4])
    """
    return self._ravel() if order == "C" else shapes.ravel(self, order)


@partial(in_core, name="ndarray.flatten")
def flatten(self: ndarray, order: Order = "C") -> ndarray:
    """A copy with one dimension.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([[1, 2], [3, 4]]).flatten()
    array([1, 2, 3, 4])
    """
    flat = shapes.ravel(self, order)
    return flat._copy("C") if flat._shares_storage(self) else flat


@partial(in_core, name="ndarray.transpose")
def transpose(self: ndarray, *axes: object) -> ndarray:
    """The array with its axes permuted: a view.

    Examples
    --------
    >>> import heddle as np
    >>> np.ones((2, 3, 4)).transpose(2, 0, 1).shape
    (4, 2, 3)
    """
    if not axes or (len(axes) == 1 and axes[0] is None):
        return self._transpose(None)
    axes = _shape_of(axes)
    if len(axes) != self.ndim:
        raise ValueError("axes don't match array")
    return shapes.transpose(self, axes)


def _matrix_transpose(self: ndarray) -> ndarray:
    """The array with its last two axes swapped."""
    if self.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return self._transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))


def resize(self: ndarray, *new_shape: object, refcheck: bool = True) -> None:
    """Another shape and size in place: cut off, or filled up with zeros.

    Views of the array keep the elements that it had.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([1, 2, 3])
    >>> x.resize(2, 2)
    >>> x
    array([[1, 2],
           [3, 0]])
    """
    check_flag("refcheck", refcheck)
    if not new_shape or (len(new_shape) == 1 and new_shape[0] is None):
        return
    shape = as_shape(_shape_of(new_shape))
    count = math.prod(shape)
    if count == self.size:
        self._rebind(self._reshape(shape))
        return
    if not self.flags.owndata:
        raise ValueError("cannot resize this array: it does not own its data")
    flat, kept = self._reshape((-1,)), min(count, self.size)
    made = _core.full((count,), 0, self.dtype, self.device)
    _core.write(made[:kept], flat[:kept])
    self._rebind(made._reshape(shape))


# --- copies and conversions ---


@partial(in_core, name="ndarray.astype")
def astype(
    self: ndarray,
    dtype: DTypeLike,
    order: Order = "K",
    casting: Casting = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> ndarray:
    """A copy converted to another type.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([1.7, -1.7]).astype(np.int64)
    array([ 1, -1])
    """
    dtype, order = _numpy.dtype(dtype), check_order(order)
    check_flag("subok", subok)
    if casting != "unsafe" and not _core.can_cast(self.dtype, dtype, check_casting(casting)):
        raise TypeError(
            f"Cannot cast array data from {self.dtype!r} to {dtype!r} according to the rule "
            f"'{casting}'"
        )
    if not check_flag("copy", copy) and dtype == self.dtype:
        fits = {"C": self._c_contiguous, "F": self._f_contiguous}.get(order, True)
        if fits:
            return self
    try:
        return self._astype(dtype, order)
    except _core.NoNumbers:
        return _numpy.asarray(self).astype(dtype, order)  # type: ignore[return-value]


@partial(in_core, name="ndarray.copy")
def copy(self: ndarray, order: Order = "C") -> ndarray:
    """A copy of the array.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(3)
    >>> y = x.copy()
    >>> y[0] = 10
    >>> x
    array([0, 1, 2])
    """
    return self._copy(check_order(order, "C"))


def view(
    self: ndarray, dtype: DTypeLike = no_value, type: type[ndarray] | None = no_value
) -> ndarray:
    """The same memory, as another type where one is given.

    A class of NumPy's arrays (`numpy.matrix`), one derived from `ndarray`, and a type of what are
    no numbers (records, dates), give one of NumPy's arrays, which shares the memory.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([1.0, -2.0], dtype=np.float32).view(np.uint32)
    array([1065353216, 3221225472], dtype=uint32)
    """
    wanted = ndarray
    for given in (dtype, type):
        if isinstance(given, builtins_type) and issubclass(given, own_array | _numpy.ndarray):
            if issubclass(given, _numpy.ndarray):  # a class of NumPy's, which sees our memory
                theirs = _numpy.asarray(self)
                if given is not dtype and dtype is not no_value:
                    theirs = theirs.view(dtype)
                return theirs.view(given)  # type: ignore[return-value]
            wanted, dtype = given, no_value if given is dtype else dtype
        elif given is type and given is not no_value:
            raise ValueError("Type must be a sub-type of ndarray type")
    if dtype is no_value or dtype is None:
        seen = self if self._is_scalar else self[...]
    else:
        try:
            seen = self._view(_numpy.dtype(dtype))
        except _core.NoNumbers:  # records, dates, bytes
            return _numpy.asarray(self).view(dtype)  # type: ignore[return-value]
    return seen if wanted is ndarray else _core.seen_as(seen, wanted)


builtins_type = type


def fill(self: ndarray, value: ArrayLike) -> None:
    """Sets all elements to a scalar.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.zeros(2)
    >>> x.fill(7)
    >>> x
    array([7., 7.])
    """
    if not isinstance(value, (int, float)) and _numpy.ndim(value):
        raise ValueError("setting an array element with a sequence.")
    if not self._is_scalar:  # NumPy's scalars have the method, and stay as they are
        self[...] = value


@partial(in_core, name="ndarray.item")
def item(self: ndarray, *args: Any) -> Any:
    """One element as a Python number: the only one, or the one at a flat or full index.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([[1, 2], [3, 4]]).item(1, 0)
    3
    """
    if len(args) == 1 and isinstance(args[0], tuple):
        (args,) = args
    if not args:
        return self._item()
    if any(isinstance(i, bool) for i in args):
        raise TypeError("an integer is required")
    places = tuple(operator.index(i) for i in args)
    if len(places) == 1:
        return (self if self.ndim == 1 else flatiter(self))[places[0]].item()
    if len(places) != self.ndim:
        raise ValueError("incorrect number of indices for array")
    return self[places].item()


def to_device(self: ndarray, device: str, /, *, stream: object = None) -> ndarray:
    """The array on a device: itself if it is there already.

    Examples
    --------
    >>> import heddle as np
    >>> np.ones(2).to_device("cpu").device
    'cpu'
    """
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    return self if str(device) == self.device else self._to_device(str(device))


def byteswap(self: ndarray, inplace: bool = False) -> ndarray:
    """The array with the bytes of each element reversed.

    Examples
    --------
    >>> import heddle as np
    >>> np.array([1, 256], dtype=np.int16).byteswap()
    array([256,   1], dtype=int16)
    """
    size = self.dtype.itemsize // (2 if self.dtype.kind == "c" else 1)
    words = self._copy("C")._reshape((-1,))._view(_numpy.dtype(f"u{size}"))
    # Neighbours change places: bytes, then pairs of them, then fours.
    bits = 8
    while bits < 8 * size:
        low = sum(((1 << bits) - 1) << n for n in range(0, 8 * size, 2 * bits))
        words = (words & low) << bits | (words >> bits & low)
        bits *= 2
    swapped = words._view(self.dtype)._reshape(self.shape)
    if not check_flag("inplace", inplace):
        return swapped
    _core.write(self, swapped)
    return self


def reduced_view(self: ndarray, dtype: DTypeLike | None = None) -> ndarray:
    """A view with as few dimensions as its strides can tell apart.

    Examples
    --------
    >>> heddle.ones((2, 1, 3)).reduced_view().shape
    (6,)
    """
    if dtype is not None and _numpy.dtype(dtype) != self.dtype:
        raise ValueError(f"reduced_view: the array is of {self.dtype}, not of {dtype}")
    if not self.size:
        return self._reshape((0,))
    shape: list[int] = []
    strides: list[int] = []
    for extent, stride in zip(self.shape, self.strides, strict=True):
        if extent == 1:
            continue
        if strides and strides[-1] == extent * stride:
            shape[-1] *= extent
            strides[-1] = stride
        else:
            shape.append(extent)
            strides.append(stride)
    return self._strided(tuple(shape), tuple(strides), 0)


# --- parts ---


def _real(self: ndarray) -> ndarray:
    return self._real() if self.dtype.kind == "c" else self


def _set_real(self: ndarray, value: ArrayLike) -> None:
    self._real()[...] = value


def _imag(self: ndarray) -> ndarray:
    if self.dtype.kind == "c":
        return self._imag()
    zeros = _core.full(self.shape, 0, self.dtype, self.device)
    return zeros[()] if self._is_scalar else zeros._read_only()


def _set_imag(self: ndarray, value: ArrayLike) -> None:
    if self.dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    self._imag()[...] = value


def _set_flat(self: ndarray, value: ArrayLike) -> None:
    flatiter(self)[...] = value


def _at(self: ndarray) -> Any:
    from heddle._transform.at import At

    return At(self)


def block_until_ready(self: ndarray) -> ndarray:
    """The array itself, when it is computed: JAX's word for it, for those who measure times.

    Examples
    --------
    >>> import heddle as np
    >>> (np.ones(2) + 1).block_until_ready()
    array([2., 2.])
    """
    if not _core.is_stand_in(self):
        _core.eval(self)
        _core.synchronize()
    return self


_attached = {
    "astype": astype,
    "block_until_ready": block_until_ready,
    "byteswap": byteswap,
    "choose": choose,
    "clip": clip,
    "compress": compress,
    "conj": conj,
    "conjugate": conjugate,
    "copy": copy,
    "fill": fill,
    "flatten": flatten,
    "item": item,
    "ptp": reductions.ptp,  # which CuPy's arrays have kept
    "put": put,
    "ravel": ravel,
    "reduced_view": reduced_view,
    "reshape": reshape,
    "resize": resize,
    "scatter_add": scatter.scatter_add,
    "scatter_max": scatter.scatter_max,
    "scatter_min": scatter.scatter_min,
    "to_device": to_device,
    "transpose": transpose,
    "view": view,
    "setflags": setflags,
    "flags": property(flagsobj, doc="Information about the memory layout."),
    "flat": property(flatiter, _set_flat, doc="A flat iterator over the array."),
    "at": property(_at, doc="Changed copies: x.at[i].set(y), .add(y), .apply(f) and so on."),
    "mT": property(_matrix_transpose, doc="The array with its last two axes swapped."),
    "real": property(_real, _set_real, doc="The real part."),
    "imag": property(_imag, _set_imag, doc="The imaginary part."),
    "ctypes": property(lambda self: _numpy.asarray(self).ctypes, doc="The memory for ctypes."),
}

for _name, _value in _attached.items():
    setattr(ndarray, _name, _value)

__all__ = ["flatiter", "ndarray"]
