// Searches in sorted keys, and counts by bin.
#include "bins.cuh"
#include "heddle_cub.h"

namespace heddle::cub_part {
namespace {

template <class K>
struct Mapped {
  K flip, infinity;
  __device__ K operator()(K bits) const {
    if (infinity == 0) return static_cast<K>(bits ^ flip);
    constexpr auto sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    const auto magnitude = static_cast<K>(bits & static_cast<K>(~sign));
    if (magnitude > infinity) return static_cast<K>(~K{0});
    if (magnitude == 0) return sign;
    return bits & sign ? static_cast<K>(~bits) : static_cast<K>(bits | sign);
  }
};

template <class K>
struct Search {
  const K* sorted;
  std::int64_t length;
  const K* values;
  Mapped<K> key;
  bool right;
  std::int64_t* positions;

  __device__ void operator()(std::int64_t i) const {
    const K value = key(values[i]);
    std::int64_t first = 0, last = length;
    while (first < last) {
      const std::int64_t middle = first + (last - first) / 2;
      const K there = key(sorted[middle]);
      if (there < value || (right && there == value)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    positions[i] = first;
  }
};

// Signed sums wrap as unsigned ones do, which atomics have.
using Count = unsigned long long;

// A block counts in tables of its own, several of them so that warps do not wait for each other. 32
// bits are enough for what a block counts, and much faster to add to.
template <class K>
__global__ void __launch_bounds__(threads) count_shared(const K* bins, std::int64_t size,
                                                        Count* totals, int total_count,
                                                        int tables) {
  extern __shared__ unsigned all[];
  for (int b = threadIdx.x; b < tables * total_count; b += threads) all[b] = 0;
  __syncthreads();
  unsigned* own = all + threadIdx.x / 32 % tables * total_count;
  for_each_bin(bins, size, [&](K bin, std::int64_t) { atomicAdd(own + bin, 1U); });
  __syncthreads();
  for (int b = threadIdx.x; b < total_count; b += threads) {
    Count sum = 0;
    for (int table = 0; table < tables; ++table) sum += all[table * total_count + b];
    if (sum != 0) atomicAdd(totals + b, sum);
  }
}

template <class K>
cudaError_t count(const K* bins, std::int64_t size, Count* totals, std::int64_t total_count,
                  cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(total_count) * sizeof(Count);
  const cudaError_t cleared = cudaMemsetAsync(totals, 0, bytes, stream);
  if (cleared != cudaSuccess || size == 0) return cleared;
  constexpr std::int64_t most_shared = shared_bytes / sizeof(unsigned);
  if (total_count > most_shared) {
    return for_each(size, stream,
                    [=] __device__(std::int64_t i) { atomicAdd(totals + bins[i], Count{1}); });
  }
  const std::int64_t tables = std::clamp<std::int64_t>(4096 / total_count, 1, threads / 32);
  count_shared<<<blocks_for_bins(size), threads, tables * total_count * sizeof(unsigned), stream>>>(
      bins, size, totals, static_cast<int>(total_count), static_cast<int>(tables));
  return cudaGetLastError();
}

}  // namespace
}  // namespace heddle::cub_part

extern "C" {

__attribute__((visibility("default"))) int heddle_cub_search(const heddle_cub_keys* sorted,
                                                             const heddle_cub_keys* values,
                                                             const heddle_cub_map* map, int right,
                                                             int64_t* positions, void* stream) {
  using namespace heddle::cub_part;
  return with_key(sorted->width, [&](auto zero) {
    using K = decltype(zero);
    const Mapped<K> key{static_cast<K>(map->flip), static_cast<K>(map->infinity)};
    return for_each(values->rows * values->length, static_cast<cudaStream_t>(stream),
                    Search<K>{static_cast<const K*>(sorted->data), sorted->length,
                              static_cast<const K*>(values->data), key, right != 0, positions});
  });
}

__attribute__((visibility("default"))) int heddle_cub_count(const heddle_cub_keys* bins,
                                                            int64_t* totals, int64_t total_count,
                                                            void* stream) {
  using namespace heddle::cub_part;
  return with_key(bins->width, [&](auto zero) {
    return count(static_cast<const decltype(zero)*>(bins->data), bins->rows * bins->length,
                 reinterpret_cast<Count*>(totals), total_count, static_cast<cudaStream_t>(stream));
  });
}

}  // extern "C"
