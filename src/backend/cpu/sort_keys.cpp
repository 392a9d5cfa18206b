#include "backend/cpu/sort_keys.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "backend/cpu/sort_counting.h"
#include "backend/cpu/sort_few.h"
#include "backend/cpu/sort_parts.h"
#include "backend/cpu/sort_rows.h"
#include "backend/cpu/vector_sort.h"
#include "runtime/device.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

constexpr std::int64_t parallel_keys = 16 * 1024;  // fewer are not worth waking other cores

// Whether elements or keys are better compared than counted.
template <class K>
bool is_compared(const K* keys, std::int64_t count, const KeyMap& map) {
  if constexpr (sizeof(K) == 1) {
    return false;
  } else if constexpr (sizeof(K) == 2) {
    return compares_halves(keys, count);
  } else {
    return map.infinity != 0 || !seem_to_be_counted(keys, count);
  }
}

// Most elements need no keys, and no way back: the machine compares them as they are. Calls
// f(a pointer of their type), and gives what it gives; false where they need keys. Floats that are
// nan or -0.0 do: f says so by false.
template <class K, class F>
bool as_they_are(const KeyMap& map, F f) {
  if constexpr (sizeof(K) == 1) {
    return false;
  } else if (map.infinity == 0) {
    constexpr auto sign = std::uint64_t{1} << (8 * sizeof(K) - 1);
    return map.flip == sign ? f(static_cast<std::make_signed_t<K>*>(nullptr))
                            : f(static_cast<K*>(nullptr));
  } else if constexpr (sizeof(K) >= 4) {
    return f(static_cast<std::conditional_t<sizeof(K) == 4, float, double>*>(nullptr));
  } else {
    return false;
  }
}

// As they are, without those that are nan; how many there are, or -1 where they need keys.
template <class T, class K>
std::int64_t copy_comparable(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  if constexpr (!std::is_floating_point_v<T>) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(K));
    return count;
  } else {
    // Most rows with nans are told by the first few elements.
    constexpr std::int64_t few = 16;
    const K sign = K{1} << (8 * sizeof(K) - 1);
    const bool has_nans = std::any_of(from, from + std::min(count, few), [&](K bits) {
      return static_cast<K>(bits & ~sign) > static_cast<K>(map.infinity);
    });
    if (!has_nans && copy_plain(from, to, count, map)) return count;
    return copy_numbers(from, to, count, map);
  }
}

template <class K>
bool sort_rows_as_they_are(const K* from, K* to, std::int64_t rows, std::int64_t length,
                           const KeyMap& map) {
  return as_they_are<K>(map, [&]<class T>(T*) {
    for (std::int64_t first = 0; first < rows * length; first += length) {
      const auto count = copy_comparable<T>(from + first, to + first, length, map);
      if (count < 0) return false;
      auto* elements = reinterpret_cast<T*>(to + first);  // which nobody reads as keys meanwhile
      if (!std::is_sorted(elements, elements + count)) vector_sort(elements, count);
    }
    return true;
  });
}

// ranks ascend.
template <class T>
void select_all(T* keys, std::int64_t count, std::int64_t before,
                std::span<const std::int64_t> ranks) {
  if (ranks.empty() || count < 2) return;
  const auto wanted = ranks[ranks.size() / 2], rank = wanted - before;
  const auto same = std::ranges::equal_range(ranks, wanted);
  vector_select(keys, count, rank);
  select_all(keys, rank, before, {ranks.begin(), same.begin()});
  select_all(keys + rank + 1, count - rank - 1, wanted + 1, {same.end(), ranks.end()});
}

constexpr std::int64_t worth_tables = 2048;  // bytes

// f(the keys as wider ones), for fewer than are worth tables.
template <class F>
void as_halves(std::uint8_t* keys, std::int64_t count, F f) {
  std::uint16_t wide[worth_tables];
  std::copy_n(keys, count, wide);
  f(wide);
  std::transform(wide, wide + count, keys, [](auto key) { return static_cast<std::uint8_t>(key); });
}

// Two values are told apart by counting one of them. Says whether there were no more.
bool sort_two_values(std::uint8_t* keys, std::int64_t count) {
  const auto [least, most] = range_here(keys, count);
  if (most - least > 1) return false;
  const auto low = std::count(keys, keys + count, least);
  std::fill(std::fill_n(keys, low, least), keys + count, most);
  return true;
}

}  // namespace

bool selects_bytes(std::int64_t count) { return count <= worth_tables && parts_halves(); }

template <class K>
void partition_keys_here(K* keys, std::int64_t count, std::span<const std::int64_t> ranks) {
  if constexpr (sizeof(K) == 1) {
    if (count > 0 && sort_two_values(keys, count)) return;
    if (selects_bytes(count) && ranks.size() <= 16) {
      return as_halves(keys, count, [&](auto* wide) { select_all(wide, count, 0, ranks); });
    }
  }
  // Each rank looks at some of the keys again.
  if (sizeof(K) == 1 || ranks.size() > 16 || (sizeof(K) == 2 && !parts_halves())) {
    return sort_keys_here(keys, count);
  }
  if constexpr (sizeof(K) > 1) select_all(keys, count, 0, ranks);
}

template <class K>
void partition_elements_here(const K* from, K* to, std::int64_t count,
                             std::span<const std::int64_t> ranks, const KeyMap& map) {
  const bool few = ranks.size() <= 16 && (sizeof(K) > 2 || parts_halves());
  const bool done = few && as_they_are<K>(map, [&]<class T>(T*) {
                      const auto numbers = copy_comparable<T>(from, to, count, map);
                      if (numbers < 0) return false;
                      const auto beyond =
                          std::ranges::lower_bound(ranks, numbers);  // those are nan
                      select_all(reinterpret_cast<T*>(to), numbers, 0, {ranks.begin(), beyond});
                      return true;
                    });
  if (done) return;
  to_keys(from, to, count, map);
  partition_keys_here(to, count, ranks);
  to_elements(to, count, map);
}

namespace {

// Bytes: few keys are sorted as wider ones.
void sort_bytes_here(std::uint8_t* keys, std::int64_t count) {
  if (std::is_sorted(keys, keys + count) || sort_two_values(keys, count)) return;
  if (selects_bytes(count)) {
    as_halves(keys, count, [&](auto* wide) { vector_sort(wide, count); });
  } else if (count <= 64) {
    std::sort(keys, keys + count);
  } else {
    sort_all_values(keys, count, false);
  }
}

}  // namespace

template <class K>
void sort_keys_here(K* keys, std::int64_t count) {
  if constexpr (sizeof(K) == 1) {
    sort_bytes_here(keys, count);
  } else {
    if constexpr (sizeof(K) == 2) {
      if (!compares_halves(keys, count)) return sort_all_values(keys, count, false);
    }
    vector_sort(keys, count);
  }
}

namespace {

// `finish` is for what is sorted, in parts.
template <class K>
void sort_and_finish(K* keys, std::int64_t count,
                     const std::function<void(K*, std::int64_t)>& finish) {
  if constexpr (sizeof(K) == 1) {
    sort_all_values(keys, count, true);
  } else if constexpr (sizeof(K) == 2) {
    if (compares_halves(keys, count)) return sort_in_parts(keys, count, finish);
    sort_all_values(keys, count, true);
  } else {
    if (!sort_by_counting(keys, count)) return sort_in_parts(keys, count, finish);
  }
  if (!finish) return;
  in_ranges(count, true,
            [&](std::int64_t first, std::int64_t last) { finish(keys + first, last - first); });
}

}  // namespace

template <class K>
void sort_keys(K* keys, std::int64_t count) {
  if (count < parallel_keys) return sort_keys_here(keys, count);
  sort_and_finish<K>(keys, count, {});
}

template <class K>
void sort_rows_here(K* keys, std::int64_t rows, std::int64_t length) {
  if (is_short_row<K>(length) && rows > 1) return sort_short_rows(keys, rows, length);
  for (std::int64_t row = 0; row < rows; ++row) sort_keys_here(keys + row * length, length);
}

template <class K>
void sort_elements(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  if (count < parallel_keys) return sort_element_rows_here(from, to, 1, count, map);
  // Vectors of shorter keys are sorted as quickly, while they are in near memory.
  constexpr std::int64_t near = 1024 * 1024;
  const bool counted = sizeof(K) == 8 || count * static_cast<std::int64_t>(sizeof(K)) >= near;
  if (counted && sort_few(from, to, count, map, true)) return;
  const bool done = is_compared(from, count, map) && as_they_are<K>(map, [&]<class T>(T*) {
                      auto* elements = reinterpret_cast<T*>(to);
                      if (sort_copy_in_parts(reinterpret_cast<const T*>(from), elements, count)) {
                        return true;
                      }
                      const auto numbers = copy_numbers(from, to, count, map);  // without nans
                      if (numbers > 1) sort_in_parts(elements, numbers, {});
                      return numbers >= 0;
                    });
  if (done) return;
  in_ranges(count, true, [&](std::int64_t first, std::int64_t last) {
    to_keys(from + first, to + first, last - first, map);
  });
  sort_and_finish<K>(to, count, [&](K* keys, std::int64_t some) { to_elements(keys, some, map); });
}

template <class K>
void partition_elements(const K* from, K* to, std::int64_t count,
                        std::span<const std::int64_t> ranks, const KeyMap& map) {
  if constexpr (sizeof(K) == 1) {
    return sort_elements(from, to, count, map);
  } else {
    const bool by_vectors = ranks.size() == 1 && selects_by_vectors<K>();
    const bool done =
        by_vectors && as_they_are<K>(map, [&]<class T>(T*) {
          auto* elements = reinterpret_cast<T*>(to);
          if (select_copy_in_parts(reinterpret_cast<const T*>(from), elements, count, ranks[0])) {
            return true;
          }
          const auto numbers = copy_numbers(from, to, count, map);  // without nans
          if (numbers > ranks[0]) {
            select_copy_in_parts(elements, elements, numbers, ranks[0]);
          }
          return numbers >= 0;
        });
    if (done) return;
    in_ranges(count, true, [&](std::int64_t first, std::int64_t last) {
      to_keys(from + first, to + first, last - first, map);
    });
    partition_keys(to, count, ranks);
    in_ranges(count, true, [&](std::int64_t first, std::int64_t last) {
      to_elements(to + first, last - first, map);
    });
  }
}

template <class K>
void sort_element_rows_here(const K* from, K* to, std::int64_t rows, std::int64_t length,
                            const KeyMap& map) {
  const bool by_network = is_short_row<K>(length) && rows > 1;
  constexpr std::int64_t worth_a_look = 4096;
  if (sizeof(K) == 8 && rows == 1 && length >= worth_a_look &&
      sort_few(from, to, length, map, false)) {
    return;
  }
  const bool compared = sizeof(K) != 2 || is_compared(from, length, map);
  if (!by_network && compared && sort_rows_as_they_are(from, to, rows, length, map)) return;
  to_keys(from, to, rows * length, map);
  sort_rows_here(to, rows, length);
  to_elements(to, rows * length, map);
}

#define HEDDLE_INSTANTIATE(K)                                                                    \
  template void sort_keys<K>(K*, std::int64_t);                                                  \
  template void sort_keys_here<K>(K*, std::int64_t);                                             \
  template void sort_rows_here<K>(K*, std::int64_t, std::int64_t);                               \
  template void partition_keys_here<K>(K*, std::int64_t, std::span<const std::int64_t>);         \
  template void partition_elements_here<K>(const K*, K*, std::int64_t,                           \
                                           std::span<const std::int64_t>, const KeyMap&);        \
  template void partition_elements<K>(const K*, K*, std::int64_t, std::span<const std::int64_t>, \
                                      const KeyMap&);                                            \
  template void sort_elements<K>(const K*, K*, std::int64_t, const KeyMap&);                     \
  template void sort_element_rows_here<K>(const K*, K*, std::int64_t, std::int64_t, const KeyMap&);
HEDDLE_INSTANTIATE(std::uint8_t)
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::cpu
