// Sums by bin that do not depend on the order of additions: numbers are added up as integers.
//
// A first pass finds the largest exponent in every bin. A second one adds each number in units that
// follow from it, so small that nothing is lost that shows in the result: 2 * `bits` binary digits
// from the largest number of the bin on, in two words of 64 bits. Each word has room for the sum of
// all elements, so integer additions never overflow, and they may come in any order. The last
// pass rounds every sum once, to double.
#include "bins.cuh"
#include "heddle_cub.h"

namespace heddle::cub_part {
namespace {

using Word = unsigned long long;

// What is known of the largest exponent in a bin: 0 where nothing was added. Beyond all exponents
// are marks of what is not finite; both are a nan.
constexpr unsigned plus_infinity = 1U << 16, minus_infinity = 1U << 17;

__device__ unsigned exponent_of(double x) {
  const auto bits = static_cast<Word>(__double_as_longlong(x));
  const auto exponent = static_cast<unsigned>(bits >> 52 & 0x7ff);
  if (exponent != 0x7ff) return max(exponent, 1U);  // subnormal numbers have that of the least
  if (bits << 12) return plus_infinity | minus_infinity;
  return bits >> 63 ? minus_infinity : plus_infinity;
}

// A word that only grows: most of the time it is large enough, and looking is cheaper than writing.
__device__ void note(unsigned* word, unsigned found) {
  const unsigned there = *static_cast<volatile unsigned*>(word);
  if (found < plus_infinity) {
    if (there < found) atomicMax(word, found);
  } else if ((there & found) != found) {
    atomicOr(word, found);
  }
}

struct Fixed {
  Word high, low;
};

// x = (high * 2^bits + low) * 2^(exponent - 1022 - 2 * bits), cut off after that.
__device__ Fixed fixed_of(double x, unsigned exponent, int bits) {
  const auto word = static_cast<Word>(__double_as_longlong(x));
  const auto own = static_cast<int>(word >> 52 & 0x7ff);
  Word mantissa = word & ((Word{1} << 52) - 1);
  if (own != 0) mantissa |= Word{1} << 52;
  const int shift = max(own, 1) - static_cast<int>(exponent) - 53 + 2 * bits;
  unsigned __int128 magnitude = mantissa;
  if (shift >= 0) {
    magnitude <<= shift;
  } else {
    magnitude = shift > -64 ? static_cast<unsigned __int128>(mantissa >> -shift) : 0;
  }
  const auto value = static_cast<__int128>(magnitude);
  const __int128 number = word >> 63 ? -value : value;
  return {static_cast<Word>(static_cast<long long>(number >> bits)),
          static_cast<Word>(number) & ((Word{1} << bits) - 1)};
}

__device__ double rounded(Word high, Word low, unsigned exponent, int bits) {
  const __int128 number =
      static_cast<__int128>(static_cast<long long>(high)) * (static_cast<__int128>(1) << bits) +
      static_cast<__int128>(static_cast<long long>(low));
  if (number == 0) return 0.0;
  auto magnitude = static_cast<unsigned __int128>(number < 0 ? -number : number);
  const auto top = static_cast<Word>(magnitude >> 64);
  const int zeros = top ? __clzll(static_cast<long long>(top))
                        : 64 + __clzll(static_cast<long long>(static_cast<Word>(magnitude)));
  magnitude <<= zeros;
  // The first 64 digits, of which the last says whether anything follows.
  const Word first = static_cast<Word>(magnitude >> 64) | (static_cast<Word>(magnitude) ? 1 : 0);
  const int scale = 64 - zeros + static_cast<int>(exponent) - 1022 - 2 * bits;
  const double sum = ldexp(__ull2double_rn(first), scale);
  return number < 0 ? -sum : sum;
}

template <class K>
__global__ void __launch_bounds__(threads) exponents_shared(const K* bins, const double* weights,
                                                            std::int64_t size, unsigned* exponents,
                                                            int total_count) {
  extern __shared__ Word memory[];
  auto* own = reinterpret_cast<unsigned*>(memory);
  for (int b = threadIdx.x; b < total_count; b += threads) own[b] = 0;
  __syncthreads();
  for_each_bin(bins, size,
               [&](K bin, std::int64_t i) { note(own + bin, exponent_of(weights[i])); });
  __syncthreads();
  for (int b = threadIdx.x; b < total_count; b += threads) {
    if (own[b]) note(exponents + b, own[b]);
  }
}

__device__ void add(Word* words, const Fixed& number) {
  if (number.high) atomicAdd(words, number.high);
  if (number.low) atomicAdd(words + 1, number.low);
}

template <class K>
__global__ void __launch_bounds__(threads) add_shared(const K* bins, const double* weights,
                                                      std::int64_t size, const unsigned* exponents,
                                                      Word* words, int total_count, int bits) {
  extern __shared__ Word own[];
  for (int b = threadIdx.x; b < 2 * total_count; b += threads) own[b] = 0;
  __syncthreads();
  for_each_bin(bins, size, [&](K bin, std::int64_t i) {
    add(own + 2 * static_cast<int>(bin), fixed_of(weights[i], exponents[bin], bits));
  });
  __syncthreads();
  for (int b = threadIdx.x; b < 2 * total_count; b += threads) {
    if (own[b]) atomicAdd(words + b, own[b]);
  }
}

#define HEDDLE_CUB_TRY(call) \
  if (const cudaError_t failed = (call); failed != cudaSuccess) return failed

template <class K>
cudaError_t sums(const K* bins, const double* weights, std::int64_t size, double* totals,
                 std::int64_t total_count, void* workspace, cudaStream_t stream) {
  auto* words = static_cast<Word*>(workspace);
  auto* exponents = reinterpret_cast<unsigned*>(words + 2 * total_count);
  const auto bytes = static_cast<std::size_t>(total_count) * (2 * sizeof(Word) + sizeof(unsigned));
  HEDDLE_CUB_TRY(cudaMemsetAsync(workspace, 0, bytes, stream));
  int bits = 62;  // of a number in a word, which has room for all of them
  for (std::int64_t n = 1; n < size; n *= 2) --bits;
  if (total_count <= shared_bytes / static_cast<std::int64_t>(2 * sizeof(Word))) {
    const unsigned blocks = blocks_for_bins(size);
    const int count = static_cast<int>(total_count);
    exponents_shared<<<blocks, threads, count * sizeof(unsigned), stream>>>(bins, weights, size,
                                                                            exponents, count);
    add_shared<<<blocks, threads, 2 * count * sizeof(Word), stream>>>(bins, weights, size,
                                                                      exponents, words, count, bits);
    HEDDLE_CUB_TRY(cudaGetLastError());
  } else {
    HEDDLE_CUB_TRY(for_each(size, stream, [=] __device__(std::int64_t i) {
      note(exponents + bins[i], exponent_of(weights[i]));
    }));
    HEDDLE_CUB_TRY(for_each(size, stream, [=] __device__(std::int64_t i) {
      const auto bin = static_cast<std::int64_t>(bins[i]);
      add(words + 2 * bin, fixed_of(weights[i], exponents[bin], bits));
    }));
  }
  return for_each(total_count, stream, [=] __device__(std::int64_t b) {
    const unsigned exponent = exponents[b];
    if (exponent < plus_infinity) {
      totals[b] = exponent ? rounded(words[2 * b], words[2 * b + 1], exponent, bits) : 0.0;
      return;
    }
    const double infinity = __longlong_as_double(0x7ff0000000000000LL);
    const bool plus = exponent & plus_infinity, minus = exponent & minus_infinity;
    totals[b] = plus && minus ? __longlong_as_double(0x7ff8000000000000LL)
                : plus        ? infinity
                              : -infinity;
  });
}

}  // namespace
}  // namespace heddle::cub_part

extern "C" {

__attribute__((visibility("default"))) int heddle_cub_sums(const heddle_cub_keys* bins,
                                                           const double* weights, double* totals,
                                                           int64_t total_count, void* workspace,
                                                           size_t* workspace_bytes, void* stream) {
  using namespace heddle::cub_part;
  *workspace_bytes = static_cast<std::size_t>(total_count) * (2 * sizeof(Word) + sizeof(unsigned));
  if (!workspace) return cudaSuccess;
  return with_key(bins->width, [&](auto zero) {
    return sums(static_cast<const decltype(zero)*>(bins->data), weights,
                bins->rows * bins->length, totals, total_count, workspace,
                static_cast<cudaStream_t>(stream));
  });
}

}  // extern "C"
