"""Being told what the memory pools of GPUs do."""

from __future__ import annotations

import threading
from typing import Self

from heddle._core import cuda as _cuda


class _State(threading.local):
    def __init__(self) -> None:
        self.hooks: dict[str, MemoryHook] = {}


_state = _State()
_entered = 0  # in all threads
_mutex = threading.Lock()


def _call_hooks(what: str, device_id: int, size: int, mem_size: int, mem_ptr: int) -> None:
    """Calls the hooks of this thread with CuPy's arguments."""
    for hook in list(_state.hooks.values()):
        method = getattr(hook, what)
        match what:
            case "alloc_preprocess":
                method(device_id=device_id, mem_size=mem_size)
            case "alloc_postprocess":
                method(device_id=device_id, mem_size=mem_size, mem_ptr=mem_ptr)
            case "malloc_preprocess":
                method(device_id=device_id, size=size, mem_size=mem_size)
            case "malloc_postprocess":
                method(
                    device_id=device_id,
                    size=size,
                    mem_size=mem_size,
                    mem_ptr=mem_ptr,
                    pmem_id=mem_ptr,
                )
            case _:
                method(device_id=device_id, mem_size=mem_size, mem_ptr=mem_ptr, pmem_id=mem_ptr)


class MemoryHook:
    """Base class of memory hooks: its methods are called in a ``with`` block of this thread.

    ``malloc_*`` is about blocks that pools hand out, ``alloc_*`` about memory that they get from
    the device for it, ``free_*`` about blocks that go back to a pool.

    Examples
    --------
    >>> from heddle import cuda
    >>> class Counting(cuda.MemoryHook):
    ...     name, bytes = "Counting", 0
    ...     def malloc_postprocess(self, **facts):
    ...         self.bytes += facts["size"]
    >>> with Counting() as hook:
    ...     memory = cuda.alloc(100)
    >>> hook.bytes >= 100
    True
    """

    name = "MemoryHook"

    def __enter__(self) -> Self:
        global _entered
        if self.name in _state.hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        _state.hooks[self.name] = self
        with _mutex:
            _entered += 1
            _cuda.set_observer(_call_hooks)
        return self

    def __exit__(self, *error: object) -> None:
        global _entered
        del _state.hooks[self.name]
        with _mutex:
            _entered -= 1
            if _entered == 0:
                _cuda.set_observer(None)

    def alloc_preprocess(self, **kwargs: object) -> None:
        """Before memory is asked of the device: `device_id`, `mem_size`."""

    def alloc_postprocess(self, **kwargs: object) -> None:
        """After it: `device_id`, `mem_size`, `mem_ptr`."""

    def malloc_preprocess(self, **kwargs: object) -> None:
        """Before a block is handed out: `device_id`, `size`, `mem_size`."""

    def malloc_postprocess(self, **kwargs: object) -> None:
        """After it: `device_id`, `size`, `mem_size`, `mem_ptr`, `pmem_id`."""

    def free_preprocess(self, **kwargs: object) -> None:
        """Before a block goes back: `device_id`, `mem_size`, `mem_ptr`, `pmem_id`."""

    def free_postprocess(self, **kwargs: object) -> None:
        """After it: `device_id`, `mem_size`, `mem_ptr`, `pmem_id`."""
