#include "ops/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/reported.h"
#include "ops/rounded.h"
#include "ops/sorting.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

constexpr const char* nothing_else = "All-NaN slice encountered";

// --- rows: the reduced axes as the last one ---

struct Reduced {
  Reduced(const char* op, const array& a, const Axes& axis, bool keepdims) {
    const auto mask = axis_mask(op, axis.list(), a.ndim());
    // In the order in which they were named, as weights are.
    if (axis.list()) {
      for (auto d : *axis.list()) {
        if (a.ndim() > 0) axes.push_back(normalize_axis(op, d, a.ndim()));
      }
    }
    for (std::int64_t d = 0; d < a.ndim(); ++d) {
      const bool gone = mask >> d & 1;
      if (gone && !axis.list()) axes.push_back(d);
      if (!gone) kept.push_back(d);
      if (!gone || keepdims) shape.push_back(gone ? 1 : a.shape()[d]);
    }
  }
  array rows(const array& a) const {
    Dims order = kept, extents;
    for (auto d : kept) extents.push_back(a.shape()[d]);
    std::int64_t length = 1;
    for (auto d : axes) {
      order.push_back(d);
      length *= a.shape()[d];
    }
    extents.push_back(length);
    return a.transpose(order).reshape(extents);
  }

  Dims axes, kept;
  Dims shape;  // of the result
};

array count_numbers(const array& rows) {
  return rows.shape(-1) - sum(isnan(rows), {.axis = -1, .dtype = Dtype::int64});
}

bool any_nan(const array& a) { return has_nans(a) && is_true_anywhere(isnan(a)); }

array without_nans(const array& row) { return row(logical_not(isnan(row))).get(); }

// The elements of each row at the places, which have their own for every row in leading axes.
array at_places(const array& ordered, const array& places) {
  const Dims& shape = places.shape();
  Dims columns{-1};
  for (std::int64_t d = 0; d + 1 < ordered.ndim(); ++d) columns.push_back(ordered.shape()[d]);
  const array last = moveaxis(as_type(places, Dtype::int64).reshape(columns), 0, -1);
  return moveaxis(take_in_rows(ordered, last), -1, 0).reshape(shape);
}

array median_of_rows(const array& rows) {
  const auto length = rows.shape(-1);
  if (rows.size() == 0) {
    if (length == 0) warn("Mean of empty slice");
    return mean(rows, -1);
  }
  const Dims middle = length % 2 ? Dims{length / 2} : Dims{length / 2 - 1, length / 2};
  if (!has_nans(rows)) return mean(order_statistics(rows, middle), -1);
  Dims ranks = middle;
  ranks.push_back(length - 1);
  const array found = order_statistics(rows, ranks);
  const array result = mean(found.slice(-1, Slice{0, middle.size()}), -1);
  const array last = squeeze(found.slice(-1, Slice{-1, {}}), -1);
  return where(isnan(last), last, result);
}

array nanmedian_of_rows(const array& rows) {
  if (!any_nan(rows)) return median_of_rows(rows);
  if (rows.ndim() == 1) {
    const array numbers = without_nans(rows);
    if (numbers.size() > 0) return median_of_rows(numbers);
    warn(nothing_else);
    return rows[-1];
  }
  const array ordered = sort(rows), count = count_numbers(rows);
  const array last = maximum(count, 1);
  const array places = floor_divide(stack({last - 1, last}, -1), 2);
  return warned_where(count == 0, mean(take_in_rows(ordered, places), -1), nothing_else, true);
}

}  // namespace

array median(const array& a, const MedianOptions& how) {
  const Reduced reduced("median", a, how.axis, how.keepdims);
  return median_of_rows(reduced.rows(a)).reshape(reduced.shape);
}

array nanmedian(const array& a, const MedianOptions& how) {
  if (a.size() == 0) return nanmean(a, {.axis = how.axis, .keepdims = how.keepdims});
  const Reduced reduced("nanmedian", a, how.axis, how.keepdims);
  return nanmedian_of_rows(reduced.rows(a)).reshape(reduced.shape);
}

// --- quantiles ---

std::optional<QuantileMethod> quantile_method(std::string_view name) {
  static constexpr std::string_view names[] = {"inverted_cdf",
                                               "averaged_inverted_cdf",
                                               "closest_observation",
                                               "interpolated_inverted_cdf",
                                               "hazen",
                                               "weibull",
                                               "linear",
                                               "median_unbiased",
                                               "normal_unbiased",
                                               "lower",
                                               "higher",
                                               "midpoint",
                                               "nearest"};
  const auto* found = std::ranges::find(names, name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<QuantileMethod>(found - std::begin(names));
}

namespace {

using Method = QuantileMethod;

// How the weight of the next element follows from the place of a quantile.
enum class Weight : std::uint8_t { none, fraction, half_or_all, half };

// Where the quantile q of n elements is among them; n and q are numbers of the host or arrays.
template <class T>
struct QuantilePlace {
  T at;
  Weight weight;
};

bool is_odd(const Rounded& x) { return std::fmod(x.value(), 2) == 1; }
array is_odd(const array& x) { return remainder(x, 2) == 1; }
bool same(const Rounded& x, const Rounded& y) { return x.value() == y.value(); }
array same(const array& x, const array& y) { return x == y; }
bool both(bool x, bool y) { return x && y; }
array both(const array& x, const array& y) { return logical_and(x, y); }
Rounded not_negative(const Rounded& x) { return x.value() < 0 ? Rounded(0, x.dtype()) : x; }
array not_negative(const array& x) { return where(x < 0, Scalar(0), x); }

// A number as Python would write it, which decides about types.
Scalar weak(double x) { return x == std::floor(x) ? Scalar(std::int64_t(x)) : Scalar(x); }
Rounded times(const Rounded& q, double x) { return q * x; }
array times(const array& q, double x) { return q * weak(x); }
Rounded plus(const Rounded& q, double x) { return q + x; }
array plus(const array& q, double x) { return q + weak(x); }

template <class N, class Q>
QuantilePlace<Q> place_of(Method method, const N& n, const Q& q) {
  // By alpha and beta of Hyndman and Fan.
  auto continuous = [&](double alpha, double beta) -> QuantilePlace<Q> {
    return {plus(n * q + plus(times(q, 1 - alpha - beta), alpha), -1), Weight::fraction};
  };
  switch (method) {
    case Method::interpolated_inverted_cdf:
      return continuous(0, 1);
    case Method::hazen:
      return continuous(0.5, 0.5);
    case Method::weibull:
      return continuous(0, 0);
    case Method::median_unbiased:
      return continuous(1 / 3.0, 1 / 3.0);
    case Method::normal_unbiased:
      return continuous(3 / 8.0, 3 / 8.0);
    case Method::averaged_inverted_cdf:
      return {plus(n * q, -1), Weight::half_or_all};
    case Method::inverted_cdf:
    case Method::closest_observation: {
      const Q place = method == Method::inverted_cdf ? plus(n * q, -1) : plus(plus(n * q, -1), -.5);
      const Q low = floor(place);
      const auto stays = same(place, low);
      const auto chosen = method == Method::inverted_cdf ? stays : both(stays, is_odd(low));
      return {not_negative(where(chosen, low, plus(low, 1))), Weight::none};
    }
    default:
      break;
  }
  const Q place = (n - 1) * q;
  switch (method) {
    case Method::lower:
      return {floor(place), Weight::none};
    case Method::higher:
      return {-floor(-place), Weight::none};
    case Method::nearest:
      return {rint(place), Weight::none};
    case Method::midpoint:
      return {times(floor(place) - floor(-place), 0.5), Weight::half};
    default:
      return {place, Weight::fraction};
  }
}

// Between two elements, exact at both ends.
array between(const array& low, const array& high, const array& gamma) {
  const array difference = high - low;
  const array from_low = low + difference * gamma;
  return where(gamma >= 0.5, high - difference * (1 - gamma), from_low);
}

array between(const array& low, const array& high, double gamma) {
  const array difference = high - low;
  if (gamma < 0.5) return low + difference * gamma;
  const array from_high = high - difference * (1 - gamma);
  const Scalar number(gamma);
  const Input inputs[] = {difference, number};
  return as_type(from_high, common_type(inputs));
}

// The quantiles of rows of one length: all of them ask for the same ranks.
class RowQuantiles {
 public:
  RowQuantiles(const array& rows, const Quantiles& q, Method method)
      : rows_(rows), q_(q), length_(rows.shape(-1)) {
    if (length_ == 0) throw index_error("index -1 is out of bounds for axis 0 with size 0");
    prepare(method);
    for (double one : q.values()) add(method, one);
    find();
  }

  array compute() const {
    array result = at(low_);
    if (weighted_) {
      if (q_.dtype()) {
        result = between(result, at(high_), weights());
      } else {
        result = between(result, at(high_), gamma_[0]);
      }
    }
    if (!has_nans(rows_)) return result;
    const array last = found_[-1];
    return where(isnan(last), as_type(last, result.dtype()), result);
  }

 private:
  // What follows from the type of the quantiles, whatever they are.
  void prepare(Method method) {
    type_ = q_.type();
    const bool whole = !is_inexact(type_);
    const bool stays_whole = method == Method::interpolated_inverted_cdf ||
                             method == Method::weibull || method == Method::linear ||
                             method == Method::averaged_inverted_cdf;
    if (whole) type_ = stays_whole ? Dtype::int64 : Dtype::float64;
    const auto any = place_of(method, static_cast<double>(length_), Rounded(0, type_));
    weighted_ = any.weight != Weight::none && !(method == Method::linear && whole);
  }

  void add(Method method, double one) {
    const auto place = place_of(method, static_cast<double>(length_), Rounded(one, type_));
    const double at = place.at.value();
    if (!weighted_) {
      low_.push_back(static_cast<std::int64_t>(at));
      high_.push_back(low_.back());
      return;
    }
    double low = std::floor(at), high = low + 1;
    if (at >= static_cast<double>(length_ - 1)) low = high = static_cast<double>(length_ - 1);
    if (at < 0) low = high = 0;
    low_.push_back(static_cast<std::int64_t>(low));
    high_.push_back(static_cast<std::int64_t>(high));
    const double gamma = weight(place, low);
    gamma_.push_back(is_inexact(type_) ? rounded_to(type_, gamma) : std::trunc(gamma));
  }

  double weight(const QuantilePlace<Rounded>& place, double low) const {
    const double at = place.at.value(), gamma = (place.at - low).value();
    switch (place.weight) {
      case Weight::half_or_all:
        return gamma == 0 ? 0.5 : 1.0;
      case Weight::half:
        return at == std::floor(at) ? 0 : 0.5;
      default:
        return gamma;
    }
  }

  void find() {
    ranks_ = low_;
    for (auto rank : high_) ranks_.push_back(rank);
    if (has_nans(rows_)) ranks_.push_back(length_ - 1);
    std::sort(ranks_.begin(), ranks_.end());
    ranks_.resize(std::unique(ranks_.begin(), ranks_.end()) - ranks_.begin());
    found_ = moveaxis(order_statistics(rows_, ranks_), -1, 0);
  }

  array at(const Dims& ranks) const {
    auto index = [&](std::int64_t rank) {
      return std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin();
    };
    if (q_.shape().empty()) return found_[index(ranks[0])];
    Dims places, shape = q_.shape();
    for (auto rank : ranks) places.push_back(index(rank));
    for (std::int64_t d = 1; d < found_.ndim(); ++d) shape.push_back(found_.shape()[d]);
    return parts_at(found_, from_dims(places, rows_), 0).reshape(shape);
  }

  array weights() const {
    Dims shape = q_.shape();
    for (std::int64_t d = 1; d < found_.ndim(); ++d) shape.push_back(1);
    return as_type(to_device(array(gamma_, shape), rows_.device()), type_);
  }

  const array& rows_;
  const Quantiles& q_;
  std::int64_t length_;
  Dtype type_ = Dtype::float64;  // of places
  bool weighted_ = false;
  Dims low_, high_, ranks_;
  std::vector<double> gamma_;
  array found_;
};

array quantile_array(const Quantiles& q, const array& beside, std::int64_t more) {
  Dims shape = q.shape();
  for (std::int64_t i = 0; i < more; ++i) shape.push_back(1);
  return to_device(as_type(array(q.values(), shape), q.type()), beside.device());
}

// The same for rows that each have some nans.
array nan_quantile_rows(const array& rows, const Quantiles& q, Method method) {
  const array ordered = sort(rows), count = count_numbers(rows);
  const array last = maximum(count - 1, 0);
  const array places = quantile_array(q, rows, rows.ndim() - 1);
  const auto [place, weight] = place_of(method, last + 1, places);
  const array bounded = maximum(minimum(place, last), 0), low = floor(bounded);
  if (weight == Weight::none)
    return warned_where(count == 0, at_places(ordered, low), nothing_else, true);
  const array high = minimum(low + 1, last), rest = place - floor(place);
  array gamma = rest;
  if (weight == Weight::half_or_all) gamma = where(rest == 0, Scalar(0.5), Scalar(1.0));
  if (weight == Weight::half) gamma = where(remainder(place, 1) == 0, Scalar(0.0), Scalar(0.5));
  gamma = where(logical_or(place >= last, place < 0), array(Scalar(0), gamma.dtype()), gamma);
  if (!q.dtype()) {  // a plain number does not decide the type
    const Scalar one(1.0);
    const Input inputs[] = {rows, one};
    gamma = as_type(gamma, common_type(inputs));
  }
  return warned_where(count == 0, between(at_places(ordered, low), at_places(ordered, high), gamma),
                      nothing_else, true);
}

// By the cumulated weights of the sorted elements: the inverted CDF.
array weighted_rows(const array& rows, const array& weights, const Quantiles& q, bool skip) {
  const auto axis = rows.ndim() - 1;
  const array order = argsort(rows), ordered = take_in_rows(rows, order);
  array sums = along(weights.broadcast_to(rows.shape()), order, axis);
  if (skip) sums = where(isnan(ordered), array(Scalar(0), sums.dtype()), sums);
  sums = cumsum(sums, axis, Dtype::float64);
  array cdf = sums / sums.slice(-1, Slice{-1, {}});
  array wrong = isnan(cdf.slice(-1, Slice{-1, {}}));
  const char* text = "Weights included NaN, inf or were all zero.";
  if (skip) {
    const array nothing = all(isnan(rows), {.axis = -1, .keepdims = true});
    cdf =
        refused_where<value_error>(logical_and(wrong, logical_not(nothing)), cdf, text, "quantile");
    cdf = warned_where(logical_and(wrong, nothing), cdf, nothing_else);
  } else {
    cdf = refused_where<value_error>(wrong, cdf, text, "quantile");
  }
  if (is_floating(q.type())) cdf = as_type(cdf, q.type());
  const array wanted = quantile_array(q, rows, rows.ndim());
  // Elements without weight at the beginning are never picked.
  array places = sum(logical_or(cdf < wanted, cdf == 0), {.axis = -1, .dtype = Dtype::int64});
  places = skip ? minimum(places, count_numbers(rows) - 1) : minimum(places, rows.shape(-1) - 1);
  array result = at_places(ordered, maximum(places, 0));
  if (skip || !has_nans(rows)) return result;
  const array last = squeeze(ordered.slice(-1, Slice{-1, {}}), -1);
  return where(isnan(last), last, result);
}

// Weights in the shape of the array, or one that broadcasts to it.
array spread_weights(const array& weights, const array& a, const Reduced& reduced, bool all_axes) {
  array spread = weights;
  if (weights.shape() != a.shape()) {
    if (all_axes) throw type_error("Axis must be specified when shapes of a and weights differ.");
    spread = along_axes(weights, a, reduced.axes);
  }
  return refused_where<value_error>(spread < 0, spread, "Weights must be non-negative.", "quantile")
      .broadcast_to(a.shape());
}

}  // namespace

array quantiles(const array& a, const Quantiles& q, const QuantileOptions& how, Nans nans) {
  if (is_complex(a.dtype())) throw type_error("a must be an array of real numbers");
  if (q.shape().size() > 2) throw value_error("q must be a scalar or 1d");
  const Reduced reduced("quantile", a, how.axis, how.keepdims);
  Dims shape = q.shape();
  for (auto extent : reduced.shape) shape.push_back(extent);
  const array rows = reduced.rows(a);
  if (how.weights) {
    if (how.method != Method::inverted_cdf) {
      throw value_error("Only method 'inverted_cdf' supports weights.");
    }
    const array weights = reduced.rows(spread_weights(*how.weights, a, reduced, !how.axis.list()));
    const bool skip = nans == Nans::skip && has_nans(rows);
    return weighted_rows(rows, weights, q, skip).reshape(shape);
  }
  if (nans == Nans::count || !any_nan(rows)) {
    return RowQuantiles(rows, q, how.method).compute().reshape(shape);
  }
  if (rows.ndim() > 1) return nan_quantile_rows(rows, q, how.method).reshape(shape);
  const array numbers = without_nans(rows);
  if (numbers.size() > 0) return RowQuantiles(numbers, q, how.method).compute().reshape(shape);
  warn(nothing_else);
  return full(q.shape(), std::numeric_limits<double>::quiet_NaN(), rows.dtype(), rows.device())
      .reshape(shape);
}

namespace {

void check_range(const Quantiles& q, double largest, const char* text) {
  for (double one : q.values()) {
    if (!(one >= 0 && one <= largest)) throw value_error(text);
  }
}

array in_unit(const array& a, const Quantiles& q, const QuantileOptions& how, Nans nans) {
  check_range(q, 1, "Quantiles must be in the range [0, 1]");
  return quantiles(a, q, how, nans);
}

array in_percent(const array& a, const Quantiles& q, const QuantileOptions& how, Nans nans) {
  check_range(q, 100, "Percentiles must be in the range [0, 100]");
  std::vector<double> parts;
  const Dtype type = inexact_type(q.type());
  for (double one : q.values()) parts.push_back((Rounded(one, type) / 100.0).value());
  return quantiles(a, {std::move(parts), q.shape(), q.dtype() ? std::optional(type) : std::nullopt},
                   how, nans);
}

array mean_of_nothing(const array& a, const QuantileOptions& how) {
  return nanmean(a, {.axis = how.axis, .keepdims = how.keepdims});
}

}  // namespace

array quantile(const array& a, const Quantiles& q, const QuantileOptions& how) {
  return in_unit(a, q, how, Nans::count);
}
array percentile(const array& a, const Quantiles& q, const QuantileOptions& how) {
  return in_percent(a, q, how, Nans::count);
}
array nanquantile(const array& a, const Quantiles& q, const QuantileOptions& how) {
  return a.size() == 0 ? mean_of_nothing(a, how) : in_unit(a, q, how, Nans::skip);
}
array nanpercentile(const array& a, const Quantiles& q, const QuantileOptions& how) {
  return a.size() == 0 ? mean_of_nothing(a, how) : in_percent(a, q, how, Nans::skip);
}

}  // namespace heddle
