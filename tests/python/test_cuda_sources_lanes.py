# ruff: noqa: E501
"""CUDA C++ on the CPU: neighbouring threads as lanes of vectors, whatever ways they go."""

from typing import Any

import numpy as np
import pytest
from cuda_source_support import needs_compiler, on_gpu

import heddle
from heddle import _core

__all__ = ["on_gpu"]

pytestmark = needs_compiler

SOURCE = r"""
extern "C" {
__global__ void steps(const int* x, int* y, int n) {
  // Loops of different lengths, with a way out in the middle and another one around.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], count = 0;
  while (v != 1) {
    if (count > 200) break;
    if (v % 2) { v = 3 * v + 1; count += 1; continue; }
    v /= 2;
    for (int k = 0; k < v % 3; ++k) count += k;
    ++count;
  }
  y[i] = count;
}
__global__ void divisions(const int* x, const int* y, int* z, unsigned* u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && y[i] != 0) {
    z[i] = x[i] / y[i] + 1000 * (x[i] % y[i]);
    u[i] = (unsigned)x[i] / (unsigned)y[i] + 7u * ((unsigned)x[i] % (unsigned)y[i]);
  }
}
__global__ void small(const signed char* x, short* y, int n, int by) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned k = i; k < n; k += gridDim.x * blockDim.x)
    if (x[k] > 0) y[k] = (short)(x[k] * by);
}
__global__ void places(const float* x, float* y, unsigned n, unsigned d) {
  // Numbers that wrap around for lanes that do not use them.
  const unsigned t = threadIdx.x;
  y[t] = t >= d ? x[t - d] : -1.0f;
  if (t + d < n) y[n + t] = x[t + d]; else y[n + t] = x[n - 1 - t];
}
__global__ void own(const int* x, int* y, int n) {
  // An array of each thread, with an index that is not known.
  int mine[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 8; ++k) mine[k] = x[i] + k * k;
  for (int k = 0; k < 8; ++k) { const int j = (x[i] + k) & 7; const int t = mine[j]; mine[j] = mine[k]; mine[k] = t; }
  int total = 0;
  for (int k = 0; k < 8; ++k) total = 3 * total + mine[k];
  y[i] = total;
}
__global__ void updates(const int* x, int* bins, int* sums, float* total, int* last, int n) {
  __shared__ int mine[16];
  __shared__ int many;
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  if (threadIdx.x == 0) many = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&mine[x[i] & 15], 1);
    if (x[i] & 1) atomicAdd(&many, x[i]);
    atomicMax(last, x[i]);
    atomicAdd(total, 0.5f);
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(&sums[0], many);
}
__global__ void tickets(int* next, int* taken, int n) {
  // Each thread has a number of its own, given by an update.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 != 0) taken[i] = atomicAdd(next, 1) + 1;
}
__global__ void locked(int* lock, int* count) {
  // Whoever has the lock goes on while its neighbours wait for it.
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *count += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
__global__ void swaps(unsigned long long* best, const unsigned long long* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long old = *best;
  while (x[i] > old) {
    const unsigned long long seen = atomicCAS(best, old, x[i]);
    if (seen == old) break;
    old = seen;
  }
}
__global__ void choices(const double* x, double* y, int n, int mode) {
  // Branches that all take together, around those that they do not.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  switch (mode) {
    case 0: v = v > 0 ? sqrt(v) : exp(v); break;
    case 1: if (v < 0) v = -v; v = pow(v, 0.75); break;
    case 2: for (int k = 0; k < mode + 3; ++k) v = sin(v) + k; break;
    default: v = floor(v) + fmin(v, 0.5) + (isnan(v) ? 1 : 0);
  }
  y[i] = v;
}
__global__ void rows(const float* a, float* b, int width, int height) {
  // Two axes, with rows that are no multiple of anything, and a tree in each.
  extern __shared__ float part[];
  const int x = threadIdx.x, y = threadIdx.y + blockIdx.x * blockDim.y;
  float* mine = part + threadIdx.y * blockDim.x;
  float total = 0;
  if (y < height) for (int k = x; k < width; k += blockDim.x) total += a[y * width + k];
  mine[x] = total;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (x < half) mine[x] += mine[x + half];
    __syncthreads();
  }
  if (x == 0 && y < height) b[y] = mine[0];
}
__global__ void falls(const unsigned* x, unsigned* y, int n) {
  // A loop that some lanes come to by one way, others by another.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned w = x[i], s = 0;
  switch (w & 3) {
    case 0: s += 5;
    case 2: while (w > 7) { w = w & 1 ? 3 * w + 1 : w / 2; if (w % 23 == 9) break; s += w; } break;
    case 1: s = 1;
  }
  y[i] = s;
}
struct Pair { int key; float value; };
__global__ void pairs(const Pair* in, Pair* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { Pair p = in[n - 1 - i]; p.value *= 2; if (p.key % 2) p.key = -p.key; out[i] = p; }
}
}"""

BLOCKS = [1, 7, 16, 33, 64, 250]


@pytest.fixture(scope="module")
def module() -> Any:
    return heddle.RawModule(code=SOURCE)


def run(
    module: Any, name: str, grid: Any, block: Any, *arguments: Any, shared: int = 0
) -> list[np.ndarray]:
    """The arrays among the arguments, afterwards."""
    ours = [heddle.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    block = block if isinstance(block, tuple) else (block,)
    module.get_function(name)((grid,), block, ours, shared_mem=shared)
    return [heddle.asnumpy(a) for a in ours if isinstance(a, _core.own_array)]


def blocks_of(n: int, block: int) -> int:
    return (n + block - 1) // block


def collatz(v: int) -> int:
    count = 0
    while v != 1:
        if count > 200:
            break
        if v % 2:
            v, count = 3 * v + 1, count + 1
            continue
        v //= 2
        count += sum(range(v % 3)) + 1
    return count


@pytest.mark.parametrize("block", BLOCKS)
def test_loops_of_different_lengths(module: Any, block: int) -> None:
    x = np.arange(1, 402, dtype=np.int32)
    y = run(
        module, "steps", blocks_of(x.size, block), block, x, np.zeros_like(x), np.int32(x.size)
    )[1]
    assert y.tolist() == [collatz(int(v)) for v in x]


def fallen(w: int) -> int:
    if w & 1:
        return int(w & 3 == 1)
    total = 5 if w & 3 == 0 else 0
    while w > 7:
        w = 3 * w + 1 if w & 1 else w // 2
        if w % 23 == 9:
            break
        total += w
    return total


@pytest.mark.parametrize("block", BLOCKS)
def test_loops_that_several_ways_lead_to(module: Any, block: int) -> None:
    x = np.arange(300, dtype=np.uint32)
    y = run(
        module, "falls", blocks_of(x.size, block), block, x, np.zeros_like(x), np.int32(x.size)
    )[1]
    assert y.tolist() == [fallen(int(v)) for v in x]


@pytest.mark.parametrize("block", BLOCKS)
def test_divisions_by_what_other_lanes_have(module: Any, block: int) -> None:
    rng = np.random.default_rng(0)
    edges = np.array([-(2**31) + 1, 2**31 - 1, -1, 0, 1, 7], np.int32)
    x = np.concatenate([rng.integers(-(2**31) + 1, 2**31 - 1, 300, np.int32), np.repeat(edges, 6)])
    y = np.concatenate([rng.integers(-9, 10, 300, np.int32), np.tile(edges, 6)])
    z, u = np.zeros_like(x), np.zeros(x.size, np.uint32)
    n = np.int32(x.size)
    got = run(module, "divisions", blocks_of(x.size, block), block, x, y, z, u, n)
    there = y != 0
    a, b = x[there].astype(np.int64), y[there].astype(np.int64)
    quotient = np.trunc(a / b).astype(np.int64)
    z[there] = (quotient + 1000 * (a - quotient * b)).astype(np.int32)
    ua, ub = x.view(np.uint32)[there], y.view(np.uint32)[there]
    u[there] = ua // ub + np.uint32(7) * (ua % ub)
    np.testing.assert_array_equal(got[2], z)
    np.testing.assert_array_equal(got[3], u)


@pytest.mark.parametrize("block", [*BLOCKS, 48, 64, 80, 97, 200, 256])
def test_small_types_in_strides(module: Any, block: int) -> None:
    x = np.random.default_rng(1).integers(-128, 128, 1001).astype(np.int8)
    y = np.full(x.size, -5, np.int16)
    got = run(module, "small", 3, block, x, y, np.int32(x.size), np.int32(-3))[1]
    np.testing.assert_array_equal(got, np.where(x > 0, x.astype(np.int16) * -3, -5))


@pytest.mark.parametrize("d", [0, 1, 5, 16, 31, 63, 64])
def test_indices_that_wrap_around(module: Any, d: int) -> None:
    x = np.arange(64, dtype=np.float32)
    y = run(module, "places", 1, 64, x, np.zeros(128, np.float32), np.uint32(64), np.uint32(d))[1]
    t = np.arange(64)
    np.testing.assert_array_equal(y[:64], np.where(t >= d, x[t - d], -1))
    np.testing.assert_array_equal(y[64:], np.where(t + d < 64, x[np.minimum(t + d, 63)], x[63 - t]))


@pytest.mark.parametrize("block", BLOCKS)
def test_arrays_of_threads(module: Any, block: int) -> None:
    x = np.random.default_rng(2).integers(0, 1000, 300, np.int32)
    got = run(
        module, "own", blocks_of(x.size, block), block, x, np.zeros_like(x), np.int32(x.size)
    )[1]
    expected = []
    for v in x.tolist():
        mine = [v + k * k for k in range(8)]
        for k in range(8):
            j = (v + k) & 7
            mine[j], mine[k] = mine[k], mine[j]
        total = 0
        for m in mine:
            total = 3 * total + m
        expected.append(total)
    assert got.tolist() == expected


@pytest.mark.parametrize("block", [16, 33, 64, 250])
def test_updates_of_shared_and_global_memory(module: Any, block: int) -> None:
    x = np.random.default_rng(3).integers(0, 1000, 2000, np.int32)
    zeros = [
        np.zeros(16, np.int32),
        np.zeros(1, np.int32),
        np.zeros(1, np.float32),
        np.zeros(1, np.int32),
    ]
    got = run(module, "updates", 3, block, x, *zeros, np.int32(x.size))
    np.testing.assert_array_equal(got[1], np.bincount(x & 15, minlength=16))
    assert got[2][0] == x[x % 2 == 1].sum()
    assert got[3][0] == 0.5 * x.size
    assert got[4][0] == x.max()


@pytest.mark.parametrize("block", BLOCKS)
def test_what_updates_give(module: Any, block: int) -> None:
    n = 200
    got = run(
        module,
        "tickets",
        blocks_of(n, block),
        block,
        np.zeros(1, np.int32),
        np.zeros(n, np.int32),
        np.int32(n),
    )
    wanted = np.arange(n) % 3 != 0
    assert got[0][0] == wanted.sum()
    assert sorted(got[1][wanted].tolist()) == list(range(1, wanted.sum() + 1))
    assert not got[1][~wanted].any()


def test_neighbours_that_wait_for_a_lock(module: Any) -> None:
    got = run(module, "locked", 4, 64, np.zeros(1, np.int32), np.zeros(1, np.int32))
    assert got[1][0] == 256


def test_exchanges_in_loops(module: Any) -> None:
    x = np.random.default_rng(4).integers(0, 2**60, 500).astype(np.uint64)
    got = run(module, "swaps", 8, 64, np.zeros(1, np.uint64), x, np.int32(x.size))
    assert got[0][0] == x.max()


@pytest.mark.parametrize("mode", range(4))
def test_branches_of_all_around_branches_of_some(module: Any, mode: int) -> None:
    x = np.random.default_rng(5).standard_normal(333) * 3
    y = run(module, "choices", 6, 64, x, np.zeros_like(x), np.int32(x.size), np.int32(mode))[1]
    with np.errstate(all="ignore"):
        if mode == 0:
            expected = np.where(x > 0, np.sqrt(x), np.exp(x))
        elif mode == 1:
            expected = np.abs(x) ** 0.75
        elif mode == 2:
            expected = x
            for k in range(5):
                expected = np.sin(expected) + k
        else:
            expected = np.floor(x) + np.minimum(x, 0.5)
    np.testing.assert_allclose(y, expected, rtol=4e-15)


@pytest.mark.parametrize("shape", [(32, 4), (8, 8), (64, 2), (128, 1)])
def test_trees_in_rows(module: Any, shape: tuple[int, int]) -> None:
    a = np.random.default_rng(6).random((37, 201), np.float32)
    grid = blocks_of(37, shape[1])
    sizes = np.int32(201), np.int32(37)
    got = run(
        module,
        "rows",
        grid,
        shape,
        a,
        np.zeros(37, np.float32),
        *sizes,
        shared=4 * shape[0] * shape[1],
    )[1]
    np.testing.assert_allclose(got, a.sum(1), rtol=1e-5)


def test_structs_of_neighbours(module: Any) -> None:
    kind = np.dtype([("key", np.int32), ("value", np.float32)])
    given = np.zeros(100, kind)
    given["key"], given["value"] = np.arange(100), np.arange(100) / 4
    flat = given.view(np.uint8)
    out = run(module, "pairs", 2, 64, flat, np.zeros_like(flat), np.int32(100))[1].view(kind)
    back = given[::-1]
    np.testing.assert_array_equal(out["value"], 2 * back["value"])
    np.testing.assert_array_equal(out["key"], np.where(back["key"] % 2, -back["key"], back["key"]))
