"""Default contexts, declarations of C, pools of memory, occupancy."""

from __future__ import annotations

import atexit
import functools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy

from heddle import _core
from heddle._kernels.parameters import C_TYPES
from heddle._typing import DType, DTypeLike, HostArray, ShapeLike
from heddle.cuda._pinned import PinnedMemoryPool
from heddle.cuda.memory import MemoryPool
from heddle.pycuda._contexts import Context, Device
from heddle.pycuda._enumerations import device_attribute
from heddle.pycuda._memory import DeviceAllocation

if TYPE_CHECKING:
    from heddle.pycuda._host_memory import PagelockedHostAllocation

# --- contexts ---


_P = ParamSpec("_P")
_R = TypeVar("_R")


def _default_number() -> int:
    given = os.environ.get("CUDA_DEVICE")
    if given is None:
        path = Path.home() / ".cuda_device"
        given = path.read_text().strip() if path.exists() else "0"
    return int(given)


def get_default_device(default: int = 0) -> Device:
    """The one that CUDA_DEVICE in the environment, or the file ~/.cuda_device, says."""
    number = _default_number()
    return Device(number if number < Device.count() else default)


def make_default_context(ctx_maker: Callable[[Device], Context] | None = None) -> Context:
    """The context of the default device, which is current from now on."""
    device = get_default_device()
    context = device.make_context() if ctx_maker is None else ctx_maker(device)
    atexit.register(context.detach)
    return context


_caches: list[dict[Any, Any]] = []


def context_dependent_memoize(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that remembers its results, for each device.

    Examples
    --------
    >>> from heddle.pycuda import tools
    >>> @tools.context_dependent_memoize
    ... def made(n):
    ...     print("made", n)
    ...     return n * n
    >>> made(3), made(3)
    made 3
    (9, 9)
    """
    cache: dict[Any, _R] = {}
    _caches.append(cache)

    @functools.wraps(func)
    def made(*args: _P.args, **named: _P.kwargs) -> _R:
        key = (Context.get_device(), args, tuple(sorted(named.items())))
        if key not in cache:
            cache[key] = func(*args, **named)
        return cache[key]

    return made


def clear_context_caches() -> None:
    """Forget what `context_dependent_memoize` remembers.

    Examples
    --------
    >>> from heddle.pycuda.tools import clear_context_caches, context_dependent_memoize
    >>> @context_dependent_memoize
    ... def square(x):
    ...     print("computed")
    ...     return x * x
    >>> square(3)
    computed
    9
    >>> clear_context_caches()
    >>> square(3)
    computed
    9
    """
    for cache in _caches:
        cache.clear()


context_dependent_memoized_functions = _caches


def mark_cuda_test(inner_f: Callable[_P, _R]) -> Callable[_P, _R]:
    """A test that has a context while it runs."""

    @functools.wraps(inner_f)
    def made(*args: _P.args, **named: _P.kwargs) -> _R:
        context = get_default_device().make_context()
        try:
            return inner_f(*args, **named)
        finally:
            context.detach()
            clear_context_caches()

    return made


def init_cuda_context_fixture() -> Iterator[None]:
    """For a fixture of pytest: a context from here to the end of a test."""
    context = get_default_device().make_context()
    try:
        yield
    finally:
        context.detach()
        clear_context_caches()


# --- declarations ---

_C_TYPES = C_TYPES | {
    "uint32": "unsigned",
    "float16": "half",
    "complex64": "pycuda::complex<float>",
    "complex128": "pycuda::complex<double>",
}
_NAMES = {
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "signed int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long": "int64",
    "long int": "int64",
    "unsigned long": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
    "float": "float32",
    "double": "float64",
    "bool": "bool",
    "half": "float16",
    "size_t": "uint64",
    **{f"{kind}_t": kind for kind in ("int8", "int16", "int32", "int64")},
    **{f"{kind}_t": kind for kind in ("uint8", "uint16", "uint32", "uint64")},
    "pycuda::complex<float>": "complex64",
    "pycuda::complex<double>": "complex128",
    "complex<float>": "complex64",
    "complex<double>": "complex128",
}
_registered: dict[str, DType] = {}


def register_dtype(dtype: DTypeLike | None, name: str) -> None:
    """Say which type of NumPy's a type of C is.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import tools
    >>> pair = numpy.dtype([("x", "f4"), ("y", "f4")])
    >>> tools.register_dtype(pair, "my_pair")
    >>> tools.dtype_to_ctype(pair)
    'my_pair'
    """
    _registered[name] = numpy.dtype(dtype)


get_or_register_dtype = register_dtype


# What textures of integers hold these as, in PyCUDA's header for that.
_TEXTURE_TYPES = {
    **{"float32": "fp_tex_float", "float64": "fp_tex_double"},
    **{"complex64": "fp_tex_cfloat", "complex128": "fp_tex_cdouble"},
}


def dtype_to_ctype(dtype: DTypeLike | None, with_fp_tex_hack: bool = False) -> str:
    """The type of C for one of NumPy's.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import tools
    >>> tools.dtype_to_ctype(numpy.float32), tools.dtype_to_ctype(numpy.uint8)
    ('float', 'unsigned char')
    """
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = numpy.dtype(dtype)
    if with_fp_tex_hack and dtype.name in _TEXTURE_TYPES:
        return _TEXTURE_TYPES[dtype.name]
    for name, known in _registered.items():
        if known == dtype:
            return name
    if dtype.name not in _C_TYPES:
        raise ValueError(f"unable to map dtype '{dtype}'")
    return _C_TYPES[dtype.name]


class Argument:
    """A declared argument: its type and its name."""

    def __init__(self, dtype: DTypeLike, name: str) -> None:
        self.dtype, self.name = numpy.dtype(dtype), name

    def declarator(self) -> str:
        """The declaration."""
        raise NotImplementedError

    @property
    def struct_char(self) -> str:
        """The letter of `struct`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """An array.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import tools
    >>> tools.VectorArg(numpy.float32, "x").declarator()
    'float *x'
    """

    def declarator(self) -> str:
        """The declaration."""
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"

    @property
    def struct_char(self) -> str:
        """The letter of `struct`."""
        return "P"


class ScalarArg(Argument):
    """A number.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import tools
    >>> tools.ScalarArg(numpy.int32, "n").declarator()
    'int n'
    """

    def declarator(self) -> str:
        """The declaration."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"

    @property
    def struct_char(self) -> str:
        """The letter of `struct`."""
        return str(self.dtype.char)


def parse_c_arg(c_arg: str) -> Argument:
    """The argument that C declares so.

    Examples
    --------
    >>> from heddle.pycuda import tools
    >>> tools.parse_c_arg("const float *x")
    VectorArg('x', float32)
    >>> tools.parse_c_arg("int n").name
    'n'
    """
    words = re.sub(r"\b(const|volatile|__restrict__|restrict)\b", " ", c_arg)
    match = re.fullmatch(r"\s*([\w:<>\s]+?)\s*(\*?)\s*(\w+)\s*(\[\s*\])?\s*", words)
    if match is None:
        raise ValueError(f"could not parse {c_arg!r}")
    kind = " ".join(match.group(1).split())
    dtype = _registered.get(kind)
    if dtype is None:
        if kind not in _NAMES:
            raise ValueError(f"unknown type '{kind}'")
        dtype = numpy.dtype(_NAMES[kind])
    is_vector = bool(match.group(2) or match.group(4))
    return (VectorArg if is_vector else ScalarArg)(dtype, match.group(3))


def get_arg_type(c_arg: str) -> str:
    """The letter of `struct` for a declared argument.

    Examples
    --------
    >>> from heddle.pycuda import tools
    >>> tools.get_arg_type("float *x"), tools.get_arg_type("int n")
    ('P', 'i')
    """
    return parse_c_arg(c_arg).struct_char


# --- pools ---


def bitlog2(n: int) -> int:
    """The number of the highest bit that is set.

    Examples
    --------
    >>> from heddle.pycuda import tools
    >>> tools.bitlog2(1), tools.bitlog2(1000)
    (0, 9)
    """
    if n < 1:
        raise ValueError(f"bitlog2: a positive number is needed, not {n}")
    return n.bit_length() - 1


class PooledDeviceAllocation(DeviceAllocation):
    """Memory of a pool, to which it goes back with the object."""

    _pool: Any = None

    def free(self) -> None:
        """Give it back now."""
        _core.cuda.run_pending_work()
        if self._pool is not None:
            self._pool._given_back(self)

    def __len__(self) -> int:
        return self.mem.size

    def __del__(self) -> None:
        if self._pool is not None:
            self._pool._given_back(self)


class _Holding:
    """What pools of device memory and of page-locked memory have in common."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._active = 0
        self._holds = True

    def _one_less(self) -> None:
        """A block has gone back to the pool."""
        self._active -= 1
        if not self._holds:
            self.free_held()

    @property
    def held_blocks(self) -> int:
        """Blocks that are kept."""
        return int(self._pool.n_free_blocks())

    @property
    def active_blocks(self) -> int:
        """Blocks that are used."""
        return self._active

    def free_held(self) -> None:
        """Give kept blocks back."""
        self._pool.free_all_blocks()

    def stop_holding(self) -> None:
        """Keep no blocks from now on."""
        self._holds = False
        self.free_held()


class DeviceMemoryPool(_Holding):
    """A pool of device memory that keeps freed blocks for later.

    Examples
    --------
    >>> from heddle.pycuda import tools
    >>> pool = tools.DeviceMemoryPool()
    >>> block = pool.allocate(1000)
    >>> pool.active_blocks, pool.held_blocks
    (1, 0)
    >>> block.free()
    >>> pool.active_blocks, pool.held_blocks
    (0, 1)
    """

    def __init__(self) -> None:
        super().__init__(MemoryPool())
        self._active_bytes = 0

    def allocate(self, size: int) -> PooledDeviceAllocation:
        """A block of at least so many bytes."""
        made = PooledDeviceAllocation(self._pool.malloc(size).mem, 0)
        made._pool = self
        self._active += 1
        self._active_bytes += size
        return made

    __call__ = allocate

    def _given_back(self, block: PooledDeviceAllocation) -> None:
        self._active_bytes -= block.mem.size
        block._pool = None
        block.mem = type(block.mem).__new__(type(block.mem))
        self._one_less()

    @property
    def managed_bytes(self) -> int:
        """Bytes of all blocks."""
        return int(self._pool.total_bytes())

    @property
    def active_bytes(self) -> int:
        """Bytes that are used."""
        return self._active_bytes


class DebugMemoryPool(DeviceMemoryPool):
    """A pool that knows where in the program its blocks were asked for."""

    def __init__(self, interactive: bool = True, logfile: IO[str] | None = None) -> None:
        super().__init__()
        self.interactive, self.logfile = interactive, logfile
        self._lines: dict[str, tuple[int, int]] = {}

    def allocate(self, size: int) -> PooledDeviceAllocation:
        """A block of at least so many bytes."""
        import traceback

        line = "".join(traceback.format_stack(limit=3)[:1]).strip()
        count, total = self._lines.get(line, (0, 0))
        self._lines[line] = (count + 1, total + size)
        if self.logfile is not None:
            self.logfile.write(f"{size} bytes at {line}\n")
        return super().allocate(size)

    __call__ = allocate

    def describe(self) -> None:
        """Print who asked for memory."""
        for line, (count, total) in sorted(self._lines.items(), key=lambda item: -item[1][1]):
            print(f"{total} bytes in {count} blocks: {line}", file=self.logfile)


class PageLockedAllocator:
    """What allocates page-locked memory."""

    def __init__(self, flags: int = 0) -> None:
        self.flags = flags

    def allocate(self, size: int) -> PagelockedHostAllocation:
        """Page-locked memory."""
        from heddle.pycuda._host_memory import PagelockedHostAllocation

        return PagelockedHostAllocation(size, self.flags)


class PooledHostAllocation:
    """Page-locked memory of a pool, to which it goes back with the object."""

    def __init__(self, pool: PageLockedMemoryPool, block: Any) -> None:
        self._pool, self._block = pool, block
        self.ptr = block.ptr

    def free(self) -> None:
        """Give it back now; arrays in it must not be used any more."""
        if self._block is not None:
            self._block = None
            self._pool._one_less()

    def __len__(self) -> int:
        return 0 if self._block is None else self._block.size()

    def __del__(self) -> None:
        self.free()


class PageLockedMemoryPool(_Holding):
    """A pool of page-locked memory that keeps freed blocks for later.

    Examples
    --------
    >>> import numpy
    >>> from heddle.pycuda import tools
    >>> pool = tools.PageLockedMemoryPool()
    >>> numbers = pool.allocate((2, 3), numpy.float32)
    >>> numbers.shape, pool.active_blocks
    ((2, 3), 1)
    """

    def __init__(self) -> None:
        super().__init__(PinnedMemoryPool())

    def allocate(self, shape: ShapeLike, dtype: DTypeLike, order: str = "C") -> HostArray:
        """An array of NumPy's in page-locked memory."""
        from heddle.pycuda._host_memory import _array_in, _bytes

        held = PooledHostAllocation(self, self._pool.malloc(max(1, _bytes(shape, dtype))))
        self._active += 1
        return _array_in(held, shape, dtype, order)


# --- what a device has ---


class DeviceData:
    """Figures of a device that kernels are planned with."""

    def __init__(self, dev: Device | None = None) -> None:
        device = Context.get_device() if dev is None else dev
        names = device_attribute
        self.max_threads = device.get_attribute(names.MAX_THREADS_PER_BLOCK)
        self.warp_size = device.get_attribute(names.WARP_SIZE)
        threads = device.get_attribute(names.MAX_THREADS_PER_MULTIPROCESSOR)
        self.warps_per_mp = threads // self.warp_size
        self.thread_blocks_per_mp = device.get_attribute(names.MAX_BLOCKS_PER_MULTIPROCESSOR)
        self.registers = device.get_attribute(names.MAX_REGISTERS_PER_BLOCK)
        self.shared_memory = device.get_attribute(names.MAX_SHARED_MEMORY_PER_BLOCK)
        self.smem_alloc_granularity = 128
        self.smem_granularity = 32

    def align_bytes(self, word_size: int = 4) -> int:
        """Where accesses of neighbours are one: multiples of so many bytes."""
        return {4: 64, 8: 128, 16: 128}[word_size]

    def align(self, bytes: int, word_size: int = 4) -> int:
        """The next multiple of `align_bytes`."""
        unit = self.align_bytes(word_size)
        return -(-bytes // unit) * unit

    def align_words(self, word_size: int) -> int:
        """`align_bytes`, in words."""
        return self.align_bytes(word_size) // word_size

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        """The next number of elements that ends at a multiple of `align_bytes`."""
        return self.align(elements * dtype_size) // dtype_size

    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int:
        """The least number of channels that textures have."""
        return {1: 1, 2: 2, 3: 4, 4: 4}[size]

    def coalesce(self, thread_count: int) -> int:
        """The next multiple of half a warp."""
        unit = self.warp_size // 2
        return -(-thread_count // unit) * unit


class OccupancyRecord:
    """How many blocks of so many threads run on a multiprocessor, and what limits them."""

    def __init__(
        self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0
    ) -> None:
        if threads > devdata.max_threads:
            raise ValueError("too many threads")
        warps = -(-threads // devdata.warp_size)
        limits = {"device": devdata.thread_blocks_per_mp, "warps": devdata.warps_per_mp // warps}
        if registers > 0:
            limits["regs"] = devdata.registers // (registers * warps * devdata.warp_size)
        if shared_mem > 0:
            unit = devdata.smem_alloc_granularity
            limits["smem"] = devdata.shared_memory // (-(-shared_mem // unit) * unit)
        self.tb_per_mp = min(limits.values())
        self.limited_by = [name for name, limit in limits.items() if limit == self.tb_per_mp]
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp
