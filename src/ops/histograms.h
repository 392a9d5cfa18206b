// Histograms: what the public functions have no word for.
#pragma once

#include <optional>

#include <heddle/statistics.h>

namespace heddle {

// The type that the bounds of a range have, where they are not plain numbers.
struct RangeType {
  std::optional<Dtype> dtype;
};
HEDDLE_API Histogram histogram(const array& a, const Bins& bins, const HistogramOptions& how,
                               RangeType type);
HEDDLE_API array histogram_bin_edges(const array& a, const Bins& bins, const HistogramOptions& how,
                                     RangeType type);

// The samples of NumPy's linspace on the host, in the arithmetic of a type.
std::vector<double> host_linspace(double start, double stop, std::int64_t intervals, Dtype dtype);

}  // namespace heddle
