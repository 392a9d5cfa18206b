"""Sources of CUDA C++ as modules."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from heddle import _core
from heddle._kernels.raw import RawModule
from heddle.cuda import compiler as cuda_compiler
from heddle.cuda.bindings import checked, nvjitlink
from heddle.cuda.device import Device
from heddle.cuda.environment import get_nvcc_path
from heddle.cuda.module import image_module
from heddle.pycuda._errors import CompileError
from heddle.pycuda._modules import Module

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CudaModule",
    "DynamicModule",
    "DynamicSourceModule",
    "SourceModule",
    "compile",
    "compile_plain",
    "get_nvcc_version",
    "preprocess_source",
]

DEFAULT_NVCC_FLAGS: list[str] = []

# Headers of the host's compiler, which device code does not need: what they declare is there.
_HOST_HEADERS = (
    r"(c?(stdio|stdlib|math|string|assert|time)(\.h)?|cuda(_runtime(_api)?)?\.h|iostream)"
)
_TYPES = {
    "stdint.h": "cuda/std/cstdint",
    "limits.h": "cuda/std/climits",
    "float.h": "cuda/std/cfloat",
}
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"].*$", re.M)


def _includes(source: str) -> tuple[list[str], str]:
    """What a source includes, and the source without: they stand before `extern "C"`."""
    found = []

    def take(match: re.Match[str]) -> str:
        name = match.group(1)
        if not re.fullmatch(_HOST_HEADERS, name):
            found.append(f"#include <{_TYPES[name]}>" if name in _TYPES else match.group().strip())
        return ""

    return found, _INCLUDE.sub(take, source)


def _prepared(source: str, no_extern_c: bool) -> str:
    includes, rest = _includes(source)
    if not no_extern_c:
        # Lines keep their numbers: what the compiler says is about the source as it was given.
        rest = f'extern "C" {{\n#line 1 "source.cu"\n{rest}\n}}\n'
    else:
        rest = f'#line 1 "source.cu"\n{rest}\n'
    return "\n".join([*includes, rest])


def _options(
    options: Sequence[str] | None, arch: str | None, include_dirs: Sequence[str]
) -> tuple[str, ...]:
    given = [*(DEFAULT_NVCC_FLAGS if options is None else options)]
    if arch is not None:
        given.append(f"-arch={arch}")
    return (*given, *(f"-I{folder}" for folder in include_dirs))


def _check(keep: bool, cache_dir: object, code: object, source: str, target: str = "cubin") -> None:
    if cache_dir is not None:
        raise NotImplementedError("cache_dir: HEDDLE_CACHE_DIR says where compiled code is kept")
    if code is not None:
        raise NotImplementedError("code: give the kind of GPU by arch, as arch='sm_90'")
    if target != "cubin":
        raise NotImplementedError(f"target: code is made for GPUs as a cubin, not as {target}")
    if keep:
        folder = tempfile.mkdtemp()
        (Path(folder) / "kernel.cu").write_text(source)
        print(f"*** compiler output in {folder}")


def compile(
    source: str,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: str | None = None,
    include_dirs: Sequence[str] = (),
    target: str = "cubin",
) -> bytes:
    """Compile a source to a cubin. `SourceModule` says what the arguments are."""
    prepared = _prepared(source, no_extern_c)
    _check(keep, cache_dir, code, prepared, target)
    return compile_plain(prepared, _options(options, arch, include_dirs), nvcc)


def compile_plain(source: str, options: Sequence[str], nvcc: str = "nvcc") -> bytes:
    """Compile a source as it stands, by NVRTC; by nvcc, where another one than "nvcc" is named."""
    try:
        if nvcc == "nvcc":
            return cuda_compiler.compile_using_nvrtc(source, options, filename="source.cu")[0]
        return cuda_compiler.compile_using_nvcc(source, options)
    except cuda_compiler.CompileException as error:
        text = f"{error.backend} compilation of source.cu failed"
        raise CompileError(text, error.options, None, error.get_message()) from error


def preprocess_source(source: str, options: Sequence[str], nvcc: str = "nvcc") -> str:
    """The source after nvcc's preprocessor."""
    path = get_nvcc_path() if nvcc == "nvcc" else nvcc
    if path is None:
        raise NotImplementedError(
            "preprocess_source: NVRTC gives no preprocessed text, and there is no nvcc"
        )
    import subprocess

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source)
        done = subprocess.run(
            [*path.split(), "--preprocess", *options, str(file)], capture_output=True, text=True
        )
    if done.returncode:
        raise CompileError("nvcc preprocessing of the source failed", options, None, done.stderr)
    return done.stdout


def get_nvcc_version(nvcc: str = "nvcc") -> str:
    """What the compiler says of itself."""
    path = get_nvcc_path() if nvcc == "nvcc" else nvcc
    if path is None:
        return f"NVRTC {'.'.join(map(str, checked.nvrtcVersion()))}"
    import subprocess

    done = subprocess.run([*path.split(), "--version"], capture_output=True, text=True, check=True)
    return done.stdout


class CudaModule(Module):
    """A module with the checks that PyCUDA's modules have."""


class SourceModule(CudaModule):
    """A module of CUDA C++.

    Parameters
    ----------
    source : str
        The source. What it includes stands before it; headers of the host's compiler, as stdio.h,
        are left out, for device code has `printf` without.
    nvcc : str
        Another name than "nvcc" has nvcc compile it; else NVRTC does.
    options : sequence of str, optional
        Options of the compiler; `DEFAULT_NVCC_FLAGS` by default.
    keep : bool
        Whether the source is written to a folder, whose name is printed.
    no_extern_c : bool
        Whether the source itself says what is `extern "C"`.
    arch : str, optional
        The kind of GPU, as "sm_90"; that of the current one by default.
    include_dirs : sequence of str
        Folders of headers.

    Examples
    --------
    >>> from heddle.pycuda.compiler import SourceModule
    >>> mod = SourceModule('''
    ... __global__ void multiply_them(float *dest, float *a, float *b) {
    ...   const int i = threadIdx.x;
    ...   dest[i] = a[i] * b[i];
    ... }''')
    >>> multiply_them = mod.get_function("multiply_them")  # doctest: +SKIP
    """

    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] = (),
    ) -> None:
        prepared = _prepared(source, no_extern_c)
        _check(keep, cache_dir, code, prepared)
        super().__init__(
            RawModule(
                code=prepared,
                options=_options(options, arch, include_dirs),
                backend="nvrtc" if nvcc == "nvcc" else "nvcc",
            )
        )
        if _core.cuda.is_available():
            self._compile()

    def _compile(self) -> None:
        try:
            self._module.compile()
        except cuda_compiler.CompileException as error:
            text = f"{error.backend} compilation of source.cu failed"
            raise CompileError(text, error.options, None, error.get_message()) from error


class DynamicModule(CudaModule):
    """A module that is linked of several sources and files."""

    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Sequence[str] = (),
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] = (),
        message_handler: Callable[..., Any] | None = None,
        log_verbose: bool = False,
        cuda_libdir: str | None = None,
    ) -> None:
        _check(keep, cache_dir, code, "")
        self._nvcc, self._no_extern_c, self._include_dirs = nvcc, no_extern_c, include_dirs
        self._arch = arch if arch is not None else f"sm_{Device().compute_capability}"
        self._link_options, self._log = [*link_options], message_handler
        self._verbose, self._libraries = log_verbose, cuda_libdir
        self._inputs: list[tuple[int, bytes, str]] = []

    def add_source(
        self, source: str, nvcc_options: Sequence[str] | None = None, name: str = "kernel.ptx"
    ) -> DynamicModule:
        """Add CUDA C++, which is compiled to be linked."""
        options = (*_options(nvcc_options, self._arch, self._include_dirs), "-rdc=true")
        made = compile_plain(_prepared(source, self._no_extern_c), options, self._nvcc)
        return self.add_data(made, nvjitlink.nvJitLinkInputType.NVJITLINK_INPUT_CUBIN, name)

    def add_data(self, data: bytes, input_type: int, name: str = "unknown") -> DynamicModule:
        """Add code, of a type of nvJitLink."""
        self._inputs.append((int(input_type), bytes(data), name))
        return self

    def add_file(self, filename: str, input_type: int) -> DynamicModule:
        """Add the code of a file."""
        return self.add_data(Path(filename).read_bytes(), input_type, filename)

    def add_stdlib(self, libname: str) -> DynamicModule:
        """Add one of CUDA's own libraries, as "cudadevrt"."""
        folders = [*([self._libraries] if self._libraries else ())]
        for root in _core.cuda.toolkit_folders():
            folders += [f"{root}/lib64", f"{root}/lib"]
        for folder in folders:
            path = Path(folder) / f"lib{libname}.a"
            if path.exists():
                kind = nvjitlink.nvJitLinkInputType.NVJITLINK_INPUT_LIBRARY
                return self.add_file(str(path), kind)
        raise FileNotFoundError(f"lib{libname}.a is in none of {folders}")

    def link(self) -> DynamicModule:
        """Link what was added; functions can be had afterwards."""
        options = [f"-arch={self._arch}".encode(), *(o.encode() for o in self._link_options)]
        if self._verbose:
            options.append(b"-verbose")
        handle = checked.nvJitLinkCreate(len(options), options)
        try:
            for kind, data, name in self._inputs:
                checked.nvJitLinkAddData(handle, kind, data, len(data), name)
            checked.nvJitLinkComplete(handle)
            made = b"\0" * checked.nvJitLinkGetLinkedCubinSize(handle)
            checked.nvJitLinkGetLinkedCubin(handle, made)
            if self._log is not None:
                said = b"\0" * (checked.nvJitLinkGetInfoLogSize(handle) + 1)
                checked.nvJitLinkGetInfoLog(handle, said)
                self._log(True, said.rstrip(b"\0").decode(), "")
        except _core.cuda.CUDARuntimeError as error:
            said = b"\0" * (checked.nvJitLinkGetErrorLogSize(handle) + 1)
            checked.nvJitLinkGetErrorLog(handle, said)
            raise CompileError("linking failed", (), None, said.rstrip(b"\0").decode()) from error
        finally:
            checked.nvJitLinkDestroy(handle)
        super().__init__(image_module(made))
        return self


class DynamicSourceModule(DynamicModule):
    """A module of CUDA C++ whose kernels may launch others: linked with CUDA's library for that."""

    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] = (),
        cuda_libdir: str | None = None,
    ) -> None:
        super().__init__(
            nvcc,
            (),
            keep,
            no_extern_c,
            arch,
            code,
            cache_dir,
            include_dirs,
            cuda_libdir=cuda_libdir,
        )
        self.add_source(source, options)
        self.add_stdlib("cudadevrt")
        self.link()
