"""Facts of devices and kernels: attributes of the driver's, by cuda.core's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from heddle._kernels.attributes import KernelFacts, attribute
from heddle.cuda.bindings import checked

if TYPE_CHECKING:
    from heddle.cuda.core._device import Device
    from heddle.cuda.core._launch import LaunchConfig
    from heddle.cuda.core._stream import Stream


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


def _number(name: str) -> Any:
    return checked.CUfunction_attribute[f"CU_FUNC_ATTRIBUTE_{name.upper()}"]


class KernelAttributes(KernelFacts):
    """What the driver says of a kernel on the current device, or on another: ``attributes[1]``."""

    def __init__(self, kernel: object, device: int | None = None) -> None:
        self._kernel, self._device = kernel, device

    def __getitem__(self, device: Device | int) -> KernelAttributes:
        return KernelAttributes(self._kernel, int(getattr(device, "device_id", device)))

    def _place(self) -> int:
        from heddle.cuda.device import get_device_id

        return get_device_id() if self._device is None else self._device

    def _attribute(self, name: str) -> int:
        return int(checked.cuKernelGetAttribute(_number(name), self._kernel, self._place()))

    def _set_attribute(self, name: str, value: int) -> None:
        checked.cuKernelSetAttribute(_number(name), value, self._kernel, self._place())

    cluster_size_must_be_set = attribute(
        "cluster_size_must_be_set", "Whether launches have to say the size of clusters."
    )
    required_cluster_width = attribute("required_cluster_width", "Blocks of a cluster along x.")
    required_cluster_height = attribute("required_cluster_height", "Blocks of a cluster along y.")
    required_cluster_depth = attribute("required_cluster_depth", "Blocks of a cluster along z.")
    non_portable_cluster_size_allowed = attribute(
        "non_portable_cluster_size_allowed", "Whether clusters may be larger than all GPUs have."
    )
    cluster_scheduling_policy_preference = attribute(
        "cluster_scheduling_policy_preference", "How blocks of a cluster are spread."
    )


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

    def max_potential_cluster_size(self, config: LaunchConfig, stream: Stream) -> int:
        """The most blocks of a cluster that can run."""
        described, kept = config._described(stream.handle)
        found = checked.cuOccupancyMaxPotentialClusterSize(self._kernel, described)
        del kept
        return int(found)

    def max_active_clusters(self, config: LaunchConfig, stream: Stream) -> int:
        """The clusters that can run at the same time."""
        described, kept = config._described(stream.handle)
        found = checked.cuOccupancyMaxActiveClusters(self._kernel, described)
        del kept
        return int(found)
