// Order statistics, averages, covariances and histograms for the Python layer.
#include <heddle/statistics.h>

#include "ops/histograms.h"
#include "ops/masked.h"
#include "ops/quantiles.h"
#include "python/routines.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

array quantiles_of(const array& a, std::vector<double> q, const Dims& shape, Dtype dtype, bool weak,
                   const Axes& axes, bool keepdims, const std::string& method,
                   std::optional<array> weights, bool skip_nans) {
  const auto known = quantile_method(method);
  if (!known) throw value_error("quantile: no such method");
  const std::optional<Dtype> type = weak ? std::nullopt : std::optional(dtype);
  return quantiles(a, Quantiles(std::move(q), shape, type, !is_inexact(dtype)),
                   {.axis = axes, .keepdims = keepdims, .method = *known, .weights = weights},
                   skip_nans ? Nans::skip : Nans::count);
}

// None, or a pair of numbers.
using Range = std::optional<std::pair<Scalar, Scalar>>;

Bins to_bins(nb::handle bins) {
  if (is_array(bins.ptr())) return array_in(bins.ptr());
  if (PyUnicode_Check(bins.ptr())) return nb::cast<std::string>(bins);
  return nb::cast<std::int64_t>(bins);
}

nb::tuple histogram_of(const array& a, nb::handle bins, const Range& range,
                       std::optional<Dtype> type, bool density, std::optional<array> weights) {
  auto found = histogram(a, to_bins(bins), {range, density, std::move(weights)}, RangeType{type});
  return nb::make_tuple(found.counts, found.edges);
}

array edges_of(const array& a, nb::handle bins, const Range& range, std::optional<Dtype> type,
               std::optional<array> weights) {
  return histogram_bin_edges(a, to_bins(bins), {range, false, std::move(weights)}, RangeType{type});
}

nb::tuple histogram_of_points(const array& points, const nb::list& bins,
                              const std::vector<Range>& ranges, bool density,
                              std::optional<array> weights) {
  std::vector<Bins> all;
  for (nb::handle each : bins) all.push_back(to_bins(each));
  auto found = histogramdd(points, all, {ranges, density, std::move(weights)});
  return nb::make_tuple(found.counts, to_tuple(std::move(found.edges)));
}

}  // namespace

void bind_statistics(nb::module_& m) {
  m.def(
      "median",
      [](const array& a, const Axes& axis, bool keepdims) {
        return median(a, {.axis = axis, .keepdims = keepdims});
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("keepdims"));
  m.def(
      "nanmedian",
      [](const array& a, const Axes& axis, bool keepdims) {
        return nanmedian(a, {.axis = axis, .keepdims = keepdims});
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("keepdims"));
  m.def("quantiles", quantiles_of, nb::arg("a"), nb::arg("q"), nb::arg("shape"), nb::arg("dtype"),
        nb::arg("weak"), nb::arg("axis").none(), nb::arg("keepdims"), nb::arg("method"),
        nb::arg("weights").none(), nb::arg("skip_nans"));
  m.def("nans_replaced", nans_replaced);
  m.def(
      "mean",
      [](const array& a, const Axes& axis, std::optional<Dtype> dtype, bool keepdims) {
        return mean(a, Reduction{.axis = axis, .keepdims = keepdims, .dtype = dtype});
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("dtype").none(), nb::arg("keepdims"));
  m.def(
      "var",
      [](const array& a, const Axes& axis, double ddof, bool keepdims) {
        return var(a, Reduction{.axis = axis, .keepdims = keepdims, .ddof = ddof});
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("ddof"), nb::arg("keepdims"));
  m.def(
      "masked_mean",
      [](const array& a, const array& mask, const Axes& axis, std::optional<Dtype> dtype,
         bool keepdims) {
        auto found = masked_mean(a, mask, {.axis = axis, .keepdims = keepdims, .dtype = dtype});
        return nb::make_tuple(found.result, found.count);
      },
      nb::arg("a"), nb::arg("mask"), nb::arg("axis").none(), nb::arg("dtype").none(),
      nb::arg("keepdims"));
  m.def(
      "masked_var",
      [](const array& a, const array& mask, const Axes& axis, std::optional<Dtype> dtype,
         double ddof, bool keepdims, std::optional<array> mean) {
        auto found = masked_var(
            a, mask, {.axis = axis, .keepdims = keepdims, .dtype = dtype, .ddof = ddof}, mean);
        return nb::make_tuple(found.result, found.count);
      },
      nb::arg("a"), nb::arg("mask"), nb::arg("axis").none(), nb::arg("dtype").none(),
      nb::arg("ddof"), nb::arg("keepdims"), nb::arg("mean").none());
  m.def(
      "nanmean",
      [](const array& a, const Axes& axis, std::optional<Dtype> dtype, bool keepdims,
         std::optional<array> where) {
        return nanmean_where(a, where, {.axis = axis, .keepdims = keepdims, .dtype = dtype});
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("dtype").none(), nb::arg("keepdims"),
      nb::arg("where").none());
  m.def(
      "nanvar",
      [](const array& a, const Axes& axis, std::optional<Dtype> dtype, double ddof, bool keepdims,
         std::optional<array> where, std::optional<array> mean) {
        return nanvar_where(a, where, mean,
                            {.axis = axis, .keepdims = keepdims, .dtype = dtype, .ddof = ddof});
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("dtype").none(), nb::arg("ddof"),
      nb::arg("keepdims"), nb::arg("where").none(), nb::arg("mean").none());
  m.def(
      "weighted_average",
      [](const array& a, const array& weights, const Axes& axis, bool keepdims) {
        auto found = weighted_average(a, weights, axis, keepdims);
        return nb::make_tuple(found.average, found.sum_of_weights);
      },
      nb::arg("a"), nb::arg("weights"), nb::arg("axis").none(), nb::arg("keepdims"));
  m.def(
      "cov",
      [](const array& a, std::optional<array> y, bool rowvar, double ddof,
         std::optional<array> fweights, std::optional<array> aweights, std::optional<Dtype> dtype) {
        return cov(a,
                   {std::move(y), rowvar, ddof, std::move(fweights), std::move(aweights), dtype});
      },
      nb::arg("m"), nb::arg("y").none(), nb::arg("rowvar"), nb::arg("ddof"),
      nb::arg("fweights").none(), nb::arg("aweights").none(), nb::arg("dtype").none());
  m.def("corrcoef", corrcoef, nb::arg("x"), nb::arg("y").none(), nb::arg("rowvar"),
        nb::arg("dtype").none());
  m.def("bincount", bincount, nb::arg("x"), nb::arg("weights").none(), nb::arg("minlength"));
  m.def("digitize", digitize, nb::arg("x"), nb::arg("bins"), nb::arg("right"));
  m.def("histogram", histogram_of, nb::arg("a"), nb::arg("bins"), nb::arg("range").none(),
        nb::arg("range_type").none(), nb::arg("density"), nb::arg("weights").none());
  m.def("histogram_bin_edges", edges_of, nb::arg("a"), nb::arg("bins"), nb::arg("range").none(),
        nb::arg("range_type").none(), nb::arg("weights").none());
  m.def("histogramdd", histogram_of_points, nb::arg("points"), nb::arg("bins"), nb::arg("ranges"),
        nb::arg("density"), nb::arg("weights").none());
}

}  // namespace heddle::python
