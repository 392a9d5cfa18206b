#include "backend/cpu/sort_parts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "backend/cpu/vector_sort.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

struct Part {
  std::int64_t first, last;
  std::int64_t size() const { return last - first; }
};

// Keys that two places exchange.
struct Exchange {
  std::int64_t a, b, count;
};

constexpr std::int64_t samples = 255;
constexpr std::int64_t few_different = 48;  // in a sample: a few cuts tell such keys apart

template <class K>
struct Sample {
  K pivot{};                   // about half of the keys are below; if it is not the least, some are
  std::int64_t different = 1;  // keys in the sample
  bool plain = true;
};

template <class K>
Sample<K> sample_of(const K* keys, const Part& part) {
  Sample<K> found;
  std::array<K, samples> sample;
  // Steps that have no common rhythm with what may repeat in the keys.
  const auto step = std::max<std::int64_t>(1, part.size() / samples - 1) | 1;
  for (std::int64_t i = 0; i < samples; ++i) {
    const K key = keys[part.first + i * step % part.size()];
    sample[static_cast<std::size_t>(i)] = key;
    if constexpr (std::is_floating_point_v<K>) found.plain = found.plain && key == key;
  }
  if (!found.plain) return found;
  vector_sort(sample.data(), samples);
  for (std::size_t i = 1; i < samples; ++i) found.different += sample[i - 1] < sample[i];
  const auto middle = sample.begin() + samples / 2;
  // Keys equal to the pivot are not below it: of many equal ones take the end nearer to the middle.
  const auto [low, high] = std::equal_range(sample.begin(), sample.end(), *middle);
  const bool at_low = middle - low <= high - middle;
  found.pivot = high == sample.end() || (at_low && low != sample.begin()) ? *low : *high;
  return found;
}

// Whether none is nan or -0.0.
template <class K>
bool copy(const K* from, K* to, std::int64_t count) {
  if constexpr (std::is_floating_point_v<K>) {
    using Bits = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
    const KeyMap map{.infinity = std::bit_cast<Bits>(std::numeric_limits<K>::infinity())};
    return copy_plain(reinterpret_cast<const Bits*>(from), reinterpret_cast<Bits*>(to), count, map);
  }
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(K));
  return true;
}

template <class K>
class PartSort {
 public:
  // The keys are those of `from`, and yet to be copied, where that is another place.
  PartSort(const K* from, K* keys, std::int64_t count)
      : from_(from), keys_(keys), count_(count), threads_(thread_count()), parts_{{0, count}} {}

  // False where the keys cannot be sorted as they are.
  bool run(const std::function<void(K*, std::int64_t)>& finish) {
    const auto first = sample_of(from_, parts_[0]);
    if (!first.plain) return false;
    if (is_sorted()) return finish_sorted(finish);
    const auto wanted = parts_wanted(first.different);
    if (wanted == 1) {
      if (from_ != keys_ && !copy(from_, keys_, count_)) return false;
      vector_sort(keys_, count_);
      if (finish) finish(keys_, count_);
      return true;
    }
    for (std::int64_t parts = 1; parts < wanted; parts *= 2) {
      if (!cut(parts == 1 ? &first.pivot : nullptr, parts == 1)) return false;
    }
    parallel_for(std::ssize(parts_), true, [&](std::int64_t i) {
      const Part& part = parts_[static_cast<std::size_t>(i)];
      if (part.size() > 1) vector_sort(keys_ + part.first, part.size());
      if (finish) finish(keys_ + part.first, part.size());
    });
    return true;
  }

  // Puts the key of a rank in its place, with the others on their side of it: two cuts leave little
  // around it. False as above.
  bool select(std::int64_t rank) {
    std::vector<K> sample(1023);
    const auto last = std::ssize(sample) - 1;
    const auto step = std::max<std::int64_t>(1, count_ / std::ssize(sample) - 1) | 1;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const K key = from_[static_cast<std::int64_t>(i) * step % count_];
      if (!(key == key)) return false;
      sample[i] = key;
    }
    vector_sort(sample.data(), std::ssize(sample));
    constexpr std::int64_t margin = 40;
    const auto middle = static_cast<std::int64_t>(
        static_cast<double>(rank) / static_cast<double>(count_) * static_cast<double>(last));
    const auto at = [&](std::int64_t i) {
      return sample.begin() + std::clamp<std::int64_t>(i, 0, last);
    };
    const K low = *at(middle - margin);
    const auto high =
        std::max(at(middle + margin), std::upper_bound(sample.begin(), sample.end(), low));
    if (!cut(&low, true)) return false;
    keep(rank);
    if (high != sample.end() && parts_[0].size() > samples) {
      cut(&*high, false);
      keep(rank);
    }
    const Part part = parts_[0];
    vector_select(keys_ + part.first, part.size(), rank - part.first);
    return true;
  }

 private:
  void keep(std::int64_t rank) {
    std::erase_if(parts_, [&](const Part& p) { return rank < p.first || rank >= p.last; });
  }

  // One for each core, and more where that does not cost much: parts are not of equal size.
  std::int64_t parts_wanted(std::int64_t different) const {
    constexpr std::int64_t worth_two = 128 * 1024, worth_more = 2 * 1024 * 1024;  // bytes
    auto bytes = count_ * static_cast<std::int64_t>(sizeof(K));
    if (different < few_different) bytes /= 4;
    if (threads_ == 1 || bytes < worth_two) return 1;
    const auto most = std::max<std::int64_t>(2, 2 * bytes / worth_two);
    return std::min(most, bytes < worth_more ? threads_ : 4 * threads_);
  }

  // Most keys that are in no order show it at their beginning.
  bool is_sorted() const {
    constexpr std::int64_t step = 1024, piece = 64 * 1024;
    const auto sorted_from = [&](std::int64_t first, std::int64_t last) {
      return std::is_sorted(from_ + first, from_ + std::min(last + 1, count_));
    };
    if (!sorted_from(0, step)) return false;
    const auto pieces = (count_ + piece - 1) / piece;
    std::atomic<bool> sorted{true};
    auto look = [&](std::int64_t i) {
      for (auto k = i * piece; k < std::min((i + 1) * piece, count_) && sorted; k += step) {
        if (!sorted_from(k, std::min(k + step, count_))) sorted = false;
      }
    };
    if (pieces == 1) {
      look(0);
    } else {
      parallel_for(pieces, true, look);
    }
    return sorted;
  }

  bool finish_sorted(const std::function<void(K*, std::int64_t)>& finish) {
    if (from_ == keys_ && !finish) return true;
    const auto pieces = std::max<std::int64_t>(1, count_ / (64 * 1024));
    std::atomic<bool> plain{true};
    auto run_piece = [&](std::int64_t i) {
      const Part piece = piece_of({0, count_}, i, pieces);
      if (from_ != keys_ && !copy(from_ + piece.first, keys_ + piece.first, piece.size())) {
        plain = false;
      }
      if (finish) finish(keys_ + piece.first, piece.size());
    };
    if (pieces == 1) {
      run_piece(0);
    } else {
      parallel_for(pieces, true, run_piece);
    }
    return plain;
  }

  // Cuts every part in two. While there are fewer parts than cores, several of them cut a piece
  // of it each, and exchange then what is on the wrong side. The first time the keys are copied.
  bool cut(const K* pivot, bool is_first) {
    const auto pieces = std::max<std::int64_t>(1, threads_ / std::ssize(parts_));
    std::vector<K> pivots;
    for (const Part& part : parts_) {
      pivots.push_back(pivot ? *pivot : sample_of(keys_, part).pivot);
    }
    std::vector<std::int64_t> below(parts_.size() * static_cast<std::size_t>(pieces));
    std::atomic<bool> plain{true};
    const bool copies = is_first && from_ != keys_;
    parallel_for(std::ssize(below), true, [&](std::int64_t i) {
      const auto part = static_cast<std::size_t>(i / pieces);
      const Part piece = piece_of(parts_[part], i % pieces, pieces);
      if (copies && !copy(from_ + piece.first, keys_ + piece.first, piece.size())) plain = false;
      if (!plain) return;
      below[static_cast<std::size_t>(i)] =
          vector_part(keys_ + piece.first, piece.size(), pivots[part]);
    });
    if (!plain) return false;
    std::vector<Part> cut_parts;
    std::vector<Exchange> exchanges;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto* mine = &below[p * static_cast<std::size_t>(pieces)];
      auto middle = parts_[p].first;
      for (std::int64_t i = 0; i < pieces; ++i) middle += mine[i];
      exchange(parts_[p], middle, mine, pieces, &exchanges);
      for (const Part part : {Part{parts_[p].first, middle}, Part{middle, parts_[p].last}}) {
        if (part.size() > 0) cut_parts.push_back(part);
      }
    }
    auto run_exchange = [&](std::int64_t i) {
      const Exchange& e = exchanges[static_cast<std::size_t>(i)];
      std::swap_ranges(keys_ + e.a, keys_ + e.a + e.count, keys_ + e.b);
    };
    if (exchanges.size() <= 1) {
      for (std::int64_t i = 0; i < std::ssize(exchanges); ++i) run_exchange(i);
    } else {
      parallel_for(std::ssize(exchanges), true, run_exchange);
    }
    parts_ = std::move(cut_parts);
    return true;
  }

  static Part piece_of(const Part& part, std::int64_t i, std::int64_t pieces) {
    return {part.first + part.size() * i / pieces, part.first + part.size() * (i + 1) / pieces};
  }

  // Pieces of a part have their keys below the pivot first: those beyond the middle, and as many
  // that are in their way.
  static void exchange(const Part& part, std::int64_t middle, const std::int64_t* below,
                       std::int64_t pieces, std::vector<Exchange>* all) {
    constexpr std::int64_t most = 32 * 1024;
    std::vector<Part> high, low;  // on the wrong side
    for (std::int64_t i = 0; i < pieces; ++i) {
      const Part piece = piece_of(part, i, pieces);
      const auto end = piece.first + below[i];
      if (end < middle) high.push_back({end, std::min(piece.last, middle)});
      if (end > middle) low.push_back({std::max(piece.first, middle), end});
    }
    std::size_t a = 0, b = 0;
    while (a < high.size() && b < low.size()) {
      const auto count = std::min({high[a].size(), low[b].size(), most});
      if (count > 0) all->push_back({high[a].first, low[b].first, count});
      high[a].first += count;
      low[b].first += count;
      a += high[a].size() == 0;
      b += low[b].size() == 0;
    }
  }

  const K* from_;
  K* keys_;
  std::int64_t count_;
  std::int64_t threads_;
  std::vector<Part> parts_;
};

}  // namespace

template <class K>
void sort_in_parts(K* keys, std::int64_t count,
                   const std::function<void(K*, std::int64_t)>& finish) {
  PartSort<K>(keys, keys, count).run(finish);
}

template <class K>
bool sort_copy_in_parts(const K* from, K* to, std::int64_t count) {
  return PartSort<K>(from, to, count).run({});
}

template <class K>
bool select_copy_in_parts(const K* from, K* to, std::int64_t count, std::int64_t rank) {
  return PartSort<K>(from, to, count).select(rank);
}

#define HEDDLE_INSTANTIATE(K)                                                                  \
  template void sort_in_parts(K*, std::int64_t, const std::function<void(K*, std::int64_t)>&); \
  template bool sort_copy_in_parts(const K*, K*, std::int64_t);                                \
  template bool select_copy_in_parts(const K*, K*, std::int64_t, std::int64_t);
HEDDLE_SORTED_TYPES(HEDDLE_INSTANTIATE)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::cpu
