"""Arrays for textures, and the objects through which kernels read and write them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from heddle import _core
from heddle.cuda.bindings import checked, driver
from heddle.cuda.bindings._values import address_of
from heddle.cuda.core._memory import Buffer
from heddle.cuda.core._stream import handle_of
from heddle.cuda.core.typing import AddressModeType, ArrayFormatType, FilterModeType, ReadModeType

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle
    from heddle.cuda.core._device import Device

__all__ = [
    "MipmappedArray",
    "MipmappedArrayOptions",
    "OpaqueArray",
    "OpaqueArrayOptions",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureObject",
    "TextureObjectOptions",
]

_FORMATS = {
    "uint8": "UNSIGNED_INT8",
    "uint16": "UNSIGNED_INT16",
    "uint32": "UNSIGNED_INT32",
    "int8": "SIGNED_INT8",
    "int16": "SIGNED_INT16",
    "int32": "SIGNED_INT32",
    "float16": "HALF",
    "float32": "FLOAT",
}


def _format(name: str) -> Any:
    return driver.CUarray_format[f"CU_AD_FORMAT_{_FORMATS[ArrayFormatType(name)]}"]


def _three(shape: Any) -> tuple[int, int, int]:
    """Width, height and depth; 0 for those that are not there."""
    given = (shape,) if isinstance(shape, int) else tuple(shape)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"an array has one to three extents, not {given}")
    x, y, z = (*given, 0, 0)[:3]
    return x, y, z


@dataclasses.dataclass
class OpaqueArrayOptions:
    """What an array is like: extents (width, height, depth), and what its elements are."""

    shape: Any
    format: str
    num_channels: int = 1
    is_surface_load_store: bool = False

    def _described(self) -> Any:
        made = driver.CUDA_ARRAY3D_DESCRIPTOR()
        made.Width, made.Height, made.Depth = _three(self.shape)
        made.Format, made.NumChannels = _format(self.format), self.num_channels
        made.Flags = driver.CUDA_ARRAY3D_SURFACE_LDST if self.is_surface_load_store else 0
        return made


@dataclasses.dataclass
class MipmappedArrayOptions(OpaqueArrayOptions):
    """What an array of several levels is like."""

    num_levels: int = 1


class _Described:
    """What arrays of one level and of several say of themselves."""

    _handle: Any
    _options: OpaqueArrayOptions
    _device: Any

    @property
    def handle(self) -> Handle:
        """CUDA's handle."""
        found: Handle = self._handle
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        """Width, height and depth, as many as there are; of the largest level."""
        return tuple(n for n in _three(self._options.shape) if n)

    @property
    def format(self) -> str:
        """The type of the channels."""
        return ArrayFormatType(self._options.format)

    @property
    def num_channels(self) -> int:
        """The channels of an element."""
        return self._options.num_channels

    @property
    def device(self) -> Device:
        """Its device."""
        found: Device = self._device
        return found

    @property
    def is_surface_load_store(self) -> bool:
        """Whether kernels can write it."""
        return self._options.is_surface_load_store

    def close(self) -> None:
        raise NotImplementedError

    def __del__(self) -> None:
        if int(getattr(self, "_handle", 0)):
            self.close()


class OpaqueArray(_Described):
    """Memory in the order that textures want."""

    def __init__(self) -> None:
        raise RuntimeError("arrays for textures are made by Device.create_opaque_array")

    _owner: Any

    @classmethod
    def _make(cls, device: object, options: OpaqueArrayOptions) -> OpaqueArray:
        with _on(device):
            return cls._of(checked.cuArray3DCreate(options._described()), options, device)

    @classmethod
    def _of(
        cls, handle: object, options: OpaqueArrayOptions, device: object, owner: object = None
    ) -> OpaqueArray:
        made = cls.__new__(cls)
        made._handle, made._options, made._device, made._owner = handle, options, device, owner
        return made

    @property
    def element_bytes(self) -> int:
        """The bytes of an element."""
        return numpy.dtype(str(self.format)).itemsize * self.num_channels

    @property
    def size_bytes(self) -> int:
        """The bytes of all elements."""
        return int(numpy.prod(self.shape)) * self.element_bytes

    def _copy(self, other: object, stream: object, to_array: bool) -> None:
        made = driver.CUDA_MEMCPY3D()
        kept: list[Any] = []
        width, height, depth = (n or 1 for n in _three(self._options.shape))
        mine, others = ("dst", "src") if to_array else ("src", "dst")
        kinds = driver.CUmemorytype
        setattr(made, f"{mine}MemoryType", kinds.CU_MEMORYTYPE_ARRAY)
        setattr(made, f"{mine}Array", int(self._handle))
        if isinstance(other, Buffer):
            where, size = int(other.handle), other.size
        else:
            where, size = address_of(other, kept), memoryview_size(other)
        if size != self.size_bytes:
            raise ValueError(f"the array has {self.size_bytes} bytes, the memory {size}")
        setattr(made, f"{others}MemoryType", kinds.CU_MEMORYTYPE_UNIFIED)
        if isinstance(other, numpy.ndarray) or not hasattr(other, "handle"):
            is_device = hasattr(other, "__cuda_array_interface__")
            host = kinds.CU_MEMORYTYPE_DEVICE if is_device else kinds.CU_MEMORYTYPE_HOST
            setattr(made, f"{others}MemoryType", host)
            setattr(made, f"{others}Device" if is_device else f"{others}Host", where)
        else:
            setattr(made, f"{others}Device", where)
        setattr(made, f"{others}Pitch", width * self.element_bytes)
        setattr(made, f"{others}Height", height)
        made.WidthInBytes, made.Height, made.Depth = width * self.element_bytes, height, depth
        _core.cuda.run_pending_work()
        if stream is None:
            checked.cuMemcpy3D(made)
        else:
            checked.cuMemcpy3DAsync(made, handle_of(stream))
        del kept

    def copy_from(self, src: object, *, stream: object = None) -> None:
        """Copy from memory, row by row: a buffer, or an array of the host's or the device's."""
        self._copy(src, stream, True)

    def copy_to(self, dst: object, *, stream: object = None) -> object:
        """Copy to memory, row by row."""
        self._copy(dst, stream, False)
        return dst

    def close(self) -> None:
        """Let go of it."""
        if int(self._handle) and self._owner is None:
            driver.cuArrayDestroy(self._handle)
        self._handle = driver.CUarray(0)


def memoryview_size(value: Any) -> int:
    """The bytes of something that is no buffer of ours."""
    size = getattr(value, "nbytes", None)
    return int(size) if size is not None else memoryview(value).nbytes


def _on(device: Any) -> Any:
    from heddle.cuda.device import Device

    return Device(device.device_id)


class MipmappedArray(_Described):
    """Memory in the order that textures of several levels want."""

    def __init__(self) -> None:
        raise RuntimeError("arrays of levels are made by Device.create_mipmapped_array")

    _options: MipmappedArrayOptions

    @classmethod
    def _make(cls, device: object, options: MipmappedArrayOptions) -> MipmappedArray:
        made = cls.__new__(cls)
        made._options, made._device = options, device
        with _on(device):
            described, levels = options._described(), options.num_levels
            made._handle = checked.cuMipmappedArrayCreate(described, levels)
        return made

    def get_level(self, level: int) -> OpaqueArray:
        """The array of a level."""
        if not 0 <= level < self.num_levels:
            raise IndexError(f"level {level} of {self.num_levels}")
        shape = tuple(max(1, n >> level) if n else 0 for n in _three(self._options.shape))
        options = OpaqueArrayOptions(
            shape, self._options.format, self.num_channels, self.is_surface_load_store
        )
        handle = checked.cuMipmappedArrayGetLevel(self._handle, level)
        return OpaqueArray._of(handle, options, self._device, self)

    @property
    def num_levels(self) -> int:
        """How many levels there are."""
        return self._options.num_levels

    def close(self) -> None:
        """Let go of it."""
        if int(self._handle):
            driver.cuMipmappedArrayDestroy(self._handle)
        self._handle = driver.CUmipmappedArray(0)


@dataclasses.dataclass(frozen=True)
class ResourceDescriptor:
    """What a texture or a surface is made of."""

    kind: str
    source: Any
    format: str | None = None
    num_channels: int | None = None
    size_bytes: int | None = None
    width: int | None = None
    height: int | None = None
    pitch_bytes: int | None = None

    @classmethod
    def from_opaque_array(cls, array: OpaqueArray) -> ResourceDescriptor:
        """An array for textures."""
        return cls("opaque_array", array, array.format, array.num_channels)

    @classmethod
    def from_mipmapped_array(cls, array: MipmappedArray) -> ResourceDescriptor:
        """An array of several levels."""
        return cls("mipmapped_array", array, array.format, array.num_channels)

    @classmethod
    def from_linear(
        cls, buffer: Buffer, *, format: str, num_channels: int = 1, size_bytes: int | None = None
    ) -> ResourceDescriptor:
        """Memory as it is."""
        size = buffer.size if size_bytes is None else size_bytes
        return cls("linear", buffer, ArrayFormatType(format), num_channels, size)

    @classmethod
    def from_pitch2d(
        cls,
        buffer: Buffer,
        *,
        format: str,
        width: int,
        height: int,
        pitch_bytes: int,
        num_channels: int = 1,
    ) -> ResourceDescriptor:
        """Rows of memory."""
        facts = {"width": width, "height": height, "pitch_bytes": pitch_bytes}
        return cls("pitch2d", buffer, ArrayFormatType(format), num_channels, **facts)

    def _described(self) -> Any:
        made, kinds = driver.CUDA_RESOURCE_DESC(), driver.CUresourcetype
        if self.kind == "opaque_array":
            made.resType = kinds.CU_RESOURCE_TYPE_ARRAY
            made.res.array.hArray = int(self.source.handle)
        elif self.kind == "mipmapped_array":
            made.resType = kinds.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
            made.res.mipmap.hMipmappedArray = int(self.source.handle)
        else:
            linear = self.kind == "linear"
            name = "LINEAR" if linear else "PITCH2D"
            made.resType = kinds[f"CU_RESOURCE_TYPE_{name}"]
            part = made.res.linear if linear else made.res.pitch2D
            part.devPtr, part.format = int(self.source.handle), _format(str(self.format))
            part.numChannels = self.num_channels
            if linear:
                part.sizeInBytes = self.size_bytes
            else:
                part.width, part.height = self.width, self.height
                part.pitchInBytes = self.pitch_bytes
        return made


@dataclasses.dataclass
class TextureObjectOptions:
    """How a texture is read."""

    address_mode: Any = AddressModeType.CLAMP
    filter_mode: str = FilterModeType.POINT
    read_mode: str = ReadModeType.ELEMENT_TYPE
    normalized_coords: bool = False
    srgb: bool = False
    disable_trilinear_optimization: bool = False
    seamless_cubemap: bool = False
    max_anisotropy: int = 0
    mipmap_filter_mode: str = FilterModeType.POINT
    mipmap_level_bias: float = 0.0
    min_mipmap_level_clamp: float = 0.0
    max_mipmap_level_clamp: float = 0.0
    border_color: Sequence[float] = (0.0, 0.0, 0.0, 0.0)

    def _described(self) -> Any:
        made = driver.CUDA_TEXTURE_DESC()
        given = self.address_mode
        modes = [given] * 3 if isinstance(given, str) else [*given, *[given[-1]] * 3][:3]
        names = driver.CUaddress_mode
        made.addressMode = [
            names[f"CU_TR_ADDRESS_MODE_{AddressModeType(mode).name}"] for mode in modes
        ]
        filters = driver.CUfilter_mode
        made.filterMode = filters[f"CU_TR_FILTER_MODE_{FilterModeType(self.filter_mode).name}"]
        mipmap = FilterModeType(self.mipmap_filter_mode).name
        made.mipmapFilterMode = filters[f"CU_TR_FILTER_MODE_{mipmap}"]
        flags = 0
        if ReadModeType(self.read_mode) is ReadModeType.ELEMENT_TYPE:
            flags |= driver.CU_TRSF_READ_AS_INTEGER
        flags |= driver.CU_TRSF_NORMALIZED_COORDINATES if self.normalized_coords else 0
        flags |= driver.CU_TRSF_SRGB if self.srgb else 0
        if self.disable_trilinear_optimization:
            flags |= driver.CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
        flags |= driver.CU_TRSF_SEAMLESS_CUBEMAP if self.seamless_cubemap else 0
        made.flags, made.maxAnisotropy = flags, self.max_anisotropy
        made.mipmapLevelBias = self.mipmap_level_bias
        made.minMipmapLevelClamp = self.min_mipmap_level_clamp
        made.maxMipmapLevelClamp = self.max_mipmap_level_clamp
        made.borderColor = [float(c) for c in self.border_color]
        return made


class _Object:
    """A number that kernels take, and what it is about."""

    def __init__(self) -> None:
        raise RuntimeError("textures and surfaces are made by methods of Device")

    _handle: int
    _resource: ResourceDescriptor
    _device: Any
    _destroy: Any

    @property
    def handle(self) -> int:
        """The number that kernels take."""
        return self._handle

    @property
    def resource(self) -> ResourceDescriptor:
        """What it is made of."""
        return self._resource

    @property
    def device(self) -> Device:
        """Its device."""
        found: Device = self._device
        return found

    def close(self) -> None:
        """Let go of it."""
        if self._handle:
            type(self)._destroy(self._handle)
        self._handle = 0

    def __del__(self) -> None:
        if getattr(self, "_handle", 0):
            self.close()

    def _as_kernel_argument(self) -> Any:
        import ctypes

        return ctypes.c_uint64(self._handle)


class TextureObject(_Object):
    """What kernels read elements through; an argument of type cudaTextureObject_t."""

    _options: TextureObjectOptions

    @staticmethod
    def _destroy(handle: int) -> None:
        driver.cuTexObjectDestroy(handle)

    @classmethod
    def _make(
        cls, device: Any, resource: Any, options: TextureObjectOptions | None = None
    ) -> TextureObject:
        made = cls.__new__(cls)
        if isinstance(resource, OpaqueArray):
            resource = ResourceDescriptor.from_opaque_array(resource)
        made._resource, made._device = resource, device
        made._options = options or TextureObjectOptions()
        with _on(device):
            described = resource._described()
            found = checked.cuTexObjectCreate(described, made._options._described(), None)
        made._handle = int(found)
        return made

    @property
    def options(self) -> TextureObjectOptions:
        """How it is read."""
        return self._options


class SurfaceObject(_Object):
    """What kernels read and write elements through; an argument of type cudaSurfaceObject_t."""

    @staticmethod
    def _destroy(handle: int) -> None:
        driver.cuSurfObjectDestroy(handle)

    @classmethod
    def _make(cls, device: Any, resource: Any) -> SurfaceObject:
        made = cls.__new__(cls)
        if isinstance(resource, OpaqueArray):
            resource = ResourceDescriptor.from_opaque_array(resource)
        if not getattr(resource.source, "is_surface_load_store", False):
            raise ValueError("the array was not made with is_surface_load_store=True")
        made._resource, made._device = resource, device
        with _on(device):
            made._handle = int(checked.cuSurfObjectCreate(resource._described()))
        return made
