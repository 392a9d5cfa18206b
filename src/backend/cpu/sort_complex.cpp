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

bool has_nan(Word element) {
  const auto is_nan = [](Word bits) { return (bits & 0x7fffffff) > 0x7f800000; };
  return is_nan(element) || is_nan(element >> 32);
}
bool has_nan(const Bits128& element) {
  const auto re = std::bit_cast<double>(element.re), im = std::bit_cast<double>(element.im);
  return re != re || im != im;
}

// Whether one of the first few has a part that is: most rows with nans are told by these.
template <class E>
bool begins_with_nans(const E* from, std::int64_t count) {
  constexpr std::int64_t few = 16;
  return std::any_of(from, from + std::min(count, few), [](const E& e) { return has_nan(e); });
}

// --- two float32 in a word ---

bool to_words(const Word* from, Word* to, std::int64_t count, bool parallel) {
  if (begins_with_nans(from, count)) return false;
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

// All positions, which are in the order of first keys.
void settle_seconds(const Word* first, const Word* second, std::int64_t* positions,
                    std::int64_t count, bool parallel) {
  for_runs(
      count, parallel, [&](auto i, auto j) { return first[positions[i]] == first[positions[j]]; },
      [&](std::int64_t begin, std::int64_t end) {
        sort_seconds(second, positions + begin, end - begin);
      });
}

// Positions that are partitioned by first keys: those that share one with a rank are put in order
// by their second keys, each in one of the places that they have now.
void settle_ranks(const Word* first, const Word* second, std::int64_t* positions,
                  std::int64_t count, std::span<const std::int64_t> ranks) {
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

// At one rank: its real part is found first, then every element goes to a side of it. `to` is other
// memory, and no part is nan. False where the real part is zero, whose sign does not count.
bool partition_at(const Bits128* from, Bits128* to, std::int64_t count, std::int64_t rank) {
  auto* parts = local_scratch<double, Purpose::words>(count);
  for (std::int64_t i = 0; i < count; ++i) parts[i] = std::bit_cast<double>(from[i].re) + 0.0;
  vector_select(parts, count, rank);
  const double pivot = parts[rank];
  if (pivot == 0) return false;
  auto* same = local_scratch<Bits128, Purpose::same>(count);
  const auto parted = part_pairs(parts_of(from), count, pivot, pivot, reinterpret_cast<Word*>(to),
                                 reinterpret_cast<Word*>(same));
  if (parted.between > 1) sort_imaginary(same, parted.between);
  std::copy_n(same, parted.between, to + parted.before);
  return true;
}

// The same with less to do: a sample says between which two real parts the one of the rank is, and
// everybody else has a side. False where the sample does not tell, or a part is nan.
bool partition_by_sample(const Bits128* from, Bits128* to, std::int64_t count, std::int64_t rank) {
  constexpr std::int64_t most = 511;
  const auto samples = std::clamp<std::int64_t>(count / 8, 31, most) | 1;
  const auto step = std::max<std::int64_t>(1, count / samples - 1) | 1;
  std::array<double, most> sample;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto re = std::bit_cast<double>(from[i * step % count].re);
    if (re != re) return false;
    sample[static_cast<std::size_t>(i)] = re + 0.0;  // not -0.0
  }
  vector_sort(sample.data(), samples);
  const auto deviation = std::sqrt(static_cast<double>(samples)) / 2;
  const auto margin = static_cast<std::int64_t>(2.5 * deviation) + 1;
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
  return partition_at(between, to + parted.before, parted.between, place_between);
}

template <class E>
void partition_by_positions(const E* from, E* to, std::int64_t count,
                            std::span<const std::int64_t> ranks, bool parallel) {
  const Workspace<std::int64_t, Purpose::positions> positions(count, parallel);
  argpartition_complex(from, positions.data(), count, ranks, parallel);
  gather(from, positions.data(), to, count, parallel);
}

// Elements with nans are behind all others: where the ranks are among those, only they are
// partitioned. False else, and where there are none.
template <class E>
bool partition_before_nans(const E* from, E* to, std::int64_t count,
                           std::span<const std::int64_t> ranks) {
  E* numbers = local_scratch<E, Purpose::numbers>(count);
  E *next = numbers, *last = to + count;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_nan = has_nan(from[i]);
    *next = from[i];
    last[-1] = from[i];  // both: nobody can guess
    next += is_nan ? 0 : 1;
    last -= is_nan ? 1 : 0;
  }
  const auto found = next - numbers;
  if (found == count || ranks.back() >= found) return false;
  partition_complex(numbers, to, found, ranks, false);
  return true;
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
    settle_seconds(first, second, positions, count, parallel);
  });
}

template <>
void argsort_complex_rows(const Word* from, std::int64_t* positions, std::int64_t rows,
                          std::int64_t length) {
  with_keys(from, rows * length, false,
            [&](const Word* keys) { argsort_rows_here(keys, rows, length, positions); });
}

template <>
void argsort_complex_rows(const Bits128* from, std::int64_t* positions, std::int64_t rows,
                          std::int64_t length) {
  with_keys(from, rows * length, false, [&](const Word* first, const Word* second) {
    argsort_rows_here(first, rows, length, positions);
    for (std::int64_t row = 0; row < rows * length; row += length) {
      settle_seconds(first + row, second + row, positions + row, length, false);
    }
  });
}

template <>
void sort_complex_rows(const Word* from, Word* to, std::int64_t rows, std::int64_t length) {
  for (std::int64_t row = 0; row < rows * length; row += length) {
    sort_complex(from + row, to + row, length, false);
  }
}

// Of short rows positions are found quickly, for many rows at once.
template <>
void sort_complex_rows(const Bits128* from, Bits128* to, std::int64_t rows, std::int64_t length) {
  constexpr std::int64_t few = 64;
  if (length > few || rows == 1) {
    for (std::int64_t row = 0; row < rows * length; row += length) {
      sort_complex(from + row, to + row, length, false);
    }
    return;
  }
  auto* positions = local_scratch<std::int64_t, Purpose::positions>(rows * length);
  argsort_complex_rows(from, positions, rows, length);
  for (std::int64_t row = 0; row < rows * length; row += length) {
    gather(from + row, positions + row, to + row, length, false);
  }
}

template <>
void partition_complex(const Word* from, Word* to, std::int64_t count,
                       std::span<const std::int64_t> ranks, bool parallel) {
  if (!to_words(from, to, count, parallel)) {
    if (!parallel && partition_before_nans(from, to, count, ranks)) return;
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
  if (!parallel && partition_before_nans(from, to, count, ranks)) return;
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
    settle_ranks(first, second, positions, count, ranks);
  });
}

template <>
void argpartition_complex_rows(const Word* from, std::int64_t* positions, std::int64_t rows,
                               std::int64_t length, std::span<const std::int64_t> ranks) {
  with_keys(from, rows * length, false, [&](const Word* keys) {
    for (std::int64_t row = 0; row < rows * length; row += length) {
      argpartition_keys(keys + row, length, ranks, positions + row, false);
    }
  });
}

template <>
void argpartition_complex_rows(const Bits128* from, std::int64_t* positions, std::int64_t rows,
                               std::int64_t length, std::span<const std::int64_t> ranks) {
  with_keys(from, rows * length, false, [&](const Word* first, const Word* second) {
    for (std::int64_t row = 0; row < rows * length; row += length) {
      argpartition_keys(first + row, length, ranks, positions + row, false);
      settle_ranks(first + row, second + row, positions + row, length, ranks);
    }
  });
}

}  // namespace heddle::cpu
