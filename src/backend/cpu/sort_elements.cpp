#include "backend/cpu/sort_elements.h"

#include <algorithm>
#include <memory>

#include "backend/cpu/by_width.h"
#include "backend/cpu/sort_arranged.h"
#include "backend/cpu/sort_complex.h"
#include "backend/cpu/sort_counting.h"
#include "backend/cpu/sort_keys.h"
#include "backend/cpu/sort_positions.h"
#include "backend/cpu/sort_rows.h"
#include "backend/cpu/sort_scratch.h"
#include "backend/cpu/vector_sort.h"

namespace heddle::cpu {

namespace {

// to[c * to_stride + i] = from[i * stride + c], for `wide` columns of `high` rows; a few rows at
// once, so that what is written lies together.
template <class T>
void transpose(const T* from, std::int64_t stride, std::int64_t high, std::int64_t wide, T* to,
               std::int64_t to_stride) {
  constexpr std::int64_t step = 4;
  std::int64_t i = 0;
  for (; i + step <= high; i += step) {
    const T* line = from + i * stride;
    T* place = to + i;
    for (std::int64_t c = 0; c < wide; ++c, place += to_stride) {
      const T a = line[c], b = line[c + stride], d = line[c + 2 * stride], e = line[c + 3 * stride];
      place[0] = a;
      place[1] = b;
      place[2] = d;
      place[3] = e;
    }
  }
  for (; i < high; ++i) {
    for (std::int64_t c = 0; c < wide; ++c) to[c * to_stride + i] = from[i * stride + c];
  }
}

// Columns are sorted as rows, some of them at once: there and back. `to` gets `length` results for
// each. All and here as in for_rows, with where to read and to write.
template <class E, class R, class All, class Here>
void in_columns(const Elements& elements, const E* from, R* to, All all, Here here) {
  const auto length = elements.length, columns = elements.columns;
  constexpr std::int64_t line = std::max<std::int64_t>(1, 64 / sizeof(E)), near = 4096;
  const bool is_long = length >= long_row;
  const auto step = is_long ? 1 : std::min(columns, std::max(line, near / length));
  const auto steps = (columns + step - 1) / step;
  auto run = [&](std::int64_t piece) {
    const auto first = piece % steps * step, width = std::min(step, columns - first);
    const auto base = piece / steps * length * columns + first;
    const auto count = static_cast<std::size_t>(width * length);
    const auto rows = std::make_unique_for_overwrite<E[]>(count);
    const auto sorted = std::make_unique_for_overwrite<R[]>(count);
    transpose(from + base, columns, length, width, rows.get(), length);
    if (is_long) {
      all(rows.get(), sorted.get());
    } else {
      here(rows.get(), sorted.get(), width);
    }
    transpose(static_cast<const R*>(sorted.get()), length, width, length, to + base, columns);
  };
  if (is_long) {
    for (std::int64_t piece = 0; piece < elements.rows * steps; ++piece) run(piece);
  } else {
    in_parallel(elements.rows * steps, elements.size(), run);
  }
}

// all(from, to) for a row by all cores; here(from, to, rows) for some on the calling one.
template <class E, class R, class All, class Here>
void along(const Elements& elements, Buffer& result, All all, Here here) {
  const auto* from = static_cast<const E*>(elements.buffer->data());
  auto* to = static_cast<R*>(result.data());
  if (elements.columns > 1) return in_columns(elements, from, to, all, here);
  for_rows(
      elements.rows, elements.length, [&](std::int64_t first) { all(from + first, to + first); },
      [&](std::int64_t first, std::int64_t rows) { here(from + first, to + first, rows); });
}

// The same one by one: sort(from, to, parallel) for each row.
template <class E, class R, class F>
void along_each(const Elements& elements, Buffer& result, F sort) {
  const auto length = elements.length;
  along<E, R>(
      elements, result, [&](const E* from, R* to) { sort(from, to, true); },
      [&](const E* from, R* to, std::int64_t rows) {
        for (std::int64_t row = 0; row < rows; ++row) {
          sort(from + row * length, to + row * length, false);
        }
      });
}

// Short columns lie as the lanes of a network do.
template <class K>
bool are_short_columns(const Elements& elements) {
  constexpr auto lanes = static_cast<std::int64_t>(64 / sizeof(K));
  return (elements.length <= 128 && elements.columns >= lanes / 2) ||
         (elements.length <= longest_short_row && elements.columns >= lanes);
}

template <class K>
void sort_short_columns(const Elements& elements, Buffer& sorted) {
  const auto* from = static_cast<const K*>(elements.buffer->data());
  auto* to = static_cast<K*>(sorted.data());
  const auto length = elements.length, columns = elements.columns;
  constexpr std::int64_t few = 2048 / sizeof(K);
  const bool together = length * columns <= serial_work;
  const auto step = together ? columns : few;
  const auto steps = (columns + step - 1) / step;
  in_parallel(elements.rows * steps, elements.size(), [&](std::int64_t piece) {
    const auto first = piece % steps * step, width = std::min(step, columns - first);
    const auto base = piece / steps * length * columns + first;
    // What lies together is one range.
    const auto ranges = width == columns ? 1 : length, size = length / ranges * width;
    for (std::int64_t i = 0; i < ranges; ++i) {
      to_keys(from + base + i * columns, to + base + i * columns, size, elements.map);
    }
    cpu::sort_short_columns(to + base, length, width, columns);
    for (std::int64_t i = 0; i < ranges; ++i) {
      to_elements(to + base + i * columns, size, elements.map);
    }
  });
}

// f(keys with equal zeros): the elements themselves where these are their keys.
template <class K, class F>
void with_keys(const K* from, std::int64_t count, const KeyMap& map, bool parallel, F f) {
  if (map.infinity == 0 && map.flip == 0) return f(from);
  const Workspace<K, Purpose::keys> keys(count, parallel);
  in_ranges(count, parallel, [&](std::int64_t first, std::int64_t last) {
    to_equal_keys(from + first, keys.data() + first, last - first, map);
  });
  f(static_cast<const K*>(keys.data()));
}

}  // namespace

void sort_elements(const Elements& elements, Buffer& sorted) {
  const auto length = elements.length;
  by_width<Bits128>(elements.width, [&]<class E>(E) {
    if constexpr (sizeof(E) >= 8) {
      if (elements.map.pairs) {
        return along<E, E>(
            elements, sorted, [&](const E* from, E* to) { sort_complex(from, to, length, true); },
            [&](const E* from, E* to, std::int64_t rows) {
              sort_complex_rows(from, to, rows, length);
            });
      }
    }
    if constexpr (sizeof(E) <= 8) {
      if (are_short_columns<E>(elements)) return sort_short_columns<E>(elements, sorted);
      along<E, E>(
          elements, sorted,
          [&](const E* from, E* to) { sort_elements(from, to, length, elements.map); },
          [&](const E* from, E* to, std::int64_t rows) {
            sort_element_rows_here(from, to, rows, length, elements.map);
          });
    }
  });
}

void argsort_elements(const Elements& elements, Buffer& positions) {
  const auto length = elements.length;
  by_width<Bits128>(elements.width, [&]<class E>(E) {
    using Position = std::int64_t;
    if constexpr (sizeof(E) >= 8) {
      if (elements.map.pairs) {
        return along<E, Position>(
            elements, positions,
            [&](const E* from, Position* to) { argsort_complex(from, to, length, true); },
            [&](const E* from, Position* to, std::int64_t rows) {
              argsort_complex_rows(from, to, rows, length);
            });
      }
    }
    if constexpr (sizeof(E) <= 8) {
      along<E, Position>(
          elements, positions,
          [&](const E* from, Position* to) {
            with_keys(from, length, elements.map, true,
                      [&](const E* keys) { argsort_keys(keys, length, to, true); });
          },
          [&](const E* from, Position* to, std::int64_t rows) {
            with_keys(from, rows * length, elements.map, false,
                      [&](const E* keys) { argsort_rows_here(keys, rows, length, to); });
          });
    }
  });
}

void partition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                        Buffer& partitioned) {
  const auto length = elements.length;
  by_width<Bits128>(elements.width, [&]<class E>(E) {
    if constexpr (sizeof(E) >= 8) {
      if (elements.map.pairs) {
        return along_each<E, E>(elements, partitioned, [&](const E* from, E* to, bool parallel) {
          if (copy_arranged(from, to, length, ranks, elements.map, parallel)) return;
          partition_complex(from, to, length, ranks, parallel);
        });
      }
    }
    if constexpr (sizeof(E) <= 8) {
      if (length <= 2 * short_to_select && are_short_columns<E>(elements)) {
        return sort_short_columns<E>(elements, partitioned);
      }
      along<E, E>(
          elements, partitioned,
          [&](const E* from, E* to) {
            if (copy_arranged(from, to, length, ranks, elements.map, true)) return;
            if (length <= long_to_select) {
              return partition_elements_here(from, to, length, ranks, elements.map);
            }
            partition_elements(from, to, length, ranks, elements.map);
          },
          [&](const E* from, E* to, std::int64_t rows) {
            if (length <= short_to_select || (sizeof(E) == 1 && !selects_bytes(length))) {
              return sort_element_rows_here(from, to, rows, length, elements.map);
            }
            for (std::int64_t first = 0; first < rows * length; first += length) {
              if (copy_arranged(from + first, to + first, length, ranks, elements.map, false)) {
                continue;
              }
              partition_elements_here(from + first, to + first, length, ranks, elements.map);
            }
          });
    }
  });
}

void argpartition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                           Buffer& positions) {
  const auto length = elements.length;
  if (length <= short_to_select) return argsort_elements(elements, positions);
  by_width<Bits128>(elements.width, [&]<class E>(E) {
    using Position = std::int64_t;
    if constexpr (sizeof(E) >= 8) {
      if (elements.map.pairs) {
        const auto one = [&](const E* from, Position* to, bool parallel) {
          if (place_arranged(from, to, length, ranks, elements.map, parallel)) return;
          argpartition_complex(from, to, length, ranks, parallel);
        };
        return along<E, Position>(
            elements, positions, [&](const E* from, Position* to) { one(from, to, true); },
            [&](const E* from, Position* to, std::int64_t rows) {
              if (rows == 1) return one(from, to, false);
              argpartition_complex_rows(from, to, rows, length, ranks);
            });
      }
    }
    if constexpr (sizeof(E) <= 8) {
      along_each<E, Position>(elements, positions, [&](const E* from, Position* to, bool parallel) {
        if (place_arranged(from, to, length, ranks, elements.map, parallel)) return;
        with_keys(from, length, elements.map, parallel,
                  [&](const E* keys) { argpartition_keys(keys, length, ranks, to, parallel); });
      });
    }
  });
}

}  // namespace heddle::cpu
