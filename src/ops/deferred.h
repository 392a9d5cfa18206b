// How every deferred operation begins, with arrays as operands, and how it ends: the value that its
// node makes, in an array.
#pragma once

#include <optional>

#include "graph/make.h"
#include "graph/value.h"
#include <heddle/array.h>

namespace heddle {

// `at_once`: an operand's memory is shared with the outside, so the result must not wait. A 0-d
// result is a snapshot, as NumPy's scalars are.
array deferred(Ref<Value> value, SharedLayout layout, bool at_once);
// The same of all elements, in C order.
array deferred(Ref<Value> value, bool at_once);

// An array as an operand.
Operand reading(const array& a);

// What an array stands for, with one more dimension, the first, if it is a stand-in.
std::optional<array> stands_for(const array& a);
// Whether nobody can look at its elements: it stands for those of rows, or is other ones in each
// pass of a loop whose body is recorded.
HEDDLE_API bool is_unknown(const array& a);
HEDDLE_API bool is_stand_in(const array& a);

// Whether somebody outside sees the array's memory.
bool is_exported(const array& a);

// Whether NumPy would give a scalar in place of it: in-place operators make a new one.
HEDDLE_API bool is_snapshot(const array& a);

}  // namespace heddle
