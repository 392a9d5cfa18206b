// Weighted averages, covariances and correlations.
#include <algorithm>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/reported.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/index_routines.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/products.h>
#include <heddle/statistics.h>
#include <heddle/ufuncs.h>

namespace heddle {

Average weighted_average(const array& a, const array& given, const Axes& axis, bool keepdims) {
  const Input both[] = {a, given};
  Dtype type = inexact_type(common_type(both));
  // As NumPy: integers are averaged in double precision, whatever the weights are.
  if (is_integer(a.dtype()) || a.dtype() == Dtype::bool_)
    type = promote_types(type, Dtype::float64);
  array weights = given;
  if (weights.shape() != a.shape()) {
    if (!axis.list()) {
      throw type_error("Axis must be specified when shapes of a and weights differ.");
    }
    Dims axes;
    for (auto d : *axis.list()) axes.push_back(normalize_axis("average", d, a.ndim()));
    weights = along_axes(weights, a, axes).broadcast_to(a.shape());
  }
  const Reduction how{.axis = axis, .keepdims = keepdims, .dtype = type};
  array scale = sum(weights, how);
  scale = refused_where<zero_division_error>(scale == 0, scale,
                                             "Weights sum to zero, can't be normalized", "average");
  const array result = sum(as_type(a, type) * as_type(weights, type), how) / scale;
  return {result, scale.shape() == result.shape() ? scale : scale.broadcast_to(result.shape())};
}

array average(const array& a, const std::optional<array>& weights, const Axes& axis,
              bool keepdims) {
  if (!weights) return mean(a, Reduction{.axis = axis, .keepdims = keepdims});
  return weighted_average(a, *weights, axis, keepdims).average;
}

namespace {

array sample_weights(const array& given, const char* name, const array& x, bool whole) {
  array weights = as_type(given, Dtype::float64);
  if (whole) {
    weights = refused_where<type_error>(weights != rint(weights), weights,
                                        fmt::format("{} must be integer", name), "cov");
  }
  if (weights.ndim() > 1) throw error(fmt::format("cannot handle multidimensional {}", name));
  if (weights.size() != x.shape(1)) {
    throw error(fmt::format("incompatible numbers of samples and {}", name));
  }
  return refused_where<value_error>(weights < 0, weights,
                                    fmt::format("{} cannot be negative", name), "cov");
}

array as_rows(const array& x) { return x.ndim() < 2 ? x.reshape({1, -1}) : x; }

// The degrees of freedom that covariances of weighted samples have; 0 where none is left.
array degrees(const array& x, double ddof, const std::optional<array>& total,
              const std::optional<array>& weights, const std::optional<array>& importance) {
  const char* text = "Degrees of freedom <= 0 for slice";
  if (!weights) {
    const double left = static_cast<double>(x.shape(1)) - ddof;
    if (left <= 0) warn(text);
    return array(Scalar(std::max(left, 0.0)));
  }
  const array sum_of_weights = real((*total)[0]);
  array left = sum_of_weights;
  if (ddof != 0 && !importance) {
    left = sum_of_weights - ddof;
  } else if (ddof != 0) {
    left = sum_of_weights - ddof * sum(*weights * *importance) / sum_of_weights;
  }
  return warned_where(left <= 0, where(left <= 0, array(Scalar(0), left.dtype()), left), text);
}

}  // namespace

array cov(const array& m, const CovarianceOptions& how) {
  if (m.ndim() > 2) throw value_error("m has more than 2 dimensions");
  if (how.y && how.y->ndim() > 2) throw value_error("y has more than 2 dimensions");
  Dtype type = promote_types(m.dtype(), Dtype::float64);
  if (how.y) type = promote_types(type, how.y->dtype());
  type = how.dtype.value_or(type);
  array x = as_rows(as_type(m, type));
  if (!how.rowvar && m.ndim() == 2) x = x.transpose();
  if (x.shape(0) == 0) return empty({0, 0}, Dtype::float64, x.device());
  if (how.y) {
    const array more = as_rows(as_type(*how.y, type));
    const bool turned = !how.rowvar && how.y->ndim() == 2 && how.y->shape(0) != 1;
    x = concatenate({x, turned ? more.transpose() : more}, 0);
  }
  std::optional<array> weights, importance;
  if (how.fweights) weights = sample_weights(*how.fweights, "fweights", x, true);
  if (how.aweights) {
    importance = sample_weights(*how.aweights, "aweights", x, false);
    weights = weights ? *weights * *importance : *importance;
  }
  std::optional<array> total;
  array centre = x;
  if (weights) {
    auto weighted = weighted_average(x, *weights, 1);
    centre = weighted.average;
    total = weighted.sum_of_weights;
  } else {
    if (x.shape(1) == 0) warn("Mean of empty slice");
    centre = mean(x, 1);
  }
  const array divisor = degrees(x, how.ddof.value_or(1), total, weights, importance);
  if (!is_inexact(type)) {
    throw type_error(
        fmt::format("cov: deviations from the average of type {} cannot be cast to "
                    "{}; use a dtype of floats",
                    name(centre.dtype()), name(type)));
  }
  x = x - centre.reshape({-1, 1});
  const array turned = (weights ? x * *weights : x).transpose();
  const array result = dot(x, is_complex(type) ? conjugate(turned) : turned);
  return squeeze(as_type(result * (1.0 / divisor), result.dtype()));
}

array corrcoef(const array& x, const std::optional<array>& y, bool rowvar,
               std::optional<Dtype> dtype) {
  array c = cov(x, {.y = y, .rowvar = rowvar, .dtype = dtype});
  if (c.ndim() == 0) return c / c;
  const array deviation = sqrt(real(diagonal(c)));
  c = c / deviation.reshape({-1, 1}) / deviation;
  if (!is_complex(c.dtype())) return clip(c, -1, 1);
  return make_complex(clip(real(c), -1, 1), clip(imag(c), -1, 1));
}

}  // namespace heddle
