"""What became of a kernel, what it takes of a device, and launches that are looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heddle import _core


def disassembled(cubin: bytes) -> str:
    """The instructions in a cubin, by NVIDIA's disassembler."""
    import os
    import shutil
    import subprocess
    import tempfile

    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    tool = shutil.which("nvdisasm") or shutil.which("nvdisasm", path=f"{home}/bin")
    if tool is None:
        raise RuntimeError("nvdisasm is not there; it is part of NVIDIA's CUDA toolkit")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([tool, file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"nvdisasm: {done.stderr.strip()}")
    return done.stdout


def attributes(program: Any) -> dict[str, int]:
    """What a thread and a block take; what a device does not know is left out."""
    names = ("registers", "local_bytes", "shared_bytes", "constant_bytes", "max_threads")
    facts = dict(zip(names, program.facts(), strict=True))
    return {name: number for name, number in facts.items() if number >= 0}


def occupancy(program: Any, threads: int, shared: int) -> float:
    """The part of the threads of a multiprocessor that are busy with blocks of this size."""
    blocks, _, most = program.residence(threads, shared)
    return float(min(1.0, blocks * threads / most))


def suggested(program: Any, shared: int) -> tuple[int, int]:
    """Blocks and threads that keep the device busy: the largest blocks that do so best."""
    most = attributes(program)["max_threads"]
    best, found = 0, (1, 32)
    for threads in range(most - most % 32, 0, -32):
        blocks, multiprocessors, _ = program.residence(threads, shared)
        if blocks * threads > best:
            best, found = blocks * threads, (blocks * multiprocessors, threads)
    return found


def on_the_cpu(args: tuple[object, ...]) -> tuple[tuple[Any, ...], Callable[[], None]]:
    """Arguments on the CPU, and what puts back what was written to copies."""
    copies: list[tuple[Any, Any]] = []

    def moved(value: object) -> Any:
        if isinstance(value, tuple):
            items = [moved(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if isinstance(value, _core.own_array) and str(value.device) != "cpu":
            from heddle import asarray, asnumpy

            copies.append((value, asarray(asnumpy(value), device="cpu")))
            return copies[-1][1]
        return value

    made = tuple(moved(value) for value in args)

    def done() -> None:
        for value, copy in copies:
            value[...] = copy.to_device(value.device)

    return made, done
