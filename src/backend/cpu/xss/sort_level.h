// Sorting keys on one core by x86-simd-sort, and making keys of elements, for each level of
// instructions that has something to offer (see backend/cpu/target.h); backend/cpu/vector_sort.h
// chooses.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "runtime/sorting.h"

namespace heddle::cpu {

// Of part_pairs: how many are before and between, and whether no imaginary part is nan.
struct PartedPairs {
  std::int64_t before, between;
  bool numbers;
};

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
#define HEDDLE_KEYS_OF_LEVEL                                                                   \
  template <class K>                                                                           \
  bool copy_plain(const K* from, K* to, std::int64_t count, const KeyMap& map);                \
  template <class K>                                                                           \
  std::int64_t copy_numbers(const K* from, K* to, std::int64_t count, const KeyMap& map);      \
  template <class K>                                                                           \
  std::pair<K, K> range_level(const K* keys, std::int64_t count);                              \
  template <class K>                                                                           \
  void ranks_level(const K* keys, std::int64_t count, std::span<const K> table,                \
                   std::uint8_t* ranks);                                                       \
  template <class K>                                                                           \
  void counts_level(const K* keys, std::int64_t count, std::span<const K> table,               \
                    std::int64_t* counts);                                                     \
  template <class K>                                                                           \
  void to_keys(const K* from, K* to, std::int64_t count, const KeyMap& map);                   \
  template <class K>                                                                           \
  void to_equal_keys(const K* from, K* to, std::int64_t count, const KeyMap& map);             \
  template <class K>                                                                           \
  void to_elements(K* keys, std::int64_t count, const KeyMap& map);                            \
  template <class K, class W>                                                                  \
  void pack_words(const K* keys, W* words, std::int64_t count, std::int64_t position, K least, \
                  int dropped, int shift);                                                     \
  template <class W>                                                                           \
  void unpack_words(const W* words, std::int64_t* positions, std::int64_t count, W mask);      \
  template <class K>                                                                           \
  void part_positions(const K* keys, std::int64_t count, std::int64_t first, K pivot,          \
                      std::int64_t* low, std::int64_t* middle, std::int64_t* high);            \
  template <class K>                                                                           \
  std::pair<std::int64_t, std::int64_t> sides_of(const K* keys, std::int64_t count, K pivot);  \
  bool any_ties(const std::uint64_t* words, std::int64_t count, int shift);                    \
  bool to_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count);        \
  void to_pairs(std::uint64_t* words, std::int64_t count);                                     \
  void to_equal_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count);  \
  bool to_first_keys(const std::uint64_t* from, std::uint64_t* first, std::int64_t count);     \
  void to_both_keys(const std::uint64_t* from, std::uint64_t* first, std::uint64_t* second,    \
                    std::int64_t count);                                                       \
  PartedPairs part_pairs(const std::uint64_t* from, std::int64_t count, double least,          \
                         double greatest, std::uint64_t* sides, std::uint64_t* between);
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
// width, and for places of few different values.
namespace v4_vbmi2 {
HEDDLE_SORTING_OF_LEVEL
void place_level(const std::uint8_t* ranks, std::int64_t count, std::int64_t first,
                 std::int64_t values, std::int64_t* next, std::int64_t* positions);
}  // namespace v4_vbmi2
#undef HEDDLE_SORTING_OF_LEVEL
#undef HEDDLE_KEYS_OF_LEVEL

}  // namespace heddle::cpu
