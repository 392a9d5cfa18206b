"""Kernels: what the decorator makes of a function, and how it is launched."""

from __future__ import annotations

import contextlib
import inspect
import math
import types
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, overload

from heddle import _core
from heddle._arguments import launch_sizes
from heddle._core import ndarray
from heddle._runtime.control import default_device
from heddle.simt import _inspection
from heddle.simt._choices import CONTRACTED, EXACT, FAST
from heddle.simt._errors import raised_by

if TYPE_CHECKING:
    from heddle._compiled.signatures import Signature

_FORALL_THREADS = 256
_PLAIN = {int, tuple}


Size = int | Sequence[int]


class Launcher:
    """A kernel with its grid: called with the arguments."""

    __slots__ = ("_block", "_core", "_grid", "_kernel", "_shared", "_stream")

    def __init__(
        self,
        kernel: Kernel,
        grid: list[int],
        block: list[int],
        stream: AbstractContextManager[Any] | None,
        shared: int,
    ) -> None:
        self._kernel, self._core = kernel, kernel._core
        self._grid, self._block, self._stream, self._shared = grid, block, stream, shared

    def __call__(self, *args: object) -> None:
        prepare = self._kernel._prepare
        if prepare is not None:
            args, done = prepare(args)
            # Checked kernels run on the CPU, with what is NumPy's, too.
            checked = self._kernel._options["races"]
            with default_device("cpu") if checked else contextlib.nullcontext():
                self._launch(args)
            done()
        else:
            self._launch(args)

    def _launch(self, args: tuple[object, ...]) -> None:
        try:
            if self._stream is None:
                self._core.launch(self._grid, self._block, self._shared, args)
                return
            with self._stream:
                self._core.launch(self._grid, self._block, self._shared, args)
        except RuntimeError as error:
            kind = raised_by(self._kernel.py_func, error)
            if kind is None:
                raise
            raise kind(str(error).partition(": ")[2]) from None


class ForAll:
    """A kernel over so many threads, in blocks of a usual size."""

    def __init__(
        self,
        kernel: Kernel,
        count: int,
        threads: int,
        stream: AbstractContextManager[Any] | None,
        shared: int,
    ) -> None:
        if count < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {count}")
        self._kernel, self._count, self._threads = kernel, int(count), threads
        self._stream, self._shared = stream, shared

    def __call__(self, *args: object) -> None:
        if self._count == 0:
            return
        threads = self._threads or _FORALL_THREADS
        blocks = math.ceil(self._count / threads)
        Launcher(self._kernel, [blocks], [threads], self._stream, self._shared)(*args)


class Kernel:
    """A function that the threads of a grid run: made by `simt.kernel`.

    ``k[blocks, threads](...)``, ``k((blocks,), (threads,), (...))`` and ``k.forall(n)(...)``
    launch it.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle import simt
    >>> @simt.kernel
    ... def double(x, y):
    ...     i = simt.grid(1)
    ...     if i < x.size:
    ...         y[i] = 2 * x[i]
    >>> y = np.empty(3)
    >>> double.forall(3)(np.arange(3.0), y)
    >>> y
    array([0., 2., 4.])
    """

    _simt_callable = True
    # Whether globals and closure values count as they were when it was compiled.
    keeps_globals = False
    # What is done with the arguments of a launch, and afterwards; None: nothing.
    _prepare: Callable[[tuple[Any, ...]], tuple[tuple[Any, ...], Callable[[], None]]] | None = None

    def __init__(
        self,
        function: types.FunctionType,
        *,
        signatures: object = None,
        debug: bool = False,
        contract: bool = True,
        fastmath: bool = False,
        numba: bool = False,
        check: bool = False,
        lineinfo: bool = False,
        max_registers: int | None = None,
        opt: bool = True,
    ) -> None:
        if not isinstance(function, types.FunctionType):
            raise TypeError(
                f"a kernel is made of a Python function, not of {type(function).__name__}"
            )
        if max_registers is not None and not 16 <= max_registers <= 255:
            raise ValueError(f"max_registers is from 16 to 255, not {max_registers}")
        if check and lineinfo:
            raise ValueError("a kernel that looks for races has no lines for other tools")
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__, self.__wrapped__ = function.__module__, function
        self._options: dict[str, Any] = {
            **{"numba": numba, "debug": debug, "races": check, "lineinfo": lineinfo},
            **{"max_registers": max_registers or 0, "optimized": bool(opt)},
            "rounding": FAST if fastmath else CONTRACTED if contract else EXACT,
        }
        self._core = _core.SimtKernel(self._compile)
        self._last: tuple[Any, Launcher | None] = (None, None)
        self._signatures: list[Any] = []
        if signatures is not None:
            self._sign(signatures)
        elif check:
            self._prepare = _inspection.on_the_cpu

    def _sign(self, given: object) -> None:
        """Types that are given: compiled at once, and arguments are converted to them."""
        from heddle._compiled.signatures import matched, read_signatures

        self._signatures = read_signatures(given, self.__name__)
        for signature in self._signatures:
            if signature.result is not None:
                raise TypeError(f"{self.__name__}: kernels return nothing, not {signature.result}")
            self._core.compile(signature.letters("a"))
        check = self._options["races"]

        def prepare(args: tuple[object, ...]) -> Any:
            _, args = matched(self._signatures, args, self.__name__)
            return _inspection.on_the_cpu(args) if check else (args, lambda: None)

        self._prepare = prepare

    def _compile(self, signature: str) -> tuple[object, ...]:
        from heddle._compiled.saved import find, keep

        made = find(self.py_func, signature, self._options)
        if made is None:
            from heddle.simt._functions import KernelCompiler

            compiler = KernelCompiler(self.py_func, **self._options)
            made = compiler.compile(signature)
            keep(self.py_func, signature, self._options, made, compiler.read_of)
        return (*made[:3], []) if self.keeps_globals else made

    def __getitem__(self, configuration: object) -> Launcher:
        # Launches of a loop are of one shape.
        plain = (
            type(configuration) is tuple
            and len(configuration) == 2
            and {*map(type, configuration)} <= _PLAIN
        )
        if not plain:
            return self._configured(configuration)
        last, launcher = self._last
        if launcher is None or configuration != last:
            launcher = self._configured(configuration)
            self._last = (configuration, launcher)
        return launcher

    def _configured(self, configuration: object) -> Launcher:
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
        args: Sequence[object],
        *,
        shared_mem: int = 0,
        stream: object = None,
    ) -> None:
        """Launches it as CuPy's kernels are launched."""
        if not isinstance(args, (tuple, list)):
            raise TypeError(f"{self.__name__}(grid, block, args): the arguments come in a tuple")
        if stream is None and not shared_mem:
            self[grid, block](*args)
            return
        launcher = Launcher(
            self,
            launch_sizes(grid, "blocks"),
            launch_sizes(block, "threads"),
            _stream(stream),
            int(shared_mem),
        )
        launcher(*args)

    def forall(
        self, ntasks: int, tpb: int = 0, stream: object = None, sharedmem: int = 0
    ) -> ForAll:
        """The kernel over at least `ntasks` threads of one axis: call it with the arguments."""
        return ForAll(self, ntasks, tpb, _stream(stream), sharedmem)

    def configure(
        self, griddim: Size, blockdim: Size, stream: object = None, sharedmem: int = 0
    ) -> Launcher:
        """The same as ``kernel[griddim, blockdim, stream, sharedmem]``."""
        return self[griddim, blockdim, stream, sharedmem]

    def _program(self, args: tuple[object, ...]) -> _core.SimtProgram:
        """The program for arguments like these, or for a signature."""
        if self._signatures and not args:
            return self._core.compile(self._signatures[0].letters("a"))
        return self._core.specialize(args)

    def inspect_llvm(self, *args: Any) -> str:
        """LLVM's text of the kernel for arguments like these, on the current device."""
        return str(self._program(args).text("llvm"))

    def inspect_asm(self, *args: Any) -> str:
        """The assembly of the kernel for arguments like these, on the current device."""
        return str(self._program(args).text("asm"))

    def inspect_ptx(self, *args: ndarray, capability: int = 90) -> str:
        """The PTX of the kernel for arguments like these and a compute capability; needs no GPU."""
        return str(self._program(args).ptx(capability))

    def inspect_sass(self, *args: object, capability: int = 90) -> str:
        """What a GPU of a compute capability runs; needs ``nvdisasm``, but no GPU."""
        return _inspection.disassembled(bytes(self._program(args).cubin(capability)))

    def attributes(self, *args: object) -> dict[str, int]:
        """What the kernel takes for arguments like these, on the current device.

        The most threads of a block, bytes of shared memory of a block and, on a GPU, registers and
        bytes of local memory of a thread and bytes of constants.
        """
        return _inspection.attributes(self._program(args))

    def occupancy(self, block: Size, *args: object, shared_mem: int = 0) -> float:
        """The part of the threads of a multiprocessor that blocks of this size keep busy."""
        return _inspection.occupancy(
            self._program(args), math.prod(launch_sizes(block, "threads")), shared_mem
        )

    def suggest_block_size(self, *args: object, shared_mem: int = 0) -> tuple[int, int]:
        """How many blocks keep the device busy, and of how many threads they are then.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle import simt
        >>> @simt.kernel
        ... def double(x):
        ...     i = simt.grid(1)
        ...     if i < x.size:
        ...         x[i] *= 2
        >>> blocks, threads = double.suggest_block_size(np.ones(10))  # doctest: +SKIP
        """
        return _inspection.suggested(self._program(args), shared_mem)

    @property
    def signatures(self) -> list[str]:
        """For which types of arguments it was compiled."""
        return list(self._core.signatures)

    def __repr__(self) -> str:
        return f"<simt.kernel {self.__name__}>"


class Func:
    """A function that kernels call: made by `simt.func`. It can be called from Python, too."""

    _simt_callable = True

    def __init__(self, function: types.FunctionType, signatures: object = None) -> None:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"simt.func takes a Python function, not {type(function).__name__}")
        self.py_func = function
        self._simt_signatures: list[Any] = []  # types that numbers are converted to
        if signatures is not None:
            from heddle._compiled.signatures import read_signatures

            self._simt_signatures = read_signatures(signatures, function.__name__)
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: object, **keywords: object) -> Any:
        return self.py_func(*args, **keywords)

    def __repr__(self) -> str:
        return f"<simt.func {self.__name__}>"


def _stream(stream: object) -> Any:
    if stream is None or stream == 0:
        return None
    if not hasattr(stream, "__enter__"):
        raise TypeError(f"a stream is needed, not {type(stream).__name__}")
    return stream


@overload
def kernel(
    function: str | Sequence[Any] | Signature | None = None,
    *,
    debug: bool = False,
    check: bool = False,
    contract: bool = True,
    fastmath: bool = False,
    max_registers: int | None = None,
    lineinfo: bool = False,
    opt: bool = True,
) -> Callable[[Callable[..., Any]], Kernel]: ...
@overload
def kernel(
    function: Callable[..., Any],
    *,
    debug: bool = False,
    check: bool = False,
    contract: bool = True,
    fastmath: bool = False,
    max_registers: int | None = None,
    lineinfo: bool = False,
    opt: bool = True,
) -> Kernel: ...


def kernel(
    function: object = None,
    *,
    debug: bool = False,
    check: bool = False,
    contract: bool = True,
    fastmath: bool = False,
    max_registers: int | None = None,
    lineinfo: bool = False,
    opt: bool = True,
) -> Any:
    """A kernel of a function, which is compiled for the types of its arguments at the first launch.

    Given types, as in ``simt.kernel("void(float32[:], int32)")`` or a list of such, it is compiled
    for these at once, and arguments are converted to them.

    `debug`: an index out of range is an `IndexError` that says the line, the thread, the index and
    the size. `check`: the kernel runs on the CPU, and a data race or a barrier that not all threads
    of a block reach is a `RaceError` that names both lines. `contract`: ``a * b + c`` may be
    rounded once, as CUDA does it. `fastmath`: sums may be taken in another order, and nothing is
    promised of infinities and NaNs. `max_registers`: of a thread on a GPU. `lineinfo`: profilers
    see source lines. `opt`: False leaves the code as it is written.

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
    options: dict[str, Any] = {
        **{"debug": debug, "check": check, "contract": contract, "fastmath": fastmath},
        **{"max_registers": max_registers, "lineinfo": lineinfo, "opt": opt},
    }
    if isinstance(function, types.FunctionType):
        return Kernel(function, **options)
    return lambda inner: Kernel(inner, signatures=function, **options)


def func(function: Callable[..., Any]) -> Func:
    """A function that kernels call. Plain functions may be called as well; this one says so.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle import simt
    >>> @simt.func
    ... def cube(x):
    ...     return x * x * x
    >>> @simt.kernel
    ... def cubes(x):
    ...     i = simt.grid(1)
    ...     if i < x.size:
    ...         x[i] = cube(x[i])
    >>> x = np.arange(4.0)
    >>> cubes.forall(4)(x)
    >>> x
    array([ 0.,  1.,  8., 27.])
    """
    if not inspect.isfunction(function):
        raise TypeError(f"simt.func takes a Python function, not {type(function).__name__}")
    return Func(function)
