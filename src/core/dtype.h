// Of types, what the public header has no need of.
#pragma once

#include <cstring>

#include <heddle/dtype.h>

namespace heddle {

// A type of this width for elements that are bits: unsigned integers, complex128 for 16 bytes.
Dtype type_of_width(int bytes);
// The narrowest unsigned integers that have this one.
Dtype unsigned_type_of(std::uint64_t largest);

// One element: a few instructions, where a copy of any number of bytes is a call.
inline void copy_element(void* to, const void* from, Dtype dtype) {
  switch (itemsize(dtype)) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, 16);
  }
}

}  // namespace heddle
