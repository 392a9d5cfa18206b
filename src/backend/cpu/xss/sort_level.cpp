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

#ifdef __AVX512VBMI2__

void place_level(const std::uint8_t* ranks, std::int64_t count, std::int64_t first,
                 std::int64_t values, std::int64_t* next, std::int64_t* positions) {
  alignas(64) std::uint8_t numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = static_cast<std::uint8_t>(i);
  const auto all = _mm512_load_si512(numbers);
  alignas(64) std::uint8_t found[64];
  for (std::int64_t i = 0; i < count; i += 64) {
    const __mmask64 valid = count - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - i)) - 1;
    const auto here = _mm512_maskz_loadu_epi8(valid, ranks + i);
    const auto base = _mm512_set1_epi64(first + i);
    for (std::int64_t v = 0; v < values; ++v) {
      const auto same =
          _mm512_mask_cmpeq_epi8_mask(valid, here, _mm512_set1_epi8(static_cast<char>(v)));
      const auto own = static_cast<int>(_mm_popcnt_u64(same));
      _mm512_store_si512(found, _mm512_maskz_compress_epi8(same, all));
      auto* to = positions + next[v];
      next[v] += own;
      for (int k = 0; k < own; k += 8) {
        const auto eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(found + k));
        const auto lanes = own - k >= 8 ? 0xffU : (1U << (own - k)) - 1;
        _mm512_mask_storeu_epi64(to + k, static_cast<__mmask8>(lanes),
                                 _mm512_add_epi64(base, _mm512_cvtepu8_epi64(eight)));
      }
    }
  }
}

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
std::int64_t copy_numbers(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  constexpr auto sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
  const auto infinity = static_cast<K>(map.infinity);
  std::int64_t numbers = 0, i = 0;
  K found = 0;
#ifdef __AVX512DQ__
  if constexpr (sizeof(K) >= 4) {
    constexpr std::int64_t lanes = 64 / sizeof(K);
    for (; i + lanes <= count; i += lanes) {
      const auto bits = _mm512_loadu_si512(from + i);
      if constexpr (sizeof(K) == 4) {
        const auto magnitude = _mm512_andnot_si512(_mm512_set1_epi32(static_cast<int>(sign)), bits);
        const auto kept =
            _mm512_cmple_epu32_mask(magnitude, _mm512_set1_epi32(static_cast<int>(infinity)));
        _mm512_storeu_si512(to + numbers, _mm512_maskz_compress_epi32(kept, bits));
        numbers += _mm_popcnt_u32(kept);
        found |= _mm512_cmpeq_epi32_mask(bits, _mm512_set1_epi32(static_cast<int>(sign)));
      } else {
        const auto top = _mm512_set1_epi64(static_cast<long long>(sign));
        const auto magnitude = _mm512_andnot_si512(top, bits);
        const auto kept =
            _mm512_cmple_epu64_mask(magnitude, _mm512_set1_epi64(static_cast<long long>(infinity)));
        _mm512_storeu_si512(to + numbers, _mm512_maskz_compress_epi64(kept, bits));
        numbers += _mm_popcnt_u32(kept);
        found |= _mm512_cmpeq_epi64_mask(bits, top);
      }
    }
  }
#endif
  for (; i < count; ++i) {
    const K bits = from[i];
    to[numbers] = bits;
    numbers += static_cast<K>(bits & static_cast<K>(~sign)) <= infinity;
    found |= bits == sign ? K{1} : K{0};
  }
  const auto nan = static_cast<K>(infinity | infinity >> 1);
  for (auto place = numbers; place < count; ++place) to[place] = nan;
  return found == 0 ? numbers : -1;
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
void to_equal_keys(const K* from, K* to, std::int64_t count, const KeyMap& map) {
  if (map.infinity == 0) return to_keys(from, to, count, map);
  const KeyMap same = map;
  for (std::int64_t i = 0; i < count; ++i) to[i] = same(from[i]);
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

// --- positions ---

template <class K, class W>
void pack_words(const K* keys, W* words, std::int64_t count, std::int64_t position, K least,
                int dropped, int shift) {
  const auto first = static_cast<W>(position);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto key = static_cast<W>(static_cast<K>(keys[i] - least) >> dropped);
    words[i] = static_cast<W>(key << shift) | static_cast<W>(first + static_cast<W>(i));
  }
}

template <class W>
void unpack_words(const W* words, std::int64_t* positions, std::int64_t count, W mask) {
  for (std::int64_t i = 0; i < count; ++i) {
    positions[i] = static_cast<std::int64_t>(words[i] & mask);
  }
}

bool any_ties(const std::uint64_t* words, std::int64_t count, int shift) {
  std::uint64_t found = 0;
  for (std::int64_t i = 1; i < count; ++i) {
    found |= (words[i] ^ words[i - 1]) >> shift == 0 ? std::uint64_t{1} : std::uint64_t{0};
  }
  return found != 0;
}

// --- complex numbers ---

namespace {

constexpr std::uint64_t half = 0xffffffff, none = 0;
constexpr KeyMap doubles{.infinity = 0x7ff0000000000000};

// As KeyMap's, for float32 in the lower half of a word: all in lanes of one width. Conditions are
// not short-circuited, so that there is vector code.
constexpr std::uint64_t float_sign = 0x80000000, float_infinity = 0x7f800000;
std::uint64_t is_float_nan(std::uint64_t bits) {
  return (bits & ~float_sign) > float_infinity ? half : none;
}
std::uint64_t float_distinct(std::uint64_t bits) {
  const std::uint64_t turned = (bits & float_sign ? half : none) & ~is_float_nan(bits);
  return (bits ^ turned) | (~turned & float_sign);
}
std::uint64_t float_equal(std::uint64_t bits) {
  const std::uint64_t magnitude = bits & ~float_sign;
  const std::uint64_t turned = bits & float_sign ? half : float_sign;
  const std::uint64_t key = magnitude == 0 ? float_sign : bits ^ turned;
  return key | is_float_nan(bits);
}
std::uint64_t float_element(std::uint64_t key) {
  return key ^ (key & float_sign ? float_sign : half);
}

// The key of a float64 with equal zeros.
std::uint64_t double_equal(std::uint64_t bits) {
  constexpr auto sign = std::uint64_t{1} << 63;
  const std::uint64_t magnitude = bits & ~sign;
  const std::uint64_t turned = bits & sign ? ~none : sign;
  const std::uint64_t key = magnitude == 0 ? sign : bits ^ turned;
  return key | (magnitude > doubles.infinity ? ~none : none);
}

// Numbers with nans come last, by where the nan is, then by the part that is none. No key of a
// number is as large as these. `nan` is the key of nans.
std::uint64_t first_key(std::uint64_t re, std::uint64_t im, std::uint64_t nan) {
  const std::uint64_t last = im == nan ? nan : nan - 1, number = im == nan ? nan - 2 : re;
  return re == nan ? last : number;
}
std::uint64_t second_key(std::uint64_t re, std::uint64_t im, std::uint64_t nan) {
  const std::uint64_t other = re == nan ? none : re;
  return im == nan ? other : im;
}

}  // namespace

bool to_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count) {
  std::uint64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t re = from[i] & half, im = from[i] >> 32;
    to[i] = float_distinct(re) << 32 | float_distinct(im);
    found |= is_float_nan(re) | is_float_nan(im) | (re == float_sign ? half : none);
  }
  return found == 0;
}

void to_pairs(std::uint64_t* words, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t word = words[i];
    words[i] = float_element(word & half) << 32 | float_element(word >> 32);
  }
}

void to_equal_pair_words(const std::uint64_t* from, std::uint64_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t re = float_equal(from[i] & half), im = float_equal(from[i] >> 32);
    to[i] = first_key(re, im, half) << 32 | second_key(re, im, half);
  }
}

bool to_first_keys(const std::uint64_t* from, std::uint64_t* first, std::int64_t count) {
  constexpr auto sign = std::uint64_t{1} << 63;
  std::uint64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t re = from[2 * i], im = from[2 * i + 1];
    first[i] = double_equal(re);
    found |= (re & ~sign) > doubles.infinity ? half : none;
    found |= (im & ~sign) > doubles.infinity ? half : none;
    found |= re == sign ? half : none;
  }
  return found == 0;
}

void to_both_keys(const std::uint64_t* from, std::uint64_t* first, std::uint64_t* second,
                  std::int64_t count) {
  constexpr std::uint64_t nan = ~none;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t re = double_equal(from[2 * i]), im = double_equal(from[2 * i + 1]);
    first[i] = first_key(re, im, nan);
    second[i] = second_key(re, im, nan);
  }
}

// --- choosing ---

#ifdef __AVX512DQ__

namespace {

// Vectors of 64-bit lanes.
struct Lanes64 {
  static constexpr std::int64_t count = 8;
  static __mmask8 first(std::int64_t lanes) { return static_cast<__mmask8>((1U << lanes) - 1); }
  static void store(std::int64_t* to, __mmask8 lanes, __m512i vector) {
    // Compressed in a register: to memory it takes long on some processors.
    const auto packed = _mm512_maskz_compress_epi64(lanes, vector);
    _mm512_mask_storeu_epi64(to, first(_mm_popcnt_u32(lanes)), packed);
  }
};

__m512i eight_keys(const std::uint64_t* keys, __mmask8 lanes) {
  return _mm512_maskz_loadu_epi64(lanes, keys);
}
__m512i eight_keys(const std::uint32_t* keys, __mmask8 lanes) {
  return _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, keys));
}
__m512i eight_keys(const std::uint16_t* keys, __mmask8 lanes) {
  return _mm512_cvtepu16_epi64(_mm_maskz_loadu_epi16(lanes, keys));
}

}  // namespace

template <class K>
void part_positions(const K* keys, std::int64_t count, std::int64_t first, K pivot,
                    std::int64_t* low, std::int64_t* middle, std::int64_t* high) {
  const auto at = _mm512_set1_epi64(static_cast<long long>(pivot));
  auto place = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  const auto step = _mm512_set1_epi64(Lanes64::count);
  for (std::int64_t i = 0; i < count; i += Lanes64::count) {
    const auto rest = count - i;
    const auto lanes = Lanes64::first(rest < Lanes64::count ? rest : Lanes64::count);
    const auto key = eight_keys(keys + i, lanes);
    const auto less = _mm512_mask_cmplt_epu64_mask(lanes, key, at);
    const auto equal = _mm512_mask_cmpeq_epi64_mask(lanes, key, at);
    const auto more = static_cast<__mmask8>(lanes & ~(less | equal));
    Lanes64::store(low, less, place);
    low += _mm_popcnt_u32(less);
    if (equal) {
      Lanes64::store(middle, equal, place);
      middle += _mm_popcnt_u32(equal);
    }
    Lanes64::store(high, more, place);
    high += _mm_popcnt_u32(more);
    place = _mm512_add_epi64(place, step);
  }
}

PartedPairs part_pairs(const std::uint64_t* from, std::int64_t count, double least, double greatest,
                       std::uint64_t* sides, std::uint64_t* between) {
  const auto at_least = _mm512_set1_pd(least), at_most = _mm512_set1_pd(greatest);
  auto *low = sides, *high = sides + 2 * count, *middle = between;
  __mmask8 nans = 0;
  // Four pairs; each is on the side of its first lane.
  const auto put = [](std::uint64_t* to, int lanes, __m512i pairs) {
    Lanes64::store(reinterpret_cast<std::int64_t*>(to), static_cast<__mmask8>(lanes), pairs);
  };
  const auto both = [](int lanes) { return (lanes & 0x55) * 3; };
  for (std::int64_t i = 0; i < count; i += 4) {
    const auto rest = count - i;
    const auto lanes = Lanes64::first(rest < 4 ? 2 * rest : Lanes64::count);
    const auto pairs = _mm512_maskz_loadu_epi64(lanes, from + 2 * i);
    const auto parts = _mm512_castsi512_pd(pairs);
    nans |= _mm512_mask_cmp_pd_mask(lanes, parts, parts, _CMP_UNORD_Q);
    const int below = both(_mm512_mask_cmp_pd_mask(lanes, parts, at_least, _CMP_LT_OQ));
    const int above = both(_mm512_mask_cmp_pd_mask(lanes, parts, at_most, _CMP_GT_OQ));
    const int others = lanes & ~(below | above);
    put(low, below, pairs);
    low += _mm_popcnt_u32(static_cast<unsigned>(below));
    high -= _mm_popcnt_u32(static_cast<unsigned>(above));
    put(high, above, pairs);
    put(middle, others, pairs);
    middle += _mm_popcnt_u32(static_cast<unsigned>(others));
  }
  return {(low - sides) / 2, (middle - between) / 2, nans == 0};
}

#else

PartedPairs part_pairs(const std::uint64_t* from, std::int64_t count, double least, double greatest,
                       std::uint64_t* sides, std::uint64_t* between) {
  auto *low = sides, *high = sides + 2 * count, *middle = between;
  bool numbers = true;
  for (std::int64_t i = 0; i < count; ++i, from += 2) {
    const auto re = __builtin_bit_cast(double, from[0]), im = __builtin_bit_cast(double, from[1]);
    const bool is_low = re < least;
    const bool is_high = re > greatest;
    // To every place that may be its own: nothing waits for comparisons, and no jump is guessed.
    low[0] = high[-2] = middle[0] = from[0];
    low[1] = high[-1] = middle[1] = from[1];
    low += is_low ? 2 : 0;
    high -= is_high ? 2 : 0;
    middle += is_low || is_high ? 0 : 2;
    numbers = numbers && re == re && im == im;
  }
  return {(low - sides) / 2, (middle - between) / 2, numbers};
}

template <class K>
void part_positions(const K* keys, std::int64_t count, std::int64_t first, K pivot,
                    std::int64_t* low, std::int64_t* middle, std::int64_t* high) {
  for (std::int64_t i = 0; i < count; ++i) {
    auto*& side = keys[i] < pivot ? low : keys[i] == pivot ? middle : high;
    *side++ = first + i;
  }
}

#endif

template <class K>
std::pair<std::int64_t, std::int64_t> sides_of(const K* keys, std::int64_t count, K pivot) {
  std::int64_t below = 0, same = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    below += keys[i] < pivot;
    same += keys[i] == pivot;
  }
  return {below, same};
}

#define HEDDLE_INSTANTIATE(K)                                                                  \
  template bool copy_plain(const K*, K*, std::int64_t, const KeyMap&);                         \
  template std::int64_t copy_numbers(const K*, K*, std::int64_t, const KeyMap&);               \
  template std::pair<K, K> range_level(const K*, std::int64_t);                                \
  template void to_keys(const K*, K*, std::int64_t, const KeyMap&);                            \
  template void to_equal_keys(const K*, K*, std::int64_t, const KeyMap&);                      \
  template void to_elements(K*, std::int64_t, const KeyMap&);                                  \
  template void pack_words(const K*, std::uint32_t*, std::int64_t, std::int64_t, K, int, int); \
  template void pack_words(const K*, std::uint64_t*, std::int64_t, std::int64_t, K, int, int);
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
template std::pair<std::int64_t, std::int64_t> sides_of(const std::uint8_t*, std::int64_t,
                                                        std::uint8_t);
#define HEDDLE_INSTANTIATE(K)                                                          \
  template void part_positions(const K*, std::int64_t, std::int64_t, K, std::int64_t*, \
                               std::int64_t*, std::int64_t*);                          \
  template std::pair<std::int64_t, std::int64_t> sides_of(const K*, std::int64_t, K);
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE
template void unpack_words(const std::uint32_t*, std::int64_t*, std::int64_t, std::uint32_t);
template void unpack_words(const std::uint64_t*, std::int64_t*, std::int64_t, std::uint64_t);

#endif

}  // namespace heddle::cpu::HEDDLE_CPU_LEVEL
