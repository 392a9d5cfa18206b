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

constexpr std::int64_t shared_bytes = 48 * 1024;  // what a block counts in by itself

// Signed sums wrap as unsigned ones do, which atomics have.
using Count = unsigned long long;

// What an element adds to its bin.
struct One {
  __device__ Count operator()(std::int64_t) const { return 1; }
};
struct Weight {
  const double* weights;
  __device__ double operator()(std::int64_t i) const { return weights[i]; }
};

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

// A block counts in tables of its own, several of them so that warps do not wait for each other.
// `Own` is what they have: 32 bits are enough for what a block counts, and much faster to add to.
template <class Own, class K, class T, class Term>
__global__ void __launch_bounds__(threads) count_shared(const K* bins, std::int64_t size, T* totals,
                                                        int total_count, int tables, Term term) {
  extern __shared__ Count memory[];
  Own* all = reinterpret_cast<Own*>(memory);
  for (int b = threadIdx.x; b < tables * total_count; b += threads) all[b] = 0;
  __syncthreads();
  Own* own = all + threadIdx.x / 32 % tables * total_count;
  for_each_bin(bins, size,
               [&](K bin, std::int64_t i) { atomicAdd(own + bin, static_cast<Own>(term(i))); });
  __syncthreads();
  for (int b = threadIdx.x; b < total_count; b += threads) {
    T sum = 0;
    for (int table = 0; table < tables; ++table) sum += all[table * total_count + b];
    if (sum != 0) atomicAdd(totals + b, sum);
  }
}

template <class Own, class K, class T, class Term>
cudaError_t count(const K* bins, std::int64_t size, T* totals, std::int64_t total_count,
                  cudaStream_t stream, Term term) {
  const auto bytes = static_cast<std::size_t>(total_count) * sizeof(T);
  const cudaError_t cleared = cudaMemsetAsync(totals, 0, bytes, stream);
  if (cleared != cudaSuccess || size == 0) return cleared;
  constexpr std::int64_t most_shared = shared_bytes / sizeof(Own);
  if (total_count > most_shared) {
    return for_each(size, stream,
                    [=] __device__(std::int64_t i) { atomicAdd(totals + bins[i], term(i)); });
  }
  // Every block adds up all its bins at the end: long parts for few blocks, none of 2^32 bins.
  constexpr std::int64_t part = 16 * threads, longest = std::int64_t{1} << 31;
  const std::int64_t most_blocks = std::max<std::int64_t>(1024, size / longest);
  const std::int64_t blocks = std::min((size + part - 1) / part, most_blocks);
  const std::int64_t tables = std::clamp<std::int64_t>(4096 / total_count, 1, threads / 32);
  count_shared<Own>
      <<<static_cast<unsigned>(blocks), threads, tables * total_count * sizeof(Own), stream>>>(
          bins, size, totals, static_cast<int>(total_count), static_cast<int>(tables), term);
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
                                                            const double* weights, void* totals,
                                                            int64_t total_count, void* stream) {
  using namespace heddle::cub_part;
  const auto on = static_cast<cudaStream_t>(stream);
  const std::int64_t size = bins->rows * bins->length;
  return with_key(bins->width, [&](auto zero) {
    const auto* places = static_cast<const decltype(zero)*>(bins->data);
    if (weights) {
      return count<double>(places, size, static_cast<double*>(totals), total_count, on,
                           Weight{weights});
    }
    return count<unsigned>(places, size, static_cast<Count*>(totals), total_count, on, One{});
  });
}

}  // extern "C"
