"""The array of `gpuarray`: an array of Heddle's with PyCUDA's methods."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, SupportsIndex, TypeAlias

import numpy

import heddle
from heddle import _core
from heddle._array.transfer import on_stream
from heddle._core import ndarray
from heddle._typing import DTypeLike, HostArray, Order, ShapeLike
from heddle.cuda.device import get_device_id
from heddle.cuda.memory import UnownedMemory
from heddle.pycuda._errors import gone
from heddle.pycuda._host_memory import as_shape
from heddle.pycuda._memory import DeviceAllocation, mem_alloc

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream


def _inner(value: object) -> Any:
    """The array of Heddle's in a `GPUArray`; anything else as it is."""
    return value._array if isinstance(value, GPUArray) else value


def _own(array: Any) -> ndarray:
    """An array of ours; a product of short vectors is a number of NumPy's."""
    made = array if isinstance(array, _core.own_array) else heddle.asarray(array)
    if not isinstance(made, _core.own_array):
        raise TypeError(
            f"elements of a GPUArray are numbers, not {array.dtype}: kernels take arrays of "
            "records by driver.In, Out and InOut, and memory by driver.mem_alloc"
        )
    return made


def _wrapped(array: ndarray) -> GPUArray:
    made = GPUArray.__new__(GPUArray)
    made._array = _own(array)
    made._memory = None
    made.allocator = mem_alloc
    return made


def placed(array: ndarray, allocator: Any) -> GPUArray:
    """A result, in memory of an allocator where one is given."""
    if allocator is None or allocator is mem_alloc:
        return _wrapped(array)
    made = GPUArray(array.shape, array.dtype, allocator)
    made._array[...] = array
    return made


class GPUArray:
    """An array on the device.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : data type
    allocator : callable, optional
        A function of bytes that gives memory of the device.
    base : object, optional
        What is kept alive with the array.
    gpudata : object, optional
        Memory of the device that the elements are in, or its address.
    strides : tuple of int, optional
        Bytes from an element to the next, along each axis.
    order : {'C', 'F'}

    Examples
    --------
    >>> from heddle.pycuda import gpuarray
    >>> import numpy
    >>> a = gpuarray.arange(5, dtype=numpy.float32)
    >>> gpuarray.dot(a, a).get()
    array(30., dtype=float32)
    """

    __array_priority__ = 100

    if TYPE_CHECKING:  # what _operators makes
        _Operand: TypeAlias = "GPUArray | complex | numpy.number[Any] | numpy.bool_"

        def __add__(self, other: _Operand, /) -> GPUArray: ...
        def __radd__(self, other: _Operand, /) -> GPUArray: ...
        def __iadd__(self, other: _Operand, /) -> GPUArray: ...
        def __sub__(self, other: _Operand, /) -> GPUArray: ...
        def __rsub__(self, other: _Operand, /) -> GPUArray: ...
        def __isub__(self, other: _Operand, /) -> GPUArray: ...
        def __mul__(self, other: _Operand, /) -> GPUArray: ...
        def __rmul__(self, other: _Operand, /) -> GPUArray: ...
        def __imul__(self, other: _Operand, /) -> GPUArray: ...
        def __truediv__(self, other: _Operand, /) -> GPUArray: ...
        def __rtruediv__(self, other: _Operand, /) -> GPUArray: ...
        def __itruediv__(self, other: _Operand, /) -> GPUArray: ...
        def __floordiv__(self, other: _Operand, /) -> GPUArray: ...
        def __rfloordiv__(self, other: _Operand, /) -> GPUArray: ...
        def __ifloordiv__(self, other: _Operand, /) -> GPUArray: ...
        def __mod__(self, other: _Operand, /) -> GPUArray: ...
        def __rmod__(self, other: _Operand, /) -> GPUArray: ...
        def __imod__(self, other: _Operand, /) -> GPUArray: ...
        def __pow__(self, other: _Operand, /) -> GPUArray: ...
        def __rpow__(self, other: _Operand, /) -> GPUArray: ...
        def __ipow__(self, other: _Operand, /) -> GPUArray: ...
        def __and__(self, other: _Operand, /) -> GPUArray: ...
        def __rand__(self, other: _Operand, /) -> GPUArray: ...
        def __iand__(self, other: _Operand, /) -> GPUArray: ...
        def __or__(self, other: _Operand, /) -> GPUArray: ...
        def __ror__(self, other: _Operand, /) -> GPUArray: ...
        def __ior__(self, other: _Operand, /) -> GPUArray: ...
        def __xor__(self, other: _Operand, /) -> GPUArray: ...
        def __rxor__(self, other: _Operand, /) -> GPUArray: ...
        def __ixor__(self, other: _Operand, /) -> GPUArray: ...
        def __lshift__(self, other: _Operand, /) -> GPUArray: ...
        def __rlshift__(self, other: _Operand, /) -> GPUArray: ...
        def __ilshift__(self, other: _Operand, /) -> GPUArray: ...
        def __rshift__(self, other: _Operand, /) -> GPUArray: ...
        def __rrshift__(self, other: _Operand, /) -> GPUArray: ...
        def __irshift__(self, other: _Operand, /) -> GPUArray: ...
        def __lt__(self, other: _Operand, /) -> GPUArray: ...
        def __le__(self, other: _Operand, /) -> GPUArray: ...
        def __gt__(self, other: _Operand, /) -> GPUArray: ...
        def __ge__(self, other: _Operand, /) -> GPUArray: ...

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        allocator: Callable[[int], Any] = mem_alloc,
        base: object = None,
        gpudata: DeviceAllocation | None = None,
        strides: tuple[int, ...] | None = None,
        order: Order = "C",
    ) -> None:
        if isinstance(shape, numpy.ndarray):
            shape = shape.tolist()
        shape, dtype = as_shape(shape), numpy.dtype(dtype)
        self.allocator, self.base = allocator, base
        self._memory: Any = None
        size = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
        if gpudata is None and allocator is mem_alloc and strides is None:
            self._array = _own(heddle.empty(shape, dtype, order=order))
            return
        if gpudata is None:
            gpudata = allocator(max(1, size))
        address = int(gpudata)
        held = (gpudata, base)
        pointer = DeviceAllocation(UnownedMemory(address, size, held, _device_of(gpudata)), 0)
        self._array = pointer._as_array(shape, dtype, 0, strides, order)
        self._memory = gpudata if not isinstance(gpudata, int) else pointer

    # --- what it is ---

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return tuple(self._array.shape)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of the elements."""
        return self._array.dtype

    @property
    def size(self) -> int:
        """How many elements there are."""
        return self._array.size

    @property
    def mem_size(self) -> int:
        """How many elements the memory holds."""
        return self._array.size

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self._array.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._array.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from an element to the next, along each axis."""
        return tuple(self._array.strides)

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self._array.ndim

    @property
    def flags(self) -> types.SimpleNamespace:
        """Whether elements are contiguous."""
        flags = self._array.flags
        c, f = bool(flags.c_contiguous), bool(flags.f_contiguous)
        return types.SimpleNamespace(c_contiguous=c, f_contiguous=f, forc=c or f)

    @property
    def gpudata(self) -> Any:
        """The memory, which stays where it is while the array lives."""
        if self._memory is None and self.size:
            self._memory = _memory_of(self._array)
        return self._memory

    @property
    def ptr(self) -> int:
        """The address of the first element."""
        return int(self.gpudata) if self.size else 0

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return self._array.__cuda_array_interface__

    def __array__(self, dtype: DTypeLike | None = None, copy: object = None) -> HostArray:
        raise TypeError("implicit conversion to a NumPy array is not allowed: use .get()")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __hash__(self) -> int:
        raise TypeError("GPUArrays are not hashable.")

    def __bool__(self) -> bool:
        if self.size != 1:
            text = "The truth value of an array with more than one element is ambiguous."
            raise ValueError(f"{text} Use a.any() or a.all()")
        return bool(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __repr__(self) -> str:
        return repr(self.get())

    # --- to and from the host ---

    def get(
        self, ary: Any = None, stream: Stream | None = None, pagelocked: bool = False
    ) -> numpy.ndarray[Any, Any]:
        """The elements as an array of NumPy's, in `ary` if that is given."""
        if ary is None and pagelocked:
            from heddle.pycuda._host_memory import pagelocked_empty

            order = "C" if self.flags.c_contiguous else "F"
            ary = pagelocked_empty(self.shape, self.dtype, order)
        if ary is None:
            with on_stream(stream):
                return numpy.asarray(self._array.get(order="A"))
        if ary.shape != self.shape:
            raise ValueError(f"ary must have shape {self.shape}, not {ary.shape}")
        if ary.dtype != self.dtype:
            raise ValueError("self and ary must have the same dtype")
        with on_stream(stream):
            ary[...] = self._array.get()
        return ary  # type: ignore[no-any-return]

    def get_async(self, stream: Stream | None = None, ary: object = None) -> HostArray:
        """`get`, in the order of a stream."""
        return self.get(ary, stream)

    def set(self, ary: object, stream: Stream | None = None) -> None:
        """Copy the elements of an array of NumPy's, or of another `GPUArray`, here."""
        given = _inner(ary)
        if given.shape != self.shape:
            raise ValueError(f"ary must have shape {self.shape}, not {given.shape}")
        if given.dtype != self.dtype:
            raise ValueError("self and ary must have the same dtype")
        with on_stream(stream):
            self._array[...] = heddle.asarray(given)

    def set_async(self, ary: object, stream: Stream | None = None) -> None:
        """`set`, in the order of a stream."""
        self.set(ary, stream)

    def copy(self, order: Order = "K") -> GPUArray:
        """A copy."""
        return _wrapped(self._array.copy(order=order))

    def fill(self, value: object, stream: Stream | None = None) -> GPUArray:
        """Set all elements."""
        with on_stream(stream):
            self._array.fill(_inner(value))
        return self

    # --- arithmetic ---

    def mul_add(
        self,
        selffac: complex,
        other: GPUArray,
        otherfac: complex,
        add_timer: object = None,
        stream: Stream | None = None,
        out: GPUArray | None = None,
    ) -> GPUArray:
        """``selffac * self + otherfac * other``."""
        if add_timer is not None:
            raise NotImplementedError("add_timer: take the time with events of a stream")
        with on_stream(stream):
            return _given(selffac * self._array + otherfac * _inner(other), out)

    def __pos__(self) -> GPUArray:
        return self

    def __neg__(self) -> GPUArray:
        return _wrapped(-self._array)

    def __abs__(self) -> GPUArray:
        return _wrapped(abs(self._array))

    def reverse(self, stream: Stream | None = None) -> GPUArray:
        """The elements from the last to the first."""
        with on_stream(stream):
            return _wrapped(self._array[::-1].copy())

    def astype(self, dtype: DTypeLike, stream: object = None) -> GPUArray:
        """The elements in another type."""
        with on_stream(stream):
            return _wrapped(self._array.astype(dtype))

    def any(self, stream: Stream | None = None, allocator: object = None) -> GPUArray:
        """Whether one is not 0."""
        with on_stream(stream):
            return placed(heddle.asarray(heddle.any(self._array)), allocator)

    def all(self, stream: Stream | None = None, allocator: object = None) -> GPUArray:
        """Whether none is 0."""
        with on_stream(stream):
            return placed(heddle.asarray(heddle.all(self._array)), allocator)

    # --- shapes ---

    def reshape(self, *shape: Any, order: Literal["C", "F", "A"] = "C") -> GPUArray:
        """Another shape of the same memory: elements are taken in the order they lie in."""
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        flags = self._array.flags
        turned = flags.f_contiguous and not flags.c_contiguous
        row = (self._array.T if turned else self._array).reshape(-1)
        return _wrapped(row.reshape(given, order=order))

    def ravel(self) -> GPUArray:
        """One dimension."""
        return _wrapped(self._array.reshape(-1))

    def view(self, dtype: DTypeLike | None = None) -> GPUArray:
        """The bytes as elements of another type."""
        return _wrapped(self._array.view(self.dtype if dtype is None else dtype))

    def squeeze(self) -> GPUArray:
        """Without axes of extent 1."""
        return _wrapped(self._array.squeeze())

    def transpose(self, axes: Sequence[SupportsIndex] | None = None) -> GPUArray:
        """Other order of axes."""
        return _wrapped(self._array.transpose(axes))

    @property
    def T(self) -> GPUArray:
        """Axes from the last to the first."""
        return self.transpose()

    def __getitem__(self, index: object) -> GPUArray:
        # An element is a view, too.
        items = index if isinstance(index, tuple) else (index,)
        if all(isinstance(item, (int, numpy.integer)) for item in items):
            return _wrapped(self._array[(*items, ...)])
        return _wrapped(self._array[_index(index)])

    def __setitem__(self, index: object, value: object) -> None:
        given = _inner(value)
        if isinstance(given, numpy.ndarray):
            given = heddle.asarray(given)
        self._array[_index(index)] = given

    # --- complex numbers ---

    @property
    def real(self) -> GPUArray:
        """Real parts."""
        return _wrapped(self._array.real)

    @property
    def imag(self) -> GPUArray:
        """Imaginary parts."""
        return _wrapped(self._array.imag)

    def conj(self, out: GPUArray | None = None) -> GPUArray:
        """Complex conjugates."""
        return _given(self._array.conj(), out)

    conjugate = conj

    # --- textures ---

    def bind_to_texref(self, texref: object, allow_offset: bool = False) -> NoReturn:
        """Texture references are gone from CUDA."""
        raise gone("bind_to_texref")

    def bind_to_texref_ext(self, texref: object, *args: object, **named: object) -> NoReturn:
        """Texture references are gone from CUDA."""
        raise gone("bind_to_texref_ext")


def _index(index: object) -> Any:
    if isinstance(index, tuple):
        return tuple(_inner(one) for one in index)
    return _inner(index)


def _operand(value: object) -> Any:
    """What operators take; NotImplemented for anything else."""
    if isinstance(value, GPUArray):
        return value._array
    if isinstance(value, (int, float, complex, numpy.number, numpy.bool_)):
        return value
    return NotImplemented


def _plain(function: Callable[..., Any]) -> Any:
    def called(self: GPUArray, other: complex | GPUArray) -> Any:
        given = _operand(other)
        if given is NotImplemented:
            return NotImplemented
        return _wrapped(function(self._array, given))

    return called


def _operators() -> None:
    """Python's operators, as those of the arrays inside."""
    arithmetic = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
    for name in [*arithmetic, "and", "or", "xor", "lshift", "rshift"]:
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        in_place = getattr(operator, f"i{name}")

        def reflected(
            self: GPUArray, other: complex, function: Callable[..., Any] = function
        ) -> Any:
            given = _operand(other)
            if given is NotImplemented:
                return NotImplemented
            return _wrapped(function(given, self._array))

        def assigned(
            self: GPUArray, other: complex | GPUArray, function: Callable[..., Any] = in_place
        ) -> Any:
            given = _operand(other)
            if given is NotImplemented:
                return NotImplemented
            self._array = function(self._array, given)
            return self

        setattr(GPUArray, f"__{name}__", _plain(function))
        setattr(GPUArray, f"__r{name}__", reflected)
        setattr(GPUArray, f"__i{name}__", assigned)
    for prefix in ("", "r", "i"):  # of Python 2, which PyCUDA's users may call by name
        setattr(GPUArray, f"__{prefix}div__", getattr(GPUArray, f"__{prefix}truediv__"))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(GPUArray, f"__{name}__", _plain(getattr(operator, name)))


_operators()


def _device_of(memory: DeviceAllocation) -> int:
    return int(getattr(memory, "device_id", get_device_id()))


def _memory_of(array: ndarray) -> DeviceAllocation:
    """The memory of an array's elements, which is fixed from now on."""
    if array.device.startswith("cuda:"):
        return DeviceAllocation(array.data.mem, 0)
    seen = numpy.asarray(array)
    return DeviceAllocation(UnownedMemory(int(seen.ctypes.data), array.nbytes, seen, 0), 0)


def _given(array: ndarray, out: GPUArray | None) -> GPUArray:
    """An array, or `out` with its elements."""
    if out is None:
        return _wrapped(array)
    out._array[...] = array
    return out
