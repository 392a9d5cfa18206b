"""Facts of devices and kernels: attributes of the driver's, by cuda.core's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heddle.cuda.bindings import checked


class DeviceProperties:
    """What the driver says of a device: `max_threads_per_block`, `warp_size` and all others."""

    def __init__(self, device: int) -> None:
        self._device = device
        self._known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._known:
            enumeration = checked.CUdevice_attribute
            member = f"CU_DEVICE_ATTRIBUTE_{name.upper()}"
            if member not in enumeration.__members__:
                raise AttributeError(f"DeviceProperties has no {name!r}")
            value = checked.cuDeviceGetAttribute(enumeration[member], self._device)
            is_fact = name.endswith(("_supported", "_enabled")) or name in _FACTS
            self._known[name] = bool(value) if is_fact else value
        return self._known[name]

    def __dir__(self) -> list[str]:
        prefix = "CU_DEVICE_ATTRIBUTE_"
        return [n.removeprefix(prefix).lower() for n in checked.CUdevice_attribute.__members__]


_FACTS = {
    "gpu_overlap",
    "kernel_exec_timeout",
    "integrated",
    "can_map_host_memory",
    "concurrent_kernels",
    "tcc_driver",
    "unified_addressing",
    "managed_memory",
    "multi_gpu_board",
    "pageable_memory_access",
    "concurrent_managed_access",
    "can_use_host_pointer_for_registered_mem",
    "cooperative_launch",
    "pageable_memory_access_uses_host_page_tables",
    "direct_managed_mem_access_from_host",
    "can_tex2d_gather",
    "can_flush_remote_writes",
    "cluster_launch",
    "can_use_64_bit_stream_mem_ops",
    "can_use_stream_wait_value_nor",
    "unified_function_pointers",
}


def _attribute(name: str, doc: str) -> property:
    member = f"CU_FUNC_ATTRIBUTE_{name.upper()}"
    return property(lambda self: self._get(checked.CUfunction_attribute[member]), doc=doc)


class KernelAttributes:
    """What the driver says of a kernel on the current device, or on another: ``attributes[1]``."""

    def __init__(self, kernel: object, device: int | None = None) -> None:
        self._kernel, self._device = kernel, device

    def __getitem__(self, device: Any) -> KernelAttributes:
        return KernelAttributes(self._kernel, int(getattr(device, "device_id", device)))

    def _get(self, attribute: object) -> int:
        from heddle.cuda.device import get_device_id

        device = get_device_id() if self._device is None else self._device
        return int(checked.cuKernelGetAttribute(attribute, self._kernel, device))

    def _set(self, attribute: object, value: int) -> None:
        from heddle.cuda.device import get_device_id

        device = get_device_id() if self._device is None else self._device
        checked.cuKernelSetAttribute(attribute, value, self._kernel, device)

    max_threads_per_block = _attribute("max_threads_per_block", "The most threads of a block.")
    shared_size_bytes = _attribute("shared_size_bytes", "Shared memory of a size in the code.")
    const_size_bytes = _attribute("const_size_bytes", "Constant memory that the code has.")
    local_size_bytes = _attribute("local_size_bytes", "Local memory of each thread.")
    num_regs = _attribute("num_regs", "Registers of each thread.")
    ptx_version = _attribute("ptx_version", "The version of PTX it was compiled for.")
    binary_version = _attribute("binary_version", "The kind of GPU it was compiled for.")
    cache_mode_ca = _attribute("cache_mode_ca", "Whether loads are cached in L1.")
    cluster_size_must_be_set = _attribute(
        "cluster_size_must_be_set", "Whether launches have to say the size of clusters."
    )
    required_cluster_width = _attribute("required_cluster_width", "Blocks of a cluster along x.")
    required_cluster_height = _attribute("required_cluster_height", "Blocks of a cluster along y.")
    required_cluster_depth = _attribute("required_cluster_depth", "Blocks of a cluster along z.")
    non_portable_cluster_size_allowed = _attribute(
        "non_portable_cluster_size_allowed", "Whether clusters may be larger than all GPUs have."
    )
    cluster_scheduling_policy_preference = _attribute(
        "cluster_scheduling_policy_preference", "How blocks of a cluster are spread."
    )

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """The most dynamic shared memory of a launch; may be set."""
        name = "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
        return self._get(checked.CUfunction_attribute[name])

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: int) -> None:
        name = "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
        self._set(checked.CUfunction_attribute[name], value)

    @property
    def preferred_shared_memory_carveout(self) -> int:
        """How much of L1 is shared memory; may be set."""
        name = "CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT"
        return self._get(checked.CUfunction_attribute[name])

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, value: int) -> None:
        name = "CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT"
        self._set(checked.CUfunction_attribute[name], value)


class KernelOccupancy:
    """How many blocks of a kernel fit on a GPU."""

    def __init__(self, kernel: object) -> None:
        self._kernel = kernel

    def max_active_blocks_per_multiprocessor(
        self, block_size: int, dynamic_shared_memory_size: int
    ) -> int:
        """Blocks of so many threads and so much shared memory on one multiprocessor."""
        found = checked.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            self._kernel, block_size, dynamic_shared_memory_size
        )
        return int(found)

    def max_potential_block_size(
        self,
        dynamic_shared_memory_needed: int | Callable[..., int] | Any,
        block_size_limit: int,
    ) -> tuple[int, int]:
        """The least grid and the block that fill the GPU.

        The shared memory is a number, or a function of C of the block's size.
        """
        function: Any = 0
        size: Any = dynamic_shared_memory_needed
        if not isinstance(size, int):
            function, size = size, 0
        found = checked.cuOccupancyMaxPotentialBlockSize(
            self._kernel, function, size, block_size_limit
        )
        return int(found[0]), int(found[1])

    def available_dynamic_shared_memory_per_block(
        self, num_blocks_per_multiprocessor: int, block_size: int
    ) -> int:
        """The shared memory that each of so many blocks can have."""
        found = checked.cuOccupancyAvailableDynamicSMemPerBlock(
            self._kernel, num_blocks_per_multiprocessor, block_size
        )
        return int(found)

    def max_potential_cluster_size(self, config: Any, stream: Any) -> int:
        """The most blocks of a cluster that can run."""
        described, kept = config._described(stream.handle)
        found = checked.cuOccupancyMaxPotentialClusterSize(self._kernel, described)
        del kept
        return int(found)

    def max_active_clusters(self, config: Any, stream: Any) -> int:
        """The clusters that can run at the same time."""
        described, kept = config._described(stream.handle)
        found = checked.cuOccupancyMaxActiveClusters(self._kernel, described)
        del kept
        return int(found)
