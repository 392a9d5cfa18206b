// Sorts of rows that one block of threads holds, in one kernel and without a workspace; one file of
// code for each width of keys: short_rows_u32.cu and its neighbour.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace heddle::cub_part {

constexpr std::int64_t longest_short_row = 4096;

// Sorts the keys in place; with positions, writes their order there instead. Stable.
template <class K>
cudaError_t sort_short_rows(K* keys, std::int64_t rows, std::int64_t length,
                            std::int64_t* positions, cudaStream_t stream);

}  // namespace heddle::cub_part
