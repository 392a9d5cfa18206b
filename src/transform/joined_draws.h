// Draws of random words in a script, many of one generator, as one draw: what passes of a loop read
// of it lies at offsets that grow, and so they can be rolled up (roll_up.h).
#pragma once

#include "transform/script.h"

namespace heddle::transform {

// Where a generator is drawn of often, the words are drawn at its first draw, all at once, and
// those who read them read parts of that.
void join_draws(Script& script);

}  // namespace heddle::transform
