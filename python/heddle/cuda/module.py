"""Code for GPUs that was compiled before, and its functions, with CuPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heddle._kernels.raw import RawKernel, RawModule, Sizes
from heddle.cuda.memory import MemoryPointer

if TYPE_CHECKING:
    from heddle.cuda.stream import BaseStream

__all__ = ["Function", "Module"]


class ImageModule(RawModule):
    """Code in memory: PTX, a cubin or a fatbin."""

    def __init__(self, image: bytes) -> None:
        super().__init__(code="")
        self.code = None
        self.image = image + b"\0"  # PTX ends with a zero

    def _compiled(self, log_stream: object) -> tuple[bytes, dict[str, str]]:
        return self.image, {}


def image_module(image: bytes) -> ImageModule:
    """A module of code in memory."""
    return ImageModule(image)


class Function:
    """A kernel of a module; called with a grid, a block and arguments.

    Examples
    --------
    >>> import heddle as np
    >>> code = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
    >>> twice = np.RawModule(code=code).get_function("twice")
    >>> x = np.ones(4, dtype=np.float32)
    >>> twice((1,), (4,), (x,))
    >>> float(x.sum())
    8.0
    """

    def __init__(self, module: Module, funcname: str) -> None:
        self.module = module
        self.name = funcname
        self._kernel: RawKernel = module._need().get_function(funcname)
        self.ptr = self._kernel.kernel.ptr

    def __call__(
        self,
        grid: Sizes,
        block: Sizes,
        args: Sequence[object],
        shared_mem: int = 0,
        stream: BaseStream | None = None,
        enable_cooperative_groups: bool = False,
    ) -> None:
        """Launch it."""
        kernel = self._kernel.kernel
        if enable_cooperative_groups:
            kernel = kernel.cooperative()
        if stream is None:
            kernel(grid, block, args, shared_mem=shared_mem)
        else:
            with stream:
                kernel(grid, block, args, shared_mem=shared_mem)

    def linear_launch(
        self,
        size: int,
        args: Sequence[object],
        shared_mem: int = 0,
        block_max_size: int = 128,
        stream: BaseStream | None = None,
    ) -> None:
        """Launch enough blocks for so many threads."""
        threads = max(1, min(size, block_max_size))
        blocks = max(1, -(-size // threads))
        self((blocks,), (threads,), args, shared_mem, stream)


class Module:
    """Code that a file or bytes have: PTX, a cubin or a fatbin.

    Examples
    --------
    >>> from heddle import cuda
    >>> code = ".version 7.0 .target sm_75 .address_size 64 .visible .entry nothing() { ret; }"
    >>> module = cuda.Module()
    >>> module.load(code.encode())
    >>> module.get_function("nothing")((1,), (1,), ())
    """

    def __init__(self) -> None:
        self._loaded: RawModule | None = None

    def load_file(self, filename: str) -> None:
        """Take the code of a file."""
        self.load(Path(filename).read_bytes())

    def load(self, cubin: bytes) -> None:
        """Take code that is in memory."""
        self._loaded = image_module(bytes(cubin))
        self._loaded.compile()

    def _need(self) -> RawModule:
        if self._loaded is None:
            raise RuntimeError("a module has no code before load or load_file")
        return self._loaded

    def get_function(self, name: str) -> Function:
        """A kernel by its name."""
        return Function(self, name)

    def get_global_var(self, name: str) -> MemoryPointer:
        """The memory of a variable."""
        return self._need().get_global(name)

    get_global = get_global_var
