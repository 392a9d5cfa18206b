"""Times kernels written in Python against the same in CUDA C++, on a GPU.

    python benchmarks/kernels_gpu.py [--only matmul] [--seconds 0.5] [--save]

Each kernel is launched three ways: from Python code (`simt.kernel`), from CUDA C++ by NVRTC
(`heddle.RawKernel`), and by CuPy's RawKernel where CuPy is installed; where Triton is installed,
the ones that its language can say are written in it, too. Results are compared. Times are the
GPU's, of many launches in a row between two events.
"""

import argparse
import functools
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import kernels_simt
import numpy as np
from kernels_cuda import SOURCE
from measure import Row
from report import environment, line, save_rows

import heddle as hd

SIZE, POINTS, BODIES, CUBE, BINS, TURNS = 2048, 1 << 26, 1 << 14, 384, 64, 200
PICTURE = (2048, 3072)
LAUNCHES = 20  # between two events


@dataclass
class Work:
    """A kernel: its grid and block, its arrays by name, and what CUDA C++ gets after them."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    arrays: tuple[str, ...]
    numbers: tuple[Any, ...] = ()  # of the kernel in Python
    sizes: tuple[Any, ...] = ()  # of the one in CUDA C++


def works() -> dict[str, Work]:
    n, blocks, points = np.int64(SIZE), SIZE // 16, np.int64(POINTS)
    tiles = ((blocks, blocks), (16, 16))
    rows, columns = PICTURE
    turns = np.int32(TURNS)
    return {
        "add": Work((POINTS // 256,), (256,), ("x", "y", "out"), (), (points,)),
        "matmul": Work(*tiles, ("a", "b", "c"), (), (n,)),
        "block_sums": Work((2048,), (256,), ("x", "total"), (), (points,)),
        "histogram": Work((2048,), (256,), ("keys", "counts"), (), (points,)),
        "scan": Work((POINTS // 256,), (256,), ("x", "out", "totals"), (), (points,)),
        "transpose": Work(*tiles, ("a", "c"), (), (n,)),
        "mandelbrot": Work(
            (columns // 32, rows // 8),
            (32, 8),
            ("picture",),
            (turns,),
            (turns, np.int64(rows), np.int64(columns)),
        ),
        "attraction": Work((BODIES // 128,), (128,), ("bodies", "forces"), (), (np.int64(BODIES),)),
        "stencil": Work(
            (CUBE // 32, CUBE // 4, CUBE // 4),
            (32, 4, 4),
            ("cube", "smooth"),
            (),
            (np.int64(CUBE),),
        ),
    }


def inputs() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    single = np.float32
    return {
        "a": rng.random((SIZE, SIZE), single),
        "b": rng.random((SIZE, SIZE), single),
        "c": np.zeros((SIZE, SIZE), single),
        "x": rng.random(POINTS, single),
        "y": rng.random(POINTS, single),
        "out": np.zeros(POINTS, single),
        "total": np.zeros(1, single),
        "totals": np.zeros(POINTS // 256, single),
        "keys": rng.integers(0, BINS, POINTS).astype(np.int32),
        "counts": np.zeros(BINS, np.int32),
        "picture": np.zeros(PICTURE, np.int32),
        "bodies": rng.random((BODIES, 4), single),
        "forces": np.zeros((BODIES, 3), single),
        "cube": rng.random((CUBE, CUBE, CUBE), single),
        "smooth": np.zeros((CUBE, CUBE, CUBE), single),
    }


WRITTEN = ("c", "out", "total", "totals", "counts", "picture", "forces", "smooth")
Arrays = dict[str, Any]
Launch = Callable[[Arrays], None]


def in_python(name: str, work: Work) -> Launch:
    kernel = getattr(kernels_simt, name)
    launcher = kernel[work.grid, work.block]
    return lambda arrays: launcher(*(arrays[n] for n in work.arrays), *work.numbers)


def in_cuda(library: Any, name: str, work: Work) -> Launch:
    kernel = library.RawKernel(SOURCE, name)
    return lambda arrays: kernel(
        work.grid, work.block, (*(arrays[n] for n in work.arrays), *work.sizes)
    )


def median_time(
    launch: Callable[[], None],
    events: tuple[Any, Any],
    elapsed: Callable[..., float],
    seconds: float,
) -> float:
    """The median time of a launch, in seconds; `elapsed` gives milliseconds between two events."""

    def once() -> float:
        events[0].record()
        for _ in range(LAUNCHES):
            launch()
        events[1].record()
        events[1].synchronize()
        return float(elapsed(*events)) * 1e-3 / LAUNCHES

    once()
    times: list[float] = []
    taken = 0.0
    while taken < seconds or len(times) < 5:
        times.append(once())
        taken += times[-1] * LAUNCHES
    return statistics.median(times)


def gpu_time(library: Any, launch: Launch, arrays: Arrays, seconds: float) -> float:
    """The median time of a launch."""
    events = library.cuda.Event(), library.cuda.Event()
    return median_time(lambda: launch(arrays), events, library.cuda.get_elapsed_time, seconds)


def results(library: Any, launch: Launch, arrays: Arrays, work: Work) -> list[Any]:
    """What one launch makes of zeroed arrays."""
    written = [n for n in work.arrays if n in WRITTEN]
    for name in written:
        arrays[name][...] = 0
    launch(arrays)
    return [library.asnumpy(arrays[name]) for name in written]


def agree(one: list[Any], other: list[Any], name: str) -> bool:
    # The order of atomic sums is the GPU's; points at the edge of the set depend on roundings.
    if name == "mandelbrot":
        return bool(np.mean(one[0] != other[0]) < 1e-3)
    return all(np.allclose(a, b, rtol=2e-3, atol=1e-4) for a, b in zip(one, other, strict=True))


def triton_time(name: str, arrays: Arrays, seconds: float) -> float | None:
    """The same work in Triton, of the arrays CuPy has (as PyTorch's)."""
    try:
        import torch
        from kernels_triton import LAUNCHES as TRITON
    except ImportError:
        return None
    if name not in TRITON:
        return None
    tensors = {key: torch.from_dlpack(value) for key, value in arrays.items()}

    events = tuple(torch.cuda.Event(enable_timing=True) for _ in range(2))
    launch = functools.partial(TRITON[name], tensors)
    return median_time(launch, events, torch.cuda.Event.elapsed_time, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="those whose name has this in it")
    parser.add_argument("--seconds", type=float, default=0.3, help="of the GPU, for each")
    parser.add_argument("--machine", help="what to call it in the results")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/")
    options = parser.parse_args()
    try:
        import cupy
    except ImportError:
        cupy = None
    hd.default_device("gpu")
    given = inputs()
    ours = {name: hd.array(value) for name, value in given.items()}
    cupys = {name: cupy.asarray(value) for name, value in given.items()} if cupy else {}
    rows = []
    for name, work in works().items():
        if options.only not in name:
            continue
        python, cuda = in_python(name, work), in_cuda(hd, name, work)
        same = agree(results(hd, python, ours, work), results(hd, cuda, ours, work), name)
        row = Row(
            name,
            numpy=gpu_time(hd, cuda, ours, options.seconds),
            heddle=gpu_time(hd, python, ours, options.seconds),
            wrong=not same,
        )
        if cupy:
            row.peers["CuPy's RawKernel"] = gpu_time(
                cupy, in_cuda(cupy, name, work), cupys, options.seconds
            )
            row.peers["Triton"] = triton_time(name, cupys, options.seconds)
        rows.append(row)
        print(line(row), flush=True)
    if options.save:
        title = "Kernels in Python against CUDA C++ by NVRTC"
        save_rows(title, environment(options.machine), rows, "-kernels", "CUDA C++")


if __name__ == "__main__":
    main()
