// Sorting unsigned keys on all cores: pieces are sorted each by one core, then merged.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/sorting.h"

namespace heddle::cpu {

inline constexpr std::int64_t short_to_select = 64;         // such rows are sorted as quickly
inline constexpr std::int64_t long_to_select = 128 * 1024;  // from there all cores are quicker

// What is interrupted leaves the keys in some order, all of them.

// Sorts in place, ascending; for std::uint8_t, 16, 32, 64.
template <class K>
void sort_keys(K* keys, std::int64_t count);

// The same on the calling core only.
template <class K>
void sort_keys_here(K* keys, std::int64_t count);
template <class K>
void sort_rows_here(K* keys, std::int64_t rows, std::int64_t length);

// From elements to sorted elements in other memory, with the keys that `map` makes of them in
// between (distinct zeros).
template <class K>
void sort_elements(const K* from, K* to, std::int64_t count, const KeyMap& map);
template <class K>
void sort_element_rows_here(const K* from, K* to, std::int64_t rows, std::int64_t length,
                            const KeyMap& map);

// Whether bytes are better partitioned than counted.
bool selects_bytes(std::int64_t count);

// Puts the keys of these ranks in place, on the calling core only: those before such a place are
// not greater, those behind it not less. The second one as sort_elements.
template <class K>
void partition_keys_here(K* keys, std::int64_t count, std::span<const std::int64_t> ranks);
template <class K>
void partition_elements_here(const K* from, K* to, std::int64_t count,
                             std::span<const std::int64_t> ranks, const KeyMap& map);

// The same on all cores.
template <class K>
void partition_elements(const K* from, K* to, std::int64_t count,
                        std::span<const std::int64_t> ranks, const KeyMap& map);

// found[i] = the key that sorting would put at ranks[i]; ranks ascend. The keys may be in another
// order afterwards.
template <class K>
void select_keys(K* keys, std::int64_t count, std::span<const std::int64_t> ranks, K* found);

// As partition_keys_here, on all cores.
template <class K>
void partition_keys(K* keys, std::int64_t count, std::span<const std::int64_t> ranks);

}  // namespace heddle::cpu
