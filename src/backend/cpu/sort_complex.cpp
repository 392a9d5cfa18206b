#include "backend/cpu/sort_complex.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/cpu/sort_counting.h"
#include "backend/cpu/sort_few.h"
#include "backend/cpu/sort_keys.h"
#include "backend/cpu/sort_positions.h"
#include "backend/cpu/sort_scratch.h"
#include "backend/cpu/vector_sort.h"
#include "runtime/sorting.h"

namespace heddle::cpu {

namespace {

using Word = std::uint64_t;
constexpr KeyMap doubles{.infinity = 0x7ff0000000000000};

const Word* parts_of(const Bits128* elements) { return reinterpret_cast<const Word*>(elements); }

template <class E>
void gather(const E* from, const std::int64_t* positions, E* to, std::int64_t count,
            bool parallel) {
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first; i < last; ++i) to[i] = from[positions[i]];
  });
}

// body(first, last) for ranges; whether all of them say so.
template <class F>
bool everywhere(std::int64_t count, bool parallel, F body) {
  std::atomic<bool> all{true};
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    if (!body(first, last)) all = false;
  });
  return all;
}

// --- two float32 in a word ---

bool to_words(const Word* from, Word* to, std::int64_t count, bool parallel) {
  return everywhere(count, parallel, [&](std::int64_t first, std::int64_t last) {
    return to_pair_words(from + first, to + first, last - first);
  });
}

void to_elements_again(Word* words, std::int64_t count, bool parallel) {
  in_ranges(count, parallel,
            [&](std::int64_t first, std::int64_t last) { to_pairs(words + first, last - first); });
}

// f(keys): in the order of the elements.
template <class F>
void with_keys(const Word* from, std::int64_t count, bool parallel, F f) {
  const Workspace<Word, Purpose::keys> keys(count, parallel);
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    to_equal_pair_words(from + first, keys.data() + first, last - first);
  });
  f(keys.data());
}

// --- two float64 ---

// f(first keys, second keys)
template <class F>
void with_keys(const Bits128* from, std::int64_t count, bool parallel, F f) {
  const Workspace<Word, Purpose::keys> first(count, parallel);
  const Workspace<Word, Purpose::seconds> second(count, parallel);
  in_ranges(count, parallel, [&](std::int64_t begin, std::int64_t end) {
    to_both_keys(parts_of(from + begin), first.data() + begin, second.data() + begin, end - begin);
  });
  f(first.data(), second.data());
}

// f(keys of the real parts) where these and the imaginary parts as they are say the order.
template <class F>
bool with_first_keys(const Bits128* from, std::int64_t count, bool parallel, F f) {
  const Workspace<Word, Purpose::keys> first(count, parallel);
  const bool plain = everywhere(count, parallel, [&](std::int64_t begin, std::int64_t end) {
    return to_first_keys(parts_of(from + begin), first.data() + begin, end - begin);
  });
  if (plain) f(first.data());
  return plain;
}

// Sorts elements with the same real part.
void sort_imaginary(Bits128* elements, std::int64_t count) {
  const auto before = [](const Bits128& a, const Bits128& b) {
    return doubles.distinct(a.im) < doubles.distinct(b.im);
  };
  if (count <= 8) return std::sort(elements, elements + count, before);
  Word* keys = local_scratch<Word, Purpose::seconds>(count);
  for (std::int64_t i = 0; i < count; ++i) keys[i] = elements[i].im;
  to_keys(keys, keys, count, doubles);
  if (!sort_few(keys, keys, count, {}, false)) vector_sort(keys, count);
  to_elements(keys, count, doubles);
  for (std::int64_t i = 0; i < count; ++i) elements[i].im = keys[i];
}

// The places of elements with the real part of the one at `rank` get them in order.
void settle_rank(Bits128* elements, std::int64_t count, std::int64_t rank) {
  const auto shared = elements[rank].re;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < count; ++i) {
    if (elements[i].re == shared) places.push_back(i);
  }
  if (places.size() == 1) return;
  std::vector<Bits128> found;
  for (const auto place : places) found.push_back(elements[place]);
  sort_imaginary(found.data(), std::ssize(found));
  for (std::size_t i = 0; i < places.size(); ++i) elements[places[i]] = found[i];
}

// Positions of the same first key in the order of their second ones, stably.
void sort_seconds(const Word* second, std::int64_t* positions, std::int64_t count) {
  const auto before = [&](auto a, auto b) { return second[a] < second[b]; };
  if (std::is_sorted(positions, positions + count, before)) return;
  if (count <= 32) return std::stable_sort(positions, positions + count, before);
  std::vector<Word> keys;
  for (std::int64_t i = 0; i < count; ++i) keys.push_back(second[positions[i]]);
  std::vector<std::int64_t> order(keys.size());
  argsort_keys(keys.data(), count, order.data(), false);
  const std::vector<std::int64_t> old(positions, positions + count);
  for (std::int64_t i = 0; i < count; ++i) {
    positions[i] = old[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  }
}

// Few elements, by comparing them one by one; false where a part is nan.
bool partition_few(const Bits128* from, Bits128* to, std::int64_t count,
                   std::span<const std::int64_t> ranks) {
  struct Parts {
    double re, im;
  };
  auto* elements = reinterpret_cast<Parts*>(std::copy_n(from, count, to) - count);
  const auto is_number = [](const Parts& e) { return e.re == e.re && e.im == e.im; };
  if (!std::all_of(elements, elements + count, is_number)) return false;
  const auto before = [](const Parts& a, const Parts& b) {
    return a.re < b.re || (a.re == b.re && a.im < b.im);
  };
  std::int64_t done = 0;
  for (const auto rank : ranks) {
    if (rank < done) continue;  // the same again
    std::nth_element(elements + done, elements + rank, elements + count, before);
    done = rank + 1;
  }
  return true;
}

// At one rank: its real part is found first, then every element goes to a side of it.
void partition_at(const Bits128* from, const Word* first, Bits128* to, std::int64_t count,
                  std::int64_t rank) {
  Word* own = local_scratch<Word, Purpose::words>(count);
  std::copy_n(first, count, own);
  vector_select(own, count, rank);
  const Word pivot = own[rank];
  const auto [below, same] = sides_of(first, count, pivot);
  Bits128 *low = to, *middle = to + below, *high = middle + same;
  for (std::int64_t i = 0; i < count; ++i) {
    // No jumps: nobody can guess them.
    const bool is_low = first[i]<pivot, is_high = first[i]> pivot;
    Bits128* place = is_low ? low : is_high ? high : middle;
    *place = from[i];
    low += is_low;
    high += is_high;
    middle += !is_low && !is_high;
  }
  if (same > 1) sort_imaginary(to + below, same);
}

// The same with less to do: a sample says between which two real parts the one of the rank is, and
// everybody else has a side. False where the sample does not tell, or a part is nan.
bool partition_by_sample(const Bits128* from, Bits128* to, std::int64_t count, std::int64_t rank) {
  constexpr std::int64_t most = 511;
  const auto samples = std::clamp<std::int64_t>(count / 16, 31, most) | 1;
  const auto step = std::max<std::int64_t>(1, count / samples - 1) | 1;
  std::array<double, most> sample;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto re = std::bit_cast<double>(from[i * step % count].re);
    if (re != re) return false;
    sample[static_cast<std::size_t>(i)] = re + 0.0;  // not -0.0
  }
  vector_sort(sample.data(), samples);
  const auto deviations = 3 * std::sqrt(static_cast<double>(samples)) / 2;
  const auto margin = static_cast<std::int64_t>(deviations) + 1;
  const auto place = rank * (samples - 1) / (count - 1);
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  const auto least = place < margin ? -infinity : sample[static_cast<std::size_t>(place - margin)];
  const auto greatest =
      place + margin >= samples ? infinity : sample[static_cast<std::size_t>(place + margin)];
  auto* between = local_scratch<Bits128, Purpose::seconds>(count);
  const auto parted = part_pairs(parts_of(from), count, least, greatest,
                                 reinterpret_cast<Word*>(to), reinterpret_cast<Word*>(between));
  const auto place_between = rank - parted.before;
  if (!parted.numbers || place_between < 0 || place_between >= parted.between) return false;
  return with_first_keys(between, parted.between, false, [&](const Word* first) {
    partition_at(between, first, to + parted.before, parted.between, place_between);
  });
}

template <class E>
void partition_by_positions(const E* from, E* to, std::int64_t count,
                            std::span<const std::int64_t> ranks, bool parallel) {
  const Workspace<std::int64_t, Purpose::positions> positions(count, parallel);
  argpartition_complex(from, positions.data(), count, ranks, parallel);
  gather(from, positions.data(), to, count, parallel);
}

template <class E>
void sort_by_positions(const E* from, E* to, std::int64_t count, bool parallel) {
  const Workspace<std::int64_t, Purpose::positions> positions(count, parallel);
  argsort_complex(from, positions.data(), count, parallel);
  gather(from, positions.data(), to, count, parallel);
}

}  // namespace

template <>
void sort_complex(const Word* from, Word* to, std::int64_t count, bool parallel) {
  if (!to_words(from, to, count, parallel)) return sort_by_positions(from, to, count, parallel);
  if (!std::is_sorted(to, to + count) && !sort_few(to, to, count, {}, parallel)) {
    if (parallel) {
      sort_keys(to, count);
    } else {
      vector_sort(to, count);
    }
  }
  to_elements_again(to, count, parallel);
}

template <>
void sort_complex(const Bits128* from, Bits128* to, std::int64_t count, bool parallel) {
  const bool done = with_first_keys(from, count, parallel, [&](const Word* first) {
    const Workspace<std::int64_t, Purpose::positions> positions(count, parallel);
    argsort_keys(first, count, positions.data(), parallel);
    gather(from, positions.data(), to, count, parallel);
    for_runs(
        count, parallel, [&](auto i, auto j) { return to[i].re == to[j].re; },
        [&](std::int64_t begin, std::int64_t end) { sort_imaginary(to + begin, end - begin); });
  });
  if (!done) sort_by_positions(from, to, count, parallel);
}

template <>
void argsort_complex(const Word* from, std::int64_t* positions, std::int64_t count, bool parallel) {
  with_keys(from, count, parallel,
            [&](const Word* keys) { argsort_keys(keys, count, positions, parallel); });
}

template <>
void argsort_complex(const Bits128* from, std::int64_t* positions, std::int64_t count,
                     bool parallel) {
  with_keys(from, count, parallel, [&](const Word* first, const Word* second) {
    argsort_keys(first, count, positions, parallel);
    for_runs(
        count, parallel, [&](auto i, auto j) { return first[positions[i]] == first[positions[j]]; },
        [&](std::int64_t begin, std::int64_t end) {
          sort_seconds(second, positions + begin, end - begin);
        });
  });
}

template <>
void partition_complex(const Word* from, Word* to, std::int64_t count,
                       std::span<const std::int64_t> ranks, bool parallel) {
  if (!to_words(from, to, count, parallel)) {
    return partition_by_positions(from, to, count, ranks, parallel);
  }
  if (parallel && count > long_to_select) {
    partition_keys(to, count, ranks);
  } else {
    partition_keys_here(to, count, ranks);
  }
  to_elements_again(to, count, parallel);
}

template <>
void partition_complex(const Bits128* from, Bits128* to, std::int64_t count,
                       std::span<const std::int64_t> ranks, bool parallel) {
  constexpr std::int64_t few = 64;
  if (count <= few && partition_few(from, to, count, ranks)) return;
  if (ranks.size() == 1 && !parallel && partition_by_sample(from, to, count, ranks[0])) return;
  const bool done = with_first_keys(from, count, parallel, [&](const Word* first) {
    const Workspace<std::int64_t, Purpose::positions> positions(count, parallel);
    argpartition_keys(first, count, ranks, positions.data(), parallel);
    gather(from, positions.data(), to, count, parallel);
    for (const auto rank : ranks) settle_rank(to, count, rank);
  });
  if (!done) partition_by_positions(from, to, count, ranks, parallel);
}

template <>
void argpartition_complex(const Word* from, std::int64_t* positions, std::int64_t count,
                          std::span<const std::int64_t> ranks, bool parallel) {
  const Workspace<Word, Purpose::keys> keys(count, parallel);
  // Zeros of both signs may be in any order.
  if (to_words(from, keys.data(), count, parallel)) {
    return argpartition_keys(keys.data(), count, ranks, positions, parallel);
  }
  with_keys(from, count, parallel, [&](const Word* equal_keys) {
    argpartition_keys(equal_keys, count, ranks, positions, parallel);
  });
}

template <>
void argpartition_complex(const Bits128* from, std::int64_t* positions, std::int64_t count,
                          std::span<const std::int64_t> ranks, bool parallel) {
  with_keys(from, count, parallel, [&](const Word* first, const Word* second) {
    argpartition_keys(first, count, ranks, positions, parallel);
    std::vector<std::int64_t> places, found;
    for (const auto rank : ranks) {
      const auto shared = first[positions[rank]];
      if (sides_of(first, count, shared).second == 1) continue;
      places.clear();
      found.clear();
      for (std::int64_t i = 0; i < count; ++i) {
        if (first[positions[i]] != shared) continue;
        places.push_back(i);
        found.push_back(positions[i]);
      }
      sort_seconds(second, found.data(), std::ssize(found));
      for (std::size_t i = 0; i < places.size(); ++i) positions[places[i]] = found[i];
    }
  });
}

}  // namespace heddle::cpu
