// The public generator: NumPy's seeds and streams, and distributions composed of deferred
// operations. Those by rejection are in kernel/scalar_rejection.cpp.
#include <cmath>
#include <initializer_list>
#include <random>

#include <fmt/format.h>

#include "graph/recorder.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/random.h>
#include <heddle/reductions.h>
#include <heddle/sorting.h>
#include <heddle/ufuncs.h>

namespace heddle::random {

namespace {

constexpr int block_words = 4;
constexpr double tiny = 0x1p-54;  // takes the place of zero: half of the least number drawn
constexpr double most_poisson = 9.223372006484771e18;  // what NumPy allows
constexpr double few_counts = 10;  // expected counts below this are found by their quantile
constexpr std::int64_t sorted_orders = 1 << 16;  // are those of random words; of more, a bijection

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

void add(std::array<std::uint64_t, 4>& counter, std::uint64_t blocks, std::size_t from = 0) {
  for (std::size_t i = from; i < 4 && blocks != 0; ++i) {
    counter[i] += blocks;
    blocks = counter[i] < blocks ? 1 : 0;
  }
}

// --- numbers of words ---

array unit(const array& words) { return elementwise(Op::unit_interval, {words}); }
array exponential_of(const array& words) { return -log(1.0 - unit(words)); }
array normal_of(const array& words) { return elementwise(Op::normal_deviate, {words}); }

// A parameter where an operand is wanted.
class Given {
 public:
  explicit Given(const Parameter& p) : number_(p.number()) {
    if (p.is_array()) array_ = &p.values();
  }
  operator Input() const { return array_ ? Input(*array_) : Input(number_); }

 private:
  Scalar number_;
  const array* array_ = nullptr;
};

array multiply(const Parameter& p, const array& a) {
  return elementwise(Op::multiply, {Given(p), a});
}
array add(const Parameter& p, const array& a) { return elementwise(Op::add, {Given(p), a}); }

// A function of numbers, or of the arrays that one of them is.
Parameter of(Op op, const Parameter& x, const Parameter& y, double value) {
  if (!x.is_array() && !y.is_array()) return value;
  return elementwise(op, {Given(x), Given(y)});
}
Parameter operator-(const Parameter& x, const Parameter& y) {
  return of(Op::subtract, x, y, x.number() - y.number());
}

// Whether every value is at least `least`, or beyond it; nan is neither.
bool all_from(const Parameter& p, double least, bool itself = true) {
  if (!p.is_array()) return itself ? p.number() >= least : p.number() > least;
  return all(itself ? p.values() >= least : p.values() > least).item<bool>();
}

void require(bool holds, const char* message) {
  if (!holds) throw value_error(message);
}

Dims shape_of(const char* name, const Shape& wanted,
              std::initializer_list<const Parameter*> parameters) {
  Dims own;
  for (const Parameter* p : parameters) {
    if (p->is_array()) own = broadcast_shapes(name, own, p->values().shape());
  }
  if (!wanted) return own;
  if (broadcast_shapes(name, own, *wanted) != *wanted)
    throw value_error(
        fmt::format("{}: Output size {} is not compatible with broadcast dimensions of inputs {}.",
                    name, to_string(*wanted), to_string(own)));
  return *wanted;
}

array as_counts(const array& numbers) { return numbers.astype(Dtype::int64); }

}  // namespace

Parameter::Parameter(const array& numbers) : values_(numbers.astype(Dtype::float64)) {}

// --- the stream ---

// Blocks that one call has for itself: planes of words, each with one word an element.
struct Generator::Reserved {
  std::array<std::uint64_t, 2> key;
  Counter counter;
  std::uint64_t blocks;

  array words(const Dims& shape, std::uint64_t plane = 0, Dtype dtype = Dtype::uint64) const {
    Counter start = counter;
    add(start, plane * blocks);
    return random_words({key, start}, shape, dtype, default_device());
  }
};

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
  add(other.counter_, jumps, 2);
  other.used_ = block_words;
  return other;
}

void Generator::advance(std::uint64_t blocks) {
  add(counter_, blocks);
  used_ = block_words;
}

Generator::Reserved Generator::reserve(std::int64_t count, int planes, int per_word) {
  const std::int64_t in_block = std::int64_t{block_words} * per_word;
  count *= rows_at_once();
  const auto blocks = static_cast<std::uint64_t>((count + in_block - 1) / in_block);
  Counter first = counter_;
  add(first, 1);
  add(counter_, blocks * static_cast<std::uint64_t>(planes));
  used_ = block_words;
  return {key_, first, blocks};
}

array Generator::random_raw(const Dims& shape) {
  const std::int64_t count = size_of(shape) * rows_at_once();
  Counter first = counter_;
  if (used_ == block_words) {
    used_ = 0;
    add(first, 1);
  }
  const int skipped = used_;
  if (count == 0) {
    if (skipped == 0) used_ = block_words;
  } else {
    const std::int64_t last = skipped + count - 1;
    counter_ = first;
    add(counter_, static_cast<std::uint64_t>(last / block_words));
    used_ = static_cast<int>(last % block_words) + 1;
  }
  return random_words({key_, first}, shape, Dtype::uint64, default_device(), skipped);
}

// --- distributions ---

array Generator::random(const Dims& shape, Dtype dtype) {
  if (dtype == Dtype::float64) return unit(random_raw(shape));
  if (dtype != Dtype::float32)
    throw type_error(fmt::format("Unsupported dtype {} for random", name(dtype)));
  return unit(reserve(size_of(shape), 1, 2).words(shape, 0, Dtype::uint32));
}

array Generator::uniform(const Parameter& low, const Parameter& high, const Shape& shape) {
  const Dims space = shape_of("uniform", shape, {&low, &high});
  const Parameter extent = high - low;
  require(all_from(extent, 0), "high - low < 0");
  return add(low, multiply(extent, unit(random_raw(space))));
}

array Generator::integers(std::int64_t low, std::int64_t high, const Dims& shape) {
  require(low < high, "low >= high");
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t half = 0xffffffff;
  auto high_product = [&](const array& x) {
    array x0 = x & half, x1 = x >> 32;
    const std::uint64_t y0 = span & half, y1 = span >> 32;
    array mixed = x0 * y1 + ((x0 * y0) >> 32);
    array other = x1 * y0 + (mixed & half);
    return x1 * y1 + (mixed >> 32) + (other >> 32);
  };
  const Reserved reserved = reserve(size_of(shape), 2);
  array word = reserved.words(shape, 0), rest = high_product(reserved.words(shape, 1));
  array carried = (word * span + rest < rest).astype(Dtype::uint64);
  array value = high_product(word) + carried + static_cast<std::uint64_t>(low);
  return value.astype(Dtype::int64);
}

array Generator::standard_normal(const Dims& shape, Dtype dtype) {
  if (dtype == Dtype::float64) return normal_of(reserve(size_of(shape)).words(shape));
  if (dtype != Dtype::float32)
    throw type_error(fmt::format("Unsupported dtype {} for standard_normal", name(dtype)));
  return normal_of(reserve(size_of(shape), 1, 2).words(shape, 0, Dtype::uint32));
}

array Generator::normal(const Parameter& mean, const Parameter& scale, const Shape& shape) {
  const Dims space = shape_of("normal", shape, {&mean, &scale});
  require(all_from(scale, 0), "scale < 0");
  return add(mean, multiply(scale, normal_of(reserve(size_of(space)).words(space))));
}

array Generator::exponential(const Parameter& scale, const Shape& shape) {
  const Dims space = shape_of("exponential", shape, {&scale});
  require(all_from(scale, 0), "scale < 0");
  return multiply(scale, exponential_of(reserve(size_of(space)).words(space)));
}

// Numbers of a parameter of at least 1: smaller ones are greater by 1 here, and what their numbers
// have to be multiplied by is told as a logarithm.
Generator::GammaParts Generator::gamma_parts(const Parameter& alpha, const Dims& shape) {
  const std::int64_t count = size_of(shape);
  Parameter greater = alpha;
  std::optional<array> factor;
  if (alpha.is_array() || alpha.number() < 1) {
    array power = log(maximum(unit(reserve(count).words(shape)), tiny));
    if (alpha.is_array()) {
      const array small = alpha.values() < 1.0;
      greater = where(small, alpha.values() + 1.0, alpha.values());
      factor = where(small, power / alpha.values(), 0.0);
    } else {
      greater = alpha.number() + 1;
      factor = power * (1 / alpha.number());
    }
  }
  const Reserved reserved = reserve(count, 2);
  const array u = unit(reserved.words(shape, 0)), v = unit(reserved.words(shape, 1));
  return {elementwise(Op::gamma_deviate, {u, v, Given(greater)}), factor};
}

array Generator::gamma(const Parameter& alpha, const Parameter& scale, const Shape& shape) {
  const Dims space = shape_of("gamma", shape, {&alpha, &scale});
  require(all_from(alpha, 0), "shape < 0");
  require(all_from(scale, 0), "scale < 0");
  if (!alpha.is_array() && alpha.number() == 1)
    return multiply(scale, exponential_of(reserve(size_of(space)).words(space)));
  const auto [numbers, factor] = gamma_parts(alpha, space);
  return multiply(scale, factor ? numbers * exp(*factor) : numbers);
}

array Generator::beta(const Parameter& a, const Parameter& b, const Shape& shape) {
  const Dims space = shape_of("beta", shape, {&a, &b});
  require(all_from(a, 0, false), "a <= 0");
  require(all_from(b, 0, false), "b <= 0");
  // Of logarithms, which do not underflow where parameters are small.
  auto logarithm = [](const GammaParts& parts) {
    return parts.factor ? log(parts.numbers) + *parts.factor : log(parts.numbers);
  };
  array first = logarithm(gamma_parts(a, space));
  array second = logarithm(gamma_parts(b, space));
  return 1.0 / (1.0 + exp(second - first));
}

array Generator::poisson(const Parameter& mean, const Shape& shape) {
  const Dims space = shape_of("poisson", shape, {&mean});
  const std::int64_t count = size_of(space);
  require(all_from(mean, 0), "lam < 0 or lam is NaN");
  require(all_from(most_poisson - mean, 0), "lam value too large");
  if (!mean.is_array() && mean.number() < few_counts) {
    const array u = unit(reserve(count).words(space));
    return as_counts(elementwise(Op::poisson_quantile, {Given(mean), u}));
  }
  const Reserved reserved = reserve(count, 2);
  const array u = unit(reserved.words(space, 0)), v = unit(reserved.words(space, 1));
  if (!mean.is_array()) return as_counts(elementwise(Op::poisson_deviate, {u, v, Given(mean)}));
  const array few = mean.values() < few_counts;
  const array small = minimum(mean.values(), few_counts),
              usual = maximum(mean.values(), few_counts);
  const array low = elementwise(Op::poisson_quantile, {small, where(few, u, 0.0)});
  const array high =
      elementwise(Op::poisson_deviate, {where(few, 0.5, u), where(few, 0.0, v), usual});
  return as_counts(where(few, low, high));
}

array Generator::binomial(const Parameter& n, const Parameter& p, const Shape& shape) {
  const Dims space = shape_of("binomial", shape, {&n, &p});
  const std::int64_t count = size_of(space);
  require(all_from(n, 0), "n < 0");
  require(all_from(p, 0) && all_from(1 - p, 0), "p < 0, p > 1 or p is NaN");
  if (!n.is_array() && !p.is_array()) {
    const bool flipped = p.number() > 0.5;
    const Parameter less = flipped ? 1 - p.number() : p.number();
    const bool few = n.number() * less.number() < few_counts;
    const Reserved reserved = reserve(count, few ? 1 : 2);
    const array u = unit(reserved.words(space, 0));
    array k = few ? elementwise(Op::binomial_quantile, {Given(n), Given(less), u})
                  : elementwise(Op::binomial_deviate,
                                {u, unit(reserved.words(space, 1)), Given(n), Given(less)});
    k = minimum(k, n.number());
    return as_counts(flipped ? n.number() - k : k);
  }
  const array trials = add(n, zeros({})), chance = add(p, zeros({}));
  const array flipped = chance > 0.5;
  const array less = where(flipped, 1.0 - chance, chance);
  const array few = trials * less < few_counts;
  const Reserved reserved = reserve(count, 2);
  const array u = unit(reserved.words(space, 0)), v = unit(reserved.words(space, 1));
  const array low =
      elementwise(Op::binomial_quantile, {trials, where(few, less, 0.0), where(few, u, 0.0)});
  // Where few are expected: parameters and numbers of which nothing is rejected.
  const array high = elementwise(
      Op::binomial_deviate,
      {where(few, 0.5, u), where(few, 0.0, v), where(few, 100.0, trials), where(few, 0.5, less)});
  const array k = minimum(where(few, low, high), trials);
  return as_counts(where(flipped, trials - k, k));
}

// --- orders ---

array Generator::permutation(std::int64_t count) {
  require(count >= 0, "negative dimensions are not allowed");
  if (count <= sorted_orders) return argsort(reserve(count).words({count}), 0);
  const Reserved reserved = reserve(2);
  const array places = arange(count).astype(Dtype::uint64);
  const Scalar all(count);
  if (Recorder::current()) {
    // A number that the host finds would be the same in every row, and in every repeated call.
    const array key = reserved.words({2});
    return elementwise(Op::shuffled, {places, all, key[0], key[1]}).astype(Dtype::int64);
  }
  const auto key = random_block({reserved.key, reserved.counter});
  const Scalar first(key[0]), second(key[1]);
  return elementwise(Op::shuffled, {places, all, first, second}).astype(Dtype::int64);
}

array Generator::permutation(const array& a) {
  if (a.ndim() == 0) throw value_error("permutation: an array of no dimension has no order");
  return take(a, permutation(a.shape()[0]), 0);
}

}  // namespace heddle::random
