"""The kernels of benchmarks/kernels.py, as a GPU has them."""

import math

import numpy as np

from heddle import simt

TILE = 16
THREADS = 256
BINS = 64


@simt.kernel
def add(x, y, out):
    i = simt.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@simt.kernel
def matmul(a, b, c):
    sa = simt.shared.array((TILE, TILE), np.float32)
    sb = simt.shared.array((TILE, TILE), np.float32)
    x, y = simt.grid(2)
    tx, ty = simt.threadIdx.x, simt.threadIdx.y
    total = np.float32(0)
    for i in range(a.shape[1] // TILE):
        sa[ty, tx] = a[y, tx + i * TILE]
        sb[ty, tx] = b[ty + i * TILE, x]
        simt.syncthreads()
        for j in range(TILE):
            total += sa[ty, j] * sb[j, tx]
        simt.syncthreads()
    c[y, x] = total


@simt.kernel
def block_sums(x, out):
    shared = simt.shared.array(THREADS, np.float32)
    t = simt.threadIdx.x
    total = np.float32(0)
    for i in range(simt.grid(1), x.size, simt.gridsize(1)):
        total += x[i]
    shared[t] = total
    simt.syncthreads()
    s = simt.blockDim.x // 2
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        simt.syncthreads()
        s //= 2
    if t == 0:
        simt.atomic.add(out, 0, shared[0])


@simt.kernel
def histogram(keys, counts):
    bins = simt.shared.array(BINS, np.int32)
    t = simt.threadIdx.x
    if t < BINS:
        bins[t] = 0
    simt.syncthreads()
    for i in range(simt.grid(1), keys.size, simt.gridsize(1)):
        simt.atomic.add(bins, keys[i], 1)
    simt.syncthreads()
    if t < BINS:
        simt.atomic.add(counts, t, bins[t])


@simt.kernel
def scan(x, out, totals):
    """Sums of each block's elements up to each; what a whole block has goes into `totals`."""
    shared = simt.shared.array(THREADS, np.float32)
    i, t = simt.grid(1), simt.threadIdx.x
    total = x[i] if i < x.size else np.float32(0)
    shared[t] = total
    step = 1
    while step < THREADS:
        simt.syncthreads()
        before = shared[t - step] if t >= step else np.float32(0)
        simt.syncthreads()
        total += before
        shared[t] = total
        step *= 2
    if i < x.size:
        out[i] = total
    if t == THREADS - 1:
        totals[simt.blockIdx.x] = total


@simt.kernel
def transpose(x, out):
    tile = simt.shared.array((TILE, TILE + 1), np.float32)
    tx, ty = simt.threadIdx.x, simt.threadIdx.y
    tile[ty, tx] = x[simt.blockIdx.y * TILE + ty, simt.blockIdx.x * TILE + tx]
    simt.syncthreads()
    out[simt.blockIdx.x * TILE + ty, simt.blockIdx.y * TILE + tx] = tile[tx, ty]


@simt.kernel
def mandelbrot(out, turns):
    x, y = simt.grid(2)
    cr = np.float32(-2 + 3 * x / out.shape[1])
    ci = np.float32(-1.5 + 3 * y / out.shape[0])
    zr, zi = np.float32(0), np.float32(0)
    n = np.int32(0)
    while n < turns and zr * zr + zi * zi <= 4:
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
        n += 1
    out[y, x] = n


@simt.kernel
def attraction(bodies, forces):
    i = simt.grid(1)
    x, y, z = bodies[i, 0], bodies[i, 1], bodies[i, 2]
    fx = fy = fz = np.float32(0)
    for j in range(bodies.shape[0]):
        dx, dy, dz = bodies[j, 0] - x, bodies[j, 1] - y, bodies[j, 2] - z
        d = dx * dx + dy * dy + dz * dz + 1e-3
        w = bodies[j, 3] / (d * math.sqrt(d))
        fx += dx * w
        fy += dy * w
        fz += dz * w
    forces[i, 0] = fx
    forces[i, 1] = fy
    forces[i, 2] = fz


@simt.kernel
def stencil(u, out):
    x, y, z = simt.grid(3)
    n = u.shape[0]
    if 0 < x < n - 1 and 0 < y < n - 1 and 0 < z < n - 1:
        around = u[z, y, x - 1] + u[z, y, x + 1] + u[z, y - 1, x] + u[z, y + 1, x]
        out[z, y, x] = around + u[z - 1, y, x] + u[z + 1, y, x] - 6 * u[z, y, x]
