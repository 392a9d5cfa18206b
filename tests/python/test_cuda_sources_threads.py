# ruff: noqa: E501
"""Threads of CUDA C++ that wait for each other, and atomics."""

import numpy
from cuda_source_support import i4, launch, needs_compiler, on_gpu, rng  # noqa: F401
from support import assert_exact

pytestmark = needs_compiler


# --- threads that wait, and atomics ---


def test_barriers_that_count():
    source = r"""
extern "C" __global__ void f(const int* x, int* out) {
  const int i = threadIdx.x;
  const int n = __syncthreads_count(x[i] > 2), all = __syncthreads_and(x[i] >= 0), any = __syncthreads_or(x[i] > 98);
  out[i] = n * 100 + all * 10 + any;
}"""
    x = rng().integers(0, 6, 70).astype("i4")
    out = launch(source, "f", (1,), (70,), x, numpy.zeros_like(x))[1]
    assert out.tolist() == [(x > 2).sum() * 100 + 10] * 70


def test_votes_and_matches():
    source = r"""
extern "C" __global__ void f(const int* x, unsigned* out) {
  const int i = threadIdx.x;
  out[4 * i] = __match_any_sync(0xffffffffu, x[i]);
  out[4 * i + 1] = __any_sync(0xffffffffu, x[i] == 3);
  out[4 * i + 2] = __all_sync(0xffffffffu, x[i] < 9);
  out[4 * i + 3] = __reduce_add_sync(0xffffffffu, x[i]);
}"""
    x = rng().integers(0, 4, 64).astype("i4")
    out = launch(source, "f", (1,), (64,), x, numpy.zeros((64, 4), "u4"))[1]
    for i in range(64):
        warp = x[i // 32 * 32 : i // 32 * 32 + 32]
        same = sum(1 << k for k in range(32) if warp[k] == x[i])
        assert out[i].tolist() == [same, int((warp == 3).any()), 1, warp.sum()]


def test_lanes_that_go_different_ways():
    source = r"""
extern "C" __global__ void f(int* out) {
  const int lane = threadIdx.x % 32;
  int v = lane;
  if (lane < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0x0000ffffu, v, d);
  } else {
    v = __shfl_sync(0xffff0000u, v, 20) * 1000;
    __syncwarp(0xffff0000u);
  }
  __syncthreads();
  if (threadIdx.x == 5) return;
  __syncthreads();
  out[threadIdx.x] = v;
}"""
    out = launch(source, "f", (1,), (64,), numpy.full(64, -1, "i4"))[0]
    want = numpy.where(numpy.arange(64) % 32 < 16, 120, 20000)
    want[5] = -1
    assert_exact(out, want.astype("i4"))


def test_loops_of_different_lengths_around_shuffles():
    source = r"""
extern "C" __global__ void f(const int* x, int* out) {
  int n = x[threadIdx.x], rounds = 0;
  while (__any_sync(0xffffffffu, n > 0)) {
    n -= 1 + (threadIdx.x & 1);
    ++rounds;
  }
  out[threadIdx.x] = rounds;
}"""
    x = rng().integers(0, 20, 96).astype("i4")
    out = launch(source, "f", (1,), (96,), x, numpy.zeros_like(x))[1]
    need = -(-numpy.maximum(x, 0) // (1 + numpy.arange(96) % 2))
    assert_exact(out, numpy.repeat(need.reshape(3, 32).max(1), 32).astype("i4"))


def test_atomics():
    source = r"""
extern "C" __global__ void f(int* a, unsigned* u, float* g, double* d, unsigned long long* l) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&a[0], i); atomicSub(&a[1], i); atomicMax(&a[2], i); atomicMin(&a[3], -i);
  atomicAnd(&u[0], ~(1u << (i % 32))); atomicOr(&u[1], 1u << (i % 32)); atomicXor(&u[2], i);
  atomicInc(&u[3], 9u); atomicDec(&u[4], 9u);
  atomicAdd(g, 0.5f); atomicAdd(d, 0.25); atomicAdd(l, (unsigned long long)i);
  int old = a[4], seen;
  do { seen = old; old = atomicCAS(&a[4], seen, seen + 2); } while (old != seen);
}"""
    n = 512
    a, u, g, d, l = launch(
        source, "f", (4,), (128,), numpy.zeros(5, "i4"),
        numpy.array([0xFFFFFFFF, 0, 0, 0, 0], "u4"),
        numpy.zeros(1, "f4"), numpy.zeros(1), numpy.zeros(1, "u8"),
    )  # fmt: skip
    total = n * (n - 1) // 2
    assert a.tolist() == [total, -total, n - 1, 1 - n, 2 * n]
    assert u.tolist() == [0, 0xFFFFFFFF, 0, n % 10, (-n) % 10]
    assert (g[0], d[0], l[0]) == (n / 2, n / 4, total)


def test_grids_that_wait():
    source = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void f(int* x, int n) {
  cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  for (int d = 1; d < n; d *= 2) {
    const int v = i >= d && i < n ? x[i - d] : 0;
    grid.sync();
    if (i < n) x[i] += v;
    grid.sync();
  }
}"""
    x = rng().integers(0, 9, 200).astype("i4")
    out = launch(source, "f", (4,), (64,), x, i4(200), cooperative=True)[0]
    assert_exact(out, x.cumsum().astype("i4"))


def test_groups_of_threads():
    source = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <typename Tile>
__device__ int total(const Tile& tile, int v) {
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  return tile.shfl(v, 0);
}
extern "C" __global__ void f(const int* x, int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  __shared__ int all;
  if (block.thread_rank() == 0) all = 0;
  block.sync();
  const int sum = total(tile, x[block.thread_rank()]);
  if (tile.thread_rank() == 0) atomicAdd(&all, sum);
  cg::sync(block);
  out[block.thread_rank()] = sum * 10000 + all;
}"""
    x = rng().integers(0, 9, 64).astype("i4")
    out = launch(source, "f", (1,), (64,), x, numpy.zeros_like(x))[1]
    sums = numpy.repeat(x.reshape(8, 8).sum(1), 8)
    assert_exact(out, (sums * 10000 + x.sum()).astype("i4"))


def test_local_arrays_that_live_across_barriers():
    source = r"""
extern "C" __global__ void f(const int* x, int* out, int shift) {
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = x[threadIdx.x * 8 + i];
  __shared__ int first[32];
  first[threadIdx.x] = mine[(threadIdx.x + shift) % 8];
  __syncthreads();
  const int other = first[(threadIdx.x + 1) % 32];
  mine[other % 8] += 100;
  __syncthreads();
  int total = 0;
  for (int i = 0; i < 8; ++i) total = total * 3 + mine[(i + shift) % 8];
  out[threadIdx.x] = total;
}"""
    x = rng().integers(0, 50, (32, 8)).astype("i4")
    out = launch(source, "f", (1,), (32,), x, numpy.zeros(32, "i4"), i4(3))[1]
    t = numpy.arange(32)
    first = x[t, (t + 3) % 8]
    mine = x.copy()
    mine[t, first[(t + 1) % 32] % 8] += 100
    want = numpy.zeros(32, "i4")
    for i in range(8):
        want = want * 3 + mine[:, (i + 3) % 8]
    assert_exact(out, want.astype("i4"))
