// Sorting keys on one core by x86-simd-sort, and making keys of elements, for each level of
// instructions that has something to offer (see backend/cpu/target.h); backend/cpu/vector_sort.h
// chooses.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "runtime/sorting.h"

namespace heddle::cpu {

// sort_level: in place, ascending. part_level: puts the keys below the pivot first and returns how
// many they are. select_level: puts the key of a rank in its place, and others on their side of it.
// All for integers of 32 and 64 bits, and float and double that are neither nan nor
// -0.0. The others for unsigned integers of every width; see backend/cpu/vector_sort.h.
#define HEDDLE_SORTING_OF_LEVEL                                  \
  template <class K>                                             \
  void sort_level(K* keys, std::int64_t count);                  \
  template <class K>                                             \
  std::int64_t part_level(K* keys, std::int64_t count, K pivot); \
  template <class K>                                             \
  void select_level(K* keys, std::int64_t count, std::int64_t rank);
#define HEDDLE_KEYS_OF_LEVEL                                                     \
  template <class K>                                                             \
  bool copy_plain(const K* from, K* to, std::int64_t count, const KeyMap& map);  \
  template <class K>                                                             \
  std::pair<K, K> range_level(const K* keys, std::int64_t count);                \
  template <class K>                                                             \
  void ranks_level(const K* keys, std::int64_t count, std::span<const K> table,  \
                   std::uint8_t* ranks);                                         \
  template <class K>                                                             \
  void counts_level(const K* keys, std::int64_t count, std::span<const K> table, \
                    std::int64_t* counts);                                       \
  template <class K>                                                             \
  void to_keys(const K* from, K* to, std::int64_t count, const KeyMap& map);     \
  template <class K>                                                             \
  void to_elements(K* keys, std::int64_t count, const KeyMap& map);
namespace v2 {
HEDDLE_KEYS_OF_LEVEL
}
namespace v3 {
HEDDLE_SORTING_OF_LEVEL HEDDLE_KEYS_OF_LEVEL
}
namespace v4 {
HEDDLE_SORTING_OF_LEVEL HEDDLE_KEYS_OF_LEVEL
}
// With instructions that compress vectors of 16-bit lanes, AVX-512 VBMI2: for integers of that
// width.
namespace v4_vbmi2 {
HEDDLE_SORTING_OF_LEVEL
}
#undef HEDDLE_SORTING_OF_LEVEL
#undef HEDDLE_KEYS_OF_LEVEL

}  // namespace heddle::cpu
