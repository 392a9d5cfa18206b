// Sorting many short rows: as many at once as a vector has lanes, by a sorting network.
#pragma once

#include <cstdint>

namespace heddle::cpu {

inline constexpr std::int64_t longest_short_row = 512;
// Up to which a network is faster than another sort: the more, the more keys a vector has.
template <class K>
inline constexpr std::int64_t short_row = sizeof(K) < 8 ? longest_short_row : 256;

// Sorts rows of up to longest_short_row keys in place, on this core; for std::uint8_t, 16, 32, 64.
template <class K>
void sort_short_rows(K* keys, std::int64_t rows, std::int64_t length);

}  // namespace heddle::cpu
