// Sorting many short rows: as many at once as a vector has lanes, by a sorting network.
#pragma once

#include <cstdint>

#include "backend/cpu/target.h"
#include "backend/cpu/vector_sort.h"

namespace heddle::cpu {

inline constexpr std::int64_t longest_short_row = 512;
// Up to which a network is faster than another sort: the more, the more keys a vector has. Sorts
// that compress vectors are quick for short rows, too.
template <class K>
bool is_short_row(std::int64_t length) {
  if (sizeof(K) > (parts_halves() ? 1 : 2) && host_level() == CpuLevel::v4) return length <= 24;
  return length <= (sizeof(K) < 8 ? longest_short_row : 256);
}

// Sorts rows of up to longest_short_row keys in place, on this core; for std::uint8_t, 16, 32, 64.
template <class K>
void sort_short_rows(K* keys, std::int64_t rows, std::int64_t length);
// The same for neighbouring columns of so many rows, which are `stride` keys apart.
template <class K>
void sort_short_columns(K* keys, std::int64_t length, std::int64_t columns, std::int64_t stride);

}  // namespace heddle::cpu
