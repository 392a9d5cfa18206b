"""Arrays of any library as addresses, shapes and strides; caches of compiled code."""

from __future__ import annotations

import abc
import functools
import hashlib
import inspect
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy

import heddle
from heddle._typing import DTypeLike
from heddle.cuda.core._managed import (
    CopyOptions,
    MemcpyOverlapMode,
    MemcpySrcAccessOrder,
    copy_batch,
    discard_batch,
    discard_prefetch_batch,
    prefetch_batch,
)
from heddle.cuda.core._module import ObjectCode

__all__ = [
    "CopyOptions",
    "FileStreamProgramCache",
    "InMemoryProgramCache",
    "MemcpyOverlapMode",
    "MemcpySrcAccessOrder",
    "ProgramCacheResource",
    "StridedMemoryView",
    "args_viewable_as_strided_memory",
    "copy_batch",
    "discard_batch",
    "discard_prefetch_batch",
    "make_program_cache_key",
    "prefetch_batch",
    "view_as_array_interface",
    "view_as_cai",
]


class BaseLayout:
    """The extents of an array, and the elements from one to the next along each axis."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
        self.shape, self.strides = tuple(shape), strides

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.shape)


class StridedMemoryView:
    """An array of any library: where it is and how it lies. No element is copied.

    Examples
    --------
    >>> import numpy
    >>> from heddle.cuda.core.utils import StridedMemoryView
    >>> view = StridedMemoryView.from_any_interface(numpy.zeros((2, 3)).T, stream_ptr=-1)
    >>> view.shape, view.strides, view.is_device_accessible
    ((3, 2), (1, 3), False)
    """

    ptr: int
    device_id: int
    is_device_accessible: bool
    readonly: bool
    exporting_obj: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: numpy.dtype[Any]
    _held: Any

    def __init__(self) -> None:
        raise RuntimeError("views are made by StridedMemoryView.from_any_interface and others")

    @classmethod
    def _of(cls, owner: object, interface: dict[str, Any], device: int, on_device: bool) -> Any:
        made = cls.__new__(cls)
        made.exporting_obj, made.device_id = owner, device
        made.is_device_accessible = on_device
        made.ptr, made.readonly = interface["data"]
        made.shape = tuple(interface["shape"])
        made.dtype = numpy.dtype(interface["typestr"])
        steps = interface.get("strides")
        made.strides = None if steps is None else tuple(s // made.dtype.itemsize for s in steps)
        made._held = None
        return made

    @classmethod
    def from_dlpack(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        """Of an object with ``__dlpack__``; reads on the stream wait for what writes it."""
        kind, device = obj.__dlpack_device__()
        if kind in (1,):
            seen: Any = numpy.from_dlpack(obj)
            made = cls._of(obj, seen.__array_interface__, -1, False)
        else:
            seen = heddle.from_dlpack(obj)
            made = cls._of(obj, seen.__cuda_array_interface__, device, True)
        made._held = seen
        return made  # type: ignore[no-any-return]

    @classmethod
    def from_cuda_array_interface(
        cls, obj: Any, stream_ptr: int | None = None
    ) -> StridedMemoryView:
        """Of an object with ``__cuda_array_interface__``."""
        interface = obj.__cuda_array_interface__
        device = heddle._core.cuda.pointer_attributes(interface["data"][0])[1]
        _order(interface.get("stream"), stream_ptr)
        return cls._of(obj, interface, device, True)  # type: ignore[no-any-return]

    @classmethod
    def from_array_interface(cls, obj: Any) -> StridedMemoryView:
        """Of an object with ``__array_interface__``."""
        return cls._of(obj, obj.__array_interface__, -1, False)  # type: ignore[no-any-return]

    @classmethod
    def from_buffer(
        cls,
        buffer: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        *,
        dtype: DTypeLike | None = None,
        itemsize: int | None = None,
        is_readonly: bool = False,
    ) -> StridedMemoryView:
        """Of a `Buffer`."""
        kind = numpy.dtype(f"V{itemsize}" if dtype is None else dtype)
        steps = None if strides is None else tuple(s * kind.itemsize for s in strides)
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        if strides is None and int(numpy.prod(extents)) * kind.itemsize > buffer.size:
            raise ValueError(f"{extents} elements of {kind} do not fit {buffer.size} bytes")
        interface = {
            "data": (int(buffer.handle), is_readonly),
            "shape": extents,
            "typestr": kind.str,
            "strides": steps,
        }
        on_device = bool(buffer.is_device_accessible)
        return cls._of(buffer, interface, buffer.device_id, on_device)  # type: ignore[no-any-return]

    @classmethod
    def from_any_interface(cls, obj: object, stream_ptr: int | None = None) -> StridedMemoryView:
        """Of an object of any of these kinds."""
        if isinstance(obj, numpy.ndarray):
            return cls.from_array_interface(obj)
        if hasattr(obj, "__dlpack__"):
            return cls.from_dlpack(obj, stream_ptr)
        if hasattr(obj, "__cuda_array_interface__"):
            return cls.from_cuda_array_interface(obj, stream_ptr)
        if hasattr(obj, "__array_interface__"):
            return cls.from_array_interface(obj)
        raise TypeError(f"{type(obj).__name__} has none of the protocols of arrays")

    @property
    def size(self) -> int:
        """How many elements there are."""
        return int(numpy.prod(self.shape, dtype=numpy.int64))

    @property
    def layout(self) -> BaseLayout:
        """Extents and strides."""
        return BaseLayout(self.shape, self.strides)

    def view(
        self, layout: BaseLayout | None = None, dtype: DTypeLike | None = None
    ) -> StridedMemoryView:
        """The same memory with other extents, or as elements of another type of as many bytes."""
        kind = self.dtype if dtype is None else numpy.dtype(dtype)
        if kind.itemsize != self.dtype.itemsize:
            raise ValueError(f"elements of {kind} have other sizes than those of {self.dtype}")
        given = self.layout if layout is None else layout
        steps = None if given.strides is None else tuple(s * kind.itemsize for s in given.strides)
        interface = {
            "data": (self.ptr, self.readonly),
            "shape": given.shape,
            "typestr": kind.str,
            "strides": steps,
        }
        made = type(self)._of(
            self.exporting_obj, interface, self.device_id, self.is_device_accessible
        )
        made._held = self
        return made  # type: ignore[no-any-return]

    def _interface(self) -> dict[str, object]:
        steps = self.strides
        in_bytes = None if steps is None else tuple(s * self.dtype.itemsize for s in steps)
        return {
            "data": (self.ptr, self.readonly),
            "shape": self.shape,
            "typestr": self.dtype.str,
            "strides": in_bytes,
            "version": 3,
        }

    def _array(self) -> Any:
        """As an array: Heddle's on a device, NumPy's on the host."""
        exposed: Any = _Exposed()
        exposed.owner = self
        if self.is_device_accessible and self.device_id >= 0:
            exposed.__cuda_array_interface__ = self._interface()
            return heddle._core.asarray(exposed)
        exposed.__array_interface__ = self._interface()
        return numpy.asarray(exposed)

    def copy_from(self, other: object, stream: object = None) -> None:
        """Copy the elements of another array of the same shape here, in the order of a stream."""
        _copied(self, _viewed(other), stream)

    def copy_to(self, other: object, stream: object = None) -> None:
        """Copy the elements to another array of the same shape, in the order of a stream."""
        _copied(_viewed(other), self, stream)

    def as_tensor_map(self, *args: object, **named: object) -> Any:
        """What kernels copy boxes of it with: see `TensorMapDescriptorOptions`."""
        from heddle.cuda.core._tensor_map import TensorMapDescriptor

        return TensorMapDescriptor._tiled(self, *args, **named)

    def __dlpack__(self, **named: object) -> Any:
        """The elements, for other libraries."""
        return self._array().__dlpack__(**named)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the elements are, for other libraries."""
        on_device = self.is_device_accessible and self.device_id >= 0
        return (2, self.device_id) if on_device else (1, 0)

    def __repr__(self) -> str:
        place = f"device {self.device_id}" if self.is_device_accessible else "the host"
        return f"<StridedMemoryView {self.ptr:#x} {self.shape} {self.dtype} on {place}>"


class _Exposed:
    owner: Any
    __cuda_array_interface__: dict[str, Any]
    __array_interface__: dict[str, Any]


def _viewed(value: Any) -> StridedMemoryView:
    is_view = isinstance(value, StridedMemoryView)
    return value if is_view else StridedMemoryView.from_any_interface(value, -1)


def _copied(to: StridedMemoryView, source: StridedMemoryView, stream: Any) -> None:
    import contextlib

    if to.shape != source.shape or to.dtype != source.dtype:
        raise ValueError(f"arrays of {to.shape} {to.dtype} and {source.shape} {source.dtype}")
    if to.readonly:
        raise ValueError("the array must not be written")
    with contextlib.nullcontext() if stream is None else stream:
        target, given = to._array(), source._array()
        if isinstance(target, numpy.ndarray):
            target[...] = given if isinstance(given, numpy.ndarray) else given.get()
        else:
            target[...] = heddle.asarray(given)


def _order(producer: int | None, consumer: int | None) -> None:
    """Work of the consumer's stream waits for what the producer's has been given."""
    if producer is None or consumer in (None, -1) or producer == consumer:
        return
    from heddle.cuda.core._stream import Stream

    Stream.from_handle(int(consumer or 0)).wait(Stream.from_handle(int(producer)))


def view_as_cai(
    obj: object, stream_ptr: int | None = None, view: object = None
) -> StridedMemoryView:
    """A view of an object with ``__cuda_array_interface__``."""
    return StridedMemoryView.from_cuda_array_interface(obj, stream_ptr)


def view_as_array_interface(obj: object, view: object = None) -> StridedMemoryView:
    """A view of an object with ``__array_interface__``."""
    return StridedMemoryView.from_array_interface(obj)


def args_viewable_as_strided_memory(
    arg_indices: tuple[int, ...],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function that gets arrays at these places as objects whose `view(stream_ptr)` gives a
    `StridedMemoryView`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        count = len(inspect.signature(function).parameters)
        if any(not -count <= i < count for i in arg_indices):
            raise IndexError(f"{function.__name__} has {count} arguments")

        @functools.wraps(function)
        def made(*args: object, **named: object) -> Any:
            given = list(args)
            for i in arg_indices:
                given[i] = _Viewable(given[i])
            return function(*given, **named)

        return made

    return decorate


class _Viewable:
    """An argument of which a view can be had."""

    def __init__(self, obj: object) -> None:
        self._obj = obj

    def view(self, stream_ptr: int | None) -> StridedMemoryView:
        """The view, for work on a stream."""
        return StridedMemoryView.from_any_interface(self._obj, stream_ptr)


# --- caches of compiled code ---


class ProgramCacheResource(abc.ABC):
    """Compiled code by keys: what `make_program_cache_key` gives."""

    @abc.abstractmethod
    def __getitem__(self, key: bytes) -> ObjectCode: ...

    @abc.abstractmethod
    def __setitem__(self, key: bytes, value: ObjectCode) -> None: ...

    @abc.abstractmethod
    def __delitem__(self, key: bytes) -> None: ...

    @abc.abstractmethod
    def __contains__(self, key: object) -> bool: ...

    @abc.abstractmethod
    def __len__(self) -> int: ...

    def get(self, key: bytes, default: object = None) -> Any:
        """The code, or a default."""
        try:
            return self[key]
        except KeyError:
            return default

    def clear(self) -> None:
        """Forget all."""
        raise NotImplementedError

    def close(self) -> None:  # noqa: B027
        """Nothing has to be given back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class InMemoryProgramCache(ProgramCacheResource):
    """Code that is kept while the process lives; the oldest goes where there is too much."""

    def __init__(self, *, max_size_bytes: int | None = None) -> None:
        self._max = max_size_bytes
        self._codes: dict[bytes, ObjectCode] = {}

    def __getitem__(self, key: bytes) -> ObjectCode:
        found = self._codes.pop(key)
        self._codes[key] = found  # the last to go
        return found

    def __setitem__(self, key: bytes, value: ObjectCode) -> None:
        self._codes.pop(key, None)
        self._codes[key] = value
        while self._max is not None and self._size() > self._max and len(self._codes) > 1:
            del self._codes[next(iter(self._codes))]

    def _size(self) -> int:
        return sum(len(code._bytes()) for code in self._codes.values())

    def __delitem__(self, key: bytes) -> None:
        del self._codes[key]

    def __contains__(self, key: object) -> bool:
        return key in self._codes

    def __len__(self) -> int:
        return len(self._codes)

    def clear(self) -> None:
        """Forget all."""
        self._codes.clear()


class FileStreamProgramCache(ProgramCacheResource):
    """Code that is kept in a folder, for other processes, too."""

    def __init__(
        self, path: str | Path | None = None, *, max_size_bytes: int | None = None
    ) -> None:
        base = os.environ.get("HEDDLE_CACHE_DIR") or str(Path.home() / ".cache" / "heddle")
        self._folder = Path(base) / "programs" if path is None else Path(path)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._max = max_size_bytes

    def _path(self, key: bytes) -> Path:
        return self._folder / hashlib.sha256(key).hexdigest()

    def _files(self) -> Iterator[Path]:
        return (path for path in self._folder.iterdir() if len(path.name) == 64)

    def __getitem__(self, key: bytes) -> ObjectCode:
        try:
            with open(self._path(key), "rb") as file:
                parts = pickle.load(file)
        except FileNotFoundError:
            raise KeyError(key) from None
        return ObjectCode._of(*parts)

    def __setitem__(self, key: bytes, value: ObjectCode) -> None:
        parts = (value._bytes(), str(value.code_type), value.name, value.symbol_mapping)
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
            pickle.dump(parts, file)
        os.replace(file.name, self._path(key))
        files = sorted(self._files(), key=lambda path: path.stat().st_mtime)
        while self._max is not None and len(files) > 1:
            if sum(path.stat().st_size for path in files) <= self._max:
                break
            files.pop(0).unlink(missing_ok=True)

    def __delitem__(self, key: bytes) -> None:
        try:
            self._path(key).unlink()
        except FileNotFoundError:
            raise KeyError(key) from None

    def __contains__(self, key: object) -> bool:
        return isinstance(key, bytes) and self._path(key).exists()

    def __len__(self) -> int:
        return sum(1 for _ in self._files())

    def clear(self) -> None:
        """Forget all."""
        for path in list(self._files()):
            path.unlink(missing_ok=True)


def make_program_cache_key(
    *,
    code: str | bytes,
    code_type: str,
    options: Any,
    target_type: str,
    name_expressions: Any = (),
    extra_digest: bytes = b"",
) -> bytes:
    """What tells a compilation from others: source, options, compiler."""
    from heddle.cuda.bindings import checked

    data = code.encode() if isinstance(code, str) else code
    backend = "nvvm" if code_type.lower() == "nvvm" else "nvrtc"
    version = checked.nvrtcVersion() if backend == "nvrtc" else checked.nvvmVersion()
    names = [n.encode() if isinstance(n, str) else n for n in name_expressions]
    parts = [code_type.encode(), target_type.encode(), repr(version).encode(), extra_digest]
    parts += [*options.as_bytes(backend), b"|", *names, b"|", data]
    made = hashlib.sha256()
    for part in parts:
        made.update(len(part).to_bytes(8, "little") + part)
    return made.digest()
