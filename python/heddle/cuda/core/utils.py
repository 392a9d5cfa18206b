"""Arrays of any library as addresses, shapes and strides; caches of compiled code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
from heddle.cuda.core._program_cache import (
    FileStreamProgramCache,
    InMemoryProgramCache,
    ProgramCacheResource,
    make_program_cache_key,
)

if TYPE_CHECKING:
    from heddle.cuda.core._tensor_map import TensorMapDescriptor

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
    """The extents of an array, and the elements from one to the next along each axis.

    Examples
    --------
    >>> from heddle.cuda.core import BaseLayout
    >>> BaseLayout((2, 3)).shape
    (2, 3)
    """

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
        if kind == 1:
            seen: Any = numpy.from_dlpack(obj)
            made = cls._of(obj, seen.__array_interface__, -1, False)
        else:
            seen = heddle.from_dlpack(obj)  # the current stream waits for what writes it
            _order(heddle.cuda.get_current_stream().ptr, stream_ptr)
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

    def as_tensor_map(self, *args: object, **named: object) -> TensorMapDescriptor:
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


def _renewed(view: object, made: StridedMemoryView) -> StridedMemoryView:
    """The caller's view, if there is one, of what a new one is of."""
    if view is None:
        return made
    if not isinstance(view, StridedMemoryView):
        raise TypeError(f"view must be a StridedMemoryView, not {type(view).__name__}")
    vars(view).update(vars(made))
    return view


def view_as_cai(
    obj: object, stream_ptr: int | None = None, view: object = None
) -> StridedMemoryView:
    """A view of an object with ``__cuda_array_interface__``: the given one, or a new one."""
    return _renewed(view, StridedMemoryView.from_cuda_array_interface(obj, stream_ptr))


def view_as_array_interface(obj: object, view: object = None) -> StridedMemoryView:
    """A view of an object with ``__array_interface__``: the given one, or a new one.

    Examples
    --------
    >>> import numpy
    >>> from heddle.cuda.core.utils import view_as_array_interface
    >>> view_as_array_interface(numpy.ones((2, 3))).shape
    (2, 3)
    """
    return _renewed(view, StridedMemoryView.from_array_interface(obj))


def args_viewable_as_strided_memory(
    arg_indices: tuple[int, ...],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function that gets arrays at these places as objects whose `view(stream_ptr)` gives a
    `StridedMemoryView`.

    Examples
    --------
    >>> import numpy
    >>> from heddle.cuda.core.utils import args_viewable_as_strided_memory
    >>> @args_viewable_as_strided_memory((0,))
    ... def shape_of(a, stream_ptr):
    ...     return a.view(stream_ptr).shape
    >>> shape_of(numpy.ones((2, 3)), -1)
    (2, 3)
    """

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
