// Distributions of vectors, made of those of numbers, and orders of lines. Parameters are not
// checked here.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ops/distributions.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/indexing.h>
#include <heddle/linalg.h>
#include <heddle/logic.h>
#include <heddle/manipulation.h>
#include <heddle/products.h>
#include <heddle/reductions.h>
#include <heddle/sorting.h>
#include <heddle/ufuncs.h>

namespace heddle::random {

namespace {

constexpr std::size_t few = 16;  // parameters up to this many are drawn for one by one

Dims with(Dims shape, std::int64_t last) {
  shape.push_back(last);
  return shape;
}

// Counts that follow one another, and what is left after them, as int64.
array counts_and_rest(std::vector<array> counts, const array& rest) {
  counts.push_back(rest);
  return stack(counts, -1).astype(Dtype::int64);
}

// The chance of each outcome among those that are left, where the ones before it did not come: for
// each row of probabilities.
class Chances {
 public:
  explicit Chances(const array& p)
      : all_(p.to_vector<double>()), outcomes_(p.shape().back()), rows_(p.shape()) {
    rows_.pop_back();
    rest_.assign(static_cast<std::size_t>(size_of(rows_)), 1.0);
  }

  // Of the next outcome, a number where there is but one row.
  Parameter next(const Dims& shape) {
    std::vector<double> now(rest_.size());
    for (std::size_t row = 0; row < rest_.size(); ++row) {
      const double own = all_[row * static_cast<std::size_t>(outcomes_) + outcome_];
      const double chance = rest_[row] <= 0 ? 0 : own / std::max(rest_[row], 1e-300);
      now[row] = std::min(chance, 1.0);
      rest_[row] -= own;
    }
    ++outcome_;
    if (rows_.empty()) return now[0];
    return array(now, rows_).broadcast_to(shape);
  }

 private:
  std::vector<double> all_, rest_;
  std::int64_t outcomes_;
  Dims rows_;
  std::size_t outcome_ = 0;
};

}  // namespace

array draw_dirichlet(Source& source, const array& alpha, std::span<const double> numbers,
                     bool small, const Dims& size) {
  const char* name = small ? "log_gamma" : "standard_gamma";
  const Dims shape = with(size, alpha.size());
  auto drawn = [&](const Parameter& parameter, const Dims& space) {
    return draw(name, source, std::span(&parameter, 1), space);
  };
  auto gammas = [&] {
    if (!numbers.empty() && std::ranges::all_of(numbers, [&](double n) { return n == numbers[0]; }))
      return drawn(numbers[0], shape);
    if (numbers.empty() || numbers.size() > few) return drawn(alpha, shape);
    std::vector<array> parts;
    for (const double number : numbers) parts.push_back(drawn(number, size));
    return stack(parts, -1);
  };
  const Reduction over_vector{.axis = -1, .keepdims = true};
  const array values = gammas();
  if (!small) return values / sum(values, over_vector);
  // Of logarithms, so that small parameters do not underflow.
  const double none = -std::numeric_limits<double>::infinity();
  const array highest = max(values, over_vector);
  const array scaled = where(values == none, Scalar(0.0), exp(values - highest));
  return where(highest == none, Scalar(0.0), scaled / sum(scaled, over_vector));
}

array draw_multinomial(Source& source, const Parameter& n, const array& p, const Dims& shape) {
  array left = full(shape, 0, Dtype::float64);
  left = n.is_array() ? n.values() + left : n.number() + left;
  Chances chances(p);
  std::vector<array> counts;
  for (std::int64_t outcome = 1; outcome < p.shape().back(); ++outcome) {
    const Parameter given[] = {left, chances.next(shape)};
    counts.push_back(draw("binomial", source, given, shape).astype(Dtype::float64));
    left = left - counts.back();
  }
  return counts_and_rest(std::move(counts), left);
}

array draw_multivariate_hypergeometric(Source& source, std::span<const std::int64_t> colors,
                                       std::int64_t sample, const Dims& shape) {
  if (colors.empty()) return full(with(shape, 0), 0, Dtype::int64);
  std::int64_t total = 0;
  for (const std::int64_t color : colors) total += color;
  array left = full(shape, static_cast<double>(sample), Dtype::float64);
  std::vector<array> counts;
  for (const std::int64_t good : colors.first(colors.size() - 1)) {
    total -= good;
    const Parameter given[] = {good, total, left};
    counts.push_back(draw("hypergeometric", source, given, shape).astype(Dtype::float64));
    left = left - counts.back();
  }
  return counts_and_rest(std::move(counts), left);
}

CovarianceFactor factor_covariance(const array& covariance, FactorMethod method, double tolerance) {
  if (method == FactorMethod::cholesky) return {linalg::cholesky(covariance), std::nullopt};
  auto factors = [&]() -> std::pair<CovarianceFactor, array> {
    if (method == FactorMethod::svd) {
      const linalg::SVD made = linalg::svd(covariance);
      const array again = matmul(made.vh.T() * made.s, made.vh);
      const Tolerance within{.rtol = tolerance, .atol = tolerance};
      return {{made.u, logical_not(isclose(again, covariance, within))}, made.s};
    }
    const linalg::Eigen made = linalg::eigh(covariance);
    return {{made.eigenvectors, made.eigenvalues < -tolerance}, made.eigenvalues};
  };
  auto [made, sizes] = factors();
  // Which sign a vector has is the library's choice: the one that makes all devices agree.
  const array probe = cos(arange(1.0, static_cast<double>(sizes.size() + 1)));
  const array signs = copysign(1.0, matmul(probe, made.factor));
  made.factor = made.factor * (signs * sqrt(abs(sizes)));
  return std::move(made);
}

array draw_permuted(Source& source, const array& a, std::optional<std::int64_t> axis) {
  if (!axis) {
    const array order = draw_order(source, a.size());
    return take(a.reshape({a.size()}), order, 0).reshape(a.shape());
  }
  const array keys = source.reserve(a.size()).words(a.shape());
  return take_along_axis(a, argsort(keys, *axis), *axis);
}

}  // namespace heddle::random
