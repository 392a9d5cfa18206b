"""GPUs."""

from __future__ import annotations

import threading
from typing import Any

from heddle import _core
from heddle.cuda import _driver
from heddle.cuda._attributes import NUMBERS

_cuda: Any = _driver

_PREFIX = "cuda:"


class _State(threading.local):
    device = 0  # the one last used by this thread


_state = _State()


def get_device_id() -> int:
    """The number of the current device: of the one where arrays are made, if that is a GPU.

    Examples
    --------
    >>> from heddle import cuda
    >>> with cuda.Device(0):
    ...     print(cuda.get_device_id())
    0
    """
    name = _core.default_device()
    return int(name[len(_PREFIX) :]) if name.startswith(_PREFIX) else _state.device


class Device:
    """A GPU. In a ``with`` block, arrays are made there.

    Without a GPU the CPU is device 0, so that programs run as they are.

    Parameters
    ----------
    device : int or Device, optional
        Its number; the current one by default.

    Examples
    --------
    >>> import heddle as np
    >>> with np.cuda.Device(0):
    ...     x = np.arange(3)
    >>> int(x.sum())
    3
    """

    def __init__(self, device: int | Device | None = None) -> None:
        self.id = get_device_id() if device is None else int(device)
        _cuda.device_name(self.id)  # raises where there is none
        self._before: list[int] = []

    def __int__(self) -> int:
        return self.id

    __index__ = __int__

    def __enter__(self) -> Device:
        self._before.append(get_device_id())
        _core.push_device(self._name)
        self._enter()
        return self

    def __exit__(self, *error: object) -> None:
        _core.pop_device()
        Device(self._before.pop())._enter()

    def use(self) -> None:
        """Makes it the current device of this thread."""
        _core.set_scoped_device(self._name)
        self._enter()

    def _enter(self) -> None:
        _state.device = self.id
        _cuda.set_current_context(self.id)

    @property
    def _name(self) -> str:
        return f"{_PREFIX}{self.id}" if _cuda.is_available() else "cpu"

    def synchronize(self) -> None:
        """Waits for all work on it, what is deferred included."""
        _core.check_may_look()
        _cuda.run_pending_work()
        _cuda.synchronize_device(self.id)

    @property
    def name(self) -> str:
        """What NVIDIA calls it."""
        return str(_cuda.device_name(self.id))

    @property
    def compute_capability(self) -> str:
        """As "90" for 9.0."""
        major, minor = _cuda.compute_capability(self.id)
        return f"{major}{minor}"

    @property
    def mem_info(self) -> tuple[int, int]:
        """Bytes of its memory: free, and in all."""
        free, total = _cuda.mem_info(self.id)
        return int(free), int(total)

    @property
    def attributes(self) -> dict[str, int]:
        """What CUDA says of the device, as "MaxThreadsPerBlock"."""
        known = {name: _cuda.attribute(self.id, number) for name, number in NUMBERS.items()}
        return {name: value for name, value in known.items() if value is not None}

    @property
    def pci_bus_id(self) -> str:
        """Where it is on the PCI bus, as "0000:01:00.0"."""
        return str(_cuda.pci_bus_id(self.id))

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id: str) -> Device:
        """The device at a place on the PCI bus."""
        return cls(_cuda.device_by_pci_bus_id(pci_bus_id))

    @property
    def cublas_handle(self) -> int:
        """cuBLAS's handle for the current stream."""
        return int(_cuda.cublas_handle(_cuda.current_stream(self.id)))

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash((Device, self.id))

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"


def get_cublas_handle() -> int:
    """cuBLAS's handle for the current device and stream.

    Examples
    --------
    >>> from heddle import cuda
    >>> cuda.get_cublas_handle() != 0
    True
    """
    return Device().cublas_handle
