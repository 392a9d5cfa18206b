"""Copies of rectangles and boxes, and CUDA's arrays for textures."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy

from heddle import _core
from heddle._typing import DTypeLike, HostArray
from heddle.cuda.bindings import checked, driver
from heddle.pycuda._enumerations import array_format
from heddle.pycuda._errors import gone, translating
from heddle.pycuda._memory import address_of, device_address

if TYPE_CHECKING:
    from heddle.pycuda._arrays import GPUArray
    from heddle.pycuda._contexts import Stream

_FORMATS = {
    "uint8": array_format.UNSIGNED_INT8,
    "uint16": array_format.UNSIGNED_INT16,
    "uint32": array_format.UNSIGNED_INT32,
    "int8": array_format.SIGNED_INT8,
    "int16": array_format.SIGNED_INT16,
    "int32": array_format.SIGNED_INT32,
    "float16": array_format.HALF,
    "float32": array_format.FLOAT,
}


def dtype_to_array_format(dtype: DTypeLike | None) -> int:
    """The format of a type of NumPy's.

    >>> import numpy
    >>> from heddle.pycuda import driver as cuda
    >>> cuda.dtype_to_array_format(numpy.float32)
    <array_format.FLOAT: 32>
    """
    name = numpy.dtype(dtype).name
    if name not in _FORMATS:
        raise TypeError(f"cannot convert dtype {name} to an array format")
    found: int = _FORMATS[name]
    return found


# --- arrays ---


class ArrayDescriptor:
    """What an array for textures is like."""

    width: int = 0
    height: int = 0
    format: int = 0
    num_channels: int = 0

    def _described(self) -> Any:
        made = checked.CUDA_ARRAY_DESCRIPTOR()
        made.Width, made.Height = self.width, self.height
        made.Format, made.NumChannels = int(self.format), self.num_channels
        return made


class ArrayDescriptor3D(ArrayDescriptor):
    """What an array of up to three dimensions for textures is like."""

    depth: int = 0
    flags: int = 0

    def _described(self) -> Any:
        made = checked.CUDA_ARRAY3D_DESCRIPTOR()
        made.Width, made.Height, made.Depth = self.width, self.height, self.depth
        made.Format, made.NumChannels = int(self.format), self.num_channels
        made.Flags = self.flags
        return made


class Array:
    """Memory in the order that textures want, freed with the object."""

    @translating
    def __init__(self, descriptor: ArrayDescriptor) -> None:
        self._three = isinstance(descriptor, ArrayDescriptor3D)
        create = checked.cuArray3DCreate if self._three else checked.cuArrayCreate
        self._handle = create(descriptor._described())

    @property
    def handle(self) -> int:
        """CUDA's handle."""
        return int(self._handle)

    @translating
    def free(self) -> None:
        """Give it back now."""
        checked.cuArrayDestroy(self._handle)
        self._handle = driver.CUarray(0)

    def __del__(self) -> None:
        if int(getattr(self, "_handle", 0)):
            driver.cuArrayDestroy(self._handle)

    @translating
    def get_descriptor(self) -> ArrayDescriptor:
        """What it is like."""
        return _read_descriptor(ArrayDescriptor(), checked.cuArrayGetDescriptor(self._handle))

    @translating
    def get_descriptor_3d(self) -> ArrayDescriptor3D:
        """What it is like."""
        found = checked.cuArray3DGetDescriptor(self._handle)
        made = ArrayDescriptor3D()
        _read_descriptor(made, found)
        made.depth, made.flags = found.Depth, found.Flags
        return made


def _read_descriptor(made: ArrayDescriptor, found: Any) -> ArrayDescriptor:
    made.width, made.height = found.Width, found.Height
    made.format, made.num_channels = array_format(int(found.Format)), found.NumChannels
    return made


class TextureReference:
    """Texture references are gone from CUDA."""

    def __init__(self) -> None:
        raise gone("TextureReference")


class SurfaceReference:
    """Surface references are gone from CUDA."""

    def __init__(self) -> None:
        raise gone("SurfaceReference")


# --- copies of rectangles and boxes ---


class Memcpy2D:
    """A copy of a rectangle: set where from, where to and how much, and call it."""

    _sides = ("src", "dst")

    def __init__(self) -> None:
        self.src_x_in_bytes = self.src_y = self.src_pitch = 0
        self.dst_x_in_bytes = self.dst_y = self.dst_pitch = 0
        self.width_in_bytes = self.height = 0
        self._places: dict[str, tuple[str, Any]] = {}

    def set_src_host(self, buffer: object) -> None:
        """From a buffer of the host."""
        self._places["src"] = ("host", buffer)

    def set_src_array(self, array: Array) -> None:
        """From an array for textures."""
        self._places["src"] = ("array", array)

    def set_src_device(self, devptr: object) -> None:
        """From memory of the device."""
        self._places["src"] = ("device", devptr)

    def set_src_unified(self, buffer: object) -> None:
        """From memory that CUDA knows the place of."""
        self._places["src"] = ("unified", buffer)

    def set_dst_host(self, buffer: object) -> None:
        """To a buffer of the host."""
        self._places["dst"] = ("host", buffer)

    def set_dst_array(self, array: Array) -> None:
        """To an array for textures."""
        self._places["dst"] = ("array", array)

    def set_dst_device(self, devptr: object) -> None:
        """To memory of the device."""
        self._places["dst"] = ("device", devptr)

    def set_dst_unified(self, buffer: object) -> None:
        """To memory that CUDA knows the place of."""
        self._places["dst"] = ("unified", buffer)

    def _fill(self, made: Any) -> list[Any]:
        """Sets the structure; what has to be kept until the copy is done is the result."""
        kept = []
        for side in self._sides:
            if side not in self._places:
                raise ValueError(f"set_{side}_host, _device or _array has to be called first")
            kind, place = self._places[side]
            setattr(made, f"{side}XInBytes", getattr(self, f"{side}_x_in_bytes"))
            setattr(made, f"{side}Y", getattr(self, f"{side}_y"))
            setattr(made, f"{side}Pitch", getattr(self, f"{side}_pitch"))
            types = checked.CUmemorytype
            setattr(made, f"{side}MemoryType", types[f"CU_MEMORYTYPE_{kind.upper()}"])
            if kind == "host":
                address, _, held = address_of(place)
                kept.append(held)
                setattr(made, f"{side}Host", address)
            elif kind == "array":
                setattr(made, f"{side}Array", place.handle)
            elif kind == "unified" and isinstance(place, numpy.ndarray):
                address, _, held = address_of(place)
                kept.append(held)
                setattr(made, f"{side}Device", address)
            else:
                setattr(made, f"{side}Device", device_address(place))
        made.WidthInBytes, made.Height = self.width_in_bytes, self.height
        return kept

    def _on_host(self, depth: int = 1) -> None:
        """Where there is no GPU."""
        starts = []
        for side in self._sides:
            kind, place = self._places[side]
            if kind == "array":
                raise NotImplementedError("arrays for textures need a GPU")
            is_host = kind == "host" or isinstance(place, numpy.ndarray)
            address = address_of(place)[0] if is_host else device_address(place)
            pitch = getattr(self, f"{side}_pitch") or self.width_in_bytes
            rows = getattr(self, f"{side}_height", 0) or self.height
            first = getattr(self, f"{side}_z", 0) * rows + getattr(self, f"{side}_y")
            x = getattr(self, f"{side}_x_in_bytes")
            starts.append((address + first * pitch + x, pitch, rows))
        (src, src_pitch, src_rows), (dst, dst_pitch, dst_rows) = starts
        for z in range(depth):
            for y in range(self.height):
                to = dst + (z * dst_rows + y) * dst_pitch
                from_ = src + (z * src_rows + y) * src_pitch
                ctypes.memmove(to, from_, self.width_in_bytes)

    @translating
    def __call__(self, *args: object, aligned: bool = False) -> None:
        """Copy; on a stream, where one is given."""
        _core.cuda.run_pending_work()
        if not _core.cuda.is_available():
            self._on_host()
            return
        made = checked.CUDA_MEMCPY2D()
        kept = self._fill(made)
        streams = [a for a in args if hasattr(a, "ptr")]
        if streams:
            checked.cuMemcpy2DAsync(made, streams[0].ptr)
        elif aligned or (args and args[0]):
            checked.cuMemcpy2D(made)
        else:
            checked.cuMemcpy2DUnaligned(made)
        del kept


class Memcpy3D(Memcpy2D):
    """A copy of a box: set where from, where to and how much, and call it."""

    def __init__(self) -> None:
        super().__init__()
        self.src_height = self.src_z = self.src_lod = 0
        self.dst_height = self.dst_z = self.dst_lod = 0
        self.depth = 0

    def _fill(self, made: Any) -> list[Any]:
        kept = super()._fill(made)
        for side in self._sides:
            setattr(made, f"{side}Height", getattr(self, f"{side}_height"))
            setattr(made, f"{side}Z", getattr(self, f"{side}_z"))
            setattr(made, f"{side}LOD", getattr(self, f"{side}_lod"))
        made.Depth = self.depth
        return kept

    @translating
    def __call__(self, *args: Stream) -> None:  # type: ignore[override]
        """Copy; on a stream, where one is given."""
        _core.cuda.run_pending_work()
        if not _core.cuda.is_available():
            self._on_host(self.depth)
            return
        made = checked.CUDA_MEMCPY3D()
        kept = self._fill(made)
        if args:
            checked.cuMemcpy3DAsync(made, args[0].ptr)
        else:
            checked.cuMemcpy3D(made)
        del kept


class Memcpy3DPeer(Memcpy3D):
    """A copy of a box between devices."""

    def __init__(self) -> None:
        super().__init__()
        self._contexts: dict[str, Any] = {}

    def set_src_context(self, ctx: object) -> None:
        """The context of where from."""
        self._contexts["src"] = ctx

    def set_dst_context(self, ctx: object) -> None:
        """The context of where to."""
        self._contexts["dst"] = ctx

    @translating
    def __call__(self, *args: Stream) -> None:  # type: ignore[override]
        """Copy; on a stream, where one is given."""
        _core.cuda.run_pending_work()
        made = checked.CUDA_MEMCPY3D_PEER()
        kept = self._fill(made)
        for side, context in self._contexts.items():
            setattr(made, f"{side}Context", context.handle)
        if args:
            checked.cuMemcpy3DPeerAsync(made, args[0].ptr)
        else:
            checked.cuMemcpy3DPeer(made)
        del kept


# --- from arrays of the host to arrays for textures ---


def np_to_array(nparray: object, order: str, allowSurfaceBind: bool = False) -> Array:
    """An array for textures with the elements of one of NumPy's of two or three dimensions."""
    given = numpy.asarray(nparray, order=order)  # type: ignore[call-overload]
    dimensions = given.shape if order == "F" else given.shape[::-1]
    described = ArrayDescriptor3D()
    described.width, described.height = dimensions[:2]
    described.depth = dimensions[2] if len(dimensions) > 2 else 0
    described.format, described.num_channels = dtype_to_array_format(given.dtype), 1
    described.flags = checked.CUDA_ARRAY3D_SURFACE_LDST if allowSurfaceBind else 0
    made = Array(described)
    copy = Memcpy3D()
    copy.set_src_host(given)
    copy.set_dst_array(made)
    copy.width_in_bytes = copy.src_pitch = given.itemsize * described.width
    copy.src_height = copy.height = described.height
    copy.depth = described.depth or 1
    copy()
    return made


def gpuarray_to_array(gpuarray: GPUArray, order: str, allowSurfaceBind: bool = False) -> Array:
    """An array for textures with the elements of a `GPUArray`."""
    return np_to_array(gpuarray.get(), order, allowSurfaceBind)


def matrix_to_array(matrix: object, order: str, allow_double_hack: bool = False) -> Array:
    """An array for textures with the elements of a matrix."""
    given = numpy.asarray(matrix)
    channels = 1
    if given.dtype == numpy.float64 and allow_double_hack:
        given = numpy.asarray(given, order=order).view(numpy.int32)  # type: ignore[call-overload]
        channels = 2
    if channels == 1:
        return np_to_array(given, order)
    width = given.shape[1] // 2
    return _in_channels(given.reshape(given.shape[0], width, 2), channels)


def _in_channels(given: HostArray, channels: int) -> Array:
    """An array of rows of elements that have channels."""
    described = ArrayDescriptor()
    described.height, described.width = given.shape[:2]
    described.format, described.num_channels = dtype_to_array_format(given.dtype), channels
    made = Array(described)
    copy = Memcpy2D()
    copy.set_src_host(numpy.ascontiguousarray(given))
    copy.set_dst_array(made)
    copy.width_in_bytes = copy.src_pitch = given.itemsize * channels * described.width
    copy.height = described.height
    copy(aligned=True)
    return made


def make_multichannel_2d_array(matrix: object, order: str) -> Array:
    """An array for textures of a matrix whose last axis ("C"; first, "F") are channels."""
    given = numpy.asarray(matrix)
    if order == "F":
        given = given.transpose()
    return _in_channels(given, given.shape[2])


def memcpy_dtoa(ary: Array, index: int, src: object, len: int) -> None:
    """Copy from the device to an array for textures."""
    checked.cuMemcpyDtoA(ary.handle, index, device_address(src), len)


def memcpy_atod(dest: object, ary: Array, index: int, len: int) -> None:
    """Copy from an array for textures to the device."""
    checked.cuMemcpyAtoD(device_address(dest), ary.handle, index, len)


def memcpy_htoa(ary: Array, index: int, src: object) -> None:
    """Copy from the host to an array for textures."""
    address, size, _held = address_of(src)
    checked.cuMemcpyHtoA(ary.handle, index, address, size)


def memcpy_atoh(dest: object, ary: Array, index: int) -> None:
    """Copy from an array for textures to the host."""
    address, size, _held = address_of(dest)
    checked.cuMemcpyAtoH(address, ary.handle, index, size)


def memcpy_atoa(dest: Array, dest_index: int, src: Array, src_index: int, len: int) -> None:
    """Copy between arrays for textures."""
    checked.cuMemcpyAtoA(dest.handle, dest_index, src.handle, src_index, len)
