// Walks over bins: unsigned integers that say where each element belongs.
#pragma once

#include "kernel.cuh"

namespace heddle::cub_part {

constexpr std::int64_t shared_bytes = 48 * 1024;  // what a block counts in by itself

// Bins that a thread reads at once.
template <class K>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(K);
  K bins[size];
};

// Calls body(bin, index) for all of a grid's bins, each thread for several of them in turn.
template <class K, class F>
__device__ void for_each_bin(const K* bins, std::int64_t size, F body) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const std::int64_t packs = size / Pack<K>::size;
  for (std::int64_t i = first; i < packs; i += step) {
    const Pack<K> pack = reinterpret_cast<const Pack<K>*>(bins)[i];
#pragma unroll
    for (int j = 0; j < Pack<K>::size; ++j) body(pack.bins[j], i * Pack<K>::size + j);
  }
  for (std::int64_t i = packs * Pack<K>::size + first; i < size; i += step) body(bins[i], i);
}

// Blocks for kernels in which each adds up all its bins at the end: long parts for few blocks, none
// of 2^32 bins.
inline unsigned blocks_for_bins(std::int64_t size) {
  constexpr std::int64_t part = 16 * threads, longest = std::int64_t{1} << 31;
  const std::int64_t most_blocks = std::max<std::int64_t>(1024, size / longest);
  return static_cast<unsigned>(std::min((size + part - 1) / part, most_blocks));
}

}  // namespace heddle::cub_part
