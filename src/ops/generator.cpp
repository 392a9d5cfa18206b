// The public generator: NumPy's seeds and streams. What is drawn of them is in
// ops/distributions.cpp.
#include <algorithm>
#include <initializer_list>
#include <random>

#include <fmt/format.h>

#include "ops/distributions.h"
#include "ops/elementwise.h"
#include "ops/reported.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/products.h>
#include <heddle/random.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

namespace heddle::random {

namespace {

// --- seeds: NumPy's SeedSequence ---

// A hash of 32-bit words whose constant changes from one to the next.
class Hash {
 public:
  Hash(std::uint32_t first, std::uint32_t factor) : constant_(first), factor_(factor) {}
  std::uint32_t operator()(std::uint32_t word) {
    word ^= constant_;
    constant_ *= factor_;
    word *= constant_;
    return word ^ word >> 16;
  }

 private:
  std::uint32_t constant_, factor_;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t mixed = 0xca01f9dd * x - 0x4973f715 * y;
  return mixed ^ mixed >> 16;
}

std::array<std::uint64_t, 2> key_of(std::vector<std::uint32_t> entropy,
                                    const std::vector<std::uint32_t>& spawn_key) {
  constexpr std::size_t size = 4;
  if (!spawn_key.empty() && entropy.size() < size) entropy.resize(size);
  entropy.insert(entropy.end(), spawn_key.begin(), spawn_key.end());
  std::array<std::uint32_t, size> pool;
  Hash hash(0x43b0d7e5, 0x931e8875);
  for (std::size_t i = 0; i < size; ++i) pool[i] = hash(i < entropy.size() ? entropy[i] : 0);
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
    }
  }
  for (std::size_t from = size; from < entropy.size(); ++from) {
    for (std::uint32_t& word : pool) word = mix(word, hash(entropy[from]));
  }
  Hash output(0x8b51f9dd, 0x58f38ded);
  std::array<std::uint64_t, 2> key;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint64_t low = output(pool[2 * i]);
    key[i] = low | std::uint64_t{output(pool[2 * i + 1])} << 32;
  }
  return key;
}

void require(bool holds, const char* message) {
  if (!holds) throw value_error(message);
}

Dims shape_of(const char* name, const Shape& wanted, std::span<const Parameter> parameters) {
  Dims own;
  for (const Parameter& p : parameters) {
    if (p.is_array()) own = broadcast_shapes(name, own, p.values().shape());
  }
  if (!wanted) return own;
  if (broadcast_shapes(name, own, *wanted) != *wanted)
    throw value_error(
        fmt::format("{}: Output size {} is not compatible with broadcast dimensions of inputs {}.",
                    name, to_string(*wanted), to_string(own)));
  return *wanted;
}

}  // namespace

Parameter::Parameter(const array& numbers) : values_(numbers.astype(Dtype::float64)) {}

// --- the stream ---

Reserved Stream::reserve(std::int64_t count, int planes, int per_word) {
  const std::int64_t in_block = std::int64_t{block_words} * per_word;
  count *= rows_at_once();
  const auto blocks = static_cast<std::uint64_t>((count + in_block - 1) / in_block);
  const auto first = advanced(counter_, 1);
  counter_ = advanced(counter_, blocks * static_cast<std::uint64_t>(planes));
  used_ = block_words;
  return {{key_, first}, blocks};
}

array Stream::next(const Dims& shape) {
  const std::int64_t count = size_of(shape) * rows_at_once();
  const bool begun = used_ < block_words;
  const auto first = begun ? counter_ : advanced(counter_, 1);
  const int skipped = begun ? used_ : 0;
  if (count > 0) {
    const std::int64_t last = skipped + count - 1;
    counter_ = advanced(first, static_cast<std::uint64_t>(last / block_words));
    used_ = static_cast<int>(last % block_words) + 1;
  }
  return random_words({key_, first}, shape, Dtype::uint64, default_device(), skipped);
}

Generator::Generator() {
  std::random_device system;
  for (int i = 0; i < 4; ++i) entropy_.push_back(system());
  key_ = key_of(entropy_, spawn_key_);
}

Generator::Generator(std::uint64_t seed) : Generator(std::span(&seed, 1)) {}

Generator::Generator(std::span<const std::uint64_t> seed) {
  for (std::uint64_t word : seed) {
    entropy_.push_back(static_cast<std::uint32_t>(word));
    if (word >> 32 != 0) entropy_.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  key_ = key_of(entropy_, spawn_key_);
}

std::vector<Generator> Generator::spawn(int count) {
  std::vector<Generator> children;
  for (int i = 0; i < count; ++i) {
    Generator& child = children.emplace_back(*this);
    child.spawn_key_.push_back(spawned_++);
    child.spawned_ = 0;
    child.counter_ = {};
    child.used_ = block_words;
    child.key_ = key_of(child.entropy_, child.spawn_key_);
  }
  return children;
}

Generator Generator::jumped(std::uint64_t jumps) const {
  Generator other = *this;
  other.counter_ = advanced(counter_, jumps, 2);
  other.used_ = block_words;
  return other;
}

void Generator::advance(std::uint64_t blocks) {
  counter_ = advanced(counter_, blocks);
  used_ = block_words;
}

array Generator::random_raw(const Dims& shape) { return Stream(key_, counter_, used_).next(shape); }

// --- distributions ---

array Generator::drawn(const char* distribution, std::initializer_list<Parameter> parameters,
                       const Shape& shape, Dtype dtype) {
  const std::span<const Parameter> given(parameters.begin(), parameters.size());
  const Dims space = shape_of(distribution, shape, given);
  if (dtype != Dtype::float64 && dtype != Dtype::float32)
    throw type_error(fmt::format("Unsupported dtype {} for {}", name(dtype), distribution));
  check(distribution, given);
  Stream source(key_, counter_, used_);
  return draw(distribution, source, given, space, dtype);
}

array Generator::random(const Dims& shape, Dtype dtype) {
  if (dtype == Dtype::float64) return elementwise(Op::unit_interval, {random_raw(shape)});
  if (dtype != Dtype::float32)
    throw type_error(fmt::format("Unsupported dtype {} for random", name(dtype)));
  const Reserved reserved = Stream(key_, counter_, used_).reserve(size_of(shape), 1, 2);
  return elementwise(Op::unit_interval, {reserved.words(shape, 0, Dtype::uint32)});
}

array Generator::integers(std::int64_t low, std::int64_t high, const Dims& shape) {
  require(low < high, "low >= high");
  const auto first = static_cast<std::uint64_t>(low);
  const array begin = full({}, Scalar(first), Dtype::uint64);
  const array span = full({}, Scalar(static_cast<std::uint64_t>(high) - first), Dtype::uint64);
  Stream source(key_, counter_, used_);
  return draw_between(source, begin, span, shape).astype(Dtype::int64);
}

#define HEDDLE_DRAW_0(name) \
  array Generator::name(const Dims& shape) { return drawn(#name, {}, shape); }
#define HEDDLE_DRAW_0_TYPED(name) \
  array Generator::name(const Dims& shape, Dtype dtype) { return drawn(#name, {}, shape, dtype); }
#define HEDDLE_DRAW_1(name) \
  array Generator::name(const Parameter& x, const Shape& shape) { return drawn(#name, {x}, shape); }
#define HEDDLE_DRAW_2(name)                                                           \
  array Generator::name(const Parameter& x, const Parameter& y, const Shape& shape) { \
    return drawn(#name, {x, y}, shape);                                               \
  }
#define HEDDLE_DRAW_3(name)                                                         \
  array Generator::name(const Parameter& x, const Parameter& y, const Parameter& z, \
                        const Shape& shape) {                                       \
    return drawn(#name, {x, y, z}, shape);                                          \
  }
HEDDLE_DRAW_2(uniform)
HEDDLE_DRAW_0_TYPED(standard_normal)
HEDDLE_DRAW_2(normal)
HEDDLE_DRAW_2(lognormal)
HEDDLE_DRAW_0_TYPED(standard_exponential)
HEDDLE_DRAW_1(exponential)
HEDDLE_DRAW_2(laplace)
HEDDLE_DRAW_2(logistic)
HEDDLE_DRAW_2(gumbel)
HEDDLE_DRAW_1(rayleigh)
HEDDLE_DRAW_1(weibull)
HEDDLE_DRAW_1(pareto)
HEDDLE_DRAW_1(power)
HEDDLE_DRAW_0(standard_cauchy)
HEDDLE_DRAW_3(triangular)
HEDDLE_DRAW_2(wald)
HEDDLE_DRAW_2(vonmises)
HEDDLE_DRAW_1(standard_gamma)
HEDDLE_DRAW_2(gamma)
HEDDLE_DRAW_2(beta)
HEDDLE_DRAW_1(chisquare)
HEDDLE_DRAW_2(f)
HEDDLE_DRAW_1(standard_t)
HEDDLE_DRAW_2(noncentral_chisquare)
HEDDLE_DRAW_3(noncentral_f)
HEDDLE_DRAW_1(poisson)
HEDDLE_DRAW_2(binomial)
HEDDLE_DRAW_2(negative_binomial)
HEDDLE_DRAW_1(geometric)
HEDDLE_DRAW_1(logseries)
HEDDLE_DRAW_1(zipf)
HEDDLE_DRAW_3(hypergeometric)

// --- vectors ---

array Generator::dirichlet(const array& alpha, const Dims& shape) {
  require(alpha.ndim() == 1, "alpha must be a one-dimensional array");
  const array given = alpha.astype(Dtype::float64);
  const std::vector<double> numbers = given.to_vector<double>();
  require(std::ranges::none_of(numbers, [](double n) { return n < 0; }), "alpha < 0");
  const bool small = std::ranges::any_of(numbers, [](double n) { return n < small_dirichlet; });
  Stream source(key_, counter_, used_);
  return draw_dirichlet(source, given, numbers, small, shape);
}

array Generator::multinomial(const Parameter& n, const array& p, const Shape& shape) {
  require(p.ndim() > 0 && p.shape().back() > 0,
          "pvals must have at least 1 dimension and the last dimension of pvals must be greater "
          "than 0.");
  const array given = p.astype(Dtype::float64);
  require(n.is_array() ? !any(n.values() < 0).item<bool>() : !(n.number() < 0), "n < 0");
  require(all(logical_and(given >= 0, given <= 1)).item<bool>(),
          "pvals < 0, pvals > 1 or pvals contains NaNs");
  const std::int64_t last = p.ndim() - 1, outcomes = p.shape()[last];
  const array sums = sum(given.slice(last, {0, outcomes - 1}), last);
  require(!any(sums > 1.0 + 1e-12).item<bool>(), "sum(pvals[:-1]) > 1.0");
  const Parameter rows = p.ndim() > 1 ? Parameter(sums) : Parameter(0);
  const Parameter both[] = {n, rows};
  Stream source(key_, counter_, used_);
  return draw_multinomial(source, n, given, shape_of("multinomial", shape, both));
}

array Generator::multivariate_hypergeometric(std::span<const std::int64_t> colors,
                                             std::int64_t sample, const Dims& shape) {
  std::int64_t total = 0;
  for (const std::int64_t color : colors) {
    require(color >= 0, "colors must be a one-dimensional sequence of nonnegative integers");
    total += color;
    require(total < 1'000'000'000, "sum(colors) must be less than 1000000000.");
  }
  require(sample >= 0, "nsample must be nonnegative.");
  require(sample <= total, "nsample > sum(colors)");
  Stream source(key_, counter_, used_);
  return draw_multivariate_hypergeometric(source, colors, sample, shape);
}

array Generator::multivariate_normal(const array& mean, const array& covariance, const Dims& shape,
                                     FactorMethod method, double tolerance) {
  if (is_complex(mean.dtype()) || is_complex(covariance.dtype()))
    throw type_error("mean and cov must not be complex");
  require(mean.ndim() == 1, "mean must be 1 dimensional");
  require(covariance.ndim() == 2 && covariance.shape()[0] == covariance.shape()[1],
          "cov must be 2 dimensional and square");
  require(mean.shape()[0] == covariance.shape()[0], "mean and cov must have same length");
  const CovarianceFactor made =
      factor_covariance(covariance.astype(Dtype::float64), method, tolerance);
  Dims space = shape;
  space.push_back(mean.shape()[0]);
  array x = standard_normal(space);
  if (made.wrong)
    x = refused_where<value_error>(*made.wrong, x,
                                   "covariance is not symmetric positive-semidefinite.",
                                   "multivariate_normal");
  return mean.astype(Dtype::float64) + matmul(x, made.factor.T());
}

// --- orders ---

array Generator::permutation(std::int64_t count) {
  require(count >= 0, "negative dimensions are not allowed");
  Stream source(key_, counter_, used_);
  return draw_order(source, count);
}

array Generator::permutation(const array& a) {
  if (a.ndim() == 0) throw value_error("permutation: an array of no dimension has no order");
  return take(a, permutation(a.shape()[0]), 0);
}

void Generator::shuffle(array& a) { a.assign(permutation(a)); }

array Generator::permuted(const array& a, std::optional<std::int64_t> axis) {
  if (a.ndim() == 0) throw type_error("permuted: an array of no dimension has no order");
  Stream source(key_, counter_, used_);
  if (axis) axis = normalize_axis("permuted", *axis, a.ndim());
  return draw_permuted(source, a, axis);
}

array Generator::choice(std::int64_t count, const Dims& shape, bool replace) {
  require(count > 0 || size_of(shape) == 0,
          "a must be a positive integer unless no samples are taken");
  if (replace) return integers(0, std::max<std::int64_t>(count, 1), shape);
  require(size_of(shape) <= count,
          "Cannot take a larger sample than population when replace is False");
  Stream source(key_, counter_, used_);
  return draw_order(source, count, size_of(shape)).reshape(shape);
}

array Generator::choice(const array& a, const Dims& shape, bool replace) {
  if (a.ndim() == 0) throw value_error("choice: an array of no dimension has no parts");
  return take(a, choice(a.shape()[0], shape, replace), 0);
}

}  // namespace heddle::random
