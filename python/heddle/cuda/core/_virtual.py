"""Memory that is mapped to addresses that were reserved before, so that it can grow."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from heddle import _core
from heddle.cuda.bindings import checked, driver
from heddle.cuda.core._memory import Buffer, MemoryResource, location_of
from heddle.cuda.core._stream import handle_of

if TYPE_CHECKING:
    from heddle.cuda.core._device import Device


@dataclasses.dataclass
class VirtualMemoryResourceOptions:
    """How memory is mapped; words are those of `heddle.cuda.core.typing`."""

    allocation_type: str = "pinned"
    location_type: str = "device"
    handle_type: str | None = None
    granularity: str = "recommended"
    gpu_direct_rdma: bool = False
    addr_hint: int | None = None
    addr_align: int | None = None
    peers: Sequence[int] = ()
    self_access: str | None = "rw"
    peer_access: str | None = "rw"


_ACCESS = {None: 0, "r": 1, "rw": 3}
_HANDLES = {None: 0, "posix_fd": 1, "win32_kmt": 4, "fabric": 8}


class VirtualMemoryResource(MemoryResource):
    """Memory of a device that is mapped piece by piece, and can grow where it is.

    Parameters
    ----------
    device_id : int or Device
    config : VirtualMemoryResourceOptions, optional

    Examples
    --------
    >>> from heddle.cuda import core
    >>> device = core.Device(0)
    >>> device.set_current()
    >>> core.VirtualMemoryResource(device).allocate(100).size >= 100
    True
    """

    def __init__(
        self, device_id: Device | int, config: VirtualMemoryResourceOptions | None = None
    ) -> None:
        self._device = int(getattr(device_id, "device_id", device_id))
        self._config = config or VirtualMemoryResourceOptions()
        if self._config.allocation_type != "pinned" or self._config.location_type != "device":
            raise NotImplementedError("memory that is mapped is a device's own")
        if not _core.cuda.is_available():
            _core.cuda.driver_version()  # raises, and says why
        # Pieces by the address of the first: sizes in the order in which they are mapped.
        self._pieces: dict[int, list[int]] = {}

    def _described(self) -> Any:
        made = driver.CUmemAllocationProp()
        made.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        made.requestedHandleTypes = _HANDLES[self._config.handle_type]
        made.location = location_of(self._device)
        made.allocFlags.gpuDirectRDMACapable = int(self._config.gpu_direct_rdma)
        return made

    def _rounded(self, size: int) -> int:
        flags = driver.CUmemAllocationGranularity_flags
        name = f"CU_MEM_ALLOC_GRANULARITY_{self._config.granularity.upper()}"
        unit = checked.cuMemGetAllocationGranularity(self._described(), flags[name])
        return int(-(-size // unit) * unit)

    def _map(self, where: int, size: int) -> None:
        handle = checked.cuMemCreate(size, self._described(), 0)
        try:
            checked.cuMemMap(where, size, 0, handle, 0)
        finally:
            checked.cuMemRelease(handle)  # the mapping keeps it
        allowed = []
        access = [(self._device, self._config.self_access)]
        access += [(int(peer), self._config.peer_access) for peer in self._config.peers]
        for device, kind in access:
            one = driver.CUmemAccessDesc()
            one.location, one.flags = location_of(device), _ACCESS[kind]
            allowed.append(one)
        checked.cuMemSetAccess(where, size, allowed, len(allowed))

    def _reserve(self, size: int, hint: int) -> int:
        return int(checked.cuMemAddressReserve(size, self._config.addr_align or 0, hint, 0))

    def allocate(self, size: int, *, stream: object = None) -> Buffer:
        """A buffer of at least so many bytes: whole pieces."""
        rounded = self._rounded(max(1, size))
        where = self._reserve(rounded, self._config.addr_hint or 0)
        try:
            self._map(where, rounded)
        except Exception:
            driver.cuMemAddressFree(where, rounded)
            raise
        self._pieces[where] = [rounded]
        return Buffer._of(where, rounded, self, None, stream)

    def modify_allocation(
        self, buf: Buffer, new_size: int, config: VirtualMemoryResourceOptions | None = None
    ) -> Buffer:
        """Let a buffer grow; its address stays, or it is an error."""
        if config is not None:
            self._config = config
        where, rounded = int(buf.handle), self._rounded(new_size)
        if rounded <= buf.size:
            return buf
        more = rounded - buf.size
        found = self._reserve(more, where + buf.size)
        if found != where + buf.size:
            driver.cuMemAddressFree(found, more)
            raise MemoryError("the addresses behind the buffer are used by others")
        self._map(found, more)
        self._pieces[where].append(more)
        buf._size = rounded
        return buf

    def deallocate(self, ptr: Any, size: int, *, stream: object = None) -> None:
        """Take memory back, when the work of the stream is done."""
        _core.cuda.run_pending_work()
        if stream is not None:
            checked.cuStreamSynchronize(handle_of(stream))
        where = int(ptr)
        for piece in self._pieces.pop(where, [size]):
            checked.cuMemUnmap(where, piece)
            checked.cuMemAddressFree(where, piece)
            where += piece

    @property
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        return False

    @property
    def device_id(self) -> int:
        """The number of its device."""
        return self._device
