"""Memory of GPUs and page-locked memory of the host: plain, pooled, and from users' allocators."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from heddle import _core
from heddle._runtime.control import limit_in_bytes
from heddle.cuda import _driver
from heddle.cuda._pinned import (  # noqa: F401, users find them here
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    default_pinned_pool,
    set_pinned_memory_allocator,
)
from heddle.cuda._pointers import (  # users find them here
    BaseMemory as BaseMemory,
)
from heddle.cuda._pointers import (
    ManagedMemory as ManagedMemory,
)
from heddle.cuda._pointers import (
    Memory as Memory,
)
from heddle.cuda._pointers import (
    MemoryAsync as MemoryAsync,
)
from heddle.cuda._pointers import (
    MemoryPointer as MemoryPointer,
)
from heddle.cuda._pointers import (
    PooledMemory as PooledMemory,
)
from heddle.cuda._pointers import (
    UnownedMemory as UnownedMemory,
)
from heddle.cuda.device import Device, get_device_id
from heddle.cuda.stream import BaseStream, current_core_stream

_cuda: Any = _driver


def _checked() -> Any:
    from heddle.cuda.bindings import checked

    return checked


Allocator = Callable[[int], "MemoryPointer"]


# --- pools ---


def malloc_managed(size: int) -> MemoryPointer:
    """Memory that moves between host and device as they use it.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.malloc_managed(64).ptr != 0
    True
    """
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size: int) -> MemoryPointer:
    """Memory from the driver's own pool, in the order of the current stream.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.malloc_async(64).ptr != 0
    True
    """
    return MemoryPointer(MemoryAsync(size), 0)


class MemoryPool:
    """A pool of device memory that keeps freed blocks for later; it has a part for each device.

    Figures and limits are those of the current device.

    Parameters
    ----------
    allocator : callable, optional
        `malloc_managed` for managed memory.

    Examples
    --------
    >>> from heddle import cuda
    >>> pool = cuda.MemoryPool()
    >>> with cuda.using_allocator(pool.malloc):
    ...     memory = cuda.alloc(1000)
    >>> pool.used_bytes() >= 1000
    True
    """

    def __init__(self, allocator: object = None) -> None:
        if allocator not in (None, malloc_managed):
            raise TypeError("MemoryPool: the allocator must be None or malloc_managed")
        self._managed = allocator is malloc_managed
        self._parts: dict[int, Any] = {}
        self._mutex = threading.Lock()

    def _part(self) -> Any:
        """The pool of the current device."""
        device = get_device_id()
        with self._mutex:
            if device not in self._parts:
                self._parts[device] = self._make(device)
            return self._parts[device]

    def _make(self, device: int) -> Any:
        return _cuda.DevicePool(device, self._managed)

    def malloc(self, size: int) -> MemoryPointer:
        """A block of at least this many bytes."""
        return MemoryPointer(PooledMemory(self._part(), size, get_device_id()), 0)

    def free_all_blocks(self, stream: BaseStream | None = None) -> None:
        """Gives cached blocks back to the device, of all streams."""
        for part in list(self._parts.values()):
            part.free_all_blocks()

    free_all_free = free_all_blocks

    def n_free_blocks(self) -> int:
        """The number of cached blocks."""
        return int(self._part().n_free_blocks())

    def used_bytes(self) -> int:
        """Bytes in blocks that are in use."""
        return int(self._part().used_bytes())

    def free_bytes(self) -> int:
        """Bytes in cached blocks."""
        return int(self._part().free_bytes())

    def total_bytes(self) -> int:
        """Bytes in all blocks."""
        return int(self._part().total_bytes())

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limits the bytes of the pool, or their part of the device's memory; 0 for no limit."""
        total = 0 if fraction is None else _cuda.total_memory(get_device_id())
        self._part().set_limit(limit_in_bytes(size, fraction, total))

    def get_limit(self) -> int:
        """The limit in bytes; 0 for none."""
        return int(self._part().get_limit())


class MemoryAsyncPool:
    """The driver's own pools, one for each device, used in the order of streams.

    Figures and limits are those of the current device. Without a GPU, memory is the host's, without
    figures.

    Parameters
    ----------
    pool_handles : {'current', 'default'} or int
        The pool that the device uses now, its default one, or a handle of the driver's.

    Examples
    --------
    >>> from heddle import cuda
    >>> memory = cuda.MemoryAsyncPool().malloc(64)
    >>> memory.ptr != 0
    True
    """

    memoryAsyncHasStat = True

    def __init__(self, pool_handles: str | int = "current") -> None:
        if isinstance(pool_handles, str) and pool_handles not in ("current", "default"):
            raise ValueError(f"pool_handles is 'current', 'default' or a handle: {pool_handles!r}")
        self._which = pool_handles

    def _pool(self) -> Any:
        checked = _checked()

        if isinstance(self._which, int):
            return checked.CUmemoryPool(self._which)
        device = get_device_id()
        if self._which == "current":
            return checked.cuDeviceGetMemPool(device)
        return checked.cuDeviceGetDefaultMemPool(device)

    def _figure(self, name: str) -> int:
        checked = _checked()

        attribute = checked.CUmemPool_attribute[f"CU_MEMPOOL_ATTR_{name}"]
        return int(checked.cuMemPoolGetAttribute(self._pool(), attribute))

    def malloc(self, size: int) -> MemoryPointer:
        """Memory in the order of the current stream."""
        return MemoryPointer(_FromPool(size, self), 0)

    def free_all_blocks(self, stream: BaseStream | None = None) -> None:
        """Gives memory that nobody uses back to the device."""
        checked = _checked()

        current_core_stream(stream).synchronize()
        checked.cuMemPoolTrimTo(self._pool(), 0)

    def n_free_blocks(self) -> int:
        """The driver does not tell."""
        raise NotImplementedError("the driver does not tell how many blocks its pools have")

    def used_bytes(self) -> int:
        """Bytes that are in use."""
        return self._figure("USED_MEM_CURRENT")

    def free_bytes(self) -> int:
        """Bytes that are kept for later."""
        return self.total_bytes() - self.used_bytes()

    def total_bytes(self) -> int:
        """Bytes that the pool has."""
        return self._figure("RESERVED_MEM_CURRENT")

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """How many bytes are kept when nobody uses them."""
        checked = _checked()

        total = 0 if fraction is None else _cuda.total_memory(get_device_id())
        limit = limit_in_bytes(size, fraction, total)
        attribute = checked.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        checked.cuMemPoolSetAttribute(self._pool(), attribute, limit)

    def get_limit(self) -> int:
        """How many bytes are kept when nobody uses them."""
        return self._figure("RELEASE_THRESHOLD")


class _FromPool(MemoryAsync):
    """Memory of one of the driver's pools."""

    def __init__(self, size: int, pool: MemoryAsyncPool) -> None:
        super().__init__(0)
        self.size = size
        if size and not _core.cuda.is_available():
            self.ptr = _cuda.malloc_async(self._stream, size)
        elif size:
            checked = _checked()

            with Device(self.device_id):
                handle = self._stream.ptr
                self.ptr = int(checked.cuMemAllocFromPoolAsync(size, pool._pool(), handle))


class _DefaultPool(MemoryPool):
    """The pool that arrays come from."""

    def _make(self, device: int) -> Any:
        return _cuda.default_pool(device)


default_pool = _DefaultPool()


# --- allocators ---


def _malloc(size: int) -> MemoryPointer:
    return MemoryPointer(Memory(size), 0)


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.allocators: list[Allocator] = []  # of using_allocator, the innermost last


_scopes = _Scopes()
_allocator: Allocator = default_pool.malloc
_users = 0  # of using_allocator, in all threads
_mutex = threading.Lock()


def get_allocator() -> Allocator:
    """What allocates memory of arrays in this thread.

    Examples
    --------
    >>> from heddle import cuda
    >>> callable(cuda.get_allocator())
    True
    """
    return _scopes.allocators[-1] if _scopes.allocators else _allocator


def alloc(size: int) -> MemoryPointer:
    """Memory from the current allocator.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.alloc(64).ptr != 0
    True
    """
    return get_allocator()(size)


def _allocate_for_array(device: int, size: int) -> MemoryPointer | None:
    """Memory for an array; None for the default pool's."""
    allocator = get_allocator()
    if allocator == default_pool.malloc or size == 0:
        return None
    with Device(device):
        return allocator(size)


def _install() -> None:
    """Has the core ask for memory here, if there is anything to ask."""
    custom = _users > 0 or _allocator != default_pool.malloc
    _cuda.set_allocator(_allocate_for_array if custom else None)


def set_allocator(allocator: Allocator | None = None) -> None:
    """Sets what allocates memory of arrays: a function of bytes that gives a `MemoryPointer`.

    None takes every array's memory straight from CUDA.

    Examples
    --------
    >>> from heddle import cuda
    >>> before = cuda.get_allocator()
    >>> pool = cuda.MemoryPool()
    >>> cuda.set_allocator(pool.malloc)
    >>> cuda.set_allocator(before)
    """
    global _allocator
    if _scopes.allocators:
        raise ValueError("set_allocator cannot be called inside of a using_allocator block")
    with _mutex:
        _allocator = _malloc if allocator is None else allocator
        _install()


@contextlib.contextmanager
def using_allocator(allocator: Allocator | None = None) -> Iterator[None]:
    """`set_allocator` for this thread and the length of a ``with`` block.

    Examples
    --------
    >>> from heddle import cuda
    >>> pool = cuda.MemoryPool()
    >>> with cuda.using_allocator(pool.malloc):
    ...     print(cuda.get_allocator() == pool.malloc)
    True
    """
    global _users
    _cuda.run_pending_work()
    _scopes.allocators.append(_malloc if allocator is None else allocator)
    with _mutex:
        _users += 1
        _install()
    try:
        yield
    finally:
        _cuda.run_pending_work()
        _scopes.allocators.pop()
        with _mutex:
            _users -= 1
            _install()


class _FunctionMemory(BaseMemory):
    """Memory of a pair of functions."""

    def __init__(self, size: int, ptr: int, free: Callable[[int], object]) -> None:
        self.size, self.ptr, self.device_id, self._free = size, ptr, get_device_id(), free

    def __del__(self) -> None:
        self._free(self.ptr)


class PythonFunctionAllocator:
    """An allocator of two functions: ``malloc(size, device_id)`` gives an address,
    ``free(address, device_id)`` takes it back.

    Examples
    --------
    >>> from heddle import cuda
    >>> from heddle.cuda import runtime
    >>> allocator = cuda.PythonFunctionAllocator(
    ...     lambda size, device: runtime.malloc(size), lambda address, device: runtime.free(address)
    ... )
    >>> allocator.malloc(64).ptr != 0
    True
    """

    def __init__(
        self, malloc_func: Callable[[int, int], int], free_func: Callable[..., object]
    ) -> None:
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size: int) -> MemoryPointer:
        """Memory from the first function."""
        device = get_device_id()
        ptr = self._malloc(size, device)
        memory = _FunctionMemory(size, ptr, lambda address: self._free(address, device))
        return MemoryPointer(memory, 0)


class CFunctionAllocator:
    """An allocator of two C functions, given by their addresses, with a first parameter of theirs:
    ``void* malloc(void* param, size_t size, int device_id)`` and
    ``void free(void* param, void* address, int device_id)``.

    Examples
    --------
    >>> from heddle import cuda
    >>> allocator = cuda.CFunctionAllocator(0, 0, 0, None)  # addresses that a library gives
    >>> callable(allocator.malloc)
    True
    """

    def __init__(self, param: int, malloc_func: int, free_func: int, owner: object) -> None:
        import ctypes

        pointer, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        self._param, self._owner = param, owner
        self._malloc = ctypes.CFUNCTYPE(pointer, pointer, size, number)(malloc_func)
        self._free = ctypes.CFUNCTYPE(None, pointer, pointer, number)(free_func)

    def malloc(self, size: int) -> MemoryPointer:
        """Memory from the first function."""
        device = get_device_id()
        ptr = self._malloc(self._param, size, device) or 0
        if size and not ptr:
            raise MemoryError(f"the allocator gave no memory for {size} bytes")

        def free(address: int) -> None:
            self._free(self._param, address, device)

        return MemoryPointer(_FunctionMemory(size, ptr, free), 0)
