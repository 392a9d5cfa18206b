"""Arrays on the device, with PyCUDA's names and meaning; the elements are of an array of Heddle's.

Arithmetic is deferred and fused as with `heddle.ndarray`. Who asks for `gpudata` fixes the memory,
which kernels then read and write where it is.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy

import heddle
from heddle import _core
from heddle._array.transfer import on_stream
from heddle._core import ndarray
from heddle._typing import DTypeLike, HostArray, Order, ShapeLike
from heddle.pycuda._arrays import GPUArray, _given, _inner, _wrapped, placed
from heddle.pycuda._memory import mem_alloc

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Device, Stream

__all__ = [
    "GPUArray",
    "all",
    "any",
    "arange",
    "concatenate",
    "dot",
    "empty",
    "empty_like",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "ones",
    "ones_like",
    "reshape",
    "splay",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "subset_sum",
    "sum",
    "take",
    "to_gpu",
    "to_gpu_async",
    "transpose",
    "vec",
    "where",
    "zeros",
    "zeros_like",
]


# --- making arrays ---


def to_gpu(ary: object, allocator: Callable[[int], Any] | None = None) -> GPUArray:
    """A copy of an array of NumPy's on the device.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.to_gpu(numpy.arange(3.0))
    array([0., 1., 2.])
    """
    given = numpy.asarray(ary)
    if allocator is None:
        return _wrapped(heddle.array(given, order="K"))
    made = GPUArray(given.shape, given.dtype, allocator, order="C")
    made.set(given)
    return made


def to_gpu_async(
    ary: object, allocator: Callable[[int], Any] | None = None, stream: Stream | None = None
) -> GPUArray:
    """`to_gpu`, in the order of a stream.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.to_gpu_async(numpy.arange(3.0))
    array([0., 1., 2.])
    """
    with on_stream(stream):
        return to_gpu(ary, allocator)


def empty(
    shape: ShapeLike,
    dtype: DTypeLike,
    allocator: Callable[[int], Any] = mem_alloc,
    order: Order = "C",
) -> GPUArray:
    """An array whose elements are not set.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.empty((2, 3), numpy.float32).shape
    (2, 3)
    """
    return GPUArray(shape, dtype, allocator, order=order)


def zeros(
    shape: ShapeLike,
    dtype: DTypeLike = numpy.float64,
    allocator: Callable[[int], Any] = mem_alloc,
    order: Order = "C",
) -> GPUArray:
    """An array of 0.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.zeros(3, numpy.float32)
    array([0., 0., 0.], dtype=float32)
    """
    return empty(shape, dtype, allocator, order).fill(0)


def ones(
    shape: ShapeLike,
    dtype: DTypeLike = numpy.float64,
    allocator: Callable[[int], Any] = mem_alloc,
    order: Order = "C",
) -> GPUArray:
    """An array of 1.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.ones((2, 2), numpy.int32)
    array([[1, 1],
           [1, 1]], dtype=int32)
    """
    return empty(shape, dtype, allocator, order).fill(1)


def empty_like(other_ary: object, dtype: DTypeLike | None = None, order: Order = "K") -> GPUArray:
    """`empty` with the shape and type of another array.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.empty_like(x).dtype
    dtype('float64')
    """
    given = _inner(other_ary)
    dtype = given.dtype if dtype is None else dtype
    if isinstance(given, numpy.ndarray):
        f_order = given.flags.f_contiguous and not given.flags.c_contiguous
        order = ("F" if f_order else "C") if order in "KA" else order
        return empty(given.shape, dtype, order=order)
    return _wrapped(heddle.empty_like(given, dtype=dtype, order=order))


def zeros_like(other_ary: object, dtype: DTypeLike | None = None, order: Order = "K") -> GPUArray:
    """`zeros` with the shape and type of another array.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.zeros_like(x)
    array([0., 0., 0.])
    """
    return empty_like(other_ary, dtype, order).fill(0)


def ones_like(other_ary: object, dtype: DTypeLike | None = None, order: Order = "K") -> GPUArray:
    """`ones` with the shape and type of another array.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.ones_like(x)
    array([1., 1., 1.])
    """
    return empty_like(other_ary, dtype, order).fill(1)


def arange(
    *args: float,
    dtype: DTypeLike | None = None,
    allocator: Callable[[int], Any] | None = None,
    stream: object = None,
) -> GPUArray:
    """Numbers at equal distances: ``arange([start,] stop[, step,], dtype=None)``.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.arange(1, 7, 2, dtype=numpy.float32)
    array([1., 3., 5.], dtype=float32)
    """
    with on_stream(stream):
        numbers: Any = heddle.arange
        made = _wrapped(numbers(*args, dtype=dtype))
    if allocator is None:
        return made
    placed = empty(made.shape, made.dtype, allocator)
    placed._array[...] = made._array
    return placed


# --- choosing elements ---


def take(
    a: GPUArray, indices: GPUArray, out: GPUArray | None = None, stream: Stream | None = None
) -> GPUArray:
    """``a[indices]``.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> gpuarray.take(x, places)
    array([9., 1.])
    """
    with on_stream(stream):
        return _given(heddle.take(a._array.reshape(-1), _inner(indices)), out)


def multi_take(
    arrays: Sequence[GPUArray],
    indices: GPUArray,
    out: Sequence[GPUArray] | None = None,
    stream: Stream | None = None,
) -> list[GPUArray]:
    """`take` of several arrays.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> gpuarray.multi_take([x, -x], places)
    [array([9., 1.]), array([-9., -1.])]
    """
    outs = [None] * len(arrays) if out is None else out
    return [take(a, indices, o, stream) for a, o in zip(arrays, outs, strict=True)]


def multi_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    dest_shape: ShapeLike | None = None,
    out: Sequence[GPUArray] | None = None,
    stream: Stream | None = None,
) -> list[GPUArray]:
    """Put each array's elements at places of another array.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> more = gpuarray.to_gpu(numpy.array([10.0, 20.0]))
    >>> gpuarray.multi_put([more], places, dest_shape=(3,))[0].get()[places.get()]
    array([10., 20.])
    """
    if out is None:
        shape = dest_indices.shape if dest_shape is None else dest_shape
        out = [zeros(shape, a.dtype) for a in arrays]
    with on_stream(stream):
        for a, o in zip(arrays, out, strict=True):
            o._array.reshape(-1)[dest_indices._array] = a._array
    return list(out)


def multi_take_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    src_indices: GPUArray,
    dest_shape: ShapeLike | None = None,
    out: Sequence[GPUArray] | None = None,
    stream: Stream | None = None,
    src_offsets: Sequence[int] | None = None,
) -> list[GPUArray]:
    """Put elements at places of each array to places of another.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> to = gpuarray.to_gpu(numpy.array([0, 1], numpy.uint32))
    >>> gpuarray.multi_take_put([x], to, places, dest_shape=(2,))
    [array([9., 1.])]
    """
    offsets = [0] * len(arrays) if src_offsets is None else [int(o) for o in src_offsets]
    taken = [
        _wrapped(a._array.reshape(-1)[src_indices._array + offset])
        for a, offset in zip(arrays, offsets, strict=True)
    ]
    return multi_put(taken, dest_indices, dest_shape, out, stream)


def concatenate(arrays: Sequence[GPUArray], axis: int = 0, allocator: object = None) -> GPUArray:
    """Arrays one after the other along an axis.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.concatenate([x, -x])
    array([ 1.,  4.,  9., -1., -4., -9.])
    """
    return placed(heddle.concatenate([_inner(a) for a in arrays], axis=axis), allocator)


def stack(arrays: Sequence[GPUArray], axis: int = 0, allocator: object = None) -> GPUArray:
    """Arrays side by side along a new axis.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.stack([x, -x])
    array([[ 1.,  4.,  9.],
           [-1., -4., -9.]])
    """
    return placed(heddle.stack([_inner(a) for a in arrays], axis=axis), allocator)


def transpose(a: GPUArray, axes: Sequence[SupportsIndex] | None = None) -> GPUArray:
    """Other order of axes.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.transpose(gpuarray.to_gpu(numpy.array([[1, 2], [3, 4]])))
    array([[1, 3],
           [2, 4]])
    """
    return a.transpose(axes)


def reshape(a: GPUArray, *shape: Any, order: Literal["C", "F", "A"] = "C") -> GPUArray:
    """Another shape.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> gpuarray.reshape(gpuarray.to_gpu(numpy.arange(4)), 2, 2)
    array([[0, 1],
           [2, 3]])
    """
    return a.reshape(*shape, order=order)


def if_positive(
    criterion: GPUArray,
    then_: object,
    else_: object,
    out: GPUArray | None = None,
    stream: Stream | None = None,
) -> GPUArray:
    """`then_` where the criterion is positive, `else_` elsewhere.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.if_positive(x - 3, x, -x)
    array([-1.,  4.,  9.])
    """
    with on_stream(stream):
        return _given(heddle.where(_inner(criterion) > 0, _inner(then_), _inner(else_)), out)


def where(
    criterion: GPUArray,
    then_: object,
    else_: object,
    out: GPUArray | None = None,
    stream: Stream | None = None,
) -> GPUArray:
    """`then_` where the criterion is not 0, `else_` elsewhere.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.where(x > 3, x, -x)
    array([-1.,  4.,  9.])
    """
    with on_stream(stream):
        return _given(heddle.where(_inner(criterion) != 0, _inner(then_), _inner(else_)), out)


def maximum(
    a: object, b: object, out: GPUArray | None = None, stream: Stream | None = None
) -> GPUArray:
    """The larger of two, element for element.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.maximum(x, 5 - x)
    array([4., 4., 9.])
    """
    with on_stream(stream):
        return _given(heddle.maximum(_inner(a), _inner(b)), out)


def minimum(
    a: object, b: object, out: GPUArray | None = None, stream: Stream | None = None
) -> GPUArray:
    """The smaller of two, element for element.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.minimum(x, 5 - x)
    array([ 1.,  1., -4.])
    """
    with on_stream(stream):
        return _given(heddle.minimum(_inner(a), _inner(b)), out)


def logical_and(
    x1: object, x2: object, out: GPUArray | None = None, allocator: object = None
) -> GPUArray:
    """Whether both are not 0.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.logical_and(x > 2, x < 5)
    array([False,  True, False])
    """
    made = heddle.logical_and(_inner(x1), _inner(x2))
    return placed(made, allocator) if out is None else _given(made, out)


def logical_or(
    x1: object, x2: object, out: GPUArray | None = None, allocator: object = None
) -> GPUArray:
    """Whether one of them is not 0.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.logical_or(x < 2, x > 5)
    array([ True, False,  True])
    """
    made = heddle.logical_or(_inner(x1), _inner(x2))
    return placed(made, allocator) if out is None else _given(made, out)


def logical_not(x: object, out: GPUArray | None = None, allocator: object = None) -> GPUArray:
    """Whether it is 0.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> gpuarray.logical_not(x > 2)
    array([ True, False, False])
    """
    made = heddle.logical_not(_inner(x))
    return placed(made, allocator) if out is None else _given(made, out)


# --- reductions ---


def _zero_d(array: ndarray, allocator: object) -> GPUArray:
    return placed(heddle.asarray(array), allocator)


def sum(
    a: GPUArray,
    dtype: DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: object = None,
) -> GPUArray:
    """The sum of all elements, in the array's type unless another is given.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> print(gpuarray.sum(x))
    14.0
    """
    with on_stream(stream):
        return _zero_d(heddle.sum(a._array, dtype=a.dtype if dtype is None else dtype), allocator)


def subset_sum(
    subset: GPUArray,
    a: GPUArray,
    dtype: DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: object = None,
) -> GPUArray:
    """`sum` of the elements at places.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> print(gpuarray.subset_sum(places, x))
    10.0
    """
    return sum(take(a, subset), dtype, stream, allocator)


def dot(
    a: GPUArray,
    b: GPUArray,
    dtype: DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: object = None,
) -> GPUArray:
    """The sum of all products of elements of two arrays.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> print(gpuarray.dot(x, x))
    98.0
    """
    kind = numpy.result_type(a.dtype, b.dtype) if dtype is None else dtype
    with on_stream(stream):
        return _zero_d(
            heddle.sum(a._array.reshape(-1) * b._array.reshape(-1), dtype=kind), allocator
        )


def subset_dot(
    subset: GPUArray,
    a: GPUArray,
    b: GPUArray,
    dtype: DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: object = None,
) -> GPUArray:
    """`dot` of the elements at places.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> print(gpuarray.subset_dot(places, x, x))
    82.0
    """
    return dot(take(a, subset), take(b, subset), dtype, stream, allocator)


def any(a: GPUArray, stream: Stream | None = None, allocator: object = None) -> GPUArray:
    """Whether an element is not 0.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> print(gpuarray.any(x > 8))
    True
    """
    with on_stream(stream):
        return _zero_d(heddle.any(a._array), allocator)


def all(a: GPUArray, stream: Stream | None = None, allocator: object = None) -> GPUArray:
    """Whether no element is 0.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> print(gpuarray.all(x > 8))
    False
    """
    with on_stream(stream):
        return _zero_d(heddle.all(a._array), allocator)


def max(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The largest element.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> print(gpuarray.max(x))
    9.0
    """
    with on_stream(stream):
        return _zero_d(heddle.max(a._array), allocator)


def min(a: GPUArray, stream: object = None, allocator: object = None) -> GPUArray:
    """The smallest element.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> print(gpuarray.min(x))
    1.0
    """
    with on_stream(stream):
        return _zero_d(heddle.min(a._array), allocator)


def subset_max(
    subset: GPUArray, a: GPUArray, stream: Stream | None = None, allocator: object = None
) -> GPUArray:
    """The largest of the elements at places.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> print(gpuarray.subset_max(places, x))
    9.0
    """
    return max(take(a, subset), stream, allocator)


def subset_min(
    subset: GPUArray, a: GPUArray, stream: Stream | None = None, allocator: object = None
) -> GPUArray:
    """The smallest of the elements at places.

    >>> import numpy
    >>> from heddle.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1.0, 4.0, 9.0]))
    >>> places = gpuarray.to_gpu(numpy.array([2, 0], numpy.uint32))
    >>> print(gpuarray.subset_min(places, x))
    1.0
    """
    return min(take(a, subset), stream, allocator)


# --- launches, vectors ---


def splay(n: int, dev: Device | None = None) -> tuple[tuple[int, int], tuple[int, int, int]]:
    """A grid and a block that suit so many elements.

    >>> from heddle.pycuda import gpuarray
    >>> grid, block = gpuarray.splay(1000)
    >>> len(grid), len(block)
    (2, 3)
    """
    threads, multiprocessors = 128, 1
    if _core.cuda.is_available():
        from heddle.pycuda._contexts import Context

        multiprocessors = (dev or Context.get_device()).multiprocessor_count
    blocks = builtins.max(1, builtins.min(-(-n // threads), 8 * multiprocessors))
    return (blocks, 1), (threads, 1, 1)


def _vectors() -> types.SimpleNamespace:
    """CUDA's vectors as records of NumPy's, with functions that make them."""
    made = types.SimpleNamespace()
    kinds = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"}
    kinds |= {"long": "i8", "ulong": "u8", "longlong": "i8", "ulonglong": "u8"}
    kinds |= {"float": "f4", "double": "f8"}
    for name, letter in kinds.items():
        for count in (1, 2, 3, 4):
            dtype = numpy.dtype([(axis, letter) for axis in "xyzw"[:count]])

            def make(*values: object, dtype: DTypeLike | None = dtype) -> HostArray:
                return numpy.array(values, dtype)

            setattr(made, f"{name}{count}", dtype)
            setattr(made, f"make_{name}{count}", make)
    return made


vec = _vectors()
