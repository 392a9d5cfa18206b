"""Arrays of the device by Numba's names, and arguments of kernels that say where they go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Literal, TypeVar

import numpy as np

import heddle as hd
from heddle import _core
from heddle._arguments.inputs import as_shape
from heddle._typing import ArrayLike, Axes, DTypeLike, HostArray, Index, Order, ShapeLike
from heddle.numba_cuda.records import DeviceRecords

_Given = TypeVar("_Given")


def on_device(array: object) -> Any:
    """An array with Numba's methods; numbers as they are."""
    if isinstance(array, _core.own_array) and array.ndim and type(array) is hd.ndarray:
        return _core.seen_as(array, DeviceNDArray)
    return array


def _of_stream(array: DeviceNDArray, stream: object) -> DeviceNDArray:
    """The array, which says that it belongs to a stream: work is in order in any case."""
    if stream:
        array.stream = stream
    return array


class DeviceNDArray(hd.ndarray, own=True):  # type: ignore[call-arg]
    """An array of the current device, with Numba's methods.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> x = cuda.to_device(numpy.arange(6).reshape(2, 3))
    >>> x.shape, x.size, x[1].copy_to_host()
    ((2, 3), 6, array([3, 4, 5]))
    """

    stream: Any = 0

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """What NumPy's functions give: arrays of the device, too."""
        return on_device(super().__array_function__(func, types, args, kwargs))

    def bind(self, stream: object = 0) -> DeviceNDArray:
        """The same memory, of another stream."""
        return _of_stream(_core.seen_as(hd.ndarray.view(self), DeviceNDArray), stream)

    def __getitem__(self, item: Index) -> Any:
        return on_device(super().__getitem__(item))

    def reshape(
        self, *shape: Any, order: Literal["C", "F", "A"] = "C", **options: bool | None
    ) -> DeviceNDArray:
        """Another shape."""
        return on_device(super().reshape(*shape, order=order, **options))  # type: ignore[no-any-return]

    def ravel(self, order: Order = "C", stream: object = 0) -> DeviceNDArray:
        """All elements along one axis."""
        return on_device(super().ravel(order=order))  # type: ignore[no-any-return]

    def transpose(self, *axes: Any) -> DeviceNDArray:
        """Other order of axes."""
        return on_device(super().transpose(*axes))  # type: ignore[no-any-return]

    @property
    def T(self) -> DeviceNDArray:
        """The axes in the opposite order."""
        return self.transpose()

    def squeeze(self, axis: Axes | None = None, stream: object = 0) -> DeviceNDArray:
        """Without axes of length one."""
        found: DeviceNDArray = on_device(super().squeeze(axis))
        return found

    def view(self, dtype: DTypeLike | None = None, type: object = None) -> DeviceNDArray:
        """The same memory, as elements of another type."""
        found: DeviceNDArray = on_device(super().view() if dtype is None else super().view(dtype))
        return found

    def copy_to_host(self, ary: HostArray | None = None, stream: object = 0) -> HostArray:
        """A copy in NumPy's memory, or in `ary`."""
        found = hd.asnumpy(self, order="A")
        if ary is None:
            return found
        ary[...] = found
        return ary

    def copy_to_device(self, ary: ArrayLike, stream: object = 0) -> None:
        """Takes the elements of an array."""
        self[...] = hd.asarray(ary)

    @property
    def alloc_size(self) -> int:
        """The bytes of its elements."""
        return int(self.nbytes)

    @property
    def gpu_data(self) -> DeviceNDArray:
        """The array itself: it keeps its memory."""
        return self

    def is_c_contiguous(self) -> bool:
        """Whether its elements lie in C order."""
        return bool(self.flags["C_CONTIGUOUS"])

    def is_f_contiguous(self) -> bool:
        """Whether its elements lie in Fortran order."""
        return bool(self.flags["F_CONTIGUOUS"])

    def getitem(self, item: Index, stream: object = 0) -> Any:
        """The same as ``self[item]``."""
        return self[item]

    def setitem(self, key: Index, value: ArrayLike, stream: object = 0) -> None:
        """The same as ``self[key] = value``."""
        self[key] = value

    def split(self, section: int, stream: object = 0) -> Iterator[Any]:
        """Parts of so many elements, one after the other."""
        for begin in range(0, self.size, section):
            yield self[begin : begin + section]


def device_array(
    shape: ShapeLike,
    dtype: DTypeLike = np.float64,
    strides: object = None,
    order: str = "C",
    stream: object = 0,
) -> Any:
    """An array without contents.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> cuda.device_array((2, 3), numpy.float32).shape
    (2, 3)
    """
    if strides is not None or order not in ("C", "F"):
        raise NotImplementedError("cuda.device_array: arrays are in C order or in Fortran's here")
    shape = as_shape(shape)
    if getattr(dtype, "names", None) is not None:
        return DeviceRecords(shape, dtype)
    made = DeviceNDArray(shape[::-1], dtype).T if order == "F" else DeviceNDArray(shape, dtype)
    return _of_stream(made, stream)


def device_array_like(ary: Any, stream: object = 0) -> Any:
    """An array without contents, of the shape, type and order of another.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> cuda.device_array_like(numpy.ones((2, 3))).dtype
    dtype('float64')
    """
    if getattr(ary.dtype, "names", None) is not None or not ary.ndim:
        return device_array(np.shape(ary), ary.dtype, stream=stream)
    return _of_stream(on_device(hd.empty_like(ary)), stream)


def to_device(
    obj: Any, stream: object = 0, copy: bool = True, to: DeviceNDArray | DeviceRecords | None = None
) -> Any:
    """A copy of an array on the device, in its order, or in `to`.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> x = cuda.to_device(numpy.arange(3.0))
    >>> x.copy_to_host()
    array([0., 1., 2.])
    """
    ours = isinstance(obj, (_core.own_array, DeviceRecords))
    source = obj if ours else np.asarray(obj)
    made = device_array_like(source, stream) if to is None else to
    if isinstance(made, DeviceRecords):
        made.copy_to_device(source.copy_to_host() if isinstance(source, DeviceRecords) else source)
    else:
        made[...] = hd.asarray(source)
    return made


def _no_strides(strides: object) -> None:
    if strides is not None:
        raise NotImplementedError("strides: arrays of the host are made in an order, 'C' or 'F'")


def pinned_array(
    shape: ShapeLike, dtype: DTypeLike | None = np.float64, strides: object = None, order: str = "C"
) -> HostArray:
    """An array of the host, as any other: copies need no special memory here.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> cuda.pinned_array(4, numpy.int32).shape
    (4,)
    """
    _no_strides(strides)
    return np.empty(shape, dtype, order=order)  # type: ignore[call-overload, no-any-return]


def pinned_array_like(ary: object) -> HostArray:
    """An array of the host, of the shape, type and order of another.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> cuda.pinned_array_like(numpy.ones((2, 3))).shape
    (2, 3)
    """
    if not isinstance(ary, _core.own_array):
        return np.empty_like(ary)
    outer_first = sorted(range(ary.ndim), key=lambda axis: -ary.strides[axis])
    made = np.empty([ary.shape[axis] for axis in outer_first], ary.dtype)
    return made.transpose(np.argsort(outer_first))


def mapped_array(
    shape: ShapeLike, dtype: DTypeLike | None = np.float64, strides: object = None, order: str = "C"
) -> HostArray:
    """An array of the host that kernels take; they see it while they run.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> cuda.mapped_array(4, numpy.int32).shape
    (4,)
    """
    _no_strides(strides)
    return np.empty(shape, dtype, order=order)  # type: ignore[call-overload, no-any-return]


mapped_array_like = pinned_array_like
managed_array = mapped_array


@contextlib.contextmanager
def pinned(*arylist: object) -> Iterator[None]:
    """Arrays of the host whose copies are quick meanwhile: they are in any case.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> a = numpy.arange(3.0)
    >>> with cuda.pinned(a):
    ...     x = cuda.to_device(a)
    >>> x.copy_to_host()
    array([0., 1., 2.])
    """
    yield


@contextlib.contextmanager
def mapped(*arylist: object, stream: object = 0) -> Iterator[Any]:
    """Arrays of the host as kernels take them.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> @cuda.jit
    ... def count(x):
    ...     x[cuda.grid(1)] = cuda.grid(1)
    >>> with cuda.mapped(numpy.zeros(3)) as x:
    ...     count[1, 3](x)
    >>> x
    array([0., 1., 2.])
    """
    yield arylist[0] if len(arylist) == 1 else list(arylist)


@contextlib.contextmanager
def defer_cleanup() -> Iterator[None]:
    """Memory that is not used any more goes back to a pool, which waits for nobody.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> with cuda.defer_cleanup():
    ...     total = cuda.to_device(numpy.ones(4)).sum()
    >>> total
    np.float64(4.0)
    """
    yield


def In(ary: ArrayLike | DeviceRecords) -> DeviceNDArray | DeviceRecords:
    """An argument of a kernel that is copied to the device, and not back.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> @cuda.jit
    ... def double(x, y):
    ...     y[cuda.grid(1)] = 2 * x[cuda.grid(1)]
    >>> y = numpy.zeros(3)
    >>> double[1, 3](cuda.In(numpy.arange(3.0)), cuda.Out(y))
    >>> y
    array([0., 2., 4.])
    """
    copied: DeviceNDArray | DeviceRecords = to_device(ary)
    return copied


def Out(ary: _Given) -> _Given:
    """An argument of a kernel that is copied back: every array of NumPy's is, if it is written.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> @cuda.jit
    ... def count(y):
    ...     y[cuda.grid(1)] = cuda.grid(1)
    >>> y = numpy.zeros(3)
    >>> count[1, 3](cuda.Out(y))
    >>> y
    array([0., 1., 2.])
    """
    return ary


InOut = Out


def as_cuda_array(obj: object, sync: bool = True) -> DeviceNDArray:
    """An array that shares the memory of an object with CUDA's array interface.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> cuda.as_cuda_array(cuda.to_device(numpy.ones(2))).shape
    (2,)
    """
    found: DeviceNDArray = on_device(hd.asarray(obj))
    return found


class _Described:
    def __init__(self, desc: dict[str, object], owner: object) -> None:
        self.__cuda_array_interface__, self.owner = desc, owner


def from_cuda_array_interface(
    desc: dict[str, object], owner: object = None, sync: bool = True
) -> DeviceNDArray:
    """An array of memory that a dictionary of CUDA's array interface describes."""
    described: Any = _Described(desc, owner)
    found: DeviceNDArray = on_device(hd.asarray(described))
    return found


def is_cuda_array(obj: object) -> bool:
    """Whether an object has CUDA's array interface.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> cuda.is_cuda_array(numpy.ones(2))
    False
    """
    return hasattr(obj, "__cuda_array_interface__")
