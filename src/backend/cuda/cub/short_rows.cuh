// The definitions of short_rows.h.
#pragma once

#include <algorithm>

#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>

#include "short_rows.h"

namespace heddle::cub_part {

// A row for each block, padded with the largest key: in a stable sort the padding stays behind what
// was there.
template <class K, int block_threads, int items>
__global__ void __launch_bounds__(block_threads)
    sort_by_blocks(K* keys, std::int64_t rows, int length, std::int64_t* positions) {
  using Load = cub::BlockLoad<K, block_threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Keys = cub::BlockRadixSort<K, block_threads, items>;
  using Pairs = cub::BlockRadixSort<K, block_threads, items, std::uint16_t>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Keys::TempStorage keys;
    typename Pairs::TempStorage pairs;
  } memory;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    K* own = keys + row * length;
    K held[items];
    Load(memory.load).Load(own, held, length, static_cast<K>(~K{0}));
    __syncthreads();
    if (positions) {
      std::uint16_t places[items];
      for (int i = 0; i < items; ++i)
        places[i] = static_cast<std::uint16_t>(threadIdx.x * items + i);
      Pairs(memory.pairs).SortBlockedToStriped(held, places);
      std::int64_t* order = positions + row * length;
      for (int i = 0; i < items; ++i) {
        const int at = threadIdx.x + i * block_threads;
        if (at < length) order[at] = places[i];
      }
    } else {
      Keys(memory.keys).SortBlockedToStriped(held);
      for (int i = 0; i < items; ++i) {
        const int at = threadIdx.x + i * block_threads;
        if (at < length) own[at] = held[i];
      }
    }
    __syncthreads();
  }
}

template <class K>
cudaError_t sort_short_rows(K* keys, std::int64_t rows, std::int64_t length,
                            std::int64_t* positions, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 1 << 20;
  const auto blocks = static_cast<unsigned>(std::min(rows, most_blocks));
  const auto count = static_cast<int>(length);
  if (length <= 256) {
    sort_by_blocks<K, 64, 4><<<blocks, 64, 0, stream>>>(keys, rows, count, positions);
  } else if (length <= 1024) {
    sort_by_blocks<K, 128, 8><<<blocks, 128, 0, stream>>>(keys, rows, count, positions);
  } else {
    static_assert(longest_short_row == 256 * 16);
    sort_by_blocks<K, 256, 16><<<blocks, 256, 0, stream>>>(keys, rows, count, positions);
  }
  return cudaGetLastError();
}

}  // namespace heddle::cub_part

#define HEDDLE_SHORT_ROWS(K)                                                           \
  namespace heddle::cub_part {                                                         \
  template cudaError_t sort_short_rows<K>(K*, std::int64_t, std::int64_t, std::int64_t*, \
                                          cudaStream_t);                               \
  }
