#!/usr/bin/env python3
"""Dependencies point one way, and a kind of device is named in its own folder.

core < kernel < simt < runtime < graph < ops < transform < python, each of which includes only those
before it. Backends stand beside graph: they know core, kernel, simt and runtime, and nobody above
knows them; they register themselves. Public headers include no internal ones. What is let through
is in the tables below, with the reason. Every folder has a README, which says the same.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

root = Path(__file__).resolve().parent.parent
source = root / "src"

# What each folder may include, beside itself and the public headers.
_below_graph = {"core", "kernel", "simt", "runtime"}
_below_python = _below_graph | {"graph", "ops", "transform"}
ALLOWED: dict[str, set[str]] = {
    "core": set(),
    "special": set(),  # compiled to bitcode, beside all others
    "kernel": {"core"},
    "simt": {"core", "kernel"},
    "runtime": {"core", "kernel", "simt"},
    "graph": _below_graph,
    "ops": _below_graph | {"graph"},
    "transform": _below_graph | {"graph", "ops"},
    "python": _below_python,
    "backend/cpu": _below_graph,
    "backend/cuda": _below_graph,
    "backend/shadow": _below_graph | {"backend/cuda"},  # checks how grids are planned, without one
    "tools": _below_python | {"backend/cpu", "backend/cuda"},  # prebuilds kernels for both
}

# Words that belong to one kind of device, and where else they may stand.
DEVICE = re.compile(
    r"cuda|nvptx|nvvm|libdevice|\bptx|__nv_|\bsm_\d|nvidia|cublas|cufft|cusolver", re.IGNORECASE
)
NAMES_CUDA = {
    "src/python/cuda.cpp": "heddle.cuda: CuPy's interface to GPUs of NVIDIA",
    "src/python/cuda.h": "the same",
    "src/python/cuda_memory.cpp": "the same: pools, allocators, copies",
    "src/python/cuda_modules.cpp": "the same: CUDA C++",
    "src/python/foreign_arguments.cpp": "the same: arguments of kernels",
    "src/python/interop.cpp": "CUDA's array interface and DLPack, which number kinds of devices",
    "src/python/dlpack.h": "the numbers of DLPack",
    "src/python/errors.cpp": "the name of heddle.cuda.runtime.CUDARuntimeError",
    "src/python/simt.cpp": "the PTX of a kernel, which needs no GPU",
    "src/python/module.cpp": "calls bind_cuda",
    "src/tools/pack.cpp": "prebuilds kernels for GPUs",
}


def folder_of(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "backend" else parts[0]


def without_comments(text: str) -> str:
    """The code alone, in as many lines."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
    return pattern.sub(lambda m: m[0] if m[0][0] == '"' else "\n" * m[0].count("\n"), text)


def includes(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if found := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
            yield number, found[1]


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".h", ".cpp", ".cu"):
            yield str(path.relative_to(root)), path


def wrong_includes() -> Iterator[str]:
    for name, path in files(source):
        own = folder_of(str(path.relative_to(source)))
        if own not in ALLOWED and own != "precompiled.h":
            yield f"{name}: what {own} may include is not said in scripts/lint_includes.py"
            continue
        for number, included in includes(path):
            there = folder_of(included)
            if "/" not in included or there == own:
                continue
            named = name in NAMES_CUDA and there == "backend/cuda"
            if there not in ALLOWED.get(own, set()) and not named:
                yield f"{name}:{number}: {own} does not include {there} ({included})"
    for name, path in files(root / "include"):
        for number, included in includes(path):
            yield f"{name}:{number}: a public header includes an internal one ({included})"


def wrong_words() -> Iterator[str]:
    for top in (source, root / "include"):
        for name, path in files(top):
            if name.startswith(("src/backend/cuda/", "src/backend/shadow/")) or name in NAMES_CUDA:
                continue
            for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
                if found := DEVICE.search(line):
                    yield f"{name}:{number}: names a kind of device ({found[0]}): {line.strip()}"


def casts_in_bindings() -> Iterator[str]:
    for name, path in files(source / "python"):
        for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
            if re.search(r"_cast<[^>]*(CudaDevice|DevicePool)", line):
                yield f"{name}:{number}: bindings ask a device, or cuda::gpu_of: {line.strip()}"


def stale_exceptions() -> Iterator[str]:
    for name in NAMES_CUDA:
        path = root / name
        if not path.exists() or not DEVICE.search(without_comments(path.read_text())):
            yield f"{name}: needs no exception any more"


def wrong_readmes() -> Iterator[str]:
    """Each folder has a README, and those above say what they may include as the table does."""
    for folder in [source, *(path for path in source.rglob("*") if path.is_dir())]:
        if not (folder / "README.md").exists():
            yield f"{folder.relative_to(root)}: has no README.md: its job, and what to read first"
    for folder, allowed in ALLOWED.items():
        path = source / folder / "README.md"
        said = re.search(r"^May include: ([^.(]*)", path.read_text(), re.MULTILINE)
        named = set(re.findall(r"`([^`]+)`", said[1])) if said else set()
        if named != allowed:
            yield f"src/{folder}/README.md: it may include {sorted(allowed)}, not {sorted(named)}"


def main() -> int:
    found = [*wrong_includes(), *wrong_words(), *casts_in_bindings()]
    found += [*stale_exceptions(), *wrong_readmes()]
    for line in found:
        print(line)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
