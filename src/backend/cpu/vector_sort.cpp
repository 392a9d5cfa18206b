#include "backend/cpu/vector_sort.h"

#include <algorithm>
#include <type_traits>

#include <hwy/contrib/sort/vqsort.h>

#include "backend/cpu/target.h"
#include "backend/cpu/xss/sort_level.h"
#include "core/per_thread.h"

namespace heddle::cpu {

namespace {

template <class K>
inline constexpr bool by_xss = sizeof(K) == 4 || sizeof(K) == 8;

template <class K>
void highway_sort(K* keys, std::int64_t count) {
  const auto& sorter = PerThread<hwy::Sorter>::own();
  sorter(keys, static_cast<std::size_t>(count), hwy::SortAscending());
}

}  // namespace

bool parts_halves() {
  static const bool has =
      host_level() == CpuLevel::v4 && __builtin_cpu_supports("avx512vbmi2") != 0;
  return has;
}

template <class K>
void vector_sort(K* keys, std::int64_t count) {
  if constexpr (by_xss<K>) {
    if (host_level() == CpuLevel::v4) return v4::sort_level(keys, count);
    if (host_level() == CpuLevel::v3) return v3::sort_level(keys, count);
  }
  if constexpr (sizeof(K) == 2) {
    if (parts_halves()) return v4_vbmi2::sort_level(keys, count);
  }
  highway_sort(keys, count);
}

template <class K>
std::int64_t vector_part(K* keys, std::int64_t count, K pivot) {
  if constexpr (by_xss<K>) {
    if (host_level() == CpuLevel::v4) return v4::part_level(keys, count, pivot);
    if (host_level() == CpuLevel::v3) return v3::part_level(keys, count, pivot);
  }
  if constexpr (sizeof(K) == 2) {
    if (parts_halves()) return v4_vbmi2::part_level(keys, count, pivot);
  }
  return std::partition(keys, keys + count, [&](K key) { return key < pivot; }) - keys;
}

template <class K>
void vector_select(K* keys, std::int64_t count, std::int64_t rank) {
  if constexpr (by_xss<K>) {
    if (host_level() == CpuLevel::v4) return v4::select_level(keys, count, rank);
    if (host_level() == CpuLevel::v3) return v3::select_level(keys, count, rank);
  }
  if constexpr (sizeof(K) == 2) {
    if (parts_halves()) return v4_vbmi2::select_level(keys, count, rank);
  }
  std::nth_element(keys, keys + rank, keys + count);
}

#define HEDDLE_INSTANTIATE(K)                             \
  template void vector_sort(K*, std::int64_t);            \
  template std::int64_t vector_part(K*, std::int64_t, K); \
  template void vector_select(K*, std::int64_t, std::int64_t);
HEDDLE_SORTED_TYPES(HEDDLE_INSTANTIATE)
#undef HEDDLE_INSTANTIATE

// The function of this name for the level of this machine.
#define HEDDLE_OF_LEVEL(name, ...)  \
  switch (host_level()) {           \
    case CpuLevel::v2:              \
      return v2::name(__VA_ARGS__); \
    case CpuLevel::v3:              \
      return v3::name(__VA_ARGS__); \
    case CpuLevel::v4:              \
      break;                        \
  }                                 \
  return v4::name(__VA_ARGS__)

template <class K>
bool copy_plain(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  HEDDLE_OF_LEVEL(copy_plain, from, to, count, map);
}

template <class K>
std::int64_t copy_numbers(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  HEDDLE_OF_LEVEL(copy_numbers, from, to, count, map);
}

template <class K>
void to_keys(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  HEDDLE_OF_LEVEL(to_keys, from, to, count, map);
}

template <class K>
void to_equal_keys(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  HEDDLE_OF_LEVEL(to_equal_keys, from, to, count, map);
}

template <class K>
void to_elements(K* keys, std::int64_t count, const KeyMap& map) {
  if (map.infinity == 0 && map.flip == 0) return;
  HEDDLE_OF_LEVEL(to_elements, keys, count, map);
}

template <class K>
std::pair<K, K> range_here(const K* keys, std::int64_t count) {
  HEDDLE_OF_LEVEL(range_level, keys, count);
}

template <class K>
void ranks_in(const K* keys, std::int64_t count, std::span<const K> table, std::uint8_t* ranks) {
  HEDDLE_OF_LEVEL(ranks_level, keys, count, table, ranks);
}

template <class K>
void add_counts(const K* keys, std::int64_t count, std::span<const K> table, std::int64_t* counts) {
  HEDDLE_OF_LEVEL(counts_level, keys, count, table, counts);
}

template <class K, class W>
void pack_words(const K* keys, W* words, std::int64_t count, std::int64_t position, K least,
                int dropped, int shift) {
  HEDDLE_OF_LEVEL(pack_words, keys, words, count, position, least, dropped, shift);
}

template <class W>
void unpack_words(const W* words, std::int64_t* positions, std::int64_t count, W mask) {
  HEDDLE_OF_LEVEL(unpack_words, words, positions, count, mask);
}

template <class K>
std::pair<std::int64_t, std::int64_t> sides_of(const K* keys, std::int64_t count, K pivot) {
  HEDDLE_OF_LEVEL(sides_of, keys, count, pivot);
}

template <class K>
void part_positions(const K* keys, std::int64_t count, std::int64_t first, K pivot,
                    std::int64_t* low, std::int64_t* middle, std::int64_t* high) {
  HEDDLE_OF_LEVEL(part_positions, keys, count, first, pivot, low, middle, high);
}

void place_few(const std::uint8_t* ranks, std::int64_t count, std::int64_t first,
               std::int64_t values, std::int64_t* next, std::int64_t* positions) {
  v4_vbmi2::place_level(ranks, count, first, values, next, positions);
}

bool any_ties(const std::uint64_t* words, std::int64_t count, int shift) {
  HEDDLE_OF_LEVEL(any_ties, words, count, shift);
}

bool to_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count) {
  HEDDLE_OF_LEVEL(to_pair_words, from, to, count);
}

void to_pairs(std::uint64_t* words, std::int64_t count) { HEDDLE_OF_LEVEL(to_pairs, words, count); }

void to_equal_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count) {
  HEDDLE_OF_LEVEL(to_equal_pair_words, from, to, count);
}

bool to_first_keys(const std::uint64_t* from, std::uint64_t* first, std::int64_t count) {
  HEDDLE_OF_LEVEL(to_first_keys, from, first, count);
}

void to_both_keys(const std::uint64_t* from, std::uint64_t* first, std::uint64_t* second,
                  std::int64_t count) {
  HEDDLE_OF_LEVEL(to_both_keys, from, first, second, count);
}

PartedPairs part_pairs(const std::uint64_t* from, std::int64_t count, double least, double greatest,
                       std::uint64_t* sides, std::uint64_t* between) {
  HEDDLE_OF_LEVEL(part_pairs, from, count, least, greatest, sides, between);
}

template std::pair<std::int64_t, std::int64_t> sides_of(const std::uint8_t*, std::int64_t,
                                                        std::uint8_t);
#define HEDDLE_INSTANTIATE(K)                                                          \
  template void ranks_in(const K*, std::int64_t, std::span<const K>, std::uint8_t*);   \
  template void add_counts(const K*, std::int64_t, std::span<const K>, std::int64_t*); \
  template std::pair<std::int64_t, std::int64_t> sides_of(const K*, std::int64_t, K);  \
  template void part_positions(const K*, std::int64_t, std::int64_t, K, std::int64_t*, \
                               std::int64_t*, std::int64_t*);
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE

#define HEDDLE_INSTANTIATE(K)                                                                  \
  template bool copy_plain(const K*, K*, std::int64_t, const KeyMap&);                         \
  template std::int64_t copy_numbers(const K*, K*, std::int64_t, const KeyMap&);               \
  template void to_keys(const K*, K*, std::int64_t, const KeyMap&);                            \
  template void to_equal_keys(const K*, K*, std::int64_t, const KeyMap&);                      \
  template void pack_words(const K*, std::uint32_t*, std::int64_t, std::int64_t, K, int, int); \
  template void pack_words(const K*, std::uint64_t*, std::int64_t, std::int64_t, K, int, int); \
  template void to_elements(K*, std::int64_t, const KeyMap&);                                  \
  template std::pair<K, K> range_here(const K*, std::int64_t);
HEDDLE_INSTANTIATE(std::uint8_t)
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE

template void unpack_words(const std::uint32_t*, std::int64_t*, std::int64_t, std::uint32_t);
template void unpack_words(const std::uint64_t*, std::int64_t*, std::int64_t, std::uint64_t);

}  // namespace heddle::cpu
