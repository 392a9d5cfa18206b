// What a mask selects, found at once: its shape depends on the elements.
#pragma once

#include <heddle/array.h>

namespace heddle {

// The elements of an array where a bool array of the same shape is true, in C order.
array select_elements(const array& a, const array& mask);

}  // namespace heddle
