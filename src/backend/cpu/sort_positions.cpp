#include "backend/cpu/sort_positions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/cpu/sort_counting.h"
#include "backend/cpu/sort_few.h"
#include "backend/cpu/sort_keys.h"
#include "backend/cpu/sort_parts.h"
#include "backend/cpu/sort_rows.h"
#include "backend/cpu/sort_scratch.h"
#include "backend/cpu/vector_sort.h"

namespace heddle::cpu {

namespace {

// A key and its position in one word: sorting the words sorts the positions, stably. The bits of
// keys that do not fit are left out; keys that then look the same are put in order afterwards.
template <class K>
struct Packing {
  K least;
  int position_bits;
  int key_bits;  // that differ
  int dropped = 0;

  Packing(std::pair<K, K> range, std::int64_t count)
      : least(range.first),
        position_bits(std::bit_width(static_cast<std::uint64_t>(count - 1))),
        key_bits(std::bit_width(static_cast<std::uint64_t>(range.second - range.first))) {
    dropped = std::max(0, key_bits + position_bits - 64);
  }
  bool fits_half() const { return key_bits + position_bits <= 32; }

  std::uint64_t mask() const { return (std::uint64_t{1} << position_bits) - 1; }
  std::int64_t position(std::uint64_t word) const {
    return static_cast<std::int64_t>(word & mask());
  }
  std::uint64_t key(std::uint64_t word) const { return word >> position_bits; }

  template <class W>
  void pack(const K* keys, std::int64_t count, W* words, bool parallel) const {
    in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
      pack_words(keys + first, words + first, last - first, first, least, dropped, position_bits);
    });
  }
  // Words and positions may be the same memory.
  template <class W>
  void unpack(const W* words, std::int64_t count, std::int64_t* positions, bool parallel) const {
    in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
      unpack_words(words + first, positions + first, last - first, static_cast<W>(mask()));
    });
  }
};

template <class W>
void sort_words(W* words, std::int64_t count, bool parallel) {
  if (parallel) {
    sort_keys(words, count);
  } else {
    vector_sort(words, count);
  }
}

// A run of words whose keys look the same, in the order of positions: in the order of the keys
// themselves, if these differ.
template <class K>
void settle_run(const K* keys, std::uint64_t* words, std::int64_t count,
                const Packing<K>& packing) {
  constexpr std::int64_t few = 32;
  const auto key_of = [&](std::uint64_t word) { return keys[packing.position(word)]; };
  const K first = key_of(words[0]);
  if (std::all_of(words, words + count, [&](auto word) { return key_of(word) == first; })) return;
  if (count <= few) {
    std::stable_sort(words, words + count, [&](auto a, auto b) { return key_of(a) < key_of(b); });
    return;
  }
  // They differ in the bits that were left out, so that all of them fit now.
  std::vector<K> own(static_cast<std::size_t>(count));
  std::transform(words, words + count, own.begin(), key_of);
  std::vector<std::int64_t> order(own.size());
  argsort_keys(own.data(), count, order.data(), false);
  const std::vector<std::uint64_t> old(words, words + count);
  for (std::size_t i = 0; i < order.size(); ++i) words[i] = old[static_cast<std::size_t>(order[i])];
}

template <class K>
void settle_ties(const K* keys, std::int64_t count, std::uint64_t* words, const Packing<K>& packing,
                 bool parallel) {
  if (!any_ties(words, count, packing.position_bits)) return;
  for_runs(
      count, parallel,
      [&](std::int64_t i, std::int64_t j) {
        return packing.key(words[i]) == packing.key(words[j]);
      },
      [&](std::int64_t first, std::int64_t last) {
        settle_run(keys, words + first, last - first, packing);
      });
}

template <class K>
void argsort_by_words(const K* keys, std::int64_t count, std::int64_t* positions,
                      const Packing<K>& packing, bool parallel) {
  if (packing.fits_half()) {
    const Workspace<std::uint32_t, Purpose::words> words(count, parallel);
    packing.pack(keys, count, words.data(), parallel);
    sort_words(words.data(), count, parallel);
    return packing.unpack(words.data(), count, positions, parallel);
  }
  auto* words = reinterpret_cast<std::uint64_t*>(positions);  // as wide, and may alias
  packing.pack(keys, count, words, parallel);
  sort_words(words, count, parallel);
  if (packing.dropped > 0) settle_ties(keys, count, words, packing, parallel);
  packing.unpack(words, count, positions, parallel);
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
  const K one = keys[positions[0]];
  if (std::ranges::all_of(positions, [&](auto p) { return keys[p] == one; })) return;
  std::sort(positions.begin(), positions.end(),
            [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 0; i < places.size(); ++i) {
    words[places[i]] = (shared << packing.position_bits) | static_cast<std::uint64_t>(positions[i]);
  }
}

template <class W>
void partition_words(W* words, std::int64_t count, std::span<const std::int64_t> ranks,
                     bool parallel) {
  if (parallel && count > long_to_select) {
    partition_keys(words, count, ranks);
  } else {
    partition_keys_here(words, count, ranks);
  }
}

}  // namespace

template <class K>
void argsort_keys(const K* keys, std::int64_t count, std::int64_t* positions, bool parallel) {
  constexpr std::int64_t worth_tables = 8 * 1024;  // fewer are sorted before tables are cleared
  if (std::is_sorted(keys, keys + count)) {        // elsewhere a look at the first few keys
    std::iota(positions, positions + count, std::int64_t{0});
    return;
  }
  if (sizeof(K) == 1 && count >= worth_tables) {
    return counting_argsort(keys, count, K{0}, 256, positions, parallel);
  }
  const Packing<K> packing(range_of(keys, count, parallel), count);
  if (count >= worth_tables && worth_counting(packing.key_bits, count)) {
    return counting_argsort(keys, count, packing.least, std::int64_t{1} << packing.key_bits,
                            positions, parallel);
  }
  if (!packing.fits_half() && argsort_few(keys, count, positions, parallel)) return;
  argsort_by_words(keys, count, positions, packing, parallel);
}

namespace {

// Rows of up to 256 keys, with positions in the low bits of words twice as wide: there is nothing
// to find out about any row. Of 64 bits the lowest give way; rows where they count are done again.
template <class K>
void argsort_short_rows(const K* keys, std::int64_t rows, std::int64_t length,
                        std::int64_t* positions) {
  using W = std::conditional_t<sizeof(K) == 1, std::uint16_t,
                               std::conditional_t<sizeof(K) == 2, std::uint32_t, std::uint64_t>>;
  constexpr int position_bits = 8, shift = sizeof(K) == 8 ? 0 : position_bits;
  constexpr W mask = (W{1} << position_bits) - 1;
  W* words = local_scratch<W, Purpose::words>(rows * length);
  for (std::int64_t first = 0; first < rows * length; first += length) {
    for (std::int64_t i = 0; i < length; ++i) {
      const W key = static_cast<W>(W{keys[first + i]} << shift);
      words[first + i] = static_cast<W>((key & ~mask) | static_cast<W>(i));
    }
  }
  if (is_short_row<W>(length)) {
    sort_short_rows(words, rows, length);
  } else {
    for (std::int64_t row = 0; row < rows; ++row) vector_sort(words + row * length, length);
  }
  for (std::int64_t i = 0; i < rows * length; ++i) positions[i] = words[i] & mask;
  if constexpr (sizeof(K) == 8) {
    if (!any_ties(words, rows * length, position_bits)) return;
    for (std::int64_t first = 0; first < rows * length; first += length) {
      auto* own = positions + first;
      const auto before = [&](auto i, auto j) { return keys[first + i] < keys[first + j]; };
      if (std::is_sorted(own, own + length, before)) continue;  // equal ones are in order
      std::iota(own, own + length, std::int64_t{0});
      std::stable_sort(own, own + length, before);
    }
  }
}

}  // namespace

template <class K>
void argsort_rows_here(const K* keys, std::int64_t rows, std::int64_t length,
                       std::int64_t* positions) {
  constexpr std::int64_t most = 256;
  if (length <= most && rows > 1) return argsort_short_rows(keys, rows, length, positions);
  for (std::int64_t row = 0; row < rows; ++row) {
    argsort_keys(keys + row * length, length, positions + row * length, false);
  }
}

namespace {

// The key of a rank where many keys are the same, which a sample shows: the one that it suggests or
// one of its neighbours there, if a look at all keys says so.
template <class K>
std::optional<K> frequent_key(const K* keys, std::int64_t count, std::int64_t rank) {
  constexpr std::int64_t samples = 63, worth_a_sample = 2048;
  if (count < worth_a_sample) return std::nullopt;
  std::array<K, samples> sample;
  const auto step = (count / samples - 1) | 1;
  for (std::int64_t i = 0; i < samples; ++i) sample[static_cast<std::size_t>(i)] = keys[i * step];
  vector_sort(sample.data(), samples);
  const K *first = sample.data(), *last = first + samples;
  const K* wanted = first + rank * (samples - 1) / (count - 1);
  for (int tries = 0; tries < 2; ++tries) {
    const auto same = std::equal_range(first, last, *wanted);
    if (tries == 0 && same.second - same.first < 4) return std::nullopt;
    const auto [below, equal] = sides_of(keys, count, *wanted);
    if (below <= rank && rank < below + equal) return *wanted;
    if (rank < below ? same.first == first : same.second == last) return std::nullopt;
    wanted = rank < below ? same.first - 1 : same.second;
  }
  return std::nullopt;
}

template <class K>
K key_of_rank(const K* keys, std::int64_t count, std::int64_t rank, bool parallel) {
  if (const auto found = frequent_key(keys, count, rank)) return *found;
  const Workspace<K, Purpose::words> scratch(count, parallel);
  K* own = scratch.data();
  if (parallel) {
    select_copy_in_parts(keys, own, count, rank);
  } else {
    std::copy_n(keys, count, own);
    vector_select(own, count, rank);
  }
  return own[rank];
}

// At one rank: its key is found first, then everybody goes to a side of it.
template <class K>
void argpartition_at(const K* keys, std::int64_t count, std::int64_t rank, std::int64_t* positions,
                     bool parallel) {
  const K pivot = key_of_rank(keys, count, rank, parallel);
  const auto pieces = parallel ? std::max<std::int64_t>(1, count / piece_keys) : 1;
  std::vector<std::pair<std::int64_t, std::int64_t>> sides(static_cast<std::size_t>(pieces));
  const auto begin = [&](std::int64_t piece) { return count * piece / pieces; };
  const auto in_pieces = [&](auto body) {
    if (pieces == 1) {
      body(std::int64_t{0});
    } else {
      parallel_for(pieces, true, body);
    }
  };
  in_pieces([&](std::int64_t piece) {
    sides[static_cast<std::size_t>(piece)] =
        sides_of(keys + begin(piece), begin(piece + 1) - begin(piece), pivot);
  });
  std::int64_t below = 0, same = 0;  // of all pieces
  for (const auto& [less, equal] : sides) {
    below += less;
    same += equal;
  }
  std::int64_t low = 0, middle = below;
  for (auto& [less, equal] : sides) {
    low += std::exchange(less, low);
    middle += std::exchange(equal, middle);
  }
  in_pieces([&](std::int64_t piece) {
    const auto [less, equal] = sides[static_cast<std::size_t>(piece)];
    const auto first = begin(piece);
    const auto above = below + same + (first - less - (equal - below));
    part_positions(keys + first, begin(piece + 1) - first, first, pivot, positions + less,
                   positions + equal, positions + above);
  });
}

}  // namespace

template <class K>
void argpartition_keys(const K* keys, std::int64_t count, std::span<const std::int64_t> ranks,
                       std::int64_t* positions, bool parallel) {
  if constexpr (sizeof(K) > 1) {
    if (ranks.size() == 1 && selects_by_vectors<K>()) {
      return argpartition_at(keys, count, ranks[0], positions, parallel && count > long_to_select);
    }
  } else {
    if (parallel) return argsort_keys(keys, count, positions, true);
  }
  constexpr std::size_t few_ranks = 4;  // each looks at everything once more
  const Packing<K> packing(range_of(keys, count, parallel), count);
  if (packing.fits_half()) {
    const Workspace<std::uint32_t, Purpose::words> words(count, parallel);
    packing.pack(keys, count, words.data(), parallel);
    partition_words(words.data(), count, ranks, parallel);
    return packing.unpack(words.data(), count, positions, parallel);
  }
  if (packing.dropped > 0 && ranks.size() > few_ranks) {
    return argsort_keys(keys, count, positions, parallel);
  }
  auto* words = reinterpret_cast<std::uint64_t*>(positions);
  packing.pack(keys, count, words, parallel);
  partition_words(words, count, ranks, parallel);
  if (packing.dropped > 0) {
    for (const auto rank : ranks) settle_rank(keys, count, words, packing, rank);
  }
  packing.unpack(words, count, positions, parallel);
}

#define HEDDLE_INSTANTIATE(K)                                                               \
  template void argsort_keys<K>(const K*, std::int64_t, std::int64_t*, bool);               \
  template void argsort_rows_here<K>(const K*, std::int64_t, std::int64_t, std::int64_t*);  \
  template void argpartition_keys<K>(const K*, std::int64_t, std::span<const std::int64_t>, \
                                     std::int64_t*, bool);
HEDDLE_INSTANTIATE(std::uint8_t)
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::cpu
