/// @file
/// Random numbers: NumPy's Generator of Philox 4x64-10. A word is a function of its place in the
/// stream, so numbers are the same on every device and for any number of threads, and those of
/// Python's heddle.random.default_rng(seed) for the same calls (but integers). They are deferred,
/// and fuse with what is made of them.
///
///     random::Generator rng(7);
///     array noise = rng.normal(0, 0.1, {{1000, 3}});
///     array waits = rng.exponential(means);       // an array of parameters: a number for each
///     for (auto& child : rng.spawn(threads)) ...  // independent streams
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include <heddle/array.h>

namespace heddle::random {

/// A parameter of a distribution: a number, or an array of them.
class Parameter {
 public:
  Parameter(double number) : number_(number) {}
  template <std::integral T>
  Parameter(T number) : number_(static_cast<double>(number)) {}
  HEDDLE_API Parameter(const array& numbers);  ///< as float64
  bool is_array() const { return values_.has_value(); }
  double number() const { return number_; }
  const array& values() const { return *values_; }

 private:
  double number_ = 0;
  std::optional<array> values_;
};

/// The shape of what is drawn; without one it is that of the parameters.
using Shape = std::optional<Dims>;

/// How Generator::multivariate_normal takes a covariance apart.
enum class FactorMethod : std::uint8_t { svd, eigh, cholesky };

/// Numbers of a stream. Each call takes the next words of it, so one generator is for one thread at
/// a time; spawn makes others.
class HEDDLE_API Generator {
 public:
  Generator();  ///< seeded by the system
  explicit Generator(std::uint64_t seed);
  explicit Generator(std::span<const std::uint64_t> seed);

  /// Independent generators, as NumPy's SeedSequence spawns them.
  std::vector<Generator> spawn(int count);
  /// The generator 2^128 blocks further on, this many times.
  Generator jumped(std::uint64_t jumps = 1) const;
  /// Goes on so many blocks, of four words each.
  void advance(std::uint64_t blocks);

  /// The next words of the stream, uint64.
  array random_raw(const Dims& shape);
  /// Numbers in [0, 1), float64 or float32. These of float32 begin with a new block.
  array random(const Dims& shape, Dtype dtype = Dtype::float64);
  /// Numbers in [low, high).
  array uniform(const Parameter& low = 0, const Parameter& high = 1, const Shape& shape = {});
  /// Integers in [low, high), int64; what is uneven about them is far below 2^-64.
  array integers(std::int64_t low, std::int64_t high, const Dims& shape);

  // --- continuous distributions ---

  array standard_normal(const Dims& shape, Dtype dtype = Dtype::float64);
  array normal(const Parameter& mean = 0, const Parameter& scale = 1, const Shape& shape = {});
  array lognormal(const Parameter& mean = 0, const Parameter& sigma = 1, const Shape& shape = {});
  array standard_exponential(const Dims& shape, Dtype dtype = Dtype::float64);
  array exponential(const Parameter& scale = 1, const Shape& shape = {});
  array laplace(const Parameter& loc = 0, const Parameter& scale = 1, const Shape& shape = {});
  array logistic(const Parameter& loc = 0, const Parameter& scale = 1, const Shape& shape = {});
  array gumbel(const Parameter& loc = 0, const Parameter& scale = 1, const Shape& shape = {});
  array rayleigh(const Parameter& scale = 1, const Shape& shape = {});
  array weibull(const Parameter& a, const Shape& shape = {});
  array pareto(const Parameter& a, const Shape& shape = {});  ///< from 0 on: Lomax's
  array power(const Parameter& a, const Shape& shape = {});   ///< density a x**(a - 1) in [0, 1]
  array standard_cauchy(const Dims& shape);
  array triangular(const Parameter& left, const Parameter& mode, const Parameter& right,
                   const Shape& shape = {});
  array wald(const Parameter& mean, const Parameter& scale, const Shape& shape = {});
  array vonmises(const Parameter& mu, const Parameter& kappa, const Shape& shape = {});
  array standard_gamma(const Parameter& alpha, const Shape& shape = {});
  array gamma(const Parameter& alpha, const Parameter& scale = 1, const Shape& shape = {});
  array beta(const Parameter& a, const Parameter& b, const Shape& shape = {});
  array chisquare(const Parameter& df, const Shape& shape = {});
  array f(const Parameter& dfnum, const Parameter& dfden, const Shape& shape = {});
  array standard_t(const Parameter& df, const Shape& shape = {});
  array noncentral_chisquare(const Parameter& df, const Parameter& nonc, const Shape& shape = {});
  array noncentral_f(const Parameter& dfnum, const Parameter& dfden, const Parameter& nonc,
                     const Shape& shape = {});

  // --- counts, int64 ---

  array poisson(const Parameter& mean = 1, const Shape& shape = {});
  array binomial(const Parameter& n, const Parameter& p, const Shape& shape = {});
  array negative_binomial(const Parameter& n, const Parameter& p, const Shape& shape = {});
  array geometric(const Parameter& p, const Shape& shape = {});  ///< trials up to the first success
  array logseries(const Parameter& p, const Shape& shape = {});
  array zipf(const Parameter& a, const Shape& shape = {});
  /// Good ones in a sample that is not put back.
  array hypergeometric(const Parameter& good, const Parameter& bad, const Parameter& sample,
                       const Shape& shape = {});

  // --- vectors, along the last axis; `shape` is that of all of them ---

  /// Numbers that are not negative and sum to 1, for positive parameters in one dimension.
  array dirichlet(const array& alpha, const Dims& shape = {});
  /// Counts, int64, of `n` trials whose outcomes have the chances in the last axis of `p`.
  array multinomial(const Parameter& n, const array& p, const Shape& shape = {});
  /// Counts, int64, by color of `sample` things that are drawn without putting them back.
  array multivariate_hypergeometric(std::span<const std::int64_t> colors, std::int64_t sample,
                                    const Dims& shape = {});
  /// Normal vectors. A covariance that is not symmetric and positive semidefinite within
  /// `tolerance` is a value_error.
  array multivariate_normal(const array& mean, const array& covariance, const Dims& shape = {},
                            FactorMethod method = FactorMethod::svd, double tolerance = 1e-8);

  // --- orders and samples ---

  /// The integers below `count` in random order.
  array permutation(std::int64_t count);
  /// The parts of an array along its first axis, in random order.
  array permutation(const array& a);
  void shuffle(array& a);  ///< in place
  /// The elements of each line along an axis in an order of its own; without one, all of them.
  array permuted(const array& a, std::optional<std::int64_t> axis = std::nullopt);
  /// Integers below `count`, or parts of an array along its first axis, with repetition or without.
  array choice(std::int64_t count, const Dims& shape, bool replace = true);
  array choice(const array& a, const Dims& shape, bool replace = true);

 private:
  using Counter = std::array<std::uint64_t, 4>;  // 256 bits, the lowest word first
  array drawn(const char* distribution, std::initializer_list<Parameter> parameters,
              const Shape& shape, Dtype dtype = Dtype::float64);

  std::vector<std::uint32_t> entropy_, spawn_key_;
  std::uint32_t spawned_ = 0;
  std::array<std::uint64_t, 2> key_{};
  Counter counter_{};  // of the block that words were last taken of
  int used_ = 4;       // of its words
};

}  // namespace heddle::random
