// Sorting keys on one core by whatever is fastest on this machine: x86-simd-sort from AVX2 on, else
// Highway's vqsort. And the loops that go with it, compiled for each level of instructions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "backend/cpu/sort_keys.h"
#include "runtime/sorting.h"

namespace heddle::cpu {

template <class K>
bool before(K a, K b) {
  return a < b;
}
inline bool before(const Key128& a, const Key128& b) {
  return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
}

// What rows are sorted of: integers of 16, 32 and 64 bits and Key128, and float and double that are
// neither nan nor -0.0.
#define HEDDLE_SORTED_TYPES(X) \
  X(std::int16_t)              \
  X(std::int32_t)              \
  X(std::int64_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t) X(float) X(double) X(Key128)

// In place, ascending.
template <class K>
void vector_sort(K* keys, std::int64_t count);
// Puts the keys below the pivot first, and returns how many they are; for the same types.
template <class K>
std::int64_t vector_part(K* keys, std::int64_t count, K pivot);
// Puts the key of this rank in its place: those before are not greater, those behind it not less.
template <class K>
void vector_select(K* keys, std::int64_t count, std::int64_t rank);
bool parts_halves();  // whether vector_part is quick for integers of 16 bits

// The following for std::uint8_t, 16, 32, 64.

// Copies the bits of floats (map.infinity); whether none is nan or -0.0.
template <class K>
bool copy_plain(const K* from, K* to, std::int64_t count, const KeyMap& map);
// Keys of elements, with distinct zeros, and the way back (KeyMap).
template <class K>
void to_keys(const K* from, K* to, std::int64_t count, const KeyMap& map);
template <class K>
void to_elements(K* keys, std::int64_t count, const KeyMap& map);
// Of keys of 16 bits or more and a short table, ascending: ranks[i] = how many of the table are
// below keys[i]; and how often each of the table is among the keys, which is added to counts.
template <class K>
void ranks_in(const K* keys, std::int64_t count, std::span<const K> table, std::uint8_t* ranks);
template <class K>
void add_counts(const K* keys, std::int64_t count, std::span<const K> table, std::int64_t* counts);
// The least and the greatest of some keys.
template <class K>
std::pair<K, K> range_here(const K* keys, std::int64_t count);

}  // namespace heddle::cpu
