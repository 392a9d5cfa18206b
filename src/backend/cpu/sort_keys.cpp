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

#include <hwy/contrib/sort/vqsort.h>

#include "backend/cpu/sort_counting.h"
#include "backend/cpu/sort_few.h"
#include "backend/cpu/sort_parts.h"
#include "backend/cpu/sort_rows.h"
#include "backend/cpu/thread_scratch.h"
#include "backend/cpu/vector_sort.h"
#include "runtime/device.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

constexpr std::int64_t parallel_keys = 16 * 1024;  // fewer are not worth waking other cores

// Memory that nobody else sees, from the pool.
template <class K>
class Scratch {
 public:
  explicit Scratch(std::int64_t count)
      : buffer_(Buffer::allocate(cpu_device(), static_cast<std::size_t>(count) * sizeof(K))) {}
  K* data() const { return static_cast<K*>(buffer_->data()); }

 private:
  Ref<Buffer> buffer_;
};

// --- positions ---

// A key and its position in one word: sorting the words sorts the positions, stably. The bits of
// keys that do not fit are left out; keys that then look the same are put in order afterwards.
template <class K>
struct Packing {
  K least;
  int position_bits;
  int key_bits;  // that differ
  int dropped = 0;

  Packing(K smallest, K largest, std::int64_t count)
      : least(smallest),
        position_bits(std::bit_width(static_cast<std::uint64_t>(count - 1))),
        key_bits(std::bit_width(static_cast<std::uint64_t>(largest - smallest))) {
    dropped = std::max(0, key_bits + position_bits - 64);
  }
  std::uint64_t pack(K key, std::int64_t position) const {
    // A shift by 64 would be none; then there is one position, or the keys are all the same.
    const auto part = static_cast<std::uint64_t>(key - least) >> dropped;
    return (position_bits < 64 ? part << position_bits : 0) | static_cast<std::uint64_t>(position);
  }
  std::int64_t position(std::uint64_t word) const {
    return static_cast<std::int64_t>(word & ((std::uint64_t{1} << position_bits) - 1));
  }
  std::uint64_t key(std::uint64_t word) const { return word >> position_bits; }
};

// By words of 128 bits, in which every key and position has room.
template <class K>
void argsort_wide(const K* keys, std::int64_t count, std::int64_t* positions, bool parallel) {
  const Scratch<Key128> words(parallel ? count : 0);
  Key128* all = words.data();
  // Where no lock is held it is kept by the thread.
  if (!parallel) {
    struct Words;
    const auto bytes = static_cast<std::size_t>(count) * sizeof(Key128);
    all = static_cast<Key128*>(thread_scratch<Words>(bytes));
  }
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i) all[i] = {static_cast<std::uint64_t>(i), keys[i]};
  });
  if (parallel) {
    sort_keys(all, count);
  } else {
    vector_sort(all, count);
  }
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i) positions[i] = static_cast<std::int64_t>(all[i].lo);
  });
}

// Sorted words hold positions; those whose keys look the same are ordered by the keys themselves.
template <class K>
void settle_ties(const K* keys, std::int64_t count, std::uint64_t* words, const Packing<K>& packing,
                 bool parallel) {
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    auto same = [&](std::int64_t i, std::int64_t j) {
      return packing.key(words[i]) == packing.key(words[j]);
    };
    // A run of ties is settled in the range that it begins in.
    auto i = first;
    while (i < last && i > 0 && same(i - 1, i)) ++i;
    while (i < last) {
      auto end = i + 1;
      while (end < count && same(i, end)) ++end;
      if (end > i + 1) {
        std::sort(words + i, words + end, [&](std::uint64_t a, std::uint64_t b) {
          const auto p = packing.position(a), q = packing.position(b);
          return keys[p] != keys[q] ? keys[p] < keys[q] : p < q;
        });
      }
      i = end;
    }
  });
}

template <class K>
bool many_ties(const std::uint64_t* words, std::int64_t count, const Packing<K>& packing) {
  std::int64_t ties = 0;
  for (std::int64_t i = 1; i < count; ++i) {
    ties += packing.key(words[i]) == packing.key(words[i - 1]);
  }
  return ties > count / 8;
}

// Of words that are sorted, leaves the positions.
template <class K>
void unpack(const K* keys, std::int64_t count, std::int64_t* positions, const Packing<K>& packing,
            bool parallel) {
  auto* words = reinterpret_cast<std::uint64_t*>(positions);  // as wide, and may alias
  if (packing.dropped > 0) {
    if (many_ties(words, count, packing)) return argsort_wide(keys, count, positions, parallel);
    settle_ties(keys, count, words, packing, parallel);
  }
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i) {
      words[i] = static_cast<std::uint64_t>(packing.position(words[i]));
    }
  });
}

template <class K>
Packing<K> pack(const K* keys, std::int64_t count, std::int64_t* positions, std::pair<K, K> range,
                bool parallel) {
  const Packing<K> packing(range.first, range.second, count);
  auto* words = reinterpret_cast<std::uint64_t*>(positions);
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i) words[i] = packing.pack(keys[i], i);
  });
  return packing;
}

template <class K>
void argsort(const K* keys, std::int64_t count, std::int64_t* positions, bool parallel) {
  if (std::is_sorted(keys, keys + count)) {  // elsewhere a look at the first few keys
    std::iota(positions, positions + count, std::int64_t{0});
    return;
  }
  if (sizeof(K) == 1 && worth_counting(8, count)) {
    return counting_argsort(keys, count, K{0}, 256, positions, parallel);
  }
  const auto range = range_of(keys, count, parallel);
  const auto distance = static_cast<std::uint64_t>(range.second - range.first);
  if (worth_counting(std::bit_width(distance), count)) {
    return counting_argsort(keys, count, range.first, static_cast<std::int64_t>(distance) + 1,
                            positions, parallel);
  }
  if (argsort_few(keys, count, positions, parallel)) return;
  const auto packing = pack(keys, count, positions, range, parallel);
  auto* words = reinterpret_cast<std::uint64_t*>(positions);
  if (parallel) {
    sort_keys(words, count);
  } else {
    vector_sort(words, count);
  }
  unpack(keys, count, positions, packing, parallel);
}

// The words were partitioned at the rank: those that look as the one there are put in order by the
// keys themselves, each in one of the places that they have now.
template <class K>
void settle_rank(const K* keys, std::int64_t count, std::uint64_t* words, const Packing<K>& packing,
                 std::int64_t rank) {
  const auto shared = packing.key(words[rank]);
  std::vector<std::int64_t> places, positions;
  for (std::int64_t i = 0; i < count; ++i) {
    if (packing.key(words[i]) != shared) continue;
    places.push_back(i);
    positions.push_back(packing.position(words[i]));
  }
  std::sort(positions.begin(), positions.end(),
            [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 0; i < places.size(); ++i) {
    words[places[i]] = (shared << packing.position_bits) | static_cast<std::uint64_t>(positions[i]);
  }
}

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

template <class K>
bool sort_rows_as_they_are(const K* from, K* to, std::int64_t rows, std::int64_t length,
                           const KeyMap& map) {
  return as_they_are<K>(map, [&]<class T>(T*) {
    if (std::is_floating_point_v<T>) {
      if (!copy_plain(from, to, rows * length, map)) return false;
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(rows * length) * sizeof(K));
    }
    auto* elements = reinterpret_cast<T*>(to);  // which nobody reads as keys meanwhile
    for (std::int64_t row = 0; row < rows; ++row) vector_sort(elements + row * length, length);
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

}  // namespace

template <class K>
void partition_keys_here(K* keys, std::int64_t count, std::span<const std::int64_t> ranks) {
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
                      if (std::is_floating_point_v<T>) {
                        if (!copy_plain(from, to, count, map)) return false;
                      } else {
                        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(K));
                      }
                      select_all(reinterpret_cast<T*>(to), count, 0, ranks);
                      return true;
                    });
  if (done) return;
  to_keys(from, to, count, map);
  partition_keys_here(to, count, ranks);
  to_elements(to, count, map);
}

template <class K>
void sort_keys_here(K* keys, std::int64_t count) {
  if constexpr (sizeof(K) == 1) {
    if (count <= 64) {
      std::sort(keys, keys + count);
    } else {
      sort_all_values(keys, count, false);
    }
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
  } else if constexpr (sizeof(K) <= 8) {
    if (!sort_by_counting(keys, count)) return sort_in_parts(keys, count, finish);
  } else {
    return sort_in_parts(keys, count, finish);
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
  if (length <= short_row<K> && rows > 1) return sort_short_rows(keys, rows, length);
  for (std::int64_t row = 0; row < rows; ++row) sort_keys_here(keys + row * length, length);
}

template <class K>
void sort_elements(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  if (count < parallel_keys) return sort_element_rows_here(from, to, 1, count, map);
  // Vectors of shorter keys are sorted as quickly, while they are in near memory.
  constexpr std::int64_t near = 2 * 1024 * 1024;
  const bool counted = sizeof(K) == 8 || count * static_cast<std::int64_t>(sizeof(K)) >= near;
  if (counted && sort_few(from, to, count, map, true)) return;
  const bool done = is_compared(from, count, map) && as_they_are<K>(map, [&]<class T>(T*) {
                      return sort_copy_in_parts(reinterpret_cast<const T*>(from),
                                                reinterpret_cast<T*>(to), count);
                    });
  if (done) return;
  in_ranges(count, true, [&](std::int64_t first, std::int64_t last) {
    to_keys(from + first, to + first, last - first, map);
  });
  sort_and_finish<K>(to, count, [&](K* keys, std::int64_t some) { to_elements(keys, some, map); });
}

template <class K>
void sort_element_rows_here(const K* from, K* to, std::int64_t rows, std::int64_t length,
                            const KeyMap& map) {
  const bool by_network = length <= short_row<K> && rows > 1;
  const bool compared = sizeof(K) != 2 || is_compared(from, length, map);
  if (!by_network && compared && sort_rows_as_they_are(from, to, rows, length, map)) return;
  to_keys(from, to, rows * length, map);
  sort_rows_here(to, rows, length);
  to_elements(to, rows * length, map);
}

template <class K>
void argsort_keys(const K* keys, std::int64_t count, std::int64_t* positions) {
  argsort(keys, count, positions, true);
}

template <class K>
void argsort_rows_here(const K* keys, std::int64_t rows, std::int64_t length,
                       std::int64_t* positions) {
  if (length > short_row<std::uint64_t> || rows == 1) {
    for (std::int64_t row = 0; row < rows; ++row) {
      argsort(keys + row * length, length, positions + row * length, false);
    }
    return;
  }
  std::vector<Packing<K>> packings;
  for (std::int64_t row = 0; row < rows; ++row) {
    const K* from = keys + row * length;
    packings.push_back(
        pack(from, length, positions + row * length, range_of(from, length, false), false));
  }
  sort_short_rows(reinterpret_cast<std::uint64_t*>(positions), rows, length);
  for (std::int64_t row = 0; row < rows; ++row) {
    unpack(keys + row * length, length, positions + row * length,
           packings[static_cast<std::size_t>(row)], false);
  }
}

template <class K>
void argpartition_keys(const K* keys, std::int64_t count, std::span<const std::int64_t> ranks,
                       std::int64_t* positions) {
  constexpr std::size_t few_ranks = 4;  // each looks at everything once more
  const auto packing = pack(keys, count, positions, range_of(keys, count, true), true);
  auto* words = reinterpret_cast<std::uint64_t*>(positions);
  if (packing.dropped > 0 && ranks.size() > few_ranks) {
    return argsort(keys, count, positions, true);
  }
  partition_keys(words, count, ranks);
  if (packing.dropped > 0) {
    for (const auto rank : ranks) settle_rank(keys, count, words, packing, rank);
  }
  in_ranges(count, true, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i) positions[i] = packing.position(words[i]);
  });
}

#define HEDDLE_INSTANTIATE(K)                                                               \
  template void sort_keys<K>(K*, std::int64_t);                                             \
  template void sort_keys_here<K>(K*, std::int64_t);                                        \
  template void sort_rows_here<K>(K*, std::int64_t, std::int64_t);                          \
  template void partition_keys_here<K>(K*, std::int64_t, std::span<const std::int64_t>);    \
  template void partition_elements_here<K>(const K*, K*, std::int64_t,                      \
                                           std::span<const std::int64_t>, const KeyMap&);   \
  template void sort_elements<K>(const K*, K*, std::int64_t, const KeyMap&);                \
  template void sort_element_rows_here<K>(const K*, K*, std::int64_t, std::int64_t,         \
                                          const KeyMap&);                                   \
  template void argsort_keys<K>(const K*, std::int64_t, std::int64_t*);                     \
  template void argsort_rows_here<K>(const K*, std::int64_t, std::int64_t, std::int64_t*);  \
  template void argpartition_keys<K>(const K*, std::int64_t, std::span<const std::int64_t>, \
                                     std::int64_t*);
HEDDLE_INSTANTIATE(std::uint8_t)
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::cpu
