// Of types, what the public header has no need of.
#pragma once

#include <heddle/dtype.h>

namespace heddle {

// A type of this width for elements that are bits: unsigned integers, complex128 for 16 bytes.
Dtype type_of_width(int bytes);
// The narrowest unsigned integers that have this one.
Dtype unsigned_type_of(std::uint64_t largest);

}  // namespace heddle
