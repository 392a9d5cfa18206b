"""What the system says of GPUs: versions, and figures of NVIDIA's management library (NVML)."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from heddle import _core
from heddle.cuda.bindings import checked
from heddle.cuda.core import _system_figures as figures

if TYPE_CHECKING:
    from heddle.cuda.core._device import Device as CudaDevice

__all__ = [
    "CUDA_BINDINGS_NVML_IS_COMPATIBLE",
    "Device",
    "get_driver_branch",
    "get_kernel_mode_driver_version",
    "get_num_devices",
    "get_nvml_version",
    "get_p2p_status",
    "get_process_name",
    "get_topology_common_ancestor",
    "get_user_mode_driver_version",
]

CUDA_BINDINGS_NVML_IS_COMPATIBLE = True


@functools.cache
def _library() -> ctypes.CDLL:
    opened = ctypes.CDLL(_core.cuda.library_path("NVML"))
    status = opened.nvmlInit_v2()
    if status:
        raise _error(opened, "nvmlInit", status)
    return opened


def _error(library: ctypes.CDLL, name: str, status: int) -> Exception:
    library.nvmlErrorString.restype = ctypes.c_char_p
    said = library.nvmlErrorString(status).decode()
    made = _core.cuda.CUDARuntimeError(f"{name}: {said}")
    made.status = status
    return made  # type: ignore[no-any-return]


def _call(name: str, *args: object) -> None:
    library = _library()
    status = getattr(library, name)(*args)
    if status:
        raise _error(library, name, status)


def _text(name: str, *args: object, size: int = 96) -> str:
    made = ctypes.create_string_buffer(size)
    _call(name, *args, made, ctypes.c_uint(size))
    return made.value.decode()


def _number(name: str, *args: object, kind: Any = ctypes.c_uint) -> int:
    made = kind()
    _call(name, *args, ctypes.byref(made))
    return int(made.value)


def get_user_mode_driver_version() -> tuple[int, int]:
    """The version of CUDA that the driver knows."""
    version = checked.cuDriverGetVersion()
    return version // 1000, version % 1000 // 10


def get_kernel_mode_driver_version() -> tuple[int, ...]:
    """The version of the driver in the kernel."""
    return tuple(int(part) for part in _text("nvmlSystemGetDriverVersion").split("."))


def get_nvml_version() -> tuple[int, ...]:
    """The version of NVML."""
    return tuple(int(part) for part in _text("nvmlSystemGetNVMLVersion").split("."))


def get_driver_branch() -> str:
    """The branch that the driver is of."""
    major = get_kernel_mode_driver_version()[0]
    return f"r{major // 5 * 5}_00"


def get_num_devices() -> int:
    """How many GPUs the system has."""
    return _number("nvmlDeviceGetCount_v2")


def get_process_name(pid: int) -> str:
    """The name of a process that uses a GPU."""
    return _text("nvmlSystemGetProcessName", ctypes.c_uint(pid), size=1024)


@dataclasses.dataclass(frozen=True)
class MemoryInfo:
    """Bytes of a GPU's memory."""

    total: int
    free: int
    used: int


@dataclasses.dataclass(frozen=True)
class Utilization:
    """Per cent of the time that kernels ran and that memory was used."""

    gpu: int
    memory: int


class Device:
    """A GPU, by its number, its name that no other has, or its place on the PCI bus."""

    def __init__(
        self, *, index: int | None = None, uuid: str | None = None, pci_bus_id: str | None = None
    ) -> None:
        handle = ctypes.c_void_p()
        where = ctypes.byref(handle)
        if uuid is not None:
            _call("nvmlDeviceGetHandleByUUID", uuid.encode(), where)
        elif pci_bus_id is not None:
            _call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.encode(), where)
        else:
            _call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index or 0), where)
        self._handle = handle

    @classmethod
    def get_device_count(cls) -> int:
        """How many GPUs the system has."""
        return get_num_devices()

    @classmethod
    def get_all_devices(cls) -> list[Device]:
        """All GPUs of the system."""
        return [cls(index=i) for i in range(get_num_devices())]

    @property
    def index(self) -> int:
        """Its number."""
        return _number("nvmlDeviceGetIndex", self._handle)

    @property
    def uuid(self) -> str:
        """The name that no other GPU has."""
        return _text("nvmlDeviceGetUUID", self._handle)

    @property
    def uuid_without_prefix(self) -> str:
        """The same, as CUDA has it."""
        return self.uuid.removeprefix("GPU-").removeprefix("MIG-")

    @property
    def pci_bus_id(self) -> str:
        """Where it is on the PCI bus."""
        for i in range(_core.cuda.device_count()):
            one = _core.cuda.pci_bus_id(i)
            if Device(pci_bus_id=one)._handle.value == self._handle.value:
                return str(one)
        raise RuntimeError("CUDA does not see this GPU")

    @property
    def name(self) -> str:
        """What NVIDIA calls it."""
        return _text("nvmlDeviceGetName", self._handle)

    @property
    def serial(self) -> str:
        """The number on the board."""
        return _text("nvmlDeviceGetSerial", self._handle)

    @property
    def minor_number(self) -> int:
        """The number of its file in /dev."""
        return _number("nvmlDeviceGetMinorNumber", self._handle)

    @property
    def is_persistence_mode_enabled(self) -> bool:
        """Whether the driver stays loaded while nobody uses it."""
        return bool(_number("nvmlDeviceGetPersistenceMode", self._handle))

    @property
    def is_display_active(self) -> bool:
        """Whether a display uses it."""
        return bool(_number("nvmlDeviceGetDisplayActive", self._handle))

    @property
    def cuda_compute_capability(self) -> tuple[int, int]:
        """As (9, 0)."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        where = ctypes.byref(major), ctypes.byref(minor)
        _call("nvmlDeviceGetCudaComputeCapability", self._handle, *where)
        return major.value, minor.value

    def to_cuda_device(self) -> CudaDevice:
        """What CUDA says of it."""
        from heddle.cuda.core._device import Device as CudaDevice

        for device in CudaDevice.get_all_devices():
            if device.uuid == self.uuid_without_prefix:
                return device
        raise RuntimeError("CUDA does not see this GPU")

    @property
    def memory_info(self) -> MemoryInfo:
        """Bytes of its memory."""
        made = (ctypes.c_ulonglong * 3)()
        _call("nvmlDeviceGetMemoryInfo", self._handle, ctypes.byref(made))
        return MemoryInfo(*made)

    @property
    def utilization(self) -> Utilization:
        """How much it is used."""
        made = (ctypes.c_uint * 2)()
        _call("nvmlDeviceGetUtilizationRates", self._handle, ctypes.byref(made))
        return Utilization(*made)

    @property
    def temperature(self) -> int:
        """Degrees Celsius of the chip."""
        return _number("nvmlDeviceGetTemperature", self._handle, ctypes.c_int(0))

    @property
    def num_fans(self) -> int:
        """How many fans it has."""
        return _number("nvmlDeviceGetNumFans", self._handle)

    @property
    def performance_state(self) -> int:
        """0 for the fastest."""
        return _number("nvmlDeviceGetPerformanceState", self._handle, kind=ctypes.c_int)

    @property
    def arch(self) -> str:
        """The name of its architecture, as HOPPER."""
        number = _number("nvmlDeviceGetArchitecture", self._handle)
        return figures.ARCHITECTURES.get(number, "UNKNOWN")

    @property
    def brand(self) -> str:
        """What it is sold as."""
        number = _number("nvmlDeviceGetBrand", self._handle, kind=ctypes.c_int)
        return figures.BRANDS.get(number, "UNKNOWN")

    @property
    def numa_node_id(self) -> int:
        """The number of its node of memory."""
        return _number("nvmlDeviceGetNumaNodeId", self._handle)

    @property
    def module_id(self) -> int:
        """Its number on the base board."""
        return _number("nvmlDeviceGetModuleId", self._handle)

    @property
    def is_c2c_enabled(self) -> bool:
        """Whether it is coupled to the CPU chip to chip."""
        return bool(_number("nvmlDeviceGetC2cModeInfoV", self._handle))

    @property
    def is_display_connected(self) -> bool:
        """Whether a display is connected."""
        return bool(_number("nvmlDeviceGetDisplayMode", self._handle, kind=ctypes.c_int))

    @property
    def is_auto_boosted_clocks_enabled(self) -> bool:
        """Whether clocks are raised by themselves."""
        now, usual = ctypes.c_int(), ctypes.c_int()
        where = ctypes.byref(now), ctypes.byref(usual)
        _call("nvmlDeviceGetAutoBoostedClocksEnabled", self._handle, *where)
        return bool(now.value)

    @property
    def pci_info(self) -> figures.PciInfo:
        """Where it is on the PCI bus."""
        return figures.pci_info(_call, self._handle)

    @property
    def bar1_memory_info(self) -> figures.BAR1MemoryInfo:
        """Bytes of the memory that the host sees."""
        made = (ctypes.c_ulonglong * 3)()
        _call("nvmlDeviceGetBAR1MemoryInfo", self._handle, ctypes.byref(made))
        return figures.BAR1MemoryInfo(*made)

    @property
    def compute_running_processes(self) -> list[figures.ProcessInfo]:
        """The processes that compute on it."""
        return figures.processes(_call, self._handle)

    @property
    def supported_pstates(self) -> list[int]:
        """The states of performance that it has; 0 is the fastest."""
        made = (ctypes.c_int * 16)(*[32] * 16)
        size = ctypes.c_uint(ctypes.sizeof(made))
        _call("nvmlDeviceGetSupportedPerformanceStates", self._handle, made, size)
        return [state for state in made if 0 <= state < 32]

    @property
    def current_clock_event_reasons(self) -> int:
        """Why clocks are not higher: bits, as NVML numbers them."""
        name = "nvmlDeviceGetCurrentClocksEventReasons"
        return _number(name, self._handle, kind=ctypes.c_ulonglong)

    @property
    def supported_clock_event_reasons(self) -> int:
        """The reasons that it can tell."""
        name = "nvmlDeviceGetSupportedClocksEventReasons"
        return _number(name, self._handle, kind=ctypes.c_ulonglong)

    def get_clock(self, clock_type: str = "graphics") -> int:
        """MHz of a clock now: "graphics", "sm", "memory" or "video"."""
        if clock_type not in figures.CLOCKS:
            raise ValueError(f"a clock is one of {', '.join(figures.CLOCKS)}, not {clock_type!r}")
        number = ctypes.c_int(figures.CLOCKS[clock_type])
        return _number("nvmlDeviceGetClockInfo", self._handle, number)

    def get_cpu_affinity(self) -> list[int]:
        """The CPUs that are near to it."""
        return figures.bits(_call, "nvmlDeviceGetCpuAffinity", self._handle, 1024)

    def get_memory_affinity(self, scope: int = 0) -> list[int]:
        """The nodes of memory that are near to it."""
        name, where = "nvmlDeviceGetMemoryAffinity", ctypes.c_uint(scope)
        return figures.bits(_call, name, self._handle, 1024, where)

    def set_cpu_affinity(self) -> None:
        """Let this thread run on CPUs that are near to it."""
        _call("nvmlDeviceSetCpuAffinity", self._handle)

    def clear_cpu_affinity(self) -> None:
        """Let this thread run on all CPUs."""
        _call("nvmlDeviceClearCpuAffinity", self._handle)

    @classmethod
    def get_all_devices_with_cpu_affinity(cls, cpu_index: int) -> list[Device]:
        """The GPUs that are near to a CPU."""
        return [d for d in cls.get_all_devices() if cpu_index in d.get_cpu_affinity()]

    def get_topology_nearest_gpus(self, level: int) -> list[Device]:
        """The GPUs that are as near as NVML numbers it."""
        count = ctypes.c_uint(get_num_devices())
        made = (ctypes.c_void_p * max(1, count.value))()
        given = (self._handle, ctypes.c_int(level), ctypes.byref(count), made)
        _call("nvmlDeviceGetTopologyNearestGpus", *given)
        found = []
        for handle in made[: count.value]:
            device = Device.__new__(Device)
            device._handle = ctypes.c_void_p(handle)
            found.append(device)
        return found

    def get_nvlink_count(self) -> int:
        """How many links to other GPUs are active."""
        return len(self.get_nvlinks())

    def get_nvlinks(self) -> list[int]:
        """The numbers of the links to other GPUs that are active."""
        active = []
        for link in range(figures.LINKS):
            state = ctypes.c_int()
            given = (self._handle, ctypes.c_uint(link), ctypes.byref(state))
            if _library().nvmlDeviceGetNvLinkState(*given) == 0 and state.value:
                active.append(link)
        return active

    def __getattr__(self, name: str) -> Any:
        if name in figures.ABSENT:
            raise AttributeError(
                f"system.Device has no {name!r}: NVML's own library has it (nvidia-ml-py)"
            )
        raise AttributeError(f"'Device' object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<system.Device {self.index} ({self.name})>"


def get_topology_common_ancestor(first: Device, second: Device) -> int:
    """How near two GPUs are, as NVML numbers it."""
    return _number(
        "nvmlDeviceGetTopologyCommonAncestor", first._handle, second._handle, kind=ctypes.c_int
    )


def get_p2p_status(first: Device, second: Device, index: int) -> int:
    """Whether two GPUs can use one another's memory, as NVML numbers it."""
    given = (first._handle, second._handle, ctypes.c_int(index))
    return _number("nvmlDeviceGetP2PStatus", *given, kind=ctypes.c_int)
