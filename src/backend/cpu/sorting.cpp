#include "backend/cpu/sorting.h"

#include <algorithm>
#include <vector>

#include "backend/cpu/parallel.h"
#include "backend/cpu/sort_keys.h"
#include "runtime/device.h"

namespace heddle::cpu {

namespace {

constexpr std::int64_t serial_work = 32 * 1024;  // less is not worth waking other cores
constexpr std::int64_t long_row = 256 * 1024;    // all cores work on one row

template <class F>
void by_width(int width, F f) {
  switch (width) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

template <class K>
K* data_of(const Keys& keys) {
  return static_cast<K*>(keys.buffer->data());
}

// Calls body(piece) for all pieces; on all cores if there is enough to do.
template <class F>
void in_parallel(std::int64_t pieces, std::int64_t work, F body) {
  if (work <= serial_work || pieces == 1) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) body(piece);
  } else {
    parallel_for(pieces, true, body);
  }
}

// Rows, each by all cores or many at once: all(first key of a row), or here(first key, rows).
template <class All, class Here>
void for_rows(const Keys& keys, All all, Here here) {
  if (keys.length >= long_row || (keys.rows == 1 && keys.length > serial_work)) {
    for (std::int64_t row = 0; row < keys.rows; ++row) all(row * keys.length);
    return;
  }
  const auto step = std::max<std::int64_t>(1, serial_work / 4 / keys.length);
  in_parallel((keys.rows + step - 1) / step, keys.size(), [&](std::int64_t piece) {
    const auto first = piece * step;
    here(first * keys.length, std::min(step, keys.rows - first));
  });
}

// How many of sorted[0, count) are before the value.
template <bool right, class K, class Map>
std::int64_t search_one(const K* sorted, std::int64_t count, K value, Map map) {
  std::int64_t found = 0;
  while (count > 0) {
    const auto half = (count + 1) / 2;
    const K other = map(sorted[found + half - 1]);
    found += (right ? other <= value : other < value) ? half : 0;
    count -= half;
  }
  return found;
}

// The same for many values. Several searches go on at once, so that their waits for memory overlap.
// Values that are near one another, sorted ones say, need only a part of what is searched.
template <bool right, class K, class Map>
void search_all(const K* sorted, std::int64_t count, const K* values, std::int64_t value_count,
                Map map, std::int64_t* positions) {
  K least = map(values[0]), most = least;
  for (std::int64_t i = 1; i < value_count; ++i) {
    least = std::min(least, map(values[i]));
    most = std::max(most, map(values[i]));
  }
  const auto begin = search_one<right>(sorted, count, least, map);
  const auto end = begin + search_one<right>(sorted + begin, count - begin, most, map);
  constexpr int lanes = 16;
  for (std::int64_t i = 0; i < value_count; i += lanes) {
    const auto width = static_cast<int>(std::min<std::int64_t>(lanes, value_count - i));
    std::int64_t found[lanes];
    K value[lanes] = {};
    std::fill_n(found, lanes, begin);
    for (int lane = 0; lane < width; ++lane) value[lane] = map(values[i + lane]);
    for (auto rest = end - begin; rest > 0;) {
      const auto half = (rest + 1) / 2;
      for (int lane = 0; lane < lanes; ++lane) {
        const K other = map(sorted[found[lane] + half - 1]);
        const bool is_before = right ? other <= value[lane] : other < value[lane];
        found[lane] += is_before ? half : 0;
      }
      rest -= half;
    }
    std::copy_n(found, width, positions + i);
  }
}

template <class K, class T, class F>
void count_range(const K* bins, std::int64_t first, std::int64_t last, T* totals, F weight) {
  for (auto i = first; i < last; ++i) totals[bins[i]] += weight(i);
}

// Pieces count on their own and are added up in order. They do not depend on the number of cores,
// so neither do sums of weights.
template <class K, class T, class F>
void count_all(const K* bins, std::int64_t size, T* totals, std::int64_t total_count, F weight) {
  const auto piece = std::max<std::int64_t>(4 * serial_work, 4 * total_count);
  const auto pieces = (size + piece - 1) / piece;
  std::fill_n(totals, total_count, T{});
  if (pieces == 1) return count_range(bins, 0, size, totals, weight);
  std::vector<T> parts(static_cast<std::size_t>(pieces * total_count));
  parallel_for(pieces, true, [&](std::int64_t i) {
    count_range(bins, i * piece, std::min(size, (i + 1) * piece),
                &parts[static_cast<std::size_t>(i * total_count)], weight);
  });
  for (std::int64_t i = 0; i < pieces; ++i) {
    const T* part = &parts[static_cast<std::size_t>(i * total_count)];
    for (std::int64_t b = 0; b < total_count; ++b) totals[b] += part[b];
  }
}

class CpuSorting final : public Sorting {
 public:
  void sort(const Keys& keys) override {
    by_width(keys.width, [&]<class K>(K) {
      K* data = data_of<K>(keys);
      for_rows(
          keys, [&](std::int64_t first) { sort_keys(data + first, keys.length); },
          [&](std::int64_t first, std::int64_t rows) {
            sort_rows_here(data + first, rows, keys.length);
          });
    });
  }

  void argsort(const Keys& keys, Buffer& positions) override {
    by_width(keys.width, [&]<class K>(K) {
      const K* data = data_of<K>(keys);
      auto* to = static_cast<std::int64_t*>(positions.data());
      for_rows(
          keys, [&](std::int64_t first) { argsort_keys(data + first, keys.length, to + first); },
          [&](std::int64_t first, std::int64_t rows) {
            argsort_rows_here(data + first, rows, keys.length, to + first);
          });
    });
  }

  void select(const Keys& keys, std::span<const std::int64_t> ranks) override {
    by_width(keys.width, [&]<class K>(K) {
      K* data = data_of<K>(keys);
      for_rows(
          keys, [&](std::int64_t first) { select_keys(data + first, keys.length, ranks); },
          [&](std::int64_t first, std::int64_t rows) {
            sort_rows_here(data + first, rows, keys.length);
          });
    });
  }

  void partition(const Keys& keys, std::span<const std::int64_t> ranks) override {
    by_width(keys.width, [&]<class K>(K) {
      K* data = data_of<K>(keys);
      for_rows(
          keys, [&](std::int64_t first) { partition_keys(data + first, keys.length, ranks); },
          [&](std::int64_t first, std::int64_t rows) {
            sort_rows_here(data + first, rows, keys.length);
          });
    });
  }

  void argpartition(const Keys& keys, std::span<const std::int64_t> ranks,
                    Buffer& positions) override {
    by_width(keys.width, [&]<class K>(K) {
      const K* data = data_of<K>(keys);
      auto* to = static_cast<std::int64_t*>(positions.data());
      for_rows(
          keys,
          [&](std::int64_t first) {
            argpartition_keys(data + first, keys.length, ranks, to + first);
          },
          [&](std::int64_t first, std::int64_t rows) {
            argsort_rows_here(data + first, rows, keys.length, to + first);
          });
    });
  }

  void search(const Keys& sorted, const Keys& values, const KeyMap& map, bool right,
              Buffer& positions) override {
    constexpr std::int64_t step = 1024;
    by_width(sorted.width, [&]<class K>(K) {
      const K *row = data_of<K>(sorted), *wanted = data_of<K>(values);
      auto* to = static_cast<std::int64_t*>(positions.data());
      auto run = [&](auto key) {
        in_parallel((values.size() + step - 1) / step, 4 * values.size(), [&](std::int64_t piece) {
          const auto first = piece * step, count = std::min(step, values.size() - first);
          if (right) {
            search_all<true>(row, sorted.length, wanted + first, count, key, to + first);
          } else {
            search_all<false>(row, sorted.length, wanted + first, count, key, to + first);
          }
        });
      };
      if (map.infinity == 0) {  // the code of integers has no branch
        run([flip = static_cast<K>(map.flip)](K bits) { return static_cast<K>(bits ^ flip); });
      } else {
        run(map);
      }
    });
  }

  void count(const Keys& bins, Buffer* weights, Buffer& totals, std::int64_t total_count) override {
    by_width(bins.width, [&]<class K>(K) {
      const K* places = data_of<K>(bins);
      if (weights) {
        const auto* weight = static_cast<const double*>(weights->data());
        count_all(places, bins.size(), static_cast<double*>(totals.data()), total_count,
                  [weight](std::int64_t i) { return weight[i]; });
      } else {
        count_all(places, bins.size(), static_cast<std::int64_t*>(totals.data()), total_count,
                  [](std::int64_t) { return std::int64_t{1}; });
      }
    });
  }
};

}  // namespace

Sorting& sorting() {
  static CpuSorting instance;
  return instance;
}

}  // namespace heddle::cpu
