#include "backend/cpu/sort_arranged.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <type_traits>

#include "backend/cpu/sort_complex.h"
#include "backend/cpu/sort_counting.h"
#include "backend/cpu/sort_keys.h"
#include "backend/cpu/vector_sort.h"

namespace heddle::cpu {

namespace {

enum class Arranged : std::uint8_t { no, forward, backward };

constexpr std::int64_t chunk = 1024;  // keys that are in the nearest memory
constexpr std::int64_t first_look = 32;
constexpr std::int64_t worth_a_look = 512;  // shorter rows are partitioned as quickly

template <class E>
class Row {
 public:
  using K = std::conditional_t<sizeof(E) == 16, std::uint64_t, E>;
  Row(const E* from, std::int64_t count, const KeyMap& map, bool parallel)
      : from_(from), count_(count), map_(map), parallel_(parallel) {}

  Arranged at(std::int64_t rank) const {
    if (is_arranged(rank, true)) return Arranged::forward;
    return is_arranged(count_ - 1 - rank, false) ? Arranged::backward : Arranged::no;
  }

 private:
  // The keys of some elements, at most a chunk: of two float64 the first ones. Null where complex
  // numbers have none in one word.
  const K* keys(std::int64_t first, std::int64_t count, K* room) const {
    if constexpr (sizeof(E) == 16) {
      const auto* parts = reinterpret_cast<const K*>(from_ + first);
      return to_first_keys(parts, room, count) ? room : nullptr;
    } else {
      if constexpr (sizeof(E) == 8) {
        if (map_.pairs) return to_pair_words(from_ + first, room, count) ? room : nullptr;
      }
      if (map_.infinity == 0 && map_.flip == 0) return from_ + first;
      to_equal_keys(from_ + first, room, count, map_);
      return room;
    }
  }

  // Whether no key of [first, last) is beyond the pivot: above it, or below.
  bool holds(std::int64_t first, std::int64_t last, K pivot, bool above) const {
    K room[chunk];
    for (; first < last; first += chunk) {
      const auto size = std::min(chunk, last - first);
      const K* own = keys(first, size, room);
      if (own == nullptr) return false;
      const auto [below, same] = sides_of(own, size, pivot);
      if ((above ? size - below - same : below) != 0) return false;
      if (sizeof(E) == 16 && same != 0) return false;  // the second keys would say
    }
    return true;
  }
  // The same for what is before and behind a place, of [first, last).
  bool holds_around(std::int64_t place, std::int64_t first, std::int64_t last, K pivot,
                    bool forward) const {
    return holds(first, std::min(last, place), pivot, forward) &&
           holds(std::max(first, place + 1), last, pivot, !forward);
  }

  bool is_arranged(std::int64_t place, bool forward) const {
    K room[1];
    const K* own = keys(place, 1, room);
    if (own == nullptr) return false;
    const K pivot = *own;
    if (!holds_around(place, 0, std::min(count_, first_look), pivot, forward)) return false;
    if (!holds_around(place, std::max<std::int64_t>(0, count_ - first_look), count_, pivot,
                      forward)) {
      return false;
    }
    std::atomic<bool> so{true};
    in_ranges(count_, parallel_, [&](std::int64_t first, std::int64_t last) {
      if (so && !holds_around(place, first, last, pivot, forward)) so = false;
    });
    return so;
  }

  const E* from_;
  std::int64_t count_;
  KeyMap map_;
  bool parallel_;
};

template <class E>
Arranged arranged_at(const E* from, std::int64_t count, std::span<const std::int64_t> ranks,
                     const KeyMap& map, bool parallel) {
  if (ranks.size() != 1 || count < worth_a_look) return Arranged::no;
  return Row<E>(from, count, map, parallel).at(ranks[0]);
}

}  // namespace

template <class E>
bool copy_arranged(const E* from, E* to, std::int64_t count, std::span<const std::int64_t> ranks,
                   const KeyMap& map, bool parallel) {
  if constexpr (sizeof(E) == 2 || sizeof(E) == 4) {
    // One core moves them to their sides as quickly as it finds out that it need not.
    if (!parallel && selects_by_vectors<E>()) return false;
  }
  const auto found = arranged_at(from, count, ranks, map, parallel);
  if (found == Arranged::no) return false;
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    if (found == Arranged::forward) {
      std::copy(from + first, from + last, to + first);
    } else {
      std::reverse_copy(from + (count - last), from + (count - first), to + first);
    }
  });
  return true;
}

template <class E>
bool place_arranged(const E* from, std::int64_t* to, std::int64_t count,
                    std::span<const std::int64_t> ranks, const KeyMap& map, bool parallel) {
  const auto found = arranged_at(from, count, ranks, map, parallel);
  if (found == Arranged::no) return false;
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    if (found == Arranged::forward) {
      std::iota(to + first, to + last, first);
    } else {
      for (auto i = first; i < last; ++i) to[i] = count - 1 - i;
    }
  });
  return true;
}

#define HEDDLE_INSTANTIATE(E)                                                            \
  template bool copy_arranged(const E*, E*, std::int64_t, std::span<const std::int64_t>, \
                              const KeyMap&, bool);                                      \
  template bool place_arranged(const E*, std::int64_t*, std::int64_t,                    \
                               std::span<const std::int64_t>, const KeyMap&, bool);
HEDDLE_INSTANTIATE(std::uint8_t)
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
HEDDLE_INSTANTIATE(Bits128)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::cpu
