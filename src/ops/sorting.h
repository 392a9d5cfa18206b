// Parts of sorting that are not for users.
#pragma once

#include <heddle/sorting.h>

namespace heddle {

// The elements at these indices along the last axis, row by row; a 1-d array takes indices of any
// shape. Nobody checks that indices are in [0, extent). Deferred.
HEDDLE_API array take_in_rows(const array& a, const array& indices);

// Elements whose order is the other one, nan still last; mirrored again, those there were.
HEDDLE_API array mirrored(const array& a);

}  // namespace heddle
