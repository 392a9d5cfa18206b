// How gamma numbers change with their parameter.
#pragma once

#include <heddle/array.h>

namespace heddle::transform {

// dz/da of a gamma number z of parameter a, at least 1, whose probability stays: an implicit
// reparametrisation, as those who draw by rejection have no other. About nine digits.
array gamma_slope(const array& a, const array& z);

}  // namespace heddle::transform
