"""CUDA C++ to code for GPUs, by NVRTC or by nvcc."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from heddle import _core
from heddle.cuda.device import get_device_id
from heddle.cuda.environment import get_nvcc_path

__all__ = [
    "CompileException",
    "NVCCException",
    "compile_using_nvcc",
    "compile_using_nvrtc",
    "is_valid_kernel_name",
]


class CompileException(Exception):
    """What a compiler says to a source that it refuses."""

    def __init__(
        self, msg: str, source: str, name: str, options: Sequence[str], backend: str = "nvrtc"
    ) -> None:
        self._msg = msg
        self.source = source
        self.name = name
        self.options = tuple(options)
        self.backend = backend
        super().__init__(msg, source, name, self.options, backend)

    def __str__(self) -> str:
        return self.get_message()

    def get_message(self) -> str:
        """The compiler's messages, with the lines of the source that they are about."""
        return self._msg

    def dump(self, f: IO[str]) -> None:
        """Write the source with numbers of lines, the options and the messages to a file."""
        lines = self.source.split("\n")
        digits = len(str(len(lines)))
        numbered = "\n".join(f"{i + 1:{digits}} {line}" for i, line in enumerate(lines))
        f.write(f"{self.name}\n{numbered}\n\noptions: {' '.join(self.options)}\n\n{self._msg}\n")
        f.flush()


class NVCCException(Exception):
    """nvcc is missing, or failed for another reason than the source."""


def is_valid_kernel_name(name: str) -> bool:
    """Whether it may be the name of a function of C.

    Examples
    --------
    >>> from heddle.cuda import compiler
    >>> compiler.is_valid_kernel_name("add_one"), compiler.is_valid_kernel_name("add one")
    (True, False)
    """
    return name.isascii() and name.isidentifier()


@functools.cache
def own_headers() -> list[tuple[str, str]]:
    """Heddle's own, which no file system needs to have."""
    folder = Path(__file__).parent.parent / "_kernels" / "include"
    files = sorted(folder.glob("*/*.cuh"))
    return [(f"{file.parent.name}/{file.name}", file.read_text()) for file in files]


@functools.cache
def _include_options() -> tuple[str, ...]:
    """Where CUDA's headers are: in an installation, or in packages of Python."""
    made = []
    for folder in _core.cuda.toolkit_folders():
        for name in ("include", "include/cccl", "targets/x86_64-linux/include"):
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                made.append(f"-I{path}")
    return tuple(made)


def _arch_option(options: Sequence[str], arch: str | None) -> tuple[str, ...]:
    names = ("-arch", "--gpu-architecture")
    if any(option.startswith(names) for option in options):
        return ()
    if arch is None:
        major, minor = _core.cuda.compute_capability(get_device_id())
        arch = f"sm_{major}{minor}"
    return (f"-arch={arch}",)


def compile_using_nvrtc(
    source: str,
    options: Sequence[str] = (),
    arch: str | None = None,
    filename: str = "kern.cu",
    name_expressions: Sequence[str] | None = None,
    log_stream: IO[str] | None = None,
) -> tuple[bytes, dict[str, str]]:
    """Compile a source; what was compiled before, in any process, comes from the cache.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str
        Of NVRTC.
    arch : str, optional
        The kind of GPU, as "sm_90"; that of the current one by default.
    filename : str
        What messages call the source.
    name_expressions : sequence of str, optional
        Names of instances of templates, as the source has them.
    log_stream : file, optional
        Where warnings are written.

    Returns
    -------
    code, names : bytes, dict
        The code, and for each of the name expressions the name in the code.
    """
    names = list(name_expressions or ())
    own: tuple[str, ...] = ("-DHEDDLE=1", "--std=c++17")
    if any(option.startswith(("-std", "--std")) for option in options):
        own = own[:1]
    given = (*own, *options, *_arch_option(options, arch), *_include_options())
    done, code, compiled, log = _core.cuda.compile_source(
        source, filename, list(given), names, own_headers()
    )
    if not done:
        raise CompileException(log, source, filename, given)
    if log_stream is not None and log:
        log_stream.write(log + "\n")
    return code, dict(zip(names, compiled, strict=True))


def compile_using_nvcc(
    source: str,
    options: Sequence[str] = (),
    arch: str | None = None,
    filename: str = "kern.cu",
    code_type: str = "cubin",
    log_stream: IO[str] | None = None,
) -> bytes:
    """Compile a source by nvcc, which has to be installed, to a cubin or to PTX."""
    if code_type not in ("cubin", "ptx"):
        raise ValueError(f"code_type is 'cubin' or 'ptx', not {code_type!r}")
    nvcc = get_nvcc_path()
    if nvcc is None:
        raise NVCCException("nvcc is not installed; the backend 'nvrtc' needs none")
    includes = f"-I{Path(__file__).parent.parent / '_kernels' / 'include'}"
    with tempfile.TemporaryDirectory() as folder:
        path, result = os.path.join(folder, filename), os.path.join(folder, "result")
        Path(path).write_text(source)
        given = (f"--{code_type}", *_arch_option(options, arch), includes, *options)
        command = [*nvcc.split(), *given, "-o", result, path]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        log = (done.stdout + done.stderr).strip()
        if done.returncode != 0:
            raise CompileException(log.replace(path, filename), source, filename, given, "nvcc")
        if log_stream is not None and log:
            log_stream.write(log + "\n")
        return Path(result).read_bytes()
