// Reductions of the elements that a mask selects, which broadcasts to the array's shape. How many
// these are comes with the result: masks decide about it.
#pragma once

#include <optional>

#include <heddle/array.h>
#include <heddle/reductions.h>

namespace heddle {

struct Counted {
  array result, count;  // int64
};
HEDDLE_API Counted masked_mean(const array& a, const array& mask, const Reduction& how);
// Around a mean that is known, made with keepdims, or the elements' own.
HEDDLE_API Counted masked_var(const array& a, const array& mask, const Reduction& how,
                              const std::optional<array>& mean = std::nullopt);

// Means and variances without nans, and without what `where` leaves out.
HEDDLE_API array nanmean_where(const array& a, const std::optional<array>& where,
                               const Reduction& how);
HEDDLE_API array nanvar_where(const array& a, const std::optional<array>& where,
                              const std::optional<array>& mean, const Reduction& how);

// nanmin and nanmax: nan, with a warning, where there is nothing else.
array warned_of_nans(const array& result);
// The array with its nans replaced; itself where its type has none.
HEDDLE_API array nans_replaced(const array& a, Scalar value);

}  // namespace heddle
