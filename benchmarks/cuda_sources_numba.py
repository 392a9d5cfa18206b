"""Kernels of CUDA in Numba's simulator: run by cuda_sources.py in an interpreter that has Numba.

Prints seconds for each thread of a small grid, as JSON: the simulator takes as long for each.
"""

# The simulator is chosen before Numba is imported.
import json
import os
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda, float32, uint32

TILE, BLOCK = 16, 256


@cuda.jit
def add(x, y, z, n):
    i = cuda.grid(1)
    if i < n:
        z[i] = x[i] + y[i]


@cuda.jit
def matmul(a, b, c, n):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * TILE + ty, cuda.blockIdx.x * TILE + tx
    total = float32(0)
    for t in range(n // TILE):
        left[ty, tx] = a[row * n + t * TILE + tx]
        right[ty, tx] = b[(t * TILE + ty) * n + col]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    c[row * n + col] = total


@cuda.jit
def histogram(x, bins, n):
    mine = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, mine[t])


@cuda.jit
def reduction(x, out, n):
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit
def stencil(x, y, n):
    c, r = cuda.grid(2)
    if 0 < r < n - 1 and 0 < c < n - 1:
        y[r * n + c] = 0.5 * x[r * n + c] + 0.125 * (
            x[r * n + c - 1] + x[r * n + c + 1] + x[(r - 1) * n + c] + x[(r + 1) * n + c]
        )


@cuda.jit
def scan(x, y, n):
    two = cuda.shared.array((2, BLOCK), float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    two[0, t] = x[i]
    cuda.syncthreads()
    source, d = 0, 1
    while d < BLOCK:
        more = two[source, t - d] if t >= d else 0
        two[1 - source, t] = two[source, t] + more
        source = 1 - source
        cuda.syncthreads()
        d *= 2
    y[i] = two[source, t]


def main() -> None:
    f4 = np.float32
    small = {
        "add": (add, 2, BLOCK, (np.ones(512, f4), np.ones(512, f4), np.zeros(512, f4), 512)),
        # A product of 16 tiles, as the other sizes have for each thread 32 times as much.
        "matmul": (matmul, (1, 1), (TILE, TILE), (*[np.ones(16 * 16, f4) for _ in range(3)], 16)),
        "histogram": (
            histogram, 2, BLOCK,
            (np.zeros(2 * BLOCK * 8, np.uint8), np.zeros(256, np.uint32), 2 * BLOCK * 8),
        ),
        "reduction": (reduction, 2, BLOCK, (np.ones(512, f4), np.zeros(2, f4), 512)),
        "stencil": (stencil, (1, 2), (32, 8), (np.ones(32 * 32, f4), np.zeros(32 * 32, f4), 32)),
        "scan": (scan, 2, BLOCK, (np.ones(512, f4), np.zeros(512, f4), 512)),
    }  # fmt: skip
    times = {}
    for name, (kernel, grid, block, arguments) in small.items():
        best = float("inf")
        for _ in range(2):
            begin = time.perf_counter()
            kernel[grid, block](*arguments)
            best = min(best, time.perf_counter() - begin)
        times[name] = best / float(np.prod(grid) * np.prod(block))
    print(json.dumps(times))


main()
