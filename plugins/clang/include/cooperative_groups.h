// Cooperative groups of grids, blocks and warps.
#pragma once

namespace cooperative_groups {

struct grid_group {
  HEDDLE_DEVICE void sync() const { __heddle_grid_barrier(); }
  HEDDLE_DEVICE bool is_valid() const { return true; }
  HEDDLE_DEVICE unsigned long long size() const {
    return num_blocks() * (blockDim.x * blockDim.y * blockDim.z);
  }
  HEDDLE_DEVICE unsigned long long num_threads() const { return size(); }
  HEDDLE_DEVICE unsigned long long num_blocks() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  HEDDLE_DEVICE unsigned long long block_rank() const {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  HEDDLE_DEVICE unsigned long long thread_rank() const {
    return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +
           blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  HEDDLE_DEVICE dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  HEDDLE_DEVICE dim3 dim_blocks() const { return group_dim(); }
};

struct thread_block {
  HEDDLE_DEVICE static void sync() { __syncthreads(); }
  HEDDLE_DEVICE static unsigned int thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  HEDDLE_DEVICE static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  HEDDLE_DEVICE static unsigned int num_threads() { return size(); }
  HEDDLE_DEVICE static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HEDDLE_DEVICE static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  HEDDLE_DEVICE static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  HEDDLE_DEVICE static dim3 dim_threads() { return group_dim(); }
};

// Lanes of a warp, by their bits.
struct __heddle_lanes {
  unsigned int mask_;
  HEDDLE_DEVICE void sync() const { __syncwarp(mask_); }
  HEDDLE_DEVICE unsigned int thread_rank() const {
    return __popc(mask_ & ((1u << __heddle_lane()) - 1));
  }
  HEDDLE_DEVICE unsigned int size() const { return __popc(mask_); }
  HEDDLE_DEVICE unsigned int num_threads() const { return size(); }
  HEDDLE_DEVICE int any(int predicate) const { return __any_sync(mask_, predicate); }
  HEDDLE_DEVICE int all(int predicate) const { return __all_sync(mask_, predicate); }
  // The lane that is the n-th of them.
  HEDDLE_DEVICE unsigned int lane_of(unsigned int n) const {
    unsigned int left = mask_;
    for (unsigned int i = 0; i < n; ++i) left &= left - 1;
    return __ffs(left) - 1;
  }
};

struct coalesced_group : __heddle_lanes {
  HEDDLE_DEVICE unsigned int ballot(int predicate) const {
    const unsigned int votes = __ballot_sync(mask_, predicate);
    unsigned int made = 0, at = 0;
    for (unsigned int left = mask_; left; left &= left - 1, ++at)
      made |= ((votes >> (__ffs(left) - 1)) & 1u) << at;
    return made;
  }
  template <typename T>
  HEDDLE_DEVICE T shfl(T value, unsigned int from) const {
    return __heddle_shuffle_any(mask_, value, lane_of(from));
  }
  template <typename T>
  HEDDLE_DEVICE T shfl_down(T value, unsigned int delta) const {
    const unsigned int to = thread_rank() + delta;
    return __heddle_shuffle_any(mask_, value, to < size() ? lane_of(to) : __heddle_lane());
  }
  template <typename T>
  HEDDLE_DEVICE T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return __heddle_shuffle_any(mask_, value, rank >= delta ? lane_of(rank - delta) : __heddle_lane());
  }
};

template <unsigned int n, typename Parent = void>
struct thread_block_tile {
  thread_block_tile() = default;
  template <typename Other>
  HEDDLE_DEVICE thread_block_tile(const thread_block_tile<n, Other>&) {}
  static_assert(n <= 32 && (n & (n - 1)) == 0, "tiles have up to 32 threads, a power of two");
  HEDDLE_DEVICE static unsigned int mask() {
    const unsigned int all = n == 32 ? 0xffffffffu : (1u << (n & 31)) - 1;
    return all << (__heddle_lane() & ~(n - 1));
  }
  HEDDLE_DEVICE static void sync() { __syncwarp(mask()); }
  HEDDLE_DEVICE static unsigned int thread_rank() { return __heddle_lane() & (n - 1); }
  HEDDLE_DEVICE static constexpr unsigned int size() { return n; }
  HEDDLE_DEVICE static constexpr unsigned int num_threads() { return n; }
  HEDDLE_DEVICE static unsigned int meta_group_rank() { return thread_block::thread_rank() / n; }
  HEDDLE_DEVICE static unsigned int meta_group_size() { return (thread_block::size() + n - 1) / n; }
  template <typename T>
  HEDDLE_DEVICE T shfl(T value, int from) const { return __shfl_sync(mask(), value, from, n); }
  template <typename T>
  HEDDLE_DEVICE T shfl_down(T value, unsigned int delta) const { return __shfl_down_sync(mask(), value, delta, n); }
  template <typename T>
  HEDDLE_DEVICE T shfl_up(T value, unsigned int delta) const { return __shfl_up_sync(mask(), value, delta, n); }
  template <typename T>
  HEDDLE_DEVICE T shfl_xor(T value, unsigned int lanes) const { return __shfl_xor_sync(mask(), value, lanes, n); }
  HEDDLE_DEVICE int any(int predicate) const { return __any_sync(mask(), predicate); }
  HEDDLE_DEVICE int all(int predicate) const { return __all_sync(mask(), predicate); }
  HEDDLE_DEVICE unsigned int ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> (__heddle_lane() & ~(n - 1));
  }
  template <typename T>
  HEDDLE_DEVICE unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> (__heddle_lane() & ~(n - 1));
  }
};

HEDDLE_INLINE grid_group this_grid() { return {}; }
HEDDLE_INLINE thread_block this_thread_block() { return {}; }
HEDDLE_INLINE coalesced_group coalesced_threads() { return {{__activemask()}}; }
template <unsigned int n, typename Parent>
HEDDLE_DEVICE thread_block_tile<n, Parent> tiled_partition(const Parent&) { return {}; }
template <typename Group>
HEDDLE_DEVICE void sync(const Group& group) { group.sync(); }

// Any of them, chosen while the kernel runs: a block, or lanes of a warp.
struct thread_group {
  bool block_;
  unsigned int mask_;
  HEDDLE_DEVICE thread_group(const thread_block&) : block_(true), mask_(0) {}
  HEDDLE_DEVICE thread_group(const __heddle_lanes& lanes) : block_(false), mask_(lanes.mask_) {}
  template <unsigned int n, typename Parent>
  HEDDLE_DEVICE thread_group(const thread_block_tile<n, Parent>& tile) : block_(false), mask_(tile.mask()) {}
  HEDDLE_DEVICE explicit thread_group(unsigned int mask) : block_(false), mask_(mask) {}
  HEDDLE_DEVICE void sync() const {
    if (block_) {
      thread_block::sync();
    } else {
      __syncwarp(mask_);
    }
  }
  HEDDLE_DEVICE unsigned int size() const { return block_ ? thread_block::size() : __popc(mask_); }
  HEDDLE_DEVICE unsigned int num_threads() const { return size(); }
  HEDDLE_DEVICE unsigned int thread_rank() const {
    return block_ ? thread_block::thread_rank() : __popc(mask_ & ((1u << __heddle_lane()) - 1));
  }
};
// Up to 32 threads each, a power of two.
HEDDLE_INLINE thread_group tiled_partition(const thread_group&, unsigned int n) {
  const unsigned int all = n >= 32 ? 0xffffffffu : (1u << n) - 1;
  return thread_group(all << (__heddle_lane() & ~(n - 1)));
}

// Lanes that have the same.
template <unsigned int n, typename Parent, typename T>
HEDDLE_DEVICE coalesced_group labeled_partition(const thread_block_tile<n, Parent>& tile, T label) {
  return {{__match_any_sync(tile.mask(), label)}};
}
template <typename T>
HEDDLE_DEVICE coalesced_group labeled_partition(const coalesced_group& group, T label) {
  return {{__match_any_sync(group.mask_, label)}};
}
template <typename Group>
HEDDLE_DEVICE coalesced_group binary_partition(const Group& group, bool which) {
  return labeled_partition(group, (int)which);
}
template <typename Group, typename F>
HEDDLE_DEVICE void invoke_one(const Group& group, F f) {
  if (group.thread_rank() == 0) f();
}

template <typename T>
struct plus { HEDDLE_DEVICE T operator()(T a, T b) const { return a + b; } };
template <typename T>
struct less { HEDDLE_DEVICE T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T>
struct greater { HEDDLE_DEVICE T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T>
struct bit_and { HEDDLE_DEVICE T operator()(T a, T b) const { return a & b; } };
template <typename T>
struct bit_or { HEDDLE_DEVICE T operator()(T a, T b) const { return a | b; } };
template <typename T>
struct bit_xor { HEDDLE_DEVICE T operator()(T a, T b) const { return a ^ b; } };

template <unsigned int n, typename Parent, typename T, typename F>
HEDDLE_DEVICE T reduce(const thread_block_tile<n, Parent>& tile, T value, F f) {
#pragma unroll
  for (unsigned int lanes = n / 2; lanes > 0; lanes /= 2) value = f(value, tile.shfl_xor(value, lanes));
  return value;
}
template <typename T, typename F>
HEDDLE_DEVICE T reduce(const coalesced_group& group, T value, F f) {
  T total = group.shfl(value, 0);
  for (unsigned int i = 1; i < group.size(); ++i) total = f(total, group.shfl(value, i));
  return total;
}
template <unsigned int n, typename Parent, typename T, typename F>
HEDDLE_DEVICE T inclusive_scan(const thread_block_tile<n, Parent>& tile, T value, F f) {
#pragma unroll
  for (unsigned int lanes = 1; lanes < n; lanes *= 2) {
    const T before = tile.shfl_up(value, lanes);
    if (tile.thread_rank() >= lanes) value = f(before, value);
  }
  return value;
}
template <unsigned int n, typename Parent, typename T>
HEDDLE_DEVICE T inclusive_scan(const thread_block_tile<n, Parent>& tile, T value) {
  return inclusive_scan(tile, value, plus<T>());
}
template <unsigned int n, typename Parent, typename T>
HEDDLE_DEVICE T exclusive_scan(const thread_block_tile<n, Parent>& tile, T value) {
  const T before = tile.shfl_up(inclusive_scan(tile, value), 1);
  return tile.thread_rank() == 0 ? T() : before;
}

struct __attribute__((unavailable("thread block clusters need a GPU"))) cluster_group {};
template <typename... A>
__attribute__((unavailable("thread block clusters need a GPU"))) __device__ thread_block this_cluster(A...);

}  // namespace cooperative_groups
