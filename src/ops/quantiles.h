// Medians and quantiles: what the functions of the public header, with and without nans, share.
#pragma once

#include <heddle/statistics.h>

namespace heddle {

enum class Nans : std::uint8_t { count, skip };

// q in [0, 1]; nobody checks that.
HEDDLE_API array quantiles(const array& a, const Quantiles& q, const QuantileOptions& how,
                           Nans nans);

}  // namespace heddle
