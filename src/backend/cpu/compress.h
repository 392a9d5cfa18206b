// The inner loops of compaction: as many elements at once as a vector has lanes.
#pragma once

#include <cstdint>

namespace heddle::cpu {

// How many of the flags are not zero.
std::int64_t count_flags(const std::uint8_t* flags, std::int64_t count);

// Writes values[i] where flags[i] is not zero, for i up to count, one after the other to [to, end):
// exactly as many as there are.
template <class T>
void compress(const std::uint8_t* flags, const T* values, std::int64_t count, T* to, T* end) {
  for (std::int64_t i = 0; i < count && to < end; ++i) {
    *to = values[i];
    to += flags[i] != 0;
  }
}
template <>
void compress(const std::uint8_t* flags, const std::uint32_t* values, std::int64_t count,
              std::uint32_t* to, std::uint32_t* end);
template <>
void compress(const std::uint8_t* flags, const std::uint64_t* values, std::int64_t count,
              std::uint64_t* to, std::uint64_t* end);

// The same with first + i for values[i].
void compress_positions(const std::uint8_t* flags, std::int64_t first, std::int64_t count,
                        std::int64_t* to, std::int64_t* end);

}  // namespace heddle::cpu
