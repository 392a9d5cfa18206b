// Sorting keys on one core by whatever is fastest on this machine: x86-simd-sort from AVX2 on, else
// Highway's vqsort. And the loops that go with it, compiled for each level of instructions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "backend/cpu/target.h"
#include "backend/cpu/xss/sort_level.h"
#include "runtime/sorting.h"

namespace heddle::cpu {

// What rows are sorted of: integers of 16, 32 and 64 bits, and float and double that are neither
// nan nor -0.0.
#define HEDDLE_SORTED_TYPES(X) \
  X(std::int16_t)              \
  X(std::int32_t)              \
  X(std::int64_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t) X(float) X(double)

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
// Whether it is for these.
template <class K>
bool selects_by_vectors() {
  if (sizeof(K) == 2) return parts_halves();
  return sizeof(K) > 2 && host_level() != CpuLevel::v2;
}

// The following for std::uint8_t, 16, 32, 64.

// Copies the bits of floats (map.infinity); whether none is nan or -0.0.
template <class K>
bool copy_plain(const K* from, K* to, std::int64_t count, const KeyMap& map);
// Copies those that are not nan, and nans behind them; how many are not, or -1 if -0.0 is there.
template <class K>
std::int64_t copy_numbers(const K* from, K* to, std::int64_t count, const KeyMap& map);
// Keys of elements, with distinct zeros, and the way back (KeyMap); and with equal zeros.
template <class K>
void to_keys(const K* from, K* to, std::int64_t count, const KeyMap& map);
template <class K>
void to_elements(K* keys, std::int64_t count, const KeyMap& map);
template <class K>
void to_equal_keys(const K* from, K* to, std::int64_t count, const KeyMap& map);
// Of keys of 16 bits or more and a short table, ascending: ranks[i] = how many of the table are
// below keys[i]; and how often each of the table is among the keys, which is added to counts.
template <class K>
void ranks_in(const K* keys, std::int64_t count, std::span<const K> table, std::uint8_t* ranks);
template <class K>
void add_counts(const K* keys, std::int64_t count, std::span<const K> table, std::int64_t* counts);
// The least and the greatest of some keys.
template <class K>
std::pair<K, K> range_here(const K* keys, std::int64_t count);

// words[i] = ((keys[i] - least) >> dropped) << shift | (position + i), for W std::uint32_t and 64.
template <class K, class W>
void pack_words(const K* keys, W* words, std::int64_t count, std::int64_t position, K least,
                int dropped, int shift);
// positions[i] = words[i] & mask; both may be the same memory.
template <class W>
void unpack_words(const W* words, std::int64_t* positions, std::int64_t count, W mask);
// How many keys are below the pivot and the same; and, of 16 bits or more, their positions, then
// those of the others, each in order.
template <class K>
std::pair<std::int64_t, std::int64_t> sides_of(const K* keys, std::int64_t count, K pivot);
template <class K>
void part_positions(const K* keys, std::int64_t count, std::int64_t first, K pivot,
                    std::int64_t* low, std::int64_t* middle, std::int64_t* high);
// positions[next[ranks[i]]++] = first + i, for ranks below `values`; where parts_halves says so.
void place_few(const std::uint8_t* ranks, std::int64_t count, std::int64_t first,
               std::int64_t values, std::int64_t* next, std::int64_t* positions);
// Whether any two neighbours are the same but for their lowest bits.
bool any_ties(const std::uint64_t* words, std::int64_t count, int shift);

// Complex numbers, whose order is that of their real and then imaginary parts, nans last.

// Of float32, in 64 bits: one word each, with distinct zeros, and the way back. False where a part
// is nan or a real part is -0.0, so that the order is not that of the words.
bool to_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count);
void to_pairs(std::uint64_t* words, std::int64_t count);
// The same with equal zeros, always in order.
void to_equal_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count);
// Of float64: keys of real parts; as above, false where they do not say enough. And two keys each,
// the order being that of the first, then that of the second.
bool to_first_keys(const std::uint64_t* from, std::uint64_t* first, std::int64_t count);
void to_both_keys(const std::uint64_t* from, std::uint64_t* first, std::uint64_t* second,
                  std::int64_t count);
// Puts those whose real parts are below `least` at the beginning of `sides`, those above `greatest`
// at its end, the others into `between`; both have room for all.
PartedPairs part_pairs(const std::uint64_t* from, std::int64_t count, double least, double greatest,
                       std::uint64_t* sides, std::uint64_t* between);

}  // namespace heddle::cpu
