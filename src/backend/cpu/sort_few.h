// Sorting keys of which few are different, as a sample shows: they are counted, however far apart
// they are. Where the sample missed some, nothing is done.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
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
    constexpr std::int64_t least = 512, first_look = 32, samples = 255;
    if (count < least) return;
    if (!look(keys, count, first_look, most / 2)) return;
    if (!look(keys, count, samples, most)) size_ = 0;
  }
  bool none() const { return size_ == 0; }
  std::span<const K> all() const { return {table_.data(), size_}; }

 private:
  static constexpr std::size_t most = 24;  // each costs a look at every key

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
    const auto pieces = parallel ? std::clamp<std::int64_t>(count / piece_keys, 1, 64) : 1;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(pieces) * values.size());
    auto add = [&](std::int64_t i) {
      const auto first = count * i / pieces, last = count * (i + 1) / pieces;
      add_counts<K>(from + first, last - first, few.all(),
                    &counts[static_cast<std::size_t>(i) * values.size()]);
    };
    if (pieces == 1) {
      add(0);
    } else {
      parallel_for(pieces, true, add);
    }
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
    for (const auto& [value, own] : runs) to = std::fill_n(to, own, value);
    return true;
  }
}

// The stable order of keys as positions.
template <class K>
bool argsort_few(const K* keys, std::int64_t count, std::int64_t* positions, bool parallel) {
  if constexpr (sizeof(K) == 1) {
    return false;
  } else {
    const FewKeys<K> few(keys, count);
    if (few.none()) return false;
    std::vector<std::uint8_t> ranks(static_cast<std::size_t>(count));
    std::atomic<bool> all{true};
    in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
      if (all && !ranks_in<K>(keys + first, last - first, few.all(), ranks.data() + first)) {
        all = false;
      }
    });
    if (!all) return false;
    counting_argsort(ranks.data(), count, std::uint8_t{0},
                     static_cast<std::int64_t>(few.all().size()), positions, parallel);
    return true;
  }
}

}  // namespace heddle::cpu
