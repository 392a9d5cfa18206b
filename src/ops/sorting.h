// Parts of sorting that are not for users.
#pragma once

#include <heddle/sorting.h>

namespace heddle {

// The elements at these indices along the last axis, row by row; a 1-d array takes indices of any
// shape. Nobody checks that indices are in [0, extent). Deferred.
HEDDLE_API array take_in_rows(const array& a, const array& indices);

}  // namespace heddle
