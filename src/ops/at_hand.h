// Elements that the host sees and has not to wait for: what the few things read that are done at
// the call, because recording them would take longer.
#pragma once

#include <optional>

#include "graph/numbers.h"
#include <heddle/array.h>

namespace heddle {

// The elements of a vector of few bytes (Limits::at_once). Nothing where they are more, pending or
// elsewhere, or somebody records or counts what is done.
std::optional<HostVector> short_vector(const array& a);

// Whether a value is in memory, or was a few operations on as many elements of memory, indices or
// random words, all of them few bytes, which are done now.
HEDDLE_API bool is_there_at_once(Value& value);

}  // namespace heddle
