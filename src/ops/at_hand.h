// Elements that the host sees and has not to wait for: what the few things read that are done at
// the call, because recording them would take longer.
#pragma once

#include <optional>
#include <vector>

#include "graph/numbers.h"
#include <heddle/array.h>

namespace heddle {

// Whether nobody minds that the host looks at elements now.
HEDDLE_API bool may_work_at_once(const Value& value);

// The elements of a vector in memory. Nothing where they are pending or elsewhere, or somebody
// records or counts what is done.
HEDDLE_API std::optional<HostVector> vector_at_hand(const array& a);
// The same of a vector of few bytes: so many times Limits::at_once.
HEDDLE_API std::optional<HostVector> short_vector(const array& a, int times = 1);
// Where indices that are such a vector lead to along a dimension, in units of its stride: nothing
// where one is out of range, which others say.
std::optional<std::vector<std::int64_t>> few_places(const array& indices, std::int64_t extent,
                                                    std::int64_t stride);

// Whether a value is in memory, or was so few operations, each on few bytes, that they are done
// now.
HEDDLE_API bool is_there_at_once(Value& value, int operations = 6);
// How many of them an element or a number is worth that somebody reads: a statement or two, which
// NumPy would have computed.
inline constexpr int operations_for_a_number = 32;

// A number that is made of few elements is there at the call: loops go on with it, and nodes that
// are made of it would take longer than they do.
array number_at_once(array made);

}  // namespace heddle
