// Calls of foreign code as a primitive: operands are the storages of its arrays, outputs the new
// contents of those that it writes. So they are deferred and ordered as every other step is.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "graph/node.h"
#include "runtime/foreign.h"
#include <heddle/array.h>

namespace heddle {

struct ForeignArray {
  const array* a;
  bool written;  // as well as read
};

// What users call a step: a foreign call has a name of its own.
HEDDLE_API std::string name_of_call(const Node& node);

// On `device`, where the arrays have to be. Throws value_error for an array that is elsewhere or
// must not be written.
HEDDLE_API void call_foreign(std::shared_ptr<const ForeignCall> code,
                             std::span<const ForeignArray> arrays, Device& device);

}  // namespace heddle
