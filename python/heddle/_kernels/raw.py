"""Kernels and modules of CUDA C++ as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from heddle import _core
from heddle._arguments import launch_sizes
from heddle._kernels.attributes import KernelFacts
from heddle._kernels.host import (
    ATTRIBUTES,
    OnHost,
    compile_for_host,
    is_debugged,
    is_installed,
)
from heddle._kernels.on_arrays import device_without_cuda
from heddle.cuda import compiler
from heddle.cuda.device import get_device_id
from heddle.cuda.memory import MemoryPointer, UnownedMemory
from heddle.simt._inspection import on_the_cpu

Sizes = int | Sequence[int]


def _device_of(args: Sequence[object]) -> str | int:
    """Where a launch runs: a GPU by its number, or the name of a device that the host runs."""
    if any(type(a) is tuple for a in args):
        args = [a[0] if isinstance(a, tuple) else a for a in args]
    here = device_without_cuda(args)
    return get_device_id() if here is None else here


class Loaded:
    """A kernel on one GPU. Called as `kernel(grid, block, args, shared_mem=0)`."""

    def __init__(self, function: Any, cooperative: bool) -> None:
        self._function = function
        self._cooperative = cooperative

    def __call__(
        self, grid: Sizes, block: Sizes, args: Sequence[Any], *, shared_mem: int = 0
    ) -> None:
        self._function.launch(
            launch_sizes(grid, "blocks"),
            launch_sizes(block, "threads"),
            shared_mem,
            self._cooperative,
            args,
        )

    @property
    def ptr(self) -> int:
        return int(self._function.ptr)

    def cooperative(self) -> Loaded:
        """The same, with all blocks at the same time."""
        return Loaded(self._function, True)

    def attribute(self, number: int) -> int:
        return int(self._function.attribute(number))

    def set_attribute(self, number: int, value: int) -> None:
        self._function.set_attribute(number, value)

    def get(self, name: str) -> int:
        return self.attribute(ATTRIBUTES[name])

    def set(self, name: str, value: int) -> None:
        self.set_attribute(ATTRIBUTES[name], value)


class RawKernel(KernelFacts):
    """A kernel in CUDA C++.

    Parameters
    ----------
    code : str
        The source. The kernel is `extern "C"`.
    name : str
        The kernel's name in it.
    options : tuple of str
        Options of the compiler.
    backend : {'nvrtc', 'nvcc'}
        The compiler.
    translate_cucomplex : bool
        Whether the source uses the functions of cuComplex.h, for both precisions under one name.
    enable_cooperative_groups : bool
        Whether all blocks run at the same time, so that the grid can wait for itself.
    check : bool
        Whether the kernel is looked at while it runs, on the CPU wherever the arrays are: an index
        out of range is an `IndexError`, a data race or a barrier that not all threads of a block
        reach a `heddle.simt.RaceError`, which name the lines of the source.

    Notes
    -----
    Arrays are given as addresses of their first elements; those of non-contiguous arrays are
    strided. All arrays are taken as read and written. Python's integers are long long, floats
    double; NumPy's numbers have their own types, and its records are structs.

    Examples
    --------
    >>> add = heddle.RawKernel(r'''
    ... extern "C" __global__ void add(const float* x, const float* y, float* z, long long n) {
    ...   long long i = blockIdx.x * blockDim.x + threadIdx.x;
    ...   if (i < n) z[i] = x[i] + y[i];
    ... }''', "add")
    >>> add.name
    'add'
    >>> add((4,), (256,), (x, y, z, 1000))  # doctest: +SKIP
    """

    def __init__(
        self,
        code: str,
        name: str,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        jitify: bool = False,
        enable_cooperative_groups: bool = False,
        check: bool = False,
    ) -> None:
        self._module = RawModule(
            code=code,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            jitify=jitify,
            enable_cooperative_groups=enable_cooperative_groups,
            check=check,
        )
        if not isinstance(name, str):
            raise TypeError(f"the name of a kernel is a string, not {type(name).__name__}")
        self._name = name
        self._loaded: dict[str | int, Loaded | OnHost] = {}

    @classmethod
    def _of(cls, module: RawModule, name: str) -> RawKernel:
        made = cls.__new__(cls)
        made._module, made._name, made._loaded = module, name, {}
        return made

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_loaded": {}}

    @property
    def name(self) -> str:
        return self._name

    @property
    def code(self) -> str | None:
        return self._module.code

    @property
    def options(self) -> tuple[str, ...]:
        return self._module.options

    @property
    def backend(self) -> str:
        return self._module.backend

    @property
    def file_path(self) -> str | None:
        return self._module.file_path

    @property
    def enable_cooperative_groups(self) -> bool:
        return self._module.enable_cooperative_groups

    @property
    def kernel(self) -> Loaded | OnHost:
        """The kernel on the current GPU, or on the CPU where there is none, compiled and loaded."""
        return self._on(self._module._device_now())

    def _on(self, device: str | int) -> Loaded | OnHost:
        loaded = self._loaded.get(device)
        if loaded is None:
            loaded = self._loaded[device] = self._module._load(self._name, device)
        return loaded

    def __call__(
        self, grid: Sizes, block: Sizes, args: Sequence[object], *, shared_mem: int = 0
    ) -> None:
        """Launch it: `grid` blocks of `block` threads, each with `args`."""
        if not self._module.check:
            self._on(_device_of(args))(grid, block, args, shared_mem=shared_mem)
            return
        moved, put_back = on_the_cpu(tuple(args))
        try:
            self._on("cpu")(grid, block, moved, shared_mem=shared_mem)
        finally:
            put_back()

    def compile(self, log_stream: IO[str] | None = None) -> None:
        """Compile it now, and write what the compiler says to a file."""
        self._module.compile(log_stream)
        self.kernel  # noqa: B018

    @property
    def attributes(self) -> dict[str, int]:
        """All that the driver knows of it."""
        return {name: self.kernel.get(name) for name in ATTRIBUTES}

    def _attribute(self, name: str) -> int:
        return int(self.kernel.get(name))

    def _set_attribute(self, name: str, value: int) -> None:
        self.kernel.set(name, value)


class RawModule:
    """Several kernels and variables of CUDA C++, or of code that was compiled before.

    Parameters
    ----------
    code : str, optional
        The source.
    path : str, optional
        A file of PTX, a cubin or a fatbin instead.
    options : tuple of str
        Options of the compiler.
    backend : {'nvrtc', 'nvcc'}
        The compiler.
    translate_cucomplex : bool
        Whether the source uses the functions of cuComplex.h, for both precisions under one name.
    enable_cooperative_groups : bool
        Whether kernels are launched with all blocks at the same time.
    name_expressions : sequence of str, optional
        Instances of templates that are wanted, as `sum<float>`; NVRTC only.
    check : bool
        Whether kernels are looked at while they run; see `RawKernel`.

    Examples
    --------
    >>> module = heddle.RawModule(code='''
    ... template <typename T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
    ... ''', name_expressions=["fill<float>", "fill<int>"])
    >>> module.get_function("fill<float>").name
    'fill<float>'
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | Path | None = None,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        jitify: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        check: bool = False,
    ) -> None:
        if (code is None) == (path is None):
            raise TypeError("exactly one of `code` and `path` is given")
        if backend not in ("nvrtc", "nvcc"):
            raise ValueError(f"the backend is 'nvrtc' or 'nvcc', not {backend!r}")
        if isinstance(options, str) or not all(isinstance(option, str) for option in options):
            raise TypeError("options are a tuple of strings")
        if jitify:
            raise NotImplementedError(
                "jitify is not used: include <cuda/std/...> in place of the standard headers"
            )
        if name_expressions is not None and (path is not None or backend != "nvrtc"):
            raise ValueError("name_expressions need a source and the backend 'nvrtc'")
        if check and code is None:
            raise ValueError("what is checked is a source, not code that was compiled before")
        if check and is_debugged(options):
            raise ValueError("a kernel that is checked has no lines for a debugger: check or -G")
        if code is not None and translate_cucomplex:
            code = f"#include <heddle/cucomplex.cuh>\n#line 1\n{code}"
        self.code = code
        self.file_path = None if path is None else str(path)
        self.options = tuple(options)
        self.backend = backend
        self.enable_cooperative_groups = enable_cooperative_groups
        self.name_expressions = None if name_expressions is None else tuple(name_expressions)
        self.check = check
        self._modules: dict[str | int, tuple[Any, dict[str, str]]] = {}

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_modules": {}}

    @property
    def module(self) -> Any:
        """The code on the current GPU, or on the CPU where there is none, compiled and loaded."""
        return self._loaded(self._device_now())[0]

    def _device_now(self) -> str | int:
        """Where kernels without arrays run: on a GPU where there is one."""
        return get_device_id() if _core.cuda.is_available() and not self.check else "cpu"

    def _loaded(
        self, device: str | int, log_stream: IO[str] | None = None
    ) -> tuple[Any, dict[str, str]]:
        if device not in self._modules:
            if isinstance(device, str):
                code, names = self._compiled_for_host(device, log_stream)
                self._modules[device] = (_core.sources.Module(device, code), names)
            else:
                image, names = self._compiled(log_stream)
                self._modules[device] = (_core.cuda.Module(device, image), names)
        return self._modules[device]

    def _compiled_for_host(
        self, device: str, log_stream: IO[str] | None
    ) -> tuple[bytes, dict[str, str]]:
        if self.code is None:
            raise RuntimeError(f"{self.file_path} is code for GPUs; on a CPU a source is needed")
        return compile_for_host(
            device,
            self.code,
            self.options,
            self.name_expressions,
            log_stream=log_stream,
            check=self.check,
        )

    def _compiled(self, log_stream: IO[str] | None) -> tuple[bytes, dict[str, str]]:
        if self.code is None:
            return Path(str(self.file_path)).read_bytes() + b"\0", {}
        if self.backend == "nvcc":
            made = compiler.compile_using_nvcc(self.code, self.options, log_stream=log_stream)
            return made, {}
        return compiler.compile_using_nvrtc(
            self.code,
            self.options,
            name_expressions=self.name_expressions,
            log_stream=log_stream,
        )

    def compile(self, log_stream: IO[str] | None = None) -> None:
        """Compile it now, and write what the compiler says to a file."""
        self._loaded(self._device_now(), log_stream)

    def _load(self, name: str, device: str | int) -> Loaded | OnHost:
        module, names = self._loaded(device)
        symbol = names.get(name, name)
        if isinstance(device, str):
            return OnHost(module, symbol, self.enable_cooperative_groups)
        return Loaded(module.function(symbol), self.enable_cooperative_groups)

    def get_function(self, name: str) -> RawKernel:
        """A kernel, by its name or by one of the name expressions; compiled and loaded."""
        made = RawKernel._of(self, name)
        device = "cpu" if self.check else _device_of(())
        if not isinstance(device, str) or is_installed():
            made._on(device)
        return made

    def get_global(self, name: str) -> MemoryPointer:
        """The memory of a variable, __constant__ or __device__."""
        device = self._device_now()
        module, names = self._loaded(device)
        address, size = module.variable(names.get(name, name))
        memory = UnownedMemory(address, size, self, 0 if isinstance(device, str) else device)
        return MemoryPointer(memory, 0)
