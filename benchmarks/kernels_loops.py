"""Programs of loops for njit: the same text for Numba's decorators and for ours."""

from collections.abc import Callable
from typing import Any

import numpy as np


def programs(
    njit: Callable[..., Any], parallel: Callable[..., Any], prange: Any
) -> dict[str, tuple[Any, Callable[[], tuple[Any, ...]]]]:
    """Functions by name, each with what makes its arguments anew."""

    @njit
    def levenshtein(a, b):
        n, m = len(a), len(b)
        previous = np.arange(m + 1)
        cur = np.zeros(m + 1, np.int64)
        for i in range(n):
            cur[0] = i + 1
            for j in range(m):
                cost = 0 if a[i] == b[j] else 1
                cur[j + 1] = min(previous[j + 1] + 1, cur[j] + 1, previous[j] + cost)
            previous, cur = cur, previous
        return previous[m]

    @njit
    def queens(n, row, columns, d1, d2):
        if row == n:
            return 1
        count = 0
        for c in range(n):
            if (columns >> c) & 1 or (d1 >> (row + c)) & 1 or (d2 >> (row - c + n)) & 1:
                continue
            count += queens(
                n, row + 1, columns | (1 << c), d1 | (1 << (row + c)), d2 | (1 << (row - c + n))
            )
        return count

    @njit
    def floyd_warshall(d):
        n = d.shape[0]
        for k in range(n):
            for i in range(n):
                for j in range(n):
                    t = d[i, k] + d[k, j]
                    if t < d[i, j]:
                        d[i, j] = t

    @njit
    def sor(g, omega, iters):
        m, n = g.shape
        for _ in range(iters):
            for i in range(1, m - 1):
                for j in range(1, n - 1):
                    g[i, j] = (
                        omega * 0.25 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1])
                        + (1.0 - omega) * g[i, j]
                    )

    @njit
    def needleman_wunsch(a, b, gap):
        n, m = len(a), len(b)
        s = np.zeros((n + 1, m + 1), np.int64)
        for i in range(n + 1):
            s[i, 0] = -gap * i
        for j in range(m + 1):
            s[0, j] = -gap * j
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                match = s[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1)
                s[i, j] = max(match, s[i - 1, j] - gap, s[i, j - 1] - gap)
        return s[n, m]

    @njit
    def sieve(n):
        prime = np.ones(n + 1, np.bool_)
        prime[0] = False
        prime[1] = False
        p = 2
        while p * p <= n:
            if prime[p]:
                for k in range(p * p, n + 1, p):
                    prime[k] = False
            p += 1
        c = 0
        for i in range(n + 1):
            if prime[i]:
                c += 1
        return c

    @njit
    def collatz(n):
        best, longest = 0, 0
        for start in range(1, n):
            steps, x = 0, start
            while x != 1:
                if x % 2 == 0:
                    x //= 2
                else:
                    x = 3 * x + 1
                steps += 1
            if steps > longest:
                best, longest = start, steps
        return best

    @parallel
    def mandelbrot(out, limit):
        h, w = out.shape
        for y in prange(h):
            for x in range(w):
                cr = x / w * 3.0 - 2.0
                ci = y / h * 2.0 - 1.0
                zr, zi, k = 0.0, 0.0, 0
                while k < limit and zr * zr + zi * zi < 4.0:
                    zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                    k += 1
                out[y, x] = k

    @njit
    def nbody(p, v, m, steps, dt):
        n = p.shape[0]
        for _ in range(steps):
            for i in range(n):
                ax, ay, az = 0.0, 0.0, 0.0
                for j in range(n):
                    dx = p[j, 0] - p[i, 0]
                    dy = p[j, 1] - p[i, 1]
                    dz = p[j, 2] - p[i, 2]
                    r2 = dx * dx + dy * dy + dz * dz + 1e-9
                    inv = m[j] / (r2 * np.sqrt(r2))
                    ax += dx * inv
                    ay += dy * inv
                    az += dz * inv
                v[i, 0] += ax * dt
                v[i, 1] += ay * dt
                v[i, 2] += az * dt
            for i in range(n):
                p[i, 0] += v[i, 0] * dt
                p[i, 1] += v[i, 1] * dt
                p[i, 2] += v[i, 2] * dt

    @njit
    def knapsack(w, v, cap):
        best = np.zeros(cap + 1, np.int64)
        for i in range(w.size):
            for c in range(cap, w[i] - 1, -1):
                t = best[c - w[i]] + v[i]
                if t > best[c]:
                    best[c] = t
        return best[cap]

    @njit
    def life(grid, gens):
        h, w = grid.shape
        for _ in range(gens):
            new = np.zeros_like(grid)
            for y in range(1, h - 1):
                for x in range(1, w - 1):
                    alive = 0
                    for dy in range(-1, 2):
                        for dx in range(-1, 2):
                            alive += grid[y + dy, x + dx]
                    alive -= grid[y, x]
                    if alive == 3 or (alive == 2 and grid[y, x] == 1):
                        new[y, x] = 1
            grid = new
        return grid.sum()

    @parallel
    def stencil(u, out):
        n, m, k = u.shape
        for x in prange(1, n - 1):
            for y in range(1, m - 1):
                for z in range(1, k - 1):
                    out[x, y, z] = u[x, y, z] + 0.1 * (
                        u[x - 1, y, z]
                        + u[x + 1, y, z]
                        + u[x, y - 1, z]
                        + u[x, y + 1, z]
                        + u[x, y, z - 1]
                        + u[x, y, z + 1]
                        - 6.0 * u[x, y, z]
                    )

    @parallel
    def histogram(keys, bins):
        parts, n = 16, keys.size
        counts = np.zeros((parts, bins), np.int64)
        for part in prange(parts):
            for i in range(part * n // parts, (part + 1) * n // parts):
                counts[part, keys[i]] += 1
        total = np.zeros(bins, np.int64)
        for part in range(parts):
            for k in range(bins):
                total[k] += counts[part, k]
        return total

    rng = np.random.default_rng(0)
    cube, keys = rng.random((128, 128, 128)), rng.integers(0, 256, 2_000_000)
    a, b = rng.integers(0, 4, 2000), rng.integers(0, 4, 2000)
    return {
        "levenshtein": (levenshtein, lambda: (a, b)),
        "queens": (queens, lambda: (9, 0, 0, 0, 0)),
        "floyd": (floyd_warshall, lambda: (rng.random((200, 200)),)),
        "sor": (sor, lambda: (rng.random((300, 300)), 1.2, 20)),
        "needleman": (needleman_wunsch, lambda: (a, b, 2)),
        "sieve": (sieve, lambda: (2_000_000,)),
        "collatz": (collatz, lambda: (100_000,)),
        "mandelbrot": (mandelbrot, lambda: (np.zeros((200, 300), np.int64), 300)),
        "nbody": (
            nbody,
            lambda: (rng.random((200, 3)), np.zeros((200, 3)), rng.random(200), 10, 1e-3),
        ),
        "knapsack": (knapsack, lambda: (rng.integers(1, 50, 200), rng.integers(1, 99, 200), 5000)),
        "life": (life, lambda: (rng.integers(0, 2, (300, 300)), 20)),
        "stencil": (stencil, lambda: (cube, np.zeros_like(cube))),
        "histogram": (histogram, lambda: (keys, 256)),
    }
