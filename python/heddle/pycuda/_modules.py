"""Modules of compiled code, their functions, and arguments of launches."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy

from heddle import _core
from heddle._array.transfer import on_stream
from heddle._creation.arrays import asarray
from heddle._creation.fills import empty
from heddle._kernels.raw import RawKernel, RawModule
from heddle._typing import Buffer
from heddle.cuda.bindings import checked
from heddle.cuda.module import image_module
from heddle.pycuda._contexts import Event
from heddle.pycuda._enumerations import function_attribute
from heddle.pycuda._errors import LogicError, gone, translated, translating
from heddle.pycuda._host_memory import HostPointer
from heddle.pycuda._memory import DeviceAllocation, PointerHolderBase

if TYPE_CHECKING:
    from heddle.pycuda._contexts import Stream


class ArgumentHandler:
    """An array of the host as an argument of a kernel, in memory of its own on the device."""

    def __init__(self, array: numpy.ndarray[Any, Any]) -> None:
        self.array = array
        self._there: Any = None

    def get_device_alloc(self) -> Any:
        """The memory on the device: an array of Heddle's, for records of their bytes."""
        if self._there is None:
            given = self._given
            self._there = empty(given.shape, given.dtype, order=self._order)
        return self._there

    @property
    def _given(self) -> numpy.ndarray[Any, Any]:
        if self.array.dtype.kind != "V":
            return self.array
        dense = self.array.T if self._order == "F" else self.array
        return dense.reshape(-1).view(numpy.uint8)

    @property
    def _order(self) -> Any:
        flags = self.array.flags
        if not (flags.c_contiguous or flags.f_contiguous):
            raise ValueError("ndarray is not contiguous")
        return "C" if flags.c_contiguous else "F"

    def pre_call(self, stream: Stream | None) -> None:
        """What is done before the launch."""

    def post_call(self, stream: Stream | None) -> None:
        """What is done after the launch."""

    def _send(self) -> None:
        self._there = asarray(self._given, order=self._order, copy=True)

    def _fetch(self) -> None:
        self._given[...] = self.get_device_alloc().get()


class In(ArgumentHandler):
    """An array that is copied to the device before the launch.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> from heddle.pycuda.compiler import SourceModule
    >>> source = "__global__ void neg(const int *x, int *y) { *y = -*x; }"
    >>> neg = SourceModule(source).get_function("neg")
    >>> y = numpy.zeros(1, numpy.int32)
    >>> neg(cuda.In(numpy.array([3], numpy.int32)), cuda.Out(y), block=(1, 1, 1))
    >>> y
    array([-3], dtype=int32)
    """

    def pre_call(self, stream: Stream | None) -> None:
        """Copy to the device."""
        self._send()


class Out(ArgumentHandler):
    """An array that is copied from the device after the launch.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> from heddle.pycuda.compiler import SourceModule
    >>> source = "__global__ void count(int *x) { x[threadIdx.x] = threadIdx.x; }"
    >>> count = SourceModule(source).get_function("count")
    >>> x = numpy.zeros(3, numpy.int32)
    >>> count(cuda.Out(x), block=(3, 1, 1))
    >>> x
    array([0, 1, 2], dtype=int32)
    """

    def post_call(self, stream: Stream | None) -> None:
        """Copy from the device."""
        self._fetch()


class InOut(In, Out):
    """An array that is copied to the device and back.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> from heddle.pycuda.compiler import SourceModule
    >>> source = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }"
    >>> twice = SourceModule(source).get_function("twice")
    >>> x = numpy.ones(3, numpy.float32)
    >>> twice(cuda.InOut(x), block=(3, 1, 1))
    >>> x
    array([2., 2., 2.], dtype=float32)
    """


def _argument(value: object, position: int) -> Any:
    """As `heddle.RawKernel` takes it."""
    if isinstance(value, ArgumentHandler):
        return value.get_device_alloc()
    array = getattr(value, "_array", None)
    if array is not None and hasattr(value, "gpudata"):  # a GPUArray
        return array
    if isinstance(value, _core.own_array):
        return value
    if isinstance(value, (numpy.number, numpy.bool_, numpy.void)):
        return value
    if isinstance(value, numpy.ndarray):
        if isinstance(value.base, HostPointer):
            return numpy.uint64(value.base.get_device_pointer())
        return value.tobytes()
    if isinstance(value, (DeviceAllocation, PointerHolderBase)):
        return numpy.uint64(value.ptr)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if hasattr(value, "gpudata"):
        return numpy.uint64(int(value.gpudata))
    if isinstance(value, HostPointer):
        return numpy.uint64(value.get_device_pointer())
    if hasattr(value, "__cuda_array_interface__"):
        return numpy.uint64(value.__cuda_array_interface__["data"][0])
    if isinstance(value, (int, float, complex)):
        text = f"invalid type on parameter #{position} (0-based): give NumPy's numbers, as int32(3)"
        raise TypeError(text)
    if hasattr(value, "__int__"):
        return numpy.uint64(int(value))
    raise TypeError(f"invalid type on parameter #{position} (0-based): {type(value).__name__}")


def _sizes(given: Sequence[int], what: str) -> tuple[int, ...]:
    if isinstance(given, (int, numpy.integer)) or not 1 <= len(given) <= 3:
        raise ValueError(f"{what} is a tuple of one to three numbers")
    return tuple(int(n) for n in given)


def _check_textures(texrefs: Sequence[object]) -> None:
    if texrefs:
        raise gone("texrefs")


class Function:
    """A kernel. Called as ``function(*args, block=(x, y, z), grid=(x, y))``.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> from heddle.pycuda.compiler import SourceModule
    >>> source = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }"
    >>> twice = SourceModule(source).get_function("twice")
    >>> x = numpy.arange(4, dtype=numpy.float32)
    >>> twice(cuda.InOut(x), block=(4, 1, 1), grid=(1, 1))
    >>> x
    array([0., 2., 4., 6.], dtype=float32)
    """

    def __init__(self, kernel: RawKernel) -> None:
        self._kernel = kernel
        self._prepared: list[Any] | None = None
        self._block: tuple[int, ...] | None = None
        self._shared = 0
        self._packed = bytearray()

    @property
    def name(self) -> str:
        """Its name in the source."""
        return self._kernel.name

    def __call__(
        self,
        *args: object,
        block: Sequence[int] | None = None,
        grid: Sequence[int] = (1, 1),
        stream: Stream | None = None,
        shared: int = 0,
        texrefs: Sequence[object] = (),
        time_kernel: bool = False,
    ) -> float | None:
        """Launch it; with `time_kernel`, wait and give the seconds it took.

        Arguments are NumPy's numbers, memory, `GPUArray`, and `In`, `Out`, `InOut` of arrays of
        the host.
        """
        if block is None:
            raise ValueError("must specify block size")
        _check_textures(texrefs)
        handlers = [a for a in args if isinstance(a, ArgumentHandler)]
        with translated(), on_stream(stream):
            for handler in handlers:
                handler.pre_call(stream)
            given = [_argument(a, i) for i, a in enumerate(args)]
            seconds = self._launched(grid, block, given, shared, time_kernel)
            for handler in handlers:
                handler.post_call(stream)
        return seconds

    def _launched(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        given: list[object],
        shared: int,
        timed: bool,
    ) -> float | None:
        start, end = (Event(), Event()) if timed else (None, None)
        if start is not None:
            start.record()
        self._kernel(_sizes(grid, "grid"), _sizes(block, "block"), given, shared_mem=shared)
        if start is None or end is None:
            return None
        end.record()
        end.synchronize()
        return end.time_since(start) * 1e-3

    # --- launches whose types are said beforehand ---

    def prepare(
        self,
        arg_types: Sequence[Any],
        block: Sequence[int] | None = None,
        shared: int | None = None,
        texrefs: Sequence[object] = (),
    ) -> Function:
        """Say what types arguments have: letters of `struct`, P for addresses, or NumPy's types."""
        _check_textures(texrefs)
        self._prepared = [_letter(one) for one in arg_types]
        self._block = None if block is None else _sizes(block, "block")
        self._shared = shared or 0
        return self

    def _prepared_arguments(self, args: Sequence[object]) -> list[Any]:
        if self._prepared is None:
            raise LogicError("prepared_call: call prepare first")
        if len(args) != len(self._prepared):
            raise TypeError(f"{len(self._prepared)} arguments were prepared, {len(args)} given")
        return [
            _packed(letter, a, i)
            for i, (letter, a) in enumerate(zip(self._prepared, args, strict=True))
        ]

    def _split(self, grid: object, args: tuple[object, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
        """The block is an argument, unless `prepare` had it."""
        if self._block is not None:
            return grid, self._block, args
        return grid, args[0], args[1:]

    def prepared_call(self, grid: Sequence[int], *args: object, shared_size: int = 0) -> None:
        """Launch it: ``prepared_call(grid, block, *args)``."""
        grid, block, args = self._split(grid, args)
        with translated():
            given = self._prepared_arguments(args)
            self._launched(grid, block, given, shared_size or self._shared, False)

    def prepared_timed_call(
        self, grid: Sequence[int], *args: object, shared_size: int = 0
    ) -> Callable[[], float]:
        """Launch it; what is returned waits, and gives the seconds it took."""
        grid, block, args = self._split(grid, args)
        with translated():
            given = self._prepared_arguments(args)
            start, end = Event().record(), Event()
            self._launched(grid, block, given, shared_size or self._shared, False)
            end.record()

        def get_call_time() -> float:
            end.synchronize()
            return end.time_since(start) * 1e-3

        return get_call_time

    def prepared_async_call(self, grid: Sequence[int], *args: object, shared_size: int = 0) -> None:
        """Launch it on a stream: ``prepared_async_call(grid, block, stream, *args)``."""
        grid, block, (stream, *rest) = self._split(grid, args)
        with translated(), on_stream(stream):
            given = self._prepared_arguments(rest)
            self._launched(grid, block, given, shared_size or self._shared, False)

    # --- attributes ---

    @translating
    def get_attribute(self, attr: int) -> int:
        """An attribute, of `function_attribute`."""
        return self._kernel.kernel.attribute(int(attr))

    @translating
    def set_attribute(self, attr: int, value: int) -> None:
        """Set an attribute, of `function_attribute`."""
        self._kernel.kernel.set_attribute(int(attr), value)

    @translating
    def set_cache_config(self, value: int) -> None:
        """How L1 is shared between cache and shared memory, of `func_cache`."""
        checked.cuFuncSetCacheConfig(self._kernel.kernel.ptr, value)

    @translating
    def set_shared_config(self, value: int) -> None:
        """How wide banks of shared memory are, of `shared_config`."""
        checked.cuFuncSetSharedMemConfig(self._kernel.kernel.ptr, value)

    @property
    def local_size_bytes(self) -> int:
        """Local memory of each thread."""
        return self.get_attribute(function_attribute.LOCAL_SIZE_BYTES)

    @property
    def shared_size_bytes(self) -> int:
        """Shared memory of a size in the code."""
        return self.get_attribute(function_attribute.SHARED_SIZE_BYTES)

    @property
    def num_regs(self) -> int:
        """Registers of each thread."""
        return self.get_attribute(function_attribute.NUM_REGS)

    # --- as PyCUDA's first versions launched ---

    def set_block_shape(self, x: int, y: int, z: int) -> None:
        """The threads of a block, for `launch`."""
        self._block = (x, y, z)

    def set_shared_size(self, bytes: int) -> None:
        """The shared memory of a block, for `launch`."""
        self._shared = bytes

    def param_set_size(self, bytes: int) -> None:
        """How many bytes all arguments have, for `launch`."""
        self._packed = self._packed[:bytes].ljust(bytes, b"\0")

    def _put(self, offset: int, data: bytes) -> None:
        end = offset + len(data)
        if len(self._packed) < end:
            self._packed.extend(b"\0" * (end - len(self._packed)))
        self._packed[offset:end] = data

    def param_seti(self, offset: int, value: int) -> None:
        """An argument of type unsigned int."""
        self._put(offset, struct.pack("I", value))

    def param_setf(self, offset: int, value: float) -> None:
        """An argument of type float."""
        self._put(offset, struct.pack("f", value))

    def param_setv(self, offset: int, buf: Buffer) -> None:
        """Arguments as bytes."""
        self._put(offset, bytes(buf))

    def param_set(self, *args: object) -> None:
        """All arguments, as a call takes them."""
        self._given = [_argument(a, i) for i, a in enumerate(args)]

    def param_set_texref(self, texref: object) -> None:
        """Texture references are gone from CUDA."""
        raise gone("param_set_texref")

    def launch(self) -> None:
        """Launch one block."""
        self.launch_grid(1, 1)

    def launch_grid(self, width: int, height: int) -> None:
        """Launch so many blocks."""
        self.launch_grid_async(width, height, None)

    def launch_grid_async(self, width: int, height: int, stream: Stream | None) -> None:
        """Launch so many blocks on a stream."""
        if self._block is None:
            raise LogicError("launch: call set_block_shape first")
        given = getattr(self, "_given", None)
        with translated(), on_stream(stream):
            if given is None:
                self._launch_packed(width, height)
            else:
                self._launched((width, height), self._block, given, self._shared, False)

    def _launch_packed(self, width: int, height: int) -> None:
        """With arguments that `param_seti` and others put together, where C wants them."""
        _core.cuda.run_pending_work()
        stream = _core.cuda.current_stream(0).ptr
        address = numpy.frombuffer(self._packed, numpy.uint8).ctypes.data
        size = numpy.array([len(self._packed)], numpy.uint64)
        extra = numpy.array([1, address, 2, size.ctypes.data, 0], numpy.uint64)
        checked.cuLaunchKernel(
            self._kernel.kernel.ptr,
            width,
            height,
            1,
            *(self._block or ()),
            self._shared,
            stream,
            0,
            extra,
        )


def _letter(kind: object) -> Any:
    """What `struct` calls a type; itself where it is one of NumPy's."""
    if isinstance(kind, str) and len(kind) == 1:
        return kind
    if isinstance(kind, type) and issubclass(kind, numpy.generic):
        return numpy.dtype(kind)
    if isinstance(kind, numpy.dtype):
        return kind
    raise TypeError(f"{kind!r} is no type of an argument")


def _packed(letter: Any, value: Any, position: int) -> Any:
    if letter == "P":
        return _argument(numpy.uint64(value) if isinstance(value, int) else value, position)
    if isinstance(letter, numpy.dtype):
        return numpy.array(value, letter)[()]
    if letter == "F":
        return numpy.complex64(value)
    if letter == "D":
        return numpy.complex128(value)
    return struct.pack(letter, value)


class Module:
    """Code on the device."""

    def __init__(self, module: RawModule) -> None:
        self._module = module

    @translating
    def get_function(self, name: str) -> Function:
        """A kernel by its name."""
        kernel = self._module.get_function(name)
        try:
            if _core.cuda.is_available():
                kernel.kernel  # noqa: B018  # compiled and found now
        except _core.cuda.CUDARuntimeError as error:
            raise LogicError(f"cuModuleGetFunction failed: {name}: {error}") from error
        return Function(kernel)

    @translating
    def get_global(self, name: str) -> tuple[DeviceAllocation, int]:
        """The memory of a variable, and its bytes."""
        found = self._module.get_global(name)
        return DeviceAllocation(found.mem, 0), found.mem.size

    def get_texref(self, name: str) -> NoReturn:
        """Texture references are gone from CUDA."""
        raise gone("get_texref")

    def get_surfref(self, name: str) -> NoReturn:
        """Surface references are gone from CUDA."""
        raise gone("get_surfref")


@translating
def module_from_file(filename: str) -> Module:
    """The code of a file: PTX, a cubin or a fatbin."""
    return Module(RawModule(path=filename))


@translating
def module_from_buffer(
    buffer: bytes, options: Sequence[tuple[int, Any]] = (), message_handler: object = None
) -> Module:
    """Code in memory: PTX, a cubin or a fatbin; options are of `jit_option`, each with a value."""
    if options or message_handler is not None:
        raise NotImplementedError(
            "module_from_buffer: options of the driver's compiler are taken by "
            "heddle.cuda.bindings.driver.cuModuleLoadDataEx"
        )
    return Module(image_module(bytes(buffer)))
