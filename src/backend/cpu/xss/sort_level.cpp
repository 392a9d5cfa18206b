// Compiled once for every level of instructions, each time with another HEDDLE_CPU_LEVEL: see
// cmake/CpuLevels.cmake. What is used of x86-simd-sort is its quicksort of unsigned integers.
#include "backend/cpu/xss/sort_level.h"

#ifdef __AVX2__
#include <xss-common-includes.h>
#include <xss-common-qsort.h>
#include <xss-network-keyvaluesort.hpp>  // for the masks of all networks
#if defined(__AVX512VBMI2__)
#include <avx512-16bit-qsort.hpp>
#elif defined(__AVX512DQ__)
#include <avx512-32bit-qsort.hpp>
#include <avx512-64bit-common.h>
#else
#include <avx2-32bit-qsort.hpp>
#include <avx2-64bit-qsort.hpp>
#endif
#endif

namespace heddle::cpu::HEDDLE_CPU_LEVEL {

namespace {

#ifdef __AVX512DQ__
#ifdef __AVX512VBMI2__
__m512i compressed(__mmask32 lanes, __m512i vector) {
  return _mm512_maskz_compress_epi16(lanes, vector);
}
#else
__m512i compressed(__mmask16 lanes, __m512i vector) {
  return _mm512_maskz_compress_epi32(lanes, vector);
}
__m512i compressed(__mmask8 lanes, __m512i vector) {
  return _mm512_maskz_compress_epi64(lanes, vector);
}
__m512 compressed(__mmask16 lanes, __m512 vector) {
  return _mm512_maskz_compress_ps(lanes, vector);
}
__m512d compressed(__mmask8 lanes, __m512d vector) {
  return _mm512_maskz_compress_pd(lanes, vector);
}
#endif

template <class K>
using Vectors = zmm_vector<K>;

// Compressing goes to a register, and from there to memory: on AMD's processors doing both in one
// instruction takes a hundred cycles or more. On Intel's that one is quicker.
template <class K>
struct InRegisters : zmm_vector<K> {
  using Base = zmm_vector<K>;
  using typename Base::opmask_t;
  using typename Base::reg_t;
  static int double_compressstore(K* left, K* right, opmask_t greater, reg_t vector) {
    const int count = _mm_popcnt_u32(static_cast<unsigned>(greater));
    const auto less = Base::knot_opmask(greater);
    Base::mask_storeu(left, Base::get_partial_loadmask(Base::numlanes - count),
                      compressed(opmask_t{less}, vector));
    Base::mask_storeu(right + Base::numlanes - count, Base::get_partial_loadmask(count),
                      compressed(greater, vector));
    return count;
  }
};

// f(the vectors to sort with).
template <class K, class F>
auto with_vectors(F f) {
  static const bool by_memory = __builtin_cpu_is("intel");
  return by_memory ? f(Vectors<K>()) : f(InRegisters<K>());
}
#elif defined(__AVX2__)
template <class K, class F>
auto with_vectors(F f) {
  return f(avx2_vector<K>());
}
#endif

}  // namespace

#ifdef __AVX2__

template <class K>
void sort_level(K* keys, std::int64_t count) {
  with_vectors<K>([&]<class V>(V) { xss_qsort<V, K>(keys, static_cast<arrsize_t>(count), false); });
}

template <class K>
std::int64_t part_level(K* keys, std::int64_t count, K pivot) {
  return with_vectors<K>([&]<class V>(V) {
    K least = pivot, most = pivot;
    return static_cast<std::int64_t>(
        partition_unrolled<V, Comparator<V, false>, V::partition_unroll_factor>(
            keys, 0, static_cast<arrsize_t>(count), pivot, &least, &most));
  });
}

template <class K>
void select_level(K* keys, std::int64_t count, std::int64_t rank) {
  with_vectors<K>([&]<class V>(V) {
    xss_qselect<V, K>(keys, static_cast<arrsize_t>(rank), static_cast<arrsize_t>(count), false);
  });
}

#define HEDDLE_INSTANTIATE(K)                            \
  template void sort_level(K*, std::int64_t);            \
  template std::int64_t part_level(K*, std::int64_t, K); \
  template void select_level(K*, std::int64_t, std::int64_t);
#ifdef __AVX512VBMI2__
HEDDLE_INSTANTIATE(std::int16_t)
HEDDLE_INSTANTIATE(std::uint16_t)
#else
HEDDLE_INSTANTIATE(std::int32_t)
HEDDLE_INSTANTIATE(std::int64_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
HEDDLE_INSTANTIATE(float)
HEDDLE_INSTANTIATE(double)
#endif
#undef HEDDLE_INSTANTIATE

#endif

#ifndef __AVX512VBMI2__

template <class K>
bool copy_plain(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  constexpr auto sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
  const auto infinity = static_cast<K>(map.infinity);
  K found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const K bits = from[i];
    to[i] = bits;
    const bool is_nan = static_cast<K>(bits & static_cast<K>(~sign)) > infinity;
    found |= is_nan || bits == sign ? K{1} : K{0};
  }
  return found == 0;
}

template <class K>
std::pair<K, K> range_level(const K* keys, std::int64_t count) {
  K least = keys[0], most = keys[0];
  for (std::int64_t i = 1; i < count; ++i) {
    least = keys[i] < least ? keys[i] : least;
    most = keys[i] > most ? keys[i] : most;
  }
  return {least, most};
}

// Keys are compared with the whole table, many at once: the table is short.
template <class K>
void ranks_level(const K* keys, std::int64_t count, std::span<const K> table, std::uint8_t* ranks) {
  constexpr std::int64_t block = 64;
  for (std::int64_t first = 0; first < count; first += block) {
    const auto size = count - first < block ? count - first : block;
    K here[block] = {}, below[block] = {};
    for (std::int64_t i = 0; i < size; ++i) here[i] = keys[first + i];
    for (const K value : table) {
      for (std::int64_t i = 0; i < block; ++i) {
        below[i] = static_cast<K>(below[i] + (value < here[i] ? K{1} : K{0}));
      }
    }
    for (std::int64_t i = 0; i < size; ++i) ranks[first + i] = static_cast<std::uint8_t>(below[i]);
  }
}

template <class K>
void counts_level(const K* keys, std::int64_t count, std::span<const K> table,
                  std::int64_t* counts) {
  constexpr std::int64_t block = 4096, lanes = 256 / sizeof(K);  // in the nearest cache
  for (std::int64_t first = 0; first < count; first += block) {
    const auto last = first + block < count ? first + block : count;
    const auto even = first + (last - first) / lanes * lanes;
    for (std::size_t t = 0; t < table.size(); ++t) {
      const K value = table[t];
      K same[lanes] = {};  // a block has no more keys than 16 bits can count
      for (auto i = first; i < even; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          same[lane] = static_cast<K>(same[lane] + (keys[i + lane] == value ? K{1} : K{0}));
        }
      }
      std::int64_t total = 0;
      for (const K own : same) total += static_cast<std::int64_t>(own);
      for (auto i = even; i < last; ++i) total += keys[i] == value;
      counts[t] += total;
    }
  }
}

template <class K>
void to_keys(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  if (map.infinity == 0) {
    const auto flip = static_cast<K>(map.flip);
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<K>(from[i] ^ flip);
  } else {
    const KeyMap same = map;  // which no store can change
    for (std::int64_t i = 0; i < count; ++i) to[i] = same.distinct(from[i]);
  }
}
template <class K>
void to_elements(K* keys, std::int64_t count, const KeyMap& map) {
  if (map.infinity == 0) {
    const auto flip = static_cast<K>(map.flip);
    for (std::int64_t i = 0; i < count; ++i) keys[i] = static_cast<K>(keys[i] ^ flip);
  } else {
    const KeyMap same = map;
    for (std::int64_t i = 0; i < count; ++i) keys[i] = same.element(keys[i]);
  }
}

#define HEDDLE_INSTANTIATE(K)                                          \
  template bool copy_plain(const K*, K*, std::int64_t, const KeyMap&); \
  template std::pair<K, K> range_level(const K*, std::int64_t);        \
  template void to_keys(const K*, K*, std::int64_t, const KeyMap&);    \
  template void to_elements(K*, std::int64_t, const KeyMap&);
HEDDLE_INSTANTIATE(std::uint8_t)
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE
#define HEDDLE_INSTANTIATE(K)                                                           \
  template void ranks_level(const K*, std::int64_t, std::span<const K>, std::uint8_t*); \
  template void counts_level(const K*, std::int64_t, std::span<const K>, std::int64_t*);
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE

#endif

}  // namespace heddle::cpu::HEDDLE_CPU_LEVEL
