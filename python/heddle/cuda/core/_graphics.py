"""Memory of OpenGL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heddle.cuda.bindings import checked, driver
from heddle.cuda.core._memory import Buffer
from heddle.cuda.core._stream import default_stream, handle_of

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle


class GraphicsResource:
    """A buffer or an image of OpenGL, which CUDA uses while it is mapped."""

    def __init__(self) -> None:
        raise RuntimeError(
            "resources are made by GraphicsResource.from_gl_buffer and from_gl_image"
        )

    _handle: Any
    _stream: Any

    @classmethod
    def _of(cls, handle: object) -> GraphicsResource:
        made = cls.__new__(cls)
        made._handle, made._stream = handle, None
        return made

    @classmethod
    def from_gl_buffer(cls, gl_buffer: int, *, flags: int = 0) -> GraphicsResource:
        """A buffer of OpenGL's."""
        return cls._of(checked.cuGraphicsGLRegisterBuffer(gl_buffer, int(flags)))

    @classmethod
    def from_gl_image(cls, image: int, target: int, *, flags: int = 0) -> GraphicsResource:
        """An image of OpenGL's."""
        return cls._of(checked.cuGraphicsGLRegisterImage(image, target, int(flags)))

    def map(self, *, stream: object = None) -> Buffer:
        """The memory, which OpenGL must not use before `unmap`."""
        given = default_stream() if stream is None else stream
        checked.cuGraphicsMapResources(1, [self._handle], handle_of(given))
        self._stream = given
        address, size = checked.cuGraphicsResourceGetMappedPointer(self._handle)
        return Buffer.from_handle(address, size, owner=self)

    def unmap(self, *, stream: object = None) -> None:
        """Give the memory back to OpenGL."""
        given = self._stream if stream is None else stream
        checked.cuGraphicsUnmapResources(1, [self._handle], handle_of(given))
        self._stream = None

    @property
    def is_mapped(self) -> bool:
        """Whether CUDA uses it."""
        return self._stream is not None

    @property
    def handle(self) -> int:
        """CUDA's handle."""
        return int(self._handle)

    @property
    def resource_handle(self) -> Handle:
        """CUDA's handle, as the driver's functions take it."""
        found: Handle = self._handle
        return found

    def close(self) -> None:
        """Let go of it."""
        if self.is_mapped:
            self.unmap()
        if int(self._handle):
            driver.cuGraphicsUnregisterResource(self._handle)
        self._handle = driver.CUgraphicsResource(0)
