#include "ops/histograms.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reported.h"
#include "ops/rounded.h"
#include "ops/sorting.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/runtime.h>
#include <heddle/ufuncs.h>

namespace heddle {

array bincount(const array& x, const std::optional<array>& weights, std::int64_t minlength) {
  if (minlength < 0) throw value_error("'minlength' must not be negative");
  check_vector(x);
  auto refuse = [](Dtype from, const char* to) {
    throw type_error(fmt::format(
        "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule 'safe'",
        name(from), to));
  };
  if (is_inexact(x.dtype())) refuse(x.dtype(), "int64");
  if (weights && is_complex(weights->dtype())) refuse(weights->dtype(), "float64");
  if (weights && (weights->ndim() != 1 || weights->size() != x.size())) {
    throw value_error("The weights and list don't have the same length.");
  }
  const array places = as_type(x, Dtype::int64);
  if (x.size() == 0) return count_bins(places, minlength);  // as in NumPy, nothing has no weight
  const array ends[] = {min(places), max(places)};
  eval(ends);
  if (ends[0].item<std::int64_t>() < 0) {
    throw value_error("'list' argument must have no negative elements");
  }
  return count_bins(places, std::max(minlength, ends[1].item<std::int64_t>() + 1), weights);
}

// --- ranges ---

namespace {

using Range = std::optional<std::pair<Scalar, Scalar>>;

// A number as Python prints it.
std::string printed(const Scalar& x) {
  if (x.kind() == Scalar::Kind::integer) return fmt::format("{}", x.integer());
  const double value = x.real();
  const bool whole = std::isfinite(value) && value == std::floor(value) && std::abs(value) < 1e16;
  return whole ? fmt::format("{:.1f}", value) : fmt::format("{}", value);
}

// Between what edges are: bounds as they compare with elements, and as numbers to compute with.
struct Bounds {
  Scalar low, high;
  Dtype type;       // of the bounds; weak ones are of the elements' type
  double distance;  // of integers exactly
  bool weak = false;

  Rounded first() const { return {low.real(), inexact_type(type)}; }
  Rounded last() const { return {high.real(), inexact_type(type)}; }
  Rounded spread() const { return {distance, inexact_type(type)}; }
};

bool is_finite(const Scalar& x) { return std::isfinite(x.real()); }

double distance_of(const Scalar& low, const Scalar& high) {
  if (low.kind() == Scalar::Kind::integer && high.kind() == Scalar::Kind::integer) {
    return static_cast<double>(static_cast<std::uint64_t>(high.integer()) -
                               static_cast<std::uint64_t>(low.integer()));
  }
  return high.real() - low.real();
}

Scalar element(const array& a) {
  if (a.dtype() == Dtype::uint64) return a.item<std::uint64_t>();
  if (is_integer(a.dtype())) return a.item<std::int64_t>();
  return a.item<double>();
}

Scalar moved(const Scalar& x, double by, Dtype type) {
  return (Rounded(x.real(), inexact_type(type)) + by).value();
}

Bounds bounds_of(Scalar low, Scalar high, Dtype type, bool weak) {
  if (low.real() == high.real() && distance_of(low, high) == 0) {
    low = moved(low, -0.5, type);
    high = moved(high, 0.5, type);
  }
  const Dtype inexact = inexact_type(type);
  return {low, high, type, rounded_to(inexact, distance_of(low, high)), weak};
}

Bounds extremes_of(const array& a) {
  const array ends[] = {min(a), max(a)};
  eval(ends);
  const Scalar low = element(ends[0]), high = element(ends[1]);
  if (!is_finite(low) || !is_finite(high)) {
    throw value_error(
        fmt::format("autodetected range of [{}, {}] is not finite", printed(low), printed(high)));
  }
  return bounds_of(low, high, a.dtype(), false);
}

Bounds outer_edges(const array& a, const Range& range, RangeType type) {
  if (!range && a.size() == 0) return bounds_of(0, 1, Dtype::int64, true);
  if (!range) return extremes_of(a);
  const auto& [low, high] = *range;
  if (low.real() > high.real()) {
    throw value_error("max must be larger than min in range parameter.");
  }
  if (!is_finite(low) || !is_finite(high)) {
    throw value_error(
        fmt::format("supplied range of [{}, {}] is not finite", printed(low), printed(high)));
  }
  return bounds_of(low, high, type.dtype.value_or(Dtype::float64), !type.dtype);
}

// --- estimators of the number of bins ---

Rounded number(const array& a) { return {a.item<double>(), a.dtype()}; }

double stone_width(const array& x, const Bounds& bounds) {
  const auto size = static_cast<double>(x.size());
  const double spread = distance_of(element(min(x)), element(max(x)));
  if (x.size() <= 1 || spread == 0) return 0;
  const auto most = std::max<std::int64_t>(100, static_cast<std::int64_t>(std::sqrt(size)));
  std::int64_t best = 1;
  double least = 0;
  for (std::int64_t bins = 1; bins <= most; ++bins) {
    double squares = 0;
    const HistogramOptions how{.range = std::pair(bounds.low, bounds.high)};
    for (double count : histogram(x, bins, how).counts.to_vector<double>()) {
      squares += count / size * (count / size);
    }
    const double loss = (2 - (size + 1) * squares) / (spread / static_cast<double>(bins));
    if (bins > 1 && loss >= least) continue;
    best = bins;
    least = loss;
  }
  if (best == most) warn("The number of bins estimated may be suboptimal.");
  return spread / static_cast<double>(best);
}

Rounded doane_width(const array& x, const Rounded& spread) {
  const auto size = static_cast<double>(x.size());
  if (x.size() <= 2) return {0, spread.dtype()};
  const double scale = std::sqrt(6.0 * (size - 2) / ((size + 1.0) * (size + 3)));
  const array deviation = stddev(x);
  if (!(deviation.item<double>() > 0)) return {0, spread.dtype()};
  const array standard = (x - mean(x)) / deviation;
  const double skew = std::abs(mean(power(standard, 3)).item<double>());
  return spread / (1.0 + std::log2(size) + std::log2(1.0 + skew / scale));
}

Rounded quartile_width(const array& x) {
  const auto ends = percentile(x, {75, 25}).to_vector<double>();
  return {2.0 * (ends[0] - ends[1]) * std::pow(static_cast<double>(x.size()), -1.0 / 3.0),
          Dtype::float64};
}

Rounded smaller(const Rounded& a, const Rounded& b) { return b.value() < a.value() ? b : a; }
Rounded larger(const Rounded& a, const Rounded& b) { return b.value() > a.value() ? b : a; }

Rounded estimated_width(const array& x, const std::string& name, const Bounds& bounds) {
  const auto size = static_cast<double>(x.size());
  if (name == "stone") return {stone_width(x, bounds), inexact_type(x.dtype())};
  if (name == "fd") return quartile_width(x);
  if (name == "scott") {
    return std::pow(24.0 * std::sqrt(std::numbers::pi) / size, 1.0 / 3.0) * number(stddev(x));
  }
  const array ends[] = {min(x), max(x)};
  eval(ends);
  const Rounded spread(distance_of(element(ends[0]), element(ends[1])), inexact_type(x.dtype()));
  if (name == "doane") return doane_width(x, spread);
  if (name == "rice") return spread / (2.0 * std::pow(size, 1.0 / 3));
  const Rounded root = spread / std::sqrt(size), sturges = spread / (std::log2(size) + 1.0);
  if (name == "sqrt") return root;
  if (name == "sturges") return sturges;
  return smaller(larger(quartile_width(x), root / 2.0), sturges);  // auto
}

std::int64_t estimated_bins(array a, const std::string& name, const Range& range,
                            const Bounds& bounds) {
  if (range) {
    const array keep = logical_and(a >= bounds.low, a <= bounds.high);
    if (!all(keep).item<bool>()) a = a(keep).get();
  }
  if (a.size() == 0) return 1;
  Rounded width = estimated_width(a, name, bounds);
  if (width.value() == 0) return 1;
  if (is_integer(a.dtype()) && width.value() < 1) width = {1, Dtype::float64};
  return static_cast<std::int64_t>(std::ceil((bounds.spread() / width).value()));
}

bool is_estimator(const std::string& name) {
  static constexpr std::string_view names[] = {"auto",  "doane", "fd",    "rice",
                                               "scott", "sqrt",  "stone", "sturges"};
  return std::ranges::find(names, name) != std::end(names);
}

// --- edges ---

// On the host and what makes them, where they are even; or as they are given.
struct Edges {
  array edges;
  std::vector<double> host;
  std::optional<Bounds> even;
  std::int64_t count() const { return edges.size() - 1; }
};

void check_edges(const array& edges, const char* not_a_vector, const char* descending) {
  if (edges.ndim() != 1) throw value_error(not_a_vector);
  const array falls = edges.slice(0, Slice{{}, -1}) > edges.slice(0, Slice{1, {}});
  if (falls.size() > 0 && is_true_anywhere(falls)) throw value_error(descending);
}

array edges_beside(const std::vector<double>& edges, Dtype type, const array& a) {
  return to_device(as_type(array(edges), type), a.device());
}

Edges bin_edges(const array& a, const Bins& bins, const HistogramOptions& how, RangeType type) {
  if (bins.edges()) {
    check_edges(*bins.edges(), "`bins` must be 1d, when an array",
                "`bins` must increase monotonically, when an array");
    return {to_device(*bins.edges(), a.device()), {}, std::nullopt};
  }
  auto count = bins.count();
  if (!bins.estimator().empty()) {
    if (!is_estimator(bins.estimator())) {
      throw value_error(fmt::format("'{}' is not a valid estimator for `bins`", bins.estimator()));
    }
    if (how.weights) {
      throw type_error(
          "Automated estimation of the number of bins is not supported for weighted data");
    }
  } else if (count < 1) {
    throw value_error("`bins` must be positive, when an integer");
  }
  const Bounds bounds = outer_edges(a, how.range, type);
  if (!bins.estimator().empty()) count = estimated_bins(a, bins.estimator(), how.range, bounds);
  Dtype kind = a.dtype();
  if (bounds.weak) {
    const Input inputs[] = {bounds.low, bounds.high, a};
    kind = common_type(inputs);
  } else {
    kind = promote_types(kind, bounds.type);
  }
  if (!is_inexact(kind)) kind = Dtype::float64;
  // Bounds that lie between whole numbers are floats.
  if (bounds.low.kind() == Scalar::Kind::floating) kind = inexact_type(kind);
  auto host = host_linspace(bounds.low.real(), bounds.high.real(), count,
                            inexact_type(bounds.weak ? Dtype::float64 : bounds.type));
  for (double& edge : host) edge = rounded_to(real_type(kind), edge);
  for (std::size_t i = 1; i < host.size(); ++i) {
    if (!(host[i - 1] >= host[i])) continue;
    throw value_error(
        fmt::format("Too many bins for data range. Cannot create {} finite-sized bins.", count));
  }
  array edges = edges_beside(host, kind, a);
  return {std::move(edges), std::move(host), bounds};
}

// --- bins of elements ---

// The distance of edges that are exactly multiples of it from the first, but for the last.
std::optional<double> step_of(const std::vector<double>& edges, const Bounds& bounds, Dtype kind) {
  const auto count = static_cast<std::int64_t>(edges.size()) - 1;
  const bool exact = kind == Dtype::float32 || kind == Dtype::float64;
  if (!exact || count >= std::int64_t{1} << 20) return std::nullopt;  // numbers of bins are exact
  const Rounded low(bounds.low.real(), kind);
  const Rounded step = (Rounded(bounds.high.real(), kind) - low) / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const Rounded edge = static_cast<double>(i) * step + low;
    if (edge.value() != edges[static_cast<std::size_t>(i)]) return std::nullopt;
  }
  return step.value();
}

// The bin of each element between evenly spaced edges; the number of bins for those outside.
// Rounding may put an element that lies on an edge one bin off: the edges decide.
array even_bins(const array& given, const Edges& made, bool limited) {
  const Bounds& bounds = *made.even;
  const auto count = made.count(), last_bin = count - 1;
  const Dtype kind = made.edges.dtype();
  std::optional<array> outside;
  array a = given;
  if (limited) {
    // Bounds that have a type of their own are not rounded to that of the elements.
    const array seen = bounds.weak ? a : as_type(a, promote_types(a.dtype(), bounds.type));
    outside = logical_not(logical_and(seen >= bounds.low, seen <= bounds.high));
    a = where(*outside, cast(array(bounds.low), a.dtype()), a);
  }
  a = as_type(a, kind);
  if (!std::isfinite(bounds.distance) ||
      !std::ranges::all_of(made.host, [](double x) { return std::isfinite(x); })) {
    throw index_error(fmt::format("histogram: bins from {} to {} are out of bounds of {}",
                                  printed(bounds.low), printed(bounds.high), name(kind)));
  }
  const array low(Scalar(rounded_to(kind, bounds.low.real())), kind);
  const Rounded per_unit = Rounded(static_cast<double>(count), kind) / bounds.distance;
  const auto step = step_of(made.host, bounds, kind);
  const array places = step && per_unit.finite() ? (a - low) * per_unit.value()
                                                 : (a - low) / bounds.distance * count;
  array index = places;
  if (step) {  // the edges are computed again rather than looked up
    const array width(Scalar(*step), kind);
    index = minimum(floor(places), last_bin);
    index = index - (a < index * width + low);
    index = index + logical_and(a >= (index + 1) * width + low, index != last_bin);
    index = cast(index, Dtype::int64);
  } else {
    index = minimum(cast(places, Dtype::int64), last_bin);
    index = index - (a < take_in_rows(made.edges, index));
    index = index + logical_and(a >= take_in_rows(made.edges, index + 1), index != last_bin);
  }
  return outside ? where(*outside, Scalar(count), index) : index;
}

// The same between edges as they are given; -1 below them. The last bin has both its edges.
array searched_bins(const array& a, const array& edges) {
  array index = searchsorted(edges, a, true) - 1;
  const auto count = edges.size() - 1;
  if (count < 0) return index;
  return where(a == edges[-1], Scalar(count - 1), index);
}

// The sums of the weights in bins, in their type; counts without weights.
array totals(const array& index, std::int64_t count, const std::optional<array>& weights) {
  if (!weights) return count_bins(index, count);
  if (!is_complex(weights->dtype())) {
    return as_type(count_bins(index, count, weights), weights->dtype());
  }
  const array re = count_bins(index, count, real(*weights));
  return as_type(make_complex(re, count_bins(index, count, imag(*weights))), weights->dtype());
}

struct Ravelled {
  array a;
  HistogramOptions how;
};
Ravelled ravelled(const array& a, const HistogramOptions& how) {
  Ravelled made{ravel(a.dtype() == Dtype::bool_ ? cast(a, Dtype::uint8) : a), how};
  if (how.weights) {
    if (how.weights->shape() != a.shape()) {
      throw value_error("weights should have the same shape as a.");
    }
    made.how.weights = ravel(*how.weights);
  }
  return made;
}

}  // namespace

std::vector<double> host_linspace(double start, double stop, std::int64_t intervals, Dtype dtype) {
  const Rounded first(start, dtype), last(stop, dtype), delta = last - first;
  const auto parts = static_cast<double>(intervals);
  const Rounded step = delta / parts;
  std::vector<double> samples;
  for (std::int64_t i = 0; i <= intervals; ++i) {
    const Rounded index(static_cast<double>(i), dtype);
    // A step that underflowed to zero would lose all the samples.
    const Rounded along = step.value() == 0 ? index / parts * delta : index * step;
    samples.push_back((along + first).value());
  }
  if (intervals > 0) samples.back() = last.value();
  return samples;
}

Histogram histogram(const array& given, const Bins& bins, const HistogramOptions& options,
                    RangeType type) {
  const auto [a, how] = ravelled(given, options);
  const Edges made = bin_edges(a, bins, how, type);
  const auto count = made.count();
  if (count < 0) throw value_error("`bins` must have at least one edge");
  array total = made.edges;
  if (a.size() == 0 || count == 0) {
    total = full({count}, 0, how.weights ? how.weights->dtype() : Dtype::int64, a.device());
  } else if (made.even && !is_complex(a.dtype())) {
    const bool limited = how.range.has_value();
    const array index = even_bins(a, made, limited);
    total = totals(index, count + (limited ? 1 : 0), how.weights).slice(0, Slice{0, count});
  } else {
    // Outside are -1 and the number of bins: one more at each end.
    total = totals(searched_bins(a, made.edges) + 1, count + 2, how.weights).slice(0, Slice{1, -1});
  }
  if (how.density) {
    const array widths = made.edges.slice(0, Slice{1, {}}) - made.edges.slice(0, Slice{{}, -1});
    total = total / as_type(widths, Dtype::float64) / sum(total);
  }
  return {total, made.edges};
}

array histogram_bin_edges(const array& given, const Bins& bins, const HistogramOptions& options,
                          RangeType type) {
  const auto [a, how] = ravelled(given, options);
  return bin_edges(a, bins, how, type).edges;
}

Histogram histogram(const array& a, const Bins& bins, const HistogramOptions& how) {
  return histogram(a, bins, how, RangeType{});
}

array histogram_bin_edges(const array& a, const Bins& bins, const HistogramOptions& how) {
  return histogram_bin_edges(a, bins, how, RangeType{});
}

// --- several dimensions ---

namespace {

array edges_along(const array& column, std::int64_t i, const Bins& bins, const Range& range) {
  if (bins.edges()) {
    check_edges(
        *bins.edges(), fmt::format("`bins[{}]` must be a scalar or 1d array", i).c_str(),
        fmt::format("`bins[{}]` must be monotonically increasing, when an array", i).c_str());
    return to_device(*bins.edges(), column.device());
  }
  if (bins.count() < 1) {
    throw value_error(fmt::format("`bins[{}]` must be positive, when an integer", i));
  }
  const Bounds bounds = outer_edges(column, range, {});
  const Dtype kind = inexact_type(bounds.weak ? Dtype::float64 : bounds.type);
  return edges_beside(host_linspace(bounds.low.real(), bounds.high.real(), bins.count(), kind),
                      kind, column);
}

void check_sample_weights(const array& weights, const array& points) {
  if (is_complex(weights.dtype())) {
    throw type_error(fmt::format(
        "Cannot cast array data from dtype('{}') to dtype('float64') according to the rule 'safe'",
        name(weights.dtype())));
  }
  if (weights.shape() != Dims{points.shape(0)}) {
    throw value_error("The weights and list don't have the same length.");
  }
}

std::int64_t product_of(const Dims& cells) {
  std::int64_t product = 1;
  for (auto count : cells) {
    if (__builtin_mul_overflow(product, count, &product)) {
      throw value_error(
          fmt::format("histogramdd: a grid of {} cells is larger than the maximum possible size.",
                      fmt::join(cells.begin(), cells.end(), " x ")));
    }
  }
  return product;
}

}  // namespace

HistogramND histogramdd(const array& given, const std::vector<Bins>& bins,
                        const HistogramNDOptions& how) {
  const array points = given.ndim() == 1 ? given.reshape({-1, 1}) : given;
  if (points.ndim() != 2) {
    throw value_error(fmt::format("too many values to unpack (expected 2, got {})", points.ndim()));
  }
  const auto dims = points.shape(1);
  if (bins.size() != 1 && static_cast<std::int64_t>(bins.size()) != dims) {
    throw value_error("The dimension of bins must be equal to the dimension of the sample x.");
  }
  if (!how.range.empty() && static_cast<std::int64_t>(how.range.size()) != dims) {
    throw value_error("range argument must have one entry per dimension");
  }
  HistogramND found;
  Dims cells;  // with those outside
  std::vector<array> columns;
  for (std::int64_t i = 0; i < dims; ++i) {
    const auto at = static_cast<std::size_t>(i);
    columns.push_back(squeeze(points.slice(1, Slice{i, i + 1}), 1));
    found.edges.push_back(edges_along(columns.back(), i, bins[bins.size() == 1 ? 0 : at],
                                      how.range.empty() ? Range{} : how.range[at]));
    cells.push_back(found.edges.back().size() + 1);
  }
  const auto count = product_of(cells);
  if (how.weights) check_sample_weights(*how.weights, points);
  array place = full({points.shape(0)}, 0, Dtype::int64, points.device());
  for (std::int64_t i = 0; i < dims; ++i) {
    const auto at = static_cast<std::size_t>(i);
    // A point on the last edge belongs to the last cell.
    place = place * cells[i] + (searched_bins(columns[at], found.edges[at]) + 1);
  }
  array counts = as_type(count_bins(place, count, how.weights), Dtype::float64).reshape(cells);
  for (std::int64_t i = 0; i < dims; ++i) counts = counts.slice(i, Slice{1, -1});
  if (how.density) {
    const array total = sum(counts);
    for (std::int64_t i = 0; i < dims; ++i) {
      const array& e = found.edges[static_cast<std::size_t>(i)];
      Dims shape(dims, 1);
      shape[i] = -1;
      counts = counts / (e.slice(0, Slice{1, {}}) - e.slice(0, Slice{{}, -1})).reshape(shape);
    }
    counts = counts / total;
  }
  found.counts = counts;
  return found;
}

HistogramND histogram2d(const array& x, const array& y, const std::vector<Bins>& bins,
                        const HistogramNDOptions& how) {
  if (x.size() != y.size()) throw value_error("x and y must have the same length.");
  return histogramdd(stack({ravel(x), ravel(y)}, 1), bins, how);
}

}  // namespace heddle
