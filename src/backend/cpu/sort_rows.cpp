#include "backend/cpu/sort_rows.h"

#include <algorithm>
#include <bit>
#include <type_traits>

// Highway compiles what is between its namespaces once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/sort_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heddle::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Batcher's merge exchange of `length` vectors: the lanes are sorted each for itself.
template <class D, class K>
void sort_lanes(D d, K* block, std::int64_t length) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto top = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)) / 2);
  for (auto p = top; p > 0; p /= 2) {
    auto q = top, distance = p;
    std::int64_t r = 0;
    while (true) {
      for (auto base = r; base < length - distance; base += 2 * p) {
        const auto last = std::min(base + p, length - distance);
        for (auto i = base; i < last; ++i) {
          K *low = block + i * lanes, *high = block + (i + distance) * lanes;
          const auto a = hn::Load(d, low), b = hn::Load(d, high);
          hn::Store(hn::Min(a, b), d, low);
          hn::Store(hn::Max(a, b), d, high);
        }
      }
      if (q == p) break;
      distance = q - p;
      q /= 2;
      r = p;
    }
  }
}

// Between rows and lanes, in squares that stay in registers and the nearest cache. `width` lanes
// are in use; a constant where all are.
template <class K, class Width>
void to_lanes(const K* rows, std::int64_t length, K* block, std::int64_t lanes, Width width) {
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t lane = 0; lane < width; ++lane) {
      block[i * lanes + lane] = rows[lane * length + i];
    }
  }
}
template <class K, class Width>
void from_lanes(const K* block, std::int64_t length, K* rows, std::int64_t lanes, Width width) {
  constexpr std::int64_t step = 16;
  for (std::int64_t first = 0; first < length; first += step) {
    const auto last = std::min(first + step, length);
    for (std::int64_t lane = 0; lane < width; ++lane) {
      for (auto i = first; i < last; ++i) rows[lane * length + i] = block[i * lanes + lane];
    }
  }
}

template <class K>
void sort_rows(K* keys, std::int64_t rows, std::int64_t length) {
  const hn::ScalableTag<K> d;
  HWY_ALIGN K block[longest_short_row * (HWY_MAX_BYTES / sizeof(K))];
  constexpr std::int64_t most = hn::MaxLanes(hn::ScalableTag<K>());
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t first = 0;
  if (lanes == most) {
    using All = std::integral_constant<std::int64_t, most>;
    for (; first + most <= rows; first += most) {
      to_lanes(keys + first * length, length, block, most, All{});
      sort_lanes(d, block, length);
      from_lanes(block, length, keys + first * length, most, All{});
    }
  }
  for (; first < rows; first += lanes) {
    const auto width = std::min(lanes, rows - first);
    std::fill_n(block, length * lanes, K{0});
    to_lanes(keys + first * length, length, block, lanes, width);
    sort_lanes(d, block, length);
    from_lanes(block, length, keys + first * length, lanes, width);
  }
}

template <class K>
void sort_columns(K* keys, std::int64_t length, std::int64_t columns, std::int64_t stride) {
  const hn::ScalableTag<K> d;
  HWY_ALIGN K block[longest_short_row * (HWY_MAX_BYTES / sizeof(K))];
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t first = 0; first < columns; first += lanes) {
    const auto width = std::min(lanes, columns - first);
    // Vectors where all lanes are in use; else what is in the others does not matter.
    for (std::int64_t i = 0; i < length; ++i) {
      const K* from = keys + i * stride + first;
      if (width == lanes) {
        hn::Store(hn::LoadU(d, from), d, block + i * lanes);
      } else {
        std::fill(std::copy_n(from, width, block + i * lanes), block + (i + 1) * lanes, K{0});
      }
    }
    sort_lanes(d, block, length);
    for (std::int64_t i = 0; i < length; ++i) {
      K* to = keys + i * stride + first;
      if (width == lanes) {
        hn::StoreU(hn::Load(d, block + i * lanes), d, to);
      } else {
        std::copy_n(block + i * lanes, width, to);
      }
    }
  }
}

#define HEDDLE_OF_WIDTH(bits)                                                                    \
  void sort_rows_##bits(std::uint##bits##_t* keys, std::int64_t rows, std::int64_t length) {     \
    sort_rows(keys, rows, length);                                                               \
  }                                                                                              \
  void sort_columns_##bits(std::uint##bits##_t* keys, std::int64_t length, std::int64_t columns, \
                           std::int64_t stride) {                                                \
    sort_columns(keys, length, columns, stride);                                                 \
  }
HEDDLE_OF_WIDTH(8)
HEDDLE_OF_WIDTH(16)
HEDDLE_OF_WIDTH(32)
HEDDLE_OF_WIDTH(64)
#undef HEDDLE_OF_WIDTH

}  // namespace
}  // namespace heddle::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heddle::cpu {

#define HEDDLE_OF_WIDTH(bits)                                                                   \
  HWY_EXPORT(sort_rows_##bits);                                                                 \
  HWY_EXPORT(sort_columns_##bits);                                                              \
  template <>                                                                                   \
  void sort_short_rows(std::uint##bits##_t* keys, std::int64_t rows, std::int64_t length) {     \
    HWY_DYNAMIC_DISPATCH(sort_rows_##bits)(keys, rows, length);                                 \
  }                                                                                             \
  template <>                                                                                   \
  void sort_short_columns(std::uint##bits##_t* keys, std::int64_t length, std::int64_t columns, \
                          std::int64_t stride) {                                                \
    HWY_DYNAMIC_DISPATCH(sort_columns_##bits)(keys, length, columns, stride);                   \
  }
HEDDLE_OF_WIDTH(8)
HEDDLE_OF_WIDTH(16)
HEDDLE_OF_WIDTH(32)
HEDDLE_OF_WIDTH(64)
#undef HEDDLE_OF_WIDTH

}  // namespace heddle::cpu
#endif
