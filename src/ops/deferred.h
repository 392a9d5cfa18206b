// How every deferred operation ends: the value that its node makes, in an array.
#pragma once

#include "core/value.h"
#include <heddle/array.h>

namespace heddle {

// `at_once`: an operand's memory is shared with the outside, so the result must not wait. A 0-d
// result is a snapshot, as NumPy's scalars are.
array deferred(Ref<Value> value, SharedLayout layout, bool at_once);

// Whether somebody outside sees the array's memory.
bool is_exported(const array& a);

// Whether NumPy would give a scalar in place of it: in-place operators make a new one.
HEDDLE_API bool is_snapshot(const array& a);

}  // namespace heddle
