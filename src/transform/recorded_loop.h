// Loops of a body that was recorded once: what heddle.lax makes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transform/loop.h"
#include "transform/script.h"

namespace heddle::transform {

// How a recorded body is repeated. Its arguments are the counter if there is one, what is carried,
// and rows; its results a condition if there is one, what is carried on, and what is stacked.
struct LoopForm {
  std::int64_t passes = 0;
  std::optional<Loop::Places> counter;
  bool conditional = false;
  bool backwards = false;     // from the last row to the first
  std::int64_t together = 0;  // passes that are computed at once; 0: as many as seem good
};

// A new array with the elements of another one, and nothing else in common: an argument to record a
// body with.
HEDDLE_API array argument_like(const array& a);
// The same array where it is dense and the whole of its storage, else a copy that is.
HEDDLE_API array whole_of(const array& a);

// The results of a loop: carried values in the end, and stacks. Nothing where the body did
// something that no loop can repeat.
HEDDLE_API std::optional<std::vector<array>> run_loop(const Script& body, const LoopForm& form,
                                                      std::span<const array> carried,
                                                      std::span<const array> rows);

}  // namespace heddle::transform
