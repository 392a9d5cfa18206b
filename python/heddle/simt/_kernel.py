"""Kernels: what the decorator makes of a function, and how it is launched."""

import inspect
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

from heddle import _core
from heddle._arguments import launch_sizes
from heddle.simt import _words as w
from heddle.simt._compiler import Compiler

_FORALL_THREADS = 256


Size = int | Sequence[int]


class Launcher:
    """A kernel with its grid: called with the arguments."""

    __slots__ = ("_block", "_core", "_grid", "_kernel", "_shared", "_stream")

    def __init__(
        self, kernel: "Kernel", grid: list[int], block: list[int], stream: Any, shared: int
    ) -> None:
        self._kernel, self._core = kernel, kernel._core
        self._grid, self._block, self._stream, self._shared = grid, block, stream, shared

    def __call__(self, *args: Any) -> None:
        if self._stream is None:
            self._core.launch(self._grid, self._block, self._shared, args)
            return
        with self._stream:
            self._core.launch(self._grid, self._block, self._shared, args)


class ForAll:
    """A kernel over so many threads, in blocks of a usual size."""

    def __init__(
        self, kernel: "Kernel", count: int, threads: int, stream: Any, shared: int
    ) -> None:
        self._kernel, self._count, self._threads = kernel, int(count), threads
        self._stream, self._shared = stream, shared

    def __call__(self, *args: Any) -> None:
        if self._count < 0:
            raise ValueError(f"forall: {self._count} threads")
        if self._count == 0:
            return
        threads = self._threads or _FORALL_THREADS
        blocks = math.ceil(self._count / threads)
        Launcher(self._kernel, [blocks], [threads], self._stream, self._shared)(*args)


class Kernel:
    """A function that the threads of a grid run: made by `simt.kernel`.

    ``k[blocks, threads](...)``, ``k((blocks,), (threads,), (...))`` and ``k.forall(n)(...)``
    launch it.
    """

    _simt_callable = True

    def __init__(
        self,
        function: types.FunctionType,
        *,
        debug: bool = False,
        contract: bool = True,
        numba: bool = False,
    ) -> None:
        if not isinstance(function, types.FunctionType):
            raise TypeError(
                f"a kernel is made of a Python function, not of {type(function).__name__}"
            )
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__wrapped__ = function
        rounding = w.CONTRACTED if contract else w.EXACT
        self._options: dict[str, Any] = {"debug": debug, "rounding": rounding, "numba": numba}
        self._core = _core.SimtKernel(self._compile)

    def _compile(self, signature: str) -> tuple[bytes, list[str], str, list[Any]]:
        return Compiler(self.py_func, **self._options).compile(signature)

    def __getitem__(self, configuration: Any) -> Launcher:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise ValueError(
                f"{self.__name__}[blocks, threads] needs the number of blocks and of threads, "
                "and takes a stream and the bytes of shared memory"
            )
        grid, block = (launch_sizes(c, "blocks and threads") for c in configuration[:2])
        stream = configuration[2] if len(configuration) > 2 else None
        shared = int(configuration[3]) if len(configuration) > 3 else 0
        return Launcher(self, grid, block, _stream(stream), shared)

    def __call__(
        self,
        grid: Size,
        block: Size,
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Launches it as CuPy's kernels are launched."""
        if not isinstance(args, (tuple, list)):
            raise TypeError(f"{self.__name__}(grid, block, args): the arguments come in a tuple")
        launcher = Launcher(
            self,
            launch_sizes(grid, "blocks"),
            launch_sizes(block, "threads"),
            _stream(stream),
            int(shared_mem),
        )
        launcher(*args)

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = None, sharedmem: int = 0) -> ForAll:
        """The kernel over at least `ntasks` threads of one axis: call it with the arguments."""
        return ForAll(self, ntasks, tpb, _stream(stream), sharedmem)

    def configure(
        self, griddim: Size, blockdim: Size, stream: Any = None, sharedmem: int = 0
    ) -> Launcher:
        """The same as ``kernel[griddim, blockdim, stream, sharedmem]``."""
        return self[griddim, blockdim, stream, sharedmem]

    def inspect_llvm(self, *args: Any) -> str:
        """LLVM's text of the kernel for arguments like these, on the current device."""
        return str(self._core.specialize(args).text("llvm"))

    def inspect_asm(self, *args: Any) -> str:
        """The assembly of the kernel for arguments like these, on the current device."""
        return str(self._core.specialize(args).text("asm"))

    def inspect_ptx(self, *args: Any, capability: int = 90) -> str:
        """The PTX of the kernel for arguments like these and a compute capability; needs no GPU."""
        return str(self._core.specialize(args).ptx(capability))

    @property
    def signatures(self) -> list[str]:
        """For which types of arguments it was compiled."""
        return list(self._core.signatures)

    def __repr__(self) -> str:
        return f"<simt.kernel {self.__name__}>"


class Func:
    """A function that kernels call: made by `simt.func`. It can be called from Python, too."""

    _simt_callable = True

    def __init__(self, function: types.FunctionType) -> None:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"simt.func takes a Python function, not {type(function).__name__}")
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.py_func(*args, **keywords)

    def __repr__(self) -> str:
        return f"<simt.func {self.__name__}>"


def _stream(stream: Any) -> Any:
    if stream is None or stream == 0:
        return None
    if not hasattr(stream, "__enter__"):
        raise TypeError(f"a stream is needed, not {type(stream).__name__}")
    return stream


def kernel(function: Any = None, *, debug: bool = False, contract: bool = True) -> Any:
    """A kernel of a function, which is compiled for the types of its arguments at the first launch.

    `debug`: an index out of range is an `IndexError` that says the line, the thread, the index and
    the size. `contract`: ``a * b + c`` may be rounded once, as CUDA does it.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import simt
    >>> @simt.kernel
    ... def add(x, y, out):
    ...     i = simt.grid(1)
    ...     if i < out.size:
    ...         out[i] = x[i] + y[i]
    >>> x, y, out = hd.arange(4.0), hd.ones(4), hd.zeros(4)
    >>> add[1, 32](x, y, out)  # doctest: +SKIP
    >>> out  # doctest: +SKIP
    array([1., 2., 3., 4.])
    """
    if function is None:
        return lambda inner: Kernel(inner, debug=debug, contract=contract)
    return Kernel(function, debug=debug, contract=contract)


def func(function: Callable[..., Any]) -> Func:
    """A function that kernels call. Plain functions may be called as well; this one says so."""
    if not inspect.isfunction(function):
        raise TypeError(f"simt.func takes a Python function, not {type(function).__name__}")
    return Func(function)
