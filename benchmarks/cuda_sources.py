"""Times CUDA C++ on the CPU against the same algorithms as loops of C++ on threads.

    .venv/bin/python benchmarks/cuda_sources.py                          and g++ -O3 -march=native
    .venv/bin/python benchmarks/cuda_sources.py --numba /path/to/python  and Numba's simulator
    .venv/bin/python benchmarks/cuda_sources.py --only scan --seconds 2

The loops are cuda_sources.cpp, with as many threads as there are cores. The simulator
(cuda_sources_numba.py) runs a small grid, as it takes as long for each thread: its times are
multiplied. Each is the best of many calls, waited for.
"""

import argparse
import ctypes
import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kernels import best

import heddle
from heddle import RawModule

SIZE, POINTS, SIDE = 512, 1 << 22, 2048
HERE = Path(__file__).parent

SOURCE = r"""
#define TILE 16
extern "C" {
__global__ void add(const float* x, const float* y, float* z, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float total = 0;
  for (int t = 0; t < n / TILE; ++t) {
    as[ty][tx] = a[row * n + t * TILE + tx];
    bs[ty][tx] = b[(t * TILE + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) total += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = total;
}
__global__ void histogram(const unsigned char* x, unsigned* bins, long long n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void reduction(const float* x, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void stencil(const float* x, float* y, int n) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r > 0 && r < n - 1 && c > 0 && c < n - 1)
    y[r * n + c] = 0.5f * x[r * n + c] + 0.125f * (x[r * n + c - 1] + x[r * n + c + 1] +
                                                    x[(r - 1) * n + c] + x[(r + 1) * n + c]);
}
__global__ void scan(const float* x, float* y) {
  __shared__ float two[2][256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int from = 0;
  two[0][t] = x[i];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    two[1 - from][t] = two[from][t] + (t >= d ? two[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  y[i] = two[from][t];
}
}"""

Launch = tuple[tuple[int, ...], tuple[int, ...], list[Any]]


def launches() -> dict[str, Launch]:
    """Grids, blocks and arguments; the last array is the result."""
    rng = np.random.default_rng(0)
    f4 = np.float32
    x, y = rng.random((2, POINTS), f4)
    a, b = rng.random((2, SIZE * SIZE), f4)
    keys = rng.integers(0, 256, POINTS).astype(np.uint8)
    square = rng.random(SIDE * SIDE, f4)
    i4 = np.int32
    return {
        "add": ((POINTS // 256,), (256,), [x, y, np.zeros(POINTS, f4), POINTS]),
        "matmul": ((SIZE // 16,) * 2, (16, 16), [a, b, np.zeros_like(a), i4(SIZE)]),
        "histogram": ((64,), (256,), [keys, np.zeros(256, np.uint32), POINTS]),
        "reduction": ((POINTS // 256,), (256,), [x, np.zeros(POINTS // 256, f4)]),
        "stencil": ((SIDE // 32, SIDE // 8), (32, 8), [square, np.zeros_like(square), i4(SIDE)]),
        "scan": ((POINTS // 256,), (256,), [x, np.zeros(POINTS, f4)]),
    }


def loops(folder: str) -> ctypes.CDLL:
    """cuda_sources.cpp, compiled."""
    library = str(Path(folder) / "loops.so")
    words = ["g++", "-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-pthread"]
    subprocess.run([*words, str(HERE / "cuda_sources.cpp"), "-o", library], check=True)
    return ctypes.CDLL(library)


def simulated(python: str | None) -> dict[str, float]:
    """Seconds of each thread in Numba's simulator."""
    if python is None:
        return {}
    words = [python, str(HERE / "cuda_sources_numba.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="programs whose names have this")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each measurement")
    parser.add_argument("--numba", help="an interpreter that has Numba")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    module = RawModule(code=SOURCE)
    slow = simulated(given.numba)
    print(f"{'':12} {'kernel':>10} {'loops':>10} {'loops/k':>8} {'simulator':>12} {'sim/k':>8}")
    with tempfile.TemporaryDirectory() as folder, heddle.default_device("cpu"):
        library = loops(folder)
        for name, (grid, block, arguments) in launches().items():
            if given.only not in name:
                continue
            row(name, module, library, grid, block, arguments, slow.get(name), given)


def row(
    name: str,
    module: Any,
    library: ctypes.CDLL,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    arguments: list[Any],
    slow: float | None,
    given: argparse.Namespace,
) -> None:
    kernel = module.get_function(name)
    ours = [heddle.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    result = next(a for a in reversed(ours) if isinstance(a, heddle.ndarray))

    def run() -> None:
        kernel(grid, block, ours)
        heddle.eval(result)

    theirs = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    expected = next(a for a in reversed(theirs) if isinstance(a, np.ndarray))
    count = int(theirs[-1]) if not isinstance(theirs[-1], np.ndarray) else POINTS
    words = [ctypes.c_void_p(a.ctypes.data) for a in theirs if isinstance(a, np.ndarray)]
    function: Callable[..., Any] = getattr(library, name)

    def run_loops() -> None:
        function(*words, ctypes.c_int64(count), ctypes.c_int(given.threads))

    run()
    run_loops()
    np.testing.assert_allclose(heddle.asnumpy(result), expected, rtol=1e-4)
    kernel_time, loop_time = best(run, given.seconds), best(run_loops, given.seconds)
    text = f"{name:12} {kernel_time * 1e3:7.2f} ms {loop_time * 1e3:7.2f} ms "
    text += f"{loop_time / kernel_time:8.2f}"
    if slow is not None:
        # Threads of the small grid do a part of what those of the large one do.
        more = {"matmul": SIZE / 16, "histogram": POINTS / (64 * 256) / 8}.get(name, 1.0)
        time = slow * more * float(np.prod(grid) * np.prod(block))
        text += f" {time:10.1f} s {time / kernel_time:8.0f}"
    print(text, flush=True)


if __name__ == "__main__":
    main()
