"""Memory that moves between host and device, and copies of several buffers at once."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Sequence
from typing import Any

from heddle import _core
from heddle.cuda.bindings import checked, driver
from heddle.cuda.core._device import Host, need_gpu
from heddle.cuda.core._memory import Buffer, _Pool, address, location_of
from heddle.cuda.core._stream import handle_of
from heddle.cuda.device import get_device_id

_ADVICE = driver.CUmem_advise
_RANGE = driver.CUmem_range_attribute
_INVALID_DEVICE = -2


class ManagedBuffer(Buffer):
    """A piece of managed memory."""

    def _advise(self, advice: object, place: object) -> None:
        checked.cuMemAdvise(self._address, self._size, advice, location_of(place))

    @property
    def read_mostly(self) -> bool:
        """Whether it is hardly ever written; may be set."""
        found = checked.cuMemRangeGetAttribute(
            4, _RANGE.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, self._address, self._size
        )
        return bool(found)

    @read_mostly.setter
    def read_mostly(self, value: bool) -> None:
        on, off = _ADVICE.CU_MEM_ADVISE_SET_READ_MOSTLY, _ADVICE.CU_MEM_ADVISE_UNSET_READ_MOSTLY
        self._advise(on if value else off, 0)

    @property
    def preferred_location(self) -> Any:
        """The device or `Host` where it is best; None for none. May be set."""
        found = checked.cuMemRangeGetAttribute(
            4, _RANGE.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, self._address, self._size
        )
        return _place(found)

    @preferred_location.setter
    def preferred_location(self, value: object) -> None:
        if value is None:
            self._advise(_ADVICE.CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0)
        else:
            self._advise(_ADVICE.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, value)

    @property
    def accessed_by(self) -> set[Any]:
        """The devices that use it, for whom it stays mapped; may be set."""
        count = 4 * (_core.cuda.device_count() + 1)
        found = checked.cuMemRangeGetAttribute(
            count, _RANGE.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, self._address, self._size
        )
        return {_place(n) for n in found if n != _INVALID_DEVICE}

    @accessed_by.setter
    def accessed_by(self, places: Iterable[Any]) -> None:
        wanted = {_number(p) for p in places}
        have = {_number(p) for p in self.accessed_by}
        for number in wanted - have:
            self._advise(_ADVICE.CU_MEM_ADVISE_SET_ACCESSED_BY, number)
        for number in have - wanted:
            self._advise(_ADVICE.CU_MEM_ADVISE_UNSET_ACCESSED_BY, number)

    def prefetch(self, location: object, *, stream: object) -> None:
        """Bring it to a device or the host, in the order of a stream."""
        prefetch_batch([self], location, stream=stream)

    def discard(self, *, stream: object) -> None:
        """Say that its contents are not needed any more."""
        discard_batch([self], stream=stream)

    def discard_prefetch(self, location: object, *, stream: object) -> None:
        """Bring it to a place without its contents."""
        discard_prefetch_batch([self], location, stream=stream)


def _place(number: int) -> Any:
    from heddle.cuda.core._device import Device

    if number == _INVALID_DEVICE:
        return None
    return Host() if number == -1 else Device(number)


def _number(place: Any) -> int:
    return -1 if isinstance(place, Host) else int(getattr(place, "device_id", place))


def _ranges(buffers: Sequence[Buffer]) -> tuple[list[int], list[int], int]:
    addresses = [int(b.handle) for b in buffers]
    return addresses, [b.size for b in buffers], len(buffers)


def _places(location: object, count: int) -> tuple[list[Any], list[int], int]:
    """Places, and for each the first buffer that goes there."""
    if isinstance(location, (list, tuple)):
        if len(location) != count:
            raise ValueError(f"{len(location)} places for {count} buffers")
        return [location_of(p) for p in location], list(range(count)), count
    return [location_of(location)], [0], 1


def prefetch_batch(buffers: Sequence[Buffer], location: object, *, stream: object) -> None:
    """Bring managed memory to a place, or each piece to its own, in the order of a stream."""
    addresses, sizes, count = _ranges(buffers)
    places, firsts, number = _places(location, count)
    checked.cuMemPrefetchBatchAsync(
        addresses, sizes, count, places, firsts, number, 0, handle_of(stream)
    )


def discard_batch(buffers: Sequence[Buffer], *, stream: object) -> None:
    """Say that the contents of managed memory are not needed any more."""
    checked.cuMemDiscardBatchAsync(*_ranges(buffers), 0, handle_of(stream))


def discard_prefetch_batch(buffers: Sequence[Buffer], location: object, *, stream: object) -> None:
    """Bring managed memory to places without its contents."""
    addresses, sizes, count = _ranges(buffers)
    places, firsts, number = _places(location, count)
    checked.cuMemDiscardAndPrefetchBatchAsync(
        addresses, sizes, count, places, firsts, number, 0, handle_of(stream)
    )


@dataclasses.dataclass
class ManagedMemoryResourceOptions:
    """Where managed memory is best: a number of a device or node, and which of both."""

    preferred_location: int | None = None
    preferred_location_type: str | None = None


class ManagedMemoryResource(_Pool):
    """Managed memory, from a pool of the driver's."""

    _buffer = ManagedBuffer

    def __init__(
        self, options: ManagedMemoryResourceOptions | dict[str, Any] | None = None
    ) -> None:
        need_gpu()
        given = ManagedMemoryResourceOptions(**options) if isinstance(options, dict) else options
        given = given or ManagedMemoryResourceOptions()
        kind, number = given.preferred_location_type, given.preferred_location
        if kind not in (None, "device", "host", "host_numa"):
            raise ValueError(f"unknown preferred_location_type {kind!r}")
        self._location: Any = None
        if kind == "host" or number == -1:
            self._location = Host()
        elif kind == "host_numa":
            self._location = Host(number or 0)
        elif number is not None:
            self._location = number
        where = driver.CUmemLocation() if self._location is None else location_of(self._location)
        self._create(where, driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_MANAGED, False, 0)

    @property
    def device_id(self) -> int:
        """The number of the device where it is best; -1 for none."""
        return self._location if isinstance(self._location, int) else -1

    def _on(self) -> int:
        return self._location if isinstance(self._location, int) else get_device_id()

    @property
    def preferred_location(self) -> tuple[str, int | None] | None:
        """Where it is best: a kind and a number; None for nowhere."""
        if self._location is None:
            return None
        if isinstance(self._location, int):
            return ("device", self._location)
        numa = self._location.numa_id
        return ("host", None) if numa is None else ("host_numa", numa)

    @property
    def is_device_accessible(self) -> bool:
        """Whether GPUs can use it."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host can use it."""
        return True

    @property
    def is_managed(self) -> bool:
        """Whether it moves between host and device."""
        return True


# --- copies of several buffers ---


class MemcpySrcAccessOrder(enum.IntEnum):
    """When the source of a copy is read."""

    STREAM = 1
    DURING_API_CALL = 2
    ANY = 3


class MemcpyOverlapMode(enum.IntEnum):
    """Whether a copy leaves multiprocessors to kernels."""

    DEFAULT = 0
    PREFER_OVERLAP_WITH_COMPUTE = 1


@dataclasses.dataclass
class CopyOptions:
    """How buffers are copied."""

    src_access_order: MemcpySrcAccessOrder = MemcpySrcAccessOrder.STREAM
    src_location_hint: Any = None
    dst_location_hint: Any = None
    overlap_mode: MemcpyOverlapMode = MemcpyOverlapMode.DEFAULT

    def _described(self) -> Any:
        made = driver.CUmemcpyAttributes()
        made.srcAccessOrder, made.flags = int(self.src_access_order), int(self.overlap_mode)
        if self.src_location_hint is not None:
            made.srcLocHint = location_of(self.src_location_hint)
        if self.dst_location_hint is not None:
            made.dstLocHint = location_of(self.dst_location_hint)
        return made


def copy_batch(
    dsts: Sequence[object],
    srcs: Sequence[Any],
    *,
    stream: object,
    sizes: Sequence[int] | None = None,
    options: CopyOptions | None = None,
) -> None:
    """Copy several buffers in one call, in the order of a stream that is no default stream."""
    if len(dsts) != len(srcs):
        raise ValueError(f"{len(srcs)} sources and {len(dsts)} destinations")
    if sizes is None:
        sizes = [src.size for src in srcs]
    _core.cuda.run_pending_work()
    described = [(options or CopyOptions())._described()]
    checked.cuMemcpyBatchAsync(
        [address(d) for d in dsts],
        [address(s) for s in srcs],
        list(sizes),
        len(dsts),
        described,
        [0],
        1,
        handle_of(stream),
    )
