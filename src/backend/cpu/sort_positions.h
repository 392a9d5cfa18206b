// The order of keys as positions: where in its row each of the sorted keys was.
#pragma once

#include <cstdint>
#include <span>

namespace heddle::cpu {

// For std::uint8_t, 16, 32, 64. Keys are left as they are. On all cores if `parallel` and there is
// enough to do.

// Stable.
template <class K>
void argsort_keys(const K* keys, std::int64_t count, std::int64_t* positions, bool parallel);
template <class K>
void argsort_rows_here(const K* keys, std::int64_t rows, std::int64_t length,
                       std::int64_t* positions);

// The positions of keys partitioned at the ranks, which ascend; see partition_keys.
template <class K>
void argpartition_keys(const K* keys, std::int64_t count, std::span<const std::int64_t> ranks,
                       std::int64_t* positions, bool parallel);

}  // namespace heddle::cpu
