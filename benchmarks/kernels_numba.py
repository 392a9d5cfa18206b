"""What benchmarks/kernels.py compares with: the same computations as loops for Numba's compiler."""

import math

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def add(x, y, out):
    for i in prange(out.size):
        out[i] = x[i] + y[i]


@njit(parallel=True)
def matmul(a, b, c):
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@njit(parallel=True)
def total(x):
    made = np.float32(0)
    for i in prange(x.size):
        made += x[i]
    return made


@njit
def histogram(keys, bins):
    counts = np.zeros(bins, np.int32)
    for key in keys:
        counts[key] += 1
    return counts


@njit(parallel=True)
def transpose(x, out):
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[j, i]


@njit(parallel=True)
def mandelbrot(out, turns):
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            cr = np.float32(-2 + 3 * x / out.shape[1])
            ci = np.float32(-1.5 + 3 * y / out.shape[0])
            zr, zi = np.float32(0), np.float32(0)
            n = 0
            while n < turns and zr * zr + zi * zi <= np.float32(4):
                zr, zi = zr * zr - zi * zi + cr, np.float32(2) * zr * zi + ci
                n += 1
            out[y, x] = n


@njit(parallel=True)
def attraction(bodies, forces):
    for i in prange(bodies.shape[0]):
        x, y, z = bodies[i, 0], bodies[i, 1], bodies[i, 2]
        fx = fy = fz = np.float32(0)
        for j in range(bodies.shape[0]):
            dx, dy, dz = bodies[j, 0] - x, bodies[j, 1] - y, bodies[j, 2] - z
            d = dx * dx + dy * dy + dz * dz + np.float32(1e-3)
            w = bodies[j, 3] / (d * math.sqrt(d))
            fx += dx * w
            fy += dy * w
            fz += dz * w
        forces[i, 0] = fx
        forces[i, 1] = fy
        forces[i, 2] = fz


@njit(parallel=True)
def stencil(u, out):
    n = u.shape[0]
    for z in prange(1, n - 1):
        for y in range(1, n - 1):
            for x in range(1, n - 1):
                around = u[z, y, x - 1] + u[z, y, x + 1] + u[z, y - 1, x] + u[z, y + 1, x]
                around += u[z - 1, y, x] + u[z + 1, y, x]
                out[z, y, x] = around - np.float32(6) * u[z, y, x]
