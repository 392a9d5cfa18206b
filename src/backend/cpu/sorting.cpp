#include "backend/cpu/sorting.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "backend/cpu/by_width.h"
#include "backend/cpu/sort_elements.h"
#include "backend/cpu/sort_keys.h"
#include "backend/cpu/sort_positions.h"
#include "backend/cpu/sort_scratch.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

constexpr std::int64_t worth_releasing = 4096;  // keys: others may run meanwhile

template <class K>
K* data_of(const Keys& keys) {
  return static_cast<K*>(keys.buffer->data());
}

// How many of some sorted elements are before each of many values; the map makes keys of both that
// compare. Keys that are floats may be nans: these are last, and equal.
template <bool right, class E, class Map>
class Search {
 public:
  Search(const E* sorted, std::int64_t count, Map map)
      : sorted_(sorted), count_(count), map_(map) {}

  // Several searches go on at once, so that their waits for memory overlap. Values that are near
  // one another, sorted ones say, need only a part of what is searched: of all of them, and of each
  // few what those before needed.
  void find(const E* values, std::int64_t count, std::int64_t* positions) {
    narrow(values, count);
    std::int64_t near = begin_, i = 0;
    for (; i + lanes <= count; i += lanes) find_few(values + i, near, positions + i);
    if (i == count) return;
    E rest[lanes];
    std::fill(std::copy(values + i, values + count, rest), rest + lanes, values[i]);
    std::int64_t found[lanes];
    find_few(rest, near, found);
    std::copy_n(found, count - i, positions + i);
  }

 private:
  using K = std::invoke_result_t<Map, E>;
  // As wide as keys: compilers make vector code of comparisons then.
  using Flag = std::conditional_t<sizeof(K) == 8, std::int64_t,
                                  std::conditional_t<sizeof(K) == 4, std::int32_t, K>>;
  static constexpr int lanes = 16;
  static constexpr K highest = std::is_floating_point_v<K> ? std::numeric_limits<K>::infinity()
                                                           : std::numeric_limits<K>::max();
  static constexpr K lowest =
      std::is_floating_point_v<K> ? -highest : std::numeric_limits<K>::min();

  static bool is_before(K other, K value) { return right ? other <= value : other < value; }
  K key(std::int64_t place) const { return map_(sorted_[place]); }
  // Whether the positions of some values are all in [first, last].
  bool holds(std::int64_t first, std::int64_t last, const K* value) const {
    const K low = first == begin_ ? K{} : key(first - 1), high = last == end_ ? K{} : key(last);
    Flag below = 0, above = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      below |= is_before(low, value[lane]) ? Flag{0} : Flag{1};
      above |= is_before(high, value[lane]) ? Flag{1} : Flag{0};
    }
    return (first == begin_ || !below) && (last == end_ || !above);
  }

  void narrow(const E* values, std::int64_t count) {
    // Several extremes at once: none waits for the one before it.
    constexpr int chains = 8;
    K least[chains], most[chains];
    std::fill_n(least, chains, highest);
    std::fill_n(most, chains, lowest);
    std::int64_t i = 0;
    auto widen = [&](int chain) {
      const K value = map_(values[i + chain]);
      least[chain] = std::min(least[chain], value);
      most[chain] = std::max(most[chain], value);
    };
    for (; i + chains <= count; i += chains) {
      for (int chain = 0; chain < chains; ++chain) widen(chain);
    }
    for (; i < count; ++i) widen(0);
    const auto all = end_;
    begin_ = find_one(0, all, *std::min_element(least, least + chains));
    end_ = std::max(begin_, find_one(begin_, all, *std::max_element(most, most + chains)));
  }

  std::int64_t find_one(std::int64_t first, std::int64_t last, K value) const {
    while (first < last) {
      const auto half = (last - first + 1) / 2;
      if (is_before(key(first + half - 1), value)) {
        first += half;
      } else {
        last = first + half - 1;
      }
    }
    return first;
  }

  void find_few(const E* values, std::int64_t& near, std::int64_t* found) const {
    constexpr std::int64_t window = 15;
    K value[lanes];
    for (int lane = 0; lane < lanes; ++lane) value[lane] = map_(values[lane]);
    const auto last = std::min(near + window, end_);
    if (holds(near, near, value)) {
      std::fill_n(found, lanes, near);
    } else if (holds(near, last, value)) {
      search(value, near, last - near, found);
    } else {
      search(value, begin_, end_ - begin_, found);
    }
    near = found[lanes - 1];
    if constexpr (std::is_floating_point_v<K>) place_nans(value, found);
  }

  void search(const K* value, std::int64_t first, std::int64_t rest, std::int64_t* found) const {
    std::fill_n(found, lanes, first);
    while (rest > 0) {
      const auto half = (rest + 1) / 2;
      for (int lane = 0; lane < lanes; ++lane) {
        found[lane] += is_before(key(found[lane] + half - 1), value[lane]) ? half : 0;
      }
      rest -= half;
    }
  }

  void place_nans(const K* value, std::int64_t* found) const {
    Flag any = 0;
    for (int lane = 0; lane < lanes; ++lane) any |= value[lane] != value[lane] ? Flag{1} : Flag{0};
    if (!any) return;
    for (int lane = 0; lane < lanes; ++lane) {
      if (value[lane] != value[lane]) found[lane] = right ? count_ : first_nan();
    }
  }
  std::int64_t first_nan() const {
    return std::partition_point(sorted_, sorted_ + count_, [](E e) { return e == e; }) - sorted_;
  }

  const E* sorted_;
  std::int64_t count_;
  std::int64_t begin_ = 0, end_ = count_;  // what has to be searched
  Map map_;
};

// Into one of several tables after the other: an addition need not wait for the one before it,
// which often is to the same bin.
template <class K>
void count_range(const K* bins, std::int64_t first, std::int64_t last, std::int64_t* totals,
                 std::int64_t total_count) {
  constexpr std::int64_t tables = 4, most = 1024;
  auto i = first;
  if (total_count <= most && last - first >= tables * total_count) {
    std::int64_t counts[tables * most];
    std::fill_n(counts, tables * total_count, 0);
    for (; i + tables <= last; i += tables) {
      for (std::int64_t t = 0; t < tables; ++t) {
        ++counts[t * total_count + static_cast<std::int64_t>(bins[i + t])];
      }
    }
    for (std::int64_t b = 0; b < tables * total_count; ++b) totals[b % total_count] += counts[b];
  }
  for (; i < last; ++i) ++totals[bins[i]];
}

// Pieces count on their own and are added up in order. They do not depend on the number of cores,
// so neither do sums of weights.
// count(first, last, totals) adds a range of elements to totals.
template <class T, class F>
void count_all(std::int64_t size, T* totals, std::int64_t total_count, F count) {
  const auto piece = std::max<std::int64_t>(4 * serial_work, 4 * total_count);
  const auto pieces = (size + piece - 1) / piece;
  std::fill_n(totals, total_count, T{});
  if (pieces == 1) return count(0, size, totals);
  std::vector<T> parts(static_cast<std::size_t>(pieces * total_count));
  parallel_for(pieces, true, [&](std::int64_t i) {
    count(i * piece, std::min(size, (i + 1) * piece),
          &parts[static_cast<std::size_t>(i * total_count)]);
  });
  for (std::int64_t i = 0; i < pieces; ++i) {
    const T* part = &parts[static_cast<std::size_t>(i * total_count)];
    for (std::int64_t b = 0; b < total_count; ++b) totals[b] += part[b];
  }
}

class CpuSorting final : public Sorting {
 public:
  void sort(const Keys& keys) override {
    BlockingScope blocking(keys.size() >= worth_releasing);
    by_width(keys.width, [&]<class K>(K) {
      K* data = data_of<K>(keys);
      for_rows(
          keys.rows, keys.length, [&](std::int64_t first) { sort_keys(data + first, keys.length); },
          [&](std::int64_t first, std::int64_t rows) {
            sort_rows_here(data + first, rows, keys.length);
          });
    });
  }

  bool sorts_elements() const override { return true; }
  void sort_elements(const Elements& elements, Buffer& sorted) override {
    BlockingScope blocking(elements.size() >= worth_releasing);
    cpu::sort_elements(elements, sorted);
  }
  void argsort_elements(const Elements& elements, Buffer& positions) override {
    BlockingScope blocking(elements.size() >= worth_releasing);
    cpu::argsort_elements(elements, positions);
  }
  void partition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                          Buffer& partitioned) override {
    BlockingScope blocking(elements.size() >= worth_releasing);
    cpu::partition_elements(elements, ranks, partitioned);
  }
  void argpartition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                             Buffer& positions) override {
    BlockingScope blocking(elements.size() >= worth_releasing);
    cpu::argpartition_elements(elements, ranks, positions);
  }

  void argsort(const Keys& keys, Buffer& positions) override {
    BlockingScope blocking(keys.size() >= worth_releasing);
    by_width(keys.width, [&]<class K>(K) {
      const K* data = data_of<K>(keys);
      auto* to = static_cast<std::int64_t*>(positions.data());
      for_rows(
          keys.rows, keys.length,
          [&](std::int64_t first) { argsort_keys(data + first, keys.length, to + first, true); },
          [&](std::int64_t first, std::int64_t rows) {
            argsort_rows_here(data + first, rows, keys.length, to + first);
          });
    });
  }

  void select(const Keys& keys, std::span<const std::int64_t> ranks) override {
    BlockingScope blocking(keys.size() >= worth_releasing);
    by_width(keys.width, [&]<class K>(K) {
      K* data = data_of<K>(keys);
      // Put in place when all rows are done: they cover other keys.
      std::vector<K> found;
      for_rows(
          keys.rows, keys.length,
          [&](std::int64_t first) {
            const auto before = found.size();
            found.resize(before + ranks.size());
            select_keys(data + first, keys.length, ranks, found.data() + before);
          },
          [&](std::int64_t first, std::int64_t rows) {
            sort_rows_here(data + first, rows, keys.length);
          });
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i / ranks.size());
        data[row * keys.length + ranks[i % ranks.size()]] = found[i];
      }
    });
  }

  void partition(const Keys& keys, std::span<const std::int64_t> ranks) override {
    BlockingScope blocking(keys.size() >= worth_releasing);
    by_width(keys.width, [&]<class K>(K) {
      K* data = data_of<K>(keys);
      for_rows(
          keys.rows, keys.length,
          [&](std::int64_t first) { partition_keys(data + first, keys.length, ranks); },
          [&](std::int64_t first, std::int64_t rows) {
            if (keys.length <= short_to_select || keys.width == 1)
              return sort_rows_here(data + first, rows, keys.length);
            for (std::int64_t row = 0; row < rows; ++row)
              partition_keys_here(data + first + row * keys.length, keys.length, ranks);
          });
    });
  }

  void argpartition(const Keys& keys, std::span<const std::int64_t> ranks,
                    Buffer& positions) override {
    BlockingScope blocking(keys.size() >= worth_releasing);
    by_width(keys.width, [&]<class K>(K) {
      const K* data = data_of<K>(keys);
      auto* to = static_cast<std::int64_t*>(positions.data());
      for_rows(
          keys.rows, keys.length,
          [&](std::int64_t first) {
            argpartition_keys(data + first, keys.length, ranks, to + first, true);
          },
          [&](std::int64_t first, std::int64_t rows) {
            argsort_rows_here(data + first, rows, keys.length, to + first);
          });
    });
  }

  void search(const Keys& sorted, const Keys& values, const KeyMap& map, bool right,
              Buffer& positions) override {
    constexpr std::int64_t step = 1024;
    BlockingScope blocking(4 * values.size() >= worth_releasing);
    by_width(sorted.width, [&]<class K>(K) {
      auto* to = static_cast<std::int64_t*>(positions.data());
      auto run = [&]<class E>(const E* row, const E* wanted, auto key) {
        in_parallel((values.size() + step - 1) / step, 4 * values.size(), [&](std::int64_t piece) {
          const auto first = piece * step, count = std::min(step, values.size() - first);
          if (right) {
            Search<true, E, decltype(key)>(row, sorted.length, key)
                .find(wanted + first, count, to + first);
          } else {
            Search<false, E, decltype(key)>(row, sorted.length, key)
                .find(wanted + first, count, to + first);
          }
        });
      };
      if (map.infinity == 0) {  // the code of integers has no branch
        run(data_of<K>(sorted), data_of<K>(values),
            [flip = static_cast<K>(map.flip)](K bits) { return static_cast<K>(bits ^ flip); });
      } else if constexpr (sizeof(K) >= 4) {  // what the machine compares
        using F = std::conditional_t<sizeof(K) == 4, float, double>;
        run(data_of<F>(sorted), data_of<F>(values), [](F value) { return value; });
      } else {
        run(data_of<K>(sorted), data_of<K>(values), map);
      }
    });
  }

  void count(const Keys& bins, Buffer* weights, Buffer& totals, std::int64_t total_count) override {
    BlockingScope blocking(bins.size() >= 4 * worth_releasing);
    by_width(bins.width, [&]<class K>(K) {
      const K* places = data_of<K>(bins);
      if (weights) {
        const auto* weight = static_cast<const double*>(weights->data());
        count_all(bins.size(), static_cast<double*>(totals.data()), total_count,
                  [&](std::int64_t first, std::int64_t last, double* sums) {
                    for (auto i = first; i < last; ++i) sums[places[i]] += weight[i];
                  });
      } else {
        count_all(bins.size(), static_cast<std::int64_t*>(totals.data()), total_count,
                  [&](std::int64_t first, std::int64_t last, std::int64_t* counts) {
                    count_range(places, first, last, counts, total_count);
                  });
      }
    });
  }
};

}  // namespace

Sorting& sorting() {
  static auto* instance = new CpuSorting;
  return *instance;
}

}  // namespace heddle::cpu
