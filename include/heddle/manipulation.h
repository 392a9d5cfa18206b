// Shapes, axes and joining. Functions of one array give a view, unless they say otherwise.
#pragma once

#include <vector>

#include <heddle/array.h>
#include <heddle/reductions.h>

namespace heddle {

// One extent may be -1. A copy where no strides describe the result.
HEDDLE_API array reshape(const array& a, const Dims& shape);
HEDDLE_API array ravel(const array& a);
HEDDLE_API array transpose(const array& a);
HEDDLE_API array transpose(const array& a, const Dims& axes);
HEDDLE_API array moveaxis(const array& a, std::int64_t from, std::int64_t to);
HEDDLE_API array moveaxis(const array& a, const Dims& from, const Dims& to);
HEDDLE_API array swapaxes(const array& a, std::int64_t axis1, std::int64_t axis2);
// Without axes of extent 1: all of them, or those named, which must have it.
HEDDLE_API array squeeze(const array& a, const Axes& axis = {});
// With axes of extent 1 at these positions of the result.
HEDDLE_API array expand_dims(const array& a, const Axes& axis);
HEDDLE_API array broadcast_to(const array& a, const Dims& shape);
HEDDLE_API std::vector<array> broadcast_arrays(const std::vector<array>& arrays);
HEDDLE_API array flip(const array& a, const Axes& axis = {});

// Copies.
HEDDLE_API array roll(const array& a, std::int64_t shift,
                      std::optional<std::int64_t> axis = std::nullopt);
HEDDLE_API array roll(const array& a, const Dims& shifts);  // one for each axis
HEDDLE_API array concatenate(const std::vector<array>& arrays, std::int64_t axis = 0);
HEDDLE_API array stack(const std::vector<array>& arrays, std::int64_t axis = 0);

}  // namespace heddle
