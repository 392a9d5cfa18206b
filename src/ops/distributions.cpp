#include "ops/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "graph/recorder.h"
#include "ops/elementwise.h"
#include "ops/reported.h"
#include "ops/terms.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/reductions.h>
#include <heddle/sorting.h>
#include <heddle/ufuncs.h>

namespace heddle::random {

namespace {

constexpr double tiny = 0x1p-54;   // takes the place of zero: half of the least number drawn
constexpr double few_counts = 10;  // expected counts below this are found by their quantile
constexpr double short_sample = 10;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

// --- numbers of words ---

Term unit(const array& words) { return elementwise(Op::unit_interval, {words}); }
Term open_unit(const array& words) { return maximum(unit(words), tiny); }
Term normal_of(const array& words) { return elementwise(Op::normal_deviate, {words}); }
Term exponential_of(const array& words) { return -log(1.0 - unit(words)); }
// Whether the lowest bit is not set, which numbers made of the same word do not depend on.
Test is_even(const array& words) {
  return equal(Term(elementwise(Op::bitwise_and, {words, Scalar(std::uint64_t{1})})), 0.0);
}

// What one call draws: of where, for which parameters, how many.
struct Draw {
  Source& source;
  std::span<const Term> parameters;
  const Dims& shape;
  Dtype dtype = Dtype::float64;

  const Term& operator[](std::size_t i) const { return parameters[i]; }
  // A word for each element, or half of one.
  array words() const {
    if (dtype == Dtype::float64) return source.reserve(size_of(shape)).words(shape);
    return source.reserve(size_of(shape), 1, 2).words(shape, 0, Dtype::uint32);
  }
  Reserved two_words() const { return source.reserve(size_of(shape), 2); }
};

// What numbers by rejection are made of: two in [0, 1) for each element.
struct Pair {
  explicit Pair(const Draw& d) : Pair(d.two_words(), d.shape) {}
  Pair(const Reserved& reserved, const Dims& shape)
      : u(unit(reserved.words(shape, 0))), v(unit(reserved.words(shape, 1))) {}
  // Such that rejection keeps at once, where a test holds.
  Pair unless(const Test& kept) const { return {where(kept, 0.5, u), where(kept, 0.0, v)}; }
  Term u, v;

 private:
  Pair(Term u, Term v) : u(std::move(u)), v(std::move(v)) {}
};

// --- gamma numbers: the method of Marsaglia and Tsang (2000) ---

// Of a parameter below 1 they are those of a parameter greater by 1, times u ** (1 / alpha), whose
// logarithm is `added`.
struct GammaNumbers {
  Term numbers;
  Term added = 0.0;
};

GammaNumbers gamma_parts(const Draw& d, const Term& alpha) {
  Term greater = alpha, added = 0.0;
  if (alpha.is_array()) {
    const Term power = log(open_unit(d.source.reserve(size_of(d.shape)).words(d.shape))) / alpha;
    const Test small = less(alpha, 1.0);
    greater = where(small, alpha + 1.0, alpha);
    added = where(small, power, 0.0);
  } else if (alpha.number() < 1) {
    const Term power = log(open_unit(d.source.reserve(size_of(d.shape)).words(d.shape)));
    const double infinity = std::numeric_limits<double>::infinity();
    greater = alpha + 1.0;
    added = alpha.number() == 0 ? power * infinity : power / alpha;
  }
  const Pair two(d);
  return {elementwise(Op::gamma_deviate, {two.u, two.v, greater}), added};
}

Term gamma_of(const Draw& d, const Term& alpha) {
  if (!alpha.is_array() && alpha.number() == 1)
    return exponential_of(d.source.reserve(size_of(d.shape)).words(d.shape));
  const auto [numbers, added] = gamma_parts(d, alpha);
  return added.is_array() ? numbers * exp(added) : numbers;
}

// Logarithms do not underflow where the parameter is small.
Term log_gamma_of(const Draw& d, const Term& alpha) {
  const auto [numbers, added] = gamma_parts(d, alpha);
  return added.is_array() ? log(numbers) + added : log(numbers);
}

// --- counts, as float64 ---

// Whole numbers as int64; what is beyond is the greatest one.
Term as_counts(const Term& x) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const array beyond = x.values() >= static_cast<double>(most);
  return heddle::where(beyond, Scalar(most),
                       heddle::where(beyond, Scalar(0.0), x.values()).astype(Dtype::int64));
}

// Small ones by their quantile, else by Hörmann's PTRS (1993).
Term poisson_of(const Draw& d, const Term& mean) {
  const Test few = less(mean, few_counts);
  if (few.holds()) return elementwise(Op::poisson_quantile, {mean, unit(d.words())});
  const Pair two(d);
  if (!few.is_array()) return elementwise(Op::poisson_deviate, {two.u, two.v, mean});
  const Term small = minimum(mean, few_counts), large = maximum(mean, few_counts);
  const Term low = elementwise(Op::poisson_quantile, {small, where(few, two.u, 0.0)});
  const Pair usual = two.unless(few);
  return where(few, low, elementwise(Op::poisson_deviate, {usual.u, usual.v, large}));
}

// Few by their quantile, else by Hörmann's BTRS (1993).
Term binomial_of(const Draw& d, const Term& n, const Term& p) {
  const Test flipped = greater(p, 0.5);
  const Term fewer = where(flipped, 1.0 - p, p);
  const Test few = less(n * fewer, few_counts);
  Term k = 0.0;
  if (few.holds()) {
    k = elementwise(Op::binomial_quantile, {n, fewer, unit(d.words())});
  } else if (const Pair two(d); !few.is_array()) {
    k = elementwise(Op::binomial_deviate, {two.u, two.v, n, fewer});
  } else {
    const Term low =
        elementwise(Op::binomial_quantile, {n, where(few, fewer, 0.0), where(few, two.u, 0.0)});
    const Pair usual = two.unless(few);
    k = where(few, low,
              elementwise(Op::binomial_deviate,
                          {usual.u, usual.v, where(few, 100.0, n), where(few, 0.5, fewer)}));
  }
  k = minimum(k, n);
  return where(flipped, n - k, k);
}

// Of few by their quantile, else by Stadlober's HRUA (1989). Drawn are the fewer kind of the
// sample, or of what is left behind, whichever is smaller.
Term hypergeometric_of(const Draw& d, const Term& good, const Term& bad, const Term& sample) {
  const Term low = minimum(good, bad), high = maximum(good, bad);
  const Term drawn = minimum(sample, good + bad - sample);
  const Test few = less_equal(drawn, short_sample);
  Term k = 0.0;
  if (few.holds()) {
    k = elementwise(Op::hypergeometric_quantile, {low, high, drawn, unit(d.words())});
  } else if (const Pair two(d); !few.is_array()) {
    k = elementwise(Op::hypergeometric_deviate, {two.u, two.v, low, high, drawn});
  } else {
    const Term few_drawn = minimum(drawn, short_sample);
    const Term short_k =
        elementwise(Op::hypergeometric_quantile, {low, high, few_drawn, where(few, two.u, 0.0)});
    const Pair usual = two.unless(few);
    k = where(few, short_k,
              elementwise(Op::hypergeometric_deviate,
                          {usual.u, usual.v, where(few, 100.0, low), where(few, 100.0, high),
                           where(few, 50.0, drawn)}));
  }
  k = where(greater(good, bad), drawn - k, k);
  return where(less(drawn, sample), good - k, k);
}

// --- distributions that take more than a line ---

Term laplace(const Draw& d) {
  const array words = d.words();
  const Term x = exponential_of(words);
  return d[0] + d[1] * where(is_even(words), x, -x);
}

Term logistic(const Draw& d) {
  const Term u = open_unit(d.words());
  return d[0] + d[1] * log(u / (1.0 - u));
}

Term weibull(const Draw& d) {
  const Term x = exponential_of(d.words());
  if (!d[0].is_array()) return d[0].number() == 0 ? x * 0.0 : power(x, 1.0 / d[0]);
  return where(equal(d[0], 0.0), 0.0, power(x, 1.0 / d[0]));
}

Term triangular(const Draw& d) {
  const Term &low = d[0], &top = d[1], &high = d[2];
  const Term u = unit(d.words()), whole = high - low, rise = top - low;
  const Term rising = low + sqrt(u * (whole * rise));
  const Term falling = high - sqrt((1.0 - u) * (whole * (high - top)));
  return where(less_equal(u * whole, rise), rising, falling);
}

Term wald(const Draw& d) {
  const Term &mu = d[0], &lambda = d[1];
  const Reserved reserved = d.two_words();
  const Term z = normal_of(reserved.words(d.shape, 0)), u = unit(reserved.words(d.shape, 1));
  const Term y = mu * z * z;
  // The smaller root of the quadratic equation, without cancellation.
  const Term root = mu - 2.0 * mu * y / (y + sqrt(y * (4.0 * lambda + y)));
  const Term x = where(equal(y, 0.0), mu, root);
  return where(less_equal(u * (mu + x), mu), x, mu * mu / x);
}

// The method of Best and Fisher (1979).
Term vonmises(const Draw& d) {
  const Pair two(d);
  Term angle = Term(elementwise(Op::vonmises_deviate, {two.u, two.v, d[1]})) + d[0];
  angle = where(not_equal(d[1], d[1]), nan, angle);
  const Term inside = remainder(angle + pi, 2.0 * pi) - pi;
  return where(less_equal(absolute(angle), pi), angle, inside);
}

Term beta(const Draw& d) {
  const Term first = log_gamma_of(d, d[0]), second = log_gamma_of(d, d[1]);
  return 1.0 / (1.0 + exp(second - first));
}

Term f(const Draw& d) {
  const Term first = gamma_of(d, d[0] / 2.0), second = gamma_of(d, d[1] / 2.0);
  return first * d[1] / (second * d[0]);
}

Term standard_t(const Draw& d) {
  const Term chi = gamma_of(d, d[0] / 2.0);
  return sqrt(d[0] / 2.0) * normal_of(d.words()) / sqrt(chi);
}

Term noncentral_of(const Draw& d, const Term& df, const Term& nonc) {
  if (!df.is_array() && df.number() > 1) {  // a square that is not centred, and the rest
    const Term moved = normal_of(d.words()) + sqrt(nonc);
    return 2.0 * gamma_of(d, (df - 1.0) / 2.0) + moved * moved;
  }
  // A mixture of central ones whose degrees of freedom are more by twice a Poisson number.
  const Term more = as_counts(poisson_of(d, nonc / 2.0)).values().astype(Dtype::float64);
  return where(not_equal(nonc, nonc), nan, 2.0 * gamma_of(d, more + df / 2.0));
}

Term noncentral_f(const Draw& d) {
  const Term first = noncentral_of(d, d[0], d[2]), second = 2.0 * gamma_of(d, d[1] / 2.0);
  return first * d[1] / (second * d[0]);
}

Term negative_binomial(const Draw& d) {
  const Term means = gamma_of(d, d[0]) * ((1.0 - d[1]) / d[1]);
  return as_counts(poisson_of(d, means));
}

Term logseries(const Draw& d) {  // the method of Kemp (1981)
  const Pair two(d);
  return as_counts(elementwise(Op::logseries_deviate, {two.u, two.v, d[0]}));
}

Term zipf(const Draw& d) {  // the rejection of Devroye (1986)
  const Pair two(d);
  return as_counts(elementwise(Op::zipf_deviate, {two.u, two.v, d[0]}));
}

// --- the table ---

enum class Wants : std::uint8_t {
  anything,
  not_negative,
  above_zero,
  chance,            // [0, 1]
  positive_chance,   // (0, 1]
  uncertain_chance,  // [0, 1)
  above_one,
  mean_count,
};

struct Named {
  std::string_view name;
  Wants wants = Wants::anything;
};

// What parameters must not be together, and what is said of it.
struct Refusal {
  Test (*of)(std::span<const Term> parameters) = nullptr;
  const char* message = nullptr;
  bool overflows = false;  // beyond the numbers there are, rather than wrong
};

struct Distribution {
  std::string_view name;
  Term (*draw)(const Draw&);
  std::array<Named, 3> parameters = {};
  std::array<Refusal, 3> refused = {};
};

constexpr double largest = std::numeric_limits<double>::max();

using enum Wants;
using Terms = std::span<const Term>;

constexpr const char* large_counts = "both ngood and nbad must be less than 1000000000";

// clang-format off
const Distribution distributions[] = {
    {"standard_normal", [](const Draw& d) { return normal_of(d.words()); }},
    {"normal", [](const Draw& d) { return d[0] + d[1] * normal_of(d.words()); },
     {{{"loc"}, {"scale", not_negative}}}},
    {"lognormal", [](const Draw& d) { return exp(d[0] + d[1] * normal_of(d.words())); },
     {{{"mean"}, {"sigma", not_negative}}}},
    {"standard_exponential", [](const Draw& d) { return exponential_of(d.words()); }},
    {"exponential", [](const Draw& d) { return d[0] * exponential_of(d.words()); },
     {{{"scale", not_negative}}}},
    {"laplace", laplace, {{{"loc"}, {"scale", not_negative}}}},
    {"logistic", logistic, {{{"loc"}, {"scale", not_negative}}}},
    {"gumbel", [](const Draw& d) { return d[0] - d[1] * log(-log(open_unit(d.words()))); },
     {{{"loc"}, {"scale", not_negative}}}},
    {"rayleigh", [](const Draw& d) { return d[0] * sqrt(2.0 * exponential_of(d.words())); },
     {{{"scale", not_negative}}}},
    {"weibull", weibull, {{{"a", not_negative}}}},
    {"pareto", [](const Draw& d) { return expm1(exponential_of(d.words()) / d[0]); },
     {{{"a", above_zero}}}},
    {"power", [](const Draw& d) { return power(1.0 - unit(d.words()), 1.0 / d[0]); },
     {{{"a", above_zero}}}},
    {"standard_cauchy", [](const Draw& d) { return tan(pi * (unit(d.words()) - 0.5)); }},
    {"triangular", triangular, {{{"left"}, {"mode"}, {"right"}}},
     {{{[](Terms p) { return greater(p[0], p[1]); }, "left > mode"},
       {[](Terms p) { return greater(p[1], p[2]); }, "mode > right"},
       {[](Terms p) { return equal(p[0], p[2]); }, "left == right"}}}},
    {"uniform", [](const Draw& d) { return d[0] + (d[1] - d[0]) * unit(d.source.next(d.shape)); },
     {{{"low"}, {"high"}}},
     {{{[](Terms p) { return not_within(p[1] - p[0], -largest, largest); },
        "Range exceeds valid bounds", true},
       {[](Terms p) { return less(p[1] - p[0], 0.0); }, "high - low < 0"}}}},
    {"wald", wald, {{{"mean", above_zero}, {"scale", above_zero}}}},
    {"vonmises", vonmises, {{{"mu"}, {"kappa", not_negative}}}},
    {"standard_gamma", [](const Draw& d) { return gamma_of(d, d[0]); }, {{{"shape", not_negative}}}},
    {"log_gamma", [](const Draw& d) { return log_gamma_of(d, d[0]); }, {{{"shape", not_negative}}}},
    {"gamma", [](const Draw& d) { return d[1] * gamma_of(d, d[0]); },
     {{{"shape", not_negative}, {"scale", not_negative}}}},
    {"beta", beta, {{{"a", above_zero}, {"b", above_zero}}}},
    {"chisquare", [](const Draw& d) { return 2.0 * gamma_of(d, d[0] / 2.0); },
     {{{"df", above_zero}}}},
    {"f", f, {{{"dfnum", above_zero}, {"dfden", above_zero}}}},
    {"standard_t", standard_t, {{{"df", above_zero}}}},
    {"noncentral_chisquare", [](const Draw& d) { return noncentral_of(d, d[0], d[1]); },
     {{{"df", above_zero}, {"nonc", not_negative}}}},
    {"noncentral_f", noncentral_f,
     {{{"dfnum", above_zero}, {"dfden", above_zero}, {"nonc", not_negative}}}},
    {"poisson", [](const Draw& d) { return as_counts(poisson_of(d, d[0])); },
     {{{"lam", mean_count}}}},
    {"binomial", [](const Draw& d) { return as_counts(binomial_of(d, d[0], d[1])); },
     {{{"n", not_negative}, {"p", chance}}}},
    {"negative_binomial", negative_binomial, {{{"n", above_zero}, {"p", positive_chance}}}},
    {"geometric", [](const Draw& d) {
       return as_counts(maximum(ceil(exponential_of(d.words()) / -log1p(-d[0])), 1.0));
     }, {{{"p", positive_chance}}}},
    {"logseries", logseries, {{{"p", uncertain_chance}}}},
    {"zipf", zipf, {{{"a", above_one}}}},
    {"hypergeometric", [](const Draw& d) {
       return as_counts(hypergeometric_of(d, d[0], d[1], d[2]));
     }, {{{"ngood", not_negative}, {"nbad", not_negative}, {"nsample", not_negative}}},
     {{{[](Terms p) { return less(p[0] + p[1], p[2]); }, "ngood + nbad < nsample"},
       {[](Terms p) { return greater(p[0], 1e9); }, large_counts},
       {[](Terms p) { return greater(p[1], 1e9); }, large_counts}}}},
};
// clang-format on

const Distribution& find(std::string_view name) {
  const auto* found = std::ranges::find(distributions, name, &Distribution::name);
  if (found == std::end(distributions))
    throw value_error(fmt::format("there is no distribution {}", name));
  return *found;
}

// Whether a test of a parameter holds for any of its numbers.
bool any_of(const Test& test) {
  return test.is_array() ? is_true_anywhere(test.values()) : test.holds();
}

void check_one(const Named& one, const Term& p) {
  auto refuse = [&](const Test& wrong, const char* what) {
    if (any_of(wrong)) throw value_error(fmt::format(fmt::runtime(what), one.name));
  };
  switch (one.wants) {
    case anything:
      break;
    case not_negative:
      refuse(less(p, 0.0), "{0} < 0");
      break;
    case above_zero:
      refuse(less_equal(p, 0.0), "{0} <= 0");
      break;
    case chance:
      refuse(not_within(p, 0.0, 1.0), "{0} < 0, {0} > 1 or {0} is NaN");
      break;
    case positive_chance:
      refuse(not_within(p, 0.0, 1.0), "{0} <= 0, {0} > 1 or {0} contains NaNs");
      refuse(equal(p, 0.0), "{0} <= 0, {0} > 1 or {0} contains NaNs");
      break;
    case uncertain_chance:
      refuse(not_within(p, 0.0, 1.0), "{0} < 0, {0} >= 1 or {0} is NaN");
      refuse(equal(p, 1.0), "{0} < 0, {0} >= 1 or {0} is NaN");
      break;
    case above_one:
      refuse(not_within(p, 1.0, std::numeric_limits<double>::infinity()), "{0} <= 1 or {0} is NaN");
      refuse(equal(p, 1.0), "{0} <= 1 or {0} is NaN");
      break;
    case mean_count:
      refuse(not_within(p, 0.0, std::numeric_limits<double>::infinity()), "{0} < 0 or {0} is NaN");
      refuse(greater(p, 9.223372006484771e18), "{0} value too large");  // what NumPy allows
      break;
  }
}

}  // namespace

array Reserved::words(const Dims& shape, std::uint64_t plane, Dtype dtype) const {
  const RandomStream at{stream.key, advanced(stream.counter, plane * blocks), stream.source};
  return random_words(at, shape, dtype, default_device());
}

std::array<std::uint64_t, 4> advanced(std::array<std::uint64_t, 4> counter, std::uint64_t blocks,
                                      std::size_t word) {
  for (std::size_t i = word; i < counter.size() && blocks != 0; ++i) {
    counter[i] += blocks;
    blocks = counter[i] < blocks ? 1 : 0;
  }
  return counter;
}

array draw(std::string_view distribution, Source& source, std::span<const Parameter> parameters,
           const Dims& shape, Dtype dtype) {
  const Distribution& found = find(distribution);
  // Words are made by blocks along a dimension, and short ones would waste them: where parameters
  // are spread, numbers are drawn along a single one.
  const bool spread = std::ranges::any_of(
      parameters, [&](const Parameter& p) { return p.is_array() && p.values().shape() != shape; });
  const Dims space = spread ? Dims{size_of(shape)} : shape;
  std::vector<Term> terms;
  for (const Parameter& p : parameters) {
    terms.emplace_back(!p.is_array() ? Term(p.number())
                       : spread      ? Term(p.values().broadcast_to(shape).reshape(space))
                                     : Term(p.values()));
  }
  const Term made = found.draw({source, terms, space, dtype});
  array drawn = made.is_array() ? made.values() : full(space, made.number());  // nan of nan
  if (dtype == Dtype::float32) drawn = drawn.astype(dtype);
  return spread ? drawn.reshape(shape) : drawn;
}

void check(std::string_view distribution, std::span<const Parameter> parameters) {
  const Distribution& found = find(distribution);
  std::vector<Term> terms(parameters.begin(), parameters.end());
  for (std::size_t i = 0; i < terms.size(); ++i) check_one(found.parameters[i], terms[i]);
  for (const Refusal& refusal : found.refused) {
    if (!refusal.of || !any_of(refusal.of(terms))) continue;
    if (refusal.overflows) throw overflow_error(refusal.message);
    throw value_error(refusal.message);
  }
}

// --- integers ---

namespace {

constexpr std::int64_t sorted_orders = 1 << 16;  // are those of random words; of more, a bijection
// Of samples of one in this many, too, unless there are few.
constexpr std::int64_t sparse_sample = 16, few_places = 1 << 10;

}  // namespace

array high_product(const array& x, const array& y) {
  const std::uint64_t half = 0xffffffff;
  const array x0 = x & half, x1 = x >> 32, y0 = y & half, y1 = y >> 32;
  const array mixed = x0 * y1 + ((x0 * y0) >> 32);
  const array other = x1 * y0 + (mixed & half);
  return x1 * y1 + (mixed >> 32) + (other >> 32);
}

array draw_between(Source& source, const array& first, const array& span, const Dims& shape) {
  // A fraction of 128 bits times the span: what is not even about it is far below 2**-64.
  const Dims space{size_of(shape)};
  const array begin = first.broadcast_to(shape).reshape(space);
  const array extent = span.broadcast_to(shape).reshape(space);
  const Reserved reserved = source.reserve(space[0], 2);
  const array word = reserved.words(space, 0);
  const array rest = high_product(reserved.words(space, 1), extent);
  const array carried = (word * extent + rest < rest).astype(Dtype::uint64);
  const array value = high_product(word, extent) + carried;
  return (where(extent == Scalar(0), word, value) + begin).reshape(shape);
}

array draw_order(Source& source, std::int64_t count, std::optional<std::int64_t> wanted) {
  const bool dense = count <= few_places || !wanted || *wanted * sparse_sample > count;
  if (dense && count <= sorted_orders) {
    const array order = argsort(source.reserve(count).words({count}), 0);
    return wanted ? order(Slice{0, wanted}) : order;
  }
  const Reserved reserved = source.reserve(2);
  const array places = arange(wanted.value_or(count)).astype(Dtype::uint64);
  const Scalar all(count);
  if (Recorder::current()) {
    // A number that the host finds would be the same in every row, and in every repeated call.
    const array key = reserved.words({2});
    return elementwise(Op::shuffled, {places, all, key[0], key[1]}).astype(Dtype::int64);
  }
  const auto key = random_block(reserved.stream);
  const Scalar first(key[0]), second(key[1]);
  return elementwise(Op::shuffled, {places, all, first, second}).astype(Dtype::int64);
}

}  // namespace heddle::random
