// Searches in sorted keys, and counts by bin.
#include "heddle_cub.h"
#include "kernel.cuh"

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

constexpr std::int64_t most_shared = 4096;  // bins that a block counts by itself: 32 KB

// Signed sums wrap as unsigned ones do, which atomics have.
using Count = unsigned long long;

template <class T, class Term>
__global__ void __launch_bounds__(threads) count_shared(const std::int64_t* bins, std::int64_t size,
                                                        T* totals, int total_count, Term term) {
  extern __shared__ Count memory[];
  T* own = reinterpret_cast<T*>(memory);
  for (int b = threadIdx.x; b < total_count; b += threads) own[b] = 0;
  __syncthreads();
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < size;
       i += step)
    atomicAdd(own + bins[i], term(i));
  __syncthreads();
  for (int b = threadIdx.x; b < total_count; b += threads) {
    if (own[b] != 0) atomicAdd(totals + b, own[b]);
  }
}

template <class T, class Term>
cudaError_t count(const std::int64_t* bins, std::int64_t size, T* totals, std::int64_t total_count,
                  cudaStream_t stream, Term term) {
  const auto bytes = static_cast<std::size_t>(total_count) * sizeof(T);
  const cudaError_t cleared = cudaMemsetAsync(totals, 0, bytes, stream);
  if (cleared != cudaSuccess || size == 0) return cleared;
  if (total_count > most_shared) {
    return for_each(size, stream,
                    [=] __device__(std::int64_t i) { atomicAdd(totals + bins[i], term(i)); });
  }
  // Every block adds up all its bins at the end: long parts for few blocks.
  constexpr std::int64_t most_blocks = 1024;
  const std::int64_t blocks = std::min((size + 16 * threads - 1) / (16 * threads), most_blocks);
  count_shared<<<static_cast<unsigned>(blocks), threads, bytes, stream>>>(
      bins, size, totals, static_cast<int>(total_count), term);
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

__attribute__((visibility("default"))) int heddle_cub_count(const int64_t* bins, int64_t size,
                                                            const double* weights, void* totals,
                                                            int64_t total_count, void* stream) {
  using namespace heddle::cub_part;
  const auto on = static_cast<cudaStream_t>(stream);
  if (weights) {
    return count(bins, size, static_cast<double*>(totals), total_count, on,
                 [weights] __device__(std::int64_t i) { return weights[i]; });
  }
  return count(bins, size, static_cast<Count*>(totals), total_count, on,
               [] __device__(std::int64_t) { return Count{1}; });
}

}  // extern "C"
