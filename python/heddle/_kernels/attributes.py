"""What the driver knows of a kernel, as attributes of `RawKernel` and of cuda.core's kernels."""

from __future__ import annotations


def attribute(name: str, doc: str) -> property:
    """An attribute that is asked for by its name."""
    return property(lambda self: self._attribute(name), doc=doc)


def _settable(name: str, doc: str) -> property:
    def set_it(self: KernelFacts, value: int) -> None:
        self._set_attribute(name, value)

    return property(lambda self: self._attribute(name), set_it, doc=doc)


class KernelFacts:
    """The attributes; a class says how one is asked for and set."""

    def _attribute(self, name: str) -> int:
        raise NotImplementedError

    def _set_attribute(self, name: str, value: int) -> None:
        raise NotImplementedError

    max_threads_per_block = attribute("max_threads_per_block", "The most threads of a block.")
    shared_size_bytes = attribute("shared_size_bytes", "Shared memory of a size in the code.")
    const_size_bytes = attribute("const_size_bytes", "Constant memory that the code has.")
    local_size_bytes = attribute("local_size_bytes", "Local memory of each thread.")
    num_regs = attribute("num_regs", "Registers of each thread.")
    ptx_version = attribute("ptx_version", "The version of PTX it was compiled for.")
    binary_version = attribute("binary_version", "The kind of GPU it was compiled for.")
    cache_mode_ca = attribute("cache_mode_ca", "Whether loads are cached in L1.")
    max_dynamic_shared_size_bytes = _settable(
        "max_dynamic_shared_size_bytes", "The most dynamic shared memory of a launch; may be set."
    )
    preferred_shared_memory_carveout = _settable(
        "preferred_shared_memory_carveout", "How much of L1 is shared memory; may be set."
    )
