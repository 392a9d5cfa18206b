// What a mask selects, found at once: its shape depends on the elements.
#pragma once

#include <heddle/array.h>

namespace heddle {

struct Primitive;

// The elements of an array where a bool array of the same shape is true, in C order.
array select_elements(const array& a, const array& mask);

// Whether only the run of a step knows how many elements its result has.
bool is_sized(const Primitive& primitive);

// The way back: an array of the mask's shape that has the values, in C order, where the mask is
// true. There have to be as many. Elsewhere its elements are not set.
HEDDLE_API array expand_elements(const array& values, const array& mask);

}  // namespace heddle
