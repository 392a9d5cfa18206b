"""CUDA C++ where arrays are in the memory of the host, compiled by the plug-in heddle-clang."""

from __future__ import annotations

import functools
import hashlib
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from heddle import _core
from heddle._arguments import launch_sizes
from heddle.cuda import compiler

Sizes = int | Sequence[int]

# CUfunction_attribute
ATTRIBUTES = {
    "max_threads_per_block": 0,
    "shared_size_bytes": 1,
    "const_size_bytes": 2,
    "local_size_bytes": 3,
    "num_regs": 4,
    "ptx_version": 5,
    "binary_version": 6,
    "cache_mode_ca": 7,
    "max_dynamic_shared_size_bytes": 8,
    "preferred_shared_memory_carveout": 9,
}

# Libraries of headers that come with CUDA and are not the plug-in's.
_LIBRARIES = {"thrust": "Thrust", "cub": "CUB", "cutlass": "CUTLASS", "nvshmem": "NVSHMEM"}
_ABSENT = re.compile(rf"'(({'|'.join(_LIBRARIES)})/[^']*)' file not found")
_MOST_SHARED = 227 << 10  # what the largest GPUs have


@functools.cache
def _plugin() -> tuple[str, str]:
    """The compiler's file, and what tells it from others."""
    try:
        import heddle_clang
    except ImportError:
        why = "" if _core.cuda.is_available() else f" ({_core.cuda.why_unavailable()})"
        raise RuntimeError(
            f"CUDA C++ is compiled for GPUs by NVRTC{why}, and for arrays on the CPU by a plug-in, "
            "which is not installed: pip install heddle-clang"
        ) from None
    return heddle_clang.library(), heddle_clang.mark()


def is_installed() -> bool:
    """Whether CUDA C++ can be compiled for the host."""
    try:
        _plugin()
    except RuntimeError:
        return False
    return True


def is_debugged(options: Sequence[str]) -> bool:
    """Whether options of NVRTC's ask for code that a debugger can follow."""
    return "-G" in options or "--device-debug" in options


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="heddle-sources-")


def _file_for_debuggers(source: str, filename: str) -> str:
    """A source as a file, for as long as the process runs: debuggers show its lines."""
    folder = Path(_folder().name) / hashlib.sha256(source.encode()).hexdigest()[:16]
    folder.mkdir(exist_ok=True)
    (folder / filename).write_text(source)
    return str(folder / filename)


def compile_for_host(
    device: str,
    source: str,
    options: Sequence[str] = (),
    name_expressions: Sequence[str] | None = None,
    log_stream: IO[str] | None = None,
    filename: str = "kern.cu",
    check: bool = False,
) -> tuple[bytes, dict[str, str]]:
    """Compile a source; what was compiled before, in any process, comes from the cache."""
    library, mark = _plugin()
    names = list(name_expressions or ())
    given = ("-DHEDDLE=1", *options, *(["--heddle-check"] if check else []))
    if is_debugged(options):
        filename = _file_for_debuggers(source, filename)
    done, code, compiled, log = _core.sources.compile(
        device, library, mark, source, filename, list(given), names, compiler.own_headers()
    )
    if not done:
        absent = _ABSENT.search(log)
        if absent:
            log += f"\n{_LIBRARIES[absent[2]]} ({absent[1]}) is not there on a CPU; it needs a GPU"
        raise compiler.CompileException(log, source, filename, given, "clang")
    if log_stream is not None and log:
        log_stream.write(log + "\n")
    return code, dict(zip(names, compiled, strict=True))


class OnHost:
    """A kernel of a module on a device that the host runs; called as those on GPUs."""

    def __init__(self, module: Any, symbol: str, cooperative: bool) -> None:
        shared, local = module.facts(symbol)
        self._module, self._symbol, self._cooperative = module, symbol, cooperative
        self._facts = {
            "max_threads_per_block": 1024,
            "shared_size_bytes": shared,
            "const_size_bytes": 0,
            "local_size_bytes": local,
            "num_regs": 0,
            "ptx_version": 0,
            "binary_version": 0,
            "cache_mode_ca": 0,
            "max_dynamic_shared_size_bytes": _MOST_SHARED - shared,
            "preferred_shared_memory_carveout": -1,
        }

    def __call__(
        self, grid: Sizes, block: Sizes, args: Sequence[Any], *, shared_mem: int = 0
    ) -> None:
        self._module.launch(
            self._symbol,
            launch_sizes(grid, "blocks"),
            launch_sizes(block, "threads"),
            shared_mem,
            self._cooperative,
            args,
        )

    @property
    def ptr(self) -> int:
        raise AttributeError("a kernel on the CPU has no handle of the driver's")

    def cooperative(self) -> OnHost:
        """The same, with all blocks at the same time."""
        made = object.__new__(OnHost)
        made._module, made._symbol, made._cooperative = self._module, self._symbol, True
        made._facts = self._facts
        return made

    def attribute(self, number: int) -> int:
        return self.get(_name_of(number))

    def set_attribute(self, number: int, value: int) -> None:
        self.set(_name_of(number), value)

    def get(self, name: str) -> int:
        return int(self._facts[name])

    def set(self, name: str, value: int) -> None:
        if name == "max_dynamic_shared_size_bytes":
            most = _MOST_SHARED - self._facts["shared_size_bytes"]
            if not 0 <= value <= most:
                raise ValueError(f"a block may have up to {most} bytes of dynamic shared memory")
        self._facts[name] = value


def _name_of(number: int) -> str:
    for name, known in ATTRIBUTES.items():
        if known == number:
            return name
    raise ValueError(f"kernels on the CPU have no attribute {number}")
