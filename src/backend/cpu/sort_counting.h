// Sorting keys by counting them, where they are of few bits or close to one another.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/cpu/vector_sort.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

inline constexpr std::int64_t piece_keys = 32 * 1024;  // less is not worth a core of its own

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

// Calls body(first, last) for each run of several places that same(i, i + 1) says are the same, on
// all cores where it is worth it. The body may change what is at its places, once all cores know
// where to begin.
template <class Same, class F>
void for_runs(std::int64_t count, bool parallel, Same same, F body) {
  const auto pieces = parallel ? std::max<std::int64_t>(1, count / piece_keys) : 1;
  const auto run_between = [&](std::int64_t i, std::int64_t last) {
    while (i < last) {
      auto end = i + 1;
      while (end < last && same(end - 1, end)) ++end;
      if (end > i + 1) body(i, end);
      i = end;
    }
  };
  if (pieces == 1) return run_between(0, count);
  std::vector<std::int64_t> begins{0};
  for (std::int64_t i = 1; i < pieces; ++i) {
    auto begin = std::max(begins.back(), count * i / pieces);
    while (begin > 0 && begin < count && same(begin - 1, begin)) ++begin;
    begins.push_back(begin);
  }
  begins.push_back(count);
  parallel_for(pieces, true, [&](std::int64_t piece) {
    const auto p = static_cast<std::size_t>(piece);
    run_between(begins[p], begins[p + 1]);
  });
}

template <class K>
std::pair<K, K> range_of(const K* keys, std::int64_t count, bool parallel) {
  const auto pieces = parallel ? std::max<std::int64_t>(1, count / (4 * piece_keys)) : 1;
  if (pieces == 1) return range_here(keys, count);
  std::vector<std::pair<K, K>> found(static_cast<std::size_t>(pieces));
  parallel_for(pieces, true, [&](std::int64_t i) {
    const auto first = count * i / pieces, last = count * (i + 1) / pieces;
    found[static_cast<std::size_t>(i)] = range_here(keys + first, last - first);
  });
  auto range = found[0];
  for (auto& [least, most] : found) {
    range = {std::min(range.first, least), std::max(range.second, most)};
  }
  return range;
}

// How often each key is there, [piece][key - least], with the keys cut into pieces.
template <class K, class Count>
struct Counts {
  std::int64_t values;
  std::int64_t pieces;
  std::vector<Count> counts;

  Counts(const K* keys, std::int64_t count, K least, std::int64_t different, bool parallel)
      : values(different),
        pieces(parallel ? std::clamp<std::int64_t>(count / std::max(2 * piece_keys, 4 * values), 1,
                                                   2 * thread_count())
                        : 1),
        counts(static_cast<std::size_t>(pieces * values)) {
    in_pieces([&](std::int64_t piece) {
      count_keys(keys + count * piece / pieces, keys + count * (piece + 1) / pieces, least,
                 of(piece));
    });
  }
  Count* of(std::int64_t piece) { return &counts[static_cast<std::size_t>(piece * values)]; }
  // Calls body(counts of the piece, i) for the keys of all pieces.
  template <class F>
  void run(std::int64_t count, F body) {
    in_pieces([&](std::int64_t piece) {
      auto* mine = of(piece);
      for (auto i = count * piece / pieces; i < count * (piece + 1) / pieces; ++i) body(mine, i);
    });
  }

 private:
  // Few values are counted in one of several tables after the other: an addition need not wait
  // for the one before it, which often is to the same number.
  void count_keys(const K* keys, const K* end, K least, Count* mine) const {
    constexpr std::int64_t tables = 4, most = 256;
    if (values <= most) {
      Count several[tables * most] = {};
      for (; keys + tables <= end; keys += tables) {
        for (std::int64_t t = 0; t < tables; ++t) {
          ++several[t * most + static_cast<std::int64_t>(keys[t] - least)];
        }
      }
      for (std::int64_t v = 0; v < values; ++v) {
        for (std::int64_t t = 0; t < tables; ++t) mine[v] += several[t * most + v];
      }
    }
    for (; keys < end; ++keys) ++mine[*keys - least];
  }
  template <class F>
  void in_pieces(F body) {
    if (pieces == 1) {
      body(std::int64_t{0});
    } else {
      parallel_for(pieces, true, body);
    }
  }
};

inline constexpr int counted_bits = 16;
inline bool worth_counting(int key_bits, std::int64_t count) {
  return key_bits <= counted_bits && count >= std::int64_t{2} << key_bits;
}

template <class Count, class K>
void counting_sort_with(K* keys, std::int64_t count, K least, std::int64_t different,
                        bool parallel) {
  Counts<K, Count> all(keys, count, least, different, parallel);
  auto* totals = all.of(0);
  for (std::int64_t piece = 1; piece < all.pieces; ++piece) {
    const auto* mine = all.of(piece);
    for (std::int64_t value = 0; value < different; ++value) totals[value] += mine[value];
  }
  // Each core writes the keys of a range of values, from where those before it end.
  std::vector<std::int64_t> firsts{0};
  std::vector<K*> starts{keys};
  std::int64_t before = 0;
  for (std::int64_t value = 0; value < different && all.pieces > 1; ++value) {
    if (before * all.pieces >= count * std::ssize(firsts)) {
      firsts.push_back(value);
      starts.push_back(keys + before);
    }
    before += static_cast<std::int64_t>(totals[value]);
  }
  firsts.push_back(different);
  auto write = [&](std::int64_t range) {
    const auto r = static_cast<std::size_t>(range);
    K* to = starts[r];
    for (auto value = firsts[r]; value < firsts[r + 1]; ++value) {
      to = std::fill_n(to, totals[value], static_cast<K>(least + static_cast<K>(value)));
    }
  };
  // Not to be interrupted: until all are written, some keys are nowhere.
  if (starts.size() == 1) {
    write(0);
  } else {
    parallel_for(std::ssize(starts), false, write);
  }
}

template <class K>
void counting_sort(K* keys, std::int64_t count, K least, std::int64_t different, bool parallel) {
  if (count < std::int64_t{1} << 32) {  // the smaller the tables, the nearer they are
    counting_sort_with<std::uint32_t>(keys, count, least, different, parallel);
  } else {
    counting_sort_with<std::uint64_t>(keys, count, least, different, parallel);
  }
}

template <class K>
void counting_argsort(const K* keys, std::int64_t count, K least, std::int64_t different,
                      std::int64_t* positions, bool parallel) {
  Counts<K, std::int64_t> all(keys, count, least, different, parallel);
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

// Whether keys in this range, of these many, are better counted than compared: they are close to
// one another, but not so few that a few cuts tell them apart.
inline bool are_to_be_counted(std::uint64_t range, std::int64_t count) {
  constexpr int few_bits = 6;
  const int bits = std::bit_width(range);
  return bits > few_bits && worth_counting(bits, count);
}

// The same by a look at some integers, with a sign or without.
template <class K>
bool seem_to_be_counted(const K* keys, std::int64_t count) {
  using Signed = std::make_signed_t<K>;
  Signed least = 0, most = 0;
  for (std::int64_t i = 0; i < count; i += std::max<std::int64_t>(1, count / 64)) {
    const auto distance = static_cast<Signed>(static_cast<K>(keys[i] - keys[0]));
    least = std::min(least, distance);
    most = std::max(most, distance);
  }
  return are_to_be_counted(static_cast<K>(static_cast<K>(most) - static_cast<K>(least)), count);
}

template <class K>
bool sort_by_counting(K* keys, std::int64_t count) {
  if (!seem_to_be_counted(keys, count)) return false;
  const auto [least, most] = range_of(keys, count, true);
  const auto range = static_cast<std::uint64_t>(most - least);
  if (!are_to_be_counted(range, count)) return false;
  counting_sort(keys, count, least, static_cast<std::int64_t>(range) + 1, true);
  return true;
}

// Whether integers of 16 bits are better compared than counted, which takes a while however few
// they are, and waits for each addition to the same number.
inline bool compares_halves(const std::uint16_t* keys, std::int64_t count) {
  if (!parts_halves()) return count < 16 * 1024;
  if (count < 256 * 1024) return true;
  constexpr std::int64_t samples = 255, few = 40;
  std::array<std::uint16_t, samples> sample;
  for (std::int64_t i = 0; i < samples; ++i) {
    sample[static_cast<std::size_t>(i)] = keys[count / samples * i];
  }
  vector_sort(sample.data(), samples);
  return std::unique(sample.begin(), sample.end()) - sample.begin() < few;
}

// All keys of a type of one or two bytes.
template <class K>
void sort_all_values(K* keys, std::int64_t count, bool parallel) {
  counting_sort(keys, count, K{0}, std::int64_t{1} << (8 * sizeof(K)), parallel);
}

}  // namespace heddle::cpu
