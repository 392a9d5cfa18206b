"""Page-locked memory of the host: plain, and pooled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from heddle._names.public import publish
from heddle.cuda import _driver

_cuda: Any = _driver


class PinnedMemoryPointer(_cuda.PinnedBlock):  # type: ignore[misc]
    """Page-locked memory of the host; a buffer, as `numpy.frombuffer` takes it."""

    def __init__(self, pool: object, size: int) -> None:
        super().__init__(pool, size)
        self._size = size

    @property
    def mem(self) -> PinnedMemoryPointer:
        """The memory it points to the beginning of."""
        return self

    def size(self) -> int:
        """Its bytes."""
        return self._size

    def __int__(self) -> int:
        return int(self.ptr)


class PinnedMemory:
    """Page-locked memory straight from CUDA, freed with the object.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.PinnedMemory(64).size
    64
    """

    def __init__(self, size: int, flags: int = 0) -> None:
        self.size, self.ptr, self._free = size, 0, _cuda.free_host
        if size:
            self.ptr = _cuda.host_alloc(size, flags)

    def __int__(self) -> int:
        return self.ptr

    def __del__(self) -> None:
        if self.ptr:
            self._free(self.ptr)


class PinnedMemoryPool:
    """A pool of page-locked memory.

    Examples
    --------
    >>> from heddle import cuda
    >>> pool = cuda.PinnedMemoryPool()
    >>> memory = pool.malloc(64)
    """

    @functools.cached_property
    def _pool(self) -> Any:
        return _cuda.PinnedPool()

    def malloc(self, size: int) -> PinnedMemoryPointer:
        """A block of this many bytes."""
        return PinnedMemoryPointer(self._pool, size)

    def free_all_blocks(self) -> None:
        """Gives cached blocks back."""
        self._pool.free_all_blocks()

    def n_free_blocks(self) -> int:
        """The number of cached blocks."""
        return int(self._pool.n_free_blocks())


class _DefaultPinnedPool(PinnedMemoryPool):
    @functools.cached_property
    def _pool(self) -> Any:
        return _cuda.pinned_pool()


default_pinned_pool = _DefaultPinnedPool()
_pinned_allocator: Callable[[int], Any] = default_pinned_pool.malloc


def alloc_pinned_memory(size: int) -> Any:
    """Page-locked memory of the host, which GPUs copy from and to without waiting.

    Examples
    --------
    >>> import numpy
    >>> from heddle import cuda
    >>> memory = cuda.alloc_pinned_memory(8 * 4)
    >>> host = numpy.frombuffer(memory, numpy.float64, 4)
    >>> host[:] = 1
    >>> float(host.sum())
    4.0
    """
    return _pinned_allocator(size)


def set_pinned_memory_allocator(allocator: Callable[[int], Any] | None = None) -> None:
    """Sets what `alloc_pinned_memory` calls; without an argument, the pool.

    Examples
    --------
    >>> from heddle import cuda
    >>> pool = cuda.PinnedMemoryPool()
    >>> cuda.set_pinned_memory_allocator(pool.malloc)
    >>> cuda.set_pinned_memory_allocator()
    """
    global _pinned_allocator
    _pinned_allocator = default_pinned_pool.malloc if allocator is None else allocator


publish(
    "heddle.cuda.memory",
    *(PinnedMemoryPointer, PinnedMemory, PinnedMemoryPool),
    *(alloc_pinned_memory, set_pinned_memory_allocator),
)
