#include "backend/cpu/sort_keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>
#include <vector>

#include <hwy/contrib/sort/vqsort.h>

#include "backend/cpu/sort_rows.h"
#include "runtime/device.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

constexpr std::int64_t piece_keys = 32 * 1024;  // less is not worth a core of its own
constexpr int digit_bits = 11;
constexpr std::int64_t digits = 1 << digit_bits;

template <class K>
bool before(K a, K b) {
  return a < b;
}
bool before(const Key128& a, const Key128& b) { return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo; }

template <class K>
void vector_sort(K* keys, std::int64_t count) {
  thread_local const hwy::Sorter sorter;
  sorter(keys, static_cast<std::size_t>(count), hwy::SortAscending());
}

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

// The same where no lock is held: kept by the thread. One for each K, in use only inside of a call.
template <class K>
K* local_scratch(std::int64_t count) {
  thread_local std::vector<K> memory;
  if (memory.size() < static_cast<std::size_t>(count)) {
    memory.resize(static_cast<std::size_t>(count));
  }
  return memory.data();
}

// --- one core ---

// Sorts by the bits [low, high) of the keys, from the lowest digit up; other bits keep the order
// they come in. Passes in which all keys agree are left out. Returns where the result is: `keys` or
// `scratch`.
template <class K>
K* radix_sort(K* keys, K* scratch, std::int64_t count, int low, int high) {
  const int passes = (high - low + digit_bits - 1) / digit_bits;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(passes * digits));
  auto digit = [](K key, int shift) {
    return static_cast<std::size_t>(key >> shift) & static_cast<std::size_t>(digits - 1);
  };
  for (std::int64_t i = 0; i < count; ++i) {
    for (int pass = 0; pass < passes; ++pass) {
      ++counts[static_cast<std::size_t>(pass * digits) + digit(keys[i], low + pass * digit_bits)];
    }
  }
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = low + pass * digit_bits;
    std::int64_t* starts = &counts[static_cast<std::size_t>(pass * digits)];
    if (starts[digit(keys[0], shift)] == count) continue;
    std::int64_t start = 0;
    for (std::int64_t d = 0; d < digits; ++d) start += std::exchange(starts[d], start);
    for (std::int64_t i = 0; i < count; ++i) scratch[starts[digit(keys[i], shift)]++] = keys[i];
    std::swap(keys, scratch);
  }
  return keys;
}

// Sorts on this core; the result goes to `scratch` if so wanted, else it stays.
template <class K>
void sort_piece(K* keys, K* scratch, std::int64_t count, bool to_scratch) {
  constexpr std::int64_t short_keys = 1024;
  K* wanted = to_scratch ? scratch : keys;
  if constexpr (sizeof(K) == 4) {
    // Vectors of 32-bit keys are slow to compress on some CPUs, where 64-bit ones are not.
    if (count > short_keys) {
      K* found = radix_sort(keys, scratch, count, 0, 32);
      if (found != wanted) std::memcpy(wanted, found, static_cast<std::size_t>(count) * sizeof(K));
    } else {
      std::array<std::uint64_t, short_keys> wide;
      std::copy_n(keys, count, wide.data());
      vector_sort(wide.data(), count);
      std::transform(wide.data(), wide.data() + count, wanted,
                     [](std::uint64_t key) { return static_cast<K>(key); });
    }
  } else {
    if (to_scratch) std::memcpy(scratch, keys, static_cast<std::size_t>(count) * sizeof(K));
    vector_sort(wanted, count);
  }
}

// --- all cores ---

// How many of the first `place` keys of the merged a and b are of a.
template <class K>
std::int64_t split(const K* a, std::int64_t a_count, const K* b, std::int64_t b_count,
                   std::int64_t place) {
  auto low = std::max<std::int64_t>(0, place - b_count), high = std::min(place, a_count);
  while (low < high) {
    auto middle = (low + high) / 2;
    if (before(a[middle], b[place - middle - 1])) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class K>
void merge(const K* a, const K* a_end, const K* b, const K* b_end, K* to) {
  while (a < a_end && b < b_end) {
    const bool take_b = before(*b, *a);
    *to++ = take_b ? *b : *a;
    a += !take_b;
    b += take_b;
  }
  to = std::copy(a, a_end, to);
  std::copy(b, b_end, to);
}

// Merges the sorted runs of `run` keys two by two.
template <class K>
void merge_runs(const K* from, K* to, std::int64_t count, std::int64_t run) {
  const std::int64_t pairs = (count + 2 * run - 1) / (2 * run);
  const std::int64_t parts = std::max<std::int64_t>(1, (4 * thread_count() + pairs - 1) / pairs);
  parallel_for(pairs * parts, true, [&](std::int64_t i) {
    const auto first = i / parts * 2 * run;
    const auto middle = std::min(first + run, count), last = std::min(first + 2 * run, count);
    const K *a = from + first, *b = from + middle;
    const auto begin = (last - first) * (i % parts) / parts;
    const auto end = (last - first) * (i % parts + 1) / parts;
    const auto a_begin = split(a, middle - first, b, last - middle, begin);
    const auto a_end = split(a, middle - first, b, last - middle, end);
    merge(a + a_begin, a + a_end, b + (begin - a_begin), b + (end - a_end), to + first + begin);
  });
}

template <class K>
void sort_and_merge(K* keys, std::int64_t count) {
  int rounds = 0;
  while ((1 << rounds) < thread_count() && (count >> (rounds + 1)) >= piece_keys) ++rounds;
  const Scratch<K> scratch(sizeof(K) == 4 || rounds > 0 ? count : 0);
  const auto pieces = std::int64_t{1} << rounds;
  const auto run = (count + pieces - 1) / pieces;
  const bool odd = rounds % 2 != 0;
  // One for each core: none would be stopped anyway.
  parallel_for(pieces, false, [&](std::int64_t i) {
    const auto first = i * run, length = std::min(run, count - first);
    if (length > 0) sort_piece(keys + first, scratch.data() + first, length, odd);
  });
  K *from = odd ? scratch.data() : keys, *to = odd ? keys : scratch.data();
  try {
    for (int round = 0; round < rounds; ++round) {
      merge_runs(from, to, count, run << round);
      std::swap(from, to);
    }
  } catch (...) {
    if (from != keys) std::copy_n(from, count, keys);
    throw;
  }
}

// --- few different keys ---

// How often each key is there, [piece][key - least], with the keys cut into pieces.
template <class K>
struct Counts {
  std::int64_t values;
  std::int64_t pieces;
  std::vector<std::int64_t> counts;

  Counts(const K* keys, std::int64_t count, K least, std::int64_t different, bool parallel)
      : values(different),
        pieces(parallel ? std::clamp<std::int64_t>(count / std::max(2 * piece_keys, 4 * values), 1,
                                                   2 * thread_count())
                        : 1),
        counts(static_cast<std::size_t>(pieces * values)) {
    run(count, [&](std::int64_t* mine, std::int64_t i) { ++mine[keys[i] - least]; });
  }
  // Calls body(counts of the piece, i) for the keys of all pieces.
  template <class F>
  void run(std::int64_t count, F body) {
    auto run_piece = [&](std::int64_t piece) {
      auto* mine = &counts[static_cast<std::size_t>(piece * values)];
      for (auto i = count * piece / pieces; i < count * (piece + 1) / pieces; ++i) body(mine, i);
    };
    if (pieces == 1) {
      run_piece(0);
    } else {
      parallel_for(pieces, true, run_piece);
    }
  }
};

constexpr int counted_bits = 16;
bool worth_counting(int key_bits, std::int64_t count) {
  return key_bits <= counted_bits && count >= std::int64_t{2} << key_bits;
}

template <class K>
void counting_sort(K* keys, std::int64_t count, K least, std::int64_t different, bool parallel) {
  const Counts<K> all(keys, count, least, different, parallel);
  for (std::int64_t value = 0; value < different; ++value) {
    std::int64_t total = 0;
    for (std::int64_t piece = 0; piece < all.pieces; ++piece) {
      total += all.counts[static_cast<std::size_t>(piece * different + value)];
    }
    keys = std::fill_n(keys, total, static_cast<K>(least + static_cast<K>(value)));
  }
}

template <class K>
void counting_argsort(const K* keys, std::int64_t count, K least, std::int64_t different,
                      std::int64_t* positions, bool parallel) {
  Counts<K> all(keys, count, least, different, parallel);
  std::int64_t start = 0;
  for (std::int64_t value = 0; value < different; ++value) {
    for (std::int64_t piece = 0; piece < all.pieces; ++piece) {
      start +=
          std::exchange(all.counts[static_cast<std::size_t>(piece * different + value)], start);
    }
  }
  all.run(count,
          [&](std::int64_t* next, std::int64_t i) { positions[next[keys[i] - least]++] = i; });
}

// --- ranges ---

// Calls body(first, last) for ranges that cover [0, count), on all cores where it is worth it.
template <class F>
void in_ranges(std::int64_t count, bool parallel, F body) {
  const auto pieces = std::max<std::int64_t>(1, count / piece_keys);
  if (!parallel || pieces == 1) {
    body(std::int64_t{0}, count);
  } else {
    parallel_for(pieces, true,
                 [&](std::int64_t i) { body(count * i / pieces, count * (i + 1) / pieces); });
  }
}

template <class K>
std::pair<K, K> range_of(const K* keys, std::int64_t count, bool parallel) {
  const auto pieces = parallel ? std::max<std::int64_t>(1, count / (4 * piece_keys)) : 1;
  std::vector<std::pair<K, K>> found(static_cast<std::size_t>(pieces));
  auto look = [&](std::int64_t i) {
    K least = keys[0], most = keys[0];
    for (auto k = count * i / pieces; k < count * (i + 1) / pieces; ++k) {
      least = std::min(least, keys[k]);
      most = std::max(most, keys[k]);
    }
    found[static_cast<std::size_t>(i)] = {least, most};
  };
  if (pieces > 1) {
    parallel_for(pieces, true, look);
  } else {
    look(0);
  }
  auto range = found[0];
  for (auto& [least, most] : found) {
    range = {std::min(range.first, least), std::max(range.second, most)};
  }
  return range;
}

// Whether some of the keys, and then all, are close enough to one another to be counted.
template <class K>
bool sort_by_counting(K* keys, std::int64_t count) {
  if (!worth_counting(8, count)) return false;
  K least = keys[0], most = keys[0];
  for (std::int64_t i = 0; i < count; i += count / 64) {
    least = std::min(least, keys[i]);
    most = std::max(most, keys[i]);
  }
  if (static_cast<std::uint64_t>(most - least) >> counted_bits) return false;
  std::tie(least, most) = range_of(keys, count, true);
  const auto range = static_cast<std::uint64_t>(most - least);
  if (!worth_counting(std::bit_width(range), count)) return false;
  counting_sort(keys, count, least, static_cast<std::int64_t>(range) + 1, true);
  return true;
}

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
  Key128* all = parallel ? words.data() : local_scratch<Key128>(count);
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

// All keys of a type of one or two bytes.
template <class K>
void sort_all_values(K* keys, std::int64_t count, bool parallel) {
  counting_sort(keys, count, K{0}, std::int64_t{1} << (8 * sizeof(K)), parallel);
}

}  // namespace

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
      if (count >= 16 * 1024) return sort_all_values(keys, count, false);
    }
    sort_piece(keys, sizeof(K) == 4 ? local_scratch<K>(count) : nullptr, count, false);
  }
}

template <class K>
void sort_keys(K* keys, std::int64_t count) {
  if (count < 2 * piece_keys) return sort_keys_here(keys, count);
  if constexpr (sizeof(K) <= 2) {
    sort_all_values(keys, count, true);
  } else if constexpr (sizeof(K) <= 8) {
    if (!sort_by_counting(keys, count)) sort_and_merge(keys, count);
  } else {
    sort_and_merge(keys, count);
  }
}

template <class K>
void sort_rows_here(K* keys, std::int64_t rows, std::int64_t length) {
  if (length <= short_row<K> && rows > 1) return sort_short_rows(keys, rows, length);
  for (std::int64_t row = 0; row < rows; ++row) sort_keys_here(keys + row * length, length);
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
