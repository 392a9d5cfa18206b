"""`cuda.jit`: kernels with Numba's options, and what can be asked of them."""

from __future__ import annotations

import types as python_types
from collections.abc import Callable, Sequence
from typing import IO, Any, Literal, TypeVar, overload

from heddle._compiled.signatures import Signature, read_signatures, signature_of, typeof, void
from heddle.simt._kernel import Func, Kernel

# What says how code is made, and changes nothing of what it does: kernels are in the cache on disk,
# and take functions along, in any case.
_PERMISSIONS = {"cache", "inline", "forceinline", "lto", "abi", "abi_info"}

_T = TypeVar("_T")


class Overload:
    """A kernel for one signature."""

    def __init__(self, program: Any, signature: Signature) -> None:
        self._program, self.signature = program, signature

    def inspect_asm(self) -> str:
        """PTX."""
        return str(self._program.ptx(90))

    def max_cooperative_grid_blocks(self, blockdim: object, dynsmemsize: int = 0) -> int:
        """How many blocks of this size can wait for one another."""
        threads = 1
        for size in blockdim if isinstance(blockdim, tuple) else (blockdim,):
            threads *= size
        blocks, multiprocessors, _ = self._program.residence(threads, dynsmemsize)
        return int(blocks * multiprocessors)

    @property
    def regs_per_thread(self) -> int:
        """Registers of a thread, on a GPU."""
        return self._fact("registers")

    @property
    def shared_mem_per_block(self) -> int:
        """Bytes of shared memory of a block, dynamic memory apart."""
        return self._fact("shared_bytes")

    @property
    def local_mem_per_thread(self) -> int:
        """Bytes of memory of a thread, on a GPU."""
        return self._fact("local_bytes")

    @property
    def const_mem_size(self) -> int:
        """Bytes of constants, on a GPU."""
        return self._fact("constant_bytes")

    @property
    def max_threads_per_block(self) -> int:
        """The most threads that a block can have."""
        return self._fact("max_threads")

    def _fact(self, name: str) -> int:
        from heddle.simt._inspection import attributes

        found = attributes(self._program)
        if name not in found:
            raise RuntimeError(f"only GPUs say that of a kernel: {name.replace('_', ' ')}")
        return found[name]


class Dispatcher(Kernel):
    """A kernel, with what Numba's can be asked: made by `cuda.jit`."""

    def __init__(self, function: Any, **options: Any) -> None:
        super().__init__(function, **options)
        self._given = {name: value for name, value in options.items() if name != "signatures"}
        self.specializations: dict[Signature, Dispatcher] = {}

    @property
    def overloads(self) -> dict[Any, Overload]:
        """What was compiled, by the types of the arguments."""
        made = {}
        for letters in self._core.signatures:
            signature = signature_of(letters)
            made[signature.args] = Overload(self._core.compile(letters), signature)
        return made

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments for which it was compiled."""
        return [*self.overloads]

    @property
    def specialized(self) -> bool:
        """Whether its types are given."""
        return bool(self._signatures)

    def compile(self, sig: object) -> Overload:
        """Compiles it for a signature."""
        (signature,) = read_signatures(sig, self.__name__)
        return Overload(self._core.compile(signature.letters("a")), signature)

    def specialize(self, *args: object) -> Dispatcher:
        """The same kernel for the types of these arguments, or for these types, only."""
        if self.specialized:
            raise RuntimeError(f"Dispatcher already specialized: {self.__name__}")
        types = Signature(None, tuple(a if hasattr(a, "letters") else typeof(a) for a in args))
        if types not in self.specializations:
            self.specializations[types] = Dispatcher(
                self.py_func, signatures=[types], **self._given
            )
        return self.specializations[types]

    def _each(self, signature: object, ask: Callable[[Overload], _T]) -> _T | dict[Any, _T]:
        """What is asked of a kernel for a signature; of all, by their types."""
        if signature is not None:
            return ask(self.compile(signature))
        return {types: ask(overload) for types, overload in self.overloads.items()}

    def _fact(self, signature: object, name: str) -> int | dict[Any, int]:
        """A number; of a specialized kernel it is one, too."""
        if signature is None and self.specialized:
            signature = self._signatures[0]
        return self._each(signature, lambda o: int(getattr(o, name)))

    def inspect_llvm(self, signature: object = None) -> str | dict[Any, str]:  # type: ignore[override]
        """LLVM's text for a signature, or of all by their types."""
        return self._each(signature, lambda o: str(o._program.text("llvm")))

    def inspect_asm(self, signature: object = None) -> str | dict[Any, str]:  # type: ignore[override]
        """PTX for a signature, or of all by their types."""
        return self._each(signature, Overload.inspect_asm)

    def inspect_sass(self, signature: object = None) -> str | dict[Any, str]:  # type: ignore[override]
        """What a GPU runs, for a signature, or of all by their types; needs ``nvdisasm``."""
        from heddle.simt._inspection import disassembled

        return self._each(signature, lambda o: disassembled(bytes(o._program.cubin(90))))

    def inspect_types(self, file: IO[str] | None = None) -> None:
        """Prints for which types of arguments it was compiled."""
        for signature in self.signatures:
            print(f"{self.__name__} {signature}", file=file)

    def get_regs_per_thread(self, signature: object = None) -> int | dict[Any, int]:
        """Registers of a thread, on a GPU."""
        return self._fact(signature, "regs_per_thread")

    def get_shared_mem_per_block(self, signature: object = None) -> int | dict[Any, int]:
        """Bytes of shared memory of a block, dynamic memory apart."""
        return self._fact(signature, "shared_mem_per_block")

    def get_local_mem_per_thread(self, signature: object = None) -> int | dict[Any, int]:
        """Bytes of memory of a thread, on a GPU."""
        return self._fact(signature, "local_mem_per_thread")

    def get_const_mem_size(self, signature: object = None) -> int | dict[Any, int]:
        """Bytes of constants, on a GPU."""
        return self._fact(signature, "const_mem_size")

    def get_max_threads_per_block(self, signature: object = None) -> int | dict[Any, int]:
        """The most threads that a block can have."""
        return self._fact(signature, "max_threads_per_block")


@overload
def jit(  # type: ignore[overload-overlap]
    func_or_sig: Callable[..., Any], *, device: Literal[True], **options: object
) -> Func: ...
@overload
def jit(
    func_or_sig: Callable[..., Any], signature: object = None, **options: object
) -> Dispatcher: ...
@overload
def jit(  # type: ignore[overload-overlap]
    func_or_sig: str | Sequence[Any] | Signature | None = None,
    signature: object = None,
    *,
    device: Literal[True],
    **options: object,
) -> Callable[[Callable[..., Any]], Func]: ...
@overload
def jit(
    func_or_sig: str | Sequence[Any] | Signature | None = None,
    signature: object = None,
    **options: object,
) -> Callable[[Callable[..., Any]], Dispatcher]: ...
def jit(func_or_sig: Any = None, signature: Any = None, **options: Any) -> Any:
    """A kernel, or with ``device=True`` a function for kernels.

    Types that are given (``cuda.jit("void(float32[:], int32)")``) are compiled at once, and
    arguments are converted to them; others are found when it is launched. `debug`, `fastmath`,
    `max_registers`, `lineinfo` and `opt` are those of `simt.kernel`.

    Examples
    --------
    >>> import numpy
    >>> from heddle import numba_cuda as cuda
    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> x = numpy.arange(3.0)
    >>> double[1, 32](x)
    >>> x
    array([0., 2., 4.])
    """
    device = options.pop("device", False)
    link = options.pop("link", None)
    if link:
        raise NotImplementedError("cuda.jit: foreign code is not linked; use heddle.RawModule")
    names = ("debug", "fastmath", "max_registers", "lineinfo", "opt")
    known = {n: options.pop(n) for n in names if options.get(n) is not None or n in options}
    known = {n: v for n, v in known.items() if v is not None}
    unknown = set(options) - _PERMISSIONS
    if unknown:
        raise NotImplementedError(f"cuda.jit: {', '.join(sorted(unknown))} cannot be said here")
    known["numba"] = True
    given = signature
    if func_or_sig is not None and not isinstance(func_or_sig, python_types.FunctionType):
        func = getattr(func_or_sig, "py_func", None)
        given, func_or_sig = (given, func) if func is not None else (func_or_sig, None)

    def make(function: Callable[..., Any]) -> Func | Dispatcher:
        if device:
            return Func(function, signatures=given)  # type: ignore[arg-type]
        return Dispatcher(function, signatures=given, **known)

    return make(func_or_sig) if func_or_sig is not None else make


def compile_ptx(
    pyfunc: Callable[..., Any],
    sig: object,
    cc: tuple[int, int] | None = None,
    device: bool = False,
    **options: Any,
) -> tuple[str, Any]:
    """The PTX of a kernel for a signature and a compute capability, and what it returns.

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> def scale(x, by):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= by
    >>> ptx, result = cuda.compile_ptx(scale, "void(float64[:], float64)")
    >>> ".visible .entry" in ptx
    True
    """
    if device:
        raise NotImplementedError("cuda.compile_ptx: functions are part of the kernels they are in")
    made: Dispatcher = jit(pyfunc, **options)
    major, minor = cc or (9, 0)
    return str(made.compile(sig)._program.ptx(10 * major + minor)), void


def compile_ptx_for_current_device(
    pyfunc: Callable[..., Any], sig: object, **options: Any
) -> tuple[str, Any]:
    """The same for the current device, where it is a GPU."""
    from heddle.numba_cuda.devices import get_current_device

    return compile_ptx(pyfunc, sig, cc=get_current_device().compute_capability, **options)


def compile(
    pyfunc: Callable[..., Any], sig: object, output: str = "ptx", **options: Any
) -> tuple[str, Any]:
    """The code of a kernel for a signature: ``output`` is "ptx".

    Examples
    --------
    >>> from heddle import numba_cuda as cuda
    >>> def scale(x, by):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= by
    >>> code, result = cuda.compile(scale, "void(float64[:], float64)")
    >>> ".visible .entry" in code
    True
    """
    if output != "ptx":
        raise NotImplementedError(f"cuda.compile: the output is 'ptx', not {output!r}")
    return compile_ptx(pyfunc, sig, **options)


compile_for_current_device = compile_ptx_for_current_device
