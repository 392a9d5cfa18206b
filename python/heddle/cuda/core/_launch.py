"""Launches."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy

from heddle import _core
from heddle.cuda.bindings import checked, driver
from heddle.cuda.bindings._values import address_of
from heddle.cuda.core._module import Kernel
from heddle.cuda.core._stream import handle_of


def _three(given: int | Sequence[int], what: str) -> tuple[int, int, int]:
    sizes = (given,) if isinstance(given, (int, numpy.integer)) else tuple(given)
    if not 1 <= len(sizes) <= 3 or any(int(n) < 1 for n in sizes):
        raise ValueError(f"{what} is one to three positive numbers, not {given!r}")
    x, y, z = (*(int(n) for n in sizes), 1, 1)[:3]
    return x, y, z


@dataclasses.dataclass
class LaunchConfig:
    """How many threads run a kernel.

    Parameters
    ----------
    grid : int or tuple of int
        Blocks; clusters, if `cluster` is given.
    cluster : int or tuple of int, optional
        Blocks of a cluster.
    block : int or tuple of int
        Threads of a block.
    shmem_size : int
        Dynamic shared memory of a block.
    is_cooperative : bool
        Whether all blocks run at the same time.
    programmatic_stream_serialization : bool
        Whether it may begin before the kernel before it ends.

    Examples
    --------
    >>> from heddle.cuda import core
    >>> config = core.LaunchConfig(grid=4, block=(32, 2))
    >>> config.grid, config.block
    ((4, 1, 1), (32, 2, 1))
    """

    grid: Any = None
    cluster: Any = None
    block: Any = None
    shmem_size: int = 0
    is_cooperative: bool = False
    programmatic_stream_serialization: bool = False

    def __post_init__(self) -> None:
        if self.grid is None or self.block is None:
            raise ValueError("a launch has a grid and a block")
        self.grid = _three(self.grid, "grid")
        self.block = _three(self.block, "block")
        if self.cluster is not None:
            self.cluster = _three(self.cluster, "cluster")

    @property
    def _blocks(self) -> tuple[int, int, int]:
        if self.cluster is None:
            return self.grid  # type: ignore[no-any-return]
        x, y, z = (g * c for g, c in zip(self.grid, self.cluster, strict=True))
        return x, y, z

    def _described(self, stream: Any) -> tuple[Any, list[Any]]:
        """The driver's structure, and what it points to."""
        made = driver.CUlaunchConfig()
        made.gridDimX, made.gridDimY, made.gridDimZ = self._blocks
        made.blockDimX, made.blockDimY, made.blockDimZ = self.block
        made.sharedMemBytes, made.hStream = self.shmem_size, int(stream)
        attributes, names = [], driver.CUlaunchAttributeID
        if self.cluster is not None:
            one = driver.CUlaunchAttribute()
            one.id = names.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            where = one.value.clusterDim
            where.x, where.y, where.z = self.cluster
            attributes.append(one)
        if self.is_cooperative:
            one = driver.CUlaunchAttribute()
            one.id = names.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            one.value.cooperative = 1
            attributes.append(one)
        if self.programmatic_stream_serialization:
            one = driver.CUlaunchAttribute()
            one.id = names.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            one.value.programmaticStreamSerializationAllowed = 1
            attributes.append(one)
        made.attrs = attributes or None
        made.numAttrs = len(attributes)
        return made, [attributes]


_C_TYPES: Any = (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array)
_PYTHON_TYPES = {bool: ctypes.c_bool, int: ctypes.c_int64, float: ctypes.c_double}


def kernel_arguments(args: Sequence[Any], kept: list[Any]) -> int:
    """The address of the addresses of arguments."""
    from heddle.cuda.core._memory import Buffer

    found = []
    for value in args:
        held: Any
        if type(value) in _PYTHON_TYPES:
            held = _PYTHON_TYPES[type(value)](value)
        elif isinstance(value, complex):
            held = numpy.array([value], numpy.complex128)
        elif isinstance(value, numpy.generic):
            held = numpy.array([value])
        elif isinstance(value, _C_TYPES):
            held = value
        elif hasattr(value, "_as_kernel_argument"):
            held = value._as_kernel_argument()
        elif isinstance(value, Buffer):
            held = ctypes.c_void_p(int(value.handle))
        elif isinstance(value, int) or hasattr(value, "__cuda_array_interface__"):
            held = ctypes.c_void_p(address_of(value, kept))
        elif hasattr(value, "handle"):
            held = ctypes.c_uint64(int(value.handle))
        else:
            raise TypeError(f"a kernel takes no {type(value).__name__}")
        kept.append(held)
        found.append(
            held.ctypes.data if isinstance(held, numpy.ndarray) else ctypes.addressof(held)
        )
    if not found:
        return 0
    made = (ctypes.c_void_p * len(found))(*found)
    kept.append(made)
    return ctypes.addressof(made)


def _wait_for_arrays(stream: int) -> None:
    """Let a stream wait for what computes arrays, which is given to the current one."""
    from heddle.cuda.stream import Event, get_current_stream

    current = get_current_stream()
    no_capture = driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
    if int(stream) == current.ptr or checked.cuStreamIsCapturing(stream) != no_capture:
        return
    done = Event(disable_timing=True)
    done.record(current)
    checked.cuStreamWaitEvent(stream, done.ptr, 0)


def launch(stream: object, config: LaunchConfig, kernel: Kernel, *kernel_args: object) -> None:
    """Launch a kernel on a stream.

    Python's integers are 64 bits, its floats double; NumPy's numbers and those of ctypes have their
    types. Buffers and arrays are given as addresses.

    >>> from heddle.cuda import core
    >>> import heddle as np
    >>> device = core.Device(0)
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> source = 'extern "C" __global__ void two(float *x) { x[threadIdx.x] = 2; }'
    >>> options = core.ProgramOptions(arch=f"sm_{device.arch}")
    >>> two = core.Program(source, "c++", options).compile("cubin").get_kernel("two")
    >>> x = np.zeros(4, np.float32, device="cuda")
    >>> core.launch(stream, core.LaunchConfig(grid=1, block=4), two, x)
    >>> stream.sync()
    >>> x.get()
    array([2., 2., 2., 2.], dtype=float32)
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"expected a Kernel, not {type(kernel).__name__}")
    _core.cuda.run_pending_work()
    kept: list[Any] = []
    given = kernel_arguments(kernel_args, kept)
    if any(isinstance(value, _core.own_array) for value in kernel_args):
        _wait_for_arrays(handle_of(stream))
    described, attributes = config._described(handle_of(stream))
    checked.cuLaunchKernelEx(described, int(kernel.handle), given, 0)
    del kept, attributes
