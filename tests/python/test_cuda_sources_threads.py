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


def test_atomics_of_libcudacxx():
    source = r"""
#include <cuda/atomic>
#include <cuda/std/atomic>
extern "C" __global__ void f(int* x, float* g) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(x[0]);
  a.fetch_add(1, cuda::memory_order_relaxed);
  a += 2;
  ++a;
  cuda::std::atomic_ref<int>(x[1]).fetch_or(0);
  cuda::atomic_ref<int> most(x[1]);
  most.fetch_max((int)threadIdx.x);
  cuda::atomic_ref<float> half(g[0]);
  half.fetch_add(0.5f);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> s;
  if (threadIdx.x == 0) s.store(0);
  __syncthreads();
  int old = s.load(cuda::memory_order_acquire);
  while (!s.compare_exchange_weak(old, old + (int)threadIdx.x)) {}
  __syncthreads();
  if (threadIdx.x == 0) x[2 + blockIdx.x] = s;
}"""
    x, g = launch(source, "f", (2,), (32,), numpy.zeros(4, "i4"), numpy.zeros(1, "f4"))
    assert x.tolist() == [256, 31, 496, 496]
    assert g[0] == 32


def test_copies_by_groups():
    source = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
extern "C" __global__ void f(const int* x, int* y) {
  __shared__ int tile[64], more[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, x, sizeof(int) * 64);
  __pipeline_memcpy_async(&more[threadIdx.x], &x[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  cg::wait(block);
  y[threadIdx.x] = tile[63 - threadIdx.x] * 100 + more[threadIdx.x ^ 1];
}"""
    x = rng().integers(0, 99, 64).astype("i4")
    y = launch(source, "f", (1,), (64,), x, numpy.zeros_like(x))[1]
    assert_exact(y, (x[::-1] * 100 + x[numpy.arange(64) ^ 1]).astype("i4"))


def test_reductions_scans_and_votes_of_groups():
    source = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void f(const int* x, int* y) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto four = cg::tiled_partition<4>(warp);
  const int t = block.thread_rank(), v = x[t];
  int* out = y + 8 * t;
  out[0] = cg::reduce(four, v, cg::plus<int>());
  out[1] = cg::reduce(warp, v, cg::greater<int>());
  out[2] = four.any(v == 3) * 2 + four.all(v < 4);
  out[3] = four.ballot(v > 1);
  out[4] = cg::inclusive_scan(four, v) * 100 + cg::exclusive_scan(four, v);
  const auto same = cg::labeled_partition(warp, v);
  out[5] = same.size() * 100 + same.thread_rank();
  cg::thread_group some = cg::tiled_partition(block, 8);
  out[6] = some.size() * 100 + some.thread_rank();
  some.sync();
  if (v > 2) {
    const auto here = cg::coalesced_threads();
    out[7] = here.size();
  }
}"""
    x = rng().integers(0, 5, 64).astype("i4")
    y = launch(source, "f", (1,), (64,), x, numpy.zeros((64, 8), "i4"))[1]
    for t in range(64):
        warp, four = x[t // 32 * 32 :][:32], x[t // 4 * 4 :][:4]
        sums = four.cumsum()
        same = numpy.flatnonzero(warp == x[t])
        assert y[t].tolist() == [
            four.sum(), warp.max(), (four == 3).any() * 2 + (four < 4).all(),
            sum(1 << k for k in range(4) if four[k] > 1),
            sums[t % 4] * 100 + sums[t % 4] - four[t % 4],
            same.size * 100 + same.tolist().index(t % 32),
            800 + t % 8, (warp > 2).sum() if x[t] > 2 else 0,
        ]  # fmt: skip


def test_atomics_in_shared_memory_at_places_that_meet():
    source = r"""
extern "C" __global__ void f(const int* x, int* y, float* z, int* w) {
  __shared__ int counts[8], best[8];
  __shared__ float sums[8];
  const int t = threadIdx.x;
  if (t < 8) { counts[t] = best[t] = 0; sums[t] = 0; }
  __syncthreads();
  atomicAdd(&counts[x[t]], 1);
  __syncthreads();
  atomicAdd(&sums[x[t]], 0.5f);
  __syncthreads();
  atomicMax(&best[x[t]], t);
  __syncthreads();
  w[t] = atomicExch(&counts[7], t);
  __syncthreads();
  if (t < 7) { y[t] = counts[t]; z[t] = sums[t]; y[t + 7] = best[t]; }
}"""
    x = rng().integers(0, 4, 256).astype("i4")
    zeros = numpy.zeros(14, "i4"), numpy.zeros(7, "f4"), numpy.zeros(256, "i4")
    _, y, z, w = launch(source, "f", (1,), (256,), x, *zeros)
    counts = numpy.bincount(x, minlength=7)
    assert y[:7].tolist() == counts.tolist()
    assert z.tolist() == (counts / 2).tolist()
    assert y[7:11].tolist() == [numpy.flatnonzero(x == k).max() for k in range(4)]
    # Each but one is given away: who comes first gets the zero that was there.
    assert len(set(w.tolist())) >= 255
