// Distributions: random numbers as functions of words and parameters. The generators of C++ and of
// Python draw through them, each of a stream that it keeps itself.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "ops/random.h"
#include <heddle/random.h>

namespace heddle::random {

constexpr int block_words = 4;

// The counter of a later block.
std::array<std::uint64_t, 4> advanced(std::array<std::uint64_t, 4> counter, std::uint64_t blocks,
                                      std::size_t word = 0);

// Blocks that one call has for itself: planes of words, each with one word an element.
struct HEDDLE_API Reserved {
  RandomStream stream;
  std::uint64_t blocks = 0;  // of a plane

  array words(const Dims& shape, std::uint64_t plane = 0, Dtype dtype = Dtype::uint64) const;
};

// A stream that numbers are made of.
class HEDDLE_API Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  // Whole blocks, with so many planes of a word for each of `count` elements, or a part of one.
  virtual Reserved reserve(std::int64_t count, int planes = 1, int per_word = 1) = 0;
  // The next words.
  virtual array next(const Dims& shape) = 0;

 protected:
  Source(const Source&) = default;
  Source& operator=(const Source&) = default;
};

// The stream from where a generator is, which goes on with it: the counter of the block that words
// were last taken of, and how many of that.
class HEDDLE_API Stream final : public Source {
 public:
  Stream(const std::array<std::uint64_t, 2>& key, std::array<std::uint64_t, 4>& counter, int& used)
      : key_(key), counter_(counter), used_(used) {}
  Reserved reserve(std::int64_t count, int planes = 1, int per_word = 1) override;
  array next(const Dims& shape) override;

 private:
  const std::array<std::uint64_t, 2>& key_;
  std::array<std::uint64_t, 4>& counter_;
  int& used_;
};

// Numbers of a distribution by NumPy's name of it, with its parameters in NumPy's order, which are
// not checked. float32: of the standard ones.
HEDDLE_API array draw(std::string_view distribution, Source& source,
                      std::span<const Parameter> parameters, const Dims& shape,
                      Dtype dtype = Dtype::float64);
// Throws value_error for parameters that the distribution has not, as NumPy does.
HEDDLE_API void check(std::string_view distribution, std::span<const Parameter> parameters);

// The upper halves of the 128-bit products of uint64 numbers.
HEDDLE_API array high_product(const array& x, const array& y);
// Integers from `first` on, so many for each element (0: all of 64 bits), as uint64, which wraps.
HEDDLE_API array draw_between(Source& source, const array& first, const array& span,
                              const Dims& shape);
// The integers below `count` in random order, or the first ones of that order.
HEDDLE_API array draw_order(Source& source, std::int64_t count,
                            std::optional<std::int64_t> wanted = std::nullopt);

// --- vectors ---

// Vectors that sum to 1. `numbers`: the parameters where they are known, which makes shorter
// kernels. `small`: some are so small that gamma numbers may underflow, and logarithms of them are
// drawn.
HEDDLE_API array draw_dirichlet(Source& source, const array& alpha, std::span<const double> numbers,
                                bool small, const Dims& size);
constexpr double small_dirichlet = 0.1;  // parameters below this are small

// Counts of `n` trials by outcome: binomial ones of what is left, one after the other. The
// probabilities, along the last axis, are looked at; `shape` is that of n and of their rows.
HEDDLE_API array draw_multinomial(Source& source, const Parameter& n, const array& p,
                                  const Dims& shape);
// Counts by color of what is drawn without putting it back.
HEDDLE_API array draw_multivariate_hypergeometric(Source& source,
                                                  std::span<const std::int64_t> colors,
                                                  std::int64_t sample, const Dims& shape);

// A matrix whose product with its transposed one is the covariance, and where that does not hold:
// the covariance is not symmetric and positive semidefinite. cholesky refuses such ones itself.
struct CovarianceFactor {
  array factor;
  std::optional<array> wrong;
};
HEDDLE_API CovarianceFactor factor_covariance(const array& covariance, FactorMethod method,
                                              double tolerance);

// The elements of each line along an axis in an order of its own; without one, of all.
HEDDLE_API array draw_permuted(Source& source, const array& a, std::optional<std::int64_t> axis);

}  // namespace heddle::random
