/// @file
/// Statistics: medians and quantiles, averages and covariances, histograms. Means, variances and
/// extremes are in reductions.h.
///
///     array middle = median(a, {.axis = 0});
///     array bounds = quantile(a, {0.05, 0.95});               // along a new first axis
///     auto [counts, edges] = histogram(a, 20, {.range = {{0, 1}}});
///
/// Elements of these ranks are picked without sorting everything, and what is made of them is
/// deferred. Functions whose name begins with nan leave nans out.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heddle/array.h>
#include <heddle/reductions.h>

namespace heddle {

// --- order statistics ---

/// Options of medians.
struct MedianOptions {
  Reduction::ByName by_name = {};
  Axes axis = {};
  bool keepdims = false;  ///< reduced axes stay, with extent 1
};

/// The middle element over the axes, or the mean of the two middle ones; nan where there is one.
HEDDLE_API array median(const array& a, const MedianOptions& how = {});
HEDDLE_API array nanmedian(const array& a, const MedianOptions& how = {});

/// How a quantile that falls between two elements is found: NumPy's methods, of Hyndman and Fan.
enum class QuantileMethod : std::uint8_t {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest,
};
/// By NumPy's name; nothing for others.
HEDDLE_API std::optional<QuantileMethod> quantile_method(std::string_view name);

/// Which quantiles: one, or several, which are float64 then, as arrays are.
class Quantiles {
 public:
  template <class T>
    requires(std::integral<T> || std::floating_point<T>)
  Quantiles(T one) : values_{static_cast<double>(one)}, whole_(std::integral<T>) {}
  Quantiles(std::initializer_list<double> several) : Quantiles(std::vector<double>(several)) {}
  Quantiles(std::vector<double> several)
      : values_(std::move(several)),
        shape_{static_cast<std::int64_t>(values_.size())},
        dtype_(Dtype::float64) {}
  /// In a shape, and of a type; without a type they are weak, as Scalar is, and `whole` says that
  /// they are integers.
  Quantiles(std::vector<double> values, const Dims& shape, std::optional<Dtype> dtype,
            bool whole = false)
      : values_(std::move(values)), shape_(shape), dtype_(dtype), whole_(whole) {}
  const std::vector<double>& values() const { return values_; }
  const Dims& shape() const { return shape_; }
  const std::optional<Dtype>& dtype() const { return dtype_; }
  /// The type that places among the elements are computed in.
  Dtype type() const { return dtype_.value_or(whole_ ? Dtype::int64 : Dtype::float64); }

 private:
  std::vector<double> values_;
  Dims shape_;
  std::optional<Dtype> dtype_;
  bool whole_ = false;
};

/// Options of quantiles and percentiles.
struct QuantileOptions {
  Reduction::ByName by_name = {};
  Axes axis = {};
  bool keepdims = false;
  QuantileMethod method = QuantileMethod::linear;
  /// Of each element, or of those along the axes. Only with inverted_cdf.
  std::optional<array> weights = std::nullopt;
};

/// Quantiles over the axes, those of several q along a first axis; q is in [0, 1].
HEDDLE_API array quantile(const array& a, const Quantiles& q, const QuantileOptions& how = {});
HEDDLE_API array nanquantile(const array& a, const Quantiles& q, const QuantileOptions& how = {});
/// The same with q in [0, 100].
HEDDLE_API array percentile(const array& a, const Quantiles& q, const QuantileOptions& how = {});
HEDDLE_API array nanpercentile(const array& a, const Quantiles& q, const QuantileOptions& how = {});

// --- averages and covariances ---

/// An average, and the sum of the weights it has.
struct Average {
  array average, sum_of_weights;
};
/// Weighted by one number for each element, or for those along the axes. zero_division_error where
/// weights sum to zero.
HEDDLE_API Average weighted_average(const array& a, const array& weights, const Axes& axis = {},
                                    bool keepdims = false);
/// The same without the sum; without weights it is the mean.
HEDDLE_API array average(const array& a, const std::optional<array>& weights = std::nullopt,
                         const Axes& axis = {}, bool keepdims = false);

/// Options of covariances and correlations.
struct CovarianceOptions {
  std::optional<array> y = std::nullopt;         ///< more variables
  bool rowvar = true;                            ///< variables are rows, not columns
  std::optional<double> ddof = 1;                ///< divide by n - ddof
  std::optional<array> fweights = std::nullopt;  ///< how often each sample was found
  std::optional<array> aweights = std::nullopt;  ///< how much each counts
  std::optional<Dtype> dtype = std::nullopt;
};
/// The covariance matrix of variables that are the rows of a matrix.
HEDDLE_API array cov(const array& m, const CovarianceOptions& how = {});
/// Pearson's correlation coefficients of such variables.
HEDDLE_API array corrcoef(const array& x, const std::optional<array>& y = std::nullopt,
                          bool rowvar = true, std::optional<Dtype> dtype = std::nullopt);

// --- histograms ---

/// How often each number is among integers that are not negative, or the sums of the weights there.
/// As long as the largest needs, and `minlength` at least.
HEDDLE_API array bincount(const array& x, const std::optional<array>& weights = std::nullopt,
                          std::int64_t minlength = 0);

/// Bins of a histogram: their number, their edges, or the name of one of NumPy's estimators
/// ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges").
class Bins {
 public:
  template <std::integral T>
  Bins(T count) : count_(static_cast<std::int64_t>(count)) {}
  Bins(const char* estimator) : estimator_(estimator) {}
  Bins(std::string estimator) : estimator_(std::move(estimator)) {}
  Bins(array edges) : edges_(std::move(edges)) {}
  const std::optional<array>& edges() const { return edges_; }
  const std::string& estimator() const { return estimator_; }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
  std::string estimator_;
  std::optional<array> edges_;
};

/// Options of histograms.
struct HistogramOptions {
  /// Elements outside are left out. By default from the smallest to the largest.
  std::optional<std::pair<Scalar, Scalar>> range = std::nullopt;
  bool density = false;  ///< so that the integral is 1
  std::optional<array> weights = std::nullopt;
};

/// What is in each bin, and the edges of the bins: one more than there are bins.
struct Histogram {
  array counts, edges;
};
/// How many elements, or how much of the weights, are in each bin. The last bin has both its edges,
/// the others only the left one.
HEDDLE_API Histogram histogram(const array& a, const Bins& bins = 10,
                               const HistogramOptions& how = {});
/// Only the edges.
HEDDLE_API array histogram_bin_edges(const array& a, const Bins& bins = 10,
                                     const HistogramOptions& how = {});

/// What is in each cell of a grid, and the edges.
struct HistogramND {
  array counts;
  std::vector<array> edges;  ///< along every dimension
};
/// Options of histograms of many dimensions.
struct HistogramNDOptions {
  /// For each dimension; nothing: from the smallest to the largest.
  std::vector<std::optional<std::pair<Scalar, Scalar>>> range = {};
  bool density = false;
  std::optional<array> weights = std::nullopt;
};
/// How many points, rows of a matrix, are in each cell of a grid; bins for each dimension, or one
/// for all: numbers or edges.
HEDDLE_API HistogramND histogramdd(const array& points, const std::vector<Bins>& bins = {10},
                                   const HistogramNDOptions& how = {});
/// The same of points in a plane.
HEDDLE_API HistogramND histogram2d(const array& x, const array& y,
                                   const std::vector<Bins>& bins = {10},
                                   const HistogramNDOptions& how = {});

/// The bin of each element: i with bins[i-1] <= x < bins[i]; with bins[i-1] < x <= bins[i] if
/// `right`. Bins ascend, or descend.
HEDDLE_API array digitize(const array& x, const array& bins, bool right = false);

}  // namespace heddle
