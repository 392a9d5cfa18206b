"""Which devices may use the memory of a pool."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, MutableSet
from typing import TYPE_CHECKING, Any, cast

from heddle import _core
from heddle.cuda.bindings import checked, driver

if TYPE_CHECKING:
    from heddle.cuda.core._device import Device
    from heddle.cuda.core._memory import DeviceMemoryResource


def normalize_peer_access_targets(
    device_id: int, devices: Iterable[Device | int] | Device | int
) -> tuple[int, ...]:
    """The numbers of devices, in order, each once, without the one that owns the memory.

    >>> from heddle.cuda import core
    >>> core.normalize_peer_access_targets(0, [2, 1, 0])
    (1, 2)
    """
    one = isinstance(devices, int) or hasattr(devices, "device_id")
    given = cast("Iterable[Any]", [devices] if one else devices)
    numbers = {int(getattr(d, "device_id", d)) for d in given}
    return tuple(sorted(numbers - {device_id}))


@dataclasses.dataclass(frozen=True)
class PeerAccessPlan:
    """What has to change so that certain devices, and no others, may use a pool.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> core.plan_peer_access_update(0, current=[2], requested=[]).to_remove
    (2,)
    """

    target_ids: tuple[int, ...]
    to_add: tuple[int, ...]
    to_remove: tuple[int, ...]


def plan_peer_access_update(
    device_id: int, current: Iterable[int], requested: Iterable[Device | int] | Device | int
) -> PeerAccessPlan:
    """What has to change. Raises ValueError for a device that cannot use the memory.

    >>> from heddle.cuda import core
    >>> core.plan_peer_access_update(0, current=[1, 2], requested=[1])
    PeerAccessPlan(target_ids=(1,), to_add=(), to_remove=(2,))
    """
    targets = normalize_peer_access_targets(device_id, requested)
    before = set(current)
    added = tuple(n for n in targets if n not in before)
    for number in added:
        if not _core.cuda.can_access_peer(number, device_id):
            raise ValueError(f"device {number} cannot use memory of device {device_id}")
    return PeerAccessPlan(targets, added, tuple(sorted(before - set(targets))))


class PeerAccessibleBySetProxy(MutableSet[Any]):
    """The devices that may use a pool's memory, as a set that can be changed."""

    def __init__(self, resource: DeviceMemoryResource) -> None:
        self._resource = resource

    def _numbers(self) -> list[int]:
        from heddle.cuda.core._memory import location_of

        own = self._resource.device_id
        allowed = []
        for number in range(_core.cuda.device_count()):
            if number == own:
                continue
            flags = checked.cuMemPoolGetAccess(self._resource.handle, location_of(number))
            if int(flags) == 3:
                allowed.append(number)
        return allowed

    def _replace(self, devices: Iterable[Device | int] | Device | int) -> None:
        plan = plan_peer_access_update(self._resource.device_id, self._numbers(), devices)
        flags = driver.CUmemAccess_flags
        self._set(plan.to_add, flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        self._set(plan.to_remove, flags.CU_MEM_ACCESS_FLAGS_PROT_NONE)

    def _set(self, numbers: Iterable[int], flags: object) -> None:
        from heddle.cuda.core._memory import location_of

        made = []
        for number in numbers:
            one = driver.CUmemAccessDesc()
            one.location, one.flags = location_of(number), flags
            made.append(one)
        if made:
            checked.cuMemPoolSetAccess(self._resource.handle, made, len(made))

    def __contains__(self, device: object) -> bool:
        return int(getattr(device, "device_id", device)) in self._numbers()  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[Any]:
        from heddle.cuda.core._device import Device

        return iter([Device(number) for number in self._numbers()])

    def __len__(self) -> int:
        return len(self._numbers())

    def add(self, value: Device | int) -> None:
        """Let a device use the memory."""
        self._replace([*self._numbers(), value])

    def discard(self, value: Device | int) -> None:
        """End that."""
        number = int(getattr(value, "device_id", value))
        self._replace([n for n in self._numbers() if n != number])

    def clear(self) -> None:
        """Let no other device use the memory."""
        self._replace([])

    def update(self, *others: Iterable[Any]) -> None:
        """Let more devices use the memory."""
        self._replace([*self._numbers(), *(d for other in others for d in other)])

    def difference_update(self, *others: Iterable[Any]) -> None:
        """Let fewer devices use the memory."""
        gone = {int(getattr(d, "device_id", d)) for other in others for d in other}
        self._replace([n for n in self._numbers() if n not in gone])

    def intersection_update(self, *others: Iterable[Any]) -> None:
        """Let those alone use the memory that are in all of the others, too."""
        kept = set(self._numbers())
        for other in others:
            kept &= {int(getattr(d, "device_id", d)) for d in other}
        self._replace(kept)

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        """Let those use the memory that are in one of both."""
        given = {int(getattr(d, "device_id", d)) for d in other}
        self._replace(set(self._numbers()) ^ given)

    def __repr__(self) -> str:
        return f"PeerAccessibleBySetProxy({self._numbers()})"


def replace_peer_accessible_by(
    resource: DeviceMemoryResource, devices: Iterable[Device | int]
) -> None:
    """Let certain devices, and no others, use a pool's memory."""
    resource.peer_accessible_by = devices
