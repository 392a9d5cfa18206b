// Sorting keys of which few are different, as a sample shows: they are counted, however far apart
// they are. Where the sample missed some, nothing is done.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "backend/cpu/sort_counting.h"
#include "backend/cpu/vector_sort.h"

namespace heddle::cpu {

// The different keys of a sample, ascending; none where they are many, or the keys too few.
template <class K>
class FewKeys {
 public:
  FewKeys(const K* keys, std::int64_t count) {
    constexpr std::int64_t least = sizeof(K) == 8 ? 512 : 2048, first_look = 24, samples = 96;
    if (count < least) return;
    if (!look(keys, count, first_look, most / 2)) return;
    if (!look(keys, count, samples, most)) size_ = 0;
  }
  bool none() const { return size_ == 0; }
  std::span<const K> all() const { return {table_.data(), size_}; }

  static constexpr std::size_t most = 24;  // each costs a look at every key

 private:
  bool look(const K* keys, std::int64_t count, std::int64_t samples, std::size_t allowed) {
    // Steps that have no common rhythm with what may repeat in the keys.
    const auto step = (count / samples) | 1;
    for (std::int64_t i = 0; i < samples; ++i) {
      const K key = keys[i * step % count];
      auto* end = table_.data() + size_;
      auto* place = std::lower_bound(table_.data(), end, key);
      if (place != end && *place == key) continue;
      if (size_ == allowed) return size_ = 0, false;
      std::copy_backward(place, end, end + 1);
      *place = key;
      ++size_;
    }
    return true;
  }

  std::array<K, most + 1> table_;
  std::size_t size_ = 0;
};

// For how many cores there is work: counting is quicker than waking one, for a while.
inline std::int64_t pieces_of_few(std::int64_t count, bool parallel) {
  return parallel ? std::clamp<std::int64_t>(count / (4 * piece_keys), 1, 64) : 1;
}

// How often each is among the keys of each of some ranges of equal length, [range][value]; a core
// takes several of them.
template <class K>
std::vector<std::int64_t> counts_of(const K* keys, std::int64_t count, const FewKeys<K>& few,
                                    std::int64_t pieces, std::int64_t ranges_each = 1) {
  const auto values = few.all().size();
  const auto ranges = pieces * ranges_each;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranges) * values);
  auto add = [&](std::int64_t piece) {
    for (auto i = piece * ranges_each; i < (piece + 1) * ranges_each; ++i) {
      const auto first = count * i / ranges, last = count * (i + 1) / ranges;
      add_counts<K>(keys + first, last - first, few.all(),
                    &counts[static_cast<std::size_t>(i) * values]);
    }
  };
  if (pieces == 1) {
    add(0);
  } else {
    parallel_for(pieces, true, add);
  }
  return counts;
}

// From elements to sorted elements, with the keys that `map` makes of them (distinct zeros); both
// may be the same memory.
template <class K>
bool sort_few(const K* from, K* to, std::int64_t count, const KeyMap& map, bool parallel) {
  if constexpr (sizeof(K) == 1) {
    return false;
  } else {
    const FewKeys<K> few(from, count);
    if (few.none()) return false;
    std::vector<K> values(few.all().begin(), few.all().end());
    const auto highest = map.distinct(static_cast<K>(map.infinity));
    for (const K value : values) {
      if (map.infinity != 0 && map.distinct(value) > highest) return false;  // nans may differ
    }
    const auto counts = counts_of(from, count, few, pieces_of_few(count, parallel));
    std::vector<std::pair<K, std::int64_t>> runs;  // value, how many
    std::int64_t total = 0;
    for (std::size_t v = 0; v < values.size(); ++v) {
      std::int64_t own = 0;
      for (std::size_t i = v; i < counts.size(); i += values.size()) own += counts[i];
      runs.emplace_back(values[v], own);
      total += own;
    }
    if (total != count) return false;
    std::ranges::sort(runs, {}, [&](const auto& run) { return map.distinct(run.first); });
    // Each core writes a range of places.
    in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
      std::int64_t begin = 0;
      for (const auto& [value, own] : runs) {
        const auto end = begin + own;
        const auto low = std::max(begin, first), high = std::min(end, last);
        if (low < high) std::fill(to + low, to + high, value);
        begin = end;
      }
    });
    return true;
  }
}

// The stable order of keys as positions: of some keys at once by vectors, or one by one. There a
// place depends on the one before it of the same value, and several streams of keys overlap.
inline constexpr std::int64_t most_streams = 4;
template <class K>
bool argsort_few(const K* keys, std::int64_t count, std::int64_t* positions, bool parallel) {
  if constexpr (sizeof(K) == 1) {
    return false;
  } else {
    const std::int64_t streams = parts_halves() ? 1 : most_streams;
    const FewKeys<K> few(keys, count);
    if (few.none()) return false;
    const auto values = std::ssize(few.all());
    const auto pieces = pieces_of_few(count, parallel);
    auto next = counts_of(keys, count, few, pieces, streams);
    std::int64_t start = 0;
    for (std::int64_t v = 0; v < values; ++v) {
      for (std::size_t i = static_cast<std::size_t>(v); i < next.size(); i += few.all().size()) {
        start += std::exchange(next[i], start);
      }
    }
    if (start != count) return false;
    constexpr std::int64_t block = 512;
    auto run_vectors = [&](std::int64_t piece) {
      std::uint8_t ranks[block];
      const auto last = count * (piece + 1) / pieces;
      for (auto first = count * piece / pieces; first < last; first += block) {
        const auto size = std::min(block, last - first);
        ranks_in<K>(keys + first, size, few.all(), ranks);
        place_few(ranks, size, first, values, &next[static_cast<std::size_t>(piece * values)],
                  positions);
      }
    };
    auto run_streams = [&](std::int64_t piece) {
      const auto first = [&](std::int64_t stream) {
        return count * (piece * streams + stream) / (pieces * streams);
      };
      std::int64_t own[most_streams][FewKeys<K>::most];
      for (std::int64_t s = 0; s < streams; ++s) {
        std::copy_n(&next[static_cast<std::size_t>((piece * streams + s) * values)], values,
                    own[s]);
      }
      std::uint8_t ranks[most_streams][block];
      const auto longest = first(1) - first(0) + 1;  // streams differ by one key
      for (std::int64_t begin = 0; begin < longest; begin += block) {
        std::int64_t size[most_streams];
        for (std::int64_t s = 0; s < streams; ++s) {
          size[s] = std::clamp<std::int64_t>(first(s + 1) - first(s) - begin, 0, block);
          ranks_in<K>(keys + first(s) + begin, size[s], few.all(), ranks[s]);
        }
        const auto place = [&](std::int64_t s, std::int64_t i) {
          positions[own[s][ranks[s][i]]++] = first(s) + begin + i;
        };
        const auto common = *std::min_element(size, size + streams);
        for (std::int64_t i = 0; i < common; ++i) {
          for (std::int64_t s = 0; s < streams; ++s) place(s, i);
        }
        for (std::int64_t s = 0; s < streams; ++s) {
          for (auto i = common; i < size[s]; ++i) place(s, i);
        }
      }
    };
    auto run = [&](std::int64_t piece) {
      return parts_halves() ? run_vectors(piece) : run_streams(piece);
    };
    if (pieces == 1) {
      run(0);
    } else {
      parallel_for(pieces, true, run);
    }
    return true;
  }
}

}  // namespace heddle::cpu
